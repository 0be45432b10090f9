//! Concurrent programs state by state: against the formulae and the explorer of interleavings.

use crate::concurrent::{reached, replayed};
use base::SourceMap;
use bdd::Biodivine;
use bp::{Dialect, VertexId, parse};
use check::Contexts;
use getafix::schedule::Schedule;
use getafix::trace::interleaving;
use getafix::translate::{Question, System};
use interleave::{Limits, Outcome, Search};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

static RUN: AtomicBool = AtomicBool::new(false);

const ROWS: u32 = 200_000;

/// Checks that the search reaches exactly the vertices in `found`, which are reached within `switches` switches, each
/// with the fewest possible and by a real execution, and that it reaches them without a bound, too. Does nothing
/// where there is no search.
pub(crate) fn agree(system: &System, switches: u32, found: &BTreeSet<(usize, VertexId)>) {
    let codes = system.codes.iter().enumerate();
    for (i, goal) in codes.flat_map(|(c, code)| code.cfg.vertices.ids().map(move |v| (c, v))).enumerate() {
        let question = Question { goals: vec![goal], moved: false, switches };
        let Ok(mut search) = Search::new(system, &question.goals) else { return };
        let mut within = |switches| search.by_switches(Limits { switches, visits: ROWS }, &RUN);
        let bounded = within(Some(switches));
        match &bounded {
            Outcome::Reached(execution) => {
                assert!(
                    found.contains(&goal),
                    "{goal:?} is not reached with {switches} switches: {execution:?}"
                );
                let least = execution.switches.len() as u32;
                assert!(least <= switches, "{goal:?}: {execution:?}");
                if let Some(fewer) = least.checked_sub(1) {
                    assert_eq!(within(Some(fewer)), Outcome::WithinBound, "{goal:?} with fewer switches");
                }
            }
            other => assert!(!found.contains(&goal), "{goal:?} is reached: {other:?}"),
        }
        let any = search.depth_first(ROWS, &RUN);
        match &any {
            Outcome::Reached(_) => {}
            Outcome::Exhausted | Outcome::Threads => {
                assert!(!found.contains(&goal), "{goal:?} is reached");
                let ordered = search.by_switches(Limits { switches: None, visits: ROWS }, &RUN);
                assert_eq!(ordered, any, "{goal:?} in another order");
            }
            other => panic!("{goal:?}: {other:?}"),
        }
        for outcome in [bounded, any] {
            if let Outcome::Reached(execution) = outcome
                && i % 3 == 0
            {
                follow(system, &question, &execution);
            }
        }
    }
}

/// There is a trace along the schedule.
fn follow(system: &System, question: &Question, execution: &Contexts) {
    let engine = |vars| Biodivine::new(vars, &RUN);
    let schedule = Schedule::of(system, question, execution);
    let found = interleaving(system, question, &schedule, engine).expect("nothing stops it");
    replayed(system, question.goals[0], &schedule, found);
}

/// The schedule shows that a thread was started before the first one ran, so that there is a trace.
#[test]
fn threads_that_are_started_before_the_first_runs() {
    let text = "decl g; init begin g := 0; start_thread w(1); end
        void main() begin g := 1; M: skip; end
        void w(y) begin if (y & !g) then L: skip; fi if (!y) then N: skip; fi end";
    let file = SourceMap::new().add("p.bp", None);
    let (program, _) = parse(text, file, Dialect::Strict).expect("well-formed");
    let (system, _) = bp::threads::system(&program, "main", 2).expect("supported");
    agree(&system, 2, &reached(&system, 2));
    let goal = (0, system.codes[0].cfg.find_label("L")[0]);
    let question = Question { goals: vec![goal], moved: false, switches: 2 };
    let mut search = Search::new(&system, &question.goals).expect("supported");
    let Outcome::Reached(execution) = search.depth_first(ROWS, &RUN) else { panic!("L is reached") };
    follow(&system, &question, &execution);
}
