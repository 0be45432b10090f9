//! The exploration: which states can be reached, and which of them are written down.

use super::Refused;
use super::build::{Build, Moment, Place};
use super::emit::Emitter;
use super::transitions::{Choice, Does};
use indexmap::IndexSet;
use ir::program::{CheckId, CheckKind, Op, Program};
use rustc_hash::FxBuildHasher;
use std::collections::{BTreeMap, BTreeSet};

/// Most transitions in a run between two states that are kept.
const LONGEST: usize = 100;

/// The threads whose transitions are explored at a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Whose {
    /// All live threads.
    All,
    /// One thread, since no other can move, or the state is being split on a truth value.
    Only,
    /// One thread, since its transitions do not interfere with the others.
    One,
}

/// Transitions of which only the first is a choice. All but the last are operations.
pub(super) struct Run(pub(super) Vec<Choice>);

impl Run {
    /// The state where it leads.
    fn end(&self) -> Option<&Moment> {
        match &self.0.last()?.does {
            Does::Ops(_, next) => Some(next),
            Does::Repeat(_) | Does::Unmodelled(..) | Does::Fault(_) => None,
        }
    }

    fn ops(&self) -> impl Iterator<Item = &Op> {
        self.0.iter().flat_map(|choice| match &choice.does {
            Does::Ops(ops, _) => ops.as_slice(),
            Does::Repeat(op) => std::slice::from_ref(op),
            Does::Unmodelled(..) | Does::Fault(_) => &[],
        })
    }

    /// Whether a check may fail on it, or it leads to what is not modelled.
    fn matters(&self) -> bool {
        let unmodelled = |choice: &Choice| matches!(choice.does, Does::Unmodelled(..) | Does::Fault(_));
        self.0.iter().any(unmodelled) || self.ops().any(|op| matches!(op, Op::Check(..)))
    }
}

/// The effect of the conditions on a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Certainty {
    /// All hold.
    Passes,
    /// They do up to a check that fails.
    Fails,
    /// A check fails behind conditions that are not known.
    MayFail,
    Unsure,
}

/// The states found so far.
#[derive(Default)]
pub struct Explored {
    pub(super) moments: IndexSet<Moment, FxBuildHasher>,
    /// For each the number of operations of its runs; 0 until its transitions are explored.
    sizes: Vec<usize>,
    /// For each the threads whose transitions are explored.
    pub(super) whose: Vec<Whose>,
    /// The states at which all threads are explored though one would suffice.
    pub(super) opened: BTreeSet<usize>,
    /// For each the number of switches on the way there, and the last thread.
    reached: Vec<(u32, usize)>,
    /// The state from which each was found.
    parents: Vec<usize>,
    /// The states whose transitions were explored, in that order.
    order: Vec<usize>,
    /// For each whether it is reached without passing an unknown condition, along `parents`.
    sure: Vec<bool>,
    /// The source and the target of each run.
    pub(super) runs: Vec<(u32, u32)>,
    /// States with runs that matter.
    mattering: Vec<usize>,
    /// The first state from which a check with a known condition fails.
    failing: Option<usize>,
    /// States from which a check fails, provided that they can be reached.
    suspects: Vec<usize>,
    /// The number of operations of all runs.
    size: usize,
}

impl Explored {
    fn insert(&mut self, moment: Moment, parent: usize, reached: (u32, usize)) -> (usize, bool) {
        let (n, new) = self.moments.insert_full(moment);
        if new {
            self.sizes.push(0);
            self.whose.push(Whose::Only);
            self.reached.push(reached);
            self.parents.push(parent);
            self.sure.push(n == parent);
        }
        (n, new)
    }

    /// Adds a run from one state to another; it `passes` if it has no unknown condition.
    fn connect(&mut self, from: usize, to: usize, passes: bool) {
        if passes && self.sure[from] && !self.sure[to] {
            self.sure[to] = true;
            self.parents[to] = from;
        }
    }

    /// Whether the transitions of all states were explored.
    pub(super) fn is_complete(&self) -> bool {
        self.order.len() == self.moments.len()
    }

    /// For each state whether a run that matters can follow.
    fn leading(&self) -> Vec<bool> {
        let mut into: Vec<Vec<u32>> = vec![vec![]; self.moments.len()];
        self.runs.iter().for_each(|(from, to)| into[*to as usize].push(*from));
        let mut leading = vec![false; self.moments.len()];
        let mut work = self.mattering.clone();
        work.iter().for_each(|n| leading[*n] = true);
        while let Some(n) = work.pop() {
            for from in &into[n] {
                if !std::mem::replace(&mut leading[*from as usize], true) {
                    work.push(*from as usize);
                }
            }
        }
        leading
    }

