//! The engine against the explicit twin on random programs: what is reached, in which states, how far away;
//! and every step of every trace.

#[cfg(feature = "oxidd")]
use crate::oxidd_engine::Oxidd;
use bebop::{
    Answer, Biodivine, Engine, Held, Options, Order, Outcome, Progress, Slices, Sum, ValueList, check,
    check_in_slices,
};
use bp::cfg::slices;
use bp::random::{Choices, Shape, program};
use bp::{Cfg, EdgeId, Expr, Ident, ProcId, VarId, VertexId, print};
use check::explicit::{Bits, Explicit, check_trace};
use check::{Event, StepKind, Trace};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

static RUN: AtomicBool = AtomicBool::new(false);

/// Live ranges, all states, order of variables.
const WAYS: [(bool, bool, Order); 4] = [
    (true, true, Order::Affinity),
    (false, true, Order::Affinity),
    (true, false, Order::Affinity),
    (true, true, Order::Declared),
];

/// The valuations that a sum of cubes stands for.
fn expand(cfg: &Cfg, vertex: VertexId, sum: &Sum<VarId>) -> BTreeSet<Bits> {
    assert!(sum.complete);
    let scope: Vec<VarId> = cfg.scope(cfg.vertices[vertex].proc).collect();
    let holds = |bits: Bits, cube: &Vec<(VarId, bool)>| {
        cube.iter().all(|(v, value)| {
            let i = scope.iter().position(|s| s == v).expect("cubes speak of the scope");
            (bits >> i & 1 == 1) == *value
        })
    };
    (0..1 << scope.len()).filter(|bits| sum.cubes.iter().any(|cube| holds(*bits, cube))).collect()
}

fn compare(cfg: &Cfg) {
    let twin = Explicit::new(cfg);
    compare_narrowed(cfg, &twin);
    let everything: Vec<VertexId> = cfg.vertices.ids().collect();
    let mut questions = vec![cfg.failures()];
    questions.extend(everything.iter().rev().step_by(5).map(|v| vec![*v]));
    for (i, goals) in questions.into_iter().enumerate() {
        let expected = twin.shortest(&goals);
        compare_in_parts(cfg, &twin, &goals, expected);
        for (live, exhaustive, order) in WAYS {
            let query = goals.clone();
            let options = Options { live, exhaustive, order, ..Options::new(query, &RUN) };
            let case = Case {
                cfg,
                twin: &twin,
                goals: &goals,
                expected,
                live,
                exhaustive,
                states: i == 0 && exhaustive,
            };
            let outcome = check(cfg, &options).expect("nothing stops it");
            // The other package answers every question in each of these ways, and does the same work.
            #[cfg(feature = "oxidd")]
            {
                let figures = (outcome.stats.vertices, outcome.stats.rounds, outcome.stats.summaries);
                let small = |vars| Oxidd::with_capacity(vars, &RUN, 1 << 12, 1 << 8);
                let mut progress = bebop::Progress::default();
                let other = bebop::check_with(cfg, &options, &mut progress, small).expect("nothing stops it");
                assert_eq!((other.stats.vertices, other.stats.rounds, other.stats.summaries), figures);
                case.judge(other);
            }
            case.judge(outcome);
        }
    }
}

/// The question taken apart from the beginning, and each part by itself.
fn compare_in_parts(cfg: &Cfg, twin: &Explicit<'_>, goals: &[VertexId], expected: Option<usize>) {
    let found = slices(cfg, goals);
    if found.is_empty() {
        return;
    }
    let of = |slice: &bp::Slice| Explicit::new(&slice.cfg).shortest(&slice.goals);
    assert_eq!(found.iter().filter_map(of).min(), expected);
    for exhaustive in [true, false] {
        let options = Options { exhaustive, ..Options::new(goals.to_vec(), &RUN) };
        let (parts, mut progress) = (Slices::new(), Progress::default());
        let engine = |vars| Biodivine::new(vars, &RUN);
        let outcome = check_in_slices(cfg, (&parts, 0), &options, &mut progress, engine);
        let case = Case { cfg, twin, goals, expected, live: true, exhaustive, states: false };
        case.judge(outcome.expect("nothing stops it"));
    }
}

