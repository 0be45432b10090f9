//! A path in source terms: one line a step, the source's text, calls by indentation, remarks on the step
//! beside it. No temporaries: a step that the front end invented is shown only when it read an input.

pub(crate) use super::remark::Remark;
use super::row::row;
use super::turns::{self, Head};
use crate::observers::record::count;
use base::styles::{BAD, CHANGED, styled};
use base::{FileId, SourceMap, Span};
use cfront::Words;
use ir::{EdgeKind, HavocKind, LocId, Op, Path, PathStep, ProcId, Program, VarKind};
use results::check::{self, Set, Value};
use std::fmt::Write;
use verify::Task;

/// Longest source text of a line.
const LONGEST: usize = 72;

/// Steps shown from each end of a path that is too long to be shown whole.
pub(crate) const ENDS: usize = 150;

/// Values shown beside one step at most.
const VALUES: usize = 6;

/// Where the texts of steps come from.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its files.
    pub sources: &'a SourceMap,
    /// The source's names for its variables, where they are known.
    pub words: Option<&'a Words>,
}

impl<'a> Source<'a> {
    /// Those of a task.
    pub(crate) fn of(task: &'a Task) -> Source<'a> {
        Source { program: &task.whole, sources: &task.sources, words: Some(&task.words) }
    }
}

/// The outcome of a condition.
pub(crate) fn outcome(program: &Program, step: &PathStep) -> Option<bool> {
    match *step {
        PathStep::Edge(p, e) => match program.procs[p].edges[e].kind {
            EdgeKind::Branch { taken } => Some(taken),
            _ => None,
        },
        _ => None,
    }
}

/// A line before it is laid out.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Where it stands in the source.
    pub span: Span,
    /// The procedure.
    pub proc: ProcId,
    /// The number of the thread, in programs with threads.
    pub thread: Option<u32>,
    /// How many calls are open.
    pub depth: usize,
    /// The source's text.
    pub text: String,
    /// What stands beside it.
    pub remark: Remark,
}

/// All lines of a path.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// The file that lines without a file's name are of.
    home: Option<FileId>,
    /// The lines.
    pub lines: Vec<Line>,
    /// Where iterations of loops begin.
    heads: Vec<Head>,
}

/// Lists the path; `remark` gives what is known about the step with an index.
pub(crate) fn listing(source: Source<'_>, path: &Path, remark: impl FnMut(usize) -> Remark) -> String {
    lines(source, path, remark).layout(source.sources, ENDS)
}

/// The lines of a path.
pub(crate) fn lines(source: Source<'_>, path: &Path, mut remark: impl FnMut(usize) -> Remark) -> Lines {
    let program = source.program;
    let mut out = Lines { home: home_file(program, path), ..Lines::default() };
    let mut pending = Remark::default();
    // The activations that are open, numbered as they begin, with the lines of their calls.
    let (mut open, mut activations) = (vec![(0usize, None)], 0usize);
    let mut fresh = true;
    let last = path.steps.len().saturating_sub(1);
    for (i, step) in path.steps.iter().enumerate() {
        let at = open.len() - 1;
        let (proc, edge) = step.edge();
        let src = program.procs[proc].edges[edge].src;
        if !matches!(step, PathStep::Leave(..)) && begins_turn(program, proc, src) {
            let (activation, _) = open[at];
            let span = program.procs[proc].locations[src].span;
            out.heads.push(Head { key: (activation, src), line: out.lines.len(), span, depth: at });
            fresh = true;
        }
        match step {
            PathStep::Edge(..) => {}
            PathStep::Enter(..) => {
                activations += 1;
                open.push((activations, None));
            }
            PathStep::Leave(..) if open.len() > 1 => _ = open.pop(),
            PathStep::Leave(..) => {}
        }
        let known = remark(i);
        let leaving = matches!(step, PathStep::Leave(..));
        let shown = i == last || (!leaving && is_shown(source, proc, step));
        if !shown && let Some(at) = known.of_rule {
            match out.lines.last_mut().filter(|line| line.span == at) {
                Some(line) => line.remark.join(known),
                None => pending.join(known),
            }
            continue;
        }
        if !shown {
            if program.procs[proc].is_model() {
                continue;
            }
            if leaving {
                // The value that came back belongs to the line of the call.
                if let Some(line) = out.lines.iter_mut().rev().find(|l| l.depth + 1 == at) {
                    line.remark.join(known);
                }
            } else if reads_input(program, step) {
                pending.join(known);
            }
            continue;
        }
        if i == last
            && program.procs[proc].is_model()
            && let Some(call) = open.iter().rev().find_map(|(_, line)| *line)
        {
            // What fails inside of a library function fails at the program's call.
            let line: &mut Line = &mut out.lines[call];
            line.remark.here |= known.here;
            line.remark.notes.push(inside(program.procs[proc].library_name(), &known));
            continue;
        }
        let span = program.procs[proc].edges[edge].span;
        let turn = program.turns.get((proc, edge));
        let (proc, thread) = turn.map_or((proc, None), |turn| (turn.proc, Some(turn.thread)));
        let (text, remark) = (text(source, step), std::mem::take(&mut pending));
        let mut line = Line { span, proc, thread, depth: at, text, remark };
        line.remark.join(known);
        match out.lines.last_mut() {
            Some(before) if !fresh && is_same(before, &line) => before.remark.join(line.remark),
            _ => out.lines.push(line),
        }
        if let (PathStep::Enter(..), Some((_, call))) = (step, open.last_mut()) {
            *call = Some(out.lines.len() - 1);
        }
        fresh = false;
    }
    out
}

