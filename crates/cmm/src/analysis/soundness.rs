//! The oracle against the interpreter: random programs run concretely, and in every state everything that the
//! program's lvalues and other ones stand for must be as the oracle says; slices and resolved calls must fail the
//! checks that the program fails.

use super::*;
use crate::expr::{Expr, Lvalue};
use crate::interp::{self, Inputs, ObjectId, ObjectKind, Outcome, State, UninitRead, Value};
use crate::program::{EdgeId, HavocKind, LocId, PathStep, ProcId, Program, VarKind};
use crate::types::Type;
use crate::{parse, print};
use base::Id;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::AtomicBool;

const DECLARATIONS: &str = "model LP64; entry main;
struct list { int v; struct list *next; int *p; };
struct pair { int tag; struct list a; int arr[3]; struct list *q; };
union both { int i; int *p; long n; };
union one { int i; char c; };
struct tagged { int tag; union both b; int after; };
global int x; global int y; global int arr[4]; global struct list s; global struct list t;
global struct pair pr; global union both u; global union one w; global struct tagged tg; global int *gp; global int **pp; global char buf[24];
global int (*fp)(struct list *, int *);
extern int *outside(struct list *, int *);
";

const INTS: &[&str] = &[
    "x",
    "y",
    "i",
    "j",
    "arr[i & 3]",
    "arr[1]",
    "arr[2]",
    "s.v",
    "t.v",
    "*p",
    "*q",
    "p[1]",
    "l->v",
    "l->next->v",
    "pr.tag",
    "pr.a.v",
    "pr.arr[j & 1]",
    "pr.arr[2]",
    "**pp",
    "tg.tag",
    "tg.b.i",
    "tg.after",
    "u.i",
    "w.i",
    "*l->p",
    "f",
    "m->a.v",
    "m->tag",
    "m->q->v",
];
const INT_PTRS: &[&str] =
    &["p", "q", "gp", "*pp", "s.p", "t.p", "l->p", "pr.a.p", "tg.b.p", "u.p", "l->next->p", "h"];
const LISTS: &[&str] = &["l", "k", "s.next", "t.next", "l->next", "pr.q", "pr.a.next", "m->q"];

