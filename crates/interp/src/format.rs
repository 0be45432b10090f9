//! The conversions of `printf`: a format is split into directives, and one value is rendered by each. Nothing here
//! knows where values come from, so that the whole table can be compared with a C library's.

/// A piece of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Piece<'f> {
    /// Bytes to be copied.
    Text(&'f [u8]),
    /// A conversion.
    Directive(Directive),
    /// A `%` with something behind it that C does not define.
    Bad(&'f [u8]),
}

/// Width or precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Count {
    #[default]
    None,
    Given(usize),
    /// `*`: the next argument.
    Argument,
}

/// The length modifier in front of the conversion's letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Length {
    #[default]
    Int,
    Char,
    Short,
    Long,
    LongLong,
    /// `j`, `z`, `t`.
    Max,
    Size,
    /// `L`.
    LongDouble,
}

/// A conversion with its flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Directive {
    pub(super) left: bool,
    pub(super) plus: bool,
    pub(super) space: bool,
    pub(super) alternate: bool,
    pub(super) zero: bool,
    pub(super) width: Count,
    pub(super) precision: Count,
    pub(super) length: Length,
    pub(super) conversion: u8,
}

/// The widest field; wider ones are cut, since memory is finite.
const WIDEST: usize = 1 << 20;

/// The pieces of a format, in order.
pub(super) fn pieces(format: &[u8]) -> Vec<Piece<'_>> {
    let mut out = vec![];
    let mut rest = format;
    while !rest.is_empty() {
        let plain = rest.iter().position(|b| *b == b'%').unwrap_or(rest.len());
        if plain > 0 {
            out.push(Piece::Text(&rest[..plain]));
            rest = &rest[plain..];
            continue;
        }
        let (directive, used) = directive(rest);
        let known = b"diouxXcspfFeEgGaAn%m".contains(&directive.conversion);
        out.push(if known { Piece::Directive(directive) } else { Piece::Bad(&rest[..used]) });
        rest = &rest[used..];
    }
    out
}

/// The directive at the start of the text, and its length; conversion 0 when the text ends before it.
fn directive(text: &[u8]) -> (Directive, usize) {
    let mut d = Directive::default();
    let mut at = 1;
    let peek = |at: usize| text.get(at).copied().unwrap_or(0);
    loop {
        match peek(at) {
            b'-' => d.left = true,
            b'+' => d.plus = true,
            b' ' => d.space = true,
            b'#' => d.alternate = true,
            b'0' => d.zero = true,
            b'\'' | b'I' => {}
            _ => break,
        }
        at += 1;
    }
    (d.width, at) = count(text, at);
    if peek(at) == b'.' {
        (d.precision, at) = count(text, at + 1);
        if d.precision == Count::None {
            d.precision = Count::Given(0);
        }
    }
    let (length, used) = match (peek(at), peek(at + 1)) {
        (b'h', b'h') => (Length::Char, 2),
        (b'h', _) => (Length::Short, 1),
        (b'l', b'l') => (Length::LongLong, 2),
        (b'l', _) => (Length::Long, 1),
        (b'q', _) => (Length::LongLong, 1),
        (b'j', _) => (Length::Max, 1),
        (b'z' | b't' | b'Z', _) => (Length::Size, 1),
        (b'L', _) => (Length::LongDouble, 1),
        _ => (Length::Int, 0),
    };
    (d.length, d.conversion) = (length, peek(at + used));
    (d, (at + used + 1).min(text.len()))
}

fn count(text: &[u8], mut at: usize) -> (Count, usize) {
    if text.get(at) == Some(&b'*') {
        return (Count::Argument, at + 1);
    }
    let mut value = None;
    while let Some(digit) = text.get(at).filter(|b| b.is_ascii_digit()) {
        value = Some((value.unwrap_or(0) * 10 + usize::from(digit - b'0')).min(WIDEST));
        at += 1;
    }
    (value.map_or(Count::None, Count::Given), at)
}

impl Directive {
    /// The width or precision that a `*` stands for.
    pub(super) fn set_width(&mut self, value: i128) {
        self.left |= value < 0;
        self.width = Count::Given(value.unsigned_abs().min(WIDEST as u128) as usize);
    }

    /// As [`set_width`](Self::set_width); a negative precision is none.
    pub(super) fn set_precision(&mut self, value: i128) {
        let given = usize::try_from(value).map(|n| Count::Given(n.min(WIDEST)));
        self.precision = given.unwrap_or(Count::None);
    }

    fn precision(&self) -> Option<usize> {
        if let Count::Given(n) = self.precision { Some(n) } else { None }
    }

    /// The text in its field.
    fn field(&self, text: Vec<u8>) -> Vec<u8> {
        let missing = match self.width {
            Count::Given(width) => width.saturating_sub(text.len()),
            _ => 0,
        };
        let blanks = vec![b' '; missing];
        if self.left { [text, blanks].concat() } else { [blanks, text].concat() }
    }

