//! Generates the points-to solver's constraints from a program's edges.
//!
//! Every scalar expression that can carry an address has a node; integers carry addresses too (an address that
//! was cast to an integer, or stored where an integer is read). Integer arithmetic keeps the object and forgets
//! the place; an integer that is cast to a pointer also leads to any byte of any object whose address was made
//! a number, unless it is a pointer's own cast. Integer constants below one page, or less than a page from the
//! top, are not addresses.

use super::oracle::AliasMode;
use super::places::{PlaceId, Step};
use super::points_to::{AccessId, DerefAccess, NodeId, Rule, Site, SiteId, Solver};
use super::reasons::Escape;
use super::shape::{count, is_address, is_function, is_narrow, normal, own_cast, skeleton, uncast};
use base::IndexVec;
use ir::expr::{Base, BinOp, Expr, Lvalue, UnOp};
use ir::program::{Callee, EdgeId, HavocKind, Op, ProcId, Program};
use ir::types::Type;
use ir::visit;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Bytes that a pointer leads to.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Values of the pointer.
    pub(super) pointer: Option<NodeId>,
    /// Its pointee type, casts ignored.
    pub(super) elem: Type,
    /// Number of bytes, when constant.
    pub(super) len: Option<u64>,
}

/// Facts about one edge that the oracle needs besides its operation.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgeInfo {
    /// Bytes written or freed.
    pub(super) written: Option<Block>,
    /// Bytes read.
    pub(super) read: Option<Block>,
    /// The call.
    pub(super) site: Option<SiteId>,
}

/// Builds constraints; then holds the solver and the maps that connect it to the program.
pub(super) struct Constraints<'a> {
    pub(super) program: &'a Program,
    pub(super) solver: Solver<'a>,
    exprs: FxHashMap<Expr, Option<NodeId>>,
    accesses: FxHashMap<Lvalue, AccessId>,
    pub(super) edges: IndexVec<ProcId, IndexVec<EdgeId, EdgeInfo>>,
    pub(super) hubs: BTreeMap<(ProcId, EdgeId, Vec<Step>), NodeId>,
    unknown: NodeId,
    /// The places that a number which becomes a pointer may lead to.
    numbers: NodeId,
    /// The edge whose constraints are being made.
    at: (ProcId, EdgeId),
}

