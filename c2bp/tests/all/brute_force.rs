//! Statements of all kinds against all states: with cubes of any length each is the Cartesian abstraction of what it
//! does (002 slide 34), and with exact images it is that and nothing more. Pointers point to one of two variables,
//! nowhere, or elsewhere.

use crate::common::boolean::{values, values_of_step};
#[allow(dead_code, reason = "each test uses a part of what is shared")]
use bp::{Name, StmtKind};
use c2bp::{Abstraction, Exact};
use ir::{Access, Base, BinOp, Expr, Lvalue, Op, Program, Type, UnOp};
use std::collections::{BTreeMap, BTreeSet};
use testing::programs::calls::Dice;

type Abstract = Vec<bool>;

/// Places that pointers can lead to: the variables `x` and `y`, whatever NULL leads to (predicates are total), two
/// places elsewhere, and one that is allocated. Pointers are the places' numbers.
const NOWHERE: usize = 2;
const FRESH: usize = 5;

/// The least and the greatest value of a number.
const RANGE: std::ops::RangeInclusive<i8> = -2..=1;

/// A state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct State {
    places: [i8; 6],
    p: usize,
    q: usize,
    /// An array, and an index into it.
    a: [i8; 2],
    i: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    Int(i128),
    Ptr(usize),
}

/// A place that can be assigned.
#[derive(Clone, Copy)]
enum Target {
    Place(usize),
    P,
    Q,
    Element(usize),
    Index,
}

/// Evaluates in a state; `strict`: what C leaves undefined is `None`.
struct Eval<'a> {
    program: &'a Program,
    state: &'a State,
    strict: bool,
}

impl Eval<'_> {
    fn int(&self, e: &Expr) -> Option<i128> {
        match self.value(e)? {
            Value::Int(n) => Some(n),
            Value::Ptr(at) => Some(i128::from(at != NOWHERE)),
        }
    }

    fn target(&self, lv: &Lvalue) -> Option<Target> {
        match &lv.base {
            Base::Deref(p) => match self.value(p)? {
                Value::Ptr(NOWHERE) if self.strict => None,
                Value::Ptr(at) => Some(Target::Place(at)),
                Value::Int(n) => panic!("{n} is no pointer"),
            },
            Base::Var(v) => Some(match (self.program.vars[*v].name.as_str(), lv.path.as_slice()) {
                ("x", []) => Target::Place(0),
                ("y", []) => Target::Place(1),
                ("p", []) => Target::P,
                ("q", []) => Target::Q,
                ("i", []) => Target::Index,
                ("a", [Access::Index(i)]) => Target::Element(self.int(i)? as usize),
                (other, _) => panic!("{other} is not generated"),
            }),
        }
    }

    fn load(&self, target: Target) -> Value {
        let s = self.state;
        match target {
            Target::Place(at) => Value::Int(s.places[at].into()),
            Target::P => Value::Ptr(s.p),
            Target::Q => Value::Ptr(s.q),
            Target::Element(i) => Value::Int(s.a[i].into()),
            Target::Index => Value::Int(s.i as i128),
        }
    }

    fn value(&self, e: &Expr) -> Option<Value> {
        let truth = |b: bool| Some(Value::Int(i128::from(b)));
        match e {
            Expr::Const(0, Type::Ptr(_)) => Some(Value::Ptr(NOWHERE)),
            Expr::Const(v, _) => Some(Value::Int(*v)),
            Expr::Load(lv) => Some(self.load(self.target(lv)?)),
            Expr::AddrOf(lv) => match self.target(lv)? {
                Target::Place(at) => Some(Value::Ptr(at)),
                _ => panic!("only x and y have addresses"),
            },
            Expr::Cast(e, Type::Int(t)) => Some(Value::Int(t.wrap(self.int(e)?))),
            Expr::Cast(e, _) => self.value(e),
            Expr::Unary(UnOp::Not, e, _) => truth(self.int(e)? == 0),
            Expr::Unary(UnOp::Neg, e, _) => Some(Value::Int(-self.int(e)?)),
            Expr::Binary(BinOp::And, l, r, _) => truth(self.int(l)? != 0 && self.int(r)? != 0),
            Expr::Binary(BinOp::Or, l, r, _) => truth(self.int(l)? != 0 || self.int(r)? != 0),
            Expr::Binary(BinOp::Eq, l, r, _) => truth(self.value(l)? == self.value(r)?),
            Expr::Binary(BinOp::Ne, l, r, _) => truth(self.value(l)? != self.value(r)?),
            Expr::Binary(op, l, r, _) => {
                let (l, r) = (self.int(l)?, self.int(r)?);
                match op {
                    BinOp::Add => Some(Value::Int(l + r)),
                    BinOp::Sub => Some(Value::Int(l - r)),
                    BinOp::Mul => Some(Value::Int(l * r)),
                    BinOp::Lt => truth(l < r),
                    BinOp::Le => truth(l <= r),
                    BinOp::Gt => truth(l > r),
                    BinOp::Ge => truth(l >= r),
                    other => panic!("{other:?} is not generated"),
                }
            }
            other => panic!("{other:?} is not generated"),
        }
    }
}

