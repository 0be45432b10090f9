//! Library functions end to end: what their models prove and find, and that they take nothing away from the program's own
//! definitions.

const INCLUDES: &str = "#include <assert.h>\n#include <ctype.h>\n#include <errno.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <pthread.h>\n#include <signal.h>\nint nondet_int(void);\n";

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

#[test]
fn ignored_signals_are_no_handlers() {
    assert_eq!(main_verdict("ignore", "signal(SIGINT, SIG_IGN); assert(x < 5 || x > 4);"), "SAFE");
    let text = "static void f(int s) { } int main(void) { signal(SIGINT, f); assert(1); return 0; }";
    assert_eq!(verdict("handle", text), "ERROR(unsupported)");
}

#[test]
fn errors_are_numbered() {
    pair("errno", "errno = 0; assert(errno == 0);", "errno = 0; assert(errno == 1);");
    // Whether the call fails is not known, and no error rests on it.
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
