//! The back end on `oxidd`, in which all diagrams share one store of nodes: the other back end is compared with it.
//!
//! The store has room for a fixed number of nodes; when it is full, results are meaningless, as after an interruption.
//! An operation that has begun runs to its end: the stop flag is checked between operations.

use bdd::{Cube, Engine, Graph, MAX_VARS, Node, Renaming, TooManyVariables, Var, VarSet};
use oxidd::bdd::{BDDFunction, BDDManagerRef, new_manager};
use oxidd::error::OutOfMemory;
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, Manager, ManagerRef,
    NodeID, Subst,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// The engine.
pub(crate) struct Oxidd<'a> {
    zero: BDDFunction,
    one: BDDFunction,
    literals: Vec<BDDFunction>,
    stop: &'a AtomicBool,
    stopped: Cell<bool>,
    full: bool,
    nodes_made: u64,
    sets: Vec<BDDFunction>,
    set_ids: FxHashMap<Vec<Var>, VarSet>,
    renamings: Vec<Subst<BDDFunction>>,
    renaming_ids: FxHashMap<Vec<(Var, Var)>, Renaming>,
}

type Made = Result<BDDFunction, OutOfMemory>;

impl<'a> Oxidd<'a> {
    /// An engine with this many variables, and room for this many nodes and remembered results. It gives up after `stop` is set.
    ///
    /// # Errors
    /// When there are more than [`MAX_VARS`].
    pub(crate) fn with_capacity(
        vars: usize,
        stop: &'a AtomicBool,
        nodes: usize,
        results: usize,
    ) -> Result<Oxidd<'a>, TooManyVariables> {
        if vars > MAX_VARS {
            return Err(TooManyVariables { wanted: vars });
        }
        let manager: BDDManagerRef = new_manager(nodes, results, 1);
        let (zero, one, literals) = manager.with_manager_exclusive(|m| {
            m.add_vars(vars as u32);
            let literals: Result<Vec<BDDFunction>, OutOfMemory> =
                (0..vars).map(|v| BDDFunction::var(m, v as u32)).collect();
            (BDDFunction::f(m), BDDFunction::t(m), literals)
        });
        Ok(Oxidd {
            zero,
            one,
            full: literals.is_err(),
            literals: literals.unwrap_or_default(),
            stop,
            stopped: Cell::new(false),
            nodes_made: 0,
            sets: vec![],
            set_ids: FxHashMap::default(),
            renamings: vec![],
            renaming_ids: FxHashMap::default(),
        })
    }

    /// The result of an operation; the constant 0 when there is no point in going on.
    fn result(&mut self, operation: impl FnOnce(&Self) -> Made) -> BDDFunction {
        if self.interrupted() {
            return self.zero.clone();
        }
        match operation(self) {
            Ok(f) => {
                self.nodes_made += f.node_count() as u64;
                f
            }
            Err(OutOfMemory) => {
                self.full = true;
                self.zero.clone()
            }
        }
    }

    fn literal(&self, var: Var) -> &BDDFunction {
        // Without literals the store was full from the beginning.
        self.literals.get(usize::from(var.0)).unwrap_or(&self.zero)
    }

    /// The variable of the root; `None` for a constant.
    fn top(&self, f: &BDDFunction) -> Option<Var> {
        let level = f.with_manager_shared(|m, edge| m.get_node(edge).level());
        u16::try_from(level).ok().filter(|level| usize::from(*level) < self.literals.len()).map(Var)
    }

    /// The number of the root in the store.
    fn id(f: &BDDFunction) -> NodeID {
        f.with_manager_shared(|_, edge| edge.node_id())
    }

    /// The functions of all nodes but the constants, each before those that it is made of.
    fn nodes(&self, f: &BDDFunction) -> Vec<(Var, BDDFunction, BDDFunction, BDDFunction)> {
        let mut seen = FxHashSet::default();
        let mut stack = vec![f.clone()];
        let mut out = vec![];
        while let Some(f) = stack.pop() {
            if let (Some(var), Some((high, low))) = (self.top(&f), f.cofactors())
                && seen.insert(Self::id(&f))
            {
                stack.extend([high.clone(), low.clone()]);
                out.push((var, f, high, low));
            }
        }
        // Children lie at deeper levels.
        out.sort_by_key(|(var, ..)| *var);
        out
    }
}

