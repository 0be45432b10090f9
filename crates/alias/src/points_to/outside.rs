//! Procedures in the points-to solver: calls, with a call graph that grows with the sets, and what undefined
//! functions can reach.

use super::{NodeId, SiteId, Solver};
use crate::oracle::Object;
use crate::places::{ObjId, PlaceId};
use crate::reasons::Escape;
use ir::program::ProcId;

impl Solver<'_> {
    pub(super) fn call(&mut self, id: SiteId, place: PlaceId) {
        match self.places.object_of(place).what {
            Object::Func(p) => self.connect(id, p),
            Object::External if !self.sites[id].unknown => {
                self.sites[id].unknown = true;
                self.call_outside(id);
            }
            _ => {}
        }
    }

    /// The call may call the procedure.
    pub(crate) fn connect(&mut self, id: SiteId, p: ProcId) {
        let Err(at) = self.sites[id].callees.binary_search(&p) else { return };
        self.sites[id].callees.insert(at, p);
        let proc = &self.program.procs[p];
        if !proc.has_body {
            return self.call_outside(id);
        }
        let at = self.sites[id].at;
        for i in 0..self.sites[id].args.len() {
            let Some(arg) = self.sites[id].args[i] else { continue };
            match proc.formals.get(i) {
                Some(formal) => {
                    let place = self.var(*formal);
                    let value = self.value(place);
                    self.flow(arg, value);
                }
                None => self.escape(arg, Escape::Passed(at.0, at.1)),
            }
        }
        if let Some((ret, dest)) = proc.ret.zip(self.sites[id].dest) {
            let place = self.var(ret);
            let value = self.value(place);
            self.flow(value, dest);
        }
    }

    fn call_outside(&mut self, id: SiteId) {
        let at = self.sites[id].at;
        for i in 0..self.sites[id].args.len() {
            if let Some(arg) = self.sites[id].args[i] {
                self.escape(arg, Escape::Passed(at.0, at.1));
            }
        }
        if let Some(dest) = self.sites[id].dest {
            let external = self.places.external();
            self.add(dest, external);
        }
    }

    /// Undefined functions get what flows here.
    pub(super) fn escape(&mut self, node: NodeId, why: Escape) {
        let node = self.merged.find(node);
        if self.nodes[node].escaping.is_some() {
            return;
        }
        self.nodes[node].escaping = Some(why);
        for i in 0..self.nodes[node].all.len() {
            self.escape_object(self.nodes[node].all[i], why);
        }
    }

    /// Exposes the places of the node: their addresses are turned into integers.
    pub(crate) fn expose(&mut self, node: NodeId) {
        let node = self.merged.find(node);
        if std::mem::replace(&mut self.nodes[node].exposing, true) {
            return;
        }
        for i in 0..self.nodes[node].all.len() {
            self.expose_object(self.nodes[node].all[i]);
        }
    }

    /// Makes everything in the object reachable for undefined functions.
    pub(crate) fn escape_object(&mut self, place: PlaceId, why: Escape) {
        let obj = self.places.places[place].obj;
        let data = &mut self.places.objs[obj];
        if !std::mem::replace(&mut data.escaped, true) {
            data.why = Some(why);
            self.escapes.push(obj);
            // Whoever else has the address may make it a number, and give that to the program.
            let (numbers, external) = (self.numbers(), self.places.external());
            self.add(numbers, external);
        }
    }

    /// Propagates the escape of an object.
    pub(super) fn follow_escape(&mut self, obj: ObjId) {
        if let Object::Func(p) = self.places.objs[obj].what {
            return self.called_from_outside(p);
        }
        let what = self.places.objs[obj].what;
        let external = self.places.external();
        for i in 0..self.places.objs[obj].places.len() {
            let part = self.places.objs[obj].places[i];
            if let Some(value) = self.places.places[part].value {
                self.add(value, external);
                self.escape(value, Escape::Held(what));
            }
        }
    }

    fn called_from_outside(&mut self, p: ProcId) {
        let external = self.places.external();
        let proc = &self.program.procs[p];
        for formal in &proc.formals {
            let place = self.var(*formal);
            let value = self.value(place);
            self.add(value, external);
        }
        if let Some(ret) = proc.ret {
            let place = self.var(ret);
            let value = self.value(place);
            self.escape(value, Escape::Returned(p));
        }
    }

    pub(super) fn expose_object(&mut self, place: PlaceId) {
        let obj = self.places.places[place].obj;
        if !std::mem::replace(&mut self.places.objs[obj].exposed, true)
            && self.places.objs[obj].what != Object::External
        {
            let anywhere = self.places.wild(self.places.objs[obj].root);
            self.settle();
            let numbers = self.numbers();
            self.add(numbers, anywhere);
        }
        if self.unknown_deref {
            self.escape_object(place, Escape::Number);
        }
    }

    /// Notes that an unknown pointer is dereferenced.
    pub(super) fn deref_unknown(&mut self, write: bool) {
        self.unknown_write |= write;
        if std::mem::replace(&mut self.unknown_deref, true) {
            return;
        }
        for obj in self.places.objs.ids() {
            if self.places.objs[obj].exposed {
                self.escape_object(self.places.objs[obj].root, Escape::Number);
            }
        }
    }
}
