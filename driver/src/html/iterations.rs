//! What each iteration of the loop did.

use crate::observers::record::count;
use results::Outcome;
use results::history::{self, Abstraction, Refinement};

/// An iteration.
pub(super) struct Iteration<'r> {
    pub of: &'r history::Iteration,
    pub summary: String,
    pub facts: Vec<String>,
    /// Longer texts to be unfolded, each with its title.
    pub texts: Vec<(&'static str, &'r str)>,
}

impl Iteration<'_> {
    /// Milliseconds of c2bp, bebop and newton.
    pub(super) fn ms(&self) -> u64 {
        let history::Iteration { c2bp, bebop, newton, .. } = self.of;
        let times =
            [c2bp.as_ref().map(|c| c.ms), bebop.as_ref().map(|b| b.ms), newton.as_ref().map(|n| n.ms)];
        times.into_iter().flatten().sum()
    }
}

/// Bytes of longer texts on one page.
const ROOM: usize = 1 << 20;

/// The iterations of a result; none where it does not tell.
pub(super) fn iterations(result: &Outcome) -> Vec<Iteration<'_>> {
    let mut left = ROOM;
    let one = |of| Iteration { of, summary: summary(of), facts: facts(of), texts: longer(of, &mut left) };
    result.history.iter().map(one).collect()
}

fn summary(of: &history::Iteration) -> String {
    let reached = match of.bebop.as_ref().map(|bebop| bebop.steps) {
        Some(Some(steps)) => format!("the abstraction reaches an error in {steps} steps"),
        Some(None) => "the abstraction reaches no error".to_owned(),
        None => "the model checker was not asked".to_owned(),
    };
    format!("{}, {reached}", count(of.predicates, "predicate"))
}

fn facts(of: &history::Iteration) -> Vec<String> {
    let mut out = vec![];
    out.extend(of.c2bp.as_ref().map(|Abstraction { edges, edges_kept, questions, by_prover, ms, .. }| {
        format!(
            "c2bp: {edges} statements abstracted, {edges_kept} kept; {questions} questions, {by_prover} to the prover; {ms} ms"
        )
    }));
    out.extend(
        of.bebop.as_ref().map(|bebop| format!("bebop: {} BDD nodes; {} ms", bebop.bdd_nodes, bebop.ms)),
    );
    if let Some(Refinement { answer, escalation, probe, ms, .. }) = &of.newton {
        out.extend(answer.as_ref().map(|answer| format!("newton: {answer}; {ms} ms")));
        out.extend([escalation, probe].into_iter().flatten().cloned());
    }
    out.extend(of.search.clone());
    let impossible = of.newton.iter().flat_map(|newton| &newton.impossible);
    out.extend(impossible.map(|cube| format!("impossible: {cube}")));
    out
}

/// The longer texts that there is room for.
fn longer<'r>(of: &'r history::Iteration, left: &mut usize) -> Vec<(&'static str, &'r str)> {
    let wanted = [
        ("The path that was refuted; * marks the steps that contradict each other", &of.path),
        ("What has changed in the boolean program", &of.changes),
        ("The boolean program", &of.abstraction),
    ];
    let mut out = vec![];
    for (title, text) in wanted {
        let Some(text) = text.as_deref().filter(|text| !text.is_empty()) else { continue };
        let room = text.len() <= *left;
        *left -= if room { text.len() } else { 0 };
        out.push((title, if room { text } else { "Left out, as the page is long; --save keeps it." }));
    }
    out
}
