//! The only place that creates decision-diagram variables and knows their order.
//!
//! Every program variable has a slot, and every slot four diagram variables next to each other: the value at
//! the procedure's entry, the current value, the value after a step, and a scratch copy in which a callee's
//! formals and results meet the caller's expressions. A global has the same slot in all procedures; between
//! globals there are slots for formals, locals and returned values, numbered anew in each procedure. So there are
//! about as many as one scope needs, not as many as the program has variables, and every renaming, across calls
//! too, stays inside the slots and thus keeps the order.

use crate::Order;
use base::IndexVec;
use bdd::Var;
use bp::analysis::VariableOrder;
use bp::{Cfg, ProcCfg, ProcId, VarId};

/// A position in a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Slot(pub(crate) usize);

impl Slot {
    pub(crate) fn entry(self) -> Var {
        self.copy(0)
    }

    pub(crate) fn current(self) -> Var {
        self.copy(1)
    }

    pub(crate) fn next(self) -> Var {
        self.copy(2)
    }

    pub(crate) fn scratch(self) -> Var {
        self.copy(3)
    }

    fn copy(self, which: usize) -> Var {
        Var((4 * self.0 + which) as u16)
    }

    /// The slot of a diagram variable.
    pub(crate) fn of(var: Var) -> Slot {
        Slot(var.0 as usize / 4)
    }
}

/// In a program of many variables, scopes of at most this many slots take them as declared: no order makes their
/// diagrams large.
const SMALL_SCOPE: usize = 8;
/// This many variables are many.
const MANY_VARS: usize = 256;

/// Which slot each variable has.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    vars: IndexVec<VarId, Slot>,
    results: IndexVec<ProcId, Vec<Slot>>,
    slots: usize,
    global: Vec<bool>,
}

/// What takes a slot in a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Node {
    Var(VarId),
    Result(ProcId, usize),
}

impl Space {
    pub(crate) fn new(cfg: &Cfg, order: Order) -> Space {
        let own = |proc: &ProcCfg| proc.formals.len() + proc.locals.len() + proc.returns;
        let most = cfg.procs.iter().map(own).max().unwrap_or(0);
        let mut space = Space {
            vars: IndexVec::from_elem(Slot(0), cfg.vars.len()),
            results: cfg.procs.iter().map(|p| vec![Slot(0); p.returns]).collect(),
            slots: 0,
            global: vec![],
        };
        let small = cfg.globals.len() + most <= SMALL_SCOPE && cfg.vars.len() > MANY_VARS;
        match order {
            Order::Affinity if !small => space.along(cfg, &VariableOrder::new(cfg)),
            _ => space.as_declared(cfg),
        }
        space.global = vec![false; space.slots];
        for g in &cfg.globals {
            space.global[space.vars[*g].0] = true;
        }
        space
    }

    fn as_declared(&mut self, cfg: &Cfg) {
        for (i, g) in cfg.globals.iter().enumerate() {
            self.vars[*g] = Slot(i);
        }
        self.slots = cfg.globals.len();
        for id in cfg.procs.ids() {
            for (i, node) in own_nodes(cfg, id).enumerate() {
                self.put(node, cfg.globals.len() + i);
            }
        }
    }

    /// Globals in the order of the order; each gap between them has as many slots as some procedure needs there.
    fn along(&mut self, cfg: &Cfg, order: &VariableOrder) {
        let place = |node: Node| match node {
            Node::Var(v) => order.var(v),
            Node::Result(proc, k) => order.result(proc, k),
        };
        let mut globals = cfg.globals.clone();
        globals.sort_by_key(|g| order.var(*g));
        // For every gap, what each procedure has there.
        let mut gaps: Vec<Vec<Vec<Node>>> = vec![vec![]; globals.len() + 1];
        for id in cfg.procs.ids() {
            let mut nodes: Vec<Node> = own_nodes(cfg, id).collect();
            nodes.sort_by_key(|node| place(*node));
            for chunk in
                nodes.chunk_by(|a, b| gap(&globals, order, place(*a)) == gap(&globals, order, place(*b)))
            {
                gaps[gap(&globals, order, place(chunk[0]))].push(chunk.to_vec());
            }
        }
        let mut next = 0;
        for (i, lists) in gaps.iter().enumerate() {
            let widest = lists.iter().rev().max_by_key(|list| list.len()).map_or(&[][..], Vec::as_slice);
            let stations: Vec<u32> = widest.iter().map(|node| place(*node)).collect();
            for list in lists {
                let wanted: Vec<u32> = list.iter().map(|node| place(*node)).collect();
                for (node, station) in list.iter().zip(nearest(&stations, &wanted)) {
                    self.put(*node, next + station);
                }
            }
            next += stations.len();
            if let Some(g) = globals.get(i) {
                self.put(Node::Var(*g), next);
                next += 1;
            }
        }
    }

