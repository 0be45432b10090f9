//! Initialisers: nested and designated lists, strings, completion of array lengths, zero fill. The list is
//! first taken apart into pairs of location and expression, then the pairs are emitted in the order written.

mod emit;

use crate::error::{Res, type_error, unsupported};
use crate::lower::context::{Context, Emitter, Symbols};
use crate::lower::expr::{Ast, Place, step_index};
use crate::types::table::Types;
use crate::types::ty::{IntTy, QTy, Ty};
use base::{Id, Span};
use ir::{Expr, RecordId, Type};
use lang_c::ast;
use lang_c::span::Node;

/// More elements than this are not initialised by one range designator.
const MAX_RANGE: u64 = 1 << 16;

/// One initialised part.
struct Item<'e> {
    place: Place,
    source: Source<'e>,
}

impl<'e> Item<'e> {
    /// The expression that gives the value.
    fn expression(&self) -> Option<&'e Ast> {
        match self.source {
            Source::Expr(e) => Some(e),
            Source::Chars(..) => None,
        }
    }
}

/// The source of a part's value.
#[derive(Clone)]
enum Source<'e> {
    Expr(&'e Ast),
    /// The bytes of a string literal.
    Chars(Vec<u8>, IntTy),
}

/// An aggregate whose parts are being initialised, and the number of the next part.
struct Frame {
    place: Place,
    index: u64,
}

