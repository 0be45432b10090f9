//! Rules as text that the parser reads back.

use crate::ast::{
    BinaryOp, Condition, Declaration, EventKind, Expr, ExprKind, Handler, Literal, Operand, Rank, Rule, Stmt,
    StmtKind, Type, UnaryOp,
};
use std::fmt::Write;

/// The rule as text.
pub fn print(rule: &Rule) -> String {
    let mut out = String::new();
    if !rule.state.is_empty() {
        out.push_str("state {\n");
        for d in &rule.state {
            _ = writeln!(out, "    {}", declaration(d));
        }
        out.push_str("}\n");
    }
    if !rule.watch.is_empty() {
        let watch = |w: &crate::ast::Watch| format!("{}({})", w.function.text, operand(w.object));
        let list: Vec<String> = rule.watch.iter().map(watch).collect();
        _ = writeln!(out, "watch {};", list.join(", "));
    }
    for h in &rule.handlers {
        handler(&mut out, h);
    }
    out
}

fn declaration(d: &Declaration) -> String {
    let value = |e: &Option<Expr>| e.as_ref().map(|e| format!(" = {}", expr(e))).unwrap_or_default();
    let constants: Vec<String> =
        d.constants.iter().map(|c| format!("{}{}", c.name.text, value(&c.value))).collect();
    let list = format!("enum {{ {} }}", constants.join(", "));
    match &d.variable {
        None => format!("{list};"),
        Some(v) => {
            let of = if d.constants.is_empty() { ty(v.ty) } else { list };
            let space = if of.ends_with('*') { "" } else { " " };
            format!("{of}{space}{}{};", v.name.text, value(&v.initial))
        }
    }
}

fn ty(t: Type) -> String {
    match t {
        Type::Bool => "bool".into(),
        Type::Pointer => "void *".into(),
        Type::Int { rank, signed } => {
            let name = match rank {
                Rank::Char => "char",
                Rank::Short => "short",
                Rank::Int => "int",
                Rank::Long => "long",
                Rank::LongLong => "long long",
            };
            format!("{}{name}", if signed { "" } else { "unsigned " })
        }
    }
}

fn operand(o: Operand) -> String {
    match o {
        Operand::Argument(n) => format!("${n}"),
        Operand::Return => "$return".into(),
    }
}

fn handler(out: &mut String, h: &Handler) {
    let event = |kind: &EventKind| match kind {
        EventKind::Entry(f) => format!("{}.entry", f.text),
        EventKind::Exit(f) => format!("{}.exit", f.text),
        EventKind::ProgramStart => "program.start".into(),
        EventKind::ProgramEnd => "program.end".into(),
        EventKind::ThreadEnd => "thread.end".into(),
    };
    let events: Vec<String> = h.events.iter().map(|e| event(&e.kind)).collect();
    _ = write!(out, "{}", events.join(", "));
    if let Some(guard) = &h.guard {
        _ = write!(out, " when ({})", expr(guard));
    }
    out.push(' ');
    statement(out, &h.body, 0);
}

fn statement(out: &mut String, s: &Stmt, depth: usize) {
    let indent = |out: &mut String, depth| out.push_str(&"    ".repeat(depth));
    match &s.kind {
        StmtKind::Block(body) => {
            out.push_str("{\n");
            for s in body {
                indent(out, depth + 1);
                statement(out, s, depth + 1);
            }
            indent(out, depth);
            out.push_str("}\n");
        }
        StmtKind::If(condition, yes, no) => {
            let text = match condition {
                Condition::Any => "*".into(),
                Condition::Of(e) => expr(e),
            };
            _ = write!(out, "if ({text}) ");
            // In braces, an `else` belongs to the right `if`.
            braced(out, yes, depth);
            if let Some(no) = no {
                indent(out, depth);
                out.push_str("else ");
                braced(out, no, depth);
            }
        }
        StmtKind::Assign(name, op, value) => {
            let op = op.map(BinaryOp::symbol).unwrap_or_default();
            _ = writeln!(out, "{} {op}= {};", name.text, expr(value));
        }
        StmtKind::Store(n, value) => {
            _ = writeln!(out, "*${n} = {};", expr(value));
        }
        StmtKind::Abort(message) => {
            _ = writeln!(out, "abort \"{}\";", message.replace('\\', "\\\\").replace('"', "\\\""));
        }
        StmtKind::Halt => out.push_str("halt;\n"),
    }
}

fn braced(out: &mut String, s: &Stmt, depth: usize) {
    if matches!(s.kind, StmtKind::Block(_)) {
        return statement(out, s, depth);
    }
    let block = Stmt { kind: StmtKind::Block(vec![s.clone()]), span: s.span };
    statement(out, &block, depth);
}

/// An expression as text.
pub(crate) fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Number(n) => number(*n),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Operand(o) => operand(*o),
        ExprKind::Watched => "watched".into(),
        ExprKind::Unary(op, operand) => {
            let symbol = match op {
                UnaryOp::Neg => "-",
                UnaryOp::BitNot => "~",
                UnaryOp::Not => "!",
            };
            // `--` would be one mark.
            format!("{symbol}{}", tight(operand, matches!(operand.kind, ExprKind::Unary(..))))
        }
        ExprKind::Cast(to, operand) => format!("({}){}", ty(*to), tight(operand, false)),
        ExprKind::Binary(op, left, right) => {
            let side = |e: &Expr, closer: bool| match &e.kind {
                ExprKind::Binary(inner, ..) if inner.binds() < op.binds() + u8::from(closer) => {
                    format!("({})", expr(e))
                }
                _ => expr(e),
            };
            format!("{} {} {}", side(left, false), op.symbol(), side(right, true))
        }
    }
}

fn tight(e: &Expr, always: bool) -> String {
    if always || matches!(e.kind, ExprKind::Binary(..)) { format!("({})", expr(e)) } else { expr(e) }
}

fn number(n: Literal) -> String {
    let digits = if n.hexadecimal { format!("{:#x}", n.value) } else { n.value.to_string() };
    format!("{digits}{}{}", if n.unsigned { "u" } else { "" }, if n.long { "l" } else { "" })
}
