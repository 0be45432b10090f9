//! `--evaluation-order gcc` is the order of gcc: random programs whose calls leave a trace and change what other
//! operands read are compiled by gcc 12, with and without optimisation, and their results are compared.
//!
//! - The result of the compiled program is possible.
//! - Where the order is settled (no operation with a constant, sign, comma or compound assignment among operands), nothing else is.
//!
//! `ORDER_PROGRAMS` is the number of programs and `ORDER_FIRST` the first seed; the figures are printed (`--nocapture`).

#![allow(clippy::print_stdout, reason = "the figures are what a long run is for")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;
use testing::{Dice, Scratch, number};
use tests::{binary, parallel};

/// The release whose order the option describes.
const RELEASE: &str = "12";

/// Programs in one file.
const TOGETHER: usize = 25;

/// Executions of each program in the interpreter.
const RUNS: u64 = 6;

/// Objects of each type that functions change.
const OBJECTS: usize = 6;

/// A type of operands: the letter in names, and how C writes it.
type Kind = (&'static str, &'static str);

const INT: Kind = ("i", "int");

const KINDS: [Kind; 6] =
    [INT, ("u", "unsigned"), ("l", "long"), ("m", "unsigned long"), ("c", "signed char"), ("d", "double")];

/// A random program.
struct Program {
    /// The statements, with names that end in the number of the program.
    body: String,
    /// No statement has an operand whose order is open.
    settled: bool,
}

/// Draws a program.
struct Draw {
    dice: Dice,
    settled: bool,
    /// How many objects of each kind were changed in this statement, each once at most.
    used: BTreeMap<&'static str, usize>,
    /// The number that the next call leaves.
    next: usize,
}

impl Draw {
    fn number(&mut self) -> usize {
        self.next = self.next % 9 + 1;
        self.next
    }

    /// A type; in settled programs none that is narrower than `int`.
    fn kind(&mut self) -> Kind {
        let kind = if self.dice.one_in(2) { INT } else { *self.dice.of(&KINDS) };
        if self.settled && kind.0 == "c" { INT } else { kind }
    }

    fn call(&mut self, (letter, _): Kind) -> String {
        format!("F{letter}({})", self.number())
    }

    /// An object that nothing else in the statement changes or names.
    fn object(&mut self, (letter, _): Kind) -> Option<String> {
        let used = self.used.entry(letter).or_default();
        *used += 1;
        (*used <= OBJECTS).then(|| format!("g{letter}{used}"))
    }

    /// An operand that gcc does not look into.
    fn leaf(&mut self, kind: Kind) -> String {
        let letter = kind.0;
        match self.dice.below(12) {
            0..=2 => self.object(kind).unwrap_or_else(|| self.call(kind)),
            3 => format!("a{letter}[Fi({}) & 3]", self.number()),
            4 => format!("*P{letter}({})", self.number()),
            5 => format!("P{letter}({})[{}]", self.number(), self.dice.below(3)),
            6 => self.object(kind).map_or_else(|| self.call(kind), |object| format!("{object}++")),
            7 => format!("r{letter}.x"),
            8 => format!("H{letter}({}, {}, {})", self.number(), self.leaf(INT), self.leaf(kind)),
            9 => format!("(Fi({}) & 1 ? {} : {})", self.number(), self.call(kind), self.call(kind)),
            _ => self.call(kind),
        }
    }

