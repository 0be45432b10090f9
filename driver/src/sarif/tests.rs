//! Logs of results that are written down here.

use super::*;
use results::Severity;
use results::check::Value as Seen;

fn at(file: &str, line: u32, column: u32, end_column: u32) -> Location {
    Location { file: file.into(), line, column, end_line: line, end_column }
}

fn line(n: u32, depth: usize, text: &str) -> Line {
    Line {
        at: at("no such.c", n, 5, 9),
        function: "main".into(),
        depth,
        text: text.into(),
        ..Line::default()
    }
}

fn check(kind: &str, message: &str, at: Location, function: &str, verdict: Option<Answer>) -> Check {
    let (kind, message, function) = (kind.into(), message.into(), function.into());
    Check { kind, message, at, function, verdict, ..Check::default() }
}

fn result() -> results::Outcome {
    let values = vec![Seen { name: "y".into(), value: "0".into() }];
    let last = Line { error: true, values, ..line(9, 2, "x = 1 / y") };
    let null = "dereference of NULL: p";
    results::Outcome {
        verdict: Verdict::Unsafe,
        verdict_line: "VERDICT: UNSAFE(div0) at no such.c:9".into(),
        message: Some("division by zero".into()),
        inputs: Some(vec![Input { input: "f() at no such.c:3".into(), value: "0".into() }]),
        location: Some(at("no such.c", 9, 5, 14)),
        trace: Some(vec![line(3, 1, "y = f()"), last]),
        checks: Some(vec![
            Check {
                condition: Some("y != 0".into()),
                ..check("div0", "division by zero", at("no such.c", 9, 9, 14), "main", Some(Answer::Unsafe))
            },
            check("null", null, at("/usr/include/a.h", 2, 1, 3), "g", Some(Answer::Safe)),
            check("null", null, at("no such.c", 12, 1, 3), "g", None),
        ]),
        ..results::Outcome::default()
    }
}

#[test]
fn each_check_has_a_result() {
    let log = log(&[Outcome::Result(&result())], 10, Path::new("/home/a b"));
    let run = &log["runs"][0];
    assert_eq!(run["originalUriBaseIds"]["SRCROOT"]["uri"], "file:///home/a%20b/");
    let all: Vec<_> = run["results"].as_array().into_iter().flatten().collect();
    let of = |field: &str| all.iter().map(|r| r[field].clone()).collect::<Vec<_>>();
    assert_eq!(of("kind"), ["fail", "pass", "open"]);
    assert_eq!(of("level"), ["error", "none", "none"]);
    let uri = |n: usize| all[n].pointer("/locations/0/physicalLocation/artifactLocation").cloned();
    assert_eq!(uri(0), Some(json!({ "uri": "no%20such.c", "uriBaseId": "SRCROOT" })));
    assert_eq!(uri(1), Some(json!({ "uri": "file:///usr/include/a.h" })));
    assert_eq!(all[0]["message"]["text"], "division by zero (inputs: f() at no such.c:3: 0)");
    let steps = all[0].pointer("/codeFlows/0/threadFlows/0/locations").cloned().unwrap_or_default();
    assert_eq!(steps[0]["nestingLevel"], 0);
    assert_eq!(
        (&steps[1]["nestingLevel"], &steps[1]["importance"], &steps[1]["state"]["y"]["text"]),
        (&json!(1), &json!("essential"), &json!("0"))
    );
    let rule = |n: usize| all[n]["ruleIndex"].as_u64().map(|k| &run["tool"]["driver"]["rules"][k as usize]);
    assert_eq!(rule(1).map(|r| &r["properties"]["tags"][0]), Some(&json!("external/cwe/cwe-476")));
}

/// What a finding is known by does not change with the lines above it, and two findings never have the same.
#[test]
fn fingerprints_stay_where_lines_move() {
    let scratch = cli::children::Scratch::new("sarif").expect("a folder");
    let prints = |text: &str, first: u32| {
        std::fs::write(scratch.path().join("a.c"), text).expect("written");
        let check = |n| check("null", "m", at("a.c", first + n, 1, 2), "f", Some(Answer::Safe));
        let checks = Some(vec![check(0), check(1), check(2)]);
        let result = results::Outcome { verdict: Verdict::Safe, checks, ..results::Outcome::default() };
        let log = log(&[Outcome::Result(&result)], 0, scratch.path());
        let results = log["runs"][0]["results"].as_array().cloned().unwrap_or_default();
        let print = |r: &Value| r["partialFingerprints"]["slamCheck/v1"].as_str().map(str::to_owned);
        results.iter().filter_map(print).collect::<Vec<_>>()
    };
    let before = prints("*p = 1;\n*p = 1;\n*q = 1;\n", 1);
    let after = prints("int x;\n\n  *p = 1;\n*p = 1;\n*q = 1;\n", 3);
    assert_eq!((before.len(), &before), (3, &after));
    let different: std::collections::BTreeSet<_> = before.iter().collect();
    assert_eq!(different.len(), 3);
}

#[test]
fn columns_count_characters() {
    let scratch = cli::children::Scratch::new("sarif").expect("a folder");
    std::fs::write(scratch.path().join("a.c"), "/* \u{e4}\u{1f600} */ f();\n").expect("written");
    let mut places = Places::new(scratch.path());
    let region = &places.location(&at("a.c", 1, 14, 17))["physicalLocation"]["region"];
    assert_eq!((&region["startColumn"], &region["endColumn"]), (&json!(10), &json!(13)));
}

#[test]
fn what_failed_is_told() {
    let (severity, text) = (Severity::Error, "expected ';'".into());
    let refused = results::Outcome {
        verdict: Verdict::Error,
        verdict_line: "VERDICT: ERROR(syntax)".into(),
        diagnostics: vec![Diagnostic { severity, text, location: Some(at("b.c", 1, 8, 9)) }],
        ..results::Outcome::default()
    };
    let log =
        log(&[Outcome::Result(&refused), Outcome::Nothing("c.c", "ERROR(signal: 9)")], 2, Path::new("/"));
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&json!(false), &json!(2)));
    let told = &invocation["toolExecutionNotifications"];
    assert_eq!(told[0]["message"]["text"], "expected ';'");
    assert_eq!(told[0].pointer("/locations/0/physicalLocation/region/startLine"), Some(&json!(1)));
    assert_eq!(told[2]["message"]["text"], "c.c: ERROR(signal: 9)");
}
