//! Flow-sensitive dataflow: what the path edges become when every variable is examined by itself wherever paths meet
//! (the Cartesian abstraction of set union, \[BR-PASTE01\] §4.3 and §7). A procedure has one set of states at its
//! entry, the meet over its calls; of what it does not modify, the caller keeps what it knows.
//!
//! Invariant: the values at a vertex include those of all path edges there. Shares nothing with the engine but what procedures modify.

use crate::Stopped;
use crate::reached::ValueList;
use base::IndexVec;
use bp::analysis::ModRef;
use bp::{BinOp, Cfg, EdgeId, Expr, Op, ProcId, VarId, VertexId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// Conditions on more open variables than this are not looked into.
const MOST_OPEN: usize = 10;

/// The values that a variable can have: bit 0 for 0, bit 1 for 1.
type Values = u8;

const BOTH: Values = 3;

fn just(value: bool) -> Values {
    if value { 2 } else { 1 }
}

/// The values of the variables in scope.
type Cube = BTreeMap<VarId, Values>;

/// The solution.
pub struct FlowSensitive<'a> {
    cfg: &'a Cfg,
    at: IndexVec<VertexId, Option<Cube>>,
    returned: IndexVec<ProcId, Option<Vec<Values>>>,
    mod_ref: ModRef,
    callers: IndexVec<ProcId, Vec<VertexId>>,
    pending: BTreeSet<VertexId>,
}

/// Solves the dataflow problem.
///
/// # Errors
/// When the stop flag is set.
pub fn flow_sensitive<'a>(cfg: &'a Cfg, stop: &AtomicBool) -> Result<FlowSensitive<'a>, Stopped> {
    let mut callers = IndexVec::from_elem(vec![], cfg.procs.len());
    for edge in &cfg.edges {
        if let Op::Call { callee, .. } = &edge.op {
            callers[*callee].push(edge.from);
        }
    }
    let mut flow = FlowSensitive {
        cfg,
        at: IndexVec::from_elem(None, cfg.vertices.len()),
        returned: IndexVec::from_elem(None, cfg.procs.len()),
        mod_ref: ModRef::new(cfg, true),
        callers,
        pending: BTreeSet::new(),
    };
    let scope = cfg.scope(cfg.entry);
    flow.meet(cfg.procs[cfg.entry].entry, scope.map(|v| (v, BOTH)).collect());
    while let Some(vertex) = flow.pending.pop_first() {
        if stop.load(Ordering::Relaxed) {
            return Err(Stopped::Interrupted);
        }
        flow.visit(vertex);
    }
    Ok(flow)
}

