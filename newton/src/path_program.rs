//! The program of a path: its statements, with a loop wherever the path comes back to a location [BHMR07]. Calls are
//! told apart by the calls around them, so that each has one stack of frames.
//!
//! Cut positions are where ways meet or part; between two of them lies one segment of statements. With a relation
//! at every cut position the segments are Horn clauses; a solution holds for every number of turns of the loops, and
//! so refutes all unrollings of the path at once.

use crate::folded;
use crate::unfold::Unfolding;
use cmm::analysis::AliasOracle;
use cmm::{EdgeId, LocId, Path, PathStep, ProcId, Program};
use rustc_hash::FxHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// Frames with the same calls around them.
pub(crate) struct Node {
    /// The caller's frame.
    pub(crate) parent: Option<usize>,
}

/// Statements between two cut positions.
pub(crate) struct Segment {
    /// Where it begins, as a number of a cut position; 0 is the entry.
    pub(crate) from: usize,
    /// Where it ends; `None`: at the failing check.
    pub(crate) to: Option<usize>,
    /// Its steps, as they first occur on the path.
    pub(crate) steps: Range<usize>,
}

/// See the module's documentation.
pub(crate) struct PathProgram {
    /// The frames.
    pub(crate) nodes: Vec<Node>,
    /// For each activation of the path its frame.
    pub(crate) of_activation: Vec<usize>,
    /// The segments, in order of first occurrence.
    pub(crate) segments: Vec<Segment>,
    /// For each step the cut position before it, if there is one.
    pub(crate) cut_before: Vec<Option<usize>>,
    /// The frame on top at each cut position.
    pub(crate) frames: Vec<usize>,
    /// Whether some location of a frame is met twice.
    pub(crate) has_loop: bool,
    identity: u64,
}

/// A location of a frame.
pub(crate) type Position = (usize, ProcId, LocId);
/// A step, as something with an order.
pub(crate) type StepKey = (u8, ProcId, EdgeId);

pub(crate) fn step_key(step: PathStep) -> StepKey {
    match step {
        PathStep::Edge(p, e) => (0, p, e),
        PathStep::Enter(p, e, _) => (1, p, e),
        PathStep::Leave(p, e, _) => (2, p, e),
    }
}

impl PathProgram {
    pub(crate) fn new(program: &Program, path: &Path, unfolding: &Unfolding<'_>) -> PathProgram {
        let (nodes, of_activation) = frames(path, unfolding);
        let position = |i: usize| -> Position {
            let node = of_activation[unfolding.steps[i].activation];
            match path.steps[i] {
                PathStep::Edge(p, e) | PathStep::Enter(p, e, _) => (node, p, program.procs[p].edges[e].src),
                PathStep::Leave(_, _, callee) => (node, callee, program.procs[callee].exit),
            }
        };
        let n = path.steps.len();
        let positions: Vec<Position> = (0..n).map(position).collect();
        let mut moves: BTreeSet<(Position, StepKey, Option<Position>)> = BTreeSet::new();
        for (i, step) in path.steps.iter().enumerate() {
            moves.insert((positions[i], step_key(*step), positions.get(i + 1).copied()));
        }
        let mut degrees: BTreeMap<Position, (usize, usize)> = BTreeMap::new();
        for (from, _, to) in &moves {
            degrees.entry(*from).or_default().1 += 1;
            if let Some(to) = to {
                degrees.entry(*to).or_default().0 += 1;
            }
        }
        let mut hasher = FxHasher::default();
        moves.hash(&mut hasher);
        let mut cuts: BTreeMap<Position, usize> = BTreeMap::new();
        let mut frames = vec![];
        let mut cut_before = vec![None; n];
        let mut seen = BTreeSet::new();
        let mut segments: Vec<Segment> = vec![];
        let mut begun: Option<usize> = None;
        for i in 0..n {
            if i > 0 && degrees[&positions[i]] == (1, 1) {
                continue;
            }
            let next = cuts.len();
            let cut = *cuts.entry(positions[i]).or_insert(next);
            if cut == frames.len() {
                frames.push(positions[i].0);
            }
            cut_before[i] = Some(cut);
            if let Some(first) = begun.take() {
                segments[first].steps.end = i;
                segments[first].to = Some(cut);
            }
            // The check that fails in the end may have held before.
            if seen.insert((cut, step_key(path.steps[i]), i + 1 == n)) {
                begun = Some(segments.len());
                segments.push(Segment { from: cut, to: None, steps: i..n });
            }
        }
        let has_loop = positions.len() > degrees.len();
        PathProgram {
            nodes,
            of_activation,
            segments,
            cut_before,
            frames,
            has_loop,
            identity: hasher.finish(),
        }
    }

    /// The frame and those of its callers.
    pub(crate) fn stack(&self, node: usize) -> BTreeSet<usize> {
        std::iter::successors(Some(node), |n| self.nodes[*n].parent).collect()
    }
}

/// The frames, and which of them each activation is.
fn frames(path: &Path, unfolding: &Unfolding<'_>) -> (Vec<Node>, Vec<usize>) {
    let mut nodes = vec![Node { parent: None }];
    let mut of_activation = vec![0];
    let mut known: BTreeMap<(usize, StepKey), usize> = BTreeMap::new();
    for activation in &unfolding.activations[1..] {
        let parent = activation.parent.map_or(0, |a| of_activation[a]);
        let call = step_key(path.steps[activation.entered]);
        let node = *known.entry((parent, call)).or_insert_with(|| {
            nodes.push(Node { parent: Some(parent) });
            nodes.len() - 1
        });
        of_activation.push(node);
    }
    (nodes, of_activation)
}

/// Names the program of a path: two paths with the same number differ in how often they go round their loops (and in
/// the order), or in how deep their recursion goes. `None` for a path without loops and recursion.
pub fn identity(program: &Program, oracle: &AliasOracle, path: &Path) -> Option<u64> {
    identity_of(program, oracle, path, &Unfolding::new(program, oracle, path))
}

/// The same, of the unfolded path.
pub(crate) fn identity_of(
    program: &Program,
    oracle: &AliasOracle,
    path: &Path,
    unfolding: &Unfolding<'_>,
) -> Option<u64> {
    if folded::is_recursive(oracle, unfolding) {
        return Some(folded::identity(program, path, unfolding));
    }
    let of_path = PathProgram::new(program, path, unfolding);
    of_path.has_loop.then_some(of_path.identity)
}
