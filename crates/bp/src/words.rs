//! The keywords, so that the parser compares numbers and not texts.

macro_rules! words {
    (reserved { $($name:ident $text:literal,)* } free { $($free:ident $free_text:literal,)* }) => {
        /// A word with a meaning, or any other.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Word {
            $($name,)*
            $($free,)*
            /// No such word.
            Other,
        }

        impl Word {
            /// Which word the text is.
            pub(crate) const fn of(text: &[u8]) -> Word {
                match text {
                    $($text => Word::$name,)*
                    $($free_text => Word::$free,)*
                    _ => Word::Other,
                }
            }

            /// As it is written; empty for other words.
            pub(crate) fn text(self) -> &'static str {
                let bytes: &[u8] = match self {
                    $(Word::$name => $text,)*
                    $(Word::$free => $free_text,)*
                    Word::Other => b"",
                };
                std::str::from_utf8(bytes).expect("words are ASCII")
            }

            /// Whether it cannot be an identifier.
            pub(crate) const fn is_reserved(self) -> bool {
                matches!(self, $(Word::$name)|*)
            }
        }
    };
}

words! {
    reserved {
        F b"F", T b"T", Blank b"_", Abortif b"abortif", And b"and", Assert b"assert", Assume b"assume", Begin b"begin",
        Bool b"bool", Choose b"choose", Constrain b"constrain", Dead b"dead", Decl b"decl", Do b"do", Else b"else",
        Elsif b"elsif", End b"end", Enforce b"enforce", False b"false", Fi b"fi", Goto b"goto", If b"if", Not b"not",
        Od b"od", Or b"or", Print b"print", Return b"return", Schoose b"schoose", Skip b"skip",
        StartThread b"start_thread", EndThread b"end_thread", AtomicBegin b"atomic_begin", AtomicEnd b"atomic_end",
        Then b"then", True b"true", Void b"void", While b"while", Xor b"xor",
    }
    free {
        Atomic b"atomic", Call b"call", Dfs b"dfs", Init b"init", Sync b"sync", Thread b"thread",
    }
}

#[cfg(test)]
mod tests {
    use super::Word;

    #[test]
    fn words_are_told_apart() {
        for text in ["if", "_", "atomic", "atomic_begin", "T"] {
            assert_eq!(Word::of(text.as_bytes()).text(), text);
        }
        for text in ["", "i", "iff", "{if}", "x"] {
            assert_eq!(Word::of(text.as_bytes()), Word::Other);
        }
        assert!(Word::Xor.is_reserved() && !Word::Thread.is_reserved() && !Word::Other.is_reserved());
    }
}
