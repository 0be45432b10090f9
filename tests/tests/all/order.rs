//! The order of evaluation (C11 6.5, Annex C) and `--evaluation-order`.

const START: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n";

fn verdict(name: &str, options: &[&str], text: &str) -> String {
    let path = testing::file(&format!("{name}.c"), format!("{START}{text}\n"));
    let mut args = vec!["check", "--time-limit", "60s"];
    args.extend(options);
    args.push(&path);
    let run = tests::slam(&args);
    let verdict = run.verdict();
    verdict.split(['(', ' ']).next().unwrap_or(verdict).to_owned()
}

/// The verdicts with any order, from left to right, and in gcc's order.
fn verdicts(name: &str, text: &str) -> [String; 3] {
    ["any", "left", "gcc"].map(|order| verdict(name, &["--evaluation-order", order], text))
}

const SAFE: &str = "SAFE";
const UNSAFE: &str = "UNSAFE";

/// `s` writes `c`; the value that a program may not see is asked for at the end.
fn with_writer(expression: &str, bad: &str) -> String {
    format!(
        "int c, r; int s(void) {{ c = 5; return 1; }} \
         int main(void) {{ c = 1; {expression}; if ({bad}) reach_error(); return 0; }}"
    )
}

#[test]
fn a_variable_beside_a_call_that_writes_it() {
    assert_eq!(verdicts("sum_late", &with_writer("r = c + s()", "r == 6")), [UNSAFE, SAFE, UNSAFE]);
    assert_eq!(verdicts("sum_early", &with_writer("r = c + s()", "r == 2")), [UNSAFE, UNSAFE, SAFE]);
    assert_eq!(verdicts("sum_never", &with_writer("r = c + s()", "r != 2 && r != 6")), [SAFE, SAFE, SAFE]);
    assert_eq!(
        verdicts("comma", &with_writer("r = (c, s()) + 0 * (r = 0, 1)", "c != 5")),
        [SAFE, SAFE, SAFE]
    );
    assert_eq!(verdicts("compound", &with_writer("c += s()", "c == 2")), [UNSAFE, SAFE, SAFE]);
    assert_eq!(verdicts("compound_never", &with_writer("c += s()", "c != 2 && c != 6")), [SAFE, SAFE, SAFE]);
    assert_eq!(verdict("compare", &[], &with_writer("r = c < s()", "r == 1")), SAFE);
    assert_eq!(verdict("compare_late", &[], &with_writer("r = c == s()", "r == 0")), UNSAFE);
    assert_eq!(verdict("and", &[], &with_writer("r = c == 1 && s()", "r == 0")), SAFE);
    assert_eq!(verdict("condition", &[], &with_writer("r = (r ? 0 : c) + s()", "r == 6")), UNSAFE);
    assert_eq!(verdict("pointer", &[], &with_writer("int (*f)(void) = s; r = c + f()", "r == 6")), UNSAFE);
}

/// What stands before a comma has happened when the value is stored, once, also where the value is a constant.
#[test]
fn commas_are_evaluated_once() {
    let count = |expression: &str, bad: &str| {
        format!(
            "int c, n; int s(void) {{ n++; c = 5; return 1; }} \
             int main(void) {{ c = 1; {expression}; if ({bad}) reach_error(); return 0; }}"
        )
    };
    for (n, expression) in ["c = (s(), 8)", "c = !(s(), 0)", "c = sizeof(int) + (s(), 4)"].iter().enumerate()
    {
        assert_eq!(verdicts(&format!("once_{n}"), &count(expression, "n != 1")), [SAFE, SAFE, SAFE]);
        assert_eq!(verdicts(&format!("stored_{n}"), &count(expression, "c == 5")), [SAFE, SAFE, SAFE]);
    }
    assert_eq!(verdict("either", &[], &count("c = (c, 2) < (s(), c)", "n != 1")), SAFE);
}

