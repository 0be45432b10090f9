//! A monitor of a rule beside the interpreter: an execution gives a list of events, and for each object by itself the
//! rule is run over them, with all choices.

use super::pairs::DOMAIN;
use interp::{self, Inputs, Limits, Outcome, State, Value};
use ir::{Callee, EdgeId, HavocKind, LocId, Op, PathStep, ProcId, Program, Type};
use slic::ast::{
    BinaryOp, Condition, EventKind, Expr, ExprKind, Handler, Operand, Rule, Stmt, StmtKind, UnaryOp,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

/// Most executions of a program.
const EXECUTIONS: usize = 20_000;

/// Whether some execution breaks the rule.
pub(super) fn breaks(program: &Program, rule: &Rule) -> bool {
    let mut script: Vec<usize> = vec![];
    for _ in 0..EXECUTIONS {
        let mut source = Source { program, script, at: 0, sizes: vec![], events: vec![] };
        let run = interp::run(program, &mut source, &Limits::default(), &AtomicBool::new(false));
        let mut events = std::mem::take(&mut source.events);
        match run.outcome {
            Outcome::Finished(_) => events.push(Event { kind: Kind::End, arguments: vec![], result: None }),
            other => panic!("programs of pairs end: {other:?}"),
        }
        if broken_by(rule, &events) {
            return true;
        }
        let Some(next) = source.next_script() else { return false };
        script = next;
    }
    panic!("a program has too many executions");
}

#[derive(Clone, PartialEq, Debug)]
enum Kind {
    Entry(String),
    Exit(String),
    End,
}

#[derive(Clone, Debug)]
struct Event {
    kind: Kind,
    arguments: Vec<Value>,
    result: Option<Value>,
}

/// Inputs by a script, which grows by what is asked for besides; and the calls of the run.
struct Source<'p> {
    program: &'p Program,
    script: Vec<usize>,
    at: usize,
    /// How many values each place in the script has.
    sizes: Vec<usize>,
    events: Vec<Event>,
}

impl Source<'_> {
    fn draw(&mut self, size: usize) -> usize {
        if self.at == self.script.len() {
            self.script.push(0);
        }
        self.sizes.push(size);
        self.at += 1;
        self.script[self.at - 1]
    }

    /// The script of the next execution.
    fn next_script(self) -> Option<Vec<usize>> {
        let mut script = self.script;
        script.truncate(self.at);
        while let Some(last) = script.pop() {
            if last + 1 < self.sizes[script.len()] {
                script.push(last + 1);
                return Some(script);
            }
        }
        None
    }

    fn call(&mut self, state: &mut State<'_, '_>, p: ProcId, e: EdgeId) {
        let Op::Call { dest, callee, args } = &self.program.procs[p].edges[e].op else { return };
        let q = match callee {
            Callee::Direct(q) => *q,
            Callee::Indirect(pointer) => match state.value(pointer) {
                Ok(Value::Func(q)) => q,
                other => panic!("a pointer to a function holds one: {other:?}"),
            },
        };
        let name = self.program.procs[q].name.clone();
        let value = |state: &mut State<'_, '_>, e: &ir::Expr| state.value(e).expect("arguments have values");
        let arguments: Vec<Value> = args.iter().map(|a| value(state, a)).collect();
        let result = dest.as_ref().map(|d| value(state, &d.clone().load()));
        self.events.push(Event {
            kind: Kind::Entry(name.clone()),
            arguments: arguments.clone(),
            result: None,
        });
        self.events.push(Event { kind: Kind::Exit(name), arguments, result });
    }
}

