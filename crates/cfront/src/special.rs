//! Functions with a meaning of their own (c-semantics: checks, assumptions, inputs, the ends of a run, memory),
//! and gcc's builtins.

use crate::cx::Cx;
use crate::expr::{Ast, Ev, Val, fold_truth};
use crate::library::{self, Answer};
use crate::options::Res;
use crate::scope::{Entity, FnId};
use crate::ty::{IntTy, Rank, Ty};
use base::Span;
use cmm::{BinOp, Expr, HavocKind, Lvalue, Op, Type};
use lang_c::ast;
use std::sync::Arc;

/// What a call of a special function does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Special {
    /// The error that the program must not reach.
    Error,
    /// A failed assertion of `<assert.h>`, with the number of the argument that is its text.
    AssertFailed(usize),
    Assert,
    Assume,
    /// The run ends.
    Stop,
    /// An input of this type.
    Input(Ty),
    Alloc(Alloc),
    Free,
    MemSet,
    MemCopy,
    Quiet(Answer),
    Builtin,
    Refused(&'static str),
}

/// Ways to allocate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alloc {
    /// The size is the argument with this number.
    Plain(usize),
    Zeroed,
    /// On the stack: never fails.
    Stack,
}

impl Cx<'_> {
    /// What a function means when it is called by name; `None` for an ordinary function.
    pub(crate) fn special(&self, name: &str, f: Option<FnId>) -> Option<Special> {
        match name {
            "reach_error" | "__VERIFIER_error" => return Some(Special::Error),
            "__assert_fail" | "__assert_perror_fail" | "__assert" | "_assert" => {
                return Some(Special::AssertFailed(0));
            }
            "__assert_rtn" | "__assert_func" | "__assert2" => return Some(Special::AssertFailed(3)),
            "__VERIFIER_assume" | "assume_abort_if_not" | "__CPROVER_assume" | "__builtin_assume" => {
                return Some(Special::Assume);
            }
            "__CPROVER_assert" => return Some(Special::Assert),
            _ => {}
        }
        if f.is_some_and(|f| self.functions[f].def.is_some()) {
            return None;
        }
        let base = name.strip_prefix("__builtin_").unwrap_or(name);
        let known = match base {
            "assert" | "__VERIFIER_assert" => Special::Assert,
            "abort" | "exit" | "_exit" | "_Exit" | "quick_exit" | "unreachable" | "trap" => Special::Stop,
            "malloc" | "valloc" => Special::Alloc(Alloc::Plain(0)),
            "aligned_alloc" | "memalign" => Special::Alloc(Alloc::Plain(1)),
            "calloc" => Special::Alloc(Alloc::Zeroed),
            "alloca" => Special::Alloc(Alloc::Stack),
            "free" | "cfree" => Special::Free,
            "memset" | "__memset_chk" => Special::MemSet,
            "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => Special::MemCopy,
            _ => {
                if let Some(reason) = library::refused(name).or_else(|| library::refused(base)) {
                    return Some(Special::Refused(reason));
                }
                if let Some(answer) = library::quiet(name).or_else(|| library::quiet(base)) {
                    return Some(Special::Quiet(answer));
                }
                if name.starts_with("__builtin_") {
                    return Some(Special::Builtin);
                }
                return self.input(name, f).map(Special::Input);
            }
        };
        Some(known)
    }

    /// Whether the function of this name leaves all memory alone.
    pub(crate) fn is_pure(&self, name: &str) -> bool {
        let f = match self.scopes.lookup(name) {
            Some(Entity::Function(f)) => Some(*f),
            Some(_) => return false,
            None => None,
        };
        match self.special(name, f) {
            Some(
                Special::Input(_) | Special::Quiet(_) | Special::Assume | Special::Assert | Special::Stop,
            ) => true,
            Some(Special::Builtin) => !name.ends_with("_overflow"),
            _ => false,
        }
    }

    /// The type of the input that a nondeterminism function gives.
    fn input(&self, name: &str, f: Option<FnId>) -> Option<Ty> {
        let suffix = name
            .strip_prefix("__VERIFIER_nondet_")
            .or_else(|| name.strip_prefix("__CPROVER_nondet_"))
            .or_else(|| name.strip_prefix("nondet_"))
            .or_else(|| (name == "nondet" || name == "__VERIFIER_nondet").then_some("int"))?;
        if let Some(f) = f
            && !self.functions[f].implicit
        {
            let ty = &self.functions[f].ty;
            return (ty.params.is_empty() && ty.ret.ty.is_scalar()).then(|| ty.ret.ty.clone());
        }
        let long = IntTy::long(self.model);
        let short = IntTy { rank: Rank::Short, bits: 16, signed: true };
        Some(Ty::Int(match suffix {
            "int" | "s32" | "i32" | "int32_t" => IntTy::INT,
            "uint" | "unsigned" | "unsigned_int" | "u32" | "uint32_t" => IntTy::UINT,
            "char" => IntTy::CHAR,
            "schar" | "s8" | "i8" | "int8_t" => IntTy::UCHAR.with_sign(true),
            "uchar" | "unsigned_char" | "u8" | "uint8_t" => IntTy::UCHAR,
            "short" | "s16" | "i16" | "int16_t" => short,
            "ushort" | "unsigned_short" | "u16" | "uint16_t" => short.with_sign(false),
            "long" | "loff_t" => long,
            "ulong" | "unsigned_long" => long.with_sign(false),
            "longlong" | "s64" | "i64" | "int64_t" => IntTy::LLONG,
            "ulonglong" | "u64" | "uint64_t" | "sector_t" => IntTy::LLONG.with_sign(false),
            "size_t" => self.size_ty(),
            "bool" | "_Bool" => IntTy::BOOL,
            "float" => return Some(Ty::Float(32)),
            "double" => return Some(Ty::DOUBLE),
            "pointer" | "voidp" | "pchar" => return Some(Ty::void_ptr()),
            _ => return None,
        }))
    }

    /// Runs the call of a special function. `want`: the value is used.
    pub(crate) fn call_special(
        &mut self,
        special: Special,
        name: &str,
        f: Option<FnId>,
        c: &ast::CallExpression,
        span: Span,
    ) -> Res<Ev> {
        match special {
            Special::Error => {
                self.discard_all(&c.arguments)?;
                self.check(Expr::int(0), format!("{name}() is called"), span);
                self.end_path(span);
            }
            Special::AssertFailed(n) => {
                let text = c.arguments.get(n).and_then(|a| literal_text(a));
                let message = match text {
                    Some(text) => format!("assertion `{text}` fails"),
                    None => format!("{name}() is called"),
                };
                self.check(Expr::int(0), message, span);
                self.end_path(span);
            }
            Special::Assert => self.assertion(c, span)?,
            Special::Assume => self.assumption(c, name, span)?,
            Special::Stop => {
                self.discard_all(&c.arguments)?;
                self.statement(Op::Assume(Expr::int(0)), span);
                self.fun.cur = self.fun.new_loc();
            }
            Special::Input(ty) => {
                let t = self.temp(ty.lower(), span);
                self.statement(Op::Havoc(t.clone(), HavocKind::Input(name.into())), span);
                return Ok(Ev::Val(Val { e: t.load(), ty }));
            }
            Special::Alloc(_) => {
                let t = self.temp(Ty::void_ptr().lower(), span);
                self.allocate(c, &t, span)?;
                return Ok(Ev::Val(Val { e: t.load(), ty: Ty::void_ptr() }));
            }
            Special::Free => {
                let [p] = &c.arguments[..] else { return self.wrong_arguments(name, span) };
                let v = self.value(p)?;
                if v.ty.pointee().is_none() {
                    return self.type_error(span, "`free` needs a pointer");
                }
                self.statement(Op::Free(v.e), span);
            }
            Special::MemSet => return self.mem_set(name, c, span),
            Special::MemCopy => return self.mem_copy(name, c, span),
            Special::Quiet(answer) => return self.quiet(answer, name, f, c, span),
            Special::Builtin => return self.builtin(name, c, span),
            Special::Refused(reason) => return self.unsupported(span, reason),
        }
        Ok(Ev::Void)
    }

    fn wrong_arguments<T>(&self, name: &str, span: Span) -> Res<T> {
        self.type_error(span, format!("`{name}` is called with the wrong number of arguments"))
    }

    fn discard_all(&mut self, arguments: &[Ast]) -> Res<()> {
        arguments.iter().try_for_each(|a| self.discard(a))
    }

    fn assertion(&mut self, c: &ast::CallExpression, span: Span) -> Res<()> {
        let Some(condition) = c.arguments.first() else { return self.wrong_arguments("assert", span) };
        let at = self.span(condition);
        let message = format!("assertion `{}` fails", self.snippet(at));
        if is_short_circuit(condition) {
            // The branches say more than a temporary with the truth value would.
            let (yes, no) = (self.fun.new_loc(), self.fun.new_loc());
            self.condition(condition, yes, no)?;
            self.fun.cur = no;
            self.check(Expr::int(0), message, span);
            self.end_path(span);
            self.fun.cur = yes;
            return Ok(());
        }
        let v = self.value(condition)?;
        if !v.ty.is_scalar() {
            return self.type_error(at, "an assertion needs a scalar");
        }
        self.check(fold_truth(v.e), message, span);
        Ok(())
    }

    fn assumption(&mut self, c: &ast::CallExpression, name: &str, span: Span) -> Res<()> {
        let Some(condition) = c.arguments.first() else { return self.wrong_arguments(name, span) };
        if is_short_circuit(condition) {
            let (yes, no) = (self.fun.new_loc(), self.fun.new_loc());
            self.condition(condition, yes, no)?;
            self.fun.cur = yes;
            return Ok(());
        }
        let v = self.value(condition)?;
        if !v.ty.is_scalar() {
            return self.type_error(span, "an assumption needs a scalar");
        }
        self.statement(Op::Assume(fold_truth(v.e)), span);
        Ok(())
    }

    /// The call when the expression is one of an allocation function, casts to pointers aside.
    pub(crate) fn allocation<'e>(&self, e: &'e Ast) -> Option<&'e ast::CallExpression> {
        match &e.node {
            ast::Expression::Cast(c) => {
                let pointer = c.node.type_name.node.declarator.as_ref().is_some_and(|d| {
                    d.node.derived.iter().any(|d| matches!(d.node, ast::DerivedDeclarator::Pointer(_)))
                });
                if pointer { self.allocation(&c.node.expression) } else { None }
            }
            ast::Expression::Call(c) => {
                let (name, f) = self.named_callee(&c.node)?;
                matches!(self.special(name, f), Some(Special::Alloc(_))).then_some(&c.node)
            }
            _ => None,
        }
    }

    /// Emits an allocation whose address goes to `dest`.
    pub(crate) fn allocate(&mut self, c: &ast::CallExpression, dest: &Lvalue, span: Span) -> Res<()> {
        let (name, f) = self.named_callee(c).expect("allocation found a name");
        let Some(Special::Alloc(kind)) = self.special(name, f) else {
            panic!("allocation found this function")
        };
        let size_ty = Ty::Int(self.size_ty());
        let argument = |n: usize| c.arguments.get(n);
        let size = match kind {
            Alloc::Plain(n) => match argument(n) {
                Some(a) => self.value_to(a, &size_ty)?,
                None => return self.wrong_arguments(name, span),
            },
            Alloc::Stack => match argument(0) {
                Some(a) => self.value_to(a, &size_ty)?,
                None => return self.wrong_arguments(name, span),
            },
            Alloc::Zeroed => {
                let (Some(a), Some(b)) = (argument(0), argument(1)) else {
                    return self.wrong_arguments(name, span);
                };
                let n = self.value_to(a, &size_ty)?;
                let n = self.keep(n, &[b], span);
                let each = self.value_to(b, &size_ty)?;
                crate::consts::binary(BinOp::Mul, n, each, size_ty.lower(), self.opts.signed_wrap)
            }
        };
        let may_fail = self.opts.malloc_may_fail && kind != Alloc::Stack;
        let zeroed = kind == Alloc::Zeroed;
        self.statement(Op::Alloc { dest: dest.clone(), size, zeroed, may_fail }, span);
        Ok(())
    }

    fn pointer_argument(&mut self, a: &Ast, later: &[&Ast]) -> Res<Val> {
        let span = self.span(a);
        let v = self.value(a)?;
        if v.ty.pointee().is_none() {
            let e = self.convert(v, &Ty::void_ptr(), span)?;
            return Ok(Val { e: self.keep(e, later, span), ty: Ty::void_ptr() });
        }
        Ok(Val { e: self.keep(v.e, later, span), ty: v.ty })
    }

    fn mem_set(&mut self, name: &str, c: &ast::CallExpression, span: Span) -> Res<Ev> {
        let [p, byte, len, ..] = &c.arguments[..] else { return self.wrong_arguments(name, span) };
        let to = self.pointer_argument(p, &[byte, len])?;
        let b = self.value_to(byte, &Ty::INT)?;
        let b = self.keep(b, &[len], span);
        let n = self.value_to(len, &Ty::Int(self.size_ty()))?;
        self.statement(Op::MemSet { ptr: to.e.clone(), byte: b, len: n }, span);
        let e = self.convert(to, &Ty::void_ptr(), span)?;
        Ok(Ev::Val(Val { e, ty: Ty::void_ptr() }))
    }

    fn mem_copy(&mut self, name: &str, c: &ast::CallExpression, span: Span) -> Res<Ev> {
        let [dst, src, len, ..] = &c.arguments[..] else { return self.wrong_arguments(name, span) };
        let to = self.pointer_argument(dst, &[src, len])?;
        let from = self.pointer_argument(src, &[len])?;
        let n = self.value_to(len, &Ty::Int(self.size_ty()))?;
        self.statement(Op::MemCopy { dst: to.e.clone(), src: from.e, len: n }, span);
        let e = self.convert(to, &Ty::void_ptr(), span)?;
        Ok(Ev::Val(Val { e, ty: Ty::void_ptr() }))
    }

    fn quiet(
        &mut self,
        answer: Answer,
        name: &str,
        f: Option<FnId>,
        c: &ast::CallExpression,
        span: Span,
    ) -> Res<Ev> {
        let writes = c.arguments.iter().filter_map(literal_text).any(|t| t.contains("%n"));
        if writes {
            return self.unsupported(span, "the format `%n` is not supported");
        }
        if answer == Answer::Absolute
            && let [a] = &c.arguments[..]
        {
            return self.absolute(name, a, span);
        }
        self.discard_all(&c.arguments)?;
        let declared =
            f.filter(|f| !self.functions[*f].implicit).map(|f| self.functions[f].ty.ret.ty.clone());
        let ty = match (answer, declared) {
            (Answer::Void, _) | (_, Some(Ty::Void)) => return Ok(Ev::Void),
            (_, Some(ty)) if ty.is_scalar() => ty,
            (Answer::Size, _) => Ty::Int(self.size_ty()),
            (Answer::Float, _) => Ty::DOUBLE,
            _ => Ty::INT,
        };
        let e = self.havoc_temp(ty.lower(), HavocKind::Extern(Arc::from(name)), span);
        let bound = |op, v: i128| Expr::binary(op, e.clone(), Expr::Const(v, ty.lower()));
        let bounds = match (answer, ty.as_int()) {
            (Answer::NonNegative, Some(i)) if i.signed => vec![bound(BinOp::Ge, 0)],
            (Answer::Character, Some(i)) if i.signed => vec![bound(BinOp::Ge, -1), bound(BinOp::Le, 255)],
            (Answer::Size, Some(i)) if !i.signed => {
                vec![bound(BinOp::Le, i.with_sign(true).lower().max())]
            }
            _ => vec![],
        };
        for b in bounds {
            self.internal(Op::Assume(b), span);
        }
        Ok(Ev::Val(Val { e, ty }))
    }

    fn absolute(&mut self, name: &str, a: &Ast, span: Span) -> Res<Ev> {
        let ty = Ty::Int(match name.trim_start_matches("__builtin_") {
            "abs" => IntTy::INT,
            "labs" => IntTy::long(self.model),
            _ => IntTy::LLONG,
        });
        let v = self.value_to(a, &ty)?;
        if let Expr::Const(n, t) = &v
            && *n > ty.as_int().expect("it is an integer type").lower().min()
        {
            return Ok(Ev::Val(Val { e: Expr::Const(n.abs(), t.clone()), ty }));
        }
        let kept = self.to_temp(v, span);
        let t = self.temp(ty.lower(), span);
        let (yes, no, join) = (self.fun.new_loc(), self.fun.new_loc(), self.fun.new_loc());
        let negative = Expr::binary(BinOp::Lt, kept.clone(), Expr::Const(0, ty.lower()));
        self.branch(negative, yes, no, span);
        self.fun.cur = yes;
        let minus = Expr::Unary(cmm::UnOp::Neg, Box::new(kept.clone()), ty.lower());
        self.internal(Op::Assign(t.clone(), minus), span);
        self.fun.goto(join, span);
        self.fun.cur = no;
        self.internal(Op::Assign(t.clone(), kept), span);
        self.fun.enter(join, span);
        Ok(Ev::Val(Val { e: t.load(), ty }))
    }

    fn builtin(&mut self, name: &str, c: &ast::CallExpression, span: Span) -> Res<Ev> {
        let arguments = &c.arguments[..];
        match (name, arguments) {
            ("__builtin_expect" | "__builtin_expect_with_probability", [e, rest @ ..]) => {
                let ty = Ty::Int(IntTy::long(self.model));
                let v = self.value_to(e, &ty)?;
                let later: Vec<&Ast> = rest.iter().collect();
                let v = self.keep(v, &later, span);
                self.discard_all(rest)?;
                Ok(Ev::Val(Val { e: v, ty }))
            }
            ("__builtin_constant_p", [e]) => {
                let known = self.dry(|cx| {
                    let ev = cx.eval(e)?;
                    Ok(matches!(ev, Ev::Val(Val { e: Expr::Const(..) | Expr::Float(..), .. }))
                        || matches!(e.node, ast::Expression::StringLiteral(_)))
                })?;
                Ok(Ev::Val(Val::int(i128::from(known), IntTy::INT)))
            }
            ("__builtin_choose_expr", [condition, a, b]) => {
                if self.const_int(condition)? != 0 {
                    self.eval(a)
                } else {
                    self.eval(b)
                }
            }
            ("__builtin_types_compatible_p", [a, b]) => {
                let (ast::Expression::SizeOfTy(a), ast::Expression::SizeOfTy(b)) = (&a.node, &b.node) else {
                    return self.type_error(span, "`__builtin_types_compatible_p` needs two types");
                };
                let (a, b) = (self.type_name(&a.node.0.node)?, self.type_name(&b.node.0.node)?);
                Ok(Ev::Val(Val::int(i128::from(a.ty.compatible(&b.ty)), IntTy::INT)))
            }
            ("__builtin_object_size" | "__builtin_dynamic_object_size", [_, kind]) => {
                let unknown = if self.const_int(kind)? < 2 { self.size_ty().lower().max() } else { 0 };
                Ok(Ev::Val(Val::int(unknown, self.size_ty())))
            }
            ("__builtin_bswap16" | "__builtin_bswap32" | "__builtin_bswap64", [e]) => {
                let bytes = name.trim_start_matches("__builtin_bswap").parse::<u16>().unwrap_or(64) / 8;
                self.byte_swap(e, bytes, span)
            }
            ("__builtin_isnan", [e]) => {
                let v = self.value(e)?;
                Ok(Ev::Val(Val { e: Expr::binary(BinOp::Ne, v.e.clone(), v.e), ty: Ty::INT }))
            }
            ("__builtin_huge_val" | "__builtin_inf", []) => Ok(float_constant(f64::INFINITY, 64)),
            ("__builtin_huge_valf" | "__builtin_inff", []) => Ok(float_constant(f64::INFINITY, 32)),
            ("__builtin_nan", [_]) => Ok(float_constant(f64::NAN, 64)),
            ("__builtin_nanf", [_]) => Ok(float_constant(f64::NAN, 32)),
            _ => {
                if let Some(bits) = bit_count(name)
                    && let [e] = arguments
                {
                    return self.bit_count(name, bits, e, span);
                }
                if let Some(op) = overflow_operator(name)
                    && let [a, b, to] = arguments
                {
                    return self.overflow(op, a, b, to, span);
                }
                self.unsupported(span, format!("`{name}` is not supported"))
            }
        }
    }

    fn byte_swap(&mut self, e: &Ast, bytes: u16, span: Span) -> Res<Ev> {
        let ty = Ty::Int(match bytes {
            2 => IntTy { rank: Rank::Short, bits: 16, signed: false },
            4 => IntTy::UINT,
            _ => IntTy::LLONG.with_sign(false),
        });
        let v = self.value_to(e, &ty)?;
        if let Expr::Const(n, t) = &v {
            let swapped = (0..bytes).fold(0i128, |s, i| (s << 8) | ((n >> (8 * i)) & 255));
            return Ok(Ev::Val(Val { e: Expr::Const(swapped, t.clone()), ty }));
        }
        let wide = if bytes == 2 { Type::Int(IntTy::UINT.lower()) } else { ty.lower() };
        let v = self.to_temp(v, span).cast(wide.clone());
        let constant = |n: i128| Expr::Const(n, wide.clone());
        let mut sum: Option<Expr> = None;
        for i in 0..bytes {
            let down = Expr::binary(BinOp::Shr, v.clone(), constant(i128::from(8 * i)));
            let byte = Expr::binary(BinOp::BitAnd, down, constant(255));
            let up = Expr::binary(BinOp::Shl, byte, constant(i128::from(8 * (bytes - 1 - i))));
            sum = Some(match sum {
                None => up,
                Some(sum) => Expr::binary(BinOp::BitOr, sum, up),
            });
        }
        let e = sum.expect("there are at least two bytes").cast(ty.lower());
        Ok(Ev::Val(Val { e, ty }))
    }

    /// Counts of bits: computed for constants, else any number in their range.
    fn bit_count(&mut self, name: &str, bits: u32, e: &Ast, span: Span) -> Res<Ev> {
        let ty = IntTy { rank: Rank::LongLong, bits: bits as u16, signed: false };
        let v = self.value_to(e, &Ty::Int(ty))?;
        let (least, most) = match name.trim_end_matches('l') {
            "__builtin_parity" => (0, 1),
            "__builtin_clz" | "__builtin_ctz" => (0, i128::from(bits) - 1),
            _ => (0, i128::from(bits)),
        };
        if let Expr::Const(n, _) = &v {
            let n = *n as u64;
            let answer = match name.trim_end_matches('l') {
                "__builtin_popcount" => n.count_ones(),
                "__builtin_parity" => n.count_ones() % 2,
                "__builtin_ctz" if n != 0 => n.trailing_zeros(),
                "__builtin_clz" if n != 0 => n.leading_zeros() - (64 - bits),
                "__builtin_ffs" => {
                    if n == 0 {
                        0
                    } else {
                        n.trailing_zeros() + 1
                    }
                }
                _ => return self.unsupported(span, format!("`{name}` of 0 is undefined")),
            };
            return Ok(Ev::Val(Val::int(i128::from(answer), IntTy::INT)));
        }
        let kind = HavocKind::Unmodelled(format!("result of {name}").into());
        let answer = self.havoc_temp(Type::INT, kind, span);
        for (op, bound) in [(BinOp::Ge, least), (BinOp::Le, most)] {
            self.internal(Op::Assume(Expr::binary(op, answer.clone(), Expr::int(bound))), span);
        }
        Ok(Ev::Val(Val { e: answer, ty: Ty::INT }))
    }

    /// `__builtin_add_overflow` and so on: the exact result is computed with 128 bits.
    fn overflow(&mut self, op: BinOp, a: &Ast, b: &Ast, to: &Ast, span: Span) -> Res<Ev> {
        let wide_ty = IntTy { rank: Rank::Int128, bits: 128, signed: true };
        let wide = Ty::Int(wide_ty);
        let x = self.value(a)?;
        let x = Val { e: self.keep(x.e, &[b, to], span), ty: x.ty };
        let y = self.value(b)?;
        let y = Val { e: self.keep(y.e, &[to], span), ty: y.ty };
        let p = self.value(to)?;
        let (Some(i), Some(j), Some(pointee)) = (x.ty.as_int(), y.ty.as_int(), p.ty.pointee().cloned())
        else {
            return self.type_error(span, "the builtin needs two integers and a pointer");
        };
        let unsigned = |i: IntTy| i.bits >= 64 && !i.signed;
        if i.bits > 64 || j.bits > 64 || (op == BinOp::Mul && unsigned(i) && unsigned(j)) {
            return self.unsupported(span, "the overflow builtin is not supported for these types");
        }
        let (l, r) = (self.convert(x, &wide, span)?, self.convert(y, &wide, span)?);
        let exact = self.to_temp(Expr::binary(op, l, r), span);
        let exact = Val { e: exact, ty: wide.clone() };
        let target = self.deref(p.e, pointee.clone());
        let stored = self.convert(exact.clone(), &pointee.ty, span)?;
        self.statement(Op::Assign(target.lv, stored.clone()), span);
        let back = self.convert(Val { e: stored, ty: pointee.ty }, &wide, span)?;
        Ok(Ev::Val(Val { e: Expr::binary(BinOp::Ne, back, exact.e), ty: Ty::INT }))
    }
}

