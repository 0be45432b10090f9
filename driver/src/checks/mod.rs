//! The checks of one run, and what has been found out about each.
//!
//! Each verdict is about its check failing first: an execution ends at the first check that fails. So a check that is
//! decided, or that has to wait, is taken for an assumption while others are looked at, and their verdicts stay what
//! they are whatever becomes of it. Only something that is not modelled can never be taken for one.

mod order;
mod selection;

use crate::prepare::Task;
use crate::report::Proved;
use cegar::{Failure, Unreached, Witness};
use cli::slam::Selection;
use cmm::{CheckId, CheckKind};
use std::collections::{BTreeMap, BTreeSet};

/// Iterations that a check gets before it has to wait for the others, at first.
const PATIENCE: usize = 6;

/// How much longer a check is looked at each time its turn comes again.
const MORE_PATIENCE: usize = 3;

/// What is known of a check.
pub(crate) enum Decision {
    /// No execution fails it first.
    Safe,
    /// No execution comes to it.
    Unreachable(Unreached),
    /// This execution fails it.
    Unsafe(Box<Witness>),
    /// Not decided.
    Unknown(Box<Failure>),
}

/// All checks that are asked for, and the decisions so far.
pub(crate) struct Checks {
    /// In the order of the source.
    asked: Vec<CheckId>,
    /// The others, which are assumed to hold.
    left_out: Vec<CheckId>,
    decided: BTreeMap<CheckId, Decision>,
    /// Those that have to wait until the others are decided.
    waiting: BTreeSet<CheckId>,
    patience: usize,
    /// Whether all are to be decided.
    all: bool,
    /// What holds at the loops when no check fails any more.
    pub(crate) proof: Option<Proved>,
}

impl Checks {
    /// Chooses the checks, and takes the others for assumptions.
    ///
    /// # Errors
    /// When a line has no check, in words.
    pub(crate) fn choose(task: &mut Task, selection: &Selection) -> Result<Checks, String> {
        let program = &task.whole;
        let mut own: Vec<CheckId> =
            program.checks.ids().filter(|c| program.checks[*c].kind != CheckKind::Unmodelled).collect();
        own.sort_by_key(|c| (program.checks[*c].span, *c));
        let chosen = selection::chosen(task, &own, &selection.only)?;
        let (asked, left_out): (Vec<_>, Vec<_>) = own.into_iter().partition(|c| chosen.contains(c));
        for check in &left_out {
            task.mask(*check);
        }
        Ok(Checks {
            asked,
            left_out,
            decided: BTreeMap::new(),
            waiting: BTreeSet::new(),
            patience: PATIENCE,
            all: selection.check_all,
            proof: None,
        })
    }

    /// Whether all are to be decided, not only whether one fails.
    pub(crate) fn all(&self) -> bool {
        self.all
    }

    /// The checks that are asked for, in the order of the source, with their decisions.
    pub(crate) fn list(&self) -> impl Iterator<Item = (CheckId, Option<&Decision>)> {
        self.asked.iter().map(|c| (*c, self.decided.get(c)))
    }

    /// The checks that are assumed to hold, since they were not asked for.
    pub(crate) fn left_out(&self) -> &[CheckId] {
        &self.left_out
    }

    /// Whether nothing is left to decide. Where no check is asked for it is whether something not modelled is reached.
    pub(crate) fn is_done(&self) -> bool {
        match self.asked[..] {
            [] => self.proof.is_some(),
            _ => self.asked.iter().all(|c| self.decided.contains_key(c)),
        }
    }

    /// Whether no check is asked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }

    fn open(&self) -> impl Iterator<Item = CheckId> {
        self.asked.iter().copied().filter(|c| !self.decided.contains_key(c))
    }

    /// How many iterations a check gets before the others' turn comes; `None` when there are no others.
    pub(crate) fn patience(&self) -> Option<usize> {
        (self.all && self.open().count() > 1).then_some(self.patience)
    }

    /// An execution fails this check.
    pub(crate) fn failed(&mut self, task: &mut Task, witness: Box<Witness>) {
        let check = witness.check;
        task.mask(check);
        let before = self.decided.insert(check, Decision::Unsafe(witness));
        let contradicts = matches!(before, Some(Decision::Safe | Decision::Unreachable(_)));
        assert!(!contradicts, "no execution fails a check that was proved");
    }

    /// This check cannot be decided.
    pub(crate) fn not_decided(&mut self, task: &mut Task, check: CheckId, failure: Failure) {
        task.mask(check);
        self.waiting.remove(&check);
        self.decided.entry(check).or_insert(Decision::Unknown(Box::new(failure)));
    }

    /// This check waits until the others are decided.
    pub(crate) fn wait(&mut self, task: &mut Task, check: CheckId) {
        task.mask(check);
        self.waiting.insert(check);
        if self.open().all(|c| self.waiting.contains(&c)) {
            self.go_on(task);
        }
    }

    /// None of the checks that are not masked fails.
    pub(crate) fn hold(&mut self, task: &mut Task, proof: Proved) {
        let held: Vec<CheckId> = self.open().filter(|c| !self.waiting.contains(c)).collect();
        for check in held {
            let decision = match proof.proof.unreached.get(&check) {
                Some(why) => Decision::Unreachable(*why),
                None => Decision::Safe,
            };
            self.decided.insert(check, decision);
        }
        self.proof = Some(proof);
        self.go_on(task);
    }

    /// The checks that had to wait have more time now.
    fn go_on(&mut self, task: &mut Task) {
        self.patience = self.patience.saturating_mul(MORE_PATIENCE);
        for check in std::mem::take(&mut self.waiting) {
            task.unmask(check);
        }
    }

    /// The run is over: what is not decided stays so, for this reason.
    pub(crate) fn end(&mut self, failure: &Failure) {
        let open: Vec<CheckId> = self.open().collect();
        for check in open {
            self.decided.insert(check, Decision::Unknown(Box::new(failure.clone())));
        }
    }

    /// The program as it was, for reports.
    pub(crate) fn unmask(&self, task: &mut Task) {
        for check in task.masked.keys().copied().collect::<Vec<_>>() {
            task.unmask(check);
        }
    }

    /// The checks that are not decided and from which control may come to this one: what was found out about it holds
    /// as long as those do not fail.
    pub(crate) fn given(&self, task: &Task) -> BTreeMap<CheckId, Vec<CheckId>> {
        let mut out: BTreeMap<CheckId, Vec<CheckId>> = BTreeMap::new();
        for (unknown, _) in self.list().filter(|(_, d)| matches!(d, Some(Decision::Unknown(_)))) {
            let behind = order::behind(&task.program, unknown);
            for (check, _) in self.list().filter(|(c, _)| *c != unknown && behind.contains(c)) {
                out.entry(check).or_default().push(unknown);
            }
        }
        out
    }
}
