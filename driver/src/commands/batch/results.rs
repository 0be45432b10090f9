//! Results of tasks, and the file that keeps them: a line of JSON each.
//!
//! Invariant: a line is written by one call, whole, and only after the task has ended. What a kill leaves of a line at
//! the end of the file is cut off before anything is added.

use super::child::Ended;
use super::shard;
use super::tasks::Task;
use crate::sarif::Outcome;
use cli::Verdict;
use cli::verdict::{EXIT_INTERNAL, EXIT_SAFE, EXIT_UNKNOWN, EXIT_UNSAFE, EXIT_USAGE, EXIT_WRITE};
use results::batch::Row;
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The result of a task.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// Its line in the file of results.
    pub row: Row,
    /// The result for other programs, where it is wanted: nothing where the check has written none; not kept.
    pub result: Option<Option<results::Outcome>>,
    /// The whole of standard error; not kept.
    pub log: String,
    /// It was there before.
    pub kept: bool,
}

impl Record {
    /// The result of a process that ended so.
    pub(super) fn new(task: &Task, ended: Ended) -> Record {
        let Ended { report, stdout: _, stderr, code, wall } = ended;
        let report = report.unwrap_or_default();
        let (verdict, code) = match (&report.verdict, &code) {
            (said, Ok(code)) if !said.is_empty() && *code == report.code => (said.clone(), *code),
            (_, Ok(1)) => ("ERROR(usage)".into(), 1),
            (_, Ok(EXIT_INTERNAL)) => ("ERROR(internal)".into(), EXIT_INTERNAL),
            // It has decided, and could not say so.
            (said, Ok(EXIT_SAFE | EXIT_UNKNOWN | EXIT_UNSAFE)) if said.is_empty() => {
                (Verdict::NotWritten.text(), EXIT_WRITE)
            }
            (_, Ok(code)) => (format!("ERROR(ended with {code})"), Verdict::Internal.exit_code()),
            (_, Err(why)) => (format!("ERROR({why})"), Verdict::Internal.exit_code()),
        };
        let count = |name| report.stat(name).map(|n| n as u64);
        let message = verdict.starts_with("ERROR").then(|| stderr.lines().next().unwrap_or("").to_owned());
        let row = Row {
            task: task.name.clone(),
            key: task.key.clone(),
            place: task.place.clone(),
            verdict: String::new(),
            verdict_line: format!("{MARK}{verdict}"),
            exit_code: code,
            expected: task.expected,
            right: None,
            cpu_s: report.stat("cpu-ms").map(|ms| ms / 1000.0),
            wall_s: wall.as_millis() as f64 / 1000.0,
            memory_mb: report.stat("memory-kb").map(|kb| (kb / 1024.0).round()),
            iterations: count("iterations"),
            predicates: count("predicates"),
            message,
        };
        Record { log: stderr, kept: false, ..Record::of(row) }
    }

    /// A result that was there before.
    fn of(row: Row) -> Record {
        let mut record = Record { row, result: None, log: String::new(), kept: true };
        record.row.verdict = record.word().to_owned();
        record.row.right = record.right();
        record
    }

    /// The verdict line without its first word: `UNSAFE(reach) at lock.c:12`.
    pub(super) fn verdict(&self) -> &str {
        self.row.verdict_line.trim_start_matches(MARK)
    }

    /// `SAFE`, `UNSAFE`, `UNKNOWN` or `ERROR`.
    pub(super) fn word(&self) -> &str {
        self.verdict().split(['(', ' ']).next().unwrap_or_default()
    }

