//! Names of the source for what C-- names otherwise: for reports only; no decision depends on them.

use crate::lower::context::{Emitter, Symbols};
use crate::types::table::Types;
use crate::types::ty::{QTy, Ty};
use base::{Id, SourceMap, Span};
use ir::{Access, Base, Expr, Lvalue, Program, RecordId, VarId, VarKind};
use lang_c::ast;
use std::collections::{BTreeMap, BTreeSet};

/// See the module's documentation.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// The C names of the source's variables, where C-- calls them otherwise too.
    pub names: BTreeMap<VarId, String>,
    /// For local variables of the source the specifiers of their declarations: `const struct node`.
    pub specifiers: BTreeMap<VarId, Span>,
    /// The enumerations, each with the names of its values.
    pub enumerations: Vec<BTreeMap<i128, String>>,
    /// The enumeration of a variable that was declared as one, or as an array of it or a pointer to it.
    pub of_variable: BTreeMap<VarId, usize>,
    /// The same for members.
    pub of_member: BTreeMap<(RecordId, u32), usize>,
    /// The input that the calls of `scanf` and the like at these places take from standard input.
    pub scans: BTreeMap<Span, Vec<Scanned>>,
    /// The bodies of functions of the program's own files that nothing uses, and that are not in the program.
    pub unused: Vec<Span>,
    /// Variables that checks keep beside the program's own: the source has no words for them, wherever their places
    /// are.
    pub ghosts: BTreeSet<VarId>,
    /// The last enumeration with a tag.
    tags: BTreeMap<String, usize>,
}

/// A directive of a format of `scanf`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scanned {
    /// Any number of blanks.
    Blank,
    /// This character.
    Byte(u8),
    /// A number that is stored, in this base.
    Number(u8),
    /// This many characters that are stored.
    Characters(u64),
    /// A word that is stored.
    Word,
    /// Stores something without taking any input.
    Nothing,
    /// Something else.
    Other,
}

impl Words {
    /// Gives a variable that is a copy of another one the source names of that one.
    pub fn also(&mut self, copy: VarId, of: VarId) {
        if self.ghosts.contains(&of) {
            self.ghosts.insert(copy);
        }
        if let Some(name) = self.names.get(&of).cloned() {
            self.names.insert(copy, name);
        }
        if let Some(specifiers) = self.specifiers.get(&of).copied() {
            self.specifiers.insert(copy, specifiers);
        }
        if let Some(enumeration) = self.of_variable.get(&of).copied() {
            self.of_variable.insert(copy, enumeration);
        }
    }

    /// The source's name of a variable: its own, or for a temporary the expression that it stands for; `None`
    /// where the source has no name for it.
    pub fn variable(&self, program: &Program, sources: &SourceMap, v: VarId) -> Option<String> {
        let var = &program.vars[v];
        if self.ghosts.contains(&v) {
            return None;
        }
        match var.kind {
            VarKind::Temp(_) => sources.snippet(var.span).filter(|text| !text.is_empty()),
            _ if var.data.is_some() => sources.snippet(var.span).filter(|text| text.starts_with('"')),
            VarKind::Global | VarKind::Formal(_) | VarKind::Local(_) | VarKind::Return(_) => {
                self.names.get(&v).cloned()
            }
        }
    }

    /// The name of a value of a location that was declared as an enumeration.
    pub fn enumerator(&self, place: &Lvalue, value: i128) -> Option<&str> {
        let mut place = place;
        let enumeration = loop {
            let member = place.path.iter().rev().find_map(|access| match access {
                Access::Field(record, n) => Some((*record, *n)),
                Access::Index(_) => None,
            });
            match (member, &place.base) {
                (Some(member), _) => break self.of_member.get(&member),
                (None, Base::Var(v)) => break self.of_variable.get(v),
                (None, Base::Deref(pointer)) => match &**pointer {
                    Expr::Load(from) | Expr::AddrOf(from) => place = from,
                    Expr::Binary(_, l, ..) => match &**l {
                        Expr::Load(from) | Expr::AddrOf(from) => place = from,
                        _ => return None,
                    },
                    _ => return None,
                },
            }
        };
        self.enumerations[*enumeration?].get(&value).map(String::as_str)
    }
}

impl Emitter<'_> {
    /// The source calls the variable so, and declares it at this type.
    pub(crate) fn note_name(&mut self, var: VarId, name: &str, ty: &QTy) {
        if self.dry == 0 {
            self.report.words.names.insert(var, name.to_owned());
            self.report.words.of_variable.extend(enumeration_of(ty).map(|n| (var, n)));
        }
    }

    /// The enumeration that a specifier names or defines.
    pub(crate) fn enumeration(&mut self, symbols: &Symbols<'_>, e: &ast::EnumType) -> Option<usize> {
        let tag = e.identifier.as_ref().map(|i| i.node.name.as_str());
        if e.enumerators.is_empty() {
            return self.report.words.tags.get(tag?).copied();
        }
        let mut names = BTreeMap::new();
        for enumerator in &e.enumerators {
            let name = &enumerator.node.identifier.node.name;
            if let Some(value) = symbols.enum_constant(name) {
                names.entry(value).or_insert_with(|| name.clone());
            }
        }
        self.report.words.enumerations.push(names);
        let new = self.report.words.enumerations.len() - 1;
        self.report.words.tags.extend(tag.map(|tag| (tag.to_owned(), new)));
        Some(new)
    }

    pub(crate) fn take_words(&mut self, types: &Types) -> Words {
        for (r, members) in types.members.iter().enumerate() {
            for (n, member) in members.iter().enumerate() {
                let enumeration = enumeration_of(&member.ty);
                let at = (RecordId::from_index(r), n as u32);
                self.report.words.of_member.extend(enumeration.map(|e| (at, e)));
            }
        }
        std::mem::take(&mut self.report.words)
    }
}

/// The enumeration of the type, or of what its arrays and pointers are made of.
fn enumeration_of(ty: &QTy) -> Option<usize> {
    match &ty.ty {
        Ty::Ptr(inner) | Ty::Array(inner, _) => enumeration_of(inner),
        _ => ty.enumeration,
    }
}