fn stored(state: &State, target: Target, value: Value) -> State {
    let mut s = *state;
    match (target, value) {
        (Target::Place(at), Value::Int(n)) => s.places[at] = n as i8,
        (Target::P, Value::Ptr(at)) => s.p = at,
        (Target::Q, Value::Ptr(at)) => s.q = at,
        (Target::Element(i), Value::Int(n)) => s.a[i] = n as i8,
        (Target::Index, Value::Int(n)) => s.i = n as usize,
        _ => panic!("{value:?} has another type"),
    }
    s
}

/// All states of the pointers and what they lead to, or of the array.
fn states(pointers: bool) -> Vec<State> {
    let start = State { places: [0; 6], p: NOWHERE, q: NOWHERE, a: [0; 2], i: 0 };
    let mut out = vec![start];
    let over = |out: &mut Vec<State>, change: &dyn Fn(&mut State, i8)| {
        let one = |s: &State| {
            RANGE
                .map(|n| {
                    let mut t = *s;
                    change(&mut t, n);
                    t
                })
                .collect::<Vec<_>>()
        };
        *out = out.iter().flat_map(one).collect();
    };
    let places = if pointers { 5 } else { 2 };
    for at in 0..places {
        over(&mut out, &|s, n| s.places[at] = n);
    }
    if pointers {
        // The two places elsewhere are alike: p takes the first.
        let pairs = (0..4).flat_map(|p| (0..5).map(move |q| (p, q)));
        return pairs.flat_map(|(p, q)| out.iter().map(move |s| State { p, q, ..*s })).collect();
    }
    for at in 0..2 {
        over(&mut out, &|s, n| s.a[at] = n);
    }
    out.iter().flat_map(|s| (0..2).map(|i| State { i, ..*s })).collect()
}

/// The states that an operation leads to; `None` where C leaves it undefined.
fn successors(program: &Program, op: &Op, s: &State) -> Option<Vec<State>> {
    let eval = Eval { program, state: s, strict: true };
    let any = |target: Target| -> Vec<State> {
        match target {
            Target::P | Target::Q => (0..5).map(|at| stored(s, target, Value::Ptr(at))).collect(),
            Target::Index => (0..2).map(|i| stored(s, target, Value::Int(i))).collect(),
            _ => RANGE.map(|n| stored(s, target, Value::Int(n.into()))).collect(),
        }
    };
    Some(match op {
        Op::Skip | Op::Free(_) | Op::Output { .. } => vec![*s],
        Op::Assign(lv, e) => vec![stored(s, eval.target(lv)?, eval.value(e)?)],
        Op::Havoc(lv, _) | Op::Inspect { dest: lv, .. } => any(eval.target(lv)?),
        Op::Assume(c) if eval.int(c)? == 0 => vec![],
        Op::Assume(_) => vec![*s],
        Op::MemSet { byte, .. } => {
            assert_eq!(eval.int(byte), Some(0));
            vec![State { a: [0; 2], ..*s }]
        }
        Op::Alloc { dest, zeroed, may_fail, .. } => {
            let target = eval.target(dest)?;
            let contents = if *zeroed { 0..=0 } else { RANGE };
            let fresh = contents.map(|n| {
                let mut t = stored(s, target, Value::Ptr(FRESH));
                t.places[FRESH] = n;
                t
            });
            let failed = may_fail.then(|| stored(s, target, Value::Ptr(NOWHERE)));
            fresh.chain(failed).collect()
        }
        other => panic!("{other:?} is not generated"),
    })
}

struct Setting {
    program: Program,
    /// The caller's predicates, and their names.
    predicates: Vec<Expr>,
    names: Vec<Name>,
    states: Vec<State>,
}

impl Setting {
    fn new(text: &str, predicates: &[String], pointers: bool) -> Setting {
        let program = crate::common::program(text);
        let texts: Vec<String> = predicates.iter().map(|p| format!("start__: {p}")).collect();
        let precision =
            crate::common::precision(&program, &texts.iter().map(String::as_str).collect::<Vec<_>>());
        let names = precision.iter().map(|(_, p)| Name::predicate(p.text(&program))).collect();
        let predicates = precision.iter().map(|(_, p)| p.expr.clone()).collect();
        Setting { program, predicates, names, states: states(pointers) }
    }

