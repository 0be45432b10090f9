//! Programs with threads: the examples get the verdicts that their first lines declare, traces name the thread of
//! each step, and unsupported features are reported with their place.

use std::fs;
use std::process::Command;
use testing::{Scratch, file};
use tests::{declared, example_names_in, root, slam};

const FOLDER: &str = "examples/threads";

#[test]
fn examples_get_their_verdicts() {
    for name in example_names_in(FOLDER) {
        let path = format!("{FOLDER}/{name}.c");
        let (declared, checks) = declared(&root().join(&path));
        let run = slam(&["check", &path, "--check", &checks, "--time-limit", "60s"]);
        let shown = format!("{name}:\n{}\n{}", run.stdout, run.stderr);
        assert_eq!(run.verdict_lines(), 1, "{shown}");
        match declared.as_str() {
            "SAFE" => {
                assert_eq!((run.verdict(), run.code), ("SAFE", 0), "{shown}");
                // What is decided while threads are put together is proved like the rest.
                assert!(
                    !run.stdout.contains("no execution comes") && !run.stdout.contains("not proved"),
                    "{shown}"
                );
            }
            _ => {
                assert!(run.verdict().starts_with(&format!("UNSAFE({checks})")), "{shown}");
                assert!(run.stdout.contains("replayed"), "{shown}");
                assert!(run.stdout.contains("[2] ") && run.stdout.contains("[1] "), "{shown}");
            }
        }
        assert!(run.stderr.contains("sequential consistency"), "{shown}");
    }
}

/// The verdict on a text.
fn verdict(name: &str, text: &str) -> String {
    checked(name, text, "reach")
}

/// The verdict on a text by these checks.
fn checked(name: &str, text: &str, checks: &str) -> String {
    let path = file(name, text);
    let run = slam(&["check", &path, "--check", checks, "--time-limit", "20s"]);
    assert_eq!(run.verdict_lines(), 1, "{}\n{}", run.stdout, run.stderr);
    run.verdict().split(" at ").next().unwrap_or_default().to_owned()
}

/// A program in which two threads execute `body`, and `main` then checks `condition`.
fn two(declarations: &str, body: &str, condition: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\nstatic int first = 2, second = 3;\n{declarations}\nstatic void *run(void *a) {{ {body} return 0; }}\n\
         int main(void) {{ pthread_t t, u; pthread_create(&t, 0, run, &first); pthread_create(&u, 0, run, &second);\n\
         pthread_join(t, 0); pthread_join(u, 0); assert({condition}); return 0; }}\n"
    )
}

/// Locking it twice does not end a thread whose mutex allows it.
#[test]
fn kinds_of_mutexes_are_not_taken_for_the_default() {
    let body = "pthread_mutex_lock(&m); pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); pthread_mutex_unlock(&m);";
    let with = |kind: &str| {
        let declarations = format!("static pthread_mutex_t m = {kind}; static int x;");
        format!("#define _GNU_SOURCE\n{}", two(&declarations, body, "x == 0"))
    };
    let recursive = with("PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP");
    assert_eq!(verdict("threads_kind.c", &recursive), "UNSAFE(reach)");
    let counts = recursive.replace("x = 1", "int seen = x; x = seen + 1").replace("x == 0", "x == 2");
    assert_eq!(checked("threads_kind_counts.c", &counts, "reach,race,deadlock"), "SAFE");
    let checking = with("PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP");
    let told =
        checking.replacen("pthread_mutex_lock(&m); x = 1;", "if (pthread_mutex_lock(&m) == 35) x = 1;", 1);
    assert_eq!(verdict("threads_kind_told.c", &told.replace("x == 0", "x == 1")), "SAFE");
    assert_eq!(verdict("threads_adaptive.c", &with("PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP")), "SAFE");
    assert_eq!(verdict("threads_default.c", &with("PTHREAD_MUTEX_INITIALIZER")), "SAFE");
    // The kind of a mutex whose number is not written by its name.
    let number = with("{ { .__kind = 1 } }");
    assert_eq!(verdict("threads_kind_number.c", &number), "ERROR(unsupported)");
}

