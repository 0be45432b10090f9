//! One iteration of the loop, in words.

use crate::report::listing::{Source, shortened, text};
use base::Span;
use c2bp::Moment;
use ir::PathStep;
use predicates::{Precision, PredId, Scope};
use results::history;
use std::fmt::Write;
use std::time::Duration;
use verify::Task;
use verify::cegar::{Abstracted, Blocked, Escalation, Found, PathAnswer, Probes, Record, Refined};

/// Longest text of a step.
const STEP: usize = 48;

/// The time as logs write it: milliseconds, or seconds from ten on.
pub(crate) fn time(t: Duration) -> String {
    if t.as_secs() >= 10 { format!("{:.1} s", t.as_secs_f64()) } else { format!("{} ms", t.as_millis()) }
}

/// `1 predicate`, `3 predicates`.
pub(crate) fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

fn line(out: &mut String, stage: &str, what: &str, t: Duration, rest: &str) {
    let text = format!("  {stage:<8} {what:<52} {:>8}  {rest}", time(t));
    let _ = writeln!(out, "{}", text.trim_end());
}

/// Turns the events of the loop into words.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    /// The program.
    pub task: &'a Task,
    /// The predicates.
    pub precision: &'a Precision,
}

/// What `-vv` shows of an iteration besides.
#[derive(Debug, Default)]
pub(crate) struct More {
    /// What has changed in the boolean program.
    pub changes: String,
    /// The path, with the steps marked that contradict each other.
    pub path: String,
}

impl Words<'_> {
    /// A predicate.
    pub(crate) fn predicate(&self, id: PredId) -> String {
        self.precision.get(id).text(&self.task.program)
    }

    /// A predicate that was found.
    pub(crate) fn found(&self, found: &Found) -> history::Found {
        let (task, program) = (self.task, &self.task.program);
        let step = found.step.as_ref();
        history::Found {
            predicate: self.predicate(found.predicate),
            scope: match self.precision.get(found.predicate).scope {
                Scope::Global => "global".into(),
                Scope::Proc(p) => program.procs[p].name.clone(),
            },
            refiner: found.finder.name().into(),
            step: step
                .map_or(String::new(), |s| format!("`{}`", shortened(&text(Source::of(task), s), STEP))),
            place: step.map_or(String::new(), |s| task.sources.short(span(task, s))),
        }
    }

    /// The predicates that the path of an iteration has given, each with the index of the step that needs it.
    pub(super) fn of_path(&self, record: &Record) -> Vec<(usize, String)> {
        let found = record.refinement.iter().flat_map(|refined| &refined.found);
        found.filter_map(|f| Some((f.index?, self.predicate(f.predicate)))).collect()
    }

    /// A blocked cube.
    pub(super) fn blocked(&self, blocked: &Blocked) -> String {
        let program = &self.task.program;
        let literal = |id: PredId, next: bool, value: bool| {
            let (not, next) = (if value { "" } else { "!" }, if next { "'" } else { "" });
            format!("{not}{next}{{{}}}", self.predicate(id))
        };
        match blocked {
            Blocked::State(proc, cube) => {
                let cube: Vec<String> = cube.iter().map(|(id, value)| literal(*id, false, *value)).collect();
                format!("{} in {}", cube.join(" "), program.procs[*proc].name)
            }
            Blocked::Step((p, e), clause) => {
                let one = |(id, moment, value): &(PredId, Moment, bool)| {
                    literal(*id, *moment == Moment::After, *value)
                };
                let clause: Vec<String> = clause.iter().map(one).collect();
                let place = self.task.sources.short(program.procs[*p].edges[*e].span);
                format!("{} at {place}", clause.join(" "))
            }
        }
    }

    /// What was found, line by line.
    fn lines(&self, refined: &Refined) -> String {
        let mut out = String::new();
        if let Some(p) = refined.probed {
            let _ = writeln!(out, "           {}", probes(p));
        }
        for f in &refined.found {
            let f = self.found(f);
            let text = format!("+ {{{}}}", f.predicate);
            let _ =
                writeln!(out, "           {text:<29}  {:<12} {}: {} {}", f.scope, f.refiner, f.step, f.place);
        }
        for blocked in &refined.blocked {
            let _ = writeln!(out, "           - {}", self.blocked(blocked));
        }
        if let Some(e) = refined.escalation {
            let _ = writeln!(out, "           {}", escalation(e));
        }
        out
    }

    /// The block of the log (`-v`), with `more` of it (`-vv`).
    pub(crate) fn block(&self, record: &Record, more: &More) -> String {
        let mut out = format!("iteration {:<3} {}\n", record.number, count(record.predicates, "predicate"));
        if let Some(p) = record.searched {
            let _ = writeln!(out, "  {}", searched(p));
        }
        if let Some(a) = &record.abstraction {
            let s = &a.stats;
            let all = count(s.abstracted + s.reused, "edge");
            let what = format!("{all}: {} abstracted, {} kept", s.abstracted, s.reused);
            let calls = count(s.prover_calls as usize, "prover call");
            line(&mut out, "c2bp", &what, a.time, &calls);
            out.push_str(&questions(a));
        }
        out.push_str(&more.changes);
        if let Some(r) = &record.reachability {
            let what = match r.steps {
                Some(n) => match r.vertices {
                    Some(vertices) => {
                        format!("error reachable in {} ({vertices} vertices)", count(n, "step"))
                    }
                    None => format!("error reachable in {} ({} BDD nodes)", count(n, "step"), r.bdd_nodes),
                },
                None => {
                    let vertices = r.vertices.unwrap_or_default();
                    format!("error unreachable ({vertices} vertices, {} BDD nodes)", r.bdd_nodes)
                }
            };
            line(&mut out, r.checker, &what, r.time, "");
        }
        out.push_str(&more.path);
        if let Some(n) = &record.refinement {
            line(&mut out, "newton", &refined_answer(n), n.time, "");
            out.push_str(&self.lines(n));
        }
        out
    }

    /// The text of `refinement.txt`; empty when there was no path.
    pub(crate) fn refinement_text(&self, record: &Record) -> String {
        let Some(n) = &record.refinement else { return String::new() };
        format!("{}\n{}", refined_answer(n), self.lines(n))
    }

    /// The place of the check at the end of the path, `file.c:12`.
    pub(super) fn check(&self, record: &Record) -> Option<String> {
        Some(self.task.sources.short(self.task.program.checks[record.check?].span))
    }
}

