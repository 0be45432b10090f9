//! Bodies of procedures: locations and edges with their operations.

use super::cursor::{Cursor, Names, Parsed, Slots, numbered};
use super::expr::{Scope, function_pointer};
use super::lexer::Token;
use crate::Output;
use crate::expr::{BinOp, Expr, FloatOp, Lvalue};
use crate::program::{
    Callee, CheckId, Edge, EdgeId, EdgeKind, HavocKind, LocId, Location, ObjectQuery, Op, ProcId, Program,
    StartInput, TextPart,
};
use crate::types::{FuncType, Type};
use base::{Diagnostic, IndexVec};
use std::sync::Arc;

/// The control-flow graph of a procedure.
pub(super) struct Graph {
    pub(super) locations: IndexVec<LocId, Location>,
    pub(super) edges: IndexVec<EdgeId, Edge>,
    pub(super) entry: LocId,
    pub(super) exit: LocId,
}

/// Reads from behind the local declarations to the closing brace.
pub(super) fn graph(c: &mut Cursor, program: &Program, names: &Names, proc: ProcId) -> Parsed<Graph> {
    let scope = Scope { program, names, proc: Some(proc) };
    let (mut entry, mut exit): (Option<LocId>, Option<LocId>) = (None, None);
    if c.accept_word("entry") {
        entry = Some(c.id("L", "a location such as L0")?);
        c.expect(";")?;
        if !c.accept_word("exit") {
            return c.error("expected 'exit'");
        }
        exit = Some(c.id("L", "a location such as L0")?);
        c.expect(";")?;
    }
    let (mut locations, mut edges) = (Slots::new(c.tokens.len()), Slots::new(c.tokens.len()));
    let mut here: Option<LocId> = None;
    let (mut first, start) = (None, c.span());
    while !c.accept("}") {
        if starts_location(c) {
            let at = c.at;
            let id = location(c, &mut locations)?;
            first.get_or_insert(id);
            here = Some(id);
            assert!(c.at > at, "a location has a label");
            continue;
        }
        let Some(src) = here else { return c.error("expected a location such as L0:") };
        let span = c.span();
        let (id, edge) = edge(c, scope, src)?;
        if edges.put(id, edge).is_none() {
            return Err(
                Diagnostic::error(span, "the number of the edge is already taken or too large").into()
            );
        }
    }
    let undeclared = |what: String| Diagnostic::error(start, format!("{what} of the body is missing"));
    let locations: IndexVec<LocId, Location> =
        locations.finish().map_err(|l: LocId| undeclared(l.to_string()))?;
    let edges: IndexVec<EdgeId, Edge> = edges.finish().map_err(|e: EdgeId| undeclared(e.to_string()))?;
    let (Some(first), Some(last)) = (first, locations.ids().next_back()) else {
        return Err(Diagnostic::error(start, "a body has locations").into());
    };
    for target in edges.iter().map(|e| e.dst).chain(entry).chain(exit) {
        if locations.get(target).is_none() {
            return Err(undeclared(target.to_string()).into());
        }
    }
    Ok(Graph { locations, edges, entry: entry.unwrap_or(first), exit: exit.unwrap_or(last) })
}

fn starts_location(c: &Cursor) -> bool {
    let Token::Word(w) = c.peek() else { return false };
    let next = c.peek_at(1);
    let marked = *next == Token::Mark(":") || matches!(next, Token::Word(w) if w == "label" || w == "loop");
    marked && numbered(w, "L").is_some()
}

fn location(c: &mut Cursor, locations: &mut Slots<LocId, Location>) -> Parsed<LocId> {
    let start = c.at;
    let id: LocId = c.id("L", "a location")?;
    let mut labels = vec![];
    while c.accept_word("label") {
        labels.push(c.word("a label")?.to_owned());
    }
    let loop_head = c.accept_word("loop");
    let span = c.span_from(start);
    c.expect(":")?;
    match locations.put(Some(id), Location { span, labels, loop_head }) {
        Some(id) => Ok(id),
        None => {
            Err(Diagnostic::error(span, format!("location {id} stands here twice or is too large")).into())
        }
    }
}

fn edge(c: &mut Cursor, scope: Scope, src: LocId) -> Parsed<(Option<EdgeId>, Edge)> {
    let (id, kind) = edge_prefix(c)?;
    let start = c.at;
    let op = operation(c, scope)?;
    let span = c.span_from(start);
    if !c.accept_word("goto") {
        return c.error("expected 'goto'");
    }
    let dst = c.id("L", "a location such as L0")?;
    c.expect(";")?;
    Ok((id, Edge { src, dst, op, span, kind }))
}

