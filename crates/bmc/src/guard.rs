//! The condition under which a place of the unrolling is reached: a conjunction, kept as a list so that the common
//! part of two conditions stays visible where they are joined.

use smt::{Sort, Term};
use std::rc::Rc;

/// Longer conjunctions get a name.
const LONGEST: usize = 32;

/// A conjunction; `None` in its place is "never".
#[derive(Clone, Default)]
pub(super) struct Guard(Rc<Vec<Term>>);

impl Guard {
    /// The conjuncts.
    pub(super) fn terms(&self) -> &[Term] {
        &self.0
    }

    /// The conjunction of them and of another formula.
    pub(super) fn with(&self, other: Term) -> Term {
        Term::and(self.0.iter().cloned().chain([other]))
    }

    /// Adds a conjunct; false when they obviously contradict each other.
    pub(super) fn add(&mut self, term: &Term) -> bool {
        match term.as_bool() {
            Some(known) => return known,
            None if self.0.contains(term) => return true,
            None => {}
        }
        if self.0.contains(&term.not()) {
            return false;
        }
        match term.op() {
            smt::Op::And => term.args().iter().all(|part| self.add(part)),
            _ => {
                Rc::make_mut(&mut self.0).push(term.clone());
                true
            }
        }
    }

    /// Gives a long conjunction a name, with the axiom that defines it.
    pub(super) fn shorten(&mut self, fresh: impl FnOnce(Sort) -> Term) -> Option<Term> {
        if self.0.len() <= LONGEST {
            return None;
        }
        let name = fresh(Sort::Bool);
        let axiom = name.equal(&Term::and(self.0.iter().cloned()));
        self.0 = Rc::new(vec![name]);
        Some(axiom)
    }

    /// One of two that exclude each other, and the condition under which it is the first.
    pub(super) fn joined(&self, other: &Guard) -> (Guard, Term) {
        let common = self.0.iter().zip(other.0.iter()).take_while(|(a, b)| a == b).count();
        let [first, second] = [&self.0, &other.0].map(|g| Term::and(g[common..].iter().cloned()));
        let mut out = Guard(Rc::new(self.0[..common].to_vec()));
        out.add(&Term::or([first.clone(), second.clone()]));
        let which = if second.tree_size() < first.tree_size() { second.not() } else { first };
        (out, which)
    }
}
