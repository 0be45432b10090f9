//! Loads a program from files: reading, parsing, the harness of the entry function, declarations, lowering, checks.

use crate::cx::{Cx, Variants};
use crate::environment::Environment;
use crate::harness;
use crate::models::{self, Used};
use crate::options::{FailureKind, Options, Res, Stop};
use crate::parse::{self, Parsed};
use crate::scope::Object;
use crate::unit::Lowered;
use crate::{input, mend};
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
    Ok(cx.own_functions().map(|f| f.name.clone()).collect())
}

/// The declarations in the program's files and its stubs, without models; `own`: how many files are the program
/// itself.
pub(crate) fn own_declarations<'a>(
    parsed: &'a [Parsed],
    own: usize,
    options: &'a Options,
    map: &'a SourceMap,
) -> Res<Cx<'a>> {
    declared(|| {
        let mut cx = Cx::new(options, parsed, map);
        (cx.stubs_from, cx.models_from) = (own, parsed.len());
        cx
    })
}

/// The files, and then those of the options with stubs, read and parsed.
pub(crate) fn parse_files(files: &[PathBuf], options: &Options, map: &mut SourceMap) -> Res<Vec<Parsed>> {
    let mut parsed = vec![];
    for file in files.iter().chain(&options.models) {
        let text = input::read(file, options, map)?;
        let mended = mend::mend(&text)?;
        parsed.push(parse::parse(text, mended)?);
    }
    Ok(parsed)
}

/// The whole pipeline.
pub(crate) fn load_files(files: &[PathBuf], options: &Options, map: &mut SourceMap) -> Res<Lowered> {
    if files.is_empty() {
        return Err(Stop::new(FailureKind::Read, Diagnostic::error(None, "there is no input file")));
    }
    let parsed = parse_files(files, options, map)?;
    let harness = harness::wanted(&parsed, files.len(), options, map)?;
    let Some(harness) = harness else { return lower(parsed, files.len(), options, map) };
    let parsed = harness::add(parsed, &harness, map)?;
    let own = Options { entry: harness.function.clone(), ..options.clone() };
    let lowered = lower(parsed, files.len(), &own, map)?;
    Ok(Lowered { harness: Some(harness), ..lowered })
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
    parsed.iter().for_each(|p| used.add(&p.mended.text));
    let uses_atexit = used.in_bodies("atexit");
    let starts_threads = crate::threads::starts_threads(&used);
    let makes_kinds = crate::threads::makes_kinds(&used);
    let uses_errno = used.in_bodies("__errno_location");
    let prints_lists = crate::formats::LIST_PRINTERS.iter().any(|name| used.in_bodies(name));
    let sets_locale = ["setlocale", "uselocale"].iter().any(|name| used.in_bodies(name));
    let environment = Environment::of(&used);
    let models_from = parsed.len();
    parsed.extend(models::parse(&mut used, map)?);
    let mut cx = declared(|| {
        let mut cx = Cx::new(options, &parsed, map);
        cx.stubs_from = own;
        cx.models_from = models_from;
        cx.uses_errno = uses_errno;
        cx.prints_lists = prints_lists;
        cx.sets_locale = sets_locale;
        cx.environment = environment.clone();
        cx.uses_atexit = uses_atexit;
        cx.starts_threads = starts_threads;
        cx
    })?;
    let mut lowered = cx.run()?;
    let rounding_mode = cx.rounding_mode();
    let parts = cx.parts.sorted();
    let variables =
        |kind: fn(&Object) -> bool| cx.objects.iter().filter(move |o| kind(o)).filter_map(|o| o.var);
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
        lowered.warnings.push(crate::threads::assumption(&program));
    }
    lowered.more_threads = notes.more_threads;
    lowered.words.ghosts.extend(program.vars.ids().skip(notes.own_variables));
    lowered.not_checked = not_checked(notes.not_checked, &program, options);
    Ok(Lowered { program, covered: BTreeSet::new(), strings: BTreeSet::new(), ..lowered })
}

/// A pass that cannot do its work.
fn refused(refused: Refused) -> Box<Stop> {
    let (span, message) = match refused {
        Refused::Unsupported(span, message) => (span, message),
        Refused::Callee(callee) => (callee.span, callee.message()),
        Refused::Rules(diagnostics) => {
            return Box::new(Stop { kind: FailureKind::Unsupported, diagnostics });
        }
    };
    Stop::new(FailureKind::Unsupported, Diagnostic::error(span, message))
}

/// The state with the declarations of all files. Where files give a tag different meanings, each meaning is a type.
pub(crate) fn declared<'a>(start: impl Fn() -> Cx<'a>) -> Res<Cx<'a>> {
    let mut variants = Variants::default();
    loop {
        let mut cx = start();
        cx.variants = variants;
        let Err(stop) = cx.declare_all() else { return Ok(cx) };
        let Some(clash) = cx.clash.take() else { return Err(stop) };
        variants = cx.variants;
        *variants.entry(clash).or_insert(0) += 1;
    }
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
