//! Tests of the encoding.

mod encode;
mod floats;
