//! Work in order, with all entries of what is entered, and rounds: on random equations of the shapes of `ef` and `ef-opt`
//! the values are those of a plain reading of [LMP09 §3].

use crate::calculus::{Graph, cases, read};
use crate::oracle::Oracle;
use bdd::Biodivine;
use getafix::eval::{Evaluator, Options};
use getafix::ir::Formula;
use getafix::prelude::{Flow, Model};
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;

static RUN: AtomicBool = AtomicBool::new(false);

/// Small choices from numbers.
struct Choice<'n> {
    numbers: &'n [u16],
    at: usize,
}

impl Choice<'_> {
    fn below(&mut self, n: usize) -> usize {
        let number = self.numbers.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(number) % n
    }

    fn of(&mut self, list: &[&str]) -> String {
        list[self.below(list.len())].to_owned()
    }

    /// A relation of two bits: some of the four pairs.
    fn table(&mut self, name: &str) -> String {
        let rows = ["(p & q)", "(p & !q)", "(!p & q)", "(!p & !q)"];
        let chosen = 1 + self.below(15);
        let rows: Vec<&str> = (0..4).filter(|i| chosen >> i & 1 == 1).map(|i| rows[i]).collect();
        format!("bool {name}(bool p, q) = {};\n", rows.join(" | "))
    }

    fn query(&mut self, relation: &str) -> String {
        let tail = self.of(&["Start(v)", "b", "!a", "Edge(v, u)", "b & Start(v)", "!Start(v) & !b & a"]);
        match self.below(4) {
            0 => format!("query exists Place u, v, bool a, b. (!{relation} & {tail});\n"),
            1 => format!("query forall Place u, v. exists bool a, b. ({relation} | {tail});\n"),
            _ => format!("query exists Place u, v, bool a, b. ({relation} & {tail});\n"),
        }
    }

    /// In the shape of `ef`: a state is a place and a bit. Now and then something does not fit.
    fn entry_forward(&mut self) -> String {
        let tables = [self.table("Pass"), self.table("Do"), self.table("Back")].concat();
        let seed = self.of(&["Pass(d, a)", "Pass(d, a)", "Pass(d, a)", "a", "Pass(a, d)"]);
        let same = self.of(&["u = v & a = b", "u = v & a = b", "u = v & a = b", "u = v"]);
        let inside =
            self.of(&["R(y, d, z, e)", "R(y, d, z, e)", "R(y, d, z, e)", "R(y, d, y, e)", "R(z, d, y, e)"]);
        let first =
            self.of(&["Start(u) & u = v & a = b", "Start(u) & u = v & a = b & a", "Start(u) & u = v"]);
        let exit = self.of(&["Start(z)", "Edge(z, v)", "e", "true"]);
        let query = self.query("R(u, a, v, b)");
        format!(
            "{tables}mu bool R(Place u, bool a, Place v, bool b) = ({first})
              | (exists Place x, bool c. (R(u, a, x, c) & Edge(x, v) & Do(c, b)))
              | (exists Place x, y, bool c, d. (R(x, c, y, d) & Edge(y, u) & {seed} & {same}))
              | (exists Place x, y, z, bool c, d, e. (
                    R(u, a, x, c) & Edge(x, y) & Pass(c, d) & {inside} & {exit} & Edge(x, v) & Back(e, b)));\n{query}"
        )
    }

    /// In the shape of `ef-opt`. Now and then a condition is left out, or put elsewhere.
    fn only_new(&mut self) -> String {
        let tables = [self.table("Pass"), self.table("Do"), self.table("Back")].concat();
        let old = self.of(&["R(1, u, a, v, b)", "R(1, u, a, v, b)", "R(1, u, a, v, b)", "R(fr, u, a, v, b)"]);
        let new = self.of(&["New(v)", "New(v)", "New(v)", "New(u)", "Start(v)"]);
        let enter = self.of(&["New(y)", "New(y)", "New(y)", "New(x)", "true"]);
        let left = self.of(&["New(x)", "New(x)", "New(x)", "New(z)"]);
        let right = self.of(&["New(z)", "New(z)", "New(z)", "New(x)"]);
        let fresh =
            self.of(&["!R(0, u, a, v, b)", "!R(0, u, a, v, b)", "!R(0, u, a, v, b)", "!R(0, v, a, u, b)"]);
        let over = "R(1, u, a, x, c) & Edge(x, y) & Pass(c, d) & R(1, y, d, z, e) & Start(z) & Edge(x, v) & Back(e, b)";
        let query = self.query("R(1, u, a, v, b)");
        format!(
            "{tables}mu bool R(bool fr, Place u, bool a, Place v, bool b) =
                (fr = 1 & Start(u) & u = v & a = b) | {old} | (fr = 1 & (Inside(u, a, v, b) | Calls(u, a, v, b)));
             mu bool New(Place p) = exists Place u, v, bool a, b. (R(1, u, a, v, b) & {fresh} & v = p);
             mu bool Inside(Place u, bool a, Place v, bool b) = (R(1, u, a, v, b) & {new})
              | (exists Place x, bool c. (Inside(u, a, x, c) & Edge(x, v) & Do(c, b)));
             mu bool Calls(Place u, bool a, Place v, bool b) =
                (exists Place x, y, bool c, d. ({enter} & R(1, x, c, y, d) & Edge(y, u) & Pass(d, a) & u = v & a = b))
              | (exists Place x, y, z, bool c, d, e. ({left} & {over}))
              | (exists Place x, y, z, bool c, d, e. ({right} & {over}));\n{query}"
        )
    }
}

fn holds(formula: &Formula, model: &Graph, early: bool, first_turn: u64) -> Option<bool> {
    let prelude = model.prelude();
    let options = Options { early, first_turn, ..Options::default() };
    let mut evaluator = Evaluator::new(formula, model, &prelude, options, |vars| Biodivine::new(vars, &RUN))
        .expect("few variables");
    evaluator.run(&mut |_| {}).ok().map(|found| found.holds)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn work_in_order_gives_the_values_of_rounds(
        numbers in prop::collection::vec(any::<u16>(), 24),
        edges in prop::collection::vec((0u32..4, 0u32..4), 0..7),
        starts in prop::collection::vec(0u32..4, 0..3),
        ranks in prop::collection::vec(0u32..4, 4),
        opt in any::<bool>(),
    ) {
        let mut choice = Choice { numbers: &numbers, at: 0 };
        let text = if opt { choice.only_new() } else { choice.entry_forward() };
        let model = Graph { edges, starts, flow: Some(Flow { class: 0, ranks }) };
        let formula = read(&text, &model).unwrap_or_else(|e| panic!("{e}"));
        let expected = Oracle::new(&formula, model.inputs(), 4000).run();
        for (early, first_turn) in [(true, 1), (false, 1), (true, 1 << 20), (false, 1 << 20)] {
            prop_assert_eq!(expected, holds(&formula, &model, early, first_turn), "{} {} {}", early, first_turn, text);
        }
    }
}
