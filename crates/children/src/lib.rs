//! Processes that work for this one (preprocessor, compiler, replayed program), and directories for their output.
//!
//! Invariant: everything started or made here is gone when this process is, however it ends. Each child gets a process
//! group with a *guard* in it, a shell that waits for the end of its standard input; the other end of that pipe is kept
//! by this process alone, so the system closes it even after SIGKILL, and the guard ends its group. A scratch directory
//! has a guard of the same kind that removes it. The crate must not know any language, or what the processes are for.
//!
//! ```
//! use children::{Children, Limits};
//! use std::process::Command;
//!
//! let (input, most) = (b"safe\n".to_vec(), 100);
//! let output = Children::default()
//!     .output(Command::new("tr").args(["a-z", "A-Z"]), input, most, &Limits::default())
//!     .expect("`tr` is part of every Unix");
//! assert_eq!(output.stdout, b"SAFE\n");
//! ```

mod group;
mod memory;
mod run;
mod scratch;

pub use group::Group;
pub use memory::resident_bytes;
pub use run::{Children, Failure, Limits, Running};
pub use scratch::{Scratch, random_name};
