//! The syntax of rules. Every node knows its place in the rule's file.

use base::Span;

/// A rule: what is kept, whom it follows, and what is done at events.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rule {
    /// Variables and constants, in order.
    pub state: Vec<Declaration>,
    /// Which value of which function is the object that the rule follows.
    pub watch: Vec<Watch>,
    /// Handlers of events.
    pub handlers: Vec<Handler>,
}

impl Rule {
    /// The functions that the rule names, each once, in the order of the file.
    pub fn functions(&self) -> Vec<&Name> {
        let events = self.handlers.iter().flat_map(|h| &h.events);
        let mut names: Vec<&Name> = vec![];
        for name in events.filter_map(|e| e.function()).chain(self.watch.iter().map(|w| &w.function)) {
            if names.iter().all(|known| known.text != name.text) {
                names.push(name);
            }
        }
        names
    }

    /// The watched object of a function, if this rule names one.
    pub fn watched(&self, function: &str) -> Option<&Watch> {
        self.watch.iter().find(|w| w.function.text == function)
    }
}

/// A name with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A declaration of the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// Named constants that are declared with it: `enum { idle, held }`.
    pub constants: Vec<Constant>,
    /// The variable; there is none where only constants are declared.
    pub variable: Option<Variable>,
    /// The whole.
    pub span: Span,
}

/// A constant of an `enum`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// Its name.
    pub name: Name,
    /// Its value; one more than that of the constant before it where nothing is said, as in C.
    pub value: Option<Expr>,
}

/// A variable of the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// Its type; `int` for an enumeration.
    pub ty: Type,
    /// Its initial value.
    pub initial: Option<Expr>,
}

/// Types of variables and of conversions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// `bool`.
    Bool,
    /// `char`, `short`, `int`, `long`, `long long`, perhaps `unsigned`.
    Int {
        /// Which of them.
        rank: Rank,
        /// It has a sign.
        signed: bool,
    },
    /// `void *`: the address of anything.
    Pointer,
}

impl Type {
    /// The type `int`.
    pub const INT: Type = Type::Int { rank: Rank::Int, signed: true };
}

/// The widths of integers, by their names in C.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rank {
    /// `char`.
    Char,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `long`.
    Long,
    /// `long long`.
    LongLong,
}

/// One entry of a `watch` list: `spin_lock($1)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watch {
    /// The function.
    pub function: Name,
    /// The object: an argument or the result.
    pub object: Operand,
    /// The place of the object.
    pub span: Span,
}

/// A value of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// The n-th argument, from 1.
    Argument(u32),
    /// The result.
    Return,
}

/// A list of events and what is done at each of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Handler {
    /// The events.
    pub events: Vec<Event>,
    /// The condition under which it is done: `when (…)`.
    pub guard: Option<Expr>,
    /// Its statement.
    pub body: Stmt,
}

/// An event of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Its kind.
    pub kind: EventKind,
    /// Its place.
    pub span: Span,
}

impl Event {
    /// The function whose event it is.
    pub fn function(&self) -> Option<&Name> {
        match &self.kind {
            EventKind::Entry(name) | EventKind::Exit(name) => Some(name),
            EventKind::ProgramStart | EventKind::ProgramEnd | EventKind::ThreadEnd => None,
        }
    }
}

/// Kinds of events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// A call of the function begins: `spin_lock.entry`.
    Entry(Name),
    /// A call of the function has ended: `fopen.exit`.
    Exit(Name),
    /// The program starts, before its first statement.
    ProgramStart,
    /// The entry function has returned, or the program has called `exit`.
    ProgramEnd,
    /// A thread ends; the only one ends with the program.
    ThreadEnd,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// Its kind.
    pub kind: StmtKind,
    /// Its place.
    pub span: Span,
}

/// Kinds of statements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StmtKind {
    /// `{ … }`; empty for `;`.
    Block(Vec<Stmt>),
    /// `if (…) … else …`.
    If(Condition, Box<Stmt>, Option<Box<Stmt>>),
    /// `x = e;`, `x += e;`.
    Assign(Name, Option<BinaryOp>, Expr),
    /// `*$2 = e;`: what the function leaves where its argument points to.
    Store(u32, Expr),
    /// `abort "message";`: the rule is broken.
    Abort(String),
    /// `halt;`: executions that come here are not meant.
    Halt,
}

/// The condition of an `if`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// Both outcomes are possible: `*`.
    Any,
    /// The value of an expression.
    Of(Expr),
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
}

/// Kinds of expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// An integer literal as it is written.
    Number(Literal),
    /// A variable or constant of the state.
    Name(String),
    /// A value of the call: `$1`, `$return`.
    Operand(Operand),
    /// The object that the rule follows: `watched`.
    Watched,
    /// An operator before its operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator between its operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// A conversion.
    Cast(Type, Box<Expr>),
}

/// An integer literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Literal {
    /// Its value.
    pub value: u64,
    /// It is written in hexadecimal digits, and is unsigned where no signed type of its length has it.
    pub hexadecimal: bool,
    /// The suffix `u`.
    pub unsigned: bool,
    /// The suffix `l` or `ll`.
    pub long: bool,
}

/// Operators before an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `-`.
    Neg,
    /// `~`.
    BitNot,
    /// `!`.
    Not,
}

/// Operators between operands, C's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `*`.
    Mul,
    /// `/`.
    Div,
    /// `%`.
    Rem,
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `<<`.
    Shl,
    /// `>>`.
    Shr,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
    /// `==`.
    Eq,
    /// `!=`.
    Ne,
    /// `&`.
    BitAnd,
    /// `^`.
    BitXor,
    /// `|`.
    BitOr,
    /// `&&`.
    And,
    /// `||`.
    Or,
}

impl BinaryOp {
    /// All of them, the longer spellings first.
    pub const ALL: [BinaryOp; 18] = {
        use BinaryOp::*;
        [Shl, Shr, Le, Ge, Eq, Ne, And, Or, Mul, Div, Rem, Add, Sub, Lt, Gt, BitAnd, BitXor, BitOr]
    };

    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }

    /// How closely it binds, C's order; larger is closer.
    pub fn binds(self) -> u8 {
        match self {
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 10,
            BinaryOp::Add | BinaryOp::Sub => 9,
            BinaryOp::Shl | BinaryOp::Shr => 8,
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 7,
            BinaryOp::Eq | BinaryOp::Ne => 6,
            BinaryOp::BitAnd => 5,
            BinaryOp::BitXor => 4,
            BinaryOp::BitOr => 3,
            BinaryOp::And => 2,
            BinaryOp::Or => 1,
        }
    }
}
