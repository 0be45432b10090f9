//! What one iteration of the loop did, as a block of the log, a line of `cegar.csv` and a line of `cegar.jsonl`.
//!
//! Invariant: apart from times, everything in a record is the same for every run and any number of threads.

use cli::slam::Engine;
use std::fmt::Write;
use std::time::Duration;

/// One iteration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// Its number, from 1.
    pub number: usize,
    /// The check at the end of its path, `file.c:12`; `None` when there was no path.
    pub check: Option<String>,
    /// Predicates at its start.
    pub predicates: usize,
    /// The abstraction; `None` when it was not finished, as below.
    pub abstraction: Option<Abstracted>,
    /// The model checker's run.
    pub reachability: Option<Checked>,
    /// The path's analysis; `None` when there was no path.
    pub refinement: Option<Refined>,
}

/// What the abstraction did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Abstracted {
    /// What the questions took.
    pub stats: c2bp::Stats,
    /// Time.
    pub time: Duration,
}

/// What the model checker did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checked {
    /// Which one.
    pub engine: Engine,
    /// Length of the path to the error, if there is one.
    pub steps: Option<usize>,
    /// Vertices of the boolean program that were reached, if they were counted.
    pub vertices: Option<usize>,
    /// Nodes of decision diagrams.
    pub bdd_nodes: usize,
    /// Time.
    pub time: Duration,
}

/// What the path's analysis found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refined {
    /// The answer in words: "refuted: 4 of 9 steps matter (weakest preconditions)".
    pub answer: String,
    /// Refiners that refuted the path.
    pub refutations: usize,
    /// What executions close to the path showed.
    pub probed: Option<String>,
    /// Predicates found that were not known.
    pub found: Vec<Found>,
    /// Combinations of predicates that no state has, cut from now on.
    pub cut: Vec<String>,
    /// What the loop does about a lack of new predicates.
    pub escalation: Option<String>,
    /// Time.
    pub time: Duration,
}

/// A predicate and why it was added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// Its text.
    pub text: String,
    /// `global`, or the name of its procedure.
    pub scope: String,
    /// The refiner that found it.
    pub refiner: String,
    /// The source text of the step for which it was found.
    pub step: String,
    /// The place of that step, `file.c:12`.
    pub place: String,
}

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

impl Refined {
    /// Whether the path cannot come back.
    pub(crate) fn is_progress(&self) -> bool {
        !self.found.is_empty() || !self.cut.is_empty()
    }

    /// What was found, line by line.
    fn lines(&self) -> String {
        let mut out = String::new();
        if let Some(text) = &self.probed {
            let _ = writeln!(out, "           {text}");
        }
        out.push_str(&found_lines(&self.found));
        for text in &self.cut {
            let _ = writeln!(out, "           - {text}");
        }
        if let Some(text) = &self.escalation {
            let _ = writeln!(out, "           {text}");
        }
        out
    }
}

impl Abstracted {
    /// Who answered the questions, and the cubes tried; empty when nothing was asked.
    fn questions(&self) -> String {
        let s = &self.stats;
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
}

impl Record {
    /// The block of the log (`-v`).
    pub(crate) fn block(&self) -> String {
        let mut out = format!("iteration {:<3} {}\n", self.number, count(self.predicates, "predicate"));
        if let Some(a) = &self.abstraction {
            let s = &a.stats;
            let what = if self.number <= 1 {
                format!("{} abstracted", count(s.abstracted + s.reused, "edge"))
            } else {
                format!("{} re-abstracted, {} kept", count(s.abstracted, "edge"), s.reused)
            };
            let calls = count(s.prover_calls as usize, "prover call");
            line(&mut out, "c2bp", &what, a.time, &calls);
            out.push_str(&a.questions());
        }
        if let Some(r) = &self.reachability {
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
            let engine = match r.engine {
                Engine::Bebop => "bebop",
                Engine::Getafix => "getafix",
                Engine::Zing => "zing",
            };
            line(&mut out, engine, &what, r.time, "");
        }
        if let Some(n) = &self.refinement {
            line(&mut out, "newton", &n.answer, n.time, "");
            out.push_str(&n.lines());
        }
        out
    }

    /// The head of `cegar.csv`.
    pub(crate) const CSV_HEAD: &str = "iteration,predicates,edges,edges_kept,questions,folded,cached,by_syntax,by_prover,cubes,prover_calls,c2bp_ms,\
                                steps,vertices,bdd_nodes,bebop_ms,new_predicates,newton_ms,refutations,impossible,escalated,check\n";

    /// The line of `cegar.csv`.
    pub(crate) fn csv(&self) -> String {
        let a = self.abstraction.clone().unwrap_or_default();
        let r = self.reachability.clone().unwrap_or_default();
        let n = self.refinement.clone().unwrap_or_default();
        format!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
            self.number,
            self.predicates,
            a.stats.abstracted,
            a.stats.reused,
            a.stats.questions,
            a.stats.folded,
            a.stats.cached,
            a.stats.by_syntax,
            a.stats.by_prover,
            a.stats.cubes,
            a.stats.prover_calls,
            a.time.as_millis(),
            r.steps.map_or(String::new(), |n| n.to_string()),
            r.vertices.map_or(String::new(), |n| n.to_string()),
            r.bdd_nodes,
            r.time.as_millis(),
            n.found.len(),
            n.time.as_millis(),
            n.refutations,
            n.cut.len(),
            u8::from(n.escalation.is_some()),
            quoted(self.check.as_deref().unwrap_or_default())
        )
    }

