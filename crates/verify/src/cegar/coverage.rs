//! Which checks no execution reaches: their places are not reached in an abstraction that no check fails in. Such a
//! check says nothing about the program, and is not counted as proved.
//!
//! An error call behind a condition is another matter: it is proved by never being reached, if the condition is ever
//! evaluated. Invariant: a check is called unreached only if the abstraction does not reach it.

use crate::cegar::Subject;
use base::{Id, IndexVec, Span};
use bebop::Reached;
use bmc::Covered;
use bp::{Cfg, VertexKind};
use c2bp::{Abstraction, Role};
use ir::{CheckId, CheckKind, EdgeId, EdgeKind, LocId, Op, ProcId, Program};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use zones::Facts;

/// What keeps executions from a check.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Unreached {
    /// No way leads there from the beginning of its procedure.
    NoWay,
    /// This procedure is never called.
    NeverCalled(ProcId),
    /// No execution gets past this assumption (or the end of the program).
    Assumption(ProcId, EdgeId),
    /// This call never comes back.
    Call(ProcId, EdgeId),
    /// This condition never has the outcome that leads there.
    Branch(ProcId, EdgeId),
    /// Executions end at this check, which fails there.
    Check(ProcId, EdgeId),
    /// Something else, before this edge.
    Other(ProcId, EdgeId),
}

impl Unreached {
    /// What stands nearest to the program's own code comes first where several things keep executions off.
    fn rank(self) -> u8 {
        match self {
            Unreached::Assumption(..) => 0,
            Unreached::Call(..) => 1,
            Unreached::Check(..) => 2,
            Unreached::Branch(..) => 3,
            Unreached::Other(..) => 4,
            Unreached::NeverCalled(_) => 5,
            Unreached::NoWay => 6,
        }
    }
}

/// A location of a procedure.
type Place = (ProcId, LocId);

/// The checks that are not reached, in their order.
pub(crate) fn unreached(
    task: &Subject<'_>,
    abstraction: &Abstraction,
    cfg: &Cfg,
    reached: &Reached<'_>,
) -> BTreeMap<CheckId, Unreached> {
    let program = task.program;
    among(task, &Map::new(program, task.conditions, executed(abstraction, cfg, reached)))
}

/// The locations reached in the abstraction at which an operation starts.
pub(crate) fn locations(
    program: &Program,
    abstraction: &Abstraction,
    cfg: &Cfg,
    reached: &Reached<'_>,
) -> BTreeSet<Place> {
    sources(program, executed(abstraction, cfg, reached).into_keys())
}

/// The locations at which an operation starts that executions reach, where all executions are covered.
pub(crate) fn covered(program: &Program, covered: &Covered) -> BTreeSet<Place> {
    sources(program, covered.executed.iter().copied())
}

/// Where edges begin.
fn sources(program: &Program, edges: impl Iterator<Item = (ProcId, EdgeId)>) -> BTreeSet<Place> {
    edges.map(|(p, e)| (p, program.procs[p].edges[e].src)).collect()
}

/// The checks that are not reached where all executions are followed, in their order.
pub(crate) fn not_executed(task: &Subject<'_>, covered: &Covered) -> BTreeMap<CheckId, Unreached> {
    let begun = covered.executed.iter().map(|edge| (*edge, true)).collect();
    among(task, &Map::new(task.program, task.conditions, begun))
}

/// The checks that are not reached.
fn among(task: &Subject<'_>, map: &Map<'_>) -> BTreeMap<CheckId, Unreached> {
    let program = task.program;
    if !program.turns.is_empty() {
        // Facts about threads decide branches when the product is built. Such branches are gone, so the places that
        // executions reach cannot be read off the places reached here.
        return BTreeMap::new();
    }
    // The checks that facts decide are assumptions of the program.
    let held = task.facts.into_iter().flat_map(Facts::held);
    let held: BTreeMap<_, _> =
        held.flat_map(|(check, edges)| edges.iter().map(move |e| (*e, check))).collect();
    let mut out = BTreeMap::new();
    let mut met = BTreeSet::new();
    for (p, e, edge) in program.edges() {
        let (check, condition) = match (&edge.op, held.get(&(p, e))) {
            (Op::Check(check, condition), _) => (*check, condition),
            (Op::Assume(condition), Some(check)) => (*check, condition),
            _ => continue,
        };
        let is_error = program.checks[check].kind == CheckKind::Reach && condition.is_zero();
        // A rule that is never broken is what is wanted, and a function that never returns.
        let is_wanted = matches!(program.checks[check].kind, CheckKind::Rule | CheckKind::Noreturn);
        if is_wanted || map.executed.contains(&(p, e)) || (is_error && map.is_guarded((p, edge.src))) {
            met.insert(check);
            continue;
        }
        let barrier = map.barrier((p, edge.src));
        // The front end leaves nothing of a condition that is constant.
        if is_error && barrier == Unreached::NoWay {
            met.insert(check);
        } else {
            out.entry(check).or_insert(barrier);
        }
    }
    out.retain(|check, _| !met.contains(check));
    out
}

