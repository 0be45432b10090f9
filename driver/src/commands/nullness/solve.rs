//! The reachable states, and the verdicts on dereferences that follow from them.

use super::report::{Finding, Report, Value};
use super::{Failed, Task, path, place};
use crate::options::Nullness as Options;
use bebop::{FlowSensitive, Outcome, Stopped};
use bp::{Cfg, StmtId, StmtKind, VertexId, VertexKind};
use cli::{Session, Verdict};
use dataflow::Origin;
use ir::{CheckKind, Op};
use std::collections::BTreeMap;

/// Most steps of a run in the boolean program, those inside calls included.
const TRACE_STEPS: usize = 20_000;

/// Solves both problems, or the path-sensitive one alone, and makes the report.
pub(super) fn solve(task: &Task, options: &Options, session: &Session) -> Result<Report, Failed> {
    let (cfg, _) = Cfg::build(&task.nullness.program, None).unwrap_or_else(|errors| {
        let messages: Vec<String> = errors.iter().map(|e| e.message.clone()).collect();
        panic!("the translation is a boolean program: {}", messages.join("; "))
    });
    let stopped = |why| match why {
        Stopped::Interrupted => Failed(String::new(), session.stopped_verdict()),
        other => Failed(String::new(), Verdict::Unknown(other.to_string())),
    };
    let question = bebop::Options { trace: false, ..bebop::Options::new(cfg.failures(), session.stop()) };
    let outcome = bebop::check(&cfg, &question).map_err(stopped)?;
    let flow = match options.flow_sensitive {
        true => Some(bebop::flow_sensitive(&cfg, session.stop()).map_err(stopped)?),
        false => None,
    };
    let mut solver =
        Solver { task, cfg: &cfg, points: Points::new(&cfg), outcome, flow, paths: options.paths };
    let report = solver.report().map_err(stopped)?;
    if session.stopped() {
        return Err(Failed(String::new(), session.stopped_verdict()));
    }
    Ok(report)
}

/// Where statements and failed assertions are in the graph.
struct Points {
    stmts: BTreeMap<StmtId, VertexId>,
    failures: BTreeMap<StmtId, VertexId>,
}

impl Points {
    fn new(cfg: &Cfg) -> Points {
        let failure = |v: VertexId| match cfg.vertices[v].kind {
            VertexKind::Failure(stmt) => Some((stmt, v)),
            _ => None,
        };
        Points {
            stmts: cfg.stmt_vertices(),
            failures: cfg.failures().into_iter().filter_map(failure).collect(),
        }
    }
}

struct Solver<'a> {
    task: &'a Task,
    cfg: &'a Cfg,
    points: Points,
    outcome: Outcome<'a>,
    flow: Option<FlowSensitive<'a>>,
    /// How many paths are still wanted.
    paths: usize,
}

impl Solver<'_> {
    fn report(&mut self) -> Result<Report, Stopped> {
        let mut findings = vec![];
        for (stmt, origin) in self.task.nullness.origins.iter_enumerated() {
            if let Origin::Dereference(number) = origin {
                findings.push(self.finding(stmt, *number)?);
            }
        }
        let pointers = self.task.nullness.pointers.len();
        let mut report = Report::new(findings, pointers, self.flow.is_some());
        report.left_out = self.unmodelled();
        report.left_out.extend(self.task.callback.clone());
        report.figures = self.outcome.stats;
        Ok(report)
    }

    fn finding(&mut self, stmt: StmtId, number: usize) -> Result<Finding, Stopped> {
        let found = &self.task.nullness.dereferences[number];
        let text = place::text(self.task, &found.lvalue);
        let span = place::of(self.task, found, &text);
        let precise = self.path_sensitive(stmt, number)?;
        let value = self.flow_sensitive(stmt, number).unwrap_or(precise);
        let mut path = None;
        if matches!(precise, Value::Always | Value::Possibly)
            && 0 < self.paths
            && let Some(trace) = self.outcome.reached.trace(self.points.failures[&stmt], TRACE_STEPS)?
        {
            self.paths -= 1;
            let pointer = place::pointer(self.task, &found.pointer);
            let steps = path::of(self.task, &trace, found);
            path = Some(path::text(self.task, &steps, &format!("{pointer} is NULL")));
        }
        Ok(Finding {
            file: self.task.sources.file(span.file).name.clone(),
            line: span.start.line,
            column: span.start.col,
            text,
            procedure: self.task.program.procs[found.proc].name.clone(),
            value,
            precise,
            path,
        })
    }

    fn path_sensitive(&mut self, stmt: StmtId, number: usize) -> Result<Value, Stopped> {
        let at = self.points.stmts[&stmt];
        if !self.outcome.reached.is_reached(at) {
            return Ok(Value::Unreached);
        }
        if !self.task.nullness.dereferences[number].tracked {
            return Ok(Value::Untracked);
        }
        if !self.outcome.reached.is_reached(self.points.failures[&stmt]) {
            return Ok(Value::Never);
        }
        let values = self.outcome.reached.values(at)?;
        Ok(self.reading(at, values.as_ref()))
    }

    fn flow_sensitive(&self, stmt: StmtId, number: usize) -> Option<Value> {
        let flow = self.flow.as_ref()?;
        let at = self.points.stmts[&stmt];
        Some(match flow.values(at) {
            None => Value::Unreached,
            Some(_) if !self.task.nullness.dereferences[number].tracked => Value::Untracked,
            Some(values) => self.reading(at, Some(&values)),
        })
    }

    /// What the values of the variables at an assertion say of its pointer.
    fn reading(&self, at: VertexId, values: Option<&bebop::ValueList>) -> Value {
        let edge = &self.cfg.edges[self.cfg.vertices[at].out[0]];
        let bp::Op::Assume { cond, .. } = &edge.op else { panic!("an assertion is a condition") };
        let null = match cond {
            bp::Expr::Const(holds) => Some(!holds),
            bp::Expr::Not(inner) => match &**inner {
                bp::Expr::Var(v) => {
                    values.into_iter().flatten().find(|(w, _)| w == v).and_then(|(_, value)| *value)
                }
                _ => None,
            },
            _ => None,
        };
        match null {
            Some(true) => Value::Always,
            Some(false) => Value::Never,
            None => Value::Possibly,
        }
    }

    /// What is reached and not modelled: executions are followed behind it as if nothing had happened there.
    fn unmodelled(&self) -> Vec<String> {
        let mut out = vec![];
        self.task.nullness.program.for_each_stmt(|stmt| {
            let Origin::Edge(p, e) = self.task.nullness.origins[stmt.id] else { return };
            let Op::Check(check, _) = &self.task.program.procs[p].edges[e].op else { return };
            let check = &self.task.program.checks[*check];
            assert!(!matches!(stmt.kind, StmtKind::Call { .. }));
            if check.kind == CheckKind::Unmodelled
                && self.outcome.reached.is_reached(self.points.stmts[&stmt.id])
            {
                out.push(format!("{}: {}", self.task.sources.short(check.span), check.message));
            }
        });
        out
    }
}
