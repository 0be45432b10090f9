//! Objects of several types from one allocator of the program's own: the answers are those for an allocator that is a macro, and
//! proofs and errors can be checked again.

use tests::slam;

const DRIVER: &str = "examples/heap/driver.c";

#[test]
fn an_allocator_may_be_a_function_or_a_macro() {
    for options in [&[][..], &["-D", "MACRO"]] {
        for without in ["nothing", "executions"] {
            let limits = ["--time-limit", "60s", "--without", without];
            let safe = slam(&[&["check", DRIVER][..], options, &limits].concat());
            assert_eq!(safe.verdict(), "SAFE", "{options:?}\n{}", safe.stdout);
            let broken = slam(&[&["check", "-D", "BROKEN", DRIVER][..], options, &limits].concat());
            assert_eq!(broken.verdict(), "UNSAFE(reach) at examples/heap/driver.c:36", "{}", broken.stdout);
        }
    }
}

#[test]
fn proofs_and_errors_with_copies_of_an_allocator_are_checked_again() {
    let scratch = testing::Scratch::new();
    let json = scratch.path().join("result.json").to_str().expect("scratch paths are UTF-8").to_owned();
    assert_eq!(slam(&["check", "--json", &json, DRIVER]).verdict(), "SAFE");
    assert_eq!(slam(&["certify", DRIVER, &json]).verdict(), "SAFE");
    let broken = slam(&["check", "-D", "BROKEN", "--tune", "without=executions", "--json", &json, DRIVER]);
    assert_eq!(broken.verdict(), "UNSAFE(reach) at examples/heap/driver.c:36");
    // The copies have the source's names.
    assert!(!broken.stdout.contains("kmalloc__"), "{}", broken.stdout);
    let replayed = slam(&["replay", DRIVER, &json]);
    let expected = "UNSAFE(reach) at examples/heap/driver.c:36 (assuming -D BROKEN)";
    assert_eq!(replayed.verdict(), expected, "{}", replayed.stdout);
}

#[test]
fn points_to_shows_an_object_for_each_call() {
    let run = slam(&["points-to", DRIVER]);
    assert!(run.stdout.contains("kmalloc__2"), "{}", run.stdout);
    assert!(!run.stdout.contains("objects without their layout"), "{}", run.stdout);
}
