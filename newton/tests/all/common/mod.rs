//! What the laws share: the number of random programs, and their distribution over threads.

pub(crate) mod program;
pub(crate) mod straight;

use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use testing::number;

/// Tries a law on random programs, each named by its seed, and adds up what it counts. Every run of the tests is
/// the same; `NEWTON_RANDOM_CASES` asks for another number of programs, and `NEWTON_RANDOM_SEED` for others.
pub(crate) fn random_cases<T: Send + Default>(
    usual: u64,
    law: impl Fn(u64) -> T + Sync + std::panic::RefUnwindSafe,
    add: impl Fn(&mut T, T) + Sync,
) -> T {
    let (cases, first) = (number("NEWTON_RANDOM_CASES", usual), number("NEWTON_RANDOM_SEED", 0));
    let (next, sum) = (AtomicU64::new(0), Mutex::new(T::default()));
    let work = || {
        loop {
            let case = next.fetch_add(1, Ordering::Relaxed);
            if case >= cases {
                return;
            }
            match catch_unwind(|| law(first + case)) {
                Ok(found) => add(&mut sum.lock().expect("nobody panics with it"), found),
                Err(_) => {
                    next.store(cases, Ordering::Relaxed);
                    panic!("NEWTON_RANDOM_SEED={} NEWTON_RANDOM_CASES=1 shows it again", first + case);
                }
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|s| {
        let running: Vec<_> = (0..threads).map(|_| s.spawn(work)).collect();
        for thread in running {
            assert!(thread.join().is_ok(), "the law does not hold");
        }
    });
    sum.into_inner().expect("nobody panics with it")
}
