//! Concrete executions beside the facts: none reaches a location that is called unreachable, in a state in which a fact
//! does not hold, or fails a check that is said to hold.

use alias::{AliasMode, AliasOracle};
use interp::{self, Inputs, State, UninitRead, Value};
use ir::{CheckId, Edge, EdgeId, EdgeKind, Expr, HavocKind, LocId, Op, PathStep, ProcId, Program, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use testing::programs::calls::Dice;

/// A program with what was computed of it.
pub(crate) struct Subject {
    pub(crate) program: Program,
    /// The facts at the locations that executions reach.
    facts: BTreeMap<(ProcId, LocId), Vec<Expr>>,
    holds: BTreeSet<CheckId>,
}

/// What runs were compared with.
#[derive(Default, Debug)]
pub(crate) struct Figures {
    pub(crate) facts: usize,
    pub(crate) checks: usize,
    pub(crate) unknown: usize,
}

impl Subject {
    /// `None` when nothing can be computed.
    pub(crate) fn new(program: &Program, mode: AliasMode) -> Option<Subject> {
        let first = AliasOracle::new(program, mode);
        let program = passes::resolve_indirect(program, &first).ok()?;
        let oracle = AliasOracle::new(&program, mode);
        let computed = zones::compute(&program, &oracle, 200_000_000, &AtomicBool::new(false))?;
        let mut facts = BTreeMap::new();
        for (p, proc) in program.procs.iter_enumerated() {
            for at in proc.locations.ids().filter(|at| !computed.is_unreachable(p, *at)) {
                facts.insert((p, at), computed.facts(p, at));
            }
        }
        let holds = computed.checks_that_hold().into_iter().collect();
        Some(Subject { facts, holds, program })
    }

    /// Runs the program once; what contradicts the facts.
    pub(crate) fn run(&self, seed: u64, steps: u64, figures: &mut Figures) -> Vec<String> {
        let mut watcher = Watcher {
            subject: self,
            dice: Dice::new(seed),
            off: false,
            chose_otherwise: false,
            complaints: vec![],
            figures,
        };
        let limits = interp::Limits { steps, ..interp::Limits::default() };
        interp::run(&self.program, &mut watcher, &limits, &AtomicBool::new(false));
        watcher.complaints
    }
}

struct Watcher<'a> {
    subject: &'a Subject,
    dice: Dice,
    /// A check has failed: the execution ends there.
    off: bool,
    /// An assumption that executions pass over ([`EdgeKind::Implied`]) does not hold: what the check after it finds is found
    /// by an execution that chooses otherwise, and the facts are about those alone.
    chose_otherwise: bool,
    complaints: Vec<String>,
    figures: &'a mut Figures,
}

/// Any value of a type: small numbers mostly, and those at the ends of its range.
pub(crate) fn any(dice: &mut Dice, ty: &Type) -> Value {
    match ty {
        Type::Ptr(_) if dice.below(2) == 0 => Value::Null,
        Type::Ptr(_) => Value::FreshObject(64),
        &Type::Int(int) => match dice.below(10) {
            0 => Value::Int(int.min()),
            1 => Value::Int(int.max()),
            2 => Value::Int(int.wrap(-1)),
            3 => Value::Int(int.wrap(dice.below(1000) as i128 - 500)),
            _ => Value::Int(int.wrap(dice.below(12) as i128)),
        },
        _ => Value::Int(0),
    }
}

impl Inputs for Watcher<'_> {
    fn havoc(&mut self, _: ProcId, _: EdgeId, _: &HavocKind, ty: &Type) -> Value {
        any(&mut self.dice, ty)
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        self.dice.below(enabled.len())
    }

    fn uninit(&mut self, _: &UninitRead, ty: &Type) -> Value {
        any(&mut self.dice, ty)
    }

    fn alloc_fails(&mut self, _: ProcId, _: EdgeId) -> bool {
        self.dice.below(3) == 0
    }

    fn checked(&mut self, check: CheckId, holds: bool) {
        if !self.off && self.subject.holds.contains(&check) {
            self.figures.checks += 1;
            if !holds {
                self.complaints.push(format!("check {check:?} fails"));
            }
        }
        self.off |= !holds;
    }

    fn observe(&mut self, state: &mut State<'_, '_>, step: PathStep) {
        if let PathStep::Edge(p, e) = step
            && let Edge { kind: EdgeKind::Implied, op: Op::Assume(condition), .. } =
                &self.subject.program.procs[p].edges[e]
        {
            self.chose_otherwise |= state.value(condition) == Ok(Value::Int(0));
        }
        if self.off || self.chose_otherwise || !self.complaints.is_empty() {
            return;
        }
        let (p, at) = (state.proc(), state.location());
        let Some(facts) = self.subject.facts.get(&(p, at)) else {
            let name = &self.subject.program.procs[p].name;
            return self.complaints.push(format!("{at:?} of {name} is reached"));
        };
        for fact in facts {
            match state.value(fact) {
                Ok(Value::Int(0)) => {
                    let text = ir::print::expr(&self.subject.program, fact);
                    let name = &self.subject.program.procs[p].name;
                    self.complaints.push(format!("{text} does not hold at {at:?} of {name}"));
                }
                Ok(Value::Int(_)) => self.figures.facts += 1,
                _ => self.figures.unknown += 1,
            }
        }
    }
}
