//! Random threads. Shared are `x`, `y`, the array `a` of two elements and the pointer `p`; each thread has a number `r`, a
//! counter `k` and a pointer `q` of its own.

use testing::Dice;

/// A number's place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    X,
    Y,
    R,
    /// An element of the array, by its number.
    Element(usize),
    /// The element whose number the counter is.
    Counted,
    /// Where a pointer leads.
    At(Pointer),
}

/// A pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pointer {
    Shared,
    Own,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Number(i128),
    Of(Place),
    Sum(Place, Place),
}

#[derive(Clone, Debug)]
pub(super) enum Condition {
    Numbers {
        left: Place,
        equal: bool,
        right: Value,
    },
    /// The thread's own pointer leads there, which is no place that a pointer leads to.
    Leads {
        equal: bool,
        to: Place,
    },
}

impl Condition {
    pub(super) fn is_equal(&self) -> bool {
        match self {
            Condition::Numbers { equal, .. } | Condition::Leads { equal, .. } => *equal,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Statement {
    Set(Place, Value),
    /// The pointer leads there from now on.
    Point(Pointer, Place),
    /// One pointer becomes the other.
    Copy(Pointer),
    If(Condition, Vec<Statement>),
    While(Condition),
    /// Once with the counter 0 and once with 1.
    Twice(Vec<Statement>),
    Atomic(Vec<Statement>),
    Wait(Condition),
    Check(Condition),
    /// Waits until the lock of this number is free, and takes it.
    Acquire(usize),
    Release(usize),
}

/// What may occur.
#[derive(Clone, Copy)]
pub(super) struct Features {
    /// Pointers and arrays.
    pub(super) pointers: bool,
    /// Locks.
    pub(super) locks: bool,
}

pub(super) struct Generator<'a> {
    pub(super) dice: &'a mut Dice,
    pub(super) features: Features,
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

    /// What a pointer may lead to.
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

    pub(super) fn statements(&mut self, most: usize, deep: bool) -> Vec<Statement> {
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
            5 => Statement::Wait(self.condition()),
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
