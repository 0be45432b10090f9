//! The Bluetooth driver [LMP09 Fig. 3]: the cheap ones of its rows. The others are in docs/performance.md.

use crate::support::holds;
use base::SourceMap;
use bdd::Biodivine;
use bp::{Dialect, parse};
use getafix::formulae::BOUNDED_CONTEXT_SWITCH;
use getafix::translate::Question;
use std::path::Path;
use std::sync::atomic::AtomicBool;

static RUN: AtomicBool = AtomicBool::new(false);

fn reaches_error(name: &str, switches: u32) -> bool {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/bluetooth").join(name);
    let text = std::fs::read_to_string(&path).expect("the example is there");
    let mut sources = SourceMap::new();
    let file = sources.add(name, Some(text.as_str().into()));
    let (program, _) = parse(&text, file, Dialect::Strict).expect("the example is well-formed");
    let (system, _) = bp::threads::system(&program, "main", switches).expect("and passes the checker");
    let codes = system.codes.iter().enumerate();
    let goals =
        codes.flat_map(|(c, code)| code.cfg.find_label("error").into_iter().map(move |v| (c, v))).collect();
    let question = Question { goals, moved: false, switches };
    let engine = |vars| Biodivine::new(vars, &RUN);
    let text = BOUNDED_CONTEXT_SWITCH.text;
    holds(&system, question, text, engine)
}

#[test]
fn rows_of_the_figure() {
    let rows = [
        ("1adder_1stopper.bp", vec![false, false, false]),
        ("1adder_2stoppers.bp", vec![false, false, true]),
        ("2adders_1stopper.bp", vec![false, false]),
        ("2adders_2stoppers.bp", vec![false, false]),
    ];
    for (name, expected) in rows {
        let found: Vec<bool> = (1..=expected.len() as u32).map(|k| reaches_error(name, k)).collect();
        assert_eq!(found, expected, "{name}");
    }
}
