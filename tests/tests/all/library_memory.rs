//! Functions of the C library under the checks of memory, end to end: what they access, what they write, and calls that are
//! not modelled.

const INCLUDES: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n#include <unistd.h>\n\
    #include <sys/stat.h>\n#include <wchar.h>\n";

fn verdict(name: &str, check: &str, body: &str) -> String {
    let text = format!("{INCLUDES}int main(void) {{ {body} return 0; }}\n");
    let file = testing::file(&format!("{name}.c"), text);
    let run = tests::slam(&["check", "--check", check, "--time-limit", "20s", &file]);
    let verdict = run.verdict();
    verdict.split(" at ").next().unwrap_or(verdict).to_owned()
}

#[track_caller]
fn pair(name: &str, check: &str, good: &str, bad: &str) {
    assert_eq!(verdict(&format!("{name}_safe"), check, good), "SAFE", "{good}");
    assert_eq!(verdict(&format!("{name}_unsafe"), check, bad), format!("UNSAFE({check})"), "{bad}");
}

#[test]
fn buffers_are_as_large_as_the_call_says() {
    pair("read", "bounds", "char b[16]; read(0, b, 16);", "char b[16]; read(0, b, 20);");
    pair("fread", "bounds", "char b[16]; fread(b, 4, 4, stdin);", "char b[16]; fread(b, 4, 5, stdin);");
    pair("write", "bounds", "char b[4] = {0}; write(1, b, 4);", "char b[4] = {0}; write(1, b, 5);");
    pair("stat", "bounds", "struct stat s; stat(\"x\", &s);", "char s[4]; stat(\"x\", (struct stat *)s);");
    pair(
        "sprintf",
        "bounds",
        "char b[12]; sprintf(b, \"%d\", rand());",
        "char b[2]; sprintf(b, \"%d%d\", 1, 2);",
    );
    pair("scanf", "bounds", "char b[8]; scanf(\"%7s\", b);", "char b[8]; scanf(\"%8s\", b);");
    pair(
        "freed",
        "free",
        "char b[4] = {0}; write(1, b, 4);",
        "char *p = malloc(4); free(p); write(1, p, 4);",
    );
}

#[test]
fn strings_end_in_their_objects() {
    pair("puts", "bounds", "puts(\"ab\");", "char b[2] = {'a', 'b'}; puts(b);");
    pair("printf", "bounds", "printf(\"%s\", \"ab\");", "char b[2] = {'a', 'b'}; printf(\"%s\", b);");
    pair("null", "null", "puts(\"ab\");", "char *s = 0; puts(s);");
}

/// The models of `<string.h>` and others know their answers early; the strings and blocks have to be there all the same.
#[test]
fn strings_and_blocks_are_whole() {
    let short = "char a[3] = \"xb\", b[8] = \"abcdefg\";";
    pair("memcmp", "bounds", &format!("{short} memcmp(a, b, 3);"), &format!("{short} memcmp(a, b, 4);"));
    pair(
        "memmem",
        "bounds",
        &format!("{short} memmem(b, 8, \"a\", 1);"),
        &format!("{short} memmem(b, 9, \"a\", 1);"),
    );
    let sorted = "int c(const void *, const void *); int a[3] = {1, 2, 3};";
    let compare = "static int c(const void *p, const void *q) { return 0; }";
    let sort = |n: u32| format!("{sorted} qsort(a, {n}, sizeof *a, c);");
    let of = |name: &str, body: &str| {
        let text = format!("{INCLUDES}{compare}\nint main(void) {{ {body} return 0; }}\n");
        let file =
            testing::file(&format!("{name}.c"), text.replace("int c(const void *, const void *); ", ""));
        let run = tests::slam(&["check", "--check", "bounds", "--time-limit", "20s", &file]);
        run.verdict().split(" at ").next().unwrap_or_default().to_owned()
    };
    assert_eq!(of("qsort_safe", &sort(3)), "SAFE");
    assert_eq!(of("qsort_unsafe", &sort(5)), "UNSAFE(bounds)");
    let two = "char a[2] = {'a', 'b'};";
    for call in
        ["strcmp(a, \"b\")", "strchr(a, 'a')", "strstr(a, \"a\")", "strspn(a, \"c\")", "strpbrk(a, \"a\")"]
    {
        assert_eq!(verdict("no_string", "bounds", &format!("{two} {call};")), "UNSAFE(bounds)", "{call}");
        let string = format!("char a[3] = \"ab\"; {call};");
        assert_eq!(verdict("string", "bounds", &string), "SAFE", "{call}");
    }
}

/// A block that stays where it is has its new size; where nobody can tell whether it stays, sizes are known as ever.
#[test]
fn blocks_that_stay_have_new_sizes() {
    let shrunk = |noticed: &str, at: u32| {
        format!(
            "char *p = malloc(8); if (!p) return 0; char *q = realloc(p, 4); if ({noticed}) return 0; q[{at}] = 1;"
        )
    };
    assert_eq!(verdict("stays", "bounds", &shrunk("q != p", 6)), "UNSAFE(bounds)");
    pair("moves", "bounds", &shrunk("!q", 3), &shrunk("!q", 4));
}

