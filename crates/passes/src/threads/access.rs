//! The accesses of a step to what more than one thread may access.

use super::instance::{Action, Instance, Step};
use base::Id;
use ir::expr::{Base, Expr, Lvalue};
use ir::program::{Callee, Op, VarId};
use ir::visit;
use std::collections::BTreeSet;

/// A set of variables, and what pointers lead to.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Places(Vec<u64>);

impl Places {
    fn insert(&mut self, n: usize) {
        if self.0.len() <= n / 64 {
            self.0.resize(n / 64 + 1, 0);
        }
        self.0[n / 64] |= 1 << (n % 64);
    }

    fn remove(&mut self, n: usize) {
        if let Some(bits) = self.0.get_mut(n / 64) {
            *bits &= !(1 << (n % 64));
        }
    }

    /// Adds what the other set has; whether that was new.
    fn join(&mut self, other: &Places) -> bool {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut new = false;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            new |= *b & !*a != 0;
            *a |= b;
        }
        new
    }

    fn has(&self, n: usize) -> bool {
        self.0.get(n / 64).is_some_and(|bits| bits & 1 << (n % 64) != 0)
    }

    /// Whether something may be in both.
    fn meets(&self, other: &Places) -> bool {
        let pointed =
            |one: &Places, other: &Places| one.has(MEMORY) && (other.has(MEMORY) || other.has(ADDRESSED));
        pointed(self, other)
            || pointed(other, self)
            || self.0.iter().zip(&other.0).enumerate().any(|(n, (a, b))| {
                let both = a & b;
                both & if n == 0 { !(1 << MEMORY | 1 << ADDRESSED) } else { !0 } != 0
            })
    }
}

/// The places that may be read and written.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Accesses {
    reads: Places,
    writes: Places,
    /// A thread is started.
    pub(super) starts: bool,
    /// Something is accessed that is not the thread's own.
    shared: bool,
}

/// Which variables only one thread can access.
#[derive(Clone, Copy)]
pub(super) struct Sharing<'a> {
    /// The variables whose address is taken somewhere.
    pub(super) addressed: &'a BTreeSet<VarId>,
    /// The variables of the thread.
    pub(super) own: &'a BTreeSet<VarId>,
}

impl Sharing<'_> {
    fn place(self, lv: &Lvalue) -> Spot {
        match lv.base {
            Base::Var(v) => self.variable(v),
            Base::Deref(_) => Spot::Memory,
        }
    }

    /// The place of a variable.
    fn variable(self, v: VarId) -> Spot {
        match (self.addressed.contains(&v), self.own.contains(&v)) {
            (true, _) => Spot::Addressed(place(v)),
            (false, true) => Spot::Own,
            (false, false) => Spot::Named(place(v)),
        }
    }

    /// Whether more than one thread may access the location.
    pub(super) fn is_shared(self, lv: &Lvalue) -> bool {
        !matches!(self.place(lv), Spot::Own)
    }

    /// The place that a block operation accesses through this pointer.
    fn block(self, pointer: &Expr) -> Spot {
        block_variable(pointer).map_or(Spot::Memory, |lv| self.place(lv))
    }
}

/// The place of an access.
#[derive(Clone, Copy)]
enum Spot {
    /// Nobody else can access it.
    Own,
    /// In a variable to which no pointer leads, by its number as a place.
    Named(usize),
    /// In a variable whose address is taken.
    Addressed(usize),
    /// Behind a pointer.
    Memory,
}

impl Spot {
    fn places(self) -> Vec<usize> {
        match self {
            Spot::Own => vec![],
            Spot::Named(n) => vec![n],
            Spot::Addressed(n) => vec![n, ADDRESSED],
            Spot::Memory => vec![MEMORY],
        }
    }
}

/// The number of the place that a variable is which threads share and no pointer leads to.
pub(super) fn place(v: VarId) -> usize {
    v.index() + 2
}

/// Number of the place that stands for what pointers lead to: allocated memory, and each variable whose address is taken.
const MEMORY: usize = 0;
/// Number of the place that stands for some variable whose address is taken.
const ADDRESSED: usize = 1;

impl Accesses {
    pub(super) fn join(&mut self, other: &Accesses) -> bool {
        let reads = self.reads.join(&other.reads);
        let writes = self.writes.join(&other.writes);
        let more = other.starts && !self.starts || other.shared && !self.shared;
        self.starts |= other.starts;
        self.shared |= other.shared;
        reads | writes | more
    }

    /// Whether the order of two steps with these accesses may matter. The numbers of threads follow the order in which they
    /// are started, and one that is started later may access anything that is shared.
    pub(super) fn conflicts(&self, other: &Accesses) -> bool {
        other.starts && (self.starts || self.shared) || self.meets(other)
    }

    /// The same where it is known what the threads may access that are started later.
    pub(super) fn meets(&self, other: &Accesses) -> bool {
        self.writes.meets(&other.reads) || self.writes.meets(&other.writes) || self.reads.meets(&other.writes)
    }

    /// Whether something is written that is read there.
    pub(super) fn changes(&self, other: &Accesses) -> bool {
        self.writes.meets(&other.reads)
    }

    /// Whether a pointer is followed.
    pub(super) fn follows(&self) -> bool {
        self.reads.has(MEMORY) || self.writes.has(MEMORY)
    }

    /// The same but for what pointers lead to.
    pub(super) fn without_pointed(mut self) -> Accesses {
        self.reads.remove(MEMORY);
        self.writes.remove(MEMORY);
        self
    }

    /// The same but for the start of threads.
    pub(super) fn without_starts(mut self) -> Accesses {
        self.starts = false;
        self
    }

    /// Whether something is accessed that is not the thread's own.
    pub(super) fn is_shared(&self) -> bool {
        self.shared
    }

