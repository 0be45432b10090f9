//! Lives of allocations: typestate on one allocation that each run picks nondeterministically.
//!
//! Two ghost globals hold the watched address and its state: 0 while nothing is watched, the number of its allocation
//! while it lives, -1 once it is freed. Whatever goes wrong with any allocation goes wrong in the run that watches it,
//! so checks on the watched one are enough; and they are exact, since a check fails only for a real allocation.

use super::{Context, describe as text};
use alias::{AliasOracle, Object, PointsTo};
use ir::edit::{Step, ghost};
use ir::expr::{Base, BinOp, Expr, Lvalue, UnOp};
use ir::extent::simplified;
use ir::program::{CheckKind, EdgeId, EdgeKind, Op, ProcId, Program, VarId, VarKind};
use ir::types::{IntType, Type};
use ir::visit;
use std::collections::{BTreeMap, BTreeSet};

/// The condition under which an accessed object lives.
pub(crate) enum Life {
    /// The object certainly lives.
    Lives,
    /// It lives if this holds.
    If(Expr),
    /// The object itself must be queried.
    Ask,
}

/// The ghosts and what the analysis knows of lives.
pub(crate) struct Lifetime {
    /// The watched address and its state.
    ghosts: Option<(Lvalue, Lvalue)>,
    /// The numbers of the allocations, from 1.
    sites: BTreeMap<(ProcId, EdgeId), i128>,
    /// The objects that some `free` may free.
    freed: PointsTo,
    /// Locals, and memory of the stack, whose address may outlive them.
    escaping: BTreeSet<Object>,
    /// Locals that hold nothing but memory of their own function's stack, as the names of arrays of variable length do.
    arrays: BTreeSet<VarId>,
}

const NOTHING: i128 = 0;
const FREED: i128 = -1;

/// A check excludes a pointer to at most this many variables by comparing it with each.
const VARIABLES: usize = 4;

impl Lifetime {
    /// Adds the ghosts to `out`, when the kinds need them and the program allocates.
    pub(crate) fn new(
        out: &mut Program,
        program: &Program,
        oracle: &AliasOracle,
        kinds: &BTreeSet<CheckKind>,
    ) -> Lifetime {
        let mut this = Lifetime {
            ghosts: None,
            sites: BTreeMap::new(),
            freed: PointsTo::default(),
            escaping: BTreeSet::new(),
            arrays: arrays(program, oracle),
        };
        if !kinds.contains(&CheckKind::Free) && !kinds.contains(&CheckKind::Leak) {
            return this;
        }
        let main = lasting(program, oracle);
        let mut escapes = BTreeSet::new();
        for (p, e, edge) in program.edges() {
            match &edge.op {
                // Internal ones are on the stack, or not the program's.
                Op::Alloc { .. } if edge.kind != EdgeKind::Internal => {
                    let number = this.sites.len() as i128 + 1;
                    this.sites.insert((p, e), number);
                }
                // Only a variable of the function itself is gone with the memory.
                Op::Alloc { dest, .. } => {
                    let kept = |v: VarId| match program.vars[v].kind {
                        VarKind::Formal(q) | VarKind::Local(q) | VarKind::Temp(q) => q == p,
                        VarKind::Global | VarKind::Return(_) => false,
                    };
                    if !matches!(dest.base, Base::Var(v) if kept(v)) {
                        this.escaping.insert(Object::Heap(p, e));
                    }
                }
                op if op.ends().is_some() => this.escaping.extend(op.ends().map(Object::Var)),
                Op::Free(ptr) => {
                    this.freed.add(oracle.points_to(ptr));
                }
                op => note_escapes(program, oracle, op, &mut escapes),
            }
        }
        // Variables of blocks that end before are among the ends; arrays of variable length are not.
        let ends_with_program =
            |o: &Object| matches!(o, Object::Var(v) if main.is_some() && program.vars[*v].proc() == main);
        this.escaping.extend(escapes.into_iter().filter(|o| !ends_with_program(o)));
        if !this.sites.is_empty() {
            let span = program.procs[program.entry].span;
            let mut global = |wish, ty| ghost(out, wish, ty, span);
            this.ghosts =
                Some((global("watched__", Type::Void.ptr_to()), global("watched__state", Type::INT)));
        }
        this
    }

    fn state(&self) -> Option<(Lvalue, Lvalue)> {
        self.ghosts.clone()
    }

    /// Nothing is watched when the program starts.
    pub(crate) fn at_start(&self) -> Vec<Step> {
        let Some((watched, state)) = self.state() else { return vec![] };
        let null = Expr::Const(0, watched.ty.clone());
        vec![Step::Op(Op::Assign(watched, null)), Step::Op(Op::Assign(state, Expr::int(NOTHING)))]
    }

