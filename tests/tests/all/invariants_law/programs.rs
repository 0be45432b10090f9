//! Random programs with loops that keep a relation: of polynomials (sums, squares, cubes, products) or of the form ±x ±y <= c. In
//! half of them the assertion is changed, so that it fails for some input.

use std::fmt::Write;
use testing::Dice;

/// A program. Its inputs are the number of iterations and another number, both within bounds, and truth values after these.
pub(super) struct Looping {
    /// What the loop keeps.
    pub(super) kind: &'static str,
    /// The most turns of its outer loop.
    pub(super) most: i64,
    /// The values of the other input.
    pub(super) values: (i64, i64),
    /// Whether it asks for truth values.
    pub(super) chooses: bool,
    /// Conditions about the outer loop, some of which hold.
    pub(super) candidates: Vec<String>,
    /// The lines of `main`, with `@0` and so on where a loop evaluates its condition.
    lines: Vec<String>,
}

/// The variables of the programs.
pub(super) const VARIABLES: [&str; 10] = ["n", "a", "i", "j", "s", "x", "y", "z", "p", "q"];

/// What loops keep.
struct Kept {
    kind: &'static str,
    start: &'static str,
    /// The body of the loop, without the counter.
    body: String,
    /// An equation or a bound: its sides.
    sides: (String, String),
    is_bound: bool,
    chooses: bool,
}

impl Looping {
    /// The program of a seed.
    pub(super) fn new(seed: u64) -> Looping {
        let mut dice = Dice::new(seed.wrapping_mul(0x9e37_79b9).wrapping_add(17));
        let most = *dice.of(&[6, 60, 1000]);
        let (low, high) = (dice.within(-3, 0), dice.within(1, 4));
        let Kept { kind, start, body, sides, is_bound, chooses } =
            if dice.one_in(2) { polynomial(&mut dice) } else { octagonal(&mut dice) };
        let (left, right) = &sides;
        let candidates = vec![
            format!("{left} == {right}"),
            format!("{left} <= {right}"),
            format!("{left} >= {right}"),
            format!("{left} == {right} + (i == {})", dice.within(0, most)),
            format!("{left} <= {right} - (i >= {})", dice.within(0, most)),
            format!("i < {}", dice.within(1, most + 1)),
            "i <= n".to_owned(),
            "i < n".to_owned(),
        ];
        let assertion = asserted(&mut dice, &sides, is_bound, most);
        let mut lines = vec![
            "int n = input(), a = input();".to_owned(),
            "long long i = 0, j = 0, s = 0, x = 0, y = 0, z = 0, p = 0, q = 0;".to_owned(),
            format!("if (n < 0 || n > {most} || a < {low} || a > {high}) return 0;"),
            start.to_owned(),
            "while (@0 i < n) {".to_owned(),
        ];
        lines.extend(body.lines().map(|line| format!("    {line}")));
        lines.push("    i = i + 1;".into());
        if dice.one_in(4) {
            lines.push(format!("    assert({assertion});"));
        }
        lines.push("}".into());
        lines.push(format!("assert({assertion});"));
        lines.push("return 0;".into());
        Looping { kind, most, values: (low, high), chooses, candidates, lines }
    }

    /// How many loops it has.
    pub(super) fn heads(&self) -> usize {
        self.lines.iter().filter(|line| line.contains('@')).count()
    }

    /// The line of the body in which the condition of a loop stands, from 1.
    pub(super) fn line_of(&self, head: usize) -> usize {
        let mark = format!("@{head} ");
        1 + self.lines.iter().position(|line| line.contains(&mark)).expect("the loop is there")
    }

    /// The lines of `main`, with something before the condition of each loop.
    pub(super) fn body(&self, heads: &[String]) -> String {
        self.lines.iter().fold(String::new(), |mut out, line| {
            let mut line = line.clone();
            for (n, head) in heads.iter().enumerate() {
                line = line.replace(&format!("@{n} "), head);
            }
            let _ = writeln!(out, "{line}");
            out
        })
    }
}

