//! c2bp: the predicate abstraction of C-- programs (002 slides 16-44; \[BMMR01\]).
//!
//! From a program and predicates it makes a boolean program with the same control flow, whose variables are the
//! predicates' truth values, and whose runs include the image of every run of the program. Each procedure and each
//! statement is abstracted by itself: statements become questions to the prover (`statement`, `call`, `question`),
//! the distinct questions are answered in parallel (`cubes`), and the answers are written down (`emit`).
//!
//! Invariants: the result is a function of the program, the predicates and the options (the cache and the number of
//! threads change nothing but the time); whatever is not known is `*`. The crate must not know C's syntax, the front
//! end, decision diagrams or the model checkers.
//!
//! ```
//! use alias::{AliasMode, AliasOracle};
//! use predicates::{Precision, Predicate};
//!
//! # fn main() -> Result<(), base::Diagnostic> {
//! let text = "entry main; global int y; proc void main(void) { entry L0; exit L1; L0: y = y + 1; goto L1; L1: }";
//! let program = ir::parse::program(text)?;
//! let oracle = AliasOracle::new(&program, AliasMode::Das);
//! let mut precision = Precision::new();
//! for text in ["y <= 3", "y <= 4"] {
//!     let expr = ir::parse::expr(text, &program, None)?;
//!     precision.add(Predicate::new(&program, expr, None).expect("only globals occur"));
//! }
//! let (stop, interrupt, mut cache) = (false.into(), smt::Interrupt::new(), c2bp::Cache::new());
//! let options = c2bp::Options::new(&stop, &interrupt);
//! let made = c2bp::abstract_program(&program, &oracle, &precision, &options, &mut cache).expect("nothing stops it");
//! let assignment = "{y <= 3}, {y <= 4} := choose[0, !{y <= 3} | !{y <= 4}], {y <= 3};";
//! assert!(bp::print(&made.program).contains(assignment));
//! # Ok(())
//! # }
//! ```

mod arrays;
mod block;
mod calls;
mod cartesian;
mod constrain;
mod context;
mod cube_search;
pub mod diff;
mod emit;
mod enforce;
pub mod explain;
mod formula;
mod groups;
mod null_guards;
mod post_state;
mod question;
mod scope;
mod signatures;
mod stats;
#[cfg(test)]
mod tests;
mod theory_shortcuts;

pub use constrain::{Clause, Clauses, Combination, Excluded, Moment, States};
pub use cube_search::cache::Cache;
pub use cube_search::decide::Effort;
pub use emit::origin::{Event, Origin, Role, StmtOrigin, VarRole};
pub use stats::Stats;

use alias::AliasOracle;
use base::{IndexVec, SourceMap};
use cartesian::Draft;
use context::World;
use cube_search::cache::{Asked, Hints, Solved};
use cube_search::problem::{Answers, Problem};
use emit::body::Depth;
use emit::{EdgeText, Emitter, Known};
use encoding::IntMode;
use enforce::Combinations;
use ir::{EdgeId, ProcId, Program};
use passes::{Blocks, Partition};
use predicates::{Precision, PredId};
use question::Image;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Settings of an abstraction.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Longest cubes tried.
    pub max_cube: usize,
    /// The statements whose abstraction is exact.
    pub exact: Exact<'a>,
    /// What is abstracted as one. In a program with predicates that are tracked at some locations only that is each statement.
    pub blocks: Blocks,
    /// How integers are modelled.
    pub mode: IntMode,
    /// Resource count for one call of the prover; 0 means any.
    pub rlimit: u64,
    /// Calls of the prover for one side of one question.
    pub max_calls: u64,
    /// Whether questions are answered syntactically, without the prover, where possible. Changes only the cost.
    pub shortcuts: bool,
    /// Whether combinations of predicates that no state has are cut.
    pub enforce: bool,
    /// Combinations of predicates that are cut besides those that are found by themselves.
    pub excluded: Option<&'a Excluded>,
    /// Steps that edges do not take, cut besides.
    pub clauses: Option<&'a Clauses>,
    /// Whether the text has labels and jumps only, without `if` and `while` (002 slide 13).
    pub goto: bool,
    /// Names of files, for the places beside the statements.
    pub sources: Option<&'a SourceMap>,
    /// Set to end the work.
    pub stop: &'a AtomicBool,
    /// Ends calls of the prover that are under way.
    pub interrupt: &'a smt::Interrupt,
}

