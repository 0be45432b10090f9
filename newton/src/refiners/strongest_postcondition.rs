//! Predicates by strongest postconditions over the core (\[BR02\]).
//!
//! Forwards from the start, a store maps locations to values over symbolic constants (one for every value the path
//! found or was given), and the core's conditions are kept over the same constants. At each step, for
//! the locations that the rest of the core still reads, `location == value` and the conditions so far are predicates,
//! once every symbolic constant in them was replaced by a location that now holds it.
//!
//! At a procedure's entry every location that it can see gets a symbolic constant of its own, which is `old` of the
//! location; on return these are replaced by what the caller knew. So facts about a callee relate its state to its
//! entry, whatever the caller: what summaries of recursive procedures need.

use crate::refiners::unfold::{Action, Step, Unfolding};
use base::Id;
use ir::visit::walk_reads;
use ir::{Base, BinOp, Expr, Lvalue, PathStep, VarId};
use predicates::normal::mathify;
use predicates::weakest_precondition::{Aliasing, Context, collapse};
use rustc_hash::FxHashMap;

/// Symbolic constants are variables numbered from here.
const SYMBOLS: usize = 1 << 30;

/// The store, the history and the conditions of one path.
pub(crate) struct Simulation<'a> {
    cx: Context<'a>,
    unfolding: &'a Unfolding<'a>,
    store: Vec<(Lvalue, Expr)>,
    conditions: Vec<Expr>,
    symbols: usize,
    frames: Vec<Frame>,
}

/// What an open call has hidden.
struct Frame {
    /// Symbolic constants of the entry, the locations they stand for, and the values these had for the caller.
    entry: Vec<(Expr, Lvalue, Expr)>,
    /// The caller's conditions.
    conditions: Vec<Expr>,
}

impl<'a> Simulation<'a> {
    pub(crate) fn new(cx: Context<'a>, unfolding: &'a Unfolding<'a>) -> Simulation<'a> {
        Simulation { cx, unfolding, store: vec![], conditions: vec![], symbols: 0, frames: vec![] }
    }

    /// Takes the state over a step; its conditions are kept if they are `wanted`.
    pub(crate) fn step(&mut self, kind: PathStep, step: &Step, wanted: bool) {
        if let PathStep::Leave(..) = kind {
            self.leave();
        }
        step.actions.iter().for_each(|action| self.forward(action, wanted));
        if let PathStep::Enter(..) = kind {
            self.enter();
        }
    }

    fn forward(&mut self, action: &Action, wanted: bool) {
        match action {
            Action::Assume(c) => {
                let c = self.eval(c);
                if wanted && c.as_const().is_none() && !self.conditions.contains(&c) {
                    self.conditions.push(c);
                }
            }
            Action::Assign(lv, value) => {
                let value = self.eval(value);
                let lv = self.place(lv);
                self.invalidate(|other, unfolding| unfolding.may_alias(&lv, other));
                self.store.push((lv, value));
            }
            Action::Havoc(lv) | Action::Fresh { dest: lv, .. } => {
                let lv = self.place(lv);
                self.invalidate(|other, unfolding| unfolding.may_alias(&lv, other));
                let symbol = self.symbol(lv.ty.clone());
                self.store.push((lv, symbol));
            }
            Action::HavocCells(cells) => {
                self.invalidate(|other, unfolding| cells.contains(&unfolding.cell(other)));
            }
        }
    }

    /// Enters a procedure; its formals were assigned before.
    fn enter(&mut self) {
        let mut entry = vec![];
        for i in 0..self.store.len() {
            let (lv, value) = self.store[i].clone();
            let symbol = self.symbol(lv.ty.clone());
            self.store[i].1 = symbol.clone();
            entry.push((symbol, lv, value));
        }
        self.frames.push(Frame { entry, conditions: std::mem::take(&mut self.conditions) });
    }

    /// Leaves the procedure entered last.
    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        let known: FxHashMap<&Expr, &Expr> = frame.entry.iter().map(|(s, _, v)| (s, v)).collect();
        let back = |e: Expr| e.map(&mut |node| known.get(&node).map_or(node, |v| (*v).clone()));
        for (_, value) in &mut self.store {
            *value = back(value.clone());
        }
        let own = std::mem::replace(&mut self.conditions, frame.conditions);
        self.conditions.extend(own.into_iter().map(back));
    }

