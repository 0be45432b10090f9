//! The table of live nodes behind hash-consing.
//!
//! Invariant: a node that is alive (has a strong reference) is found in the table under its hash,
//! and no two live nodes have the same structure. The table holds weak references only; a node
//! that dies removes its entry. No strong reference is dropped while a shard is locked, since the
//! drop may have to lock that shard.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use rustc_hash::{FxHashMap, FxHasher};

use crate::sort::Sort;
use crate::term::{Node, Op, Term};

/// Enough that threads seldom wait for one another.
const SHARDS: usize = 64;

/// The nodes of one hash: nearly always one.
enum Bucket {
    One(Weak<Node>),
    Many(Vec<Weak<Node>>),
}

type Shard = FxHashMap<u64, Bucket>;

static TABLE: LazyLock<Vec<Mutex<Shard>>> = LazyLock::new(|| (0..SHARDS).map(|_| Mutex::default()).collect());

/// The live node of this structure, made if there is none.
pub(crate) fn node(op: Op, args: Vec<Term>, sort: Sort) -> Term {
    let hash = structural_hash(&op, &args, &sort);
    let mut bystanders = Vec::new();
    let mut shard = lock(hash);
    if let Some(bucket) = shard.get(&hash) {
        for weak in bucket.entries() {
            let Some(candidate) = weak.upgrade() else {
                continue;
            };
            if candidate.op == op && *candidate.args == *args && candidate.sort == sort {
                drop(shard);
                return Term(candidate);
            }
            bystanders.push(candidate);
        }
    }
    let tree_size = args.iter().fold(1u32, |size, arg| size.saturating_add(arg.tree_size()));
    let node = Arc::new(Node { op, args: args.into_boxed_slice(), sort, hash, tree_size });
    let weak = Arc::downgrade(&node);
    match shard.get_mut(&hash) {
        None => {
            shard.insert(hash, Bucket::One(weak));
        }
        Some(bucket) => bucket.add(weak),
    }
    drop(shard);
    Term(node)
}

/// Removes the entries of dead nodes with this hash.
pub(crate) fn forget(hash: u64) {
    let mut shard = lock(hash);
    let is_empty = match shard.get_mut(&hash) {
        None => return,
        Some(Bucket::One(weak)) => weak.strong_count() == 0,
        Some(Bucket::Many(entries)) => {
            entries.retain(|weak| weak.strong_count() > 0);
            entries.is_empty()
        }
    };
    if is_empty {
        shard.remove(&hash);
    }
}

impl Bucket {
    fn entries(&self) -> &[Weak<Node>] {
        match self {
            Bucket::One(weak) => std::slice::from_ref(weak),
            Bucket::Many(entries) => entries,
        }
    }

    fn add(&mut self, weak: Weak<Node>) {
        match self {
            Bucket::One(old) if old.strong_count() == 0 => *self = Bucket::One(weak),
            Bucket::One(old) => *self = Bucket::Many(vec![old.clone(), weak]),
            Bucket::Many(entries) => entries.push(weak),
        }
    }
}

fn lock(hash: u64) -> MutexGuard<'static, Shard> {
    // The map uses the low and the highest bits; the shard number comes from between.
    let shard = (hash >> 40) as usize % SHARDS;
    TABLE[shard].lock().unwrap_or_else(PoisonError::into_inner)
}

fn structural_hash(op: &Op, args: &[Term], sort: &Sort) -> u64 {
    let mut hasher = FxHasher::default();
    op.hash(&mut hasher);
    sort.hash(&mut hasher);
    for arg in args {
        arg.hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_leave_the_table_when_they_die() {
        let name = "a name that no other test uses";
        let term = Term::constant(name, Sort::Int);
        let hash = term.0.hash;
        assert_eq!(term, Term::constant(name, Sort::Int));
        assert!(lock(hash).contains_key(&hash));
        drop(term);
        assert!(!lock(hash).contains_key(&hash));
    }

    #[test]
    fn threads_share_nodes() {
        let build = || {
            (0..200i128)
                .map(|i| Term::constant(&format!("shared{i}"), Sort::Int).int_add(&Term::int(i)))
                .collect::<Vec<_>>()
        };
        let here = build();
        let there: Vec<Vec<Term>> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4).map(|_| scope.spawn(build)).collect();
            let join = |worker: std::thread::ScopedJoinHandle<'_, _>| worker.join();
            workers.into_iter().map(|worker| join(worker).expect("the worker does not panic")).collect()
        });
        assert!(there.iter().all(|terms| *terms == here));
    }
}
