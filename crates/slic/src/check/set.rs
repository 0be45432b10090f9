//! Variables without an initial value: `program.start` must set them on every path, before it reads them.

use crate::ast::{Condition, EventKind, Expr, ExprKind, Rule, Stmt, StmtKind};
use base::Diagnostic;
use std::collections::BTreeSet;

/// The uses of variables that have no value yet, and the variables that nothing sets.
pub(super) fn unset(rule: &Rule) -> Vec<Diagnostic> {
    let variables = rule.state.iter().filter_map(|d| d.variable.as_ref());
    let open: Vec<_> = variables.filter(|v| v.initial.is_none()).collect();
    let mut state = State { unset: open.iter().map(|v| v.name.text.as_str()).collect(), ended: false };
    let mut found = vec![];
    let is_start = |e: &crate::ast::Event| e.kind == EventKind::ProgramStart;
    if let Some(start) = rule.handlers.iter().find(|h| h.events.iter().any(is_start)) {
        if let Some(guard) = &start.guard {
            state.read(guard, &mut found);
            let mut inside = state.clone();
            inside.run(&start.body, &mut found);
            state = state.joined(inside);
        } else {
            state.run(&start.body, &mut found);
        }
    }
    if !state.ended {
        for v in open.iter().filter(|v| state.unset.contains(v.name.text.as_str())) {
            let message = format!("`{}` is used before it is set", v.name.text);
            let advice = "give it an initial value, or set it in `program.start`";
            found.push(Diagnostic::error(v.name.span, message).with_note(None, advice));
        }
    }
    found
}

/// The variables known to be set at a place.
#[derive(Clone)]
struct State<'r> {
    unset: BTreeSet<&'r str>,
    /// No execution comes here.
    ended: bool,
}

impl<'r> State<'r> {
    fn joined(self, other: State<'r>) -> State<'r> {
        match (self.ended, other.ended) {
            (true, _) => other,
            (_, true) => self,
            _ => State { unset: self.unset.union(&other.unset).copied().collect(), ended: false },
        }
    }

    fn run(&mut self, s: &'r Stmt, found: &mut Vec<Diagnostic>) {
        match &s.kind {
            StmtKind::Block(body) => body.iter().for_each(|s| self.run(s, found)),
            StmtKind::If(condition, yes, no) => {
                if let Condition::Of(e) = condition {
                    self.read(e, found);
                }
                let mut other = self.clone();
                self.run(yes, found);
                no.iter().for_each(|s| other.run(s, found));
                *self = self.clone().joined(other);
            }
            StmtKind::Assign(name, op, value) => {
                self.read(value, found);
                if op.is_some() && self.unset.contains(name.text.as_str()) {
                    found.push(too_early(&name.text, name.span));
                }
                self.unset.remove(name.text.as_str());
            }
            StmtKind::Store(_, value) => self.read(value, found),
            StmtKind::Abort(_) | StmtKind::Halt => self.ended = true,
        }
    }

    fn read(&self, e: &Expr, found: &mut Vec<Diagnostic>) {
        match &e.kind {
            ExprKind::Name(name) if self.unset.contains(name.as_str()) && !self.ended => {
                found.push(too_early(name, e.span));
            }
            ExprKind::Number(_) | ExprKind::Name(_) | ExprKind::Operand(_) | ExprKind::Watched => {}
            ExprKind::Unary(_, operand) | ExprKind::Cast(_, operand) => self.read(operand, found),
            ExprKind::Binary(_, left, right) => {
                self.read(left, found);
                self.read(right, found);
            }
        }
    }
}

fn too_early(name: &str, span: base::Span) -> Diagnostic {
    Diagnostic::error(span, format!("`{name}` is used before it is set"))
}