/// A program whose two threads make one mutex of a kind, once, and lock it.
fn of_kind(kind: &str, body: &str, condition: &str) -> String {
    let make = format!(
        "#include <errno.h>\nstatic pthread_mutex_t m; static pthread_once_t once = PTHREAD_ONCE_INIT; static int x;\n\
         static void make(void) {{ pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, {kind});\n\
         pthread_mutex_init(&m, &a); pthread_mutexattr_destroy(&a); }}\n"
    );
    two(&make, &format!("pthread_once(&once, make); {body}"), condition)
}

/// A thread that locks its mutex again deadlocks, locks it once more, or gets an error, as the kind says; an
/// error-checking mutex cannot be unlocked by another thread.
#[test]
fn mutexes_of_all_kinds() {
    let twice =
        "pthread_mutex_lock(&m); if (pthread_mutex_lock(&m) == EXPECTED) x++; LESS pthread_mutex_unlock(&m);";
    let twice = |expected: &str, less: &str| twice.replace("EXPECTED", expected).replace("LESS", less);
    let unlock = "pthread_mutex_unlock(&m);";
    let recursive = |body: &str, condition| of_kind("PTHREAD_MUTEX_RECURSIVE", body, condition);
    assert_eq!(verdict("recursive.c", &recursive(&twice("0", unlock), "x == 2")), "SAFE");
    assert_eq!(checked("recursive_kept.c", &recursive(&twice("0", ""), "1"), "deadlock"), "UNSAFE(deadlock)");
    assert_eq!(checked("recursive_ends.c", &recursive(&twice("0", unlock), "1"), "deadlock"), "SAFE");
    // The second unlocking is the one that lets the other in.
    let early = "pthread_mutex_lock(&m); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); int seen = x; x = seen + 1; LAST";
    let held = early.replace("LAST", unlock);
    assert_eq!(verdict("recursive_held.c", &recursive(&held, "x == 2")), "SAFE");
    let open = held.replace("int seen", "pthread_mutex_unlock(&m); int seen").replace(" LAST", "");
    assert_eq!(verdict("recursive_open.c", &recursive(&open, "x == 2")), "UNSAFE(reach)");
    let checking = |body: &str, condition| of_kind("PTHREAD_MUTEX_ERRORCHECK", body, condition);
    assert_eq!(verdict("checking.c", &checking(&twice("EDEADLK", ""), "x == 2")), "SAFE");
    let other = "if (pthread_mutex_unlock(&m) == EPERM) __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);";
    assert_eq!(verdict("checking_unlock.c", &checking(other, "x == 2")), "SAFE");
    let plain = |body: &str, condition| of_kind("PTHREAD_MUTEX_NORMAL", body, condition);
    assert_eq!(checked("normal.c", &plain(&twice("0", unlock), "1"), "deadlock"), "UNSAFE(deadlock)");
    let once = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);";
    assert_eq!(checked("normal_once.c", &plain(once, "x == 2"), "reach,deadlock"), "SAFE");
    let tried = "if (pthread_mutex_trylock(&m) == 0) { x++; if (pthread_mutex_trylock(&m) == EBUSY) x++; }";
    assert_eq!(verdict("checking_try.c", &checking(tried, "x == 2")), "SAFE");
}

/// The threads of C11, which return numbers.
#[test]
fn threads_of_c11() {
    let text = "#include <assert.h>\n#include <threads.h>\nstatic mtx_t m; static int x; static tss_t key; static once_flag once;\n\
        static void make(void) { assert(tss_create(&key, 0) == thrd_success); }\n\
        static int run(void *a) { call_once(&once, make); tss_set(key, a); LOCK; int seen = x; x = seen + 1; UNLOCK;\n\
        assert(tss_get(key) == a); thrd_yield(); if (seen == 0) thrd_exit(7); return 8; }\n\
        int main(void) { thrd_t t, u; int r, s; mtx_init(&m, KIND);\n\
        if (thrd_create(&t, run, &t) != thrd_success) return 1;\n\
        if (thrd_create(&u, run, &u) != thrd_success) return 1;\n\
        thrd_join(t, &r); thrd_join(u, &s); assert(x == 2 && r + s == 15); mtx_destroy(&m); return 0; }\n";
    let with = |lock: &str, unlock: &str, kind: &str| {
        text.replace("UNLOCK", unlock).replace("LOCK", lock).replace("KIND", kind)
    };
    let plain = with("mtx_lock(&m)", "mtx_unlock(&m)", "mtx_plain");
    assert_eq!(verdict("c11.c", &plain), "SAFE");
    assert_eq!(verdict("c11_open.c", &with("", "", "mtx_plain")), "UNSAFE(reach)");
    let twice = |kind| with("mtx_lock(&m); mtx_lock(&m)", "mtx_unlock(&m); mtx_unlock(&m)", kind);
    assert_eq!(verdict("c11_recursive.c", &twice("mtx_recursive")), "SAFE");
    assert_eq!(checked("c11_twice.c", &twice("mtx_plain"), "deadlock"), "UNSAFE(deadlock)");
    let tried = with("while (mtx_trylock(&m) == thrd_busy) ;", "mtx_unlock(&m)", "mtx_plain | mtx_timed");
    assert_eq!(verdict("c11_tried.c", &tried), "SAFE");
}

