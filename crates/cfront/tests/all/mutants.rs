//! Broken programs: the front end answers each of them, well-formed C-- or a located diagnostic, without a panic
//! and without end. The mutants are made from this crate's test programs and from the examples, by a generator
//! that depends on their number only. `CFRONT_MUTANTS` says how many are tried, `CFRONT_MUTANTS_FROM` where to
//! start, `CFRONT_MUTANTS_SEEDS` names another folder of programs, `CFRONT_MUTANTS_SECONDS` the time of one.

use cfront::Options;
use ir::DataModel;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;
use testing::{Mutator, Scratch, files_below, number};

/// A mutant that takes more seconds than this hangs (it should take milliseconds; machines that run tests are busy).
const HANG: u64 = 60;

/// Seeds larger than this are left out.
const MAX_SEED: usize = 100_000;

const MUTATOR: Mutator = Mutator {
    words: "int char long unsigned float double void struct union enum typedef static extern const volatile \
    _Bool __int128 sizeof _Alignof __alignof__ typeof __typeof__ _Generic _Static_assert __attribute__ asm goto break \
    continue return if else for while do switch case default ( ) [ ] { } ; , : ? . -> ... = == += ++ -- * & && || ! ~ \
    + - / % << >> < > # ## 0 1 -1 0x7fffffff 0xffffffffffffffff 9223372036854775807 99999999999999999999999 1.5 1e400 0x1p-1074 \
    'a' '\\xff' \"abc\" L\"x\" \"\\0\" main s x p a n __label__ __auto_type __extension__ _Alignas [[a]] (int[]) (void) \
    __builtin_va_arg __builtin_offsetof __builtin_types_compatible_p __builtin_choose_expr __thread $ é \\ @ ` ({ }) (*) [*] \
    reach_error __VERIFIER_nondet_int malloc free memcpy __attribute__((packed)) __attribute__((aligned(8))) : 3 1'0",
    around: &[("(", ")"), ("{", "}"), ("[", "]"), ("sizeof(", ")"), ("-", "")],
    quotes: &['"', '\''],
};

/// The seeds, preprocessed, with their names, in order.
fn seeds() -> Vec<(String, Vec<String>)> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![here.join("tests/programs"), here.join("../../examples")];
    if let Some(folder) = std::env::var_os("CFRONT_MUTANTS_SEEDS") {
        folders = vec![PathBuf::from(folder)];
    }
    let mut out = vec![];
    let is_c = |path: &PathBuf| path.extension().is_some_and(|e| e == "c" || e == "i");
    for path in files_below(&folders).into_iter().filter(is_c) {
        let text = Command::new("cc").args(["-E", "-P", "-w"]).arg(&path).output().expect("cc can be run");
        let text = String::from_utf8_lossy(&text.stdout).into_owned();
        if !text.trim().is_empty() && text.len() <= MAX_SEED {
            out.push((path.display().to_string(), MUTATOR.tokens(&text)));
        }
    }
    out
}

/// The error in the answer to a mutant, if there is one.
fn complaint(path: &Path, number: u64) -> Option<String> {
    let data_model = if number.is_multiple_of(3) { DataModel::Ilp32 } else { DataModel::Lp64 };
    let options = Options { data_model, ..Options::default() };
    let answer = catch_unwind(AssertUnwindSafe(|| match cfront::load(&[path.to_owned()], &options) {
        Ok(loaded) => ir::check::check(&loaded.program).first().map(|m| format!("ill-formed: {m}")),
        Err(failure) => {
            let located = failure.diagnostics.iter().all(|d| d.span.is_some() && !d.message.is_empty());
            let shown: String = failure.diagnostics.iter().map(|d| d.render(&failure.sources)).collect();
            (!located || shown.is_empty()).then(|| format!("no place: {shown}"))
        }
    }));
    answer.unwrap_or_else(|_| Some("a panic".to_owned()))
}

#[test]
#[allow(clippy::print_stderr, reason = "a long run says where it is")]
fn mutants_are_answered() {
    let count = number("CFRONT_MUTANTS", 400);
    let from = number("CFRONT_MUTANTS_FROM", 0);
    let hang = Duration::from_secs(number("CFRONT_MUTANTS_SECONDS", HANG));
    let (sender, receiver) = mpsc::channel();
    let run = move || {
        let seeds = seeds();
        let scratch = Scratch::new();
        for number in from..from + count {
            let (name, tokens) = &seeds[number as usize % seeds.len()];
            let text = MUTATOR.mutant(tokens, number);
            let path = scratch.file("mutant.i", &text);
            let _ = sender.send((number, name.clone(), text, None));
            if let Some(complaint) = complaint(&path, number) {
                let _ = sender.send((number, name.clone(), vec![], Some(complaint)));
            }
        }
    };
    std::thread::Builder::new().stack_size(1 << 30).spawn(run).expect("a thread can be started");
    let mut last = (String::new(), vec![]);
    let mut wrong = vec![];
    loop {
        match receiver.recv_timeout(hang) {
            Ok((number, name, text, None)) => last = (format!("mutant {number} of {name}"), text),
            Ok((_, _, _, Some(complaint))) => {
                let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutant-{}.i", wrong.len()));
                std::fs::write(&kept, &last.1).expect("the program can be kept");
                wrong.push(format!("{} ({}): {complaint}", last.0, kept.display()));
                eprintln!("{}", wrong[wrong.len() - 1]);
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutant-hangs.i");
                std::fs::write(&kept, &last.1).expect("the program can be kept");
                panic!("{} ({}) does not end", last.0, kept.display());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
