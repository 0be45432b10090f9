//! The effect of the operation of an edge on the tracked pointers: Table 1 of \[BR-PASTE01\], with the rows
//! that it lacks.
//!
//! | C-- | boolean program |
//! |---|---|
//! | `p = e` | `p := ` whether `e` is NULL, `*` where that is not known |
//! | `*q = e`, certainly `p` | the same: a strong update |
//! | `*q = e`, perhaps `p` | `p := * ? e : p`, a weak one |
//! | a call | pointers as arguments and result; variables of the caller that the callee may write become `*` |
//! | a call of an undefined function | every pointer that it may write becomes `*`, the result too |
//! | `p = malloc(n)` | `p := *`, or `0` where memory never runs out |
//! | `memset`, `memcpy`, copies of records | members become NULL or copies where all is known, `*` otherwise |
//! | a condition, an assertion | assumed, as far as it is about tracked pointers |

use crate::procedure::result;
use crate::{Context, Origin, Output, blocks};
use base::{Diagnostic, Span};
use bp::{Expr as Bool, Ident, Stmt, StmtKind};
use ir::{Base, Callee, CheckKind, EdgeId, Expr, Lvalue, Op, ProcId};

/// The statements of an edge, never none; the first is the operation itself.
pub(crate) struct Made {
    pub(crate) stmts: Vec<Stmt>,
    /// The result of a call is stored; the dereferences for that stand before.
    pub(crate) store: Vec<Stmt>,
    /// The variable for the result of a call is needed.
    pub(crate) uses_result: bool,
}

/// New values of variables.
pub(crate) type Values = Vec<(Ident, Bool)>;

/// The local variable that holds the result of a call before it is stored.
pub(crate) fn returned() -> Ident {
    "returned__".into()
}

/// Translates the operation of an edge.
pub(crate) fn of(cx: &Context<'_>, out: &mut Output, p: ProcId, e: EdgeId) -> Result<Made, Box<Diagnostic>> {
    let edge = &cx.program.procs[p].edges[e];
    let kind = match &edge.op {
        Op::Call { dest, callee: Callee::Direct(q), args } if cx.program.procs[*q].has_body => {
            let call = Call { cx, p, e, callee: *q, args, dest: dest.as_ref() };
            return Ok(call.statements(out));
        }
        Op::Call { dest, callee: Callee::Direct(_), .. } => {
            let written = cx.oracle.edge_mods(p, e);
            let lost = cx.slots.in_scope(p).filter(|s| written.contains(s.cell)).map(|s| s.ident());
            let values: Values = lost.map(|v| (v, Bool::Star)).collect();
            let first = assigned(out, values, Origin::Edge(p, e));
            let stmts = std::iter::once(first).chain(callbacks(cx, out, p, e)).collect();
            let stored = dest.as_ref().map_or(vec![], |dest| cx.write(p, dest, &Bool::Star));
            let store = store(out, stored);
            return Ok(Made { stmts, store, uses_result: false });
        }
        Op::Call { .. } => return Err(unresolved(edge.span)),
        Op::Assume(c) => assumed(cx.truth(p, c)),
        // A check of something not modelled may be passed; any other check that fails ends the execution.
        Op::Check(check, _) if cx.program.checks[*check].kind == CheckKind::Unmodelled => StmtKind::Skip,
        Op::Check(_, c) => assumed(cx.truth(p, c)),
        Op::Assign(lv, e) => assignment(cx.write(p, lv, &cx.value(p, lv, e))),
        Op::Havoc(lv, _) | Op::Inspect { dest: lv, .. } => assignment(cx.write(p, lv, &Bool::Star)),
        Op::Alloc { dest, may_fail, .. } => {
            let value = if *may_fail { Bool::Star } else { Bool::zero() };
            assignment(cx.write(p, dest, &value))
        }
        Op::MemSet { .. } | Op::MemCopy { .. } => assignment(blocks::written(cx, p, e)),
        Op::Skip | Op::Free(_) | Op::Output { .. } => StmtKind::Skip,
    };
    Ok(Made { stmts: vec![out.stmt(kind, Origin::Edge(p, e))], store: vec![], uses_result: false })
}

fn unresolved(span: Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(span, "a call through a pointer that is not resolved"))
}

fn assumed(condition: Bool) -> StmtKind {
    match condition {
        Bool::Const(true) | Bool::Star => StmtKind::Skip,
        condition => StmtKind::assume(condition),
    }
}

fn assignment(values: Values) -> StmtKind {
    if values.is_empty() { StmtKind::Skip } else { StmtKind::assign(values) }
}

fn assigned(out: &mut Output, values: Values, origin: Origin) -> Stmt {
    out.stmt(assignment(values), origin)
}