/// Of some objects each thread has its own, with its initial value, wherever it is declared.
#[test]
fn objects_of_which_each_thread_has_its_own() {
    let own = "struct pair { int a; int b[2]; };\nstatic __thread int x = 3; _Thread_local struct pair p = { 1, { 2, 4 } };\n\
        extern __thread int later; static int sum;";
    let body = "static __thread int turns; turns++; x++; p.b[1] += x; later = later + 1;\n\
        assert(turns == 1 && x == 4 && p.a == 1 && p.b[0] == 2 && p.b[1] == 8 && later == 6);";
    let text = two(own, body, "x == 3 && p.b[1] == 4 && later == 5") + "__thread int later = 5;\n";
    assert_eq!(verdict("own.c", &text), "SAFE");
    assert_eq!(
        verdict("own_shared.c", &text.replace("static __thread int x", "static int x")),
        "UNSAFE(reach)"
    );
    // Its address is another one in each thread, and others may follow it.
    let given = "static __thread int x; static int *volatile where;";
    let body = "x = 1; where = &x; assert(x == 1);";
    assert_eq!(verdict("own_address.c", &two(given, body, "*where == 1 && x == 0")), "SAFE");
    let body = "int *other = where; where = &x; if (other) *other = 2; x = 1; assert(x == 1);";
    assert_eq!(verdict("own_reached.c", &two(given, body, "1")), "UNSAFE(reach)");
    assert_eq!(checked("own_race.c", &two("static __thread int x;", "x++;", "1"), "race"), "SAFE");
    let wrong = two("", "__thread int x = 1; x++;", "1");
    assert_eq!(verdict("own_local.c", &wrong), "ERROR(type)");
}

/// The arguments that a variadic function does not name are read, and so is what they name.
#[test]
fn variadic_functions_of_the_program() {
    let declarations = "static int x, n; static int say(const char *what, ...) { return ++n > 5; }";
    let body = "__VERIFIER_atomic_begin(); say(\"%d\", x); __VERIFIER_atomic_end(); x = 1;";
    let atomic =
        format!("void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void); {declarations}");
    assert_eq!(verdict("variadic.c", &two(&atomic, body, "n == 2 && x == 1")), "SAFE");
    assert_eq!(verdict("variadic_more.c", &two(&atomic, body, "n == 1")), "UNSAFE(reach)");
    let race = two(&atomic, "if (*(int *)a == 2) say(\"%d\", x); else x = 1;", "1");
    assert_eq!(checked("variadic_race.c", &race, "only:race"), "UNSAFE(race)");
}

/// What one thread leaves in `errno` is not what another one finds.
#[test]
fn errno_is_no_object_of_all_threads() {
    let declarations = "#include <errno.h>\n#include <stdlib.h>\nstatic int seen;";
    let body = "if (errno == 0) { errno = 1; seen++; }";
    let both = two(declarations, body, "seen < 2");
    assert_eq!(verdict("threads_errno.c", &both), "UNKNOWN(not modelled)");
}

#[test]
fn accesses_are_single_turns() {
    assert_eq!(verdict("threads_plain.c", &two("int x;", "x++;", "x == 2")), "UNSAFE(reach)");
    assert_eq!(verdict("threads_atomic.c", &two("_Atomic int x;", "x++;", "x == 2")), "SAFE");
    // Each of the reads of one sum sees what is there then.
    let twice = "static int x, seen = 0;";
    let body = "int sum = x + x; if (sum == 1) seen = 1; x = 1;";
    assert_eq!(verdict("threads_twice.c", &two(twice, body, "!seen")), "UNSAFE(reach)");
    // What an increment gives is what it read.
    let tickets = "static int next, same; static int taken[3];";
    let body =
        "__VERIFIER_atomic_begin(); int t = next++; __VERIFIER_atomic_end(); if (taken[t]++) same = 1;";
    let declared =
        format!("void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);\n{tickets}");
    assert_eq!(verdict("threads_tickets.c", &two(&declared, body, "!same")), "SAFE");
}

