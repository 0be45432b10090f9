//! Binary decision diagrams behind a small trait, so that an engine can be exchanged or compared with another: sets and
//! relations of valuations, layered unions, expressions of boolean programs as diagrams.
//!
//! Only this crate names a library of decision diagrams; it must not know any checker. Variables are plain indices,
//! their order is the order of the indices, and it never changes. A client makes variable sets and renamings once and
//! refers to them by id.
//!
//! ```
//! use bdd::{Biodivine, Engine, Var};
//!
//! # fn main() -> Result<(), bdd::TooManyVariables> {
//! let stop = false.into();
//! let mut engine = Biodivine::new(2, &stop)?;
//! let (x, y) = (engine.var(Var(0)), engine.var(Var(1)));
//! let differ = engine.xor(&x, &y);
//! assert_eq!(engine.models(&differ), 2.0);
//!
//! let set = engine.var_set(&[Var(0)]);
//! let some = engine.exists(&differ, set);
//! assert_eq!(engine.is_constant(&some), Some(true));
//! # Ok(())
//! # }
//! ```

mod biodivine;
mod cubes;
mod dual_rail;
mod graph;
mod layered;
mod values;

pub use biodivine::Biodivine;
pub use cubes::{Cube, Cubes, cubes};
pub use dual_rail::DualRail;
pub use graph::{Graph, Node};
pub use layered::{Layer, LayeredUnion};

use std::fmt;

/// A variable; smaller ones stand nearer to the root.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u16);

/// A set of variables known to an engine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarSet(pub u32);

/// A renaming known to an engine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Renaming(pub u32);

/// More variables were requested than the engine can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyVariables {
    /// The number of variables requested.
    pub wanted: usize,
}

/// The most variables that an engine has.
pub const MAX_VARS: usize = u16::MAX as usize - 1;

impl fmt::Display for TooManyVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} decision-diagram variables are needed, at most {MAX_VARS} are possible", self.wanted)
    }
}

/// A package of decision diagrams over a fixed number of variables.
///
/// Once [`Engine::interrupted`] is true, results are meaningless: a client checks it before it draws a
/// conclusion from them.
pub trait Engine {
    /// A diagram. Equality is not offered: ask [`Engine::is_constant`] about a difference.
    type Bdd: Clone;