    fn put(&mut self, node: Node, slot: usize) {
        match node {
            Node::Var(v) => self.vars[v] = Slot(slot),
            Node::Result(proc, k) => self.results[proc][k] = Slot(slot),
        }
        self.slots = self.slots.max(slot + 1);
    }

    pub(crate) fn slot(&self, var: VarId) -> Slot {
        self.vars[var]
    }

    /// The slot of the `k`-th returned value.
    pub(crate) fn result(&self, proc: ProcId, k: usize) -> Slot {
        self.results[proc][k]
    }

    /// The slots of all returned values.
    pub(crate) fn results(&self, proc: ProcId) -> impl Iterator<Item = Slot> + use<> {
        self.results[proc].clone().into_iter()
    }

    /// Whether the slot is that of a global.
    pub(crate) fn is_global(&self, slot: Slot) -> bool {
        self.global[slot.0]
    }

    /// How many slots there are.
    pub(crate) fn slots(&self) -> usize {
        self.slots
    }

    /// How many diagram variables that makes.
    pub(crate) fn diagram_vars(&self) -> usize {
        4 * self.slots
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = Slot> + use<> {
        (0..self.slots).map(Slot)
    }
}

/// What of a procedure takes slots besides globals.
fn own_nodes(cfg: &Cfg, proc: ProcId) -> impl Iterator<Item = Node> + '_ {
    let own = &cfg.procs[proc];
    let vars = own.formals.iter().chain(&own.locals).map(|v| Node::Var(*v));
    vars.chain((0..own.returns).map(move |k| Node::Result(proc, k)))
}

/// Before which global a place lies.
fn gap(globals: &[VarId], order: &VariableOrder, place: u32) -> usize {
    globals.partition_point(|g| order.var(*g) < place)
}

/// For each number wanted a station of its own, in order, with the smallest distances together. Both lists ascend,
/// and there are enough stations.
fn nearest(stations: &[u32], wanted: &[u32]) -> Vec<usize> {
    let (n, m) = (wanted.len(), stations.len());
    if n == m {
        return (0..n).collect();
    }
    // cost[i][j]: the first i at some of the first j stations.
    let mut cost = vec![vec![u64::MAX; m + 1]; n + 1];
    cost[0].fill(0);
    for i in 1..=n {
        for j in i..=m {
            let here = u64::from(wanted[i - 1].abs_diff(stations[j - 1]));
            cost[i][j] = cost[i][j - 1].min(cost[i - 1][j - 1].saturating_add(here));
        }
    }
    let mut out = vec![0; n];
    let mut j = m;
    for i in (1..=n).rev() {
        while cost[i][j - 1] == cost[i][j] {
            j -= 1;
        }
        j -= 1;
        out[i - 1] = j;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cfg(text: &str) -> Cfg {
        let file = base::SourceMap::new().add("p.bp", Some(text.into()));
        let (program, _) = bp::parse(text, file, bp::Dialect::Strict).expect("the program is well-formed");
        Cfg::build(&program, None).expect("the program is well-formed").0
    }

    #[test]
    fn slots_are_those_of_one_scope() {
        let program = bp::random::template(50);
        let (cfg, _) = Cfg::build(&program, None).expect("the template is well-formed");
        for order in [Order::Affinity, Order::Declared] {
            let space = Space::new(&cfg, order);
            assert!(space.slots() <= 4);
        }
    }

    /// Pairs that are equal stand side by side, wherever they are declared.
    #[test]
    fn what_belongs_together_stands_together() {
        let body = "begin {} a0, b0 := t, t; a1, b1 := t, t; a2, b2 := t, t; a3, b3 := t, t;
            f(a1, a3); assert(a0 = b0); assert(a1 = b1); assert(a2 = b2); assert(a3 = b3); end
            void f(x, y) begin x := !x; y := x & y; end";
        for decls in ["decl a0, a1, a2, a3, t, b3, b1, b2, b0;", "decl t, a0, b0, a1, b1, a2, b2, a3, b3;"] {
            let cfg = cfg(&format!("void main() {}", body.replacen("{}", decls, 1)));
            let space = Space::new(&cfg, Order::Affinity);
            let slot = |name: &str| {
                let id = cfg.vars.ids().find(|v| cfg.vars[*v].name.as_str() == name);
                space.slot(id.expect("the variable is declared")).0
            };
            for (a, b) in [("a0", "b0"), ("a1", "b1"), ("a2", "b2"), ("a3", "b3")] {
                assert_eq!(slot(a).abs_diff(slot(b)), 1, "{a} {b} {decls}");
            }
        }
    }

    #[test]
    fn stations_are_the_nearest_in_order() {
        assert_eq!(nearest(&[0, 10, 20, 30], &[9, 15]), [1, 2]);
        assert_eq!(nearest(&[0, 10, 20, 30], &[29, 40]), [2, 3]);
        assert_eq!(nearest(&[0, 10], &[]), [] as [usize; 0]);
    }
}
