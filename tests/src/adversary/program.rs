//! A pair of programs under construction, and how they are written down: alone, for the checker, and many in one
//! file, for compiled runs.
//!
//! Every name of file scope ends with the mark `@`, which is nothing in a program alone and its number in a file of
//! many.

use super::Kind;
use crate::random_c::Dice;
use std::fmt::Write as _;

/// What `main` draws first: a value of `low..high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input {
    /// The least value.
    pub low: i64,
    /// Behind the greatest value.
    pub high: i64,
}

/// A piece of text.
#[derive(Clone, Debug)]
struct Piece {
    /// In the program that holds, and in the one that is broken.
    twins: [String; 2],
    /// The same for compiled runs, where it differs.
    native: Option<[String; 2]>,
    /// The program means the same without it, as far as its assertion is concerned.
    extra: bool,
}

/// One program.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it was drawn from.
    pub seed: u64,
    /// What it is about.
    pub kind: Kind,
    /// The inputs in the order in which `main` draws them.
    pub inputs: Vec<Input>,
    /// The inputs for which the assertion fails: no others, and in any order of evaluation none if there are none.
    pub failing: Option<Vec<i64>>,
    /// Two-way choices of the order of evaluation that compiled runs go through.
    pub orders: usize,
    top: Vec<Piece>,
    body: Vec<Piece>,
    globals: Vec<String>,
}

/// Two programs that differ in little: for each input the first one's assertion holds, the second one's fails for
/// one.
pub(super) struct Draft {
    pub(super) dice: Dice,
    seed: u64,
    kind: Kind,
    names: Vec<&'static str>,
    inputs: Vec<Input>,
    orders: usize,
    top: Vec<Piece>,
    body: Vec<Piece>,
    globals: Vec<String>,
    fresh: usize,
}

impl Draft {
    pub(super) fn new(seed: u64, kind: Kind) -> Draft {
        let dice = Dice::new(seed ^ 0xAD5E);
        Draft {
            dice,
            seed,
            kind,
            names: vec![],
            inputs: vec![],
            orders: 0,
            top: vec![],
            body: vec![],
            globals: vec![],
            fresh: 0,
        }
    }

    /// An input of `main`, an `int`.
    pub(super) fn input(&mut self, name: &'static str, low: i64, high: i64) {
        self.names.push(name);
        self.inputs.push(Input { low, high });
    }

    /// A name that is used nowhere else.
    pub(super) fn name(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    /// Something at file scope.
    pub(super) fn top(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.top.iter().any(|p| p.twins[0] == text) {
            self.top.push(both(text, false));
        }
    }

    /// An object at file scope, with this declaration; compiled runs give it its first value again.
    pub(super) fn global(&mut self, name: &str, declaration: &str) {
        self.globals.push(name.to_owned());
        self.top.push(both(format!("{declaration};"), false));
    }

    /// A statement of `main`.
    pub(super) fn body(&mut self, text: impl Into<String>) {
        self.body.push(both(text.into(), false));
    }

    /// A statement of `main` that does not matter to the assertion.
    pub(super) fn extra(&mut self, text: impl Into<String>) {
        self.body.push(both(text.into(), true));
    }

    /// A statement that the programs differ in.
    pub(super) fn twins(&mut self, holds: impl Into<String>, broken: impl Into<String>) {
        self.body.push(Piece { twins: [holds.into(), broken.into()], native: None, extra: false });
    }

    /// Something at file scope that the programs differ in.
    pub(super) fn top_twins(&mut self, holds: impl Into<String>, broken: impl Into<String>) {
        self.top.push(Piece { twins: [holds.into(), broken.into()], native: None, extra: false });
    }

    /// A statement whose meaning depends on the order of evaluation, and what compiled runs have in its place, where
    /// `slam_order()` chooses.
    pub(super) fn ordered(&mut self, twins: [String; 2], native: [String; 2], choices: usize) {
        self.orders += choices;
        self.body.push(Piece { twins, native: Some(native), extra: false });
    }

    /// The programs; `failing` has a value for each input.
    pub(super) fn finish(mut self, failing: &[i64]) -> [Program; 2] {
        let mut draws = vec![];
        for (name, Input { low, high }) in self.names.iter().zip(&self.inputs) {
            let text = format!(
                "int {name} = __VERIFIER_nondet_int();\n    __VERIFIER_assume({name} >= {low} && {name} < {high});"
            );
            draws.push(both(text, false));
        }
        draws.append(&mut self.body);
        assert_eq!(failing.len(), self.inputs.len(), "each input has a value");
        [None, Some(failing.to_vec())].map(|failing| Program {
            seed: self.seed,
            kind: self.kind,
            inputs: self.inputs.clone(),
            failing,
            orders: self.orders,
            top: self.top.clone(),
            body: draws.clone(),
            globals: self.globals.clone(),
        })
    }
}

fn both(text: String, extra: bool) -> Piece {
    Piece { twins: [text.clone(), text], native: None, extra }
}

/// What the programs use and do not declare themselves.
pub(super) const PRELUDE: &str = "#include <stddef.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
";

impl Program {
    /// `seed 17 (holds)`, for messages.
    pub fn title(&self) -> String {
        let twin = if self.failing.is_some() { "broken" } else { "holds" };
        format!("{:?} {} {twin}", self.kind, self.seed)
    }

