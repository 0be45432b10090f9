//! The Z3 back end: one context, one incremental solver.
//!
//! Each prover has a context of its own. Contexts shared between provers would number their terms
//! by the history of all of them, and models and cores would depend on how work is spread over
//! threads. A context costs about 2 ms, so a prover should serve many checks.

mod clauses;
mod context;
mod horn;
mod quiet;
mod read;
mod translate;

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use z3_sys::{Z3_mk_not, Z3_mk_or};

pub(crate) use horn::solve as solve_horn;

pub(crate) use context::{InterruptHandle, full_version};

use crate::interrupt::Interrupt;
use crate::model::Model;
use crate::prover::{Answer, INTERRUPTED, Prover, RESOURCE_LIMIT};
use crate::sat::Solved;
use crate::sort::Sort;
use crate::term::{Op, Term};
use clauses::Blasted;
use context::{Ast, Context, Status};
use read::ZModel;
use translate::{Declared, Translator};

/// Translated terms are forgotten when there are this many and no level is open.
const MAX_HELD_TERMS: usize = 300_000;

/// Settings of a prover.
#[derive(Clone, Default)]
pub struct Config {
    /// How much work one check may cost, in Z3's resource units (a million are about a second,
    /// very roughly); 0 means any. Deterministic, unlike time. Values above `u32::MAX` count as
    /// that.
    pub rlimit: u64,
    /// The seed of the solver's random choices.
    pub seed: u32,
    /// Stops the prover from another thread.
    pub interrupt: Interrupt,
}

/// A prover that asks Z3.
pub struct Z3Prover {
    context: Context,
    translator: Translator,
    interrupt: Interrupt,
    /// Constants that stand for assumptions which are not literals; reused when a level is closed.
    proxies: Vec<Ast>,
    /// Assumptions that have a proxy in an open level.
    named: FxHashMap<Term, Ast>,
    /// The same, in the order in which they got one: `named_stack[i]` has `proxies[i]`.
    named_stack: Vec<Term>,
    /// For each open level, how many assumptions were named before it.
    levels: Vec<usize>,
    last: Last,
}

/// What the last call leaves to be asked for.
enum Last {
    Nothing,
    Model,
    /// The Z3 terms of the assumptions with the first index of each.
    Core(BTreeMap<usize, Ast>),
    /// This assumption alone is false.
    False(usize),
}

impl Z3Prover {
    /// A prover without assertions.
    pub fn new(config: Config) -> Z3Prover {
        let mut numbers = vec![("random_seed", config.seed)];
        if config.rlimit > 0 {
            numbers.push(("rlimit", u32::try_from(config.rlimit).unwrap_or(u32::MAX)));
        }
        // Z3 spends half the time of a model on shortening it; tables are read just as well. Hermite normal forms of the long chains of
        // sums and remainders that paths have are large, and computing them is not counted as a resource.
        let flags = [("model.compact", false), ("arith.enable_hnf", false)];
        Z3Prover {
            context: Context::new(None, &numbers, &flags),
            translator: Translator::default(),
            interrupt: config.interrupt,
            proxies: Vec::new(),
            named: FxHashMap::default(),
            named_stack: Vec::new(),
            levels: Vec::new(),
            last: Last::Nothing,
        }
    }

    /// What was spent on all questions so far, in the units of [`Config::rlimit`]. The count begins anew at 2³².
    pub fn spent(&self) -> u64 {
        self.context.spent()
    }

    fn translate(&mut self, term: &Term) -> Ast {
        self.translator.term(&mut self.context, term)
    }

    /// Z3 takes only literals as assumptions; others get a constant that implies them.
    fn literal(&mut self, assumption: &Term) -> Ast {
        let is_literal = match (assumption.op(), assumption.args()) {
            (Op::Not, [inner]) => inner.is_constant(),
            _ => assumption.is_constant(),
        };
        if is_literal {
            return self.translate(assumption);
        }
        if let Some(proxy) = self.named.get(assumption) {
            return *proxy;
        }
        let number = self.named_stack.len();
        if number == self.proxies.len() {
            let name = format!("assumption!{number}");
            let bool_sort = self.translator.sort(&mut self.context, &Sort::Bool);
            let Some(decl) = self.context.declare(&name, &[], bool_sort) else {
                return self.context.truth();
            };
            let constant = self.context.constant(decl);
            self.proxies.push(constant);
        }
        let proxy = self.proxies[number];
        let formula = self.translate(assumption);
        let negated = self.context.unary(Z3_mk_not, proxy);
        let implication = self.context.variadic(Z3_mk_or, &[negated, formula]);
        self.context.assert(implication);
        self.named.insert(assumption.clone(), proxy);
        self.named_stack.push(assumption.clone());
        proxy
    }

