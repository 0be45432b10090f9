//! The models in `examples/references`: the right answers, by every method that terminates; and that the checker
//! finds the failure when what makes them right is removed.

use crate::support::{MODES, RUN, code, compiled, example, fails, run};
use zing::code::Code;
use zing::{Answer, Answers, Options, Outcome, Overrides};

const MODELS: [(&str, bool); 4] = [
    ("bluetooth_buggy.zn", true),
    ("bluetooth_fixed.zn", false),
    ("bakery.zn", false),
    ("philosophers.zn", false),
];

#[test]
fn small_models_get_the_right_answers_in_all_ways() {
    for (name, expected) in MODELS {
        let code = code(&example(name));
        for summaries in MODES {
            for transactions in [true, false] {
                let options = Options { summaries, transactions, ..Options::new(&RUN) };
                let outcome = zing::check(&code, &options);
                assert_eq!(fails(&outcome), Some(expected), "{name} {summaries:?} {transactions}");
            }
        }
    }
}

#[test]
fn transactions_save_states() {
    for name in ["bluetooth_fixed.zn", "bakery.zn", "par_recursion.zn"] {
        let code = code(&example(name));
        let all =
            zing::check(&code, &Options { transactions: false, max_states: 50_000, ..Options::new(&RUN) });
        assert!(run(&code, Answers::Patterns).stats.states < all.stats.states, "{name}");
    }
}

#[test]
fn recursive_threads_end_with_summaries_only() {
    let code = code(&example("par_recursion.zn"));
    for summaries in [Answers::Visible, Answers::Patterns] {
        assert_eq!(fails(&run(&code, summaries)), Some(false));
    }
    let options = Options { summaries: Answers::None, max_states: 3_000, ..Options::new(&RUN) };
    assert_eq!(zing::check(&code, &options).answer, Err(zing::Limit::States(3_000)));
}

#[test]
fn what_makes_the_models_right_is_needed() {
    for (name, text, instead) in [
        ("bakery.zn", "assume(!other.choosing);", ""),
        ("bakery.zn", "seen == me.number && other.first", "false"),
        ("philosophers.zn", "assume(!taken);", ""),
        ("par_recursion.zn", "    item.done = true;\n", ""),
        ("bluetooth_fixed.zn", "assume(device.stoppingEvent);", ""),
    ] {
        let model = example(name);
        assert!(model.contains(text), "{name}: {text}");
        let options = Options { max_states: 50_000, ..Options::new(&RUN) };
        // Forks are put back without having been taken, or neighbours eat; numbers are drawn twice; and so on.
        let outcome = zing::check(&code(&model.replace(text, instead)), &options);
        assert_eq!(fails(&outcome), Some(true), "{name} without {text}");
    }
}

/// The transaction manager with fewer choices of the client, and an impatient monitor.
fn small(name: &str) -> Code {
    let overrides = [("LAST_KIND", 0), ("PATIENCE", 0)].map(|(name, value)| (name.to_owned(), value));
    compiled(&example(name), &Overrides::from(overrides)).expect("the model is well-formed")
}

fn dereference(outcome: &Outcome, code: &Code) -> bool {
    match &outcome.answer {
        Ok(Answer::Fails { fault, pc, trace: Some(trace) }) => {
            let end = trace.steps.last().expect("a trace has steps");
            let turns = trace.steps.windows(2).filter(|w| w[0].thread != w[1].thread).count();
            let place = &code.procs[code.node(*pc).proc].name;
            *fault == zing::code::Fault::NullDereference
                && place == "Coordinator.Decide"
                && end.thread == 1
                && turns >= 2
        }
        _ => false,
    }
}

#[test]
fn the_transaction_manager_fails_in_a_rare_interleaving_and_is_repaired() {
    let text = example("transaction_manager_buggy.zn");
    assert!(
        text.lines().count() >= 1_500 && example("transaction_manager_fixed.zn").lines().count() >= 1_500
    );
    let (buggy, fixed) = (small("transaction_manager_buggy.zn"), small("transaction_manager_fixed.zn"));
    for summaries in [Answers::None, Answers::Patterns] {
        assert!(dereference(&run(&buggy, summaries), &buggy), "{summaries:?}");
    }
    assert_eq!(fails(&run(&fixed, Answers::Patterns)), Some(false));
}

#[test]
fn patterns_make_few_summaries_of_the_transaction_manager() {
    let code = small("transaction_manager_fixed.zn");
    let (patterns, visible) = (run(&code, Answers::Patterns), run(&code, Answers::Visible));
    assert_eq!((fails(&patterns), fails(&visible)), (Some(false), Some(false)));
    assert!(10 * patterns.stats.summaries <= visible.stats.summaries, "{patterns:?} {visible:?}");
}

#[test]
fn the_transaction_manager_reaches_all_its_allocations() {
    let overrides = Overrides::from([("PATIENCE".to_owned(), 0)]);
    let code =
        compiled(&example("transaction_manager_fixed.zn"), &overrides).expect("the model is well-formed");
    let outcome = run(&code, Answers::Patterns);
    assert_eq!(fails(&outcome), Some(false));
    let (all, reached) = outcome.allocations(&code);
    assert!(all >= 50 && all == reached, "{reached} of {all}");
}
