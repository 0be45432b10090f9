//! `--check file`: a stream is a thing that `fopen` and its relatives open and `fclose` and `pclose` close. One of the streams
//! that the program opens is watched, whichever an execution picks; in front of each call that uses a stream stands a
//! check that it is not NULL, and one that it is not the watched stream after its end. The standard streams are never
//! watched: closing one is not modelled.

use crate::contracts::{self, Need};
use crate::cx::{Cx, StaticInit};
use crate::expr::Ast;
use crate::scope::FnId;
use crate::ty::Ty;
use base::Span;
use cmm::{BinOp, CheckKind, Expr, HavocKind, Lvalue, Op, Type, VarId};

/// The ghost variables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watched {
    /// The stream that is watched, or NULL.
    stream: VarId,
    /// Whether it was closed.
    closed: VarId,
}

impl Watched {
    fn stream(self) -> Lvalue {
        Lvalue::var(self.stream, Ty::void_ptr().lower())
    }

    fn closed(self) -> Lvalue {
        Lvalue::var(self.closed, Type::INT)
    }
}

/// Whether the function ends the life of its stream.
fn closes(name: &str) -> bool {
    matches!(name, "fclose" | "pclose" | "freopen")
}

impl Cx<'_> {
    fn watched(&mut self, span: Span) -> Watched {
        if let Some(watched) = self.watched_stream {
            return watched;
        }
        let stream = self.anonymous_global("watched_stream__", Ty::void_ptr().lower(), span);
        let closed = self.anonymous_global("stream_closed__", Type::INT, span);
        let watched = Watched { stream, closed };
        if self.dry == 0 {
            self.watched_stream = Some(watched);
            let null = Op::Assign(watched.stream(), Expr::Const(0, Ty::void_ptr().lower()));
            let open = Op::Assign(watched.closed(), Expr::int(0));
            self.static_inits.push(StaticInit { order: 0, ops: vec![(null, span), (open, span)] });
        }
        watched
    }

    /// A stream that was opened just now, or NULL: it is no other one, and may be the one to watch.
    pub(crate) fn stream_opened(&mut self, stream: &Expr, span: Span) {
        if !self.opts.wants(CheckKind::File) {
            return;
        }
        let watched = self.watched(span);
        let null = Ty::void_ptr().lower();
        let stream = stream.clone().cast(null.clone());
        let is = |op, e: Expr| Expr::binary(op, e, Expr::Const(0, null.clone()));
        let fresh = Expr::binary(BinOp::Ne, stream.clone(), watched.stream().load());
        let failed = is(BinOp::Eq, stream.clone());
        self.internal(Op::Assume(Expr::or(failed.clone(), fresh)), span);
        let done = self.fun.new_loc();
        self.fork(failed, done, span);
        self.fork(is(BinOp::Ne, watched.stream().load()), done, span);
        let kind = HavocKind::Outside("which stream is watched".into());
        let other = self.havoc_temp(Type::INT, kind, span);
        self.fork(Expr::binary(BinOp::Eq, other, Expr::int(0)), done, span);
        self.internal(Op::Assign(watched.stream(), stream), span);
        self.fun.enter(done, span);
    }

    /// A stream is open again.
    pub(crate) fn stream_reopened(&mut self, stream: &Expr, span: Span) {
        if self.opts.wants(CheckKind::File) {
            self.sets_closed(stream, 0, span);
        }
    }

    /// If the stream is the watched one, it is open or closed from now on.
    fn sets_closed(&mut self, stream: &Expr, closed: i128, span: Span) {
        let watched = self.watched(span);
        let stream = stream.clone().cast(Ty::void_ptr().lower());
        let other = Expr::binary(BinOp::Ne, stream, watched.stream().load());
        let done = self.fun.new_loc();
        self.fork(other, done, span);
        self.internal(Op::Assign(watched.closed(), Expr::int(closed)), span);
        self.fun.enter(done, span);
    }

    /// The checks in front of a call of a function of the library that uses streams, and what it means for them.
    pub(crate) fn use_streams(
        &mut self,
        name: &str,
        f: Option<FnId>,
        asts: &[Ast],
        args: &[Option<Expr>],
        span: Span,
    ) {
        if !self.opts.wants(CheckKind::File) || self.is_model(self.scopes.file) {
            return;
        }
        let Some(needs) = contracts::contract(name) else {
            let streams = f.is_some_and(|f| self.is_of_library(f) && self.takes_stream(f));
            if streams && self.model(name, f).is_none() {
                self.perhaps_unmodelled(name, span);
            }
            return;
        };
        for need in needs {
            let Need::Present(n) = need else { continue };
            if asts.get(*n).is_some_and(crate::output::is_standard) {
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
        let ty = Ty::void_ptr().lower();
        let stream = stream.cast(ty.clone());
        let there = Expr::binary(BinOp::Ne, stream.clone(), Expr::Const(0, ty));
        self.check_of(CheckKind::File, there, format!("{name}() gets NULL for a stream"), span);
        let open = Expr::binary(BinOp::Eq, watched.closed().load(), Expr::int(0));
        let other = Expr::binary(BinOp::Ne, stream.clone(), watched.stream().load());
        let message = format!("{name}() gets a stream that was closed");
        self.check_of(CheckKind::File, Expr::or(other, open), message, span);
        if closes(name) {
            self.sets_closed(&stream, 1, span);
        }
    }

    /// Whether a parameter or the result of the function is a stream, by the name that glibc gives the type.
    fn takes_stream(&self, f: FnId) -> bool {
        let ty = &self.functions[f].ty;
        ty.params.iter().chain([&ty.ret]).any(|t| match t.ty.pointee().map(|to| &to.ty) {
            Some(Ty::Record(record)) => self.records[*record].name.ends_with("_IO_FILE"),
            _ => false,
        })
    }
}
