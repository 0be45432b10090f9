//! C programs for the tests of this crate.

use alias::{AliasMode, AliasOracle};
use ir::Program;
use passes::resolve_indirect;

/// The program of a text, which may use `input()`, `assert(…)` and `malloc`, with direct calls only.
pub(crate) fn program(text: &str) -> Program {
    let text = format!(
        "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nvoid *malloc(unsigned long);\n\
         #define input __VERIFIER_nondet_int\n#define assert(c) do {{ if (!(c)) reach_error(); }} while (0)\n{text}"
    );
    let front = cfront::load(&[testing::file("a.c", text).into()], &cfront::Options::default())
        .expect("C that is taken");
    let oracle = AliasOracle::new(&front.program, AliasMode::Das);
    resolve_indirect(&front.program, &oracle).expect("no pointer to a function is called")
}
