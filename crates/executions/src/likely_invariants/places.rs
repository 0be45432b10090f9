//! What is recorded at the heads of loops: scalars that the procedure mentions and that can still be read, those first
//! that the loop and the checks mention.

use super::array_accesses::Walked;
use super::array_sums as totals;
use super::conditional::{self as phases, Guard};
use base::IndexVec;
use ir::extent;
use ir::{
    Access, Base, Callee, EdgeId, Expr, HavocKind, LocId, Lvalue, Op, Proc, ProcId, Program, Type, UnOp,
    VarId, VarKind,
};
use ir::{
    loop_nesting::{Part, nesting},
    visit,
};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use zones::{is_named, plain};

/// Most places at one head.
const MOST: usize = 24;

/// Most pointers whose distances to the ends of their objects, and the starts of these, are places besides.
const EXTENTS: usize = 5;

/// Longest array whose elements are places.
const ELEMENTS: u64 = 16;

/// Most constants at one head.
const CONSTANTS: usize = 100;

/// Loops that are nested deeper are ignored.
const DEEPEST: usize = 50;

/// The head of a loop.
pub(super) struct Head {
    /// What is recorded there, the most relevant first.
    pub(super) places: Vec<Place>,
    /// Numbers of the program that may bound something, with their neighbours.
    pub(super) constants: BTreeSet<i128>,
    /// Arrays whose contents are recorded, and what is an index of them.
    pub(super) walked: Walked,
    /// Integer variables whose address is not taken.
    pub(super) variables: Vec<(VarId, Type)>,
    /// Comparisons in the conditions of the loop.
    pub(super) guards: Vec<Guard>,
    /// The sizes of what the pointers among the places lead to.
    pub(super) sizes: BTreeMap<Type, i128>,
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

impl Place {
    /// The pointer of which it says where in its object it is.
    pub(super) fn extent_of(&self) -> Option<&Expr> {
        match &self.value {
            Expr::Unary(UnOp::Left(_) | UnOp::Before(_) | UnOp::Start, pointer, _) => Some(pointer),
            _ => None,
        }
    }