    /// Sign or prefix and digits, in the field: zeros go between them.
    fn number(&self, prefix: &str, digits: &str, zeros: bool) -> Vec<u8> {
        let width =
            if let (true, false, Count::Given(width)) = (zeros, self.left, self.width) { width } else { 0 };
        let missing = width.saturating_sub(prefix.len() + digits.len());
        self.field([prefix.as_bytes(), &vec![b'0'; missing], digits.as_bytes()].concat())
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    /// `d i u o x X`; the value is one of the type that the length names, signed for `d` and `i`.
    pub(super) fn integer(&self, value: i128) -> Vec<u8> {
        let magnitude = value.unsigned_abs();
        let mut digits = match self.conversion {
            b'o' => format!("{magnitude:o}"),
            b'x' => format!("{magnitude:x}"),
            b'X' => format!("{magnitude:X}"),
            _ => magnitude.to_string(),
        };
        if value == 0 && self.precision() == Some(0) {
            digits.clear();
        }
        if let Some(least) = self.precision() {
            digits.insert_str(0, &"0".repeat(least.saturating_sub(digits.len())));
        }
        let prefix = match self.conversion {
            b'd' | b'i' => self.sign(value < 0),
            b'x' if self.alternate && value != 0 => "0x",
            b'X' if self.alternate && value != 0 => "0X",
            b'o' if self.alternate && !digits.starts_with('0') => "0",
            _ => "",
        };
        self.number(prefix, &digits, self.zero && self.precision().is_none())
    }

    /// `c`.
    pub(super) fn character(&self, byte: u8) -> Vec<u8> {
        self.field(vec![byte])
    }

    /// `s`, and the text of a pointer: at most as many bytes as the precision.
    pub(super) fn text(&self, bytes: &[u8]) -> Vec<u8> {
        self.field(bytes[..self.precision().unwrap_or(bytes.len()).min(bytes.len())].to_vec())
    }

    /// How many bytes of a string are read at most.
    pub(super) fn longest(&self) -> Option<usize> {
        self.precision()
    }

    /// `f e g a` and their capitals.
    pub(super) fn float(&self, value: f64) -> Vec<u8> {
        let magnitude = value.abs();
        let upper = self.conversion.is_ascii_uppercase();
        let finite = value.is_finite();
        let (prefix, digits) = match self.conversion.to_ascii_lowercase() {
            _ if value.is_nan() => ("", "nan".to_owned()),
            _ if !finite => ("", "inf".to_owned()),
            b'e' => ("", self.exponential(magnitude, self.precision().unwrap_or(6))),
            b'g' => ("", self.shortest(magnitude)),
            b'a' => ("0x", self.hexadecimal(magnitude)),
            _ => ("", self.fixed(magnitude, self.precision().unwrap_or(6))),
        };
        let mut prefix = format!("{}{prefix}", self.sign(value.is_sign_negative()));
        let mut digits = digits;
        if upper {
            prefix.make_ascii_uppercase();
            digits.make_ascii_uppercase();
        }
        self.number(&prefix, &digits, self.zero && finite)
    }

    fn fixed(&self, value: f64, precision: usize) -> String {
        let point = if precision == 0 && self.alternate { "." } else { "" };
        format!("{value:.precision$}{point}")
    }

    fn exponential(&self, value: f64, precision: usize) -> String {
        let (digits, exponent) = scientific(value, precision);
        let point = if precision == 0 && self.alternate { "." } else { "" };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}{point}e{sign}{:02}", exponent.abs())
    }

    /// `g`: with an exponent when that is shorter, without zeros at the end unless `#` is given.
    fn shortest(&self, value: f64) -> String {
        let precision = self.precision().unwrap_or(6).max(1);
        let (_, exponent) = scientific(value, precision - 1);
        let small = exponent < -4 || exponent >= precision as i32;
        let text = if small {
            self.exponential(value, precision - 1)
        } else {
            self.fixed(value, (precision as i32 - 1 - exponent) as usize)
        };
        if self.alternate || !text.contains('.') {
            return text;
        }
        let (digits, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
        format!("{}{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
    }

    /// `a` without sign and `0x`: one binary digit before the point, hexadecimal ones behind it.
    fn hexadecimal(&self, value: f64) -> String {
        let bits = value.to_bits();
        let (fraction, biased) = (bits & ((1 << 52) - 1), (bits >> 52) as i32);
        let (mut lead, exponent) = match biased {
            0 if fraction == 0 => (0, 0),
            0 => (0, -1022),
            _ => (1, biased - 1023),
        };
        let mut fraction = fraction;
        let mut digits = match self.precision() {
            Some(n) if n < 13 => {
                let dropped = 52 - 4 * n as u32;
                let half = 1u64 << (dropped - 1);
                let (kept, lost) = (fraction >> dropped, fraction & ((1 << dropped) - 1));
                let odd = if n == 0 { lead & 1 == 1 } else { kept & 1 == 1 };
                fraction = kept + u64::from(lost > half || lost == half && odd);
                lead += fraction >> (4 * n);
                fraction &= (1u64 << (4 * n)) - 1;
                if n == 0 { String::new() } else { format!("{fraction:0n$x}") }
            }
            Some(n) => format!("{fraction:013x}{}", "0".repeat(n - 13)),
            None => format!("{fraction:013x}").trim_end_matches('0').to_owned(),
        };
        if !digits.is_empty() || self.alternate {
            digits.insert(0, '.');
        }
        format!("{lead}{digits}p{exponent:+}")
    }
}

/// The digits with that many behind the point, and the decimal exponent.
fn scientific(value: f64, precision: usize) -> (String, i32) {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').expect("the exponent is always written");
    (digits.to_owned(), exponent.parse().expect("the exponent is a number"))
}
