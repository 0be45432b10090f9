//! The text of `// @` comments: the place in the C file and, behind it, the counterpart in C--. For a statement
//! that is its edge, `file.c:12 e37`; for a procedure its name, where it has another one in C--: `file.c:3
//! main`.

/// The text for a place, which may not be known, and what C-- has there.
pub fn text(place: Option<String>, what: Option<&str>) -> Option<String> {
    match (place, what) {
        (Some(place), Some(what)) => Some(format!("{place} {what}")),
        (place, what) => place.or_else(|| what.map(str::to_owned)),
    }
}

/// The counterpart in C--, if the text names one.
pub fn what(origin: &str) -> Option<&str> {
    let last = origin.split_whitespace().next_back()?;
    let is_word = last.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$');
    is_word.then_some(last)
}

/// The edge that C-- has there, as `e37`, if the text says one.
pub fn edge(origin: &str) -> Option<&str> {
    what(origin).filter(|w| w.strip_prefix('e').is_some_and(|n| n.parse::<usize>().is_ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// File names may have blanks, and a place may not be known: what is written is found again.
    #[test]
    fn what_is_written_is_read() {
        for place in [None, Some("a.c:12"), Some("my file.c:3")] {
            for what in [None, Some("e37"), Some("main")] {
                let text = text(place.map(str::to_owned), what);
                assert_eq!(text.as_deref().and_then(super::what), what, "{text:?}");
                let edge = text.as_deref().and_then(edge);
                assert_eq!(edge, what.filter(|w| *w == "e37"), "{text:?}");
            }
        }
    }
}
