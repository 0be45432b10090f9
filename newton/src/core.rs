//! Is the path a path of the C program? Its assumptions, over the values that its assignments compute, go to the
//! prover; if they contradict each other, a small set of them that does is the core (\[BR02\]).

use crate::Options;
use encoding::Inputs;
use encoding::symbolic::cone::Cones;
use encoding::symbolic::unwritten_memory as memory;
pub(crate) use encoding::symbolic::walk::{Encoded, Role, values};
use smt::{Answer, Prover, Term};

/// Whether the path is feasible.
pub(crate) enum Feasibility {
    /// With these inputs.
    Sat(Inputs),
    /// The indices of assumptions that contradict each other.
    Unsat(Vec<usize>),
    /// The prover gave up, for this reason.
    Unknown(String),
}

/// How many assumptions a core may have for each to be tried without.
pub(crate) const MINIMISE: usize = 60;

/// With at least this many axioms unrelated to a core, a prover without them is worth while.
const UNRELATED: usize = 100;

/// Gives the prover what always holds.
pub(crate) fn assert_axioms(encoded: &Encoded, prover: &mut dyn Prover) {
    for axiom in &encoded.facts.axioms {
        prover.assert(axiom);
    }
}

/// Decides the encoded path by a prover that knows its axioms.
pub(crate) fn decide(encoded: &Encoded, prover: &mut dyn Prover, options: &Options<'_>) -> Feasibility {
    let all = (0..encoded.assumptions.len()).collect();
    // A contradiction among the conditions alone gives better predicates than one that needs definedness.
    decide_among(encoded, prover, options, &[conditions(encoded).collect(), all])
}

/// The indices of conditions.
pub(crate) fn conditions(encoded: &Encoded) -> impl Iterator<Item = usize> + use<'_> {
    let all = encoded.assumptions.iter().enumerate();
    all.filter(|(_, a)| a.role == Role::Condition).map(|(i, _)| i)
}

/// Whether these assumptions contradict each other, or else the next ones do.
pub(crate) fn decide_among(
    encoded: &Encoded,
    prover: &mut dyn Prover,
    options: &Options<'_>,
    stages: &[Vec<usize>],
) -> Feasibility {
    let formulas: Vec<Term> = encoded.assumptions.iter().map(|a| a.formula.clone()).collect();
    let mut gave_up = None;
    for candidates in stages {
        let asked: Vec<Term> = candidates.iter().map(|i| formulas[*i].clone()).collect();
        match prover.check(&asked) {
            Answer::Unsat => {
                let mut core: Vec<usize> = prover.core().into_iter().map(|i| candidates[i]).collect();
                if core.len() > MINIMISE {
                    core.sort_unstable();
                    return Feasibility::Unsat(core);
                }
                return Feasibility::Unsat(shrink_core(encoded, prover, &formulas, core, options));
            }
            Answer::Unknown(why) => gave_up = Some(why),
            Answer::Sat => gave_up = None,
        }
    }
    match (gave_up, prover.model()) {
        (Some(why), _) => Feasibility::Unknown(why),
        (None, None) => Feasibility::Unknown("the prover gave no model".to_owned()),
        (None, Some(model)) => {
            let memory = memory::unwritten(encoded, &model);
            Feasibility::Sat(Inputs { values: values(encoded, &model), memory })
        }
    }
}

/// Leaves assumptions out of a core that it does not need.
fn shrink_core(
    encoded: &Encoded,
    prover: &mut dyn Prover,
    formulas: &[Term],
    core: Vec<usize>,
    options: &Options<'_>,
) -> Vec<usize> {
    let axioms = &encoded.facts.axioms;
    if core.len() < 2 || axioms.len() < UNRELATED {
        return smt::shrink_core(prover, formulas, core);
    }
    let cones = Cones::of_axioms(axioms);
    let asked: Vec<Term> = core.iter().map(|i| formulas[*i].clone()).collect();
    let cone = cones.of(asked.iter());
    if cone.axioms.len() + UNRELATED <= axioms.len() {
        let mut alone = smt::prover(options.rlimit, options.interrupt);
        cone.axioms.into_iter().for_each(|axiom| alone.assert(axiom));
        if alone.check(&asked) == Answer::Unsat {
            let rest = alone.core().into_iter().map(|i| core[i]).collect();
            return smt::shrink_core(&mut alone, formulas, rest);
        }
    }
    smt::shrink_core(prover, formulas, core)
}
