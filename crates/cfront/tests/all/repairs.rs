//! What the parser does not know and users write: every item is either mended, and then has the meaning that it
//! has in C (by the interpreter, and by the compiler where that knows it too), or refused with its place.

use crate::common::load_named;
use cfront::{Failure, Options};
use expect_test::expect;
use interp::{Limits, Outcome, Value, ZeroInputs};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use testing::Scratch;

/// In front of every program: a check that is never reached, so that there is something to check.
const PRELUDE: &str = "void reach_error(void); static void dead__(void) { reach_error(); }\n";

/// Whether the compiler of the machine is compared, too.
#[derive(Clone, Copy, PartialEq)]
enum Oracle {
    Compiler,
    /// C23 and other compilers' words, which an older compiler does not know.
    None,
}
use Oracle::{Compiler, None as Nobody};

/// A construct, a program with it, and what its `main` returns.
const MENDED: &[(&str, Oracle, &str, i128)] = &[
    ("implicit int: main", Compiler, "main() { return 3; }", 3),
    (
        "implicit int: declarations",
        Compiler,
        "int g; extern f(); f() { return 4; } main() { return f(); }",
        4,
    ),
    (
        "implicit int: storage classes and qualifiers",
        Compiler,
        "static n = 5; main() { auto k = n; register j = k; const c = j; return c; }",
        5,
    ),
    ("implicit int: parameters", Compiler, "f(a, b) int a; { return a + b; } main() { return f(1, 2); }", 3),
    ("undeclared function", Compiler, "int main(void) { return f(1); } int f(int x) { return x + 1; }", 2),
    ("dollar", Compiler, "int a$b = 3, a_b = 4; int main(void) { return a$b * 10 + a_b; }", 34),
    (
        "letters beyond ASCII",
        Compiler,
        "int caf\u{e9} = 3; int main(void) { return caf\\u00e9 + caf\u{e9}; }",
        6,
    ),
    (
        "__int128",
        Compiler,
        "int main(void) { __int128 x = 1; unsigned __int128 y = 2; __int128 unsigned z = 3; \
         return (int)((x << 100) >> 99) + (int) sizeof y + (int) z; }",
        21,
    ),
    (
        "_FloatN and suffixes",
        Compiler,
        "int main(void) { _Float64 b = 2.5; _Float32 c = 1; _Float32x d = 1; return (int) (b + c + d) * 10 + sizeof(1.5q) \
         + sizeof(1.0w) + sizeof(_Float128) + sizeof(_Float64x) + sizeof(__float128) + sizeof(_Float16); }",
        122,
    ),
    ("x ?: y", Compiler, "int main(void) { int x = 3; return (x ?: 9) * 10 + (x - 3 ?: 4); }", 34),
    (
        "x ?: y evaluates x once",
        Compiler,
        "int f(void) { static int n; return n++; } int main(void) { int a = f() ?: 9; return a * 10 + (f() ?: 8); }",
        91,
    ),
    (
        "__alignof__ of expressions",
        Compiler,
        "struct s { char c; long long l; } v; \
         int main(void) { int x; return __alignof__ x + __alignof__(v.l) + _Alignof(struct s) * 10 + __alignof__ (char); }",
        93,
    ),
    (
        "_Alignas of members",
        Compiler,
        "struct { _Alignas(8) char c; char d; _Alignas(double) char e; _Alignas(0) char f; } v; _Alignas(16) char b[3]; \
         int main(void) { return sizeof v * 10 + _Alignof(v); }",
        168,
    ),
    (
        "__builtin_types_compatible_p",
        Compiler,
        "int main(void) { int x; return __builtin_types_compatible_p(int, unsigned) * 10 \
         + __builtin_types_compatible_p(typeof(x), int) + __builtin_types_compatible_p(int [3], int []); }",
        2,
    ),
    (
        "universal characters in strings",
        Compiler,
        "int main(void) { char *s = \"\\u00e9x\"; int *w = (int *) L\"\\u00e9x\"; \
         return ((unsigned char) s[0] == 0xc3) + (s[2] == 'x') * 2 + (w[0] == 0xe9) * 4 + (w[1] == 'x') * 8; }",
        15,
    ),
    ("enum: trailing comma", Compiler, "enum { A = 1, B, }; int main(void) { return B; }", 2),
    (
        "enum with a type",
        Nobody,
        "typedef unsigned char byte; enum e : byte { A, B = 200 }; enum big : long; enum big : long { Q = 5000000000 } q = Q; \
         struct s { enum e : 3; int x; }; enum : bool { Z = 1 }; \
         int main(void) { enum e x = B; return sizeof x + (x > 0) * 2 + (sizeof q == 8 && q > 0) * 4 + Z * 8; }",
        15,
    ),
    (
        "__thread",
        Compiler,
        "__thread int t = 3; extern __thread int u; static __thread int v = 2; __thread int u = 4; _Thread_local int w = 1; \
         int main(void) { return t + u + v + w; }",
        10,
    ),
    (
        "__label__",
        Compiler,
        "int main(void) { int x = 0; { __label__ l; goto l; x = 50; l: x++; } \
         { __label__ l, m; l: x += 10; { __label__ l; if (x > 30) goto l; goto m; l: return x; } m: goto l; } }",
        31,
    ),
    (
        "__auto_type",
        Compiler,
        "int a[3]; int main(void) { __auto_type x = 5L; __auto_type p = a; return sizeof x + sizeof *p; }",
        12,
    ),
    (
        "attributes on labels",
        Compiler,
        "int main(void) { int x = 1; goto m; l: __attribute__((unused)) x = 3; m: __attribute__((unused)); return x; }",
        1,
    ),
    (
        "fallthrough",
        Compiler,
        "int main(void) { int x = 1; switch (x) { case 1: x = 2; __attribute__((fallthrough)); case 2: x++; [[fallthrough]]; default: x++; } return x; }",
        4,
    ),
    ("file-scope asm", Compiler, "asm(\"nop\"); __asm__(\".globl x\\n\"); int main(void) { return 1; }", 1),
    ("digraphs", Compiler, "int main(void) <% int a<:2:> = <%1, 2%>; return a<:1:>; %>", 2),
    (
        "one-argument static assertions",
        Compiler,
        "_Static_assert(sizeof(int) == 4); int main(void) { _Static_assert(1); struct { int a; _Static_assert(1); } x; return 1; }",
        1,
    ),
    (
        "static_assert",
        Nobody,
        "static_assert(1); static_assert(1, \"x\"); int main(void) { static_assert(1); return 2; }",
        2,
    ),
    (
        "label before a declaration",
        Compiler,
        "int main(void) { int x = 1; l: int y = 2; goto e; e: return x + y; }",
        3,
    ),
    (
        "label before a declaration with a typedef",
        Compiler,
        "typedef int T; int main(void) { int x = 1; l: T y = 2; T: y = 3; return y; }",
        3,
    ),
    (
        "label at the end of a block",
        Compiler,
        "int g; int f(void) { { g = 4; goto e; e: } return g; } int main(void) { return f(); }",
        4,
    ),
    (
        "case before a declaration",
        Compiler,
        "int main(void) { switch (3) { case 3: int y = 2; return y; default: } return 1; }",
        2,
    ),
    (
        "[[attributes]]",
        Compiler,
        "[[nodiscard]] int f(void) { return 2; } int g([[maybe_unused]] int x) { return x; } \
         struct [[deprecated(\"x\")]] s { [[a::b(1, 2)]] int x; }; int main(void) { [[maybe_unused]] int x [[gnu::unused]] = 1; \
         [[likely]] if (x) x = 2; int a[3] = { 0, 1, 2 }, b[1] = { 1 }; a[b[0]] = 7; return f() + g(1) + x + a[a[0] + 1]; }",
        12,
    ),
    (
        "Microsoft's words",
        Nobody,
        "__declspec(dllexport) int __cdecl f(int x) { return x; } __forceinline int __stdcall g(void) { return 1; } \
         typedef unsigned __int64 U; int main(void) { U x = 1; __int32 y = 2; __int8 z = 3; __int16 w = 2; \
         return sizeof x * 10 + sizeof y + sizeof z + sizeof w + f(2) + g(); }",
        90,
    ),
    (
        "their words as names",
        Compiler,
        "typedef long __int64; int bool = 3; __int64 x = 3; int main(void) { int alignof = 2; return sizeof x + bool + alignof; }",
        13,
    ),
    (
        "digit separators, binary constants",
        Nobody,
        "int main(void) { return 1'0 + 0x1'0 + 0b1'01 + 1'00.5; }",
        131,
    ),
    (
        "words of C23",
        Nobody,
        "constexpr int c = 2; thread_local int t = 1; int g(...) { return 4; } int main(void) { bool b = true; void *p = nullptr; \
         typeof_unqual(c) x = 8; alignas(8) char s = 16; return b + c + (p == nullptr) * 32 + g(1) + x + s + t - alignof(char); }",
        63,
    ),
    (
        "empty initialiser",
        Compiler,
        "int main(void) { int a[3] = {}; struct { int x, y; } s = {}; return a[2] + s.y + 1; }",
        1,
    ),
    (
        "sizeof a compound literal",
        Compiler,
        "int main(void) { return sizeof (int){3} + sizeof (int[]){1, 2}[0] + sizeof sizeof (char){1} + sizeof(int[sizeof(int[2])]); }",
        48,
    ),
    ("line breaks in strings", Compiler, "int main(void) { char *s = \"a\\\nb\"; return s[1]; }", 98),
    (
        "compound literals without items",
        Compiler,
        "struct s { int a, b; }; static struct s f(struct s s) { return s; } int g(void) {} int main(void) { struct s x = { 1, 2 }, *p = &(struct s){}; \
         x = (struct s){}; int n = f((struct s) { }).b; if (n) {} return x.a + x.b + p->a + n + sizeof (struct s){}; }",
        8,
    ),
    (
        "qualifiers behind the body of a struct",
        Compiler,
        "int main(void) { static struct s { int a; } const t[] = { { 1 }, { 2 } }; union { int b; } volatile const u = { 4 }; \
         enum { A = 3 } const e = A; return t[1].a + u.b + e; }",
        9,
    ),
    (
        "declarations without a type in loops",
        Compiler,
        "int main(void) { auto i = 5; for (auto j = 0; j < 3; j++) i += j; for (register k = 1; k < 2; k++) i += k; return i; }",
        9,
    ),
    (
        "code that is refused but not reached",
        Compiler,
        "int f(void) { void *p = &&l; goto *p; l: return 1; } int g(void) { asm goto (\"\" : : : : l); l: return 1; } \
         int h(void) { int k(int x) { return x; } return k(1); } int main(void) { return 5; }",
        5,
    ),
    (
        "__extension__",
        Compiler,
        "__extension__ typedef long long L; int main(void) { return __extension__ (L) 3 + __extension__ 2; }",
        5,
    ),
    (
        "names of registers and symbols",
        Compiler,
        "int f(void) __asm__(\"f\"); int f(void) { register int x asm(\"eax\") = 3; return x; } int main(void) { return f(); }",
        3,
    ),
];

