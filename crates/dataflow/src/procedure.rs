//! One procedure: a labelled block for each location, in the order of a walk that follows first edges first, so that
//! most blocks go on in the next one.

use crate::{Context, Origin, Output, dereferences, statements};
use base::{Diagnostic, IndexVec};
use bp::{Expr as Bool, Ident, Stmt, StmtKind};
use ir::{EdgeId, LocId, ProcId};

/// Translates a procedure with a body.
pub(crate) fn translate(cx: &Context<'_>, out: &mut Output, p: ProcId) -> Result<(), Box<Diagnostic>> {
    let proc = &cx.program.procs[p];
    let mut made = bp::Proc::new(cx.names[&p].clone());
    made.origin = Some((cx.place)(proc.span));
    let formal = |v: &ir::VarId| cx.slots.named(&cx.program.lvalue(*v));
    made.formals = proc.formals.iter().filter_map(formal).map(|s| s.ident()).collect();
    made.locals = cx.slots.declared(Some(p)).into_iter().filter(|v| !made.formals.contains(v)).collect();
    made.returns = usize::from(result(cx, p).is_some());
    let mut body = Body { cx, out, p, successors: proc.successors(), uses_result: false };
    made.body = body.text()?;
    if body.uses_result {
        made.locals.push(statements::returned());
    }
    out.program.procs.push(made);
    Ok(())
}

/// The variable that a procedure returns, if it returns a tracked pointer.
pub(crate) fn result(cx: &Context<'_>, p: ProcId) -> Option<Ident> {
    let ret = cx.program.procs[p].ret?;
    cx.slots.named(&cx.program.lvalue(ret)).map(|s| s.ident())
}

struct Body<'a, 'o> {
    cx: &'a Context<'a>,
    out: &'o mut Output,
    p: ProcId,
    successors: IndexVec<LocId, Vec<EdgeId>>,
    uses_result: bool,
}

impl Body<'_, '_> {
    fn text(&mut self) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        let order = self.order();
        let mut all = vec![];
        for (n, l) in order.iter().enumerate() {
            let mut block = self.location(*l, order.get(n + 1).copied())?;
            block[0].labels.insert(0, label(*l));
            all.extend(block);
        }
        drop_unused_labels(&mut all);
        Ok(all)
    }

    /// The locations that the entry reaches; where possible each is followed by the target of its first edge.
    fn order(&self) -> Vec<LocId> {
        let proc = &self.cx.program.procs[self.p];
        let mut seen = IndexVec::from_elem(false, proc.locations.len());
        let mut order = vec![];
        let mut open = vec![proc.entry];
        while let Some(l) = open.pop() {
            if std::mem::replace(&mut seen[l], true) {
                continue;
            }
            order.push(l);
            if l != proc.exit {
                open.extend(self.successors[l].iter().rev().map(|e| proc.edges[*e].dst));
            }
        }
        order
    }

    /// The statements of a location, never none.
    fn location(&mut self, l: LocId, next: Option<LocId>) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        let proc = &self.cx.program.procs[self.p];
        if l == proc.exit {
            let values = result(self.cx, self.p).map(Bool::var);
            return Ok(vec![self.out.stmt(StmtKind::Return(values.into_iter().collect()), Origin::Nothing)]);
        }
        let edges = self.successors[l].clone();
        let together = dereferences::is_branch(proc, &edges);
        let (mut block, _) = if together { self.dereferences(l, &edges) } else { (vec![], vec![]) };
        match edges.as_slice() {
            [] => block.push(self.out.stmt(StmtKind::assume(Bool::zero()), Origin::Nothing)),
            [e] => block.extend(self.edge(*e, !together, next)?),
            several => {
                let labels = several.iter().map(|e| branch(*e));
                block.push(self.out.stmt(StmtKind::Goto(labels.collect()), Origin::Nothing));
                for (n, e) in several.iter().enumerate() {
                    let next = if n + 1 == several.len() { next } else { None };
                    let mut stmts = self.edge(*e, !together, next)?;
                    stmts[0].labels.insert(0, branch(*e));
                    block.extend(stmts);
                }
            }
        }
        Ok(block)
    }

    /// Writes the effect of an edge, and the jump to its target, unless that is next.
    fn edge(
        &mut self,
        e: EdgeId,
        dereferences: bool,
        next: Option<LocId>,
    ) -> Result<Vec<Stmt>, Box<Diagnostic>> {
        let edge = &self.cx.program.procs[self.p].edges[e];
        let (mut stmts, behind) =
            if dereferences { self.dereferences(edge.src, &[e]) } else { (vec![], vec![]) };
        let mut made = statements::of(self.cx, self.out, self.p, e)?;
        self.uses_result |= made.uses_result;
        let origin = format!("{} {e}", (self.cx.place)(edge.span));
        if let Some(first) = made.stmts.first_mut() {
            first.notes.origin = Some(origin);
            first.notes.comment = Some(one_line(&ir::print::edge(self.cx.program, self.p, e)));
        }
        stmts.extend(made.stmts.into_iter().chain(behind).chain(made.store));
        if next != Some(edge.dst) {
            stmts.push(self.out.stmt(StmtKind::Goto(vec![label(edge.dst)]), Origin::Nothing));
        }
        Ok(stmts)
    }

    /// An assertion for each dereference: the run goes on only if the pointer is not NULL. Those that stand before the
    /// operation, and those that stand behind a call.
    fn dereferences(&mut self, l: LocId, edges: &[EdgeId]) -> (Vec<Stmt>, Vec<Stmt>) {
        let (mut before, mut behind) = (vec![], vec![]);
        for mut found in dereferences::of_edges(self.cx.program, self.p, l, edges) {
            let is_null = self.cx.is_null(self.p, &found.pointer);
            found.tracked = !is_null.has_choice();
            let kind = if found.tracked { StmtKind::Assert(Bool::not(is_null)) } else { StmtKind::Skip };
            let number = self.out.dereferences.len();
            let mut stmt = self.out.stmt(kind, Origin::Dereference(number));
            stmt.labels.push(format!("D{number}").into());
            stmt.notes.comment = Some(one_line(&ir::print::lvalue(self.cx.program, &found.lvalue)));
            let guard = match &found.guards {
                None => Bool::Star,
                Some(guards) => Bool::and(guards.iter().map(|g| self.cx.truth(self.p, g))),
            };
            let list = if found.after_call { &mut behind } else { &mut before };
            self.out.dereferences.push(found);
            list.push(match guard {
                Bool::Const(true) => stmt,
                guard => self.out.stmt(StmtKind::branch(guard, vec![stmt], vec![]), Origin::Nothing),
            });
        }
        (before, behind)
    }
}

fn label(l: LocId) -> Ident {
    format!("{l}").into()
}

fn branch(e: EdgeId) -> Ident {
    format!("B{}", base::Id::index(e)).into()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Takes away the labels of locations that no `goto` leads to.
fn drop_unused_labels(stmts: &mut [Stmt]) {
    let targets = |s: &Stmt| if let StmtKind::Goto(targets) = &s.kind { targets.clone() } else { vec![] };
    let used: std::collections::BTreeSet<bp::Name> =
        stmts.iter().flat_map(targets).map(|target| target.name).collect();
    for stmt in stmts {
        stmt.labels.retain(|l| used.contains(&l.name) || l.name.as_str().starts_with('D'));
    }
}