fn edge_prefix(c: &mut Cursor) -> Parsed<(Option<EdgeId>, EdgeKind)> {
    let kind_of = |token: &Token| match token {
        Token::Word(w) if w == "true" => Some(EdgeKind::Branch { taken: true }),
        Token::Word(w) if w == "false" => Some(EdgeKind::Branch { taken: false }),
        Token::Word(w) if w == "internal" => Some(EdgeKind::Internal),
        Token::Word(w) if w == "implied" => Some(EdgeKind::Implied),
        _ => None,
    };
    let colon = Token::Mark(":");
    let is_id = matches!(c.peek(), Token::Word(w) if numbered(w, "e").is_some());
    let after_id = usize::from(is_id);
    let kind = kind_of(c.peek_at(after_id));
    if *c.peek_at(after_id + usize::from(kind.is_some())) != colon {
        return Ok((None, EdgeKind::Statement));
    }
    let id = if is_id { Some(c.id("e", "an edge")?) } else { None };
    if kind.is_some() {
        c.next();
    }
    c.expect(":")?;
    Ok((id, kind.unwrap_or(EdgeKind::Statement)))
}

fn operation(c: &mut Cursor, scope: Scope) -> Parsed<Op> {
    if let (Token::Word(word), Token::Mark(mark)) = (c.peek(), c.peek_at(1))
        && let Some(op) = keyword(c, scope, word, mark)?
    {
        c.expect(";")?;
        return Ok(op);
    }
    let op = if let Some(callee) = direct_callee(c, scope)? {
        call(c, scope, None, Callee::Direct(callee))?
    } else {
        let item = scope.unary(c)?;
        if c.accept("=") {
            let super::expr::Item::Place(dest) = item else { return c.error("only locations are assigned") };
            assignment(c, scope, dest)?
        } else if let (true, Some(pointer)) = (c.is("("), function_pointer(item)) {
            call(c, scope, None, Callee::Indirect(pointer))?
        } else {
            return c.error("expected '='");
        }
    };
    c.expect(";")?;
    Ok(op)
}

/// Operations that begin with a keyword.
fn keyword(c: &mut Cursor, scope: Scope, word: &str, mark: &str) -> Parsed<Option<Op>> {
    match (word, mark) {
        ("skip", ";") => {
            c.next();
            return Ok(Some(Op::Skip));
        }
        ("havoc" | "assume" | "check" | "free" | "memset" | "memmove" | "inspect" | "output", "(") => {}
        _ => return Ok(None),
    }
    c.next();
    c.next();
    let op = match word {
        "havoc" => {
            let lv = lvalue(c, scope)?;
            c.expect(",")?;
            Op::Havoc(lv, havoc_kind(c)?)
        }
        "assume" => Op::Assume(scope.expr(c)?),
        "check" => {
            let id: CheckId = c.id("c", "a check such as c0")?;
            if scope.program.checks.get(id).is_none() {
                return c.error(format!("check {id} is not declared"));
            }
            c.expect(",")?;
            Op::Check(id, scope.expr(c)?)
        }
        "free" => Op::Free(scope.expr(c)?),
        "inspect" => {
            let dest = lvalue(c, scope)?;
            c.expect(",")?;
            let name = c.word("size, offset, live, freeable or initialised")?;
            let Some(query) = ObjectQuery::ALL.into_iter().find(|q| q.name() == name) else {
                return c.error("expected size, offset, live, freeable or initialised");
            };
            c.expect(",")?;
            Op::Inspect { dest, query, ptr: scope.expr(c)? }
        }
        "output" => {
            let output = Output::named(&String::from_utf8_lossy(c.text("a function's name in quotes")?));
            let mut args = vec![];
            while c.accept(",") {
                args.push(scope.expr(c)?);
            }
            Op::Output { output, args }
        }
        _ => {
            let first = scope.expr(c)?;
            c.expect(",")?;
            let second = scope.expr(c)?;
            c.expect(",")?;
            let len = scope.expr(c)?;
            match word {
                "memset" => Op::MemSet { ptr: first, byte: second, len },
                _ => Op::MemCopy { dst: first, src: second, len },
            }
        }
    };
    c.expect(")")?;
    Ok(Some(op))
}

