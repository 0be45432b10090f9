//! Boolean programs in compiled form. Variables of boolean programs start with any value: they are *open*, and
//! decided when they are first read.
//!
//! Invariants: each `*` that is not stored as it is gets a slot of its own, which is open before the statement; a value
//! is copied without being decided only out of such a slot, or out of one that is not read again. `enforce` is assumed on
//! arrival at a vertex, but for those where calls return to.

mod expr;

use crate::code::{Code, Expr, Fault, Instr, Node, Pc, Place, ProcId, ProcInfo, Ty, VarInfo};
use crate::value::Value;
use base::{Id, IndexVec, Span};
use bp::{Cfg, EdgeId, Op, VarId, VertexId, VertexKind};

/// A compiled boolean program, and what its nodes stand for.
#[derive(Clone, Debug)]
pub struct Boolean {
    /// The program. The slots of a procedure start with its formals and locals, in their order; static fields are the
    /// globals.
    pub code: Code,
    /// The vertex that a node belongs to.
    pub vertices: IndexVec<Pc, Option<VertexId>>,
    /// The edge that is taken when the node is executed; of a branch, the second one if it goes to the other node.
    /// Each edge has one such node, at which the variables have their values from before the edge, except for an
    /// assignment with `constrain`, whose new values wait in other slots.
    pub edges: IndexVec<Pc, Option<(EdgeId, EdgeId)>>,
}

/// Compiles a boolean program; executions that reach one of the goals fail. Failed assertions that are not goals end an
/// execution silently.
pub fn from_boolean(cfg: &Cfg, goals: &[VertexId]) -> Boolean {
    let mut is_goal = IndexVec::from_elem(false, cfg.vertices.len());
    goals.iter().for_each(|v| is_goal[*v] = true);
    let mut slots = IndexVec::from_elem(Place::Local(0), cfg.vars.len());
    let mut code = Code::default();
    let variable = |name: String| VarInfo { name, ty: Ty::Bool, initial: Value::Open };
    for (i, var) in cfg.globals.iter().enumerate() {
        slots[*var] = Place::Static(i as u16);
        code.statics.push(variable(cfg.vars[*var].name.to_string()));
    }
    for proc in cfg.procs.iter() {
        let own = proc.formals.iter().chain(&proc.locals);
        let mut locals: Vec<VarInfo> = vec![];
        for var in own {
            slots[*var] = Place::Local(locals.len() as u16);
            locals.push(variable(cfg.vars[*var].name.to_string()));
        }
        locals.extend((0..proc.returns).map(|_| variable(String::new())));
        let (name, formals) = (proc.name.to_string(), proc.formals.len());
        code.procs.push(ProcInfo { name, entry: Pc::from_index(0), instance: false, formals, locals });
    }
    let mut compiler = Compiler {
        cfg,
        code,
        slots,
        heads: IndexVec::new(),
        is_goal,
        here: None,
        vertices: IndexVec::new(),
        edges: IndexVec::new(),
    };
    compiler.procedures();
    compiler.here = None;
    compiler.start();
    let Compiler { code, vertices, edges, .. } = compiler;
    Boolean { code: code.without_jumps(), vertices, edges }
}

struct Compiler<'a> {
    cfg: &'a Cfg,
    code: Code,
    slots: IndexVec<VarId, Place>,
    /// Where vertices start.
    heads: IndexVec<VertexId, Pc>,
    is_goal: IndexVec<VertexId, bool>,
    /// The vertex that is compiled.
    here: Option<VertexId>,
    vertices: IndexVec<Pc, Option<VertexId>>,
    edges: IndexVec<Pc, Option<(EdgeId, EdgeId)>>,
}

/// The procedure and the place that nodes belong to.
#[derive(Clone, Copy)]
struct At {
    proc: ProcId,
    span: Option<Span>,
}

/// What variables mean in an expression.
#[derive(Clone, Copy, Default)]
struct Reading<'r> {
    /// Other slots for `x`.
    now: &'r [(VarId, u16)],
    /// Other slots for `'x`.
    next: &'r [(VarId, u16)],
}

