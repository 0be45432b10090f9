//! Families of programs.

use super::Choices;
use crate::ast::{Proc, Program, Stmt, StmtIds, StmtKind};
use crate::expr::Expr;
use crate::name::Ident;

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

/// A program that keeps copies of what two recursive procedures compute in loops: are `g0` and `h0`, `g1` and
/// `h1`, … ever different at the label `GOAL`? `choices` decide what `lines` lines of each procedure do; with
/// `differ` one copy is made wrong. The states of all globals together are many more than those of one pair.
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
