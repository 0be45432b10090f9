//! The steps of a run. Calls are kept on an explicit stack, so that recursion of the program does not recurse here.

use super::Unsupported;
use super::bytes::Contents;
use super::eval::{Frame, State};
use super::layout::{Layout, Next};
use super::memory::Memory;
use super::numbers::Numbers;
use super::origins::Name;
use super::output::{Answer, Made};
use super::settle::Unsettled;
use super::values::{Rules, Val};
use super::{
    Exit, Halt, InputRecord, Inputs, Limits, ObjectKind, Outcome, Reason, Run, Seen, TraceStep, Value,
};
use base::Id;
use ir::expr::Expr;
use ir::program::{CheckKind, Edge, EdgeId, EdgeKind, LocId, Op, PathStep, ProcId, Program};
use std::sync::atomic::{AtomicBool, Ordering};

/// Steps between two checks of the stop flag.
const POLL: u64 = 4096;

pub(super) struct Machine<'a, 'i> {
    pub(super) state: State<'a, 'i>,
    pub(super) limits: &'a Limits,
    pub(super) trace: Vec<TraceStep>,
    steps: u64,
    /// How the program ended its process.
    pub(super) exit: Option<Exit>,
    /// The result of the last output function.
    pub(super) answer: Answer,
    /// The text that was made last.
    pub(super) made: Made,
    /// The value that the last procedure called by the entry procedure returned.
    pub(super) last_result: Option<Value>,
    /// The name that the failure of a check depends on.
    pub(super) rests_on: Option<Name>,
    /// Objects of rules that are not settled yet.
    pub(super) unsettled: Unsettled,
}

/// Why the run ends here.
pub(super) enum End {
    Outcome(Outcome),
    Halt(Halt),
}

impl From<Halt> for End {
    fn from(halt: Halt) -> End {
        End::Halt(halt)
    }
}

/// Runs the program from its entry.
pub(super) fn run(
    program: &Program,
    layout: &Layout,
    inputs: &mut dyn Inputs,
    limits: &Limits,
    stop: &AtomicBool,
) -> Run {
    let entry = &program.procs[program.entry];
    let no_edge = EdgeId::from_index(0);
    let state = State {
        program,
        layout,
        rules: Rules::of(program),
        checks_reads: program.checks.iter().any(|check| check.kind == CheckKind::Uninit),
        memory: Memory::new(limits.memory, program.model),
        global_registers: vec![],
        global_objects: vec![],
        registers: vec![],
        objects: vec![],
        frames: vec![],
        frame: Frame { proc: program.entry, loc: entry.entry, call: no_edge, registers: 0, objects: 0 },
        edge: no_edge,
        inputs: Some(inputs),
        records: Vec::<InputRecord>::new(),
        numbers: Numbers::default(),
        unread: (limits.trace > 0).then(Box::default),
        origins: (limits.trace > 0).then(Box::default),
    };
    let mut machine = Machine {
        state,
        limits,
        trace: vec![],
        steps: 0,
        exit: None,
        answer: None,
        made: Made::default(),
        last_result: None,
        rests_on: None,
        unsettled: Unsettled::default(),
    };
    let outcome = machine.run(stop);
    Run {
        outcome,
        inputs: machine.state.records,
        located: machine.state.numbers.given,
        trace: machine.trace,
        steps: machine.steps,
        exit: machine.exit,
        rests_on: machine.rests_on,
    }
}

impl Machine<'_, '_> {
    fn run(&mut self, stop: &AtomicBool) -> Outcome {
        if let Err(halt) = self.start() {
            return self.stuck(halt.reason(), None);
        }
        let mut last = None;
        loop {
            if self.steps >= self.limits.steps {
                return Outcome::StepLimit;
            }
            if self.steps.is_multiple_of(POLL) && stop.load(Ordering::Relaxed) {
                return Outcome::Interrupted;
            }
            let frame = self.state.frame;
            if frame.loc == self.state.program.procs[frame.proc].exit {
                match self.leave() {
                    Ok(None) => continue,
                    Ok(Some(outcome)) => return outcome,
                    Err(halt) => return self.stuck(halt.reason(), Some(self.state.edge)),
                }
            }
            let edge = match self.choose(frame.proc, frame.loc) {
                Ok(Some(edge)) => edge,
                Ok(None) => return self.stuck(Reason::AssumeFalse, last),
                Err((edge, reason)) => return self.stuck(reason, Some(edge)),
            };
            self.steps += 1;
            last = Some(edge);
            self.follow_choice(frame.proc, frame.loc);
            match self.execute(frame.proc, edge) {
                Ok(()) => {}
                Err(End::Outcome(outcome)) => return outcome,
                Err(End::Halt(halt)) => return self.stuck(halt.reason(), Some(edge)),
            }
        }
    }

    fn stuck(&self, reason: Reason, edge: Option<EdgeId>) -> Outcome {
        Outcome::Stuck { reason, proc: self.state.frame.proc, edge }
    }

