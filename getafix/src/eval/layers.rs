//! Values of relations that are kept while others are computed: layered unions, so that a small addition makes no large
//! diagram anew. What is made of a layer, for an application of the relation with conditions on it, is made once.

use super::{Evaluator, Observer, Res};
use crate::ir::{Node, NodeId, RelId};
use crate::prelude::Model;
use bdd::{Engine, LayeredUnion};
use rustc_hash::FxHashMap;

/// The value of a relation that is kept while others are computed; no two layers have had the same number.
#[derive(Clone)]
pub(super) struct Fixed<B> {
    pub(super) value: LayeredUnion<B, u64>,
    pub(super) version: u64,
}

/// What was made of layers.
pub(super) struct MadeOfLayers<B> {
    numbers: u64,
    /// By conjunction, application in it, and layer.
    made: FxHashMap<(NodeId, NodeId, u64), B>,
}

impl<B> Default for MadeOfLayers<B> {
    fn default() -> Self {
        MadeOfLayers { numbers: 0, made: FxHashMap::default() }
    }
}

impl<B> MadeOfLayers<B> {
    /// A number for a layer.
    pub(super) fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }
}

impl<M: Model, E: Engine> Evaluator<'_, M, E> {
    /// Keeps a value for the relation.
    pub(super) fn fix(&mut self, relation: RelId, value: E::Bdd) {
        let number = self.layers.number();
        self.fix_union(relation, LayeredUnion::single(value, number));
    }

    pub(super) fn fix_union(&mut self, relation: RelId, value: LayeredUnion<E::Bdd, u64>) {
        self.version += 1;
        self.fixed[relation] = Some(Fixed { value, version: self.version });
        let layers = self.fixed.iter().flatten().flat_map(|fixed| fixed.value.layers());
        let mut alive: Vec<u64> = layers.map(|layer| layer.with).collect();
        alive.sort_unstable();
        self.layers.made.retain(|(_, _, number), _| alive.binary_search(number).is_ok());
    }

    /// The layers of the relation applied by `node`, over its arguments, under conditions that stay the same as long as
    /// the layers are kept.
    pub(super) fn layers_under(
        &mut self,
        join: NodeId,
        node: NodeId,
        conditions: &[NodeId],
        observer: Observer<'_>,
    ) -> Res<Vec<E::Bdd>> {
        let Node::Apply(relation, _) = &self.formula.nodes[node] else {
            unreachable!("only values of relations are in layers")
        };
        let fixed = self.fixed[*relation].clone().expect("the relation is kept");
        let mut out = vec![];
        for layer in fixed.value.layers() {
            let key = (join, node, layer.with);
            if !self.layers.made.contains_key(&key) {
                let value = self.instance(node, &layer.value);
                let value = self.under(conditions, value, observer)?;
                self.layers.made.insert(key, value);
            }
            out.push(self.layers.made[&key].clone());
        }
        Ok(out)
    }

    /// The value under these conditions.
    pub(super) fn under(
        &mut self,
        conditions: &[NodeId],
        value: E::Bdd,
        observer: Observer<'_>,
    ) -> Res<E::Bdd> {
        let mut out = value;
        for condition in conditions {
            let condition = self.value(*condition, observer)?;
            out = self.engine.and(&out, &condition);
        }
        Ok(out)
    }
}
