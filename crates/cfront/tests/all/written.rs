//! Reads of memory that nothing has written: random programs fill their locals by name, by loops of callees, and by copies,
//! and read them again. A check for such reads fails exactly when the interpreter meets one.

use cfront::Options;
use interp::{Inputs, Limits, Outcome, UninitRead, Value};
use ir::{CheckKind, EdgeId, HavocKind, LocId, ProcId, Type};
use std::sync::atomic::AtomicBool;
use testing::Dice;

const PROGRAMS: u64 = 200;

const HEAD: &str = "void *memset(void *, int, unsigned long); void *malloc(unsigned long);
void exit(int); void *memcpy(void *, const void *, unsigned long);
struct s { int x; int t[4]; char c; int y; };
static void fill(int *p, int k) { for (int i = 0; i < k; i++) p[i] = i; }
static void down(int *p, int k) { while (k-- > 0) p[k] = k; }
static void one(int *p, int k) { p[k] = 7; }
static int get(int *p, int k) { return p[k]; }
static int sum(struct s *q, int k) { int r = 0; for (int i = 0; i < k; i++) r += q->t[i]; return r; }
static void copy(struct s *q, struct s *r) { *q = *r; }
static void put(struct s *q, int k) {
    switch (k) {
    case 0: q->x = 1; break;
    case 1: q->y = 2; break;
    case 2: q->c = 3; break;
    default: q->t[k - 3] = 4;
    }
}
static int look(struct s *q, int k) { return k == 0 ? q->x : k == 1 ? q->y : k == 2 ? q->c : q->t[k - 3]; }
static struct s all(int k) { struct s r; r.x = k; r.y = r.c = 1; r.t[0] = r.t[1] = r.t[2] = r.t[3] = 2; return r; }
static struct s most(int k) { struct s r; r.x = k; r.y = r.c = 1; if (k) r.t[0] = r.t[1] = 2; return r; }
static int by_value(struct s q) { return q.x + q.c; }
static struct s *held;
static struct s *fresh(int k) {
    struct s *r = malloc(sizeof *r);
    if (!r) exit(1);
    r->y = 1;
    if (k) { r->x = 2; r->c = 3; }
    return r;
}
static void init(struct s *q) { q->x = 1; q->c = 2; q->t[1] = 3; }
static void init_all(struct s *q) { init(q); q->y = 4; q->t[0] = q->t[2] = q->t[3] = 5; }
static void hold(struct s *q) { held = q; }
static void init_other(struct s *q) { q = held; q->y = 1; }
static int zero, *slot, k;
static int deep(struct s *q, int k) { if (k > 0) return deep(q, k - 1); q->y = 6; return q->y; }
static int give(int *out, int k) { if (k > 2) return 0; *out = k; return 1; }
static void give_on(int *out, int k) { if (k) give(out, k); else *out = give(&zero, k); }
static void mark(int (*p)[3], int i, int j) { p[i][j] = 5; }
static void rows(int p[2][3], int k) { for (int i = 0; i < k; i++) for (int j = 0; j < 3; j++) p[i][j] = j; }
static void turned(int p[2][3], int k) { for (int j = 0; j < k; j++) for (int i = 0; i < 2; i++) p[i][j] = j; }
static int at(int p[2][3], int i, int j) { return p[i][j]; }
static struct s made(int k) { struct s r; fill(r.t, k); r.x = k; return r; }
";

/// How many kinds of statements there are.
const KINDS: usize = 56;

