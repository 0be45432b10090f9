//! What is assumed of functions that are defined nowhere: `--extern` and `--model`.

use testing::file;

fn verdict(options: &[&str], path: &str) -> String {
    let mut args = vec!["check", "--time-limit", "60s"];
    args.extend(options);
    args.push(path);
    let run = tests::slam(&args);
    let verdict = run.verdict();
    verdict.split(" at ").next().unwrap_or(verdict).to_owned()
}

#[test]
fn policies() {
    let text = |condition: &str| {
        format!(
            "void assert(int); int f(int *); int g; static int h;\n\
             int main(void) {{ int x = 1; g = 2; h = 3; f(&x); assert({condition}); return 0; }}\n"
        )
    };
    let local = file("extern_local.c", text("x == 1"));
    let global = file("extern_global.c", text("g == 2"));
    let hidden = file("extern_hidden.c", text("h == 3"));
    let safe = |policy: &str, path: &str| verdict(&["--extern", policy], path) == "SAFE";
    assert_eq!(["havoc", "havoc-all", "pure"].map(|p| safe(p, &local)), [false, false, true]);
    assert_eq!(["havoc", "havoc-all", "pure"].map(|p| safe(p, &global)), [true, false, true]);
    assert_eq!(["havoc", "havoc-all", "pure"].map(|p| safe(p, &hidden)), [true, true, true]);
    assert_eq!(verdict(&["--extern", "error"], &hidden), "UNSAFE(reach)");
}

/// A pointer that comes from outside may hold an undefined function, or one of the program with its type whose address is taken.
#[test]
fn pointers_to_unknown_functions() {
    let text = |condition: &str| {
        format!(
            "void assert(int); struct ops {{ int (*get)(int *); }}; extern struct ops *found; extern int shared; void touch(void);\n\
             static int g; int set(int *p) {{ *p = 7; return 0; }} int other(long n) {{ return g = n; }}\n\
             int main(void) {{ int (*mine)(int *) = set; int (*o)(long) = other; int x = 1; touch();\n\
             if (!found || !mine || !o) return 0; shared = 4; found->get(&x); assert({condition}); return 0; }}\n"
        )
    };
    let wrote = file("unknown_wrote.c", text("x == 1"));
    let known = file("unknown_known.c", text("x == 1 || x == 7"));
    let elsewhere = file("unknown_shared.c", text("shared == 4"));
    let hidden = file("unknown_hidden.c", text("g == 0"));
    let safe = |policy: &str, path: &str| verdict(&["--extern", policy], path) == "SAFE";
    assert_eq!(["havoc", "havoc-all", "pure"].map(|p| safe(p, &wrote)), [false, false, false]);
    assert_eq!(["havoc", "havoc-all", "pure"].map(|p| safe(p, &known)), [false, false, true]);
    assert_eq!(["havoc", "havoc-all", "pure"].map(|p| safe(p, &elsewhere)), [false, false, true]);
    assert_eq!(["havoc", "havoc-all", "pure"].map(|p| safe(p, &hidden)), [true, true, true]);
    assert_eq!(verdict(&["--extern", "error"], &hidden), "UNKNOWN(function pointer)");
    let run = tests::slam(&["check", &hidden]);
    let told = "assumed of pointers to unknown functions: they hold a function of their type whose address is taken, or an \
                undefined one: `found->get`";
    assert!(run.stdout.contains(told), "{}", run.stdout);
}

