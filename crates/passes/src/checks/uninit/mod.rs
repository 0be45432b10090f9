//! Reads of memory that nothing has written.

pub mod byte_sets;
pub(crate) mod copies;
pub(crate) mod definite_assignment;
pub(crate) mod fresh_allocations;
pub(crate) mod ghost_prefix;
pub(crate) mod initialiser_prefix;
pub(crate) mod must_written;
pub(crate) mod reads;
pub(crate) mod redeclared_locals;
pub(crate) mod scalar_parts;
pub(crate) mod watched_byte;
