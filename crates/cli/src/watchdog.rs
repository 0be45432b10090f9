//! The watchdog: a thread that sets a stop flag at the time limit, when the process has grown too large, or after
//! SIGINT or SIGTERM, and calls the registered interrupters (a prover looks at no flag of ours).
//!
//! If the work has not come back a second and a half after the flag was set, the last resort given by the caller
//! is called; in a binary it prints the verdict and ends the process.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const POLL: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_millis(1500);

/// Why the work was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// The time limit.
    Time,
    /// The memory limit.
    Memory,
    /// SIGINT or SIGTERM.
    Interrupted,
}

impl StopReason {
    /// The word in `VERDICT: UNKNOWN(...)`.
    pub fn word(self) -> &'static str {
        match self {
            StopReason::Time => "time",
            StopReason::Memory => "memory",
            StopReason::Interrupted => "interrupted",
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
    /// Whether to take SIGINT and SIGTERM over.
    pub(crate) signals: bool,
    pub(crate) interrupters: Vec<Interrupter>,
    pub(crate) last_resort: Option<LastResort>,
}

/// A running watchdog; dropping it ends its thread.
pub(crate) struct Watchdog {
    stop: Arc<AtomicBool>,
    reason: Arc<AtomicU8>,
    done: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    pub(crate) fn start(watch: Watch) -> Watchdog {
        let stop = Arc::new(AtomicBool::new(false));
        let reason = Arc::new(AtomicU8::new(0));
        let (done, finished) = mpsc::channel();
        let signalled = Arc::new(AtomicBool::new(false));
        if watch.signals {
            for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
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
        match self.reason.load(Ordering::SeqCst) {
            1 => Some(StopReason::Time),
            2 => Some(StopReason::Memory),
            3 => Some(StopReason::Interrupted),
            _ => None,
        }
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
        reason: &AtomicU8,
        signalled: &AtomicBool,
        finished: &mpsc::Receiver<()>,
    ) {
        let mut since: Option<(StopReason, Instant)> = None;
        loop {
            if since.is_none()
                && let Some(why) = self.limit_reached(signalled)
            {
                let code = match why {
                    StopReason::Time => 1,
                    StopReason::Memory => 2,
                    StopReason::Interrupted => 3,
                };
                reason.store(code, Ordering::SeqCst);
                stop.store(true, Ordering::SeqCst);
                since = Some((why, Instant::now()));
            }
            if let Some((why, at)) = since {
                self.interrupters.iter().for_each(|interrupt| interrupt());
                if at.elapsed() >= PATIENCE
                    && let Some(act) = self.last_resort.take()
                {
                    act(why);
                }
            }
            let left = self.time.map_or(POLL, |t| t.saturating_sub(self.started.elapsed()));
            let wait = if since.is_some() || left.is_zero() { POLL } else { left.min(POLL) };
            if finished.recv_timeout(wait) != Err(mpsc::RecvTimeoutError::Timeout) {
                return;
            }
        }
    }

    fn limit_reached(&self, signalled: &AtomicBool) -> Option<StopReason> {
        if signalled.load(Ordering::SeqCst) {
            Some(StopReason::Interrupted)
        } else if self.time.is_some_and(|t| self.started.elapsed() >= t) {
            Some(StopReason::Time)
        } else if self.memory.is_some_and(|m| resident_bytes().is_some_and(|r| r > m)) {
            Some(StopReason::Memory)
        } else {
            None
        }
    }
}

/// The size of this process in memory, where the system tells it.
pub fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split(' ').nth(1)?.parse().ok()?;
    // The unit is the page; the systems that have this file and run this program use 4 KiB.
    Some(pages * 4096)
}

/// How large this process may grow when no limit is given, so that it ends with a verdict and not by a failed
/// allocation or by the system's hand: nine tenths of the machine's memory, and less when its address space is
/// limited (some of which goes to stacks and is never touched). `None` where the system does not tell.
pub fn default_memory_limit() -> Option<u64> {
    let number_after = |file: &str, name: &str| -> Option<u64> {
        let text = std::fs::read_to_string(file).ok()?;
        let line = text.lines().find_map(|l| l.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let machine = number_after("/proc/meminfo", "MemTotal:").map(|kib| kib * 1024 / 10 * 9);
    let space =
        number_after("/proc/self/limits", "Max address space").map(|b| b.saturating_sub(2 << 30) / 4 * 3);
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
