//! Random C-- programs with nested loops over integers of several types, all operators, and calls with results.

use std::fmt::Write;
use testing::programs::calls::Dice;

const TYPES: [&str; 6] = ["int", "unsigned int", "unsigned char", "long", "short", "unsigned long"];

/// The body of a procedure that grows.
struct Body<'a> {
    dice: &'a mut Dice,
    text: String,
    next: usize,
    names: Vec<(String, &'static str)>,
    /// Procedures that it may call, with the type of their results.
    callees: Vec<(String, &'static str)>,
    checks: &'a mut usize,
}

fn of<'a>(dice: &mut Dice, words: &[&'a str]) -> &'a str {
    words[dice.below(words.len())]
}

impl Body<'_> {
    fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    /// An edge, and the location behind it.
    fn edge(&mut self, at: usize, op: &str) -> usize {
        let to = self.fresh();
        let _ = writeln!(self.text, "L{at}: {op} goto L{to};");
        to
    }

    fn name(&mut self) -> (String, &'static str) {
        let n = self.dice.below(self.names.len());
        self.names[n].clone()
    }

    /// An expression of this type.
    fn expr(&mut self, ty: &str, depth: usize) -> String {
        let choice = self.dice.below(if depth == 0 { 4 } else { 10 });
        match choice {
            0 => format!("({ty}) {}", self.dice.below(if ty == "int" { 12 } else { 6 })),
            1 if ty != "unsigned char" && !ty.starts_with("unsigned") => {
                format!("({ty}) {}", -(self.dice.below(9) as i64))
            }
            1..4 => {
                let (name, _) = self.name();
                format!("({ty}) {name}")
            }
            4..7 => {
                let op = of(self.dice, &["+", "-", "+", "-", "*"]);
                format!("({}) {op} ({})", self.expr(ty, depth - 1), self.expr(ty, depth - 1))
            }
            7 => {
                let op = of(self.dice, &["/", "%", "&", "|", "^"]);
                format!("({}) {op} ({})", self.expr(ty, depth - 1), self.expr(ty, depth - 1))
            }
            8 => {
                let op = of(self.dice, &["<<", ">>"]);
                let amount = self.dice.below(5);
                format!("({}) {op} {amount}", self.expr(ty, depth - 1))
            }
            _ => format!("({ty}) ({})", self.condition(depth - 1)),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.dice.below(3) == 0 {
            let op = of(self.dice, &["&&", "||"]);
            return format!("({}) {op} ({})", self.condition(depth - 1), self.condition(depth - 1));
        }
        let (name, ty) = self.name();
        let op = of(self.dice, &["<", "<=", ">", ">=", "==", "!="]);
        let depth = usize::from(self.dice.below(3) == 0);
        format!("{name} {op} {}", self.expr(ty, depth))
    }

    fn statement(&mut self, at: usize, depth: usize) -> usize {
        match self.dice.below(if depth == 0 { 8 } else { 12 }) {
            0..4 => {
                let (name, ty) = self.name();
                let value = self.expr(ty, 2);
                self.edge(at, &format!("{name} = {value};"))
            }
            4 => {
                let (name, _) = self.name();
                self.edge(at, &format!("havoc({name}, uninit);"))
            }
            5 => {
                let condition = self.condition(1);
                *self.checks += 1;
                let number = *self.checks - 1;
                self.edge(at, &format!("check(c{number}, {condition});"))
            }
            6..8 => self.call(at),
            8..10 => {
                let condition = self.condition(1);
                let (yes, no, end) = (self.fresh(), self.fresh(), self.fresh());
                let _ = writeln!(
                    self.text,
                    "L{at}: true: assume({condition}); goto L{yes}; false: assume(!({condition})); goto L{no};"
                );
                for branch in [yes, no] {
                    let last = self.statement(branch, depth - 1);
                    let _ = writeln!(self.text, "L{last}: skip; goto L{end};");
                }
                end
            }
            _ => self.turns(at, depth),
        }
    }

    /// A loop, mostly one that counts.
    fn turns(&mut self, at: usize, depth: usize) -> usize {
        let (name, ty) = self.name();
        let start = self.edge(at, &format!("{name} = ({ty}) 0;"));
        let (body, end) = (self.fresh(), self.fresh());
        let op = of(self.dice, &["<", "!=", "<="]);
        let bound = self.expr(ty, 0);
        let condition = format!("{name} {op} {bound}");
        let _ = writeln!(
            self.text,
            "L{start} loop: true: assume({condition}); goto L{body}; false: assume(!({condition})); goto L{end};"
        );
        let mut last = self.statement(body, depth - 1);
        if self.dice.below(8) > 0 {
            last = self.edge(last, &format!("{name} = {name} + ({ty}) 1;"));
        }
        let _ = writeln!(self.text, "L{last}: skip; goto L{start};");
        end
    }

    fn call(&mut self, at: usize) -> usize {
        if self.callees.is_empty() {
            return self.edge(at, "skip;");
        }
        let n = self.dice.below(self.callees.len());
        let (callee, ty) = self.callees[n].clone();
        let (a, b) = (self.expr("int", 1), self.expr("unsigned int", 1));
        let fits: Vec<String> = self.names.iter().filter(|(_, t)| *t == ty).map(|(n, _)| n.clone()).collect();
        if fits.is_empty() {
            return self.edge(at, &format!("{callee}({a}, {b});"));
        }
        let into = &fits[self.dice.below(fits.len())];
        self.edge(at, &format!("{into} = {callee}({a}, {b});"))
    }
}

/// The text of a program.
pub(crate) fn random_program(dice: &mut Dice) -> String {
    let globals: Vec<(String, &str)> = (0..3).map(|i| (format!("g{i}"), of(dice, &TYPES))).collect();
    let (mut procs, mut callees, mut checks) = (String::new(), vec![], 0);
    for name in ["f", "h", "start__"] {
        let mut names = globals.clone();
        let mut head = String::new();
        for i in 0..3 + dice.below(2) {
            let ty = of(dice, &TYPES);
            let _ = write!(head, " local {ty} x{i};");
            names.push((format!("x{i}"), ty));
        }
        let is_start = name == "start__";
        let result = of(dice, &TYPES);
        let mut parameters = "void".to_owned();
        if !is_start {
            parameters = "int a, unsigned int b".into();
            names.extend([("a".into(), "int"), ("b".into(), "unsigned int")]);
            let _ = write!(head, " return {result} ret__;");
            names.push(("ret__".into(), result));
        }
        let callable =
            if name == "f" && dice.below(4) == 0 { vec![("f".into(), result)] } else { callees.clone() };
        let mut body =
            Body { dice, text: String::new(), next: 0, names, callees: callable, checks: &mut checks };
        let mut at = 0;
        for _ in 0..3 + body.dice.below(4) {
            at = body.statement(at, 3);
        }
        let text = body.text;
        let ty = if is_start { "void" } else { result };
        let _ =
            writeln!(procs, "proc {ty} {name}({parameters}) {{{head} entry L0; exit L{at};\n{text}L{at}: }}");
        callees.push((name.to_owned(), result));
    }
    let mut out = "entry start__;\n".to_owned();
    globals.iter().for_each(|(name, ty)| _ = writeln!(out, "global {ty} {name};"));
    // Each check stands in one procedure; which one does not matter here.
    (0..checks).for_each(|n| _ = writeln!(out, "check c{n} reach in start__ \"c\";"));
    out + &procs
}
