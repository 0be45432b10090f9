//! The symbolic execution of operations: the state, the memory that was not written, steps one after the other, and the
//! join of states.

pub mod cone;
pub mod join;
pub mod opaque;
pub mod path_state;
pub mod unwritten_memory;
pub mod walk;
