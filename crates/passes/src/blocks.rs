//! Blocks of a procedure, for passes that work part by part: each statement by itself, basic blocks
//! \[Allen70\], or parts without loops and calls as in large-block encoding \[BCGKS09\]. A block is entered at
//! its beginning only. Calls and allocation are blocks by themselves, and loop heads are boundaries.

use alias::cells::CellKind;
use alias::oracle::AliasOracle;
use base::IndexVec;
use ir::expr::{BinOp, Expr};
use ir::program::{Edge, EdgeId, LocId, Location, Op, Proc, ProcId, Program};
use ir::visit;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The granularity of blocks, where a program is processed part by part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocks {
    /// Each statement is a part.
    Statement,
    /// Each basic block is. Checks, inputs and assumptions that are not part of a branch are blocks by
    /// themselves, and labels are boundaries, where readers expect results.
    Basic,
    /// Each part without loops and calls is, with the branches, checks and inputs in it. Labels where paths meet are boundaries.
    Loops,
}

/// The blocks of a program, by the locations between their edges. A block is entered at its beginning only; until its last edge it may
/// branch, and its branches may meet again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    inside: IndexVec<ProcId, BTreeSet<LocId>>,
}

/// A path of a block has at most this many edges, so that its description stays small.
const MOST: usize = 64;

/// At most this many paths of a block may meet at a location.
const PATHS: usize = 8;

/// A procedure with more quotients, remainders and products of unknown numbers than this has basic blocks: a
/// query about several of them may use up the prover's whole resource limit.
const MOST_HARD: usize = 8;

impl Partition {
    /// The blocks of the program, whose oracle this is.
    pub fn new(program: &Program, oracle: &AliasOracle, what: Blocks) -> Partition {
        let of_procedure = |p: ProcId| match what {
            Blocks::Statement => BTreeSet::new(),
            Blocks::Basic => basic(&Procedure::new(program, oracle, p)),
            Blocks::Loops => {
                let procedure = Procedure::new(program, oracle, p);
                if procedure.is_hard() { basic(&procedure) } else { loops(&procedure) }
            }
        };
        Partition { inside: program.procs.ids().map(of_procedure).collect() }
    }

    /// Whether the location is one between the edges of a block.
    pub fn is_inside(&self, p: ProcId, l: LocId) -> bool {
        self.inside[p].contains(&l)
    }

    /// The program with each block unfolded to a tree, each of whose paths is executed as a whole: where paths
    /// meet inside of a block, the rest is copied for each of them. Locations and edges keep their numbers, and
    /// copies come behind them.
    pub fn unfold<'a>(&self, program: &'a Program) -> (Cow<'a, Program>, Unfolded) {
        let mut out = Cow::Borrowed(program);
        let mut parts = IndexVec::new();
        for (p, proc) in program.procs.iter_enumerated() {
            let (unfolded, parts_of_proc) = unfold(proc, &self.inside[p]);
            parts.push(parts_of_proc);
            if let Some(unfolded) = unfolded {
                out.to_mut().procs[p] = unfolded;
            }
        }
        (out, Unfolded { parts })
    }
}

/// The blocks of a program in which they are trees.
pub struct Unfolded {
    parts: IndexVec<ProcId, IndexVec<EdgeId, Part>>,
}

/// The role of an edge in its block.
struct Part {
    /// The edge that it is, or is a copy of.
    original: EdgeId,
    /// The edge before it in its block.
    before: Option<EdgeId>,
    /// Whether the block ends with it.
    is_last: bool,
}

impl Unfolded {
    /// The edge that this one is, or is a copy of.
    pub fn original(&self, p: ProcId, e: EdgeId) -> EdgeId {
        self.parts[p][e].original
    }

    /// The edges of its block before this one, from the root.
    pub fn before(&self, p: ProcId, e: EdgeId) -> Vec<EdgeId> {
        let parts = &self.parts[p];
        let mut out: Vec<EdgeId> = std::iter::successors(parts[e].before, |e| parts[*e].before).collect();
        out.reverse();
        out
    }

