//! Programs, procedures and their control-flow graphs.
//!
//! Semantics, shared by the abstraction, paths, the interpreter and certificates:
//! - Execution starts at the entry of [`Program::entry`], a procedure without parameters that runs the static
//!   initialisers and then calls C's `main` (or the function given by `--entry`) with arbitrary arguments.
//! - At a procedure's entry its formals have the arguments' values and every other local any value of its type.
//!   Globals have any value before the initialisers ran, [`Var::data`] excepted.
//! - At a location with several edges any edge may be taken; an edge whose `Assume` fails is not taken. A
//!   location without edges, other than the exit, ends the execution (nothing more happens).
//! - A `Check` whose condition is zero is the error in question; otherwise it does nothing.
//! - An operation that C leaves undefined (signed overflow, division by zero, invalid access, …) ends the
//!   execution as a failed `Assume` does.
//! - A call of a procedure without body gives any result; see the alias oracle for what it may write.

mod checks;
mod op;
mod thread_ops;
mod thread_steps;

pub use checks::{Check, CheckKind};
pub use op::{CallMark, Callee, HavocKind, LibraryAccess, ObjectQuery, Op, Output, StartInput, TextPart};
pub use thread_ops::{ATOMIC, ThreadOp};
pub use thread_steps::{Turn, Turns};

use crate::expr::{Access, Expr, Lvalue};
use crate::faults::{self, Fault};
use crate::types::{DataModel, Field, RecordDef, RecordId, Type};
use base::{IndexVec, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

base::define_id!(
    /// A variable of a program: global, local, formal or temporary; unique in the whole program.
    pub VarId, "v"
);
base::define_id!(
    /// A procedure of a program.
    pub ProcId, "p"
);
base::define_id!(
    /// A location of one procedure.
    pub LocId, "L"
);
base::define_id!(
    /// An edge of one procedure.
    pub EdgeId, "e"
);
base::define_id!(
    /// A check of a program.
    pub CheckId, "c"
);

/// The kinds of variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VarKind {
    /// Global, or static with file or block scope.
    Global,
    /// Formal parameter.
    Formal(ProcId),
    /// Local variable of the source text.
    Local(ProcId),
    /// Invented by the front end; it stands for the C expression at its span.
    Temp(ProcId),
    /// The return variable of a procedure.
    Return(ProcId),
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Var {
    /// Name, unique among the globals and the variables of its procedure; the C name, with `__2`, `__3`, … where
    /// a name is declared again in an inner scope. Temporaries are called `tmp__N`, return variables `ret__`.
    pub name: String,
    /// Type.
    pub ty: Type,
    /// Its kind.
    pub kind: VarKind,
    /// The span of its declaration; for temporaries the expression they stand for.
    pub span: Span,
    /// Known initial bytes that never change (string literals).
    pub data: Option<Arc<[u8]>>,
    /// Its alignment in bytes, whatever its type; 0 for that of its type.
    pub align: u64,
    /// The bytes that the program must not change once they are initialised, where that is checked: each range from
    /// the first byte to the one behind the last, in order. Those of [`Var::data`] are not among them.
    pub constant: Option<Arc<[(u64, u64)]>>,
}

impl Var {
    /// The procedure it belongs to; `None` for globals.
    pub fn proc(&self) -> Option<ProcId> {
        match self.kind {
            VarKind::Global => None,
            VarKind::Formal(p) | VarKind::Local(p) | VarKind::Temp(p) | VarKind::Return(p) => Some(p),
        }
    }
}

/// The role of an edge in the source, for traces.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EdgeKind {
    /// A statement of the source: the span is its text.
    Statement,
    /// A branch of a condition of the source: the span is the condition's text, `taken` its outcome.
    Branch {
        /// The condition was true.
        taken: bool,
    },
    /// Invented (temporaries, joins, returns, initialisers): not shown in compact traces.
    Internal,
    /// An assignment that the block operation before it has made already: for proofs it states the effect on
    /// one scalar. Or an assumption about the answer to a query, which executions make. They skip such edges.
    Implied,
}

impl EdgeKind {
    /// Whether no text of the source stands for it, so that compact traces do not show it.
    pub fn is_internal(self) -> bool {
        matches!(self, EdgeKind::Internal | EdgeKind::Implied)
    }
}

