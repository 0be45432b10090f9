//! Confirmation of an error by an execution of the interpreter, if it corresponds to a real one.
//!
//! Where a library function has no model, or the front end does not model something exactly, the execution has drawn what
//! real ones compute. An execution whose failure depends on that is not a witness.

use interp::{Outcome, Run};
use ir::CheckId;
use std::sync::Arc;

/// An execution that fails a check.
pub struct Witness {
    /// The check.
    pub check: CheckId,
    /// The interpreter's run, with its whole trace.
    pub run: Run,
}

/// Why a run is not a witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unconfirmed {
    /// It fails no check.
    Holds,
    /// Its failure depends on what the function of this name computes or does.
    NoModel(Arc<str>),
}

/// The witness made of a run that fails a check. The run must have its whole trace.
pub fn confirmed(run: Run) -> Result<Witness, Unconfirmed> {
    match (&run.outcome, &run.rests_on) {
        (Outcome::CheckFailed(_), Some(name)) => Err(Unconfirmed::NoModel(name.clone())),
        (Outcome::CheckFailed(check), None) => Ok(Witness { check: *check, run }),
        _ => Err(Unconfirmed::Holds),
    }
}
