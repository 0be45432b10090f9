//! Traces step by step: whether each is an execution of the program, as the twin understands it.

use super::{Bits, Context, State, after_call, allowed, contexts, entry_mask, steps, to_bits};
use crate::trace::{Segment, StepKind, Trace, Valuation};
use bp::{Cfg, Op};
use std::collections::{BTreeMap, BTreeSet};

/// Checks every step of a trace against the semantics: states follow from each other, calls are entered and
/// left as their segments say, the trace starts in the entry procedure and ends at its target.
///
/// # Errors
/// The first step that is not one of the program.
pub fn check_trace(cfg: &Cfg, trace: &Trace) -> Result<(), String> {
    let mut entered = BTreeSet::from([trace.root]);
    let mut last = trace.root;
    let root = &trace.segments[trace.root];
    if root.proc != cfg.entry {
        return Err("the trace does not start in the entry procedure".into());
    }
    while let Some(StepKind::Enter(inside)) = trace.segments[last].steps.last().map(|s| s.kind) {
        entered.insert(inside);
        last = inside;
    }
    if trace.segments[last].end != trace.target {
        return Err("the trace does not end at its target".into());
    }
    for id in trace.own_segments() {
        let segment = &trace.segments[id];
        check_segment(cfg, trace, segment).map_err(|e| format!("{id}: {e}"))?;
        if !entered.contains(&id) && segment.end != cfg.procs[segment.proc].exit {
            return Err(format!("{id} stands for a call that returns, and does not end at the exit"));
        }
    }
    acyclic(trace)
}

/// Segments must not hold each other in a circle.
fn acyclic(trace: &Trace) -> Result<(), String> {
    let mut depth: BTreeMap<_, usize> = BTreeMap::new();
    let mut changed = true;
    while changed {
        changed = false;
        for (id, segment) in trace.segments.iter_enumerated() {
            let inside = segment.steps.iter().filter_map(|s| match s.kind {
                StepKind::Call(inside) => inside,
                StepKind::Enter(inside) => Some(inside),
                StepKind::Plain | StepKind::Branch(_) => None,
            });
            let new = inside.map(|i| depth.get(&i).copied().unwrap_or(0) + 1).max().unwrap_or(0);
            if new > trace.segments.len() {
                return Err("segments hold each other in a circle".into());
            }
            changed |= depth.insert(id, new) != Some(new);
        }
    }
    Ok(())
}

fn check_segment(cfg: &Cfg, trace: &Trace, segment: &Segment) -> Result<(), String> {
    let own = &cfg.procs[segment.proc];
    let first = segment.steps.first().map_or((segment.end, &segment.after), |s| (s.vertex, &s.before));
    let start = State { vertex: own.entry, vars: bits(first.1), returned: 0 };
    if first.0 != own.entry || !allowed(cfg, own.entry, start.vars) {
        return Err("it does not start at the entry".into());
    }
    for (i, step) in segment.steps.iter().enumerate() {
        let edge = &cfg.edges[step.edge];
        if edge.from != step.vertex || edge.stmt != step.stmt {
            return Err(format!("step {i} does not take an edge of its vertex"));
        }
        let vars = bits(&step.before);
        let next = segment.steps.get(i + 1).map(|s| (s.vertex, bits(&s.before)));
        let (vertex, after) = next.unwrap_or((segment.end, bits(&segment.after)));
        let last = next.is_none() && vertex == own.exit;
        let returned = if last { to_bits(segment.returned.iter().copied()) } else { 0 };
        let wanted = State { vertex, vars: after, returned };
        let right = match (&edge.op, step.kind) {
            (Op::Call { callee, .. }, StepKind::Enter(inside)) => {
                let context = contexts(cfg, edge, *callee, vars);
                next.is_none() && context.contains(&context_of(cfg, &trace.segments[inside]))
            }
            (Op::Call { callee, .. }, StepKind::Call(inside)) => {
                let Some(inside) = inside else { continue };
                let inside = &trace.segments[inside];
                let context = contexts(cfg, edge, *callee, vars);
                let exit = State {
                    vertex: inside.end,
                    vars: bits(&inside.after),
                    returned: to_bits(inside.returned.iter().copied()),
                };
                context.contains(&context_of(cfg, inside))
                    && after_call(cfg, edge, vars, exit).iter().any(|s| (s.vertex, s.vars) == (vertex, after))
            }
            (_, StepKind::Plain | StepKind::Branch(_)) => steps(cfg, edge, vars).contains(&wanted),
            _ => false,
        };
        if !right {
            return Err(format!("step {i} ({:?}) does not lead to {wanted:?}", edge.op));
        }
    }
    Ok(())
}

fn context_of(cfg: &Cfg, segment: &Segment) -> Context {
    let first = segment.steps.first().map_or(&segment.after, |s| &s.before);
    (segment.proc, bits(first) & entry_mask(cfg, segment.proc))
}

fn bits(values: &Valuation) -> Bits {
    to_bits(values.iter().map(|(_, value)| value))
}
