//! How a program was read and prepared, as results record it, so that `slam certify` and `slam replay` work on the same
//! program as the run that wrote the result.

use cfront::ExternPolicy;
use cli::slam::{Alias, Check, Preparation};
use cmm::{CheckKind, DataModel};
use serde_json::{Value, json};
use std::path::PathBuf;

/// What is recorded.
pub(crate) struct Recorded {
    /// How the files are read and what is checked.
    pub front: cfront::Options,
    /// What is done before the loop.
    pub preparation: Preparation,
    /// The text of the file of `--predicates`: what it names is not propagated away.
    pub predicates: String,
}

const EXTERNS: [(&str, ExternPolicy); 4] = [
    ("havoc", ExternPolicy::Havoc),
    ("havoc-all", ExternPolicy::HavocAll),
    ("pure", ExternPolicy::Pure),
    ("error", ExternPolicy::Error),
];

const ALIASES: [(&str, Alias); 3] =
    [("none", Alias::None), ("das", Alias::Das), ("andersen", Alias::Andersen)];

const MODELS: [(&str, DataModel); 2] = [("ILP32", DataModel::Ilp32), ("LP64", DataModel::Lp64)];

impl Recorded {
    /// What the run does.
    pub(crate) fn new(options: &Check, front: &cfront::Options, predicates: &str) -> Recorded {
        let preparation = options.preparation.clone();
        Recorded { front: front.clone(), preparation, predicates: predicates.into() }
    }

    /// As results have it, under `options`.
    pub(crate) fn to_json(&self) -> Value {
        let front = &self.front;
        json!({
            "include_dirs": paths(&front.include_dirs),
            "defines": front.defines,
            "undefs": front.undefs,
            "includes": paths(&front.includes),
            "no_preprocess": front.no_preprocess,
            "data_model": name(&MODELS, front.data_model),
            "entry": front.entry,
            "argc_min": front.least_arguments,
            "signed_wrap": front.signed_wrap,
            "malloc_may_fail": front.malloc_may_fail,
            "checks": front.checks.iter().map(|c| c.name()).collect::<Vec<_>>(),
            "extern": name(&EXTERNS, front.extern_policy),
            "models": paths(&front.models),
            "error_function": front.error_function,
            "alias": name(&ALIASES, self.preparation.alias),
            "slice": !self.preparation.no_slice,
            "propagate": !self.preparation.no_propagate,
            "predicates": self.predicates,
        })
    }

    /// Reads it back.
    ///
    /// # Errors
    /// What is missing or wrong.
    pub(crate) fn from_json(json: &Value) -> Result<Recorded, String> {
        let json = Field { json };
        let front = cfront::Options {
            include_dirs: json.paths("include_dirs")?,
            defines: json.texts("defines")?,
            undefs: json.texts("undefs")?,
            includes: json.paths("includes")?,
            no_preprocess: json.flag("no_preprocess")?,
            data_model: json.choice("data_model", &MODELS)?,
            entry: json.text("entry")?,
            least_arguments: json.number("argc_min")?,
            signed_wrap: json.flag("signed_wrap")?,
            malloc_may_fail: json.flag("malloc_may_fail")?,
            checks: json.checks()?,
            extern_policy: json.choice("extern", &EXTERNS)?,
            models: json.paths("models")?,
            error_function: match &json.json["error_function"] {
                Value::Null => None,
                _ => Some(json.text("error_function")?),
            },
            ..cfront::Options::default()
        };
        let preparation = Preparation {
            alias: json.choice("alias", &ALIASES)?,
            no_slice: !json.flag("slice")?,
            no_propagate: !json.flag("propagate")?,
        };
        Ok(Recorded { front, preparation, predicates: json.text("predicates")? })
    }
}

fn paths(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|p| p.display().to_string()).collect()
}

fn name<T: Copy + PartialEq>(all: &[(&'static str, T)], value: T) -> &'static str {
    all.iter().find(|(_, v)| *v == value).expect("every value has a name").0
}

/// The object that is read.
struct Field<'j> {
    json: &'j Value,
}

impl Field<'_> {
    fn text(&self, key: &str) -> Result<String, String> {
        self.json[key].as_str().map(str::to_owned).ok_or(format!("option `{key}` is no text"))
    }

    fn flag(&self, key: &str) -> Result<bool, String> {
        self.json[key].as_bool().ok_or(format!("option `{key}` is neither true nor false"))
    }

    /// A small number; 0, the least, where results have none.
    fn number(&self, key: &str) -> Result<u32, String> {
        let value = match &self.json[key] {
            Value::Null => Some(0),
            value => value.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n <= i32::MAX as u32),
        };
        value.ok_or(format!("option `{key}` is no number"))
    }

    fn texts(&self, key: &str) -> Result<Vec<String>, String> {
        let list = self.json[key].as_array().ok_or(format!("option `{key}` is no list"))?;
        let text = |v: &Value| v.as_str().map(str::to_owned).ok_or(format!("option `{key}` has `{v}`"));
        list.iter().map(text).collect()
    }

    fn paths(&self, key: &str) -> Result<Vec<PathBuf>, String> {
        Ok(self.texts(key)?.into_iter().map(PathBuf::from).collect())
    }

    fn choice<T: Copy>(&self, key: &str, all: &[(&str, T)]) -> Result<T, String> {
        let text = self.text(key)?;
        let found = all.iter().find(|(name, _)| *name == text);
        found.map(|(_, v)| *v).ok_or(format!("option `{key}`: there is no `{text}`"))
    }

    fn checks(&self) -> Result<Vec<CheckKind>, String> {
        let kind = |text: String| {
            let found = CheckKind::ALL.into_iter().find(|k| k.name() == text && *k != CheckKind::Unmodelled);
            found.ok_or(format!("option `checks`: there is no `{text}`"))
        };
        self.texts("checks")?.into_iter().map(kind).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let front = cfront::Options {
            defines: vec!["A=1".into()],
            checks: vec![CheckKind::Reach, CheckKind::Null],
            least_arguments: 1,
            data_model: DataModel::Ilp32,
            extern_policy: ExternPolicy::Pure,
            error_function: Some("fail".into()),
            ..cfront::Options::default()
        };
        let preparation = Preparation { alias: Alias::Andersen, no_slice: true, no_propagate: false };
        let written = Recorded { front, preparation, predicates: "x == 1;".into() }.to_json();
        let read = Recorded::from_json(&written).expect("it is what was written");
        assert_eq!(read.to_json(), written);
        let mut wrong = written.clone();
        wrong["alias"] = "perhaps".into();
        assert_eq!(
            Recorded::from_json(&wrong).err().as_deref(),
            Some("option `alias`: there is no `perhaps`")
        );
        assert!(Recorded::from_json(&Value::Null).is_err());
    }
}
