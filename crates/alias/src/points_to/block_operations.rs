//! Block operations. As constraints, what they move depends on the layout of everything that their pointers
//! reach, so they are processed again whenever the solver has reached a fixed point. In the solution they write
//! cells, for which it is known where in the bytes they lie.

use super::{NodeId, Solution};
use crate::byte_offsets::gcd;
use crate::cells::CellId;
use crate::constraints::{Block, Constraints, EdgeInfo};
use crate::oracle::{AliasOracle, Object};
use crate::places::{PlaceId, Places, Step};
use base::IndexVec;
use ir::program::{EdgeId, Op, ProcId, Program};
use ir::types::Type;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The places that a block operation can touch.
struct Regions {
    /// Known places, sorted.
    places: Vec<PlaceId>,
    /// The targets of unknown pointers as well.
    unknown: bool,
    /// The operation begins where the places begin.
    aligned: bool,
}

impl Constraints<'_> {
    /// Adds what the block operations move as the sets are now.
    pub(crate) fn blocks(&mut self) {
        let program = self.program;
        for (p, e, edge) in program.edges() {
            if matches!(edge.op, Op::MemSet { .. } | Op::MemCopy { .. }) {
                self.block_edge(p, e);
            }
        }
    }

    fn block_edge(&mut self, p: ProcId, e: EdgeId) {
        let info = self.edges[p][e].clone();
        self.solver.places.now = Some((p, e));
        let Regions { places: dsts, unknown: unknown_dst, aligned: dsts_aligned } =
            self.regions(info.written.as_ref());
        let Regions { places: srcs, unknown: unknown_src, aligned: srcs_aligned } =
            self.regions(info.read.as_ref());
        if unknown_dst {
            self.solver.deref_unknown(true);
        }
        if unknown_src {
            self.solver.deref_unknown(false);
        }
        if info.read.is_none() {
            return;
        }
        let external = self.solver.places.external();
        let outside = self.solver.value(external);
        for (on, regions, inward) in [(unknown_src, &dsts, true), (unknown_dst, &srcs, false)] {
            for leaf in
                regions.iter().filter(|_| on).flat_map(|r| self.solver.places.leaves(*r)).collect::<Vec<_>>()
            {
                let value = self.solver.value(leaf);
                if inward {
                    self.solver.flow(outside, value)
                } else {
                    self.solver.flow(value, outside)
                };
            }
        }
        if dsts_aligned && srcs_aligned {
            self.copy((p, e), &srcs, &dsts);
        } else if !srcs.is_empty() && !dsts.is_empty() {
            self.copy_blobs((p, e), &srcs, &dsts);
        }
    }

    /// The places that the block can be, arrays replaced by their elements.
    fn regions(&mut self, block: Option<&Block>) -> Regions {
        let mut regions = Regions { places: vec![], unknown: false, aligned: true };
        let Some(Block { pointer: Some(pointer), elem, len }) = block else { return regions };
        for target in self.solver.current(*pointer) {
            if target == self.solver.places.external() {
                regions.unknown = true;
            } else if let Some(region) = self.solver.places.region(target, elem, *len) {
                regions.aligned &= region.aligned;
                let mut place = self.solver.places.realise(&region.at);
                while matches!(self.solver.places.places[place].ty, Some(Type::Array(..)))
                    && !self.solver.places.is_blob(place)
                {
                    place = self.solver.places.child(place, Step::Elem);
                }
                regions.places.push(place);
            }
        }
        self.solver.settle();
        regions.places.sort_unstable();
        regions.places.dedup();
        regions
    }

    fn copy(&mut self, edge: (ProcId, EdgeId), srcs: &[PlaceId], dsts: &[PlaceId]) {
        if srcs.is_empty() || dsts.is_empty() {
            return;
        }
        let places = &mut self.solver.places;
        let all: Vec<PlaceId> = srcs.iter().chain(dsts).copied().collect();
        let Some(layout) =
            all.iter().filter(|p| !places.is_blob(**p)).find_map(|p| places.places[*p].ty.clone())
        else {
            return self.copy_blobs(edge, srcs, dsts);
        };
        for place in &all {
            if !places.is_blob(*place) && places.places[*place].ty.is_none() {
                places.fit_mut(*place, &layout);
            }
        }
        let alike = all.iter().all(|p| {
            !places.is_blob(*p)
                && places.places[*p].ty.as_ref().is_some_and(|t| places.same_layout(t, &layout, false))
        });
        if !alike {
            return self.copy_blobs(edge, srcs, dsts);
        }
        for src in srcs {
            for leaf in self.solver.places.leaves(*src) {
                let steps = self.solver.places.steps_between(*src, leaf);
                let from = self.solver.value(leaf);
                let hub = self.hub(edge, steps.clone());
                self.solver.flow(from, hub);
                for dst in dsts {
                    let to = steps.iter().fold(*dst, |place, step| self.solver.places.child(place, *step));
                    if self.solver.places.is_blob(leaf) {
                        self.solver.make_blob(to);
                    }
                    self.solver.settle();
                    let to = self.solver.value(to);
                    self.solver.flow(hub, to);
                }
            }
        }
    }

    /// A copy between different layouts: it is unknown which bytes go to which place.
    fn copy_blobs(&mut self, edge: (ProcId, EdgeId), srcs: &[PlaceId], dsts: &[PlaceId]) {
        let untyped = |this: &Self, p: PlaceId| {
            let places = &this.solver.places;
            !places.is_blob(p) && places.places[places.canon(p)].ty.is_none()
        };
        if srcs.iter().chain(dsts).all(|p| untyped(self, *p)) {
            return;
        }
        let hub = self.hub(edge, vec![]);
        for src in srcs {
            self.solver.make_blob(*src);
            let from = self.solver.value(*src);
            self.solver.flow(from, hub);
        }
        for dst in dsts {
            self.solver.make_blob(*dst);
            let to = self.solver.value(*dst);
            self.solver.flow(hub, to);
        }
    }

    fn hub(&mut self, (p, e): (ProcId, EdgeId), steps: Vec<Step>) -> NodeId {
        if let Some(hub) = self.hubs.get(&(p, e, steps.clone())) {
            return *hub;
        }
        let hub = self.solver.node();
        self.hubs.insert((p, e, steps), hub);
        hub
    }
}

