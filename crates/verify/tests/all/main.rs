//! What the loop does with programs, and what it suggests about them.

mod callees;
mod common;
mod induction;
mod isomorphic;
mod observe;
mod precision;
mod rounds;
mod search;
mod solved;
mod states;
