//! Names of expressions in messages: C text, with the source's own text where the front end has invented a
//! variable.

use super::Describe;
use ir::expr::{Expr, Lvalue};
use ir::print;
use ir::program::Program;
use std::fmt::Write;

/// Longest text of a temporary or of a whole expression.
const LONGEST: usize = 60;

pub(crate) fn expr(program: &Program, describe: &Describe<'_>, e: &Expr) -> String {
    readable(program, describe, &print::expr(program, e), e)
}

pub(crate) fn lvalue(program: &Program, describe: &Describe<'_>, lv: &Lvalue) -> String {
    let e = lv.clone().addr();
    readable(program, describe, &print::lvalue(program, lv), &e)
}

/// The text with each variable of the expression called as in the source.
fn readable(program: &Program, describe: &Describe<'_>, text: &str, e: &Expr) -> String {
    let mut text = text.to_owned();
    e.walk(&mut |node| {
        let (Expr::Load(lv) | Expr::AddrOf(lv)) = node else { return };
        let ir::expr::Base::Var(v) = lv.base else { return };
        let var = &program.vars[v];
        if let Some(source) = describe(program, v)
            && source != var.name
            && source.len() <= LONGEST
            && !source.is_empty()
        {
            text = replaced(&text, &var.name, &source);
        }
    });
    if text.chars().count() > LONGEST {
        text = text.chars().take(LONGEST - 3).collect();
        text.push_str("...");
    }
    text
}

/// The text with each whole word `name` replaced.
fn replaced(text: &str, name: &str, by: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        out.push_str(before);
        let whole = !out.ends_with(is_word) && !after.starts_with(is_word);
        let _ = write!(out, "{}", if whole { by } else { name });
        rest = after;
    }
    out.push_str(rest);
    out
}
