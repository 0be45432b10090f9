//! Reduces the front end's program to the smaller one that is abstracted: function pointers resolved, sliced,
//! constants and copies propagated. Locations and edges keep their ids, so that a path of the smaller program
//! is one of the whole.

use super::{Resolved, UnknownCallee, UnknownCallees, propagate, resolve_with, slice};
use crate::{
    block_members as members, integer_addresses as addresses, objects_as_bytes as bytes,
    string_literals as literals,
};
use alias::{AliasMode, AliasOracle};
use ir::visit;
use ir::{Base, Expr, Lvalue, Program, VarId, VarKind};
use std::collections::BTreeSet;

/// The reductions to be applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// How it is found out what pointers can point to.
    pub alias: AliasMode,
    /// Removes what cannot influence a check.
    pub slice: bool,
    /// Reads of constants and copies.
    pub propagate: bool,
    /// Objects that are accessed at several types become their bytes.
    pub bytes: bool,
    /// The callees of pointers that hold unknown addresses.
    pub unknown_callees: UnknownCallees,
}

/// A program that is abstracted.
pub struct Reduced {
    /// The program.
    pub program: Program,
    /// Its oracle.
    pub oracle: AliasOracle,
    /// The changes; `None` when there are none.
    pub reduction: Option<Reduction>,
}

/// The changes by slicing and propagation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reduction {
    /// Procedures with a body that are never called, and so sliced away.
    pub procedures: usize,
    /// The number of globals that are no longer mentioned.
    pub globals: usize,
    /// Statements sliced away.
    pub statements: usize,
    /// Reads that became constants.
    pub constants: usize,
    /// Reads that became reads of the copied variable.
    pub copies: usize,
}

/// The front end's program with the members that small blocks fill and the bytes of short string literals spelt out, and its function pointers resolved: the
/// program whose executions count. With `bytes`, objects that are accessed at several types are their bytes.
///
/// # Errors
/// A call whose callees are not known, if that is to be refused.
pub fn resolved(mut program: Program, wanted: Wanted) -> Result<Resolved, UnknownCallee> {
    well_formed(&program, "the front end's program");
    let alias = wanted.alias;
    if addresses::as_pointers(&mut program) {
        well_formed(&program, "the program with addresses in integers as pointers");
    }
    let mut oracle = AliasOracle::new(&program, alias);
    if wanted.bytes
        && let Some(lowered) = bytes::objects_as_bytes(&program, &oracle)
    {
        program = lowered;
        well_formed(&program, "the program with objects as bytes");
        oracle = AliasOracle::new(&program, alias);
    }
    if members::spell_out_members(&mut program, &oracle) {
        oracle = AliasOracle::new(&program, alias);
    }
    literals::spell_out_literals(&mut program, &oracle);
    let resolved = resolve_with(&program, &oracle, wanted.unknown_callees)?;
    well_formed(&resolved.program, "the program with function pointers resolved");
    Ok(resolved)
}

/// The program without what cannot matter, constants and copies propagated, with its oracle, and what that has
/// changed. Reads of the variables `named` stay as they are. Where propagation leaves variables that nothing reads, a
/// second slice takes their writes away.
pub fn reduce(whole: &Program, oracle: AliasOracle, wanted: Wanted, named: &BTreeSet<VarId>) -> Reduced {
    let mut r = Reduction::default();
    let mut program = whole.clone();
    if wanted.slice {
        program = sliced(&program, &oracle, &mut r);
    }
    if wanted.propagate {
        let propagated = propagate(&program, &oracle, named);
        (r.constants, r.copies) = (propagated.constants, propagated.copies);
        program = propagated.program;
        well_formed(&program, "the program with constants propagated");
    }
    if program == *whole {
        return Reduced { program, oracle, reduction: None };
    }
    let mut oracle = AliasOracle::new(&program, wanted.alias);
    if wanted.slice && r.constants + r.copies > 0 {
        let before = r.statements;
        program = sliced(&program, &oracle, &mut r);
        if r.statements > before {
            oracle = AliasOracle::new(&program, wanted.alias);
        }
    }
    r.globals = globals_used(whole).len() - globals_used(&program).len();
    Reduced { program, oracle, reduction: Some(r) }
}

/// The slice; `reduction` learns what has gone.
fn sliced(program: &Program, oracle: &AliasOracle, reduction: &mut Reduction) -> Program {
    let slice = slice(program, oracle);
    well_formed(&slice.program, "the slice");
    reduction.procedures = slice.unreachable.len();
    reduction.statements += slice.skipped;
    slice.program
}

/// The globals that some operation mentions.
fn globals_used(program: &Program) -> BTreeSet<VarId> {
    let mut used = BTreeSet::new();
    let mut add = |lv: &Lvalue| {
        if let Base::Var(v) = lv.base
            && program.vars[v].kind == VarKind::Global
        {
            used.insert(v);
        }
    };
    for edge in program.procs.iter().flat_map(|p| p.edges.iter()) {
        edge.op.destination().into_iter().for_each(&mut add);
        visit::nodes(&edge.op, &mut |node| {
            if let Expr::Load(lv) | Expr::AddrOf(lv) = node {
                add(lv);
            }
        });
    }
    used
}

/// Panics unless the program keeps the rules of C--.
fn well_formed(program: &Program, what: &str) {
    let violations = ir::check::check(program);
    assert!(violations.is_empty(), "{what} breaks the rules of C--: {}", violations.join("; "));
}
