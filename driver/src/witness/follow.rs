//! Executions along a witness of an error.
//!
//! A witness is a guide, nothing more: the interpreter executes the program with the results that it gives, and whatever it
//! leaves open drawn from fixed seeds. It is confirmed by an execution that passes all waypoints in order and fails the check at
//! the last one.

use super::candidates::condition;
use super::places::{At, Finder, Texts};
use super::scope::Scope;
use super::{Branch, Place, Relation, Segment, Waypoint};
use crate::harness::again;
use crate::prepare::Task;
use base::Span;
use cegar::{Draw, Witness, confirmed};
use cmm::interp::{Inputs, Limits, Outcome, Run, State, UninitRead, Value};
use cmm::{BinOp, CheckId, EdgeId, EdgeKind, Expr, HavocKind, LocId, Op, PathStep, ProcId, Type, VarId};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

/// Executions that are tried, and steps of all together.
const RUNS: u64 = 60;
const STEPS: u64 = 5_000_000;

/// Steps that are kept for the trace of one.
const TRACE: usize = 1_000_000;

/// How often a result is drawn anew that is avoided.
const DRAWS: usize = 50;

/// A waypoint as the program has it.
enum Goal {
    /// One of the first edges is taken; an execution that takes one of the others before has strayed.
    Edges(BTreeSet<(ProcId, EdgeId)>, BTreeSet<(ProcId, EdgeId)>),
    /// One of these edges gets such a result.
    Result(BTreeSet<(ProcId, EdgeId)>, Relation, i128),
    /// The condition holds at one of these locations.
    Holds(Vec<(ProcId, LocId, Expr)>),
    /// One of these checks fails.
    Fails(BTreeSet<CheckId>),
}

/// A segment as the program has it.
struct Leg {
    avoided: Vec<Goal>,
    followed: Goal,
}