/// A statement of one of these kinds.
fn statement(r: &mut Dice, kinds: &[usize]) -> String {
    let (object, other) = (r.word(&["a", "a", "b"]), r.word(&["a", "b", "b"]));
    let (k, array) = (r.below(5), r.word(&["v", "v", "a.t", "b.t", "a.t"]));
    let (index, member) = (r.below(4), r.below(7));
    let pointer = r.word(&["h", "h", "q", "held", "&a"]);
    let matrix = r.word(&["m", "m", "w"]);
    let writes = match *r.of(kinds) {
        20 => format!("h = fresh({});", k / 2),
        21 => format!("q = {};", r.word(&["h", "&a", "&b", "held"])),
        22 => format!("hold({pointer});"),
        23 => format!("held = {pointer};"),
        24 => format!("init({pointer});"),
        25 => format!("init_all({pointer});"),
        26 => format!("total += deep({pointer}, {k});"),
        27 => format!("({pointer})->{} = {k};", r.word(&["x", "y", "c"])),
        28 => format!("p = &({pointer})->{};", r.word(&["x", "y", "t[0]", "t[2]"])),
        29 => format!("{{ p = &({pointer})->x; p += {index}; }}"),
        30 => format!("total += ({pointer})->{};", r.word(&["x", "y", "c", "t[1]"])),
        31 => format!("if (({pointer})->y) total += ({pointer})->x;"),
        0..3 => format!("fill({array}, {k});"),
        3 => format!("down({array}, {k});"),
        4 => format!("one({array}, {index});"),
        5 | 6 => format!("put(&{object}, {member});"),
        7 => format!("{object}.x = {k};"),
        8 => format!("{array}[{index}] = {k};"),
        9 => format!("memset(&{object}, 0, sizeof {object});"),
        10 => format!("memset({array}, 0, {});", 4 * k.min(4)),
        11 => format!("*p = {k};"),
        12 => format!("p = {};", r.word(&["&n", "&a.x", "v", "a.t", "b.t", "&n"])),
        13 if r.one_in(3) => format!("copy(&{object}, &{other});"),
        13 => format!("fill({array}, {k});"),
        14 if r.one_in(3) => format!("{object} = made({k});"),
        32 => format!("init_other({pointer});"),
        33 => format!("{} = {};", r.word(&["slot", "far"]), r.word(&["&n", "p", "&zero"])),
        34 => format!("{} = {k};", r.word(&["*slot", "*far", "*p", "n", "n"])),
        35 => format!("total += *{};", r.word(&["slot", "far", "p"])),
        36 => format!("{object} = all({k});"),
        37 => format!("*({pointer}) = {}({k});", r.word(&["all", "most"])),
        38 => format!("*({pointer}) = {other};"),
        39 => format!("memcpy({pointer}, &{other}, {});", r.word(&["sizeof a", "8", "4", "21", "k * 4"])),
        40 => format!("total += by_value({});", r.word(&["a", "b", "*q", "*h"])),
        41 => format!("total += ((char *)({pointer}))[{}];", r.word(&["1", "20", "21", "23"])),
        42 | 43 => format!("give({}, {k});", r.word(&["&n", "&o", "&a.x", "&b.y", "&v[0]"])),
        44 => format!("give_on({}, {k});", r.word(&["&n", "&o", "&a.x", "p"])),
        45 | 46 => format!("total += {};", r.word(&["n", "o", "a.x", "b.y"])),
        47 => format!("mark({matrix}, {}, {});", index % 2, member % 3),
        48 => format!("rows({matrix}, {});", index % 3),
        49 => format!("turned({matrix}, {index});"),
        50 => format!("{matrix}[{}][{}] = {k};", index % 2, member % 3),
        51 => format!("total += {matrix}[{}][{}];", index % 2, member % 3),
        52 => format!("total += at({matrix}, {}, {});", index % 2, member % 3),
        53 => format!("memset({matrix}, 0, {});", r.word(&["sizeof m", "12", "4"])),
        _ => match r.below(6) {
            0 => format!("total += get({array}, {index});"),
            1 => format!("total += look(&{object}, {member});"),
            2 => format!("total += sum(&{object}, {k});"),
            3 => format!("total += {array}[{index}];"),
            4 => "total += *p;".to_owned(),
            _ => format!("total += {object}.{};", r.word(&["x", "y", "c"])),
        },
    };
    match r.below(6) {
        0 => format!("if (turn) {writes}"),
        1 => format!("if (!turn) {writes}"),
        _ => writes,
    }
}

