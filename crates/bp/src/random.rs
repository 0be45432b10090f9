//! Random well-formed programs, for the tests of this crate and of the engines. Every construct of the
//! language occurs: recursion, several results, `choose`, `constrain`, `enforce`, labels, `init`; in [`concurrent`]
//! programs those of threads, too.
//!
//! A program is a function of a list of numbers, and shorter lists and smaller numbers give smaller
//! programs, so that a property-testing library can shrink a failing one.

mod families;

pub use families::{copies, template, wide_copies};

use crate::ast::{Proc, Program, Start, Stmt, StmtId, StmtKind, Thread};
use crate::expr::{BinOp, Expr};
use crate::name::{Ident, Name};
use base::Id;

/// The source of decisions: the given numbers in their order, then zeros.
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
    /// The number of values of a `return`; `None` where there is none.
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
