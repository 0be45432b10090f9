//! The scalar locations that matter to the conditions of a path, and the state along a stretch of the path over
//! constants for their values where it begins: what the clauses for the path's program are made of.
//!
//! What memory holds, products and bit operations have arbitrary values. So the clauses allow more than the
//! program does, and a solution holds for the program also. Nothing rests on that: predicates are only tried.

use cmm::analysis::{CellId, CellKind};
use cmm::{Callee, EdgeId, Expr, Lvalue, Op, Path, PathStep, ProcId, Type, VarId};
use pred::encode::value_sort;
use pred::state::map_sort;
use pred::{Encoder, Facts, State};
use rustc_hash::FxHashMap;
use smt::Term;
use smt::horn::{Atom, Clause};
use std::collections::BTreeSet;

/// A scalar location of one frame, or a global one (`None`).
pub(crate) type Key = (Option<usize>, CellId);

/// The locations that matter.
pub(crate) struct Scalars<'a> {
    pub(crate) enc: Encoder<'a>,
    pub(crate) path: &'a Path,
    /// For each step the frame on top before it.
    pub(crate) nodes: Vec<usize>,
    pub(crate) relevant: BTreeSet<Key>,
}

impl<'a> Scalars<'a> {
    /// Those that the wanted conditions read, and those from which these get their values. `steps` are the ones
    /// to look at.
    pub(crate) fn new(
        enc: Encoder<'a>,
        path: &'a Path,
        nodes: Vec<usize>,
        steps: &[usize],
        wanted: impl Fn(usize) -> bool,
    ) -> Scalars<'a> {
        let mut out = Scalars { enc, path, nodes, relevant: BTreeSet::new() };
        out.close(steps, wanted);
        out
    }

    fn node(&self, step: usize) -> usize {
        self.nodes[step]
    }

    /// The frame that a step enters, or comes back to.
    pub(crate) fn node_after(&self, step: usize) -> usize {
        self.node(step + 1)
    }

    pub(crate) fn key(&self, cell: CellId, node: usize) -> Option<Key> {
        match self.enc.oracle.cell_kind(cell) {
            CellKind::Scalar { var, .. } => Some((self.enc.program.vars[*var].proc().map(|_| node), cell)),
            _ => None,
        }
    }

    pub(crate) fn place(&self, lv: &Lvalue, node: usize) -> Option<Key> {
        self.key(self.enc.oracle.cell(lv), node)
    }

    pub(crate) fn reads(&self, e: &Expr, node: usize) -> Vec<Key> {
        let mut out = vec![];
        e.walk(&mut |e| {
            if let Expr::Load(lv) = e {
                out.extend(self.place(lv, node));
            }
        });
        out
    }

    pub(crate) fn op(&self, p: ProcId, e: EdgeId) -> &'a Op {
        &self.enc.program.procs[p].edges[e].op
    }

    /// Collects the locations that the wanted conditions read, and those from which these get their values.
    fn close(&mut self, steps: &[usize], wanted: impl Fn(usize) -> bool) {
        for (i, step) in self.path.steps.iter().enumerate() {
            if let PathStep::Edge(p, e) = *step
                && let Op::Assume(c) | Op::Check(_, c) = self.op(p, e)
                && wanted(i)
            {
                let reads = self.reads(c, self.node(i));
                self.relevant.extend(reads);
            }
        }
        loop {
            let before = self.relevant.len();
            for i in steps.iter().rev() {
                let sources = self.sources(*i);
                self.relevant.extend(sources);
            }
            if self.relevant.len() == before {
                return;
            }
        }
    }

    /// What a step reads for the sake of relevant locations.
    fn sources(&self, i: usize) -> Vec<Key> {
        let node = self.node(i);
        let is_relevant = |key: Option<Key>| key.is_some_and(|k| self.relevant.contains(&k));
        match self.path.steps[i] {
            PathStep::Edge(p, e) => match self.op(p, e) {
                Op::Assign(lv, value) if is_relevant(self.place(lv, node)) => self.reads(value, node),
                _ => vec![],
            },
            PathStep::Enter(p, e, callee) => {
                let Op::Call { args, .. } = self.op(p, e) else { return vec![] };
                let inside = self.node_after(i);
                let formals = self.enc.program.procs[callee].formals.iter();
                let pairs = formals
                    .zip(args)
                    .filter(|(f, _)| is_relevant(self.place(&self.enc.program.lvalue(**f), inside)));
                pairs.flat_map(|(_, a)| self.reads(a, node)).collect()
            }
            PathStep::Leave(p, e, callee) => {
                let Op::Call { dest: Some(dest), .. } = self.op(p, e) else { return vec![] };
                let Some(ret) = self.enc.program.procs[callee].ret else { return vec![] };
                if is_relevant(self.place(dest, self.node_after(i))) {
                    self.place(&self.enc.program.lvalue(ret), node).into_iter().collect()
                } else {
                    vec![]
                }
            }
        }
    }

    pub(crate) fn ty(&self, key: Key) -> &'a Type {
        match self.enc.oracle.cell_kind(key.1) {
            CellKind::Scalar { ty, .. } => ty,
            _ => panic!("only scalar cells are arguments of relations"),
        }
    }

    pub(crate) fn constant(&self, (node, cell): Key) -> Term {
        let node = node.map_or_else(String::new, |n| format!("{n}."));
        let sort = value_sort(self.ty((None, cell)), self.enc.mode, self.enc.program.model);
        Term::constant(&format!("{node}{cell}"), sort)
    }
}

