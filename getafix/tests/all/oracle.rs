//! The calculus once more: relations as sets of tuples, evaluated as [LMP09 §3] writes it, without any short cut.

use getafix::ir::{Arg, Formula, Kind, LeafId, Node, NodeId, RelId};
use std::collections::{BTreeMap, BTreeSet};

/// A relation: its tuples.
pub(crate) type Relation = BTreeSet<Vec<u32>>;

/// The oracle; `inputs` are the model's relations.
pub(crate) struct Oracle<'f> {
    formula: &'f Formula,
    inputs: Vec<Relation>,
    /// How many rounds are left before it gives up.
    fuel: usize,
}

impl<'f> Oracle<'f> {
    pub(crate) fn new(formula: &'f Formula, inputs: Vec<Relation>, fuel: usize) -> Oracle<'f> {
        Oracle { formula, inputs, fuel }
    }

    /// Whether the query holds; `None` when some relation does not reach a fixed point.
    pub(crate) fn run(mut self) -> Option<bool> {
        let query = self.formula.query;
        let fixed = BTreeMap::new();
        let values = self.spoken_of(query, &fixed)?;
        Some(self.holds(query, &mut BTreeMap::new(), &values))
    }

    /// The values of the relations that an expression mentions, while some are fixed.
    fn spoken_of(
        &mut self,
        node: NodeId,
        fixed: &BTreeMap<RelId, Relation>,
    ) -> Option<BTreeMap<RelId, Relation>> {
        let mut out = fixed.clone();
        for relation in self.formula.applied(node) {
            if let (Kind::Defined(_), false) =
                (self.formula.relations[relation].kind, out.contains_key(&relation))
            {
                let value = self.evaluate(relation, fixed)?;
                out.insert(relation, value);
            }
        }
        Some(out)
    }

    fn evaluate(&mut self, relation: RelId, fixed: &BTreeMap<RelId, Relation>) -> Option<Relation> {
        let Kind::Defined(body) = self.formula.relations[relation].kind else { unreachable!() };
        let formals = self.formula.relations[relation].formals.clone();
        let mut value = Relation::new();
        loop {
            self.fuel = self.fuel.checked_sub(1)?;
            let mut fixed = fixed.clone();
            fixed.insert(relation, value.clone());
            let values = self.spoken_of(body, &fixed)?;
            let mut next = Relation::new();
            for tuple in self.tuples(&formals) {
                let mut bound: BTreeMap<LeafId, u32> = formals.iter().copied().zip(tuple.clone()).collect();
                if self.holds(body, &mut bound, &values) {
                    next.insert(tuple);
                }
            }
            if next == value {
                return Some(value);
            }
            value = next;
        }
    }

    fn tuples(&self, leaves: &[LeafId]) -> Vec<Vec<u32>> {
        leaves.iter().fold(vec![vec![]], |all, leaf| {
            let class = &self.formula.classes[self.formula.leaves[*leaf]];
            let count = class.values.unwrap_or(1 << class.bits);
            all.iter().flat_map(|prefix| (0..count).map(|v| [&prefix[..], &[v]].concat())).collect()
        })
    }

    fn holds(
        &self,
        node: NodeId,
        bound: &mut BTreeMap<LeafId, u32>,
        values: &BTreeMap<RelId, Relation>,
    ) -> bool {
        let low = |leaf: LeafId| self.formula.classes[self.formula.leaves[leaf]].low.unwrap_or(0);
        match &self.formula.nodes[node] {
            Node::Const(b) => *b,
            Node::Not(a) => !self.holds(*a, bound, values),
            Node::And(list) => list.iter().all(|a| self.holds(*a, bound, values)),
            Node::Or(list) => list.iter().any(|a| self.holds(*a, bound, values)),
            Node::Exists(leaves, body) => self.tuples(leaves).into_iter().any(|tuple| {
                bound.extend(leaves.iter().copied().zip(tuple));
                self.holds(*body, bound, values)
            }),
            Node::Forall(leaves, body) => self.tuples(leaves).into_iter().all(|tuple| {
                bound.extend(leaves.iter().copied().zip(tuple));
                self.holds(*body, bound, values)
            }),
            Node::Equal(a, b) => bound[a] == bound[b],
            Node::Value(a, v) => bound[a] == *v,
            Node::Less((a, n), (b, m)) => bound[a] + low(*a) + n < bound[b] + low(*b) + m,
            Node::Plus(a, b, n) => bound[a] == bound[b] + n,
            Node::Apply(relation, args) => {
                let of = |arg: &Arg| match arg {
                    Arg::Leaf(leaf) => bound[leaf],
                    Arg::Value(v) => *v,
                };
                let tuple: Vec<u32> = args.iter().map(of).collect();
                match self.formula.relations[*relation].kind {
                    Kind::Input(number) => self.inputs[number].contains(&tuple),
                    Kind::Defined(_) => values[relation].contains(&tuple),
                }
            }
        }
    }
}
