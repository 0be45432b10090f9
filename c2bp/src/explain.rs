//! Why a statement's abstraction is what it is: for each predicate that it may change the weakest precondition, the
//! cubes that the search found for either side, and what they took.
//!
//! The explanation comes from the abstraction itself, run on these statements alone, so it shows what is really done.

use crate::cartesian::{self, Draft};
use crate::context::World;
use crate::cube_search::cache::{Asked, Cache};
use crate::cube_search::decide::Effort;
use crate::cube_search::problem::Answers;
use crate::emit::{self, Known};
use crate::enforce::Combinations;
use crate::formula;
use crate::question::{self, About, Inquiry, Remark, Value};
use crate::{Interrupted, Options, Stats, borrowed, cut_states, problems_of, written_edges};
use alias::AliasOracle;
use ir::{EdgeId, Op, ProcId, Program};
use predicates::Precision;
use std::fmt;

/// A statement with what it became, and why.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The procedure.
    pub proc: ProcId,
    /// The edge.
    pub edge: EdgeId,
    /// The statement in C--.
    pub statement: String,
    /// The statements of the boolean program.
    pub written: Vec<String>,
    /// The values in them; those of predicates that keep theirs included.
    pub values: Vec<Explained>,
}

/// A value and where it comes from.
#[derive(Clone, Debug)]
pub struct Explained {
    /// What gets the value.
    pub about: String,
    /// What `before` is.
    pub label: &'static str,
    /// The weakest precondition, or the condition: a C expression. `None` where it is none, after calls and
    /// assignments of arbitrary values.
    pub before: Option<String>,
    /// How the value was found.
    pub how: How,
}

