//! Witnesses as text, and back.

use super::read::{Wrong, parse};
use super::*;

fn place(line: u32) -> Place {
    Place { file: "a.c".into(), line, column: Some(3), function: Some("main".into()) }
}

fn about(files: &[PathBuf]) -> About<'_> {
    About { files, specification: specification(None, &[CheckKind::Reach], "main"), data_model: "LP64" }
}

#[test]
fn what_is_written_is_read() {
    let waypoints = vec![
        (place(2), Waypoint::Return(Relation::Equal, -7)),
        (place(3), Waypoint::Branching(Branch::False)),
        (place(4), Waypoint::Assumption("x == 2 && y != 3".into())),
        (place(5), Waypoint::Enter),
        (place(6), Waypoint::Target),
    ];
    let mut waypoints: Vec<Segment> = waypoints.into_iter().map(Segment::from).collect();
    waypoints[1].avoided = vec![
        (place(7), Waypoint::Branching(Branch::True)),
        (place(8), Waypoint::Return(Relation::AtMost, 0)),
    ];
    let invariant = |at_loop| Invariant { place: place(1), at_loop, condition: "0 <= x: 'y'".into() };
    let correct = vec![invariant(true), invariant(false)];
    for content in
        [Content::Violation(waypoints), Content::Correctness(correct), Content::Correctness(vec![])]
    {
        let text = yaml::text(&content, &about(&[]));
        let entries = parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        assert_eq!((entries.len(), &entries[0].content), (1, &content), "{text}");
        assert_eq!(entries[0].data_model, "LP64");
    }
}

#[test]
fn properties_name_what_was_checked() {
    let of = |kinds: &[CheckKind]| specification(None, kinds, "main");
    assert_eq!(of(&[CheckKind::Reach]), "CHECK( init(main()), LTL(G ! call(reach_error())) )");
    assert_eq!(of(&[CheckKind::Null, CheckKind::Bounds]), "CHECK( init(main()), LTL(G valid-deref) )");
    let one = specification(Some(CheckKind::Overflow), &[CheckKind::Reach, CheckKind::Overflow], "f");
    assert_eq!(one, "CHECK( init(f()), LTL(G ! overflow) )");
}

/// Malformed witnesses, and those with parts that are not understood, are refused with their place and never ignored.
#[test]
fn what_is_no_witness_is_refused() {
    let mut target = Segment::from((place(6), Waypoint::Target));
    target.avoided = vec![(place(4), Waypoint::Enter)];
    let content = Content::Violation(vec![(place(2), Waypoint::Return(Relation::Equal, 1)).into(), target]);
    let good = yaml::text(&content, &about(&[]));
    assert!(parse(&good).is_ok());
    let malformed = [
        ("- entry_type", "- entry"),
        ("content:", "contents:"),
        ("line: 2", "line: 0"),
        ("line: 2", "line: many"),
        ("type: target", "type: function_enter"),
        ("action: follow", "action: avoid"),
        ("action: avoid", "action: follow"),
        ("type: function_enter", "type: target"),
        ("segment:", "part:"),
        ("data_model: LP64", "data_model: 3"),
    ];
    for (old, new) in malformed {
        let bad = good.replacen(old, new, 1);
        assert!(matches!(parse(&bad), Err(Wrong::At(..))), "{old} -> {new}\n{:?}", parse(&bad));
    }
    let unsupported = [
        ("\"2.0\"", "\"1.0\""),
        ("\\\\result == 1", "\\\\result == x"),
        ("function_return", "goto"),
        ("violation_sequence", "loop_invariant"),
    ];
    for (old, new) in unsupported {
        let bad = good.replacen(old, new, 1);
        assert_ne!(bad, good, "{old}\n{good}");
        assert!(matches!(parse(&bad), Err(Wrong::Unsupported(..))), "{old} -> {new}\n{:?}", parse(&bad));
    }
    for text in ["", "a: [", "[]", "--- 1\n--- 2\n", "\0\u{1}", "- - - -"] {
        assert!(parse(text).is_err(), "{text:?}");
    }
}
