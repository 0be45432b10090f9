//! The rules that come with the program: their files are part of it.

/// A rule of the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its name: `linux/mutex`.
    pub name: &'static str,
    /// The text of its file.
    pub text: &'static str,
}

impl Entry {
    /// The first sentence of the comment that the file begins with.
    pub fn summary(&self) -> String {
        let prose: Vec<&str> = self.text.lines().map_while(|l| l.strip_prefix("//")).map(str::trim).collect();
        let prose = prose.join(" ");
        match prose.find(". ") {
            Some(end) => prose[..=end].to_owned(),
            None => prose,
        }
    }
}

macro_rules! library {
    ($($name:literal),* $(,)?) => {
        /// All of them, by their names.
        pub const LIBRARY: &[Entry] = &[
            $(Entry { name: $name, text: include_str!(concat!("../../../rules/", $name, ".slic")) },)*
        ];
    };
}

library! {
    "c/checked",
    "c/file",
    "c/malloc",
    "c/strtok",
    "c/va_list",
    "linux/alloc_spinlock",
    "linux/bitops",
    "linux/class",
    "linux/module",
    "linux/mutex",
    "linux/rculock",
    "linux/rwlock",
    "linux/spinlock",
    "linux/usblock",
    "posix/chroot",
    "posix/fork",
    "posix/lock_order",
    "posix/mkstemp",
    "posix/mutex",
    "posix/open",
    "posix/opendir",
    "posix/signal",
    "windows/cancel_spinlock",
    "windows/irp",
    "windows/irql",
    "windows/pending",
    "windows/spinlock",
}

/// The rules that a word names: the one of this name, or all whose name ends with it behind a slash, of which there should
/// be one.
pub fn find(word: &str) -> Vec<&'static Entry> {
    if let Some(exact) = LIBRARY.iter().find(|e| e.name == word) {
        return vec![exact];
    }
    LIBRARY.iter().filter(|e| e.name.rsplit('/').next() == Some(word)).collect()
}
