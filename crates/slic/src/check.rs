//! Well-formedness of a rule by itself, without a program:
//!
//! - a name of the state is declared once, before it is used, and constants are computed from constants;
//! - a variable has an initial value, or `program.start` sets it on every path before anything can read it;
//! - an event has one handler, and a function one object that is watched;
//! - `$1` and `$return` stand in handlers where they have a meaning: arguments at entries and exits of functions, results at
//!   exits; a handler of several events uses what all of them have;
//! - `watched` stands on one side of `==` or `!=`, in a rule that watches something;
//! - a function whose object is watched has a handler that can know the object.

mod set;

use crate::ast::{
    BinaryOp, Condition, Event, EventKind, Expr, ExprKind, Handler, Name, Operand, Rule, Stmt, StmtKind,
};
use base::{Diagnostic, Span};
use std::collections::BTreeMap;

/// The errors of a rule; none when it can be used.
pub fn check(rule: &Rule) -> Vec<Diagnostic> {
    let mut checker = Checker { rule, names: BTreeMap::new(), found: vec![] };
    checker.state();
    checker.watches();
    checker.events();
    for handler in &rule.handlers {
        checker.handler(handler);
    }
    checker.found.extend(set::unset(rule));
    checker.found.sort_by_key(|d| d.span);
    checker.found
}

/// The meaning of a name of the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    Constant,
    Variable,
}

struct Checker<'r> {
    rule: &'r Rule,
    /// The names declared so far.
    names: BTreeMap<&'r str, (Meaning, Span)>,
    found: Vec<Diagnostic>,
}

/// The names and values that an expression may use.
#[derive(Clone, Copy)]
struct Context<'h> {
    /// The events at which it is evaluated; none in declarations.
    events: &'h [Event],
    /// Only constants have a value.
    constant: bool,
}

