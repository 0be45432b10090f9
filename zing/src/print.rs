//! The text of a syntax tree: one form for each tree, which the parser reads back to the same tree.

use crate::ast::{Call, Class, Cond, Expr, ExprKind, Proc, Program, Stmt, StmtKind, Type, UnOp, Value};
use std::fmt::Write;

/// The text of a program.
pub fn print(program: &Program) -> String {
    let mut out = String::new();
    for c in &program.consts {
        let _ = writeln!(out, "const int {} = {};", c.name, expr(&c.value));
    }
    for (i, c) in program.classes.iter().enumerate() {
        if i > 0 || !program.consts.is_empty() {
            out.push('\n');
        }
        class(&mut out, c);
    }
    out
}

fn class(out: &mut String, class: &Class) {
    let _ = writeln!(out, "class {} {{", class.name);
    for f in &class.fields {
        let word = if f.is_static { "static " } else { "" };
        let _ = writeln!(out, "  {word}{} {};", ty(&f.ty), f.name);
    }
    for p in &class.procs {
        proc(out, p);
    }
    out.push_str("}\n");
}

fn proc(out: &mut String, proc: &Proc) {
    out.push_str("\n  ");
    for (is, word) in [(proc.activate, "activate "), (proc.is_static, "static ")] {
        out.push_str(if is { word } else { "" });
    }
    match &proc.result {
        Some(result) => {
            let _ = write!(out, "{} ", ty(result));
        }
        None => out.push_str(if proc.constructor { "" } else { "void " }),
    }
    let params: Vec<String> = proc.params.iter().map(|(t, name)| format!("{} {name}", ty(t))).collect();
    let _ = write!(out, "{}({}) ", proc.name, params.join(", "));
    block(out, &proc.body, 1);
    out.push('\n');
}

fn ty(ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::Int => "int".to_owned(),
        Type::Range(lo, hi) => format!("int[{}..{}]", expr(lo), expr(hi)),
        Type::Class(name) => name.clone(),
    }
}

fn block(out: &mut String, stmts: &[Stmt], level: usize) {
    out.push_str("{\n");
    for s in stmts {
        stmt(out, s, level + 1);
    }
    let _ = write!(out, "{}}}", "  ".repeat(level));
}

fn stmt(out: &mut String, s: &Stmt, level: usize) {
    out.push_str(&"  ".repeat(level));
    for label in &s.labels {
        let _ = write!(out, "{label}: ");
    }
    kind(out, &s.kind, level);
    out.push('\n');
}

fn kind(out: &mut String, kind: &StmtKind, level: usize) {
    let _ = match kind {
        StmtKind::Skip => write!(out, ";"),
        StmtKind::Declare(t, name, None) => write!(out, "{} {name};", ty(t)),
        StmtKind::Declare(t, name, Some(v)) => write!(out, "{} {name} = {};", ty(t), value(v)),
        StmtKind::Assign(target, v) => write!(out, "{} = {};", expr(target), value(v)),
        StmtKind::Call(c) => write!(out, "{};", call(c)),
        StmtKind::Async(c) => write!(out, "async {};", call(c)),
        StmtKind::Assume(e) => write!(out, "assume({});", expr(e)),
        StmtKind::Assert(e) => write!(out, "assert({});", expr(e)),
        StmtKind::Return(None) => write!(out, "return;"),
        StmtKind::Return(Some(v)) => write!(out, "return {};", value(v)),
        StmtKind::While(c, body) => {
            let _ = write!(out, "while ({}) ", cond(c));
            block(out, body, level);
            Ok(())
        }
        StmtKind::If(c, then, otherwise) => {
            let _ = write!(out, "if ({}) ", cond(c));
            block(out, then, level);
            if let Some(otherwise) = otherwise {
                out.push_str(" else ");
                match &otherwise[..] {
                    [Stmt { labels, kind: inner @ StmtKind::If(..), .. }] if labels.is_empty() => {
                        self::kind(out, inner, level);
                    }
                    _ => block(out, otherwise, level),
                }
            }
            Ok(())
        }
        StmtKind::Atomic(body) => {
            out.push_str("atomic ");
            block(out, body, level);
            Ok(())
        }
        StmtKind::Block(body) => {
            block(out, body, level);
            Ok(())
        }
    };
}

fn cond(cond: &Cond) -> String {
    match cond {
        Cond::Choose => "*".to_owned(),
        Cond::Is(e) => expr(e),
    }
}

fn value(v: &Value) -> String {
    match v {
        Value::Expr(e) => expr(e),
        Value::New(class, None, _) => format!("new {class}"),
        Value::New(class, Some(args), _) => format!("new {class}({})", list(args)),
        Value::Choose(t, _) => format!("choose({})", ty(t)),
        Value::Call(c) => call(c),
    }
}

fn call(c: &Call) -> String {
    let receiver = c.receiver.as_ref().map(|r| format!("{}.", expr(r))).unwrap_or_default();
    format!("{receiver}{}({})", c.name, list(&c.args))
}

fn list(args: &[Expr]) -> String {
    args.iter().map(expr).collect::<Vec<_>>().join(", ")
}

/// An expression, with no more parentheses than it needs.
pub fn expr(e: &Expr) -> String {
    let mut out = String::new();
    write_expr(&mut out, e, 0);
    out
}

/// Parentheses stand where the operator binds less tightly than `least` asks.
fn write_expr(out: &mut String, e: &Expr, least: u8) {
    match &e.kind {
        ExprKind::Null => out.push_str("null"),
        ExprKind::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        ExprKind::Int(n) => {
            let _ = write!(out, "{n}");
        }
        ExprKind::Name(name) => out.push_str(name),
        ExprKind::This => out.push_str("this"),
        ExprKind::Field(object, name) => {
            write_expr(out, object, u8::MAX);
            let _ = write!(out, ".{name}");
        }
        ExprKind::Unary(op, a) => {
            out.push_str(if *op == UnOp::Not { "!" } else { "-" });
            write_expr(out, a, u8::MAX);
        }
        ExprKind::Binary(op, a, b) => {
            let (text, strength) = op.text();
            let parentheses = strength < least;
            out.push_str(if parentheses { "(" } else { "" });
            write_expr(out, a, strength);
            let _ = write!(out, " {text} ");
            write_expr(out, b, strength + 1);
            out.push_str(if parentheses { ")" } else { "" });
        }
    }
}
