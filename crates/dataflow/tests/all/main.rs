//! The analyses for null pointers.

mod common;
mod pointers;
mod soundness;
mod table;