    /// The constant function.
    fn constant(&self, value: bool) -> Self::Bdd;
    /// The function that gives the variable's value.
    fn var(&mut self, var: Var) -> Self::Bdd;
    /// Negation.
    fn not(&mut self, f: &Self::Bdd) -> Self::Bdd;
    /// `f` and `g`.
    fn and(&mut self, f: &Self::Bdd, g: &Self::Bdd) -> Self::Bdd;
    /// `f` or `g`.
    fn or(&mut self, f: &Self::Bdd, g: &Self::Bdd) -> Self::Bdd;
    /// Some of these, joined in pairs so that no large one is built again and again.
    fn any(&mut self, mut list: Vec<Self::Bdd>) -> Self::Bdd {
        while list.len() > 1 {
            let pairs = list.chunks(2).map(|pair| match pair {
                [a, b] => self.or(a, b),
                other => other[0].clone(),
            });
            list = pairs.collect();
        }
        list.pop().unwrap_or_else(|| self.constant(false))
    }
    /// Either `f` or `g`, not both.
    fn xor(&mut self, f: &Self::Bdd, g: &Self::Bdd) -> Self::Bdd;
    /// `f` and not `g`.
    fn and_not(&mut self, f: &Self::Bdd, g: &Self::Bdd) -> Self::Bdd;
    /// Makes a set of variables known; equal sets get the same id.
    fn var_set(&mut self, vars: &[Var]) -> VarSet;
    /// Some value of the set's variables makes `f` true.
    fn exists(&mut self, f: &Self::Bdd, set: VarSet) -> Self::Bdd;
    /// Some value of the set's variables makes `f` and `g` true.
    fn and_exists(&mut self, f: &Self::Bdd, g: &Self::Bdd, set: VarSet) -> Self::Bdd;
    /// Makes a renaming known; equal renamings get the same id. Variables not named stay as they are.
    fn renaming(&mut self, pairs: &[(Var, Var)]) -> Renaming;
    /// `f` with its variables renamed, all at once. It must not change the order of variables on which `f`
    /// depends; an engine may panic when it does.
    fn rename(&mut self, f: &Self::Bdd, renaming: Renaming) -> Self::Bdd;
    /// `f` with these variables fixed.
    fn restrict(&mut self, f: &Self::Bdd, values: &[(Var, bool)]) -> Self::Bdd;
    /// The constant that `f` is, if it is one.
    fn is_constant(&self, f: &Self::Bdd) -> Option<bool>;
    /// The number of nodes, terminals included.
    fn size(&self, f: &Self::Bdd) -> usize;
    /// Values that make `f` true whatever the other variables are; `None` when nothing does. Prefers 0.
    fn witness(&self, f: &Self::Bdd) -> Option<Cube>;
    /// The variables on which `f` depends, in order.
    fn support(&self, f: &Self::Bdd) -> Vec<Var>;
    /// How many valuations of the variables on which `f` depends make it true.
    fn models(&self, f: &Self::Bdd) -> f64;
    /// The diagram itself, reduced: no two nodes are alike, and none has two equal children.
    fn graph(&self, f: &Self::Bdd) -> Graph;
    /// The values that these variables, which are in order, can have where `f` is true, in order; `None` when
    /// there are more than `most`. Made for variables near the root: nothing below the last one is examined.
    fn values(&self, f: &Self::Bdd, vars: &[Var], most: usize) -> Option<Vec<Vec<bool>>> {
        let graph = self.graph(f);
        let step = |at: usize| match at.checked_sub(2) {
            None => values::Step::Constant(at == 1),
            Some(k) => values::Step::Ask(graph.nodes[k].var, graph.nodes[k].low, graph.nodes[k].high),
        };
        values::values(graph.root, step, vars, most)
    }
    /// Whether the flag given to the engine was seen set during an operation.
    fn interrupted(&self) -> bool;
    /// Whether results are meaningless because there was no room for more nodes, and for no other reason.
    fn exhausted(&self) -> bool {
        false
    }
    /// How many nodes all results had together so far.
    fn nodes_made(&self) -> u64;

    /// Whether all these variables have these values.
    fn cube(&mut self, values: &[(Var, bool)]) -> Self::Bdd {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        let mut out = self.constant(true);
        for (var, value) in sorted.into_iter().rev() {
            let literal = self.var(var);
            out = if value { self.and(&literal, &out) } else { self.and_not(&out, &literal) };
        }
        out
    }

    /// `f` exactly when `g`.
    fn iff(&mut self, f: &Self::Bdd, g: &Self::Bdd) -> Self::Bdd {
        let differ = self.xor(f, g);
        self.not(&differ)
    }

    /// Whether `f` is the constant 0.
    fn is_zero(&self, f: &Self::Bdd) -> bool {
        self.is_constant(f) == Some(false)
    }

    /// Whether `f` implies `g`.
    fn implies(&mut self, f: &Self::Bdd, g: &Self::Bdd) -> bool {
        let rest = self.and_not(f, g);
        self.is_zero(&rest)
    }
}

/// `f` with variables renamed, all at once, in whatever order: dearer than [`Engine::rename`], which is for renamings
/// that keep the order. New names must be distinct.
pub fn permute<E: Engine>(engine: &mut E, f: &E::Bdd, pairs: &[(Var, Var)]) -> E::Bdd {
    let graph = engine.graph(f);
    let mut made = vec![engine.constant(false), engine.constant(true)];
    for node in &graph.nodes {
        let var = pairs.iter().find(|(from, _)| *from == node.var).map_or(node.var, |(_, to)| *to);
        let var = engine.var(var);
        let high = engine.and(&var, &made[node.high]);
        let low = engine.and_not(&made[node.low], &var);
        let both = engine.or(&high, &low);
        made.push(both);
    }
    made.swap_remove(graph.root)
}
