//! The tasks of a command line: files, folders and lists.

use cli::FrontEnd;
use cli::front::{self, Request};
use results::batch::Place;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A task.
#[derive(Clone, Debug)]
pub(super) struct Task {
    /// Its files.
    pub files: Vec<PathBuf>,
    /// Options of its own.
    pub options: Vec<OsString>,
    /// Its name in results: the path as it was given or found, or the function that is entered.
    pub name: String,
    /// The name of the folder for what is kept of it.
    pub folder: String,
    /// Stands for the options, the files and the program that checks them; nothing where results are not kept.
    pub key: String,
    /// The verdict that the task definition expects.
    pub expected: Option<bool>,
    /// Where it belongs in a batch of several shards.
    pub place: Option<Place>,
}

impl Task {
    /// A function of a program, entered by itself. Such results are not kept.
    pub(super) fn function(files: &[PathBuf], name: &str) -> Task {
        Task {
            files: files.to_vec(),
            options: vec![format!("--entry={name}").into()],
            name: name.to_owned(),
            folder: String::new(),
            key: String::new(),
            expected: None,
            place: None,
        }
    }

    /// A rule for a program; `word` is what the command line calls it. Such results are not kept.
    pub(super) fn rule(files: &[PathBuf], word: &str, rule: &slic::Source) -> Task {
        let mut options = vec![format!("--rule={word}").into()];
        options.extend(rule.may_be_unused.then(|| "--unused-rules".into()));
        Task { options, ..Task::function(files, &rule.name) }
    }
}

/// The tasks in the order of the command line, each once, without keys.
///
/// # Errors
/// A sentence about a path that leads to no task.
pub(super) fn find(given: &[PathBuf], front_end: &FrontEnd) -> Result<Vec<Task>, String> {
    let mut paths = vec![];
    for path in given {
        add(path, &mut paths)?;
    }
    let mut met = BTreeSet::new();
    paths.retain(|path| met.insert(path.clone()));
    if paths.is_empty() {
        return Err("there is no task: C files have names in .c or .i, task definitions in .yml".into());
    }
    let mut tasks: Vec<Task> = paths.into_iter().map(|path| task(path, front_end)).collect();
    let mut taken = BTreeSet::new();
    for task in &mut tasks {
        task.folder = folder_for(&task.name, &mut taken);
    }
    Ok(tasks)
}

/// A name for a folder, made from that of a task, that no task before it has.
fn folder_for(name: &str, taken: &mut BTreeSet<String>) -> String {
    let word = |c: char| if c.is_alphanumeric() || ".-+".contains(c) { c } else { '_' };
    let name: String = name.trim_start_matches(['.', '/']).chars().map(word).collect();
    let mut unique = name.clone();
    let mut number = 1;
    while unique.is_empty() || !taken.insert(unique.clone()) {
        number += 1;
        unique = format!("{name}-{number}");
    }
    unique
}

fn task(path: PathBuf, front_end: &FrontEnd) -> Task {
    // A refused definition is reported by the check itself, and anything other than a file is left to the check.
    let request =
        path.is_file().then(|| front::request(std::slice::from_ref(&path), front_end).ok()).flatten();
    let expected = request.and_then(|Request { expected, .. }| expected);
    let name = path.display().to_string();
    let (folder, key) = (String::new(), String::new());
    Task { name, folder, key, expected, files: vec![path], options: vec![], place: None }
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default()
}

/// Adds the tasks that a word of the command line means.
fn add(path: &Path, paths: &mut Vec<PathBuf>) -> Result<(), String> {
    if path.is_dir() {
        return folder(path, paths);
    }
    match extension(path) {
        "set" | "txt" => list(path, paths),
        _ if path == Path::new("-") => Err("a batch cannot read a program from standard input".into()),
        _ => {
            // A file that is not there gets its verdict like others.
            paths.push(path.to_owned());
            Ok(())
        }
    }
}

/// The tasks below a folder, by name: task definitions, and C files that none of them names. Links may lead back: no folder is
/// listed twice.
fn folder(path: &Path, paths: &mut Vec<PathBuf>) -> Result<(), String> {
    let (mut folders, mut definitions, mut programs) = (vec![path.to_owned()], vec![], vec![]);
    let mut met = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        if folder.canonicalize().is_ok_and(|folder| !met.insert(folder)) {
            continue;
        }
        let complain = |e| format!("cannot read {}: {e}", folder.display());
        for entry in std::fs::read_dir(&folder).map_err(complain)? {
            let path = entry.map_err(complain)?.path();
            match extension(&path) {
                _ if path.is_dir() => folders.push(path),
                // Pipes and devices are not tasks.
                _ if !path.is_file() => {}
                "yml" | "yaml" => definitions.push(path),
                "c" | "i" => programs.push(path),
                _ => {}
            }
        }
    }
    let mut named = BTreeSet::new();
    definitions.retain(|path| {
        let text = cli::inputs::text(path).unwrap_or_default();
        // Other files in YAML are not tasks.
        let task = cli::property::parse_task(path, &text).ok();
        named.extend(task.iter().flat_map(|t| t.files.iter().filter_map(|f| f.canonicalize().ok())));
        task.is_some()
    });
    let alone = |p: &PathBuf| p.canonicalize().map_or(true, |p| !named.contains(&p));
    definitions.extend(programs.into_iter().filter(alone));
    definitions.sort();
    paths.extend(definitions);
    Ok(())
}

/// The tasks of a list: each line is a path or a pattern, relative to the list's folder; `#` begins a remark.
fn list(path: &Path, paths: &mut Vec<PathBuf>) -> Result<(), String> {
    let text = cli::inputs::text(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    for (n, line) in text.lines().enumerate() {
        let pattern = line.split('#').next().unwrap_or_default().trim();
        if pattern.is_empty() {
            continue;
        }
        let complain = |why: String| format!("{}:{}: {why}", path.display(), n + 1);
        let whole = glob::Pattern::escape(&folder.display().to_string());
        let whole = Path::new(&whole).join(pattern);
        let found = glob::glob(&whole.to_string_lossy()).map_err(|e| complain(e.to_string()))?;
        let mut found: Vec<PathBuf> = found.filter_map(Result::ok).filter(|p| p.is_file()).collect();
        if found.is_empty() {
            return Err(complain(format!("{pattern} is no file, and no pattern of files that are there")));
        }
        found.sort();
        paths.extend(found);
    }
    Ok(())
}
