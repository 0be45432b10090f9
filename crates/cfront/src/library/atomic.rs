//! gcc's builtins for atomic access, `__atomic_` and `__sync_`, with which `<stdatomic.h>` is written: each is
//! one step, an atomic section where the program starts threads. All orders are taken as the sequentially
//! consistent one.

use crate::error::{Res, type_error, unsupported};
use crate::library::intrinsics::wrong_arguments;
use crate::lower::context::{Context, Emitter, Symbols};
use crate::lower::expr::{Ast, Ev, Place, Val, deref};
use crate::types::table::Types;
use crate::types::ty::{IntTy, QTy, Ty};
use base::Span;
use ir::ThreadOp;
use ir::{BinOp, Expr, HavocKind, Op, UnOp};
use lang_c::ast;

/// The number of `memory_order_relaxed`.
const RELAXED: i128 = 0;
/// The number of `memory_order_seq_cst`.
const SEQUENTIAL: i128 = 5;

/// How an operation changes the place, from its value and the operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    Operator(BinOp),
    /// The complement of "and".
    Nand,
}

/// The operation of a builtin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Atomic {
    Load {
        by_address: bool,
    },
    Store {
        by_address: bool,
    },
    Exchange {
        by_address: bool,
    },
    /// The expected value is at an address, which gets the value found.
    CompareExchange {
        by_address: bool,
    },
    /// The result is the old value, or else the truth value.
    CompareAndSwap {
        old: bool,
    },
    Fetch {
        change: Change,
        old: bool,
    },
    TestAndSet,
    Clear,
    Fence,
    LockFree,
}

/// The operation of the builtin of this name, and the place of its order among the arguments if it has one.
pub(crate) fn atomic(name: &str) -> Option<Atomic> {
    let change = |name: &str| {
        let operator = |op| Some(Change::Operator(op));
        match name {
            "add" => operator(BinOp::Add),
            "sub" => operator(BinOp::Sub),
            "and" => operator(BinOp::BitAnd),
            "or" => operator(BinOp::BitOr),
            "xor" => operator(BinOp::BitXor),
            "nand" => Some(Change::Nand),
            _ => None,
        }
    };
    if let Some(name) = name.strip_prefix("__sync_") {
        return Some(match name {
            "synchronize" => Atomic::Fence,
            "bool_compare_and_swap" => Atomic::CompareAndSwap { old: false },
            "val_compare_and_swap" => Atomic::CompareAndSwap { old: true },
            "lock_test_and_set" => Atomic::Exchange { by_address: false },
            "lock_release" => Atomic::Clear,
            _ => match (name.strip_prefix("fetch_and_"), name.strip_suffix("_and_fetch")) {
                (Some(operator), _) => Atomic::Fetch { change: change(operator)?, old: true },
                (_, Some(operator)) => Atomic::Fetch { change: change(operator)?, old: false },
                _ => return None,
            },
        });
    }
    let name = name.strip_prefix("__atomic_")?;
    let by_address = !name.ends_with("_n");
    Some(match name.trim_end_matches("_n") {
        "load" => Atomic::Load { by_address },
        "store" => Atomic::Store { by_address },
        "exchange" => Atomic::Exchange { by_address },
        "compare_exchange" => Atomic::CompareExchange { by_address },
        "test_and_set" => Atomic::TestAndSet,
        "clear" => Atomic::Clear,
        "thread_fence" | "signal_fence" => Atomic::Fence,
        "always_lock_free" | "is_lock_free" => Atomic::LockFree,
        name => match (name.strip_prefix("fetch_"), name.strip_suffix("_fetch")) {
            (Some(operator), _) => Atomic::Fetch { change: change(operator)?, old: true },
            (_, Some(operator)) => Atomic::Fetch { change: change(operator)?, old: false },
            _ => return None,
        },
    })
}

