//! What the binaries share: option groups, exit codes, the verdict line, limits and signals.
//!
//! Invariants: a command that gives a verdict ends its standard output with exactly one verdict line, also at a
//! limit, after a signal and after a panic; a limit is honoured within two seconds even when the work does not
//! look at the stop flag. No other library names clap but `slam`, for its own options. The crate must not know the
//! analyses.
//!
//! ```
//! use cli::Verdict;
//! use std::time::Duration;
//!
//! assert_eq!(cli::units::duration("5min"), Ok(Duration::from_secs(300)));
//! let found = Verdict::Unsafe { kind: "reach".into(), place: "lock.c:12".into() };
//! assert_eq!(found.to_string(), "VERDICT: UNSAFE(reach) at lock.c:12");
//! assert_eq!(found.exit_code(), cli::verdict::EXIT_UNSAFE);
//! ```

pub mod channel;
#[cfg(unix)]
mod crash;
#[cfg(feature = "front")]
pub mod front;
pub mod inputs;
#[cfg(feature = "models")]
pub mod models;
pub mod options;
pub mod outputs;
pub mod process;
#[cfg(feature = "front")]
pub mod property;
pub mod session;
pub mod terminal;
pub mod units;
pub mod verdict;
pub mod watchdog;

pub use children;
#[cfg(feature = "front")]
pub use front::FrontEnd;
pub use options::{Limits, Output, Usage, parse};
pub use outputs::write_atomically;
pub use process::{exit, pool, run_on_big_stack};
pub use session::{Host, Session};
pub use verdict::Verdict;
pub use watchdog::StopReason;
