//! Questions that are asked once.

use rustc_hash::FxHashSet;

use crate::model::Model;
use crate::prover::{Answer, Prover};
use crate::sort::Sort;
use crate::term::{Op, Term};
use crate::z3::{self, Config, Z3Prover};

/// Conflicts of the search among bits for each million of the prover's resource units: a second's worth, about, where that is a
/// third of a second's.
const CONFLICTS: u64 = 15_000;

/// Whether the facts together have a model, and one. Where all is about truth values and bits (floating-point numbers are), a
/// solver for clauses (Kissat) comes first, and then the prover for terms, each with the work that the limit allows: which of
/// them decides a question sooner is not known before, and often the other one does not decide it at all.
pub fn solve(facts: &[Term], config: &Config) -> (Answer, Option<Model>) {
    if are_bits(facts) {
        let (answer, model) = z3::solve_bits(facts, conflicts(config.rlimit), &config.interrupt);
        // The way back from bits to terms is Z3's, and long.
        let satisfies = |model: &Model| facts.iter().all(|fact| model.holds(fact) == Some(true));
        if answer == Answer::Unsat || model.as_ref().is_some_and(satisfies) {
            return (answer, model);
        }
    }
    let mut prover = Z3Prover::new(config.clone());
    facts.iter().for_each(|fact| prover.assert(fact));
    let answer = prover.check(&[]);
    let model = prover.model();
    (answer, model)
}

/// How many conflicts the search among bits may have; 0 resource units are any number.
fn conflicts(rlimit: u64) -> u64 {
    if rlimit == 0 { u64::MAX } else { CONFLICTS.saturating_mul(rlimit) / 1_000_000 }
}

/// Whether all terms of facts are truth values and bits, and no functions are among them.
fn are_bits(facts: &[Term]) -> bool {
    let mut seen = FxHashSet::default();
    let mut pending: Vec<&Term> = facts.iter().collect();
    while let Some(term) = pending.pop() {
        if !seen.insert(term.address()) {
            continue;
        }
        if !matches!(term.sort(), Sort::Bool | Sort::BitVec(_)) || matches!(term.op(), Op::Apply(_)) {
            return false;
        }
        pending.extend(term.args());
    }
    true
}

#[cfg(test)]
mod tests {
    use super::are_bits;
    use crate::interrupt::Interrupt;
    use crate::prover::Answer;
    use crate::sort::{Function, Sort};
    use crate::term::Term;
    use crate::z3::solve_bits;

    const WIDTH: u32 = 5;

    fn constant(name: &str) -> Term {
        Term::constant(name, Sort::BitVec(WIDTH))
    }

    /// The solver for clauses decides by itself: nothing is left to the prover for terms.
    #[test]
    fn facts_about_bits_become_clauses() {
        let (x, y, z) = (constant("x"), constant("y"), constant("z"));
        let distributes = x.bv_mul(&y.bv_add(&z)).equal(&x.bv_mul(&y).bv_add(&x.bv_mul(&z)));
        assert!(are_bits(std::slice::from_ref(&distributes)));
        let none = Interrupt::new();
        assert_eq!(solve_bits(&[distributes.not()], 1_000_000, &none).0, Answer::Unsat);
        let square = x.bv_mul(&x).equal(&Term::bv(WIDTH, 17));
        let (answer, model) = solve_bits(&[square.clone(), x.bv_ule(&Term::bv(WIDTH, 10))], 1_000, &none);
        assert_eq!((answer, model.and_then(|model| model.holds(&square))), (Answer::Sat, Some(true)));
        // What is known without a search.
        assert_eq!(solve_bits(&[Term::bool(false)], 1, &none).0, Answer::Unsat);
        assert_eq!(solve_bits(&[], 1, &none).0, Answer::Sat);
    }

    #[test]
    fn the_search_among_bits_is_interrupted() {
        let interrupt = Interrupt::new();
        interrupt.interrupt_all();
        let fact = constant("x").equal(&constant("y"));
        assert!(matches!(solve_bits(&[fact], u64::MAX, &interrupt).0, Answer::Unknown(_)));
    }

    #[test]
    fn functions_and_integers_are_no_bits() {
        let f = Function::new("f", vec![Sort::BitVec(WIDTH)], Sort::BitVec(WIDTH));
        let applied = Term::apply(&f, vec![constant("x")]);
        assert!(!are_bits(&[applied.equal(&constant("y"))]));
        assert!(!are_bits(&[Term::constant("i", Sort::Int).int_le(&Term::int(1))]));
    }
}
