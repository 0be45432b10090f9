//! Words for people: the text of a message never decides anything, and a test can verify that, by scrambling
//! every word of the process and comparing verdicts.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

static SCRAMBLED: AtomicBool = AtomicBool::new(false);

/// From now on every wording in this process is scrambled. For tests.
pub fn scramble_wordings() {
    SCRAMBLED.store(true, Ordering::Relaxed);
}

/// The text as people read it.
pub fn wording(text: &str) -> Cow<'_, str> {
    if !SCRAMBLED.load(Ordering::Relaxed) {
        return Cow::Borrowed(text);
    }
    let turned = |c: char| match c {
        'a'..='y' | 'A'..='Y' => char::from_u32(u32::from(c) + 1).unwrap_or(c),
        'z' => 'a',
        'Z' => 'A',
        ' ' => '_',
        other => other,
    };
    Cow::Owned(text.chars().map(turned).collect())
}

#[cfg(test)]
mod tests {
    #[test]
    fn wordings_are_as_written() {
        assert_eq!(super::wording("Every word, as it is"), "Every word, as it is");
    }
}
