//! A path as a program of its own: each activation on it is a procedure, and each procedure one straight line. So the
//! abstraction of the program is the abstraction of this path.

use base::{Id, IndexVec};
use encoding::IntMode;
use ir::{
    Access, Base, Callee, Edge, EdgeId, EdgeKind, Expr, LocId, Location, Lvalue, Op, Path, PathStep, ProcId,
    Program, VarId, VarKind,
};
use predicates::normal::{Normal, normalise};
use predicates::{Precision, Predicate, Scope};
use std::collections::BTreeMap;

/// See the module's documentation.
pub(crate) struct Straight {
    pub(crate) program: Program,
    /// For each activation the procedure that it is one of, the procedure made of it, and its variables.
    activations: Vec<(ProcId, ProcId, BTreeMap<VarId, VarId>)>,
}

impl Straight {
    pub(crate) fn new(original: &Program, path: &Path) -> Straight {
        let mut program = original.clone();
        for proc in program.procs.iter_mut() {
            (proc.has_body, proc.locals) = (false, proc.ret.into_iter().collect());
            (proc.locations, proc.edges) = (IndexVec::new(), IndexVec::new());
        }
        let mut out = Straight { program, activations: vec![] };
        let mut open = vec![out.activation(original, original.entry)];
        let mut called: BTreeMap<usize, EdgeId> = BTreeMap::new();
        for (i, step) in path.steps.iter().enumerate() {
            let on_top = *open.last().expect("returns are matched");
            match *step {
                PathStep::Edge(p, e) => {
                    let op = match &original.procs[p].edges[e].op {
                        Op::Check(_, c) if i + 1 < path.steps.len() => Op::Assume(c.clone()),
                        op => op.clone(),
                    };
                    out.edge(on_top, op);
                }
                PathStep::Enter(p, e, q) => {
                    let callee = out.activation(original, q);
                    called.insert(callee, out.edge(on_top, original.procs[p].edges[e].op.clone()));
                    let edge = called[&callee];
                    let (inside, caller) = (out.activations[callee].1, out.activations[on_top].1);
                    if let Op::Call { callee, .. } = &mut out.program.procs[caller].edges[edge].op {
                        *callee = Callee::Direct(inside);
                    }
                    open.push(callee);
                }
                PathStep::Leave(..) => _ = open.pop(),
            }
        }
        out.program.entry = out.activations[0].1;
        out
    }

    /// A procedure for one more activation of `p`, with the variables and without statements.
    fn activation(&mut self, original: &Program, p: ProcId) -> usize {
        let number = self.activations.len();
        let own = ProcId::from_index(self.program.procs.len());
        let mut vars = BTreeMap::new();
        let mut proc = original.procs[p].clone();
        for v in proc.formals.iter_mut().chain(&mut proc.locals) {
            let mut var = original.vars[*v].clone();
            var.kind = match var.kind {
                VarKind::Formal(_) => VarKind::Formal(own),
                VarKind::Return(_) => VarKind::Return(own),
                _ => VarKind::Local(own),
            };
            let copy = self.program.vars.push(var);
            vars.insert(*v, copy);
            *v = copy;
        }
        proc.ret = proc.ret.map(|v| vars[&v]);
        proc.name = format!("{}__{number}", proc.name);
        (proc.locations, proc.edges) = (IndexVec::new(), IndexVec::new());
        proc.entry = proc.locations.push(Location { span: proc.span, labels: vec![], loop_head: false });
        proc.exit = proc.entry;
        self.program.procs.push(proc);
        self.activations.push((p, own, vars));
        number
    }

    fn edge(&mut self, activation: usize, op: Op) -> EdgeId {
        let (_, own, vars) = &self.activations[activation];
        let op = renamed(op, vars);
        let proc = &mut self.program.procs[*own];
        let src: LocId = proc.exit;
        let dst = proc.locations.push(Location { span: proc.span, labels: vec![], loop_head: false });
        proc.exit = dst;
        proc.edges.push(Edge { src, dst, op, span: proc.span, kind: EdgeKind::Statement })
    }

    /// The predicates of procedures as predicates of all their activations.
    pub(crate) fn precision<'p>(
        &self,
        predicates: impl Iterator<Item = &'p Predicate>,
        mode: IntMode,
    ) -> Precision {
        let mut out = Precision::new();
        for predicate in predicates {
            match predicate.scope {
                Scope::Global => _ = out.add(predicate.clone()),
                Scope::Proc(p) => {
                    for (_, own, vars) in self.activations.iter().filter(|(of, ..)| *of == p) {
                        let expr = rename(predicate.expr.clone(), vars);
                        if let Normal::Atom { expr, .. } = normalise(expr, mode, self.program.signed_wrap) {
                            out.add(Predicate::new(&self.program, expr, Some(*own)).expect("one procedure"));
                        }
                    }
                }
            }
        }
        out
    }
}

fn renamed(op: Op, vars: &BTreeMap<VarId, VarId>) -> Op {
    let e = |e: Expr| rename(e, vars);
    let lv = |lv: Lvalue| place(lv, vars);
    match op {
        Op::Skip => Op::Skip,
        Op::Assign(to, value) => Op::Assign(lv(to), e(value)),
        Op::Havoc(to, kind) => Op::Havoc(lv(to), kind),
        Op::Assume(c) => Op::Assume(e(c)),
        Op::Check(check, c) => Op::Check(check, e(c)),
        Op::Call { dest, callee, args } => {
            Op::Call { dest: dest.map(lv), callee, args: args.into_iter().map(e).collect() }
        }
        Op::Alloc { dest, size, zeroed, may_fail } => {
            Op::Alloc { dest: lv(dest), size: e(size), zeroed, may_fail }
        }
        Op::Free(p) => Op::Free(e(p)),
        Op::Inspect { dest, query, ptr } => Op::Inspect { dest: lv(dest), query, ptr: e(ptr) },
        Op::Output { output, args } => Op::Output { output, args: args.into_iter().map(e).collect() },
        Op::MemSet { ptr, byte, len } => Op::MemSet { ptr: e(ptr), byte: e(byte), len: e(len) },
        Op::MemCopy { dst, src, len } => Op::MemCopy { dst: e(dst), src: e(src), len: e(len) },
    }
}

fn rename(e: Expr, vars: &BTreeMap<VarId, VarId>) -> Expr {
    e.map(&mut |node| match node {
        Expr::Load(lv) => Expr::Load(Box::new(base(*lv, vars))),
        Expr::AddrOf(lv) => Expr::AddrOf(Box::new(base(*lv, vars))),
        other => other,
    })
}

fn base(lv: Lvalue, vars: &BTreeMap<VarId, VarId>) -> Lvalue {
    match lv.base {
        Base::Var(v) => Lvalue { base: Base::Var(vars.get(&v).copied().unwrap_or(v)), ..lv },
        Base::Deref(_) => lv,
    }
}

fn place(lv: Lvalue, vars: &BTreeMap<VarId, VarId>) -> Lvalue {
    let path = lv.path.into_iter().map(|a| match a {
        Access::Index(i) => Access::Index(rename(i, vars)),
        field => field,
    });
    let pointer = match lv.base {
        Base::Deref(p) => Base::Deref(Box::new(rename(*p, vars))),
        of_var => of_var,
    };
    let path = path.collect();
    base(Lvalue { base: pointer, path, ty: lv.ty }, vars)
}
