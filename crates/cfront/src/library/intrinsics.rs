//! Functions with a built-in meaning (docs/guide/library.md: checks, assumptions, inputs, the ends of a run,
//! memory), and gcc's builtins.

use crate::error::{Res, type_error};
use crate::library::atomic::{Atomic, atomic};
use crate::library::primitives::Primitive;
use crate::library::{self, Answer};
use crate::lower::context::{Context, Emitter, Settings, Symbols};
use crate::lower::expr::{Ast, Ev, Val, fold_truth};
use crate::lower::scope::{Entity, FnId};
use crate::types::table::Types;
use crate::types::ty::{IntTy, Rank, Ty};
use base::Span;
use ir::{CheckKind, Expr, HavocKind, LocId, Op};
use lang_c::ast;
use passes::checks::ProgramEnds;

/// The meaning of a call of a function that is more than a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Intrinsic {
    /// The error that the program must not reach.
    Error,
    /// A failed assertion of `<assert.h>`, with the number of the argument that is its text.
    AssertFailed(usize),
    Assert,
    Assume,
    /// The run ends.
    Stop,
    /// The run ends after the handlers for that have run.
    Exit,
    /// The run ends after the handlers for a quick end have run.
    QuickExit,
    /// An input of this type.
    Input(Ty),
    Alloc(Alloc),
    Free,
    MemSet,
    MemCopy,
    Pure(Answer),
    /// The address of `errno`, whose value is arbitrary at each use.
    Errno,
    Builtin,
    /// An atomic access.
    Atomic(Atomic),
    /// A primitive that only the models of the library use.
    Primitive(Primitive),
    Refused(&'static str),
}

/// Ways to allocate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alloc {
    /// The argument is the size.
    Plain,
    /// The same, at the start of a page.
    OfPages,
    /// The alignment, and the size.
    Aligned,
    /// A number of elements, and their size.
    Zeroed,
    /// On the stack: never fails.
    Stack,
}

