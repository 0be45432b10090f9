//! Names inside a procedure: what stands in scope, and what a name means.

use super::Env;
use crate::ast::At;
use crate::code::{ClassId, Expr, Place, ProcId, Ty, VarInfo};
use base::Diagnostic;
use std::collections::BTreeSet;

/// The procedure that is compiled.
pub(super) struct Scope<'e> {
    pub(super) env: &'e mut Env,
    pub(super) proc: ProcId,
    pub(super) class: ClassId,
    pub(super) is_static: bool,
    pub(super) result: Option<Ty>,
    /// Names in scope with their slots, the innermost last.
    names: Vec<(String, u16)>,
    /// Where blocks start among the names.
    blocks: Vec<usize>,
    /// Temporaries that nobody uses now.
    free: Vec<u16>,
    pub(super) labels: BTreeSet<String>,
    /// Atomic blocks around the statement.
    pub(super) atomic: usize,
}

/// What a name stands for.
pub(super) enum Meaning {
    Place(Place, Ty),
    Const(i32),
}

impl<'e> Scope<'e> {
    pub(super) fn new(env: &'e mut Env, proc: ProcId) -> Scope<'e> {
        let signature = env.signatures[base::Id::index(proc)].clone();
        Scope {
            env,
            proc,
            class: signature.class,
            is_static: signature.is_static,
            result: signature.result,
            names: vec![],
            blocks: vec![],
            free: vec![],
            labels: BTreeSet::new(),
            atomic: 0,
        }
    }

    /// A new slot.
    pub(super) fn slot(&mut self, name: &str, ty: Ty) -> u16 {
        let locals = &mut self.env.code.procs[self.proc].locals;
        locals.push(VarInfo { name: name.to_owned(), ty, initial: ty.initial() });
        match u16::try_from(locals.len() - 1) {
            Ok(slot) => slot,
            Err(_) => {
                self.env.errors.push(Diagnostic::error(None, "a procedure has too many variables"));
                locals_limit()
            }
        }
    }

    /// A slot without a name, used by one statement.
    pub(super) fn temporary(&mut self, ty: Ty) -> u16 {
        let locals = &self.env.code.procs[self.proc].locals;
        match self.free.iter().position(|s| locals[usize::from(*s)].ty == ty) {
            Some(i) => self.free.swap_remove(i),
            None => self.slot("", ty),
        }
    }

    /// Gives a temporary back.
    pub(super) fn release(&mut self, slot: u16) {
        self.free.push(slot);
    }

    pub(super) fn name(&mut self, name: &str, slot: u16, at: At) {
        let block = self.blocks.last().copied().unwrap_or(0);
        if self.names[block..].iter().any(|(n, _)| n == name) {
            self.env.error(at, format!("there is a variable `{name}` already"));
        }
        self.names.push((name.to_owned(), slot));
    }

    pub(super) fn open(&mut self) {
        self.blocks.push(self.names.len());
    }

    pub(super) fn close(&mut self) {
        let start = self.blocks.pop().expect("blocks are closed as often as they are opened");
        self.names.truncate(start);
    }

    pub(super) fn this(&self) -> Ty {
        Ty::Class(self.class)
    }

    /// What a name means as a variable or constant.
    pub(super) fn lookup(&mut self, name: &str, at: At) -> Option<Meaning> {
        if let Some((_, slot)) = self.names.iter().rev().find(|(n, _)| n == name) {
            let ty = self.env.code.procs[self.proc].locals[usize::from(*slot)].ty;
            return Some(Meaning::Place(Place::Local(*slot), ty));
        }
        if let Some(value) = self.env.consts.get(name) {
            return Some(Meaning::Const(*value));
        }
        if let Some((field, ty)) = self.field_of(self.class, name) {
            if self.is_static {
                self.env.error(at, format!("`{name}` belongs to objects, and this procedure is static"));
            }
            return Some(Meaning::Place(Place::Field(Expr::Local(0), field), ty));
        }
        if let Some(found) = self.static_of(self.class, name) {
            return Some(found);
        }
        let everywhere: Vec<usize> =
            (0..self.env.statics.len()).filter(|i| self.env.statics[*i].name == name).collect();
        match everywhere[..] {
            [i] => Some(self.static_place(i)),
            [] => None,
            [..] => {
                self.env.error(at, format!("several classes have a static field `{name}`; name the class"));
                Some(self.static_place(everywhere[0]))
            }
        }
    }

    fn static_place(&self, i: usize) -> Meaning {
        Meaning::Place(Place::Static(i as u16), self.env.code.statics[i].ty)
    }

    pub(super) fn static_of(&self, class: ClassId, name: &str) -> Option<Meaning> {
        let i = self.env.statics.iter().position(|s| s.class == class && s.name == name)?;
        Some(self.static_place(i))
    }

    pub(super) fn field_of(&self, class: ClassId, name: &str) -> Option<(u16, Ty)> {
        let fields = &self.env.code.classes[class].fields;
        let i = fields.iter().position(|f| f.name == name)?;
        Some((i as u16, fields[i].ty))
    }

    /// The class, if the name means one and no variable.
    pub(super) fn class_named(&self, name: &str) -> Option<ClassId> {
        let shadowed = self.names.iter().any(|(n, _)| n == name);
        if shadowed { None } else { self.env.classes.get(name).copied() }
    }
}

/// After the message about too many variables nothing is run: any slot will do.
fn locals_limit() -> u16 {
    0
}
