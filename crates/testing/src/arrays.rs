//! Random C programs with loops over small arrays: copies, searches, filters, exchanges, maxima, and assertions
//! about the elements afterwards, right or wrong, inside or outside of the bounds. Executions with inputs
//! outside of a small domain end at once, so that all executions can be tried.

use crate::Dice;
use std::fmt::Write;

/// The elements of each array.
pub const ELEMENTS: usize = 4;

/// The least and the largest element that is read.
pub const VALUES: std::ops::RangeInclusive<i64> = -1..=1;

/// A program.
pub struct Arrays {
    dice: Dice,
    lines: Vec<String>,
    loops: usize,
}

/// The words of a loop: a comparison, a number, another number, and the last index.
struct Words {
    op: &'static str,
    number: i64,
    other: i64,
}

impl Arrays {
    /// The program with this seed.
    pub fn new(seed: u64) -> Arrays {
        let mut this = Arrays { dice: Dice::new(seed), lines: vec![], loops: 0 };
        this.line("    int a[4] = {0}, b[4] = {0}, i, j, k = 0, m = 0, x = 0, n = input();");
        this.line("    if (n < 0 || n > 4) return 0;");
        let fill = "{ x = input(); if (x < -1 || x > 1) return 0; AT(a, i) = x; }";
        this.from(0, "n", fill);
        let words = this.words();
        let recipe = this.dice.below(12);
        this.recipe(recipe, &words);
        if this.dice.one_in(4) {
            let recipe = this.dice.below(12);
            this.recipe(recipe, &words);
        }
        this
    }

    fn line(&mut self, text: impl Into<String>) {
        self.lines.push(text.into());
    }

    /// A loop over `i`, with room at its head for what is to be observed there.
    fn from(&mut self, start: i64, end: &str, body: &str) {
        let head = self.head();
        self.line(format!("    for (i = {start}; {head} i < {end}; i++) {body}"));
    }

    /// The place of the next head. Each stands on a line of its own: results name the heads of loops by their lines.
    fn head(&mut self) -> String {
        self.loops += 1;
        format!("HEAD{}", self.loops - 1)
    }

    fn words(&mut self) -> Words {
        Words {
            op: self.dice.word(&["<", "<=", "==", "!=", ">", ">="]),
            number: self.dice.within(-1, 1),
            other: self.dice.within(-1, 2),
        }
    }

    /// Usually the first word, which is the right one.
    fn mostly<'w>(&mut self, right: &'w str, wrong: &[&'w str]) -> &'w str {
        if self.dice.one_in(4) { self.dice.word(wrong) } else { right }
    }

    /// A loop, and what is asserted of its result.
    fn recipe(&mut self, recipe: usize, words: &Words) {
        let Words { op, number, other } = words;
        let end = self.mostly("n", &["n - 1", "n + 1", "4"]);
        let start = i64::from(self.dice.one_in(5));
        let index = self.mostly("i", &["i - 1", "n - 1 - i", "i + 1"]);
        let op_again = self.mostly(op, &["<", "<=", "==", "!=", ">", ">="]);
        let from_end = self.dice.one_in(3);
        let (other_end, element) = if from_end { ("n - 1 - i", "n - 1 - i") } else { (index, "i") };
        let (body, asserted, checked) = match recipe {
            0 => (format!("AT(b, i) = AT(a, {other_end});"), format!("AT(b, i) == AT(a, {element})"), "n"),
            1 => (format!("AT(a, i) = {other};"), format!("AT(a, i) {op_again} {other}"), "n"),
            2 => ("AT(a, i) = i;".to_owned(), format!("AT(a, {index}) == {index}"), "n"),
            3 => (
                format!("if (AT(a, i) {op} {number}) {{ AT(b, k) = AT(a, i); k++; }}"),
                format!("AT(b, i) {op_again} {number}"),
                "k",
            ),
            4 => (
                format!("if (AT(a, i) {op} {number}) {{ AT(a, k) = AT(a, i); k++; }}"),
                format!("AT(a, i) {op_again} {number}"),
                "k",
            ),
            5 => {
                let kept = self.mostly(">", &[">=", "<"]);
                (format!("if (AT(a, {index}) {kept} m) m = AT(a, i);"), "AT(a, i) <= m".to_owned(), "n")
            }
            6 => (
                format!("if (AT(a, i) == {number}) {{ k = i; break; }}"),
                format!("AT(a, i) != {number}"),
                self.mostly("k", &["n", "k + 1"]),
            ),
            7 => (
                format!(
                    "if (AT(a, i) {op} {number}) {{ x = AT(a, i); AT(a, i) = AT(a, k); AT(a, k) = x; k++; }}"
                ),
                format!("AT(a, i) {op_again} {number}"),
                "k",
            ),
            8 => (
                format!("if (AT(a, {index}) {op} {number}) AT(a, i) = {other};"),
                format!("AT(a, i) == {other} || !(AT(a, i) {op_again} {number})"),
                "n",
            ),
            9 => (
                "if (AT(a, j) > AT(a, i)) { x = AT(a, i); AT(a, i) = AT(a, j); AT(a, j) = x; }".to_owned(),
                "i == 0 || AT(a, i - 1) <= AT(a, i)".to_owned(),
                "n",
            ),
            10 => (format!("if (AT(a, i) {op} {number}) k++;"), "k <= n".to_owned(), "1"),
            _ => (
                format!("AT(b, i) = AT(a, i) + {other};"),
                format!("AT(b, i) - {other} == AT(a, {index})"),
                "n",
            ),
        };
        if recipe == 9 {
            self.from(start, end, "");
            let head = self.head();
            self.line(format!("        for (j = 0; {head} j < i; j++) {body}"));
        } else {
            self.from(start, end, &body);
        }
        let first = i64::from(self.dice.one_in(6));
        self.from(first, checked, &format!("assert({asserted});"));
    }

    /// How many places `HEAD0`, `HEAD1` and so on the text has: the heads of loops.
    pub fn heads(&self) -> usize {
        self.loops
    }

    /// The line of a head, if the first line of the body is line 1.
    pub fn line_of(&self, head: usize) -> usize {
        let name = format!("HEAD{head} ");
        1 + self.lines.iter().position(|l| l.contains(&name)).expect("each head is on a line")
    }

    /// The body of the function, up to its return; `heads` says what stands at the heads of loops: nothing, or an expression
    /// and a comma. It uses `input()`, `assert(e)`, and `AT(array, index)`.
    pub fn body(&self, heads: &[String]) -> String {
        let mut out = String::new();
        for line in &self.lines {
            let mut line = line.clone();
            for (n, head) in heads.iter().enumerate() {
                line = line.replace(&format!("HEAD{n} "), head);
            }
            let _ = writeln!(out, "{line}");
        }
        out + "    return 0;\n"
    }
}
