//! Preparation of the front end's program for the loop: checked, function pointers resolved, sliced,
//! constants and copies propagated, with the alias oracle and the integer mode.

use crate::earlier::recorded::Recorded;
use crate::options::{Integers, Preparation};
use crate::report::listing::Source;
use crate::report::{self, Answer};
use alias::AliasOracle;
use base::{Diagnostic, Id, SourceMap, Span};
use cegar::{Held, LeftOut, Reason};
use cfront::ExternPolicy;
use cli::Verdict;
use cli::front;
use cli::front::Prepared;
use cli::front::rules::RuleState;
use encoding::IntMode;
use encoding::integers::NeedsBits;
use ir::{Callee, Check, CheckId, CheckKind, Edge, EdgeId, Op, ProcId, Program, Type, VarId};
use passes::{Reduction, UnknownCallee};
use predicates::predicates_file;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use zones::Facts;

/// The effort for bounds of integers: about a second.
const EFFORT: u64 = 400_000_000;

/// What the loop works on.
pub(crate) struct Task {
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
    /// What stands for the whole program in a result about an error.
    pub fingerprint: String,
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
    /// Whether another mode may be tried.
    pub may_switch: bool,
    /// Why the mode was chosen, when the program's operations decided.
    pub mode_reason: Option<NeedsBits>,
    /// Behaviour that the analysis leaves out: an error found is one all the same, but nothing is safe.
    pub left_out: Option<LeftOut>,
    /// How `program` differs from `whole`; `None` when it does not.
    pub reduction: Option<Reduction>,
    /// Why some checks hold; those that are assumed to are masked.
    pub facts: Facts,
    /// The variables that are declared as their bytes here, and otherwise in the source.
    pub bytes: BTreeSet<VarId>,
    /// Checks that induction proves; they are masked, too.
    pub inductive: Vec<Held>,
    /// The edges of checks that are assumed to hold at present.
    pub masked: BTreeMap<CheckId, Vec<(ProcId, EdgeId)>>,
}

/// Why there is nothing to work on.
pub(crate) struct Refusal {
    why: Refused,
    /// What and where.
    diagnostics: Vec<Diagnostic>,
    /// The files that the diagnostics refer to.
    sources: SourceMap,
}

/// What stands in the way.
#[derive(Clone, Copy)]
enum Refused {
    /// Something is not modelled: the reason of the verdict.
    NotModelled(&'static str),
    /// A rule does not fit the program.
    Rule,
}

impl Refusal {
    /// What and where.
    pub(crate) fn text(&self) -> String {
        self.diagnostics.iter().map(|d| d.styled(&self.sources)).collect()
    }

    /// The answer that follows.
    fn answer(&self) -> Answer {
        let text = self.text();
        match self.why {
            Refused::NotModelled(reason) => report::not_modelled(reason, &text),
            Refused::Rule => Answer { body: text, ..Answer::refused(Verdict::Error("rule".into())) },
        }
    }
}

impl Task {
    /// Where texts of its steps come from.
    pub(crate) fn source(&self) -> Source<'_> {
        Source { program: &self.whole, sources: &self.sources, words: Some(&self.words) }
    }

    /// What the loop works on.
    pub(crate) fn for_loop(&self) -> cegar::Task<'_> {
        cegar::Task {
            whole: &self.whole,
            program: &self.program,
            oracle: &self.oracle,
            sources: Some(&self.sources),
            conditions: &self.conditions,
            mode: self.mode,
            may_switch: self.may_switch,
            left_out: self.left_out.as_ref(),
            facts: Some(&self.facts).filter(|facts| !facts.is_empty()),
        }
    }

    /// Which of the checks hold by bounds of integers; none where something that is not modelled may be reached, which
    /// they do not cover.
    pub(crate) fn compute_facts(&self, checks: &BTreeSet<CheckId>, stop: &AtomicBool) -> Facts {
        let Some(computed) = zones::compute(&self.program, &self.oracle, EFFORT, stop) else {
            return Facts::default();
        };
        let unmodelled = |edge: &Edge| match edge.op {
            Op::Check(check, _) => self.program.checks[check].kind == CheckKind::Unmodelled,
            _ => false,
        };
        let mut places = self.program.edges().filter(|(_, _, edge)| unmodelled(edge));
        if places.any(|(p, _, edge)| !computed.is_unreachable(p, edge.src)) {
            return Facts::default();
        }
        Facts::new(&self.program, &computed, checks)
    }

    /// Takes a check for an assumption that holds by facts; false when it does not.
    pub(crate) fn hold(&mut self, check: CheckId) -> bool {
        let holds = self.facts.hold(check);
        if holds {
            self.mask(check);
        }
        holds
    }

    /// Takes the check for an assumption: executions that fail it end there, and are followed no further. Every
    /// other check is then decided for the executions that fail it first, as before.
    pub(crate) fn mask(&mut self, check: CheckId) {
        let mut edges = vec![];
        for (p, proc) in self.whole.procs.iter_enumerated() {
            let carries = |(_, e): &(EdgeId, &Edge)| matches!(e.op, Op::Check(id, _) if id == check);
            edges.extend(proc.edges.iter_enumerated().filter(carries).map(|(e, _)| (p, e)));
        }
        for program in [&mut self.whole, &mut self.program] {
            for (p, e) in &edges {
                let op = &mut program.procs[*p].edges[*e].op;
                if let Op::Check(_, condition) = op {
                    *op = Op::Assume(condition.clone());
                }
            }
        }
        self.masked.entry(check).or_insert(edges);
    }

    /// Asks for the check again.
    pub(crate) fn unmask(&mut self, check: CheckId) {
        let edges = self.masked.remove(&check).unwrap_or_default();
        for program in [&mut self.whole, &mut self.program] {
            for (p, e) in &edges {
                let op = &mut program.procs[*p].edges[*e].op;
                if let Op::Assume(condition) = op {
                    *op = Op::Check(check, condition.clone());
                }
            }
        }
    }

    /// The program as it was, for reports.
    pub(crate) fn unmask_all(&mut self) {
        for check in self.masked.keys().copied().collect::<Vec<_>>() {
            self.unmask(check);
        }
    }

    /// Leaves the executions out that fail this check, as it cannot be decided for this reason: errors of other checks
    /// can still be found.
    pub(crate) fn leave_out(&mut self, check: CheckId, reason: Reason) {
        let span = self.whole.checks[check].span;
        self.left_out.get_or_insert(LeftOut { reason, span });
        self.mask(check);
    }

    /// Leaves the executions out that reach something that is not modelled, as one was found (at this check) and
    /// nothing can be safe any more: errors that other executions make can still be found.
    pub(crate) fn leave_out_unmodelled(&mut self, found: CheckId) {
        let check = &self.whole.checks[found];
        let left_out = LeftOut { reason: Reason::NotModelled(check.message.clone()), span: check.span };
        self.left_out.get_or_insert(left_out);
        for program in [&mut self.whole, &mut self.program] {
            let checks = &program.checks;
            for edge in program.procs.iter_mut().flat_map(|p| p.edges.iter_mut()) {
                if let Op::Check(id, condition) = &edge.op
                    && checks[*id].kind == CheckKind::Unmodelled
                {
                    edge.op = Op::Assume(condition.clone());
                }
            }
        }
    }
}

