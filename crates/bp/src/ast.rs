//! The syntax tree of boolean programs: names, not resolved ids, so that a program can be built, printed and
//! parsed piece by piece; [`crate::check`] checks it and [`crate::Cfg::build`] resolves it. Two trees are equal
//! when they print alike and their statements carry the same ids: places are ignored.
//!
//! Concurrent programs have a tree too (threads, `start_thread`, atomic sections), but no graph: a tool that
//! understands them starts from the tree.
//!
//! Invariant: the ids of a program's statements are distinct. [`StmtIds`] hands them out, the checker verifies it.

mod build;

use crate::expr::Expr;
use crate::name::{Ident, Loc};
use base::{Id, IndexVec};
use std::ops::{Deref, DerefMut};

base::define_id!(
    /// A statement of a program; the key by which other stages say what it came from.
    pub StmtId, "s"
);

/// A program: globals and procedures, in the order in which they are written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// Comment lines at the head of the file, without `//`.
    pub header: Vec<String>,
    /// Global variables.
    pub globals: Vec<Ident>,
    /// Comments beside the declarations of some of them.
    pub remarks: Remarks,
    /// Statements that run once before everything else; they see the globals only.
    pub init: Vec<Stmt>,
    /// Procedures.
    pub procs: Vec<Proc>,
    /// Threads; a program that has some has no procedures outside of them.
    pub threads: Vec<Thread>,
    /// Comment lines at the end of the file.
    pub footer: Vec<String>,
}

/// Comments beside declarations: variables with one line each, in the order of the declarations.
pub type Remarks = Vec<(Ident, String)>;

/// A thread, with variables and procedures of its own; it starts at its `main`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// Its name.
    pub name: Ident,
    /// Variables of all its procedures.
    pub globals: Vec<Ident>,
    /// Comments beside the declarations of some of them.
    pub remarks: Remarks,
    /// Its procedures.
    pub procs: Vec<Proc>,
}

/// A procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proc {
    /// Its name.
    pub name: Ident,
    /// How many values it returns.
    pub returns: usize,
    /// Formal parameters, passed by value.
    pub formals: Vec<Ident>,
    /// Local variables; they start with any value.
    pub locals: Vec<Ident>,
    /// Comments beside the declarations of some of them.
    pub remarks: Remarks,
    /// The condition that holds at every vertex except at a call's return vertex.
    pub enforce: Option<Expr>,
    /// The statements.
    pub body: Vec<Stmt>,
    /// Its place in the C file, as `file.c:12` (see [`crate::origin`]); printed after `// @`.
    pub origin: Option<String>,
    /// Free text printed beside the header.
    pub comment: Option<String>,
    /// Comment lines above it. (Those above the first thing in a file are the program's header.)
    pub above: Vec<String>,
}

impl Proc {
    /// A procedure without formals, locals, results and statements.
    pub fn new(name: impl Into<Ident>) -> Proc {
        Proc {
            name: name.into(),
            returns: 0,
            formals: vec![],
            locals: vec![],
            enforce: None,
            body: vec![],
            remarks: vec![],
            origin: None,
            comment: None,
            above: vec![],
        }
    }
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// Its id, unlike that of every other statement of the program.
    pub id: StmtId,
    /// The labels before it.
    pub labels: Vec<Ident>,
    /// Its kind, with its parts.
    pub kind: StmtKind,
    /// Where it stands: for `if` and `while` the head only.
    pub loc: Loc,
    /// Comments about it.
    pub notes: Notes,
}

/// Comments about a statement; read and set as [`Written`]. Takes little room when empty.
#[derive(Clone, Default, Debug)]
pub struct Notes(Option<Box<Written>>);

/// The parts of [`Notes`].
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Written {
    /// Its place in the C file, as `file.c:12 e37`; printed after `// @`.
    pub origin: Option<String>,
    /// Free text printed beside it: one line, by convention the C text.
    pub comment: Option<String>,
    /// Comment lines above it.
    pub above: Vec<String>,
}

impl Deref for Notes {
    type Target = Written;

