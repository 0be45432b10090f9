//! The harness of an entry function that is not `main`: C text that calls it with any arguments of their types,
//! and gives the globals any values where that is requested.
//!
//! The files are read twice. The first reading gives the types of the declarations; the text made from them
//! stands behind the file that defines the function, and the program starts there. So a harness has C's
//! semantics, and the output of `slam harness` is what is checked.
//!
//! The assumptions of a harness are reported with every answer: each pointer is NULL or points to objects of
//! its own, so that no two arguments share memory and no list ends in itself.

mod callbacks;
mod environment;
mod makers;
mod results;
mod spell;
mod text;

use crate::error::Res;
use crate::library::models::Used;
use crate::lower::context::Symbols;
use crate::lower::scope::FnId;
use crate::lower::translation_unit::own_declarations;
use crate::options::{Globals, Options, UnknownPointers};
use crate::syntax::declarators::{declared_name, function_part};
use crate::syntax::parse::{self, Parsed};
use crate::text::repair;
use crate::types::table::Types;
use base::SourceMap;
use lang_c::ast;
use std::path::PathBuf;
use text::Writer;

/// The file name of the harness in spans.
pub const HARNESS: &str = "<harness>";

/// A harness: texts that stand behind files of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Harness {
    /// The function where the program starts.
    pub function: String,
    /// The number of a file among those that were read, and what is added to it.
    pub parts: Vec<(usize, String)>,
}

impl Harness {
    /// The harness as a file of its own, which includes the files it was made for.
    ///
    /// # Errors
    /// A sentence when a file that was preprocessed already, or standard input, cannot be included.
    pub fn as_file(&self, files: &[PathBuf], entry: &str) -> Result<String, String> {
        let what = match self.function == entry {
            true => "Functions that nobody defines return NULL or objects of their own.".to_owned(),
            false => {
                format!(
                    "Calls {entry} with any arguments: each pointer is NULL or points to objects of its own."
                )
            }
        };
        let mut out = format!("/* {what}\n   Check it with: slam check --entry {} FILE */\n", self.function);
        for (n, file) in files.iter().enumerate() {
            let name = file.display().to_string();
            if name == "-" || name.contains(['"', '\n']) {
                return Err(format!("{name:?} cannot be included by a C file"));
            }
            out.push_str(&format!("#include \"{name}\"\n"));
            if let Some((_, text)) = self.parts.iter().find(|(file, _)| *file == n) {
                out.push_str(text);
            }
        }
        Ok(out)
    }
}

/// The harness that the options want for these files, if they want one.
pub(crate) fn wanted(
    parsed: &[Parsed],
    own: usize,
    options: &Options,
    map: &SourceMap,
) -> Res<Option<Harness>> {
    if let Some(environment) = &options.environment {
        let cx = own_declarations(parsed, own, options, map)?;
        return cx.symbols.environment(&cx.types, environment).map(Some);
    }
    let is_plain = options.globals == Globals::Initial && options.unknown_pointers != UnknownPointers::Fresh;
    if options.entry == "main" && is_plain {
        return Ok(None);
    }
    let cx = own_declarations(parsed, own, options, map)?;
    let entry = cx.symbols.find_entry()?;
    cx.symbols.harness(&cx.types, entry)
}

/// Adds a harness to the files.
pub(crate) fn add(parsed: Vec<Parsed>, harness: &Harness, map: &mut SourceMap) -> Res<Vec<Parsed>> {
    let mut out = vec![];
    for (n, file) in parsed.into_iter().enumerate() {
        let Some((_, text)) = harness.parts.iter().find(|(file, _)| *file == n) else {
            out.push(file);
            continue;
        };
        let id = map.add(HARNESS, Some(text.as_str().into()));
        let mut source = file.source;
        if !source.text.ends_with('\n') {
            source.text.push('\n');
        }
        source.lines.append(source.text.len(), text, id);
        source.text.push_str(text);
        let repaired = repair::repair(&source)?;
        out.push(Parsed { harness: Some(id), ..parse::parse(source, repaired)? });
    }
    Ok(out)
}

impl Symbols<'_> {
    /// The harness for a function; `None` where its arguments need none.
    fn harness(&self, types: &Types, entry: FnId) -> Res<Option<Harness>> {
        let function = self.functions[entry].clone();
        let any_globals = self.settings.options.globals == Globals::Any;
        let is_called = any_globals || function.name != "main" && !function.ty.params.is_empty();
        if !is_called && self.settings.options.unknown_pointers != UnknownPointers::Fresh {
            return Ok(None);
        }
        let names = self.parameter_names(entry);
        let mut used = Used::default();
        self.parsed.iter().for_each(|p| used.add(&p.repaired.text));
        let frees = ["free", "realloc", "cfree", "reallocarray"].iter().any(|name| used.in_bodies(name));
        let name = if self.is_declared("slam_harness") { "slam_harness_of_function" } else { "slam_harness" };
        let mut parts = vec![];
        let mut fillers = vec![];
        for file in (0..self.stubs_from).filter(|file| *file != function.file) {
            let filler = format!("{name}_globals_{file}");
            let mut writer = Writer::new(types, self, file, name, frees);
            let fills = any_globals && writer.globals(&filler)?;
            if writer.results()? || fills {
                parts.push((file, writer.finish()));
            }
            fillers.extend(fills.then_some(filler));
        }
        let mut writer = Writer::new(types, self, function.file, name, frees);
        if any_globals {
            let filler = format!("{name}_globals");
            if writer.globals(&filler)? {
                fillers.push(filler);
            }
        }
        let makes = writer.results()?;
        if is_called {
            writer.entry(&function, &names, &fillers)?;
        }
        if makes || is_called {
            parts.push((function.file, writer.finish()));
        }
        if parts.is_empty() {
            return Ok(None);
        }
        let name = if is_called { name } else { function.name.as_str() };
        Ok(Some(Harness { function: name.into(), parts }))
    }

    /// Whether some file declares the name.
    fn is_declared(&self, name: &str) -> bool {
        self.scopes.files.iter().any(|scope| scope.names.contains_key(name))
    }

    /// The names of a function's parameters in its definition; those without one are empty.
    fn parameter_names(&self, f: FnId) -> Vec<String> {
        let Some(def) = self.functions[f].def else { return vec![] };
        match function_part(&def.node.declarator) {
            Some(ast::DerivedDeclarator::Function(f)) => {
                let name = |p: &lang_c::span::Node<ast::ParameterDeclaration>| {
                    p.node.declarator.as_ref().and_then(declared_name).unwrap_or_default().to_owned()
                };
                f.node.parameters.iter().map(name).collect()
            }
            Some(ast::DerivedDeclarator::KRFunction(names)) => {
                names.iter().map(|n| n.node.name.clone()).collect()
            }
            _ => vec![],
        }
    }
}