    /// States whose runs have about `most` operations: those on the ways to where a check may fail, or else the
    /// first ones.
    fn part(&self, most: usize) -> BTreeSet<usize> {
        let (mut part, mut size) = (BTreeSet::new(), 0);
        for n in &self.suspects {
            let new = self.way(*n).into_iter().filter(|n| part.insert(*n));
            size += new.map(|n| self.sizes[n]).sum::<usize>();
            if size > most {
                return part;
            }
        }
        for n in &self.order {
            if size > most {
                break;
            }
            if part.insert(*n) {
                size += self.sizes[*n];
            }
        }
        part
    }

    /// The states on the way to one.
    fn way(&self, to: usize) -> BTreeSet<usize> {
        let mut way = BTreeSet::from([to]);
        let mut at = to;
        while at != self.parents[at] {
            at = self.parents[at];
            way.insert(at);
        }
        way
    }
}

/// States whose transitions are still to be explored, by the number of preemptive switches on the way there.
#[derive(Default)]
struct Waiting {
    moments: BTreeMap<(u32, usize), usize>,
    pushed: usize,
}

impl Waiting {
    fn push(&mut self, switches: u32, moment: usize) {
        self.moments.insert((switches, self.pushed), moment);
        self.pushed += 1;
    }

    fn pop(&mut self) -> Option<usize> {
        self.moments.pop_first().map(|(_, moment)| moment)
    }
}

impl Build {
    /// The runs from a state, and whose they are; those of all threads if it is `opened`.
    fn runs(&mut self, moment: &Moment, opened: bool) -> Result<(Vec<Run>, Whose), Refused> {
        let mut out = vec![];
        let (choices, whose) = self.turns(moment, opened)?;
        if self.is_stale() {
            return Ok((out, whose));
        }
        for choice in choices {
            let mut run = Run(vec![choice]);
            while run.0.len() < LONGEST
                && let Some(next) = run.end().filter(|next| !self.is_kept(moment, next, &run)).cloned()
            {
                let (mut turns, _) = self.turns(&next, false)?;
                if self.is_stale() {
                    return Ok((vec![], whose));
                }
                match turns.pop() {
                    Some(one) if turns.is_empty() && matches!(one.does, Does::Ops(..)) => run.0.push(one),
                    _ => break,
                }
            }
            out.push(run);
        }
        Ok((out, whose))
    }

    /// Whether runs end at the state in any case: each cycle has such a state, and one outside of atomic
    /// sections if the cycle leaves those.
    fn is_kept(&self, first: &Moment, moment: &Moment, run: &Run) -> bool {
        let ended = moment.threads[0].place == Place::Ended;
        let left = first.atomic.is_some() && moment.atomic.is_none();
        let moved = run.0.last().map(|choice| choice.thread);
        ended || left || self.at_heads(moment).any(|t| Some(t) == moved)
    }

    /// The threads that are at loop heads.
    pub(super) fn at_heads<'a>(&'a self, moment: &'a Moment) -> impl Iterator<Item = usize> + 'a {
        let is_head = |instance: usize, n: usize| self.graphs[instance].instance.nodes[n].head;
        moment.live().filter(move |(_, instance, n)| is_head(*instance, *n)).map(|(t, ..)| t)
    }

    /// Explores all states; `None` when a new graph was made on the way.
    pub(super) fn explore(&mut self) -> Result<Option<Explored>, Refused> {
        let mut found = Explored::default();
        let mut waiting = Waiting::default();
        found.insert(self.first(), 0, (0, 0));
        waiting.push(0, 0);
        loop {
            while !self.is_enough(&found)
                && let Some(n) = waiting.pop()
            {
                self.look(&mut found, &mut waiting, n)?;
                if self.is_stale() {
                    return Ok(None);
                }
            }
            let closed = self.closed(&found);
            if closed.is_empty() {
                return Ok(Some(found));
            }
            for n in closed {
                found.opened.insert(n);
                self.look(&mut found, &mut waiting, n)?;
                if self.is_stale() {
                    return Ok(None);
                }
            }
        }
    }

    /// Whether the exploration stops.
    fn is_enough(&self, found: &Explored) -> bool {
        let failing = found.failing.is_some() && found.size > self.bounds.edges;
        failing || found.moments.len() > self.bounds.moments
    }