    fn deref(&self) -> &Written {
        static NOTHING: Written = Written { origin: None, comment: None, above: vec![] };
        self.0.as_deref().unwrap_or(&NOTHING)
    }
}

impl DerefMut for Notes {
    fn deref_mut(&mut self) -> &mut Written {
        self.0.get_or_insert_default()
    }
}

impl PartialEq for Notes {
    fn eq(&self, other: &Notes) -> bool {
        **self == **other
    }
}

impl Eq for Notes {}

/// The kinds of statements. A decider is an expression; `*` alone is the free choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StmtKind {
    /// `skip`
    Skip,
    /// `targets := values constrain c`: all values are taken before any variable is set.
    Assign {
        /// The variables set; distinct.
        targets: Vec<Ident>,
        /// As many values.
        values: Vec<Expr>,
        /// A relation between the states before and after.
        constrain: Option<Box<Expr>>,
    },
    /// `results := callee(args) constrain c`
    Call {
        /// The variables set from the returned values, `None` for `_`; empty throws all of them away.
        results: Vec<Option<Ident>>,
        /// The procedure called.
        callee: Ident,
        /// One value a formal.
        args: Vec<Expr>,
        /// A relation between the caller's states before the call and after the return.
        constrain: Option<Box<Expr>>,
    },
    /// `if … elsif … else … fi`
    If {
        /// Conditions with their statements, in order; at least one.
        arms: Vec<(Expr, Vec<Stmt>)>,
        /// The statements of `else`; empty when there is none.
        otherwise: Vec<Stmt>,
    },
    /// `while … do … od`
    While {
        /// The condition.
        cond: Expr,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `goto` one of the labels.
    Goto(Vec<Ident>),
    /// `assume(cond) constrain c`; in `c`, `'x` is `x`.
    Assume {
        /// The asserted condition.
        cond: Expr,
        /// A relation that must hold too.
        constrain: Option<Box<Expr>>,
    },
    /// `assert(cond)`: a query whether `cond` can be false here.
    Assert(Expr),
    /// `return values`
    Return(Vec<Expr>),
    /// `dead x, y`: the variables take any value.
    Dead(Vec<Ident>),
    /// `print(values)`: no effect.
    Print(Vec<Expr>),
    /// `start_thread …`: a new thread, with the same globals.
    StartThread(Start),
    /// `end_thread`: the thread that reaches it ends.
    EndThread,
    /// `atomic_begin`: no other thread moves from here on.
    AtomicBegin,
    /// `atomic_end`: other threads move again.
    AtomicEnd,
    /// `atomic begin … end`: no other thread moves inside.
    Atomic(Vec<Stmt>),
}

/// Where a new thread starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// At a label, with a copy of the local variables.
    Goto(Ident),
    /// With a call, whose results are thrown away.
    Call {
        /// The procedure called.
        callee: Ident,
        /// One value a formal.
        args: Vec<Expr>,
    },
}

/// Hands out statement ids 0, 1, 2, …
#[derive(Clone, Debug, Default)]
pub struct StmtIds(usize);

impl StmtIds {
    /// A counter at 0.
    pub fn new() -> StmtIds {
        StmtIds(0)
    }

    /// The next id.
    pub fn fresh(&mut self) -> StmtId {
        self.0 += 1;
        StmtId::from_index(self.0 - 1)
    }

    /// How many were handed out.
    pub(crate) fn count(&self) -> usize {
        self.0
    }

    /// A statement of this kind with the next id.
    pub fn stmt(&mut self, kind: StmtKind) -> Stmt {
        Stmt::new(self.fresh(), kind)
    }
}

impl Stmt {
    /// A statement without labels, place, origin and comment.
    pub fn new(id: StmtId, kind: StmtKind) -> Stmt {
        Stmt { id, labels: vec![], kind, loc: Loc(None), notes: Notes::default() }
    }

