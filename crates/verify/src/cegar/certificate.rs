//! A certificate from the model checker's path edges: for each location the set at the first statement that was written
//! for it, over predicates and their values at the entry; variables that serve calls are forgotten.

use crate::cegar::Subject;
use crate::cegar::candidates::fact_in_mode;
use crate::cegar::loop_invariants::{Names, first_vertices};
use alias::CellSet;
use bebop::{Reached, Stopped, When};
use bp::{Cfg, VertexId};
use c2bp::Abstraction;
pub(crate) use certificate::{Certificate, Literal, Node, Sets};
use ir::{Expr, LocId, ProcId};
use predicates::Precision;
use std::collections::{BTreeMap, BTreeSet};

/// The certificate of an abstraction whose reachable states are these.
///
/// # Errors
/// When the run was stopped.
pub(crate) fn make(
    task: &Subject<'_>,
    abstraction: &Abstraction,
    precision: &Precision,
    cfg: &Cfg,
    reached: &mut Reached<'_>,
) -> Result<Certificate, Stopped> {
    let mut vertices: BTreeMap<ProcId, Vec<(LocId, VertexId)>> = BTreeMap::new();
    let mut passed: BTreeMap<ProcId, BTreeSet<LocId>> = BTreeMap::new();
    for ((p, l), vertex) in first_vertices(task.program, abstraction, cfg) {
        if abstraction.blocks.is_inside(p, l) {
            passed.entry(p).or_default().insert(l);
        } else if reached.is_reached(vertex) {
            vertices.entry(p).or_default().push((l, vertex));
        }
    }
    let mut out = Certificate::default();
    for (p, list) in vertices {
        let maker = Maker { task, names: Names { abstraction, precision, cfg, p } };
        let mut sets = maker.sets(&list, reached)?;
        sets.passed = passed.remove(&p).unwrap_or_default();
        out.procs.insert(p, sets);
    }
    Ok(out)
}

/// What facts say of the locations of a procedure.
struct Facts {
    /// The numbers of the literals at each location; none where no execution comes.
    literals: BTreeMap<LocId, BTreeSet<usize>>,
    known: bool,
}

impl Facts {
    /// Adds their conditions behind all other literals.
    fn new(task: &Subject<'_>, p: ProcId, list: &[(LocId, VertexId)], sets: &mut Sets) -> Facts {
        let mut out = Facts { literals: BTreeMap::new(), known: task.facts.is_some() };
        let Some(facts) = task.facts else { return out };
        let mut numbers: BTreeMap<Expr, usize> = BTreeMap::new();
        for (l, _) in list {
            let Some(conditions) = facts.at(p, *l) else { continue };
            if facts.is_partly_said(p, *l) {
                sets.partial.insert(*l);
            }
            let mut number = |e: &Expr| {
                let expr = fact_in_mode(e.clone(), task.mode)?;
                Some(*numbers.entry(expr.clone()).or_insert_with(|| {
                    sets.literals.push(Literal { expr, at_entry: false });
                    sets.literals.len() - 1
                }))
            };
            let literals: BTreeSet<usize> = conditions.iter().filter_map(&mut number).collect();
            if literals.len() < conditions.len() {
                sets.partial.insert(*l);
            }
            out.literals.insert(*l, literals);
        }
        out
    }

    /// The number of the set of a location in which all of them hold.
    fn set(&self, l: LocId, sets: &mut Sets) -> usize {
        match self.literals.get(&l) {
            Some(literals) => literals.iter().rev().fold(1, |high, literal| {
                let node = Node { literal: *literal, low: 0, high };
                sets.nodes.add(node).expect("literals are in order")
            }),
            None => usize::from(!self.known),
        }
    }
}

struct Maker<'a> {
    task: &'a Subject<'a>,
    names: Names<'a>,
}

impl Maker<'_> {
    fn sets(&self, list: &[(LocId, VertexId)], reached: &mut Reached<'_>) -> Result<Sets, Stopped> {
        let (Names { cfg, p, .. }, mut sets) = (self.names, Sets::default());
        let Some((_, vertex)) = list.first() else { return Ok(sets) };
        let proc = cfg.vertices[*vertex].proc;
        let forgotten: Vec<bp::VarId> =
            cfg.scope(proc).filter(|v| self.names.predicate(*v).is_none()).collect();
        let mut graphs = vec![];
        // Literals in the order of the diagrams.
        let mut literals: BTreeMap<usize, Literal> = BTreeMap::new();
        for (l, vertex) in list {
            let graph = reached.graph(*vertex, &forgotten)?;
            for node in &graph.nodes {
                let expr = self.names.predicate(node.var).expect("other variables were forgotten");
                let at_entry = node.when == When::Entry;
                literals.entry(node.position).or_insert_with(|| Literal { expr: expr.clone(), at_entry });
            }
            graphs.push((*l, graph));
        }
        let positions: Vec<usize> = literals.keys().copied().collect();
        sets.literals = literals.into_values().collect();
        let facts = Facts::new(self.task, p, list, &mut sets);
        for (l, graph) in graphs {
            // In the place of "any state" stands what facts say.
            let mut numbers = vec![0, facts.set(l, &mut sets)];
            for node in &graph.nodes {
                let literal = positions.binary_search(&node.position).expect("all literals were collected");
                let node = Node { literal, low: numbers[node.low], high: numbers[node.high] };
                numbers.push(sets.nodes.add(node).expect("diagrams keep the order of variables"));
            }
            sets.roots.insert(l, numbers[graph.root]);
        }
        if p != self.task.program.entry {
            let kept = reached.unmodified(proc).into_iter().filter_map(|v| self.names.predicate(v));
            sets.unchanged = kept.filter(|e| self.may_change(e)).cloned().collect();
        }
        Ok(sets)
    }

    /// Whether the oracle lets the procedure change what the predicate reads, although its abstraction does not.
    fn may_change(&self, e: &Expr) -> bool {
        let oracle = self.task.oracle;
        let mut cells = CellSet::new();
        ir::visit::walk_reads(e, &mut |lv| _ = cells.insert(oracle.cell(lv)));
        cells.intersects(oracle.mods(self.names.p))
    }
}