/// What is known of a step inside of a library function, in one text.
fn inside(function: &str, known: &Remark) -> String {
    let values: Vec<String> = known.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let parts: Vec<String> = known.given.iter().chain(&values).chain(&known.notes).cloned().collect();
    match parts.is_empty() {
        true => format!("inside {function}"),
        false => format!("inside {function}: {}", parts.join(", ")),
    }
}

/// Whether a loop of the source starts at the location.
fn begins_turn(program: &Program, proc: ProcId, at: LocId) -> bool {
    proc != program.entry && !program.procs[proc].is_model() && program.procs[proc].locations[at].loop_head
}

fn is_same(before: &Line, line: &Line) -> bool {
    (before.span, before.thread, before.depth, &before.text)
        == (line.span, line.thread, line.depth, &line.text)
}

impl Lines {
    /// All of them, as results have them.
    pub(crate) fn all(&self, source: Source<'_>) -> Vec<check::Line> {
        self.lines.iter().map(|line| line.whole(source)).collect()
    }

    /// The lines as text: at most `ends` parts from each end, and long loops without the iterations in the middle.
    pub(crate) fn layout(&self, sources: &SourceMap, ends: usize) -> String {
        let lines = &self.lines;
        let place = |span: Span| place(sources, self.home, span);
        let place_width = lines.iter().map(|l| place(l.span).chars().count()).max().unwrap_or(0).max(4);
        let base = lines.iter().map(|l| l.depth).min().unwrap_or(0);
        let indent = |depth: usize| "  ".repeat(depth.saturating_sub(base).min(30));
        let parts = turns::shortened(lines.len(), &self.heads);
        let mut out = String::new();
        let leave_out = |out: &mut String, number: &mut usize| {
            if *number > 0 {
                let steps = count(*number, "step");
                let _ = writeln!(out, "  {:>place_width$}  ... {steps} left out ...", "");
                *number = 0;
            }
        };
        let middle = if parts.len() > 2 * ends + 1 { ends..parts.len() - ends } else { 0..0 };
        let mut left_out = 0;
        for (i, part) in parts.iter().enumerate() {
            let stays = matches!(part, turns::Part::Line(n) if lines[*n].remark.keep);
            if middle.contains(&i) && !stays {
                left_out += 1;
                continue;
            }
            leave_out(&mut out, &mut left_out);
            match part {
                turns::Part::Line(n) => {
                    let line = &lines[*n];
                    let thread = line.thread.map(|n| format!("[{n}] ")).unwrap_or_default();
                    let text = format!("{thread}{}{}", indent(line.depth), line.text);
                    let sign = if line.remark.mark { "*" } else { " " };
                    let beside = beside(line);
                    let head = format!(" {sign}{:>place_width$}  ", place(line.span));
                    let _ = writeln!(out, "{}", row(&head, &text, &beside).trim_end());
                }
                turns::Part::Turns { head, turns } => {
                    let (depth, at) = (indent(head.depth), place(head.span));
                    let _ = writeln!(
                        out,
                        "  {:>place_width$}  {depth}... {turns} more turns of the loop at line {at} ...",
                        ""
                    );
                }
            }
        }
        leave_out(&mut out, &mut left_out);
        out
    }
}

impl Line {
    /// As results have it.
    fn whole(&self, source: Source<'_>) -> check::Line {
        let Remark { values, given, notes, rule_state, outcome, here, .. } = &self.remark;
        let value = |(name, value): &(String, String)| Value { name: name.clone(), value: value.clone() };
        let set = |[rule, name, value]: &[String; 3]| {
            let [rule, name, value] = [rule, name, value].map(Clone::clone);
            Set { rule, name, value }
        };
        check::Line {
            at: super::location(&source.sources.file(self.span.file).name, self.span),
            function: source.program.procs[self.proc].name.clone(),
            depth: self.depth,
            thread: self.thread,
            text: self.text.clone(),
            branch: *outcome,
            values: values.iter().map(value).collect(),
            given: given.clone(),
            notes: notes.clone(),
            rule_state: rule_state.iter().map(set).collect(),
            error: *here,
        }
    }
}

