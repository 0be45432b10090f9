//! Programs, procedures and their control-flow graphs.
//!
//! Meaning, shared by the abstraction, paths, the interpreter and certificates:
//! - Execution starts at the entry of [`Program::entry`], a procedure without parameters that runs the static
//!   initialisers and then calls C's `main` (or the function given by `--entry`) with arbitrary arguments.
//! - At a procedure's entry its formals have the arguments' values and every other local any value of its type.
//!   Globals have any value before the initialisers ran, [`Var::data`] excepted.
//! - At a location with several edges any edge may be taken; an edge whose `Assume` fails is not taken. A
//!   location without edges, other than the exit, ends the execution (nothing more happens).
//! - A `Check` whose condition is zero is the error asked about; otherwise it does nothing.
//! - An operation that C leaves undefined (signed overflow, division by zero, invalid access, …) ends the
//!   execution as a failed `Assume` does.
//! - A call of a procedure without body gives any result; see the alias oracle for what it may write.

use crate::expr::{Access, Expr, Lvalue};
use crate::types::{DataModel, Field, RecordDef, RecordId, Type};
use base::{IndexVec, Span};
use std::collections::BTreeMap;
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

/// What a variable is.
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
    /// What it is.
    pub kind: VarKind,
    /// Where it is declared; for temporaries the expression they stand for.
    pub span: Span,
    /// Known initial bytes that never change (string literals).
    pub data: Option<Arc<[u8]>>,
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

/// Why a value is arbitrary.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum HavocKind {
    /// An input: the call of the named nondeterminism function (`__VERIFIER_nondet_int`).
    Input(Arc<str>),
    /// An uninitialised local.
    Uninit,
    /// What the program is started with.
    Start(StartInput),
    /// The result of an undefined function, by name, or something it wrote; the value of an object defined nowhere.
    Extern(Arc<str>),
    /// Something else that comes from outside, by its description.
    Outside(Arc<str>),
    /// Something the front end does not model exactly, by its description.
    Unmodelled(Arc<str>),
    /// Something that C leaves open and the compiler settles, by its description: any value is right.
    Choice(Arc<str>),
}

/// What the entry function is started with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StartInput {
    /// Its n-th argument, from 1.
    Argument(u32),
    /// The length of one of the strings that it is given.
    StringLength,
    /// A character of that string.
    StringCharacter,
    /// The number of strings in the environment.
    EnvironmentLength,
}

impl std::fmt::Display for StartInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StartInput::Argument(n) => write!(f, "{} {n}", base::wording("argument")),
            StartInput::StringLength => f.write_str(&base::wording("length of a string among the arguments")),
            StartInput::StringCharacter => {
                f.write_str(&base::wording("character of a string among the arguments"))
            }
            StartInput::EnvironmentLength => {
                f.write_str(&base::wording("number of strings in the environment"))
            }
        }
    }
}

/// Who is called.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    /// A known procedure, with or without body.
    Direct(ProcId),
    /// The procedure that a function pointer holds.
    Indirect(Expr),
}

/// What [`Op::Inspect`] asks about the object that a pointer points into.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectQuery {
    /// Its size in bytes.
    Size,
    /// How many bytes the pointer stands behind its start (negative: before it).
    Offset,
    /// 1 while it lives.
    Live,
    /// 1 when the pointer is NULL or the start of a living allocation, so that `free` takes it.
    Freeable,
    /// 1 when everything that the pointer points to has a value.
    Initialised,
    /// How a walk from the pointer to the end of a string ends: 0 at a NUL, 1 at the end of the object, 2 at a byte
    /// that has no value.
    Text,
}

impl ObjectQuery {
    /// All of them.
    pub const ALL: [ObjectQuery; 6] = [
        ObjectQuery::Size,
        ObjectQuery::Offset,
        ObjectQuery::Live,
        ObjectQuery::Freeable,
        ObjectQuery::Initialised,
        ObjectQuery::Text,
    ];

    /// The name in the printed form.
    pub fn name(self) -> &'static str {
        match self {
            ObjectQuery::Size => "size",
            ObjectQuery::Offset => "offset",
            ObjectQuery::Live => "live",
            ObjectQuery::Freeable => "freeable",
            ObjectQuery::Initialised => "initialised",
            ObjectQuery::Text => "text",
        }
    }
}

/// What a function of the C library does with the memory at a pointer, as the standard says it. It is written down in
/// front of the call as an [`Op::Output`] of that name: no effect on the program, and a demand that checks look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LibraryAccess {
    /// It reads so many bytes.
    Reads,
    /// It writes so many bytes, for some input at least.
    Writes,
    /// It may read or write up to so many bytes; how many is not modelled.
    MayTouch,
    /// It reads a string, up to its NUL.
    Text,
    /// The pointer must not be NULL.
    Present,
}

