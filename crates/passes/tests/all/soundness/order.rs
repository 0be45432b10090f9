//! The order of the modes: what a finer points-to analysis allows, every coarser one allows too. Soundness does
//! not depend on it; but an answer that only the finer one gives is an error of one of them.
//!
//! Only notions with the same meaning in all modes are compared: lvalues, pointers, objects and procedures.
//! Cells are not: their numbers and their bounds depend on the mode.

use alias::reachable;
use alias::{AliasMode, AliasOracle, Object, PointsTo};
use ir::print;
use ir::program::{Callee, Op, ProcId, Program};
use ir::visit;
use ir::{Expr, Lvalue, Type};
use std::collections::{BTreeMap, BTreeSet};

/// From coarse to fine.
pub(super) const MODES: [AliasMode; 3] = [AliasMode::None, AliasMode::Das, AliasMode::Andersen];

/// The notions that occur in the text of a procedure.
pub(super) struct Mentioned {
    /// The scalar lvalues that it reads or writes. Where it only takes the address, the analysis needs no place, and a
    /// question may be answered with "anywhere" by any mode.
    pub(super) lvalues: Vec<Lvalue>,
    /// Its expressions of pointer type.
    pub(super) pointers: Vec<Expr>,
    /// The pointers that it calls.
    pub(super) called: Vec<Expr>,
}

/// Collects what the procedure contains, without repetitions.
pub(super) fn mentioned(program: &Program, p: ProcId) -> Mentioned {
    let is_scalar = |ty: &Type| matches!(ty, Type::Int(_) | Type::Float(_) | Type::Ptr(_));
    let (mut lvalues, mut pointers, mut called) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for edge in &program.procs[p].edges {
        lvalues.extend(edge.op.destination().filter(|lv| is_scalar(&lv.ty)).cloned());
        if let Op::Call { callee: Callee::Indirect(e), .. } = &edge.op {
            called.insert(e.clone());
        }
        visit::nodes(&edge.op, &mut |part| {
            if let Expr::Load(lv) = part {
                lvalues.insert((**lv).clone());
            }
            if part.ty().is_ptr() {
                pointers.insert(part.clone());
            }
        });
    }
    Mentioned {
        lvalues: lvalues.into_iter().collect(),
        pointers: pointers.into_iter().collect(),
        called: called.into_iter().collect(),
    }
}

/// Answers that a finer mode allows and a coarser one does not; empty if all is well.
pub(super) fn violations(program: &Program) -> Vec<String> {
    let oracles = MODES.map(|mode| AliasOracle::new(program, mode));
    let mut out = vec![];
    for (k, modes) in MODES.windows(2).enumerate() {
        let pair = Pair { program, coarse: Known::new(&oracles[k]), fine: Known::new(&oracles[k + 1]) };
        let mut found = vec![];
        pair.objects(&mut found);
        // A procedure that no execution enters gets nothing from its callers, and means nothing.
        let entered = reachable(program, &oracles[k]);
        for p in program.procs.ids().filter(|p| entered[*p]) {
            pair.procedure(p, &mut found);
        }
        out.extend(found.into_iter().map(|text| format!("only {:?}, not {:?}: {text}", modes[1], modes[0])));
    }
    out
}

/// An oracle, and which objects undefined functions or numbers can lead to.
struct Known<'a> {
    oracle: &'a AliasOracle,
    open: BTreeSet<Object>,
}

impl Known<'_> {
    fn new(oracle: &AliasOracle) -> Known<'_> {
        let objects = oracle.objects().into_iter();
        let open = objects.filter(|o| o.escape.is_some() || o.is_number).map(|o| o.object);
        Known { oracle, open: open.chain([Object::External]).collect() }
    }

    /// Whether a pointer with this set can point into the object.
    fn allows(&self, set: &PointsTo, object: Object) -> bool {
        set.objects.contains(&object) || set.unknown && self.open.contains(&object)
    }
}

struct Pair<'a> {
    program: &'a Program,
    coarse: Known<'a>,
    fine: Known<'a>,
}

