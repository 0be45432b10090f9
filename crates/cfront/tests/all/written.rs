//! Reads of memory that nothing has written: random programs fill their locals by name, by loops of callees, and by copies,
//! and read them again. A check for such reads fails exactly when the interpreter meets one.

use cfront::Options;
use cmm::interp::{Inputs, Limits, Outcome, UninitRead, Value};
use cmm::{CheckKind, EdgeId, HavocKind, LocId, ProcId, Type};
use std::sync::atomic::AtomicBool;
use testing::Dice;

const PROGRAMS: u64 = 600;

const HEAD: &str = "void *memset(void *, int, unsigned long);
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
static struct s made(int k) { struct s r; fill(r.t, k); r.x = k; return r; }
";

fn statement(r: &mut Dice) -> String {
    let (object, other) = (r.word(&["a", "a", "b"]), r.word(&["a", "b", "b"]));
    let (k, array) = (r.below(5), r.word(&["v", "v", "a.t", "b.t", "a.t"]));
    let (index, member) = (r.below(4), r.below(7));
    let writes = match r.below(20) {
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
    (0..3 + r.below(7)).map(|_| format!("    {}\n", statement(&mut r))).collect()
}

const LOCALS: &str = "struct s a, b; int v[4], n, *p = &n, total = 0;";

/// Locals begin their lives in a function that is called twice, in a block of a loop, and in two blocks.
fn programs(statements: &str) -> [String; 3] {
    let block = format!("{{ {LOCALS}\n{statements}}}\n");
    [
        format!(
            "static int work(int turn) {{ {LOCALS}\n{statements}return total; }}\n\
             int main(void) {{ work(0); return work(1); }}"
        ),
        format!("int main(void) {{ for (int turn = 0; turn < 2; turn++) {block}return 0; }}"),
        format!("int main(void) {{ int turn = 0; {block}turn = 1; {block}return 0; }}"),
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
    let run = cmm::interp::run(&program, &mut inputs, &Limits::default(), &AtomicBool::new(false));
    (run.outcome, inputs.read_garbage)
}

#[test]
fn a_check_fails_exactly_when_what_is_read_was_never_written() {
    let (mut failing, mut whole) = (0, 0);
    for seed in 0..PROGRAMS {
        let statements = statements(seed);
        let programs = programs(&statements);
        // The interpreter knows what is garbage when locals begin their lives with the call.
        let (free, is_garbage_read) = run(&programs[0], vec![]);
        assert!(matches!(free, Outcome::Finished(_)), "nothing else is undefined: {free:?}\n{statements}");
        // What is copied has some value in the run, which is all that it can tell; checks expect the worst.
        let copies = statements.contains("copy(") || statements.contains("made(");
        for (n, program) in programs.iter().enumerate() {
            let (checked, after) = run(program, vec![CheckKind::Uninit]);
            let fails = matches!(checked, Outcome::CheckFailed(_));
            assert!(!after, "a check stands before each read: {checked:?}\n{program}");
            // The second turn of a loop finds arbitrary values in the run, too.
            let is_known = !copies && (n != 1 || fails);
            assert!(fails == is_garbage_read || !is_known, "{checked:?}, {free:?}:\n{program}");
            failing += u64::from(fails);
            whole += u64::from(!fails);
        }
    }
    assert!(PROGRAMS / 2 < failing && PROGRAMS / 2 < whole, "of both kinds: {failing} fail, {whole} do not");
}