/// Picks by successive bytes of a tape.
struct Tape<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Tape<'_> {
    fn pick(&mut self, n: usize) -> usize {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(byte) % n
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.pick(of.len())]
    }

    fn int(&mut self) -> String {
        match self.pick(6) {
            0 => "1".into(),
            1 => format!("{} + 1", self.one(INTS)),
            2 => "(int)n".into(),
            3 => format!("{} == {}", self.one(INT_PTRS), self.one(INT_PTRS)),
            _ => self.one(INTS).into(),
        }
    }

    fn int_ptr(&mut self) -> String {
        match self.pick(12) {
            0 => format!("&{}", self.one(INTS)),
            1 => format!("&{}", self.one(&["x", "y", "arr[0]", "s.v", "pr.arr[1]", "l->v"])),
            2 => "(int *)c".into(),
            3 => self
                .one(&["(int *)z", "(int *)((char *)&tg.b.i + 8L)", "&tg.b.i", "(int *)((char *)pp - 8L)"])
                .into(),
            4 => "(int *)n".into(),
            5 => format!("{} + {}", self.one(INT_PTRS), self.one(&["1", "j", "-1"])),
            6 => format!("(int *){}", self.one(LISTS)),
            _ => self.one(INT_PTRS).into(),
        }
    }

    fn list(&mut self) -> String {
        match self.pick(12) {
            0 => "&s".into(),
            1 => "&t".into(),
            2 => "&pr.a".into(),
            3 => "(struct list *)z".into(),
            4 => "(struct list *)((char *)pp - 16L)".into(),
            5 => format!("(struct list *){}", self.one(&["c", "q", "m"])),
            6 => "&m->a".into(),
            _ => self.one(LISTS).into(),
        }
    }

    fn char_ptr(&mut self) -> String {
        match self.pick(6) {
            0 => "c + 8L".into(),
            1 => "c - 8L".into(),
            2 => "&buf[0]".into(),
            3 => format!("(char *){}", self.one(LISTS)),
            4 => format!("(char *){}", self.one(INT_PTRS)),
            _ => "(char *)pp - 8L".into(),
        }
    }

    fn pointer(&mut self) -> String {
        match self.pick(5) {
            0 => self.one(LISTS).into(),
            1 => "c".into(),
            2 => "m".into(),
            3 => self.one(&["&u", "&buf", "&pr", "pp", "&tg", "&tg.b"]).into(),
            _ => self.one(INT_PTRS).into(),
        }
    }

    fn operation(&mut self) -> String {
        match self.pick(26) {
            0..=5 => format!("{} = {};", self.one(INTS), self.int()),
            6..=9 => format!("{} = {};", self.one(INT_PTRS), self.int_ptr()),
            10..=13 => format!("{} = {};", self.one(LISTS), self.list()),
            14 => {
                format!(
                    "pp = {};",
                    self.one(&["&p", "&gp", "&s.p", "&l->p", "pp + 1", "(int **)z", "&u.p", "&tg.b.p"])
                )
            }
            15 => format!("c = {};", self.char_ptr()),
            16 => format!("z = (void *){};", self.pointer()),
            17 => self
                .one(&[
                    "n = (long)p;",
                    "n = n + 4L;",
                    "n = u.n;",
                    "u.n = n;",
                    "tg.b.n = n;",
                    "n = tg.b.n;",
                    "n = 3L;",
                ])
                .into(),
            18 => {
                self.one(&["*c = 'a';", "i = (int)*c;", "w.i = 1;", "i = (int)w.c;", "*c = *(c + 1);"]).into()
            }
            19 => format!(
                "m = {};",
                self.one(&["&pr", "(struct pair *)((char *)l - 8L)", "(struct pair *)z", "m"])
            ),
            20 => {
                let size = self.one(&["24L", "64L", "8L", "n"]);
                match self.pick(4) {
                    0 => format!("l = alloc({size});"),
                    1 => format!("p = alloc({size});"),
                    2 => format!("z = alloc({size}, zeroed);"),
                    _ => format!("l->next = alloc({size});"),
                }
            }
            21 => {
                let (to, from) = (self.pointer(), self.pointer());
                format!("memmove({to}, {from}, {});", self.one(&["4L", "8L", "24L", "n"]))
            }
            22 => format!("memset({}, 0, {});", self.pointer(), self.one(&["4L", "8L", "24L"])),
            23 => format!(
                "{} = {}({}, {});",
                self.one(INT_PTRS),
                self.one(&["rec", "rec", "outside"]),
                self.list(),
                self.int_ptr()
            ),
            24 => match self.pick(3) {
                0 => format!("{} = (*fp)({}, {});", self.one(INTS), self.list(), self.int_ptr()),
                1 => "fp = &other;".into(),
                _ => "fp = &third;".into(),
            },
            _ => match self.pick(3) {
                0 => format!("havoc({}, input \"in\");", self.one(&["i", "j", "*p", "l->v"])),
                1 => "havoc(gp, input \"in\");".into(),
                _ => format!("assume({} != {});", self.one(INTS), self.one(INTS)),
            },
        }
    }

    fn body(&mut self, out: &mut String, prologue: &[&str], len: usize) {
        let start = prologue.len();
        let end = start + len;
        writeln!(out, "entry L0; exit L{end};").unwrap();
        for (k, op) in prologue.iter().enumerate() {
            writeln!(out, "L{k}:\n {op} goto L{};", k + 1).unwrap();
        }
        for k in start..end {
            let op = self.operation();
            writeln!(out, "L{k}:\n {op} goto L{};", k + 1).unwrap();
            if self.pick(4) == 3 {
                let to = start + self.pick(len + 1);
                writeln!(out, " skip; goto L{to};").unwrap();
            }
        }
        writeln!(out, "L{end}:\n}}").unwrap();
    }
}

const LOCALS: &str =
    "local int i; local int j; local int *p; local int *q; local struct list *l; local struct list *k;
local struct pair *m; local char *c; local void *z; local long n;";

