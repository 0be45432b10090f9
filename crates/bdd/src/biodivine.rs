//! The back end on `biodivine-lib-bdd`, in which a diagram is a vector of nodes of its own.
//!
//! Small diagrams are interned, and operations on them are remembered by their ids. Ids are never reused (an
//! address could be), so the tables may be emptied at any time without a wrong answer. Large diagrams are
//! neither hashed nor remembered. Renaming rewrites the node vector, which is sound because it must not change
//! the variable order; that is checked at every node.

mod stop;
mod tables;

use crate::values::{Step, values};
use crate::{Cube, Engine, Graph, MAX_VARS, Node, Renaming, TooManyVariables, Var, VarSet};
use biodivine_lib_bdd::{Bdd, BddNode, BddPartialValuation, BddPointer, BddVariable, BddVariableSet};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use stop::{Stop, op_and, op_and_not, op_or, op_xor};
use tables::key;

/// Diagrams of at most this many nodes are interned.
const SMALL: usize = 256;

/// A diagram of [`Biodivine`].
#[derive(Clone, Debug)]
pub struct Diagram(Rc<Inner>);

#[derive(Debug)]
struct Inner {
    id: u64,
    bdd: Bdd,
}

impl Diagram {
    fn bdd(&self) -> &Bdd {
        &self.0.bdd
    }

    fn small(&self) -> bool {
        self.0.bdd.size() <= SMALL
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Operation {
    Not,
    And,
    Or,
    Xor,
    AndNot,
    Exists(VarSet),
    AndExists(VarSet),
    Rename(Renaming),
    Restrict,
}

/// An operation on the diagrams with these ids; when it takes only one, that twice, or the values fixed.
type Key = (Operation, u64, u64);

/// The engine. It checks its stop flag between and during operations.
pub struct Biodivine<'a> {
    vars: BddVariableSet,
    stop: Stop<'a>,
    zero: Diagram,
    one: Diagram,
    next_id: u64,
    literals: Vec<Option<Diagram>>,
    interned: FxHashMap<u64, Vec<Diagram>>,
    interned_nodes: usize,
    results: FxHashMap<Key, Diagram>,
    nodes_made: u64,
    sets: Vec<Vec<bool>>,
    set_ids: FxHashMap<Vec<Var>, VarSet>,
    renamings: Vec<Vec<u16>>,
    renaming_ids: FxHashMap<Vec<(Var, Var)>, Renaming>,
    /// Values that small diagrams were restricted to; forgotten with the tables.
    cube_ids: FxHashMap<Cube, u64>,
}

impl<'a> Biodivine<'a> {
    /// An engine with this many variables, which gives up soon after `stop` is set.
    ///
    /// # Errors
    /// When there are more than [`MAX_VARS`].
    pub fn new(vars: usize, stop: &'a AtomicBool) -> Result<Biodivine<'a>, TooManyVariables> {
        if vars > MAX_VARS {
            return Err(TooManyVariables { wanted: vars });
        }
        let literals = vec![None; vars];
        let vars = BddVariableSet::new_anonymous(vars as u16);
        let zero = Diagram(Rc::new(Inner { id: 0, bdd: vars.mk_false() }));
        let one = Diagram(Rc::new(Inner { id: 1, bdd: vars.mk_true() }));
        Ok(Biodivine {
            vars,
            stop: Stop { flag: stop, seen: Cell::new(false), steps: Cell::new(0) },
            zero,
            one,
            next_id: 2,
            literals,
            interned: FxHashMap::default(),
            interned_nodes: 0,
            results: FxHashMap::default(),
            nodes_made: 0,
            sets: vec![],
            set_ids: FxHashMap::default(),
            renamings: vec![],
            renaming_ids: FxHashMap::default(),
            cube_ids: FxHashMap::default(),
        })
    }
}

/// Rewrites the variables of the nodes; `table` holds the new one for each.
fn rename_nodes(bdd: &Bdd, table: &[u16]) -> Bdd {
    let mut nodes = bdd.clone().to_nodes();
    let terminal = nodes[0].var;
    for i in 2..nodes.len() {
        let var = BddVariable::from_index(table[nodes[i].var.to_index()] as usize);
        nodes[i].var = var;
        let BddNode { low_link, high_link, .. } = nodes[i];
        // Children stand before their parents, so theirs are the new variables already.
        let below = |link: BddPointer| {
            let child = nodes[link.to_index()].var;
            link.to_index() < i && (child == terminal || var < child)
        };
        assert!(
            below(low_link) && below(high_link),
            "a renaming keeps the order of the variables of the diagram it is applied to"
        );
    }
    Bdd::from_nodes(&nodes).expect("renaming keeps a diagram well-formed")
}

impl Engine for Biodivine<'_> {
    type Bdd = Diagram;

