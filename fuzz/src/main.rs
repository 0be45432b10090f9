//! Coverage-guided fuzzing of all readers of texts: C, C--, boolean programs, Zing programs, rules and predicates. The first
//! byte of an input says which one reads the rest; what is read is also checked and printed, and the print read again.
//!
//! `scripts/fuzz.sh` builds it and runs it from the project's own texts.

#![no_main]

use base::{Diagnostic, FileId, SourceMap};
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::OnceLock;

fuzz_target!(|input: &[u8]| {
    let Some((kind, text)) = input.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let mut sources = SourceMap::new();
    let file = sources.add("input", Some(text.into()));
    match kind {
        b'c' => c(text),
        b'b' => boolean(text, file, &sources),
        b'z' => zing(text, file, &sources),
        b's' => rule(text, file, &sources),
        b'p' => predicates(text, file, &sources),
        _ => {}
    }
});

/// Each mistake has a place and a text.
fn located<'d>(mistakes: impl IntoIterator<Item = &'d Diagnostic>, sources: &SourceMap) {
    for mistake in mistakes {
        assert!(mistake.span.is_some() && !mistake.message.is_empty(), "{}", mistake.render(sources));
        let _ = mistake.render(sources);
    }
}

fn c(text: &str) {
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    let file = FILE.get_or_init(|| std::env::temp_dir().join(format!("slam-fuzz-{}.i", std::process::id())));
    std::fs::write(file, text).expect("a temporary file can be written");
    let options = cfront::Options { checks: ir::CheckKind::ALL.to_vec(), ..cfront::Options::default() };
    match cfront::load(std::slice::from_ref(file), &options) {
        Ok(loaded) => {
            let mistakes = ir::check::check(&loaded.program);
            assert!(mistakes.is_empty(), "ill-formed: {}", mistakes.join("\n"));
        }
        Err(failure) => located(&failure.diagnostics, &failure.sources),
    }
}

fn boolean(text: &str, file: FileId, sources: &SourceMap) {
    for dialect in [bp::Dialect::Strict, bp::Dialect::C, bp::Dialect::Boppo, bp::Dialect::Wali] {
        let program = match bp::parse(text, file, dialect) {
            Ok((program, _)) => program,
            Err(mistakes) => {
                located(&mistakes, sources);
                continue;
            }
        };
        let printed = bp::print(&program);
        let (again, _) = bp::parse(&printed, file, bp::Dialect::Strict).expect("what is printed can be read");
        assert_eq!(again, program, "{printed}");
        if let Err(mistakes) = bp::Cfg::build(&program, None) {
            located(&mistakes, sources);
        }
    }
}

fn zing(text: &str, file: FileId, sources: &SourceMap) {
    match zing::parse(text, file) {
        Err(mistake) => located([&mistake], sources),
        Ok(program) => {
            let printed = zing::print(&program);
            let again = zing::parse(&printed, file).expect("what is printed can be read");
            assert_eq!(zing::print(&again), printed);
            if let Err(mistakes) = zing::compile(&program, &zing::Overrides::default()) {
                located(&mistakes, sources);
            }
        }
    }
}

fn rule(text: &str, file: FileId, sources: &SourceMap) {
    match slic::read(text, file) {
        Err(mistakes) => located(&mistakes, sources),
        Ok(rule) => {
            let printed = slic::print(&rule);
            let again = slic::read(&printed, file).expect("what is printed can be read");
            assert_eq!(slic::print(&again), printed);
        }
    }
}

/// The predicates of a small program that has a variable of each kind.
fn predicates(text: &str, file: FileId, sources: &SourceMap) {
    static PROGRAM: OnceLock<ir::Program> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let text = "struct s { int n; struct s *next; } g, *head; int a[4]; double d;\n\
                    int f(int x, unsigned char c) { struct s *p = head; return p->n + x + c + a[1]; }\n\
                    int main(void) { return f(1, 2); }\n";
        let path = std::env::temp_dir().join(format!("slam-fuzz-{}-program.i", std::process::id()));
        std::fs::write(&path, text).expect("a temporary file can be written");
        let loaded =
            cfront::load(&[path], &cfront::Options { need_checks: false, ..cfront::Options::default() });
        match loaded {
            Ok(loaded) => loaded.program,
            Err(failure) => panic!("{}", failure.diagnostics[0].message),
        }
    });
    let read = |text: &str, proc| ir::parse::expr(text, program, proc);
    match predicates::predicates_file::parse(text, file, program, encoding::IntMode::Math, &read) {
        Err(mistake) => located([&mistake], sources),
        Ok((precision, _)) => {
            let printed = predicates::predicates_file::print(program, &precision);
            assert!(
                predicates::predicates_file::parse(&printed, file, program, encoding::IntMode::Math, &read).is_ok(),
                "{printed}"
            );
        }
    }
}
