//! Symbolic states: what a location's value is, as a term. An [`Encoder`](crate::Encoder) translates expressions
//! relative to a state; c2bp uses states made of named constants ([`Vocabulary`]), newton states that change from
//! step to step.
//!
//! Representation: a scalar cell is one term; a map cell is an array from byte addresses to values; opaque cells
//! have no representation (each read is a fresh constant). Addresses of variables are fixed numerals, pairwise
//! apart by more than their sizes, and never 0: distinct objects do not overlap (docs/guide/assumptions.md, 3).

use crate::IntMode;
use crate::{SideConditions, side_conditions::value_sort};
use alias::CellId;
use base::{Id, IndexVec};
use ir::{Program, Type, VarId};
use rustc_hash::FxHashSet;
use smt::{Sort, Term};

/// The values of locations at one program point.
pub trait State {
    /// The value of a scalar cell of type `ty`.
    fn scalar(&mut self, cell: CellId, ty: &Type, facts: &mut SideConditions) -> Term;
    /// The array of a map cell whose values have type `ty`.
    fn map(&mut self, cell: CellId, ty: &Type, facts: &mut SideConditions) -> Term;
    /// The byte address of a variable.
    fn address(&mut self, var: VarId) -> i128;
    /// Where the variable's instances are that pointers may point to.
    fn instances(&mut self, var: VarId) -> Vec<i128> {
        vec![self.address(var)]
    }
    /// Called when a map cell is read, with the map, the byte address and the type of the value; does nothing by
    /// default.
    fn loaded(&mut self, map: &Term, at: &Term, ty: &Type) {
        _ = (map, at, ty);
    }
    /// Whether [`opaque`](State::opaque) knows anything.
    fn follows_opaque(&self) -> bool {
        false
    }
    /// The value at an address of memory that is accessed at several types, and whether it is exact; `fresh`, an arbitrary value of
    /// the type, where nothing is known.
    fn opaque(&mut self, at: &Term, ty: &Type, fresh: &Term) -> (Term, bool) {
        _ = (at, ty);
        (fresh.clone(), false)
    }
    /// The state at the entry of the current procedure, which `old` refers to.
    fn entry(&mut self) -> &mut dyn State;
}

/// Fixed addresses for the variables of a program and for its procedures.
#[derive(Clone, Debug)]
pub struct Addresses {
    vars: IndexVec<VarId, i128>,
    procs: i128,
    end: i128,
    extents: bool,
    numbers: bool,
    lasting: FxHashSet<VarId>,
}

const GUARD: i128 = 4096;

impl Addresses {
    /// Lays the variables out one behind the other, 16-byte aligned, with a gap between them.
    pub fn new(program: &Program) -> Addresses {
        let mut next = GUARD;
        let mut vars = IndexVec::new();
        for var in &program.vars {
            vars.push(next);
            next = Addresses::after(next, program.size_of(&var.ty).unwrap_or(1 << 16).into());
        }
        let procs = next;
        let end = procs + 16 * program.procs.len() as i128 + GUARD;
        Addresses {
            vars,
            procs,
            end,
            extents: ir::extent::occurs(program),
            numbers: ir::addresses::looks_at_addresses(program),
            lasting: program.lasting().collect(),
        }
    }

    /// Whether the program mentions sizes of objects, so that pointers have to be followed as they move in them.
    pub fn have_extents(&self) -> bool {
        self.extents
    }

    /// Whether the program inspects the bits of addresses, so that the numbers of moved pointers are distinguished.
    pub(crate) fn have_numbers(&self) -> bool {
        self.numbers
    }

    /// Whether there is one instance of the variable, which lives as long as the program runs.
    pub(crate) fn is_lasting(&self, v: VarId) -> bool {
        self.lasting.contains(&v)
    }

    /// The first address that may follow an object of `size` bytes at `start`.
    pub fn after(start: i128, size: i128) -> i128 {
        start + (size + 15) / 16 * 16 + GUARD
    }

    /// The address of a variable.
    pub fn var(&self, v: VarId) -> i128 {
        self.vars[v]
    }

    /// The address of a procedure.
    pub fn proc(&self, p: ir::ProcId) -> i128 {
        self.procs + 16 * p.index() as i128
    }

    /// The procedure at this address.
    pub fn proc_at(&self, address: i128) -> Option<ir::ProcId> {
        let from = address - self.procs;
        let is_one = from % 16 == 0 && (0..self.end - GUARD - self.procs).contains(&from);
        is_one.then(|| ir::ProcId::from_index((from / 16) as usize))
    }

    /// Above all variables and procedures.
    pub fn end(&self) -> i128 {
        self.end
    }
}

/// A state of named constants: cell `m3` is called `m3` with the vocabulary's prefix before it. Two vocabularies
/// with different prefixes describe two states of one program.
#[derive(Clone)]
pub struct Vocabulary<'a> {
    program: &'a Program,
    addresses: &'a Addresses,
    mode: IntMode,
    prefix: String,
    entry: Option<Box<Vocabulary<'a>>>,
}

impl<'a> Vocabulary<'a> {
    /// The vocabulary with this prefix; `old(x)` is called with `old!` before the prefix.
    pub fn new(program: &'a Program, addresses: &'a Addresses, mode: IntMode, prefix: &str) -> Self {
        let entry = Vocabulary { program, addresses, mode, prefix: format!("old!{prefix}"), entry: None };
        Vocabulary { prefix: prefix.to_owned(), entry: Some(Box::new(entry.clone())), ..entry }
    }
}

impl State for Vocabulary<'_> {
    fn scalar(&mut self, cell: CellId, ty: &Type, facts: &mut SideConditions) -> Term {
        let term =
            Term::constant(&format!("{}{cell}", self.prefix), value_sort(ty, self.mode, self.program.model));
        facts.in_range(&term, ty, self.mode);
        term
    }

    fn map(&mut self, cell: CellId, ty: &Type, _facts: &mut SideConditions) -> Term {
        Term::constant(&format!("{}{cell}", self.prefix), map_sort(ty, self.mode, self.program))
    }

    fn address(&mut self, var: VarId) -> i128 {
        self.addresses.var(var)
    }

    fn entry(&mut self) -> &mut dyn State {
        self.entry.as_deref_mut().expect("old(...) is not nested")
    }
}

/// The sort of a map cell: from byte addresses to values of `ty`.
pub fn map_sort(ty: &Type, mode: IntMode, program: &Program) -> Sort {
    let address = value_sort(&Type::Void.ptr_to(), mode, program.model);
    Sort::array(address, value_sort(ty, mode, program.model))
}
