//! Witnesses in the older format, answers that have none, and witnesses that are changed so that they are wrong.

use std::path::Path;
use tests::slam;

/// No witness is written for answers about rules, as the format has no property for them, and the reason is reported.
#[test]
fn rules_have_no_witnesses() {
    for format in ["yaml", "graphml"] {
        for program in ["examples/rules/linux/spinlock_unsafe.c", "examples/rules/linux/spinlock_safe.c"] {
            let path = testing::file("witness", "");
            std::fs::remove_file(&path).expect("it was made");
            let options = ["--rule", "linux/spinlock", "--witness-format", format, "--write-witness", &path];
            let run = slam(&[&["check"], &options[..], &[program]].concat());
            assert!(["SAFE", "UNSAFE"].iter().any(|v| run.verdict().starts_with(v)), "{}", run.stdout);
            assert!(run.stderr.contains("no witness is written: "), "{}", run.stderr);
            assert!(run.stderr.contains("no property for rules"), "{}", run.stderr);
            assert!(!Path::new(&path).exists());
        }
    }
}

/// An element of a document: its name, its attributes, its text.
type Element = (String, Vec<(String, String)>, String);

/// The elements of a document, each with the text of what stands directly below it.
fn elements(text: &str) -> Vec<Element> {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(text);
    let (mut open, mut out): (Vec<usize>, Vec<Element>) = (vec![], vec![]);
    loop {
        let event = reader.read_event().unwrap_or_else(|e| panic!("{e}\n{text}"));
        match &event {
            Event::Start(start) | Event::Empty(start) => {
                let attributes = start.attributes().map(|a| a.expect("an attribute"));
                let attributes = attributes.map(|a| (a.key.as_ref().to_owned(), a.value.into_owned()));
                out.push((start.name().as_ref().to_owned(), attributes.collect(), String::new()));
                if matches!(event, Event::Start(_)) {
                    open.push(out.len() - 1);
                }
            }
            Event::End(_) => _ = open.pop().expect("it was opened"),
            Event::Text(part) => {
                if let Some(n) = open.last() {
                    out[*n].2 += part;
                }
            }
            Event::GeneralRef(name) => {
                let known = quick_xml::escape::resolve_predefined_entity(name).expect("a known one");
                if let Some(n) = open.last() {
                    out[*n].2 += known;
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(open.is_empty(), "{text}");
    out
}

/// Witnesses of format 1.0: well-formed, with all that the format requires, edges between nodes that are there, and keys that
/// are declared for what they stand at.
#[test]
fn witnesses_of_format_1_have_what_it_requires() {
    let programs = [
        ("examples/spinlock_unsafe.c", "violation_witness"),
        ("examples/spinlock_safe.c", "correctness_witness"),
        ("examples/arrays/maximum_bug.c", "violation_witness"),
        ("examples/checks/leak_unsafe.c", "violation_witness"),
        ("examples/nested_loops_relational.c", "correctness_witness"),
    ];
    for (program, kind) in programs {
        let path = testing::file("witness.graphml", "");
        let run = slam(&["check", "--witness-format", "graphml", "--write-witness", &path, program]);
        assert!(["SAFE", "UNSAFE"].iter().any(|v| run.verdict().starts_with(v)), "{}", run.stdout);
        let text = std::fs::read_to_string(&path).expect("it was written");
        let all = elements(&text);
        let attribute = |of: &[(String, String)], key: &str| {
            of.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let keys: Vec<(String, String)> = all
            .iter()
            .filter(|(name, ..)| name == "key")
            .map(|(_, a, _)| (attribute(a, "id"), attribute(a, "for")))
            .collect();
        let nodes: Vec<String> =
            all.iter().filter(|(name, ..)| name == "node").map(|(_, a, _)| attribute(a, "id")).collect();
        let mut of = String::new();
        let mut data: Vec<(String, String, String)> = vec![];
        for (name, attributes, text) in &all {
            match name.as_str() {
                "graph" | "node" => of = name.clone(),
                "edge" => {
                    of = name.clone();
                    for end in ["source", "target"] {
                        assert!(nodes.contains(&attribute(attributes, end)), "{text}");
                    }
                }
                "data" => {
                    let key = attribute(attributes, "key");
                    assert!(keys.contains(&(key.clone(), of.clone())), "{key} of {of}\n{text}");
                    data.push((of.clone(), key, text.clone()));
                }
                _ => {}
            }
        }
        let value = |key: &str| {
            data.iter().filter(|(_, k, _)| k == key).map(|(.., v)| v.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(value("witness-type"), [kind]);
        assert_eq!((value("sourcecodelang"), value("architecture")), (vec!["C"], vec!["64bit"]));
        assert_eq!(value("programfile"), [program]);
        assert!(
            value("programhash")[0].len() == 64
                && value("specification")[0].starts_with("CHECK( init(main()), LTL(G ")
        );
        assert!(value("producer")[0].starts_with("slam ") && value("creationtime")[0].ends_with('Z'));
        assert_eq!(value("entry"), ["true"]);
        assert_eq!(value("violation").len(), usize::from(kind == "violation_witness"));
        let inputs = value("assumption.resultfunction").len();
        assert_eq!(value("assumption").iter().filter(|a| a.starts_with("\\result ")).count(), inputs);
        assert_eq!(value("invariant").is_empty(), kind == "violation_witness");
        let run = slam(&["check", "--validate-witness", &path, program]);
        assert_eq!(run.verdict(), "UNKNOWN(witness not supported)");
    }
    let (path, both) = (testing::file("witness", ""), ["examples/spinlock_safe.c", "examples/slide14.c"]);
    assert_eq!(slam(&["check", "--witness-format", "graphml", both[0]]).code, 1, "there is no file for it");
    assert_eq!(slam(&["check", "--witness-format", "xml", "--write-witness", &path, both[0]]).code, 1);
}

/// A sample of the examples: what is written is confirmed, and what is changed so that it is wrong, which a compiled program
/// says, is not.
#[test]
fn wrong_witnesses_are_not_confirmed() {
    let examples = vec![
        "spinlock_safe.c",
        "spinlock_unsafe.c",
        "driver_buggy.c",
        "recursion_unsafe.c",
        "early_return_unsafe.c",
        "nested_loops_relational.c",
        "unsigned_wrap_unsafe.c",
        "switch_fallthrough.c",
        "arrays/maximum_bug.c",
        "loop_weighted_sum_unsafe.c",
        "arrays/histogram.c",
    ];
    let sample = testing::sample(examples, 3);
    if std::process::Command::new("gcc").arg("--version").output().is_err() {
        return testing::skipped("gcc");
    }
    let mut command = std::process::Command::new("python3");
    command.arg(tests::root().join("scripts/witnesses.py")).arg("--slam").arg(tests::program("slam"));
    command.args(["--limit", "60"]).args(sample.iter().map(|name| tests::root().join("examples").join(name)));
    let Ok(done) = command.output() else { return testing::skipped("python3") };
    let told = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{told}{}", String::from_utf8_lossy(&done.stderr));
    let tried = told.lines().find_map(|line| line.strip_prefix("wrong witnesses: ")).expect("a summary");
    let number: usize = tried.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
    assert!(number >= sample.len() && tried.ends_with(", 0 confirmed"), "{told}");
}
