//! Contracts: the memory that functions of the C library access, as in their [table](crate::library). In front
//! of a call stands a [`LibraryAccess`](ir::LibraryAccess) for each buffer, string and stream, which the
//! instrumentation checks. They are emitted only where memory is checked at all.

/// A need of a function, about arguments by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Need {
    /// A string.
    Text(usize),
    /// A string or NULL.
    OptionalText(usize),
    /// Bytes that are read.
    Reads(usize, Len),
    /// The same, unless the pointer is NULL.
    OptionalReads(usize, Len),
    /// Bytes that are written, at least for some input.
    Writes(usize, Len),
    /// The same, unless the pointer is NULL.
    OptionalWrites(usize, Len),
    /// Bytes some of which may be accessed.
    MayTouch(usize, Len),
    /// A pointer that is not NULL, to something of the library's own.
    Present(usize),
    /// A format of `printf`; its values are the arguments from the second number on.
    Format(usize, usize),
    /// Its other accesses are not modelled.
    More,
}

/// How many bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Len {
    /// The value of an argument; none when that is negative.
    Arg(usize),
    /// The product of two arguments.
    Product(usize, usize),
    /// The size of what the parameter's type points to.
    Pointee,
    /// This many.
    Bytes(u64),
    /// As many as the input has.
    Input,
}
