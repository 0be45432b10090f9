//! What is asked about: a program behind all passes, how its integers are modelled, and which of its checks are assumed to hold.

use crate::assumptions::Assumptions;
use crate::cegar::{Held, LeftOut, Reason, Subject};
use alias::AliasOracle;
use base::{Diagnostic, Id, SourceMap, Span};
use cfront::ExternPolicy;
use encoding::IntMode;
use encoding::integers::NeedsBits;
use ir::{Callee, Check, CheckId, CheckKind, Edge, Op, Program, Type, VarId};
use passes::{Reduction, Settings, UnknownCallee};
use predicates::predicates_file;
use slic::{Prepared, RuleState};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use zones::Facts;

/// A program behind all passes, with everything that reports need; the loop sees [`Task::subject`] alone.
pub struct Task {
    /// The program whose executions count, function pointers resolved: counterexamples are replayed on it.
    pub whole: Program,
    /// The same without what cannot matter to any check, and with constants and copies propagated; locations and
    /// edges keep their ids.
    pub program: Program,
    /// The oracle of `program`.
    pub oracle: Arc<AliasOracle>,
    /// The source files.
    pub sources: SourceMap,
    /// Functions that are defined nowhere and that executions can reach.
    pub externs: Vec<String>,
    /// What is assumed of them.
    pub assumption: &'static str,
    /// Pointers that may call undefined functions, with their places.
    pub unknown_callees: Vec<String>,
    /// The program's own assertions and error calls that are not checked, as `--check only:` wants it.
    pub not_checked: Vec<Check>,
    /// The expressions of which several branches are parts.
    pub conditions: Vec<Span>,
    /// The state of the rules that are checked.
    pub rules: Vec<RuleState>,
    /// What was added to the files to call the function of `--entry`.
    pub caller: Option<cfront::Harness>,
    /// The source's names for the program's variables.
    pub words: cfront::Words,
    /// How integers are modelled.
    pub mode: IntMode,
    /// How they were, at first.
    pub first_mode: IntMode,
    /// Whether another mode may be tried.
    pub may_switch: bool,
    /// Why the mode was chosen, when the program's operations decided.
    pub mode_reason: Option<NeedsBits>,
    /// Behaviour that the analysis leaves out: an error found is one all the same, but nothing is safe.
    pub left_out: Option<LeftOut>,
    /// How `program` differs from `whole`; `None` when it does not.
    pub reduction: Option<Reduction>,
    /// Why some checks hold.
    pub facts: Facts,
    /// The variables that are declared as their bytes here, and otherwise in the source.
    pub bytes: BTreeSet<VarId>,
    /// Checks that induction proves; they are assumed to hold, too.
    pub inductive: Vec<Held>,
    /// The checks that are assumed to hold at present.
    assumptions: Assumptions,
}

/// How a program is prepared.
#[derive(Clone, Default)]
pub struct Preparation<'a> {
    /// What the passes do; which kinds of checks there are is the front end's to say.
    pub settings: Settings,
    /// How integers are modelled, where that is not left to the program's operations.
    pub integers: Option<IntMode>,
    /// What is assumed of undefined functions.
    pub extern_policy: ExternPolicy,
    /// The text of a file of predicates: reads of what it names are kept.
    pub predicates: &'a str,
    /// The rules that are checked.
    pub rules: &'a [slic::Source],
}

/// Why there is nothing to work on.
#[derive(Debug)]
pub struct Refusal {
    /// What stands in the way.
    pub why: Refused,
    /// What and where.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that the diagnostics refer to.
    pub sources: SourceMap,
}

/// What stands in the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// A pointer may call functions that are not known.
    Callee,
    /// Something is not modelled.
    NotModelled,
    /// A rule does not fit the program.
    Rule,
}

impl Refusal {
    /// What and where.
    pub fn text(&self) -> String {
        self.diagnostics.iter().map(|d| d.styled(&self.sources)).collect()
    }
}

