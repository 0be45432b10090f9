//! Random C programs about the lives of objects: locals of blocks, of loop iterations and of statement
//! expressions, compound literals, structures that calls return. Pointers to them are kept, in variables of the
//! same block or of outer ones, and followed, some of them too late. The effect of each input is known from a
//! monitor of single objects that shares nothing with the checker.

use crate::Dice;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The outcome of an execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Life {
    /// It ends with this result.
    Ended(i64),
    /// It follows a pointer to an object that does not live any more.
    Dead,
}

/// The inputs that a program distinguishes.
pub const INPUTS: [i64; 2] = [0, 1];

/// A target of a pointer.
#[derive(Clone, Debug)]
enum Target {
    Global,
    Local(usize),
    Holder(usize),
    /// `(int[]){k, 0}` and the like; with its number.
    Literal(usize, i64, usize),
    /// `make(k).n`
    Returned(i64),
    /// `(t = s).n`
    Assigned,
    /// `({ int w = k; &w; })`
    Inside(i64),
    /// The target as the value of a statement expression.
    Through(Box<Target>),
}

#[derive(Clone, Debug)]
enum Stmt {
    Local(usize, i64),
    Holder(usize, Target),
    Point(usize, Target),
    Read(usize),
    Write(usize, i64),
    /// The target is followed within the expression.
    Pass(Target),
    Block(Vec<Stmt>, Option<usize>),
    Branch(Branch),
    Loop(Loop),
    Break,
    Continue,
    Goto(usize),
}

/// The assignment to a pointer in a condition: the holder, the literal and its number.
type InCondition = Option<(usize, usize, i64)>;

#[derive(Clone, Debug)]
struct Branch {
    first: InCondition,
    yes: Vec<Stmt>,
    no: Vec<Stmt>,
    is_switch: bool,
}

#[derive(Clone, Debug)]
struct Loop {
    counter: usize,
    first: InCondition,
    turns: i64,
    body: Vec<Stmt>,
    is_while: bool,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Lives {
    body: Vec<Stmt>,
    wrong_result: i64,
}

/// The value of the global object, and of the first member of the structure that is assigned.
const GLOBAL: i64 = 5;
const STRUCTURE: i64 = 6;

/// How control leaves a statement.
#[derive(PartialEq)]
enum Flow {
    On,
    Break,
    Continue,
    Goto(usize),
}

struct Died;

/// The objects of an execution.
struct Monitor {
    input: i64,
    result: i64,
    /// Value, and whether it lives.
    objects: Vec<(i64, bool)>,
    /// The objects that end with each open block, and its literals by their numbers.
    blocks: Vec<(Vec<usize>, BTreeMap<usize, usize>)>,
    locals: BTreeMap<usize, usize>,
    holders: BTreeMap<usize, usize>,
}

impl Monitor {
    fn object(&mut self, value: i64) -> usize {
        self.objects.push((value, true));
        let n = self.objects.len() - 1;
        self.blocks.last_mut().expect("a block is open").0.push(n);
        n
    }

    fn open(&mut self) {
        self.blocks.push((vec![], BTreeMap::new()));
    }

    fn close(&mut self) {
        let (objects, _) = self.blocks.pop().expect("a block is open");
        objects.into_iter().for_each(|n| self.objects[n].1 = false);
    }

    fn literal(&mut self, number: usize, value: i64) -> usize {
        let known = self.blocks.last().and_then(|(_, literals)| literals.get(&number).copied());
        let n = known.unwrap_or_else(|| self.object(value));
        self.objects[n].0 = value;
        self.blocks.last_mut().expect("a block is open").1.insert(number, n);
        n
    }

