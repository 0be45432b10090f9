//! Random C-- programs, as text.

pub mod calls;
pub mod pointers;
