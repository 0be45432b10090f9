//! The program of a path as Horn clauses, and their solution as conditions at its cut positions (refiner d of the
//! design's algorithms, section 4; \[BHMR07\]).
//!
//! Only scalar cells that can matter to the conditions asked about are arguments of the relations; what memory holds,
//! products and bit operations have arbitrary values. So the clauses allow more than the program does, and a
//! solution holds for the program also. Nothing rests on that: predicates are only tried.

use crate::feasible::{Assumption, Role};
use crate::invariants::{Invariants, Key};
use crate::path_program::{PathProgram, Segment};
use crate::unfold::Unfolding;
use crate::{Options, RLIMIT};
use cmm::analysis::{AliasOracle, CellId, CellKind};
use cmm::{Callee, Expr, Lvalue, Op, Path, PathStep, ProcId, Program, Type, VarId};
use pred::encode::value_sort;
use pred::state::map_sort;
use pred::{Addresses, Encoder, Facts, State};
use rustc_hash::FxHashMap;
use smt::Term;
use smt::horn::{Atom, Clause, Horn, Solution};
use std::collections::BTreeSet;

/// The resource limit for a system of clauses.
const HORN_RLIMIT: u64 = RLIMIT / 16;

struct Builder<'a> {
    enc: Encoder<'a>,
    path: &'a Path,
    unfolding: &'a Unfolding<'a>,
    of_path: &'a PathProgram,
    relevant: BTreeSet<Key>,
    /// Whether the ranges of types, and what makes operations defined, are part of the clauses.
    ranges: bool,
}

/// Conditions for the cut positions that refute the path, whatever the number of turns of its loops.
///
/// # Errors
/// Why there are none, in words.
pub(crate) fn invariants(
    program: &Program,
    oracle: &AliasOracle,
    path: &Path,
    unfolding: &Unfolding<'_>,
    of_path: &PathProgram,
    core: &[&Assumption],
    options: &Options<'_>,
) -> Result<Invariants, String> {
    let addresses = Addresses::new(program);
    let enc = Encoder { program, oracle, addresses: &addresses, mode: options.mode };
    let core: BTreeSet<usize> = core.iter().filter(|a| a.role == Role::Condition).map(|a| a.step).collect();
    let mut why = String::new();
    for (everything, ranges) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut builder = Builder { enc, path, unfolding, of_path, relevant: BTreeSet::new(), ranges };
        builder.close(|i| everything || core.contains(&i));
        let (horn, keys) = builder.clauses();
        match horn.solve(HORN_RLIMIT, options.interrupt) {
            Solution::Solved(formulas) => return Ok(Invariants { formulas, keys }),
            Solution::Derivable => why = "another number of turns of its loops is possible".into(),
            Solution::Unknown(reason) => why = reason,
        }
        if options.interrupt.is_set() {
            break;
        }
    }
    Err(why)
}

impl<'a> Builder<'a> {
    fn node(&self, step: usize) -> usize {
        self.of_path.of_activation[self.unfolding.steps[step].activation]
    }

    /// The frame that a step enters, or comes back to.
    fn node_after(&self, step: usize) -> usize {
        self.node(step + 1)
    }

    fn key(&self, cell: CellId, node: usize) -> Option<Key> {
        match self.enc.oracle.cell_kind(cell) {
            CellKind::Scalar { var, .. } => Some((self.enc.program.vars[*var].proc().map(|_| node), cell)),
            _ => None,
        }
    }

    fn place(&self, lv: &Lvalue, node: usize) -> Option<Key> {
        self.key(self.enc.oracle.cell(lv), node)
    }

    fn reads(&self, e: &Expr, node: usize) -> Vec<Key> {
        let mut out = vec![];
        e.walk(&mut |e| {
            if let Expr::Load(lv) = e {
                out.extend(self.place(lv, node));
            }
        });
        out
    }