    /// Whether it is a block by itself.
    pub fn is_alone(&self, p: ProcId, e: EdgeId) -> bool {
        let part = &self.parts[p][e];
        part.before.is_none() && part.is_last
    }

    /// Whether a block ends with it.
    pub fn is_last(&self, p: ProcId, e: EdgeId) -> bool {
        self.parts[p][e].is_last
    }
}

/// The procedure with its blocks unfolded, if that makes a difference.
fn unfold(proc: &Proc, inside: &BTreeSet<LocId>) -> (Option<Proc>, IndexVec<EdgeId, Part>) {
    let successors = proc.successors();
    let mut out: Option<Proc> = None;
    let alone = |original: EdgeId| Part { original, before: None, is_last: true };
    let mut parts: IndexVec<EdgeId, Part> = proc.edges.ids().map(alone).collect();
    let ends = |l: &LocId| *l != proc.exit && !inside.contains(l);
    let roots = proc.reverse_post_order(&successors).into_iter().filter(ends);
    let mut pending: Vec<EdgeId> = roots.flat_map(|l| &successors[l]).copied().collect();
    let mut entered = BTreeSet::new();
    while let Some(edge) = pending.pop() {
        let at = proc.edges[parts[edge].original].dst;
        if !inside.contains(&at) {
            continue;
        }
        parts[edge].is_last = false;
        if entered.insert(at) {
            for e in &successors[at] {
                parts[*e].before = Some(edge);
                pending.push(*e);
            }
        } else {
            let out = out.get_or_insert_with(|| proc.clone());
            let src = out.locations.push(Location { labels: vec![], ..proc.locations[at].clone() });
            out.edges[edge].dst = src;
            for e in &successors[at] {
                parts.push(Part { before: Some(edge), ..alone(*e) });
                pending.push(out.edges.push(Edge { src, ..proc.edges[*e].clone() }));
            }
        }
    }
    (out, parts)
}

struct Procedure<'a> {
    oracle: &'a AliasOracle,
    proc: &'a Proc,
    successors: IndexVec<LocId, Vec<EdgeId>>,
    predecessors: IndexVec<LocId, Vec<EdgeId>>,
}

impl<'a> Procedure<'a> {
    fn new(program: &'a Program, oracle: &'a AliasOracle, p: ProcId) -> Procedure<'a> {
        let proc = &program.procs[p];
        Procedure { oracle, proc, successors: proc.successors(), predecessors: proc.predecessors() }
    }

    fn does_something(&self, e: EdgeId) -> bool {
        self.proc.edges[e].op != Op::Skip
    }

    /// Whether a procedure or an iteration of a loop begins or ends there.
    fn is_boundary(&self, l: LocId) -> bool {
        l == self.proc.entry || l == self.proc.exit || self.proc.locations[l].loop_head
    }

    /// Whether there are many operations that are hard for the prover.
    fn is_hard(&self) -> bool {
        let is_constant = |e: &Expr| matches!(e, Expr::Const(..));
        let mut hard = 0;
        for edge in &self.proc.edges {
            visit::nodes(&edge.op, &mut |e| {
                hard += usize::from(match e {
                    Expr::Binary(BinOp::Div | BinOp::Rem, l, r, _) => !is_constant(l) || !is_constant(r),
                    Expr::Binary(BinOp::Mul, l, r, _) => !is_constant(l) && !is_constant(r),
                    _ => false,
                });
            });
        }
        MOST_HARD < hard
    }

    /// Whether the edge can be expressed as a formula over the state before its block, and the values chosen in it.
    fn is_expressible(&self, e: EdgeId) -> bool {
        match &self.proc.edges[e].op {
            Op::Skip | Op::Assume(_) | Op::Check(..) => true,
            Op::Assign(lv, _) | Op::Havoc(lv, _) => match self.oracle.cell_kind(self.oracle.cell(lv)) {
                CellKind::Scalar { .. } => true,
                CellKind::Map { ty } => *ty == lv.ty || ty.is_ptr() && lv.ty.is_ptr(),
                CellKind::Opaque => false,
            },
            _ => false,
        }
    }
}

