//! Rules of interface use, in the manner of SLIC \[BR-SLIC01\]: the language, and its product with a program.
//!
//! A [`Rule`] keeps state beside a program and changes it when functions that it names are called and return. The
//! [`product()`] of a program and a rule is a program that fails a check exactly if the program can break the rule.
//! Invariant: this crate knows no C syntax and no prover; the product is a pass from C-- to C--.

pub mod ast;
mod check;
mod lexer;
mod library;
mod parser;
mod printer;
pub mod product;
mod source;

pub use ast::Rule;
pub use check::check;
pub use library::{Entry, LIBRARY, find};
pub use parser::parse;
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
