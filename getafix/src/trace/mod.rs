//! Counterexamples, which the paper lacks, from the rings of the relation that was computed: ring n is what round n
//! added. A tuple of ring n comes from tuples of earlier rings, by one of the clauses of its equation.
//!
//! The path is found backwards inside each procedure, with concrete states, and written down forwards. What a call does is
//! a tuple of an earlier ring again, so runs inside calls do not hold each other in a circle.

mod back;
mod forth;
mod threads;

pub use threads::{Interleaving, Run, interleaving};

use crate::eval::{Evaluator, Options, Stop};
use crate::formulae::{self, EF};
use crate::prelude::Model;
use crate::translate::{Place, Question, System, Translation};
use back::Back;
use base::SourceMap;
use bdd::{Engine, TooManyVariables};
use check::Trace;
use forth::Writer;

/// The bits of the parts of a state: the program counter, three kinds of variables, and of threads the context.
type Bits = Vec<bool>;

/// A point of a path: a state, and how it goes on.
struct Hop {
    state: Bits,
    over: Option<SummaryEdge>,
}

/// What a call did: from an entry to an exit, found in a ring.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct SummaryEdge {
    entry: Bits,
    exit: Bits,
    ring: usize,
}

/// A trace to one of the goals, if there is one; `None` too for programs that need more diagram variables than there are.
///
/// # Errors
/// When the engine is stopped.
pub fn trace<E: Engine>(
    system: &System,
    question: &Question,
    engine: impl FnOnce(usize) -> Result<E, TooManyVariables>,
) -> Result<Option<Trace>, Stop> {
    let question = Question { moved: false, ..question.clone() };
    let model = Translation::new(system, question);
    let formula = formulae::formula(EF.text, "ef.fp", &mut SourceMap::new(), &model)
        .expect("the formula files of the program are well-formed");
    let prelude = model.prelude();
    let options = Options { rings: true, ..Options::default() };
    let Ok(mut evaluator) = Evaluator::new(&formula, &model, &prelude, options, engine) else {
        return Ok(None);
    };
    let found = evaluator.run(&mut |_| {})?;
    if !found.holds {
        return Ok(None);
    }
    let mut back = Back::new((&model, &model), &formula, evaluator, found.rings);
    let trace = match back.goal(0) {
        Some((ring, [u, v])) => {
            back.run(u, &v, ring).and_then(|paths| Writer::new(&mut back, 0).write(&paths))
        }
        None => None,
    };
    let trace = trace.map(|written| written.trace);
    if back.evaluator.engine.interrupted() { Err(Stop::Interrupted) } else { Ok(trace) }
}

impl<M: Model, E: Engine> Back<'_, M, E> {
    /// The paths of a run to the state v that a ring has with the entry u: one in each procedure that is open at the
    /// end, the outermost first.
    fn run(&mut self, u: Bits, v: &Bits, ring: usize) -> Option<Vec<Vec<Hop>>> {
        let mut paths = vec![self.path(&u, v, ring)?];
        let (mut entry, mut limit) = (u, ring);
        while !matches!(self.place(&entry), Place::Begin(..)) {
            let (ring, x, y) = self.caller(&entry, limit)?;
            paths.push(self.path(&x, &y, ring)?);
            (entry, limit) = (x, ring);
        }
        paths.reverse();
        Some(paths)
    }
}
