//! Primitives for models: names that begin with `__slam_` and have a meaning inside of the model files alone.

use crate::error::Res;
use crate::library::intrinsics::{Intrinsic, wrong_arguments};
use crate::library::threads;
use crate::lower::context::{Context, Settings, Symbols};
use crate::lower::expr::{Ast, Ev, Val};
use crate::lower::scope::FnId;
use crate::types::ty::{IntTy, Ty};
use base::Span;
use ir::ThreadOp;
use ir::{
    CheckKind, Expr, FloatOp, HavocKind, LibraryAccess, ObjectQuery, Op, Origin, Output, StartInput, TextPart,
};
use lang_c::ast;

/// The primitives for models.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Primitive {
    /// Asks about the object that a pointer points into.
    Inspect(ObjectQuery),
    /// The model ends here, for the reason given.
    Unmodelled,
    /// An operation on a floating-point number, or one that gives it.
    Float(FloatOp),
    /// `errno` gets a number, where anybody reads it.
    SetErrno,
    /// `errno` gets a number other than 0, or keeps its own, as real executions compute it.
    MayFail,
    /// A stream that was opened.
    Opened,
    /// A stream that is open again, after it was closed.
    Reopened,
    /// Does with its arguments what undefined functions do.
    Environment,
    /// C lets the function access this memory, whether it does or not.
    Access(LibraryAccess),
    /// 1 where a fact holds in this program, or is checked for it, else 0.
    Is(Fact),
    /// A part of a text that was made.
    Made(TextPart),
    /// A value that real executions compute, and the model does not.
    Arbitrary,
    /// A value that comes from outside.
    Input,
    /// A value that the library chooses, any one.
    Choice,
    /// A block has another size, where it stands.
    Resize,
    /// An input at the start of the program.
    Start(StartInput),
    /// An operation on threads.
    Thread(ThreadOp),
}

/// Facts that models know about the program before it runs, so that code for other programs is not lowered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fact {
    /// Accesses outside of objects are checked.
    BoundsChecked,
    /// Allocations may fail.
    MemoryEnds,
    /// There may be threads that are not modelled: a rule is about a part of a program.
    OthersRun,
    /// The program may set a locale.
    LocaleSet,
}

impl Context<'_> {
    /// Runs what only models use.
    pub(crate) fn call_primitive(
        &mut self,
        primitive: Primitive,
        f: Option<FnId>,
        c: &ast::CallExpression,
        span: Span,
    ) -> Res<Ev> {
        let ty = f.map_or(Ty::INT, |f| self.symbols.functions[f].ty.ret.ty.clone());
        let name = self.emitter.fun.name.clone();
        let kind = match primitive {
            Primitive::Unmodelled => {
                let text = c
                    .arguments
                    .first()
                    .and_then(crate::library::intrinsics::literal_text)
                    .unwrap_or_default();
                self.emitter.unmodelled(text, span);
                return Ok(Ev::Void);
            }
            Primitive::Inspect(query) => {
                let [pointer] = &c.arguments[..] else { return wrong_arguments(&name, span) };
                let ptr = self.value(pointer)?.e;
                let dest = self.emitter.temp(ty.lower(), span);
                self.emitter.internal(Op::Inspect { dest: dest.clone(), query, ptr }, span);
                return Ok(Ev::Val(Val { e: dest.load(), ty }));
            }
            Primitive::Float(op) => {
                let ([operand], Some(f)) = (&c.arguments[..], f) else {
                    return wrong_arguments(&name, span);
                };
                let of = self.symbols.functions[f].ty.params[0].ty.clone();
                let e = self.value_to(operand, &of)?;
                return Ok(Ev::Val(Val { e: op.of(e), ty }));
            }
            Primitive::MayFail => {
                self.emitter.may_compute_errno(&name, span);
                return Ok(Ev::Void);
            }
            Primitive::SetErrno => {
                let [number] = &c.arguments[..] else { return wrong_arguments(&name, span) };
                if self.settings.uses.errno {
                    let number = self.value_to(number, &Ty::INT)?;
                    self.emitter.set_errno(number, span);
                }
                return Ok(Ev::Void);
            }
            Primitive::Opened | Primitive::Reopened => {
                let [stream] = &c.arguments[..] else { return wrong_arguments(&name, span) };
                let stream = self.value(stream)?.e;
                if primitive == Primitive::Opened {
                    let e = self.emitter.stream_opened(stream, span);
                    return Ok(Ev::Val(Val { e, ty }));
                }
                self.emitter.stream_reopened(&stream, span);
                return Ok(Ev::Void);
            }
            Primitive::Environment => {
                let args = self.values_of(&c.arguments)?;
                let environment = self.emitter.outside("environment__", Origin::Program, span);
                self.emitter.call_internally(environment, args, span);
                return Ok(Ev::Void);
            }
            Primitive::Access(access) => {
                let [pointer, bytes] = &c.arguments[..] else { return wrong_arguments(&name, span) };
                let pointer = self.value(pointer)?.e;
                let bytes = self.value_to(bytes, &Ty::Int(self.settings.size_ty()))?;
                if self.settings.checks_memory() {
                    self.emitter.access(access, vec![pointer, bytes], span);
                }
                return Ok(Ev::Void);
            }
            Primitive::Is(fact) => {
                let holds = self.settings.holds(fact);
                return Ok(Ev::Val(Val::int(holds.into(), IntTy::INT)));
            }
            Primitive::Thread(op) => {
                let args = self.values_of(&c.arguments)?;
                return self.emitter.thread_operation(op, args, ty, span);
            }
            Primitive::Resize => {
                let args = self.values_of(&c.arguments)?;
                self.emitter.internal(Output::Resizes.op(args), span);
                return Ok(Ev::Void);
            }
            Primitive::Choice => HavocKind::Choice(format!("what {name}() chooses").into()),
            Primitive::Made(part) => HavocKind::Made(part, name.into()),
            Primitive::Arbitrary => HavocKind::Unmodelled(name.into()),
            Primitive::Start(what) => HavocKind::Start(what),
            Primitive::Input => {
                self.emitter.may_set_errno(span);
                let is_variable = name == crate::library::environment::VALUE;
                HavocKind::Extern(if is_variable { "getenv".into() } else { name.into() })
            }
        };
        Ok(Ev::Val(Val { e: self.emitter.havoc_temp(ty.lower(), kind, span), ty }))
    }

    fn values_of(&mut self, arguments: &[Ast]) -> Res<Vec<Expr>> {
        arguments.iter().map(|a| Ok(self.value(a)?.e)).collect()
    }
}

