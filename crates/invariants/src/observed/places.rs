//! What is recorded at the heads of loops: scalars that the procedure mentions and that can still be read, those first
//! that the loop and the checks mention.

use crate::computed::{is_named, plain};
use cmm::analysis::{Part, nesting, visit};
use cmm::{Access, Base, Callee, Expr, LocId, Lvalue, Op, Proc, ProcId, Program, Type, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Most places at one head.
const MOST: usize = 24;

/// Longest array whose elements are places.
const ELEMENTS: u64 = 16;

/// Most constants at one head.
const CONSTANTS: usize = 100;

/// Loops that are nested deeper are not looked at.
const DEEPEST: usize = 50;

/// The head of a loop.
pub(super) struct Head {
    /// What is recorded there, the most relevant first.
    pub(super) places: Vec<Place>,
    /// Numbers of the program that may bound something, with their neighbours.
    pub(super) constants: BTreeSet<i128>,
}

/// Something with a value at the head of a loop.
#[derive(Clone)]
pub(super) struct Place {
    /// The value, an integer or a pointer.
    pub(super) value: Expr,
    /// The loop or a check mentions it.
    pub(super) near: bool,
    /// It is one of the elements of an array.
    pub(super) element: bool,
}

/// The heads of all loops.
pub(super) fn heads(program: &Program) -> BTreeMap<(ProcId, LocId), Head> {
    let mut out = BTreeMap::new();
    let checked: BTreeSet<ProcId> = program.checks.iter().map(|c| c.proc).collect();
    for (p, proc) in program.procs.iter_enumerated().filter(|(_, proc)| proc.has_body) {
        let mut loops = vec![];
        collect(&nesting(proc, DEEPEST).unwrap_or_default(), &mut loops);
        if loops.is_empty() {
            continue;
        }
        let addressed = addressed(proc);
        for (at, inside) in loops {
            let seen = Mentions { program, proc, inside: &inside, checked: &checked };
            let mut places = seen.places();
            places.retain(|place| is_live(program, proc, at, &place.value, &addressed));
            places.truncate(MOST);
            if !places.is_empty() {
                out.insert((p, at), Head { places, constants: constants(proc, &inside) });
            }
        }
    }
    out
}

/// The loops of these parts, with the locations in them.
fn collect(parts: &[Part], loops: &mut Vec<(LocId, BTreeSet<LocId>)>) -> BTreeSet<LocId> {
    let mut all = BTreeSet::new();
    for part in parts {
        match part {
            Part::Location(at) => _ = all.insert(*at),
            Part::Loop(head, inner) => {
                let number = loops.len();
                loops.push((*head, BTreeSet::new()));
                let mut inside = collect(inner, loops);
                inside.insert(*head);
                all.extend(&inside);
                loops[number].1 = inside;
            }
        }
    }
    all
}

/// What a procedure mentions, seen from one of its loops.
struct Mentions<'a> {
    program: &'a Program,
    proc: &'a Proc,
    /// The locations in the loop.
    inside: &'a BTreeSet<LocId>,
    /// The procedures with checks.
    checked: &'a BTreeSet<ProcId>,
}

/// How much a place matters: elements of arrays least, what the loop and the checks do not mention next.
#[derive(Clone, Copy, Default)]
struct Weight {
    near: bool,
    element: bool,
    count: u32,
}

