//! Deliberate mistakes about lives and addresses: a test seeds one and checks whether random programs expose
//! it. Only tests seed one, and no option of a tool does.

use std::sync::atomic::{AtomicUsize, Ordering};

/// A mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Nobody notices the end of a block.
    EndsUnnoticed,
    /// Variables of outer blocks are gone when an inner one ends.
    HoldersEnd,
    /// Objects are twice as aligned as they are.
    TwiceAligned,
    /// Allocations are twice as aligned as they are.
    AllocatedTwiceAligned,
}

/// All of them.
pub const FAULTS: [Fault; 4] =
    [Fault::EndsUnnoticed, Fault::HoldersEnd, Fault::TwiceAligned, Fault::AllocatedTwiceAligned];

/// The number of the seeded mistake, from 1; 0: none.
static SEEDED: AtomicUsize = AtomicUsize::new(0);

/// Makes all programs of this process be taken with this mistake, and no other.
pub fn seed(fault: Option<Fault>) {
    let number = fault.and_then(|fault| FAULTS.iter().position(|f| *f == fault)).map_or(0, |k| k + 1);
    SEEDED.store(number, Ordering::SeqCst);
}

/// Whether the mistake is made.
pub fn is_made(fault: Fault) -> bool {
    match SEEDED.load(Ordering::Relaxed) {
        0 => false,
        number => FAULTS.get(number - 1) == Some(&fault),
    }
}
