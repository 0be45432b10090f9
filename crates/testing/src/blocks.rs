//! Random C programs about blocks of memory whose size is an input: elements are written, read, filled by loops
//! and by walking pointers, copied, cleared and freed, and every so often one too far, too early or too late.
//! The effect of each input is known from a monitor of single bytes that shares nothing with the checker.

use crate::Dice;
use std::fmt::Write;

/// The first error of an execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wrong {
    /// It accesses memory outside of a block.
    Bounds,
    /// It accesses or frees a block that was freed.
    Free,
    /// It reads what nothing has written.
    Uninit,
}

impl Wrong {
    /// The name of the kind of check that finds it.
    pub fn kind(self) -> &'static str {
        match self {
            Wrong::Bounds => "bounds",
            Wrong::Free => "free",
            Wrong::Uninit => "uninit",
        }
    }
}

/// A number: one of the inputs, or none, and a constant.
#[derive(Clone, Copy, Debug)]
struct Number {
    input: Option<usize>,
    plus: i64,
}

/// The names of the inputs.
const INPUTS: [&str; 2] = ["n", "k"];

/// The values that each input can have.
const VALUES: i64 = 4;

impl Number {
    fn value(self, inputs: [i64; 2]) -> i64 {
        self.input.map_or(0, |i| inputs[i]) + self.plus
    }

    fn text(self) -> String {
        match (self.input, self.plus) {
            (None, c) => c.to_string(),
            (Some(i), 0) => INPUTS[i].to_owned(),
            (Some(i), c) if c < 0 => format!("{} - {}", INPUTS[i], -c),
            (Some(i), c) => format!("{} + {c}", INPUTS[i]),
        }
    }
}

/// The type of a block's elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Element {
    Char,
    Int,
    /// `struct pair { int x; char y; }`.
    Pair,
}

impl Element {
    fn name(self) -> &'static str {
        match self {
            Element::Char => "char",
            Element::Int => "int",
            Element::Pair => "struct pair",
        }
    }

    fn size(self) -> i64 {
        match self {
            Element::Char => 1,
            Element::Int => 4,
            Element::Pair => 8,
        }
    }

    /// The scalar that is chosen: its text behind the element, and its bytes.
    fn scalar(self, second: bool) -> (&'static str, i64, i64) {
        match (self, second) {
            (Element::Char, _) => ("", 0, 1),
            (Element::Int, _) => ("", 0, 4),
            (Element::Pair, false) => (".x", 0, 4),
            (Element::Pair, true) => (".y", 4, 1),
        }
    }
}

#[derive(Clone, Debug)]
struct Block {
    name: &'static str,
    element: Element,
    /// How many elements; a local array has a constant number.
    length: Number,
    is_allocated: bool,
}

#[derive(Clone, Debug)]
enum Statement {
    Write(usize, Number, bool),
    Read(usize, Number, bool),
    Fill { block: usize, from: Number, to: Number, second: bool, walks: bool },
    Copy { to: (usize, i64), from: (usize, i64), count: Number },
    Clear(usize, Number),
    Free(usize),
    If(usize, i64, Box<Statement>),
}

/// A program.
#[derive(Clone, Debug)]
pub struct Blocks {
    blocks: Vec<Block>,
    statements: Vec<Statement>,
}

/// A block of an execution: for each byte whether it is written, and whether the block lives.
struct Memory {
    written: Vec<bool>,
    lives: bool,
}

impl Memory {
    /// The bytes, if they may be accessed.
    fn bytes(&mut self, at: i64, len: i64) -> Result<&mut [bool], Wrong> {
        if !self.lives {
            return Err(Wrong::Free);
        }
        let range = usize::try_from(at).ok().zip(usize::try_from(at + len).ok());
        range.and_then(|(from, to)| self.written.get_mut(from..to)).ok_or(Wrong::Bounds)
    }
}

