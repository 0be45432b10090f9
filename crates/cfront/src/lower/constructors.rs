//! Functions with the attributes `constructor` and `destructor`: they run before the entry function, and when the
//! program ends by `exit` or by a return from it.

use crate::error::{Res, unsupported};
use crate::lower::context::{Emitter, Symbols};
use crate::lower::scope::{FnId, Function};
use base::Span;

impl Emitter<'_> {
    /// Lowers the constructors and destructors of all files.
    pub(crate) fn reach_structors(&mut self, symbols: &mut Symbols<'_>) -> Res<()> {
        for (which, called) in
            [(constructor as Priority, "constructor"), (destructor as Priority, "destructor")]
        {
            let all = symbols.structors(which);
            for pair in all.windows(2) {
                let [first, second] = [&symbols.functions[pair[0]], &symbols.functions[pair[1]]];
                if which(first) == which(second) {
                    let message = format!(
                        "the order in which `{}` and this {called} run is open; they are taken in the order of their definitions",
                        first.name
                    );
                    let span = second.span;
                    self.warn(span, message);
                }
            }
            for f in all {
                if !symbols.functions[f].ty.params.is_empty() {
                    let message = format!("a {called} with parameters is not supported");
                    return unsupported(symbols.functions[f].span, message);
                }
                self.proc_of(symbols, f);
            }
        }
        Ok(())
    }

    /// Calls the constructors, lowest priority first.
    pub(crate) fn run_constructors(&mut self, symbols: &mut Symbols<'_>) {
        for f in symbols.structors(constructor) {
            let span = symbols.functions[f].span;
            self.call_structor(symbols, f, span);
        }
    }

    /// Calls the destructors, in the opposite order.
    pub(crate) fn run_destructors(&mut self, symbols: &mut Symbols<'_>, span: Span) {
        for f in symbols.structors(destructor).into_iter().rev() {
            self.call_structor(symbols, f, span);
        }
    }

    fn call_structor(&mut self, symbols: &mut Symbols<'_>, f: FnId, span: Span) {
        let proc = self.proc_of(symbols, f);
        let ty = symbols.functions[f].ty.clone();
        // Its result is discarded.
        let args = match ty.returns_record() {
            true => vec![self.temp(ty.ret.ty.lower(), span).addr()],
            false => vec![],
        };
        self.call_internally(proc, args, span);
    }
}

impl Symbols<'_> {
    /// The functions with a priority, by it and by the place of their definition.
    fn structors(&self, which: Priority) -> Vec<FnId> {
        let has = |f: &FnId| which(&self.functions[*f]).is_some();
        let mut all: Vec<FnId> = (0..self.functions.len()).filter(has).collect();
        all.sort_by_key(|f| {
            let function = &self.functions[*f];
            (which(function), function.file, function.def.map_or(usize::MAX, |def| def.span.start))
        });
        all
    }
}

type Priority = fn(&Function<'_>) -> Option<u64>;

fn constructor(function: &Function<'_>) -> Option<u64> {
    function.constructor
}

fn destructor(function: &Function<'_>) -> Option<u64> {
    function.destructor
}