/// What stands in an object that an undefined function gave is an input, found by the path's model: numbers, further objects, functions.
#[test]
fn contents_of_objects_from_outside_are_inputs() {
    let text = |body: &str| {
        format!(
            "void assert(int); struct dev {{ int flags; struct dev *next; int (*get)(int); }}; struct dev *find(int);\n\
             int main(void) {{ struct dev *d = find(1); if (!d) return 0; {body} return 0; }}\n"
        )
    };
    let answer = |name: &str, body: &str| verdict(&[], &file(name, text(body)));
    assert_eq!(answer("contents_number.c", "if (d->next) assert(d->flags != 5);"), "UNSAFE(reach)");
    assert_eq!(
        answer("contents_chain.c", "if (d->next && d->flags == 2) assert(d->next->flags != 7);"),
        "UNSAFE(reach)"
    );
    assert_eq!(
        answer("contents_call.c", "if (d->get && d->flags) { int r = d->get(3); assert(r != 5); }"),
        "UNSAFE(reach)"
    );
    assert_eq!(
        answer("contents_else.c", "if (!d->next) return 0; if (d->flags > 3) assert(d->flags != 9);"),
        "UNSAFE(reach)"
    );
    assert_eq!(answer("contents_safe.c", "if (d->flags > 3) assert(d->flags != 2);"), "SAFE");
    // A result holds them; a compiled program cannot be given them.
    let (path, json) =
        (file("contents_json.c", text("if (d->next) assert(d->flags != 5);")), file("contents.json", ""));
    let run = tests::slam(&["check", "--json", &json, &path]);
    let told = "contents of an object from outside at";
    assert!(run.stdout.contains(told), "{}", run.stdout);
    let again = tests::slam(&["replay", &path, &json]);
    assert!(again.stdout.contains(&format!("not supplied: {told}")), "{}{}", again.stdout, again.stderr);
}

/// Where memory is accessed at several types predicates do not follow it, and the path that the abstraction ends with need not be one.
/// Unrolling finds another one, with as many turns or more, where what objects from outside hold stays what it was.
#[test]
fn objects_from_outside_keep_what_they_hold() {
    let text = |failing: &str| {
        format!(
            "#include <stdlib.h>\n\
             void assert(int); int __VERIFIER_nondet_int(void);\n\
             struct cipher {{ unsigned long flags; int strength; }};\n\
             struct session {{ void *peer; short tag; }};\n\
             struct connection {{ int state; struct cipher *c; struct session *session; int hit; char name[4]; }};\n\
             int main(void) {{\n\
               struct connection *s = malloc(sizeof *s); int seen = 0;\n\
               for (s->state = 1; ; s->state++) switch (s->state) {{\n\
               case 1: if (s->c->flags & 1) seen = 1; s->hit = __VERIFIER_nondet_int(); break;\n\
               case 2: if (__VERIFIER_nondet_int() <= 0) return 0;\n\
                 s->name[s->hit & 3] = 'x'; s->hit = 0; if (s->session->peer) s->session->tag = 3; break;\n\
               case 3: if (s->c->flags & 1) assert(seen); break;\n\
               case 4: s->c->strength = s->hit; break;\n\
               case 5: s->name[s->hit & 1] = 'y'; break;\n\
               case 6: if ({failing}) assert(__VERIFIER_nondet_int() != 12345); return 0;\n\
               }}\n\
             }}\n"
        )
    };
    let answer = |name: &str, failing: &str| verdict(&[], &file(name, text(failing)));
    assert_eq!(answer("outside_keeps.c", "s->c->flags == 7 && seen"), "UNSAFE(reach)");
    // What they do not keep where nothing says so is not an error, and no answer.
    assert_eq!(answer("outside_never.c", "s->c->flags == 7 && !seen"), "UNKNOWN(not replayed)");
}

/// What is handed to such a function may be called by it, which is not modelled.
#[test]
fn unknown_functions_may_call_back() {
    let text = "void assert(int); struct ops { void (*with)(void (*)(void)); }; extern struct ops *o; static int g; void touch(void);\n\
                void hook(void) { g = 1; }\n\
                int main(void) { touch(); if (!o) return 0; o->with(hook); assert(g == 0); return 0; }\n";
    let verdict = verdict(&[], &file("unknown_calls.c", text));
    assert!(verdict.starts_with("UNKNOWN("), "{verdict}");
}

#[test]
fn an_undefined_function_that_is_never_reached_is_no_error() {
    let text = "void assert(int); void f(void); int main(void) { int x = 1; if (x == 2) f(); assert(x == 1); return 0; }";
    assert_eq!(verdict(&["--extern", "error"], &file("extern_never.c", text)), "SAFE");
}

