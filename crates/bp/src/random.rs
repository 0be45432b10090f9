//! Random well-formed programs, for the tests of this crate and of the engines. Every construct of the
//! language occurs: recursion, several results, `choose`, `constrain`, `enforce`, labels, `init`; in [`concurrent`]
//! programs those of threads, too.
//!
//! A program is a function of a list of numbers, and shorter lists and smaller numbers give smaller
//! programs, so that a property-testing library can shrink a failing one.

use crate::ast::{Proc, Program, Start, Stmt, StmtId, StmtIds, StmtKind, Thread};
use crate::expr::{BinOp, Expr};
use crate::name::{Ident, Name};
use base::Id;

/// Where decisions come from: the numbers in turn, then zeros.
pub struct Choices<'a> {
    numbers: &'a [u16],
    at: usize,
}

impl<'a> Choices<'a> {
    /// Decisions from these numbers.
    pub fn new(numbers: &'a [u16]) -> Choices<'a> {
        Choices { numbers, at: 0 }
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        let number = self.numbers.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        number as usize % n
    }

    fn exhausted(&self) -> bool {
        self.at >= self.numbers.len()
    }
}

/// How large the parts of a program may get.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Most globals.
    pub globals: usize,
    /// Most procedures.
    pub procs: usize,
    /// Most formals, locals and results, each, of a procedure.
    pub locals: usize,
    /// Most statements in a list.
    pub stmts: usize,
    /// How deep statements may be nested.
    pub depth: usize,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape { globals: 2, procs: 3, locals: 2, stmts: 4, depth: 2 }
    }
}

/// A sequential program that the checker accepts; the entry is `main`, statements are numbered in the order of
/// the text.
pub fn program(choices: &mut Choices<'_>, shape: Shape) -> Program {
    let mut program = any_program(choices, shape, false);
    program.renumber();
    program
}

/// A concurrent program that the checker accepts, unless it came out sequential.
pub fn concurrent(choices: &mut Choices<'_>, shape: Shape) -> Program {
    let mut program = any_program(choices, shape, true);
    if choices.below(3) > 0 {
        let count = 1 + choices.below(2);
        for i in 0..count {
            let Program { globals, procs, remarks, .. } = any_program(choices, shape, true);
            program.threads.push(Thread { name: format!("t{i}").into(), globals, remarks, procs });
        }
        program.procs.clear();
        // It may call them.
        program.init.clear();
    }
    program.renumber();
    program
}

fn any_program(choices: &mut Choices<'_>, shape: Shape, threads: bool) -> Program {
    let globals: Vec<Ident> = (0..choices.below(shape.globals + 1)).map(global_name).collect();
    let count = 1 + choices.below(shape.procs);
    let mut procs: Vec<Proc> = Vec::new();
    for i in 0..count {
        let mut proc = Proc::new(if i == 0 { "main".to_owned() } else { format!("f{i}") });
        proc.returns = choices.below(shape.locals + 1);
        proc.formals = (0..choices.below(shape.locals + 1)).map(|k| Ident::from(format!("a{k}"))).collect();
        proc.locals = (0..choices.below(shape.locals + 1)).map(|k| Ident::from(format!("l{k}"))).collect();
        if i > 0 && choices.below(6) == 5 {
            proc.above = vec!["end".into(), String::new()];
            proc.remarks.extend(proc.locals.last().map(|var| (var.clone(), "x < 1".to_owned())));
        }
        procs.push(proc);
    }
    for i in 0..count {
        let vars = [&globals[..], &procs[i].formals, &procs[i].locals].concat();
        let returns = Some(procs[i].returns);
        let mut gen_ = Gen { choices, shape, procs: &procs, vars, returns, threads, labels: 0 };
        let enforce = (gen_.choices.below(6) == 5).then(|| gen_.expr(2, false));
        let mut body = gen_.stmts(shape.depth, true);
        let labels = gen_.labels;
        mend_gotos(&mut body, labels);
        procs[i].enforce = enforce;
        procs[i].body = body;
    }
    let mut init = vec![];
    if choices.below(4) == 3 {
        let vars = globals.clone();
        let mut gen_ = Gen { choices, shape, procs: &procs, vars, returns: None, threads: false, labels: 0 };
        init = gen_.stmts(1, true);
        let labels = gen_.labels;
        mend_gotos(&mut init, labels);
    }
    let remarks = globals.first().filter(|_| choices.below(4) == 3).map(|var| (var.clone(), "y == 0".into()));
    Program { globals, init, procs, remarks: remarks.into_iter().collect(), ..Program::default() }
}

