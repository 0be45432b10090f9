//! Interruption of running checks from another thread.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::z3::InterruptHandle;

/// How often running checks are interrupted again until they end: a solver that is between two
/// phases can miss a single request.
const AGAIN: Duration = Duration::from_millis(20);

/// Stops the provers that were made with it (or a clone of it), for good.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<Shared>);

#[derive(Default)]
struct Shared {
    stopped: Arc<AtomicBool>,
    running: Mutex<Running>,
}

/// Checks under way. Invariant: the solver of each entry is alive, because an entry is removed,
/// under the lock, before the check returns.
#[derive(Default)]
struct Running {
    next: u64,
    checks: BTreeMap<u64, InterruptHandle>,
}

impl Interrupt {
    /// One that has not been used yet.
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// The flag, true from the interruption on.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.0.stopped
    }

    /// Whether [`Interrupt::interrupt_all`] was called or the flag set otherwise.
    pub fn is_set(&self) -> bool {
        self.0.stopped.load(Ordering::SeqCst)
    }

    /// Ends the checks under way, usually within milliseconds, and makes all later ones answer
    /// `Unknown` at once. Returns without waiting for them. May be called from any thread, but not
    /// inside a signal handler.
    pub fn interrupt_all(&self) {
        self.0.stopped.store(true, Ordering::SeqCst);
        if !self.signal_running() {
            return;
        }
        let again = self.clone();
        let repeat = move || {
            while again.signal_running() {
                thread::sleep(AGAIN);
            }
        };
        // If there is no thread to be had, the one signal above usually suffices.
        let _ = thread::Builder::new().spawn(repeat);
    }

    /// A closure that calls [`Interrupt::interrupt_all`], for the code that stops the work.
    pub fn stopper(&self) -> Box<dyn Fn() + Send> {
        let interrupt = self.clone();
        Box::new(move || interrupt.interrupt_all())
    }

    /// Whether any check was under way.
    fn signal_running(&self) -> bool {
        let running = self.lock();
        for handle in running.checks.values() {
            handle.interrupt();
        }
        !running.checks.is_empty()
    }

    /// Announces a check; `None` if it should not begin.
    pub(crate) fn enter(&self, handle: InterruptHandle) -> Option<CheckGuard<'_>> {
        let id = {
            let mut running = self.lock();
            running.next += 1;
            let id = running.next;
            running.checks.insert(id, handle);
            id
        };
        let guard = CheckGuard { interrupt: self, id };
        // Only now: a request between a test and the announcement would be lost.
        if self.is_set() { None } else { Some(guard) }
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.0.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A check under way; ends with this value.
pub(crate) struct CheckGuard<'a> {
    interrupt: &'a Interrupt,
    id: u64,
}

impl Drop for CheckGuard<'_> {
    fn drop(&mut self) {
        self.interrupt.lock().checks.remove(&self.id);
    }
}