impl Engine for Oxidd<'_> {
    type Bdd = BDDFunction;

    fn constant(&self, value: bool) -> BDDFunction {
        if value { self.one.clone() } else { self.zero.clone() }
    }

    fn var(&mut self, var: Var) -> BDDFunction {
        self.literal(var).clone()
    }

    fn not(&mut self, f: &BDDFunction) -> BDDFunction {
        self.result(|_| f.not())
    }

    fn and(&mut self, f: &BDDFunction, g: &BDDFunction) -> BDDFunction {
        self.result(|_| f.and(g))
    }

    fn or(&mut self, f: &BDDFunction, g: &BDDFunction) -> BDDFunction {
        self.result(|_| f.or(g))
    }

    fn xor(&mut self, f: &BDDFunction, g: &BDDFunction) -> BDDFunction {
        self.result(|_| f.xor(g))
    }

    fn and_not(&mut self, f: &BDDFunction, g: &BDDFunction) -> BDDFunction {
        self.result(|_| g.imp_strict(f))
    }

    fn var_set(&mut self, vars: &[Var]) -> VarSet {
        let mut sorted = vars.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        if let Some(known) = self.set_ids.get(&sorted) {
            return *known;
        }
        let cube =
            self.result(|e| sorted.iter().rev().try_fold(e.one.clone(), |cube, v| e.literal(*v).and(&cube)));
        let id = VarSet(self.sets.len() as u32);
        self.sets.push(cube);
        self.set_ids.insert(sorted, id);
        id
    }

    fn exists(&mut self, f: &BDDFunction, set: VarSet) -> BDDFunction {
        self.result(|e| f.exists(&e.sets[set.0 as usize]))
    }

    fn and_exists(&mut self, f: &BDDFunction, g: &BDDFunction, set: VarSet) -> BDDFunction {
        self.result(|e| f.apply_exists(BooleanOperator::And, g, &e.sets[set.0 as usize]))
    }

    fn renaming(&mut self, pairs: &[(Var, Var)]) -> Renaming {
        let mut sorted = pairs.to_vec();
        sorted.sort_unstable();
        if let Some(known) = self.renaming_ids.get(&sorted) {
            return *known;
        }
        let from: Vec<u32> = sorted.iter().map(|(from, _)| u32::from(from.0)).collect();
        let to: Vec<BDDFunction> = sorted.iter().map(|(_, to)| self.literal(*to).clone()).collect();
        let id = Renaming(self.renamings.len() as u32);
        self.renamings.push(Subst::new(from, to));
        self.renaming_ids.insert(sorted, id);
        id
    }

    fn rename(&mut self, f: &BDDFunction, renaming: Renaming) -> BDDFunction {
        self.result(|e| f.substitute(&e.renamings[renaming.0 as usize]))
    }

    fn restrict(&mut self, f: &BDDFunction, values: &[(Var, bool)]) -> BDDFunction {
        if self.is_constant(f).is_some() || values.is_empty() {
            return f.clone();
        }
        self.result(|e| {
            let mut sorted = values.to_vec();
            sorted.sort_unstable();
            let cube = sorted.iter().rev().try_fold(e.one.clone(), |cube, (var, value)| {
                let literal = e.literal(*var);
                if *value { literal.and(&cube) } else { literal.imp_strict(&cube) }
            })?;
            f.restrict(&cube)
        })
    }

    fn is_constant(&self, f: &BDDFunction) -> Option<bool> {
        if *f == self.zero {
            Some(false)
        } else if *f == self.one {
            Some(true)
        } else {
            None
        }
    }

    fn size(&self, f: &BDDFunction) -> usize {
        f.node_count()
    }

    fn witness(&self, f: &BDDFunction) -> Option<Cube> {
        if *f == self.zero {
            return None;
        }
        let mut cube = Cube::new();
        let mut node = f.clone();
        while let (Some(var), Some((high, low))) = (self.top(&node), node.cofactors()) {
            // A node of a reduced diagram has a way to 1 through every child that is not 0.
            let value = low == self.zero;
            cube.push((var, value));
            node = if value { high } else { low };
        }
        Some(cube)
    }

    fn support(&self, f: &BDDFunction) -> Vec<Var> {
        let mut vars: Vec<Var> = self.nodes(f).into_iter().map(|(var, ..)| var).collect();
        vars.dedup();
        vars
    }

    fn models(&self, f: &BDDFunction) -> f64 {
        let nodes = self.nodes(f);
        let mut support: Vec<Var> = nodes.iter().map(|(var, ..)| *var).collect();
        support.dedup();
        let depth =
            |f: &BDDFunction| self.top(f).map_or(support.len(), |var| support.partition_point(|v| *v < var));
        let mut counts: FxHashMap<NodeID, f64> = FxHashMap::default();
        counts.insert(Self::id(&self.zero), 0.0);
        counts.insert(Self::id(&self.one), 1.0);
        for (_, node, high, low) in nodes.iter().rev() {
            let below = |child: &BDDFunction| {
                let skipped = depth(child) - depth(node) - 1;
                counts[&Self::id(child)] * 2f64.powi(skipped as i32)
            };
            let count = below(high) + below(low);
            counts.insert(Self::id(node), count);
        }
        counts[&Self::id(f)]
    }

    fn graph(&self, f: &BDDFunction) -> Graph {
        let mut numbers: FxHashMap<NodeID, usize> = FxHashMap::default();
        numbers.insert(Self::id(&self.zero), 0);
        numbers.insert(Self::id(&self.one), 1);
        let mut nodes = vec![];
        for (var, node, high, low) in self.nodes(f).iter().rev() {
            numbers.insert(Self::id(node), nodes.len() + 2);
            nodes.push(Node { var: *var, low: numbers[&Self::id(low)], high: numbers[&Self::id(high)] });
        }
        Graph { nodes, root: numbers[&Self::id(f)] }
    }

    fn interrupted(&self) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            self.stopped.set(true);
        }
        self.stopped.get() || self.full
    }

    fn exhausted(&self) -> bool {
        self.full && !self.stopped.get()
    }

    fn nodes_made(&self) -> u64 {
        self.nodes_made
    }
}
