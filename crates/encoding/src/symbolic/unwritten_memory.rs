//! Memory that a path reads and has not written: the contents of new objects, and of objects that the path gets from
//! outside. The model of the path has values for it; the interpreter requests them when it first reads such a place,
//! and identifies the place by the step that reads and by its offset in the object.

use crate::Unwritten;
use crate::symbolic::opaque::summands;
use crate::symbolic::path_state::{Read, Source};
use crate::symbolic::walk::{Encoded, input_value};
use ir::Type;
use smt::{Evaluation, Model, Op, Value};
use std::collections::BTreeSet;

/// The values of what the path reads and nothing on it has written, in order.
pub fn unwritten(encoded: &Encoded, model: &Model) -> Vec<Unwritten> {
    let mut values = Evaluation::new(model);
    let objects = objects(encoded, &mut values);
    let mut out = vec![];
    for read in &encoded.reads {
        let Some(at) = values.value(&read.at).and_then(number) else { continue };
        let Some(value) = initial(&mut values, read) else { continue };
        let Some(start) = base(&mut values, read, &objects, at) else { continue };
        if let Ok(offset) = u64::try_from(at - start) {
            out.push(Unwritten { step: read.step, offset, value: input_value(&read.ty, Some(value)) });
        }
    }
    out
}

/// Where the object begins that is read at this address: where a pointer of the sum that the address is points to, if one does;
/// other objects may lie between, since nothing keeps those from outside apart.
fn base<'t>(
    values: &mut Evaluation<'_, 't>,
    read: &'t Read,
    objects: &BTreeSet<i128>,
    at: i128,
) -> Option<i128> {
    let starts = summands(&read.at).iter().filter_map(|summand| values.value(summand).and_then(number));
    let own = starts.filter(|start| *start <= at && objects.contains(start)).max();
    own.or_else(|| objects.range(..=at).next_back().copied())
}

/// Where objects begin: those of the path, and those that pointers from outside point to.
fn objects<'t>(encoded: &'t Encoded, values: &mut Evaluation<'_, 't>) -> BTreeSet<i128> {
    let mut out: BTreeSet<i128> = encoded.objects.iter().copied().collect();
    for symbol in &encoded.symbols {
        if let (Type::Ptr(_), Some(term)) = (&symbol.ty, &symbol.term) {
            out.extend(values.value(term).and_then(number).filter(|at| *at != 0));
        }
    }
    for read in &encoded.reads {
        if let Type::Ptr(_) = read.ty
            && let Some(pointer) = initial(values, read).as_ref().and_then(number)
        {
            out.extend((pointer != 0).then_some(pointer));
        }
    }
    out
}

/// The value that is read, if no store of the path has written it.
fn initial<'t>(values: &mut Evaluation<'_, 't>, read: &'t Read) -> Option<Value> {
    let index = values.value(&read.at)?.clone();
    let mut map = match &read.source {
        Source::Map(map) => map,
        Source::Value(value) => return values.value(value).cloned(),
    };
    while *map.op() == Op::Store {
        if *values.value(&map.args()[1])? == index {
            return None;
        }
        map = &map.args()[0];
    }
    match values.value(map)? {
        Value::Array(array) => Some(array.get(&index).clone()),
        _ => None,
    }
}

fn number(value: &Value) -> Option<i128> {
    value.as_int().or_else(|| value.as_unsigned().and_then(|u| i128::try_from(u).ok()))
}
