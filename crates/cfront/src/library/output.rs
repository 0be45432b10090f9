//! Functions with an effect outside of the program: what it prints, and the status it leaves. Each becomes an
//! [`Op::Output`] beside its arbitrary result; analyses ignore it, the interpreter shows it.

use crate::error::Res;
use crate::lower::context::Context;
use crate::lower::expr::Ast;
use crate::lower::scope::FnId;
use crate::types::ty::Ty;
use base::Span;
use ir::{Expr, Op};
use lang_c::ast;

/// The positions of the arguments of an output function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Output {
    /// The function by its plain name, without the prefixes and suffixes of its variants.
    pub(crate) function: &'static str,
    /// The number of the argument that is a stream.
    stream: Option<usize>,
    /// The number of an argument that only the checking variant has.
    flag: Option<usize>,
}

/// The output function of this name.
pub(crate) fn output_function(name: &str) -> Option<Output> {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let (plain, checked) = match name.strip_prefix("__").and_then(|n| n.strip_suffix("_chk")) {
        Some(plain) => (plain, true),
        None => (name.strip_suffix("_unlocked").unwrap_or(name), false),
    };
    let (function, stream) = match plain {
        "printf" => ("printf", None),
        "fprintf" => ("fprintf", Some(0)),
        "dprintf" => ("dprintf", None),
        "vprintf" => ("vprintf", None),
        "vfprintf" => ("vfprintf", Some(0)),
        "vdprintf" => ("vdprintf", None),
        "puts" => ("puts", None),
        "fputs" => ("fputs", Some(1)),
        "putchar" => ("putchar", None),
        "fputc" => ("fputc", Some(1)),
        "putc" | "_IO_putc" => ("putc", Some(1)),
        "write" => ("write", None),
        "fwrite" => ("fwrite", Some(3)),
        "perror" => ("perror", None),
        _ => return None,
    };
    let flag = match (checked, function) {
        (false, _) => None,
        (true, "printf" | "vprintf") => Some(0),
        (true, "fprintf" | "dprintf" | "vfprintf" | "vdprintf") => Some(1),
        (true, _) => return None,
    };
    Some(Output { function, stream, flag })
}

impl Context<'_> {
    /// Evaluates the arguments, and shows them.
    pub(crate) fn output(
        &mut self,
        output: Output,
        f: Option<FnId>,
        c: &ast::CallExpression,
        span: Span,
    ) -> Res<()> {
        let (mut args, mut all) = (vec![], vec![]);
        for (n, argument) in c.arguments.iter().enumerate() {
            let later: Vec<&Ast> = c.arguments[n + 1..].iter().collect();
            let at = self.symbols.span(argument);
            if output.stream == Some(n)
                && let Some(number) = standard_stream(argument)
            {
                args.push(Expr::int(number));
                all.push(None);
                continue;
            }
            let e = self.promoted_argument(argument)?;
            let kept = self.emitter.keep(&self.types, &self.symbols, e, &later, at);
            if output.flag != Some(n) {
                all.push(Some(kept.clone()));
                args.push(kept);
            }
        }
        if output.flag.is_some() {
            // The contract counts the arguments of the plain function.
            self.accesses(&format!("__{}_chk", output.function), f, c, &all, span)?;
        } else {
            self.accesses(output.function, f, c, &all, span)?;
        }
        self.emitter.statement(ir::Output::Visible(output.function.into()).op(args), span);
        Ok(())
    }

    /// Evaluates the status that `exit` and its relatives leave. The result reports it, or that `abort` was
    /// called; it is to stand behind what runs at the end.
    pub(crate) fn end(&mut self, name: &str, c: &ast::CallExpression, span: Span) -> Res<Option<Op>> {
        let name = name.strip_prefix("__builtin_").unwrap_or(name);
        let (function, args) = match (name, &c.arguments[..]) {
            ("unreachable", _) => return self.discard_all(&c.arguments).map(|()| None),
            ("pthread_exit" | "thrd_exit", _) => {
                self.discard_all(&c.arguments)?;
                ("exit", vec![Expr::int(0)])
            }
            ("exit" | "_exit" | "_Exit" | "quick_exit", [status]) => {
                let status = self.value_to(status, &Ty::INT)?;
                (name, vec![self.emitter.spill(status, span)])
            }
            _ => {
                self.discard_all(&c.arguments)?;
                ("abort", vec![])
            }
        };
        Ok(Some(ir::Output::Visible(function.into()).op(args)))
    }
}

/// Whether the expression names a standard stream, which is never NULL.
pub(crate) fn is_standard(e: &Ast) -> bool {
    matches!(&e.node, ast::Expression::Identifier(id) if is_stream(&id.node.name))
}

/// Whether this is the name of a standard stream.
pub(crate) fn is_stream(name: &str) -> bool {
    matches!(name, "stdin" | "stdout" | "stderr")
}

/// The number of the standard stream that the expression names.
fn standard_stream(e: &Ast) -> Option<i128> {
    match &e.node {
        ast::Expression::Identifier(id) => match id.node.name.as_str() {
            "stdout" => Some(1),
            "stderr" => Some(2),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_have_one_name() {
        let name = |n| output_function(n).map(|o| (o.function, o.stream, o.flag));
        assert_eq!(name("printf"), Some(("printf", None, None)));
        assert_eq!(name("__builtin_printf"), Some(("printf", None, None)));
        assert_eq!(name("__fprintf_chk"), Some(("fprintf", Some(0), Some(1))));
        assert_eq!(name("putc_unlocked"), Some(("putc", Some(1), None)));
        assert_eq!(name("__memcpy_chk"), None);
        assert_eq!(name("strlen"), None);
    }
}
