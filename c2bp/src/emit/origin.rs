//! Where the parts of a boolean program come from: the inverse map of the abstraction.

use base::IndexVec;
use bp::{Name, StmtId};
use ir::{EdgeId, PathStep, ProcId};
use predicates::PredId;
use std::collections::BTreeMap;

/// What a statement of the boolean program stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// The operation of an edge, calls of procedures with body excepted.
    Edge,
    /// Old values of global predicates are kept for the assignment after a call.
    Save,
    /// The call of a call edge.
    Call {
        /// The procedure called.
        callee: ProcId,
    },
    /// The caller's predicates get their values after a call.
    AfterCall,
    /// Predicates that are tracked from here on get their values, those that no longer are become arbitrary.
    Track,
    /// One of these edges of a location is taken.
    Branch(Vec<EdgeId>),
    /// Control goes on elsewhere.
    Jump,
    /// The end of the procedure.
    Return,
    /// A location without edges: the execution ends.
    Stop,
}

/// Where a statement of the boolean program comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StmtOrigin {
    /// The procedure.
    pub proc: ProcId,
    /// The edge; `None` for statements that belong to a location.
    pub edge: Option<EdgeId>,
    /// The edge, or the copy of it, in the program with its blocks unfolded.
    pub unfolded: Option<EdgeId>,
    /// What it does for the edge.
    pub role: Role,
}

/// What a variable of the boolean program stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VarRole {
    /// The predicate's value now.
    Predicate(PredId),
    /// The value of the callee's predicate at its exit, in the last call of it.
    Returned(ProcId, PredId),
    /// The value of a global predicate before the last call.
    Saved(PredId),
}

/// What happens in a run of the boolean program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A statement that is not a call is executed (a failing assertion included).
    Statement(StmtId),
    /// This call statement enters its callee.
    Enter(StmtId),
    /// The callee of this call statement has returned.
    Leave(StmtId),
}

/// The inverse map of an abstraction.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    pub(crate) stmts: IndexVec<StmtId, StmtOrigin>,
    pub(crate) procs: BTreeMap<Name, ProcId>,
    pub(crate) globals: BTreeMap<Name, VarRole>,
    pub(crate) locals: BTreeMap<ProcId, BTreeMap<Name, VarRole>>,
}

impl Origin {
    /// Where the statement comes from.
    pub fn stmt(&self, id: StmtId) -> Option<&StmtOrigin> {
        self.stmts.get(id)
    }

    /// The C-- procedure that the procedure of this name stands for.
    pub fn proc(&self, name: &Name) -> Option<ProcId> {
        self.procs.get(name).copied()
    }

    /// What a variable stands for that is named in a procedure.
    pub fn var(&self, proc: ProcId, name: &Name) -> Option<&VarRole> {
        self.locals.get(&proc).and_then(|vars| vars.get(name)).or_else(|| self.globals.get(name))
    }

    /// What a global variable stands for.
    pub fn global(&self, name: &Name) -> Option<&VarRole> {
        self.globals.get(name)
    }

    /// The step of a C-- path that an event stands for; `None` when it stands for none.
    pub fn step(&self, event: Event) -> Option<PathStep> {
        let (id, entering) = match event {
            Event::Statement(id) => (id, None),
            Event::Enter(id) => (id, Some(true)),
            Event::Leave(id) => (id, Some(false)),
        };
        let origin = self.stmt(id)?;
        let (proc, edge) = (origin.proc, origin.edge?);
        match (&origin.role, entering) {
            (Role::Edge, None) => Some(PathStep::Edge(proc, edge)),
            (Role::Call { callee }, Some(true)) => Some(PathStep::Enter(proc, edge, *callee)),
            (Role::Call { callee }, Some(false)) => Some(PathStep::Leave(proc, edge, *callee)),
            _ => None,
        }
    }

    /// The C-- path of a run, given by its events in order.
    pub fn path(&self, events: impl IntoIterator<Item = Event>) -> ir::Path {
        ir::Path { steps: events.into_iter().filter_map(|e| self.step(e)).collect() }
    }
}
