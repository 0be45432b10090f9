//! Sorts of terms, and declarations of uninterpreted functions.

use std::fmt;
use std::sync::Arc;

/// The widest bit-vector that a term may have, in bits.
pub const MAX_WIDTH: u32 = 128;

/// The sort of a term. Cloning is cheap.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Mathematical integers.
    Int,
    /// Bit-vectors of a width between 1 and [`MAX_WIDTH`] bits.
    BitVec(u32),
    /// Total maps from an index sort to an element sort.
    Array(Arc<ArraySort>),
}

/// Index and element sort of an array sort.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ArraySort {
    /// The sort of indices.
    pub index: Sort,
    /// The sort of elements.
    pub element: Sort,
}

impl Sort {
    /// The sort of arrays from `index` to `element`.
    pub fn array(index: Sort, element: Sort) -> Sort {
        Sort::Array(Arc::new(ArraySort { index, element }))
    }

    /// The width of a bit-vector sort in bits.
    ///
    /// # Panics
    /// If this is another sort.
    #[track_caller]
    pub fn width(&self) -> u32 {
        match self {
            Sort::BitVec(width) => *width,
            other => panic!("a bit-vector operator is applied to sort {other}"),
        }
    }

    /// How many values the sort has, or `None` for infinitely many or more than `u128` can count.
    pub(crate) fn cardinality(&self) -> Option<u128> {
        match self {
            Sort::Bool => Some(2),
            Sort::Int => None,
            Sort::BitVec(width) => 1u128.checked_shl(*width),
            Sort::Array(array) => {
                let elements = array.element.cardinality()?;
                let indices = array.index.cardinality()?;
                elements.checked_pow(u32::try_from(indices).ok()?)
            }
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::Int => f.write_str("Int"),
            Sort::BitVec(width) => write!(f, "(_ BitVec {width})"),
            Sort::Array(array) => write!(f, "(Array {} {})", array.index, array.element),
        }
    }
}

impl fmt::Debug for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An uninterpreted function symbol with its signature. Two symbols are the same iff name, domain
/// and range are.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Function(Arc<Signature>);

#[derive(PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Signature {
    name: Arc<str>,
    domain: Vec<Sort>,
    range: Sort,
}

impl Function {
    /// Declares a function; `domain` must not be empty (use [`crate::Term::constant`] instead).
    pub fn new(name: &str, domain: Vec<Sort>, range: Sort) -> Function {
        assert!(!domain.is_empty(), "the function {name} without arguments should be a constant");
        Function(Arc::new(Signature { name: name.into(), domain, range }))
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The sorts of the arguments.
    pub fn domain(&self) -> &[Sort] {
        &self.0.domain
    }

    /// The sort of the result.
    pub fn range(&self) -> &Sort {
        &self.0.range
    }
}