impl Pair<'_> {
    /// The objects that the finer set has beyond the coarser one, and "unknown".
    fn beyond(&self, coarse: &PointsTo, fine: &PointsTo) -> Option<String> {
        let more: Vec<&Object> = fine.objects.iter().filter(|o| !self.coarse.allows(coarse, **o)).collect();
        let unknown = fine.unknown && !coarse.unknown;
        (unknown || !more.is_empty())
            .then(|| format!("{more:?}{}", if unknown { " and unknown" } else { "" }))
    }

    fn objects(&self, found: &mut Vec<String>) {
        let (coarse, fine) = (self.coarse.oracle, self.fine.oracle);
        let reports: BTreeMap<_, _> = coarse.objects().into_iter().map(|o| (o.object, o)).collect();
        for object in fine.objects() {
            let known = reports.get(&object.object);
            let of = |what: &str| format!("{:?} {what}", object.object);
            if known.is_none() {
                found.push(of("is an object"));
            }
            if object.escape.is_some() && known.is_some_and(|o| o.escape.is_none()) {
                found.push(of("escapes"));
            }
            if self.fine.open.contains(&object.object) && !self.coarse.open.contains(&object.object) {
                found.push(of("is a number"));
            }
        }
        for v in self.program.vars.ids() {
            if fine.address_taken(v) && !coarse.address_taken(v) {
                found.push(format!("the address of {} is taken", self.program.vars[v].name));
            }
            if fine.has_many_instances(v) && !coarse.has_many_instances(v) {
                found.push(format!("{} has many instances", self.program.vars[v].name));
            }
        }
        // The contents of all locations of an object together: a block of bytes in one mode can be many
        // locations in another.
        let held = stored(coarse);
        for (object, set) in stored(fine) {
            let known = held.get(&object).cloned().unwrap_or_default();
            if let Some(more) = self.beyond(&known, &set) {
                found.push(format!("{object:?} holds {more}"));
            }
        }
    }

    fn procedure(&self, p: ProcId, found: &mut Vec<String>) {
        let (coarse, fine) = (self.coarse.oracle, self.fine.oracle);
        let proc = &self.program.procs[p];
        let Mentioned { lvalues, pointers, called } = mentioned(self.program, p);
        let start = found.len();
        for pointer in &pointers {
            if let Some(more) = self.beyond(&coarse.points_to(pointer), &fine.points_to(pointer)) {
                found.push(format!("{} points to {more}", print::expr(self.program, pointer)));
            }
        }
        for pointer in &called {
            let ((known, any), (procs, unknown)) = (coarse.callees(pointer), fine.callees(pointer));
            let may = |q: &ProcId| known.contains(q) || any && self.coarse.open.contains(&Object::Func(*q));
            if unknown && !any || !procs.iter().all(may) {
                found.push(format!("{} calls more", print::expr(self.program, pointer)));
            }
        }
        for (i, a) in lvalues.iter().enumerate() {
            for b in &lvalues[i..] {
                if fine.may_alias(a, b) && !coarse.may_alias(a, b) {
                    let text = |lv| print::lvalue(self.program, lv);
                    found.push(format!("{} may alias {}", text(a), text(b)));
                }
            }
        }
        if fine.is_recursive(p) && !coarse.is_recursive(p) {
            found.push("recursive".into());
        }
        if let Some(q) = fine.called_by(p).iter().find(|q| !coarse.called_by(p).contains(q)) {
            found.push(format!("calls {}", self.program.procs[*q].name));
        }
        for text in &mut found[start..] {
            *text = format!("in {}: {text}", proc.name);
        }
    }
}

/// For each object all that its locations can hold.
fn stored(oracle: &AliasOracle) -> BTreeMap<Object, PointsTo> {
    let mut out: BTreeMap<Object, PointsTo> = BTreeMap::new();
    for (object, _, set) in oracle.pointers() {
        let all = out.entry(object).or_default();
        all.unknown |= set.unknown;
        all.objects.extend(set.objects);
    }
    out
}
