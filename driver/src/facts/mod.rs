//! Facts about places of the program as text, one a line: what `--dump-invariants` writes, and what `--invariants` reads as
//! candidates.
//!
//! ```text
//! sum.c:7: loop: 0 <= i && i <= n  // observed
//! sum.c:9:5: loop: forall k in [0, i): a[k] == 0  // observed
//! sum.c:20: entry of depth: n >= 0  // conditions
//! sum.c:20: exit of depth: result <= n
//! ```
//!
//! Without a word for the place a line is about the loop that begins there. `//` begins a comment.
//!
//! Invariant: whatever is read is a candidate, and never believed.

mod followed;
pub(crate) mod given;
mod read;
mod tell;
mod write;

pub(crate) use results::proof::Kind;
pub(crate) use tell::{all, candidates, lines, not_shown, outcome};
pub(crate) use write::text;

use crate::report::listing::Source;
use crate::witness::Texts;
use crate::witness::places::At;
use crate::witness::scope::Scope;
use base::Span;
use ir::loop_nesting::{heads, nesting};
use ir::{Expr, LocId, ProcId, Program};
use std::collections::BTreeSet;
use std::path::PathBuf;
use verify::Task;
use verify::cegar::{Fact, Proof};

/// Loops without a keyword are reported up to this depth of nesting.
const NESTED: usize = 20;

/// The places of a program that facts are about.
struct Places<'t> {
    program: &'t Program,
    /// The heads of loops, those that jumps make included.
    heads: BTreeSet<(ProcId, LocId)>,
}

impl<'t> Places<'t> {
    fn of(program: &'t Program) -> Places<'t> {
        let mut found = BTreeSet::new();
        for (p, proc) in program.procs.iter_enumerated().filter(|(_, proc)| proc.has_body) {
            let keywords = proc.locations.iter_enumerated().filter(|(_, location)| location.loop_head);
            found.extend(keywords.map(|(l, _)| (p, l)));
            found.extend(heads(&nesting(proc, NESTED).unwrap_or_default()).into_iter().map(|l| (p, l)));
        }
        Places { program, heads: found }
    }

    /// What kind of place a location is, and where it stands; that of a procedure is where that begins.
    fn place(&self, (p, l): (ProcId, LocId)) -> Option<(Kind, Span)> {
        let proc = &self.program.procs[p];
        match () {
            () if self.heads.contains(&(p, l)) => Some((Kind::Loop, proc.locations[l].span)),
            () if l == proc.entry => Some((Kind::Entry, proc.span)),
            () if l == proc.exit => Some((Kind::Exit, proc.span)),
            () => None,
        }
    }
}

/// All that is accepted as fact at the end of a run, in the order of the source: what induction has shown, of a proof what the
/// abstraction reaches, and the bounds by which checks hold.
pub(crate) fn accepted(task: &Task, proof: Option<&Proof>, shown: &[Fact]) -> Vec<Fact> {
    let mut all: Vec<Fact> = vec![];
    let bounds = if task.left_out.is_none() { bounds(task) } else { vec![] };
    let of_proof = proof.into_iter().flat_map(|proof| proof.facts.iter().cloned());
    let mut known = BTreeSet::new();
    for fact in shown.iter().cloned().chain(of_proof).chain(bounds) {
        // The same condition may come in integers of several kinds.
        if known.insert((fact.at, write::condition(&task.program, &fact))) {
            all.push(fact);
        }
    }
    let followed = followed::Followed::of(task);
    all.retain(|fact| {
        let ends = fact.for_all.iter().flat_map(|range| [&range.from, &range.to]);
        ends.chain([&fact.condition]).all(|e| followed.covers(e) && !has_ghosts(task, e))
    });
    // Stable: those at one place stay as they were found.
    let places = Places::of(&task.program);
    all.sort_by_key(|fact| places.place(fact.at).map(|(kind, span)| (span, kind)));
    all
}

/// Whether an expression reads what checks keep beside the program.
fn has_ghosts(task: &Task, e: &Expr) -> bool {
    predicates::predicate::variables(e).iter().any(|v| task.words.ghosts.contains(v))
}

/// The bounds of integers at loops that checks hold by.
fn bounds(task: &Task) -> Vec<Fact> {
    let mut out = vec![];
    if task.facts.held().next().is_none() {
        return out;
    }
    for (p, proc) in task.program.procs.iter_enumerated() {
        for (l, _) in proc.locations.iter_enumerated().filter(|(_, location)| location.loop_head) {
            out.extend(task.facts.relevant_at(p, l).into_iter().map(|condition| Fact {
                at: (p, l),
                for_all: None,
                condition: condition.clone(),
                source: verify::cegar::Source::Computed,
            }));
        }
    }
    out
}

/// What names mean at places of the program.
pub(crate) struct Names<'t> {
    source: Source<'t>,
    texts: Texts,
    places: Places<'t>,
}

impl<'t> Names<'t> {
    /// Those of a task, with the texts of the files in which its loops stand.
    pub(crate) fn of(task: &'t Task) -> Names<'t> {
        let places = Places::of(&task.whole);
        let spans = places.heads.iter().map(|(p, l)| task.whole.procs[*p].locations[*l].span);
        let files: BTreeSet<PathBuf> = spans
            .map(|span| PathBuf::from(&task.sources.file(span.file).name))
            .filter(|path| path.is_file())
            .collect();
        let files: Vec<PathBuf> = files.into_iter().collect();
        Names { source: Source::of(task), texts: Texts::read(&files), places }
    }

    /// What a loop sees; nothing where its text is not known, and at entries and exits: names are those of C-- there.
    pub(crate) fn scope(&self, (p, l): (ProcId, LocId)) -> Option<Scope<'_>> {
        let (kind, span) = self.places.place((p, l))?;
        let at: At = self.texts.start(self.source.sources, span).filter(|_| kind == Kind::Loop)?;
        Some(Scope { source: self.source, texts: &self.texts, proc: p, at })
    }
}
