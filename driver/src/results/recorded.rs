//! How a program was read and prepared, as results record it, so that `slam certify` and `slam replay` work on the same
//! program as the run that wrote the result.
//!
//! Invariant: an option of the front end that is added is recorded, read back and counted among the assumptions, or
//! this does not compile. Whatever is read back is data: nothing of it becomes an option of a compiler
//! ([`cfront::arguments`]).

use crate::options::{ALIASES, Bytes, Check, Preparation};
use crate::results::fields::{Field, Read};
use crate::results::parts;
use cli::front::Request;
use cli::front::options::{
    DATA_MODELS, EVALUATION_ORDERS, EXTERN_POLICIES, GLOBALS, PROGRAM_ENDS, UNKNOWN_POINTERS,
};
use cli::options::Choice;
use ir::CheckKind;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// What is recorded.
#[derive(Clone)]
pub(crate) struct Recorded {
    /// How the files are read and what is checked.
    pub front: cfront::Options,
    /// What is done before the loop.
    pub preparation: Preparation,
    /// The text of the file of `--predicates`: what it names is not propagated away.
    pub predicates: String,
    /// The rules that are checked.
    pub rules: Vec<slic::Source>,
}

/// Options about how the work is done or how much is examined, and not about the question; and the places where leaks
/// are checked, which the kinds give.
const WAYS: [&str; 8] =
    ["alias", "slice", "propagate", "bytes", "predicates", "leaks_at", "max_threads", "any_threads"];

impl Recorded {
    /// What the run does.
    pub(crate) fn new(options: &Check, request: &Request, predicates: &str) -> Recorded {
        Recorded {
            front: request.options.clone(),
            preparation: options.preparation.clone(),
            predicates: predicates.into(),
            rules: request.rules.clone(),
        }
    }

    /// As results have it, under `options`.
    pub(crate) fn to_json(&self) -> Value {
        let cfront::Options {
            include_dirs,
            defines,
            undefs,
            includes,
            no_preprocess,
            data_model,
            entry,
            environment,
            least_arguments,
            array_size,
            max_threads,
            any_threads,
            globals,
            unknown_pointers,
            signed_wrap,
            malloc_may_fail,
            volatile_havoc,
            checks,
            leaks_at,
            need_checks: _,
            extern_policy,
            evaluation_order,
            models,
            // The rules say it.
            marked: _,
            error_function,
            cc: _,
            children: _,
        } = &self.front;
        let Preparation { alias, no_slice, no_propagate, bytes } = &self.preparation;
        json!({
            "include_dirs": paths(include_dirs),
            "defines": defines,
            "undefs": undefs,
            "includes": paths(includes),
            "no_preprocess": no_preprocess,
            "data_model": name(&DATA_MODELS, *data_model),
            "entry": entry,
            "environment": environment.as_ref().map(parts::environment_json),
            "argc_min": least_arguments,
            "array_size": array_size,
            "max_threads": max_threads,
            "any_threads": any_threads,
            "globals": name(&GLOBALS, *globals),
            "unknown_pointers": name(&UNKNOWN_POINTERS, *unknown_pointers),
            "signed_wrap": signed_wrap,
            "malloc_may_fail": malloc_may_fail,
            "volatile_havoc": volatile_havoc,
            "checks": checks.iter().filter(|c| **c != CheckKind::Rule).map(|c| c.name()).collect::<Vec<_>>(),
            "leaks_at": name(&PROGRAM_ENDS, *leaks_at),
            "extern": name(&EXTERN_POLICIES, *extern_policy),
            "evaluation_order": name(&EVALUATION_ORDERS, *evaluation_order),
            "models": paths(models),
            "error_function": error_function,
            "alias": name(&ALIASES, *alias),
            "slice": !no_slice,
            "propagate": !no_propagate,
            "bytes": *bytes == Bytes::On,
            "predicates": self.predicates,
            "rules": self.rules.iter().map(parts::rule_json).collect::<Vec<_>>(),
        })
    }