impl Context<'_> {
    /// The type with the length that the initialiser gives to an incomplete array.
    pub(crate) fn completed_by(&mut self, ty: QTy, init: &Node<ast::Initializer>) -> Res<QTy> {
        let Ty::Array(elem, None) = &ty.ty else { return Ok(ty) };
        let elem = elem.clone();
        let length = match &init.node {
            ast::Initializer::Expression(e) => match self.symbols.chars(&ty.ty, e)? {
                Some((bytes, unit)) => bytes.len() as u64 / u64::from(unit.bits / 8),
                None => {
                    let span = self.symbols.span(init);
                    return type_error(span, "an array needs a list in braces");
                }
            },
            ast::Initializer::List(items) => match self.completed_by_list(ty.ty.clone(), items)? {
                Ty::Array(_, Some(n)) => n,
                _ => 0,
            },
        };
        Ok(QTy { ty: Ty::Array(elem, Some(length)), ..ty })
    }

    /// The same for the items of a list.
    pub(crate) fn completed_by_list(&mut self, ty: Ty, items: &[Node<ast::InitializerListItem>]) -> Res<Ty> {
        let Ty::Array(elem, None) = &ty else { return Ok(ty) };
        let elem = elem.clone();
        if let Some(e) = only_expression(items)
            && let Some((bytes, unit)) = self.symbols.chars(&ty, e)?
        {
            return Ok(Ty::Array(elem, Some(bytes.len() as u64 / u64::from(unit.bits / 8))));
        }
        let open = Ty::Array(elem.clone(), Some(u64::MAX));
        let target = Place {
            lv: ir::Lvalue::var(ir::VarId::from_index(0), Type::Array(elem.ty.lower().into(), None)),
            ty: open.into(),
            bit_field: false,
        };
        let length = self.dry(|cx| cx.collect_list(&target, items, &mut vec![]))?;
        Ok(Ty::Array(elem, Some(length)))
    }

    /// Initialises a variable; `span` is the text of the declarator with its initialiser.
    pub(crate) fn initialise(
        &mut self,
        target: &Place,
        init: &Node<ast::Initializer>,
        span: Span,
    ) -> Res<()> {
        if let ast::Initializer::Expression(e) = &init.node
            && self.symbols.chars(&target.ty.ty, e)?.is_none()
        {
            if let ast::Expression::Call(call) = &e.node
                && self.emitter.is_fresh_record(target)
                && self.call_into(&call.node, target, span)?
            {
                return Ok(());
            }
            self.assign_to(target.clone(), e, span, false)?;
            return Ok(());
        }
        let mut items = vec![];
        self.collect(target, init, &mut items)?;
        self.emit_items(target, items, span)
    }

    /// Initialises an object by the items of a list.
    pub(crate) fn initialise_list(
        &mut self,
        target: &Place,
        list: &[Node<ast::InitializerListItem>],
        span: Span,
    ) -> Res<()> {
        let mut items = vec![];
        self.collect_braced(target, list, span, &mut items)?;
        self.emit_items(target, items, span)
    }

    /// Zeroes an object.
    pub(crate) fn initialise_zero(&mut self, target: &Place, span: Span) -> Res<()> {
        self.emit_items(target, vec![], span)
    }

    fn collect<'e>(
        &mut self,
        target: &Place,
        init: &'e Node<ast::Initializer>,
        out: &mut Vec<Item<'e>>,
    ) -> Res<()> {
        let span = self.symbols.span(init);
        match &init.node {
            ast::Initializer::List(items) => self.collect_braced(target, items, span, out),
            ast::Initializer::Expression(e) => {
                if matches!(target.ty.ty, Ty::Array(_, None)) {
                    return unsupported(span, "initialisers of flexible array members are not supported");
                }
                let source = match self.symbols.chars(&target.ty.ty, e)? {
                    Some((bytes, unit)) => Source::Chars(bytes, unit),
                    None if matches!(target.ty.ty, Ty::Array(..)) => {
                        return type_error(span, "an array needs a list in braces");
                    }
                    None => Source::Expr(e),
                };
                out.push(Item { place: target.clone(), source });
                Ok(())
            }
        }
    }

    fn collect_braced<'e>(
        &mut self,
        target: &Place,
        items: &'e [Node<ast::InitializerListItem>],
        span: Span,
        out: &mut Vec<Item<'e>>,
    ) -> Res<()> {
        match &target.ty.ty {
            Ty::Array(_, None) => {
                unsupported(span, "initialisers of flexible array members are not supported")
            }
            Ty::Array(..) => {
                if let Some(e) = only_expression(items)
                    && self.symbols.chars(&target.ty.ty, e)?.is_some()
                {
                    return self.collect(target, &items[0].node.initializer, out);
                }
                self.collect_list(target, items, out)?;
                Ok(())
            }
            Ty::Record(r) => {
                if !self.types.records[*r].complete {
                    return type_error(span, "the struct or union is incomplete here");
                }
                self.collect_list(target, items, out)?;
                Ok(())
            }
            _ => match items.first() {
                Some(item) => self.collect(target, &item.node.initializer, out),
                None => Ok(()),
            },
        }
    }

    /// Takes a list for an aggregate apart; the answer is one more than the highest index at the top.
    fn collect_list<'e>(
        &mut self,
        target: &Place,
        items: &'e [Node<ast::InitializerListItem>],
        out: &mut Vec<Item<'e>>,
    ) -> Res<u64> {
        let mut frames = vec![Frame { place: target.clone(), index: 0 }];
        let mut length = 0;
        for item in items {
            let span = self.symbols.span(item);
            let mut repeat = 1;
            if item.node.designation.is_empty() {
                while self.types.part_count(frames.last().expect("the outermost frame stays")) == 0 {
                    if frames.len() == 1 {
                        break;
                    }
                    frames.pop();
                    self.types.advance(&mut frames);
                }
                let top = frames.last().expect("the outermost frame stays");
                if self.types.part_count(top) == 0 {
                    self.emitter.warn(span, "more initialisers than there are elements");
                    continue;
                }
            } else {
                repeat = self.designate(&mut frames, &item.node.designation, span)?;
            }
            for n in 0..repeat {
                if n > 0 {
                    self.types.advance(&mut frames);
                    let range = &item.node.initializer.node;
                    if let ast::Initializer::Expression(e) = range
                        && self.symbols.has_effects(&self.types, e)
                    {
                        return unsupported(span, "side effects in a range initialiser are not supported");
                    }
                }
                let mut depth = frames.len();
                if let ast::Initializer::Expression(e) = &item.node.initializer.node {
                    self.descend(&mut frames, e)?;
                }
                let part = self.types.part(frames.last().expect("the outermost frame stays"));
                self.collect(&part, &item.node.initializer, out)?;
                if repeat > 1 {
                    depth = depth.max(1);
                    frames.truncate(depth);
                }
                length = length.max(frames[0].index.saturating_add(1));
            }
            self.types.advance(&mut frames);
        }
        Ok(length)
    }

    /// Follows designators from the outermost frame; the answer is how many parts a range names.
    fn designate(&mut self, frames: &mut Vec<Frame>, path: &[Node<ast::Designator>], span: Span) -> Res<u64> {
        frames.truncate(1);
        let mut repeat = 1;
        for (n, designator) in path.iter().enumerate() {
            if n > 0 {
                let place = self.types.part(frames.last().expect("the outermost frame stays"));
                frames.push(Frame { place, index: 0 });
            }
            let frame = frames.last_mut().expect("the outermost frame stays");
            match (&designator.node, &frame.place.ty.ty) {
                (ast::Designator::Member(id), Ty::Record(r)) => {
                    let record = *r;
                    self.types.open_member(frames, record, &id.node.name, span)?;
                }
                (ast::Designator::Index(e), Ty::Array(..)) => frame.index = self.const_u64(e)?,
                (ast::Designator::Range(r), Ty::Array(..)) => {
                    let (from, to) = (self.const_u64(&r.node.from)?, self.const_u64(&r.node.to)?);
                    if to < from || to - from >= MAX_RANGE || n + 1 != path.len() {
                        return unsupported(span, "this range designator is not supported");
                    }
                    frame.index = from;
                    repeat = to - from + 1;
                }
                _ => return type_error(span, "the designator does not fit the type"),
            }
            let frame = frames.last().expect("the outermost frame stays");
            if self.types.part_count(frame) < repeat {
                return type_error(span, "the designator is outside of the array");
            }
        }
        Ok(repeat)
    }

    /// Opens frames until the next part can take the expression whole.
    fn descend(&mut self, frames: &mut Vec<Frame>, e: &Ast) -> Res<()> {
        loop {
            let part = self.types.part(frames.last().expect("the outermost frame stays"));
            let open = match &part.ty.ty {
                Ty::Array(_, Some(_)) => self.symbols.chars(&part.ty.ty, e)?.is_none(),
                Ty::Record(r) => {
                    let same = may_be_record(e) && self.type_of_expr(e)?.ty == part.ty.ty;
                    if !same && self.types.vector_type_of(&part.ty.ty).is_some() {
                        let at = self.symbols.span(e);
                        return self.types.refuse_vector(&[&part.ty.ty], at, "");
                    }
                    !same && !self.types.members[r.index()].is_empty()
                }
                _ => false,
            };
            if !open {
                return Ok(());
            }
            frames.push(Frame { place: part, index: 0 });
        }
    }
}

