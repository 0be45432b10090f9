//! Zing behind the interface of all checkers, for sequential boolean programs, and its traces as theirs.
//!
//! Invariant: a variable has the value in the trace that it has in the run; one that was not decided yet has the value
//! that is decided for it later, and none if that never happens.

use crate::code::{Instr, Pc};
use crate::value::Value;
use crate::{Boolean, Limit, Note, Options, Snapshot, TraceStep, from_boolean};
use base::{Id, IndexVec};
use bp::{Cfg, Op, VarId, VertexId, VertexKind};
use check::{
    Budget, Checker, Execution, Question, Report, Segment, SegmentId, Step, StepKind, Trace, Unknown,
    Valuation,
};
use std::collections::BTreeSet;

/// See the crate's documentation. The effort is counted in states.
pub struct Zing;

impl Checker for Zing {
    fn name(&self) -> &'static str {
        "zing"
    }

    fn check(&self, question: &Question<'_>, budget: Budget<'_>) -> Report {
        let (cfg, goals) = match question.sequential() {
            Ok(asked) => asked,
            Err(unknown) => return unknown.into(),
        };
        let boolean = from_boolean(cfg, &goals);
        let mut options = Options { snapshots: question.execution, ..Options::new(budget.stop) };
        if let Some(most) = budget.effort {
            options.max_states = options.max_states.min(most as usize);
        }
        let outcome = crate::check(&boolean.code, &options);
        let pcs = boolean.code.nodes.ids().filter(|pc| outcome.reached[*pc]);
        let reached: BTreeSet<VertexId> = pcs.filter_map(|pc| boolean.vertices[pc]).collect();
        let answer = match outcome.answer {
            Err(Limit::Interrupted) => check::Answer::Unknown(Unknown::Interrupted),
            Err(Limit::States(_)) if budget.effort.is_some() => check::Answer::Unknown(Unknown::Effort),
            Err(Limit::States(n)) => check::Answer::Unknown(Unknown::States(n)),
            Err(Limit::Number) => unreachable!("boolean programs have no numbers"),
            Ok(crate::Answer::Holds) => check::Answer::Unreachable,
            Ok(crate::Answer::Fails { pc, trace, .. }) => check::Answer::Reachable {
                goal: boolean.vertices[pc].map(|v| (0, v)),
                execution: match trace {
                    _ if !question.execution => Execution::None,
                    None => Execution::TooLong,
                    Some(trace) => Execution::Trace(trace_of(cfg, &boolean, &trace)),
                },
            },
        };
        Report { vertices: Some(reached.len()), states: outcome.stats.states, ..Report::new(answer) }
    }
}

/// A point of the run: before an edge, at an exit, or at the end.
struct RunPoint {
    depth: usize,
    vertex: VertexId,
    /// The edge that is taken; none at exits and at the end.
    edge: Option<bp::EdgeId>,
    values: Vec<(VarId, Option<bool>)>,
    /// At exits, what is returned.
    returned: Vec<Option<bool>>,
}

fn trace_of(cfg: &Cfg, boolean: &Boolean, trace: &crate::Trace) -> Trace {
    let mut points: Vec<RunPoint> = vec![];
    for step in &trace.steps {
        points.extend(point(cfg, boolean, step));
    }
    settle(cfg, &mut points);
    fold(cfg, points)
}

