//! Random programs with threads: the sequential program can fail its check exactly if some schedule of the threads does, found
//! by trying all of them, one access at a time.

use super::build::{Build, Extent};
use super::pointed::pointed;
use super::{Bounds, interleaved};
use crate::expr::Lvalue;
use crate::program::{CheckId, CheckKind, LocId, Op, Program};
use crate::{check, parse};
use base::{Id, IndexVec};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use testing::Dice;

/// Variables: 0 and 1 are shared, 2 is each thread's own.
type Name = usize;

#[derive(Clone, Debug)]
enum Value {
    Number(i128),
    Of(Name),
    Sum(Name, Name),
}

#[derive(Clone, Debug)]
struct Condition {
    left: Name,
    equal: bool,
    right: Value,
}

#[derive(Clone, Debug)]
enum Statement {
    Set(Name, Value),
    If(Condition, Vec<Statement>),
    While(Condition),
    Atomic(Vec<Statement>),
    Wait(Condition),
    Check(Condition),
}

fn value(dice: &mut Dice) -> Value {
    match dice.below(4) {
        0 | 1 => Value::Number(dice.below(3) as i128),
        2 => Value::Of(dice.below(3)),
        _ => Value::Sum(dice.below(3), dice.below(3)),
    }
}

fn condition(dice: &mut Dice) -> Condition {
    let right = if dice.one_in(3) { Value::Of(dice.below(3)) } else { Value::Number(dice.below(3) as i128) };
    Condition { left: dice.below(3), equal: dice.one_in(2), right }
}

fn statements(dice: &mut Dice, most: usize, deep: bool) -> Vec<Statement> {
    (0..=dice.below(most)).map(|_| statement(dice, deep)).collect()
}

fn statement(dice: &mut Dice, deep: bool) -> Statement {
    match dice.below(if deep { 10 } else { 5 }) {
        0..=2 => Statement::Set(dice.below(3), value(dice)),
        3 => Statement::Check(condition(dice)),
        4 => Statement::If(condition(dice), statements(dice, 2, false)),
        5 => Statement::Wait(condition(dice)),
        6 => Statement::While(condition(dice)),
        7 => Statement::Atomic(statements(dice, 3, false)),
        8 => Statement::If(condition(dice), statements(dice, 2, true)),
        _ => Statement::Set(dice.below(2), Value::Sum(dice.below(2), dice.below(2))),
    }
}

/// What a thread does in one turn.
#[derive(Clone, Debug)]
enum Turn {
    /// A shared variable is read into a place of the thread's own.
    Read(usize, Name),
    Write(Name, usize, Option<usize>),
    Number(usize, i128),
    /// Goes there unless the two are equal, or differ.
    Unless(bool, usize, usize, usize),
    Jump(usize),
    Begin,
    End,
    Wait(Condition),
    Check(bool, usize, usize),
}

/// Where the thread's own variables begin.
const OWN: usize = 2;
/// Where places of the thread's own for what was read begin.
const TEMPS: usize = 3;

/// The turns of a thread.
#[derive(Default)]
struct Turns {
    turns: Vec<Turn>,
    temps: usize,
}

impl Turns {
    fn operand(&mut self, value: &Value) -> (usize, Option<usize>) {
        match value {
            Value::Number(n) => {
                let t = self.temp();
                self.turns.push(Turn::Number(t, *n));
                (t, None)
            }
            Value::Of(v) => (self.read(*v), None),
            Value::Sum(a, b) => (self.read(*a), Some(self.read(*b))),
        }
    }

    fn temp(&mut self) -> usize {
        self.temps += 1;
        TEMPS + self.temps - 1
    }

    fn read(&mut self, v: Name) -> usize {
        if v == OWN {
            return v;
        }
        let t = self.temp();
        self.turns.push(Turn::Read(t, v));
        t
    }

    fn sides(&mut self, c: &Condition) -> (usize, usize) {
        let left = self.read(c.left);
        (left, self.operand(&c.right).0)
    }