    /// What became of the task, for SARIF.
    pub(super) fn outcome(&self) -> Outcome<'_> {
        match &self.result {
            Some(Some(result)) => Outcome::Result(result),
            _ => {
                let message = self.row.message.as_deref().filter(|m| !m.is_empty());
                Outcome::Nothing(&self.row.task, message.unwrap_or(self.verdict()))
            }
        }
    }

    /// Whether there was nothing to decide.
    pub(super) fn nothing_to_check(&self) -> bool {
        self.verdict() == cfront::FailureKind::NoChecks.verdict()
    }

    /// Whether the answer is the expected one; `None` if nothing is expected or nothing was decided.
    pub(super) fn right(&self) -> Option<bool> {
        let holds = match self.word() {
            "SAFE" => true,
            "UNSAFE" => false,
            _ => return None,
        };
        self.row.expected.map(|expected| expected == holds)
    }

    /// The result as that of a batch of one shard.
    pub(super) fn alone(self) -> Record {
        Record { row: Row { place: None, ..self.row }, kept: false, ..self }
    }

    /// Whether it says something about the task that another check of it would say as well.
    pub(super) fn is_answer(&self) -> bool {
        ![EXIT_USAGE, EXIT_INTERNAL, EXIT_WRITE].contains(&self.row.exit_code) && self.word() != "ERROR"
    }

    /// The result that a line of the file holds.
    pub(super) fn read(line: &str) -> Option<Record> {
        Record::read_row(results::read(line).ok()?)
    }

    /// The result of a line; nothing where its members do not fit together.
    pub(super) fn read_row(mut row: Row) -> Option<Record> {
        row.place = row.place.filter(shard::fits);
        let verdict = row.verdict_line.strip_prefix(MARK)?;
        belongs(verdict, row.exit_code).then(|| Record::of(row))
    }
}

/// What a verdict line begins with.
const MARK: &str = "VERDICT: ";

/// Whether this is a verdict, and that its exit code.
fn belongs(verdict: &str, code: i32) -> bool {
    let word = verdict.split(['(', ' ']).next().unwrap_or_default();
    let decided = [EXIT_SAFE, EXIT_UNSAFE, EXIT_UNKNOWN].contains(&code);
    !verdict.contains(char::is_control)
        && match word {
            "SAFE" => code == EXIT_SAFE,
            "UNSAFE" => code == EXIT_UNSAFE,
            "UNKNOWN" => code == EXIT_UNKNOWN,
            "ERROR" => !decided,
            _ => false,
        }
}

/// The result that a check has written; nothing where there is none.
pub(super) fn whole(file: &Path) -> Option<results::Outcome> {
    results::Outcome::read(&std::fs::read_to_string(file).ok()?).ok()
}

/// The file of results.
pub(super) struct Keeper {
    path: PathBuf,
    file: File,
    /// By task and key.
    known: BTreeMap<(String, String), Record>,
}

impl Keeper {
    /// Opens the file, reads its results (unless it begins afresh) and cuts off an incomplete last line. The file is
    /// locked as long as the batch runs.
    ///
    /// # Errors
    /// When it cannot be opened, another batch uses it, or it holds something else.
    pub(super) fn open(path: &Path, fresh: bool) -> Result<Keeper, String> {
        let complain = |what: &str| format!("--out {}: {what}", path.display());
        let failed = |e: std::io::Error| complain(&e.to_string());
        let file = File::options().read(true).append(true).create(true).open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(complain("another batch writes to this file")),
            Err(TryLockError::Error(e)) => return Err(failed(e)),
        }
        let mut keeper = Keeper { path: path.to_owned(), file, known: BTreeMap::new() };
        let mut bytes = vec![];
        keeper.file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |last| last + 1);
        for (n, line) in String::from_utf8_lossy(&bytes[..whole]).lines().enumerate() {
            let Some(record) = Record::read(line) else {
                return Err(complain(&format!("line {} is no result of a batch", n + 1)));
            };
            keeper.known.insert((record.row.task.clone(), record.row.key.clone()), record);
        }
        if whole == 0 && !bytes.is_empty() && !bytes.starts_with(b"{") {
            return Err(complain("line 1 is no result of a batch"));
        }
        if fresh {
            keeper.known.clear();
        }
        let length = if fresh { 0 } else { whole };
        keeper.file.set_len(length as u64).map_err(failed)?;
        keeper.file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok(keeper)
    }

    /// The result of a task with these options and files.
    pub(super) fn find(&self, task: &Task) -> Option<Record> {
        let known = self.known.get(&(task.name.clone(), task.key.clone()));
        // Of another batch of shards, its line is not part of this one.
        known.filter(|record| task.place.is_none() || record.row.place == task.place).cloned()
    }

    /// Appends a result.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn add(&mut self, record: &Record) -> Result<(), String> {
        let line = format!("{}\n", results::line(&record.row));
        let failed = |e| format!("cannot write {}: {e}", self.path.display());
        self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush()).map_err(failed)
    }
}
