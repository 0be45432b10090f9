//! Bounds on integers and on differences of two integers contradict each other exactly if they form a cycle with a
//! negative sum: `x < y`, `y <= z` and `z <= x` do.

use crate::theory_shortcuts::ranges::Ranges;
use crate::theory_shortcuts::shapes::{Subject, value};
use rustc_hash::FxHashMap;
use smt::{Op, Sort, Term};

/// Which subjects are differences, and of what.
#[derive(Default)]
pub(crate) struct Differences {
    /// For each subject that is one: its position, and the positions of the two terms. Zero is a term, the first.
    subjects: Vec<(usize, usize, usize)>,
    terms: usize,
}

/// Bounds beyond this are ignored, so that sums stay in range.
const LARGE: i128 = 1 << 100;

impl Differences {
    pub(crate) fn new(subjects: &[Subject]) -> Differences {
        let mut numbers: FxHashMap<Term, usize> = FxHashMap::default();
        let mut out = Differences { subjects: vec![], terms: 1 };
        for (position, subject) in subjects.iter().enumerate() {
            let Some((plus, minus)) = parts(subject) else { continue };
            let mut number = |t: &Term| {
                *numbers.entry(t.clone()).or_insert_with_key(|_| {
                    out.terms += 1;
                    out.terms - 1
                })
            };
            let pair = (number(&plus), minus.map_or(0, |t| number(&t)));
            out.subjects.push((position, pair.0, pair.1));
        }
        // With one subject there are no cycles but those given by its range.
        if out.subjects.len() < 2 { Differences::default() } else { out }
    }

    /// Whether the numbers that are left for the subjects contradict each other.
    pub(crate) fn contradict(&self, left: &[Option<Ranges>]) -> bool {
        let mut edges: Vec<(usize, usize, i128)> = vec![];
        for (position, plus, minus) in &self.subjects {
            let Some((low, high)) = left[*position].as_ref().and_then(Ranges::hull) else { continue };
            // `plus - minus <= high` and `minus - plus <= -low`.
            edges.extend(value(high).filter(|v| v.abs() < LARGE).map(|v| (*minus, *plus, v)));
            edges.extend(value(low).filter(|v| v.abs() < LARGE).map(|v| (*plus, *minus, -v)));
        }
        let mut least = vec![0i128; self.terms];
        for _ in 0..self.terms {
            let mut changed = false;
            for (from, to, weight) in &edges {
                let through = least[*from] + weight;
                if through < least[*to] {
                    least[*to] = through;
                    changed = true;
                }
            }
            if !changed {
                return false;
            }
        }
        self.terms > 0
    }
}

/// The two terms whose difference the subject is; without a second one, the term itself.
fn parts(subject: &Subject) -> Option<(Term, Option<Term>)> {
    let Subject::Value(term) = subject else { return None };
    if *term.sort() != Sort::Int {
        return None;
    }
    if *term.op() != Op::IntAdd {
        return Some((term.clone(), None));
    }
    let negated = |t: &Term| match (t.op(), t.args()) {
        (Op::IntMul, [factor, rest]) if factor.as_int() == Some(-1) => Some(rest.clone()),
        _ => None,
    };
    match term.args() {
        [a, b] => match (negated(a), negated(b)) {
            (None, Some(minus)) => Some((a.clone(), Some(minus))),
            (Some(minus), None) => Some((b.clone(), Some(minus))),
            _ => None,
        },
        _ => None,
    }
}
