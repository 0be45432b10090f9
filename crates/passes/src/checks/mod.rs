//! Checks as instrumentation: in front of every operation that may go wrong stands a `check` of the requested
//! kinds.
//!
//! `demand` says which operation asks for which check, null at calls and dereferences among them. The conditions of overflow, div0,
//! shift and convert are in `arithmetic`; those of null, bounds and free at accesses in `access`, with `pointer_values` and
//! `objects` (order, readonly and overlap, too); of member in `members`; of free and leak in `lifetime`; of uninit in `uninit/`.
//! Race and deadlock come from the threads pass, rule from `slic`.
//!
//! The pass reads the finished program, so that library models are checked like the user's code. It only adds
//! edges, variables and checks (implied edges become `skip`, and assertions that are not asked for assumptions): an execution of the result that fails none of them is an execution of the
//! input, with the same values. Invariants: the condition of a check is defined in every state in which the
//! checks before it hold (or their operations are assumed to be defined); a check that the program cannot
//! express exactly uses [`Op::Inspect`], which the abstraction over-approximates and the interpreter answers.

mod access;
mod arithmetic;
mod demand;
mod describe;
mod extents;
pub mod lifetime;
mod members;
mod objects;
mod places;
mod pointer_values;
mod strings;
pub mod uninit;

use crate::Unit;
use crate::address_comparisons::Origins;
use alias::{AliasMode, AliasOracle};
use base::{IndexVec, Span};
use demand::Demands;
use ir::edit::{Graph, Step};
use ir::expr::{Base, Expr, Lvalue};
use ir::program::{CheckId, CheckKind, EdgeKind, ObjectQuery, Op, ProcId, Program, VarId};
use lifetime::Lifetime;
use objects::Constants;
use pointer_values::Shapes;
use std::collections::BTreeSet;
use strings::Texts;
use uninit::definite_assignment::Initialised;
use uninit::ghost_prefix::{Filled, Pointers};
use uninit::must_written::Written;
use uninit::watched_byte::{About, Placed};

/// The source's name of a variable, for messages: its own, or for a temporary the expression that it stands for.
pub type Describe<'a> = dyn Fn(&Program, VarId) -> Option<String> + 'a;

/// A part of an operation that can go wrong by itself.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// The location that is read or written, or whose address is taken.
    Place(&'a Lvalue),
    /// The result of an operator.
    Value(&'a Expr),
}

/// The source span of one part of the operation at the given span.
pub type Place<'a> = dyn Fn(Span, Part<'_>) -> Option<Span> + 'a;

/// Most times that the analysis of written memory is repeated with its last result.
const ROUNDS: usize = 4;

/// The common data of all parts of the pass.
pub(crate) struct Context<'a> {
    program: &'a Program,
    oracle: &'a AliasOracle,
    kinds: &'a BTreeSet<CheckKind>,
    covered: &'a BTreeSet<ProcId>,
    leaks_at: ProgramEnds,
    describe: &'a Describe<'a>,
    place: &'a Place<'a>,
    initialised: &'a Initialised,
    /// Only where reads of uninitialised memory are looked for.
    written: Option<&'a Written<'a>>,
    filled: &'a Filled,
    placed: &'a Placed,
    about: &'a About<'a>,
    shapes: &'a Shapes<'a>,
    /// A pointer that the program does not know may lead to something that is not written.
    unwritten_outside: bool,
    lifetime: &'a Lifetime,
    texts: &'a Texts,
    constants: &'a Constants,
    /// Only where the order of pointers is checked.
    origins: Option<&'a Origins<'a>>,
    /// Facts about pointers into array members, only where accesses through those are checked.
    members: Option<&'a Shapes<'a>>,
    /// Variables that hold nothing but answers to [`ObjectQuery::Offset`].
    offsets: &'a BTreeSet<VarId>,
}

impl Context<'_> {
    fn pointers(&self) -> Pointers<'_> {
        Pointers { program: self.program, oracle: self.oracle, shapes: self.shapes }
    }

    fn wants(&self, kind: CheckKind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Whether the calls of a procedure say which memory it accesses, and are checked instead of it.
    fn is_covered(&self, p: ProcId, kind: CheckKind) -> bool {
        use CheckKind::{Bounds, Free, Member, Null, Readonly};
        matches!(kind, Null | Bounds | Free | Readonly | Member) && self.covered.contains(&p)
    }
}

