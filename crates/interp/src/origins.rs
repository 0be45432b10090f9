//! Values in a run that come from functions which are not executed: the results of library functions without a
//! model, what they may have written, outputs of `asm`. Real executions compute these; the run has drawn them.
//! Everything that depends on one, as data, as an address or by the choice of a branch, is marked with the name
//! of its origin.
//!
//! Invariant: a run whose failing check is not marked fails in the same way whatever those functions really do,
//! as long as they return. So an execution of the real program with the same inputs fails the check.

use super::eval::{SlotRef, State};
use super::memory::{ObjectId, Pointer, Target};
use super::values::Val;
use crate::ObjectKind;
use ir::expr::{Access, Base, BinOp, Expr, Lvalue, UnOp};
use ir::types::Type;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The name of a value's origin.
pub(super) type Name = Arc<str>;

/// An open call of a model.
pub(super) struct Open {
    /// The model's name.
    pub(super) name: Name,
    /// How many calls are open outside of it.
    pub(super) depth: usize,
    /// The pointers that it got.
    pub(super) roots: Vec<Pointer>,
    /// A branch of it depends on this.
    pub(super) chosen_by: Option<Name>,
}

/// The contents of an unknown object.
struct Foreign {
    name: Name,
    /// The bytes that the program has written itself.
    written: BTreeSet<u64>,
}

/// The marks.
#[derive(Default)]
pub(super) struct Origins {
    /// Whether anything was marked yet, or has a size that is not known.
    pub(super) any: bool,
    globals: FxHashMap<usize, Name>,
    /// As long as the registers of all open calls.
    pub(super) locals: Vec<Option<Name>>,
    bytes: FxHashMap<ObjectId, BTreeMap<u64, Name>>,
    /// Objects any byte of which may come from there.
    whole: FxHashMap<ObjectId, Name>,
    /// Unknown objects from outside the program: their contents come from there, where the program has not written.
    foreign: FxHashMap<ObjectId, Foreign>,
    /// The name that the whole run depends on from now on.
    pub(super) all: Option<Name>,
    /// Calls of models that were made by the program, not by other models.
    pub(super) models: Vec<Open>,
    /// Objects that the outside of the program knows by name.
    pub(super) shared: Vec<Pointer>,
    /// The marks of the arguments of the call at work.
    pub(super) arguments: Vec<Option<Name>>,
}

/// The first mark there is.
pub(super) fn either(a: Option<Name>, b: impl FnOnce() -> Option<Name>) -> Option<Name> {
    a.or_else(b)
}

impl State<'_, '_> {
    pub(super) fn marks(&self) -> Option<&Origins> {
        self.origins.as_deref()
    }

    /// Whether there is something to follow.
    pub(super) fn has_marks(&self) -> bool {
        self.marks().is_some_and(|m| m.any)
    }

    /// The origin of the expression's value. Everything in it has been evaluated before.
    pub(super) fn origin(&mut self, e: &Expr) -> Option<Name> {
        if !self.has_marks() {
            return None;
        }
        match e {
            Expr::Const(..) | Expr::Float(..) | Expr::Func(..) | Expr::Old(_) => None,
            Expr::Load(lv) => self.origin_of_load(lv),
            Expr::AddrOf(lv) => self.origin_of_address(lv),
            Expr::Unary(UnOp::Left(_), e, _) => {
                let pointer = self.origin(e);
                either(pointer, || self.size_from_elsewhere(e))
            }
            Expr::Unary(_, e, _) | Expr::Cast(e, _) => self.origin(e),
            Expr::Binary(op @ (BinOp::And | BinOp::Or), l, r, _) => {
                let decided = matches!(self.eval(l).and_then(Val::truth), Ok(v) if v == (*op == BinOp::Or));
                let left = self.origin(l);
                if decided { left } else { either(left, || self.origin(r)) }
            }
            Expr::Binary(_, l, r, _) => {
                let left = self.origin(l);
                either(left, || self.origin(r))
            }
            Expr::Cond(c, a, b) => {
                let chosen = match self.eval(c).and_then(Val::truth) {
                    Ok(false) => b,
                    _ => a,
                };
                let condition = self.origin(c);
                either(condition, || self.origin(chosen))
            }
        }
    }

