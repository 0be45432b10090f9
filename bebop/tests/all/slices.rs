//! Questions that take long are asked slice by slice: the answers are those of the whole.

use base::SourceMap;
use bebop::{Answer, Biodivine, Options, Progress, Slices, check_in_slices};
use bp::random::wide_copies;
use bp::{Cfg, Dialect, parse};
use check::PATIENCE;
use check::explicit::check_trace;
use std::sync::atomic::AtomicBool;

static RUN: AtomicBool = AtomicBool::new(false);

#[test]
fn bebop_answers_in_parts() {
    for differ in [false, true] {
        let text = wide_copies(differ);
        let (program, _) =
            parse(&text, SourceMap::new().add("p.bp", None), Dialect::Strict).expect("well-formed");
        let (cfg, _) = Cfg::build(&program, None).expect("well-formed");
        let (parts, mut progress) = (Slices::new(), Progress::default());
        let options = Options::new(cfg.find_label("GOAL"), &RUN);
        let engine = |vars| Biodivine::new(vars, &RUN);
        let outcome = check_in_slices(&cfg, (&parts, PATIENCE), &options, &mut progress, engine);
        let outcome = outcome.expect("nothing stops it");
        assert!(outcome.stats.nodes_made > PATIENCE && outcome.stats.nodes_made < 2 * PATIENCE);
        match outcome.answer {
            Answer::Reachable { trace: Some(trace), .. } if differ => {
                // In main: the assignment, the call, and the condition.
                assert_eq!(trace.length(), 3);
                check_trace(&cfg, &trace).unwrap_or_else(|e| panic!("{e}"));
            }
            Answer::Unreachable if !differ => {}
            answer => panic!("{answer:?}"),
        }
    }
}