#[test]
fn arguments_and_elements() {
    let add = "int f(int *p) { *p = 3; return 1; } int add(int a, int b) { return a + b; } int a[5];";
    let main = |body: &str| format!("{add} int main(void) {{ int i = 0; {body} return 0; }}");
    let argument = |bad: u32| main(&format!("if (add(i, f(&i)) == {bad}) reach_error();"));
    assert_eq!(verdicts("argument_left", &argument(1)), [UNSAFE, UNSAFE, SAFE]);
    assert_eq!(verdicts("argument_right", &argument(4)), [UNSAFE, SAFE, UNSAFE]);
    assert_eq!(verdicts("argument_never", &argument(3)), [SAFE, SAFE, SAFE]);
    assert_eq!(verdict("element_0", &[], &main("a[i] = f(&i); if (a[0] == 1) reach_error();")), UNSAFE);
    assert_eq!(verdict("element_3", &[], &main("a[i] = f(&i); if (a[3] == 1) reach_error();")), UNSAFE);
    assert_eq!(verdict("element_2", &[], &main("a[i] = f(&i); if (a[2] == 1) reach_error();")), SAFE);
    let record = "struct s { int a, b; } g; int w(void) { g.a = 5; return 0; } int h(struct s x, int y) { return x.a; }";
    let record =
        |bad: u32| format!("{record} int main(void) {{ if (h(g, w()) == {bad}) reach_error(); return 0; }}");
    assert_eq!([0, 5, 1].map(|bad| verdict("record", &[], &record(bad))), [UNSAFE, UNSAFE, SAFE]);
}

#[test]
fn calls_are_interleaved_across_brackets() {
    let digits = "int t; int d(int n) { t = t * 10 + n; return 0; }";
    let sum = |bad: u32| {
        format!(
            "{digits} int main(void) {{ int r = (d(1) + d(2)) + (d(3) + d(4)); if (t == {bad}) reach_error(); return r; }}"
        )
    };
    assert_eq!(
        [1234, 1324, 4321, 1224].map(|bad| verdict("sum", &[], &sum(bad))),
        [UNSAFE, UNSAFE, UNSAFE, SAFE]
    );
    // The store of an assignment may come behind a call, its value before it.
    let store = |bad: u32| {
        format!(
            "int x, l; int g(void) {{ l = 1; return 7; }} int f(void) {{ return l * 100 + x; }} \
             int main(void) {{ int r = (x = g()) + f(); if (r == {bad}) reach_error(); return 0; }}"
        )
    };
    assert_eq!(
        [7, 107, 114, 14].map(|bad| verdict("store", &[], &store(bad))),
        [UNSAFE, UNSAFE, UNSAFE, SAFE]
    );
    // `++` is one evaluation.
    let step = |bad: &str| with_writer("r = c++ + s()", bad);
    assert_eq!(
        ["c == 5", "c == 6", "c == 2"].map(|b| verdict("step", &[], &step(b))),
        [UNSAFE, UNSAFE, SAFE]
    );
}

#[test]
fn initialisers_come_in_any_order() {
    let list = |bad: &str| {
        format!(
            "int n; int next(void) {{ return n++; }} \
             int main(void) {{ int a[2] = {{ next(), next() }}; if ({bad}) reach_error(); return 0; }}"
        )
    };
    assert_eq!(verdicts("list", &list("a[0] > a[1]")), [UNSAFE, SAFE, SAFE]);
    assert_eq!(verdicts("list_never", &list("a[0] == a[1]")), [SAFE, SAFE, SAFE]);
}

/// `A`, `B`, … leave their numbers in `t`.
fn traced(statement: &str, bad: &str) -> String {
    format!(
        "int t, g, a[8], m[2][2]; struct s {{ int x, y; }} r[2], w; \
         int A(void) {{ t = t * 4 + 1; g = 1; return 0; }} int B(void) {{ t = t * 4 + 2; g = 2; return 1; }} \
         int C(void) {{ t = t * 4 + 3; g = 3; return 1; }} int *PA(void) {{ A(); return a; }} struct s *R(void) {{ A(); return r; }} \
         unsigned U(void) {{ B(); return 1; }} int f(int n) {{ t = t * 4 + 3; return n; }} int v(struct s x, int y) {{ return x.x + y; }} \
         int W(void) {{ w.x = 7; return 0; }} \
         int main(void) {{ {statement}; if ({bad}) reach_error(); return 0; }}"
    )
}

