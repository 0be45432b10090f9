//! Terms: immutable, shared, hash-consed.
//!
//! Two live terms are structurally equal iff they are the same node, whichever threads built them.
//! So equality and hashing cost O(1), and the order, which is structural and therefore the same in
//! every run, costs O(depth). Terms are only built by the constructors in `build`, which check
//! sorts and simplify; nothing here or there recurses on the depth of a term.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::intern;
use crate::sort::{Function, Sort};
use ieee::{Arithmetic, Rounding};

/// A first-order term with its sort. Cloning is cheap; terms can be sent and shared between threads.
#[derive(Clone)]
pub struct Term(pub(crate) Arc<Node>);

/// What a term is made of, one level deep.
pub(crate) struct Node {
    pub(crate) op: Op,
    pub(crate) args: Box<[Term]>,
    pub(crate) sort: Sort,
    /// A function of the structure alone, the same in every run.
    pub(crate) hash: u64,
    /// Nodes of the term when it is written as a tree; saturates.
    pub(crate) tree_size: u32,
}

/// The head symbol of a term.
///
/// The constructors bring terms into a form that uses few operators: `a < b` is `not (b <= a)`,
/// `a => b` is `or (not a) b`, `a - b` on integers is `a + (-1) * b`. Literals come last in the
/// order of terms, so that they end up on the right of commutative operators.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Op {
    /// A named constant: a variable of the formula.
    Constant(Arc<str>),
    /// Application of an uninterpreted function.
    Apply(Function),
    /// Array read: array, index.
    Select,
    /// Array write: array, index, element.
    Store,
    /// The array that has the argument everywhere.
    ConstArray,
    /// If-then-else: condition, then, else.
    Ite,
    /// Negation.
    Not,
    /// Conjunction of two or more.
    And,
    /// Disjunction of two or more.
    Or,
    /// Equality of two terms of one sort; equivalence on truth values.
    Equal,
    /// `<=` on integers.
    IntLe,
    /// Sum of two or more integers.
    IntAdd,
    /// Product of two or more integers; a literal factor comes first.
    IntMul,
    /// SMT-LIB's `div`: the remainder that goes with it is never negative. Division by zero is
    /// some unknown function of the dividend.
    IntDiv,
    /// SMT-LIB's `mod`, never negative; by zero, some unknown function of the dividend.
    IntMod,
    /// Bitwise complement.
    BvNot,
    /// Two's complement negation.
    BvNeg,
    /// Bitwise and.
    BvAnd,
    /// Bitwise or.
    BvOr,
    /// Bitwise exclusive or.
    BvXor,
    /// Sum, modulo 2 to the width.
    BvAdd,
    /// Difference, modulo 2 to the width.
    BvSub,
    /// Product, modulo 2 to the width.
    BvMul,
    /// Unsigned division; by zero, all ones.
    BvUdiv,
    /// Unsigned remainder; by zero, the dividend.
    BvUrem,
    /// Signed division, truncating; by zero, 1 for a negative dividend and -1 otherwise.
    BvSdiv,
    /// Signed remainder with the dividend's sign; by zero, the dividend.
    BvSrem,
    /// Shift left; by the width or more, zero.
    BvShl,
    /// Logical shift right; by the width or more, zero.
    BvLshr,
    /// Arithmetic shift right; by the width or more, copies of the sign bit.
    BvAshr,
    /// Unsigned `<=`.
    BvUle,
    /// Signed `<=`.
    BvSle,
    /// The bits from `low` to `high`, both included.
    BvExtract {
        /// The highest bit taken.
        high: u32,
        /// The lowest bit taken.
        low: u32,
    },
    /// Adds this many zero bits on the left.
    BvZeroExtend(u32),
    /// Adds this many copies of the sign bit on the left.
    BvSignExtend(u32),
    /// The signed sum is outside the width's range.
    BvAddOverflows,
    /// The signed difference is outside the width's range.
    BvSubOverflows,
    /// The signed product is outside the width's range.
    BvMulOverflows,
    /// An operation on two floating-point numbers: bit-vectors of 32 or 64 bits, read as IEEE 754 says. A NaN as the
    /// result always has the same bits.
    FpArithmetic(Arithmetic, Rounding),
    /// Square root.
    FpSqrt(Rounding),
    /// A whole number.
    FpRound(Rounding),
    /// The number in this width, in bits.
    FpConvert(u32, Rounding),
    /// A signed bit-vector as a number of this width.
    FpFromSigned(u32, Rounding),
    /// An unsigned bit-vector as a number of this width.
    FpFromUnsigned(u32, Rounding),
    /// The number without its fraction, as a signed bit-vector of this width; out of its range, some unknown value.
    FpToSigned(u32),
    /// The same for unsigned bit-vectors.
    FpToUnsigned(u32),
    /// Equality of numbers.
    FpEqual,
    /// `<`.
    FpLess,
    /// `<=`.
    FpLessEqual,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A bit-vector; its width is in the sort, bits above the width are zero.
    BitVec(u128),
}