impl Inputs for Source<'_> {
    fn havoc(&mut self, _: ProcId, _: EdgeId, kind: &HavocKind, _: &Type) -> Value {
        match kind {
            HavocKind::Uninit => Value::Int(0),
            _ => Value::Int(DOMAIN[self.draw(DOMAIN.len())]),
        }
    }

    fn choose_edge(&mut self, _: ProcId, _: LocId, enabled: &[EdgeId]) -> usize {
        self.draw(enabled.len())
    }

    fn observe(&mut self, state: &mut State<'_, '_>, step: PathStep) {
        match step {
            PathStep::Edge(p, e) => self.call(state, p, e),
            PathStep::Enter(p, _, q) if p != self.program.entry => {
                let formals = self.program.procs[q].formals.iter();
                let arguments =
                    formals.map(|v| state.value(&self.program.read(*v)).expect("formals have values"));
                let arguments = arguments.collect();
                let kind = Kind::Entry(self.program.procs[q].name.clone());
                self.events.push(Event { kind, arguments, result: None });
            }
            PathStep::Leave(p, e, q) if p != self.program.entry => {
                let kind = Kind::Exit(self.program.procs[q].name.clone());
                let entry =
                    self.events.iter().rev().find(
                        |event| matches!((&event.kind, &kind), (Kind::Entry(a), Kind::Exit(b)) if a == b),
                    );
                let arguments = entry.expect("what is left was entered").arguments.clone();
                let Op::Call { dest, .. } = &self.program.procs[p].edges[e].op else { return };
                let result =
                    dest.as_ref().map(|d| state.value(&d.clone().load()).expect("results have values"));
                self.events.push(Event { kind, arguments, result });
            }
            _ => {}
        }
    }
}

/// What the state holds, by name.
type Store = BTreeMap<String, i128>;

/// Whether the events break the rule for some object.
fn broken_by(rule: &Rule, events: &[Event]) -> bool {
    let pointers = events.iter().flat_map(|e| &e.arguments).filter(|v| matches!(v, Value::Ptr { .. }));
    let mut objects: Vec<Option<Value>> = vec![None];
    for pointer in pointers {
        if !objects.contains(&Some(*pointer)) {
            objects.push(Some(*pointer));
        }
    }
    objects.into_iter().any(|object| Monitor { rule, object, constants: constants(rule) }.breaks(events))
}

fn constants(rule: &Rule) -> Store {
    let mut out = Store::new();
    for declaration in &rule.state {
        for (n, constant) in declaration.constants.iter().enumerate() {
            assert!(constant.value.is_none(), "rules of pairs count their constants");
            out.insert(constant.name.text.clone(), n as i128);
        }
    }
    out
}

struct Monitor<'r> {
    rule: &'r Rule,
    object: Option<Value>,
    constants: Store,
}

/// The rule is broken.
struct Broken;

