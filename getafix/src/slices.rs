//! A question that takes long, slice by slice ([`bp::cfg::slices`]).

use crate::answer::Context;
use crate::reply::Reply;
use base::SourceMap;
use bdd::Biodivine;
use bp::System;
use bp::cfg::slices;
use bp::{Slice, VertexId};
use check::{PATIENCE, Trace, along};
use cli::Verdict;
use getafix::trace::trace;
use getafix::translate::{Question, Translation};

impl Context<'_> {
    /// The reply about a program whose states have program counters. If it is sequential, and takes long, it is
    /// answered slice by slice: a goal is reached if it is in some slice, and the first such slice ends the search.
    pub(crate) fn whole_or_in_slices(
        &self,
        question: &Question,
        sources: &mut SourceMap,
        tell: &mut dyn FnMut(&str),
    ) -> Reply {
        let slices = self.easier(question);
        let most_nodes = if slices.is_empty() { u64::MAX } else { PATIENCE };
        let whole = Context { most_nodes, spent: self.spent.clone(), ..*self };
        let model = Translation::compact(self.system, question.clone());
        if let Some(reply) = whole.with(&model, self.task.chosen, question, sources, tell) {
            return reply;
        }
        drop(model);
        let mut last = None;
        let cfg = &self.system.codes[0].cfg;
        for Slice { cfg: slice, goals, .. } in slices {
            let question = question.about(&goals);
            let system = System::sequential(slice);
            let model = Translation::compact(&system, question.clone());
            let cx = Context { system: &system, part_of: Some(cfg), spent: whole.spent.clone(), ..*self };
            let reply = cx.with(&model, self.task.chosen, &question, sources, tell);
            let reply = reply.expect("without a limit of nodes");
            if reply.verdict != Verdict::Unreachable {
                return reply;
            }
            whole.spent.set(cx.spent.get());
            last = Some(reply);
        }
        last.expect("there is a slice")
    }

    /// The slices of the question, where it is one about a sequential program, and only the answer matters. What
    /// formulae of the user ask is not known.
    fn easier(&self, question: &Question) -> Vec<Slice> {
        let arguments = self.task.arguments;
        let plain = arguments.search.formula.is_none() && !arguments.search.no_early;
        if self.task.concurrent || !plain || arguments.output.trace_eval {
            return vec![];
        }
        let goals: Vec<VertexId> = question.goals.iter().map(|(_, goal)| *goal).collect();
        slices(&self.system.codes[0].cfg, &goals)
    }

    /// A trace, if one is found: the answer stands without it. That of a slice shows the way for the program.
    pub(crate) fn trace(&self, question: &Question) -> Option<Trace> {
        let stop = self.task.session.stop();
        let engine = |vars| Biodivine::new(vars, stop);
        let found = trace(self.system, question, engine).ok()??;
        let Some(cfg) = self.part_of else { return Some(found) };
        let system = System::sequential(along(cfg, &found));
        trace(&system, &question.about(&[found.target]), engine).ok()?
    }
}
