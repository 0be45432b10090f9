//! What is not modelled counts only where executions reach it: a program that never gets there is safe, one that does is
//! not known to be, and errors of its other executions are found.

const START: &str = "void assert(int);\nint pthread_create(void *);\nint nondet_int(void);\nint main(void) {\n  int x = nondet_int(), y = 2;\n";

fn verdict(name: &str, body: &str) -> String {
    let path = testing::file(name, format!("{START}{body}\n  return 0;\n}}\n"));
    let run = tests::slam(&["check", &path]);
    let verdict = run.verdict();
    verdict.split(" at ").next().unwrap_or(verdict).to_owned()
}

#[test]
fn an_unreachable_thread_does_not_matter() {
    assert_eq!(
        verdict("never.c", "if (x > 3 && x < 3) pthread_create(&x);\nassert(x != 4 || x > 3);"),
        "SAFE"
    );
}

#[test]
fn a_reachable_thread_keeps_a_program_from_being_safe() {
    let body = "if (x > 3) pthread_create(&x);\nassert(x != 7);";
    assert_eq!(verdict("perhaps.c", body), "UNKNOWN(not modelled)");
}

#[test]
fn errors_that_need_no_thread_are_found() {
    assert_eq!(verdict("other.c", "if (x > 3) pthread_create(&x);\nassert(x != -7777);"), "UNSAFE(reach)");
}

#[test]
fn a_thread_that_every_execution_starts_is_refused() {
    assert_eq!(verdict("always.c", "pthread_create(&x);\nassert(x != 7);"), "ERROR(unsupported)");
}

#[test]
fn a_statement_that_is_refused_is_not_modelled_where_it_is_reached() {
    let body = "if (y == 1) y = __builtin_frame_address(0) != 0;\nassert(y == 2);";
    assert_eq!(verdict("no_frame.c", body), "SAFE");
    let body = "if (x == 1) y = __builtin_frame_address(0) != 0;\nassert(y == 2);";
    assert_eq!(verdict("frame.c", body), "UNKNOWN(not modelled)");
}

#[test]
fn assembler_code_may_write_what_its_operands_reach() {
    let body = "asm(\"movl $1, (%0)\" : : \"r\"(&x) : \"memory\"); assert(y == 2);";
    assert_eq!(verdict("asm_other.c", body), "SAFE");
    let body = "asm(\"movl $1, (%0)\" : : \"r\"(&y) : \"memory\"); assert(y == 2);";
    assert_ne!(verdict("asm_same.c", body), "SAFE");
}

/// The verdict about a program that includes the headers in question.
fn of_library(name: &str, body: &str) -> String {
    let includes = "#define _GNU_SOURCE\n#include <assert.h>\n#include <errno.h>\n#include <math.h>\n#include <signal.h>\n#include <stdarg.h>\n\
                    #include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <strings.h>\nint nondet_int(void);\n";
    let path = testing::file(&format!("{name}.c"), format!("{includes}{body}\n"));
    let run = tests::slam(&["check", "--time-limit", "60s", &path]);
    let verdict = run.verdict();
    verdict.split(" at ").next().unwrap_or(verdict).to_owned()
}

/// An assertion about the behaviour of a function, which really holds, and its negation: neither is reported as an
/// error, and neither is proved.
#[track_caller]
fn no_model(function: &str, condition: &str) {
    for (twin, sign) in [("holds", ""), ("fails", "!")] {
        let body =
            format!("int main(void) {{ int x = nondet_int(); assert({sign}({condition})); return x; }}");
        let verdict = of_library(&format!("{function}_{twin}"), &body);
        if sign.is_empty() {
            assert_eq!(verdict, format!("UNKNOWN(no model: {function})"), "{body}");
        } else {
            assert!(verdict.starts_with("UNKNOWN("), "{verdict}: {body}");
        }
    }
}

#[test]
fn no_error_rests_on_what_a_library_function_without_model_computes() {
    no_model("cbrt", "cbrt(-27.0) == -3.0");
    no_model("log10", "log10(100.0) == 2.0");
    no_model("strverscmp", "strverscmp(\"a9\", \"a10\") < 0");
    no_model("printf", "printf(\"abc\") <= 3");
    no_model("strtod", "strtod(\"2.5\", 0) == 2.5");
    no_model("rand", "(srand(1), rand()) == (srand(1), rand())");
    no_model("sigismember", "sigismember(&(sigset_t){{0}}, 8 + (x & 1)) <= 1");
    no_model("getsubopt", "getsubopt(&(char *){0}, 0, 0) == -1");
}

#[test]
fn no_error_rests_on_what_a_library_function_without_model_writes() {
    let sscanf = "int main(void) { int n = 1; sscanf(\"5\", \"%d\", &n); assert(n == 5); return 0; }";
    assert!(
        of_library("sscanf", sscanf).starts_with("UNKNOWN(no model: "),
        "{}",
        of_library("sscanf", sscanf)
    );
    let div = "#include <inttypes.h>\nint main(void) { int x = nondet_int(); if (x > 0) { imaxdiv_t d = imaxdiv(x, 2); assert(d.quot == x / 2); } return 0; }";
    assert_eq!(of_library("div", div), "UNKNOWN(no model: imaxdiv)");
    let strftime = "#include <time.h>\nint main(void) { char b[8]; struct tm t = { 0 }; strftime(b, sizeof b, \"%Y\", &t); assert(b[0] == '1'); return 0; }";
    assert_eq!(of_library("strftime", strftime), "UNKNOWN(no model: strftime)");
    let arguments = "static int f(int n, ...) { va_list l; va_start(l, n); n = va_arg(l, int); va_end(l); return n; }\n\
                     int main(void) { assert(f(1, 5) == 5); return 0; }";
    assert_eq!(of_library("va_arg", arguments), "UNKNOWN(no model: va_arg)");
    let assembler = "int main(void) { int y; asm(\"movl $5, %0\" : \"=r\"(y)); assert(y == 5); return 0; }";
    assert_eq!(of_library("asm", assembler), "UNKNOWN(no model: asm)");
}

