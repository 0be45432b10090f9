//! Generators of random expressions and programs, for the tests of this crate and of others.
//!
//! They are not behind a feature: with one, the tests would need a second build of this crate and of all that
//! depend on it.

pub mod calls;
#[cfg(test)]
mod expressions;
pub mod pointers;

#[cfg(test)]
pub(crate) use expressions::{Forms, SCOPE, scope, tree};
