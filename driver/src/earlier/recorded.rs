//! How a program was read and prepared, as results record it, so that `slam certify` and `slam replay` work on the same
//! program as the run that wrote the result.
//!
//! Invariant: an option of the front end that is added is recorded, read back and counted among the assumptions, or
//! this does not compile. Whatever is read back is data: nothing of it becomes an option of a compiler
//! ([`cfront::arguments`]).

use super::{one_line, parts};
use crate::options::{ALIASES, Bytes, Check, Integers, Preparation};
use crate::report::{self, Answer};
use cli::front::Request;
use cli::front::options::{
    DATA_MODELS, EVALUATION_ORDERS, EXTERN_POLICIES, GLOBALS, PROGRAM_ENDS, UNKNOWN_POINTERS,
};
use cli::options::Choice;
use encoding::IntMode;
use ir::CheckKind;
use passes::Settings;
use results::options::Options;
use results::{At, Read, Wrong, each};
use std::path::{Path, PathBuf};
use verify::Task;

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

    /// Prepares the program as it is recorded.
    ///
    /// # Errors
    /// The answer when there is nothing to work on.
    pub(crate) fn task(&self, front: cfront::Frontend, integers: Integers) -> Result<Task, Box<Answer>> {
        let extern_policy = self.front.extern_policy;
        let preparation = verify::Preparation {
            settings: self.settings(),
            integers: integers.wish(IntMode::Math, IntMode::Bits),
            extern_policy,
            predicates: &self.predicates,
            rules: &self.rules,
        };
        Task::new(front, &preparation).map_err(|refusal| Box::new(report::refused(&refusal)))
    }

    /// What the passes do.
    pub(crate) fn settings(&self) -> Settings {
        self.preparation.settings(self.front.extern_policy)
    }

    /// As results have it.
    pub(crate) fn written(&self) -> Options {
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
        Options {
            include_dirs: paths(include_dirs),
            defines: defines.clone(),
            undefs: undefs.clone(),
            includes: paths(includes),
            no_preprocess: *no_preprocess,
            data_model: name(&DATA_MODELS, *data_model),
            entry: entry.clone(),
            environment: environment.as_ref().map(parts::environment_written),
            argc_min: *least_arguments,
            array_size: *array_size,
            max_threads: *max_threads,
            any_threads: *any_threads,
            globals: name(&GLOBALS, *globals),
            unknown_pointers: name(&UNKNOWN_POINTERS, *unknown_pointers),
            signed_wrap: *signed_wrap,
            malloc_may_fail: *malloc_may_fail,
            volatile_havoc: *volatile_havoc,
            checks: checks.iter().filter(|c| **c != CheckKind::Rule).map(|c| c.name().into()).collect(),
            leaks_at: name(&PROGRAM_ENDS, *leaks_at),
            extern_policy: name(&EXTERN_POLICIES, *extern_policy),
            evaluation_order: name(&EVALUATION_ORDERS, *evaluation_order),
            models: paths(models),
            error_function: error_function.clone(),
            alias: name(&ALIASES, *alias),
            slice: !no_slice,
            propagate: !no_propagate,
            bytes: *bytes == Bytes::On,
            predicates: self.predicates.clone(),
            rules: self.rules.iter().map(parts::rule_written).collect(),
        }
    }

    /// Reads it back.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub(crate) fn read(options: &Options) -> Read<Recorded> {
        let usual = cfront::Options::default();
        let rules = each(&options.rules, parts::rule).at("rules")?;
        let marked = match rules.is_empty() {
            true => None,
            false => {
                let names = cli::front::rules::functions(&rules, &mut base::SourceMap::new());
                Some(names.map_err(|_| Wrong::new("a rule is wrong"))?)
            }
        };
        let Options { no_preprocess, any_threads, signed_wrap, malloc_may_fail, volatile_havoc, .. } =
            *options;
        let front = cfront::Options {
            include_dirs: names(&options.include_dirs).at("include_dirs")?,
            defines: lines(&options.defines).at("defines")?,
            undefs: lines(&options.undefs).at("undefs")?,
            includes: names(&options.includes).at("includes")?,
            no_preprocess,
            data_model: choice(&DATA_MODELS, &options.data_model).at("data_model")?,
            entry: identifier(&options.entry).at("entry")?,
            environment: options
                .environment
                .as_ref()
                .map(parts::environment)
                .transpose()
                .at("environment")?,
            least_arguments: small(options.argc_min).at("argc_min")?,
            array_size: u64::from(small(options.array_size).at("array_size")?),
            max_threads: small(options.max_threads).at("max_threads")?,
            any_threads,
            globals: choice(&GLOBALS, &options.globals).at("globals")?,
            unknown_pointers: choice(&UNKNOWN_POINTERS, &options.unknown_pointers).at("unknown_pointers")?,
            signed_wrap,
            malloc_may_fail,
            volatile_havoc,
            checks: checks(&options.checks, !rules.is_empty()).at("checks")?,
            leaks_at: choice(&PROGRAM_ENDS, &options.leaks_at).at("leaks_at")?,
            need_checks: usual.need_checks && rules.is_empty(),
            marked,
            extern_policy: choice(&EXTERN_POLICIES, &options.extern_policy).at("extern")?,
            evaluation_order: choice(&EVALUATION_ORDERS, &options.evaluation_order).at("evaluation_order")?,
            models: stored(&options.models).at("models")?,
            error_function: options
                .error_function
                .as_deref()
                .map(identifier)
                .transpose()
                .at("error_function")?,
            cc: usual.cc,
            children: usual.children,
        };
        cfront::arguments::mistakes(&front).map_err(Wrong::new)?;
        let preparation = Preparation {
            alias: choice(&ALIASES, &options.alias).at("alias")?,
            no_slice: !options.slice,
            no_propagate: !options.propagate,
            bytes: if options.bytes { Bytes::On } else { Bytes::Off },
        };
        Ok(Recorded { front, preparation, predicates: options.predicates.clone(), rules })
    }
}

