//! Random threads as programs in C--.

use ir::program::Program;
use ir::{check, parse};
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

/// Initial values of shared variables, then of a thread's own.
const SHARED: [&str; 7] = ["x = 0", "y = 0", "a[0] = 0", "a[1] = 0", "p = 0", "m = 0", "n = 0"];
const OWN: [&str; 3] = ["r = 0", "k = 0", "q = 0"];

/// The program in C-- in which a loop starts any number of the first thread, beside the second one.
pub(super) fn looping(threads: &[Vec<Statement>]) -> Program {
    let mut bodies = Bodies::of(threads);
    let ops: Vec<&str> = SHARED.into_iter().chain(OWN).chain(["id1 = slam_start(&t1, 0)"]).collect();
    let mut code = begun(&ops);
    let (head, end) = (ops.len(), code.location());
    code.edge(head, "id0 = slam_start(&t0, 0)", head);
    code.edge(head, "skip", end);
    bodies.add("main", "void", &code, end);
    bodies.program()
}

/// The program in C--.
pub(super) fn program(threads: &[Vec<Statement>], ending: &Ending) -> Program {
    let mut bodies = Bodies::of(threads);
    let starts: Vec<String> = (0..threads.len()).map(|t| format!("id{t} = slam_start(&t{t}, 0)")).collect();
    let ops: Vec<&str> = SHARED.into_iter().chain(OWN).chain(starts.iter().map(String::as_str)).collect();
    let mut code = begun(&ops);
    let mut end = ops.len();
    if let Ending::Joins(behind) = ending {
        for (t, statements) in behind.iter().enumerate() {
            let joined = code.location();
            code.edge(end, &format!("slam_join(id{t})"), joined);
            end = code.add(joined, statements);
        }
        let ended = code.location();
        code.edge(end, "slam_exit(0)", ended);
        end = ended;
    }
    bodies.add("main", "void", &code, end);
    bodies.program()
}

/// Procedures.
#[derive(Default)]
struct Bodies {
    out: String,
    /// The procedures that the checks are in.
    checks: Vec<String>,
}

/// Code that begins with these operations.
fn begun(ops: &[&str]) -> Text {
    let mut code = Text { out: String::new(), next: ops.len() + 1 };
    ops.iter().enumerate().for_each(|(n, op)| code.edge(n, op, n + 1));
    code
}

impl Bodies {
    /// The bodies of threads.
    fn of(threads: &[Vec<Statement>]) -> Bodies {
        let mut bodies = Bodies::default();
        for (t, statements) in threads.iter().enumerate() {
            let mut code = begun(&OWN);
            let end = code.add(OWN.len(), statements);
            bodies.add(&format!("t{t}"), "void *arg", &code, end);
        }
        bodies
    }

    fn program(&self) -> Program {
        let mut out = String::from(
            "entry main;\nglobal int x;\nglobal int y;\nglobal int a[2];\nglobal int *p;\nglobal int m;\nglobal int n;\n",
        );
        for (n, name) in self.checks.iter().enumerate() {
            _ = writeln!(out, "check c{n} reach in {name} \"c\";");
        }
        _ = writeln!(out, "{}{OPERATIONS}", self.out);
        let program = parse::program(&out).unwrap_or_else(|e| panic!("{e:?}\n{out}"));
        assert_eq!(check::check(&program), Vec::<String>::new(), "{out}");
        program
    }

    fn add(&mut self, name: &str, parameter: &str, code: &Text, end: usize) {
        let (ty, ret) = if name == "main" { ("void ", "") } else { ("void *", "return void *ret__;\n") };
        _ = writeln!(
            self.out,
            "proc {ty}{name}({parameter}) {{\n{ret}local int r;\nlocal int k;\nlocal int *q;\nlocal unsigned long id0;\n\
             local unsigned long id1;\nlocal unsigned long id2;\nentry L0; exit L{end};"
        );
        let mut lines: Vec<Vec<String>> = vec![vec![]; code.next];
        for line in code.out.lines() {
            let (from, op) = line.split_once(' ').expect("edges begin with their location");
            let mut op = op.to_owned();
            if op.contains("c#") {
                op = op.replace("c#", &format!("c{}", self.checks.len()));
                self.checks.push(name.to_owned());
            }
            lines[from.parse::<usize>().expect("a number")].push(op);
        }
        write_lines(&mut self.out, &lines);
        self.out.push_str("}\n");
    }
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
