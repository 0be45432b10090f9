//! Ctrl-C while the prover is at work: whatever it does, the run ends soon, with its verdict line.
//!
//! Ten programs have a condition over which the prover takes long; each is handed to `slam check`, `slam batch`, `slam
//! certify` and `slam lsp`, which get SIGINT at moments that the number of the case decides. `INTERRUPTS` says how many
//! cases there are; it asks for ends within a second, which a busy machine may not keep.

use crate::attacks::fingerprint;
use crate::editors::{framed, uri};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use testing::{folder, text};
use tests::{program, root, slam};

/// Cases without a word in the environment, and how long each may take to end.
const CASES: u64 = 4;
const PATIENCE: Duration = Duration::from_secs(20);

/// How long it may take where that is what is asked.
const SECOND: Duration = Duration::from_secs(1);

/// Conditions that hold for no inputs or hardly any.
const CONDITIONS: [&str; 10] = [
    "a > 1 && b > 1 && a < 1099511627776 && b < 1099511627776 && a * b == 9223372036854775783ul",
    "a < 2000000 && b < 2000000 && c < 2000000 && a > 2 && a * a * a + b * b * b == c * c * c && b > 2",
    "a * (b + c) != a * b + a * c",
    "(a - b) * (a + b) != a * a - b * b",
    "(a & b) * (a | b) + (a & ~b) * (~a & b) != a * b",
    "(a ^ (a >> 29)) * 0x9E3779B97F4A7C15ul == (b ^ (b >> 31)) * 0xBF58476D1CE4E5B9ul && a * b == 0x1234567 && a > 9 && b > 9",
    "b > 3 && a % b == 7 && (a * a) % b != 49 % b",
    "x > 1 && x < 2 && y > 1 && y < 2 && x * y == 2 && x * x * y == 3",
    "x > 0 && x < 1 && y > 0 && y < 1 && (x + y) * (x - y) > x * x - y * y + 1e-15",
    "c > 1 && a / c * c + a % c != a",
];

/// A program that fails where the condition holds. The certificate of one is about each other one, too.
fn text_of(condition: &str) -> String {
    format!(
        "extern void reach_error(void);\nextern unsigned long __VERIFIER_nondet_ulong(void);\n\
         extern double __VERIFIER_nondet_double(void);\nint main(void) {{\n    \
         unsigned long a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong(), c = __VERIFIER_nondet_ulong();\n    \
         double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double();\n    \
         int wrong = {condition};\n    if (wrong) reach_error();\n    return 0;\n}}\n"
    )
}

/// A result that says that the program is safe, with a certificate of nothing but true sets.
fn result(file: &str) -> String {
    let easy = testing::file("easy.c", text_of("a < b && b < a"));
    let path = folder().join("easy.json");
    let line =
        ["check", "-q", "--certify", "--tune", "slice=off,propagate=off", "--json", text(&path), &easy];
    let run = slam(&line);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let mut result: Value =
        serde_json::from_str(&fs::read_to_string(&path).expect("a result")).expect("JSON");
    let mode = result["certificate"]["integers"].as_str().expect("a mode").to_owned();
    assert_eq!(result["certificate"]["program"], fingerprint(Path::new(&easy), &[], &mode));
    result["certificate"]["program"] = fingerprint(Path::new(file), &[], &mode).into();
    testing::file("forged.json", result.to_string())
}

/// What is said to a server that is to check a file.
fn opened(file: &str) -> String {
    let text = fs::read_to_string(file).expect("it was written");
    let document = json!({ "uri": uri(file), "languageId": "c", "version": 1, "text": text });
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } }),
        json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }),
        json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } }),
    ];
    messages.iter().map(|message| framed(&message.to_string())).collect()
}

/// Whether SIGINT is ignored, which children inherit: they go on then, as `nohup` has it.
fn ignores_interrupts() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask =
        status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim).unwrap_or_default();
    u64::from_str_radix(mask, 16).is_ok_and(|mask| mask & 1 << 1 != 0)
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "kill runs");
}

/// How long a run took to end after the signal; nothing where it had ended before.
fn interrupted(case: u64) -> Option<Duration> {
    let condition = CONDITIONS[(case / 4) as usize % CONDITIONS.len()];
    let file = testing::file("long.c", text_of(condition));
    let bits = ["--tune", "without=executions,integers=bits"];
    let command = ["check", "batch", "certify", "lsp"][(case % 4) as usize];
    let forged = (command == "certify").then(|| result(&file));
    let mut arguments = vec![command];
    match command {
        "certify" => arguments.extend([&*file, forged.as_deref().expect("it was made")]),
        "lsp" => arguments.extend(bits),
        _ => arguments.extend(bits.into_iter().chain([&*file])),
    }
    let mut child = Command::new(program("slam"))
        .args(&arguments)
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the checker runs");
    let mut input = child.stdin.take().expect("it is piped");
    if command == "lsp" {
        input.write_all(opened(&file).as_bytes()).expect("it listens");
    }
    let mut stdout = child.stdout.take().expect("it is piped");
    let said = std::thread::spawn(move || {
        let mut said = String::new();
        stdout.read_to_string(&mut said).map(|_| said)
    });
    // From when the checker has begun until it is deep in its work, in an order that mixes both.
    std::thread::sleep(Duration::from_millis(300 + case * 7919 % 2500));
    let ended = child.try_wait().expect("it can be asked").is_some();
    let sent = Instant::now();
    if !ended {
        interrupt(&child);
    }
    let status = child.wait().expect("it ends");
    let elapsed = sent.elapsed();
    let said = said.join().expect("it is read").expect("UTF-8");
    let what = format!("{} ({condition}): {status:?}\n{said}", arguments.join(" "));
    if command != "lsp" {
        let last = said.lines().last().unwrap_or_default();
        assert!(last.starts_with("VERDICT: ") && status.code().is_some(), "{what}");
        // Who asks for an answer that is there gets it.
        assert!(ended || elapsed < SECOND || last == "VERDICT: UNKNOWN(interrupted)", "{what}");
    }
    (!ended).then_some(elapsed)
}

#[cfg(unix)]
#[test]
#[allow(clippy::print_stderr, reason = "a long run says what it has seen")]
fn interrupts_end_the_prover() {
    if ignores_interrupts() {
        testing::skipped("SIGINT, which programs that a shell starts in the background ignore");
        return;
    }
    let asked = std::env::var("INTERRUPTS").ok().and_then(|n| n.parse().ok());
    let times: Vec<Duration> = (0..asked.unwrap_or(CASES)).filter_map(interrupted).collect();
    let longest = times.iter().max().copied().unwrap_or_default();
    eprintln!("{} runs were interrupted, and ended within {} ms", times.len(), longest.as_millis());
    assert!(
        2 * times.len() as u64 > asked.unwrap_or(CASES),
        "most of the programs take long: {}",
        times.len()
    );
    assert!(longest < if asked.is_some() { SECOND } else { PATIENCE }, "{longest:?}");
}
