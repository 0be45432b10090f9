//! What the tools that read C share: the front end's options as `cfront` takes them, and how programs are loaded.
//!
//! Invariant: this is the only translation from the command line to the front end, so that an option means the same
//! in every tool.

pub mod compiler;
pub mod environment;
pub mod options;
mod preparation;
pub mod rules;

pub use options::FrontEnd;
pub use preparation::{ALIASES, BLOCKS, BYTES, Bytes, Preparation};

use crate::property::TaskFile;
use crate::session::Message;
use crate::verdict::{EXIT_INPUT, EXIT_UNKNOWN, Verdict};
use crate::{Session, Usage, inputs, property, verdict};
use alias::AliasOracle;
use base::styles::ERROR;
use base::{Diagnostic, SourceMap};
use cfront::{Failure, FailureKind, Frontend};
use ir::{CheckKind, Program};
use passes::checks::ProgramEnds;
use passes::{Refused as NotPassed, Settings};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The front end's options.
///
/// # Errors
/// A usage error when `--check` names something that is not a check.
pub fn options(given: &FrontEnd) -> Result<cfront::Options, Usage> {
    // Several functions are called in any order.
    let environment = match given.entry.contains(',') {
        true => {
            let any = environment::names(&given.entry)
                .map_err(|wrong| Usage::mistake(format!("--entry: `{wrong}` is no name of a function")))?;
            Some(cfront::Environment { any, ..cfront::Environment::default() })
        }
        false => None,
    };
    let first = environment.as_ref().and_then(|e| e.functions().next()).cloned();
    let options = cfront::Options {
        include_dirs: given.include_dirs.clone(),
        defines: given.defines.clone(),
        undefs: given.undefs.clone(),
        includes: given.includes.clone(),
        no_preprocess: given.no_preprocess,
        data_model: given.data_model,
        entry: first.unwrap_or_else(|| given.entry.clone()),
        environment,
        least_arguments: given.argc_min,
        array_size: u64::from(given.array_size),
        max_threads: given.max_threads,
        any_threads: given.any_threads,
        globals: given.globals,
        unknown_pointers: given.unknown_pointers,
        signed_wrap: given.signed_wrap,
        malloc_may_fail: given.malloc_may_fail,
        volatile_havoc: given.volatile_havoc,
        checks: checks(&given.check)?,
        leaks_at: leaks_at(&given.check),
        extern_policy: given.extern_policy,
        evaluation_order: given.evaluation_order,
        models: given.models.clone(),
        ..cfront::Options::default()
    };
    cfront::arguments::mistakes(&options).map_err(Usage::mistake)?;
    Ok(options)
}

/// What a command line asks, with the property file and the task definition that it names.
#[derive(Debug)]
pub struct Request {
    /// The programs' files.
    pub files: Vec<PathBuf>,
    /// How they are read and what is checked.
    pub options: cfront::Options,
    /// The command line does not say what is checked: where the program has nothing of its own, undefined behaviour is.
    pub open: bool,
    /// Memory that is not freed may still be pointed to: a leak at the end decides nothing.
    pub only_tracked: bool,
    /// The verdict that the task definition expects.
    pub expected: Option<bool>,
    /// The rules that are checked.
    pub rules: Vec<slic::Source>,
}