impl Atomic {
    /// How many arguments come before the orders, which `__sync_` builtins have not.
    fn operands(self) -> usize {
        match self {
            Atomic::Fence => 0,
            Atomic::Load { by_address: false } | Atomic::TestAndSet | Atomic::Clear => 1,
            Atomic::Load { by_address: true }
            | Atomic::Store { .. }
            | Atomic::Exchange { by_address: false }
            | Atomic::Fetch { .. }
            | Atomic::LockFree => 2,
            Atomic::Exchange { by_address: true } | Atomic::CompareAndSwap { .. } => 3,
            Atomic::CompareExchange { .. } => 4,
        }
    }
}

impl Context<'_> {
    pub(crate) fn call_atomic(
        &mut self,
        what: Atomic,
        name: &str,
        c: &ast::CallExpression,
        span: Span,
    ) -> Res<Ev> {
        let operands = what.operands();
        if c.arguments.len() < operands {
            return wrong_arguments(name, span);
        }
        let (operands, orders) = c.arguments.split_at(operands);
        // Further arguments of the older builtins say what they protect.
        if name.starts_with("__atomic_") {
            self.look_at_orders(orders, span)?;
        }
        let values = self.operand_values(operands, span)?;
        let threads = self.settings.uses.threads;
        if threads {
            self.emitter.thread_step(ThreadOp::Begin, span);
        }
        let result = self.emitter.atomic_step(&self.types, &mut self.symbols, what, name, values, span)?;
        if threads {
            self.emitter.thread_step(ThreadOp::End, span);
        }
        Ok(result)
    }

    /// The operands, evaluated before the step, so that the step reads nothing else.
    fn operand_values(&mut self, operands: &[Ast], span: Span) -> Res<Vec<Val>> {
        let mut values = vec![];
        for (n, a) in operands.iter().enumerate() {
            let later: Vec<&Ast> = operands[n + 1..].iter().collect();
            let v = self.value(a)?;
            let e = self.emitter.keep(&self.types, &self.symbols, v.e, &later, span);
            let e = if self.settings.uses.threads && has_loads(&e) { self.emitter.spill(e, span) } else { e };
            values.push(Val { e, ty: v.ty });
        }
        Ok(values)
    }

    fn look_at_orders(&mut self, orders: &[Ast], span: Span) -> Res<()> {
        for order in orders {
            let v = self.value(order)?;
            match v.e {
                Expr::Const(SEQUENTIAL, _) => {}
                Expr::Const(RELAXED, _) if self.settings.uses.threads => {
                    self.emitter.warn(span, "the relaxed order is taken as the sequentially consistent one");
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Emitter<'_> {
    fn atomic_step(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        what: Atomic,
        name: &str,
        values: Vec<Val>,
        span: Span,
    ) -> Res<Ev> {
        let mut values = values.into_iter();
        let mut next = || values.next().expect("the arguments are counted");
        match what {
            Atomic::Fence => Ok(Ev::Void),
            Atomic::LockFree => {
                let e = self.havoc_temp(Ty::Int(IntTy::BOOL).lower(), HavocKind::Extern(name.into()), span);
                Ok(Ev::Val(Val { e, ty: Ty::Int(IntTy::BOOL) }))
            }
            Atomic::Load { by_address } => {
                let place = pointed_place(next(), span)?;
                if by_address {
                    let to = pointed_place(next(), span)?;
                    self.move_value(types, symbols, &to, &place, span)?;
                    return Ok(Ev::Void);
                }
                let value = self.old_value(types, symbols, &place, span)?;
                Ok(Ev::Val(value))
            }
            Atomic::Store { by_address } => {
                let place = pointed_place(next(), span)?;
                let value = self.given(types, symbols, next(), by_address, span)?;
                self.put(&place, value, span)?;
                Ok(Ev::Void)
            }
            Atomic::Exchange { by_address } => {
                let place = pointed_place(next(), span)?;
                let new = self.given(types, symbols, next(), by_address, span)?;
                let old = self.old_value(types, symbols, &place, span)?;
                self.put(&place, new, span)?;
                if by_address {
                    let to = pointed_place(next(), span)?;
                    self.put(&to, old, span)?;
                    return Ok(Ev::Void);
                }
                Ok(Ev::Val(old))
            }
            Atomic::CompareExchange { by_address } => {
                let place = pointed_place(next(), span)?;
                let expected = pointed_place(next(), span)?;
                let new = self.given(types, symbols, next(), by_address, span)?;
                let weak = next();
                self.compare_exchange(types, symbols, &place, &expected, (new, weak), span)
            }
            Atomic::CompareAndSwap { old } => {
                let place = pointed_place(next(), span)?;
                let (expected, new) = (next(), next());
                let found = self.old_value(types, symbols, &place, span)?;
                let expected =
                    Val { e: self.convert(expected, &place.ty.ty, span)?, ty: place.ty.ty.clone() };
                let same = self.operate(types, BinOp::Eq, found.clone(), expected, span)?.e;
                let same = self.spill(same, span);
                self.where_holds(same.clone(), span, |cx| cx.put(&place, new, span))?;
                let truth = Val { e: same, ty: Ty::INT };
                let truth =
                    Val { e: self.convert(truth, &Ty::Int(IntTy::BOOL), span)?, ty: Ty::Int(IntTy::BOOL) };
                Ok(Ev::Val(if old { found } else { truth }))
            }
            Atomic::Fetch { change, old } => {
                let place = pointed_place(next(), span)?;
                let found = self.old_value(types, symbols, &place, span)?;
                let new = self.changed(change, &place.ty, found.clone(), next(), span)?;
                self.put(&place, new.clone(), span)?;
                Ok(Ev::Val(if old { found } else { new }))
            }
            Atomic::TestAndSet => {
                let place = byte_place(next(), span)?;
                let old = self.old_value(types, symbols, &place, span)?;
                self.put(&place, Val::int(1, IntTy::INT), span)?;
                let zero = Val::int(0, IntTy::INT);
                let set = self.operate(types, BinOp::Ne, old, zero, span)?;
                let ty = Ty::Int(IntTy::BOOL);
                Ok(Ev::Val(Val { e: self.convert(set, &ty, span)?, ty }))
            }
            Atomic::Clear => {
                let pointer = next();
                let place = match name.starts_with("__atomic_") {
                    true => byte_place(pointer, span)?,
                    false => pointed_place(pointer, span)?,
                };
                self.put(&place, Val::int(0, IntTy::INT), span)?;
                Ok(Ev::Void)
            }
        }
    }

    /// An operand, which may stand at an address.
    fn given(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        v: Val,
        by_address: bool,
        span: Span,
    ) -> Res<Val> {
        if !by_address {
            return Ok(v);
        }
        let place = pointed_place(v, span)?;
        self.old_value(types, symbols, &place, span)
    }

    /// The value of the place before the step.
    fn old_value(&mut self, types: &Types, symbols: &mut Symbols<'_>, place: &Place, span: Span) -> Res<Val> {
        let value = self.read(types, symbols, Ev::Place(place.clone()), span)?;
        Ok(Val { e: self.spill(value.e, span), ty: value.ty })
    }

    fn put(&mut self, place: &Place, value: Val, span: Span) -> Res<()> {
        let value = self.convert(value, &place.ty.ty, span)?;
        self.statement(Op::Assign(place.lv.clone(), value), span);
        Ok(())
    }

    fn move_value(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        to: &Place,
        from: &Place,
        span: Span,
    ) -> Res<()> {
        let value = self.old_value(types, symbols, from, span)?;
        self.put(to, value, span)
    }

    /// Emits operations for where the condition holds.
    fn where_holds(
        &mut self,
        condition: Expr,
        span: Span,
        then: impl FnOnce(&mut Self) -> Res<()>,
    ) -> Res<()> {
        let (yes, join) = (self.fun.new_loc(), self.fun.new_loc());
        self.branch(condition, yes, join, span);
        self.fun.cur = yes;
        then(self)?;
        self.fun.enter(join, span);
        Ok(())
    }

    /// A weak exchange may fail although the place holds what is expected.
    fn compare_exchange(
        &mut self,
        types: &Types,
        symbols: &mut Symbols<'_>,
        place: &Place,
        expected: &Place,
        (new, weak): (Val, Val),
        span: Span,
    ) -> Res<Ev> {
        let found = self.old_value(types, symbols, place, span)?;
        let wanted = self.old_value(types, symbols, expected, span)?;
        let same = self.operate(types, BinOp::Eq, found.clone(), wanted, span)?.e;
        let mut same = self.spill(same, span);
        if !weak.e.is_zero() {
            let choice = HavocKind::Choice("whether a weak exchange succeeds".into());
            let succeeds = self.havoc_temp(Ty::Int(IntTy::BOOL).lower(), choice, span);
            let succeeds = Expr::binary(BinOp::Ne, succeeds.clone(), Expr::Const(0, succeeds.ty()));
            same = self.spill(Expr::binary(BinOp::Ne, same, Expr::int(0)).and(succeeds), span);
        }
        let (yes, no, join) = (self.fun.new_loc(), self.fun.new_loc(), self.fun.new_loc());
        self.branch(Expr::binary(BinOp::Ne, same.clone(), Expr::int(0)), yes, no, span);
        self.fun.cur = yes;
        self.put(place, new, span)?;
        self.fun.goto(join, span);
        self.fun.cur = no;
        self.put(expected, found, span)?;
        self.fun.enter(join, span);
        let ty = Ty::Int(IntTy::BOOL);
        let truth = Val { e: same, ty: Ty::INT };
        Ok(Ev::Val(Val { e: self.convert(truth, &ty, span)?, ty }))
    }

    /// The new value of the place; numbers wrap, and pointers move by bytes.
    fn changed(&mut self, change: Change, ty: &QTy, old: Val, operand: Val, span: Span) -> Res<Val> {
        let Ty::Int(int) = &ty.ty else {
            return unsupported(span, "atomic arithmetic on pointers is not supported");
        };
        // There is no arithmetic on less than an `int`.
        let wide = Ty::Int(if int.bits < 32 { IntTy::UINT } else { int.with_sign(false) });
        let [a, b] = [old, operand];
        let b = Val { e: self.convert(b, &ty.ty, span)?, ty: ty.ty.clone() };
        let (a, b) = (self.convert(a, &wide, span)?, self.convert(b, &wide, span)?);
        let e = match change {
            Change::Operator(op) => Expr::binary(op, a, b),
            Change::Nand => {
                let and = Expr::binary(BinOp::BitAnd, a, b);
                let ty = and.ty();
                Expr::Unary(UnOp::BitNot, Box::new(and), ty)
            }
        };
        let e = self.convert(Val { e, ty: wide }, &ty.ty, span)?;
        Ok(Val { e: self.spill(e, span), ty: ty.ty.clone() })
    }
}

fn pointed_place(pointer: Val, span: Span) -> Res<Place> {
    match pointer.ty.pointee().cloned() {
        Some(ty) if matches!(ty.ty, Ty::Int(_) | Ty::Ptr(_)) => Ok(deref(pointer.e, ty)),
        Some(_) => {
            unsupported(span, "atomic access to other objects than integers and pointers is not supported")
        }
        None => type_error(span, "the builtin needs a pointer"),
    }
}

/// A flag, whatever the type of the pointer.
fn byte_place(pointer: Val, span: Span) -> Res<Place> {
    match pointer.ty.pointee().cloned() {
        Some(ty) if matches!(&ty.ty, Ty::Int(i) if i.bits <= 8) => Ok(deref(pointer.e, ty)),
        Some(_) => {
            let flag: QTy = Ty::Int(IntTy::BOOL).into();
            let pointer = pointer.e.cast(flag.ty.lower().ptr_to());
            Ok(deref(pointer, flag))
        }
        None => type_error(span, "the builtin needs a pointer"),
    }
}

fn has_loads(e: &Expr) -> bool {
    let mut found = false;
    e.loads(&mut |_| found = true);
    found
}
