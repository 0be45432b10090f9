//! Tests against what C computes.

mod encode;
mod normal;
