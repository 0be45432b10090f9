//! Which candidates are invariants, and which checks hold by them: candidates that are not implied by the others are
//! dropped until all that remain are implied \[FL01\].
//!
//! Each query has only the axioms in its cone of influence. Leaving axioms out only makes more queries satisfiable.

use super::obligations::Obligation;
use super::{Bounds, Unroller, products};
use crate::counterexample::{Broken, Why};
use crate::k_induction::{Candidate, Induction, Proved};
use encoding::Encoder;
use encoding::symbolic::cone::{Cone, Cones};
use ir::Op;
use rustc_hash::FxHashMap;
use smt::{Answer, Model, Prover, Term, Z3Prover};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::Ordering;

/// The part of the whole effort that one question may cost, and that it may cost when it is asked again by itself.
pub(super) const SHARE: u64 = 200;
const LARGE_SHARE: u64 = 40;

/// Which candidates are kept so far, and what it has cost to know.
pub(super) struct Houdini<'a> {
    cones: Cones,
    bounds: &'a Bounds<'a>,
    enc: &'a Encoder<'a>,
    candidates: &'a [Candidate],
    pub(super) kept: Vec<bool>,
    /// Why those that are not kept are none.
    broken: BTreeMap<usize, Why>,
    /// Resource units of the provers that are gone.
    spent: u64,
    /// The prover gave up on some question.
    gave_up: bool,
}

/// A prover for questions about some formulas.
pub(super) struct Asked {
    pub(super) prover: Z3Prover,
    /// The candidates that occur.
    candidates: Vec<usize>,
    /// What it cost to make it.
    cost: u64,
}

impl Asked {
    fn spent(&self) -> u64 {
        self.cost + self.prover.spent()
    }

    /// Asks with the candidates that are kept, of those that occur.
    pub(super) fn ask(&mut self, kept: &[bool], formula: &Term) -> Answer {
        let is_kept = |i: &usize| {
            let is_kept = Induction::is_kept(*i);
            if kept[*i] { is_kept } else { is_kept.not() }
        };
        let mut all: Vec<Term> = self.candidates.iter().map(is_kept).collect();
        all.push(formula.clone());
        self.prover.check(&all)
    }

    /// The kept candidates in the core of the last answer.
    pub(super) fn core(&mut self, kept: &[bool]) -> Vec<usize> {
        let core = self.prover.core();
        core.into_iter().filter_map(|i| self.candidates.get(i)).copied().filter(|c| kept[*c]).collect()
    }
}