/// The execution that the waypoints lead to, if one of those that are tried passes them.
///
/// # Errors
/// Which waypoint cannot be passed by any execution, or is not supported.
pub(crate) fn follow(
    task: &Task,
    texts: &Texts,
    segments: &[Segment],
    stop: &AtomicBool,
) -> Result<Option<Witness>, String> {
    let legs = legs(task, texts, segments)?;
    let mut left = STEPS;
    for seed in 0..RUNS {
        let run = |limits: &Limits| {
            let mut guide = Guide { task, passed: Passed::new(&legs), draw: Draw::new(seed) };
            let run = cmm::interp::run(&task.whole, &mut guide, limits, stop);
            (guide.passed.is_end(&run), run)
        };
        let (is_end, first) = run(&Limits { steps: left, ..Limits::default() });
        left = left.saturating_sub(first.steps);
        // A trace costs much, and only the execution that is reported needs one.
        if is_end && let Ok(witness) = confirmed(run(&Limits { trace: TRACE, ..Limits::default() }).1) {
            return Ok(Some(witness));
        }
        if left == 0 || stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(None)
}

/// Whether an execution that fails a check passes the waypoints.
pub(crate) fn passes(
    task: &Task,
    texts: &Texts,
    segments: &[Segment],
    witness: &Witness,
    stop: &AtomicBool,
) -> bool {
    let Ok(legs) = legs(task, texts, segments) else { return false };
    let values = again::values(&witness.run);
    let inputs = again::inputs(&values, &witness.run.trace);
    let mut watched = Watched { passed: Passed::new(&legs), inputs };
    let limits = Limits { steps: witness.run.steps + 1, ..Limits::default() };
    let run = cmm::interp::run(&task.whole, &mut watched, &limits, stop);
    watched.passed.is_end(&run)
}

/// What the segments mean in the program.
fn legs(task: &Task, texts: &Texts, segments: &[Segment]) -> Result<Vec<Leg>, String> {
    let finder = Finder { source: task.source(), texts };
    let index = Index::of(finder);
    let named = |(n, Segment { avoided, followed }): (usize, &Segment)| {
        let goal = |(place, waypoint): &(Place, Waypoint)| {
            goal((finder, &index), place, waypoint)
                .map_err(|why| format!("waypoint {} ({}:{}): {why}", n + 1, place.file, place.line))
        };
        Ok(Leg {
            avoided: avoided.iter().map(goal).collect::<Result<_, String>>()?,
            followed: goal(followed)?,
        })
    };
    segments.iter().enumerate().map(named).collect()
}

/// What edges stand for in the files.
struct Index(Vec<Indexed>);

/// An edge with the places by which waypoints may mean it.
struct Indexed {
    edge: (ProcId, EdgeId),
    branch: Option<Place>,
    call: Option<Place>,
    beginning: Option<Place>,
}

impl Index {
    fn of(finder: Finder<'_>) -> Index {
        let place = |at: Option<At>| at.map(|at| finder.texts.place(at, ""));
        let one = |(p, e, _): (ProcId, EdgeId, &cmm::Edge)| Indexed {
            edge: (p, e),
            branch: place(finder.branch_keyword(p, e)),
            call: place(finder.call_end(p, e)),
            beginning: place(finder.beginning(p, e)),
        };
        Index(finder.source.program.edges().map(one).collect())
    }

    /// The edges that are meant by a place of a kind.
    fn at(&self, place: &Place, of: impl Fn(&Indexed) -> &Option<Place>) -> BTreeSet<(ProcId, EdgeId)> {
        let is = |edge: &&Indexed| of(edge).as_ref().is_some_and(|other| place.is(other));
        self.0.iter().filter(is).map(|edge| edge.edge).collect()
    }
}

/// What a waypoint means in the program.
fn goal((finder, index): (Finder<'_>, &Index), place: &Place, waypoint: &Waypoint) -> Result<Goal, String> {
    let is = |at: At| place.is(&finder.texts.place(at, ""));
    let op = |p: ProcId, e: EdgeId| &finder.source.program.procs[p].edges[e];
    let some = |set: BTreeSet<(ProcId, EdgeId)>, what: &str| match set.is_empty() {
        true => Err(format!("no {what} is there")),
        false => Ok(set),
    };
    match waypoint {
        Waypoint::Branching(Branch::Case(_)) => Err("ways of a switch are not supported".into()),
        Waypoint::Branching(branch) => {
            let wanted = *branch == Branch::True;
            let (right, wrong): (BTreeSet<_>, _) = index
                .at(place, |edge| &edge.branch)
                .into_iter()
                .partition(|(p, e)| op(*p, *e).kind == EdgeKind::Branch { taken: wanted });
            Ok(Goal::Edges(some(right, "branch that one condition decides")?, wrong))
        }
        Waypoint::Enter => {
            let mut set = index.at(place, |edge| &edge.call);
            set.retain(|(p, e)| matches!(op(*p, *e).op, Op::Call { .. }));
            Ok(Goal::Edges(some(set, "call")?, BTreeSet::new()))
        }
        Waypoint::Return(relation, n) => {
            let mut set = index.at(place, |edge| &edge.call);
            set.retain(|(p, e)| finder.is_input(&op(*p, *e).op));
            let set = some(set, "call of a function whose result is an input")?;
            Ok(Goal::Result(set, *relation, *n))
        }
        Waypoint::Assumption(text) => {
            let set = some(index.at(place, |edge| &edge.beginning), "statement")?;
            let one = |(p, e): (ProcId, EdgeId)| {
                let at = finder.beginning(p, e).expect("it was found by its beginning");
                let scope = Scope { source: finder.source, texts: finder.texts, proc: p, at };
                Ok((p, op(p, e).src, condition(&scope, text)?))
            };
            Ok(Goal::Holds(set.into_iter().map(one).collect::<Result<_, String>>()?))
        }
        Waypoint::Target => {
            let starts = |span: Span| finder.texts.start(finder.source.sources, span).is_some_and(is);
            let own = finder.source.program.checks.iter_enumerated().filter(|(_, c)| starts(c.span));
            let mut checks: BTreeSet<CheckId> = own.map(|(c, _)| c).collect();
            // A check in the model of a function stands where that is called.
            let calls = |(_, _, edge): &(ProcId, EdgeId, &cmm::Edge)| match &edge.op {
                Op::Call { callee: cmm::Callee::Direct(q), .. } => {
                    finder.source.program.procs[*q].is_model() && starts(edge.span)
                }
                _ => false,
            };
            if finder.source.program.edges().any(|e| calls(&e)) {
                let all = finder.source.program.checks.iter_enumerated();
                let of_models = all.filter(|(_, c)| finder.source.program.procs[c.proc].is_model());
                checks.extend(of_models.map(|(c, _)| c));
            }
            if checks.is_empty() {
                return Err("nothing that is checked is there".into());
            }
            Ok(Goal::Fails(checks))
        }
    }
}

/// How far an execution has come.
struct Passed<'a> {
    legs: &'a [Leg],
    /// The segment that comes next.
    next: usize,
    /// A branch went another way than the waypoint that came next, or something was passed that is avoided.
    strayed: bool,
}

impl<'a> Passed<'a> {
    fn new(legs: &'a [Leg]) -> Passed<'a> {
        Passed { legs, next: 0, strayed: false }
    }

    /// What comes next.
    fn goal(&self) -> Option<&'a Goal> {
        self.legs.get(self.next).map(|leg| &leg.followed)
    }

    /// What is not passed before that.
    fn avoided(&self) -> &'a [Goal] {
        self.legs.get(self.next).map_or(&[], |leg| &leg.avoided)
    }

    /// Whether the run ends at the last waypoint.
    fn is_end(&self, run: &Run) -> bool {
        let Outcome::CheckFailed(check) = run.outcome else { return false };
        let last = self.legs.last().map(|leg| &leg.followed);
        let is_meant = matches!(last, Some(Goal::Fails(checks)) if checks.contains(&check));
        is_meant && !self.strayed && self.next + 1 == self.legs.len()
    }

    /// The result that comes next, if the edge gets it.
    fn result(&self, proc: ProcId, edge: EdgeId) -> Option<(Relation, i128)> {
        match self.goal() {
            Some(Goal::Result(edges, relation, n)) if edges.contains(&(proc, edge)) => Some((*relation, *n)),
            _ => None,
        }
    }

    /// Whether it is avoided that the edge gets this value.
    fn is_avoided(&self, proc: ProcId, edge: EdgeId, value: Value) -> bool {
        self.avoided().iter().any(|goal| match goal {
            Goal::Result(edges, relation, n) => edges.contains(&(proc, edge)) && fits(value, *relation, *n),
            _ => false,
        })
    }

    /// The edge got this value.
    fn given(&mut self, proc: ProcId, edge: EdgeId, value: Value) {
        self.strayed |= self.is_avoided(proc, edge, value);
        if let Some((relation, n)) = self.result(proc, edge) {
            self.next += usize::from(fits(value, relation, n));
        }
    }

    fn step(&mut self, state: &mut State<'_, '_>, step: PathStep) {
        if let PathStep::Edge(p, e) | PathStep::Enter(p, e, _) = step {
            let is = |goal: &Goal| matches!(goal, Goal::Edges(edges, _) if edges.contains(&(p, e)));
            self.strayed |= self.avoided().iter().any(is);
            if let Some(Goal::Edges(right, wrong)) = self.goal() {
                self.strayed |= wrong.contains(&(p, e));
                self.next += usize::from(right.contains(&(p, e)));
            }
        }
        loop {
            // What cannot be told may hold.
            self.strayed |= self.avoided().iter().any(|goal| holds(state, goal) != Some(false));
            match self.goal() {
                Some(goal @ Goal::Holds(_)) if holds(state, goal) == Some(true) => self.next += 1,
                _ => return,
            }
        }
    }
}