    /// Whether it says where in its object a pointer is.
    pub(super) fn is_extent(&self) -> bool {
        self.extent_of().is_some()
    }
}

/// The heads of all loops.
pub(super) fn heads(program: &Program) -> BTreeMap<(ProcId, LocId), Head> {
    let mut out = BTreeMap::new();
    let stored = totals::stored(program);
    // A place that is watched may be anywhere in its object.
    let picks = |op: &Op| matches!(op, Op::Havoc(lv, HavocKind::Analysis(_)) if lv.ty.as_int().is_some());
    let asked = extent::occurs(program) || program.edges().any(|(_, _, edge)| picks(&edge.op));
    let checked: BTreeSet<ProcId> = program.checks.iter().map(|c| c.proc).collect();
    for (p, proc) in program.procs.iter_enumerated().filter(|(_, proc)| proc.has_body) {
        let mut loops = vec![];
        collect(&nesting(proc, DEEPEST).unwrap_or_default(), &mut loops);
        if loops.is_empty() {
            continue;
        }
        let (mentions, mut lives) =
            (Mentions::new(program, proc, &checked, (&stored, asked)), Lives::new(program, proc));
        let walked = Walked::of(program, proc);
        let variables = lives.integers(&walked);
        for (at, inside) in loops {
            let places = mentions.places(&inside).into_iter();
            let live = places.filter(|place| lives.is_live(&place.value, at));
            let (mut extents, mut places): (Vec<Place>, Vec<Place>) = live.partition(Place::is_extent);
            places.truncate(MOST);
            extents.truncate(3 * EXTENTS);
            places.append(&mut extents);
            if !places.is_empty() {
                let constants = constants(program, proc, &inside);
                let (walked, variables) = (walked.clone(), variables.clone());
                let guards = phases::guards(proc, &inside);
                let targets = places.iter().filter_map(|place| place.value.ty().pointee().cloned());
                let sizes =
                    targets.filter_map(|to| Some((to.clone(), program.size_of(&to)?.into()))).collect();
                out.insert((p, at), Head { places, constants, walked, variables, guards, sizes });
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

/// What a procedure mentions.
struct Mentions<'a> {
    program: &'a Program,
    /// The values, and whether they are elements of arrays.
    values: Vec<(Expr, bool)>,
    numbers: BTreeMap<Expr, usize>,
    /// The ends of the edge that mentions a value, whether it is about a check, and the value's number.
    list: Vec<((LocId, LocId), bool, usize)>,
    /// The values at the entry of formals that are assigned, with the numbers of those now.
    entries: Vec<(Expr, usize)>,
    /// The constants that are compared or stored, by their types, those first that occur most.
    stored: &'a [(i128, Type)],
    /// The program asks where in their objects pointers are.
    asks_extents: bool,
}

/// How much a value matters at a loop.
#[derive(Clone, Copy, Default)]
struct Weight {
    near: bool,
    count: u32,
}

impl<'a> Mentions<'a> {
    /// Calls of the procedures with checks are about these.
    fn new(
        program: &'a Program,
        proc: &Proc,
        checked: &BTreeSet<ProcId>,
        (stored, asks_extents): (&'a [(i128, Type)], bool),
    ) -> Mentions<'a> {
        let mut out = Mentions {
            program,
            values: vec![],
            numbers: BTreeMap::new(),
            list: vec![],
            entries: vec![],
            stored,
            asks_extents,
        };
        for edge in &proc.edges {
            let checks = match &edge.op {
                Op::Check(..) => true,
                Op::Call { callee: Callee::Direct(q), .. } => checked.contains(q),
                _ => false,
            };
            let mut tell = |lv: &Lvalue| out.add((edge.src, edge.dst), checks, lv);
            visit::loads(&edge.op, &mut tell);
            edge.op.destination().into_iter().for_each(&mut tell);
            if let Op::Call { args, .. } = &edge.op {
                args.iter().flat_map(|arg| handed_on(program, arg)).for_each(|lv| tell(&lv));
            }
        }
        for v in &proc.formals {
            let assigns = |op: &Op| op.destination().is_some_and(|lv| lv.as_var() == Some(*v));
            let now = program.read(*v);
            if matches!(now.ty(), Type::Int(_)) && proc.edges.iter().any(|edge| assigns(&edge.op)) {
                let number = out.numbers.get(&now).copied();
                out.entries.extend(number.map(|n| (Expr::Old(Box::new(now)), n)));
            }
        }
        out
    }

    fn add(&mut self, ends: (LocId, LocId), checks: bool, lv: &Lvalue) {
        let (list, element) = self.scalars(plain(lv.clone()));
        let values: Vec<Expr> = list.into_iter().map(Lvalue::load).collect();
        if element && values.len() > 1 {
            let totals = totals::of(&values, self.stored);
            totals.into_iter().for_each(|value| self.mention(ends, checks, value, false));
        }
        for value in values {
            if self.asks_extents && value.ty().pointee().is_some_and(|to| !matches!(to, Type::Func(_))) {
                let distance = extent::extent_type();
                let extents = [
                    (UnOp::Left(1), distance.clone()),
                    (UnOp::Before(1), distance),
                    (UnOp::Start, Type::Void.ptr_to()),
                ];
                for (op, ty) in extents {
                    self.mention(ends, checks, Expr::Unary(op, Box::new(value.clone()), ty), false);
                }
            }
            self.mention(ends, checks, value, element);
        }
    }

    fn mention(&mut self, ends: (LocId, LocId), checks: bool, value: Expr, element: bool) {
        let fresh = self.values.len();
        let number = *self.numbers.entry(value.clone()).or_insert(fresh);
        if number == fresh {
            self.values.push((value, element));
        }
        self.list.push((ends, checks, number));
    }

    /// The places at the head of a loop with these locations: those first that the loop and checks mention, elements of
    /// arrays behind others, and what is mentioned often before what is not.
    fn places(&self, inside: &BTreeSet<LocId>) -> Vec<Place> {
        let mut weights = vec![Weight::default(); self.values.len()];
        for ((src, dst), checks, number) in &self.list {
            let near = *checks || inside.contains(src) && inside.contains(dst);
            weights[*number].near |= near;
            weights[*number].count += if near { 3 } else { 1 };
        }
        let place = |value: &Expr, near: bool, element: bool| Place { value: value.clone(), near, element };
        let now =
            self.values.iter().zip(&weights).map(|((e, element), w)| (w.count, place(e, w.near, *element)));
        let before =
            self.entries.iter().map(|(e, n)| (weights[*n].count / 2, place(e, weights[*n].near, false)));
        let mut found: Vec<(u32, Place)> = now.chain(before).collect();
        found.sort_by_key(|(count, p)| (!p.near, p.element, Reverse(*count)));
        found.into_iter().map(|(_, place)| place).collect()
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

/// Where variables of a procedure may still be read before they are overwritten.
struct Lives<'a> {
    program: &'a Program,
    proc: &'a Proc,
    predecessors: IndexVec<LocId, Vec<EdgeId>>,
    /// Those whose address is taken are read anywhere.
    addressed: BTreeSet<VarId>,
    known: BTreeMap<VarId, BTreeSet<LocId>>,
}

impl<'a> Lives<'a> {
    fn new(program: &'a Program, proc: &'a Proc) -> Lives<'a> {
        let mut addressed = BTreeSet::new();
        proc.edges.iter().for_each(|edge| visit::addresses(&edge.op, &mut |v| _ = addressed.insert(v)));
        Lives { program, proc, predecessors: proc.predecessors(), addressed, known: BTreeMap::new() }
    }

    /// The procedure's integer variables of usual size whose address is not taken, as far as they are assigned: those of the
    /// source first, indices before others, and signed ones before unsigned ones.
    fn integers(&self, walked: &Walked) -> Vec<(VarId, Type)> {
        let assigned = self.proc.edges.iter().filter_map(|edge| edge.op.destination()?.as_var());
        let mut variables: Vec<VarId> = self.proc.formals.iter().copied().chain(assigned).collect();
        variables.sort_unstable();
        variables.dedup();
        let is_own = |v: &VarId| self.program.vars[*v].proc().is_some() && !self.addressed.contains(v);
        let typed = variables.into_iter().filter(is_own).map(|v| (v, self.program.vars[v].ty.clone()));
        let mut out: Vec<(VarId, Type)> =
            typed.filter(|(_, ty)| matches!(ty, Type::Int(int) if (32..=64).contains(&int.bits))).collect();
        let has_name = |v: VarId| matches!(self.program.vars[v].kind, VarKind::Local(_) | VarKind::Formal(_));
        let is_index = |v: VarId| walked.indices.contains(&self.program.read(v));
        let is_signed = |ty: &Type| ty.as_int().is_some_and(|int| int.signed);
        out.sort_by_key(|(v, ty)| (!has_name(*v), !is_index(*v), !is_signed(ty)));
        out
    }

    /// Whether all variables that the value is found by may still be read.
    fn is_live(&mut self, value: &Expr, at: LocId) -> bool {
        let mut all = true;
        value.loads(&mut |lv| {
            if let Base::Var(v) = lv.base {
                let own = self.program.vars[v].proc().is_some() && !self.addressed.contains(&v);
                all &= !own || self.locations(v).contains(&at);
            }
        });
        all || matches!(value, Expr::Old(_))
    }

    /// The locations at which a variable may still be read.
    fn locations(&mut self, v: VarId) -> &BTreeSet<LocId> {
        let (proc, predecessors) = (self.proc, &self.predecessors);
        self.known.entry(v).or_insert_with(|| {
            let reads = |op: &Op| {
                let mut reads = false;
                visit::loads(op, &mut |lv| reads |= lv.base == Base::Var(v));
                reads
            };
            let mut pending: Vec<LocId> =
                proc.edges.iter().filter(|edge| reads(&edge.op)).map(|edge| edge.src).collect();
            pending.extend((proc.ret == Some(v)).then_some(proc.exit));
            let mut live: BTreeSet<LocId> = pending.iter().copied().collect();
            while let Some(at) = pending.pop() {
                for edge in predecessors[at].iter().map(|e| &proc.edges[*e]) {
                    let overwrites = edge.op.destination().is_some_and(|lv| lv.as_var() == Some(v));
                    if !overwrites && live.insert(edge.src) {
                        pending.push(edge.src);
                    }
                }
            }
            live
        })
    }
}

/// The constants of the procedure and their neighbours, those in the loop first where there are many, and of the procedures
/// that the loop calls.
fn constants(program: &Program, proc: &Proc, inside: &BTreeSet<LocId>) -> BTreeSet<i128> {
    let mut out = BTreeSet::from([-1, 0, 1]);
    for in_loop in [true, false] {
        for edge in proc.edges.iter().filter(|edge| inside.contains(&edge.src) == in_loop) {
            add_constants(&edge.op, &mut out);
        }
    }
    for callee in callees(program, proc, inside) {
        program.procs[callee].edges.iter().for_each(|edge| add_constants(&edge.op, &mut out));
    }
    out
}

fn add_constants(op: &Op, out: &mut BTreeSet<i128>) {
    visit::nodes(op, &mut |node| {
        if let Expr::Const(v, Type::Int(int)) = node
            && int.bits <= 64
            && out.len() < CONSTANTS
        {
            out.extend([v - 1, *v, v + 1]);
        }
    });
}

/// The procedures that are called in a loop, and those that these call, the nearest first.
fn callees(program: &Program, proc: &Proc, inside: &BTreeSet<LocId>) -> Vec<ProcId> {
    let called = |op: &Op| match op {
        Op::Call { callee: Callee::Direct(q), .. } => Some(*q),
        _ => None,
    };
    let in_loop = proc.edges.iter().filter(|edge| inside.contains(&edge.src));
    let mut out: Vec<ProcId> = vec![];
    let mut pending: VecDeque<ProcId> = in_loop.filter_map(|edge| called(&edge.op)).collect();
    while let Some(q) = pending.pop_front() {
        if !out.contains(&q) {
            out.push(q);
            pending.extend(program.procs[q].edges.iter().filter_map(|edge| called(&edge.op)));
        }
    }
    out
}

/// Most fields of a record that are places where a callee is given its address.
const FIELDS: usize = 8;

/// The integers and pointers of which a callee is given the address, also as those of a record.
fn handed_on(program: &Program, arg: &Expr) -> Vec<Lvalue> {
    let target = match arg.uncast() {
        Expr::AddrOf(lv) => Lvalue::clone(lv),
        pointer @ Expr::Load(_) if pointer.ty().pointee().is_some() => Lvalue::deref(pointer.clone()),
        _ => return vec![],
    };
    let is_scalar = |ty: &Type| matches!(ty, Type::Int(_) | Type::Ptr(_));
    let Type::Record(r) = target.ty else {
        // What a pointer leads to may be one of many.
        let is_one = matches!(target.base, Base::Var(_)) && is_scalar(&target.ty);
        return if is_one { vec![target] } else { vec![] };
    };
    let field = |f: usize| {
        let ty = program.field(r, f as u32).ty.clone();
        is_scalar(&ty).then(|| target.clone().step(Access::Field(r, f as u32), ty))
    };
    (0..program.records[r].fields.len()).filter_map(field).take(FIELDS).collect()
}
