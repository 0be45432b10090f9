//! What an encoding over-approximates.

use std::fmt;

/// Something that the encoding of an operation leaves open: its result may be any value, or any that depends on the
/// operands alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Inexact {
    /// Floating-point arithmetic.
    FloatingPoint,
    /// Memory accessed at several types.
    SeveralTypes,
    /// A pointer converted to an integer.
    PointerToInteger,
    /// An integer converted to a pointer.
    IntegerToPointer,
    /// A bitwise operation on mathematical integers.
    Bitwise,
}

impl Inexact {
    /// All of them in words, separated by commas.
    pub fn listed(all: &[Inexact]) -> String {
        all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Inexact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&base::wording(match self {
            Inexact::FloatingPoint => "floating point",
            Inexact::SeveralTypes => "memory accessed at several types",
            Inexact::PointerToInteger => "pointer converted to an integer",
            Inexact::IntegerToPointer => "integer converted to a pointer",
            Inexact::Bitwise => "bitwise operation",
        }))
    }
}
