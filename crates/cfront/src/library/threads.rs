//! Programs with threads: the functions with another meaning in them, and the calls of operations on threads.

use crate::error::Res;
use crate::library::intrinsics::{Intrinsic, wrong_arguments};
use crate::library::models::Used;
use crate::library::primitives::Primitive;
use crate::lower::context::{Emitter, Settings, Symbols};
use crate::lower::expr::{Ev, Val, fold_truth};
use crate::lower::scope::FnId;
use crate::types::table::Types;
use crate::types::ty::{IntTy, Rank, Ty};
use base::{Diagnostic, Span};
use ir::ThreadOp;
use ir::{Callee, Expr, HavocKind, Op, Origin, Proc, ProcId, Program};
use std::sync::Arc;

/// Prefixes of the names of functions for threads.
const PREFIXES: [&str; 6] = ["pthread_", "thrd_", "mtx_", "cnd_", "tss_", "sem_"];
/// Prefixes of functions that only set up attributes, which do not matter here.
const ATTRIBUTES: [&str; 2] = ["pthread_attr_", "pthread_mutexattr_"];

/// The models of what threads know about themselves, for programs with one thread and for others.
pub(crate) const ALONE: &str = "locks.c";
pub(crate) const SELF: &str = "threads_self.c";
/// The models of threads and locks.
pub(crate) const THREADS: &str = "threads.c";
/// The models of mutexes, where all are of the default kind and where some may not be.
pub(crate) const MUTEXES: &str = "mutexes.c";
pub(crate) const KINDS: &str = "mutex_kinds.c";
/// Names that make mutexes of other kinds: functions, and constants, with how often the headers mention them.
const KIND_MAKERS: [&str; 2] = ["pthread_mutexattr_init", "pthread_mutexattr_settype"];
const KINDS_OF_MUTEXES: [(&str, u32); 3] =
    [("mtx_recursive", 1), ("PTHREAD_MUTEX_RECURSIVE_NP", 2), ("PTHREAD_MUTEX_ERRORCHECK_NP", 2)];
/// The library's types for names of threads.
const NAMES_OF_THREADS: [&str; 2] = ["pthread_t", "thrd_t"];
/// The functions that start threads.
const STARTING: [&str; 2] = ["pthread_create", "thrd_create"];

/// Whether the program starts threads.
pub(crate) fn starts_threads(used: &Used) -> bool {
    STARTING.iter().any(|name| used.in_bodies(name))
}

/// The model files that the program has no use for, as others define the same.
pub(crate) fn left_out(used: &Used) -> &'static [&'static str] {
    match (starts_threads(used), makes_kinds(used)) {
        (false, false) => &[SELF, KINDS],
        (false, true) => &[SELF, MUTEXES],
        (true, false) => &[ALONE, KINDS],
        (true, true) => &[ALONE, MUTEXES],
    }
}

/// Whether mutexes may be of other kinds than the default.
pub(crate) fn makes_kinds(used: &Used) -> bool {
    KINDS_OF_MUTEXES.iter().any(|(name, most)| used.times(name) > *most)
        || KIND_MAKERS.iter().any(|name| used.in_bodies(name))
}

/// The operation that a name of the models stands for, without its beginning.
pub(crate) fn operation(name: &str) -> Option<ThreadOp> {
    ThreadOp::ALL.into_iter().find(|op| op.name().strip_prefix("slam_") == Some(name))
}

impl Symbols<'_> {
    /// The meaning of a function in a program that starts threads, where it differs from that in others: no
    /// special meaning at all, where there is a model.
    pub(crate) fn in_threads(&self, types: &Types, name: &str, f: Option<FnId>) -> Option<Option<Intrinsic>> {
        if !self.settings.uses.threads {
            return None;
        }
        match name {
            "__VERIFIER_atomic_begin" => {
                return Some(Some(Intrinsic::Primitive(Primitive::Thread(ThreadOp::Begin))));
            }
            "__VERIFIER_atomic_end" => {
                return Some(Some(Intrinsic::Primitive(Primitive::Thread(ThreadOp::End))));
            }
            _ => {}
        }
        if !PREFIXES.iter().any(|p| name.starts_with(p)) {
            return None;
        }
        if self.model(types, name, f).is_some() {
            return Some(None);
        }
        if ATTRIBUTES.iter().any(|p| name.starts_with(p)) {
            return None;
        }
        Some(Some(Intrinsic::Refused("this operation on threads is not supported")))
    }
}

