//! The key of a task, made of everything that its result depends on.
//!
//! Invariant: two tasks with one key have the same program `slam`, options (also those that a database of compile commands or a
//! property file gives), files with all that they include, and other files that are read.

use super::tasks::Task;
use crate::content::Content;
use crate::earlier::recorded::Recorded;
use crate::options::Batch;
use cli::children::Children;
use cli::{FrontEnd, front};
use std::path::{Path, PathBuf};

/// Makes the keys of a batch.
pub(super) struct Keys {
    /// Stands for the program and the words of the command line.
    identity: Vec<u8>,
    front_end: FrontEnd,
    /// What the search reads besides the program.
    others: Vec<PathBuf>,
}

impl Keys {
    /// Those of a batch whose program and command line `identity` stands for.
    pub(super) fn new(options: &Batch, identity: Vec<u8>) -> Keys {
        let refinement = &options.check.refinement;
        // Not those of `--query-cache`: they change no verdict, and each check adds to them.
        let others = [&refinement.predicates, &refinement.invariants];
        Keys {
            identity,
            front_end: options.check.front_end.clone(),
            others: others.into_iter().flatten().cloned().collect(),
        }
    }

    /// The key of a task as its files are now.
    pub(super) fn of(&self, task: &Task) -> String {
        let mut hash = Content::default();
        hash.add(&self.identity);
        hash.add(task.name.as_bytes());
        let whole = task.files.iter().all(|file| file.is_file());
        if let Some(request) = whole.then(|| front::request(&task.files, &self.front_end).ok()).flatten() {
            let models = request.options.models.clone();
            // The preprocessor is not stopped with the batch: what has ended until then is kept.
            let options = cfront::Options { children: Children::default(), ..request.options.clone() };
            let recorded = Recorded { front: request.options, rules: request.rules, ..Recorded::default() };
            hash.add(results::line(&recorded.written()).as_bytes());
            for file in request.files.iter().chain(&models) {
                hash.add(file.as_os_str().as_encoded_bytes());
                // Results have the sums of the files themselves, too.
                add(&mut hash, file);
                hash.add(cfront::preprocessed(file, &options).unwrap_or_default().as_bytes());
            }
        }
        let given = self.front_end.property.iter().chain(&self.front_end.environment);
        for file in task.files.iter().chain(given).chain(&self.others) {
            add(&mut hash, file);
        }
        hash.text()
    }
}

/// Adds the bytes of a file, if it is one.
fn add(hash: &mut Content, file: &Path) {
    hash.add(&cli::inputs::regular(file).unwrap_or_default());
}
