//! The harness of an environment: a program that calls functions of a file without `main` as its callers may,
//! each with any arguments, in the order of the environment's description.

use super::Harness;
use super::callbacks::REGISTERED;
use super::text::Writer;
use crate::error::{FailureKind, Res, Stop};
use crate::library::models::Used;
use crate::lower::context::Symbols;
use crate::lower::scope::FnId;
use crate::options::{Environment, Globals};
use crate::types::table::Types;
use crate::types::ty::Ty;
use base::{Diagnostic, Span};
use std::collections::BTreeMap;

impl Symbols<'_> {
    /// The harness of the environment.
    pub(super) fn environment(&self, types: &Types, environment: &Environment) -> Res<Harness> {
        let environment = &self.with_functions(environment)?;
        let any_globals = self.settings.options.globals == Globals::Any;
        let mut called: BTreeMap<usize, Vec<FnId>> = BTreeMap::new();
        for name in environment.functions() {
            let f = self.defined_function(name).ok_or_else(|| self.no_function(name))?;
            let of_file = called.entry(self.functions[f].file).or_default();
            if !of_file.contains(&f) {
                of_file.push(f);
            }
        }
        let mut used = Used::default();
        self.parsed.iter().for_each(|p| used.add(&p.repaired.text));
        let frees = ["free", "realloc", "cfree", "reallocarray"].iter().any(|name| used.in_bodies(name));
        let name =
            if self.is_declared("slam_harness") { "slam_harness_of_environment" } else { "slam_harness" };
        let (mut parts, mut fillers, mut results) = (vec![], vec![], BTreeMap::new());
        let last = called.keys().next_back().copied().unwrap_or(0);
        // The file with the function that starts the program comes last, when all others are known.
        let files = (0..self.stubs_from).filter(|file| *file != last).chain([last]);
        for file in files {
            let functions = called.get(&file).map_or(&[][..], Vec::as_slice);
            if functions.is_empty() && !any_globals && self.undefined_makers(types, file).is_empty() {
                continue;
            }
            let names: Vec<Vec<String>> = functions.iter().map(|f| self.parameter_names(*f)).collect();
            let mut writer = Writer::new(types, self, file, name, frees);
            writer.results()?;
            let filler = format!("{name}_globals_{file}");
            if any_globals && writer.globals(&filler)? {
                fillers.push(filler);
            }
            for (f, names) in functions.iter().zip(&names) {
                let function = writer.symbols.functions[*f].clone();
                let result = writer.caller(&function, names, &caller(name, &function.name))?;
                results.insert(function.name, result);
            }
            if file == last {
                writer.program(environment, &fillers, &results, |f| caller(name, f));
            }
            parts.push((file, writer.finish()));
        }
        parts.sort_by_key(|(file, _)| *file);
        Ok(Harness { function: name.into(), parts })
    }

    /// The environment with functions alone: in the place of structures of pointers those that they name.
    fn with_functions(&self, environment: &Environment) -> Res<Environment> {
        let expanded = |names: &[String]| -> Res<Vec<String>> {
            let mut out: Vec<String> = vec![];
            for name in names {
                let functions = self.registered(name);
                if functions.is_empty() {
                    return Err(self.no_function(name));
                }
                out.extend(functions);
            }
            Ok(out)
        };
        Ok(Environment {
            init: expanded(&environment.init)?,
            any: expanded(&environment.any)?,
            exit: expanded(&environment.exit)?,
        })
    }

    fn no_function(&self, name: &str) -> Box<Stop> {
        let file = &self.parsed[0].source;
        let message = if name == REGISTERED {
            "no undefined function gets the address of a function".to_owned()
        } else {
            format!(
                "there is no function `{name}` for the environment to call, and no structure with functions"
            )
        };
        let own: Vec<&str> = self.own_functions().map(|f| f.name.as_str()).collect();
        let mut diagnostic = Diagnostic::error(Span::at(file.file, 1, 1), message);
        if !own.is_empty() {
            diagnostic = diagnostic.with_note(None, format!("there are {}", own.join(", ")));
        }
        Stop::new(FailureKind::NoEntry, diagnostic)
    }
}

/// The name of what calls a function with any arguments.
fn caller(prefix: &str, function: &str) -> String {
    format!("{prefix}_{function}")
}

/// Whether a function that starts something reports a failure by its result.
pub(super) fn tells_failure(ret: &Ty) -> bool {
    matches!(ret, Ty::Int(_))
}
