//! Operations on threads: calls of procedures without body whose origin is [`Origin::Thread`].

use super::{Op, Origin, ProcId, Program};
use crate::types::{DataModel, FuncType, IntType, Type};
use std::sync::Arc;

/// Prefix of the names of functions whose bodies are atomic sections.
pub const ATOMIC: &str = "__VERIFIER_atomic_";

named! {
    /// An operation on threads. The threads are numbered from 1, which is the one that the program starts with,
    /// in the order in which they are started.
    ThreadOp {
        /// Starts a thread that executes a procedure, which has one parameter, with an argument; the result is its number.
        Start = "slam_start",
        /// Blocks until the thread of this number has ended; the result is what its procedure returned.
        Join = "slam_join",
        /// The same, of a procedure that returns a number.
        JoinNumber = "slam_join_number",
        /// Ends the thread, with this as the result of its procedure.
        Exit = "slam_exit",
        /// The same, where that is a number.
        ExitNumber = "slam_exit_number",
        /// From here on no other thread moves; sections may be nested.
        Begin = "slam_atomic_begin",
        /// The end of such a section.
        End = "slam_atomic_end",
        /// Blocks while the condition is zero.
        Wait = "slam_wait",
        /// The number of this thread.
        Current = "slam_self",
    }
}

impl ThreadOp {
    /// The operation that a call of this procedure is.
    pub fn of(program: &Program, p: ProcId) -> Option<ThreadOp> {
        match program.procs[p].origin {
            Origin::Thread(op) => Some(op),
            Origin::Program | Origin::Library | Origin::Foreign => None,
        }
    }

    /// The type of its procedure.
    pub fn ty(self, model: DataModel) -> FuncType {
        let number = Type::Int(IntType { bits: model.pointer_bits(), signed: false });
        let any = || Type::Void.ptr_to();
        let body = FuncType { ret: any(), params: vec![any()], variadic: false };
        let (ret, params) = match self {
            ThreadOp::Start => (number, vec![Type::Func(Arc::new(body)).ptr_to(), any()]),
            ThreadOp::Join => (any(), vec![number]),
            ThreadOp::JoinNumber => (Type::INT, vec![number]),
            ThreadOp::Exit => (Type::Void, vec![any()]),
            ThreadOp::ExitNumber => (Type::Void, vec![Type::INT]),
            ThreadOp::Begin | ThreadOp::End => (Type::Void, vec![]),
            ThreadOp::Wait => (Type::Void, vec![Type::INT]),
            ThreadOp::Current => (number, vec![]),
        };
        FuncType { ret, params, variadic: false }
    }

    /// The operation that an edge does.
    pub fn at(program: &Program, op: &Op) -> Option<ThreadOp> {
        ThreadOp::of(program, op.calls()?)
    }
}
