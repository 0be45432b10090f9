//! The arguments of the entry function. `main` gets a number and as many strings, with NULL behind them, when
//! it uses them; all other parameters get any value.

use crate::error::{Res, unsupported};
use crate::lower::context::{Emitter, Symbols};
use crate::lower::scope::{FnId, Function};
use crate::types::ty::{IntTy, Ty};
use base::Span;
use ir::visit;
use ir::{Base, BinOp, Callee, Expr, HavocKind, Op, ProcId, StartInput, Type};
pub(crate) use passes::argument_strings::ARGUMENTS;

impl Emitter<'_> {
    /// Lowers the model that makes the strings, when `main`, which is lowered, uses them.
    pub(crate) fn wants_strings(&mut self, symbols: &mut Symbols<'_>, entry: FnId) -> bool {
        let function = symbols.functions[entry].clone();
        let wanted = (1..function.ty.params.len()).any(|n| self.takes_strings(&function, n));
        if let Some(model) = symbols.models.get(ARGUMENTS).copied().filter(|_| wanted) {
            self.proc_of(symbols, model);
        }
        wanted
    }

    /// Whether the parameter is one of `main`'s for strings, and its body mentions one of these.
    fn takes_strings(&self, function: &Function<'_>, n: usize) -> bool {
        let character = |ty: &Ty| matches!(ty, Ty::Int(i) if i.bits == 8);
        let strings = |ty: &Ty| ty.pointee().and_then(|p| p.ty.pointee()).is_some_and(|p| character(&p.ty));
        function.name == "main"
            && (1..=2).contains(&n)
            && function.ty.params[0].ty == Ty::Int(IntTy::INT)
            && strings(&function.ty.params[n].ty)
            && function.proc.is_some_and(|proc| (1..=2).any(|n| self.mentions_formal(proc, n)))
    }

    fn mentions_formal(&self, proc: ProcId, n: usize) -> bool {
        let Some(formal) = self.procs[proc].formals.get(n).copied() else { return false };
        let mut found = false;
        for edge in &self.procs[proc].edges {
            found |= edge.op.destination().is_some_and(|lv| matches!(lv.base, Base::Var(v) if v == formal));
            visit::nodes(&edge.op, &mut |node| {
                let (Expr::Load(lv) | Expr::AddrOf(lv)) = node else { return };
                found |= matches!(lv.base, Base::Var(v) if v == formal);
            });
        }
        found
    }

    /// The arguments of the entry function, made by the start procedure.
    pub(crate) fn entry_arguments(
        &mut self,
        symbols: &mut Symbols<'_>,
        function: &Function<'_>,
    ) -> Res<Vec<Expr>> {
        let span = function.span;
        let mut args: Vec<Expr> = vec![];
        for (n, param) in function.ty.params.iter().enumerate() {
            if !param.ty.is_scalar() {
                return unsupported(span, "the entry function has a parameter that is no scalar");
            }
            if self.takes_strings(function, n) {
                let count = match n {
                    1 => args[0].clone(),
                    _ => self.any_count(StartInput::EnvironmentLength, 0, span),
                };
                args.push(self.strings(symbols, count, &param.ty.lower(), span));
            } else if n == 0 && function.name == "main" && param.ty == Ty::Int(IntTy::INT) {
                args.push(self.any_count(
                    StartInput::Argument(1),
                    self.settings.options.least_arguments,
                    span,
                ));
            } else {
                let kind = HavocKind::Start(StartInput::Argument(n as u32 + 1));
                args.push(self.havoc_temp(param.ty.lower(), kind, span));
            }
        }
        Ok(args)
    }

    fn any_count(&mut self, what: StartInput, least: u32, span: Span) -> Expr {
        let e = self.havoc_temp(Type::INT, HavocKind::Start(what), span);
        let enough = Expr::binary(BinOp::Ge, e.clone(), Expr::int(least.into()));
        self.internal(Op::Assume(enough), span);
        e
    }

    /// A list of `count` strings, made by the model.
    fn strings(&mut self, symbols: &mut Symbols<'_>, count: Expr, ty: &Type, span: Span) -> Expr {
        let model = symbols.models.get(ARGUMENTS).copied().expect("its file is read with every program");
        let result = symbols.functions[model].ty.ret.ty.lower();
        let dest = self.temp(result, span);
        let callee = Callee::Direct(self.proc_of(symbols, model));
        self.internal(Op::Call { dest: Some(dest.clone()), callee, args: vec![count] }, span);
        if dest.ty == *ty { dest.load() } else { dest.load().cast(ty.clone()) }
    }
}