impl Monitor<'_> {
    fn breaks(&self, events: &[Event]) -> bool {
        let mut first = Store::new();
        for v in self.rule.state.iter().filter_map(|d| d.variable.as_ref()) {
            let Some(Expr { kind: ExprKind::Number(n), .. }) = &v.initial else { panic!("a number") };
            first.insert(v.name.text.clone(), n.value.into());
        }
        let nothing = Event { kind: Kind::End, arguments: vec![], result: None };
        let mut states = BTreeSet::from([first]);
        let at =
            |kind: &EventKind| self.rule.handlers.iter().find(|h| h.events.iter().any(|e| e.kind == *kind));
        if let Some(handler) = at(&EventKind::ProgramStart) {
            match self.all(handler, &nothing, states) {
                Ok(next) => states = next,
                Err(Broken) => return true,
            }
        }
        for event in events {
            if let Some(handler) = self.handler(event) {
                match self.all(handler, event, states) {
                    Ok(next) => states = next,
                    Err(Broken) => return true,
                }
            }
        }
        false
    }

    fn handler(&self, event: &Event) -> Option<&Handler> {
        let fits = |kind: &EventKind| match (kind, &event.kind) {
            (EventKind::Entry(a), Kind::Entry(b)) | (EventKind::Exit(a), Kind::Exit(b)) => a.text == *b,
            (EventKind::ProgramEnd, Kind::End) => true,
            _ => false,
        };
        let handler = self.rule.handlers.iter().find(|h| h.events.iter().any(|e| fits(&e.kind)))?;
        let (Kind::Entry(name) | Kind::Exit(name)) = &event.kind else { return Some(handler) };
        match self.rule.watched(name) {
            Some(_) => (self.object == Some(event.arguments[0])).then_some(handler),
            None => Some(handler),
        }
    }

    fn all(
        &self,
        handler: &Handler,
        event: &Event,
        states: BTreeSet<Store>,
    ) -> Result<BTreeSet<Store>, Broken> {
        let mut out = BTreeSet::new();
        for state in states {
            match &handler.guard {
                Some(guard) if self.eval(guard, event, &state) == 0 => _ = out.insert(state),
                _ => out.extend(self.run(&handler.body, event, state)?),
            }
        }
        Ok(out)
    }

    /// The states after a statement; none where the execution ends.
    fn run(&self, s: &Stmt, event: &Event, mut state: Store) -> Result<BTreeSet<Store>, Broken> {
        Ok(match &s.kind {
            StmtKind::Abort(_) => return Err(Broken),
            StmtKind::Halt => BTreeSet::new(),
            StmtKind::Store(..) => panic!("the rules of pairs write no memory"),
            StmtKind::Assign(name, op, value) => {
                let value = self.eval(value, event, &state);
                let old = state[&name.text];
                let new = op.map_or(value, |op| binary(op, old, value));
                let new = if name.text == "b" { i128::from(new != 0) } else { new };
                state.insert(name.text.clone(), new);
                BTreeSet::from([state])
            }
            StmtKind::Block(body) => {
                let mut states = BTreeSet::from([state]);
                for s in body {
                    let mut next = BTreeSet::new();
                    for state in states {
                        next.extend(self.run(s, event, state)?);
                    }
                    states = next;
                }
                states
            }
            StmtKind::If(condition, yes, no) => {
                let outcomes = match condition {
                    Condition::Any => vec![true, false],
                    Condition::Of(e) => vec![self.eval(e, event, &state) != 0],
                };
                let mut out = BTreeSet::new();
                for outcome in outcomes {
                    match (outcome, no) {
                        (true, _) => out.extend(self.run(yes, event, state.clone())?),
                        (false, Some(no)) => out.extend(self.run(no, event, state.clone())?),
                        (false, None) => _ = out.insert(state.clone()),
                    }
                }
                out
            }
        })
    }

    fn eval(&self, e: &Expr, event: &Event, state: &Store) -> i128 {
        match &e.kind {
            ExprKind::Number(n) => n.value.into(),
            ExprKind::Name(name) => *state.get(name).unwrap_or_else(|| &self.constants[name]),
            ExprKind::Operand(operand) => match self.value(*operand, event) {
                Value::Int(v) => v,
                other => panic!("{other:?} is no number"),
            },
            ExprKind::Unary(UnaryOp::Not, inner) => i128::from(self.eval(inner, event, state) == 0),
            ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), left, right)
                if [left, right].iter().any(|e| e.kind == ExprKind::Watched) =>
            {
                let other = if left.kind == ExprKind::Watched { right } else { left };
                let ExprKind::Operand(operand) = other.kind else { panic!("an argument is compared") };
                let same = self.object == Some(self.value(operand, event));
                i128::from(same == (*op == BinaryOp::Eq))
            }
            ExprKind::Binary(op, left, right) => {
                binary(*op, self.eval(left, event, state), self.eval(right, event, state))
            }
            other => panic!("rules of pairs have no {other:?}"),
        }
    }

    fn value(&self, operand: Operand, event: &Event) -> Value {
        match operand {
            Operand::Argument(n) => event.arguments[n as usize - 1],
            Operand::Return => event.result.expect("the event has a result"),
        }
    }
}

fn binary(op: BinaryOp, l: i128, r: i128) -> i128 {
    match op {
        BinaryOp::Add => l + r,
        BinaryOp::Sub => l - r,
        BinaryOp::Eq => i128::from(l == r),
        BinaryOp::Ne => i128::from(l != r),
        BinaryOp::Gt => i128::from(l > r),
        BinaryOp::Ge => i128::from(l >= r),
        BinaryOp::Lt => i128::from(l < r),
        BinaryOp::And => i128::from(l != 0 && r != 0),
        BinaryOp::Or => i128::from(l != 0 || r != 0),
        other => panic!("rules of pairs have no {other:?}"),
    }
}