impl LibraryAccess {
    /// All of them.
    pub const ALL: [LibraryAccess; 5] = [
        LibraryAccess::Reads,
        LibraryAccess::Writes,
        LibraryAccess::MayTouch,
        LibraryAccess::Text,
        LibraryAccess::Present,
    ];

    /// The name of the operation.
    pub fn name(self) -> &'static str {
        match self {
            LibraryAccess::Reads => "slam_reads",
            LibraryAccess::Writes => "slam_writes",
            LibraryAccess::MayTouch => "slam_may_touch",
            LibraryAccess::Text => "slam_text",
            LibraryAccess::Present => "slam_present",
        }
    }

    /// What the name of an [`Op::Output`] stands for, if it is one of these.
    pub fn named(function: &str) -> Option<LibraryAccess> {
        LibraryAccess::ALL.into_iter().find(|a| a.name() == function)
    }
}

impl Op {
    /// The procedure that is called by its name.
    pub fn calls(&self) -> Option<ProcId> {
        if let Op::Call { callee: Callee::Direct(q), .. } = self { Some(*q) } else { None }
    }

    /// The local variable whose life ends here, at the end of its block. Only the front end frees a variable's bare
    /// address; a program's own `free(&x)` passes a `void *`.
    pub fn ends(&self) -> Option<VarId> {
        match self {
            Op::Free(Expr::AddrOf(lv)) if lv.path.is_empty() => lv.as_var(),
            _ => None,
        }
    }
}

/// The operation of an edge.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Nothing.
    Skip,
    /// A scalar location gets a value of its type.
    Assign(Lvalue, Expr),
    /// A scalar location gets any value of its type.
    Havoc(Lvalue, HavocKind),
    /// The edge is taken only if the condition is nonzero.
    Assume(Expr),
    /// The error of this check if the condition is zero.
    Check(CheckId, Expr),
    /// A call; a result that is not wanted has no destination. Arguments are scalars, one a formal (more for
    /// variadic callees).
    Call {
        /// Where the result goes: a scalar location of the result's type.
        dest: Option<Lvalue>,
        /// Who is called.
        callee: Callee,
        /// Actual arguments.
        args: Vec<Expr>,
    },
    /// A fresh object of `size` bytes; its address goes to the scalar pointer location `dest`. Contents are
    /// arbitrary, or zero when `zeroed`. NULL is a possible answer when `may_fail`.
    Alloc {
        /// Where the address goes.
        dest: Lvalue,
        /// Size in bytes.
        size: Expr,
        /// Contents are zero (`calloc`).
        zeroed: bool,
        /// NULL may be the answer.
        may_fail: bool,
    },
    /// The end of an allocated object's life (`free`); NULL does nothing.
    Free(Expr),
    /// An answer about the object that `ptr` points into goes to the integer location `dest`; it is 0 when there
    /// is no living object. Abstraction and paths know nothing of the answer; the interpreter knows all.
    Inspect {
        /// Where the answer goes.
        dest: Lvalue,
        /// What is asked.
        query: ObjectQuery,
        /// The pointer.
        ptr: Expr,
    },
    /// Something that others than the program see: what a function such as `printf` writes for these arguments, or
    /// the status that `exit` leaves; or a [`LibraryAccess`] of the call that follows. No effect on the program.
    Output {
        /// The function of the C library.
        function: Arc<str>,
        /// Its arguments, promoted as variable arguments are.
        args: Vec<Expr>,
    },
    /// `len` bytes at `ptr` get the byte value `byte` (also zero initialisation of aggregates).
    MemSet {
        /// First byte.
        ptr: Expr,
        /// Value, converted to `unsigned char`.
        byte: Expr,
        /// Number of bytes.
        len: Expr,
    },
    /// `len` bytes are copied from `src` to `dst`, as `memmove` does (also copies of aggregates).
    MemCopy {
        /// First byte written.
        dst: Expr,
        /// First byte read.
        src: Expr,
        /// Number of bytes.
        len: Expr,
    },
}

/// What an edge is in the source, for traces.
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
}

/// An edge of the control-flow graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// From.
    pub src: LocId,
    /// To.
    pub dst: LocId,
    /// What happens.
    pub op: Op,
    /// Where in the source.
    pub span: Span,
    /// What it is in the source.
    pub kind: EdgeKind,
}

/// A location of the control-flow graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Where in the source.
    pub span: Span,
    /// C labels that stand here.
    pub labels: Vec<String>,
    /// A loop of the source starts here (`while`, `do`, `for`): the span is its keyword.
    pub loop_head: bool,
}

/// Whose a procedure is: what an execution tells of the program rests on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Origin {
    /// The program's own. Without body it is declared there and defined nowhere: what it returns is an input.
    #[default]
    Program,
    /// The C library's: a model of a function when there is a body. Without one, real executions compute what it
    /// returns and writes, and nothing here does.
    Library,
    /// Nobody's: text that is no C (`asm`), or a function that may well not return or run other code (`raise`). It has no
    /// body.
    Foreign,
}