impl<'a> Constraints<'a> {
    /// The constraints of the whole program, solved.
    pub(super) fn solve(program: &'a Program, mode: AliasMode) -> Constraints<'a> {
        let mut solver = Solver::new(program, mode);
        let unknown = solver.node();
        let external = solver.places.external();
        solver.add(unknown, external);
        let numbers = solver.numbers();
        let mut this = Constraints {
            program,
            solver,
            exprs: FxHashMap::default(),
            accesses: FxHashMap::default(),
            edges: IndexVec::new(),
            hubs: BTreeMap::new(),
            unknown,
            numbers,
            at: (program.entry, base::Id::from_index(0)),
        };
        for (p, proc) in program.procs.iter_enumerated() {
            let infos = proc.edges.iter_enumerated().map(|(e, edge)| this.edge(p, e, &edge.op)).collect();
            this.edges.push(infos);
        }
        // A rule's effect depends on the layouts, which change while others are applied. So the end is reached when
        // nothing changes although everything is done again: then the answer agrees with the layouts as they are.
        let mut before = None;
        while before != Some(this.solver.progress()) || !this.solver.is_idle() {
            before = Some(this.solver.progress());
            this.solver.again();
            this.solver.run();
            this.blocks();
        }
        this
    }

    fn edge(&mut self, p: ProcId, e: EdgeId, op: &Op) -> EdgeInfo {
        self.at = (p, e);
        self.solver.places.now = Some((p, e));
        visit::evaluated(op, &mut |expr| self.scan(expr));
        let mut info = EdgeInfo::default();
        match op {
            Op::Skip | Op::Assume(_) | Op::Check(..) | Op::Output { .. } => {}
            // The answer is a number, and no address.
            Op::Inspect { dest, .. } => {
                self.written(dest);
            }
            Op::Assign(dest, value) => {
                let from = self.eval(value);
                self.assign(dest, from);
            }
            Op::Havoc(dest, kind) => self.havoc(dest, kind),
            Op::Call { dest, callee, args } => {
                let dest = dest.as_ref().map(|lv| self.written(lv));
                let args = args.iter().map(|a| self.eval(a)).collect();
                info.site =
                    Some(self.call(Site { at: (p, e), args, dest, callees: vec![], unknown: false }, callee));
            }
            Op::Alloc { dest, size, .. } => {
                let size = size.constant().and_then(|n| u64::try_from(n).ok());
                let obj = self.solver.places.object(super::Object::Heap(p, e), None, size);
                let root = self.solver.places.objs[obj].root;
                let to = self.written(dest);
                self.solver.add(to, root);
                let address = self.temp();
                self.solver.add(address, root);
                info.written = Some(Block { pointer: Some(address), elem: Type::Void, len: None });
            }
            Op::Free(ptr) => info.written = Some(self.block(ptr, None)),
            Op::MemSet { ptr, len, .. } => info.written = Some(self.block(ptr, len.constant())),
            Op::MemCopy { dst, src, len } => {
                info.written = Some(self.block(dst, len.constant()));
                info.read = Some(self.block(src, len.constant()));
            }
        }
        info
    }

    fn havoc(&mut self, dest: &Lvalue, kind: &HavocKind) {
        let wide = |bits: u16| self.program.model.pointer_bits() <= bits;
        let unknown = match (kind, &dest.ty) {
            (HavocKind::Uninit, _) => false,
            (_, Type::Ptr(_)) => true,
            (HavocKind::Extern(_) | HavocKind::Unmodelled(_) | HavocKind::Made(..), Type::Int(i)) => {
                wide(i.bits)
            }
            _ => false,
        };
        if let (HavocKind::Extern(_) | HavocKind::Unmodelled(_), Base::Var(v)) = (kind, &dest.base)
            && self.program.vars[*v].proc().is_none()
        {
            let root = self.solver.var(*v);
            self.solver.escape_object(root, Escape::Written(self.at.0, self.at.1));
        }
        self.assign(dest, unknown.then_some(self.unknown));
    }

    fn call(&mut self, site: Site, callee: &Callee) -> SiteId {
        let id = self.solver.sites.push(site);
        match callee {
            Callee::Direct(p) => self.solver.connect(id, *p),
            Callee::Indirect(pointer) => {
                if let Some(node) = self.eval(pointer) {
                    self.solver.watch(node, Rule::Call(id));
                }
            }
        }
        id
    }

    fn block(&mut self, ptr: &Expr, len: Option<i128>) -> Block {
        let inner = uncast(ptr);
        let elem = inner.ty().pointee().cloned().unwrap_or(Type::Void);
        Block { pointer: self.eval(inner), elem, len: len.and_then(|n| u64::try_from(n).ok()) }
    }

    fn assign(&mut self, dest: &Lvalue, from: Option<NodeId>) {
        let to = self.written(dest);
        if let Some(from) = from {
            self.solver.flow(from, to);
        }
    }

    /// The node that values flow to which are assigned to the lvalue.
    fn written(&mut self, lv: &Lvalue) -> NodeId {
        let lv = normal(lv);
        match lv.base {
            Base::Var(_) => self.stored(&lv),
            Base::Deref(_) => {
                let access = self.access(&lv);
                let access = &mut self.solver.accesses[access];
                access.written = true;
                access.input
            }
        }
    }

    /// The node of the values of a path from a variable.
    fn stored(&mut self, lv: &Lvalue) -> NodeId {
        let place = self.named(lv);
        self.solver.value(place)
    }

    /// The place of a path from a variable.
    fn named(&mut self, lv: &Lvalue) -> PlaceId {
        let Base::Var(v) = lv.base else { unreachable!("only called for paths from variables") };
        let root = self.solver.var(v);
        let step = |place, access| self.solver.places.child(place, Step::of(access));
        let place = lv.path.iter().fold(root, step);
        self.solver.settle();
        place
    }

    fn access(&mut self, lv: &Lvalue) -> AccessId {
        let Base::Deref(pointer) = &lv.base else { unreachable!("only called for dereferences") };
        let key = Lvalue { base: lv.base.clone(), path: skeleton(&lv.path), ty: lv.ty.clone() };
        if let Some(id) = self.accesses.get(&key) {
            return *id;
        }
        let node = self.eval(pointer);
        let pointer_node = node.unwrap_or_else(|| self.solver.node());
        let (out, input) = (self.solver.node(), self.solver.node());
        let pointee = pointer.ty().pointee().cloned().unwrap_or(Type::Void);
        let id = self.solver.accesses.push(DerefAccess {
            pointer: pointer_node,
            pointee,
            path: key.path.clone(),
            ty: lv.ty.clone(),
            out,
            input,
            read: false,
            written: false,
            at: self.at,
        });
        self.solver.watch(pointer_node, Rule::Deref(id));
        self.accesses.insert(key, id);
        id
    }

    /// Visits every read and every cast to an integer of the expression.
    fn scan(&mut self, e: &Expr) {
        match e {
            Expr::Const(..) | Expr::Float(..) | Expr::Func(..) => {}
            Expr::Load(lv) => {
                lv.children().for_each(|inner| self.scan(inner));
                self.eval(e);
            }
            Expr::AddrOf(lv) => lv.children().for_each(|inner| self.scan(inner)),
            Expr::Unary(_, x, _) | Expr::Old(x) => self.scan(x),
            Expr::Cast(x, _) => {
                self.scan(x);
                self.eval(e);
            }
            Expr::Binary(op, l, r, _) => {
                // A comparison with a constant yields nothing from which an address could be rebuilt.
                let harmless = |side: &'_ Expr, other: &Expr| {
                    op.is_comparison() && other.constant().is_some() && side.ty().as_int().is_some()
                };
                self.scan(if harmless(l, r) { l.uncast() } else { l });
                self.scan(if harmless(r, l) { r.uncast() } else { r });
            }
            Expr::Cond(c, a, b) => [c, a, b].into_iter().for_each(|x| self.scan(x)),
        }
    }