    fn add(&mut self, statements: &[Statement]) {
        for s in statements {
            self.temps = 0;
            match s {
                Statement::Set(v, value) => {
                    let (a, b) = self.operand(value);
                    self.turns.push(Turn::Write(*v, a, b));
                }
                Statement::If(c, body) => {
                    let (a, b) = self.sides(c);
                    let at = self.turns.len();
                    self.turns.push(Turn::Begin);
                    self.add(body);
                    self.turns[at] = Turn::Unless(c.equal, a, b, self.turns.len());
                }
                Statement::While(c) => {
                    let head = self.turns.len();
                    let (a, b) = self.sides(c);
                    self.turns.push(Turn::Unless(c.equal, a, b, self.turns.len() + 2));
                    self.turns.push(Turn::Jump(head));
                }
                Statement::Atomic(body) => {
                    self.turns.push(Turn::Begin);
                    self.add(body);
                    self.turns.push(Turn::End);
                }
                Statement::Wait(c) => self.turns.push(Turn::Wait(c.clone())),
                Statement::Check(c) => {
                    let (a, b) = self.sides(c);
                    self.turns.push(Turn::Check(c.equal, a, b));
                }
            }
        }
    }
}

/// What is shared, then of each thread where it is and what it has.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    shared: [i128; 2],
    threads: Vec<(usize, [i128; 8])>,
    inside: Option<usize>,
}

/// Values beyond this end an execution, so that there are finitely many.
const LARGEST: i128 = 6;

/// Whether some schedule fails a check.
fn fails(threads: &[Vec<Turn>]) -> bool {
    let first = State { shared: [0; 2], threads: vec![(0, [0; 8]); threads.len()], inside: None };
    let (mut seen, mut work) = (BTreeSet::from([first.clone()]), vec![first]);
    while let Some(state) = work.pop() {
        for (t, turns) in threads.iter().enumerate() {
            if state.inside.is_some_and(|i| i != t) {
                continue;
            }
            let (at, own) = state.threads[t];
            let Some(turn) = turns.get(at) else { continue };
            let mut next = state.clone();
            next.threads[t].0 += 1;
            let of = |v: Name| if v < OWN { state.shared[v] } else { own[v] };
            match turn {
                Turn::Read(to, v) => next.threads[t].1[*to] = of(*v),
                Turn::Number(to, n) => next.threads[t].1[*to] = *n,
                Turn::Write(v, a, b) => {
                    let value = own[*a] + b.map_or(0, |b| own[b]);
                    if value > LARGEST {
                        continue;
                    }
                    if *v < OWN { next.shared[*v] = value } else { next.threads[t].1[*v] = value }
                }
                Turn::Unless(equal, a, b, to) if (own[*a] == own[*b]) != *equal => next.threads[t].0 = *to,
                Turn::Unless(..) => {}
                Turn::Jump(to) => next.threads[t].0 = *to,
                Turn::Begin => next.inside = Some(t),
                Turn::End => next.inside = None,
                Turn::Wait(c) => {
                    let right = match c.right {
                        Value::Number(n) => n,
                        Value::Of(v) | Value::Sum(v, _) => of(v),
                    };
                    if (of(c.left) == right) != c.equal {
                        continue;
                    }
                }
                Turn::Check(equal, a, b) => {
                    if (own[*a] == own[*b]) != *equal {
                        return true;
                    }
                }
            }
            // What was read is of no use behind its statement.
            if !matches!(turn, Turn::Read(..) | Turn::Number(..)) {
                next.threads[t].1[TEMPS..].fill(0);
            }
            if seen.insert(next.clone()) {
                work.push(next);
            }
        }
    }
    false
}

/// The text of a thread's procedure.
struct Text {
    out: String,
    next: usize,
}

impl Text {
    fn location(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    fn edge(&mut self, from: usize, op: &str, to: usize) {
        _ = writeln!(self.out, "{from} {op}; goto L{to};");
    }

    fn add(&mut self, mut here: usize, statements: &[Statement]) -> usize {
        for s in statements {
            let next = self.location();
            match s {
                Statement::Set(v, value) => self.edge(here, &format!("{} = {}", name(*v), text(value)), next),
                Statement::If(c, body) => {
                    let inner = self.location();
                    self.edge(here, &format!("assume({})", text_of(c, c.equal)), inner);
                    self.edge(here, &format!("assume({})", text_of(c, !c.equal)), next);
                    let end = self.add(inner, body);
                    self.edge(end, "skip", next);
                }
                Statement::While(c) => {
                    self.edge(here, &format!("assume({})", text_of(c, c.equal)), here);
                    self.edge(here, &format!("assume({})", text_of(c, !c.equal)), next);
                }
                Statement::Atomic(body) => {
                    let inner = self.location();
                    self.edge(here, "slam_atomic_begin()", inner);
                    let end = self.add(inner, body);
                    self.edge(end, "slam_atomic_end()", next);
                }
                Statement::Wait(c) => self.edge(here, &format!("slam_wait({})", text_of(c, c.equal)), next),
                Statement::Check(c) => self.edge(here, &format!("check(c#, {})", text_of(c, c.equal)), next),
            }
            here = next;
        }
        here
    }
}

fn name(v: Name) -> &'static str {
    ["x", "y", "r"][v]
}