impl Origin {
    /// All of them.
    pub const ALL: [Origin; 3] = [Origin::Program, Origin::Library, Origin::Foreign];

    /// The word of the printed form; the program's own procedures have none.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Origin::Program => None,
            Origin::Library => Some("library"),
            Origin::Foreign => Some("foreign"),
        }
    }
}

/// A procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proc {
    /// Name; unique (static functions of several files are told apart by a suffix).
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
    /// Whose it is.
    pub origin: Origin,
    /// Locations.
    pub locations: IndexVec<LocId, Location>,
    /// Edges.
    pub edges: IndexVec<EdgeId, Edge>,
    /// Where execution starts.
    pub entry: LocId,
    /// Where it ends.
    pub exit: LocId,
    /// The declarator in the source.
    pub span: Span,
}

impl Proc {
    /// Whether it is a model of a library function, or serves one: reports show its calls as one step.
    pub fn is_model(&self) -> bool {
        self.has_body && self.origin == Origin::Library
    }

    /// For every location its outgoing edges, in id order.
    pub fn successors(&self) -> IndexVec<LocId, Vec<EdgeId>> {
        let mut out = IndexVec::from_elem(vec![], self.locations.len());
        for (id, edge) in self.edges.iter_enumerated() {
            out[edge.src].push(id);
        }
        out
    }

    /// For every location its incoming edges, in id order.
    pub fn predecessors(&self) -> IndexVec<LocId, Vec<EdgeId>> {
        let mut out = IndexVec::from_elem(vec![], self.locations.len());
        for (id, edge) in self.edges.iter_enumerated() {
            out[edge.dst].push(id);
        }
        out
    }
}

/// What a check guards against.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CheckKind {
    /// Assertions, error calls, `ERROR` labels.
    Reach,
    /// Signed overflow.
    Overflow,
    /// Division by zero.
    Div0,
    /// Dereference of NULL.
    Null,
    /// Access outside an object.
    Bounds,
    /// Shift by a bad amount.
    Shift,
    /// Read of an uninitialised variable.
    Uninit,
    /// Double free, use after free.
    Free,
    /// Memory never freed.
    Leak,
    /// No error of the program: something that is not modelled. Executions that reach it are not analysed further,
    /// so that the program is safe only if there are none.
    Unmodelled,
}

impl CheckKind {
    /// All of them; the last is never asked for.
    pub const ALL: [CheckKind; 10] = [
        CheckKind::Reach,
        CheckKind::Overflow,
        CheckKind::Div0,
        CheckKind::Null,
        CheckKind::Bounds,
        CheckKind::Shift,
        CheckKind::Uninit,
        CheckKind::Free,
        CheckKind::Leak,
        CheckKind::Unmodelled,
    ];

    /// The name that options and verdicts use.
    pub fn name(self) -> &'static str {
        match self {
            CheckKind::Reach => "reach",
            CheckKind::Overflow => "overflow",
            CheckKind::Div0 => "div0",
            CheckKind::Null => "null",
            CheckKind::Bounds => "bounds",
            CheckKind::Shift => "shift",
            CheckKind::Uninit => "uninit",
            CheckKind::Free => "free",
            CheckKind::Leak => "leak",
            CheckKind::Unmodelled => "unmodelled",
        }
    }
}

/// One thing that must not go wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// What kind.
    pub kind: CheckKind,
    /// Where: the assertion, the call of the error function, the label.
    pub span: Span,
    /// What a report says when it fails: "assertion `x > 0` fails", "reach_error() is called".
    pub message: String,
    /// The procedure whose edge carries it.
    pub proc: ProcId,
}

impl Check {
    /// A check that is carried by an edge of this procedure.
    pub fn new(kind: CheckKind, span: Span, message: &str, proc: ProcId) -> Check {
        Check { kind, span, message: base::wording(message).into_owned(), proc }
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
    /// Where execution starts: a procedure made by the front end, without parameters.
    pub entry: ProcId,
    /// Signed arithmetic wraps (`--signed-overflow=wrap`) instead of being undefined on overflow.
    pub signed_wrap: bool,
}

impl Program {
    /// Size of a type in bytes; `None` when it has none.
    pub fn size_of(&self, ty: &Type) -> Option<u64> {
        ty.size(&self.records, self.model)
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

    /// The type of what one step into a location of this type leads to; `None` where only arrays have an index.
    pub fn part_type(&self, ty: &Type, access: &Access) -> Option<Type> {
        match (access, ty) {
            (Access::Field(r, f), _) => Some(self.field(*r, *f).ty.clone()),
            (Access::Index(_), Type::Array(elem, _)) => Some((**elem).clone()),
            (Access::Index(_), _) => None,
        }
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
    /// An edge of a procedure that is no call of a procedure with body.
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
