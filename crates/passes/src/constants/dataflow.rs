//! Constant and copy propagation: the values that scalar variables are known to hold at each location,
//! constants, and for temporaries the variable copied.
//!
//! Forward data flow over all procedures at once, for variables whose address is never taken and that undefined
//! functions do not reach, so that only assignments by name change them. A procedure is analysed once for all
//! its calls: it starts with what they agree on about globals and arguments; behind a call, globals that the
//! procedure may assign hold what is known at its exit, all others what they held before. Branches whose
//! condition is known to be false lead nowhere. Where procedures may be called that no edge names, each starts
//! with nothing known and globals are left out.

use crate::constants::{Rewriter, constant, truth};
use alias::oracle::AliasOracle;
use base::IndexVec;
use ir::expr::{Base, Expr, Lvalue};
use ir::program::{Callee, Edge, EdgeId, LocId, Op, ProcId, Program, VarId, VarKind};
use ir::types::Type;
use ir::visit;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// Bound on variables times locations, of one procedure and of the globals, to bound memory: of larger procedures
/// nothing is known, and of many globals those with the fewest assignments are taken.
const MAX_FACTS: usize = 2_000_000;

/// A known value of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    /// This number, of the variable's type; of pointers only NULL is known.
    Constant(i128),
    /// The value of this variable.
    Copy(VarId),
}

/// The known values of variables at one location.
pub(super) type Facts = BTreeMap<VarId, Value>;

/// The known values at each location of each procedure, on all paths; `None` where it is unreachable.
type States = IndexVec<ProcId, IndexVec<LocId, Option<Rc<Facts>>>>;

/// Analyses the program, without the variables in `kept`.
pub(super) fn known(program: &Program, oracle: &AliasOracle, kept: &BTreeSet<VarId>) -> States {
    let mut flow = Flow::new(program, oracle, kept);
    if flow.open {
        let bodies = program.procs.iter_enumerated().filter(|(_, proc)| proc.has_body);
        bodies.for_each(|(p, proc)| flow.join(p, proc.entry, Rc::default()));
    } else {
        flow.join(program.entry, program.procs[program.entry].entry, Rc::default());
    }
    flow.run();
    flow.states
}

struct Flow<'a> {
    program: &'a Program,
    /// Whether procedures may be called that no edge names.
    open: bool,
    /// Variables without a known value.
    kept: &'a BTreeSet<VarId>,
    /// The globals and each procedure's own variables that are followed.
    followed: BTreeSet<VarId>,
    /// The globals followed that an execution of the procedure may assign.
    assigned: IndexVec<ProcId, BTreeSet<VarId>>,
    successors: IndexVec<ProcId, IndexVec<LocId, Vec<EdgeId>>>,
    /// The call sites of each procedure so far.
    callers: IndexVec<ProcId, BTreeSet<(ProcId, LocId)>>,
    states: States,
    queue: VecDeque<(ProcId, LocId)>,
    queued: BTreeSet<(ProcId, LocId)>,
}

