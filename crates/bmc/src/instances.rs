//! Conditions about all elements of arrays, instantiated for some of them.
//!
//! Candidates about all numbers of a range ([`ForAll`]). Where one is to be shown, an arbitrary number stands for the bound
//! variable. Where one is assumed, it is instantiated: with the numbers for which its condition reads an array where
//! something else does, as far as the address determines the number.
//!
//! Memory after a large block is written is a new array; its contents are stated at the addresses that something reads.
//!
//! Invariant: an instance follows from the condition about all numbers, so each choice of numbers is sound, and a
//! candidate that needs others is only not shown. There is one arbitrary number for each type, shared by all
//! questions: no question is about two places.

use super::Unroller;
use crate::k_induction::Induction;
use alias::{AliasOracle, CellKind};
use encoding::symbolic::path_state::{Block, Filling, PathState, literal};
use encoding::{Encoder, IntMode, SideConditions, State};
use ir::{Expr, ForAll, Program, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Op, Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// At most this many instances of one condition where it is assumed.
const INSTANCES: usize = 24;

/// At most this many addresses at which the contents of a block are stated.
const ADDRESSES: usize = 200;

/// Rounds: instances read arrays, too.
const ROUNDS: usize = 3;

/// Addresses further away from an array belong to something else, in elements.
const FAR: i128 = 512;

/// Numerals are indices up to here.
const LARGEST: i128 = 1 << 20;

/// Parts of a sum that may be the number of an instance.
const PARTS: usize = 4;

/// Whether the variable can be bound by [`ForAll`]: an integer whose value is not part of memory that pointers see.
pub fn can_bind(program: &Program, oracle: &AliasOracle, variable: VarId) -> bool {
    let is_integer = matches!(program.vars[variable].ty, Type::Int(int) if int.bits <= 64);
    is_integer && matches!(oracle.cell_kind(oracle.cell(&program.lvalue(variable))), CellKind::Scalar { .. })
}

/// The condition that a candidate holds for an arbitrary number.
pub(super) fn arbitrary(
    enc: &Encoder<'_>,
    candidate: (&ForAll, &Expr),
    state: &mut PathState<'_>,
    facts: &mut SideConditions,
) -> Term {
    holds_for(enc, &any_number(enc, candidate.0), candidate, state, facts)
}

/// The condition that a candidate holds for a number, if that is a value of the bound variable.
fn holds_for(
    enc: &Encoder<'_>,
    number: &Term,
    (for_all, condition): (&ForAll, &Expr),
    state: &mut PathState<'_>,
    facts: &mut SideConditions,
) -> Term {
    facts.total(|facts| {
        let place = enc.program.lvalue(for_all.variable);
        let cell = enc.oracle.cell(&place);
        let [from, to] = [&for_all.from, &for_all.to].map(|e| enc.value(e, state, facts));
        let before = state.scalar(cell, &place.ty, facts);
        state.set_scalar(cell, number.clone());
        let value = place.clone().load().cast(for_all.from.ty());
        let value = enc.value(&value, state, facts);
        let holds = enc.cond(condition, state, facts);
        state.set_scalar(cell, before);
        let outside = match (enc.mode, place.ty.as_int()) {
            (IntMode::Math, Some(ty)) => {
                vec![number.int_lt(&Term::int(ty.min())), Term::int(ty.max()).int_lt(number)]
            }
            _ => vec![],
        };
        let (least, below) = match enc.mode {
            IntMode::Math => (from.int_le(&value), value.int_lt(&to)),
            IntMode::Bits => (from.bv_sle(&value), value.bv_slt(&to)),
        };
        Term::or(outside.into_iter().chain([least.not(), below.not(), holds]))
    })
}

/// The arbitrary number.
pub(super) fn any_number(enc: &Encoder<'_>, for_all: &ForAll) -> Term {
    let ty = &enc.program.vars[for_all.variable].ty;
    let name = match ty.as_int() {
        Some(int) if int.signed => format!("any!s{}", int.bits),
        int => format!("any!u{}", int.map_or(0, |int| int.bits)),
    };
    Term::constant(&name, encoding::value_sort(ty, enc.mode, enc.program.model))
}

/// A place at which candidates about ranges are assumed.
pub(super) struct Deferred<'a> {
    /// The truth value that says that all candidates at the place hold, if they are kept.
    pub(super) name: Term,
    /// Those without ranges.
    pub(super) plain: Term,
    /// Those with ranges.
    pub(super) ranges: Vec<usize>,
    pub(super) state: PathState<'a>,
}