/// An edge of the control-flow graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// From.
    pub src: LocId,
    /// To.
    pub dst: LocId,
    /// Its operation.
    pub op: Op,
    /// Its span in the source.
    pub span: Span,
    /// Its role in the source.
    pub kind: EdgeKind,
}

/// A location of the control-flow graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Its span in the source.
    pub span: Span,
    /// C labels that stand here.
    pub labels: Vec<String>,
    /// A loop of the source starts here (`while`, `do`, `for`): the span is its keyword.
    pub loop_head: bool,
}

/// The origin of a procedure: it decides how far an execution of the model is one of the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Origin {
    /// The program's own. Without body it is declared there and defined nowhere: what it returns is an input.
    #[default]
    Program,
    /// The C library's: a model of a function when there is a body. Without one, real executions compute what it
    /// returns and writes, and nothing here does.
    Library,
    /// Unknown code: text that is not C (`asm`), or a function that may not return or run other code (`raise`).
    /// It has no body.
    Foreign,
    /// An operation on threads. It has no body.
    Thread(ThreadOp),
}

impl Origin {
    /// The origin that a word of the printed form says, of a procedure with this name; for threads, the name says which
    /// operation it is.
    pub fn said(word: &str, name: &str) -> Option<Origin> {
        let operation = || ThreadOp::ALL.into_iter().find(|op| op.name() == name).map(Origin::Thread);
        match word {
            "library" => Some(Origin::Library),
            "foreign" => Some(Origin::Foreign),
            "thread" => operation(),
            _ => None,
        }
    }

    /// The word of the printed form; the program's own procedures have none.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Origin::Program => None,
            Origin::Library => Some("library"),
            Origin::Foreign => Some("foreign"),
            Origin::Thread(_) => Some("thread"),
        }
    }
}

/// A procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proc {
    /// Name; unique (static functions of several files differ by a suffix).
    pub name: String,
    /// Type.
    pub ty: Arc<crate::types::FuncType>,
    /// Formal parameters.
    pub formals: Vec<VarId>,
    /// All other variables: locals, temporaries, the return variable.
    pub locals: Vec<VarId>,
    /// The return variable; `None` for `void`.
    pub ret: Option<VarId>,
    /// Whether there is a body; without one there are no locations.
    pub has_body: bool,
    /// Its origin.
    pub origin: Origin,
    /// Locations.
    pub locations: IndexVec<LocId, Location>,
    /// Edges.
    pub edges: IndexVec<EdgeId, Edge>,
    /// The location where execution starts.
    pub entry: LocId,
    /// The location where it ends.
    pub exit: LocId,
    /// The declarator in the source.
    pub span: Span,
}

impl Proc {
    /// Whether edges lead from the one location to the other.
    fn reaches(&self, from: LocId, to: LocId) -> bool {
        let successors = self.successors();
        let (mut seen, mut work) = (BTreeSet::from([from]), vec![from]);
        while let Some(at) = work.pop() {
            for next in successors[at].iter().map(|e| self.edges[*e].dst) {
                if seen.insert(next) {
                    work.push(next);
                }
            }
        }
        seen.contains(&to)
    }

    /// A procedure without variables and graph.
    pub fn new(name: String, ty: Arc<crate::types::FuncType>, has_body: bool, span: Span) -> Proc {
        let zero = base::Id::from_index(0);
        Proc {
            name,
            ty,
            formals: vec![],
            locals: vec![],
            ret: None,
            has_body,
            origin: Origin::Program,
            locations: IndexVec::new(),
            edges: IndexVec::new(),
            entry: zero,
            exit: zero,
            span,
        }
    }

    /// Whether it is a model of a library function, or serves one: reports show its calls as one step.
    pub fn is_model(&self) -> bool {
        self.has_body && self.origin == Origin::Library
    }

    /// The name of the library function that a model stands for: `slam_` is put in front where a model has other arguments.
    pub fn library_name(&self) -> &str {
        self.name.strip_prefix("slam_").filter(|_| self.is_model()).unwrap_or(&self.name)
    }