/// Programs with the atomic builtins, alone in one thread, print what the compiler's print.
#[test]
fn atomic_builtins_are_those_of_the_compiler() {
    let shown = [
        "__atomic_load_n(&x, 5)",
        "__atomic_exchange_n(&x, 7, 5)",
        "(__atomic_store_n(&x, 9, 3), x)",
        "(__atomic_load(&x, &got, 2), got)",
        "(__atomic_store(&x, &given, 5), x)",
        "__atomic_compare_exchange_n(&x, &expected, 11, 0, 5, 5)",
        "expected",
        "__atomic_compare_exchange_n(&x, &expected, 11, 0, 5, 5)",
        "__atomic_compare_exchange_n(&x, &expected, 12, 0, 5, 5)",
        "expected",
        "__atomic_fetch_add(&small, 10, 5)",
        "small",
        "__atomic_add_fetch(&small, 255, 5)",
        "__atomic_fetch_and(&wide, 0xf0L, 5)",
        "__atomic_nand_fetch(&wide, 0x30L, 5)",
        "__atomic_sub_fetch(&most, 1, 5)",
        "__sync_fetch_and_or(&x, 16)",
        "__sync_xor_and_fetch(&x, 3)",
        "__sync_bool_compare_and_swap(&x, 24, 1)",
        "__sync_val_compare_and_swap(&x, 1, 2)",
        "__sync_lock_test_and_set(&x, 6)",
        "(__sync_lock_release(&x), x)",
        "__atomic_exchange_n(&at, &given, 5) == &x",
        "*at",
        "__atomic_test_and_set(&flag, 5)",
        "flag",
        "(__atomic_clear(&flag, 5), flag)",
        "atomic_fetch_sub(&counter, 5)",
        "atomic_load(&counter)",
        "atomic_flag_test_and_set(&lock)",
        "atomic_flag_test_and_set(&lock)",
        "atomic_compare_exchange_strong(&counter, &seen, 1)",
        "seen",
        "(atomic_thread_fence(memory_order_seq_cst), 1)",
    ];
    let lines: String = shown.iter().map(|e| format!("printf(\"%ld\\n\", (long)({e}));\n")).collect();
    let text = format!(
        "#include <stdio.h>\n#include <stdbool.h>\n#include <stdatomic.h>\n\
         static int x = 5, got, given = 4, expected = 4, seen = 7; static unsigned char small = 250; static long wide = -1;\n\
         static int most = -2147483647 - 1; static int *at = &x; static bool flag;\n\
         static atomic_int counter = 3; static atomic_flag lock = ATOMIC_FLAG_INIT;\n\
         int main(void) {{\n{lines}return 0; }}\n"
    );
    let scratch = Scratch::new();
    let (source, binary) = (scratch.file("atomics.c", text), scratch.path().join("atomics"));
    let made = Command::new("cc").args(["-w", "-O0", "-o"]).args([&binary, &source]).output();
    let made = made.expect("the compiler can be run");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let native = Command::new(&binary).output().expect("the program can be run");
    let run = slam(&["run", &source.display().to_string()]);
    assert_eq!(run.stdout, String::from_utf8_lossy(&native.stdout), "{}", run.stderr);
}

#[test]
fn atomic_builtins_are_one_turn() {
    assert_eq!(verdict("threads_fetch.c", &two("int x;", "__atomic_fetch_add(&x, 1, 5);", "x == 2")), "SAFE");
    let swap =
        "int o = __atomic_load_n(&x, 5); while (!__atomic_compare_exchange_n(&x, &o, o + 1, 1, 5, 5)) ;";
    assert_eq!(verdict("threads_swap.c", &two("int x;", swap, "x == 2")), "SAFE");
    let torn = "int o = __atomic_load_n(&x, 5); __atomic_store_n(&x, o + 1, 5);";
    assert_eq!(verdict("threads_torn.c", &two("int x;", torn, "x == 2")), "UNSAFE(reach)");
    let spin = "while (__sync_lock_test_and_set(&lock, 1)) ; x++; __sync_lock_release(&lock);";
    assert_eq!(verdict("threads_spin.c", &two("int x, lock;", spin, "x == 2")), "SAFE");
    let relaxed = two("int x;", "__atomic_fetch_add(&x, 1, 0);", "x == 2");
    let run = slam(&["check", &file("threads_relaxed.c", relaxed)]);
    assert!(
        run.stderr.contains("the relaxed order is taken as the sequentially consistent one"),
        "{}",
        run.stderr
    );
}

