//! Operations that end soon after a flag is set.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// How many steps of an operation pass between two checks of the stop flag.
const POLL: u32 = 1 << 14;

/// The flag, and whether it was seen set.
pub(super) struct Stop<'a> {
    pub(super) flag: &'a AtomicBool,
    pub(super) seen: Cell<bool>,
    pub(super) steps: Cell<u32>,
}

impl Stop<'_> {
    pub(super) fn look(&self) -> bool {
        if self.flag.load(Ordering::Relaxed) {
            self.seen.set(true);
        }
        self.seen.get()
    }

    /// The operator, which gives 0 for everything once the flag is set, so that the operation ends soon.
    pub(super) fn guard<'s>(
        &'s self,
        op: impl Fn(Option<bool>, Option<bool>) -> Option<bool> + 's,
    ) -> impl Fn(Option<bool>, Option<bool>) -> Option<bool> + 's {
        move |a, b| {
            let steps = self.steps.get().wrapping_add(1);
            self.steps.set(steps);
            if steps.is_multiple_of(POLL) {
                self.look();
            }
            if self.seen.get() { Some(false) } else { op(a, b) }
        }
    }
}

pub(super) fn op_and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

pub(super) fn op_or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

pub(super) fn op_and_not(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    op_and(a, b.map(|b| !b))
}

pub(super) fn op_xor(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    Some(a? != b?)
}