    /// For every location its outgoing edges, in id order.
    pub fn successors(&self) -> IndexVec<LocId, Vec<EdgeId>> {
        self.edges_by(|edge| edge.src)
    }

    /// For every location its incoming edges, in id order.
    pub fn predecessors(&self) -> IndexVec<LocId, Vec<EdgeId>> {
        self.edges_by(|edge| edge.dst)
    }

    /// The locations that the entry reaches, each behind its predecessors, loop heads excepted. The first
    /// successor comes first.
    pub fn reverse_post_order(&self, successors: &IndexVec<LocId, Vec<EdgeId>>) -> Vec<LocId> {
        let mut seen = IndexVec::from_elem(false, self.locations.len());
        let mut finished = vec![];
        let mut pending: Vec<(LocId, bool)> =
            self.has_body.then_some((self.entry, false)).into_iter().collect();
        while let Some((l, done)) = pending.pop() {
            if done {
                finished.push(l);
            } else if !std::mem::replace(&mut seen[l], true) {
                pending.push((l, true));
                // The last successor is finished first, so that the first one comes first in the result. Behind the exit is nothing.
                let behind = if l == self.exit { &[] } else { &successors[l][..] };
                pending.extend(behind.iter().map(|e| (self.edges[*e].dst, false)));
            }
        }
        finished.reverse();
        finished
    }

    fn edges_by(&self, end: impl Fn(&Edge) -> LocId) -> IndexVec<LocId, Vec<EdgeId>> {
        let mut out = IndexVec::from_elem(vec![], self.locations.len());
        self.edges.iter_enumerated().for_each(|(id, edge)| out[end(edge)].push(id));
        out
    }
}

/// A program in C--.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Widths of C's types.
    pub model: DataModel,
    /// Structs and unions.
    pub records: IndexVec<RecordId, RecordDef>,
    /// All variables.
    pub vars: IndexVec<VarId, Var>,
    /// The global ones.
    pub globals: Vec<VarId>,
    /// Procedures.
    pub procs: IndexVec<ProcId, Proc>,
    /// Checks.
    pub checks: IndexVec<CheckId, Check>,
    /// The procedure where execution starts: made by the front end, without parameters.
    pub entry: ProcId,
    /// Signed arithmetic wraps (`--signed-overflow=wrap`) instead of being undefined on overflow.
    pub signed_wrap: bool,
    /// The thread of each edge, in a program that was made from one with threads.
    pub turns: Turns,
}

impl Program {
    /// Size of a type in bytes; `None` when it has none.
    pub fn size_of(&self, ty: &Type) -> Option<u64> {
        ty.size(&self.records, self.model)
    }

    /// The alignment of a type in bytes; for scalars the least that compilers for the data model choose.
    pub fn align_of(&self, ty: &Type) -> u64 {
        match ty {
            Type::Array(elem, _) => self.align_of(elem),
            Type::Record(r) => self.records[*r].align.max(1),
            _ => {
                let most = if self.model.pointer_bits() == 32 { 4 } else { 16 };
                self.size_of(ty).unwrap_or(1).clamp(1, most).next_power_of_two()
            }
        }
    }

    /// The alignment of a variable in bytes.
    pub fn alignment(&self, v: VarId) -> u64 {
        let align = match self.vars[v].align {
            0 => self.align_of(&self.vars[v].ty),
            own => own,
        };
        align << u32::from(faults::is_made(Fault::TwiceAligned))
    }

    /// The variables with one instance that lives as long as the program runs: globals, and the locals of the
    /// procedure that only the entry calls, and only once, unless their block ends before.
    pub fn lasting(&self) -> impl Iterator<Item = VarId> {
        let (mut ended, mut named) = (BTreeSet::new(), vec![]);
        for (_, _, edge) in self.edges() {
            ended.extend(edge.op.ends());
            named.extend(edge.op.calls());
            crate::visit::nodes(&edge.op, &mut |node| {
                if let Expr::Func(p, _) = node {
                    // It may be called any number of times.
                    named.extend([*p, *p]);
                }
            });
        }
        let count = |p: ProcId| named.iter().filter(|q| **q == p).count();
        let entry = &self.procs[self.entry];
        let mut outer = vec![];
        if count(self.entry) == 0 {
            outer.push(self.entry);
            let mut calls = entry.edges.iter().filter(|edge| edge.op.calls().is_some_and(|p| count(p) == 1));
            let once = calls.rfind(|edge| !entry.reaches(edge.dst, edge.src));
            outer.extend(once.and_then(|edge| edge.op.calls()));
        }
        let lasts = move |v: &VarId| {
            let proc = self.vars[*v].proc();
            proc.is_none_or(|p| outer.contains(&p) && !ended.contains(v))
        };
        self.vars.ids().filter(lasts)
    }

