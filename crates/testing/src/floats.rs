//! Random C expressions on floating-point numbers and integers, without undefined behaviour whatever the
//! variables hold. Nothing in them depends on what the standard leaves open: which zero `fmin` gives, or the
//! sign of a NaN.

use crate::Dice;

/// Which operations the expressions have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatForms {
    /// All, rounded to nearest.
    Nearest,
    /// Operations that another mode of rounding changes, or that it leaves alone.
    AnyMode,
    /// Arithmetic, conversions, and functions that are one operation.
    Plain,
}

/// Makes expressions.
pub struct Floats {
    dice: Dice,
    forms: FloatForms,
}

/// Functions of one number, of two numbers, and with an integer behind the number.
const ONE: [&str; 7] = ["fabs", "sqrt", "floor", "ceil", "trunc", "round", "rint"];
const OTHER_ONE: [&str; 3] = ["nearbyint", "logb", "cube"];
const TWO: [&str; 4] = ["copysign", "fmod", "remainder", "nextafter"];
const ROUNDED_TWO: [&str; 1] = ["fdim"];

impl Floats {
    /// The expressions of a seed.
    pub fn new(seed: u64, forms: FloatForms) -> Floats {
        Floats { dice: Dice::new(seed), forms }
    }

    /// The declarations that expressions need: the variables that they mention, and functions.
    pub fn declarations() -> &'static str {
        "#include <math.h>\n#include <string.h>\nstatic float f, g;\nstatic double d, e;\nstatic int i;\nstatic unsigned u;\nstatic long l;\n\
         static double v[4];\nstatic union { float f; unsigned u; } w;\n\
         static double cube(double x) { return x * x * x; }\n\
         static float cubef(float x) { return x * x * x; }\n"
    }

    /// Values for the variables, as assignments: near the borders of everything, or ordinary.
    pub fn values(&mut self) -> String {
        const NUMBERS: [&str; 16] = [
            "0.0",
            "-0.0",
            "1.0",
            "-1.5",
            "0.1",
            "-0.3",
            "2.5",
            "1e10",
            "-7.75",
            "0x1p-149",
            "0x1p-1074",
            "1e300",
            "0x1.fffffep+127",
            "0x1.fffffffffffffp+1023",
            "INFINITY",
            "-INFINITY",
        ];
        let number = |dice: &mut Dice| match dice.below(3) {
            0 => dice.word(&NUMBERS).to_owned(),
            1 => format!("{}.0 / {}.0", dice.within(-1000, 1000), dice.within(1, 99)),
            _ => {
                let sign = if dice.below(2) == 0 { "-" } else { "" };
                format!("{sign}0x1.{:013x}p{}", dice.below(1 << 52), dice.within(-60, 60))
            }
        };
        let dice = &mut self.dice;
        let [f, g, d, e] = std::array::from_fn(|_| number(dice));
        let (i, u) = (dice.within(-(1 << 31), (1 << 31) - 1), dice.below(1 << 32));
        let l = dice.bits().cast_signed() >> dice.within(1, 62);
        format!("f = (float)({f}), g = (float)({g}), d = {d}, e = {e}, i = (int)({i}LL), u = {u}u, l = {l}L")
    }

    /// An expression of type `double`.
    pub fn double(&mut self, depth: u32) -> String {
        self.number(depth, true)
    }

    fn number(&mut self, depth: u32, wide: bool) -> String {
        let suffix = if wide { "" } else { "f" };
        if depth == 0 || self.dice.below(8) == 0 {
            // Operations on constants alone are computed by the compiler, in its own mode.
            let constants = if self.forms == FloatForms::AnyMode { 0 } else { 2 };
            let leaves = if wide { ["d", "e", "0.1", "3.0"] } else { ["f", "g", "0.1f", "3.0f"] };
            return self.dice.word(&leaves[..2 + constants]).to_owned();
        }
        let depth = depth - 1;
        match self.dice.below(12) {
            0..=3 => {
                let op = self.dice.word(&["+", "-", "*", "/"]);
                let (l, r) = (self.number(depth, wide), self.number(depth, wide));
                format!("({l} {op} {r})")
            }
            4 => format!("(-{})", self.number(depth, wide)),
            5 => {
                let ty = if wide { "double" } else { "float" };
                format!("({ty}){}", self.number(depth, !wide))
            }
            6 => {
                let ty = if wide { "double" } else { "float" };
                format!("({ty}){}", self.integer(depth))
            }
            7 => {
                let (c, l, r) = (self.condition(depth), self.number(depth, wide), self.number(depth, wide));
                format!("({c} ? {l} : {r})")
            }
            8 | 9 => {
                let all = if self.forms == FloatForms::Plain {
                    ONE.to_vec()
                } else {
                    [&ONE[..], &OTHER_ONE].concat()
                };
                format!("{}{suffix}({})", self.dice.of(&all), self.number(depth, wide))
            }
            10 if self.forms != FloatForms::Plain => {
                let exact = self.forms == FloatForms::AnyMode;
                let all = if exact { TWO.to_vec() } else { [&TWO[..], &ROUNDED_TWO].concat() };
                let function = *self.dice.of(&all);
                // The sign of a NaN is unspecified.
                let least = if function == "copysign" { 0 } else { depth };
                let (l, r) = (self.number(depth, wide), self.number(least, wide));
                format!("{function}{suffix}({l}, {r})")
            }
            11 if self.forms == FloatForms::Nearest => match self.dice.below(2) {
                0 => {
                    let (a, b, c) =
                        (self.number(depth, wide), self.number(depth, wide), self.number(depth, wide));
                    format!("fma{suffix}({a}, {b}, {c})")
                }
                _ => format!("ldexp{suffix}({}, {} % 300)", self.number(depth, wide), self.integer(depth)),
            },
            _ => format!("{}{suffix}({})", self.dice.of(&ONE), self.number(depth, wide)),
        }
    }

    /// Statements about the variables, an array `v` of four numbers, and `w`, which is a number and its bits.
    pub fn statements(&mut self, count: usize, depth: u32) -> String {
        (0..count).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: u32) -> String {
        let kinds = if depth == 0 { 7 } else { 10 };
        match self.dice.below(kinds) {
            0 | 1 => {
                let name = self.dice.word(&["d", "e", "v[u % 4]", "v[l & 3]"]);
                format!("{name} = {};\n", self.number(2, true))
            }
            2 => format!("{} = {};\n", self.dice.word(&["f", "g", "w.f"]), self.number(2, false)),
            3 => format!("{} = {};\n", self.dice.word(&["i", "u", "l"]), self.integer(2)),
            // The bits of a NaN are unspecified.
            4 => "w.f = f; if (f == f) u = w.u;\n".to_owned(),
            5 => "w.u = u; g = w.f;\n".to_owned(),
            6 => "if (d == d) memcpy(&l, &d, 8);\n".to_owned(),
            7 => {
                let (c, yes, no) =
                    (self.condition(2), self.statements(2, depth - 1), self.statement(depth - 1));
                format!("if {c} {{\n{yes}}} else {{\n{no}}}\n")
            }
            8 => {
                let (turns, body) = (self.dice.below(5), self.statements(2, depth - 1));
                format!("for (int k{depth} = 0; k{depth} < {turns}; k{depth}++) {{\n{body}}}\n")
            }
            _ => {
                let n = self.dice.within(2, 9);
                format!("for (int k{depth} = 0; d > 1 && k{depth} < 30; k{depth}++) d = d / {n};\n")
            }
        }
    }

    /// A condition whose value is specified even if an operand is a NaN.
    fn condition(&mut self, depth: u32) -> String {
        let wide = self.dice.below(2) == 0;
        let (l, r) = (self.number(depth, wide), self.number(depth, wide));
        format!("({l} {} {r})", self.dice.word(&["<", "<=", "==", "!=", ">", ">="]))
    }

    /// An expression of an integer type.
    fn integer(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.dice.word(&["i", "u", "l", "7", "33554435"]).to_owned();
        }
        match self.dice.below(4) {
            0 => self.condition(depth - 1),
            1 => {
                let v = self.number(depth - 1, self.forms != FloatForms::Plain);
                let (ty, bound) = *self.dice.of(&[("int", "2e9"), ("long", "9e18"), ("short", "3e4")]);
                format!("({v} > -{bound} && {v} < {bound} ? ({ty}){v} : ({ty})5)")
            }
            2 if self.forms != FloatForms::Plain => {
                let v = self.number(depth - 1, true);
                let function = self.dice.word(&["lrint", "lround", "llrint", "llround"]);
                format!("({v} > -9e18 && {v} < 9e18 ? {function}({v}) : 5)")
            }
            _ => self.integer(depth - 1),
        }
    }
}