/// What gcc 12 does, and nothing else.
#[test]
fn gcc_evaluates_right_sides_first_up_to_their_last_operation() {
    let gcc = |name: &str, statement: &str, trace: u32| {
        for (bad, wanted) in [(format!("t != {trace}"), SAFE), (format!("t == {trace}"), UNSAFE)] {
            let found = verdict(name, &["--evaluation-order", "gcc"], &traced(statement, &bad));
            assert_eq!(found, wanted, "{statement}, {bad}");
        }
    };
    gcc("place_read", "a[A()] = a[B()]", 9);
    gcc("place_call", "a[A()] = B()", 6);
    gcc("place_arguments", "a[A()] = f(B())", 2 * 16 + 4 + 3);
    gcc("place_conversion", "a[A()] = U()", 9);
    gcc("place_sum", "*PA() = a[B()] + C()", 2 * 16 + 3 * 4 + 1);
    gcc("place_member", "R()->x = B()", 6);
    gcc("compound_side", "a[A()] += B()", 9);
    gcc("negated", "int n = -A() + ~B()", 9);
    gcc("pointer_last", "int *p = B() + PA()", 6);
    gcc("designated", "int n[2] = { [1] = A(), [0] = B() }", 9);
    gcc("overridden", "int n[2] = { [0] = A(), [0] = B() }", 2);
    gcc("rows", "m[A()][B()] = C() + B()", ((3 * 4 + 2) * 4 + 1) * 4 + 2);
    gcc("left_of_minus", "int n = g - C(); t = n + 8", 7);
    gcc("left_of_plus", "int n = g + C(); t = n", 4);
    gcc("structure", "w.x = 1; t = v(w, W())", 7);
    gcc("compound_read", "g = 5; a[A()] += g; t = a[0]", 1);
}

/// Where gcc's order depends on types and constants both orders are considered.
#[test]
fn what_gcc_moves_has_an_open_order() {
    let open = |name: &str, statement: &str| {
        let found = ["t == 6", "t == 9"]
            .map(|bad| verdict(name, &["--evaluation-order", "gcc"], &traced(statement, bad)));
        assert_eq!(found, [UNSAFE, UNSAFE], "{statement}");
    };
    open("scaled", "int n = A() * (B() * 5)");
    open("moved", "int n = A() + (B(), 1)");
    open("compared", "int n = A() < B() + 5");
    let text = traced("a[A()] = g = 5", "a[0] == 1");
    assert_eq!(verdict("again", &["--evaluation-order", "gcc"], &text), "ERROR");
}

#[test]
fn what_ends_an_execution_is_an_effect() {
    let text = |between: &str| {
        format!(
            "void exit(int); int f(void) {{ exit(0); return 0; }} int g(void) {{ reach_error(); return 0; }} \
             int main(void) {{ return f() {between} g(); }}"
        )
    };
    assert_eq!(verdicts("ends", &text("+")), [UNSAFE, SAFE, SAFE]);
    assert_eq!(verdicts("ends_first", &text(",")), [SAFE, SAFE, SAFE]);
}

#[test]
fn unsequenced_side_effects_are_undefined() {
    let run = |statement: &str| {
        format!(
            "int f(int x) {{ return x; }} int main(void) {{ int i = 0, a[4]; {statement}; reach_error(); return 0; }}"
        )
    };
    let undefined = ["i = i++ + 1", "a[i] = i++", "i = ++i % 4", "i += i++", "i++ + i", "f(i++) + i"];
    assert_eq!(undefined.map(|s| verdict("undefined", &[], &run(s))), [SAFE; 6]);
    let defined = [
        "i = f(i++)",
        "i = (i++, i)",
        "i = i + 1",
        "i++ && i",
        "i = i = 1",
        "a[0] = a[1] = 1",
        "i++ ? i : 0",
    ];
    assert_eq!(defined.map(|s| verdict("defined", &[], &run(s))), [UNSAFE; 7]);
    assert_eq!(verdict("undefined_left", &["--evaluation-order", "left"], &run("i = i++ + 1")), UNSAFE);
}

#[test]
fn what_is_not_explored_is_refused() {
    let text = "int c; int s(void) { c++; return 1; } int main(void) { \
                int r = (__VERIFIER_nondet_int() ? s() + s() : 0) + s(); if (r == 77) reach_error(); return 0; }";
    assert_eq!(verdict("refused", &[], text), "ERROR");
    assert_eq!(verdict("refused_left", &["--evaluation-order", "left"], text), SAFE);
}

#[test]
fn the_answer_names_another_order() {
    let path = testing::file("a.c", format!("{START}{}\n", with_writer("r = c + s()", "r == 6")));
    let run = tests::slam(&["check", "--evaluation-order", "left", &path]);
    assert!(run.stdout.contains("assumed: --evaluation-order left"), "{}", run.stdout);
}
