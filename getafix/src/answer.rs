//! From the question to the reply: the evaluation, the answer in words, and the verdict.

use crate::ask::{Target, targets};
use crate::explore::{self, Explored};
use crate::{Algorithm, Arguments, Package, Switches};
use base::SourceMap;
use bdd::{Biodivine, Engine, TooManyVariables};
use bp::{Cfg, Program};
use cli::inputs;
use cli::models::{Refused, rendered};
use cli::process::Sink;
use cli::{Session, StopReason, Verdict};
use getafix::eval::{Evaluator, Options, Round, Stats, Stop};
use getafix::formulae;
use getafix::ir::Formula;
use getafix::schedule::{Explained, Schedule};
use getafix::trace::{Interleaving, interleaving};
use getafix::translate::{Place, Question, Translation, World};
use interleave::System;
use std::cell::Cell;
use std::fmt::Write;
use std::time::Duration;

/// Most lines of a trace; with more, calls that return are on one line.
const TRACE_LINES: usize = 1000;

/// Most context switches where no number is given and all cannot be looked at.
const USUAL_SWITCHES: u32 = 2;

/// What is written in the end.
pub(crate) struct Reply {
    pub(crate) body: String,
    pub(crate) verdict: Verdict,
}

impl Reply {
    /// Nothing but the verdict.
    pub(crate) fn only(verdict: Verdict) -> Reply {
        Reply { body: String::new(), verdict }
    }
}

/// A formula file, and whether its goal is moved.
pub(crate) struct Chosen {
    name: String,
    text: String,
    moved: bool,
    /// Whether it speaks of states of all threads at once: it does so, or may do so where that is possible.
    world: Option<Wanted>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Needed,
    IfPossible,
}

/// Answers. A concurrent program is looked at with no context switch first, then with one, and so on: what is reached
/// with few is found with few, which costs least.
pub(crate) fn reply(
    arguments: &Arguments,
    session: &Session,
    sources: &mut SourceMap,
    program: &Program,
    stderr: &mut Sink<'_>,
) -> Reply {
    session.doing("getafix");
    let switches = arguments.search.context_switches;
    let concurrent = switches.is_some() || interleave::threads::is_concurrent(program);
    let chosen = match choose(arguments, concurrent) {
        Ok(chosen) => chosen,
        Err((message, reason)) => {
            let _ = stderr.write_all(message.as_bytes());
            return Reply::only(Verdict::Error(reason.into()));
        }
    };
    let mut tell = |text: &str| _ = stderr.write_all(text.as_bytes());
    let last = match switches {
        _ if !concurrent => 0,
        Some(Switches::AtMost(bound)) => bound,
        _ => USUAL_SWITCHES,
    };
    let mut reached_none = None;
    let task = |switches, reached_none| Task {
        arguments,
        session,
        program,
        chosen: &chosen,
        concurrent,
        switches,
        reached_none,
    };
    if concurrent && explore::is_wanted(arguments) {
        match task(last, None).explore(switches, sources, &mut tell) {
            Explored::Answer(reply) => return reply,
            Explored::Within(within) => reached_none = within,
        }
    }
    for switches in reached_none.map_or(0, |none| none + 1)..=last {
        let task = task(switches, reached_none);
        let reply = task.reply(sources, &mut tell);
        // Whether an assertion or a label is there does not depend on the number of switches.
        if !matches!(&reply.verdict, Verdict::Unknown(_)) || session.stopped() || switches == last {
            return reply;
        }
        if reply.verdict != task.within_bound() {
            return reply;
        }
        reached_none = Some(switches);
    }
    unreachable!("a search within the last number of switches gives a reply")
}