fn basic(procedure: &Procedure<'_>) -> BTreeSet<LocId> {
    let Procedure { proc, successors, predecessors, .. } = procedure;
    let mut out = BTreeSet::new();
    // Conditions are those of branches, so that a block begins with them; other assumptions may stand for checks that were decided
    // already.
    let may_stand_inside = |e: EdgeId, branches: bool| match &proc.edges[e].op {
        Op::Assume(_) => branches,
        Op::Check(..) | Op::Havoc(..) => false,
        _ => procedure.is_expressible(e),
    };
    let goes_on_at = |l: LocId| {
        let (&[before], &[behind]) = (&predecessors[l][..], &successors[l][..]) else { return None };
        let branches = 1 < successors[proc.edges[before].src].len();
        let is_boundary = procedure.is_boundary(l) || !proc.locations[l].labels.is_empty();
        let both = !is_boundary && may_stand_inside(before, branches);
        (both && may_stand_inside(behind, false)).then_some(behind)
    };
    for (first, edge) in proc.edges.iter_enumerated() {
        if goes_on_at(edge.src).is_some() {
            continue;
        }
        let mut block = vec![first];
        let mut end = edge.dst;
        while let Some(next) = goes_on_at(end) {
            block.push(next);
            end = proc.edges[next].dst;
        }
        for block in block.chunks(MOST) {
            if 1 < block.iter().filter(|e| procedure.does_something(**e)).count() {
                out.extend(block[1..].iter().map(|e| proc.edges[*e].src));
            }
        }
    }
    out
}

/// The paths of a block to a location inside of it.
#[derive(Clone, Copy)]
struct Paths {
    /// How many there are.
    number: usize,
    /// The edges of the longest.
    length: usize,
}

fn loops(procedure: &Procedure<'_>) -> BTreeSet<LocId> {
    let Procedure { proc, successors, predecessors, .. } = procedure;
    let order = proc.reverse_post_order(successors);
    let mut position = IndexVec::from_elem(None, proc.locations.len());
    order.iter().enumerate().for_each(|(i, l)| position[*l] = Some(i));
    let mut inside: BTreeMap<LocId, Paths> = BTreeMap::new();
    for (i, l) in order.iter().enumerate() {
        let into: Vec<EdgeId> =
            predecessors[*l].iter().copied().filter(|e| position[proc.edges[*e].src].is_some()).collect();
        // The first location of a loop without a loop statement is reached by an edge from behind.
        let goes_back = into.iter().any(|e| position[proc.edges[*e].src] >= Some(i));
        let mut all = into.iter().chain(&successors[*l]);
        if procedure.is_boundary(*l)
            || goes_back
            || successors[*l].is_empty()
            || !all.all(|e| procedure.is_expressible(*e))
        {
            continue;
        }
        let mut paths = Paths { number: 0, length: 0 };
        let mut is_begun = false;
        for e in &into {
            let before = inside.get(&proc.edges[*e].src);
            paths.number += before.map_or(1, |paths| paths.number);
            paths.length = paths.length.max(before.map_or(0, |paths| paths.length) + 1);
            is_begun |= before.is_some() || procedure.does_something(*e);
        }
        // There is one of each label.
        let most = if proc.locations[*l].labels.is_empty() { PATHS } else { 1 };
        if is_begun && paths.number <= most && paths.length < MOST {
            inside.insert(*l, paths);
        }
    }
    // A block ends with an edge that does something.
    for l in order.iter().rev() {
        let goes_on = |e: &EdgeId| procedure.does_something(*e) || inside.contains_key(&proc.edges[*e].dst);
        if !successors[*l].iter().any(goes_on) {
            inside.remove(l);
        }
    }
    inside.into_keys().collect()
}
