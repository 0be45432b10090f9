//! Definite assignment: reads of memory that nothing has written yet.
//!
//! The scalar parts of a procedure's locals are numbered, and a forward analysis finds those that every path to
//! a location has written. A read that it does not decide checks a ghost flag, where the program's own
//! operations show exactly when the part is written; where pointers may write it, and for all other memory, the
//! object itself is queried. Copies of memory do not count as reads, and what they write counts as unknown.

use super::copies::Copied;
use super::must_written::Written;
use super::redeclared_locals::renewed;
use super::scalar_parts::{Part, Parts};
use alias::AliasOracle;
use base::IndexVec;
use ir::edit::{Graph, Step};
use ir::expr::{Access, Base, BinOp, Expr, Lvalue};
use ir::program::{EdgeId, HavocKind, LocId, Op, ProcId, Program, VarId, VarKind};
use ir::types::Type;
use ir::visit;
use std::collections::BTreeSet;

/// Flags for the elements of an array are kept, where an index is not constant, for this many.
const MOST_ELEMENTS: usize = 16;

/// The analysis of one procedure.
#[derive(Default, PartialEq, Eq)]
struct Local {
    /// For each location the parts that are written on every path to it.
    written: IndexVec<LocId, BTreeSet<Part>>,
}

/// The answers of the analysis.
pub(crate) struct Initialised {
    parts: Parts,
    procs: IndexVec<ProcId, Local>,
    /// Variables whose address goes elsewhere than into a block operation that is understood.
    shared: BTreeSet<VarId>,
    /// Parts that may be read, or have their address taken, before they are written.
    unsure: BTreeSet<Part>,
    renewed: BTreeSet<VarId>,
    copied: Copied,
    wanted: bool,
}

/// The ghost flags of one procedure.
#[derive(Default)]
pub(crate) struct Flags(Vec<(Part, VarId)>);

impl Flags {
    fn of(&self, part: Part) -> Option<VarId> {
        self.0.iter().find(|(p, _)| *p == part).map(|(_, v)| *v)
    }
}

impl Initialised {
    /// `behind` knows what callees write, from an analysis of the program with less knowledge.
    pub(crate) fn new(
        program: &Program,
        oracle: &AliasOracle,
        wanted: bool,
        behind: Option<&Written<'_>>,
    ) -> Initialised {
        let parts = Parts::new(program);
        let mut this = Initialised {
            shared: BTreeSet::new(),
            procs: IndexVec::new(),
            unsure: BTreeSet::new(),
            renewed: program.procs.ids().flat_map(|p| renewed(program, p)).collect(),
            copied: Copied::default(),
            parts,
            wanted,
        };
        program.edges().for_each(|(_, _, edge)| this.note_addresses(program, &edge.op));
        this.copied = Copied::new(program, oracle, behind);
        for p in program.procs.ids() {
            let local = this.analyse(program, p, behind);
            this.procs.push(local);
        }
        for p in program.procs.ids() {
            this.find_unsure(program, p);
        }
        this
    }

    /// Whether the other analysis found the same.
    pub(crate) fn knows_like(&self, other: &Initialised) -> bool {
        self.procs == other.procs && self.copied == other.copied
    }

    fn note_addresses(&mut self, program: &Program, op: &Op) {
        // Which element such an operation writes is only said exactly in front of it, and for few elements.
        if let Some(lv) = op.destination().filter(|lv| self.parts.exact(lv).is_none())
            && let Base::Var(v) = lv.base
            && (matches!(op, Op::Call { .. }) || self.parts.read(lv).len() > MOST_ELEMENTS)
        {
            self.shared.insert(v);
        }
        let understood = self.understood(program, op);
        let mut shared = vec![];
        visit::evaluated(op, &mut |e| {
            if Some(e) == understood || matches!(op, Op::MemCopy { src, .. } if src == e) {
                return;
            }
            e.walk(&mut |node| {
                if let Expr::AddrOf(lv) = node
                    && let Base::Var(v) = lv.base
                {
                    shared.push(v);
                }
            });
        });
        self.shared.extend(shared);
    }