impl Blocks {
    /// The program of a seed.
    pub fn new(seed: u64) -> Blocks {
        let mut dice = Dice::new(seed);
        let blocks = ["a", "b"].map(|name| {
            let is_allocated = !dice.one_in(3);
            let input = (is_allocated && !dice.one_in(4)).then(|| dice.below(2));
            let element = *dice.of(&[Element::Char, Element::Int, Element::Int, Element::Pair]);
            Block { name, element, length: Number { input, plus: 1 + dice.below(3) as i64 }, is_allocated }
        });
        let mut this = Blocks { blocks: blocks.into(), statements: vec![] };
        // Most programs begin with memory that has values.
        for block in 0..2 {
            if !dice.one_in(4) {
                let to = this.blocks[block].length;
                let seconds = if this.blocks[block].element == Element::Pair { 2 } else { 1 };
                for second in 0..seconds {
                    let from = Number { input: None, plus: i64::from(dice.one_in(8)) };
                    let walks = dice.one_in(2);
                    this.statements.push(Statement::Fill { block, from, to, second: second == 1, walks });
                }
            }
        }
        for _ in 0..2 + dice.below(4) {
            let statement = this.statement(&mut dice);
            this.statements.push(statement);
        }
        this
    }

    fn statement(&self, dice: &mut Dice) -> Statement {
        let block = dice.below(2);
        let second = dice.one_in(2);
        let length = self.blocks[block].length;
        let number = |dice: &mut Dice| match dice.below(6) {
            0 => Number { plus: length.plus - 1, ..length },
            1 => Number { input: Some(dice.below(2)), plus: dice.below(3) as i64 - 1 },
            2 => Number { input: Some(dice.below(2)), plus: 0 },
            _ => Number { input: None, plus: dice.below(2) as i64 },
        };
        let count = |dice: &mut Dice| {
            let number = number(dice);
            Number { plus: number.plus.max(0), ..number }
        };
        match dice.below(12) {
            0 | 1 => Statement::Write(block, number(dice), second),
            2..=5 => Statement::Read(block, number(dice), second),
            6 => Statement::Fill {
                block,
                from: Number { input: None, plus: 0 },
                to: count(dice),
                second,
                walks: dice.one_in(2),
            },
            7 if self.blocks[0].element == self.blocks[1].element => Statement::Copy {
                to: (block, i64::from(dice.one_in(4))),
                from: (1 - block, i64::from(dice.one_in(4))),
                count: count(dice),
            },
            7 | 8 => Statement::Clear(block, count(dice)),
            9 if self.blocks[block].is_allocated => Statement::Free(block),
            _ => {
                let inner = self.statement(dice);
                Statement::If(dice.below(2), dice.below(4) as i64, Box::new(inner))
            }
        }
    }

    /// The text. `prologue` declares `input()`, which gives an `int`.
    pub fn text(&self, prologue: &str) -> String {
        let mut out = format!(
            "#include <stdlib.h>\n#include <string.h>\n{prologue}struct pair {{ int x; char y; }};\n\nint main(void) {{\n    int n = input(), k = input(), sum = 0;\n    if (n < 0 || n > 3 || k < 0 || k > 3)\n        return 0;\n"
        );
        for Block { name, element, length, is_allocated } in &self.blocks {
            let ty = element.name();
            _ = if *is_allocated {
                writeln!(
                    out,
                    "    {ty} *{name} = malloc(({}) * sizeof *{name});\n    if (!{name})\n        return 0;",
                    length.text()
                )
            } else {
                writeln!(out, "    {ty} {name}[{}];", length.text())
            };
        }
        for statement in &self.statements {
            _ = writeln!(out, "    {}", self.line(statement));
        }
        out + "    return sum;\n}\n"
    }

