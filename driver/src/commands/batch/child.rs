//! The processes that check: each gets one task, the options and a share of the machine.
//!
//! Invariant: no child outlives the batch. When the batch stops it kills them; when the batch itself is killed, the
//! system does. How a child ended is known from its exit code and from a file of its own, never from its output, in
//! which the checked program has a say.

use super::cache::{Cache, Entry};
use super::keep::Keep;
use super::keys::Keys;
use super::results::{self, Record};
use super::tasks::Task;
use crate::content::sha256;
use crate::observers::record::count;
use crate::options::{Batch, Kept};
use cli::channel::{self, Report};
use cli::children::Scratch;
use cli::process;
use cli::watchdog::{self, StopReason};
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// How often it is looked whether a child has ended.
const POLL: Duration = Duration::from_millis(5);

/// How long a child may go on after its time limit, which it should look at itself.
const GRACE: Duration = Duration::from_secs(10);

/// The least memory, in bytes, with which checks are started side by side.
const ENOUGH: u64 = 512 << 20;

/// Starts children.
pub(super) struct Spawner {
    program: PathBuf,
    options: Vec<OsString>,
    /// Children at a time.
    pub jobs: usize,
    /// How large each may grow, in bytes, where nobody says it for each.
    memory: Option<u64>,
    memory_given: bool,
    time: Option<Duration>,
    threads_given: bool,
    /// Set when the batch ends early.
    pub stop: Option<Arc<AtomicBool>>,
    /// Whether records hold the whole results.
    pub whole: bool,
    /// What is kept of each task.
    pub keep: Option<Keep>,
    /// Where results are taken from and put.
    pub cache: Option<Cache>,
    /// Makes keys, where results are kept.
    pub keys: Option<Keys>,
    /// Where children tell how they ended.
    results: Scratch,
    started: AtomicU64,
}

/// How a child ended.
pub(super) struct Ended {
    /// What it has reported about its end.
    pub report: Option<Report>,
    /// The whole of standard output, if it is kept.
    pub stdout: String,
    /// The whole of standard error.
    pub stderr: String,
    /// Its exit code, or what ended it.
    pub code: Result<i32, String>,
    /// How long it took.
    pub wall: Duration,
}

impl Ended {
    /// A child that never began.
    fn never(why: String) -> Ended {
        let (stdout, stderr) = (String::new(), String::new());
        Ended { report: None, stdout, stderr, code: Err(why), wall: Duration::ZERO }
    }
}

impl Spawner {
    /// A spawner of children with these options.
    ///
    /// # Errors
    /// When the program does not know its own file.
    pub(super) fn new(batch: &Batch, options: Vec<OsString>) -> Result<Spawner, String> {
        let program =
            std::env::current_exe().map_err(|e| format!("cannot find the program's own file: {e}"))?;
        let jobs = match batch.jobs {
            0 => std::thread::available_parallelism().map_or(1, Into::into),
            jobs => jobs,
        };
        let limits = &batch.check.limits;
        let results = Scratch::new("slam-batch").map_err(|e| format!("no temporary directory: {e}"))?;
        Ok(Spawner {
            results,
            started: AtomicU64::new(0),
            program,
            options,
            jobs,
            memory: None,
            memory_given: limits.memory_limit.is_some(),
            time: limits.time_limit,
            threads_given: limits.threads != 0,
            stop: None,
            whole: false,
            keep: None,
            cache: None,
            keys: None,
        })
    }

