//! What `--keep` keeps of each task, in a folder of its own below that of `--into`.
//!
//! Invariant: files are written whole, those of a child by the child itself, and only such as the task's last check made.

use super::tasks::Task;
use crate::options::{Batch, Kept};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

/// See the module's documentation.
pub(super) struct Keep {
    into: PathBuf,
    what: Vec<Kept>,
}

impl Keep {
    /// What the options ask for, if they ask for anything; makes the folder.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(super) fn new(options: &Batch) -> io::Result<Option<Keep>> {
        let Some(into) = options.into.clone() else { return Ok(None) };
        std::fs::create_dir_all(&into)?;
        Ok(Some(Keep { into, what: options.keep.clone() }))
    }

    fn folder(&self, task: &Task) -> PathBuf {
        self.into.join(&task.folder)
    }

    /// Whether an earlier batch has kept this of the task. Harnesses are there for errors only.
    pub(super) fn has(&self, task: &Task) -> bool {
        let folder = self.folder(task);
        let always = self.what.iter().filter(|kept| **kept != Kept::Harness);
        folder.is_dir() && always.map(|kept| folder.join(kept.file())).all(|file| file.exists())
    }

    /// Empties the task's folder, and gives the options for its check.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub(super) fn begin(&self, task: &Task) -> io::Result<Vec<OsString>> {
        let folder = self.folder(task);
        std::fs::create_dir_all(&folder)?;
        let mut options = vec![];
        for kept in Kept::ALL {
            let file = folder.join(kept.file());
            match std::fs::remove_file(&file) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                _ => {}
            }
            if let Some(option) = kept.option().filter(|_| self.what.contains(&kept)) {
                let mut word = OsString::from(format!("{option}="));
                word.push(file);
                options.push(word);
            }
        }
        Ok(options)
    }

    /// The file of a task's result, if that is kept.
    pub(super) fn result(&self, task: &Task) -> Option<PathBuf> {
        self.what.contains(&Kept::Json).then(|| self.folder(task).join(Kept::Json.file()))
    }

    /// What is there of the task.
    pub(super) fn texts(&self, task: &Task) -> Vec<(Kept, String)> {
        let text =
            |kept: &Kept| Some((*kept, std::fs::read_to_string(self.folder(task).join(kept.file())).ok()?));
        self.what.iter().filter_map(text).collect()
    }

    /// Puts the texts where a check would have put them; whether they are all that is kept.
    ///
    /// # Errors
    /// When one cannot be written.
    pub(super) fn restore(&self, task: &Task, texts: &[(Kept, String)]) -> io::Result<bool> {
        let has = |kept: &Kept| *kept == Kept::Harness || texts.iter().any(|(known, _)| known == kept);
        if !self.what.iter().all(has) {
            return Ok(false);
        }
        self.begin(task)?;
        for (kept, text) in texts.iter().filter(|(kept, _)| self.what.contains(kept)) {
            cli::write_atomically(&self.folder(task).join(kept.file()), text.as_bytes())?;
        }
        Ok(true)
    }

    /// Whether what the check prints is kept.
    pub(super) fn trace(&self) -> bool {
        self.what.contains(&Kept::Trace)
    }

    /// Keeps what the check has printed.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn printed(&self, task: &Task, text: &str) -> io::Result<()> {
        cli::write_atomically(&self.folder(task).join(Kept::Trace.file()), text.as_bytes())
    }
}
