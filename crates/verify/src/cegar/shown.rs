//! What induction has shown so far, of which candidates.

use crate::cegar::facts::{Fact, NotShown, Source, WhyNot};
use crate::cegar::{Context, Subject, candidates};
use bmc::counterexample as broken;
use bmc::horn::Solved;
use bmc::k_induction::{Candidate, Proved};
use encoding::IntMode;
use ir::{CheckId, CheckKind, Op};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// After a failure to solve the program's Horn clauses, the next attempt gets this many times as much effort.
const MORE_SOLVING: u64 = 4;

/// How far the induction has come.
#[derive(Default)]
pub(crate) struct Progress {
    /// For integers of this kind.
    pub(crate) candidates: Option<(IntMode, Tried)>,
    /// Those that are tried where the others are not enough.
    pub(crate) later: Vec<(Candidate, Source)>,
    /// The effort for solving Horn clauses that is worth trying next; `None` where there is nothing more to find.
    pub(crate) solving: Option<u64>,
    /// Numbers of turns at once that were tried, and whether more effort gives nothing more.
    pub(crate) done: BTreeMap<usize, bool>,
    /// An attempt was too much work.
    pub(crate) is_hard: bool,
    /// Units spent by the early attempt, if it was completed and nothing else was tried since.
    pub(crate) early: Option<u64>,
    /// How many candidates the last attempt over one turn has kept.
    pub(crate) kept: Option<usize>,
    /// What was shown, with whatever integers.
    pub(crate) facts: Vec<Fact>,
    /// What was not, by the last attempt.
    pub(crate) not_shown: Arc<Vec<NotShown>>,
    /// What became of those that were given, by their number.
    pub(crate) given: BTreeMap<usize, Result<(), WhyNot>>,
}

/// Candidates that are tried together.
#[derive(Default)]
pub(crate) struct Tried {
    pub(crate) candidates: Vec<Candidate>,
    /// Where each comes from.
    pub(crate) sources: Vec<Source>,
    /// Those at the beginning were given: their numbers.
    pub(crate) given: Vec<usize>,
}

impl Tried {
    /// Those to begin with, and the others: what executions show and what is computed is often enough, and conditions of the
    /// program, of which there are many, make it cost much more.
    pub(crate) fn find(cx: &Context<'_>) -> (Tried, Vec<(Candidate, Source)>) {
        let task = &cx.task;
        let given = cx.options.given.iter().enumerate();
        let given = given.filter_map(|(n, candidate)| Some((n, candidates::given(task, candidate)?)));
        let (given, first): (Vec<usize>, Vec<Candidate>) = given.unzip();
        let first = first.into_iter().map(|candidate| (candidate, Source::Given));
        let found = candidates::find(task, &cx.options.sources, cx.stop.flag);
        let is_first = |(_, source): &(Candidate, Source)| *source != Source::Conditions;
        let in_turn = !cx.options.all_candidates && found.iter().any(is_first);
        let (found, later) = match in_turn {
            true => found.into_iter().partition(is_first),
            false => (found, vec![]),
        };
        let (candidates, sources) = first.chain(found).unzip();
        (Tried { candidates, sources, given }, later)
    }

    /// Adds candidates, before all that were not given.
    pub(crate) fn add(&mut self, found: &[Candidate], source: Source) {
        let first = self.given.len();
        let new: Vec<Candidate> =
            found.iter().filter(|c| !self.candidates[..first].contains(c)).cloned().collect();
        let rest = self.candidates.split_off(first).into_iter().zip(self.sources.split_off(first));
        let rest: Vec<_> = rest.filter(|(candidate, _)| !new.contains(candidate)).collect();
        let all = new.into_iter().map(|candidate| (candidate, source)).chain(rest);
        let (candidates, sources): (Vec<Candidate>, Vec<Source>) = all.unzip();
        self.candidates.extend(candidates);
        self.sources.extend(sources);
    }

    pub(crate) fn fact(&self, i: usize) -> Fact {
        Fact::of(&self.candidates[i], self.sources[i])
    }
}

impl Progress {
    /// Finds candidates for the program, once for each kind of integers, but for those that solving gives.
    pub(crate) fn find(&mut self, cx: &Context<'_>) {
        if self.candidates.as_ref().is_none_or(|(mode, _)| *mode != cx.task.mode) {
            let (facts, given) = (std::mem::take(&mut self.facts), std::mem::take(&mut self.given));
            let (first, later) = Tried::find(cx);
            let candidates = Some((cx.task.mode, first));
            let solving = cx.options.sources.contains(&Source::Solved).then_some(0);
            *self = Progress { candidates, later, solving, facts, given, ..Progress::default() };
        }
    }