impl Task {
    /// The program under the assumptions, for the loop.
    pub fn subject(&self) -> Subject<'_> {
        self.under(&self.assumptions)
    }

    /// The program under these assumptions.
    pub fn under<'t>(&'t self, assumptions: &'t Assumptions) -> Subject<'t> {
        let (whole, program) = assumptions.made(&self.whole, &self.program);
        Subject {
            whole,
            program,
            oracle: &self.oracle,
            sources: Some(&self.sources),
            conditions: &self.conditions,
            mode: self.mode,
            may_switch: self.may_switch,
            left_out: self.left_out.as_ref(),
            facts: Some(&self.facts).filter(|facts| !facts.is_empty()),
        }
    }

    /// Which of the checks hold by bounds of integers, computed with at most this many steps; none where something that is not modelled
    /// may be reached, which they do not cover.
    pub(crate) fn compute_facts(&self, checks: &BTreeSet<CheckId>, steps: u64, stop: &AtomicBool) -> Facts {
        let program = self.subject().program;
        let Some(computed) = zones::compute(program, &self.oracle, steps, stop) else {
            return Facts::default();
        };
        let unmodelled = |edge: &Edge| match edge.op {
            Op::Check(check, _) => program.checks[check].kind == CheckKind::Unmodelled,
            _ => false,
        };
        let mut places = program.edges().filter(|(_, _, edge)| unmodelled(edge));
        if places.any(|(p, _, edge)| !computed.is_unreachable(p, edge.src)) {
            return Facts::default();
        }
        Facts::new(program, &computed, checks)
    }

    /// The checks that are assumed to hold.
    pub fn assumed(&self) -> &BTreeSet<CheckId> {
        self.assumptions.checks()
    }

    /// Assumes that a check holds which does by facts.
    ///
    /// # Panics
    /// When they do not show it.
    pub(crate) fn hold(&mut self, check: CheckId) {
        assert!(self.facts.hold(check), "only what facts show is held by them");
        self.assume(check);
    }

    /// Assumes that the check holds: executions that fail it end there. Every other check is then decided for the executions that
    /// fail it first, as before.
    pub fn assume(&mut self, check: CheckId) {
        self.assumptions.add(check);
    }

    /// Asks for the check again.
    pub fn ask(&mut self, check: CheckId) {
        self.assumptions.remove(check);
    }

    /// Asks for all checks.
    pub fn ask_all(&mut self) {
        self.assumptions = Assumptions::default();
    }

    /// Leaves the executions out that fail this check, as it cannot be decided for this reason: errors of other checks
    /// can still be found.
    pub(crate) fn leave_out(&mut self, check: CheckId, reason: Reason) {
        let span = self.whole.checks[check].span;
        self.left_out.get_or_insert(LeftOut { reason, span });
        self.assume(check);
    }

    /// Leaves the executions out that reach something that is not modelled, as one was found (at this check) and
    /// nothing can be safe any more: errors that other executions make can still be found.
    pub(crate) fn leave_out_unmodelled(&mut self, found: CheckId) {
        let check = &self.whole.checks[found];
        let left_out = LeftOut { reason: Reason::NotModelled(check.message.clone()), span: check.span };
        self.left_out.get_or_insert(left_out);
        self.assumptions.add_modelled();
    }

    /// Prepares the front end's program.
    ///
    /// # Errors
    /// When it cannot be analysed soundly.
    pub fn new(mut front: cfront::Frontend, preparation: &Preparation<'_>) -> Result<Task, Box<Refusal>> {
        let Preparation { settings, integers, extern_policy, predicates, rules } = preparation;
        let marked = front.marked_procedures();
        let mut sources = front.sources;
        let refused = |why, diagnostics, sources: &SourceMap| {
            Box::new(Refusal { why, diagnostics, sources: sources.clone() })
        };
        let named = |program: &Program| predicates_file::named(program, predicates);
        let unit = (front.program, marked);
        let prepared = slic::prepared(unit, settings.clone(), rules, &mut sources, named).map_err(|e| {
            let why = match &e {
                passes::Refused::Callee(_) => Refused::Callee,
                passes::Refused::Unsupported(..) => Refused::NotModelled,
                passes::Refused::Rules(_) => Refused::Rule,
            };
            refused(why, e.diagnostics(), &sources)
        })?;
        let Prepared { declared, whole, whole_oracle, program, oracle, notes, rules } = prepared;
        notes.copies.into_iter().for_each(|(copy, of)| front.words.also(copy, of));
        let unknown_callees = pointers_called(&notes.unknown_callees, &sources);
        front.words.ghosts.extend(whole.vars.ids().skip(declared.len()));
        let is_other = |(v, ty): (usize, &Type)| {
            let v = VarId::from_index(v);
            (whole.vars[v].ty != *ty).then_some(v)
        };
        let bytes = declared.iter().enumerate().filter_map(is_other).collect();
        let left_out = callbacks(&whole, &whole_oracle);
        let called = reached(&whole, &whole_oracle);
        let externs = front.externs.into_iter().filter(|name| called.contains(name)).collect();
        let reduction = notes.reduction.between(&whole, &program);
        let (mode, mode_reason) = encoding::integers::choose(&program, *integers).map_err(|needs| {
            let diagnostic = Diagnostic::error(needs.span, needs.refusal().message);
            refused(Refused::NotModelled, vec![diagnostic], &sources)
        })?;
        Ok(Task {
            whole,
            program,
            oracle,
            sources,
            externs,
            assumption: extern_policy.assumption(),
            unknown_callees,
            not_checked: front.not_checked,
            conditions: front.conditions,
            rules,
            caller: front.harness,
            words: front.words,
            mode,
            first_mode: mode,
            may_switch: integers.is_none() && mode == IntMode::Math,
            mode_reason,
            left_out,
            reduction,
            facts: Facts::default(),
            bytes,
            inductive: vec![],
            assumptions: Assumptions::default(),
        })
    }
}

/// What is called by pointers that may hold unknown addresses, each once.
fn pointers_called(unknown: &[UnknownCallee], sources: &SourceMap) -> Vec<String> {
    let mut out: Vec<String> = vec![];
    for callee in unknown {
        let text = format!("`{}` ({})", callee.pointer, sources.short(callee.span));
        if !out.contains(&text) {
            out.push(text);
        }
    }
    out
}

/// The names of the procedures that executions can call.
fn reached(program: &Program, oracle: &AliasOracle) -> BTreeSet<String> {
    let reachable = alias::reachable(program, oracle);
    let procs = program.procs.iter_enumerated().filter(|(p, _)| reachable[*p]);
    let callees = procs.flat_map(|(_, proc)| proc.edges.iter()).filter_map(|edge| match &edge.op {
        Op::Call { callee: Callee::Direct(q), .. } => Some(program.procs[*q].name.clone()),
        _ => None,
    });
    callees.collect()
}

/// An undefined function that was given a procedure's address may call it at any time, which nothing models yet.
pub fn callbacks(program: &Program, oracle: &AliasOracle) -> Option<LeftOut> {
    let reachable = alias::reachable(program, oracle);
    let (p, e, targets) = oracle.callbacks().iter().find(|(p, ..)| reachable[*p])?;
    let names = targets.iter().map(|t| program.procs[*t].name.clone()).collect();
    Some(LeftOut { reason: Reason::Callback(names), span: program.procs[*p].edges[*e].span })
}
