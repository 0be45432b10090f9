//! Decides checks of C programs.

mod assumptions;
pub mod cegar;
mod checks;
mod decide;
mod defined;
mod event;
pub mod plan;
mod recheck;
mod schedule;
mod single_execution;
mod task;

pub use assumptions::Assumptions;
pub use checks::Checks;
pub use decide::{Answer, Options, Shown, decide};
pub use event::{Event, Observer};
pub use plan::Method;
pub use recheck::{Turns, sets};
pub use schedule::{Concrete, Decision, Next, Schedule};
pub use single_execution::Only;
pub use task::{Preparation, Refusal, Refused, Task, callbacks};