impl Mentions<'_> {
    fn places(&self) -> Vec<Place> {
        let mut found: BTreeMap<Expr, Weight> = BTreeMap::new();
        for edge in &self.proc.edges {
            let in_loop = self.inside.contains(&edge.src) && self.inside.contains(&edge.dst);
            let checks = match &edge.op {
                Op::Check(..) => true,
                Op::Call { callee: Callee::Direct(q), .. } => self.checked.contains(q),
                _ => false,
            };
            let mut tell = |lv: &Lvalue| {
                let (list, element) = self.scalars(plain(lv.clone()));
                for lv in list {
                    let weight = found.entry(lv.load()).or_insert(Weight { element, ..Weight::default() });
                    weight.near |= in_loop || checks;
                    weight.count += if in_loop || checks { 3 } else { 1 };
                }
            };
            visit::loads(&edge.op, &mut tell);
            edge.op.destination().into_iter().for_each(&mut tell);
        }
        for v in &self.proc.formals {
            let assigned = |op: &Op| op.destination().is_some_and(|lv| lv.as_var() == Some(*v));
            let now = self.program.read(*v);
            let weight = found.get(&now).copied().unwrap_or_default();
            if matches!(now.ty(), Type::Int(_)) && self.proc.edges.iter().any(|edge| assigned(&edge.op)) {
                found.insert(Expr::Old(Box::new(now)), Weight { count: weight.count / 2, ..weight });
            }
        }
        let mut found: Vec<(Expr, Weight)> = found.into_iter().collect();
        found.sort_by_key(|(_, w)| (!w.near, w.element, std::cmp::Reverse(w.count)));
        found.into_iter().map(|(value, w)| Place { value, near: w.near, element: w.element }).collect()
    }

    /// The scalars that the location stands for, and whether they are elements of an array.
    fn scalars(&self, lv: Lvalue) -> (Vec<Lvalue>, bool) {
        let fits = |ty: &Type| match ty {
            Type::Int(int) => int.bits <= 64,
            Type::Ptr(_) => true,
            _ => false,
        };
        if !fits(&lv.ty) {
            return (vec![], false);
        }
        if is_named(&lv) {
            return (vec![lv], false);
        }
        (self.elements(&lv).unwrap_or_default(), true)
    }

    /// The elements of a small array of integers, for one of them.
    fn elements(&self, lv: &Lvalue) -> Option<Vec<Lvalue>> {
        let Base::Var(v) = lv.base else { return None };
        let mut ty = self.program.vars[v].ty.clone();
        let mut at = None;
        for (n, access) in lv.path.iter().enumerate() {
            if let (Access::Index(index), Type::Array(_, length)) = (access, &ty) {
                if at.is_some() {
                    return None;
                }
                at = Some((n, (*length)?, index));
            }
            ty = self.program.part_type(&ty, access)?;
        }
        let (n, length, index) = at?;
        if ty != lv.ty || ty.is_ptr() {
            return None;
        }
        let element = |i: i128| {
            let mut lv = lv.clone();
            lv.path[n] = Access::Index(Expr::int(i));
            lv
        };
        match index.as_const() {
            Some(i) if (0..i128::from(length)).contains(&i) => Some(vec![element(i)]),
            None if length <= ELEMENTS => Some((0..i128::from(length)).map(element).collect()),
            _ => None,
        }
    }
}

/// The variables whose address the procedure takes.
fn addressed(proc: &Proc) -> BTreeSet<VarId> {
    let mut out = BTreeSet::new();
    proc.edges.iter().for_each(|edge| visit::addresses(&edge.op, &mut |v| _ = out.insert(v)));
    out
}

/// Whether the value may still be read behind the location before it is overwritten.
fn is_live(program: &Program, proc: &Proc, at: LocId, value: &Expr, addressed: &BTreeSet<VarId>) -> bool {
    let mut own = vec![];
    value.loads(&mut |lv| {
        if let Base::Var(v) = lv.base {
            own.push(v);
        }
    });
    let is_entry = matches!(value, Expr::Old(_));
    is_entry
        || own.into_iter().all(|v| {
            program.vars[v].proc().is_none()
                || addressed.contains(&v)
                || proc.ret == Some(v)
                || is_read(proc, at, v)
        })
}

/// Whether some path from the location reads the variable before it assigns it.
fn is_read(proc: &Proc, at: LocId, v: VarId) -> bool {
    let successors = proc.successors();
    let (mut seen, mut pending) = (BTreeSet::from([at]), vec![at]);
    while let Some(at) = pending.pop() {
        for edge in successors[at].iter().map(|e| &proc.edges[*e]) {
            let mut reads = false;
            visit::loads(&edge.op, &mut |lv| reads |= lv.base == Base::Var(v));
            if reads {
                return true;
            }
            let overwritten = edge.op.destination().is_some_and(|lv| lv.as_var() == Some(v));
            if !overwritten && seen.insert(edge.dst) {
                pending.push(edge.dst);
            }
        }
    }
    false
}

/// The constants of the procedure and their neighbours, those in the loop first where there are many.
fn constants(proc: &Proc, inside: &BTreeSet<LocId>) -> BTreeSet<i128> {
    let mut out = BTreeSet::from([-1, 0, 1]);
    for in_loop in [true, false] {
        for edge in proc.edges.iter().filter(|edge| inside.contains(&edge.src) == in_loop) {
            visit::nodes(&edge.op, &mut |node| {
                if let Expr::Const(v, Type::Int(int)) = node
                    && int.bits <= 64
                    && out.len() < CONSTANTS
                {
                    out.extend([v - 1, *v, v + 1]);
                }
            });
        }
    }
    out
}