    /// Behind an allocation: it may become the watched one.
    pub(crate) fn allocated(&self, p: ProcId, e: EdgeId, dest: &Lvalue) -> Vec<Step> {
        let (Some((watched, state)), Some(number)) = (self.state(), self.sites.get(&(p, e))) else {
            return vec![];
        };
        let address = dest.clone().load();
        let given = Expr::binary(BinOp::Ne, address.clone(), Expr::Const(0, address.ty()));
        let idle = Expr::binary(BinOp::Eq, state.clone().load(), Expr::int(NOTHING));
        let address = address.cast(watched.ty.clone());
        let ops = vec![Op::Assign(watched, address), Op::Assign(state, Expr::int(*number))];
        vec![Step::Maybe(Expr::and(idle, given), ops)]
    }

    /// The condition that the pointer is not the watched allocation after its end.
    pub(crate) fn not_freed(&self, p: &Expr) -> Option<Expr> {
        let (watched, state) = self.state()?;
        let alive = Expr::binary(BinOp::Ne, state.load(), Expr::int(FREED));
        let other = Expr::binary(BinOp::Ne, watched.clone().load(), p.clone().cast(watched.ty));
        Some(Expr::or(alive, other))
    }

    /// The condition that the pointer does not point into the watched allocation after its end.
    fn not_into_freed(&self, program: &Program, p: &Expr) -> Option<Expr> {
        self.not_freed(&simplified(program, UnOp::Start, p, &|v| v)?)
    }

    /// In front of a `free`: the watched allocation ends.
    pub(crate) fn freed(&self, p: &Expr) -> Vec<Step> {
        let Some((watched, state)) = self.state() else { return vec![] };
        let lives = Expr::binary(BinOp::Gt, state.clone().load(), Expr::int(NOTHING));
        let same = Expr::binary(BinOp::Eq, watched.clone().load(), p.clone().cast(watched.ty));
        let end = Op::Assign(state, Expr::int(FREED));
        vec![Step::When(Expr::and(lives, same), end)]
    }

    /// Whether `free` may have the pointer, ends of lives aside.
    pub(crate) fn is_allocation(&self, cx: &Context<'_>, p: &Expr) -> bool {
        let shape = cx.shapes.of(cx.program, cx.oracle, p);
        shape.start && !shape.garbage
    }

    /// The condition that the pointer is none of the variables that it may point to, where without those it is an
    /// allocation that `free` may have.
    pub(crate) fn is_no_variable(&self, cx: &Context<'_>, p: &Expr) -> Option<Expr> {
        let shape = cx.shapes.of(cx.program, cx.oracle, p);
        let targets = cx.oracle.points_to(p);
        if !shape.begins || shape.garbage || targets.unknown {
            return None;
        }
        let mut conditions = vec![];
        for target in &targets.objects {
            match target {
                Object::Heap(proc, e) if self.sites.contains_key(&(*proc, *e)) => {}
                Object::Var(v) if conditions.len() < VARIABLES => {
                    let address = cx.program.lvalue(*v).addr().cast(p.ty());
                    conditions.push(Expr::binary(BinOp::Ne, p.clone(), address));
                }
                _ => return None,
            }
        }
        conditions.into_iter().reduce(Expr::and)
    }

    /// Whether the pointer is one to memory that lives as long as the function that accesses it runs.
    pub(crate) fn is_array(&self, p: &Expr) -> bool {
        matches!(p, Expr::Load(lv) if lv.path.is_empty() && matches!(lv.base, Base::Var(v) if self.arrays.contains(&v)))
    }

    /// The condition of an access through the pointer.
    pub(crate) fn access(&self, cx: &Context<'_>, p: &Expr) -> Life {
        let shape = cx.shapes.of(cx.program, cx.oracle, p);
        let targets = cx.oracle.points_to(p);
        // Objects unknown to the program are alive, such as everything from outside or at a fixed number.
        if (!shape.made || targets.unknown) && self.outside_knows_mortals(cx.oracle) {
            return Life::Ask;
        }
        let mut may_be_freed = false;
        // Memory of the stack ends with its function.
        let on_stack = |o: &Object| matches!(o, Object::Heap(p, e) if !self.sites.contains_key(&(*p, *e)) && !cx.covered.contains(p));
        for target in &targets.objects {
            match target {
                Object::Var(_) if self.escaping.contains(target) => return Life::Ask,
                Object::Var(_) => {}
                Object::Heap(..) if on_stack(target) => {
                    // No ghost follows it, should somebody free it.
                    let freed = self.freed.unknown || self.freed.objects.contains(target);
                    if freed || self.escaping.contains(target) {
                        return Life::Ask;
                    }
                }
                Object::Heap(..) => may_be_freed |= self.freed.unknown || self.freed.objects.contains(target),
                Object::External => {}
                Object::Func(_) => return Life::Ask,
            }
        }
        if !may_be_freed {
            return Life::Lives;
        }
        let condition = if shape.start { self.not_freed(p) } else { self.not_into_freed(cx.program, p) };
        condition.map_or(Life::Ask, Life::If)
    }

