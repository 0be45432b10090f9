//! Families of programs of growing size, for tables and figures: locks, loops, recursion, state machines.

use std::fmt::Write as _;

/// Declarations that all of them begin with.
const HEAD: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";

/// `n` procedures and `n` locks: each takes its lock, works until nothing more comes, and gives it back, as the driver
/// in the papers on SLAM does; `main` calls them all. In the buggy one the procedure in the middle gives its lock back
/// twice when it ends at two.
pub fn locks(n: usize, buggy: bool) -> String {
    let mut text = HEAD.to_owned();
    for k in 0..n {
        let again = if buggy && k == n / 2 {
            format!("        if (!request && new == 2) lock{k} = 0;\n")
        } else {
            String::new()
        };
        let _ = write!(
            text,
            "int lock{k};
void work{k}(int new) {{
    int old, request;
    do {{
        if (lock{k} != 0) reach_error();
        lock{k} = 1;
        old = new;
        request = __VERIFIER_nondet_int();
        if (request) {{
            if (lock{k} != 1) reach_error();
            lock{k} = 0;
            new = new + 1;
        }}
{again}    }} while (new != old);
    if (lock{k} != 1) reach_error();
    lock{k} = 0;
}}
"
        );
    }
    text.push_str("int main(void) {\n");
    for k in 0..n {
        let _ = writeln!(text, "    work{k}(__VERIFIER_nondet_int());");
    }
    text + "    return 0;\n}\n"
}

/// `n` loops, each inside the one before, whose counters stay in order.
pub fn loops(n: usize) -> String {
    let mut text = format!("{HEAD}int main(void) {{\n    int n = __VERIFIER_nondet_int(), sum = 0;\n");
    for k in 0..n {
        let (from, pad) = (if k == 0 { "0".into() } else { format!("i{}", k - 1) }, "    ".repeat(k + 1));
        let _ = writeln!(text, "{pad}for (int i{k} = {from}; i{k} < n; i{k}++) {{");
    }
    let last = n.saturating_sub(1);
    let pad = "    ".repeat(n + 1);
    let _ = writeln!(text, "{pad}if (i{last} < 0 || i{last} >= n || i{last} < i0) reach_error();");
    for k in (0..n).rev() {
        let _ = writeln!(text, "{}}}", "    ".repeat(k + 1));
    }
    text + "    return sum;\n}\n"
}

/// `n` procedures that call each other in a ring and pass a token, which each finds where it must be.
pub fn ring(n: usize) -> String {
    let mut text = format!("{HEAD}int token;\n");
    for k in 0..n {
        let _ = writeln!(text, "void member{k}(int depth);");
    }
    for k in 0..n {
        let next = (k + 1) % n;
        let _ = write!(
            text,
            "void member{k}(int depth) {{
    if (token != {k}) reach_error();
    if (depth > 0) {{
        token = {next};
        member{next}(depth - 1);
    }}
    token = {k};
}}
"
        );
    }
    text + "int main(void) {\n    member0(__VERIFIER_nondet_int());\n    if (token != 0) reach_error();\n    \
        return 0;\n}\n"
}

/// A machine with `n` states that are passed in order, or left by the first again; a flag for each state says that it
/// was passed.
pub fn machine(n: usize) -> String {
    let mut text = format!("{HEAD}int main(void) {{\n    int state = 0, event;\n");
    for k in 0..n {
        let _ = writeln!(text, "    int passed{k} = 0;");
    }
    text.push_str(
        "    while (state < 1000) {\n        event = __VERIFIER_nondet_int();\n        switch (state) {\n",
    );
    for k in 0..n {
        let wanted = k
            .checked_sub(1)
            .map_or(String::new(), |before| format!("            if (!passed{before}) reach_error();\n"));
        let next = if k + 1 == n { 1000 } else { k + 1 };
        let _ = write!(
            text,
            "        case {k}:
{wanted}            passed{k} = 1;
            state = event > 0 ? {next} : event < 0 ? 0 : {k};
            break;
"
        );
    }
    text + "        default:\n            reach_error();\n        }\n    }\n    return 0;\n}\n"
}

/// A server whose state, one of `n`, lies in a record behind a pointer. A state may be taken up again after the next one
/// was tried; the last is entered only after the first has been.
pub fn server(n: usize) -> String {
    let mut text = format!(
        "{HEAD}struct server {{ int state, greeted; }};
int main(void) {{
    struct server it = {{ 10, 0 }}, *s = &it;
    while (s->state != {}) {{
        int before = s->state;
",
        10 + n
    );
    for k in 0..n {
        let other = if k == 0 { "" } else { "else " };
        let action = match k {
            0 => "s->greeted = 1; ",
            _ if k + 1 == n => "if (!s->greeted) reach_error(); ",
            _ => "",
        };
        let _ =
            writeln!(text, "        {other}if (s->state == {}) {{ {action}s->state = {}; }}", 10 + k, 11 + k);
    }
    text + "        else reach_error();
        if (__VERIFIER_nondet_int()) s->state = before;
    }
    return 0;
}
"
}

/// A lock that is taken, given back or not as inputs say, with `n` buffers of 20 inputs filled in between: loops whose number
/// of turns is known and that have nothing to do with the lock.
pub fn buffers(n: usize) -> String {
    let mut text = format!("{HEAD}int main(void) {{\n    int taken = 0, wanted = __VERIFIER_nondet_int();\n");
    for k in 0..n {
        let _ = write!(
            text,
            "    char in{k}[20];
    for (int i = 0; i < 20; i++)
        in{k}[i] = (char)__VERIFIER_nondet_int();
    if (wanted > {k} && !taken && in{k}[3])
        taken = 1;
    if (taken && wanted <= 0)
        reach_error();
"
        );
    }
    text + "    return taken;\n}\n"
}