    /// The name of the object that the pointer points into, if its type is defined elsewhere, so that its size is not known.
    pub(super) fn size_from_elsewhere(&mut self, ptr: &Expr) -> Option<Name> {
        let Ok(Val::Ptr(Pointer { target: Target::Object(id), .. })) = self.eval(ptr) else { return None };
        let ObjectKind::Var(v) = self.memory.kind(id)? else { return None };
        self.program.is_elsewhere(v).then(|| self.program.vars[v].name.as_str().into())
    }

    /// The origin of the lvalue's place.
    pub(super) fn origin_of_address(&mut self, lv: &Lvalue) -> Option<Name> {
        let base = match &lv.base {
            Base::Var(_) => None,
            Base::Deref(e) => self.origin(e),
        };
        lv.path.iter().fold(base, |found, access| match access {
            Access::Field(..) => found,
            Access::Index(i) => either(found, || self.origin(i)),
        })
    }

    fn origin_of_load(&mut self, lv: &Lvalue) -> Option<Name> {
        if let Some(name) = self.origin_of_address(lv) {
            return Some(name);
        }
        match lv.as_var().map(|v| self.slot(v)) {
            Some(SlotRef::Global(n)) => self.marks()?.globals.get(&n).cloned(),
            Some(SlotRef::Local(n)) => self.marks()?.locals.get(n).cloned().flatten(),
            Some(SlotRef::Object(_)) | None => {
                let (at, len, _) = self.bytes_of(lv)?;
                self.origin_of_bytes(at, len)
            }
        }
    }

    /// The origin of some of the bytes.
    pub(super) fn origin_of_text(&self, at: Pointer, len: u64) -> Option<Name> {
        if self.has_marks() { self.origin_of_bytes(at, len) } else { None }
    }

    fn origin_of_bytes(&self, at: Pointer, len: u64) -> Option<Name> {
        let (marks, (id, offset)) = (self.marks()?, self.memory.at(at)?);
        let start = u64::try_from(offset).ok()?;
        let range = start..start.saturating_add(len);
        let known = marks.bytes.get(&id).and_then(|b| b.range(range.clone()).next());
        let foreign = || {
            let foreign = marks.foreign.get(&id)?;
            let all = foreign.written.range(range.clone()).count() as u64 == range.end - range.start;
            (!all).then_some(&foreign.name)
        };
        known.map(|(_, name)| name).or_else(|| marks.whole.get(&id)).or_else(foreign).cloned()
    }

    /// Nobody knows what the object from outside is that the pointer leads to.
    pub(super) fn mark_foreign(&mut self, at: Pointer, name: Name) {
        let Some((id, _)) = self.memory.at(at) else { return };
        let Some(marks) = self.origins.as_deref_mut() else { return };
        marks.any = true;
        marks.foreign.insert(id, Foreign { name, written: BTreeSet::new() });
    }

    /// The position of the lvalue's bytes, how many, and whether it is only some bits of them.
    fn bytes_of(&mut self, lv: &Lvalue) -> Option<(Pointer, u64, bool)> {
        let place = match lv.as_var().map(|v| self.slot(v)) {
            Some(SlotRef::Object(id)) => return Some((start_of(id), self.size(&lv.ty).ok()?, false)),
            _ => self.place(lv, false).ok()?,
        };
        let len = match (place.bit, &lv.ty) {
            (Some(bit), Type::Int(i)) => u64::from((bit + i.bits).div_ceil(8)),
            _ => self.size(&lv.ty).ok()?,
        };
        Some((place.at, len, place.bit.is_some()))
    }

