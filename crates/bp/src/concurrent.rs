//! Distinguishes concurrent programs from sequential ones. A sequential checker must refuse the former: its
//! result for one of their threads would not be an answer.

use crate::ast::{Proc, Program, Stmt, StmtKind, preorder};
use crate::name::Loc;
use base::Diagnostic;

/// A place that makes a program concurrent, with what stands there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Concurrent {
    /// The place.
    pub loc: Loc,
    /// The construct, with an article where it needs one.
    pub what: String,
}

impl Concurrent {
    /// The refusal of a tool for sequential programs.
    pub fn refusal(&self) -> Diagnostic {
        let message =
            format!("{} belongs to a concurrent program; only sequential ones can be decided", self.what);
        Diagnostic::error(self.loc.0, message)
    }
}

impl Program {
    /// The first construct that makes the program concurrent: a thread, a statement about threads, or the form
    /// that Getafix reads. (A name like `x$` does so too, but only the checker knows what is declared.)
    pub fn concurrent(&self) -> Option<Concurrent> {
        if let Some(thread) = self.threads.first() {
            return Some(Concurrent { loc: thread.name.loc, what: "a thread".to_owned() });
        }
        if let Some(init) = self.getafix_init() {
            let what = "the procedure `init` with its label `endinit`".to_owned();
            return Some(Concurrent { loc: init.name.loc, what });
        }
        let mut found = None;
        self.for_each_stmt(|stmt| {
            if found.is_none()
                && let Some(word) = stmt.kind.about_threads()
            {
                found = Some(Concurrent { loc: stmt.loc, what: format!("`{word}`") });
            }
        });
        found
    }

    /// The procedure that runs first in Getafix's form of a concurrent program, in which every other procedure
    /// that is not called is a thread.
    pub fn getafix_init(&self) -> Option<&Proc> {
        let init = self.proc("init")?;
        let ends = |stmt: &Stmt| stmt.labels.iter().any(|label| label.name.as_str() == "endinit");
        preorder(&init.body).any(ends).then_some(init)
    }
}

impl StmtKind {
    /// The keyword of a statement about threads.
    pub(crate) fn about_threads(&self) -> Option<&'static str> {
        match self {
            StmtKind::StartThread(_) => Some("start_thread"),
            StmtKind::EndThread => Some("end_thread"),
            StmtKind::AtomicBegin => Some("atomic_begin"),
            StmtKind::AtomicEnd => Some("atomic_end"),
            StmtKind::Atomic(_) => Some("atomic"),
            _ => None,
        }
    }
}
