//! The explicit-state twin: the semantics of boolean programs written down once more, state by state, as an
//! oracle for tests. It shares no code with the engine except the graph; it knows neither live ranges nor
//! MOD/REF sets, and tries every choice of every expression. For programs with few variables.

mod replay;

pub use replay::check_trace;

use bp::{BinOp, Cfg, Edge, EdgeId, Expr, Op, ProcId, VarId, VertexId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Values of the variables in scope: bit `i` is the `i`-th variable of [`Cfg::scope`].
pub type Bits = u64;

/// A point of an execution: a vertex, the variables in scope, and at an exit the values returned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct State {
    /// The vertex.
    pub vertex: VertexId,
    /// The variables.
    pub vars: Bits,
    /// The returned values; 0 elsewhere.
    pub returned: u64,
}

/// A procedure with the values of globals and formals at its entry.
pub type Context = (ProcId, Bits);

/// All reachable states of a program, by context.
pub struct Explicit<'a> {
    cfg: &'a Cfg,
    reached: BTreeMap<Context, BTreeSet<State>>,
    exits: BTreeMap<Context, BTreeSet<State>>,
    waiting: BTreeMap<Context, BTreeSet<(Context, EdgeId, Bits)>>,
    work: VecDeque<(Context, State)>,
}

impl<'a> Explicit<'a> {
    /// Explores the program. Panics when a scope has more than 24 variables.
    pub fn new(cfg: &'a Cfg) -> Explicit<'a> {
        let mut twin = Explicit {
            cfg,
            reached: BTreeMap::new(),
            exits: BTreeMap::new(),
            waiting: BTreeMap::new(),
            work: VecDeque::new(),
        };
        for context in initial(cfg) {
            twin.open(context);
        }
        while let Some((context, state)) = twin.work.pop_front() {
            twin.visit(context, state);
        }
        twin
    }

    /// Whether some execution reaches the vertex.
    pub fn is_reached(&self, vertex: VertexId) -> bool {
        self.reached.values().flatten().any(|s| s.vertex == vertex)
    }

    /// The values of the variables in scope with which executions reach the vertex.
    pub fn states(&self, vertex: VertexId) -> BTreeSet<Bits> {
        self.reached.values().flatten().filter(|s| s.vertex == vertex).map(|s| s.vars).collect()
    }

    /// How executions pass the procedure: globals and formals at its entry, the variables in scope at its exit, and the
    /// values returned.
    pub fn passages(&self, proc: ProcId) -> BTreeSet<(Bits, Bits, u64)> {
        let contexts = self.exits.iter().filter(|(context, _)| context.0 == proc);
        contexts.flat_map(|(context, exits)| exits.iter().map(|s| (context.1, s.vars, s.returned))).collect()
    }

    /// The number of steps of a shortest hierarchical path to one of the vertices: a call that returns is one
    /// step, going into a call is one step.
    pub fn shortest(&self, goals: &[VertexId]) -> Option<usize> {
        let mut seen = BTreeSet::new();
        let mut frontier: BTreeSet<State> =
            initial(self.cfg).into_iter().flat_map(|c| entry_states(self.cfg, c)).collect();
        for length in 0.. {
            if frontier.is_empty() {
                return None;
            }
            if frontier.iter().any(|s| goals.contains(&s.vertex)) {
                return Some(length);
            }
            let mut next = BTreeSet::new();
            for state in frontier {
                if seen.insert(state) {
                    next.extend(self.hierarchical(state));
                }
            }
            frontier = next;
        }
        None
    }

    fn hierarchical(&self, state: State) -> Vec<State> {
        let mut out = vec![];
        for edge in &self.cfg.vertices[state.vertex].out {
            let edge = &self.cfg.edges[*edge];
            let Op::Call { callee, .. } = edge.op else {
                out.extend(steps(self.cfg, edge, state.vars));
                continue;
            };
            for context in contexts(self.cfg, edge, callee, state.vars) {
                out.extend(entry_states(self.cfg, context));
                for exit in self.exits.get(&context).into_iter().flatten() {
                    out.extend(after_call(self.cfg, edge, state.vars, *exit));
                }
            }
        }
        out
    }

    fn open(&mut self, context: Context) {
        if self.reached.contains_key(&context) {
            return;
        }
        self.reached.insert(context, BTreeSet::new());
        for state in entry_states(self.cfg, context) {
            self.add(context, state);
        }
    }

    fn add(&mut self, context: Context, state: State) {
        if self.reached.entry(context).or_default().insert(state) {
            self.work.push_back((context, state));
        }
    }

    fn visit(&mut self, context: Context, state: State) {
        let cfg = self.cfg;
        if cfg.procs[context.0].exit == state.vertex {
            self.exits.entry(context).or_default().insert(state);
            for (caller, edge, vars) in self.waiting.get(&context).cloned().into_iter().flatten() {
                for after in after_call(cfg, &cfg.edges[edge], vars, state) {
                    self.add(caller, after);
                }
            }
        }
        for id in &cfg.vertices[state.vertex].out {
            let edge = &cfg.edges[*id];
            let Op::Call { callee, .. } = edge.op else {
                for after in steps(cfg, edge, state.vars) {
                    self.add(context, after);
                }
                continue;
            };
            for inside in contexts(cfg, edge, callee, state.vars) {
                self.waiting.entry(inside).or_default().insert((context, *id, state.vars));
                self.open(inside);
                for exit in self.exits.get(&inside).cloned().into_iter().flatten() {
                    for after in after_call(cfg, edge, state.vars, exit) {
                        self.add(context, after);
                    }
                }
            }
        }
    }
}
fn to_bits(values: impl Iterator<Item = bool>) -> u64 {
    values.enumerate().map(|(i, b)| u64::from(b) << i).sum()
}

fn entry_mask(cfg: &Cfg, proc: ProcId) -> Bits {
    (1 << (cfg.globals.len() + cfg.procs[proc].formals.len())) - 1
}

fn position(cfg: &Cfg, proc: ProcId, var: VarId) -> usize {
    cfg.scope(proc).position(|v| v == var).expect("the variable is in scope")
}

/// The contexts in which the entry procedure can start.
fn initial(cfg: &Cfg) -> Vec<Context> {
    let count = cfg.globals.len() + cfg.procs[cfg.entry].formals.len();
    (0..1 << count).map(|bits| (cfg.entry, bits)).collect()
}

/// The states at the entry: locals have any value.
pub fn entry_states(cfg: &Cfg, context: Context) -> Vec<State> {
    states_at(cfg, context, cfg.procs[context.0].entry)
}

/// The same for a procedure that begins at this vertex.
pub fn states_at(cfg: &Cfg, (proc, entry): Context, vertex: VertexId) -> Vec<State> {
    let scope = cfg.scope(proc).count();
    assert!(scope <= 24, "the twin is for small scopes");
    let locals = cfg.procs[proc].locals.len();
    let all = (0..1u64 << locals).map(|l| entry | l << (scope - locals));
    all.filter(|vars| allowed(cfg, vertex, *vars)).flat_map(|vars| arrivals(cfg, vertex, vars)).collect()
}

/// The states at a vertex with these variables; at an exit that no `return` led to, any values are returned.
fn arrivals(cfg: &Cfg, vertex: VertexId, vars: Bits) -> Vec<State> {
    let proc = &cfg.procs[cfg.vertices[vertex].proc];
    let count = if proc.exit == vertex { proc.returns } else { 0 };
    (0..1 << count).map(|returned| State { vertex, vars, returned }).collect()
}

/// Whether `enforce` admits the state at the vertex.
fn allowed(cfg: &Cfg, vertex: VertexId, vars: Bits) -> bool {
    let info = &cfg.vertices[vertex];
    match &cfg.procs[info.proc].enforce {
        Some(e) if !info.return_point => {
            values(e, &|v, _| vars >> position(cfg, info.proc, v) & 1 == 1).contains(&true)
        }
        _ => true,
    }
}

/// The states after an edge that is not a call.
pub fn steps(cfg: &Cfg, edge: &Edge, vars: Bits) -> Vec<State> {
    let proc = cfg.vertices[edge.from].proc;
    let now = |v: VarId| vars >> position(cfg, proc, v) & 1 == 1;
    let value = |e: &Expr<VarId>| values(e, &|v, _| now(v));
    let mut out: Vec<State> = vec![];
    match &edge.op {
        Op::Skip => out.extend(arrivals(cfg, edge.to, vars)),
        Op::Assume { cond, value: wanted, constrain } => {
            if value(cond).contains(wanted) && constrain.iter().all(|e| value(e).contains(&true)) {
                out.extend(arrivals(cfg, edge.to, vars));
            }
        }
        Op::Assign { targets, values: right, constrain } => {
            for chosen in product(&right.iter().map(value).collect::<Vec<_>>()) {
                let mut after = vars;
                for (target, b) in targets.iter().zip(chosen) {
                    after = put(after, position(cfg, proc, *target), b);
                }
                let then = |v: VarId, next: bool| {
                    (if next { after } else { vars }) >> position(cfg, proc, v) & 1 == 1
                };
                if constrain.iter().all(|e| values(e, &then).contains(&true)) {
                    out.extend(arrivals(cfg, edge.to, after));
                }
            }
        }
        Op::Return(right) => {
            for chosen in product(&right.iter().map(value).collect::<Vec<_>>()) {
                out.push(State { vertex: edge.to, vars, returned: to_bits(chosen.into_iter()) });
            }
        }
        Op::Call { .. } => unreachable!("calls are taken by their own functions"),
    }
    out.retain(|s| allowed(cfg, s.vertex, s.vars));
    out
}

/// The contexts in which a call enters its callee.
pub fn contexts(cfg: &Cfg, edge: &Edge, callee: ProcId, vars: Bits) -> Vec<Context> {
    let proc = cfg.vertices[edge.from].proc;
    let Op::Call { args, .. } = &edge.op else { unreachable!("only calls have contexts") };
    let globals = cfg.globals.len();
    let choices: Vec<BTreeSet<bool>> =
        args.iter().map(|e| values(e, &|v, _| vars >> position(cfg, proc, v) & 1 == 1)).collect();
    let shared = vars & ((1 << globals) - 1);
    product(&choices)
        .into_iter()
        .map(|chosen| (callee, shared | to_bits(chosen.into_iter()) << globals))
        .collect()
}

/// The caller's states after a call that left its callee in `exit`.
pub fn after_call(cfg: &Cfg, edge: &Edge, vars: Bits, exit: State) -> Vec<State> {
    let proc = cfg.vertices[edge.from].proc;
    let Op::Call { results, constrain, .. } = &edge.op else { unreachable!("only calls return") };
    let shared = (1u64 << cfg.globals.len()) - 1;
    let mut after = vars & !shared | exit.vars & shared;
    for (k, result) in results.iter().enumerate() {
        if let Some(v) = result {
            after = put(after, position(cfg, proc, *v), exit.returned >> k & 1 == 1);
        }
    }
    let then = |v: VarId, next: bool| (if next { after } else { vars }) >> position(cfg, proc, v) & 1 == 1;
    if !constrain.iter().all(|e| values(e, &then).contains(&true)) {
        return vec![];
    }
    arrivals(cfg, edge.to, after).into_iter().filter(|s| allowed(cfg, s.vertex, s.vars)).collect()
}

fn put(bits: Bits, position: usize, value: bool) -> Bits {
    bits & !(1 << position) | u64::from(value) << position
}

/// All ways to take one value from each set.
fn product(sets: &[BTreeSet<bool>]) -> Vec<Vec<bool>> {
    sets.iter().fold(vec![vec![]], |all, set| {
        all.iter().flat_map(|prefix| set.iter().map(|b| [&prefix[..], &[*b]].concat())).collect()
    })
}

/// The values that an expression can have, by trying all choices in it.
pub fn values(e: &Expr<VarId>, var: &dyn Fn(VarId, bool) -> bool) -> BTreeSet<bool> {
    let mut out = BTreeSet::new();
    let mut choices: Vec<bool> = vec![];
    loop {
        let mut used = 0;
        out.insert(evaluate(e, var, &mut choices, &mut used));
        choices.truncate(used);
        // The next sequence of choices, like a binary counter from the end.
        while choices.last() == Some(&true) {
            choices.pop();
        }
        match choices.last_mut() {
            None => return out,
            Some(last) => *last = true,
        }
    }
}

/// One evaluation. Choices are taken from the list, in order; where it ends, 0 is chosen and added.
fn evaluate(
    e: &Expr<VarId>,
    var: &dyn Fn(VarId, bool) -> bool,
    choices: &mut Vec<bool>,
    used: &mut usize,
) -> bool {
    let choose = |choices: &mut Vec<bool>, used: &mut usize| {
        if *used == choices.len() {
            choices.push(false);
        }
        *used += 1;
        choices[*used - 1]
    };
    let mut value = |e: &Expr<VarId>| evaluate(e, var, choices, used);
    match e {
        Expr::Const(b) => *b,
        Expr::Var(v) => var(*v, false),
        Expr::Next(v) => var(*v, true),
        Expr::Star => choose(choices, used),
        Expr::Not(a) => !value(a),
        Expr::And(es) => es.iter().all(value),
        Expr::Or(es) => es.iter().any(value),
        Expr::Binary(op, a, b) => {
            let (a, b) = (value(a), value(b));
            match op {
                BinOp::Eq => a == b,
                BinOp::Ne | BinOp::Xor => a != b,
                BinOp::Implies => !a || b,
            }
        }
        Expr::Ite(c, a, b) => {
            if value(c) {
                value(a)
            } else {
                value(b)
            }
        }
        Expr::Choose(a, b) => {
            if value(a) {
                true
            } else if value(b) {
                false
            } else {
                choose(choices, used)
            }
        }
    }
}
