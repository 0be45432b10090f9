//! Constructors of bit-vector terms. Sums keep one literal, at the end; `a < b` is `not (b <= a)`.

use super::boolean::raw_equal;
use super::{check_same_sort, check_width, fold, ordered, test_literal_leaves};
use crate::sort::{MAX_WIDTH, Sort};
use crate::term::{Op, Term};
use crate::value::{mask, signed};

/// Operators on two bit-vectors of one width: documentation, name, and how the term is made.
macro_rules! operators {
    ($($(#[$meta:meta])* $name:ident = $make:ident $op:ident;)*) => {
        impl Term {
            $(
                $(#[$meta])*
                #[track_caller]
                pub fn $name(&self, other: &Term) -> Term {
                    $make(Op::$op, self, other)
                }
            )*
        }
    };
}

operators! {
    /// Bitwise and.
    bv_and = commutative BvAnd;
    /// Bitwise or.
    bv_or = commutative BvOr;
    /// Bitwise exclusive or.
    bv_xor = commutative BvXor;
    /// Sum, modulo 2 to the width.
    bv_add = commutative BvAdd;
    /// Difference, modulo 2 to the width.
    bv_sub = binary BvSub;
    /// Product, modulo 2 to the width.
    bv_mul = commutative BvMul;
    /// Unsigned division; by zero, all ones.
    bv_udiv = binary BvUdiv;
    /// Unsigned remainder; by zero, the dividend.
    bv_urem = binary BvUrem;
    /// Signed division, truncating as in C; by zero, 1 for a negative dividend and -1 otherwise.
    bv_sdiv = binary BvSdiv;
    /// Signed remainder with the dividend's sign, as in C; by zero, the dividend.
    bv_srem = binary BvSrem;
    /// Shift left; by the width or more, zero.
    bv_shl = binary BvShl;
    /// Logical shift right; by the width or more, zero.
    bv_lshr = binary BvLshr;
    /// Arithmetic shift right; by the width or more, copies of the sign bit.
    bv_ashr = binary BvAshr;
    /// Unsigned `self <= other`.
    bv_ule = binary BvUle;
    /// Signed `self <= other`.
    bv_sle = binary BvSle;
}

impl Term {
    /// The bit-vector of `width` bits that `value` is congruent to, modulo 2 to the width.
    #[track_caller]
    pub fn bv(width: u32, value: u128) -> Term {
        check_width(width);
        let sort = Sort::BitVec(width);
        Term::make(Op::BitVec(value & mask(width)), Vec::new(), sort)
    }

    /// The same for a signed number.
    #[track_caller]
    pub fn bv_signed(width: u32, value: i128) -> Term {
        Term::bv(width, value.cast_unsigned())
    }

    /// Bitwise complement.
    #[track_caller]
    pub fn bv_not(&self) -> Term {
        involution(Op::BvNot, self)
    }

    /// Two's complement negation.
    #[track_caller]
    pub fn bv_neg(&self) -> Term {
        involution(Op::BvNeg, self)
    }

    /// Unsigned `self < other`.
    #[track_caller]
    pub fn bv_ult(&self, other: &Term) -> Term {
        other.bv_ule(self).not()
    }

    /// Signed `self < other`.
    #[track_caller]
    pub fn bv_slt(&self, other: &Term) -> Term {
        other.bv_sle(self).not()
    }

    /// The bits from `low` to `high`, both included; bit 0 is the lowest.
    #[track_caller]
    pub fn bv_extract(&self, high: u32, low: u32) -> Term {
        let width = self.sort().width();
        assert!(
            low <= high && high < width,
            "bits {high} to {low} are not within a bit-vector of {width} bits"
        );
        if high - low + 1 == width {
            return self.clone();
        }
        let sort = Sort::BitVec(high - low + 1);
        let op = Op::BvExtract { high, low };
        if let Some(value) = fold(&op, &[self], &sort) {
            return value;
        }
        match (self.op(), self.args()) {
            (Op::BvExtract { low: inner, .. }, [a]) => a.bv_extract(high + inner, low + inner),
            (Op::BvZeroExtend(_) | Op::BvSignExtend(_), [a]) if high < a.sort().width() => {
                a.bv_extract(high, low)
            }
            _ => Term::make(op, vec![self.clone()], sort),
        }
    }

    /// Adds `extra` zero bits on the left.
    #[track_caller]
    pub fn bv_zero_extend(&self, extra: u32) -> Term {
        let inner = match (self.op(), self.args()) {
            (Op::BvZeroExtend(inner), [a]) => return a.bv_zero_extend(inner + extra),
            _ => self,
        };
        extend(Op::BvZeroExtend(extra), inner, extra)
    }

    /// Adds `extra` copies of the sign bit on the left.
    #[track_caller]
    pub fn bv_sign_extend(&self, extra: u32) -> Term {
        match (self.op(), self.args()) {
            (Op::BvSignExtend(inner), [a]) => a.bv_sign_extend(inner + extra),
            // The sign bit of a zero-extended vector is zero.
            (Op::BvZeroExtend(inner), [a]) => a.bv_zero_extend(inner + extra),
            _ => extend(Op::BvSignExtend(extra), self, extra),
        }
    }

    /// The signed sum is within the width's range.
    #[track_caller]
    pub fn bv_add_no_overflow(&self, other: &Term) -> Term {
        commutative(Op::BvAddOverflows, self, other).not()
    }

    /// The signed difference is within the width's range.
    #[track_caller]
    pub fn bv_sub_no_overflow(&self, other: &Term) -> Term {
        binary(Op::BvSubOverflows, self, other).not()
    }

    /// The signed product is within the width's range.
    #[track_caller]
    pub fn bv_mul_no_overflow(&self, other: &Term) -> Term {
        commutative(Op::BvMulOverflows, self, other).not()
    }
}

/// Builds any operator that has a constructor here; see [`Term::with_args`].
#[track_caller]
pub(super) fn rebuild(op: &Op, args: &[Term]) -> Term {
    match (op, args) {
        (Op::BvNot | Op::BvNeg, [a]) => involution(op.clone(), a),
        (Op::BvExtract { high, low }, [a]) => a.bv_extract(*high, *low),
        (Op::BvZeroExtend(extra), [a]) => a.bv_zero_extend(*extra),
        (Op::BvSignExtend(extra), [a]) => a.bv_sign_extend(*extra),
        (
            Op::BvAnd
            | Op::BvOr
            | Op::BvXor
            | Op::BvAdd
            | Op::BvMul
            | Op::BvAddOverflows
            | Op::BvMulOverflows,
            [a, b],
        ) => commutative(op.clone(), a, b),
        (_, [a, b]) => binary(op.clone(), a, b),
        _ => panic!("{op:?} does not take {} arguments", args.len()),
    }
}

fn smallest_signed(width: u32) -> u128 {
    1 << (width - 1)
}

#[track_caller]
fn extend(op: Op, a: &Term, extra: u32) -> Term {
    let width = a.sort().width() + extra;
    check_width(width);
    if extra == 0 {
        return a.clone();
    }
    let sort = Sort::BitVec(width);
    fold(&op, &[a], &sort).unwrap_or_else(|| Term::make(op, vec![a.clone()], sort))
}

#[track_caller]
fn involution(op: Op, a: &Term) -> Term {
    let sort = Sort::BitVec(a.sort().width());
    if let Some(value) = fold(&op, &[a], &sort) {
        return value;
    }
    match a.args() {
        [inner] if *a.op() == op => inner.clone(),
        _ => Term::make(op, vec![a.clone()], sort),
    }
}

fn result_sort(op: &Op, operand: &Sort) -> Sort {
    match op {
        Op::BvUle | Op::BvSle | Op::BvAddOverflows | Op::BvSubOverflows | Op::BvMulOverflows => Sort::Bool,
        _ => operand.clone(),
    }
}

#[track_caller]
fn commutative(op: Op, a: &Term, b: &Term) -> Term {
    check_same_sort(a, b);
    let (a, b) = ordered(a, b);
    if matches!(op, Op::BvAdd | Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvMul)
        && b.is_literal()
        && let [inner, literal] = a.args()
        && *a.op() == op
        && literal.is_literal()
        && let Some(both) = fold(&op, &[literal, b], a.sort())
    {
        return binary(op, inner, &both);
    }
    binary(op, a, b)
}

#[track_caller]
fn binary(op: Op, a: &Term, b: &Term) -> Term {
    check_same_sort(a, b);
    let width = a.sort().width();
    let sort = result_sort(&op, a.sort());
    fold(&op, &[a, b], &sort)
        .or_else(|| b.as_bits().and_then(|bits| with_literal(&op, a, width, bits)))
        .or_else(|| from_literal(&op, a, b, width))
        .or_else(|| if a == b { with_itself(&op, a, width) } else { None })
        .or_else(|| matches!(op, Op::BvUle | Op::BvSle).then(|| extended(&op, a, b))?)
        .unwrap_or_else(|| Term::make(op, vec![a.clone(), b.clone()], sort))
}

/// `a op bits`, if that is something simpler.
fn with_literal(op: &Op, a: &Term, width: u32, bits: u128) -> Option<Term> {
    let zero = || Some(Term::bv(width, 0));
    let truth = |value| Some(Term::bool(value));
    let is_literal = || Some(a.equal(&Term::bv(width, bits)));
    match op {
        Op::BvAdd | Op::BvSub | Op::BvOr | Op::BvXor if bits == 0 => Some(a.clone()),
        Op::BvShl | Op::BvLshr | Op::BvAshr if bits == 0 => Some(a.clone()),
        Op::BvSub => Some(a.bv_add(&Term::bv(width, bits.wrapping_neg()))),
        Op::BvShl | Op::BvLshr if bits >= u128::from(width) => zero(),
        Op::BvAnd | Op::BvMul if bits == 0 => zero(),
        Op::BvAnd if bits == mask(width) => Some(a.clone()),
        Op::BvOr if bits == mask(width) => Some(Term::bv(width, bits)),
        Op::BvXor if bits == mask(width) => Some(a.bv_not()),
        Op::BvMul | Op::BvUdiv if bits == 1 => Some(a.clone()),
        Op::BvSdiv if signed(width, bits) == 1 => Some(a.clone()),
        Op::BvUrem if bits == 1 => zero(),
        Op::BvSrem if signed(width, bits) == 1 => zero(),
        Op::BvUle if bits == mask(width) => truth(true),
        Op::BvUle if bits == 0 => is_literal(),
        Op::BvSle if bits == mask(width) >> 1 => truth(true),
        Op::BvSle if bits == smallest_signed(width) => is_literal(),
        Op::BvAddOverflows | Op::BvSubOverflows | Op::BvMulOverflows if bits == 0 => truth(false),
        Op::BvUle | Op::BvSle => {
            let right = Term::bv(width, bits);
            let holds = |leaf: &Term| binary(op.clone(), leaf, &right);
            test_literal_leaves(a, &holds)
        }
        _ => None,
    }
}

/// `a op b` where `a` is a literal, if that is something simpler.
fn from_literal(op: &Op, a: &Term, b: &Term, width: u32) -> Option<Term> {
    let bits = a.as_bits()?;
    match op {
        Op::BvSub if bits == 0 => Some(b.bv_neg()),
        Op::BvShl | Op::BvLshr if bits == 0 => Some(a.clone()),
        Op::BvUle if bits == 0 => Some(Term::bool(true)),
        Op::BvUle if bits == mask(width) => Some(b.equal(a)),
        Op::BvSle if bits == smallest_signed(width) => Some(Term::bool(true)),
        Op::BvSle if bits == mask(width) >> 1 => Some(b.equal(a)),
        Op::BvUle | Op::BvSle => test_literal_leaves(b, &|leaf| binary(op.clone(), a, leaf)),
        _ => None,
    }
}

/// `a op a`, if that is something simpler.
fn with_itself(op: &Op, a: &Term, width: u32) -> Option<Term> {
    match op {
        Op::BvAnd | Op::BvOr => Some(a.clone()),
        Op::BvXor | Op::BvSub => Some(Term::bv(width, 0)),
        Op::BvUle | Op::BvSle => Some(Term::bool(true)),
        Op::BvSubOverflows => Some(Term::bool(false)),
        _ => None,
    }
}

/// What a term extends, by how many bits, and whether by its sign.
fn extension(term: &Term) -> Option<(&Term, u32, bool)> {
    match (term.op(), term.args()) {
        (Op::BvZeroExtend(extra), [inner]) => Some((inner, *extra, false)),
        (Op::BvSignExtend(extra), [inner]) => Some((inner, *extra, true)),
        _ => None,
    }
}

fn extend_by(term: &Term, extra: u32, by_sign: bool) -> Term {
    if by_sign { term.bv_sign_extend(extra) } else { term.bv_zero_extend(extra) }
}

/// Two terms that are extended in the same way, without what they are both extended by; and whether that is by their signs.
fn narrowed(a: &Term, b: &Term) -> Option<(Term, Term, bool)> {
    let ((x, m, by_sign), (y, n, other)) = (extension(a)?, extension(b)?);
    let both = m.min(n);
    (by_sign == other).then(|| (extend_by(x, m - both, by_sign), extend_by(y, n - both, by_sign), by_sign))
}

/// A comparison of extended terms as one of what they extend: extension keeps both orders, and what is extended by zeros is not
/// negative.
fn extended(op: &Op, a: &Term, b: &Term) -> Option<Term> {
    let inner = |by_sign| if by_sign { op.clone() } else { Op::BvUle };
    if let Some((a, b, by_sign)) = narrowed(a, b) {
        return Some(binary(inner(by_sign), &a, &b));
    }
    let ((x, extra, by_sign), bound, above) = match (extension(a), extension(b)) {
        (Some(x), _) => (x, b, true),
        (_, Some(x)) => (x, a, false),
        _ => return None,
    };
    let (width, bits) = (bound.sort().width(), bound.as_bits()?);
    let low = Term::bv(width - extra, bits);
    if extend_by(&low, extra, by_sign) == *bound {
        let inner = inner(by_sign);
        return Some(if above { binary(inner, x, &low) } else { binary(inner, &low, x) });
    }
    // The literal is beyond all that the other side can be; between its negative and other values in the order without signs.
    let is_high = match (op, by_sign) {
        (Op::BvSle, _) => signed(width, bits) >= 0,
        (_, false) => true,
        (_, true) => return None,
    };
    Some(Term::bool(is_high == above))
}

/// Equality of two different terms, in the order of terms, of which only `b` may be a literal.
pub(super) fn equal(width: u32, a: &Term, b: &Term) -> Term {
    let Some(bits) = b.as_bits() else {
        return match narrowed(a, b) {
            Some((a, b, _)) => a.equal(&b),
            None => equal_sums(a, b),
        };
    };
    match (a.op(), a.args()) {
        (Op::BvAdd, [x, y]) if y.is_literal() => x.equal(&b.bv_sub(y)),
        (Op::BvNeg, [x]) => x.equal(&b.bv_neg()),
        (Op::BvNot, [x]) => x.equal(&b.bv_not()),
        (Op::BvZeroExtend(_) | Op::BvSignExtend(_), [x]) => {
            let inner = x.sort().width();
            let low = Term::bv(inner, bits);
            let restored = match a.op() {
                Op::BvZeroExtend(_) => low.bv_zero_extend(width - inner),
                _ => low.bv_sign_extend(width - inner),
            };
            if restored == *b { x.equal(&low) } else { Term::bool(false) }
        }
        _ => raw_equal(a, b),
    }
}

/// `x + c = y + d`: without the sums if `x` is `y`, or if `c` is `d`.
fn equal_sums(a: &Term, b: &Term) -> Term {
    let (base_a, offset_a) = base_and_offset(a);
    let (base_b, offset_b) = base_and_offset(b);
    if base_a == base_b {
        Term::bool(offset_a == offset_b)
    } else if offset_a == offset_b {
        raw_equal(base_a, base_b)
    } else {
        raw_equal(a, b)
    }
}

/// Splits `x + literal`.
fn base_and_offset(term: &Term) -> (&Term, u128) {
    if let (Op::BvAdd, [base, offset]) = (term.op(), term.args())
        && let Some(bits) = offset.as_bits()
    {
        return (base, bits);
    }
    (term, 0)
}

/// Whether two bit-vectors differ by a literal other than 0, whatever the constants are.
pub(super) fn surely_different(a: &Term, b: &Term) -> bool {
    let (base_a, offset_a) = base_and_offset(a);
    let (base_b, offset_b) = base_and_offset(b);
    base_a == base_b && offset_a != offset_b
}

const _: () = assert!(MAX_WIDTH == u128::BITS, "literals are kept in a u128");