fn float_constant(value: f64, bits: u16) -> Ev {
    let ty = Ty::Float(bits);
    Ev::Val(Val { e: Expr::Float(value.to_bits(), ty.lower()), ty })
}

/// The width of the operand of a bit-counting builtin.
fn bit_count(name: &str) -> Option<u32> {
    let base = name.trim_end_matches('l');
    let known = matches!(
        base,
        "__builtin_popcount" | "__builtin_parity" | "__builtin_ctz" | "__builtin_clz" | "__builtin_ffs"
    );
    known.then_some(match name.len() - base.len() {
        0 => 32,
        _ => 64,
    })
}

fn overflow_operator(name: &str) -> Option<BinOp> {
    let middle = name.strip_prefix("__builtin_")?.strip_suffix("_overflow")?;
    match middle {
        "add" | "sadd" | "saddl" | "saddll" | "uadd" | "uaddl" | "uaddll" => Some(BinOp::Add),
        "sub" | "ssub" | "ssubl" | "ssubll" | "usub" | "usubl" | "usubll" => Some(BinOp::Sub),
        "mul" | "smul" | "smull" | "smulll" | "umul" | "umull" | "umulll" => Some(BinOp::Mul),
        _ => None,
    }
}

/// Whether an expression is `&&` or `||`.
fn is_short_circuit(e: &Ast) -> bool {
    matches!(&e.node, ast::Expression::BinaryOperator(b) if matches!(
        b.node.operator.node,
        ast::BinaryOperator::LogicalAnd | ast::BinaryOperator::LogicalOr
    ))
}

/// The text of a string literal, as a message shows it.
fn literal_text(e: &Ast) -> Option<String> {
    let ast::Expression::StringLiteral(s) = &e.node else { return None };
    let mut out = String::new();
    for part in &s.node {
        let (units, _) = crate::consts::literal(part).ok()?;
        out.extend(units.into_iter().filter_map(char::from_u32));
    }
    Some(out.split_whitespace().collect::<Vec<_>>().join(" "))
}