impl Context<'_> {
    /// Runs the call of an intrinsic.
    pub(crate) fn call_intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        name: &str,
        f: Option<FnId>,
        c: &ast::CallExpression,
        span: Span,
    ) -> Res<Ev> {
        match intrinsic {
            Intrinsic::Error => {
                self.discard_all(&c.arguments)?;
                self.emitter.fails(format!("{name}() is called"), span);
            }
            Intrinsic::AssertFailed(n) => {
                let text = c.arguments.get(n).and_then(literal_text);
                let message = match text {
                    Some(text) => format!("assertion `{text}` fails"),
                    None => format!("{name}() is called"),
                };
                self.emitter.fails(message, span);
            }
            Intrinsic::Assert => self.assertion(c, span)?,
            Intrinsic::Assume => self.assumption(c, name, span)?,
            Intrinsic::Stop | Intrinsic::Exit | Intrinsic::QuickExit => {
                let end = self.end(name, c, span)?;
                self.emitter.end_run(&mut self.symbols, &intrinsic, end, span);
            }
            Intrinsic::Input(ty) => {
                let t = self.emitter.temp(ty.lower(), span);
                self.emitter.statement(Op::Havoc(t.clone(), HavocKind::Input(name.into())), span);
                return Ok(Ev::Val(Val { e: t.load(), ty }));
            }
            Intrinsic::Alloc(_) => {
                let t = self.emitter.temp(Ty::void_ptr().lower(), span);
                self.allocate(c, &t, span)?;
                return Ok(Ev::Val(Val { e: t.load(), ty: Ty::void_ptr() }));
            }
            Intrinsic::Free => {
                let [p] = &c.arguments[..] else { return wrong_arguments(name, span) };
                let v = self.value(p)?;
                self.emitter.free(v, span)?;
            }
            Intrinsic::MemSet => return self.mem_set(name, c, span),
            Intrinsic::MemCopy => return self.mem_copy(name, c, span),
            Intrinsic::Pure(answer) => return self.pure_call(answer, name, f, c, span),
            Intrinsic::Errno
                if self.settings.uses.threads && !self.symbols.is_model(self.symbols.scopes.file) =>
            {
                return self.emitter.refused_call(
                    &self.symbols,
                    "each thread has its own `errno`, which is not supported",
                    f,
                    span,
                );
            }
            Intrinsic::Errno => return Ok(self.emitter.errno(span)),
            Intrinsic::Builtin => return self.builtin(name, c, span),
            Intrinsic::Atomic(what) => return self.call_atomic(what, name, c, span),
            Intrinsic::Primitive(p) => return self.call_primitive(p, f, c, span),
            Intrinsic::Refused(_) if self.ignores_signal(name, c)? => {
                let declared = f.map(|f| self.symbols.functions[f].ty.ret.ty.clone()).filter(Ty::is_scalar);
                let ty = declared.unwrap_or(Ty::INT);
                let e = self.emitter.havoc_temp(ty.lower(), HavocKind::Extern(name.into()), span);
                self.emitter.may_set_errno(span);
                return Ok(Ev::Val(Val { e, ty }));
            }
            Intrinsic::Refused(reason) => return self.emitter.refused_call(&self.symbols, reason, f, span),
        }
        Ok(Ev::Void)
    }

    /// Whether a call only sets a signal to be ignored, or to its default action.
    fn ignores_signal(&mut self, name: &str, c: &ast::CallExpression) -> Res<bool> {
        let ("signal" | "bsd_signal" | "sigset", [_, handler]) = (name, &c.arguments[..]) else {
            return Ok(false);
        };
        Ok(matches!(self.dry(|cx| cx.value(handler))?.e, Expr::Const(0 | 1, _)))
    }

    pub(crate) fn discard_all(&mut self, arguments: &[Ast]) -> Res<()> {
        arguments.iter().try_for_each(|a| self.discard(a))
    }

    pub(crate) fn assertion(&mut self, c: &ast::CallExpression, span: Span) -> Res<()> {
        let Some(condition) = c.arguments.first() else { return wrong_arguments("assert", span) };
        let at = self.symbols.span(condition);
        let message = match self.symbols.snippet(at) {
            // The body that stands for an assertion function whose address is taken has no text.
            text if text.is_empty() => "an assertion fails".to_owned(),
            text => format!("assertion `{text}` fails"),
        };
        match self.condition_or_branches(condition, at, "an assertion needs a scalar")? {
            Ok(holds) => self.emitter.check(holds, message, span),
            Err((yes, no)) => {
                self.emitter.fun.cur = no;
                self.emitter.fails(message, span);
                self.emitter.fun.cur = yes;
            }
        }
        Ok(())
    }

    /// The truth value of a condition, or, for `&&` and `||`, the branches where it holds and where not: these
    /// are more precise than a temporary with the truth value.
    fn condition_or_branches(
        &mut self,
        condition: &Ast,
        span: Span,
        no_scalar: &str,
    ) -> Res<Result<Expr, (LocId, LocId)>> {
        if is_short_circuit(condition) || self.settings.ends_by_failing() {
            let (yes, no) = (self.emitter.fun.new_loc(), self.emitter.fun.new_loc());
            self.condition(condition, yes, no)?;
            return Ok(Err((yes, no)));
        }
        let v = self.value(condition)?;
        if v.ty.is_scalar() { Ok(Ok(fold_truth(v.e))) } else { type_error(span, no_scalar) }
    }

    fn assumption(&mut self, c: &ast::CallExpression, name: &str, span: Span) -> Res<()> {
        let Some(condition) = c.arguments.first() else { return wrong_arguments(name, span) };
        match self.condition_or_branches(condition, span, "an assumption needs a scalar")? {
            Ok(holds) => self.emitter.statement(Op::Assume(holds), span),
            Err((yes, _)) => self.emitter.fun.cur = yes,
        }
        Ok(())
    }
}

