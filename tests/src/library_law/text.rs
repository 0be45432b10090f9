//! Values as constants of C.

/// An integer of type `long long`.
pub(super) fn integer(v: i64) -> String {
    match v {
        i64::MIN => "(-9223372036854775807LL - 1)".to_owned(),
        v => format!("{v}LL"),
    }
}

/// Bytes as the content of a string literal.
pub(super) fn literal(bytes: &[u8]) -> String {
    let one = |b: &u8| match *b {
        b'"' | b'\\' | b'?' => format!("\\{}", *b as char),
        b' '..=b'~' => char::from(*b).to_string(),
        b => format!("\\{b:03o}"),
    };
    format!("\"{}\"", bytes.iter().map(one).collect::<String>())
}

/// Bytes as an initialiser of an array of `char`.
pub(super) fn bytes(bytes: &[u8]) -> String {
    let one = |b: &u8| (*b as i8).to_string();
    format!("{{{}}}", bytes.iter().map(one).collect::<Vec<_>>().join(", "))
}
