//! Results under what decides about them: a folder that many batches, also on several machines, may use at the same time.
//!
//! Invariant: the name of an entry stands for the program `slam`, the options, the name of the task, its files with all
//! that they include, and all other files that are read; an entry that is not what was written is not taken.

use super::results::Record;
use super::tasks::Task;
use crate::content::{Content, sha256};
use crate::options::{Batch, Kept};
use cli::children::Children;
use cli::{FrontEnd, front};
use serde_json::{Map, Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// See the module's documentation.
pub(super) struct Cache {
    folder: PathBuf,
    front_end: FrontEnd,
    predicates: Option<PathBuf>,
    children: Children,
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
    pub(super) fn new(folder: &Path, options: &Batch, children: &Children) -> io::Result<Cache> {
        std::fs::create_dir_all(folder)?;
        Ok(Cache {
            folder: folder.to_owned(),
            front_end: options.check.front_end.clone(),
            predicates: options.check.refinement.predicates.clone(),
            children: children.clone(),
        })
    }

    /// Where the result of a task belongs; nothing when its input is refused, or cannot be read.
    pub(super) fn place(&self, task: &Task) -> Option<PathBuf> {
        let request = front::request(&task.files, &self.front_end).ok()?;
        let options = cfront::Options { children: self.children.clone(), ..request.options };
        let mut hash = Content::default();
        // The key has the options, the program, and the files that are read, apart from what they include.
        hash.add(task.key.as_bytes());
        hash.add(task.name.as_bytes());
        for file in request.files.iter().chain(&options.models) {
            hash.add(file.to_str()?.as_bytes());
            hash.add(cfront::preprocessed(file, &options).ok()?.as_bytes());
        }
        if let Some(file) = &self.predicates {
            hash.add(&cli::inputs::bytes(file).ok()?);
        }
        let name = hash.text();
        Some(self.folder.join(&name[..2]).join(format!("{name}.json")))
    }

    /// The entry at a place, if there is one.
    ///
    /// # Errors
    /// What is wrong with what is there.
    pub(super) fn find(place: &Path) -> Result<Option<Entry>, String> {
        let complain = |why: &str| format!("{} is not taken: {why}", place.display());
        let text = match std::fs::read_to_string(place) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(complain(&e.to_string())),
        };
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
        if !entry.record.is_answer() {
            return Ok(());
        }
        if let Some(folder) = place.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let text = entry.json().to_string();
        cli::write_atomically(place, format!("{}\n{text}", sha256(text.as_bytes())).as_bytes())
    }
}

impl Entry {
    fn json(&self) -> Value {
        let files: Map<String, Value> =
            self.files.iter().map(|(kept, text)| (kept.file().to_owned(), text.as_str().into())).collect();
        json!({ "record": self.record.json(), "files": files })
    }

    fn read(text: &str) -> Option<Entry> {
        let json: Value = serde_json::from_str(text).ok()?;
        let record = Record::read(&json["record"].to_string())?;
        let text = |kept: Kept| Some((kept, json["files"][kept.file()].as_str()?.to_owned()));
        Some(Entry { record, files: Kept::ALL.into_iter().filter_map(text).collect() })
    }
}
