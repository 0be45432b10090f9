//! The watchdog: a thread that sets a stop flag at the time limit, when the process and its children have grown too
//! large, or after SIGINT, SIGTERM or SIGHUP, ends the children, and calls the registered interrupters (a prover looks
//! at no flag of ours).
//!
//! If the work has not come back some time after the flag was set (an eighth of the time limit, at most a second and a
//! half), or goes on growing, the last resort given by the caller is called; in a binary it prints the verdict and ends
//! the process.

use crate::Verdict;
use children::Children;
pub use children::resident_bytes;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the clock and the children are examined.
const POLL: Duration = Duration::from_millis(50);
/// How often the size of this process is examined: it may grow by a gigabyte in a second.
const MEMORY_POLL: Duration = Duration::from_millis(10);
/// How long the work may take to come back.
const PATIENCE: (Duration, Duration) = (Duration::from_millis(400), Duration::from_millis(1500));

/// Why the work was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// The time limit.
    Time,
    /// The memory limit.
    Memory,
    /// SIGINT, SIGTERM or SIGHUP.
    Interrupted,
    /// A thread has crashed.
    Crash,
}

impl StopReason {
    /// The verdict of work that was stopped.
    pub fn verdict(self) -> Verdict {
        match self {
            StopReason::Crash => Verdict::Internal,
            why => Verdict::Unknown(why.word().into()),
        }
    }

    /// The word in `VERDICT: UNKNOWN(...)`.
    pub fn word(self) -> &'static str {
        match self {
            StopReason::Time => "time",
            StopReason::Memory => "memory",
            StopReason::Interrupted => "interrupted",
            StopReason::Crash => "internal",
        }
    }
}

/// Something that makes a computation return soon; called again and again until the work has come back.
pub type Interrupter = Box<dyn Fn() + Send>;

/// What is done when the work does not come back.
pub type LastResort = Box<dyn FnOnce(StopReason) + Send>;

/// What the watchdog watches.
pub(crate) struct Watch {
    pub(crate) started: Instant,
    pub(crate) time: Option<Duration>,
    pub(crate) memory: Option<u64>,
    /// Whether to take SIGINT, SIGTERM and SIGHUP over.
    pub(crate) signals: bool,
    /// What counts as part of this process.
    pub(crate) children: Children,
    pub(crate) interrupters: Vec<Interrupter>,
    pub(crate) last_resort: Option<LastResort>,
}

/// A running watchdog; dropping it ends its thread.
pub(crate) struct Watchdog {
    stop: Arc<AtomicBool>,
    reason: Arc<OnceLock<StopReason>>,
    done: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    pub(crate) fn start(watch: Watch) -> Watchdog {
        let stop = Arc::new(AtomicBool::new(false));
        let reason = Arc::new(OnceLock::new());
        let (done, finished) = mpsc::channel();
        let signalled = Arc::new(AtomicBool::new(false));
        if watch.signals {
            for signal in signals() {
                // Without a handler the default action ends the process: still a stop.
                let _ = signal_hook::flag::register(signal, Arc::clone(&signalled));
            }
        }
        let (stop2, reason2) = (Arc::clone(&stop), Arc::clone(&reason));
        let thread = std::thread::Builder::new()
            .name("watchdog".into())
            .spawn(move || watch.run(&stop2, &reason2, &signalled, &finished))
            .ok();
        Watchdog { stop, reason, done: Some(done), thread }
    }