    /// An expression; products have leaves alone, so that values stay small.
    fn expression(&mut self, kind: Kind, depth: usize) -> String {
        if depth == 0 || self.dice.one_in(4) {
            return self.leaf(kind);
        }
        if !self.settled && self.dice.one_in(3) {
            return self.unsettled(kind, depth);
        }
        let ops: &[&str] = match kind.0 {
            "d" => &["+", "-", "*", "<", "=="],
            _ => &["+", "-", "*", "&", "|", "^", "<", ">=", "==", "!="],
        };
        let op = *self.dice.of(ops);
        let depth = if op == "*" { 0 } else { depth - 1 };
        // In settled programs nothing is wider than what it is stored in.
        let other = match self.dice.below(3) {
            0 => kind,
            _ if self.settled => INT,
            _ => self.kind(),
        };
        // Operands of integers may stand below `&`, and unsigned ones may be too large for what a double is converted to.
        let other = if (other.0 == "d") == (kind.0 == "d") { other } else { INT };
        let left = self.expression(kind, depth);
        let right =
            if self.settled { self.opposite(op, other, depth) } else { self.expression(other, depth) };
        format!("({left} {op} {right})")
    }

    /// A right operand so that the order is settled: no difference behind `-`.
    fn opposite(&mut self, op: &str, kind: Kind, depth: usize) -> String {
        loop {
            let right = self.expression(kind, depth);
            if op != "-" || !right.contains(" - ") {
                return right;
            }
        }
    }

    /// An expression of which gcc makes another one.
    fn unsettled(&mut self, kind: Kind, depth: usize) -> String {
        let inner = self.expression(kind, depth - 1);
        let other = self.leaf(kind);
        match self.dice.below(8) {
            0 => format!("(-{inner} + {other})"),
            1 if kind.0 != "d" => format!("({other} ^ ~{inner})"),
            2 => format!("({other} < {inner} + 2)"),
            3 => format!("({other} - ({inner} - {}))", self.leaf(kind)),
            4 => format!("({other} + ({}, {inner}))", self.leaf(kind)),
            5 => match self.object(kind) {
                Some(object) => format!("({other} + ({object} += {inner}))"),
                None => other,
            },
            6 => format!("({other} == 0) + !({inner} - {})", self.leaf(kind)),
            _ => format!("((char)({inner} + {other}) + 3)"),
        }
    }

    /// A statement.
    fn statement(&mut self, seed: u64) -> String {
        self.used.clear();
        let kind = self.kind();
        let letter = kind.0;
        let depth = 1 + self.dice.below(3);
        // What is narrowed when it is stored is computed in narrower types, where variables may change places.
        let from = if self.settled || self.dice.one_in(2) { kind } else { self.kind() };
        match self.dice.below(9) {
            0 | 1 => format!(
                "double x = {}; if (x > 1e9 || x < -1e9) x = 1; TRACE(x);",
                self.expression(kind, depth)
            ),
            2 => format!("a{letter}[Fi({}) & 3] = {};", self.number(), self.expression(from, depth)),
            3 => format!("*P{letter}({}) = {};", self.number(), self.expression(from, depth)),
            4 => {
                let index = self.leaf(INT);
                format!("P{letter}({})[{index} & 1] = {};", self.number(), self.leaf(from))
            }
            5 => format!("a{letter}[Fi({}) & 3] += {};", self.number(), self.leaf(from)),
            6 => {
                let list = [self.leaf(INT), self.leaf(INT), self.leaf(INT)];
                let [a, b, c] = list;
                format!(
                    "struct si z{seed} = {{ .y = {a}, .x = {b}, .z = {c} }}; TRACE(z{seed}.x + z{seed}.y * 10 + z{seed}.z * 100);"
                )
            }
            7 => format!("if ({}) TRACE(1); else TRACE(2);", self.condition(depth)),
            _ => format!("TRACE(V(gri, {}, *R({})));", self.leaf(from), self.number()),
        }
    }

    /// A condition; settled ones have no difference.
    fn condition(&mut self, depth: usize) -> String {
        loop {
            let text = self.expression(INT, depth);
            if !self.settled || !text.contains(" - ") && !text.contains('g') {
                return text;
            }
        }
    }
}

fn program(seed: u64) -> Program {
    let mut dice = Dice::new(seed);
    let settled = dice.one_in(2);
    let mut draw = Draw { dice, settled, used: BTreeMap::new(), next: 0 };
    let count = 1 + draw.dice.below(3);
    let statements: Vec<String> = (0..count).map(|_| format!("  {{ {} }}\n", draw.statement(seed))).collect();
    Program { body: statements.concat(), settled }
}

