//! The options of a result that make the program, or what is asked of it, another one, as assumptions of the answer.

use super::recorded::Recorded;
use ir::CheckKind;
use results::options::{Assumption, Environment, Options, Rule};
use serde::Serialize;

impl Recorded {
    /// What the result is about, where that is not the program as it stands with the checks that every program gets.
    pub(crate) fn assumptions(&self) -> Vec<Assumption> {
        let usual = Recorded::default().written();
        // Those without a name here are about how the work is done, or how much is examined, and not about the
        // question; the places where leaks are checked follow from the kinds.
        let Options {
            include_dirs,
            defines,
            undefs,
            includes,
            no_preprocess,
            data_model,
            entry,
            environment,
            argc_min,
            array_size,
            max_threads: _,
            any_threads: _,
            globals,
            unknown_pointers,
            signed_wrap,
            malloc_may_fail,
            volatile_havoc,
            checks,
            leaks_at: _,
            extern_policy,
            evaluation_order,
            models,
            error_function,
            alias: _,
            slice: _,
            propagate: _,
            bytes: _,
            predicates: _,
            rules,
        } = self.written();
        // With rules nothing else need be checked, and an environment is the entry.
        let kinds = if checks.is_empty() { usual.checks.clone() } else { checks };
        let entry = if environment.is_some() { usual.entry.clone() } else { entry };
        let function = |name: &Option<String>| {
            format!("the error function {}", shown(name.as_deref().unwrap_or("none")))
        };
        let called = |e: &Option<_>| e.as_ref().map(environment_text).unwrap_or_default();
        let of_rules =
            |rules: &Vec<_>| format!("--rule {}", rules.iter().map(rule_text).collect::<Vec<_>>().join(","));
        let all = [
            assumed("argc_min", argc_min, usual.argc_min, |n| format!("--argc-min {n}")),
            assumed("array_size", array_size, usual.array_size, |n| format!("--array-size {n}")),
            assumed("checks", kinds, usual.checks, |kinds| asked(kinds)),
            assumed("data_model", data_model, usual.data_model, |m| format!("--data-model {}", shown(m))),
            assumed("defines", defines, usual.defines, |list| flags("-D", list)),
            assumed("entry", entry, usual.entry, |name| format!("--entry {}", shown(name))),
            assumed("environment", environment, usual.environment, called),
            assumed("error_function", error_function, usual.error_function, function),
            assumed("evaluation_order", evaluation_order, usual.evaluation_order, |order| {
                format!("--evaluation-order {}", shown(order))
            }),
            assumed("extern", extern_policy, usual.extern_policy, |policy| {
                format!("--extern {}", shown(policy))
            }),
            assumed("globals", globals, usual.globals, |word| format!("--globals {}", shown(word))),
            assumed("include_dirs", include_dirs, usual.include_dirs, |list| flags("-I", list)),
            assumed("includes", includes, usual.includes, |list| flags("-include", list)),
            assumed("malloc_may_fail", malloc_may_fail, usual.malloc_may_fail, |_| {
                "--malloc-may-fail no".into()
            }),
            assumed("models", models, usual.models, |list| flags("--model", list)),
            assumed("no_preprocess", no_preprocess, usual.no_preprocess, |_| "--no-preprocess".into()),
            assumed("rules", rules, usual.rules, of_rules),
            assumed("signed_wrap", signed_wrap, usual.signed_wrap, |_| "--signed-overflow wrap".into()),
            assumed("undefs", undefs, usual.undefs, |list| flags("-U", list)),
            assumed("unknown_pointers", unknown_pointers, usual.unknown_pointers, |word| {
                format!("--unknown-pointers {}", shown(word))
            }),
            assumed("volatile_havoc", volatile_havoc, usual.volatile_havoc, |_| "--volatile havoc".into()),
        ];
        all.into_iter().flatten().collect()
    }
}

/// The assumption that an option has another value than usually, if it has.
fn assumed<T: PartialEq + Serialize>(
    option: &str,
    value: T,
    usual: T,
    text: impl FnOnce(&T) -> String,
) -> Option<Assumption> {
    let value_of = |value| serde_json::to_value(value).expect("options are JSON");
    (value != usual).then(|| Assumption { option: option.into(), text: text(&value), value: value_of(value) })
}

fn flags(flag: &str, list: &[String]) -> String {
    list.iter().map(|v| format!("{flag} {}", shown(v))).collect::<Vec<_>>().join(", ")
}

/// A recorded environment, as the text of an assumption.
fn environment_text(Environment { init, any, exit }: &Environment) -> String {
    let all = [("init", init), ("any", any), ("exit", exit)];
    let told = all.iter().filter(|(_, names)| !names.is_empty());
    let told: Vec<String> = told.map(|(key, names)| format!("{key}: {}", names.join(", "))).collect();
    format!("--environment ({})", told.join("; "))
}

/// A recorded rule, as the text of an assumption: its name alone where it is the library's rule of this name.
fn rule_text(rule: &Rule) -> String {
    let is_known = slic::LIBRARY.iter().any(|entry| entry.name == rule.name && entry.text == rule.text);
    let name = shown(&rule.name);
    if is_known { name } else { format!("{name} (whose text is the result's)") }
}

/// The kinds as `--check` has them.
fn asked(kinds: &[String]) -> String {
    let reach = CheckKind::Reach.name();
    let others: Vec<&str> = kinds.iter().map(String::as_str).filter(|kind| *kind != reach).collect();
    let only = if kinds.iter().any(|kind| kind == reach) { "" } else { "only:" };
    format!("--check {only}{}", others.join(","))
}

/// A name as one word: in quotes, and without control characters, unless it is plain.
pub(crate) fn shown(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./+:=@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { format!("{text:?}") }
}
