//! The operations of edges.

use super::{CheckId, ProcId, VarId};
use crate::expr::{Expr, Lvalue};
use std::borrow::Cow;
use std::sync::Arc;

/// Why a value is arbitrary.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum HavocKind {
    /// An input: the call of the named nondeterminism function (`__VERIFIER_nondet_int`).
    Input(Arc<str>),
    /// An uninitialised local.
    Uninit,
    /// An input at the start of the program.
    Start(StartInput),
    /// The result of an undefined function, by name, or something it wrote; the value of an object defined nowhere.
    Extern(Arc<str>),
    /// Something else that comes from outside, by its description.
    Outside(Arc<str>),
    /// Something the front end does not model exactly, by its description.
    Unmodelled(Arc<str>),
    /// A part of the text that the last [`Output::MakesText`] made, for the library function of this name: only the
    /// interpreter knows it.
    Made(TextPart, Arc<str>),
    /// Something that C leaves open and the compiler settles, by its description: any value is right.
    Choice(Arc<str>),
    /// A choice of the analysis among many places, objects or cases, by its description: an execution of the
    /// program is the same whatever it is.
    Analysis(Arc<str>),
    /// The object that a rule follows: any pointer, or any integer. An execution settles what it is where it is compared: each
    /// comparison with something new may or may not find it.
    Followed,
    /// The contents of an object from outside, where an execution first reads it; no operation has it.
    Contents,
}

impl HavocKind {
    /// Whether a pointer of this kind comes from outside and may point to an object that the program has not
    /// allocated, such as the result of an undefined function.
    pub fn may_point(&self) -> bool {
        match self {
            HavocKind::Extern(_)
            | HavocKind::Outside(_)
            | HavocKind::Input(_)
            | HavocKind::Start(_)
            | HavocKind::Analysis(_)
            | HavocKind::Contents => true,
            HavocKind::Uninit
            | HavocKind::Unmodelled(_)
            | HavocKind::Made(..)
            | HavocKind::Choice(_)
            | HavocKind::Followed => false,
        }
    }
}

named! {
    /// A part of a text.
    TextPart {
        /// How many characters it has.
        Length = "text_length",
        /// The next character, from the first after the length was read.
        Character = "text_character",
    }
}

/// A place in a program where a rule may have something to do: no effect on the program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CallMark {
    /// A call of this function begins, with these arguments.
    Entry(Arc<str>),
    /// It has ended: the number of arguments, the arguments, the result if there is one.
    Exit(Arc<str>),
    /// The program ends here otherwise than by a return from its entry function.
    End,
}

/// What an [`Op::Output`] is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Output {
    /// What others than the program see: what this function of the C library writes, or the status that it leaves.
    Visible(Arc<str>),
    /// An access of the call that follows, for the checks.
    Access(LibraryAccess),
    /// A place for rules.
    Mark(CallMark),
    /// The arguments, a format of `printf` first, make a text, whose parts [`HavocKind::Made`] gives.
    MakesText,
    /// The object at the first argument, which was just allocated unless that is NULL, is at a multiple of the second.
    Aligned,
    /// The allocated block at the first argument is resized in place to the bytes of the second. Proofs know no sizes of
    /// such blocks.
    Resizes,
}

/// Names of outputs in the text form.
const ENTRY: &str = "slam_entry ";
const EXIT: &str = "slam_exit ";
const END: &str = "slam_end";
const MAKES_TEXT: &str = "slam_makes_text";
const ALIGNED: &str = "slam_aligned";
const RESIZES: &str = "slam_resizes";

impl Output {
    /// The name in the text form.
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Output::Visible(function) => Cow::Borrowed(&**function),
            Output::Access(access) => Cow::Borrowed(access.name()),
            Output::Mark(CallMark::Entry(function)) => Cow::Owned(format!("{ENTRY}{function}")),
            Output::Mark(CallMark::Exit(function)) => Cow::Owned(format!("{EXIT}{function}")),
            Output::Mark(CallMark::End) => Cow::Borrowed(END),
            Output::MakesText => Cow::Borrowed(MAKES_TEXT),
            Output::Aligned => Cow::Borrowed(ALIGNED),
            Output::Resizes => Cow::Borrowed(RESIZES),
        }
    }

    /// What a name in the text form stands for.
    pub fn named(name: &str) -> Output {
        let access = || LibraryAccess::ALL.into_iter().find(|a| a.name() == name).map(Output::Access);
        if let Some(function) = name.strip_prefix(ENTRY) {
            return Output::Mark(CallMark::Entry(function.into()));
        }
        if let Some(function) = name.strip_prefix(EXIT) {
            return Output::Mark(CallMark::Exit(function.into()));
        }
        match name {
            END => Output::Mark(CallMark::End),
            MAKES_TEXT => Output::MakesText,
            ALIGNED => Output::Aligned,
            RESIZES => Output::Resizes,
            _ => access().unwrap_or_else(|| Output::Visible(name.into())),
        }
    }

    /// The operation.
    pub fn op(self, args: Vec<Expr>) -> Op {
        Op::Output { output: self, args }
    }
}

