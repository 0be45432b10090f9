//! Which candidates are invariants, and which checks hold by them: candidates that are not implied by the others are left
//! out until all that are left are \[FL01\].

use super::induction::{Induction, Proved};
use super::{Failing, Unroller};
use cmm::CheckId;
use smt::{Answer, Model, Prover, Term, Z3Prover};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// Questions about everything at once, most.
const ROUNDS: usize = 60;

/// The part of the whole effort that one question may cost.
const SHARE: u64 = 10;

/// The prover, and the candidates that are kept so far.
struct Houdini {
    prover: Z3Prover,
    kept: Vec<bool>,
    /// What all questions may cost.
    effort: u64,
}

impl Houdini {
    /// `None` when the effort is spent.
    fn goes_on(&self) -> Option<()> {
        (self.prover.spent() <= self.effort).then_some(())
    }

    /// The assumptions that say which candidates are kept.
    fn assumptions(&self) -> Vec<Term> {
        let term = |(i, kept): (usize, &bool)| {
            let is_kept = Induction::is_kept(i);
            if *kept { is_kept } else { is_kept.not() }
        };
        self.kept.iter().enumerate().map(term).collect()
    }

    fn ask(&mut self, formula: &Term) -> Answer {
        let mut all = self.assumptions();
        all.push(formula.clone());
        self.prover.check(&all)
    }

    /// The kept candidates in the core of the last answer.
    fn core(&mut self) -> Vec<usize> {
        let (core, kept) = (self.prover.core(), &self.kept);
        core.into_iter().filter(|i| kept.get(*i) == Some(&true)).collect()
    }
}

impl Unroller<'_, '_> {
    /// Leaves out candidates, and decides the checks; `None` when the run is stopped.
    pub(super) fn houdini(&mut self) -> Option<Proved> {
        let count = self.induction.as_ref().map_or(0, Induction::candidates);
        self.assert_axioms();
        let effort = self.bounds.rlimit;
        let mut prover = crate::prover(effort / SHARE, self.bounds.interrupt);
        crate::feasible::assert_axioms(&self.walk.out, &mut prover);
        let mut houdini = Houdini { prover, kept: vec![true; count], effort };
        if !self.leave_out(&mut houdini)? {
            self.leave_out_one_by_one(&mut houdini)?;
        }
        let proved = self.decide_checks(&mut houdini)?;
        if std::env::var("DBG").is_ok() { eprintln!("spent {} obligations {} failures {} steps {}", houdini.prover.spent(), self.induction.as_ref().unwrap().obligations.len(), self.failures.len(), self.steps); }
        (!self.bounds.stop.load(Ordering::Relaxed)).then_some(proved)
    }

    /// Leaves out candidates by models of all obligations together: true when the rest is inductive.
    fn leave_out(&mut self, houdini: &mut Houdini) -> Option<bool> {
        let obligations = &self.induction.as_ref()?.obligations;
        let any = Term::or(obligations.iter().map(|o| o.formula.clone()));
        for _ in 0..ROUNDS {
            houdini.goes_on()?;
            match houdini.ask(&any) {
                Answer::Unsat => return Some(true),
                Answer::Unknown(_) => return Some(false),
                Answer::Sat => {}
            }
            let Some(model) = houdini.prover.model() else { return Some(false) };
            if !self.leave_out_by(&model, &mut houdini.kept) {
                return Some(false);
            }
        }
        Some(false)
    }

    /// Leaves out the candidates that do not hold in the model; false when there are none.
    fn leave_out_by(&self, model: &Model, kept: &mut [bool]) -> bool {
        let mut any = false;
        let obligations = self.induction.iter().flat_map(|i| &i.obligations);
        for obligation in obligations {
            let candidate = obligation.candidate;
            if kept[candidate] && model.holds(&obligation.formula) == Some(true) {
                kept[candidate] = false;
                any = true;
            }
        }
        any
    }

    /// The same, one obligation after the other; what the prover gives up on is left out.
    fn leave_out_one_by_one(&mut self, houdini: &mut Houdini) -> Option<()> {
        let obligations = &self.induction.as_ref()?.obligations;
        // For each obligation the candidates that its proof rests on.
        let mut proofs: Vec<Option<Vec<usize>>> = vec![None; obligations.len()];
        loop {
            let mut changed = false;
            for (obligation, proof) in obligations.iter().zip(&mut proofs) {
                let stands = proof.as_ref().is_some_and(|p| p.iter().all(|c| houdini.kept[*c]));
                if !houdini.kept[obligation.candidate] || stands {
                    continue;
                }
                houdini.goes_on()?;
                match houdini.ask(&obligation.formula) {
                    Answer::Unsat => *proof = Some(houdini.core()),
                    Answer::Unknown(_) => houdini.kept[obligation.candidate] = false,
                    Answer::Sat => {
                        if let Some(model) = houdini.prover.model() {
                            self.leave_out_by(&model, &mut houdini.kept);
                        }
                        houdini.kept[obligation.candidate] = false;
                    }
                }
                changed |= proof.is_none() || !houdini.kept[obligation.candidate];
            }
            if !changed {
                return Some(());
            }
        }
    }

    /// The checks that hold by the candidates that were kept, and those of these that they need.
    fn decide_checks(&mut self, houdini: &mut Houdini) -> Option<Proved> {
        let mut fails: BTreeSet<CheckId> = BTreeSet::new();
        let mut needed: BTreeSet<usize> = BTreeSet::new();
        for Failing { check, formula, .. } in &self.failures {
            if fails.contains(check) {
                continue;
            }
            houdini.goes_on()?;
            if houdini.ask(formula) == Answer::Unsat {
                needed.extend(houdini.core());
            } else {
                fails.insert(*check);
            }
        }
        self.close(houdini, &mut needed)?;
        let program = self.walk.enc.program;
        let checks = program.checks.ids().filter(|c| !fails.contains(c)).collect();
        Some(Proved {
            checks,
            kept: (0..houdini.kept.len()).filter(|i| houdini.kept[*i]).collect(),
            needed: needed.into_iter().collect(),
            all: fails.is_empty(),
            covered: std::mem::take(&mut self.covered),
        })
    }

    /// Adds the candidates that those need.
    fn close(&self, houdini: &mut Houdini, needed: &mut BTreeSet<usize>) -> Option<()> {
        let obligations = &self.induction.as_ref()?.obligations;
        let mut pending: Vec<usize> = needed.iter().copied().collect();
        while let Some(candidate) = pending.pop() {
            for obligation in obligations.iter().filter(|o| o.candidate == candidate) {
                houdini.goes_on()?;
                let core = match houdini.ask(&obligation.formula) {
                    Answer::Unsat => houdini.core(),
                    // It is known to hold by all of them.
                    _ => (0..houdini.kept.len()).filter(|i| houdini.kept[*i]).collect(),
                };
                pending.extend(core.into_iter().filter(|c| needed.insert(*c)));
            }
        }
        Some(())
    }
}