    fn holds(&self, e: &Expr, state: &State) -> bool {
        let eval = Eval { program: &self.program, state, strict: false };
        eval.int(e).expect("predicates are total") != 0
    }

    fn alpha(&self, state: &State) -> Abstract {
        self.predicates.iter().map(|e| self.holds(e, state)).collect()
    }

    /// From all states: which abstract states the operation leads to, from each abstract state that some state has in
    /// which it is defined. This is the best abstraction of the operation that the predicates allow; what is undefined
    /// in all states of an abstract one may be written as anything.
    fn image(&self, op: &Op) -> BTreeMap<Abstract, BTreeSet<Abstract>> {
        let mut out: BTreeMap<Abstract, BTreeSet<Abstract>> = BTreeMap::new();
        for s in &self.states {
            let Some(after) = successors(&self.program, op, s) else { continue };
            out.entry(self.alpha(s)).or_default().extend(after.iter().map(|t| self.alpha(t)));
        }
        out
    }

    fn place(&self, n: &Name) -> usize {
        self.names.iter().position(|m| m == n).unwrap_or_else(|| panic!("{n} is no predicate"))
    }

    /// The abstract states that the statement leads to.
    fn admitted(&self, kind: &StmtKind, before: &Abstract) -> BTreeSet<Abstract> {
        let now = |n: &Name| before[self.place(n)];
        let all = (0..1u32 << before.len())
            .map(|bits| (0..before.len()).map(|i| bits >> i & 1 == 1).collect::<Abstract>());
        let constrained = |c: &Option<Box<bp::Expr>>, after: &Abstract| {
            let holds = |c| values_of_step(c, &now, &|n| after[self.place(n)]).one;
            c.as_deref().is_none_or(holds)
        };
        let admits = |after: &Abstract| match kind {
            StmtKind::Skip => after == before,
            StmtKind::Assume { cond, constrain } => {
                after == before && values(cond, &now).one && constrained(constrain, after)
            }
            StmtKind::Assign { targets, values: new, constrain } => {
                let right = |i: usize| match targets.iter().position(|t| self.place(&t.name) == i) {
                    Some(k) => values(&new[k], &now).admit(after[i]),
                    None => after[i] == before[i],
                };
                (0..after.len()).all(right) && constrained(constrain, after)
            }
            other => panic!("a statement became {other:?}"),
        };
        all.filter(admits).collect()
    }

    /// The statement is the Cartesian abstraction of the operation: each predicate by itself.
    fn check_cartesian(&self, op: &Op, made: &Abstraction) {
        let kind = &made.program.procs[0].body[0].kind;
        for (before, image) in self.image(op) {
            let mut product: Vec<Abstract> = image.first().map(|_| vec![]).into_iter().collect();
            for i in 0..before.len() {
                let seen: BTreeSet<bool> = image.iter().map(|after| after[i]).collect();
                let with = |a: &Abstract| -> Vec<Abstract> {
                    seen.iter().map(|b| a.iter().copied().chain([*b]).collect()).collect()
                };
                product = product.iter().flat_map(with).collect();
            }
            let admitted = self.admitted(kind, &before);
            let text = bp::print(&made.program);
            assert_eq!(admitted, product.into_iter().collect(), "from {before:?}\n{text}");
        }
    }

    /// The statement leads where the operation leads, and nowhere else.
    fn check_exact(&self, op: &Op, made: &Abstraction) {
        let main = &made.program.procs[0];
        for (before, image) in self.image(op) {
            let mut admitted = self.admitted(&main.body[0].kind, &before);
            if let Some(e) = &main.enforce {
                admitted.retain(|after| values(e, &|n| after[self.place(n)]).one);
            }
            assert_eq!(admitted, image, "from {before:?}\n{}", bp::print(&made.program));
        }
    }
}

fn of<'a>(dice: &mut Dice, words: &[&'a str]) -> &'a str {
    words[dice.below(words.len())]
}

const INTS: [&[&str]; 2] = [&["x", "y", "*p", "*q", "*p"], &["x", "y", "a[0]", "a[1]", "a[i]", "a[i]", "i"]];

fn number(dice: &mut Dice, pointers: bool) -> String {
    let ints = INTS[usize::from(!pointers)];
    match dice.below(5) {
        0 => (dice.below(4) as i32 - 2).to_string(),
        1 => format!("{} + {}", of(dice, ints), of(dice, ints)),
        2 => format!("{} - 1", of(dice, ints)),
        _ => of(dice, ints).to_owned(),
    }
}

