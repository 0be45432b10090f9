//! The command `newton`.

pub(crate) mod predicate_file;
pub(crate) mod round;