/// A random program: `main`, a recursive procedure and one that only pointers call.
fn generate(bytes: &[u8]) -> String {
    let mut tape = Tape { bytes, at: 0 };
    let mut out = DECLARATIONS.to_string();
    writeln!(out, "proc int *rec(struct list *f0, int *h) {{ return int *ret__; local int f;\n{LOCALS}")
        .unwrap();
    tape.body(&mut out, &["l = f0;", "p = h;", "q = h;", "k = l;", "m = &pr;", "ret__ = p;"], 6);
    writeln!(out, "proc int other(struct list *f0, int *h) {{ return int ret__; local int f;\n{LOCALS}")
        .unwrap();
    tape.body(&mut out, &["l = f0;", "p = h;", "q = h;", "k = l;", "m = &pr;", "ret__ = 0;"], 4);
    out.push_str("proc int third(struct list *f0, int *h) { return int ret__; entry L0; exit L2;\n");
    out.push_str("L0: f0->v = *h; goto L1;\nL1: ret__ = 3; goto L2;\nL2: }\n");
    writeln!(out, "proc void main() {{ local int f; local int *h;\n{LOCALS}").unwrap();
    let prologue = [
        "p = &x;",
        "q = &arr[0];",
        "l = &s;",
        "k = &t;",
        "s.next = &t;",
        "t.next = &s;",
        "s.p = &y;",
        "t.p = &arr[1];",
        "gp = &y;",
        "pp = &gp;",
        "m = &pr;",
        "c = &buf[8];",
        "pr.q = &s;",
        "u.p = &x;",
        "h = &i;",
        "pr.a.next = &t;",
        "pr.a.p = p;",
        "fp = &other;",
    ];
    tape.body(&mut out, &prologue, 14);
    out.push_str("check c0 reach in main \"m\";\n");
    // The check is put on some edge of main, behind the prologue.
    let at = format!("L{}:\n", prologue.len() + 7);
    let main = out.rfind("proc void main").unwrap();
    let hit = main + out[main..].find(&at).unwrap() + at.len();
    out.insert_str(hit, &format!(" check(c0, {} != 1); goto L{};\n", tape.one(INTS), prologue.len() + 8));
    out
}

/// Nondeterminism that depends on the place and on how often it was reached, not on what else was asked.
struct Keyed {
    seed: u64,
    seen: BTreeMap<(u32, u32, u32), u64>,
}