/// The right column.
fn beside(line: &Line) -> String {
    let remark = &line.remark;
    let mut head = match remark.outcome {
        Some(true) => "true".to_owned(),
        Some(false) if line.text.starts_with("switch ") => "no case fits".to_owned(),
        Some(false) => "false".to_owned(),
        None => String::new(),
    };
    // What the text says itself is not worth repeating.
    let said = |(name, value): &&(String, String)| line.text.ends_with(&format!("{name} = {value}"));
    let values: Vec<String> = remark
        .values
        .iter()
        .filter(|v| !said(v))
        .take(VALUES)
        .map(|(name, value)| match remark.outcome {
            // A condition reads.
            Some(_) => format!("{name} = {value}"),
            None => format!("{name} = {}", styled(CHANGED, value)),
        })
        .collect();
    if !values.is_empty() {
        head = format!("{head} ({})", values.join(", ")).trim_start().to_owned();
    }
    let mut parts = remark.given.clone();
    parts.extend((!head.is_empty()).then_some(head));
    parts.extend(remark.notes.iter().cloned());
    let mut text = parts.join(", ");
    if remark.here {
        let space = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{space}{}", styled(BAD, "<-- here"));
    }
    text
}

/// The file that most of the report is about: lines in it need no file name.
fn home_file(program: &Program, path: &Path) -> Option<FileId> {
    let own = |s: &&PathStep| {
        let (p, _) = s.edge();
        !program.procs[p].is_model()
    };
    let last = path.steps.iter().rfind(own)?;
    let (p, e) = last.edge();
    Some(program.procs[p].edges[e].span.file)
}

fn place(sources: &SourceMap, home: Option<FileId>, span: Span) -> String {
    if Some(span.file) == home { span.start.line.to_string() } else { sources.short(span) }
}

fn is_shown(source: Source<'_>, proc: ProcId, step: &PathStep) -> bool {
    let program = source.program;
    let (_, e) = step.edge();
    if proc == program.entry || program.procs[proc].is_model() {
        return false;
    }
    let edge = &program.procs[proc].edges[e];
    let passed_case = edge.kind == EdgeKind::Branch { taken: false }
        && source.sources.snippet(edge.span).is_some_and(|s| s.starts_with("case "));
    if passed_case {
        return false;
    }
    matches!(step, PathStep::Enter(..)) || (!edge.kind.is_internal() && !temporary_input(program, &edge.op))
}

/// Whether the operation is an input within an expression: the line of the whole expression shows it.
fn temporary_input(program: &Program, op: &Op) -> bool {
    match op {
        Op::Havoc(lv, HavocKind::Input(_)) => {
            lv.as_var().is_some_and(|v| matches!(program.vars[v].kind, VarKind::Temp(_)))
        }
        _ => false,
    }
}

/// A step that is not shown but for what it read from outside.
fn reads_input(program: &Program, step: &PathStep) -> bool {
    let (proc, edge) = step.edge();
    let input = matches!(
        program.procs[proc].edges[edge].op,
        Op::Havoc(_, HavocKind::Input(_) | HavocKind::Extern(_))
    );
    input && proc != program.entry
}

/// The source text of a step: the statement, or the condition with the keyword before it.
pub(crate) fn text(source: Source<'_>, step: &PathStep) -> String {
    let (p, e) = step.edge();
    let edge = &source.program.procs[p].edges[e];
    let snippet = source
        .sources
        .snippet(edge.span)
        .filter(|s| !s.is_empty())
        .unwrap_or_else(|| ir::print::edge(source.program, p, e));
    let text = match edge.kind {
        EdgeKind::Branch { .. } => match keyword(source.sources, edge.span) {
            Some(word) => format!("{word} ({snippet})"),
            None => snippet,
        },
        _ => match (specifiers(source, &edge.op, edge.span), &edge.op) {
            (Some(specifiers), _) => format!("{specifiers} {snippet}"),
            // The initialiser of a member or an element.
            (None, Op::Assign(part, _)) if edge.kind == EdgeKind::Internal && !part.path.is_empty() => {
                format!("{} = {snippet}", ir::print::lvalue(source.program, part))
            }
            (None, _) => snippet,
        },
    };
    shortened(&text, LONGEST)
}

/// The specifiers of the declaration, when the step is the initialiser of a local variable.
fn specifiers(source: Source<'_>, op: &Op, span: Span) -> Option<String> {
    let ir::Base::Var(v) = op.destination()?.base else { return None };
    let declared = source.program.vars[v].span;
    let within = declared.file == span.file && span.start <= declared.start && declared.end <= span.end;
    let specifiers = source.words?.specifiers.get(&v).filter(|_| within)?;
    source.sources.snippet(*specifiers)
}

/// The text, cut off after `longest` characters.
pub(crate) fn shortened(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(longest - 3).collect();
    cut.push_str("...");
    cut
}

/// The keyword before a condition, when the condition is all that its parentheses hold on its left side.
fn keyword(sources: &SourceMap, span: Span) -> Option<&'static str> {
    let line = sources.line(span.file, span.start.line)?;
    let before = line.get(..span.start.col as usize - 1)?.trim_end();
    let before = before.strip_suffix('(')?.trim_end();
    ["if", "while", "for", "switch"].into_iter().find(|word| {
        before
            .strip_suffix(word)
            .is_some_and(|rest| !rest.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    })
}
