//! What the models of `<math.h>` compute is what the C library computes.

use crate::common::{compiled, interpret};
use cfront::Options;
use testing::Scratch;

const PROGRAM: &str = r#"
#include <math.h>
#include <stdio.h>

static const double values[] = { 0.0, -0.0, 1.0, -1.5, 2.0, 3.0, 0.1, -0.1, 123.45, 1e10, -7.75, 1e-310, 5e-324, 1e300, INFINITY, -INFINITY };
enum { N = sizeof values / sizeof values[0] };

int main(void) {
    for (int i = 0; i < N; i++) {
        double x = values[i], whole;
        float f = (float)x, whole_f;
        int e, e_f;
        double part = modf(x, &whole);
        float part_f = modff(f, &whole_f);
        printf("%a %a %a %a\n", part, whole, copysign(1, part), copysign(1, whole));
        printf("%a %a\n", (double)part_f, (double)whole_f);
        double m = frexp(x, &e);
        float m_f = frexpf(f, &e_f);
        if (!isinf(x))
            printf("%a %d %a\n", m, e, (double)m_f);
        if (!isinf(f))
            printf("%d\n", e_f);
        for (int k = 0; k < N; k++) {
            double y = values[k];
            if (fabs(x) > 1e200 && fabs(y) < 1)
                continue;
            double r = fmod(x, y), d = fdim(x, y);
            if (!isnan(r))
                printf("%d %d: %a %a\n", i, k, r, copysign(1, r));
            else
                printf("%d %d: none\n", i, k);
            if (!isnan(d))
                printf("%a\n", d);
            if (fabs(x) < 1e5 && (fabs(y) > 1e-3 || y == 0)) {
                float g = fmodf(f, (float)y);
                printf("%d %a %a\n", isnan(g), isnan(g) ? 0.0 : (double)g, (double)fdimf(f, (float)y));
            }
        }
    }
    return 0;
}
"#;

#[test]
fn models_compute_what_the_library_computes() {
    let scratch = Scratch::new();
    let file = scratch.file("math.c", PROGRAM);
    let natively = compiled(&file, &["-lm", "-fno-builtin"]).expect("it ends");
    let here = interpret(&file, &Options::default(), 10_000_000).expect("everything is modelled");
    assert_eq!(here.stdout.lines().count(), natively.stdout.lines().count());
    for (n, (ours, theirs)) in here.stdout.lines().zip(natively.stdout.lines()).enumerate() {
        assert_eq!(ours, theirs, "line {n}");
    }
}
