//! Library functions end to end: what their models prove and find, and that they take nothing away from the program's own
//! definitions.

const INCLUDES: &str = "#define _GNU_SOURCE\n#include <assert.h>\n#include <ctype.h>\n#include <errno.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <limits.h>\n#include <locale.h>\n#include <math.h>\n#include <pthread.h>\n#include <signal.h>\n#include <stdarg.h>\n#include <time.h>\nint nondet_int(void);\n";

fn run(name: &str, text: &str) -> tests::Run {
    let path = testing::file(&format!("{name}.c"), format!("{INCLUDES}{text}\n"));
    tests::slam(&["check", "--time-limit", "20s", &path])
}

fn verdict(name: &str, text: &str) -> String {
    let run = run(name, text);
    let verdict = run.verdict();
    verdict.split(" at ").next().unwrap_or(verdict).to_owned()
}

fn main_verdict(name: &str, body: &str) -> String {
    verdict(name, &format!("int main(void) {{ int x = nondet_int(); {body} return 0; }}"))
}

#[track_caller]
fn pair(name: &str, safe: &str, unsafe_: &str) {
    assert_eq!(main_verdict(&format!("{name}_safe"), safe), "SAFE", "{safe}");
    assert_eq!(main_verdict(&format!("{name}_unsafe"), unsafe_), "UNSAFE(reach)", "{unsafe_}");
}

#[test]
fn strings() {
    pair("strlen", "assert(strlen(\"abc\") == 3);", "assert(strlen(\"abc\") == 4);");
    pair("strcmp", "assert(strcmp(\"ab\", \"b\") < 0);", "assert(strcmp(\"ab\", \"ab\") != 0);");
    // Implementations differ in the magnitude.
    assert_eq!(main_verdict("strcmp_one", "assert(strcmp(\"b\", \"a\") == 1);"), "UNSAFE(reach)");
    pair(
        "strcpy",
        "char b[4]; strcpy(b, \"ab\"); assert(b[1] == 'b');",
        "char b[4]; strcpy(b, \"ab\"); assert(b[1] == 'c');",
    );
    pair(
        "strchr",
        "char *s = \"ab\"; assert(strchr(s, 'b') != 0);",
        "char *s = \"ab\"; assert(strchr(s, 'c') != 0);",
    );
}

/// What nobody declares is the C library's all the same: compilers call it, and take an `int` from where its result is.
#[test]
fn functions_that_nobody_declares() {
    let of = |body: &str| {
        let text = format!("void abort(void);\nint main(void) {{ {body} return 0; }}\n");
        let path = testing::file("undeclared.c", text);
        let run = tests::slam(&["check", "--check", "reach,bounds", "--time-limit", "20s", &path]);
        run.verdict().split(" at ").next().unwrap_or_default().to_owned()
    };
    let b = "char b[8] = \"abcdefg\";";
    assert_eq!(of(&format!("{b} memmem(b, 8, \"a\", 1);")), "SAFE");
    assert_eq!(of(&format!("{b} memmem(b, 9, \"a\", 1);")), "UNSAFE(bounds)");
    // It goes to a variable, and writes.
    assert_eq!(of(&format!("{b} int x = mempcpy(b, \"h\", 1); if (b[0] != 'h') abort();")), "SAFE");
    assert_eq!(of("int x = strtoul(\"7\", 0, 10); if (x != 7) abort();"), "SAFE");
}

#[test]
fn characters() {
    pair(
        "digit",
        "if (x >= 0 && x < 256 && isdigit(x)) assert(x >= '0');",
        "if (x >= 0 && x < 256 && isdigit(x)) assert(x > '0');",
    );
    pair("upper", "if (x == 'q') assert(toupper(x) == 'Q');", "if (x == 'q') assert(toupper(x) == 'q');");
}

#[test]
fn memory() {
    pair(
        "realloc",
        "int *p = realloc(0, sizeof *p); if (p) { *p = 7; assert(*p == 7); }",
        "int *p = realloc(0, sizeof *p); assert(p != 0);",
    );
}