/// How a value was found.
#[derive(Clone, Debug)]
pub enum How {
    /// The precondition is the predicate itself.
    Kept,
    /// Without a search: a constant, or another predicate.
    Folded(String),
    /// By a search for cubes.
    Searched(Box<Searched>),
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Searched {
    /// The value.
    pub value: String,
    /// The cubes that imply the condition.
    pub positive: Cubes,
    /// The cubes that imply its negation; `None` when they were not looked for.
    pub negative: Option<Cubes>,
    /// What it took; nothing when it was known before.
    pub effort: Effort,
}

/// Cubes that imply a condition.
#[derive(Clone, Debug)]
pub struct Cubes {
    /// Each as a conjunction of predicates.
    pub cubes: Vec<String>,
    /// The condition implies one of them.
    pub complete: bool,
}

/// Explains the statements that are `wanted`, in the order of the program.
///
/// # Errors
/// When the stop flag was set.
pub fn explain(
    program: &Program,
    oracle: &AliasOracle,
    precision: &Precision,
    options: &Options<'_>,
    cache: &mut Cache,
    wanted: &dyn Fn(ProcId, EdgeId) -> bool,
) -> Result<Vec<Explanation>, Interrupted> {
    let world = World::new(program, oracle, precision, options.mode, options.blocks);
    let all = world.procs.iter().flat_map(|p| written_edges(&world.base.program, *p));
    let edges: Vec<(ProcId, EdgeId)> =
        all.filter(|(p, e)| wanted(*p, world.blocks.original(*p, *e))).collect();
    let combinations: Vec<Combinations> = world
        .procs
        .iter()
        .map(|p| Combinations::new(&world, *p, options.enforce && edges.iter().any(|(q, _)| p == q)))
        .collect();
    let mut stats = Stats::default();
    let (cut, hints) = cut_states(&combinations, cache, options, &mut stats)?;
    let mut out = vec![];
    for (p, e) in edges {
        let edge = world.blocks.original(p, e);
        let draft = cartesian::abstract_edge(&world, p, e, options.image(p, edge));
        let here =
            world.procs.iter().position(|q| *q == p).expect("only procedures that are abstracted have edges");
        let asked = [Asked { problems: problems_of(&draft), about: here }];
        let solved = cache.answer(&asked, &hints, options, &mut stats)?;
        let answers = borrowed(&solved[0].answers);
        let statement = match program.procs[p].edges[edge].op {
            Op::Skip => "skip;".to_owned(),
            _ => ir::print::edge(program, p, edge),
        };
        let known = Known {
            impossible: combinations[here].cut(&borrowed(&cut[here].answers)),
            clauses: options.clauses,
        };
        let written = emit::edge_text(&world, (p, e), &draft, &answers, &known);
        out.push(Explanation {
            proc: p,
            edge,
            statement,
            written: written.into_iter().map(|(_, kind)| head(kind)).collect(),
            values: values(&world, &draft, &answers),
        });
    }
    Ok(out)
}

fn head(kind: bp::StmtKind) -> String {
    bp::head(&bp::Stmt::new(bp::StmtIds::new().fresh(), kind))
}

fn values(world: &World<'_>, draft: &Draft, answers: &[&Answers]) -> Vec<Explained> {
    let inquiries = draft.inquiries();
    let answers = question::split(inquiries, answers);
    let order = match draft {
        Draft::Simple(_) => [2, 0, 1],
        Draft::Call(_) => [0, 1, 2],
    };
    order.into_iter().flat_map(|n| of_inquiry(world, inquiries[n], answers[n])).collect()
}

fn of_inquiry(world: &World<'_>, inquiry: &Inquiry, answers: &[&Answers]) -> Vec<Explained> {
    let name = |id: &predicates::PredId| world.preds[*id].now.var.to_string();
    let explained = |r: &Remark| {
        let (about, label) = match &r.about {
            About::Predicate(id) => (name(id), "before"),
            About::Branch => ("the branch is taken".to_owned(), "condition"),
            About::Followed => ("not executed".to_owned(), "where"),
            About::Check => ("the check holds".to_owned(), "condition"),
            About::Argument(id) => (format!("{} of the procedure called", name(id)), "actual"),
            About::AtExit(id) => (format!("{} at the exit of the procedure called", name(id)), "before"),
        };
        let before = r.before.as_ref().map(|e| ir::print::expr(&world.base.program, e));
        Explained { about, label, before, how: how(r, inquiry, answers) }
    };
    inquiry.remarks.iter().map(explained).collect()
}

fn how(remark: &Remark, inquiry: &Inquiry, answers: &[&Answers]) -> How {
    let Some(value) = &remark.value else { return How::Kept };
    let is_branch = remark.about == About::Branch;
    let negated = |e: bp::Expr| if is_branch { bp::Expr::not(e) } else { e };
    let number = match value {
        Value::Known(e) => return How::Folded(negated(e.clone()).to_string()),
        Value::Asked(number) => *number,
    };
    let (problem, position) = inquiry.place(number);
    let (sides, vars) = (&answers[problem].sides[position], &inquiry.variables()[problem]);
    let cubes = |cover: &formula::Cover| Cubes {
        cubes: cover
            .cubes
            .iter()
            .map(|c| formula::disjunction(std::slice::from_ref(c), vars).to_string())
            .collect(),
        complete: cover.complete,
    };
    let (found, other) = (cubes(&sides.positive), cubes(&sides.negative));
    let both = inquiry.problems[problem].goals[position].negative;
    let nothing = || Cubes { cubes: vec![], complete: false };
    let (positive, negative) = match (is_branch, both) {
        // It is asked where the branch cannot be taken.
        (true, _) => (nothing(), Some(found)),
        (false, true) => (found, Some(other)),
        (false, false) => (found, None),
    };
    let value = match is_branch {
        true => inquiry.resolve_negated(value, answers),
        false => inquiry.resolve(value, answers),
    };
    let effort = answers[problem].effort[position];
    How::Searched(Box::new(Searched { value: value.to_string(), positive, negative, effort }))
}

impl fmt::Display for Explanation {
    /// Lines that are indented, for below a line with the statement's place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for statement in &self.written {
            writeln!(f, "  {statement}")?;
        }
        if self.values.is_empty() {
            return writeln!(f, "    no predicate is concerned");
        }
        for value in &self.values {
            write!(f, "{value}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "    {}", self.about)?;
        let mut line = |what: &str, text: &str| writeln!(f, "      {what:<10} {text}");
        if let Some(before) = &self.before {
            line(self.label, before)?;
        }
        let found = match &self.how {
            How::Kept => return line("value", "as before: nothing to do"),
            How::Folded(value) => return line("value", &format!("{value} (no search)")),
            How::Searched(found) => found,
        };
        let sides = [("true if", Some(&found.positive)), ("false if", found.negative.as_ref())];
        for (what, side) in sides {
            let Some(side) = side.filter(|s| s.complete || !s.cubes.is_empty()) else { continue };
            let text = match side.cubes.as_slice() {
                [] => "never".to_owned(),
                cubes => cubes.join("  or  "),
            };
            let exact = if side.complete && !side.cubes.is_empty() { ", and only then" } else { "" };
            line(what, &format!("{text}{exact}"))?;
        }
        line("value", &found.value)?;
        line("cost", &cost(&found.effort))
    }
}

fn cost(effort: &Effort) -> String {
    if *effort == Effort::default() {
        return "none: answered before".to_owned();
    }
    let count = |n: u64, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
    let parts = [
        (effort.by_syntax, "answer by syntax", "answers by syntax"),
        (effort.by_models, "answer by models", "answers by models"),
        (effort.prover_calls, "prover call", "prover calls"),
    ];
    let parts = parts.iter().filter(|(n, ..)| *n > 0);
    let parts: Vec<String> =
        parts.map(|(n, one, many)| format!("{n} {}", if *n == 1 { one } else { many })).collect();
    let mut out = format!("{}: {}", count(effort.cubes, "cube"), parts.join(", "));
    if effort.gave_up > 0 {
        out.push_str(&format!(" (it gave up {})", count(effort.gave_up, "time")));
    }
    out
}