#[test]
fn errors_that_rest_on_nothing_of_the_kind_are_found_beside() {
    let body =
        "int main(void) { int x = nondet_int(); assert(cbrt(-27.0) == -3.0); assert(x != 7777); return 0; }";
    let beside = of_library("beside", body);
    assert!(beside.starts_with("UNKNOWN("), "{beside}: the first assertion might end it");
    let body = "int main(void) { int x = nondet_int(); if (x == 7777) assert(x != 7777); assert(cbrt(-27.0) == -3.0); return 0; }";
    assert_eq!(of_library("other", body), "UNSAFE(reach)");
    let body = "int main(void) { int x = nondet_int(); printf(\"%d\\n\", x); double d = log(x); d = 1; assert(x != 7777 || d > 2); return 0; }";
    assert_eq!(of_library("unused", body), "UNSAFE(reach)");
    let body = "int main(void) { char b[8]; snprintf(b, sizeof b, \"%d\", 5); int x = nondet_int(); assert(x != 7777); return 0; }";
    assert_eq!(of_library("model", body), "UNSAFE(reach)");
    let body = "int read_sensor(void);\nint main(void) { assert(read_sensor() != 7777); return 0; }";
    assert_eq!(of_library("own", body), "UNSAFE(reach)", "the program's own function is an input");
}

#[test]
fn proofs_do_not_need_models() {
    let body = "int main(void) { int x = nondet_int(); int n = printf(\"%d\", x); if (n > 3 && n < 3) assert(x == 3); return 0; }";
    assert_eq!(of_library("proof", body), "SAFE");
}

#[test]
fn exact_floating_arithmetic_decides() {
    let body = "int main(void) { double d = 0.1; assert(d + 0.2 != 0.3); return nondet_int(); }";
    assert_ne!(of_library("sum", body), "UNSAFE(reach)");
    let body = "int main(void) { float f = 0.1f; assert(f == 0.1); return nondet_int(); }";
    assert_eq!(of_library("rounded", body), "UNSAFE(reach)");
}

#[test]
fn volatile_objects_of_the_program_are_ordinary_ones() {
    let body = "volatile int v = 5;\nint main(void) { int x = nondet_int(); assert(v == 5); return x; }";
    assert_eq!(of_library("volatile_safe", body), "SAFE");
    assert_eq!(of_library("volatile_unsafe", &body.replace("== 5);", "== x);")), "UNSAFE(reach)");
    let body = "extern volatile int v;\nint main(void) { assert(v == v); return 0; }";
    assert_eq!(of_library("volatile_extern", body), "UNSAFE(reach)", "who defines it may change it");
    let path = testing::folder().join("volatile_safe.c");
    let run = tests::slam(&["check", "--volatile", "havoc", testing::text(&path)]);
    assert!(run.verdict().starts_with("UNSAFE(reach)"), "{}", run.stdout);
}

#[test]
fn the_size_of_an_object_is_known_where_the_compiler_knows_it() {
    let sizes = "struct s { int n; char b[5]; int m; };\n\
        int main(int c, char **v) { char b[5]; struct s s; char *p = c > 7 ? b : (char *)&s;\n\
        assert(__builtin_object_size(b, 0) == 5 && __builtin_object_size(&b[2], 0) == 3);\n\
        assert(__builtin_object_size(&s.b, 1) == 5 && __builtin_object_size(&s.b[1], 0) == 11);\n\
        assert(__builtin_object_size(b, 2) == 5 && __builtin_object_size(\"ab\", 3) == 3);\n";
    assert_eq!(of_library("sizes", &format!("{sizes} return 0; }}")), "SAFE");
    let wrong = sizes.replace("== 5 && __builtin_object_size(&b[2]", "== 4 && __builtin_object_size(&b[2]");
    assert_eq!(of_library("wrong_size", &format!("{wrong} return 0; }}")), "UNSAFE(reach)");
    let open = format!("{sizes} assert(__builtin_object_size(p, 0) == (size_t)-1); return 0; }}");
    assert_eq!(of_library("open_size", &open), "UNKNOWN(no model: __builtin_object_size)");
}

#[test]
fn a_weak_function_that_nobody_defines_may_be_missing() {
    let body =
        "__attribute__((weak)) int w(void);\nint main(void) { if (w) assert($); assert(w == 0); return 0; }";
    assert_eq!(of_library("weak", &body.replace('$', "1")), "UNKNOWN(no model: weak w)");
}

#[test]
fn a_struct_with_another_order_of_bytes_is_refused() {
    let body = "struct __attribute__((scalar_storage_order(\"big-endian\"))) s { int i; };\n\
        int main(void) { struct s s; s.i = 1; assert(((unsigned char *)&s)[3] == 1); return 0; }";
    assert_eq!(of_library("byte_order", body), "ERROR(unsupported)");
}