    /// Whether a pointer that the program does not know may lead to an object whose life has ended.
    fn outside_knows_mortals(&self, oracle: &AliasOracle) -> bool {
        let mut ending = self.freed.objects.iter().chain(&self.escaping);
        self.freed.unknown || ending.any(|o| oracle.is_known_outside(*o))
    }

    /// The check at the end of the program: the watched allocation does not live. It is about the place of the
    /// allocation.
    pub(crate) fn at_end(&self, cx: &Context<'_>) -> Vec<Step> {
        let Some((_, state)) = self.state() else { return vec![] };
        if !cx.wants(CheckKind::Leak) {
            return vec![];
        }
        let check = |((p, e), number): (&(ProcId, EdgeId), &i128)| {
            let edge = &cx.program.procs[*p].edges[*e];
            let name = match &edge.op {
                Op::Alloc { dest, .. } => text::lvalue(cx.program, cx.describe, dest),
                _ => String::new(),
            };
            Step::Check {
                questions: vec![],
                known: None,
                kind: CheckKind::Leak,
                condition: Expr::binary(BinOp::Ne, state.clone().load(), Expr::int(*number)),
                message: format!("memory allocated at line {} ({name}) is never freed", edge.span.start.line),
                at: Some(edge.span),
            }
        };
        // Objects made by the harness of an entry function are not the program's to free.
        let own = |((p, _), _): &(&(ProcId, EdgeId), &i128)| !cx.covered.contains(p);
        self.sites.iter().filter(own).map(check).collect()
    }
}

/// The procedure that runs until the program ends: the entry calls it once, there is no other call, and behind
/// the call nothing is accessed through pointers. Its locals live whenever the program accesses memory, unless
/// their block ends.
fn lasting(program: &Program, oracle: &AliasOracle) -> Option<ProcId> {
    let entry = &program.procs[program.entry];
    let mut calls = entry.edges.iter().filter_map(|edge| Some((edge.op.calls()?, edge.dst)));
    let (main, behind) = calls.next_back()?;
    let mut named = 0;
    for (_, _, edge) in program.edges() {
        named += usize::from(edge.op.calls() == Some(main));
        visit::nodes(&edge.op, &mut |node| {
            named += 2 * usize::from(matches!(node, Expr::Func(q, _) if *q == main));
        });
    }
    if named != 1 || oracle.is_recursive(main) || oracle.is_recursive(program.entry) {
        return None;
    }
    let successors = entry.successors();
    let (mut seen, mut work) = (BTreeSet::from([behind]), vec![behind]);
    while let Some(at) = work.pop() {
        for edge in successors[at].iter().map(|e| &entry.edges[*e]) {
            let quiet = matches!(
                edge.op,
                Op::Skip | Op::Assign(..) | Op::Havoc(..) | Op::Assume(_) | Op::Output { .. }
            );
            let mut by_name = edge.op.destination().is_none_or(|lv| matches!(lv.base, Base::Var(_)));
            visit::loads(&edge.op, &mut |lv| by_name &= matches!(lv.base, Base::Var(_)));
            if !quiet || !by_name {
                return None;
            }
            if seen.insert(edge.dst) {
                work.push(edge.dst);
            }
        }
    }
    Some(main)
}

/// The procedure with which the object's life ends at the latest; `None` for what no procedure's end ends.
fn owner(program: &Program, object: &Object) -> Option<ProcId> {
    match object {
        Object::Var(v) => program.vars[*v].proc(),
        Object::Heap(p, e) if program.procs[*p].edges[*e].kind == EdgeKind::Internal => Some(*p),
        Object::Heap(..) | Object::Func(_) | Object::External => None,
    }
}

