//! The loop by itself: C-- text in, the events of its iterations out.

use alias::{AliasMode, AliasOracle};
use expect_test::{Expect, expect};
use ir::Program;
use passes::Blocks;
use smt::Interrupt;
use std::fmt::Write;
use std::sync::atomic::AtomicBool;
use verify::Method;
use verify::cegar::{
    Conclusion, Context, Event, Knowledge, Observer, Options, PathAnswer, Paths, Reason, Stop, Subject,
};

/// A lock that is taken and given back in a loop (\[BR02\]); `MISTAKE` stands where it could be given back twice.
const LOCK: &str = r#"model LP64; entry start__;
check c0 reach in start__ "the lock is not free";
check c1 reach in start__ "the lock is not held";
proc void start__(void) {
  local int lock; local int new; local int old; local int more;
  entry L0; exit L9;
  L0: lock = 0; goto L1;
  L1: havoc(new, input "input"); goto L2;
  L2 loop: check(c0, lock == 0); goto L3;
  L3: lock = 1; goto L4;
  L4: old = new; goto L5;
  L5: havoc(more, input "more"); goto L6;
  L6:
    true: assume(more != 0); goto L7;
    false: assume(more == 0); goto L8;
  L7: lock = 0; goto L10;
  L10: new = new + 1; goto L8;
  L8:
    true: assume(new != old); goto L2;
    false: assume(new == old); goto L11;
  L11: check(c1, lock == 1); goto L12;
  L12: lock = 0; goto L9;
  L9:
}
"#;

/// The events that an observer received, one line an event.
#[derive(Default)]
struct Recorded {
    program: Option<Program>,
    text: String,
}

impl Observer for Recorded {
    fn event(&mut self, event: &Event<'_>) {
        let program = self.program.as_ref().expect("it is there");
        let Event::Iteration { record, precision, .. } = event else { return };
        let _ = write!(self.text, "{}: {} predicates", record.number, record.predicates);
        match record.reachability.as_ref().map(|r| r.steps.is_some()) {
            Some(true) => self.text.push_str(", error reached"),
            Some(false) => self.text.push_str(", no error reached"),
            None => self.text.push_str(", not checked"),
        }
        if let Some(refined) = &record.refinement {
            let answer = match refined.answer {
                PathAnswer::Feasible(_) => "feasible",
                PathAnswer::Refuted(_) => "refuted",
                PathAnswer::GaveUp(_) => "gave up",
            };
            let found = refined.found.iter().map(|f| precision.get(f.predicate).text(program));
            let _ = write!(self.text, ", path {answer}, new: {:?}", found.collect::<Vec<_>>());
            if !refined.blocked.is_empty() {
                let _ = write!(self.text, ", {} blocked", refined.blocked.len());
            }
        }
        self.text.push('\n');
    }
}

/// How the program is checked.
struct Setting {
    options: Options,
    known: Option<Knowledge>,
}

impl Default for Setting {
    fn default() -> Setting {
        let options = Options {
            paths: Paths::First,
            methods: [Method::Abstraction].into(),
            iterations: 20,
            blocks: Blocks::Basic,
            ..Options::default()
        };
        Setting { options, known: None }
    }
}

/// The events and the conclusion, and what is known afterwards.
fn checked(text: &str, setting: Setting) -> (String, Conclusion, Knowledge) {
    let program = ir::parse::program(text).unwrap_or_else(|d| panic!("{d:?}"));
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    let task = Subject::new(&program, &oracle);
    let (flag, interrupt) = (AtomicBool::new(false), Interrupt::new());
    let stop = Stop { flag: &flag, interrupt: &interrupt };
    let context = Context { task, options: &setting.options, stop };
    let mut known = setting.known.unwrap_or_default();
    let mut observer = Recorded { program: Some(program.clone()), text: String::new() };
    let conclusion = verify::cegar::run(&context, &mut known, &mut c2bp::Cache::new(), &mut observer);
    let end = match &conclusion {
        Conclusion::Safe(proof) => format!("safe, {} invariants\n", proof.invariants.len()),
        Conclusion::Unsafe(witness) => format!("unsafe, {} inputs\n", witness.run.inputs.len()),
        Conclusion::Unknown(failure) => format!("unknown: {}\n", failure.reason.word()),
        Conclusion::NoModel(failure) => format!("no model: {}\n", failure.reason.word()),
        Conclusion::SwitchToBits(why) => format!("bit-vectors: {why}\n"),
        Conclusion::Deferred(check) => format!("deferred: {check}\n"),
        Conclusion::Holds(held) => format!("hold: {}\n", held.checks.len()),
    };
    (observer.text + &end, conclusion, known)
}

