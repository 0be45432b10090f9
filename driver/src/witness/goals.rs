//! The meaning of waypoints in the program.

use super::branches::{Branches, branches};
use super::candidates::condition;
use super::places::{At, Finder, Texts};
use super::scope::Scope;
use super::starts::Starts;
use super::{Place, Relation, Segment, Waypoint};
use crate::report::listing::Source;
use base::Span;
use ir::{CheckId, EdgeId, Expr, LocId, Op, ProcId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Edges of procedures.
pub(super) type Edges = BTreeSet<(ProcId, EdgeId)>;

/// A waypoint as the program has it. It is passed when it is next met: an execution that meets it otherwise is none that is
/// meant.
pub(super) enum Goal {
    /// One of the first edges is taken; an execution that takes one of the others has met it otherwise.
    Edges(Edges, Edges),
    /// One of these calls begins.
    Enters(Edges),
    /// One of these edges gets such a result.
    Result(Edges, Relation, i128),
    /// The condition holds at one of these locations.
    Holds(Vec<(ProcId, LocId, Expr)>),
    /// One of these checks fails.
    Fails(BTreeSet<CheckId>),
}

/// A segment as the program has it.
pub(super) struct Leg {
    pub(super) avoided: Vec<Rc<Goal>>,
    pub(super) followed: Rc<Goal>,
}

/// What the segments mean in the program.
///
/// # Errors
/// Which waypoint is not there, or is not supported.
pub(super) fn legs<'s>(
    source: Source<'_>,
    texts: &Texts,
    segments: &'s [Segment],
) -> Result<Vec<Leg>, String> {
    let finder = Finder { source, texts };
    let index = Index::of(finder);
    // Executions pass the same places again and again.
    let mut known: BTreeMap<&(Place, Waypoint), Rc<Goal>> = BTreeMap::new();
    let mut named = |(n, Segment { avoided, followed }): (usize, &'s Segment)| {
        let mut goal = |told: &'s (Place, Waypoint)| {
            if let Some(goal) = known.get(told) {
                return Ok(goal.clone());
            }
            let (place, waypoint) = told;
            let goal = goal((finder, &index), place, waypoint)
                .map_err(|why| format!("waypoint {} ({}:{}): {why}", n + 1, place.file, place.line))?;
            Ok(known.entry(told).or_insert(Rc::new(goal)).clone())
        };
        Ok(Leg {
            avoided: avoided.iter().map(&mut goal).collect::<Result<_, String>>()?,
            followed: goal(followed)?,
        })
    };
    segments.iter().enumerate().map(&mut named).collect()
}

/// Where statements and calls are, and where executions branch.
struct Index {
    branches: Branches,
    calls: Vec<((ProcId, EdgeId), At)>,
    beginnings: Vec<(At, (ProcId, LocId))>,
}

impl Index {
    fn of(finder: Finder<'_>) -> Index {
        let edges = || finder.source.program.edges().map(|(p, e, _)| (p, e));
        let branches = branches(finder);
        let starts = finder.source.program.procs.ids().flat_map(|p| {
            let starts: Vec<_> = Starts::of(finder, p).statements().collect();
            starts.into_iter().map(move |(at, l)| (at, (p, l)))
        });
        Index {
            calls: edges().filter_map(|(p, e)| Some(((p, e), finder.call_end(p, e)?))).collect(),
            beginnings: starts.chain(branches.starts.iter().copied()).collect(),
            branches,
        }
    }

    /// The first place of these that is meant: a line without a column means the first in it.
    fn meant(finder: Finder<'_>, place: &Place, all: impl Iterator<Item = At>) -> Option<At> {
        all.filter(|at| place.is(&finder.texts.place(*at, ""))).min()
    }

    fn at(finder: Finder<'_>, place: &Place, all: &[((ProcId, EdgeId), At)]) -> Edges {
        let meant = Index::meant(finder, place, all.iter().map(|(_, at)| *at));
        all.iter().filter(|(_, at)| Some(*at) == meant).map(|(edge, _)| *edge).collect()
    }
}

