//! Executions along a witness of an error.
//!
//! A witness is only a guide: the interpreter executes the program with the results that it gives, and draws the
//! others from fixed seeds. It is confirmed by an execution that passes all waypoints in order and fails the check at
//! the last one.

use super::goals::{Goal, Leg, legs};
use super::places::Texts;
use super::{Relation, Segment};
use crate::harness::again;
use crate::report::listing::Source;
use executions::{Draw, Witness, confirmed};
use interp::{Inputs, Limits, Outcome, Run, State, UninitRead, Value};
use ir::{BinOp, EdgeId, Expr, HavocKind, LocId, Op, PathStep, ProcId, Type, VarId};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use verify::Task;

/// Executions that are tried, and steps of all together.
const RUNS: u64 = 60;
const STEPS: u64 = 5_000_000;

/// Steps that are kept for the trace of one.
const TRACE: usize = 1_000_000;

/// How often a result is drawn anew that is avoided.
const DRAWS: usize = 50;

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
    let legs = legs(Source::of(task), texts, segments)?;
    let mut left = STEPS;
    for seed in 0..RUNS {
        let run = |limits: &Limits| {
            let mut guide = Guide { task, passed: Passed::new(&legs), draw: Draw::new(seed) };
            let run = interp::run(&task.whole, &mut guide, limits, stop);
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
    let Ok(legs) = legs(Source::of(task), texts, segments) else { return false };
    let values = again::values(&witness.run);
    let inputs = again::inputs(&values, &witness.run.trace);
    let mut watched = Watched { passed: Passed::new(&legs), inputs };
    let limits = Limits { steps: witness.run.steps + 1, ..Limits::default() };
    let run = interp::run(&task.whole, &mut watched, &limits, stop);
    watched.passed.is_end(&run)
}

/// How far an execution has come.
struct Passed<'a> {
    legs: &'a [Leg],
    /// The segment that comes next.
    next: usize,
    /// The waypoint that came next was met and not passed, or something was passed that is avoided.
    strayed: bool,
}

impl<'a> Passed<'a> {
    fn new(legs: &'a [Leg]) -> Passed<'a> {
        Passed { legs, next: 0, strayed: false }
    }

    /// What comes next.
    fn goal(&self) -> Option<&'a Goal> {
        self.legs.get(self.next).map(|leg| &*leg.followed)
    }

    /// What is not passed before that.
    fn avoided(&self) -> &'a [Rc<Goal>] {
        self.legs.get(self.next).map_or(&[], |leg| &leg.avoided)
    }

    /// Whether the run ends at the last waypoint.
    fn is_end(&self, run: &Run) -> bool {
        let Outcome::CheckFailed(check) = run.outcome else { return false };
        let last = self.legs.last().map(|leg| &*leg.followed);
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
        self.avoided().iter().any(|goal| match &**goal {
            Goal::Result(edges, relation, n) => edges.contains(&(proc, edge)) && fits(value, *relation, *n),
            _ => false,
        })
    }

    /// The edge got this value.
    fn given(&mut self, proc: ProcId, edge: EdgeId, value: Value) {
        self.strayed |= self.is_avoided(proc, edge, value);
        if let Some((relation, n)) = self.result(proc, edge) {
            let fits = fits(value, relation, n);
            self.next += usize::from(fits);
            self.strayed |= !fits;
        }
    }

    fn step(&mut self, state: &mut State<'_, '_>, step: PathStep) {
        if let PathStep::Edge(p, e) | PathStep::Enter(p, e, _) = step {
            let is = |goal: &Goal| matches!(goal, Goal::Edges(edges, _) | Goal::Enters(edges) if edges.contains(&(p, e)));
            self.strayed |= self.avoided().iter().any(|goal| is(goal));
            if let Some(goal) = self.goal() {
                self.strayed |= matches!(goal, Goal::Edges(_, wrong) if wrong.contains(&(p, e)));
                self.next += usize::from(is(goal));
            }
        }
        loop {
            // A condition whose value is unknown may hold.
            self.strayed |= self.avoided().iter().any(|goal| holds(state, goal) != Some(false));
            let Some(goal @ Goal::Holds(_)) = self.goal() else { return };
            match holds(state, goal) {
                Some(true) => self.next += 1,
                // It is met, and does not hold.
                None | Some(false) => return self.strayed |= is_here(state, goal),
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

/// Whether a condition is to hold here.
fn is_here(state: &State<'_, '_>, goal: &Goal) -> bool {
    let here = (state.proc(), state.location());
    matches!(goal, Goal::Holds(list) if list.iter().any(|(p, l, _)| (*p, *l) == here))
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
        let next = legs[next.min(legs.len())..].iter().map(|leg| &*leg.followed);
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
