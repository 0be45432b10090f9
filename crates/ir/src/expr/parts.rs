//! The parts of expressions and lvalues: walks over them, and rebuilding.

use super::{Access, Base, Expr, Lvalue};
use crate::program::VarId;

/// The expressions directly below an expression or a location: the same for reading and for changing them.
macro_rules! children {
    ($children:ident, $iter:ident $(, $mutable:tt)?) => {
        impl Expr {
            /// The expressions directly below this one, those inside its location included.
            pub fn $children(&$($mutable)? self) -> impl Iterator<Item = &$($mutable)? Expr> {
                let (lv, parts): (Option<&$($mutable)? Lvalue>, [Option<&$($mutable)? Expr>; 3]) = match self {
                    Expr::Const(..) | Expr::Float(..) | Expr::Func(..) => (None, [None, None, None]),
                    Expr::Load(lv) | Expr::AddrOf(lv) => (Some(lv), [None, None, None]),
                    Expr::Unary(_, e, _) | Expr::Cast(e, _) | Expr::Old(e) => (None, [Some(e), None, None]),
                    Expr::Binary(_, l, r, _) => (None, [Some(l), Some(r), None]),
                    Expr::Cond(c, a, b) => (None, [Some(c), Some(a), Some(b)]),
                };
                lv.into_iter().flat_map(Lvalue::$children).chain(parts.into_iter().flatten())
            }
        }

        impl Lvalue {
            /// The expressions that say where the location is: the pointer, and the indices.
            pub fn $children(&$($mutable)? self) -> impl Iterator<Item = &$($mutable)? Expr> {
                let pointer = match &$($mutable)? self.base {
                    Base::Deref(p) => Some(&$($mutable)? **p),
                    Base::Var(_) => None,
                };
                pointer.into_iter().chain(self.path.$iter().filter_map(|access| match access {
                    Access::Index(i) => Some(i),
                    Access::Field(..) => None,
                }))
            }
        }
    };
}

children!(children, iter);
children!(children_mut, iter_mut, mut);

impl Expr {
    /// Calls `f` on every node of the expression, outermost first, lvalues' expressions included.
    pub fn walk<'e>(&'e self, f: &mut impl FnMut(&'e Expr)) {
        f(self);
        self.children().for_each(|e| e.walk(f));
    }

    /// Calls `f` on every location that the expression reads, outer ones before inner ones.
    pub fn loads<'e>(&'e self, f: &mut impl FnMut(&'e Lvalue)) {
        self.walk(&mut |e| {
            if let Expr::Load(lv) = e {
                f(lv);
            }
        });
    }

    /// Whether `is` holds of some node of the expression.
    pub fn has(&self, mut is: impl FnMut(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |e| found = found || is(e));
        found
    }

    /// Whether `old` stands inside of `old`.
    pub fn nests_old(&self) -> bool {
        let is_old = |e: &Expr| matches!(e, Expr::Old(_));
        self.has(|e| matches!(e, Expr::Old(inner) if inner.has(is_old)))
    }

    /// The expression with each part directly below replaced.
    #[must_use]
    pub fn rebuilt(mut self, f: &mut impl FnMut(Expr) -> Expr) -> Expr {
        self.children_mut().for_each(|e| e.replace(f));
        self
    }

    /// Rebuilds the expression bottom-up: `f` is given each node after its operands were rebuilt.
    #[must_use]
    pub fn map(self, f: &mut impl FnMut(Expr) -> Expr) -> Expr {
        let rebuilt = self.rebuilt(&mut |e| e.map(f));
        f(rebuilt)
    }

    /// The expression with other variables, inner ones first.
    #[must_use]
    pub fn renamed(self, f: &mut impl FnMut(VarId) -> VarId) -> Expr {
        self.map(&mut |mut e| {
            if let Expr::Load(lv) | Expr::AddrOf(lv) = &mut e {
                lv.rename_base(f);
            }
            e
        })
    }

    fn replace(&mut self, f: &mut impl FnMut(Expr) -> Expr) {
        let old = std::mem::replace(self, Expr::int(0));
        *self = f(old);
    }
}

impl Lvalue {
    /// Calls `f` on every expression inside the lvalue (not on the lvalue's own load).
    pub fn walk<'e>(&'e self, f: &mut impl FnMut(&'e Expr)) {
        self.children().for_each(|e| e.walk(f));
    }

    /// The location with each expression in it replaced.
    #[must_use]
    pub fn rebuilt(mut self, f: &mut impl FnMut(Expr) -> Expr) -> Lvalue {
        self.children_mut().for_each(|e| e.replace(f));
        self
    }

    /// Starts at another variable, where it starts at one.
    pub fn rename_base(&mut self, f: &mut impl FnMut(VarId) -> VarId) {
        if let Base::Var(v) = &mut self.base {
            *v = f(*v);
        }
    }

    /// Rebuilds the expressions inside the lvalue, as [`Expr::map`] does.
    #[must_use]
    pub fn map(self, f: &mut impl FnMut(Expr) -> Expr) -> Lvalue {
        self.rebuilt(&mut |e| e.map(f))
    }
}