fn condition(dice: &mut Dice, pointers: bool) -> String {
    if pointers && dice.below(3) == 0 {
        let other = of(dice, &["&x", "&y", "NULL", "q"]);
        return format!("{} {} {other}", of(dice, &["p", "q", "p"]), of(dice, &["==", "!="]));
    }
    let op = of(dice, &["==", "<", "<=", "!="]);
    format!("{} {op} {}", number(dice, pointers), number(dice, pointers))
}

/// A value that every number can hold.
fn assigned(dice: &mut Dice, pointers: bool) -> String {
    match dice.below(2) {
        0 => (dice.below(4) as i32 - 2).to_string(),
        _ => of(dice, &INTS[usize::from(!pointers)][..5]).to_owned(),
    }
}

fn statement(dice: &mut Dice, pointers: bool) -> String {
    if !pointers {
        return match dice.below(9) {
            0..3 => format!("a[i] = {};", assigned(dice, false)),
            3 => format!("{} = {};", of(dice, &["x", "a[0]"]), assigned(dice, false)),
            4 => "memset(&a, 0, 2);".to_owned(),
            5 => "havoc(a[i], uninit);".to_owned(),
            6 => format!("i = {};", dice.below(2)),
            7 => "havoc(i, uninit);".to_owned(),
            _ => format!("assume({});", condition(dice, false)),
        };
    }
    let pointer = of(dice, &["p", "q"]);
    match dice.below(14) {
        0..4 => format!("*{pointer} = {};", assigned(dice, true)),
        4 | 5 => format!("x = {};", assigned(dice, true)),
        // Not NULL: what a predicate reads there afterwards belongs to no map, and is any value.
        6 => format!("{pointer} = {};", of(dice, &["&x", "&y", "p", "q"])),
        7 => format!("havoc(*{pointer}, uninit);"),
        8 => format!("havoc({}, uninit);", of(dice, &["x", "p", "q"])),
        9 => format!("p = alloc(1{});", of(dice, &["", ", zeroed", ", may_fail"])),
        10 => of(dice, &["skip;", "free(p);"]).to_owned(),
        _ => format!("assume({});", condition(dice, true)),
    }
}

/// The statement, and others that make `p` and `q` point to both variables, so that all share one map.
fn text(statement: &str) -> String {
    let rest =
        ["p = &x;", "p = &y;", "x = *p;", "q = &x;", "q = &y;", "*q = y;", "havoc(i, uninit);", "a[i] = 0;"];
    let mut text = format!(
        "entry start__; proc void start__(void) {{ local signed _BitInt(2) x; local signed _BitInt(2) y;
         local signed _BitInt(2) *p; local signed _BitInt(2) *q; local signed _BitInt(2) a[2];
         local unsigned _BitInt(1) i; entry L0; exit L{};\nL0: {statement} goto L1;\n",
        rest.len() + 1
    );
    for (l, s) in rest.iter().enumerate() {
        text += &format!("L{}: {s} goto L{};\n", l + 1, l + 2);
    }
    text + &format!("L{}: }}", rest.len() + 1)
}

fn compare(seed: u64, pointers: bool) {
    let mut dice = Dice::new((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let text = text(&statement(&mut dice, pointers));
    let predicates: Vec<String> = (0..1 + dice.below(4)).map(|_| condition(&mut dice, pointers)).collect();
    let setting = Setting::new(&text, &predicates, pointers);
    let op = &setting.program.procs[setting.program.entry].edges.as_slice()[0].op;
    let texts: Vec<String> = predicates.iter().map(|p| format!("start__: {p}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let cartesian = crate::common::abstraction(&setting.program, &texts, |o| {
        o.max_cube = 8;
        o.rlimit = 0;
        o.enforce = false;
    });
    assert!(cartesian.ignored.is_empty(), "all predicates are understood");
    setting.check_cartesian(op, &cartesian);
    let exact = crate::common::abstraction(&setting.program, &texts, |o| {
        o.exact = Exact::Everything;
        o.rlimit = 0;
        o.enforce = seed.is_multiple_of(2);
    });
    setting.check_exact(op, &exact);
}

#[test]
fn statements_with_pointers_are_cartesian_and_exact() {
    (0..60).for_each(|seed| compare(seed, true));
}

#[test]
fn statements_with_arrays_are_cartesian_and_exact() {
    (0..100).for_each(|seed| compare(seed, false));
}
