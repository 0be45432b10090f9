//! Evaluates events in every order that C allows. The states on the way are the sets of events that have
//! happened: the result of an event goes to the same temporaries whatever happened before it, so that ways with
//! the same events join.

use super::events::{Kind, number};
use super::plan::{Schedule, too_many};
use super::{Settled, Stored};
use crate::error::{Res, unsupported};
use crate::lower::context::{Context, Emitter, Symbols};
use crate::lower::expr::{Ast, Ev, Place, Val};
use crate::types::table::Types;
use crate::types::ty::Ty;
use base::Span;
use ir::{BinOp, EdgeKind, Expr, HavocKind, LocId, Lvalue, Op, Type};
use lang_c::ast;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// At most this many sets of events of one expression.
const MAX_STATES: usize = 200;

/// The temporaries of events: by event and number.
type Slots = FxHashMap<(usize, usize), Lvalue>;

/// The results of events so far.
#[derive(Default)]
struct Given {
    slots: Slots,
    settled: BTreeMap<usize, Settled>,
}

impl Schedule<'_> {
    fn all(&self) -> u64 {
        self.events.iter().enumerate().fold(0, |mask, (n, _)| mask | 1 << n)
    }

    /// The events that may come next, all of which have to be tried.
    fn next(&self, done: u64) -> Vec<usize> {
        let left = self.all() & !done;
        let ready: Vec<usize> =
            (0..self.events.len()).filter(|n| left >> n & 1 == 1 && self.before[*n] & left == 0).collect();
        // An event that commutes with everything that is left can come at once.
        if let Some(free) = ready.iter().find(|n| self.conflicts[**n] & left == 0) {
            return vec![*free];
        }
        let group = self.group(ready[0], left);
        ready.into_iter().filter(|n| group >> n & 1 == 1).collect()
    }

    /// The events left that depend on this one, directly or through others.
    fn group(&self, first: usize, left: u64) -> u64 {
        let mut group = 1u64 << first;
        loop {
            let mut grown = group;
            for n in 0..self.events.len() {
                let near = self.before[n] | self.conflicts[n];
                if group >> n & 1 == 1 {
                    grown |= near & left;
                } else if left >> n & 1 == 1 && near & group != 0 {
                    grown |= 1 << n;
                }
            }
            if grown == group {
                return group;
            }
            group = grown;
        }
    }

    /// The sets of events that can have happened, smaller ones first; `None` when they are too many.
    fn states(&self) -> Option<Vec<u64>> {
        let mut states = vec![];
        let mut open = BTreeSet::from([(0, 0u64)]);
        while let Some((count, done)) = open.pop_first() {
            states.push(done);
            if states.len() > MAX_STATES {
                return None;
            }
            if done != self.all() {
                open.extend(self.next(done).into_iter().map(|n| (count + 1, done | 1 << n)));
            }
        }
        Some(states)
    }
}

impl Context<'_> {
    /// Evaluates the events.
    pub(super) fn explore(&mut self, schedule: &Schedule<'_>, span: Span) -> Res<()> {
        let Some(states) = schedule.states() else {
            return unsupported(span, too_many());
        };
        let base = self.order.settled.clone();
        let mut given = Given::default();
        let mut places: FxHashMap<u64, LocId> = FxHashMap::default();
        places.insert(0, self.emitter.fun.cur);
        for done in states {
            self.emitter.fun.cur = places[&done];
            if done == schedule.all() {
                break;
            }
            let next = schedule.next(done);
            let starts = self.emitter.choose(next.len(), span);
            for (n, start) in next.into_iter().zip(starts) {
                self.emitter.fun.cur = start;
                self.order.settled = base.clone();
                let happened = given.settled.iter().filter(|(m, _)| done >> **m & 1 == 1);
                happened.for_each(|(_, settled)| self.order.settled.join(settled));
                let settled = self.event(schedule.events[n], &mut given.slots)?;
                given.settled.insert(n, settled);
                let target = *places.entry(done | 1 << n).or_insert_with(|| self.emitter.fun.new_loc());
                self.emitter.fun.goto(target, span);
            }
            self.order.settled = base.clone();
        }
        self.emitter.fun.cur = places[&schedule.all()];
        given.settled.values().for_each(|settled| self.order.settled.join(settled));
        Ok(())
    }

    /// Evaluates one event; what it gives is kept in the slots.
    fn event(&mut self, (kind, node): (Kind, &Ast), slots: &mut Slots) -> Res<Settled> {
        let span = self.symbols.span(node);
        let mut out = Settled::default();
        match kind {
            Kind::Load | Kind::Call | Kind::Value | Kind::Branch | Kind::Step => {
                let ev = match kind {
                    Kind::Branch => self.afresh(|cx| cx.in_order(node, |cx| cx.eval_unsettled(node)))?,
                    _ => self.eval_unsettled(node)?,
                };
                let kept =
                    self.emitter.keep_event(&self.types, &mut self.symbols, ev, number(node), slots, span)?;
                out.values.insert(number(node), kept);
            }
            Kind::Old => {
                let (_, left, _) = assignment(node);
                let place = self.place(left)?;
                let old = self.emitter.read(&self.types, &mut self.symbols, Ev::Place(place), span)?;
                let e = self.emitter.keep_in_slot(old.e, (number(left), 1), slots, span);
                out.old.insert(number(left), Val { e, ty: old.ty });
            }
            Kind::Compute => self.compute(node, slots, &mut out)?,
            Kind::Store => {
                let (place, stored) = self.order.settled.stores[&number(node)].clone();
                match stored {
                    Stored::Scalar(e) => self.emitter.statement(Op::Assign(place.lv, e), span),
                    Stored::Record(source) => {
                        self.emitter.copy_record(&self.types, &place.lv, &source, &place.ty.ty, span)
                    }
                }
            }
        }
        Ok(out)
    }

    /// The location and the value of an assignment.
    fn compute(&mut self, node: &Ast, slots: &mut Slots, out: &mut Settled) -> Res<()> {
        let span = self.symbols.span(node);
        let (op, left, right) = assignment(node);
        let place = self.place(left)?;
        let place = self.emitter.place_in_slots(place, number(node), slots, span);
        if let Ty::Record(_) = place.ty.ty {
            let Ev::Place(source) = self.eval(right)? else {
                return self.types.different_sides(&[&place.ty.ty], span);
            };
            let slot = self.emitter.slot((number(node), 0), place.ty.ty.lower(), slots, span);
            self.emitter.copy_read(&self.types, &self.symbols, &slot, &source, span)?;
            let value = Place { lv: slot.clone(), ty: place.ty.ty.clone().into(), bit_field: false };
            out.values.insert(number(node), Ev::Place(value));
            out.stores.insert(number(node), (place, Stored::Record(slot)));
            return Ok(());
        }
        let value = match op {
            None => self.value_to(right, &place.ty.ty)?,
            Some(op) => {
                let right = self.value(right)?;
                let old = self.order.old(left).cloned();
                let new = self.emitter.operated(
                    &self.types,
                    &mut self.symbols,
                    op,
                    (old, &place, span),
                    right,
                    span,
                )?;
                self.emitter.convert(new, &place.ty.ty, span)?
            }
        };
        let value =
            self.emitter.keep_in_slot(value.cast(place.lv.ty.clone()), (number(node), 0), slots, span);
        let ty = place.ty.ty.clone();
        out.values.insert(number(node), Ev::Val(Val { e: value.clone(), ty }));
        out.stores.insert(number(node), (place, Stored::Scalar(value)));
        Ok(())
    }
}