fn choose(arguments: &Arguments, concurrent: bool) -> Result<Chosen, Refused> {
    let search = &arguments.search;
    if let Some(path) = &search.formula {
        let name = path.display().to_string();
        let text = inputs::text(path).map_err(|e| (format!("error: {name}: {e}\n"), "cannot read"))?;
        // A formula tells by the types of its parameters what it speaks of.
        let world = text.contains("World").then_some(Wanted::Needed);
        return Ok(Chosen { name, text, moved: search.move_goal, world });
    }
    if let Some(algorithm) = search.algorithm
        && let Some(why) = algorithm.unfit(concurrent)
    {
        let file = arguments.file.as_ref().map_or_else(String::new, |file| file.display().to_string());
        let message = format!("{}: error: --algorithm {} {why}\n", base::shown(&file), algorithm.name());
        return Err((message, "algorithm"));
    }
    let usual = if concurrent { formulae::BOUNDED_CONTEXT_SWITCH } else { formulae::EF };
    let world = match search.algorithm {
        None => concurrent.then_some(Wanted::IfPossible),
        Some(algorithm) => (algorithm == Algorithm::AllThreads).then_some(Wanted::Needed),
    };
    Ok(Chosen { world, ..Chosen::file(search.algorithm.and_then(Algorithm::file).unwrap_or(usual)) })
}

impl Chosen {
    fn file(file: formulae::Algorithm) -> Chosen {
        let name = format!("{}.fp", file.name);
        Chosen { name, text: file.text.to_owned(), moved: file.moved, world: None }
    }
}

/// What is to be done for one number of context switches.
pub(crate) struct Task<'a> {
    pub(crate) arguments: &'a Arguments,
    pub(crate) session: &'a Session,
    pub(crate) program: &'a Program,
    pub(crate) chosen: &'a Chosen,
    pub(crate) concurrent: bool,
    pub(crate) switches: u32,
    /// The number of switches with which nothing is reached.
    pub(crate) reached_none: Option<u32>,
}

impl Task<'_> {
    /// The system, and what is asked of it.
    pub(crate) fn asked(
        &self,
        sources: &SourceMap,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(System, Vec<Target>, Question), Reply> {
        let built = interleave::threads::system(self.program, &self.arguments.question.entry, self.switches);
        let (mut system, _) = built.map_err(|errors| {
            tell(&rendered(&errors, sources));
            Reply::only(Verdict::Error("check".into()))
        })?;
        system.concurrent = self.concurrent;
        let targets = targets(&self.arguments.question, sources, &system);
        let targets = targets.map_err(|message| Reply::only(Verdict::Error(message)))?;
        let question = Question {
            goals: targets.iter().flat_map(|t| t.vertices.iter().copied()).collect(),
            moved: self.chosen.moved,
            switches: self.switches,
        };
        Ok((system, targets, question))
    }

    fn reply(&self, sources: &mut SourceMap, tell: &mut dyn FnMut(&str)) -> Reply {
        let (system, targets, question) = match self.asked(sources, tell) {
            Ok(asked) => asked,
            Err(reply) => return reply,
        };
        let cx = Context::new(self, &system, &targets);
        if let Some(wanted) = self.chosen.world {
            let translation = Translation::compact_for_world(&system, question.clone());
            match (World::new(&translation), wanted) {
                (Some(world), wanted) => {
                    let usual = Chosen::file(formulae::ALL_THREADS);
                    let chosen = if wanted == Wanted::IfPossible { &usual } else { self.chosen };
                    return cx
                        .with(&world, chosen, &question, sources, tell)
                        .expect("without a limit of nodes");
                }
                (None, Wanted::IfPossible) => {}
                (None, Wanted::Needed) => {
                    tell(
                        "error: a thread recurses, or too many calls may be open: there are no states of all threads\n",
                    );
                    return Reply::only(Verdict::Error("recursion".into()));
                }
            }
        }
        if system.all_count {
            tell(
                "error: `x$` is decided by formulae about states of all threads, such as all-threads; there are none here, or \
                  another formula was asked for\n",
            );
            return Reply::only(Verdict::Error("other threads' variables".into()));
        }
        cx.whole_or_in_parts(&question, sources, tell)
    }

    /// The verdict when nothing was reached.
    pub(crate) fn within_bound(&self) -> Verdict {
        match self.concurrent {
            true => Verdict::Unknown(format!("context bound {}", self.switches)),
            false => Verdict::Unreachable,
        }
    }
}

