//! Explanations of statements, and reported differences between two abstractions.

use alias::{AliasMode, AliasOracle};
#[allow(dead_code, reason = "each test uses a part of what is shared")]
use base::{FileId, Id, SourceMap};
use c2bp::{Cache, Options, diff, explain};
use expect_test::{Expect, expect};
use std::sync::atomic::AtomicBool;

const PROGRAM: &str = "entry start__; global int g; check c0 reach in main \"c\";
    proc int next(int a) { return int ret__; entry L0; exit L2;
      L0: ret__ = a + 1; goto L1; L1: g = g + a; goto L2; L2: }
    proc void main(int x) { local int y; local int *p; entry L0; exit L5;
      L0: e0: y = x + 1; goto L1;
      L1: e1: *p = 3; goto L2;
      L2: e2: x = next(y); goto L3;
      L3: e3: assume(x > y); goto L4;
      L4: e4: check(c0, x != 1); goto L5;
      L5: }
    proc void start__(void) { entry L0; exit L1; L0: main(0); goto L1; L1: }";

fn explained(predicates: &[&str], edges: &[usize], expected: Expect) {
    let program = crate::common::program(PROGRAM);
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let (stop, interrupt) = (AtomicBool::new(false), smt::Interrupt::new());
    let precision = crate::common::precision(&program, predicates);
    let main = program.find_proc("main").expect("it is there");
    let found = explain::explain(
        &program,
        &oracle,
        &precision,
        &Options::new(&stop, &interrupt),
        &mut Cache::new(),
        &|p, e| p == main && edges.contains(&e.index()),
    );
    let found = found.expect("nobody stops it");
    let text: String = found.iter().map(|e| format!("{}\n{e}", e.statement)).collect();
    expected.assert_eq(&text);
}

#[test]
fn assignments_and_branches() {
    let predicates = ["main: x == 1", "main: y == 2", "main: x < y", "main: x == 5"];
    explained(
        &predicates,
        &[0, 1, 3, 4],
        expect![[r#"
            y = x + 1;
              {y == 2}, {x < y} := {x == 1}, 1;
                {y == 2}
                  before     x == 1
                  value      {x == 1} (no search)
                {x < y}
                  before     1
                  value      1 (no search)
            *p = 3;
              skip;
                no predicate is concerned
            assume(x > y);
              assume(!{x < y} & (!{x == 1} | !{y == 2}));
                the branch is taken
                  condition  x > y
                  false if   {x < y}  or  {x == 1} & {y == 2}
                  value      !{x < y} & (!{x == 1} | !{y == 2})
                  cost       17 cubes: 2 answers by syntax, 7 answers by models, 3 prover calls
            check(c0, x != 1);
              assert(!{x == 1});
                the check holds
                  condition  x != 1
                  value      !{x == 1} (no search)
        "#]],
    );
}

#[test]
fn calls() {
    let predicates = ["g == 0", "next: a == 0", "next: ret__ > old(a)", "main: x > y", "main: y == 0"];
    explained(
        &predicates,
        &[2],
        expect![[r#"
        x = next(y);
          _, {next: ret__ <= old(a)} := next({y == 0});
          {x <= y} := {next: ret__ <= old(a)};
            {a == 0} of the procedure called
              actual     y == 0
              value      {y == 0} (no search)
            {x <= y}
              value      {next: ret__ <= old(a)} (no search)
            {g == 0} at the exit of the procedure called
              value      *
              cost       2 cubes: 4 answers by syntax
    "#]],
    );
}

/// The boolean program as it is read again, its places made up: the line of the C-- text.
fn written(predicates: &[&str]) -> bp::Program {
    let program = crate::common::program(PROGRAM);
    let mut sources = SourceMap::new();
    sources.add("a.c", None);
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let (stop, interrupt) = (AtomicBool::new(false), smt::Interrupt::new());
    let options = Options { sources: Some(&sources), ..Options::new(&stop, &interrupt) };
    let precision = crate::common::precision(&program, predicates);
    let made = c2bp::abstract_program(&program, &oracle, &precision, &options, &mut Cache::new());
    let text = bp::print(&made.expect("nobody stops it").program);
    bp::parse(&text, FileId::from_index(0), bp::Dialect::Strict).expect("it reads back").0
}

#[test]
fn differences() {
    let before = ["next: ret__ > old(a)", "main: x > y", "main: y == 7"];
    let after = ["g == 0", "next: a == 0", "next: ret__ > old(a)", "main: x > y"];
    let (old, new) = (written(&before), written(&after));
    assert_eq!(diff::diff(&new, &new), "");
    expect![[r#"
        global
          + {g == 0}
        next  (a.c:2)
          + {a == 0}
          a.c:3 e1  g = g + a;
            + {g == 0} := choose[{g == 0} & {a == 0}, ({g == 0} & !{a == 0}) | (!{g == 0} & {a == 0})];
        c_main  (a.c:4 main)
          - {y == 7}
          a.c:5 e0  y = x + 1;
            - {y == 7} := choose[0, !{x <= y} & {y == 7}];
          a.c:7 e2  x = next(y);
            - {next: ret__ <= old(a)} := next();
            + _, {next: ret__ <= old(a)} := next(*);
          a.c:9 e4  check(c0, x != 1);
            - assert(!{x <= y} & {y == 7});
            + assert(0);
        unchanged: 1 of 3 procedures
    "#]]
    .assert_eq(&diff::diff(&old, &new));
}
