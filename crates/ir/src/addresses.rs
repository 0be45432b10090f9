//! Addresses as numbers: where objects can lie, and whether a program can tell.

use crate::expr::{BinOp, Expr};
use crate::program::Program;
use crate::types::Type;
use crate::visit;

/// The first and the last page hold no objects; 64-bit systems use the lower half of 48 bits.
pub const LOWEST: i128 = 0x1000;
const HIGHEST_32: i128 = 0xffff_efff;
const HIGHEST_64: i128 = 0x7fff_ffff_efff;

/// The largest address with pointers of this many bits.
pub fn highest(pointer_bits: u16) -> i128 {
    if pointer_bits == 32 { HIGHEST_32 } else { HIGHEST_64 }
}

/// Whether a pointer becomes a number somewhere, and the low bits of such a number may be inspected.
#[must_use]
pub fn looks_at_addresses(program: &Program) -> bool {
    let (mut numbers, mut low_bits) = (false, false);
    for (_, _, edge) in program.edges() {
        visit::evaluated(&edge.op, &mut |e: &Expr| {
            e.walk(&mut |node| match node {
                Expr::Cast(inner, Type::Int(_)) => numbers |= inner.ty().is_ptr(),
                Expr::Binary(op, ..) => {
                    low_bits |= matches!(
                        op,
                        BinOp::Rem | BinOp::Div | BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor | BinOp::Shr
                    );
                }
                _ => {}
            });
        });
    }
    numbers && low_bits
}
