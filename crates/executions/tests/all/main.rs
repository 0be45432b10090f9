//! What is known of programs before the search.

mod common;
mod computed;
mod loops;
mod observed;
mod soundness;
