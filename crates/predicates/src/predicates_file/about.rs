//! Which program the predicates of a file are about: the source, or the program with constants and copies propagated.

use super::without_comments;
use ir::{Program, Var, VarId};
use std::collections::BTreeSet;

/// The first line of predicates that were found: they are about the program as the loop sees it.
pub const FOUND: &str = "// found by slam, about the program with constants and copies propagated\n";

/// Whether the text lists predicates that somebody has written, about the program as its source has it.
pub fn is_about_source(text: &str) -> bool {
    !text.starts_with(FOUND) && !without_comments(text).trim().is_empty()
}

/// The variables that the text names, in any procedure: reads of them stay, so that the predicates are about the program
/// as they are about the source. Those that were found need no such care, and would not suffice for another program.
pub fn named(program: &Program, text: &str) -> BTreeSet<VarId> {
    if text.starts_with(FOUND) {
        return BTreeSet::new();
    }
    let words: BTreeSet<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$').collect();
    let is_named = |(v, var): (VarId, &Var)| words.contains(var.name.as_str()).then_some(v);
    program.vars.iter_enumerated().filter_map(is_named).collect()
}
