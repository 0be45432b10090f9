//! Pages of results that are written down here.

use super::*;
use cli::children::Scratch;
use results::Tool;
use results::check::{Answer, Line, Value};
use results::history::{Found, Iteration, Reachability, Refinement};
use results::unknown::Explanation;

/// A result about a file with this text, with an execution through its first line.
fn result(file: &str, text: &str, sha256: &str) -> Outcome {
    let own = String::from;
    let at = || Location { file: own(file), line: 1, column: 1, end_line: 1, end_column: 2 };
    let line = |depth, value: &str| Line {
        at: at(),
        function: own("main"),
        depth,
        text: own(text),
        branch: Some(true),
        values: vec![Value { name: own("x"), value: value.into() }],
        ..Line::default()
    };
    let place = format!("{file}:1");
    let found = Found {
        predicate: own(text),
        scope: own("main"),
        refiner: own("wp"),
        step: own(text),
        place: place.clone(),
    };
    let newton = Refinement { answer: Some(own(text)), new: vec![found], ms: 7, ..Refinement::default() };
    let iteration = Iteration {
        iteration: 1,
        predicates: 2,
        bebop: Some(Reachability { steps: Some(3), vertices: None, bdd_nodes: 4, ms: 5 }),
        newton: Some(newton),
        path: Some(own(text)),
        ..Iteration::default()
    };
    let check = Check {
        place: place.clone(),
        at: at(),
        kind: own("reach"),
        message: own(text),
        verdict: Some(Answer::Unsafe),
        ..Check::default()
    };
    Outcome {
        verdict: Verdict::Unsafe,
        verdict_line: format!("VERDICT: UNSAFE(reach) at {place}"),
        place: Some(Some(place)),
        message: Some(own(text)),
        tool: Tool { name: own("slam"), version: own("1") },
        files: Some(vec![results::File { name: own(file), sha256: own(sha256) }]),
        checks: Some(vec![check]),
        inputs: Some(vec![Input { input: own(text), value: own(text) }]),
        trace: Some(vec![line(1, "0"), line(2, "0"), line(1, "1")]),
        history: vec![iteration],
        ..Outcome::default()
    }
}

/// Whatever stands in the program is text on the page: it ends no script, adds no element, and turns no direction.
#[test]
fn text_stays_text() {
    let scratch = Scratch::new("html").expect("a folder");
    let file = scratch.path().join("a\"b<i>.c").display().to_string();
    let nasty =
        "</script><script>alert(1)</script><img src=x onerror=alert(2)> \" ' & \u{202e}txet \u{1b}[31m \u{0}";
    std::fs::write(&file, nasty).expect("written");
    let page = page(&result(&file, nasty, ""));
    assert_eq!(page.matches("<script>").count(), 1);
    assert_eq!(page.matches("</script>").count(), 1);
    for forbidden in ["<img", "onerror=alert(2)>", "\u{202e}", "\u{1b}", "\u{0}", "<i>"] {
        assert!(!page.contains(forbidden), "{forbidden:?}");
    }
    assert!(page.contains("\u{27e8}U+202E\u{27e9}txet"));
}

/// A path that no execution follows is shown as what it is, with what is said of its steps.
#[test]
fn a_suspected_path_is_no_execution() {
    let mut result = result("no/such.c", "x = 1", "");
    let mut path = result.trace.take().unwrap_or_default();
    path[2].notes = vec!["the execution goes on differently".into()];
    result.verdict = Verdict::Unknown;
    result.explanation = Some(Explanation { suspected: Some(path), ..Explanation::default() });
    let page = page(&result);
    assert!(page.contains("The path that is suspected, and not confirmed"));
    assert!(!page.contains("The execution that fails the check"));
    assert_eq!(page.matches("the execution goes on differently").count(), 1);
    assert_eq!(page.matches("<li id=\"s").count(), 3);
}

/// The page asks for nothing: no address but those of its own places, and a policy that forbids all others.
#[test]
fn a_page_needs_nothing_else() {
    let page = page(&result("no/such.c", "x = 1", ""));
    for address in ["http:", "https:", "//", "url(", "@import", " src="] {
        let lines: Vec<&str> = page.lines().filter(|l| l.contains(address)).collect();
        let comments = lines.iter().all(|l| address == "//" && l.trim_start().starts_with("// "));
        assert!(comments, "{address}: {lines:?}");
    }
    assert!(page.contains("default-src 'none'"));
    let targets: Vec<&str> =
        page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(targets.iter().all(|t| t.starts_with('#')), "{targets:?}");
}

/// Every link leads to something that is there.
#[test]
fn links_lead_somewhere() {
    let scratch = Scratch::new("html").expect("a folder");
    let file = scratch.path().join("a.c").display().to_string();
    std::fs::write(&file, "int x;\n").expect("written");
    let page = page(&result(&file, "x = 1", &crate::content::sha256(b"int x;\n")));
    for target in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(page.contains(&format!("id=\"{target}\"")), "{target}");
    }
    assert!(!page.contains("has changed since"));
}

#[test]
fn changed_values_and_calls_are_told_apart() {
    let result = result("a.c", "f()", "");
    let steps = steps::steps(&result, &Anchors::of(&Outcome::default()));
    let told: Vec<(bool, bool, usize)> = steps.iter().map(|s| (s.opens, s.values[0].1, s.indent)).collect();
    assert_eq!(told, [(true, true, 0), (false, false, 1), (false, true, 0)]);
}

/// A file that is another one now is said to be, and so is one that is not there.
#[test]
fn files_that_changed_are_not_passed_off() {
    let scratch = Scratch::new("html").expect("a folder");
    let file = scratch.path().join("a.c").display().to_string();
    assert!(page(&result(&file, "x", "")).contains("is not there"));
    std::fs::write(&file, "int x;\n").expect("written");
    assert!(page(&result(&file, "x", "0123")).contains("has changed since"));
}

/// A driver of 2,000 lines with a check on each and an execution of 2,000 steps makes a page that loads at once.
#[test]
fn pages_stay_small() {
    let scratch = Scratch::new("html").expect("a folder");
    let file = scratch.path().join("driver.c").display().to_string();
    let text =
        "    if (device->state != STARTED && device->queue.count > 0) return STATUS_BUSY;\n".repeat(2000);
    std::fs::write(&file, &text).expect("written");
    let mut result = result(&file, "x = y + 1", "");
    let line = result.trace.iter().flatten().next().cloned().expect("it has an execution");
    result.trace = Some(vec![line; 2000]);
    let mut checks = vec![result.checks()[0].clone(); 2000];
    checks.iter_mut().zip(1..).for_each(|(check, n)| check.at.line = n);
    result.checks = Some(checks);
    let size = page(&result).len();
    assert!(size < 5 << 20, "{size}");
}
