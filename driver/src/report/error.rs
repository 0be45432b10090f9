//! The report of an error: the execution that the interpreter made, in source terms, and its inputs.

use super::inputs;
use super::story::Story;
use super::{Answer, externs};
use crate::harness;
use base::{Diagnostic, Span};
use cli::{Verdict, terminal};
use executions::Witness;
use ir::{CheckKind, PathStep, Program};
use results::Outcome;
use std::fmt::Write;
use verify::Task;

/// The answer about a program with an error.
pub(crate) fn answer(task: &Task, witness: &Witness) -> Answer {
    let (program, sources) = (&task.whole, &task.sources);
    let check = &program.checks[witness.check];
    let (at, message) = match inside_model(program, witness) {
        Some((call, model)) => (call, format!("{} (inside {model})", check.message)),
        None => (check.span, check.message.to_string()),
    };
    let place = sources.short(at);
    let mut body = Diagnostic::error(at, &*message).styled(sources);
    body.push('\n');
    let mut story = Story::new(task, witness);
    body.push_str(&story.text());
    body.push('\n');
    let plan = harness::plan(task, witness);
    let inputs = inputs::inputs(task, witness, &plan, story.speech());
    let mut rest = inputs::text(&inputs);
    let reached = match check.kind {
        CheckKind::Leak => "the end of the program".to_owned(),
        CheckKind::Rule if check.proc == program.entry => "the end of the program".to_owned(),
        _ => format!("line {}", at.start.line),
    };
    let _ = writeln!(rest, "replayed: the interpreter reaches {reached} with these inputs.");
    if task.caller.is_some() {
        let _ = writeln!(
            rest,
            "{}: the text that calls the function; `slam harness` prints it.",
            cfront::HARNESS
        );
    }
    rest.push_str(&externs(task));
    body.push_str(&terminal::fitted(&rest));
    let broken = check.rule.as_deref().zip(story.rule_state()).unzip();
    let outcome = Outcome {
        replay: Some(harness::again::record(task, witness)),
        kind: Some(check.kind.name().into()),
        place: Some(Some(place.clone())),
        message: Some(message),
        location: Some(super::location(&sources.file(at.file).name, at)),
        trace: Some(story.trace()),
        objects: Some(story.objects()),
        inputs: Some(inputs),
        steps: Some(witness.run.steps),
        undefined_functions: Some(super::undefined_functions(task)),
        // A compiled program does not know of rules.
        harness: (check.kind != CheckKind::Rule).then(|| harness::by_hand(&plan)),
        rule: broken.0.map(str::to_owned),
        rule_state: broken.1,
        ..Outcome::default()
    };
    let verdict = Verdict::Unsafe { kind: check.title(), place };
    Answer { verdict, body, outcome }
}

/// The program's call of the model of a library function in which the check fails, and the function.
pub(crate) fn inside_model<'p>(program: &'p Program, witness: &Witness) -> Option<(Span, &'p str)> {
    let proc = program.checks[witness.check].proc;
    if !program.procs[proc].is_model() {
        return None;
    }
    witness.run.trace.iter().rev().find_map(|traced| match traced.step {
        PathStep::Enter(p, e, q) if !program.procs[p].is_model() && program.procs[q].is_model() => {
            Some((program.procs[p].edges[e].span, program.procs[q].library_name()))
        }
        _ => None,
    })
}
