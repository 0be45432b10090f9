//! Reading files that have an end: devices and pipes may have none.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Files above this size are refused.
const MOST: u64 = 256 << 20;

/// The contents of a file; `-` is standard input.
///
/// # Errors
/// When it cannot be read, or is too large.
pub fn bytes(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = vec![];
    if path == Path::new("-") {
        std::io::stdin().take(MOST + 1).read_to_end(&mut bytes)?;
    } else {
        let file = File::open(path)?;
        // Room for all of it at once, unless it is refused anyway.
        bytes.reserve(file.metadata().map_or(0, |meta| meta.len().min(MOST + 1)) as usize);
        file.take(MOST + 1).read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 > MOST {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it is larger than {} MB", MOST >> 20)));
    }
    Ok(bytes)
}

/// The contents of a regular file: what else has a name may have no end, or wait for somebody.
///
/// # Errors
/// When it is none, cannot be read, or is too large.
pub fn regular(path: &Path) -> Result<Vec<u8>> {
    match std::fs::metadata(path)?.is_file() {
        true => bytes(path),
        false => Err(Error::new(ErrorKind::InvalidInput, "it is no regular file")),
    }
}

/// The same, of a text in UTF-8; a byte order mark in front is not part of it.
///
/// # Errors
/// When it cannot be read, is too large or no text.
pub fn text(path: &Path) -> Result<String> {
    let bytes = bytes(path)?;
    let text =
        String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "the text is not UTF-8"))?;
    Ok(without_mark(text))
}

/// The text without the byte order mark that some editors put in front.
pub fn without_mark(mut text: String) -> String {
    const MARK: char = '\u{feff}';
    if text.starts_with(MARK) {
        text.drain(..MARK.len_utf8());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_no_mark() {
        assert_eq!(without_mark("\u{feff}a\u{feff}".into()), "a\u{feff}");
        assert_eq!(without_mark(String::new()), "");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn endless_files_are_refused() {
        assert_eq!(bytes(Path::new("/dev/zero")).expect_err("it has no end").kind(), ErrorKind::FileTooLarge);
        assert!(bytes(Path::new("/dev/null")).is_ok());
    }
}