/// Why there is no request.
#[derive(Debug)]
pub enum Refused {
    /// A mistake in the command line.
    Usage(Usage),
    /// A file that is refused: the reason of the verdict, and the message with its place.
    Input(&'static str, String),
}

impl Refused {
    /// Writes the message, and gives the verdict that follows from it.
    ///
    /// # Errors
    /// The mistake in the command line.
    pub fn tell(self, stderr: &mut dyn Write) -> Result<Verdict, Usage> {
        match self {
            Refused::Usage(usage) => Err(usage),
            Refused::Input(reason, message) => {
                let _ = stderr.write_all(message.as_bytes());
                Ok(Verdict::Error(reason.into()))
            }
        }
    }
}

/// Reads the property file and the task definition of a command line.
///
/// # Errors
/// A mistake in the command line or in one of those files.
pub fn request(files: &[PathBuf], given: &FrontEnd) -> Result<Request, Refused> {
    let mut options = options(given).map_err(Refused::Usage)?;
    let rules = rules::given(given)?;
    if let Some(path) = &given.environment {
        let text = read(path, "environment")?;
        let described = environment::parse(&path.display().to_string(), &text)
            .map_err(|message| Refused::Input("environment", message))?;
        options.entry = described.functions().next().cloned().unwrap_or_default();
        options.environment = Some(described);
    }
    let open = given.check.is_empty() && rules.is_empty();
    if !rules.is_empty() {
        if given.property.is_some() {
            let message = "--rule and --property both say what is checked: one of them is wanted";
            return Err(Refused::Usage(Usage::mistake(message)));
        }
        if given.check.is_empty() {
            options.checks.clear();
        }
        options.checks.push(CheckKind::Rule);
        options.need_checks = false;
    }
    let mut request =
        Request { files: files.to_vec(), options, open, only_tracked: false, expected: None, rules };
    let mut property = given.property.clone();
    if let Some(task) = definition(files)? {
        if let Some((file, verdict)) = chosen(&task, given.property.as_deref())? {
            request.expected = *verdict;
            if !property.as_ref().is_some_and(|p| p.exists()) {
                property = Some(file.clone());
            }
        }
        request.files = task.files;
        request.options.data_model = task.data_model.unwrap_or(request.options.data_model);
    }
    if let Some(database) = &given.compile_commands {
        let told = compiler::from_database(request.options, database, &request.files);
        request.options = told.map_err(|why| Refused::Usage(Usage::mistake(why)))?;
    }
    if let Some(path) = &property {
        let text = read(path, "property")?;
        request.open = false;
        let asked = property::parse_property(&path.display().to_string(), &text)
            .map_err(|m| Refused::Input("property", m))?;
        request.options.checks = asked.checks.into_iter().collect();
        // What a property says of the end of the program is about each of its ends.
        let leaks = request.options.checks.contains(&CheckKind::Leak);
        request.options.leaks_at = if leaks { ProgramEnds::Any } else { ProgramEnds::Return };
        request.options.entry = asked.entry;
        request.options.error_function = asked.error_function.filter(|f| f != "reach_error");
        request.only_tracked = asked.only_tracked;
    }
    Ok(request)
}

/// The task definition that a command line names.
fn definition(files: &[PathBuf]) -> Result<Option<TaskFile>, Refused> {
    let is_task = |f: &PathBuf| f.extension().is_some_and(|e| e == "yml" || e == "yaml");
    match files {
        [path] if is_task(path) => {
            let task = property::parse_task(path, &read(path, "task")?);
            task.map(Some).map_err(|m| Refused::Input("task", m))
        }
        _ if files.iter().any(is_task) => {
            Err(Refused::Usage(Usage::mistake("a task definition stands alone on the command line")))
        }
        _ => Ok(None),
    }
}

/// The property of a task that is wanted, with the verdict that is expected.
fn chosen<'t>(
    task: &'t TaskFile,
    wanted: Option<&Path>,
) -> Result<Option<&'t (PathBuf, Option<bool>)>, Refused> {
    let name = |p: &Path| p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    match wanted {
        None if task.properties.len() > 1 => {
            let list: Vec<String> = task.properties.iter().map(|(p, _)| name(p)).collect();
            let list = list.join(", ");
            let message = format!("the task has several properties: choose one with --property ({list})");
            Err(Refused::Usage(Usage::mistake(message)))
        }
        None => Ok(task.properties.first()),
        Some(wanted) => Ok(task.properties.iter().find(|(p, _)| p.file_name() == wanted.file_name())),
    }
}

/// The programs' files of a command line, those of a task definition included.
///
/// # Errors
/// A mistake in the command line or in the task definition.
pub fn programs(files: &[PathBuf]) -> Result<Vec<PathBuf>, Refused> {
    Ok(definition(files)?.map_or_else(|| files.to_vec(), |task| task.files))
}

