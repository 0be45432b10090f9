//! States at the heads of loops: an execution that reaches one with values that no other has shown there is a start for
//! others, though it takes no edge more often than they do (feedback by states, \[ASAH20\]). So errors are found that need
//! many iterations of a loop in the right order.
//!
//! Values are those of state variables: integers that conditions of the program read, and that it computes from constants and
//! other such variables, not from its inputs. They are observed in programs that have a state machine: one of them is
//! compared with several constants.

use base::Id;
use interp::{State, Value};
use ir::visit;
use ir::{Expr, HavocKind, Lvalue, Op, ProcId, Program, VarId};
use rustc_hash::{FxHashSet, FxHasher};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

/// The variable of a state machine is compared with at least this many constants.
const MACHINE: usize = 3;

/// At most this many variables of one procedure are observed, the program's included.
const VARIABLES: usize = 32;

/// At most this many states are distinguished.
const STATES: usize = 1 << 14;

/// Values up to this are distinguished; larger ones only by their number of binary digits.
const EXACT: i128 = 64;

/// See the module's documentation.
#[derive(Default)]
pub(super) struct States {
    /// The variables that are observed in each procedure, by its number; empty without a state machine.
    variables: Vec<Vec<Expr>>,
    seen: FxHashSet<u64>,
}

impl States {
    /// No states of the program yet.
    pub(super) fn new(program: &Program) -> States {
        let variables = state_variables(program);
        if variables.is_empty() {
            return States::default();
        }
        let of = |p: ProcId| {
            let is_there = |v: &&VarId| program.vars[**v].proc().is_none_or(|owner| owner == p);
            let here = variables.iter().filter(is_there).take(VARIABLES);
            here.map(|v| program.lvalue(*v).load()).collect()
        };
        States { variables: program.procs.ids().map(of).collect(), seen: FxHashSet::default() }
    }

    /// Whether the program has a state machine.
    pub(super) fn is_wanted(&self) -> bool {
        !self.variables.is_empty()
    }

    /// Takes note of the state of an execution behind a step: whether it is at the head of a loop, and new there.
    pub(super) fn is_new(&mut self, program: &Program, state: &mut State<'_, '_>) -> bool {
        let (p, location) = (state.proc(), state.location());
        let Some(variables) = self.variables.get(p.index()) else { return false };
        if !program.procs[p].locations[location].loop_head
            || variables.is_empty()
            || self.seen.len() >= STATES
        {
            return false;
        }
        let mut hasher = FxHasher::default();
        (p, location).hash(&mut hasher);
        for variable in variables {
            let value = match state.value(variable) {
                Ok(Value::Int(value)) => Some(rounded(value)),
                _ => None,
            };
            value.hash(&mut hasher);
        }
        self.seen.insert(hasher.finish())
    }
}

/// The value, or one that stands for all that are about as large.
fn rounded(value: i128) -> i128 {
    match value.unsigned_abs() <= EXACT.unsigned_abs() {
        true => value,
        false => value.signum() << value.unsigned_abs().ilog2().min(125),
    }
}

/// The integers that conditions read and that get no values but what constants and such variables give.
fn state_variables(program: &Program) -> BTreeSet<VarId> {
    let mut out: BTreeSet<VarId> =
        program.vars.iter_enumerated().filter(|(_, v)| v.ty.as_int().is_some()).map(|(v, _)| v).collect();
    // Actual parameters are not followed.
    program.procs.iter().flat_map(|p| &p.formals).for_each(|v| _ = out.remove(v));
    loop {
        let before = out.len();
        for (_, _, edge) in program.edges() {
            let Some(v) = edge.op.destination().and_then(Lvalue::as_var) else { continue };
            let mut is_computed = matches!(edge.op, Op::Assign(..) | Op::Havoc(_, HavocKind::Uninit));
            visit::loads(&edge.op, &mut |lv| is_computed &= lv.as_var().is_some_and(|v| out.contains(&v)));
            if !is_computed {
                out.remove(&v);
            }
        }
        if out.len() == before {
            break;
        }
    }
    let mut read = BTreeMap::<VarId, BTreeSet<i128>>::new();
    for (_, _, edge) in program.edges() {
        let Op::Assume(condition) = &edge.op else { continue };
        visit::loads(&edge.op, &mut |lv| _ = lv.as_var().map(|v| read.entry(v).or_default()));
        condition.walk(&mut |e| {
            if let Expr::Binary(op, l, r, _) = e
                && op.is_comparison()
                && let (Expr::Load(lv), Some(constant)) = (l.uncast(), r.as_const())
                && let Some(v) = lv.as_var()
            {
                read.entry(v).or_default().insert(constant);
            }
        });
    }
    out.retain(|v| read.contains_key(v));
    if !out.iter().any(|v| MACHINE <= read[v].len()) {
        out.clear();
    }
    out
}
