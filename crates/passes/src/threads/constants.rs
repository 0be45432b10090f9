//! Variables of a thread that hold the same address or number wherever they are read.

use super::inline::Inliner;
use super::instance::Action;
use super::known::Reader;
use super::{access, simplify};
use ir::expr::{Base, Expr, Lvalue};
use ir::program::{Op, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// How often what has become constant is looked for.
const ROUNDS: usize = 8;

impl Inliner<'_> {
    /// Puts the constants in the place of the variables, so that it can be seen where pointers lead.
    pub(super) fn propagate(&mut self) {
        for _ in 0..ROUNDS {
            self.instance.own = self.copies.values().copied().collect();
            self.instance.find_live();
            let constants = self.constants();
            if constants.is_empty() {
                return;
            }
            for n in 0..self.instance.steps.len() {
                let action = self.instance.steps[n].action.clone();
                self.instance.steps[n].action = self.with_constants(action, &constants);
            }
        }
    }

    /// The variables that only get one constant, and that before each read.
    fn constants(&self) -> BTreeMap<VarId, Expr> {
        let instance = &self.instance;
        let reader = Reader { program: self.program, vars: self.vars, holds: &|_| None };
        let mut excluded: BTreeSet<VarId> = instance.live[instance.entry].clone();
        excluded.extend(instance.formal.into_iter().chain(instance.ret));
        let mut found: BTreeMap<VarId, Expr> = BTreeMap::new();
        let mut read = BTreeSet::new();
        for step in &instance.steps {
            access::addresses(&step.action, &mut |v| _ = excluded.insert(v));
            step.action.reads(&mut |v| _ = read.insert(v));
            if let Action::Reset(vars) = &step.action {
                excluded.extend(vars.iter().filter(|v| instance.live[step.dst].contains(v)));
            }
            let Some(dest) = step.action.destination() else { continue };
            let Base::Var(v) = dest.base else { continue };
            let constant = match &step.action {
                Action::Op(Op::Assign(_, e)) if dest.path.is_empty() => {
                    reader.value(e).map(|known| known.expression(self.program, &dest.ty))
                }
                _ => None,
            };
            match constant.filter(|e| found.get(&v).is_none_or(|other| other == e)) {
                Some(constant) => _ = found.insert(v, constant),
                None => _ = excluded.insert(v),
            }
        }
        found.retain(|v, _| instance.own.contains(v) && read.contains(v) && !excluded.contains(v));
        found
    }

    fn with_constants(&self, action: Action, constants: &BTreeMap<VarId, Expr>) -> Action {
        let mut put = |e: Expr| match &e {
            Expr::Load(lv) => match lv.as_var().and_then(|v| constants.get(&v)) {
                Some(constant) => constant.clone().cast(lv.ty.clone()),
                None => e,
            },
            _ => e,
        };
        let mut put = |e: Expr| simplify::expr(self.program, e.map(&mut put));
        match action {
            Action::Op(op) => Action::Op(simplify::op(self.program, op.map(&mut |e| put(e)))),
            Action::Start { dest, root, arg } => {
                Action::Start { dest: dest.map(|lv| place(&mut put, lv)), root, arg: put(arg) }
            }
            Action::Join { dest, id } => {
                Action::Join { dest: dest.map(|lv| place(&mut put, lv)), id: put(id) }
            }
            Action::Wait(e) => Action::Wait(put(e)),
            Action::Begin | Action::End | Action::Reset(_) | Action::Unmodelled(_) => action,
        }
    }
}

/// A location with constants in it.
fn place(put: &mut impl FnMut(Expr) -> Expr, lv: Lvalue) -> Lvalue {
    let lv = lv.rebuilt(&mut *put);
    match put(lv.clone().load()) {
        Expr::Load(lv) => *lv,
        _ => lv,
    }
}