fn read(path: &Path, what: &'static str) -> Result<String, Refused> {
    let complain = |e| {
        let name = path.display().to_string();
        Refused::Input(what, format!("{}:1:1: {ERROR} {e}\n", base::shown(&name)))
    };
    inputs::text(path).map_err(complain)
}

/// All kinds that `--check` names.
fn kinds() -> impl Iterator<Item = CheckKind> {
    CheckKind::ALL.into_iter().filter(|k| !matches!(k, CheckKind::Rule | CheckKind::Unmodelled))
}

/// Those that `all` stands for: what any program can do wrong, and not what only threads can, nor what programs do on purpose.
fn of_all() -> impl Iterator<Item = CheckKind> {
    kinds().filter(|k| !matches!(k, CheckKind::Race | CheckKind::Deadlock | CheckKind::Member))
}

/// What leaves the assertions out: `only:` before the first kind of a list.
const ONLY: &str = "only:";

/// Where leaks are looked for: at calls of `exit` memory is left to the system more often than not, so that `all` does not
/// mean those, but the kind by its name does.
fn leaks_at(words: &[String]) -> ProgramEnds {
    let names_leak = |word: &String| word.strip_prefix(ONLY).unwrap_or(word) == CheckKind::Leak.name();
    if words.iter().any(names_leak) { ProgramEnds::Exit } else { ProgramEnds::Return }
}

/// The kinds that `--check` asks for: they are decided besides the program's own assertions, unless the list begins
/// with `only:`.
fn checks(words: &[String]) -> Result<Vec<CheckKind>, Usage> {
    let only = words.iter().any(|word| word.starts_with(ONLY));
    let mut checks: BTreeSet<CheckKind> = (!only).then_some(CheckKind::Reach).into_iter().collect();
    for word in words {
        let word = word.strip_prefix(ONLY).unwrap_or(word);
        match kinds().find(|k| k.name() == word) {
            Some(kind) => {
                checks.insert(kind);
            }
            None if word == "all" => checks.extend(of_all()),
            None => {
                let names: Vec<&str> = kinds().map(|k| k.name()).collect();
                let message =
                    format!("--check {word}: there is no such check; there are {}, all", names.join(", "));
                return Err(Usage::mistake(message));
            }
        }
    }
    Ok(checks.into_iter().collect())
}

/// Reads the files as one program; messages go to standard error.
///
/// # Errors
/// The verdict of input that is refused, or of a run that was stopped.
pub fn load(
    files: &[PathBuf],
    options: &cfront::Options,
    session: &Session,
    stderr: &mut dyn Write,
) -> Result<Frontend, Verdict> {
    read_program(files, options, session, stderr).map_err(|failure| refused(failure, session, stderr))
}

/// Reads files once more, of which all was said; nothing where they are not taken any more.
pub fn load_again(files: &[PathBuf], options: &cfront::Options, session: &Session) -> Option<Frontend> {
    cfront::load(files, &within(session, options)).ok()
}

/// Reads the files; warnings go to standard error.
fn read_program(
    files: &[PathBuf],
    options: &cfront::Options,
    session: &Session,
    stderr: &mut dyn Write,
) -> Result<Frontend, Failure> {
    let read = cfront::load(files, &within(session, options));
    let sources = read.as_ref().map_or_else(|failure| &failure.sources, |front| &front.sources);
    session.note_read(sources.ids().map(|id| PathBuf::from(&sources.file(id).name)));
    let front = read?;
    note(session, stderr, &front.warnings, &front.sources);
    Ok(front)
}

/// Says what is wrong with input that is refused, and gives the verdict.
fn refused(failure: Failure, session: &Session, stderr: &mut dyn Write) -> Verdict {
    note(session, stderr, &failure.diagnostics, &failure.sources);
    match failure.kind {
        FailureKind::Stopped => session.stopped_verdict(),
        kind => Verdict::Error(kind.words().into()),
    }
}

