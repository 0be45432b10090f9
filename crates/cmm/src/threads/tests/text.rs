//! Random threads as programs in C--.

use crate::program::Program;
use crate::{check, parse};
use std::fmt::Write;
use testing::threads::{Condition, Ending, LOCKS, Place, Statement, Value};

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

    fn branches(&mut self, c: &Condition, from: usize, (holds, fails): (usize, usize)) {
        self.edge(from, &format!("assume({})", condition(c, c.is_equal())), holds);
        self.edge(from, &format!("assume({})", condition(c, !c.is_equal())), fails);
    }

    fn add(&mut self, mut here: usize, statements: &[Statement]) -> usize {
        for s in statements {
            let next = self.location();
            match s {
                Statement::Set(to, v) => self.edge(here, &format!("{} = {}", place(*to), value(v)), next),
                Statement::Point(to, at) => {
                    self.edge(here, &format!("{} = &{}", to.name(), place(*at)), next);
                }
                Statement::Copy(to) => {
                    self.edge(here, &format!("{} = {}", to.name(), to.other().name()), next);
                }
                Statement::If(c, body) => {
                    let inner = self.location();
                    self.branches(c, here, (inner, next));
                    let end = self.add(inner, body);
                    self.edge(end, "skip", next);
                }
                Statement::While(c) => self.branches(c, here, (here, next)),
                Statement::Twice(body) => {
                    let [head, inner, behind] = [0; 3].map(|_| self.location());
                    self.edge(here, "k = 0", head);
                    self.edge(head, "assume(k < 2)", inner);
                    let end = self.add(inner, body);
                    self.edge(end, "k = k + 1", head);
                    self.edge(head, "assume(k >= 2)", behind);
                    self.edge(behind, "k = 0", next);
                }
                Statement::Atomic(body) => {
                    let inner = self.location();
                    self.edge(here, "slam_atomic_begin()", inner);
                    let end = self.add(inner, body);
                    self.edge(end, "slam_atomic_end()", next);
                }
                Statement::Acquire(lock) => {
                    let [waiting, taking, taken] = [0; 3].map(|_| self.location());
                    self.edge(here, "slam_atomic_begin()", waiting);
                    self.edge(waiting, &format!("slam_wait({} == 0)", LOCKS[*lock]), taking);
                    self.edge(taking, &format!("{} = 1", LOCKS[*lock]), taken);
                    self.edge(taken, "slam_atomic_end()", next);
                }
                Statement::Release(lock) => {
                    let [inner, end] = [0; 2].map(|_| self.location());
                    self.edge(here, "slam_atomic_begin()", inner);
                    self.edge(inner, &format!("{} = 0", LOCKS[*lock]), end);
                    self.edge(end, "slam_atomic_end()", next);
                }
                Statement::Wait(c) => {
                    self.edge(here, &format!("slam_wait({})", condition(c, c.is_equal())), next);
                }
                Statement::Check(c) => {
                    self.edge(here, &format!("check(c#, {})", condition(c, c.is_equal())), next);
                }
            }
            here = next;
        }
        here
    }
}

fn place(p: Place) -> String {
    match p {
        Place::X => "x".into(),
        Place::Y => "y".into(),
        Place::R => "r".into(),
        Place::Element(n) => format!("a[{n}]"),
        Place::Counted => "a[k]".into(),
        Place::At(p) => format!("*{}", p.name()),
    }
}

fn value(v: &Value) -> String {
    match v {
        Value::Number(n) => n.to_string(),
        Value::Of(p) => place(*p),
        Value::Sum(a, b) => format!("{} + {}", place(*a), place(*b)),
    }
}

fn condition(c: &Condition, equal: bool) -> String {
    let sign = if equal { "==" } else { "!=" };
    match c {
        Condition::Numbers { left, right, .. } => format!("{} {sign} {}", place(*left), value(right)),
        Condition::Leads { to, .. } => format!("q {sign} &{}", place(*to)),
    }
}

pub(super) const OPERATIONS: &str = "thread extern unsigned long slam_start(void *(*)(void *), void *);\n\
    thread extern void slam_atomic_begin(void);\nthread extern void slam_atomic_end(void);\n\
    thread extern void slam_wait(int);\nthread extern void slam_exit(void *);\n\
    thread extern void *slam_join(unsigned long);\n";

/// What threads share gets its values, then a thread its own.
const SHARED: [&str; 7] = ["x = 0", "y = 0", "a[0] = 0", "a[1] = 0", "p = 0", "m = 0", "n = 0"];
const OWN: [&str; 3] = ["r = 0", "k = 0", "q = 0"];

/// The program in C--.
pub(super) fn program(threads: &[Vec<Statement>], ending: Ending) -> Program {
    let mut bodies = String::new();
    let mut checks = vec![];
    for (t, statements) in threads.iter().enumerate() {
        let mut code = Text { out: String::new(), next: OWN.len() + 1 };
        for (n, op) in OWN.iter().enumerate() {
            code.edge(n, op, n + 1);
        }
        let end = code.add(OWN.len(), statements);
        _ = writeln!(
            bodies,
            "proc void *t{t}(void *arg) {{\nreturn void *ret__;\nlocal int r;\nlocal int k;\nlocal int *q;\n\
             entry L0; exit L{end};"
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
        write_lines(&mut bodies, &lines);
        bodies.push_str("}\n");
    }
    let mut out = String::from(
        "entry main;\nglobal int x;\nglobal int y;\nglobal int a[2];\nglobal int *p;\nglobal int m;\nglobal int n;\n",
    );
    for (n, t) in checks.iter().enumerate() {
        _ = writeln!(out, "check c{n} reach in t{t} \"c\";");
    }
    let starts = (0..threads.len()).map(|t| format!("id{t} = slam_start(&t{t}, 0)"));
    let mut ops: Vec<String> = SHARED.iter().map(|op| (*op).to_owned()).chain(starts).collect();
    if ending == Ending::Joins {
        ops.extend((0..threads.len()).map(|t| format!("slam_join(id{t})")));
        ops.push("slam_exit(0)".into());
    }
    let lines = ops.iter().enumerate().map(|(n, op)| vec![format!("{op}; goto L{};", n + 1)]);
    let lines: Vec<Vec<String>> = lines.chain([vec![]]).collect();
    _ = writeln!(
        out,
        "proc void main(void) {{\nlocal unsigned long id0;\nlocal unsigned long id1;\nlocal unsigned long id2;\n\
         entry L0; exit L{};",
        ops.len()
    );
    write_lines(&mut out, &lines);
    _ = writeln!(out, "}}\n{bodies}{OPERATIONS}");
    let program = parse::program(&out).unwrap_or_else(|e| panic!("{e:?}\n{out}"));
    assert_eq!(check::check(&program), Vec::<String>::new(), "{out}");
    program
}

fn write_lines(out: &mut String, lines: &[Vec<String>]) {
    let mut e = 0;
    for (l, ops) in lines.iter().enumerate() {
        _ = writeln!(out, "L{l}:");
        for op in ops {
            _ = writeln!(out, "  e{e}: {op}");
            e += 1;
        }
    }
}