#[test]
fn stubs_win_over_models_and_not_over_the_program() {
    let stubs = file(
        "stubs.c",
        "int f(int *p) { *p = 5; return 0; }\nint own(void) { return 1; }\nunsigned long strlen(const char *s) { return 9; }\n",
    );
    let start =
        "void assert(int); int f(int *); int own(void) { return 7; } unsigned long strlen(const char *);\n";
    let text = format!(
        "{start}int main(void) {{ int x = 1; f(&x); assert(x == 5 && own() == 7 && strlen(\"a\") == 9); return 0; }}\n"
    );
    assert_eq!(verdict(&["--model", &stubs], &file("stubbed.c", &text)), "SAFE");
    let text = format!("{start}int main(void) {{ int x = 1; f(&x); assert(x == 1); return 0; }}\n");
    assert_eq!(verdict(&["--model", &stubs], &file("stubbed_unsafe.c", &text)), "UNSAFE(reach)");
}

#[test]
fn what_was_assumed_is_told() {
    let path = file(
        "told.c",
        "void assert(int); int f(void); int never(void); int main(void) { f(); if (0) never(); assert(1); return 0; }",
    );
    let json = file("told.json", "");
    let run = tests::slam(&["check", "--extern", "pure", "--json", &json, &path]);
    assert!(
        run.stdout.contains("assumed of undefined functions: any result, no writes: f\n"),
        "{}",
        run.stdout
    );
    let json = std::fs::read_to_string(&json).expect("--json writes the file");
    assert!(json.contains("\"undefined_functions\"") && json.contains("\"function\": \"f\""), "{json}");
}

/// An object whose type is defined in another file has some size, and nobody here knows which.
#[test]
fn the_size_of_what_another_file_defines_is_not_known() {
    let text = "void assert(int); extern struct other s;\n\
                int main(void) { char *p = (char *)&s; p[3] = 1; assert(&s != 0); return 0; }\n";
    let checked = verdict(&["--check", "bounds,null"], &file("extern_size.c", text));
    assert!(checked.starts_with("UNKNOWN("), "{checked}");
    assert_eq!(
        verdict(&["--check", "bounds,null"], &file("extern_byte.c", text.replace("[3]", "[0]"))),
        "SAFE"
    );
    let value = text.replace("p[3] = 1", "").replace("&s != 0", "*p == 0");
    assert_eq!(verdict(&[], &file("extern_value.c", &value)), "UNSAFE(reach)");
}

/// Objects from undefined functions are known, and apart, where the option says so; what the functions do besides they do all
/// the same.
#[test]
fn objects_of_their_own() {
    let text = |before: &str, condition: &str| {
        format!(
            "void assert(int); struct pair {{ int a, b; }}; struct pair *get(int *); int main(void) {{\n\
             int x = 1; struct pair *p = get(&x), *q = get(0); {before} p->a = 1; q->a = 2; assert({condition}); return 0; }}\n"
        )
    };
    let both = "if (!p || !q) return 0;";
    let apart = file("fresh_apart.c", text(both, "p->a == 1"));
    let contents = file("fresh_contents.c", text(both, "p->b == 0"));
    let null = file("fresh_null.c", text("if (!p) return 0;", "1"));
    let wrote = file("fresh_wrote.c", text(both, "x == 1"));
    let fresh = |options: &[&str], path: &str| {
        verdict(&[&["--check", "reach,null,bounds", "--unknown-pointers", "fresh"], options].concat(), path)
    };
    assert_eq!(fresh(&[], &apart), "SAFE");
    assert_eq!(fresh(&[], &contents), "UNSAFE(reach)");
    assert_eq!(fresh(&[], &null), "UNSAFE(null)");
    assert!(fresh(&[], &wrote).starts_with("UNKNOWN"));
    assert_eq!(fresh(&["--extern", "pure"], &wrote), "SAFE");
    assert_eq!(fresh(&["--extern", "error"], &apart), "UNSAFE(reach)");
    assert!(!verdict(&[], &apart).starts_with("SAFE"), "they may be one object");
    let run = tests::slam(&["check", "--unknown-pointers", "fresh", &apart]);
    assert!(run.stdout.contains("assumed: --unknown-pointers fresh"), "{}", run.stdout);
}

