//! Checks: the conditions that must hold.

use super::ProcId;
use base::Span;
use std::sync::Arc;

named! {
    /// The kinds of errors that checks guard against.
    CheckKind {
        /// Assertions, error calls, `ERROR` labels.
        Reach = "reach",
        /// Signed overflow.
        Overflow = "overflow",
        /// Division by zero.
        Div0 = "div0",
        /// Dereference of NULL.
        Null = "null",
        /// Access outside an object.
        Bounds = "bounds",
        /// Shift by a bad amount.
        Shift = "shift",
        /// Read of an uninitialised variable.
        Uninit = "uninit",
        /// Double free, use after free.
        Free = "free",
        /// Memory never freed.
        Leak = "leak",
        /// Arguments of `printf` and its relatives that do not fit the format.
        Format = "format",
        /// Use of a stream that is NULL or was closed.
        File = "file",
        /// A write to a string literal or to an object that is defined const.
        Readonly = "readonly",
        /// A copy by a function of the library between objects that overlap, which it does not allow.
        Overlap = "overlap",
        /// A function returns that is declared not to.
        Noreturn = "noreturn",
        /// A floating-point number is converted to an integer type that does not have its value.
        Convert = "convert",
        /// The order, or the difference, of pointers into different objects.
        Order = "order",
        /// An access through an array that is a member goes on into the next member.
        Member = "member",
        /// Two accesses of different threads to one object at the same time, one of which writes and one of which is not atomic.
        Race = "race",
        /// Threads that wait for each other for ever.
        Deadlock = "deadlock",
        /// A rule of interface use, which [`Check::rule`] names.
        Rule = "rule",
        /// Not an error of the program: something that is not modelled. Executions that reach it are not
        /// analysed further, so that the program is safe only if there are none. This kind is never requested.
        Unmodelled = "unmodelled",
    }
}

/// One thing that must not go wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// Its kind.
    pub kind: CheckKind,
    /// Its place: the assertion, the call of the error function, the label.
    pub span: Span,
    /// The message when it fails: "assertion `x > 0` fails", "reach_error() is called".
    pub message: String,
    /// The procedure whose edge carries it.
    pub proc: ProcId,
    /// The rule that is broken when it fails, where it belongs to one ([`CheckKind::Rule`]).
    pub rule: Option<Arc<str>>,
}

impl Check {
    /// A check that is carried by an edge of this procedure.
    pub fn new(kind: CheckKind, span: Span, message: &str, proc: ProcId) -> Check {
        Check { kind, span, message: base::wording(message).into_owned(), proc, rule: None }
    }

    /// The text in parentheses of a verdict: the kind, and the rule that is broken.
    pub fn title(&self) -> String {
        match &self.rule {
            Some(rule) => format!("{} {rule}", self.kind.name()),
            None => self.kind.name().to_owned(),
        }
    }
}
