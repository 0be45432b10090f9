//! Tests of the checker: the figures of the paper, random programs against the brute-force interpreter, the language.

mod boolean;
mod brute;
mod figures;
mod language;
mod models;
mod random;
mod support;
