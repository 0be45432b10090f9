//! `scanf`, `fscanf`, `sscanf` with a format that is a literal: which objects get values, and how many bytes
//! they must have. Values and the number of conversions are arbitrary; those of `sscanf` are determined by its
//! string, so an error that depends on them is not confirmed.

use crate::cx::Cx;
use crate::expr::{Ev, Val};
use crate::options::Res;
use crate::scope::FnId;
use crate::ty::{IntTy, Rank, Ty};
use crate::words::Scanned;
use base::Span;
use ir::{BinOp, Callee, Expr, HavocKind, LibraryAccess, LocId, Op, Origin, Type};
use lang_c::ast;
use std::sync::Arc;

/// Longest field of characters that is assigned one by one.
const LONGEST: u64 = 16;

/// The value that a conversion stores.
#[derive(Clone, PartialEq, Debug)]
enum Stored {
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
struct Conversion {
    stored: Stored,
    /// It fails only where the input ends.
    takes_anything: bool,
    /// The least and the largest number of an integer field of its width, where that is less than the type has.
    range: Option<(i128, i128)>,
    /// A number other than an integer, in a field with a width: few of the type's values are possible.
    narrow: bool,
    /// Something in front of it, behind the conversion before, may not match the input.
    behind_text: bool,
    /// How many characters were read before it, where the format alone decides that.
    read: Option<u64>,
}

impl Conversion {
    fn is_count(&self) -> bool {
        matches!(self.stored, Stored::Count(_))
    }
}

/// The effects of a format of `scanf`.
#[derive(Clone, PartialEq, Debug)]
struct Format {
    conversions: Vec<Conversion>,
    /// All directives, for reports.
    directives: Vec<Scanned>,
    /// There is text behind the last conversion (in front of the first, where there is none yet) that the input may not have.
    text: bool,
    /// There is text before the first conversion that counts, which the input may not have.
    begins_with_text: bool,
    /// How many characters were read so far, where the format alone decides that.
    read: Option<u64>,
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

fn understood(name: &str, c: &ast::CallExpression) -> Option<(usize, Format)> {
    let at = format_of(name)?;
    let units = crate::models::literal_units(c.arguments.get(at)?)?;
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
    fn passes(&mut self, may_fail: bool, characters: Option<u64>) {
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

impl Cx<'_> {
    /// The call of a function of this family; nothing is done when it is not understood.
    pub(crate) fn scan(
        &mut self,
        name: &str,
        f: Option<FnId>,
        c: &ast::CallExpression,
        span: Span,
    ) -> Res<Option<Ev>> {
        if f.is_some_and(|f| self.functions[f].def.is_some()) {
            return Ok(None);
        }
        let Some((at, format)) = understood(name, c) else { return Ok(None) };
        if self.model == ir::DataModel::Ilp32 && format.conversions.iter().any(has_long) {
            return Ok(None);
        }
        let args = self.promoted_arguments(c)?;
        let of_string = name.ends_with("sscanf");
        let standard = crate::output::is_standard(&c.arguments[0]);
        self.check_format(name, c, span)?;
        if at == 1 && !of_string {
            let known: Vec<Option<Expr>> = args.iter().cloned().map(Some).collect();
            self.use_streams("fscanf", f, &c.arguments, &known, span);
        }
        if !of_string && (at == 0 || standard) && self.dry == 0 {
            self.words.scans.insert(span, format.directives.clone());
        }
        if at == 1 && self.checks_memory() && args[0].ty().is_ptr() && !standard {
            let access = if of_string { LibraryAccess::Text } else { LibraryAccess::Present };
            self.access(access, vec![args[0].clone()], span);
        }
        let text: Arc<str> = Arc::from(name);
        let kind = if of_string {
            HavocKind::Unmodelled(format!("result of {name}").into())
        } else {
            HavocKind::Extern(text)
        };
        let count = self.conversions_made(&format, &kind, span);
        let done = self.fun.new_loc();
        let mut made = 0;
        // Whether control is here for certain where no more conversions than these were made.
        let mut certain = true;
        for (n, conversion) in format.conversions.iter().enumerate() {
            let fails = Expr::binary(BinOp::Le, count.clone(), Expr::int(made));
            certain &= !conversion.behind_text;
            if !conversion.is_count() {
                self.fork(fails, done, span);
                (made, certain) = (made + 1, true);
            } else if !certain {
                self.perhaps_ends(fails, done, &kind, span);
            }
            let target = args[at + 1 + n].clone();
            self.convert_input(conversion, target, &kind, span)?;
        }
        self.fun.enter(done, span);
        self.may_set_errno(span);
        Ok(Some(Ev::Val(Val { e: count, ty: Ty::INT })))
    }

    /// Any number of conversions that input can make, or -1 where it ends before the first.
    fn conversions_made(&mut self, format: &Format, kind: &HavocKind, span: Span) -> Expr {
        let all = format.conversions.iter().filter(|c| !matches!(c.stored, Stored::Count(_))).count();
        let count = self.havoc_temp(Type::INT, kind.clone(), span);
        let bound = |op, n: i128| Expr::binary(op, count.clone(), Expr::int(n));
        self.internal(Op::Assume(bound(BinOp::Ge, -1)), span);
        self.internal(Op::Assume(bound(BinOp::Le, all as i128)), span);
        let first = format.conversions.iter().find(|c| !c.is_count());
        if first.is_some_and(|c| c.takes_anything) && !format.begins_with_text && all > 0 {
            self.internal(Op::Assume(bound(BinOp::Ne, 0)), span);
        }
        count
    }

    /// Under the condition, control may go to `end`.
    fn perhaps_ends(&mut self, condition: Expr, end: LocId, kind: &HavocKind, span: Span) {
        let (perhaps, on) = (self.fun.new_loc(), self.fun.new_loc());
        self.fork(condition, perhaps, span);
        self.fun.goto(on, span);
        self.fun.cur = perhaps;
        self.perhaps(end, kind, span);
        self.fun.enter(on, span);
    }

    /// Control may go to `end`, as the input decides.
    fn perhaps(&mut self, end: LocId, kind: &HavocKind, span: Span) {
        let any = self.havoc_temp(Type::INT, kind.clone(), span);
        self.fork(Expr::binary(BinOp::Eq, any, Expr::int(0)), end, span);
    }

    /// One conversion is made.
    fn convert_input(&mut self, made: &Conversion, to: Expr, kind: &HavocKind, span: Span) -> Res<()> {
        // The check of the format has failed before.
        if !to.ty().is_ptr() && self.opts.wants(ir::CheckKind::Format) {
            return Ok(());
        }
        if !to.ty().is_ptr() {
            return self.type_error(span, "a conversion needs a pointer");
        }
        match &made.stored {
            Stored::Value(ty) if made.narrow => {
                let kind = HavocKind::Unmodelled("a number in a field with a width".into());
                self.store_value(ty, to, &kind, span);
            }
            Stored::Value(ty) => {
                let value = self.store_value(ty, to, kind, span);
                if let (Some((least, most)), Ty::Int(i)) = (made.range, ty) {
                    let bound = |op, v| Expr::binary(op, value.clone(), Expr::Const(v, ty.lower()));
                    let possible = match i.signed {
                        true => Expr::and(bound(BinOp::Ge, least), bound(BinOp::Le, most)),
                        false if least == 0 => bound(BinOp::Le, most),
                        false => {
                            let negative = bound(BinOp::Ge, i.lower().max() + 1 + least);
                            Expr::or(bound(BinOp::Le, most), negative)
                        }
                    };
                    self.internal(Op::Assume(possible), span);
                }
            }
            Stored::Count(ty) => {
                if let Some(read) = made.read {
                    let to = uncast(to, &ty.lower());
                    let place = self.deref(to, ty.clone().into());
                    self.statement(Op::Assign(place.lv, Expr::Const(read.into(), ty.lower())), span);
                    return Ok(());
                }
                // It belongs to the values that were read, and to how they were spelt.
                let kind = HavocKind::Unmodelled("number of characters that were read".into());
                let count = self.store_value(ty, to, &kind, span);
                let least = Expr::binary(BinOp::Ge, count, Expr::Const(0, ty.lower()));
                self.internal(Op::Assume(least), span);
            }
            Stored::Characters(n) => self.store_characters(*n, to, kind, span),
            Stored::Text(width) => self.store_text(*width, to, span),
        }
        Ok(())
    }

    /// Any value goes to what the pointer points to; what stands there then.
    fn store_value(&mut self, ty: &Ty, to: Expr, kind: &HavocKind, span: Span) -> Expr {
        let pointer = uncast(to, &ty.lower());
        let place = self.deref(pointer, ty.clone().into());
        self.statement(Op::Havoc(place.lv.clone(), kind.clone()), span);
        place.lv.load()
    }

    fn store_characters(&mut self, n: u64, to: Expr, kind: &HavocKind, span: Span) {
        if n > LONGEST {
            if self.checks_memory() {
                let bytes = Expr::Const(n.into(), Type::Int(self.size_ty().lower()));
                self.access(LibraryAccess::Writes, vec![to.clone(), bytes], span);
            }
            let (name, origin) = match kind {
                HavocKind::Unmodelled(_) => ("library__", Origin::Library),
                _ => ("environment__", Origin::Program),
            };
            let proc = self.outside(name, origin, span);
            return self.call_internally(proc, vec![to], span);
        }
        let character = Ty::Int(IntTy::CHAR);
        let start = uncast(to, &character.lower());
        let end = self.fun.new_loc();
        for i in 0..n {
            if i > 0 {
                // The input may end.
                self.perhaps(end, kind, span);
            }
            let at = match i {
                0 => start.clone(),
                _ => Expr::binary(BinOp::PtrAdd, start.clone(), Expr::int(i.into())),
            };
            let place = self.deref(at, character.clone().into());
            self.statement(Op::Havoc(place.lv, kind.clone()), span);
        }
        self.fun.enter(end, span);
    }

    fn store_text(&mut self, width: Option<u64>, to: Expr, span: Span) {
        if self.checks_memory() {
            let size = Type::Int(self.size_ty().lower());
            let room = match width {
                Some(n) => Expr::Const(n.saturating_add(1).into(), size),
                None => {
                    let kind = HavocKind::Outside("length of a string that is read".into());
                    self.havoc_temp(size, kind, span)
                }
            };
            self.access(LibraryAccess::Writes, vec![to.clone(), room], span);
        }
        let width = width.map_or(0, |n| i64::try_from(n).unwrap_or(i64::MAX));
        let model = self.models.get("slam_input_string").copied();
        let model = model.expect("the file that defines it is read when scanf is named");
        let long = IntTy::long(self.model).lower();
        let args =
            vec![to.cast(Ty::Int(IntTy::CHAR).lower().ptr_to()), Expr::Const(width.into(), Type::Int(long))];
        let callee = Callee::Direct(self.proc_of(model));
        self.statement(Op::Call { dest: None, callee, args }, span);
    }
}

/// Whether the conversion depends on the width of `long`.
fn has_long(c: &Conversion) -> bool {
    match &c.stored {
        Stored::Value(Ty::Int(i)) | Stored::Count(Ty::Int(i)) => i.rank == Rank::Long,
        _ => false,
    }
}

/// The pointer as one to this type; casts that hide one are taken off.
fn uncast(mut e: Expr, to: &Type) -> Expr {
    while let Expr::Cast(inner, _) = &e {
        if !inner.ty().is_ptr() {
            break;
        }
        e = (**inner).clone();
    }
    let same = |a: &Type| match (a, to) {
        (Type::Int(a), Type::Int(b)) => a == b,
        (a, b) => a == b,
    };
    if e.ty().pointee().is_some_and(same) { e } else { e.cast(to.clone().ptr_to()) }
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