    fn invalidate(&mut self, hit: impl Fn(&Lvalue, &Unfolding<'_>) -> bool) {
        let unfolding = self.unfolding;
        self.store.retain(|(lv, _)| {
            let mut gone = hit(lv, unfolding);
            walk_reads(&lv.clone().addr(), &mut |inner| gone |= hit(inner, unfolding));
            !gone
        });
    }

    fn symbol(&mut self, ty: ir::Type) -> Expr {
        self.symbols += 1;
        Expr::var(VarId::from_index(SYMBOLS + self.symbols), ty)
    }

    /// The value over symbolic constants.
    fn eval(&mut self, e: &Expr) -> Expr {
        let value = e.clone().map(&mut |node| match node {
            Expr::Load(lv) => self.read(collapse(*lv)),
            other => other,
        });
        mathify(value, self.cx.mode, self.cx.program.signed_wrap)
    }

    /// The location with its address over symbolic constants.
    fn place(&mut self, lv: &Lvalue) -> Lvalue {
        collapse(lv.clone().map(&mut |node| match node {
            Expr::Load(lv) => self.read(collapse(*lv)),
            other => other,
        }))
    }

    fn read(&mut self, lv: Lvalue) -> Expr {
        if matches!(lv.base, Base::Var(v) if v.index() >= SYMBOLS) {
            return lv.load();
        }
        if let Some((_, value)) = self.store.iter().find(|(l, _)| *l == lv) {
            return value.clone();
        }
        let symbol = self.symbol(lv.ty.clone());
        self.store.push((lv, symbol.clone()));
        symbol
    }

    /// The facts known of the locations that `needed` reads, over the path's locations.
    pub(crate) fn facts(&mut self, needed: &[Expr]) -> Vec<Expr> {
        let mut out = vec![];
        let mut places: Vec<Lvalue> = vec![];
        for e in needed {
            walk_reads(e, &mut |lv| {
                if !places.contains(lv) {
                    places.push(lv.clone());
                }
            });
        }
        for lv in places {
            let place = self.place(&lv);
            let Some(value) = self.store.iter().find(|(l, _)| *l == place).map(|(_, v)| v.clone()) else {
                continue;
            };
            if let Some(value) = self.translate(&value, Some(&place)) {
                out.push(Expr::binary(BinOp::Eq, lv.load(), value));
            }
        }
        for c in &self.conditions {
            out.extend(self.translate(c, None));
        }
        out
    }

    /// The value with every symbolic constant replaced by a location that holds it, other than `not`.
    fn translate(&self, e: &Expr, not: Option<&Lvalue>) -> Option<Expr> {
        let mut failed = false;
        let out = e.clone().map(&mut |node| match &node {
            Expr::Load(lv) if matches!(lv.base, Base::Var(v) if v.index() >= SYMBOLS) => {
                // Relations to the entry come first: they hold for every caller.
                let entry = self.frames.last().and_then(|f| f.entry.iter().find(|(s, _, _)| *s == node));
                if let Some((_, lv, _)) = entry
                    && !mentions_symbol(&lv.clone().addr())
                {
                    return Expr::Old(Box::new(lv.clone().load()));
                }
                let holder = self
                    .store
                    .iter()
                    .rev()
                    .find(|(l, v)| *v == node && Some(l) != not && !mentions_symbol(&l.clone().addr()));
                match holder {
                    Some((l, _)) => l.clone().load(),
                    None => {
                        failed = true;
                        node
                    }
                }
            }
            _ => node,
        });
        (!failed).then_some(out)
    }
}

fn mentions_symbol(e: &Expr) -> bool {
    predicates::predicate::variables(e).iter().any(|v| v.index() >= SYMBOLS)
}