impl Keyed {
    fn draw(&mut self, kind: u32, a: usize, b: usize) -> u64 {
        let count = self.seen.entry((kind, a as u32, b as u32)).or_default();
        *count += 1;
        let mut h = self.seed ^ (*count << 40) ^ ((a as u64) << 20) ^ (b as u64) ^ (u64::from(kind) << 60);
        for _ in 0..3 {
            h = (h ^ (h >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        h >> 32
    }
}

impl Inputs for Keyed {
    fn havoc(&mut self, proc: ProcId, edge: EdgeId, _: &HavocKind, ty: &Type) -> Value {
        let draw = self.draw(0, proc.index(), edge.index());
        match ty {
            Type::Ptr(_) if draw.is_multiple_of(2) => Value::Null,
            Type::Ptr(_) => Value::FreshObject(64),
            _ => Value::Int(i128::from(draw % 3)),
        }
    }

    fn choose_edge(&mut self, proc: ProcId, loc: LocId, enabled: &[EdgeId]) -> usize {
        (self.draw(1, proc.index(), loc.index()) as usize) % enabled.len()
    }
}

/// Compares every state with the oracle.
struct Watcher<'a> {
    inputs: Keyed,
    program: &'a Program,
    oracle: &'a AliasOracle,
    lvalues: Vec<Vec<Lvalue>>,
    /// For each open frame the locations and values before the step that is under way.
    before: Vec<Snapshot>,
    /// For each byte of each object the cell that it was seen under.
    bytes: BTreeMap<(ObjectId, i64), CellId>,
    /// What the oracle said about two lvalues of a procedure: may, must.
    pairs: BTreeMap<(ProcId, usize, usize), (bool, bool)>,
    complaints: Vec<String>,
}

type Snapshot = Vec<Option<((ObjectId, i64), Value)>>;

fn object_matches(kind: ObjectKind, object: Object) -> bool {
    match (kind, object) {
        (ObjectKind::Var(a), Object::Var(b)) => a == b,
        (ObjectKind::Heap(p, e), Object::Heap(q, f)) => (p, e) == (q, f),
        (ObjectKind::Fresh, Object::External) => true,
        _ => false,
    }
}

impl Watcher<'_> {
    fn snapshot(&mut self, state: &mut State<'_, '_>) -> Snapshot {
        let lvalues = self.lvalues[state.proc().index()].clone();
        lvalues.iter().map(|lv| self.look(state, lv)).collect()
    }

    /// Where the lvalue is and what it holds; checks both.
    fn look(&mut self, state: &mut State<'_, '_>, lv: &Lvalue) -> Option<((ObjectId, i64), Value)> {
        let Ok(Value::Ptr { kind, object, offset }) = state.value(&lv.clone().addr()) else { return None };
        let value = state.value(&lv.clone().load()).ok()?;
        let cell = self.oracle.cell(lv);
        let opaque = *self.oracle.cell_kind(cell) == CellKind::Opaque;
        let size = self.program.size_of(&lv.ty).expect("scalars have sizes") as i64;
        for byte in offset..offset + size {
            if opaque {
                break;
            }
            let known = *self.bytes.entry((object, byte)).or_insert(cell);
            if known != cell {
                let text = print::lvalue(self.program, lv);
                self.complaints.push(format!("{text}: {cell} is also {known}"));
            }
        }
        self.aim(&lv.clone().addr(), kind, None);
        if let (Value::Ptr { kind, offset, .. }, true) = (value, lv.ty.is_ptr()) {
            self.aim(&lv.clone().load(), kind, Some(offset));
        }
        if let (Value::Func(p), true) = (value, lv.ty.is_ptr()) {
            let (procs, unknown) = self.oracle.callees(&lv.clone().load());
            if !unknown && !procs.contains(&p) {
                self.complaints.push(format!("{} misses a function", print::lvalue(self.program, lv)));
            }
        }
        Some(((object, offset), value))
    }

    fn aim(&mut self, pointer: &Expr, kind: ObjectKind, offset: Option<i64>) {
        let PointsTo { objects, unknown } = self.oracle.points_to(pointer);
        if unknown || objects.iter().any(|o| object_matches(kind, *o)) {
            return;
        }
        // One past the end, or further outside, nothing is accessed.
        let size = match kind {
            ObjectKind::Var(v) => self.program.size_of(&self.program.vars[v].ty).map(|s| s as i64),
            _ => None,
        };
        if let (Some(offset), Some(size)) = (offset, size)
            && !(0..size).contains(&offset)
        {
            return;
        }
        let text = print::expr(self.program, pointer);
        self.complaints.push(format!("{text} points to {kind:?}, not only to {objects:?}"));
    }

    fn pairs(&mut self, p: ProcId, now: &Snapshot) {
        for (i, a) in now.iter().enumerate() {
            for (j, b) in now.iter().enumerate().skip(i + 1) {
                let (Some((x, _)), Some((y, _))) = (a, b) else { continue };
                let (one, other) = (&self.lvalues[p.index()][i], &self.lvalues[p.index()][j]);
                let size = |lv: &Lvalue| self.program.size_of(&lv.ty).unwrap_or(0) as i64;
                let overlap = x.0 == y.0 && x.1 < y.1 + size(other) && y.1 < x.1 + size(one);
                let (may, must) = *self.pairs.entry((p, i, j)).or_insert_with(|| {
                    (self.oracle.may_alias(one, other), self.oracle.must_alias(one, other))
                });
                let text =
                    || format!("{} {}", print::lvalue(self.program, one), print::lvalue(self.program, other));
                if overlap && !may {
                    self.complaints.push(format!("no may alias: {}", text()));
                }
                if x != y && must {
                    self.complaints.push(format!("wrong must alias: {}", text()));
                }
            }
        }
    }

    fn compare(&mut self, p: ProcId, e: EdgeId, before: &Snapshot, now: &Snapshot) {
        for (k, (a, b)) in before.iter().zip(now).enumerate() {
            let (Some((at, old)), Some((at2, new))) = (a, b) else { continue };
            if at != at2 || old == new {
                continue;
            }
            let lv = &self.lvalues[p.index()][k];
            let cell = self.oracle.cell(lv);
            if !self.oracle.edge_mods(p, e).contains(cell) && *self.oracle.cell_kind(cell) != CellKind::Opaque
            {
                let text = print::lvalue(self.program, lv);
                let edge = print::edge(self.program, p, e);
                self.complaints.push(format!("`{edge}` changes {text} in {cell}"));
            }
        }
    }
}

impl Inputs for Watcher<'_> {
    fn havoc(&mut self, proc: ProcId, edge: EdgeId, kind: &HavocKind, ty: &Type) -> Value {
        self.inputs.havoc(proc, edge, kind, ty)
    }

    fn choose_edge(&mut self, proc: ProcId, loc: LocId, enabled: &[EdgeId]) -> usize {
        self.inputs.choose_edge(proc, loc, enabled)
    }

    fn uninit(&mut self, read: &UninitRead, ty: &Type) -> Value {
        self.inputs.uninit(read, ty)
    }

