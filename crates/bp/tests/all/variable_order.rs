//! The static order of variables: what belongs together stands together, also where no statement says that it does.

use base::SourceMap;
use bp::analysis::VariableOrder;
use bp::{Cfg, Dialect, parse};

/// Processes that are "started" and "ran", one procedure each; all are set up together and asked about together, first the one
/// and then the other. The two variables of a process depend on each other, and the line has to weave them.
#[test]
fn variables_of_one_process_stand_side_by_side() {
    let count = 12;
    let list = |name: &str| (0..count).map(|i| format!("{name}{i}")).collect::<Vec<_>>().join(", ");
    let each = |text: &dyn Fn(usize) -> String| (0..count).map(text).collect::<String>();
    let text = format!(
        "decl {}, {};\nvoid main() begin\n{}{}while (*) do\n{}od;\n{}end\n{}",
        list("ran"),
        list("started"),
        each(&|i| format!("  ran{i} := 0;\n")),
        each(&|i| format!("  started{i} := 0;\n")),
        each(&|i| format!("  if (started{i}) then if (*) then started{i} := 0; step{i}(); fi fi\n")),
        each(&|i| format!("  if (!started{i}) then skip; fi\n")),
        each(&|i| format!(
            "void step{i}() begin\n  if (ran{i}) then skip; fi\n  ran{i} := 1;\n  started{i} := 1;\nend\n"
        )),
    );
    let (program, _) =
        parse(&text, SourceMap::new().add("p.bp", None), Dialect::Strict).expect("well-formed");
    let (cfg, _) = Cfg::build(&program, None).expect("well-formed");
    let order = VariableOrder::new(&cfg);
    let place = |name: String| {
        let (var, _) = cfg.vars.iter_enumerated().find(|(_, v)| v.name.as_str() == name).expect("declared");
        order.var(var)
    };
    for i in 0..count {
        let (ran, started) = (place(format!("ran{i}")), place(format!("started{i}")));
        assert_eq!(ran.abs_diff(started), 1, "ran{i} at {ran}, started{i} at {started}");
    }
}
