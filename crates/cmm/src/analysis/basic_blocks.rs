//! Basic blocks \[Allen70\]: parts of a procedure that are entered at their beginning only and left at their end only. Calls,
//! checks, assumptions that no branch makes, allocation and what comes from outside are blocks by themselves; heads of loops and
//! labels are boundaries, where readers expect to be told something.

use super::cells::CellKind;
use super::oracle::AliasOracle;
use crate::program::{EdgeId, LocId, Op, ProcId, Program};
use base::IndexVec;
use std::collections::BTreeSet;

/// What is put together, where a program is looked at part by part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocks {
    /// Each statement is a part.
    Statement,
    /// Each basic block is.
    Basic,
}

/// What an edge is in its block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InBlock {
    /// A block by itself.
    Alone,
    /// Others follow, this one last.
    Inner(EdgeId),
    /// The last of the block, which has these edges.
    Last(Vec<EdgeId>),
}

/// The basic blocks of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BasicBlocks {
    edges: IndexVec<ProcId, IndexVec<EdgeId, InBlock>>,
}

/// A block has this many edges at most, so that what is said of it stays small.
const MOST: usize = 64;

impl BasicBlocks {
    /// Each statement by itself.
    pub fn statements(program: &Program) -> BasicBlocks {
        let alone = |p| IndexVec::from_elem(InBlock::Alone, program.procs[p].edges.len());
        BasicBlocks { edges: program.procs.ids().map(alone).collect() }
    }

    /// Finds them. The oracle is the program's.
    pub fn new(program: &Program, oracle: &AliasOracle) -> BasicBlocks {
        BasicBlocks { edges: program.procs.ids().map(|p| of_procedure(program, oracle, p)).collect() }
    }

    /// What the edge is.
    pub fn of(&self, p: ProcId, e: EdgeId) -> &InBlock {
        &self.edges[p][e]
    }

    /// The edges of its block before this one.
    pub fn before(&self, p: ProcId, e: EdgeId) -> &[EdgeId] {
        let last = match self.of(p, e) {
            InBlock::Alone => return &[],
            InBlock::Inner(last) => *last,
            InBlock::Last(_) => e,
        };
        let InBlock::Last(edges) = self.of(p, last) else { unreachable!("a block ends with its last edge") };
        let at = edges.iter().position(|other| *other == e).expect("edges are in their blocks");
        &edges[..at]
    }

    /// The locations between the edges of blocks.
    pub fn inside(&self, program: &Program) -> BTreeSet<(ProcId, LocId)> {
        let procs = self.edges.iter_enumerated();
        let all = procs.flat_map(|(p, edges)| edges.iter_enumerated().map(move |(e, part)| (p, e, part)));
        let inner = all.filter(|(.., part)| matches!(part, InBlock::Inner(_)));
        inner.map(|(p, e, _)| (p, program.procs[p].edges[e].dst)).collect()
    }
}

fn of_procedure(program: &Program, oracle: &AliasOracle, p: ProcId) -> IndexVec<EdgeId, InBlock> {
    let proc = &program.procs[p];
    let (successors, predecessors) = (proc.successors(), proc.predecessors());
    let mut out = IndexVec::from_elem(InBlock::Alone, proc.edges.len());
    let goes_on_at = |l: LocId| {
        let location = &proc.locations[l];
        let (&[before], &[behind]) = (&predecessors[l][..], &successors[l][..]) else { return None };
        let is_boundary =
            l == proc.entry || l == proc.exit || location.loop_head || !location.labels.is_empty();
        let branches = 1 < successors[proc.edges[before].src].len();
        let both = !is_boundary && may_stand_inside(program, oracle, p, before, branches);
        (both && may_stand_inside(program, oracle, p, behind, false)).then_some(behind)
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
            let does_something = block.iter().filter(|e| proc.edges[**e].op != Op::Skip);
            if 1 < does_something.count() {
                let last = block[block.len() - 1];
                block.iter().for_each(|e| out[*e] = InBlock::Inner(last));
                out[last] = InBlock::Last(block.to_vec());
            }
        }
    }
    out
}

/// Whether what the edge does can be said as a formula over the state before its block. Conditions are those of branches, so that a
/// block begins with them; other assumptions may stand for checks that were decided already.
fn may_stand_inside(program: &Program, oracle: &AliasOracle, p: ProcId, e: EdgeId, branches: bool) -> bool {
    match &program.procs[p].edges[e].op {
        Op::Skip => true,
        Op::Assume(_) => branches,
        Op::Assign(lv, _) => match oracle.cell_kind(oracle.cell(lv)) {
            CellKind::Scalar { .. } => true,
            CellKind::Map { ty } => *ty == lv.ty || ty.is_ptr() && lv.ty.is_ptr(),
            CellKind::Opaque => false,
        },
        _ => false,
    }
}
