//! The assumptions of an answer besides its proof: options that change the program or the question, and the checks
//! that are assumed to hold.

use crate::earlier::recorded::Recorded;
use crate::earlier::shown;
use crate::report::{Answer, listed};
use cli::Verdict;
use ir::{CheckId, CheckKind};
use results::options::Assumption;
use verify::Task;

/// The assumptions of an answer.
pub(crate) struct Basis<'a> {
    task: &'a Task,
    recorded: &'a Recorded,
    assumptions: Vec<Assumption>,
}

impl<'a> Basis<'a> {
    /// The assumptions of an answer under these options, in which these checks are assumed to hold.
    pub(crate) fn new(task: &'a Task, recorded: &'a Recorded, left_out: &[CheckId]) -> Basis<'a> {
        let mut assumptions = recorded.assumptions();
        if !left_out.is_empty() {
            let mut spans: Vec<_> = left_out.iter().map(|c| task.program.checks[*c].span).collect();
            spans.sort_unstable();
            spans.dedup();
            let places: Vec<String> =
                spans.into_iter().map(|span| shown(&task.sources.short(span))).collect();
            let verb = if places.len() == 1 { "holds" } else { "hold" };
            let text = format!("--only ({} {verb})", listed(&places, " and "));
            assumptions.push(Assumption { option: "only".into(), value: places.into(), text });
        }
        Basis { task, recorded, assumptions }
    }

    /// The answer with its assumptions: in its text, for `--json`, and where it is SAFE in its verdict.
    pub(crate) fn reported(&self, mut answer: Answer) -> Answer {
        answer.body.push_str(&self.text());
        let out = &mut answer.outcome;
        out.assumptions = Some(self.assumptions.clone());
        out.kinds = Some(self.kinds().into_iter().map(str::to_owned).collect());
        out.not_looked_at = Some(crate::report::unchecked(self.task));
        out.undefined_functions = Some(crate::report::undefined_functions(self.task));
        answer.verdict = self.qualified(answer.verdict);
        answer
    }

    /// The verdict with its assumptions.
    pub(crate) fn qualified(&self, verdict: Verdict) -> Verdict {
        match verdict {
            Verdict::Safe if !self.assumptions.is_empty() => Verdict::SafeAssuming(self.texts()),
            Verdict::Unsafe { kind, place } if !self.assumptions.is_empty() => {
                Verdict::UnsafeAssuming { kind, place, assumed: self.texts() }
            }
            verdict => verdict,
        }
    }

    /// The answer of the run itself, whose options the user knows: its verdict stays as it is.
    pub(crate) fn noted(&self, mut answer: Answer) -> Answer {
        answer.outcome.assumptions = Some(self.assumptions.clone());
        // The answer says anyway that it is about rules.
        let told = self.recorded.assumptions().into_iter().filter(|a| a.option != "rules");
        let options: Vec<String> = told.map(|a| a.text).collect();
        if answer.verdict == Verdict::Safe && !options.is_empty() {
            answer.body.push_str(&format!("  assumed: {}\n", options.join(", ")));
        }
        if answer.verdict == Verdict::Safe {
            answer.body.push_str(self.threads());
        }
        answer
    }

    /// The assumptions, in lines.
    pub(crate) fn text(&self) -> String {
        let mut out = format!("  checked: {}\n", self.kinds().join(", "));
        for text in self.texts() {
            out.push_str(&format!("  assumed: {text}\n"));
        }
        out.push_str(self.threads());
        if !self.task.not_checked.is_empty() {
            out.push_str(&format!("  {}", crate::report::not_checked(self.task)));
        }
        out + &crate::report::externs(self.task)
    }

    /// How many threads it is about, if that is more than the bound.
    fn threads(&self) -> &'static str {
        if self.recorded.front.any_threads { "  threads: any number of those that loops start\n" } else { "" }
    }

    fn texts(&self) -> Vec<String> {
        self.assumptions.iter().map(|a| a.text.clone()).collect()
    }

    fn kinds(&self) -> Vec<&'static str> {
        self.recorded.front.checks.iter().copied().map(CheckKind::name).collect()
    }
}