    /// The line of `cegar.jsonl`.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "iteration": self.number,
            "check": self.check,
            "predicates": self.predicates,
            "c2bp": self.abstraction.as_ref().map(|a| serde_json::json!({
                "edges": a.stats.abstracted, "edges_kept": a.stats.reused, "questions": a.stats.questions,
                "folded": a.stats.folded, "cached": a.stats.cached, "by_syntax": a.stats.by_syntax,
                "by_prover": a.stats.by_prover, "cubes": a.stats.cubes, "prover_calls": a.stats.prover_calls,
                "prover_gave_up": a.stats.gave_up, "ms": a.time.as_millis() as u64,
            })),
            "bebop": self.reachability.as_ref().map(|r| serde_json::json!({
                "steps": r.steps, "vertices": r.vertices, "bdd_nodes": r.bdd_nodes,
                "ms": r.time.as_millis() as u64,
            })),
            "newton": self.refinement.as_ref().map(|n| serde_json::json!({
                "answer": n.answer,
                "refutations": n.refutations,
                "new": n.found.iter().map(Found::json).collect::<Vec<_>>(),
                "impossible": n.cut,
                "escalation": n.escalation,
                "probe": n.probed,
                "ms": n.time.as_millis() as u64,
            })),
        })
    }

    /// The text of `refinement.txt`; empty when there was no path.
    pub(crate) fn refinement_text(&self) -> String {
        let Some(n) = &self.refinement else { return String::new() };
        format!("{}\n{}", n.answer, n.lines())
    }
}

/// Sums over all iterations, for `--stats`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    abstraction: c2bp::Stats,
    c2bp: Duration,
    bebop: Duration,
    newton: Duration,
    most_nodes: usize,
}

impl Totals {
    /// Adds an iteration.
    pub(crate) fn add(&mut self, record: &Record) {
        if let Some(a) = &record.abstraction {
            self.abstraction += a.stats;
            self.c2bp += a.time;
        }
        if let Some(r) = &record.reachability {
            self.bebop += r.time;
            self.most_nodes = self.most_nodes.max(r.bdd_nodes);
        }
        self.newton += record.refinement.as_ref().map_or(Duration::ZERO, |n| n.time);
    }

    /// How long each stage has taken.
    pub(crate) fn times(&self) -> [(&'static str, Duration); 3] {
        [("c2bp", self.c2bp), ("bebop", self.bebop), ("newton", self.newton)]
    }

    /// Names and values, as of the last iteration.
    pub(crate) fn stats(&self, last: &Record, predicates: usize) -> Vec<(String, String)> {
        let ms = |t: Duration| t.as_millis().to_string();
        let s = &self.abstraction;
        [
            ("iterations", last.number.to_string()),
            ("predicates", predicates.to_string()),
            ("statements-abstracted", s.abstracted.to_string()),
            ("statements-kept", s.reused.to_string()),
            ("questions", s.questions.to_string()),
            ("questions-folded", s.folded.to_string()),
            ("questions-cached", s.cached.to_string()),
            ("questions-by-syntax", s.by_syntax.to_string()),
            ("questions-by-prover", s.by_prover.to_string()),
            ("cubes", s.cubes.to_string()),
            ("prover-problems", s.prover_problems.to_string()),
            ("prover-calls", s.prover_calls.to_string()),
            ("prover-gave-up", s.gave_up.to_string()),
            ("bdd-nodes", self.most_nodes.to_string()),
            ("c2bp-ms", ms(self.c2bp)),
            ("bebop-ms", ms(self.bebop)),
            ("newton-ms", ms(self.newton)),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
    }
}

impl Found {
    fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "predicate": self.text, "scope": self.scope, "refiner": self.refiner,
            "step": self.step, "place": self.place,
        })
    }
}

/// A field of a table: in quotes where it has commas or quotes.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn found_lines(found: &[Found]) -> String {
    let mut out = String::new();
    for f in found {
        let text = format!("+ {{{}}}", f.text);
        let _ = writeln!(out, "           {text:<29}  {:<12} {}: {} {}", f.scope, f.refiner, f.step, f.place);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn record() -> Record {
        let found = Found {
            text: "locked == 0".into(),
            scope: "global".into(),
            refiner: "wp".into(),
            step: "`if (locked != 0)`".into(),
            place: "a.c:9".into(),
        };
        Record {
            number: 2,
            check: Some("a.c:9".into()),
            predicates: 1,
            abstraction: Some(Abstracted {
                stats: c2bp::Stats {
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
                },
                ..Abstracted::default()
            }),
            reachability: Some(Checked { steps: Some(9), vertices: Some(17), ..Checked::default() }),
            refinement: Some(Refined {
                answer: "refuted: 4 of 9 steps matter".into(),
                found: vec![found],
                ..Refined::default()
            }),
        }
    }

    #[test]
    fn the_engine_that_ran_is_named() {
        let checked = Checked { engine: Engine::Getafix, steps: Some(1), ..Checked::default() };
        let text = Record { reachability: Some(checked), ..Record::default() }.block();
        assert!(text.contains("  getafix  error reachable in 1 step"), "{text}");
    }

    #[test]
    fn block_of_the_log() {
        expect![[r#"
            iteration 2   1 predicate
              c2bp     5 edges re-abstracted, 36 kept                           0 ms  14 prover calls
                       44 questions: 21 folded, 9 cached, 10 by syntax, 4 by the prover; 66 cubes
              bebop    error reachable in 9 steps (17 vertices)                 0 ms
              newton   refuted: 4 of 9 steps matter                             0 ms
                       + {locked == 0}                global       wp: `if (locked != 0)` a.c:9
        "#]]
        .assert_eq(&record().block());
    }

    #[test]
    fn tables_have_as_many_columns_as_their_head() {
        let columns = |s: &str| s.split(',').count();
        assert_eq!(columns(&record().csv()), columns(Record::CSV_HEAD));
        assert_eq!(record().json()["newton"]["new"][0]["scope"], "global");
    }
}