fn check(text: &str, setting: Setting, expected: &Expect) {
    expected.assert_eq(&checked(text, setting).0);
}

#[test]
fn a_safe_program() {
    check(
        LOCK,
        Setting::default(),
        &expect![[r#"
        1: 0 predicates, error reached, path refuted, new: ["lock == 0"]
        2: 1 predicates, error reached, path refuted, new: ["lock == 1"]
        3: 2 predicates, error reached, path refuted, new: ["new == old"]
        4: 3 predicates, no error reached
        safe, 1 invariants
    "#]],
    );
}

/// One iteration less than along first paths alone: the conflict of the first path is avoided by a second iteration
/// of the loop, in which the condition is met again, and a condition that refutes the second path by another branch;
/// the conflicts of the remaining paths are learned, too.
#[test]
fn what_refutes_a_path_is_gone_around() {
    let mut setting = Setting::default();
    setting.options.paths = Paths::Around;
    check(
        LOCK,
        setting,
        &expect![[r#"
        1: 0 predicates, error reached, path refuted, new: ["lock == 0", "lock == 1"]
        2: 2 predicates, error reached, path refuted, new: ["new == old", "new == (mathint) old - 1"]
        3: 4 predicates, no error reached
        safe, 1 invariants
    "#]],
    );
}

#[test]
fn an_unsafe_program() {
    let broken = LOCK.replace("new = new + 1;", "new = new;");
    check(
        &broken,
        Setting::default(),
        &expect![[r#"
        1: 0 predicates, error reached, path refuted, new: ["lock == 0"]
        2: 1 predicates, error reached, path refuted, new: ["lock == 1"]
        3: 2 predicates, error reached, path refuted, new: ["new == old"]
        4: 3 predicates, error reached, path feasible, new: []
        unsafe, 2 inputs
    "#]],
    );
}

/// Nothing needs to be known between the statements of a turn where the turn is one block: that the lock is open at the loop's head is
/// enough.
#[test]
fn what_is_needed_inside_of_a_turn_needs_no_predicate() {
    let options = Options { blocks: Blocks::Loops, ..Setting::default().options };
    check(
        LOCK,
        Setting { options, known: None },
        &expect![[r#"
            1: 0 predicates, error reached, path refuted, new: ["lock == 0"]
            2: 1 predicates, no error reached
            safe, 1 invariants
        "#]],
    );
}

#[test]
fn what_was_learned_survives() {
    let setting = Setting { options: Options { iterations: 1, ..Setting::default().options }, known: None };
    let (_, conclusion, known) = checked(LOCK, setting);
    let Conclusion::Unknown(failure) = conclusion else { panic!("one iteration is not enough") };
    assert_eq!(failure.reason, Reason::Iterations);
    let learned = known.precision().len();
    assert!(learned > 0);
    check(
        LOCK,
        Setting { known: Some(known), ..Setting::default() },
        &expect![[r#"
        2: 1 predicates, error reached, path refuted, new: ["lock == 1"]
        3: 2 predicates, error reached, path refuted, new: ["new == old"]
        4: 3 predicates, no error reached
        safe, 1 invariants
    "#]],
    );
}

#[test]
fn without_a_refiner_there_is_no_progress() {
    let options = Options { refiners: vec![], loops_when_due: false, ..Setting::default().options };
    check(
        LOCK,
        Setting { options, known: None },
        &expect![[r#"
        1: 0 predicates, error reached, path refuted, new: []
        2: 0 predicates, error reached, path refuted, new: []
        3: 0 predicates, error reached, path refuted, new: []
        4: 0 predicates, error reached, path refuted, new: []
        unknown: no progress
    "#]],
    );
}

#[test]
fn a_check_waits_for_others() {
    let options = Options { patience: Some(1), ..Setting::default().options };
    check(
        LOCK,
        Setting { options, known: None },
        &expect![[r#"
        1: 0 predicates, error reached, path refuted, new: ["lock == 0"]
        2: 1 predicates, error reached, path refuted, new: ["lock == 1"]
        3: 2 predicates, error reached
        deferred: c0
    "#]],
    );
}
