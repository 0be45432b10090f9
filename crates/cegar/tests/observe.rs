//! Candidates for invariants of loops, guessed from executions of C programs.

use cegar::observe;
use cmm::analysis::{AliasMode, AliasOracle, resolve_indirect};
use cmm::{Program, print};
use invariants::observed::Kind;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

fn program(text: &str) -> Program {
    let text = format!(
        "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n#define input __VERIFIER_nondet_int\n\
         extern void *malloc(unsigned long);\n\
         #define assert(c) do {{ if (!(c)) reach_error(); }} while (0)\n{text}"
    );
    let front = cfront::load(&[testing::file("a.c", text).into()], &cfront::Options::default())
        .expect("C that is taken");
    let oracle = AliasOracle::new(&front.program, AliasMode::Das);
    resolve_indirect(&front.program, &oracle).expect("no pointer to a function is called")
}

/// The candidates at each loop, in the order of the program.
fn candidates(text: &str) -> Vec<Vec<(Kind, String)>> {
    let program = program(text);
    let found = observe::candidates(&program, &AtomicBool::new(false));
    found
        .values()
        .map(|list| list.iter().map(|c| (c.kind, print::expr(&program, &c.condition))).collect())
        .collect()
}

fn has(list: &[(Kind, String)], wanted: &[&str]) {
    for condition in wanted {
        assert!(list.iter().any(|(_, c)| c == condition), "no {condition} among {list:#?}");
    }
}

#[test]
fn show() {
    let Ok(path) = std::env::var("SHOW") else { return };
    for path in path.split(' ') {
        let Ok(front) = cfront::load(&[path.into()], &cfront::Options::default()) else { continue };
        let oracle = AliasOracle::new(&front.program, AliasMode::Das);
        let Ok(program) = resolve_indirect(&front.program, &oracle) else { continue };
        let t = Instant::now();
        let mut recorder = invariants::observed::Recorder::new(&program);
        observe::record(&program, &mut recorder, &AtomicBool::new(false));
        let t1 = t.elapsed();
        let found = recorder.candidates();
        println!("{path} {t1:?} {:?} heads {}", t.elapsed(), found.len());
        for ((p, l), list) in found {
            println!("  {} {l:?}", program.procs[p].name);
            for c in list {
                println!("    {:?}: {}", c.kind, print::expr(&program, &c.condition));
            }
        }
    }
}

#[test]
fn two_counters() {
    let all = candidates("int main(void) { int x = 0, y = 0; while (input()) { x++; y += 2; } assert(y == 2 * x); return 0; }");
    println!("{all:#?}");
    has(&all[0], &["y == 2 * x"]);
}
