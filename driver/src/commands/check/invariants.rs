//! `--invariants` and `--dump-invariants`: candidates that are given, and facts that are reported.

use super::{Command, text_of};
use crate::facts;
use crate::facts::given::{self, Given, Text};
use crate::observers::log::Log;
use crate::report::Answer;
use cli::Verdict;
use cli::process::Sink;
use verify::Shown;
use verify::Task;
use verify::cegar::Proof;

impl Command<'_> {
    /// The text of the file of `--invariants`; read once, as it may be a pipe.
    pub(super) fn invariants_text(&self, stderr: &mut Sink<'_>) -> Result<String, Verdict> {
        text_of(self.options.refinement.invariants.as_deref(), "invariants", stderr)
    }

    /// The same with its file, where there is one.
    pub(super) fn given<'t>(&'t self, text: &'t str) -> Option<Text<'t>> {
        self.options.refinement.invariants.as_deref().map(|path| Text { path, text })
    }

    /// The candidates of `--invariants` about a task. The file of `--dump-invariants` will say at least that there is nothing.
    pub(super) fn given_about(
        &self,
        task: &mut Task,
        text: Option<&Text<'_>>,
        log: &mut Log<'_>,
    ) -> Result<Given, Verdict> {
        if let Some(file) = &self.options.dump_invariants {
            self.session.write_later(file, facts::text(task, &[]));
        }
        let Some(text) = text else { return Ok(Given::default()) };
        given::read(task, text).map_err(|mistake| {
            log.diagnostic(&mistake, &task.sources);
            Verdict::Error("invariants".into())
        })
    }

    /// Reports the accepted facts, and what became of the given candidates: in the log, the answer and the file of
    /// `--dump-invariants`.
    pub(super) fn tell_facts(
        &self,
        (task, proof): (&Task, Option<&Proof>),
        shown: &Shown,
        given: Option<&Given>,
        (answer, stderr): (&mut Answer, &mut Sink<'_>),
    ) {
        let accepted = facts::accepted(task, proof, &shown.facts);
        let mut log = Log::new(self.options.output.verbose, self.progress, stderr);
        if 0 < self.options.output.verbose {
            facts::lines(task, &accepted).iter().for_each(|line| log.note(&format!("holds: {line}")));
        }
        answer.outcome.facts = Some(facts::all(task, &accepted));
        if let Some(file) = &self.options.dump_invariants {
            self.session.write_later(file, facts::text(task, &accepted));
        }
        if let Some(given) = given {
            let (text, lines) = facts::outcome(task, given, |n| shown.given[n].clone());
            text.lines().for_each(|line| log.note(line.trim_start()));
            answer.body.push_str(&cli::terminal::fitted(&text));
            answer.outcome.given_invariants = Some(lines);
        }
    }
}
