//! The error trace of an abstraction, as the loop needs it: the path of the C-- program that it stands for, and the
//! values of the predicates along it.

use crate::cegar::MAX_STEPS;
use base::IndexVec;
use bp::{Cfg, VarId};
use c2bp::{Combination, Origin, Role, VarRole};
use check::{SegmentId, StepKind, Trace, Valuation};
use ir::{EdgeId, Path, ProcId};
use predicates::PredId;
use std::collections::BTreeSet;

/// Values of predicates in a procedure.
pub(crate) type AbstractState = (ProcId, Combination);

/// A step over an edge.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct AbstractStep {
    pub(crate) proc: ProcId,
    pub(crate) edge: EdgeId,
    /// The edge with the blocks unfolded.
    pub(crate) unfolded: EdgeId,
    /// Values of predicates before it and behind it.
    pub(crate) before: Combination,
    pub(crate) after: Combination,
}

/// For each variable of the boolean program the predicate whose value it has now, if it is one.
pub(crate) type Predicates = IndexVec<VarId, Option<PredId>>;

/// See [`Predicates`].
pub(crate) fn predicates(origin: &Origin, cfg: &Cfg) -> Predicates {
    let predicate = |v: VarId| {
        let var = &cfg.vars[v];
        let role = match var.owner {
            None => origin.global(&var.name),
            Some(owner) => origin.var(origin.proc(&cfg.procs[owner].name)?, &var.name),
        };
        match role? {
            VarRole::Predicate(id) => Some(*id),
            VarRole::Returned(..) | VarRole::Saved(_) => None,
        }
    };
    cfg.vars.ids().map(predicate).collect()
}

/// See the module's documentation.
pub(crate) struct AbstractPath {
    /// The path, all calls expanded.
    pub(crate) path: Path,
    /// The states on it as far as they matter, without those where a call has just come back: the caller's
    /// predicates have their values from before it there. States in runs that an earlier path has gone through
    /// are left out.
    pub(crate) states: BTreeSet<AbstractState>,
    /// The steps over edges.
    pub(crate) steps: BTreeSet<AbstractStep>,
}

impl AbstractPath {
    /// `None` when the path is too long. `met` are the segments of earlier traces; it gets those of this one.
    pub(crate) fn new(
        origins: &Origin,
        predicates: &Predicates,
        trace: &Trace,
        met: &mut BTreeSet<SegmentId>,
    ) -> Option<AbstractPath> {
        let path = path_of(origins, trace)?;
        let literals = |state: &Valuation| -> Combination {
            state.constrained().filter_map(|(v, value)| Some((predicates[v]?, value))).collect()
        };
        let mut out = AbstractPath { path, states: BTreeSet::new(), steps: BTreeSet::new() };
        for id in trace.own_segments() {
            if !met.insert(id) {
                continue;
            }
            let segment = &trace.segments[id];
            let origin = |i: usize| segment.steps.get(i).and_then(|s| origins.stmt(s.stmt));
            for (i, step) in segment.steps.iter().enumerate() {
                let Some(place) = origin(i).filter(|o| o.role != Role::AfterCall) else { continue };
                let before = literals(&step.before);
                if let (Role::Edge, Some(edge), Some(unfolded)) = (&place.role, place.edge, place.unfolded) {
                    let tracks = origin(i + 1).is_some_and(|next| next.role == Role::Track);
                    let next = segment.steps.get(i + 1 + usize::from(tracks));
                    let after = literals(next.map_or(&segment.after, |s| &s.before));
                    let (proc, before) = (place.proc, before.clone());
                    out.steps.insert(AbstractStep { proc, edge, unfolded, before, after });
                }
                if before.len() > 1 {
                    out.states.insert((place.proc, before));
                }
            }
        }
        Some(out)
    }
}

/// The C-- path of a trace, all calls expanded; `None` when it is too long.
fn path_of(origin: &Origin, trace: &Trace) -> Option<Path> {
    let points = trace.flatten(MAX_STEPS).ok()?;
    let mut calls = vec![];
    let mut events = vec![];
    for point in points {
        match point.event {
            check::Event::Step(step) => match step.kind {
                StepKind::Plain | StepKind::Branch(_) => events.push(c2bp::Event::Statement(step.stmt)),
                StepKind::Call(_) | StepKind::Enter(_) => {
                    calls.push(step.stmt);
                    events.push(c2bp::Event::Enter(step.stmt));
                }
            },
            check::Event::Return(_) => {
                let call = calls.pop().expect("a segment that returns was entered by a call");
                events.push(c2bp::Event::Leave(call));
            }
            check::Event::Target(_) => {}
        }
    }
    Some(origin.path(events))
}