/// The edges at which executions reach checks: an execution that takes none of them shows nothing about any check.
#[derive(Clone, Default, Debug)]
pub struct Meetings {
    /// The edges: those of checks, and of error calls those of the conditions before them.
    pub edges: BTreeSet<(ProcId, EdgeId)>,
    /// One edge for each place where they begin, with the check.
    first: BTreeMap<Place, (EdgeId, CheckId)>,
}

impl Meetings {
    /// Those of these checks.
    pub fn of(program: &Program, conditions: &[Span], checks: &BTreeSet<CheckId>) -> Meetings {
        let map = Map::new(program, conditions, BTreeMap::new());
        let successors: Vec<_> = program.procs.iter().map(|p| p.successors()).collect();
        let mut out = Meetings::default();
        for (p, e, edge) in program.edges() {
            let Op::Check(check, condition) = &edge.op else { continue };
            if !checks.contains(check) {
                continue;
            }
            out.edges.insert((p, e));
            out.first.insert((p, edge.src), (e, *check));
            if program.checks[*check].kind != CheckKind::Reach || !condition.is_zero() {
                continue;
            }
            map.guards((p, edge.src), &mut |(p, at)| {
                let leaving = &successors[p.index()][at];
                out.edges.extend(leaving.iter().map(|e| (p, *e)));
                out.first.extend(leaving.first().map(|e| ((p, at), (*e, *check))));
                false
            });
        }
        out
    }

    /// The program in which a check fails as soon as an execution reaches one of these places. Its checks have
    /// numbers of their own.
    #[must_use]
    pub fn fail(&self, program: &Program) -> Program {
        let mut out = program.clone();
        let failing: BTreeMap<(ProcId, EdgeId), CheckId> =
            self.first.iter().map(|((p, _), (e, check))| ((*p, *e), *check)).collect();
        out.checks = IndexVec::new();
        let mut numbers = BTreeMap::new();
        for (p, proc) in out.procs.iter_mut().enumerate() {
            let p = ProcId::from_index(p);
            for (e, edge) in proc.edges.iter_mut().enumerate() {
                if let Some(check) = failing.get(&(p, EdgeId::from_index(e))) {
                    let met = ir::Check { proc: p, ..program.checks[*check].clone() };
                    edge.op = Op::Check(out.checks.push(met), ir::Expr::int(0));
                } else if let Op::Check(check, _) = &mut edge.op {
                    let old = *check;
                    let new = || out.checks.push(program.checks[old].clone());
                    *check = *numbers.entry(old).or_insert_with(new);
                }
            }
        }
        out
    }
}

/// The control-flow graph backwards, and what of it is reached.
struct Map<'a> {
    program: &'a Program,
    conditions: &'a [Span],
    /// Edges whose operation is begun.
    executed: BTreeSet<(ProcId, EdgeId)>,
    locations: BTreeSet<Place>,
    into: BTreeMap<Place, Vec<EdgeId>>,
    calls: BTreeMap<ProcId, Vec<(ProcId, EdgeId)>>,
}

/// The edges reached in the abstraction, with whether their operation was started.
fn executed(abstraction: &Abstraction, cfg: &Cfg, reached: &Reached<'_>) -> BTreeMap<(ProcId, EdgeId), bool> {
    let mut out = BTreeMap::new();
    for (id, vertex) in cfg.vertices.iter_enumerated() {
        let VertexKind::Stmt(stmt) = vertex.kind else { continue };
        let Some(origin) = abstraction.origin.stmt(stmt).filter(|_| reached.is_reached(id)) else {
            continue;
        };
        let edges: &[EdgeId] = match &origin.role {
            Role::Branch(edges) => edges,
            Role::Edge | Role::Save | Role::Call { .. } => origin.edge.as_slice(),
            Role::AfterCall | Role::Track | Role::Jump | Role::Return | Role::Stop => &[],
        };
        for e in edges {
            let begun = origin.role == Role::Edge && origin.edge == Some(*e);
            *out.entry((origin.proc, *e)).or_default() |= begun;
        }
    }
    out
}

