//! Decides the checks of C programs. [The plan](plan) lists all methods; [the loop](cegar) of abstraction, model checking,
//! path analysis and refinement is one of them, and calls others on its way. [`decide()`] works on one program,
//! [`variants`] asks about others where that one gives no answer, [`verify()`] does all of it.
//!
//! ```
//! use verify::cegar::Stop;
//! use verify::{Answer, Options, Preparation};
//!
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/spinlock_safe.c");
//! let front = cfront::load(&[file.into()], &cfront::Options::default()).expect("C that is taken");
//! let (flag, interrupt) = (false.into(), smt::Interrupt::new());
//! let stop = Stop { flag: &flag, interrupt: &interrupt };
//! let how = (&Options::default(), false);
//! let found = verify::verify(&front, &Preparation::default(), how, stop, &mut ()).expect("a program that is modelled");
//! let Answer::Safe(proof) = found.answer else { panic!("the lock is used as it should be") };
//! let invariant = &proof.invariants[0];
//! assert_eq!(ir::print::expr(&found.task.program, &invariant.condition), "locked == 0");
//! ```
//!
//! An answer is sound by itself: it is [`Answer::Safe`] only with [evidence](cegar::Evidence) that can be [checked
//! again](recheck), and an error only where the interpreter has reached it. What happens is reported to an [`Observer`].
//!
//! Architecture invariant: no command line, file, terminal or format of results is known here.

mod assumptions;
pub mod cegar;
mod checks;
mod decide;
mod defined;
mod event;
mod options;
pub mod plan;
pub mod recheck;
mod schedule;
mod single_execution;
mod task;
pub mod variants;

pub use assumptions::Assumptions;
pub use checks::Checks;
pub use decide::{Answer, Shown, decide};
pub use event::{Event, Observer};
pub use options::Options;
pub use plan::Method;
pub use recheck::Turns;
pub use schedule::{Concrete, Decision, Next, Schedule};
pub use single_execution::Only;
pub use task::{Preparation, Refusal, Refused, Task, callbacks};
pub use variants::{Attempt, Found, Variant, Variants, verify};