impl Symbols<'_> {
    /// The meaning of a function when it is called by name; `None` for an ordinary function.
    pub(crate) fn intrinsic(&self, types: &Types, name: &str, f: Option<FnId>) -> Option<Intrinsic> {
        let defined = f.is_some_and(|f| self.functions[f].def.is_some());
        // Where it is not checked, the user's own function is called.
        if self.settings.options.is_error_function(name)
            && (!defined || self.settings.options.wants(CheckKind::Reach))
        {
            return Some(Intrinsic::Error);
        }
        match name {
            "__assert_fail" | "__assert_perror_fail" | "__assert" | "_assert" => {
                return Some(Intrinsic::AssertFailed(0));
            }
            "__assert_rtn" | "__assert_func" | "__assert2" => return Some(Intrinsic::AssertFailed(3)),
            // The program's own aborts where it does not hold, which is an end like others.
            "assume_abort_if_not" if defined && self.settings.ends_by_failing() => {}
            "__VERIFIER_assume" | "assume_abort_if_not" | "__CPROVER_assume" | "__builtin_assume" => {
                return Some(Intrinsic::Assume);
            }
            "__CPROVER_assert" => return Some(Intrinsic::Assert),
            _ => {}
        }
        if f.is_some_and(|f| self.functions[f].def.is_some()) {
            return None;
        }
        if let Some(primitive) = self.model_primitive(name) {
            return Some(primitive);
        }
        if let Some(meaning) = self.in_threads(types, name, f) {
            return meaning;
        }
        if let Some(what) = atomic(name) {
            return Some(Intrinsic::Atomic(what));
        }
        let base = name.strip_prefix("__builtin_").unwrap_or(name);
        if let Some(known) = plain_intrinsic(name, base) {
            return Some(known);
        }
        // Each process is an execution of its own where a rule asks for the calls.
        if matches!(name, "fork" | "vfork") && self.settings.is_named_by_rules(name) {
            return Some(Intrinsic::Pure(Answer::Any));
        }
        if let Some(reason) = library::refused(name).or_else(|| library::refused(base)) {
            return Some(Intrinsic::Refused(reason));
        }
        // Threads have modes of their own, and what is declared with another type has no model.
        if base == "fesetround" && (self.settings.uses.threads || self.model(types, name, f).is_none()) {
            return Some(Intrinsic::Refused("this way to set the mode of rounding is not supported"));
        }
        // For constants these are constants.
        if crate::library::builtin::bit_count(name).is_some() {
            return Some(Intrinsic::Builtin);
        }
        // The result of a function's model is more precise.
        if self.model(types, name, f).is_some() {
            return None;
        }
        if let Some(answer) = library::pure_answer(name).or_else(|| library::pure_answer(base)) {
            return Some(Intrinsic::Pure(answer));
        }
        if name.starts_with("__builtin_") {
            return Some(Intrinsic::Builtin);
        }
        self.input(name, f).map(Intrinsic::Input)
    }

    /// Whether the function of this name leaves all memory alone.
    pub(crate) fn is_pure(&self, types: &Types, name: &str) -> bool {
        let f = match self.scopes.lookup(name) {
            Some(Entity::Function(f)) => Some(*f),
            Some(_) => return false,
            None => None,
        };
        match self.intrinsic(types, name, f) {
            Some(
                Intrinsic::Input(_)
                | Intrinsic::Pure(_)
                | Intrinsic::Assume
                | Intrinsic::Assert
                | Intrinsic::Stop,
            ) => true,
            Some(Intrinsic::Builtin) => !name.ends_with("_overflow"),
            _ => false,
        }
    }

    /// The type of the input that a nondeterminism function gives.
    pub(crate) fn input(&self, name: &str, f: Option<FnId>) -> Option<Ty> {
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
        let long = IntTy::long(self.settings.model);
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
            "size_t" => self.settings.size_ty(),
            "bool" | "_Bool" => IntTy::BOOL,
            "float" => return Some(Ty::Float(32)),
            "double" => return Some(Ty::DOUBLE),
            "pointer" | "voidp" | "pchar" => return Some(Ty::void_ptr()),
            _ => return None,
        }))
    }
}

