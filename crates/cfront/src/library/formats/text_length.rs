//! Formats of `printf`: the memory that they read and the length of the text.

/// The argument of a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Argument {
    /// Nothing: plain text, `%%`.
    None,
    /// A value.
    Number,
    /// A string.
    Text,
    /// Something that is not modelled.
    Other,
}

/// A piece of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Directive {
    pub(crate) argument: Argument,
    /// The numbers that stand in the format.
    pub(crate) precision: Option<u64>,
    width: Option<u64>,
    /// Width or precision are arguments.
    starred: (bool, bool),
    /// Characters at least and at most, before the width counts.
    least: u64,
    most: Option<u64>,
}

impl Directive {
    fn text(characters: u64) -> Directive {
        Directive {
            argument: Argument::None,
            precision: None,
            width: None,
            starred: (false, false),
            least: characters,
            most: Some(characters),
        }
    }

    /// The numbers of the arguments that are its value and its precision; `next` is the first that is not taken yet.
    pub(crate) fn arguments(&self, next: &mut usize) -> (Option<usize>, Option<usize>) {
        let mut take = |wanted: bool| {
            *next += usize::from(wanted);
            wanted.then(|| *next - 1)
        };
        let _width = take(self.starred.0);
        let precision = take(self.starred.1);
        (take(self.argument != Argument::None), precision)
    }
}

/// The pieces of a format of `printf`.
pub(crate) fn printed(units: Vec<u32>) -> Vec<Directive> {
    let text: Vec<u8> = units.into_iter().map(|u| u8::try_from(u).unwrap_or(b'?')).collect();
    let mut out = vec![];
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'%' {
            let (directive, end) = directive(&text, at + 1);
            out.push(directive);
            at = end;
        } else {
            out.push(Directive::text(1));
            at += 1;
        }
    }
    out
}

/// A number, or `*`, or nothing.
fn count(text: &[u8], at: &mut usize) -> (Option<u64>, bool) {
    if text.get(*at) == Some(&b'*') {
        *at += 1;
        return (None, true);
    }
    let mut value = None;
    while let Some(digit) = text.get(*at).filter(|b| b.is_ascii_digit()) {
        value = Some(value.unwrap_or(0u64).saturating_mul(10).saturating_add(u64::from(digit - b'0')));
        *at += 1;
    }
    (value, false)
}

/// The directive behind a `%`, and where it ends.
fn directive(text: &[u8], mut at: usize) -> (Directive, usize) {
    let (mut alternate, mut grouped) = (false, false);
    while let Some(flag) = text.get(at).filter(|b| b"-+ #0'I".contains(b)) {
        alternate |= *flag == b'#';
        grouped |= *flag == b'\'';
        at += 1;
    }
    let mut d = Directive::text(0);
    (d.width, d.starred.0) = count(text, &mut at);
    if text.get(at) == Some(&b'.') {
        at += 1;
        (d.precision, d.starred.1) = count(text, &mut at);
        if !d.starred.1 {
            d.precision = Some(d.precision.unwrap_or(0));
        }
    }
    let start = at;
    while text.get(at).is_some_and(|b| b"hlqjztZL".contains(b)) {
        at += 1;
    }
    let length = &text[start..at];
    let conversion = text.get(at).copied().unwrap_or(0);
    (d.argument, d.least, d.most) = match conversion {
        b'%' => (Argument::None, 1, Some(1)),
        b'c' if length.is_empty() => (Argument::Number, 1, Some(1)),
        b's' if length.is_empty() => (Argument::Text, 0, if d.starred.1 { None } else { d.precision }),
        b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
            // One sign, or what `#` puts in front; octal digits are the most.
            let digits = match (length, conversion) {
                (b"hh", _) => 3,
                (b"h", b'o') => 6,
                (b"h", _) => 5,
                (b"", b'o') => 11,
                (b"", b'x' | b'X') => 8,
                (b"", _) => 10,
                (_, b'o') => 22,
                (_, b'x' | b'X') => 16,
                _ => 20,
            };
            let (least, most) = match (d.precision, d.starred.1) {
                (Some(p), _) if grouped => (p, None),
                (_, true) => (0, None),
                (None, _) if grouped => (1, None),
                (Some(p), _) => (p, Some(digits.max(p))),
                (None, _) => (1, Some(digits)),
            };
            let signed = u64::from(matches!(conversion, b'd' | b'i'));
            (Argument::Number, least, most.map(|n| n + signed + if alternate { 2 } else { 0 }))
        }
        b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => (Argument::Number, 1, None),
        b'p' => (Argument::Number, 1, Some(20)),
        b'm' => (Argument::None, 0, None),
        _ => (Argument::Other, 0, None),
    };
    (d, (at + 1).min(text.len()))
}

/// How many characters the pieces make, at least and at most; `literal`: the length of an argument that is a literal.
pub(crate) fn lengths(
    directives: &[Directive],
    first: usize,
    literal: &dyn Fn(usize) -> Option<u64>,
) -> (u64, Option<u64>) {
    let (mut least, mut most) = (0u64, Some(0u64));
    let mut next = first;
    for d in directives {
        let (value, _) = d.arguments(&mut next);
        let (mut few, mut many) = (d.least, d.most);
        if d.argument == Argument::Text
            && !d.starred.1
            && let Some(length) = value.and_then(literal)
        {
            let shown = d.precision.map_or(length, |p| length.min(p));
            (few, many) = (shown, Some(shown));
        }
        let width = d.width.unwrap_or(0);
        few = few.max(width);
        many = if d.starred.0 { None } else { many.map(|n| n.max(width)) };
        least = least.saturating_add(few);
        most = most.zip(many).map(|(a, b)| a.saturating_add(b));
    }
    (least, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(format: &str) -> (u64, Option<u64>) {
        let directives = printed(format.chars().map(u32::from).collect());
        lengths(&directives, 0, &|n| (n == 7).then_some(3))
    }

    #[test]
    fn lengths_of_texts() {
        assert_eq!(of("abc%%"), (4, Some(4)));
        assert_eq!(of("%d"), (1, Some(11)));
        assert_eq!(of("%5u|%02x"), (8, Some(19)));
        assert_eq!(of("%s"), (0, None));
        assert_eq!(of("%.4s"), (0, Some(4)));
        assert_eq!(of("%-8.4s"), (8, Some(8)));
        assert_eq!(of("%*d"), (1, None));
        assert_eq!(of("%.0d"), (0, Some(11)));
        assert_eq!(of("%ld%c"), (2, Some(22)));
        assert_eq!(of("%f"), (1, None));
    }

    #[test]
    fn arguments_are_counted() {
        let directives = printed("a%*.*s%d".chars().map(u32::from).collect());
        let mut next = 1;
        let taken: Vec<_> = directives.iter().map(|d| d.arguments(&mut next)).collect();
        assert_eq!(taken, [(None, None), (Some(3), Some(2)), (Some(4), None)]);
    }
}