/// Where assumptions about pointers from outside are refused, executions that reach such a call have no answer;
/// others do.
#[test]
fn pointers_from_outside_are_refused_on_request() {
    let text = |before: &str| {
        format!(
            "void assert(int); void *get(void); int number(void); int main(void) {{ int x = number();\n\
             {before} {{ char *p = get(); if (p) *p = 1; }} assert(x != 7 || x > 6); return 0; }}\n"
        )
    };
    let refuse = |path: &str| verdict(&["--unknown-pointers", "refuse"], path);
    let reached = file("refuse_reached.c", text("if (x == 3)"));
    let run = tests::slam(&["check", "--unknown-pointers", "refuse", &reached]);
    assert!(run.verdict().starts_with("UNKNOWN("), "{}", run.stdout);
    assert!(run.stdout.contains("a pointer from the undefined function `get`"), "{}", run.stdout);
    assert_eq!(refuse(&file("refuse_not_reached.c", text("if (x > 3 && x < 2)"))), "SAFE");
    assert_eq!(verdict(&[], &reached), "SAFE");
}

/// Answers for programs that get pointers from outside, with these checks.
#[track_caller]
fn answers(checks: &str, programs: &[(&str, &str, &str)]) {
    for (name, text, expected) in programs {
        let path = file(&format!("outside_{name}.c"), format!("{text}\n"));
        assert_eq!(verdict(&["--check", checks], &path), *expected, "{name}: {text}");
    }
}

const FIND: &str = "void assert(int); void free(void *); struct dev { int id; struct dev *next; }; struct dev *find(int);\n\
                    extern int *table; void *kzalloc(unsigned long);\n";

/// A pointer from outside is NULL or leads to an object of its type that is there: no check of memory fails for it.
#[test]
fn pointers_from_outside_lead_to_objects() {
    let with = |body: &str| format!("{FIND}int main(void) {{ {body} }}");
    let found = with("struct dev *d = find(1); if (!d) return 1; d->id = 3; return d->id;");
    let no_test = with("struct dev *d = find(1); d->id = 3; return d->id;");
    let next = with("struct dev *d = find(1); if (!d || !d->next) return 1; return d->next->id;");
    let object = with("if (!table) return 1; return table[0];");
    let walk = with("int s = 0; for (struct dev *d = find(1); d; d = d->next) s ^= d->id; return s;");
    let contents = with("struct dev *d = find(1); if (!d) return 1; assert(d->id != 7); return 0;");
    answers(
        "all",
        &[
            ("found", &found, "SAFE"),
            ("no_test", &no_test, "UNSAFE(null)"),
            ("next", &next, "SAFE"),
            ("object", &object, "SAFE"),
            ("walk", &walk, "SAFE"),
            ("contents", &contents, "UNSAFE(reach)"),
        ],
    );
}

/// How large an object from outside is, and what it is part of, is not known: no error depends on that.
#[test]
fn no_error_rests_on_the_size_of_an_object_from_outside() {
    let with = |body: &str| format!("{FIND}int main(void) {{ {body} }}");
    let behind = with("if (!table) return 1; return table[5];");
    let part = with(
        "struct big { long n; struct dev dev; } *b; struct dev *d = find(1); if (!d) return 1;\n\
         b = (struct big *)((char *)d - (unsigned long)&((struct big *)0)->dev); return (int)b->n;",
    );
    let memory = with("struct dev *d = kzalloc(sizeof *d); if (!d) return 1; d->id = 3; return d->id;");
    let zero = with("struct dev *d = kzalloc(sizeof *d); if (!d) return 1; assert(d->id == 0); return 0;");
    let own = with(
        "struct dev *d = kzalloc(sizeof *d); if (!d) return 1; d->id = 3; assert(d->id == 4); return 0;",
    );
    for (name, text) in [("behind", &behind), ("part", &part), ("memory", &memory), ("zero", &zero)] {
        let path = file(&format!("unsized_{name}.c"), text);
        let answer = verdict(&["--check", "reach,bounds,free,uninit"], &path);
        assert!(!answer.starts_with("UNSAFE"), "{name}: {answer}");
    }
    answers("reach", &[("own", &own, "UNSAFE(reach)")]);
}