/// What the library allocates and no model does is not known to be freed.
#[test]
fn allocations_that_nobody_models() {
    for call in ["getcwd(0, 0)", "realpath(\".\", 0)", "wcsdup(L\"a\")", "tempnam(\"a\", \"b\")"] {
        assert_eq!(verdict("dropped", "leak", &format!("{call};")), "UNSAFE(leak)", "{call}");
        assert_eq!(verdict("freed", "leak", &format!("void *p = {call}; free(p);")), "SAFE", "{call}");
    }
    let unseen = "wchar_t *p = 0; wcstok(p, p, &p);";
    assert_eq!(verdict("unseen", "leak", unseen), "UNKNOWN(not modelled)");
    assert_eq!(
        verdict("seen", "leak", "char b[99]; getcwd(b, 99); strcmp(\"a\", \"b\"); printf(\"%s\", \"a\");"),
        "SAFE"
    );
}

/// A stream that is given with the program is never NULL; one that `fopen` gave may be.
#[test]
fn streams_are_there() {
    pair(
        "stream",
        "null",
        "fputs(\"a\", stdout); fprintf(stderr, \"%d\", getc(stdin));",
        "FILE *f = fopen(\"x\", \"r\"); fputs(\"a\", f);",
    );
}

/// How much is written is not known: that it is too much is not said, and not excluded.
#[test]
fn lengths_that_are_not_known_decide_nothing() {
    let body = "char b[4]; sprintf(b, \"%s\", getenv(\"x\") ? \"a\" : \"b\");";
    assert_eq!(verdict("unknown_length", "bounds", body), "UNKNOWN(not replayed)");
    assert_eq!(verdict("no_model", "bounds", "wchar_t b[2] = {1, 2}; wcslen(b);"), "UNKNOWN(not modelled)");
    let body = "char *t = 0; wchar_t b[2] = {1, 2}; wcslen(b); if (getchar() == 1) *t = 1;";
    assert_eq!(verdict("no_model_and_error", "null", body), "UNSAFE(null)");
}

#[test]
fn what_is_filled_is_initialised() {
    // Which bytes `read`, `stat` and `pipe` fill is not modelled.
    let open = "UNKNOWN(not replayed)";
    let filled = [
        ("read", "char b[4]; if (read(0, b, 4) == 4) return b[3];", open),
        ("stat", "struct stat s; if (stat(\"x\", &s) == 0) return s.st_mode;", open),
        ("fgets", "char b[8]; if (fgets(b, 8, stdin)) return b[0];", "SAFE"),
        ("time", "time_t t; time(&t); return t;", "SAFE"),
        ("pipe", "int p[2]; if (pipe(p) == 0) return p[1];", open),
        ("loop", "int a[4]; for (int i = 0; i < 4; i++) a[i] = i; return a[3];", "SAFE"),
    ];
    for (name, body, expected) in filled {
        assert_eq!(verdict(&format!("filled_{name}"), "uninit", body), expected, "{name}");
    }
    pair(
        "scanf_value",
        "uninit",
        "int x; if (scanf(\"%d\", &x) == 1) return x;",
        "int x; scanf(\"%d\", &x); return x;",
    );
    pair(
        "elements",
        "uninit",
        "int a[4]; for (int i = 0; i < 4; i++) a[i] = i; return a[3];",
        "int a[4]; for (int i = 0; i < 3; i++) a[i] = i; return a[3];",
    );
}

/// An allocation that fails has no contents that could be zero.
#[test]
fn certificates_of_zeroed_memory_hold() {
    let text = "void *calloc(unsigned long, unsigned long); void reach_error(void);\n\
        int main(void) { int *p = calloc(4, 4); if (!p) return 0; p[1] = 3; if (p[2] == 8) reach_error(); }\n";
    let file = testing::file("a.c", text);
    let plain = ["--tune", "alias=none,slice=off,propagate=off"];
    for options in [&[][..], &plain] {
        let run = tests::slam(&[&["check", "--certify", &file], options].concat());
        assert_eq!(run.verdict(), "SAFE", "{}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains("certified: "), "{}", run.stdout);
    }
}

/// A compiled program repeats the `realloc` that failed.
#[test]
fn a_realloc_that_fails_is_repeated_natively() {
    let text = "#include <assert.h>\n#include <stdlib.h>\nint main(void) {\n    char *p = malloc(4);\n    \
                if (!p) return 1;\n    char *q = realloc(p, 100);\n    assert(q);\n    free(q);\n    return 0;\n}\n";
    let (path, result) = (testing::file("realloc.c", text), testing::file("result.json", ""));
    let run = tests::slam(&["check", &path, "--json", &result]);
    assert_eq!(run.verdict(), format!("UNSAFE(reach) at {path}:7"), "{}", run.stdout);
    let again = tests::slam(&["replay", &path, &result]);
    assert!(
        again.stdout.contains("replayed: the compiled program reaches"),
        "{}{}",
        again.stdout,
        again.stderr
    );
}
