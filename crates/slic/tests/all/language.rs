//! The language: what is printed reads back, and what is wrong has a place and a message.

use base::SourceMap;
use expect_test::{Expect, expect};

fn mistakes(text: &str) -> String {
    let mut sources = SourceMap::new();
    let file = sources.add("rule.slic", Some(text.into()));
    match slic::read(text, file) {
        Ok(_) => "well-formed\n".into(),
        Err(found) => found.iter().map(|d| d.render(&sources)).collect(),
    }
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&mistakes(text));
}

fn file() -> base::FileId {
    SourceMap::new().add("rule.slic", None)
}

#[test]
fn rules_of_the_library_are_well_formed_and_read_back() {
    for entry in slic::LIBRARY {
        assert_eq!(mistakes(entry.text), "well-formed\n", "{}", entry.name);
        let rule = slic::parse(entry.text, file()).expect("it was read before");
        let printed = slic::print(&rule);
        let again = slic::parse(&printed, file())
            .unwrap_or_else(|d| panic!("{}: {}\n{printed}", entry.name, d.message));
        assert_eq!(slic::print(&again), printed, "{}", entry.name);
        assert!(slic::check(&again).is_empty(), "{}", entry.name);
        assert!(entry.summary().ends_with('.') && entry.summary().len() > 30, "{}", entry.name);
    }
}

#[test]
fn the_library_has_the_files_of_the_folder() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules");
    let mut files = vec![];
    for part in std::fs::read_dir(&folder).expect("the folder is there") {
        let part = part.expect("it can be listed").path();
        for file in std::fs::read_dir(&part).expect("it is a folder") {
            let file = file.expect("it can be listed").path();
            let name = file.strip_prefix(&folder).expect("it lies below").with_extension("");
            files.push(name.to_str().expect("names are UTF-8").to_owned());
        }
    }
    files.sort();
    let names: Vec<&str> = slic::LIBRARY.iter().map(|e| e.name).collect();
    assert_eq!(names, files);
}

