//! The steps of a run with their marks (see [`origins`](super::origins)): the effect of each operation, choice
//! and call on them.

use super::layout::Next;
use super::machine::Machine;
use super::memory::{Pointer, Target};
use super::origins::{Name, Open, Origins, either};
use super::values::Val;
use ir::expr::{BinOp, Expr, Lvalue};
use ir::program::{Callee, EdgeId, HavocKind, LocId, ObjectQuery, Op, Origin, ProcId, VarId};
use ir::types::Type;

impl Machine<'_, '_> {
    /// The name that the whole run depends on at this step.
    pub(super) fn depends_on(&self) -> Option<Name> {
        let marks = self.state.marks()?;
        let inside = || marks.models.iter().find_map(|m| m.chosen_by.clone());
        either(marks.all.clone(), inside)
    }

    /// The name that the failure of a check with this condition depends on.
    pub(super) fn failure_rests_on(&mut self, condition: &Expr) -> Option<Name> {
        let known = self.depends_on();
        either(known, || self.state.origin(condition))
    }

    fn marks(&mut self) -> Option<&mut Origins> {
        self.state.origins.as_deref_mut()
    }

    /// Control, or memory as a whole, depends on this from here on: to the end of the model that is at work, as that
    /// returns in any case, or to the end of the run.
    fn control(&mut self, name: Option<Name>) {
        let (Some(name), inside) = (name, self.in_model()) else { return };
        let Some(marks) = self.marks() else { return };
        match marks.models.last_mut() {
            Some(open) if inside => _ = open.chosen_by.get_or_insert(name),
            _ => _ = marks.all.get_or_insert(name),
        }
    }

    /// The name of a value that is not modelled: the program knows a model's by the function that it calls.
    fn named(&self, what: &Name) -> Name {
        let open = self.state.marks().and_then(|m| m.models.last()).filter(|_| self.in_model());
        open.map_or(what, |o| &o.name).clone()
    }

    fn in_model(&self) -> bool {
        let proc = &self.state.program.procs[self.state.frame.proc];
        proc.origin == Origin::Library
    }

    /// Takes note of the choice among the edges of a location.
    pub(super) fn follow_choice(&mut self, proc: ProcId, loc: LocId) {
        if !self.state.has_marks() {
            return;
        }
        let edges = &self.state.program.procs[proc].edges;
        let candidates: Vec<EdgeId> = match &self.state.layout.procs[base::Id::index(proc)].next[loc] {
            Next::Nothing => vec![],
            // Real values satisfy the front end's assumptions about them.
            Next::One(e) if edges[*e].kind.is_internal() => vec![],
            Next::One(e) | Next::Either(e, _) => vec![*e],
            Next::Switch(labels, _) => labels.clone(),
            Next::Any(any) => any.clone(),
        };
        self.without_inputs(|m| {
            for e in candidates {
                if let Op::Assume(condition) = &edges[e].op {
                    let name = m.state.origin(condition);
                    m.control(name);
                }
            }
        });
    }

    /// Takes note of what the operation will do. What it evaluates is evaluated here first.
    pub(super) fn follow(&mut self, op: &Op) {
        if self.state.origins.is_none() || self.depends_for_good() {
            return;
        }
        let begins = match op {
            Op::Call { .. } | Op::Havoc(_, HavocKind::Unmodelled(_)) => true,
            Op::Havoc(_, HavocKind::Made(part, _)) => !self.made.has(*part),
            Op::Inspect { query, .. } => *query == ObjectQuery::Size,
            _ => false,
        };
        if !begins && !self.state.has_marks() {
            return;
        }
        let operands = op.operands();
        if operands.iter().any(|e| self.state.eval(e).is_err()) {
            return;
        }
        self.without_inputs(|m| {
            for e in &operands {
                let place = m.may_fail_by(e);
                m.control(place);
            }
            m.follow_effect(op);
        });
    }

    /// Marks everything reachable from the objects, and from those known outside, as coming from there.
    fn mark_reached(&mut self, roots: Vec<Pointer>, name: &Name) {
        let shared = self.marks().map_or(vec![], |m| m.shared.clone());
        self.state.mark_reached(roots.into_iter().chain(shared).collect(), name);
    }

    /// Whether nothing more can be learned.
    fn depends_for_good(&self) -> bool {
        self.state.marks().is_some_and(|m| m.all.is_some())
    }

    /// The origin of the places at which the expression reads, and of its divisors: with other values, the
    /// program might end there.
    fn may_fail_by(&mut self, e: &Expr) -> Option<Name> {
        if !self.state.has_marks() {
            return None;
        }
        let mut found = None;
        e.walk(&mut |e| {
            if found.is_some() {
                return;
            }
            found = match e {
                Expr::Load(lv) => self.state.origin_of_address(lv),
                Expr::Binary(BinOp::Div | BinOp::Rem, _, divisor, Type::Int(_)) => self.state.origin(divisor),
                _ => None,
            };
        });
        found
    }

