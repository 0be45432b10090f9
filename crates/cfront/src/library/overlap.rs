//! Library functions that copy between places that must not overlap (C17 7.24.2, 7.21.6): in front of a call
//! stands a [`LibraryAccess`] for that. Nothing is emitted unless it is checked.

use crate::library::formats::text_length::{self, Argument};
use crate::lower::context::Emitter;
use crate::lower::expr::Ast;
use base::Span;
use ir::{CheckKind, Expr, LibraryAccess};

/// The copy of a function, from its second argument to its first.
fn copies(name: &str) -> Option<(LibraryAccess, bool)> {
    use LibraryAccess::{Apart, ApartEnd, ApartText};
    Some(match name {
        "memcpy" | "mempcpy" => (Apart, true),
        "strcpy" | "stpcpy" => (ApartText, false),
        "strncpy" | "stpncpy" => (ApartText, true),
        "strcat" => (ApartEnd, false),
        "strncat" => (ApartEnd, true),
        _ => return None,
    })
}

impl Emitter<'_> {
    /// The places between which a call of the function of this name copies are apart.
    pub(crate) fn copies_apart(&mut self, name: &str, args: &[Option<Expr>], span: Span) {
        if !self.settings.options.wants(CheckKind::Overlap) {
            return;
        }
        let name = name.strip_prefix("__builtin_").unwrap_or(name);
        let name = name.strip_prefix("__").and_then(|n| n.strip_suffix("_chk")).unwrap_or(name);
        let Some((access, counted)) = copies(name) else { return };
        let [Some(to), Some(from), rest @ ..] = args else { return };
        let count = if counted { rest.first().cloned().flatten() } else { None };
        if counted && count.is_none() {
            return;
        }
        let size = ir::Type::Int(self.settings.size_ty().lower());
        let args = [to.clone(), from.clone()].into_iter().chain(count.map(|n| n.cast(size))).collect();
        self.access(access, args, span);
    }

    /// The text that a format makes is written, the least of these numbers of bytes of it, to where none of the strings
    /// stands that it is made of.
    pub(crate) fn made_apart(
        &mut self,
        format: usize,
        args: &[Expr],
        asts: &[Ast],
        written: &[Expr],
        span: Span,
    ) {
        if !self.settings.options.wants(CheckKind::Overlap) {
            return;
        }
        let [to, ..] = args else { return };
        let directives =
            asts.get(format).and_then(crate::library::models::literal_units).map(text_length::printed);
        let size = self.settings.size_ty().lower();
        let number = |n| Expr::Const(n, ir::Type::Int(size));
        // A negative precision is none, and a number that no object's size is.
        let mut strings = vec![(format, number(size.max()))];
        let mut next = format + 1;
        for directive in directives.into_iter().flatten() {
            let (value, precision) = directive.arguments(&mut next);
            let starred = precision.and_then(|n| args.get(n)).map(|n| n.clone().cast(ir::Type::Int(size)));
            let most = starred.or(directive.precision.map(|n| number(n.into())));
            let text = value.filter(|_| directive.argument == Argument::Text);
            strings.extend(text.map(|n| (n, most.unwrap_or_else(|| number(size.max())))));
        }
        for (n, most) in strings {
            let Some(from) = args.get(n).filter(|e| e.ty().is_ptr()) else { continue };
            let all = [to, from, &most].into_iter().chain(written).cloned().collect();
            self.access(LibraryAccess::ApartMade, all, span);
        }
    }
}
