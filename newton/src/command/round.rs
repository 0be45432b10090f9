//! Refutation of the paths of one iteration of the loop: the first by one refiner after the other until one of
//! them finds something new; of the others, which end at other checks, a few by the first refiner.

use crate::command::predicate_file::Known;
use cli::front::Loaded;
use cli::{Session, Verdict};
use encoding::Inputs;
use executions::Replay;
use ir::{Path, PathStep};
use newton::{Options, Outcome, Past, Refiner, Refuted, Suggestion, Suggestions, path_text};
use std::fmt::Write;

/// Who finds predicates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refiners {
    /// Each in turn.
    Auto,
    /// This one.
    One(Refiner),
}

/// See the module's documentation.
pub(crate) struct Round<'a> {
    pub(crate) loaded: &'a Loaded,
    pub(crate) options: &'a Options<'a>,
    pub(crate) refiners: Refiners,
    pub(crate) session: &'a Session,
    /// Whether there is a file of predicates that are known.
    pub(crate) is_known: bool,
}

/// An answer: what is printed, and the verdict.
type Answer = (String, Verdict);

impl<'a> Round<'a> {
    /// Analyses the paths; what is new is added to what is known.
    pub(crate) fn run(&self, paths: &'a [Path], known: &mut Known) -> Answer {
        let [first, others @ ..] = paths else { unreachable!("a file of paths has one at least") };
        let Loaded { program, oracle, .. } = self.loaded;
        let mut body = match newton::decide_by_slice(program, oracle, first, self.options) {
            Outcome::Refuted(refuted) => match self.first(first, &refuted, known) {
                Ok(text) => text,
                Err(nothing_new) => return nothing_new,
            },
            Outcome::Feasible { inputs, inexact } => return self.feasible(first, &inputs, &inexact),
            Outcome::GaveUp(why) => return gave_up(&why),
        };
        match self.others(others, known) {
            Ok(text) => body.push_str(&text),
            Err((text, verdict)) => return (body + &text, verdict),
        }
        body.push_str(&self.states(known));
        (body, Verdict::Unreachable)
    }

    /// The refiners that work on the first path, in order.
    fn in_order(&self, refuted: &Refuted<'_>, known: &mut Known) -> Vec<Refiner> {
        match self.refiners {
            Refiners::Auto => newton::in_order(refuted, &Refiner::IN_TURN, &mut known.seen),
            Refiners::One(refiner) => vec![refiner],
        }
    }

    /// What is found for the first path; an answer by itself when that is nothing.
    fn first(&self, path: &Path, refuted: &Refuted<'_>, known: &mut Known) -> Result<String, Answer> {
        let program = &self.loaded.program;
        let (mut core, mut new, mut by) = (vec![], vec![], Refiner::Wp);
        let refiners = self.in_order(refuted, known);
        if refiners.contains(&Refiner::Wp) {
            match newton::past_loops(refuted, self.options, &known.precision) {
                Some(Past::Feasible { path, inputs, inexact }) => {
                    return Err(self.feasible(&path, &inputs, &inexact));
                }
                Some(Past::Refuted { path, refinement }) => {
                    core = refuted.core_steps();
                    new = known.add(program, refinement.predicates, &|step| self.place(&path, step));
                }
                None => {}
            }
        }
        for refiner in refiners {
            if !new.is_empty() {
                break;
            }
            let refinement = refuted.refine(refiner, &known.precision);
            (core, by) = (refinement.core, refiner);
            new = known.add(program, refinement.predicates, &|step| self.place(path, step));
        }
        let mut out = format!(
            "the path cannot be executed: the {} marked of {} steps contradict each other\n\n{}\n",
            core.len(),
            path.steps.len(),
            path_text::print(program, path, &core)
        );
        if self.is_known && new.is_empty() {
            out.push_str("no refiner finds a new predicate\n");
            return Err((out, Verdict::Unknown("no new predicate".into())));
        }
        if self.is_known {
            let _ = writeln!(out, "new predicates, by {}:", by.name());
        } else {
            out.push_str("predicates that refute it:\n");
        }
        new.iter().for_each(|line| out.extend([line, "\n"]));
        Ok(out)
    }

    /// What is found for the others; an answer by itself when one of them can be executed.
    fn others(&self, others: &'a [Path], known: &mut Known) -> Result<String, Answer> {
        let others = &others[..others.len().min(known.paths)];
        if others.is_empty() || !self.analyses_others() {
            return Ok(String::new());
        }
        let mut paths = newton::Paths::new(self.options);
        let (mut out, mut idle) = (String::new(), 0);
        for path in others {
            if self.session.stopped() {
                break;
            }
            let new = self.other(path, &mut paths, known)?;
            idle += usize::from(new.is_empty());
            let end = self.place(path, path.steps.len() - 1);
            let what = if new.is_empty() { "nothing new" } else { "new predicates" };
            let _ = writeln!(out, "\nanother path, to {end}: {what}");
            new.iter().for_each(|line| out.extend([line, "\n"]));
        }
        known.paths = newton::next_paths(known.paths, idle);
        Ok(out)
    }

