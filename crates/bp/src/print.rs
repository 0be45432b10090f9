//! The canonical printer. Invariant: what it prints parses back to an equal tree (`tests/all/round_trip.rs`), so
//! every mix of unlike binary operators is parenthesised and a comment never runs into the next line.

use crate::ast::{Proc, Program, Start, Stmt, StmtKind};
use crate::expr::{BinOp, Expr};
use crate::name::Ident;
use std::fmt::{Display, Write};

/// The column at which comments begin, when the statement leaves room.
const COMMENT_COLUMN: usize = 48;
/// The width at which long declarations are broken.
const WIDTH: usize = 100;

/// The whole program as text; ends with a line break.
pub fn print(program: &Program) -> String {
    let mut out = String::new();
    comments(&mut out, 0, &program.header);
    decls(&mut out, &program.globals, &program.remarks, 0);
    if !program.init.is_empty() {
        apart(&mut out);
        line(&mut out, 0, "init begin", None, None);
        stmts(&mut out, &program.init, 1);
        line(&mut out, 0, "end", None, None);
    }
    for proc in &program.procs {
        apart(&mut out);
        print_proc(&mut out, proc, 0);
    }
    for thread in &program.threads {
        apart(&mut out);
        line(&mut out, 0, &format!("thread {}", thread.name), None, None);
        decls(&mut out, &thread.globals, &thread.remarks, 1);
        for (i, proc) in thread.procs.iter().enumerate() {
            if i > 0 || !thread.globals.is_empty() {
                apart(&mut out);
            }
            print_proc(&mut out, proc, 1);
        }
        line(&mut out, 0, "end", None, None);
    }
    comments(&mut out, 0, &program.footer);
    out
}

/// Comment lines.
fn comments(out: &mut String, depth: usize, lines: &[String]) {
    for text in lines {
        line(out, depth, &format!("// {}", text.replace(['\n', '\r'], " ").trim()), None, None);
    }
}

/// An empty line, unless nothing stands above.
fn apart(out: &mut String) {
    if !out.is_empty() {
        out.push('\n');
    }
}

fn print_proc(out: &mut String, proc: &Proc, depth: usize) {
    comments(out, depth, &proc.above);
    let result = match proc.returns {
        0 => "void".to_owned(),
        1 => "bool".to_owned(),
        n => format!("bool<{n}>"),
    };
    let mut head = format!("{result} {}({})", proc.name, Commas(&proc.formals));
    if let Some(e) = &proc.enforce {
        let _ = write!(head, " enforce {e};");
    }
    head.push_str(" begin");
    line(out, depth, &head, proc.comment.as_deref(), proc.origin.as_deref());
    decls(out, &proc.locals, &proc.remarks, depth + 1);
    stmts(out, &proc.body, depth + 1);
    line(out, depth, "end", None, None);
}

/// Declarations; a variable with a remark has a line of its own.
fn decls(out: &mut String, names: &[Ident], remarks: &[(Ident, String)], depth: usize) {
    let mut remarks = remarks.iter().peekable();
    let mut rest = names;
    while let Some((first, _)) = rest.split_first() {
        if let Some((_, text)) = remarks.next_if(|(name, _)| name == first) {
            line(out, depth, &format!("decl {first};"), Some(text), None);
            rest = &rest[1..];
            continue;
        }
        let mut text = format!("decl {first}");
        let mut taken = 1;
        while let Some(next) = rest.get(taken)
            && remarks.peek().is_none_or(|(name, _)| name != next)
            && text.len() + next.name.as_str().len() < WIDTH
        {
            let _ = write!(text, ", {next}");
            taken += 1;
        }
        text.push(';');
        line(out, depth, &text, None, None);
        rest = &rest[taken..];
    }
}

fn stmts(out: &mut String, list: &[Stmt], depth: usize) {
    for stmt in list {
        comments(out, depth, &stmt.notes.above);
        let mut text = String::new();
        head_into(&mut text, stmt);
        line(out, depth, &text, stmt.notes.comment.as_deref(), stmt.notes.origin.as_deref());
        match &stmt.kind {
            StmtKind::If { arms, otherwise } => {
                for (i, (cond, body)) in arms.iter().enumerate() {
                    if i > 0 {
                        line(out, depth, &format!("elsif ({cond}) then"), None, None);
                    }
                    stmts(out, body, depth + 1);
                }
                if !otherwise.is_empty() {
                    line(out, depth, "else", None, None);
                    stmts(out, otherwise, depth + 1);
                }
                line(out, depth, "fi", None, None);
            }
            StmtKind::While { body, .. } => {
                stmts(out, body, depth + 1);
                line(out, depth, "od", None, None);
            }
            StmtKind::Atomic(body) => {
                stmts(out, body, depth + 1);
                line(out, depth, "end", None, None);
            }
            _ => {}
        }
    }
}

/// The statement on one line, with its labels, without comments: for `if` and `while` the head only.
pub fn head(stmt: &Stmt) -> String {
    let mut text = String::new();
    head_into(&mut text, stmt);
    text
}

