//! `--save DIR`: one folder an iteration, and the tables of all iterations.

use super::figures::{csv, csv_head, iteration};
use super::record::Words;
use std::io;
use std::path::PathBuf;
use verify::cegar::Record;

/// Where and what has been saved.
pub(crate) struct Saver {
    dir: PathBuf,
    csv: String,
    jsonl: String,
    /// How many iterations were saved.
    iterations: usize,
}

impl Saver {
    /// Makes the directory.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn new(dir: PathBuf) -> io::Result<Saver> {
        std::fs::create_dir_all(&dir)?;
        Ok(Saver { dir, csv: csv_head(), jsonl: String::new(), iterations: 0 })
    }

    /// Whether no iteration was saved.
    pub(crate) fn is_empty(&self) -> bool {
        self.iterations == 0
    }

    /// Writes the tables of a run without iterations.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn tables(&self) -> io::Result<()> {
        cli::write_atomically(&self.dir.join("cegar.csv"), self.csv.as_bytes())?;
        cli::write_atomically(&self.dir.join("cegar.jsonl"), self.jsonl.as_bytes())
    }

    /// Writes one file of an iteration.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn file(&self, iteration: usize, name: &str, text: &str) -> io::Result<()> {
        let dir = self.dir.join(format!("iter-{iteration}"));
        std::fs::create_dir_all(&dir)?;
        cli::write_atomically(&dir.join(name), text.as_bytes())
    }

    /// Adds an iteration to the tables.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn record(&mut self, words: Words<'_>, record: &Record) -> io::Result<()> {
        self.csv.push_str(&csv(words, record));
        self.jsonl.push_str(&format!("{}\n", results::line(&iteration(words, record))));
        self.iterations += 1;
        self.tables()
    }
}
