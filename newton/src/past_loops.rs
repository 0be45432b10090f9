//! Paths that leave a loop too early. A loop with a hundred iterations is left after none, one, two, … of them in the
//! abstraction, and each of these paths is refuted by the loop alone. The reason why the program does not reach the
//! error is found at once on the path with all iterations, and predicates that refute that one mostly refute the
//! short ones too. Only loops whose number of iterations the program computes from constants are followed: others
//! need invariants.

use crate::refuted::{Refinement, Refuted};
use crate::{Options, Outcome, Refiner};
use encoding::Inputs;
use encoding::symbolic::walk::{self as feasible, Role};
use encoding::{Addresses, Inexact};
use ir::{Path, PathStep};
use predicates::Precision;
use std::collections::BTreeSet;

/// Most steps that are added to a path.
const MOST_STEPS: usize = 8192;

/// At most this many iterations are added to a path.
const MOST_TURNS: usize = 1024;

/// At most this many loops of one path get iterations.
const MOST_LOOPS: usize = 8;

/// At most this many of the added iterations may matter for a refutation.
const MOST_THAT_MATTER: usize = 2;

/// The result of adding iterations.
pub enum Past {
    /// The longer path is feasible.
    Feasible {
        /// The path.
        path: Path,
        /// Values for its inputs.
        inputs: Inputs,
        /// What its formulas over-approximate.
        inexact: Vec<Inexact>,
    },
    /// It is refuted by something else than its loops.
    Refuted {
        /// The path.
        path: Path,
        /// What refutes it.
        refinement: Refinement,
    },
}

/// Follows a refuted path with as many iterations of its loops as the program makes. `None` where that gives nothing
/// new: no loop ends the path, no number of iterations was found, or the conflict of the longer path is about the
/// iterations, or known.
pub fn past_loops(refuted: &Refuted<'_>, options: &Options<'_>, known: &Precision) -> Option<Past> {
    follow(refuted, options, known, &mut vec![])
}

fn follow(
    refuted: &Refuted<'_>,
    options: &Options<'_>,
    known: &Precision,
    added: &mut Vec<Added>,
) -> Option<Past> {
    if added.len() == MOST_LOOPS {
        return None;
    }
    let (path, new) = longer(refuted)?;
    if added.iter().any(|a| a.first < new.first && new.first < a.end())
        || path.steps.len() > options.max_steps
    {
        return None;
    }
    added.iter_mut().filter(|a| new.first <= a.first).for_each(|a| a.first += new.turns * new.turn);
    added.push(new);
    match crate::decide(refuted.program, refuted.oracle, &path, options) {
        Outcome::Feasible { inputs, inexact } => Some(Past::Feasible { path: path.clone(), inputs, inexact }),
        Outcome::GaveUp(_) => None,
        Outcome::Refuted(next) => {
            let past = follow(&next, options, known, added);
            if past.is_some() {
                return past;
            }
            let refinement = next.refine(Refiner::Wp, known);
            let is_new = refinement.predicates.iter().any(|d| !known.contains(&d.predicate));
            let is_about_the_rest = added.iter().all(|a| a.matters(&refinement.core) <= MOST_THAT_MATTER);
            (is_new && is_about_the_rest).then(|| Past::Refuted { path: path.clone(), refinement })
        }
    }
}

/// Turns that were added to a path.
struct Added {
    /// The first of the steps.
    first: usize,
    /// How many steps make a turn.
    turn: usize,
    /// How many turns.
    turns: usize,
}

impl Added {
    fn end(&self) -> usize {
        self.first + self.turns * self.turn
    }

    /// How many of the turns have steps of the core.
    fn matters(&self, core: &[usize]) -> usize {
        let steps = core.iter().filter(|step| (self.first..self.end()).contains(step));
        steps.map(|step| (step - self.first) / self.turn).collect::<BTreeSet<_>>().len()
    }
}

/// The path with enough more iterations of a loop that the last condition of the core may hold, if that condition is
/// tested in each iteration: it leaves the loop, or it is the failure of a check in it.
fn longer(refuted: &Refuted<'_>) -> Option<(Path, Added)> {
    let steps = &refuted.path.steps;
    let at = refuted.core().filter(|a| a.role == Role::Condition).map(|a| a.step).max()?;
    let turn = turn_before(refuted, at)?;
    let most = (MOST_STEPS / turn.len()).min(MOST_TURNS);
    let with = |turns: usize| -> Vec<PathStep> {
        let repeated = std::iter::repeat_n(turn, turns).flatten();
        steps[..at].iter().chain(repeated).chain(&steps[at..]).copied().collect()
    };
    let turns = turns_by_constants(refuted, &with(most)[..at + most * turn.len()], at, turn.len())?;
    (turns > 0).then(|| (Path { steps: with(turns) }, Added { first: at, turn: turn.len(), turns }))
}

/// The steps of the last iteration before a step that begins another one: from the same location in the same
/// activation.
fn turn_before<'p>(refuted: &Refuted<'p>, at: usize) -> Option<&'p [PathStep]> {
    let place = |step: usize| match refuted.path.steps[step] {
        PathStep::Edge(p, e) => {
            Some((refuted.unfolding.steps[step].activation, refuted.program.procs[p].edges[e].src))
        }
        PathStep::Enter(..) | PathStep::Leave(..) => None,
    };
    let here = place(at)?;
    let before = (0..at).rev().find(|step| place(*step) == Some(here))?;
    Some(&refuted.path.steps[before..at])
}

/// How many turns the constants of the program allow; `None` where they say nothing of it, or the turns end for another reason than
/// the condition that begins them.
fn turns_by_constants(refuted: &Refuted<'_>, steps: &[PathStep], at: usize, turn: usize) -> Option<usize> {
    let addresses = Addresses::new(refuted.program);
    let encoded = feasible::encode_prefix(&refuted.encoder(&addresses), steps);
    let end =
        encoded.assumptions.iter().find(|a| a.formula.as_bool() == Some(false))?.step.checked_sub(at)?;
    end.is_multiple_of(turn).then_some(end / turn)
}
