//! The formats of `scanf`: their conversions, and what each stores.

use crate::lower::source_names::Scanned;
use crate::types::ty::{IntTy, Rank, Ty};
use lang_c::ast;

/// The value that a conversion stores.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Stored {
    /// A number or a pointer.
    Value(Ty),
    /// This many characters without a NUL.
    Characters(u64),
    /// A string of at most this many characters, and a NUL.
    Text(Option<u64>),
    /// How many characters were read. It is not a conversion: it is done whenever control reaches it, and does
    /// not count as an assignment (C17 7.21.6.2p12).
    Count(Ty),
}

/// A conversion that stores something.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Conversion {
    pub(super) stored: Stored,
    /// It fails only where the input ends.
    pub(super) takes_anything: bool,
    /// The least and the largest number of an integer field of its width, where that is less than the type has.
    pub(super) range: Option<(i128, i128)>,
    /// A number other than an integer, in a field with a width: few of the type's values are possible.
    pub(super) narrow: bool,
    /// Something in front of it, behind the conversion before, may not match the input.
    pub(super) behind_text: bool,
    /// How many characters were read before it, where the format alone decides that.
    pub(super) read: Option<u64>,
}

impl Conversion {
    pub(super) fn is_count(&self) -> bool {
        matches!(self.stored, Stored::Count(_))
    }
}

/// The effects of a format of `scanf`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Format {
    pub(super) conversions: Vec<Conversion>,
    /// All directives, for reports.
    pub(super) directives: Vec<Scanned>,
    /// There is text behind the last conversion (in front of the first, where there is none yet) that the input may not
    /// have.
    pub(super) text: bool,
    /// There is text before the first conversion that counts, which the input may not have.
    pub(super) begins_with_text: bool,
    /// How many characters were read so far, where the format alone decides that.
    pub(super) read: Option<u64>,
}

/// The number of the argument that is the format, for the functions of this family.
fn format_of(name: &str) -> Option<usize> {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let name = name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")).unwrap_or(name);
    match name {
        "scanf" => Some(0),
        "fscanf" | "sscanf" => Some(1),
        _ => None,
    }
}

/// Whether a call is one of this family with a format that is understood.
pub(crate) fn is_scan(name: &str, c: &ast::CallExpression) -> bool {
    understood(name, c).is_some()
}

pub(super) fn understood(name: &str, c: &ast::CallExpression) -> Option<(usize, Format)> {
    let at = format_of(name)?;
    let units = crate::library::models::literal_units(c.arguments.get(at)?)?;
    let text: Option<Vec<u8>> = units.into_iter().map(|u| u8::try_from(u).ok()).collect();
    let format = parse(&text?)?;
    let values = c.arguments.len().checked_sub(at + 1)?;
    (format.conversions.len() <= values).then_some((at, format))
}

/// The format; `None` where it has something that is not understood.
fn parse(text: &[u8]) -> Option<Format> {
    let mut format = Format {
        conversions: vec![],
        directives: vec![],
        text: false,
        begins_with_text: false,
        read: Some(0),
    };
    let mut at = 0;
    while at < text.len() {
        if text[at] != b'%' || text.get(at + 1) == Some(&b'%') {
            let directive = text[at] == b'%';
            let blank = !directive && text[at].is_ascii_whitespace();
            format.directives.push(if blank { Scanned::Blank } else { Scanned::Byte(text[at]) });
            // `%%` skips blanks.
            format.passes(!blank, (!blank && !directive).then_some(1));
            at += 1 + usize::from(directive);
            continue;
        }
        at = conversion(text, at + 1, &mut format)?;
    }
    Some(format)
}

