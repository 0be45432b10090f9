//! The graph of a path: its positions, the moves between them, and the segments of steps between the positions that get
//! a relation in Horn clauses. All refiners that solve clauses work on it; what counts as one position is a choice ([`Fold`]).
//!
//! Cuts are where paths join or branch, and, where calls are steps of their own, before and behind each call. Between
//! two of them lies one segment.

use crate::refiners::unfold::Unfolding;
use alias::AliasOracle;
use base::Id;
use ir::{EdgeId, LocId, Path, PathStep, ProcId, Program};
use rustc_hash::FxHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// What counts as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fold {
    /// Every activation and every step is apart: the path as it is.
    Nothing,
    /// Locations of activations with the same calls around them: the program of the path \[BHMR07\], a loop wherever it
    /// comes back to a location. Calls are part of the segments.
    Loops,
    /// All activations of a procedure, and their locations: any depth of recursion, any number of iterations.
    Procedures,
}

/// A location of a frame.
pub(crate) type Position = (usize, ProcId, LocId);
/// A step, as something with an order.
type StepKey = (u8, ProcId, EdgeId);

/// A position with a relation.
pub(crate) struct Cut {
    /// The frame on top.
    pub frame: usize,
    /// Whether it is the exit of its procedure.
    pub is_exit: bool,
    /// The procedure and the location.
    pub at: (ProcId, LocId),
}

/// What leads from one cut to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// Steps, one after the other.
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

impl Way {
    /// Its steps, as they first occur on the path.
    pub(crate) fn steps(&self) -> Range<usize> {
        match self {
            Way::Run(steps) => steps.clone(),
            Way::Enter(step) | Way::Leave { step, .. } => *step..step + 1,
        }
    }
}

/// A way from one cut to another; `to` is `None` at the failing check.
pub(crate) struct Segment {
    pub from: usize,
    pub to: Option<usize>,
    pub way: Way,
}

/// See the module's documentation.
pub(crate) struct Graph {
    pub fold: Fold,
    /// For each activation its frame.
    pub frame_of: Vec<usize>,
    /// The caller's frame of each frame; of use only where frames are distinguished by it.
    callers: Vec<Option<usize>>,
    /// Positions with relations; 0 is the entry.
    pub cuts: Vec<Cut>,
    /// For each step the cut before it, if there is one.
    pub cut_before: Vec<Option<usize>>,
    /// In order of first occurrence.
    pub segments: Vec<Segment>,
}

fn step_key(step: PathStep) -> StepKey {
    match step {
        PathStep::Edge(p, e) => (0, p, e),
        PathStep::Enter(p, e, _) => (1, p, e),
        PathStep::Leave(p, e, _) => (2, p, e),
    }
}

/// The frames: which of them each activation is, and the frame of each frame's caller.
fn frames(path: &Path, unfolding: &Unfolding<'_>, fold: Fold) -> (Vec<usize>, Vec<Option<usize>>) {
    let activations = &unfolding.activations;
    match fold {
        Fold::Nothing => ((0..activations.len()).collect(), vec![]),
        Fold::Procedures => (activations.iter().map(|a| a.proc.index()).collect(), vec![]),
        Fold::Loops => {
            let (mut frame_of, mut callers) = (vec![0], vec![None]);
            let mut known: BTreeMap<(usize, StepKey), usize> = BTreeMap::new();
            for activation in &activations[1..] {
                let caller = activation.parent.map_or(0, |a| frame_of[a]);
                let call = step_key(path.steps[activation.entered]);
                frame_of.push(*known.entry((caller, call)).or_insert_with(|| {
                    callers.push(Some(caller));
                    callers.len() - 1
                }));
            }
            (frame_of, callers)
        }
    }
}

/// The positions that the path reaches, and its moves between them.
struct Moves {
    positions: Vec<Position>,
    set: BTreeSet<(Position, StepKey, Option<Position>)>,
}

impl Moves {
    fn new(program: &Program, path: &Path, unfolding: &Unfolding<'_>, frame_of: &[usize]) -> Moves {
        let position = |(i, step): (usize, &PathStep)| {
            let frame = frame_of[unfolding.steps[i].activation];
            match *step {
                PathStep::Edge(p, e) | PathStep::Enter(p, e, _) => (frame, p, program.procs[p].edges[e].src),
                PathStep::Leave(_, _, callee) => (frame, callee, program.procs[callee].exit),
            }
        };
        let positions: Vec<Position> = path.steps.iter().enumerate().map(position).collect();
        let steps = path.steps.iter().enumerate();
        let set =
            steps.map(|(i, step)| (positions[i], step_key(*step), positions.get(i + 1).copied())).collect();
        Moves { positions, set }
    }

