//! Demands of an operation on the state in front of it: a walk over its expressions in evaluation order.

use super::uninit::definite_assignment::Flags;
use super::{
    Context, Part, access, arithmetic as arith, describe as text, extents, members, objects, places,
};
use base::Span;
use ir::edit::{Graph, Step};
use ir::expr::{Base, BinOp, Expr, Lvalue, UnOp};
use ir::program::{Callee, CheckKind, Edge, EdgeId, LocId, ObjectQuery, Op, Output, ProcId};
use ir::types::{IntType, Type};
use ir::visit::{self, Moment};

/// The checks of one operation, and what is done behind it.
pub(crate) struct Demands<'a, 'g> {
    pub(crate) cx: &'a Context<'a>,
    pub(crate) graph: &'a mut Graph<'g>,
    pub(crate) proc: ProcId,
    pub(crate) loc: LocId,
    pub(crate) flags: &'a Flags,
    pub(crate) before: Vec<Step>,
    pub(crate) after: Vec<Step>,
    /// The place of the operation.
    span: Span,
    /// The place of the part under examination, if it is known.
    at: Option<Span>,
    /// Conditions under which the part under examination is evaluated at all.
    guards: Vec<Expr>,
}

impl<'a, 'g> Demands<'a, 'g> {
    pub(crate) fn new(
        cx: &'a Context<'a>,
        proc: ProcId,
        loc: LocId,
        flags: &'a Flags,
        graph: &'a mut Graph<'g>,
    ) -> Demands<'a, 'g> {
        let span = cx.program.procs[proc].span;
        Demands { cx, graph, proc, loc, flags, before: vec![], after: vec![], span, at: None, guards: vec![] }
    }

    /// Looks at the operation of an edge.
    pub(crate) fn op(&mut self, e: EdgeId, edge: &Edge) {
        self.span = edge.span;
        match &edge.op {
            Op::Skip => {}
            Op::Assign(lv, value) => {
                self.place(lv);
                self.expr(value);
                self.at_part(Part::Place(lv), |d| d.written(lv));
            }
            Op::Havoc(lv, _) => self.destination(lv),
            Op::Assume(c) | Op::Check(_, c) => self.expr(c),
            Op::Call { dest, callee, args } => {
                args.iter().for_each(|a| self.expr(a));
                if let Callee::Indirect(f) = callee {
                    self.expr(f);
                    self.not_null(f, "call through NULL");
                }
                dest.iter().for_each(|lv| self.destination(lv));
            }
            Op::Alloc { dest, size, .. } => {
                self.expr(size);
                self.destination(dest);
                self.after.extend(self.cx.lifetime.allocated(self.proc, e, dest));
                self.after.extend(self.cx.placed.allocated(self.cx.oracle, (self.proc, e), dest, size));
            }
            Op::Free(_) if edge.op.ends().is_some() => {}
            Op::Free(p) => {
                self.expr(p);
                access::free(self, p);
            }
            Op::Inspect { dest, query, ptr } => {
                self.expr(ptr);
                // Behind the query it is too late to detect that the object is gone, as a computed size has no
                // value then.
                if *query == ObjectQuery::Size && extents::gives_up(&self.cx.program.procs[self.proc], ptr) {
                    access::may_be_freed(self, ptr);
                }
                self.destination(dest);
            }
            // Nobody asks for the text but the call behind it, which has these arguments.
            Op::Output { output: Output::MakesText | Output::Aligned | Output::Resizes, .. } => {}
            Op::Output { args, output } => {
                args.iter().for_each(|a| self.expr(a));
                match output {
                    Output::Access(access) => access::library(self, *access, args),
                    Output::Visible(function) if self.cx.leaks_at.has(function) => {
                        self.before.extend(self.cx.lifetime.at_end(self.cx));
                    }
                    _ => {}
                }
            }
            Op::MemSet { ptr, byte, len } => {
                [ptr, byte, len].into_iter().for_each(|e| self.expr(e));
                access::block(self, ptr, len);
                objects::changed(self, ptr, len, false);
            }
            Op::MemCopy { dst, src, len } => {
                [dst, src, len].into_iter().for_each(|e| self.expr(e));
                access::block(self, dst, len);
                access::block(self, src, len);
                objects::changed(self, dst, len, false);
            }
        }
        let initialised = self.cx.initialised;
        self.before.extend(initialised.before(&edge.op, self.flags));
        self.before.extend(self.cx.filled.before(self.cx.pointers(), &edge.op));
        self.before.extend(self.cx.placed.before(self.cx.about, &edge.op));
        self.after.extend(initialised.after(self.cx.program, &edge.op, self.flags));
        self.after.extend(self.cx.filled.after(self.cx.pointers(), &edge.op));
        self.after.extend(self.cx.placed.after(self.cx.about, &edge.op));
    }