    fn op(&self, p: ProcId, e: cmm::EdgeId) -> &'a Op {
        &self.enc.program.procs[p].edges[e].op
    }

    /// Collects the locations that the wanted conditions read, and those from which these get their values.
    fn close(&mut self, wanted: impl Fn(usize) -> bool) {
        let steps: Vec<usize> = self.of_path.segments.iter().flat_map(|s| s.steps.clone()).collect();
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

    /// The arguments of the relation at a cut position.
    fn params(&self, cut: usize) -> Vec<Key> {
        let stack = self.of_path.stack(self.of_path.frames[cut]);
        let visible = |k: &&Key| k.0.is_none_or(|node| stack.contains(&node));
        self.relevant.iter().filter(visible).copied().collect()
    }

    fn ty(&self, key: Key) -> &'a Type {
        match self.enc.oracle.cell_kind(key.1) {
            CellKind::Scalar { ty, .. } => ty,
            _ => panic!("only scalar cells are arguments of relations"),
        }
    }

    fn constant(&self, (node, cell): Key) -> Term {
        let node = node.map_or_else(String::new, |n| format!("{n}."));
        let sort = value_sort(self.ty((None, cell)), self.enc.mode, self.enc.program.model);
        Term::constant(&format!("{node}{cell}"), sort)
    }

    fn clauses(&self) -> (Horn, FxHashMap<Term, Key>) {
        let mut horn = Horn::default();
        for cut in 0..self.of_path.frames.len() {
            horn.relations.push(self.params(cut).into_iter().map(|k| self.constant(k)).collect());
        }
        let entry: Vec<Term> = horn.relations[0].clone();
        horn.clauses.push(Clause {
            body: vec![],
            constraint: Term::bool(true),
            head: Some(Atom { relation: 0, args: entry }),
        });
        for segment in &self.of_path.segments {
            horn.clauses.push(self.clause(segment));
        }
        let keys = self.relevant.iter().map(|k| (self.constant(*k), *k)).collect();
        (horn, keys)
    }

    fn clause(&self, segment: &Segment) -> Clause {
        let mut walk = Walk {
            builder: self,
            node: self.of_path.frames[segment.from],
            values: FxHashMap::default(),
            entered: BTreeSet::new(),
        };
        let mut facts = Facts::new("any");
        let mut conditions = vec![];
        for i in segment.steps.clone() {
            walk.step(i, i + 1 == self.path.steps.len(), &mut facts, &mut conditions);
        }
        let head = segment.to.map(|to| {
            let args = self.params(to).into_iter().map(|k| walk.value(k, self.ty(k), &mut facts)).collect();
            Atom { relation: to, args }
        });
        if self.ranges {
            conditions.append(&mut facts.axioms);
            conditions.append(&mut facts.defined);
        }
        let args = self.params(segment.from).into_iter().map(|k| self.constant(k)).collect();
        let body = vec![Atom { relation: segment.from, args }];
        linear(Clause { body, constraint: Term::and(conditions), head })
    }
}

