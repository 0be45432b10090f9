//! Types of formulas: names to structures of classes.

use super::Res;
use crate::ir::{Class, ClassId};
use crate::prelude::Prelude;
use crate::syntax::{Number, Param, TypeName};
use base::{Diagnostic, Id, IndexVec};
use bp::{Ident, Name};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The most elements of an array.
const MOST_ELEMENTS: u32 = 4096;
/// The most values of a range.
const MOST_VALUES: u32 = 1 << 20;

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Type {
    /// Plain bit vectors.
    Class(ClassId),
    /// Fields, with their names.
    Struct(Rc<(String, Vec<(Name, Type)>)>),
    /// Elements with indices from `low` on.
    Array { low: u32, len: u32, element: Rc<Type> },
}

/// Types, constants and values of enumerations by name.
pub(super) struct Types {
    pub(super) classes: IndexVec<ClassId, Class>,
    names: BTreeMap<Name, Type>,
    constants: BTreeMap<Name, u32>,
    values: BTreeMap<Name, (ClassId, u32)>,
    ranges: BTreeMap<(u32, u32), ClassId>,
}

/// The least number of bits for this many values.
fn bits_for(values: u32) -> usize {
    (u32::BITS - values.saturating_sub(1).leading_zeros()) as usize
}

impl Types {
    pub(super) fn new(prelude: &Prelude) -> Types {
        let mut types = Types {
            classes: IndexVec::new(),
            names: BTreeMap::new(),
            constants: BTreeMap::new(),
            values: BTreeMap::new(),
            ranges: BTreeMap::new(),
        };
        let boolean = types.class("bool".to_owned(), 1, Some(2), Some(0));
        types.names.insert(Name::new("bool"), Type::Class(boolean));
        for (name, value) in &prelude.constants {
            types.constants.insert(Name::new(name), *value);
        }
        for (number, class) in prelude.classes.iter().enumerate() {
            let id = types.class(class.name.to_owned(), class.bits, None, None);
            types.classes[id].given = Some(number);
            types.names.insert(Name::new(class.name), Type::Class(id));
        }
        for range in &prelude.ranges {
            let id = types.range(range.low, range.high);
            types.names.insert(Name::new(range.name), Type::Class(id));
        }
        for structure in &prelude.structures {
            let field = |(name, ty): &(&'static str, &'static str)| (Name::new(name), types.given(ty));
            let fields = structure.fields.iter().map(field).collect();
            let ty = Type::Struct(Rc::new((structure.name.to_owned(), fields)));
            types.names.insert(Name::new(structure.name), ty);
        }
        types
    }

    /// The type of this name.
    pub(super) fn find(&self, name: &str) -> Option<&Type> {
        self.names.get(&Name::new(name))
    }

    /// A type that the model gives.
    pub(super) fn given(&self, name: &str) -> Type {
        self.find(name).expect("a model's types are made of types that it gives before").clone()
    }

    fn class(&mut self, name: String, bits: usize, values: Option<u32>, low: Option<u32>) -> ClassId {
        self.classes.push(Class { name, bits, values, low, given: None })
    }

    fn range(&mut self, low: u32, high: u32) -> ClassId {
        if let Some(id) = self.ranges.get(&(low, high)) {
            return *id;
        }
        let values = high - low + 1;
        let id = self.class(format!("{low}..{high}"), bits_for(values), Some(values), Some(low));
        self.ranges.insert((low, high), id);
        id
    }

    /// The class of `bool`.
    pub(super) fn boolean() -> ClassId {
        ClassId::from_index(0)
    }

    fn fresh(&self, name: &Ident) -> Res<()> {
        let taken = self.names.contains_key(&name.name)
            || self.constants.contains_key(&name.name)
            || self.values.contains_key(&name.name);
        if taken {
            return Err(Diagnostic::error(name.loc.0, format!("`{name}` is declared twice")));
        }
        Ok(())
    }

    pub(super) fn declare_const(&mut self, name: &Ident, value: &Number) -> Res<()> {
        self.fresh(name)?;
        let value = self.number(value)?;
        self.constants.insert(name.name.clone(), value);
        Ok(())
    }

    pub(super) fn declare_alias(&mut self, name: &Ident, ty: &TypeName) -> Res<()> {
        self.fresh(name)?;
        let ty = self.named(ty)?;
        self.names.insert(name.name.clone(), ty);
        Ok(())
    }

