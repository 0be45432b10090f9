//! Layout queries of the points-to analysis: the place of an object at which a value of some type is, and where
//! pointer arithmetic leads. Nothing here changes a place; the solver makes the places of the answers, and the
//! oracle only looks them up.

mod accesses;
mod moves;
mod reach;

use super::oracle::Object;
use super::places::{PlaceId, Places, Role, Step};
pub(super) use accesses::Touched;
use ir::expr::Access;
use ir::types::Type;

/// A place reached from an existing one by steps that may not exist yet.
#[derive(Clone, Debug)]
pub(super) struct Cursor {
    pub(super) from: PlaceId,
    pub(super) down: Vec<Step>,
    /// Type there; meaningless in blobs.
    pub(super) ty: Type,
}

/// How a place can be used at a type.
#[derive(Clone, Debug)]
pub(super) enum Fit {
    /// Its layout has the type there.
    Yes(Cursor),
    /// An untyped heap object can take this type.
    Untyped(Type),
    /// A heap object typed as the first part of this type can take it.
    Widen(Type),
    /// Nothing of that layout is there.
    No,
    /// Nothing can be accessed: a function, a place outside of its object.
    Nothing,
}

/// The target of an address computation in the same object.
#[derive(Clone, Debug)]
pub(super) enum Dest {
    /// A place of the layout.
    At(Cursor),
    /// As `At`, over the ends of elements: the object is a sequence.
    Along(Cursor),
    /// Some byte whose offset is `at` modulo `step`.
    Stride {
        /// Less than `step`.
        at: u64,
        /// 1: any byte.
        step: u64,
    },
    /// This many bytes from the start, outside.
    Outside(i64),
}

impl Dest {
    /// Any byte.
    pub(super) const WILD: Dest = Dest::Stride { at: 0, step: 1 };
}

impl Places {
    /// Whether pointer arithmetic in steps of the place's type stays at such places as long as it stays in the
    /// object: the object is a sequence of them. Not so for an array inside of something else.
    fn repeats(&self, at: &Cursor) -> bool {
        if !at.down.iter().all(|step| *step == Step::Elem) {
            return false;
        }
        let mut place = at.from;
        loop {
            match self.places[place].role {
                Role::Root => return !self.has_room(place),
                Role::Inside(parent, Step::Elem) => place = parent,
                _ => return false,
            }
        }
    }

    /// Whether some struct or union is around the place.
    fn in_record(&self, at: &Cursor) -> bool {
        at.down.iter().any(|s| matches!(s, Step::Field(_))) || {
            let mut place = at.from;
            while let Role::Inside(parent, step) = self.places[place].role {
                if matches!(step, Step::Field(_)) {
                    return true;
                }
                place = parent;
            }
            false
        }
    }

    pub(super) fn cursor(&self, place: PlaceId) -> Cursor {
        let ty = self.places[place].ty.clone().unwrap_or(Type::Void);
        Cursor { from: place, down: vec![], ty }
    }

    fn stepped(&self, mut at: Cursor, step: Step) -> Cursor {
        at.ty = self.step_type(&at.ty, step).unwrap_or(Type::Void);
        at.down.push(step);
        at
    }

    /// Whether values of type `want` can be accessed where the layout has `have`.
    pub(super) fn same_layout(&self, have: &Type, want: &Type, bounded: bool) -> bool {
        match (have, want) {
            (Type::Array(a, n), Type::Array(b, m)) => {
                self.same_layout(a, b, bounded) && (!bounded || n == m || m.is_some() && *m <= *n)
            }
            (Type::Record(a), Type::Record(b)) => a == b,
            (a, b) if a.is_scalar() && b.is_scalar() => self.size(a) == self.size(b),
            _ => false,
        }
    }

