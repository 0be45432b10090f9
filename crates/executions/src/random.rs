//! Concrete executions: a few before the loop, which find shallow errors at once, and a few whenever the loop has
//! refuted a path, with inputs that lead close to its end (a loop to a thousand then costs one execution instead of a
//! thousand iterations). A program without inputs (no input, no choice, no read of unwritten memory) has only one
//! execution, which is followed much further.
//!
//! Invariant: the inputs are drawn from fixed seeds and the work is bounded in steps, not in time, so that the
//! outcome is the same on every machine.

use crate::draw::Draw;
use crate::witness::{Witness, confirmed};
use base::Span;
use encoding::{Input, InputValue};
use interp::{Inputs, Limits, Outcome, Reason, Run, State, UndefinedBehaviour, UninitRead, Value};
use ir::visit;
use ir::{CheckKind, EdgeId, HavocKind, IntType, LocId, Lvalue, PathStep, ProcId, Program, Type, VarId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::AtomicBool;

/// Most executions.
pub const RUNS: u64 = 200;

/// Most steps of one execution.
pub(crate) const STEPS: u64 = 20_000;

/// What one execution may cost.
pub(crate) const LIMITS: Limits = Limits { steps: STEPS, memory: 16 << 20, call_depth: 10_000, trace: 0 };

/// What the only execution of a program may cost.
const LONGER: Limits = Limits { steps: 10_000_000, memory: 256 << 20, ..LIMITS };

/// The same where the loop takes long.
const LONGEST: Limits = Limits { steps: 100_000_000, ..LONGER };

/// Most steps of all executions together.
const ALL_STEPS: u64 = 600_000;

/// Most executions that refuted paths suggest, and most steps of all of them together.
const GUIDED: (u64, u64) = (120, 1_000_000);

/// What executions along refuted paths may still cost.
pub struct Budget {
    runs: u64,
    steps: u64,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { runs: GUIDED.0, steps: GUIDED.1 }
    }
}

impl Budget {
    /// Whether another execution may be tried.
    pub fn is_left(&self) -> bool {
        self.runs > 0 && self.steps > 0
    }
}

/// What the executions gave.
#[derive(Default)]
pub struct Probed {
    /// How many executions.
    pub runs: usize,
    /// Their steps.
    pub steps: u64,
    /// An execution that fails a check; the last one then.
    pub failing: Option<Witness>,
    /// An execution that leaves its objects; what a program does from there on is not known.
    pub out_of_object: Option<Undefined>,
    /// An execution with other undefined behaviour, which ends it.
    pub undefined: Option<Undefined>,
    /// The program's execution, if it has one only.
    pub only: Option<Run>,
}

impl Probed {
    /// Takes note of the undefined behaviour that an execution has ended with.
    pub(crate) fn note(&mut self, undefined: Option<Undefined>) {
        let place = match undefined {
            Some(u) if u.what.leaves_objects() => &mut self.out_of_object,
            _ => &mut self.undefined,
        };
        *place = place.or(undefined);
    }

    /// What these and further executions gave together.
    pub fn and(self, more: Probed) -> Probed {
        Probed {
            runs: self.runs + more.runs,
            steps: self.steps + more.steps,
            failing: self.failing.or(more.failing),
            out_of_object: self.out_of_object.or(more.out_of_object),
            undefined: self.undefined.or(more.undefined),
            only: self.only.or(more.only),
        }
    }
}

/// Where an execution does what C leaves undefined. Where it accesses memory outside of the object meant, or of one whose
/// life has ended, compiled programs go on from there, in ways that no proof about defined executions covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Undefined {
    /// What it does.
    pub what: UndefinedBehaviour,
    /// Where.
    pub place: Span,
    /// The edge that does it.
    pub edge: (ProcId, EdgeId),
}

impl Undefined {
    /// `None` for other ends, and where objects from outside take part: how large those are is not known.
    pub(crate) fn of(program: &Program, run: &Run) -> Option<Undefined> {
        let Outcome::Stuck { reason: Reason::Undefined(what), proc, edge: Some(edge) } = &run.outcome else {
            return None;
        };
        let from_outside = run.inputs.iter().any(|i| matches!(i.value, Value::FreshObject(_)));
        (!from_outside).then(|| Undefined {
            what: *what,
            place: program.procs[*proc].edges[*edge].span,
            edge: (*proc, *edge),
        })
    }
}

/// Executes the program with a few inputs.
pub fn search(program: &Program, stop: &AtomicBool) -> Probed {
    let only = only(program, stop);
    // One execution is enough where all are the same.
    let limits = if only.is_some() { LONGER } else { LIMITS };
    let mut out = Probed { only, ..Probed::default() };
    for seed in 0..RUNS {
        let run = out.only.clone().unwrap_or_else(|| execute(program, seed, &limits, stop));
        out.runs += 1;
        out.steps += run.steps;
        if fails(program, &run) {
            let traced = Limits { trace: STEPS as usize, ..limits };
            out.failing = confirmed(execute(program, seed, &traced, stop)).ok();
            if out.failing.is_some() {
                break;
            }
        }
        out.note(Undefined::of(program, &run));
        if out.only.is_some() || out.steps >= ALL_STEPS || run.outcome == Outcome::Interrupted {
            break;
        }
    }
    out
}

