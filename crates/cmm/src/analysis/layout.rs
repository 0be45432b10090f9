//! Layout questions of the points-to analysis: at which place of an object a value of some type is, and where pointer
//! arithmetic leads. Nothing here changes a place; the solver makes the places that the answers name, and the
//! oracle only looks them up.

use super::oracle::Object;
use super::places::{PlaceId, Places, Role, Step};
use crate::expr::{Access, Expr};
use crate::types::Type;

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

/// Where an address computation leads in the same object.
#[derive(Clone, Debug)]
pub(super) enum Dest {
    /// A place of the layout.
    At(Cursor),
    /// As `At`, over the ends of elements: the object is a sequence.
    Along(Cursor),
    /// Some byte.
    Wild,
    /// That many bytes from the start, outside.
    Outside(i64),
}

impl Places {
    /// Whether pointer arithmetic in steps of the place's type stays at such places: the start of an object, an
    /// element of an array.
    fn repeats(&self, at: &Cursor) -> bool {
        match at.down.last() {
            Some(step) => *step == Step::Elem,
            None => matches!(self.places[at.from].role, Role::Root | Role::Inside(_, Step::Elem)),
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

    /// Whether values of type `want` can be accessed where the layout says `have`.
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
        if p.role == Role::Wild || matches!(want, Type::Void | Type::Func(_)) {
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
            let step = match access {
                Access::Field(_, i) => Step::Field(*i),
                Access::Index(_) => Step::Elem,
            };
            let next = self.step_type(&declared, step).unwrap_or(Type::Void);
            let shorter = step == Step::Elem && array_depth(&at.ty) < array_depth(&declared);
            if !shorter {
                at = self.stepped(at, step);
            }
            declared = next;
        }
        at
    }

    /// Where a pointer at the place points after moving by `count` elements (`None`: some number) of type `elem`.
    /// `None` when that is nowhere.
    pub(super) fn shifted(&self, place: PlaceId, elem: &Type, count: Option<i64>) -> Option<Dest> {
        if super::faults::nowhere(count) {
            return None;
        }
        let count = super::faults::moved(self.size(elem), count);
        let place = self.spot(place);
        if count == Some(0) || self.is_whole_blob(place) {
            return Some(Dest::At(self.cursor(place)));
        }
        if self.is_func(place) {
            return None;
        }
        if let Fit::Yes(at) = self.fit(place, elem)
            && self.repeats(&at)
        {
            return Some(Dest::Along(at));
        }
        let size = if *elem == Type::Void { Some(1) } else { self.size(elem) };
        let bytes = count.zip(size).and_then(|(n, size)| n.checked_mul(i64::try_from(size).ok()?));
        Some(bytes.map_or(Dest::Wild, |bytes| self.moved(place, bytes)))
    }

    /// Whether the object is a single value of its root's type.
    pub(super) fn is_single(&self, root: PlaceId) -> bool {
        let obj = self.object_of(root);
        let Some(ty) = &self.places[root].ty else { return false };
        !self.open_ended(ty)
            && (matches!(obj.what, Object::Var(_)) || obj.size.is_some() && obj.size == self.size(ty))
    }

    /// Whether values of the type can go on behind their size: structs that end in a flexible array.
    fn open_ended(&self, ty: &Type) -> bool {
        match ty {
            Type::Array(_, None | Some(0)) => true,
            Type::Record(_) => {
                self.record(ty).and_then(|r| r.fields.last()).is_some_and(|f| self.open_ended(&f.ty))
            }
            _ => false,
        }
    }

    /// What is `bytes` behind the place.
    fn moved(&self, place: PlaceId, bytes: i64) -> Dest {
        let start = match self.places[place].role {
            Role::Outside(at) => at.checked_add(bytes).map(|b| (self.object_of(place).root, b)),
            _ => Some((place, bytes)),
        };
        match start.and_then(|(from, bytes)| self.at_offset(from, bytes)) {
            Some(Ok((at, true))) => Dest::Along(at),
            Some(Ok((at, false))) => Dest::At(at),
            Some(Err(outside)) => Dest::Outside(outside),
            None => Dest::Wild,
        }
    }

    /// Climbs out and down again by the layout, and says whether that crossed array elements; `Err` is an offset
    /// outside of the object.
    fn at_offset(&self, mut place: PlaceId, mut off: i64) -> Option<Result<(Cursor, bool), i64>> {
        let mut wrapped = false;
        loop {
            let ty = self.places[place].ty.as_ref()?;
            let size = i64::try_from(self.size(ty)?).ok().filter(|s| 0 < *s)?;
            if off == 0 || (0..size).contains(&off) {
                return Some(Ok((self.down_to(self.cursor(place), off)?, wrapped)));
            }
            match self.places[place].role {
                Role::Root if self.is_single(place) && !self.object_of(place).strided => {
                    return Some(Err(off));
                }
                Role::Root => (off, wrapped) = (off.rem_euclid(size), true),
                // Which element it is, is not known: how far the surrounding struct reaches neither.
                Role::Inside(_, Step::Elem) if self.in_record(&self.cursor(place)) => return None,
                Role::Inside(_, Step::Elem) => off = off.rem_euclid(size),
                Role::Inside(parent, Step::Field(i)) => {
                    let record = self.record(self.places[parent].ty.as_ref()?)?;
                    off = off.checked_add(i64::try_from(record.fields[i as usize].offset).ok()?)?;
                    place = parent;
                }
                Role::Wild | Role::Outside(_) => return None,
            }
        }
    }

    fn down_to(&self, mut at: Cursor, mut off: i64) -> Option<Cursor> {
        while off != 0 {
            match &at.ty {
                Type::Array(elem, _) => {
                    off %= i64::try_from(self.size(elem)?).ok().filter(|s| 0 < *s)?;
                    at = self.stepped(at, Step::Elem);
                }
                Type::Record(r) if !self.records[*r].is_union => {
                    let fields = &self.records[*r].fields;
                    let i = fields.iter().rposition(|f| f.bit_offset.is_none() && f.offset as i64 <= off)?;
                    off -= fields[i].offset as i64;
                    at = self.stepped(at, Step::Field(i as u32));
                }
                _ => return None,
            }
        }
        Some(at)
    }

    /// The address of a path from the place, used at type `base`: like an access, but what does not fit is no
    /// conflict yet.
    pub(super) fn addressed(&self, place: PlaceId, base: &Type, path: &[Access]) -> Option<Dest> {
        match self.fit(place, base) {
            Fit::Yes(at) => Some(Dest::At(self.walk(at, base, path))),
            Fit::Nothing if self.is_func(place) => None,
            _ => Some(
                self.field_offset(base, path).map_or(Dest::Wild, |bytes| self.moved(self.spot(place), bytes)),
            ),
        }
    }

    /// The leaf of type `ty` at the end of a path from a place that a pointer to `base` leads to. When the place has
    /// no `base`, the layout is asked what is that many bytes further on: structs that begin alike may be used
    /// for each other. `None` when there is nothing to access; [`Dest::Wild`] when the layout has no such leaf.
    pub(super) fn accessed(&self, place: PlaceId, base: &Type, path: &[Access], ty: &Type) -> Option<Dest> {
        match self.fit(place, base) {
            Fit::Yes(at) => return Some(Dest::At(self.walk(at, base, path))),
            Fit::Nothing if self.is_func(place) => return None,
            Fit::Untyped(_) | Fit::Widen(_) => return Some(Dest::Wild),
            Fit::Nothing | Fit::No => {}
        }
        let Some(bytes) = self.field_offset(base, path) else { return Some(Dest::Wild) };
        let leaf = |at: Cursor| if self.is_whole_blob(at.from) { Some(at) } else { self.first_part(at, ty) };
        Some(match self.moved(self.spot(place), bytes) {
            Dest::At(at) => leaf(at).map_or(Dest::Wild, Dest::At),
            Dest::Along(at) => leaf(at).map_or(Dest::Wild, Dest::Along),
            Dest::Outside(_) => return None,
            Dest::Wild => Dest::Wild,
        })
    }

    /// Bytes from the start of a value of type `base` to the end of the path, when it has no unknown index.
    fn field_offset(&self, base: &Type, path: &[Access]) -> Option<i64> {
        let (mut ty, mut bytes) = (base.clone(), 0i64);
        for access in path {
            let (step, skipped) = match access {
                Access::Field(r, i) => {
                    (Step::Field(*i), i64::try_from(self.records[*r].fields.get(*i as usize)?.offset).ok()?)
                }
                Access::Index(Expr::Const(0, _)) => (Step::Elem, 0),
                Access::Index(_) => return None,
            };
            ty = self.step_type(&ty, step)?;
            bytes = bytes.checked_add(skipped)?;
        }
        Some(bytes)
    }

    /// The part of an object that an operation on `len` bytes (`None`: some number) at the place can touch; `elem`
    /// is the pointee type that the program's pointer has. The whole object when the place is too small; `None`
    /// when there is nothing to touch.
    pub(super) fn region(&self, place: PlaceId, elem: &Type, len: Option<u64>) -> Option<Cursor> {
        let place = self.spot(place);
        if self.is_func(place) || matches!(self.places[place].role, Role::Outside(_)) {
            return None;
        }
        let root = self.cursor(self.object_of(place).root);
        if self.places[place].role == Role::Wild {
            return Some(root);
        }
        let at = match self.fit(place, elem) {
            Fit::Yes(at) => at,
            _ => self.cursor(place),
        };
        let enough = |ty: &Type| self.size(ty).zip(len).is_some_and(|(size, len)| len <= size);
        if enough(&at.ty) {
            return Some(at);
        }
        if at.down.last() != Some(&Step::Elem)
            && !matches!(self.places[at.from].role, Role::Inside(_, Step::Elem))
        {
            return Some(if self.repeats(&at) { at } else { root });
        }
        let array = match self.places[at.from].role {
            Role::Inside(parent, Step::Elem) if at.down.is_empty() => self.places[parent].ty.clone(),
            _ => None,
        };
        let overrun = len.is_some() && !array.as_ref().is_some_and(|ty| self.open_ended(ty) || enough(ty));
        Some(if overrun && self.in_record(&at) { root } else { at })
    }
}

fn array_depth(ty: &Type) -> u32 {
    let (mut depth, mut ty) = (0, ty);
    while let Type::Array(elem, _) = ty {
        (depth, ty) = (depth + 1, elem);
    }
    depth
}
