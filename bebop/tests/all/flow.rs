//! Flow-sensitive values against the explicit twin: they allow every state that it reaches. And where they lose what
//! paths know, and where not.

use bebop::{ValueList, flow_sensitive};
use bp::random::{Choices, Shape, program};
use bp::{Cfg, print};
use check::explicit::Explicit;
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;

static RUN: AtomicBool = AtomicBool::new(false);

fn loses(cfg: &Cfg) -> Option<String> {
    let twin = Explicit::new(cfg);
    let flow = flow_sensitive(cfg, &RUN).expect("nothing stops it");
    for v in cfg.vertices.ids().filter(|v| twin.is_reached(*v)) {
        let Some(values) = flow.values(v) else { return Some(format!("{v} is reached")) };
        for state in twin.states(v) {
            let fits = |(i, (_, value)): (usize, &(bp::VarId, Option<bool>))| {
                value.is_none_or(|value| value == (state >> i & 1 == 1))
            };
            if !values.iter().enumerate().all(fits) {
                return Some(format!("{v}: {state:b} is reached, not only {values:?}"));
            }
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_state_is_lost(numbers in prop::collection::vec(any::<u16>(), 0..250)) {
        let p = program(&mut Choices::new(&numbers), Shape::default());
        let (cfg, _) = Cfg::build(&p, None).expect("random programs are well-formed");
        prop_assert_eq!(loses(&cfg), None, "{}", print(&p));
    }
}

/// The values at the label `L`, in the order of declarations: `1`, `0` or `*`; nothing when it is not reached.
fn at_label(text: &str) -> String {
    let mut sources = base::SourceMap::new();
    let file = sources.add("x.bp", Some(text.into()));
    let (p, _) = bp::parse(text, file, bp::Dialect::Strict).expect("the text is a program");
    let (cfg, _) = Cfg::build(&p, None).expect("the text is a program");
    let flow = flow_sensitive(&cfg, &RUN).expect("nothing stops it");
    let values: ValueList = flow.values(cfg.find_label("L")[0]).unwrap_or_default();
    let digit = |value: &Option<bool>| value.map_or('*', |value| if value { '1' } else { '0' });
    values.iter().map(|(_, value)| digit(value)).collect()
}

#[test]
fn variables_are_looked_at_by_themselves_where_paths_meet() {
    let branches = "void main() begin decl p, q; if (!p) then q := p; fi
        if (!p) then L: skip; fi end";
    assert_eq!(at_label(branches), "0*");
    assert_eq!(at_label("decl a, b; void main() begin assume(a & !b); L: skip; end"), "10");
    assert_eq!(at_label("decl a, b; void main() begin assume(a = b); assume(a); L: skip; end"), "1*");
}

#[test]
fn callers_keep_what_callees_do_not_modify() {
    let calls = "decl a, b; void main() begin a, b := 1, 0; f(); a := 0; f(); L: skip; end
        void f() begin b := 1; end";
    assert_eq!(at_label(calls), "01");
    let results = "decl a, b; void main() begin a := g(1); b := g(1); L: skip; end
        bool g(x) begin return !x; end";
    assert_eq!(at_label(results), "00");
    assert_eq!(at_label("void main() begin f(); L: skip; end void f() begin f(); end"), "");
}

#[test]
fn constraints_are_looked_into() {
    let constrained = "decl a, b; void main() begin a, b := *, * constrain 'a & !'b; L: skip; end";
    assert_eq!(at_label(constrained), "10");
    assert_eq!(at_label("decl a; void main() enforce a; begin skip; L: skip; end"), "1");
}
