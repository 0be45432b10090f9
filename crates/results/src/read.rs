//! Reading with places: what is wrong with a file is said together with the place in it, as a JSON pointer.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_path_to_error::Segment;
use std::fmt::{self, Display};

/// What is read, or what is wrong and where.
pub type Read<T> = Result<T, Wrong>;

/// A complaint about a value in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// The steps to it, the last one first.
    steps: Vec<String>,
    why: String,
}

impl Wrong {
    /// A complaint about the value at hand.
    pub fn new(why: impl Display) -> Wrong {
        Wrong { steps: vec![], why: why.to_string() }
    }
}

impl Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            f.write_str("/")?;
        }
        self.steps.iter().rev().try_for_each(|step| write!(f, "/{step}"))?;
        write!(f, ": {}", self.why)
    }
}

/// Adds to a complaint where the value is that it is about.
pub trait At<T> {
    /// The complaint about the member, or the part of a list, with this name or number.
    ///
    /// # Errors
    /// That complaint.
    fn at(self, step: impl Display) -> Read<T>;
}

impl<T> At<T> for Read<T> {
    fn at(self, step: impl Display) -> Read<T> {
        self.map_err(|mut wrong| {
            wrong.steps.push(step.to_string());
            wrong
        })
    }
}

/// Reads each part of a list.
///
/// # Errors
/// What is wrong with the first that is not right, and where.
pub fn each<'a, T: 'a, U>(
    list: impl IntoIterator<Item = &'a T>,
    mut one: impl FnMut(&'a T) -> Read<U>,
) -> Read<Vec<U>> {
    list.into_iter().enumerate().map(|(n, part)| one(part).at(n)).collect()
}

/// Why a text is not the JSON that was expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mistake {
    /// It is no JSON at all.
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// In words.
        why: String,
    },
    /// Something else stands there.
    Content(Wrong),
}

impl Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mistake::Syntax { why, .. } => write!(f, "it is no JSON: {why}"),
            Mistake::Content(wrong) => wrong.fmt(f),
        }
    }
}

/// Reads a text.
///
/// # Errors
/// What is wrong with it, and where.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Mistake> {
    let mut source = serde_json::Deserializer::from_str(text);
    let syntax =
        |e: &serde_json::Error| Mistake::Syntax { line: e.line(), column: e.column(), why: e.to_string() };
    let value = serde_path_to_error::deserialize(&mut source).map_err(|e| {
        let step = |segment: &Segment| match segment {
            Segment::Seq { index } => Some(index.to_string()),
            Segment::Map { key } => Some(key.clone()),
            Segment::Enum { .. } | Segment::Unknown => None,
        };
        let mut steps: Vec<String> = e.path().iter().filter_map(step).collect();
        steps.reverse();
        // Another value in the place of a word is said to be wrong syntax.
        match e.inner().is_data() || serde_json::from_str::<IgnoredAny>(text).is_ok() {
            true => Mistake::Content(Wrong { steps, why: e.inner().to_string() }),
            false => syntax(e.inner()),
        }
    })?;
    source.end().map_err(|e| syntax(&e))?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn mistakes_have_a_place() {
        type Lists = BTreeMap<String, Vec<u8>>;
        let wrong = |text: &str| read::<Lists>(text).map_err(|e| e.to_string()).err();
        let why = "/a/1: invalid type: string \"x\", expected u8 at line 1 column 13";
        assert_eq!(wrong(r#"{ "a": [1,"x"] }"#).as_deref(), Some(why));
        let word = read::<BTreeMap<String, crate::check::Verdict>>(r#"{ "a": 7 }"#);
        assert!(word.is_err_and(|e| e.to_string().starts_with("/a: ")));
        assert!(matches!(read::<Lists>("{"), Err(Mistake::Syntax { line: 1, column: 1, .. })));
        assert!(matches!(read::<Lists>("{} {}"), Err(Mistake::Syntax { .. })));
        let small = |n: &u8| if *n < 3 { Ok(*n) } else { Err(Wrong::new(format!("{n} is large"))) };
        let found = each(&[1, 2, 7], small).at("b").map_err(|e| e.to_string());
        assert_eq!(found, Err("/b/2: 7 is large".to_owned()));
        assert_eq!(Wrong::new("no").to_string(), "/: no");
    }
}