    /// What is found for no path, but since several have asked for the like.
    fn states(&self, known: &mut Known) -> String {
        if !self.is_known || !self.analyses_others() {
            return String::new();
        }
        let (program, oracle, mode) = (&self.loaded.program, &self.loaded.oracle, self.options.mode);
        let place = |step| self.place_of(step);
        let mut out = String::new();
        let suggestions = Suggestions::new(program, mode);
        for why in Suggestion::ALL {
            let all = suggestions.missing(why, program, oracle, mode, &known.precision);
            let new = known.add_suggested(program, why.name(), all, &place);
            let head = match why {
                Suggestion::States => "values of state variables that are alike:",
                Suggestion::Callees => "the same in other callees:",
                Suggestion::Isomorphic => "the same in isomorphic procedures:",
            };
            if !new.is_empty() {
                out += &format!("\n{head}\n{}\n", new.join("\n"));
            }
        }
        out
    }

    fn analyses_others(&self) -> bool {
        matches!(self.refiners, Refiners::Auto | Refiners::One(Refiner::Wp))
    }

    fn other(
        &self,
        path: &Path,
        paths: &mut newton::Paths,
        known: &mut Known,
    ) -> Result<Vec<String>, Answer> {
        let Loaded { program, oracle, .. } = self.loaded;
        let short = newton::shorten(program, oracle, path);
        for path in short.iter().chain([path]) {
            match paths.decide(program, oracle, path, self.options) {
                Outcome::Refuted(refuted) => {
                    let found = refuted.refine(Refiner::Wp, &known.precision).predicates;
                    return Ok(known.add(program, found, &|step| self.place(path, step)));
                }
                // What is left out may matter: only the whole path counts.
                Outcome::Feasible { .. } | Outcome::GaveUp(_) if short.as_ref() == Some(path) => {}
                Outcome::Feasible { inputs, inexact } => {
                    if let (text, verdict @ Verdict::Reachable(_)) = self.feasible(path, &inputs, &inexact) {
                        let end = self.place(path, path.steps.len() - 1);
                        return Err((format!("\nanother path, to {end}: {text}"), verdict));
                    }
                }
                Outcome::GaveUp(_) => {}
            }
        }
        Ok(vec![])
    }

    /// The place of a step.
    fn place(&self, path: &Path, step: usize) -> String {
        path.steps.get(step).map_or(String::new(), |step| self.place_of(*step))
    }

    fn place_of(&self, step: PathStep) -> String {
        let (p, e) = step.edge();
        self.loaded.sources.short(self.loaded.program.procs[p].edges[e].span)
    }

    /// The answer about a path that can be executed, says the prover.
    fn feasible(&self, path: &Path, inputs: &Inputs, inexact: &[encoding::Inexact]) -> Answer {
        let Loaded { whole, program, sources, .. } = self.loaded;
        let mut out = String::from("the path can be executed, says the prover, with these inputs:\n");
        for input in &inputs.values {
            let span = whole.procs[input.proc].edges[input.edge].span;
            let _ = writeln!(out, "  {}: {:?}", sources.short(span), input.value);
        }
        for read in &inputs.memory {
            let place = self.place(path, read.step);
            let _ = writeln!(out, "  {place}: found in memory at offset {}: {:?}", read.offset, read.value);
        }
        if !inexact.is_empty() {
            let _ = writeln!(out, "over-approximated: {}", encoding::Inexact::listed(inexact));
        }
        let limits = interp::Limits::default();
        match executions::replay(whole, program, inputs, path, &limits, self.session.stop()) {
            Replay::Reached(check, _) => {
                let place = sources.short(whole.checks[check].span);
                let _ = writeln!(out, "replayed: the interpreter reaches {place} with them");
                (out, Verdict::Reachable(place))
            }
            Replay::Diverged { end, followed } => {
                let _ = writeln!(out, "but the interpreter does not get there: {end}");
                if followed < path.steps.len() {
                    let _ = writeln!(out, "it leaves the path at {}", self.place(path, followed));
                }
                (out, Verdict::Unknown("not replayed".into()))
            }
        }
    }
}

fn gave_up(why: &newton::GaveUp) -> Answer {
    (format!("not known: {why}\n"), Verdict::Unknown("gave up".into()))
}
