//! The control-flow graph of a checked program [BR-SPIN00 §2.3]: one vertex a statement, one exit vertex a
//! procedure, and one failure vertex an `assert`, so that a failing check is an ordinary reachability query.
//! Names are resolved; operations stand on the edges.
//!
//! The statements of `init` stand at the head of the procedure that starts. If that one is called, too, it is
//! there twice: as it is, and last, with `init` before it, where execution starts.
//!
//! Invariants: a procedure's vertices are contiguous; globals have the lowest variable ids; an exit or
//! failure vertex has no outgoing edge. An expression of an `assume` holds no next-state variable.

mod build;
mod groups;
mod lower;
mod rules;
mod slice;
mod stages;
mod statements;
mod vertices;

pub use slice::{Slice, slices};
pub use stages::Stage;

use crate::ast::{Program, StmtId};
use crate::expr::Expr;
use crate::name::{Loc, Name};
use crate::system::ThreadOp;
use base::{Diagnostic, Id, IndexVec};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::ops::Range;

base::define_id!(
    /// A variable of the whole program: global, formal or local.
    pub VarId, "v"
);
base::define_id!(
    /// A procedure, in the order of the text.
    pub ProcId, "p"
);
base::define_id!(
    /// A vertex.
    pub VertexId, "n"
);
base::define_id!(
    /// An edge.
    pub EdgeId, "e"
);

/// The graph of a program.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// All variables: globals first, then each procedure's formals and locals.
    pub vars: IndexVec<VarId, Var>,
    /// The globals, in order.
    pub globals: Vec<VarId>,
    /// The procedures, in the order of the text.
    pub procs: IndexVec<ProcId, ProcCfg>,
    /// The vertices.
    pub vertices: IndexVec<VertexId, Vertex>,
    /// The edges.
    pub edges: IndexVec<EdgeId, Edge>,
    /// Where execution starts.
    pub entry: ProcId,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name.
    pub name: Name,
    /// The procedure it belongs to; `None` for a global.
    pub owner: Option<ProcId>,
    /// Where it is declared.
    pub loc: Loc,
}

/// A procedure of the graph.
#[derive(Clone, Debug)]
pub struct ProcCfg {
    /// Its name.
    pub name: Name,
    /// How many values it returns.
    pub returns: usize,
    /// Its formals, in order.
    pub formals: Vec<VarId>,
    /// Its locals, in order.
    pub locals: Vec<VarId>,
    /// The condition assumed at its vertices, except where [`Vertex::return_point`] is set.
    pub enforce: Option<Expr<VarId>>,
    /// Whether it is assumed at the first vertex only, since edges make sure of it elsewhere.
    pub enforced_at_entry_only: bool,
    /// The first vertex; the exit when there is no statement.
    pub entry: VertexId,
    /// Where every return leads.
    pub exit: VertexId,
    first: usize,
    end: usize,
}

impl ProcCfg {
    /// Positions of its vertices.
    pub fn vertex_range(&self) -> Range<usize> {
        self.first..self.end
    }

    /// Its vertices, in the order of the text; then the failure vertices and last the exit.
    pub fn vertices(&self) -> impl DoubleEndedIterator<Item = VertexId> + ExactSizeIterator + use<> {
        self.vertex_range().map(VertexId::from_index)
    }
}

/// The kinds of vertices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VertexKind {
    /// The point before a statement.
    Stmt(StmtId),
    /// The point before the condition of the arm with this number (from 1) of an `if`.
    Arm(StmtId, usize),
    /// The failed `assert`.
    Failure(StmtId),
    /// The end of the procedure.
    Exit,
}

impl VertexKind {
    /// The statement, unless it is an exit.
    pub fn stmt(self) -> Option<StmtId> {
        match self {
            VertexKind::Stmt(id) | VertexKind::Arm(id, _) | VertexKind::Failure(id) => Some(id),
            VertexKind::Exit => None,
        }
    }

    /// Whether it is a failed `assert`.
    pub fn is_failure(self) -> bool {
        matches!(self, VertexKind::Failure(_))
    }
}

/// Edges of a vertex: mostly one or two.
pub type EdgeList = SmallVec<[EdgeId; 4]>;

/// A vertex.
#[derive(Clone, Debug)]
pub struct Vertex {
    /// The procedure it lies in.
    pub proc: ProcId,
    /// Its kind.
    pub kind: VertexKind,
    /// The place of the statement.
    pub loc: Loc,
    /// The labels of the statement.
    pub labels: Vec<Name>,
    /// Whether `enforce` is not assumed here: some call returns to it, or it belongs to `init`.
    pub return_point: bool,
    /// Edges that leave it, the taken branch first.
    pub out: EdgeList,
    /// Edges that lead to it.
    pub into: EdgeList,
}

/// An edge.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: VertexId,
    /// Where it leads: for a call, where the caller goes on.
    pub to: VertexId,
    /// Its operation.
    pub op: Op,
    /// The statement it belongs to.
    pub stmt: StmtId,
    /// Its effects on threads, in order, in the graph that a thread runs (empty in those of sequential programs).
    pub threads: Vec<ThreadOp>,
}