/// A candidate at a place.
struct Template {
    /// The place.
    deferred: usize,
    candidate: usize,
    /// The sort of numbers.
    sort: Sort,
    /// What it reads at its number: the arrays from which that may come, the address for the number 0, and how much each
    /// further number adds to it.
    reads: Vec<(BTreeSet<Term>, Term, i128)>,
    /// Numbers so far.
    known: BTreeSet<Term>,
}

impl Unroller<'_, '_> {
    /// Says what is assumed where candidates about ranges are.
    pub(super) fn instantiate(&mut self) {
        let Some(induction) = &mut self.induction else { return };
        let mut deferred = std::mem::take(&mut induction.deferred);
        let mut blocks: Vec<_> = self.walk.state.blocks().into_iter().map(|b| (b, BTreeSet::new())).collect();
        if deferred.is_empty() && blocks.is_empty() {
            return;
        }
        let (enc, candidates) = (self.walk.enc, induction.candidates);
        let facts = &mut self.walk.out.facts;
        let about =
            |i: usize| candidates[i].for_all.as_ref().map(|for_all| (for_all, &candidates[i].condition));
        let mut templates = templates(enc, &about, &mut deferred, facts);
        let mut reads = Reads::default();
        let formulas = self.failures.iter().flat_map(|f| [&f.formula, &f.reached]);
        formulas.chain(induction.obligations.iter().map(|o| &o.formula)).for_each(|t| reads.add(t));
        facts.axioms.iter().for_each(|t| reads.add(t));
        deferred.iter().for_each(|d| reads.add(&d.plain));
        let mut parts: Vec<Vec<Term>> = deferred.iter().map(|d| vec![d.plain.clone()]).collect();
        for _ in 0..ROUNDS {
            let mut new: Vec<Term> = vec![];
            for template in &mut templates {
                let Some(about) = about(template.candidate) else { continue };
                let state = &mut deferred[template.deferred].state;
                for number in template.numbers(&reads) {
                    let instance = holds_for(enc, &number, about, state, facts);
                    new.push(instance.clone());
                    let kept = Induction::is_kept(template.candidate);
                    parts[template.deferred].push(kept.implies(&instance));
                }
                state.reads.clear();
            }
            for (block, known) in &mut blocks {
                for address in reads.by_array.get(&block.new).into_iter().flatten() {
                    if known.len() < ADDRESSES && known.insert(address.clone()) {
                        let axiom = contents(block, address, enc.mode);
                        new.push(axiom.clone());
                        induction.blocks.push((block.new.clone(), axiom));
                    }
                }
            }
            new.iter().for_each(|t| reads.add(t));
        }
        let definitions = deferred.iter().zip(parts).map(|(d, parts)| d.name.equal(&Term::and(parts)));
        facts.axioms.extend(definitions);
    }
}

/// What a block's new memory holds at an address.
fn contents(block: &Block, address: &Term, mode: IntMode) -> Term {
    let Block { new, old, at, len, width, zero, filling } = block;
    let (offset, inside, outside) = match mode {
        IntMode::Math => {
            let offset = address.int_sub(at);
            let end = offset.int_add(&Term::int(*width));
            let inside = Term::and([Term::int(0).int_le(&offset), end.int_le(len)]);
            let outside = Term::or([len.int_le(&offset), end.int_le(&Term::int(0))]);
            (offset, inside, outside)
        }
        IntMode::Bits => {
            let offset = address.bv_sub(at);
            let Sort::BitVec(bits) = *at.sort() else { panic!("addresses are bit-vectors") };
            let width = Term::bv_signed(bits, *width);
            let fits = Term::and([width.bv_ule(len), offset.bv_ule(&len.bv_sub(&width))]);
            let before = at.bv_sub(address);
            let outside = Term::and([len.bv_ule(&offset), width.bv_ule(&before)]);
            (offset, fits, outside)
        }
    };
    let filled = match filling {
        Filling::Zero => zero.clone(),
        Filling::Copy(src) => match mode {
            IntMode::Math => old.select(&src.int_add(&offset)),
            IntMode::Bits => old.select(&src.bv_add(&offset)),
        },
    };
    let now = new.select(address);
    Term::and([inside.implies(&now.equal(&filled)), outside.implies(&now.equal(&old.select(address)))])
}

