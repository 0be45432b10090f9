//! Random expressions on floating-point numbers have the bits that compiled programs have, in every mode of rounding.

use crate::common::{Gap, compiled, interpret};
use cfront::Options;
use std::fmt::Write;
use testing::{FloatForms, Floats, Scratch};

/// The modes of `<fenv.h>`.
const MODES: [&str; 4] = ["FE_TONEAREST", "FE_UPWARD", "FE_DOWNWARD", "FE_TOWARDZERO"];

/// A program that prints the values of so many expressions, each with several arguments.
fn program(seed: u64, count: u32, forms: FloatForms) -> String {
    let mut floats = Floats::new(seed, forms);
    let mut out = format!("#include <fenv.h>\n#include <stdio.h>\n{}", Floats::declarations());
    out.push_str("static void show(int n, double r) {\n    if (isnan(r))\n        printf(\"%d none\\n\", n);\n");
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
            let _ = writeln!(out, "    fesetround({mode}); r = e{n}(); fesetround(FE_TONEAREST); show({n}, r);");
        }
    }
    out.push_str("    return 0;\n}\n");
    out
}

fn agree(forms: FloatForms, seed: u64, count: u32) {
    let scratch = Scratch::new();
    let file = scratch.file("floats.c", program(seed, count, forms));
    let flags = ["-lm", "-fno-builtin", "-frounding-math", "-ffp-contract=off"];
    let natively = compiled(&file, &flags).expect("it ends");
    let here = match interpret(&file, &Options::default(), 200_000_000) {
        Ok(here) => here,
        Err(Gap::Refused(text) | Gap::Stuck(text)) => panic!("{text}"),
        Err(Gap::Limit) => panic!("the program is too long"),
    };
    assert_eq!(here.stdout.lines().count(), natively.stdout.lines().count());
    let text = std::fs::read_to_string(&file).expect("it was written");
    for (ours, theirs) in here.stdout.lines().zip(natively.stdout.lines()) {
        let name = ours.split(' ').next().unwrap_or_default();
        let of = text.lines().find(|l| l.starts_with(&format!("static double e{name}(void)"))).unwrap_or_default();
        assert_eq!(ours, theirs, "{of}");
    }
}

#[test]
fn expressions_have_the_bits_of_compiled_ones() {
    agree(FloatForms::Plain, 1, 300);
    agree(FloatForms::Nearest, 2, 1000);
}

#[test]
fn expressions_in_each_mode_have_the_bits_of_compiled_ones() {
    agree(FloatForms::AnyMode, 3, 1000);
}

/// Contracted, folded and reordered arithmetic would tell these apart.
#[test]
fn the_mode_is_that_of_the_moment() {
    let text = "#include <fenv.h>\n#include <stdio.h>\nstatic double third(double x) { return x / 3; }\n\
        int main(void) {\n    double a = third(1), b;\n    int refused = fesetround(77);\n    fesetround(FE_UPWARD);\n    b = third(1);\n    \
        printf(\"%d %d %d\\n\", a < b, refused, fegetround() == FE_UPWARD);\n    fesetround(FE_TONEAREST);\n    \
        printf(\"%d\\n\", third(1) == a);\n    return 0;\n}\n";
    let scratch = Scratch::new();
    let file = scratch.file("mode.c", text);
    let here = interpret(&file, &Options::default(), 10_000).ok().expect("everything is modelled");
    assert_eq!(here.stdout, "1 1 1\n1\n");
    assert_eq!(compiled(&file, &["-lm", "-frounding-math"]).expect("it ends").stdout, here.stdout);
}
