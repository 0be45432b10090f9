//! Memory that is accessed at several types, as far as addresses determine the value: one that was written or read at
//! the same address at the same type, with nothing between that may have changed it; or, where integers are
//! bit-vectors, the bytes of such integers. All such memory is one cell of the oracle, and no byte of it belongs to
//! another cell.
//!
//! Invariant: a write that is not noted makes everything unknown ([`Opaque::forget`]).

use ir::Type;
use rustc_hash::FxHashMap;
use smt::{Op, Term};
use std::collections::hash_map::Entry;
use std::rc::Rc;

/// More accesses than these are not kept, of those that no later write covers.
const MOST: usize = 4_000;

/// What is known of memory that is accessed at several types.
#[derive(Clone, Default)]
pub struct Opaque {
    accesses: Rc<Vec<Access>>,
    /// Something was written that is not among the accesses.
    lost: bool,
    /// Addresses that are sums of different things are taken to be apart, as those of objects from outside are in runs of the
    /// interpreter. They need not be: what follows from it is a guess.
    guess: bool,
}

/// An access, after which this value stood there.
#[derive(Clone, PartialEq, Eq)]
struct Access {
    at: Term,
    place: Place,
    /// In bytes.
    width: i128,
    ty: Type,
    value: Term,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Written,
    Read,
    /// Read where nothing had been written: the value is what stood there at first.
    Initial,
}

/// An address as a sum of something and a number.
#[derive(Clone, PartialEq, Eq)]
struct Place {
    base: Rc<[Term]>,
    offset: i128,
}

/// What is known to stand somewhere.
struct Stands {
    value: Term,
    kind: Kind,
    /// As an access left it, of the same type.
    is_access: bool,
}

/// What is read.
pub enum Found {
    /// This was written or read before.
    Known(Term),
    /// What nobody has written, and nobody read before.
    Initial,
    /// Anything.
    Unknown,
}

impl Opaque {
    /// Nothing is known yet; with a guess that addresses of different things are apart, or without.
    pub fn new(guess: bool) -> Opaque {
        Opaque { guess, ..Opaque::default() }
    }

    /// Whether what is known depends on that guess.
    pub fn guesses(&self) -> bool {
        self.guess
    }

    /// Nothing is known any more.
    pub fn forget(&mut self) {
        *self = Opaque { lost: true, ..Opaque::new(self.guess) };
    }

    /// Records the write of a value of the type, `width` bytes wide.
    pub fn write(&mut self, at: Term, width: i128, ty: &Type, value: Term) {
        self.push(Access { place: Place::of(&at), at, width, ty: ty.clone(), value, kind: Kind::Written });
    }

    /// What is read; `fresh` stands for it where it is not known, from now on.
    pub fn read(&mut self, at: &Term, width: i128, ty: &Type, fresh: &Term) -> Found {
        let place = Place::of(at);
        let (found, value, kind) = match self.find((at, &place), width, ty) {
            Ok(Stands { value, is_access: true, .. }) => return Found::Known(value),
            Ok(Stands { value, kind, .. }) => (Found::Known(value.clone()), value, kind),
            Err(found @ Found::Initial) => (found, fresh.clone(), Kind::Initial),
            Err(found) => (found, fresh.clone(), Kind::Read),
        };
        self.push(Access { at: at.clone(), place, width, ty: ty.clone(), value, kind });
        found
    }

    /// What stands at an address, or else whether that may have been written.
    fn find(&self, (at, place): (&Term, &Place), width: i128, ty: &Type) -> Result<Stands, Found> {
        for access in self.accesses.iter().rev() {
            if access.at == *at && access.ty == *ty {
                return Ok(Stands { value: access.value.clone(), kind: access.kind, is_access: true });
            }
            if access.kind == Kind::Written && !self.is_apart(access, place, width) {
                return self.put_together(place, width, ty);
            }
        }
        let found = self.put_together(place, width, ty);
        found.map_err(|_| if self.lost { Found::Unknown } else { Found::Initial })
    }

