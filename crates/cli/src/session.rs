//! One run of a command: its stop flag, its limits, and the one place where its result is written.
//!
//! The result is written in one piece, once: either by the work when it is done, or by the watchdog's last
//! resort. Whoever claims the gate first writes; the other stays silent.

use crate::channel::{self, Report};
use crate::options::Limits;
use crate::verdict::{EXIT_WRITE, Verdict};
use crate::watchdog::{self, Interrupter, LastResort, StopReason, Watch, Watchdog};
use crate::{outputs, process};
use base::styles::styled;
use base::{Diagnostic, Severity, SourceMap, Span};
use children::Children;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Whom the session belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Host {
    /// A binary: signals are taken over, and work that does not come back is ended with the process.
    Process,
    /// A caller in the same process (tests): limits set the stop flag, nothing more.
    Library,
}

/// What the last resort would print now.
#[derive(Default)]
struct Board {
    show_stats: bool,
    stats: Vec<(String, String)>,
    doing: String,
    /// The verdict that is certain already, whatever the rest of the work would find.
    certain: Option<(String, Verdict)>,
    /// The findings of the work are only a part of the question.
    about_something_else: bool,
    /// The receiver of progress messages.
    watcher: Option<Watcher>,
    /// Files to write in the end.
    files: Vec<(PathBuf, String)>,
    /// Makes the files of the result when the work does not return.
    rescue: Option<Rescue>,
    /// Files that were read.
    read: Vec<PathBuf>,
    /// Where to tell the process that this one works for how it ended.
    channel: Option<PathBuf>,
    /// What was said about the input.
    messages: Vec<Message>,
}

/// A message about the input, for results to repeat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// How bad it is.
    pub severity: Severity,
    /// The file and the range of it, when it is about a place.
    pub place: Option<(String, Span)>,
    /// What.
    pub text: String,
}

impl Message {
    /// The message of a diagnostic.
    pub fn new(diagnostic: &Diagnostic, sources: &SourceMap) -> Message {
        let place = diagnostic.span.map(|span| (sources.file(span.file).name.clone(), span));
        Message { severity: diagnostic.severity, place, text: diagnostic.message.clone() }
    }
}

/// What is known of work that does not come back.
pub struct GivenUp<'a> {
    /// Its verdict.
    pub verdict: &'a Verdict,
    /// What was said about the input.
    pub messages: &'a [Message],
    /// The statistics so far.
    pub stats: &'a [(String, String)],
}