/// The conversion behind a `%`, and where it ends.
fn conversion(text: &[u8], mut at: usize, format: &mut Format) -> Option<usize> {
    let dropped = text.get(at) == Some(&b'*');
    at += usize::from(dropped);
    let start = at;
    while text.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    let width: Option<u64> =
        if at > start { Some(std::str::from_utf8(&text[start..at]).ok()?.parse().ok()?) } else { None };
    let start = at;
    while text.get(at).is_some_and(|b| b"hlLqjzt".contains(b)) {
        at += 1;
    }
    let length = &text[start..at];
    let letter = *text.get(at)?;
    at += 1;
    if letter == b'[' {
        at += usize::from(text.get(at) == Some(&b'^'));
        at += usize::from(text.get(at) == Some(&b']'));
        at += text.get(at..)?.iter().position(|b| *b == b']')? + 1;
    }
    let stored = stored(letter, length, width)?;
    let characters = match &stored {
        Stored::Characters(1) => Some(1),
        Stored::Count(_) => Some(0),
        // glibc is content with fewer characters where the input ends.
        Stored::Characters(_) | Stored::Value(_) | Stored::Text(_) => None,
    };
    format.directives.push(if dropped { Scanned::Other } else { directive(letter, &stored) });
    if dropped {
        format.passes(true, characters);
        return Some(at);
    }
    let range = match &stored {
        Stored::Value(Ty::Int(ty)) => width.and_then(|w| field_range(letter, w, *ty)),
        _ => None,
    };
    let takes_anything = matches!(letter, b'c' | b's');
    let narrow = width.is_some() && matches!(stored, Stored::Value(Ty::Float(_) | Ty::Ptr(_)));
    let (behind_text, read) = (format.text, format.read);
    let conversion = Conversion { stored, takes_anything, range, narrow, behind_text, read };
    // Behind a count that was reached everything in front of it has matched.
    format.text = false;
    format.conversions.push(conversion);
    format.read = read.zip(characters).map(|(a, b)| a.saturating_add(b));
    Some(at)
}

impl Format {
    /// A directive that assigns nothing: whether the input may not match it, and how many characters it reads.
    pub(super) fn passes(&mut self, may_fail: bool, characters: Option<u64>) {
        self.text |= may_fail;
        self.begins_with_text |= may_fail && self.conversions.iter().all(Conversion::is_count);
        self.read = self.read.zip(characters).map(|(a, b)| a.saturating_add(b));
    }
}

/// The least and the largest number that a field of `width` characters can have: digits, and perhaps a sign or
/// the prefix of a base in their place. None where the type does not have both, or has no other.
fn field_range(letter: u8, width: u64, ty: IntTy) -> Option<(i128, i128)> {
    let width = u32::try_from(width).ok().filter(|w| *w > 0)?;
    let digits = |base: i128, n: u32| base.checked_pow(n).map(|p| p - 1);
    let largest = |n: u32| match letter {
        b'o' => digits(8, n),
        b'x' | b'X' => digits(16, n),
        b'i' => Some(digits(10, n)?.max(digits(16, n.saturating_sub(2))?)),
        _ => digits(10, n),
    };
    let (most, least) = (largest(width)?, -largest(width - 1)?);
    // A negative number is one from the other end of a type without sign.
    let lowest = if ty.signed { ty.lower().min() } else { most - ty.lower().max() };
    (most <= ty.lower().max() && least >= lowest).then_some((least, most))
}

fn directive(letter: u8, stored: &Stored) -> Scanned {
    match (stored, letter) {
        (Stored::Value(Ty::Int(_)), b'x' | b'X') => Scanned::Number(16),
        (Stored::Value(Ty::Int(_)), b'o') => Scanned::Number(8),
        (Stored::Value(Ty::Int(_) | Ty::Float(_)), _) => Scanned::Number(10),
        (Stored::Characters(n), _) => Scanned::Characters(*n),
        (Stored::Text(_), b's') => Scanned::Word,
        (Stored::Count(_), _) => Scanned::Nothing,
        (Stored::Value(_) | Stored::Text(_), _) => Scanned::Other,
    }
}

