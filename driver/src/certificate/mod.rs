//! Certificates of safety: taken from the model checker's path edges, checked by newton, reported to the user.

mod json;

pub(crate) use json::{Claim, fingerprint, induction, integers, read, sets, write};

use crate::observers::record::count;
use alias::CellKind;
use base::Span;
pub(crate) use certificate::{Certificate, Flaw, Obligation, Report};
use results::proof::{self, Certified, Rechecked, Taken};
use std::fmt::Write;
use verify::Task;

/// Obligations that are not proved and listed at most.
const LISTED: usize = 5;

/// What a check found, in words.
pub(crate) fn text(task: &Task, report: &Report) -> String {
    if let Some(refuted) = report.refuted() {
        let (place, what) = described(task, refuted);
        return format!("certificate refuted at {place}: {what}\n");
    }
    let (proved, all) = (report.proved(), count(report.obligations, "obligation"));
    let mut out = if report.flaws.is_empty() {
        format!("certified: {proved} of {all}\n")
    } else {
        format!("not certified: {proved} of {all} shown\n")
    };
    for taken in relative_to(task) {
        let _ = writeln!(out, "  relative to {}", words(taken));
    }
    for (obligation, flaw) in report.flaws.iter().take(LISTED) {
        let (place, what) = described(task, *obligation);
        if let Flaw::Open(why) = flaw {
            let _ = writeln!(out, "  {place}: {what}: {why}");
        }
    }
    if report.flaws.len() > LISTED {
        let _ = writeln!(out, "  and {} more", report.flaws.len() - LISTED);
    }
    out
}

/// What is taken for granted, in words.
fn words(taken: Taken) -> &'static str {
    match taken {
        Taken::PointsTo => "the points-to analysis: which locations a pointer can reach",
        Taken::Slicing => "slicing: what was left out does not matter to the checks (--tune slice=off)",
        Taken::Propagation => {
            "the propagation of constants and copies: variables have the values put in (--tune propagate=off)"
        }
    }
}

/// What the certificate of the task's program takes for granted.
fn relative_to(task: &Task) -> Vec<Taken> {
    let by_name = |c| matches!(task.oracle.cell_kind(c), CellKind::Scalar { .. });
    let mut taken = vec![];
    // The first cell stands for what is not modelled, and every program has it.
    if !task.oracle.cell_ids().skip(1).all(by_name)
        || task.program.vars.ids().any(|v| task.oracle.address_taken(v))
    {
        taken.push(Taken::PointsTo);
    }
    if let Some(reduction) = &task.reduction {
        if 0 < reduction.procedures + reduction.globals + reduction.statements {
            taken.push(Taken::Slicing);
        }
        if 0 < reduction.constants + reduction.copies {
            taken.push(Taken::Propagation);
        }
    }
    taken
}

/// What the program's execution gave when it was repeated, in words and as results have it.
pub(crate) fn repeated(same: bool) -> (String, Certified) {
    let text = if same {
        "certified: the execution was repeated\n"
    } else {
        "not certified: the execution could not be repeated\n"
    };
    (text.into(), Certified::repeated(same))
}

/// What following all executions again gave, in words and as results have it.
pub(crate) fn followed(same: bool) -> (String, Certified) {
    let text = if same {
        "certified: all executions were followed again\n"
    } else {
        "not certified: the executions could not be followed again\n"
    };
    (text.into(), Certified::repeated(same))
}

/// What proving again gave that some checks hold by induction, in words.
pub(crate) fn held(checks: usize, same: bool) -> String {
    let checks = count(checks, "check");
    match same {
        true => format!("certified: {checks} shown again by induction\n"),
        false => format!("not certified: {checks} not shown again by induction\n"),
    }
}

/// What proving the invariants again gave, in words and as results have it.
pub(crate) fn inductive_again(inductive: &verify::cegar::Inductive, same: bool) -> (String, Certified) {
    let invariants = count(inductive.invariants.len(), "invariant");
    let over = count(inductive.turns, "turn");
    let text = if same {
        format!("certified: {invariants} hold by induction over {over} and imply the checks\n")
    } else {
        format!("not certified: {invariants} could not be shown again by induction over {over}\n")
    };
    (text, Certified::repeated(same))
}

/// What a check found, as results have it.
pub(crate) fn found(task: &Task, report: &Report) -> Certified {
    let flaw = |(obligation, flaw): &(Obligation, Flaw)| {
        let (place, what) = described(task, *obligation);
        let (refuted, reason) = match flaw {
            Flaw::Refuted => (true, None),
            Flaw::Open(why) => (false, Some(why.to_string())),
        };
        proof::Flaw { place, obligation: what, refuted, reason }
    };
    let claim = Rechecked::Sets {
        obligations: report.obligations,
        proved: report.proved(),
        by_graph: report.by_graph,
        relative_to: relative_to(task),
        flaws: report.flaws.iter().map(flaw).collect(),
    };
    Certified { claim, held: None }
}

/// What a check found, for `--stats`.
pub(crate) fn stats(report: &Report) -> [(&'static str, String); 4] {
    let verdict = match (report.refuted(), report.flaws.is_empty()) {
        (Some(_), _) => "refuted",
        (None, true) => "yes",
        (None, false) => "no",
    };
    [
        ("certified", verdict.to_owned()),
        ("obligations", report.obligations.to_string()),
        ("obligations-proved", report.proved().to_string()),
        ("obligations-by-graph", report.by_graph.to_string()),
    ]
}

/// The place of an obligation and what it says.
fn described(task: &Task, obligation: Obligation) -> (String, String) {
    let program = &task.program;
    let (p, e, what) = match obligation {
        Obligation::Start => {
            let span = program.procs[program.entry].span;
            return (place(task, span), "the initial states are in the set of the entry".to_owned());
        }
        Obligation::Check(p, e) => (p, e, "the check holds"),
        Obligation::Edge(p, e) => (p, e, "the step leads into the set behind it"),
        Obligation::Enter(p, e) => (p, e, "the call leads into the set of the callee's entry"),
    };
    let text = ir::print::edge(program, p, e);
    (place(task, program.procs[p].edges[e].span), format!("{what}, `{text}` in {}", program.procs[p].name))
}

fn place(task: &Task, span: Span) -> String {
    task.sources.short(span)
}