/// Prepares the front end's program; `predicates` is the text that the loop is to start with.
///
/// # Errors
/// When it cannot be analysed soundly.
pub(crate) fn prepare(
    mut loaded: cfront::Frontend,
    options: &Preparation,
    integers: Integers,
    policy: ExternPolicy,
    predicates: &str,
    rules: &[slic::Source],
) -> Result<Task, Refusal> {
    let mut sources = loaded.sources;
    let refused =
        |why, diagnostics, sources: &SourceMap| Refusal { why, diagnostics, sources: sources.clone() };
    let named = |program: &Program| predicates_file::named(program, predicates);
    let unit = (loaded.program, &loaded.marked[..]);
    let prepared =
        front::prepared(unit, options.settings(policy), rules, &mut sources, named).map_err(|e| {
            let why = match &e {
                passes::Refused::Callee(_) => Refused::NotModelled("function pointer"),
                passes::Refused::Unsupported(..) => Refused::NotModelled("not modelled"),
                passes::Refused::Rules(_) => Refused::Rule,
            };
            refused(why, e.diagnostics(), &sources)
        })?;
    let Prepared { declared, whole: resolved, whole_oracle, program, oracle, notes, rules } = prepared;
    notes.copies.into_iter().for_each(|(copy, of)| loaded.words.also(copy, of));
    let unknown_callees = pointers_called(&notes.unknown_callees, &sources);
    loaded.words.ghosts.extend(resolved.vars.ids().skip(declared.len()));
    let is_other = |(v, ty): (usize, &Type)| {
        let v = VarId::from_index(v);
        (resolved.vars[v].ty != *ty).then_some(v)
    };
    let bytes = declared.iter().enumerate().filter_map(is_other).collect();
    let left_out = callbacks(&resolved, &whole_oracle);
    let called = reached(&resolved, &whole_oracle);
    let externs = loaded.externs.into_iter().filter(|name| called.contains(name)).collect();
    let reduction = notes.reduction.between(&resolved, &program);
    let (mode, may_switch, mode_reason) = choose_mode(&program, integers).map_err(|needs| {
        let diagnostic = Diagnostic::error(needs.span, needs.refusal().message);
        refused(Refused::NotModelled("not modelled"), vec![diagnostic], &sources)
    })?;
    let fingerprint = crate::certificate::fingerprint(&resolved, mode);
    Ok(Task {
        whole: resolved,
        fingerprint,
        program,
        oracle,
        sources,
        externs,
        assumption: policy.assumption(),
        unknown_callees,
        not_checked: loaded.not_checked,
        conditions: loaded.conditions,
        rules,
        caller: loaded.harness,
        words: loaded.words,
        mode,
        may_switch,
        mode_reason,
        left_out,
        reduction,
        facts: Facts::default(),
        bytes,
        inductive: vec![],
        masked: BTreeMap::new(),
    })
}

/// Prepares the program as the run did that wrote a result.
///
/// # Errors
/// The answer when there is nothing to work on.
pub(crate) fn again(
    front: cfront::Frontend,
    recorded: &Recorded,
    integers: Integers,
) -> Result<Task, Box<Answer>> {
    let policy = recorded.front.extern_policy;
    let rules = &recorded.rules;
    prepare(front, &recorded.preparation, integers, policy, &recorded.predicates, rules)
        .map_err(|refusal| Box::new(refusal.answer()))
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
pub(crate) fn callbacks(program: &Program, oracle: &AliasOracle) -> Option<LeftOut> {
    let reachable = alias::reachable(program, oracle);
    let (p, e, targets) = oracle.callbacks().iter().find(|(p, ..)| reachable[*p])?;
    let names = targets.iter().map(|t| program.procs[*t].name.clone()).collect();
    Some(LeftOut { reason: Reason::Callback(names), span: program.procs[*p].edges[*e].span })
}

type Choice = (IntMode, bool, Option<NeedsBits>);

fn choose_mode(program: &Program, integers: Integers) -> Result<Choice, NeedsBits> {
    let wish = integers.wish(IntMode::Math, IntMode::Bits);
    let (mode, why) = encoding::integers::choose(program, wish)?;
    Ok((mode, wish.is_none() && mode == IntMode::Math, why))
}
