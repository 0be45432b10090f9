//! Reads of memory that nothing has written.

pub mod byte_sets;
pub mod copies;
pub mod definite_assignment;
pub mod fresh_allocations;
pub mod ghost_prefix;
pub mod initialiser_prefix;
pub mod must_written;
pub mod reads;
pub mod redeclared_locals;
pub mod scalar_parts;
pub mod watched_byte;