impl<'r> Checker<'r> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.found.push(Diagnostic::error(span, message));
    }

    fn declare(&mut self, name: &'r Name, meaning: Meaning) {
        if let Some((_, before)) = self.names.get(name.text.as_str()) {
            let error = Diagnostic::error(name.span, format!("`{}` is declared twice", name.text));
            self.found.push(error.with_note(*before, "first here"));
        } else {
            self.names.insert(&name.text, (meaning, name.span));
        }
    }

    fn state(&mut self) {
        let constants = Context { events: &[], constant: true };
        let rule = self.rule;
        for declaration in &rule.state {
            for constant in &declaration.constants {
                constant.value.iter().for_each(|e| self.expr(e, constants));
                self.declare(&constant.name, Meaning::Constant);
            }
            if let Some(variable) = &declaration.variable {
                variable.initial.iter().for_each(|e| self.expr(e, constants));
                self.declare(&variable.name, Meaning::Variable);
            }
        }
    }

    fn watches(&mut self) {
        let rule = self.rule;
        for (n, watch) in rule.watch.iter().enumerate() {
            let name = &watch.function;
            if let Some(before) = rule.watch[..n].iter().find(|w| w.function.text == name.text) {
                let error = Diagnostic::error(name.span, format!("`{}` is watched twice", name.text));
                self.found.push(error.with_note(before.function.span, "first here"));
            }
            let events = rule.handlers.iter().flat_map(|h| &h.events);
            let of = |e: &&Event| e.function().is_some_and(|f| f.text == name.text);
            let handled = events
                .filter(of)
                .any(|e| watch.object != Operand::Return || matches!(e.kind, EventKind::Exit(_)));
            if !handled {
                let event = if watch.object == Operand::Return { "exit" } else { "entry or exit" };
                self.error(watch.function.span, format!("nothing is done at {event} of `{}`", name.text));
            }
        }
    }

    fn events(&mut self) {
        let events: Vec<&Event> = self.rule.handlers.iter().flat_map(|h| &h.events).collect();
        for (n, event) in events.iter().enumerate() {
            if let Some(before) = events[..n].iter().find(|e| same(&e.kind, &event.kind)) {
                let error = Diagnostic::error(event.span, "there are two handlers of this event");
                self.found.push(error.with_note(before.span, "the first one"));
            }
            let watched = event.function().and_then(|f| self.rule.watched(&f.text));
            if watched.is_some_and(|w| w.object == Operand::Return)
                && matches!(event.kind, EventKind::Entry(_))
            {
                self.error(
                    event.span,
                    "the object that is watched is the result, which is not known at the entry",
                );
            }
        }
    }

    fn handler(&mut self, handler: &Handler) {
        let context = Context { events: &handler.events, constant: false };
        handler.guard.iter().for_each(|e| self.expr(e, context));
        self.statement(&handler.body, context);
    }

    fn statement(&mut self, s: &Stmt, context: Context<'_>) {
        match &s.kind {
            StmtKind::Block(body) => body.iter().for_each(|s| self.statement(s, context)),
            StmtKind::If(condition, yes, no) => {
                if let Condition::Of(e) = condition {
                    self.expr(e, context);
                }
                self.statement(yes, context);
                no.iter().for_each(|s| self.statement(s, context));
            }
            StmtKind::Assign(name, _, value) => {
                self.expr(value, context);
                match self.names.get(name.text.as_str()) {
                    Some((Meaning::Variable, _)) => {}
                    Some((Meaning::Constant, _)) => {
                        self.error(name.span, format!("`{}` is a constant", name.text));
                    }
                    None => self.undeclared(&name.text, name.span),
                }
            }
            StmtKind::Store(n, value) => {
                self.operand(Operand::Argument(*n), s.span, context);
                self.expr(value, context);
                if context.events.iter().any(|e| matches!(e.kind, EventKind::Entry(_))) {
                    self.error(s.span, "what a function stores is there at its exit");
                }
            }
            StmtKind::Abort(_) | StmtKind::Halt => {}
        }
    }

    fn undeclared(&mut self, name: &str, span: Span) {
        let message = format!("`{name}` is not declared in the state before this place");
        self.error(span, message);
    }

    fn expr(&mut self, e: &Expr, context: Context<'_>) {
        match &e.kind {
            ExprKind::Number(_) => {}
            ExprKind::Name(name) => match self.names.get(name.as_str()) {
                Some((Meaning::Variable, _)) if context.constant => {
                    self.error(e.span, format!("`{name}` is no constant"));
                }
                Some(_) => {}
                None => self.undeclared(name, e.span),
            },
            ExprKind::Operand(operand) => self.operand(*operand, e.span, context),
            ExprKind::Watched => {
                self.error(e.span, "`watched` can only be compared, with `==` or `!=`");
            }
            ExprKind::Unary(_, operand) | ExprKind::Cast(_, operand) => self.expr(operand, context),
            ExprKind::Binary(op, left, right) => {
                let is_watched = |e: &Expr| e.kind == ExprKind::Watched;
                let compares = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
                if compares && is_watched(left) != is_watched(right) {
                    if self.rule.watch.is_empty() || context.events.is_empty() {
                        self.error(e.span, "nothing is watched here");
                    }
                    self.expr(if is_watched(left) { right } else { left }, context);
                    return;
                }
                self.expr(left, context);
                self.expr(right, context);
            }
        }
    }

    fn operand(&mut self, operand: Operand, span: Span, context: Context<'_>) {
        let lacks = |e: &&Event| match (&e.kind, operand) {
            (EventKind::Entry(_) | EventKind::Exit(_), Operand::Argument(_)) => false,
            (EventKind::Exit(_), Operand::Return) => false,
            (EventKind::Entry(_) | EventKind::ProgramStart, _) => true,
            (EventKind::ProgramEnd | EventKind::ThreadEnd, _) => true,
        };
        let message = match operand {
            Operand::Return => "a result is known at the exit of a function only",
            Operand::Argument(_) => "arguments are known at the entry and the exit of functions only",
        };
        if context.events.is_empty() || context.events.iter().any(|e| lacks(&e)) {
            self.error(span, message);
        }
    }
}

fn same(a: &EventKind, b: &EventKind) -> bool {
    match (a, b) {
        (EventKind::Entry(a), EventKind::Entry(b)) | (EventKind::Exit(a), EventKind::Exit(b)) => {
            a.text == b.text
        }
        (a, b) => a == b,
    }
}