fn load(text: &str) -> Result<cfront::Frontend, Failure> {
    load_named("a.i", &format!("{PRELUDE}{text}\n"), &Options::default())
}

fn interpreted(name: &str, text: &str) -> i128 {
    let loaded = load(text).unwrap_or_else(|f| panic!("{name}: {}", crate::common::render(&f)));
    assert_eq!(ir::check::check(&loaded.program), Vec::<String>::new(), "{name}");
    let run = interp::run(&loaded.program, &mut ZeroInputs, &Limits::default(), &AtomicBool::new(false));
    match run.outcome {
        Outcome::Finished(Some(Value::Int(v))) => v,
        other => panic!("{name}: the interpreter ends with {other:?}"),
    }
}

/// The exit code of the compiled programs, one compilation for all: each is a file of its own with a renamed
/// `main`.
fn native(name: &str, text: &str) -> i128 {
    let scratch = Scratch::new();
    let file = scratch.file("t.c", format!("{text}\n"));
    let program = scratch.path().join("t");
    let compiled = Command::new("cc").args(["-std=gnu11", "-w", "-o"]).arg(&program).arg(&file).output();
    let compiled = compiled.expect("cc can be run");
    assert!(compiled.status.success(), "{name}: {}", String::from_utf8_lossy(&compiled.stderr));
    let status = Command::new(&program).status().expect("the compiled program can be run");
    i128::from(status.code().expect("the program ends by itself"))
}

