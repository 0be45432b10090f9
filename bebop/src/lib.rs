//! Bebop: reachability in boolean programs \[BR-SPIN00\]. Control flow is explicit; the sets of path edges and
//! summaries are decision diagrams over the variables in one scope. The answer is exact.
//!
//! [`check()`] computes path edges, answers the question and gives a shortest hierarchical trace; [`Reached`] gives the
//! states found. Invariants: only `space` creates decision-diagram variables and knows their order;
//! [`check::explicit`], the twin that tests compare with, shares no code with the engine. The crate must not know C or
//! a prover.
//!
//! ```
//! use bebop::{Answer, Options};
//! use bp::{Cfg, Dialect};
//!
//! # fn main() -> Result<(), Vec<base::Diagnostic>> {
//! let text = "decl lock; void main() begin lock := 0; if (*) then lock := 1; fi assert(lock); end";
//! let (program, _) = bp::parse(text, base::SourceMap::new().add("lock.bp", None), Dialect::Strict)?;
//! let (cfg, _) = Cfg::build(&program, None)?;
//! let stop = false.into();
//! let outcome = bebop::check(&cfg, &Options::new(cfg.failures(), &stop)).expect("nothing stops it");
//! let Answer::Reachable { trace: Some(trace), .. } = outcome.answer else { panic!("the assertion can fail") };
//! assert_eq!(check::explicit::check_trace(&cfg, &trace), Ok(()));
//! # Ok(())
//! # }
//! ```

mod checker;
mod concrete;
mod dont_care;
pub mod dot;
mod flow;
mod machine;
mod path_edges;
mod reached;
pub mod render;
mod rings;
mod schedule;
mod share;
mod slices;
mod space;
mod summary_edges;

pub use checker::Bebop;
pub use flow::{FlowSensitive, flow_sensitive};
pub use reached::{Graph, Held, Node, Reached, Sum, ValueList, When};
pub use slices::{Slices, check_in_slices};

use base::IndexVec;
pub use bdd::{Biodivine, Engine, TooManyVariables};

use ::check::Trace;
use bp::{Cfg, VertexId};
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How program variables are ordered in decision diagrams. The answer is the same; time and memory are not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// What occurs together in statements stands together, whatever the order of declarations.
    #[default]
    Affinity,
    /// As declared: globals, formals, locals.
    Declared,
}

/// How to search.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// Whether one of these vertices can be reached is the question.
    pub goals: Vec<VertexId>,
    /// Whether dead variables, and globals that play no part in a procedure, are projected away; faster, but the
    /// states reported do not mention them.
    pub live: bool,
    /// Whether to go on to all reachable states when the answer is known. The trace is a shortest one of all
    /// only then, else of those found so far.
    pub exhaustive: bool,
    /// Whether a trace is wanted.
    pub trace: bool,
    /// Runs inside calls are added to a trace while it has at most this many steps in all segments.
    pub max_trace_steps: usize,
    /// Runs inside calls are looked for no longer when the trace with all calls expanded is sure to have more steps
    /// than this: nobody would read it.
    pub max_flat_steps: usize,
    /// How variables are ordered.
    pub order: Order,
    /// Whether [`Stats::nodes`] is wanted.
    pub count_nodes: bool,
    /// Setting it ends the search soon.
    pub stop: &'a AtomicBool,
}

impl<'a> Options<'a> {
    /// Everything on: live ranges, all states, a trace of at most 100,000 steps.
    pub fn new(goals: Vec<VertexId>, stop: &'a AtomicBool) -> Options<'a> {
        Options {
            goals,
            live: true,
            exhaustive: true,
            trace: true,
            max_trace_steps: 100_000,
            max_flat_steps: usize::MAX,
            order: Order::default(),
            count_nodes: true,
            stop,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// The stop flag was set.
    Interrupted,
    /// The decision-diagram package has no room for more nodes.
    Exhausted,
    /// A scope has more variables than decision diagrams can have here.
    TooManyVariables(TooManyVariables),
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Interrupted => f.write_str("interrupted"),
            Stopped::Exhausted => f.write_str("no room for more nodes of decision diagrams"),
            Stopped::TooManyVariables(e) => e.fmt(f),
        }
    }
}

impl From<TooManyVariables> for Stopped {
    fn from(e: TooManyVariables) -> Stopped {
        Stopped::TooManyVariables(e)
    }
}

/// The answer.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A vertex asked for can be reached.
    Reachable {
        /// One that can: the end of the trace if there is one.
        target: VertexId,
        /// How, if that was asked.
        trace: Option<Trace>,
    },
    /// None of them can be reached.
    Unreachable,
}

