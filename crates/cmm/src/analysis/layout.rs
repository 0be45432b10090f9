//! Layout questions of the points-to analysis: at which place of an object a value of some type is, and where pointer
//! arithmetic leads. Nothing here changes a place; the solver makes the places that the answers name, and the
//! oracle only looks them up.

use super::oracle::Object;
use super::places::{PlaceId, Places, Role, Step};
use super::shape::constant;
use super::spans::{Span, gcd};
use crate::expr::Access;
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

/// More bytes than the storage of a bit-field takes.
const BIT_FIELD: u64 = 16;

/// Where an address computation leads in the same object.
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
    /// That many bytes from the start, outside.
    Outside(i64),
}

impl Dest {
    /// Any byte.
    pub(super) const WILD: Dest = Dest::Stride { at: 0, step: 1 };
}

/// What an access can touch.
#[derive(Clone, Debug)]
pub(super) enum Touched {
    /// Each time one of these scalars (or blobs), whole.
    Leaves(Vec<Cursor>),
    /// Something that the layout does not have there: parts of scalars, scalars of another size, ….
    Unfit,
}

/// What a block operation can touch.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// All that it touches is at this cursor or inside.
    pub(super) at: Cursor,
    /// It begins where the cursor (some element of it) begins.
    pub(super) aligned: bool,
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
        let size = if *elem == Type::Void { 1 } else { self.size(elem).unwrap_or(1) };
        let bytes = count.map(|n| i64::try_from(size).ok().and_then(|size| n.checked_mul(size)));
        Some(match bytes {
            Some(Some(bytes)) => self.moved(place, bytes),
            Some(None) => Dest::WILD,
            None => self.anywhere(place, Span::at(0), size),
        })
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

    /// Offsets at which the place can be.
    fn place_span(&self, place: PlaceId) -> Span {
        match self.places[place].role {
            Role::Root => self.starts(place),
            Role::Outside(at) => Span::at(at),
            Role::Stride { at, step } => Span::residue(at, step),
            Role::Inside(parent, step) => match &self.places[parent].ty {
                Some(ty) => self.stepped_span(self.place_span(parent), ty, step),
                None => Span::residue(0, 1),
            },
        }
    }

    /// A number of bytes that divides the distances from the starts of the outer place's elements to the inner one.
    pub(super) fn inner_step(&self, outer: PlaceId, mut inner: PlaceId) -> u64 {
        let size = |place: PlaceId| self.places[place].ty.as_ref().and_then(|ty| self.size(ty)).unwrap_or(1);
        let mut step = gcd(size(outer), size(inner));
        while inner != outer {
            let Role::Inside(parent, down) = self.places[inner].role else { return 1 };
            let offset = match (&self.places[parent].ty, down) {
                (Some(Type::Record(r)), Step::Field(i)) => self.records[*r].fields[i as usize].offset,
                _ => size(inner),
            };
            step = gcd(step, offset);
            inner = parent;
        }
        step.max(1)
    }

    fn stepped_span(&self, span: Span, ty: &Type, step: Step) -> Span {
        match (ty, step) {
            (Type::Record(r), Step::Field(i)) => {
                let offset = self.records[*r].fields.get(i as usize).map_or(0, |f| f.offset);
                span.plus(i64::try_from(offset).unwrap_or(i64::MAX))
            }
            (Type::Array(elem, n), _) => span.times(self.size(elem).unwrap_or(1), n.filter(|n| 1 < *n)),
            _ => Span::residue(0, 1),
        }
    }

    /// Where a pointer to the start of an element can be; outside of the object, too, once the program moves in such
    /// steps.
    fn starts(&self, root: PlaceId) -> Span {
        let size = self.places[root].ty.as_ref().and_then(|ty| self.size(ty));
        match size {
            Some(size) if 0 < size && self.object_of(root).strided => Span::residue(0, size),
            _ => self.sequence(root, Span::at(0)),
        }
    }

    /// The offset in any element, when the object is a sequence of values of its type.
    fn sequence(&self, root: PlaceId, span: Span) -> Span {
        let size = self.places[root].ty.as_ref().and_then(|ty| self.size(ty));
        match size {
            Some(size) if !self.is_single(root) && !self.has_room(root) => span.times(size, None),
            _ => span,
        }
    }

    /// What is `moved` bytes behind the place and any multiple of `stride` further.
    fn anywhere(&self, place: PlaceId, moved: Span, stride: u64) -> Dest {
        let (_, stride) = Span { first: 0, ..moved }.class(stride);
        let (at, step) = self.place_span(place).plus(moved.first).class(stride);
        Dest::Stride { at, step }
    }

    /// What is `bytes` behind the place.
    fn moved(&self, place: PlaceId, bytes: i64) -> Dest {
        let start = match self.places[place].role {
            Role::Outside(at) => at.checked_add(bytes).map(|b| (self.object_of(place).root, b)),
            Role::Stride { .. } => None,
            _ => Some((place, bytes)),
        };
        match start.and_then(|(from, bytes)| self.at_offset(from, bytes)) {
            Some(Ok((at, true))) => Dest::Along(at),
            Some(Ok((at, false))) => Dest::At(at),
            Some(Err(outside)) => Dest::Outside(outside),
            None => {
                let span = self.place_span(place).plus(bytes);
                let (at, step) = span.class(0);
                span.exact().map_or(Dest::Stride { at, step }, Dest::Outside)
            }
        }
    }

    /// Climbs out and down again by the layout, and says whether that crossed array elements; `Err` is an offset
    /// outside of the object. `None` where the layout does not tell.
    fn at_offset(&self, mut place: PlaceId, mut off: i64) -> Option<Result<(Cursor, bool), i64>> {
        let mut wrapped = false;
        loop {
            let ty = self.places[place].ty.as_ref()?;
            let size = i64::try_from(self.size(ty)?).ok().filter(|s| 0 < *s)?;
            let root = self.places[place].role == Role::Root;
            if off == 0 || (0..size).contains(&off) || root && 0 <= off && self.has_room(place) {
                return Some(Ok((self.down_to(self.cursor(place), off)?, wrapped)));
            }
            match self.places[place].role {
                Role::Root if self.is_single(place) && !self.object_of(place).strided => {
                    return Some(Err(off));
                }
                Role::Root if self.has_room(place) => return None,
                Role::Root => (off, wrapped) = (off.rem_euclid(size), true),
                // Which element it is, is not known: how far the surrounding struct reaches neither.
                Role::Inside(_, Step::Elem) if self.in_record(&self.cursor(place)) => return None,
                Role::Inside(_, Step::Elem) => off = off.rem_euclid(size),
                Role::Inside(parent, Step::Field(i)) => {
                    let record = self.record(self.places[parent].ty.as_ref()?)?;
                    off = off.checked_add(i64::try_from(record.fields[i as usize].offset).ok()?)?;
                    place = parent;
                }
                Role::Stride { .. } | Role::Outside(_) => return None,
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
    /// conflict yet. The first element of an array is at the array's own address.
    pub(super) fn addressed(&self, place: PlaceId, base: &Type, mut path: &[Access]) -> Option<Dest> {
        while let Some((Access::Index(i), outer)) = path.split_last()
            && constant(i) == Some(0)
        {
            path = outer;
        }
        let place = self.spot(place);
        let fit = self.fit(place, base);
        if matches!(fit, Fit::Nothing) && self.is_func(place) {
            return None;
        }
        match fit {
            Fit::Yes(at) if self.stays_inside(base, path) => Some(Dest::At(self.walk(at, base, path))),
            _ if self.is_whole_blob(place) => Some(Dest::At(self.cursor(place))),
            _ => Some(match self.path_span(base, path) {
                None => Dest::WILD,
                Some(span) => match span.exact() {
                    Some(bytes) => self.moved(place, bytes),
                    None => self.anywhere(place, span, 0),
                },
            }),
        }
    }

    /// Whether every index of the path is taken to be inside its array: an index that is no constant is, where the
    /// array has a length that counts.
    fn stays_inside(&self, base: &Type, path: &[Access]) -> bool {
        let mut ty = base.clone();
        path.iter().all(|access| {
            let (step, inside) = match (access, &ty) {
                (Access::Field(_, i), _) => (Step::Field(*i), true),
                (Access::Index(i), Type::Array(_, Some(n))) => {
                    (Step::Elem, constant(i).map_or(1 < *n, |i| 0 <= i && i < i128::from(*n)))
                }
                (Access::Index(i), _) => (Step::Elem, constant(i) == Some(0)),
            };
            ty = self.step_type(&ty, step).unwrap_or(Type::Void);
            inside
        })
    }

    /// Offsets from the start of a value of type `base` to the end of the path.
    fn path_span(&self, base: &Type, path: &[Access]) -> Option<Span> {
        let (mut ty, mut span) = (base.clone(), Span::at(0));
        for access in path {
            let step = match access {
                Access::Field(r, i) => {
                    let offset = self.records[*r].fields.get(*i as usize)?.offset;
                    span = span.plus(i64::try_from(offset).ok()?);
                    Step::Field(*i)
                }
                Access::Index(i) => {
                    let Type::Array(elem, len) = &ty else { return None };
                    let size = self.size(elem)?;
                    span = match constant(i) {
                        Some(i) => span.plus(i64::try_from(i.checked_mul(i128::from(size))?).ok()?),
                        None => match len.filter(|n| 1 < *n) {
                            // The address of what is behind the last element counts.
                            Some(n) => span.times(size, Some(n + 1)),
                            None => {
                                let (at, step) = span.class(size);
                                Span::residue(at, step)
                            }
                        },
                    };
                    Step::Elem
                }
            };
            ty = self.step_type(&ty, step)?;
        }
        Some(span)
    }

    /// What an access of type `ty` at the end of a path from a place can touch, when a pointer to `base` leads there.
    /// When the place has no `base`, the layout is asked what is that many bytes further on: structs that begin
    /// alike may be used for each other. `None` when there is nothing to access.
    pub(super) fn accessed(
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
        let mut leaves = vec![];
        let mut todo = vec![(self.cursor(root), self.sequence(root, Span::at(0)))];
        while let Some((at, place)) = todo.pop() {
            let width = if self.open_ended(&at.ty, 1) { None } else { self.size(&at.ty) };
            let meeting = span.meets(size, place, width.unwrap_or(u64::MAX));
            if !meeting.together && !meeting.apart {
                continue;
            }
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
        (!leaves.is_empty()).then_some(Touched::Leaves(leaves))
    }

    /// The part of an object that an operation on `len` bytes (`None`: some number) at the place can touch; `elem`
    /// is the pointee type that the program's pointer has. `None` when there is nothing to touch.
    pub(super) fn region(&self, place: PlaceId, elem: &Type, len: Option<u64>) -> Option<Region> {
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
        // What the place is the first part of begins there, too.
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
                _ => return Some(whole),
            }
        }
    }
}

fn array_depth(ty: &Type) -> u32 {
    let (mut depth, mut ty) = (0, ty);
    while let Type::Array(elem, _) = ty {
        (depth, ty) = (depth + 1, elem);
    }
    depth
}