impl Houdini<'_> {
    /// A prover with the axioms that concern the formulas.
    pub(super) fn prover<'t>(&mut self, formulas: impl Iterator<Item = &'t Term>, share: u64) -> Asked {
        self.prover_of(self.cones.of(formulas), share)
    }

    fn prover_of(&self, cone: Cone<'_>, share: u64) -> Asked {
        let mut prover = smt::prover(self.bounds.rlimit / share, self.bounds.interrupt);
        cone.axioms.into_iter().for_each(|axiom| prover.assert(axiom));
        Asked { prover, candidates: cone.candidates, cost: cone.cost }
    }

    /// `None` when the effort is spent.
    pub(super) fn goes_on(&self, asked: &Asked) -> Option<()> {
        let spent = self.spent + asked.spent();
        (spent <= self.bounds.total && !self.bounds.stop.load(Ordering::Relaxed)).then_some(())
    }

    pub(super) fn done_with(&mut self, asked: &Asked) {
        self.spent += asked.spent();
    }

    /// The kept candidates that show that the formula has no model, where they do: with more effort than before, and with
    /// what is known of products.
    pub(super) fn ask_alone(&mut self, formula: &Term) -> Option<Vec<usize>> {
        let cone = self.cones.of([formula].into_iter());
        let lemmas = products::bounds(cone.axioms.iter().copied().chain([formula]));
        let mut asked = self.prover_of(cone, LARGE_SHARE);
        lemmas.iter().for_each(|lemma| asked.prover.assert(lemma));
        let answer = asked.ask(&self.kept, formula);
        self.gave_up |= matches!(answer, Answer::Unknown(_));
        self.done_with(&asked);
        (answer == Answer::Unsat).then(|| asked.core(&self.kept))
    }

    /// Leaves out the candidates that do not hold in the model; false when there are none.
    fn leave_out(&mut self, model: &Model, obligations: &[Obligation]) -> bool {
        let mut any = false;
        for Obligation { candidate, formula, seen, .. } in obligations {
            if self.kept[*candidate] && model.holds(formula) == Some(true) {
                self.kept[*candidate] = false;
                let why = seen.fails(self.enc, &self.candidates[*candidate], model);
                self.broken.insert(*candidate, why);
                any = true;
            }
        }
        any
    }

    /// Leaves out the candidates that are not shown at one place: those that the others' proofs rest on. `None` when the effort
    /// is spent.
    fn examine(&mut self, obligations: &[Obligation]) -> Option<BTreeSet<usize>> {
        let mut asked = self.prover(obligations.iter().map(|o| &o.formula), SHARE);
        let all = loop {
            let open = obligations.iter().filter(|o| self.kept[o.candidate]);
            let any = Term::or(open.map(|o| o.formula.clone()));
            match asked.ask(&self.kept, &any) {
                Answer::Unsat => break Some(asked.core(&self.kept).into_iter().collect()),
                Answer::Unknown(_) => break None,
                Answer::Sat => {}
            }
            self.goes_on(&asked)?;
            let model = asked.prover.model();
            if !model.is_some_and(|model| self.leave_out(&model, obligations)) {
                break None;
            }
        };
        let proof = match all {
            Some(proof) => proof,
            None => self.examine_each(&mut asked, obligations)?,
        };
        self.done_with(&asked);
        Some(proof)
    }

    /// The same, one obligation after the other; what the prover gives up on is left out.
    fn examine_each(&mut self, asked: &mut Asked, obligations: &[Obligation]) -> Option<BTreeSet<usize>> {
        let mut proofs: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        loop {
            let mut changed = false;
            for (i, Obligation { candidate, formula, .. }) in obligations.iter().enumerate() {
                let stands = proofs.get(&i).is_some_and(|p| p.iter().all(|c| self.kept[*c]));
                if !self.kept[*candidate] || stands {
                    continue;
                }
                self.goes_on(asked)?;
                let answer = match asked.ask(&self.kept, formula) {
                    Answer::Unknown(_) => self.ask_alone(formula),
                    Answer::Unsat => Some(asked.core(&self.kept)),
                    Answer::Sat => {
                        if let Some(model) = asked.prover.model() {
                            self.leave_out(&model, obligations);
                        }
                        None
                    }
                };
                if let Some(proof) = answer {
                    proofs.insert(i, proof);
                    continue;
                }
                self.kept[*candidate] = false;
                self.broken.entry(*candidate).or_insert(Why::GaveUp);
                changed = true;
            }
            if !changed {
                let open = (0..obligations.len()).filter(|i| self.kept[obligations[*i].candidate]);
                return Some(open.filter_map(|i| proofs.get(&i)).flatten().copied().collect());
            }
        }
    }
}

impl Unroller<'_, '_> {
    /// Leaves out candidates, and decides the checks; `None` when the work is too much, or the run is stopped.
    pub(super) fn houdini(&mut self) -> (Option<Proved>, u64) {
        let Some(mut induction) = self.induction.take() else { return (None, 0) };
        let decided = induction.decided();
        induction.obligations.retain(|o| decided.contains(&o.candidate));
        let candidates = (0..induction.candidates()).map(Induction::is_kept);
        let cones = Cones::new(&self.walk.out.facts.axioms, &induction.blocks, candidates);
        let kept = vec![true; induction.candidates()];
        let mut houdini = Houdini {
            cones,
            bounds: self.bounds,
            enc: self.walk.enc,
            candidates: induction.candidates,
            kept,
            broken: BTreeMap::new(),
            spent: 0,
            gave_up: false,
        };
        let proved = self.proved(&induction, &mut houdini);
        (proved, houdini.spent)
    }