fn stored(letter: u8, length: &[u8], width: Option<u64>) -> Option<Stored> {
    let long = IntTy { rank: Rank::Long, bits: 64, signed: true };
    let signed = match length {
        b"" => IntTy::INT,
        b"hh" => IntTy::UCHAR.with_sign(true),
        b"h" => IntTy { rank: Rank::Short, bits: 16, signed: true },
        b"l" | b"j" | b"z" | b"t" => long,
        b"ll" | b"q" | b"L" => IntTy::LLONG,
        _ => return None,
    };
    let plain = length.is_empty();
    Some(match letter {
        b'd' | b'i' => Stored::Value(Ty::Int(signed)),
        b'u' | b'x' | b'X' | b'o' => Stored::Value(Ty::Int(signed.with_sign(false))),
        b'p' if plain => Stored::Value(Ty::void_ptr()),
        b'a' | b'e' | b'f' | b'g' | b'A' | b'E' | b'F' | b'G' => Stored::Value(match length {
            b"" => Ty::Float(32),
            b"l" => Ty::DOUBLE,
            _ => return None,
        }),
        b'c' if plain => Stored::Characters(width.unwrap_or(1)),
        b's' | b'[' if plain => Stored::Text(width),
        b'n' => Stored::Count(Ty::Int(signed)),
        _ => return None,
    })
}

/// Whether the conversion depends on the width of `long`.
pub(super) fn has_long(c: &Conversion) -> bool {
    match &c.stored {
        Stored::Value(Ty::Int(i)) | Stored::Count(Ty::Int(i)) => i.rank == Rank::Long,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_read() {
        let stored = |text: &str| -> Option<Vec<Stored>> {
            Some(parse(text.as_bytes())?.conversions.into_iter().map(|c| c.stored).collect())
        };
        let int = Stored::Value(Ty::INT);
        assert_eq!(stored("%d,%*s%d"), Some(vec![int.clone(), int]));
        assert_eq!(
            stored("%5s%[^]a-z]%3c"),
            Some(vec![Stored::Text(Some(5)), Stored::Text(None), Stored::Characters(3)])
        );
        assert_eq!(stored("%%%n"), Some(vec![Stored::Count(Ty::INT)]));
        assert_eq!(stored("%lf"), Some(vec![Stored::Value(Ty::DOUBLE)]));
        assert_eq!(stored("%ms"), None);
        assert_eq!(stored("%ls"), None);
        assert_eq!(stored("%[a"), None);
    }

    #[test]
    fn directives_are_kept_for_reports() {
        use Scanned::{Blank, Byte, Characters, Nothing, Number, Other, Word};
        let directives = |text: &str| parse(text.as_bytes()).map(|f| f.directives);
        assert_eq!(directives("%d %c%%"), Some(vec![Number(10), Blank, Characters(1), Byte(b'%')]));
        assert_eq!(directives("%x,%s%n"), Some(vec![Number(16), Byte(b','), Word, Nothing]));
        assert_eq!(directives("%[a]%*d"), Some(vec![Other, Other]));
    }

    #[test]
    fn text_in_front_may_not_match() {
        assert!(!parse(b" %c").is_some_and(|f| f.begins_with_text));
        assert!(parse(b"x%c").is_some_and(|f| f.begins_with_text));
        assert!(parse(b"%*d%c").is_some_and(|f| f.begins_with_text));
        assert!(parse(b"%n%*d%c").is_some_and(|f| f.begins_with_text));
    }

    #[test]
    fn counts_say_what_was_read_where_the_format_does() {
        let counts = |text: &str| -> Vec<(bool, Option<u64>)> {
            let format = parse(text.as_bytes()).expect("it is understood");
            format.conversions.iter().filter(|c| c.is_count()).map(|c| (c.behind_text, c.read)).collect()
        };
        assert_eq!(counts("%n"), [(false, Some(0))]);
        assert_eq!(counts("abc%n%c%n"), [(true, Some(3)), (false, Some(4))]);
        assert_eq!(counts("%d%n %n,%n"), [(false, None), (false, None), (true, None)]);
        assert_eq!(counts("%3c%n%%%n"), [(false, None), (true, None)]);
    }

    #[test]
    fn widths_bound_numbers() {
        let range = |text: &str| parse(text.as_bytes()).expect("it is understood").conversions[0].range;
        assert_eq!(range("%1d"), Some((0, 9)));
        assert_eq!(range("%2d"), Some((-9, 99)));
        assert_eq!(range("%2u"), Some((-9, 99)));
        assert_eq!(range("%3hhx"), None);
        assert_eq!(range("%2hhx"), None);
        assert_eq!(range("%13lli"), Some((-1_099_511_627_775, 17_592_186_044_415)));
        assert_eq!(range("%d"), None);
        assert_eq!(range("%10d"), None);
    }
}
