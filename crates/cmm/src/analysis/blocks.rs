//! Block operations as constraints: what they move depends on the layout of all that their pointers reach, so they are
//! looked at again whenever the solver has come to rest.

use super::constraints::{Block, Constraints};
use super::places::{PlaceId, Step};
use super::points_to::NodeId;
use crate::program::{EdgeId, Op, ProcId};
use crate::types::Type;

/// What a block operation can touch.
struct Regions {
    /// Known places, sorted.
    places: Vec<PlaceId>,
    /// What unknown pointers lead to as well.
    unknown: bool,
    /// The operation begins where the places begin.
    aligned: bool,
}

impl Constraints<'_> {
    /// Adds what the block operations move as the sets are now.
    pub(super) fn blocks(&mut self) {
        for p in self.program.procs.ids() {
            for e in self.program.procs[p].edges.ids() {
                if matches!(self.program.procs[p].edges[e].op, Op::MemSet { .. } | Op::MemCopy { .. }) {
                    self.block_edge(p, e);
                }
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

    /// A copy between different layouts: nothing is known of what lies where.
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
