//! The surroundings of an execution: inputs from a file or a seed, streams for its output, and the record of both.

use crate::harness::{CONTENTS, start_input};
use base::styles::NOTE;
use base::{SourceMap, Span};
use cli::process::Sink;
use executions::Draw;
use interp::{Inputs, ObjectKind, Stream, UninitRead, Value};
use ir::{CheckId, EdgeId, HavocKind, LocId, Op, ProcId, Program, StartInput, TextPart, Type};
use results::others;
use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::path::Path;

/// Output is written when this much has come together.
const BUFFER: usize = 1 << 16;

/// What follows a new object whose contents are inputs too.
const OPEN: &str = " with contents";

/// Inputs that the user gives, in the order in which they are drawn.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    values: VecDeque<Value>,
    count: usize,
}

impl Given {
    /// Reads the file: one value a line, or what `--json` wrote.
    ///
    /// # Errors
    /// A message when it cannot be read or has a line that is not a value.
    pub(super) fn read(file: &Path) -> Result<Given, String> {
        let name = file.display();
        let text = std::fs::read_to_string(file).map_err(|e| format!("--inputs {name}: {e}"))?;
        let texts = if text.trim_start().starts_with('{') {
            texts_of_json(&text).ok_or_else(|| format!("--inputs {name}: no result of `slam run --json`"))?
        } else {
            text.lines().map(str::to_owned).collect()
        };
        let mut given = Given::default();
        for (n, line) in texts.iter().enumerate() {
            let value = line.split('#').next().unwrap_or_default().trim();
            if value.is_empty() {
                continue;
            }
            let read = parse(value);
            given.values.push_back(
                read.ok_or_else(|| format!("--inputs {name}: line {}: `{value}` is no value", n + 1))?,
            );
        }
        given.count = given.values.len();
        Ok(given)
    }
}

fn texts_of_json(text: &str) -> Option<Vec<String>> {
    let read: others::Inputs = results::read(text).ok()?;
    Some(read.inputs.into_iter().map(|input| input.value).collect())
}

/// The text of a value in a file of inputs.
pub(crate) fn text(value: Value) -> String {
    match value {
        Value::Int(v) => v.to_string(),
        Value::Float(v) => format!("{v:?}"),
        Value::FreshObject(size) => format!("new {size}"),
        Value::OpenObject(size) => format!("new {size}{OPEN}"),
        _ => "NULL".into(),
    }
}

/// The value that a text in a file of inputs stands for.
pub(crate) fn parse(text: &str) -> Option<Value> {
    if text == "NULL" {
        return Some(Value::Null);
    }
    if let Some(size) = text.strip_prefix("new ") {
        if let Some(size) = size.strip_suffix(OPEN) {
            return size.trim().parse().ok().map(Value::OpenObject);
        }
        return size.trim().parse().ok().map(Value::FreshObject);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return i128::from_str_radix(digits, 16).ok().map(Value::Int);
    }
    text.parse().map(Value::Int).or_else(|_| text.parse().map(Value::Float)).ok()
}

/// What was drawn.
struct Input {
    value: String,
    what: String,
    place: Span,
}

/// The surroundings during an execution.
pub(super) struct Supply<'a> {
    program: &'a Program,
    given: Given,
    arguments: Option<Arguments>,
    draw: Draw,
    stdout: &'a mut Sink<'a>,
    stderr: &'a mut Sink<'a>,
    out: Vec<u8>,
    record: Record,
}

/// What is left of them when it has ended.
#[derive(Default)]
pub(super) struct Record {
    inputs: Vec<Input>,
    checks: Vec<(CheckId, bool)>,
    lost: BTreeSet<String>,
    given: usize,
}

/// The arguments of `main`, as the model of the list of strings asks for them.
pub(super) struct Arguments {
    count: usize,
    strings: VecDeque<Vec<u8>>,
    /// The characters that are left of the string that is asked for.
    open: VecDeque<u8>,
}

