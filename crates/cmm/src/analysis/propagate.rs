//! Constants and copies are read where variables that are known to hold them were read.
//!
//! Inside one procedure this is forward data flow over its edges, for its scalar variables whose address is never
//! taken, so that only assignments by name change them. Reads become the constant or, for temporaries only, the
//! variable that was copied: predicates and traces go on speaking of the source's variables. Besides, globals that
//! nothing writes after their initialiser are constants everywhere. Nothing is known of what was not assigned, and
//! operations that C leaves undefined stay. The result has exactly the executions of the program: what is assigned,
//! edges, locations, ids, spans and kinds stay.

use super::oracle::AliasOracle;
use super::visit;
use crate::expr::{Base, BinOp, Expr, Lvalue, UnOp};
use crate::interp;
use crate::program::{Callee, EdgeId, LocId, Op, Proc, ProcId, Program, VarId, VarKind};
use crate::types::Type;
use base::IndexVec;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// Larger procedures (variables times locations) are left as they are, to bound memory.
const MAX_FACTS: usize = 2_000_000;

/// A program with constants and copies propagated.
#[derive(Clone, Debug)]
pub struct Propagated {
    /// The program.
    pub program: Program,
    /// How many reads became constants.
    pub constants: usize,
    /// How many reads became reads of the copied variable.
    pub copies: usize,
}

/// What a variable is known to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    /// This number, of the variable's type; of pointers only NULL is known.
    Constant(i128),
    /// What this variable holds.
    Copy(VarId),
}

type Facts = BTreeMap<VarId, Value>;

/// Propagates constants and copies; variables in `kept` stay where they are read. The oracle is the program's, or of
/// one of which the program is a slice.
pub fn propagate(program: &Program, oracle: &AliasOracle, kept: &BTreeSet<VarId>) -> Propagated {
    let aimed = address_taken(program);
    let globals = constant_globals(program, oracle, &aimed, kept);
    let none = Facts::new();
    let mut out = Propagated { program: program.clone(), constants: 0, copies: 0 };
    for (p, proc) in program.procs.iter_enumerated().filter(|(_, proc)| proc.has_body) {
        // The entry procedure is where these globals do not have their values yet.
        let globals = if p == program.entry { &none } else { &globals };
        let states = flow(program, proc, globals, &aimed, kept);
        for (e, edge) in proc.edges.iter_enumerated() {
            let Some(facts) = &states[edge.src] else { continue };
            let mut rewriter = Rewriter { program, globals, facts, constants: 0, copies: 0 };
            out.program.procs[p].edges[e].op = rewriter.op(&edge.op);
            out.constants += rewriter.constants;
            out.copies += rewriter.copies;
        }
    }
    out
}

/// The variables whose address, or that of a part, occurs somewhere.
fn address_taken(program: &Program) -> BTreeSet<VarId> {
    let mut aimed = BTreeSet::new();
    for edge in program.procs.iter().flat_map(|p| p.edges.iter()) {
        visit::evaluated(&edge.op, &mut |e| {
            e.walk(&mut |node| {
                if let Expr::AddrOf(lv) = node
                    && let Base::Var(v) = lv.base
                {
                    aimed.insert(v);
                }
            });
        });
    }
    aimed
}

fn is_simple(ty: &Type) -> bool {
    matches!(ty, Type::Int(_) | Type::Ptr(_))
}