    /// The integer of the bytes at an address, each of which belongs to one that was accessed; where bit-vectors stand for them.
    fn put_together(&self, place: &Place, width: i128, ty: &Type) -> Result<Stands, Found> {
        let size = usize::try_from(width).ok().filter(|_| bits(ty) == Some(8 * width));
        let Some(size) = size else { return Err(Found::Unknown) };
        // The access that each byte belongs to, and which of its bytes it is.
        let mut bytes: Vec<Option<(usize, i128)>> = vec![None; size];
        let mut missing = size;
        for (n, access) in self.accesses.iter().enumerate().rev() {
            if missing == 0 {
                break;
            }
            if access.place.base != place.base {
                if access.kind == Kind::Written && !self.guess {
                    return Err(Found::Unknown);
                }
                continue;
            }
            let is_known = bits(&access.ty) == Some(8 * access.width)
                && *access.value.sort() == smt::Sort::BitVec(8 * access.width as u32);
            let distance = place.offset - access.place.offset;
            for (i, byte) in bytes.iter_mut().enumerate().filter(|(_, byte)| byte.is_none()) {
                let own = distance + i as i128;
                if !(0..access.width).contains(&own) {
                    continue;
                }
                match access.kind {
                    _ if is_known => *byte = Some((n, own)),
                    Kind::Written => return Err(Found::Unknown),
                    Kind::Read | Kind::Initial => continue,
                }
                missing -= 1;
            }
        }
        let Some(bytes) = bytes.into_iter().collect::<Option<Vec<_>>>() else { return Err(Found::Unknown) };
        let mut value: Option<Term> = None;
        let mut first = 0;
        while first < size {
            let (n, own) = bytes[first];
            let same = (first..size).take_while(|i| bytes[*i] == (n, own + (*i - first) as i128)).count();
            let (low, high) = (8 * own as u32, 8 * (own as u32 + same as u32) - 1);
            let part = self.accesses[n].value.bv_extract(high, low);
            let part = part.bv_zero_extend(8 * (size - same) as u32);
            let part = part.bv_shl(&Term::bv(8 * size as u32, 8 * first as u128));
            value = Some(value.map_or(part.clone(), |value| value.bv_or(&part)));
            first += same;
        }
        let value = value.ok_or(Found::Unknown)?;
        Ok(Stands { value, kind: Kind::Read, is_access: false })
    }

    fn push(&mut self, access: Access) {
        let is_covered =
            |a: &Access| access.kind == Kind::Written && a.at == access.at && a.width <= access.width;
        if self.accesses.iter().any(is_covered) {
            Rc::make_mut(&mut self.accesses).retain(|a| !is_covered(a));
        }
        if self.accesses.len() >= MOST {
            self.forget();
        }
        Rc::make_mut(&mut self.accesses).push(access);
    }

    /// This memory where `first` holds, and the other elsewhere. `fresh` gives values of types that stand for what is not known.
    pub fn join(&mut self, other: &Opaque, first: &Term, mut fresh: impl FnMut(&Type) -> Term) {
        let common = self.accesses.iter().zip(other.accesses.iter()).take_while(|(a, b)| a == b).count();
        let (mut places, mut seen): (Vec<&Access>, FxHashMap<(&Term, &Type), usize>) = Default::default();
        for access in self.accesses[common..].iter().chain(&other.accesses[common..]) {
            match seen.entry((&access.at, &access.ty)) {
                Entry::Vacant(place) => {
                    place.insert(places.len());
                    places.push(access);
                }
                // What one of them writes is written.
                Entry::Occupied(place) if access.kind == Kind::Written => places[*place.get()] = access,
                Entry::Occupied(_) => {}
            }
        }
        let joined: Vec<Access> = places
            .into_iter()
            .filter_map(|place| {
                let at = (&place.at, &place.place);
                let found = [&*self, other].map(|memory| memory.find(at, place.width, &place.ty));
                let (value, kind) = match found {
                    [Ok(a), Ok(b)] if a.value == b.value => (a.value, a.kind),
                    // What stood there at first stands there still where nothing has been written.
                    [Ok(a), Err(Found::Initial)] | [Err(Found::Initial), Ok(a)]
                        if a.kind == Kind::Initial =>
                    {
                        (a.value, Kind::Initial)
                    }
                    found if place.kind == Kind::Written || found.iter().all(Result::is_ok) => {
                        let mut value = |found: Result<Stands, Found>| {
                            found.map_or_else(|_| fresh(&place.ty), |stands| stands.value)
                        };
                        let [a, b] = found.map(&mut value);
                        (Term::ite(first, &a, &b), Kind::Read)
                    }
                    _ => return None,
                };
                let kind = if place.kind == Kind::Written { Kind::Written } else { kind };
                Some(Access { value, kind, ..place.clone() })
            })
            .collect();
        Rc::make_mut(&mut self.accesses).truncate(common);
        self.lost |= other.lost;
        joined.into_iter().for_each(|access| self.push(access));
    }

