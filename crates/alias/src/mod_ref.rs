//! MOD and REF sets over cells, and the call graph, from the points-to solution.
//!
//! The effect of undefined functions is one more procedure of the call graph: it reads and writes what escaped,
//! and calls the procedures that escaped. A callee cannot touch the private cells of its caller's activation,
//! also when it is the same procedure; they are left out at call edges.

use super::cells::{CellId, CellSet};
use super::constraints::{Block, EdgeInfo};
use super::oracle::{AliasOracle, OPAQUE, Object};
use super::points_to::{Site, SiteId};
use super::shape::normal;
use crate::points_to::block_operations::{self as blocks, BlockCells};
use base::{Id, IndexVec};
use ir::components as graph;
use ir::program::{EdgeId, Op, ProcId, Program, VarId};
use ir::visit;

/// Results of this module.
#[derive(Clone, Debug, Default)]
pub(super) struct ModRef {
    pub(super) edge_mods: IndexVec<ProcId, IndexVec<EdgeId, CellSet>>,
    pub(super) edge_refs: IndexVec<ProcId, IndexVec<EdgeId, CellSet>>,
    pub(super) mods: IndexVec<ProcId, CellSet>,
    pub(super) refs: IndexVec<ProcId, CellSet>,
    pub(super) escaped: CellSet,
    pub(super) recursive: IndexVec<ProcId, bool>,
    /// Variables that can have several instances at a time.
    pub(super) many: IndexVec<VarId, bool>,
    pub(super) callees: IndexVec<ProcId, Vec<ProcId>>,
    pub(super) callbacks: Vec<(ProcId, EdgeId, Vec<ProcId>)>,
    pub(super) block_cells: BlockCells,
}

/// Computes the sets; the oracle answers about cells already.
pub(super) fn compute(
    program: &Program,
    oracle: &AliasOracle,
    edges: &IndexVec<ProcId, IndexVec<EdgeId, EdgeInfo>>,
    sites: &IndexVec<SiteId, Site>,
) -> ModRef {
    let mut own = ModRef::default();
    for (p, proc) in program.procs.iter_enumerated() {
        let (mut mods, mut refs) = (IndexVec::new(), IndexVec::new());
        for (e, edge) in proc.edges.iter_enumerated() {
            mods.push(written(oracle, &edge.op, &edges[p][e]));
            refs.push(read(oracle, &edge.op, &edges[p][e]));
        }
        own.edge_mods.push(mods);
        own.edge_refs.push(refs);
    }
    let graph = CallGraph::new(program, oracle, edges, sites);
    let outside = program.procs.len();
    let escaped = escaped_cells(oracle);
    let seed = |sets: &IndexVec<ProcId, IndexVec<EdgeId, CellSet>>| {
        let mut all: Vec<CellSet> = sets.iter().map(union).collect();
        all.push(escaped.clone());
        all
    };
    let (mods, refs) = (seed(&own.edge_mods), seed(&own.edge_refs));
    let (mods, refs) = (graph.close(oracle, mods), graph.close(oracle, refs));
    for (p, proc) in program.procs.iter_enumerated() {
        for e in proc.edges.ids() {
            for callee in graph.targets_of_edge(program, &edges[p][e], sites, outside) {
                own.edge_mods[p][e].extend_from(&shared(oracle, &mods[callee]));
                own.edge_refs[p][e].extend_from(&shared(oracle, &refs[callee]));
            }
        }
    }
    own.escaped = escaped;
    let take = |sets: Vec<CellSet>| sets.into_iter().take(outside).collect();
    (own.mods, own.refs) = (take(mods), take(refs));
    own.recursive = program.procs.ids().map(|p| graph.recursive[p.index()]).collect();
    own.many = program.vars.iter().map(|v| v.proc().is_some_and(|p| own.recursive[p])).collect();
    own.callees = program.procs.ids().map(|p| graph.procs_called(p)).collect();
    own.callbacks = callbacks(program, oracle, edges, sites);
    own.block_cells = blocks::written(program, oracle, edges);
    own
}

fn union(sets: &IndexVec<EdgeId, CellSet>) -> CellSet {
    let mut all = CellSet::new();
    for set in sets {
        all.extend_from(set);
    }
    all
}

/// The set without the cells that only the activation itself can name.
fn shared(oracle: &AliasOracle, set: &CellSet) -> CellSet {
    set.iter().filter(|c| !oracle.is_private(*c)).collect()
}

/// Cells that the edge itself writes, callees left out.
fn written(oracle: &AliasOracle, op: &Op, info: &EdgeInfo) -> CellSet {
    let mut cells: CellSet = op.destination().map(|lv| oracle.cell(lv)).into_iter().collect();
    if let Some(block) = &info.written {
        let whole = matches!(op, Op::Alloc { .. } | Op::Free(_));
        add_block(oracle, block, whole, &mut cells);
    }
    cells
}

/// Cells that the edge itself reads, callees left out.
fn read(oracle: &AliasOracle, op: &Op, info: &EdgeInfo) -> CellSet {
    let mut cells = CellSet::new();
    visit::loads(op, &mut |lv| _ = cells.insert(oracle.cell(&normal(lv))));
    if let Some(block) = &info.read {
        add_block(oracle, block, false, &mut cells);
    }
    cells
}

