//! Floating point: the examples have the verdicts that their first lines tell, proofs are certified, and errors are those of
//! the machine.

use tests::{declared_verdict, example_names_in, parallel, root, slam};

#[test]
fn examples_with_floats_have_their_verdicts() {
    let names = example_names_in("examples/floats");
    assert!(names.len() >= 6);
    let wrong = parallel(2, names.len(), |i| {
        let file = root().join("examples/floats").join(format!("{}.c", names[i]));
        let run = slam(&["check", file.to_str().expect("a path"), "--certify"]);
        let (declared, said) = (declared_verdict(&file), run.verdict().split('(').next().unwrap_or_default());
        let certified = declared != "SAFE" || run.stdout.contains("certified: ");
        (said != declared || !certified).then(|| format!("{}: {}", names[i], run.stdout))
    });
    assert_eq!(wrong.into_iter().flatten().collect::<Vec<_>>(), Vec::<String>::new());
}

/// The functions of `<math.h>` mean what they do, for every number.
#[test]
fn functions_of_the_library_are_exact() {
    let claim = |claim: &str| {
        let text = format!(
            "#include <assert.h>\n#include <fenv.h>\n#include <math.h>\nextern float __VERIFIER_nondet_float(void);\n\
             int main(void) {{\n    float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float();\n    \
             assert({claim});\n    return 0;\n}}\n"
        );
        let file = testing::file("claim.c", text);
        slam(&["check", &file]).verdict().split('(').next().unwrap_or_default().to_owned()
    };
    let hold = [
        "isnan(x) || fabsf(x) >= 0",
        "isnan(x) || floorf(x) <= x",
        "isnan(x) || (truncf(x) == floorf(x)) || x < 0",
        "!signbit(fabsf(x)) || isnan(x)",
        "isnan(x) || isnan(y) || (fminf(x, y) <= x && fminf(x, y) <= y)",
        "!isnan(fmaxf(x, 1.0f))",
        "isless(x, y) == (x < y)",
        "isunordered(x, y) == (isnan(x) || isnan(y))",
        "isfinite(x) || isnan(x) || isinf(x)",
        "fpclassify(x) != FP_ZERO || x == 0",
        "fpclassify(x) == FP_NAN || x == x",
        "isnan(x) || copysignf(1, x) == 1 || copysignf(1, x) == -1",
        "sqrt(4.0) == 2.0 && rint(2.5) == 2.0 && round(2.5) == 3.0 && ceil(-0.5) == 0.0",
        "!(x > 3 && x < 4) || lroundf(x) == 3 || lroundf(x) == 4",
        "isnan(x) || isnan(y) || fdimf(x, y) >= 0",
        "!(x > 2 && x < 3) || (modff(x, &y) < 1 && y == 2)",
        "remainder(7.0, 2.0) == -1 && fmod(7.5, 2) == 1.5 && fmaf(2, 3, 1) == 7 && fma(0.1, 10, -1) > 0",
        "ldexpf(1, 3) == 8 && logb(8) == 3 && ilogb(0.25) == -2 && nextafterf(1, 2) > 1",
        "isnan(x) || x == INFINITY || nextafterf(x, INFINITY) > x",
        "!isfinite(x) || (sin(x) <= 1 && cosh(x) >= 1 && exp(x) >= 0 && pow(x, 0) == 1)",
        "(fesetround(FE_DOWNWARD), isnan(x) || (float)((double)x + 1) <= (double)x + 1)",
        "fesetround(FE_UPWARD) == 0 && fegetround() == FE_UPWARD && rint(0.25) == 1 && lrint(-0.75) == 0",
    ];
    let fail = [
        "fabsf(x) >= 0",
        "x == x",
        "floorf(x) < x || isnan(x)",
        "isinf(x) || isnan(x) || x + 1 > x",
        "signbit(x) == (x < 0)",
        "fminf(x, y) == fminf(y, x)",
        "x != 0 || 1 / x > 0",
        "(double)(x + y) == (double)x + (double)y || isnan(x) || isnan(y) || isinf(x) || isinf(y)",
        "isnan(x) || rintf(x) == roundf(x)",
        "!(x > 2 && x < 3) || modff(x, &y) < 0.875f",
        "!isnormal(x) || fabsf(x) > 1.2e-38f",
        "isnan(x) || (float)((double)x + 1) <= (double)x + 1",
        "(fesetround(FE_UPWARD), isnan(x) || x != 1 || x + 1e-9f == 1)",
    ];
    let all: Vec<(&str, &str)> =
        hold.iter().map(|c| (*c, "SAFE")).chain(fail.iter().map(|c| (*c, "UNSAFE"))).collect();
    let all = testing::sample(all, 3);
    let wrong = parallel(2, all.len(), |i| {
        let (text, expected) = all[i];
        let verdict = claim(text);
        (verdict != expected).then(|| format!("{text}: {verdict}"))
    });
    assert_eq!(wrong.into_iter().flatten().collect::<Vec<_>>(), Vec::<String>::new());
}
