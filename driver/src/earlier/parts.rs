//! Rules and environments as results record them.

use super::one_line;
use super::recorded::identifier;
use results::options::{Environment, Rule};
use results::{At, Read, each};

/// An environment as results have it.
pub(super) fn environment_written(e: &cfront::Environment) -> Environment {
    Environment { init: e.init.clone(), any: e.any.clone(), exit: e.exit.clone() }
}

/// A rule as results have it.
pub(super) fn rule_written(rule: &slic::Source) -> Rule {
    let slic::Source { name, file, text, may_be_unused } = rule.clone();
    Rule { name, file, text, may_be_unused }
}

/// Reads an environment back.
///
/// # Errors
/// What is wrong, and where.
pub(super) fn environment(Environment { init, any, exit }: &Environment) -> Read<cfront::Environment> {
    let names = |list| each(list, |name: &String| identifier(name));
    Ok(cfront::Environment {
        init: names(init).at("init")?,
        any: names(any).at("any")?,
        exit: names(exit).at("exit")?,
    })
}

/// Reads a rule back.
///
/// # Errors
/// What is wrong, and where.
pub(super) fn rule(rule: &Rule) -> Read<slic::Source> {
    Ok(slic::Source {
        name: one_line(&rule.name).at("name")?.to_owned(),
        file: one_line(&rule.file).at("file")?.to_owned(),
        text: rule.text.clone(),
        may_be_unused: rule.may_be_unused,
    })
}