    /// The positions where ways meet or part.
    fn branching(&self) -> BTreeSet<Position> {
        let mut degrees: BTreeMap<Position, (usize, usize)> = BTreeMap::new();
        for (from, _, to) in &self.set {
            degrees.entry(*from).or_default().1 += 1;
            if let Some(to) = to {
                degrees.entry(*to).or_default().0 += 1;
            }
        }
        degrees.into_iter().filter(|(_, degree)| *degree != (1, 1)).map(|(position, _)| position).collect()
    }

    fn has_loop(&self) -> bool {
        self.positions.iter().collect::<BTreeSet<_>>().len() < self.positions.len()
    }

    fn identity(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.set.hash(&mut hasher);
        hasher.finish()
    }
}

impl Graph {
    pub(crate) fn new(program: &Program, path: &Path, unfolding: &Unfolding<'_>, fold: Fold) -> Graph {
        let (frame_of, callers) = frames(path, unfolding, fold);
        let moves = Moves::new(program, path, unfolding, &frame_of);
        let branching = moves.branching();
        let mut out = Graph { fold, frame_of, callers, cuts: vec![], cut_before: vec![], segments: vec![] };
        let mut numbers: BTreeMap<(Position, usize), usize> = BTreeMap::new();
        let is_call = |i: usize| fold != Fold::Loops && !matches!(path.steps[i], PathStep::Edge(..));
        for (i, position) in moves.positions.into_iter().enumerate() {
            if i > 0 && !is_call(i) && !is_call(i - 1) && !branching.contains(&position) {
                out.cut_before.push(None);
                continue;
            }
            let apart = if fold == Fold::Nothing { i } else { 0 };
            let number = *numbers.entry((position, apart)).or_insert(out.cuts.len());
            if number == out.cuts.len() {
                let (frame, p, l) = position;
                out.cuts.push(Cut { frame, is_exit: program.procs[p].exit == l, at: (p, l) });
            }
            out.cut_before.push(Some(number));
        }
        out.connect(path, unfolding);
        out
    }

    /// The segments between the cuts.
    fn connect(&mut self, path: &Path, unfolding: &Unfolding<'_>) {
        let n = path.steps.len();
        let mut seen = BTreeSet::new();
        let mut begun: Option<usize> = None;
        for i in 0..n {
            let Some(cut) = self.cut_before[i] else { continue };
            if let Some(first) = begun.take() {
                let segment: &mut Segment = &mut self.segments[first];
                segment.to = Some(cut);
                if let Way::Run(steps) = &mut segment.way {
                    steps.end = i;
                }
            }
            let way = match path.steps[i] {
                PathStep::Enter(..) if self.fold != Fold::Loops => Way::Enter(i),
                PathStep::Leave(..) if self.fold != Fold::Loops => {
                    let entered = unfolding.activations[unfolding.steps[i].activation].entered;
                    let caller = self.cut_before[entered].expect("there is a cut before every call");
                    Way::Leave { step: i, caller }
                }
                _ => Way::Run(i..n),
            };
            let caller = if let Way::Leave { caller, .. } = way { Some(caller) } else { None };
            // The check that fails in the end may have held before.
            if seen.insert((cut, step_key(path.steps[i]), caller, i + 1 == n)) {
                begun = Some(self.segments.len());
                self.segments.push(Segment { from: cut, to: None, way });
            }
        }
    }

    /// The steps of the segments, in order of the path.
    pub(crate) fn steps(&self) -> Vec<usize> {
        self.segments.iter().flat_map(|segment| segment.way.steps()).collect()
    }

    /// Whether what lives in frame `of` can be seen where `frame` is on top: its own, and its callers' where calls are
    /// part of the segments.
    pub(crate) fn sees(&self, frame: usize, of: usize) -> bool {
        let caller = |f: &usize| self.callers.get(*f).copied().flatten();
        std::iter::successors(Some(frame), caller).any(|f| f == of)
    }
}

/// Whether some procedure on the path can call itself.
pub(crate) fn is_recursive(oracle: &AliasOracle, unfolding: &Unfolding<'_>) -> bool {
    unfolding.activations.iter().any(|a| oracle.is_recursive(a.proc))
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
    let recursive = is_recursive(oracle, unfolding);
    let fold = if recursive { Fold::Procedures } else { Fold::Loops };
    let moves = Moves::new(program, path, unfolding, &frames(path, unfolding, fold).0);
    (recursive || moves.has_loop()).then(|| moves.identity())
}