/// Which statements get the best abstraction that the predicates allow (002 slide 34; \[BPR01\]): all predicates
/// together, with cubes of any length as long as there are not too many of them. The passing of arguments stays
/// cartesian.
#[derive(Clone, Copy)]
pub enum Exact<'a> {
    /// None: each predicate is abstracted by itself.
    Nothing,
    /// Those of these edges.
    Edges(&'a BTreeSet<(ProcId, EdgeId)>),
    /// All.
    Everything,
}

impl<'a> Options<'a> {
    /// An error once the work shall end.
    pub(crate) fn check(&self) -> Result<(), Interrupted> {
        if self.stop.load(Ordering::Relaxed) || self.interrupt.is_set() { Err(Interrupted) } else { Ok(()) }
    }

    /// A prover with these limits, which knows nothing.
    pub(crate) fn prover(&self) -> smt::Z3Prover {
        let (rlimit, interrupt) = (self.rlimit, self.interrupt.clone());
        smt::Z3Prover::new(smt::Config { rlimit, interrupt, ..smt::Config::default() })
    }

    /// Cubes of up to three literals, statement by statement, mathematical integers, `enforce`.
    pub fn new(stop: &'a AtomicBool, interrupt: &'a smt::Interrupt) -> Options<'a> {
        Options {
            max_cube: 3,
            exact: Exact::Nothing,
            blocks: Blocks::Statement,
            mode: IntMode::Math,
            rlimit: 2_000_000,
            max_calls: 20_000,
            shortcuts: true,
            enforce: true,
            excluded: None,
            clauses: None,
            goto: false,
            sources: None,
            stop,
            interrupt,
        }
    }

    fn image(&self, p: ProcId, e: EdgeId) -> Image {
        let exact = match self.exact {
            Exact::Nothing => false,
            Exact::Edges(edges) => edges.contains(&(p, e)),
            Exact::Everything => true,
        };
        if exact { Image::Exact } else { Image::Cartesian { max_cube: self.max_cube } }
    }
}

/// The work was ended by the stop flag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupted;

/// A boolean program, and where its parts come from.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// The boolean program; it starts at `main`, which is the C-- program's entry procedure (C's own `main` is
    /// called `c_main`).
    pub program: bp::Program,
    /// The inverse map.
    pub origin: Origin,
    /// What it took.
    pub stats: Stats,
    /// Predicates left out, since they read memory or numbers that have no model.
    pub ignored: Vec<PredId>,
    /// What was abstracted as one. Until the last edge of its block, a variable has the value from before the block.
    pub blocks: Partition,
}

/// How deep statements stand inside each other, at most.
const NESTING: usize = 40;

