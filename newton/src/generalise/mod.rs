//! Predicates for other places than those of the path: copies, other callees, other states, isomorphic procedures.

pub mod callees;
pub mod cases;
pub mod copies;
pub mod isomorphic;
pub mod states;
pub mod suggested;