    fn constant(&self, value: bool) -> Diagram {
        if value { self.one.clone() } else { self.zero.clone() }
    }

    fn var(&mut self, var: Var) -> Diagram {
        let index = var.0 as usize;
        if let Some(literal) = &self.literals[index] {
            return literal.clone();
        }
        let bdd = self.vars.mk_var(BddVariable::from_index(index));
        let literal = self.intern(bdd);
        self.literals[index] = Some(literal.clone());
        literal
    }

    fn not(&mut self, f: &Diagram) -> Diagram {
        self.remember(key(Operation::Not, f, f), |_| f.bdd().not())
    }

    fn and(&mut self, f: &Diagram, g: &Diagram) -> Diagram {
        match (self.is_constant(f), self.is_constant(g)) {
            (Some(true), _) => g.clone(),
            (_, Some(true)) => f.clone(),
            (Some(false), _) | (_, Some(false)) => self.zero.clone(),
            _ if f.0.id == g.0.id => f.clone(),
            _ => self.commutative(Operation::And, f, g, op_and),
        }
    }

    fn or(&mut self, f: &Diagram, g: &Diagram) -> Diagram {
        match (self.is_constant(f), self.is_constant(g)) {
            (Some(false), _) => g.clone(),
            (_, Some(false)) => f.clone(),
            (Some(true), _) | (_, Some(true)) => self.one.clone(),
            _ if f.0.id == g.0.id => f.clone(),
            _ => self.commutative(Operation::Or, f, g, op_or),
        }
    }

    fn xor(&mut self, f: &Diagram, g: &Diagram) -> Diagram {
        match (self.is_constant(f), self.is_constant(g)) {
            (Some(false), _) => g.clone(),
            (_, Some(false)) => f.clone(),
            (Some(true), _) => self.not(g),
            (_, Some(true)) => self.not(f),
            _ if f.0.id == g.0.id => self.zero.clone(),
            _ => self.commutative(Operation::Xor, f, g, op_xor),
        }
    }

    fn and_not(&mut self, f: &Diagram, g: &Diagram) -> Diagram {
        match (self.is_constant(f), self.is_constant(g)) {
            (Some(false), _) | (_, Some(true)) => self.zero.clone(),
            (_, Some(false)) => f.clone(),
            (Some(true), _) => self.not(g),
            _ if f.0.id == g.0.id => self.zero.clone(),
            _ => self.remember(key(Operation::AndNot, f, g), |e| {
                Bdd::binary_op(f.bdd(), g.bdd(), e.stop.guard(op_and_not))
            }),
        }
    }

    fn var_set(&mut self, vars: &[Var]) -> VarSet {
        let mut sorted = vars.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        if let Some(id) = self.set_ids.get(&sorted) {
            return *id;
        }
        let mut table = vec![false; self.vars.num_vars() as usize];
        for var in &sorted {
            table[var.0 as usize] = true;
        }
        let id = VarSet(self.sets.len() as u32);
        self.sets.push(table);
        self.set_ids.insert(sorted, id);
        id
    }

    fn exists(&mut self, f: &Diagram, set: VarSet) -> Diagram {
        if self.is_constant(f).is_some() {
            return f.clone();
        }
        self.remember(key(Operation::Exists(set), f, f), |e| e.product(f, f, set))
    }

    fn and_exists(&mut self, f: &Diagram, g: &Diagram, set: VarSet) -> Diagram {
        match (self.is_constant(f), self.is_constant(g)) {
            (Some(false), _) | (_, Some(false)) => return self.zero.clone(),
            (Some(true), _) => return self.exists(g, set),
            (_, Some(true)) => return self.exists(f, set),
            _ => {}
        }
        let (f, g) = if f.0.id <= g.0.id { (f, g) } else { (g, f) };
        self.remember(key(Operation::AndExists(set), f, g), |e| e.product(f, g, set))
    }

    fn renaming(&mut self, pairs: &[(Var, Var)]) -> Renaming {
        let mut sorted = pairs.to_vec();
        sorted.sort_unstable();
        if let Some(id) = self.renaming_ids.get(&sorted) {
            return *id;
        }
        let mut table: Vec<u16> = (0..self.vars.num_vars()).collect();
        for (from, to) in &sorted {
            table[from.0 as usize] = to.0;
        }
        let id = Renaming(self.renamings.len() as u32);
        self.renamings.push(table);
        self.renaming_ids.insert(sorted, id);
        id
    }

