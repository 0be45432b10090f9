//! Tests against what C computes.

mod encode;
mod floats;
mod normal;