fn global_name(k: usize) -> Ident {
    if k == 1 { Name::predicate("*p == {1}").into() } else { format!("g{k}").into() }
}

/// A jump to a label that was not made after all becomes a jump to one that was, or nothing.
fn mend_gotos(body: &mut [Stmt], labels: usize) {
    for stmt in body {
        match &mut stmt.kind {
            StmtKind::Goto(_) | StmtKind::StartThread(Start::Goto(_)) if labels == 0 => {
                stmt.kind = StmtKind::Skip;
            }
            StmtKind::Goto(targets) => targets.iter_mut().for_each(|target| mend_goto(target, labels)),
            StmtKind::StartThread(Start::Goto(target)) => mend_goto(target, labels),
            StmtKind::If { arms, otherwise } => {
                arms.iter_mut().for_each(|(_, list)| mend_gotos(list, labels));
                mend_gotos(otherwise, labels);
            }
            StmtKind::While { body, .. } | StmtKind::Atomic(body) => mend_gotos(body, labels),
            _ => {}
        }
    }
}

fn mend_goto(target: &mut Ident, labels: usize) {
    let k: usize = target.name.as_str()[1..].parse().expect("targets are made as L<number>");
    *target = format!("L{}", k % labels).into();
}

struct Gen<'a, 'b> {
    choices: &'a mut Choices<'b>,
    shape: Shape,
    procs: &'a [Proc],
    vars: Vec<Ident>,
    /// What a `return` gives; `None` where there is none.
    returns: Option<usize>,
    /// Whether threads are mentioned.
    threads: bool,
    labels: usize,
}

impl Gen<'_, '_> {
    fn stmts(&mut self, depth: usize, at_top: bool) -> Vec<Stmt> {
        let mut most = self.choices.below(self.shape.stmts + 1);
        if at_top {
            most += 1;
        }
        let mut out = Vec::new();
        for _ in 0..most {
            let mut stmt = Stmt::new(StmtId::from_index(0), StmtKind::Skip);
            if self.choices.below(5) == 4 {
                stmt = stmt.with_label(format!("L{}", self.labels));
                self.labels += 1;
            }
            match self.choices.below(12) {
                9 => stmt.notes.above = vec!["file f.c line 12".into()],
                10 => stmt = stmt.with_comment("x = *p;"),
                11 => stmt = stmt.with_comment("y++;").with_origin("f.c:12 e3"),
                _ => {}
            }
            stmt.kind = self.kind(depth);
            out.push(stmt);
            if self.choices.exhausted() {
                break;
            }
        }
        out
    }

    fn kind(&mut self, depth: usize) -> StmtKind {
        if self.threads && self.choices.below(4) == 3 {
            return self.thread_kind(depth);
        }
        match self.choices.below(16) {
            0 => StmtKind::Skip,
            1..=3 => self.assign(),
            4 | 5 => self.call(),
            6 | 7 if depth > 0 => {
                let arms = (0..1 + self.choices.below(2))
                    .map(|_| (self.expr(1, false), self.stmts(depth - 1, false)))
                    .collect();
                StmtKind::If { arms, otherwise: self.stmts(depth - 1, false) }
            }
            8 if depth > 0 => {
                StmtKind::While { cond: self.expr(1, false), body: self.stmts(depth - 1, false) }
            }
            9 => StmtKind::Goto(
                (0..1 + self.choices.below(2))
                    .map(|_| Ident::from(format!("L{}", self.choices.below(4))))
                    .collect(),
            ),
            10 => {
                let constrain = (self.choices.below(4) == 3).then(|| Box::new(self.expr(1, true)));
                StmtKind::Assume { cond: self.expr(2, false), constrain }
            }
            11 | 12 => StmtKind::Assert(self.expr(2, false)),
            13 => match self.returns {
                Some(returns) => StmtKind::Return((0..returns).map(|_| self.expr(1, false)).collect()),
                None => StmtKind::Skip,
            },
            14 => match self.some_vars(2) {
                vars if vars.is_empty() => StmtKind::Skip,
                vars => StmtKind::Dead(vars),
            },
            15 => StmtKind::Print(vec![self.expr(1, false)]),
            _ => self.assign(),
        }
    }