    pub(super) fn declare_enum(&mut self, name: &Ident, values: &[Ident]) -> Res<()> {
        self.fresh(name)?;
        let count = values.len() as u32;
        let class = self.class(name.name.to_string(), bits_for(count), Some(count), None);
        self.names.insert(name.name.clone(), Type::Class(class));
        for (number, value) in values.iter().enumerate() {
            self.fresh(value)?;
            self.values.insert(value.name.clone(), (class, number as u32));
        }
        Ok(())
    }

    pub(super) fn declare_struct(&mut self, name: &Ident, fields: &[Param]) -> Res<()> {
        self.fresh(name)?;
        let mut out: Vec<(Name, Type)> = vec![];
        for field in fields {
            if out.iter().any(|(other, _)| *other == field.name.name) {
                let message = format!("`{name}` has two fields `{}`", field.name);
                return Err(Diagnostic::error(field.name.loc.0, message));
            }
            out.push((field.name.name.clone(), self.of_param(field)?));
        }
        self.names.insert(name.name.clone(), Type::Struct(Rc::new((name.name.to_string(), out))));
        Ok(())
    }

    /// The value of a number.
    fn number(&self, number: &Number) -> Res<u32> {
        match number {
            Number::Literal(n) => Ok(*n),
            Number::Const(name) => {
                self.constants.get(&name.name).copied().ok_or_else(|| {
                    Diagnostic::error(name.loc.0, format!("constant `{name}` is not declared"))
                })
            }
        }
    }

    fn named(&mut self, ty: &TypeName) -> Res<Type> {
        match ty {
            TypeName::Named(name) => self
                .names
                .get(&name.name)
                .cloned()
                .ok_or_else(|| Diagnostic::error(name.loc.0, format!("type `{name}` is not declared"))),
            TypeName::Range(low, high, loc) => {
                let (low, high) = (self.number(low)?, self.number(high)?);
                if low > high || high - low >= MOST_VALUES {
                    let message = format!("the range {low}..{high} has no value, or more than {MOST_VALUES}");
                    return Err(Diagnostic::error(loc.0, message));
                }
                Ok(Type::Class(self.range(low, high)))
            }
        }
    }

    /// The type of a variable or field.
    pub(super) fn of_param(&mut self, param: &Param) -> Res<Type> {
        let element = self.named(&param.ty)?;
        let Some((low, high)) = &param.bounds else { return Ok(element) };
        let (low, high) = (self.number(low)?, self.number(high)?);
        // An array from 1 to 0 is empty: formulas for no context switch have one.
        if low > high.saturating_add(1) || high.saturating_sub(low) >= MOST_ELEMENTS {
            let message = format!("the bounds {low}..{high} are out of order, or the array is too long");
            return Err(Diagnostic::error(param.name.loc.0, message));
        }
        Ok(Type::Array { low, len: high + 1 - low, element: Rc::new(element) })
    }

    /// The constant or the value of an enumeration with this name.
    pub(super) fn constant(&self, name: &Name) -> Option<(Option<ClassId>, u32)> {
        let value = self.values.get(name).map(|(class, value)| (Some(*class), *value));
        value.or_else(|| self.constants.get(name).map(|value| (None, *value)))
    }

    /// How many leaves a value has.
    pub(super) fn width(&self, ty: &Type) -> usize {
        match ty {
            Type::Class(_) => 1,
            Type::Struct(fields) => fields.1.iter().map(|(_, ty)| self.width(ty)).sum(),
            Type::Array { len, element, .. } => *len as usize * self.width(element),
        }
    }

    /// The classes of a value's leaves.
    pub(super) fn leaves(&self, ty: &Type) -> Vec<ClassId> {
        match ty {
            Type::Class(class) => vec![*class],
            Type::Struct(fields) => fields.1.iter().flat_map(|(_, ty)| self.leaves(ty)).collect(),
            Type::Array { len, element, .. } => self.leaves(element).repeat(*len as usize),
        }
    }

    /// The type in words.
    pub(super) fn text(&self, ty: &Type) -> String {
        match ty {
            Type::Class(class) => self.classes[*class].name.clone(),
            Type::Struct(fields) => fields.0.clone(),
            Type::Array { low, len, element } => {
                format!("{}[{low}..{}]", self.text(element), i64::from(*low) + i64::from(*len) - 1)
            }
        }
    }
}