/// What was tried.
#[derive(Clone, Copy, Default)]
pub(crate) struct Spent {
    /// Figures of the evaluations.
    stats: Stats,
    /// How long all took before they began.
    preparing: Duration,
    /// Since the session began, until the last one ended.
    until: Duration,
}

/// What everything about an answer looks at.
pub(crate) struct Context<'a> {
    pub(crate) task: &'a Task<'a>,
    pub(crate) system: &'a System,
    pub(crate) targets: &'a [Target],
    /// The program of which the system is a part.
    pub(crate) part_of: Option<&'a Cfg>,
    /// How many nodes may be made.
    pub(crate) most_nodes: u64,
    /// Figures of what was tried before.
    pub(crate) spent: Cell<Spent>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(task: &'a Task<'a>, system: &'a System, targets: &'a [Target]) -> Context<'a> {
        Context { task, system, targets, part_of: None, most_nodes: u64::MAX, spent: Cell::default() }
    }

    /// Evaluates the formula on the model; nothing when more nodes were made than may be.
    pub(crate) fn with<M: Explained>(
        &self,
        model: &M,
        chosen: &Chosen,
        question: &Question,
        sources: &mut SourceMap,
        tell: &mut dyn FnMut(&str),
    ) -> Option<Reply> {
        let formula = match getafix::solve::formula(&chosen.text, &chosen.name, sources, model) {
            Ok(formula) => formula,
            Err(errors) => {
                tell(&rendered(&errors, sources));
                return Some(Reply::only(Verdict::Error("formula".into())));
            }
        };
        let stop = self.task.session.stop();
        let given = (model, &formula, question);
        match self.task.arguments.search.bdd {
            Package::Biodivine => self.search(given, sources, |vars| Biodivine::new(vars, stop), tell),
            #[cfg(feature = "oxidd")]
            Package::Oxidd => self.search(given, sources, |vars| bdd::Oxidd::new(vars, stop), tell),
        }
    }

    fn search<M: Explained, E: Engine>(
        &self,
        (model, formula, question): (&M, &Formula, &Question),
        sources: &SourceMap,
        engine: impl FnOnce(usize) -> Result<E, TooManyVariables>,
        tell: &mut dyn FnMut(&str),
    ) -> Option<Reply> {
        let search = &self.task.arguments.search;
        let early = !search.no_early;
        let rings = M::RINGS;
        let most_nodes = self.most_nodes;
        let options =
            Options { max_rounds: search.max_rounds, early, rings, most_nodes, ..Options::default() };
        let prelude = model.prelude();
        let mut evaluator = match Evaluator::new(formula, model, &prelude, options, engine) {
            Ok(evaluator) => evaluator,
            Err(e) => return Some(Reply::only(Verdict::Unknown(e.to_string()))),
        };
        let prepared = self.task.session.elapsed();
        let trace_eval = self.task.arguments.output.trace_eval;
        let found = evaluator.run(&mut |round| {
            if trace_eval {
                tell(&round_text(round));
            }
        });
        let own = Stats { nodes_made: evaluator.engine.nodes_made(), ..evaluator.stats };
        let before = self.spent.get();
        let preparing = before.preparing + (prepared - before.until);
        let stats = own.and(&before.stats);
        self.spent.set(Spent { stats, preparing, until: self.task.session.elapsed() });
        self.task.session.set_stats(self.figures(
            &stats,
            preparing,
            matches!(&found, Ok(found) if !found.holds),
        ));
        Some(match found {
            Err(Stop::Nodes) => return None,
            Err(stop) => self.stopped(&stop, sources, tell),
            Ok(found) if found.holds && self.task.concurrent => {
                let how = model.schedule(&mut evaluator, &found);
                drop(evaluator);
                self.scheduled(question, how.as_ref())
            }
            Ok(found) if found.holds => {
                let goal = search.formula.is_none().then(|| model.goal(&mut evaluator, &found)).flatten();
                drop(evaluator);
                self.reachable(question, goal)
            }
            Ok(_) => self.unreachable(),
        })
    }

    fn stopped(&self, stop: &Stop, sources: &SourceMap, tell: &mut dyn FnMut(&str)) -> Reply {
        Reply::only(match stop {
            Stop::Interrupted => self.task.session.stopped_verdict(),
            Stop::Exhausted => Verdict::Unknown(StopReason::Memory.word().into()),
            Stop::Nodes => unreachable!("the question is taken apart then"),
            Stop::Cycles { loc, .. } | Stop::Rounds { loc, .. } => {
                tell(&base::Diagnostic::error(loc.0, stop.to_string()).render(sources));
                Verdict::Error("formula".into())
            }
        })
    }

    /// The reply about a sequential program in which a goal is reached, this one if it is known.
    fn reachable(&self, question: &Question, goal: Option<Place>) -> Reply {
        let trace = if self.task.arguments.output.no_trace {
            None
        } else {
            self.task.session.doing("getafix, trace");
            self.trace(question)
        };
        let goal = match (&trace, goal) {
            (Some(trace), _) => Some((0, trace.target)),
            (None, Some(Place::Vertex(code, vertex))) => Some((code, vertex)),
            _ => None,
        };
        let name = self.name(goal);
        let verb = if self.targets.iter().any(|t| t.is_assertion) { "can fail" } else { "is reachable" };
        let mut body = format!("{name} {verb}.\n");
        if let Some(trace) = trace {
            body = format!("{name} {verb}; a trace:\n");
            let cfg = self.part_of.unwrap_or(&self.system.codes[0].cfg);
            body.push_str(&bebop::render::text(self.task.program, cfg, &trace, TRACE_LINES));
        }
        Reply { body, verdict: Verdict::Reachable(name) }
    }

    /// What is reached; where it is not known which of the targets, all of them.
    fn name(&self, goal: Option<(usize, bp::VertexId)>) -> String {
        let is_goal = |t: &&Target| goal.is_some_and(|goal| t.vertices.contains(&goal));
        match self.targets.iter().find(is_goal) {
            Some(target) => target.name.clone(),
            None => self.targets.iter().map(|t| t.name.as_str()).collect::<Vec<_>>().join(" or "),
        }
    }

    /// The reply about a concurrent program in which a goal is reached.
    pub(crate) fn scheduled(&self, question: &Question, schedule: Option<&Schedule>) -> Reply {
        let goal = schedule.and_then(|s| match s.goal {
            Place::Vertex(code, vertex) => Some((code, vertex)),
            _ => None,
        });
        let name = self.name(goal);
        let verb = if self.targets.iter().any(|t| t.is_assertion) { "can fail" } else { "is reachable" };
        let plural = if self.task.switches == 1 { "" } else { "es" };
        let mut body = format!("{name} {verb} with {} context switch{plural}", self.task.switches);
        match schedule.filter(|_| !self.task.arguments.output.no_trace) {
            None => body.push_str(".\n"),
            Some(schedule) => {
                self.task.session.doing("getafix, trace");
                let stop = self.task.session.stop();
                let goals = goal.map_or_else(|| question.goals.clone(), |goal| vec![goal]);
                let question = Question { goals, ..question.clone() };
                let engine = |vars| Biodivine::new(vars, stop);
                // The answer stands without its trace.
                let found = match self.system.all_count {
                    // The run of a thread alone does not tell what others do to its variables.
                    true => None,
                    false => interleaving(self.system, &question, schedule, engine).unwrap_or_default(),
                };
                body.push_str(match found {
                    Some(_) => "; a trace:\n",
                    None => "; the threads that run, with the shared variables when each takes over:\n",
                });
                self.contexts(&mut body, schedule, found.as_ref());
            }
        }
        Reply { body, verdict: Verdict::Reachable(name) }
    }

    /// A line for each context, and what happens in it, if that is known.
    fn contexts(&self, body: &mut String, schedule: &Schedule, found: Option<&Interleaving>) {
        let width = schedule.threads.iter().map(|t| self.system.threads[*t].name.chars().count()).max();
        let width = width.unwrap_or(0);
        let points: Option<Vec<_>> =
            found.map(|found| found.runs.iter().map(|run| run.points(TRACE_LINES)).collect());
        for (context, thread) in schedule.threads.iter().enumerate() {
            let thread = &self.system.threads[*thread];
            let one = |(name, value): &(bp::Name, bool)| format!("{name}={}", u8::from(*value));
            let globals = context.checked_sub(1).map(|i| &schedule.globals[i]);
            let globals = globals.map_or(String::new(), |g| g.iter().map(one).collect::<Vec<_>>().join(" "));
            let line = match points {
                None => format!("{context:>4}  {:width$}  {globals}", thread.name),
                Some(_) => format!("context {context}: {:width$}  {globals}", thread.name),
            };
            let _ = writeln!(body, "{}", line.trim_end());
            if let (Some(points), Some(found)) = (&points, found) {
                let run = found.contexts[context];
                let here = points[run].iter().filter(|(at, _)| *at as usize == context);
                let here: Vec<_> = here.map(|(_, point)| *point).collect();
                let cfg = &self.system.codes[thread.code].cfg;
                body.push_str(&bebop::render::part(self.task.program, cfg, &found.runs[run].trace, &here));
            }
        }
    }

    /// What is not reached, as the beginning of a sentence.
    pub(crate) fn none_of(&self) -> String {
        let labels: Vec<&str> =
            self.targets.iter().filter(|t| !t.is_assertion).map(|t| t.name.as_str()).collect();
        match (labels.as_slice(), self.targets.len()) {
            ([], 0) => "There is no assertion".to_owned(),
            ([], 1) => "The assertion cannot fail".to_owned(),
            ([], n) => format!("None of the {n} assertions can fail"),
            ([one], _) => format!("{one} is unreachable"),
            (several, _) => format!("{} are unreachable", several.join(", ")),
        }
    }

    /// The reply when nothing is reached within the bound, if there is one.
    pub(crate) fn unreachable(&self) -> Reply {
        let mut body = self.none_of();
        match self.task.concurrent {
            false => body.push_str(".\n"),
            true => {
                let switches = self.task.switches;
                let threads = match self.system.most_started {
                    Some(most) => format!(" when at most {most} threads are started"),
                    None => String::new(),
                };
                let _ = writeln!(
                    body,
                    " within {switches} context switches{threads}; with more it is not known."
                );
            }
        }
        Reply { body, verdict: self.task.within_bound() }
    }

    fn figures(&self, stats: &Stats, prepared: Duration, not_found: bool) -> Vec<(String, String)> {
        let ms = |d: Duration| format!("{:.1}", d.as_secs_f64() * 1e3);
        let mut out = vec![
            ("rounds".to_owned(), stats.rounds.to_string()),
            ("top-rounds".to_owned(), stats.top_rounds.to_string()),
            ("bdd-variables".to_owned(), stats.variables.to_string()),
            ("bdd-nodes".to_owned(), stats.nodes.to_string()),
            ("tuples".to_owned(), format!("{:.3e}", stats.tuples)),
            ("bdd-nodes-made".to_owned(), stats.nodes_made.to_string()),
            ("prepare-ms".to_owned(), ms(prepared)),
            ("search-ms".to_owned(), ms(self.task.session.elapsed().saturating_sub(prepared))),
        ];
        if self.task.concurrent {
            let none = if not_found { Some(self.task.switches) } else { self.task.reached_none };
            let none = none.filter(|_| self.system.most_started.is_none());
            out.push(("threads".to_owned(), self.system.threads.len().to_string()));
            out.push(("context-switches".to_owned(), self.task.switches.to_string()));
            out.extend(none.map(|none| ("unreachable-within".to_owned(), none.to_string())));
        }
        out
    }
}

fn round_text(round: &Round<'_>) -> String {
    let Round { relation, depth, round, nodes, added } = round;
    let added = added.map_or(String::new(), |added| format!(", {added} in what was added"));
    format!("{:indent$}{relation} round {round}: {nodes} nodes{added}\n", "", indent = 2 * depth)
}
