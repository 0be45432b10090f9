//! Tests against what C computes.

mod normal;