#[test]
fn the_end_of_the_program() {
    let handler = "static int n; static void last(void) { assert(n == 1); }";
    let main = |body: &str| format!("{handler} int main(void) {{ atexit(last); {body} }}");
    assert_eq!(verdict("exit_safe", &main("n = 1; exit(0);")), "SAFE");
    assert_eq!(verdict("exit_unsafe", &main("n = 2; exit(0);")), "UNSAFE(reach)");
    assert_eq!(verdict("return_safe", &main("n = 1; return 0;")), "SAFE");
    assert_eq!(verdict("return_unsafe", &main("n = 2; return 0;")), "UNSAFE(reach)");
    assert_eq!(verdict("quick", &main("n = 2; _Exit(0);")), "SAFE");
}

#[test]
fn sorting_calls_the_comparison() {
    let text = |c: &str| {
        format!(
            "static int calls; static int compare(const void *a, const void *b) {{ calls = 1; return 0; }}\n\
             int main(void) {{ int v[2] = {{ 2, 1 }}; qsort(v, 2, sizeof v[0], compare); assert(calls == {c}); return 0; }}"
        )
    };
    assert_eq!(verdict("qsort_safe", &text("1")), "SAFE");
    assert_eq!(verdict("qsort_unsafe", &text("0")), "UNSAFE(reach)");
}

#[test]
fn locks_without_threads() {
    let lock = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;";
    let text = |c: &str| {
        format!(
            "{lock} int main(void) {{ int r = pthread_mutex_lock(&m); pthread_mutex_unlock(&m); assert(r {c} 0); return 0; }}"
        )
    };
    assert_eq!(verdict("lock_safe", &text("==")), "SAFE");
    assert_eq!(verdict("lock_unsafe", &text("!=")), "UNSAFE(reach)");
}

/// A lock that the only thread has itself: what glibc answers, and where it stays for ever.
#[test]
fn locks_that_one_has() {
    let with = |lock: &str, body: &str| format!("static {lock}; int main(void) {{ {body} return 0; }}");
    let mutex = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER";
    let safe = [
        (mutex, "assert(pthread_mutex_trylock(&m) == 0); assert(pthread_mutex_trylock(&m) == EBUSY);"),
        (mutex, "pthread_mutex_lock(&m); pthread_mutex_lock(&m); assert(0);"),
        (
            "pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER",
            "pthread_rwlock_wrlock(&m); assert(pthread_rwlock_rdlock(&m) == EDEADLK);",
        ),
        (
            "pthread_mutex_t m; static pthread_mutexattr_t a",
            "pthread_mutexattr_init(&a); assert(pthread_mutexattr_settype(&a, 99) == EINVAL);\
             pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK); pthread_mutex_init(&m, &a);\
             assert(pthread_mutex_unlock(&m) == EPERM); pthread_mutex_lock(&m); assert(pthread_mutex_lock(&m) == EDEADLK);",
        ),
        (
            "pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP",
            "pthread_mutex_lock(&m); assert(pthread_mutex_lock(&m) == 0);",
        ),
        ("int once", "assert(pthread_self() == pthread_self());"),
    ];
    for (n, (lock, body)) in safe.iter().enumerate() {
        assert_eq!(verdict(&format!("own_lock_{n}"), &with(lock, body)), "SAFE", "{lock} {body}");
    }
    let body = "assert((unsigned long)pthread_self() < 1000);";
    assert_eq!(verdict("self", &with("int x", body)), "UNKNOWN(no model: pthread_self)");
}

/// The names of threads are not small numbers.
#[test]
fn names_of_threads_are_no_numbers() {
    let text = |assertion: &str| {
        format!(
            "static void *run(void *p) {{ return p; }}\n\
             int main(void) {{ pthread_t t, me = pthread_self(); pthread_create(&t, 0, run, 0); pthread_join(t, 0);\
             assert({assertion}); return 0; }}"
        )
    };
    assert_eq!(
        verdict("thread_names", &text("t != me && me == pthread_self() && pthread_equal(t, t)")),
        "SAFE"
    );
    for open in ["t > 1000", "t < me", "(int)t != 2", "t + 1 > 3", "t != 2"] {
        assert_ne!(verdict("thread_numbers", &text(&format!("!({open})"))), "SAFE", "{open}");
        assert_ne!(verdict("thread_numbers_not", &text(open)), "UNSAFE(reach)", "{open}");
    }
}

