//! Names to ids, and the rules of the language, in this order:
//! 1. every declared name and label is an identifier, and statement ids are distinct;
//! 2. no two globals, no two procedures, no two variables of one procedure, no two labels of one procedure
//!    have the same name (a local may shadow a global: a warning);
//! 3. every variable, procedure and label that is used is declared;
//! 4. an assignment has as many values as targets, a call as many arguments as formals and no results or as
//!    many as the procedure returns, a `return` as many values as its header states;
//! 5. the targets of one statement are distinct;
//! 6. next-state variables stand in `constrain` only.

use super::{ProcId, VarId};
use crate::ast::Program;
use crate::expr::Expr;
use crate::name::{Ident, Loc, Name};
use base::{Diagnostic, Id};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many errors are collected.
const MOST_ERRORS: usize = 50;

/// The messages of a check.
#[derive(Default)]
pub(super) struct Report {
    pub(super) errors: Vec<Diagnostic>,
    pub(super) warnings: Vec<Diagnostic>,
}

impl Report {
    pub(super) fn error(&mut self, loc: Loc, message: impl Into<String>) {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(Diagnostic::error(loc.0, message));
        }
    }
}

/// The names visible in one procedure, and what its statements are checked against.
pub(super) struct Scope<'a> {
    pub(super) globals: &'a FxHashMap<Name, VarId>,
    pub(super) locals: FxHashMap<Name, VarId>,
    pub(super) report: &'a mut Report,
}

impl Scope<'_> {
    /// The variable of this name; an arbitrary one, with an error, when there is none.
    pub(super) fn var(&mut self, ident: &Ident, fallback: Loc) -> VarId {
        match self.locals.get(&ident.name).or_else(|| self.globals.get(&ident.name)) {
            Some(id) => *id,
            None => {
                let loc = if ident.loc.0.is_some() { ident.loc } else { fallback };
                self.report.error(loc, format!("variable `{ident}` is not declared"));
                VarId::from_index(0)
            }
        }
    }

    /// An expression over the state before a statement.
    pub(super) fn expr(&mut self, e: &Expr, loc: Loc) -> Expr<VarId> {
        self.resolve(e, loc, false)
    }

    /// A `constrain` clause.
    pub(super) fn constrain(&mut self, e: Option<&Expr>, loc: Loc) -> Option<Expr<VarId>> {
        e.map(|e| self.resolve(e, loc, true))
    }

    fn resolve(&mut self, e: &Expr, loc: Loc, next_allowed: bool) -> Expr<VarId> {
        let resolved = e.try_map(&mut |ident: &Ident, next| {
            if next && !next_allowed {
                let loc = if ident.loc.0.is_some() { ident.loc } else { loc };
                self.report.error(loc, format!("`'{ident}` stands for a next value, outside of `constrain`"));
            }
            Ok::<_, std::convert::Infallible>(self.var(ident, loc))
        });
        match resolved {
            Ok(e) => e,
        }
    }

    /// Distinct targets of one statement.
    pub(super) fn targets<'i>(
        &mut self,
        idents: impl Iterator<Item = Option<&'i Ident>>,
        loc: Loc,
    ) -> Vec<Option<VarId>> {
        let mut seen = FxHashSet::default();
        let mut out = Vec::new();
        for ident in idents {
            let id = ident.map(|ident| {
                let id = self.var(ident, loc);
                if !seen.insert(id) {
                    let at = if ident.loc.0.is_some() { ident.loc } else { loc };
                    self.report.error(at, format!("`{ident}` is set twice by one statement"));
                }
                id
            });
            out.push(id);
        }
        out
    }
}

/// Rule 1 and the part of rule 2 about procedures; procedures by name.
pub(super) fn procedures(program: &Program, report: &mut Report) -> FxHashMap<Name, ProcId> {
    let mut out = FxHashMap::default();
    for (index, proc) in program.procs.iter().enumerate() {
        well_formed(&proc.name, "procedure", report);
        if out.insert(proc.name.name.clone(), ProcId::from_index(index)).is_some() {
            report.error(proc.name.loc, format!("procedure `{}` is defined twice", proc.name));
        }
    }
    let mut ids = FxHashSet::default();
    program.for_each_stmt(|_, stmt| {
        if !ids.insert(stmt.id) {
            report.error(stmt.loc, format!("two statements have the id {}", stmt.id));
        }
    });
    out
}

/// Adds a declared variable to a scope (rules 1 and 2).
pub(super) fn declare(scope: &mut FxHashMap<Name, VarId>, ident: &Ident, id: VarId, report: &mut Report) {
    well_formed(ident, "variable", report);
    if scope.insert(ident.name.clone(), id).is_some() {
        report.error(ident.loc, format!("variable `{ident}` is declared twice"));
    }
}

pub(super) fn well_formed(ident: &Ident, what: &str, report: &mut Report) {
    let text = ident.name.as_str();
    let digits = what == "label" && !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits && !ident.name.is_well_formed() {
        report.error(ident.loc, format!("`{text}` is not an identifier, so it cannot name a {what}"));
    }
}
