//! The commands of `slam`, each with its options, its work and its output.

pub(crate) mod batch;
pub(crate) mod certify;
pub(crate) mod check;
pub(crate) mod dataflow;
pub(crate) mod ending;
pub(crate) mod nullness;
pub(crate) mod page;
pub(crate) mod replay;
pub(crate) mod rules;
pub(crate) mod run;
pub(crate) mod show;

use cli::Host;
use cli::process::Sink;

/// Who runs a command, and where its output goes.
pub(crate) struct Console<'a> {
    /// Who runs it.
    pub host: Host,
    /// Its standard output.
    pub stdout: &'a mut Sink<'a>,
    /// Its standard error.
    pub stderr: &'a mut Sink<'a>,
}