/// What a waypoint means in the program.
fn goal((finder, index): (Finder<'_>, &Index), place: &Place, waypoint: &Waypoint) -> Result<Goal, String> {
    let op = |p: ProcId, e: EdgeId| &finder.source.program.procs[p].edges[e];
    let some = |set: Edges, what: &str| match set.is_empty() {
        true => Err(format!("no {what} is there")),
        false => Ok(set),
    };
    match waypoint {
        Waypoint::Branching(branch) => {
            let ways = &index.branches.ways;
            let meant = Index::meant(finder, place, ways.iter().map(|way| way.at));
            let (right, wrong): (Vec<_>, Vec<_>) =
                ways.iter().filter(|way| Some(way.at) == meant).partition(|way| way.way == *branch);
            let edges = |ways: Vec<&super::branches::Way>| ways.into_iter().map(|way| way.edge).collect();
            Ok(Goal::Edges(some(edges(right), "such branch")?, edges(wrong)))
        }
        Waypoint::Enter => {
            let mut set = Index::at(finder, place, &index.calls);
            set.retain(|(p, e)| matches!(op(*p, *e).op, Op::Call { .. } | Op::Havoc(..)));
            Ok(Goal::Enters(some(set, "call")?))
        }
        Waypoint::Return(relation, n) => {
            let mut set = Index::at(finder, place, &index.calls);
            set.retain(|(p, e)| is_result(finder.source.program, &op(*p, *e).op));
            let set = some(set, "call of a function whose result is an integer that is used")?;
            Ok(Goal::Result(set, *relation, *n))
        }
        Waypoint::Assumption(text) => {
            let all = &index.beginnings;
            let meant = Index::meant(finder, place, all.iter().map(|(at, _)| *at));
            let at = meant.ok_or("no statement is there")?;
            let locations: BTreeSet<_> = all.iter().filter(|(a, _)| *a == at).map(|(_, l)| *l).collect();
            let one = |(p, l): (ProcId, LocId)| {
                let scope = Scope { source: finder.source, texts: finder.texts, proc: p, at };
                Ok((p, l, condition(&scope, text)?.both()))
            };
            Ok(Goal::Holds(locations.into_iter().map(one).collect::<Result<_, String>>()?))
        }
        Waypoint::Target => target(finder, place),
    }
}

/// Whether the operation takes the result of a function as it is, a number.
fn is_result(program: &ir::Program, op: &Op) -> bool {
    let Some(written) = op.destination().filter(|lv| lv.ty.as_int().is_some()) else { return false };
    match op {
        Op::Call { callee: ir::Callee::Direct(q), .. } => program.procs[*q].ty.ret == written.ty,
        Op::Call { .. } => false,
        _ => true,
    }
}

/// The checks at the place of a target.
fn target(finder: Finder<'_>, place: &Place) -> Result<Goal, String> {
    let program = finder.source.program;
    let is = |at: At| place.is(&finder.texts.place(at, ""));
    let starts = |span: Span| finder.texts.start(finder.source.sources, span).is_some_and(is);
    let own = program.checks.iter_enumerated().filter(|(_, c)| starts(c.span));
    let mut checks: BTreeSet<CheckId> = own.map(|(c, _)| c).collect();
    // A check in the model of a function stands where that is called.
    let calls = |(_, _, edge): &(ProcId, EdgeId, &ir::Edge)| match &edge.op {
        Op::Call { callee: ir::Callee::Direct(q), .. } => program.procs[*q].is_model() && starts(edge.span),
        _ => false,
    };
    if program.edges().any(|e| calls(&e)) {
        let of_models = program.checks.iter_enumerated().filter(|(_, c)| program.procs[c.proc].is_model());
        checks.extend(of_models.map(|(c, _)| c));
    }
    match checks.is_empty() {
        true => Err("nothing that is checked is there".into()),
        false => Ok(Goal::Fails(checks)),
    }
}