/// Terms that the solver does better without become arbitrary values, equal terms equal ones.
pub(crate) fn linear(clause: Clause) -> Clause {
    let mut pending: Vec<&Term> = vec![&clause.constraint];
    pending.extend(clause.head.iter().flat_map(|h| &h.args));
    let mut seen = rustc_hash::FxHashSet::default();
    let mut replaced = FxHashMap::default();
    while let Some(term) = pending.pop() {
        if !seen.insert(term.clone()) {
            continue;
        }
        let product =
            *term.op() == smt::Op::IntMul && term.args().iter().filter(|a| a.as_int().is_none()).count() > 1;
        let division = matches!(term.op(), smt::Op::IntDiv | smt::Op::IntMod)
            && term.args().get(1).is_none_or(|d| d.as_int().is_none());
        if product || division || matches!(term.op(), smt::Op::Select | smt::Op::Apply(_)) {
            let name = format!("some!{}", replaced.len());
            replaced.insert(term.clone(), Term::constant(&name, term.sort().clone()));
        } else {
            pending.extend(term.args());
        }
    }
    let of = |t: &Term| t.substitute(&replaced);
    let head = clause.head.map(|h| Atom { args: h.args.iter().map(of).collect(), ..h });
    Clause { constraint: of(&clause.constraint), head, body: clause.body }
}

/// The state along a segment, over the constants of where it begins.
pub(crate) struct Walk<'b, 'a> {
    pub(crate) scalars: &'b Scalars<'a>,
    pub(crate) node: usize,
    pub(crate) values: FxHashMap<Key, Term>,
    /// Frames that began in the segment: what they have not written is arbitrary.
    pub(crate) entered: BTreeSet<usize>,
}

impl Walk<'_, '_> {
    pub(crate) fn value(&mut self, key: Key, ty: &Type, facts: &mut Facts) -> Term {
        if let Some(value) = self.values.get(&key) {
            return value.clone();
        }
        let scalars = self.scalars;
        let begun = key.0.is_some_and(|n| self.entered.contains(&n));
        let value = if scalars.relevant.contains(&key) && !begun {
            let value = scalars.constant(key);
            facts.in_range(&value, ty, scalars.enc.mode);
            value
        } else {
            facts.fresh_value(ty, scalars.enc.mode, scalars.enc.program.model)
        };
        self.values.insert(key, value.clone());
        value
    }

    pub(crate) fn is_relevant(&self, lv: &Lvalue, node: usize) -> bool {
        self.scalars.place(lv, node).is_some_and(|k| self.scalars.relevant.contains(&k))
    }

    fn store(&mut self, lv: &Lvalue, value: Term) {
        if let Some(key) = self.scalars.place(lv, self.node) {
            self.values.insert(key, value);
        }
    }

    fn forget(&mut self, lv: &Lvalue, facts: &mut Facts) {
        let enc = &self.scalars.enc;
        let value = facts.fresh_value(&lv.ty, enc.mode, enc.program.model);
        self.store(lv, value);
    }

