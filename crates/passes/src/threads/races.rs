//! Races: two conflicting accesses that can both be next.
//!
//! The accesses compared are the first one of each thread's next operation outside of atomic sections; and
//! those of a thread in an atomic section, against those of threads that are in none. Reads in a wait are not
//! accesses. The explored states suffice: as long as one of two accesses is next, no transition of another
//! thread that leads to the other access is left out, since their order matters.

use super::access::{self, Accesses};
use super::build::{Build, Moment};
use super::deadlocks::Fault;
use super::instance::Action;
use super::transitions::{Choice, Does};
use super::values::extent;
use ir::expr::{Access, Base, BinOp, Expr, Lvalue};
use ir::program::{CheckKind, Op};
use ir::types::Type;

/// A scalar is accessed.
struct Touch {
    place: Lvalue,
    writes: bool,
}

/// The next operation of one thread.
struct Next {
    thread: usize,
    instance: usize,
    step: usize,
    touches: Vec<Touch>,
    /// All that is accessed, scalars or not.
    all: Accesses,
    /// Something else than scalars is accessed, or only under a condition.
    blurred: bool,
    /// Some of the accesses may be undefined, and then those behind them are none.
    unsure: bool,
}

/// Whether two accesses are to the same place.
enum Same {
    Never,
    Always,
    /// Unless this holds.
    Unless(Expr),
    /// Not known.
    Unclear,
}

impl Build {
    /// The races in a state.
    pub(super) fn races(&self, moment: &Moment) -> Vec<Choice> {
        let mut out = vec![];
        if !self.faults.race {
            return out;
        }
        let inside = moment.atomic.map(|(t, _)| t);
        let nexts: Vec<Next> = moment.live().filter_map(|at| self.next(moment, at, inside)).collect();
        for (n, one) in nexts.iter().enumerate() {
            for other in &nexts[n + 1..] {
                let apart = inside.is_some_and(|t| t != one.thread && t != other.thread);
                if !apart && one.all.conflicts(&other.all) {
                    out.extend(self.race(one, other));
                }
            }
        }
        out
    }

    /// The next operation of the thread, as far as it accesses anything.
    fn next(
        &self,
        moment: &Moment,
        (thread, instance, node): (usize, usize, usize),
        inside: Option<usize>,
    ) -> Option<Next> {
        let graph = &self.graphs[instance];
        // Of several accesses the first is next.
        let node = graph.instance.nodes[node].split.filter(|_| inside != Some(thread)).unwrap_or(node);
        let steps = &graph.instance.nodes[node].out;
        let mut next = Next {
            thread,
            instance,
            step: *steps.first()?,
            touches: vec![],
            all: Accesses::default(),
            blurred: false,
            unsure: false,
        };
        let sharing = access::Sharing { addressed: &self.addressed, own: &graph.instance.own };
        for n in steps {
            let action = &graph.instance.steps[*n].action;
            if matches!(action, Action::Begin | Action::Wait(_)) {
                continue;
            }
            next.all.join(&access::of(action, sharing).without_starts());
            self.touches(action, &mut next, &|lv| sharing.is_shared(lv));
        }
        // Others that are read first may change in the section.
        let by_shared =
            |touch: &Touch| touch.place.children().any(|e| reads_shared(e, &|lv| sharing.is_shared(lv)));
        if inside.is_some_and(|t| t != thread) {
            next.blurred |= next.touches.iter().any(by_shared);
        }
        let read = |lv: Lvalue| self.read(&moment.values, |reader| reader.named_place(lv));
        for touch in &mut next.touches {
            touch.place = read(touch.place.clone());
        }
        let several = inside == Some(thread) && next.touches.len() > 1;
        next.unsure = several && !next.touches.iter().all(|touch| is_exact(&touch.place));
        Some(next)
    }

    fn touches(&self, action: &Action, next: &mut Next, shared: &dyn Fn(&Lvalue) -> bool) {
        let is_constant = |lv: &Lvalue| matches!(lv.base, Base::Var(v) if self.vars[v].data.is_some());
        let add = |touches: &mut Vec<Touch>, lv: &Lvalue, writes: bool| {
            if shared(lv) && !is_constant(lv) {
                touches.push(Touch { place: lv.clone(), writes });
            }
        };
        let mut read = |e: &Expr| {
            e.loads(&mut |lv| add(&mut next.touches, lv, false));
            next.blurred |= is_conditional(e, shared);
        };
        match action {
            Action::Op(op) => {
                ir::visit::evaluated(op, &mut read);
                next.blurred |= match op {
                    Op::MemSet { .. } | Op::MemCopy { .. } | Op::Inspect { .. } => true,
                    Op::Free(_) => true,
                    Op::Output { args, .. } => args.iter().any(|e| self.may_show(e)),
                    op => self.is_foreign(op),
                };
            }
            Action::Start { arg: e, .. } | Action::Join { id: e, .. } => read(e),
            _ => {}
        }
        if let Some(lv) = action.destination() {
            add(&mut next.touches, lv, true);
        }
    }

