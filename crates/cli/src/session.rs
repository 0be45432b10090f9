//! One run of a command: its stop flag, its limits, and the one place where its result is written.
//!
//! The result is written in one piece, once: either by the work when it is done, or by the watchdog's last
//! resort. Whoever claims the gate first writes; the other stays silent.

use crate::options::Limits;
use crate::process;
use crate::verdict::Verdict;
use crate::watchdog::{self, Interrupter, LastResort, StopReason, Watch, Watchdog};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
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
    /// What is certain already, whatever the rest of the work would say.
    certain: Option<(String, Verdict)>,
    /// Who wants to know what is being done.
    watcher: Option<Watcher>,
}

/// Is told what is being done.
type Watcher = Box<dyn Fn(&str) + Send>;

/// A running command.
pub struct Session {
    watchdog: Watchdog,
    written: Arc<AtomicBool>,
    board: Arc<Mutex<Board>>,
    started: Instant,
}

impl Session {
    /// Starts the clock and the watchdog. `interrupters` are called when a limit is reached, again and again until
    /// the session is dropped.
    pub fn start(host: Host, limits: &Limits, show_stats: bool, interrupters: Vec<Interrupter>) -> Session {
        let started = Instant::now();
        let written = Arc::new(AtomicBool::new(false));
        let board = Arc::new(Mutex::new(Board { show_stats, ..Board::default() }));
        let last_resort = (host == Host::Process).then(|| {
            let (written, board) = (Arc::clone(&written), Arc::clone(&board));
            Box::new(move |why| give_up(why, &written, &board)) as LastResort
        });
        let watchdog = Watchdog::start(Watch {
            started,
            time: limits.time_limit,
            memory: limits.memory_limit.or_else(watchdog::default_memory_limit),
            signals: host == Host::Process,
            interrupters,
            last_resort,
        });
        Session { watchdog, written, board, started }
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
        Verdict::Unknown(self.reason().map_or("interrupted", StopReason::word).into())
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Notes what is being done, for a last resort to tell: "iteration 3, newton".
    pub fn doing(&self, what: impl Into<String>) {
        let mut board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
        board.doing = what.into();
        if let Some(watcher) = &board.watcher {
            watcher(&board.doing);
        }
    }

    /// Has somebody told what is being done, from now on.
    pub fn watch(&self, watcher: impl Fn(&str) + Send + 'static) {
        self.board.lock().unwrap_or_else(PoisonError::into_inner).watcher = Some(Box::new(watcher));
    }

    /// Notes a verdict that more work cannot change, with its text: what counts when the work is stopped.
    pub fn set_certain(&self, body: String, verdict: Verdict) {
        self.board.lock().unwrap_or_else(PoisonError::into_inner).certain = Some((body, verdict));
    }

    /// The verdict that is certain already, with its text.
    pub fn certain(&self) -> Option<(String, Verdict)> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner).certain.clone()
    }

    /// Notes the statistics so far, for a last resort and for [`finish`](Self::finish) to print.
    pub fn set_stats(&self, stats: Vec<(String, String)>) {
        self.board.lock().unwrap_or_else(PoisonError::into_inner).stats = stats;
    }

    /// Adds to them.
    pub fn add_stats(&self, stats: Vec<(String, String)>) {
        self.board.lock().unwrap_or_else(PoisonError::into_inner).stats.extend(stats);
    }

    /// Writes the result, with the statistics if asked for and the verdict line at its end, and returns the exit
    /// code. A closed pipe is no error: the code tells the verdict all the same.
    pub fn finish(&self, stdout: &mut dyn Write, body: &str, verdict: &Verdict) -> i32 {
        let mut text = body.to_owned();
        let board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
        text.push_str(&board.ending(verdict));
        self.write(stdout, &text);
        verdict.exit_code()
    }

    /// Writes the result of a command that gives no verdict.
    pub fn finish_plain(&self, stdout: &mut dyn Write, body: &str) -> i32 {
        self.write(stdout, body);
        0
    }

    fn write(&self, stdout: &mut dyn Write, text: &str) {
        if !self.written.swap(true, Ordering::SeqCst) {
            let _ = stdout.write_all(text.as_bytes());
            let _ = stdout.flush();
        }
    }
}

impl Board {
    fn ending(&self, verdict: &Verdict) -> String {
        let mut text = String::new();
        if self.show_stats {
            for (name, value) in &self.stats {
                text.push_str(&format!("STAT {name}: {value}\n"));
            }
            if let Some(cpu) = process::cpu_time() {
                text.push_str(&format!("STAT cpu-ms: {}\n", cpu.as_millis()));
            }
            if let Some(bytes) = process::peak_memory() {
                text.push_str(&format!("STAT memory-kb: {}\n", bytes / 1024));
            }
        }
        text.push_str(&format!("{verdict}\n"));
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
        None => ("", Verdict::Unknown(why.word().into())),
    };
    let place = if board.doing.is_empty() { String::new() } else { format!(" in {}", board.doing) };
    let rest = match &verdict {
        Verdict::Safe => "",
        _ if body.is_empty() => "UNKNOWN: ",
        _ => "the rest is UNKNOWN: ",
    };
    let text = format!("{body}{rest}stopped ({}){place}\n{}", why.word(), board.ending(&verdict));
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
    process::exit(verdict.exit_code());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_is_written_once() {
        let session = Session::start(Host::Library, &Limits::default(), true, vec![]);
        session.set_stats(vec![("iterations".into(), "3".into())]);
        let mut out = vec![];
        assert_eq!(session.finish(&mut out, "body\n", &Verdict::Safe), 0);
        assert_eq!(session.finish(&mut out, "again\n", &Verdict::Internal), 6);
        let text = String::from_utf8_lossy(&out);
        assert!(
            text.starts_with("body\nSTAT iterations: 3\n") && text.ends_with("\nVERDICT: SAFE\n"),
            "{text}"
        );
        assert_eq!(text.matches("VERDICT").count(), 1);
    }
}
