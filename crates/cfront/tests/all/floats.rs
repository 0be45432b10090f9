//! Random expressions on floating-point numbers have the bits that compiled programs have, in every mode of rounding.

use crate::common::{Gap, compiled, interpret};
use cfront::Options;
use std::fmt::Write;
use testing::{FloatForms, Floats, Scratch};

/// The modes of `<fenv.h>`.
const MODES: [&str; 4] = ["FE_TONEAREST", "FE_UPWARD", "FE_DOWNWARD", "FE_TOWARDZERO"];

/// A program that prints the values of `count` expressions, each with several arguments.
fn program(seed: u64, count: u32, forms: FloatForms) -> String {
    let mut floats = Floats::new(seed, forms);
    let mut out = format!("#include <fenv.h>\n#include <stdio.h>\n{}", Floats::declarations());
    out.push_str(
        "static void show(int n, double r) {\n    if (isnan(r))\n        printf(\"%d none\\n\", n);\n",
    );
    out.push_str("    else\n        printf(\"%d %a\\n\", n, r);\n}\n");
    for n in 0..count {
        let _ = writeln!(out, "static double e{n}(void) {{ return {}; }}", floats.double(4));
    }
    out.push_str("int main(void) {\n    double r;\n");
    for n in 0..count {
        for _ in 0..3 {
            let _ = writeln!(out, "    {};", floats.values());
            if forms != FloatForms::AnyMode {
                let _ = writeln!(out, "    show({n}, e{n}());");
                continue;
            }
            let mode = MODES[n as usize % 4];
            let _ =
                writeln!(out, "    fesetround({mode}); r = e{n}(); fesetround(FE_TONEAREST); show({n}, r);");
        }
    }
    out.push_str("    return 0;\n}\n");
    out
}

/// A program that runs the statements of `count` seeds and prints all variables after each.
fn statements(first: u64, count: u64) -> String {
    let mut out = format!("#include <stdio.h>\n{}", Floats::declarations());
    out.push_str("static void one(int n, double x) {\n    if (isnan(x))\n        printf(\"%d none\\n\", n);\n    else\n        ");
    out.push_str("printf(\"%d %a %f %.3e %g %.9g\\n\", n, x, x, x, x, x);\n}\n");
    out.push_str("static void show(int n) {\n    one(n, f); one(n, g); one(n, d); one(n, e); printf(\"%d %d %u %ld\\n\", n, i, u, l);\n");
    out.push_str("    for (int k = 0; k < 4; k++) one(n, v[k]);\n}\n");
    for seed in first..first + count {
        let mut floats = Floats::new(seed, FloatForms::Nearest);
        let (values, body) = (floats.values(), floats.statements(8, 2));
        let _ = writeln!(out, "static void s{seed}(void) {{\n{values};\n{body}}}");
    }
    out.push_str("int main(void) {\n");
    for seed in first..first + count {
        let _ = writeln!(out, "    s{seed}(); show({seed});");
    }
    out + "    return 0;\n}\n"
}

fn agree(forms: FloatForms, seed: u64, count: u32) {
    same_output(&program(seed, count, forms), |n| format!("static double e{n}(void)"));
}

/// The program prints the same here and when it is compiled. Each line begins with a number, for which `shown`
/// gives the line of the text that prints it.
fn same_output(program: &str, shown: impl Fn(&str) -> String) {
    let scratch = Scratch::new();
    let file = scratch.file("floats.c", program);
    let flags = ["-lm", "-fno-builtin", "-frounding-math", "-ffp-contract=off"];
    let natively = compiled(&file, &flags).expect("it ends");
    let here = match interpret(&file, &Options::default(), 200_000_000) {
        Ok(here) => here,
        Err(Gap::Refused(text) | Gap::Stuck(text)) => panic!("{text}"),
        Err(Gap::Limit) => panic!("the program is too long"),
    };
    assert_eq!(here.stdout.lines().count(), natively.stdout.lines().count());
    for (ours, theirs) in here.stdout.lines().zip(natively.stdout.lines()) {
        let name = ours.split(' ').next().unwrap_or_default();
        let start = shown(name);
        let of = program.lines().skip_while(|l| !l.starts_with(&start));
        let of: Vec<&str> =
            of.enumerate().take_while(|(n, l)| *n == 0 || !l.starts_with("static")).map(|(_, l)| l).collect();
        assert_eq!(ours, theirs, "{}", of.join("\n"));
    }
}

#[test]
fn expressions_have_the_bits_of_compiled_ones() {
    agree(FloatForms::Plain, 1, 300);
    agree(FloatForms::Nearest, 2, 1000);
}

#[test]
fn statements_do_what_compiled_ones_do() {
    same_output(&statements(0, 400), |n| format!("static void s{n}(void)"));
}

#[test]
fn expressions_in_each_mode_have_the_bits_of_compiled_ones() {
    agree(FloatForms::AnyMode, 3, 1000);
}

#[test]
fn modes_that_are_not_followed_are_refused() {
    let threads = "#include <fenv.h>\n#include <pthread.h>\nstatic void *run(void *p) { return p; }\n\
        int main(void) { pthread_t t; fesetround(FE_UPWARD); return pthread_create(&t, 0, run, 0); }\n";
    let other_type = "extern void fesetround(int);\nint main(void) { fesetround(0x400); return 0; }\n";
    let environment = "#include <fenv.h>\nint main(void) { return fesetenv(FE_DFL_ENV); }\n";
    for text in [threads, other_type, environment] {
        let scratch = Scratch::new();
        let file = scratch.file("mode.c", text);
        match interpret(&file, &Options::default(), 10_000) {
            Err(Gap::Refused(message)) => assert!(message.contains("of rounding"), "{message}"),
            _ => panic!("{text} is not refused"),
        }
    }
}

/// Contracted, folded and reordered arithmetic would give other results for these.
#[test]
fn the_mode_is_that_of_the_moment() {
    let text = "#include <fenv.h>\n#include <stdio.h>\nstatic double third(double x) { return x / 3; }\n\
        int main(void) {\n    double a = third(1), b;\n    int refused = fesetround(77);\n    fesetround(FE_UPWARD);\n    b = third(1);\n    \
        printf(\"%d %d %d\\n\", a < b, refused, fegetround() == FE_UPWARD);\n    fesetround(FE_TONEAREST);\n    \
        printf(\"%d\\n\", third(1) == a);\n    return 0;\n}\n";
    let scratch = Scratch::new();
    let file = scratch.file("mode.c", text);
    let Ok(here) = interpret(&file, &Options::default(), 10_000) else {
        panic!("not everything is modelled")
    };
    assert_eq!(here.stdout, "1 1 1\n1\n");
    assert_eq!(compiled(&file, &["-lm", "-frounding-math"]).expect("it ends").stdout, here.stdout);
}