/// Reads the files of a request. Where it leaves open what is checked, and the program has no assertion, error call or label
/// `ERROR`, all kinds are asked for, and the request says so afterwards.
///
/// # Errors
/// As [`load`].
pub fn load_request(
    request: &mut Request,
    session: &Session,
    stderr: &mut dyn Write,
) -> Result<Frontend, Verdict> {
    rules::mark(request, stderr)?;
    let once = request.files.iter().chain(&request.options.models).any(|file| file.as_os_str() == "-");
    match read_program(&request.files, &request.options, session, stderr) {
        Err(Failure { kind: FailureKind::NoChecks, .. }) if request.open && !once => {
            let _ = stderr.write_all(ALL_INSTEAD);
            request.options.checks = of_all().collect();
            load(&request.files, &request.options, session, stderr)
        }
        read => {
            let mut front = read.map_err(|failure| refused(failure, session, stderr))?;
            rules::fit(&request.rules, &mut front, stderr)?;
            Ok(front)
        }
    }
}

/// What is said of a program without checks of its own.
const ALL_INSTEAD: &[u8] =
    b"note: no assertion, error call or label ERROR: undefined behaviour is looked for (--check all)\n";

/// The options, so that the preprocessor ends with the session.
fn within(session: &Session, options: &cfront::Options) -> cfront::Options {
    cfront::Options { children: session.children().clone(), ..options.clone() }
}

/// Prints diagnostics, and notes them for the result.
fn note(session: &Session, stderr: &mut dyn Write, diagnostics: &[Diagnostic], sources: &SourceMap) {
    tell(stderr, diagnostics, sources);
    session.add_messages(diagnostics.iter().map(|d| Message::new(d, sources)));
}

/// Prints diagnostics.
pub fn tell(stderr: &mut dyn Write, diagnostics: &[Diagnostic], sources: &SourceMap) {
    for d in diagnostics {
        let _ = stderr.write_all(d.styled(sources).as_bytes());
    }
}

/// A program as the tools that show one stage alone work on it.
pub struct Loaded {
    /// The program whose executions count, function pointers resolved.
    pub whole: Program,
    /// The same without what was to be taken away; locations and edges keep their ids.
    pub program: Program,
    /// The oracle of `program`.
    pub oracle: Arc<AliasOracle>,
    /// The files that its spans are in.
    pub sources: SourceMap,
}

/// What to print on standard error, and the exit code.
pub type Failed = (String, i32);

/// Reads the files as one program, resolves its function pointers, and takes away what is wanted, as `slam check` does;
/// messages go to standard error.
///
/// # Errors
/// Usage, refused input, or function pointers that cannot be resolved.
pub fn load_prepared(
    files: &[PathBuf],
    given: &FrontEnd,
    settings: Settings,
    session: &Session,
    stderr: &mut dyn Write,
) -> Result<Loaded, Failed> {
    let mut request = request(files, given).map_err(|refused| match refused {
        Refused::Usage(usage) => (usage.text, verdict::EXIT_USAGE),
        Refused::Input(_, message) => (message, EXIT_INPUT),
    })?;
    let front = load_request(&mut request, session, stderr).map_err(|v| (String::new(), v.exit_code()))?;
    let marked = front.marked_procedures();
    let mut sources = front.sources;
    let prepared =
        slic::prepared((front.program, marked), settings, &request.rules, &mut sources, |_| BTreeSet::new());
    match prepared {
        Ok(slic::Prepared { whole, program, oracle, .. }) => Ok(Loaded { whole, program, oracle, sources }),
        Err(why) => {
            let code = match &why {
                NotPassed::Callee(_) | NotPassed::Unsupported(..) => EXIT_UNKNOWN,
                NotPassed::Rules(_) => EXIT_INPUT,
            };
            Err((why.diagnostics().iter().map(|d| d.styled(&sources)).collect(), code))
        }
    }
}