/// The inputs at the start of the entry function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StartInput {
    /// Its n-th argument, from 1.
    Argument(u32),
    /// The length of one of the strings that it is given.
    StringLength,
    /// A character of that string.
    StringCharacter,
    /// The number of strings in the environment.
    EnvironmentLength,
}

impl std::fmt::Display for StartInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StartInput::Argument(n) => write!(f, "{} {n}", base::wording("argument")),
            StartInput::StringLength => f.write_str(&base::wording("length of a string among the arguments")),
            StartInput::StringCharacter => {
                f.write_str(&base::wording("character of a string among the arguments"))
            }
            StartInput::EnvironmentLength => {
                f.write_str(&base::wording("number of strings in the environment"))
            }
        }
    }
}

/// The callee of a call.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    /// A known procedure, with or without body.
    Direct(ProcId),
    /// The procedure that a function pointer holds.
    Indirect(Expr),
}

named! {
    /// The queries of [`Op::Inspect`] about the object that a pointer points into.
    ObjectQuery {
        /// Its size in bytes.
        Size = "size",
        /// How many bytes the pointer stands behind its start (negative: before it).
        Offset = "offset",
        /// 1 while it lives.
        Live = "live",
        /// 1 when the pointer is NULL or the start of a living allocation, so that `free` takes it.
        Freeable = "freeable",
        /// 1 when everything that the pointer points to has a value.
        Initialised = "initialised",
        /// How a walk from the pointer to the end of a string ends: 0 at a NUL, 1 at the end of the object, 2 at a byte
        /// that has no value.
        Text = "text",
        /// How many bytes there are from the pointer up to a NUL, or the end of the object.
        TextLength = "text_size",
        /// 1 when the byte at the pointer must not be changed: it is one of a string literal, or of what is defined const.
        Constant = "constant",
    }
}

impl ObjectQuery {
    /// The least and the greatest answer, where there are such.
    pub fn range(self) -> (Option<i128>, Option<i128>) {
        match self {
            ObjectQuery::Live | ObjectQuery::Freeable | ObjectQuery::Initialised | ObjectQuery::Constant => {
                (Some(0), Some(1))
            }
            ObjectQuery::Text => (Some(0), Some(2)),
            ObjectQuery::Size | ObjectQuery::TextLength => (Some(0), None),
            ObjectQuery::Offset => (None, None),
        }
    }
}

named! {
    /// Accesses of a function of the C library to the memory at a pointer, as the standard specifies them. Each
    /// is an [`Op::Output`] in front of the call: it has no effect on the program and is a demand for the checks.
    LibraryAccess {
        /// It reads this many bytes.
        Reads = "slam_reads",
        /// It writes this many bytes, for some input at least.
        Writes = "slam_writes",
        /// It may read or write up to this many bytes; how many is not modelled.
        MayTouch = "slam_may_touch",
        /// It reads a string, up to its NUL.
        Text = "slam_text",
        /// The pointer must not be NULL.
        Present = "slam_present",
        /// It changes this many bytes, or some of them; whether they exist is another demand.
        Changes = "slam_changes",
        /// It copies this many bytes to the first pointer from the second, which must not overlap.
        Apart = "slam_apart",
        /// It copies a string to the first pointer from the second; or at most `n` characters of it, and then
        /// writes `n` bytes.
        ApartText = "slam_apart_text",
        /// It copies a string behind the one at the first pointer from the second pointer; or at most `n`
        /// characters of it.
        ApartEnd = "slam_apart_end",
        /// It writes to the first pointer, and reads a string at the second, but no more bytes of it than the
        /// third argument; the others are numbers of bytes, of which it writes the least.
        ApartMade = "slam_apart_made",
    }
}

impl Op {
    /// The procedure that is called by its name.
    pub fn calls(&self) -> Option<ProcId> {
        if let Op::Call { callee: Callee::Direct(q), .. } = self { Some(*q) } else { None }
    }

    /// Whether it is an assumption that never holds.
    pub fn is_never(&self) -> bool {
        matches!(self, Op::Assume(e) if e.is_zero())
    }

    /// The local variable whose life ends here, at the end of its block. Only the front end frees a variable's bare
    /// address; a program's own `free(&x)` passes a `void *`.
    pub fn ends(&self) -> Option<VarId> {
        match self {
            Op::Free(Expr::AddrOf(lv)) if lv.path.is_empty() => lv.as_var(),
            _ => None,
        }
    }
}

