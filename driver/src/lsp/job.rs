//! Checks, each by a process of its own, which ends when it is not wanted any more.

use crate::options::Check;
use cli::children::Scratch;
use cli::process;
use results::Outcome;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often it is looked whether a check has ended, or is not wanted any more.
const POLL: Duration = Duration::from_millis(20);

/// What is checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// The file, from its entry.
    File,
    /// A function of it.
    Function(String),
}

/// How checks are made.
pub(super) struct Options {
    /// For a file.
    pub file: Vec<OsString>,
    /// For a function.
    pub function: Vec<OsString>,
}

impl Options {
    /// The options that a user gave, with what is usual in an editor.
    pub(super) fn new(given: &Check, file: Vec<OsString>, function: Vec<OsString>) -> Options {
        let mut usual: Vec<OsString> = vec![];
        if given.limits.time_limit.is_none() {
            usual.push("--time-limit=20s".into());
        }
        if !given.selection.check_all {
            usual.push("--keep-going".into());
        }
        let with = |options: Vec<OsString>| usual.iter().cloned().chain(options).collect();
        Options { file: with(file), function: with(function) }
    }
}

/// How many checks may run at the same time; the others wait.
pub(super) struct Slots {
    free: Mutex<usize>,
    changed: Condvar,
}

impl Slots {
    pub(super) fn new() -> Slots {
        let free = std::thread::available_parallelism().map_or(1, Into::into);
        Slots { free: Mutex::new(free), changed: Condvar::new() }
    }

    fn free(&self) -> MutexGuard<'_, usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a slot; false if the check is not wanted any more.
    fn take(&self, stop: &AtomicBool) -> bool {
        let mut free = self.free();
        loop {
            if stop.load(Ordering::SeqCst) {
                return false;
            }
            if *free > 0 {
                *free -= 1;
                return true;
            }
            let waited = self.changed.wait_timeout(free, POLL);
            free = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn give(&self) {
        *self.free() += 1;
        self.changed.notify_one();
    }
}

/// Checks a file; its result, or nothing if it was stopped. `tell` gets what the check says on its way.
///
/// # Errors
/// Why there is no result.
pub(super) fn check(
    (file, what, options): (&Path, &What, &Options),
    slots: &Slots,
    stop: &Arc<AtomicBool>,
    tell: impl Fn(&str) + Send + Sync,
) -> Result<Option<Outcome>, String> {
    if !slots.take(stop) {
        return Ok(None);
    }
    let result = run((file, what, options), stop, tell);
    slots.give();
    result
}

fn run(
    (file, what, options): (&Path, &What, &Options),
    stop: &AtomicBool,
    tell: impl Fn(&str) + Send + Sync,
) -> Result<Option<Outcome>, String> {
    if std::fs::metadata(file).is_ok_and(|found| !found.is_file()) {
        return Err(format!("{} is no regular file", file.display()));
    }
    let program = std::env::current_exe().map_err(|e| format!("cannot find the program's own file: {e}"))?;
    let scratch = Scratch::new("slam-lsp").map_err(|e| format!("no temporary directory: {e}"))?;
    let json = scratch.path().join("result.json");
    let mut command = Command::new(program);
    command.arg("check");
    match what {
        What::File => command.args(&options.file),
        What::Function(name) => command.args(&options.function).arg(format!("--entry={name}")),
    };
    command.arg("--verbose").arg("--json").arg(&json).arg("--").arg(file);
    command.env(process::PARENT, std::process::id().to_string());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| format!("the check cannot be started: {e}"))?;
    let log = child.stderr.take();
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| {
            for line in log.map(BufReader::new).into_iter().flat_map(BufRead::lines).map_while(Result::ok) {
                if !line.starts_with(' ') && !line.is_empty() {
                    tell(&line);
                }
            }
        });
        loop {
            match child.try_wait() {
                Ok(Some(_)) => return true,
                Ok(None) if !stop.load(Ordering::SeqCst) => std::thread::sleep(POLL),
                _ => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return false;
                }
            }
        }
    });
    if !ended {
        return Ok(None);
    }
    let text =
        std::fs::read_to_string(&json).map_err(|_| "the check has ended without a result".to_owned())?;
    Outcome::read(&text).map(Some).map_err(|e| format!("the result of the check cannot be read: {e}"))
}
