//! Whether a pattern fits a state, and what an effect does to it \[QR05 Fig. 7, 8\].

use super::entry::{Effect, Spot};
use super::root::Root;
use super::{Mode, Site};
use crate::value::{Cell, Store, Value};

/// No object yet.
const NONE: u32 = u32::MAX;

/// The caller's objects by the numbers of the root's entry, if the root's pattern fits. Different objects of the
/// pattern are different objects of the caller.
pub(super) fn matches(root: &Root, site: Site<'_>) -> Option<Vec<u32>> {
    let mut map = vec![NONE; root.entry.cells()];
    let mut taken: Vec<u32> = vec![];
    for spot in &root.pattern.spots {
        let (there, here) = match *spot {
            Spot::Static(i) => (root.entry.value(*spot), site.store.statics[usize::from(i)]),
            Spot::Formal(i) => (root.entry.value(*spot), site.args[usize::from(i)]),
            Spot::Field(a, f) => {
                let address = map[a as usize];
                (root.entry.value(*spot), site.store.heap.fields(address)[usize::from(f)])
            }
            Spot::Shared(a) => {
                let there = root.entry.shared[a as usize];
                let is_shared = |a: u32| site.shared.get(a as usize).copied().unwrap_or(false);
                let here = site.mode == Mode::Local && is_shared(map[a as usize]);
                (Value::Bool(there), Value::Bool(here))
            }
        };
        match (there, here) {
            (Value::Ref(a), Value::Ref(b)) if map[a as usize] == NONE => {
                if taken.contains(&b) {
                    return None;
                }
                taken.push(b);
                map[a as usize] = b;
            }
            (Value::Ref(a), Value::Ref(b)) if map[a as usize] == b => {}
            (Value::Ref(_), _) | (_, Value::Ref(_)) => return None,
            (there, here) if there == here => {}
            _ => return None,
        }
    }
    Some(map)
}

/// Changes the store as the effect says, and gives the results; `map` has the caller's objects for the first `kept`
/// numbers of the effect, whose other objects are new.
pub(crate) fn apply(effect: &Effect, kept: usize, map: &[u32], store: &mut Store) -> Vec<Value> {
    let first = store.heap.cells.len();
    let here = |v: Value| match v {
        Value::Ref(a) if (a as usize) < kept => Value::Ref(map[a as usize]),
        Value::Ref(a) => Value::Ref((a as usize - kept + first) as u32),
        other => other,
    };
    let mut contents = &effect.contents[..];
    for (class, len) in &effect.classes {
        let (fields, rest) = contents.split_at(usize::from(*len));
        contents = rest;
        let at = store.heap.values.len() as u32;
        store.heap.values.extend(fields.iter().map(|v| here(*v)));
        store.heap.cells.push(Cell { class: *class, len: *len, at });
    }
    for (spot, v) in &effect.writes {
        match *spot {
            Spot::Static(i) => store.statics[usize::from(i)] = here(*v),
            Spot::Field(a, f) => {
                let position = store.heap.position(map[a as usize], f);
                store.heap.values[position] = here(*v);
            }
            Spot::Formal(_) | Spot::Shared(_) => unreachable!("effects are on static fields and objects"),
        }
    }
    effect.results.iter().map(|v| here(*v)).collect()
}
