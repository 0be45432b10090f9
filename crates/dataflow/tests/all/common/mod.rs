//! Concrete executions beside the answers of the analysis: no run may contradict a "never", an "always" or a "not
//! reached". A run counts up to the first arithmetic on NULL, which C leaves undefined and the interpreter passes.

use alias::{AliasMode, AliasOracle};
use base::IndexVec;
use bebop::FlowSensitive;
use bp::{Cfg, VertexKind};
use dataflow::{Dereference, Nullness, Origin};
use interp::{self, Inputs, State, UninitRead, Value};
use ir::{BinOp, EdgeId, Expr, HavocKind, LocId, PathStep, ProcId, Program, Type};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use testing::programs::calls::Dice;

/// The analysis' answer about a dereference.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Answer {
    /// It may be of NULL.
    pub(crate) null: bool,
    /// It may be of something else.
    pub(crate) other: bool,
}

/// The answers, path-sensitive and flow-sensitive.
pub(crate) fn answers(nullness: &Nullness) -> Vec<[Answer; 2]> {
    let (cfg, _) = Cfg::build(&nullness.program, None).unwrap_or_else(|e| panic!("{e:?}"));
    let stop = AtomicBool::new(false);
    let options = bebop::Options { trace: false, ..bebop::Options::new(cfg.failures(), &stop) };
    let mut outcome = bebop::check(&cfg, &options).unwrap_or_else(|e| panic!("{e}"));
    let flow = bebop::flow_sensitive(&cfg, &stop).unwrap_or_else(|e| panic!("{e}"));
    let mut out = vec![[Answer::default(); 2]; nullness.dereferences.len()];
    for (v, vertex) in cfg.vertices.iter_enumerated() {
        let VertexKind::Stmt(stmt) = vertex.kind else { continue };
        let Origin::Dereference(n) = nullness.origins[stmt] else { continue };
        let precise = outcome.reached.values(v).unwrap_or_else(|e| panic!("{e}"));
        let tracked = nullness.dereferences[n].tracked;
        out[n] = [answer(&cfg, v, precise, tracked), answer(&cfg, v, flow.values(v), tracked)];
        assert_eq!(outcome.reached.is_reached(v), out[n][0] != Answer::default());
        includes(&cfg, &mut outcome, &flow, v);
    }
    out
}

/// Looking at each variable by itself where paths meet loses states, never finds fewer.
fn includes(cfg: &Cfg, outcome: &mut bebop::Outcome<'_>, flow: &FlowSensitive<'_>, v: bp::VertexId) {
    let precise = outcome.reached.values(v).unwrap_or_else(|e| panic!("{e}")).unwrap_or_default();
    let Some(values) = flow.values(v) else {
        assert!(precise.is_empty(), "vertex {v} is reached");
        return;
    };
    for ((var, one), (_, other)) in values.iter().zip(&precise) {
        assert!(one.is_none() || one == other || other.is_none(), "{} at {v}", cfg.vars[*var].name);
    }
}

fn answer(cfg: &Cfg, v: bp::VertexId, values: Option<bebop::ValueList>, tracked: bool) -> Answer {
    let Some(values) = values else { return Answer::default() };
    let both = Answer { null: true, other: true };
    if !tracked {
        return both;
    }
    let bp::Op::Assume { cond, .. } = &cfg.edges[cfg.vertices[v].out[0]].op else { return both };
    let null = match cond {
        bp::Expr::Const(holds) => Some(!holds),
        bp::Expr::Not(e) => match &**e {
            bp::Expr::Var(w) => values.iter().find(|(x, _)| x == w).and_then(|(_, value)| *value),
            _ => None,
        },
        _ => None,
    };
    match null {
        Some(null) => Answer { null, other: !null },
        None => both,
    }
}

/// A program with its translation and the answers.
pub(crate) struct Subject {
    pub(crate) program: Program,
    pub(crate) nullness: Nullness,
    pub(crate) answers: Vec<[Answer; 2]>,
    at: BTreeMap<(ProcId, LocId), Vec<usize>>,
}

impl Subject {
    /// `None` when a call through a pointer is not resolved.
    pub(crate) fn new(program: &Program, mode: AliasMode) -> Option<Subject> {
        let first = AliasOracle::new(program, mode);
        let program = passes::resolve_indirect(program, &first).ok()?;
        let oracle = AliasOracle::new(&program, mode);
        let nullness =
            dataflow::nullness(&program, &oracle, &|_| "x.c:1".into()).expect("calls are resolved");
        let mut at: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (n, d) in nullness.dereferences.iter().enumerate() {
            at.entry((d.proc, d.location)).or_default().push(n);
        }
        let answers = answers(&nullness);
        Some(Subject { program, nullness, answers, at })
    }

