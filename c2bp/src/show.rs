//! `--explain` and `--diff` of the command line.

use crate::{Input, Place};
use base::{FileId, SourceMap};
use c2bp::explain::Explanation;
use c2bp::{Cache, Interrupted, explain};
use cli::front::Failed;
use cli::verdict::{EXIT_INPUT, EXIT_USAGE};
use ir::{EdgeId, Op, ProcId, Program};
use std::collections::BTreeSet;
use std::fmt::{Display, Write};
use std::path::Path;

/// The edges of the line.
pub(crate) type Wanted = BTreeSet<(ProcId, EdgeId)>;

/// The statements of a line; `first` is the file meant by a line number alone.
pub(crate) fn wanted(
    program: &Program,
    sources: &SourceMap,
    first: &Path,
    place: &Place,
) -> Result<Wanted, Failed> {
    let named = place.file.clone().unwrap_or_else(|| first.display().to_string());
    let is_meant = |file: FileId| Path::new(&sources.file(file).name).ends_with(&named);
    let mut found = Wanted::new();
    let mut lines = BTreeSet::new();
    for (p, e, edge) in program.edges() {
        if edge.op != Op::Skip && base::Id::index(edge.span.file) < sources.len() && is_meant(edge.span.file)
        {
            lines.insert(edge.span.start.line);
            if edge.span.start.line == place.line {
                found.insert((p, e));
            }
        }
    }
    if found.is_empty() {
        let near = lines.range(..place.line).next_back().into_iter().chain(lines.range(place.line..).next());
        let near: Vec<String> = near.map(u32::to_string).collect();
        let near = match near.as_slice() {
            [] => String::new(),
            lines => format!(" (the nearest are in {})", lines.join(" and ")),
        };
        let message = format!("error: --explain: {named} has no statement in line {}{near}\n", place.line);
        return Err((message, EXIT_USAGE));
    }
    Ok(found)
}

/// The explanation of the statements.
pub(crate) fn explanation(
    input: &Input<'_>,
    sources: &SourceMap,
    wanted: &Wanted,
    cache: &mut Cache,
) -> Result<String, Interrupted> {
    let wanted = |p, e| wanted.contains(&(p, e));
    let found =
        explain::explain(input.program, input.oracle, input.precision, input.options, cache, &wanted)?;
    let mut out = String::new();
    for e in &found {
        let _ = write!(out, "{}{e}", title(e, input.program, sources));
    }
    if found.is_empty() {
        out.push_str("no execution reaches the procedures of this line\n");
    }
    Ok(out)
}

fn title(e: &Explanation, program: &Program, sources: &SourceMap) -> String {
    let proc = &program.procs[e.proc];
    format!("{}: {}  ({} {})\n", sources.short(proc.edges[e.edge].span), e.statement, proc.name, e.edge)
}

/// The boolean program of `--diff`.
pub(crate) fn old_program(path: &Path) -> Result<bp::Program, Failed> {
    let text = std::fs::read_to_string(path).map_err(|e| unusable(path, &e))?;
    let mut sources = SourceMap::new();
    let file = sources.add(path.display().to_string(), Some(text.as_str().into()));
    match bp::parse(&text, file, bp::Dialect::Strict) {
        Ok((program, _)) => Ok(program),
        Err(errors) => Err((errors.iter().map(|d| d.styled(&sources)).collect(), EXIT_INPUT)),
    }
}

/// The differences, or that there are none.
pub(crate) fn difference(old: &bp::Program, new: &bp::Program) -> String {
    let text = c2bp::diff::diff(old, new);
    if text.is_empty() { "no difference\n".to_owned() } else { text }
}

/// A file that cannot be read or written.
pub(crate) fn unusable(path: &Path, e: &dyn Display) -> Failed {
    (format!("error: {}: {e}\n", path.display()), EXIT_INPUT)
}
