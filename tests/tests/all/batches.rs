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

    // More tasks at a time than the machine has processors are done, and said to be slower.
    let many = with(&["--jobs", "999"]);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    assert_eq!(many.stderr.contains("5 tasks at a time share "), processors < 5, "{}", many.stderr);
    assert_eq!(table(&many), table(&first), "each has enough memory");

    // Options, files and headers decide.
    assert_eq!(kept(&with(&["--check", "overflow"])), 0);
    testing::file("src/h.h", "#define LIMIT 6\n");
    let changed = with(&[]);
    assert_eq!(kept(&changed), 3, "{}{}", changed.stderr, changed.stdout);
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

/// What decides about a result is in its key: headers, options that a database gives, files with candidates.
#[cfg(unix)]
#[test]
fn results_are_kept_for_what_was_checked() {
    let folder = programs();
    let path = |name: &str| testing::text(&folder.join(name)).to_owned();
    let out = testing::text(&testing::folder().join("kept.jsonl")).to_owned();
    let cache = testing::text(&testing::folder().join("kept")).to_owned();
    let database = |option: &str| {
        let entry = |file: &str, option: &str| {
            format!(
                "{{\"directory\": \"{}\", \"file\": \"{file}\", \"arguments\": [\"cc\", {option} \"-c\", \"{file}\"]}}",
                folder.display()
            )
        };
        testing::file(
            "src/compile_commands.json",
            format!("[{}, {}]", entry("b.c", option), entry("c.c", "")),
        )
    };
    let given = testing::file("given.txt", "");
    let files = [path("b.c"), path("c.c")];
    let commands = database("");
    for (kept, option) in [("--out", &out), ("--cache", &cache)] {
        let run = || {
            let all = [option, "--compile-commands", &commands, "--invariants", &given, &files[0], &files[1]];
            let run = batch(&[&[kept], &all[..]].concat());
            run.stderr.lines().filter(|line| line.ends_with("(kept)")).count()
        };
        assert_eq!((run(), run()), (0, 2), "{kept}");
        testing::file("src/h.h", "#define LIMIT 4\n");
        assert_eq!((run(), run()), (1, 2), "{kept}: a header");
        database("\"-fwrapv\",");
        assert_eq!((run(), run()), (1, 2), "{kept}: an option of the database");
        testing::file("given.txt", "// nothing\n");
        assert_eq!((run(), run()), (0, 2), "{kept}: candidates");
        testing::file("src/h.h", "#define LIMIT 5\n");
        database("");
        testing::file("given.txt", "");
    }
    // Answers of the prover are written by the checks themselves.
    let (out, answers) = (testing::folder().join("more.jsonl"), testing::folder().join("answers"));
    let loops = testing::file(
        "loops.c",
        fs::read(tests::root().join("examples/spinlock_safe.c")).expect("an example"),
    );
    let run = || {
        let given = ["--tune", "without=induction,unrolling", "--query-cache", testing::text(&answers)];
        let run = batch(&[&["--out", testing::text(&out)], &given[..], &[&loops]].concat());
        run.stderr.matches("(kept)").count()
    };
    assert_eq!((run(), run(), run()), (0, 1, 1));
    assert!(answers.exists());
}

/// A file that is edited while it is checked has no result: the compiler that is found first changes the header when it is asked
/// for the second time, which is by the check.
#[cfg(unix)]
#[test]
fn what_is_edited_meanwhile_is_not_kept() {
    use std::os::unix::fs::PermissionsExt;
    let folder = programs();
    let tools = testing::folder().join("tools");
    let script = format!(
        "#!/bin/sh\nPATH=${{PATH#*:}} cc \"$@\"\nstatus=$?\necho x >> '{0}'\n\
         if [ \"$(wc -l < '{0}')\" = 2 ]; then echo '#define LIMIT 6' > '{1}'; fi\nexit $status\n",
        tools.join("asked").display(),
        folder.join("h.h").display(),
    );
    for (kept, at) in [("--out", "edited.jsonl"), ("--cache", "edited")] {
        testing::file("src/h.h", "#define LIMIT 5\n");
        testing::file("tools/asked", "");
        let cc = testing::file("tools/cc", &script);
        fs::set_permissions(&cc, fs::Permissions::from_mode(0o755)).expect("a tool");
        let at = testing::folder().join(at);
        let run = || {
            let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap_or_default());
            let mut command = std::process::Command::new(tests::program("slam"));
            command.args(["batch", "--jobs", "1", kept]).arg(&at).arg(folder.join("c.c"));
            let done = command.env("PATH", path).output().expect("it runs");
            String::from_utf8_lossy(&done.stderr).into_owned()
        };
        assert!(run().contains(": SAFE"), "{kept}: with the header as it was");
        let again = run();
        assert!(again.contains(": UNSAFE") && !again.contains("(kept)"), "{kept}: {again}");
        assert!(run().contains("(kept)"), "{kept}: nothing was edited any more");
    }
}

/// Folders with links that lead back, pipes, links in caches, results of shards that nobody wrote.
#[cfg(unix)]
#[test]
fn what_is_no_file_of_a_batch_is_left_alone() {
    use std::os::unix::fs::symlink;
    let folder = programs();
    for name in ["x", "y"] {
        symlink(".", folder.join(name)).expect("a link");
    }
    for name in ["p.c", "p.yml"] {
        let made = std::process::Command::new("mkfifo").arg(folder.join(name)).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo");
    }
    let cache = testing::folder().join("links");
    let all = ["--cache", testing::text(&cache), testing::text(&folder)];
    let first = batch(&all);
    assert_eq!(table(&first).len(), 6, "{}", first.stdout);

    // Entries that are links are not taken, and what they lead to stays.
    let target = testing::file("target", "mine");
    let kept = entries(&cache);
    assert!(!kept.is_empty());
    for entry in &kept {
        fs::remove_file(entry).expect("an entry");
        symlink(&target, entry).expect("a link");
    }
    let again = batch(&all);
    assert_eq!(table(&again), table(&first));
    assert!(again.stderr.contains("it is no regular file"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(&target).expect("it is there"), "mine");

    // Lines of results that cannot be.
    let out = testing::text(&testing::folder().join("shard.jsonl")).to_owned();
    batch(&["--shard", "1/2", "--out", &out, testing::text(&folder.join("a.c"))]);
    let line = fs::read_to_string(&out).expect("a result");
    for (from, to) in [
        ("\"tasks\":1", "\"tasks\":18446744073709551615"),
        ("\"tasks\":1", "\"tasks\":1000000000000"),
        ("\"shards\":2", "\"shards\":1000000000000"),
        ("VERDICT: SAFE", "VERDICT: hello"),
        ("VERDICT: SAFE", "VERDICT: SAFE\\nVERDICT: UNSAFE(reach)"),
        ("\"exit_code\":0", "\"exit_code\":10"),
    ] {
        assert!(line.contains(from), "{line}");
        let run = batch(&["merge", &testing::file("forged.jsonl", line.replacen(from, to, 1))]);
        assert_eq!((run.verdict(), run.code), ("ERROR(batch)", 2), "{to}: {}{}", run.stdout, run.stderr);
    }
    let many = testing::file("many.jsonl", line.replacen("\"tasks\":1", "\"tasks\":999999", 1));
    assert_eq!(batch(&["merge", &many]).verdict(), "UNKNOWN(999998 of 999999 tasks missing)");
}