    /// Whether an access shares no byte with another one.
    fn is_apart(&self, access: &Access, place: &Place, width: i128) -> bool {
        if access.place.base != place.base {
            return self.guess;
        }
        let from = place.offset - access.place.offset;
        from >= access.width || -from >= width
    }
}

impl Place {
    fn of(address: &Term) -> Place {
        let summands = summands(address);
        let offset = summands.iter().filter_map(numeral).sum();
        Place {
            base: summands.iter().filter(|summand| numeral(summand).is_none()).cloned().collect(),
            offset,
        }
    }
}

/// The width of an integer.
fn bits(ty: &Type) -> Option<i128> {
    ty.as_int().map(|int| int.bits.into())
}

/// What an address is the sum of; itself where it is none.
pub fn summands(address: &Term) -> &[Term] {
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
    use expect_test::expect;
    use ir::{IntType, Type};
    use proptest::prelude::*;
    use smt::{Model, Sort, Term, Value};

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
        // Of mathematical integers there are no bytes; another type, half of it, and bytes that two writes share.
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
        let most = 2 * super::MOST as i128;
        for n in 0..most {
            memory.write(at("p", n % 8), 1, &int(), Term::int(n));
        }
        memory.write(at("p", 0), 4, &int(), Term::int(5));
        memory.write(at("p", 2), 1, &int(), Term::int(6));
        assert_eq!(read(&mut memory, &at("p", 0), &int(), 4), "unknown");
        assert_eq!(read(&mut memory, &at("p", 2), &int(), 1), "6");
        assert_eq!(read(&mut memory, &at("p", 7), &int(), 1), (most - 1).to_string());
    }

    fn join(memory: &mut Opaque, other: &Opaque) {
        let mut unknown = 0;
        memory.join(other, &Term::constant("first", Sort::Bool), |_| {
            unknown += 1;
            Term::constant(&format!("unknown {unknown}"), Sort::Int)
        });
    }

    #[test]
    fn branches_meet() {
        let mut first = Opaque::default();
        first.write(at("p", 0), 4, &int(), Term::int(1));
        let (mut second, mut third) = (first.clone(), first.clone());
        read(&mut second, &at("p", 4), &int(), 4);
        join(&mut second, &first);
        assert_eq!(read(&mut second, &at("p", 0), &int(), 4), "1");
        // What one of them has read still stands there in the other.
        assert_eq!(read(&mut second, &at("p", 4), &int(), 4), "known");
        third.write(at("p", 0), 4, &int(), Term::int(2));
        join(&mut second, &third);
        let found = second.read(&at("p", 0), 4, &int(), &Term::int(0));
        let Found::Known(value) = found else { panic!("both know what stands there") };
        assert_eq!(value.to_string(), "(ite first 1 2)");
        // Where one of them writes to another place, which may be this one, what stands there is not known.
        let mut fourth = second.clone();
        fourth.write(at("q", 0), 4, &int(), Term::int(3));
        join(&mut second, &fourth);
        assert_eq!(read(&mut second, &at("p", 0), &int(), 4), "unknown");
        assert_eq!(read(&mut second, &at("q", 0), &int(), 4), "known");
        // What one of them has lost is known in neither.
        let mut lost = second.clone();
        lost.forget();
        join(&mut second, &lost);
        assert_eq!(read(&mut second, &at("r", 0), &int(), 4), "unknown");
    }

    #[test]
    fn integers_are_put_together_from_bytes() {
        let byte = |signed| Type::Int(IntType { bits: 8, signed });
        let x = |n: u32| Term::constant(&format!("x{n}"), Sort::BitVec(8));
        let shown = |memory: &mut Opaque, offset: i128, ty: &Type| {
            let bits = ty.as_int().map_or(0, |ty| ty.bits.into());
            let fresh = Term::constant("fresh", Sort::BitVec(bits));
            match memory.read(&at("p", offset), i128::from(bits / 8), ty, &fresh) {
                Found::Known(value) => value.to_string(),
                Found::Initial => "initial".into(),
                Found::Unknown => "unknown".into(),
            }
        };
        let mut memory = Opaque::default();
        for n in 0..3 {
            memory.write(at("p", n.into()), 1, &byte(true), x(n));
        }
        assert_eq!(shown(&mut memory, 0, &byte(false)), "x0");
        assert_eq!(shown(&mut memory.clone(), 0, &int()), "unknown");
        memory.write(at("p", 3), 1, &byte(true), x(3));
        memory.write(at("p", 2), 1, &byte(true), Term::bv(8, 5));
        expect!["(bvor (bvor (bvor (bvshl ((_ zero_extend 24) x1) #x00000008) ((_ zero_extend 24) x0)) #x00050000) (bvshl ((_ zero_extend 24) x3) #x00000018))"]
        .assert_eq(&shown(&mut memory, 0, &int()));
        // The same bytes, and some of them.
        memory.write(at("p", 4), 4, &int(), Term::constant("y", Sort::BitVec(32)));
        assert_eq!(shown(&mut memory, 4, &Type::Int(IntType { bits: 32, signed: false })), "y");
        assert_eq!(
            shown(&mut memory, 5, &Type::Int(IntType { bits: 16, signed: false })),
            "((_ extract 23 8) y)"
        );
        // A truth value is not such a byte, and another pointer may lead here.
        memory.write(at("p", 2), 1, &Type::Int(IntType::BOOL), x(2));
        assert_eq!(shown(&mut memory, 0, &Type::Int(IntType { bits: 32, signed: false })), "unknown");
        memory.write(at("q", 0), 1, &byte(true), x(9));
        assert_eq!(shown(&mut memory, 1, &byte(false)), "unknown");
    }

    #[test]
    fn places_of_different_pointers_are_apart_by_a_guess() {
        let mut memory = Opaque::new(true);
        memory.write(at("p", 0), 4, &int(), Term::int(1));
        memory.write(at("q", 0), 4, &int(), Term::int(2));
        assert_eq!(read(&mut memory, &at("p", 0), &int(), 4), "1");
        assert_eq!(read(&mut memory, &at("p", 2), &int(), 4), "unknown");
        assert_eq!(read(&mut memory, &at("r", 0), &int(), 4), "initial");
    }

    /// An access of a random program: through one of two pointers, at an offset, of one, two or four bytes with sign or without, and
    /// what it writes if it does.
    type Random = (bool, i128, u32, bool, Option<u32>);

    fn accesses() -> impl Strategy<Value = Vec<Random>> {
        let written = prop::option::of(any::<u32>());
        prop::collection::vec((any::<bool>(), 0..4i128, 0..3u32, any::<bool>(), written), 0..6)
    }

    /// A memory of bytes beside what is known of it.
    struct Run {
        /// Where the two pointers point to.
        pointers: [usize; 2],
        /// Bit-vectors stand for integers.
        bits: bool,
        initial: Vec<u8>,
        bytes: Vec<u8>,
        model: Model,
        constants: usize,
    }

    impl Run {
        fn constant(&mut self, ty: &Type) -> Term {
            self.constants += 1;
            let bits = ty.as_int().map_or(0, |ty| ty.bits.into());
            let sort = if self.bits { Sort::BitVec(bits) } else { Sort::Int };
            Term::constant(&format!("c{}", self.constants), sort)
        }

        fn value(&self, width: usize, value: u32) -> Value {
            match self.bits {
                true => Value::BitVec { width: 8 * width as u32, value: value.into() },
                false => Value::Int(value.into()),
            }
        }

        /// Does the accesses in what is known, and, where executions go there, in the bytes.
        fn run(&mut self, known: &mut Opaque, accesses: &[Random], is_executed: bool) {
            for (second, offset, log, signed, written) in accesses {
                let width = 1 << log;
                // Integers stand for the numbers that they are.
                let signed = *signed && self.bits;
                let ty = Type::Int(IntType { bits: 8 * width as u16, signed });
                let place = self.pointers[usize::from(*second)] + *offset as usize;
                let at = at(if *second { "q" } else { "p" }, *offset);
                let read = |bytes: &[u8]| {
                    bytes[place..place + width].iter().rev().fold(0, |n, b| n << 8 | u32::from(*b))
                };
                let constant = self.constant(&ty);
                if let Some(value) = written {
                    let value = value & (u32::MAX >> (32 - 8 * width));
                    self.model.assign(&constant, Some(self.value(width, value)));
                    if is_executed {
                        self.bytes[place..place + width].copy_from_slice(&value.to_le_bytes()[..width]);
                    }
                    known.write(at, width as i128, &ty, constant);
                    continue;
                }
                let [now, before] = [&self.bytes, &self.initial].map(|bytes| self.value(width, read(bytes)));
                match known.read(&at, width as i128, &ty, &constant) {
                    // What a joined value leaves open may be anything.
                    Found::Known(value) if is_executed => {
                        let value = self.model.eval(&value);
                        assert!(
                            value.as_ref().is_none_or(|value| *value == now),
                            "{at} holds {now:?}, not {value:?}"
                        );
                    }
                    Found::Initial => {
                        assert!(!is_executed || now == before, "{at} holds {now:?} and held {before:?}");
                        self.model.assign(&constant, Some(before));
                    }
                    Found::Unknown if is_executed => self.model.assign(&constant, Some(now)),
                    Found::Known(_) | Found::Unknown => {}
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// What is known of memory is so in a memory of bytes, whichever of two branches an execution takes, and wherever the
        /// pointers point to.
        #[test]
        fn bytes_are_as_they_are_known_to_be(
            parts in [accesses(), accesses(), accesses(), accesses()],
            pointers in [0..4usize, 0..4usize],
            bits in any::<bool>(),
            initial in prop::collection::vec(any::<u8>(), 12),
            forgets in prop::option::of(any::<bool>()),
        ) {
            for takes_first in [true, false] {
                let mut run = Run {
                    pointers,
                    bits,
                    initial: initial.clone(),
                    bytes: initial.clone(),
                    model: Model::new(),
                    constants: 0,
                };
                let guard = Term::constant("first", Sort::Bool);
                run.model.assign(&guard, Some(Value::Bool(takes_first)));
                let mut first = Opaque::new(false);
                run.run(&mut first, &parts[0], true);
                let mut second = first.clone();
                for (n, branch) in [&mut first, &mut second].into_iter().enumerate() {
                    let is_taken = takes_first == (n == 0);
                    // Something is written that is not noted.
                    if forgets == Some(n == 0) {
                        branch.forget();
                        if is_taken {
                            run.bytes.reverse();
                        }
                    }
                    run.run(branch, &parts[1 + n], is_taken);
                }
                first.join(&second, &guard, |ty| run.constant(ty));
                run.run(&mut first, &parts[3], true);
            }
        }
    }
}
