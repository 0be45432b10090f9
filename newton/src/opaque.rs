//! Memory that is accessed at several types, as far as addresses tell what is read: a value that was written or read at the same
//! address at the same type, with nothing between that may have changed it. All such memory is one cell of the oracle, and no byte
//! of it belongs to another cell.
//!
//! Invariant: a write that is not noted makes everything unknown ([`Opaque::forget`]).

use cmm::Type;
use smt::{Op, Term};
use std::rc::Rc;

/// More accesses than these are not kept, of those that no later write covers.
const MOST: usize = 500;

/// What is known of memory that is accessed at several types.
#[derive(Clone, Default)]
pub(crate) struct Opaque {
    accesses: Rc<Vec<Access>>,
    /// Something was written that is not among the accesses.
    lost: bool,
}

/// An access, after which this value stood there.
#[derive(Clone, PartialEq, Eq)]
struct Access {
    at: Term,
    /// In bytes.
    width: i128,
    ty: Type,
    value: Term,
    /// Or only read.
    written: bool,
}

/// What is read.
pub(crate) enum Found {
    /// This was written or read before.
    Known(Term),
    /// What nobody has written, and nobody read before.
    Initial,
    /// Anything.
    Unknown,
}

impl Opaque {
    /// Nothing is known any more.
    pub(crate) fn forget(&mut self) {
        *self = Opaque { accesses: Rc::default(), lost: true };
    }

    /// A value of the type, so many bytes wide, is written.
    pub(crate) fn write(&mut self, at: Term, width: i128, ty: &Type, value: Term) {
        self.push(Access { at, width, ty: ty.clone(), value, written: true });
    }

    /// What is read; `fresh` stands for it where it is not known, from now on.
    pub(crate) fn read(&mut self, at: &Term, width: i128, ty: &Type, fresh: &Term) -> Found {
        let mut found = if self.lost { Found::Unknown } else { Found::Initial };
        for access in self.accesses.iter().rev() {
            if access.at == *at && access.ty == *ty {
                return Found::Known(access.value.clone());
            }
            if access.written && !access.is_apart(at, width) {
                found = Found::Unknown;
                break;
            }
        }
        self.push(Access { at: at.clone(), width, ty: ty.clone(), value: fresh.clone(), written: false });
        found
    }

    fn push(&mut self, access: Access) {
        let is_covered = |a: &Access| access.written && a.at == access.at && a.width <= access.width;
        if self.accesses.iter().any(is_covered) {
            Rc::make_mut(&mut self.accesses).retain(|a| !is_covered(a));
        }
        if self.accesses.len() >= MOST {
            self.forget();
        }
        Rc::make_mut(&mut self.accesses).push(access);
    }

    /// This memory or the other: what both know.
    pub(crate) fn join(&mut self, other: &Opaque) {
        let common = self.accesses.iter().zip(other.accesses.iter()).take_while(|(a, b)| a == b).count();
        let written = |memory: &Opaque| memory.accesses[common..].iter().any(|access| access.written);
        if written(self) || written(other) {
            self.forget();
        } else if common < self.accesses.len() {
            Rc::make_mut(&mut self.accesses).truncate(common);
        }
        self.lost |= other.lost;
    }
}

impl Access {
    /// Whether it shares no byte with another one.
    fn is_apart(&self, at: &Term, width: i128) -> bool {
        let ((base, own), (other, distance)) = (parts(&self.at), parts(at));
        let from = distance - own;
        base == other && (from >= self.width || -from >= width)
    }
}

/// An address as a sum of something and a number.
fn parts(address: &Term) -> (Vec<&Term>, i128) {
    let summands = summands(address);
    let number = summands.iter().filter_map(numeral).sum();
    (summands.iter().filter(|summand| numeral(summand).is_none()).collect(), number)
}

/// What an address is the sum of; itself where it is none.
pub(crate) fn summands(address: &Term) -> &[Term] {
    match address.op() {
        Op::IntAdd | Op::BvAdd => address.args(),
        _ => std::slice::from_ref(address),
    }
}

/// The number that a numeral stands for; those of bit-vectors with sign, as a distance.
fn numeral(term: &Term) -> Option<i128> {
    let signed = |bits: u128| match term.sort() {
        smt::Sort::BitVec(width) if *width < 128 && bits >> (width - 1) == 1 => {
            i128::try_from(bits).ok().map(|n| n - (1 << width))
        }
        _ => i128::try_from(bits).ok(),
    };
    term.as_int().or_else(|| term.as_bits().and_then(signed))
}

#[cfg(test)]
mod tests {
    use super::{Found, Opaque};
    use cmm::{IntType, Type};
    use smt::{Sort, Term};

    fn int() -> Type {
        Type::Int(IntType { bits: 32, signed: true })
    }

    fn at(name: &str, offset: i128) -> Term {
        Term::constant(name, Sort::Int).int_add(&Term::int(offset))
    }

    fn read(memory: &mut Opaque, at: &Term, ty: &Type, width: i128) -> String {
        match memory.read(at, width, ty, &Term::constant("fresh", Sort::Int)) {
            Found::Known(term) => term.as_int().map_or_else(|| "known".into(), |n| n.to_string()),
            Found::Initial => "initial".into(),
            Found::Unknown => "unknown".into(),
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let mut memory = Opaque::default();
        memory.write(at("p", 4), 4, &int(), Term::int(7));
        memory.write(at("p", 8), 4, &int(), Term::int(8));
        assert_eq!(read(&mut memory, &at("p", 4), &int(), 4), "7");
        // Another type, half of it, and bytes that two writes share.
        let byte = Type::Int(IntType { bits: 8, signed: true });
        assert_eq!(read(&mut memory, &at("p", 4), &byte, 1), "unknown");
        assert_eq!(read(&mut memory, &at("p", 6), &int(), 4), "unknown");
        assert_eq!(read(&mut memory, &at("p", 0), &int(), 4), "initial");
        assert_eq!(read(&mut memory, &at("p", 0), &int(), 4), "known");
        // Another pointer may lead there.
        memory.write(at("q", 0), 4, &int(), Term::int(9));
        assert_eq!(read(&mut memory, &at("p", 4), &int(), 4), "unknown");
        assert_eq!(read(&mut memory, &at("q", 0), &int(), 4), "9");
        memory.forget();
        assert_eq!(read(&mut memory, &at("q", 0), &int(), 4), "unknown");
    }

    #[test]
    fn writes_that_are_covered_count_no_more() {
        let mut memory = Opaque::default();
        for n in 0..2 * super::MOST as i128 {
            memory.write(at("p", n % 8), 1, &int(), Term::int(n));
        }
        memory.write(at("p", 0), 4, &int(), Term::int(5));
        memory.write(at("p", 2), 1, &int(), Term::int(6));
        assert_eq!(read(&mut memory, &at("p", 0), &int(), 4), "unknown");
        assert_eq!(read(&mut memory, &at("p", 2), &int(), 1), "6");
        assert_eq!(read(&mut memory, &at("p", 7), &int(), 1), "999");
    }

    #[test]
    fn branches_meet() {
        let mut first = Opaque::default();
        first.write(at("p", 0), 4, &int(), Term::int(1));
        let (mut second, mut third) = (first.clone(), first.clone());
        read(&mut second, &at("p", 4), &int(), 4);
        second.join(&first);
        assert_eq!(read(&mut second, &at("p", 0), &int(), 4), "1");
        third.write(at("p", 4), 4, &int(), Term::int(2));
        second.join(&third);
        assert_eq!(read(&mut second, &at("p", 0), &int(), 4), "unknown");
    }
}
