//! The soundness theorem as a test: each run of a random C-- program with pointers, arrays and recursive calls,
//! mapped through random predicates, is a run of the boolean program.

use crate::common::follow::{Follower, Known, Text};
use crate::common::machine::{Choose, Machine};
#[allow(dead_code, reason = "each test uses a part of what is shared")]
use bp::Name;
use ir::{Callee, EdgeId, Expr, Op, Program};
use passes::Blocks;
use predicates::{Precision, Scope};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use testing::programs::calls::{Dice, random_predicates, random_program};

impl Choose for Dice {
    fn below(&mut self, n: usize) -> usize {
        Dice::below(self, n)
    }
}

/// A run of the machine beside the boolean program.
struct Simulation<'a, 't> {
    program: &'a Program,
    text: &'t Text<'a>,
    machine: Machine<'a>,
    follower: Follower<'a, 't>,
    /// The edges of the open calls.
    calls: Vec<EdgeId>,
    /// The blocks, and the values from before the one that is executed.
    blocks: &'t passes::Partition,
    before_block: Option<Known>,
}

impl Simulation<'_, '_> {
    /// The values of the predicates that the innermost frame sees.
    fn alpha(&self) -> Known {
        let frame = self.machine.frame();
        let value = |(name, e): (Name, &Expr)| {
            let tracked = self.text.is_tracked(frame.proc, &name, frame.at);
            let value = self.machine.holds(e).ok().filter(|_| tracked);
            (name, value)
        };
        self.text.seen(frame.proc).map(value).collect()
    }

    fn step(&mut self, e: EdgeId, dice: &mut Dice) -> bool {
        let before = self.before_block.take().unwrap_or_else(|| self.alpha());
        let edge = &self.program.procs[self.machine.frame().proc].edges[e];
        if let Op::Call { callee: Callee::Direct(q), .. } = &edge.op {
            if self.machine.call(e, dice).is_err() {
                return false;
            }
            self.calls.push(e);
            let inside = self.alpha();
            self.follower.enter(e, *q, before, &inside);
            return true;
        }
        let failed = match &edge.op {
            Op::Check(_, c) => match self.machine.test(c) {
                Ok(holds) => !holds,
                Err(_) => return false,
            },
            _ => false,
        };
        if self.machine.execute(e, dice).is_err() {
            return false;
        }
        let is_inside = self.blocks.is_inside(self.machine.frame().proc, edge.dst);
        let after = if is_inside { before.clone() } else { self.alpha() };
        self.follower.edge(e, &before, &after, failed);
        self.before_block = is_inside.then_some(before);
        // Execution goes on after a check that fails only in the C-- program; one run decides about one.
        !failed
    }

    /// The innermost frame has reached its exit.
    fn leave(&mut self) -> bool {
        let Some(e) = self.calls.pop() else { return false };
        let exit = self.alpha();
        if self.machine.leave(e).is_err() {
            return false;
        }
        let after = self.alpha();
        self.follower.leave(&exit, &after);
        true
    }

    fn run(&mut self, steps: usize, dice: &mut Dice) {
        let start = self.alpha();
        self.follower.check_enforce(&start);
        for _ in 0..steps {
            let frame = self.machine.frame();
            let proc = &self.program.procs[frame.proc];
            if frame.at == proc.exit {
                if !self.leave() {
                    return;
                }
                continue;
            }
            let ready = |e: &EdgeId| match &proc.edges[*e].op {
                Op::Assume(c) => self.machine.test(c).unwrap_or(false),
                _ => true,
            };
            let edges = proc.edges.iter_enumerated().filter(|(_, edge)| edge.src == frame.at).map(|(e, _)| e);
            let ready: Vec<EdgeId> = edges.filter(ready).collect();
            if ready.is_empty() || self.machine.frames.len() > 5 {
                return;
            }
            let e = ready[dice.below(ready.len())];
            if !self.step(e, dice) {
                return;
            }
        }
    }
}

/// The same predicates, some of them tracked at some locations only.
fn somewhere(program: &Program, all: &Precision, dice: &mut Dice) -> Precision {
    let mut out = Precision::new();
    for (_, predicate) in all.iter() {
        match predicate.scope {
            Scope::Proc(p) if dice.below(3) > 0 => {
                let locations = program.procs[p].locations.ids().filter(|_| dice.below(3) > 0).collect();
                out.add_at(predicate.clone(), locations);
            }
            _ => _ = out.add(predicate.clone()),
        }
    }
    out
}

