//! The compiled form: one graph of simple statements, each of which is executed indivisibly. Both `.zn` programs
//! and boolean programs are compiled to it, and every engine, the brute-force interpreter too, runs it.
//!
//! Invariants: the nodes of a procedure start at its entry; formals have the lowest slots; a node's successors lie in
//! its procedure. Expressions have no effect.

use crate::ast::BinOp;
use crate::value::Value;
use base::{IndexVec, Span};

base::define_id!(
    /// A point of control: the node that is executed next.
    pub Pc, "n"
);
base::define_id!(
    /// A procedure.
    pub ProcId, "p"
);
base::define_id!(
    /// A class.
    pub ClassId, "c"
);

/// A compiled program.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The nodes of all procedures.
    pub nodes: IndexVec<Pc, Node>,
    /// The procedures.
    pub procs: IndexVec<ProcId, ProcInfo>,
    /// The classes.
    pub classes: IndexVec<ClassId, ClassInfo>,
    /// The static fields.
    pub statics: Vec<VarInfo>,
    /// What the threads run that are there from the start.
    pub threads: Vec<ProcId>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it does.
    pub instr: Instr,
    /// What comes next.
    pub next: Pc,
    /// The procedure it belongs to.
    pub proc: ProcId,
    /// Where it stands.
    pub span: Option<Span>,
    /// Its labels.
    pub labels: Vec<String>,
}

/// What a node does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Instr {
    /// Nothing.
    Jump,
    /// Parallel assignment.
    Assign(Vec<(Place, Expr)>),
    /// A new object.
    New(Place, ClassId),
    /// One of these values.
    Choose(Place, Vec<Value>),
    /// To the next node if the condition holds, else to this one.
    Branch(Expr, Pc),
    /// To any of these nodes.
    Fork(Vec<Pc>),
    /// Goes on only if the condition holds.
    Assume(Expr),
    /// Fails unless the condition holds.
    Assert(Expr),
    /// Always fails.
    Fail(Fault),
    /// A call; results go to local slots.
    Call(ProcId, Vec<Expr>, Vec<Option<u16>>),
    /// The end of the procedure.
    Return(Vec<Expr>),
    /// A new thread.
    Async(ProcId, Vec<Expr>),
    /// The start of an atomic block; blocks may be nested.
    Enter,
    /// The end of an atomic block.
    Leave,
}

/// Where a value can be stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// A slot of the frame.
    Local(u16),
    /// A static field.
    Static(u16),
    /// A field of the object that the expression gives.
    Field(Expr, u16),
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A constant.
    Const(Value),
    /// A slot of the frame.
    Local(u16),
    /// A slot of the frame that is not read again: what is open there need not be decided.
    Take(u16),
    /// A static field.
    Static(u16),
    /// A field of an object.
    Field(Box<Expr>, u16),
    /// Negation of a truth value.
    Not(Box<Expr>),
    /// Negation of a number.
    Neg(Box<Expr>),
    /// Two operands; the right one of `&&` and `||` is evaluated only if it matters.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The number, which must lie between the bounds.
    Check(Box<Expr>, i32, i32),
}

/// What can go wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fault {
    /// An assertion does not hold.
    Assertion,
    /// A field of `null`, or a call on it.
    NullDereference,
    /// Division or remainder by zero.
    DivisionByZero,
    /// A number outside the range of what it is stored in.
    OutOfRange,
    /// The end of a procedure that should return a value.
    NoReturn,
    /// The place that was asked for was reached.
    Label,
}

impl Fault {
    /// As verdicts name it.
    pub fn word(self) -> &'static str {
        match self {
            Fault::Assertion => "assertion",
            Fault::NullDereference => "null dereference",
            Fault::DivisionByZero => "division by zero",
            Fault::OutOfRange => "number out of range",
            Fault::NoReturn => "end without return",
            Fault::Label => "label",
        }
    }
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct ProcInfo {
    /// `Class.name`
    pub name: String,
    /// Where it starts.
    pub entry: Pc,
    /// Whether its first formal is the object that it is called on.
    pub instance: bool,
    /// How many of its locals are formals.
    pub formals: usize,
    /// Slots: formals, then locals and temporaries.
    pub locals: Vec<VarInfo>,
}