fn text(value: &Value) -> String {
    match value {
        Value::Number(n) => n.to_string(),
        Value::Of(v) => name(*v).to_owned(),
        Value::Sum(a, b) => format!("{} + {}", name(*a), name(*b)),
    }
}

fn text_of(c: &Condition, equal: bool) -> String {
    format!("{} {} {}", name(c.left), if equal { "==" } else { "!=" }, text(&c.right))
}

const OPERATIONS: &str = "thread extern unsigned long slam_start(void *(*)(void *), void *);\n\
    thread extern void slam_atomic_begin(void);\nthread extern void slam_atomic_end(void);\n\
    thread extern void slam_wait(int);\n";

/// The program in C--.
fn program(threads: &[Vec<Statement>]) -> Program {
    let mut bodies = String::new();
    let mut checks = vec![];
    for (t, statements) in threads.iter().enumerate() {
        let mut code = Text { out: String::new(), next: 1 };
        code.edge(0, "r = 0", 1);
        code.next = 2;
        let end = code.add(1, statements);
        _ = writeln!(
            bodies,
            "proc void *t{t}(void *a) {{\nreturn void *ret__;\nlocal int r;\nentry L0; exit L{end};"
        );
        let mut lines: Vec<Vec<String>> = vec![vec![]; code.next];
        for line in code.out.lines() {
            let (from, op) = line.split_once(' ').expect("edges begin with their location");
            let mut op = op.to_owned();
            if op.contains("c#") {
                op = op.replace("c#", &format!("c{}", checks.len()));
                checks.push(t);
            }
            lines[from.parse::<usize>().expect("a number")].push(op);
        }
        let mut e = 0;
        for (l, ops) in lines.iter().enumerate() {
            _ = writeln!(bodies, "L{l}:");
            for op in ops {
                _ = writeln!(bodies, "  e{e}: {op}");
                e += 1;
            }
        }
        bodies.push_str("}\n");
    }
    let mut out = String::from("entry main;\nglobal int x;\nglobal int y;\n");
    for (n, t) in checks.iter().enumerate() {
        _ = writeln!(out, "check c{n} reach in t{t} \"c\";");
    }
    out.push_str("proc void main(void) {\nlocal unsigned long id;\n");
    let last = threads.len() + 2;
    _ = writeln!(out, "entry L0; exit L{last};\nL0:\n e0: x = 0; goto L1;\nL1:\n e1: y = 0; goto L2;");
    for t in 0..threads.len() {
        let (from, e, to) = (t + 2, t + 2, t + 3);
        _ = writeln!(out, "L{from}:\n e{e}: id = slam_start(&t{t}, 0); goto L{to};");
    }
    _ = writeln!(out, "L{last}:\n}}\n{bodies}{OPERATIONS}");
    let program = parse::program(&out).unwrap_or_else(|e| panic!("{e:?}\n{out}"));
    assert_eq!(check::check(&program), Vec::<String>::new(), "{out}");
    program
}

/// Whether an execution of the sequential program fails a check of this kind, by trying all.
fn can_fail(program: &Program, kind: CheckKind) -> bool {
    let is_asked = |check: CheckId| program.checks[check].kind == kind;
    let call = program.procs[program.entry].edges.iter().find_map(|e| e.op.calls());
    let proc = &program.procs[call.expect("the entry calls what takes the turns")];
    let out: IndexVec<LocId, _> = proc.successors();
    type Values = BTreeMap<Lvalue, i128>;
    let first: (LocId, Values) = (proc.entry, Values::new());
    let (mut seen, mut work) = (BTreeSet::from([(first.0.index(), first.1.clone())]), vec![first]);
    while let Some((at, values)) = work.pop() {
        for e in &out[at] {
            let edge = &proc.edges[*e];
            let known = |e| super::values::eval(program, &|lv| values.get(lv).copied(), e);
            let mut next = values.clone();
            match &edge.op {
                Op::Skip => {}
                Op::Assume(c) if known(c) == Some(0) => continue,
                Op::Assume(c) => assert!(known(c).is_some(), "{c:?} is known"),
                Op::Check(check, c) if known(c) == Some(0) && is_asked(*check) => return true,
                Op::Check(_, c) if known(c) == Some(0) => continue,
                Op::Check(_, c) => assert!(known(c).is_some(), "{c:?} is known"),
                Op::Assign(lv, e) => {
                    let value = known(e);
                    if value.is_some_and(|v| v > LARGEST) {
                        continue;
                    }
                    match value {
                        Some(v) => _ = next.insert(lv.clone(), v),
                        None => _ = next.remove(lv),
                    }
                }
                op => panic!("{op:?} is not expected"),
            }
            if seen.insert((edge.dst.index(), next.clone())) {
                work.push((edge.dst, next));
            }
        }
    }
    false
}