/// The place of a step.
pub(crate) fn span(task: &Task, step: &PathStep) -> Span {
    let (p, e) = step.edge();
    task.program.procs[p].edges[e].span
}

/// What the analysis of a path says, and how many others were analysed beside it.
pub(crate) fn refined_answer(refined: &Refined) -> String {
    let steps = count(refined.steps, "step");
    let answer = match &refined.answer {
        PathAnswer::Feasible(inputs) => format!("feasible: {steps}, {}", count(*inputs, "input")),
        PathAnswer::Refuted(None) => format!("refuted: {steps}"),
        PathAnswer::Refuted(Some((core, refiner))) => {
            format!("refuted: {core} of {steps} matter ({})", refiner.name())
        }
        PathAnswer::GaveUp(why) => format!("gave up: {why}"),
    };
    let further = [
        (refined.others, "to other checks"),
        (refined.by_calls, "by other calls"),
        (refined.around, "around it"),
    ];
    let further: Vec<String> = (further.iter().filter(|(n, _)| *n > 0))
        .map(|(n, what)| format!("{} {what}", count(*n, "path")))
        .collect();
    if further.is_empty() { answer } else { format!("{answer}, and {}", further.join(", ")) }
}

/// What further executions gave.
pub(super) fn searched(probes: Probes) -> String {
    match probes.fails {
        true => format!("probe: further execution {} fails a check", probes.runs),
        false => format!("probe: {}, no check fails", count(probes.runs, "further execution")),
    }
}

pub(super) fn probes(probes: Probes) -> String {
    if probes.fails {
        return format!("probe: an execution with inputs of this path ({}.) fails a check", probes.runs);
    }
    format!("probe: {} with inputs of this path, no check fails", count(probes.runs, "execution"))
}

/// What is done for lack of new predicates.
pub(crate) fn escalation(escalation: Escalation) -> String {
    match escalation {
        Escalation::LongerCubes(most) => {
            format!("no new predicate: conjunctions of up to {most} predicates from now on")
        }
        Escalation::ExactStatements(more) => {
            format!("no new predicate: {more} statements of the path are abstracted exactly from now on")
        }
    }
}