    fn destination(&mut self, lv: &Lvalue) {
        self.place(lv);
        self.at_part(Part::Place(lv), |d| d.written(lv));
    }

    /// Adds a check, unless its kind is not wanted or it stands there already.
    pub(crate) fn check(&mut self, kind: CheckKind, condition: Expr, message: String, questions: Vec<Op>) {
        self.check_knowing(kind, condition, message, questions, None);
    }

    /// The same, where proofs know something of the answers.
    pub(crate) fn check_knowing(
        &mut self,
        kind: CheckKind,
        condition: Expr,
        message: String,
        questions: Vec<Op>,
        known: Option<Expr>,
    ) {
        if self.cx.is_covered(self.proc, kind) {
            return;
        }
        let condition = self.guarded(condition);
        let known = known.map(|known| self.guarded(known));
        let step = Step::Check { questions, known, kind, condition, message, at: self.at };
        if !self.before.iter().any(|s| s.is_alike(&step)) {
            self.before.push(step);
        }
    }

    pub(crate) fn text(&self, e: &Expr) -> String {
        text::expr(self.cx.program, self.cx.describe, e)
    }

    pub(crate) fn place_text(&self, lv: &Lvalue) -> String {
        text::lvalue(self.cx.program, self.cx.describe, lv)
    }

    /// The demands of evaluating an expression.
    pub(crate) fn expr(&mut self, e: &Expr) {
        visit::evaluation(e, &mut |moment| match moment {
            Moment::Provided(guard) => self.guards.push(guard),
            Moment::Otherwise => _ = self.guards.pop(),
            Moment::Read(lv) => self.at_part(Part::Place(lv), |d| {
                d.access(lv);
                d.read(lv);
            }),
            Moment::Address(lv) => self.at_part(Part::Place(lv), |d| access::address(d, lv)),
            Moment::Apply(e) => self.at_part(Part::Value(e), |d| d.apply(e)),
        });
    }

    /// Examines this part of the operation.
    fn at_part(&mut self, part: Part<'_>, look: impl FnOnce(&mut Self)) {
        self.at = (self.cx.place)(self.span, part);
        look(self);
        self.at = None;
    }

    /// The operator fits its operands.
    fn apply(&mut self, e: &Expr) {
        if let Some((l, r, what)) = objects::order(e) {
            return objects::ordered(self, l, r, what);
        }
        match e {
            Expr::Unary(op, inner, Type::Int(t)) => self.unary(*op, inner, *t, e),
            Expr::Cast(inner, Type::Int(t)) => self.conversion(inner, *t, e),
            Expr::Binary(op, l, r, Type::Int(t)) if !op.is_comparison() && *op != BinOp::PtrDiff => {
                self.binary(*op, l, r, *t, e);
            }
            Expr::Binary(_, l, r, Type::Ptr(_)) => access::moved(self, l, r),
            _ => {}
        }
    }

    fn unary(&mut self, op: UnOp, inner: &Expr, t: IntType, e: &Expr) {
        if t.signed
            && self.overflow_counts()
            && !self.is_offset(inner)
            && let Some(condition) = arith::no_overflow_unary(op, inner, t)
        {
            let message = format!("signed overflow in {}", self.text(e));
            self.check(CheckKind::Overflow, condition, message, vec![]);
        }
    }

    fn conversion(&mut self, inner: &Expr, to: IntType, e: &Expr) {
        if !self.cx.wants(CheckKind::Convert) || self.cx.program.procs[self.proc].is_model() {
            return;
        }
        if let Some(condition) = arith::has_value(inner, to) {
            let message = format!("the integer type has no such value: {}", self.text(e));
            self.check(CheckKind::Convert, condition, message, vec![]);
        }
    }

    /// Whether this is the distance of a pointer from the start of its object: negating it cannot overflow.
    fn is_offset(&self, e: &Expr) -> bool {
        matches!(e, Expr::Load(lv) if lv.as_var().is_some_and(|v| self.cx.offsets.contains(&v)))
    }