    pub(crate) fn step(&mut self, i: usize, last: bool, facts: &mut Facts, conditions: &mut Vec<Term>) {
        let scalars = self.scalars;
        match scalars.path.steps[i] {
            PathStep::Edge(p, e) => self.edge(p, e, last, facts, conditions),
            PathStep::Enter(p, e, callee) => {
                let Op::Call { args, callee: Callee::Direct(_), .. } = scalars.op(p, e) else {
                    panic!("a path enters procedures at direct calls only");
                };
                let inside = scalars.node_after(i);
                let formals = &scalars.enc.program.procs[callee].formals;
                let mut passed = vec![];
                for (f, a) in formals.iter().zip(args) {
                    let formal = scalars.enc.program.lvalue(*f);
                    if self.is_relevant(&formal, inside) {
                        passed.push((formal, scalars.enc.value(a, self, facts)));
                    }
                }
                self.values.retain(|k, _| k.0 != Some(inside));
                self.entered.insert(inside);
                self.node = inside;
                passed.into_iter().for_each(|(formal, value)| self.store(&formal, value));
            }
            PathStep::Leave(p, e, callee) => {
                let outside = scalars.node_after(i);
                let Op::Call { dest, .. } = scalars.op(p, e) else {
                    panic!("a path leaves procedures behind calls only");
                };
                let Some(dest) = dest.as_ref().filter(|lv| self.is_relevant(lv, outside)) else {
                    self.node = outside;
                    return;
                };
                let program = scalars.enc.program;
                let value = program.procs[callee]
                    .ret
                    .filter(|r| program.vars[*r].ty == dest.ty)
                    .map(|r| scalars.enc.value(&program.read(r), self, facts));
                self.node = outside;
                match value {
                    Some(value) => self.store(dest, value),
                    None => self.forget(dest, facts),
                }
            }
        }
    }

    fn edge(&mut self, p: ProcId, e: EdgeId, last: bool, facts: &mut Facts, conditions: &mut Vec<Term>) {
        let scalars = self.scalars;
        let enc = &scalars.enc;
        match scalars.op(p, e) {
            Op::Skip | Op::Free(_) | Op::Output { .. } => {}
            Op::Assign(lv, value) => {
                if self.is_relevant(lv, self.node) {
                    let value = enc.value(value, self, facts);
                    self.store(lv, value);
                }
            }
            Op::Havoc(lv, _) | Op::Inspect { dest: lv, .. } => self.forget(lv, facts),
            Op::Assume(c) | Op::Check(_, c) => {
                let reads = scalars.reads(c, self.node);
                if reads.is_empty() || reads.iter().any(|k| scalars.relevant.contains(k)) {
                    let holds = enc.cond(c, self, facts);
                    conditions.push(if last { holds.not() } else { holds });
                }
            }
            Op::Alloc { dest, may_fail, .. } => {
                let ty = Type::Void.ptr_to();
                let fresh = facts.fresh_value(&ty, enc.mode, enc.program.model);
                let placed = enc.literal(scalars.enc.addresses.end(), &ty).int_le(&fresh);
                let null = fresh.equal(&enc.literal(0, &ty));
                facts.axioms.push(if *may_fail { Term::or([null, placed]) } else { placed });
                self.store(dest, fresh);
            }
            Op::Call { .. } | Op::MemSet { .. } | Op::MemCopy { .. } => {
                for cell in enc.oracle.edge_mods(p, e).iter() {
                    if let Some(key) = scalars.key(cell, self.node) {
                        let value = facts.fresh_value(scalars.ty(key), enc.mode, enc.program.model);
                        self.values.insert(key, value);
                    }
                }
                if let Op::Call { dest: Some(dest), .. } = scalars.op(p, e) {
                    self.forget(dest, facts);
                }
            }
        }
    }
}

impl State for Walk<'_, '_> {
    fn scalar(&mut self, cell: CellId, ty: &Type, facts: &mut Facts) -> Term {
        let key = self.scalars.key(cell, self.node).expect("only scalar cells are read directly");
        self.value(key, ty, facts)
    }

    fn map(&mut self, _: CellId, ty: &Type, facts: &mut Facts) -> Term {
        facts.fresh(map_sort(ty, self.scalars.enc.mode, self.scalars.enc.program))
    }

    fn address(&mut self, var: VarId) -> i128 {
        self.scalars.enc.addresses.var(var)
    }

    fn entry(&mut self) -> &mut dyn State {
        panic!("edges of a program do not mention old(...)")
    }
}
