//! Definitions for undefined functions that return pointers: each returns NULL or a new object of its own with
//! any contents, like the arguments of an entry function. Their effects on the memory that they reach are those
//! of functions without a definition.

use super::text::Writer;
use crate::error::Res;
use crate::lower::context::Symbols;
use crate::lower::scope::{FnId, Function};
use crate::options::UnknownPointers;
use crate::types::table::Types;
use crate::types::ty::{Rank, Ty};
use ir::Origin;
use std::collections::BTreeSet;
use std::fmt::Write as _;

impl Symbols<'_> {
    /// The functions that are to get definitions in a file: the first that declares them.
    pub(super) fn undefined_makers(&self, types: &Types, file: usize) -> Vec<FnId> {
        if self.settings.options.unknown_pointers != UnknownPointers::Fresh {
            return vec![];
        }
        let defined: BTreeSet<&str> =
            self.functions.iter().filter(|f| f.def.is_some()).map(|f| f.name.as_str()).collect();
        let mut met = BTreeSet::new();
        let mut out = vec![];
        for (n, f) in self.functions.iter().enumerate().filter(|(_, f)| f.file < self.stubs_from) {
            let is_input = self.input(&f.name, Some(n)).is_some();
            let is_one = self.makes_objects(types, f) && !is_input && !defined.contains(f.name.as_str());
            if is_one && met.insert(f.name.as_str()) && f.file == file {
                out.push(n);
            }
        }
        out
    }

    /// Whether the function returns pointers to objects of a known, complete type, and is not a library function.
    fn makes_objects(&self, types: &Types, f: &Function<'_>) -> bool {
        let Ty::Ptr(to) = &f.ty.ret.ty else { return false };
        let is_complete = match &to.ty {
            Ty::Record(r) => types.records[*r].complete,
            Ty::Int(i) => i.rank != Rank::Bits,
            Ty::Float(_) | Ty::Ptr(_) => true,
            _ => false,
        };
        let is_plain = !f.implicit && !f.weak && !f.noreturn && f.refused.is_none() && !f.ty.variadic;
        is_complete && is_plain && self.origin(f) == Origin::Program
    }
}

impl Writer<'_, '_> {
    /// The definition of such a function; what has no name in the file is left as it is.
    pub(super) fn result(&mut self, f: &Function<'_>) -> Res<()> {
        let effects = format!("{}_effects_of_{}", self.prefix, f.name);
        self.body.names.extend([f.name.clone(), effects.clone()]);
        self.body.outlived = true;
        let object = self.fresh("result");
        let names: Vec<String> =
            (0..f.ty.params.len()).map(|n| self.fresh(&format!("argument_{}", n + 1))).collect();
        let parameters = f.ty.params.iter().zip(&names);
        let list: Option<Vec<String>> = parameters
            .map(|(p, name)| self.symbols.declared_as(self.types, self.file, &p.ty, name))
            .collect();
        let declared = self.symbols.declared_as(self.types, self.file, &f.ty.ret.ty, &object);
        let (Some(list), Some(declared)) = (list, declared) else {
            self.close();
            return Ok(());
        };
        let list = if list.is_empty() && f.ty.proto { "void".to_owned() } else { list.join(", ") };
        let head =
            self.symbols.declared_as(self.types, self.file, &f.ty.ret.ty, &format!("{}({list})", f.name));
        self.declare(&declared);
        self.line(&format!("{effects}({});", names.join(", ")));
        self.fill(&object, &f.ty.ret, f.span)?;
        self.line(&format!("return {object};"));
        let body = self.close();
        if let Some(head) = head {
            let _ = write!(self.out, "extern void {effects}({list});\n{head} {{\n{body}}}\n");
        }
        Ok(())
    }

    /// The definitions of all such functions in the file; false when there are none.
    pub(super) fn results(&mut self) -> Res<bool> {
        let makers = self.symbols.undefined_makers(self.types, self.file);
        for f in &makers {
            let function = self.symbols.functions[*f].clone();
            self.result(&function)?;
        }
        Ok(!makers.is_empty())
    }
}
