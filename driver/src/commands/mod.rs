//! The commands of `slam`, each with its options, its work and its output.

pub(crate) mod batch;
pub(crate) mod certify;
pub(crate) mod check;
pub(crate) mod dataflow;
pub(crate) mod ending;
pub(crate) mod nullness;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod show;
