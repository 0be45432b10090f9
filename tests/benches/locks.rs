//! How the cost grows with the size of the program: `cargo bench -p tests --bench locks`.
//!
//! Programs with N procedures and N locks (`tests::families::locks`), safe and with one error, are checked by the
//! binary without concrete executions. Iterations, predicates and prover calls are the same on every machine; CPU
//! seconds are those of the process. Arguments are sizes; `--svg FILE` draws a plot, and `--print N`
//! prints one program.

#![allow(clippy::print_stdout, reason = "a bench shows its figures")]

use std::fmt::Write as _;
use tests::{binary, families};

/// The sizes without arguments.
const SIZES: [usize; 5] = [10, 20, 50, 100, 200];

/// One measurement.
struct Point {
    n: usize,
    buggy: bool,
    cpu: f64,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let after = |name: &str| args.iter().position(|a| a == name).and_then(|at| args.get(at + 1));
    if let Some(n) = after("--print") {
        print!("{}", families::locks(n.parse().expect("a size"), args.iter().any(|a| a == "--buggy")));
        return;
    }
    let mut sizes: Vec<usize> = args.iter().filter_map(|a| a.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = SIZES.to_vec();
    }
    println!(
        "   N  program  verdict        iterations  predicates  prover calls  BDD nodes  CPU s  exponent"
    );
    let mut points: Vec<Point> = vec![];
    for buggy in [false, true] {
        for &n in &sizes {
            let point = measure(n, buggy, points.last().filter(|last| last.buggy == buggy));
            points.push(point);
        }
    }
    if let Some(file) = after("--svg") {
        std::fs::write(file, svg(&points)).expect("the plot can be written");
    }
}

/// Checks one program and prints its line.
fn measure(n: usize, buggy: bool, last: Option<&Point>) -> Point {
    let file = testing::file("locks.c", families::locks(n, buggy));
    let run = binary(
        "slam",
        &[
            "check",
            &file,
            "--tune",
            "without=executions",
            "--stats",
            "--threads",
            "1",
            "--time-limit",
            "10min",
        ],
    );
    let stat = |name: &str| {
        let value = |line: &str| line.strip_prefix(&format!("STAT {name}: ")).map(str::to_owned);
        run.stdout.lines().find_map(value).unwrap_or_default()
    };
    let cpu = stat("cpu-ms").parse::<f64>().unwrap_or(f64::NAN) / 1000.0;
    let exponent = last.map_or(String::new(), |last| {
        format!("{:.2}", (cpu / last.cpu).ln() / (n as f64 / last.n as f64).ln())
    });
    println!(
        "{n:>4}  {:7}  {:13}  {:>10}  {:>10}  {:>12}  {:>9}  {cpu:>5.2}  {exponent:>8}",
        if buggy { "buggy" } else { "safe" },
        run.verdict().split(" at ").next().unwrap_or_default(),
        stat("iterations"),
        stat("predicates"),
        stat("prover-calls"),
        stat("bdd-nodes"),
    );
    Point { n, buggy, cpu }
}

/// The figure: both axes logarithmic, with the line of N^1.3 through the first point.
fn svg(points: &[Point]) -> String {
    let (width, height, left, bottom) = (640.0, 400.0, 60.0, 350.0);
    let extremes = |value: fn(&Point) -> f64| {
        let values = points.iter().map(value);
        (values.clone().fold(f64::MAX, f64::min), values.fold(f64::MIN, f64::max))
    };
    let ((least_n, most_n), (least, most)) = (extremes(|p| p.n as f64), extremes(|p| p.cpu));
    let x = |n: f64| left + (width - left - 30.0) * (n / least_n).ln() / (most_n / least_n).ln().max(1e-9);
    let y = |cpu: f64| bottom - (bottom - 30.0) * (cpu / least).ln() / (most / least).ln().max(1e-9);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let mut ticks: Vec<usize> = points.iter().map(|p| p.n).collect();
    ticks.dedup();
    for n in ticks.iter().take(points.len() / 2) {
        let at = x(*n as f64);
        let _ =
            writeln!(out, "<text x=\"{at:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{n}</text>", bottom + 20.0);
    }
    for (buggy, colour) in [(false, "#1f5fa8"), (true, "#b3401f")] {
        let series: Vec<&Point> = points.iter().filter(|p| p.buggy == buggy).collect();
        let line: Vec<String> =
            series.iter().map(|p| format!("{:.0},{:.0}", x(p.n as f64), y(p.cpu))).collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            line.join(" ")
        );
        for p in series {
            let (at, height) = (x(p.n as f64), y(p.cpu));
            let _ = writeln!(
                out,
                "<circle cx=\"{at:.0}\" cy=\"{height:.0}\" r=\"3\" fill=\"{colour}\"/><text x=\"{:.0}\" y=\"{:.0}\" \
                 fill=\"{colour}\" text-anchor=\"end\">{:.1} s</text>",
                at - 6.0,
                height + if buggy { 14.0 } else { -6.0 },
                p.cpu
            );
        }
    }
    if let Some(first) = points.first() {
        let end = first.cpu * (most_n / first.n as f64).powf(1.3);
        let _ = writeln!(
            out,
            "<line x1=\"{:.0}\" y1=\"{:.0}\" x2=\"{:.0}\" y2=\"{:.0}\" stroke=\"#888\" stroke-dasharray=\"5 4\"/>",
            x(first.n as f64),
            y(first.cpu),
            x(most_n),
            y(end)
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{left}\" y=\"20\">CPU seconds over N (both logarithmic): blue safe, red with an error, dashed N^1.3\
         </text>\n</svg>"
    );
    out
}
