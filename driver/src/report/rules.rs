//! The state of rules in reports: the action of a rule at a call is beside the line of the call, and the end of the
//! report gives the rule's state and since when it has it.

use super::listing::Remark;
use super::speech::Speech;
use crate::observers::record::count;
use base::{SourceMap, Span};
use executions::Witness;
use interp::TraceStep;
use ir::{Check, CheckKind, Op, PathStep, VarId};
use results::check::{self, Followed, Since};
use slic::RuleState;
use std::fmt::Write;
use verify::Task;

/// The name of the object that a rule follows, among its variables.
const WATCHED: &str = "watched";

/// That nothing breaks the rules; `asked` are the places where something could.
pub(super) fn kept(task: &Task, asked: &[&Check]) -> String {
    let names: Vec<&str> = task.rules.iter().map(|rule| rule.rule.as_str()).collect();
    let names = match names.len() {
        1 => format!("the rule {}", names[0]),
        _ => format!("the rules {}", names.join(", ")),
    };
    match asked.len() {
        0 => format!("SAFE: the program reaches nothing that could break {names}.\n"),
        n => format!("SAFE: no execution breaks {names} ({} where it could).\n", count(n, "place")),
    }
}

/// The variable of a rule that the step sets, and where in the program.
fn set<'t>(task: &'t Task, traced: &TraceStep) -> Option<(&'t RuleState, &'t str, VarId, Span)> {
    let PathStep::Edge(p, e) = traced.step else { return None };
    let proc = &task.whole.procs[p];
    let Op::Assign(lv, _) = &proc.edges[e].op else { return None };
    let v = lv.as_var()?;
    let of = |rule: &'t RuleState| {
        let (name, _) = rule.variables.iter().find(|(_, own)| *own == v)?;
        Some((rule, name.as_str()))
    };
    let (rule, name) = task.rules.iter().find_map(of)?;
    Some((rule, name, v, proc.locations[proc.edges[e].dst].span))
}

/// What stands beside the line where a rule changes its state.
pub(super) fn remark(task: &Task, speech: &mut Speech<'_>, traced: &TraceStep) -> Option<Remark> {
    let (rule, name, _, at) = set(task, traced)?;
    let (p, _) = traced.step.edge();
    let value = speech.value(traced.values.first()?);
    let state = [rule.rule.clone(), name.to_owned(), value.clone()];
    let mut out = Remark { of_rule: Some(at), rule_state: vec![state], ..Remark::default() };
    // The start is not a line.
    if p != task.whole.entry {
        let of = if task.rules.len() > 1 { format!("{}: ", rule.rule) } else { String::new() };
        out.notes.push(format!("{of}{name} = {value}"));
    }
    Some(out)
}

/// The state of a rule at the end of an execution.
pub(super) struct State {
    rule: String,
    /// The object that it follows, and where the program met it first.
    object: Option<(String, Span)>,
    /// Its variables: name, value, and where that was set; nothing where it is the first one.
    variables: Vec<(String, String, Option<Span>)>,
}

/// The state of the rule that a run breaks.
pub(super) fn states(task: &Task, witness: &Witness, speech: &mut Speech<'_>) -> Option<State> {
    let check = &task.whole.checks[witness.check];
    if check.kind != CheckKind::Rule {
        return None;
    }
    let rule = task.rules.iter().find(|r| Some(r.rule.as_str()) == check.rule.as_deref())?;
    let mut state = State { rule: rule.rule.clone(), object: None, variables: vec![] };
    for traced in &witness.run.trace {
        if let Some((_, name, v, at)) = set(task, traced).filter(|(of, ..)| of.rule == rule.rule) {
            let Some(seen) = traced.values.first().filter(|s| s.place.as_var() == Some(v)) else { continue };
            let value = speech.value(seen);
            let since = (traced.step.edge().0 != task.whole.entry).then_some(at);
            match state.variables.iter_mut().find(|(known, ..)| known == name) {
                Some((_, known, _)) if *known == value => {}
                Some(known) => *known = (name.to_owned(), value, since),
                None => state.variables.push((name.to_owned(), value, since)),
            }
        }
        // The comparison that has found the object reads it.
        let watched = rule.variables.iter().find(|(name, _)| name == WATCHED);
        let is_comparison =
            |p, e| matches!(&task.whole.procs[p].edges[e].op, Op::Assume(c) if is_equality(c));
        if let (Some((_, v)), PathStep::Edge(p, e)) = (watched, traced.step)
            && is_comparison(p, e)
            && let Some(seen) = traced.values.iter().find(|s| s.place.as_var() == Some(*v))
        {
            let proc = &task.whole.procs[p];
            let at = state.object.take().map_or(proc.locations[proc.edges[e].dst].span, |(_, at)| at);
            state.object = Some((speech.value(seen), at));
        }
    }
    Some(state)
}

fn is_equality(condition: &ir::Expr) -> bool {
    matches!(condition, ir::Expr::Binary(ir::BinOp::Eq, ..))
}

impl State {
    /// In lines.
    pub(super) fn text(&self, sources: &SourceMap) -> String {
        let mut out = format!("rule {}", self.rule);
        if let Some((object, met)) = &self.object {
            let _ = write!(out, ", for {object} (first at {})", sources.short(*met));
        }
        let each = |(name, value, since): &(String, String, Option<Span>)| match since {
            Some(at) => format!("{name} = {value} since {}", sources.short(*at)),
            None => format!("{name} = {value} from the start"),
        };
        let all: Vec<String> = self.variables.iter().map(each).collect();
        if !all.is_empty() {
            let _ = write!(out, ": {}", all.join(", "));
        }
        out.push('\n');
        out
    }

    /// As results have it.
    pub(super) fn whole(&self, sources: &SourceMap) -> check::RuleState {
        let variable = |(name, value, since): &(String, String, Option<Span>)| Since {
            name: name.clone(),
            value: value.clone(),
            since: since.map(|at| sources.short(at)),
        };
        let followed =
            |(name, met): &(String, Span)| Followed { name: name.clone(), first: sources.short(*met) };
        check::RuleState {
            object: self.object.as_ref().map(followed),
            state: self.variables.iter().map(variable).collect(),
        }
    }
}
