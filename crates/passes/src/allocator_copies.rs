//! Allocators of the program itself, such as `kmalloc` or `xmalloc`: procedures that return untyped memory
//! which they allocate. An allocation site is one object of the analysis, so a site in an allocator would have
//! all types of its callers at once, and be nothing but bytes. Where that happens, each call gets a copy of the
//! allocator, with its own sites, and the copy knows the constants among its arguments: mostly the size.
//!
//! Executions of the program are the same as before.

use crate::Unit;
use alias::oracle::Object;
use ir::expr::{Expr, Lvalue};
use ir::program::{Callee, EdgeId, Op, ProcId, Program, VarId, VarKind};
use ir::types::Type;
use ir::visit;
use std::collections::{BTreeMap, BTreeSet};

/// The most copies that are made; a program that needs more stays as it is.
const MOST: usize = 256;

/// Gives each call of an allocator of its own a copy of it, where one of its sites allocates objects of several types. The
/// variables of the copies, each with the one that it is a copy of.
pub fn copy_allocators(unit: &mut Unit) -> Vec<(VarId, VarId)> {
    let any = allocators(unit.program(), &|_, _| true);
    let callers = unit.program().callers();
    if any.iter().all(|p| callers.get(p).is_none_or(|calls| calls.len() < 2)) {
        return vec![];
    }
    let oracle = unit.oracle();
    let unfit: BTreeSet<Object> =
        oracle.objects().into_iter().filter(|o| o.is_blob || o.lost.is_some()).map(|o| o.object).collect();
    let wanted = allocators(unit.program(), &|p, e| unfit.contains(&Object::Heap(p, e)));
    let mut copies = vec![];
    unit.edit(|program| {
        copies = copy_per_call(program, &wanted);
        !copies.is_empty()
    });
    copies
}

