//! The execution that fails a check, for readers: the lines with the values read and written, and the lifetimes of
//! the objects that the failure is about.

use super::listing::{ENDS, Lines, Remark, lines, outcome};
use super::rules;
use super::speech::{Object, Speech};
use crate::report::listing::Source;
use executions::Witness;
use interp::{Seen, TraceStep, Value};
use ir::{Callee, CheckKind, EdgeKind, HavocKind, Op, Path, PathStep, Program, VarId, VarKind};
use results::check;
use std::fmt::Write;
use verify::Task;

/// The execution in lines, and the objects and rules in them.
pub(crate) struct Story<'t> {
    task: &'t Task,
    speech: Speech<'t>,
    lines: Lines,
    /// The numbers of the objects that the failure is about.
    about: Vec<usize>,
    /// Variables that are used after the end of their lives.
    gone: Vec<VarId>,
    /// The state of the rule that is broken, in the end.
    rules: Option<rules::State>,
}

impl<'t> Story<'t> {
    /// The story of a run that fails the check.
    pub(crate) fn new(task: &'t Task, witness: &Witness) -> Story<'t> {
        let (program, trace) = (&task.whole, &witness.run.trace);
        let path = Path { steps: trace.iter().map(|t| t.step).collect() };
        let mut speech = Speech::of_run(task, &task.whole, trace);
        let last = trace.len().saturating_sub(1);
        let about = about(task, witness, &speech);
        let mut lines = lines(Source::of(task), &path, |i| {
            let mut remark = match rules::remark(task, &mut speech, &trace[i]) {
                Some(of_rule) => of_rule,
                None => remark(program, &mut speech, &trace[i]),
            };
            remark.here = i == last;
            remark
        });
        let check = &program.checks[witness.check];
        let at_end = check.kind == CheckKind::Rule && check.proc == program.entry;
        if (check.kind == CheckKind::Leak || at_end)
            && let Some(end) = lines.lines.last_mut()
        {
            end.text = "the end of the program".into();
        }
        let used = trace.last().map_or(&[][..], |traced| &traced.values);
        let gone = used.iter().filter_map(|seen| speech.gone(seen.value)).collect();
        let rules = rules::states(task, witness, &mut speech);
        Story { task, speech, lines, about, gone, rules }
    }

    /// The lines.
    pub(crate) fn text(&self) -> String {
        let mut out = self.lines.layout(&self.task.sources, ENDS);
        if let Some(state) = &self.rules {
            out.push('\n');
            out.push_str(&state.text(&self.task.sources));
        }
        let objects = self.speech.objects();
        let told: Vec<&&Object> = objects.iter().filter(|o| self.about.contains(&o.number)).collect();
        if !told.is_empty() || !self.gone.is_empty() {
            out.push('\n');
        }
        for v in &self.gone {
            let var = &self.speech.program().vars[*v];
            let of = var.proc().map_or("the program", |p| &self.task.whole.procs[p].name);
            let at = self.task.sources.short(var.span);
            let _ = writeln!(out, "{}: a variable of {of} ({at}), whose life has ended", var.name);
        }
        for object in told {
            let made = self.task.sources.short(object.made);
            let _ = write!(out, "object #{}: from {}() at {made}", object.number, object.by);
            let _ = match object.freed {
                Some(at) => writeln!(out, ", freed at {}", self.task.sources.short(at)),
                None => writeln!(out, ", never freed"),
            };
        }
        out
    }

    /// The lines as results have them: all of them.
    pub(crate) fn trace(&self) -> Vec<check::Line> {
        self.lines.all(Source::of(self.task))
    }

    /// The state of the rule that is broken.
    pub(crate) fn rule_state(&self) -> Option<check::RuleState> {
        self.rules.as_ref().map(|state| state.whole(&self.task.sources))
    }

    /// The allocated objects.
    pub(crate) fn objects(&self) -> Vec<check::Object> {
        let place = |at| self.task.sources.short(at);
        let one = |o: &&Object| check::Object {
            number: o.number,
            function: o.by.to_string(),
            allocated: place(o.made),
            freed: o.freed.map(place),
        };
        self.speech.objects().iter().map(one).collect()
    }

    /// How the story names things.
    pub(crate) fn speech(&mut self) -> &mut Speech<'t> {
        &mut self.speech
    }
}

/// The objects that the failure is about: one that leaks, or those that are used after their end.
fn about(task: &Task, witness: &Witness, speech: &Speech<'_>) -> Vec<usize> {
    let check = &task.whole.checks[witness.check];
    let objects = speech.objects();
    match check.kind {
        CheckKind::Leak => {
            let leaked = objects.iter().rev().find(|o| o.freed.is_none() && o.made == check.span);
            leaked.map(|o| o.number).into_iter().collect()
        }
        CheckKind::Free => {
            let last = witness.run.trace.last();
            let seen = last.map_or(&[][..], |traced| &traced.values);
            let gone =
                |seen: &Seen| speech.object(seen.value).filter(|o| o.freed.is_some()).map(|o| o.number);
            seen.iter().filter_map(gone).collect()
        }
        _ => vec![],
    }
}

/// What the interpreter knows of a step.
fn remark(program: &Program, speech: &mut Speech<'_>, traced: &TraceStep) -> Remark {
    let (p, e) = traced.step.edge();
    let edge = &program.procs[p].edges[e];
    let mut out = Remark { outcome: outcome(program, &traced.step), ..Remark::default() };
    let written = |kind: fn(VarKind) -> bool| {
        let var = traced.values.first()?.place.as_var()?;
        kind(program.vars[var].kind).then(|| &traced.values[0])
    };
    let temporary = written(|kind| matches!(kind, VarKind::Temp(_)));
    let mut given = |speech: &mut Speech<'_>, name: &str| {
        if let Some(seen) = traced.values.first() {
            out.given.push(format!("{name}() returned {}", speech.value(seen)));
        }
    };
    match (traced.step, &edge.op) {
        (PathStep::Edge(..), Op::Havoc(_, HavocKind::Input(name))) => given(speech, name),
        (PathStep::Edge(..), Op::Havoc(_, HavocKind::Extern(name))) if temporary.is_some() => {
            given(speech, name)
        }
        (PathStep::Edge(..), Op::Havoc(_, HavocKind::Uninit)) => {}
        (PathStep::Edge(..), Op::Call { callee: Callee::Direct(q), .. }) if temporary.is_some() => {
            given(speech, &program.procs[*q].name);
        }
        (PathStep::Enter(.., callee), _) if program.procs[callee].is_model() => {}
        (PathStep::Leave(.., callee), _) if !program.procs[callee].is_model() => {
            for (name, value) in values(speech, &traced.values) {
                out.notes.push(format!("then {name} = {value}"));
            }
        }
        (PathStep::Edge(..), Op::Assign(..)) if edge.kind == EdgeKind::Statement => {
            if let Some(returned) = written(|kind| matches!(kind, VarKind::Return(_))) {
                out.notes.push(format!("returns {}", speech.value(returned)));
            }
            out.values = values(speech, &traced.values);
        }
        _ => out.values = values(speech, &traced.values),
    }
    out
}

/// The locations that the source knows, with their values.
fn values(speech: &mut Speech<'_>, seen: &[Seen]) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = vec![];
    for seen in seen {
        let Some(name) = speech.place(&seen.place) else { continue };
        if out.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let value = speech.value(seen);
        out.push((name, value));
    }
    out
}

/// Whether a value says nothing.
pub(crate) fn is_zero(value: Value) -> bool {
    matches!(value, Value::Int(0) | Value::Null)
}