/// The operation of an edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// Nothing.
    Skip,
    /// Goes on when one evaluation of `cond` gives `value`, and `constrain` can hold.
    Assume {
        /// The condition.
        cond: Expr<VarId>,
        /// The value it must have.
        value: bool,
        /// A relation that must hold too.
        constrain: Option<Box<Expr<VarId>>>,
    },
    /// Parallel assignment, also `dead`.
    Assign {
        /// The variables set; distinct.
        targets: Vec<VarId>,
        /// As many values.
        values: Vec<Expr<VarId>>,
        /// A relation between the states before and after.
        constrain: Option<Box<Expr<VarId>>>,
    },
    /// A call; the edge itself is the step over it.
    Call {
        /// The procedure called.
        callee: ProcId,
        /// One value a formal.
        args: Vec<Expr<VarId>>,
        /// As many as the callee returns, or none; `None` throws the value away. Distinct.
        results: Vec<Option<VarId>>,
        /// A relation between the caller's states before the call and after the return.
        constrain: Option<Box<Expr<VarId>>>,
    },
    /// To the exit, with the values returned. A procedure that reaches its exit otherwise returns any values.
    Return(Vec<Expr<VarId>>),
}

impl Op {
    /// Never goes on.
    pub fn blocked() -> Op {
        Op::Assume { cond: Expr::zero(), value: true, constrain: None }
    }
}

/// Checks a program, which may be concurrent; with warnings. `entry` is the procedure that starts, `main` if none
/// is named.
///
/// # Errors
/// Everything that is found, up to fifty messages.
pub fn check(program: &Program, entry: Option<&str>) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    lower::check(program, entry.unwrap_or("main"))
}

/// Where a program that [`check`] admits mentions another thread's variables (`x$`), if it does.
pub fn passive(program: &Program, entry: Option<&str>) -> Option<crate::Concurrent> {
    lower::passive(program, entry.unwrap_or("main"))
}

/// Depth-first post-order of the call graph, from the procedures that each calls: callees before callers where there is no
/// recursion.
pub fn bottom_up(callees: &IndexVec<ProcId, Vec<ProcId>>) -> Vec<ProcId> {
    let mut out = Vec::with_capacity(callees.len());
    let mut seen: IndexVec<ProcId, bool> = IndexVec::from_elem(false, callees.len());
    for root in callees.ids() {
        let mut stack = vec![(root, 0)];
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        while let Some((proc, next)) = stack.last_mut() {
            match callees[*proc].get(*next) {
                Some(callee) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[*callee], true) {
                        stack.push((*callee, 0));
                    }
                }
                None => {
                    out.push(*proc);
                    stack.pop();
                }
            }
        }
    }
    out
}

impl Cfg {
    /// Checks the program and builds its graph; with warnings. `entry` is the procedure that starts,
    /// `main` if none is named.
    ///
    /// # Errors
    /// Everything the checker finds (its head lists the rules), up to fifty messages; for a concurrent program,
    /// that it is one.
    pub fn build(program: &Program, entry: Option<&str>) -> Result<(Cfg, Vec<Diagnostic>), Vec<Diagnostic>> {
        build::build(program, entry.unwrap_or("main"))
    }

    /// The vertices with this label. `proc:label` asks for the label of one procedure.
    pub fn find_label(&self, label: &str) -> Vec<VertexId> {
        let matches = |vertex: &Vertex, name: &Name| {
            name.as_str() == label
                || label
                    .strip_suffix(name.as_str())
                    .and_then(|rest| rest.strip_suffix(':'))
                    .is_some_and(|proc| proc == self.procs[vertex.proc].name.as_str())
        };
        self.vertices
            .iter_enumerated()
            .filter(|(_, vertex)| vertex.labels.iter().any(|name| matches(vertex, name)))
            .map(|(id, _)| id)
            .collect()
    }

    /// Where each statement starts.
    pub fn stmt_vertices(&self) -> BTreeMap<StmtId, VertexId> {
        let of = |(id, vertex): (VertexId, &Vertex)| match vertex.kind {
            VertexKind::Stmt(stmt) => Some((stmt, id)),
            _ => None,
        };
        self.vertices.iter_enumerated().filter_map(of).collect()
    }

    /// The failure vertices of all assertions, in the order of the text.
    pub fn failures(&self) -> Vec<VertexId> {
        self.vertices
            .iter_enumerated()
            .filter(|(_, vertex)| vertex.kind.is_failure())
            .map(|(id, _)| id)
            .collect()
    }

    /// The variables in scope in a procedure: globals, formals, locals.
    pub fn scope(&self, proc: ProcId) -> impl Iterator<Item = VarId> + '_ {
        let proc = &self.procs[proc];
        self.globals.iter().chain(&proc.formals).chain(&proc.locals).copied()
    }
}