/// What `%n` stores, and when; how wide numbers are.
#[test]
fn conversions_of_input() {
    let open = [
        "int n = -1; sscanf(\"abc\", \"abc%n\", &n); assert(n == -1);",
        "int n = -1, k = 0; if (scanf(\"%d%n\", &k, &n) == 1) assert(n == -1);",
        "int n = 5, k = 1; if (scanf(\"%n%d\", &n, &k) == 0) assert(n == 5);",
        "int n = 5, k = 1; if (scanf(\"%d,%n\", &k, &n) == 1) assert(n == 5);",
    ];
    for body in open {
        assert_ne!(main_verdict("scanf_n_open", body), "SAFE", "{body}");
    }
    let safe = [
        "int n = -1, k = 0; if (scanf(\"%d%n\", &k, &n) == 1) assert(n >= 0);",
        "int n = 5; scanf(\"%n%d\", &n, &x); assert(n == 0);",
        "int n = -1; char c; if (scanf(\"%c%n\", &c, &n) == 1) assert(n == 1);",
        "int k; if (scanf(\"%2d\", &k) == 1) assert(k >= -9 && k <= 99);",
        "unsigned k; if (scanf(\"%2u\", &k) == 1) assert(k <= 99 || k >= -9u);",
    ];
    for (n, body) in safe.iter().enumerate() {
        assert_eq!(main_verdict(&format!("scanf_{n}"), body), "SAFE", "{body}");
    }
    assert_eq!(
        main_verdict("scanf_width", "int k; if (scanf(\"%2d\", &k) == 1) assert(k != 99);"),
        "UNSAFE(reach)"
    );
}

/// `%n` in a list of arguments, and what only looks like one.
#[test]
fn counts_in_lists_of_arguments() {
    let log =
        "static void say(const char *f, ...) { va_list l; va_start(l, f); vprintf(f, l); va_end(l); }\n";
    let text = |call: &str| format!("{log}int main(void) {{ int s = 0; {call}; assert(s == 0); return 0; }}");
    assert_eq!(verdict("list", &text("say(\"%d%%now\", s)")), "SAFE");
    for call in [
        "say(\"abc%n\", &s)",
        "char b[9]; gets(b); say(b, &s)",
        "void (*p)(const char *, ...) = say; p(\"%n\", &s)",
    ] {
        assert_ne!(verdict("list_count", &text(call)), "SAFE", "{call}");
    }
    assert_eq!(main_verdict("percent", "printf(\"100%%now\\n\"); assert(x < 5 || x > 4);"), "SAFE");
}

/// A function of the library's name with other types is none of the library's.
#[test]
fn functions_of_other_types_with_names_of_the_library() {
    for text in [
        "int printf(int); int main(void) { int x = 4; return printf(x); }",
        "void printf(int, const char *, ...); int main(void) { printf(1, \"%s\", \"x\"); return 0; }",
    ] {
        let path = testing::file("other_types.c", text);
        let run = tests::slam(&["check", "--check", "all", &path]);
        assert!(run.verdict().starts_with("UNKNOWN("), "{text}: {}{}", run.stdout, run.stderr);
    }
}

