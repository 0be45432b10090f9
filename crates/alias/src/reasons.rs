//! Reasons for which the analysis knows little about an object, for reports. The first reason found is kept.

use super::oracle::Object;
use ir::program::{EdgeId, ProcId};

/// How undefined functions can get at an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Escape {
    /// Its address is passed to one by this call.
    Passed(ProcId, EdgeId),
    /// Its address is stored in another object that they can get at; [`Object::External`] is memory behind pointers
    /// of unknown origin.
    Held(Object),
    /// Its address is returned by a procedure that they may call.
    Returned(ProcId),
    /// They write it themselves: a global that this edge havocs.
    Written(ProcId, EdgeId),
    /// Its address was turned into a number, and the program follows pointers of unknown origin.
    Number,
}
