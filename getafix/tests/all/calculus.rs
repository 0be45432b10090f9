//! Formula files: what is read, what is refused and where, what they mean.

use crate::oracle::{Oracle, Relation};
use base::SourceMap;
use bdd::{Biodivine, Engine};
use expect_test::{Expect, expect};
use getafix::check::check;
use getafix::eval::{Evaluator, Options, Stop};
use getafix::ir::{Formula, Role};
use getafix::prelude::{Class, Flow, Input, Model, Part, Prelude, Range, Structure};
use getafix::syntax::parse;
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;

static RUN: AtomicBool = AtomicBool::new(false);

/// Edges between places of two bits, and where to start: given as sets of tuples.
pub(crate) struct Graph {
    pub(crate) edges: Vec<(u32, u32)>,
    pub(crate) starts: Vec<u32>,
    /// The order in which places are worked on.
    pub(crate) flow: Option<Flow>,
}

impl Graph {
    pub(crate) fn inputs(&self) -> Vec<Relation> {
        let edges = self.edges.iter().map(|(a, b)| vec![*a, *b]).collect();
        vec![edges, self.starts.iter().map(|a| vec![*a]).collect()]
    }
}

impl Model for Graph {
    fn prelude(&self) -> Prelude {
        Prelude {
            constants: vec![("N", 2)],
            classes: vec![Class { name: "Place", bits: 2 }],
            ranges: vec![Range { name: "Count", low: 0, high: 2 }],
            structures: vec![Structure { name: "Pair", fields: vec![("a", "Place"), ("b", "Place")] }],
            inputs: vec![
                Input { name: "Edge", params: vec!["Place", "Place"] },
                Input { name: "Start", params: vec!["Place"] },
            ],
            order: vec![(0, 1), (0, 0)],
            flow: self.flow.clone(),
        }
    }

    fn relation<E: Engine>(&self, engine: &mut E, relation: usize, parts: &[Part]) -> E::Bdd {
        let mut out = engine.constant(false);
        for tuple in &self.inputs()[relation] {
            let mut row = engine.constant(true);
            for (value, bits) in tuple.iter().zip(parts) {
                for (i, bit) in bits.iter().enumerate() {
                    let literal = engine.var(*bit);
                    let literal = if value >> i & 1 == 1 { literal } else { engine.not(&literal) };
                    row = engine.and(&row, &literal);
                }
            }
            out = engine.or(&out, &row);
        }
        out
    }
}

/// Messages about the formula, or the checked formula.
pub(crate) fn read(text: &str, model: &Graph) -> Result<Formula, String> {
    let mut sources = SourceMap::new();
    let file = sources.add("f.fp", Some(text.into()));
    let parsed = parse(text, file).map_err(|e| e.render(&sources))?;
    check(&parsed, &model.prelude())
        .map_err(|errors| errors.iter().map(|e| e.render(&sources)).collect::<String>())
}

fn refused(text: &str, expected: &Expect) {
    let model = Graph { edges: vec![], starts: vec![], flow: None };
    expected.assert_eq(&read(text, &model).expect_err("the formula is refused"));
}

fn evaluate(formula: &Formula, model: &Graph, options: Options) -> Result<bool, Stop> {
    let prelude = model.prelude();
    let mut evaluator = Evaluator::new(formula, model, &prelude, options, |vars| Biodivine::new(vars, &RUN))
        .expect("few variables");
    evaluator.run(&mut |_| {}).map(|found| found.holds)
}

fn answer(text: &str) -> Result<bool, Stop> {
    let model = Graph { edges: vec![(0, 1), (1, 2), (3, 3)], starts: vec![0], flow: None };
    let formula = read(text, &model).unwrap_or_else(|e| panic!("{e}"));
    evaluate(&formula, &model, Options { max_rounds: 50, ..Options::default() })
}

const REACH: &str = "mu bool Reach(Place u) = Start(u) | exists Place x. (Reach(x) & Edge(x, u));\n";

