//! Selects the events of an expression that have to be put in order, and the order that C requires.

use super::bits::Bits;
use super::events::{Event, Kind, Open, Walk};
use super::scan;
use crate::error::Res;
use crate::lower::context::{Context, Symbols};
use crate::lower::expr::Ast;
use crate::options::EvaluationOrder;
use base::Span;
use lang_c::ast;

/// At most this many events of one expression are put in order.
const MAX_EVENTS: usize = 64;

/// The work to be done before an expression is lowered.
pub(super) enum Plan<'e> {
    Nothing,
    /// The execution is undefined.
    Undefined(Span),
    Refused(Span, String),
    Explore(Schedule<'e>),
}

/// Events to be evaluated first, and their order.
pub(super) struct Schedule<'e> {
    /// In the order of their numbers.
    pub(super) events: Vec<(Kind, &'e Ast)>,
    /// For each, the events that are sequenced before it.
    pub(super) before: Vec<u64>,
    /// For each, those whose order to it is open and may show.
    pub(super) conflicts: Vec<u64>,
}

/// Two events whose order may show.
type Pair = (usize, usize);

impl Context<'_> {
    /// The plan for an expression.
    pub(super) fn plan<'e>(&mut self, e: &'e Ast, changed: bool) -> Res<Plan<'e>> {
        self.order.find_addressed(&self.symbols);
        let mut walk = Walk::new(self);
        walk.changed = changed && walk.is_gcc();
        walk.value(e);
        let Walk { events, open, again, .. } = walk;
        if let Some(n) = undefined(&events) {
            return Ok(Plan::Undefined(self.symbols.span(events[n].node)));
        }
        for (object, read, between) in again {
            if events[between].iter().any(|event| event.touch.depends(&read)) {
                let message = "this object is read once more by gcc when the operands that may change it have been \
                               evaluated, which is not supported";
                return Ok(Plan::Refused(self.symbols.span(object), message.into()));
            }
        }
        Ok(self.symbols.plan_of(&events, &open, |a, b| !(a.kind.is_direct() && b.kind.is_direct())))
    }

    /// The plan for items that are evaluated one after the other.
    pub(super) fn plan_items<'e>(&mut self, items: &[&'e Ast]) -> Res<Plan<'e>> {
        self.order.find_addressed(&self.symbols);
        let mut events: Vec<Event<'e>> = vec![];
        for item in items {
            let mut walk = Walk::new(self);
            walk.whole(item);
            events.append(&mut walk.events);
        }
        Ok(self.symbols.plan_of(&events, &[], |_, _| true))
    }
}

impl Symbols<'_> {
    fn plan_of<'e>(
        &self,
        events: &[Event<'e>],
        either: &[Open],
        open: impl Fn(&Event<'_>, &Event<'_>) -> bool,
    ) -> Plan<'e> {
        let pairs = conflicts(events, open);
        if pairs.is_empty() {
            return Plan::Nothing;
        }
        // gcc evaluates nothing between the pieces of an operand.
        let gcc = self.settings.options.evaluation_order == EvaluationOrder::Gcc;
        if !gcc && let Some((a, b)) = pairs.iter().find(|(a, b)| interleaves(&events[*a], &events[*b])) {
            let branch = if events[*a].ways.is_empty() { b } else { a };
            let message = "the order in which parts of this operand and other operands are evaluated is open, and \
                           not explored";
            return Plan::Refused(self.span(events[*branch].node), message.into());
        }
        let chosen = chosen(events, &pairs);
        if let Some(n) = chosen.iter().find(|n| scan::declares(events[**n].node)) {
            let message = "the order of evaluation is open, and this operand has labels or variables that cannot \
                           be lowered for each order";
            return Plan::Refused(self.span(events[*n].node), message.into());
        }
        if chosen.len() > MAX_EVENTS {
            let at = self.span(events[chosen[0]].node);
            return Plan::Refused(at, too_many());
        }
        let place = |n: usize| chosen.iter().position(|c| *c == n);
        let mask =
            |set: &mut dyn Iterator<Item = usize>| set.filter_map(place).fold(0u64, |mask, n| mask | 1 << n);
        let is_open =
            |a: usize, b: usize| either.iter().any(|(left, right)| left.contains(&a) && right.contains(&b));
        let before = |n: usize| {
            let all = (0..n).filter(|m| gcc && !is_open(*m, n));
            mask(&mut events[n].before.iter().chain(all))
        };
        let before = chosen.iter().map(|n| before(*n)).collect();
        let conflicting = |n: usize| {
            mask(&mut pairs.iter().filter_map(
                |(a, b)| {
                    if *a == n { Some(*b) } else { (*b == n).then_some(*a) }
                },
            ))
        };
        Plan::Explore(Schedule {
            events: chosen.iter().map(|n| (events[*n].kind, events[*n].node)).collect(),
            before,
            conflicts: chosen.iter().map(|n| conflicting(*n)).collect(),
        })
    }
}