fn head_into(out: &mut String, stmt: &Stmt) {
    for label in &stmt.labels {
        let _ = write!(out, "{label}: ");
    }
    let constrained = |out: &mut String, constrain: &Option<Box<Expr>>| {
        if let Some(c) = constrain {
            let _ = write!(out, " constrain {c}");
        }
        out.push(';');
    };
    let _ = match &stmt.kind {
        StmtKind::Skip => write!(out, "skip;"),
        StmtKind::Assign { targets, values, constrain } => {
            let _ = write!(out, "{} := {}", Commas(targets), Commas(values));
            constrained(out, constrain);
            Ok(())
        }
        StmtKind::Call { results, callee, args, constrain } => {
            for (i, r) in results.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                out.push_str(r.as_ref().map_or("_", |r| r.name.as_str()));
            }
            out.push_str(if results.is_empty() { "" } else { " := " });
            let _ = write!(out, "{callee}({})", Commas(args));
            constrained(out, constrain);
            Ok(())
        }
        StmtKind::If { arms, .. } => match arms.first() {
            Some((cond, _)) => write!(out, "if ({cond}) then"),
            None => write!(out, "if (0) then"),
        },
        StmtKind::While { cond, .. } => write!(out, "while ({cond}) do"),
        StmtKind::Goto(labels) => write!(out, "goto {};", Commas(labels)),
        StmtKind::Assume { cond, constrain } => {
            let _ = write!(out, "assume({cond})");
            constrained(out, constrain);
            Ok(())
        }
        StmtKind::Assert(cond) => write!(out, "assert({cond});"),
        StmtKind::Return(values) if values.is_empty() => write!(out, "return;"),
        StmtKind::Return(values) => write!(out, "return {};", Commas(values)),
        StmtKind::Dead(names) => write!(out, "dead {};", Commas(names)),
        StmtKind::Print(values) => write!(out, "print({});", Commas(values)),
        StmtKind::StartThread(Start::Goto(label)) => write!(out, "start_thread goto {label};"),
        StmtKind::StartThread(Start::Call { callee, args }) => {
            write!(out, "start_thread {callee}({});", Commas(args))
        }
        StmtKind::EndThread => write!(out, "end_thread;"),
        StmtKind::AtomicBegin => write!(out, "atomic_begin;"),
        StmtKind::AtomicEnd => write!(out, "atomic_end;"),
        StmtKind::Atomic(_) => write!(out, "atomic begin"),
    };
}

fn line(out: &mut String, depth: usize, text: &str, comment: Option<&str>, origin: Option<&str>) {
    let start = out.len();
    // Deep nesting must not make the text quadratic.
    let _ = write!(out, "{:width$}{text}", "", width = 2 * depth.min(20));
    if comment.is_some() || origin.is_some() {
        let used = out[start..].chars().count();
        let pad = COMMENT_COLUMN.saturating_sub(used).max(2);
        let _ = write!(out, "{:pad$}", "");
    }
    if let Some(comment) = comment {
        let _ = write!(out, "// {}", one_line(comment).replace("// @", "/ / @"));
        out.push_str(if origin.is_some() { "  " } else { "" });
    }
    if let Some(origin) = origin {
        let _ = write!(out, "// @ {}", one_line(origin));
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
}

/// Line breaks become blanks, and a comment that looks like an origin no longer does.
fn one_line(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let text = text.trim();
    if text.starts_with('@') { format!("'{text}") } else { text.to_owned() }
}

struct Commas<'a, T>(&'a [T]);

impl<T: Display> Display for Commas<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            f.write_str(if i > 0 { ", " } else { "" })?;
            write!(f, "{item}")?;
        }
        Ok(())
    }
}

impl BinOp {
    /// The operator as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinOp::Xor => "^",
            BinOp::Eq => "=",
            BinOp::Ne => "!=",
            BinOp::Implies => "=>",
        }
    }
}

impl<V: Display> Display for Expr<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let joined = |f: &mut std::fmt::Formatter<'_>, es: &[Expr<V>], sep: &str| {
            for (i, e) in es.iter().enumerate() {
                f.write_str(if i > 0 { sep } else { "" })?;
                operand(f, e)?;
            }
            Ok(())
        };
        match self {
            Expr::Const(b) => write!(f, "{}", u8::from(*b)),
            Expr::Star => f.write_str("*"),
            Expr::Var(v) => write!(f, "{v}"),
            Expr::Next(v) => write!(f, "'{v}"),
            Expr::Not(a) => {
                f.write_str("!")?;
                operand(f, a)
            }
            Expr::And(es) => joined(f, es, " & "),
            Expr::Or(es) => joined(f, es, " | "),
            Expr::Binary(op, a, b) => {
                operand(f, a)?;
                write!(f, " {} ", op.symbol())?;
                operand(f, b)
            }
            Expr::Ite(c, a, b) => {
                operand(f, c)?;
                f.write_str(" ? ")?;
                operand(f, a)?;
                f.write_str(" : ")?;
                operand(f, b)
            }
            Expr::Choose(a, b) => write!(f, "choose[{a}, {b}]"),
        }
    }
}

fn operand<V: Display>(f: &mut std::fmt::Formatter<'_>, e: &Expr<V>) -> std::fmt::Result {
    match e {
        Expr::And(_) | Expr::Or(_) | Expr::Binary(..) | Expr::Ite(..) => write!(f, "({e})"),
        e => write!(f, "{e}"),
    }
}
