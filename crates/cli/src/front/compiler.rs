//! Options of C compilers on our command lines, and those that `compile_commands.json` has for a file.
//!
//! Invariant: an option that changes what a program means is understood or refused; only what changes nothing, such as
//! warnings, optimisation and places of outputs, is passed over, and named.

use super::options::FrontEnd;
use crate::Usage;
use clap::Parser;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Options for linking and warnings that have a word of their own, and what the compiler does besides compiling.
const NOTHING: [&str; 12] = [
    "-c",
    "-S",
    "-s",
    "-w",
    "-ansi",
    "-pipe",
    "-pedantic",
    "-pedantic-errors",
    "-pthread",
    "-shared",
    "-static",
    "-rdynamic",
];

/// Beginnings of options that change nothing in what is checked.
const NOTHING_BEGINS: [&str; 10] = ["-std=", "-O", "-W", "-f", "-g", "-m", "-l", "-L", "-M", "-no"];

/// Options that change the meaning of programs in a way that is not modelled, by their beginnings.
const REFUSED: [&str; 24] = [
    "-Ofast",
    "-Wp,",
    "-fpack-struct",
    "-fshort-enums",
    "-fshort-wchar",
    "-funsigned-char",
    "-fno-signed-char",
    "-funsigned-bitfields",
    "-fno-signed-bitfields",
    "-fsingle-precision-constant",
    "-fexec-charset",
    "-fwide-exec-charset",
    "-ffinite-math-only",
    "-fassociative-math",
    "-freciprocal-math",
    "-fno-signed-zeros",
    "-mlong-double-",
    "-mms-bitfields",
    "-ffast-math",
    "-funsafe-math",
    "-fms-extensions",
    "-fplan9-extensions",
    "-mx32",
    "-fopenmp",
];

/// A command line in our own options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Understood {
    /// The words.
    pub words: Vec<OsString>,
    /// The options of compilers that were ignored.
    pub ignored: Vec<String>,
}

impl Understood {
    /// A line that lists the ignored options; empty when there are none.
    pub fn note(&self) -> String {
        if self.ignored.is_empty() {
            return String::new();
        }
        let words: Vec<String> = self.ignored.iter().map(|word| base::shown(word).to_string()).collect();
        let what = if words.len() == 1 { "an option" } else { "options" };
        format!("note: {what} for the compiler, without effect here: {}\n", words.join(" "))
    }
}

/// Reads a command line, program name first, in which options of C compilers may stand.
///
/// # Errors
/// A mistake when an option changes the meaning of programs in a way that is not modelled.
pub fn understand(args: &[OsString]) -> Result<Understood, Usage> {
    let mut out = Understood { words: args.iter().take(1).cloned().collect(), ignored: vec![] };
    let mut rest = args.iter().skip(1);
    while let Some(arg) = rest.next() {
        let Some(word) = arg.to_str().filter(|word| word.starts_with('-')) else {
            out.words.push(arg.clone());
            continue;
        };
        if let Some(refused) = REFUSED.iter().find(|begin| word.starts_with(**begin)) {
            return Err(Usage::mistake(format!(
                "{word}: programs that are compiled with {refused} are not modelled"
            )));
        }
        match word {
            "--" => {
                out.words.push(arg.clone());
                out.words.extend(rest.by_ref().cloned());
            }
            "-isystem" | "-iquote" | "-idirafter" => {
                out.words.push("-I".into());
                out.words.extend(rest.next().cloned());
            }
            "-include" => out.words.push("--include".into()),
            "-m32" => out.words.push("--data-model=ILP32".into()),
            "-m64" => out.words.push("--data-model=LP64".into()),
            "-fwrapv" | "-fno-strict-overflow" => out.words.push("--signed-overflow=wrap".into()),
            "-MF" | "-MT" | "-MQ" | "-x" => {
                let value = rest.next().map(|value| value.to_string_lossy().into_owned()).unwrap_or_default();
                out.ignored.push(format!("{word} {value}"));
            }
            _ if NOTHING.contains(&word) || NOTHING_BEGINS.iter().any(|begin| word.starts_with(begin)) => {
                out.ignored.push(word.to_owned());
            }
            _ => out.words.push(arg.clone()),
        }
    }
    Ok(out)
}

/// The options of a compiler for one file.
#[derive(Parser, Debug)]
#[command(no_binary_name = false, disable_help_flag = true)]
struct Compiled {
    #[command(flatten)]
    front_end: FrontEnd,
    #[arg(short = 'o')]
    _output: Option<PathBuf>,
    _files: Vec<PathBuf>,
}

