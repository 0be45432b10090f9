//! The last word on an error: an execution of the interpreter, if it says something of real ones.
//!
//! Where a library function has no model, or the front end does not model something exactly, the execution has drawn what
//! real ones compute. An execution whose failure rests on that is no witness.

use crate::report::Witness;
use cmm::interp::{Outcome, Run};
use std::sync::Arc;

/// Why a run is no witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Unconfirmed {
    /// It fails no check.
    Holds,
    /// Its failure rests on what this computes or does, by name.
    NoModel(Arc<str>),
}

/// The witness made of a run that fails a check. The run must have its whole trace.
pub(crate) fn confirmed(run: Run) -> Result<Witness, Unconfirmed> {
    match (&run.outcome, &run.rests_on) {
        (Outcome::CheckFailed(_), Some(name)) => Err(Unconfirmed::NoModel(name.clone())),
        (Outcome::CheckFailed(check), None) => Ok(Witness { check: *check, run }),
        _ => Err(Unconfirmed::Holds),
    }
}