fn havoc_kind(c: &mut Cursor) -> Parsed<HavocKind> {
    let word = c.word("a kind of arbitrary value")?;
    match word {
        "uninit" => return Ok(HavocKind::Uninit),
        "followed" => return Ok(HavocKind::Followed),
        "contents" => return Ok(HavocKind::Contents),
        "argument" => return Ok(HavocKind::Start(StartInput::Argument(c.number("a number")? as u32))),
        "string_length" => return Ok(HavocKind::Start(StartInput::StringLength)),
        "string_character" => return Ok(HavocKind::Start(StartInput::StringCharacter)),
        "environment_length" => return Ok(HavocKind::Start(StartInput::EnvironmentLength)),
        _ => {}
    }
    let text: Arc<str> = String::from_utf8_lossy(c.text("a name in quotes")?).into();
    match word {
        "input" => Ok(HavocKind::Input(text)),
        "extern" => Ok(HavocKind::Extern(text)),
        "outside" => Ok(HavocKind::Outside(text)),
        "unmodelled" => Ok(HavocKind::Unmodelled(text)),
        "choice" => Ok(HavocKind::Choice(text)),
        "analysis" => Ok(HavocKind::Analysis(text)),
        word if let Some(part) = TextPart::ALL.into_iter().find(|part| part.name() == word) => {
            Ok(HavocKind::Made(part, text))
        }
        _ => c.error("expected a kind of arbitrary value: input, uninit, argument, string_length, string_character, environment_length, text_length, text_character, extern, outside, unmodelled, choice, analysis, contents or followed"),
    }
}

fn lvalue(c: &mut Cursor, scope: Scope) -> Parsed<Lvalue> {
    match scope.unary(c)? {
        super::expr::Item::Place(lv) => Ok(lv),
        super::expr::Item::Value { .. } => c.error("expected a location"),
    }
}

/// The name of a procedure that is called here, taken off.
fn direct_callee(c: &mut Cursor, scope: Scope) -> Parsed<Option<ProcId>> {
    let marked = c.is_word("call") && matches!(c.peek_at(1), Token::Word(_));
    if marked {
        c.next();
    }
    let Token::Word(name) = c.peek() else { return Ok(None) };
    if *c.peek_at(1) != Token::Mark("(") {
        return Ok(None);
    }
    match scope.names.procs.get(name) {
        Some(p) => {
            c.next();
            Ok(Some(*p))
        }
        None if scope.names.var(scope.proc, name).is_none() => {
            c.error(format!("no procedure is called '{name}'"))
        }
        None => c.error("a call through a pointer is written (*p)(…)"),
    }
}

/// Parses the text behind `dest =`.
fn assignment(c: &mut Cursor, scope: Scope, dest: Lvalue) -> Parsed<Op> {
    if c.is_word("alloc") && *c.peek_at(1) == Token::Mark("(") {
        return alloc(c, scope, dest);
    }
    let is_operator = |w: &str| {
        w == "old"
            || FloatOp::named(w).is_some()
            || BinOp::rounded(w).is_some()
            || matches!(w, "left" | "before" | "object") && !scope.names.procs.contains_key(w)
    };
    let is_named_call = matches!((c.peek(), c.peek_at(1)), (Token::Word(w), Token::Mark("(")) if !is_operator(w))
        || (c.is_word("call") && matches!(c.peek_at(1), Token::Word(_)));
    if is_named_call && let Some(callee) = direct_callee(c, scope)? {
        return call(c, scope, Some(dest), Callee::Direct(callee));
    }
    let item = scope.conditional(c)?;
    if c.is("(") {
        return match function_pointer(item) {
            Some(pointer) => call(c, scope, Some(dest), Callee::Indirect(pointer)),
            None => c.error("only functions are called"),
        };
    }
    let value = scope.convert(c, item, &dest.ty)?;
    Ok(Op::Assign(dest, value))
}

fn alloc(c: &mut Cursor, scope: Scope, dest: Lvalue) -> Parsed<Op> {
    c.next();
    c.expect("(")?;
    let size = scope.expr(c)?;
    let (mut zeroed, mut may_fail) = (false, false);
    while c.accept(",") {
        match c.word("zeroed or may_fail")? {
            "zeroed" => zeroed = true,
            "may_fail" => may_fail = true,
            _ => return c.error("expected zeroed or may_fail"),
        }
    }
    c.expect(")")?;
    Ok(Op::Alloc { dest, size, zeroed, may_fail })
}

fn call(c: &mut Cursor, scope: Scope, dest: Option<Lvalue>, callee: Callee) -> Parsed<Op> {
    let ty: Arc<FuncType> = match &callee {
        Callee::Direct(p) => scope.program.procs[*p].ty.clone(),
        Callee::Indirect(e) => match e.ty().pointee() {
            Some(Type::Func(ty)) => ty.clone(),
            _ => return c.error("only functions are called"),
        },
    };
    c.expect("(")?;
    let mut args: Vec<Expr> = vec![];
    while !c.accept(")") {
        if !args.is_empty() {
            c.expect(",")?;
        }
        args.push(match ty.params.get(args.len()) {
            Some(param) => scope.converted(c, param)?,
            None => scope.expr(c)?,
        });
    }
    Ok(Op::Call { dest, callee, args })
}