/// What all programs share: functions that leave a trace, and change every object.
fn prelude() -> String {
    let mut text = String::from(
        "typedef signed char sc;\nunsigned t;\n#define TRACE(x) (t = t * 31u + (unsigned)(long)(x))\n\
         struct si { int x, y, z; } gri, Ri;\n",
    );
    let mut touch = String::from("void touch(int n) { t = t * 31u + n; gri.x = n; Ri.x = n + 1; ");
    for (letter, name) in KINDS {
        let _ = write!(text, "{name} a{letter}[4]; struct {{ {name} y, x; }} r{letter};");
        let _ = write!(touch, "r{letter}.x = n;");
        for n in 1..=OBJECTS {
            let _ = write!(text, "{name} g{letter}{n};");
            let _ = write!(touch, "g{letter}{n} = (n + {n}) % 9 + 1;");
        }
        for n in 0..4 {
            let _ = write!(touch, "a{letter}[{n}] = (n + {n}) % 7 + 1;");
        }
        text.push('\n');
    }
    text.push_str(&touch);
    text.push_str("}\nstruct si *R(int n) { touch(n); return &Ri; }\n");
    text.push_str("int V(struct si a, int n, struct si b) { return a.x + n + b.x * 10; }\n");
    for (letter, name) in KINDS {
        let _ = writeln!(text, "{name} F{letter}(int n) {{ touch(n); return n; }}");
        let _ = writeln!(text, "{name} *P{letter}(int n) {{ touch(n); return a{letter} + n % 2; }}");
        let _ = writeln!(text, "{name} H{letter}(int n, int a, {name} b) {{ touch(n + a); return b; }}");
    }
    let sum: Vec<String> = KINDS
        .iter()
        .flat_map(|(letter, _)| (0..4).map(move |n| format!("TRACE(a{letter}[{n}]);")))
        .chain(
            KINDS.iter().flat_map(|(letter, _)| (1..=OBJECTS).map(move |n| format!("TRACE(g{letter}{n});"))),
        )
        .collect();
    let _ = writeln!(text, "void all(void) {{ {} }}", sum.concat());
    text
}

/// Whether the order that the option describes is that of the compiler on this machine.
fn is_described() -> bool {
    let output = Command::new("gcc").arg("-dumpversion").output().ok();
    let version = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    let machine = Command::new("gcc").arg("-dumpmachine").output().ok();
    let machine = machine.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    version.split('.').next().map(str::trim) == Some(RELEASE) && machine.starts_with("x86_64")
}

/// All programs in one file, which prints the result of each.
fn together(programs: &[&Program]) -> String {
    let mut text = format!("int printf(const char *, ...);\n{}", prelude());
    let mut calls = String::new();
    for (n, program) in programs.iter().enumerate() {
        let _ = write!(text, "void p{n}(void) {{\n{}}}\n", program.body);
        let _ = writeln!(calls, "  touch(0); t = 0; p{n}(); all(); printf(\"%u\\n\", t);");
    }
    let _ = write!(text, "int main(void) {{\n{calls}  return 0;\n}}\n");
    text
}

fn numbers(printed: &str) -> Vec<u64> {
    printed.lines().map(|line| line.parse().unwrap_or_else(|_| panic!("no number: {printed}"))).collect()
}

/// The results of the compiled programs.
fn compiled(programs: &[&Program], level: &str) -> Vec<u64> {
    let scratch = Scratch::new();
    let (source, file) = (scratch.file("all.c", together(programs)), scratch.path().join("all"));
    let made = Command::new("gcc").args([level, "-w", "-o"]).args([&file, &source]).output();
    let made = made.expect("gcc is there");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let run = Command::new(&file).output().expect("the program can be run");
    numbers(&String::from_utf8(run.stdout).expect("numbers"))
}

