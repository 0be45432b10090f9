//! Reading and preprocessing. The preprocessor is the user's compiler, called with an argument list and the
//! file's text on its standard input, so that `#line` directives inside the file can be blanked first: places
//! are always those of the file that the user gave (or of a header it includes).

use crate::error::{FailureKind, Res, Stop};
use crate::options::Options;
use crate::text::arguments::{compiler_options, file_argument};
use crate::text::lex;
use crate::text::lines::{LineTable, is_line_directive, quoted};
use base::{Diagnostic, FileId, SourceMap, Span};
use children::{Failure, Limits, Scratch};
use ir::DataModel;
use std::io::Read;
use std::path::Path;
use std::process::Command;

/// Files above this size are refused.
const MAX_BYTES: u64 = 100 << 20;

/// Most bytes of a preprocessed file.
const MAX_PREPROCESSED: usize = 256 << 20;

/// Address space of the preprocessor: it would read an endless file until the machine's memory is used up.
const PREPROCESSOR_MEMORY: u64 = 1 << 30;

/// Preprocessed text with its line table.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) file: FileId,
    pub(crate) text: String,
    pub(crate) lines: LineTable,
}

/// Reads one file and preprocesses it when it needs that.
pub(crate) fn read(path: &Path, options: &Options, map: &mut SourceMap) -> Res<Text> {
    let name = if path.as_os_str() == "-" { "<stdin>".to_owned() } else { path.display().to_string() };
    let raw = match read_bytes(path) {
        Ok(raw) => raw,
        Err(why) => {
            let file = map.add(name.clone(), None);
            return Err(refuse(
                FailureKind::Read,
                Span::at(file, 1, 1),
                format!("cannot read `{name}`: {why}"),
            ));
        }
    };
    let nul = raw.iter().position(|b| *b == 0);
    let text = decode(&raw);
    let file = map.add(name.clone(), Some(text.as_str().into()));
    if let Some(at) = nul {
        let pos = map.pos(file, at.min(text.len()));
        let span = Span { file, start: pos, end: pos };
        return Err(refuse(
            FailureKind::Read,
            span,
            "this is a binary file (it has a NUL byte), not C".into(),
        ));
    }
    if text.trim().is_empty() {
        return Err(refuse(FailureKind::Read, Span::at(file, 1, 1), "the file is empty".into()));
    }
    let preprocessed = options.no_preprocess || path.extension().is_some_and(|e| e == "i");
    if preprocessed {
        refuse_directives(&text, file, map)?;
        let lines = LineTable::physical(&text, file);
        return Ok(Text { file, text, lines });
    }
    let output = preprocess(path, &name, &text, file, options, map)?;
    let lines = LineTable::from_markers(&output, file, &name, map, &|name| {
        // A marker may name anything: only what was included is worth reading, and that ends.
        let path = Path::new(name);
        let bytes = path.metadata().is_ok_and(|m| m.is_file()).then(|| read_bytes(path).ok()).flatten()?;
        Some(decode(&bytes).into())
    });
    Ok(Text { file, text: output, lines })
}

fn refuse(kind: FailureKind, span: Span, message: String) -> Box<Stop> {
    Stop::new(kind, Diagnostic::error(span, message))
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let too_large = || format!("it is larger than {} MB", MAX_BYTES >> 20);
    let mut out = vec![];
    if path.as_os_str() == "-" {
        std::io::stdin().take(MAX_BYTES + 1).read_to_end(&mut out).map_err(|e| e.to_string())?;
    } else {
        let meta = std::fs::metadata(path).map_err(|e| e.to_string())?;
        if meta.is_dir() {
            return Err("it is a directory".into());
        }
        if meta.len() > MAX_BYTES {
            return Err(too_large());
        }
        let file = std::fs::File::open(path).map_err(|e| e.to_string())?;
        file.take(MAX_BYTES + 1).read_to_end(&mut out).map_err(|e| e.to_string())?;
    }
    if out.len() as u64 > MAX_BYTES { Err(too_large()) } else { Ok(out) }
}

/// UTF-8 text, without the byte order mark that some editors put in front; bytes that are not UTF-8 become
/// octal escapes, which is their meaning inside literals.
fn decode(raw: &[u8]) -> String {
    let raw = raw.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(raw);
    let mut out = String::with_capacity(raw.len());
    for chunk in raw.utf8_chunks() {
        out.push_str(chunk.valid());
        for b in chunk.invalid() {
            out.push_str(&format!("\\{b:03o}"));
        }
    }
    out
}

