//! Hashes of the content of files: SHA-256, as hexadecimal digits.

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
        digits(&self.0.finalize())
    }
}

/// The SHA-256 of a file's bytes, as other tools compute it.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    digits(&Sha256::digest(bytes))
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
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
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