    fn follow_effect(&mut self, op: &Op) {
        match op {
            Op::Skip | Op::Assume(_) | Op::Output { .. } => {}
            Op::Assign(lv, e) => {
                let name = self.state.origin(e);
                self.store(lv, name);
            }
            Op::Havoc(lv, kind) => {
                let name = match kind {
                    HavocKind::Made(part, _) if self.made.has(*part) => None,
                    HavocKind::Unmodelled(what) | HavocKind::Made(_, what) => Some(self.named(what)),
                    HavocKind::Input(_)
                    | HavocKind::Uninit
                    | HavocKind::Start(_)
                    | HavocKind::Choice(_)
                    | HavocKind::Analysis(_)
                    | HavocKind::Followed
                    | HavocKind::Contents
                    | HavocKind::Extern(_)
                    | HavocKind::Outside(_) => None,
                };
                self.store(lv, name);
            }
            // An assertion that fails ends the execution.
            Op::Check(_, e) => {
                if matches!(self.state.eval(e).and_then(Val::truth), Ok(true)) {
                    let name = self.state.origin(e);
                    self.control(name);
                }
            }
            Op::Call { dest, callee, args } => self.follow_call(dest.as_ref(), callee, args),
            Op::Alloc { dest, size, .. } => {
                let name = self.state.origin(size);
                self.control(name);
                self.store(dest, None);
            }
            Op::Free(e) => {
                let name = self.state.origin(e);
                self.control(name);
            }
            Op::Inspect { dest, query, ptr } => {
                let name = self.state.origin(ptr);
                let asks_size = *query == ObjectQuery::Size;
                let name = either(name, || asks_size.then(|| self.state.size_from_elsewhere(ptr))?);
                self.store(dest, name);
            }
            Op::MemSet { ptr, byte, len } => {
                if let Some((to, len)) = self.block(&[ptr, len], ptr, len) {
                    let name = self.state.origin(byte);
                    let name = either(name, || self.depends_on());
                    self.state.mark_bytes(to, len, name);
                }
            }
            Op::MemCopy { dst, src, len } => {
                if let Some((to, len)) = self.block(&[dst, src, len], dst, len)
                    && let Ok(Val::Ptr(from)) = self.state.eval(src)
                {
                    match self.depends_on() {
                        Some(name) => self.state.mark_bytes(to, len, Some(name)),
                        None => self.state.copy_marks(to, from, len),
                    }
                }
            }
        }
    }

    /// A write of a value that comes from there.
    fn store(&mut self, lv: &Lvalue, name: Option<Name>) {
        let address = self.state.origin_of_address(lv);
        self.control(address);
        let name = either(name, || self.depends_on());
        self.state.mark(lv, name);
    }

    /// The block that starts there; where it lies and how long it is depends on these.
    fn block(&mut self, on: &[&Expr], to: &Expr, len: &Expr) -> Option<(Pointer, u64)> {
        for e in on {
            let name = self.state.origin(e);
            self.control(name);
        }
        match (self.state.eval(to), self.state.eval(len)) {
            (Ok(Val::Ptr(to)), Ok(Val::Int(len))) => Some((to, u64::try_from(len).ok()?)),
            _ => None,
        }
    }

    fn follow_call(&mut self, dest: Option<&Lvalue>, callee: &Callee, args: &[Expr]) {
        let callee = match callee {
            Callee::Direct(p) => *p,
            Callee::Indirect(e) => {
                let name = self.state.origin(e);
                self.control(name);
                match self.state.eval(e) {
                    Ok(Val::Ptr(Pointer { target: Target::Func(f), .. })) => f,
                    _ => return,
                }
            }
        };
        let proc = &self.state.program.procs[callee];
        let roots = self.state.pointers_among(args.iter());
        if proc.has_body {
            let names = args.iter().map(|a| self.state.origin(a)).collect();
            let (from_program, depth) = (!self.in_model(), self.state.frames.len());
            let Some(marks) = self.marks() else { return };
            marks.arguments = names;
            if proc.origin == Origin::Library && from_program {
                let name = proc.library_name().into();
                marks.models.push(Open { name, depth, roots, chosen_by: None });
            }
            return;
        }
        let name: Name = match proc.origin {
            Origin::Program => {
                // The start procedure shows them to the other files.
                if self.state.frames.is_empty()
                    && let Some(marks) = self.marks()
                {
                    marks.shared.extend(roots);
                }
                if let Some(dest) = dest {
                    self.store(dest, None);
                }
                return;
            }
            Origin::Library | Origin::Foreign | Origin::Thread(_) => proc.name.as_str().into(),
        };
        self.mark_reached(roots, &name);
        if proc.origin == Origin::Foreign {
            self.control(Some(name.clone()));
        }
        if let Some(dest) = dest {
            self.store(dest, Some(name));
        }
    }

    /// The callee was entered: its parameters have the marks of the arguments.
    pub(super) fn follow_enter(&mut self, formals: &[VarId]) {
        let from = self.state.frame.registers;
        let all = self.depends_on();
        let Some(marks) = self.marks() else { return };
        marks.locals.truncate(from);
        let names = std::mem::take(&mut marks.arguments);
        self.without_inputs(|m| {
            for (formal, name) in formals.iter().zip(names) {
                let lv = m.state.program.lvalue(*formal);
                m.state.mark(&lv, name.or_else(|| all.clone()));
            }
        });
    }

    /// The origin of the result of the newest call, which is about to end.
    pub(super) fn follow_result(&mut self, ret: Option<VarId>) -> Option<Name> {
        self.state.origins.as_ref()?;
        let depth = self.state.frames.len() - 1;
        let open = self.marks()?.models.pop_if(|m| m.depth == depth);
        let chosen = open.and_then(|o| Some((o.chosen_by?, o.roots)));
        let result = ret.and_then(|v| self.state.origin(&self.state.program.read(v)));
        let Some((name, roots)) = chosen else { return result };
        // The other branches would have written something else there.
        self.mark_reached(roots, &name);
        Some(name)
    }

    /// The caller goes on with the result.
    pub(super) fn follow_leave(&mut self, dest: Option<&Lvalue>, name: Option<Name>) {
        let registers = self.state.registers.len();
        let Some(marks) = self.marks() else { return };
        marks.locals.truncate(registers);
        if let Some(dest) = dest {
            self.without_inputs(|m| m.store(dest, name));
        }
    }
}