/// Globals whose only write in the program is a constant's, in the entry procedure before anything else can run.
fn constant_globals(
    program: &Program,
    oracle: &AliasOracle,
    aimed: &BTreeSet<VarId>,
    kept: &BTreeSet<VarId>,
) -> Facts {
    let mut facts = Facts::new();
    if is_called(program, program.entry) {
        return facts;
    }
    let entry = &program.procs[program.entry];
    let start = straight_start(entry);
    let mut writes: BTreeMap<VarId, usize> = BTreeMap::new();
    for edge in program.procs.iter().flat_map(|p| p.edges.iter()) {
        if let Some(Lvalue { base: Base::Var(v), .. }) = visit::destination(&edge.op) {
            *writes.entry(*v).or_default() += 1;
        }
    }
    for e in start {
        if let Op::Assign(dest, value) = &entry.edges[e].op
            && let Some(v) = dest.as_var()
            && let Some(constant) = constant(value)
            && program.vars[v].kind == VarKind::Global
            && is_simple(&dest.ty)
            && writes[&v] == 1
            && !aimed.contains(&v)
            && !kept.contains(&v)
            && !oracle.escaped().contains(oracle.cell(dest))
        {
            facts.insert(v, Value::Constant(constant));
        }
    }
    facts
}

/// Whether the procedure is called by name or its address taken.
fn is_called(program: &Program, p: ProcId) -> bool {
    let mut called = false;
    for edge in program.procs.iter().flat_map(|q| q.edges.iter()) {
        called |= matches!(&edge.op, Op::Call { callee: Callee::Direct(q), .. } if *q == p);
        visit::evaluated(&edge.op, &mut |e| {
            e.walk(&mut |node| called |= matches!(node, Expr::Func(q, _) if *q == p));
        });
    }
    called
}

/// The edges from the entry on that every execution takes once, in this order, before the first call.
fn straight_start(proc: &Proc) -> Vec<EdgeId> {
    let (successors, predecessors) = (proc.successors(), proc.predecessors());
    let (mut at, mut out) = (proc.entry, vec![]);
    if !predecessors[at].is_empty() {
        return out;
    }
    while let [e] = successors[at].as_slice() {
        at = proc.edges[*e].dst;
        if predecessors[at].len() != 1 || matches!(proc.edges[*e].op, Op::Call { .. }) {
            break;
        }
        out.push(*e);
    }
    out
}

/// The number that the expression is; of pointers only NULL is one.
fn constant(e: &Expr) -> Option<i128> {
    match e {
        Expr::Const(v, Type::Int(_)) => Some(*v),
        Expr::Const(0, Type::Ptr(_)) => Some(0),
        Expr::Cast(inner, Type::Ptr(_)) if matches!(**inner, Expr::Const(0, _)) => Some(0),
        _ => None,
    }
}

/// For each location that edges lead to what is known there, whatever the way.
fn flow(
    program: &Program,
    proc: &Proc,
    globals: &Facts,
    aimed: &BTreeSet<VarId>,
    kept: &BTreeSet<VarId>,
) -> IndexVec<LocId, Option<Rc<Facts>>> {
    let own = proc.formals.iter().chain(&proc.locals).copied();
    let tracked: BTreeSet<VarId> =
        own.filter(|v| !aimed.contains(v) && is_simple(&program.vars[*v].ty)).collect();
    let mut states = IndexVec::from_elem(None, proc.locations.len());
    if tracked.len().saturating_mul(proc.locations.len()) > MAX_FACTS {
        return proc.locations.ids().map(|_| Some(Rc::default())).collect();
    }
    let successors = proc.successors();
    let mut queued = IndexVec::from_elem(false, proc.locations.len());
    states[proc.entry] = Some(Rc::default());
    let mut pending = VecDeque::from([proc.entry]);
    while let Some(at) = pending.pop_front() {
        queued[at] = false;
        for e in &successors[at] {
            let edge = &proc.edges[*e];
            let before: Rc<Facts> = Rc::clone(states[at].as_ref().expect("queued locations were reached"));
            let after = transfer(program, globals, &tracked, kept, before, &edge.op);
            if join(&mut states[edge.dst], after) && !std::mem::replace(&mut queued[edge.dst], true) {
                pending.push_back(edge.dst);
            }
        }
    }
    states
}

/// Keeps what both know; whether the state has changed.
fn join(state: &mut Option<Rc<Facts>>, new: Rc<Facts>) -> bool {
    let Some(old) = state else {
        *state = Some(new);
        return true;
    };
    if Rc::ptr_eq(old, &new) || old.iter().all(|(v, value)| new.get(v) == Some(value)) {
        return false;
    }
    Rc::make_mut(old).retain(|v, value| new.get(v) == Some(value));
    true
}

