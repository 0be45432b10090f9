//! Tests of the form, of the passes and analyses over it, and of the interpreter.

mod addresses;
mod allocators;
mod analysis;
mod block_members;
mod byte_sets;
mod check;
mod convert;
mod expressions;
mod graph;
mod instrument;
mod interp;
mod nesting;
mod parse;
mod passes;
mod soundness;
mod spans;
mod threads;
mod types;
