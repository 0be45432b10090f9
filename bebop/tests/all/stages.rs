//! Procedures in stages: what is closed at first is taken only after what ends the stage, and nothing else is different.

use base::Id;
use bebop::{Answer, Options, check};
use bp::cfg::Stage;
use bp::random::{Choices, Shape, program};
use bp::{Cfg, Dialect, EdgeId, Op, ProcId, parse};
use check::Event;
use check::explicit::check_trace;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

static RUN: AtomicBool = AtomicBool::new(false);

/// A check that fails once both branches of a loop have been taken.
const BOTH: &str = "void main() begin
    decl a, b;
    a, b := 0, 0;
    while (*) do
        if (*) then
            a := 1;
        else
            b := 1;
        fi
    od
    assert(!(a & b));
end
";

#[test]
fn what_is_closed_comes_after_what_ends_the_stage() {
    let file = base::SourceMap::new().add("a.bp", None);
    let (program, _) = parse(BOTH, file, Dialect::Strict).expect("it is a program");
    let (cfg, _) = Cfg::build(&program, None).expect("it is well-formed");
    let line =
        |cfg: &Cfg, edge: EdgeId| cfg.vertices[cfg.edges[edge].from].loc.0.map_or(0, |span| span.start.line);
    let at = |wanted: u32| -> BTreeSet<EdgeId> {
        cfg.edges.ids().filter(|edge| line(&cfg, *edge) == wanted).collect()
    };
    let stage = |closed: BTreeSet<EdgeId>, ends: BTreeSet<EdgeId>| Stage { closed, ends };
    let order = |stages: &[Stage]| -> Option<Vec<u32>> {
        let staged = cfg.in_stages(cfg.entry, stages);
        let outcome = check(&staged, &Options::new(staged.failures(), &RUN)).expect("nothing stops it");
        let Answer::Reachable { trace: Some(trace), .. } = outcome.answer else { return None };
        check_trace(&staged, &trace).expect("it is a run");
        let points = trace.flatten(1_000).expect("it is short");
        let taken = points.iter().filter_map(|point| match point.event {
            Event::Step(step) if matches!(staged.edges[step.edge].op, Op::Assign { .. }) => {
                Some(line(&staged, step.edge))
            }
            _ => None,
        });
        Some(taken.skip(1).collect())
    };
    assert_eq!(order(&[stage(at(8), at(6))]), Some(vec![6, 8]));
    assert_eq!(order(&[stage(at(6), at(8))]), Some(vec![8, 6]));
    // Each once more before the other one.
    assert_eq!(order(&[stage(at(8), at(6)), stage(at(8), at(6))]), Some(vec![6, 6, 8]));
    assert_eq!(order(&[stage(at(8), at(6)), stage(at(6), at(8))]), Some(vec![6, 8]));
    // Nothing ends the stage.
    assert_eq!(order(&[stage(at(8), BTreeSet::new())]), None);
    assert!(order(&[]).is_some());
}

/// What the staged program does, the whole one does; and where nothing is closed they do the same.
#[test]
fn stages_leave_out_and_add_nothing() {
    for seed in 0..60u16 {
        let numbers: Vec<u16> = (0..200u16).map(|i| (i + 3).wrapping_mul(2 * seed + 12_289) >> 2).collect();
        let program = program(&mut Choices::new(&numbers), Shape::default());
        let (cfg, _) = Cfg::build(&program, None).expect("random programs are well-formed");
        let proc = ProcId::from_index(usize::from(seed) % cfg.procs.len());
        let every = |rest: usize| -> BTreeSet<EdgeId> {
            let own = |edge: &EdgeId| cfg.vertices[cfg.edges[*edge].from].proc == proc;
            cfg.edges.ids().filter(|edge| own(edge) && edge.index() % 5 == rest).collect()
        };
        let reached = |cfg: &Cfg| -> BTreeSet<(ProcId, String)> {
            let mut outcome = check(cfg, &Options::new(cfg.failures(), &RUN)).expect("nothing stops it");
            let all = cfg.vertices.ids().filter(|v| outcome.reached.is_reached(*v)).collect::<Vec<_>>();
            for v in all.iter().step_by(5) {
                let trace =
                    outcome.reached.trace(*v, 1_000).expect("nothing stops it").expect("it is reached");
                check_trace(cfg, &trace).unwrap_or_else(|e| panic!("{e}\n{trace:#?}"));
            }
            all.into_iter().map(|v| (cfg.vertices[v].proc, format!("{:?}", cfg.vertices[v].kind))).collect()
        };
        let whole = reached(&cfg);
        let open = Stage { closed: BTreeSet::new(), ends: every(1) };
        assert_eq!(reached(&cfg.in_stages(proc, &[open.clone(), open])), whole, "{program:?}");
        let closed = [0, 2].map(|rest| Stage { closed: every(rest), ends: every(rest + 1) });
        assert!(reached(&cfg.in_stages(proc, &closed)).is_subset(&whole), "{program:?}");
    }
}