#[test]
fn mended_constructs_mean_what_they_mean_in_c() {
    for (name, _, text, expect) in MENDED {
        assert_eq!(interpreted(name, text), *expect, "{name}");
    }
}

#[test]
fn the_compiler_agrees() {
    for (name, oracle, text, expect) in MENDED {
        if *oracle == Compiler {
            assert_eq!(native(name, text), *expect, "{name}");
        }
    }
}

/// A construct that is refused, and the text behind [`PRELUDE`].
const REFUSED: &[(&str, &str)] = &[
    ("address of a label", "int main(void) { void *p = &&l; l: return p != 0; }"),
    ("computed goto", "int main(void) { void *p = 0; goto *p; }"),
    ("asm goto", "int main(void) { asm goto (\"jmp %l0\" : : : : l); l: return 1; }"),
    ("nested function", "int main(void) { int x = 1; int f(int y) { return x + y; } return f(2); }"),
    ("complex numbers", "int main(void) { double _Complex z = 1; return 0; }"),
    ("__real__", "int main(void) { return __real__ 3; }"),
    ("imaginary constants", "int main(void) { return 3i != 0; }"),
    ("__fp16", "int main(void) { __fp16 x = 1; return 0; }"),
    ("_BitInt", "int main(void) { unsigned _BitInt(7) x = 1; return 0; }"),
    ("decimal numbers", "int main(void) { _Decimal64 x = 1; return 0; }"),
    ("vectors", "typedef int v4 __attribute__((vector_size(16))); int main(void) { v4 x = -x; return 0; }"),
    ("structured exceptions", "int main(void) { __try { return 1; } __except (1) { return 2; } }"),
    (
        "array of variable length in a struct",
        "int main(void) { int n = 3; struct { int a[n]; } x; return 0; }",
    ),
    (
        "array of variable length with an initialiser",
        "int main(void) { int n = 3; int a[n] = {}; return 0; }",
    ),
    ("array of variable length at file scope", "int n = 3; int a[n]; int main(void) { return 0; }"),
    ("constructor", "__attribute__((constructor)) void f(int n) { } int main(void) { return 0; }"),
    ("cleanup", "void f(int *); int main(void) { int x __attribute__((cleanup(f))) = 1; return x; }"),
    ("va_arg_pack", "int main(void) { return __builtin_va_arg_pack(); }"),
    ("value too large for its enumeration", "enum e : char { A = 300 }; int main(void) { return A; }"),
    (
        "part initialised twice",
        "struct i { int a, b; }; struct o { struct i i; }; int main(void) { struct i k = { 1, 2 }; struct o w = { k, .i.a = 3 }; return w.i.b; }",
    ),
    ("local label outside of a block", "__label__ l; int main(void) { return 0; }"),
    ("alignment", "int x __attribute__((aligned(3))); int main(void) { return x; }"),
    ("alignment of aligned objects", "_Alignas(16) char b[3]; int main(void) { return _Alignof(b); }"),
    ("types of other verifiers", "int main(void) { __CPROVER_fixedbv[64][32] x; return 0; }"),
    ("other builtins", "int main(void) { return __builtin_frame_address(0) != 0; }"),
];

