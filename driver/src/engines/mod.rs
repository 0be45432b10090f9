//! The model checkers that may be asked before bebop whether the abstraction reaches a failing check (`--engine`).

mod getafix;
mod zing;

use crate::options::Engine;
use cegar::Checker;

/// The one that was asked for; `None` for bebop alone.
pub(crate) fn checker(engine: Engine) -> Option<&'static dyn Checker> {
    match engine {
        Engine::Bebop => None,
        Engine::Getafix => Some(&getafix::Getafix),
        Engine::Zing => Some(&zing::Zing),
    }
}