    /// Reads it back: every option must be there, and nothing else.
    ///
    /// # Errors
    /// What is missing or wrong, and where.
    pub(crate) fn read(options: &Field<'_>) -> Read<Recorded> {
        let known = Recorded::default().to_json();
        let known: Vec<&str> = known.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
        options.has_only(&known)?;
        let at = |key: &str| options.member(key);
        let usual = cfront::Options::default();
        let rules = at("rules")?.list()?.iter().map(parts::rule).collect::<Read<Vec<_>>>()?;
        let marked = match rules.is_empty() {
            true => None,
            false => {
                let names = cli::front::rules::functions(&rules, &mut base::SourceMap::new());
                Some(names.map_err(|_| options.wrong("a rule is wrong"))?)
            }
        };
        let front = cfront::Options {
            include_dirs: names(&at("include_dirs")?)?,
            defines: lines(&at("defines")?)?,
            undefs: lines(&at("undefs")?)?,
            includes: names(&at("includes")?)?,
            no_preprocess: at("no_preprocess")?.flag()?,
            data_model: at("data_model")?.choice(words(&DATA_MODELS))?,
            entry: at("entry")?.identifier()?.to_owned(),
            environment: match at("environment")? {
                none if none.is_null() => None,
                some => Some(parts::environment(&some)?),
            },
            least_arguments: at("argc_min")?.small()?,
            array_size: u64::from(at("array_size")?.small()?),
            max_threads: at("max_threads")?.small()?,
            any_threads: at("any_threads")?.flag()?,
            globals: at("globals")?.choice(words(&GLOBALS))?,
            unknown_pointers: at("unknown_pointers")?.choice(words(&UNKNOWN_POINTERS))?,
            signed_wrap: at("signed_wrap")?.flag()?,
            malloc_may_fail: at("malloc_may_fail")?.flag()?,
            volatile_havoc: at("volatile_havoc")?.flag()?,
            checks: checks(&at("checks")?, !rules.is_empty())?,
            leaks_at: at("leaks_at")?.choice(words(&PROGRAM_ENDS))?,
            need_checks: usual.need_checks && rules.is_empty(),
            marked,
            extern_policy: at("extern")?.choice(words(&EXTERN_POLICIES))?,
            evaluation_order: at("evaluation_order")?.choice(words(&EVALUATION_ORDERS))?,
            models: stored(&at("models")?)?,
            error_function: match at("error_function")? {
                none if none.is_null() => None,
                some => Some(some.identifier()?.to_owned()),
            },
            cc: usual.cc,
            children: usual.children,
        };
        cfront::arguments::mistakes(&front).map_err(|why| options.wrong(why))?;
        let preparation = Preparation {
            alias: at("alias")?.choice(words(&ALIASES))?,
            no_slice: !at("slice")?.flag()?,
            no_propagate: !at("propagate")?.flag()?,
            bytes: if at("bytes")?.flag()? { Bytes::On } else { Bytes::Off },
        };
        Ok(Recorded { front, preparation, predicates: at("predicates")?.text()?.to_owned(), rules })
    }

    /// What the result is about, where that is not the program as it stands with the checks that every program gets.
    pub(crate) fn assumptions(&self) -> Vec<Assumption> {
        let (own, usual) = (self.to_json(), Recorded::default().to_json());
        let members = own.as_object().into_iter().flatten();
        // With rules nothing else need be checked.
        let environment = !own["environment"].is_null();
        let none = |key: &str, value: &Value| {
            key == "checks" && value.as_array().is_some_and(Vec::is_empty) || key == "entry" && environment
        };
        let other = members.filter(|(key, value)| {
            !WAYS.contains(&key.as_str()) && usual[*key] != **value && !none(key, value)
        });
        other.map(|(key, value)| Assumption::of_option(key, value)).collect()
    }
}

impl Default for Recorded {
    fn default() -> Recorded {
        let (front, preparation) = (cfront::Options::default(), Preparation::default());
        Recorded { front, preparation, predicates: String::new(), rules: vec![] }
    }
}

/// Something under which a result holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Assumption {
    /// The option, as results call it.
    pub option: String,
    /// Its value.
    pub value: Value,
    /// As the command line has it.
    pub text: String,
}

