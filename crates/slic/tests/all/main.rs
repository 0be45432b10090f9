//! The language of rules, and programs with rules.

mod language;
mod product;