#[test]
fn plain_reachability() {
    assert_eq!(answer(&format!("{REACH} query exists Place u. (Reach(u) & Edge(u, u));")), Ok(false));
    let two = "query exists Place u, v. (Reach(u) & Reach(v) & Edge(u, v) & !Start(u));";
    assert_eq!(answer(&format!("{REACH} {two}")), Ok(true));
    assert_eq!(answer(&format!("{REACH} query forall Place u. Reach(u);")), Ok(false));
}

#[test]
fn arrays_ranges_enumerations_and_structures() {
    let text = "
        enum Colour { red, green, blue };
        struct Walk { Place at[0..N]; Colour c; };
        bool Way(Walk w, Count n) =
            forall Count i. (i < n -> exists Count j. (j = i + 1 & Edge(w.at[i], w.at[j])));
        query exists Walk w. (Way(w, 2) & Start(w.at[0]) & w.c != red & w.c != green);";
    assert_eq!(answer(text), Ok(true));
    let text = "bool Same(Pair p) = p.a = p.b & Edge(p.a, p.b);
        query exists Place x, Pair p. (Same(p) & p.a = x & Start(x));";
    assert_eq!(answer(text), Ok(false));
    assert_eq!(answer("query exists Count c. (c + 1 = 2 & c >= 1 & 0 < c & N > c);"), Ok(true));
    assert_eq!(answer("query forall Count c. c <= 2;"), Ok(true));
}

#[test]
fn what_never_ends_is_stopped() {
    let text = "mu bool R(Place u) = !R(u);\nquery exists Place u. R(u);";
    assert!(matches!(answer(text), Err(Stop::Cycles { .. })), "{:?}", answer(text));
    // A counter of two bits that starts again.
    let text = "mu bool R(Place u) = (!R(u) & (Start(u) | exists Place x. (R(x) & Edge(x, u))))
          | (R(u) & forall Place x. !(Edge(x, u) & R(x)));
        query exists Place u. R(u);";
    assert!(matches!(answer(text), Err(Stop::Cycles { .. })), "{:?}", answer(text));
    let model = Graph { edges: vec![(0, 1), (1, 2)], starts: vec![0], flow: None };
    let formula = read(&format!("{REACH} query exists Place u. Reach(u);"), &model).expect("well-formed");
    let few = Options { max_rounds: 2, early: false, ..Options::default() };
    assert!(matches!(evaluate(&formula, &model, few), Err(Stop::Rounds { limit: 2, .. })));
}

