//! A prover that remembers answers, for all threads and for later questions.
//!
//! The key of a question is the set of its assertions and assumptions, as sorted terms. Only "sat"
//! and "unsat" are remembered: they are facts about the set, whoever found them. Whether an answer
//! comes from the cache can depend on timing, the answer cannot, unless the prover behind gives
//! up. Models and cores are asked of that prover, by repeating the check, so they depend on which
//! checks it made before: where they decide anything, use a prover without a cache or a cache that
//! is not shared.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::{FxHashMap, FxHasher};

use crate::model::Model;
use crate::prover::{Answer, Prover};
use crate::statistics::Statistics;
use crate::term::Term;

const SHARDS: usize = 32;

type Shard = FxHashMap<Arc<[Term]>, bool>;

/// Answers to questions, shared by the provers that use it. The terms in it stay alive.
pub struct Cache {
    shards: Vec<Mutex<Shard>>,
    statistics: Arc<Statistics>,
}

impl Cache {
    /// An empty cache that counts its hits in `statistics`.
    pub fn new(statistics: Arc<Statistics>) -> Cache {
        Cache { shards: (0..SHARDS).map(|_| Mutex::default()).collect(), statistics }
    }

    /// How many answers it holds.
    pub fn len(&self) -> usize {
        (0..SHARDS).map(|shard| self.lock(shard).len()).sum()
    }

    /// Whether it holds no answer.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn find(&self, key: &[Term]) -> Option<Answer> {
        let is_sat = *self.lock(shard(key)).get(key)?;
        Some(if is_sat { Answer::Sat } else { Answer::Unsat })
    }

    fn remember(&self, key: Arc<[Term]>, answer: &Answer) {
        let is_sat = match answer {
            Answer::Sat => true,
            Answer::Unsat => false,
            Answer::Unknown(_) => return,
        };
        self.lock(shard(&key)).insert(key, is_sat);
    }

    fn lock(&self, shard: usize) -> MutexGuard<'_, Shard> {
        self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn shard(key: &[Term]) -> usize {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    (hasher.finish() >> 40) as usize % SHARDS
}

/// A prover that looks into a [`Cache`] first.
pub struct Cached<P> {
    prover: P,
    cache: Arc<Cache>,
    /// What is asserted, and how much of it before each open level.
    facts: Vec<Term>,
    levels: Vec<usize>,
    /// The last question and its answer, if the cache had it.
    unasked: Option<(Vec<Term>, Answer)>,
}

impl<P: Prover> Cached<P> {
    /// Puts a cache before `prover`, which must have no assertions yet.
    pub fn new(prover: P, cache: Arc<Cache>) -> Cached<P> {
        Cached { prover, cache, facts: Vec::new(), levels: Vec::new(), unasked: None }
    }

    fn key(&self, assumptions: &[Term]) -> Vec<Term> {
        let mut key: Vec<Term> = self.facts.iter().chain(assumptions).cloned().collect();
        key.sort();
        key.dedup();
        key
    }
}

impl<P: Prover> Prover for Cached<P> {
    fn push(&mut self) {
        self.unasked = None;
        self.levels.push(self.facts.len());
        self.prover.push();
    }

    fn pop(&mut self) {
        self.unasked = None;
        let facts = self.levels.pop().expect("each pop belongs to a push");
        self.facts.truncate(facts);
        self.prover.pop();
    }

    fn assert(&mut self, fact: &Term) {
        self.unasked = None;
        self.facts.push(fact.clone());
        self.prover.assert(fact);
    }

    fn check(&mut self, assumptions: &[Term]) -> Answer {
        let key = self.key(assumptions);
        if let Some(answer) = self.cache.find(&key) {
            self.cache.statistics.count_hit();
            self.unasked = Some((assumptions.to_vec(), answer.clone()));
            return answer;
        }
        self.unasked = None;
        let answer = self.prover.check(assumptions);
        self.cache.remember(key.into(), &answer);
        answer
    }

    /// As the trait says, except that the prover behind may fail to repeat a remembered answer;
    /// then there is no model.
    fn model(&mut self) -> Option<Model> {
        if let Some((assumptions, _)) = self.unasked.take() {
            self.prover.check(&assumptions);
        }
        self.prover.model()
    }

    fn core(&mut self) -> Vec<usize> {
        if let Some((assumptions, remembered)) = self.unasked.take()
            && self.prover.check(&assumptions) != Answer::Unsat
            && remembered == Answer::Unsat
        {
            // The prover behind has another history than the one that found the answer, and gave
            // up on it: all assumptions together are a core too.
            return (0..assumptions.len()).collect();
        }
        self.prover.core()
    }
}
