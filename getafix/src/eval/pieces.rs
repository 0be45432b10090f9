//! Values in pieces: a union of diagrams, each larger than those behind it together, so that a small addition makes no
//! large diagram anew. What is made of a piece, for an application of the relation with conditions on it, is made once.

use super::{Evaluator, Observer, Res};
use crate::ir::{Node, NodeId, RelId};
use crate::prelude::Model;
use bdd::Engine;
use rustc_hash::FxHashMap;

/// A part of a value; no two have had the same number.
#[derive(Clone)]
pub(super) struct Piece<B> {
    pub(super) value: B,
    number: u64,
}

/// The value of a relation that is kept while others are computed: a union.
#[derive(Clone)]
pub(super) struct Fixed<B> {
    pub(super) pieces: Vec<Piece<B>>,
    pub(super) version: u64,
}

/// What was made of pieces.
pub(super) struct Pieces<B> {
    next: u64,
    /// By conjunction, application in it, and piece.
    made: FxHashMap<(NodeId, NodeId, u64), B>,
}

impl<B> Default for Pieces<B> {
    fn default() -> Self {
        Pieces { next: 0, made: FxHashMap::default() }
    }
}

impl<M: Model, E: Engine> Evaluator<'_, M, E> {
    pub(super) fn piece(&mut self, value: E::Bdd) -> Piece<E::Bdd> {
        self.pieces.next += 1;
        Piece { value, number: self.pieces.next }
    }

    /// Keeps a value for the relation.
    pub(super) fn fix(&mut self, relation: RelId, value: E::Bdd) {
        let piece = self.piece(value);
        self.fix_pieces(relation, vec![piece]);
    }

    pub(super) fn fix_pieces(&mut self, relation: RelId, pieces: Vec<Piece<E::Bdd>>) {
        self.version += 1;
        self.fixed[relation] = Some(Fixed { pieces, version: self.version });
        let mut alive: Vec<u64> =
            self.fixed.iter().flatten().flat_map(|fixed| &fixed.pieces).map(|piece| piece.number).collect();
        alive.sort_unstable();
        self.pieces.made.retain(|(_, _, number), _| alive.binary_search(number).is_ok());
    }

    /// The union of pieces.
    pub(super) fn whole_of(&mut self, pieces: &[Piece<E::Bdd>]) -> E::Bdd {
        let mut out = self.engine.constant(false);
        for piece in pieces.iter().rev() {
            out = self.engine.or(&piece.value, &out);
        }
        out
    }

    /// Adds a value to pieces.
    pub(super) fn push(&mut self, pieces: &mut Vec<Piece<E::Bdd>>, added: E::Bdd) {
        if self.engine.is_zero(&added) {
            return;
        }
        let mut value = added;
        while let Some(last) = pieces.last() {
            if self.engine.size(&last.value) > 2 * self.engine.size(&value) {
                break;
            }
            value = self.engine.or(&last.value, &value);
            pieces.pop();
        }
        let piece = self.piece(value);
        pieces.push(piece);
    }

    /// What of a value is in none of the pieces.
    pub(super) fn without(&mut self, mut value: E::Bdd, pieces: &[Piece<E::Bdd>]) -> E::Bdd {
        for piece in pieces {
            value = self.engine.and_not(&value, &piece.value);
        }
        value
    }

    pub(super) fn nodes_of(&self, pieces: &[Piece<E::Bdd>]) -> usize {
        pieces.iter().map(|piece| self.engine.size(&piece.value)).sum()
    }

    /// The pieces of the relation applied by `node`, over its arguments, under conditions that stay the same as long as
    /// the pieces are kept.
    pub(super) fn pieces_under(
        &mut self,
        join: NodeId,
        node: NodeId,
        conditions: &[NodeId],
        observer: Observer<'_>,
    ) -> Res<Vec<E::Bdd>> {
        let Node::Apply(relation, _) = &self.formula.nodes[node] else {
            unreachable!("only values of relations are in pieces")
        };
        let fixed = self.fixed[*relation].clone().expect("the relation is kept");
        let mut out = vec![];
        for piece in &fixed.pieces {
            let key = (join, node, piece.number);
            if !self.pieces.made.contains_key(&key) {
                let value = self.instance(node, &piece.value);
                let value = self.under(conditions, value, observer)?;
                self.pieces.made.insert(key, value);
            }
            out.push(self.pieces.made[&key].clone());
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