/// The engine on the program with `enforce` on edges, against the twin on the program as it was.
fn compare_narrowed(cfg: &Cfg, twin: &Explicit<'_>) {
    let other = bp::analysis::enforce_at_changes(cfg);
    let everything = cfg.vertices.ids().rev().step_by(7).map(|v| vec![v]);
    for (i, goals) in std::iter::once(cfg.failures()).chain(everything).enumerate() {
        let expected = twin.shortest(&goals);
        for live in [true, false] {
            let options = Options { live, ..Options::new(goals.clone(), &RUN) };
            let case = Case { cfg, twin, goals: &goals, expected, live, exhaustive: true, states: i == 0 };
            case.judge(check(&other, &options).expect("nothing stops it"));
        }
    }
}

/// A question, how it is to be answered, and what the twin says.
struct Case<'a> {
    cfg: &'a Cfg,
    twin: &'a Explicit<'a>,
    goals: &'a [VertexId],
    expected: Option<usize>,
    live: bool,
    exhaustive: bool,
    states: bool,
}

impl Case<'_> {
    fn judge<E: Engine>(&self, mut outcome: Outcome<'_, E>) {
        match (&outcome.answer, self.expected) {
            (Answer::Unreachable, None) => {}
            (Answer::Reachable { trace: Some(trace), .. }, Some(length)) => {
                check_trace(self.cfg, trace).unwrap_or_else(|e| panic!("{e}\n{trace:#?}"));
                if self.exhaustive {
                    assert_eq!(trace.length(), length, "live {}", self.live);
                }
                assert!(trace.length() >= length);
                assert!(self.goals.contains(&trace.target));
            }
            (answer, expected) => panic!("{answer:?}, but the twin says {expected:?}"),
        }
        if self.states {
            self.cfg.vertices.ids().for_each(|v| self.compare_states(&mut outcome, v));
        }
        if self.states {
            self.compare_traces(&mut outcome);
        }
        if self.states && !self.live {
            for proc in self.cfg.procs.ids() {
                let sum = outcome.reached.summary(proc, 10_000).expect("nothing stops it");
                compare_summary(self.cfg, proc, self.twin, &sum);
            }
        }
    }

    /// Traces to many vertices that are looked for together are as short as each by itself.
    fn compare_traces<E: Engine>(&self, outcome: &mut Outcome<'_, E>) {
        let vertices: Vec<VertexId> = self.cfg.vertices.ids().rev().step_by(3).collect();
        let traces = outcome.reached.traces(&vertices, 100_000).expect("nothing stops it");
        assert_eq!(traces.len(), vertices.iter().filter(|v| outcome.reached.is_reached(**v)).count());
        for trace in traces {
            check_trace(self.cfg, &trace).unwrap_or_else(|e| panic!("{e}\n{trace:#?}"));
            assert_eq!(Some(trace.length()), self.twin.shortest(&[trace.target]));
            self.compare_other_calls(outcome, &trace);
        }
    }

    /// Those by other calls are runs to the same place, each by a call of its own, and none is shorter.
    fn compare_other_calls<E: Engine>(&self, outcome: &mut Outcome<'_, E>, trace: &Trace) {
        let others = outcome.reached.traces_by_other_calls(trace, 9, 100_000).expect("nothing stops it");
        let mut calls = BTreeSet::from([last_call(trace)]);
        for other in others {
            check_trace(self.cfg, &other).unwrap_or_else(|e| panic!("{e}\n{other:#?}"));
            assert_eq!(other.target, trace.target);
            assert!(last_call(&other).is_some() && calls.insert(last_call(&other)), "{other:#?}");
            assert!(trace.length() <= other.length());
        }
    }

    fn compare_states<E: Engine>(&self, outcome: &mut Outcome<'_, E>, vertex: VertexId) {
        let states = self.twin.states(vertex);
        assert_eq!(outcome.reached.is_reached(vertex), !states.is_empty(), "{vertex}");
        let sum = outcome.reached.states(vertex, 10_000).expect("nothing stops it");
        let found = expand(self.cfg, vertex, &sum);
        if self.live {
            assert!(states.is_subset(&found), "{vertex}");
            return;
        }
        assert_eq!(found, states, "{vertex}");
        let values = outcome.reached.values(vertex).expect("nothing stops it");
        assert_eq!(values, in_all(self.cfg, vertex, &states), "{vertex}");
    }
}

