//! Pointers to variables of blocks that were left (C11 6.2.4): each turn of a loop has its own.

/// The verdicts with `--check free` and without.
fn verdicts(name: &str, text: &str) -> [String; 2] {
    let start = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n";
    let path = testing::file(&format!("{name}.c"), format!("{start}{text}\n"));
    ["reach,free", "reach"].map(|kinds| {
        let run = tests::slam(&["check", "--time-limit", "60s", "--check", kinds, &path]);
        run.verdict().split(" at ").next().unwrap_or_default().to_owned()
    })
}

fn freed(name: &str, body: &str) -> String {
    verdicts(name, &format!("int main(void) {{ int *p = 0; {body} }}"))[0].clone()
}

#[test]
fn a_variable_ends_with_its_block() {
    assert_eq!(freed("block", "{ int x = 1; p = &x; } return *p;"), "UNSAFE(free)");
    assert_eq!(freed("static", "{ static int x = 1; p = &x; } return *p;"), "SAFE");
    assert_eq!(freed("inside", "int r; { int x = 1; p = &x; r = *p; } return r;"), "UNKNOWN(not replayed)");
    assert_eq!(freed("holder", "int r; { int x = 1; int *q = &x; r = *q; } return r;"), "SAFE");
    assert_eq!(
        freed(
            "turns",
            "int r = 0; for (int i = 0; i < 2; i++) { int x = i; if (p) r = *p; p = &x; } return r;"
        ),
        "UNSAFE(free)"
    );
}

#[test]
fn jumps_leave_blocks() {
    assert_eq!(freed("break", "while (1) { int x = 1; p = &x; break; } return *p;"), "UNSAFE(free)");
    let next = "for (int i = 0; i < 2; i++) { if (p) return *p; { int x = 1; p = &x; continue; } } return 0;";
    assert_eq!(freed("continue", next), "UNSAFE(free)");
    assert_eq!(freed("goto", "{ int x = 1; p = &x; goto out; } out: return *p;"), "UNSAFE(free)");
    let stays = "int n = 0; { int x = 1; p = &x; again: n++; if (n < 3) goto again; if (*p != 1) reach_error(); } return 0;";
    assert_eq!(verdicts("goto_inside", &format!("int main(void) {{ int *p; {stays} }}"))[1], "SAFE");
}

#[test]
fn what_a_call_takes_lives() {
    let text = "void set(int *p) { *p = 4; } int main(void) { int r = 4; \
                for (int i = 0; i < 3; i++) { int x; set(&x); r = x; } if (r != 4) reach_error(); return 0; }";
    assert_eq!(verdicts("call", text), ["SAFE", "SAFE"]);
    let text = "int *f(void) { int x = 1, *q = &x; return q; } int main(void) { return *f(); }";
    assert_eq!(verdicts("function", text)[0], "UNSAFE(free)");
}

#[test]
fn addresses_of_other_turns_are_open() {
    let turns = |condition: &str| {
        format!(
            "int main(void) {{ int *p = 0; for (int i = 0; i < 2; i++) {{ int x = i; if (p && {condition}) reach_error(); p = &x; }} return 0; }}"
        )
    };
    assert_eq!(verdicts("turn_equal", &turns("p == &x"))[1], "UNSAFE(reach)");
    assert_eq!(verdicts("turn_other", &turns("p != &x"))[1], "UNSAFE(reach)");
}
