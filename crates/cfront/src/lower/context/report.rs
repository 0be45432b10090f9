//! What reports say about the program: warnings, and names and places of the source.

use crate::lower::source_names::Words;
use crate::lower::source_parts::Parts;
use base::{Diagnostic, Span};

/// Data for reports only.
///
/// Invariant: no decision of the lowering depends on it.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Without repetitions.
    pub(crate) warnings: Vec<Diagnostic>,
    /// See [`Frontend::conditions`](crate::Frontend::conditions).
    pub(crate) conditions: Vec<Span>,
    pub(crate) words: Words,
    /// The places of parts of statements.
    pub(crate) parts: Parts,
}
