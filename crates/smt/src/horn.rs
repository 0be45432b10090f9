//! Constrained Horn clauses: relations that are defined by each other, and the question whether the empty
//! clause can be derived. Where it cannot, a solution gives each relation a formula that makes every clause true:
//! for the relations "the state at this location", inductive invariants.
//!
//! A solution is a claim of the solver; who needs certainty checks the clauses again.

use crate::interrupt::Interrupt;
use crate::prover::{Answer, Prover};
use crate::sort::Sort;
use crate::term::{Op, Term};
use crate::z3;

/// An application of a relation to arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// The number of the relation.
    pub relation: usize,
    /// As many as it has parameters, of their sorts.
    pub args: Vec<Term>,
}

/// For all values of the constants in it: if the atoms of the body and the constraint hold, so does the head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clause {
    /// Atoms that must hold.
    pub body: Vec<Atom>,
    /// A condition that must hold.
    pub constraint: Term,
    /// What follows; `None`: false.
    pub head: Option<Atom>,
}

/// A system of clauses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Horn {
    /// For each relation its parameters: distinct constants, in which a solution is written.
    pub relations: Vec<Vec<Term>>,
    /// The clauses.
    pub clauses: Vec<Clause>,
}

/// The answer to a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Solution {
    /// For each relation a formula over its parameters. A part that has no form as a [`Term`] is left out, which
    /// makes the formula weaker than the solver's.
    Solved(Vec<Term>),
    /// False follows.
    Derivable,
    /// The solver gave up, for this reason.
    Unknown(String),
}

impl Horn {
    /// Solves the system by Z3's Spacer. `rlimit` bounds the work in Z3's resource units; 0 means any.
    ///
    /// # Panics
    /// When an atom does not fit its relation.
    pub fn solve(&self, rlimit: u64, interrupt: &Interrupt) -> Solution {
        for clause in &self.clauses {
            for atom in clause.body.iter().chain(&clause.head) {
                let sorts: Vec<&Sort> = self.relations[atom.relation].iter().map(Term::sort).collect();
                let given: Vec<&Sort> = atom.args.iter().map(Term::sort).collect();
                assert_eq!(sorts, given, "an atom has arguments of its relation's sorts");
            }
        }
        z3::solve_horn(self, rlimit, interrupt)
    }

    /// Whether the formulas, one for each relation over its parameters, make every clause true, as far as the prover
    /// can tell.
    pub fn is_solved_by(&self, formulas: &[Term], prover: &mut dyn Prover) -> bool {
        let holds = |atom: &Atom| {
            let params = self.relations[atom.relation].iter().cloned();
            formulas[atom.relation].substitute(&params.zip(atom.args.iter().cloned()).collect())
        };
        self.clauses.iter().all(|clause| {
            let mut asked: Vec<Term> = clause.body.iter().map(holds).collect();
            asked.push(clause.constraint.clone());
            asked.extend(clause.head.iter().map(|head| holds(head).not()));
            prover.check(&asked) == Answer::Unsat
        })
    }
}

/// Terms that the solver does better without become arbitrary values, equal terms equal ones.
pub fn linear(clause: Clause) -> Clause {
    let mut pending: Vec<&Term> = vec![&clause.constraint];
    pending.extend(clause.head.iter().flat_map(|h| &h.args));
    let mut seen = rustc_hash::FxHashSet::default();
    let mut replaced = rustc_hash::FxHashMap::default();
    while let Some(term) = pending.pop() {
        if !seen.insert(term.clone()) {
            continue;
        }
        let product =
            *term.op() == Op::IntMul && term.args().iter().filter(|a| a.as_int().is_none()).count() > 1;
        let division = matches!(term.op(), Op::IntDiv | Op::IntMod)
            && term.args().get(1).is_none_or(|d| d.as_int().is_none());
        if product || division || matches!(term.op(), Op::Select | Op::Apply(_)) {
            let name = format!("some!{}", replaced.len());
            replaced.insert(term.clone(), Term::constant(&name, term.sort().clone()));
        } else {
            pending.extend(term.args());
        }
    }
    let of = |t: &Term| t.substitute(&replaced);
    let head = clause.head.map(|h| Atom { args: h.args.iter().map(of).collect(), ..h });
    Clause { constraint: of(&clause.constraint), head, body: clause.body }
}
