//! The places that accesses and block operations touch.

use super::{Cursor, Fit};
use crate::byte_offsets::Span;
use crate::places::{PlaceId, Places, Role, Step};
use ir::expr::Access;
use ir::types::Type;

/// More bytes than the storage of a bit-field takes.
const BIT_FIELD: u64 = 16;

/// The places that an access can touch.
#[derive(Clone, Debug)]
pub(crate) enum Touched {
    /// Each time one of these scalars (or blobs), whole.
    Leaves(Vec<Cursor>),
    /// Something that the layout does not have there: parts of scalars, scalars of another size, ….
    Unfit,
    /// Bytes between the members of a structure, fewer than a pointer has.
    Padding,
}

/// The places that a block operation can touch.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// All that it touches is at this cursor or inside.
    pub(crate) at: Cursor,
    /// It begins where the cursor (some element of it) begins.
    pub(crate) aligned: bool,
}

impl Places {
    /// The places that an access of type `ty` at the end of a path from a place can touch, when a pointer to
    /// `base` leads there. When the place has no `base`, the layout decides what is that many bytes further on:
    /// structs with a common beginning may be used for each other. `None` when there is nothing to access.
    pub(crate) fn accessed(
        &self,
        place: PlaceId,
        base: &Type,
        path: &[Access],
        ty: &Type,
    ) -> Option<Touched> {
        let place = self.spot(place);
        match self.fit(place, base) {
            Fit::Yes(at) if self.is_whole_blob(place) => return Some(Touched::Leaves(vec![at])),
            Fit::Yes(at) if self.stays_inside(base, path) || self.in_last_array(&at, base, path) => {
                return Some(Touched::Leaves(vec![self.walk(at, base, path)]));
            }
            Fit::Nothing if self.is_func(place) => return None,
            Fit::Untyped(_) | Fit::Widen(_) => return Some(Touched::Unfit),
            Fit::Yes(_) | Fit::Nothing | Fit::No => {}
        }
        let Some(path) = self.path_span(base, path) else { return Some(Touched::Unfit) };
        let at = self.place_span(place);
        let span = Span {
            first: at.first.saturating_add(path.first),
            last: at.last.saturating_add(path.last),
            step: at.class(path.step.unsigned_abs()).1 as i64,
        };
        let span = if at.step == 0 && path.step == 0 { Span::at(span.first) } else { span };
        self.touched(self.object_of(place).root, span, ty)
    }

    /// The array that the place is, or is an element of, if nothing of the object lies behind it.
    fn last_array(&self, place: PlaceId) -> Option<Cursor> {
        let is_array = |p: PlaceId| matches!(self.places[p].ty, Some(Type::Array(..)));
        let array = match self.places[place].role {
            _ if is_array(place) => place,
            Role::Inside(parent, Step::Elem) if is_array(parent) => parent,
            _ => return None,
        };
        let mut at = array;
        loop {
            match self.places[at].role {
                Role::Inside(parent, Step::Field(i)) => {
                    let record = self.record(self.places[parent].ty.as_ref()?)?;
                    if record.is_union || record.fields.len() != i as usize + 1 {
                        return None;
                    }
                    at = parent;
                }
                Role::Root => {
                    return (self.is_single(at) || self.has_room(at)).then(|| self.cursor(array));
                }
                _ => return None,
            }
        }
    }

    /// Whether the path's only index that can leave its array is one into an array at the end of the object, which
    /// has as many elements as there is memory for.
    fn in_last_array(&self, at: &Cursor, base: &Type, path: &[Access]) -> bool {
        let root = self.object_of(at.from).root;
        let Some(n) = path.iter().position(|a| matches!(a, Access::Index(_))) else { return false };
        let (around, inside) = path.split_at(n);
        let elem = around.iter().try_fold(base.clone(), |ty, a| match a {
            Access::Field(_, i) => self.step_type(&ty, Step::Field(*i)),
            Access::Index(_) => None,
        });
        let Some(Type::Array(elem, _)) = elem else { return false };
        let last = |ty: &Type, i: u32| {
            self.record(ty).is_some_and(|r| !r.is_union && r.fields.len() == i as usize + 1)
        };
        let mut ty = base.clone();
        let ends = around.iter().all(|a| {
            let Access::Field(_, i) = a else { return false };
            let ok = last(&ty, *i);
            ty = self.step_type(&ty, Step::Field(*i)).unwrap_or(Type::Void);
            ok
        });
        let whole = at.from == root && at.down.is_empty();
        whole && ends && self.stays_inside(&elem, &inside[1..])
    }