    /// The object, and those that end with the full expression.
    fn target(&mut self, target: &Target, passing: &mut Vec<usize>) -> usize {
        let mut temporary = |this: &mut Monitor, value| {
            this.objects.push((value, true));
            passing.push(this.objects.len() - 1);
            this.objects.len() - 1
        };
        match target {
            Target::Global => 0,
            Target::Local(v) => self.locals[v],
            Target::Holder(h) => self.holders[h],
            Target::Literal(number, value, _) => self.literal(*number, *value),
            Target::Returned(value) => temporary(self, *value),
            Target::Assigned => temporary(self, STRUCTURE),
            Target::Inside(value) => {
                self.open();
                let n = self.object(*value);
                self.close();
                n
            }
            Target::Through(inner) => {
                self.open();
                let mut own = vec![];
                let n = self.target(inner, &mut own);
                own.into_iter().for_each(|n| self.objects[n].1 = false);
                self.close();
                n
            }
        }
    }

    fn read(&mut self, n: usize) -> Result<(), Died> {
        match self.objects[n] {
            (value, true) => self.result += value,
            (_, false) => return Err(Died),
        }
        Ok(())
    }

    fn condition(&mut self, first: InCondition) {
        if let Some((holder, number, value)) = first {
            let n = self.literal(number, value);
            self.holders.insert(holder, n);
        }
    }

    fn all(&mut self, body: &[Stmt]) -> Result<Flow, Died> {
        self.open();
        for stmt in body {
            match self.run(stmt)? {
                Flow::On => {}
                flow => {
                    self.close();
                    return Ok(flow);
                }
            }
        }
        self.close();
        Ok(Flow::On)
    }

    fn run(&mut self, stmt: &Stmt) -> Result<Flow, Died> {
        let mut passing = vec![];
        match stmt {
            Stmt::Local(v, value) => {
                let n = self.object(*value);
                self.locals.insert(*v, n);
            }
            Stmt::Holder(h, target) | Stmt::Point(h, target) => {
                let n = self.target(target, &mut passing);
                self.holders.insert(*h, n);
            }
            Stmt::Read(h) => self.read(self.holders[h])?,
            Stmt::Write(h, value) => match &mut self.objects[self.holders[h]] {
                (old, true) => *old = *value,
                (_, false) => return Err(Died),
            },
            Stmt::Pass(target) => {
                let n = self.target(target, &mut passing);
                self.read(n)?;
            }
            Stmt::Block(body, label) => match self.all(body)? {
                Flow::Goto(l) if Some(l) == *label => {}
                flow => return Ok(flow),
            },
            Stmt::Branch(branch) => {
                self.open();
                self.condition(branch.first);
                let flow = self.all(if self.input == 1 { &branch.yes } else { &branch.no })?;
                self.close();
                return Ok(flow);
            }
            Stmt::Loop(l) => {
                self.open();
                let mut flow = Flow::On;
                for turn in 0..=l.turns {
                    self.condition(l.first);
                    if turn == l.turns {
                        break;
                    }
                    match self.all(&l.body)? {
                        Flow::On | Flow::Continue => {}
                        Flow::Break => break,
                        goto @ Flow::Goto(_) => {
                            flow = goto;
                            break;
                        }
                    }
                }
                self.close();
                return Ok(flow);
            }
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Continue => return Ok(Flow::Continue),
            Stmt::Goto(label) => return Ok(Flow::Goto(*label)),
        }
        passing.into_iter().for_each(|n| self.objects[n].1 = false);
        Ok(Flow::On)
    }
}

impl Lives {
    /// The program of the seed.
    pub fn new(seed: u64) -> Lives {
        let mut maker = Maker {
            dice: Dice::new(seed),
            names: 2,
            locals: vec![],
            holders: vec![(0, 0), (1, 1)],
            depth: 1,
            labels: vec![],
            loops: 0,
            tame: seed % 2 == 1,
        };
        let body = maker.body(6);
        let mut program = Lives { body, wrong_result: -1 };
        let results: Vec<i64> = program
            .outcomes()
            .iter()
            .filter_map(|(_, life)| match life {
                Life::Ended(result) => Some(*result),
                Life::Dead => None,
            })
            .collect();
        if maker.dice.one_in(3) && !results.is_empty() {
            program.wrong_result = *maker.dice.of(&results);
        }
        program
    }

