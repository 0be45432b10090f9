//! Logs of results that are written down here.

use super::*;

fn line(n: i64, depth: i64, text: &str) -> Value {
    json!({
        "file": "no such.c", "line": n, "column": 5, "end_line": n, "end_column": 9, "function": "main", "depth": depth,
        "text": text, "branch": null, "values": [], "given": [], "notes": [], "error": false,
    })
}

fn result() -> Value {
    let mut last = line(9, 2, "x = 1 / y");
    (last["error"], last["values"]) = (true.into(), json!([{ "name": "y", "value": "0" }]));
    json!({
        "verdict": "UNSAFE", "verdict_line": "VERDICT: UNSAFE(div0) at no such.c:9", "message": "division by zero",
        "inputs": [{ "input": "f() at no such.c:3", "value": "0" }],
        "location": { "file": "no such.c", "line": 9, "column": 5, "end_line": 9, "end_column": 14 },
        "trace": [line(3, 1, "y = f()"), last],
        "checks": [
            { "kind": "div0", "message": "division by zero", "file": "no such.c", "line": 9, "column": 9, "end_line": 9,
              "end_column": 14, "function": "main", "verdict": "UNSAFE", "condition": "y != 0" },
            { "kind": "null", "message": "dereference of NULL: p", "file": "/usr/include/a.h", "line": 2, "column": 1,
              "end_line": 2, "end_column": 3, "function": "g", "verdict": "SAFE" },
            { "kind": "null", "message": "dereference of NULL: p", "file": "no such.c", "line": 12, "column": 1,
              "end_line": 12, "end_column": 3, "function": "g", "verdict": null },
        ],
    })
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
    let prints = |text: &str, first: i64| {
        std::fs::write(scratch.path().join("a.c"), text).expect("written");
        let check = |n: i64| {
            json!({ "kind": "null", "message": "m", "file": "a.c", "line": first + n, "column": 1, "end_line": first + n,
                "end_column": 2, "function": "f", "verdict": "SAFE" })
        };
        let result = json!({ "verdict": "SAFE", "checks": [check(0), check(1), check(2)] });
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
    let at = json!({ "file": "a.c", "line": 1, "column": 14, "end_line": 1, "end_column": 17 });
    let region = &places.location(&at)["physicalLocation"]["region"];
    assert_eq!((&region["startColumn"], &region["endColumn"]), (&json!(10), &json!(13)));
}

#[test]
fn what_failed_is_told() {
    let refused = json!({
        "verdict": "ERROR", "verdict_line": "VERDICT: ERROR(syntax)",
        "diagnostics": [{ "severity": "error", "text": "expected ';'",
            "location": { "file": "b.c", "line": 1, "column": 8, "end_line": 1, "end_column": 9 } }],
    });
    let log =
        log(&[Outcome::Result(&refused), Outcome::Nothing("c.c", "ERROR(signal: 9)")], 2, Path::new("/"));
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&json!(false), &json!(2)));
    let told = &invocation["toolExecutionNotifications"];
    assert_eq!(told[0]["message"]["text"], "expected ';'");
    assert_eq!(told[0].pointer("/locations/0/physicalLocation/region/startLine"), Some(&json!(1)));
    assert_eq!(told[2]["message"]["text"], "c.c: ERROR(signal: 9)");
}