/// Figures about a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Vertices that can be reached.
    pub vertices: usize,
    /// Vertices taken from the worklist.
    pub rounds: u64,
    /// Additions to the summaries of procedures.
    pub summaries: usize,
    /// Nodes of the path edges at all vertices together, each diagram counted by itself; 0 if they are not counted.
    pub nodes: usize,
    /// Nodes of all intermediate results together.
    pub nodes_made: u64,
    /// Decision-diagram variables.
    pub diagram_vars: usize,
}

/// How long the stages took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Times {
    /// Analyses that come first, and the order of variables.
    pub preparing: Duration,
    /// Path edges.
    pub searching: Duration,
    /// The trace.
    pub tracing: Duration,
}

/// The answer, and what was found on the way.
pub struct Outcome<'a, E: Engine = Biodivine<'a>> {
    /// The answer.
    pub answer: Answer,
    /// Figures.
    pub stats: Stats,
    /// Times.
    pub times: Times,
    /// The states.
    pub reached: Reached<'a, E>,
}

/// Figures and times of a search, as far as it has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Figures.
    pub stats: Stats,
    /// Times.
    pub times: Times,
}

/// Answers the question.
///
/// # Errors
/// When the stop flag is set, or a scope has too many variables.
pub fn check<'a>(cfg: &'a Cfg, options: &Options<'a>) -> Result<Outcome<'a>, Stopped> {
    check_with(cfg, options, &mut Progress::default(), |vars| Biodivine::new(vars, options.stop))
}

/// The same with another decision-diagram package; `engine` gets the number of variables. What is known about a search
/// that is stopped is in `progress`.
///
/// # Errors
/// As [`check()`].
pub fn check_with<'a, E: Engine>(
    cfg: &'a Cfg,
    options: &Options<'a>,
    progress: &mut Progress,
    engine: impl FnOnce(usize) -> Result<E, TooManyVariables>,
) -> Result<Outcome<'a, E>, Stopped> {
    Ok(run(cfg, options, progress, engine, None)?.expect("nothing else is tried"))
}

/// The same; `None` when more than the given number of nodes were made and a better way exists then.
fn run<'a, E: Engine>(
    cfg: &'a Cfg,
    options: &Options<'a>,
    progress: &mut Progress,
    engine: impl FnOnce(usize) -> Result<E, TooManyVariables>,
    other_way: Option<(u64, &mut dyn FnMut() -> bool)>,
) -> Result<Option<Outcome<'a, E>>, Stopped> {
    let started = Instant::now();
    let mut goals = IndexVec::from_elem(false, cfg.vertices.len());
    options.goals.iter().for_each(|vertex| goals[*vertex] = true);
    let space = space::Space::new(cfg, options.order);
    let diagram_vars = space.diagram_vars();
    let engine = engine(diagram_vars)?;
    let machine = machine::Machine::new(cfg, options.live, space, engine);
    let mut edges = path_edges::PathEdges::new(machine, goals.clone());
    let mut times = Times { preparing: started.elapsed(), ..Times::default() };
    let early = !options.exhaustive;
    let mut gives_up = false;
    let solved = match other_way {
        None => edges.solve(early, u64::MAX),
        Some((most, there_is)) => edges.solve(early, most).and_then(|ended| {
            gives_up = !ended && there_is();
            if ended || gives_up { Ok(ended) } else { edges.solve(early, u64::MAX) }
        }),
    };
    times.searching = started.elapsed() - times.preparing;
    let mut stats = Stats {
        rounds: edges.rounds,
        summaries: edges.log.iter().map(Vec::len).sum(),
        nodes_made: edges.machine.engine.nodes_made(),
        diagram_vars,
        ..Stats::default()
    };
    let mut reachable = None;
    for vertex in cfg.vertices.ids().filter(|v| edges.reached(*v)) {
        stats.vertices += 1;
        if options.count_nodes {
            stats.nodes += edges.nodes(vertex);
        }
        if reachable.is_none() && goals[vertex] {
            reachable = Some(vertex);
        }
    }
    *progress = Progress { stats, times };
    solved?;
    if gives_up {
        return Ok(None);
    }
    let mut reached = Reached::new(edges);
    let answer = match reachable {
        None => Answer::Unreachable,
        Some(target) if !options.trace => Answer::Reachable { target, trace: None },
        Some(_) => {
            let trace = reached.trace_to(&goals, options.max_trace_steps, options.max_flat_steps)?;
            let invariant = "breadth-first search over the same edges finds what path edges reach";
            let trace = reached.machine().found(trace, invariant)?;
            Answer::Reachable { target: trace.target, trace: Some(trace) }
        }
    };
    times.tracing = started.elapsed() - times.preparing - times.searching;
    progress.times = times;
    Ok(Some(Outcome { answer, stats, times, reached }))
}