    /// The members of a location whose type is this record, in order.
    pub fn members<'p>(&'p self, lv: &'p Lvalue, record: RecordId) -> impl Iterator<Item = Lvalue> + use<'p> {
        let fields = self.records[record].fields.iter().enumerate();
        fields.map(move |(n, f)| lv.clone().step(Access::Field(record, n as u32), f.ty.clone()))
    }

    /// The edges of all procedures, in the order of their ids.
    pub fn edges(&self) -> impl Iterator<Item = (ProcId, EdgeId, &Edge)> {
        let procs = self.procs.iter_enumerated();
        procs.flat_map(|(p, proc)| proc.edges.iter_enumerated().map(move |(e, edge)| (p, e, edge)))
    }

    /// For each procedure that is called by its name, the edges that call it.
    pub fn callers(&self) -> BTreeMap<ProcId, Vec<(ProcId, EdgeId)>> {
        let mut callers: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (p, e, edge) in self.edges() {
            if let Some(q) = edge.op.calls() {
                callers.entry(q).or_default().push((p, e));
            }
        }
        callers
    }

    /// The procedure with this name.
    pub fn find_proc(&self, name: &str) -> Option<ProcId> {
        self.procs.ids().find(|p| self.procs[*p].name == name)
    }

    /// The member of a record.
    pub fn field(&self, r: RecordId, number: u32) -> &Field {
        &self.records[r].fields[number as usize]
    }

    /// Whether the location is a bit-field, or a part of one.
    pub fn is_bit_field(&self, lv: &Lvalue) -> bool {
        lv.path.iter().any(|access| match access {
            Access::Field(r, n) => self.field(*r, *n).bit_offset.is_some(),
            Access::Index(_) => false,
        })
    }

    /// The type of what one step into a location of this type leads to; `None` where only arrays have an index.
    pub fn part_type(&self, ty: &Type, access: &Access) -> Option<Type> {
        match (access, ty) {
            (Access::Field(r, f), _) => Some(self.field(*r, *f).ty.clone()),
            (Access::Index(_), Type::Array(elem, _)) => Some((**elem).clone()),
            (Access::Index(_), _) => None,
        }
    }

    /// Whether the variable's type is defined in another file, so that its size is only the least that it can be.
    pub fn is_elsewhere(&self, v: VarId) -> bool {
        matches!(self.vars[v].ty, Type::Record(r) if self.records[r].elsewhere)
    }

    /// A read of the whole variable.
    pub fn read(&self, v: VarId) -> Expr {
        Expr::var(v, self.vars[v].ty.clone())
    }

    /// The whole variable as an lvalue.
    pub fn lvalue(&self, v: VarId) -> Lvalue {
        Lvalue::var(v, self.vars[v].ty.clone())
    }
}

/// One step of a path through a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PathStep {
    /// An edge of a procedure that is not a call of a procedure with body.
    Edge(ProcId, EdgeId),
    /// A call edge: control goes to the callee's entry.
    Enter(ProcId, EdgeId, ProcId),
    /// The callee's exit was reached; control goes on behind the matching call edge of this caller.
    Leave(ProcId, EdgeId, ProcId),
}

impl PathStep {
    /// The edge that is taken: that of the call where one is entered or left.
    pub fn edge(self) -> (ProcId, EdgeId) {
        match self {
            PathStep::Edge(p, e) | PathStep::Enter(p, e, _) | PathStep::Leave(p, e, _) => (p, e),
        }
    }
}

/// An execution path from the program's entry, with calls and returns matched; calls that have not returned are
/// still open at its end.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Path {
    /// Its steps.
    pub steps: Vec<PathStep>,
}