impl Term {
    /// The node with this structure. The caller vouches for the sort and for the normal form.
    pub(crate) fn make(op: Op, args: Vec<Term>, sort: Sort) -> Term {
        intern::node(op, args, sort)
    }

    /// The head symbol.
    pub fn op(&self) -> &Op {
        &self.0.op
    }

    /// The arguments, left to right.
    pub fn args(&self) -> &[Term] {
        &self.0.args
    }

    /// The sort.
    pub fn sort(&self) -> &Sort {
        &self.0.sort
    }

    /// How many nodes the term has when it is written out as a tree (at most `u32::MAX`).
    pub fn tree_size(&self) -> u32 {
        self.0.tree_size
    }

    /// Whether this is a truth value, an integer or a bit-vector.
    pub fn is_literal(&self) -> bool {
        matches!(self.op(), Op::Bool(_) | Op::Int(_) | Op::BitVec(_))
    }

    /// Whether this is a named constant.
    pub fn is_constant(&self) -> bool {
        matches!(self.op(), Op::Constant(_))
    }

    /// The truth value, if this is a literal of that sort.
    pub fn as_bool(&self) -> Option<bool> {
        match self.op() {
            Op::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The integer, if this is a literal of that sort.
    pub fn as_int(&self) -> Option<i128> {
        match self.op() {
            Op::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The bits, zero-extended, if this is a bit-vector literal.
    pub fn as_bits(&self) -> Option<u128> {
        match self.op() {
            Op::BitVec(value) => Some(*value),
            _ => None,
        }
    }

    /// The named constants in the term, in the order of terms.
    pub fn constants(&self) -> Vec<Term> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut found = std::collections::BTreeSet::new();
        let mut pending = vec![self];
        while let Some(term) = pending.pop() {
            if !seen.insert(term.address()) {
                continue;
            }
            if term.is_constant() {
                found.insert(term.clone());
            }
            pending.extend(term.args());
        }
        found.into_iter().collect()
    }

    /// Identifies the node while the term is alive.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Term {}

impl Hash for Term {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl PartialOrd for Term {
    fn partial_cmp(&self, other: &Term) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Term {
    /// Compares structure: head symbols first, then arguments from the left. Since different nodes
    /// differ in structure, the first pair of different arguments decides.
    fn cmp(&self, other: &Term) -> Ordering {
        let (mut left, mut right) = (self, other);
        while left != right {
            let heads = (left.op().cmp(right.op()))
                .then_with(|| left.args().len().cmp(&right.args().len()))
                .then_with(|| left.sort().cmp(right.sort()));
            if heads != Ordering::Equal {
                return heads;
            }
            let mut pairs = left.args().iter().zip(right.args());
            (left, right) =
                pairs.find(|(a, b)| a != b).expect("different nodes differ in head, sort or an argument");
        }
        Ordering::Equal
    }
}

impl Drop for Node {
    /// Frees long chains without recursion.
    fn drop(&mut self) {
        intern::forget(self.hash);
        let mut pending = std::mem::take(&mut self.args).into_vec();
        while let Some(term) = pending.pop() {
            if let Some(mut node) = Arc::into_inner(term.0) {
                pending.append(&mut std::mem::take(&mut node.args).into_vec());
            }
        }
    }
}
