//! Why runs end otherwise than by reaching a check or the end of the program.

use std::fmt;

/// What C leaves undefined (C17, by paragraph).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UndefinedBehaviour {
    /// A format that asks for more arguments than there are.
    FormatArguments,
    /// Access through a null pointer.
    NullAccess,
    /// A format with an unknown conversion.
    FormatConversion,
    /// A conversion of a format with an argument of another type.
    FormatType,
    /// Order of pointers into different objects.
    PointerOrder,
    /// Difference of pointers into different objects.
    PointerDifference,
    /// Difference of pointers that is no number of elements.
    PointerDifferenceInElements,
    /// Pointer overflow.
    PointerOverflow,
    /// Division by zero.
    DivisionByZero,
    /// Division of the smallest value by -1.
    DivisionOverflow,
    /// Signed overflow.
    SignedOverflow,
    /// Shift by a negative amount or by the width or more.
    ShiftAmount,
    /// Conversion of a floating-point number out of the integer's range.
    FloatConversion,
    /// Call through a pointer to no function.
    CallOfNoFunction,
    /// Call of a function of another type.
    CallOfAnotherType,
    /// Free of an invalid pointer.
    FreeOfInvalidPointer,
    /// Free of something that is no allocated object.
    FreeOfUnallocated,
    /// Free of an object whose life has ended.
    DoubleFree,
    /// Access outside of an object.
    OutsideObject,
    /// Index outside of an array.
    OutsideArray,
    /// Access to an object whose life has ended.
    DeadObject,
    /// Write to a string literal.
    WriteToLiteral,
    /// Access through an invalid pointer.
    InvalidPointer,
    /// Access to the bytes of a function.
    FunctionBytes,
}

impl UndefinedBehaviour {
    /// Whether memory is accessed outside of the object meant, or of one whose life has ended: compiled programs go on
    /// from there, in ways that no proof about defined executions covers.
    pub fn leaves_objects(self) -> bool {
        use UndefinedBehaviour::{DeadObject, OutsideArray, OutsideObject};
        matches!(self, OutsideObject | OutsideArray | DeadObject)
    }
}

impl fmt::Display for UndefinedBehaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            UndefinedBehaviour::FormatArguments => "a format that asks for more arguments than there are",
            UndefinedBehaviour::NullAccess => "access through a null pointer",
            UndefinedBehaviour::FormatConversion => "a format with an unknown conversion",
            UndefinedBehaviour::FormatType => "a conversion of a format with an argument of another type",
            UndefinedBehaviour::PointerOrder => "order of pointers into different objects",
            UndefinedBehaviour::PointerDifference => "difference of pointers into different objects",
            UndefinedBehaviour::PointerDifferenceInElements => {
                "difference of pointers that is no number of elements"
            }
            UndefinedBehaviour::PointerOverflow => "pointer overflow",
            UndefinedBehaviour::DivisionByZero => "division by zero",
            UndefinedBehaviour::DivisionOverflow => "division of the smallest value by -1",
            UndefinedBehaviour::SignedOverflow => "signed overflow",
            UndefinedBehaviour::ShiftAmount => "shift by a negative amount or by the width or more",
            UndefinedBehaviour::FloatConversion => {
                "conversion of a floating-point number out of the integer's range"
            }
            UndefinedBehaviour::CallOfNoFunction => "call through a pointer to no function",
            UndefinedBehaviour::CallOfAnotherType => "call of a function of another type",
            UndefinedBehaviour::FreeOfInvalidPointer => "free of an invalid pointer",
            UndefinedBehaviour::FreeOfUnallocated => "free of something that is no allocated object",
            UndefinedBehaviour::DoubleFree => "free of an object whose life has ended",
            UndefinedBehaviour::OutsideObject => "access outside of an object",
            UndefinedBehaviour::OutsideArray => "index outside of an array",
            UndefinedBehaviour::DeadObject => "access to an object whose life has ended",
            UndefinedBehaviour::WriteToLiteral => "write to a string literal",
            UndefinedBehaviour::InvalidPointer => "access through an invalid pointer",
            UndefinedBehaviour::FunctionBytes => "access to the bytes of a function",
        };
        f.write_str(&base::wording(text))
    }
}