impl Emitter<'_> {
    /// Frees the object behind a pointer.
    fn free(&mut self, mut v: Val, span: Span) -> Res<()> {
        if v.ty.as_int().is_some() && v.e.is_zero() {
            v = Val { e: self.convert(v, &Ty::void_ptr(), span)?, ty: Ty::void_ptr() };
        }
        if v.ty.pointee().is_none() {
            return type_error(span, "`free` needs a pointer");
        }
        // The bare address of a variable would end its block.
        let p = if matches!(v.e, Expr::AddrOf(_)) { v.e.cast(Ty::void_ptr().lower()) } else { v.e };
        self.statement(Op::Free(p), span);
        Ok(())
    }

    /// The run ends here, after the handlers for its kind of end.
    fn end_run(&mut self, symbols: &mut Symbols<'_>, intrinsic: &Intrinsic, end: Option<Op>, span: Span) {
        match intrinsic {
            Intrinsic::Exit => self.exit_handlers(symbols, span),
            Intrinsic::QuickExit => self.quick_exit_handlers(symbols, span),
            _ => {}
        }
        if *intrinsic != Intrinsic::Stop {
            self.mark_end(span);
        }
        if let Some(end) = end {
            self.statement(end, span);
        }
        self.statement(Op::Assume(Expr::int(0)), span);
        self.fun.cur = self.fun.new_loc();
    }

    /// Calls what the program wants to be run at its end.
    pub(crate) fn exit_handlers(&mut self, symbols: &mut Symbols<'_>, span: Span) {
        if self.settings.uses.atexit
            && let Some(handlers) = symbols.models.get("slam_exit_handlers").copied()
        {
            let handlers = self.proc_of(symbols, handlers);
            self.call_internally(handlers, vec![], span);
        }
        self.run_destructors(symbols, span);
    }

    /// Calls what the program wants to be run when it ends quickly.
    fn quick_exit_handlers(&mut self, symbols: &mut Symbols<'_>, span: Span) {
        if let Some(handlers) = symbols.models.get("slam_quick_exit_handlers").copied() {
            let handlers = self.proc_of(symbols, handlers);
            self.call_internally(handlers, vec![], span);
        }
    }

    /// A call whose effect nothing models: what follows is unreachable, and gets a value of the declared type.
    fn refused_call(&mut self, symbols: &Symbols<'_>, reason: &str, f: Option<FnId>, span: Span) -> Res<Ev> {
        self.unmodelled(reason, span);
        let ty = f.map_or(Ty::INT, |f| symbols.functions[f].ty.ret.ty.clone());
        Ok(match ty {
            ty if ty.is_scalar() => {
                let e = self.havoc_temp(ty.lower(), HavocKind::Unmodelled(reason.into()), span);
                Ev::Val(Val { e, ty })
            }
            _ => Ev::Void,
        })
    }

    /// A check fails, which ends the execution.
    fn fails(&mut self, message: String, span: Span) {
        if self.settings.ends_by_failing() {
            self.internal(ir::Output::Visible("abort".into()).op(vec![]), span);
        }
        self.check(Expr::int(0), message, span);
        self.end_path(span);
    }
}

impl Settings<'_> {
    /// Whether a failing check is not the error in question, but an end of the program that is checked for
    /// something.
    fn ends_by_failing(&self) -> bool {
        self.options.leaks_at == ProgramEnds::Any && !self.options.wants(CheckKind::Reach)
    }
}

pub(crate) fn wrong_arguments<T>(name: &str, span: Span) -> Res<T> {
    type_error(span, format!("`{name}` is called with the wrong number of arguments"))
}

/// Ends of the program and memory: the function of this name; `base` is the name without the prefix of a builtin.
pub(crate) fn plain_intrinsic(name: &str, base: &str) -> Option<Intrinsic> {
    Some(match base {
        "assert" | "__VERIFIER_assert" => Intrinsic::Assert,
        // The only thread is the last one, whose end is that of the process.
        "exit" | "pthread_exit" | "thrd_exit" => Intrinsic::Exit,
        "quick_exit" => Intrinsic::QuickExit,
        "abort" | "_exit" | "_Exit" => Intrinsic::Stop,
        "unreachable" | "trap" if name != base => Intrinsic::Stop,
        "__errno_location" => Intrinsic::Errno,
        "malloc" => Intrinsic::Alloc(Alloc::Plain),
        "valloc" => Intrinsic::Alloc(Alloc::OfPages),
        "aligned_alloc" | "memalign" => Intrinsic::Alloc(Alloc::Aligned),
        "calloc" => Intrinsic::Alloc(Alloc::Zeroed),
        "alloca" => Intrinsic::Alloc(Alloc::Stack),
        "free" | "cfree" => Intrinsic::Free,
        "memset" | "__memset_chk" => Intrinsic::MemSet,
        "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => Intrinsic::MemCopy,
        _ => return None,
    })
}

/// The text of a string literal, as a message shows it.
pub(crate) fn literal_text(e: &Ast) -> Option<String> {
    let ast::Expression::StringLiteral(s) = &e.node else { return None };
    let mut out = String::new();
    for part in &s.node {
        let (units, _) = crate::types::constants::literal(part).ok()?;
        out.extend(units.into_iter().filter_map(char::from_u32));
    }
    Some(out.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether an expression is `&&` or `||`.
fn is_short_circuit(e: &Ast) -> bool {
    matches!(&e.node, ast::Expression::BinaryOperator(b) if matches!(
        b.node.operator.node,
        ast::BinaryOperator::LogicalAnd | ast::BinaryOperator::LogicalOr
    ))
}
