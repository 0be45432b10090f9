//! A cache of results by the key of their task: a folder that many batches, also on several machines, may use at the
//! same time.
//!
//! Invariant: the name of an entry is the key of its task ([`Keys`](super::keys::Keys)); a damaged entry is
//! not used.

use super::results::Record;
use crate::content::sha256;
use crate::options::Kept;
use results::batch;
use std::io;
use std::path::{Path, PathBuf};

/// See the module's documentation.
pub(super) struct Cache {
    folder: PathBuf,
}

/// A result, with the files that its check has written.
pub(super) struct Entry {
    /// The result.
    pub record: Record,
    /// The texts of files.
    pub files: Vec<(Kept, String)>,
}

impl Cache {
    /// The cache in a folder, which is made where it is not there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(super) fn new(folder: &Path) -> io::Result<Cache> {
        std::fs::create_dir_all(folder)?;
        Ok(Cache { folder: folder.to_owned() })
    }

    /// Where the result with this key belongs.
    pub(super) fn place(&self, key: &str) -> PathBuf {
        self.folder.join(&key[..2]).join(format!("{key}.json"))
    }

    /// The entry at a place, if there is one.
    ///
    /// # Errors
    /// What is wrong with what is there.
    pub(super) fn find(place: &Path) -> Result<Option<Entry>, String> {
        let complain = |why: &str| format!("{} is not taken: {why}", place.display());
        // Links lead to what others have written.
        match std::fs::symlink_metadata(place) {
            Ok(entry) if !entry.is_file() => return Err(complain("it is no regular file")),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            _ => {}
        }
        let text = cli::inputs::text(place).map_err(|e| complain(&e.to_string()))?;
        let (sum, text) = text.split_once('\n').unwrap_or_default();
        if sum != sha256(text.as_bytes()) {
            return Err(complain("it was changed, or is not whole"));
        }
        Entry::read(text).map(Some).ok_or_else(|| complain("it has another form"))
    }

    /// Puts an entry there, unless its result says nothing about the task.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn add(place: &Path, entry: &Entry) -> io::Result<()> {
        if !entry.record.is_answer() || std::fs::symlink_metadata(place).is_ok_and(|found| !found.is_file()) {
            return Ok(());
        }
        if let Some(folder) = place.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let text = results::line(&entry.written());
        cli::write_atomically(place, format!("{}\n{text}", sha256(text.as_bytes())).as_bytes())
    }
}

impl Entry {
    fn written(&self) -> batch::Entry {
        let files = self.files.iter().map(|(kept, text)| (kept.file().to_owned(), text.clone()));
        batch::Entry { record: self.record.row.clone(), files: files.collect() }
    }

    fn read(text: &str) -> Option<Entry> {
        let batch::Entry { record, mut files } = results::read(text).ok()?;
        let text = |kept: Kept| Some((kept, files.remove(kept.file())?));
        Some(Entry {
            record: Record::read_row(record)?,
            files: Kept::ALL.into_iter().filter_map(text).collect(),
        })
    }
}