    fn rename(&mut self, f: &Diagram, renaming: Renaming) -> Diagram {
        if self.is_constant(f).is_some() {
            return f.clone();
        }
        self.remember(key(Operation::Rename(renaming), f, f), |e| {
            rename_nodes(f.bdd(), &e.renamings[renaming.0 as usize])
        })
    }

    fn restrict(&mut self, f: &Diagram, values: &[(Var, bool)]) -> Diagram {
        if self.is_constant(f).is_some() || values.is_empty() {
            return f.clone();
        }
        let key = f.small().then(|| (Operation::Restrict, f.0.id, self.cube_id(values)));
        self.remember(key, |_| {
            let variable = |var: &Var| BddVariable::from_index(var.0 as usize);
            let values: Vec<(BddVariable, bool)> =
                values.iter().map(|(v, value)| (variable(v), *value)).collect();
            f.bdd().restrict(&values)
        })
    }

    fn cube(&mut self, values: &[(Var, bool)]) -> Diagram {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return self.zero.clone();
        }
        let literals = sorted.iter().map(|(var, value)| (BddVariable::from_index(var.0 as usize), *value));
        let bdd = self.vars.mk_conjunctive_clause(&BddPartialValuation::from_values_iter(literals));
        self.intern(bdd)
    }

    fn is_constant(&self, f: &Diagram) -> Option<bool> {
        match f.0.id {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn size(&self, f: &Diagram) -> usize {
        f.bdd().size()
    }

    fn witness(&self, f: &Diagram) -> Option<Cube> {
        let bdd = f.bdd();
        if bdd.is_false() {
            return None;
        }
        let mut cube = Cube::new();
        let mut node = bdd.root_pointer();
        while !node.is_one() {
            let var = Var(bdd.var_of(node).to_index() as u16);
            let low = bdd.low_link_of(node);
            // A node of a reduced diagram has a way to 1 through every child that is not 0.
            let value = low.is_zero();
            cube.push((var, value));
            node = if value { bdd.high_link_of(node) } else { low };
        }
        Some(cube)
    }

    fn support(&self, f: &Diagram) -> Vec<Var> {
        let bdd = f.bdd();
        let mut vars: Vec<Var> =
            bdd.pointers().skip(2).map(|node| Var(bdd.var_of(node).to_index() as u16)).collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    fn models(&self, f: &Diagram) -> f64 {
        let bdd = f.bdd();
        // How deep each variable lies in the support.
        let support = self.support(f);
        let depth = |node: BddPointer| {
            let var = Var(bdd.var_of(node).to_index() as u16);
            if node.is_terminal() { support.len() } else { support.partition_point(|v| *v < var) }
        };
        let mut counts: Vec<f64> = Vec::with_capacity(bdd.size());
        for node in bdd.pointers() {
            let count = if node.is_terminal() {
                f64::from(u8::from(node.is_one()))
            } else {
                let below = |link: BddPointer| {
                    let skipped = depth(link) - depth(node) - 1;
                    counts[link.to_index()] * 2f64.powi(skipped as i32)
                };
                below(bdd.low_link_of(node)) + below(bdd.high_link_of(node))
            };
            counts.push(count);
        }
        // The first variable of the support is that of the root.
        counts.last().copied().unwrap_or(0.0)
    }

    fn graph(&self, f: &Diagram) -> Graph {
        let bdd = f.bdd();
        // Pointers 0 and 1 are the constants; children come before their parents.
        let node = |at: BddPointer| Node {
            var: Var(bdd.var_of(at).to_index() as u16),
            low: bdd.low_link_of(at).to_index(),
            high: bdd.high_link_of(at).to_index(),
        };
        Graph { nodes: bdd.pointers().skip(2).map(node).collect(), root: bdd.root_pointer().to_index() }
    }

    fn values(&self, f: &Diagram, vars: &[Var], most: usize) -> Option<Vec<Vec<bool>>> {
        let bdd = f.bdd();
        let step = |at: BddPointer| match at.is_terminal() {
            true => Step::Constant(at.is_one()),
            false => {
                let var = Var(bdd.var_of(at).to_index() as u16);
                Step::Ask(var, bdd.low_link_of(at), bdd.high_link_of(at))
            }
        };
        values(bdd.root_pointer(), step, vars, most)
    }

    fn interrupted(&self) -> bool {
        self.stop.look()
    }

    fn nodes_made(&self) -> u64 {
        self.nodes_made
    }
}
