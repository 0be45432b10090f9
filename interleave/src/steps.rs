//! Single steps of a thread: an edge, or a return.

use crate::bits::Bits;
use crate::machine::{Act, Given, Machine, OnThreads, Start, Step};
use crate::values::{Asked, Place, Scope, can};
use bp::{EdgeId, Expr, VertexId};

/// A procedure that is running, or waits for a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Frame {
    pub(crate) vertex: VertexId,
    /// The edge of the call that is open.
    pub(crate) call: Option<EdgeId>,
    /// The thread's own globals, formals and locals; those that do not matter may have any value. The globals of a
    /// waiting procedure are not up to date.
    pub(crate) own: Bits,
}

/// Where a thread is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Local {
    pub(crate) stack: Vec<Frame>,
    /// What is returned, at an exit.
    pub(crate) returned: Bits,
    pub(crate) atomic: bool,
    /// It has not reached its first vertex yet, at which something is assumed or which is a goal.
    pub(crate) begins: bool,
}

impl Local {
    pub(crate) fn top(&self) -> &Frame {
        self.stack.last().expect("a running thread has a frame")
    }

    pub(crate) fn top_mut(&mut self) -> &mut Frame {
        self.stack.last_mut().expect("a running thread has a frame")
    }
}

/// A thread that is started: by this edge, with these values of formals, or of formals and locals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Started {
    pub(crate) edge: EdgeId,
    pub(crate) handed: Bits,
}

/// A state as one thread sees it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct View {
    pub(crate) shared: Bits,
    pub(crate) local: Local,
    /// The threads that were started since others could run.
    pub(crate) started: Vec<Started>,
}

impl View {
    fn scope(&self) -> Scope {
        Scope { shared: self.shared, own: self.local.top().own }
    }

    fn set_scope(&mut self, scope: Scope) {
        self.shared = scope.shared;
        self.local.top_mut().own = scope.own;
    }

    /// The same with both values of a variable.
    fn split(&self, place: Place) -> [View; 2] {
        [false, true].map(|value| {
            let (mut view, mut scope) = (self.clone(), self.scope());
            scope.set(place, Some(value));
            view.set_scope(scope);
            view
        })
    }
}

/// A step that was taken.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    /// The shared variables before it, with the values that it asked for.
    pub(crate) before: Bits,
    pub(crate) view: View,
}