    fn proved(&mut self, induction: &Induction<'_, '_>, houdini: &mut Houdini<'_>) -> Option<Proved> {
        let obligations = &induction.obligations;
        let places = places(obligations);
        // For each place the candidates that its proofs rest on.
        let mut proofs: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let stands = |houdini: &Houdini<'_>, proof: &BTreeSet<usize>| proof.iter().all(|c| houdini.kept[*c]);
        let mut changed = true;
        while changed {
            changed = false;
            for (n, place) in places.iter().enumerate() {
                if !proofs.get(&n).is_some_and(|proof| stands(houdini, proof)) {
                    proofs.insert(n, houdini.examine(&obligations[place.clone()])?);
                    changed = true;
                }
            }
        }
        let (fails, mut needed) = self.decide_checks(houdini)?;
        if close(houdini, obligations, &places, &mut needed).is_none() {
            // Which of them are needed is not known.
            needed = induction.assumed.iter().copied().filter(|i| houdini.kept[*i]).collect();
        }
        let unreached = self.unreached(houdini, &fails);
        let program = self.walk.enc.program;
        self.covered.executed.retain(|(p, e)| match program.procs[*p].edges[*e].op {
            Op::Check(check, _) => !unreached.contains(&check),
            _ => true,
        });
        let checks = program.checks.ids().filter(|c| !fails.contains(c)).collect();
        Some(Proved {
            checks,
            kept: induction.decided().into_iter().filter(|i| houdini.kept[*i]).collect(),
            broken: broken(induction, std::mem::take(&mut houdini.broken)),
            needed: needed.into_iter().collect(),
            unreached,
            all: fails.is_empty(),
            conclusive: !houdini.gave_up,
            covered: std::mem::take(&mut self.covered),
        })
    }
}

/// The candidates that are not kept, and those that were to be decided and have no place.
fn broken(induction: &Induction<'_, '_>, found: BTreeMap<usize, Why>) -> Vec<Broken> {
    let decided = induction.decided();
    let nowhere = (0..induction.wanted).filter(|i| !decided.contains(i)).map(|i| (i, Why::NotReached));
    let all: BTreeMap<usize, Why> = found.into_iter().chain(nowhere).collect();
    all.into_iter().map(|(candidate, why)| Broken { candidate, why }).collect()
}

/// Adds the candidates that those need.
fn close(
    houdini: &mut Houdini<'_>,
    obligations: &[Obligation],
    places: &[Range<usize>],
    needed: &mut BTreeSet<usize>,
) -> Option<()> {
    let mut pending = needed.clone();
    while !pending.is_empty() {
        let mut more = BTreeSet::new();
        for place in places {
            let open = || obligations[place.clone()].iter().filter(|o| pending.contains(&o.candidate));
            if open().next().is_none() {
                continue;
            }
            let mut asked = houdini.prover(open().map(|o| &o.formula), SHARE);
            let any = Term::or(open().map(|o| o.formula.clone()));
            match asked.ask(&houdini.kept, &any) {
                Answer::Unsat => more.extend(asked.core(&houdini.kept)),
                // They are known to hold by all of them.
                _ => more.extend(asked.candidates.iter().copied().filter(|c| houdini.kept[*c])),
            }
            houdini.goes_on(&asked)?;
            houdini.done_with(&asked);
        }
        pending = more.into_iter().filter(|c| needed.insert(*c)).collect();
    }
    Some(())
}

/// The obligations of each place, which stand one after the other.
fn places(obligations: &[Obligation]) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = vec![];
    for (i, obligation) in obligations.iter().enumerate() {
        match out.last_mut() {
            Some(last) if obligations[last.start].visit == obligation.visit => last.end = i + 1,
            _ => out.push(i..i + 1),
        }
    }
    out
}