fn add_block(oracle: &AliasOracle, block: &Block, whole: bool, cells: &mut CellSet) {
    let Some(pointer) = block.pointer else { return };
    let places = oracle.places();
    for target in oracle.solution().set(pointer) {
        if *target == places.external() {
            cells.extend_from(&escaped_cells(oracle));
            continue;
        }
        let region = if whole && !places.is_func(*target) {
            Some(places.object_of(*target).root)
        } else {
            let region = places.region(*target, &block.elem, block.len);
            // Places that were never made are accessed nowhere.
            region.and_then(|region| places.look_up(&region.at))
        };
        let leaves = region.into_iter().flat_map(|r| places.leaves(r));
        leaves.for_each(|leaf| {
            cells.insert(oracle.cell_of_place(leaf));
        });
    }
}

/// The cells that undefined functions can reach.
fn escaped_cells(oracle: &AliasOracle) -> CellSet {
    let places = oracle.places();
    let mut cells: CellSet = [CellId::from_index(OPAQUE)].into_iter().collect();
    for obj in places.objs.iter().filter(|o| o.escaped && !matches!(o.what, Object::Func(_))) {
        for place in &obj.places {
            cells.insert(oracle.cell_of_place(places.canon(*place)));
        }
    }
    cells
}

/// Escaped procedures with a body.
fn escaped_procs(program: &Program, oracle: &AliasOracle) -> Vec<ProcId> {
    let mut procs: Vec<ProcId> = vec![];
    for obj in oracle.places().objs.iter().filter(|o| o.escaped) {
        if let Object::Func(p) = obj.what
            && program.procs[p].has_body
        {
            procs.push(p);
        }
    }
    procs.sort_unstable();
    procs
}

fn callbacks(
    program: &Program,
    oracle: &AliasOracle,
    edges: &IndexVec<ProcId, IndexVec<EdgeId, EdgeInfo>>,
    sites: &IndexVec<SiteId, Site>,
) -> Vec<(ProcId, EdgeId, Vec<ProcId>)> {
    let procs = escaped_procs(program, oracle);
    let mut out = vec![];
    if procs.is_empty() {
        return out;
    }
    for (p, infos) in edges.iter_enumerated() {
        for (e, info) in infos.iter_enumerated() {
            let Some(site) = info.site.map(|s| &sites[s]) else { continue };
            if site.unknown || site.callees.iter().any(|q| !program.procs[*q].has_body) {
                out.push((p, e, procs.clone()));
            }
        }
    }
    out
}

/// The call graph; the number behind the last procedure is the outside.
struct CallGraph {
    succs: Vec<Vec<usize>>,
    recursive: Vec<bool>,
}

impl CallGraph {
    fn new(
        program: &Program,
        oracle: &AliasOracle,
        edges: &IndexVec<ProcId, IndexVec<EdgeId, EdgeInfo>>,
        sites: &IndexVec<SiteId, Site>,
    ) -> CallGraph {
        let outside = program.procs.len();
        let mut graph = CallGraph { succs: vec![vec![]; outside + 1], recursive: vec![] };
        for (p, infos) in edges.iter_enumerated() {
            let mut succs: Vec<usize> = vec![];
            for info in infos {
                succs.extend(graph.targets_of_edge(program, info, sites, outside));
            }
            succs.sort_unstable();
            succs.dedup();
            graph.succs[p.index()] = succs;
        }
        graph.succs[outside] = escaped_procs(program, oracle).into_iter().map(Id::index).collect();
        graph.recursive = graph::cyclic(&graph.succs);
        graph
    }

    fn targets_of_edge(
        &self,
        program: &Program,
        info: &EdgeInfo,
        sites: &IndexVec<SiteId, Site>,
        outside: usize,
    ) -> Vec<usize> {
        let Some(site) = info.site.map(|s| &sites[s]) else { return vec![] };
        let mut targets: Vec<usize> = site
            .callees
            .iter()
            .map(|q| if program.procs[*q].has_body { q.index() } else { outside })
            .collect();
        if site.unknown {
            targets.push(outside);
        }
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// The procedures with body that the procedure calls itself.
    fn procs_called(&self, p: ProcId) -> Vec<ProcId> {
        let outside = self.succs.len() - 1;
        self.succs[p.index()].iter().filter(|q| **q != outside).map(|q| ProcId::from_index(*q)).collect()
    }

    /// Adds to each procedure's set what its callees' sets share, callees first, until nothing changes.
    fn close(&self, oracle: &AliasOracle, mut sets: Vec<CellSet>) -> Vec<CellSet> {
        let component = graph::components(&self.succs);
        let mut order: Vec<usize> = (0..sets.len()).collect();
        order.sort_by_key(|v| component[*v]);
        let mut changed = true;
        while changed {
            changed = false;
            for v in &order {
                for callee in &self.succs[*v] {
                    let from = shared(oracle, &sets[*callee]);
                    changed |= sets[*v].extend_from(&from);
                }
            }
        }
        sets
    }
}
