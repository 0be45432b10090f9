//! Whether a defined execution reaches a check at all: where every one has undefined behaviour before, nothing is
//! proved, whatever has shown that no check fails.

use super::Command;
use crate::checks::Checks;
use crate::earlier::recorded::Recorded;
use crate::prepare::Task;
use crate::report::{self, Answer};
use base::Id;
use cegar::{Conclusion, Meetings, Stop};
use executions::random::{self as probe, Undefined};
use ir::{CheckId, CheckKind, EdgeId, EdgeKind, Expr, HavocKind, Op, ProcId, Program};
use passes::checks::{ProgramEnds, Wanted};
use passes::{Pipeline, Stage};
use std::collections::BTreeSet;

/// Iteration limit of the loop for this question.
const ITERATIONS: usize = 24;

/// Places of undefined behaviour, one behind the other, that an execution is taken past.
const PASSED: usize = 8;

impl Command<'_> {
    /// The answer that no check fails, unless every execution is undefined before it reaches one.
    pub(super) fn only_if_defined(
        &self,
        answer: Answer,
        (task, checks): (&Task, &Checks),
        recorded: &Recorded,
    ) -> Answer {
        if checks.undefined.is_some() {
            // A run that is stopped meanwhile has this answer.
            self.session.set_certain(answer.body.clone(), answer.verdict.clone());
        }
        match self.undefined_before(task, checks, recorded) {
            Some(undefined) => report::undefined_before(task, checks, &undefined, self.session.stop()),
            None => answer,
        }
    }

    /// The undefined behaviour that an execution has shown, where it is certain that no defined execution reaches any
    /// of the checks.
    fn undefined_before(&self, task: &Task, checks: &Checks, recorded: &Recorded) -> Option<Undefined> {
        let undefined = match self.options.refinement.probe {
            true => checks.undefined,
            false => probe::search(&task.whole, self.session.stop()).undefined,
        }?;
        // No execution is to reach the return of a function that must not return.
        let kind = |c: CheckId| task.whole.checks[c].kind;
        let asked = checks.list().map(|(c, _)| c).filter(|c| kind(*c) != CheckKind::Noreturn);
        let asked: BTreeSet<CheckId> = asked.collect();
        // The places that threads reach cannot be read off the edges of the scheduler's steps.
        if asked.is_empty()
            || asked.iter().any(|c| kind(*c) == CheckKind::Rule)
            || !task.whole.turns.is_empty()
        {
            return None;
        }
        let meetings = Meetings::of(&task.whole, &task.conditions, &asked);
        if probe::takes(&task.whole, &meetings.edges, self.session.stop()) {
            return None;
        }
        self.session.doing("whether a defined execution reaches a check");
        if !self.is_met_past(&task.whole, &meetings, undefined) {
            return None;
        }
        let program = meetings.fail(&only_defined(task, &undefined));
        self.is_never_failed(program, task, recorded).then_some(undefined)
    }

    /// Whether an execution that passed undefined behaviour, as compiled programs do, would reach one of these
    /// places: where none does, it is not that behaviour that keeps executions from them.
    fn is_met_past(&self, whole: &Program, meetings: &Meetings, first: Undefined) -> bool {
        let (mut program, mut next) = (whole.clone(), first);
        for _ in 0..PASSED {
            pass(&mut program, next.edge);
            if probe::takes(&program, &meetings.edges, self.session.stop()) {
                return true;
            }
            match probe::search(&program, self.session.stop()).undefined {
                Some(undefined) => next = undefined,
                None => return false,
            }
        }
        true
    }

    /// Whether no execution of the program fails a check.
    fn is_never_failed(&self, mut program: Program, task: &Task, recorded: &Recorded) -> bool {
        let settings = recorded.preparation.settings(recorded.front.extern_policy);
        let mut passes = Pipeline::at(Stage::Whole, program.clone(), settings);
        // No pass behind this stage refuses a program.
        let _ = passes.run(Stage::Reduced);
        let (mut reduced, oracle, _) = passes.finish();
        let options = cegar::Options { iterations: ITERATIONS, ..cegar::Options::default() };
        loop {
            let context = cegar::Context {
                task: cegar::Task {
                    whole: &program,
                    conditions: &task.conditions,
                    mode: task.mode,
                    may_switch: false,
                    ..cegar::Task::new(&reduced, &oracle)
                },
                options: &options,
                stop: Stop { flag: self.session.stop(), interrupt: self.interrupt },
            };
            let mut known =
                cegar::Knowledge::new(predicates::Precision::new(), self.options.refinement.max_cube);
            let mut cache = c2bp::Cache::new();
            let conclusion = self.pool.install(|| cegar::run(&context, &mut known, &mut cache, &mut ()));
            match conclusion {
                Conclusion::Safe(_) => return true,
                // Induction shows some of them; the others are asked for again.
                Conclusion::Holds(held) if !held.checks.is_empty() => {
                    assume(&mut program, &held.checks);
                    assume(&mut reduced, &held.checks);
                }
                _ => return false,
            }
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

/// Executions that fail these checks are left out.
fn assume<'a>(program: &mut Program, checks: impl IntoIterator<Item = &'a CheckId> + Clone) {
    for edge in program.procs.iter_mut().flat_map(|p| p.edges.iter_mut()) {
        if let Op::Check(check, condition) = &edge.op
            && checks.clone().into_iter().any(|c| c == check)
        {
            edge.op = Op::Assume(condition.clone());
        }
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
    let mut program = passes::checks::added(&task.whole, &wanted);
    let own = task.whole.checks.len();
    for edge in program.procs.iter_mut().flat_map(|p| p.edges.iter_mut()) {
        if let Op::Check(check, condition) = &edge.op
            && check.index() >= own
        {
            edge.op = Op::Assume(condition.clone());
        }
    }
    program
}