    /// The others are tried as well from now on: whether there are some.
    pub(crate) fn take_later(&mut self) -> bool {
        let later = std::mem::take(&mut self.later);
        let (false, Some((_, tried))) = (later.is_empty(), &mut self.candidates) else { return false };
        let (candidates, sources): (Vec<Candidate>, Vec<Source>) = later.into_iter().unzip();
        tried.candidates.extend(candidates);
        tried.sources.extend(sources);
        self.done.clear();
        self.is_hard = false;
        true
    }

    /// Finds candidates by solving, whenever so much effort is more than before: what came of that.
    pub(crate) fn solve(&mut self, cx: &Context<'_>, effort: u64) -> Option<Solved> {
        if self.solving.is_none_or(|least| effort < least) {
            return None;
        }
        let solved = candidates::solved(&cx.task, effort, (cx.stop.flag, cx.stop.interrupt));
        self.solving = (solved == Solved::GaveUp).then_some(MORE_SOLVING * effort);
        if let (Solved::Candidates(found), Some((_, tried))) = (&solved, &mut self.candidates) {
            tried.add(found, Source::Solved);
            self.done.clear();
            self.is_hard = false;
        }
        Some(solved)
    }

    pub(crate) fn known(&self) -> &[Candidate] {
        self.candidates.as_ref().map_or(&[], |(_, tried)| &tried.candidates)
    }

    /// What was shown.
    pub(crate) fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// What was not.
    pub(crate) fn not_shown(&self) -> Arc<Vec<NotShown>> {
        self.not_shown.clone()
    }

    /// What became of a candidate that was given.
    pub(crate) fn given(&self, n: usize) -> Result<(), WhyNot> {
        self.given.get(&n).cloned().unwrap_or(Err(WhyNot::NotTried))
    }

    /// Takes note of an attempt; `covers`: what it shows is true of all executions.
    pub(crate) fn learned(&mut self, cx: &Context<'_>, proved: Option<&Proved>, covers: bool) {
        let Some((_, tried)) = self.candidates.take() else { return };
        let mut answers: BTreeMap<usize, Result<(), WhyNot>> = BTreeMap::new();
        match proved {
            None => answers.extend((0..tried.given.len()).map(|i| (i, Err(WhyNot::TooMuchWork)))),
            Some(proved) => {
                let why = |why: &broken::Why| Err(WhyNot::Broken(why.clone()));
                answers.extend(proved.broken.iter().map(|b| (b.candidate, why(&b.why))));
                let kept = proved.kept.iter().filter(|i| covers || **i < tried.given.len());
                let answer = || if covers { Ok(()) } else { Err(WhyNot::NotModelled) };
                answers.extend(kept.map(|i| (*i, answer())));
            }
        }
        let mut not_shown = vec![];
        for (i, answer) in &answers {
            let fact = tried.fact(*i);
            let is_known = self.facts.iter().any(|known| known.is_same(&fact));
            match answer {
                Ok(()) if !is_known => self.facts.push(fact),
                Err(why) if !is_known => not_shown.push(NotShown { fact, why: why.clone() }),
                _ => {}
            }
        }
        if proved.is_some() {
            self.not_shown = Arc::new(not_shown);
        }
        for n in 0..cx.options.given.len() {
            if self.given.get(&n).is_some_and(Result::is_ok) {
                continue;
            }
            let answer = match tried.given.iter().position(|other| *other == n) {
                None => Some(Err(WhyNot::NotExpressible)),
                Some(i) => answers.remove(&i),
            };
            let is_told = proved.is_some() || !self.given.contains_key(&n);
            if let Some(answer) = answer.filter(|_| is_told) {
                self.given.insert(n, answer);
            }
        }
        self.candidates = Some((cx.task.mode, tried));
    }
}

/// The checks on the program's edges: those that stand for what is not modelled, and the others.
pub(crate) fn checks_of(task: &Subject<'_>) -> (BTreeSet<CheckId>, BTreeSet<CheckId>) {
    let check = |op: &Op| match op {
        Op::Check(check, _) => Some(*check),
        _ => None,
    };
    let all = task.program.edges().filter_map(|(_, _, edge)| check(&edge.op));
    all.partition(|c| task.program.checks[*c].kind == CheckKind::Unmodelled)
}
