//! The rules that the points-to solver applies to each new place of a node.

use super::{AccessId, NodeId, Rule, RuleId, Solver};
use crate::layout::{Dest, Touched};
use crate::oracle::AliasMode;
use crate::places::PlaceId;

impl Solver<'_> {
    pub(super) fn process(&mut self, node: NodeId) {
        let data = &mut self.nodes[node];
        data.queued = false;
        let new = data.all[data.done..].to_vec();
        data.done = data.all.len();
        let (succs, rules) = (data.succs.clone(), data.rules.clone());
        for succ in succs {
            for place in &new {
                self.add(succ, *place);
            }
        }
        for rule in rules {
            for place in &new {
                self.apply(rule, *place);
            }
        }
    }

    pub(super) fn apply(&mut self, rule: RuleId, place: PlaceId) {
        match self.rules[rule].clone() {
            Rule::Deref(access) => self.deref(access, place),
            Rule::Address(base, path, to) => {
                self.places.fit_mut(place, &base);
                let dest = self.places.addressed(place, &base, &path);
                self.arrive(place, dest, to);
            }
            Rule::Shift(elem, count, to) => {
                if count != Some(0) {
                    self.places.fit_mut(place, &elem);
                }
                let dest = self.places.shifted(place, &elem, count);
                self.arrive(place, dest, to);
            }
            Rule::Wild(to) => {
                let target = self.places.wild(place);
                self.settle();
                self.add(to, target);
            }
            Rule::Call(site) => self.call(site, place),
        }
    }

    fn arrive(&mut self, from: PlaceId, dest: Option<Dest>, to: NodeId) {
        if let Some(dest) = dest {
            let target = self.places.arrive(from, &dest);
            self.settle();
            self.add(to, target);
        }
    }

    /// Connects an access with the leaves that it reaches from a target of its pointer; collapses what does not fit.
    fn deref(&mut self, id: AccessId, place: PlaceId) {
        let access = &self.accesses[id];
        self.places.now = Some(access.at);
        self.places.fit_mut(place, &access.pointee);
        let leaves = match self.places.accessed(place, &access.pointee, &access.path, &access.ty) {
            None | Some(Touched::Padding) => vec![],
            Some(Touched::Unfit) => vec![self.places.collapse(place)],
            Some(Touched::Leaves(leaves)) => leaves.iter().map(|at| self.places.realise(at)).collect(),
        };
        self.settle();
        let external = place == self.places.external();
        for leaf in leaves {
            self.flow_access(id, leaf, external);
        }
    }

    fn flow_access(&mut self, id: AccessId, leaf: PlaceId, external: bool) {
        let access = &self.accesses[id];
        let (written, read, out, input) = (access.written, access.read, access.out, access.input);
        let value = self.value(leaf);
        if external {
            self.deref_unknown(written);
        }
        if self.mode != AliasMode::Andersen && !external {
            self.unite(value, out);
            self.unite(value, input);
            return;
        }
        if read {
            self.flow(value, out);
        }
        if written {
            self.flow(input, value);
        }
    }
}
