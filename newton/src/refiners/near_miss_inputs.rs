//! Inputs that a refuted path suggests: an execution with them goes along the path as far as it can, leaves it where it
//! must, and may fail a check elsewhere, or later. Nothing depends on them: the interpreter decides.

use crate::refiners::path_program::Position;
use crate::refuted::Refuted;
use alias::CellSet;
use encoding::Addresses;
use encoding::Input;
use encoding::symbolic::walk::{self as feasible, Encoded};
use ir::PathStep;
use smt::RLIMIT;
use smt::{Answer, Prover, Term};
use std::collections::BTreeMap;

/// Most conditions that are left out.
const LEFT_OUT: usize = 4;

/// In this order: those of the whole path with loops that have gone round any number of times before their last turn
/// (so a counter that must be a thousand at the end is); those of the longest feasible prefix; and those of the
/// path without one of the conditions that contradict each other, the latest first.
pub(crate) fn of(refuted: &Refuted<'_>, core: &[usize]) -> Vec<Vec<Input>> {
    let mut out: Vec<Vec<Input>> = vec![];
    let mut add = |inputs: Option<Vec<Input>>| {
        out.extend(inputs.filter(|i| !i.is_empty() && !out.contains(i)));
    };
    let turns = before_last_turns(refuted);
    if !turns.is_empty() {
        let addresses = Addresses::new(refuted.program);
        let encoded = feasible::encode_without(&refuted.encoder(&addresses), refuted.path, &turns);
        let all: Vec<usize> = (0..encoded.assumptions.len()).collect();
        add(inputs(&encoded, &all, &mut prover(refuted, &encoded)));
    }
    let encoded = &refuted.encoded;
    let prover = &mut prover(refuted, encoded);
    add(longest_prefix(encoded, core.iter().copied().max(), prover));
    for dropped in core.iter().rev().take(LEFT_OUT) {
        let others = |i: &usize| i != dropped;
        let path: Vec<usize> = (0..encoded.assumptions.len()).filter(others).collect();
        let only_core: Vec<usize> = core.iter().copied().filter(others).collect();
        add(inputs(encoded, &path, prover).or_else(|| inputs(encoded, &only_core, prover)));
    }
    out
}

fn prover(refuted: &Refuted<'_>, encoded: &Encoded) -> smt::Z3Prover {
    let mut prover = refuted.prover(RLIMIT / 20);
    crate::core::assert_axioms(encoded, &mut prover);
    prover
}

/// For each loop that the path goes round: the step where its last turn begins, and what its turns write.
fn before_last_turns(refuted: &Refuted<'_>) -> BTreeMap<usize, CellSet> {
    let (program, path, unfolding) = (refuted.program, refuted.path, &refuted.unfolding);
    let mut heads: BTreeMap<Position, Vec<usize>> = BTreeMap::new();
    for (i, step) in path.steps.iter().enumerate() {
        if let PathStep::Edge(p, e) | PathStep::Enter(p, e, _) = *step {
            let at = program.procs[p].edges[e].src;
            if program.procs[p].locations[at].loop_head {
                heads.entry((unfolding.steps[i].activation, p, at)).or_default().push(i);
            }
        }
    }
    let mut out: BTreeMap<usize, CellSet> = BTreeMap::new();
    for visits in heads.values() {
        if let [.., begin, end] = *visits.as_slice() {
            let written = out.entry(begin).or_default();
            for (p, e) in path.steps[visits[0]..end].iter().map(|step| step.edge()) {
                written.extend_from(refuted.oracle.edge_mods(p, e));
            }
        }
    }
    out
}

/// Inputs with which these assumptions hold, if the prover finds some.
fn inputs(encoded: &Encoded, assumed: &[usize], prover: &mut dyn Prover) -> Option<Vec<Input>> {
    let formulas: Vec<Term> = assumed.iter().map(|i| encoded.assumptions[*i].formula.clone()).collect();
    match prover.check(&formulas) {
        Answer::Sat => prover.model().map(|model| feasible::values(encoded, &model)),
        Answer::Unsat | Answer::Unknown(_) => None,
    }
}

/// Inputs of the longest prefix that has some; it is known that the assumptions up to `impossible` have none.
fn longest_prefix(
    encoded: &Encoded,
    impossible: Option<usize>,
    prover: &mut dyn Prover,
) -> Option<Vec<Input>> {
    let (mut possible, mut impossible) = (0, impossible? + 1);
    let mut best = None;
    while possible + 1 < impossible {
        let middle = possible.midpoint(impossible);
        let first: Vec<usize> = (0..middle).collect();
        match inputs(encoded, &first, prover) {
            Some(found) => (possible, best) = (middle, Some(found)),
            None => impossible = middle,
        }
    }
    best
}
