//! Constructors of arrays. Reads look through writes as long as the indices are surely equal or
//! surely different.

use super::{bitvec, check_sort, int};
use crate::sort::{ArraySort, Sort};
use crate::term::{Op, Term};

/// How many writes a read looks through.
const LOOK_THROUGH: usize = 1_000;

impl Term {
    /// The array that has `element` at every index.
    pub fn const_array(index: Sort, element: &Term) -> Term {
        let sort = Sort::array(index, element.sort().clone());
        Term::make(Op::ConstArray, vec![element.clone()], sort)
    }

    /// The element of an array at an index.
    #[track_caller]
    pub fn select(&self, index: &Term) -> Term {
        let sort = array_sort(self);
        check_sort(index, &sort.index);
        let mut array = self;
        for _ in 0..LOOK_THROUGH {
            match (array.op(), array.args()) {
                (Op::Store, [_, written, element]) if written == index => return element.clone(),
                (Op::Store, [rest, written, _]) if surely_different(written, index) => {
                    array = rest;
                }
                (Op::ConstArray, [element]) => return element.clone(),
                _ => break,
            }
        }
        let args = vec![array.clone(), index.clone()];
        Term::make(Op::Select, args, sort.element.clone())
    }

    /// The array with the element at `index` replaced.
    #[track_caller]
    pub fn store(&self, index: &Term, element: &Term) -> Term {
        let sort = array_sort(self);
        check_sort(index, &sort.index);
        check_sort(element, &sort.element);
        let base = match (self.op(), self.args()) {
            (Op::Store, [rest, written, _]) if written == index => rest,
            _ => self,
        };
        if let (Op::Select, [array, read]) = (element.op(), element.args())
            && array == base
            && read == index
        {
            return base.clone();
        }
        let args = vec![base.clone(), index.clone(), element.clone()];
        Term::make(Op::Store, args, self.sort().clone())
    }
}

#[track_caller]
fn array_sort(array: &Term) -> &ArraySort {
    match array.sort() {
        Sort::Array(sort) => sort,
        other => panic!("an array was expected, not a term of sort {other}"),
    }
}

/// Whether two indices differ whatever the constants in them are.
fn surely_different(a: &Term, b: &Term) -> bool {
    match a.sort() {
        Sort::Int => int::surely_different(a, b),
        Sort::BitVec(_) => bitvec::surely_different(a, b) || both_literals(a, b),
        Sort::Bool => both_literals(a, b),
        Sort::Array(_) => false,
    }
}

fn both_literals(a: &Term, b: &Term) -> bool {
    a != b && a.is_literal() && b.is_literal()
}