impl FlowSensitive<'_> {
    /// Whether execution may reach the vertex.
    pub fn is_reached(&self, vertex: VertexId) -> bool {
        self.at[vertex].is_some()
    }

    /// For each variable in scope its value at the vertex, `None` for one that may have both; nothing when the vertex
    /// is not reached.
    pub fn values(&self, vertex: VertexId) -> Option<ValueList> {
        let cube = self.at[vertex].as_ref()?;
        let one = |v: VarId| (v, if cube[&v] == BOTH { None } else { Some(cube[&v] == just(true)) });
        Some(self.cfg.scope(self.cfg.vertices[vertex].proc).map(one).collect())
    }

    /// Adds states to those at a vertex.
    fn meet(&mut self, vertex: VertexId, mut new: Cube) {
        let place = &self.cfg.vertices[vertex];
        if let Some(enforced) = self.cfg.procs[place.proc].enforce.as_ref().filter(|_| !place.return_point)
            && !restrict(&mut new, None, enforced, true)
        {
            return;
        }
        let changed = match &mut self.at[vertex] {
            old @ None => {
                *old = Some(new);
                true
            }
            Some(old) => new.into_iter().fold(false, |changed, (v, values)| {
                let old = old.entry(v).or_default();
                let more = *old | values;
                std::mem::replace(old, more) != more || changed
            }),
        };
        if changed {
            self.pending.insert(vertex);
        }
    }

    fn visit(&mut self, vertex: VertexId) {
        let (cfg, place) = (self.cfg, &self.cfg.vertices[vertex]);
        if vertex == cfg.procs[place.proc].exit {
            self.pending.extend(self.callers[place.proc].iter().filter(|v| self.at[**v].is_some()));
            return;
        }
        for e in &place.out {
            let before = self.at[vertex].clone().expect("only vertices that are reached are pending");
            if let Some(after) = self.step(*e, before) {
                self.meet(cfg.edges[*e].to, after);
            }
        }
    }

    /// The states behind an edge; nothing when there are none.
    fn step(&mut self, e: EdgeId, before: Cube) -> Option<Cube> {
        let edge = &self.cfg.edges[e];
        match &edge.op {
            Op::Skip => Some(before),
            Op::Assume { cond, value, constrain } => {
                let mut after = before;
                let possible = restrict(&mut after, None, cond, *value)
                    && constrain.as_ref().is_none_or(|c| {
                        let now = after.clone();
                        restrict(&mut after, Some(&now), c, true)
                    });
                possible.then_some(after)
            }
            Op::Assign { targets, values, constrain } => {
                let mut after = before.clone();
                for (v, e) in targets.iter().zip(values) {
                    after.insert(*v, possible(&before, e));
                }
                let fits = |c: &Expr<VarId>| restrict_next(&before, &mut after, c);
                constrain.as_deref().is_none_or(fits).then_some(after)
            }
            Op::Return(values) => {
                let proc = self.cfg.vertices[edge.from].proc;
                let values = values.iter().map(|e| possible(&before, e)).collect();
                self.returns(proc, values);
                Some(before)
            }
            Op::Call { callee, args, results, constrain } => {
                let mut after = self.call(*callee, args, results, &before)?;
                let fits = |c: &Expr<VarId>| restrict_next(&before, &mut after, c);
                constrain.as_deref().is_none_or(fits).then_some(after)
            }
        }
    }

    fn returns(&mut self, proc: ProcId, values: Vec<Values>) {
        let old = self.returned[proc].get_or_insert_with(|| vec![0; values.len()]);
        let more: Vec<Values> = old.iter().zip(values).map(|(a, b)| a | b).collect();
        if *old != more {
            *old = more;
            self.pending.extend(self.callers[proc].iter().filter(|v| self.at[**v].is_some()));
        }
    }

    fn call(
        &mut self,
        callee: ProcId,
        args: &[Expr<VarId>],
        results: &[Option<VarId>],
        before: &Cube,
    ) -> Option<Cube> {
        let target = &self.cfg.procs[callee];
        let globals = self.cfg.globals.iter().map(|v| (*v, before[v]));
        let formals = target.formals.iter().zip(args).map(|(v, e)| (*v, possible(before, e)));
        let locals = target.locals.iter().map(|v| (*v, BOTH));
        self.meet(target.entry, globals.chain(formals).chain(locals).collect());
        let exit = self.at[target.exit].as_ref()?;
        let mut after = before.clone();
        for v in self.mod_ref.modified_globals(callee) {
            after.insert(v, exit[&v]);
        }
        let falls = self.cfg.vertices[target.exit].into.iter().any(|e| {
            let edge = &self.cfg.edges[*e];
            !matches!(edge.op, Op::Return(_)) && self.at[edge.from].is_some()
        });
        let returned = self.returned[callee].as_ref().filter(|_| !falls);
        for (n, v) in results.iter().enumerate() {
            if let Some(v) = v {
                after.insert(*v, returned.map_or(BOTH, |values| values[n]));
            }
        }
        Some(after)
    }
}

/// The values that the expression can have in some state of the cube.
fn possible(cube: &Cube, e: &Expr<VarId>) -> Values {
    let mut values = 0;
    match open(cube, None, e) {
        None => BOTH,
        Some(open) => {
            for_each(cube, None, &open, |now, _| values |= evaluate(now, now, e));
            values
        }
    }
}

/// Keeps of each variable the values with which the condition can have the value; false when there are none. With
/// `next` the cube of next states.
fn restrict(cube: &mut Cube, next: Option<&Cube>, cond: &Expr<VarId>, value: bool) -> bool {
    let Some(open) = open(cube, next, cond) else { return true };
    let mut kept: BTreeMap<VarId, Values> = BTreeMap::new();
    let mut any = false;
    for_each(cube, next, &open, |now, then| {
        if evaluate(now, then, cond) & just(value) != 0 {
            any = true;
            for (v, _) in open.iter().filter(|(_, is_next)| !is_next) {
                *kept.entry(*v).or_default() |= now(*v);
            }
        }
    });
    kept.into_iter().for_each(|(v, values)| _ = cube.insert(v, values));
    any
}