/// Ends of an execution, each with those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum ProgramEnds {
    /// The end of the entry function.
    #[default]
    Return,
    /// Calls of `exit`, `_exit` and `quick_exit`.
    Exit,
    /// Calls of `abort`, assertions that fail, calls of the error function.
    Any,
}

impl ProgramEnds {
    /// Whether a call of this function of the library is such an end.
    fn has(self, function: &str) -> bool {
        match function {
            "exit" | "_exit" | "_Exit" | "quick_exit" => self >= ProgramEnds::Exit,
            "abort" => self == ProgramEnds::Any,
            _ => false,
        }
    }
}

/// The parameters of [`instrument`].
pub struct Wanted<'a> {
    /// The kinds.
    pub kinds: &'a BTreeSet<CheckKind>,
    /// The ends of the program at which [`CheckKind::Leak`] applies.
    pub leaks_at: ProgramEnds,
    /// Procedures whose calls stand behind an [`LibraryAccess`](ir::LibraryAccess) for all the memory that they touch, and
    /// whose objects have a value before others see them and are not the program's to free.
    pub covered: &'a BTreeSet<ProcId>,
    /// Of these, the procedures that allocate only objects of at least one byte, which hold a string up to their
    /// last byte when the procedure returns.
    pub strings: &'a BTreeSet<ProcId>,
    /// The text of a place in the source, for messages.
    pub describe: &'a Describe<'a>,
    /// The places of parts of operations.
    pub place: &'a Place<'a>,
}

/// A program with more checks.
pub fn added(program: &Program, wanted: &Wanted<'_>) -> Program {
    let mut unit = Unit::new(program.clone(), AliasMode::Das);
    instrument(&mut unit, wanted);
    unit.into_program()
}

/// Adds the checks that are wanted. Checks of [`CheckKind::Reach`] that are not wanted become assumptions.
pub fn instrument(unit: &mut Unit, wanted: &Wanted<'_>) {
    let Wanted { kinds, leaks_at, covered, strings, describe, place } = *wanted;
    let mut out = unit.program().clone();
    // An implied edge needs no checks, and initialises nothing.
    let implied =
        out.procs.iter_mut().flat_map(|p| p.edges.iter_mut()).filter(|e| e.kind == EdgeKind::Implied);
    implied.for_each(|edge| edge.op = Op::Skip);
    if !kinds.contains(&CheckKind::Reach) {
        drop_reach(&mut out);
    }
    if kinds.iter().all(|k| matches!(k, CheckKind::Reach | CheckKind::Rule)) {
        unit.restrict(out);
        return with_sizes(unit);
    }
    let base = out.clone();
    unit.restrict(out.clone());
    let oracle = &*unit.sound_oracle();
    let uninit = kinds.contains(&CheckKind::Uninit);
    let mut initialised = Initialised::new(&base, oracle, uninit, None);
    // Facts about callees make the facts about locals stronger, and the other way round.
    for _ in 0..if uninit { ROUNDS } else { 0 } {
        let behind = Written::new(&base, oracle, &initialised, covered);
        let next = Initialised::new(&base, oracle, uninit, Some(&behind));
        let is_all = next.knows_like(&initialised);
        initialised = next;
        if is_all {
            break;
        }
    }
    let written = uninit.then(|| Written::new(&base, oracle, &initialised, covered));
    let shapes = Shapes::new(&base, oracle, &initialised, (covered, strings), false);
    let members = kinds
        .contains(&CheckKind::Member)
        .then(|| Shapes::new(&base, oracle, &initialised, (covered, strings), true));
    let orders = kinds.contains(&CheckKind::Order) && base.edges().any(|(_, _, e)| objects::orders(&e.op));
    let origins = orders.then(|| Origins::new(&base, oracle));
    let texts = Texts::new(&base, oracle, strings);
    let pointers = Pointers { program: &base, oracle, shapes: &shapes };
    let filled = Filled::new(&mut out, pointers, &initialised, uninit);
    let incomplete = filled.incomplete(pointers);
    let about = About {
        program: &base,
        oracle,
        initialised: &initialised,
        is_told: &|lv| filled.tells(pointers, &incomplete, lv),
        is_written: &|o| uninit::reads::is_written(&base, &initialised, covered, o),
    };
    let placed = Placed::new(&mut out, &about, written.as_ref());
    let lifetime = Lifetime::new(&mut out, &base, oracle, kinds);
    let context = Context {
        program: &base,
        oracle,
        kinds,
        covered,
        leaks_at,
        describe,
        place,
        initialised: &initialised,
        written: written.as_ref(),
        filled: &filled,
        placed: &placed,
        about: &about,
        shapes: &shapes,
        unwritten_outside: uninit
            && uninit::reads::outside_knows_unwritten(&base, oracle, &initialised, covered),
        lifetime: &lifetime,
        texts: &texts,
        constants: &Constants::new(&base),
        origins: origins.as_ref(),
        members: members.as_ref(),
        offsets: &offsets(&base),
    };
    for p in base.procs.ids().filter(|p| base.procs[*p].has_body) {
        procedure(&context, &mut out, p);
    }
    extents::answer_questions(&mut out, kinds.contains(&CheckKind::Bounds));
    extents::tell_sizes(&mut out, oracle, placed.of_any_size(&base));
    unit.set(out);
}