    fn line(&self, statement: &Statement) -> String {
        let place = |block: usize, at: Number, second: bool| {
            let Block { name, element, .. } = &self.blocks[block];
            format!("{name}[{}]{}", at.text(), element.scalar(second).0)
        };
        match statement {
            Statement::Write(block, at, second) => format!("{} = 1;", place(*block, *at, *second)),
            Statement::Read(block, at, second) => format!("sum ^= {};", place(*block, *at, *second)),
            Statement::Fill { block, from, to, second, walks } => {
                let Block { name, element, .. } = &self.blocks[*block];
                let (from, to, (member, ..)) = (from.text(), to.text(), element.scalar(*second));
                let head = format!("for (int i = {from}; i < {to}; i++)");
                match (walks, member) {
                    (false, _) => format!("{head} {name}[i]{member} = 2;"),
                    (true, "") => {
                        format!("{{ {} *p = {name} + {from}; {head} *p++ = 3; }}", element.name())
                    }
                    (true, _) => {
                        let ty = element.name();
                        format!("{{ {ty} *p = {name} + {from}; {head} {{ (*p){member} = 3; p++; }} }}")
                    }
                }
            }
            Statement::Copy { to, from, count } => {
                let [to_name, from_name] = [to.0, from.0].map(|b| self.blocks[b].name);
                let count = count.text();
                format!(
                    "memcpy({to_name} + {}, {from_name} + {}, ({count}) * sizeof *{to_name});",
                    to.1, from.1
                )
            }
            Statement::Clear(block, count) => {
                let name = self.blocks[*block].name;
                format!("memset({name}, 0, ({}) * sizeof *{name});", count.text())
            }
            Statement::Free(block) => format!("free({});", self.blocks[*block].name),
            Statement::If(input, value, inner) => {
                format!("if ({} == {value}) {{ {} }}", INPUTS[*input], self.line(inner))
            }
        }
    }

    /// The first error for each input, if there is one.
    pub fn outcomes(&self) -> Vec<([i64; 2], Option<Wrong>)> {
        let all = (0..VALUES).flat_map(|n| (0..VALUES).map(move |k| [n, k]));
        all.map(|inputs| (inputs, self.run(inputs).err())).collect()
    }

    fn run(&self, inputs: [i64; 2]) -> Result<(), Wrong> {
        let start = |block: &Block| {
            let bytes = block.length.value(inputs) * block.element.size();
            Memory { written: vec![false; usize::try_from(bytes).unwrap_or(0)], lives: true }
        };
        let mut memory: Vec<Memory> = self.blocks.iter().map(start).collect();
        self.statements.iter().try_for_each(|statement| self.step(statement, inputs, &mut memory))
    }

    fn step(&self, statement: &Statement, inputs: [i64; 2], memory: &mut [Memory]) -> Result<(), Wrong> {
        let scalar = |block: usize, at: i64, second: bool| {
            let element = self.blocks[block].element;
            let (_, offset, size) = element.scalar(second);
            (at * element.size() + offset, size)
        };
        match statement {
            Statement::Write(block, at, second) => {
                let (at, len) = scalar(*block, at.value(inputs), *second);
                memory[*block].bytes(at, len)?.fill(true);
            }
            Statement::Read(block, at, second) => {
                let (at, len) = scalar(*block, at.value(inputs), *second);
                if memory[*block].bytes(at, len)?.contains(&false) {
                    return Err(Wrong::Uninit);
                }
            }
            Statement::Fill { block, from, to, second, .. } => {
                for i in from.value(inputs)..to.value(inputs) {
                    let (at, len) = scalar(*block, i, *second);
                    memory[*block].bytes(at, len)?.fill(true);
                }
            }
            Statement::Copy { to, from, count } => {
                let size = self.blocks[to.0].element.size();
                let len = count.value(inputs) * size;
                if len > 0 {
                    // Both are checked before anything is copied.
                    memory[to.0].bytes(to.1 * size, len)?;
                    let copied = memory[from.0].bytes(from.1 * size, len)?.to_vec();
                    memory[to.0].bytes(to.1 * size, len)?.copy_from_slice(&copied);
                }
            }
            Statement::Clear(block, count) => {
                let len = count.value(inputs) * self.blocks[*block].element.size();
                if len > 0 {
                    memory[*block].bytes(0, len)?.fill(true);
                }
            }
            Statement::Free(block) => {
                if !std::mem::replace(&mut memory[*block].lives, false) {
                    return Err(Wrong::Free);
                }
            }
            Statement::If(input, value, inner) => {
                if inputs[*input] == *value {
                    self.step(inner, inputs, memory)?;
                }
            }
        }
        Ok(())
    }
}
