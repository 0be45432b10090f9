//! The evaluator: the algorithmic semantics of \[LMP09 §3\] on decision diagrams.
//!
//! To compute a relation, its value starts empty; in each round every other relation that its equation mentions is
//! computed anew with that value in place, and the equation gives the next value, until it stays the same. Two short
//! cuts leave all these values as they are: a relation is not computed again when nothing changed of what it depends
//! on, and an equation that only joins and projects what it mentions is evaluated on what the last round added.
//!
//! A sequence of values that returns to an earlier one without staying there never ends: this is detected and reported.

mod atoms;
mod delta;
mod fixpoint;
mod layers;
mod options;
mod ordered;
mod product;

pub use fixpoint::Round;
pub use options::{Options, Stats, Stop};

use crate::allocation::Places;
use crate::ir::{Arg, Formula, Kind, LeafId, Node, NodeId, RelId};
use crate::prelude::{Flow, Model, Prelude};
use atoms::Instance;
pub(crate) use atoms::has_value;
use base::{Id, IndexVec};
use bdd::{Engine, TooManyVariables, Var, VarSet};
pub(crate) use fixpoint::joins_only;
use layers::{Fixed, MadeOfLayers};
use rustc_hash::FxHashMap;

/// What an evaluation found.
pub struct Found<B> {
    /// Whether the query holds.
    pub holds: bool,
    /// The relation that the query mentions, if it mentions one, and its value.
    pub top: Option<(RelId, B)>,
    /// What each round added to it, when that was asked.
    pub rings: Vec<B>,
}

/// What was computed, and of which versions of what was kept.
struct Memo<B> {
    of: Vec<(RelId, u64)>,
    value: B,
}

type Res<T> = Result<T, Stop>;

/// Receives every round.
pub type Observer<'o> = &'o mut dyn FnMut(&Round<'_>);

/// An evaluation of a formula on a model.
pub struct Evaluator<'f, M, E: Engine> {
    /// The formula.
    pub formula: &'f Formula,
    /// The engine.
    pub engine: E,
    /// Figures so far.
    pub stats: Stats,
    model: &'f M,
    options: Options,
    places: Places,
    fixed: IndexVec<RelId, Option<Fixed<E::Bdd>>>,
    memo: IndexVec<RelId, Option<Memo<E::Bdd>>>,
    /// Relations with equations that each equation mentions.
    depends_on: IndexVec<RelId, Vec<RelId>>,
    /// The leaves on which a node depends, in order.
    free: IndexVec<NodeId, Vec<LeafId>>,
    /// Whether a node mentions relations with equations.
    depends: IndexVec<NodeId, bool>,
    /// The relations of which a node speaks.
    applied: IndexVec<NodeId, Vec<RelId>>,
    constants: FxHashMap<NodeId, E::Bdd>,
    instances: FxHashMap<NodeId, Instance<E::Bdd>>,
    layers: MadeOfLayers<E::Bdd>,
    sets: FxHashMap<Vec<LeafId>, VarSet>,
    /// The relation whose intermediate values may answer the query.
    early: Option<RelId>,
    answered: bool,
    version: u64,
    depth: usize,
    top: Option<RelId>,
    rings: Vec<E::Bdd>,
    /// The order of work that the model gives.
    flow: Option<Flow>,
    /// Nodes and tuples of the value of the relation that the query mentions, where it was not put together.
    kept: Option<(usize, f64)>,
}

