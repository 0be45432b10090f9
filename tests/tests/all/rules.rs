//! Rules of interface use: each rule of the library with its two examples, several rules in one run, certificates,
//! messages about wrong rules, and the report of an error.

use expect_test::{Expect, expect};
use tests::{binary, parallel, slam};

/// The verdict about an example of a rule.
fn verdict(rule: &str, kind: &str) -> String {
    let file = format!("examples/rules/{rule}_{kind}.c");
    let run = slam(&["check", "--time-limit", "30s", "--rule", rule, &file]);
    assert_eq!(run.stderr, "", "{file}");
    run.verdict().to_owned()
}

#[test]
fn each_rule_of_the_library_is_right_about_its_examples() {
    let rules: Vec<&str> = slic::LIBRARY.iter().map(|e| e.name).collect();
    let found = parallel(2, rules.len(), |n| {
        let rule = rules[n];
        let (safe, broken) = (verdict(rule, "safe"), verdict(rule, "unsafe"));
        let right = safe == "SAFE" && broken.starts_with(&format!("UNSAFE(rule {rule}) at "));
        (!right).then(|| format!("{rule}: {safe}, {broken}"))
    });
    let wrong: Vec<String> = found.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The functions of a file whose names say that they keep or break its rule.
fn functions(text: &str) -> Vec<&str> {
    let names = text.lines().filter_map(|line| line.strip_prefix("int ")?.split('(').next());
    names.filter(|name| name.starts_with("keeps_") || name.starts_with("breaks_")).collect()
}

/// Pointers, aliases, loops and error paths: `tests/rules` has functions for each rule that keep and break it.
#[test]
fn each_rule_of_the_library_is_right_about_functions_that_keep_and_break_it() {
    let mut all = vec![];
    for rule in slic::LIBRARY.iter().map(|e| e.name) {
        let file = format!("tests/rules/{rule}.c");
        let text = std::fs::read_to_string(tests::root().join(&file)).expect("each rule has a file");
        let names = functions(&text);
        let keeps = names.iter().filter(|name| name.starts_with("keeps_")).count();
        assert!(names.len() == 6 && keeps == 3, "{file}: {names:?}");
        let options = text.lines().find_map(|line| line.strip_prefix("/* options: ")?.strip_suffix(" */"));
        let options: Vec<String> =
            options.unwrap_or_default().split_whitespace().map(str::to_owned).collect();
        all.extend(names.into_iter().map(|name| (rule, file.clone(), name.to_owned(), options.clone())));
    }
    // Of each rule one function that keeps and one that breaks it, in a sample.
    let all = testing::sample(all, 3);
    let found = parallel(2, all.len(), |n| {
        let (rule, file, name, options) = &all[n];
        let mut args = vec!["check", "--time-limit", "60s", "--rule", rule, "--entry", name];
        args.extend(options.iter().map(String::as_str));
        args.push(file);
        let run = slam(&args);
        let verdict = run.verdict();
        let right = match name.starts_with("keeps_") {
            true => verdict == "SAFE",
            false => verdict.starts_with(&format!("UNSAFE(rule {rule}) at ")),
        };
        (!right).then(|| format!("{rule}, {name}: {verdict}"))
    });
    let wrong: Vec<String> = found.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_error_shows_the_state_of_the_rule_beside_the_steps() {
    let run = slam(&["check", "--rule", "linux/spinlock", "examples/rules/linux/spinlock_unsafe.c"]);
    expect![[r#"
        examples/rules/linux/spinlock_unsafe.c:13:5: error: the spin lock is locked twice
           13 |     spin_lock(&d->lock);
              |     ^^^^^^^^^^^^^^^^^^^

            19  open(&first)                             (d = &first)
            13    spin_lock(&d->lock)                    held = 1
            14    d->users++                             (d->users = 1)
            15    spin_unlock(&d->lock)                  held = 0
            20  spin_trylock(&first.lock)                spin_trylock() returned 1, held = 1
            20  if (spin_trylock(&first.lock))           true
            21  open(&first)                             (d = &first)
            13    spin_lock(&d->lock)                    <-- here

        rule linux/spinlock, for &first (first at examples/rules/linux/spinlock_unsafe.c:13): held = 1 since examples/rules/linux/spinlock_unsafe.c:20

        inputs   spin_trylock() at examples/rules/linux/spinlock_unsafe.c:20: 1
        replayed: the interpreter reaches line 13 with these inputs.
          assumed of undefined functions: any result, writes only to what their arguments and escaped globals reach: spin_trylock, spin_unlock, spin_lock
        VERDICT: UNSAFE(rule linux/spinlock) at examples/rules/linux/spinlock_unsafe.c:13
    "#]].assert_eq(&run.stdout);
}

/// What is said about a rule with a program, both written to files.
fn said(program: &str, rule: &str) -> String {
    let scratch = testing::Scratch::new();
    let path = |name, text| scratch.file(name, text).to_str().expect("scratch paths are UTF-8").to_owned();
    let (program, rule) = (path("program.c", program), path("mine.slic", rule));
    let run = slam(&["check", "--rule", &rule, &program]);
    testing::without_folders(&format!("{}{}", run.stderr, run.stdout))
}

fn check(program: &str, rule: &str, expected: &Expect) {
    expected.assert_eq(&said(program, rule));
}

const LOCKS: &str =
    "void lock(int *l);\nint open(void);\nint l;\nint main(void) { lock(&l); return open(); }\n";

#[test]
fn functions_that_the_program_does_not_have_are_told() {
    check(
        LOCKS,
        "lokc.entry { abort \"locked\"; }\n",
        &expect![[r#"
        mine.slic:1:1: error: the program has no function `lokc`
            1 | lokc.entry { abort "locked"; }
              | ^^^^
        VERDICT: ERROR(rule)
    "#]],
    );
    check(
        LOCKS,
        "lokc.entry { abort \"locked\"; }\nlock.entry { }\n",
        &expect![[r#"
        mine.slic:1:1: warning: the program has no function `lokc`
            1 | lokc.entry { abort "locked"; }
              | ^^^^
        SAFE: the program reaches nothing that could break the rule mine.
          assumed of undefined functions: any result, writes only to what their arguments and escaped globals reach: lock, open
        VERDICT: SAFE
    "#]],
    );
}

#[test]
fn arguments_that_a_function_does_not_have_are_told() {
    check(
        LOCKS,
        "lock.entry { if ($2) abort \"locked\"; }\n",
        &expect![[r#"
        mine.slic:1:18: error: there is no argument $2: `lock` has 1 parameter
            1 | lock.entry { if ($2) abort "locked"; }
              |                  ^^
        program.c:1:6: note: declared here
            1 | void lock(int *l);
              |      ^^^^
        VERDICT: ERROR(rule)
    "#]],
    );
    check(
        LOCKS,
        "watch lock($return);\nlock.exit { abort \"locked\"; }\n",
        &expect![[r#"
        mine.slic:1:12: error: `lock` has no result
            1 | watch lock($return);
              |            ^^^^^^^
        program.c:1:6: note: declared here
            1 | void lock(int *l);
              |      ^^^^
        VERDICT: ERROR(rule)
    "#]],
    );
}

#[test]
fn rules_that_are_wrong_are_refused_before_the_program_is_read() {
    check(
        "no C",
        "state { int n; }\nlock.entry { n = m; }\n",
        &expect![[r#"
        mine.slic:1:13: error: `n` is used before it is set
            1 | state { int n; }
              |             ^
        note: give it an initial value, or set it in `program.start`
        mine.slic:2:18: error: `m` is not declared in the state before this place
            2 | lock.entry { n = m; }
              |                  ^
        VERDICT: ERROR(rule)
    "#]],
    );
    let run = slam(&["check", "--rule", "no/rule", "examples/lock_unsafe.c"]);
    expect![[r#"
        error: there is no rule `no/rule`: `slam rules list` shows those of the library, and a file's name ends in .slic

        For more information, try '--help'.
        1"#]].assert_eq(&format!("{}{}", run.stderr, run.code));
    let run = slam(&["check", "--rule", "mutex", "examples/lock_unsafe.c"]);
    expect![[r#"
        error: several rules are called `mutex`: linux/mutex, posix/mutex

        For more information, try '--help'.
        1"#]]
    .assert_eq(&format!("{}{}", run.stderr, run.code));
}

#[test]
fn rules_of_one_name_are_refused() {
    let scratch = testing::Scratch::new();
    let rule = "lock.entry { abort \"locked\"; }\n";
    let path = |name: &str| scratch.file(name, rule).to_str().expect("scratch paths are UTF-8").to_owned();
    std::fs::create_dir(scratch.path().join("other")).expect("it can be made");
    let (first, second) = (path("mine.slic"), path("other/mine.slic"));
    let run = slam(&["rules", "check", &first, &second]);
    expect![[r#"
        mine.slic: well-formed; about lock
        other/mine.slic: well-formed; about lock
        other/mine.slic:1:1: error: two rules are called `mine`
            1 | lock.entry { abort "locked"; }
              | ^
        mine.slic:1:1: note: the other one
            1 | lock.entry { abort "locked"; }
              | ^
        2"#]]
    .assert_eq(&testing::without_folders(&format!("{}{}{}", run.stdout, run.stderr, run.code)));
}

#[test]
fn several_rules_are_checked_by_themselves() {
    let rules = "linux/spinlock,linux/alloc_spinlock,linux/rwlock";
    let run = binary("slam", &["check", "--rule", rules, "examples/rules/linux/alloc_spinlock_unsafe.c"]);
    let words = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    let table: Vec<String> = run.stdout.lines().skip(1).take(3).map(words).collect();
    assert_eq!(table, ["SAFE", "UNSAFE(rule", "SAFE"], "{}", run.stdout);
    assert_eq!(
        run.verdict(),
        "UNSAFE(rule linux/alloc_spinlock) at examples/rules/linux/alloc_spinlock_unsafe.c:15"
    );
    assert_eq!(run.code, 10);
    let folder =
        binary("slam", &["check", "-q", "--rules", "rules/windows", "examples/rules/windows/irql_safe.c"]);
    assert_eq!(folder.stdout, "VERDICT: SAFE\n", "{}", folder.stderr);
    let json =
        binary("slam", &["check", "--json", "x.json", "--rule", rules, "examples/rules/linux/mutex_safe.c"]);
    assert_eq!(
        (json.code, json.stderr.lines().next()),
        (1, Some("error: --json is for one rule; there are 3"))
    );
}

#[test]
fn proofs_about_rules_are_checked_again_and_errors_are_not_compiled() {
    let scratch = testing::Scratch::new();
    let json = scratch.path().join("result.json").to_str().expect("scratch paths are UTF-8").to_owned();
    let safe = "examples/rules/linux/mutex_safe.c";
    assert_eq!(slam(&["check", "--json", &json, "--rule", "linux/mutex", safe]).verdict(), "SAFE");
    assert_eq!(slam(&["certify", safe, &json]).verdict(), "SAFE(assuming --rule linux/mutex)");
    let broken = "examples/rules/linux/mutex_unsafe.c";
    slam(&["check", "--json", &json, "--rule", "linux/mutex", broken]);
    let text = std::fs::read_to_string(&json).expect("it was written");
    let result: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(result["rule"], "linux/mutex");
    assert_eq!(result["rule_state"]["object"]["name"], "&list_lock");
    let replayed = binary("slam", &["replay", broken, &json]);
    assert!(
        replayed.stdout.contains("a compiled program does not show an error of kind rule"),
        "{}",
        replayed.stdout
    );
    assert_eq!(replayed.verdict(), "UNKNOWN(not replayed)");
}

#[test]
fn a_rule_that_cannot_be_broken_is_worth_a_warning() {
    let scratch = testing::Scratch::new();
    let rule = scratch.file("idle.slic", "state { bool on = 0; }\nmutex_lock.entry { on = 1; }\n");
    let rule = rule.to_str().expect("scratch paths are UTF-8");
    let warning =
        "idle.slic:1:1: warning: no handler of the rule has an `abort`, so that no program can break it";
    let run = binary("slam", &["rules", "check", rule]);
    assert!(run.stderr.contains(warning) && run.code == 0, "{}", run.stderr);
    let run = binary("slam", &["check", "--rule", rule, "examples/rules/linux/mutex_safe.c"]);
    assert!(run.stderr.contains(warning), "{}", run.stderr);
    assert_eq!(run.verdict(), "SAFE");
}

#[test]
fn no_harness_is_written_that_could_not_show_the_error() {
    let scratch = testing::Scratch::new();
    let file = scratch.path().join("harness.c");
    let name = file.to_str().expect("scratch paths are UTF-8");
    let broken = "examples/rules/linux/mutex_unsafe.c";
    let run = binary("slam", &["check", "--harness", name, "--rule", "linux/mutex", broken]);
    assert_eq!(run.verdict(), "UNSAFE(rule linux/mutex) at examples/rules/linux/mutex_unsafe.c:13");
    assert!(run.stderr.contains("no harness is written"), "{}", run.stderr);
    assert!(!file.exists());
}

#[test]
fn the_library_can_be_listed_and_shown() {
    let run = slam(&["rules", "list", "windows/i"]);
    expect![[r#"
        windows/irp   A request (IRP) is completed once, and is not touched afterwards: it is neither passed on nor marked pending any more.
        windows/irql  The interrupt request level is raised to a higher one and lowered to a lower one, is as at the start in the end, and functions that may wait or page are called at PASSIVE_LEVEL (0) only.
    "#]].assert_eq(&run.stdout);
    let shown = slam(&["rules", "show", "linux/bitops"]);
    assert_eq!(shown.stdout, std::fs::read_to_string("rules/linux/bitops.slic").expect("it is there"));
    let none = slam(&["rules", "show", "nothing"]);
    assert_eq!((none.code, none.stdout.as_str()), (1, ""));
}

#[test]
fn the_product_is_shown_as_c_minus_minus_that_reads_back() {
    let run = slam(&["cmm", "--rule", "linux/mutex", "examples/rules/linux/mutex_safe.c"]);
    assert!(run.stdout.contains("havoc(rule$watched, followed);"), "{}", run.stdout);
    let read = ir::parse::program(&run.stdout).unwrap_or_else(|d| panic!("{}", d.message));
    assert_eq!(read.checks.len(), 5, "{}", run.stdout);
}

#[test]
fn generated_drivers_keep_ten_rules_and_break_one() {
    const RULES: [&str; 5] = ["spinlock", "mutex", "alloc_spinlock", "module", "class"];
    let scratch = testing::Scratch::new();
    let driver = |fault: Option<&str>| {
        let mut command = std::process::Command::new("python3");
        command.arg(tests::root().join("scripts/driver.py")).arg("500");
        fault.into_iter().for_each(|f| _ = command.args(["--fault", f]));
        let text = command.output().ok()?.stdout;
        Some(scratch.file(&format!("{}.c", fault.unwrap_or("safe")), text).display().to_string())
    };
    let Some(safe) = driver(None) else { return testing::skipped("python3") };
    let rules = RULES.map(|r| format!("linux/{r}")).join(",");
    let run = binary("slam", &["check", "--rule", &format!("{rules},examples/rules/driver/irq.slic"), &safe]);
    assert_eq!(run.verdict(), "SAFE", "{}", run.stdout);
    for fault in ["alloc_spinlock", "class"] {
        let broken = driver(Some(fault)).expect("python3 is there");
        let run = binary("slam", &["check", "--rule", &format!("linux/{fault}"), &broken]);
        let expected = format!("UNSAFE(rule linux/{fault})");
        assert!(run.verdict().starts_with(&expected), "{}", run.stdout);
    }
}
