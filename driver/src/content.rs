//! What stands for the content of files: SHA-256, as hexadecimal digits.

use sha2::{Digest, Sha256};

/// What stands for several texts in their order.
#[derive(Clone, Default)]
pub(crate) struct Content(Sha256);

impl Content {
    /// Adds a text; two texts are not the same as one made of both.
    pub(crate) fn add(&mut self, text: &[u8]) {
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text);
    }

    /// What stands for the texts: 64 digits.
    pub(crate) fn text(self) -> String {
        self.0.finalize().iter().map(|b| format!("{b:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_apart() {
        let of = |texts: &[&str]| {
            let mut content = Content::default();
            texts.iter().for_each(|text| content.add(text.as_bytes()));
            content.text()
        };
        assert_eq!(of(&["a", "b"]), of(&["a", "b"]));
        assert_ne!(of(&["a", "b"]), of(&["ab"]));
        assert_ne!(of(&["a", ""]), of(&["", "a"]));
    }
}