    /// Whether the argument of an output is a pointer to something that may change.
    fn may_show(&self, e: &Expr) -> bool {
        let literal = access::block_variable(e)
            .is_some_and(|lv| matches!(lv.base, Base::Var(v) if self.vars[v].data.is_some()));
        e.ty().is_ptr() && !literal
    }

    /// The races of two threads' operations: one that surely is, or all that may be.
    fn race(&self, one: &Next, other: &Next) -> Vec<Choice> {
        let mut out = vec![];
        let mut unclear = one.blurred || other.blurred;
        for a in &one.touches {
            for b in other.touches.iter().filter(|b| a.writes || b.writes) {
                match self.same(a, b) {
                    Same::Never => {}
                    _ if one.unsure || other.unsure => unclear = true,
                    Same::Always => return vec![self.fault((one, a), (other, b), Expr::int(0))],
                    Same::Unless(e) => out.push(self.fault((one, a), (other, b), e)),
                    Same::Unclear => unclear = true,
                }
            }
        }
        let span = self.graphs[one.instance].instance.site_of(one.step).0;
        if unclear {
            let what = "it is not known whether two threads access the same place at once";
            let does = Does::Unmodelled(what.into(), span);
            out.push(Choice { thread: one.thread, step: None, does });
        }
        out
    }

    fn fault(&self, (one, a): (&Next, &Touch), (other, b): (&Next, &Touch), unless: Expr) -> Choice {
        let (span, proc) = self.graphs[one.instance].instance.site_of(one.step);
        let (elsewhere, _) = self.graphs[other.instance].instance.site_of(other.step);
        let does = |writes: bool| if writes { "written" } else { "read" };
        let line = elsewhere.start.line;
        let place = if elsewhere == span { "here too".to_owned() } else { format!("at line {line}") };
        let message = format!(
            "data race: what is {} here is at the same time {} by another thread {place}",
            does(a.writes),
            does(b.writes)
        );
        let others = vec![(other.thread, other.instance, other.step)];
        let fault = Fault { kind: CheckKind::Race, span, message, proc, unless, others };
        Choice { thread: one.thread, step: None, does: Does::Fault(Box::new(fault)) }
    }

    fn same(&self, a: &Touch, b: &Touch) -> Same {
        let (a, b) = (&a.place, &b.place);
        let is_pointed = |lv: &Lvalue| match lv.base {
            Base::Var(v) => self.addressed.contains(&v),
            Base::Deref(_) => true,
        };
        let overlap = match (&a.base, &b.base) {
            (Base::Var(v), Base::Var(w)) if v != w => false,
            (Base::Var(_), Base::Var(_)) => {
                let of = |lv| extent(&self.program, &self.vars, lv);
                matches!((of(a), of(b)), (Some((f, t)), Some((g, u))) if g < t && f < u)
                    || of(a).is_none()
                    || of(b).is_none()
            }
            _ => is_pointed(a) && is_pointed(b),
        };
        if !overlap {
            return Same::Never;
        }
        let size = |lv: &Lvalue| self.program.size_of(&lv.ty);
        let is_bits = |lv: &Lvalue| self.program.is_bit_field(lv);
        if is_bits(a) || is_bits(b) || size(a).is_none() || size(a) != size(b) {
            return Same::Unclear;
        }
        if is_exact(a) && is_exact(b) {
            return Same::Always;
        }
        let address = |lv: &Lvalue| lv.clone().addr().cast(Type::Void.ptr_to());
        let apart = Expr::binary(BinOp::Ne, address(a), address(b));
        // Where both lead nowhere there is no access.
        let nowhere = |lv: &Lvalue| match &lv.base {
            Base::Deref(pointer) => Some((**pointer).clone().negated()),
            Base::Var(_) => None,
        };
        match (nowhere(a), nowhere(b)) {
            (Some(nowhere), Some(_)) => Same::Unless(nowhere.or(apart)),
            _ => Same::Unless(apart),
        }
    }
}

/// Whether it is a part of a variable in which each index is a constant.
fn is_exact(lv: &Lvalue) -> bool {
    let constant = |access: &Access| !matches!(access, Access::Index(e) if e.as_const().is_none());
    matches!(lv.base, Base::Var(_)) && lv.path.iter().all(constant)
}

fn reads_shared(e: &Expr, shared: &dyn Fn(&Lvalue) -> bool) -> bool {
    let mut found = false;
    e.loads(&mut |lv| found |= shared(lv));
    found
}

/// Whether something shared is read only under a condition.
fn is_conditional(e: &Expr, shared: &dyn Fn(&Lvalue) -> bool) -> bool {
    e.has(|e| match e {
        Expr::Binary(BinOp::And | BinOp::Or, _, r, _) => reads_shared(r, shared),
        Expr::Cond(_, a, b) => reads_shared(a, shared) || reads_shared(b, shared),
        _ => false,
    })
}
