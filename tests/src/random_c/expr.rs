//! Expressions without side effects, over the places that a function can read.

use testing::Dice;

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Int {
    /// As C writes it.
    pub name: &'static str,
    /// What follows `__VERIFIER_nondet_`.
    pub suffix: &'static str,
    /// It is signed and has at most 32 bits, or is promoted to such a type.
    pub small: bool,
    /// Its least value that inputs are limited to.
    pub low: i64,
}

/// The types, `int` first.
pub(super) const INTS: [Int; 10] = [
    Int { name: "int", suffix: "int", small: true, low: -40 },
    Int { name: "unsigned int", suffix: "uint", small: false, low: 0 },
    Int { name: "signed char", suffix: "char", small: true, low: -40 },
    Int { name: "unsigned char", suffix: "uchar", small: true, low: 0 },
    Int { name: "short", suffix: "short", small: true, low: -40 },
    Int { name: "unsigned short", suffix: "ushort", small: true, low: 0 },
    Int { name: "long", suffix: "long", small: false, low: -40 },
    Int { name: "unsigned long", suffix: "ulong", small: false, low: 0 },
    Int { name: "_Bool", suffix: "bool", small: true, low: 0 },
    Int { name: "char", suffix: "char", small: true, low: -40 },
];

/// `int`.
pub(super) const INT: Int = INTS[0];

/// A type, `int` half of the time.
pub(super) fn any_type(dice: &mut Dice) -> Int {
    if dice.one_in(2) { INT } else { *dice.of(&INTS) }
}

/// Something that holds an integer.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// As C writes it.
    pub text: String,
    pub ty: Int,
    /// Statements may change it (a loop's counter is left alone).
    pub writable: bool,
    /// It is a variable or a member of one: the same object whatever happens.
    pub fixed: bool,
    /// It is a variable, and its address may be taken.
    pub addressable: bool,
}

/// What expressions are made of.
pub(super) struct Words<'a> {
    pub dice: &'a mut Dice,
    pub places: &'a [Place],
    /// Bit operations are used.
    pub bits: bool,
}

impl Words<'_> {
    /// A constant, mostly small.
    pub(super) fn constant(&mut self) -> String {
        match self.dice.below(12) {
            0 => format!("{}U", self.dice.below(20)),
            1 => (*self.dice.of(&["100", "127", "128", "255", "256", "32767", "65535", "2147483647"])).into(),
            2 => format!("({})", -self.dice.within(1, 9)),
            _ => self.dice.below(12).to_string(),
        }
    }

    /// What some place holds.
    fn place(&mut self) -> String {
        self.dice.of(self.places).text.clone()
    }

    /// An expression of at most that depth.
    pub(super) fn expr(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.one_in(4) {
            return if self.dice.one_in(3) { self.constant() } else { self.place() };
        }
        self.operation(depth)
    }

    /// The same, but no constant expression: compilers compute these, and no run traps where they overflow.
    fn varying(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.one_in(4) { self.place() } else { self.operation(depth) }
    }

    fn operation(&mut self, depth: usize) -> String {
        let depth = depth - 1;
        if self.bits && self.dice.one_in(2) {
            return self.bitwise(depth);
        }
        match self.dice.below(12) {
            0..=2 => format!("({} + {})", self.varying(depth), self.expr(depth)),
            3 | 4 => format!("({} - {})", self.expr(depth), self.varying(depth)),
            5 => format!("({} * {})", self.varying(depth), self.dice.within(2, 5)),
            6 => format!("({} % {})", self.varying(depth), self.dice.within(2, 9)),
            7 => format!("({} / {})", self.varying(depth), self.dice.within(2, 9)),
            8 => format!("(({}){})", any_type(self.dice).name, self.varying(depth)),
            9 => format!("(-{})", self.varying(depth)),
            10 => format!("({} ? {} : {})", self.condition(depth), self.varying(depth), self.varying(depth)),
            _ => format!("({})", self.condition(depth)),
        }
    }

    fn bitwise(&mut self, depth: usize) -> String {
        match self.dice.below(7) {
            0 => format!("({} & {})", self.varying(depth), self.expr(depth)),
            1 => format!("({} | {})", self.varying(depth), self.expr(depth)),
            2 => format!("({} ^ {})", self.varying(depth), self.expr(depth)),
            3 => format!("(~{})", self.varying(depth)),
            4 => format!("({} >> {})", self.varying(depth), self.dice.below(8)),
            5 => format!("((unsigned){} << {})", self.varying(depth), self.dice.below(8)),
            _ => format!("({} & {})", self.varying(depth), self.dice.of(&[1, 3, 7, 8, 15, 127, 255])),
        }
    }

    /// An expression used as a condition.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.dice.one_in(4) {
            return match self.dice.below(3) {
                0 => format!("({} && {})", self.condition(depth - 1), self.condition(depth - 1)),
                1 => format!("({} || {})", self.condition(depth - 1), self.condition(depth - 1)),
                _ => format!("!({})", self.condition(depth - 1)),
            };
        }
        let relation = *self.dice.of(&["<", "<=", ">", ">=", "==", "!="]);
        match self.dice.below(6) {
            0 => self.place(),
            1 | 2 => format!("{} {relation} {}", self.place(), self.place()),
            3 => format!("{} {relation} {}", self.varying(depth), self.expr(0)),
            _ => format!("{} {relation} {}", self.place(), self.constant()),
        }
    }

    /// An index below `bound`.
    pub(super) fn index(&mut self, bound: usize) -> String {
        if self.dice.one_in(2) {
            return self.dice.below(bound).to_string();
        }
        format!("(unsigned){} % {bound}U", self.expr(1))
    }
}