/// Whether a result is one of those that are meant.
fn fits(value: Value, relation: Relation, n: i128) -> bool {
    let Value::Int(v) = value else { return false };
    match relation {
        Relation::Equal => v == n,
        Relation::Different => v != n,
        Relation::AtMost => v <= n,
        Relation::AtLeast => v >= n,
    }
}

/// Whether a condition holds here; not of other goals, and not elsewhere. Nothing where its value is not known.
fn holds(state: &mut State<'_, '_>, goal: &Goal) -> Option<bool> {
    let here = (state.proc(), state.location());
    let Goal::Holds(list) = goal else { return Some(false) };
    let Some((.., e)) = list.iter().find(|(p, l, _)| (*p, *l) == here) else { return Some(false) };
    match state.value(e) {
        Ok(Value::Int(n)) => Some(n != 0),
        _ => None,
    }
}

/// An execution that is made once more, and watched.
struct Watched<'a, I> {
    passed: Passed<'a>,
    inputs: I,
}

impl<I: Inputs> Inputs for Watched<'_, I> {
    fn havoc(&mut self, proc: ProcId, edge: EdgeId, kind: &HavocKind, ty: &Type) -> Value {
        let value = self.inputs.havoc(proc, edge, kind, ty);
        self.passed.given(proc, edge, value);
        value
    }

    fn choose_edge(&mut self, proc: ProcId, l: LocId, enabled: &[EdgeId]) -> usize {
        self.inputs.choose_edge(proc, l, enabled)
    }

    fn alloc_fails(&mut self, proc: ProcId, edge: EdgeId) -> bool {
        self.inputs.alloc_fails(proc, edge)
    }

    fn uninit(&mut self, read: &UninitRead, ty: &Type) -> Value {
        self.inputs.uninit(read, ty)
    }

    fn observe(&mut self, state: &mut State<'_, '_>, step: PathStep) {
        self.inputs.observe(state, step);
        self.passed.step(state, step);
    }
}