/// Preprocessed text may have line markers and pragmas, but no directive that would change its meaning.
fn refuse_directives(text: &str, file: FileId, map: &SourceMap) -> Res<()> {
    for (start, end) in lex::lex(text).directives {
        let line = &text[start..end];
        let word = line[1..].trim_start();
        if is_line_directive(line)
            || word.is_empty()
            || word.starts_with("pragma")
            || word.starts_with("ident")
        {
            continue;
        }
        let span = Span { file, start: map.pos(file, start), end: map.pos(file, end) };
        let message = "a preprocessor directive in input that is said to be preprocessed".to_owned();
        return Err(refuse(FailureKind::Preprocess, span, message));
    }
    Ok(())
}

/// The file's text with its own `#line` directives blanked, behind a marker that gives its name.
fn with_name(text: &str, name: &str) -> String {
    let mut out = format!("# 1 {}\n", quoted(name));
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);
        if is_line_directive(body.trim_start()) {
            out.push('\n');
        } else {
            out.push_str(line);
        }
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

fn preprocess(
    path: &Path,
    name: &str,
    text: &str,
    file: FileId,
    options: &Options,
    map: &mut SourceMap,
) -> Res<String> {
    let here = Span::at(file, 1, 1);
    let fail = |message: String| refuse(FailureKind::Preprocess, here, message);
    let stubs = match options.data_model {
        DataModel::Ilp32 => {
            Some(stub_headers().map_err(|e| fail(format!("cannot make a temporary folder: {e}")))?)
        }
        DataModel::Lp64 => None,
    };
    let mut command = Command::new(&options.cc);
    command.args(arguments(path, options).map_err(fail)?);
    if let Some(stubs) = &stubs {
        command.arg("-isystem").arg(file_argument(stubs.path()));
    }
    let limits = Limits { memory: Some(PREPROCESSOR_MEMORY), ..Limits::default() };
    let input = with_name(text, name).into_bytes();
    let output = options.children.output(command.arg("-"), input, MAX_PREPROCESSED, &limits);
    let output = output.map_err(|failure| match failure {
        Failure::Start(e) => fail(format!("cannot run the preprocessor `{} -E`: {e}", options.cc)),
        Failure::Wait(e) => fail(format!("the preprocessor failed: {e}")),
        Failure::TooMuch => {
            fail(format!("preprocessed, the file is larger than {} MB", MAX_PREPROCESSED >> 20))
        }
        Failure::Stopped => {
            let (at, what) = endless(path, text, file, map).unwrap_or((here, String::new()));
            refuse(FailureKind::Stopped, at, format!("the preprocessor was stopped before its end{what}"))
        }
    })?;
    if !output.status.success() {
        let culprit = endless(path, text, file, map).map_or(here, |(at, _)| at);
        return Err(preprocessor_errors(&String::from_utf8_lossy(&output.stderr), name, culprit, map));
    }
    Ok(decode(&output.stdout))
}

/// An `#include` of something that is not an ordinary file and may have no end.
fn endless(path: &Path, text: &str, file: FileId, map: &SourceMap) -> Option<(Span, String)> {
    let folder = path.parent().unwrap_or(Path::new(""));
    lex::lex(text).directives.into_iter().find_map(|(start, end)| {
        let name = text[start..end].strip_prefix('#')?.trim_start().strip_prefix("include")?.trim();
        let name = name.get(1..name.len().checked_sub(1)?)?;
        let meta = folder.join(name).metadata().ok()?;
        let span = Span { file, start: map.pos(file, start), end: map.pos(file, end) };
        (!meta.is_file()).then(|| (span, format!(": `{name}` is no ordinary file")))
    })
}

fn arguments(path: &Path, options: &Options) -> Result<Vec<std::ffi::OsString>, String> {
    let mut args: Vec<std::ffi::OsString> = vec!["-E".into(), "-x".into(), "c".into()];
    if options.data_model == DataModel::Ilp32 {
        args.extend(ILP32_UNDEFINED.iter().map(|m| format!("-U{m}").into()));
        args.extend(
            ILP32_MACROS.iter().flat_map(|(m, v)| [format!("-U{m}").into(), format!("-D{m}={v}").into()]),
        );
    }
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty());
    args.push("-iquote".into());
    args.push(file_argument(parent.unwrap_or(Path::new("."))).into());
    args.extend(compiler_options(options)?);
    Ok(args)
}