/// Abstracts the program with respect to the predicates. Calls through pointers must have been resolved; the oracle
/// must be that of the program.
///
/// # Errors
/// When the stop flag was set.
pub fn abstract_program(
    program: &Program,
    oracle: &AliasOracle,
    precision: &Precision,
    options: &Options<'_>,
    cache: &mut Cache,
) -> Result<Abstraction, Interrupted> {
    options.check()?;
    let world = World::new(program, oracle, precision, options.mode, options.blocks);
    let edges: Vec<(ProcId, EdgeId)> =
        world.procs.iter().flat_map(|p| written_edges(&world.base.program, *p)).collect();
    let drafts: Result<Vec<Draft>, Interrupted> = edges
        .par_iter()
        .map(|(p, e)| {
            let image = options.image(*p, world.blocks.original(*p, *e));
            options.check().map(|()| cartesian::abstract_edge(&world, *p, *e, image))
        })
        .collect();
    let drafts = drafts?;
    let combinations: Vec<Combinations> =
        world.procs.par_iter().map(|p| Combinations::new(&world, *p, options.enforce)).collect();

    let mut stats = Stats::default();
    let (cut, hints) = cut_states(&combinations, cache, options, &mut stats)?;
    let places: BTreeMap<ProcId, usize> = world.procs.iter().enumerate().map(|(i, p)| (*p, i)).collect();
    let asked: Vec<Asked<'_>> = edges
        .iter()
        .zip(&drafts)
        .map(|((p, _), draft)| Asked { problems: problems_of(draft), about: places[p] })
        .collect();
    let solved = cache.answer(&asked, &hints, options, &mut stats)?;
    count(&drafts, &solved, &mut stats);

    let depth = Depth(if options.goto { 0 } else { NESTING });
    let mut emitter = Emitter { world: &world, sources: options.sources, origin: Origin::default(), depth };
    let mut out = emitter.program();
    let mut texts = edges.iter().zip(drafts.iter().zip(&solved)).peekable();
    for (p, (combinations, cut)) in world.procs.iter().zip(combinations.iter().zip(&cut)) {
        let mut of_proc: IndexVec<EdgeId, Option<EdgeText>> =
            IndexVec::from_elem(None, world.base.program.procs[*p].edges.len());
        let known = Known { impossible: combinations.cut(&borrowed(&cut.answers)), clauses: options.clauses };
        while let Some(((_, e), (draft, solved))) = texts.next_if(|((q, _), _)| q == p) {
            of_proc[*e] = Some(emit::edge_text(&world, (*p, *e), draft, &borrowed(&solved.answers), &known));
        }
        let excluded = options.excluded.and_then(|e| e.get(p)).map_or(&[][..], Vec::as_slice);
        let enforce = combinations.resolve(&borrowed(&cut.answers), &world, excluded);
        out.procs.push(emitter.procedure(*p, &of_proc, enforce));
    }
    let ignored: Vec<PredId> = world.preds.ids().filter(|id| !world.preds[*id].usable).collect();
    stats.ignored = ignored.len();
    let mut origin = emitter.origin;
    // Arms change places when one of them is written behind the others.
    origin.stmts = out.renumber().iter().map(|old| origin.stmts[*old].clone()).collect();
    Ok(Abstraction { program: out, origin, stats, ignored, blocks: world.partition })
}

/// How many edges the abstraction of the program has: as many as [`Stats`] counts.
pub fn edges(program: &Program) -> usize {
    context::reachable(program).into_iter().map(|p| written_edges(program, p).len()).sum()
}

/// The edges that the procedure's text contains.
fn written_edges(program: &Program, p: ProcId) -> Vec<(ProcId, EdgeId)> {
    emit::layout::edges(&program.procs[p]).into_iter().map(|e| (p, e)).collect()
}

fn problems_of(draft: &Draft) -> Vec<&Problem> {
    draft.inquiries().into_iter().flat_map(|i| &i.problems).collect()
}

/// Which combinations of each procedure's predicates no state has: the answers, and what they say for other questions, both in
/// the order of the procedures that are abstracted.
fn cut_states(
    combinations: &[Combinations],
    cache: &mut Cache,
    options: &Options<'_>,
    stats: &mut Stats,
) -> Result<(Vec<Solved>, Vec<Hints>), Interrupted> {
    let asked: Vec<Asked<'_>> = combinations
        .iter()
        .enumerate()
        .map(|(about, c)| Asked { problems: c.inquiry.problems.iter().collect(), about })
        .collect();
    let cut = cache.answer(&asked, &vec![Hints::default(); combinations.len()], options, stats)?;
    let hints = combinations.iter().zip(&cut).map(|(c, cut)| c.hints(&borrowed(&cut.answers))).collect();
    Ok((cut, hints))
}

fn borrowed(answers: &[Arc<Answers>]) -> Vec<&Answers> {
    answers.iter().map(|a| &**a).collect()
}

fn count(drafts: &[Draft], solved: &[Solved], stats: &mut Stats) {
    for (draft, solved) in drafts.iter().zip(solved) {
        if solved.reused {
            stats.reused += 1;
        } else {
            stats.abstracted += 1;
        }
        let folded = match draft {
            Draft::Simple(s) => s.inquiry.folded + s.tracking.folded + s.cutting.folded,
            Draft::Call(call) => call.entry.folded + call.exit.folded + call.relation.folded,
        };
        stats.folded += folded;
        stats.questions += folded;
    }
}