    /// The start of a block operation whose written bytes are known.
    fn understood<'o>(&self, program: &Program, op: &'o Op) -> Option<&'o Expr> {
        match op {
            Op::MemSet { ptr, .. } if !self.written_by(program, op).is_empty() => Some(ptr),
            Op::MemCopy { dst, .. } if !self.written_by(program, op).is_empty() => Some(dst),
            _ => None,
        }
    }

    /// The parts that the operation certainly writes.
    fn written_by(&self, program: &Program, op: &Op) -> Vec<Part> {
        match op {
            Op::Havoc(_, HavocKind::Uninit) => vec![],
            Op::MemSet { ptr, len, .. } => self.filled(program, ptr, len),
            Op::MemCopy { dst, src, len } if is_literal(program, src) => self.filled(program, dst, len),
            _ => op.destination().and_then(|lv| self.parts.exact(lv)).into_iter().collect(),
        }
    }

    /// The parts of a variable that a block from its start covers.
    fn filled(&self, program: &Program, ptr: &Expr, len: &Expr) -> Vec<Part> {
        let (Some(v), Expr::Const(len, _)) = (start_of(program, ptr), len) else { return vec![] };
        let size = program.size_of(&program.vars[v].ty).map(i128::from);
        if size.is_some_and(|size| size <= *len) { self.parts.of(v) } else { vec![] }
    }

    /// The parts whose contents the operation makes arbitrary.
    fn lost_by(&self, program: &Program, op: &Op) -> Vec<Part> {
        match op {
            Op::Havoc(lv, HavocKind::Uninit) => self.parts.exact(lv).into_iter().collect(),
            Op::MemCopy { dst, src, .. } if !is_literal(program, src) => match dst.unmoved() {
                Expr::AddrOf(lv) => match lv.base {
                    Base::Var(v) => self.parts.of(v),
                    Base::Deref(_) => vec![],
                },
                _ => vec![],
            },
            _ => vec![],
        }
    }

    /// The parts that a call writes through the addresses that it is given, or a copy.
    fn written_behind(&self, program: &Program, edge: (ProcId, EdgeId), behind: &Written<'_>) -> Vec<Part> {
        let mut out = vec![];
        for (v, bytes) in behind.by_edge(edge) {
            let is_written = |part: &Part| {
                let place = crate::checks::places::bytes(program, self.parts.lvalue(*part));
                place.is_some_and(|(start, end)| bytes.covers(start, end))
            };
            out.extend(self.parts.of(v).into_iter().filter(is_written));
        }
        out
    }

    fn analyse(&self, program: &Program, p: ProcId, behind: Option<&Written<'_>>) -> Local {
        let proc = &program.procs[p];
        if !proc.has_body {
            return Local::default();
        }
        let successors = proc.successors();
        let mut states: IndexVec<LocId, Option<BTreeSet<Part>>> =
            IndexVec::from_elem(None, proc.locations.len());
        states[proc.entry] = Some(BTreeSet::new());
        let mut work = vec![proc.entry];
        while let Some(at) = work.pop() {
            let state = states[at].clone().expect("locations on the list were reached");
            for e in &successors[at] {
                let edge = &proc.edges[*e];
                let mut next = state.clone();
                next.extend(self.written_by(program, &edge.op));
                for part in self.lost_by(program, &edge.op) {
                    next.remove(&part);
                }
                next.extend(behind.iter().flat_map(|b| self.written_behind(program, (p, *e), b)));
                let known = &mut states[edge.dst];
                let joined = match known.as_ref() {
                    None => next,
                    Some(before) => before.intersection(&next).copied().collect(),
                };
                if known.as_ref() != Some(&joined) {
                    *known = Some(joined);
                    work.push(edge.dst);
                }
            }
        }
        // An unreachable location reads nothing.
        let written = states.into_vec().into_iter().map(Option::unwrap_or_default).collect();
        Local { written: IndexVec::from_vec(written) }
    }

    fn find_unsure(&mut self, program: &Program, p: ProcId) {
        let proc = &program.procs[p];
        let mut unsure = vec![];
        for edge in &proc.edges {
            let written = &self.procs[p].written[edge.src];
            let filled = self.understood(program, &edge.op).map(Expr::unmoved);
            visit::nodes(&edge.op, &mut |node| {
                let (Expr::Load(lv) | Expr::AddrOf(lv)) = node else { return };
                let Base::Var(v) = lv.base else { return };
                if Some(node) == filled {
                    return;
                }
                let parts =
                    if matches!(node, Expr::AddrOf(_)) { self.parts.of(v) } else { self.parts.read(lv) };
                unsure.extend(parts.into_iter().filter(|part| !written.contains(part)));
            });
        }
        if let Some(ret) = proc.ret
            && proc.has_body
        {
            let written = &self.procs[p].written[proc.exit];
            unsure.extend(self.parts.of(ret).into_iter().filter(|part| !written.contains(part)));
        }
        self.unsure.extend(unsure);
    }

    /// Whether the part of a local may hold a value that nothing wrote when it is read. False when a check stands
    /// before such reads.
    pub(crate) fn may_be_garbage(&self, program: &Program, v: VarId, part: Part) -> bool {
        self.unsure.contains(&part) && !self.is_flagged(program, v)
    }

    /// Whether a check stands before every read of a local that may not be written.
    pub(crate) fn checks_reads(&self) -> bool {
        self.wanted
    }

    /// Whether ghost flags say what of the variable is written.
    fn is_flagged(&self, program: &Program, v: VarId) -> bool {
        self.wanted && matches!(program.vars[v].kind, VarKind::Local(_)) && !self.shared.contains(&v)
    }

    /// Whether the local may begin its life again when its address is stored already.
    pub(crate) fn is_renewed(&self, v: VarId) -> bool {
        self.renewed.contains(&v)
    }

    /// Whether everything in the local is written before anybody has its address.
    pub(crate) fn is_written_early(&self, v: VarId) -> bool {
        let parts = self.parts.of(v);
        !self.is_renewed(v) && !parts.is_empty() && parts.iter().all(|part| !self.unsure.contains(part))
    }

    /// Copies of memory that may leave bytes without a value.
    pub(crate) fn copied(&self) -> &Copied {
        &self.copied
    }

    /// Whether the address of the variable goes elsewhere than into a block operation that is understood.
    pub(crate) fn is_shared(&self, v: VarId) -> bool {
        self.shared.contains(&v)
    }

    /// Whether reads of the local may have to query the object, as no flags cover it.
    pub(crate) fn is_open(&self, program: &Program, v: VarId) -> bool {
        let parts = self.parts.of(v);
        parts.is_empty()
            || !self.is_flagged(program, v) && parts.iter().any(|part| self.unsure.contains(part))
    }

    /// The parts of the procedure's locals that are written on every path to the location.
    pub(crate) fn written(&self, p: ProcId, at: LocId) -> &BTreeSet<Part> {
        &self.procs[p].written[at]
    }

    /// The numbered parts of a variable with their locations.
    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Makes the flags that reads in the procedure need.
    pub(crate) fn flags(&self, program: &Program, p: ProcId, graph: &mut Graph<'_>) -> Flags {
        let mut flags = vec![];
        for v in &program.procs[p].locals {
            let var = &program.vars[*v];
            if !self.is_flagged(program, *v) {
                continue;
            }
            for part in self.parts.of(*v).into_iter().filter(|part| self.unsure.contains(part)) {
                flags.push((part, graph.temp(&format!("{}__set", var.name), Type::INT, var.span)));
            }
        }
        Flags(flags)
    }

    /// Nothing is written when a procedure starts.
    pub(crate) fn at_entry(&self, flags: &Flags) -> Vec<Step> {
        flags.0.iter().map(|(_, flag)| set(*flag, false)).collect()
    }

    /// The updates of the flags of elements whose index is not constant, in front of an operation: the index is
    /// evaluated there.
    pub(crate) fn before(&self, op: &Op, flags: &Flags) -> Vec<Step> {
        let Some(lv) = op.destination().filter(|lv| self.parts.exact(lv).is_none()) else {
            return vec![];
        };
        if matches!(op, Op::Havoc(_, HavocKind::Uninit) | Op::Call { .. }) {
            return vec![];
        }
        let set_if = |part: Part| {
            let flag = flags.of(part)?;
            let condition = same_element(self.parts.lvalue(part), lv)?;
            Some(Step::When(condition, Op::Assign(Lvalue::var(flag, Type::INT), Expr::truth(true))))
        };
        self.parts.read(lv).into_iter().filter_map(set_if).collect()
    }

    /// The updates of the flags by an operation.
    pub(crate) fn after(&self, program: &Program, op: &Op, flags: &Flags) -> Vec<Step> {
        let lost = self.lost_by(program, op).into_iter().map(|part| (part, false));
        let written = self.written_by(program, op).into_iter().map(|part| (part, true));
        lost.chain(written).filter_map(|(part, on)| Some(set(flags.of(part)?, on))).collect()
    }

    /// The condition that what a location holds is written, where flags say it.
    pub(crate) fn flagged(&self, lv: &Lvalue, written: &BTreeSet<Part>, flags: &Flags) -> Option<Expr> {
        let is_set =
            |part| Some(Expr::binary(BinOp::Ne, Expr::var(flags.of(part)?, Type::INT), Expr::int(0)));
        if let Some(part) = self.parts.exact(lv) {
            return is_set(part);
        }
        let parts = self.parts.read(lv);
        if parts.len() > MOST_ELEMENTS {
            return None;
        }
        let open = parts.into_iter().filter(|part| !written.contains(part));
        let each: Option<Vec<Expr>> = open
            .map(|part| {
                let other = same_element(self.parts.lvalue(part), lv)?.negated();
                Some(Expr::or(other, is_set(part)?))
            })
            .collect();
        each?.into_iter().reduce(Expr::and)
    }
}

