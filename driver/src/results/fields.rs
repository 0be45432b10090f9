//! The fields of a result that another command reads: each is checked before it is used, and a mistake is reported with its
//! place in the file, as a JSON pointer.

use serde_json::Value;

/// A value in a result, with its place.
#[derive(Clone, Debug)]
pub(crate) struct Field<'j> {
    json: &'j Value,
    place: String,
}

/// What is read, or what is wrong and where.
pub(crate) type Read<T> = Result<T, String>;

impl<'j> Field<'j> {
    /// The whole file.
    pub(crate) fn whole(json: &'j Value) -> Field<'j> {
        Field { json, place: String::new() }
    }

    /// A complaint about this value.
    pub(crate) fn wrong(&self, why: impl std::fmt::Display) -> String {
        format!("{}: {why}", if self.place.is_empty() { "/" } else { &self.place })
    }

    /// The member with this name, which must be there.
    ///
    /// # Errors
    /// When this is not an object or has no such member.
    pub(crate) fn member(&self, key: &str) -> Read<Field<'j>> {
        let json = self.json.get(key).ok_or_else(|| self.wrong(format!("there is no `{key}`")))?;
        Ok(Field { json, place: format!("{}/{key}", self.place) })
    }

    /// The member with this name, if it is there.
    pub(crate) fn optional(&self, key: &str) -> Option<Field<'j>> {
        self.member(key).ok()
    }

    /// Checks that this is an object with no members but these.
    ///
    /// # Errors
    /// When it is something else, or has another one.
    pub(crate) fn has_only(&self, keys: &[&str]) -> Read<()> {
        let object = self.json.as_object().ok_or_else(|| self.wrong("this is no object"))?;
        match object.keys().find(|key| !keys.contains(&key.as_str())) {
            Some(other) => Err(self.wrong(format!("nothing here is called {other:?}"))),
            None => Ok(()),
        }
    }

    /// The parts of a list.
    ///
    /// # Errors
    /// When it is none.
    pub(crate) fn list(&self) -> Read<Vec<Field<'j>>> {
        let list = self.json.as_array().ok_or_else(|| self.wrong("this is no list"))?;
        let part = |(n, json)| Field { json, place: format!("{}/{n}", self.place) };
        Ok(list.iter().enumerate().map(part).collect())
    }

    /// A text.
    ///
    /// # Errors
    /// When it is none.
    pub(crate) fn text(&self) -> Read<&'j str> {
        self.json.as_str().ok_or_else(|| self.wrong("this is no text"))
    }

    /// A text of one line, without characters that only control a terminal.
    ///
    /// # Errors
    /// When it is none.
    pub(crate) fn line(&self) -> Read<&'j str> {
        let text = self.text()?;
        if text.chars().any(char::is_control) {
            Err(self.wrong("this is no text of one line"))
        } else {
            Ok(text)
        }
    }

    /// An identifier of C.
    ///
    /// # Errors
    /// When it is none.
    pub(crate) fn identifier(&self) -> Read<&'j str> {
        let text = self.text()?;
        let is_one = cfront::arguments::is_identifier(text);
        if is_one { Ok(text) } else { Err(self.wrong(format!("{text:?} is no identifier"))) }
    }

    /// True or false.
    ///
    /// # Errors
    /// When it is neither.
    pub(crate) fn flag(&self) -> Read<bool> {
        self.json.as_bool().ok_or_else(|| self.wrong("this is neither true nor false"))
    }

    /// A natural number.
    ///
    /// # Errors
    /// When it is none, or too large.
    pub(crate) fn number(&self) -> Read<usize> {
        let number = self.json.as_u64().and_then(|n| usize::try_from(n).ok());
        number.ok_or_else(|| self.wrong("this is no number"))
    }

    /// A number that C's `int` can hold, not negative.
    ///
    /// # Errors
    /// When it is none, or too large.
    pub(crate) fn small(&self) -> Read<u32> {
        let number = self.json.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n <= i32::MAX as u32);
        number.ok_or_else(|| self.wrong("this is no number between 0 and 2147483647"))
    }

    /// One of these words.
    ///
    /// # Errors
    /// When it is another one.
    pub(crate) fn choice<'n, T>(&self, all: impl IntoIterator<Item = (&'n str, T)>) -> Read<T> {
        let text = self.text()?;
        let found = all.into_iter().find(|(name, _)| *name == text);
        found.map(|(_, value)| value).ok_or_else(|| self.wrong(format!("there is no {text:?}")))
    }

    /// Whether this is `null`.
    pub(crate) fn is_null(&self) -> bool {
        self.json.is_null()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn mistakes_have_a_place() {
        let json = json!({ "a": { "list": [1, "x\ny", "9z", true] } });
        let a = Field::whole(&json).member("a").expect("it is there");
        let list = a.member("list").and_then(|l| l.list()).expect("a list");
        assert_eq!(list[0].number(), Ok(1));
        assert_eq!(list[0].text(), Err("/a/list/0: this is no text".into()));
        assert_eq!(list[1].line(), Err("/a/list/1: this is no text of one line".into()));
        assert_eq!(list[2].identifier(), Err("/a/list/2: \"9z\" is no identifier".into()));
        assert_eq!(list[3].flag(), Ok(true));
        assert_eq!(list[3].number(), Err("/a/list/3: this is no number".into()));
        assert_eq!(a.has_only(&["b"]), Err("/a: nothing here is called \"list\"".into()));
        assert_eq!(a.member("b").err(), Some("/a: there is no `b`".into()));
        assert_eq!(list[2].choice([("x", 1)]), Err("/a/list/2: there is no \"9z\"".into()));
        assert!(a.list().is_err() && list[0].has_only(&[]).is_err() && a.optional("b").is_none());
    }
}
