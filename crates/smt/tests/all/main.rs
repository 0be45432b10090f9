//! Terms, and the provers of them.

mod float;
mod horn;
mod once;
mod prover;
mod recipe;
mod simplify;