#[test]
fn roles_that_are_refused() {
    let with = |role: &str| format!("bool R(Place u @{role}) = Start(u);\nquery exists Place u. R(u);");
    refused(
        &with("past"),
        &expect![[r#"
        f.fp:1:17: error: there is no role `past`, only entry, now, entered, context, caller, called, callee, exit, threads, switches, thread, world, before
            1 | bool R(Place u @past) = Start(u);
              |                 ^^^^
    "#]],
    );
    refused(
        &with("now"),
        &expect![[r#"
        f.fp:1:17: error: `now` is the role of a variable of type State
            1 | bool R(Place u @now) = Start(u);
              |                 ^^^
    "#]],
    );
    refused(
        &with("threads"),
        &expect![[r#"
        f.fp:1:17: error: `threads` is the role of an array of type Thread
            1 | bool R(Place u @threads) = Start(u);
              |                 ^^^^^^^
    "#]],
    );
    let twice =
        "struct State { Place at; };\nbool R(State u @now, State v @now) = Start(u.at);\nquery false;";
    refused(
        twice,
        &expect![[r#"
        f.fp:2:31: error: the role `now` is given twice
            2 | bool R(State u @now, State v @now) = Start(u.at);
              |                               ^^^
    "#]],
    );
    let once = twice.replacen(" @now", "", 1);
    let formula = read(&once, &Graph { edges: vec![], starts: vec![], flow: None }).expect("well-formed");
    let relation = formula.relations.ids().last().expect("there is one");
    let formals = &formula.relations[relation].formals;
    assert_eq!(formula.parameter(relation, Role::Now), Some(&formals[1..]));
    assert_eq!(formula.parameter(relation, Role::Entry), None);
}

#[test]
fn refusals() {
    refused(
        "query exists Place u. Reach(u);",
        &expect![[r#"
        f.fp:1:23: error: relation `Reach` is not defined
            1 | query exists Place u. Reach(u);
              |                       ^^^^^
    "#]],
    );
    refused(
        "query exists Place u. (Start(u) & Start(v));",
        &expect![[r#"
        f.fp:1:41: error: variable `v` is not bound here
            1 | query exists Place u. (Start(u) & Start(v));
              |                                         ^
    "#]],
    );
    refused(
        "query exists Place u, Count c. (u = c | Start(c) | Edge(u) | c < u);",
        &expect![[r#"
        f.fp:1:33: error: a value of type Place and a value of type 0..2 cannot be compared
            1 | query exists Place u, Count c. (u = c | Start(c) | Edge(u) | c < u);
              |                                 ^
    "#]],
    );
    refused(
        "query exists Count c. Start(c);",
        &expect![[r#"
        f.fp:1:29: error: expected a value of type Place, found a value of type 0..2
            1 | query exists Count c. Start(c);
              |                             ^
    "#]],
    );
    refused(
        "query exists Place u. Edge(u);",
        &expect![[r#"
        f.fp:1:23: error: `Edge` takes 2 arguments, not 1
            1 | query exists Place u. Edge(u);
              |                       ^^^^
    "#]],
    );
    refused(
        "query exists Place u. u < u;",
        &expect![[r#"
        f.fp:1:23: error: values of type Place have no order
            1 | query exists Place u. u < u;
              |                       ^
    "#]],
    );
    refused(
        "query exists Pair p, Count c. (p.c = c);",
        &expect![[r#"
        f.fp:1:34: error: `Pair` has no field `c`
            1 | query exists Pair p, Count c. (p.c = c);
              |                                  ^
    "#]],
    );
    refused(
        "query exists Count c. (c = 3 | c);",
        &expect![[r#"
        f.fp:1:24: error: 3 is no value of type 0..2
            1 | query exists Count c. (c = 3 | c);
              |                        ^
    "#]],
    );
    refused(
        "query exists Count c[1..2]. c[0] = 1;",
        &expect![[r#"
        f.fp:1:31: error: 0 is no index of a value of type 0..2[1..2]
            1 | query exists Count c[1..2]. c[0] = 1;
              |                               ^
    "#]],
    );
}

#[test]
fn refused_declarations_and_texts() {
    refused(
        "bool R(Place u) = R(u);\nmu bool Edge(bool b) = b;\nquery true;",
        &expect![[r#"
        f.fp:2:9: error: `Edge`: the program defines a relation of this name
            2 | mu bool Edge(bool b) = b;
              |         ^^^^
    "#]],
    );
    refused(
        "bool R(Place u) = S(u);\nmu bool S(Place u) = R(u);\nquery true;",
        &expect![[r#"
        f.fp:1:6: error: the equation of `R` mentions `R` itself: write `mu bool R`
            1 | bool R(Place u) = S(u);
              |      ^
    "#]],
    );
    refused(
        "query exists Place u. (Start(u);",
        &expect![[r#"
        f.fp:1:32: error: expected `)`, found `;`
            1 | query exists Place u. (Start(u);
              |                                ^
    "#]],
    );
    refused(
        "mu bool R(Place u, Room v) = true;\nbool S(Place u) = Start(u) & $;",
        &expect![[r#"
        f.fp:2:30: error: `$` begins no token
            2 | bool S(Place u) = Start(u) & $;
              |                              ^
    "#]],
    );
    refused(
        "mu bool R(Place u, Room v) = true;",
        &expect![[r#"
        f.fp:1:20: error: type `Room` is not declared
            1 | mu bool R(Place u, Room v) = true;
              |                    ^^^^
    "#]],
    );
    refused(
        "bool R(Place u) = Start(u);",
        &expect![[r#"
        error: the formula asks nothing: a `query` is needed
    "#]],
    );
    refused(
        &format!("query {}true;", "!".repeat(5000)),
        &expect![[r#"
        f.fp:1:407: error: nested more than 400 levels deep
    "#]],
    );
}

/// Random formulas as text, from numbers.
struct Gen<'n> {
    numbers: &'n [u16],
    at: usize,
    fresh: usize,
}

impl Gen<'_> {
    fn below(&mut self, n: usize) -> usize {
        let number = self.numbers.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(number) % n
    }

    fn expr(&mut self, depth: usize, places: &[String], bits: &[String]) -> String {
        let kind = if depth == 0 { self.below(5) } else { self.below(12) };
        let place = |g: &mut Self| places[g.below(places.len())].clone();
        match kind {
            0 => format!("Edge({}, {})", place(self), place(self)),
            1 => format!("Start({})", place(self)),
            2 => {
                let value = match self.below(bits.len() + 2) {
                    0 => "true".to_owned(),
                    1 => "false".to_owned(),
                    k => bits[k - 2].clone(),
                };
                format!("R({value}, {}, {})", place(self), place(self))
            }
            3 => format!("S({})", place(self)),
            4 => format!("{} = {}", place(self), place(self)),
            5 => format!("!({})", self.expr(depth - 1, places, bits)),
            6 | 7 => format!(
                "(({}) & ({}))",
                self.expr(depth - 1, places, bits),
                self.expr(depth - 1, places, bits)
            ),
            8 => format!(
                "(({}) | ({}))",
                self.expr(depth - 1, places, bits),
                self.expr(depth - 1, places, bits)
            ),
            n => {
                self.fresh += 1;
                let name = format!("x{}", self.fresh);
                let word = if n == 11 { "forall" } else { "exists" };
                let places = [places, std::slice::from_ref(&name)].concat();
                format!("({word} Place {name}. ({}))", self.expr(depth - 1, &places, bits))
            }
        }
    }

    fn file(&mut self) -> String {
        let names = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<String>>();
        let r = self.expr(4, &names(&["u", "v"]), &names(&["b"]));
        let s = self.expr(4, &names(&["w"]), &[]);
        let q = self.expr(3, &names(&["y", "z"]), &[]);
        format!(
            "mu bool R(bool b, Place u, v) = {r};\nmu bool S(Place w) = {s};\nquery exists Place y, z. ({q});"
        )
    }
}

/// How many formulas; `GETAFIX_RANDOM_CASES=3000` for a thorough run.
pub(crate) fn cases() -> u32 {
    testing::number("GETAFIX_RANDOM_CASES", 150)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// Values on decision diagrams agree with the semantics, also where they do not reach a fixed point.
    #[test]
    fn evaluator_and_oracle_agree(
        numbers in prop::collection::vec(any::<u16>(), 0..120),
        edges in prop::collection::vec((0u32..4, 0u32..4), 0..6),
        starts in prop::collection::vec(0u32..4, 0..3),
        ranks in prop::collection::vec(0u32..4, 4),
    ) {
        let text = Gen { numbers: &numbers, at: 0, fresh: 0 }.file();
        let flow = (!numbers.is_empty()).then_some(Flow { class: 0, ranks });
        let model = Graph { edges, starts, flow };
        let formula = read(&text, &model).unwrap_or_else(|e| panic!("{e}"));
        let expected = Oracle::new(&formula, model.inputs(), 4000).run();
        let found = evaluate(&formula, &model, Options::default());
        match (expected, found) {
            (Some(expected), Ok(found)) => prop_assert_eq!(expected, found, "{}", text),
            (None, Err(Stop::Cycles { .. })) => {}
            // The query may hold of an intermediate value of a relation without a fixed point only if values only grow.
            (expected, found) => prop_assert!(false, "{expected:?} {found:?}\n{text}"),
        }
    }
}
