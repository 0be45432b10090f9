//! The back end on `biodivine-lib-bdd`, in which a diagram is a vector of nodes of its own.
//!
//! Small diagrams are interned, and operations on them are remembered by their ids. Ids are never reused (an
//! address could be), so the tables may be emptied at any time without a wrong answer. Large diagrams are
//! neither hashed nor remembered. Renaming rewrites the node vector, which is sound because it must not change
//! the variable order; that is checked at every node.

use crate::values::{Step, values};
use crate::{Cube, Engine, Graph, MAX_VARS, Node, Renaming, TooManyVariables, Var, VarSet};
use biodivine_lib_bdd::{Bdd, BddNode, BddPartialValuation, BddPointer, BddVariable, BddVariableSet};
use rustc_hash::{FxHashMap, FxHasher};
use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Diagrams of at most this many nodes are interned.
const SMALL: usize = 256;
/// The tables are emptied when the interned diagrams have this many nodes together (twelve bytes each).
const TABLE_NODES: usize = 16 << 20;
/// The tables are emptied when this many results are remembered.
const TABLE_RESULTS: usize = 4 << 20;
/// How many steps of an operation pass between two examines the stop flag.
const POLL: u32 = 1 << 14;

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

/// The flag, and whether it was seen set.
struct Stop<'a> {
    flag: &'a AtomicBool,
    seen: Cell<bool>,
    steps: Cell<u32>,
}

impl Stop<'_> {
    fn look(&self) -> bool {
        if self.flag.load(Ordering::Relaxed) {
            self.seen.set(true);
        }
        self.seen.get()
    }

    /// The operator, which gives 0 for everything once the flag is set, so that the operation ends soon.
    fn guard<'s>(
        &'s self,
        op: impl Fn(Option<bool>, Option<bool>) -> Option<bool> + 's,
    ) -> impl Fn(Option<bool>, Option<bool>) -> Option<bool> + 's {
        move |a, b| {
            let steps = self.steps.get().wrapping_add(1);
            self.steps.set(steps);
            if steps.is_multiple_of(POLL) {
                self.look();
            }
            if self.seen.get() { Some(false) } else { op(a, b) }
        }
    }
}

fn op_and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn op_or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

fn op_and_not(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    op_and(a, b.map(|b| !b))
}

fn op_xor(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    Some(a? != b?)
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

    /// The diagram's handle: the one it has already when it is small and known.
    fn intern(&mut self, bdd: Bdd) -> Diagram {
        self.nodes_made += bdd.size() as u64;
        if bdd.is_false() {
            return self.zero.clone();
        }
        if bdd.is_true() {
            return self.one.clone();
        }
        let small = bdd.size() <= SMALL;
        let hash = if small { hash_of(&bdd) } else { 0 };
        if small
            && let Some(known) = self.interned.get(&hash)
            && let Some(diagram) = known.iter().find(|d| *d.bdd() == bdd)
        {
            return diagram.clone();
        }
        let size = bdd.size();
        let diagram = Diagram(Rc::new(Inner { id: self.next_id, bdd }));
        self.next_id += 1;
        if small && !self.stop.seen.get() {
            self.interned_nodes += size;
            if self.interned_nodes > TABLE_NODES {
                self.empty_tables();
                self.interned_nodes = size;
            }
            self.interned.entry(hash).or_default().push(diagram.clone());
        }
        diagram
    }

    /// The remembered result, or the one `compute` gives. Without a key nothing is remembered.
    fn remember(&mut self, key: Option<Key>, compute: impl FnOnce(&Self) -> Bdd) -> Diagram {
        if let Some(result) = key.and_then(|key| self.results.get(&key)) {
            return result.clone();
        }
        if self.stop.look() {
            return self.zero.clone();
        }
        let bdd = compute(self);
        let result = self.intern(bdd);
        if let Some(key) = key
            && !self.stop.seen.get()
        {
            if self.results.len() >= TABLE_RESULTS {
                self.empty_tables();
            }
            self.results.insert(key, result.clone());
        }
        result
    }

    /// Forgets diagrams that nobody holds; those that are held keep their ids.
    fn empty_tables(&mut self) {
        self.interned.clear();
        self.results.clear();
        self.cube_ids.clear();
        self.interned_nodes = 0;
    }

    /// A number for these values: never one that other values have had.
    fn cube_id(&mut self, values: &[(Var, bool)]) -> u64 {
        if let Some(known) = self.cube_ids.get(values) {
            return *known;
        }
        self.interned_nodes += values.len();
        if self.interned_nodes > TABLE_NODES {
            self.empty_tables();
        }
        let id = self.next_id;
        self.next_id += 1;
        self.cube_ids.insert(values.to_vec(), id);
        id
    }

    fn commutative(
        &mut self,
        operation: Operation,
        f: &Diagram,
        g: &Diagram,
        op: fn(Option<bool>, Option<bool>) -> Option<bool>,
    ) -> Diagram {
        let (f, g) = if f.0.id <= g.0.id { (f, g) } else { (g, f) };
        self.remember(key(operation, f, g), |e| Bdd::binary_op(f.bdd(), g.bdd(), e.stop.guard(op)))
    }

    fn product(&self, f: &Diagram, g: &Diagram, set: VarSet) -> Bdd {
        let chosen = &self.sets[set.0 as usize];
        let trigger = |var: BddVariable| chosen[var.to_index()];
        Bdd::binary_op_nested(f.bdd(), g.bdd(), trigger, self.stop.guard(op_and), self.stop.guard(op_or))
    }
}

/// What the result is remembered by, if it is.
fn key(operation: Operation, f: &Diagram, g: &Diagram) -> Option<Key> {
    (f.small() && g.small()).then_some((operation, f.0.id, g.0.id))
}

fn hash_of(bdd: &Bdd) -> u64 {
    let mut hasher = FxHasher::default();
    bdd.hash(&mut hasher);
    hasher.finish()
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
