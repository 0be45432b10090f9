//! `--check format`: the arguments of `printf`, `scanf` and their relatives against the conversions of the
//! format, where it is a literal, or a choice among literals. A mismatch is a check in front of the call that
//! fails whenever an execution reaches it; a format that is not known is not modelled.

use crate::error::Res;
use crate::library::formats::conversions::{Family, Piece, pieces};
use crate::lower::context::{Context, Settings};
use crate::lower::expr::Ast;
use crate::types::ty::{IntTy, Ty};
use base::Span;
use ir::{CheckKind, Expr};
use lang_c::ast;

/// The position of a function's format, and of its first value; no value where they are in a `va_list`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    family: Family,
    at: usize,
    first: Option<usize>,
}

/// The function's name without the prefixes of its variants.
fn plain(name: &str) -> &str {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let name = name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")).unwrap_or(name);
    name.strip_suffix("_unlocked").unwrap_or(name)
}

/// The format among the arguments of the function of this name.
pub(crate) fn format_of(name: &str) -> Option<Place> {
    use Family::{Print, Scan};
    let (family, at, first) = match plain(name) {
        "printf" | "printk" | "warn" | "warnx" => (Print, 0, Some(1)),
        "fprintf" | "dprintf" | "sprintf" | "asprintf" | "syslog" | "err" | "errx" => (Print, 1, Some(2)),
        "snprintf" | "error" => (Print, 2, Some(3)),
        "error_at_line" => (Print, 4, Some(5)),
        "vprintf" | "vwarn" | "vwarnx" => (Print, 0, None),
        "vfprintf" | "vdprintf" | "vsprintf" | "vasprintf" | "vsyslog" | "verr" | "verrx" => (Print, 1, None),
        "vsnprintf" => (Print, 2, None),
        "scanf" => (Scan, 0, Some(1)),
        "fscanf" | "sscanf" => (Scan, 1, Some(2)),
        "vscanf" => (Scan, 0, None),
        "vfscanf" | "vsscanf" => (Scan, 1, None),
        _ => return None,
    };
    Some(Place { family, at, first })
}

/// The functions that print a list of arguments.
pub(crate) const LIST_PRINTERS: [&str; 9] = [
    "vprintf",
    "vfprintf",
    "vdprintf",
    "vsprintf",
    "vsnprintf",
    "vasprintf",
    "vsyslog",
    "vwprintf",
    "vfwprintf",
];

/// Whether the function takes a format that is not checked: wide characters, variants that the compiler
/// substitutes.
pub(crate) fn takes_other_format(name: &str) -> bool {
    let name = plain(name);
    let checked = name.strip_prefix("__").and_then(|n| n.strip_suffix("_chk"));
    let is_format = |n: &str| n.ends_with("printf") || n.ends_with("scanf");
    checked.is_some_and(is_format) || name.ends_with("wprintf") || name.ends_with("wscanf")
}

/// The result of checking the arguments of a call.
enum Finding {
    InOrder,
    Wrong(String),
    NotKnown,
}

