//! What happens while checks are decided, as data.

use crate::cegar::{self, Failure, Held, Proof, Reason, SwitchReason};
use crate::plan::Method;
use crate::single_execution::Only;
use crate::{Checks, Task};
use base::Diagnostic;
use executions::random::{Probed, Undefined};
use ir::CheckId;
use predicates::Precision;

/// Something that has happened.
pub enum Event<'a> {
    /// A method begins.
    Begins(Method),
    /// Something has happened in the loop.
    Loop(&'a cegar::Event<'a>),
    /// A run of the loop has ended.
    LoopEnded {
        /// With these predicates.
        precision: &'a Precision,
        /// With these answers about the abstraction.
        cache: &'a c2bp::Cache,
    },
    /// Something about the predicates to begin with that a user should know.
    Warning(&'a Diagnostic),
    /// The program was executed.
    Executed(&'a Probed),
    /// An execution leaves its objects; where no error is found, that is the answer.
    Undefined(&'a Undefined),
    /// The program has one execution, which is the answer where there is no proof.
    SingleExecution(&'a Only),
    /// Some checks hold by bounds of integers.
    HoldByBounds {
        /// How many.
        checks: usize,
        /// Of how many that were added to the program.
        of: usize,
    },
    /// A check holds by bounds of integers that the loop has not decided soon.
    HoldsByBounds(CheckId),
    /// Some checks hold by induction.
    HoldByInduction(&'a Held),
    /// An execution fails the check; others are decided now.
    Fails(CheckId),
    /// The check is not decided for this reason; others are decided now.
    NotDecided(CheckId, &'a Reason),
    /// The check has to wait for others.
    Waits(CheckId),
    /// That is the answer, unless an execution fails another check.
    Undecided(&'a Failure),
    /// Something that is not modelled is reached; what leads there is left out.
    LeavesOutUnmodelled,
    /// Integers are bit-vectors from now on.
    SwitchesToBits(&'a SwitchReason),
    /// The loop finds no invariants, so that the only execution decides.
    NoInvariants(&'a Reason),
    /// No check fails; whether a defined execution reaches one is not known yet.
    Safe(&'a Proof),
}

/// Receives the events.
pub trait Observer {
    /// Something has happened; with the task and the decisions so far.
    fn event(&mut self, event: &Event<'_>, so_far: (&Task, &Checks));
}

impl Observer for () {
    fn event(&mut self, _: &Event<'_>, _: (&Task, &Checks)) {}
}
