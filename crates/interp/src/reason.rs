//! Reasons why runs end other than reaching a check or the end of the program.

use ir::program::CheckKind;
use std::fmt;

/// An enumeration of which each value has a description, which is its documentation and how it is shown; a number that
/// belongs to it stands behind that.
macro_rules! described {
    ($(#[$doc:meta])* $name:ident { $($value:ident $(($number:ident: $ty:ty))? => $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name {
            $(#[doc = $text] $value $(($ty))?,)*
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $($name::$value $(($number))? => {
                        f.write_str(&base::wording($text))?;
                        $(write!(f, " ({})", $number)?;)?
                    })*
                }
                Ok(())
            }
        }
    };
}

described! {
    /// Undefined behaviour (C17, by paragraph).
    UndefinedBehaviour {
        FormatArguments => "a format that asks for more arguments than there are",
        NullAccess => "access through a null pointer",
        FormatConversion => "a format with an unknown conversion",
        FormatType => "a conversion of a format with an argument of another type",
        PointerOrder => "order of pointers into different objects",
        PointerDifference => "difference of pointers into different objects",
        PointerDifferenceInElements => "difference of pointers that is no number of elements",
        PointerOverflow => "pointer overflow",
        DivisionByZero => "division by zero",
        DivisionOverflow => "division of the smallest value by -1",
        SignedOverflow => "signed overflow",
        ShiftAmount => "shift by a negative amount or by the width or more",
        FloatConversion => "conversion of a floating-point number out of the integer's range",
        CallOfNoFunction => "call through a pointer to no function",
        CallOfAnotherType => "call of a function of another type",
        FreeOfInvalidPointer => "free of an invalid pointer",
        FreeOfUnallocated => "free of something that is no allocated object",
        DoubleFree => "free of an object whose life has ended",
        OutsideObject => "access outside of an object",
        OutsideArray => "index outside of an array",
        DeadObject => "access to an object whose life has ended",
        WriteToLiteral => "write to a string literal",
        InvalidPointer => "access through an invalid pointer",
        FunctionBytes => "access to the bytes of a function",
    }
}

impl UndefinedBehaviour {
    /// The kind of check that reports it, if there is one.
    pub fn check(self) -> Option<CheckKind> {
        use UndefinedBehaviour as U;
        Some(match self {
            U::NullAccess | U::CallOfNoFunction => CheckKind::Null,
            U::DivisionByZero => CheckKind::Div0,
            U::DivisionOverflow | U::SignedOverflow => CheckKind::Overflow,
            U::ShiftAmount => CheckKind::Shift,
            U::OutsideObject | U::OutsideArray | U::PointerOverflow => CheckKind::Bounds,
            U::FreeOfInvalidPointer | U::FreeOfUnallocated | U::DoubleFree | U::DeadObject => CheckKind::Free,
            U::FormatArguments | U::FormatConversion | U::FormatType => CheckKind::Format,
            U::PointerOrder | U::PointerDifference => CheckKind::Order,
            U::FloatConversion => CheckKind::Convert,
            U::WriteToLiteral => CheckKind::Readonly,
            U::PointerDifferenceInElements | U::CallOfAnotherType | U::InvalidPointer | U::FunctionBytes => {
                return None;
            }
        })
    }

    /// Whether memory is accessed outside of the object meant, or of one whose life has ended: compiled programs go on
    /// from there, in ways that no proof about defined executions covers.
    pub fn leaves_objects(self) -> bool {
        use UndefinedBehaviour::{DeadObject, OutsideArray, OutsideObject};
        matches!(self, OutsideObject | OutsideArray | DeadObject)
    }
}

described! {
    /// Operations that the interpreter does not model, and its limits.
    Unsupported {
        OutputSize => "output of that size",
        ConversionN => "the conversion %n",
        ConversionM => "the conversion %m",
        WideCharacters => "wide characters",
        MixedOperands => "an operation on values of different kinds",
        Conversion => "a conversion between these types",
        AggregateRead => "a read of a value that is not scalar",
        AggregateWrite => "a write of a value that is not scalar",
        AddressArithmetic => "arithmetic with the number of an address",
        LargeInteger => "a mathematical integer of more than 128 bits",
        BitsOfMathInteger => "a bit operation on mathematical integers",
        CallDepth => "more open calls than the limit",
        InitialBytes => "initial bytes that do not fit their variable",
        PointerAsByte => "a pointer as the byte to be set",
        AddressNoPointer => "an address that is no pointer",
        LengthNoNumber => "a length that is no number",
        SizeNoNumber => "a size that is no number",
        Memory => "more memory than the limit",
        BitsOfFloat => "a bit operation on floating-point numbers",
        DanglingInput => "a dangling pointer as input",
        FloatConstant => "a float constant of another type",
        EntryValue => "a value at the procedure's entry",
        ArithmeticNoPointer => "pointer arithmetic on a value that is no pointer",
        TypeWithoutSize => "a type without a size",
        PartOfPointer => "a read of part of a pointer",
        AddressNeverTaken => "the address of a variable that the program never takes",
        DereferenceNoPointer => "a dereference of a value that is no pointer",
        IndexNoArray => "an index into something that is no array",
        WideBitField => "a bit-field that spans more than 16 bytes",
        BitFieldOverPointer => "a bit-field that shares bytes with a pointer",
        LargeUninitialisedCopy => "a copy of a large uninitialised object",
        PartlyInitialisedPointer => "a pointer as the value of memory that is partly initialised",
        NotAskedFor => "a value that nothing has asked for yet",
        Inputs => "more inputs than the memory limit",
        PointerInBitField => "a pointer in a bit-field",
        FloatWidth(bits: u16) => "bits of floating-point numbers",
        BitsOfNaN => "the bits of a NaN",
        IncompleteObject => "access outside of an object whose size is not known",
        UnknownAddress => "access at a number that comes from outside",
    }
}