/// The same for the next states, given those before.
fn restrict_next(before: &Cube, after: &mut Cube, cond: &Expr<VarId>) -> bool {
    let Some(open) = open(before, Some(after), cond) else { return true };
    let mut kept: BTreeMap<VarId, Values> = BTreeMap::new();
    let mut any = false;
    for_each(before, Some(after), &open, |now, then| {
        if evaluate(now, then, cond) & just(true) != 0 {
            any = true;
            for (v, _) in open.iter().filter(|(_, is_next)| *is_next) {
                *kept.entry(*v).or_default() |= then(*v);
            }
        }
    });
    kept.into_iter().for_each(|(v, values)| _ = after.insert(v, values));
    any
}

/// The variables of the expression that have both values, now or next; `None` when they are too many.
fn open(cube: &Cube, next: Option<&Cube>, e: &Expr<VarId>) -> Option<Vec<(VarId, bool)>> {
    let mut found = BTreeSet::new();
    e.for_each_var(&mut |v, is_next| {
        let cube = if is_next { next.unwrap_or(cube) } else { cube };
        if cube[v] == BOTH {
            found.insert((*v, is_next));
        }
    });
    (found.len() <= MOST_OPEN).then(|| found.into_iter().collect())
}

/// Calls `f` with each valuation of the open variables.
fn for_each(
    cube: &Cube,
    next: Option<&Cube>,
    open: &[(VarId, bool)],
    mut f: impl FnMut(&dyn Fn(VarId) -> Values, &dyn Fn(VarId) -> Values),
) {
    for bits in 0..1usize << open.len() {
        let chosen = |cube: &Cube, v: VarId, is_next: bool| match open.iter().position(|o| *o == (v, is_next))
        {
            Some(n) => just(bits >> n & 1 == 1),
            None => cube[&v],
        };
        f(&|v| chosen(cube, v, false), &|v| chosen(next.unwrap_or(cube), v, true));
    }
}

/// The values of an expression in one valuation: several where it chooses.
fn evaluate(now: &dyn Fn(VarId) -> Values, next: &dyn Fn(VarId) -> Values, e: &Expr<VarId>) -> Values {
    let of = |e: &Expr<VarId>| evaluate(now, next, e);
    let not = |v: Values| (v & 1) << 1 | v >> 1;
    let pairs = |a: Values, b: Values, f: &dyn Fn(bool, bool) -> bool| {
        let mut out = 0;
        for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
            if a & just(x) != 0 && b & just(y) != 0 {
                out |= just(f(x, y));
            }
        }
        out
    };
    match e {
        Expr::Const(b) => just(*b),
        Expr::Star => BOTH,
        Expr::Var(v) => now(*v),
        Expr::Next(v) => next(*v),
        Expr::Not(e) => not(of(e)),
        Expr::And(es) => es.iter().fold(just(true), |a, e| pairs(a, of(e), &|x, y| x && y)),
        Expr::Or(es) => es.iter().fold(just(false), |a, e| pairs(a, of(e), &|x, y| x || y)),
        Expr::Binary(op, a, b) => pairs(of(a), of(b), &|x, y| match op {
            BinOp::Xor | BinOp::Ne => x != y,
            BinOp::Eq => x == y,
            BinOp::Implies => !x || y,
        }),
        Expr::Ite(c, a, b) => {
            let c = of(c);
            (if c & just(true) != 0 { of(a) } else { 0 }) | (if c & just(false) != 0 { of(b) } else { 0 })
        }
        Expr::Choose(a, b) => {
            let (a, b) = (of(a), of(b));
            let one = if a & just(true) != 0 { just(true) } else { 0 };
            let otherwise = match (a & just(false) != 0, b) {
                (false, _) => 0,
                (true, b) => {
                    (if b & just(true) != 0 { just(false) } else { 0 })
                        | (if b & just(false) != 0 { BOTH } else { 0 })
                }
            };
            one | otherwise
        }
    }
}
