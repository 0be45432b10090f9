//! What keeps the loop short and cheap: each case fails, or takes far more, without it.

const HEAD: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";

/// A machine whose state is kept in a copy for a while.
const MACHINE: &str = "int main(void) {
    int state = 10, seen = 0, saved, turn;
    while (__VERIFIER_nondet_int()) {
        saved = state;
        turn = __VERIFIER_nondet_int();
        if (state == 10) {
            state = 20;
        } else if (state == 20) {
            if (seen == 0) seen = 1;
            state = turn ? 30 : 40;
        } else if (state == 30) {
            if (seen == 1) seen = 2;
            state = 40;
        } else if (state == 40) {
            if (seen == 4) reach_error();
            state = 50;
        } else if (state == 50) {
            if (seen == 3) seen = 4;
            state = turn ? 20 : 60;
        }
        if (turn == 7) {
            int now = state;
            state = saved;
            if (now == 60) return 0;
            state = now;
        }
    }
    return 0;
}
";

/// Names for numbers that a procedure sets once, and a state that holds them.
const NAMES: &str = "int FREE, BUSY, DONE, s;
void init(void) { FREE = 1; BUSY = 2; DONE = 3; s = FREE; }
int step(void) {
    if (s == FREE) { s = BUSY; return 0; }
    if (s == BUSY) { s = DONE; return 0; }
    return s == DONE;
}
int main(void) {
    init();
    while (__VERIFIER_nondet_int())
        step();
    if (s != FREE && s != BUSY && s != DONE)
        reach_error();
    return 0;
}
";

/// The verdict, and the figures with these names.
fn check<const N: usize>(name: &str, program: &str, figures: [&str; N]) -> (String, [u64; N]) {
    let path = testing::file(name, format!("{HEAD}{program}"));
    let (out, err, _) = slam::run(&["check", "--stats", &path].map(str::to_owned));
    let value = |name: &str| {
        let line = out.lines().chain(err.lines()).find_map(|l| l.strip_prefix(&format!("STAT {name}: ")));
        line.and_then(|l| l.parse().ok()).unwrap_or_else(|| panic!("no figure {name} in\n{out}{err}"))
    };
    let verdict = out.lines().last().unwrap_or_default().to_owned();
    (verdict, figures.map(value))
}

#[test]
fn diagrams_hold_what_is_read_later_and_no_more() {
    let (verdict, [iterations, nodes]) = check("machine.c", MACHINE, ["iterations", "bdd-nodes"]);
    assert_eq!(verdict, "VERDICT: SAFE");
    // More than 1,300 nodes when `enforce` keeps its variables alive.
    assert!(nodes < 1000 && iterations <= 12, "{iterations} iterations, {nodes} nodes");
}

#[test]
fn globals_that_a_procedure_sets_once_are_constants() {
    let (verdict, [predicates, calls]) = check("names.c", NAMES, ["predicates", "prover-calls"]);
    assert_eq!(verdict, "VERDICT: SAFE");
    // `s == BUSY` is `s == 2`: nothing is asked about FREE, BUSY, DONE.
    assert!(predicates <= 3 && calls == 0, "{predicates} predicates, {calls} calls of the prover");
}