    fn observe(&mut self, state: &mut State<'_, '_>, step: PathStep) {
        let p = state.proc();
        let now = self.snapshot(state);
        self.pairs(p, &now);
        match step {
            PathStep::Enter(..) => self.before.push(now),
            PathStep::Edge(q, e) => {
                let before = self.before.pop().unwrap_or_default();
                self.compare(q, e, &before, &now);
                self.before.push(now);
            }
            PathStep::Leave(q, e, _) => {
                self.before.pop();
                let before = self.before.pop().unwrap_or_default();
                self.compare(q, e, &before, &now);
                self.before.push(now);
            }
        }
    }
}

/// Lvalues that a procedure's text can mention: every one of the generator's lists that has a meaning there.
fn lvalues(program: &Program, p: ProcId) -> Vec<Lvalue> {
    let extra = [
        "*c",
        "*gp",
        "l->next->next",
        "m->arr[1]",
        "k->p",
        "*(p + 1)",
        "buf[3]",
        "u.n",
        "pp[1]",
        "z",
        "n",
        "fp",
        "c",
        "m",
    ];
    let texts = INTS.iter().chain(INT_PTRS).chain(LISTS).chain(&extra);
    let parsed = texts.filter_map(|t| match parse::expr(t, program, Some(p)) {
        Ok(Expr::Load(lv)) => Some(*lv),
        _ => None,
    });
    parsed.collect()
}

fn watch(program: &Program, mode: AliasMode, seed: u64) -> Vec<String> {
    let oracle = AliasOracle::new(program, mode);
    let lvalues = program.procs.ids().map(|p| lvalues(program, p)).collect();
    let inputs = Keyed { seed, seen: BTreeMap::new() };
    let mut watcher = Watcher {
        inputs,
        program,
        oracle: &oracle,
        lvalues,
        before: vec![],
        bytes: BTreeMap::new(),
        pairs: BTreeMap::new(),
        complaints: vec![],
    };
    let limits = interp::Limits { steps: 120, ..interp::Limits::default() };
    interp::run(program, &mut watcher, &limits, &AtomicBool::new(false));
    watcher.complaints.sort();
    watcher.complaints.dedup();
    watcher.complaints
}

fn run_keyed(program: &Program, seed: u64) -> Outcome {
    let limits = interp::Limits { steps: 400, ..interp::Limits::default() };
    interp::run(program, &mut Keyed { seed, seen: BTreeMap::new() }, &limits, &AtomicBool::new(false)).outcome
}

fn parsed(text: &str) -> Program {
    parse::program(text).unwrap_or_else(|d| panic!("{} at {:?} in\n{text}", d.message, d.span))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn states_are_as_the_oracle_says(bytes in proptest::collection::vec(any::<u8>(), 60..160), seed: u64) {
        let text = generate(&bytes);
        let program = parsed(&text);
        for mode in [AliasMode::None, AliasMode::Das, AliasMode::Andersen] {
            let complaints = watch(&program, mode, seed);
            prop_assert!(complaints.is_empty(), "{text}\n{mode:?}: {complaints:#?}");
        }
    }

    #[test]
    fn slices_fail_the_same_checks(bytes in proptest::collection::vec(any::<u8>(), 60..160), seed: u64) {
        let program = parsed(&generate(&bytes));
        let oracle = AliasOracle::new(&program, AliasMode::Das);
        let Ok(resolved) = resolve_indirect(&program, &oracle) else { return Ok(()) };
        let outcome = run_keyed(&program, seed);
        if matches!(outcome, Outcome::CheckFailed(_)) {
            prop_assert_eq!(&outcome, &run_keyed(&resolved, seed));
            let oracle = AliasOracle::new(&resolved, AliasMode::Das);
            let sliced = slice(&resolved, &oracle).program;
            prop_assert_eq!(crate::check::check(&sliced), Vec::<String>::new());
            prop_assert_eq!(outcome, run_keyed(&sliced, seed));
        }
    }
}

#[test]
fn generated_programs_are_well_formed() {
    for seed in 0..50u8 {
        let bytes: Vec<u8> =
            (0..160).map(|i| seed.wrapping_mul(37).wrapping_add((i as u8).wrapping_mul(91))).collect();
        let program = parsed(&generate(&bytes));
        assert_eq!(crate::check::check(&program), Vec::<String>::new());
        assert!(program.vars.iter().any(|v| matches!(v.kind, VarKind::Formal(_))));
    }
}