    fn overflow_counts(&self) -> bool {
        self.cx.wants(CheckKind::Overflow) && !self.cx.program.signed_wrap
    }

    fn binary(&mut self, op: BinOp, l: &Expr, r: &Expr, t: IntType, e: &Expr) {
        if matches!(op, BinOp::Div | BinOp::Rem)
            && self.cx.wants(CheckKind::Div0)
            && let Some(condition) = arith::nonzero(r)
        {
            let message = format!("division by zero: {} is 0", self.text(r));
            self.check(CheckKind::Div0, condition, message, vec![]);
        }
        if matches!(op, BinOp::Shl | BinOp::Shr)
            && self.cx.wants(CheckKind::Shift)
            && let Some(condition) = arith::good_amount(r, t)
        {
            let message = format!("shift by {}, which is not 0 to {}", self.text(r), t.bits - 1);
            self.check(CheckKind::Shift, condition, message, vec![]);
        }
        // Division overflows also where sums wrap: the processor traps.
        let counts = self.overflow_counts()
            || (self.cx.wants(CheckKind::Overflow) && matches!(op, BinOp::Div | BinOp::Rem));
        if !t.signed || !counts {
            return;
        }
        if let Some(condition) = arith::no_overflow(op, l, r, t) {
            let message = format!("signed overflow in {}", self.text(e));
            self.check(CheckKind::Overflow, condition, message, vec![]);
        } else if op == BinOp::Mul
            && let Some(condition) = arith::small_factors(l, r, t)
        {
            let message = format!("overflow of {} is not modelled", self.text(e));
            self.check(CheckKind::Unmodelled, condition, message, vec![]);
        }
    }

    /// Demands of the address of a location: the pointer, the indices.
    fn place(&mut self, lv: &Lvalue) {
        lv.children().for_each(|e| self.expr(e));
    }

    /// The location is read or written.
    fn access(&mut self, lv: &Lvalue) {
        if let Base::Deref(p) = &lv.base {
            self.not_null(p, "dereference of NULL");
            access::alive(self, p);
            if self.cx.members.is_some() {
                let program = self.cx.program;
                let whole = || p.ty().pointee().and_then(|to| program.size_of(to)).unwrap_or(1);
                let end = places::reach(program, lv).unwrap_or_else(whole);
                members::inside(self, p, &members::Extent::Bytes(end));
            }
        }
        access::bounds(self, lv);
    }

    /// The location is written.
    fn written(&mut self, lv: &Lvalue) {
        self.access(lv);
        objects::changed_place(self, lv);
    }

    /// The value of the location is used.
    fn read(&mut self, lv: &Lvalue) {
        if self.cx.wants(CheckKind::Uninit) {
            super::uninit::reads::read(self, lv);
        }
        if self.cx.wants(CheckKind::Bounds)
            && !self.cx.covered.contains(&self.proc)
            && let Some(fact) = self.cx.texts.not_last(self.cx.program, self.cx.oracle, lv)
        {
            self.told(fact);
        }
    }

    /// Assumes what is known where the part under examination is evaluated.
    fn told(&mut self, fact: Expr) {
        let fact = self.guarded(fact);
        let step = Step::Op(Op::Assume(fact));
        if !self.before.contains(&step) {
            self.before.push(step);
        }
    }

    /// The condition, where the part under examination is evaluated at all.
    fn guarded(&self, condition: Expr) -> Expr {
        let guarded = |condition, guard: &Expr| Expr::or(guard.clone().negated(), condition);
        self.guards.iter().rev().fold(condition, guarded)
    }

    /// Whether the values that the pointer can have show that it is not NULL.
    pub(crate) fn is_present(&self, root: &Expr) -> bool {
        matches!(root, Expr::AddrOf(_) | Expr::Func(..))
            || self.cx.shapes.of(self.cx.program, self.cx.oracle, root).present
    }

    /// The pointer is not NULL.
    pub(crate) fn not_null(&mut self, p: &Expr, what: &str) {
        if !self.cx.wants(CheckKind::Null) {
            return;
        }
        let root = p.unmoved();
        if self.is_present(root) {
            return;
        }
        let message = format!("{what}: {}", self.text(root));
        let null = Expr::Const(0, root.ty());
        self.check(CheckKind::Null, Expr::binary(BinOp::Ne, root.clone(), null), message, vec![]);
    }
}
