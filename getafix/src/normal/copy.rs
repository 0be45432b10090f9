//! Copies of clauses over other leaves, and clauses as texts, by which equal ones are found.

use super::{Clause, Normalizer};
use crate::ir::{Arg, LeafId, Node, NodeId, RelId};
use std::collections::BTreeMap;
use std::fmt::Write;

impl Normalizer {
    /// The clause with leaves replaced; only by leaves.
    pub(super) fn renamed(&mut self, clause: &Clause, map: &[(Arg, Arg)]) -> Option<Clause> {
        let mut leaves: BTreeMap<LeafId, LeafId> = BTreeMap::new();
        for (from, to) in map {
            match (from, to) {
                (Arg::Leaf(from), Arg::Leaf(to)) => _ = leaves.insert(*from, *to),
                _ => return None,
            }
        }
        // A clause that is put in twice binds leaves of its own each time.
        let mut bound = vec![];
        for leaf in &clause.bound {
            let fresh = self.formula.leaves.push(self.formula.leaves[*leaf].clone());
            leaves.insert(*leaf, fresh);
            bound.push(fresh);
        }
        let arg = |arg: &Arg| match arg {
            Arg::Leaf(leaf) => Arg::Leaf(leaves.get(leaf).copied().unwrap_or(*leaf)),
            Arg::Value(_) => *arg,
        };
        let places = clause.places.iter().map(|(r, args)| (*r, args.iter().map(arg).collect())).collect();
        let others = clause.others.iter().map(|node| self.copy(*node, &mut leaves)).collect();
        Some(Clause { bound, places, others })
    }

    /// A copy of an expression over other leaves; what it binds is bound anew.
    fn copy(&mut self, node: NodeId, leaves: &mut BTreeMap<LeafId, LeafId>) -> NodeId {
        let old = self.formula.nodes[node].clone();
        if let Node::Exists(bound, _) | Node::Forall(bound, _) = &old {
            for leaf in bound {
                let fresh = self.formula.leaves.push(self.formula.leaves[*leaf].clone());
                leaves.insert(*leaf, fresh);
            }
        }
        let to = |leaves: &BTreeMap<LeafId, LeafId>, leaf: LeafId| leaves.get(&leaf).copied().unwrap_or(leaf);
        let new = match old {
            Node::Const(_) => old,
            Node::Not(a) => Node::Not(self.copy(a, leaves)),
            Node::And(list) => Node::And(list.into_iter().map(|a| self.copy(a, leaves)).collect()),
            Node::Or(list) => Node::Or(list.into_iter().map(|a| self.copy(a, leaves)).collect()),
            Node::Exists(bound, a) => {
                Node::Exists(bound.iter().map(|l| to(leaves, *l)).collect(), self.copy(a, leaves))
            }
            Node::Forall(bound, a) => {
                Node::Forall(bound.iter().map(|l| to(leaves, *l)).collect(), self.copy(a, leaves))
            }
            Node::Equal(a, b) => Node::Equal(to(leaves, a), to(leaves, b)),
            Node::Value(a, v) => Node::Value(to(leaves, a), v),
            Node::Less((a, n), (b, m)) => Node::Less((to(leaves, a), n), (to(leaves, b), m)),
            Node::Plus(a, b, n) => Node::Plus(to(leaves, a), to(leaves, b), n),
            Node::Apply(relation, args) => {
                let arg = |arg: Arg| match arg {
                    Arg::Leaf(leaf) => Arg::Leaf(to(leaves, leaf)),
                    Arg::Value(_) => arg,
                };
                Node::Apply(relation, args.into_iter().map(arg).collect())
            }
        };
        self.formula.nodes.push(new)
    }

    /// The clause as a text, in which bound leaves are numbers.
    pub(super) fn text(&self, clause: &Clause) -> String {
        let mut out = String::new();
        let classes = clause.bound.iter().map(|leaf| self.formula.leaves[*leaf].class);
        let _ = write!(out, "{:?}", classes.collect::<Vec<_>>());
        let leaf = |leaf: LeafId| match clause.bound.iter().position(|other| *other == leaf) {
            Some(i) => format!("#{i}"),
            None => format!("{leaf:?}"),
        };
        let applied = |relation: RelId, args: &[Arg]| {
            let text = |arg: &Arg| match arg {
                Arg::Leaf(l) => leaf(*l),
                Arg::Value(v) => v.to_string(),
            };
            format!("{relation:?}({})", args.iter().map(text).collect::<Vec<_>>().join(","))
        };
        let mut atoms: Vec<String> = clause.places.iter().map(|(r, args)| applied(*r, args)).collect();
        let mut stack = clause.others.clone();
        while let Some(node) = stack.pop() {
            match &self.formula.nodes[node] {
                Node::And(list) => stack.extend(list),
                Node::Apply(relation, args) => atoms.push(applied(*relation, args)),
                Node::Equal(a, b) => atoms.push(format!("{}={}", leaf(*a), leaf(*b))),
                Node::Value(a, v) => atoms.push(format!("{}:{v}", leaf(*a))),
                // Others are alike only if they are the same.
                _ => atoms.push(format!("{node:?}")),
            }
        }
        atoms.sort_unstable();
        atoms.dedup();
        for atom in atoms {
            let _ = write!(out, ";{atom}");
        }
        out
    }
}