/// The preprocessor's messages `file:line:col: error: text`, as ours.
fn preprocessor_errors(stderr: &str, name: &str, here: Span, map: &mut SourceMap) -> Box<Stop> {
    let mut diagnostics = vec![];
    for line in stderr.lines() {
        let Some((place, message)) =
            line.split_once(": fatal error: ").or_else(|| line.split_once(": error: "))
        else {
            continue;
        };
        let mut parts = place.rsplitn(3, ':');
        let col = parts.next().and_then(|c| c.parse().ok());
        let number = parts.next().and_then(|c| c.parse().ok());
        let span = match (parts.next(), number, col) {
            (Some(file), Some(number), Some(col)) => {
                let file = if file == name { Some(here.file) } else { map.find(file) };
                file.map(|f| Span::at(f, number, col))
            }
            _ => None,
        };
        diagnostics.push(Diagnostic::error(span.unwrap_or(here), message));
        if diagnostics.len() == 20 {
            break;
        }
    }
    if diagnostics.is_empty() {
        let text = stderr.lines().next().unwrap_or("no message");
        diagnostics.push(Diagnostic::error(here, format!("the preprocessor failed: {text}")));
    }
    Box::new(Stop { kind: FailureKind::Preprocess, diagnostics })
}

/// A folder with the empty header that the C library's headers want for 32 bits and that machines without the
/// 32-bit library lack.
fn stub_headers() -> std::io::Result<Scratch> {
    let scratch = Scratch::new("cfront")?;
    let folder = scratch.path().join("gnu");
    std::fs::create_dir(&folder)?;
    std::fs::write(folder.join("stubs-32.h"), "")?;
    Ok(scratch)
}

const ILP32_UNDEFINED: [&str; 8] = [
    "__LP64__",
    "_LP64",
    "__x86_64__",
    "__x86_64",
    "__amd64__",
    "__amd64",
    "__SIZEOF_INT128__",
    "__GCC_ATOMIC_LLONG_LOCK_FREE",
];

const ILP32_MACROS: [(&str, &str); 36] = [
    ("__ILP32__", "1"),
    ("_ILP32", "1"),
    ("__i386__", "1"),
    ("__i386", "1"),
    ("i386", "1"),
    ("__SIZEOF_LONG__", "4"),
    ("__SIZEOF_POINTER__", "4"),
    ("__SIZEOF_SIZE_T__", "4"),
    ("__SIZEOF_PTRDIFF_T__", "4"),
    ("__SIZEOF_LONG_DOUBLE__", "12"),
    ("__LONG_MAX__", "2147483647L"),
    ("__LONG_WIDTH__", "32"),
    ("__SIZE_TYPE__", "unsigned int"),
    ("__SIZE_MAX__", "4294967295U"),
    ("__SIZE_WIDTH__", "32"),
    ("__PTRDIFF_TYPE__", "int"),
    ("__PTRDIFF_MAX__", "2147483647"),
    ("__PTRDIFF_WIDTH__", "32"),
    ("__INTPTR_TYPE__", "int"),
    ("__INTPTR_MAX__", "2147483647"),
    ("__INTPTR_WIDTH__", "32"),
    ("__UINTPTR_TYPE__", "unsigned int"),
    ("__UINTPTR_MAX__", "4294967295U"),
    ("__INT64_TYPE__", "long long int"),
    ("__INT64_MAX__", "9223372036854775807LL"),
    ("__UINT64_TYPE__", "long long unsigned int"),
    ("__UINT64_MAX__", "18446744073709551615ULL"),
    ("__INTMAX_TYPE__", "long long int"),
    ("__INTMAX_MAX__", "9223372036854775807LL"),
    ("__UINTMAX_TYPE__", "long long unsigned int"),
    ("__UINTMAX_MAX__", "18446744073709551615ULL"),
    ("__WCHAR_TYPE__", "long int"),
    ("__WCHAR_MAX__", "2147483647L"),
    ("__INT64_C(c)", "c ## LL"),
    ("__UINT64_C(c)", "c ## ULL"),
    ("__INT_FAST16_TYPE__", "int"),
];
