//! The methods.

/// A method that decides checks, or gives others what they need to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Method {
    /// Executions with drawn inputs, and inputs that lead to new places (coverage-guided).
    Executions,
    /// The only execution of a program without inputs.
    SingleExecution,
    /// Bounds of integers and of their differences: abstract interpretation.
    Bounds,
    /// k-induction with candidate invariants.
    Induction,
    /// Bounded model checking.
    Unrolling,
    /// Predicates from error paths: abstraction, model checking, refinement.
    Abstraction,
    /// Bit-vectors in place of mathematical integers.
    Bits,
    /// Objects that are accessed at several types as their bytes.
    Bytes,
    /// Any number of the threads that loops start.
    AnyThreads,
    /// Executions that fail an undecided check are left out.
    Elsewhere,
    /// The question whether a defined execution reaches a check.
    Defined,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 11] = [
        Method::Executions,
        Method::SingleExecution,
        Method::Bounds,
        Method::Induction,
        Method::Unrolling,
        Method::Abstraction,
        Method::Bits,
        Method::Bytes,
        Method::AnyThreads,
        Method::Elsewhere,
        Method::Defined,
    ];

    /// The name in options and logs.
    pub fn name(self) -> &'static str {
        match self {
            Method::Executions => "executions",
            Method::SingleExecution => "single-execution",
            Method::Bounds => "bounds",
            Method::Induction => "induction",
            Method::Unrolling => "unrolling",
            Method::Abstraction => "abstraction",
            Method::Bits => "bits",
            Method::Bytes => "bytes",
            Method::AnyThreads => "any-threads",
            Method::Elsewhere => "elsewhere",
            Method::Defined => "defined",
        }
    }
}

impl Method {
    /// What it is, for a list of options.
    pub fn description(self) -> &'static str {
        match self {
            Method::Executions => "Concrete executions, before the loop and beside error paths",
            Method::SingleExecution => "The only execution of a program without inputs",
            Method::Bounds => "Checks that hold by bounds of integers",
            Method::Induction => "k-induction with candidates for invariants",
            Method::Unrolling => "All paths with a bounded number of iterations of each loop, as one formula",
            Method::Abstraction => "Abstraction, model checking, refinement",
            Method::Bits => "Bit-vectors where mathematical integers over-approximate",
            Method::Bytes => "Objects that are accessed at several types as their bytes",
            Method::AnyThreads => "Any number of threads where a loop may start more than the bound",
            Method::Elsewhere => "Errors of other checks where one is not decided",
            Method::Defined => "Whether a defined execution reaches a check that holds",
        }
    }
}
