//! The examples of the lecture (seed 002), as boolean programs.

#[allow(dead_code, reason = "each test uses a part of what is shared")]
use crate::common::printed;
use expect_test::expect;

/// A program whose `main` is straight-line code.
fn straight(decls: &str, statements: &[&str]) -> String {
    let mut text =
        format!("entry start__; proc void start__(void) {{ {decls} entry L0; exit L{};\n", statements.len());
    for (i, s) in statements.iter().enumerate() {
        text += &format!("L{i}: e{i}: {s} goto L{};\n", i + 1);
    }
    text + &format!("L{}: }}", statements.len())
}

#[test]
fn slide_23_assignment() {
    let text = straight("local int y;", &["y = y + 1;"]);
    expect![[r#"
        // 0 global, 2 local predicates

        void main() enforce !{y <= 3} | {y <= 4}; begin  // @ start__
          decl {y <= 3}, {y <= 4};
          {y <= 3}, {y <= 4} := choose[0, !{y <= 3} | !{y <= 4}], {y <= 3};  // y = y + 1;  // @ e0
          return;
        end
    "#]]
    .assert_eq(&printed(&text, &["start__: y < 4", "start__: y < 5"]));
}

#[test]
fn slide_24_precondition_that_the_predicates_cannot_say() {
    let text = straight("local int x;", &["x = x + 1;"]);
    expect![[r#"
        // 0 global, 3 local predicates

        void main() enforce (!{x == 0} | !{x == 1}) & (!{x == 0} | {x <= 4}) & (!{x == 1} | {x <= 4}); begin  // @ start__
          decl {x == 0}, {x == 1}, {x <= 4};
          {x == 0}, {x == 1}, {x <= 4} := choose[0, {x == 0} | {x == 1} | !{x <= 4}], {x == 0}, choose[{x == 0} | {x == 1}, !{x <= 4}];  // x = x + 1;  // @ e0
          return;
        end
    "#]].assert_eq(&printed(&text, &["start__: x == 0", "start__: x == 1", "start__: x < 5"]));
}

#[test]
fn slide_29_assignment() {
    let text = straight("local int x; local int y;", &["havoc(x, uninit);", "y = y + 1;"]);
    expect![[r#"
        // 0 global, 1 local predicates

        void main() begin                               // @ start__
          decl {x == y};
          {x == y} := *;                                // havoc(x, uninit);  // @ e0
          {x == y} := choose[0, {x == y}];              // y = y + 1;  // @ e1
          return;
        end
    "#]]
    .assert_eq(&printed(&text, &["start__: x == y"]));
}

#[test]
fn slide_30_branch() {
    let text = straight("local int x;", &["assume(x < 2);"]);
    expect![[r#"
        // 0 global, 2 local predicates

        void main() enforce !{x == 2} | {x <= 4}; begin  // @ start__
          decl {x == 2}, {x <= 4};
          assume(!{x == 2} & {x <= 4});                 // assume(x < 2);  // @ e0
          return;
        end
    "#]]
    .assert_eq(&printed(&text, &["start__: x == 2", "start__: x < 5"]));
}

#[test]
fn slide_33_procedures() {
    let text = "
        entry start__;
        global int g;
        check c0 reach in main \"assert(0)\";
        proc void cmp(int a, int b) { entry L0; exit L3;
          L0: e0 true: assume(a == b); goto L1;
              e1 false: assume(a != b); goto L2;
          L1: e2: g = 0; goto L3;
          L2: e3: g = 1; goto L3;
          L3: }
        proc void main(int x, int y) { entry L0; exit L4;
          L0: e0: cmp(x, y); goto L1;
          L1: e1 true: assume(!g); goto L2;
              e2 false: assume(g); goto L4;
          L2: e3 true: assume(x != y); goto L3;
              e4 false: assume(x == y); goto L4;
          L3: e5: check(c0, 0); goto L4;
          L4: }
        proc void start__(void) { local int x; local int y; entry L0; exit L1;
          L0: e0: main(x, y); goto L1;
          L1: }";
    expect![[r#"
        // 1 global, 2 local predicates
        decl {g == 0};

        void main() begin                               // @ start__
          c_main(*);                                    // main(x, y);  // @ e0
          return;
        end

        bool cmp({a == b}) begin
          if (*) then
            assume({a == b});                           // assume(a == b);  // @ e0
            {g == 0} := 1;                              // g = 0;  // @ e2
          else
            assume(!{a == b});                          // assume(a != b);  // @ e1
            {g == 0} := 0;                              // g = 1;  // @ e3
          fi
          return {a == b};
        end

        bool c_main({x == y}) begin                     // @ main
          cmp({x == y});                                // cmp(x, y);  // @ e0
          if (*) then
            assume({g == 0});                           // assume(!g);  // @ e1
            if (*) then
              assume(!{x == y});                        // assume(x != y);  // @ e3
              assert(0);                                // check(c0, 0);  // @ e5
            else
              assume({x == y});                         // assume(x == y);  // @ e4
            fi
          else
            assume(!{g == 0});                          // assume(g);  // @ e2
          fi
          return {x == y};
        end
    "#]]
    .assert_eq(&printed(text, &["main: x == y", "g == 0", "cmp: a == b"]));
}

#[test]
fn slide_38_pointers() {
    let text = straight(
        "local int x; local int *p; local int y;",
        &["p = &x;", "assume(y == 1);", "p = &y;", "*p = 3;"],
    );
    expect![[r#"
        // 0 global, 3 local predicates

        void main() enforce !{x == 5} | !{p == &x} | !{*p == 3}; begin  // @ start__
          decl {x == 5}, {p == &x}, {*p == 3};
          {p == &x}, {*p == 3} := 1, choose[{p == &x} & {*p == 3}, {x == 5} | ({p == &x} & !{*p == 3})];  // p = &x;  // @ e0
          assume(1);                                    // assume(y == 1);  // @ e1
          {p == &x}, {*p == 3} := 0, *;                 // p = &y;  // @ e2
          {x == 5}, {*p == 3} := {x == 5} & !{p == &x}, 1;  // *p = 3;  // @ e3
          return;
        end
    "#]].assert_eq(&printed(&text, &["start__: x == 5", "start__: p == &x", "start__: *p == 3"]));
}

#[test]
fn slide_41_values_at_the_entry() {
    let text = "
        entry start__;
        proc int R(int f) { local int r; return int ret__; entry L0; exit L3;
          L0: e0: r = f + 1; goto L1;
          L1: e1: f = 0; goto L2;
          L2: e2: ret__ = r; goto L3;
          L3: }
        proc void Q(void) { local int x; entry L0; exit L2;
          L0: e0: x = 1; goto L1;
          L1: e1: x = R(x); goto L2;
          L2: }
        proc void start__(void) { entry L0; exit L1;
          L0: e0: Q(); goto L1;
          L1: }";
    let predicates = [
        "R: f == old(f)",
        "R: r == (mathint) old(f) + 1",
        "R: ret__ == (mathint) old(f) + 1",
        "Q: x == 1",
        "Q: x == 2",
    ];
    expect![[r#"
        // 0 global, 5 local predicates

        void main() begin                               // @ start__
          Q();                                          // Q();  // @ e0
          return;
        end

        bool R({f == old(f)}) begin
          decl {r == (mathint) old(f) + 1}, {ret__ == (mathint) old(f) + 1};
          {r == (mathint) old(f) + 1} := {f == old(f)};  // r = f + 1;  // @ e0
          {f == old(f)} := *;                           // f = 0;  // @ e1
          {ret__ == (mathint) old(f) + 1} := {r == (mathint) old(f) + 1};  // ret__ = r;  // @ e2
          return {ret__ == (mathint) old(f) + 1};
        end

        void Q() enforce !{x == 1} | !{x == 2}; begin
          decl {x == 1}, {x == 2}, {R: ret__ == (mathint) old(f) + 1};
          {x == 1}, {x == 2} := 1, 0;                   // x = 1;  // @ e0
          {R: ret__ == (mathint) old(f) + 1} := R(1);   // x = R(x);  // @ e1
          {x == 1}, {x == 2} := choose[0, ({x == 1} & {R: ret__ == (mathint) old(f) + 1}) | ({x == 2} & {R: ret__ == (mathint) old(f) + 1})], choose[{x == 1} & {R: ret__ == (mathint) old(f) + 1}, ({x == 1} & !{R: ret__ == (mathint) old(f) + 1}) | (!{x == 1} & {R: ret__ == (mathint) old(f) + 1}) | ({x == 2} & {R: ret__ == (mathint) old(f) + 1})];
          return;
        end
    "#]].assert_eq(&printed(text, &predicates));
}

#[test]
fn slide_44_values_behind_pointers() {
    let text = "
        entry start__;
        proc void R(int *a) { entry L0; exit L1;
          L0: e0: *a = *a + 1; goto L1;
          L1: }
        proc void Q(void) { local int x; entry L0; exit L2;
          L0: e0: x = 1; goto L1;
          L1: e1: R(&x); goto L2;
          L2: }
        proc void start__(void) { entry L0; exit L1;
          L0: e0: Q(); goto L1;
          L1: }";
    let predicates = [
        "R: a == old(a)",
        "R: *old(a) == old(*a)",
        "R: *old(a) == (mathint) old(*a) + 1",
        "Q: x == 1",
        "Q: x == 2",
    ];
    expect![[r#"
        // 0 global, 5 local predicates

        void main() begin                               // @ start__
          Q();                                          // Q();  // @ e0
          return;
        end

        bool<3> R({a == old(a)}, {*old(a) == old(*a)}, {*old(a) == (mathint) old(*a) + 1}) enforce !{*old(a) == old(*a)} | !{*old(a) == (mathint) old(*a) + 1}; begin
          {*old(a) == old(*a)}, {*old(a) == (mathint) old(*a) + 1} := choose[0, ({a == old(a)} & {*old(a) == old(*a)}) | ({a == old(a)} & {*old(a) == (mathint) old(*a) + 1})], choose[{a == old(a)} & {*old(a) == old(*a)}, ({a == old(a)} & !{*old(a) == old(*a)}) | ({a == old(a)} & {*old(a) == (mathint) old(*a) + 1})];  // *a = *a + 1;  // @ e0
          return {a == old(a)}, {*old(a) == old(*a)}, {*old(a) == (mathint) old(*a) + 1};
        end

        void Q() enforce !{x == 1} | !{x == 2}; begin
          decl {x == 1}, {x == 2}, {R: *old(a) == old(*a)}, {R: *old(a) == (mathint) old(*a) + 1};
          {x == 1}, {x == 2} := 1, 0;                   // x = 1;  // @ e0
          _, {R: *old(a) == old(*a)}, {R: *old(a) == (mathint) old(*a) + 1} := R(1, 1, 0);  // R(&x);  // @ e1
          {x == 1}, {x == 2} := choose[{x == 1} & {R: *old(a) == old(*a)}, ({x == 1} & !{R: *old(a) == old(*a)}) | ({x == 1} & {R: *old(a) == (mathint) old(*a) + 1}) | (!{x == 1} & {R: *old(a) == old(*a)}) | ({x == 2} & {R: *old(a) == old(*a)}) | ({x == 2} & {R: *old(a) == (mathint) old(*a) + 1})], choose[({x == 1} & {R: *old(a) == (mathint) old(*a) + 1}) | ({x == 2} & {R: *old(a) == old(*a)}), ({x == 1} & {R: *old(a) == old(*a)}) | ({x == 1} & !{R: *old(a) == (mathint) old(*a) + 1}) | (!{x == 1} & {R: *old(a) == (mathint) old(*a) + 1}) | ({x == 2} & !{R: *old(a) == old(*a)}) | ({x == 2} & {R: *old(a) == (mathint) old(*a) + 1}) | (!{x == 2} & {R: *old(a) == old(*a)})];
          return;
        end
    "#]].assert_eq(&printed(text, &predicates));
}

/// Cartesian and exact (slide 34): one by one the predicates can have any value; together not.
#[test]
fn slide_34_exact_images() {
    let program =
        crate::common::program(&straight("local int x; local int y;", &["havoc(x, uninit);", "x = y;"]));
    let text = |exact| {
        let made = crate::common::abstraction(
            &program,
            &["start__: x < 5", "start__: x == 2", "start__: y < 5"],
            |o| {
                o.exact = if exact { c2bp::Exact::Everything } else { c2bp::Exact::Nothing };
                o.enforce = false;
            },
        );
        bp::print(&made.program)
    };
    expect![[r#"
        // 0 global, 3 local predicates

        void main() begin                               // @ start__
          decl {x <= 4}, {x == 2}, {y <= 4};
          {x <= 4}, {x == 2} := *, *;                   // havoc(x, uninit);  // @ e0
          {x <= 4}, {x == 2} := {y <= 4}, choose[0, !{y <= 4}];  // x = y;  // @ e1
          return;
        end
    "#]]
    .assert_eq(&text(false));
    expect![[r#"
        // 0 global, 3 local predicates

        void main() begin                               // @ start__
          decl {x <= 4}, {x == 2}, {y <= 4};
          {x <= 4}, {x == 2} := *, * constrain '{x <= 4} | !'{x == 2};  // havoc(x, uninit);  // @ e0
          {x <= 4}, {x == 2} := {y <= 4}, choose[0, !{y <= 4}];  // x = y;  // @ e1
          return;
        end
    "#]]
    .assert_eq(&text(true));
}

/// What is executed follows no NULL pointer: states where it would are cut, and only where it surely would.
#[test]
fn pointers_that_are_followed_are_not_null() {
    let decls = "local int x; local int y; local int *p; local int *q; local struct pair *s;";
    let statements = [
        "p = &x;",
        "*p = 1;",
        "y = *q;",
        "assume(*p == 2);",
        "assume(y == 1 || *p == 2);",
        "q = &s->b;",
        "havoc(s->a, uninit);",
    ];
    let predicates = ["start__: p == 0", "start__: p == q", "start__: q == 0", "start__: s == 0"];
    let text = format!("struct pair {{ int a; int b; }}; {}", straight(decls, &statements));
    expect![[r#"
        // 0 global, 4 local predicates

        void main() enforce (!{p == NULL} | !{p == q} | {q == NULL}) & (!{p == NULL} | {p == q} | !{q == NULL}) & ({p == NULL} | !{p == q} | !{q == NULL}); begin  // @ start__
          decl {p == NULL}, {p == q}, {q == NULL}, {s == NULL};
          {p == NULL}, {p == q} := 0, choose[0, {q == NULL} | ({p == NULL} & {p == q})];  // p = &x;  // @ e0
          assume(!{p == NULL});                         // *p = 1;  // @ e1
          assume(!{q == NULL});                         // y = *q;  // @ e2
          assume(!{p == NULL});                         // assume(*p == 2);  // @ e3
          assume(1);                                    // assume(y == 1 || *p == 2);  // @ e4
          {p == q}, {q == NULL} := choose[0, {p == NULL} | ({p == q} & {q == NULL})], 0;  // q = &s->b;  // @ e5
          assume(!{s == NULL});                         // havoc(s->a, uninit);  // @ e6
          return;
        end
    "#]].assert_eq(&printed(&text, &predicates));
}

/// Steps that the Das/Dill step of a refinement has cut (algorithms, section 5) stand in `constrain`.
#[test]
fn clauses_become_constraints() {
    let program = crate::common::program(
        "entry start__; global int x; global int y;
         proc void f() { entry L0; exit L1; L0: e0: x = y; goto L1; L1: }
         proc void start__() { entry L0; exit L4;
         L0: e0: x = y + 1; goto L1; L1: e1: skip; goto L2; L2: e2: assume(x > 3); goto L3; L3: e3: f(); goto L4; L4: }",
    );
    let predicates = ["x < 5", "y == 2"];
    let ids: Vec<predicates::PredId> =
        crate::common::precision(&program, &predicates).iter().map(|(id, _)| id).collect();
    let clause = |moment| vec![(ids[1], c2bp::Moment::Before, true), (ids[0], moment, false)];
    let mut clauses = c2bp::Clauses::new();
    for e in program.procs[program.entry].edges.ids() {
        clauses.insert((program.entry, e), vec![clause(c2bp::Moment::After)]);
    }
    let (stop, interrupt) = (std::sync::atomic::AtomicBool::new(false), smt::Interrupt::new());
    let options =
        c2bp::Options { max_cube: 0, clauses: Some(&clauses), ..c2bp::Options::new(&stop, &interrupt) };
    let oracle = alias::AliasOracle::new(&program, alias::AliasMode::Das);
    let precision = crate::common::precision(&program, &predicates);
    let made = c2bp::abstract_program(&program, &oracle, &precision, &options, &mut c2bp::Cache::new())
        .expect("nobody stops it");
    expect![[r#"
        // 2 global, 0 local predicates
        decl {x <= 4}, {y == 2};

        void main() begin                               // @ start__
          {x <= 4} := * constrain !{y == 2} | '{x <= 4};  // x = y + 1;  // @ e0
          assume(1) constrain !{y == 2} | '{x <= 4};    // skip;  // @ e1
          assume(1) constrain !{y == 2} | '{x <= 4};    // assume(x > 3);  // @ e2
          f();                                          // f();  // @ e3
          assume(1) constrain !{y == 2} | '{x <= 4};
          return;
        end

        void f() begin
          {x <= 4} := *;                                // x = y;  // @ e0
          return;
        end
    "#]]
    .assert_eq(&bp::print(&made.program));
}