    /// The scalars that `ty` at some offset of the span can touch.
    fn touched(&self, root: PlaceId, span: Span, ty: &Type) -> Option<Touched> {
        let Some(size) = self.size(ty) else { return Some(Touched::Unfit) };
        if self.places[root].ty.is_none() {
            return Some(Touched::Unfit);
        }
        let (mut leaves, mut met) = (vec![], false);
        let mut todo = vec![(self.cursor(root), self.sequence(root, Span::at(0)))];
        while let Some((at, place)) = todo.pop() {
            let width = if self.open_ended(&at.ty, 1) { None } else { self.size(&at.ty) };
            let meeting = span.meets(size, place, width.unwrap_or(u64::MAX));
            if !meeting.together && !meeting.apart {
                continue;
            }
            met = true;
            let blob = self.look_up(&at).is_some_and(|p| self.is_blob(p));
            match &at.ty {
                _ if blob && meeting.inside => leaves.push(at),
                _ if blob => return Some(Touched::Unfit),
                Type::Array(elem, n) => {
                    let n = n.filter(|n| 1 < *n);
                    let inner = place.times(self.size(elem).unwrap_or(1), n);
                    todo.push((self.stepped(at, Step::Elem), inner));
                }
                Type::Record(r) if !self.records[*r].is_union => {
                    for (i, field) in self.records[*r].fields.iter().enumerate() {
                        let inner = place.plus(i64::try_from(field.offset).unwrap_or(i64::MAX));
                        if field.bit_offset.is_some() {
                            let meeting = span.meets(size, inner, BIT_FIELD);
                            if meeting.together || meeting.apart {
                                return Some(Touched::Unfit);
                            }
                        } else {
                            todo.push((self.stepped(at.clone(), Step::Field(i as u32)), inner));
                        }
                    }
                }
                _ if meeting.apart => return Some(Touched::Unfit),
                _ => match self.first_part(at, ty) {
                    Some(leaf) => leaves.push(leaf),
                    None => return Some(Touched::Unfit),
                },
            }
        }
        match leaves.is_empty() {
            false => Some(Touched::Leaves(leaves)),
            true if !met => None,
            true if size < u64::from(self.model.pointer_bits()) / 8 => Some(Touched::Padding),
            true => Some(Touched::Unfit),
        }
    }

    /// The part of an object that an operation on `len` bytes (`None`: some number) at the place can touch; `elem`
    /// is the pointee type that the program's pointer has. `None` when there is nothing to touch.
    pub(crate) fn region(&self, place: PlaceId, elem: &Type, len: Option<u64>) -> Option<Region> {
        let place = self.spot(place);
        if self.is_func(place) {
            return None;
        }
        let whole = Region { at: self.cursor(self.object_of(place).root), aligned: false };
        if matches!(self.places[place].role, Role::Stride { .. } | Role::Outside(_)) {
            return Some(whole);
        }
        let mut at = match self.fit(place, elem) {
            Fit::Yes(at) => at,
            _ => self.cursor(place),
        };
        let enough = |ty: &Type| self.size(ty).zip(len).is_some_and(|(size, len)| len <= size);
        if enough(&at.ty) || self.repeats(&at) {
            return Some(Region { at, aligned: true });
        }
        at = self.cursor(place);
        // The aggregate whose first part the place is begins there, too.
        loop {
            if enough(&at.ty) || self.repeats(&at) {
                return Some(Region { at, aligned: true });
            }
            match self.places[at.from].role {
                Role::Inside(parent, Step::Field(i))
                    if self
                        .record(&self.cursor(parent).ty)
                        .is_some_and(|r| r.fields[i as usize].offset == 0) =>
                {
                    at = self.cursor(parent);
                }
                Role::Root => return Some(Region { at, aligned: true }),
                // It goes forwards only.
                _ => return Some(self.last_array(place).map_or(whole, |at| Region { at, aligned: true })),
            }
        }
    }
}