    /// The whole program, for the checker.
    pub fn text(&self) -> String {
        let twin = usize::from(self.failing.is_some());
        let text = self.written(|piece| piece.twins[twin].as_str());
        let headers = [
            ("#include <stddef.h>\n", &["offsetof("][..]),
            ("#include <stdlib.h>\n", &["alloc(", "free", "exit(", "abort"]),
            ("#include <string.h>\n", &["mem"]),
        ];
        let mut prelude = String::new();
        for (line, words) in headers {
            if words.iter().any(|word| text.contains(word)) {
                prelude.push_str(line);
            }
        }
        let own = PRELUDE.lines().filter(|line| line.starts_with("extern"));
        own.for_each(|line| prelude.push_str(&format!("{line}\n")));
        prelude + &text.replace('@', "")
    }

    /// Its text in a file of many, without the prelude.
    pub fn native(&self, number: usize) -> String {
        let twin = usize::from(self.failing.is_some());
        let mut text =
            self.written(|p| p.native.as_ref().map_or(p.twins[twin].as_str(), |n| n[twin].as_str()));
        for way in ["save", "restore"] {
            let _ = writeln!(text, "static void {way}@(void) {{");
            for (k, global) in self.globals.iter().enumerate() {
                let (to, from) = (format!("kept{k}"), global);
                let (to, from) =
                    if way == "save" { (to.as_str(), from.as_str()) } else { (from.as_str(), to.as_str()) };
                let _ = writeln!(text, "    memcpy(&{}, &{}, sizeof {global});", kept(to), kept(from));
            }
            text.push_str("}\n");
        }
        let copies: String = (self.globals.iter().enumerate())
            .map(|(k, global)| format!("static __typeof__({global}) kept{k}@;\n"))
            .collect();
        let at = text.find("static void save@").unwrap_or(text.len());
        text.insert_str(at, &copies);
        text.replace('@', &format!("_{number}"))
    }

    fn written<'a>(&'a self, text_of: impl Fn(&'a Piece) -> &'a str) -> String {
        let mut text = String::new();
        for piece in self.top.iter().map(&text_of).filter(|text| !text.is_empty()) {
            let _ = writeln!(text, "{piece}");
        }
        text.push_str("int main@(void) {\n");
        for piece in self.body.iter().map(&text_of).filter(|text| !text.is_empty()) {
            let _ = writeln!(text, "    {piece}");
        }
        text + "    return 0;\n}\n"
    }

    /// The same program without one of the statements that do not matter, for each of them.
    pub fn smaller(&self) -> Vec<Program> {
        let extra = |k: &usize| self.body[*k].extra;
        let without = |k| {
            let mut program = self.clone();
            program.body.remove(k);
            program
        };
        (0..self.body.len()).filter(extra).map(without).collect()
    }
}

fn kept(name: &str) -> String {
    if name.starts_with("kept") { format!("{name}@") } else { name.to_owned() }
}
