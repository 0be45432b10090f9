//! An abstract interpretation: at each location bounds of integers and of their differences, as `0 <= i` and
//! `i - n <= -1`, for all procedures with their calls. Pointers count as addresses, so that `p != NULL` is a bound.
//!
//! Values are those of C: unsigned results modulo, an execution with a signed overflow ends. A check is assumed to hold
//! behind it, as an execution ends at the first that fails. The crate must not know C's syntax, a prover, or
//! predicates.
//!
//! ```
//! use alias::{AliasMode, AliasOracle};
//!
//! # fn main() -> Result<(), base::Diagnostic> {
//! let text = r#"entry main; check c0 reach in main "i is not 10";
//!     proc void main(void) { local int i; entry L0; exit L4;
//!     L0: i = 0; goto L1;
//!     L1 loop: assume(i < 10); goto L2; assume(i >= 10); goto L3;
//!     L2: i = i + 1; goto L1;
//!     L3: check(c0, i == 10); goto L4;
//!     L4: }"#;
//! let program = ir::parse::program(text)?;
//! let oracle = AliasOracle::new(&program, AliasMode::Das);
//! let computed = zones::compute(&program, &oracle, 1_000_000, &false.into()).expect("the effort is enough");
//! assert_eq!(computed.checks_that_hold().len(), 1);
//! # Ok(())
//! # }
//! ```

mod bounds;
mod dims;
mod effects;
mod flow;
mod invariants;
mod order;
mod sizes;
mod state;
mod zone;

pub use invariants::Facts;

use alias::AliasOracle;
use base::IndexVec;
use dims::Dims;
pub use dims::{is_named, plain};
use flow::{Flow, Part, frame};
use ir::{BinOp, Callee, CheckId, Expr, LocId, Op, ProcId, Program, Type};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use zone::{NONE, Zone};

/// What was computed of a program.
pub struct Computed<'a> {
    program: &'a Program,
    parts: IndexVec<ProcId, Part>,
}

/// Computes the bounds with at most so much effort, in elementary steps on bounds (about 10⁹ a second). `None` when that
/// is not enough, when the run is stopped, or when procedures may be called that no edge names.
pub fn compute<'a>(
    program: &'a Program,
    oracle: &AliasOracle,
    effort: u64,
    stop: &AtomicBool,
) -> Option<Computed<'a>> {
    let indirect = |op: &Op| matches!(op, Op::Call { callee: Callee::Indirect(_), .. });
    if !oracle.callbacks().is_empty() || program.edges().any(|(_, _, edge)| indirect(&edge.op)) {
        return None;
    }
    let mut flow = Flow::new(program, oracle, effort);
    flow.run(stop).ok()?;
    Some(Computed { program, parts: flow.parts })
}

impl Computed<'_> {
    /// Whether no execution reaches the location.
    pub fn is_unreachable(&self, p: ProcId, at: LocId) -> bool {
        self.parts[p].states[at].is_empty()
    }

    /// Whether the condition holds whenever an execution is at the location and evaluates it.
    pub fn implies(&self, p: ProcId, at: LocId, condition: &Expr) -> bool {
        let part = &self.parts[p];
        let frame = frame(self.program, &part.dims);
        part.states[at].iter().all(|zone| frame.implies(zone, condition))
    }

    /// The checks that no execution fails, if it fails none of the others before.
    pub fn checks_that_hold(&self) -> Vec<CheckId> {
        let mut holds: BTreeMap<CheckId, bool> = BTreeMap::new();
        for (p, _, edge) in self.program.edges() {
            if let Op::Check(check, condition) = &edge.op {
                *holds.entry(*check).or_insert(true) &= self.implies(p, edge.src, condition);
            }
        }
        holds.into_iter().filter(|(_, all)| *all).map(|(check, _)| check).collect()
    }

    /// What holds at the location, as conditions that do not follow from each other; none where no execution comes.
    pub fn facts(&self, p: ProcId, at: LocId) -> Vec<Expr> {
        self.said(p, at).0
    }

    /// The same, and whether it is all that is known of the location: no condition says which of two addresses is larger, for one.
    pub fn said(&self, p: ProcId, at: LocId) -> (Vec<Expr>, bool) {
        let part = &self.parts[p];
        let (each, whole): (Vec<Vec<Expr>>, Vec<bool>) =
            part.states[at].iter().map(|zone| conditions(&part.dims, zone)).unzip();
        let Some((first, others)) = each.split_first() else { return (vec![], true) };
        let shared = |e: &Expr| others.iter().all(|other| other.contains(e));
        let mut out: Vec<Expr> = first.iter().filter(|e| shared(e)).cloned().collect();
        let rest = |all: &Vec<Expr>| all.iter().filter(|e| !out.contains(e)).cloned().reduce(Expr::and);
        // Where one of them says no more than all do, there is nothing to choose from.
        let choice: Option<Vec<Expr>> = each.iter().map(rest).collect();
        let choice = choice.and_then(|list| list.into_iter().reduce(Expr::or));
        out.extend(choice);
        (out, whole.into_iter().all(|whole| whole))
    }
}

