//! What the tests of this crate share: C text to a loaded program.

#![allow(dead_code, reason = "each test file uses a part of this module")]
#![allow(unreachable_pub, reason = "test files are crates of their own")]

use cfront::{Failure, Frontend, Options};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that is removed at the end of a test.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("cfront-test-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let dir = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&dir).expect("the temporary folder can be written");
        Scratch(dir)
    }

    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("the temporary folder can be written");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Loads text as one file of the given name (`.i` needs no preprocessor).
pub fn load_named(name: &str, text: &str, options: &Options) -> Result<Frontend, Failure> {
    let scratch = Scratch::new();
    let path = scratch.file(name, text);
    cfront::load(&[path], options)
}

/// Loads preprocessed text, which must be fine and give a well-formed program.
pub fn load(text: &str) -> Frontend {
    load_with(text, &Options::default())
}

pub fn load_with(text: &str, options: &Options) -> Frontend {
    let loaded = load_named("a.i", text, options);
    let frontend = loaded.unwrap_or_else(|f| panic!("{}", render(&f)));
    assert_eq!(cmm::check::check(&frontend.program), Vec::<String>::new());
    frontend
}

/// All diagnostics of a failure behind its verdict; the temporary folder's name is left out.
pub fn render(failure: &Failure) -> String {
    let mut out = format!("{}\n", failure.kind.verdict());
    for d in &failure.diagnostics {
        out.push_str(&d.render(&failure.sources));
    }
    let folder = std::env::temp_dir().join("cfront-test-");
    let folder = folder.display().to_string();
    let mut rest = out.as_str();
    let mut short = String::new();
    while let Some(at) = rest.find(&folder) {
        short.push_str(&rest[..at]);
        let name = &rest[at + folder.len()..];
        rest = &name[name.find('/').map_or(name.len(), |i| i + 1)..];
    }
    short + rest
}
