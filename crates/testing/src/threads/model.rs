//! Random threads. They share `x`, `y`, the array `a` of two elements and the pointer `p`; each thread has a
//! number `r`, a counter `k` and a pointer `q` of its own.

use crate::Dice;

/// A number's place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The place of `x`, which is shared.
    X,
    /// The place of `y`, which is shared.
    Y,
    /// The place of the thread's own number.
    R,
    /// An element of the array, by its number.
    Element(usize),
    /// The element whose number the counter is.
    Counted,
    /// The target of a pointer.
    At(Pointer),
}

/// A pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pointer {
    /// The one that is shared.
    Shared,
    /// The thread's.
    Own,
}

impl Pointer {
    /// Its name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Pointer::Shared => "p",
            Pointer::Own => "q",
        }
    }

    /// The one that it is copied from.
    pub fn other(self) -> Pointer {
        match self {
            Pointer::Shared => Pointer::Own,
            Pointer::Own => Pointer::Shared,
        }
    }
}

/// The names of locks in texts.
pub const LOCKS: [&str; 2] = ["m", "n"];

/// A number.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number.
    Number(i128),
    /// The contents of a place.
    Of(Place),
    /// The sum of what stands at two places.
    Sum(Place, Place),
}

/// Whether two values are equal, or differ.
#[derive(Clone, Debug)]
pub enum Condition {
    /// Two numbers.
    Numbers {
        /// One of them.
        left: Place,
        /// They are equal.
        equal: bool,
        /// The other.
        right: Value,
    },
    /// The thread's own pointer leads there, to a place other than a pointer.
    Leads {
        /// It does.
        equal: bool,
        /// The place.
        to: Place,
    },
}

impl Condition {
    /// Whether they are equal, and do not differ.
    pub fn is_equal(&self) -> bool {
        match self {
            Condition::Numbers { equal, .. } | Condition::Leads { equal, .. } => *equal,
        }
    }
}

/// The statements of a thread.
#[derive(Clone, Debug)]
pub enum Statement {
    /// A number gets a value, if that is not too large.
    Set(Place, Value),
    /// The pointer leads there from now on.
    Point(Pointer, Place),
    /// One pointer becomes the other.
    Copy(Pointer),
    /// Under a condition.
    If(Condition, Vec<Statement>),
    /// Nothing, as long as the condition holds.
    While(Condition),
    /// Once with the counter 0 and once with 1.
    Twice(Vec<Statement>),
    /// While no other thread does anything.
    Atomic(Vec<Statement>),
    /// Blocks until the condition holds.
    Wait(Condition),
    /// The condition is to hold.
    Check(Condition),
    /// Waits until the lock of this number is free, and takes it.
    Acquire(usize),
    /// Frees the lock, whoever has it.
    Release(usize),
}

/// The features that may occur.
#[derive(Clone, Copy)]
pub struct Features {
    /// Pointers and arrays.
    pub pointers: bool,
    /// Locks.
    pub locks: bool,
    /// Waits for conditions.
    pub waits: bool,
}

/// Makes random threads.
pub struct Generator<'a> {
    /// The source of decisions.
    pub dice: &'a mut Dice,
    /// The features that may occur.
    pub features: Features,
}

impl Generator<'_> {
    fn place(&mut self) -> Place {
        let simple = [Place::X, Place::Y, Place::R][self.dice.below(3)];
        if !self.features.pointers || self.dice.one_in(2) {
            return simple;
        }
        match self.dice.below(4) {
            0 => Place::Element(self.dice.below(2)),
            1 => Place::Counted,
            2 => Place::At(Pointer::Shared),
            _ => Place::At(Pointer::Own),
        }
    }

    /// A target for a pointer.
    fn target(&mut self) -> Place {
        match self.dice.below(4) {
            0 => Place::X,
            1 => Place::Y,
            2 => Place::Element(self.dice.below(2)),
            _ => Place::Counted,
        }
    }

    fn pointer(&mut self) -> Pointer {
        if self.dice.one_in(2) { Pointer::Own } else { Pointer::Shared }
    }

    fn value(&mut self) -> Value {
        match self.dice.below(4) {
            0 | 1 => Value::Number(self.dice.below(3) as i128),
            2 => Value::Of(self.place()),
            _ => Value::Sum(self.place(), self.place()),
        }
    }

    fn condition(&mut self) -> Condition {
        let equal = self.dice.one_in(2);
        if self.features.pointers && self.dice.one_in(5) {
            return Condition::Leads { equal, to: self.target() };
        }
        let right = if self.dice.one_in(3) {
            Value::Of(self.place())
        } else {
            Value::Number(self.dice.below(3) as i128)
        };
        Condition::Numbers { left: self.place(), equal, right }
    }

    /// Some statements; `deep`: with others in them.
    pub fn statements(&mut self, most: usize, deep: bool) -> Vec<Statement> {
        (0..=self.dice.below(most)).map(|_| self.statement(deep)).collect()
    }

    fn statement(&mut self, deep: bool) -> Statement {
        if self.features.pointers && self.dice.one_in(3) {
            return match self.dice.below(if deep { 5 } else { 3 }) {
                0 | 1 => Statement::Point(self.pointer(), self.target()),
                2 => Statement::Copy(self.pointer()),
                _ => Statement::Twice(self.statements(2, false)),
            };
        }
        if self.features.locks && deep && self.dice.one_in(2) {
            let lock = self.dice.below(2);
            return if self.dice.one_in(3) { Statement::Release(lock) } else { Statement::Acquire(lock) };
        }
        match self.dice.below(if deep { 10 } else { 5 }) {
            0..=2 => Statement::Set(self.place(), self.value()),
            3 => Statement::Check(self.condition()),
            4 => Statement::If(self.condition(), self.statements(2, false)),
            5 if self.features.waits => Statement::Wait(self.condition()),
            5 => Statement::Check(self.condition()),
            6 => Statement::While(self.condition()),
            7 => Statement::Atomic(self.statements(3, false)),
            8 => Statement::If(self.condition(), self.statements(2, true)),
            _ => {
                let shared = [Place::X, Place::Y];
                let [to, a, b] = [0; 3].map(|_| shared[self.dice.below(2)]);
                Statement::Set(to, Value::Sum(a, b))
            }
        }
    }
}
