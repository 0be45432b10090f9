//! Broken input of every kind, handed to the tools as a user hands it over: each ends by itself, soon, with an exit code
//! that is documented, and without an internal error.
//!
//! A run takes a text that is fine (a C program, a boolean program, a Zing program, a rule, predicates, a result, a
//! witness, a database of compile commands), makes one to four changes that depend on the number of the run alone, and
//! starts the tool that reads it with options that depend on the number as well. `MUTANT_RUNS` says how many runs there
//! are, `MUTANT_FIRST` which is the first.

use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use testing::{Dice, Mutator, files_below, folder, number, text};
use tests::{parallel, program, root};

/// Runs without a word in the environment.
const RUNS: u64 = 80;

/// The limit of a run, in seconds, and when it hangs: machines that run tests are busy.
const LIMIT: u64 = 2;
const HANG: Duration = Duration::from_secs(60);

const JSON: Mutator = Mutator {
    words: "null true false 0 1 -1 1e999 18446744073709551616 \"\" \"x\" \"..\" \"/etc/passwd\" \"\\u202e\" \"\\ud800\" [] {} [ ] { } : ,",
    around: &[("[", "]"), ("{\"a\":", "}")],
    quotes: &['"'],
};

const YAML: Mutator = Mutator {
    words: "- : ? | > & * ! % @ null true ~ 0 -1 99999999999999999999 [] {} \"x\" x==0 \\result line: type: value: \
            loop_invariant assumption branching target function_enter",
    around: &[("[", "]"), ("{", "}"), ("\"", "\""), ("(", ")")],
    quotes: &['"'],
};

const C: Mutator = Mutator {
    words: "int char unsigned long float void struct union static const _Bool sizeof goto break continue return if else \
            for while switch case ( ) [ ] { } ; , : ? . -> = == += ++ -- * & && || ! ~ - / % << >> < 0 1 -1 2147483647 \
            0xffffffffffffffff 1.5 'a' \"abc\" main x malloc(4) free(p) reach_error() __VERIFIER_nondet_int() assert(x)",
    around: &[("(", ")"), ("{", "}"), ("sizeof(", ")"), ("-", ""), ("*", ""), ("&", "")],
    quotes: &['"', '\''],
};

const BP: Mutator = Mutator {
    words: "decl void bool begin end if then else fi while do od goto assume assert return skip call enforce constrain \
            abortif schoose [ ] ( ) ; : , := ' * ? ! & | ^ = => T F 0 1 main L1: start_thread end_thread atomic_begin \
            atomic_end sync",
    around: &[("(", ")"), ("{", "}"), ("!", ""), ("if * then ", " fi")],
    quotes: &[],
};

const ZING: Mutator = Mutator {
    words: "class void bool int static new async choose atomic assert assume return while if else null this . = == != && || ! \
            ( ) { } [ ] ; , < > 0 1 x main Main",
    around: &[("(", ")"), ("{", "}"), ("!", "")],
    quotes: &[],
};

const SLIC: Mutator = Mutator {
    words: "state enum int { } ( ) ; , . = == != if else abort halt error entry exit return watch $1 $2 $return $int \
            0 1 -1 \"x\" * ! && || < >",
    around: &[("(", ")"), ("{", "}"), ("!", "")],
    quotes: &['"'],
};