impl Assumption {
    fn of_option(key: &str, value: &Value) -> Assumption {
        let list =
            || -> Vec<&str> { value.as_array().into_iter().flatten().filter_map(Value::as_str).collect() };
        let each = |flag: &str| -> String {
            list().iter().map(|v| format!("{flag} {}", shown(v))).collect::<Vec<_>>().join(", ")
        };
        let text = match key {
            "include_dirs" => each("-I"),
            "defines" => each("-D"),
            "undefs" => each("-U"),
            "includes" => each("-include"),
            "models" => each("--model"),
            "checks" => parts::asked(&list()),
            "environment" => parts::environment_text(value),
            "rules" => {
                let rules = value.as_array().into_iter().flatten();
                format!("--rule {}", rules.map(parts::rule_text).collect::<Vec<_>>().join(","))
            }
            "signed_wrap" => "--signed-overflow wrap".to_owned(),
            "malloc_may_fail" => "--malloc-may-fail no".to_owned(),
            "volatile_havoc" => "--volatile havoc".to_owned(),
            "error_function" => format!("the error function {}", shown(value.as_str().unwrap_or("none"))),
            _ => match value {
                Value::Bool(true) => format!("--{}", key.replace('_', "-")),
                Value::String(text) => format!("--{} {}", key.replace('_', "-"), shown(text)),
                other => format!("--{} {}", key.replace('_', "-"), shown(&other.to_string())),
            },
        };
        Assumption { option: key.to_owned(), value: value.clone(), text }
    }

    /// As results have it.
    pub(crate) fn to_json(&self) -> Value {
        json!({ "option": self.option, "value": self.value, "text": self.text })
    }
}

/// A name as one word: in quotes, and without control characters, unless it is plain.
pub(crate) fn shown(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./+:=@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { format!("{text:?}") }
}

fn paths(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|p| p.display().to_string()).collect()
}

fn name<T: PartialEq>(all: &[Choice<T>], value: T) -> &'static str {
    all.iter().find(|(.., v)| *v == value).expect("every value has a name").0
}

fn words<T: Copy>(all: &[Choice<T>]) -> impl Iterator<Item = (&'static str, T)> {
    all.iter().map(|(word, _, value)| (*word, *value))
}

fn lines(list: &Field<'_>) -> Read<Vec<String>> {
    list.list()?.iter().map(|text| text.line().map(str::to_owned)).collect()
}

fn names(list: &Field<'_>) -> Read<Vec<PathBuf>> {
    let name = |field: &Field<'_>| match field.line()? {
        "" => Err(field.wrong("this is no name")),
        name => Ok(Path::new(name).to_owned()),
    };
    list.list()?.iter().map(name).collect()
}

/// Names of files that can be read once more: standard input cannot.
fn stored(list: &Field<'_>) -> Read<Vec<PathBuf>> {
    let names = names(list)?;
    let gone = names.iter().any(|name| name.as_os_str() == "-");
    if gone { Err(list.wrong("what was read from standard input is not there any more")) } else { Ok(names) }
}

