//! Loads a program from files: reading, parsing, the harness of the entry function, declarations, lowering, checks.

use crate::error::{FailureKind, Res, Stop};
use crate::harness::{self, Harness};
use crate::library::models::{self, Used};
use crate::lower::context::{Context, Settings, Uses};
use crate::lower::scope::Object;
use crate::lower::translation_unit::{Lowered, declared, own_declarations};
use crate::options::Options;
use crate::syntax::parse::{Parsed, parse_files};
use base::{Diagnostic, SourceMap};
use ir::{Callee, Check, CheckKind, Op, Program};
use passes::checks::Part;
use passes::pipeline::Source;
use passes::{Pipeline, Refused, Stage};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// See [`crate::functions`].
pub(crate) fn functions(files: &[PathBuf], options: &Options, map: &mut SourceMap) -> Res<Vec<String>> {
    let parsed = parse_files(files, options, map)?;
    let cx = own_declarations(&parsed, files.len(), options, map)?;
    Ok(cx.symbols.own_functions().map(|f| f.name.clone()).collect())
}

/// The whole pipeline, and the harness that was added to the files to call the entry function.
pub(crate) fn load_files(
    files: &[PathBuf],
    options: &Options,
    map: &mut SourceMap,
) -> Res<(Lowered, Option<Harness>)> {
    if files.is_empty() {
        return Err(Stop::new(FailureKind::Read, Diagnostic::error(None, "there is no input file")));
    }
    let parsed = parse_files(files, options, map)?;
    let harness = harness::wanted(&parsed, files.len(), options, map)?;
    let Some(harness) = harness else { return Ok((lower(parsed, files.len(), options, map)?, None)) };
    let parsed = harness::add(parsed, &harness, map)?;
    let own = Options { entry: harness.function.clone(), ..options.clone() };
    let lowered = lower(parsed, files.len(), &own, map)?;
    Ok((lowered, Some(harness)))
}

/// Adds the models of the library that the files use, and lowers everything; `own`: how many files are the
/// program itself.
pub(crate) fn lower(
    mut parsed: Vec<Parsed>,
    own: usize,
    options: &Options,
    map: &mut SourceMap,
) -> Res<Lowered> {
    let mut used = Used::default();
    parsed.iter().for_each(|p| used.add(&p.repaired.text));
    let makes_kinds = crate::library::threads::makes_kinds(&used);
    let settings = Settings::new(options, Uses::of(&used));
    let without_models = parsed.len();
    parsed.extend(models::parse(&mut used, map)?);
    let mut cx = declared(|| Context::new(settings, &parsed, (own, without_models), map))?;
    let mut lowered = cx.run()?;
    let rounding_mode = cx.symbols.rounding_mode();
    let parts = cx.emitter.report.parts.sorted();
    let variables =
        |kind: fn(&Object) -> bool| cx.symbols.objects.iter().filter(move |o| kind(o)).filter_map(|o| o.var);
    let (words, map) = (&lowered.words, &*map);
    let describe = |program: &Program, v| words.variable(program, map, v);
    let place = |statement, part: Part<'_>| parts.find(statement, part);
    let mut passes = Pipeline::new(
        lowered.program,
        options.settings(),
        Source {
            rounding_mode,
            per_thread: variables(|o| o.apart).collect(),
            mutex_kinds: makes_kinds,
            statics: variables(|o| o.defined).collect(),
            covered: lowered.covered,
            strings: lowered.strings,
            describe: Some(&describe),
            place: Some(&place),
        },
    );
    passes.run(Stage::Checked).map_err(refused)?;
    let (program, notes) = passes.into_program();
    if notes.had_threads {
        lowered.warnings.push(crate::library::threads::assumption(&program));
    }
    lowered.more_threads = notes.more_threads;
    lowered.words.ghosts.extend(program.vars.ids().skip(notes.own_variables));
    lowered.not_checked = not_checked(notes.not_checked, &program, options);
    Ok(Lowered { program, covered: BTreeSet::new(), strings: BTreeSet::new(), ..lowered })
}

/// A pass that cannot do its work.
fn refused(refused: Refused) -> Box<Stop> {
    Box::new(Stop { kind: FailureKind::Unsupported, diagnostics: refused.diagnostics() })
}

/// Assertions of the program itself, and calls of an error function that it defines, that were not requested to
/// be checked.
fn not_checked(mut out: Vec<Check>, program: &Program, options: &Options) -> Vec<Check> {
    if options.only_reach() || options.wants(CheckKind::Reach) {
        return out;
    }
    for (proc, _, edge) in program.edges() {
        let Op::Call { callee: Callee::Direct(q), .. } = &edge.op else { continue };
        let name = &program.procs[*q].name;
        if options.is_error_function(name) {
            let message = format!("{name}() is called");
            out.push(Check::new(CheckKind::Reach, edge.span, &message, proc));
        }
    }
    out.sort_by_key(|c| c.span);
    out
}
