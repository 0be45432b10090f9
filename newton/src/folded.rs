//! A path cut at its calls: every procedure has relations of its own, between the values at its entry and those at a
//! position, and a completed call is the relation of its exit. Either every activation stands for itself (then the
//! relations are tree interpolants of the path), or all activations of a procedure are one, and positions that the
//! path meets again are one (then they are summaries for every depth of recursion and every number of turns).

use crate::path_program::{Position, StepKey, step_key};
use crate::unfold::Unfolding;
use base::Id;
use cmm::{LocId, Path, PathStep, ProcId, Program};
use rustc_hash::FxHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// What counts as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fold {
    /// Every activation and every step is apart.
    Nothing,
    /// Activations of one procedure are one, and its locations.
    Procedures,
}

/// A position with a relation.
pub(crate) struct Cut {
    /// The frame on top.
    pub(crate) node: usize,
    /// Whether it is the exit of its procedure.
    pub(crate) is_exit: bool,
    /// The procedure and the location.
    pub(crate) at: (ProcId, LocId),
}

/// What leads from one cut to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// Steps within an activation.
    Run(Range<usize>),
    /// This step enters a procedure.
    Enter(usize),
    /// This step completes the call that stands at the cut `caller`.
    Leave {
        /// The step.
        step: usize,
        /// The cut before the call.
        caller: usize,
    },
}

/// A way from one cut to another; `to` is `None` at the failing check.
pub(crate) struct Segment {
    pub(crate) from: usize,
    pub(crate) to: Option<usize>,
    pub(crate) way: Way,
}

/// See the module's documentation.
pub(crate) struct Folded {
    /// For each activation its frame.
    pub(crate) of_activation: Vec<usize>,
    /// Positions with relations; 0 is the entry.
    pub(crate) cuts: Vec<Cut>,
    /// The ways, in order of first occurrence.
    pub(crate) segments: Vec<Segment>,
}

fn is_call(step: PathStep) -> bool {
    !matches!(step, PathStep::Edge(..))
}

/// For each step the position before it, with `node` telling frames apart.
fn positions(program: &Program, path: &Path, node: impl Fn(usize) -> usize) -> Vec<Position> {
    let position = |(i, step): (usize, &PathStep)| match *step {
        PathStep::Edge(p, e) | PathStep::Enter(p, e, _) => (node(i), p, program.procs[p].edges[e].src),
        PathStep::Leave(_, _, callee) => (node(i), callee, program.procs[callee].exit),
    };
    path.steps.iter().enumerate().map(position).collect()
}

/// The moves between positions that the path makes.
fn moves(path: &Path, positions: &[Position]) -> BTreeSet<(Position, StepKey, Option<Position>)> {
    let steps = path.steps.iter().enumerate();
    steps.map(|(i, step)| (positions[i], step_key(*step), positions.get(i + 1).copied())).collect()
}

impl Folded {
    pub(crate) fn new(program: &Program, path: &Path, unfolding: &Unfolding<'_>, fold: Fold) -> Folded {
        let of_activation: Vec<usize> = match fold {
            Fold::Nothing => (0..unfolding.activations.len()).collect(),
            Fold::Procedures => unfolding.activations.iter().map(|a| a.proc.index()).collect(),
        };
        let positions = positions(program, path, |i| of_activation[unfolding.steps[i].activation]);
        let mut degrees: BTreeMap<Position, (usize, usize)> = BTreeMap::new();
        for (from, _, to) in &moves(path, &positions) {
            degrees.entry(*from).or_default().1 += 1;
            if let Some(to) = to {
                degrees.entry(*to).or_default().0 += 1;
            }
        }
        let mut out = Folded { of_activation, cuts: vec![], segments: vec![] };
        let mut numbers: BTreeMap<(Position, usize), usize> = BTreeMap::new();
        let mut cut_before = vec![None; path.steps.len()];
        for (i, step) in path.steps.iter().enumerate() {
            let by_call = is_call(*step) || i > 0 && is_call(path.steps[i - 1]);
            if i > 0 && !by_call && degrees[&positions[i]] == (1, 1) {
                continue;
            }
            let apart = if fold == Fold::Nothing { i } else { 0 };
            let number = *numbers.entry((positions[i], apart)).or_insert(out.cuts.len());
            if number == out.cuts.len() {
                let (node, p, l) = positions[i];
                out.cuts.push(Cut { node, is_exit: program.procs[p].exit == l, at: (p, l) });
            }
            cut_before[i] = Some(number);
        }
        out.connect(path, unfolding, &cut_before);
        out
    }

    fn connect(&mut self, path: &Path, unfolding: &Unfolding<'_>, cut_before: &[Option<usize>]) {
        let n = path.steps.len();
        let mut seen = BTreeSet::new();
        let mut begun: Option<usize> = None;
        for i in 0..n {
            let Some(cut) = cut_before[i] else { continue };
            if let Some(first) = begun.take() {
                let segment: &mut Segment = &mut self.segments[first];
                segment.to = Some(cut);
                if let Way::Run(steps) = &mut segment.way {
                    steps.end = i;
                }
            }
            let (way, caller) = match path.steps[i] {
                PathStep::Edge(..) => (Way::Run(i..n), None),
                PathStep::Enter(..) => (Way::Enter(i), None),
                PathStep::Leave(..) => {
                    let entered = unfolding.activations[unfolding.steps[i].activation].entered;
                    let caller = cut_before[entered].expect("there is a cut before every call");
                    (Way::Leave { step: i, caller }, Some(caller))
                }
            };
            // The check that fails in the end may have held before.
            if seen.insert((cut, step_key(path.steps[i]), caller, i + 1 == n)) {
                begun = Some(self.segments.len());
                self.segments.push(Segment { from: cut, to: None, way });
            }
        }
    }

    /// The steps of the segments, in order of the path.
    pub(crate) fn steps(&self) -> Vec<usize> {
        let mut out = vec![];
        for segment in &self.segments {
            match &segment.way {
                Way::Run(steps) => out.extend(steps.clone()),
                Way::Enter(step) | Way::Leave { step, .. } => out.push(*step),
            }
        }
        out
    }
}

/// Whether some procedure on the path can call itself.
pub(crate) fn is_recursive(oracle: &cmm::analysis::AliasOracle, unfolding: &Unfolding<'_>) -> bool {
    unfolding.activations.iter().any(|a| oracle.is_recursive(a.proc))
}

/// A number for the path's program with its procedures folded.
pub(crate) fn identity(program: &Program, path: &Path, unfolding: &Unfolding<'_>) -> u64 {
    let positions =
        positions(program, path, |i| unfolding.activations[unfolding.steps[i].activation].proc.index());
    let mut hasher = FxHasher::default();
    moves(path, &positions).hash(&mut hasher);
    hasher.finish()
}