#[test]
fn schedules_are_those_of_threads() {
    let cases = std::env::var("THREADS_RANDOM_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    let (mut failing, mut told, mut found) = (0, 0, 0);
    for seed in 0..cases {
        let dice = &mut Dice::new(seed);
        let threads: Vec<_> = (0..2 + dice.below(2)).map(|t| statements(dice, [4, 3, 1][t], t < 2)).collect();
        let turns: Vec<Vec<Turn>> = threads
            .iter()
            .map(|s| {
                let mut turns = Turns::default();
                turns.add(s);
                turns.turns
            })
            .collect();
        let expected = fails(&turns);
        failing += u64::from(expected);
        let program = program(&threads);
        let judged = |made: Program| {
            assert_eq!(check::check(&made), Vec::<String>::new(), "seed {seed}");
            let [fails, left] = [CheckKind::Reach, CheckKind::Unmodelled].map(|kind| can_fail(&made, kind));
            (fails, left, made.edges().count())
        };
        let product = |extent, bounds, in_part| {
            let mut build = Build::new(program.clone(), pointed(&program), bounds, extent);
            let found = build.search().expect("the threads are small");
            let made = if in_part { build.part(&found).map(Some) } else { build.whole(&found) };
            made.expect("the threads are small").map(judged)
        };
        let all = Bounds { edges: usize::MAX, moments: usize::MAX, ..Bounds::default() };
        let extents = [Extent::Counting, Extent::Whole, Extent::Coarse];
        let mut size = 0;
        for extent in extents {
            let (fails, left, edges) = product(extent, all, false).expect("nothing bounds it");
            assert_eq!((fails, left), (expected, false), "seed {seed}, {extent:?}: {threads:#?}");
            size = edges;
        }
        // Nothing that a part finds is wrong, and what it leaves out is told.
        let edges = Bounds { edges: dice.below(size), ..all };
        let moments = Bounds { part: dice.below(size), moments: dice.below(size), ..edges };
        let mut parts: Vec<_> =
            extents.into_iter().filter_map(|extent| product(extent, edges, false)).collect();
        parts.extend(product(Extent::Counting, moments, false));
        parts.extend(extents.into_iter().filter_map(|extent| product(extent, moments, true)));
        for (fails, left, _) in &parts {
            assert!(*fails <= expected && expected <= (*fails || *left), "seed {seed}: {threads:#?}");
        }
        let (fails, left, _) = parts.pop().expect("a part is always written");
        told += u64::from(!fails && left);
        found += u64::from(fails);
    }
    assert!(
        told * 20 > cases && found * 20 > cases,
        "of {cases}, {found} parts fail, {told} leave something out"
    );
    assert!(failing * 5 > cases && failing * 5 < cases * 4, "{failing} of {cases} fail");
}

#[test]
fn arguments_arrive() {
    let text = format!(
        "entry main;\nglobal int x;\ncheck c0 reach in main \"c\";\n\
         proc void main(void) {{\nlocal unsigned long id;\nlocal void *p;\nentry L0; exit L3;\n\
         L0:\n e0: havoc(p, uninit); goto L1;\nL1:\n e1: id = slam_start(&t, p); goto L2;\n\
         L2:\n e2: check(c0, x == 0); goto L3;\nL3:\n}}\n\
         proc void *t(void *a) {{\nreturn void *ret__;\nentry L0; exit L1;\n\
         L0:\n e0: ret__ = a; goto L1;\nL1:\n}}\n{OPERATIONS}"
    );
    let program = parse::program(&text).unwrap_or_else(|e| panic!("{e:?}"));
    let sequential = interleaved(&program, Bounds::default()).expect("it is small");
    assert_eq!(check::check(&sequential), Vec::<String>::new());
    assert!(crate::print::program(&sequential, None).contains("a__t2 = p;"));
}
