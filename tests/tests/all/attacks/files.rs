//! Files beside the program that somebody changed: shards, entries of caches, witnesses, databases of compile commands, answers of
//! the prover. Whatever they say, a run ends with a verdict in time, and the verdict is right.

use super::cases;
use std::fs;
use testing::{Dice, folder, text};
use tests::binary;

/// What is put into files that had no such text.
const WORDS: [&str; 14] = [
    "99999999999999999999",
    "-1",
    "null",
    "\"",
    "{",
    "]",
    "\\u0000",
    "\0",
    "\u{202e}",
    "VERDICT: SAFE\n",
    "true",
    "../../../../etc/passwd",
    "[[[[[[[[[[[[[[[[",
    "1e999",
];

/// The bytes with one to three changes: something is left out, is there twice, is put in or is another byte.
fn changed(dice: &mut Dice, bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..=dice.below(3) {
        if out.is_empty() {
            break;
        }
        let at = dice.below(out.len());
        let end = (at + 1 + dice.below(12)).min(out.len());
        match dice.below(4) {
            0 => _ = out.drain(at..end),
            1 => {
                let again = out[at..end].to_vec();
                out.splice(at..at, again);
            }
            2 => {
                let word = dice.of(&WORDS).bytes().collect::<Vec<u8>>();
                out.splice(at..end, word);
            }
            _ => out[at] = dice.below(256) as u8,
        }
    }
    out
}

/// A file, and the command that reads it.
struct Given {
    /// Its path below the folder of this test.
    name: String,
    words: Vec<String>,
    /// The program is safe.
    is_safe: bool,
    /// The command may say that it is, or confirm a proof of it.
    may_be_shown: bool,
}

#[test]
fn changed_files_deceive_nobody() {
    let dir = folder();
    let head = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n";
    let body = |bound: u32| {
        format!(
            "{head}int main(void) {{ int n = 0, x = __VERIFIER_nondet_int(); while (n < 9) {{ n++; if (x > 5) n++; }}\n\
             if (n > {bound}) reach_error(); return 0; }}\n"
        )
    };
    let safe = testing::file("files/safe.c", body(10));
    let broken = testing::file("files/broken.c", body(8));
    let path = |name: &str| text(&dir.join("files").join(name)).to_owned();
    let words = |all: &[&str]| -> Vec<String> { all.iter().map(|w| (*w).to_owned()).collect() };
    let read = |name: &str| fs::read(dir.join("files").join(name)).expect("it was written");
    let limit = ["--time-limit", "20s"];
    let slam = |all: &[&str]| binary("slam", all);

    slam(&["batch", "--shard", "1/1", "--out", &path("shard"), &broken]);
    slam(&["batch", "--cache", &path("cache"), &broken]);
    let entry = walk(&dir.join("files/cache"));
    for (program, witness) in [(&safe, "safe.yml"), (&broken, "broken.yml")] {
        slam(&["check", "--tune", "without=induction", "--write-witness", &path(witness), program]);
    }
    let commands = format!(
        "[{{\"directory\": \"{0}\", \"file\": \"broken.c\", \"arguments\": [\"cc\", \"-DA=1\", \"-I\", \"inc\", \"-m32\", \"-c\", \"broken.c\"]}}]",
        dir.join("files").display()
    );
    let answers = ["--query-cache", &path("answers"), "--tune", "without=induction,unrolling,executions"];
    slam(&[&["check"], &limit[..], &answers, &[&broken]].concat());

    let given = |name: &str, words: Vec<String>, is_safe, may_be_shown| Given {
        name: name.to_owned(),
        words,
        is_safe,
        may_be_shown,
    };
    let validate = |program: &str, witness: &str| {
        words(&["check", "--time-limit", "20s", program, "--validate-witness", &path(witness)])
    };
    let mut search = words(&["check", "--time-limit", "20s", &broken]);
    search.extend(words(&answers));
    testing::file("files/commands.json", commands);
    let entry = text(entry.strip_prefix(dir.join("files")).expect("it is below")).to_owned();
    let all = [
        given("shard", words(&["batch", "merge", &path("shard")]), false, false),
        given("safe.yml", validate(&broken, "safe.yml"), false, false),
        given("broken.yml", validate(&safe, "broken.yml"), true, false),
        given("safe.yml", validate(&safe, "safe.yml"), true, true),
        given(
            "commands.json",
            words(&["check", "--time-limit", "20s", &broken, "--compile-commands", &path("commands.json")]),
            false,
            false,
        ),
        given("answers", search, false, false),
        given(&entry, words(&["batch", "--cache", &path("cache"), &broken]), false, false),
    ];
    let whole: Vec<Vec<u8>> = all.iter().map(|one| read(&one.name)).collect();
    for case in 0..cases() {
        let mut dice = Dice::new(case);
        let n = case as usize % all.len();
        let (one, file) = (&all[n], dir.join("files").join(&all[n].name));
        let bytes = changed(&mut dice, &whole[n]);
        fs::write(&file, &bytes).expect("it can be changed");
        let line: Vec<&str> = one.words.iter().map(String::as_str).collect();
        let run = binary("slam", &line);
        let shown = || {
            let changed = String::from_utf8_lossy(&bytes);
            format!("case {case}: slam {line:?}\n{}{}\n{changed}", run.stdout, run.stderr)
        };
        assert!([0, 1, 2, 5, 10].contains(&run.code) && !run.stderr.contains("panicked"), "{}", shown());
        assert!(run.code == 1 || run.verdict_lines() == 1, "{}", shown());
        assert!(one.may_be_shown || run.code != 0, "{}", shown());
        assert!(!one.is_safe || !run.verdict().starts_with("UNSAFE"), "{}", shown());
        fs::write(&file, &whole[n]).expect("it can be mended");
    }
}

/// The only file below a folder.
fn walk(folder: &std::path::Path) -> std::path::PathBuf {
    let mut at = folder.to_owned();
    while at.is_dir() {
        at = fs::read_dir(&at).expect("a folder").next().expect("something in it").expect("an entry").path();
    }
    at
}
