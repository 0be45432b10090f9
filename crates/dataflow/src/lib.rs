//! Dataflow analyses as boolean programs \[BR-PASTE01\]: the facts are boolean variables, the transfer functions are
//! statements, and the reachable states of the boolean program are the solution.
//!
//! There is one analysis, of NULL pointers ([`nullness`]): a variable `{p == NULL}` for every tracked pointer, an
//! assertion for every dereference. Invariant: every execution of the C-- program, up to the first operation that C
//! leaves undefined, is a run of the boolean program in which the variables have the true values. The crate must not
//! know C's syntax, a prover, or decision diagrams.
//!
//! ```
//! use alias::{AliasMode, AliasOracle};
//!
//! # fn main() -> Result<(), Box<base::Diagnostic>> {
//! let text = "entry main;
//!     proc void main(void) { local int *p; entry L0; exit L2;
//!     L0: p = NULL; goto L1;
//!     L1: *p = 1; goto L2;
//!     L2: }";
//! let program = ir::parse::program(text)?;
//! let oracle = AliasOracle::new(&program, AliasMode::Andersen);
//! let made = dataflow::nullness(&program, &oracle, &|_| "lock.c:3".into())?;
//! let printed = bp::print(&made.program);
//! assert!(printed.contains("{p == NULL} := 1;") && printed.contains("assert"), "{printed}");
//! # Ok(())
//! # }
//! ```

mod blocks;
mod dereferences;
mod procedure;
mod slots;
mod statements;
mod values;

pub use dereferences::Dereference;

use alias::AliasOracle;
use base::{Diagnostic, IndexVec, Span};
use bp::{Name, StmtId};
use ir::{EdgeId, PathStep, ProcId, Program};
use std::collections::BTreeMap;

/// The source of a statement of the boolean program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The effect of this edge; a call of a procedure with body excepted.
    Edge(ProcId, EdgeId),
    /// The call on this edge.
    Call(ProcId, EdgeId, ProcId),
    /// The dereference with this number.
    Dereference(usize),
    /// Something that stands for no step.
    Nothing,
}

impl Origin {
    /// The step of a C-- path, when the statement stands for one; `returning` where a call comes back.
    pub fn step(self, returning: bool) -> Option<PathStep> {
        match self {
            Origin::Edge(p, e) => Some(PathStep::Edge(p, e)),
            Origin::Call(p, e, q) if returning => Some(PathStep::Leave(p, e, q)),
            Origin::Call(p, e, q) => Some(PathStep::Enter(p, e, q)),
            Origin::Dereference(_) | Origin::Nothing => None,
        }
    }
}

/// The analysis of NULL pointers as a boolean program.
#[derive(Clone, Debug)]
pub struct Nullness {
    /// The boolean program; it starts at `main`, which stands for the entry of the C-- program.
    pub program: bp::Program,
    /// The sources of its statements.
    pub origins: IndexVec<StmtId, Origin>,
    /// The dereferences, in the order of procedures and locations.
    pub dereferences: Vec<Dereference>,
    /// The pointers that are tracked: the name in the boolean program, and where it belongs.
    pub pointers: Vec<(Option<ProcId>, Name)>,
}

/// Says where something is in the source, as `file.c:12`.
pub type Place<'a> = dyn Fn(Span) -> String + 'a;

/// Translates the program, whose function pointers are resolved; the oracle is its own.
///
/// # Errors
/// A call through a pointer that was not resolved.
pub fn nullness(
    program: &Program,
    oracle: &AliasOracle,
    place: &Place<'_>,
) -> Result<Nullness, Box<Diagnostic>> {
    let reachable = alias::reachable(program, oracle);
    let slots = slots::Slots::new(program, oracle, &reachable);
    let cx = Context { program, oracle, slots: &slots, place, names: names(program) };
    let mut out = Output::default();
    out.program.header = vec!["NULL pointers: a variable is 1 when the pointer is NULL".into()];
    out.program.globals = slots.declared(None);
    for p in program.procs.ids().filter(|p| reachable[*p] && program.procs[*p].has_body) {
        procedure::translate(&cx, &mut out, p)?;
    }
    let pointers = slots.iter().map(|s| (s.owner, s.name.clone())).collect();
    Ok(Nullness { program: out.program, origins: out.origins, dereferences: out.dereferences, pointers })
}

/// The common data of all parts of the translation.
struct Context<'a> {
    program: &'a Program,
    oracle: &'a AliasOracle,
    slots: &'a slots::Slots,
    place: &'a Place<'a>,
    names: BTreeMap<ProcId, Name>,
}

/// The generated program.
#[derive(Default)]
struct Output {
    program: bp::Program,
    origins: IndexVec<StmtId, Origin>,
    dereferences: Vec<Dereference>,
}

impl Output {
    fn stmt(&mut self, kind: bp::StmtKind, origin: Origin) -> bp::Stmt {
        bp::Stmt::new(self.origins.push(origin), kind)
    }
}

/// The procedures' names: the entry is `main`, as boolean programs start there.
fn names(program: &Program) -> BTreeMap<ProcId, Name> {
    let name = |p: ProcId| match program.procs[p].name.as_str() {
        _ if p == program.entry => Name::new("main"),
        "main" | "init" => Name::predicate(&program.procs[p].name),
        name => Name::word(name),
    };
    program.procs.ids().map(|p| (p, name(p))).collect()
}
