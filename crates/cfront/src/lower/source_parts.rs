//! Source spans of the parts of statements that can go wrong by themselves: the locations that an index or a
//! pointer leads to, and the results of operators. A report marks the part instead of the whole statement.

use crate::lower::context::Emitter;
use crate::lower::expr::Ev;
use base::Span;
use ir::{Access, Base, Expr, Lvalue};
use passes::checks::Part;

/// See the module's documentation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    places: Vec<(Span, Lvalue)>,
    values: Vec<(Span, Expr)>,
}

impl Parts {
    /// All of them, as [`Parts::find`] needs them.
    pub(crate) fn sorted(mut self) -> Parts {
        self.places.sort_by_key(|(span, _)| *span);
        self.values.sort_by_key(|(span, _)| *span);
        self
    }

    /// The first place of the part within the statement.
    pub(crate) fn find(&self, statement: Span, part: Part<'_>) -> Option<Span> {
        match part {
            Part::Place(lv) => first(&self.places, statement, lv),
            Part::Value(e) => first(&self.values, statement, e),
        }
    }
}

fn first<T: PartialEq>(all: &[(Span, T)], around: Span, wanted: &T) -> Option<Span> {
    let from = all.partition_point(|(span, _)| (span.file, span.start) < (around.file, around.start));
    let inside = |span: &Span| span.file == around.file && span.start < around.end;
    let mut within = all[from..].iter().take_while(|(span, _)| inside(span));
    within.find(|(span, it)| span.end <= around.end && it == wanted).map(|(span, _)| *span)
}

impl Emitter<'_> {
    /// Notes where an expression stands.
    pub(crate) fn note_part(&mut self, ev: &Ev, span: Span) {
        if self.dry > 0 {
            return;
        }
        match ev {
            Ev::Place(p) if is_computed(&p.lv) => self.report.parts.places.push((span, p.lv.clone())),
            Ev::Val(v) if matches!(v.e, Expr::Unary(..) | Expr::Binary(..)) => {
                self.report.parts.values.push((span, v.e.clone()));
            }
            _ => {}
        }
    }
}

/// Whether a pointer or an index leads there.
fn is_computed(lv: &Lvalue) -> bool {
    matches!(lv.base, Base::Deref(_)) || lv.path.iter().any(|step| matches!(step, Access::Index(_)))
}
