//! Types in C syntax.

use crate::lower::context::Symbols;
use crate::lower::scope::{Entity, Tag};
use crate::types::table::Types;
use crate::types::ty::{FuncTy, IntTy, QTy, Rank, Ty};
use ir::RecordId;

impl Symbols<'_> {
    /// The declaration of `name` with this type, without qualifiers; `None` when the file has no name for some part of
    /// it.
    pub(super) fn declared_as(&self, types: &Types, file: usize, ty: &Ty, name: &str) -> Option<String> {
        let alias = || self.alias_of(file, ty).map(|alias| with(alias, name));
        match ty {
            Ty::Void => Some(with("void", name)),
            Ty::Int(i) => Some(with(integer(*i)?, name)),
            Ty::Float(bits) => Some(with(floating(*bits)?, name)),
            Ty::Record(r) => self.record_name(types, file, *r).map(|record| with(&record, name)),
            Ty::Ptr(to) => {
                let inner = match &to.ty {
                    Ty::Array(..) | Ty::Func(_) => format!("(*{name})"),
                    _ => format!("*{name}"),
                };
                let konst =
                    if to.konst && !matches!(to.ty, Ty::Func(_) | Ty::Array(..)) { "const " } else { "" };
                let plain =
                    self.declared_as(types, file, &to.ty, &inner).map(|text| format!("{konst}{text}"));
                plain.or_else(alias)
            }
            Ty::Array(of, length) => {
                let length = length.map(|n| n.to_string()).unwrap_or_default();
                self.declared_as(types, file, &of.ty, &format!("{name}[{length}]"))
            }
            Ty::Func(f) => {
                let list = self.parameter_list(types, file, f)?;
                self.declared_as(types, file, &f.ret.ty, &format!("{name}({list})"))
            }
            Ty::Vla(..) | Ty::Refused(_) => None,
        }
    }

    fn parameter_list(&self, types: &Types, file: usize, f: &FuncTy) -> Option<String> {
        if !f.proto {
            return Some(String::new());
        }
        let one = |p: &QTy| self.declared_as(types, file, &p.ty, "");
        let mut list: Vec<String> = f.params.iter().map(one).collect::<Option<_>>()?;
        if f.variadic {
            list.push("...".into());
        }
        Some(if list.is_empty() { "void".into() } else { list.join(", ") })
    }

    /// `struct TAG`, `union TAG`, or the name of a typedef.
    pub(super) fn record_name(&self, types: &Types, file: usize, record: RecordId) -> Option<String> {
        let scope = &self.scopes.files[file];
        let is_it = |tag: &Tag| matches!(tag, Tag::Record(r) if *r == record);
        let tag = scope.tags.iter().filter(|(_, tag)| is_it(tag)).map(|(name, _)| name).min();
        let word = if types.records[record].is_union { "union" } else { "struct" };
        let tag = tag.map(|name| format!("{word} {name}"));
        tag.or_else(|| self.alias_of(file, &Ty::Record(record)).map(str::to_owned))
    }

    /// A typedef of the file for exactly this type.
    fn alias_of(&self, file: usize, ty: &Ty) -> Option<&str> {
        let names = &self.scopes.files[file].names;
        let is_it = |e: &Entity| matches!(e, Entity::Typedef(t) if t.ty == *ty && !t.konst && !t.volatile);
        names.iter().filter(|(_, e)| is_it(e)).map(|(name, _)| name.as_str()).min()
    }
}

fn with(ty: &str, name: &str) -> String {
    if name.is_empty() { ty.to_owned() } else { format!("{ty} {name}") }
}

/// The name of an integer type.
pub(super) fn integer(i: IntTy) -> Option<&'static str> {
    Some(match (i.rank, i.signed) {
        (Rank::Bool, _) => "_Bool",
        (Rank::Char, _) => "char",
        (Rank::ExplicitChar, true) => "signed char",
        (Rank::ExplicitChar, false) => "unsigned char",
        (Rank::Short, true) => "short",
        (Rank::Short, false) => "unsigned short",
        (Rank::Int, true) => "int",
        (Rank::Int, false) => "unsigned int",
        (Rank::Long | Rank::Thread, true) => "long",
        (Rank::Long | Rank::Thread, false) => "unsigned long",
        (Rank::LongLong, true) => "long long",
        (Rank::LongLong, false) => "unsigned long long",
        (Rank::Int128, true) => "__int128",
        (Rank::Int128, false) => "unsigned __int128",
        (Rank::Bits, _) => return None,
    })
}

/// The name of a floating type.
pub(super) fn floating(bits: u16) -> Option<&'static str> {
    match bits {
        32 => Some("float"),
        64 => Some("double"),
        80 | 96 => Some("long double"),
        _ => None,
    }
}

/// The suffix of the name of an input function, for a type of C.
pub(super) fn input_word(c: &str) -> String {
    match c {
        "_Bool" => "bool".into(),
        "signed char" => "schar".into(),
        "unsigned int" => "uint".into(),
        c => match c.strip_prefix("unsigned ") {
            Some(rest) => format!("u{}", rest.replace(' ', "").replace("__", "")),
            None => c.replace(' ', "").replace("__", ""),
        },
    }
}
