//! Whether a defined execution reaches a check at all: where every one has undefined behaviour before, nothing is
//! proved, whatever has shown that no check fails.

use crate::assumptions::assuming;
use crate::cegar::{self, Conclusion, Knowledge, Meetings, Stop, Subject};
use crate::options::Options;
use crate::plan::Method;
use crate::{Checks, Event, Observer, Task};
use base::Id;
use executions::random::{self, Undefined};
use ir::{CheckId, CheckKind, EdgeId, EdgeKind, Expr, HavocKind, Op, ProcId, Program};
use passes::checks::{ProgramEnds, Wanted};
use passes::{Pipeline, Stage};
use predicates::Precision;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// Iteration limit of the loop for this question.
const ITERATIONS: usize = 24;

/// Places of undefined behaviour, one behind the other, that an execution is taken past.
const PASSED: usize = 8;

/// The undefined behaviour that an execution has shown, where it is certain that no defined execution reaches any
/// of the checks, though none fails one.
pub(crate) fn undefined_before(
    task: &Task,
    checks: &Checks,
    options: &Options<'_>,
    stop: Stop<'_>,
    observer: &mut dyn Observer,
) -> Option<Undefined> {
    let undefined = match options.in_loop.methods.contains(&Method::Executions) {
        true => checks.undefined,
        false => random::search(&task.whole, stop.flag).undefined,
    }?;
    // No execution is to reach the return of a function that must not return.
    let kind = |c: CheckId| task.whole.checks[c].kind;
    let asked = checks.list().map(|(c, _)| c).filter(|c| kind(*c) != CheckKind::Noreturn);
    let asked: BTreeSet<CheckId> = asked.collect();
    // The places that threads reach cannot be read off the edges of the scheduler's steps.
    if asked.is_empty() || asked.iter().any(|c| kind(*c) == CheckKind::Rule) || !task.whole.turns.is_empty() {
        return None;
    }
    let meetings = Meetings::of(&task.whole, &task.conditions, &asked);
    if random::takes(&task.whole, &meetings.edges, stop.flag) {
        return None;
    }
    observer.event(&Event::Begins(Method::Defined), (task, checks));
    if !is_met_past(&task.whole, &meetings, undefined, stop.flag) {
        return None;
    }
    let program = meetings.fail(&only_defined(task, &undefined));
    is_never_failed(program, task, options, stop).then_some(undefined)
}

/// Whether an execution that passed undefined behaviour, as compiled programs do, would reach one of these
/// places: where none does, it is not that behaviour that keeps executions from them.
fn is_met_past(whole: &Program, meetings: &Meetings, first: Undefined, stop: &AtomicBool) -> bool {
    let (mut program, mut next) = (whole.clone(), first);
    for _ in 0..PASSED {
        pass(&mut program, next.edge);
        if random::takes(&program, &meetings.edges, stop) {
            return true;
        }
        match random::search(&program, stop).undefined {
            Some(undefined) => next = undefined,
            None => return false,
        }
    }
    true
}

/// Whether no execution of the program fails a check.
fn is_never_failed(program: Program, task: &Task, options: &Options<'_>, stop: Stop<'_>) -> bool {
    let mut passes = Pipeline::at(Stage::Whole, program.clone(), options.settings.clone());
    // No pass behind this stage refuses a program.
    let _ = passes.run(Stage::Reduced);
    let (mut reduced, oracle, _) = passes.finish();
    let mut program = program;
    let limited = cegar::Options { iterations: ITERATIONS, ..cegar::Options::default() };
    loop {
        let subject = Subject {
            whole: &program,
            conditions: &task.conditions,
            mode: task.mode,
            may_switch: false,
            ..Subject::new(&reduced, &oracle)
        };
        let context = cegar::Context { task: subject, options: &limited, stop };
        let mut known = Knowledge::new(Precision::new(), options.max_cube);
        match cegar::run(&context, &mut known, &mut c2bp::Cache::new(), &mut ()) {
            Conclusion::Safe(_) => return true,
            // Induction shows some of them; the others are asked for again.
            Conclusion::Holds(held) if !held.checks.is_empty() => {
                program = assuming(&program, |check| held.checks.contains(&check));
                reduced = assuming(&reduced, |check| held.checks.contains(&check));
            }
            _ => return false,
        }
    }
}

/// The operation of an edge, where it is undefined, is passed: a variable that it assigns has any value, and a condition any outcome.
fn pass(program: &mut Program, (p, e): (ProcId, EdgeId)) {
    let proc = &mut program.procs[p];
    let (from, is_branch) = (proc.edges[e].src, matches!(proc.edges[e].kind, EdgeKind::Branch { .. }));
    for (n, edge) in proc.edges.iter_mut().enumerate() {
        if EdgeId::from_index(n) != e && !(is_branch && edge.src == from) {
            continue;
        }
        edge.op = match &edge.op {
            Op::Assign(to, _) if to.as_var().is_some() => {
                Op::Havoc(to.clone(), HavocKind::Analysis("what follows undefined behaviour".into()))
            }
            _ => Op::Assume(Expr::int(1)),
        };
    }
}

/// The program whose executions end where they do what this one does. Where that is an access to memory, a pointer may lead there that
/// was never written: they end where they read such a thing, too. A number that was never written is any number, here as elsewhere.
fn only_defined(task: &Task, undefined: &Undefined) -> Program {
    let kind = undefined.what.check();
    let of_memory = matches!(kind, None | Some(CheckKind::Null | CheckKind::Bounds | CheckKind::Free));
    let unwritten = of_memory.then_some(CheckKind::Uninit);
    let kinds = [CheckKind::Reach].into_iter().chain(unwritten).chain(kind).collect();
    let models = task.whole.procs.iter_enumerated().filter(|(_, p)| p.is_model()).map(|(p, _)| p).collect();
    let wanted = Wanted {
        kinds: &kinds,
        leaks_at: ProgramEnds::Return,
        covered: &models,
        strings: &BTreeSet::new(),
        describe: &|_, _| None,
        place: &|_, _| None,
    };
    let own = task.whole.checks.len();
    assuming(&passes::checks::added(&task.whole, &wanted), |check| own <= check.index())
}