fn transfer(
    program: &Program,
    globals: &Facts,
    tracked: &BTreeSet<VarId>,
    kept: &BTreeSet<VarId>,
    before: Rc<Facts>,
    op: &Op,
) -> Rc<Facts> {
    let Some(v) = visit::destination(op).and_then(Lvalue::as_var).filter(|v| tracked.contains(v)) else {
        return before;
    };
    let mut after = Facts::clone(&before);
    after.remove(&v);
    after.retain(|_, value| *value != Value::Copy(v));
    let Op::Assign(dest, value) = op else { return Rc::new(after) };
    if kept.contains(&v) {
        return Rc::new(after);
    }
    let mut rewriter = Rewriter { program, globals, facts: &before, constants: 0, copies: 0 };
    let value = rewriter.whole(value);
    if let Some(c) = constant(&value) {
        after.insert(v, Value::Constant(c));
    } else if let Expr::Load(lv) = &value
        && let Some(w) = lv.as_var()
        && matches!(program.vars[v].kind, VarKind::Temp(_))
        && w != v
        && tracked.contains(&w)
        && lv.ty == dest.ty
    {
        after.insert(v, Value::Copy(w));
    }
    Rc::new(after)
}

/// Puts what is known in the place of reads, and counts.
struct Rewriter<'a> {
    program: &'a Program,
    globals: &'a Facts,
    facts: &'a Facts,
    constants: usize,
    copies: usize,
}