/// Whether an execution takes one of these edges: one of those that [`search`] tries, or that build on each other.
pub fn takes(program: &Program, edges: &BTreeSet<(ProcId, EdgeId)>, stop: &AtomicBool) -> bool {
    let mut steps = 0;
    for seed in 0..RUNS {
        let mut inputs = Met { others: Drawn::new(program, Draw::new(seed)), edges, met: false };
        let run = interp::run(program, &mut inputs, &LIMITS, stop);
        steps += run.steps;
        if inputs.met || steps >= ALL_STEPS {
            return inputs.met;
        }
    }
    let mut search = crate::Search::default();
    search.advance(program, ALL_STEPS, stop);
    search.has_taken(edges)
}

/// Whether the run fails a check that stands for an error.
pub(crate) fn fails(program: &Program, run: &Run) -> bool {
    matches!(run.outcome, Outcome::CheckFailed(check) if program.checks[check].kind != CheckKind::Unmodelled)
}

/// Executes the program with each of these inputs first, at the places where they were asked for; what else is asked
/// for gets drawn values.
pub fn along(
    program: &Program,
    near_misses: &[Vec<Input>],
    budget: &mut Budget,
    stop: &AtomicBool,
) -> Probed {
    let limits = Limits { trace: STEPS as usize, ..LIMITS };
    let mut out = Probed::default();
    for (i, known) in near_misses.iter().enumerate() {
        if !budget.is_left() || out.failing.is_some() {
            break;
        }
        let mut inputs = Guided::new(program, known, budget.runs.wrapping_add(i as u64));
        let run = interp::run(program, &mut inputs, &limits, stop);
        out.runs += 1;
        out.steps += run.steps;
        budget.runs -= 1;
        budget.steps = budget.steps.saturating_sub(run.steps);
        if fails(program, &run) {
            out.failing = confirmed(run).ok();
        }
    }
    out
}

/// The execution of a program that asks for nothing; longer limits are tried where the first do not suffice.
pub fn only(program: &Program, stop: &AtomicBool) -> Option<Run> {
    only_within(program, &[LIMITS, LONGER], stop)
}

/// The failure of the execution of a program that asks for nothing, far behind what was executed before.
pub fn late(program: &Program, stop: &AtomicBool) -> Option<Witness> {
    only_within(program, &[LIMITS, LONGEST], stop).filter(|run| fails(program, run))?;
    let traced = Limits { trace: STEPS as usize, ..LONGEST };
    confirmed(execute(program, 0, &traced, stop)).ok()
}

fn only_within(program: &Program, limits: &[Limits], stop: &AtomicBool) -> Option<Run> {
    let (mut last, unread) = (None, visit::unread(program));
    for limits in limits {
        let unread = unread.clone();
        let mut inputs = Drawn { leaves_uninitialised: true, unread, ..Drawn::new(program, Draw::new(0)) };
        let run = interp::run(program, &mut inputs, limits, stop);
        let ended = run.outcome != Outcome::StepLimit;
        last = (!inputs.asked).then_some(run);
        if ended || last.is_none() {
            break;
        }
    }
    last
}

fn execute(program: &Program, seed: u64, limits: &Limits, stop: &AtomicBool) -> Run {
    let mut inputs = Drawn::new(program, Draw::new(seed));
    interp::run(program, &mut inputs, limits, stop)
}

/// Inputs from a seed.
pub(crate) struct Drawn<'a> {
    pub(crate) program: &'a Program,
    draw: Draw,
    /// Most integers are between 0 and this.
    scale: Option<u64>,
    /// Variables get values when they are read first.
    leaves_uninitialised: bool,
    /// Something was asked for that can be different in other executions.
    asked: bool,
    /// Variables whose values are of no consequence.
    unread: BTreeSet<VarId>,
}

