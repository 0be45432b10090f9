//! What is not modelled counts only where executions reach it: a program that never gets there is safe, one that does is
//! not known to be, and errors of its other executions are found.

use std::path::Path;

const START: &str = "void assert(int);\nint pthread_create(void *);\nint nondet_int(void);\nint main(void) {\n  int x = nondet_int(), y = 2;\n";

fn verdict(name: &str, body: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, format!("{START}{body}\n  return 0;\n}}\n"))
        .expect("the tests' folder can be written");
    let run = tests::slam(&["check", path.to_str().expect("paths are UTF-8")]);
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