impl Rewriter<'_> {
    fn op(&mut self, op: &Op) -> Op {
        match op {
            Op::Skip | Op::Output { .. } => op.clone(),
            Op::Assign(dest, e) => Op::Assign(self.inside(dest), self.whole(e)),
            Op::Havoc(dest, kind) => Op::Havoc(self.inside(dest), kind.clone()),
            Op::Assume(e) => Op::Assume(self.condition(e)),
            Op::Check(id, e) => Op::Check(*id, self.condition(e)),
            Op::Call { dest, callee, args } => Op::Call {
                dest: dest.as_ref().map(|lv| self.inside(lv)),
                callee: match callee {
                    Callee::Direct(p) => Callee::Direct(*p),
                    Callee::Indirect(e) => Callee::Indirect(self.expr(e)),
                },
                args: args.iter().map(|e| self.whole(e)).collect(),
            },
            Op::Alloc { dest, size, zeroed, may_fail } => Op::Alloc {
                dest: self.inside(dest),
                size: self.expr(size),
                zeroed: *zeroed,
                may_fail: *may_fail,
            },
            Op::Free(e) => Op::Free(self.expr(e)),
            Op::Inspect { dest, query, ptr } => {
                Op::Inspect { dest: self.inside(dest), query: *query, ptr: self.expr(ptr) }
            }
            Op::MemSet { ptr, byte, len } => {
                Op::MemSet { ptr: self.expr(ptr), byte: self.expr(byte), len: self.expr(len) }
            }
            Op::MemCopy { dst, src, len } => {
                Op::MemCopy { dst: self.expr(dst), src: self.expr(src), len: self.expr(len) }
            }
        }
    }

    /// Pointers and indices inside of a destination are read; what they lead to is the same location.
    fn inside(&mut self, dest: &Lvalue) -> Lvalue {
        dest.clone().map(&mut |e| self.node(e))
    }

    fn expr(&mut self, e: &Expr) -> Expr {
        e.clone().map(&mut |e| self.node(e))
    }

    /// An expression whose value is only passed on, so that it may be NULL itself.
    fn whole(&mut self, e: &Expr) -> Expr {
        let e = self.expr(e);
        self.null(e)
    }

    fn condition(&mut self, e: &Expr) -> Expr {
        let e = self.whole(e);
        truth(&e).map_or(e, Expr::truth)
    }

    fn known(&self, v: VarId) -> Option<Value> {
        self.facts.get(&v).or_else(|| self.globals.get(&v)).copied()
    }

    /// The node, whose operands are done. NULL is put only where it is compared or passed on: a dereference of a
    /// variable stays one.
    fn node(&mut self, e: Expr) -> Expr {
        match e {
            Expr::Load(lv) => match lv.as_var().and_then(|v| self.known(v)) {
                Some(Value::Constant(c)) if lv.ty.as_int().is_some() => {
                    self.constants += 1;
                    Expr::Const(c, lv.ty)
                }
                Some(Value::Copy(w)) => {
                    self.copies += 1;
                    self.program.read(w)
                }
                _ => Expr::Load(lv),
            },
            Expr::Unary(op, operand, ty) => {
                let operand = if op == UnOp::Not { self.null(*operand) } else { *operand };
                self.unary(op, operand, ty)
            }
            Expr::Binary(op, l, r, ty) => {
                let takes_null = matches!(op, BinOp::Eq | BinOp::Ne | BinOp::And | BinOp::Or);
                let (l, r) = if takes_null { (self.null(*l), self.null(*r)) } else { (*l, *r) };
                self.binary(op, l, r, ty)
            }
            Expr::Cast(inner, ty) if is_int(&inner) && ty.as_int().is_some() => inner.cast(ty),
            other => other,
        }
    }

    /// NULL for the read of a variable that is known to hold it.
    fn null(&mut self, e: Expr) -> Expr {
        if let Expr::Load(lv) = &e
            && let Some(Value::Constant(0)) = lv.as_var().and_then(|v| self.known(v))
            && lv.ty.is_ptr()
        {
            self.constants += 1;
            return Expr::Const(0, lv.ty.clone());
        }
        e
    }

    fn unary(&self, op: UnOp, operand: Expr, ty: Type) -> Expr {
        let folded = match (op, &operand) {
            (UnOp::Not, _) => truth(&operand).map(|b| Expr::truth(!b)),
            (_, Expr::Const(v, Type::Int(i))) if i.bits < 128 => {
                interp::int_unary(op, *v, *i, self.program.signed_wrap)
                    .ok()
                    .map(|v| Expr::Const(v, ty.clone()))
            }
            _ => None,
        };
        folded.unwrap_or_else(|| Expr::Unary(op, Box::new(operand), ty))
    }

    /// Operations on constants that C defines are done; logical ones stop at the left operand as evaluation does.
    fn binary(&self, op: BinOp, l: Expr, r: Expr, ty: Type) -> Expr {
        let folded = match (op, &l, &r) {
            (BinOp::And | BinOp::Or, ..) => match (truth(&l), truth(&r)) {
                (Some(left), _) if left == (op == BinOp::Or) => Some(Expr::truth(left)),
                (Some(_), Some(right)) => Some(Expr::truth(right)),
                _ => None,
            },
            (BinOp::PtrAdd | BinOp::PtrDiff, ..) => None,
            (BinOp::Eq | BinOp::Ne, Expr::Const(0, Type::Ptr(_)), Expr::Const(0, Type::Ptr(_))) => {
                Some(Expr::truth(op == BinOp::Eq))
            }
            (_, Expr::Const(a, Type::Int(i)), Expr::Const(b, Type::Int(_))) if i.bits < 128 => {
                let value = interp::int_binary(op, *a, *b, *i, self.program.signed_wrap).ok();
                value.map(|v| Expr::Const(v, ty.clone()))
            }
            _ => None,
        };
        folded.unwrap_or_else(|| Expr::Binary(op, Box::new(l), Box::new(r), ty))
    }
}

fn is_int(e: &Expr) -> bool {
    matches!(e, Expr::Const(_, Type::Int(_)))
}

/// Whether the constant is not zero.
fn truth(e: &Expr) -> Option<bool> {
    match e {
        Expr::Const(v, Type::Int(_)) => Some(*v != 0),
        Expr::Const(0, Type::Ptr(_)) => Some(false),
        _ => None,
    }
}