/// Notes the locals, and the memory of the stack, whose address the operation stores where it may be found after their function
/// has ended.
fn note_escapes(program: &Program, oracle: &AliasOracle, op: &Op, escaping: &mut BTreeSet<Object>) {
    let locals = |e: &Expr| -> Vec<Object> {
        let objects = oracle.points_to(e).objects.into_iter();
        objects.filter(|o| owner(program, o).is_some()).collect()
    };
    match op {
        Op::Assign(lv, value) if may_hold_address(program, &value.ty()) => {
            let held = locals(value);
            escaping.extend(held.into_iter().filter(|o| outlives(program, oracle, lv, o)));
        }
        // The result of a function is found by its caller.
        Op::Call { dest: Some(lv), .. } if may_hold_address(program, &lv.ty) => {
            let held = locals(&lv.clone().load());
            escaping.extend(held.into_iter().filter(|o| outlives(program, oracle, lv, o)));
        }
        // There are no addresses in a string literal; otherwise the contents of a copy are not followed.
        Op::MemCopy { src, .. } if is_literal(program, oracle, src) => {}
        Op::MemCopy { dst, .. } => {
            let inside = |o: &Object| matches!(o, Object::Var(v) if program.vars[*v].proc().is_some());
            let set = oracle.points_to(dst);
            if set.unknown
                || !set.objects.iter().all(inside)
                || !set.objects.iter().all(|o| holds_no_pointers(program, o))
            {
                let variables = program.vars.ids().map(Object::Var);
                let allocated = program.edges().filter(|(_, _, edge)| matches!(edge.op, Op::Alloc { .. }));
                let objects = variables.chain(allocated.map(|(p, e, _)| Object::Heap(p, e)));
                escaping.extend(objects.filter(|o| owner(program, o).is_some()));
            }
        }
        _ => {}
    }
}

fn is_literal(program: &Program, oracle: &AliasOracle, pointer: &Expr) -> bool {
    let set = oracle.points_to(pointer);
    let literal = |o: &Object| matches!(o, Object::Var(v) if program.vars[*v].data.is_some());
    !set.unknown && set.objects.iter().all(literal)
}

fn holds_no_pointers(program: &Program, o: &Object) -> bool {
    let Object::Var(v) = o else { return false };
    let mut work = vec![program.vars[*v].ty.clone()];
    while let Some(ty) = work.pop() {
        match ty {
            Type::Ptr(_) => return false,
            Type::Array(elem, _) => work.push((*elem).clone()),
            Type::Record(r) => work.extend(program.records[r].fields.iter().map(|f| f.ty.clone())),
            _ => {}
        }
    }
    true
}

/// Addresses travel in pointers and in integers that are wide enough.
pub fn may_hold_address(program: &Program, ty: &Type) -> bool {
    match ty {
        Type::Ptr(_) => true,
        Type::Int(IntType { bits, .. }) => *bits >= program.model.pointer_bits(),
        _ => false,
    }
}

/// Whether what is stored at the location can be found after the object's life.
fn outlives(program: &Program, oracle: &AliasOracle, lv: &Lvalue, object: &Object) -> bool {
    let owner = owner(program, object);
    // An array of variable length ends with its block. Where only its own name and functions that run meanwhile have the address,
    // nobody has it then.
    let with_block = matches!(object, Object::Heap(..));
    let is_owners = |v: VarId| program.vars[v].proc() == owner;
    let same_activation =
        |v: VarId| !with_block && is_owners(v) && owner.is_some_and(|p| !oracle.is_recursive(p));
    match &lv.base {
        Base::Var(v) => match program.vars[*v].kind {
            VarKind::Global => true,
            // Its own function ends with that; another one runs while the local lives, and so does its caller.
            VarKind::Return(p) => Some(p) == owner,
            VarKind::Formal(_) | VarKind::Local(_) if with_block && is_owners(*v) => true,
            // A variable of a running function that no pointer reaches ends before, or with, the local.
            VarKind::Formal(_) | VarKind::Local(_) | VarKind::Temp(_) => {
                oracle.address_taken(*v) && !same_activation(*v)
            }
        },
        Base::Deref(p) => {
            let set = oracle.points_to(p);
            set.unknown || !set.objects.iter().all(|o| matches!(o, Object::Var(v) if same_activation(*v)))
        }
    }
}

/// Locals whose address is not taken, and that only allocations on the stack write.
fn arrays(program: &Program, oracle: &AliasOracle) -> BTreeSet<VarId> {
    let (mut arrays, mut others) = (BTreeSet::new(), BTreeSet::new());
    for (_, _, edge) in program.edges() {
        let Some(Lvalue { base: Base::Var(v), .. }) = edge.op.destination() else { continue };
        let stack = matches!(edge.op, Op::Alloc { .. }) && edge.kind == EdgeKind::Internal;
        if stack { &mut arrays } else { &mut others }.insert(*v);
    }
    let is_local =
        |v: &VarId| matches!(program.vars[*v].kind, VarKind::Local(_)) && !oracle.address_taken(*v);
    arrays.into_iter().filter(|v| is_local(v) && !others.contains(v)).collect()
}