impl Default for Recorded {
    fn default() -> Recorded {
        let (front, preparation) = (cfront::Options::default(), Preparation::default());
        Recorded { front, preparation, predicates: String::new(), rules: vec![] }
    }
}

fn paths(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|p| p.display().to_string()).collect()
}

fn name<T: PartialEq>(all: &[Choice<T>], value: T) -> String {
    all.iter().find(|(.., v)| *v == value).expect("every value has a name").0.to_owned()
}

fn choice<T: Copy>(all: &[Choice<T>], text: &str) -> Read<T> {
    let found = all.iter().find(|(word, ..)| *word == text);
    found.map(|(.., value)| *value).ok_or_else(|| Wrong::new(format!("there is no {text:?}")))
}

/// An identifier of C.
pub(super) fn identifier(text: &str) -> Read<String> {
    match cfront::arguments::is_identifier(text) {
        true => Ok(text.to_owned()),
        false => Err(Wrong::new(format!("{text:?} is no identifier"))),
    }
}

/// A number that C's `int` can hold.
fn small(number: impl TryInto<u32>) -> Read<u32> {
    let number = number.try_into().ok().filter(|n| *n <= i32::MAX as u32);
    number.ok_or_else(|| Wrong::new("this is no number between 0 and 2147483647"))
}

fn lines(list: &[String]) -> Read<Vec<String>> {
    each(list, |text| one_line(text).map(str::to_owned))
}

fn names(list: &[String]) -> Read<Vec<PathBuf>> {
    each(list, |name| match one_line(name)? {
        "" => Err(Wrong::new("this is no name")),
        name => Ok(Path::new(name).to_owned()),
    })
}

/// Names of files that can be read once more: standard input cannot.
fn stored(list: &[String]) -> Read<Vec<PathBuf>> {
    match list.iter().any(|name| name == "-") {
        true => Err(Wrong::new("what was read from standard input is not there any more")),
        false => names(list),
    }
}

fn checks(list: &[String], rules: bool) -> Read<Vec<CheckKind>> {
    let of_rules = [CheckKind::Rule, CheckKind::Unmodelled];
    let asked = CheckKind::ALL.into_iter().filter(|k| !of_rules.contains(k));
    let kind = |name: &String| {
        asked
            .clone()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| Wrong::new(format!("there is no {name:?}")))
    };
    let mut out = each(list, kind)?;
    out.extend(rules.then_some(CheckKind::Rule));
    out.sort_unstable();
    out.dedup();
    if out.is_empty() { Err(Wrong::new("nothing is checked")) } else { Ok(out) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alias::AliasMode;
    use cfront::ExternPolicy;
    use ir::DataModel;
    use serde_json::{Value, json};

    /// Reads options that were written as JSON.
    fn read(json: &Value) -> Result<Recorded, String> {
        let options: Options = results::read(&json.to_string()).map_err(|e| e.to_string())?;
        Recorded::read(&options).map_err(|e| e.to_string())
    }

    fn written() -> Value {
        serde_json::to_value(unusual().written()).expect("options are JSON")
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
        let options = unusual().written();
        assert_eq!(Recorded::read(&options).map(|read| read.written()), Ok(options));
        let mut wrong = written();
        wrong["alias"] = "perhaps".into();
        assert_eq!(read(&wrong).err().as_deref(), Some("/alias: there is no \"perhaps\""));
        assert!(read(&Value::Null).is_err());
    }

    #[test]
    fn every_option_is_read_and_nothing_else() {
        for key in written().as_object().expect("an object").keys() {
            let mut less = written();
            less.as_object_mut().expect("an object").remove(key);
            let missing = format!("/: missing field `{key}`");
            assert!(read(&less).err().is_some_and(|why| why.starts_with(&missing)), "{key}");
            let mut other = written();
            other[key] = json!({ "x": 1 });
            assert!(read(&other).err().is_some_and(|why| why.starts_with(&format!("/{key}"))), "{key}");
        }
        let mut more = written();
        more["cc"] = "sh".into();
        assert!(read(&more).err().is_some_and(|why| why.starts_with("/cc: unknown field `cc`")));
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
            let mut changed = written();
            changed[key] = value;
            assert!(read(&changed).is_err(), "{key}");
        }
        let mut nothing = written();
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
    fn what_is_assumed_is_one_line() {
        let front = cfront::Options { entry: "x)\nVERDICT: SAFE".into(), ..cfront::Options::default() };
        let recorded = Recorded { front, ..Recorded::default() };
        assert_eq!(recorded.assumptions()[0].text, "--entry \"x)\\nVERDICT: SAFE\"");
    }
}