impl<'f, M: Model, E: Engine> Evaluator<'f, M, E> {
    /// An evaluator; `engine` makes the engine for the given number of variables.
    ///
    /// # Errors
    /// When there are more than engines have.
    pub fn new(
        formula: &'f Formula,
        model: &'f M,
        prelude: &Prelude,
        options: Options,
        engine: impl FnOnce(usize) -> Result<E, TooManyVariables>,
    ) -> Result<Self, TooManyVariables> {
        let places = Places::new(formula, prelude)?;
        let engine = engine(places.count)?;
        let count = formula.relations.len();
        let depends_on = formula.relations.iter().map(|relation| match relation.kind {
            Kind::Defined(body) => formula.defined(body),
            Kind::Input(_) => vec![],
        });
        let (free, depends) = leaves_and_dependence(formula);
        let top = if let [one] = formula.defined(formula.query)[..] { Some(one) } else { None };
        let allowed =
            formula.early || (fixpoint::is_positive(formula) && fixpoint::joins_only(formula, formula.query));
        Ok(Evaluator {
            formula,
            stats: Stats { variables: places.count, ..Stats::default() },
            model,
            options,
            places,
            engine,
            fixed: IndexVec::from_elem(None, count),
            memo: (0..count).map(|_| None).collect(),
            depends_on: depends_on.collect(),
            free,
            depends,
            applied: ids(formula.nodes.len()).map(|node| formula.applied(node)).collect(),
            constants: FxHashMap::default(),
            instances: FxHashMap::default(),
            layers: MadeOfLayers::default(),
            sets: FxHashMap::default(),
            early: top.filter(|_| options.early && allowed),
            answered: false,
            version: 0,
            depth: 0,
            top,
            rings: vec![],
            flow: prelude.flow.clone(),
            kept: None,
        })
    }

    /// Evaluates the query.
    ///
    /// # Errors
    /// When the engine is stopped, or the evaluation of an equation does not terminate.
    pub fn run(&mut self, observer: Observer<'_>) -> Res<Found<E::Bdd>> {
        let top = match self.top {
            Some(top) => Some((top, self.relation(top, observer)?)),
            None => None,
        };
        if let Some((rel, value)) = &top {
            self.fix(*rel, value.clone());
            let formals = self.formula.relations[*rel].formals.clone();
            self.stats.tuples = self.tuples(value, &formals);
            self.stats.nodes = self.engine.size(value);
            if let Some((nodes, tuples)) = self.kept {
                (self.stats.nodes, self.stats.tuples) = (nodes, tuples);
            }
        }
        let holds = self.answered || {
            let value = self.value(self.formula.query, observer)?;
            !self.engine.is_zero(&value)
        };
        self.alive()?;
        self.stats.nodes_made = self.engine.nodes_made();
        Ok(Found { holds, top, rings: std::mem::take(&mut self.rings) })
    }

    /// The variables of a leaf, the lowest bit first.
    pub fn vars(&self, leaf: LeafId) -> &[Var] {
        self.places.vars(self.formula, leaf)
    }

    /// How many tuples over these leaves a relation has.
    fn tuples(&self, value: &E::Bdd, leaves: &[LeafId]) -> f64 {
        let all: usize = leaves.iter().map(|leaf| self.vars(*leaf).len()).sum();
        let free = all.saturating_sub(self.engine.support(value).len());
        self.engine.models(value) * 2f64.powi(i32::try_from(free).unwrap_or(i32::MAX))
    }

    fn alive(&self) -> Res<()> {
        match self.engine.interrupted() {
            true if self.engine.exhausted() => Err(Stop::Exhausted),
            true => Err(Stop::Interrupted),
            false if self.engine.nodes_made() > self.options.most_nodes => Err(Stop::Nodes),
            false => Ok(()),
        }
    }

    /// The set of the leaves' variables.
    fn set(&mut self, leaves: &[LeafId]) -> VarSet {
        if let Some(set) = self.sets.get(leaves) {
            return *set;
        }
        let vars: Vec<Var> = leaves.iter().flat_map(|leaf| self.vars(*leaf).to_vec()).collect();
        let set = self.engine.var_set(&vars);
        self.sets.insert(leaves.to_vec(), set);
        set
    }

    /// The value of an expression, with the relations that are being computed as they are.
    fn value(&mut self, node: NodeId, observer: Observer<'_>) -> Res<E::Bdd> {
        if !self.depends[node]
            && let Some(value) = self.constants.get(&node)
        {
            return Ok(value.clone());
        }
        let value = self.compute(node, observer)?;
        if !self.depends[node] {
            self.constants.insert(node, value.clone());
        }
        Ok(value)
    }