impl Emitter<'_> {
    /// A struct or union local that is not yet visible elsewhere: a call may write its result there.
    fn is_fresh_record(&self, target: &Place) -> bool {
        let Some(v) = target.lv.as_var() else { return false };
        let local = self.vars.get(v.index()).filter(|v| matches!(v.kind, ir::VarKind::Local(_)));
        // A constant would be initialised by the callee's writes.
        let local = local.filter(|v| v.constant.is_none());
        matches!(target.ty.ty, Ty::Record(_)) && local.is_some_and(|v| !self.fun.addressed.contains(&v.name))
    }
}

impl Symbols<'_> {
    /// The bytes and unit when the expression is a string literal that can initialise the array type.
    fn chars(&self, ty: &Ty, e: &Ast) -> Res<Option<(Vec<u8>, IntTy)>> {
        let (Ty::Array(elem, _), ast::Expression::StringLiteral(s)) = (ty, &e.node) else { return Ok(None) };
        let Some(unit) = elem.ty.as_int() else { return Ok(None) };
        let span = self.span(e);
        let (bytes, literal) = self.settings.string_bytes(&s.node, span)?;
        Ok((literal.bits == unit.bits).then_some((bytes, unit)))
    }
}

impl Types {
    /// Opens the frames that lead to a member.
    fn open_member(&self, frames: &mut Vec<Frame>, record: RecordId, name: &str, span: Span) -> Res<()> {
        let Some(steps) = self.find_member(record, name) else {
            return type_error(span, format!("there is no member `{}`", name));
        };
        for (k, (_, number)) in steps.iter().enumerate() {
            if k > 0 {
                let place = self.part(frames.last().expect("the outermost frame stays"));
                frames.push(Frame { place, index: 0 });
            }
            frames.last_mut().expect("a frame was pushed").index = u64::from(*number);
        }
        Ok(())
    }

    /// How many parts of a frame are left.
    fn part_count(&self, frame: &Frame) -> u64 {
        match &frame.place.ty.ty {
            Ty::Array(_, n) => n.unwrap_or(0).saturating_sub(frame.index),
            Ty::Record(r) => (self.members[r.index()].len() as u64).saturating_sub(frame.index),
            _ => 0,
        }
    }

    /// The next part of a frame.
    fn part(&self, frame: &Frame) -> Place {
        match &frame.place.ty.ty {
            Ty::Record(r) => self.step_member(frame.place.clone(), *r, frame.index as u32),
            _ => step_index(frame.place.clone(), Expr::int(i128::from(frame.index))),
        }
    }

    /// Goes to the next part of the innermost frame; a union has only one.
    fn advance(&self, frames: &mut [Frame]) {
        let Some(frame) = frames.last_mut() else { return };
        frame.index = match frame.place.ty.ty {
            Ty::Record(r) if self.records[r].is_union => self.members[r.index()].len() as u64,
            _ => frame.index + 1,
        };
    }
}

/// The expression that a list consists of: `{"text"}`.
fn only_expression(items: &[Node<ast::InitializerListItem>]) -> Option<&Ast> {
    match items {
        [item] if item.node.designation.is_empty() => match &item.node.initializer.node {
            ast::Initializer::Expression(e) => Some(e),
            ast::Initializer::List(_) => None,
        },
        _ => None,
    }
}

/// The zero of a scalar type.
pub(crate) fn zero(ty: &Ty, lowered: Type) -> Expr {
    match ty {
        Ty::Float(_) => Expr::Float(0f64.to_bits(), lowered),
        _ => Expr::Const(0, lowered),
    }
}

/// Whether the expression may have a struct or union as its value, by its syntax.
fn may_be_record(e: &Ast) -> bool {
    use ast::{BinaryOperator as B, Expression as E, UnaryOperator as U};
    match &e.node {
        E::Identifier(_)
        | E::Member(_)
        | E::Call(_)
        | E::CompoundLiteral(_)
        | E::Conditional(_)
        | E::Comma(_)
        | E::Statement(_)
        | E::Cast(_)
        | E::GenericSelection(_) => true,
        E::UnaryOperator(u) => u.node.operator.node == U::Indirection,
        E::BinaryOperator(b) => matches!(b.node.operator.node, B::Index | B::Assign),
        _ => false,
    }
}
