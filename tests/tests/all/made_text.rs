//! Texts that `sprintf` and `snprintf` make: exact in executions, any characters of a possible number in proofs.

use testing::file;
use tests::{Run, slam};

const BEGIN: &str = "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
    #include <time.h>\n#include <stdarg.h>\nint __VERIFIER_nondet_int(void);\n";

fn checked(name: &str, body: &str, options: &[&str]) -> Run {
    let text = format!("{BEGIN}int main(void) {{ int x = __VERIFIER_nondet_int(); {body} return 0; }}\n");
    let path = file(&format!("{name}.c"), text);
    slam(&[&["check", "--time-limit", "20s", &path], options].concat())
}

fn kind(run: &Run) -> &str {
    run.verdict().split(" at ").next().unwrap_or_default()
}

#[test]
fn errors_rest_on_the_text_that_is_really_made() {
    for (name, body) in [
        ("number", "char b[32]; sprintf(b, \"x=%d\", x); assert(strcmp(b, \"x=42\") != 0);"),
        (
            "parts",
            "char b[32]; int n = snprintf(b, 32, \"%d-%s\", 42, \"abc\"); assert(n != 6 || b[3] != 'a');",
        ),
        (
            "cut",
            "char b[4]; int n = snprintf(b, 4, \"%s\", \"abcdef\"); assert(n != 6 || strcmp(b, \"abc\") != 0);",
        ),
        ("nul", "char b[8]; snprintf(b, 8, \"%c%c\", x, 'a'); assert(b[0] != 0);"),
        ("width", "char b[8]; sprintf(b, \"%3u|\", 7u); assert(b[0] != ' ' || b[2] != '7');"),
        ("none", "assert(snprintf(NULL, 0, \"%d\", 1000) != 4);"),
        (
            "twice",
            "char a[8], b[16]; sprintf(a, \"%d\", 12); sprintf(b, \"<%s>\", a); assert(strcmp(b, \"<12>\") != 0);",
        ),
    ] {
        let run = checked(name, body, &[]);
        assert_eq!(kind(&run), "UNSAFE(reach)", "{body}\n{}", run.stdout);
        assert!(!run.stdout.contains("slam_"), "{}", run.stdout);
    }
}

#[test]
fn what_is_not_known_of_a_text_gives_no_error() {
    for (name, body) in [
        ("shorter", "char b[32]; sprintf(b, \"x=%d\", x); assert(strlen(b) >= 0 && b[0] != 'y');"),
        ("address", "char b[32]; sprintf(b, \"%p\", (void *)b); assert(b[0] != '<');"),
        (
            "stale",
            "char b[8]; time_t t = 0; snprintf(b, 8, \"a%s\", \"b\"); strftime(b, 8, \"%Y\", gmtime(&t)); assert(b[0] != 'a');",
        ),
    ] {
        let run = checked(name, body, &[]);
        assert!(!run.verdict().starts_with("UNSAFE"), "{body}\n{}", run.stdout);
    }
}

/// What is not known is called by the function that makes it.
#[test]
fn an_address_in_a_text_is_not_modelled() {
    for (name, call) in
        [("sprintf", "sprintf(b, \"%p\", (void *)b)"), ("snprintf", "snprintf(b, 32, \"%p\", (void *)b)")]
    {
        let text =
            format!("{BEGIN}int main(void) {{ char b[32]; int n = {call}; assert(n != 7); return 0; }}\n");
        let run = slam(&["check", &file(&format!("{name}.c"), text)]);
        assert_eq!(run.verdict(), format!("UNKNOWN(no model: {name})"), "{}", run.stdout);
        assert!(run.stdout.contains(&format!("{name} is not modelled")), "{}", run.stdout);
    }
}

#[test]
fn proofs_know_how_long_a_text_can_be() {
    for (name, body) in [
        ("digits", "char b[16]; int n = sprintf(b, \"x=%d\", x); assert(n >= 3 && n <= 13);"),
        ("literal", "char b[16]; int n = snprintf(b, 4, \"%s!\", \"hello\"); assert(n == 6);"),
    ] {
        let run = checked(name, body, &["--check", "reach,bounds"]);
        assert_eq!(run.verdict(), "SAFE", "{body}\n{}", run.stdout);
    }
    let run = checked("wrong", "char b[16]; int n = sprintf(b, \"%d\", x); assert(n <= 10);", &[]);
    assert_eq!(kind(&run), "UNSAFE(reach)", "a sign and ten digits\n{}", run.stdout);
}

#[test]
fn a_text_that_does_not_fit_is_found() {
    let bounds = &["--check", "bounds"];
    for (name, body) in [
        ("long", "char b[4]; sprintf(b, \"%d\", x);"),
        ("room", "char b[4]; int room = x > 5 ? 8 : 4; snprintf(b, room, \"%d\", x);"),
        ("brackets", "char a[12], b[12]; sprintf(a, \"%d\", x); sprintf(b, \"[%s]\", a);"),
    ] {
        let run = checked(name, body, bounds);
        assert_eq!(kind(&run), "UNSAFE(bounds)", "{body}\n{}", run.stdout);
    }
    for (name, body) in [
        ("fits", "char b[12]; sprintf(b, \"%d\", x);"),
        ("fits_room", "char b[4]; int room = x > 5 ? 3 : 4; snprintf(b, room, \"%d\", x);"),
        ("no_room", "snprintf(NULL, 0, \"%d\", x);"),
    ] {
        let run = checked(name, body, bounds);
        assert_eq!(run.verdict(), "SAFE", "{body}\n{}", run.stdout);
    }
}

#[test]
fn a_program_without_inputs_has_one_execution() {
    let body =
        "char b[16]; sprintf(b, \"%04d/%x\", 25, 255u); assert(strcmp(b, \"0025/ff\") == 0); return 0;";
    let text = format!("{BEGIN}int main(void) {{ {body} }}\n");
    let run = slam(&["check", &file("only.c", text)]);
    assert_eq!(run.verdict(), "SAFE", "{}", run.stdout);
}