impl Settings<'_> {
    /// Whether the program or its checks have the property.
    fn holds(&self, fact: Fact) -> bool {
        match fact {
            Fact::BoundsChecked => self.options.wants(CheckKind::Bounds),
            Fact::MemoryEnds => self.options.malloc_may_fail,
            Fact::OthersRun => self.options.marked.is_some(),
            Fact::LocaleSet => self.uses.locale,
        }
    }
}

impl Symbols<'_> {
    /// The meaning of a name that only models use.
    pub(crate) fn model_primitive(&self, name: &str) -> Option<Intrinsic> {
        if !self.is_model(self.scopes.file) {
            return None;
        }
        let name = name.strip_prefix("__slam_")?;
        if let Some(op) = threads::operation(name) {
            return Some(Intrinsic::Primitive(Primitive::Thread(op)));
        }
        Some(Intrinsic::Primitive(match name {
            "size" => Primitive::Inspect(ObjectQuery::Size),
            "offset" => Primitive::Inspect(ObjectQuery::Offset),
            "unmodelled" => Primitive::Unmodelled,
            "set_errno" => Primitive::SetErrno,
            "may_set_errno" => Primitive::MayFail,
            "opened" => Primitive::Opened,
            "reopened" => Primitive::Reopened,
            "environment" => Primitive::Environment,
            "reads" => Primitive::Access(LibraryAccess::Reads),
            "writes" => Primitive::Access(LibraryAccess::Writes),
            "checks_bounds" => Primitive::Is(Fact::BoundsChecked),
            "memory_ends" => Primitive::Is(Fact::MemoryEnds),
            "others_run" => Primitive::Is(Fact::OthersRun),
            "sets_locale" => Primitive::Is(Fact::LocaleSet),
            "bits_of" | "bits_of_float" => Primitive::Float(FloatOp::ToBits),
            "of_bits" | "float_of_bits" => Primitive::Float(FloatOp::OfBits),
            "text_length" => Primitive::Made(TextPart::Length),
            "text_character" => Primitive::Made(TextPart::Character),
            name if name.starts_with("any_") => Primitive::Arbitrary,
            "string_length" => Primitive::Start(StartInput::StringLength),
            "string_character" => Primitive::Start(StartInput::StringCharacter),
            name if name.starts_with("input_") => Primitive::Input,
            name if name.starts_with("choice_") => Primitive::Choice,
            "resize" => Primitive::Resize,
            _ => return None,
        }))
    }
}