/// The program without checks of memory, in which proofs know the sizes of the objects that `realloc` copies.
pub fn with_sizes(unit: &mut Unit) {
    let mut program = unit.program().clone();
    if extents::answer_questions(&mut program, false) {
        unit.set(program.clone());
        extents::tell_sizes(&mut program, &unit.oracle(), vec![]);
        unit.set(program);
    }
}

/// The variables that hold nothing but distances of pointers from the starts of their objects: nothing else is
/// assigned to them, and their address is not taken.
fn offsets(program: &Program) -> BTreeSet<VarId> {
    let (mut asked, mut others) = (BTreeSet::new(), BTreeSet::new());
    for (_, _, edge) in program.edges() {
        let is_offset = matches!(edge.op, Op::Inspect { query: ObjectQuery::Offset, .. });
        let written = edge.op.destination().map(|lv| &lv.base);
        if let Some(Base::Var(v)) = written {
            if is_offset {
                asked.insert(*v)
            } else {
                others.insert(*v)
            };
        }
        ir::visit::addresses(&edge.op, &mut |v| _ = others.insert(v));
    }
    asked.into_iter().filter(|v| !others.contains(v)).collect()
}

/// Puts the checks into one procedure.
fn procedure(cx: &Context<'_>, out: &mut Program, p: ProcId) {
    let proc = &cx.program.procs[p];
    let mut graph = Graph::new(out, p);
    let flags = cx.initialised.flags(cx.program, p, &mut graph);
    let successors = proc.successors();
    for (loc, edges) in successors.iter_enumerated() {
        let mut steps = vec![];
        for e in edges {
            let mut demands = Demands::new(cx, p, loc, &flags, &mut graph);
            demands.op(*e, &proc.edges[*e]);
            steps.push((*e, demands.before, demands.after));
        }
        // All branches of one condition evaluate it once.
        let is_branch = edges.len() > 1 && edges.iter().all(|e| matches!(proc.edges[*e].op, Op::Assume(_)));
        if is_branch {
            let mut all = vec![];
            for step in steps.iter().flat_map(|(_, before, _)| before) {
                if !all.iter().any(|s: &Step| s.is_alike(step)) {
                    all.push(step.clone());
                }
            }
            graph.split(loc, &all, proc.edges[edges[0]].span);
        }
        for (e, before, after) in steps {
            if !is_branch {
                graph.before(e, &before);
            }
            graph.after(e, &after);
        }
    }
    let mut first = cx.initialised.at_entry(&flags);
    first.extend(strings::at_entry(cx, p));
    first.extend(cx.filled.at_entry(cx.program, p));
    first.extend(cx.placed.at_entry((cx.program, cx.oracle), p));
    if p == cx.program.entry {
        first.splice(0..0, cx.placed.at_start());
        first.extend(cx.lifetime.at_start());
        graph.at_exit(&cx.lifetime.at_end(cx), cx.program.procs[p].span);
    }
    graph.at_entry(&first, proc.span);
}

/// Assertions become assumptions, other checks for reachability go.
fn drop_reach(program: &mut Program) {
    let mut kept: IndexVec<CheckId, Option<CheckId>> = IndexVec::from_elem(None, program.checks.len());
    let mut checks = IndexVec::new();
    for (id, check) in program.checks.iter_enumerated() {
        if check.kind != CheckKind::Reach {
            kept[id] = Some(checks.push(check.clone()));
        }
    }
    for proc in program.procs.iter_mut() {
        for edge in proc.edges.iter_mut() {
            if let Op::Check(id, condition) = &mut edge.op {
                match kept[*id] {
                    Some(new) => *id = new,
                    None if condition.as_const().is_some() => edge.op = Op::Skip,
                    None => edge.op = Op::Assume(condition.clone()),
                }
            }
        }
    }
    program.checks = checks;
}