    /// Shares the machine among this many tasks: no more children at a time than there are tasks, or than have enough
    /// memory. What the user should know of that.
    pub(super) fn share(&mut self, tasks: usize) -> Option<String> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let wanted = self.jobs.min(tasks).max(1);
        self.jobs = wanted;
        if let Some(all) = watchdog::default_memory_limit().filter(|_| !self.memory_given) {
            let most = usize::try_from(all / ENOUGH).unwrap_or(usize::MAX).max(1);
            self.jobs = wanted.min(most);
            self.memory = Some(all / self.jobs as u64);
        }
        let jobs = self.jobs;
        let together = if jobs == 1 { "1 task".to_owned() } else { format!("{jobs} tasks") };
        let few = (jobs < wanted)
            .then(|| format!("{together} at a time instead of {wanted}, for memory (see --memory-limit)"));
        let slow = (jobs > processors).then(|| {
            let machine = count(processors, "processor");
            format!(
                "{together} at a time share {machine} of this machine: more of them reach their time limits"
            )
        });
        match (few, slow) {
            (Some(few), Some(slow)) => Some(format!("{few}; {slow}")),
            (one, other) => one.or(other),
        }
    }

    /// What results depend on besides the files: the options and the program.
    pub(super) fn identity(&self) -> Vec<u8> {
        let mut text = format!("{} {}\n", env!("CARGO_PKG_VERSION"), smt::version()).into_bytes();
        // Two programs with one version need not give the same answers.
        text.extend(sha256(&std::fs::read(&self.program).unwrap_or_default()).bytes());
        text.push(b'\n');
        for option in &self.options {
            text.extend(option.as_encoded_bytes());
            text.push(b'\n');
        }
        text
    }

    /// Whether the batch ends early.
    pub(super) fn stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::SeqCst))
    }

    /// Checks a task; `None` if the batch ends before the answer.
    pub(super) fn check(&self, task: &Task) -> Option<Record> {
        let mut command = Command::new(&self.program);
        command.arg("check").args(&self.options);
        if let Some(keep) = &self.keep {
            match keep.begin(task) {
                Ok(options) => _ = command.args(options),
                Err(e) => return Some(Record::new(task, Ended::never(format!("--into: {e}")))),
            }
        }
        let printed = self.keep.as_ref().filter(|keep| keep.trace());
        if printed.is_none() {
            command.arg("--quiet");
        }
        if !self.threads_given {
            command.arg("--threads=1");
        }
        if let Some(bytes) = self.memory {
            command.arg(format!("--memory-limit={bytes}B"));
        }
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let result = self.results.path().join(number.to_string());
        command.env(channel::RESULT, &result);
        let json = self.keep.as_ref().and_then(|keep| keep.result(task));
        let own_json =
            ((self.whole || self.cache.is_some()) && json.is_none()).then(|| result.with_extension("json"));
        if let Some(file) = &own_json {
            command.arg("--json").arg(file);
        }
        command
            .args(&task.options)
            .arg("--")
            .args(&task.files)
            .env(process::PARENT, std::process::id().to_string());
        let stdout = if printed.is_some() { Stdio::piped() } else { Stdio::null() };
        command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped());
        let started = Instant::now();
        let ended = match command.spawn() {
            Ok(child) => self.attend(child, started, &result)?,
            Err(e) => Ended::never(format!("cannot be started: {e}")),
        };
        let _ = std::fs::remove_file(&result);
        if let Some(Err(e)) = printed.map(|keep| keep.printed(task, &ended.stdout)) {
            return Some(Record::new(task, Ended::never(format!("--into: {e}"))));
        }
        let mut record = Record::new(task, ended);
        if let Some(file) = own_json.as_deref().or(json.as_deref()).filter(|_| self.whole) {
            record.result = Some(results::whole(file));
        }
        // What was edited meanwhile is not what was checked.
        let same = self.keys.as_ref().is_none_or(|keys| keys.of(task) == task.key);
        if !same {
            record.row.key.clear();
        }
        // With fewer children at a time, each would have had more.
        let too_little = || StopReason::Memory.verdict().text();
        let is_final = self.memory_given || record.verdict() != too_little();
        if let Some(cache) = self.cache.as_ref().filter(|_| same && is_final) {
            let place = cache.place(&task.key);
            let mut files = self.keep.as_ref().map(|keep| keep.texts(task)).unwrap_or_default();
            if let Some(text) = own_json.as_ref().and_then(|file| std::fs::read_to_string(file).ok()) {
                files.push((Kept::Json, text));
            }
            // What cannot be put there is checked again next time.
            let _ = Cache::add(&place, &Entry { record: record.clone(), files });
        }
        if let Some(file) = own_json {
            let _ = std::fs::remove_file(file);
        }
        Some(record)
    }

    /// The result of a task that was checked before, and what is to be said about one that is not taken.
    pub(super) fn cached(&self, task: &Task) -> (Option<Record>, Option<String>) {
        let Some(cache) = &self.cache else { return (None, None) };
        let entry = match Cache::find(&cache.place(&task.key)) {
            Ok(Some(entry)) => entry,
            Ok(None) => return (None, None),
            Err(notice) => return (None, Some(notice)),
        };
        let mut record = entry.record;
        record.row.place.clone_from(&task.place);
        record.row.key.clone_from(&task.key);
        if let Some(keep) = &self.keep {
            match keep.restore(task, &entry.files) {
                Ok(true) => {}
                Ok(false) => return (None, None),
                Err(e) => return (None, Some(format!("--into: {e}"))),
            }
        }
        if self.whole {
            let json = entry.files.iter().find(|(kept, _)| *kept == Kept::Json);
            record.result = Some(json.and_then(|(_, text)| ::results::Outcome::read(text).ok()));
        }
        (Some(record), None)
    }

    /// The whole result of a task that an earlier batch has kept; `None` where it is wanted and not there.
    pub(super) fn kept(&self, task: &Task, mut record: Record) -> Option<Record> {
        if self.whole {
            let file = self.keep.as_ref()?.result(task)?;
            record.result = Some(results::whole(&file));
        }
        Some(record)
    }

    /// Waits for a child; `None` if it was killed since the batch ends.
    fn attend(&self, mut child: Child, started: Instant, result: &Path) -> Option<Ended> {
        let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
        std::thread::scope(|scope| {
            let stdout = scope.spawn(move || all(out.as_mut()));
            let stderr = scope.spawn(move || all(err.as_mut()));
            let code = loop {
                match child.try_wait() {
                    Ok(Some(status)) => break status.code().ok_or_else(|| status.to_string()),
                    Err(e) => break Err(e.to_string()),
                    Ok(None) => {}
                }
                let late = self.time.is_some_and(|limit| started.elapsed() > limit + GRACE);
                if late || self.stopped() {
                    let _ = child.kill();
                    let _ = child.wait();
                    if !late {
                        return None;
                    }
                    break Err("did not stop at its time limit".into());
                }
                std::thread::sleep(POLL);
            };
            let wall = started.elapsed();
            // A child that ends by itself, but for the batch's sake, has given no answer either.
            let text = |thread: ScopedJoinHandle<'_, String>| thread.join().unwrap_or_default();
            let (stdout, stderr) = (text(stdout), text(stderr));
            Some(Ended { report: Report::read(result), stdout, stderr, code, wall })
        })
        .filter(|ended| {
            let interrupted = |report: &Report| report.verdict == "UNKNOWN(interrupted)";
            !(self.stopped() && ended.report.as_ref().is_none_or(interrupted))
        })
    }
}

fn all(pipe: Option<&mut impl Read>) -> String {
    let mut bytes = vec![];
    if let Some(pipe) = pipe {
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
