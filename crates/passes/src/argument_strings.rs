//! Facts about the strings that `main` gets, assumed where it reads the list: `argv[i]` is NULL for `i ==
//! argc`, and the start of an object of at least one byte for smaller `i`. They follow from how the list is
//! made, which would take a proof about all elements of an array; so they help proofs, and change no execution.
//!
//! Invariant: nothing is assumed unless the list is only ever read by `main` itself, which only the start
//! procedure calls.

use ir::convert::difference_type;
use ir::visit;
use ir::{
    Base, BinOp, Callee, Edge, EdgeId, EdgeKind, Expr, IntType, LocId, Location, Lvalue, Op, ProcId, Program,
    Type, UnOp, VarId,
};

/// The name of the procedure that makes the list of strings.
pub const ARGUMENTS: &str = "slam_arguments";

/// The facts, and the variables they are about.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    main: ProcId,
    count: VarId,
    list: VarId,
    /// Whether sizes of objects are of interest.
    sizes: bool,
}

impl Known {
    /// The facts about a program that gives strings to `main`.
    pub fn of(program: &Program, sizes: bool) -> Option<Known> {
        let start = &program.procs[program.entry];
        let makes = |op: &Op| match op {
            Op::Call { callee: Callee::Direct(q), .. } => program.procs[*q].name == ARGUMENTS,
            _ => false,
        };
        if !start.edges.iter().any(|e| makes(&e.op)) {
            return None;
        }
        let main = program.find_proc("main")?;
        let [count, list, ..] = program.procs[main].formals[..] else { return None };
        let known = Known { main, count, list, sizes };
        (known.is_called_once(program) && known.only_reads(program)).then_some(known)
    }

    fn is_called_once(&self, program: &Program) -> bool {
        let mut calls = 0;
        let mut addressed = false;
        for edge in program.procs.iter().flat_map(|p| &p.edges) {
            calls +=
                usize::from(matches!(edge.op, Op::Call { callee: Callee::Direct(q), .. } if q == self.main));
            visit::nodes(&edge.op, &mut |node| {
                addressed |= matches!(node, Expr::Func(q, _) if *q == self.main)
            });
        }
        calls == 1 && !addressed
    }

    fn only_reads(&self, program: &Program) -> bool {
        program.procs[self.main].edges.iter().all(|edge| {
            let mut clean = edge.op.destination().is_none_or(|lv| self.leaves(lv, true));
            visit::evaluated(&edge.op, &mut |e| clean &= self.is_clean(e));
            clean
        })
    }

    /// Whether nothing but elements of the list is read, and the number only read.
    fn is_clean(&self, e: &Expr) -> bool {
        if let Some(index) = self.element(e) {
            return self.is_clean(&index);
        }
        match e {
            Expr::Load(lv) => self.leaves(lv, false),
            Expr::AddrOf(lv) => self.leaves(lv, true),
            Expr::Unary(_, x, _) | Expr::Cast(x, _) | Expr::Old(x) => self.is_clean(x),
            Expr::Binary(op, l, r, _) => {
                let compared = |e: &Expr| op.is_comparison() && self.is_list(e);
                (compared(l) || self.is_clean(l)) && (compared(r) || self.is_clean(r))
            }
            Expr::Cond(c, a, b) => self.is_clean(c) && self.is_clean(a) && self.is_clean(b),
            Expr::Const(..) | Expr::Float(..) | Expr::Func(..) => true,
        }
    }

    /// Whether a location is not the list, and if it is written or its address is taken not the number.
    fn leaves(&self, lv: &Lvalue, written: bool) -> bool {
        let other = !matches!(lv.base, Base::Var(v) if v == self.list || written && v == self.count);
        let mut clean = other;
        lv.children().for_each(|e| clean &= self.is_clean(e));
        clean
    }

    fn is_list(&self, e: &Expr) -> bool {
        matches!(e, Expr::Load(lv) if lv.as_var() == Some(self.list))
    }

