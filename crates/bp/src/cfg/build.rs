//! Builds a graph in two steps, each of which two threads share when a program is large: the vertices and
//! everything else, then the edges of each vertex. The result is that of one thread.

use super::groups::Group;
use super::lower::{self, Lowered};
use super::vertices::{link, vertices};
use super::{Cfg, ProcId, Vertex};
use crate::ast::{Proc, Program};
use crate::parser::STACK;
use base::{Diagnostic, Id, IndexVec};
use std::thread;

/// More statements are worth a second thread.
const MANY_STATEMENTS: usize = 4_000;

type Built = Result<(Cfg, Vec<Diagnostic>), Vec<Diagnostic>>;

pub(super) fn build(program: &Program, entry: &str) -> Built {
    // Messages about threads come after those about all procedures outside.
    by_threads(program, entry, program.threads.is_empty() && lower::about(program) > MANY_STATEMENTS)
}

fn by_threads(program: &Program, entry: &str, two: bool) -> Built {
    let none = Proc::new("init");
    let group = Group::new(program, entry, &none);
    let about = lower::about(program) + program.procs.len();
    let cut = if two { cut(program) } else { usize::MAX };
    let other = || {
        let (vertices, before) = vertices(group.bodies(), about, cut);
        (vertices, two.then(|| lower::rest(program, entry, cut, before)))
    };
    let ((vertices, rest), first) = both(two, other, || lower::lower(program, entry, cut));
    let lowered = match rest {
        None => Some(first),
        Some(rest) => first.with(rest),
    };
    let Some(Lowered { mut cfg, report, .. }) = lowered else { return by_threads(program, entry, false) };
    if report.threads
        && let Some(concurrent) = program.concurrent()
    {
        return Err(vec![concurrent.refusal()]);
    }
    if !report.errors.is_empty() {
        return Err(report.errors);
    }
    if let Some(concurrent) = report.passive {
        return Err(vec![concurrent.refusal()]);
    }
    cfg.vertices = IndexVec::from_vec(vertices);
    link_all(&mut cfg, two);
    Ok((cfg, report.warnings))
}

/// Where the first thread stops: the second one makes the vertices, too, so that a third of the edges is enough for it.
fn cut(program: &Program) -> usize {
    let before = lower::about(program) / 3 * 2;
    let ids = |proc: &Proc| proc.body.first().is_none_or(|stmt| stmt.id.index() < before);
    program.procs.partition_point(ids)
}

/// Notes the edges at all vertices. An edge stays in its procedure, so halves of the procedures have nothing in common.
fn link_all(cfg: &mut Cfg, two: bool) {
    let half = ProcId::from_index(cfg.procs.len() / 2);
    let first = cfg.procs.get(half).map_or(0, |proc| proc.first);
    let first_edge = cfg.edges.as_slice().partition_point(|edge| edge.from.index() < first);
    let (edges, later_edges) = cfg.edges.as_slice().split_at(first_edge);
    let mut all: Vec<Vertex> = std::mem::take(&mut cfg.vertices).into_vec();
    let (vertices, later) = all.split_at_mut(first);
    both(two, || link(later, later_edges, (first, first_edge)), || link(vertices, edges, (0, 0)));
    cfg.vertices = IndexVec::from_vec(all);
}

/// The results of both, the first by another thread if there are to be two, and the system has one.
fn both<A: Send, B>(two: bool, other: impl FnOnce() -> A + Send, own: impl FnOnce() -> B) -> (A, B) {
    let mut other = Some(other);
    let mut result = None;
    let own = thread::scope(|scope| {
        if two {
            let work = || result = other.take().map(|other| other());
            let _ = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        }
        own()
    });
    let result = result.or_else(|| other.map(|other| other()));
    (result.expect("it was asked for once"), own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::{Stmt, StmtKind};
    use crate::expr::Expr;
    use crate::random::{self, Choices, Shape};
    use proptest::prelude::*;

    /// A mistake, some of which concern two procedures, or something that is warned of.
    fn spoil(p: &mut Program, choices: &mut Choices<'_>) {
        let i = choices.below(p.procs.len());
        let j = choices.below(p.procs.len());
        match choices.below(9) {
            0 => p.globals.clear(),
            1 => p.procs[i].locals.clear(),
            2 => _ = p.procs[i].formals.pop(),
            3 => p.procs[i].name = p.procs[j].name.clone(),
            4 => p.procs[i].locals.extend(p.globals.first().cloned()),
            5 => p.procs[i].body = p.procs[j].body.clone(),
            6 => p.procs[i].returns += 1,
            7 => p.procs[i].body.iter_mut().for_each(|stmt| stmt.labels.push("L0".into())),
            _ => {
                let broken = |stmt: &mut Stmt| match &mut stmt.kind {
                    StmtKind::Skip => stmt.kind = StmtKind::EndThread,
                    StmtKind::Assign { targets, .. } => targets.extend(targets.first().cloned()),
                    StmtKind::Call { callee, .. } => *callee = "nobody".into(),
                    StmtKind::Assume { cond, .. } => *cond = Expr::var("g0$"),
                    _ => stmt.kind = StmtKind::goto(["nowhere"]),
                };
                p.procs[i].body.iter_mut().for_each(broken);
            }
        }
    }

    fn same(p: &Program) -> Built {
        let two = by_threads(p, "main", true);
        let one = by_threads(p, "main", false);
        assert_eq!(format!("{two:#?}"), format!("{one:#?}"), "{}", crate::print(p));
        two
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn the_graph_and_the_messages_are_those_of_one_thread(
            numbers in prop::collection::vec(any::<u16>(), 50..400),
            mistakes in 0..4usize,
            more in prop::collection::vec(any::<u16>(), 20),
        ) {
            let shape = Shape { procs: 8, stmts: 6, ..Shape::default() };
            let mut p = random::program(&mut Choices::new(&numbers), shape);
            prop_assert!(same(&p).is_ok());
            let mut choices = Choices::new(&more);
            (0..mistakes).for_each(|_| spoil(&mut p, &mut choices));
            let _ = same(&p);
        }
    }

    /// Calls across the cut, ids that are there twice, and more messages than are collected.
    #[test]
    fn large_programs() {
        let mut p = random::template(600);
        let (cfg, _) = same(&p).expect("the template is well-formed");
        assert!(cut(&p) > 350 && cut(&p) < 450);
        assert!(lower::about(&p) > MANY_STATEMENTS);
        let built = build(&p, "main").expect("the template is well-formed").0;
        assert_eq!(format!("{built:?}"), format!("{cfg:?}"));
        p.procs[590].body = p.procs[3].body.clone();
        assert_eq!(same(&p).expect_err("ids are there twice").len(), 15);
        for proc in p.procs.iter_mut().skip(380) {
            proc.name = format!("another_{}", proc.name).into();
        }
        assert_eq!(same(&p).expect_err("procedures are missing").len(), 50);
    }

    /// Expressions as deep as the parser admits where the second thread is, whose stack is not the caller's.
    #[test]
    fn deep_expressions() {
        let test = || {
            let mut p = random::template(600);
            let mut deep = Expr::var("deep");
            for _ in 0..4_000 {
                deep = Expr::Not(Box::new(deep));
            }
            p.globals.push("deep".into());
            p.procs[595].body[0].kind = StmtKind::Assume { cond: deep, constrain: None };
            assert!(by_threads(&p, "main", true).is_ok());
        };
        let thread = thread::Builder::new().stack_size(STACK).spawn(test).expect("there are threads");
        thread.join().expect("nothing overflows");
    }
}
