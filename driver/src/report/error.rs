//! The report of an error: the execution that the interpreter made, in source terms, and its inputs.

use super::inputs;
use super::story::Story;
use super::{Answer, externs};
use crate::harness;
use crate::prepare::Task;
use base::{Diagnostic, Span};
use cli::{Verdict, terminal};
use executions::Witness;
use ir::{CheckKind, PathStep, Program};
use std::fmt::Write;

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
    let mut json = serde_json::json!({
        "replay": harness::again::record(task, witness),
        "kind": check.kind.name(), "place": place, "message": message,
        "location": super::location(&sources.file(at.file).name, at),
        "trace": story.json(), "objects": story.objects_json(),
        "inputs": inputs::json(&inputs), "steps": witness.run.steps,
        "undefined_functions": super::externs_json(task),
    });
    // A compiled program does not know of rules.
    if check.kind != CheckKind::Rule {
        json["harness"] = harness::by_hand(&plan).into();
    }
    if let (Some(rule), Some(state)) = (check.rule.as_deref(), story.rule_json()) {
        json["rule"] = rule.into();
        json["rule_state"] = state;
    }
    let verdict = Verdict::Unsafe { kind: check.title(), place };
    Answer { verdict, body, json, warnings: vec![] }
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
