//! Broken programs: each is parsed, and then prints as a program that parses to the same tree, or refused with a
//! place; the checker, too, answers without a panic, with a place in each error. The mutants are made from the
//! example programs and from text in every dialect, by a generator that depends on their number only. `BP_MUTANTS`
//! says how many are tried, `BP_MUTANTS_FROM` where to start, `BP_MUTANTS_SEEDS` names another folder of programs,
//! whose files are also tried as they are.

use crate::common::on_large_stack;
use base::{Diagnostic, SourceMap};
use bp::{Cfg, Dialect, check, parse, print};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use testing::{Mutator, files_below, number};

const MUTATOR: Mutator = Mutator {
    words: "decl void bool < > begin end if then elsif else fi while do od goto assume assert return dead print \
    skip call enforce constrain abortif dfs choose [ ] schoose ( ) { } ; : , := ' * ? ! ~ & | ^ = == != => -> <-> && || \
    and or not xor T F true false 0 1 2 _ x a$ main L1 11 12: L: L: ASYNC_1: start_thread end_thread atomic_begin \
    atomic_end atomic init thread sync {x==y} {{}} // /* */ @ # é \\u{0} bool<3> 99999999999999999999 'x",
    around: &[("(", ")"), ("{", "}"), ("!", ""), ("if * then ", " fi"), ("1 ? 0 : ", "")],
    quotes: &[],
};

/// Text that has what the examples have not.
const DIALECTS: [&str; 3] = [
    "decl s := 1, g, {*p == q}; // a remark\ninit begin g := s; end\n// above\nvoid main() begin\n decl l := 0; enforce T;\n\
     11: L: if * then goto 11, L; fi; /* here */ l, _ := call f(l, ?) constrain 'l = g;\n start_thread goto L;\n\
     ASYNC_1: f(0, 1); atomic begin dead l; end atomic_begin; l$ := 0; atomic_end; end_thread\nend\n\
     bool<2> f(a, b) enforce a | b; begin return a, schoose[b, !b]; end // end\n",
    "decl s; thread one decl g; void main() begin s := g; end end thread two decl g; main() begin f(); end f() begin end end",
    "decl atomic, a; void init() begin atomic, a := F, T; endinit: skip; end void thread1() begin atomic := T; end",
];

/// The texts that mutants are made from, in order.
fn seeds() -> Vec<(String, String)> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bp");
    let folder = std::env::var_os("BP_MUTANTS_SEEDS").map_or(examples, PathBuf::from);
    let files = files_below(&[folder]);
    let texts = files
        .into_iter()
        .filter_map(|path| Some((path.display().to_string(), std::fs::read_to_string(path).ok()?)));
    let dialects = DIALECTS.iter().map(|text| ("a text in dialects".to_owned(), (*text).to_owned()));
    texts.chain(dialects).collect()
}

/// The error in the answer to a text, if there is one.
fn complaint(text: &str, dialect: Dialect) -> Option<String> {
    let mut sources = SourceMap::new();
    let file = sources.add("mutant.bp", Some(text.into()));
    let unplaced = |errors: &[Diagnostic]| {
        let shown: String = errors.iter().map(|e| e.render(&sources)).collect();
        (errors.is_empty() || errors.iter().any(|e| e.span.is_none())).then(|| format!("no place: {shown}"))
    };
    let program = match parse(text, file, dialect) {
        Ok((program, _)) => program,
        Err(errors) => return unplaced(&errors),
    };
    let printed = print(&program);
    match parse(&printed, file, Dialect::Strict) {
        Err(errors) => return Some(format!("its print is refused: {}\n{printed}", errors[0].message)),
        Ok((again, _)) if again != program => {
            return Some(format!("its print is another program:\n{printed}"));
        }
        Ok(_) => {}
    }
    if let Err(errors) = check(&program, None) {
        return unplaced(&errors);
    }
    Cfg::build(&program, None).err().and_then(|errors| unplaced(&errors))
}

#[test]
fn mutants_are_answered() {
    let count = number("BP_MUTANTS", 3000);
    let from = number("BP_MUTANTS_FROM", 0);
    on_large_stack(move || {
        let seeds = seeds();
        let cut: Vec<Vec<String>> = seeds.iter().map(|(_, text)| MUTATOR.tokens(text)).collect();
        let mut wrong = vec![];
        let mut look = |what: String, text: &str, dialect| {
            let answer = catch_unwind(AssertUnwindSafe(|| complaint(text, dialect)));
            if let Some(complaint) = answer.unwrap_or_else(|_| Some("a panic".to_owned())) {
                wrong.push(format!("{what}: {complaint}\n{text}"));
            }
        };
        for (name, text) in &seeds {
            look(name.clone(), text, Dialect::Strict);
        }
        for number in from..from + count {
            let seed = number as usize % seeds.len();
            let text = MUTATOR.mutant(&cut[seed], number);
            let text = String::from_utf8_lossy(&text);
            let dialect = [Dialect::Strict, Dialect::C, Dialect::Boppo, Dialect::Wali][number as usize % 4];
            look(format!("mutant {number} of {}", seeds[seed].0), &text, dialect);
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    });
}