/// Random steps that the prover says no edge takes; what a refinement learns along a path is of this kind.
fn impossible_steps(
    program: &Program,
    precision: &Precision,
    blocks: Blocks,
    dice: &mut Dice,
) -> c2bp::Clauses {
    let oracle = alias::AliasOracle::new(program, alias::AliasMode::Das);
    let interrupt = smt::Interrupt::new();
    let mut states = c2bp::States::new(
        program,
        &oracle,
        precision,
        (encoding::IntMode::Math, blocks),
        2_000_000,
        &interrupt,
    );
    let mut out = c2bp::Clauses::new();
    for (p, proc) in program.procs.iter_enumerated().filter(|(_, proc)| proc.has_body) {
        let in_scope = |scope: Scope| scope == Scope::Global || scope == Scope::Proc(p);
        let ids: Vec<_> = precision.iter().filter(|(_, q)| in_scope(q.scope)).map(|(id, _)| id).collect();
        for e in proc.edges.ids() {
            for _ in 0..4 {
                let before: Vec<_> = ids.iter().map(|id| (*id, dice.below(2) == 0)).collect();
                let change = |(id, value): &(predicates::PredId, bool)| (*id, *value == (dice.below(3) > 0));
                let after: Vec<_> = before.iter().map(change).collect();
                out.entry((p, e)).or_default().extend(states.impossible_step((p, e), &before, &after));
            }
        }
    }
    out
}

/// Steps are cut in the cases whose seeds have this remainder by four.
const CUTS: u64 = 2;

fn simulate(seed: u64) -> usize {
    let mut dice = Dice::new(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let text = random_program(&mut dice);
    let program = crate::common::program(&text);
    let texts = random_predicates(&mut dice);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut precision = crate::common::precision(&program, &texts);
    if seed % 3 == 1 {
        precision = somewhere(&program, &precision, &mut dice);
    }
    let blocks = [Blocks::Basic, Blocks::Loops, Blocks::Loops, Blocks::Statement, Blocks::Statement]
        [(seed % 5) as usize];
    let cut = if seed % 4 == CUTS {
        impossible_steps(&program, &precision, blocks, &mut dice)
    } else {
        c2bp::Clauses::new()
    };
    let abstraction = crate::common::abstraction_without(&program, &precision, &cut, |o| {
        o.max_cube = if seed.is_multiple_of(8) { 3 } else { 2 };
        o.goto = seed.is_multiple_of(2);
        o.blocks = blocks;
        match seed % 16 {
            5 => o.mode = encoding::IntMode::Bits,
            3 | 11 => o.exact = c2bp::Exact::Everything,
            7 => o.shortcuts = false,
            _ => {}
        }
    });
    let text = Text::new(&program, &precision, &abstraction);
    let mut checked = 0;
    for _ in 0..12 {
        let machine = Machine::new(&program, &mut dice);
        let follower = Follower::new(&text);
        let mut simulation = Simulation {
            program: &program,
            text: &text,
            machine,
            follower,
            calls: vec![],
            blocks: &abstraction.blocks,
            before_block: None,
        };
        simulation.run(120, &mut dice);
        checked += simulation.follower.checked;
    }
    checked
}

/// Fixed programs, so that every run of the tests is the same; `C2BP_RANDOM_CASES` asks for another number, and
/// `C2BP_RANDOM_SEED` for others.
#[test]
fn runs_are_simulated() {
    let (cases, first) = (testing::number("C2BP_RANDOM_CASES", 250), testing::number("C2BP_RANDOM_SEED", 0));
    let (next, checked) = (AtomicU64::new(0), AtomicUsize::new(0));
    let work = || {
        loop {
            let case = next.fetch_add(1, Ordering::Relaxed);
            if case >= cases {
                return;
            }
            let seed = first + case;
            match std::panic::catch_unwind(|| simulate(seed)) {
                Ok(found) => _ = checked.fetch_add(found, Ordering::Relaxed),
                Err(_) => panic!("C2BP_RANDOM_SEED={seed} C2BP_RANDOM_CASES=1 shows it again"),
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|s| {
        let running: Vec<_> = (0..threads).map(|_| s.spawn(work)).collect();
        for thread in running {
            assert!(thread.join().is_ok(), "a run is not allowed");
        }
    });
    let checked = checked.into_inner();
    assert!(checked as u64 > 20 * cases, "only {checked} steps were checked");
}
