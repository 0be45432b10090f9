//! Atomic sections in the form of Getafix: a shared variable `atomic` that is set to 1 where a section begins, and to 0
//! where it ends. Getafix lets a thread run only if `atomic` is 0, or the thread's own variable that is set together
//! with it is 1; so the others stand still inside.

use super::marks::{Mark, Marks};
use crate::ast::preorder;
use crate::{Expr, Ident, Name, Proc, Program, Stmt, StmtKind};
use base::Diagnostic;

/// The variable, if the program has one.
///
/// # Errors
/// Where it gets a value that is no constant, which begins or ends no section.
pub(super) fn variable(program: &Program, init: &Proc) -> Result<Option<Name>, Vec<Diagnostic>> {
    let Some(global) = program.globals.iter().find(|global| global.name.as_str() == "atomic") else {
        return Ok(None);
    };
    for proc in program.procs.iter().filter(|proc| sees(proc, &global.name) && proc.name != init.name) {
        for stmt in preorder(&proc.body) {
            let set: Vec<(&Ident, Option<&Expr>)> = match &stmt.kind {
                StmtKind::Assign { targets, values, .. } => {
                    targets.iter().zip(values.iter().map(Some)).collect()
                }
                StmtKind::Call { results, .. } => results.iter().flatten().map(|v| (v, None)).collect(),
                _ => vec![],
            };
            let odd = |(v, e): &(&Ident, Option<&Expr>)| {
                v.name == global.name && !matches!(e, Some(Expr::Const(_)))
            };
            if let Some((ident, _)) = set.into_iter().find(odd) {
                let loc = if ident.loc.0.is_some() { ident.loc } else { stmt.loc };
                let message = "`atomic` begins a section, or ends one, when it is set to 1 or 0: other values are not supported";
                return Err(vec![Diagnostic::error(loc.0, message)]);
            }
        }
    }
    Ok(Some(global.name.clone()))
}

/// Marks the statements of a body that begin or end a section.
pub(super) fn mark(proc: &Proc, body: &[Stmt], variable: &Name, marks: &mut Marks) {
    if !sees(proc, variable) {
        return;
    }
    for stmt in preorder(body) {
        if let StmtKind::Assign { targets, values, .. } = &stmt.kind
            && let Some(at) = targets.iter().position(|target| target.name == *variable)
            && let Expr::Const(begins) = values[at]
        {
            marks.statements.insert(stmt.id, Mark::Atomic(begins));
        }
    }
}

/// Whether no variable of the procedure hides it.
fn sees(proc: &Proc, variable: &Name) -> bool {
    !proc.formals.iter().chain(&proc.locals).any(|own| own.name == *variable)
}
