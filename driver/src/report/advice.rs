//! Advice on what to try after an UNKNOWN answer.
//!
//! Advice names options that exist and places of the program; what cannot help in this run is not mentioned.

use super::explain::{Explained, listed};
use crate::options::{Bytes, Refiner};
use crate::report::listing::shortened;
use crate::report::speech::{Foreign, Foreigner};
use cli::StopReason;
use encoding::{Inexact, IntMode};
use ir::{Access, Base, BinOp, Expr, Lvalue, Op, Path, PathStep, RecordId, VarId};
use newton::GaveUp;
use results::unknown::{Advice, Topic};
use std::collections::BTreeSet;
use verify::cegar::{Attempt, Cycle, Reason};

fn advice(kind: Topic, text: impl Into<String>) -> Advice {
    Advice { kind, options: vec![], text: text.into() }
}

/// What is gained, and the options that do it.
fn with(kind: Topic, gain: &str, options: &[&str], remark: &str) -> Advice {
    let text = format!("{gain}: {}{remark}", options.join(" "));
    Advice { kind, options: options.iter().map(|&o| o.to_owned()).collect(), text }
}

impl Explained<'_> {
    /// What may help, the most likely first.
    pub(super) fn advice(&self) -> Vec<Advice> {
        let mut out = vec![];
        let refinement = &self.options.refinement;
        let reason = &self.failure.reason;
        let is_limit = matches!(reason, Reason::Stopped | Reason::Iterations);
        let no_progress = matches!(reason, Reason::NoProgress | Reason::StandsStill);
        let gave_up = matches!(reason, Reason::GaveUp(GaveUp::Prover(_)));
        let lacks_predicates = (is_limit && self.stuck.is_some()) || no_progress;
        if lacks_predicates {
            out.push(self.wanted());
            if refinement.refiner != Refiner::Auto {
                out.push(with(Topic::Refiner, "let all refiners try", &["--tune", "refiner=auto"], ""));
            }
        }
        let product = self.product().filter(|_| gave_up || is_limit || no_progress);
        let multiplies = product.is_some();
        if let Some(product) = product {
            let text =
                format!("{product} multiplies variables, which provers are weak at: bound one of them");
            out.push(advice(Topic::Bound, text));
        }
        let no_bits = self.task.mode == IntMode::Math;
        let bitwise =
            matches!(reason, Reason::NotReplayed { inexact, .. } if inexact.contains(&Inexact::Bitwise));
        if no_bits && (no_progress || bitwise || gave_up) {
            out.push(with(Topic::Bits, "integers as bit-vectors", &["--tune", "integers=bits"], ""));
        }
        match reason {
            Reason::NotReplayed { inexact, .. } if !bitwise => out.extend(self.not_replayed(inexact)),
            Reason::NoModel(name) => out.push(self.in_place_of(name)),
            Reason::NotModelled(_) if !self.task.program.turns.is_empty() => out.push(advice(
                Topic::Bound,
                "start fewer threads, raise --max-threads, or let their loops have fewer turns; a function that is not modelled can be replaced by one of \
                 your own: --model FILE.c",
            )),
            Reason::Callback(_) | Reason::NotModelled(_) => out.push(advice(
                Topic::Model,
                "take the place of the function that is not modelled by one of your own: --model FILE.c",
            )),
            _ if multiplies => {}
            _ => out.extend(self.more_of(reason)),
        }
        let others = self.task.program.checks.len() > 1;
        if let Some(check) = self.failure.check.filter(|_| others && !self.options.selection.check_all) {
            let span = self.task.program.checks[check].span;
            let name = &self.task.sources.file(span.file).name;
            let alone = match name.starts_with(cfront::MODELS) || name == cfront::HARNESS {
                true => String::new(),
                false => format!("; this one alone: --only {}", span.start.line),
            };
            out.push(with(Topic::Checks, "the other checks", &["--keep-going"], &alone));
        }
        if !self.options.explain_unknown && self.failure.history.path().is_some() {
            let text = "--explain-unknown shows the last path and what was learned from each";
            out.push(advice(Topic::Explanation, text));
        }
        out
    }

    /// What is to be said of a path that is none of the program's.
    fn not_replayed(&self, inexact: &[Inexact]) -> Option<Advice> {
        if self.asks_the_object() {
            let text = "no option helps with this check: sizes, lives and contents of the memory behind this pointer are not \
                        known to the abstraction";
            return Some(advice(Topic::Nothing, text));
        }
        if inexact.contains(&Inexact::SeveralTypes) && self.options.preparation.bytes == Bytes::Off {
            let text = "objects that are accessed at several types as their bytes";
            return Some(with(Topic::Bytes, text, &["--tune", "bytes=on"], ""));
        }
        if !inexact.is_empty() {
            let text =
                format!("no option helps with this check: what is not exact is {}", Inexact::listed(inexact));
            return Some(advice(Topic::Nothing, text));
        }
        let externs = &self.task.externs;
        let verb = if externs.len() == 1 { "does" } else { "do" };
        let text = || format!("say what {} {verb}: --model FILE.c", listed(externs));
        (!externs.is_empty()).then(|| advice(Topic::Model, text()))
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

    /// More of what has run out, or how to need less. A loop that asks for one more iteration each time needs something else.
    fn more_of(&self, reason: &Reason) -> Option<Advice> {
        let limits = &self.options.limits;
        match reason {
            Reason::Stopped if self.stop == Some(StopReason::Time) && self.stuck.is_none() => {
                let now =
                    limits.time_limit.map_or(String::new(), |t| format!(" (now {} s)", t.as_secs_f64()));
                Some(advice(Topic::Time, format!("more time: --time-limit TIME{now}")))
            }
            Reason::Stopped if self.stop == Some(StopReason::Memory) => {
                Some(advice(Topic::Memory, "more memory: --memory-limit SIZE"))
            }
            Reason::Iterations if self.stuck.is_none() => {
                let now = self.options.refinement.max_iterations;
                Some(advice(
                    Topic::Iterations,
                    format!("more iterations: --tune max-iterations=N (now {now})"),
                ))
            }
            Reason::PathLength(_) | Reason::GaveUp(GaveUp::PathLength { .. }) | Reason::Size(_) => {
                let text = "smaller bounds of loops and arrays, where the program allows them";
                Some(advice(Topic::Bound, text))
            }
            _ => None,
        }
    }

    /// The predicate that is missing, or why there is none.
    fn wanted(&self) -> Advice {
        let program = &self.task.program;
        let cycle = self.stuck.as_ref().and_then(|stuck| stuck.cycle);
        let at = match cycle {
            Some(Cycle::Loop(p, l)) => match Foreigner::new(self.task).of(p) {
                None => format!(" that holds whenever control reaches {}", self.head(p, l)),
                Some(Foreign::Models { functions, .. }) => {
                    return self.in_place_of(functions.first().expect("a call calls a function"));
                }
                Some(Foreign::Arguments { .. }) => {
                    let text = "no option helps here: no predicate can mention all arguments of main";
                    return advice(Topic::Nothing, text);
                }
            },
            _ => String::new(),
        };
        let attempts = self.failure.history.attempts().rev().take(3);
        let mut found = About::default();
        attempts
            .flat_map(Attempt::found)
            .for_each(|f| found.add(&self.failure.precision.get(f.predicate).expr));
        let named = |v: &VarId| {
            let own = program.vars[*v].proc().is_none_or(|p| !program.procs[p].is_model());
            self.task.words.names.get(v).map(String::as_str).filter(|_| own)
        };
        let names: BTreeSet<&str> = found.variables.iter().filter_map(named).collect();
        if found.nodes {
            let text = "the loop goes along nodes that are linked by pointers, and no predicate speaks of all of them: bound \
                        their number in the program";
            return advice(Topic::Bound, text);
        }
        if found.elements || names.is_empty() {
            let text = "no predicate is seen that would end this: fewer turns or elements in the program, if it allows them";
            return advice(Topic::Bound, text);
        }
        let names: Vec<&str> = names.into_iter().take(4).collect();
        let about = match names.as_slice() {
            [one] => format!(", about {one}"),
            [first @ .., last] => format!(", about {} and {last}", first.join(", ")),
            [] => String::new(),
        };
        let how = "(--predicates FILE; --dump-predicates FILE writes what was found)";
        advice(Topic::Predicate, format!("give a predicate{at}{about} {how}"))
    }

    /// What to do about something that has no model, or none that is good enough here.
    fn in_place_of(&self, name: &str) -> Advice {
        let is_function = self.task.whole.procs.iter().any(|p| p.name == name);
        match is_function || cfront::is_library_function(name) {
            true => {
                let text = format!("take the place of {name} by a function of your own: --model FILE.c");
                advice(Topic::Model, text)
            }
            false => advice(Topic::Nothing, format!("no option helps here: {name} is not modelled")),
        }
    }

    /// A product of two variables of the program's own functions on the last path, with its place.
    fn product(&self) -> Option<String> {
        let (path, _) = self.failure.history.path()?;
        let Path { steps } = path;
        for step in steps {
            let PathStep::Edge(p, e) = *step else { continue };
            if self.task.program.procs[p].is_model() {
                continue;
            }
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

/// Kinds of data that predicates mention.
#[derive(Default)]
struct About {
    variables: BTreeSet<VarId>,
    /// One of them reads an element of an array.
    elements: bool,
    /// One of them reads a node that is linked to a node that is linked to another.
    nodes: bool,
}

impl About {
    fn add(&mut self, predicate: &Expr) {
        ir::visit::walk_reads(predicate, &mut |lv| {
            self.nodes |= links(lv).1 >= 2;
            self.elements |= lv.path.iter().any(|access| matches!(access, Access::Index(_)));
            if let Base::Var(v) = lv.base {
                self.variables.insert(v);
            }
        });
    }
}

/// The member through which a location is reached last, and how many pointers in that member are followed in a row.
fn links(lv: &Lvalue) -> (Option<(RecordId, u32)>, usize) {
    let member = match lv.path.last() {
        Some(Access::Field(record, number)) => Some((*record, *number)),
        _ => None,
    };
    let Base::Deref(pointer) = &lv.base else { return (member, 0) };
    let Expr::Load(before) = &**pointer else { return (member, 0) };
    match links(before) {
        (through, n) if through.is_some() && through == member => (member, n + 1),
        _ => (member, usize::from(member.is_some())),
    }
}

fn reads(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |node| found |= matches!(node, Expr::Load(_)));
    found
}
