//! State variables: locations that hold constants only, which they get directly or by copies, calls included. A
//! program that tests which constant such a location holds is a state machine, or several side by side (drivers,
//! protocols, schedulers). Where paths need the states of two variables that are alike, other paths will need their
//! other states and other such variables, one path for each; [`StateVariables::missing`] are all of them at once.
//!
//! Invariant: these predicates are only suggestions. A location that is not a state variable after all, say since it
//! is also written through pointers, gives predicates like others, which cost time at most.

use crate::Suggested;
use encoding::IntMode;
use ir::{Base, BinOp, Callee, Expr, HavocKind, Lvalue, Op, PathStep, Program, Type, VarId};
use predicates::normal::{Normal, atoms, normalise};
use predicates::{Precision, Predicate};
use std::collections::{BTreeMap, BTreeSet};

/// Some value has to be known for at least this many variables that are alike.
const SEVERAL: usize = 2;

/// Variables with more values than this are left to the paths: the machine with many states is mostly the only one of its kind,
/// and the others are copies of it.
const MOST_VALUES: usize = 16;

/// More values than this are not learned at once.
const MOST: usize = 1_000;

/// The state variables of a program, each with the constants that the program compares it with, itself or in a copy, and where it
/// does so first.
pub struct StateVariables {
    values: BTreeMap<Lvalue, BTreeMap<i128, PathStep>>,
}

/// The location and the constant that are said to be equal.
pub fn equation(e: &Expr) -> Option<(&Lvalue, i128)> {
    match e {
        Expr::Binary(BinOp::Eq, l, r, _) => match (&**l, &**r) {
            (Expr::Load(lv), Expr::Const(value, _)) => Some((lv, *value)),
            _ => None,
        },
        _ => None,
    }
}

/// What locations get, and what they are compared with.
#[derive(Default)]
struct Flow {
    /// Those that get a constant.
    constant: BTreeSet<Lvalue>,
    /// Those that get something else.
    other: BTreeSet<Lvalue>,
    /// Which gets the value of which.
    copies: Vec<(Lvalue, Lvalue)>,
    compared: BTreeMap<Lvalue, BTreeMap<i128, PathStep>>,
}

impl StateVariables {
    /// Finds them.
    pub fn new(program: &Program, mode: IntMode) -> StateVariables {
        let mut flow = Flow::default();
        for (p, e, edge) in program.edges() {
            flow.edge(program, mode, PathStep::Edge(p, e), &edge.op);
        }
        flow.follow_copies();
        let Flow { constant, other, mut compared, .. } = flow;
        compared.retain(|lv, _| constant.contains(lv) && !other.contains(lv));
        StateVariables { values: compared }
    }

    /// The values that the precision does not know yet of all variables that are alike, where it knows some of several of these,
    /// each with the step that compares the variable with that; nothing where they are more than a thousand. Two are alike if
    /// they are compared with the same constants, and both or neither are global.
    pub fn missing(&self, program: &Program, mode: IntMode, precision: &Precision) -> Vec<Suggested> {
        let equations = precision.iter().filter_map(|(_, predicate)| equation(&predicate.expr));
        let known: BTreeSet<&Lvalue> = equations.map(|(lv, _)| lv).collect();
        let mut alike: BTreeMap<_, Vec<&Lvalue>> = BTreeMap::new();
        for (lv, values) in self.values.iter().filter(|(_, values)| values.len() <= MOST_VALUES) {
            let is_global = matches!(lv.base, Base::Var(v) if program.vars[v].proc().is_none());
            let constants: Vec<i128> = values.keys().copied().collect();
            alike.entry((is_global, constants)).or_default().push(lv);
        }
        alike.retain(|_, variables| variables.iter().filter(|lv| known.contains(*lv)).count() >= SEVERAL);
        let mut out = vec![];
        for lv in alike.into_values().flatten() {
            for (value, step) in &self.values[lv] {
                let equal = Expr::binary(BinOp::Eq, lv.clone().load(), Expr::Const(*value, lv.ty.clone()));
                if let Normal::Atom { expr, .. } = normalise(equal, mode, program.signed_wrap)
                    && let Ok(predicate) = Predicate::new(program, expr, None)
                    && !precision.contains(&predicate)
                {
                    out.push(Suggested { predicate, step: *step });
                }
            }
        }
        if out.len() <= MOST { out } else { vec![] }
    }
}

impl Flow {
    fn edge(&mut self, program: &Program, mode: IntMode, step: PathStep, op: &Op) {
        match op {
            Op::Assign(to, value) => self.gets(to.clone(), value),
            Op::Call { dest, callee: Callee::Direct(q), args } => {
                let callee = &program.procs[*q];
                for (formal, arg) in callee.formals.iter().zip(args) {
                    self.gets(whole(program, *formal), arg);
                }
                let Some(dest) = dest else { return };
                match callee.ret.filter(|_| callee.has_body) {
                    Some(ret) => self.copies.push((dest.clone(), whole(program, ret))),
                    None => self.is_other(dest),
                }
            }
            Op::Assume(condition) | Op::Check(_, condition) => {
                for atom in atoms(condition, mode, program.signed_wrap) {
                    if let Some((lv, value)) = equation(&atom).filter(|(lv, _)| matches!(lv.ty, Type::Int(_)))
                    {
                        self.compared.entry(lv.clone()).or_default().entry(value).or_insert(step);
                    }
                }
            }
            // It has no value there.
            Op::Havoc(_, HavocKind::Uninit) => {}
            op => op.destination().into_iter().for_each(|dest| self.is_other(dest)),
        }
    }

    fn gets(&mut self, to: Lvalue, value: &Expr) {
        match value.uncast() {
            Expr::Const(..) => {
                self.constant.insert(to);
            }
            Expr::Load(from) => self.copies.push((to, (**from).clone())),
            _ => {
                self.other.insert(to);
            }
        }
    }

    fn is_other(&mut self, lv: &Lvalue) {
        self.other.insert(lv.clone());
    }

    /// Kinds of values go along with copies, and what these are compared with against them.
    fn follow_copies(&mut self) {
        let Flow { constant, other, copies, compared } = self;
        let mut changed = true;
        while changed {
            changed = false;
            for (to, from) in &*copies {
                changed |= other.contains(from) && other.insert(to.clone());
                changed |= constant.contains(from) && constant.insert(to.clone());
                if let Some(values) = compared.get(to).cloned() {
                    let known = compared.entry(from.clone()).or_default();
                    let before = known.len();
                    // Other values the location never holds.
                    let fits = |value: i128| from.ty.as_int().is_some_and(|ty| ty.wrap(value) == value);
                    let values = values.into_iter().filter(|(value, _)| fits(*value));
                    values.for_each(|(value, step)| _ = known.entry(value).or_insert(step));
                    changed |= before < known.len();
                }
            }
        }
    }
}

fn whole(program: &Program, v: VarId) -> Lvalue {
    Lvalue::var(v, program.vars[v].ty.clone())
}
