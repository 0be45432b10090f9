//! Random programs, and what is done to them.

use alias::{AliasMode, AliasOracle};
use base::Id;
use ir::{CheckId, Edge, EdgeId, EdgeKind, Expr, LocId, Op, ProcId, Program};
use passes::resolve_indirect;
use testing::programs::calls::{self, Dice};
use testing::programs::pointers;

/// Where a program comes from, and so which names it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Recursive calls, pointers to variables, arrays.
    Calls,
    /// Pointers of all kinds: structures seen as others, blocks, function pointers.
    Pointers,
}

/// The program of a seed, its calls direct; `None` when a call through a pointer cannot be resolved.
pub(crate) fn random(kind: Kind, dice: &mut Dice) -> Option<Program> {
    let text = match kind {
        Kind::Calls => calls::random_program(dice),
        Kind::Pointers => {
            let bytes: Vec<u8> = (0..60 + dice.below(100)).map(|_| dice.below(256) as u8).collect();
            pointers::generate(&bytes)
        }
    };
    let program = parsed(&text);
    let oracle = AliasOracle::new(&program, AliasMode::Das);
    resolve_indirect(&program, &oracle).ok()
}

pub(crate) fn parsed(text: &str) -> Program {
    ir::parse::program(text).unwrap_or_else(|d| panic!("{} at {:?} in\n{text}", d.message, d.span))
}

/// A condition over what the procedure can see, if what was drawn is one.
pub(crate) fn condition(kind: Kind, program: &Program, p: ProcId, dice: &mut Dice) -> Option<Expr> {
    let one = |dice: &mut Dice, of: &[&'static str]| of[dice.below(of.len())];
    let text = match kind {
        Kind::Calls => calls::random_condition(dice, &program.procs[p].name),
        Kind::Pointers => match dice.below(4) {
            0 => format!("{} == {}", one(dice, pointers::INT_PTRS), one(dice, pointers::INT_PTRS)),
            1 => format!("{} == {}", one(dice, pointers::LISTS), one(dice, pointers::LISTS)),
            2 => format!("{} < {}", one(dice, pointers::INTS), one(dice, pointers::INTS)),
            _ => format!("{} == {}", one(dice, pointers::INTS), one(dice, pointers::INTS)),
        },
    };
    ir::parse::expr(&text, program, Some(p)).ok()
}

/// The program with one more check at a location; `None` at a procedure's exit, which has no edges.
pub(crate) fn with_check(
    program: &Program,
    (p, at): (ProcId, LocId),
    condition: Expr,
) -> Option<(Program, EdgeId)> {
    let mut program = program.clone();
    let proc = &mut program.procs[p];
    if at == proc.exit {
        return None;
    }
    let op = Op::Check(CheckId::from_index(0), condition);
    let edge = Edge { src: at, dst: proc.exit, op, span: proc.span, kind: EdgeKind::Statement };
    let e = proc.edges.push(edge);
    Some((program, e))
}

/// The program without its own checks.
pub(crate) fn without_checks(mut program: Program) -> Program {
    for proc in program.procs.iter_mut() {
        for edge in proc.edges.iter_mut().filter(|edge| matches!(edge.op, Op::Check(..))) {
            edge.op = Op::Skip;
        }
    }
    program
}
