//! What the front end costs, by stages, on preprocessed text in the style of CIL's output, and whether it
//! grows linearly: `cargo bench -p cfront`. Files given as arguments are measured instead.

#![allow(clippy::print_stdout, reason = "a bench shows its figures")]

use cfront::{Options, Profile, profile};
use std::path::PathBuf;

/// One small driver; `@` stands for its number.
const DRIVER: &str = include_str!("driver.c.in");

/// `copies` renamed copies of the driver and a `main` that calls them all.
fn generate(copies: usize) -> String {
    let mut out = String::from("extern void reach_error(void) ;\nextern int __VERIFIER_nondet_int(void) ;\n");
    for n in 0..copies {
        out.push_str(&format!("# 1 \"driver_{n}.i\"\n"));
        out.push_str(&DRIVER.replace('@', &n.to_string()));
    }
    out.push_str("int main(void)\n{\n");
    for n in 0..copies {
        out.push_str(&format!("  entry_{n}(__VERIFIER_nondet_int());\n"));
    }
    out.push_str("  return (0);\n}\n");
    out
}

fn row(name: &str, p: &Profile) {
    let ms = |d: std::time::Duration| d.as_secs_f64() * 1e3;
    println!(
        "{name:>12} {:>9} {:>8} {:>8} {:>7} {:>8} | {:>7.0} {:>7.0} {:>8.0} {:>8.0} | {:>7.1}",
        p.bytes,
        p.lines,
        p.tokens,
        p.procedures,
        p.edges,
        ms(p.read),
        ms(p.repair),
        ms(p.parse),
        ms(p.lower),
        ms(p.lower) * 1e4 / p.lines as f64
    );
}

fn measure(path: PathBuf) -> Profile {
    let run = move || profile(&[path], &Options::default());
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(run).expect("a thread can be started");
    match thread.join().expect("the front end does not panic") {
        Ok(profile) => profile,
        Err(failure) => panic!("{:?}", failure.diagnostics),
    }
}

fn main() {
    println!(
        "{:>12} {:>9} {:>8} {:>8} {:>7} {:>8} | {:>7} {:>7} {:>8} {:>8} | lowering",
        "", "bytes", "lines", "tokens", "procs", "edges", "read", "repair", "parse", "lower"
    );
    println!("{:>59} | {:>33} | ms/10k lines", "", "ms");
    let files: Vec<PathBuf> =
        std::env::args().skip(1).filter(|a| !a.starts_with('-')).map(PathBuf::from).collect();
    for file in &files {
        row(&file.file_stem().unwrap_or_default().to_string_lossy(), &measure(file.clone()));
    }
    if !files.is_empty() {
        return;
    }
    let scratch = testing::Scratch::new();
    let mut last: Option<Profile> = None;
    for copies in [31, 62, 125, 250, 500] {
        let now = measure(scratch.file("driver.i", generate(copies)));
        row(&format!("{copies} copies"), &now);
        if let Some(last) = last {
            let ratio = |a: std::time::Duration, b: std::time::Duration| a.as_secs_f64() / b.as_secs_f64();
            println!(
                "{:>12} {:>9.2} {:>8.2} {:>8.2} {:>7.2} {:>8.2} | {:>7.2} {:>7.2} {:>8.2} {:>8.2} |",
                "ratio",
                now.bytes as f64 / last.bytes as f64,
                now.lines as f64 / last.lines as f64,
                now.tokens as f64 / last.tokens as f64,
                now.procedures as f64 / last.procedures as f64,
                now.edges as f64 / last.edges as f64,
                ratio(now.read, last.read),
                ratio(now.repair, last.repair),
                ratio(now.parse, last.parse),
                ratio(now.lower, last.lower)
            );
        }
        last = Some(now);
    }
}