/// The message about an expression with too many orders.
pub(super) fn too_many() -> String {
    "the operands of this expression can be evaluated in too many orders".into()
}

/// Neither is sequenced before the other (numbers grow with the order).
fn unsequenced(events: &[Event<'_>], a: usize, b: usize) -> bool {
    !events[a.max(b)].before.contains(a.min(b))
}

/// Whether a side effect, of the second or of both, is unsequenced to the other event.
fn races(events: &[Event<'_>], a: usize, b: usize) -> bool {
    let (first, last) = (a.min(b), a.max(b));
    match events[first].kind {
        Kind::Step | Kind::Store => !events[last].complete.contains(first),
        _ => !events[last].before.contains(first),
    }
}

/// A side effect on a scalar that is unsequenced to another one on the same, or to a read of it (C11 6.5p2).
fn undefined(events: &[Event<'_>]) -> Option<usize> {
    let writes = |e: &Event<'_>| matches!(e.kind, Kind::Step | Kind::Store);
    let direct = |n: &usize| events[*n].kind.is_direct() && events[*n].exact.is_some();
    let direct: Vec<usize> = (0..events.len()).filter(direct).collect();
    let written: Vec<usize> = direct.iter().copied().filter(|n| writes(&events[*n])).collect();
    written.into_iter().find(|w| {
        direct.iter().any(|n| {
            n != w
                && events[*n].exact == events[*w].exact
                && races(events, *n, *w)
                && !stores_the_same(&events[*n], &events[*w])
        })
    })
}

/// `x = x = e`, which is undefined as well, and stores one value in any order.
fn stores_the_same(a: &Event<'_>, b: &Event<'_>) -> bool {
    let is_right_side = |inner: &Event<'_>, outer: &Event<'_>| {
        matches!(&outer.node.node, ast::Expression::BinaryOperator(b)
            if b.node.operator.node == ast::BinaryOperator::Assign && std::ptr::eq(&raw const *b.node.rhs, inner.node))
    };
    a.kind == Kind::Store && b.kind == Kind::Store && (is_right_side(a, b) || is_right_side(b, a))
}

/// The pairs of events whose order may show.
fn conflicts(events: &[Event<'_>], open: impl Fn(&Event<'_>, &Event<'_>) -> bool) -> Vec<Pair> {
    let acts: Vec<usize> = (0..events.len()).filter(|n| events[*n].kind != Kind::Load).collect();
    let mut pairs = vec![];
    for a in acts {
        for b in 0..events.len() {
            let again = b <= a && events[b].kind != Kind::Load;
            if again || a == b || !unsequenced(events, a, b) || !open(&events[a], &events[b]) {
                continue;
            }
            if events[a].touch.conflicts(&events[b].touch) {
                pairs.push((a.min(b), a.max(b)));
            }
        }
    }
    pairs
}

/// Whether one of the two could come between pieces of the other that it conflicts with.
fn interleaves(a: &Event<'_>, b: &Event<'_>) -> bool {
    let split = |whole: &Event<'_>, other: &Event<'_>| {
        whole.ways.iter().any(|way| way.iter().filter(|piece| piece.conflicts(&other.touch)).count() > 1)
    };
    split(a, b) || split(b, a)
}

/// The events that are evaluated first: those of the pairs, and those that must come before them.
fn chosen(events: &[Event<'_>], pairs: &[Pair]) -> Vec<usize> {
    let mut chosen = Bits::default();
    let mut todo: Vec<usize> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
    while let Some(n) = todo.pop() {
        if chosen.contains(n) {
            continue;
        }
        chosen.insert(n);
        let event = &events[n];
        todo.extend(event.needs.iter());
        let earlier = event.before.iter().filter(|m| events[*m].touch.conflicts(&event.touch));
        todo.extend(earlier);
    }
    chosen.iter().collect()
}
