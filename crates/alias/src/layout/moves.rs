//! Where pointer arithmetic and the addresses of parts lead.

use super::{Cursor, Dest, Fit};
use crate::byte_offsets::{Span, gcd};
use crate::places::{PlaceId, Places, Role, Step};
use ir::expr::Access;
use ir::types::Type;

impl Places {
    /// The target of a pointer at the place after moving by `count` elements (`None`: some number) of type
    /// `elem`. `None` when that is nowhere.
    pub(crate) fn shifted(&self, place: PlaceId, elem: &Type, count: Option<i64>) -> Option<Dest> {
        if crate::faults::nowhere(count) {
            return None;
        }
        let count = crate::faults::moved(self.size(elem), count);
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

    /// Offsets at which the place can be.
    pub(super) fn place_span(&self, place: PlaceId) -> Span {
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
    pub(crate) fn inner_step(&self, outer: PlaceId, mut inner: PlaceId) -> u64 {
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

    /// The offsets of a pointer to the start of an element; outside of the object, too, once the program moves
    /// in such steps.
    fn starts(&self, root: PlaceId) -> Span {
        let size = self.places[root].ty.as_ref().and_then(|ty| self.size(ty));
        match size {
            Some(size) if 0 < size && self.object_of(root).strided => Span::residue(0, size),
            _ => self.sequence(root, Span::at(0)),
        }
    }

    /// The offset in any element, when the object is a sequence of values of its type.
    pub(super) fn sequence(&self, root: PlaceId, span: Span) -> Span {
        let size = self.places[root].ty.as_ref().and_then(|ty| self.size(ty));
        match size {
            Some(size) if !self.is_single(root) && !self.has_room(root) => span.times(size, None),
            _ => span,
        }
    }

    /// The places `moved` bytes behind the place and any multiple of `stride` further.
    fn anywhere(&self, place: PlaceId, moved: Span, stride: u64) -> Dest {
        let (_, stride) = Span { first: 0, ..moved }.class(stride);
        let (at, step) = self.place_span(place).plus(moved.first).class(stride);
        Dest::Stride { at, step }
    }

    /// The place `bytes` behind the place.
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

    /// Climbs out and down again by the layout, and returns whether that crossed array elements; `Err` is an
    /// offset outside of the object. `None` where the layout does not decide it.
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

    /// The address of a path from the place, used at type `base`: like an access, but a type that does not fit
    /// is not a conflict yet. The first element of an array is at the array's own address.
    pub(crate) fn addressed(&self, place: PlaceId, base: &Type, mut path: &[Access]) -> Option<Dest> {
        while let Some((Access::Index(i), outer)) = path.split_last()
            && i.constant() == Some(0)
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

    /// Whether every index of the path is taken to be inside its array: an index that is not a constant is,
    /// where the array has a length that counts.
    pub(super) fn stays_inside(&self, base: &Type, path: &[Access]) -> bool {
        let mut ty = base.clone();
        path.iter().all(|access| {
            let (step, inside) = match (access, &ty) {
                (Access::Field(_, i), _) => (Step::Field(*i), true),
                (Access::Index(i), Type::Array(_, Some(n))) => {
                    (Step::Elem, i.constant().map_or(1 < *n, |i| 0 <= i && i < i128::from(*n)))
                }
                (Access::Index(i), _) => (Step::Elem, i.constant() == Some(0)),
            };
            ty = self.step_type(&ty, step).unwrap_or(Type::Void);
            inside
        })
    }

    /// Offsets from the start of a value of type `base` to the end of the path.
    pub(super) fn path_span(&self, base: &Type, path: &[Access]) -> Option<Span> {
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
                    span = match i.constant() {
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
}
