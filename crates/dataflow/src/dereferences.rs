//! The dereferences of a location: every access through a pointer that its edges make, in the order of evaluation.

use crate::values::root;
use ir::visit::{self, Moment};
use ir::{Base, EdgeId, Expr, LocId, Lvalue, Op, Proc, ProcId, Program};

/// A dereference. Where it happens is the location: all edges from there evaluate it, or it belongs to one of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Dereference {
    /// The procedure.
    pub proc: ProcId,
    /// The location.
    pub location: LocId,
    /// An edge that makes it.
    pub edge: EdgeId,
    /// The pointer, without casts, offsets and members.
    pub pointer: Expr,
    /// The location accessed.
    pub lvalue: Lvalue,
    /// It is evaluated if all of these hold; `None` if the conditions are not known.
    pub guards: Option<Vec<Expr>>,
    /// It is made by storing the result of a call, behind the call.
    pub after_call: bool,
    /// Whether the pointer is tracked.
    pub tracked: bool,
}

/// The dereferences of edges from a location, all of which are evaluated.
pub(crate) fn of_edges(program: &Program, p: ProcId, location: LocId, edges: &[EdgeId]) -> Vec<Dereference> {
    let proc = &program.procs[p];
    let mut out: Vec<Dereference> = vec![];
    for e in edges {
        let mut finder = Finder { p, location, edge: *e, guards: vec![], after_call: false, found: vec![] };
        finder.op(&proc.edges[*e].op);
        for new in finder.found {
            let twice = |old: &Dereference| {
                old.lvalue == new.lvalue && old.pointer == new.pointer && old.after_call == new.after_call
            };
            match out.iter().position(twice) {
                None => out.push(new),
                Some(n) if out[n].guards == new.guards || out[n].guards.as_deref() == Some(&[]) => {}
                // Evaluated under other conditions as well: then nothing is said of when.
                Some(n) => out[n].guards = None,
            }
        }
    }
    out
}

/// Whether the edges from a location are the outcomes of one condition: each evaluates it.
pub(crate) fn is_branch(proc: &Proc, edges: &[EdgeId]) -> bool {
    edges.iter().all(|e| matches!(proc.edges[*e].op, Op::Assume(_)))
}

struct Finder {
    p: ProcId,
    location: LocId,
    edge: EdgeId,
    guards: Vec<Expr>,
    after_call: bool,
    found: Vec<Dereference>,
}

impl Finder {
    fn op(&mut self, op: &Op) {
        match op {
            Op::Assign(lv, value) => {
                self.place(lv);
                self.expr(value);
                self.access(lv);
            }
            Op::MemSet { ptr, byte, len } => {
                [ptr, byte, len].into_iter().for_each(|e| self.expr(e));
                self.block(ptr, len);
            }
            Op::MemCopy { dst, src, len } => {
                [dst, src, len].into_iter().for_each(|e| self.expr(e));
                self.block(src, len);
                self.block(dst, len);
            }
            Op::Call { dest, args, .. } => {
                args.iter().for_each(|e| self.expr(e));
                self.after_call = true;
                if let Some(lv) = dest {
                    self.place(lv);
                    self.access(lv);
                }
            }
            op => {
                let dest = op.destination();
                visit::evaluated(op, &mut |e| self.expr(e));
                dest.into_iter().for_each(|lv| self.access(lv));
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        visit::evaluation(e, &mut |moment| match moment {
            Moment::Provided(guard) => self.guards.push(guard),
            Moment::Otherwise => _ = self.guards.pop(),
            Moment::Read(lv) => self.access(lv),
            Moment::Address(_) | Moment::Apply(_) => {}
        });
    }

    /// Visits the address of a location: the pointer, the indices.
    fn place(&mut self, lv: &Lvalue) {
        lv.children().for_each(|e| self.expr(e));
    }

    fn access(&mut self, lv: &Lvalue) {
        if let Base::Deref(p) = &lv.base
            && let Some(pointer) = root(p)
        {
            self.note(pointer.clone(), lv.clone());
        }
    }

    fn block(&mut self, p: &Expr, len: &Expr) {
        let Some(pointer) = root(p) else { return };
        let lvalue = Lvalue::deref(pointer.clone());
        match len {
            Expr::Const(0, _) => {}
            Expr::Const(..) => self.note(pointer.clone(), lvalue),
            len => {
                self.guards.push(len.clone().truthy());
                self.note(pointer.clone(), lvalue);
                self.guards.pop();
            }
        }
    }

    fn note(&mut self, pointer: Expr, lvalue: Lvalue) {
        let guards = Some(self.guards.clone());
        let (proc, location, edge, after_call) = (self.p, self.location, self.edge, self.after_call);
        let tracked = false;
        self.found.push(Dereference { proc, location, edge, pointer, lvalue, guards, after_call, tracked });
    }
}