/// The bounds that types do not give, as conditions, and whether these say all of them.
fn conditions(dims: &Dims, zone: &Zone) -> (Vec<Expr>, bool) {
    let representatives: Vec<usize> = (0..zone.size()).filter(|n| zone.representative(*n) == *n).collect();
    let (mut out, mut whole) = (vec![], true);
    for n in dims.ids() {
        match zone.representative(n) {
            other if other != n && (other != 0 || !dims.place(n).ty.is_ptr()) => {
                match difference(dims, zone, (n, other), BinOp::Eq) {
                    Some(equal) => out.push(equal),
                    // What no difference says its own bounds may.
                    None => {
                        whole = false;
                        single(dims, zone, n, &mut out);
                    }
                }
            }
            _ => whole &= single(dims, zone, n, &mut out),
        }
    }
    for i in &representatives[1..] {
        let others = representatives[1..].iter().filter(|j| *j != i);
        let needed = others.filter(|j| !zone.is_redundant(*i, **j, &representatives));
        for j in needed {
            let said = difference(dims, zone, (*i, *j), BinOp::Le);
            let is_address = |n: usize| dims.place(n).ty.is_ptr();
            whole &= zone.bound(*i, *j) == NONE || said.is_some() && !is_address(*i) && !is_address(*j);
            out.extend(said);
        }
    }
    (out, whole)
}

/// The bounds of one place, and whether these are all.
fn single(dims: &Dims, zone: &Zone, n: usize, out: &mut Vec<Expr>) -> bool {
    let dim = dims.place(n);
    let (high, low) = (zone.bound(n, 0), -zone.bound(0, n));
    let mut add = |op, c: i128| {
        out.push(Expr::binary(op, dim.value(), Expr::Const(c, dim.ty.clone())));
    };
    match dim.ty.is_ptr() {
        true if high == 0 => add(BinOp::Eq, 0),
        true => {
            if low > 0 {
                add(BinOp::Ne, 0);
            }
            return low <= 1 && high >= dim.range.1;
        }
        false => {
            if low > dim.range.0 {
                add(BinOp::Ge, low);
            }
            if high < dim.range.1 {
                add(BinOp::Le, high);
            }
        }
    }
    true
}

/// The bound of the difference of two places, of which the second may be zero.
fn difference(dims: &Dims, zone: &Zone, (i, j): (usize, usize), op: BinOp) -> Option<Expr> {
    let a = dims.place(i);
    let bound = zone.bound(i, j);
    if j == 0 {
        return Some(Expr::binary(op, a.value(), Expr::Const(bound, a.ty.clone())));
    }
    let b = dims.place(j);
    match (a.ty.is_ptr(), b.ty.is_ptr()) {
        (false, false) => {}
        (true, true) if op == BinOp::Eq && bound == 0 => {
            return Some(Expr::binary(op, a.value(), b.value().cast(a.ty.clone())));
        }
        // Which of two addresses is larger C does not tell.
        (true, true) if bound < 0 => {
            return Some(Expr::binary(BinOp::Ne, a.value(), b.value().cast(a.ty.clone())));
        }
        _ => return None,
    }
    let (x, y) = (a.value().cast(Type::Math), b.value().cast(Type::Math));
    Some(match bound {
        NONE => return None,
        0 => Expr::binary(op, x, y),
        -1 if op == BinOp::Le => Expr::binary(BinOp::Lt, x, y),
        bound => Expr::binary(op, x, Expr::binary(BinOp::Add, y, Expr::Const(bound, Type::Math))),
    })
}
