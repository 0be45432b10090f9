//! Generators of random expressions and programs: for tests of this crate, and with the feature `arbitrary` for those of
//! others.

pub mod calls;
#[cfg(test)]
mod expressions;
pub mod pointers;

#[cfg(test)]
pub(crate) use expressions::{Forms, SCOPE, scope, tree};
