//! Traces: hierarchical runs of a boolean program. A call that returns is one step of its segment, with the
//! run inside the callee in a segment of its own; two calls of a procedure that enter and leave it in the same
//! way share that segment, so a trace is small even where the run it stands for is exponentially long.

use base::IndexVec;
use bp::{Cfg, EdgeId, ProcId, StmtId, VarId, VertexId};
use std::sync::Arc;

base::define_id!(
    /// A segment of a trace.
    pub SegmentId, "g"
);

/// A run.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Its segments, and perhaps those of other traces.
    pub segments: Arc<IndexVec<SegmentId, Segment>>,
    /// The segment where it starts.
    pub root: SegmentId,
    /// The vertex where it ends.
    pub target: VertexId,
}

/// A run inside one procedure, from its entry.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The procedure.
    pub proc: ProcId,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The vertex after the last step: the exit, the target of the trace, or, when the last step enters a call
    /// that does not return, that call again.
    pub end: VertexId,
    /// The state there.
    pub after: Valuation,
    /// The values returned, when the segment ends at the exit.
    pub returned: Vec<bool>,
}

/// A step.
#[derive(Clone, Debug)]
pub struct Step {
    /// The vertex where it starts.
    pub vertex: VertexId,
    /// The edge taken.
    pub edge: EdgeId,
    /// The statement executed.
    pub stmt: StmtId,
    /// The state before it.
    pub before: Valuation,
    /// The kind of step.
    pub kind: StepKind,
}

/// Kinds of steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepKind {
    /// A statement that is neither branch nor call.
    Plain,
    /// A condition: `if`, `while` or `assert` with this outcome.
    Branch(bool),
    /// A call that returns; the run inside, unless there were more steps than the limit allows.
    Call(Option<SegmentId>),
    /// A call in which the rest of the trace lies: the last step of its segment.
    Enter(SegmentId),
}

/// Values of the variables in scope.
#[derive(Clone, PartialEq, Eq)]
pub struct Valuation {
    vars: Arc<[VarId]>,
    values: Vec<bool>,
    free: Vec<bool>,
}

impl Valuation {
    /// These variables with as many values, all of which matter.
    pub fn new(vars: Arc<[VarId]>, values: Vec<bool>) -> Valuation {
        Valuation { free: vec![false; values.len()], vars, values }
    }

    /// Values of variables, all in scope; `None` where any value would do.
    pub fn partial(values: &[(VarId, Option<bool>)]) -> Valuation {
        Valuation {
            vars: values.iter().map(|(v, _)| *v).collect(),
            values: values.iter().map(|(_, value)| value.unwrap_or(false)).collect(),
            free: values.iter().map(|(_, value)| value.is_none()).collect(),
        }
    }

    /// The variables whose value does not matter.
    pub fn set_free(&mut self, free: impl Fn(VarId) -> bool) {
        for (i, v) in self.vars.iter().enumerate() {
            self.free[i] = free(*v);
        }
    }

    /// All variables in scope (globals, formals, locals) with their values. The values of consecutive steps
    /// belong to one run.
    pub fn iter(&self) -> impl Iterator<Item = (VarId, bool)> + '_ {
        self.vars.iter().copied().zip(self.values.iter().copied())
    }

    /// The variables whose value matters: the others could have any value here without changing the path.
    pub fn constrained(&self) -> impl Iterator<Item = (VarId, bool)> + '_ {
        self.iter().zip(&self.free).filter(|(_, free)| !**free).map(|(pair, _)| pair)
    }

    /// The value of a variable, if it is in scope.
    pub fn get(&self, var: VarId) -> Option<bool> {
        self.iter().find(|(v, _)| *v == var).map(|(_, value)| value)
    }
}

impl std::fmt::Debug for Valuation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// A point of a flat trace.
#[derive(Clone, Copy, Debug)]
pub struct Point<'t> {
    /// How many calls are open.
    pub depth: usize,
    /// The segment.
    pub segment: SegmentId,
    /// How many of its steps come before.
    pub position: usize,
    /// Its event.
    pub event: Event<'t>,
}

/// The event at a point.
#[derive(Clone, Copy, Debug)]
pub enum Event<'t> {
    /// A step is taken; for a call, the run inside follows unless it is folded.
    Step(&'t Step),
    /// The segment is at its exit: the call that it was for is over.
    Return(&'t Segment),
    /// The target is reached.
    Target(&'t Segment),
}

/// A flat trace would be longer than the limit, or holds a call that was not expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TooLong {
    /// More points than allowed.
    Limit(usize),
    /// A call was left folded when the trace was made.
    Folded,
}

impl Trace {
    /// The numbers of its segments, the root first; those that other traces have besides are not among them.
    pub fn own_segments(&self) -> Vec<SegmentId> {
        let mut met: IndexVec<SegmentId, bool> = IndexVec::from_elem(false, self.segments.len());
        met[self.root] = true;
        let mut out = vec![self.root];
        let mut next = 0;
        while let Some(id) = out.get(next).copied() {
            next += 1;
            for step in &self.segments[id].steps {
                if let StepKind::Call(Some(inside)) | StepKind::Enter(inside) = step.kind
                    && !std::mem::replace(&mut met[inside], true)
                {
                    out.push(inside);
                }
            }
        }
        out
    }

    /// The trace in the order of execution, with every call expanded.
    ///
    /// # Errors
    /// When that gives more than `limit` points, or a call was left folded.
    pub fn flatten(&self, limit: usize) -> Result<Vec<Point<'_>>, TooLong> {
        self.walk(limit, true)
    }

    /// The steps of the hierarchical trace: calls that return are one step.
    pub fn top_level(&self) -> Vec<Point<'_>> {
        self.walk(usize::MAX, false).unwrap_or_default()
    }

    /// The number of steps of the hierarchical trace.
    pub fn length(&self) -> usize {
        self.top_level().len() - 1
    }

    fn walk(&self, limit: usize, expand: bool) -> Result<Vec<Point<'_>>, TooLong> {
        let mut out = Vec::new();
        // Segments that are open, each with its next step; and whether they return.
        let mut stack = vec![(self.root, 0, false)];
        while let Some((id, position, returns)) = stack.last().copied() {
            let depth = stack.len() - 1;
            let segment = &self.segments[id];
            if out.len() >= limit {
                return Err(TooLong::Limit(limit));
            }
            let Some(step) = segment.steps.get(position) else {
                let entered = segment.steps.last().is_some_and(|s| matches!(s.kind, StepKind::Enter(_)));
                if returns {
                    out.push(Point { depth, segment: id, position, event: Event::Return(segment) });
                } else if !entered {
                    out.push(Point { depth, segment: id, position, event: Event::Target(segment) });
                }
                stack.pop();
                continue;
            };
            out.push(Point { depth, segment: id, position, event: Event::Step(step) });
            if let Some((_, next, _)) = stack.last_mut() {
                *next += 1;
            }
            match step.kind {
                StepKind::Call(None) if expand => return Err(TooLong::Folded),
                StepKind::Call(Some(inside)) if expand => stack.push((inside, 0, true)),
                StepKind::Enter(inside) => stack.push((inside, 0, false)),
                StepKind::Plain | StepKind::Branch(_) | StepKind::Call(_) => {}
            }
        }
        Ok(out)
    }

    /// The assertion that fails at the end, if that is what the trace is about.
    pub fn failed_assertion(&self, cfg: &Cfg) -> Option<StmtId> {
        match cfg.vertices[self.target].kind {
            bp::VertexKind::Failure(stmt) => Some(stmt),
            _ => None,
        }
    }
}
