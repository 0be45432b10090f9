//! How many iterations the loop takes and how many predicates it ends with, for the examples and for small members of
//! families of programs: `tests/golden/iterations.txt`. A change that makes the loop wander shows there; so does one
//! that makes it better, and then `BLESS=1` writes the table anew.

use std::fmt::Write as _;
use tests::{Run, example_names, families, golden, parallel, root, slam};

/// The line of a program: what the loop alone says of it.
fn line(name: &str, file: &str) -> String {
    let run = slam(&[
        "check",
        file,
        "--tune",
        "without=executions",
        "--tune",
        "without=unrolling",
        "--tune",
        "without=induction",
        "--stats",
        "--time-limit",
        "60s",
    ]);
    let verdict = run.verdict().split(" at ").next().unwrap_or_default().to_owned();
    format!("{name:32} {verdict:14} {:>10} {:>10}\n", stat(&run, "iterations"), stat(&run, "predicates"))
}

fn stat(run: &Run, name: &str) -> String {
    let value = |line: &str| line.strip_prefix(&format!("STAT {name}: ")).map(str::to_owned);
    run.stdout.lines().find_map(value).unwrap_or_else(|| "-".into())
}

/// The programs: name and file.
fn programs() -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> =
        example_names().into_iter().map(|n| (n.clone(), format!("examples/{n}.c"))).collect();
    let mut family = |name: &str, sizes: &[usize], text: &dyn Fn(usize) -> String| {
        for &n in sizes {
            let name = format!("{name} {n}");
            let file = testing::file(&format!("{}.c", name.replace(' ', "-")), text(n));
            out.push((name, file));
        }
    };
    family("family: locks", &[1, 4, 32], &|n| families::locks(n, false));
    family("family: locks, buggy", &[4], &|n| families::locks(n, true));
    family("family: loops", &[1, 2, 3], &families::loops);
    family("family: ring", &[2, 4], &families::ring);
    family("family: machine", &[3, 6], &families::machine);
    family("family: buffers", &[1, 4], &families::buffers);
    family("family: server", &[3, 6, 12], &families::server);
    out
}

#[test]
fn iterations_and_predicates() {
    root();
    let programs = programs();
    let lines = parallel(2, programs.len(), |n| line(&programs[n].0, &programs[n].1));
    let mut table = String::new();
    let _ = writeln!(table, "{:32} {:14} {:>10} {:>10}", "program", "verdict", "iterations", "predicates");
    table.push_str(&lines.concat());
    golden("iterations.txt", &table);
}