#[test]
fn rules_are_printed_in_one_form() {
    let text = "state{enum{idle,held=4}s=idle;unsigned long n=0x10ul;void*p=0;}watch lock($1),open($return);\
        lock.entry,unlock.exit when(n<=3&&!(s==held)){if(*)s=held;else if($1!=watched)n+=1;else{halt;}}\
        open.exit{n=(int)$return-(1-2)*-n;p=(void*)0;n++;}program.end{abort\"a \\\"b\\\"\";}";
    let rule = slic::parse(text, file()).unwrap_or_else(|d| panic!("{}", d.message));
    expect![[r#"
        state {
            enum { idle, held = 4 } s = idle;
            unsigned long n = 0x10ul;
            void *p = 0;
        }
        watch lock($1), open($return);
        lock.entry, unlock.exit when (n <= 3 && !(s == held)) {
            if (*) {
                s = held;
            }
            else {
                if ($1 != watched) {
                    n += 1;
                }
                else {
                    halt;
                }
            }
        }
        open.exit {
            n = (int)$return - (1 - 2) * -n;
            p = (void *)0;
            n += 1;
        }
        program.end {
            abort "a \"b\"";
        }
    "#]]
    .assert_eq(&slic::print(&rule));
}

#[test]
fn syntax_errors_have_a_place() {
    check(
        "lock.enter { }",
        &expect![[r#"
            rule.slic:1:6: error: expected `entry` or `exit`, found `enter`
                1 | lock.enter { }
                  |      ^^^^^
        "#]],
    );
    check(
        "lock.entry { if (x) abort held; }",
        &expect![[r#"
            rule.slic:1:27: error: expected the message, a text in double quotes, found `held`
                1 | lock.entry { if (x) abort held; }
                  |                           ^^^^
        "#]],
    );
    check(
        "lock.entry { x = $0; }",
        &expect![[r#"
            rule.slic:1:18: error: arguments are $1, $2, ..., and the result is $return
                1 | lock.entry { x = $0; }
                  |                  ^^
        "#]],
    );
    check(
        "/* open",
        &expect![[r#"
            rule.slic:1:1: error: the comment is not closed
                1 | /* open
                  | ^^
        "#]],
    );
    check(
        "lock.entry { while (1) ; }",
        &expect![[r#"
            rule.slic:1:14: error: expected a statement, found `while`
                1 | lock.entry { while (1) ; }
                  |              ^^^^^
        "#]],
    );
}

#[test]
fn deep_nesting_is_refused() {
    for text in [
        format!("a.entry {}x = 1;", "{".repeat(100_000)),
        format!("a.entry {{ x = {}1; }}", "(".repeat(100_000)),
        format!("a.entry {{ x = {}1; }}", "!".repeat(100_000)),
        format!("a.entry {{ x = 1{}; }}", " + 1".repeat(100_000)),
    ] {
        assert!(mistakes(&text).contains("error: "), "{}", &text[..40]);
    }
}

#[test]
fn names_are_declared_once_and_before() {
    check(
        "state { int x = 0; bool x = 1; int y = z; enum { z, w = x }; }\nlock.entry { z = 1; u = v; }",
        &expect![[r#"
            rule.slic:1:25: error: `x` is declared twice
                1 | state { int x = 0; bool x = 1; int y = z; enum { z, w = x }; }
                  |                         ^
            rule.slic:1:13: note: first here
                1 | state { int x = 0; bool x = 1; int y = z; enum { z, w = x }; }
                  |             ^
            rule.slic:1:40: error: `z` is not declared in the state before this place
                1 | state { int x = 0; bool x = 1; int y = z; enum { z, w = x }; }
                  |                                        ^
            rule.slic:1:57: error: `x` is no constant
                1 | state { int x = 0; bool x = 1; int y = z; enum { z, w = x }; }
                  |                                                         ^
            rule.slic:2:14: error: `z` is a constant
                2 | lock.entry { z = 1; u = v; }
                  |              ^
            rule.slic:2:21: error: `u` is not declared in the state before this place
                2 | lock.entry { z = 1; u = v; }
                  |                     ^
            rule.slic:2:25: error: `v` is not declared in the state before this place
                2 | lock.entry { z = 1; u = v; }
                  |                         ^
        "#]],
    );
}

#[test]
fn state_is_set_before_it_is_used() {
    check(
        "state { int x; int y; }\nprogram.start { if (*) { x = 1; y = 0; } else { x = 2; y = x; } }",
        &expect![[r#"
        well-formed
    "#]],
    );
    check(
        "state { int x; int y; }\nprogram.start { y = x; if (y) x = 1; }",
        &expect![[r#"
        rule.slic:1:13: error: `x` is used before it is set
            1 | state { int x; int y; }
              |             ^
        note: give it an initial value, or set it in `program.start`
        rule.slic:2:21: error: `x` is used before it is set
            2 | program.start { y = x; if (y) x = 1; }
              |                     ^
    "#]],
    );
    check(
        "state { bool x; }\nlock.entry { x = 1; }",
        &expect![[r#"
        rule.slic:1:14: error: `x` is used before it is set
            1 | state { bool x; }
              |              ^
        note: give it an initial value, or set it in `program.start`
    "#]],
    );
}

#[test]
fn an_event_has_one_handler() {
    check(
        "lock.entry { }\nunlock.entry, lock.entry { }\nprogram.end { } program.end { }",
        &expect![[r#"
        rule.slic:2:15: error: there are two handlers of this event
            2 | unlock.entry, lock.entry { }
              |               ^^^^^^^^^^
        rule.slic:1:1: note: the first one
            1 | lock.entry { }
              | ^^^^^^^^^^
        rule.slic:3:17: error: there are two handlers of this event
            3 | program.end { } program.end { }
              |                 ^^^^^^^^^^^
        rule.slic:3:1: note: the first one
            3 | program.end { } program.end { }
              | ^^^^^^^^^^^
    "#]],
    );
}

#[test]
fn values_of_calls_stand_where_they_are_known() {
    check(
        "state { int x = 0; }\nopen.entry { x = $return; }\nprogram.end { x = $1; }\nopen.exit, close.entry { x = $1; }",
        &expect![[r#"
        rule.slic:2:18: error: a result is known at the exit of a function only
            2 | open.entry { x = $return; }
              |                  ^^^^^^^
        rule.slic:3:19: error: arguments are known at the entry and the exit of functions only
            3 | program.end { x = $1; }
              |                   ^^
    "#]],
    );
}

#[test]
fn what_is_watched_is_known_and_compared() {
    check(
        "watch open($return), open($1), shut($1);\nopen.entry { if ($1 == watched || watched) halt; }",
        &expect![[r#"
        rule.slic:1:7: error: nothing is done at exit of `open`
            1 | watch open($return), open($1), shut($1);
              |       ^^^^
        rule.slic:1:22: error: `open` is watched twice
            1 | watch open($return), open($1), shut($1);
              |                      ^^^^
        rule.slic:1:7: note: first here
            1 | watch open($return), open($1), shut($1);
              |       ^^^^
        rule.slic:1:32: error: nothing is done at entry or exit of `shut`
            1 | watch open($return), open($1), shut($1);
              |                                ^^^^
        rule.slic:2:1: error: the object that is watched is the result, which is not known at the entry
            2 | open.entry { if ($1 == watched || watched) halt; }
              | ^^^^^^^^^^
        rule.slic:2:35: error: `watched` can only be compared, with `==` or `!=`
            2 | open.entry { if ($1 == watched || watched) halt; }
              |                                   ^^^^^^^
    "#]],
    );
    check(
        "lock.entry { if ($1 == watched) halt; }",
        &expect![[r#"
        rule.slic:1:18: error: nothing is watched here
            1 | lock.entry { if ($1 == watched) halt; }
              |                  ^^^^^^^^^^^^^
    "#]],
    );
}

/// A function leaves something where its argument points to: at its exit, behind an argument that it has.
#[test]
fn what_functions_store_is_said_at_exits() {
    check("state{int n=0;}f.exit{*$2=n+1;}g.exit{abort\"g\";}", &expect!["well-formed\n"]);
    let rule = slic::parse("f.exit{*$2=1;}", file()).unwrap_or_else(|d| panic!("{}", d.message));
    expect![[r#"
        f.exit {
            *$2 = 1;
        }
    "#]]
    .assert_eq(&slic::print(&rule));
    assert!(mistakes("f.entry{*$1=0;}").contains("what a function stores is there at its exit"));
    assert!(mistakes("f.exit{*$1=n;}").contains("`n` is not declared"));
    assert!(mistakes("program.end{*$1=0;}").contains("error"));
}
