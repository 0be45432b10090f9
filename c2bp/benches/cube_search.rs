//! What the cube search costs: `cargo bench -p c2bp`.
//!
//! First a procedure of 30 assignments over 10 predicates, in both integer modes; then 2,000 statements, with one
//! and with two threads. Times are seconds; processor times are read where Linux reports them. `thread` is the
//! time of the thread that worked most.

#![allow(clippy::print_stdout, reason = "a bench shows its figures")]

use alias::{AliasMode, AliasOracle};
use c2bp::{Cache, Options, Stats};
use encoding::IntMode;
use ir::Program;
use predicates::{Precision, Predicate, normal};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }
}

const VARIABLES: usize = 6;

/// Three different variables.
fn three(dice: &mut Dice) -> [String; 3] {
    let i = dice.below(VARIABLES);
    let j = (i + 1 + dice.below(VARIABLES - 2)) % VARIABLES;
    let k = if (j + 1) % VARIABLES == i { (j + 2) % VARIABLES } else { (j + 1) % VARIABLES };
    [i, j, k].map(|v| format!("x{v}"))
}

fn predicate(dice: &mut Dice) -> String {
    let [x, y, z] = three(dice);
    let c = dice.below(5) as i32 - 1;
    match dice.below(6) {
        0 => format!("{x} == {y}"),
        1 => format!("{x} <= {y}"),
        2 => format!("{x} == {c}"),
        3 => format!("{x} < {y} + {c}"),
        4 => format!("{x} <= {c}"),
        _ => format!("{x} + {y} <= {z}"),
    }
}

fn assignment(dice: &mut Dice) -> String {
    let [x, y, z] = three(dice);
    match dice.below(4) {
        0 => format!("{x} = {};", dice.below(3) as i32 - 1),
        1 => format!("{x} = {y};"),
        2 => format!("{x} = {x} + 1;"),
        _ => format!("{x} = {y} + {z};"),
    }
}

/// Procedures of assignments over the same number of variables each, with predicates of their own.
struct Input {
    program: Program,
    precision: Precision,
}

fn generate(procedures: usize, statements: usize, predicates: usize, mode: IntMode) -> Input {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut text = String::from("entry start__; ");
    let variables: String = (0..VARIABLES).map(|v| format!("local int x{v}; ")).collect();
    for p in 0..procedures {
        let _ = writeln!(text, "proc void p{p}(void) {{ {variables}entry L0; exit L{statements};");
        for s in 0..statements {
            let _ = writeln!(text, "L{s}: e{s}: {} goto L{};", assignment(&mut dice), s + 1);
        }
        let _ = writeln!(text, "L{statements}: }}");
    }
    let _ = writeln!(text, "proc void start__(void) {{ entry L0; exit L{procedures};");
    for p in 0..procedures {
        let _ = writeln!(text, "L{p}: e{p}: p{p}(); goto L{};", p + 1);
    }
    let _ = writeln!(text, "L{procedures}: }}");
    let program = ir::parse::program(&text).unwrap_or_else(|d| panic!("{} at {:?}", d.message, d.span));
    let mut precision = Precision::new();
    for p in 0..procedures {
        let scope = program.find_proc(&format!("p{p}"));
        let mut found = 0;
        while found < predicates {
            let text = predicate(&mut dice);
            let e =
                ir::parse::expr(&text, &program, scope).unwrap_or_else(|d| panic!("{text}: {}", d.message));
            let normal::Normal::Atom { expr, .. } = normal::normalise(e, mode, program.signed_wrap) else {
                continue;
            };
            let new = precision.add(Predicate::new(&program, expr, scope).expect("one scope")).1;
            found += usize::from(new);
        }
    }
    Input { program, precision }
}

/// Nanoseconds of processor time that each thread of the process has used, where the system reports it.
fn processor_times() -> BTreeMap<OsString, u64> {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return BTreeMap::new() };
    let time = |task: &std::fs::DirEntry| {
        let told = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        told.split(' ').next()?.parse().ok()
    };
    tasks.flatten().filter_map(|task| Some((task.file_name(), time(&task)?))).collect()
}

/// What one abstraction took, times in seconds.
struct Cost {
    elapsed: f64,
    /// Of the processor, all threads together.
    used: f64,
    /// Of the processor, the thread that worked most: what it would take if each had a processor for itself.
    longest: f64,
    stats: Stats,
}

fn measure(input: &Input, mode: IntMode, threads: usize) -> Cost {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
    let (stop, interrupt) = (AtomicBool::new(false), smt::Interrupt::new());
    let options = Options { mode, ..Options::new(&stop, &interrupt) };
    let oracle = AliasOracle::new(&input.program, AliasMode::Das);
    let (start, before) = (Instant::now(), processor_times());
    let made = pool.install(|| {
        c2bp::abstract_program(&input.program, &oracle, &input.precision, &options, &mut Cache::new())
    });
    let elapsed = start.elapsed().as_secs_f64();
    let used = processor_times().into_iter().map(|(thread, now)| now - before.get(&thread).unwrap_or(&0));
    let used: Vec<f64> = used.map(|nanoseconds| nanoseconds as f64 / 1e9).collect();
    let longest = used.iter().copied().fold(0.0, f64::max);
    let stats = made.expect("nobody stops it").stats;
    Cost { elapsed, used: used.iter().sum(), longest, stats }
}

fn row(name: &str, cost: &Cost) {
    let Cost { elapsed, used, longest, stats } = cost;
    println!(
        "{name:>24} {elapsed:>8.2} {used:>8.2} {longest:>8.2} {:>8} {:>8} {:>8} {:>7}",
        stats.prover_calls, stats.cubes, stats.abstracted, stats.folded
    );
}

fn main() {
    println!(
        "{:>24} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7}",
        "", "elapsed", "CPU", "thread", "Z3", "cubes", "edges", "folded"
    );
    for (name, mode) in [("30 x 10, math", IntMode::Math), ("30 x 10, bits", IntMode::Bits)] {
        row(name, &measure(&generate(1, 30, 10, mode), mode, 1));
    }
    let input = generate(40, 50, 10, IntMode::Math);
    let one = measure(&input, IntMode::Math, 1);
    row("2,000 x 10, one thread", &one);
    let two = measure(&input, IntMode::Math, 2);
    row("2,000 x 10, two threads", &two);
    println!(
        "with two threads {:.2} times the throughput of one, here and now; {:.2} times with a processor for each",
        one.elapsed / two.elapsed,
        one.longest / two.longest
    );
}
