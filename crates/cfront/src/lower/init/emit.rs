//! The edges of an initialiser that has been taken apart.

use super::{Item, Source, zero};
use crate::error::{Res, type_error, unsupported};
use crate::lower::context::{Context, Emitter, Symbols};
use crate::lower::expr::{Ast, Place};
use crate::options::EvaluationOrder;
use crate::types::parts::MAX_LEAVES;
use crate::types::table::Types;
use crate::types::ty::{IntTy, Ty};
use base::Span;
use ir::{Access, Expr, Op, Type};

impl Context<'_> {
    pub(super) fn emit_items(&mut self, target: &Place, items: Vec<Item<'_>>, span: Span) -> Res<()> {
        self.symbols.refuse_partial_override(&items)?;
        let size = self.types.size_of(&target.ty.ty, span)?;
        if size == 0 {
            return Ok(());
        }
        let zeroed = match self.types.leaves(&target.lv, &target.ty.ty, true) {
            Some(leaves) => {
                for (lv, ty) in leaves {
                    let explicit = items.iter().any(|i| lv.path.starts_with(&i.place.lv.path));
                    if !explicit {
                        self.emitter.internal(Op::Assign(lv.clone(), zero(&ty, lv.ty.clone())), span);
                    }
                }
                false
            }
            None => {
                let len = Expr::Const(i128::from(size), Type::Int(self.settings.size_ty().lower()));
                let ptr = self.types.address(target.lv.clone());
                self.emitter.internal(Op::MemSet { ptr, byte: Expr::int(0), len }, span);
                true
            }
        };
        let items = match self.settings.options.evaluation_order {
            EvaluationOrder::Gcc => in_place_order(items),
            EvaluationOrder::Any | EvaluationOrder::Left => items,
        };
        let expressions: Vec<&Ast> = items.iter().filter_map(Item::expression).collect();
        self.items_in_order(&expressions, span, |cx| {
            items.into_iter().try_for_each(|item| cx.afresh(|cx| cx.emit_item(item, zeroed, span)))
        })
    }

    fn emit_item(&mut self, item: Item<'_>, zeroed: bool, span: Span) -> Res<()> {
        match item.source {
            Source::Chars(bytes, unit) => {
                self.emitter.emit_chars(&self.types, &item.place, &bytes, unit, zeroed, span)
            }
            Source::Expr(e) => {
                let at = self.symbols.span(e);
                if !item.place.ty.ty.is_scalar() {
                    self.assign_to(item.place, e, at, false)?;
                    return Ok(());
                }
                let value = self.value_to(e, &item.place.ty.ty)?.cast(item.place.lv.ty.clone());
                if !(zeroed && value.is_zero()) {
                    self.emitter.internal(Op::Assign(item.place.lv, value), at);
                }
                Ok(())
            }
        }
    }
}

impl Symbols<'_> {
    /// A designator that changes a part of a struct which an expression initialised before: compilers disagree
    /// on what the other parts hold.
    fn refuse_partial_override(&self, items: &[Item<'_>]) -> Res<()> {
        let mut whole: Vec<&Item<'_>> = vec![];
        for item in items {
            let path = &item.place.lv.path;
            if let Some(first) = whole.iter().find(|w| {
                let outer = &w.place.lv.path;
                outer.len() < path.len() && path.starts_with(outer)
            }) && let Source::Expr(e) = &first.source
            {
                let message = "a part of this value is initialised again, which is not supported";
                return unsupported(self.span(*e), message);
            }
            if matches!(item.source, Source::Expr(_)) && !item.place.ty.ty.is_scalar() {
                whole.push(item);
            }
        }
        Ok(())
    }
}

impl Emitter<'_> {
    fn emit_chars(
        &mut self,
        types: &Types,
        place: &Place,
        bytes: &[u8],
        unit: IntTy,
        zeroed: bool,
        span: Span,
    ) -> Res<()> {
        let Ty::Array(_, Some(length)) = place.ty.ty else {
            return type_error(span, "the array is incomplete here");
        };
        let width = usize::from(unit.bits / 8);
        let given = (bytes.len() / width).min(usize::try_from(length).unwrap_or(usize::MAX));
        if given > MAX_LEAVES && width == 1 {
            let source = self.string_place(bytes.to_vec(), Ty::Int(unit), span);
            let (dst, src) = (types.address(place.lv.clone()), types.address(source.lv));
            let len = Expr::Const(given as i128, Type::Int(self.settings.size_ty().lower()));
            self.internal(Op::MemCopy { dst, src, len }, span);
            return Ok(());
        }
        let elem = Type::Int(unit.lower());
        let last = if zeroed { given as u64 } else { length };
        for n in 0..last {
            let at = n as usize * width;
            let value = bytes
                .get(at..at + width)
                .map_or(0, |b| b.iter().rev().fold(0i128, |v, byte| (v << 8) | i128::from(*byte)));
            let value = unit.lower().wrap(value);
            if !(zeroed && value == 0) {
                let lv = place.lv.clone().step(Access::Index(Expr::int(i128::from(n))), elem.clone());
                self.internal(Op::Assign(lv, Expr::Const(value, elem.clone())), span);
            }
        }
        Ok(())
    }
}

/// The items in the order of their parts in the object, as gcc evaluates them; of those for one part the last one
/// alone.
fn in_place_order(mut items: Vec<Item<'_>>) -> Vec<Item<'_>> {
    let number = |access: &Access| match access {
        Access::Field(_, n) => *n as i128,
        Access::Index(at) => at.as_const().unwrap_or(i128::MAX),
    };
    let numbers = |item: &Item<'_>| item.place.lv.path.iter().map(number).collect::<Vec<i128>>();
    items.sort_by_key(numbers);
    items.reverse();
    items.dedup_by(|earlier, later| earlier.place.lv == later.place.lv);
    items.reverse();
    items
}