/// Which function a pointer leads to is known where the pointer is.
#[test]
fn threads_and_calls_by_pointer() {
    let text = "#include <assert.h>\n#include <pthread.h>\nint __VERIFIER_nondet_int(void); static int x, y;\n\
        static void up(void) { x = 1; } static void down(void) { x = 2; }\n\
        static void (*change)(void) = up;\n\
        static void *one(void *a) { change(); return a; } static void *two(void *a) { y = 3; return a; }\n\
        int main(void) { pthread_t t; void *(*run)(void *) = __VERIFIER_nondet_int() ? one : two;\n\
        if (run == two) change = down;\n\
        pthread_create(&t, 0, run, 0); pthread_join(t, 0); assert(WHAT); return 0; }\n";
    assert_eq!(verdict("threads_pointer.c", &text.replace("WHAT", "x + y == 1 || x + y == 3")), "SAFE");
    assert_eq!(verdict("threads_pointer_2.c", &text.replace("WHAT", "x == 1")), "UNSAFE(reach)");
    assert_eq!(verdict("threads_pointer_3.c", &text.replace("WHAT", "y == 3")), "UNSAFE(reach)");
}

#[test]
fn what_a_thread_awaits_it_sees() {
    let text = "#include <assert.h>\n#include <pthread.h>\nstatic int made[2];\n\
        static void *run(void *a) { *(int *)a = 7; return a; }\n\
        int main(void) { pthread_t t, u; void *r;\n\
        pthread_create(&t, 0, run, &made[0]); pthread_create(&u, 0, run, &made[1]);\n\
        pthread_join(u, &r); assert(made[1] == 7 && r == &made[1]); WHAT return 0; }\n";
    assert_eq!(verdict("threads_joined.c", &text.replace("WHAT", "")), "SAFE");
    assert_eq!(verdict("threads_other.c", &text.replace("WHAT", "assert(made[0] == 7);")), "UNSAFE(reach)");
}

#[test]
fn what_is_not_supported_is_told() {
    let text = "#include <assert.h>\n#include <pthread.h>\nstatic int x;\nstatic void *run(void *a) { x = 1; return 0; }\n\
        int main(void) { pthread_t t; for (int i = 0; i < 10; i++) pthread_create(&t, 0, run, 0); assert(x >= 0); }\n";
    let many = file("threads_many.c", text);
    let run = slam(&["check", &many]);
    // Those that a loop starts may be any number; of races only those of few are looked for.
    assert_eq!(run.verdict(), "SAFE", "{}", run.stdout);
    let mut args = vec!["check", "--check", "only:deadlock", &many];
    let run = slam(&args);
    assert_eq!(run.verdict(), "UNKNOWN(not modelled)", "{}", run.stdout);
    assert!(run.stdout.contains("start fewer threads"), "{}", run.stdout);
    args.extend(["--max-threads", "10"]);
    assert_eq!(slam(&args).verdict(), "SAFE");
}

#[test]
fn a_run_takes_turns_as_well() {
    let path = format!("{FOLDER}/counter.c");
    assert!(fs::exists(root().join(&path)).unwrap_or(false));
    let run = slam(&["run", &path]);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
}