impl Arguments {
    /// The program's name and these words.
    pub(super) fn new(name: &str, words: &[OsString]) -> Arguments {
        let words = words.iter().map(|word| word.as_encoded_bytes().to_vec());
        let strings: VecDeque<_> = std::iter::once(name.as_bytes().to_vec()).chain(words).collect();
        Arguments { count: strings.len(), strings, open: VecDeque::new() }
    }

    fn next(&mut self, what: StartInput) -> i128 {
        match what {
            StartInput::Argument(_) => self.count as i128,
            StartInput::EnvironmentLength => 0,
            StartInput::StringLength => {
                self.open = self.strings.pop_front().unwrap_or_default().into();
                self.open.len() as i128
            }
            StartInput::StringCharacter => self.open.pop_front().map_or(0, |byte| i128::from(byte as i8)),
        }
    }
}

impl<'a> Supply<'a> {
    pub(super) fn new(
        program: &'a Program,
        given: Given,
        arguments: Option<Arguments>,
        seed: u64,
        stdout: &'a mut Sink<'a>,
        stderr: &'a mut Sink<'a>,
    ) -> Supply<'a> {
        let record = Record { given: given.count, ..Record::default() };
        Supply { program, given, arguments, draw: Draw::new(seed), stdout, stderr, out: vec![], record }
    }

    /// Ends the output.
    pub(super) fn finish(mut self) -> Record {
        self.flush();
        self.record
    }

    fn flush(&mut self) {
        let _ = self.stdout.write_all(&self.out);
        let _ = self.stdout.flush();
        self.out.clear();
    }

    /// The next given value, or else the drawn one; noted.
    fn supply(&mut self, place: Span, what: String, draw: impl FnOnce(&mut Draw) -> Value) -> Value {
        let value = self.given.values.pop_front().unwrap_or_else(|| draw(&mut self.draw));
        self.record.inputs.push(Input { value: text(value), what, place });
        value
    }

    fn span(&self, proc: ProcId, edge: EdgeId) -> Span {
        self.program.procs[proc].edges[edge].span
    }

    /// The read of a volatile object: what was stored last is there, as nobody else writes.
    fn is_volatile_read(&self, proc: ProcId, edges: &[EdgeId]) -> bool {
        let ops = edges.iter().map(|e| &self.program.procs[proc].edges[*e].op);
        match ops.collect::<Vec<_>>()[..] {
            [Op::Assign(a, _), Op::Havoc(b, _)] => a == b,
            [Op::MemCopy { .. }, Op::Alloc { .. }] => true,
            _ => false,
        }
    }
}

/// A value of the type, from the seed.
fn drawn(draw: &mut Draw, ty: &Type) -> Value {
    match ty {
        Type::Int(t) => Value::Int(draw.int(*t)),
        Type::Ptr(_) => Value::Null,
        _ => Value::Float(draw.below(16) as f64),
    }
}

