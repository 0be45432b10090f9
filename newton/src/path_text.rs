//! Paths as text, one step a line, as `slam check --save` writes them and the `newton` command reads them:
//!
//! ```text
//! start__ e3 -> main          // main()
//!   main e0                   // locked = 0;
//! * main e1                   // assume(locked != 0);
//!   main e7 -> lock           // lock()
//!     lock e2                 // …
//!   main e7 <- lock
//! ```
//!
//! A `*` marks a step of the core; blanks and everything behind `//` are for the reader. A line `---` stands between two
//! paths.

use base::Id;
use ir::{EdgeId, Op, Path, PathStep, ProcId, Program};
use std::fmt::Write;

/// Prints a path; `core` are the indices of the steps to be marked, ascending.
pub fn print(program: &Program, path: &Path, core: &[usize]) -> String {
    let mut out = String::new();
    let mut depth = 0usize;
    for (i, step) in path.steps.iter().enumerate() {
        let mark = if core.binary_search(&i).is_ok() { '*' } else { ' ' };
        if let PathStep::Leave(..) = step {
            depth = depth.saturating_sub(1);
        }
        let name = |p: ProcId| &program.procs[p].name;
        let (head, text) = match *step {
            PathStep::Edge(p, e) => (format!("{} {e}", name(p)), Some((p, e))),
            PathStep::Enter(p, e, callee) => (format!("{} {e} -> {}", name(p), name(callee)), Some((p, e))),
            PathStep::Leave(p, e, callee) => (format!("{} {e} <- {}", name(p), name(callee)), None),
        };
        let line = format!("{mark} {}{head}", "  ".repeat(depth.min(40)));
        let _ = match text {
            Some((p, e)) => writeln!(out, "{line:<40} // {}", ir::print::edge(program, p, e)),
            None => writeln!(out, "{line}"),
        };
        if let PathStep::Enter(..) = step {
            depth += 1;
        }
    }
    out
}

/// What stands between two paths.
pub const BETWEEN: &str = "---";

/// Reads paths back, at least one.
///
/// # Errors
/// As [`parse`].
pub fn parse_all(program: &Program, text: &str) -> Result<Vec<Path>, (usize, String)> {
    let mut out = vec![];
    let mut before = 0;
    for part in text.split_inclusive('\n').collect::<Vec<_>>().split(|line| line.trim() == BETWEEN) {
        out.push(parse(program, &part.concat()).map_err(|(line, why)| (before + line, why))?);
        before += part.len() + 1;
    }
    Ok(out)
}

/// Reads a path back.
///
/// # Errors
/// A line number, from 1, and what is wrong there: an unknown procedure or edge, steps that do not follow each other,
/// a path that does not start at the program's entry or does not end at a check.
pub fn parse(program: &Program, text: &str) -> Result<Path, (usize, String)> {
    let mut path = Path::default();
    let mut stack = vec![(program.entry, program.procs[program.entry].entry)];
    let mut last_line = 1;
    for (i, line) in text.lines().enumerate() {
        let words: Vec<&str> =
            line.split("//").next().unwrap_or("").split_whitespace().filter(|w| *w != "*").collect();
        if words.is_empty() {
            continue;
        }
        last_line = i + 1;
        let step = step(program, &words).and_then(|s| follow(program, &mut stack, s).map(|()| s));
        path.steps.push(step.map_err(|why| (i + 1, why))?);
    }
    match path.steps.last() {
        Some(PathStep::Edge(p, e)) if matches!(program.procs[*p].edges[*e].op, Op::Check(..)) => Ok(path),
        _ => Err((last_line, "the path does not end at a check".to_owned())),
    }
}

fn step(program: &Program, words: &[&str]) -> Result<PathStep, String> {
    let proc = |name: &str| program.find_proc(name).ok_or_else(|| format!("no procedure is called `{name}`"));
    let (p, edge) = match words {
        [p, e, ..] => (proc(p)?, *e),
        _ => return Err("a step is `PROCEDURE eN`, `… -> CALLEE` or `… <- CALLEE`".to_owned()),
    };
    let number = edge.strip_prefix('e').and_then(|n| n.parse::<usize>().ok());
    let e = number
        .filter(|n| *n < program.procs[p].edges.len())
        .map(EdgeId::from_index)
        .ok_or_else(|| format!("`{}` has no edge `{edge}`", program.procs[p].name))?;
    match words[2..] {
        [] => Ok(PathStep::Edge(p, e)),
        ["->", callee] => Ok(PathStep::Enter(p, e, proc(callee)?)),
        ["<-", callee] => Ok(PathStep::Leave(p, e, proc(callee)?)),
        _ => Err("a step is `PROCEDURE eN`, `… -> CALLEE` or `… <- CALLEE`".to_owned()),
    }
}

/// Takes the control state over a step, if it can be taken there.
fn follow(program: &Program, stack: &mut Vec<(ProcId, ir::LocId)>, step: PathStep) -> Result<(), String> {
    let (proc, at) = *stack.last().expect("the first activation stays open");
    let name = |p: ProcId| &program.procs[p].name;
    let calls = |p: ProcId, e: EdgeId, of: ProcId| matches!(&program.procs[p].edges[e].op, Op::Call { callee, .. } if *callee == ir::Callee::Direct(of));
    let nowhere = || Err(format!("the step does not start where the path is: at {at} of `{}`", name(proc)));
    match step {
        PathStep::Edge(p, e) | PathStep::Enter(p, e, _) => {
            let edge = &program.procs[p].edges[e];
            if (p, edge.src) != (proc, at) {
                return nowhere();
            }
            // On return, control goes on behind the call.
            stack.last_mut().expect("the first activation stays open").1 = edge.dst;
            if let PathStep::Enter(_, _, callee) = step {
                if !calls(p, e, callee) || !program.procs[callee].has_body {
                    return Err(format!("{e} does not call `{}`", name(callee)));
                }
                stack.push((callee, program.procs[callee].entry));
            }
        }
        PathStep::Leave(p, e, callee) => {
            if (callee, at) != (proc, program.procs[proc].exit) || stack.len() == 1 {
                return nowhere();
            }
            stack.pop();
            if stack.last() != Some(&(p, program.procs[p].edges[e].dst)) || !calls(p, e, callee) {
                return Err(format!("{e} of `{}` is not the call that returns here", name(p)));
            }
        }
    }
    Ok(())
}
