//! `sprintf` and `snprintf`: the text made from a format.
//!
//! Proofs know bounds on its length, and that its characters are any; the interpreter makes it (see
//! [`Output::MakesText`]). The demand for room uses its real length.

use crate::library::formats::text_length;
use crate::lower::context::{Emitter, Symbols};
use crate::lower::expr::{Ast, Val};
use crate::types::ty::{IntTy, Ty};
use base::Span;
use ir::{BinOp, Callee, Expr, HavocKind, LibraryAccess, Op, Output, TextPart, Type};

/// The positions of the arguments of a function that makes a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MadeText {
    /// The function.
    name: &'static str,
    /// The size of the room, if that is an argument.
    room: Option<usize>,
    /// The format.
    format: usize,
    /// The model that writes the text.
    model: &'static str,
}

/// The models that write texts.
pub(crate) const MODELS: [&str; 2] = ["slam_sprintf", "slam_snprintf"];

/// The function of this name that makes a text.
pub(crate) fn makes_text(name: &str) -> Option<MadeText> {
    match name {
        "sprintf" => Some(MadeText { name: "sprintf", room: None, format: 1, model: MODELS[0] }),
        "snprintf" => Some(MadeText { name: "snprintf", room: Some(1), format: 2, model: MODELS[1] }),
        _ => None,
    }
}

impl Emitter<'_> {
    /// Makes and writes the text of a call with these arguments; its length.
    pub(crate) fn make_text(
        &mut self,
        symbols: &mut Symbols<'_>,
        text: MadeText,
        args: &[Expr],
        asts: &[Ast],
        span: Span,
    ) -> Val {
        let [to, ..] = args else { panic!("the model's type asks for the arguments") };
        let shown = args[text.format..].to_vec();
        self.internal(Output::MakesText.op(shown), span);
        let length = self.havoc_temp(Type::INT, HavocKind::Made(TextPart::Length, text.name.into()), span);
        let literal = |n: usize| {
            asts.get(n).and_then(crate::library::models::literal_units).map(|units| units.len() as u64)
        };
        let directives =
            asts.get(text.format).and_then(crate::library::models::literal_units).map(text_length::printed);
        let (least, most) =
            directives.map_or((0, None), |d| text_length::lengths(&d, text.format + 1, &literal));
        let most = most.and_then(|most| i32::try_from(most).ok());
        let compared = |op, bound: i128| Expr::binary(op, length.clone(), Expr::int(bound));
        let enough = compared(BinOp::Ge, least.min(i32::MAX as u64).into());
        let possible = match most {
            Some(most) => Expr::and(enough, compared(BinOp::Le, most.into())),
            // Text that cannot be encoded, or is longer than an `int` can express, is not made.
            None => Expr::or(enough, compared(BinOp::Eq, -1)),
        };
        self.internal(Op::Assume(possible), span);
        let size = Type::Int(self.settings.size_ty().lower());
        let long = Type::Int(IntTy::long(self.settings.model).lower());
        let bytes = Expr::binary(BinOp::Add, length.clone().cast(size.clone()), Expr::Const(1, size.clone()));
        let room = text.room.map(|n| args[n].clone().cast(size.clone()));
        let written: Vec<Expr> = [&bytes].into_iter().chain(&room).cloned().collect();
        self.made_apart(text.format, args, asts, &written, span);
        if self.settings.checks_memory() {
            match &room {
                None => self.access(LibraryAccess::Writes, vec![to.clone(), bytes], span),
                Some(room) if room.is_zero() => {}
                Some(Expr::Const(room, _)) if most.is_some_and(|most| i128::from(most) < *room) => {
                    self.access(LibraryAccess::Writes, vec![to.clone(), bytes], span);
                }
                Some(Expr::Const(given, _)) if *given <= i128::from(least) => {
                    let room = Expr::Const(*given, size.clone());
                    self.access(LibraryAccess::Writes, vec![to.clone(), room], span);
                }
                Some(room) => {
                    // The smaller of the two, which is none where the room is none.
                    let written = self.temp(size.clone(), span);
                    self.internal(Op::Assign(written.clone(), bytes.clone()), span);
                    let (fits, join) = (self.fun.new_loc(), self.fun.new_loc());
                    self.fork(Expr::binary(BinOp::Le, bytes, room.clone()), fits, span);
                    self.internal(Op::Assign(written.clone(), room.clone()), span);
                    self.fun.enter(fits, span);
                    self.fork(Expr::binary(BinOp::Eq, room.clone(), Expr::Const(0, size)), join, span);
                    self.access(LibraryAccess::Writes, vec![to.clone(), written.load()], span);
                    self.fun.enter(join, span);
                }
            }
        }
        let model = symbols.models.get(text.model).copied();
        let model = model.expect("the file that defines it is read with the function's own model");
        let mut given = vec![to.clone().cast(Ty::Int(IntTy::CHAR).lower().ptr_to())];
        given.extend(room);
        given.push(length.clone().cast(long));
        let callee = Callee::Direct(self.proc_of(symbols, model));
        self.statement(Op::Call { dest: None, callee, args: given }, span);
        Val { e: length, ty: Ty::INT }
    }
}
