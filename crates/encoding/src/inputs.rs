//! Values of what a path does not determine.

use ir::{EdgeId, ProcId};

/// The value of one arbitrary input.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum InputValue {
    /// An integer within its type.
    Int(i128),
    /// A floating-point number.
    Float(f64),
    /// The null pointer.
    Null,
    /// A pointer to something, by its address in the model.
    Address(i128),
    /// A pointer that is a number where no object lies, such as an error code: below the first page that holds objects.
    Number(i128),
}

/// One arbitrary input on a path, in the path's order.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Input {
    /// The procedure.
    pub proc: ProcId,
    /// The edge: a havoc, a call of an undefined function, or an allocation that may fail (1 when it does).
    pub edge: EdgeId,
    /// Its value.
    pub value: InputValue,
}

/// What the path found in memory that nothing on it had written, such as a new object.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Unwritten {
    /// The step that reads.
    pub step: usize,
    /// Bytes from the start of the object.
    pub offset: u64,
    /// Its value.
    pub value: InputValue,
}

/// All that an execution of a path depends on.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Inputs {
    /// The arbitrary inputs on the path, in order.
    pub values: Vec<Input>,
    /// Values of memory, in the order of the steps.
    pub memory: Vec<Unwritten>,
}
