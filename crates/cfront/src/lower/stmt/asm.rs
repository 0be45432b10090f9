//! `asm` statements.

use super::Stmt;
use crate::error::{Res, unsupported};
use crate::lower::context::{Context, Emitter};
use crate::lower::expr::{Ev, Place};
use base::Span;
use ir::{Callee, Expr, HavocKind, Op, Origin};
use lang_c::ast;
use lang_c::span::Node;

impl Context<'_> {
    pub(super) fn asm(&mut self, a: &ast::AsmStatement, s: &Stmt) -> Res<()> {
        let span = self.symbols.span(s);
        let empty = |parts: &[String]| parts.iter().all(|p| p.trim_matches('"').trim().is_empty());
        match a {
            ast::AsmStatement::GnuBasic(text) => {
                if !empty(&text.node) {
                    self.emitter.asm_writes(vec![], span);
                    self.emitter
                        .warn(span, "`asm` without operands is taken to write nothing but what has escaped");
                }
                Ok(())
            }
            ast::AsmStatement::GnuExtended(x) => {
                let clobbers = x.clobbers.iter().any(|c| c.node.iter().any(|p| p == "\"memory\""));
                let trivial = empty(&x.template.node);
                let mut pointers = vec![];
                for operand in &x.inputs {
                    pointers.extend(self.asm_operand(operand)?);
                }
                let mut outputs = vec![];
                for operand in &x.outputs {
                    let place = self.place(&operand.node.variable_name)?;
                    let indirect = matches!(place.lv.base, ir::Base::Deref(_));
                    if !place.ty.ty.is_scalar() {
                        return unsupported(span, "the operands of this `asm` are not supported");
                    }
                    let value = place.lv.clone().load();
                    pointers.extend(place.ty.ty.pointee().is_some().then_some(value));
                    pointers.extend(indirect.then(|| place.lv.clone().addr()));
                    outputs.push(place);
                }
                self.emitter.asm_effects((trivial, clobbers), pointers, outputs, span);
                Ok(())
            }
        }
    }

    /// An input of `asm`: the pointer that it is, or to the memory operand.
    fn asm_operand(&mut self, operand: &Node<ast::GnuAsmOperand>) -> Res<Option<Expr>> {
        let memory = operand.node.constraints.node.iter().any(|c| c.contains(['m', 'o', 'V', 'X', 'g']));
        let e = &operand.node.variable_name;
        if memory && let Ev::Place(p) = self.eval(e)? {
            return Ok((!p.bit_field).then(|| p.lv.addr()));
        }
        let v = self.value(e)?;
        Ok(v.ty.pointee().is_some().then_some(v.e))
    }
}

impl Emitter<'_> {
    /// What `asm` changes: its outputs, and memory where it says so. Trivial is one without instructions.
    fn asm_effects(
        &mut self,
        (trivial, clobbers): (bool, bool),
        pointers: Vec<Expr>,
        outputs: Vec<Place>,
        span: Span,
    ) {
        if clobbers && !trivial {
            self.asm_writes(pointers, span);
        }
        for place in outputs {
            let kind = HavocKind::Unmodelled("asm".into());
            self.statement(Op::Havoc(place.lv, kind), span);
        }
        if !trivial {
            self.warn(span, "`asm` makes its outputs and the memory it names arbitrary, nothing else");
        }
    }

    /// `asm` may write what its pointers reach, and everything else that an undefined function may write.
    fn asm_writes(&mut self, pointers: Vec<Expr>, span: Span) {
        let callee = Callee::Direct(self.outside("asm", Origin::Foreign, span));
        self.statement(Op::Call { dest: None, callee, args: pointers }, span);
    }
}