/// The front end's options with those that the compilation database (a folder with `compile_commands.json`, or the file
/// itself) has for these files, which must be the same for all of them.
///
/// # Errors
/// A sentence when the database cannot be read, does not have a file, or has different options for them.
pub(super) fn from_database(
    options: cfront::Options,
    database: &Path,
    files: &[PathBuf],
) -> Result<cfront::Options, String> {
    let path = if database.is_dir() { database.join("compile_commands.json") } else { database.to_owned() };
    let shown = base::shown(&path.display().to_string()).to_string();
    let text = crate::inputs::text(&path).map_err(|e| format!("{shown}: {e}"))?;
    let json: serde_json::Value = serde_json::from_str(&text).map_err(|e| format!("{shown}: {e}"))?;
    let entries = json.as_array().ok_or_else(|| format!("{shown}: this is no list of commands"))?;
    let mut found: Option<cfront::Options> = None;
    for file in files {
        let wanted = file.canonicalize().ok();
        let is_it = |entry: &&serde_json::Value| {
            let name = entry["file"].as_str().map(|name| folder(entry, &path).join(name));
            name.and_then(|name| name.canonicalize().ok()).is_some_and(|name| Some(name) == wanted)
        };
        let entry = entries.iter().find(is_it);
        let entry = entry.ok_or_else(|| format!("{shown}: there is no command for {}", file.display()))?;
        let own = with_command(&options, entry, &path)
            .map_err(|why| format!("{shown}: {}: {why}", file.display()))?;
        if found.as_ref().is_some_and(|f| !is_same(f, &own)) {
            return Err(format!(
                "{shown}: {} is compiled with other options than {}",
                file.display(),
                files[0].display()
            ));
        }
        found = Some(own);
    }
    Ok(found.unwrap_or(options))
}

/// Whether two commands tell the same.
fn is_same(a: &cfront::Options, b: &cfront::Options) -> bool {
    (&a.include_dirs, &a.includes) == (&b.include_dirs, &b.includes)
        && (&a.defines, &a.undefs) == (&b.defines, &b.undefs)
        && (a.data_model, a.signed_wrap) == (b.data_model, b.signed_wrap)
}

/// Where an entry's names are meant.
fn folder(entry: &serde_json::Value, database: &Path) -> PathBuf {
    let own = database.parent().unwrap_or(Path::new(""));
    own.join(entry["directory"].as_str().unwrap_or(""))
}

fn with_command(
    options: &cfront::Options,
    entry: &serde_json::Value,
    database: &Path,
) -> Result<cfront::Options, String> {
    let words: Vec<String> = match (entry["arguments"].as_array(), entry["command"].as_str()) {
        (Some(list), _) => list.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect(),
        (None, Some(command)) => split(command),
        (None, None) => return Err("there is neither `command` nor `arguments`".into()),
    };
    if let Some(file) = words.iter().find(|word| word.starts_with('@')) {
        return Err(format!("{file}: files with options are not read"));
    }
    let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
    let understood = understand(&words).map_err(|usage| usage.text.trim().to_owned())?;
    let compiled = Compiled::try_parse_from(&understood.words).map_err(|e| e.to_string())?;
    let front = super::options(&compiled.front_end).map_err(|usage| usage.text.trim().to_owned())?;
    let folder = folder(entry, database);
    let placed = |paths: &[PathBuf]| -> Vec<PathBuf> { paths.iter().map(|p| folder.join(p)).collect() };
    let mut out = options.clone();
    out.include_dirs.extend(placed(&front.include_dirs));
    out.includes.extend(placed(&front.includes));
    out.defines.extend(front.defines);
    out.undefs.extend(front.undefs);
    out.signed_wrap |= front.signed_wrap;
    if front.data_model != cfront::Options::default().data_model {
        out.data_model = front.data_model;
    }
    Ok(out)
}

/// The words of a shell's command line: quotes and backslashes, nothing else.
fn split(command: &str) -> Vec<String> {
    let (mut words, mut word, mut open) = (vec![], None::<String>, None::<char>);
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (open, c) {
            (Some(quote), _) if c == quote => open = None,
            (None, '"' | '\'') => {
                open = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Understood, Usage> {
        understand(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn what_changes_nothing_is_passed_over_and_named() {
        let got = read("slam check -std=c99 -O2 -Wall -g -c a.c -fPIC -MF a.d -lm -march=native")
            .expect("understood");
        assert_eq!(got.words, ["slam", "check", "a.c"]);
        let note = "note: options for the compiler, without effect here: -std=c99 -O2 -Wall -g -c -fPIC -MF a.d -lm \
                    -march=native\n";
        assert_eq!(got.note(), note);
    }

    #[test]
    fn what_changes_the_program_is_understood_or_refused() {
        let got = read("slam check -m32 -fwrapv -isystem inc -include a.h -I x -DA -q -vv a.c -- -O2")
            .expect("understood");
        let words = "slam check --data-model=ILP32 --signed-overflow=wrap -I inc --include a.h -I x -DA -q -vv a.c -- -O2";
        assert_eq!(got.words, words.split(' ').collect::<Vec<_>>());
        assert_eq!(got.note(), "");
        let bit_fields = ["-funsigned-bitfields", "-fno-signed-bitfields", "-mms-bitfields"];
        let others =
            ["-funsigned-char", "-fpack-struct=2", "-Ofast", "-ffast-math", "-Wp,-DX", "-fexec-charset=x"];
        for refused in bit_fields.iter().chain(&others) {
            assert!(read(&format!("slam check {refused} a.c")).is_err(), "{refused}");
        }
        let entry = serde_json::json!({ "arguments": ["cc", "@words", "-c", "a.c"] });
        let why =
            with_command(&cfront::Options::default(), &entry, Path::new("x.json")).expect_err("refused");
        assert_eq!(why, "@words: files with options are not read");
    }

    #[test]
    fn commands_are_split_as_a_shell_does() {
        assert_eq!(split(r#"cc  -DA="x y" -D'B=1 2' a\ b.c """#), ["cc", "-DA=x y", "-DB=1 2", "a b.c", ""]);
    }
}