    /// How the place can be used at the type.
    pub(super) fn fit(&self, place: PlaceId, want: &Type) -> Fit {
        let place = self.spot(place);
        let p = &self.places[place];
        if self.is_whole_blob(place) {
            return Fit::Yes(self.cursor(place));
        }
        if self.is_func(place) || matches!(p.role, Role::Outside(_)) {
            return Fit::Nothing;
        }
        if matches!(p.role, Role::Stride { .. }) || matches!(want, Type::Void | Type::Func(_)) {
            return Fit::No;
        }
        let Some(have) = &p.ty else {
            return match want {
                Type::Array(elem, _) => self.fit(place, elem),
                _ if self.size(want).is_some() => Fit::Untyped(want.clone()),
                _ => Fit::No,
            };
        };
        let at = self.cursor(place);
        let bounded = self.in_record(&at);
        if self.same_layout(have, want, bounded) {
            return Fit::Yes(at);
        }
        if let Some(outer) = self.outer(place, want) {
            return Fit::Yes(self.cursor(outer));
        }
        if let Some(inner) = self.first_part(at.clone(), want) {
            return Fit::Yes(inner);
        }
        if let Type::Array(elem, _) = want {
            return match self.fit(place, elem) {
                Fit::Yes(inner) if !self.repeats(&inner) || self.in_record(&inner) => Fit::No,
                other => other,
            };
        }
        let heap = matches!(self.object_of(place).what, Object::Heap(..)) && p.role == Role::Root;
        let wider = || {
            let start = Cursor { from: place, down: vec![], ty: want.clone() };
            self.first_part(start, have).is_some_and(|at| !at.down.is_empty())
        };
        if heap && !self.object_of(place).strided && wider() { Fit::Widen(want.clone()) } else { Fit::No }
    }

    /// The struct of type `want` whose first member (of the first member …) the place is.
    fn outer(&self, mut place: PlaceId, want: &Type) -> Option<PlaceId> {
        while let Role::Inside(parent, Step::Field(i)) = self.places[place].role {
            let ty = self.places[parent].ty.as_ref()?;
            if self.record(ty)?.fields[i as usize].offset != 0 {
                return None;
            }
            if self.same_layout(ty, want, true) {
                return Some(parent);
            }
            place = parent;
        }
        None
    }

    /// The place of type `want` at the cursor's address, inside of it.
    pub(super) fn first_part(&self, mut at: Cursor, want: &Type) -> Option<Cursor> {
        loop {
            if self.same_layout(&at.ty, want, true) {
                return Some(at);
            }
            let step = match &at.ty {
                Type::Array(..) => Step::Elem,
                Type::Record(r) if self.records[*r].is_union => {
                    let fields = &self.records[*r].fields;
                    let i = fields.iter().position(|f| {
                        f.bit_offset.is_none()
                            && self
                                .first_part(Cursor { from: at.from, down: vec![], ty: f.ty.clone() }, want)
                                .is_some()
                    })?;
                    Step::Field(i as u32)
                }
                Type::Record(r) => {
                    let first = self.records[*r].fields.first()?;
                    if first.offset != 0 || first.bit_offset.is_some() {
                        return None;
                    }
                    Step::Field(0)
                }
                _ => return None,
            };
            at = self.stepped(at, step);
        }
    }

    /// Follows a path from a place that fits `base`.
    pub(super) fn walk(&self, mut at: Cursor, base: &Type, path: &[Access]) -> Cursor {
        let mut declared = base.clone();
        for access in path {
            let step = Step::of(access);
            let next = self.step_type(&declared, step).unwrap_or(Type::Void);
            let shorter = step == Step::Elem && array_depth(&at.ty) < array_depth(&declared);
            if !shorter {
                at = self.stepped(at, step);
            }
            declared = next;
        }
        at
    }

    /// Whether the object is a single value of its root's type.
    pub(super) fn is_single(&self, root: PlaceId) -> bool {
        let obj = self.object_of(root);
        let Some(ty) = &self.places[root].ty else { return false };
        match obj.what {
            Object::Var(_) => !self.open_ended(ty, 0),
            _ => obj.size.is_some() && obj.size == self.size(ty),
        }
    }

    /// Whether the object can go on behind its type's size with more elements of a last array.
    fn has_room(&self, root: PlaceId) -> bool {
        !self.is_single(root) && self.places[root].ty.as_ref().is_some_and(|ty| self.open_ended(ty, 1))
    }

    /// Whether values of the type can go on behind their size: records that end in an array without a length, or
    /// with one of at most `short`.
    fn open_ended(&self, ty: &Type, short: u64) -> bool {
        self.record(ty).and_then(|r| r.fields.last()).is_some_and(|f| match &f.ty {
            Type::Array(_, n) => n.is_none_or(|n| n <= short),
            inner => self.open_ended(inner, short),
        })
    }
}

fn array_depth(ty: &Type) -> u32 {
    let (mut depth, mut ty) = (0, ty);
    while let Type::Array(elem, _) = ty {
        (depth, ty) = (depth + 1, elem);
    }
    depth
}