impl<'a> Drawn<'a> {
    fn new(program: &'a Program, draw: Draw) -> Drawn<'a> {
        Drawn {
            program,
            draw,
            scale: None,
            leaves_uninitialised: false,
            asked: false,
            unread: BTreeSet::new(),
        }
    }

    /// Most integers of this source are between 0 and the scale.
    pub(crate) fn scaled(program: &'a Program, draw: Draw, scale: u64) -> Drawn<'a> {
        Drawn { scale: Some(scale), ..Drawn::new(program, draw) }
    }

    /// Whether something was asked for that can be different in other executions.
    pub(crate) fn was_asked(&self) -> bool {
        self.asked
    }

    fn int(&mut self, ty: IntType) -> i128 {
        let Some(scale) = self.scale else { return self.draw.int(ty) };
        match self.draw.below(16) {
            0 => self.draw.int(ty),
            1 => ty.wrap(-i128::from(self.draw.below(scale + 1))),
            _ => ty.wrap(i128::from(self.draw.below(scale + 1))),
        }
    }

    fn value(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Int(t) => Value::Int(self.int(*t)),
            Type::Float(t) if self.scale.is_none() => Value::Float(self.draw.float(*t)),
            Type::Ptr(_) => Value::Null,
            _ => Value::Int(self.draw.below(16).into()),
        }
    }
}

impl Inputs for Drawn<'_> {
    fn havoc(&mut self, p: ProcId, e: EdgeId, kind: &HavocKind, ty: &Type) -> Value {
        let dest = self.program.procs[p].edges[e].op.destination();
        if !dest.and_then(Lvalue::as_var).is_some_and(|v| self.unread.contains(&v)) {
            self.asked = true;
        }
        if let Type::Ptr(to) = ty
            && kind.may_point()
            && self.draw.below(2) == 1
        {
            return Value::FreshObject(self.program.size_of(to).unwrap_or(64).max(1));
        }
        if let (Type::Int(_), HavocKind::Start(what)) = (ty, kind)
            && let Some(value) = self.draw.start(*what)
        {
            return Value::Int(value);
        }
        self.value(ty)
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        self.asked = true;
        self.draw.below(enabled.len() as u64) as usize
    }

    fn uninit(&mut self, _: &UninitRead, ty: &Type) -> Value {
        self.asked = true;
        self.value(ty)
    }

    fn undefined_called(&mut self, _: ProcId) {
        self.asked = true;
    }

    fn leaves_uninitialised(&self) -> bool {
        self.leaves_uninitialised
    }

    fn alloc_fails(&mut self, _: ProcId, _: EdgeId) -> bool {
        self.asked = true;
        false
    }
}

/// Drawn inputs of an execution that may take one of the edges.
struct Met<'a> {
    others: Drawn<'a>,
    edges: &'a BTreeSet<(ProcId, EdgeId)>,
    met: bool,
}

impl Inputs for Met<'_> {
    fn havoc(&mut self, p: ProcId, e: EdgeId, kind: &HavocKind, ty: &Type) -> Value {
        self.others.havoc(p, e, kind, ty)
    }

    fn choose_edge(&mut self, p: ProcId, at: LocId, enabled: &[EdgeId]) -> usize {
        self.others.choose_edge(p, at, enabled)
    }

    fn uninit(&mut self, read: &UninitRead, ty: &Type) -> Value {
        self.others.uninit(read, ty)
    }

    fn alloc_fails(&mut self, p: ProcId, e: EdgeId) -> bool {
        self.others.alloc_fails(p, e)
    }

    fn observe(&mut self, _: &mut State<'_, '_>, step: PathStep) {
        self.met |= self.edges.contains(&step.edge());
    }
}

/// Inputs of a model first, each where the model has it; behind them drawn ones.
struct Guided<'a> {
    known: BTreeMap<(ProcId, EdgeId), VecDeque<InputValue>>,
    others: Drawn<'a>,
}

impl<'a> Guided<'a> {
    fn new(program: &'a Program, inputs: &[Input], seed: u64) -> Guided<'a> {
        let mut known: BTreeMap<_, VecDeque<_>> = BTreeMap::new();
        for input in inputs {
            known.entry((input.proc, input.edge)).or_default().push_back(input.value);
        }
        Guided { known, others: Drawn::new(program, Draw::new(seed)) }
    }

    fn next(&mut self, proc: ProcId, edge: EdgeId) -> Option<InputValue> {
        self.known.get_mut(&(proc, edge))?.pop_front()
    }
}

impl Inputs for Guided<'_> {
    fn havoc(&mut self, proc: ProcId, edge: EdgeId, kind: &HavocKind, ty: &Type) -> Value {
        match (self.next(proc, edge), ty) {
            (Some(InputValue::Int(v)), Type::Int(t)) => Value::Int(t.wrap(v)),
            (Some(InputValue::Float(v)), Type::Float(_)) => Value::Float(v),
            (Some(InputValue::Null), Type::Ptr(_)) => Value::Null,
            (Some(InputValue::Address(_) | InputValue::Number(_)), Type::Ptr(to)) => {
                Value::FreshObject(self.others.program.size_of(to).unwrap_or(64).max(1))
            }
            _ => self.others.havoc(proc, edge, kind, ty),
        }
    }

    fn choose_edge(&mut self, proc: ProcId, at: LocId, enabled: &[EdgeId]) -> usize {
        self.others.choose_edge(proc, at, enabled)
    }

    fn uninit(&mut self, read: &UninitRead, ty: &Type) -> Value {
        self.others.uninit(read, ty)
    }

    fn alloc_fails(&mut self, proc: ProcId, edge: EdgeId) -> bool {
        self.next(proc, edge) == Some(InputValue::Int(1))
    }
}