/// Inputs that lead along the waypoints.
struct Guide<'a> {
    task: &'a Task,
    passed: Passed<'a>,
    draw: Draw,
}

impl Guide<'_> {
    fn drawn(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Int(i) => Value::Int(self.draw.int(*i)),
            ty if ty.is_ptr() => Value::Null,
            _ => Value::Int(0),
        }
    }

    /// What the waypoints that come next say a variable holds.
    fn held(&self, v: VarId) -> Option<i128> {
        let Passed { legs, next, .. } = self.passed;
        let next = legs[next.min(legs.len())..].iter().map(|leg| &leg.followed);
        let conditions = next.take_while(|goal| matches!(goal, Goal::Holds(_)));
        conditions
            .filter_map(|goal| match goal {
                Goal::Holds(list) => list.iter().find_map(|(.., e)| equation(e, v)),
                _ => None,
            })
            .next()
    }
}

/// The number that a condition says a variable holds.
fn equation(e: &Expr, v: VarId) -> Option<i128> {
    let Expr::Binary(BinOp::Eq, l, r, _) = e else { return None };
    let of = |e: &Expr| match e {
        Expr::Load(lv) => lv.as_var(),
        Expr::Cast(inner, _) => match &**inner {
            Expr::Load(lv) => lv.as_var(),
            _ => None,
        },
        _ => None,
    };
    (of(l) == Some(v)).then(|| r.as_const()).flatten()
}

impl Inputs for Guide<'_> {
    fn havoc(&mut self, proc: ProcId, edge: EdgeId, kind: &HavocKind, ty: &Type) -> Value {
        if let Some((relation, n)) = self.passed.result(proc, edge) {
            let value = Value::Int(if relation == Relation::Different { n.saturating_add(1) } else { n });
            self.passed.given(proc, edge, value);
            return value;
        }
        if *kind == HavocKind::Uninit
            && let Op::Havoc(lv, _) = &self.task.whole.procs[proc].edges[edge].op
            && let Some(n) = lv.as_var().and_then(|v| self.held(v))
        {
            return Value::Int(n);
        }
        let mut value = self.drawn(ty);
        for _ in 0..DRAWS {
            if !self.passed.is_avoided(proc, edge, value) {
                break;
            }
            value = self.drawn(ty);
        }
        self.passed.given(proc, edge, value);
        value
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        self.draw.below(enabled.len() as u64) as usize
    }

    fn uninit(&mut self, _: &UninitRead, ty: &Type) -> Value {
        self.drawn(ty)
    }

    fn alloc_fails(&mut self, _: ProcId, _: EdgeId) -> bool {
        self.draw.below(4) == 1
    }

    fn observe(&mut self, state: &mut State<'_, '_>, step: PathStep) {
        self.passed.step(state, step);
    }
}
