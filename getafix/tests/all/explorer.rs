//! Concurrent programs once more, by brute force: all interleavings with a bounded number of context switches, on
//! states with stacks of bounded depth. It knows the graphs of the threads, and no relation and no formula.

use base::Id;
use bp::{Begin, Broadcast, StartArguments, System, ThreadOp};
use bp::{Cfg, EdgeId, Op, ProcId, VarId, VertexId};
use check::explicit::{after_call, contexts, entry_states, states_at, steps, values};
use check::{Event, Point, Valuation};
use getafix::trace::Interleaving;
use std::collections::BTreeSet;

/// A vertex with the values of the variables in scope. At an exit, with the values returned; where a call is open, the
/// edge of the call.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Frame {
    vertex: VertexId,
    vars: u64,
    returned: u64,
    call: Option<EdgeId>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Local {
    /// The last frame is the running one; its globals are up to date when the thread runs.
    stack: Vec<Frame>,
    begun: bool,
    started: bool,
    /// What was handed over.
    handed: u64,
    own: u64,
    atomic: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    shared: u64,
    running: usize,
    switches: u32,
    threads: Vec<Local>,
}

/// What was found.
pub(crate) struct Explored {
    /// Vertices that can be reached, with the numbers of their codes.
    pub(crate) reached: BTreeSet<(usize, VertexId)>,
    /// Whether all executions were followed to their end.
    pub(crate) complete: bool,
}

/// Explores a system; `None` when there are too many states.
pub(crate) fn explore(system: &System, switches: u32, depth: usize, most: usize) -> Option<Explored> {
    let mut explorer = Explorer { system, switches, depth, complete: true };
    let mut reached = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut work: Vec<State> = explorer.initial();
    while let Some(state) = work.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        if seen.len() > most {
            return None;
        }
        let code = system.threads[state.running].code;
        reached.extend(state.threads[state.running].stack.last().map(|frame| (code, frame.vertex)));
        work.extend(explorer.next(&state));
    }
    Some(Explored { reached, complete: explorer.complete })
}

/// Follows a trace: whether it is an execution of the system, step by step and switch by switch.
pub(crate) fn replay(system: &System, trace: &Interleaving) -> Result<(), String> {
    let mut explorer = Explorer { system, switches: u32::MAX, depth: usize::MAX, complete: true };
    let runs: Vec<Vec<(u32, Point<'_>)>> = trace.runs.iter().map(|run| run.points(1_000_000)).collect();
    let mut next = vec![0usize; runs.len()];
    let mut states: BTreeSet<State> = BTreeSet::new();
    let shared = (1u64 << system.shared) - 1;
    for (context, run) in trace.contexts.iter().enumerate() {
        let thread = trace.runs[*run].thread;
        states = if context == 0 {
            explorer.initial().into_iter().filter(|state| state.running == thread).collect()
        } else {
            if states.iter().any(|state| state.running == thread) {
                return Err(format!("context {context}: a thread takes over from itself"));
            }
            let may = states.iter().filter(|state| explorer.may_stop(state));
            may.flat_map(|state| explorer.switch(state, thread)).collect()
        };
        // What is shared is checked where the thread takes a step: before it others may change that again.
        while let Some((at, point)) = runs[*run].get(next[*run]) {
            let here = *at as usize == context;
            let mask = if here { u64::MAX } else { !shared };
            let cfg = &system.codes[system.threads[thread].code].cfg;
            let (vertex, vars, returned) = expected(cfg, point);
            states.retain(|state| {
                let frame = state.threads[thread].stack.last().expect("a running thread has a frame");
                (frame.vertex, frame.vars & mask, frame.returned) == (vertex, vars & mask, returned)
            });
            if states.is_empty() {
                return Err(format!("context {context}: point {} of thread {thread}: {point:?}", next[*run]));
            }
            if !here {
                break;
            }
            next[*run] += 1;
            if next[*run] < runs[*run].len() {
                states = states.iter().flat_map(|state| explorer.steps(state)).collect();
            }
        }
    }
    match (0..runs.len()).find(|run| next[*run] < runs[*run].len()) {
        Some(run) => Err(format!("run {run} is not at its end")),
        None => Ok(()),
    }
}

/// Vertex, variables and returned values at a point.
fn expected(cfg: &Cfg, point: &Point<'_>) -> (VertexId, u64, u64) {
    let number =
        |bits: &mut dyn Iterator<Item = bool>| bits.enumerate().map(|(i, b)| u64::from(b) << i).sum();
    let bits = |values: &Valuation| number(&mut values.iter().map(|(_, value)| value));
    match point.event {
        Event::Step(step) => (step.vertex, bits(&step.before), 0),
        Event::Return(segment) | Event::Target(segment) => {
            let at_exit = cfg.procs[segment.proc].exit == segment.end;
            let returned = if at_exit { number(&mut segment.returned.iter().copied()) } else { 0 };
            (segment.end, bits(&segment.after), returned)
        }
    }
}

struct Explorer<'s> {
    system: &'s System,
    switches: u32,
    depth: usize,
    complete: bool,
}

