//! A prover that counts.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::model::Model;
use crate::prover::{Answer, Prover};
use crate::term::Term;

/// Counts of checks, shared by any number of provers and threads.
#[derive(Default, Debug)]
pub struct Statistics {
    sat: AtomicU64,
    unsat: AtomicU64,
    unknown: AtomicU64,
    cache_hits: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Statistics {
    /// How many checks were made.
    pub fn checks(&self) -> u64 {
        self.sat() + self.unsat() + self.unknown()
    }

    /// How many checks answered "sat".
    pub fn sat(&self) -> u64 {
        self.sat.load(Ordering::Relaxed)
    }

    /// How many checks answered "unsat".
    pub fn unsat(&self) -> u64 {
        self.unsat.load(Ordering::Relaxed)
    }

    /// How many checks answered "unknown".
    pub fn unknown(&self) -> u64 {
        self.unknown.load(Ordering::Relaxed)
    }

    /// How many questions a [`crate::Cached`] prover answered without a check.
    pub fn cache_hits(&self) -> u64 {
        self.cache_hits.load(Ordering::Relaxed)
    }

    /// The time that checks took, summed over threads.
    pub fn time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }

    pub(crate) fn count_hit(&self) {
        self.cache_hits.fetch_add(1, Ordering::Relaxed);
    }

    fn count(&self, answer: &Answer, time: Duration) {
        let counter = match answer {
            Answer::Sat => &self.sat,
            Answer::Unsat => &self.unsat,
            Answer::Unknown(_) => &self.unknown,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} checks ({} sat, {} unsat, {} unknown), {} cache hits, {:.3} s",
            self.checks(),
            self.sat(),
            self.unsat(),
            self.unknown(),
            self.cache_hits(),
            self.time().as_secs_f64()
        )
    }
}

/// A prover whose checks are counted.
pub struct Counted<P> {
    prover: P,
    statistics: Arc<Statistics>,
}

impl<P: Prover> Counted<P> {
    /// Counts the checks of `prover` in `statistics`.
    pub fn new(prover: P, statistics: Arc<Statistics>) -> Counted<P> {
        Counted { prover, statistics }
    }
}

impl<P: Prover> Prover for Counted<P> {
    fn push(&mut self) {
        self.prover.push();
    }

    fn pop(&mut self) {
        self.prover.pop();
    }

    fn assert(&mut self, fact: &Term) {
        self.prover.assert(fact);
    }

    fn check(&mut self, assumptions: &[Term]) -> Answer {
        let start = Instant::now();
        let answer = self.prover.check(assumptions);
        self.statistics.count(&answer, start.elapsed());
        answer
    }

    fn model(&mut self) -> Option<Model> {
        self.prover.model()
    }

    fn core(&mut self) -> Vec<usize> {
        self.prover.core()
    }
}