impl Emitter<'_> {
    /// Locations that a choice leads to; the first is the one for 0.
    fn choose(&mut self, count: usize, span: Span) -> Vec<LocId> {
        if count == 1 {
            return vec![self.fun.cur];
        }
        let t = self.temp(Type::INT, span);
        self.internal(Op::Havoc(t.clone(), HavocKind::Choice("the order of evaluation".into())), span);
        let from = self.fun.cur;
        let mut others = None;
        let mut starts = vec![];
        for n in 0..count {
            let here = Expr::binary(BinOp::Eq, t.clone().load(), Expr::int(n as i128));
            let condition = if n + 1 < count { here.clone() } else { others.clone().unwrap_or(here.clone()) };
            let to = self.fun.new_loc();
            self.fun.edge(from, to, Op::Assume(condition), span, EdgeKind::Internal);
            starts.push(to);
            let not = Expr::binary(BinOp::Ne, t.clone().load(), Expr::int(n as i128));
            others = Some(match others {
                Some(before) => Expr::and(before, not),
                None => not,
            });
        }
        starts
    }

    /// Keeps the result of an event in its own temporaries.
    fn keep_event(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        ev: Ev,
        node: usize,
        slots: &mut Slots,
        span: Span,
    ) -> Res<Ev> {
        match ev {
            Ev::Void | Ev::Func(_) => Ok(ev),
            Ev::Place(p) if matches!(p.ty.ty, Ty::Record(_)) => {
                let slot = self.slot((node, 0), p.ty.ty.lower(), slots, span);
                self.copy_read(types, symbols, &slot, &p, span)?;
                Ok(Ev::Place(Place { lv: slot, ty: p.ty.ty.clone().into(), bit_field: false }))
            }
            ev => {
                let v = self.read(types, symbols, ev, span)?;
                let e = self.keep_in_slot(v.e, (node, 0), slots, span);
                Ok(Ev::Val(Val { e, ty: v.ty }))
            }
        }
    }

    fn slot(&mut self, key: (usize, usize), ty: Type, slots: &mut Slots, span: Span) -> Lvalue {
        match slots.get(&key) {
            Some(slot) => slot.clone(),
            None => {
                let slot = self.temp(ty, span);
                slots.insert(key, slot.clone());
                slot
            }
        }
    }

    fn keep_in_slot(&mut self, e: Expr, key: (usize, usize), slots: &mut Slots, span: Span) -> Expr {
        if matches!(e, Expr::Const(..) | Expr::Float(..) | Expr::Func(..)) {
            return e;
        }
        let slot = self.slot(key, e.ty(), slots, span);
        self.internal(Op::Assign(slot.clone(), e), span);
        slot.load()
    }

    /// The location, with the pointers and indices that lead there in temporaries.
    fn place_in_slots(&mut self, place: Place, node: usize, slots: &mut Slots, span: Span) -> Place {
        let mut key = 1;
        let lv = place.lv.rebuilt(&mut |e| {
            key += 1;
            self.keep_in_slot(e, (node, key), slots, span)
        });
        Place { lv, ..place }
    }
}

impl Settled {
    fn join(&mut self, other: &Settled) {
        self.values.extend(other.values.iter().map(|(n, ev)| (*n, ev.clone())));
        self.old.extend(other.old.iter().map(|(n, v)| (*n, v.clone())));
        self.stores.extend(other.stores.iter().map(|(n, s)| (*n, s.clone())));
    }
}

/// The parts of an assignment: its operator when it is a compound one, left and right side.
fn assignment(e: &Ast) -> (Option<BinOp>, &Ast, &Ast) {
    let ast::Expression::BinaryOperator(b) = &e.node else { panic!("only assignments store") };
    (crate::lower::expr::compound(&b.node.operator.node), &b.node.lhs, &b.node.rhs)
}