/// Makes files with their contents.
type Rescue = Box<dyn Fn(&GivenUp<'_>) -> Vec<(PathBuf, Vec<u8>)> + Send>;

/// A receiver of progress messages.
type Watcher = Box<dyn Fn(&str) + Send>;

/// A running command.
pub struct Session {
    watchdog: Watchdog,
    written: Arc<AtomicBool>,
    board: Arc<Mutex<Board>>,
    /// Some result cannot be written.
    lost: AtomicBool,
    started: Instant,
    children: Children,
}

impl Session {
    /// Starts the clock and the watchdog. `interrupters` are called when a limit is reached, again and again until
    /// the session is dropped.
    pub fn start(host: Host, limits: &Limits, show_stats: bool, interrupters: Vec<Interrupter>) -> Session {
        let started = Instant::now();
        let written = Arc::new(AtomicBool::new(false));
        let channel = (host == Host::Process).then(channel::file).flatten();
        let board = Arc::new(Mutex::new(Board { show_stats, channel, ..Board::default() }));
        let last_resort = (host == Host::Process).then(|| {
            let (written, board) = (Arc::clone(&written), Arc::clone(&board));
            Box::new(move |why| give_up(why, &written, &board)) as LastResort
        });
        let memory = limits.memory_limit.or_else(watchdog::default_memory_limit);
        // What is counted comes first; the system's limit is for what grows faster than that.
        let children = Children::limited(memory.map(|bytes| bytes + bytes / 8 + (128 << 20)));
        let watchdog = Watchdog::start(Watch {
            started,
            time: limits.time_limit,
            memory,
            children: children.clone(),
            signals: host == Host::Process,
            interrupters,
            last_resort,
        });
        Session { watchdog, written, board, lost: AtomicBool::new(false), started, children }
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The flag that is set when the work must stop.
    pub fn stop(&self) -> &Arc<AtomicBool> {
        self.watchdog.stop()
    }

    /// Whether the work must stop.
    pub fn stopped(&self) -> bool {
        self.stop().load(Ordering::SeqCst)
    }

    /// Why the work must stop.
    pub fn reason(&self) -> Option<StopReason> {
        self.watchdog.reason()
    }

    /// The verdict of work that was stopped.
    pub fn stopped_verdict(&self) -> Verdict {
        self.reason().unwrap_or(StopReason::Interrupted).verdict()
    }

    /// Where children of this run are started: they end with it, at its limits and at signals.
    pub fn children(&self) -> &Children {
        &self.children
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Notes what is being done, for a last resort to tell: "iteration 3, newton".
    pub fn doing(&self, what: impl Into<String>) {
        let mut board = self.board();
        board.doing = what.into();
        if let Some(watcher) = &board.watcher {
            watcher(&board.doing);
        }
    }

    /// Sends progress messages to `watcher` from now on.
    pub fn watch(&self, watcher: impl Fn(&str) + Send + 'static) {
        self.board().watcher = Some(Box::new(watcher));
    }

    /// Notes a verdict that more work cannot change, with its text: what counts when the work is stopped.
    pub fn set_certain(&self, body: String, verdict: Verdict) {
        let mut board = self.board();
        if !board.about_something_else {
            board.certain = Some((body, verdict));
        }
    }

    /// Marks the verdicts of the work as not the requested ones: none of them counts when it is stopped.
    pub fn ask_something_else(&self) {
        self.board().about_something_else = true;
    }

    /// The verdict that is certain already, with its text.
    pub fn certain(&self) -> Option<(String, Verdict)> {
        self.board().certain.clone()
    }

    /// Notes the statistics so far, for a last resort and for [`finish`](Self::finish) to print.
    pub fn set_stats<N: Into<String>>(&self, stats: impl IntoIterator<Item = (N, String)>) {
        self.board().stats.clear();
        self.add_stats(stats);
    }

    /// The statistics up to now.
    pub fn stats(&self) -> Vec<(String, String)> {
        self.board().stats.clone()
    }

    /// Adds to them.
    pub fn add_stats<N: Into<String>>(&self, stats: impl IntoIterator<Item = (N, String)>) {
        self.board().stats.extend(stats.into_iter().map(|(name, value)| (name.into(), value)));
    }

    /// Writes a file that was asked for. Where that fails, the command ends with the exit code of a result that cannot
    /// be written.
    pub fn write_file(&self, path: &Path, contents: &[u8], stderr: &mut dyn Write) {
        let written = self.board().may_write(path).and_then(|()| outputs::write_atomically(path, contents));
        if let Err(e) = written {
            let _ = stderr.write_all(outputs::message(path, &e).as_bytes());
            self.set_lost();
        }
    }

    /// Notes files that were read, which are not written over: what a program includes is known only when it has been read.
    pub fn note_read(&self, files: impl IntoIterator<Item = PathBuf>) {
        self.board().read.extend(files);
    }

    /// Notes what was said about the input.
    pub fn add_messages(&self, messages: impl IntoIterator<Item = Message>) {
        self.board().messages.extend(messages);
    }

    /// What was said about the input.
    pub fn messages(&self) -> Vec<Message> {
        self.board().messages.clone()
    }

    /// Notes that a result cannot be written, which was reported already.
    pub fn set_lost(&self) {
        self.lost.store(true, Ordering::SeqCst);
    }

    /// Has a file written in the end, in place of what was to be written to it before.
    pub fn write_later(&self, path: &Path, text: String) {
        let mut board = self.board();
        board.files.retain(|(other, _)| other != path);
        board.files.push((path.to_owned(), text));
    }

    /// Has these files written when the work does not come back, in place of those of its result.
    pub fn set_rescue(&self, make: impl Fn(&GivenUp<'_>) -> Vec<(PathBuf, Vec<u8>)> + Send + 'static) {
        self.board().rescue = Some(Box::new(make));
    }

    /// Writes the files that were left for the end.
    pub fn write_files(&self, stderr: &mut dyn Write) {
        let files = std::mem::take(&mut self.board().files);
        for (path, text) in files {
            self.write_file(&path, text.as_bytes(), stderr);
        }
    }

    /// Writes the result, with the statistics if asked for and the verdict line at its end, and returns the exit
    /// code. A closed pipe is not an error: the code gives the verdict all the same.
    pub fn finish(&self, stdout: &mut dyn Write, body: &str, verdict: &Verdict) -> i32 {
        let lost = self.lost.load(Ordering::SeqCst);
        let verdict = if lost { &Verdict::NotWritten } else { verdict };
        let mut text = body.to_owned();
        text.push_str(&self.board().ending(verdict));
        if self.write(stdout, &text) { verdict.exit_code() } else { EXIT_WRITE }
    }

    /// Writes the result of a command that gives no verdict.
    pub fn finish_plain(&self, stdout: &mut dyn Write, body: &str) -> i32 {
        let written = self.write(stdout, body);
        if written && !self.lost.load(Ordering::SeqCst) { 0 } else { EXIT_WRITE }
    }

    fn write(&self, stdout: &mut dyn Write, text: &str) -> bool {
        self.written.swap(true, Ordering::SeqCst) || process::written(stdout, text.as_bytes())
    }
}

impl Board {
    /// Refuses a file that was read.
    fn may_write(&self, path: &Path) -> std::io::Result<()> {
        match self.read.iter().any(|read| outputs::is_same_file(path, read)) {
            true => Err(std::io::Error::other(outputs::IS_READ)),
            false => Ok(()),
        }
    }

    /// The end of the output; the process that this one works for gets a report as well.
    fn ending(&self, verdict: &Verdict) -> String {
        let mut text = String::new();
        let cpu = process::cpu_time().map(|cpu| ("cpu-ms".to_owned(), cpu.as_millis().to_string()));
        let memory = process::peak_memory().map(|bytes| ("memory-kb".to_owned(), (bytes / 1024).to_string()));
        let stats: Vec<_> = self.stats.iter().cloned().chain(cpu).chain(memory).collect();
        if self.show_stats {
            for (name, value) in &stats {
                text.push_str(&format!("STAT {name}: {value}\n"));
            }
        }
        if let Some(file) = &self.channel {
            Report::new(verdict, stats).write(file);
        }
        text.push_str(&format!("{}\n", styled(verdict.style(), &verdict.to_string())));
        text
    }
}

/// The last resort of a binary: prints the verdict, unless the result is being written already, and ends the
/// process without running destructors, since other threads still work.
fn give_up(why: StopReason, written: &AtomicBool, board: &Mutex<Board>) {
    if written.swap(true, Ordering::SeqCst) {
        return;
    }
    let board = board.lock().unwrap_or_else(PoisonError::into_inner);
    let (body, verdict) = match &board.certain {
        Some((body, verdict)) => (body.as_str(), verdict.clone()),
        None => ("", why.verdict()),
    };
    let place = if board.doing.is_empty() { String::new() } else { format!(" in {}", board.doing) };
    let rest = match &verdict {
        Verdict::Safe => "",
        Verdict::Internal => "internal error: ",
        _ if body.is_empty() => "UNKNOWN: ",
        _ => "the rest is UNKNOWN: ",
    };
    let what = match why {
        StopReason::Crash => "a thread has crashed".to_owned(),
        why => format!("stopped ({})", why.word()),
    };
    let text = format!("{body}{rest}{what}{place}\n{}", board.ending(&verdict));
    let mut out = anstream::stdout().lock();
    let whole = process::written(&mut out, text.as_bytes());
    drop(out);
    // Only files: a pipe may wait for its reader for ever.
    let is_file = |path: &Path| std::fs::metadata(path).map_or(true, |meta| meta.is_file());
    let known = GivenUp { verdict: &verdict, messages: &board.messages, stats: &board.stats };
    let left = board.files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes()));
    let rescued = board.rescue.iter().flat_map(|make| make(&known));
    for (path, text) in left.chain(rescued).filter(|(path, _)| is_file(path)) {
        if let Err(e) = board.may_write(&path).and_then(|()| outputs::write_atomically(&path, &text)) {
            let _ = std::io::stderr().write_all(outputs::message(&path, &e).as_bytes());
        }
    }
    process::exit(if whole { verdict.exit_code() } else { EXIT_WRITE });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_is_written_once() {
        let session = Session::start(Host::Library, &Limits::default(), true, vec![]);
        session.set_stats([("iterations", "3".into())]);
        let mut out = vec![];
        assert_eq!(session.finish(&mut out, "body\n", &Verdict::Safe), 0);
        assert_eq!(session.finish(&mut out, "again\n", &Verdict::Internal), 6);
        let text = String::from_utf8_lossy(&out);
        let text = anstream::adapter::strip_str(&text).to_string();
        assert!(
            text.starts_with("body\nSTAT iterations: 3\n") && text.ends_with("\nVERDICT: SAFE\n"),
            "{text}"
        );
        assert_eq!(text.matches("VERDICT").count(), 1);
    }
}