/// A class.
#[derive(Clone, Debug)]
pub struct ClassInfo {
    /// Its name.
    pub name: String,
    /// Fields of each object.
    pub fields: Vec<VarInfo>,
}

/// A slot, a field, or a static field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VarInfo {
    /// Its name; of temporaries, empty.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// What it holds at first.
    pub initial: Value,
}

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    /// Truth values.
    Bool,
    /// Numbers.
    Int,
    /// Numbers between bounds.
    Range(i32, i32),
    /// References to objects of this class.
    Class(ClassId),
    /// Only `null`.
    Null,
}

impl Ty {
    /// What a variable of the type holds at first: false, null, and 0 or the number next to it.
    pub fn initial(self) -> Value {
        match self {
            Ty::Bool => Value::Bool(false),
            Ty::Int => Value::Int(0),
            Ty::Range(lo, hi) => Value::Int(0.clamp(lo, hi)),
            Ty::Class(_) | Ty::Null => Value::Null,
        }
    }
}

impl Node {
    /// The nodes that can come next in the procedure.
    pub fn successors(&self) -> Vec<Pc> {
        match &self.instr {
            Instr::Branch(_, other) => vec![self.next, *other],
            Instr::Fork(targets) => targets.clone(),
            Instr::Return(_) | Instr::Fail(_) => vec![],
            _ => vec![self.next],
        }
    }
}

impl Code {
    /// The node.
    pub fn node(&self, pc: Pc) -> &Node {
        &self.nodes[pc]
    }

    /// Jumps lead where the chain of jumps ends, so that only jumps in circles are ever executed.
    pub fn without_jumps(mut self) -> Code {
        let nodes = &self.nodes;
        let end = |from: Pc| {
            let mut pc = from;
            for _ in 0..nodes.len() {
                if nodes[pc].instr != Instr::Jump {
                    return pc;
                }
                pc = nodes[pc].next;
            }
            from
        };
        let ends: IndexVec<Pc, Pc> = nodes.ids().map(end).collect();
        for node in self.nodes.iter_mut() {
            node.next = ends[node.next];
            match &mut node.instr {
                Instr::Branch(_, other) => *other = ends[*other],
                Instr::Fork(targets) => targets.iter_mut().for_each(|t| *t = ends[*t]),
                _ => {}
            }
        }
        for proc in self.procs.iter_mut() {
            proc.entry = ends[proc.entry];
        }
        self
    }

    /// Whether there is one thread, and never another.
    pub fn is_sequential(&self) -> bool {
        self.threads.len() == 1 && !self.nodes.iter().any(|n| matches!(n.instr, Instr::Async(..)))
    }

    /// Whether every exploration with summaries ends \[QR05 Theorem 3\]: one thread, finitely many values, and no class
    /// from which references lead back to it.
    pub fn terminates(&self) -> bool {
        let fields = self.classes.iter().flat_map(|c| &c.fields);
        let locals = self.procs.iter().flat_map(|p| &p.locals);
        let finite = fields.chain(locals).chain(&self.statics).all(|v| v.ty != Ty::Int);
        self.is_sequential() && finite && !self.recursive_classes()
    }

    /// Whether some class leads back to itself.
    fn recursive_classes(&self) -> bool {
        // Classes that lead only to classes removed before can be removed, until nothing or a circle is left.
        let mut left: Vec<ClassId> = self.classes.ids().collect();
        loop {
            let count = left.len();
            let still = left.clone();
            left.retain(|c| {
                let mut targets = self.classes[*c].fields.iter().filter_map(|f| match f.ty {
                    Ty::Class(target) => Some(target),
                    _ => None,
                });
                targets.any(|t| still.contains(&t))
            });
            if left.len() == count {
                return count > 0;
            }
        }
    }
}
