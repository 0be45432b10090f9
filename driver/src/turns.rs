//! Programs that are safe since unrolling covers every execution: none takes more iterations of a loop than the bound.
//! The certificate is the bound: unrolling as far again must give the same answer.

use crate::prepare::Task;
use bmc::{Bounds, Covered, Unrolled, unroll};
use results::proof::Certified;
use smt::Interrupt;
use std::sync::atomic::AtomicBool;

/// The edges and resource units that repeating a proof may cost.
const STEPS: usize = 400_000;
const RLIMIT: u64 = 16 * smt::RLIMIT;

/// How often executions turn in any loop, at most, beside the turns that the program computes with constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Turns(pub usize);

impl Turns {
    /// Those of a proof.
    pub(crate) fn of(covered: &Covered) -> Turns {
        Turns(covered.counted)
    }

    /// Unrolls the program so far: whether no check fails and no execution goes further.
    pub(crate) fn suffice(self, task: &Task, (stop, interrupt): (&AtomicBool, &Interrupt)) -> bool {
        let bounds = Bounds {
            mode: bmc::mode(&task.program, task.mode),
            turns: self.0,
            steps: STEPS,
            rlimit: RLIMIT,
            total: RLIMIT,
            stop,
            interrupt,
        };
        matches!(unroll(&task.program, &task.oracle, &bounds, None), Unrolled::Safe(_))
    }

    /// What repeating the proof gave, as text and as results have it.
    pub(crate) fn certified(self, same: bool) -> (String, Certified) {
        let text = if same {
            "certified: all executions were followed again\n"
        } else {
            "not certified: the executions could not be followed again\n"
        };
        (text.into(), Certified::repeated(same))
    }
}
