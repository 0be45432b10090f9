//! Procedures in the place of their calls.

use super::instance::{Action, Instance, Step};
use super::pointed::Pointed;
use super::{Refused, simplify};
use base::{Id, Span};
use ir::ThreadOp;
use ir::expr::{Access, Base, BinOp, Expr, Lvalue};
use ir::program::{Callee, EdgeId, EdgeKind, HavocKind, LocId, Op, ProcId, Program, Var, VarId, VarKind};
use ir::types::{IntType, Type};
use ir::visit;
use std::collections::{BTreeMap, BTreeSet};

/// How many calls may be open at once.
const DEPTH: usize = 200;
/// Steps of one thread.
const STEPS: usize = 40_000;

/// Makes the graph of one thread.
pub(super) struct Inliner<'a> {
    /// The program as it was.
    pub(super) program: &'a Program,
    /// All variables, those that are made here too.
    pub(super) vars: &'a mut base::IndexVec<VarId, Var>,
    /// The procedure to which the variables belong.
    pub(super) owner: ProcId,
    /// The number of the thread, from 0.
    pub(super) number: usize,
    /// It stands for any number of threads.
    pub(super) crowd: bool,
    /// The targets of pointers to procedures.
    pointed: &'a Pointed,
    /// The thread-local globals.
    apart: &'a BTreeSet<VarId>,
    pub(super) instance: Instance,
    /// The thread's copy of each local variable; what was made for the thread is its own copy.
    pub(super) copies: BTreeMap<VarId, VarId>,
    open: Vec<ProcId>,
    root_ret: Option<VarId>,
}

/// The expressions that replace formals.
pub(super) type Arguments = BTreeMap<VarId, Expr>;