    /// Runs the program once; complaints, and how many dereferences were compared.
    pub(crate) fn run(&self, seed: u64, steps: u64) -> (Vec<String>, usize) {
        let successors = self.program.procs.iter().map(|p| p.successors()).collect();
        let mut watcher = Watcher {
            subject: self,
            successors,
            dice: Dice::new(seed),
            off: false,
            complaints: vec![],
            compared: 0,
        };
        let limits = interp::Limits { steps, ..interp::Limits::default() };
        interp::run(&self.program, &mut watcher, &limits, &AtomicBool::new(false));
        (watcher.complaints, watcher.compared)
    }
}

struct Watcher<'a> {
    subject: &'a Subject,
    successors: IndexVec<ProcId, IndexVec<LocId, Vec<EdgeId>>>,
    dice: Dice,
    /// Something undefined has happened that the interpreter does not report.
    off: bool,
    complaints: Vec<String>,
    compared: usize,
}

impl Watcher<'_> {
    fn any(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Ptr(_) if self.dice.below(2) == 0 => Value::Null,
            Type::Ptr(_) => Value::FreshObject(64),
            _ => match self.dice.below(8) {
                0 => Value::Int(-1),
                1 => Value::Int(self.dice.below(1000) as i128),
                _ => Value::Int(self.dice.below(4) as i128),
            },
        }
    }

    /// Compares one dereference; whether the execution goes on behind it.
    fn compare(&mut self, state: &mut State<'_, '_>, n: usize) -> bool {
        let d: &Dereference = &self.subject.nullness.dereferences[n];
        if d.after_call {
            // The state in between is not shown.
            return true;
        }
        for guard in d.guards.as_ref().unwrap_or(&vec![Expr::int(0)]) {
            match state.value(guard) {
                Ok(Value::Int(0) | Value::Null) | Err(_) => return true,
                Ok(_) => {}
            }
        }
        let Ok(value) = state.value(&d.pointer) else { return true };
        let is_null = value == Value::Null;
        self.compared += 1;
        for (answer, how) in self.subject.answers[n].iter().zip(["path", "flow"]) {
            if !(if is_null { answer.null } else { answer.other }) {
                let text = ir::print::edge(&self.subject.program, d.proc, d.edge);
                let pointer = ir::print::expr(&self.subject.program, &d.pointer);
                self.complaints.push(format!("{how}: {pointer} is {value:?} in `{text}`: {answer:?}"));
            }
        }
        !is_null
    }

    /// Whether the edges move a pointer that points nowhere.
    fn moves_nothing(&self, state: &mut State<'_, '_>, edges: &[EdgeId]) -> bool {
        let mut found = false;
        for e in edges {
            let op = &self.subject.program.procs[state.proc()].edges[*e].op;
            ir::visit::nodes(op, &mut |node| {
                let Expr::Binary(BinOp::PtrAdd, p, i, _) = node else { return };
                let from = state.value(p);
                let stays = matches!(state.value(i), Ok(Value::Int(0)));
                found |= !stays && !matches!(from, Ok(Value::Ptr { .. } | Value::Dangling(_)));
            });
        }
        found
    }
}

impl Inputs for Watcher<'_> {
    fn havoc(&mut self, _: ProcId, _: EdgeId, kind: &HavocKind, ty: &Type) -> Value {
        // A pointer without a value points nowhere.
        if *kind == HavocKind::Uninit && ty.is_ptr() { Value::Null } else { self.any(ty) }
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        self.dice.below(enabled.len())
    }

    fn uninit(&mut self, _: &UninitRead, ty: &Type) -> Value {
        if ty.is_ptr() { Value::Null } else { self.any(ty) }
    }

    fn alloc_fails(&mut self, _: ProcId, _: EdgeId) -> bool {
        self.dice.below(3) == 0
    }

    fn checked(&mut self, _: ir::CheckId, holds: bool) {
        // The execution ends there.
        self.off |= !holds;
    }

    fn observe(&mut self, state: &mut State<'_, '_>, _: PathStep) {
        if self.off {
            return;
        }
        let at = (state.proc(), state.location());
        for n in self.subject.at.get(&at).into_iter().flatten() {
            if !self.compare(state, *n) {
                break;
            }
        }
        let edges = self.successors[at.0][at.1].clone();
        self.off = self.moves_nothing(state, &edges);
    }
}