fn templates<'c>(
    enc: &Encoder<'_>,
    about: &dyn Fn(usize) -> Option<(&'c ForAll, &'c Expr)>,
    deferred: &mut [Deferred<'_>],
    facts: &mut SideConditions,
) -> Vec<Template> {
    let mut out = vec![];
    for (n, place) in deferred.iter_mut().enumerate() {
        for &candidate in &place.ranges {
            let Some(about) = about(candidate) else { continue };
            let number = any_number(enc, about.0);
            let mut reads = Reads::default();
            reads.add(&holds_for(enc, &number, about, &mut place.state, facts));
            let (sort, reads) = (number.sort().clone(), reads.at(&number, enc.mode));
            out.push(Template { deferred: n, candidate, sort, reads, known: BTreeSet::new() });
        }
        place.state.reads.clear();
    }
    out
}

impl Template {
    /// Numbers for which it reads arrays where something else does, those first that are simple.
    fn numbers(&mut self, reads: &Reads) -> Vec<Term> {
        let mut found: BTreeSet<(bool, u32, Term)> = BTreeSet::new();
        for (arrays, zero, each) in &self.reads {
            for address in arrays.iter().filter_map(|array| reads.by_array.get(array)).flatten() {
                let number = solve(address, zero, *each, &self.sort);
                found.extend(number.map(|(is_far, n)| (is_far, n.tree_size(), n)));
            }
        }
        let mut out = vec![];
        for (.., number) in found {
            if self.known.len() < INSTANCES && self.known.insert(number.clone()) {
                out.push(number);
            }
        }
        out
    }
}

/// What formulas read of arrays.
#[derive(Default)]
struct Reads {
    /// The addresses, by the arrays from which the value may come.
    by_array: BTreeMap<Term, BTreeSet<Term>>,
    /// The same, one read after the other.
    list: Vec<(BTreeSet<Term>, Term)>,
    seen: FxHashSet<Term>,
}

impl Reads {
    fn add(&mut self, formula: &Term) {
        let mut pending = vec![formula.clone()];
        while let Some(term) = pending.pop() {
            if term.is_literal() || term.is_constant() || !self.seen.insert(term.clone()) {
                continue;
            }
            if let (Op::Select, [array, address]) = (term.op(), term.args()) {
                let arrays = arrays(array);
                for array in &arrays {
                    self.by_array.entry(array.clone()).or_default().insert(address.clone());
                }
                self.list.push((arrays, address.clone()));
            }
            pending.extend(term.args().iter().cloned());
        }
    }

    /// The reads whose addresses are sums with a multiple of a number.
    fn at(self, number: &Term, mode: IntMode) -> Vec<(BTreeSet<Term>, Term, i128)> {
        let literal_for = |v: i128| match (mode, number.sort()) {
            (IntMode::Bits, Sort::BitVec(width)) => Term::bv_signed(*width, v),
            _ => Term::int(v),
        };
        let at = |address: &Term, v: i128| {
            address.substitute(&FxHashMap::from_iter([(number.clone(), literal_for(v))]))
        };
        let mut out = vec![];
        for (arrays, address) in self.list {
            let zero = at(&address, 0);
            let mut difference = Sum::default();
            difference.add(&at(&address, 1), 1);
            difference.add(&zero, -1);
            if let Some(each) = difference.literal().filter(|each| *each != 0) {
                out.push((arrays, zero, each));
            }
        }
        out
    }
}