/// The call by which a trace is in the procedure where it ends.
pub(crate) fn last_call(trace: &Trace) -> Option<EdgeId> {
    let points = trace.flatten(usize::MAX).expect("traces are short");
    let mut open = vec![];
    for point in points {
        match point.event {
            Event::Step(step) if matches!(step.kind, StepKind::Call(_) | StepKind::Enter(_)) => {
                open.push(step.edge)
            }
            Event::Return(_) => _ = open.pop(),
            Event::Step(_) | Event::Target(_) => {}
        }
    }
    open.pop()
}

/// The value that each variable has in all of the states.
fn in_all(cfg: &Cfg, vertex: VertexId, states: &BTreeSet<Bits>) -> Option<ValueList> {
    let first = *states.first()?;
    let scope = cfg.scope(cfg.vertices[vertex].proc).enumerate();
    let value = |i: usize| {
        let value = first >> i & 1;
        states.iter().all(|s| s >> i & 1 == value).then_some(value == 1)
    };
    Some(scope.map(|(i, v)| (v, value(i))).collect())
}

/// On the values that the sum mentions it is what the twin's executions do.
fn compare_summary(cfg: &Cfg, proc: ProcId, twin: &Explicit<'_>, sum: &Sum<Held>) {
    assert!(sum.complete);
    let scope: Vec<VarId> = cfg.scope(proc).collect();
    let at = |v: &VarId| scope.iter().position(|s| s == v).expect("summaries speak of the scope");
    let mentioned: BTreeSet<Held> = sum.cubes.iter().flatten().map(|(held, _)| *held).collect();
    let value = |held: &Held, (before, after, returned): (Bits, Bits, u64)| match held {
        Held::Entry(v) => before >> at(v) & 1 == 1,
        // A formal is mentioned so when it does not change.
        Held::Exit(v) if cfg.vars[*v].owner.is_some() => before >> at(v) & 1 == 1,
        Held::Exit(v) => after >> at(v) & 1 == 1,
        Held::Result(k) => returned >> k & 1 == 1,
    };
    let passages = twin.passages(proc);
    let done: BTreeSet<Vec<(Held, bool)>> =
        passages.iter().map(|p| mentioned.iter().map(|h| (*h, value(h, *p))).collect()).collect();
    let mentioned: Vec<Held> = mentioned.into_iter().collect();
    let all = (0..1u64 << mentioned.len()).map(|bits| {
        mentioned.iter().enumerate().map(|(i, h)| (*h, bits >> i & 1 == 1)).collect::<Vec<(Held, bool)>>()
    });
    let holds = |row: &Vec<(Held, bool)>| sum.cubes.iter().any(|c| c.iter().all(|l| row.contains(l)));
    let told: BTreeSet<Vec<(Held, bool)>> = all.filter(holds).collect();
    assert_eq!(told, done, "{proc}");
}

/// How many programs; `BEBOP_TWIN_CASES=10000` for a thorough run.
fn cases() -> u32 {
    testing::number("BEBOP_TWIN_CASES", 300)
}

fn agree(numbers: &[u16], shape: Shape) -> Result<(), TestCaseError> {
    let p = program(&mut Choices::new(numbers), shape);
    let (cfg, _) = Cfg::build(&p, None).expect("random programs are well-formed");
    let result = std::panic::catch_unwind(|| compare(&cfg));
    prop_assert!(result.is_ok(), "{}", print(&p));
    Ok(())
}

