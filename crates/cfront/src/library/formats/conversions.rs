//! The conversions of the formats of `printf` and `scanf`, and the types that their arguments must have (C11 7.21.6,
//! with what POSIX and the GNU library add).

use crate::types::ty::{IntTy, QTy, Rank, Ty};
use ir::DataModel;

/// The type that an argument must have. The sign of integers does not matter: a value that both types have is
/// passed alike.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Wanted {
    /// An integer of this type.
    Int(IntTy),
    /// A floating-point number of this many bits, or of more than 64.
    Float(u16),
    /// A pointer to characters.
    Text,
    /// A pointer to an object.
    Pointer,
    /// A pointer to something of this type.
    To(Ty),
}

/// Something in a format that takes an argument, or that is wrong.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Piece {
    /// The text of the conversion, and what it takes.
    Takes(String, Wanted),
    /// Undefined behaviour, in words.
    Wrong(String),
    /// Something that is not understood.
    NotUnderstood,
}

/// The family of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    Print,
    Scan,
}

/// The pieces of a format, in order.
pub(crate) fn pieces(text: &[u8], family: Family, model: DataModel) -> Vec<Piece> {
    let mut out = vec![];
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.iter().position(|b| *b == b'%')) {
        let mut conversion = Conversion { text, start: at + found, at: at + found + 1, model, out: &mut out };
        match family {
            Family::Print => conversion.printed(),
            Family::Scan => conversion.scanned(),
        }
        at = conversion.at;
    }
    out
}

/// One conversion, as far as it is read.
struct Conversion<'t> {
    text: &'t [u8],
    start: usize,
    at: usize,
    model: DataModel,
    out: &'t mut Vec<Piece>,
}

impl Conversion<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn while_one_of(&mut self, bytes: &[u8]) -> &[u8] {
        let start = self.at;
        while self.at < self.text.len() && bytes.contains(&self.peek()) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// The text read so far.
    fn spelling(&self) -> String {
        self.text[self.start..self.at.min(self.text.len())].iter().map(|b| char::from(*b)).collect()
    }

    fn takes(&mut self, wanted: Wanted) {
        let piece = Piece::Takes(self.spelling(), wanted);
        self.out.push(piece);
    }

    fn wrong(&mut self, why: &str) {
        let piece = Piece::Wrong(format!("`{}` {why}", self.spelling()));
        self.out.push(piece);
    }

    /// The letter at the end; 0 where the text ends before.
    fn letter(&mut self) -> u8 {
        let letter = self.peek();
        self.at += usize::from(self.at < self.text.len());
        letter
    }

    /// A count of `printf`; whether there is one.
    fn count(&mut self) -> bool {
        if self.peek() == b'*' {
            self.at += 1;
            self.takes(Wanted::Int(IntTy::INT));
            return true;
        }
        !self.while_one_of(b"0123456789").is_empty()
    }

    fn printed(&mut self) {
        let flags = self.while_one_of(b"-+ #0'I").to_vec();
        let width = self.count();
        let precision = self.peek() == b'.';
        if precision {
            self.at += 1;
            self.count();
        }
        let length = self.while_one_of(b"hlqjztZL").to_vec();
        let letter = self.letter();
        let plain = flags.is_empty() && !width && !precision && length.is_empty();
        match letter {
            0 => return self.wrong("has no conversion letter"),
            b'$' => return self.out.push(Piece::NotUnderstood),
            b'%' if !plain => {
                return self.wrong("is no conversion: `%%` takes nothing between its characters");
            }
            b'%' => return,
            b'm' => return,
            _ => {}
        }
        let wanted = self.value(letter, &length);
        let Some(wanted) = wanted else {
            let known = b"diouxXeEfFgGaAcspnCS".contains(&letter);
            return self.wrong(match known {
                true => "has a length that the conversion does not take",
                false => "is no conversion",
            });
        };
        let number = b"diouxXeEfFgGaA".contains(&letter);
        if flags.contains(&b'#') && !b"oxXeEfFgGaA".contains(&letter) {
            return self.wrong("has a flag `#` that the conversion does not take");
        }
        if flags.contains(&b'0') && !number {
            return self.wrong("has a flag `0` that the conversion does not take");
        }
        if precision && !number && !matches!(letter, b's' | b'S') {
            return self.wrong("has a precision, which the conversion does not take");
        }
        self.takes(wanted);
    }

