//! Crashes: the prover is a large library in this process, and one that is interrupted in the middle of its work is, in one of
//! many hundred runs, left in a state in which it follows a null pointer. Whoever asked gets a verdict line all the same.
//!
//! A thread that gets SIGSEGV, SIGBUS, SIGILL, SIGFPE or SIGABRT while a watchdog with a last resort is there stops for good,
//! and the watchdog ends the process: with what it was about to say, if the work was to stop anyway, else with
//! `ERROR(internal)`. Nothing of ours runs in that thread any more. What Rust's own handler says of a stack that has
//! overflowed is said before.

#![allow(unsafe_code, reason = "handlers of these signals; each call is one that a handler may make")]

use libc::{c_int, c_void, sigaction, siginfo_t};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The signals of a thread that cannot go on.
const SIGNALS: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT];

/// What was done at each of them before.
static BEFORE: [OnceLock<sigaction>; SIGNALS.len()] = [const { OnceLock::new() }; SIGNALS.len()];

/// How many watchdogs would end the process.
static WATCHDOGS: AtomicUsize = AtomicUsize::new(0);

/// Whether a thread has stopped for good.
static CRASHED: AtomicBool = AtomicBool::new(false);

/// Says that a watchdog ends the process after a crash, as long as this value is there.
pub(crate) struct Watched(());

impl Watched {
    pub(crate) fn new() -> Watched {
        WATCHDOGS.fetch_add(1, Ordering::SeqCst);
        Watched(())
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        WATCHDOGS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether a thread has crashed and waits for the end of the process.
pub(crate) fn happened() -> bool {
    CRASHED.load(Ordering::SeqCst)
}

/// Takes the signals over, once for the process.
pub(crate) fn guard() {
    for (signal, before) in SIGNALS.into_iter().zip(&BEFORE) {
        let mut old = MaybeUninit::<sigaction>::uninit();
        // SAFETY: `old` is written where the call succeeds, and read only then.
        let known = unsafe {
            (libc::sigaction(signal, ptr::null(), old.as_mut_ptr()) == 0).then(|| old.assume_init())
        };
        if let Some(old) = known
            && before.set(old).is_ok()
        {
            take(signal);
        }
    }
}

/// Makes `stopped` the handler. May be called from a handler.
fn take(signal: c_int) {
    // SAFETY: all bits zero are a `sigaction`, and the handler has the type that SA_SIGINFO asks for.
    unsafe {
        let mut new: sigaction = MaybeUninit::zeroed().assume_init();
        let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = stopped;
        new.sa_sigaction = handler as usize;
        new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(signal, &raw const new, ptr::null_mut());
    }
}

extern "C" fn stopped(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let at = SIGNALS.iter().position(|s| *s == signal);
    let before = at.and_then(|at| BEFORE[at].get());
    // SAFETY: a handler that was installed with SA_SIGINFO has this type; the arguments are those of this call.
    unsafe {
        if let Some(old) = before
            && ![libc::SIG_DFL, libc::SIG_IGN].contains(&old.sa_sigaction)
            && old.sa_flags & libc::SA_SIGINFO != 0
        {
            type Handler = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);
            std::mem::transmute::<usize, Handler>(old.sa_sigaction)(signal, info, context);
        }
        if WATCHDOGS.load(Ordering::SeqCst) == 0 {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
            return;
        }
        // Rust's handler has taken itself away; the next thread stops here as well.
        take(signal);
        CRASHED.store(true, Ordering::SeqCst);
        loop {
            libc::pause();
        }
    }
}
