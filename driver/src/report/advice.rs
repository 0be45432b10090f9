//! What a user may try after an answer that is UNKNOWN.
//!
//! Advice names options that exist and places of the program; what cannot help in this run is not mentioned.

use super::explain::{Explained, listed};
use crate::options::Refiner;
use crate::report::listing::shortened;
use cegar::{Attempt, Cycle, Reason};
use cli::StopReason;
use cmm::{Base, BinOp, Expr, Op, Path, PathStep};
use newton::GaveUp;
use pred::{Inexact, IntMode};
use std::collections::BTreeSet;

impl Explained<'_> {
    /// What may help, the most likely first.
    pub(super) fn advice(&self) -> Vec<String> {
        let mut out = vec![];
        let refinement = &self.options.refinement;
        let reason = &self.failure.reason;
        let is_limit = matches!(reason, Reason::Stopped | Reason::Iterations);
        let no_progress = matches!(reason, Reason::NoProgress | Reason::StandsStill);
        let not_replayed = matches!(reason, Reason::NotReplayed { .. });
        let gave_up = matches!(reason, Reason::GaveUp(GaveUp::Prover(_)));
        let lacks_predicates = (is_limit && self.stuck.is_some()) || no_progress;
        if lacks_predicates {
            out.push(format!(
                "give a predicate{} (--predicates FILE; --dump-predicates FILE writes what was found)",
                self.wanted()
            ));
            if refinement.refiner != Refiner::Auto {
                out.push("let all refiners try: --refiner auto".to_owned());
            }
        }
        if no_progress {
            let cube = self.failure.max_cube;
            out.push(format!("longer conjunctions: --max-cube {} (now {cube})", cube + 4));
        }
        let product = self.product();
        if let Some(product) = product.as_ref().filter(|_| gave_up || lacks_predicates) {
            out.push(format!("{product} multiplies variables, which provers are weak at: bound one of them"));
        }
        let no_bits = self.task.mode == IntMode::Math;
        let bitwise =
            matches!(reason, Reason::NotReplayed { inexact, .. } if inexact.contains(&Inexact::Bitwise));
        if no_bits && (no_progress || bitwise || gave_up) {
            out.push("integers as bit-vectors: --integers bits".to_owned());
        }
        if not_replayed && self.asks_the_object() {
            out.push(
                "no option helps with this check: sizes, lives and contents of the memory behind this pointer are not known \
                 to the abstraction"
                    .to_owned(),
            );
        }
        if not_replayed && !self.task.externs.is_empty() {
            out.push(format!("say what {} do: --model FILE.c", listed(&self.task.externs)));
        }
        if matches!(reason, Reason::Callback(_) | Reason::NotModelled(_)) {
            out.push(
                "take the place of the function that is not modelled by one of your own: --model FILE.c"
                    .into(),
            );
        }
        self.more_of(reason, &mut out);
        let others = self.task.program.checks.len() > 1;
        if let Some(check) = self.failure.check.filter(|_| others && !self.options.selection.check_all) {
            let span = self.task.program.checks[check].span;
            let name = &self.task.sources.file(span.file).name;
            let alone = match name.starts_with(cfront::MODELS) || name == cfront::HARNESS {
                true => String::new(),
                false => format!("; this one alone: --only {}", span.start.line),
            };
            out.push(format!("the other checks: --check-all{alone}"));
        }
        if !self.options.explain_unknown && self.failure.history.path().is_some() {
            out.push("--explain-unknown shows the last path and what was learned from each".to_owned());
        }
        out
    }

    /// Whether the check asks the object that a pointer points into, which only the interpreter can answer.
    fn asks_the_object(&self) -> bool {
        let Some(check) = self.failure.check else { return false };
        let program = &self.task.program;
        let mut answers = BTreeSet::new();
        let mut conditions = vec![];
        for edge in program.procs.iter().flat_map(|p| p.edges.iter()) {
            match &edge.op {
                Op::Inspect { dest, .. } => answers.extend(dest.as_var()),
                Op::Check(id, condition) if *id == check => conditions.push(condition),
                _ => {}
            }
        }
        let mut asks = false;
        conditions
            .iter()
            .for_each(|c| c.loads(&mut |lv| asks |= lv.as_var().is_some_and(|v| answers.contains(&v))));
        asks
    }

    /// More of what has run out, and how to need less.
    fn more_of(&self, reason: &Reason, out: &mut Vec<String>) {
        let (limits, refinement) = (&self.options.limits, &self.options.refinement);
        match reason {
            Reason::Stopped if self.stop == Some(StopReason::Time) => {
                let now =
                    limits.time_limit.map_or(String::new(), |t| format!(" (now {} s)", t.as_secs_f64()));
                out.push(format!("more time: --time-limit TIME{now}"));
                let [(_, c2bp), (_, bebop), (_, newton)] = self.failure.times;
                if c2bp > 2 * (bebop + newton) {
                    if refinement.max_cube > 1 {
                        out.push(format!(
                            "most of it went to the abstraction: --max-cube {} is coarser and faster",
                            refinement.max_cube - 1
                        ));
                    }
                    if refinement.query_cache.is_none() {
                        out.push("keep what was worked out for the next run: --query-cache FILE".to_owned());
                    }
                }
            }
            Reason::Stopped if self.stop == Some(StopReason::Memory) => {
                out.push("more memory: --memory-limit SIZE".to_owned())
            }
            Reason::Iterations => {
                out.push(format!("more iterations: --max-iterations N (now {})", refinement.max_iterations));
            }
            Reason::PathLength(_) | Reason::GaveUp(GaveUp::PathLength { .. }) | Reason::Size(_) => {
                out.push("smaller bounds of loops and arrays, where the program allows them".to_owned());
            }
            _ => {}
        }
    }

    /// The variables that a predicate should relate: those of the predicates found last.
    fn wanted(&self) -> String {
        let attempts = self.failure.history.attempts().rev().take(3);
        let (program, mut names) = (&self.task.program, BTreeSet::new());
        for found in attempts.flat_map(Attempt::found) {
            pred::wp::walk_reads(&self.failure.precision.get(found.predicate).expr, &mut |lv| {
                if let Base::Var(v) = lv.base
                    && let Some(name) = self.task.words.names.get(&v)
                    && program.vars[v].proc().is_none_or(|p| !program.procs[p].is_model())
                {
                    names.insert(name.as_str());
                }
            });
        }
        let names: Vec<&str> = names.into_iter().take(4).collect();
        let at = match self.stuck.as_ref().and_then(|stuck| stuck.cycle) {
            Some(Cycle::Loop(p, l)) => format!(" that holds whenever control comes to {}", self.head(p, l)),
            _ => String::new(),
        };
        match names.as_slice() {
            [] => at,
            [one] => format!("{at}, about {one}"),
            [first @ .., last] => format!("{at}, about {} and {last}", first.join(", ")),
        }
    }

    /// A product of two variables on the last path, with its place.
    fn product(&self) -> Option<String> {
        let (path, _) = self.failure.history.path()?;
        let Path { steps } = path;
        for step in steps {
            let PathStep::Edge(p, e) = *step else { continue };
            let edge = &self.task.program.procs[p].edges[e];
            let (Op::Assign(_, value) | Op::Assume(value) | Op::Check(_, value)) = &edge.op else { continue };
            let mut product = false;
            value.walk(&mut |node| {
                if let Expr::Binary(BinOp::Mul, l, r, _) = node {
                    product |= reads(l) && reads(r);
                }
            });
            if product {
                let text = self.task.sources.snippet(edge.span).unwrap_or_default();
                let text = shortened(&text, 40);
                return Some(format!("`{text}` at {}", self.task.sources.short(edge.span)));
            }
        }
        None
    }
}

fn reads(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |node| found |= matches!(node, Expr::Load(_)));
    found
}