fn point(cfg: &Cfg, boolean: &Boolean, step: &TraceStep) -> Option<RunPoint> {
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
    Some(RunPoint { depth: step.depth, vertex, edge, values, returned })
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
fn settle(cfg: &Cfg, points: &mut [RunPoint]) {
    // The call that each exit returns to.
    let mut callers: Vec<Option<usize>> = vec![None; points.len()];
    let mut open: Vec<usize> = vec![];
    for i in 0..points.len() {
        open.retain(|call| points[*call].depth < points[i].depth);
        callers[i] = open.last().copied();
        if points[i].edge.is_some_and(|e| matches!(cfg.edges[e].op, Op::Call { .. })) {
            open.push(i);
        }
    }
    // The values at the next point: of globals, and of each frame.
    let mut globals: Vec<Option<bool>> = vec![None; cfg.globals.len()];
    let mut frames: Vec<Vec<Option<bool>>> = vec![];
    for i in (0..points.len()).rev() {
        // Where the run ends, nothing returns.
        let is_exit = is_return(cfg, points, i);
        let written = match points[i].edge {
            Some(edge) => written(cfg, edge),
            None if !is_exit => vec![],
            None => callers[i].and_then(|call| points[call].edge).map_or(vec![], |e| written(cfg, e)),
        };
        let call = callers[i].filter(|_| is_exit).and_then(|call| points[call].edge);
        if let Some(Op::Call { results, .. }) = call.map(|e| &cfg.edges[e].op) {
            let caller = &frames[points[i].depth - 1];
            let scope = cfg.vertices[cfg.edges[call.expect("it is one")].from].proc;
            for (k, result) in results.iter().enumerate() {
                let at = result.and_then(|v| cfg.scope(scope).position(|other| other == v));
                let value = at.and_then(|at| globals.iter().chain(caller).nth(at).copied().flatten());
                let returned = &mut points[i].returned[k];
                *returned = returned.or(value);
            }
        }
        let point = &mut points[i];
        frames.resize_with(point.depth + 1, Vec::new);
        let later = &mut frames[point.depth];
        if is_exit || later.is_empty() {
            *later = vec![None; point.values.len() - globals.len()];
        }
        let is_call = point.edge.is_some_and(|e| matches!(cfg.edges[e].op, Op::Call { .. }));
        for (at, (var, value)) in point.values.iter_mut().enumerate() {
            let is_global = at < globals.len();
            let next = if is_global { globals[at] } else { later[at - globals.len()] };
            // The callee sees the globals as they are at the call.
            let kept = !written.contains(var) || is_call && is_global;
            if value.is_none() && kept {
                *value = next;
            }
        }
        for (at, (_, value)) in point.values.iter().enumerate() {
            if at < globals.len() {
                globals[at] = *value;
            } else {
                later[at - globals.len()] = *value;
            }
        }
        // What stands before in the frames of callees belongs to other calls.
        frames.truncate(points[i].depth + 1);
    }
}

/// Whether a call returns at this point.
fn is_return(cfg: &Cfg, points: &[RunPoint], i: usize) -> bool {
    i + 1 < points.len() && cfg.vertices[points[i].vertex].kind == VertexKind::Exit
}

/// The variables that an edge sets.
fn written(cfg: &Cfg, edge: bp::EdgeId) -> Vec<VarId> {
    match &cfg.edges[edge].op {
        Op::Assign { targets, .. } => targets.clone(),
        Op::Call { results, .. } => results.iter().flatten().copied().collect(),
        Op::Skip | Op::Assume { .. } | Op::Return(_) => vec![],
    }
}

/// The points as segments, one for each call.
fn fold(cfg: &Cfg, points: Vec<RunPoint>) -> Trace {
    let last = points.last().expect("a run has an end");
    let target = last.vertex;
    let mut segments: IndexVec<SegmentId, Option<Segment>> = IndexVec::new();
    // Open segments, each with its steps and its procedure.
    let mut stack: Vec<(SegmentId, Vec<Step>)> = vec![(segments.push(None), vec![])];
    let returns: Vec<bool> = (0..points.len()).map(|i| is_return(cfg, &points, i)).collect();
    for (point, returns) in points.into_iter().zip(returns) {
        let before = Valuation::partial(&point.values);
        let (id, steps) = stack.last_mut().expect("the run is inside a procedure");
        let Some(edge) = point.edge else {
            let proc = cfg.vertices[point.vertex].proc;
            let (id, steps) = (*id, std::mem::take(steps));
            let returned = point.returned.iter().map(|b| b.unwrap_or(false)).collect();
            segments[id] = Some(Segment { proc, steps, end: point.vertex, after: before, returned });
            if returns && stack.len() > 1 {
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
        steps.push(Step { vertex: point.vertex, edge, stmt: taken.stmt, before, kind });
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
