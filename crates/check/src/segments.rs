//! Segments of a trace that is being made: some are reserved and not made yet.

use crate::trace::{Segment, SegmentId, Step, StepKind};
use base::IndexVec;

/// How many steps the trace has at least when all calls are expanded: a run not made yet counts as one step.
pub fn least_length(segments: &IndexVec<SegmentId, Option<Segment>>, root: SegmentId) -> usize {
    let mut lengths: IndexVec<SegmentId, Option<usize>> = IndexVec::from_elem(None, segments.len());
    let mut stack = vec![root];
    while let Some(id) = stack.last().copied() {
        let steps = segments[id].as_ref().map_or(&[][..], |segment| &segment.steps);
        let inside = |step: &Step| match step.kind {
            StepKind::Call(inside) => inside,
            StepKind::Enter(inside) => Some(inside),
            StepKind::Plain | StepKind::Branch(_) => None,
        };
        let waiting = stack.len();
        // Segments do not hold each other in a circle.
        stack.extend(steps.iter().filter_map(inside).filter(|inside| lengths[*inside].is_none()));
        if stack.len() == waiting {
            let below = steps.iter().filter_map(inside).filter_map(|inside| lengths[inside]);
            lengths[id] = Some(below.fold(steps.len().max(1), usize::saturating_add));
            stack.pop();
        }
    }
    lengths[root].unwrap_or(0)
}

/// Segments, and the number that each has among others, if it is there.
pub type Numbered = (IndexVec<SegmentId, Segment>, IndexVec<SegmentId, Option<SegmentId>>);

/// Drops the segments that were reserved and not made; calls that have them stay folded.
pub fn fold_missing(segments: IndexVec<SegmentId, Option<Segment>>) -> Numbered {
    let mut new_ids: IndexVec<SegmentId, Option<SegmentId>> = IndexVec::new();
    let mut out: IndexVec<SegmentId, Segment> = IndexVec::new();
    for segment in segments.into_vec() {
        new_ids.push(segment.map(|segment| out.push(segment)));
    }
    for segment in out.iter_mut() {
        for step in &mut segment.steps {
            step.kind = match step.kind {
                StepKind::Call(Some(inside)) => StepKind::Call(new_ids[inside]),
                StepKind::Enter(inside) => StepKind::Enter(
                    new_ids[inside].expect("segments that are entered are made with their caller"),
                ),
                kind => kind,
            };
        }
    }
    (out, new_ids)
}
