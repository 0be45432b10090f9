//! The first stage of an iteration: the boolean program over the predicates so far.

use crate::cegar::event::{Abstracted, Event, Record, Stage};
use crate::cegar::{Conclusion, Loop};
use c2bp::Abstraction;
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Instant;

impl Loop<'_> {
    /// The abstraction.
    pub(crate) fn abstract_program(&mut self, record: &mut Record) -> ControlFlow<Conclusion, Abstraction> {
        self.begins(Stage::Abstraction);
        let (task, stop, known) = (&self.cx.task, self.cx.stop, &*self.known);
        let started = Instant::now();
        let options = c2bp::Options {
            max_cube: known.max_cube,
            exact: c2bp::Exact::Edges(&known.exact),
            blocks: self.cx.options.blocks,
            mode: task.mode,
            sources: task.sources,
            excluded: Some(&known.blocked),
            clauses: Some(&self.clauses),
            ..c2bp::Options::new(stop.flag, stop.interrupt)
        };
        let made = c2bp::abstract_program(task.program, task.oracle, &known.precision, &options, self.cache);
        let Ok(abstraction) = made else { return Break(self.interrupted()) };
        self.unless_stopped()?;
        record.abstraction = Some(Abstracted { stats: abstraction.stats, time: started.elapsed() });
        self.observer.event(&Event::Abstracted {
            iteration: record.number,
            precision: &self.known.precision,
            abstraction: &abstraction,
            before: self.known.history.abstraction(),
        });
        Continue(abstraction)
    }
}