impl Inputs for Supply<'_> {
    fn havoc(&mut self, proc: ProcId, edge: EdgeId, kind: &HavocKind, ty: &Type) -> Value {
        let place = self.span(proc, edge);
        if let (HavocKind::Start(what), Some(arguments)) = (kind, &mut self.arguments)
            && !ty.is_ptr()
        {
            return Value::Int(arguments.next(*what));
        }
        let size = if let Type::Ptr(to) = ty { self.program.size_of(to).unwrap_or(64).max(1) } else { 0 };
        let what = match kind {
            HavocKind::Input(name) => format!("{name}()"),
            HavocKind::Start(what) => start_input(self.program, *what),
            HavocKind::Uninit => "uninitialised".into(),
            HavocKind::Contents => CONTENTS.into(),
            HavocKind::Followed => "the object that a rule follows".into(),
            HavocKind::Made(TextPart::Length, name) => format!("length of the text of {name}"),
            HavocKind::Made(TextPart::Character, name) => format!("character of the text of {name}"),
            HavocKind::Extern(what)
            | HavocKind::Outside(what)
            | HavocKind::Choice(what)
            | HavocKind::Analysis(what)
            | HavocKind::Unmodelled(what) => what.to_string(),
        };
        self.supply(place, what, |d| match kind {
            // `main` gets no arguments: a null pointer ends the list of none.
            HavocKind::Start(StartInput::Argument(_)) if ty.is_ptr() => Value::FreshObject(size),
            // What comes first in the text of the program.
            HavocKind::Start(StartInput::Argument(_)) | HavocKind::Choice(_) => Value::Int(0),
            // What an undefined function returns may well point to something.
            HavocKind::Extern(_) if ty.is_ptr() && d.below(2) == 1 => Value::FreshObject(size),
            _ => drawn(d, ty),
        })
    }

    fn choose_edge(&mut self, proc: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        if self.is_volatile_read(proc, enabled) {
            return 0;
        }
        let place = self.span(proc, enabled[0]);
        let count = enabled.len();
        let choice =
            self.supply(place, format!("choice among {count}"), |d| Value::Int(d.below(count as u64).into()));
        if let Value::Int(n) = choice { usize::try_from(n).unwrap_or(0) } else { 0 }
    }

    fn uninit(&mut self, read: &UninitRead, ty: &Type) -> Value {
        if read.whole {
            return Value::Int(0);
        }
        let place = self.span(read.proc, read.edge);
        let what = if read.object == ObjectKind::Fresh { CONTENTS } else { "uninitialised" };
        self.supply(place, what.into(), |d| drawn(d, ty))
    }

    fn wants_output(&self) -> bool {
        true
    }

    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Out => self.out.extend_from_slice(bytes),
            Stream::Err => {
                self.flush();
                let _ = self.stderr.write_all(bytes);
            }
        }
        if self.out.len() >= BUFFER {
            self.flush();
        }
    }

    fn output_lost(&mut self, function: &str) {
        if !self.record.lost.contains(function) {
            self.record.lost.insert(function.to_owned());
        }
    }

    fn checked(&mut self, check: CheckId, holds: bool) {
        self.record.checks.push((check, holds));
    }
}

impl Record {
    /// What the user should know about the execution.
    pub(super) fn remarks(&self) -> Vec<String> {
        let mut out: Vec<String> =
            self.lost.iter().map(|f| format!("note: what {f} writes is not shown")).collect();
        if self.given > 0 && self.given != self.inputs.len() {
            out.push(format!("{NOTE} {} inputs were given, {} were drawn", self.given, self.inputs.len()));
        }
        out
    }

    /// The checks that were reached, in order.
    pub(super) fn checks(&self, program: &Program, sources: &SourceMap) -> Vec<others::Reached> {
        let one = |(id, holds): &(CheckId, bool)| {
            let check = &program.checks[*id];
            others::Reached {
                kind: check.kind.name().into(),
                message: check.message.to_string(),
                place: sources.short(check.span),
                holds: *holds,
            }
        };
        self.checks.iter().map(one).collect()
    }

    /// The inputs that were drawn, in order.
    pub(super) fn inputs(&self, sources: &SourceMap) -> Vec<others::Drawn> {
        let one = |i: &Input| others::Drawn {
            value: i.value.clone(),
            what: i.what.clone(),
            place: sources.short(i.place),
        };
        self.inputs.iter().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_back() {
        let values = [Value::Int(-7), Value::Int(1 << 70), Value::Float(0.1), Value::Float(3.0), Value::Null];
        for value in values.into_iter().chain([Value::FreshObject(12), Value::Float(f64::INFINITY)]) {
            assert_eq!(parse(&text(value)), Some(value));
        }
        assert_eq!(parse("0x10"), Some(Value::Int(16)));
        assert_eq!(parse("ten"), None);
    }
}