    fn thread_kind(&mut self, depth: usize) -> StmtKind {
        match self.choices.below(6) {
            0 => StmtKind::StartThread(Start::Goto(format!("L{}", self.choices.below(4)).into())),
            1 => {
                let callee = &self.procs[self.choices.below(self.procs.len())];
                let args = callee.formals.iter().map(|_| self.expr(1, false)).collect();
                StmtKind::StartThread(Start::Call { callee: callee.name.clone(), args })
            }
            2 => StmtKind::EndThread,
            3 => StmtKind::AtomicBegin,
            4 if depth > 0 => StmtKind::Atomic(self.stmts(depth - 1, false)),
            _ => StmtKind::AtomicEnd,
        }
    }

    /// Up to `most` distinct variables.
    fn some_vars(&mut self, most: usize) -> Vec<Ident> {
        let count = self.choices.below(most + 1).min(self.vars.len());
        let mut pool = self.vars.clone();
        (0..count)
            .map(|_| {
                let i = self.choices.below(pool.len());
                pool.swap_remove(i)
            })
            .collect()
    }

    fn assign(&mut self) -> StmtKind {
        let targets = self.some_vars(3);
        if targets.is_empty() {
            return StmtKind::Skip;
        }
        let values = targets.iter().map(|_| self.expr(2, false)).collect();
        let constrain = (self.choices.below(4) == 3).then(|| Box::new(self.expr(2, true)));
        StmtKind::Assign { targets, values, constrain }
    }

    fn call(&mut self) -> StmtKind {
        let callee = &self.procs[self.choices.below(self.procs.len())];
        let args = callee.formals.iter().map(|_| self.expr(1, false)).collect();
        let mut results: Vec<Option<Ident>> = vec![];
        let pool = self.some_vars(callee.returns);
        if !pool.is_empty() {
            results = pool.into_iter().map(Some).collect();
            results.resize(callee.returns, None);
        }
        let constrain = (self.choices.below(6) == 5).then(|| Box::new(self.expr(2, true)));
        StmtKind::Call { results, callee: callee.name.clone(), args, constrain }
    }

    fn expr(&mut self, depth: usize, next: bool) -> Expr {
        if depth == 0 || self.choices.below(3) == 0 {
            return self.leaf(next);
        }
        let mut sub = |_| Box::new(self.expr(depth - 1, next));
        let (a, b, c) = (sub(0), sub(1), sub(2));
        match self.choices.below(9) {
            0 => Expr::Not(a),
            1 => Expr::And(vec![*a, *b]),
            2 => Expr::Or(vec![*a, *b, *c]),
            3 => Expr::Binary(BinOp::Xor, a, b),
            4 => Expr::Binary(BinOp::Eq, a, b),
            5 => Expr::Binary(BinOp::Ne, a, b),
            6 => Expr::Binary(BinOp::Implies, a, b),
            7 => Expr::Ite(a, b, c),
            _ => Expr::Choose(a, b),
        }
    }

    fn leaf(&mut self, next: bool) -> Expr {
        if self.vars.is_empty() || self.choices.below(5) == 4 {
            return match self.choices.below(3) {
                0 => Expr::Const(true),
                1 => Expr::Const(false),
                _ => Expr::Star,
            };
        }
        let mut var = self.vars[self.choices.below(self.vars.len())].clone();
        if self.threads && var.name.predicate_text().is_none() && self.choices.below(8) == 7 {
            var = format!("{var}$").into();
        }
        if next && self.choices.below(2) == 1 { Expr::Next(var) } else { Expr::Var(var) }
    }
}

/// The template T(n) of [BR-SPIN00 Fig. 4]: `main` calls `level1` twice, each level the next one twice or
/// runs a three-bit counter, depending on the global `g`, which it negates at the end.
pub fn template(n: usize) -> Program {
    let mut ids = StmtIds::new();
    let mut twice_or_skip = |callee: Option<usize>| -> Vec<Stmt> {
        let kind = |callee: Option<usize>| match callee {
            Some(i) => StmtKind::call([], format!("level{i}"), []),
            None => StmtKind::Skip,
        };
        (0..2).flat_map(|_| [kind(callee), StmtKind::Skip]).map(|kind| ids.stmt(kind)).collect()
    };
    let first = (n > 0).then_some(1);
    let mut main = Proc::new("main");
    main.body = twice_or_skip(first);
    let calls: Vec<Vec<Stmt>> = (1..=n).map(|i| twice_or_skip((i < n).then_some(i + 1))).collect();
    let mut procs = vec![main];
    for (i, calls) in calls.into_iter().enumerate() {
        procs.push(level(i + 1, calls, &mut ids));
    }
    let mut program = Program { globals: vec!["g".into()], procs, ..Program::default() };
    program.renumber();
    program
}