impl<'a> Inliner<'a> {
    pub(super) fn new(
        program: &'a Program,
        (pointed, apart): (&'a Pointed, &'a BTreeSet<VarId>),
        vars: &'a mut base::IndexVec<VarId, Var>,
        number: usize,
    ) -> Inliner<'a> {
        let instance = Instance {
            nodes: vec![],
            steps: vec![],
            entry: 0,
            exit: 0,
            quit: None,
            sites: vec![],
            site: None,
            formal: None,
            ret: None,
            own: BTreeSet::new(),
            live: vec![],
        };
        Inliner {
            program,
            vars,
            owner: program.procs.next_id(),
            number,
            crowd: false,
            pointed,
            apart,
            instance,
            copies: BTreeMap::new(),
            open: vec![],
            root_ret: None,
        }
    }

    /// The graph of the procedure; `argument` may stand for its parameter.
    pub(super) fn root(mut self, root: ProcId, argument: Option<&Expr>) -> Result<Instance, Refused> {
        let proc = &self.program.procs[root];
        let mut arguments = Arguments::new();
        if let Some(formal) = proc.formals.first() {
            match argument {
                Some(argument) if self.is_substituted(root, *formal, argument) => {
                    arguments.insert(*formal, argument.clone());
                }
                _ => self.instance.formal = Some(self.copy(*formal)),
            }
        }
        self.root_ret = proc.ret.map(|v| self.copy(v));
        self.instance.ret = self.root_ret;
        self.instance.exit = self.instance.node(proc.span);
        self.instance.quit = (self.number == 0).then(|| self.instance.node(proc.span));
        self.instance.entry = self.body(root, &arguments, self.instance.exit)?;
        self.initialise();
        self.propagate();
        self.split();
        self.instance.own = self.copies.values().copied().collect();
        self.instance.mark_heads();
        self.instance.find_live();
        Ok(self.instance)
    }

    /// Begins a thread, other than the first, with the initial values of the globals that it has for itself.
    fn initialise(&mut self) {
        let program = self.program;
        let copied: BTreeSet<VarId> =
            self.apart.iter().copied().filter(|v| self.number > 0 && self.copies.contains_key(v)).collect();
        let start = &program.procs[program.entry];
        let is_about = |op: &Op| {
            let is_copied = |lv: &Lvalue| matches!(lv.base, Base::Var(v) if copied.contains(&v));
            let mut found = op.destination().is_some_and(is_copied);
            visit::addresses(op, &mut |v| found |= copied.contains(&v) && op.calls().is_none());
            found
        };
        for edge in start.edges.iter().rev().filter(|edge| is_about(&edge.op)) {
            let (src, dst) = (self.instance.node(edge.span), self.instance.entry);
            let action = Action::Op(self.op(&edge.op, &Arguments::new()));
            let (span, kind, proc) = (edge.span, EdgeKind::Internal, program.entry);
            self.instance.step(Step { src, dst, action, span, kind, proc });
            self.instance.entry = src;
        }
    }

    /// Whether the formal always has the value of this argument, which is an address or a number known beforehand.
    pub(super) fn is_substituted(&self, p: ProcId, formal: VarId, argument: &Expr) -> bool {
        is_constant(argument) && self.vars[formal].ty == argument.ty() && !self.changes(p, formal)
    }

    /// Whether the procedure assigns the variable or takes its address.
    fn changes(&self, p: ProcId, v: VarId) -> bool {
        self.program.procs[p].edges.iter().any(|edge| {
            let mut found = edge.op.destination().is_some_and(|lv| lv.base == Base::Var(v));
            visit::addresses(&edge.op, &mut |w| found |= w == v);
            found
        })
    }

    /// The thread's copy of a variable; globals are shared unless each thread has its own, and the first thread has the variables
    /// themselves.
    pub(super) fn copy(&mut self, v: VarId) -> VarId {
        if self.vars[v].kind == VarKind::Global && !self.apart.contains(&v) {
            return v;
        }
        if let Some(copy) = self.copies.get(&v) {
            return *copy;
        }
        let copy = if self.number == 0 {
            v
        } else {
            let mut var = self.vars[v].clone();
            var.name = format!("{}__t{}", var.name, self.number + 1);
            var.kind = match var.kind {
                VarKind::Temp(_) | VarKind::Return(_) => VarKind::Temp(self.owner),
                _ => VarKind::Local(self.owner),
            };
            self.vars.push(var)
        };
        self.copies.insert(v, copy);
        copy
    }

    /// A new variable of the thread.
    pub(super) fn temp(&mut self, ty: Type, span: Span) -> VarId {
        let name = format!("read__t{}", self.number + 1);
        let kind = VarKind::Temp(self.owner);
        let v = self.vars.push(Var { name, ty, kind, span, data: None, align: 0, constant: None });
        self.copies.insert(v, v);
        v
    }

    fn translate(&mut self, e: &Expr, arguments: &Arguments) -> Expr {
        let e = e.clone().map(&mut |e| self.node(e, arguments));
        simplify::expr(self.program, e)
    }

    fn node(&mut self, e: Expr, arguments: &Arguments) -> Expr {
        match e {
            Expr::Load(lv) => match lv.as_var().and_then(|v| arguments.get(&v)) {
                Some(argument) => argument.clone(),
                None => self.renamed(*lv).load(),
            },
            Expr::AddrOf(lv) => self.renamed(*lv).addr(),
            e => e,
        }
    }

    fn renamed(&mut self, mut lv: Lvalue) -> Lvalue {
        lv.rename_base(&mut |v| self.copy(v));
        lv
    }

    fn destination(&mut self, lv: &Lvalue, arguments: &Arguments) -> Lvalue {
        let lv = lv.clone().map(&mut |e| self.node(e, arguments));
        let lv = self.renamed(lv);
        match simplify::expr(self.program, lv.clone().load()) {
            Expr::Load(lv) => *lv,
            _ => lv,
        }
    }

    fn op(&mut self, op: &Op, arguments: &Arguments) -> Op {
        let mut op = op.clone();
        if let Some(dest) = op.destination_mut() {
            *dest = self.destination(dest, arguments);
        }
        for e in op.operands_mut() {
            *e = self.translate(e, arguments);
        }
        simplify::op(self.program, op)
    }

    /// Adds the procedure's graph, which ends in `exit`; where it begins.
    pub(super) fn body(&mut self, p: ProcId, arguments: &Arguments, exit: usize) -> Result<usize, Refused> {
        self.open.push(p);
        let proc = &self.program.procs[p];
        let first = self.instance.nodes.len();
        for location in &proc.locations {
            let node = self.instance.node(location.span);
            self.instance.nodes[node].labels = location.labels.clone();
        }
        let quiet = proc.is_model();
        let at = |l: LocId| if l == proc.exit { exit } else { first + l.index() };
        for (e, edge) in proc.edges.iter_enumerated() {
            if self.instance.steps.len() > STEPS {
                let message =
                    format!("a thread has more than {STEPS} steps when calls are replaced by what they call");
                return Err(Refused { span: proc.span, message });
            }
            let ends = (at(edge.src), at(edge.dst));
            self.edge((p, e), ends, arguments, quiet)?;
        }
        self.open.pop();
        Ok(at(proc.entry))
    }

    fn edge(
        &mut self,
        (p, e): (ProcId, EdgeId),
        (src, dst): (usize, usize),
        arguments: &Arguments,
        quiet: bool,
    ) -> Result<(), Refused> {
        let edge = &self.program.procs[p].edges[e];
        let kind = if quiet { EdgeKind::Internal } else { edge.kind };
        let step = |action| Step { src, dst, action, span: edge.span, kind, proc: p };
        let Op::Call { dest, callee, args } = &edge.op else {
            let op = self.op(&edge.op, arguments);
            self.instance.step(step(Action::Op(op)));
            return Ok(());
        };
        let args: Vec<Expr> = args.iter().map(|e| self.translate(e, arguments)).collect();
        let dest = dest.as_ref().map(|lv| self.destination(lv, arguments));
        let at = Step { src, dst, action: Action::Begin, span: edge.span, kind, proc: p };
        let pointer = match callee {
            Callee::Direct(q) if ThreadOp::of(self.program, *q) == Some(ThreadOp::Start) => args[0].clone(),
            Callee::Direct(q) => return self.direct(*q, dest, args, at),
            Callee::Indirect(pointer) => self.translate(pointer, arguments),
        };
        let starts = matches!(callee, Callee::Direct(_));
        let of_type = |q: &ProcId| Type::Func(self.program.procs[*q].ty.clone()).ptr_to() == pointer.ty();
        let targets = match simplify::without_casts(&pointer) {
            Expr::Func(q, _) => Some(vec![*q]),
            _ => self.pointed.get(&(p, e)).cloned(),
        };
        let fits = |q: &ProcId| if starts { self.can_start(*q) } else { of_type(q) };
        let Some(targets) = targets.filter(|targets| !targets.is_empty() && targets.iter().all(fits)) else {
            let what = match starts {
                true => "a thread is started with a function that is not known",
                false => "a call through a pointer in a program with threads",
            };
            self.instance.step(step(Action::Unmodelled(what.into())));
            return Ok(());
        };
        let is_one = targets.len() == 1;
        for q in targets {
            let mut at = at.clone();
            if !is_one {
                let address = Expr::Func(q, Type::Func(self.program.procs[q].ty.clone()).ptr_to());
                let same = Expr::binary(BinOp::Eq, pointer.clone(), address.cast(pointer.ty()));
                let next = self.instance.node(edge.span);
                let assume = Action::Op(Op::Assume(same));
                self.instance.step(Step {
                    dst: next,
                    action: assume,
                    kind: EdgeKind::Internal,
                    ..at.clone()
                });
                at.src = next;
            }
            if starts {
                let action = Action::Start { dest: dest.clone(), root: q, arg: args[1].clone() };
                self.instance.step(Step { action, ..at });
            } else {
                self.direct(q, dest.clone(), args.clone(), at)?;
            }
        }
        Ok(())
    }

    /// A call of a procedure between the ends of `at`.
    fn direct(&mut self, q: ProcId, dest: Option<Lvalue>, args: Vec<Expr>, at: Step) -> Result<(), Refused> {
        let step = |action| Step { action, ..at.clone() };
        if let Some(op) = ThreadOp::of(self.program, q) {
            let (action, dst) = self.thread_op(op, dest, args, at.dst);
            self.instance.step(Step { dst, ..step(action) });
            return Ok(());
        }
        if !self.program.procs[q].has_body {
            let op = Op::Call { dest, callee: Callee::Direct(q), args };
            self.instance.step(step(Action::Op(op)));
            return Ok(());
        }
        if self.open.contains(&q) || self.open.len() > DEPTH {
            let what = format!("recursion of `{}` in a program with threads", self.program.procs[q].name);
            self.instance.step(step(Action::Unmodelled(what.into())));
            return Ok(());
        }
        self.call(q, dest, &args, at)
    }

    /// Adds a thread operation, and where it leads.
    fn thread_op(
        &mut self,
        op: ThreadOp,
        dest: Option<Lvalue>,
        mut args: Vec<Expr>,
        dst: usize,
    ) -> (Action, usize) {
        let last = args.pop();
        let action = match (op, last) {
            (ThreadOp::Join | ThreadOp::JoinNumber, Some(id)) => Action::Join { dest, id },
            (ThreadOp::Wait, Some(condition)) => Action::Wait(condition),
            (ThreadOp::Begin, _) => Action::Begin,
            (ThreadOp::End, _) => Action::End,
            (ThreadOp::Exit | ThreadOp::ExitNumber, Some(value)) => {
                let exit = self.instance.quit.unwrap_or(self.instance.exit);
                let fits = self.root_ret.filter(|v| self.vars[*v].ty == value.ty());
                let op = fits.map_or(Op::Skip, |v| Op::Assign(Lvalue::var(v, value.ty()), value));
                return (Action::Op(op), exit);
            }
            (ThreadOp::Current, _) => {
                let bits = self.program.model.pointer_bits();
                let ty = Type::Int(IntType { bits, signed: false });
                let value = Expr::Const(self.number as i128 + 1, ty);
                Action::Op(dest.map_or(Op::Skip, |lv| match self.crowd {
                    true => Op::Havoc(lv, HavocKind::Unmodelled(op.name().into())),
                    false => Op::Assign(lv, value),
                }))
            }
            _ => Action::Unmodelled("a thread operation without arguments".into()),
        };
        (action, dst)
    }

    fn can_start(&self, q: ProcId) -> bool {
        let proc = &self.program.procs[q];
        let formals = &proc.formals;
        proc.has_body && formals.len() <= 1 && formals.iter().all(|v| self.vars[*v].ty.is_ptr())
    }
}

/// Whether the expression is an address or a number known beforehand.
fn is_constant(e: &Expr) -> bool {
    match simplify::without_casts(e) {
        Expr::Const(..) | Expr::Func(..) => true,
        Expr::Cast(inner, _) => matches!(**inner, Expr::Const(..)),
        Expr::AddrOf(lv) => {
            let constant = |a: &Access| !matches!(a, Access::Index(e) if !matches!(e, Expr::Const(..)));
            matches!(lv.base, Base::Var(_)) && lv.path.iter().all(constant)
        }
        _ => false,
    }
}

/// The havoc with which a local begins its life again.
pub(super) fn fresh(vars: &base::IndexVec<VarId, Var>, v: VarId) -> Op {
    Op::Havoc(Lvalue::var(v, vars[v].ty.clone()), HavocKind::Uninit)
}
