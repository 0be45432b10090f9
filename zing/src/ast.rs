//! The syntax tree of the modelling language. Names are as written; nothing is resolved.
//!
//! Places in the source do not count when trees are compared, so that printing and parsing are inverse to each
//! other.

use base::Span;
use std::fmt;

/// A place in the source; all places are equal.
#[derive(Clone, Copy, Debug)]
pub struct At(pub Span);

impl PartialEq for At {
    fn eq(&self, _: &At) -> bool {
        true
    }
}

impl Eq for At {}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Named constants, in the order of the text.
    pub consts: Vec<Const>,
    /// Classes, in the order of the text.
    pub classes: Vec<Class>,
    /// Where it begins.
    pub at: At,
}

/// `const int N = 20;`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Const {
    /// Its name.
    pub name: String,
    /// Its value, over constants that stand before it.
    pub value: Expr,
    /// Where it stands.
    pub at: At,
}

/// A class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Fields, static or not.
    pub fields: Vec<Field>,
    /// Procedures; a constructor has the name of the class.
    pub procs: Vec<Proc>,
    /// Where its name stands.
    pub at: At,
}

/// A field: of each object, or static.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Whether there is one for the whole program.
    pub is_static: bool,
    /// Its type.
    pub ty: Type,
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub at: At,
}

/// A procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proc {
    /// Its name.
    pub name: String,
    /// Whether a thread that runs it is there from the start.
    pub activate: bool,
    /// Whether it is called without an object.
    pub is_static: bool,
    /// What it returns; `None` for `void` and for constructors.
    pub result: Option<Type>,
    /// Whether it is the constructor of its class.
    pub constructor: bool,
    /// Parameters.
    pub params: Vec<(Type, String)>,
    /// Its statements.
    pub body: Vec<Stmt>,
    /// Where its name stands.
    pub at: At,
}

/// A type as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `int[lo..hi]`, over constants.
    Range(Box<Expr>, Box<Expr>),
    /// Reference to an object of this class.
    Class(String),
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// Labels before it.
    pub labels: Vec<String>,
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands; of an `if` or `while`, the head.
    pub at: At,
}

/// Kinds of statements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StmtKind {
    /// `;`
    Skip,
    /// `T x;` or `T x = value;`
    Declare(Type, String, Option<Value>),
    /// `target = value;`
    Assign(Expr, Value),
    /// `f(x);`
    Call(Call),
    /// `async f(x);`
    Async(Call),
    /// `if (cond) … else …`
    If(Cond, Vec<Stmt>, Option<Vec<Stmt>>),
    /// `while (cond) …`
    While(Cond, Vec<Stmt>),
    /// `assume(e);`
    Assume(Expr),
    /// `assert(e);`
    Assert(Expr),
    /// `return;` or `return value;`
    Return(Option<Value>),
    /// `atomic { … }`
    Atomic(Vec<Stmt>),
    /// `{ … }`
    Block(Vec<Stmt>),
}

/// What an `if` or `while` examines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cond {
    /// `*` or `choose(bool)`
    Choose,
    /// A condition.
    Is(Expr),
}

/// What stands on the right of `=`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// An expression.
    Expr(Expr),
    /// `new C` or `new C(args)`
    New(String, Option<Vec<Expr>>, At),
    /// `choose(T)`: any value of the type.
    Choose(Type, At),
    /// The result of a call.
    Call(Call),
}

/// A call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// What stands before the last dot: an object or a class.
    pub receiver: Option<Expr>,
    /// The name of the procedure.
    pub name: String,
    /// Arguments.
    pub args: Vec<Expr>,
    /// Where it stands.
    pub at: At,
}

/// An expression: no effect, no choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub at: At,
}

/// Kinds of expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Int(i32),
    /// A variable, a field of `this`, a static field, a constant, or a class.
    Name(String),
    /// `this`
    This,
    /// `e.name`
    Field(Box<Expr>, String),
    /// `!e` or `-e`
    Unary(UnOp, Box<Expr>),
    /// `a op b`
    Binary(BinOp, Box<Expr>, Box<Expr>),
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnOp {
    /// `!`
    Not,
    /// `-`
    Neg,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinOp {
    /// `||`; the right side is not examined when the left one holds.
    Or,
    /// `&&`; the right side is not examined when the left one does not hold.
    And,
    /// `==`, also of references
    Eq,
    /// `!=`, also of references
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`, towards zero
    Div,
    /// `%`, with the sign of the left operand
    Rem,
}

impl BinOp {
    /// How it is written, and how tightly it binds; operators of one strength are read from the left.
    pub fn text(self) -> (&'static str, u8) {
        match self {
            BinOp::Or => ("||", 1),
            BinOp::And => ("&&", 2),
            BinOp::Eq => ("==", 3),
            BinOp::Ne => ("!=", 3),
            BinOp::Lt => ("<", 4),
            BinOp::Le => ("<=", 4),
            BinOp::Gt => (">", 4),
            BinOp::Ge => (">=", 4),
            BinOp::Add => ("+", 5),
            BinOp::Sub => ("-", 5),
            BinOp::Mul => ("*", 6),
            BinOp::Div => ("/", 6),
            BinOp::Rem => ("%", 6),
        }
    }
}

impl fmt::Display for BinOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text().0)
    }
}