/// Which element of an array gets the number of a thread, and with which argument it is started, is known in a loop.
/// Workers with locks of their own, which `main` starts, awaits and then asks for what they did.
fn workers(number: usize) -> String {
    let worker = |n: usize| {
        format!(
            "static pthread_mutex_t lock{n} = PTHREAD_MUTEX_INITIALIZER;\nstatic int done{n};\n\
             static void *work{n}(void *a) {{ for (int i = 0; i < 3; i++) {{ pthread_mutex_lock(&lock{n});\n\
             int seen = done{n}; done{n} = seen + 1; pthread_mutex_unlock(&lock{n}); }} return 0; }}\n"
        )
    };
    let main = |line: &dyn Fn(usize) -> String| (0..number).map(line).collect::<String>();
    format!(
        "#include <assert.h>\n#include <pthread.h>\n{}int main(void) {{\npthread_t t[{number}];\n{}{}{}return 0; }}\n",
        main(&worker),
        main(&|n| format!("pthread_create(&t[{n}], 0, work{n}, 0);\n")),
        main(&|n| format!("pthread_join(t[{n}], 0);\n")),
        main(&|n| format!("assert(done{n} == 3);\n")),
    )
}

/// What one thread does before others await it is nothing that these can meet: threads by themselves cost their sum, and not
/// their product.
#[test]
fn threads_that_are_by_themselves_cost_their_sum() {
    let size = |number: usize| {
        let path = file(&format!("threads_workers_{number}.c"), workers(number));
        let run = slam(&["cmm", "--max-threads", "20", &path]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let (_, product) = run.stdout.split_once("proc void threads__").expect("the product is shown");
        product.lines().filter(|line| line.trim_start().starts_with('e')).count()
    };
    let (two, four, eight) = (size(2), size(4), size(8));
    assert!(four < 2 * two + two / 4 && eight < 2 * four + four / 4, "{two}, {four}, {eight} edges");
    let race = workers(4).replacen("int seen = done1", "int seen = done2", 1);
    assert_eq!(checked("threads_workers_race.c", &race, "only:race"), "UNSAFE(race)");
}

/// Threads that a loop starts, more than the bound; `main` looks at what they do when all were started.
fn crowd(body: &str, number: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\nint __VERIFIER_nondet_int(void);\n\
         static int c; static pthread_mutex_t m, n;\n\
         static void *run(void *a) {{ {body} return 0; }}\n\
         int main(void) {{ static pthread_t t[10000]; int number = {number};\n\
         for (int i = 0; i < number; i++) pthread_create(&t[i % 10000], 0, run, 0);\n\
         pthread_mutex_lock(&m); assert(c == 0); pthread_mutex_unlock(&m);\n\
         for (int i = 0; i < number; i++) pthread_join(t[i % 10000], 0); return 0; }}\n"
    )
}

/// More threads than the bound are any number; what is found so is a proof or nothing.
#[test]
fn any_number_of_threads() {
    let right = "pthread_mutex_lock(&m); c++; c--; pthread_mutex_unlock(&m);";
    for number in testing::sample(vec!["__VERIFIER_nondet_int()", "10000"], 2) {
        let path = file("threads_any.c", crowd(right, number));
        let json = std::path::Path::new(&path).with_extension("json").display().to_string();
        // With few threads the product of those within the bound, which is searched first, is small.
        let most = if testing::is_long() { "8" } else { "2" };
        let limits = ["--max-threads", most, "--time-limit", "180s"];
        let run = slam(&[&["check", "--certify", "--json", &json], &limits[..], &[&path]].concat());
        assert_eq!(run.verdict(), "SAFE", "{}\n{}", run.stdout, run.stderr);
        assert!(run.stdout.contains("threads: any number of those that loops start"), "{}", run.stdout);
        let result: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&json).expect("it was written")).expect("it is JSON");
        assert_eq!(result["diagnostics"].as_array().map(Vec::len), Some(1), "what is said is said once");
        let again = slam(&["certify", &path, &json]);
        assert_eq!(again.code, 0, "{}\n{}", again.stdout, again.stderr);
    }
    // Another lock, and one that is left too early.
    let early = right.replace("c++;", "c++; pthread_mutex_unlock(&m); pthread_mutex_lock(&m);");
    for wrong in testing::sample(vec![early, right.replace("&m", "&n")], 2) {
        let path = file("threads_any_wrong.c", crowd(&wrong, "10000"));
        let run = slam(&["check", "--time-limit", "2s", &path]);
        assert!(run.verdict() != "SAFE", "{wrong}: {}", run.stdout);
    }
    let few = crowd(right, "4");
    assert_eq!(verdict("threads_any_few.c", &few), "SAFE");
    assert_eq!(
        verdict(
            "threads_any_few_wrong.c",
            &few.replace("&m", "&n").replacen("(&n); assert", "(&m); assert", 1)
        ),
        "UNSAFE(reach)"
    );
}

