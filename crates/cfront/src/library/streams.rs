//! `--check file`: a stream is opened by `fopen` and its relatives and closed by `fclose` and `pclose`. One of
//! the streams that the program opens is watched, chosen nondeterministically; in front of each call that uses
//! a stream stand a check that it is not NULL, and one that it is not the watched stream after its end. The
//! standard streams are never watched: closing one is not modelled.

use crate::library;
use crate::library::contracts::Need;
use crate::lower::context::{Emitter, StaticInit, Symbols};
use crate::lower::expr::Ast;
use crate::lower::scope::FnId;
use crate::types::table::Types;
use crate::types::ty::Ty;
use base::Span;
use ir::{BinOp, CheckKind, Expr, HavocKind, Lvalue, Op, Type, VarId};

/// The ghost variables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watched {
    /// The stream that is watched.
    stream: VarId,
    /// Its state.
    state: VarId,
}

const UNUSED: i128 = 0;
const OPEN: i128 = 1;
const CLOSED: i128 = 2;

impl Watched {
    fn stream(self) -> Lvalue {
        Lvalue::var(self.stream, Ty::void_ptr().lower())
    }

    fn state(self) -> Lvalue {
        Lvalue::var(self.state, Type::INT)
    }

    /// The condition that this is not the watched stream.
    fn differs(self, stream: &Expr) -> Expr {
        let stream = stream.clone().cast(Ty::void_ptr().lower());
        Expr::binary(BinOp::Ne, stream, self.stream().load())
    }
}

fn null() -> Expr {
    Expr::Const(0, Ty::void_ptr().lower())
}

/// Whether the function ends the life of its stream.
fn closes(name: &str) -> bool {
    matches!(name, "fclose" | "pclose" | "freopen")
}

impl Emitter<'_> {
    /// The watched address, any one from outside, chosen at the start: no other stream gets it.
    fn watched(&mut self, span: Span) -> Watched {
        if let Some(watched) = self.library.watched_stream {
            return watched;
        }
        let stream = self.anonymous_global("watched_stream__", Ty::void_ptr().lower(), span);
        let state = self.anonymous_global("stream_state__", Type::INT, span);
        let watched = Watched { stream, state };
        if self.dry == 0 {
            self.library.watched_stream = Some(watched);
            let any = Op::Havoc(watched.stream(), HavocKind::Analysis("the stream that is watched".into()));
            let there = Op::Assume(watched.differs(&null()));
            let unused = Op::Assign(watched.state(), Expr::int(UNUSED));
            let ops = [any, there, unused].into_iter().map(|op| (op, span)).collect();
            self.static_inits.push(StaticInit { order: 0, ops });
        }
        watched
    }

    /// The result of a library function that opens a stream: NULL, the watched one once, or another one.
    pub(crate) fn stream_opened(&mut self, stream: Expr, span: Span) -> Expr {
        if !self.settings.options.wants(CheckKind::File) {
            return stream;
        }
        let watched = self.watched(span);
        let answer = self.temp(Ty::void_ptr().lower(), span);
        self.internal(Op::Assign(answer.clone(), stream.cast(Ty::void_ptr().lower())), span);
        let (done, other) = (self.fun.new_loc(), self.fun.new_loc());
        self.fork(Expr::binary(BinOp::Eq, answer.clone().load(), null()), done, span);
        self.fork(Expr::binary(BinOp::Ne, watched.state().load(), Expr::int(UNUSED)), other, span);
        let kind = HavocKind::Analysis("whether the stream is the one that is watched".into());
        let chosen = self.havoc_temp(Type::INT, kind, span);
        self.fork(Expr::binary(BinOp::Eq, chosen, Expr::int(0)), other, span);
        self.internal(Op::Assign(answer.clone(), watched.stream().load()), span);
        self.internal(Op::Assign(watched.state(), Expr::int(OPEN)), span);
        self.fun.goto(done, span);
        self.fun.cur = other;
        self.internal(Op::Assume(watched.differs(&answer.clone().load())), span);
        self.fun.enter(done, span);
        answer.load()
    }

    /// A stream is open again.
    pub(crate) fn stream_reopened(&mut self, stream: &Expr, span: Span) {
        if self.settings.options.wants(CheckKind::File) {
            self.set_stream(stream, OPEN, span);
        }
    }

    /// If the stream is the watched one, it is open or closed from now on.
    fn set_stream(&mut self, stream: &Expr, state: i128, span: Span) {
        let watched = self.watched(span);
        let done = self.fun.new_loc();
        self.fork(watched.differs(stream), done, span);
        self.internal(Op::Assign(watched.state(), Expr::int(state)), span);
        self.fun.enter(done, span);
    }

    /// The checks in front of a call of a function of the library that uses streams, and what it means for them.
    pub(crate) fn use_streams(
        &mut self,
        types: &Types,
        symbols: &Symbols<'_>,
        (name, f): (&str, Option<FnId>),
        asts: &[Ast],
        args: &[Option<Expr>],
        span: Span,
    ) {
        if !self.settings.options.wants(CheckKind::File) || symbols.is_model(symbols.scopes.file) {
            return;
        }
        let Some(needs) = library::contract(name) else {
            let streams = f.is_some_and(|f| symbols.is_of_library(f) && symbols.takes_stream(types, f));
            if streams && symbols.model(types, name, f).is_none() {
                self.perhaps_unmodelled(name, span);
            }
            return;
        };
        for need in needs {
            let Need::Present(n) = need else { continue };
            if asts.get(*n).is_some_and(crate::library::output::is_standard) {
                if closes(name) {
                    self.perhaps_unmodelled(name, span);
                }
                continue;
            }
            if let Some(stream) = args.get(*n).cloned().flatten().filter(|e| e.ty().is_ptr()) {
                self.use_stream(name, stream, span);
            }
        }
    }

    fn use_stream(&mut self, name: &str, stream: Expr, span: Span) {
        let watched = self.watched(span);
        let stream = stream.cast(Ty::void_ptr().lower());
        let there = Expr::binary(BinOp::Ne, stream.clone(), null());
        self.check_of(CheckKind::File, there, format!("{name}() gets NULL for a stream"), span);
        let open = Expr::binary(BinOp::Ne, watched.state().load(), Expr::int(CLOSED));
        let message = format!("{name}() gets a stream that was closed");
        self.check_of(CheckKind::File, Expr::or(watched.differs(&stream), open), message, span);
        if closes(name) {
            self.set_stream(&stream, CLOSED, span);
        }
    }
}

impl Symbols<'_> {
    /// Whether a parameter or the result of the function is a stream, by the name that glibc gives the type.
    fn takes_stream(&self, types: &Types, f: FnId) -> bool {
        let ty = &self.functions[f].ty;
        ty.params.iter().chain([&ty.ret]).any(|t| match t.ty.pointee().map(|to| &to.ty) {
            Some(Ty::Record(record)) => types.records[*record].name.ends_with("_IO_FILE"),
            _ => false,
        })
    }
}