/// The named arrays from which the elements of an array may come.
fn arrays(array: &Term) -> BTreeSet<Term> {
    let mut out = BTreeSet::new();
    let mut seen: FxHashSet<&Term> = FxHashSet::default();
    let mut pending = vec![array];
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        match (term.op(), term.args()) {
            (Op::Store, [before, ..]) => pending.push(before),
            (Op::Ite, [_, a, b]) => pending.extend([a, b]),
            _ => _ = out.insert(term.clone()),
        }
    }
    out
}

/// The number `n` of the sort for which an address is `zero` plus `n` times `each`, and whether it may as well be about
/// something else.
fn solve(address: &Term, zero: &Term, each: i128, sort: &Sort) -> Option<(bool, Term)> {
    let mut sum = Sum::default();
    sum.add(address, 1);
    sum.add(zero, -1);
    sum.divide(each)?;
    let is_far = sum.constant.abs() > FAR;
    let is_index = sum.parts.is_empty() && (0..LARGEST).contains(&sum.constant);
    (sum.parts.len() <= PARTS && (!is_far || is_index)).then(|| (is_far, sum.term(sort)))
}

/// A sum of multiples of terms.
#[derive(Default)]
struct Sum {
    parts: BTreeMap<Term, i128>,
    constant: i128,
}

impl Sum {
    fn add(&mut self, term: &Term, times: i128) {
        let mut pending = vec![(term, times)];
        while let Some((term, times)) = pending.pop() {
            if let Some(value) = signed(term) {
                self.constant = self.constant.wrapping_add(value.wrapping_mul(times));
                continue;
            }
            match (term.op(), term.args()) {
                (Op::IntAdd | Op::BvAdd, args) => pending.extend(args.iter().map(|arg| (arg, times))),
                (Op::BvSub, [a, b]) => pending.extend([(a, times), (b, times.wrapping_neg())]),
                (Op::BvNeg, [a]) => pending.push((a, times.wrapping_neg())),
                (Op::IntMul | Op::BvMul, [a, b]) if signed(a).is_some() || signed(b).is_some() => {
                    let (factor, rest) = match signed(a) {
                        Some(factor) => (factor, b),
                        None => (signed(b).unwrap_or(1), a),
                    };
                    pending.push((rest, times.wrapping_mul(factor)));
                }
                _ => {
                    let sum = self.parts.entry(term.clone()).or_default();
                    *sum = sum.wrapping_add(times);
                }
            }
        }
        self.parts.retain(|_, times| *times != 0);
    }

    fn literal(&self) -> Option<i128> {
        self.parts.is_empty().then_some(self.constant)
    }

    /// Divides it by a number, if that divides it.
    fn divide(&mut self, by: i128) -> Option<()> {
        let mut all = self.parts.values_mut().chain([&mut self.constant]);
        all.try_for_each(|times| {
            let exact = times.checked_rem(by)? == 0;
            *times = times.checked_div(by)?;
            exact.then_some(())
        })
    }

    fn term(self, sort: &Sort) -> Term {
        match sort {
            Sort::BitVec(width) => {
                let parts = self
                    .parts
                    .into_iter()
                    .map(|(term, times)| lowest(&term, *width).bv_mul(&Term::bv_signed(*width, times)));
                parts.fold(Term::bv_signed(*width, self.constant), |sum, part| sum.bv_add(&part))
            }
            _ => {
                let parts = self.parts.into_iter().map(|(term, times)| term.int_mul(&Term::int(times)));
                Term::int_sum(parts.chain([Term::int(self.constant)]))
            }
        }
    }
}

/// The lowest bits of a bit-vector.
fn lowest(term: &Term, width: u32) -> Term {
    match term.sort() {
        Sort::BitVec(own) if *own > width => term.bv_extract(width - 1, 0),
        Sort::BitVec(own) if *own < width => term.bv_sign_extend(width - own),
        _ => term.clone(),
    }
}

/// The number that a term is, a bit-vector as a signed one.
fn signed(term: &Term) -> Option<i128> {
    let value = literal(term)?;
    match term.sort() {
        Sort::BitVec(width) if *width < 127 && value >= 1 << (width - 1) => Some(value - (1 << width)),
        _ => Some(value),
    }
}