/// With --any-threads no error is shown, and only the program's own checks are handled in that way.
#[test]
fn any_number_of_threads_shows_no_errors() {
    let wrong = crowd("c++;", "4");
    let path = file("threads_any_option.c", &wrong);
    let run = slam(&["check", "--any-threads", "--time-limit", "20s", &path]);
    assert!(run.verdict().starts_with("UNKNOWN("), "{}\n{}", run.stdout, run.stderr);
    let race = slam(&["check", "--any-threads", "--check", "only:race", "--time-limit", "20s", &path]);
    assert!(race.verdict().starts_with("UNSAFE(race)"), "{}\n{}", race.stdout, race.stderr);
    let overflow = "c = __VERIFIER_nondet_int(); int d = c + 1;";
    let path = file("threads_any_overflow.c", crowd(overflow, "10000"));
    let run = slam(&["check", "--check", "only:overflow", "--time-limit", "20s", &path]);
    assert!(run.verdict() != "SAFE", "{}\n{}", run.stdout, run.stderr);
}

#[test]
fn threads_that_a_loop_starts() {
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stddef.h>\nstatic int c; static pthread_mutex_t m;\n\
        static void *run(void *a) { LOCK c += (int)(size_t)a; UNLOCK return 0; }\n\
        int main(void) { pthread_t t[3];\n\
        for (size_t i = 0; i < 3; i++) pthread_create(&t[i], 0, run, (void *)(i + 1));\n\
        for (int i = 0; i < 3; i++) pthread_join(t[i], 0);\n\
        assert(c == 6); return 0; }\n";
    let locked =
        text.replace("UNLOCK", "pthread_mutex_unlock(&m);").replace("LOCK", "pthread_mutex_lock(&m);");
    assert_eq!(verdict("threads_loop.c", &locked), "SAFE");
    let open = text.replace("UNLOCK", "").replace("LOCK", "");
    assert_eq!(verdict("threads_loop_open.c", &open), "UNSAFE(reach)");
    let early = locked.replace("i < 3; i++) pthread_join", "i < 2; i++) pthread_join");
    assert_eq!(verdict("threads_loop_early.c", &early), "UNSAFE(reach)");
}

#[test]
fn races_are_between_accesses_that_are_not_atomic() {
    let race = |name, declarations: &str, body: &str| checked(name, &two(declarations, body, "1"), "race");
    assert_eq!(race("race_plain.c", "int x;", "x = 1;"), "UNSAFE(race)");
    assert_eq!(race("race_reads.c", "int x; int y[2];", "int z = x;"), "SAFE");
    assert_eq!(race("race_atomic.c", "_Atomic int x;", "x = x + 1; x++;"), "SAFE");
    assert_eq!(race("race_builtin.c", "int x;", "__atomic_fetch_add(&x, 1, 5);"), "SAFE");
    assert_eq!(race("race_half.c", "int x;", "__atomic_fetch_add(&x, 1, 5); int y = x;"), "UNSAFE(race)");
    let lock = "int x; static pthread_mutex_t m; static pthread_mutex_t n;";
    let locked = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);";
    assert_eq!(race("race_locked.c", lock, locked), "SAFE");
    let wrong =
        "pthread_mutex_t *l = *(int *)a == 2 ? &m : &n; pthread_mutex_lock(l); x++; pthread_mutex_unlock(l);";
    assert_eq!(race("race_wrong_lock.c", lock, wrong), "UNSAFE(race)");
    // Elements that differ, and members that do.
    let own = "x[*(int *)a - 2]++;";
    assert_eq!(race("race_elements.c", "int x[2];", own), "SAFE");
    assert_eq!(race("race_element.c", "int x[2];", "x[*(int *)a / 2]++; x[1] = 0;"), "UNSAFE(race)");
    let members = "if (*(int *)a == 2) x.a = 1; else x.b = 1;";
    assert_eq!(race("race_members.c", "struct { int a, b; } x;", members), "SAFE");
    let pointers = "int *p = *(int *)a == 2 ? &x : &y; *p = 1;";
    assert_eq!(race("race_pointers.c", "int x, y;", pointers), "SAFE");
    assert_eq!(race("race_pointer.c", "int x, y;", &pointers.replace("? &x", "? &y")), "UNSAFE(race)");
}