    /// The same with one more label.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<Ident>) -> Stmt {
        self.labels.push(label.into());
        self
    }

    /// The same with an origin such as `file.c:12 e37`.
    #[must_use]
    pub fn with_origin(mut self, origin: impl Into<String>) -> Stmt {
        self.notes.origin = Some(origin.into());
        self
    }

    /// The same with a comment.
    #[must_use]
    pub fn with_comment(mut self, comment: impl Into<String>) -> Stmt {
        self.notes.comment = Some(comment.into());
        self
    }

    /// The blocks directly inside, in order.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = &[Stmt]> {
        let (arms, last): (&[(Expr, Vec<Stmt>)], &[Stmt]) = match &self.kind {
            StmtKind::If { arms, otherwise } => (arms, otherwise),
            StmtKind::While { body, .. } | StmtKind::Atomic(body) => (&[], body),
            _ => (&[], &[]),
        };
        arms.iter().map(|(_, stmts)| stmts.as_slice()).chain(std::iter::once(last))
    }

    /// The statements directly inside, in order.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Stmt> {
        self.blocks().flatten()
    }

    /// The statements directly inside, in order.
    pub fn children_mut(&mut self) -> Vec<&mut Stmt> {
        match &mut self.kind {
            StmtKind::If { arms, otherwise } => {
                arms.iter_mut().flat_map(|(_, stmts)| stmts).chain(otherwise).collect()
            }
            StmtKind::While { body, .. } | StmtKind::Atomic(body) => body.iter_mut().collect(),
            _ => vec![],
        }
    }
}

/// The statements of a list, those inside others included, in the order of the text. Takes no stack in proportion to
/// the program.
pub fn preorder(list: &[Stmt]) -> impl Iterator<Item = &Stmt> {
    let mut stack = vec![list.iter()];
    std::iter::from_fn(move || {
        loop {
            let Some(stmt) = stack.last_mut()?.next() else {
                stack.pop();
                continue;
            };
            match &stmt.kind {
                StmtKind::If { arms, otherwise } => {
                    let blocks = arms.iter().map(|(_, block)| block).chain([otherwise]).rev();
                    stack.extend(blocks.filter(|block| !block.is_empty()).map(|block| block.iter()));
                }
                StmtKind::While { body, .. } | StmtKind::Atomic(body) => stack.push(body.iter()),
                _ => {}
            }
            return Some(stmt);
        }
    })
}

impl Program {
    /// The procedure of this name.
    pub fn proc(&self, name: &str) -> Option<&Proc> {
        self.procs.iter().find(|p| p.name.name.as_str() == name)
    }

    /// All procedures, those of threads included, in the order of the text.
    pub fn all_procs(&self) -> impl Iterator<Item = &Proc> {
        self.procs.iter().chain(self.threads.iter().flat_map(|thread| &thread.procs))
    }

    /// Every statement in the order of the text, those inside others included. Takes no stack in proportion to
    /// the program.
    pub fn for_each_stmt<'a>(&'a self, mut f: impl FnMut(&'a Stmt)) {
        let bodies = std::iter::once(&self.init).chain(self.all_procs().map(|proc| &proc.body));
        bodies.for_each(|body| preorder(body).for_each(&mut f));
    }

    /// Gives every statement its position in the order of the text as its id, which is what the parser does;
    /// returns the old ids in the order of the new ones.
    pub fn renumber(&mut self) -> IndexVec<StmtId, StmtId> {
        let mut old = IndexVec::new();
        let threads = self.threads.iter_mut().flat_map(|thread| &mut thread.procs);
        let procs = self.procs.iter_mut().chain(threads).map(|proc| &mut proc.body);
        for body in std::iter::once(&mut self.init).chain(procs) {
            let mut stack: Vec<&mut Stmt> = body.iter_mut().rev().collect();
            while let Some(stmt) = stack.pop() {
                let id = old.push(stmt.id);
                stmt.id = id;
                stack.extend(stmt.children_mut().into_iter().rev());
            }
        }
        old
    }

    /// The statements by id, for look-ups; `None` for an id that no statement has.
    pub fn stmts_by_id(&self) -> IndexVec<StmtId, Option<&Stmt>> {
        let mut out: IndexVec<StmtId, Option<&Stmt>> = IndexVec::new();
        self.for_each_stmt(|stmt| {
            while out.len() <= stmt.id.index() {
                out.push(None);
            }
            out[stmt.id] = Some(stmt);
        });
        out
    }
}