impl<'a> Map<'a> {
    /// Built from the reached edges, with whether each operation was started.
    fn new(program: &'a Program, conditions: &'a [Span], edges: BTreeMap<(ProcId, EdgeId), bool>) -> Map<'a> {
        let mut map = Map {
            program,
            conditions,
            locations: sources(program, edges.keys().copied()),
            executed: edges.into_iter().filter(|(_, begun)| *begun).map(|(edge, _)| edge).collect(),
            into: BTreeMap::new(),
            calls: program.callers(),
        };
        for (p, e, edge) in program.edges() {
            map.into.entry((p, edge.dst)).or_default().push(e);
        }
        map
    }

    fn is_reached(&self, place: Place) -> bool {
        self.locations.contains(&place)
    }

    /// Whether the condition is evaluated that decides, by itself or with others in one expression, whether control
    /// reaches the place.
    fn is_guarded(&self, place: Place) -> bool {
        self.guards(place, &mut |from| self.is_reached(from))
    }

    /// The places at which conditions are evaluated that decide it, the nearest first, up to one that is `enough`; whether
    /// there is one.
    fn guards(&self, place: Place, enough: &mut dyn FnMut(Place) -> bool) -> bool {
        let mut seen: BTreeSet<(Place, Option<Span>)> = BTreeSet::from([(place, None)]);
        let mut pending = vec![(place, None)];
        while let Some((at, behind)) = pending.pop() {
            let mut go = |next: Place, behind: Option<Span>| {
                if seen.insert((next, behind)) {
                    pending.push((next, behind));
                }
            };
            for e in self.into.get(&at).into_iter().flatten() {
                let edge = &self.program.procs[at.0].edges[*e];
                let from = (at.0, edge.src);
                match (edge.kind, behind) {
                    (EdgeKind::Branch { .. }, Some(later)) if !self.are_one(edge.span, later) => {}
                    (EdgeKind::Branch { .. }, _) if enough(from) => return true,
                    (EdgeKind::Branch { .. }, _) => go(from, Some(edge.span)),
                    (EdgeKind::Internal | EdgeKind::Implied, _) | (EdgeKind::Statement, None) => {
                        go(from, behind)
                    }
                    // Before a statement stands another condition.
                    (EdgeKind::Statement, Some(_)) => {}
                }
            }
            if at.1 == self.program.procs[at.0].entry && behind.is_none() {
                for (p, e) in self.calls.get(&at.0).into_iter().flatten() {
                    go((*p, self.program.procs[*p].edges[*e].src), None);
                }
            }
        }
        false
    }

    /// Whether two conditions are parts of one expression, joined by `&&`, `||` or `?:`.
    fn are_one(&self, first: Span, second: Span) -> bool {
        let contains = |a: Span, b: Span| a.file == b.file && a.start <= b.start && b.end <= a.end;
        let whole = |c: &Span| contains(*c, first) && contains(*c, second);
        contains(first, second) || contains(second, first) || self.conditions.iter().any(whole)
    }

    /// What stands between what is reached and the place, the nearest first.
    fn barrier(&self, place: Place) -> Unreached {
        let mut seen = BTreeSet::from([place]);
        let mut pending = VecDeque::from([place]);
        let mut found: Vec<Unreached> = vec![];
        while let Some(at) = pending.pop_front() {
            let mut go = |next: Place| {
                if seen.insert(next) {
                    pending.push_back(next);
                }
            };
            for e in self.into.get(&at).into_iter().flatten() {
                let edge = &self.program.procs[at.0].edges[*e];
                let from = (at.0, edge.src);
                if self.is_reached(from) {
                    found.push(self.at_edge(at.0, *e));
                } else {
                    go(from);
                }
            }
            let proc = &self.program.procs[at.0];
            if at.1 == proc.entry {
                let callers = self.calls.get(&at.0).map_or(&[][..], Vec::as_slice);
                if callers.is_empty() && at.0 != self.program.entry {
                    found.push(Unreached::NeverCalled(at.0));
                }
                for (p, e) in callers {
                    go((*p, self.program.procs[*p].edges[*e].src));
                }
            }
        }
        found.into_iter().min_by_key(|b| b.rank()).unwrap_or(Unreached::NoWay)
    }

    fn at_edge(&self, p: ProcId, e: EdgeId) -> Unreached {
        let edge = &self.program.procs[p].edges[e];
        match (&edge.op, edge.kind) {
            (_, EdgeKind::Branch { .. }) => Unreached::Branch(p, e),
            (Op::Assume(_), _) => Unreached::Assumption(p, e),
            (Op::Call { .. }, _) => Unreached::Call(p, e),
            (Op::Check(..), _) => Unreached::Check(p, e),
            _ => Unreached::Other(p, e),
        }
    }
}