/// Terms that the solver does better without become arbitrary values, equal terms equal ones.
fn linear(clause: Clause) -> Clause {
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
struct Walk<'b, 'a> {
    builder: &'b Builder<'a>,
    node: usize,
    values: FxHashMap<Key, Term>,
    /// Frames that began in the segment: what they have not written is arbitrary.
    entered: BTreeSet<usize>,
}

impl Walk<'_, '_> {
    fn value(&mut self, key: Key, ty: &Type, facts: &mut Facts) -> Term {
        if let Some(value) = self.values.get(&key) {
            return value.clone();
        }
        let builder = self.builder;
        let begun = key.0.is_some_and(|n| self.entered.contains(&n));
        let value = if builder.relevant.contains(&key) && !begun {
            let value = builder.constant(key);
            facts.in_range(&value, ty, builder.enc.mode);
            value
        } else {
            facts.fresh_value(ty, builder.enc.mode, builder.enc.program.model)
        };
        self.values.insert(key, value.clone());
        value
    }

    fn is_relevant(&self, lv: &Lvalue, node: usize) -> bool {
        self.builder.place(lv, node).is_some_and(|k| self.builder.relevant.contains(&k))
    }

    fn store(&mut self, lv: &Lvalue, value: Term) {
        if let Some(key) = self.builder.place(lv, self.node) {
            self.values.insert(key, value);
        }
    }

    fn forget(&mut self, lv: &Lvalue, facts: &mut Facts) {
        let enc = &self.builder.enc;
        let value = facts.fresh_value(&lv.ty, enc.mode, enc.program.model);
        self.store(lv, value);
    }

    fn step(&mut self, i: usize, last: bool, facts: &mut Facts, conditions: &mut Vec<Term>) {
        let builder = self.builder;
        match builder.path.steps[i] {
            PathStep::Edge(p, e) => self.edge(p, e, last, facts, conditions),
            PathStep::Enter(p, e, callee) => {
                let Op::Call { args, callee: Callee::Direct(_), .. } = builder.op(p, e) else {
                    panic!("a path enters procedures at direct calls only");
                };
                let inside = builder.node_after(i);
                let formals = &builder.enc.program.procs[callee].formals;
                let mut passed = vec![];
                for (f, a) in formals.iter().zip(args) {
                    let formal = builder.enc.program.lvalue(*f);
                    if self.is_relevant(&formal, inside) {
                        passed.push((formal, builder.enc.value(a, self, facts)));
                    }
                }
                self.values.retain(|k, _| k.0 != Some(inside));
                self.entered.insert(inside);
                self.node = inside;
                passed.into_iter().for_each(|(formal, value)| self.store(&formal, value));
            }
            PathStep::Leave(p, e, callee) => {
                let outside = builder.node_after(i);
                let Op::Call { dest, .. } = builder.op(p, e) else {
                    panic!("a path leaves procedures behind calls only");
                };
                let Some(dest) = dest.as_ref().filter(|lv| self.is_relevant(lv, outside)) else {
                    self.node = outside;
                    return;
                };
                let program = builder.enc.program;
                let value = program.procs[callee]
                    .ret
                    .filter(|r| program.vars[*r].ty == dest.ty)
                    .map(|r| builder.enc.value(&program.read(r), self, facts));
                self.node = outside;
                match value {
                    Some(value) => self.store(dest, value),
                    None => self.forget(dest, facts),
                }
            }
        }
    }

    fn edge(&mut self, p: ProcId, e: cmm::EdgeId, last: bool, facts: &mut Facts, conditions: &mut Vec<Term>) {
        let builder = self.builder;
        let enc = &builder.enc;
        match builder.op(p, e) {
            Op::Skip | Op::Free(_) | Op::Output { .. } => {}
            Op::Assign(lv, value) => {
                if self.is_relevant(lv, self.node) {
                    let value = enc.value(value, self, facts);
                    self.store(lv, value);
                }
            }
            Op::Havoc(lv, _) | Op::Inspect { dest: lv, .. } => self.forget(lv, facts),
            Op::Assume(c) | Op::Check(_, c) => {
                let reads = builder.reads(c, self.node);
                if reads.is_empty() || reads.iter().any(|k| builder.relevant.contains(k)) {
                    let holds = enc.cond(c, self, facts);
                    conditions.push(if last { holds.not() } else { holds });
                }
            }
            Op::Alloc { dest, may_fail, .. } => {
                let ty = Type::Void.ptr_to();
                let fresh = facts.fresh_value(&ty, enc.mode, enc.program.model);
                let placed = enc.literal(builder.enc.addresses.end(), &ty).int_le(&fresh);
                let null = fresh.equal(&enc.literal(0, &ty));
                facts.axioms.push(if *may_fail { Term::or([null, placed]) } else { placed });
                self.store(dest, fresh);
            }
            Op::Call { .. } | Op::MemSet { .. } | Op::MemCopy { .. } => {
                for cell in enc.oracle.edge_mods(p, e).iter() {
                    if let Some(key) = builder.key(cell, self.node) {
                        let value = facts.fresh_value(builder.ty(key), enc.mode, enc.program.model);
                        self.values.insert(key, value);
                    }
                }
                if let Op::Call { dest: Some(dest), .. } = builder.op(p, e) {
                    self.forget(dest, facts);
                }
            }
        }
    }
}

impl State for Walk<'_, '_> {
    fn scalar(&mut self, cell: CellId, ty: &Type, facts: &mut Facts) -> Term {
        let key = self.builder.key(cell, self.node).expect("only scalar cells are read directly");
        self.value(key, ty, facts)
    }

    fn map(&mut self, _: CellId, ty: &Type, facts: &mut Facts) -> Term {
        facts.fresh(map_sort(ty, self.builder.enc.mode, self.builder.enc.program))
    }

    fn address(&mut self, var: VarId) -> i128 {
        self.builder.enc.addresses.var(var)
    }

    fn entry(&mut self) -> &mut dyn State {
        panic!("edges of a program do not mention old(...)")
    }
}