    /// Makes the globals and the entry procedure's variables.
    fn start(&mut self) -> Result<(), Halt> {
        let state = &mut self.state;
        state.global_registers = vec![Val::Uninit; state.layout.global_registers];
        for v in &state.layout.global_objects {
            let var = &state.program.vars[*v];
            let size = state.size(&var.ty)?;
            let contents = match &var.data {
                Some(data) if data.len() as u64 == size => Contents::Literal(data),
                Some(_) => return Err(Halt::Unsupported(Unsupported::InitialBytes)),
                None => Contents::Uninit,
            };
            let object = state.memory.create(size, ObjectKind::Var(*v), contents)?;
            if state.program.is_elsewhere(*v) {
                state.memory.may_be_larger(object);
                if let Some(marks) = &mut state.origins {
                    marks.any = true;
                }
            }
            state.global_objects.push(object);
        }
        self.push_variables(self.state.program.entry)
    }

    pub(super) fn push_variables(&mut self, proc: ProcId) -> Result<(), Halt> {
        let state = &mut self.state;
        let table = &state.layout.procs[proc.index()];
        if let Some(unread) = &mut state.unread {
            unread.forget_registers(state.registers.len());
        }
        state.registers.resize(state.registers.len() + table.registers, Val::Uninit);
        for v in &table.objects {
            let size = state.size(&state.program.vars[*v].ty)?;
            let object = state.memory.create(size, ObjectKind::Var(*v), Contents::Uninit)?;
            state.objects.push(object);
        }
        Ok(())
    }

    /// The edge to take; `None` when the location has none, an error with its edge when none can be taken.
    fn choose(&mut self, proc: ProcId, loc: LocId) -> Result<Option<EdgeId>, (EdgeId, Reason)> {
        let (program, layout) = (self.state.program, self.state.layout);
        let edges = &program.procs[proc].edges;
        match &layout.procs[proc.index()].next[loc] {
            Next::Nothing => Ok(None),
            Next::One(e) => {
                let e = *e;
                let Op::Assume(condition) = &edges[e].op else { return Ok(Some(e)) };
                if edges[e].kind == EdgeKind::Implied {
                    return Ok(Some(e));
                }
                match self.holds(e, condition) {
                    Ok(true) => Ok(Some(e)),
                    Ok(false) => Err((e, Reason::AssumeFalse)),
                    Err(halt) => Err((e, halt.reason())),
                }
            }
            Next::Either(yes, no) => {
                let (yes, no) = (*yes, *no);
                let Op::Assume(condition) = &edges[yes].op else {
                    unreachable!("both edges of a branch are assumptions")
                };
                if let Some(settled) = self.settle((proc, loc), (yes, no), condition) {
                    return settled.map(Some).map_err(|halt| (yes, halt.reason()));
                }
                match self.holds(yes, condition) {
                    Ok(true) => Ok(Some(yes)),
                    Ok(false) => Ok(Some(no)),
                    Err(halt) => Err((yes, halt.reason())),
                }
            }
            Next::Switch(labels, otherwise) => match self.choose_any(proc, loc, labels) {
                Err((_, Reason::AssumeFalse)) => Ok(Some(*otherwise)),
                chosen => chosen,
            },
            Next::Any(candidates) => self.choose_any(proc, loc, candidates),
        }
    }

    fn choose_any(
        &mut self,
        proc: ProcId,
        loc: LocId,
        candidates: &[EdgeId],
    ) -> Result<Option<EdgeId>, (EdgeId, Reason)> {
        let edges = &self.state.program.procs[proc].edges;
        let (mut enabled, mut halted) = (vec![], None);
        for e in candidates {
            match &edges[*e].op {
                Op::Assume(condition) => match self.holds(*e, condition) {
                    Ok(true) => enabled.push(*e),
                    Ok(false) => {}
                    Err(halt) => halted = halted.or(Some((*e, halt.reason()))),
                },
                _ => enabled.push(*e),
            }
        }
        match (&enabled[..], halted) {
            ([], Some(halted)) => Err(halted),
            ([], None) => Err((candidates[0], Reason::AssumeFalse)),
            ([e], _) => Ok(Some(*e)),
            (several, _) => {
                let n = self.state.inputs().choose_edge(proc, loc, several);
                Ok(Some(several[n.min(several.len() - 1)]))
            }
        }
    }

    fn holds(&mut self, edge: EdgeId, condition: &Expr) -> Result<bool, Halt> {
        self.state.edge = edge;
        self.state.eval(condition)?.truth()
    }

    /// Finishes an edge whose trace shows what the expressions read.
    pub(super) fn done(&mut self, edge: &Edge, id: EdgeId, read: &[&Expr]) {
        let values = if self.tracing() { self.loads(read) } else { vec![] };
        self.finish(edge.dst, PathStep::Edge(self.state.frame.proc, id), values);
    }

    pub(super) fn finish(&mut self, dst: LocId, step: PathStep, values: Vec<Seen>) {
        self.state.frame.loc = dst;
        self.keep(step, values);
        // Without inputs the state cannot be changed by the observer's questions.
        let inputs = self.state.inputs.take().expect("inputs are there between steps");
        inputs.observe(&mut self.state, step);
        self.state.inputs = Some(inputs);
    }
}
