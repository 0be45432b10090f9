//! A survey of how much of a C file the front end accepts, without an entry: every function and every object
//! with static storage is lowered, as if some entry reached them all; of the system's headers only what they
//! use.

use crate::error::{Failure, Res};
use crate::library::models::{self, Used};
use crate::lower::context::{Context, Settings, Symbols, Uses};
use crate::lower::translation_unit::declared;
use crate::options::Options;
use crate::syntax::parse::parse_files;
use base::{Diagnostic, SourceMap, Span};
use ir::{Check, CheckKind};
use std::path::PathBuf;

/// The result of a survey of whole files.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Why functions and objects were refused, at most one diagnostic for each.
    pub refused: Vec<Diagnostic>,
    /// Statements that are taken and that no execution may reach.
    pub unmodelled: Vec<Check>,
    /// How many functions have a body of the program's.
    pub functions: usize,
    /// The files that the places refer to.
    pub sources: SourceMap,
}

/// Lowers every function and object of the files as one program.
///
/// Failures of the front end before it lowers bodies: unreadable input, errors of the preprocessor, syntax
/// errors, and declarations at file scope that are refused.
pub fn survey(files: &[PathBuf], options: &Options) -> Result<Survey, Failure> {
    let mut sources = SourceMap::new();
    match look(files, options, &mut sources) {
        Ok((refused, unmodelled, functions)) => Ok(Survey { refused, unmodelled, functions, sources }),
        Err(stop) => Err(Failure { kind: stop.kind, diagnostics: stop.diagnostics, sources }),
    }
}

fn look(
    files: &[PathBuf],
    options: &Options,
    sources: &mut SourceMap,
) -> Res<(Vec<Diagnostic>, Vec<Check>, usize)> {
    let mut parsed = parse_files(files, options, sources)?;
    let mut used = Used::default();
    parsed.iter().for_each(|p| used.add(&p.repaired.text));
    let own = parsed.len();
    let uses = Uses { errno: used.in_bodies("__errno_location"), ..Uses::default() };
    parsed.extend(models::parse(&mut used, sources)?);
    let settings = Settings::new(options, uses);
    let mut cx = declared(|| Context::new(settings, &parsed, (files.len(), own), sources))?;
    cx.survey()
}

impl Context<'_> {
    fn survey(&mut self) -> Res<(Vec<Diagnostic>, Vec<Check>, usize)> {
        let here = Span::at(self.symbols.parsed[0].source.file, 1, 1);
        self.emitter.begin_start(here);
        let mut functions = 0;
        for f in 0..self.symbols.functions.len() {
            let function = &self.symbols.functions[f];
            let own = !self.symbols.is_model(function.file)
                && !self.symbols.is_of_system(function.file, function.span);
            if own && function.def.is_some() && function.refused.is_none() {
                self.emitter.proc_of(&mut self.symbols, f);
                functions += 1;
            }
        }
        for object in 0..self.symbols.objects.len() {
            let known = &self.symbols.objects[object];
            if known.defined && !self.symbols.is_model(known.file) && known.refused.is_none() {
                self.emitter.object_var(&mut self.types, &mut self.symbols, object);
            }
        }
        let mut refused = vec![];
        while let Some(result) = self.lower_next() {
            if let Err(stop) = result {
                refused.extend(stop.diagnostics.into_iter().next());
            }
        }
        let unmodelled =
            self.emitter.checks.iter().filter(|c| c.kind == CheckKind::Unmodelled).cloned().collect();
        Ok((refused, unmodelled, functions))
    }
}

impl Symbols<'_> {
    /// Whether a header of the system defines it: unused parts of that do not matter.
    fn is_of_system(&self, file: usize, span: Span) -> bool {
        self.parsed[file].source.lines.is_of_system(span.file)
    }
}
