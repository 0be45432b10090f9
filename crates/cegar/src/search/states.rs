//! States at the heads of loops: an execution that comes to one with values that no other has shown there is a start for
//! others, though it takes no edge more often than they do (feedback by states, \[ASAH20\]). So errors are found that need
//! many turns of a loop in the right order.
//!
//! Values are those of state variables: integers that conditions of the program read, and that it computes from constants and
//! other such variables, not from its inputs.

use base::Id;
use cmm::analysis::visit;
use cmm::interp::{State, Value};
use cmm::{Expr, HavocKind, Lvalue, Op, ProcId, Program, VarId};
use rustc_hash::{FxHashSet, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// Most variables of one procedure that are looked at, the program's included.
const VARIABLES: usize = 32;

/// Most states that are told apart.
const STATES: usize = 1 << 14;

/// Values up to this are told apart; of larger ones, only how many binary digits they have.
const EXACT: i128 = 64;

/// See the module's documentation.
#[derive(Default)]
pub(super) struct States {
    /// The variables that are looked at in each procedure, by its number.
    variables: Vec<Vec<Expr>>,
    seen: FxHashSet<u64>,
}

impl States {
    /// No states of the program yet.
    pub(super) fn new(program: &Program) -> States {
        let variables = state_variables(program);
        let of = |p: ProcId| {
            let is_there = |v: &&VarId| program.vars[**v].proc().is_none_or(|owner| owner == p);
            let here = variables.iter().filter(is_there).take(VARIABLES);
            here.map(|v| program.lvalue(*v).load()).collect()
        };
        States { variables: program.procs.ids().map(of).collect(), seen: FxHashSet::default() }
    }

    /// Takes note of the state of an execution behind a step: whether it is at the head of a loop, and new there.
    pub(super) fn is_new(&mut self, program: &Program, state: &mut State<'_, '_>) -> bool {
        let (p, location) = (state.proc(), state.location());
        let variables = &self.variables[p.index()];
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
    let mut read = BTreeSet::new();
    for (_, _, edge) in program.edges().filter(|(_, _, edge)| matches!(edge.op, Op::Assume(_))) {
        visit::loads(&edge.op, &mut |lv| read.extend(lv.as_var()));
    }
    out.intersection(&read).copied().collect()
}