    /// The outcome of the execution for each input.
    pub fn outcomes(&self) -> Vec<(i64, Life)> {
        INPUTS.into_iter().map(|input| (input, self.outcome(input))).collect()
    }

    fn outcome(&self, input: i64) -> Life {
        let mut monitor = Monitor {
            input,
            result: 0,
            objects: vec![(GLOBAL, true)],
            blocks: vec![(vec![], BTreeMap::new())],
            locals: BTreeMap::new(),
            holders: BTreeMap::from([(0, 0), (1, 0)]),
        };
        for stmt in &self.body {
            if monitor.run(stmt).is_err() {
                return Life::Dead;
            }
        }
        Life::Ended(monitor.result)
    }

    /// The result that the program takes for an error.
    pub fn wrong_result(&self) -> i64 {
        self.wrong_result
    }

    /// The text of a function `int NAME(int c)`, which gives the result.
    pub fn function(&self, name: &str) -> String {
        let mut text = format!(
            "static int {name}(int c) {{\n    int r = 0;\n    h = &g;\n    g = {GLOBAL};\n    int *q1 = h;\n"
        );
        all_text(&self.body, 1, &mut text);
        text + "    return r;\n}\n"
    }

    /// The text in front of the functions.
    pub fn head() -> String {
        format!(
            "struct s {{ int n[2]; int m; }};\nstatic int g = {GLOBAL};\nstatic int *h = &g;\n\
             static struct s s0 = {{ {{ {STRUCTURE}, 7 }}, 8 }}, s1;\n\
             static struct s make(int k) {{ struct s t = {{ {{ k, k + 1 }}, k }}; return t; }}\n\
             static int get(int *p) {{ return *p; }}\n"
        )
    }
}

fn holder(h: usize) -> String {
    if h == 0 { "h".to_owned() } else { format!("q{h}") }
}

fn target_text(target: &Target) -> String {
    match target {
        Target::Global => "&g".to_owned(),
        Target::Local(v) => format!("&v{v}"),
        Target::Holder(h) => holder(*h),
        Target::Literal(_, k, form) => match form {
            0 => format!("(int[]){{ {k}, 0 }}"),
            1 => format!("&(int){{ {k} }}"),
            2 => format!("(struct s){{ {{ {k} }}, 1 }}.n"),
            _ => format!("&(struct s){{ .m = {k} }}.m"),
        },
        Target::Returned(k) => format!("make({k}).n"),
        Target::Assigned => "(s1 = s0).n".to_owned(),
        Target::Inside(k) => format!("({{ int w = {k}; &w; }})"),
        Target::Through(inner) => format!("({{ int w = 1; g += w - 1; {}; }})", target_text(inner)),
    }
}

fn all_text(body: &[Stmt], depth: usize, out: &mut String) {
    for stmt in body {
        stmt_text(stmt, depth, out);
    }
}

/// A body in braces, or without where it is one statement that needs none.
fn body_text(body: &[Stmt], depth: usize, out: &mut String) {
    let bare = match body {
        [only] => !matches!(only, Stmt::Local(..) | Stmt::Holder(..) | Stmt::Block(_, Some(_))),
        _ => false,
    };
    if bare {
        out.push('\n');
        stmt_text(&body[0], depth + 1, out);
    } else {
        out.push_str(" {\n");
        all_text(body, depth + 1, out);
        _ = writeln!(out, "{}}}", "    ".repeat(depth));
    }
}

fn condition_text(first: InCondition) -> String {
    first.map_or(String::new(), |(h, _, k)| format!("({} = (int[]){{ {k} }})[0] == {k} && ", holder(h)))
}

fn stmt_text(stmt: &Stmt, depth: usize, out: &mut String) {
    let indent = "    ".repeat(depth);
    out.push_str(&indent);
    match stmt {
        Stmt::Local(v, k) => _ = writeln!(out, "int v{v} = {k};"),
        Stmt::Holder(h, target) => _ = writeln!(out, "int *{} = {};", holder(*h), target_text(target)),
        Stmt::Point(h, target) => _ = writeln!(out, "{} = {};", holder(*h), target_text(target)),
        Stmt::Read(h) => _ = writeln!(out, "r += *{};", holder(*h)),
        Stmt::Write(h, k) => _ = writeln!(out, "*{} = {k};", holder(*h)),
        Stmt::Pass(target) => _ = writeln!(out, "r += get({});", target_text(target)),
        Stmt::Block(body, label) => {
            out.push_str("{\n");
            all_text(body, depth + 1, out);
            let label = label.map_or(String::new(), |l| format!(" l{l}: ;"));
            _ = writeln!(out, "{indent}}}{label}");
        }
        Stmt::Branch(Branch { first, yes, no, is_switch }) => {
            let condition = format!("{}c == 1", condition_text(*first));
            if *is_switch {
                _ = writeln!(out, "switch ({condition}) {{\n{indent}case 1: {{");
                all_text(yes, depth + 1, out);
                _ = writeln!(out, "{indent}    break;\n{indent}}}\n{indent}default: {{");
                all_text(no, depth + 1, out);
                _ = writeln!(out, "{indent}}}\n{indent}}}");
                return;
            }
            _ = write!(out, "if ({condition})");
            // An `else` must not belong to an inner `if`.
            let mut part = String::new();
            body_text(yes, depth, &mut part);
            if !part.starts_with(" {") && matches!(yes[0], Stmt::Branch(_) | Stmt::Loop(_)) {
                part = format!(" {{\n{}{indent}}}\n", &part[1..]);
            }
            out.push_str(&part);
            if !no.is_empty() {
                _ = write!(out, "{indent}else");
                body_text(no, depth, out);
            }
        }
        Stmt::Loop(Loop { counter, first, turns, body, is_while }) => {
            let condition = format!("{}i{counter}", condition_text(*first));
            if *is_while {
                _ = write!(out, "int i{counter} = 0;\n{indent}while ({condition}++ < {turns})");
            } else {
                _ = write!(out, "for (int i{counter} = 0; {condition} < {turns}; i{counter}++)");
            }
            body_text(body, depth, out);
        }
        Stmt::Break => out.push_str("break;\n"),
        Stmt::Continue => out.push_str("continue;\n"),
        Stmt::Goto(l) => _ = writeln!(out, "goto l{l};"),
    }
}

struct Maker {
    dice: Dice,
    names: usize,
    /// The locals in scope, with the depths of their blocks.
    locals: Vec<(usize, usize)>,
    holders: Vec<(usize, usize)>,
    depth: usize,
    labels: Vec<usize>,
    loops: usize,
    /// No pointer is kept longer than its object lives.
    tame: bool,
}

impl Maker {
    fn name(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    fn value(&mut self) -> i64 {
        self.dice.within(1, 9)
    }

    /// A holder, with the depth of its block.
    fn holder(&mut self) -> (usize, usize) {
        *self.dice.of(&self.holders)
    }

    /// Something that a pointer of a block of this depth may be made to point to; `inner`: how many blocks of expressions are open.
    fn target(&mut self, depth: usize, inner: usize) -> Target {
        loop {
            let here = self.depth + inner;
            let target = match self.dice.below(9) {
                0 => Target::Global,
                1 | 2 if !self.locals.is_empty() => {
                    let (v, of) = *self.dice.of(&self.locals);
                    if self.tame && of > depth {
                        continue;
                    }
                    Target::Local(v)
                }
                3 => {
                    let (h, of) = self.holder();
                    if self.tame && of > depth {
                        continue;
                    }
                    Target::Holder(h)
                }
                4 | 5 if !self.tame || here <= depth => {
                    let (number, value) = (self.name(), self.value());
                    Target::Literal(number, value, self.dice.below(4))
                }
                6 if inner < 2 => Target::Through(Box::new(self.target(depth, inner + 1))),
                7 if !self.tame => match self.dice.below(3) {
                    0 => Target::Assigned,
                    1 => Target::Inside(self.value()),
                    _ => Target::Returned(self.value()),
                },
                _ => continue,
            };
            return target;
        }
    }

    /// Something that is followed at once.
    fn passed(&mut self) -> Target {
        match self.dice.below(4) {
            0 => Target::Returned(self.value()),
            1 => Target::Assigned,
            _ => self.target(self.depth, 0),
        }
    }

    /// The statements of a block that is being opened.
    fn body(&mut self, size: usize) -> Vec<Stmt> {
        let (locals, holders) = (self.locals.len(), self.holders.len());
        let count = 1 + self.dice.below(size);
        let mut out = vec![];
        for _ in 0..count {
            let stmt = self.stmt(size);
            let leaves = matches!(stmt, Stmt::Break | Stmt::Continue | Stmt::Goto(_));
            out.push(stmt);
            if leaves {
                break;
            }
        }
        if self.depth == 1 {
            out.push(Stmt::Read(1));
            out.push(Stmt::Read(0));
        }
        self.locals.truncate(locals);
        self.holders.truncate(holders);
        out
    }

    /// The statements of an inner block.
    fn inner(&mut self, size: usize, blocks: usize) -> Vec<Stmt> {
        self.depth += blocks;
        let body = self.body(size);
        self.depth -= blocks;
        body
    }

    fn in_condition(&mut self) -> InCondition {
        let (h, depth) = self.holder();
        // The block of the statement is one deeper, and no pointer of a block around it may point there.
        let is_kept = self.tame && depth <= self.depth;
        (self.dice.one_in(4) && !is_kept).then(|| (h, self.name(), self.value()))
    }

    fn stmt(&mut self, size: usize) -> Stmt {
        let deep = self.depth > 5 || size < 3;
        match self.dice.below(if deep { 10 } else { 15 }) {
            0 | 1 => {
                let v = self.name();
                self.locals.push((v, self.depth));
                Stmt::Local(v, self.value())
            }
            2 => {
                let target = self.target(self.depth, 0);
                let h = self.name();
                self.holders.push((h, self.depth));
                Stmt::Holder(h, target)
            }
            3 | 4 => {
                let (h, depth) = self.holder();
                Stmt::Point(h, self.target(depth, 0))
            }
            5 | 6 => Stmt::Read(self.holder().0),
            7 => {
                let value = self.value();
                Stmt::Write(self.holder().0, value)
            }
            8 => Stmt::Pass(self.passed()),
            9 => match self.dice.below(3) {
                0 if self.loops > 0 => Stmt::Break,
                1 if self.loops > 0 => Stmt::Continue,
                2 if !self.labels.is_empty() => Stmt::Goto(*self.dice.of(&self.labels)),
                _ => Stmt::Read(self.holder().0),
            },
            10 | 11 => {
                let label = self.dice.one_in(2).then(|| self.name());
                self.labels.extend(label);
                let body = self.inner(size - 1, 1);
                self.labels.truncate(self.labels.len() - label.iter().len());
                Stmt::Block(body, label)
            }
            12 | 13 => {
                let first = self.in_condition();
                let yes = self.inner(size - 1, 2);
                let no = if self.dice.one_in(2) { self.inner(size - 2, 2) } else { vec![] };
                let is_switch = self.dice.one_in(4) && !breaks(&yes) && !breaks(&no);
                Stmt::Branch(Branch { first, yes, no, is_switch })
            }
            _ => {
                let (counter, first) = (self.name(), self.in_condition());
                self.loops += 1;
                let body = self.inner(size - 1, 2);
                self.loops -= 1;
                let (turns, is_while) = (self.dice.within(1, 3), self.dice.one_in(3));
                let l = Loop { counter, first, turns, body, is_while };
                Stmt::Block(vec![Stmt::Loop(l)], None)
            }
        }
    }
}

/// Whether a `break` leaves what is around the statements.
fn breaks(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::Break => true,
        Stmt::Block(body, _) => breaks(body),
        Stmt::Branch(branch) => breaks(&branch.yes) || breaks(&branch.no),
        _ => false,
    })
}
