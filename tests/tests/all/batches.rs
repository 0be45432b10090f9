//! `slam batch` on many machines: shards, what is put together from them, and results that are known already.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tests::{Run, binary};

/// A folder with small programs: safe, unsafe, safe by a header, not accepted.
fn programs() -> PathBuf {
    let head = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n";
    let body = |test: &str| {
        format!("{head}int main(void) {{ int x = __VERIFIER_nondet_int(); if ({test}) reach_error(); }}\n")
    };
    testing::file("src/a.c", body("x != x"));
    testing::file("src/b.c", body("x == 7"));
    testing::file("src/h.h", "#define LIMIT 5\n");
    testing::file("src/c.c", format!("#include \"h.h\"\n{}", body("LIMIT > 5")));
    testing::file("src/d.c", "int main(void) { return 1 }\n");
    testing::file("src/e.c", body("x > 3 && x < 3"));
    testing::folder().join("src")
}

fn batch(args: &[&str]) -> Run {
    binary("slam", &[&["batch"], args].concat())
}

/// The table without times: verdict and name of each task, and the verdict of all.
fn table(run: &Run) -> Vec<String> {
    let rows = run.stdout.lines().filter(|l| l.ends_with(".c") || l.starts_with("VERDICT"));
    let short = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first() {
            Some(&"VERDICT:") => line.to_owned(),
            first => format!("{} {}", first.unwrap_or(&""), words.last().unwrap_or(&"")),
        }
    };
    rows.map(short).collect()
}

#[test]
fn shards_make_the_table_of_the_whole() {
    let folder = programs();
    let folder = testing::text(&folder);
    let whole = batch(&[folder]);
    let file = |k: usize| testing::text(&testing::folder().join(format!("shard-{k}.jsonl"))).to_owned();
    for k in 1..=3 {
        let shard = batch(&["--shard", &format!("{k}/3"), "--out", &file(k), folder]);
        assert_eq!(table(&shard).len(), [2, 2, 1][k - 1] + 1, "{}", shard.stdout);
    }
    let all = testing::text(&testing::folder().join("all.jsonl")).to_owned();
    let merged = batch(&["merge", "--out", &all, &file(2), &file(3), &file(1)]);
    assert_eq!((table(&merged), merged.code, merged.stderr.as_str()), (table(&whole), whole.code, ""));
    let read = |path: &str| fs::read_to_string(path).expect("it was written");
    let tasks: Vec<String> = read(&all)
        .lines()
        .map(|l| serde_json::from_str::<Value>(l).expect("JSON")["task"].as_str().expect("a name").to_owned())
        .collect();
    let mut sorted = tasks.clone();
    sorted.sort();
    assert_eq!((tasks.len(), &tasks), (5, &sorted));

    // A shard that was killed goes on where it stopped; what is missing and what is there twice is said.
    let text = read(&file(1));
    let (first, _) = text.split_once('\n').expect("a line");
    let cut = testing::file("cut.jsonl", format!("{first}\n{{\"task\": \"x"));
    let partly = batch(&["merge", &cut, &file(2), &file(2)]);
    assert!(partly.stderr.contains("shard 1 of 3 has 1 of 2 tasks"), "{}", partly.stderr);
    assert!(partly.stderr.contains("shard 3 of 3 is missing: 1 tasks"), "{}", partly.stderr);
    let copy = testing::file("copy.jsonl", read(&file(2)));
    let twice = batch(&["merge", &file(1), &file(2), &file(3), &copy]);
    assert!(twice.stderr.contains("shard 2 of 3 is there more than once"), "{}", twice.stderr);
    assert_eq!(table(&twice), table(&whole));
    let again = batch(&["--shard", "1/3", "--out", &cut, folder]);
    assert!(again.stdout.contains("1 kept from before"), "{}", again.stdout);

    // Safe is said of nothing that is missing.
    let line = text.lines().find(|l| l.contains("\"verdict\":\"SAFE\"")).expect("a.c is safe");
    let safe = testing::file("safe.jsonl", format!("{line}\n"));
    let safe = batch(&["merge", &safe]);
    assert_eq!((safe.verdict(), safe.code), ("UNKNOWN(4 of 5 tasks missing)", 5));
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = programs();
    let folder = testing::text(&folder);
    for wrong in ["0/3", "4/3", "1", "a/b", "1/0"] {
        assert_eq!(batch(&["--shard", wrong, folder]).code, 1, "{wrong}");
    }
    let file = |name: &str| testing::text(&testing::folder().join(name)).to_owned();
    batch(&["--shard", "1/2", "--out", &file("one"), folder]);
    batch(&["--shard", "2/2", "--out", &file("two"), "--check", "overflow", folder]);
    batch(&["--out", &file("plain"), folder]);
    let empty = testing::file("empty", "");
    let binary_file = testing::file("bytes", [0xff, 0xfe, 0, b'\n']);
    let all: [(&[&str], &str); 6] = [
        (&[&file("one"), &file("two")], "another batch"),
        (&[&file("plain")], ":1:1: error: this result is of no shard"),
        (&[&empty], "no results"),
        (&[&binary_file], ":1:1: error: "),
        (&["no-such-file"], "no-such-file:1:1: error: "),
        (&[&testing::file("else", "{}\n")], ":1:1: error: this is no result of a batch"),
    ];
    for (files, message) in all {
        let run = batch(&[&["merge"], files].concat());
        assert_eq!((run.verdict(), run.code), ("ERROR(batch)", 2), "{files:?}");
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
    assert_eq!(batch(&["merge"]).code, 1);
}

/// The files below a folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let below = |p: PathBuf| fs::read_dir(p).expect("a folder").map(|e| e.expect("an entry").path());
    let mut all: Vec<PathBuf> = below(folder.to_owned()).flat_map(below).collect();
    all.sort();
    all
}

