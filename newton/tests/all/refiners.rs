//! What each refiner promises: over its predicates alone the path is infeasible in the abstraction too, where each
//! statement of the path is abstracted exactly. The abstraction of a path is that of the path as a program of its own.

use crate::common::program::{Kind, condition, random, with_check, without_checks};
use crate::common::random_cases;
use crate::common::straight::Straight;
use alias::{AliasMode, AliasOracle};
use bebop::Answer;
use c2bp::{Cache, Exact};
use encoding::IntMode;
use ir::{Callee, EdgeId, Expr, LocId, Lvalue, Op, Path, PathStep, ProcId, Program};
use newton::{Outcome, Refiner, Refuted, path_text};
use predicates::{Precision, Predicate};
use smt::Interrupt;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use testing::programs::calls::Dice;

const REFINERS: [Refiner; 5] = [Refiner::Wp, Refiner::Sp, Refiner::WpAll, Refiner::Tree, Refiner::Loops];

/// With more predicates exact abstractions take too long.
const MOST: usize = 7;

/// Whether the abstraction of the path over these predicates still goes to its end; `None` when there are too many.
fn is_abstract_path(program: &Program, path: &Path, predicates: &[Predicate], mode: IntMode) -> Option<bool> {
    let straight = Straight::new(program, path);
    let precision = straight.precision(predicates.iter(), mode);
    if precision.len() > MOST {
        return None;
    }
    let oracle = AliasOracle::new(&straight.program, AliasMode::Das);
    let (stop, interrupt) = (AtomicBool::new(false), Interrupt::new());
    let options = c2bp::Options { exact: Exact::Everything, mode, ..c2bp::Options::new(&stop, &interrupt) };
    let abstraction =
        c2bp::abstract_program(&straight.program, &oracle, &precision, &options, &mut Cache::new())
            .expect("nobody stops it");
    let (cfg, _) = bp::Cfg::build(&abstraction.program, None).expect("abstractions are well-formed");
    let options = bebop::Options { trace: false, ..bebop::Options::new(cfg.failures(), &stop) };
    let outcome = bebop::check(&cfg, &options).expect("nobody stops it");
    Some(!matches!(outcome.answer, Answer::Unreachable))
}

/// A random walk from the program's entry: its steps, and where it is.
fn walk(program: &Program, length: usize, dice: &mut Dice) -> (Vec<PathStep>, (ProcId, LocId)) {
    let mut steps = vec![];
    let mut stack = vec![(program.entry, program.procs[program.entry].entry, None)];
    while steps.len() < length {
        let (p, at, call) = *stack.last().expect("the entry procedure stays open");
        let proc = &program.procs[p];
        let out: Vec<EdgeId> =
            proc.edges.iter_enumerated().filter(|(_, e)| e.src == at).map(|(e, _)| e).collect();
        if out.is_empty() {
            let Some((caller, e)) = call else { break };
            stack.pop();
            steps.push(PathStep::Leave(caller, e, p));
            continue;
        }
        let e = out[dice.below(out.len())];
        stack.last_mut().expect("it is open").1 = proc.edges[e].dst;
        match &proc.edges[e].op {
            Op::Call { callee: Callee::Direct(q), .. } if program.procs[*q].has_body => {
                steps.push(PathStep::Enter(p, e, *q));
                stack.push((*q, program.procs[*q].entry, Some((p, e))));
            }
            _ => steps.push(PathStep::Edge(p, e)),
        }
    }
    let (p, at, _) = stack[stack.len() - 1];
    (steps, (p, at))
}

/// How often a refiner gave nothing, and what its predicates did.
#[derive(Default, Debug)]
struct Gave {
    nothing: usize,
    too_many: usize,
    refuting: usize,
    not_refuting: usize,
}

#[derive(Default)]
struct Counted {
    paths: usize,
    by: BTreeMap<(Form, Refiner), Gave>,
}

fn add(sum: &mut Counted, other: Counted) {
    sum.paths += other.paths;
    for (key, gave) in other.by {
        let own = sum.by.entry(key).or_default();
        own.nothing += gave.nothing;
        own.too_many += gave.too_many;
        own.refuting += gave.refuting;
        own.not_refuting += gave.not_refuting;
    }
}

/// What a path is like from the first step of its core.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Form {
    /// Assignments and conditions over whole variables that are numbers, in one activation.
    Plain,
    /// The same with memory and pointers.
    Memory,
    /// Calls are entered or left.
    Calls,
}

fn form(program: &Program, path: &Path, core: &[usize]) -> Form {
    let behind = &path.steps[core.first().copied().unwrap_or(0)..];
    let mut form = Form::Plain;
    for step in behind {
        match *step {
            PathStep::Enter(..) | PathStep::Leave(..) => return Form::Calls,
            PathStep::Edge(p, e) if is_plain(&program.procs[p].edges[e].op) => {}
            PathStep::Edge(..) => form = Form::Memory,
        }
    }
    form
}