/// `parse 2:18 message` of the first diagnostic.
fn brief(failure: &Failure) -> String {
    let d = &failure.diagnostics[0];
    let at = d.span.map_or("nowhere".to_owned(), |s| format!("{}:{}", s.start.line, s.start.col));
    format!("{} {at} {}", failure.kind.words(), d.message)
}

#[test]
fn the_others_are_refused_with_their_place() {
    let mut out = String::new();
    for (name, text) in REFUSED {
        let failure = load(text).expect_err(name);
        out.push_str(&format!("{name}: {}\n", brief(&failure)));
    }
    expect![[r#"
        address of a label: unsupported 2:28 addresses of labels are not supported
        computed goto: unsupported 2:31 computed `goto` is not supported
        asm goto: unsupported 2:18 `asm goto` is not supported
        nested function: unsupported 2:33 functions inside of functions are not supported
        complex numbers: unsupported 2:34 operations on complex numbers are not supported
        __real__: unsupported 2:25 complex numbers are not supported
        imaginary constants: unsupported 2:25 complex numbers are not supported
        __fp16: unsupported 2:18 the type `__fp16` is not supported
        _BitInt: unsupported 2:27 integers of `_BitInt` types are not supported
        decimal numbers: unsupported 2:29 decimal floating-point numbers are not supported
        vectors: unsupported 2:75 operations on vector types are not supported
        structured exceptions: unsupported 2:18 `__try` (structured exception handling) is not supported
        array of variable length in a struct: unsupported 2:42 variable length arrays in structs are not supported
        array of variable length with an initialiser: unsupported 2:33 initialisers of variable length arrays are not supported
        array of variable length at file scope: type 2:18 the length of the array is not constant
        constructor: unsupported 2:35 a constructor with parameters is not supported
        cleanup: unsupported 2:54 the attribute `cleanup` of this name is not supported
        va_arg_pack: unsupported 2:25 `__builtin_va_arg_pack` is not supported
        value too large for its enumeration: type 2:17 the value does not fit the type of the enumeration
        part initialised twice: unsupported 2:106 a part of this value is initialised again, which is not supported
        local label outside of a block: parse 2:1 syntax error before `__label__`
        alignment: type 2:22 the alignment is no power of two, or too large
        alignment of aligned objects: unsupported 2:57 the alignment of something that an attribute aligns is not supported
        types of other verifiers: unsupported 2:18 the type `__CPROVER_fixedbv` of another verifier is not supported
        other builtins: unsupported 2:25 `__builtin_frame_address` is not supported
    "#]].assert_eq(&out);
}

#[test]
fn undeclared_functions_get_a_warning() {
    let loaded =
        load("int main(void) { return f(1); }").unwrap_or_else(|f| panic!("{}", crate::common::render(&f)));
    let warnings: Vec<String> = loaded.warnings.iter().map(|w| w.render(&loaded.sources)).collect();
    let first = warnings.concat().lines().next().unwrap_or_default().to_owned();
    expect!["a.i:2:25: warning: `f` is not declared; it is taken as `int f()`"]
        .assert_eq(first.rsplit_once('/').map_or(first.as_str(), |(_, rest)| rest));
}