/// What functions leave behind when they fail, and what is set beside their results.
#[test]
fn functions_that_fail() {
    let open = [
        "char *p = \"x\"; if (asprintf(&p, \"%d\", x) < 0) assert(!p);",
        "char *l = 0; size_t n = 0; if (getline(&l, &n, stdin) < 0) assert(!l);",
        "char *l = 0; size_t n = 0; long r = getline(&l, &n, stdin); if (r > 0) assert(n == (size_t)r + 1);",
        "errno = 0; strtod(\"1e999\", 0); assert(errno == 0);",
        "errno = 0; strtof(\"1e99\", 0); assert(errno == 0);",
        "char b[4] = \"ab\"; if (!fgets(b, 4, stdin)) assert(b[0] == 'a');",
        "char *gets(char *); char b[4] = \"ab\"; if (!gets(b)) assert(b[0] == 'a');",
        "setlocale(LC_ALL, \"\"); assert(!isalpha(228));",
        "errno = 0; if (setlocale(LC_ALL, \"\")) assert(errno == 0);",
        "errno = 0; double r = sin(HUGE_VAL); assert(errno == EDOM);",
        "errno = 0; strsignal(0); assert(errno == 0);",
        "assert(strsignal(0));",
        "int e = 5; frexp(HUGE_VAL, &e); assert(e == 0);",
        "char b[16]; FILE *f = fmemopen(b, 16, \"w\"); if (!f) return 0; b[0] = 'q'; fputs(\"x\", f); fflush(f); assert(b[0] == 'q');",
        "char *b; size_t n; FILE *f = open_memstream(&b, &n); fputs(\"x\", f); fflush(f); assert(n == 7);",
        "assert(pow(-0.0, -1) >= 0);",
        "char *end = 0; strtoul(\"1\", &end, 37); assert(end);",
    ];
    for body in testing::sample(open.to_vec(), 4) {
        assert_ne!(main_verdict("fails", body), "SAFE", "{body}");
    }
    // These are not decided in any time, and SAFE was said of them at once.
    let slow = [
        "errno = 0; atoi(\"99999999999999999999\"); assert(errno == 0);",
        "struct tm t = {0, 0, 6, 14, 8, 69, 0, 0, 0}; if (mktime(&t) != -1) assert(t.tm_hour == 6);",
    ];
    for body in testing::sample(slow.to_vec(), 2) {
        let text = format!("{INCLUDES}int main(void) {{ {body} return 0; }}\n");
        let run = tests::slam(&["check", "--time-limit", "3s", &testing::file("slow.c", &text)]);
        assert!(
            ["UNKNOWN", "UNSAFE"].iter().any(|word| run.verdict().starts_with(word)),
            "{body}: {}",
            run.verdict()
        );
    }
    let safe = [
        "void *p; assert(posix_memalign(&p, 3, 8) == EINVAL);",
        "assert(pow(0.0, -1) >= 0);",
        "assert(isalpha('q') && !isalpha(228));",
        "char b[4] = \"ab\"; if (fgets(b, 4, stdin)) assert(memchr(b, 0, 4));",
        "assert(strsignal(SIGINT));",
    ];
    for (n, body) in safe.iter().enumerate() {
        assert_eq!(main_verdict(&format!("holds_{n}"), body), "SAFE", "{body}");
    }
}

#[test]
fn ignored_signals_are_no_handlers() {
    assert_eq!(main_verdict("ignore", "signal(SIGINT, SIG_IGN); assert(x < 5 || x > 4);"), "SAFE");
    let text = "static void f(int s) { } int main(void) { signal(SIGINT, f); assert(1); return 0; }";
    assert_eq!(verdict("handle", text), "ERROR(unsupported)");
}

#[test]
fn errors_are_numbered() {
    pair("errno", "errno = 0; assert(errno == 0);", "errno = 0; assert(errno == 1);");
    // Whether the call fails is not known, and no error depends on it.
    let may_fail = main_verdict("errno_zero", "errno = 0; printf(\"x\"); assert(errno == 0);");
    assert_eq!(may_fail, "UNKNOWN(no model: printf)");
    let may_fail = main_verdict("errno_new", "errno = 5; printf(\"x\"); assert(errno == 5);");
    assert_eq!(may_fail, "UNKNOWN(no model: printf)");
    assert_eq!(main_verdict("errno_kept", "errno = 5; printf(\"x\"); assert(errno != 0);"), "SAFE");
    let text = "void other(void); int main(void) { errno = 0; other(); assert(errno == 0); return 0; }";
    assert_ne!(verdict("errno_other", text), "SAFE");
    assert_eq!(verdict("errno_start", "int main(void) { assert(errno == 0); return 0; }"), "SAFE");
}

#[test]
fn definitions_of_the_program_win() {
    let text = "size_t strlen(const char *s) { return 9; } int main(void) { assert(strlen(\"abc\") == 9); return 0; }";
    assert_eq!(verdict("own", text), "SAFE");
}

#[test]
fn the_call_of_a_model_is_one_step() {
    let run = run("trace", "int main(void) { char b[4]; strcpy(b, \"ab\"); assert(b[0] == 'x'); return 0; }");
    assert!(run.verdict().starts_with("UNSAFE"), "{}", run.stdout);
    assert!(!run.stdout.contains("<models>"), "{}", run.stdout);
}