    fn compute(&mut self, node: NodeId, observer: Observer<'_>) -> Res<E::Bdd> {
        self.alive()?;
        let formula = self.formula;
        Ok(match &formula.nodes[node] {
            Node::Const(b) => self.engine.constant(*b),
            Node::Not(a) => {
                let a = self.value(*a, observer)?;
                self.engine.not(&a)
            }
            Node::And(_) => self.conjunction(node, &[], observer)?,
            Node::Or(list) => self.sum(list, observer)?,
            Node::Exists(leaves, body) => match &formula.nodes[*body] {
                Node::And(_) => self.conjunction(*body, leaves, observer)?,
                _ => {
                    let value = self.value(*body, observer)?;
                    let set = self.set(leaves);
                    self.engine.exists(&value, set)
                }
            },
            Node::Forall(leaves, body) => {
                let value = self.value(*body, observer)?;
                let not = self.engine.not(&value);
                let set = self.set(leaves);
                let some = self.engine.exists(&not, set);
                self.engine.not(&some)
            }
            Node::Equal(a, b) => self.equal(*a, *b),
            Node::Value(leaf, value) => self.has_value(*leaf, *value),
            Node::Less(a, b) => self.less(*a, *b),
            Node::Plus(a, b, n) => self.plus(*a, *b, *n),
            Node::Apply(relation, args) => match formula.relations[*relation].kind {
                Kind::Input(number) => self.input(number, *relation, args),
                Kind::Defined(_) => {
                    let value = self.relation(*relation, observer)?;
                    self.instance(node, &value)
                }
            },
        })
    }

    /// The union of the expressions' values.
    fn sum(&mut self, nodes: &[NodeId], observer: Observer<'_>) -> Res<E::Bdd> {
        let mut values = vec![];
        for node in nodes {
            values.push(self.value(*node, observer)?);
        }
        Ok(self.union(values))
    }

    /// The disjunction.
    fn union(&mut self, mut values: Vec<E::Bdd>) -> E::Bdd {
        values.retain(|v| !self.engine.is_zero(v));
        self.engine.any(values)
    }
}

/// The leaves on which each node depends, and whether it mentions relations with equations.
fn leaves_and_dependence(formula: &Formula) -> (IndexVec<NodeId, Vec<LeafId>>, IndexVec<NodeId, bool>) {
    let mut free: IndexVec<NodeId, Vec<LeafId>> = IndexVec::new();
    let mut depends: IndexVec<NodeId, bool> = IndexVec::new();
    for node in formula.nodes.iter() {
        let mut leaves: Vec<LeafId> = match node {
            Node::Equal(a, b) | Node::Plus(a, b, _) | Node::Less((a, _), (b, _)) => vec![*a, *b],
            Node::Value(a, _) => vec![*a],
            Node::Apply(_, args) => args
                .iter()
                .filter_map(|arg| match arg {
                    Arg::Leaf(leaf) => Some(*leaf),
                    Arg::Value(_) => None,
                })
                .collect(),
            node => node.operands().iter().flat_map(|operand| free[*operand].clone()).collect(),
        };
        if let Node::Exists(bound, _) | Node::Forall(bound, _) = node {
            leaves.retain(|leaf| !bound.contains(leaf));
        }
        leaves.sort_unstable();
        leaves.dedup();
        free.push(leaves);
        let own = match node {
            Node::Apply(relation, _) => matches!(formula.relations[*relation].kind, Kind::Defined(_)),
            node => node.operands().iter().any(|operand| depends[*operand]),
        };
        depends.push(own);
    }
    (free, depends)
}

/// Ids up to a count.
fn ids<I: Id>(count: usize) -> impl Iterator<Item = I> {
    (0..count).map(I::from_index)
}
