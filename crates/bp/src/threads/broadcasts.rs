//! Broadcasts `x$`: the variable x of the threads that do not move. A statement that mentions it is a relation
//! between the thread that moves and each of the others, and is possible when it is so with each of them: `x$
//! := e` gives x a new value in each other thread, a conjunct of a `constrain` or an `assume` must hold with
//! each, and so must the value assigned to a variable of the thread itself. Parts that mention no other thread
//! must hold even if there is none.

use super::callee;
use crate::system::Broadcast;
use crate::{BinOp, Cfg, EdgeId, Expr, Ident, Loc, Name, Proc, ProcId, Program, Stmt, StmtId, StmtKind};
use base::{Diagnostic, Id};
use std::collections::BTreeMap;

/// The parts of a statement about other threads.
#[derive(Default)]
pub(super) struct Said {
    targets: Vec<(Ident, Expr)>,
    constrain: Vec<Expr>,
}

/// These parts of all statements.
pub(super) type Broadcasts = BTreeMap<StmtId, Said>;

/// Names as they stand in a procedure.
struct Names<'p> {
    globals: &'p [Ident],
    proc: &'p Proc,
}

impl Names<'_> {
    fn declares(&self, name: &str) -> bool {
        let own = self.proc.formals.iter().chain(&self.proc.locals);
        own.chain(self.globals).any(|ident| ident.name.as_str() == name)
    }

    /// The variable whose other values the name stands for.
    fn of_others(&self, name: &Name) -> Option<Name> {
        let own = name.as_str().strip_suffix('$').filter(|own| self.declares(own))?;
        (!self.declares(name.as_str())).then(|| Name::new(own))
    }

    fn speaks(&self, e: &Expr) -> bool {
        let mut found = false;
        e.for_each_var(&mut |ident, _| found |= self.of_others(&ident.name).is_some());
        found
    }

    /// Conjuncts that mention no other thread, and those that do.
    fn split(&self, e: Expr) -> (Vec<Expr>, Vec<Expr>) {
        let list = match e {
            Expr::And(list) => list,
            e => vec![e],
        };
        list.into_iter().partition(|e| !self.speaks(e))
    }
}

/// Takes what is said of other threads out of the procedure's assignments and assumptions.
pub(super) fn take(globals: &[Ident], proc: &mut Proc, broadcasts: &mut Broadcasts) {
    let mut body = std::mem::take(&mut proc.body);
    let names = Names { globals, proc };
    let mut stack: Vec<&mut Stmt> = body.iter_mut().collect();
    while let Some(stmt) = stack.pop() {
        let mut said = Said::default();
        let kind = std::mem::replace(&mut stmt.kind, StmtKind::Skip);
        stmt.kind = match kind {
            StmtKind::Assign { targets, values, constrain } => {
                let mut own = vec![];
                for (target, value) in targets.into_iter().zip(values) {
                    if names.of_others(&target.name).is_some() {
                        said.targets.push((target, value));
                    } else if names.speaks(&value) {
                        let next = Expr::Next(target.clone());
                        said.constrain.push(Expr::binary(BinOp::Eq, next, value));
                        own.push((target, Expr::Star));
                    } else {
                        own.push((target, value));
                    }
                }
                let mut rest = None;
                if let Some(e) = constrain {
                    let (alone, with_others) = names.split(*e);
                    said.constrain.extend(with_others);
                    rest = (!alone.is_empty()).then(|| Box::new(Expr::and(alone)));
                }
                let (targets, values): (Vec<_>, Vec<_>) = own.into_iter().unzip();
                match (targets.is_empty(), rest) {
                    (false, constrain) => StmtKind::Assign { targets, values, constrain },
                    (true, None) => StmtKind::Skip,
                    (true, constrain) => StmtKind::Assume { cond: Expr::one(), constrain },
                }
            }
            StmtKind::Assume { cond, constrain } => {
                let (alone, with_others) = names.split(cond);
                said.constrain.extend(with_others);
                StmtKind::Assume { cond: Expr::and(alone), constrain }
            }
            other => other,
        };
        if !said.targets.is_empty() || !said.constrain.is_empty() {
            broadcasts.insert(stmt.id, said);
        }
        stack.extend(stmt.children_mut());
    }
    proc.body = body;
}

/// The effects of edges on other threads. The variables of other threads are numbered behind those of the graph.
///
/// # Errors
/// Where it is said in another procedure than the one that all threads run, or of a variable that is shared.
pub(super) fn resolve(
    cfg: &Cfg,
    shared: usize,
    home: ProcId,
    broadcasts: &Broadcasts,
) -> Result<Vec<(EdgeId, Broadcast)>, Vec<Diagnostic>> {
    let mut out = vec![];
    for (id, edge) in cfg.edges.iter_enumerated() {
        let Some(said) = broadcasts.get(&edge.stmt) else { continue };
        let from = &cfg.vertices[edge.from];
        let refuse = |loc: Loc, message: String| vec![Diagnostic::error(loc.0, message)];
        if from.proc != home {
            let message =
                "variables of other threads (`x$`) are supported in the procedure that all threads run only";
            return Err(refuse(from.loc, message.to_owned()));
        }
        let find = |name: &str| cfg.scope(home).filter(|v| cfg.vars[*v].name.as_str() == name).last();
        let mut var = |ident: &Ident, _next: bool| {
            if let Some(own) = find(ident.name.as_str()) {
                return Ok(own);
            }
            let own = ident.name.as_str().strip_suffix('$').and_then(find);
            let own = own.expect("the checker knows the variable");
            if own.index() < shared {
                let loc = if ident.loc.0.is_some() { ident.loc } else { from.loc };
                return Err(refuse(loc, format!("`{ident}`: all threads share this variable")));
            }
            Ok(crate::VarId::from_index(own.index() + cfg.vars.len()))
        };
        let mut others = Broadcast { targets: vec![], constrain: vec![] };
        for (target, value) in &said.targets {
            let target = var(target, false)?;
            others.targets.push((target, value.try_map(&mut var)?));
        }
        for e in &said.constrain {
            others.constrain.push(e.try_map(&mut var)?);
        }
        out.push((id, others));
    }
    Ok(out)
}

/// Whether a program that is not one in which all threads run the same procedure mentions other threads' variables.
pub(super) fn refuse(program: &Program, entry: &str) -> Result<(), Vec<Diagnostic>> {
    match crate::passive(program, Some(entry)) {
        Some(found) => {
            let message =
                format!("{} is supported where all threads run the same procedure only", found.what);
            Err(vec![Diagnostic::error(found.loc.0, message)])
        }
        None => Ok(()),
    }
}

/// Whether threads are started with a call.
pub(super) fn starts_calls(program: &Program) -> Option<Loc> {
    let mut found = None;
    program.for_each_stmt(|stmt| {
        let starts = matches!(&stmt.kind, StmtKind::StartThread(_)) || super::is_async(stmt);
        if starts && callee(stmt).is_some() {
            found.get_or_insert(stmt.loc);
        }
    });
    found
}
