//! Every C program in `examples/` gets the verdict that its first line declares, and never `UNKNOWN`. An
//! error must have been replayed, and the loop must find either answer without concrete executions too.

use std::path::Path;
use testing::text;
use tests::{Run, declared, declared_verdict, example_names, example_names_in, parallel, root, slam};

/// Declares one test an example, and the list of them all.
macro_rules! examples {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(stringify!($name)); })*

        #[test]
        fn each_example_has_a_test() {
            assert_eq!(example_names(), [$(stringify!($name)),*]);
        }
    };
}

examples! {
    alias_struct_field
    alias_struct_field_unsafe
    array_symbolic_index
    array_symbolic_index_unsafe
    assume_filter
    bit_flags
    call_pointer_argument
    call_value_result
    conversions
    dispatch_table
    dispatch_table_unsafe
    do_while_retry
    driver_buggy
    driver_safe
    early_return
    early_return_unsafe
    enum_ternary
    error_label
    error_two_calls_deep
    goto_cleanup_unsafe
    goto_loops
    heap_contents_unsafe
    initialisers
    linked_list_fixed
    loop_gap_safe
    loop_weighted_sum_safe
    loop_weighted_sum_unsafe
    move_same_unsafe
    multiple_assertions
    mutual_recursion
    nested_loops_relational
    nested_struct_pointer
    pointer_to_pointer
    recursion_ackermann
    recursion_ackermann_unsafe
    recursion_even_odd
    recursion_even_odd_unsafe
    recursion_fibonacci
    recursion_fibonacci_unsafe
    recursion_global
    recursion_mccarthy
    recursion_mccarthy_unsafe
    recursion_relation
    recursion_unsafe
    short_circuit_effects
    slide14
    spinlock_safe
    spinlock_unsafe
    state_machine_12
    static_local
    struct_argument
    struct_by_value
    swap_pointers
    switch_fallthrough
    unsigned_wrap
    unsigned_wrap_unsafe
}

/// Programs that take longer than a test: their verdicts are not wrong.
const LONG: [&str; 11] = [
    "bank_account",
    "commands",
    "csv_fields",
    "expression_parser",
    "hash_table",
    "linked_list",
    "maze_bug",
    "roman",
    "sorting",
    "tictactoe",
    "vector",
];

/// Programs as people write them, with everything checked where they are right.
#[test]
fn everyday_programs_get_their_verdicts() {
    let mut names = example_names_in("examples/everyday");
    assert!(LONG.iter().all(|long| names.iter().any(|name| name == long)), "{names:?}");
    names.retain(|name| testing::is_long() || !LONG.contains(&&**name));
    let names = testing::sample(names, 3);
    let wrong = parallel(2, names.len(), |at| {
        let path = root().join("examples/everyday").join(format!("{}.c", names[at]));
        let (declared, checks) = declared(&path);
        let run = slam(&["check", "--check", &checks, "--time-limit", "60s", text(&path)]);
        let word = run.verdict().split('(').next().unwrap_or_default().to_owned();
        let is_right = word == declared || (word == "UNKNOWN" && LONG.contains(&&*names[at]));
        (!is_right).then(|| format!("{}: {}", names[at], run.verdict()))
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check(name: &str) {
    let path = format!("examples/{name}.c");
    let declared = declared_verdict(&root().join(Path::new(&path)));
    // Without executions about every other one, in a sample.
    let without = testing::is_long() || name.len().is_multiple_of(2);
    let common = ["check", &path, "--time-limit", "60s"];
    let lines = [&common[..], &["--tune", "without=executions"]].concat();
    let lines = [&common[..]].into_iter().chain(without.then_some(&lines[..]));
    for run in lines.map(slam) {
        match declared == "SAFE" {
            true => require_safe(&run),
            false => require_unsafe(&run, &format!("UNSAFE(reach) at {path}:")),
        }
    }
}

fn require_safe(run: &Run) {
    let shown = format!("{}\n{}", run.stdout, run.stderr);
    assert_eq!(run.verdict_lines(), 1, "one verdict line:\n{shown}");
    assert_eq!((run.verdict(), run.code), ("SAFE", 0), "\n{shown}");
}

fn require_unsafe(run: &Run, at: &str) {
    let shown = format!("{}\n{}", run.stdout, run.stderr);
    assert_eq!(run.verdict_lines(), 1, "one verdict line:\n{shown}");
    assert!(run.verdict().starts_with(at), "\n{shown}");
    assert_eq!(run.code, 10, "\n{shown}");
    assert!(run.stdout.contains("replayed"), "UNSAFE is said only after a replay:\n{shown}");
}
