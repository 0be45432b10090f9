//! Formulas after names and types are resolved: variables are taken apart into leaves of plain bit vectors, and what is
//! left are connectives, quantifiers, comparisons of leaves and relations.
//!
//! Invariant: a node comes after its operands, and every leaf is bound in exactly one place.

use base::IndexVec;
use bp::Loc;
use std::collections::BTreeMap;

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
    /// Its number in the model's prelude.
    pub given: Option<usize>,
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

/// What a variable of a formula stands for in traces.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Role {
    /// Of a path edge, the state in which the procedure was entered.
    Entry,
    /// Of a path edge, the state that is reached.
    Now,
    /// The context in which the procedure was entered.
    Entered,
    /// The context of the state that is reached.
    Context,
    /// Over a call, the caller's state.
    Caller,
    /// The context of the caller's state.
    Called,
    /// The state in which the callee is entered.
    Callee,
    /// The state in which the callee is left.
    Exit,
    /// The thread of each context: an array.
    Threads,
    /// The shared globals at each switch: an array.
    Switches,
    /// The thread that runs.
    Thread,
    /// The state of all threads.
    World,
    /// The state of all threads before a step.
    Before,
}

impl Role {
    /// All, each with its name and the type of such a variable, or of its elements.
    pub const ALL: [(Role, &'static str, &'static str); 13] = [
        (Role::Entry, "entry", "State"),
        (Role::Now, "now", "State"),
        (Role::Entered, "entered", "Context"),
        (Role::Context, "context", "Context"),
        (Role::Caller, "caller", "State"),
        (Role::Called, "called", "Context"),
        (Role::Callee, "callee", "State"),
        (Role::Exit, "exit", "State"),
        (Role::Threads, "threads", "Thread"),
        (Role::Switches, "switches", "Global"),
        (Role::Thread, "thread", "Thread"),
        (Role::World, "world", "World"),
        (Role::Before, "before", "World"),
    ];

    /// Whether it is that of an array.
    pub fn is_array(self) -> bool {
        matches!(self, Role::Threads | Role::Switches)
    }
}

/// A checked formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    /// The classes; the first one is `bool`.
    pub classes: IndexVec<ClassId, Class>,
    /// The parts of bound variables, with their classes.
    pub leaves: IndexVec<LeafId, ClassId>,
    /// The relations.
    pub relations: IndexVec<RelId, Relation>,
    /// The expressions.
    pub nodes: IndexVec<NodeId, Node>,
    /// What is asked.
    pub query: NodeId,
    /// The parts of the variables with roles.
    pub roles: BTreeMap<Role, Vec<LeafId>>,
    /// Whether the author lets the search end when the query holds of an intermediate value.
    pub early: bool,
}

impl Formula {
    /// The parts of the relation's parameter with this role.
    pub fn parameter(&self, relation: RelId, role: Role) -> Option<&[LeafId]> {
        let formals = &self.relations[relation].formals;
        self.roles
            .get(&role)
            .map(Vec::as_slice)
            .filter(|leaves| leaves.iter().all(|leaf| formals.contains(leaf)))
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

    /// The relations with equations that an expression mentions, in order.
    pub fn defined(&self, root: NodeId) -> Vec<RelId> {
        let is_defined = |r: &RelId| matches!(self.relations[*r].kind, Kind::Defined(_));
        self.applied(root).into_iter().filter(is_defined).collect()
    }

    /// The relations that an expression mentions, in order.
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
