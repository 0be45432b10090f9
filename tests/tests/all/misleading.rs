//! Programs written to mislead the checker, each idea as a safe and a broken twin (`tests/misleading/`, by kind). The
//! manifest has the options, the truth, and whether an answer is required: `yes` where it was given at once when
//! the row was written, `open` where there is none. No answer is ever wrong, and one that is right makes its row required.

use tests::{parallel, root, slam};

/// A line of the manifest.
struct Row {
    file: String,
    options: Vec<String>,
    safe: bool,
    required: bool,
}

fn rows() -> Vec<Row> {
    let text =
        std::fs::read_to_string(root().join("tests/misleading/manifest.tsv")).expect("the manifest is there");
    let row = |line: &str| {
        let [file, options, truth, answer] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four columns: {line}");
        };
        assert!(matches!(truth, "safe" | "unsafe") && matches!(answer, "yes" | "open"), "{line}");
        Row {
            file: file.to_owned(),
            options: options.split_whitespace().map(str::to_owned).collect(),
            safe: truth == "safe",
            required: answer == "yes",
        }
    };
    text.lines().skip(1).map(row).collect()
}

/// What is wrong with the answer about the program, if anything.
fn complaint(row: &Row) -> Option<String> {
    let path = format!("tests/misleading/{}", row.file);
    // Those that are open keep no one waiting.
    let limit = if row.required { "20" } else { "4" };
    let mut args = vec!["check", "--time-limit", limit];
    args.extend(row.options.iter().map(String::as_str));
    args.push(&path);
    let run = slam(&args);
    let verdict = run.verdict();
    match (verdict.starts_with("SAFE"), verdict.starts_with("UNSAFE")) {
        (safe, error) if safe != row.safe && (safe || error) => Some(format!("wrong: {path}: {verdict}")),
        (false, false) if row.required => Some(format!("no answer any more: {path}: {verdict}")),
        (true, _) | (_, true) if !row.required => {
            Some(format!("answered, which its row has to require: {path}: {verdict}"))
        }
        _ => None,
    }
}

#[test]
fn nobody_is_misled() {
    let (required, open): (Vec<Row>, Vec<Row>) = rows().into_iter().partition(|row| row.required);
    assert!(300 < required.len(), "the manifest lists the programs");
    let rows: Vec<Row> = required.into_iter().chain(testing::sample(open, 9)).collect();
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let complaints = parallel(threads, rows.len(), |at| complaint(&rows[at]));
    let complaints: Vec<String> = complaints.into_iter().flatten().collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
