//! Compiled calls: many in one program, each in a process and a folder of its own.

use super::{Call, Input, Look, Seen, text};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// How calls are compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Build {
    /// Each call is one of the library.
    Plain,
    /// The compiler may compute results itself.
    Optimised,
}

impl Build {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Build::Plain => &["-O0", "-fno-builtin"],
            Build::Optimised => &["-O2", "-fno-strict-aliasing"],
        }
    }
}

/// The observations of each of these calls; `None` for a call that does not return, or whose setup fails.
///
/// # Panics
/// If the compiler refuses them, or the program fails.
pub fn run(folder: &Path, name: &str, calls: &[&Call], build: Build) -> Vec<Option<Vec<(usize, Seen)>>> {
    let path = |suffix: &str| folder.join(format!("{name}{suffix}"));
    let (source, binary, scratch) = (path(".c"), path("-native"), path("-folders"));
    std::fs::write(&source, file(calls)).expect("a scratch file can be written");
    std::fs::create_dir_all(&scratch).expect("a scratch folder can be made");
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-w", "-frounding-math", "-pthread"]).args(build.flags());
    let made = cc.arg(&source).args(["-lm", "-ldl", "-o"]).arg(&binary).output();
    let made = made.expect("the C compiler can be started");
    let told = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{}: the compiler refuses it:\n{told}", source.display());
    let mut program = Command::new(&binary);
    program.arg(&scratch).env_clear().env("PATH", "/usr/bin:/bin");
    let output = program.output().expect("a compiled program can be started");
    assert!(output.status.success(), "{}: {:?}", source.display(), output.status);
    let told = String::from_utf8_lossy(&output.stdout);
    let seen = read(&told, calls);
    let _ = std::fs::remove_dir_all(&scratch);
    let _ = std::fs::remove_file(&binary);
    seen
}

/// The program's report, by calls.
fn read(told: &str, calls: &[&Call]) -> Vec<Option<Vec<(usize, Seen)>>> {
    let mut all = vec![None; calls.len()];
    let mut at = 0;
    let mut seen = vec![];
    for line in told.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words.get(at).and_then(|w| w.parse::<i64>().ok());
        match words[0] {
            "call" => (at, seen) = (number(1).map_or(0, |k| k as usize), vec![]),
            "done" => all[at] = Some(std::mem::take(&mut seen)).filter(|s: &Vec<_>| !s.is_empty()),
            kind => {
                let what = one(kind, &words[2..]).unwrap_or_else(|| panic!("the harness tells: {line}"));
                seen.push((number(1).map_or(0, |k| k as usize), what));
            }
        }
    }
    all
}

fn one(kind: &str, words: &[&str]) -> Option<Seen> {
    let numbers: Vec<i64> = words.iter().filter_map(|w| w.parse().ok()).collect();
    Some(match (kind, words) {
        (_, ["null"]) => Seen::Null,
        ("p", ["else"]) => Seen::Elsewhere,
        ("p", [_, _]) => Seen::At(usize::try_from(numbers[0]).ok()?, numbers[1]),
        ("i", [_]) => Seen::Int(numbers[0]),
        ("f", [number]) => Seen::Float((*number).to_owned()),
        ("t", _) => Seen::Text(numbers),
        _ => return None,
    })
}

fn file(calls: &[&Call]) -> String {
    let mut file = format!("{HARNESS}\n");
    let headers: BTreeSet<&String> = calls.iter().flat_map(|c| &c.headers).collect();
    for header in headers {
        let _ = writeln!(file, "#include <{header}>");
    }
    let globals: BTreeSet<&String> = calls.iter().flat_map(|c| &c.globals).collect();
    file.extend(globals.into_iter().map(String::as_str));
    let mut table = String::from("const struct law_call law_calls[] = {\n");
    for (k, call) in calls.iter().enumerate() {
        file += &function(k, call);
        let world = &call.world;
        let (input, length, stuck) = match &world.input {
            Input::Text(bytes) => (text::literal(bytes), bytes.len(), 0),
            Input::Stuck(bytes) => (text::literal(bytes), bytes.len(), 1),
            Input::Folder => ("0".to_owned(), 0, 0),
        };
        let (content, size) = (text::literal(&world.text), world.text.len());
        let (zone, full) = (text::literal(world.zone.as_bytes()), u8::from(world.output_is_full));
        let _ = writeln!(
            table,
            "    {{call_{k}, {input}, {length}, {stuck}, {content}, {size}, {zone}, {full}}},"
        );
    }
    let _ = writeln!(table, "}};\nconst int law_count = {};", calls.len());
    file + &table
}

fn function(k: usize, call: &Call) -> String {
    let mut text = format!("static int call_{k}(void) {{\n{}", call.setup);
    let _ =
        writeln!(text, "  law_left = {};\n{}  int law_errno = errno;", call.world.failing, call.statements);
    text.push_str("  law_left = 0;\n");
    let places: String =
        call.places.iter().map(|p| format!(", {}, {}L", p.base, p.size)).collect::<Vec<_>>().concat();
    for (at, look) in call.looks.iter().enumerate() {
        let _ = match look {
            Look::Int(e) | Look::Byte(e) => writeln!(text, "  law_int({at}, (long long)({e}));"),
            Look::Float(e) => writeln!(text, "  law_float({at}, (double)({e}));"),
            Look::Pointer(e) => writeln!(text, "  law_pointer({at}, {e}, {}{places});", call.places.len()),
            Look::Text(e) => writeln!(text, "  law_text({at}, {e});"),
        };
    }
    text + "  return 0;\n}\n"
}

const HARNESS: &str = include_str!("harness.c");