impl Compiler<'_> {
    /// Adds a node that leads to the one after it.
    fn emit(&mut self, at: At, instr: Instr) -> Pc {
        let pc = self.code.nodes.next_id();
        self.vertices.push(self.here);
        self.edges.push(None);
        let last = matches!(instr, Instr::Return(_) | Instr::Fail(_) | Instr::Fork(_));
        let next = if last { pc } else { Pc::from_index(pc.index() + 1) };
        self.code.nodes.push(Node { instr, next, proc: at.proc, span: at.span, labels: vec![] })
    }

    fn goto(&mut self, at: At, to: Pc) {
        let pc = self.emit(at, Instr::Jump);
        self.code.nodes[pc].next = to;
    }

    fn procedures(&mut self) {
        for vertex in self.cfg.vertices.iter() {
            let at = At { proc: proc_id(vertex.proc), span: vertex.loc.0 };
            let head = self.emit(at, Instr::Jump);
            self.heads.push(head);
        }
        for v in self.cfg.vertices.ids() {
            self.vertex(v);
        }
        for (id, proc) in self.cfg.procs.iter_enumerated() {
            self.code.procs[proc_id(id)].entry = self.heads[proc.entry];
        }
    }

    /// A procedure without formals that calls the one where execution starts.
    fn start(&mut self) {
        let entry = &self.cfg.procs[self.cfg.entry];
        let pc = self.code.nodes.next_id();
        let info = ProcInfo { name: "start".into(), entry: pc, instance: false, formals: 0, locals: vec![] };
        let at = At { proc: self.code.procs.push(info), span: None };
        let args = entry.formals.iter().map(|_| Expr::Const(Value::Open)).collect();
        self.emit(at, Instr::Call(proc_id(self.cfg.entry), args, vec![None; entry.returns]));
        self.emit(at, Instr::Return(vec![]));
        self.code.threads.push(at.proc);
    }

    fn vertex(&mut self, v: VertexId) {
        self.here = Some(v);
        let vertex = &self.cfg.vertices[v];
        let proc = &self.cfg.procs[vertex.proc];
        let at = At { proc: proc_id(vertex.proc), span: vertex.loc.0 };
        let here = self.code.nodes.next_id();
        self.code.nodes[self.heads[v]].next = here;
        let everywhere = !proc.enforced_at_entry_only || v == proc.entry;
        if let Some(e) = proc.enforce.as_ref().filter(|_| everywhere && !vertex.return_point) {
            let e = self.condition(at, e, Reading::default());
            self.emit(at, Instr::Assume(e));
        }
        if self.is_goal[v] {
            let failure = vertex.kind.is_failure();
            self.emit(at, Instr::Fail(if failure { Fault::Assertion } else { Fault::Label }));
        } else if vertex.kind == VertexKind::Exit {
            let first = proc.formals.len() + proc.locals.len();
            let results = (first..first + proc.returns).map(|slot| Expr::Take(slot as u16)).collect();
            self.emit(at, Instr::Return(results));
        } else {
            self.leave(at, &vertex.out.clone());
        }
        if here != self.code.nodes.next_id() {
            self.code.nodes[here].labels = vertex.labels.iter().map(ToString::to_string).collect();
        }
    }

    /// The edges that leave a vertex.
    fn leave(&mut self, at: At, out: &[EdgeId]) {
        if let [only] = out {
            return self.edge(at, *only);
        }
        if let Some((cond, yes, no)) = self.decision(out) {
            let cond = self.condition(at, &cond, Reading::default());
            let pc = self.emit(at, Instr::Branch(cond, self.heads[no]));
            self.code.nodes[pc].next = self.heads[yes];
            self.edges[pc] = Some((out[0], out[1]));
            return;
        }
        let fork = self.emit(at, Instr::Fork(vec![]));
        let mut starts = vec![];
        for edge in out {
            starts.push(self.code.nodes.next_id());
            self.edge(at, *edge);
        }
        self.code.nodes[fork].instr = Instr::Fork(starts);
    }

    /// A condition with what is done when it holds and when it does not, if the edges are nothing else and lead to
    /// different places, which tell how it was decided.
    fn decision(&self, out: &[EdgeId]) -> Option<(bp::Expr<VarId>, VertexId, VertexId)> {
        let [yes, no] = out else { return None };
        let (yes, no) = (&self.cfg.edges[*yes], &self.cfg.edges[*no]);
        let plain = |v: VertexId| {
            self.cfg.vertices[v].kind != VertexKind::Exit
                || self.cfg.procs[self.cfg.vertices[v].proc].returns == 0
        };
        match (&yes.op, &no.op) {
            (
                Op::Assume { cond, value: true, constrain: None },
                Op::Assume { cond: other, value: false, constrain: None },
            ) if cond == other && yes.to != no.to && plain(yes.to) && plain(no.to) => {
                Some((cond.clone(), yes.to, no.to))
            }
            _ => None,
        }
    }

    fn edge(&mut self, at: At, id: EdgeId) {
        let cfg = self.cfg;
        let edge = &cfg.edges[id];
        match &edge.op {
            // A node of its own, so that traces show it.
            Op::Skip => self.stand_for(at, id),
            Op::Assume { cond, value, constrain } => {
                let cond = self.condition(at, cond, Reading::default());
                let pc = self.emit(at, Instr::Assume(if *value { cond } else { Expr::Not(Box::new(cond)) }));
                self.edges[pc] = Some((id, id));
                self.constrain(at, constrain.as_deref(), Reading::default());
            }
            Op::Assign { targets, values, constrain } => {
                let pc = self.assign(at, targets, values, constrain.as_deref());
                self.edges[pc] = Some((id, id));
            }
            Op::Call { callee, args, results, constrain } => {
                let args: Vec<Expr> = args.iter().map(|e| self.value(at, e, Reading::default())).collect();
                let pc = self.call(at, proc_id(*callee), args, results, constrain.as_deref());
                self.edges[pc] = Some((id, id));
            }
            Op::Return(values) => {
                let values: Vec<Expr> =
                    values.iter().map(|e| self.value(at, e, Reading::default())).collect();
                self.stand_for(at, id);
                self.results(at, edge.to, values);
                return self.goto(at, self.heads[edge.to]);
            }
        }
        // Without a `return` any values are returned.
        if cfg.vertices[edge.to].kind == VertexKind::Exit {
            let count = cfg.procs[cfg.vertices[edge.to].proc].returns;
            self.results(at, edge.to, vec![Expr::Const(Value::Open); count]);
        }
        self.goto(at, self.heads[edge.to]);
    }

    /// Stores what will be returned.
    fn results(&mut self, at: At, exit: VertexId, values: Vec<Expr>) {
        let proc = &self.cfg.procs[self.cfg.vertices[exit].proc];
        let first = proc.formals.len() + proc.locals.len();
        let places = (first..).map(|slot| Place::Local(slot as u16));
        if !values.is_empty() {
            self.emit(at, Instr::Assign(places.zip(values).collect()));
        }
    }

    fn assign(
        &mut self,
        at: At,
        targets: &[VarId],
        values: &[bp::Expr<VarId>],
        constrain: Option<&bp::Expr<VarId>>,
    ) -> Pc {
        let values: Vec<Expr> = values.iter().map(|e| self.value(at, e, Reading::default())).collect();
        let places: Vec<Place> = targets.iter().map(|v| self.slots[*v].clone()).collect();
        let Some(constrain) = constrain else {
            return self.emit(at, Instr::Assign(places.into_iter().zip(values).collect()));
        };
        let next: Vec<(VarId, u16)> = targets.iter().map(|v| (*v, self.temporary(at))).collect();
        let stored = next.iter().map(|(_, slot)| Place::Local(*slot)).zip(values).collect();
        self.emit(at, Instr::Assign(stored));
        self.constrain(at, Some(constrain), Reading { now: &[], next: &next });
        let taken = next.iter().map(|(_, slot)| Expr::Take(*slot));
        self.emit(at, Instr::Assign(places.into_iter().zip(taken).collect()))
    }

    /// The call; what comes after it is added, too.
    fn call(
        &mut self,
        at: At,
        callee: ProcId,
        args: Vec<Expr>,
        results: &[Option<VarId>],
        constrain: Option<&bp::Expr<VarId>>,
    ) -> Pc {
        let returns = self.cfg.procs[bp::ProcId::from_index(callee.index())].returns;
        let mut now = vec![];
        if let Some(e) = constrain {
            // What stands for a global means its value before the call.
            let mut saved = vec![];
            for var in globals_read(e) {
                if let Place::Static(i) = self.slots[var] {
                    let slot = self.temporary(at);
                    now.push((var, slot));
                    saved.push((Place::Local(slot), Expr::Static(i)));
                }
            }
            if !saved.is_empty() {
                self.emit(at, Instr::Assign(saved));
            }
        }
        let next: Vec<(VarId, u16)> = results.iter().flatten().map(|v| (*v, self.temporary(at))).collect();
        let slot = |v: &VarId| next.iter().find(|(var, _)| var == v).map(|(_, slot)| *slot);
        let mut slots: Vec<Option<u16>> = results.iter().map(|r| r.as_ref().and_then(slot)).collect();
        slots.resize(returns, None);
        let pc = self.emit(at, Instr::Call(callee, args, slots));
        self.constrain(at, constrain, Reading { now: &now, next: &next });
        let stored: Vec<(Place, Expr)> =
            next.iter().map(|(v, slot)| (self.slots[*v].clone(), Expr::Take(*slot))).collect();
        if !stored.is_empty() {
            self.emit(at, Instr::Assign(stored));
        }
        pc
    }

    /// A node that does nothing but stand for an edge.
    fn stand_for(&mut self, at: At, edge: EdgeId) {
        let pc = self.emit(at, Instr::Assume(Expr::Const(Value::Bool(true))));
        self.edges[pc] = Some((edge, edge));
    }

    fn constrain(&mut self, at: At, e: Option<&bp::Expr<VarId>>, reading: Reading<'_>) {
        if let Some(e) = e {
            let e = self.condition(at, e, reading);
            self.emit(at, Instr::Assume(e));
        }
    }
}

fn proc_id(proc: bp::ProcId) -> ProcId {
    ProcId::from_index(proc.index())
}

/// Variables whose value before the statement is read.
fn globals_read(e: &bp::Expr<VarId>) -> Vec<VarId> {
    let mut found = vec![];
    e.for_each_var(&mut |v, next| found.extend((!next).then_some(*v)));
    found.sort_unstable();
    found.dedup();
    found
}