/// What the interpreter does not model, and the limits that it keeps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unsupported {
    /// Output of that size.
    OutputSize,
    /// The conversion %n.
    ConversionN,
    /// The conversion %m.
    ConversionM,
    /// Wide characters.
    WideCharacters,
    /// An operation on values of different kinds.
    MixedOperands,
    /// A conversion between these types.
    Conversion,
    /// A read of a value that is not scalar.
    AggregateRead,
    /// A write of a value that is not scalar.
    AggregateWrite,
    /// Arithmetic with the number of an address.
    AddressArithmetic,
    /// A mathematical integer of more than 128 bits.
    LargeInteger,
    /// A bit operation on mathematical integers.
    BitsOfMathInteger,
    /// More open calls than the limit.
    CallDepth,
    /// Initial bytes that do not fit their variable.
    InitialBytes,
    /// A pointer as the byte to be set.
    PointerAsByte,
    /// An address that is no pointer.
    AddressNoPointer,
    /// A length that is no number.
    LengthNoNumber,
    /// A size that is no number.
    SizeNoNumber,
    /// More memory than the limit.
    Memory,
    /// A bit operation on floating-point numbers.
    BitsOfFloat,
    /// A dangling pointer as input.
    DanglingInput,
    /// A float constant of another type.
    FloatConstant,
    /// A value at the procedure's entry.
    EntryValue,
    /// Pointer arithmetic on a value that is no pointer.
    ArithmeticNoPointer,
    /// A type without a size.
    TypeWithoutSize,
    /// A read of part of a pointer.
    PartOfPointer,
    /// The address of a variable that the program never takes.
    AddressNeverTaken,
    /// A dereference of a value that is no pointer.
    DereferenceNoPointer,
    /// An index into something that is no array.
    IndexNoArray,
    /// A bit-field that spans more than 16 bytes.
    WideBitField,
    /// A bit-field that shares bytes with a pointer.
    BitFieldOverPointer,
    /// A copy of a large uninitialised object.
    LargeUninitialisedCopy,
    /// A pointer as the value of memory that is partly initialised.
    PartlyInitialisedPointer,
    /// A value that nothing has asked for yet.
    NotAskedFor,
    /// More inputs than the memory limit.
    Inputs,
    /// A pointer in a bit-field.
    PointerInBitField,
    /// Floating-point numbers of so many bits.
    FloatWidth(u16),
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Unsupported::FloatWidth(bits) => {
                return write!(f, "{} ({bits})", base::wording("bits of floating-point numbers"));
            }
            Unsupported::OutputSize => "output of that size",
            Unsupported::ConversionN => "the conversion %n",
            Unsupported::ConversionM => "the conversion %m",
            Unsupported::WideCharacters => "wide characters",
            Unsupported::MixedOperands => "an operation on values of different kinds",
            Unsupported::Conversion => "a conversion between these types",
            Unsupported::AggregateRead => "a read of a value that is not scalar",
            Unsupported::AggregateWrite => "a write of a value that is not scalar",
            Unsupported::AddressArithmetic => "arithmetic with the number of an address",
            Unsupported::LargeInteger => "a mathematical integer of more than 128 bits",
            Unsupported::BitsOfMathInteger => "a bit operation on mathematical integers",
            Unsupported::CallDepth => "more open calls than the limit",
            Unsupported::InitialBytes => "initial bytes that do not fit their variable",
            Unsupported::PointerAsByte => "a pointer as the byte to be set",
            Unsupported::AddressNoPointer => "an address that is no pointer",
            Unsupported::LengthNoNumber => "a length that is no number",
            Unsupported::SizeNoNumber => "a size that is no number",
            Unsupported::Memory => "more memory than the limit",
            Unsupported::BitsOfFloat => "a bit operation on floating-point numbers",
            Unsupported::DanglingInput => "a dangling pointer as input",
            Unsupported::FloatConstant => "a float constant of another type",
            Unsupported::EntryValue => "a value at the procedure's entry",
            Unsupported::ArithmeticNoPointer => "pointer arithmetic on a value that is no pointer",
            Unsupported::TypeWithoutSize => "a type without a size",
            Unsupported::PartOfPointer => "a read of part of a pointer",
            Unsupported::AddressNeverTaken => "the address of a variable that the program never takes",
            Unsupported::DereferenceNoPointer => "a dereference of a value that is no pointer",
            Unsupported::IndexNoArray => "an index into something that is no array",
            Unsupported::WideBitField => "a bit-field that spans more than 16 bytes",
            Unsupported::BitFieldOverPointer => "a bit-field that shares bytes with a pointer",
            Unsupported::LargeUninitialisedCopy => "a copy of a large uninitialised object",
            Unsupported::PartlyInitialisedPointer => {
                "a pointer as the value of memory that is partly initialised"
            }
            Unsupported::NotAskedFor => "a value that nothing has asked for yet",
            Unsupported::Inputs => "more inputs than the memory limit",
            Unsupported::PointerInBitField => "a pointer in a bit-field",
        };
        f.write_str(&base::wording(text))
    }
}