/// What the environment says of a name is NULL or a string, and the same each time.
#[test]
fn the_environment() {
    pair(
        "getenv_same",
        "assert((getenv(\"A\") == 0) == (getenv(\"A\") == 0));",
        "assert((getenv(\"A\") == 0) == (getenv(\"B\") == 0));",
    );
    pair(
        "getenv_keeps",
        "char *e = getenv(\"A\"); if (e && e[0] == 'x') assert(getenv(\"A\")[0] == 'x');",
        "char *e = getenv(\"A\"); if (e && e[0] == 'x') assert(e[1] == 0);",
    );
    // A name that is not a literal may be one that was asked for before.
    let asks =
        "char name[2]; name[0] = 'A' + $; name[1] = 0; char *e = getenv(\"A\"); assert(getenv(name) == e);";
    let [same, other] = ["0", "1"].map(|n| asks.replace('$', n));
    assert_ne!(main_verdict("getenv_spelt", &same), "UNSAFE(reach)");
    assert_eq!(main_verdict("getenv_spelt_other", &other), "UNSAFE(reach)");
    let set = "setenv(\"A\", \"1\", 1); assert(getenv(\"A\") != 0);";
    assert!(main_verdict("getenv_set", set).starts_with("UNKNOWN(no model"));
}

/// The strings of the environment have an end, and values.
#[test]
fn the_strings_of_the_environment_are_whole() {
    for (name, body, expected) in [
        ("read", "char *e = getenv(\"A\"); if (e) return strlen(e) > 5;", "SAFE"),
        ("shown", "char *e = getenv(\"A\"); printf(\"%s\", e ? e : \"none\");", "SAFE"),
        ("copied", "char b[4]; char *e = getenv(\"A\"); if (e) strcpy(b, e);", "UNSAFE(bounds)"),
        ("null", "return getenv(\"A\")[0];", "UNSAFE(null)"),
    ] {
        let text = format!("{INCLUDES}int main(void) {{ {body} return 0; }}\n");
        let path = testing::file(&format!("getenv_{name}.c"), text);
        let run = tests::slam(&["check", "--check", "all", "--time-limit", "20s", &path]);
        assert_eq!(run.verdict().split(" at ").next(), Some(expected), "{body}");
    }
}

/// A block may stay where it is, with its contents, or move.
#[test]
fn blocks_that_get_another_size() {
    let start = "char *p = malloc(4); if (!p) return 0; p[0] = 3;";
    let with = |body: &str| format!("{start} {body}");
    pair(
        "realloc_same",
        &with("char *q = realloc(p, 4); assert(q || q != p);"),
        &with("char *q = realloc(p, 4); if (q) assert(q != p);"),
    );
    pair(
        "realloc_moves",
        &with("char *q = realloc(p, 9); if (q) assert(q[0] == 3);"),
        &with("char *q = realloc(p, 9); if (q) assert(q == p);"),
    );
    pair(
        "realloc_alias",
        &with("char *q = realloc(p, 9); if (q && q == p) { q[0] = 7; assert(p[0] == 7); }"),
        &with("char *q = realloc(p, 9); if (q && q == p) { q[0] = 7; assert(p[0] == 3); }"),
    );
    for (name, body, expected) in [
        // Where a program looks whether its block has moved, no size is known of it.
        (
            "rebased",
            "char *c = p, *q = realloc(p, 9); if (!q) { free(p); return 0; } if (q != p) c = q; *c = 1; free(q);",
            "UNKNOWN(not replayed)",
        ),
        (
            "stale",
            "char *c = p, *q = realloc(p, 9); if (!q) { free(p); return 0; } *c = 1; free(q);",
            "UNSAFE(free)",
        ),
        ("grown", "char *q = realloc(p, 9); if (!q) { free(p); return 0; } q[8] = 1; free(q);", "SAFE"),
        (
            "too_far",
            "char *q = realloc(p, 9); if (!q) { free(p); return 0; } q[9] = 1; free(q);",
            "UNSAFE(bounds)",
        ),
        (
            "shrunk",
            "char *q = realloc(p, 2); if (!q) { free(p); return 0; } q[3] = 1; free(q);",
            "UNSAFE(bounds)",
        ),
        ("twice", "free(p); char *q = realloc(p, 9); free(q);", "UNSAFE(free)"),
    ] {
        let text = format!("{INCLUDES}int main(void) {{ {start} {body} return 0; }}\n");
        let path = testing::file(&format!("realloc_{name}.c"), text);
        let run = tests::slam(&["check", "--check", "null,bounds,free", "--time-limit", "20s", &path]);
        assert_eq!(run.verdict().split(" at ").next(), Some(expected), "{body}");
    }
}