impl<'a> Flow<'a> {
    fn new(program: &'a Program, oracle: &AliasOracle, kept: &'a BTreeSet<VarId>) -> Flow<'a> {
        let indirect = |e: &Edge| matches!(e.op, Op::Call { callee: Callee::Indirect(_), .. });
        let open =
            !oracle.callbacks().is_empty() || program.procs.iter().flat_map(|p| p.edges.iter()).any(indirect);
        let aimed = address_taken(program);
        let simple = |v: &VarId| {
            let var = &program.vars[*v];
            matches!(var.ty, Type::Int(_) | Type::Ptr(_)) && !aimed.contains(v)
        };
        let mut followed = BTreeSet::new();
        for proc in program.procs.iter().filter(|p| p.has_body) {
            let own: Vec<VarId> = proc.formals.iter().chain(&proc.locals).copied().filter(simple).collect();
            if own.len().saturating_mul(proc.locations.len()) <= MAX_FACTS {
                followed.extend(own);
            }
        }
        if !open {
            let reached = |v: &VarId| oracle.escaped().contains(oracle.cell(&program.lvalue(*v)));
            let globals = program.globals.iter().copied().filter(|v| simple(v) && !reached(v)).collect();
            followed.extend(fewest_writes(program, globals));
        }
        Flow {
            program,
            open,
            kept,
            assigned: assigned(program, &followed),
            followed,
            successors: program.procs.iter().map(|p| p.successors()).collect(),
            callers: IndexVec::from_elem(BTreeSet::new(), program.procs.len()),
            states: program.procs.iter().map(|p| IndexVec::from_elem(None, p.locations.len())).collect(),
            queue: VecDeque::new(),
            queued: BTreeSet::new(),
        }
    }

    fn run(&mut self) {
        while let Some((p, at)) = self.queue.pop_front() {
            self.queued.remove(&(p, at));
            let program = self.program;
            let proc = &program.procs[p];
            if at == proc.exit {
                for (caller, at) in self.callers[p].clone() {
                    self.enqueue(caller, at);
                }
            }
            for i in 0..self.successors[p][at].len() {
                let edge = &proc.edges[self.successors[p][at][i]];
                let before = Rc::clone(self.states[p][at].as_ref().expect("queued locations were reached"));
                if let Some(after) = self.after(p, edge, before) {
                    self.join(p, edge.dst, after);
                }
            }
        }
    }

    fn enqueue(&mut self, p: ProcId, at: LocId) {
        if self.queued.insert((p, at)) {
            self.queue.push_back((p, at));
        }
    }

    /// Keeps what both know.
    fn join(&mut self, p: ProcId, at: LocId, new: Rc<Facts>) {
        let state = &mut self.states[p][at];
        match state {
            None => *state = Some(new),
            Some(old) => {
                if Rc::ptr_eq(old, &new) || old.iter().all(|(v, value)| new.get(v) == Some(value)) {
                    return;
                }
                Rc::make_mut(old).retain(|v, value| new.get(v) == Some(value));
            }
        }
        self.enqueue(p, at);
    }

    /// The facts behind the edge; `None` when, as far as is known now, no execution takes it.
    fn after(&mut self, p: ProcId, edge: &Edge, before: Rc<Facts>) -> Option<Rc<Facts>> {
        match &edge.op {
            Op::Assume(condition) => {
                let condition = Rewriter::new(self.program, &before).condition(condition);
                (truth(&condition) != Some(false)).then_some(before)
            }
            Op::Call { dest, callee: Callee::Direct(q), args } if self.program.procs[*q].has_body => {
                self.call((p, edge.src), *q, args, &before);
                let exit = self.states[*q][self.program.procs[*q].exit].clone()?;
                let mut after = self.behind_call(*q, before, &exit);
                if let Some(v) = dest.as_ref().and_then(Lvalue::as_var) {
                    let returned = self.returned(*q, v, &exit);
                    after = self.assign(after, v, returned);
                }
                Some(after)
            }
            op => {
                let Some(dest) = op.destination() else { return Some(before) };
                let Some(v) = dest.as_var() else { return Some(before) };
                let value = match op {
                    Op::Assign(dest, value) => self.value(v, &dest.ty, value, &before),
                    _ => None,
                };
                Some(self.assign(before, v, value))
            }
        }
    }

    /// The facts once the variable was assigned.
    fn assign(&self, facts: Rc<Facts>, v: VarId, value: Option<Value>) -> Rc<Facts> {
        if !self.followed.contains(&v) {
            return facts;
        }
        let mut facts = Rc::unwrap_or_clone(facts);
        facts.remove(&v);
        facts.retain(|_, value| *value != Value::Copy(v));
        if let Some(value) = value
            && !self.kept.contains(&v)
        {
            facts.insert(v, value);
        }
        Rc::new(facts)
    }

    fn value(&self, v: VarId, ty: &Type, value: &Expr, before: &Facts) -> Option<Value> {
        let value = Rewriter::new(self.program, before).whole(value);
        if let Some(c) = constant(&value) {
            return Some(Value::Constant(c));
        }
        let Expr::Load(lv) = &value else { return None };
        let w = lv.as_var()?;
        let own = |w: VarId| self.followed.contains(&w) && self.program.vars[w].proc().is_some();
        let copied =
            matches!(self.program.vars[v].kind, VarKind::Temp(_)) && w != v && own(w) && lv.ty == *ty;
        copied.then_some(Value::Copy(w))
    }

    /// The procedure starts with these facts too.
    fn call(&mut self, from: (ProcId, LocId), q: ProcId, args: &[Expr], before: &Facts) {
        self.callers[q].insert(from);
        if self.open {
            return;
        }
        let program = self.program;
        let is_global = |v: &VarId| program.vars[*v].kind == VarKind::Global;
        let mut entry: Facts = before.iter().filter(|(v, _)| is_global(v)).map(|(v, x)| (*v, *x)).collect();
        for (formal, arg) in program.procs[q].formals.iter().zip(args) {
            if self.followed.contains(formal)
                && !self.kept.contains(formal)
                && arg.ty() == program.vars[*formal].ty
            {
                let arg = Rewriter::new(program, before).whole(arg);
                entry.extend(constant(&arg).map(|c| (*formal, Value::Constant(c))));
            }
        }
        self.join(q, program.procs[q].entry, Rc::new(entry));
    }

    fn behind_call(&self, q: ProcId, before: Rc<Facts>, exit: &Facts) -> Rc<Facts> {
        if self.assigned[q].iter().all(|g| before.get(g) == exit.get(g)) {
            return before;
        }
        let mut after = Rc::unwrap_or_clone(before);
        for g in &self.assigned[q] {
            match exit.get(g) {
                Some(value) => after.insert(*g, *value),
                None => after.remove(g),
            };
        }
        Rc::new(after)
    }

    /// The value returned into a variable of the same type.
    fn returned(&self, q: ProcId, dest: VarId, exit: &Facts) -> Option<Value> {
        let ret = self.program.procs[q].ret?;
        let value = *exit.get(&ret).filter(|_| self.program.vars[ret].ty == self.program.vars[dest].ty)?;
        matches!(value, Value::Constant(_)).then_some(value)
    }
}

