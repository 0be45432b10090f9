//! A search that is stopped at any moment says so, and nothing else: results of a stopped decision-diagram
//! engine are meaningless, and no conclusion, not even "this cannot be", may be drawn from them.

use bebop::{Answer, Options, Query, Stopped, check};
use bp::Cfg;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Stops the search from another thread after more and more turns of a loop, until it ends by itself.
#[test]
fn a_search_may_be_stopped_at_any_moment() {
    let program = bp::random::template(30);
    let (cfg, _) = Cfg::build(&program, None).expect("the template is well-formed");
    let end = Query::Vertices(vec![cfg.procs[cfg.entry].exit]);
    let (mut stopped, mut ended) = (0, 0);
    for round in 0..300u32 {
        let stop = AtomicBool::new(false);
        let started = AtomicU32::new(0);
        let outcome = std::thread::scope(|threads| {
            threads.spawn(|| {
                while started.load(Ordering::Acquire) == 0 {
                    std::hint::spin_loop();
                }
                for turn in 0..round * 500 {
                    std::hint::black_box(turn);
                }
                stop.store(true, Ordering::Release);
            });
            started.store(1, Ordering::Release);
            check(&cfg, &Options::new(end.clone(), &stop)).map(|outcome| outcome.answer)
        });
        match outcome {
            Err(Stopped::Interrupted) => stopped += 1,
            Err(other) => panic!("{other}"),
            Ok(Answer::Reachable { .. } | Answer::Unreachable) => ended += 1,
        }
        if ended == 50 {
            break;
        }
    }
    assert!(stopped > 0, "some searches are stopped");
}
