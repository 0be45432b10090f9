//! The rules of a run: text with a name, from the library or from a file.

use crate::ast::{Expr, ExprKind, Handler, Operand, Rule, Stmt, StmtKind};
use crate::{Entry, ast};
use base::{Diagnostic, FileId, SourceMap, Span};

/// Prefix of the names of the library's files in places.
pub const RULES: &str = "<rules>/";

/// A rule with its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The name that verdicts give: that of the library, or the file's without its ending.
    pub name: String,
    /// The file, for places.
    pub file: String,
    /// The text.
    pub text: String,
    /// Nobody wonders when a program has none of its functions: it is one of many.
    pub may_be_unused: bool,
}

impl From<&Entry> for Source {
    fn from(entry: &Entry) -> Source {
        Source {
            name: entry.name.to_owned(),
            file: format!("{RULES}{}.slic", entry.name),
            text: entry.text.to_owned(),
            may_be_unused: true,
        }
    }
}

impl Source {
    /// Adds the text to the files that places are in, unless it is there, and reads it.
    ///
    /// # Errors
    /// What is wrong with the rule.
    pub fn read(&self, sources: &mut SourceMap) -> Result<Rule, Vec<Diagnostic>> {
        let file = self.add(sources);
        crate::read(&self.text, file)
    }

    /// Adds the text to the files that places are in, unless it is there.
    pub fn add(&self, sources: &mut SourceMap) -> FileId {
        let known = sources.find(&self.file);
        known.unwrap_or_else(|| sources.add(self.file.clone(), Some(self.text.as_str().into())))
    }
}

/// Reports two rules of one name, which verdicts could not distinguish.
pub fn same_names(rules: &[Source], sources: &mut SourceMap) -> Vec<Diagnostic> {
    let mut found = vec![];
    for (n, rule) in rules.iter().enumerate() {
        if let Some(before) = rules[..n].iter().find(|r| r.name == rule.name) {
            let place = |file| Span::at(file, 1, 1);
            let (first, second) = (before.add(sources), rule.add(sources));
            let error = Diagnostic::error(place(second), format!("two rules are called `{}`", rule.name));
            found.push(error.with_note(place(first), "the other one"));
        }
    }
    found
}

/// A warning where no handler of the rule says that it is broken, so that every program keeps it.
pub fn never_aborts(rule: &Rule, file: FileId) -> Option<Diagnostic> {
    fn aborts(s: &Stmt) -> bool {
        match &s.kind {
            StmtKind::Block(body) => body.iter().any(aborts),
            StmtKind::If(_, yes, no) => aborts(yes) || no.iter().any(|s| aborts(s)),
            StmtKind::Abort(_) => true,
            StmtKind::Assign(..) | StmtKind::Store(..) | StmtKind::Halt => false,
        }
    }
    let message = "no handler of the rule has an `abort`, so that no program can break it";
    let breaks = rule.handlers.iter().any(|h| aborts(&h.body));
    (!breaks).then(|| Diagnostic::warning(Span::at(file, 1, 1), message))
}

/// A function of a program that a rule names.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its name.
    pub name: String,
    /// How many parameters it has, where that is certain.
    pub parameters: Option<usize>,
    /// It has a result.
    pub result: bool,
    /// The place of its declaration.
    pub span: Option<Span>,
}

/// Mismatches between a rule and the functions of a program: arguments that they do not have, results of
/// functions without one; and, for a rule that is about this program, functions that the program does not have:
/// an error when it has none of them, else a warning.
pub fn misfits(rule: &Rule, may_be_unused: bool, known: &[Known]) -> Vec<Diagnostic> {
    let mut found = vec![];
    for handler in &rule.handlers {
        for event in &handler.events {
            let function = event.function();
            let of = known.iter().filter(|k| function.is_some_and(|f| f.text == k.name));
            of.for_each(|k| in_handler(handler, k, &mut found));
        }
    }
    for watch in &rule.watch {
        let of = known.iter().filter(|k| k.name == watch.function.text);
        of.for_each(|k| operand(watch.object, watch.span, k, &mut found));
    }
    let names = rule.functions();
    let unknown: Vec<&&ast::Name> =
        names.iter().filter(|name| known.iter().all(|k| k.name != name.text)).collect();
    let none = unknown.len() == names.len();
    for name in unknown.into_iter().filter(|_| !may_be_unused) {
        let message = format!("the program has no function `{}`", name.text);
        found.push(match none {
            true => Diagnostic::error(name.span, message),
            false => Diagnostic::warning(name.span, message),
        });
    }
    found
}

fn in_handler(handler: &Handler, known: &Known, found: &mut Vec<Diagnostic>) {
    if let Some(guard) = &handler.guard {
        in_expr(guard, known, found);
    }
    in_statement(&handler.body, known, found);
}

fn in_statement(s: &Stmt, known: &Known, found: &mut Vec<Diagnostic>) {
    match &s.kind {
        StmtKind::Block(body) => body.iter().for_each(|s| in_statement(s, known, found)),
        StmtKind::If(condition, yes, no) => {
            if let ast::Condition::Of(e) = condition {
                in_expr(e, known, found);
            }
            in_statement(yes, known, found);
            no.iter().for_each(|s| in_statement(s, known, found));
        }
        StmtKind::Assign(_, _, e) => in_expr(e, known, found),
        StmtKind::Store(n, e) => {
            operand(ast::Operand::Argument(*n), s.span, known, found);
            in_expr(e, known, found);
        }
        StmtKind::Abort(_) | StmtKind::Halt => {}
    }
}

fn in_expr(e: &Expr, known: &Known, found: &mut Vec<Diagnostic>) {
    match &e.kind {
        ExprKind::Operand(which) => operand(*which, e.span, known, found),
        ExprKind::Number(_) | ExprKind::Name(_) | ExprKind::Watched => {}
        ExprKind::Unary(_, inner) | ExprKind::Cast(_, inner) => in_expr(inner, known, found),
        ExprKind::Binary(_, left, right) => {
            in_expr(left, known, found);
            in_expr(right, known, found);
        }
    }
}

fn operand(which: Operand, span: Span, known: &Known, found: &mut Vec<Diagnostic>) {
    let message = match (which, known.parameters) {
        (Operand::Argument(n), Some(have)) if n as usize > have => {
            let s = if have == 1 { "" } else { "s" };
            format!("there is no argument ${n}: `{}` has {have} parameter{s}", known.name)
        }
        (Operand::Return, _) if !known.result => format!("`{}` has no result", known.name),
        _ => return,
    };
    let error = Diagnostic::error(span, message);
    found.push(match known.span {
        Some(at) => error.with_note(at, "declared here"),
        None => error,
    });
}
