//! The state of the lowering, in parts. A function lists the parts that it uses as parameters; it takes the whole
//! [`Context`] only where it lowers expressions or statements, which may need all of them.

mod emitter;
mod evaluation;
mod library_objects;
mod report;
mod settings;
mod symbols;

pub(crate) use emitter::{Emitter, StaticInit};
pub(crate) use evaluation::Evaluation;
pub(crate) use library_objects::LibraryObjects;
pub(crate) use report::Report;
pub(crate) use settings::{Settings, Uses};
pub(crate) use symbols::Symbols;

use crate::error::{FailureKind, Res};
use crate::lower::order::Order;
use crate::syntax::parse::Parsed;
use crate::types::table::Types;
use base::SourceMap;

/// The state of the lowering.
pub(crate) struct Context<'a> {
    pub(crate) settings: Settings<'a>,
    pub(crate) types: Types,
    pub(crate) symbols: Symbols<'a>,
    pub(crate) emitter: Emitter<'a>,
    pub(crate) evaluation: Evaluation,
    pub(crate) order: Order,
}

impl<'a> Context<'a> {
    /// The state before anything is declared. The files behind the first `own` are stubs of the user's, and those
    /// behind the first `without_models` models of the library.
    pub(crate) fn new(
        settings: Settings<'a>,
        parsed: &'a [Parsed],
        (own, without_models): (usize, usize),
        sources: &'a SourceMap,
    ) -> Context<'a> {
        Context {
            settings,
            types: Types::new(settings.model),
            symbols: Symbols::new(settings, parsed, (own, without_models), sources),
            emitter: Emitter::new(settings),
            evaluation: Evaluation::default(),
            order: Order::default(),
        }
    }

    /// Lowers a statement, or a part of one that is always run as a whole, in whose inside no label stands. When
    /// it is refused, what was emitted for it is taken back, and reaching it is not modelled.
    pub(crate) fn or_unmodelled(&mut self, lower: impl FnOnce(&mut Self) -> Res<()>) -> Res<()> {
        let (mark, blocks) = (self.emitter.mark(), self.symbols.scopes.blocks.len());
        let Err(stop) = lower(self) else { return Ok(()) };
        let (FailureKind::Unsupported, 0) = (stop.kind, self.emitter.dry) else { return Err(stop) };
        let Some((message, span)) = stop.diagnostics.first().and_then(|d| Some((d.message.clone(), d.span?)))
        else {
            return Err(stop);
        };
        self.emitter.take_back(mark);
        self.symbols.scopes.blocks.truncate(blocks);
        self.emitter.unmodelled(message, span);
        Ok(())
    }

    /// Runs `f` for its answer alone: whatever it emits and makes is thrown away.
    pub(crate) fn dry<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let objects = self.symbols.objects.len();
        let before = self.emitter.begin_dry();
        let answer = f(self);
        self.emitter.end_dry(before);
        self.symbols.objects.truncate(objects);
        answer
    }
}