/// The procedures that return untyped memory from one of these allocation sites, by themselves or through others of them.
fn allocators(program: &Program, counts: &dyn Fn(ProcId, EdgeId) -> bool) -> BTreeSet<ProcId> {
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        for (p, proc) in program.procs.iter_enumerated() {
            let untyped = proc.has_body && p != program.entry && is_untyped(&proc.ty.ret);
            if untyped
                && !proc.is_model()
                && !found.contains(&p)
                && returns_memory(program, p, counts, &found)
            {
                found.insert(p);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Whether it is a pointer to bytes of no type.
fn is_untyped(ty: &Type) -> bool {
    match ty.pointee() {
        Some(Type::Void) => true,
        Some(Type::Int(i)) => i.bits == 8,
        _ => false,
    }
}

fn returns_memory(
    program: &Program,
    p: ProcId,
    counts: &dyn Fn(ProcId, EdgeId) -> bool,
    known: &BTreeSet<ProcId>,
) -> bool {
    let proc = &program.procs[p];
    let mut carriers: BTreeSet<VarId> = BTreeSet::new();
    loop {
        let before = carriers.len();
        for (e, edge) in proc.edges.iter_enumerated() {
            let carries = |e: &Expr| {
                e.has(|part| match part {
                    Expr::Load(lv) => lv.as_var().is_some_and(|v| carriers.contains(&v)),
                    _ => false,
                })
            };
            let brings = match &edge.op {
                Op::Alloc { .. } => counts(p, e),
                Op::Call { callee: Callee::Direct(q), .. } => known.contains(q),
                Op::Assign(_, value) => carries(value),
                _ => false,
            };
            carriers.extend(edge.op.destination().filter(|_| brings).and_then(Lvalue::as_var));
        }
        if carriers.len() == before {
            return proc.ret.is_some_and(|v| carriers.contains(&v));
        }
    }
}

/// The program with a copy of these procedures for each call of them in the others.
pub fn copy_per_call(program: &mut Program, wanted: &BTreeSet<ProcId>) -> Vec<(VarId, VarId)> {
    let before = program.clone();
    let mut copies = Copies { before: &before, out: program, inner: BTreeMap::new(), vars: vec![] };
    for p in wanted {
        copies.inner.insert(*p, calls_of(&before, *p, wanted));
    }
    copies.leave_recursive_out();
    let taken = taken(&before);
    let outer: Vec<(ProcId, EdgeId, ProcId)> = before
        .procs
        .ids()
        .filter(|p| !copies.inner.contains_key(p) || taken.contains(p))
        .flat_map(|p| calls_of(&before, p, wanted).into_iter().map(move |(e, q)| (p, e, q)))
        .filter(|(.., q)| copies.inner.contains_key(q))
        .collect();
    let number = outer.iter().fold(0usize, |n, (.., q)| n.saturating_add(copies.tree(*q)));
    if number <= MOST {
        copies.all(outer, taken);
    }
    copies.vars
}

/// The procedures whose address some expression has.
pub(super) fn taken(program: &Program) -> BTreeSet<ProcId> {
    let mut taken = BTreeSet::new();
    for (_, _, edge) in program.edges() {
        visit::nodes(&edge.op, &mut |node| {
            if let Expr::Func(p, _) = node {
                taken.insert(*p);
            }
        });
    }
    taken
}

/// The direct calls in the procedure of those wanted.
fn calls_of(program: &Program, p: ProcId, wanted: &BTreeSet<ProcId>) -> Vec<(EdgeId, ProcId)> {
    let edges = program.procs[p].edges.iter_enumerated();
    edges.filter_map(|(e, edge)| Some((e, edge.op.calls().filter(|q| wanted.contains(q))?))).collect()
}

struct Copies<'a> {
    before: &'a Program,
    out: &'a mut Program,
    /// The procedures that are copied, each with the calls in it of others of them.
    inner: BTreeMap<ProcId, Vec<(EdgeId, ProcId)>>,
    vars: Vec<(VarId, VarId)>,
}

impl Copies<'_> {
    /// Leaves out those from which calls lead back to themselves, and calls of what is left out.
    fn leave_recursive_out(&mut self) {
        let reaches_itself = |from: ProcId| {
            let (mut seen, mut work) = (BTreeSet::new(), vec![from]);
            while let Some(p) = work.pop() {
                for (_, q) in self.inner.get(&p).into_iter().flatten() {
                    if *q == from {
                        return true;
                    }
                    if seen.insert(*q) {
                        work.push(*q);
                    }
                }
            }
            false
        };
        let recursive: BTreeSet<ProcId> = self.inner.keys().copied().filter(|p| reaches_itself(*p)).collect();
        self.inner.retain(|p, _| !recursive.contains(p));
        self.inner.values_mut().for_each(|calls| calls.retain(|(_, q)| !recursive.contains(q)));
    }

    /// How many procedures a copy of this one has in all, those that it calls included.
    fn tree(&self, p: ProcId) -> usize {
        self.inner[&p].iter().fold(1usize, |n, (_, q)| n.saturating_add(self.tree(*q)).min(2 * MOST))
    }

    /// Gives each of these calls its own, with what that calls. The first call of a procedure keeps the procedure itself, if its
    /// address is not taken, so that nothing else calls it.
    fn all(&mut self, outer: Vec<(ProcId, EdgeId, ProcId)>, taken: BTreeSet<ProcId>) {
        let (mut kept, mut work) = (taken, outer);
        work.reverse();
        while let Some((p, e, q)) = work.pop() {
            let args = match &self.out.procs[p].edges[e].op {
                Op::Call { args, .. } => args.clone(),
                _ => unreachable!("the edge is a call"),
            };
            let constants = self.constants(q, &args);
            let new = if kept.insert(q) { self.known(q, &constants) } else { self.copy(q, &constants) };
            if let Op::Call { callee, .. } = &mut self.out.procs[p].edges[e].op {
                *callee = Callee::Direct(new);
            }
            work.extend(self.inner[&q].iter().rev().map(|(e, q)| (new, *e, *q)));
        }
    }

    /// The formals that are constants in a call, and never change.
    fn constants(&self, q: ProcId, args: &[Expr]) -> BTreeMap<VarId, i128> {
        let proc = &self.before.procs[q];
        let mut changes: BTreeSet<VarId> = BTreeSet::new();
        for edge in proc.edges.iter() {
            changes.extend(edge.op.destination().and_then(Lvalue::as_var));
            visit::addresses(&edge.op, &mut |v| _ = changes.insert(v));
        }
        let formals = proc.formals.iter().zip(args).filter(|(v, _)| !changes.contains(v));
        let value = |v: VarId, arg: &Expr| match &self.before.vars[v].ty {
            Type::Int(i) => arg.constant().map(|n| i.wrap(n)),
            _ => None,
        };
        formals.filter_map(|(v, arg)| Some((*v, value(*v, arg)?))).collect()
    }

    /// The procedure itself, with these constants.
    fn known(&mut self, q: ProcId, constants: &BTreeMap<VarId, i128>) -> ProcId {
        for edge in self.out.procs[q].edges.iter_mut() {
            edge.op = renamed(&edge.op, &BTreeMap::new(), constants);
        }
        q
    }

    fn copy(&mut self, q: ProcId, constants: &BTreeMap<VarId, i128>) -> ProcId {
        let mut proc = self.before.procs[q].clone();
        let new: ProcId = self.out.procs.next_id();
        proc.name = self.free_name(&proc.name);
        let mut names = BTreeMap::new();
        for v in proc.formals.iter_mut().chain(&mut proc.locals) {
            let mut var = self.before.vars[*v].clone();
            var.kind = moved(var.kind, new);
            let copy = self.out.vars.push(var);
            names.insert(*v, copy);
            self.vars.push((copy, *v));
            *v = copy;
        }
        proc.ret = proc.ret.map(|v| names.get(&v).copied().unwrap_or(v));
        for edge in proc.edges.iter_mut() {
            edge.op = renamed(&edge.op, &names, constants);
            if let Op::Check(check, _) = &mut edge.op {
                let mut of = self.before.checks[*check].clone();
                of.proc = new;
                *check = self.out.checks.push(of);
            }
        }
        self.out.procs.push(proc)
    }

    fn free_name(&self, of: &str) -> String {
        let taken: BTreeSet<&str> = self.out.procs.iter().map(|p| p.name.as_str()).collect();
        let names = (2u32..).map(|n| format!("{of}__{n}"));
        names.into_iter().find(|n| !taken.contains(n.as_str())).expect("there are more numbers than names")
    }
}

/// The kind of a variable that now belongs to this procedure.
fn moved(kind: VarKind, to: ProcId) -> VarKind {
    match kind {
        VarKind::Global => VarKind::Global,
        VarKind::Formal(_) => VarKind::Formal(to),
        VarKind::Local(_) => VarKind::Local(to),
        VarKind::Temp(_) => VarKind::Temp(to),
        VarKind::Return(_) => VarKind::Return(to),
    }
}

/// The operation with other variables, and with constants in the place of some.
fn renamed(op: &Op, names: &BTreeMap<VarId, VarId>, constants: &BTreeMap<VarId, i128>) -> Op {
    let known = |e: &Expr| match e {
        Expr::Load(lv) => Some(Expr::Const(*constants.get(&lv.as_var()?)?, lv.ty.clone())),
        _ => None,
    };
    let op = op.clone().map(&mut |e| known(&e).unwrap_or(e));
    op.renamed(&mut |v| names.get(&v).copied().unwrap_or(v))
}