    /// The index, when the expression reads an element of the list.
    fn element(&self, e: &Expr) -> Option<Expr> {
        let Expr::Load(lv) = e else { return None };
        let Base::Deref(p) = &lv.base else { return None };
        match &**p {
            _ if !lv.path.is_empty() => None,
            p if self.is_list(p) => Some(Expr::int(0)),
            Expr::Binary(BinOp::PtrAdd, list, index, _) if self.is_list(list) => Some((**index).clone()),
            _ => None,
        }
    }

    /// Says it in front of every operation that reads an element with a constant or a variable as its index.
    pub fn say(&self, program: &mut Program) {
        let proc = &program.procs[self.main];
        let mut facts: Vec<(LocId, Expr)> = vec![];
        for (at, leaving) in proc.successors().iter_enumerated() {
            let mut read: Vec<Expr> = vec![];
            for e in leaving {
                self.note(&proc.edges[*e], &mut read);
            }
            let all = read.iter().map(|element| self.fact(program, element));
            if let Some(fact) = all.reduce(Expr::and) {
                facts.push((at, fact));
            }
        }
        let span = proc.span;
        let proc = &mut program.procs[self.main];
        for (at, fact) in facts {
            let behind = proc.locations.push(Location { span, labels: vec![], loop_head: false });
            proc.edges.iter_mut().filter(|e| e.src == at).for_each(|e| e.src = behind);
            let op = Op::Assume(fact);
            let _: EdgeId =
                proc.edges.push(Edge { src: at, dst: behind, op, span, kind: EdgeKind::Internal });
        }
    }

    fn note(&self, edge: &Edge, read: &mut Vec<Expr>) {
        let mut look = |e: &Expr| {
            e.walk(&mut |node| {
                if self.element(node).is_some_and(|i| is_plain(&i)) && !read.contains(node) {
                    read.push(node.clone());
                }
            });
        };
        visit::evaluated(&edge.op, &mut look);
        if let Some(lv) = edge.op.destination() {
            lv.children().for_each(look);
        }
    }

    /// `i < 0 || i > argc || (i == argc && argv[i] == NULL) || (i != argc && argv[i] != NULL)`, without a read outside
    /// of the list. Strings have at least the byte of their NUL, and the list holds their starts.
    fn fact(&self, program: &Program, element: &Expr) -> Expr {
        let wide = Type::Int(IntType { bits: 64, signed: true });
        let index = self.element(element).expect("only elements were noted").cast(wide.clone());
        let count = program.read(self.count).cast(wide.clone());
        let null = Expr::Const(0, element.ty());
        let is = |op, r: &Expr| Expr::binary(op, index.clone(), r.clone());
        let both = Expr::and;
        let end = both(is(BinOp::Eq, &count), Expr::binary(BinOp::Eq, element.clone(), null.clone()));
        let mut there = Expr::binary(BinOp::Ne, element.clone(), null);
        if self.sizes {
            let asked = |op| Expr::Unary(op, Box::new(element.clone()), ir::extent::extent_type());
            let compared = |op, what, n| Expr::binary(op, asked(what), Expr::Const(n, asked(what).ty()));
            there = both(there, compared(BinOp::Ge, UnOp::Left(1), 1));
            let most = difference_type(program.model).as_int().map_or(0, |int| int.max() >> 3);
            there = both(there, compared(BinOp::Le, UnOp::Left(1), most));
            there = both(there, compared(BinOp::Eq, UnOp::Before(1), 0));
        }
        let string = both(is(BinOp::Ne, &count), there);
        let outside = Expr::or(is(BinOp::Lt, &Expr::Const(0, wide)), is(BinOp::Gt, &count));
        Expr::or(outside, Expr::or(end, string))
    }
}

/// Whether the index is a constant or the value of a variable.
fn is_plain(index: &Expr) -> bool {
    match index {
        Expr::Cast(inner, to) => to.as_int().is_some() && is_plain(inner),
        Expr::Const(..) => true,
        Expr::Load(lv) => lv.as_var().is_some() && lv.ty.as_int().is_some(),
        _ => false,
    }
}