impl Machine<'_> {
    /// All steps that the thread can take.
    pub(crate) fn steps_from(&self, view: &View) -> Vec<Taken> {
        let mut out = vec![];
        let vertex = view.local.top().vertex;
        if view.local.begins {
            let mut next = view.clone();
            next.local.begins = false;
            self.arrive(next, &mut |view| out.push(Taken { before: view.shared, view }));
        } else if !self.is_exit(vertex) {
            self.cfg.vertices[vertex].out.iter().for_each(|edge| self.take(view, *edge, &mut out));
        } else if view.local.stack.len() > 1 {
            self.back(view, &mut out);
        }
        out
    }

    /// What an edge does; where it asks for a value that is not known, with both.
    fn take(&self, view: &View, edge: EdgeId, out: &mut Vec<Taken>) {
        let step = &self.steps[edge];
        match self.act(view, edge, step) {
            Ok(next) => {
                for next in next {
                    let taken = |next| Taken { before: view.shared, view: next };
                    self.arrive(next, &mut |next| out.push(taken(next)));
                }
            }
            Err(place) => view.split(place).iter().for_each(|view| self.take(view, edge, out)),
        }
    }

    /// The states behind an edge; what is assumed where it leads is not examined.
    fn act(&self, view: &View, edge: EdgeId, step: &Step) -> Result<Vec<View>, Place> {
        let now = view.scope();
        let value = |e: &Expr<Place>| can(e, &now, &now).map_err(asked);
        let mut next = view.clone();
        let mut after = now;
        let mut constrained = None;
        match &step.op {
            Act::Skip => {}
            Act::Assume { cond, value: wanted, constrain } => {
                if !value(cond)?.be(*wanted) {
                    return Ok(vec![]);
                }
                if constrain.as_ref().map_or(Ok(false), |e| value(e).map(|can| !can.one))? {
                    return Ok(vec![]);
                }
            }
            Act::Assign { values, constrain } => {
                for (target, e) in values {
                    after.set(*target, value(e)?.value());
                }
                constrained = constrain.as_ref();
            }
            Act::Call { callee, args, kept, .. } => {
                let mut own = now.own.only(self.own_globals());
                for (i, e) in args.iter().enumerate() {
                    own.set((self.own + i) as u8, value(e)?.value());
                }
                let frame = next.local.top_mut();
                frame.call = Some(edge);
                frame.own = frame.own.only(*kept);
                next.local.stack.push(Frame { vertex: self.cfg.procs[*callee].entry, call: None, own });
                return Ok(vec![next]);
            }
            Act::Return(values) => {
                for (i, e) in values.iter().enumerate() {
                    next.local.returned.set(i as u8, value(e)?.value());
                }
            }
        }
        let out = Self::constrained(step, constrained, &now, after)?;
        let mut views = vec![];
        for after in out {
            let mut next = next.clone();
            next.set_scope(after);
            next.local.top_mut().vertex = step.to;
            views.extend(self.on_threads(edge, step, &now, next)?);
        }
        Ok(views)
    }

    /// The values behind an assignment for which its `constrain` holds.
    fn constrained(
        step: &Step,
        constrained: Option<&Expr<Place>>,
        now: &Scope,
        after: Scope,
    ) -> Result<Vec<Scope>, Place> {
        let sets = |place: Place| matches!(&step.op, Act::Assign { values, .. } if values.iter().any(|(target, _)| *target == place));
        let mut out = vec![];
        let mut work = vec![after];
        while let Some(after) = work.pop() {
            match constrained.map_or(Ok(true), |e| can(e, now, &after).map(|can| can.one)) {
                Ok(true) => out.push(after),
                Ok(false) => {}
                // It was set, to either value.
                Err(Asked::Next(place)) if sets(place) => {
                    work.extend([false, true].map(|value| {
                        let mut after = after;
                        after.set(place, Some(value));
                        after
                    }));
                }
                Err(Asked::Now(place) | Asked::Next(place)) => return Err(place),
            }
        }
        Ok(out)
    }

    /// The state after the edge's thread operations; several where an argument of a thread is chosen.
    fn on_threads(&self, edge: EdgeId, step: &Step, now: &Scope, next: View) -> Result<Vec<View>, Place> {
        let mut out = vec![next];
        for op in &step.threads {
            match op {
                OnThreads::End => return Ok(vec![]),
                OnThreads::Atomic(flag) => out.iter_mut().for_each(|next| next.local.atomic = *flag),
                OnThreads::Nested(true, place) => {
                    for next in &mut out {
                        let mut scope = next.scope();
                        scope.set(*place, Some(next.local.atomic));
                        next.set_scope(scope);
                        next.local.atomic = true;
                    }
                }
                OnThreads::Nested(false, place) => {
                    let before = now.get(*place).ok_or(*place)?;
                    out.iter_mut().for_each(|next| next.local.atomic = before);
                }
                OnThreads::Start(Start { given, most, perhaps }) => {
                    let choices = handed(given, now)?;
                    for next in std::mem::take(&mut out) {
                        let all = next.started.iter().filter(|started| started.edge == edge).count() == *most;
                        if all || *perhaps {
                            out.push(next.clone());
                        }
                        if !all {
                            // The threads of one place are alike, so that their order does not matter.
                            let with = |handed: &Bits| {
                                let (mut next, started) = (next.clone(), Started { edge, handed: *handed });
                                let at = next.started.partition_point(|other| *other <= started);
                                next.started.insert(at, started);
                                next
                            };
                            out.extend(choices.iter().map(with));
                        }
                    }
                }
            }
        }
        Ok(out)
    }

    /// From the end of a procedure back to its caller.
    fn back(&self, view: &View, out: &mut Vec<Taken>) {
        let mut next = view.clone();
        let callee = next.local.stack.pop().expect("the procedure that ends has a frame");
        let returned = std::mem::replace(&mut next.local.returned, Bits::ANY);
        let frame = next.local.top_mut();
        let call = &self.steps[frame.call.take().expect("the caller's call is open")];
        let Act::Call { results, .. } = &call.op else { unreachable!("only calls are open") };
        frame.own = frame.own.with(callee.own, self.own_globals());
        frame.vertex = call.to;
        let mut scope = next.scope();
        for (i, result) in results.iter().enumerate() {
            if let Some(place) = result {
                scope.set(*place, returned.get(i as u8));
            }
        }
        next.set_scope(scope);
        let taken = |next| Taken { before: view.shared, view: next };
        self.arrive(next, &mut |next| out.push(taken(next)));
    }

    /// Examines what is assumed at the vertex, and forgets the values that do not matter any more.
    fn arrive(&self, mut view: View, found: &mut impl FnMut(View)) {
        let vertex = view.local.top().vertex;
        let info = &self.cfg.vertices[vertex];
        if let Some(e) = self.enforce[info.proc].as_ref().filter(|_| !info.return_point) {
            let scope = view.scope();
            match can(e, &scope, &scope) {
                Ok(can) if can.one => {}
                Ok(_) => return,
                Err(place) => {
                    return view.split(asked(place)).into_iter().for_each(|view| self.arrive(view, found));
                }
            }
        }
        let frame = view.local.top_mut();
        frame.own = frame.own.only(self.live[vertex]);
        found(view);
    }

    /// A thread that begins at a vertex.
    pub(crate) fn first(&self, vertex: VertexId, own: Bits) -> Local {
        let frame = Frame { vertex, call: None, own: own.only(self.live[vertex]) };
        let begins = self.enforce[self.cfg.vertices[vertex].proc].is_some() || self.goals[vertex];
        Local { stack: vec![frame], returned: Bits::ANY, atomic: false, begins }
    }

    /// Whether other threads can tell when the thread takes its next step.
    pub(crate) fn is_visible(&self, view: &View) -> bool {
        let local = &view.local;
        let vertex = local.top().vertex;
        if local.begins {
            return true;
        }
        if !self.is_exit(vertex) {
            return self.cfg.vertices[vertex].out.iter().any(|edge| self.steps[*edge].visible);
        }
        let caller = local.stack.len().checked_sub(2).and_then(|i| local.stack[i].call);
        caller.is_some_and(|call| self.steps[call].visible_return)
    }

    /// Whether no other thread may run now.
    pub(crate) fn is_alone(&self, view: &View) -> bool {
        view.local.atomic || self.quiet[view.local.top().vertex]
    }
}

/// What may be handed to a thread that is started.
fn handed(given: &Given, now: &Scope) -> Result<Vec<Bits>, Place> {
    let mut out = vec![Bits::ANY];
    let mut set = |i: usize, can_be: &dyn Fn(bool) -> bool| {
        let choices: Vec<bool> = [false, true].into_iter().filter(|value| can_be(*value)).collect();
        let with = |mut bits: Bits, value: bool| {
            bits.set(i as u8, Some(value));
            bits
        };
        out = out.iter().flat_map(|bits| choices.iter().map(|value| with(*bits, *value))).collect();
    };
    match given {
        Given::Variables(places) => {
            for (i, place) in places.iter().enumerate() {
                let known = now.get(*place).ok_or(*place)?;
                set(i, &|value| value == known);
            }
        }
        Given::Arguments(args) => {
            for (i, e) in args.iter().enumerate() {
                let can = can(e, now, now).map_err(asked)?;
                set(i, &|value| can.be(value));
            }
        }
    }
    Ok(out)
}

fn asked(asked: Asked) -> Place {
    let (Asked::Now(place) | Asked::Next(place)) = asked;
    place
}
