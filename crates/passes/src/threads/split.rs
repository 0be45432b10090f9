//! Splits nodes so that each step has one access to shared memory.

use super::access;
use super::inline::Inliner;
use super::instance::{Action, Step};
use ir::expr::{Base, BinOp, Expr, Lvalue};
use ir::program::{EdgeKind, Op, VarId};
use ir::visit;
use std::collections::BTreeSet;

impl Inliner<'_> {
    /// Gives each node whose operations access shared places more than once a form in which each access is a step.
    pub(super) fn split(&mut self) {
        let own: BTreeSet<VarId> = self.copies.values().copied().collect();
        let mut addressed = BTreeSet::new();
        for step in &self.instance.steps {
            access::addresses(&step.action, &mut |v| _ = addressed.insert(v));
        }
        let constant: BTreeSet<VarId> = self.vars.ids().filter(|v| self.vars[*v].data.is_some()).collect();
        // Variables made here are the thread's own.
        let made = self.vars.next_id();
        let shared = |lv: &Lvalue| match lv.base {
            Base::Var(v) if v >= made => false,
            Base::Var(v) => !constant.contains(&v) && (!own.contains(&v) || addressed.contains(&v)),
            Base::Deref(_) => true,
        };
        for node in 0..self.instance.nodes.len() {
            let out = &self.instance.nodes[node].out;
            let steps: Vec<Step> = out.iter().map(|n| self.instance.steps[*n].clone()).collect();
            self.instance.site = out.first().and_then(|n| self.instance.sites[*n]);
            if steps.iter().any(|s| is_block(&s.action)) {
                self.instance.nodes[node].whole = true;
                continue;
            }
            let writes = steps.iter().any(|s| s.action.destination().is_some_and(shared));
            let loads = shared_loads(&steps, &shared);
            let most = loads.iter().map(Vec::len).max().unwrap_or(0);
            if most + usize::from(writes) < 2 {
                continue;
            }
            let conditional = steps.iter().any(|s| reads_conditionally(&s.action, &shared));
            match repeated(&loads) {
                Some(base) if !conditional => self.split_node(node, steps, base, &shared),
                _ => self.instance.nodes[node].whole = true,
            }
        }
    }

    /// `base`: the step whose reads those of the others repeat.
    fn split_node(
        &mut self,
        node: usize,
        mut steps: Vec<Step>,
        base: usize,
        shared: &impl Fn(&Lvalue) -> bool,
    ) {
        let span = self.instance.nodes[node].span;
        let start = self.instance.node(span);
        let mut here = start;
        // Inner reads first: those whose own parts read nothing shared.
        while let Some((lv, times)) = next_load(&steps[base], shared) {
            let temp = self.temp(lv.ty.clone(), span);
            let next = self.instance.node(span);
            let read = Op::Assign(Lvalue::var(temp, lv.ty.clone()), lv.clone().load());
            let Step { span, proc, .. } = steps[0];
            let (action, kind) = (Action::Op(read), EdgeKind::Internal);
            self.instance.step(Step { src: here, dst: next, action, span, kind, proc });
            here = next;
            let known = Expr::var(temp, lv.ty.clone());
            for step in &mut steps {
                replace(&mut step.action, (&lv, times), &known);
            }
        }
        for step in steps {
            self.instance.step(Step { src: here, ..step });
        }
        self.instance.nodes[node].split = Some(start);
    }
}

/// The expressions that the action evaluates. A wait reads one state, however many places it reads: it is part
/// of an atomic section.
fn expressions(action: &Action) -> Vec<&Expr> {
    let mut out = vec![];
    match action {
        // Output has no effect on the program.
        Action::Op(Op::Output { .. }) => {}
        Action::Op(op) => visit::evaluated(op, &mut |e| out.push(e)),
        Action::Start { arg, dest, .. } => {
            out.push(arg);
            out.extend(dest.iter().flat_map(Lvalue::children));
        }
        Action::Join { id, dest } => {
            out.push(id);
            out.extend(dest.iter().flat_map(Lvalue::children));
        }
        Action::Wait(_) | Action::Begin | Action::End | Action::Reset(_) | Action::Unmodelled(_) => {}
    }
    out
}