impl Context<'_> {
    /// Checks the format of a call behind the evaluation of its arguments.
    pub(crate) fn check_format(&mut self, name: &str, c: &ast::CallExpression, span: Span) -> Res<()> {
        if self.symbols.is_model(self.symbols.scopes.file) {
            return Ok(());
        }
        let Some(place) = format_of(name) else {
            if self.settings.options.wants(CheckKind::Format) && takes_other_format(name) {
                self.emitter.perhaps_unmodelled(name, span);
            }
            return Ok(());
        };
        let formats = c.arguments.get(place.at).and_then(literals).unwrap_or_default();
        if self.may_write_counts(place, &formats, c)? {
            self.emitter.unmodelled("the conversion `%n` is not supported", span);
            return Ok(());
        }
        if !self.settings.options.wants(CheckKind::Format) {
            return Ok(());
        }
        let mut findings = vec![];
        for format in &formats {
            findings.push(self.compare_format(format, place, c)?);
        }
        match &findings[..] {
            [Finding::Wrong(message)] => {
                let message = format!("the format of {}: {message}", plain(name));
                self.emitter.check_of(CheckKind::Format, Expr::int(0), message, span);
                self.emitter.end_path(span);
            }
            [_, ..] if findings.iter().all(|f| matches!(f, Finding::InOrder)) => {}
            _ => self.emitter.perhaps_unmodelled(name, span),
        }
        Ok(())
    }

    /// Whether a conversion `%n` may write to the target of an argument, which is not modelled.
    fn may_write_counts(&mut self, place: Place, formats: &[Vec<u8>], c: &ast::CallExpression) -> Res<bool> {
        let (Family::Print, Some(first)) = (place.family, place.first) else { return Ok(false) };
        if !formats.is_empty() {
            return Ok(formats.iter().any(|format| self.settings.has_count(format)));
        }
        self.is_target_of_counts(&c.arguments[first.min(c.arguments.len())..])
    }

    /// Whether one of these arguments points to what a conversion `%n` writes.
    fn is_target_of_counts(&mut self, arguments: &[Ast]) -> Res<bool> {
        for argument in arguments {
            let ty = self.type_of_expr(argument)?.ty;
            let to = match &ty {
                Ty::Ptr(to) | Ty::Array(to, _) | Ty::Vla(to, _) => to,
                _ => continue,
            };
            if !to.konst && matches!(&to.ty, Ty::Int(i) if *i != IntTy::CHAR && *i != IntTy::UCHAR) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// In a program that prints lists of arguments (`vprintf`), a call of one of its own functions with
    /// variable arguments may supply a conversion `%n`, and the target of its write.
    pub(crate) fn check_listed(&mut self, fixed: usize, c: &ast::CallExpression, span: Span) -> Res<()> {
        if !self.settings.uses.printed_lists
            || c.arguments.len() <= fixed
            || self.symbols.is_model(self.symbols.scopes.file)
        {
            return Ok(());
        }
        let formats: Vec<Vec<u8>> = c.arguments.iter().filter_map(literals).flatten().collect();
        let counts = match formats.is_empty() {
            true => self.is_target_of_counts(&c.arguments[fixed..])?,
            false => formats.iter().any(|format| self.settings.has_count(format)),
        };
        if counts {
            self.emitter.unmodelled("the conversion `%n` is not supported", span);
        }
        Ok(())
    }

    /// The arguments of a call against one format.
    fn compare_format(&mut self, format: &[u8], place: Place, c: &ast::CallExpression) -> Res<Finding> {
        let pieces = pieces(format, place.family, self.settings.model);
        let Some(first) = place.first else {
            return Ok(if pieces.is_empty() { Finding::InOrder } else { Finding::NotKnown });
        };
        if pieces.contains(&Piece::NotUnderstood) {
            return Ok(Finding::NotKnown);
        }
        let mut values = c.arguments.iter().skip(first);
        for piece in pieces {
            let (spelling, wanted) = match piece {
                Piece::Takes(spelling, wanted) => (spelling, wanted),
                Piece::Wrong(message) => return Ok(Finding::Wrong(message)),
                Piece::NotUnderstood => return Ok(Finding::NotKnown),
            };
            let Some(value) = values.next() else {
                let message =
                    format!("`{spelling}` takes {}, and there is no argument for it", wanted.describe());
                return Ok(Finding::Wrong(message));
            };
            let given = self.passed_type(value)?;
            if !wanted.takes(&given) {
                let text = self.symbols.snippet(self.symbols.span(value));
                let (wanted, given) = (wanted.describe(), given.describe());
                return Ok(Finding::Wrong(format!("`{spelling}` takes {wanted}, and `{text}` is {given}")));
            }
        }
        Ok(Finding::InOrder)
    }

    /// The type of an argument after the default argument promotions.
    fn passed_type(&mut self, argument: &Ast) -> Res<Ty> {
        Ok(match self.type_of_expr(argument)?.ty {
            Ty::Array(to, _) | Ty::Vla(to, _) => Ty::Ptr(to),
            Ty::Func(f) => Ty::ptr_to(Ty::Func(f)),
            Ty::Int(i) => Ty::Int(i.promoted()),
            Ty::Float(bits) if bits < 64 => Ty::DOUBLE,
            ty => ty,
        })
    }
}

impl Settings<'_> {
    fn has_count(&self, format: &[u8]) -> bool {
        let is_count = |piece: &Piece| matches!(piece, Piece::Takes(text, _) if text.ends_with('n'));
        pieces(format, Family::Print, self.model).iter().any(is_count)
    }
}

/// The literals that an expression may be, when it is nothing else.
fn literals(e: &Ast) -> Option<Vec<Vec<u8>>> {
    match &e.node {
        ast::Expression::StringLiteral(_) => {
            let units = crate::library::models::literal_units(e)?;
            let text: Option<Vec<u8>> = units.into_iter().map(|u| u8::try_from(u).ok()).collect();
            Some(vec![text?])
        }
        ast::Expression::Conditional(choice) => {
            let mut all = literals(&choice.node.then_expression)?;
            all.extend(literals(&choice.node.else_expression)?);
            Some(all)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_found_in_all_variants() {
        assert_eq!(format_of("__builtin_snprintf").map(|p| (p.at, p.first)), Some((2, Some(3))));
        assert_eq!(format_of("__isoc99_sscanf").map(|p| (p.at, p.first)), Some((1, Some(2))));
        assert_eq!(format_of("vfprintf").map(|p| (p.at, p.first)), Some((1, None)));
        assert_eq!(format_of("strftime"), None);
        assert!(takes_other_format("__fprintf_chk") && takes_other_format("swprintf"));
        assert!(!takes_other_format("printf") && !takes_other_format("__memcpy_chk"));
    }
}
