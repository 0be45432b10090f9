//! What a formula may mention without declaring it: types, constants and relations that a model gives.
//!
//! A *class* is a type whose values are plain bit vectors: every value of a formula is made of such parts. The model
//! also says in which order the bits stand in decision diagrams.

use bdd::{Engine, Var};

/// A class given by a model: its values are all vectors of its number of bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Class {
    /// The name of the type.
    pub name: &'static str,
    /// How many bits a value has.
    pub bits: usize,
}

/// A range of numbers that a model gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// The name of the type.
    pub name: &'static str,
    /// The least value.
    pub low: u32,
    /// The largest value, not less.
    pub high: u32,
}

/// A structure that a model gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Structure {
    /// The name of the type.
    pub name: &'static str,
    /// Names and types of the fields.
    pub fields: Vec<(&'static str, &'static str)>,
}

/// A relation that a model gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// Its name.
    pub name: &'static str,
    /// The types of its parameters.
    pub params: Vec<&'static str>,
}

/// In which order relations over a class are best worked on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flow {
    /// The class.
    pub class: usize,
    /// For each value its place in the order: what is found with the least one is examined first.
    pub ranks: Vec<u32>,
}

/// Everything that a model gives.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Prelude {
    /// Constants.
    pub constants: Vec<(&'static str, u32)>,
    /// Classes.
    pub classes: Vec<Class>,
    /// Ranges.
    pub ranges: Vec<Range>,
    /// Structures, each after those that it is made of.
    pub structures: Vec<Structure>,
    /// Relations.
    pub inputs: Vec<Input>,
    /// Bits of classes, as pairs of a class and a position, in the order in which they stand in diagrams. What is not
    /// mentioned stands above them.
    pub order: Vec<(usize, usize)>,
    /// The order of work, where the model knows a good one.
    pub flow: Option<Flow>,
}

/// The parts of an argument: for each class in it, the diagram variables of its bits.
pub type Part = Vec<Var>;

/// A model: relations as decision diagrams.
pub trait Model {
    /// What it gives.
    fn prelude(&self) -> Prelude;

    /// The relation with this number in the prelude, over these parts of its arguments one after the other.
    fn relation<E: Engine>(&self, engine: &mut E, relation: usize, parts: &[Part]) -> E::Bdd;
}
