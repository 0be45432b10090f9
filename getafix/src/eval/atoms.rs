//! Comparisons, relations of the model, and relations applied to arguments.

use super::Evaluator;
use crate::ir::{Arg, LeafId, Node, NodeId, RelId};
use crate::prelude::{Model, Part};
use bdd::{Engine, Renaming, Var, VarSet};

/// How a relation over its parameters becomes one over its arguments.
#[derive(Clone)]
pub(super) struct Instance<B> {
    /// Bits of parameters for which values are passed.
    values: Vec<(Var, bool)>,
    /// Parameters for which one variable is passed are equal; all but one of them are projected away.
    same: Option<(B, VarSet)>,
    rename: Rename,
}

#[derive(Clone)]
enum Rename {
    Nothing,
    /// Keeps the order.
    Plain(Renaming),
    /// Changes it.
    Any(Vec<(Var, Var)>),
}

impl<M: Model, E: Engine> Evaluator<'_, M, E> {
    fn bits(&self, leaf: LeafId) -> Vec<Var> {
        self.vars(leaf).to_vec()
    }

    pub(super) fn equal(&mut self, a: LeafId, b: LeafId) -> E::Bdd {
        let mut pairs: Vec<(Var, Var)> = self.bits(a).into_iter().zip(self.bits(b)).collect();
        // From the last variable to the first, so that diagrams grow at their roots.
        pairs.sort_unstable_by(|x, y| y.cmp(x));
        let mut out = self.engine.constant(true);
        for (x, y) in pairs {
            let (x, y) = (self.engine.var(x), self.engine.var(y));
            let same = self.engine.iff(&x, &y);
            out = self.engine.and(&same, &out);
        }
        out
    }

    pub(super) fn has_value(&mut self, leaf: LeafId, value: u32) -> E::Bdd {
        let bits = self.bits(leaf);
        has_value(&mut self.engine, &bits, value)
    }

    /// `a + n < b + m`
    pub(super) fn less(&mut self, (a, n): (LeafId, u32), (b, m): (LeafId, u32)) -> E::Bdd {
        self.by_values(a, b, |x, y| x + u64::from(n) < y + u64::from(m))
    }

    /// `a = b + n`
    pub(super) fn plus(&mut self, a: LeafId, b: LeafId, n: u32) -> E::Bdd {
        self.by_values(a, b, |x, y| x == y + u64::from(n))
    }

    fn by_values(&mut self, a: LeafId, b: LeafId, holds: impl Fn(u64, u64) -> bool) -> E::Bdd {
        let class = &self.formula.classes[self.formula.leaves[a]];
        let values = class.values.unwrap_or(1 << class.bits.min(20));
        let mut out = vec![];
        for x in 0..values {
            let left = self.has_value(a, x);
            let fitting = (0..values).filter(|y| holds(u64::from(x), u64::from(*y)));
            let right = fitting.map(|y| self.has_value(b, y)).collect::<Vec<_>>();
            let right = self.union(right);
            out.push(self.engine.and(&left, &right));
        }
        self.union(out)
    }

    /// A relation of the model, over its arguments.
    pub(super) fn input(&mut self, number: usize, relation: RelId, args: &[Arg]) -> E::Bdd {
        let mut fresh: Vec<(Var, bool)> = vec![];
        let mut parts: Vec<Part> = vec![];
        for (arg, formal) in args.iter().zip(&self.formula.relations[relation].formals) {
            parts.push(match arg {
                Arg::Leaf(leaf) => self.bits(*leaf),
                Arg::Value(v) => {
                    // The bits of some copy of the class stand for the value.
                    let bits = self.bits(*formal);
                    fresh.extend(bits.iter().enumerate().map(|(i, var)| (*var, v >> i & 1 == 1)));
                    bits
                }
            });
        }
        let value = self.model.relation(&mut self.engine, number, &parts);
        self.engine.restrict(&value, &fresh)
    }

    /// The value of a relation over the arguments of this application.
    pub(super) fn instance(&mut self, node: NodeId, value: &E::Bdd) -> E::Bdd {
        if !self.instances.contains_key(&node) {
            let instance = self.make_instance(node);
            self.instances.insert(node, instance);
        }
        let Instance { values, same, rename } = self.instances[&node].clone();
        let mut out = self.engine.restrict(value, &values);
        if let Some((equal, set)) = same {
            out = self.engine.and_exists(&out, &equal, set);
        }
        match rename {
            Rename::Nothing => out,
            Rename::Plain(renaming) => self.engine.rename(&out, renaming),
            Rename::Any(pairs) => bdd::permute(&mut self.engine, &out, &pairs),
        }
    }

    fn make_instance(&mut self, node: NodeId) -> Instance<E::Bdd> {
        let Node::Apply(relation, args) = &self.formula.nodes[node] else {
            unreachable!("only applications have instances")
        };
        let formals = self.formula.relations[*relation].formals.clone();
        let mut values = vec![];
        let mut pairs: Vec<(Var, Var)> = vec![];
        let mut dropped: Vec<LeafId> = vec![];
        let mut equal = self.engine.constant(true);
        for (i, (formal, arg)) in formals.iter().zip(args).enumerate() {
            match arg {
                Arg::Value(v) => {
                    let bits = self.bits(*formal).into_iter().enumerate();
                    values.extend(bits.map(|(bit, var)| (var, v >> bit & 1 == 1)));
                }
                Arg::Leaf(leaf) => match args[..i].iter().position(|other| other == arg) {
                    Some(first) => {
                        let same = self.equal(formals[first], *formal);
                        equal = self.engine.and(&equal, &same);
                        dropped.push(*formal);
                    }
                    None => pairs.extend(self.bits(*formal).into_iter().zip(self.bits(*leaf))),
                },
            }
        }
        let same = (!dropped.is_empty()).then(|| (equal, self.set(&dropped)));
        pairs.sort_unstable();
        let rename = if pairs.iter().all(|(from, to)| from == to) {
            Rename::Nothing
        } else if pairs.windows(2).all(|pair| pair[0].1 < pair[1].1) {
            pairs.retain(|(from, to)| from != to);
            Rename::Plain(self.engine.renaming(&pairs))
        } else {
            Rename::Any(pairs)
        };
        Instance { values, same, rename }
    }
}

/// The bits, the lowest first, are the value.
pub(crate) fn has_value<E: Engine>(engine: &mut E, bits: &[Var], value: u32) -> E::Bdd {
    let bit = |i: usize| value.checked_shr(i as u32).unwrap_or(0) & 1 == 1;
    let literals: bdd::Cube = bits.iter().enumerate().map(|(i, var)| (*var, bit(i))).collect();
    engine.cube(&literals)
}