    fn temp(&mut self) -> NodeId {
        self.solver.node()
    }

    /// The node of the addresses that the expression's value can be or carry; `None` when it carries none.
    fn eval(&mut self, e: &Expr) -> Option<NodeId> {
        match e {
            Expr::Float(..) | Expr::Const(0, _) => return None,
            Expr::Const(v, t) => {
                return (t.is_ptr() && is_address(*v, self.program.model.pointer_bits()))
                    .then_some(self.unknown);
            }
            Expr::Load(lv) => {
                let lv = normal(lv);
                return Some(match lv.base {
                    Base::Var(_) => self.stored(&lv),
                    Base::Deref(_) => {
                        let id = self.access(&lv);
                        self.solver.accesses[id].read = true;
                        self.solver.accesses[id].out
                    }
                });
            }
            Expr::Old(x) => return self.eval(x),
            Expr::Unary(UnOp::Not | UnOp::Left(_) | UnOp::Before(_), ..) => return None,
            Expr::Binary(op, ..) if op.is_comparison() => return None,
            Expr::Binary(BinOp::And | BinOp::Or | BinOp::PtrDiff, ..) => return None,
            _ => {}
        }
        if let Some(known) = self.exprs.get(e) {
            return *known;
        }
        let node = self.eval_new(e);
        self.exprs.insert(e.clone(), node);
        node
    }

    fn eval_new(&mut self, e: &Expr) -> Option<NodeId> {
        match e {
            Expr::AddrOf(lv) => self.address(&normal(lv)),
            Expr::Func(p, _) => {
                let obj = self.solver.places.object(super::Object::Func(*p), None, None);
                let root = self.solver.places.objs[obj].root;
                let to = self.temp();
                self.solver.add(to, root);
                Some(to)
            }
            Expr::Unary(_, x, _) => self.wild(&[x]),
            Expr::Binary(BinOp::PtrAdd, p, i, t) => {
                let pointer = self.eval(p);
                let carried = if is_narrow(i, self.program.model.pointer_bits()) {
                    self.eval(i);
                    None
                } else {
                    self.wild(&[i])
                };
                let Some(pointer) = pointer else { return carried };
                let to = self.temp();
                let elem = t.pointee().cloned().unwrap_or(Type::Void);
                self.solver.watch(pointer, Rule::Shift(elem, count(i), to));
                if let Some(carried) = carried {
                    self.solver.flow(carried, to);
                }
                Some(to)
            }
            Expr::Binary(_, l, r, _) => self.wild(&[l, r]),
            Expr::Cast(x, to) => self.cast(x, to),
            Expr::Cond(_, a, b) => {
                let sides = [self.eval(a), self.eval(b)];
                let to = self.temp();
                sides.into_iter().flatten().for_each(|side| {
                    self.solver.flow(side, to);
                });
                Some(to)
            }
            _ => None,
        }
    }

    fn address(&mut self, lv: &Lvalue) -> Option<NodeId> {
        match &lv.base {
            Base::Var(v) => {
                let root = self.solver.var(*v);
                let (from, to) = (self.temp(), self.temp());
                self.solver.add(from, root);
                let ty = self.solver.places.declared(root);
                self.solver.watch(from, Rule::Address(ty, skeleton(&lv.path), to));
                Some(to)
            }
            Base::Deref(p) if lv.path.is_empty() => self.eval(p),
            Base::Deref(p) => {
                let from = self.eval(p)?;
                let to = self.temp();
                let elem = p.ty().pointee().cloned().unwrap_or(Type::Void);
                self.solver.watch(from, Rule::Address(elem, skeleton(&lv.path), to));
                Some(to)
            }
        }
    }

    fn cast(&mut self, x: &Expr, to: &Type) -> Option<NodeId> {
        let from = x.ty();
        match (&from, to) {
            (Type::Float(_), _) | (_, Type::Float(_)) => None,
            (Type::Ptr(_), Type::Ptr(_)) => self.eval(x),
            (Type::Ptr(_), _) => {
                let node = self.eval(x)?;
                self.solver.expose(node);
                Some(node)
            }
            (_, Type::Ptr(_)) => {
                if let Some(pointer) = own_cast(x, self.program.model.pointer_bits()) {
                    return self.eval(pointer);
                }
                if let Some(v) = x.constant() {
                    return self.eval(&Expr::Const(v, to.clone()));
                }
                let node = self.wild(&[x]).unwrap_or_else(|| self.temp());
                self.solver.flow(self.numbers, node);
                if is_function(to) {
                    self.solver.flow(self.unknown, node);
                }
                Some(node)
            }
            _ => self.eval(x),
        }
    }

    /// A node for addresses somewhere in the objects that the operands' addresses are in.
    fn wild(&mut self, operands: &[&Expr]) -> Option<NodeId> {
        let nodes: Vec<NodeId> = operands.iter().filter_map(|e| self.eval(e)).collect();
        if nodes.is_empty() {
            return None;
        }
        let to = self.temp();
        for node in nodes {
            self.solver.watch(node, Rule::Wild(to));
        }
        Some(to)
    }
}
