//! The abstraction checked by zing (`--engine zing`), and its trace as one of bebop.
//!
//! Invariant: a variable has the value in the trace that it has in the run; one that was not decided yet has the value
//! that is decided for it later, and none if that never happens.

use base::{Id, IndexVec};
use bebop::{Segment, SegmentId, Step, StepKind, Trace, Valuation};
use bp::{Cfg, Op, VarId, VertexId, VertexKind};
use cegar::{Checker, ErrorTrace, Search, SearchLimit};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use zing::code::{Instr, Pc};
use zing::value::Value;
use zing::{Answer, Boolean, Note, Options, Snapshot, TraceStep};

/// See the module's documentation.
pub(super) struct Zing;

impl Checker for Zing {
    fn name(&self) -> &'static str {
        "zing"
    }

    fn search(&self, cfg: &Cfg, stop: &AtomicBool) -> Result<Search, SearchLimit> {
        let boolean = zing::from_boolean(cfg, &cfg.failures());
        let outcome = zing::check(&boolean.code, &Options { snapshots: true, ..Options::new(stop) });
        let pcs = boolean.code.nodes.ids().filter(|pc| outcome.reached[*pc]);
        let reached: BTreeSet<VertexId> = pcs.filter_map(|pc| boolean.vertices[pc]).collect();
        let answer = outcome.answer.map_err(|limit| match limit {
            zing::Limit::Interrupted => SearchLimit::Interrupted,
            other => SearchLimit::Size(other.to_string()),
        })?;
        let error = match answer {
            Answer::Holds => ErrorTrace::None,
            Answer::Fails { trace: None, .. } => ErrorTrace::TooLong,
            Answer::Fails { trace: Some(trace), .. } => ErrorTrace::Trace(trace_of(cfg, &boolean, &trace)),
        };
        Ok(Search { error, vertices: Some(reached.len()), bdd_nodes: 0 })
    }
}

/// A point of the run: before an edge, at an exit, or at the end.
struct Moment {
    depth: usize,
    vertex: VertexId,
    /// The edge that is taken; none at exits and at the end.
    edge: Option<bp::EdgeId>,
    values: Vec<(VarId, Option<bool>)>,
    /// At exits, what is returned.
    returned: Vec<Option<bool>>,
}

fn trace_of(cfg: &Cfg, boolean: &Boolean, trace: &zing::Trace) -> Trace {
    let mut moments: Vec<Moment> = vec![];
    for step in &trace.steps {
        moments.extend(moment(cfg, boolean, step));
    }
    settle(cfg, &mut moments);
    fold(cfg, moments)
}

fn moment(cfg: &Cfg, boolean: &Boolean, step: &TraceStep) -> Option<Moment> {
    let vertex = boolean.vertices[step.pc]?;
    let edge = match (boolean.edges[step.pc], &step.note) {
        // What is decided is decided before the step.
        (_, Note::Decided(_)) => return None,
        (Some((yes, no)), Note::To(pc)) => Some(if goes_on(boolean, step.pc, *pc) { yes } else { no }),
        (Some((only, _)), _) => Some(only),
        (None, _) => None,
    };
    let ends = matches!(boolean.code.node(step.pc).instr, Instr::Return(_) | Instr::Fail(_));
    if edge.is_none() && !ends {
        return None;
    }
    let before = step.before.as_ref().expect("snapshots were asked for");
    let proc = cfg.vertices[vertex].proc;
    let values = values(cfg, proc, before);
    let returned = if cfg.vertices[vertex].kind == VertexKind::Exit {
        let own = cfg.procs[proc].formals.len() + cfg.procs[proc].locals.len();
        before.frame.locals[own..][..cfg.procs[proc].returns].iter().map(decided).collect()
    } else {
        vec![]
    };
    Some(Moment { depth: step.depth, vertex, edge, values, returned })
}

/// Whether a branch went on to the node after it.
fn goes_on(boolean: &Boolean, from: Pc, to: Pc) -> bool {
    boolean.code.node(from).next == to
}

fn values(cfg: &Cfg, proc: bp::ProcId, before: &Snapshot) -> Vec<(VarId, Option<bool>)> {
    let known = before.store.statics.iter().chain(&before.frame.locals);
    cfg.scope(proc).zip(known.map(decided)).collect()
}

fn decided(v: &Value) -> Option<bool> {
    match v {
        Value::Bool(b) => Some(*b),
        _ => None,
    }
}