/// The results of the programs in the interpreter, where the seed chooses between open orders; `None` where one is
/// refused.
fn interpreted(programs: &[&Program], seed: u64) -> Option<Vec<u64>> {
    let scratch = Scratch::new();
    let path = scratch.file("all.c", together(programs));
    let path = path.to_str().expect("scratch paths are UTF-8");
    let run = binary("slam", &["run", "--evaluation-order", "gcc", "--seed", &seed.to_string(), path]);
    assert!(run.code == 0 || run.stderr.contains("in too many orders"), "{}", run.stderr);
    (run.code == 0).then(|| numbers(&run.stdout))
}

/// The verdict on whether a program may leave this trace.
fn verdict(program: &Program, trace: u64) -> String {
    let scratch = Scratch::new();
    let text = format!(
        "extern void reach_error(void);\n{}int main(void) {{\n  touch(0); t = 0;\n{}  all();\n  if (t == {trace}u) reach_error();\n  return 0;\n}}\n",
        prelude(),
        program.body
    );
    let path = scratch.file("a.c", text);
    let path = path.to_str().expect("scratch paths are UTF-8");
    let run = binary(
        "slam",
        &["check", "--evaluation-order", "gcc", "--time-limit", "20s", "--threads", "1", path],
    );
    run.verdict().split(' ').next().unwrap_or_default().to_owned()
}

/// What is wrong about some programs, how many have but one outcome, and how many are refused.
fn some(programs: &[Program]) -> (Vec<String>, [usize; 2]) {
    let mut kept: Vec<&Program> = programs.iter().collect();
    if interpreted(&kept, 0).is_none() {
        kept.retain(|program| program.settled || interpreted(&[*program], 0).is_some());
    }
    let (refused, programs) = (programs.len() - kept.len(), &kept[..]);
    let (plain, optimised) = (compiled(programs, "-O0"), compiled(programs, "-O2"));
    let run = |seed| interpreted(programs, seed).expect("no settled program is refused");
    let runs: Vec<Vec<u64>> = (0..RUNS).map(run).collect();
    let (mut wrong, mut exact) = (vec![], 0);
    for (n, program) in programs.iter().enumerate() {
        let outcomes: BTreeSet<u64> = runs.iter().map(|run| run[n]).collect();
        let trace = plain[n];
        let is_exact = outcomes.len() == 1;
        exact += usize::from(is_exact);
        let why = match () {
            () if trace != optimised[n] => "optimisation changes the order",
            () if program.settled && outcomes != BTreeSet::from([trace]) => "gcc does something else",
            () if !outcomes.contains(&trace) && verdict(program, trace) == "SAFE" => {
                "what gcc does is impossible"
            }
            () => continue,
        };
        wrong.push(format!("{why}:\n{}gcc {trace}, here {outcomes:?}", program.body));
    }
    (wrong, [exact, refused])
}

#[test]
fn the_order_of_gcc_is_that_of_compiled_programs() {
    if !is_described() {
        return testing::skipped("gcc 12 for x86-64");
    }
    let (count, first) = (number("ORDER_PROGRAMS", 30), number("ORDER_FIRST", 0));
    let programs: Vec<Program> = (first..first + count).map(program).collect();
    let parts: Vec<&[Program]> = programs.chunks(TOGETHER).collect();
    let found = parallel(2, parts.len(), |n| some(parts[n]));
    let settled = programs.iter().filter(|p| p.settled).count();
    let [exact, refused] = [0, 1].map(|n| found.iter().map(|(_, counts)| counts[n]).sum::<usize>());
    println!(
        "{count} programs from seed {first}: {settled} settled, {exact} with one outcome, {refused} refused"
    );
    let wrong: Vec<String> = found.into_iter().flat_map(|(wrong, _)| wrong).collect();
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(
        4 * settled as u64 >= count && 2 * exact as u64 >= count,
        "{settled} settled, {exact} with one outcome"
    );
}
