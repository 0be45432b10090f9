//! Broken programs, made from texts that are fine by deleting, repeating, swapping and inserting tokens.

use crate::Dice;
use std::fs;
use std::path::{Path, PathBuf};

/// Makes broken programs of a language.
#[derive(Clone, Copy, Debug)]
pub struct Mutator {
    /// Words, separated by blanks, that are put where they were not.
    pub words: &'static str,
    /// Brackets and prefixes that are piled up around a token.
    pub around: &'static [(&'static str, &'static str)],
    /// The characters that begin and end literals.
    pub quotes: &'static [char],
}

impl Mutator {
    /// Cuts text into words, literals, blanks and single characters: what is joined again is the text.
    pub fn tokens(&self, text: &str) -> Vec<String> {
        let mut out: Vec<String> = vec![];
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let mut token = c.to_string();
            if self.quotes.contains(&c) {
                while let Some(d) = chars.next() {
                    token.push(d);
                    match d {
                        '\\' => token.extend(chars.next()),
                        d if d == c || d == '\n' => break,
                        _ => {}
                    }
                }
            } else {
                let word = |c: char| c.is_alphanumeric() || c == '_';
                let like = |d: char| (word(c) && word(d)) || (c.is_whitespace() && d.is_whitespace());
                while let Some(d) = chars.peek().copied().filter(|d| like(*d)) {
                    token.push(d);
                    chars.next();
                }
            }
            out.push(token);
        }
        out
    }

    /// A text with one to four changes, of which the number decides which.
    pub fn mutant(&self, tokens: &[String], number: u64) -> Vec<u8> {
        let words: Vec<&str> = self.words.split_whitespace().collect();
        let mut dice = Dice::new(number);
        let mut out = tokens.to_vec();
        for _ in 0..=dice.below(3) {
            if out.is_empty() {
                break;
            }
            if dice.one_in(12) {
                let mut bytes = out.concat().into_bytes();
                let place = dice.below(bytes.len());
                bytes[place] = dice.bits() as u8;
                return bytes;
            }
            self.change(&mut out, &words, &mut dice);
        }
        out.concat().into_bytes()
    }

    fn change(&self, out: &mut Vec<String>, words: &[&str], dice: &mut Dice) {
        let (at, other) = (dice.below(out.len()), dice.below(out.len()));
        let end = (at + 1 + dice.below(20)).min(out.len());
        match dice.below(11) {
            0 => drop(out.remove(at)),
            1 => out.insert(at, out[at].clone()),
            2 => out.swap(at, other),
            3 => out[at] = out[other].clone(),
            4 => out[at] = format!(" {} ", dice.of(words)),
            5 => out.insert(at, format!(" {} ", dice.of(words))),
            6 => drop(out.drain(at..end)),
            7 => {
                let copy = out[at..end].to_vec();
                out.splice(other..other, copy);
            }
            8 => out.truncate(at.max(1)),
            9 => out[at] = out[at].chars().rev().collect(),
            _ => {
                let ((open, close), depth) = (dice.of(self.around), 1 + dice.below(60));
                out[at] = format!("{}{}{}", open.repeat(depth), out[at], close.repeat(depth));
            }
        }
    }
}

/// All files below these folders, sorted.
///
/// # Panics
/// If a folder cannot be listed.
pub fn files_below(folders: &[PathBuf]) -> Vec<PathBuf> {
    let list = |folder: &Path| fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let (mut folders, mut files) = (folders.to_vec(), vec![]);
    while let Some(folder) = folders.pop() {
        for entry in list(&folder) {
            let path = entry.expect("a folder can be listed").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}
