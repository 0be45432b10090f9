//! Rules of interface use, in the manner of SLIC \[BR-SLIC01\]: the language, its parser, printer and checker, the
//! library of rules, and the product of a rule with a C-- program.
//!
//! A [`Rule`] keeps state beside a program and changes it when functions that it names are called and return. The
//! [`product()`] of a program and a rule is a program that fails a check exactly if the program can break the rule; it
//! is a pass from C-- to C--. The crate must not know C's syntax, a prover, or boolean programs.
//!
//! ```
//! use slic::Called;
//!
//! # fn main() -> Result<(), Vec<base::Diagnostic>> {
//! let rule = r#"state { bool held = 0; }
//!     lock.entry { if (held) abort "locked twice"; held = 1; }"#;
//! let rule = slic::read(rule, base::SourceMap::new().add("lock.slic", None))?;
//! let text = "entry main; extern void lock(void);
//!     proc void main(void) { entry L0; exit L2; L0: lock(); goto L1; L1: lock(); goto L2; L2: }";
//! let program = ir::parse::program(text).map_err(|mistake| vec![mistake])?;
//! let lock = program.find_proc("lock").expect("it is declared");
//! let edges_before = program.procs.iter().map(|proc| proc.edges.len()).collect();
//! let called = Called { functions: [(lock, "lock".into())].into(), edges_before };
//! let product = slic::product(&program, &called, &rule, "lock")?;
//! assert_eq!(product.state[0].0, "held");
//! assert_eq!(product.program.checks.len(), 2, "one at each call");
//! # Ok(())
//! # }
//! ```

pub mod ast;
mod check;
mod lexer;
mod library;
mod parser;
mod prepared;
mod printer;
pub mod product;
mod source;

pub use ast::Rule;
pub use check::check;
pub use library::{Entry, LIBRARY, find};
pub use parser::parse;
pub use prepared::{Prepared, RuleState, prepared};
pub use printer::print;
pub use product::{Called, Product, product};
pub use source::{Known, RULES, Source, misfits, never_aborts, same_names};

use base::{Diagnostic, FileId};

/// Reads a rule and checks it.
///
/// # Errors
/// What is wrong with it, in the order of the file.
pub fn read(text: &str, file: FileId) -> Result<Rule, Vec<Diagnostic>> {
    let rule = parse(text, file).map_err(|d| vec![d])?;
    let found = check(&rule);
    if found.is_empty() { Ok(rule) } else { Err(found) }
}
