//! Random programs with references: all ways to answer calls, and the brute-force interpreter, agree. The number of
//! programs is in `ZING_RANDOM_CASES`.

use crate::brute;
use crate::support::{MODES, RUN, code};
use std::fmt::Write;
use testing::Dice;
use zing::code::Code;
use zing::{Answer, Answers, Limit, Options};

/// What a program may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sequential,
    Recursive,
    Concurrent,
}

struct Writer {
    dice: Dice,
    kind: Kind,
    text: String,
    procs: usize,
    /// The procedure that is written; of main, the number of procedures.
    now: usize,
    /// Static variables only, or those of the frame too.
    budget: usize,
    in_atomic: bool,
    tags: usize,
}

const BOOLS: [&str; 5] = ["s", "t", "q", "m", "g.x"];
const BOXES: [&str; 5] = ["g", "h", "b", "c", "a.l"];
const PAIRS: [&str; 3] = ["a", "d", "e"];

impl Writer {
    /// An expression that is a truth value, and what must not be null for it.
    fn truth(&mut self) -> (String, Vec<&'static str>) {
        match self.dice.below(7) {
            0 => (self.dice.word(&["true", "false"]).to_owned(), vec![]),
            1 | 2 => (self.dice.word(&BOOLS[..4]).to_owned(), vec![]),
            3 => {
                let object = self.boxed();
                let field = self.dice.word(&["x", "y"]);
                (format!("{object}.{field}"), guards(object))
            }
            4 => {
                let (a, b) = (self.boxed(), self.boxed());
                let mut needs = guards(a);
                needs.extend(guards(b));
                needs.retain(|g| *g == "a");
                (format!("{a} {} {b}", self.dice.word(&["==", "!="])), needs)
            }
            5 => {
                let (a, needs) = self.truth();
                (format!("!({a})"), needs)
            }
            _ => {
                let (a, mut needs) = self.truth();
                let (b, more) = self.truth();
                needs.extend(more);
                (format!("({a}) {} ({b})", self.dice.word(&["&&", "||", "=="])), needs)
            }
        }
    }

    fn boxed(&mut self) -> &'static str {
        self.dice.word(&BOXES)
    }

    /// A statement under the condition that what it needs is not null, mostly.
    fn guarded(&mut self, needs: &[&str], statement: &str) {
        let mut needs: Vec<&str> = needs.to_vec();
        needs.sort_unstable();
        needs.dedup();
        if needs.is_empty() || self.dice.one_in(40) {
            let _ = write!(self.text, "{statement} ");
            return;
        }
        let conditions: Vec<String> = needs.iter().map(|g| format!("{g} != null")).collect();
        let _ = write!(self.text, "if ({}) {{ {statement} }} ", conditions.join(" && "));
    }

    fn call(&mut self) -> Option<String> {
        // Without recursion only procedures before this one are called.
        let limit = if self.kind == Kind::Recursive { self.procs } else { self.now };
        if limit == 0 {
            return None;
        }
        let callee = self.dice.below(limit);
        let object = self.dice.word(&["g", "h", "b", "c", "null"]);
        let value = self.dice.word(&["s", "q", "true"]);
        Some(format!("f{callee}({object}, {value})"))
    }

    fn statement(&mut self, depth: usize) {
        self.budget = self.budget.saturating_sub(1);
        match self.dice.below(14) {
            0 => {
                let target = self.dice.word(&BOOLS[..4]);
                let (e, needs) = self.truth();
                self.guarded(&needs, &format!("{target} = {e};"));
            }
            1 => {
                let object = self.boxed();
                let field = self.dice.word(&["x", "y"]);
                let (e, mut needs) = self.truth();
                needs.extend(guards(object));
                self.guarded(&needs, &format!("{object}.{field} = {e};"));
            }
            2 | 3 => {
                let (target, source) = (self.boxed(), self.boxed());
                let mut needs = guards(target);
                needs.extend(guards(source));
                needs.retain(|g| *g == "a");
                self.guarded(&needs, &format!("{target} = {source};"));
            }
            4 => {
                let target = self.dice.word(&BOXES[..4]);
                let _ = write!(self.text, "{target} = new Box; ");
            }
            5 => {
                let target = self.dice.word(&PAIRS);
                let source = self.dice.word(&["a", "d", "e", "new Pair", "null"]);
                let _ = write!(self.text, "{target} = {source}; ");
            }
            6 => {
                let target = self.dice.word(&BOOLS[..4]);
                let _ = write!(self.text, "{target} = choose(bool); ");
            }
            7 | 8 => {
                if let Some(call) = self.call() {
                    let target = self.dice.word(&["", "g = ", "b = ", "c = "]);
                    let _ = write!(self.text, "{target}{call}; ");
                }
            }
            9 if depth > 0 => {
                let _ = write!(self.text, "if (*) {{ ");
                self.statements(depth - 1, 2);
                self.text.push_str("} else { ");
                self.statements(depth - 1, 2);
                self.text.push_str("} ");
            }
            10 if depth > 0 => {
                let (head, tail) = if self.kind == Kind::Concurrent && !self.in_atomic {
                    ("atomic { ", true)
                } else {
                    ("while (*) { ", false)
                };
                self.text.push_str(head);
                let before = self.in_atomic;
                self.in_atomic |= tail;
                self.statements(depth - 1, 3);
                self.in_atomic = before;
                self.text.push_str("} ");
            }
            11 => {
                let (e, needs) = self.truth();
                self.guarded(&needs, &format!("assume({e});"));
            }
            12 => {
                self.tags += 1;
                let (e, needs) = self.truth();
                self.guarded(&needs, &format!("assert({e});"));
            }
            _ => {
                let (e, needs) = self.truth();
                let conditions: String = needs.iter().map(|g| format!("{g} != null && ")).collect();
                let _ = write!(self.text, "if ({conditions}({e})) {{ ");
                self.statements(depth.saturating_sub(1), 2);
                self.text.push_str("} ");
            }
        }
    }

    fn statements(&mut self, depth: usize, most: usize) {
        for _ in 0..=self.dice.below(most) {
            if self.budget > 0 {
                self.statement(depth);
            }
        }
    }

    fn body(&mut self) {
        self.text.push_str("Box b; Box c; Pair d; Pair e; bool m; ");
        if self.dice.one_in(2) {
            self.text.push_str("c = p; ");
        }
        self.budget = if self.kind == Kind::Concurrent { 6 } else { 12 };
        self.statements(2, 5);
    }

    fn program(mut self) -> String {
        self.text.push_str("class Box { bool x, y; } class Pair { Box l, r; } class Main { ");
        self.text.push_str("static bool s, t; static Box g, h; static Pair a;\n");
        for i in 0..self.procs {
            self.now = i;
            let _ = write!(self.text, "static Box f{i}(Box p, bool q) {{ ");
            self.body();
            let result = self.dice.word(&["b", "c", "p", "g"]);
            let _ = writeln!(self.text, "return {result}; }}");
        }
        self.now = self.procs;
        self.text.push_str("activate static void main() { Box p; bool q; g = new Box; ");
        if self.dice.one_in(2) {
            self.text.push_str("h = g; ");
        }
        if self.dice.one_in(2) {
            self.text.push_str("a = new Pair; ");
        }
        if self.kind == Kind::Concurrent {
            let callee = self.dice.below(self.procs);
            let object = self.dice.word(&["g", "h", "null"]);
            let _ = write!(self.text, "async f{callee}({object}, {}); ", self.dice.word(&["true", "false"]));
        }
        self.body();
        self.text.push_str("}\n}\n");
        self.text
    }
}