/// The literal with the number over the variables, if there are some.
fn literal(vars: &[Ident], n: u8) -> Option<Expr> {
    let var = Expr::Var(vars.get(usize::from(n / 2) % vars.len().max(1))?.clone());
    Some(if n.is_multiple_of(2) { var } else { Expr::not(var) })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn engine_and_twin_agree(numbers in prop::collection::vec(any::<u16>(), 0..250)) {
        agree(&numbers, Shape::default())?;
    }

    /// Every procedure enforces something about variables in its scope.
    #[test]
    fn enforce_may_stand_on_edges(
        numbers in prop::collection::vec(any::<u16>(), 0..250),
        literals in prop::collection::vec(any::<u8>(), 24),
    ) {
        let mut p = program(&mut Choices::new(&numbers), Shape::default());
        let globals = p.globals.clone();
        for (i, proc) in p.procs.iter_mut().enumerate() {
            let scope: Vec<_> = globals.iter().chain(&proc.formals).chain(&proc.locals).cloned().collect();
            let chosen = literals.iter().cycle().skip(8 * i).take(8);
            let literals: Vec<Expr> = chosen
                .filter_map(|n| literal(&scope, *n))
                .collect();
            let clauses = literals.chunks(if i % 2 == 0 { 2 } else { 3 }).map(|c| Expr::or(c.iter().cloned()));
            proc.enforce = Some(Expr::and(clauses)).filter(|e| *e != Expr::one());
        }
        let (cfg, _) = Cfg::build(&p, None).expect("random programs are well-formed");
        let result = std::panic::catch_unwind(|| compare_narrowed(&cfg, &Explicit::new(&cfg)));
        prop_assert!(result.is_ok(), "{}", print(&p));
    }

    /// All procedures enforce the same of the globals, some something else besides: behind a call holds what the
    /// procedure called enforces at its exit, unless a result is stored in it.
    #[test]
    fn what_callees_assume(
        numbers in prop::collection::vec(any::<u16>(), 0..250),
        literals in prop::collection::vec(any::<u8>(), 12),
        without in any::<u8>(),
    ) {
        let mut p = program(&mut Choices::new(&numbers), Shape::default());
        let globals = p.globals.clone();
        let of_pair = |pair: &[u8]| Expr::or(pair.iter().filter_map(|n| literal(&globals, *n)));
        let clauses: Vec<Expr> = literals.chunks(2).map(of_pair).collect();
        for (i, proc) in p.procs.iter_mut().enumerate() {
            // One procedure enforces half of them.
            let most = if i == usize::from(without) % 6 { clauses.len() / 2 } else { clauses.len() };
            let common = if globals.is_empty() { &[] } else { &clauses[..most] };
            let own = proc.enforce.take();
            proc.enforce = Some(Expr::and(common.iter().cloned().chain(own))).filter(|e| *e != Expr::one());
        }
        let (cfg, _) = Cfg::build(&p, None).expect("random programs are well-formed");
        let result = std::panic::catch_unwind(|| compare_narrowed(&cfg, &Explicit::new(&cfg)));
        prop_assert!(result.is_ok(), "{}", print(&p));
    }

    /// More variables, so that their order matters, and more calls that pass them on.
    #[test]
    fn engine_and_twin_agree_in_large_scopes(numbers in prop::collection::vec(any::<u16>(), 100..300)) {
        agree(&numbers, Shape { globals: 2, procs: 3, locals: 3, stmts: 4, depth: 1 })?;
    }
}

/// A check in a procedure fails in three of its four calls, one of which is behind a call that passes it.
#[test]
fn a_failure_has_a_trace_by_each_call_that_leads_to_it() {
    let text = "decl a;
void check(b) begin
    assert(b);
end
void inner() begin
    check(a);
    check(1);
end
void main() begin
    a := *;
    if (*) then
        inner();
    fi
    if (*) then
        a := 1;
        check(a);
        check(!a);
    fi
    check(a);
end
";
    let file = base::SourceMap::new().add("a.bp", None);
    let (program, _) = bp::parse(text, file, bp::Dialect::Strict).expect("it is a program");
    let (cfg, _) = Cfg::build(&program, None).expect("it is well-formed");
    let mut outcome = check(&cfg, &Options::new(cfg.failures(), &RUN)).expect("nothing stops it");
    let Answer::Reachable { trace: Some(first), .. } = &outcome.answer else { panic!("a check fails") };
    let line = |trace: &Trace| {
        let call = last_call(trace).expect("checks fail in calls");
        cfg.vertices[cfg.edges[call].from].loc.0.map(|span| span.start.line)
    };
    let others = outcome.reached.traces_by_other_calls(first, 9, 1_000).expect("nothing stops it");
    let lines: Vec<_> = std::iter::once(first).chain(&others).map(line).collect();
    assert_eq!(lines, [Some(6), Some(19), Some(17)]);
    for other in &others {
        check_trace(&cfg, other).unwrap_or_else(|e| panic!("{e}\n{other:#?}"));
    }
    // No more than are asked for.
    assert_eq!(outcome.reached.traces_by_other_calls(first, 1, 1_000).expect("nothing stops it").len(), 1);
}