/// The positions of a cell's locations in the bytes that a block operation writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockCell {
    /// Divides the size of the locations and the distances in bytes from the start of the operation to each of them.
    pub step: u64,
    /// None begins before the operation does and reaches into it.
    pub aligned: bool,
    /// For copies: what is read for each of them is a location of the same cell.
    pub copied: bool,
}

/// For each block operation the cells in the bytes that it writes.
pub(crate) type BlockCells = FxHashMap<(ProcId, EdgeId), BTreeMap<CellId, BlockCell>>;

/// Finds the cells in the bytes that block operations write.
pub(crate) fn written(
    program: &Program,
    oracle: &AliasOracle,
    edges: &IndexVec<ProcId, IndexVec<EdgeId, EdgeInfo>>,
) -> BlockCells {
    let mut out = BlockCells::default();
    for (p, e, edge) in program.edges() {
        let info = &edges[p][e];
        if let (Op::Alloc { .. } | Op::MemSet { .. } | Op::MemCopy { .. }, Some(block)) =
            (&edge.op, &info.written)
        {
            let cells = written_cells(oracle, block, info.read.as_ref());
            out.insert((p, e), cells.unwrap_or_default());
        }
    }
    out
}

/// The places where a block can be, elements for arrays, and whether it begins there; `None` if it can be somewhere
/// unknown.
fn regions(places: &Places, solution: &Solution, block: &Block) -> Option<Vec<(PlaceId, bool)>> {
    let mut out = vec![];
    for target in block.pointer.map_or(&[][..], |pointer| solution.set(pointer)) {
        if *target == places.external() {
            return None;
        }
        let Some(region) = places.region(*target, &block.elem, block.len) else { continue };
        let Some(mut place) = places.look_up(&region.at) else { continue };
        while matches!(places.places[place].ty, Some(Type::Array(..)))
            && let Some(elem) = places.find_child(place, Step::Elem)
            && elem != place
        {
            place = elem;
        }
        out.push((place, region.aligned));
    }
    Some(out)
}

/// Pairs of leaves between which a library function copies as many bytes as it finds, as `realloc` does: where they lie alike in two
/// allocated objects, they had better be one cell, so that what is copied is known.
pub(crate) fn copied_alike(
    program: &Program,
    places: &Places,
    solution: &Solution,
    edges: &IndexVec<ProcId, IndexVec<EdgeId, EdgeInfo>>,
) -> Vec<(PlaceId, PlaceId)> {
    let mut out = vec![];
    for (p, e, edge) in program.edges() {
        let (Op::MemCopy { .. }, EdgeInfo { written: Some(written), read: Some(read), .. }) =
            (&edge.op, &edges[p][e])
        else {
            continue;
        };
        if !program.procs[p].is_model() || written.len.is_some() {
            continue;
        }
        let Some((to, from)) = regions(places, solution, written).zip(regions(places, solution, read)) else {
            continue;
        };
        let is_heap = |(place, aligned): &&(PlaceId, bool)| {
            *aligned && matches!(places.object_of(*place).what, Object::Heap(..))
        };
        for (to, _) in to.iter().filter(is_heap) {
            for (from, _) in from.iter().filter(is_heap).filter(|(from, _)| places.alike(*to, *from)) {
                for leaf in places.leaves(*to) {
                    let steps = places.steps_between(*to, leaf);
                    let source = steps.iter().try_fold(*from, |at, step| places.find_child(at, *step));
                    out.extend(source.map(|source| (leaf, places.canon(source))));
                }
            }
        }
    }
    out
}

fn written_cells(
    oracle: &AliasOracle,
    written: &Block,
    read: Option<&Block>,
) -> Option<BTreeMap<CellId, BlockCell>> {
    let places = oracle.places();
    let regions = |block| regions(places, oracle.solution(), block);
    let sources = read.map(regions);
    let mut cells: BTreeMap<CellId, BlockCell> = BTreeMap::new();
    for (region, aligned) in regions(written)? {
        for leaf in places.leaves(region) {
            let cell = oracle.cell_of_place(leaf);
            let steps = places.steps_between(region, leaf);
            let alike = |(src, aligned): &(PlaceId, bool)| {
                let from = steps.iter().try_fold(*src, |at, step| places.find_child(at, *step));
                *aligned
                    && places.alike(region, *src)
                    && from.is_some_and(|from| oracle.cell_of_place(places.canon(from)) == cell)
            };
            let copied = aligned
                && matches!(&sources, Some(Some(sources)) if !sources.is_empty() && sources.iter().all(alike));
            let step = if aligned { places.inner_step(region, leaf) } else { 1 };
            let entry = cells.entry(cell).or_insert(BlockCell { step, aligned, copied });
            *entry = BlockCell {
                step: gcd(entry.step, step),
                aligned: entry.aligned && aligned,
                copied: entry.copied && copied,
            };
        }
    }
    Some(cells)
}