    pub(crate) fn stop(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    pub(crate) fn reason(&self) -> Option<StopReason> {
        self.reason.get().copied()
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Watch {
    fn run(
        mut self,
        stop: &AtomicBool,
        reason: &OnceLock<StopReason>,
        signalled: &AtomicBool,
        finished: &mpsc::Receiver<()>,
    ) {
        #[cfg(unix)]
        let _watched = self.last_resort.is_some().then(crate::crash::Watched::new);
        let mut since: Option<(StopReason, Instant)> = None;
        let mut beside = Beside::default();
        loop {
            beside.look(&self.children);
            if since.is_none()
                && let Some(why) = self.limit_reached(signalled, beside.bytes)
            {
                let _ = reason.set(why);
                stop.store(true, Ordering::SeqCst);
                since = Some((why, Instant::now()));
            }
            if let Some((why, at)) = since {
                self.children.stop();
                self.interrupters.iter().for_each(|interrupt| interrupt());
                // Work that has just begun has no files to leave yet.
                let grows = at.elapsed() >= MEMORY_POLL && self.is_growing();
                if (at.elapsed() >= self.patience(why) || grows)
                    && let Some(act) = self.last_resort.take()
                {
                    act(why);
                }
            }
            if finished.recv_timeout(self.pause(since.is_some())) != Err(mpsc::RecvTimeoutError::Timeout) {
                return;
            }
        }
    }

    /// How long to wait before the next look.
    fn pause(&self, stopping: bool) -> Duration {
        let poll = if self.memory.is_some() { MEMORY_POLL } else { POLL };
        let left = self.time.map_or(poll, |t| t.saturating_sub(self.started.elapsed()));
        if stopping || left.is_zero() { poll } else { left.min(poll) }
    }

    /// How long stopped work may take to come back. Who interrupts it waits.
    fn patience(&self, why: StopReason) -> Duration {
        let (least, most) = PATIENCE;
        match why {
            StopReason::Interrupted => return least,
            // It does not come back.
            StopReason::Crash => return Duration::ZERO,
            StopReason::Time | StopReason::Memory => {}
        }
        self.time.map_or(most, |t| (t / 8).clamp(least, most))
    }

    /// Whether the process is well above its limit already, so that there is no waiting for the work.
    fn is_growing(&self) -> bool {
        let above = |limit: u64| resident_bytes().is_some_and(|size| size > limit / 10 * 11);
        self.memory.is_some_and(above)
    }

    fn limit_reached(&self, signalled: &AtomicBool, beside: u64) -> Option<StopReason> {
        if crash_happened() {
            Some(StopReason::Crash)
        } else if signalled.load(Ordering::SeqCst) {
            Some(StopReason::Interrupted)
        } else if self.time.is_some_and(|t| self.started.elapsed() >= t) {
            Some(StopReason::Time)
        } else if self.memory.is_some_and(|m| resident_bytes().is_some_and(|own| own + beside > m)) {
            Some(StopReason::Memory)
        } else {
            None
        }
    }
}

#[cfg(unix)]
fn crash_happened() -> bool {
    crate::crash::happened()
}

#[cfg(not(unix))]
fn crash_happened() -> bool {
    false
}

/// The memory of the children, which takes a look at every process of the machine.
#[derive(Default)]
struct Beside {
    bytes: u64,
    looked: Option<Instant>,
}

impl Beside {
    fn look(&mut self, children: &Children) {
        if self.looked.is_none_or(|at| at.elapsed() >= POLL) {
            self.bytes = children.resident_bytes();
            self.looked = Some(Instant::now());
        }
    }
}

/// The signals that end the work. Who starts a program with SIGHUP ignored (`nohup`) wants it to go on.
fn signals() -> Vec<i32> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let ignored = number_after("/proc/self/status", "SigIgn:", 16).unwrap_or(0);
    let hangup = (ignored >> (SIGHUP - 1)) & 1 == 0;
    [SIGINT, SIGTERM].into_iter().chain(hangup.then_some(SIGHUP)).collect()
}

/// The number behind a word at the beginning of a line.
fn number_after(file: &str, name: &str, base: u32) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix(name))?;
    u64::from_str_radix(line.split_whitespace().next()?, base).ok()
}

/// How large this process may grow when no limit is given, so that it ends with a verdict and not by a failed
/// allocation or by the system's hand: nine tenths of the machine's memory, and less when its address space is
/// limited (some of which goes to stacks and is never touched). `None` where the system does not tell.
pub fn default_memory_limit() -> Option<u64> {
    let machine = number_after("/proc/meminfo", "MemTotal:", 10).map(|kib| kib * 1024 / 10 * 9);
    let space =
        number_after("/proc/self/limits", "Max address space", 10).map(|b| b.saturating_sub(2 << 30) / 4 * 3);
    match (machine, space) {
        (Some(m), Some(s)) => Some(m.min(s.max(256 << 20))),
        (one, other) => one.or(other.map(|s| s.max(256 << 20))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(time: Option<Duration>, memory: Option<u64>) -> Watch {
        Watch {
            started: Instant::now(),
            time,
            memory,
            signals: false,
            children: Children::default(),
            interrupters: vec![],
            last_resort: None,
        }
    }

    fn wait(dog: &Watchdog) -> Option<StopReason> {
        while !dog.stop().load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        dog.reason()
    }

    #[test]
    fn limits_set_the_flag_with_their_reason() {
        assert_eq!(wait(&Watchdog::start(watch(Some(Duration::ZERO), None))), Some(StopReason::Time));
        if resident_bytes().is_some() {
            assert_eq!(wait(&Watchdog::start(watch(None, Some(1)))), Some(StopReason::Memory));
        }
        assert_eq!(Watchdog::start(watch(None, None)).reason(), None);
    }

    #[test]
    fn interrupters_and_last_resort_are_called() {
        let (tell, heard) = mpsc::channel();
        let tell2 = tell.clone();
        let mut watch = watch(Some(Duration::ZERO), None);
        watch.interrupters.push(Box::new(move || tell.send("interrupt").expect("the test listens")));
        watch.last_resort = Some(Box::new(move |_| tell2.send("last").expect("the test listens")));
        let dog = Watchdog::start(watch);
        assert_eq!(heard.recv(), Ok("interrupt"));
        while heard.recv() != Ok("last") {}
        drop(dog);
    }
}