fn is_plain(op: &Op) -> bool {
    let number = |lv: &Lvalue| lv.as_var().is_some() && lv.ty.as_int().is_some();
    let numbers = |e: &Expr| {
        let mut plain = true;
        e.walk(&mut |node| match node {
            Expr::Load(lv) => plain &= number(lv),
            Expr::AddrOf(_) => plain = false,
            _ => {}
        });
        plain
    };
    match op {
        Op::Skip => true,
        Op::Assign(lv, value) => number(lv) && numbers(value),
        Op::Havoc(lv, _) => number(lv),
        Op::Assume(c) | Op::Check(_, c) => numbers(c),
        _ => false,
    }
}

/// Weakest preconditions and strongest postconditions promise to refute plain paths, solutions of clauses too, if there are
/// any: with mathematical integers, for nothing eliminates a havocked bit-vector. With memory and calls a refiner leaves out what it cannot say in the frame on top, and the passing of
/// arguments is abstracted predicate by predicate.
fn try_refiners(program: &Program, path: &Path, refuted: &Refuted<'_>, mode: IntMode, counted: &mut Counted) {
    counted.paths += 1;
    for refiner in REFINERS {
        let found = refuted.refine(refiner, &Precision::new());
        let predicates: Vec<Predicate> = found.predicates.into_iter().map(|d| d.predicate).collect();
        let form = form(program, path, &found.core);
        let gave = counted.by.entry((form, refiner)).or_default();
        let solves_clauses = matches!(refiner, Refiner::Tree | Refiner::Loops);
        if predicates.is_empty() {
            gave.nothing += 1;
            if solves_clauses || form != Form::Plain {
                continue;
            }
        }
        match is_abstract_path(program, path, &predicates, mode) {
            None => gave.too_many += 1,
            Some(false) => gave.refuting += usize::from(!predicates.is_empty()),
            Some(true) => {
                gave.not_refuting += 1;
                let texts: Vec<_> = predicates.iter().map(|p| p.text(program)).collect();
                let path = path_text::print(program, path, &found.core);
                let promised = form == Form::Plain && mode == IntMode::Math;
                assert!(!promised, "{refiner:?} ({mode:?}) gives {texts:?} for\n{path}");
            }
        }
    }
}

/// The program without operations that are not plain.
fn plain(mut program: Program) -> Program {
    for edge in program.procs.iter_mut().flat_map(|proc| proc.edges.iter_mut()) {
        if !is_plain(&edge.op) {
            edge.op = Op::Skip;
        }
    }
    program
}

/// Two random paths of one random program; half of the programs are plain.
fn law(seed: u64) -> Counted {
    let mut counted = Counted::default();
    let mut dice = Dice::new(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let kind = Kind::Calls;
    let Some(program) = random(kind, &mut dice).map(without_checks) else { return counted };
    let is_half = seed.is_multiple_of(2);
    let program = if is_half { plain(program) } else { program };
    for _ in 0..2 {
        let length = 6 + dice.below(20);
        let (mut steps, at) = walk(&program, length, &mut dice);
        let mut drawn = (0..30).filter_map(|_| condition(kind, &program, at.0, &mut dice));
        let Some(fails) = drawn.find(|c| !is_half || is_plain(&Op::Assume(c.clone()))) else { continue };
        let Some((program, e)) = with_check(&program, at, fails) else { continue };
        steps.push(PathStep::Edge(at.0, e));
        let path = Path { steps };
        let oracle = AliasOracle::new(&program, AliasMode::Das);
        let interrupt = Interrupt::new();
        let mode = if seed % 8 < 2 { IntMode::Bits } else { IntMode::Math };
        let options =
            newton::Options { mode, rlimit: smt::RLIMIT / 10, max_steps: 1000, interrupt: &interrupt };
        if let Outcome::Refuted(mut refuted) = newton::decide(&program, &oracle, &path, &options) {
            try_refiners(&program, &path, &refuted, mode, &mut counted);
            // Each further contradiction refutes the path as the first does.
            while refuted.another() {
                try_refiners(&program, &path, &refuted, mode, &mut counted);
            }
        }
    }
    counted
}

#[test]
fn predicates_refute_the_path_by_themselves() {
    let counted = random_cases(100, law, add);
    eprintln!("{} refuted paths", counted.paths);
    for ((form, refiner), gave) in &counted.by {
        eprintln!("{form:?} {}: {gave:?}", refiner.short_name());
        let few = gave.refuting + gave.not_refuting < 20;
        assert!(few || gave.refuting > gave.not_refuting, "most predicates refute their path");
    }
}
