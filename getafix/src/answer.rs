//! From the question to the reply: which formula is evaluated on which model, and what follows from what it says.

use crate::explore::{self, Explored};
use crate::reply::Reply;
use crate::{Algorithm, Arguments, Switches};
use base::SourceMap;
use bdd::{Biodivine, Engine, TooManyVariables};
use bp::System;
use bp::{Cfg, Program};
use check::{Asked, Target, targets};
use cli::inputs;
use cli::models::{Asserts, Refused, rendered};
use cli::process::Sink;
use cli::{Session, StopReason, Verdict};
use getafix::check::check;
use getafix::eval::{Evaluator, Options, Round, Stats, Stop};
use getafix::formulae;
use getafix::ir::Formula;
use getafix::schedule::Explained;
use getafix::syntax::File;
use getafix::translate::{Question, Translation, World};
use std::cell::Cell;
use std::time::Duration;

/// Most context switches where no number is given and all cannot be examined.
const USUAL_SWITCHES: u32 = 2;

/// A formula file, and whether its goal is moved.
pub(crate) struct Chosen {
    file: File,
    moved: bool,
    /// Whether it mentions states of all threads at once: it does so, or may do so where that is possible.
    world: Option<Wanted>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Needed,
    IfPossible,
}

/// Answers. A concurrent program is examined with no context switch first, then with one, and so on: what is reached
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
    let concurrent = switches.is_some() || bp::threads::is_concurrent(program);
    let chosen = match choose(arguments, sources, concurrent) {
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
        if switches == last || session.stopped() || reply.verdict != task.within_bound() {
            return reply;
        }
        reached_none = Some(switches);
    }
    unreachable!("a search within the last number of switches gives a reply")
}

fn choose(arguments: &Arguments, sources: &mut SourceMap, concurrent: bool) -> Result<Chosen, Refused> {
    let search = &arguments.search;
    if let Some(path) = &search.formula {
        let name = path.display().to_string();
        let text = inputs::text(path).map_err(|e| (format!("error: {name}: {e}\n"), "cannot read"))?;
        let file = formulae::file(&text, &name, sources).map_err(|e| (e.styled(sources), "formula"))?;
        // The types of a formula's variables show what it mentions.
        let world = file.uses_type(World::TYPE).then_some(Wanted::Needed);
        return Ok(Chosen { file, moved: search.move_goal, world });
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
    let algorithm = search.algorithm.and_then(Algorithm::file).unwrap_or(usual);
    Ok(Chosen { world, ..Chosen::shipped(algorithm, sources) })
}

impl Chosen {
    fn shipped(algorithm: formulae::Algorithm, sources: &mut SourceMap) -> Chosen {
        let file = formulae::file(algorithm.text, &format!("{}.fp", algorithm.name), sources);
        let file = file.expect("the formula files of the program are well-formed");
        Chosen { file, moved: algorithm.moved, world: None }
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
        let built = bp::threads::system(self.program, &self.arguments.question.entry, self.switches);
        let (mut system, _) = built.map_err(|errors| {
            tell(&rendered(&errors, sources));
            Reply::only(Verdict::Error("check".into()))
        })?;
        system.concurrent = self.concurrent;
        let question = &self.arguments.question;
        let assertions = question.labels.is_empty() && question.asserts == Asserts::Check;
        let asked = Asked { labels: &question.labels, all_labels: false, assertions };
        let graphs: Vec<&Cfg> = system.codes.iter().map(|code| &code.cfg).collect();
        let targets = targets(asked, sources, &graphs);
        let targets = targets.map_err(|unknown| Reply::only(Verdict::Error(unknown.to_string())))?;
        let question = Question {
            goals: targets.iter().flat_map(|t| t.goals.iter().copied()).collect(),
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
                    let usual = Chosen::shipped(formulae::ALL_THREADS, sources);
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
        cx.whole_or_in_slices(&question, sources, tell)
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

/// What everything about an answer examines.
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
        let formula = match check(&chosen.file, &model.prelude()) {
            Ok(formula) => formula,
            Err(errors) => {
                tell(&rendered(&errors, sources));
                return Some(Reply::only(Verdict::Error("formula".into())));
            }
        };
        let stop = self.task.session.stop();
        let given = (model, &formula, question);
        self.search(given, sources, |vars| Biodivine::new(vars, stop), tell)
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
        let not_found = matches!(&found, Ok(found) if !found.holds);
        self.task.session.set_stats(self.figures(&stats, preparing, not_found));
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
            Stop::Exhausted => StopReason::Memory.verdict(),
            Stop::Nodes => unreachable!("the question is taken apart then"),
            Stop::Cycles { loc, .. } | Stop::Rounds { loc, .. } => {
                tell(&base::Diagnostic::error(loc.0, stop.to_string()).styled(sources));
                Verdict::Error("formula".into())
            }
        })
    }
}

fn round_text(round: &Round<'_>) -> String {
    let Round { relation, depth, round, nodes, added } = round;
    let added = added.map_or(String::new(), |added| format!(", {added} in what was added"));
    format!("{:indent$}{relation} round {round}: {nodes} nodes{added}\n", "", indent = 2 * depth)
}
