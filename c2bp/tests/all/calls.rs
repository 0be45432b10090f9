//! Calls and returns, case by case ([BMMR01 §4.5]).

#[allow(dead_code, reason = "each test uses a part of what is shared")]
use crate::common::printed;
use expect_test::{Expect, expect};

/// The procedures called `names` of the boolean program.
fn check(text: &str, predicates: &[&str], names: &[&str], expected: Expect) {
    let text = format!(
        "{text} proc void start__(void) {{ entry L0; exit L1; L0: main(); goto L1; L1: }} entry start__;"
    );
    let printed = printed(&text, predicates);
    let procs = printed
        .split("\n\n")
        .filter(|p| names.iter().any(|n| p.contains(&format!(" {n}(")) && p.contains(" begin")));
    let wanted =
        |p: &&str| names.iter().any(|n| p.lines().next().is_some_and(|l| l.contains(&format!(" {n}("))));
    expected.assert_eq(&procs.filter(wanted).map(|p| format!("{}\n", p.trim_end())).collect::<String>());
}

/// What an assigned formal holds at the exit is not what the caller passed.
#[test]
fn assigned_formals_are_not_returned() {
    let text = "
        proc int f(int a) { return int ret__; entry L0; exit L2;
          L0: a = 0; goto L1; L1: ret__ = a; goto L2; L2: }
        proc int id(int a) { return int ret__; entry L0; exit L1;
          L0: ret__ = a; goto L1; L1: }
        proc void main(void) { local int u; local int v; entry L0; exit L2;
          L0: u = f(1); goto L1; L1: v = id(1); goto L2; L2: }";
    let predicates = ["f: ret__ == a", "id: ret__ == a", "main: u == 1", "main: v == 1"];
    check(
        text,
        &predicates,
        &["f", "id", "c_main"],
        expect![[r#"
            void f() begin
              decl {a == ret__};
              {a == ret__} := *;                            // a = 0;  // @ e0
              {a == ret__} := 1;                            // ret__ = a;  // @ e1
              return;
            end
            bool id() begin
              decl {a == ret__};
              {a == ret__} := 1;                            // ret__ = a;  // @ e0
              return {a == ret__};
            end
            void c_main() begin                             // @ main
              decl {u == 1}, {v == 1}, {id: a == ret__};
              f();                                          // u = f(1);  // @ e0
              {u == 1} := *;
              {id: a == ret__} := id();                     // v = id(1);  // @ e1
              {v == 1} := {id: a == ret__};
              return;
            end
        "#]],
    );
}

/// The caller's and the callee's `n` are two variables.
#[test]
fn frames_of_a_recursion_are_told_apart() {
    let text = "
        proc int f(int n) { local int m; return int ret__; entry L0; exit L4;
          L0: true: assume(n == 0); goto L1; false: assume(n != 0); goto L2;
          L1: ret__ = 0; goto L4;
          L2: m = f(n - 1); goto L3;
          L3: ret__ = m + 1; goto L4;
          L4: }
        proc void main(void) { local int x; entry L0; exit L1; L0: x = f(5); goto L1; L1: }";
    check(
        text,
        &["f: n == 0", "f: m == n - 1", "f: ret__ == n", "main: x == 5"],
        &["f", "c_main"],
        expect![[r#"
            bool<2> f({n == 0}) begin
              decl {n == (mathint) m + 1}, {n == ret__}, {f: n == ret__};
              if (*) then
                assume({n == 0});                           // assume(n == 0);  // @ e0
                {n == ret__} := {n == 0};                   // ret__ = 0;  // @ e2
              else
                assume(!{n == 0});                          // assume(n != 0);  // @ e1
                _, {f: n == ret__} := f(choose[0, {n == 0}]);  // m = f(n - 1);  // @ e3
                {n == (mathint) m + 1} := {f: n == ret__};
                {n == ret__} := {n == (mathint) m + 1};     // ret__ = m + 1;  // @ e4
              fi
              return {n == 0}, {n == ret__};
            end
            void c_main() begin                             // @ main
              decl {x == 5}, {f: n == ret__};
              _, {f: n == ret__} := f(0);                   // x = f(5);  // @ e0
              {x == 5} := {f: n == ret__};
              return;
            end
        "#]],
    );
}

/// A global's old value is saved, and what was returned binds its new value.
#[test]
fn globals_are_bound_by_relations() {
    let text = "
        global int g;
        proc void keep(void) { entry L0; exit L2;
          L0: g = g + 1; goto L1; L1: g = g - 1; goto L2; L2: }
        proc void main(void) { local int x; entry L0; exit L1; L0: keep(); goto L1; L1: }";
    check(
        text,
        &["g == 0", "keep: g == old(g)", "keep: g == old(g) + 1", "main: x == g"],
        &["keep", "c_main"],
        expect![[r#"
            bool<2> keep({g == old(g)}, {g == (mathint) old(g) + 1}) enforce !{g == old(g)} | !{g == (mathint) old(g) + 1}; begin
              {g == 0}, {g == old(g)}, {g == (mathint) old(g) + 1} := choose[0, {g == 0}], choose[0, {g == old(g)} | {g == (mathint) old(g) + 1}], {g == old(g)};  // g = g + 1;  // @ e0
              {g == 0}, {g == old(g)}, {g == (mathint) old(g) + 1} := choose[0, {g == 0}], {g == (mathint) old(g) + 1}, choose[0, {g == old(g)} | {g == (mathint) old(g) + 1}];  // g = g - 1;  // @ e1
              return {g == old(g)}, {g == (mathint) old(g) + 1};
            end
            void c_main() begin                             // @ main
              decl {before: g == 0}, {keep: g == old(g)}, {keep: g == (mathint) old(g) + 1};
              {before: g == 0} := {g == 0};
              {keep: g == old(g)}, {keep: g == (mathint) old(g) + 1} := keep(1, 0);  // keep();  // @ e0
              assume((!{before: g == 0} | !{keep: g == old(g)} | {g == 0}) & (!{before: g == 0} | {keep: g == old(g)} | !{g == 0}) & (!{before: g == 0} | !{keep: g == (mathint) old(g) + 1} | !{g == 0}) & ({before: g == 0} | !{keep: g == old(g)} | !{g == 0}));
              return;
            end
        "#]],
    );
}

/// The result goes to a global that the callee changes too: the exit's value is not the final one.
#[test]
fn results_are_stored_after_the_exit() {
    let text = "
        global int g;
        proc int f(void) { return int ret__; entry L0; exit L2;
          L0: g = 1; goto L1; L1: ret__ = 2; goto L2; L2: }
        proc void main(void) { entry L0; exit L1; L0: g = f(); goto L1; L1: }";
    check(
        text,
        &["g == 1", "g == 2", "f: ret__ == 2"],
        &["f", "c_main"],
        expect![[r#"
            bool f() enforce !{g == 1} | !{g == 2}; begin
              decl {ret__ == 2};
              {g == 1}, {g == 2} := 1, 0;                   // g = 1;  // @ e0
              {ret__ == 2} := 1;                            // ret__ = 2;  // @ e1
              return {ret__ == 2};
            end
            void c_main() enforce !{g == 1} | !{g == 2}; begin  // @ main
              decl {f: ret__ == 2};
              {f: ret__ == 2} := f();                       // g = f();  // @ e0
              {g == 1}, {g == 2} := choose[0, {f: ret__ == 2}], {f: ret__ == 2};
              return;
            end
        "#]],
    );
}

/// A predicate about the address of a local says nothing outside of its activation.
#[test]
fn addresses_of_locals_do_not_cross() {
    let text = "
        global int *gp;
        proc void f(int *q) { local int x; entry L0; exit L4;
          L0: gp = &x; goto L1; L1: *gp = 1; goto L2; L2: *q = 2; goto L3; L3: x = 3; goto L4; L4: }
        proc void main(void) { local int x; entry L0; exit L2; L0: x = 0; goto L1; L1: f(&x); goto L2; L2: }";
    check(
        text,
        &["f: q == &x", "f: gp == q", "f: *q == 2", "main: gp == &x", "main: x == 2"],
        &["f", "c_main"],
        expect![[r#"
            bool<2> f({gp == q}, {*q == 2}) begin
              decl {q == &x};
              {gp == q} := {q == &x};                       // gp = &x;  // @ e0
              skip;                                         // *gp = 1;  // @ e1
              {*q == 2} := 1;                               // *q = 2;  // @ e2
              skip;                                         // x = 3;  // @ e3
              return {gp == q}, {*q == 2};
            end
            void c_main() begin                             // @ main
              decl {gp == &x}, {x == 2}, {f: gp == q}, {f: *q == 2};
              {x == 2} := 0;                                // x = 0;  // @ e0
              {f: gp == q}, {f: *q == 2} := f({gp == &x}, {x == 2});  // f(&x);  // @ e1
              {gp == &x}, {x == 2} := {f: gp == q}, {f: *q == 2};
              return;
            end
        "#]],
    );
}

/// A procedure without body: any result, and whatever it may write.
#[test]
fn undefined_procedures() {
    let text = "
        extern int input(int *where);
        global int g;
        proc void main(void) { local int x; local int y; local int z; entry L0; exit L2;
          L0: z = 0; goto L1;
          L1: y = input(&x); goto L2; L2: }";
    check(
        text,
        &["g == 0", "main: x == 0", "main: y == 0", "main: z == 0", "main: y == z"],
        &["c_main"],
        expect![[r#"
            void c_main() enforce (!{y == 0} | !{z == 0} | {y == z}) & (!{y == 0} | {z == 0} | !{y == z}) & ({y == 0} | !{z == 0} | !{y == z}); begin  // @ main
              decl {y == 0}, {z == 0}, {y == z};
              {z == 0}, {y == z} := 1, {y == 0};            // z = 0;  // @ e0
              {y == 0}, {y == z} := *, *;                   // y = input(&x);  // @ e1
              return;
            end
        "#]],
    );
}

/// Predicates of globals are in scope where a procedure, or one that it calls, mentions their variables, directly
/// or through other predicates.
#[test]
fn global_predicates_are_in_scope_where_they_matter() {
    let text = "
        global int a; global int b; global int c;
        proc void set(void) { entry L0; exit L1; L0: a = 3; goto L1; L1: }
        proc void look(void) { entry L0; exit L1; L0: assume(c == 1); goto L1; L1: }
        proc void both(void) { entry L0; exit L2; L0: set(); goto L1; L1: look(); goto L2; L2: }
        proc void main(void) { entry L0; exit L4;
          L0: b = c; goto L1; L1: set(); goto L2; L2: look(); goto L3; L3: both(); goto L4; L4: }";
    check(
        text,
        &["a == b", "b == 3", "c == 1", "c < 2"],
        &["set", "look", "both", "c_main"],
        expect![[r#"
            void set() begin
              {a == b} := {b == 3};                         // a = 3;  // @ e0
              return;
            end
            void look() enforce !{c == 1} | {c <= 1}; begin
              assume({c == 1});                             // assume(c == 1);  // @ e0
              return;
            end
            void both() enforce !{c == 1} | {c <= 1}; begin
              set();                                        // set();  // @ e0
              look();                                       // look();  // @ e1
              return;
            end
            void c_main() enforce !{c == 1} | {c <= 1}; begin  // @ main
              {a == b}, {b == 3} := choose[0, ({a == b} & {b == 3} & {c == 1}) | ({a == b} & {b == 3} & {c <= 1})], choose[0, {c == 1} | {c <= 1}];  // b = c;  // @ e0
              set();                                        // set();  // @ e1
              look();                                       // look();  // @ e2
              both();                                       // both();  // @ e3
              return;
            end
        "#]],
    );
}
