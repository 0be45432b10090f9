//! `--check format` and `--check file` end to end: what is an error when it is reached, what is none, and what is not known.

const INCLUDES: &str = "#include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdint.h>\n";

fn verdict_of(name: &str, check: &str, text: &str) -> String {
    let file = testing::file(&format!("{name}.c"), format!("{INCLUDES}{text}\n"));
    let run = tests::slam(&["check", "--check", check, "--time-limit", "20s", &file]);
    let verdict = run.verdict();
    verdict.split(" at ").next().unwrap_or(verdict).to_owned()
}

#[track_caller]
fn verdicts(check: &str, expected: &str, bodies: &[(&str, &str)]) {
    for (name, body) in bodies {
        let text = format!("int main(int argc, char **argv) {{ {body} return 0; }}");
        assert_eq!(verdict_of(name, check, &text), expected, "{name}: {body}");
    }
}

#[test]
fn arguments_that_fit_their_format() {
    verdicts(
        "format",
        "SAFE",
        &[
            ("promoted", "char c = 'a'; short s = 1; float f = 1; printf(\"%d%hd%c%f%hhx\", c, s, c, f, c);"),
            ("signs", "unsigned u = 1; size_t n = 2; printf(\"%d%x%zd\", u, -1, n);"),
            ("too_many", "printf(\"%d\\n\", 1, 2.5);"),
            ("not_reached", "if (argc < 0) printf(\"%d\\n\", 2.5);"),
            (
                "strings",
                "char b[8]; unsigned char u[4] = \"a\"; snprintf(b, 8, \"%s%.*s%p\", u, 3, \"x\", argv);",
            ),
            ("input", "int n; unsigned char c; sscanf(\"1 2\", \"%d %hhu%*s\", &n, &c);"),
        ],
    );
}

#[test]
fn arguments_that_do_not_fit_their_format() {
    verdicts(
        "format",
        "UNSAFE(format)",
        &[
            ("few", "printf(\"%d %d\\n\", 1);"),
            ("double", "fprintf(stderr, \"%d\", 2.5);"),
            ("long", "long n = 1; printf(\"%d\", n);"),
            ("ranks", "long long n = 1; printf(\"%ld\", n);"),
            ("string", "printf(\"%s\", argc);"),
            ("unknown", "printf(\"%y\", argc);"),
            ("width", "printf(\"%*d\", 2L, argc);"),
            ("buffer", "char b[20]; sprintf(b, \"%s\", 1.5);"),
            ("target", "double d; scanf(\"%f\", &d);"),
            ("no_target", "int n; scanf(\"%d\", n);"),
            ("missing_target", "int n; scanf(\"%d%d\", &n);"),
        ],
    );
}

/// A format that is not known is neither right nor wrong, and `%n` is never dropped.
#[test]
fn formats_that_are_not_known() {
    let unknown = "UNKNOWN(not modelled)";
    verdicts(
        "format",
        unknown,
        &[("argument", "printf(argv[0]);"), ("choice", "printf(argc ? \"%d\" : \"%f\", 1);")],
    );
    let wrapper = "static void say(const char *f, ...) { va_list l; va_start(l, f); vprintf(f, l); va_end(l); }\n\
                   int main(void) { say(\"%d\", 1); return 0; }";
    assert_eq!(verdict_of("wrapper", "format", wrapper), unknown);
    let pointer = "int main(void) { int (*p)(const char *, ...) = printf; p(\"%d\", 1.5); return 0; }";
    assert_eq!(verdict_of("by_pointer", "format", pointer), unknown);
    let count = "int n = 0; char b[9]; if (argc > 1) sprintf(b, \"ab%n\", &n); if (n) abort();";
    verdicts("reach", "ERROR(unsupported)", &[("count", count)]);
}

#[test]
fn streams_that_are_used_while_they_are_open() {
    verdicts(
        "file",
        "SAFE",
        &[
            ("plain", "FILE *f = fopen(\"x\", \"r\"); if (f) { fprintf(f, \"a\"); fclose(f); }"),
            (
                "again",
                "FILE *f = fopen(\"x\", \"r\"); if (f) fclose(f); f = fopen(\"y\", \"r\"); if (f) fclose(f);",
            ),
            (
                "turns",
                "for (int i = 1; i < argc; i++) { FILE *f = fopen(argv[i], \"r\"); if (!f) continue; getc(f); fclose(f); }",
            ),
            ("standard", "puts(\"a\"); fprintf(stderr, \"b\");"),
            ("pipe", "FILE *f = popen(\"ls\", \"r\"); if (!f) return 1; fgetc(f); pclose(f);"),
            ("left_open", "FILE *f = tmpfile(); if (f) rewind(f);"),
        ],
    );
}

#[test]
fn streams_that_are_used_wrongly() {
    verdicts(
        "file",
        "UNSAFE(file)",
        &[
            ("null", "FILE *f = fopen(\"x\", \"r\"); fgetc(f);"),
            ("null_closed", "FILE *f = fopen(\"x\", \"r\"); fclose(f);"),
            ("closed_twice", "FILE *f = fopen(\"x\", \"r\"); if (f) { fclose(f); fclose(f); }"),
            ("closed_used", "FILE *f = tmpfile(); if (!f) return 1; fclose(f); fputs(\"a\", f);"),
            (
                "copy",
                "FILE *f = fopen(\"x\", \"r\"), *g = f; if (!f) return 1; fclose(g); int n; fscanf(f, \"%d\", &n);",
            ),
            (
                "second",
                "FILE *f = fopen(\"x\", \"r\"), *g = fopen(\"y\", \"r\"); if (!f || !g) return 1; fclose(f); fclose(g); getc(g);",
            ),
            (
                "reopened",
                "FILE *f = fopen(\"x\", \"r\"); if (!f) return 1; freopen(\"y\", \"r\", f); getc(f);",
            ),
        ],
    );
}

#[test]
fn streams_that_are_not_followed() {
    let unknown = "UNKNOWN(not modelled)";
    verdicts("file", unknown, &[("standard_closed", "fclose(stdout); puts(\"a\");")]);
    let pointer =
        "int main(void) { int (*p)(FILE *) = fclose; FILE *f = tmpfile(); if (f) { p(f); } return 0; }";
    assert_eq!(verdict_of("close_by_pointer", "file", pointer), unknown);
}
