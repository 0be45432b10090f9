//! Binary operators as they are read, and which of two binds more tightly. Tools that write boolean programs
//! disagree about that; where they do, parentheses are demanded unless a dialect is given.

/// The rules of precedence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// Nobody's: where tools disagree, missing parentheses are an error.
    #[default]
    Strict,
    /// C's: `= !=`, `&`, `^`, `|`, `&&`, `||`, `=>`, `<=>`, from tight to loose.
    C,
    /// The rules of Boppo and SATABS: `&`, `|`, `^`, `<=>`, and loosest `=`, `!=` and `=>`, alike and from the
    /// right. If an assignment sets a variable twice, the last value counts.
    Boppo,
    /// The rules of Getafix: `= !=`, `&`, `^`, `|`, `=>`, from the left; `&&` is `&` and `||` is `|`.
    Getafix,
    /// The rules of WALi: as Getafix, but `=>` binds like `|`.
    Wali,
}

/// A binary operator as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Infix {
    Iff,
    Implies,
    /// `||` and `or`.
    OrElse,
    /// `&&` and `and`.
    AndThen,
    Or,
    Xor,
    And,
    Eq,
    Ne,
}

impl Infix {
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Infix::Iff => "<=>",
            Infix::Implies => "=>",
            Infix::OrElse => "||",
            Infix::AndThen => "&&",
            Infix::Or => "|",
            Infix::Xor => "^",
            Infix::And => "&",
            Infix::Eq => "=",
            Infix::Ne => "!=",
        }
    }

    /// How tightly it binds; from 1.
    pub(super) fn level(self, dialect: Dialect) -> u8 {
        let order: [u8; 9] = match dialect {
            //                                  <=> => || && |  ^  &  =  !=
            Dialect::Strict | Dialect::C => [1, 2, 3, 4, 5, 6, 7, 8, 8],
            Dialect::Boppo => [2, 1, 4, 5, 4, 3, 5, 1, 1],
            Dialect::Getafix => [1, 2, 3, 5, 3, 4, 5, 6, 6],
            Dialect::Wali => [1, 2, 2, 4, 2, 3, 4, 5, 5],
        };
        order[self as usize]
    }

    /// Whether `a op b op c` is `a op (b op c)`.
    pub(super) fn binds_right(self, dialect: Dialect) -> bool {
        match dialect {
            Dialect::Strict | Dialect::C => self == Infix::Implies,
            Dialect::Boppo => matches!(self, Infix::Implies | Infix::Eq | Infix::Ne),
            Dialect::Getafix | Dialect::Wali => false,
        }
    }

    /// Whether tools disagree about what the two mean side by side.
    pub(super) fn disputed(self, other: Infix) -> bool {
        use Infix::{And, AndThen, Eq, Iff, Implies, Ne, Or, OrElse, Xor};
        let one_way = |a, b| match a {
            Eq | Ne => matches!(b, And | AndThen | Or | OrElse | Xor | Implies),
            Implies => matches!(b, Implies | Iff),
            Xor => matches!(b, Or | OrElse | AndThen),
            AndThen => b == Or,
            _ => false,
        };
        one_way(self, other) || one_way(other, self)
    }
}
