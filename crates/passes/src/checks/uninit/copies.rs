//! Where copies of memory may leave bytes without a value.

use super::definite_assignment::is_literal;
use super::must_written::{Leaves, Written};
use alias::{AliasOracle, CellKind, CellSet, Object, PointsTo};
use ir::expr::{Expr, Lvalue};
use ir::program::{EdgeId, Op, ProcId, Program};
use ir::types::{RecordId, Type};
use std::collections::BTreeSet;

/// The answers.
#[derive(Default, PartialEq, Eq)]
pub(crate) struct Copied {
    /// Cells in which any byte may have none.
    cells: CellSet,
    /// Objects in which the padding of members may have none, and whether they are not all known.
    padded: BTreeSet<Object>,
    unknown: bool,
}

/// A copy that leaves no value behind without one, if there is one in front of it.
struct Copy {
    edge: (ProcId, EdgeId),
    dst: PointsTo,
    src: PointsTo,
    /// It copies a structure as such.
    record: Option<RecordId>,
}

impl Copied {
    /// `behind` knows what the sources of copies are.
    pub(crate) fn new(program: &Program, oracle: &AliasOracle, behind: Option<&Written<'_>>) -> Copied {
        let mut this = Copied::default();
        let mut copies = vec![];
        for (p, e, edge) in program.edges() {
            let Op::MemCopy { src, dst, len } = &edge.op else { continue };
            if is_literal(program, src) {
                continue;
            }
            let leaves = behind.map_or(Leaves::Much, |b| b.by_copy((p, e)).1);
            let (from, to) = (oracle.points_to(src), oracle.points_to(dst));
            match leaves {
                Leaves::Much => _ = this.cells.extend_from(oracle.edge_mods(p, e)),
                Leaves::Nothing => {}
                Leaves::Padding => {
                    this.padded.extend(to.objects.iter().copied());
                    this.unknown |= to.unknown;
                }
            }
            if leaves != Leaves::Much {
                copies.push(Copy {
                    edge: (p, e),
                    dst: to,
                    src: from,
                    record: record(program, src, dst, len),
                });
            }
        }
        this.copied_on(oracle, &copies);
        this
    }

    /// Propagates bytes without a value through copies.
    fn copied_on(&mut self, oracle: &AliasOracle, copies: &[Copy]) {
        let mut changed = true;
        while changed {
            changed = false;
            for copy in copies {
                let (p, e) = copy.edge;
                // Padding of a structure is padding where it is copied to as that structure.
                let as_other = |other: &Copy| copy.record != other.record && meet(&copy.src, &other.dst);
                let pads = self.is_padded(&copy.src);
                if oracle.edge_refs(p, e).intersects(&self.cells)
                    || pads && (copy.record.is_none() || copies.iter().any(as_other))
                {
                    changed |= self.cells.extend_from(oracle.edge_mods(p, e));
                }
                if pads {
                    changed |= copy.dst.unknown && !std::mem::replace(&mut self.unknown, true);
                    for object in &copy.dst.objects {
                        changed |= self.padded.insert(*object);
                    }
                }
            }
        }
    }

    fn is_padded(&self, objects: &PointsTo) -> bool {
        self.unknown
            || objects.unknown && !self.padded.is_empty()
            || objects.objects.iter().any(|o| self.padded.contains(o))
    }

    /// Whether a read of the location may find such bytes.
    pub(crate) fn reaches(&self, oracle: &AliasOracle, lv: &Lvalue) -> bool {
        let cell = oracle.cell(lv);
        // Members that are used at one type are not in the padding of others.
        self.cells.contains(cell)
            || matches!(oracle.cell_kind(cell), CellKind::Opaque)
                && self.is_padded(&oracle.points_to(&lv.clone().addr()))
    }
}

fn meet(a: &PointsTo, b: &PointsTo) -> bool {
    a.unknown || b.unknown || a.objects.iter().any(|o| b.objects.contains(o))
}

/// The structure that is copied as such.
pub(crate) fn record(program: &Program, src: &Expr, dst: &Expr, len: &Expr) -> Option<RecordId> {
    let (from, to) = (src.ty(), dst.ty());
    let Type::Record(r) = from.pointee()? else { return None };
    let size = program.size_of(from.pointee()?).map(i128::from);
    (from.pointee() == to.pointee() && len.as_const() == size).then_some(*r)
}
