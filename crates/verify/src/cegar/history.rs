//! The history of the loop: the paths of the last iterations and what was learned from each. It shows why a run does
//! not end, and when the loop makes no progress.
//!
//! Invariant: nothing here changes what the loop does, except for a run that would repeat itself without any change.

use crate::cegar::event::{Escalation, Found, Record, Refined};
use crate::plan::{PLAN, Step};
use ir::{CheckId, Path, PathStep, ProcId, Program};
use newton::Refiner;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Iterations that are remembered.
const KEPT: usize = 24;

/// A loop head, or the entry of a procedure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cycle {
    /// The loop with this head.
    Loop(ProcId, ir::LocId),
    /// Calls of this procedure inside of each other.
    Recursion(ProcId),
}

/// One iteration.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Its number.
    pub iteration: usize,
    /// The check at the end of its path.
    pub check: Option<CheckId>,
    /// Steps of the path.
    pub steps: usize,
    /// How often the path goes through each cycle.
    pub turns: BTreeMap<Cycle, usize>,
    /// What the analysis of the path gave; `None` if it was not analysed.
    pub refined: Option<Refined>,
    /// Whether the path is that of the iteration before.
    pub repeated: bool,
}

impl Attempt {
    /// Predicates that were new.
    pub fn found(&self) -> &[Found] {
        self.refined.as_ref().map_or(&[], |refined| &refined.found)
    }
}

/// See the module's documentation.
#[derive(Clone, Debug, Default)]
pub struct History {
    attempts: VecDeque<Attempt>,
    refiners: BTreeSet<Refiner>,
    path: Option<Path>,
    core: Vec<usize>,
    abstraction: Option<bp::Program>,
    /// How often each step of the plan was taken, by its position.
    taken: BTreeMap<usize, usize>,
}

impl History {
    /// A step of the plan is taken.
    pub(crate) fn takes(&mut self, position: usize) {
        *self.taken.entry(position).or_default() += 1;
    }

    /// The steps of the plan that the loop has taken, with how often, in their order.
    pub fn taken(&self) -> impl Iterator<Item = (&'static Step, usize)> {
        self.taken.iter().map(|(position, times)| (&PLAN[*position], *times))
    }

    /// The abstraction of the iteration before.
    pub(crate) fn abstraction(&self) -> Option<&bp::Program> {
        self.abstraction.as_ref()
    }

    /// What reports need of it.
    pub(crate) fn without_abstraction(&self) -> History {
        History {
            attempts: self.attempts.clone(),
            refiners: self.refiners.clone(),
            path: self.path.clone(),
            core: self.core.clone(),
            abstraction: None,
            taken: self.taken.clone(),
        }
    }

    /// Takes note of the path of an iteration; true when both the path and the abstraction are those of the iteration
    /// before, which had given nothing: a mistake of ours.
    pub(crate) fn met(
        &mut self,
        program: &Program,
        (iteration, check): (usize, Option<CheckId>),
        path: &Path,
        abstraction: bp::Program,
    ) -> bool {
        let repeated = self.path.as_ref() == Some(path);
        let nothing = |refined: &Refined| !refined.is_progress() && refined.escalation.is_none();
        let gave_nothing = |a: &Attempt| a.refined.as_ref().is_none_or(nothing) && a.iteration < iteration;
        let stands_still = repeated
            && self.attempts.back().is_some_and(gave_nothing)
            && self.abstraction.as_ref() == Some(&abstraction);
        self.path = Some(path.clone());
        self.core.clear();
        self.abstraction = Some(abstraction);
        if self.attempts.len() == KEPT {
            self.attempts.pop_front();
        }
        self.attempts.push_back(Attempt {
            iteration,
            check,
            steps: path.steps.len(),
            turns: turns(program, path),
            refined: None,
            repeated,
        });
        stands_still
    }

    /// Takes note of a refiner that was tried, and of the steps that contradict each other.
    pub(crate) fn refuted(&mut self, refiner: Refiner, core: &[usize]) {
        self.refiners.insert(refiner);
        self.core = core.to_vec();
    }

    /// Takes note of what the iteration has given.
    pub(crate) fn learned(&mut self, record: &Record) {
        if let Some(last) = self.attempts.back_mut().filter(|last| last.iteration == record.number) {
            last.refined.clone_from(&record.refinement);
        }
    }

    /// The last path, and the steps of it that contradict each other.
    pub fn path(&self) -> Option<(&Path, &[usize])> {
        self.path.as_ref().map(|path| (path, self.core.as_slice()))
    }

    /// The iterations that are remembered, oldest first.
    pub fn attempts(&self) -> impl DoubleEndedIterator<Item = &Attempt> {
        self.attempts.iter()
    }

    /// The refiners that were tried.
    pub fn refiners(&self) -> impl Iterator<Item = Refiner> {
        self.refiners.iter().copied()
    }

