//! Helpful messages about what is wrong with an expression of a predicate file.
//!
//! The parser of expressions stops where it cannot go on. This module recognises what was probably meant there: an
//! assignment, a call, a name of another function, a name that is nearly right.

use ir::parse::{Error, ErrorKind};
use ir::{ProcId, Program, VarKind};

/// A mistake at a place of an expression's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// Where it begins, in bytes.
    pub at: usize,
    /// How many bytes it has.
    pub len: usize,
    /// A sentence without its full stop.
    pub message: String,
}

/// An assignment, increment or call: predicates have no side effects. The reader alone would not notice all of
/// them: `++i` reads as `+(+i)`.
pub(crate) fn side_effect(text: &str, program: &Program, scope: Option<ProcId>) -> Option<Mistake> {
    let none = "and predicates have no side effects";
    let tokens: Vec<(usize, &str)> = tokens(text).collect();
    let text_at = |i: usize| tokens.get(i).map_or("", |(_, t)| *t);
    for (i, (at, token)) in tokens.iter().enumerate() {
        let message = match *token {
            "=" => format!("`=` assigns, {none}; `==` compares"),
            "++" | "--" => format!("`{token}` changes a variable, {none}"),
            "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=" => {
                format!("`{token}` assigns, {none}")
            }
            name if text_at(i + 1) == "("
                && program.find_proc(name).is_some()
                && visible(program, scope).all(|v| v != name) =>
            {
                format!("`{name}(…)` is a call, {none}")
            }
            _ => continue,
        };
        return Some(Mistake { at: *at, len: token.len(), message });
    }
    None
}

/// The reader's error, with help where there is some.
pub(crate) fn explained(text: &str, error: &Error, program: &Program, scope: Option<ProcId>) -> Mistake {
    let at = error.span.map_or(0, |s| s.start.col.saturating_sub(1) as usize);
    let found = tokens(text).find(|(start, token)| (*start..start + token.len().max(1)).contains(&at));
    let (at, token) = found.unwrap_or((at.min(text.len()), ""));
    // The reader has gone on by the time that it knows the types of operands, or that there is no such member.
    let before = |wanted: &dyn Fn(usize, &str) -> bool| {
        tokens(text).take_while(|(start, _)| *start <= at).filter(|(start, t)| wanted(*start, t)).last()
    };
    let mut message = error.message.clone();
    let place = match &error.kind {
        ErrorKind::Syntax => None,
        ErrorKind::Undeclared => {
            message = undeclared(token, program, scope);
            None
        }
        ErrorKind::NoMember { record, member } => {
            let records = program.records.iter().filter(|r| r.name == *record);
            let members = records.flat_map(|r| r.fields.iter().map(|f| f.name.as_str()));
            message.push_str(&hint(nearest(member, members)));
            before(&|_, token| token == member)
        }
        ErrorKind::Operands(operator) => before(&|start, token| start < at && token == operator),
        ErrorKind::NotScalar => before(&|start, _| start < at || token.is_empty()),
    };
    let (at, len) = place.map_or((at, token.len().max(1)), |(at, token)| (at, token.len()));
    Mistake { at, len, message }
}

fn undeclared(name: &str, program: &Program, scope: Option<ProcId>) -> String {
    let here = match scope {
        None => "globally".to_owned(),
        Some(p) => format!("in `{}`", program.procs[p].name),
    };
    let owners: Vec<&str> = program
        .vars
        .iter()
        .filter(|v| v.name == name)
        .filter_map(|v| v.proc())
        .map(|p| program.procs[p].name.as_str())
        .collect();
    match (owners.first(), scope) {
        (Some(owner), None) => {
            return format!(
                "`{name}` is a variable of `{owner}`: write `{owner} {{ … }}` around the predicate"
            );
        }
        (Some(owner), Some(_)) => {
            return format!("`{name}` is a variable of `{owner}`, and not known {here}");
        }
        (None, _) => {}
    }
    format!("there is no `{name}` {here}{}", hint(nearest(name, visible(program, scope))))
}

/// A question to add to a message.
pub(crate) fn hint(name: Option<&str>) -> String {
    name.map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

/// The names of variables that people know.
fn visible(program: &Program, scope: Option<ProcId>) -> impl Iterator<Item = &str> {
    let known = move |v: &&ir::Var| match v.kind {
        VarKind::Temp(_) => false,
        _ => v.proc().is_none() || v.proc() == scope,
    };
    program.vars.iter().filter(known).map(|v| v.name.as_str())
}

/// The name that the fewest changes lead to, when they are few; of several the first.
pub(crate) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let few = (name.chars().count() + 1) / 4;
    let near = names.map(|n| (changes(name, n), n)).filter(|(n, _)| *n <= few);
    near.min_by_key(|(n, _)| *n).map(|(_, name)| name)
}

/// How many characters must be added, taken away, replaced, or exchanged with their neighbour.
fn changes(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// Operators of more than one character that matter here, longer ones first.
const OPERATORS: [&str; 21] = [
    "<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "->", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=", "^=", "<<", ">>",
];

/// C's tokens with their places, literals of characters and strings in one piece.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += text[at..].len() - text[at..].trim_start().len();
        let rest = &text[at..];
        let first = rest.chars().next()?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let len = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if first == '\'' || first == '"' {
            quoted(rest, first)
        } else {
            let operator = OPERATORS.iter().find(|o| rest.starts_with(**o));
            operator.map_or(first.len_utf8(), |o| o.len())
        };
        let token = (at, &rest[..len]);
        at += len;
        Some(token)
    })
}

/// The length of the literal that the text begins with.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return i + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_c() {
        let all: Vec<&str> = tokens("a<<=b ++ 'x='-->c2 \"\\\"=\" é").map(|(_, t)| t).collect();
        assert_eq!(all, ["a", "<<=", "b", "++", "'x='", "--", ">", "c2", "\"\\\"=\"", "é"]);
    }

    #[test]
    fn near_names() {
        assert_eq!((changes("lenght", "length"), changes("n", "m"), changes("", "ab")), (1, 1, 2));
        assert_eq!(nearest("lokced", ["lock", "locked", "unlocked"].into_iter()), Some("locked"));
        assert_eq!(nearest("x", ["counter"].into_iter()), None);
    }
}
