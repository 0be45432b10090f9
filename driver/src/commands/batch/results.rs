//! Results of tasks, and the file that keeps them: a line of JSON each.
//!
//! Invariant: a line is written by one call, whole, and only after the task has ended. What a kill leaves of a line at
//! the end of the file is cut off before anything is added.

use super::child::Ended;
use super::shard::Place;
use super::tasks::Task;
use crate::sarif::Outcome;
use cli::Verdict;
use cli::verdict::{EXIT_INTERNAL, EXIT_SAFE, EXIT_UNKNOWN, EXIT_UNSAFE, EXIT_USAGE, EXIT_WRITE};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The result of a task.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// The task's name.
    pub task: String,
    /// Stands for what decides about the result.
    pub key: String,
    /// Where it belongs in a batch of several shards.
    pub place: Option<Place>,
    /// The verdict line without its first word: `UNSAFE(reach) at lock.c:12`.
    pub verdict: String,
    /// The exit code that belongs to it.
    pub code: i32,
    /// What the task definition expects.
    pub expected: Option<bool>,
    /// Processor time, in seconds, where it is known.
    pub cpu: Option<f64>,
    /// Elapsed time, in seconds.
    pub wall: f64,
    /// The most memory, in megabytes, where it is known.
    pub memory: Option<f64>,
    iterations: Option<u64>,
    predicates: Option<u64>,
    /// What was said about input that was refused, in a line.
    message: Option<String>,
    /// The result for other programs, where it is wanted: nothing where the check has written none; not kept.
    pub result: Option<Option<Value>>,
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
        Record {
            task: task.name.clone(),
            key: task.key.clone(),
            place: task.place.clone(),
            message: (verdict.starts_with("ERROR")).then(|| stderr.lines().next().unwrap_or("").to_owned()),
            verdict,
            code,
            expected: task.expected,
            cpu: report.stat("cpu-ms").map(|ms| ms / 1000.0),
            wall: wall.as_millis() as f64 / 1000.0,
            memory: report.stat("memory-kb").map(|kb| (kb / 1024.0).round()),
            iterations: count("iterations"),
            predicates: count("predicates"),
            result: None,
            log: stderr,
            kept: false,
        }
    }

    /// `SAFE`, `UNSAFE`, `UNKNOWN` or `ERROR`.
    pub(super) fn word(&self) -> &str {
        self.verdict.split(['(', ' ']).next().unwrap_or_default()
    }

    /// What became of the task, for SARIF.
    pub(super) fn outcome(&self) -> Outcome<'_> {
        match &self.result {
            Some(Some(result)) => Outcome::Result(result),
            _ => Outcome::Nothing(
                &self.task,
                self.message.as_deref().filter(|m| !m.is_empty()).unwrap_or(&self.verdict),
            ),
        }
    }

    /// Whether there was nothing to decide.
    pub(super) fn nothing_to_check(&self) -> bool {
        self.verdict == cfront::FailureKind::NoChecks.verdict()
    }

    /// Whether the answer is the expected one; `None` if nothing is expected or nothing was decided.
    pub(super) fn right(&self) -> Option<bool> {
        let holds = match self.word() {
            "SAFE" => true,
            "UNSAFE" => false,
            _ => return None,
        };
        self.expected.map(|expected| expected == holds)
    }

    /// The result as that of a batch of one shard.
    pub(super) fn alone(self) -> Record {
        Record { place: None, kept: false, ..self }
    }

    /// Whether it says something about the task that another check of it would say as well.
    pub(super) fn is_answer(&self) -> bool {
        ![EXIT_USAGE, EXIT_INTERNAL, EXIT_WRITE].contains(&self.code) && self.word() != "ERROR"
    }

    /// A line of the file of results.
    pub(super) fn json(&self) -> Value {
        let mut json = json!({
            "task": self.task, "key": self.key, "verdict": self.word(), "verdict_line": format!("VERDICT: {}", self.verdict),
            "exit_code": self.code, "expected": self.expected, "right": self.right(),
            "cpu_s": self.cpu, "wall_s": self.wall, "memory_mb": self.memory,
            "iterations": self.iterations, "predicates": self.predicates, "message": self.message,
        });
        if let Some(place) = &self.place {
            json["shard"] = place.json();
        }
        json
    }

    /// The result that a line of the file holds.
    pub(super) fn read(line: &str) -> Option<Record> {
        let json: Value = serde_json::from_str(line).ok()?;
        let text = |name: &str| json[name].as_str().map(str::to_owned);
        let verdict = text("verdict_line")?.strip_prefix("VERDICT: ")?.to_owned();
        let code = i32::try_from(json["exit_code"].as_i64()?).ok()?;
        if !belongs(&verdict, code) {
            return None;
        }
        Some(Record {
            task: text("task")?,
            key: text("key")?,
            place: Place::read(&json["shard"]),
            verdict,
            code,
            expected: json["expected"].as_bool(),
            cpu: json["cpu_s"].as_f64(),
            wall: json["wall_s"].as_f64()?,
            memory: json["memory_mb"].as_f64(),
            iterations: json["iterations"].as_u64(),
            predicates: json["predicates"].as_u64(),
            message: text("message"),
            result: None,
            log: String::new(),
            kept: true,
        })
    }
}

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

/// The result that a check has written, without what repeats it; nothing where there is none.
pub(super) fn whole(file: &Path) -> Option<Value> {
    parsed(&std::fs::read_to_string(file).ok()?)
}

/// The same of its text.
pub(super) fn parsed(text: &str) -> Option<Value> {
    let mut result: Value = serde_json::from_str(text).ok()?;
    let fields = result.as_object_mut()?;
    for field in ["certificate", "replay", "options"] {
        fields.remove(field);
    }
    Some(result)
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
            keeper.known.insert((record.task.clone(), record.key.clone()), record);
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
        known.filter(|record| task.place.is_none() || record.place == task.place).cloned()
    }

    /// Appends a result.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn add(&mut self, record: &Record) -> Result<(), String> {
        let line = format!("{}\n", record.json());
        let failed = |e| format!("cannot write {}: {e}", self.path.display());
        self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush()).map_err(failed)
    }
}