    /// Explores the transitions of a state.
    fn look(&mut self, found: &mut Explored, waiting: &mut Waiting, n: usize) -> Result<(), Refused> {
        let moment = found.moments[n].clone();
        let (switches, last) = found.reached[n];
        let (runs, whose) = self.runs(&moment, found.opened.contains(&n))?;
        found.size -= found.sizes[n];
        let before = found.size;
        for run in runs {
            found.size += run.ops().count();
            if run.matters() {
                found.mattering.push(n);
            }
            let certainty = self.certainty(&moment, &run);
            match certainty {
                Certainty::Fails if found.sure[n] => _ = found.failing.get_or_insert(n),
                Certainty::Fails | Certainty::MayFail => found.suspects.push(n),
                Certainty::Passes | Certainty::Unsure => {}
            }
            let thread = run.0[0].thread;
            let Some(end) = run.end() else { continue };
            let others = || moment.live().any(|(t, ..)| t == last);
            let reached = (switches + u32::from(thread != last && others()), thread);
            let (to, new) = found.insert(end.clone(), n, reached);
            found.runs.push((n as u32, to as u32));
            found.connect(n, to, certainty == Certainty::Passes);
            if new {
                waiting.push(reached.0, to);
            }
        }
        found.sizes[n] = found.size - before;
        found.whose[n] = whose;
        if !found.opened.contains(&n) {
            found.order.push(n);
        }
        Ok(())
    }

    /// How the known values decide the conditions on the run.
    fn certainty(&self, moment: &Moment, run: &Run) -> Certainty {
        let (mut at, mut certainty) = (moment, Certainty::Passes);
        for (n, choice) in run.0.iter().enumerate() {
            let (ops, next) = match &choice.does {
                Does::Ops(ops, next) => (ops, next),
                Does::Fault(fault) if fault.unless.is_zero() => return Certainty::Fails,
                _ => return Certainty::Unsure,
            };
            // The first transition may choose a truth value.
            let chosen = n == 0 && moment.split.is_some();
            for op in ops {
                match op {
                    Op::Check(c, e) if self.truth(at, e) == Some(false) => {
                        return match certainty {
                            _ if self.bounds.any || !self.is_asked(*c) => Certainty::Unsure,
                            Certainty::Passes => Certainty::Fails,
                            _ => Certainty::MayFail,
                        };
                    }
                    Op::Assume(_) if chosen => {}
                    Op::Assume(_) | Op::Check(..) => certainty = Certainty::Unsure,
                    _ => {}
                }
            }
            at = next;
        }
        certainty
    }

    fn is_asked(&self, check: CheckId) -> bool {
        self.program.checks[check].kind != CheckKind::Unmodelled
    }

    /// Writes down what was found: all, or what leads to checks, or the way to one that surely fails; `None` where that is
    /// larger than the bounds.
    ///
    /// # Errors
    /// As [`Build::search`].
    pub fn whole(&mut self, found: &Explored) -> Result<Option<Program>, Refused> {
        let complete = found.is_complete();
        let leading = found.leading();
        let is_leading = |n: &usize| leading[*n];
        let all = 0..found.moments.len();
        let edges = self.bounds.edges;
        let chosen: BTreeSet<usize> = if complete && found.size <= edges {
            all.collect()
        } else if complete && all.clone().filter(is_leading).map(|n| found.sizes[n]).sum::<usize>() <= edges {
            all.filter(is_leading).collect()
        } else if let Some(failing) = found.failing {
            found.way(failing)
        } else {
            return Ok(None);
        };
        self.write(found, &chosen, |n| !complete || leading[n]).map(Some)
    }

    /// Writes down a part of what was found.
    ///
    /// # Errors
    /// As [`Build::search`].
    pub fn part(&mut self, found: &Explored) -> Result<Program, Refused> {
        self.write(found, &found.part(self.bounds.part), |_| true)
    }

    /// Writes down the transitions of the chosen states; the others get a check that fails, where they `matter`.
    fn write(
        &mut self,
        found: &Explored,
        chosen: &BTreeSet<usize>,
        matter: impl Fn(usize) -> bool,
    ) -> Result<Program, Refused> {
        let mut emitter = Emitter::new(&self.program);
        emitter.location(self.first());
        for n in chosen {
            let (runs, _) = self.runs(&found.moments[*n], found.opened.contains(n))?;
            emitter.add(self, &found.moments[*n], runs);
        }
        // After all edges that lead there.
        for (n, moment) in found.moments.iter().enumerate() {
            if !chosen.contains(&n) && matter(n) && emitter.has(moment) {
                emitter.leave(self, moment);
            }
        }
        Ok(emitter.finish(self))
    }
}