/// The objects that must be there when `object` is looked into.
fn guards(object: &'static str) -> Vec<&'static str> {
    if object == "a.l" { vec!["a", "a.l"] } else { vec![object] }
}

pub(crate) fn program(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let kind = [Kind::Sequential, Kind::Recursive, Kind::Concurrent][seed as usize % 3];
    let procs = 1 + dice.below(3);
    let text = String::new();
    Writer { dice, kind, text, procs, now: 0, budget: 0, in_atomic: false, tags: 0 }.program()
}

/// How many programs fail, hold, or are open.
#[derive(Default, Debug)]
struct Tally {
    fails: usize,
    holds: usize,
    /// The interpreter did not finish, and found nothing.
    open: usize,
}

fn compare(seed: u64, tally: &mut Tally) {
    let text = program(seed);
    let code = code(&text);
    // Stacks grow without end where there is recursion.
    let found = brute::explore(&code, if seed % 3 == 1 { 500 } else { 10_000 });
    let expected = match (found.failures.is_empty(), found.complete) {
        (false, _) => Some(true),
        (true, true) => Some(false),
        (true, false) => None,
    };
    match expected {
        Some(true) => tally.fails += 1,
        Some(false) => tally.holds += 1,
        None => tally.open += 1,
    }
    let mut answers = vec![];
    for transactions in [true, false] {
        for summaries in MODES {
            let stacks = summaries == Answers::None && seed % 3 == 1;
            let max_states = if stacks { 1_000 } else { 50_000 };
            let options = Options { summaries, transactions, max_states, ..Options::new(&RUN) };
            let answer = one(&code, &options, &found, seed, &text);
            if let (Some(expected), Some(answer)) = (expected, answer) {
                let way = format!("{summaries:?}, transactions: {transactions}");
                assert_eq!(answer, expected, "{way}: program {seed}\n{text}\n{found:?}");
            }
            // The heap of these programs is bounded, and with summaries the stack does not count.
            if summaries != Answers::None && code.threads.len() == 1 && seed % 3 != 2 {
                assert!(answer.is_some(), "{summaries:?} ends: program {seed}\n{text}");
            }
            answers.extend(answer);
        }
    }
    assert!(answers.windows(2).all(|w| w[0] == w[1]), "{answers:?}: program {seed}\n{text}");
}

/// Whether the program fails; `None` if the search did not finish.
fn one(code: &Code, options: &Options<'_>, found: &brute::Behaviour, seed: u64, text: &str) -> Option<bool> {
    let outcome = zing::check(code, options);
    match outcome.answer {
        Ok(Answer::Holds) => Some(false),
        Ok(Answer::Fails { fault, pc, trace }) => {
            assert!(trace.is_some());
            if found.complete {
                let known = found.failures.contains(&(fault, pc));
                assert!(known, "{options:?} {fault:?} at {pc}: program {seed}\n{text}");
            }
            Some(true)
        }
        Err(Limit::States(_)) => None,
        Err(other) => panic!("{other:?}: program {seed}\n{text}"),
    }
}

#[test]
fn all_engines_agree_on_random_programs() {
    let cases = testing::number("ZING_RANDOM_CASES", 300);
    let start = testing::number("ZING_RANDOM_START", 0);
    let mut tally = Tally::default();
    for seed in start..start + cases {
        compare(seed, &mut tally);
    }
    if cases >= 100 {
        assert!(tally.fails * 5 > cases as usize && tally.holds * 5 > cases as usize, "{tally:?}");
        assert!(tally.open * 4 < cases as usize, "{tally:?}");
    }
}