/// The operation of an edge.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Nothing.
    Skip,
    /// A scalar location gets a value of its type.
    Assign(Lvalue, Expr),
    /// A scalar location gets any value of its type.
    Havoc(Lvalue, HavocKind),
    /// The edge is taken only if the condition is nonzero.
    Assume(Expr),
    /// The error of this check if the condition is zero.
    Check(CheckId, Expr),
    /// A call; a result that is not wanted has no destination. Arguments are scalars, one a formal (more for
    /// variadic callees).
    Call {
        /// The destination of the result: a scalar location of the result's type.
        dest: Option<Lvalue>,
        /// The callee.
        callee: Callee,
        /// Actual arguments.
        args: Vec<Expr>,
    },
    /// A fresh object of `size` bytes; its address goes to the scalar pointer location `dest`. Contents are
    /// arbitrary, or zero when `zeroed`. NULL is a possible answer when `may_fail`.
    Alloc {
        /// The destination of the address.
        dest: Lvalue,
        /// Size in bytes.
        size: Expr,
        /// Contents are zero (`calloc`).
        zeroed: bool,
        /// NULL may be the answer.
        may_fail: bool,
    },
    /// The end of an allocated object's life (`free`); NULL does nothing.
    Free(Expr),
    /// An answer about the object that `ptr` points into goes to the integer location `dest`; it is 0 when
    /// there is no living object. Abstraction and paths know nothing about the answer; the interpreter computes
    /// it.
    Inspect {
        /// The destination of the answer.
        dest: Lvalue,
        /// The query.
        query: ObjectQuery,
        /// The pointer.
        ptr: Expr,
    },
    /// Something that has no effect on the program: what others see of it, or what the checks, the rules or the
    /// interpreter need to know.
    Output {
        /// What it is.
        output: Output,
        /// Its arguments, promoted as variable arguments are.
        args: Vec<Expr>,
    },
    /// `len` bytes at `ptr` get the byte value `byte` (also zero initialisation of aggregates).
    MemSet {
        /// First byte.
        ptr: Expr,
        /// Value, converted to `unsigned char`.
        byte: Expr,
        /// Number of bytes.
        len: Expr,
    },
    /// `len` bytes are copied from `src` to `dst`, as `memmove` does (also copies of aggregates).
    MemCopy {
        /// First byte written.
        dst: Expr,
        /// First byte read.
        src: Expr,
        /// Number of bytes.
        len: Expr,
    },
}

/// The parts of an operation: the same for reading and for changing them.
macro_rules! parts {
    ($destination:ident, $operands:ident, $as_option:ident, $iter:ident $(, $mutable:tt)?) => {
        impl Op {
            /// The scalar location that the operation itself assigns.
            pub fn $destination(&$($mutable)? self) -> Option<&$($mutable)? Lvalue> {
                match self {
                    Op::Assign(lv, _)
                    | Op::Havoc(lv, _)
                    | Op::Alloc { dest: lv, .. }
                    | Op::Inspect { dest: lv, .. } => Some(lv),
                    Op::Call { dest, .. } => dest.$as_option(),
                    Op::Skip
                    | Op::Assume(_)
                    | Op::Check(..)
                    | Op::Free(_)
                    | Op::Output { .. }
                    | Op::MemSet { .. }
                    | Op::MemCopy { .. } => None,
                }
            }

            /// The expressions that the operation evaluates, but for those inside of its destination.
            pub fn $operands(&$($mutable)? self) -> Vec<&$($mutable)? Expr> {
                match self {
                    Op::Skip | Op::Havoc(..) => vec![],
                    Op::Assign(_, e)
                    | Op::Assume(e)
                    | Op::Check(_, e)
                    | Op::Free(e)
                    | Op::Inspect { ptr: e, .. }
                    | Op::Alloc { size: e, .. } => vec![e],
                    Op::Call { callee: Callee::Indirect(e), args, .. } => std::iter::once(e).chain(args).collect(),
                    Op::Call { args, .. } | Op::Output { args, .. } => args.$iter().collect(),
                    Op::MemSet { ptr, byte, len } => vec![ptr, byte, len],
                    Op::MemCopy { dst, src, len } => vec![dst, src, len],
                }
            }
        }
    };
}

parts!(destination, operands, as_ref, iter);
parts!(destination_mut, operands_mut, as_mut, iter_mut, mut);

impl Op {
    /// The operation with all its expressions rebuilt, as [`Expr::map`] does.
    #[must_use]
    pub fn map(mut self, f: &mut impl FnMut(Expr) -> Expr) -> Op {
        if let Some(lv) = self.destination_mut() {
            *lv = lv.clone().map(f);
        }
        for e in self.operands_mut() {
            *e = e.clone().map(f);
        }
        self
    }

    /// The operation with other variables: those of its destination first, then those of its operands.
    #[must_use]
    pub fn renamed(mut self, f: &mut impl FnMut(VarId) -> VarId) -> Op {
        if let Some(lv) = self.destination_mut() {
            *lv = lv.clone().rebuilt(&mut |e| e.renamed(f));
            lv.rename_base(f);
        }
        for e in self.operands_mut() {
            *e = e.clone().renamed(f);
        }
        self
    }
}