impl Settings<'_> {
    /// The type with this name. In a program that starts threads, names of threads have a type of their own,
    /// other than numbers: they are consecutive numbers here, and addresses or anything else elsewhere.
    pub(crate) fn named_type(&self, name: &str, ty: Ty) -> Ty {
        match ty {
            Ty::Int(i) if self.uses.threads && i.rank == Rank::Long && NAMES_OF_THREADS.contains(&name) => {
                Ty::Int(IntTy { rank: Rank::Thread, ..i })
            }
            ty => ty,
        }
    }
}

impl Emitter<'_> {
    /// Calls an operation on threads. In a program that starts none, no other thread moves, and an awaited
    /// condition holds now or never.
    pub(crate) fn thread_operation(&mut self, op: ThreadOp, given: Vec<Expr>, ty: Ty, span: Span) -> Res<Ev> {
        let lowered = op.ty(self.settings.model);
        if given.len() != lowered.params.len() {
            return wrong_arguments(op.name(), span);
        }
        let args: Vec<Expr> =
            given.into_iter().zip(&lowered.params).map(|(e, ty)| e.cast(ty.clone())).collect();
        if !self.settings.uses.threads {
            match (op, &args[..]) {
                (ThreadOp::Begin | ThreadOp::End, _) => return Ok(Ev::Void),
                (ThreadOp::Wait, [condition]) => {
                    self.statement(Op::Assume(fold_truth(condition.clone())), span);
                    return Ok(Ev::Void);
                }
                (ThreadOp::Current, _) => {
                    return Ok(Ev::Val(Val { e: Expr::Const(1, lowered.ret.clone()), ty }));
                }
                _ => {}
            }
        }
        let proc = self.thread_procedure(op, span);
        let dest = (lowered.ret != ir::Type::Void).then(|| self.temp(lowered.ret.clone(), span));
        self.internal(Op::Call { dest: dest.clone(), callee: Callee::Direct(proc), args }, span);
        Ok(dest.map_or(Ev::Void, |dest| Ev::Val(Val { e: dest.load(), ty })))
    }

    /// The name of a thread as a number: any but zero.
    pub(crate) fn number_of_thread(&mut self, v: Val, span: Span) -> Val {
        let Ty::Int(i) = v.ty else { return v };
        if i.rank != Rank::Thread {
            return v;
        }
        let ty = Ty::Int(i.as_number());
        let kind = HavocKind::Unmodelled("the number of a thread".into());
        let e = self.havoc_temp(ty.lower(), kind, span);
        let zero = Expr::Const(0, ty.lower());
        self.internal(Op::Assume(Expr::binary(ir::BinOp::Ne, e.clone(), zero)), span);
        Val { e, ty }
    }

    /// An operation without arguments and result.
    pub(crate) fn thread_step(&mut self, op: ThreadOp, span: Span) {
        let callee = Callee::Direct(self.thread_procedure(op, span));
        self.internal(Op::Call { dest: None, callee, args: vec![] }, span);
    }

    fn thread_procedure(&mut self, op: ThreadOp, span: Span) -> ProcId {
        if let Some(proc) = self.procs.iter_enumerated().find(|(_, p)| p.origin == Origin::Thread(op)) {
            return proc.0;
        }
        if self.dry > 0 {
            return base::Id::from_index(0);
        }
        let name = self.names.procs.fresh(op.name(), |_| false);
        self.procs.push(Proc {
            origin: Origin::Thread(op),
            ..Proc::new(name, Arc::new(op.ty(self.settings.model)), false, span)
        })
    }
}

/// The assumption in every answer about a program with threads.
pub(crate) fn assumption(program: &Program) -> Diagnostic {
    let span = program.procs[program.entry].span;
    Diagnostic::warning(
        span,
        "threads are assumed to see memory alike at each moment (sequential consistency)",
    )
}