/// Who gets an object from outside may free it, but not twice, and not use it then.
#[test]
fn objects_from_outside_may_be_freed() {
    let with = |body: &str| format!("{FIND}int main(void) {{ struct dev *d = find(1); {body} return 0; }}");
    let once = file("outside_freed_once.c", with("free(d);"));
    assert_ne!(verdict(&["--check", "free"], &once), "UNSAFE(free)");
    answers(
        "free",
        &[
            ("twice", &with("if (!d) return 1; free(d); free(d);"), "UNSAFE(free)"),
            ("after", &with("if (!d) return 1; free(d); d->id = 1;"), "UNSAFE(free)"),
        ],
    );
}

/// Pointers from outside may be numbers, which are compared; nobody knows what is there.
#[test]
fn numbers_in_pointers_from_outside() {
    let with = |body: &str| format!("{FIND}int main(void) {{ struct dev *d = find(1); {body} return 0; }}");
    let tested = with("if (!d || (unsigned long)d >= -4095ul) return 1; return d->id;");
    let behind = with("if (d == (struct dev *)7) d->id = 1;");
    answers("null,bounds,free,uninit", &[("tested", &tested, "SAFE")]);
    let path = file("outside_behind.c", behind);
    let answer = verdict(&["--check", "bounds,free"], &path);
    assert!(!answer.starts_with("UNSAFE"), "{answer}");
}

/// What stands at a fixed address is there; volatile reads give anything, others what was written.
#[test]
fn memory_at_fixed_addresses() {
    let start = "void assert(int); typedef struct { volatile unsigned cr, sr, dr; } uart_t;\n\
                 #define UART ((uart_t *)0x40011000u)\n#define PORT (*(volatile unsigned char *)0x25)\n";
    let with = |body: &str| format!("{start}int main(void) {{ {body} return 0; }}");
    let polled = with("UART->cr = 1; while (!(UART->sr & 2u)) ; return (int)UART->dr;");
    let variable = with("uart_t *u = UART; u->cr = 1; while (!(u->sr & 2u)) ; return (int)u->dr;");
    let low = with("PORT = 1; PORT |= 2;");
    let several = with("volatile int *p = (volatile int *)0x2000; for (int i = 0; i < 4; i++) p[i] = i;");
    let last = with("return *(char *)-1;");
    let any = with("if (UART->sr == 77) assert(0);");
    let kept = with("int *p = (int *)0x2000; *p = 4; assert(*p == 4);");
    let lost = with("int *p = (int *)0x2000; *p = 4; assert(*p == 5);");
    let null = with("uart_t *u = 0; u->sr = 1;");
    let member = with("uart_t *u = 0; volatile unsigned *p = &u->sr; *p = 1;");
    answers(
        "all",
        &[
            ("polled", &polled, "SAFE"),
            ("variable", &variable, "SAFE"),
            ("low", &low, "SAFE"),
            ("several", &several, "SAFE"),
            ("last", &last, "SAFE"),
            ("any", &any, "UNSAFE(reach)"),
            ("kept", &kept, "SAFE"),
            ("lost", &lost, "UNSAFE(reach)"),
            ("null", &null, "UNSAFE(null)"),
            ("member", &member, "UNSAFE(null)"),
        ],
    );
    // A number that is computed from an address and misses its object is not such an address, and neither is an
    // arbitrary number.
    let missed = with("int a[4]; unsigned long n = (unsigned long)a; *(int *)(n + 64) = 1;");
    let drawn = with("extern long __VERIFIER_nondet_long(void); *(int *)__VERIFIER_nondet_long() = 1;");
    let stored = with(
        "extern long __VERIFIER_nondet_long(void); union { long n; int *p; } u; u.n = __VERIFIER_nondet_long(); *u.p = 1;",
    );
    answers(
        "bounds",
        &[
            ("missed", &missed, "UNSAFE(bounds)"),
            ("drawn", &drawn, "UNSAFE(bounds)"),
            ("stored", &stored, "UNSAFE(bounds)"),
        ],
    );
    let based = with(
        "extern unsigned __VERIFIER_nondet_uint(void); unsigned long base = 0x40000000; unsigned n = __VERIFIER_nondet_uint();\n\
         if (n < 9) *(volatile unsigned *)(base + 4 * n) = 1;",
    );
    answers("bounds,free", &[("based", &based, "SAFE")]);
}