/// Statements that are executed twice, with the variable `turn` 0 and 1.
fn statements(seed: u64) -> String {
    let mut r = Dice::new(seed);
    // Few kinds at a time, so that they meet.
    let most = if r.one_in(3) { KINDS } else { 6 };
    let kinds: Vec<usize> = (0..most).map(|_| r.below(KINDS)).collect();
    (0..3 + r.below(7)).map(|_| format!("    {}\n", statement(&mut r, &kinds))).collect()
}

const LOCALS: &str = "struct s a, b, *h = malloc(sizeof *h), *q = &a; int v[4], m[2][3], w[2][3], n, o, *p = &n, total = 0; \
     if (!h) exit(1); held = h; far = slot = &zero;";

/// Locals begin their lives in a function that is called twice, in a block of a loop, in two blocks, and again in one block;
/// there, addresses of their former lives are still at hand.
fn programs(statements: &str) -> [String; 4] {
    let block = format!("{{ {LOCALS}\n{statements}}}\n");
    [
        format!(
            "static int work(int turn) {{ int *far; {LOCALS}\n{statements}return total; }}\n\
             int main(void) {{ work(0); return work(1); }}"
        ),
        format!("int main(void) {{ int *far; for (int turn = 0; turn < 2; turn++) {block}return 0; }}"),
        format!("int main(void) {{ int *far; int turn = 0; {block}turn = 1; {block}return 0; }}"),
        format!(
            "int main(void) {{ int *far = slot = &zero, turn = 0; again:; {}\n{statements}\
             if (!turn) {{ turn = 1; goto again; }} return 0; }}",
            LOCALS.replace("far = slot = &zero;", "")
        ),
    ]
}

/// Every input is zero; notes whether memory was read that nothing had written.
#[derive(Default)]
struct Zeros {
    read_garbage: bool,
}

impl Inputs for Zeros {
    fn havoc(&mut self, _: ProcId, _: EdgeId, _: &HavocKind, ty: &Type) -> Value {
        if ty.is_ptr() { Value::Null } else { Value::Int(0) }
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, _: &[EdgeId]) -> usize {
        0
    }

    fn leaves_uninitialised(&self) -> bool {
        true
    }

    fn uninit(&mut self, read: &UninitRead, _: &Type) -> Value {
        self.read_garbage |= !read.whole;
        Value::Int(0)
    }
}

/// How the program ends with the checks, and whether it read garbage before.
fn run(program: &str, checks: Vec<CheckKind>) -> (Outcome, bool) {
    let options = Options { checks, need_checks: false, ..Options::default() };
    let program = crate::common::load_with(&format!("{HEAD}{program}"), &options).program;
    let mut inputs = Zeros::default();
    let run = interp::run(&program, &mut inputs, &Limits::default(), &AtomicBool::new(false));
    (run.outcome, inputs.read_garbage)
}

#[test]
fn a_check_fails_exactly_when_what_is_read_was_never_written() {
    let (mut failing, mut whole) = (0, 0);
    let programs_tried = testing::number("WRITTEN_PROGRAMS", PROGRAMS);
    for seed in 0..programs_tried {
        let statements = statements(seed);
        let programs = programs(&statements);
        // Without checks, structures are copied member by member, which counts as reads.
        let copies = ["made(", "cpy(", "copy(", "all(", "most(", ") = a;", ") = b;", "by_value("];
        let copies = copies.iter().any(|c| statements.contains(c));
        for program in &programs {
            let (free, is_garbage_read) = run(program, vec![]);
            assert!(matches!(free, Outcome::Finished(_)), "nothing else is undefined: {free:?}\n{program}");
            let (checked, after) = run(program, vec![CheckKind::Uninit]);
            let fails = matches!(checked, Outcome::CheckFailed(_));
            assert!(!after, "a check stands before each read: {checked:?}\n{program}");
            assert!(fails == is_garbage_read || copies, "{checked:?}, {free:?}:\n{program}");
            failing += u64::from(fails);
            whole += u64::from(!fails);
        }
    }
    assert!(
        programs_tried / 2 < failing && programs_tried / 2 < whole,
        "of both kinds: {failing} fail, {whole} do not"
    );
}