/// The variables whose address, or that of a part, occurs somewhere.
pub fn address_taken(program: &Program) -> BTreeSet<VarId> {
    let mut aimed = BTreeSet::new();
    for edge in program.procs.iter().flat_map(|p| p.edges.iter()) {
        visit::nodes(&edge.op, &mut |node| {
            if let Expr::AddrOf(lv) = node
                && let Base::Var(v) = lv.base
            {
                aimed.insert(v);
            }
        });
    }
    aimed
}

/// As many of the variables as the bound allows, those with the fewest assignments.
fn fewest_writes(program: &Program, globals: Vec<VarId>) -> Vec<VarId> {
    let locations: usize = program.procs.iter().map(|p| p.locations.len()).sum();
    let most = MAX_FACTS / locations.max(1);
    if globals.len() <= most {
        return globals;
    }
    let mut writes: BTreeMap<VarId, usize> = BTreeMap::new();
    for edge in program.procs.iter().flat_map(|p| p.edges.iter()) {
        if let Some(Lvalue { base: Base::Var(v), .. }) = edge.op.destination() {
            *writes.entry(*v).or_default() += 1;
        }
    }
    let mut globals = globals;
    globals.sort_by_key(|v| writes.get(v).copied().unwrap_or(0));
    globals.truncate(most);
    globals
}

/// The globals followed that an execution of each procedure may assign, in calls too.
fn assigned(program: &Program, followed: &BTreeSet<VarId>) -> IndexVec<ProcId, BTreeSet<VarId>> {
    let mut out: IndexVec<ProcId, BTreeSet<VarId>> =
        IndexVec::from_elem(BTreeSet::new(), program.procs.len());
    let mut callers: IndexVec<ProcId, BTreeSet<ProcId>> =
        IndexVec::from_elem(BTreeSet::new(), program.procs.len());
    for (p, _, edge) in program.edges() {
        if let Some(v) = edge.op.destination().and_then(Lvalue::as_var)
            && program.vars[v].kind == VarKind::Global
            && followed.contains(&v)
        {
            out[p].insert(v);
        }
        if let Op::Call { callee: Callee::Direct(q), .. } = &edge.op {
            callers[*q].insert(p);
        }
    }
    let mut work: Vec<ProcId> = program.procs.ids().collect();
    while let Some(q) = work.pop() {
        for p in &callers[q] {
            let missing: Vec<VarId> = out[q].difference(&out[*p]).copied().collect();
            if !missing.is_empty() {
                out[*p].extend(missing);
                work.push(*p);
            }
        }
    }
    out
}