    /// Whether something is read there.
    pub(super) fn reads(&self, place: usize) -> bool {
        self.reads.has(place)
    }

    fn read(&mut self, e: &Expr, sharing: Sharing<'_>) {
        e.loads(&mut |lv| self.read_at(sharing.place(lv)));
    }

    fn read_at(&mut self, spot: Spot) {
        self.shared |= !matches!(spot, Spot::Own);
        spot.places().into_iter().for_each(|n| self.reads.insert(n));
    }

    fn write_at(&mut self, spot: Spot) {
        self.shared |= !matches!(spot, Spot::Own);
        spot.places().into_iter().for_each(|n| self.writes.insert(n));
    }
}

/// The variable, or part of one, that a block operation names by its address.
pub(super) fn block_variable(pointer: &Expr) -> Option<&Lvalue> {
    match super::simplify::without_casts(pointer) {
        Expr::AddrOf(lv) if matches!(lv.base, Base::Var(_)) => Some(lv),
        _ => None,
    }
}

/// Calls `f` on the variables whose address a step takes for other uses than its own access.
pub(super) fn addresses(action: &Action, f: &mut impl FnMut(VarId)) {
    let op = match action {
        Action::Op(op) => op,
        Action::Start { arg, .. } | Action::Wait(arg) | Action::Join { id: arg, .. } => {
            return in_expr(arg, f);
        }
        _ => return,
    };
    let skipped: Vec<&Expr> = match op {
        Op::MemSet { ptr, .. } => vec![ptr],
        Op::MemCopy { dst, src, .. } => vec![dst, src],
        Op::Free(_) if op.ends().is_some() => return,
        _ => vec![],
    };
    visit::evaluated(op, &mut |e| {
        let named = skipped.iter().any(|s| std::ptr::eq(*s, e)) && block_variable(e).is_some();
        if !named {
            in_expr(e, f);
        }
    });
}

fn in_expr(e: &Expr, f: &mut impl FnMut(VarId)) {
    e.walk(&mut |e| {
        if let Expr::AddrOf(lv) = e
            && let Base::Var(v) = lv.base
        {
            f(v);
        }
    });
}

/// The accesses of the step; for the start of a thread, without those of the thread.
pub(super) fn of(action: &Action, sharing: Sharing<'_>) -> Accesses {
    let mut a = Accesses::default();
    match action {
        Action::Op(op) => of_op(&mut a, op, sharing),
        Action::Start { dest, arg, .. } => {
            a.starts = true;
            a.read(arg, sharing);
            dest.iter().for_each(|lv| a.write_at(sharing.place(lv)));
        }
        Action::Join { dest, id } => {
            a.read(id, sharing);
            dest.iter().for_each(|lv| a.write_at(sharing.place(lv)));
        }
        Action::Wait(e) => a.read(e, sharing),
        Action::Begin | Action::End | Action::Reset(_) | Action::Unmodelled(_) => {}
    }
    a
}

fn of_op(a: &mut Accesses, op: &Op, sharing: Sharing<'_>) {
    visit::evaluated(op, &mut |e| a.read(e, sharing));
    if let Some(dest) = op.destination() {
        a.write_at(sharing.place(dest));
    }
    match op {
        Op::MemSet { ptr, .. } => a.write_at(sharing.block(ptr)),
        Op::MemCopy { dst, src, .. } => {
            a.write_at(sharing.block(dst));
            a.read_at(sharing.block(src));
        }
        Op::Free(_) => match op.ends() {
            Some(v) => a.write_at(sharing.variable(v)),
            None => a.write_at(Spot::Memory),
        },
        Op::Inspect { .. } => a.read_at(Spot::Memory),
        // The target of a pointer is read: the text of a format.
        Op::Output { args, .. } if args.iter().any(|e| e.ty().is_ptr()) => a.read_at(Spot::Memory),
        Op::Call { callee: Callee::Direct(_) | Callee::Indirect(_), .. } => {
            a.read_at(Spot::Memory);
            a.write_at(Spot::Memory);
        }
        _ => {}
    }
}

/// For each node what the thread may access from there on without the steps that are `left` out; threads started on the way do not count.
pub(super) fn futures(
    instance: &Instance,
    sharing: Sharing<'_>,
    left: &dyn Fn(usize) -> bool,
) -> Vec<Accesses> {
    let own: Vec<Accesses> = instance.steps.iter().map(|s| of(&s.action, sharing)).collect();
    let mut out = vec![Accesses::default(); instance.nodes.len()];
    let into = instance.entering();
    let mut work: Vec<usize> = (0..instance.steps.len()).filter(|n| !left(*n)).collect();
    while let Some(n) = work.pop() {
        let Step { src, dst, .. } = instance.steps[n];
        let behind = out[dst].clone();
        let mut new = out[src].join(&own[n]);
        new |= out[src].join(&behind);
        // A node whose operations are split has the same accesses.
        if new {
            work.extend(into[src].iter().filter(|n| !left(**n)));
        }
    }
    out
}

/// The accesses of the atomic section that a step into this node begins.
pub(super) fn section(instance: &Instance, from: usize, sharing: Sharing<'_>) -> Accesses {
    let mut out = Accesses::default();
    let mut seen = BTreeSet::from([(from, 1u32)]);
    let mut work = vec![(from, 1u32)];
    while let Some((node, depth)) = work.pop() {
        for n in &instance.nodes[node].out {
            let step = &instance.steps[*n];
            out.join(&of(&step.action, sharing));
            let depth = match step.action {
                Action::Begin => (depth + 1).min(64),
                Action::End => depth - 1,
                _ => depth,
            };
            if depth > 0 && seen.insert((step.dst, depth)) {
                work.push((step.dst, depth));
            }
        }
    }
    out
}