fn polynomial(dice: &mut Dice) -> Kept {
    let (c, d) = (dice.within(1, 4), dice.within(-3, 3));
    let kept = |kind, start, body: String, left: &str, right: String| Kept {
        kind,
        start,
        body,
        sides: (left.to_owned(), right),
        is_bound: false,
        chooses: false,
    };
    match dice.below(9) {
        0 => kept(
            "sum",
            ";",
            format!("s = s + {c} * i + {d};"),
            "2 * s",
            format!("{c} * i * (i - 1) + {} * i", 2 * d),
        ),
        1 => kept("squares", ";", "s = s + i * i;".into(), "6 * s", "i * (i - 1) * (2 * i - 1)".into()),
        2 => kept("square", ";", format!("s = s + 2 * i + 1; x = x + {c};"), "s", "i * i".into()),
        3 => kept(
            "cube",
            "y = 1; z = 6;",
            "x = x + y;\ny = y + z;\nz = z + 6;".into(),
            "x",
            "i * i * i".into(),
        ),
        4 => kept("product", ";", format!("p = p + a + {d};"), "p", format!("(a + {d}) * i")),
        5 => kept("two sums", ";", "s = s + i;\nx = x + s;".into(), "6 * x", "i * (i - 1) * (i + 1)".into()),
        6 => kept(
            "difference",
            "x = n; y = 0;",
            format!("x = x - 1;\ny = y + {c};\np = p + x;"),
            "y",
            format!("{c} * (n - x)"),
        ),
        7 => kept("quotient", "q = 0;", format!("q = q + 1;\ns = s + {c} * a;"), "s", format!("q * a * {c}")),
        _ => kept(
            "nested",
            ";",
            "j = 0;\nwhile (@1 j < i) {\n    s = s + 1;\n    j = j + 1;\n}".into(),
            "2 * s",
            "i * (i - 1)".into(),
        ),
    }
}

fn octagonal(dice: &mut Dice) -> Kept {
    let c = dice.within(1, 3);
    let kept = |kind, start, body: String, left: &str, right: String| Kept {
        kind,
        start,
        body,
        sides: (left.to_owned(), right),
        is_bound: true,
        chooses: true,
    };
    match dice.below(6) {
        0 => kept(
            "x + y",
            ";",
            format!("if (input()) x = x + {c}; else y = y + {c};"),
            "x + y",
            format!("{c} * i"),
        ),
        1 => kept("x - y", ";", format!("x = x + {c};\nif (input()) y = y + {c};"), "y - x", "0".into()),
        2 => kept("-x - y", ";", "if (input()) x = x - 1; else y = y - 1;".into(), "-x - y", "i".into()),
        3 => kept("x - n", "x = n;", "if (input()) x = x - 1;".into(), "n - x", "i".into()),
        4 => kept(
            "a and x",
            "x = a; y = a;",
            format!("if (input()) {{ x = x + {c}; y = y - {c}; }}"),
            "x + y",
            "2 * a".into(),
        ),
        _ => kept(
            "two steps",
            ";",
            "x = x + 1;\ny = y + 1;\nif (input()) y = y - 1;".into(),
            "y - x",
            "0".into(),
        ),
    }
}

/// What is asserted: that it is kept, or something that fails sometimes.
fn asserted(dice: &mut Dice, (left, right): &(String, String), is_bound: bool, most: i64) -> String {
    let op = if is_bound { "<=" } else { "==" };
    if dice.one_in(2) {
        return format!("{left} {op} {right}");
    }
    match (is_bound, dice.below(3)) {
        (true, 0) => format!("{left} < {right}"),
        (true, 1) => format!("{left} <= {right} - (i == {})", dice.within(0, most)),
        (true, _) => format!("{left} <= {right} - 1"),
        (false, 0) => format!("{left} == {right} + (i == {})", dice.within(0, most)),
        (false, 1) => format!("{left} == {right} + (i > {})", dice.within(0, most - 1)),
        (false, _) => format!("{left} + i == {right}"),
    }
}