#[test]
fn known_results_are_taken() {
    let folder = programs();
    let folder = testing::text(&folder);
    let cache = testing::folder().join("cache");
    let with = |more: &[&str]| batch(&[&["--cache", testing::text(&cache)], more, &[folder]].concat());
    let kept = |run: &Run| run.stderr.lines().filter(|l| l.contains(" (kept)")).count();
    let first = with(&[]);
    // What is refused is read again each time.
    assert_eq!((kept(&first), entries(&cache).len()), (0, 4));
    let second = with(&[]);
    assert_eq!((kept(&second), table(&second), second.code), (4, table(&first), first.code));
    // Results for other programs come from there, too.
    let (sarif, again) = (testing::file("1.sarif", ""), testing::file("2.sarif", ""));
    with(&["--sarif", &again]);
    batch(&["--sarif", &sarif, folder]);
    let log = |path: &str| {
        let text = fs::read_to_string(path).expect("written");
        let log: Value = serde_json::from_str(&text).expect("JSON");
        log["runs"][0]["results"].clone()
    };
    assert_eq!(log(&sarif), log(&again));
    let into = testing::folder().join("into");
    let files = with(&["--keep", "json,trace", "--into", testing::text(&into)]);
    assert_eq!(kept(&files), 0, "the traces were not there");
    fs::remove_dir_all(&into).expect("it was made");
    let files = with(&["--keep", "json,trace", "--into", testing::text(&into)]);
    assert_eq!((kept(&files), entries(&into).len()), (4, 5 + 5));

    // Options, files and headers decide.
    assert_eq!(kept(&with(&["--check", "overflow"])), 0);
    testing::file("src/h.h", "#define LIMIT 6\n");
    let changed = with(&[]);
    assert_eq!(kept(&changed), 3);
    assert_eq!(changed.stdout.matches("UNSAFE(reach)  ").count(), 2, "{}", changed.stdout);

    // Entries that are not whole, or that somebody changed, are not taken.
    testing::file("src/h.h", "#define LIMIT 5\n");
    for (k, entry) in entries(&cache).into_iter().enumerate() {
        let text = fs::read_to_string(&entry).expect("it is there");
        let text = if k % 2 == 0 { text[..text.len() / 2].to_owned() } else { text.replace("SAFE", "SAVE") };
        fs::write(&entry, text).expect("it can be changed");
    }
    let mended = with(&[]);
    assert_eq!((kept(&mended), table(&mended)), (0, table(&first)));
    assert_eq!(mended.stderr.matches("is not taken: it was changed, or is not whole").count(), 4);
    assert_eq!(kept(&with(&[])), 4);
    let blocked = testing::file("blocked", "");
    assert_eq!(batch(&["--cache", &blocked, folder]).code, 7);
}