/// Gives what is open the value that is decided for it later.
fn settle(cfg: &Cfg, moments: &mut [Moment]) {
    // The call that each exit returns to.
    let mut callers: Vec<Option<usize>> = vec![None; moments.len()];
    let mut open: Vec<usize> = vec![];
    for i in 0..moments.len() {
        open.retain(|call| moments[*call].depth < moments[i].depth);
        callers[i] = open.last().copied();
        if moments[i].edge.is_some_and(|e| matches!(cfg.edges[e].op, Op::Call { .. })) {
            open.push(i);
        }
    }
    // The values at the next moment: of globals, and of each frame.
    let mut globals: Vec<Option<bool>> = vec![None; cfg.globals.len()];
    let mut frames: Vec<Vec<Option<bool>>> = vec![];
    for i in (0..moments.len()).rev() {
        let is_exit = cfg.vertices[moments[i].vertex].kind == VertexKind::Exit;
        let written = match moments[i].edge {
            Some(edge) => written(cfg, edge),
            None if !is_exit => vec![],
            None => callers[i].and_then(|call| moments[call].edge).map_or(vec![], |e| written(cfg, e)),
        };
        let call = callers[i].filter(|_| is_exit).and_then(|call| moments[call].edge);
        if let Some(Op::Call { results, .. }) = call.map(|e| &cfg.edges[e].op) {
            let caller = &frames[moments[i].depth - 1];
            let scope = cfg.vertices[cfg.edges[call.expect("it is one")].from].proc;
            for (k, result) in results.iter().enumerate() {
                let at = result.and_then(|v| cfg.scope(scope).position(|other| other == v));
                let value = at.and_then(|at| globals.iter().chain(caller).nth(at).copied().flatten());
                let returned = &mut moments[i].returned[k];
                *returned = returned.or(value);
            }
        }
        let moment = &mut moments[i];
        frames.resize_with(moment.depth + 1, Vec::new);
        let later = &mut frames[moment.depth];
        if is_exit || later.is_empty() {
            *later = vec![None; moment.values.len() - globals.len()];
        }
        let is_call = moment.edge.is_some_and(|e| matches!(cfg.edges[e].op, Op::Call { .. }));
        for (at, (var, value)) in moment.values.iter_mut().enumerate() {
            let is_global = at < globals.len();
            let next = if is_global { globals[at] } else { later[at - globals.len()] };
            // The callee sees the globals as they are at the call.
            let kept = !written.contains(var) || is_call && is_global;
            if value.is_none() && kept {
                *value = next;
            }
        }
        for (at, (_, value)) in moment.values.iter().enumerate() {
            if at < globals.len() {
                globals[at] = *value;
            } else {
                later[at - globals.len()] = *value;
            }
        }
        // What stands before in the frames of callees belongs to other calls.
        frames.truncate(moments[i].depth + 1);
    }
}

/// The variables that an edge sets.
fn written(cfg: &Cfg, edge: bp::EdgeId) -> Vec<VarId> {
    match &cfg.edges[edge].op {
        Op::Assign { targets, .. } => targets.clone(),
        Op::Call { results, .. } => results.iter().flatten().copied().collect(),
        Op::Skip | Op::Assume { .. } | Op::Return(_) => vec![],
    }
}

/// The moments as segments, one for each call.
fn fold(cfg: &Cfg, moments: Vec<Moment>) -> Trace {
    let last = moments.last().expect("a run has an end");
    let target = last.vertex;
    let mut segments: IndexVec<SegmentId, Option<Segment>> = IndexVec::new();
    // Open segments, each with its steps and its procedure.
    let mut stack: Vec<(SegmentId, Vec<Step>)> = vec![(segments.push(None), vec![])];
    for moment in moments {
        let before = Valuation::partial(&moment.values);
        let (id, steps) = stack.last_mut().expect("the run is inside a procedure");
        let Some(edge) = moment.edge else {
            let proc = cfg.vertices[moment.vertex].proc;
            let is_exit = cfg.vertices[moment.vertex].kind == VertexKind::Exit;
            let (id, steps) = (*id, std::mem::take(steps));
            let returned = moment.returned.iter().map(|b| b.unwrap_or(false)).collect();
            segments[id] = Some(Segment { proc, steps, end: moment.vertex, after: before, returned });
            if is_exit && stack.len() > 1 {
                stack.pop();
                let (_, steps) = stack.last_mut().expect("the caller is open");
                steps.last_mut().expect("the caller stands at its call").kind = StepKind::Call(Some(id));
            }
            continue;
        };
        let taken = &cfg.edges[edge];
        let kind = match taken.op {
            Op::Assume { value, .. } => StepKind::Branch(value),
            Op::Call { .. } => StepKind::Call(None),
            Op::Skip | Op::Assign { .. } | Op::Return(_) => StepKind::Plain,
        };
        steps.push(Step { vertex: moment.vertex, edge, stmt: taken.stmt, before, kind });
        if matches!(taken.op, Op::Call { .. }) {
            stack.push((segments.push(None), vec![]));
        }
    }
    // What is still open was entered and not left.
    let (mut inside, _) = stack.pop().expect("the run ends inside a procedure");
    while let Some((id, mut steps)) = stack.pop() {
        let call = steps.last_mut().expect("a callee was entered from a call");
        call.kind = StepKind::Enter(inside);
        let (end, after) = (call.vertex, call.before.clone());
        let proc = cfg.vertices[end].proc;
        segments[id] = Some(Segment { proc, steps, end, after, returned: vec![] });
        inside = id;
    }
    let ended = segments.into_vec().into_iter().map(|s| s.expect("each segment was ended"));
    let whole: IndexVec<SegmentId, Segment> = ended.collect();
    Trace { segments: std::sync::Arc::new(whole), root: SegmentId::from_index(0), target }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bp::random::{Choices, Shape, program};

    /// Every step of every trace is one of the program, as bebop's explicit twin understands it.
    #[test]
    fn traces_are_executions() {
        let stop = AtomicBool::new(false);
        let mut traces = 0;
        for seed in 0..400u64 {
            let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678;
            let numbers: Vec<u16> = (0..400)
                .map(|_| {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> 40) as u16
                })
                .collect();
            let program = program(&mut Choices::new(&numbers), Shape::default());
            let (cfg, _) = Cfg::build(&program, None).expect("random programs are well-formed");
            let Ok(search) = Zing.search(&cfg, &stop) else { panic!("nothing stops it") };
            if let ErrorTrace::Trace(trace) = search.error {
                let right = bebop::explicit::check_trace(&cfg, &trace);
                right.unwrap_or_else(|e| panic!("{seed}: {e}\n{trace:#?}\n{}", bp::print(&program)));
                traces += 1;
            }
        }
        assert!(traces > 50, "{traces} traces");
    }
}