/// The condition that a location with variable indices is the part; `None` if all of its indices are constant.
fn same_element(part: &Lvalue, lv: &Lvalue) -> Option<Expr> {
    let steps = part.path.iter().zip(&lv.path);
    let equal = steps.filter_map(|steps| match steps {
        (Access::Index(_), Access::Index(Expr::Const(..))) => None,
        (Access::Index(Expr::Const(i, _)), Access::Index(e)) => {
            Some(Expr::binary(BinOp::Eq, e.clone(), Expr::Const(*i, e.ty())))
        }
        _ => None,
    });
    equal.reduce(Expr::and)
}

fn set(flag: VarId, on: bool) -> Step {
    Step::Op(Op::Assign(Lvalue::var(flag, Type::INT), Expr::truth(on)))
}

/// The variable, when the pointer is the address of its start.
fn start_of(program: &Program, ptr: &Expr) -> Option<VarId> {
    let mut e = ptr;
    while let Expr::Cast(inner, _) = e {
        e = inner;
    }
    let Expr::AddrOf(lv) = e else { return None };
    let Base::Var(v) = lv.base else { return None };
    (crate::checks::places::offset(program, lv) == Some(0)).then_some(v)
}

pub(crate) fn is_literal(program: &Program, src: &Expr) -> bool {
    start_of(program, src).is_some_and(|v| program.vars[v].data.is_some())
}