#[test]
fn a_race_shows_both_accesses() {
    let text = two("int x;", "if (!a) x = 1;\nx = 2;\n", "1");
    let run = slam(&["check", &file("race_shown.c", text), "--check", "race"]);
    assert_eq!(run.code, 10, "{}", run.stdout);
    assert!(run.stdout.contains("data race: what is written here"), "{}", run.stdout);
    assert!(run.stdout.contains("[2] x = 2") && run.stdout.contains("[3] x = 2"), "{}", run.stdout);
}

#[test]
fn deadlocks_are_waits_for_ever() {
    let locks = "static pthread_mutex_t m, n;";
    let dead = |name, body: &str| checked(name, &two(locks, body, "1"), "deadlock");
    let both = |one: &str, other: &str| {
        let of = |n: &str| format!("pthread_mutex_lock(&{n});");
        format!("{}{} pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);", of(one), of(other))
    };
    let turned = format!("if (*(int *)a == 2) {{ {} }} else {{ {} }}", both("m", "n"), both("n", "m"));
    assert_eq!(dead("deadlock_order.c", &both("m", "n")), "SAFE");
    assert_eq!(dead("deadlock_turned.c", &turned), "UNSAFE(deadlock)");
    assert_eq!(dead("deadlock_twice.c", &both("m", "m")), "UNSAFE(deadlock)");
    assert_eq!(dead("deadlock_kept.c", "pthread_mutex_lock(&m);"), "UNSAFE(deadlock)");
    let tried = "pthread_mutex_lock(&m); while (pthread_mutex_trylock(&n)) ; pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);";
    assert_eq!(dead("deadlock_tried.c", tried), "SAFE");
    // An execution that ends leaves nobody waiting.
    let text = two("static int x;", "if (x++) __builtin_abort();", "1");
    assert_eq!(checked("deadlock_abort.c", &text, "deadlock"), "SAFE");
    let all = slam(&["check", &file("deadlock_shown.c", two(locks, &turned, "1")), "--check", "deadlock"]);
    assert!(all.stdout.contains("waits for ever, thread 1 at line"), "{}", all.stdout);
}

#[test]
fn semaphores_barriers_and_specific_data() {
    let semaphore = "#include <semaphore.h>\nstatic sem_t s; static int x, set;";
    let body = "if (*(int *)a == 2) { sem_init(&s, 0, 1); set = 1; } while (!set) ; sem_wait(&s); x++; sem_post(&s);";
    assert_eq!(verdict("semaphore.c", &two(semaphore, body, "x == 2")), "SAFE");
    let open = body.replace("0, 1", "0, 2");
    assert_eq!(verdict("semaphore_two.c", &two(semaphore, &open, "x == 2")), "UNSAFE(reach)");
    let kept = "sem_wait(&s);";
    assert_eq!(checked("semaphore_kept.c", &two(semaphore, kept, "1"), "deadlock"), "UNSAFE(deadlock)");
    let barrier = |count: u32| {
        format!(
            "#include <assert.h>\n#include <pthread.h>\nstatic pthread_barrier_t b; static int x[2], sum, first = 2, second = 3;\n\
             static void *run(void *a) {{ x[*(int *)a - 2] = 1; pthread_barrier_wait(&b); assert(x[0] + x[1] == 2);\n\
             return 0; }}\nint main(void) {{ pthread_t t, u; pthread_barrier_init(&b, 0, {count});\n\
             pthread_create(&t, 0, run, &first); pthread_create(&u, 0, run, &second); pthread_join(t, 0); pthread_join(u, 0); }}\n"
        )
    };
    assert_eq!(checked("barrier.c", &barrier(2), "reach,deadlock"), "SAFE");
    assert_eq!(verdict("barrier_one.c", &barrier(1)), "UNSAFE(reach)");
    assert_eq!(checked("barrier_three.c", &barrier(3), "deadlock"), "UNSAFE(deadlock)");
    let key = "#include <stdlib.h>\nstatic pthread_key_t k; static int bad; static pthread_once_t o;\n\
        static void make(void) { pthread_key_create(&k, 0); }";
    let specific = "pthread_once(&o, make); if (pthread_getspecific(k)) bad = 1; pthread_setspecific(k, &bad);\n\
        if (pthread_getspecific(k) != &bad) bad = 1;";
    assert_eq!(verdict("specific.c", &two(key, specific, "!bad")), "SAFE");
}