    /// The argument of a conversion of `printf`; `None` where the letter or its length is unknown.
    fn value(&self, letter: u8, length: &[u8]) -> Option<Wanted> {
        let wide = IntTy { rank: Rank::Int, bits: 32, signed: true };
        Some(match (letter, length) {
            (b'd' | b'i' | b'u' | b'o' | b'x' | b'X', _) => Wanted::Int(self.integer(length)?.promoted()),
            (b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A', b"" | b"l") => Wanted::Float(64),
            (b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A', b"L") => Wanted::Float(128),
            (b'c', b"") => Wanted::Int(IntTy::INT),
            (b'c', b"l") | (b'C', b"") => Wanted::Int(wide),
            (b's', b"") => Wanted::Text,
            (b's', b"l") | (b'S', b"") => Wanted::To(Ty::Int(wide)),
            (b'p', b"") => Wanted::Pointer,
            (b'n', _) => Wanted::To(Ty::Int(self.integer(length)?)),
            _ => return None,
        })
    }

    /// The type of integers with a length.
    fn integer(&self, length: &[u8]) -> Option<IntTy> {
        let long = IntTy::long(self.model);
        Some(match length {
            b"" => IntTy::INT,
            b"hh" => IntTy::UCHAR.with_sign(true),
            b"h" => IntTy { rank: Rank::Short, bits: 16, signed: true },
            b"l" => long,
            b"ll" | b"q" | b"L" => IntTy::LLONG,
            b"j" if self.model == DataModel::Lp64 => long,
            b"j" => IntTy::LLONG,
            b"z" | b"t" | b"Z" => IntTy::ptrdiff(self.model),
            _ => return None,
        })
    }

    fn scanned(&mut self) {
        let dropped = self.peek() == b'*';
        self.at += usize::from(dropped);
        let width = self.while_one_of(b"0123456789").to_vec();
        let allocates = self.peek() == b'm';
        self.at += usize::from(allocates);
        let length = self.while_one_of(b"hlqjztZL").to_vec();
        let letter = self.letter();
        match letter {
            0 => return self.wrong("has no conversion letter"),
            b'$' => return self.out.push(Piece::NotUnderstood),
            b'%' if dropped || !width.is_empty() || !length.is_empty() => {
                return self.wrong("is no conversion: `%%` takes nothing between its characters");
            }
            b'%' => return,
            b'[' if !self.set() => return self.wrong("has no `]`"),
            _ => {}
        }
        if !width.is_empty() && width.iter().all(|b| *b == b'0') {
            return self.wrong("has a width of 0");
        }
        if allocates {
            return self.out.push(Piece::NotUnderstood);
        }
        match self.target(letter, &length) {
            None => self.wrong("is no conversion, or has a length that it does not take"),
            Some(_) if dropped && letter == b'n' => self.wrong("assigns nothing"),
            Some(_) if dropped => {}
            Some(wanted) => self.takes(wanted),
        }
    }

    /// The characters behind a `[`; whether it is closed.
    fn set(&mut self) -> bool {
        self.at += usize::from(self.peek() == b'^');
        self.at += usize::from(self.peek() == b']');
        match self.text.get(self.at..).and_then(|rest| rest.iter().position(|b| *b == b']')) {
            Some(end) => self.at += end + 1,
            None => {
                self.at = self.text.len();
                return false;
            }
        }
        true
    }

    /// The argument of a conversion of `scanf`.
    fn target(&self, letter: u8, length: &[u8]) -> Option<Wanted> {
        let float = |bits| Some(Wanted::To(Ty::Float(bits)));
        match (letter, length) {
            (b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'n', _) => {
                Some(Wanted::To(Ty::Int(self.integer(length)?)))
            }
            (b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A', b"") => float(32),
            (b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A', b"l") => float(64),
            (b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A', b"L") => float(128),
            (b'c' | b's' | b'[', b"") => Some(Wanted::Text),
            (b'c' | b's' | b'[', b"l") | (b'C' | b'S', b"") => Some(Wanted::To(Ty::INT)),
            (b'p', b"") => Some(Wanted::To(Ty::void_ptr())),
            _ => None,
        }
    }
}

impl Wanted {
    /// Whether an argument of this type, which is promoted first, is one.
    pub(crate) fn takes(&self, given: &Ty) -> bool {
        match (self, given) {
            (Wanted::Int(wanted), Ty::Int(given)) => same_integer(*wanted, given.promoted()),
            (Wanted::Float(64), Ty::Float(bits)) => *bits <= 64,
            (Wanted::Float(_), Ty::Float(bits)) => *bits > 64,
            (Wanted::Text, _) => given.pointee().is_some_and(|to| is_character(to) || to.ty == Ty::Void),
            (Wanted::Pointer, _) => given.pointee().is_some(),
            (Wanted::To(wanted), _) => given.pointee().is_some_and(|to| match (wanted, &to.ty) {
                (Ty::Int(wanted), Ty::Int(given)) if wanted.bits == 8 => given.bits == 8,
                (Ty::Int(wanted), Ty::Int(given)) => same_integer(*wanted, *given),
                (Ty::Float(wanted), Ty::Float(given)) => wanted.min(&80) == given.min(&80),
                (Ty::Ptr(_), given) => given.pointee().is_some(),
                _ => false,
            }),
            _ => false,
        }
    }

    /// In words, for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Wanted::Int(i) => Ty::Int(*i).describe(),
            Wanted::Float(bits) => Ty::Float(*bits).describe(),
            Wanted::Text => "char *".into(),
            Wanted::Pointer => "void *".into(),
            Wanted::To(Ty::Ptr(_)) => "void **".into(),
            Wanted::To(ty) => format!("{} *", ty.describe()),
        }
    }
}

/// A bit-field that is wider than an `int` is passed as the type that holds it.
fn same_integer(wanted: IntTy, given: IntTy) -> bool {
    match given.rank {
        Rank::Bits => wanted.bits == 64,
        rank => rank == wanted.rank && given.bits == wanted.bits,
    }
}

fn is_character(to: &QTy) -> bool {
    matches!(&to.ty, Ty::Int(i) if i.bits == 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str, family: Family) -> Vec<String> {
        let pieces = pieces(text.as_bytes(), family, DataModel::Lp64).into_iter();
        pieces
            .map(|piece| match piece {
                Piece::Takes(spelling, wanted) => format!("{spelling} {}", wanted.describe()),
                Piece::Wrong(why) => format!("wrong: {why}"),
                Piece::NotUnderstood => "not understood".into(),
            })
            .collect()
    }

    #[test]
    fn conversions_of_printf() {
        let of = |text| described(text, Family::Print);
        assert_eq!(of("a%%b%5d|%-*.*s"), ["%5d int", "%-* int", "%-*.* int", "%-*.*s char *"]);
        assert_eq!(
            of("%ld%zu%lld%hhx%jd"),
            ["%ld long", "%zu long", "%lld long long", "%hhx int", "%jd long"]
        );
        assert_eq!(of("%f%Lg%p%n"), ["%f double", "%Lg long double", "%p void *", "%n int *"]);
        assert_eq!(of("%y"), ["wrong: `%y` is no conversion"]);
        assert_eq!(of("%5"), ["wrong: `%5` has no conversion letter"]);
        assert_eq!(of("%hs"), ["wrong: `%hs` has a length that the conversion does not take"]);
        assert_eq!(of("%#d"), ["wrong: `%#d` has a flag `#` that the conversion does not take"]);
        assert_eq!(of("%1$d"), ["not understood"]);
    }

    #[test]
    fn conversions_of_scanf() {
        let of = |text| described(text, Family::Scan);
        assert_eq!(of("%d %lf%*d%9s"), ["%d int *", "%lf double *", "%9s char *"]);
        assert_eq!(of("%[^]x]%[a"), ["%[^]x] char *", "wrong: `%[a` has no `]`"]);
        assert_eq!(of("%0d"), ["wrong: `%0d` has a width of 0"]);
        assert_eq!(of("%ms"), ["not understood"]);
    }

    #[test]
    fn types_fit_up_to_sign() {
        let long = IntTy::long(DataModel::Lp64);
        assert!(Wanted::Int(IntTy::INT).takes(&Ty::Int(IntTy::UINT)));
        assert!(Wanted::Int(IntTy::INT).takes(&Ty::Int(IntTy::CHAR)));
        assert!(!Wanted::Int(IntTy::INT).takes(&Ty::Int(long)));
        assert!(!Wanted::Int(long).takes(&Ty::Int(IntTy::LLONG)));
        assert!(Wanted::Float(64).takes(&Ty::Float(32)));
        assert!(!Wanted::To(Ty::DOUBLE).takes(&Ty::ptr_to(Ty::Float(32))));
        assert!(!Wanted::Text.takes(&Ty::INT));
    }
}