fn checks(list: &Field<'_>, rules: bool) -> Read<Vec<CheckKind>> {
    let of_rules = [CheckKind::Rule, CheckKind::Unmodelled];
    let asked = CheckKind::ALL.into_iter().filter(|k| !of_rules.contains(k)).map(|k| (k.name(), k));
    let mut out = list.list()?.iter().map(|kind| kind.choice(asked.clone())).collect::<Read<Vec<_>>>()?;
    out.extend(rules.then_some(CheckKind::Rule));
    out.sort_unstable();
    out.dedup();
    if out.is_empty() { Err(list.wrong("nothing is checked")) } else { Ok(out) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alias::AliasMode;
    use cfront::ExternPolicy;
    use ir::DataModel;

    fn read(json: &Value) -> Read<Recorded> {
        Recorded::read(&Field::whole(json))
    }

    fn unusual() -> Recorded {
        let front = cfront::Options {
            defines: vec!["A=1".into(), "B=a b".into()],
            checks: vec![CheckKind::Div0, CheckKind::Null],
            least_arguments: 1,
            data_model: DataModel::Ilp32,
            extern_policy: ExternPolicy::Pure,
            error_function: Some("fail".into()),
            max_threads: 12,
            any_threads: true,
            ..cfront::Options::default()
        };
        let preparation =
            Preparation { alias: AliasMode::Andersen, no_slice: true, no_propagate: false, bytes: Bytes::On };
        let rules = vec![slic::Source {
            name: "lock".into(),
            file: "rules/lock.slic".into(),
            text: "lock.entry { abort \"no\"; }".into(),
            may_be_unused: false,
        }];
        Recorded { front, preparation, predicates: "x == 1;".into(), rules }
    }

    #[test]
    fn what_is_written_reads_back() {
        let written = unusual().to_json();
        assert_eq!(read(&written).expect("it is what was written").to_json(), written);
        let mut wrong = written.clone();
        wrong["alias"] = "perhaps".into();
        assert_eq!(read(&wrong).err().as_deref(), Some("/alias: there is no \"perhaps\""));
        assert!(read(&Value::Null).is_err());
    }

    #[test]
    fn every_option_is_read_and_nothing_else() {
        let written = unusual().to_json();
        for key in written.as_object().expect("an object").keys() {
            let mut less = written.clone();
            less.as_object_mut().expect("an object").remove(key);
            assert_eq!(read(&less).err(), Some(format!("/: there is no `{key}`")));
            let mut other = written.clone();
            other[key] = json!({ "x": 1 });
            assert!(read(&other).err().is_some_and(|why| why.starts_with(&format!("/{key}: "))), "{key}");
        }
        let mut more = written;
        more["cc"] = "sh".into();
        assert_eq!(read(&more).err().as_deref(), Some("/: nothing here is called \"cc\""));
    }

    #[test]
    fn options_of_compilers_are_no_options() {
        let attacks = [
            ("includes", json!([""])),
            ("includes", json!(["a\nb"])),
            ("models", json!(["-"])),
            ("defines", json!(["@x"])),
            ("defines", json!(["A=1\n#include <x>"])),
            ("defines", json!(["-fplugin=x"])),
            ("undefs", json!(["A -wrapper x"])),
            ("entry", json!("main; x")),
            ("error_function", json!("$(touch pwned)")),
            ("rules", json!([{ "name": "a", "file": "a", "text": "a.entry {", "may_be_unused": false }])),
            ("rules", json!([{ "name": "a\nb", "file": "a", "text": "", "may_be_unused": false }])),
            ("checks", json!(["unmodelled"])),
            ("max_threads", json!(1000)),
        ];
        for (key, value) in attacks {
            let mut changed = unusual().to_json();
            changed[key] = value;
            assert!(read(&changed).is_err(), "{key}");
        }
        let mut nothing = unusual().to_json();
        nothing["checks"] = json!([]);
        assert!(read(&nothing).is_ok(), "rules are enough");
        nothing["rules"] = json!([]);
        assert!(read(&nothing).is_err(), "nothing is checked");
    }

    #[test]
    fn assumptions_are_what_differs_from_a_run_without_options() {
        let texts =
            |recorded: &Recorded| recorded.assumptions().into_iter().map(|a| a.text).collect::<Vec<_>>();
        assert_eq!(texts(&Recorded::default()), <[&str; 0]>::default());
        let expected = [
            "--argc-min 1",
            "--check only:div0,null",
            "--data-model ILP32",
            "-D A=1, -D \"B=a b\"",
            "the error function fail",
            "--extern pure",
            "--rule lock (whose text is the result's)",
        ];
        assert_eq!(texts(&unusual()), expected);
    }

    #[test]
    fn an_option_that_nobody_describes_is_an_assumption_all_the_same() {
        let text = |value: Value| Assumption::of_option("evaluation_order", &value).text;
        assert_eq!(text("left".into()), "--evaluation-order left");
        assert_eq!(text("x)\nVERDICT: SAFE".into()), "--evaluation-order \"x)\\nVERDICT: SAFE\"");
        assert_eq!(text(true.into()), "--evaluation-order");
        assert_eq!(text(false.into()), "--evaluation-order false");
    }
}
