//! Loads a program from files: reading, parsing, the harness of the entry function, declarations, lowering, checks.

use crate::cx::{Cx, Variants};
use crate::environment::Environment;
use crate::facts::Known;
use crate::harness;
use crate::models::{self, Used};
use crate::options::{FailureKind, Options, Res, Stop};
use crate::parse::{self, Parsed};
use crate::unit::Lowered;
use crate::{input, mend};
use base::{Diagnostic, SourceMap};
use ir::{Callee, Check, CheckKind, Op, Program};
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
    if let Some(mode) = cx.rounding_mode() {
        lowered.program = passes::rounding::in_mode(lowered.program, mode);
    }
    let parts = cx.parts.sorted();
    if passes::threads::has_threads(&lowered.program) {
        let apart = cx.objects.iter().filter(|o| o.apart).filter_map(|o| o.var).collect();
        let product = crate::threads::interleaved(lowered.program, (&apart, makes_kinds), options)?;
        lowered.program = product.program;
        lowered.more_threads = product.more && options.only_reach();
        lowered.warnings.push(crate::threads::assumption(&lowered.program));
    } else if makes_kinds {
        crate::threads::kinds_of_mutexes(&mut lowered.program, true)?;
    }
    let own_variables = lowered.program.vars.len();
    lowered.program =
        passes::address_comparisons::open_addresses(lowered.program, options.wants(CheckKind::Order));
    let defined = cx.objects.iter().filter(|o| o.defined).filter_map(|o| o.var).collect::<Vec<_>>();
    lowered.program = passes::padding::zero_padding(lowered.program, &defined);
    let known = Known::of(&lowered.program, options.wants(CheckKind::Bounds));
    if options.only_reach() {
        lowered.program = passes::checks::with_sizes(lowered.program);
    } else {
        lowered.not_checked = not_checked(&lowered.program, options);
        let kinds = options.checks.iter().copied().collect();
        let (program, covered, words) = (&lowered.program, &lowered.covered, &lowered.words);
        let describe = |v| words.variable(program, map, v);
        let place = |statement, part: passes::checks::Part<'_>| parts.find(statement, part);
        let wanted = passes::checks::Wanted {
            kinds: &kinds,
            leaks_at: options.leaks_at,
            covered,
            strings: &lowered.strings,
            describe: &describe,
            place: &place,
        };
        lowered.program = passes::checks::instrument(program, &wanted);
    }
    if let Some(known) = known {
        known.say(&mut lowered.program);
    }
    lowered.program = passes::alignments::tell_alignments(lowered.program);
    lowered.words.ghosts.extend(lowered.program.vars.ids().skip(own_variables));
    Ok(lowered)
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
fn not_checked(program: &Program, options: &Options) -> Vec<Check> {
    if options.wants(CheckKind::Reach) {
        return vec![];
    }
    let mut out: Vec<Check> = program.checks.iter().filter(|c| c.kind == CheckKind::Reach).cloned().collect();
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