fn level(number: usize, calls: Vec<Stmt>, ids: &mut StmtIds) -> Proc {
    let bits = ["a", "b", "c"];
    let set = |ids: &mut StmtIds, pairs: &[(&str, bool)]| {
        vec![ids.stmt(StmtKind::assign(pairs.iter().map(|(v, b)| (Ident::from(*v), Expr::Const(*b)))))]
    };
    let off = |v: &str| Expr::not(Expr::var(v));
    let mut step = vec![ids.stmt(StmtKind::Skip)];
    for (k, bit) in bits.iter().enumerate().rev() {
        let mut pairs: Vec<(&str, bool)> = bits[..k].iter().map(|v| (*v, false)).collect();
        pairs.push((*bit, true));
        let then = set(ids, &pairs);
        step = vec![ids.stmt(StmtKind::branch(off(bit), then, step))];
    }
    let mut count = set(ids, &[("a", false), ("b", false), ("c", false)]);
    count.push(ids.stmt(StmtKind::While { cond: Expr::or(bits.map(off)), body: step }));
    let mut proc = Proc::new(format!("level{number}"));
    proc.locals = bits.map(Ident::from).to_vec();
    proc.body.push(ids.stmt(StmtKind::branch(Expr::var("g"), count, calls)));
    proc.body.push(ids.stmt(StmtKind::assign([("g".into(), off("g"))])));
    proc
}

/// A program that keeps copies of what two recursive procedures compute in loops: are `g0` and `h0`, `g1` and `h1`, … ever
/// different at the label `GOAL`? `choices` tell what `lines` lines of each procedure do; with `differ` one copy is made
/// wrong. The states of all globals together are many more than those of one pair.
pub fn copies(choices: &mut Choices<'_>, pairs: usize, lines: usize, differ: bool) -> String {
    use std::fmt::Write;
    let list = |of: &dyn Fn(usize) -> String| (0..pairs).map(of).collect::<Vec<_>>();
    let globals = [list(&|i| format!("g{i}")), list(&|i| format!("h{i}"))].concat();
    let zeros = vec!["0"; globals.len()].join(", ");
    let differs = list(&|i| format!("(g{i} != h{i})")).join(" | ");
    let mut out = format!(
        "decl {0};\nvoid main() begin\n  {0} := {zeros};\n  f0();\n  if ({differs}) then GOAL: skip; fi\nend\n",
        globals.join(", ")
    );
    for proc in 0..2 {
        let _ = writeln!(out, "void f{proc}() begin\n  decl x0, x1, x2, y0, y1, y2, t;");
        (0..3).for_each(|i| _ = writeln!(out, "  t := *; x{i}, y{i} := t, t;"));
        out.push_str("  while (*) do\n");
        for _ in 0..lines {
            let (i, j) = (choices.below(3), choices.below(3));
            let _ = match choices.below(10) {
                0..3 => writeln!(out, "    if (*) then x{i}, y{i} := !x{i}, !y{i}; fi"),
                3..5 => writeln!(out, "    x{i}, y{i} := x{j}, y{j};"),
                5..7 => writeln!(out, "    x{i}, y{i} := x{i} ^ x{j}, y{i} ^ y{j};"),
                7..9 => {
                    let pair = choices.below(pairs);
                    writeln!(out, "    g{pair}, h{pair} := x{i}, y{i};")
                }
                _ => writeln!(out, "    if (*) then f{}(); fi", choices.below(2)),
            };
        }
        if differ && proc == 1 {
            out.push_str("    if (x0 & !x2) then h0 := !y0; fi\n");
        }
        out.push_str("  od\nend\n");
    }
    out
}

/// A program about fourteen pairs of variables, with label `GOAL` where the two of a pair differ: in all programs but those
/// with `differ` none do. As a whole it makes millions of nodes of decision diagrams, slice by slice few.
pub fn wide_copies(differ: bool) -> String {
    let next = |state: &mut u32| {
        *state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        Some((*state >> 16) as u16)
    };
    let numbers: Vec<u16> = (0..4000).scan(12_347, |state, _| next(state)).collect();
    copies(&mut Choices::new(&numbers), 14, 150, differ)
}
