//! Typed ids, source positions and diagnostics: the base of every other crate of the workspace.
//!
//! Invariant: nothing else enters this crate. It knows no language, no prover and no decision diagram,
//! and it does no input or output.

pub mod diagnostic;
pub mod id;
pub mod source;
pub mod styles;
pub mod wording;

pub use diagnostic::{Diagnostic, Severity};
pub use id::{Id, IndexVec};
pub use source::{FileId, Pos, SourceMap, Span, shown, turns_text};
pub use wording::{scramble_wordings, wording};