    fn run(&mut self, literals: &[Ast]) -> Answer {
        let Some(guard) = self.interrupt.enter(self.context.interrupt_handle()) else {
            return Answer::Unknown(INTERRUPTED.to_owned());
        };
        let status = self.context.check(literals);
        drop(guard);
        match status {
            _ if self.context.failure().is_some() => self.failed(),
            Status::Sat => Answer::Sat,
            Status::Unsat => Answer::Unsat,
            Status::Unknown => Answer::Unknown(self.context.why_unknown(&self.interrupt)),
        }
    }

    fn failed(&self) -> Answer {
        let reason = self.context.failure().unwrap_or("the prover failed");
        Answer::Unknown(reason.to_owned())
    }
}

/// Decides facts about bits; see [`crate::solve`].
pub(crate) fn solve_bits(facts: &[Term], conflicts: u64, interrupt: &Interrupt) -> (Answer, Option<Model>) {
    let gave_up = || (Answer::Unknown(RESOURCE_LIMIT.to_owned()), None);
    let mut context = Context::new(None, &[], &[]);
    let mut translator = Translator::default();
    let facts: Vec<Ast> = facts.iter().map(|fact| translator.term(&mut context, fact)).collect();
    if context.failure().is_some() {
        return gave_up();
    }
    let Some(guard) = interrupt.enter(context.interrupt_handle()) else {
        return (Answer::Unknown(INTERRUPTED.to_owned()), None);
    };
    let blasted = Blasted::new(&mut context, &facts);
    drop(guard);
    let Some(mut blasted) = blasted else { return gave_up() };
    let Some(clauses) = blasted.clauses() else { return gave_up() };
    match clauses.solve(conflicts, interrupt) {
        Solved::GaveUp => gave_up(),
        Solved::Contradiction => (Answer::Unsat, None),
        Solved::Values(values) => match blasted.model(&values) {
            None => gave_up(),
            Some(found) => (Answer::Sat, Some(read(found, &translator))),
        },
    }
}

impl Prover for Z3Prover {
    fn push(&mut self) {
        self.last = Last::Nothing;
        self.levels.push(self.named_stack.len());
        self.context.push();
    }

    fn pop(&mut self) {
        self.last = Last::Nothing;
        let named = self.levels.pop().expect("each pop belongs to a push");
        self.context.pop();
        for assumption in self.named_stack.drain(named..) {
            self.named.remove(&assumption);
        }
        if self.levels.is_empty() && self.context.held_terms() > MAX_HELD_TERMS {
            self.translator.forget_terms();
            self.context.release_terms();
        }
    }

    fn assert(&mut self, fact: &Term) {
        assert!(*fact.sort() == Sort::Bool, "only formulas can be asserted");
        self.last = Last::Nothing;
        let fact = self.translate(fact);
        self.context.assert(fact);
    }

    fn check(&mut self, assumptions: &[Term]) -> Answer {
        self.last = Last::Nothing;
        let mut literals = Vec::with_capacity(assumptions.len());
        let mut sources = BTreeMap::new();
        let mut seen = FxHashSet::default();
        for (index, assumption) in assumptions.iter().enumerate() {
            assert!(*assumption.sort() == Sort::Bool, "only formulas can be assumed");
            match assumption.as_bool() {
                Some(true) => continue,
                Some(false) => {
                    self.last = Last::False(index);
                    return Answer::Unsat;
                }
                None => {}
            }
            let literal = self.literal(assumption);
            if seen.insert(literal) {
                literals.push(literal);
                sources.insert(index, literal);
            }
        }
        if self.context.failure().is_some() {
            return self.failed();
        }
        let answer = self.run(&literals);
        self.last = match answer {
            Answer::Sat => Last::Model,
            Answer::Unsat => Last::Core(sources),
            Answer::Unknown(_) => Last::Nothing,
        };
        answer
    }

    fn model(&mut self) -> Option<Model> {
        if !matches!(self.last, Last::Model) {
            return None;
        }
        let found = ZModel::of(&mut self.context)?;
        Some(read(found, &self.translator))
    }

    fn core(&mut self) -> Vec<usize> {
        match &self.last {
            Last::Nothing | Last::Model => Vec::new(),
            Last::False(index) => vec![*index],
            Last::Core(sources) => {
                let core: FxHashSet<Ast> = self.context.core().into_iter().collect();
                // All assumptions are a core too, should Z3 have failed to tell which.
                let is_used = |literal| core.contains(literal) || self.context.failure().is_some();
                let used = sources.iter().filter(|(_, literal)| is_used(literal));
                used.map(|(index, _)| *index).collect()
            }
        }
    }
}

/// A model of Z3 as plain data.
fn read(mut found: ZModel<'_>, translator: &Translator) -> Model {
    let mut model = Model::new();
    for decl in found.constants() {
        if let Some(Declared::Constant(term)) = translator.declared(decl) {
            model.assign(term, found.constant(decl, term.sort()));
        }
    }
    for decl in found.functions() {
        if let Some(Declared::Function(function)) = translator.declared(decl) {
            let table = found.function(decl, function.domain(), function.range());
            model.assign_function(function, table);
        }
    }
    model
}
