//! The model checkers that may decide before bebop whether the abstraction reaches a failing check (`--engine`).

use crate::options::Engine;
use check::Checker;

/// The one that was asked for; `None` for bebop alone.
pub(crate) fn checker(engine: Engine) -> Option<&'static dyn Checker> {
    match engine {
        Engine::Bebop => None,
        Engine::Getafix => Some(&getafix::Formulae),
        Engine::Zing => Some(&zing::Zing),
    }
}