/// One kind of input.
struct Kind {
    name: &'static str,
    mutator: Mutator,
    /// Name, text, and what is checked with it.
    seeds: Vec<(String, String, String)>,
    /// The tool and its arguments for a broken text.
    command: fn(&mut Dice, broken: &str, with: &str) -> (&'static str, Vec<String>),
    extension: &'static str,
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Options of `slam check` that make it do different things.
fn options(dice: &mut Dice) -> String {
    let all = [
        "",
        "--check all",
        "--check all --keep-going",
        "--data-model ILP32",
        "--tune integers=bits",
        "--certify",
        "--check all --certify --data-model ILP32",
        "--tune without=executions,unrolling,induction,max-iterations=3",
    ];
    (*dice.of(&all)).to_owned()
}

/// The files below folders of the project with one of these extensions, of a size that leaves time for the rest.
fn seeds(folders: &[&str], extension: &str) -> Vec<(String, String, String)> {
    let folders: Vec<PathBuf> = folders.iter().map(|f| root().join(f)).collect();
    let files = files_below(&folders).into_iter().filter(|p| p.extension().is_some_and(|e| e == extension));
    let named = |path: PathBuf| {
        let contents = fs::read_to_string(&path).ok().filter(|t| t.len() < 20_000)?;
        Some((path.display().to_string(), contents, String::new()))
    };
    files.filter_map(named).collect()
}

/// What `slam check` writes about some examples with an option, beside the example.
fn written(option: &str, examples: &[&str]) -> Vec<(String, String, String)> {
    let one = |example: &&str| {
        let path = folder().join(format!("{}{option}", example.replace('/', "_")));
        let example = text(&root().join("examples").join(example)).to_owned();
        let mut command = Command::new(program("slam"));
        command.args(["check", "-q", "--certify", option, text(&path), &example]);
        command.current_dir(root()).output().expect("the checker runs");
        (example.clone(), fs::read_to_string(&path).expect("it was written"), example)
    };
    examples.iter().map(one).collect()
}

const EXAMPLES: [&str; 6] = [
    "spinlock_safe.c",
    "spinlock_unsafe.c",
    "slide14.c",
    "loop_gap_safe.c",
    "recursion_unsafe.c",
    "checks/overlap_unsafe.c",
];

/// The arguments of a run: limits, the other words of its command line, and the broken text, as the value of the last word
/// or as a file, before the file that it is used with.
fn limited(line: &str, files: &[&str]) -> Vec<String> {
    let limits = format!("--time-limit {LIMIT}s --memory-limit 1GB");
    // A subcommand comes first.
    let (first, others) = line.split_once(' ').unwrap_or((line, ""));
    let (command, options) = if first.starts_with('-') { ("", line) } else { (first, others) };
    let mut out = words(&format!("{command} {limits} {options}"));
    out.extend(files.iter().map(|&file| file.to_owned()));
    out
}

fn kinds() -> Vec<Kind> {
    vec![programs(), boolean(), zing(), rules(), predicates(), results(), witnesses(), databases()]
}

/// A program that other texts are used with.
fn spinlock() -> String {
    text(&root().join("examples/spinlock_safe.c")).to_owned()
}

/// The same texts with what each is used with, which its name decides.
fn with(
    mut seeds: Vec<(String, String, String)>,
    with: impl Fn(&str) -> String,
) -> Vec<(String, String, String)> {
    for (name, _, beside) in &mut seeds {
        *beside = with(name);
    }
    seeds
}

fn programs() -> Kind {
    Kind {
        name: "C program",
        mutator: C,
        seeds: seeds(&["examples"], "c"),
        command: |dice, broken, _| ("slam", limited(&format!("check {}", options(dice)), &[broken])),
        extension: "c",
    }
}

fn boolean() -> Kind {
    Kind {
        name: "boolean program",
        mutator: BP,
        seeds: seeds(&["examples", "tests/golden"], "bp"),
        command: |dice, broken, _| (*dice.of(&["bebop", "getafix"]), limited("", &[broken])),
        extension: "bp",
    }
}

fn zing() -> Kind {
    Kind {
        name: "Zing program",
        mutator: ZING,
        seeds: seeds(&["examples"], "zn"),
        command: |_, broken, _| ("zing", limited("", &[broken])),
        extension: "zn",
    }
}

fn rules() -> Kind {
    let example = |name: &str| {
        let rule = Path::new(name).strip_prefix(root().join("rules")).expect("below it").with_extension("");
        let example = root().join("examples/rules").join(format!("{}_unsafe.c", rule.display()));
        if example.is_file() { text(&example).to_owned() } else { spinlock() }
    };
    Kind {
        name: "rule",
        mutator: SLIC,
        seeds: with(seeds(&["rules"], "slic"), example),
        command: |dice, broken, with| {
            ("slam", limited(&format!("check {} --rule", options(dice)), &[broken, with]))
        },
        extension: "slic",
    }
}

fn predicates() -> Kind {
    Kind {
        name: "list of predicates",
        mutator: C,
        seeds: with(seeds(&["examples"], "preds"), |name| {
            text(&Path::new(name).with_extension("c")).to_owned()
        }),
        command: |dice, broken, with| match dice.below(2) {
            0 => ("c2bp", limited("--predicates", &[broken, with])),
            _ => ("slam", limited(&format!("check {} --predicates", options(dice)), &[broken, with])),
        },
        extension: "preds",
    }
}

fn results() -> Kind {
    Kind {
        name: "result",
        mutator: JSON,
        seeds: written("--json", &EXAMPLES),
        command: |dice, broken, with| match dice.below(3) {
            0 => ("slam", vec!["replay".into(), with.into(), broken.into()]),
            1 => ("slam", vec!["report".into(), broken.into(), "-o".into(), format!("{broken}.html")]),
            _ => ("slam", limited("certify", &[with, broken])),
        },
        extension: "json",
    }
}

fn witnesses() -> Kind {
    Kind {
        name: "witness",
        mutator: YAML,
        seeds: written("--write-witness", &EXAMPLES),
        command: |dice, broken, with| {
            ("slam", limited(&format!("check {} --validate-witness", options(dice)), &[broken, with]))
        },
        extension: "yml",
    }
}

fn databases() -> Kind {
    let database = json!([{ "directory": text(&root()), "file": "examples/spinlock_safe.c",
        "arguments": ["cc", "-Iexamples", "-DX=1", "-c", "examples/spinlock_safe.c", "-o", "x.o"] }]);
    Kind {
        name: "database of compile commands",
        mutator: JSON,
        seeds: vec![("database".into(), format!("{database:#}"), spinlock())],
        command: |_, broken, with| ("slam", limited("check --compile-commands", &[broken, with])),
        extension: "json",
    }
}

/// The exit codes that say something about the input: safe, usage, refused, unknown, unsafe.
const CODES: [i32; 5] = [0, 1, 2, 5, 10];

/// A certificate that does not hold.
const REFUTED: i32 = 6;

/// What is wrong with a run.
fn complaint(kinds: &[Kind], number: u64) -> Option<String> {
    let kind = &kinds[(number % kinds.len() as u64) as usize];
    let (name, good, with) = &kind.seeds[(number / kinds.len() as u64) as usize % kind.seeds.len()];
    let broken = kind.mutator.mutant(&kind.mutator.tokens(good), number);
    let file = folder().join(format!("mutant{number}.{}", kind.extension));
    fs::write(&file, &broken).expect("it can be written");
    let (tool, arguments) = (kind.command)(&mut Dice::new(number ^ 0x5eed), text(&file), with);
    let started = Instant::now();
    let mut command = Command::new(program(tool));
    command.args(&arguments).current_dir(folder()).stdin(Stdio::null());
    let output = file.with_extension("out");
    let stdout = fs::File::create(&output).expect("a scratch file");
    let errors = file.with_extension("err");
    let stderr = fs::File::create(&errors).expect("a scratch file");
    let mut child = command.stdout(stdout).stderr(stderr).spawn().expect("the tool runs");
    let status = loop {
        match child.try_wait().expect("it can be waited for") {
            Some(status) => break Some(status),
            None if started.elapsed() > HANG => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let said = fs::read(&errors).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let code = status.and_then(|status| status.code());
    let is_known = code.is_some_and(|c| CODES.contains(&c) || (c == REFUTED && kind.name == "result"));
    let wrong = match code {
        None if status.is_none() => Some("does not end".to_owned()),
        None => Some(format!("ended with {status:?}")),
        Some(_) if said.contains("internal error") || said.contains("panicked") => {
            Some(said.trim().to_owned())
        }
        Some(code) if !is_known => Some(format!("exit code {code}: {}", said.trim())),
        Some(_) => None,
    };
    let kept = wrong.is_some().then(|| {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file.file_name().expect("a name"));
        fs::write(&kept, &broken).expect("it can be kept");
        kept
    });
    for file in [&file, &output, &errors] {
        let _ = fs::remove_file(file);
    }
    let shown = arguments.join(" ").replace(text(&file), text(kept.as_deref()?));
    wrong.map(|wrong| format!("run {number} ({} of {name})\n  {tool} {shown}\n  {wrong}", kind.name))
}

#[test]
fn broken_input_is_answered() {
    let (runs, first) = (number("MUTANT_RUNS", RUNS), number("MUTANT_FIRST", 0));
    let kinds = kinds();
    for kind in &kinds {
        assert!(!kind.seeds.is_empty(), "texts of a {}", kind.name);
    }
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let complaints = parallel(workers, runs as usize, |k| complaint(&kinds, first + k as u64));
    let complaints: Vec<String> = complaints.into_iter().flatten().collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
