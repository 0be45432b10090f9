//! Cubes over predicates, and the expressions of boolean programs that they are printed as.

use bp::{Expr, Ident};

/// A predicate of a question, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Lit(u32);

impl Lit {
    /// The predicate with this position, or its negation.
    pub(crate) fn new(predicate: usize, positive: bool) -> Lit {
        Lit(2 * predicate as u32 + u32::from(!positive))
    }

    /// The position of the predicate.
    pub(crate) fn predicate(self) -> usize {
        (self.0 / 2) as usize
    }

    /// Not negated.
    pub(crate) fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// A number below twice the number of predicates.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A conjunction of literals in increasing order, at most one for each predicate.
pub(crate) type Cube = Vec<Lit>;

/// A set of literals, a bit each.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct LitSet(Vec<u64>);

impl LitSet {
    /// Both literals of every predicate in `first..predicates`.
    pub(crate) fn from(first: usize, predicates: usize) -> LitSet {
        let mut out = LitSet::default();
        (first..predicates).for_each(|p| {
            out.insert(Lit::new(p, true));
            out.insert(Lit::new(p, false));
        });
        out
    }

    /// Adds a literal.
    pub(crate) fn insert(&mut self, l: Lit) {
        let word = l.index() / 64;
        self.0.resize(self.0.len().max(word + 1), 0);
        self.0[word] |= 1 << (l.index() % 64);
    }

    /// Takes the others away.
    pub(crate) fn remove_all(&mut self, others: &LitSet) {
        self.0.iter_mut().zip(&others.0).for_each(|(word, other)| *word &= !other);
    }

    /// Whether it has none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// Whether this one belongs to it.
    pub(crate) fn contains(&self, l: Lit) -> bool {
        self.0.get(l.index() / 64).is_some_and(|word| word >> (l.index() % 64) & 1 == 1)
    }
}

/// Whether every literal of `small` occurs in `large`; both are sorted.
pub(crate) fn is_subcube(small: &[Lit], large: &[Lit]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|l| rest.any(|m| m == l))
}

/// A disjunction of cubes that each imply a goal.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Cover {
    /// The cubes, in the order in which they were found: shorter ones first.
    pub(crate) cubes: Vec<Cube>,
    /// Every state in which the goal holds is in one of the cubes.
    pub(crate) complete: bool,
}

/// The disjunction of the cubes.
pub(crate) fn disjunction(cubes: &[Cube], vars: &[Ident]) -> Expr {
    Expr::or(cubes.iter().map(|cube| Expr::and(cube.iter().map(|l| literal(*l, vars)))))
}

/// The negation of the disjunction of the cubes, with the negation pushed to the variables.
pub(crate) fn negated_disjunction(cubes: &[Cube], vars: &[Ident]) -> Expr {
    Expr::and(cubes.iter().map(|cube| Expr::or(cube.iter().map(|l| Expr::not(literal(*l, vars))))))
}

fn literal(l: Lit, vars: &[Ident]) -> Expr {
    let var = Expr::Var(vars[l.predicate()].clone());
    if l.is_positive() { var } else { Expr::not(var) }
}

/// `choose[positive, negative]`, in the shortest form that says it.
pub(crate) fn choice(positive: &Cover, negative: &Cover, vars: &[Ident]) -> Expr {
    let is_true = |c: &Cover| c.cubes.iter().any(Vec::is_empty);
    if is_true(positive) {
        return Expr::one();
    }
    if is_true(negative) {
        return Expr::zero();
    }
    if positive.complete && negative.complete {
        // On every concrete state one of the two holds, so either one alone says which.
        return if literals(&negative.cubes) < literals(&positive.cubes) {
            negated_disjunction(&negative.cubes, vars)
        } else {
            disjunction(&positive.cubes, vars)
        };
    }
    Expr::choose(disjunction(&positive.cubes, vars), disjunction(&negative.cubes, vars))
}

fn literals(cubes: &[Cube]) -> usize {
    cubes.iter().map(Vec::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_printed_short() {
        let vars: Vec<Ident> = ["x", "y"].map(Ident::from).to_vec();
        let (x, not_x, y) = (vec![Lit::new(0, true)], vec![Lit::new(0, false)], vec![Lit::new(1, true)]);
        let cover = |cubes: &[&Cube], complete| Cover {
            cubes: cubes.iter().map(|c| (*c).clone()).collect(),
            complete,
        };
        let text = |p: &Cover, n: &Cover| choice(p, n, &vars).to_string();
        assert_eq!(text(&cover(&[&x], true), &cover(&[&not_x], true)), "x");
        assert_eq!(text(&cover(&[&not_x, &y], true), &cover(&[&x], true)), "!x");
        assert_eq!(text(&cover(&[&not_x], false), &cover(&[], false)), "choose[!x, 0]");
        assert_eq!(text(&cover(&[], false), &cover(&[], true)), "*");
        assert_eq!(text(&cover(&[&vec![]], true), &cover(&[], true)), "1");
        assert!(is_subcube(&x, &[x[0], y[0]]) && !is_subcube(&y, &x));
    }
}
