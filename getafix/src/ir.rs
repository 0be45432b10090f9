//! Formulas after names and types are resolved: variables are taken apart into leaves of plain bit vectors, and what is
//! left are connectives, quantifiers, comparisons of leaves and relations.
//!
//! Invariant: a node comes after its operands, and every leaf is bound in exactly one place.

use base::IndexVec;
use bp::Loc;

base::define_id!(
    /// A type of plain bit vectors.
    pub ClassId, "c"
);
base::define_id!(
    /// A part of a bound variable.
    pub LeafId, "l"
);
base::define_id!(
    /// A relation.
    pub RelId, "r"
);
base::define_id!(
    /// An expression.
    pub NodeId, "n"
);

/// A type of plain bit vectors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Class {
    /// The name of the type.
    pub name: String,
    /// How many bits a value has.
    pub bits: usize,
    /// How many values there are, if not all bit vectors are values.
    pub values: Option<u32>,
    /// The number that the first value stands for, if values are numbers.
    pub low: Option<u32>,
    /// The names of the values, if they have some.
    pub names: Vec<String>,
    /// Its number in the model's prelude.
    pub given: Option<usize>,
}

/// A part of a bound variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// Its class.
    pub class: ClassId,
    /// `x.pc`
    pub name: String,
}

/// A relation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relation {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub loc: Loc,
    /// The parts of its parameters.
    pub formals: Vec<LeafId>,
    /// How many parts each parameter has.
    pub shape: Vec<usize>,
    /// What it is.
    pub kind: Kind,
}

/// What a relation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One that the model gives, with its number.
    Input(usize),
    /// One that an equation defines.
    Defined(NodeId),
}

/// An argument.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Arg {
    /// A leaf.
    Leaf(LeafId),
    /// A value, counted from 0.
    Value(u32),
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// `true` or `false`
    Const(bool),
    /// Negation.
    Not(NodeId),
    /// Conjunction.
    And(Vec<NodeId>),
    /// Disjunction.
    Or(Vec<NodeId>),
    /// Some values of the leaves.
    Exists(Vec<LeafId>, NodeId),
    /// All values of the leaves.
    Forall(Vec<LeafId>, NodeId),
    /// Two leaves of one class are equal.
    Equal(LeafId, LeafId),
    /// A leaf has this value, counted from 0.
    Value(LeafId, u32),
    /// The first leaf, with the number added, is less than the second one with its number.
    Less((LeafId, u32), (LeafId, u32)),
    /// The first leaf is the second one plus the number, which is not 0.
    Plus(LeafId, LeafId, u32),
    /// The relation holds of the arguments.
    Apply(RelId, Vec<Arg>),
}

impl Node {
    /// The operands.
    pub fn operands(&self) -> &[NodeId] {
        match self {
            Node::Not(a) | Node::Exists(_, a) | Node::Forall(_, a) => std::slice::from_ref(a),
            Node::And(list) | Node::Or(list) => list,
            Node::Const(_)
            | Node::Equal(..)
            | Node::Value(..)
            | Node::Less(..)
            | Node::Plus(..)
            | Node::Apply(..) => &[],
        }
    }
}

/// A checked formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    /// The classes; the first one is `bool`.
    pub classes: IndexVec<ClassId, Class>,
    /// The parts of bound variables.
    pub leaves: IndexVec<LeafId, Leaf>,
    /// The relations.
    pub relations: IndexVec<RelId, Relation>,
    /// The expressions.
    pub nodes: IndexVec<NodeId, Node>,
    /// What is asked.
    pub query: NodeId,
    /// Whether the author lets the search end when the query holds of an intermediate value.
    pub early: bool,
}

impl Formula {
    /// The relation of this name.
    pub fn relation(&self, name: &str) -> Option<RelId> {
        self.relations.iter_enumerated().find(|(_, r)| r.name == name).map(|(id, _)| id)
    }

    /// The nodes of an expression, each before those that it is an operand of, and each once.
    pub fn below(&self, root: NodeId) -> Vec<NodeId> {
        let mut seen = std::collections::BTreeSet::new();
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if seen.insert(node) {
                stack.extend(self.nodes[node].operands());
            }
        }
        seen.into_iter().collect()
    }

    /// The relations that an expression speaks of, in order.
    pub fn applied(&self, root: NodeId) -> Vec<RelId> {
        let of = |node: NodeId| match &self.nodes[node] {
            Node::Apply(relation, _) => Some(*relation),
            _ => None,
        };
        let mut out: Vec<RelId> = self.below(root).into_iter().filter_map(of).collect();
        out.sort_unstable();
        out.dedup();
        out
    }
}
