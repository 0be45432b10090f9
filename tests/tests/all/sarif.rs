//! `--sarif` on programs with each verdict, against the standard's schema, and what code hosts need of it.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use tests::{binary, mistakes, slam};

/// The log of a run of `slam check` or `slam batch`, which follows the schema.
fn log(command: &str, options: &[&str]) -> Value {
    let path = testing::file("out.sarif", "");
    let args = [&[command, "--sarif", &path][..], options].concat();
    // Only the binary starts other processes.
    let run = if command == "batch" { binary("slam", &args) } else { slam(&args) };
    let text = std::fs::read_to_string(&path).expect("the log was written");
    let log: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}\n{}", run.stderr));
    let found = mistakes(schema(), &log);
    assert!(found.is_empty(), "{options:?}\n{}", found.join("\n"));
    log
}

/// The schema of the standard, which the package of `serde-sarif` has.
fn schema() -> &'static Value {
    static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
        let asked = Command::new(env!("CARGO"))
            .args([
                "metadata",
                "--format-version",
                "1",
                "--offline",
                "--locked",
                "--filter-platform",
                "host-tuple",
                "--manifest-path",
            ])
            .arg(tests::root().join("Cargo.toml"))
            .output();
        let asked = asked.expect("cargo can be run");
        assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
        let metadata: Value = serde_json::from_slice(&asked.stdout).expect("cargo answers with JSON");
        let packages = metadata["packages"].as_array().expect("a list of packages");
        let package = packages.iter().find(|p| p["name"] == "serde-sarif").expect("the tests have it");
        let manifest = package["manifest_path"].as_str().expect("a package has a manifest");
        let text = std::fs::read_to_string(Path::new(manifest).with_file_name("src").join("schema.json"));
        // The pattern of languages is not a regular expression there; later editions of the schema mend it.
        let text = text.expect("the package has the schema").replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
        serde_json::from_str(&text).expect("the schema is JSON")
    });
    &SCHEMA
}

fn results(log: &Value) -> &Vec<Value> {
    log["runs"][0]["results"].as_array().expect("a list of results")
}

fn kinds(log: &Value) -> BTreeSet<&str> {
    results(log).iter().filter_map(|r| r["kind"].as_str()).collect()
}

#[test]
fn logs_follow_the_schema() {
    let broken = testing::file("broken.c", "int main(void) { return 1 }\n");
    let safe = log("check", &["examples/spinlock_safe.c"]);
    assert_eq!(kinds(&safe), BTreeSet::from(["pass"]));
    let stopped = log("check", &["examples/checks/many/waiting.c", "--tune", "max-iterations=3"]);
    assert!(kinds(&stopped).contains("open"), "{stopped:#}");
    let refused = log("check", &[&broken]);
    let invocation = &refused["runs"][0]["invocations"][0];
    assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&false.into(), &2.into()));
    let at =
        invocation.pointer("/toolExecutionNotifications/0/locations/0/physicalLocation/region/startLine");
    assert_eq!(at, Some(&1.into()), "{invocation:#}");
    let leak = log("check", &["--check", "all", "examples/checks/leak_unsafe.c"]);
    assert!(kinds(&leak).contains("fail"));
}

/// The failing check is where the verdict line says, and its execution ends there.
#[test]
fn an_error_comes_with_its_execution() {
    let log = log("check", &["--keep-going", "examples/spinlock_unsafe.c"]);
    let failing: Vec<&Value> = results(&log).iter().filter(|r| r["kind"] == "fail").collect();
    assert_eq!(failing.len(), 1, "{log:#}");
    let place = |at: &Value| {
        let physical = &at["physicalLocation"];
        let uri = physical["artifactLocation"]["uri"].as_str().unwrap_or_default().to_owned();
        (uri, physical["region"]["startLine"].as_u64().unwrap_or_default())
    };
    let expected = ("examples/spinlock_unsafe.c".to_owned(), 16);
    assert_eq!(place(&failing[0]["locations"][0]), expected);
    let steps = failing[0].pointer("/codeFlows/0/threadFlows/0/locations").and_then(Value::as_array);
    let steps = steps.expect("an execution");
    let last = steps.last().expect("it has steps");
    assert_eq!((place(&last["location"]), &last["importance"]), (expected, &"essential".into()));
    assert!(
        steps.iter().any(|s| s["state"]["locked"]["text"] == "1" && s["nestingLevel"] == 1),
        "{steps:#?}"
    );
    assert!(results(&log).iter().any(|r| r["kind"] == "pass" && r["level"] == "none"));
}

/// A check in the model of a library function stands where the program calls it.
#[test]
fn checks_of_models_stand_at_the_calls() {
    let text =
        "#include <string.h>\nint main(void) {\n    char a[3];\n    memset(a, 0, 4);\n    return a[0];\n}\n";
    let path = testing::file("model.c", text);
    let log = log("check", &["--check", "bounds", &path]);
    let failing = results(&log).iter().find(|r| r["kind"] == "fail").unwrap_or_else(|| panic!("{log:#}"));
    let at = failing.pointer("/locations/0/physicalLocation").expect("a place");
    assert_eq!(at["region"]["startLine"], 4, "{failing:#}");
    assert!(
        at["artifactLocation"]["uri"].as_str().is_some_and(|uri| uri.ends_with("/model.c")),
        "{failing:#}"
    );
}

/// A batch writes one log about all of its tasks, those included that were refused.
#[test]
fn a_batch_writes_one_log() {
    let broken = testing::file("broken.c", "int main(void) { return 1 }\n");
    let tasks = ["examples/spinlock_safe.c", "examples/spinlock_unsafe.c", &broken];
    let log = log("batch", &[&["--time-limit", "30s"][..], &tasks].concat());
    assert_eq!(kinds(&log), BTreeSet::from(["pass", "fail", "open"]));
    let files: BTreeSet<&str> = results(&log)
        .iter()
        .filter_map(|r| r.pointer("/locations/0/physicalLocation/artifactLocation/uri")?.as_str())
        .collect();
    assert_eq!(files, BTreeSet::from([tasks[0], tasks[1]]));
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["toolExecutionNotifications"].as_array().map(Vec::len), Some(2), "{invocation:#}");
}