    /// Marks what the lvalue holds, or takes its mark away.
    pub(super) fn mark(&mut self, lv: &Lvalue, name: Option<Name>) {
        let slot = lv.as_var().map(|v| self.slot(v));
        if let Some(SlotRef::Global(_) | SlotRef::Local(_)) = slot {
            let Some(marks) = self.origins.as_deref_mut() else { return };
            marks.any |= name.is_some();
            match (slot, name) {
                (Some(SlotRef::Local(n)), name) => {
                    if marks.locals.len() <= n {
                        marks.locals.resize(n + 1, None);
                    }
                    marks.locals[n] = name;
                }
                (Some(SlotRef::Global(n)), Some(name)) => _ = marks.globals.insert(n, name),
                (Some(SlotRef::Global(n)), None) => _ = marks.globals.remove(&n),
                _ => {}
            }
        } else if let Some((at, len, bits)) = self.bytes_of(lv) {
            // A bit-field leaves the mark of its neighbours.
            if name.is_some() || !bits {
                self.mark_bytes(at, len, name);
            }
        }
    }

    pub(super) fn mark_bytes(&mut self, at: Pointer, len: u64, name: Option<Name>) {
        let Some((id, offset)) = self.memory.at(at) else { return };
        let (Some(marks), Ok(start)) = (self.origins.as_deref_mut(), u64::try_from(offset)) else { return };
        let range = start..start.saturating_add(len);
        if let Some(foreign) = marks.foreign.get_mut(&id) {
            foreign.written.extend(range.clone());
        }
        match name {
            Some(name) => {
                marks.any = true;
                let bytes = marks.bytes.entry(id).or_default();
                bytes.extend(range.map(|i| (i, name.clone())));
            }
            None => {
                let Some(bytes) = marks.bytes.get_mut(&id) else { return };
                let gone: Vec<u64> = bytes.range(range).map(|(i, _)| *i).collect();
                for i in gone {
                    bytes.remove(&i);
                }
            }
        }
    }

    /// Gives the bytes of a copy the marks of what is copied.
    pub(super) fn copy_marks(&mut self, to: Pointer, from: Pointer, len: u64) {
        let (Some(marks), Some((source, offset))) = (self.marks(), self.memory.at(from)) else { return };
        let start = u64::try_from(offset).unwrap_or(0);
        let range = start..start.saturating_add(len);
        let copied: Vec<(u64, Name)> = marks
            .bytes
            .get(&source)
            .map_or(vec![], |b| b.range(range.clone()).map(|(i, n)| (*i, n.clone())).collect());
        let foreign = marks.foreign.get(&source).map_or(vec![], |foreign| {
            let own = range.filter(|i| !foreign.written.contains(i));
            own.map(|i| (i, foreign.name.clone())).collect()
        });
        let whole = marks.whole.get(&source).cloned();
        self.mark_bytes(to, len, whole);
        for (i, name) in copied.into_iter().chain(foreign) {
            let at = Pointer { offset: to.offset.saturating_add_unsigned(i - start), ..to };
            self.mark_bytes(at, 1, Some(name));
        }
    }

    /// Marks everything reachable from the pointers, which may hold anything that comes from there; so may the
    /// whole run when a procedure of the program is reached, which may have been called.
    pub(super) fn mark_reached(&mut self, roots: Vec<Pointer>, name: &Name) {
        let (mut objects, calls) = self.memory.reached(roots);
        objects.retain(|id| !self.memory.is_read_only(*id));
        let Some(marks) = self.origins.as_deref_mut() else { return };
        marks.any = true;
        for id in objects {
            marks.whole.entry(id).or_insert_with(|| name.clone());
        }
        if calls {
            marks.all.get_or_insert_with(|| name.clone());
        }
    }

    pub(super) fn pointers_among<'e>(&mut self, args: impl Iterator<Item = &'e Expr>) -> Vec<Pointer> {
        let mut out = vec![];
        for arg in args {
            if let Ok(Val::Ptr(p)) = self.eval(arg) {
                out.push(p);
            }
        }
        out
    }
}

fn start_of(id: ObjectId) -> Pointer {
    Pointer { target: Target::Object(id), offset: 0 }
}
