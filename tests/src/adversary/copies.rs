//! Bytes of structures are copied, swapped, set: by library functions and by loops, also where they are a pointer's.

use super::program::Draft;
use super::scenario::{Guard, guard};

/// Copies from one structure to another.
pub(super) fn copies(draft: &mut Draft) -> Vec<i64> {
    let guard = guard(draft);
    let n = draft.dice.within(1, 5);
    // Two chars behind the name keep the number or pointer at offsets that vary.
    let lead = match draft.dice.below(4) {
        0 => String::new(),
        1 => "int h; ".to_owned(),
        2 => "char t; ".to_owned(),
        _ => format!("char n[{n}]; "),
    };
    let pointer = draft.dice.one_in(2);
    let member = if pointer { "int *p;" } else { *draft.dice.of(&["int v;", "char v;", "int v; char z;"]) };
    draft.top(format!("struct C@ {{ {lead}{member} }};"));
    draft.global("s@", "struct C@ s@");
    draft.global("u@", "struct C@ u@");
    if pointer {
        of_pointers(draft, &guard)
    } else {
        of_numbers(draft, &guard)
    }
    guard.failing()
}

/// A call that copies `sizeof s@` bytes from the second place to the first, in one of many ways.
fn copy(draft: &mut Draft, to: &str, from: &str) -> String {
    let size = "sizeof(struct C@)";
    match draft.dice.below(9) {
        0 => format!("memcpy(&{to}, &{from}, {size});"),
        1 => format!("memmove((char *)&{to}, (char *)&{from}, {size});"),
        2 => {
            draft.top("static void cp@(char *d, const char *s, unsigned n) { memcpy(d, s, n); }");
            format!("cp@((char *)&{to}, (char *)&{from}, {size});")
        }
        3 => {
            draft.top("static void cp@(void *d, const void *s, int n) { memmove(d, s, n); }");
            format!("cp@(&{to}, &{from}, {size});")
        }
        4 => {
            draft.top(
                "static void by@(char *d, const char *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i]; }",
            );
            format!("by@((char *)&{to}, (char *)&{from}, {size});")
        }
        5 => {
            draft.top("static void up@(char *d, const char *s, int n) { while (n--) *d++ = *s++; }");
            format!("up@((char *)&{to}, (char *)&{from}, {size});")
        }
        6 => {
            draft.top("static void dn@(char *d, const char *s, int n) { while (n-- > 0) d[n] = s[n]; }");
            format!("dn@((char *)&{to}, (char *)&{from}, {size});")
        }
        7 => {
            draft.top(
                "static void sw@(char *a, char *b, int n) { while (n-- > 0) { char t = a[n]; a[n] = b[n]; b[n] = t; } }",
            );
            format!("sw@((char *)&{to}, (char *)&{from}, {size});")
        }
        _ => format!("{to} = {from};"),
    }
}

/// `s.v` is copied over.
fn of_numbers(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    let call = copy(draft, "s@", "u@");
    let set = *draft.dice.of(&["memset(&u@, 0, sizeof u@);", "u@.v = 0;", ""]);
    if draft.dice.one_in(2) {
        // Puts `x` there.
        draft.body(format!("s@.v = 0; {set} u@.v = x;"));
        let back = if call.starts_with("sw@") || draft.dice.one_in(2) {
            " s@.v = 0;"
        } else {
            " if (s@.v == u@.v) s@.v = 1;"
        };
        draft.twins(format!("if ({condition}) {{ {call}{back} }}"), format!("if ({condition}) {{ {call} }}"));
    } else {
        // `x` is overwritten.
        draft.body(format!("s@.v = x; {set} u@.v = 0;"));
        draft.twins(call.clone(), format!("if (!({condition})) {{ {call} }}"));
    }
    draft.body("int r = s@.v;");
    let assertion = guard.assertion(draft, "r");
    draft.body(assertion);
}

/// `s.p` leads elsewhere after the copy.
fn of_pointers(draft: &mut Draft, guard: &Guard) {
    let condition = &guard.condition;
    let call = copy(draft, "s@", "u@");
    draft.body("int a0 = 0; int b0 = 0; s@.p = &a0; u@.p = &b0;");
    let swaps = call.starts_with("sw@");
    match draft.dice.below(3) {
        0 => {
            draft.twins(
                format!("if ({condition}) {{ {call} s@.p = &a0; }}"),
                format!("if ({condition}) {{ {call} }}"),
            );
            draft.body("*s@.p = x; int r = b0;");
        }
        1 => {
            draft.body("b0 = x;");
            let other = if swaps { "u@.p = &b0; s@.p = &a0;" } else { "s@.p = &a0;" };
            draft.twins(
                format!("if ({condition}) {{ {call} {other} }}"),
                format!("if ({condition}) {{ {call} }}"),
            );
            draft.body("int r = *s@.p;");
        }
        _ => {
            // The write goes to `a` unless the pointer has changed.
            draft.body("a0 = x;");
            let writes = |when: &str| format!("if ({when}) {{ {call} }} *s@.p = 0;");
            draft.twins(writes(&format!("{condition} && x != {}", guard.bad)), writes(condition));
            draft.body("int r = a0;");
        }
    }
    let assertion = guard.assertion(draft, "r");
    draft.body(assertion);
}
