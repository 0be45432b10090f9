//! Checks that are assumed to hold: a set. The programs under these assumptions, in which such a check is an `assume`, are made
//! from it when somebody asks for them.

use ir::{CheckId, CheckKind, Op, Program};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// The whole program, and what is abstracted, under assumptions.
#[derive(Clone)]
struct Programs {
    whole: Program,
    program: Program,
}

/// See the module's documentation.
#[derive(Clone, Default)]
pub struct Assumptions {
    checks: BTreeSet<CheckId>,
    /// Nothing that is not modelled is reached.
    unmodelled_assumed: bool,
    programs: OnceLock<Programs>,
}

impl Assumptions {
    /// These checks hold.
    pub fn of(checks: BTreeSet<CheckId>) -> Assumptions {
        Assumptions { checks, ..Assumptions::default() }
    }

    /// The checks that hold.
    pub fn checks(&self) -> &BTreeSet<CheckId> {
        &self.checks
    }

    /// The check holds: an execution that fails it ends there, and is followed no further. Every other check is then decided for
    /// the executions that fail it first, as before.
    pub(crate) fn add(&mut self, check: CheckId) {
        self.checks.insert(check);
        self.programs.take();
    }

    /// The check is asked for again.
    pub(crate) fn remove(&mut self, check: CheckId) {
        self.checks.remove(&check);
        self.programs.take();
    }

    /// Nothing that is not modelled is reached.
    pub(crate) fn add_modelled(&mut self) {
        self.unmodelled_assumed = true;
        self.programs.take();
    }

    /// Both programs under the assumptions.
    pub(crate) fn made<'p>(&'p self, whole: &'p Program, program: &'p Program) -> (&'p Program, &'p Program) {
        if self.checks.is_empty() && !self.unmodelled_assumed {
            return (whole, program);
        }
        let made =
            self.programs.get_or_init(|| Programs { whole: self.apply(whole), program: self.apply(program) });
        (&made.whole, &made.program)
    }

    fn apply(&self, program: &Program) -> Program {
        let is_assumed = |check: CheckId| {
            let is_unmodelled = || program.checks[check].kind == CheckKind::Unmodelled;
            self.checks.contains(&check) || self.unmodelled_assumed && is_unmodelled()
        };
        assuming(program, is_assumed)
    }
}

/// The program in which executions that fail one of these checks end there.
pub(crate) fn assuming(program: &Program, is_assumed: impl Fn(CheckId) -> bool) -> Program {
    let mut out = program.clone();
    for edge in out.procs.iter_mut().flat_map(|p| p.edges.iter_mut()) {
        if let Op::Check(check, condition) = &edge.op
            && is_assumed(*check)
        {
            edge.op = Op::Assume(condition.clone());
        }
    }
    out
}
