//! The base of every other crate: typed ids and vectors that they index, source files and spans, diagnostics with their
//! text.
//!
//! Nothing else enters this crate: it must not know any language, prover or decision diagram, and does no input or
//! output.
//!
//! ```
//! use base::{Diagnostic, Pos, SourceMap, Span};
//!
//! let mut sources = SourceMap::new();
//! let file = sources.add("lock.c", Some("int main(void) { unlock(); }\n".into()));
//! let (start, end) = (Pos { line: 1, col: 18 }, Pos { line: 1, col: 24 });
//! let found = Diagnostic::error(Span { file, start, end }, "`unlock` is not declared");
//! assert_eq!(
//!     found.render(&sources).lines().collect::<Vec<_>>(),
//!     [
//!         "lock.c:1:18: error: `unlock` is not declared",
//!         "    1 | int main(void) { unlock(); }",
//!         "      |                  ^^^^^^",
//!     ]
//! );
//! ```

pub mod diagnostic;
pub mod dot;
pub mod id;
pub mod source;
pub mod styles;
pub mod union_find;
pub mod wording;

pub use diagnostic::{Diagnostic, Severity};
pub use id::{Id, IndexVec};
pub use source::{FileId, Pos, SourceMap, Span, shown, turns_text};
pub use union_find::UnionFind;
pub use wording::{scramble_wordings, wording};
