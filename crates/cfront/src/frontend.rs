//! The result of the front end.

use crate::harness::Harness;
use crate::library::rule_marks::Marked;
use crate::lower::source_names::Words;
#[cfg(doc)]
use crate::options::Options;
use base::{Diagnostic, SourceMap, Span};
#[cfg(doc)]
use ir::CheckKind;
use ir::{Check, ProcId, Program};
use std::collections::BTreeMap;

/// A program that was read.
#[derive(Clone, Debug)]
pub struct Frontend {
    /// The program in C--. Its checks are empty when every check of the source stands in functions that the
    /// entry never reaches.
    pub program: Program,
    /// The files that its spans refer to.
    pub sources: SourceMap,
    /// Warnings about input that was accepted with a consequence.
    pub warnings: Vec<Diagnostic>,
    /// Functions without body that are called or whose address is taken, in order of first use.
    pub externs: Vec<String>,
    /// The program's own assertions, error calls and labels that are not checked, in the order of the source:
    /// [`Options::checks`] has no [`CheckKind::Reach`].
    pub not_checked: Vec<Check>,
    /// The text that calls the entry function, where it is not `main`; programs that are compiled need it too.
    pub harness: Option<Harness>,
    /// The expressions with `&&`, `||` or `?:`: the branches inside of one of these decide together.
    pub conditions: Vec<Span>,
    /// How the source names the program's variables.
    pub words: Words,
    /// The functions of [`Options::marked`] that the program knows.
    pub marked: Vec<Marked>,
    /// A loop may start more threads than [`Options::max_threads`], where [`Options::any_threads`] may help.
    pub more_threads: bool,
}

impl Frontend {
    /// The procedures that calls of rules' functions are marked for, with the names that rules have for them.
    pub fn marked_procedures(&self) -> BTreeMap<ProcId, String> {
        self.marked.iter().filter_map(|m| Some((m.proc?, m.name.clone()))).collect()
    }
}