impl Explorer<'_> {
    fn cfg(&self, thread: usize) -> &Cfg {
        &self.system.codes[self.system.threads[thread].code].cfg
    }

    fn initial(&self) -> Vec<State> {
        let count = self.system.threads.len();
        let mut out = vec![];
        for running in 0..count {
            let Begin::Procedure(proc) = self.system.threads[running].begin else { continue };
            for shared in 0..1u64 << self.system.shared {
                let threads = vec![Local::default(); count];
                let state = State { shared, running, switches: 0, threads };
                out.extend(self.begin(&state, proc, self.cfg(running).procs[proc].entry));
            }
        }
        out
    }

    /// The running thread begins with a procedure, at a vertex; own globals and formals have any values.
    fn begin(&self, state: &State, proc: ProcId, vertex: VertexId) -> Vec<State> {
        let cfg = self.cfg(state.running);
        let own = cfg.globals.len() - self.system.shared;
        let formals = cfg.procs[proc].formals.len();
        let mut out = vec![];
        for free in 0..1u64 << (own + formals) {
            let context = (proc, state.shared | free << self.system.shared);
            out.extend(states_at(cfg, context, vertex).into_iter().map(|s| self.at(state, s, None)));
        }
        out
    }

    /// The state in which the running thread's last frame is this one.
    fn at(&self, state: &State, s: check::explicit::State, call: Option<EdgeId>) -> State {
        let mut out = state.clone();
        let globals = self.cfg(state.running).globals.len();
        out.shared = s.vars & ((1 << self.system.shared) - 1);
        let local = &mut out.threads[state.running];
        local.own = s.vars & ((1 << globals) - 1);
        local.begun = true;
        local.stack.push(Frame { vertex: s.vertex, vars: s.vars, returned: s.returned, call });
        out
    }

    fn next(&mut self, state: &State) -> Vec<State> {
        let mut out = self.steps(state);
        if state.switches < self.switches && self.may_stop(state) {
            for to in (0..state.threads.len()).filter(|to| *to != state.running) {
                out.extend(self.switch(state, to));
            }
        }
        out
    }

    /// Whether another thread may take over.
    fn may_stop(&self, state: &State) -> bool {
        let local = &state.threads[state.running];
        let frame = local.stack.last().expect("a running thread has a frame");
        !local.atomic && !self.in_init(state.running, frame.vertex)
    }

    fn in_init(&self, thread: usize, vertex: VertexId) -> bool {
        let Begin::Procedure(proc) = self.system.threads[thread].begin else { return false };
        let body = self.body(thread, proc);
        let code = &self.system.codes[self.system.threads[thread].code];
        (self.cfg(thread).procs[proc].entry.index()..body.index()).contains(&vertex.index())
            || code.quiet.contains(&self.cfg(thread).vertices[vertex].proc)
    }

    fn body(&self, thread: usize, proc: ProcId) -> VertexId {
        let entry = self.cfg(thread).procs[proc].entry;
        let code = &self.system.codes[self.system.threads[thread].code];
        code.body.filter(|_| proc == code.cfg.entry).unwrap_or(entry)
    }

    fn switch(&self, state: &State, to: usize) -> Vec<State> {
        let mut next = State { running: to, switches: state.switches + 1, ..state.clone() };
        let local = &mut next.threads[to];
        if !local.begun {
            let cfg = self.cfg(to);
            return match self.system.threads[to].begin {
                Begin::Procedure(proc) => self.begin(&next, proc, self.body(to, proc)),
                _ if !local.started => vec![],
                Begin::Called(proc) => {
                    let globals = cfg.globals.len();
                    let own = globals - self.system.shared;
                    (0..1u64 << own)
                        .flat_map(|own| {
                            let handed = next.threads[to].handed;
                            let vars = next.shared | own << self.system.shared | handed << globals;
                            entry_states(cfg, (proc, vars))
                        })
                        .map(|s| self.at(&next, s, None))
                        .collect()
                }
                Begin::Vertex(vertex) => {
                    let globals = cfg.globals.len();
                    let own = globals - self.system.shared;
                    let proc = cfg.vertices[vertex].proc;
                    let formals = cfg.procs[proc].formals.len();
                    let mut out = vec![];
                    for own in 0..1u64 << own {
                        let handed = next.threads[to].handed;
                        let vars = next.shared | own << self.system.shared | handed << globals;
                        let entry = vars & ((1 << (globals + formals)) - 1);
                        let states = states_at(cfg, (proc, entry), vertex).into_iter();
                        out.extend(states.filter(|s| s.vars == vars).map(|s| self.at(&next, s, None)));
                    }
                    out
                }
            };
        }
        let mask = (1u64 << self.system.shared) - 1;
        let frame = local.stack.last_mut().expect("a thread that has begun has a frame");
        frame.vars = frame.vars & !mask | next.shared;
        vec![next]
    }

    fn steps(&mut self, state: &State) -> Vec<State> {
        let thread = state.running;
        let system = self.system;
        let code = &system.codes[system.threads[thread].code];
        let cfg = &code.cfg;
        let frame = state.threads[thread].stack.last().expect("a running thread has a frame").clone();
        let mut below = state.clone();
        below.threads[thread].stack.pop();
        let mut out = vec![];
        if let Some(call) = frame.call
            && cfg.procs[cfg.vertices[frame.vertex].proc].exit == frame.vertex
        {
            let caller = below.threads[thread].stack.pop().expect("an open call has a caller");
            let exit =
                check::explicit::State { vertex: frame.vertex, vars: frame.vars, returned: frame.returned };
            for s in after_call(cfg, &cfg.edges[call], caller.vars, exit) {
                out.push(self.at(&below, s, caller.call));
            }
            return out;
        }
        for id in &cfg.vertices[frame.vertex].out {
            let edge = &cfg.edges[*id];
            if edge.threads.contains(&ThreadOp::End) {
                continue;
            }
            if let Op::Call { callee, .. } = edge.op {
                if state.threads[thread].stack.len() >= self.depth {
                    self.complete = false;
                    continue;
                }
                for context in contexts(cfg, edge, callee, frame.vars) {
                    for s in entry_states(cfg, context) {
                        out.push(self.at(state, s, Some(*id)));
                    }
                }
                continue;
            }
            for s in steps(cfg, edge, frame.vars) {
                let mut states = vec![self.at(&below, s, frame.call)];
                for op in &edge.threads {
                    states = states.into_iter().flat_map(|next| self.on_threads(next, op, &frame)).collect();
                }
                out.append(&mut states);
            }
        }
        out
    }

    /// What is said of the threads that do not move: of each that was started.
    fn others(&self, next: State, others: &Broadcast, frame: &Frame) -> Vec<State> {
        let cfg = self.cfg(next.running);
        let proc = cfg.vertices[frame.vertex].proc;
        let at = |v: VarId| cfg.scope(proc).position(|s| s == v).expect("in scope");
        let own = next.threads[next.running].stack.last().expect("a running thread has a frame").vars;
        let globals = cfg.globals.len();
        let mut states = vec![next];
        for other in 0..self.system.threads.len() {
            if other == states.first().map_or(other, |state| state.running) {
                continue;
            }
            states = states
                .into_iter()
                .flat_map(|state| {
                    let thread = &state.threads[other];
                    if !thread.begun && !thread.started {
                        return vec![state];
                    }
                    let before = match thread.begun {
                        true => thread.stack[0].vars,
                        false => thread.handed << globals,
                    };
                    let count = cfg.vars.len();
                    let bit = |bits: u64, v: VarId| bits >> at(v) & 1 == 1;
                    let choices = others.targets.iter().fold(vec![before], |all, (target, e)| {
                        let own = |v: VarId| VarId::from_index(v.index() - count);
                        let now = |v: VarId, _: bool| match v.index() < count {
                            true => bit(frame.vars, v),
                            false => bit(before, own(v)),
                        };
                        let place = at(own(*target));
                        let can = values(e, &now);
                        let with = |bits: u64, b: bool| bits & !(1 << place) | u64::from(b) << place;
                        all.iter().flat_map(|bits| can.iter().map(|b| with(*bits, *b))).collect()
                    });
                    let holds = |after: &u64| {
                        others.constrain.iter().all(|e| {
                            let value = |v: VarId, next: bool| match v.index().checked_sub(count) {
                                None => bit(if next { own } else { frame.vars }, v),
                                Some(v) => bit(if next { *after } else { before }, VarId::from_index(v)),
                            };
                            values(e, &value).contains(&true)
                        })
                    };
                    let after = choices.into_iter().filter(holds);
                    let with = |bits: u64| {
                        let mut out = state.clone();
                        match out.threads[other].begun {
                            true => out.threads[other].stack[0].vars = bits,
                            false => out.threads[other].handed = bits >> globals,
                        }
                        out
                    };
                    after.map(with).collect()
                })
                .collect();
        }
        states
    }

    fn on_threads(&self, mut next: State, op: &ThreadOp, frame: &Frame) -> Vec<State> {
        let thread = next.running;
        let cfg = self.cfg(thread);
        match op {
            ThreadOp::End => vec![],
            ThreadOp::Broadcast(others) => self.others(next, others, frame),
            ThreadOp::Atomic(value) => {
                next.threads[thread].atomic = *value;
                vec![next]
            }
            ThreadOp::Nested(enters, var) => {
                let proc = cfg.vertices[frame.vertex].proc;
                let at = cfg.scope(proc).position(|v| v == *var).expect("in scope");
                let local = &mut next.threads[thread];
                if *enters {
                    let inside = local.stack.last_mut().expect("a running thread has a frame");
                    inside.vars = inside.vars & !(1 << at) | u64::from(local.atomic) << at;
                }
                local.atomic = *enters || frame.vars >> at & 1 == 1;
                vec![next]
            }
            ThreadOp::Start(threads, handed) => {
                let mut out = if self.system.all_count { vec![] } else { vec![next.clone()] };
                let Some(free) = threads.iter().find(|n| !next.threads[**n].started) else { return out };
                let proc = cfg.vertices[frame.vertex].proc;
                let scope: Vec<_> = cfg.scope(proc).collect();
                let value = |v: bp::VarId| {
                    frame.vars >> scope.iter().position(|s| *s == v).expect("in scope") & 1 == 1
                };
                let choices: Vec<Vec<bool>> = match handed {
                    StartArguments::Variables => {
                        let own = cfg.procs[proc].formals.iter().chain(&cfg.procs[proc].locals);
                        vec![own.map(|v| value(*v)).collect()]
                    }
                    StartArguments::Values(args) => args.iter().fold(vec![vec![]], |all, e| {
                        let can = values(e, &|v, _| value(v));
                        all.iter().flat_map(|p| can.iter().map(|b| [&p[..], &[*b]].concat())).collect()
                    }),
                };
                for bits in choices {
                    let mut started = next.clone();
                    let local = &mut started.threads[*free];
                    local.started = true;
                    local.handed = bits.iter().enumerate().map(|(i, b)| u64::from(*b) << i).sum();
                    out.push(started);
                }
                out
            }
        }
    }
}