/// Who answered the questions, and the cubes tried; empty when nothing was asked.
fn questions(made: &Abstracted) -> String {
    let s = &made.stats;
    if s.questions == 0 {
        return String::new();
    }
    let who = [
        (s.folded, "folded"),
        (s.cached, "cached"),
        (s.by_syntax, "by syntax"),
        (s.by_prover, "by the prover"),
    ];
    let who: Vec<String> =
        who.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    let mut text = format!("           {}: {}", count(s.questions as usize, "question"), who.join(", "));
    if s.cubes > 0 {
        let _ = write!(text, "; {}", count(s.cubes as usize, "cube"));
    }
    if s.gave_up > 0 {
        let _ = write!(text, "; the prover gave up {} times", s.gave_up);
    }
    text + "\n"
}
#[cfg(test)]
mod tests {
    use super::super::figures::{csv, csv_head, iteration};
    use super::*;
    use crate::options::Preparation;
    use base::Id;
    use cli::children::Scratch;
    use expect_test::expect;
    use ir::{CheckId, EdgeId};
    use newton::Refiner;
    use predicates::Predicate;
    use verify::cegar::Checked;

    const TEXT: &str =
        "void assert(int);\nint locked;\nint main(void) {\n  assert(locked == 0);\n  return 0;\n}\n";

    /// The task, and the folder of its file.
    fn task() -> (Task, String) {
        let scratch = Scratch::new("slam-record").expect("a folder");
        let folder = format!("{}/", scratch.path().display());
        let file = scratch.path().join("a.c");
        std::fs::write(&file, TEXT).expect("it can be written");
        let front =
            cfront::load(&[file], &cfront::Options::default()).unwrap_or_else(|_| panic!("it is right"));
        let options = Preparation { no_propagate: true, no_slice: true, ..Preparation::default() };
        let settings = options.settings(cfront::ExternPolicy::default());
        let task = Task::new(front, &verify::Preparation { settings, ..verify::Preparation::default() });
        (task.unwrap_or_else(|_| panic!("it is simple")), folder)
    }

    /// What an iteration did that found `locked == 0` at the check.
    fn record(task: &Task) -> (Record, Precision) {
        let check = CheckId::from_index(0);
        let proc = task.program.checks[check].proc;
        let edges = task.program.procs[proc].edges.iter_enumerated();
        let is_check = |e: &ir::Edge| matches!(e.op, ir::Op::Check(..));
        let edge: EdgeId = edges.filter(|(_, e)| is_check(e)).map(|(id, _)| id).next().expect("it is there");
        let expr =
            ir::parse::expr("locked == 0", &task.program, None).unwrap_or_else(|_| panic!("it is right"));
        let mut precision = Precision::new();
        let (predicate, _) = precision.add(Predicate { scope: Scope::Global, expr });
        let mut refined = Refined::new(9, PathAnswer::Refuted(Some((4, Refiner::Wp))));
        refined.found = vec![Found {
            predicate,
            finder: verify::cegar::Finder::Path(Refiner::Wp),
            step: Some(PathStep::Edge(proc, edge)),
            index: None,
        }];
        let stats = c2bp::Stats {
            abstracted: 5,
            reused: 36,
            questions: 44,
            folded: 21,
            cached: 9,
            by_syntax: 10,
            by_prover: 4,
            cubes: 66,
            prover_calls: 14,
            ..c2bp::Stats::default()
        };
        let checked = Checked { checker: "bebop", steps: Some(9), vertices: Some(17), ..Checked::default() };
        let record = Record {
            number: 2,
            check: Some(check),
            predicates: 1,
            searched: None,
            abstraction: Some(Abstracted { stats, ..Abstracted::default() }),
            reachability: Some(checked),
            refinement: Some(refined),
        };
        (record, precision)
    }

    #[test]
    fn block_of_the_log() {
        let (task, folder) = task();
        let (record, precision) = record(&task);
        let words = Words { task: &task, precision: &precision };
        expect![[r#"
            iteration 2   1 predicate
              c2bp     41 edges: 5 abstracted, 36 kept                          0 ms  14 prover calls
                       44 questions: 21 folded, 9 cached, 10 by syntax, 4 by the prover; 66 cubes
              bebop    error reachable in 9 steps (17 vertices)                 0 ms
              newton   refuted: 4 of 9 steps matter (weakest preconditions)     0 ms
                       + {locked == 0}                global       wp: `assert(locked == 0)` a.c:4
        "#]]
        .assert_eq(&words.block(&record, &More::default()).replace(&folder, ""));
    }

    #[test]
    fn tables_have_as_many_columns_as_their_head() {
        let (task, _) = task();
        let (record, precision) = record(&task);
        let words = Words { task: &task, precision: &precision };
        let columns = |s: &str| s.split(',').count();
        assert_eq!(columns(&csv(words, &record)), columns(&csv_head()));
        let newton = iteration(words, &record).newton.expect("there is a path");
        assert_eq!(newton.new[0].scope, "global");
    }
}
