//! Which checks hold by the candidates that were kept, and which of these no execution reaches.

use super::houdini::{Houdini, SHARE};
use super::{Failing, Unroller};
use ir::CheckId;
use smt::{Answer, Prover, Term};
use std::collections::BTreeSet;

/// At most this many checks are queried together; they are divided into `PARTS` parts where that gives no answer.
const TOGETHER: usize = 64;
const PARTS: usize = 8;

/// Share of the effort for one query about `checks` checks; the queries have most of their context in common.
fn share(checks: usize) -> u64 {
    SHARE * PARTS as u64 / (PARTS + checks) as u64
}

/// Whether it is open if the check fails there.
fn is_open(failing: &Failing, fails: &BTreeSet<CheckId>) -> bool {
    !fails.contains(&failing.check) && failing.formula.as_bool() != Some(false)
}

impl Houdini<'_> {
    /// The kept candidates that show that no check of these fails that is not in the set; those that fail in models come into
    /// it. Nothing inside when the prover gives up, nothing when the effort is spent.
    fn ask_together(
        &mut self,
        failures: &[Failing],
        fails: &mut BTreeSet<CheckId>,
    ) -> Option<Option<Vec<usize>>> {
        let mut open: Vec<&Failing> = failures.iter().filter(|f| is_open(f, fails)).collect();
        if open.is_empty() {
            return Some(Some(vec![]));
        }
        let mut asked = self.prover(open.iter().map(|f| &f.formula), share(open.len()));
        let proof = loop {
            let any = Term::or(open.iter().map(|f| f.formula.clone()));
            match asked.ask(&self.kept, &any) {
                Answer::Unsat => break Some(asked.core(&self.kept)),
                Answer::Unknown(_) => break None,
                Answer::Sat => {}
            }
            self.goes_on(&asked)?;
            let Some(model) = asked.prover.model() else { break None };
            let failing = open.iter().filter(|f| model.holds(&f.formula) == Some(true));
            let failing: Vec<CheckId> = failing.map(|f| f.check).collect();
            if failing.is_empty() {
                break None;
            }
            fails.extend(failing);
            open.retain(|f| is_open(f, fails));
            if open.is_empty() {
                break Some(vec![]);
            }
        };
        self.goes_on(&asked)?;
        self.done_with(&asked);
        Some(proof)
    }

    /// The kept candidates that show that no check of these fails that is not in the set; those that are not shown come into it.
    /// Nothing when the effort is spent.
    fn decide(&mut self, failures: &[Failing], fails: &mut BTreeSet<CheckId>) -> Option<Vec<usize>> {
        if let [failing] = failures {
            if !is_open(failing, fails) {
                return Some(vec![]);
            }
            let proof = self.ask_by_itself(&failing.formula)?;
            if proof.is_none() {
                fails.insert(failing.check);
            }
            return Some(proof.unwrap_or_default());
        }
        if let Some(proof) = self.ask_together(failures, fails)? {
            return Some(proof);
        }
        let mut needed = vec![];
        for part in failures.chunks(failures.len().div_ceil(PARTS)) {
            needed.extend(self.decide(part, fails)?);
        }
        Some(needed)
    }

    /// The kept candidates that show that the formula has no model, nothing inside where they do not, nothing when the effort is
    /// spent.
    fn ask_by_itself(&mut self, formula: &Term) -> Option<Option<Vec<usize>>> {
        let mut asked = self.prover([formula].into_iter(), SHARE);
        let answer = asked.ask(&self.kept, formula);
        self.goes_on(&asked)?;
        self.done_with(&asked);
        Some(match answer {
            Answer::Unsat => Some(asked.core(&self.kept)),
            Answer::Unknown(_) => self.ask_alone(formula),
            Answer::Sat => None,
        })
    }
}

impl Unroller<'_, '_> {
    /// The checks that hold and that no execution reaches, as far as the effort lasts. For a call of an error function,
    /// which never holds, the query is whether executions reach the branch before it.
    pub(super) fn unreached(
        &self,
        houdini: &mut Houdini<'_>,
        fails: &BTreeSet<CheckId>,
    ) -> BTreeSet<CheckId> {
        let checks = self.walk.enc.program.checks.ids();
        let mut out: BTreeSet<CheckId> = checks.filter(|check| !fails.contains(check)).collect();
        for failing in self.failures.iter().rev() {
            let check = &failing.check;
            if !out.contains(check) {
                continue;
            }
            let Some(reached) = self.come_to(failing) else {
                out.remove(check);
                continue;
            };
            let mut asked = houdini.prover([&reached].into_iter(), SHARE);
            if houdini.goes_on(&asked).is_none() || asked.ask(&houdini.kept, &reached) != Answer::Unsat {
                out.remove(check);
            }
            houdini.done_with(&asked);
        }
        out
    }

    /// The condition that executions reach a check, or the branch before one that never holds; `None` where that
    /// begins in a state of many iterations.
    fn come_to(&self, failing: &Failing) -> Option<Term> {
        if failing.formula != failing.reached {
            return Some(failing.reached.clone());
        }
        let mut before = vec![];
        for arrival in &self.places[failing.place] {
            let branch = &self.places[arrival.place];
            if branch.is_empty() {
                return None;
            }
            before.extend(branch.iter().map(|a| Term::and(a.guard.terms().iter().cloned())));
        }
        (!before.is_empty()).then(|| Term::or(before))
    }

    /// The checks that are not shown by the candidates that were kept, and which of these the others need.
    pub(super) fn decide_checks(
        &self,
        houdini: &mut Houdini<'_>,
    ) -> Option<(BTreeSet<CheckId>, BTreeSet<usize>)> {
        let mut fails: BTreeSet<CheckId> = BTreeSet::new();
        let mut needed: BTreeSet<usize> = BTreeSet::new();
        for failures in self.failures.chunks(TOGETHER) {
            needed.extend(houdini.decide(failures, &mut fails)?);
        }
        Some((fails, needed))
    }
}