fn is_block(action: &Action) -> bool {
    matches!(action, Action::Op(Op::MemSet { .. } | Op::MemCopy { .. }))
}

/// The shared places that each step reads, in the order of evaluation.
fn shared_loads(steps: &[Step], shared: &impl Fn(&Lvalue) -> bool) -> Vec<Vec<Lvalue>> {
    let of = |step: &Step| {
        let mut out = vec![];
        for e in expressions(&step.action) {
            e.loads(&mut |lv| {
                if shared(lv) {
                    out.push(lv.clone());
                }
            });
        }
        out
    };
    steps.iter().map(of).collect()
}

/// The branches of a condition have the same reads: those of `switch` repeat what the shortest reads, and C
/// reads it once. Returns the step with the fewest reads, if each of the others repeats them some number of
/// times.
fn repeated(loads: &[Vec<Lvalue>]) -> Option<usize> {
    let (at, base) = loads.iter().enumerate().filter(|(_, l)| !l.is_empty()).min_by_key(|(_, l)| l.len())?;
    let count = |of: &[Lvalue], lv: &Lvalue| of.iter().filter(|l| *l == lv).count();
    let fits = |of: &Vec<Lvalue>| {
        of.len().is_multiple_of(base.len())
            && base.iter().all(|lv| count(of, lv) == count(base, lv) * (of.len() / base.len()))
    };
    loads.iter().all(fits).then_some(at)
}

/// Whether what C evaluates only under a condition follows pointers, so that it cannot be read before.
fn reads_conditionally(action: &Action, shared: &impl Fn(&Lvalue) -> bool) -> bool {
    let mut found = false;
    for e in expressions(action) {
        e.walk(&mut |e| {
            let parts: &[&Expr] = match e {
                Expr::Binary(BinOp::And | BinOp::Or, _, r, _) => &[r],
                Expr::Cond(_, a, b) => &[a, b],
                _ => &[],
            };
            for part in parts {
                part.loads(&mut |lv| found |= shared(lv) && !lv.is_fixed());
            }
        });
    }
    found
}

/// The first shared place that is read and whose address needs no shared reads, and how often it is read.
fn next_load(step: &Step, shared: &impl Fn(&Lvalue) -> bool) -> Option<(Lvalue, usize)> {
    let loads = shared_loads(std::slice::from_ref(step), shared).remove(0);
    let inner = |lv: &Lvalue| {
        let mut inner = false;
        lv.walk(&mut |e| e.loads(&mut |lv| inner |= shared(lv)));
        inner
    };
    let first = loads.iter().find(|lv| !inner(lv))?;
    Some((first.clone(), loads.iter().filter(|lv| *lv == first).count()))
}

/// Puts what was read in the place of the first of `times` reads, and of each that repeats it.
fn replace(action: &mut Action, (lv, times): (&Lvalue, usize), by: &Expr) {
    let mut seen = 0usize;
    let mut f = |e: Expr| {
        if !matches!(&e, Expr::Load(l) if **l == *lv) {
            return e;
        }
        seen += 1;
        if (seen - 1).is_multiple_of(times) { by.clone() } else { e }
    };
    match action {
        Action::Op(op) => *op = op.clone().map(&mut f),
        Action::Start { arg, dest, .. } => {
            *arg = arg.clone().map(&mut f);
            *dest = dest.take().map(|lv| lv.map(&mut f));
        }
        Action::Join { id, dest } => {
            *id = id.clone().map(&mut f);
            *dest = dest.take().map(|lv| lv.map(&mut f));
        }
        Action::Wait(_) | Action::Begin | Action::End | Action::Reset(_) | Action::Unmodelled(_) => {}
    }
}