    /// The cycle that the last paths go through more and more often, and how often the last ones did, at least three
    /// of them: each refutation kept one number of iterations away, and the next came. The one that grew most often counts.
    pub fn unrolled(&self) -> Option<(Cycle, Vec<usize>)> {
        let last = self.attempts.back()?;
        let of_check: Vec<&Attempt> = self.attempts.iter().filter(|a| a.check == last.check).collect();
        let growing = |cycle: Cycle| {
            let mut numbers = vec![];
            for attempt in of_check.iter().rev() {
                let turns = attempt.turns.get(&cycle).copied().unwrap_or(0);
                match numbers.last() {
                    Some(later) if turns > *later => break,
                    Some(later) if turns == *later => {}
                    _ => numbers.push(turns),
                }
            }
            numbers.retain(|n| *n > 0);
            numbers.reverse();
            (cycle, numbers)
        };
        let best = last.turns.keys().map(|c| growing(*c)).rev().max_by_key(|(_, numbers)| numbers.len())?;
        (best.1.len() >= 3).then_some(best)
    }

    /// How often the last path has come in a row.
    pub fn repetitions(&self) -> usize {
        1 + self.attempts.iter().rev().take_while(|a| a.repeated).count()
    }

    /// What was done for lack of new predicates, each once.
    pub fn escalations(&self) -> Vec<Escalation> {
        let mut out: Vec<Escalation> =
            self.attempts.iter().filter_map(|a| a.refined.as_ref()?.escalation).collect();
        out.dedup();
        out
    }

    /// The predicates found last.
    pub fn last_found(&self) -> &[Found] {
        self.attempts.iter().rev().map(Attempt::found).find(|found| !found.is_empty()).unwrap_or(&[])
    }
}

/// How often the path reaches each loop head, and how deep procedures call themselves.
fn turns(program: &Program, path: &Path) -> BTreeMap<Cycle, usize> {
    let mut out: BTreeMap<Cycle, usize> = BTreeMap::new();
    let mut depths: BTreeMap<ProcId, usize> = BTreeMap::new();
    for step in &path.steps {
        match *step {
            PathStep::Edge(p, e) => {
                let proc = &program.procs[p];
                if proc.locations[proc.edges[e].src].loop_head {
                    *out.entry(Cycle::Loop(p, proc.edges[e].src)).or_default() += 1;
                }
            }
            PathStep::Enter(_, _, callee) => {
                let depth = depths.entry(callee).or_default();
                *depth += 1;
                if *depth > 1 {
                    let deepest = out.entry(Cycle::Recursion(callee)).or_default();
                    *deepest = (*deepest).max(*depth);
                }
            }
            PathStep::Leave(_, _, callee) => {
                let depth = depths.entry(callee).or_default();
                *depth = depth.saturating_sub(1);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id;

    fn empty() -> Program {
        ir::parse::program("global int x;").unwrap_or_else(|e| panic!("{e:?}"))
    }

    fn attempt(iteration: usize, turns: usize, other: usize) -> Attempt {
        let cycle = |n: usize| Cycle::Loop(ProcId::from_index(0), ir::LocId::from_index(n));
        Attempt {
            iteration,
            check: None,
            steps: 10,
            turns: BTreeMap::from([(cycle(1), turns), (cycle(2), other)]),
            refined: None,
            repeated: false,
        }
    }

    fn with(attempts: Vec<Attempt>) -> History {
        History { attempts: attempts.into(), ..History::default() }
    }

    #[test]
    fn the_loop_that_grows_is_found() {
        let growing = with(vec![attempt(1, 1, 2), attempt(2, 1, 2), attempt(3, 2, 2), attempt(4, 3, 2)]);
        let (cycle, turns) = growing.unrolled().expect("a loop grows");
        assert_eq!(cycle, Cycle::Loop(ProcId::from_index(0), ir::LocId::from_index(1)));
        assert_eq!(turns, [1, 2, 3]);
        let short = with(vec![attempt(1, 3, 1), attempt(2, 2, 2), attempt(3, 3, 1)]);
        assert!(short.unrolled().is_none(), "two numbers are no pattern");
    }

    /// The same path over the same abstraction, and nothing learned: this never happens, and would be seen.
    #[test]
    fn a_loop_that_stands_still_is_seen() {
        let (program, path) = (empty(), Path { steps: vec![] });
        let mut history = History::default();
        let met = |history: &mut History, n| history.met(&program, (n, None), &path, bp::Program::default());
        assert!(!met(&mut history, 1));
        assert!(met(&mut history, 2));
        let mut refinement = crate::cegar::Refined::new(0, crate::cegar::PathAnswer::Refuted(None));
        refinement.found = vec![Found {
            predicate: predicates::PredId::from_index(0),
            finder: crate::cegar::Finder::Path(Refiner::Wp),
            step: None,
            index: None,
        }];
        let record = Record { number: 2, refinement: Some(refinement), ..Record::default() };
        history.learned(&record);
        assert!(!met(&mut history, 3), "something was learned");
        assert_eq!(history.repetitions(), 3);
    }
}
