//! The places in answers about the layout: made for the solver, looked up for the oracle.

use super::{Cursor, Dest, Fit};
use crate::places::{PlaceId, Places, Role, WILD};
use ir::types::Type;

impl Places {
    /// The cursor's place, made when new.
    pub(crate) fn realise(&mut self, at: &Cursor) -> PlaceId {
        at.down.iter().fold(self.spot(at.from), |place, step| self.child(place, *step))
    }

    /// The cursor's place, if it exists.
    pub(crate) fn look_up(&self, at: &Cursor) -> Option<PlaceId> {
        at.down.iter().try_fold(self.spot(at.from), |place, step| self.find_child(place, *step))
    }

    /// The place used at the type, giving heap objects their type; `Fit::Yes`, `No` or `Nothing`.
    pub(crate) fn fit_mut(&mut self, place: PlaceId, want: &Type) -> Fit {
        let place = self.spot(place);
        match self.fit(place, want) {
            Fit::Untyped(ty) => {
                self.changes += 1;
                self.places[place].ty = Some(ty);
            }
            Fit::Widen(ty) => {
                self.changes += 1;
                self.widen(place, ty);
            }
            _ => {}
        }
        let fit = self.fit(place, want);
        if let (Type::Array(..), Fit::Yes(at)) = (want, &fit) {
            self.moved_along(at);
        }
        fit
    }

    /// Notes that the program moves through an object in steps of its type. Positions in it are then known up to
    /// multiples of its size only, and those outside of it become wild.
    fn moved_along(&mut self, at: &Cursor) {
        let obj = self.places[at.from].obj;
        if self.places[at.from].role != Role::Root || !at.down.is_empty() || self.objs[obj].strided {
            return;
        }
        self.objs[obj].strided = true;
        self.changes += 1;
        for i in 0..self.objs[obj].special.len() {
            let place = &mut self.places[self.objs[obj].special[i]];
            if matches!(place.role, Role::Outside(_)) {
                place.role = WILD;
            }
        }
    }

    /// Gives the typed heap object a type that starts with its present one.
    fn widen(&mut self, root: PlaceId, ty: Type) {
        let old = self.places[root].ty.replace(ty.clone()).expect("only typed objects are widened");
        let start = Cursor { from: root, down: vec![], ty };
        let inner = self.first_part(start, &old).expect("a wider type starts with the present one");
        let kids = std::mem::take(&mut self.places[root].kids);
        let value = self.places[root].value.take();
        let first = self.realise(&inner);
        for (_, kid) in &kids {
            let Role::Inside(_, step) = self.places[*kid].role else { unreachable!("kids are inside") };
            self.places[*kid].role = Role::Inside(first, step);
        }
        self.places[first].kids = kids;
        self.places[first].value = value;
    }

    /// Makes the place that an address computation leads to.
    pub(crate) fn arrive(&mut self, place: PlaceId, dest: &Dest) -> PlaceId {
        match dest {
            Dest::At(at) => self.realise(at),
            Dest::Along(at) => {
                self.moved_along(&self.cursor(self.spot(at.from)));
                self.realise(at)
            }
            Dest::Stride { at, step } if !self.is_whole_blob(place) => {
                self.special(self.places[place].obj, Role::Stride { at: *at, step: *step })
            }
            Dest::Stride { .. } => self.wild(place),
            Dest::Outside(bytes) => self.special(self.places[place].obj, Role::Outside(*bytes)),
        }
    }

    /// The place that an address computation leads to; some byte of the object, when the program has no such place.
    pub(crate) fn find_dest(&self, place: PlaceId, dest: &Dest) -> PlaceId {
        self.find_exactly(place, dest).or_else(|| self.find_exactly(place, &Dest::WILD)).unwrap_or(place)
    }

    fn find_exactly(&self, place: PlaceId, dest: &Dest) -> Option<PlaceId> {
        let role = match dest {
            Dest::At(at) | Dest::Along(at) => return self.look_up(at),
            Dest::Stride { .. } if self.is_whole_blob(place) => {
                return Some(self.object_of(place).root);
            }
            Dest::Stride { at, step } => Role::Stride { at: *at, step: *step },
            Dest::Outside(bytes) => Role::Outside(*bytes),
        };
        self.object_of(place).special.iter().copied().find(|p| self.places[*p].role == role)
    }
}