fn store(out: &mut Output, values: Values) -> Vec<Stmt> {
    if values.is_empty() { vec![] } else { vec![assigned(out, values, Origin::Nothing)] }
}

impl Context<'_> {
    /// Whether the value that the location gets is NULL.
    fn value(&self, p: ProcId, lv: &Lvalue, e: &Expr) -> Bool {
        if lv.ty.is_ptr() && e.ty().is_ptr() { self.is_null(p, e) } else { Bool::Star }
    }

    /// The effect of a write to the location: strong where it is known which pointer it is, else weak.
    pub(crate) fn write(&self, p: ProcId, lv: &Lvalue, value: &Bool) -> Values {
        if let Some(slot) = self.slot(p, lv) {
            return vec![(slot.ident(), value.clone())];
        }
        let cell = self.oracle.cell(lv);
        let reached = self.slots.in_cell(cell, p).filter(|s| self.oracle.may_alias(lv, &s.lvalue));
        let weak = |old: Ident| match value {
            Bool::Star => Bool::Star,
            value => Bool::ite(Bool::Star, value.clone(), Bool::Var(old)),
        };
        reached.map(|s| (s.ident(), weak(s.ident()))).collect()
    }
}

/// The procedures that an undefined function may call back, any number of times, with any arguments.
fn callbacks(cx: &Context<'_>, out: &mut Output, p: ProcId, e: EdgeId) -> Vec<Stmt> {
    let known = cx.oracle.callbacks().iter().find(|(q, f, _)| (*q, *f) == (p, e));
    let mut stmts = vec![];
    for callee in known.into_iter().flat_map(|(.., procs)| procs) {
        let tracked = |v: &&ir::VarId| cx.slots.named(&cx.program.lvalue(**v)).is_some();
        let args = cx.program.procs[*callee].formals.iter().filter(tracked).map(|_| Bool::Star);
        let call = StmtKind::call([], cx.names[callee].clone(), args);
        let call = out.stmt(call, Origin::Nothing);
        stmts.push(out.stmt(StmtKind::branch(Bool::Star, vec![call], vec![]), Origin::Nothing));
    }
    if stmts.is_empty() {
        return vec![];
    }
    // The writes of the callbacks and the function, in whatever order.
    let written = cx.oracle.edge_mods(p, e);
    let lost = |_: ()| {
        let slots = cx.slots.in_scope(p).filter(|s| written.contains(s.cell));
        slots.map(|s| (s.ident(), Bool::Star)).collect::<Values>()
    };
    stmts.push(assigned(out, lost(()), Origin::Nothing));
    vec![out.stmt(StmtKind::While { cond: Bool::Star, body: stmts }, Origin::Nothing)]
}

struct Call<'a> {
    cx: &'a Context<'a>,
    p: ProcId,
    e: EdgeId,
    callee: ProcId,
    args: &'a [Expr],
    dest: Option<&'a Lvalue>,
}

impl Call<'_> {
    fn statements(&self, out: &mut Output) -> Made {
        let Call { cx, p, e, callee, .. } = *self;
        let formals = cx.program.procs[callee].formals.iter().zip(self.args);
        let passed = formals.filter(|(v, _)| cx.slots.named(&cx.program.lvalue(**v)).is_some());
        let args: Vec<Bool> = passed.map(|(_, arg)| self.argument(arg)).collect();
        let has_result = result(cx, callee).is_some();
        let direct = self.dest.filter(|lv| has_result && matches!(lv.base, Base::Var(_)));
        let into = direct.and_then(|lv| cx.slot(p, lv)).map(|s| s.ident());
        let stored = match self.dest {
            Some(_) if into.is_some() => vec![],
            Some(lv) if has_result => cx.write(p, lv, &Bool::Var(returned())),
            Some(lv) => cx.write(p, lv, &Bool::Star),
            None => vec![],
        };
        let uses_result = has_result && !stored.is_empty();
        let results = if uses_result { Some(returned()) } else { into.clone() };
        let call = StmtKind::call(results, cx.names[&callee].clone(), args);
        let mut stmts = vec![out.stmt(call, Origin::Call(p, e, callee))];
        let written = cx.oracle.mods(callee);
        let lost = cx
            .slots
            .in_scope(p)
            .filter(|s| s.owner.is_some() && !cx.oracle.is_private(s.cell) && written.contains(s.cell));
        let mut values: Values = lost.map(|s| (s.ident(), Bool::Star)).collect();
        values.retain(|(v, _)| into.as_ref() != Some(v));
        if !values.is_empty() {
            stmts.push(assigned(out, values, Origin::Nothing));
        }
        let store = store(out, stored);
        Made { stmts, store, uses_result }
    }

    fn argument(&self, arg: &Expr) -> Bool {
        if arg.ty().is_ptr() { self.cx.is_null(self.p, arg) } else { Bool::Star }
    }
}