/// Bodies of `main` that read garbage at their ends.
const BROKEN: &[&str] = &[
    // Only a part of what is copied is written.
    "struct s a, b, *q = &a; init_all(&a); b.x = 1; *q = b; return a.t[1];",
    "struct s a, b, *q = &a; init_all(&a); b.x = 1; memcpy(q, &b, sizeof b); return q->y;",
    "struct s *h = fresh(1), b; init_all(h); b.x = 1; *h = b; return h->y;",
    "struct s a, *q = &a; init_all(&a); *q = most(0); return a.t[1];",
    "struct s a, b, c, *q = &b; init_all(&c); b = c; a.x = 1; *q = a; c = b; return c.y;",
    "struct s *h = fresh(0), b = all(1); held = &b; *held = *h; return by_value(b);",
    // Padding is not copied as a value.
    "struct s a, *q = &a; memset(q, 0, sizeof a); *q = all(1); return ((char *)q)[22];",
    "struct s a, *q = &a; char t[28]; memset(q, 0, sizeof a); *q = all(1); memcpy(t, q, 28); return t[22];",
    // A callee that gets an address need not write there.
    "struct s a; init(&a); return a.t[0];",
    "struct s a; held = &a; init_other(fresh(1)); return a.x;",
    "struct s *h = fresh(0); return h->x;",
    "struct s *h = malloc(sizeof *h); held = h; hold(h); h->x = 1; return held->y;",
    "struct s *h = fresh(1); h = h->x ? fresh(0) : h; return h->c;",
    // An old address of a variable that begins its life again.
    "int *far = &zero, turn = 0, total = 0; again:; int n; if (turn) total += *far; n = 1; far = &n; \
     if (!turn) { turn = 1; goto again; } return total;",
    "int turn = 0, total = 0; slot = &zero; again:; int n; if (turn) total += *slot; n = 1; slot = &n; \
     if (!turn) { turn = 1; goto again; } return total;",
    "for (int turn = 0; turn < 2; turn++) { struct s a, *q = &a; if (!turn) init_all(q); k += q->y; } return k;",
];

/// Bodies of `main` in which nothing needs a check.
const CLEAR: &[&str] = &[
    "struct s a, b, *q = &a; init_all(&b); *q = b; return q->t[1] + q->y + by_value(b);",
    "struct s a = all(1), b; b = a; held = &b; return held->c + b.t[3];",
    "struct s *h = fresh(1); init_all(h); held = h; return h->x + held->t[2];",
    "struct s a; init_all(&a); return deep(&a, 3) + a.c;",
    "struct s *h = malloc(sizeof *h); if (!h) return 1; memset(h, 0, sizeof *h); hold(h); return held->y;",
    "struct s *h = fresh(0); return h->y;",
    "struct s a; memset(&a, 0, sizeof a); struct s *q = &a; int *p = &q->x; p += 2; return *p + q->c;",
];

/// The program with these checks, and how it runs.
fn body(text: &str) -> (usize, Outcome, bool) {
    let program = format!("int main(void) {{ {text} }}");
    let options = Options { checks: vec![CheckKind::Uninit], need_checks: false, ..Options::default() };
    let checks = crate::common::load_with(&format!("{HEAD}{program}"), &options).program.checks.len();
    let (outcome, garbage) = run(&program, vec![CheckKind::Uninit]);
    (checks, outcome, garbage)
}

#[test]
fn what_is_left_without_a_value_is_not_read() {
    for text in BROKEN {
        let (_, outcome, garbage) = body(text);
        assert!(!garbage && matches!(outcome, Outcome::CheckFailed(_)), "{outcome:?}: {text}");
    }
    for text in CLEAR {
        let (_, outcome, garbage) = body(text);
        assert!(!garbage && matches!(outcome, Outcome::Finished(_)), "{outcome:?}: {text}");
    }
}

#[test]
fn what_is_written_on_all_paths_needs_no_check() {
    for text in CLEAR {
        let (checks, ..) = body(text);
        assert_eq!(checks, 0, "{text}");
    }
}
