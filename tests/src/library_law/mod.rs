//! Random calls of library functions, what compiled programs observe of them, and whether the checker's models allow that.
//!
//! A [`Call`] is drawn from one of two tables: `functions.txt` has a prototype for each function, `sequences.txt` short
//! texts of several calls. Placeholders say how an argument is drawn ([`draw`]), and what is observed afterwards:
//! results, `errno`, the bytes of all buffers, the memory that results point to. [`native`] compiles many calls into
//! one program, where each runs in a process of its own, and collects the observations. [`ask`] puts the same call
//! into a program with an error that is reached where everything is as observed: that program may not be SAFE.

pub mod ask;
mod draw;
pub mod native;
mod numbers;
mod table;
mod text;

pub use draw::draw;
pub use table::{Entry, entries};

use std::fmt::Write as _;

/// Something that is observed after the call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Look {
    /// An expression with an integer type.
    Int(String),
    /// A byte of an array.
    Byte(String),
    /// A `float` or `double`.
    Float(String),
    /// A pointer: NULL, into an object that the call was given, or elsewhere.
    Pointer(String),
    /// The characters that a pointer leads to, up to a NUL, at most sixteen.
    Text(String),
}

/// An observation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    /// An integer.
    Int(i64),
    /// A number as a hexadecimal constant, `inf`, `-inf` or `nan`.
    Float(String),
    /// The null pointer.
    Null,
    /// A pointer into an object, by the object's number among the call's, and the offset in bytes.
    At(usize, i64),
    /// Another pointer.
    Elsewhere,
    /// Characters.
    Text(Vec<i64>),
}

/// An object that the call is given: the expression of its first byte, and its size.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Place {
    base: String,
    size: usize,
}

/// What standard input gives.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Input {
    /// These bytes, and its end.
    Text(Vec<u8>),
    /// These bytes, and then an error.
    Stuck(Vec<u8>),
    /// It is a folder, which cannot be read.
    Folder,
}

/// What the program finds around it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct World {
    input: Input,
    /// What stands in the file `text`.
    text: Vec<u8>,
    /// The zone of local time.
    zone: &'static str,
    /// Standard output can take nothing.
    output_is_full: bool,
    /// The allocation that fails, counted from 1; 0: none.
    failing: usize,
}

/// A call of a function, or several ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The function's name, or that of the sequence.
    pub name: String,
    headers: Vec<String>,
    /// Functions and objects of the program.
    globals: Vec<String>,
    /// What comes before the call.
    setup: String,
    statements: String,
    looks: Vec<Look>,
    places: Vec<Place>,
    world: World,
}

/// The function that stands first in the name of a sequence.
fn first_word(name: &str) -> &str {
    name.split(' ').next().unwrap_or(name)
}

impl Call {
    /// The function that it is about.
    pub fn function(&self) -> &str {
        first_word(&self.name)
    }

    /// All its allocations succeed.
    pub fn has_memory(&self) -> bool {
        self.world.failing == 0
    }

    /// The program that reaches an error where all these conditions hold behind the call.
    fn program(&self, conditions: &[String], wanted: Wanted) -> String {
        let mut text = self.prelude();
        text.push_str("extern void reach_error(void);\n");
        let _ =
            writeln!(text, "int main(void) {{\n{}{}  int law_errno = errno;", self.setup, self.statements);
        let mut condition = conditions.join("\n      && ");
        if condition.is_empty() {
            condition.push('1');
        }
        let negation = if wanted == Wanted::Other { "!" } else { "" };
        let _ = writeln!(text, "  if ({negation}({condition}))\n    reach_error();\n  return 0;\n}}");
        text
    }

    /// The headers, and what the program defines.
    fn prelude(&self) -> String {
        let mut text = String::from("#define _GNU_SOURCE\n");
        for header in &self.headers {
            let _ = writeln!(text, "#include <{header}>");
        }
        text + &self.globals.concat()
    }

    /// What was seen, as conditions of C.
    fn conditions(&self, seen: &[(usize, Seen)]) -> Vec<String> {
        seen.iter().flat_map(|(k, seen)| self.condition(&self.looks[*k], seen)).collect()
    }

    /// Those of them that are not about floating-point numbers and contents, which take long; none if these are all.
    fn conditions_on_results(&self, seen: &[(usize, Seen)]) -> Option<Vec<String>> {
        let of_result = |k: usize| matches!(self.looks[k], Look::Int(_) | Look::Pointer(_));
        let kept: Vec<(usize, Seen)> = seen.iter().filter(|(k, _)| of_result(*k)).cloned().collect();
        (kept.len() < seen.len()).then(|| self.conditions(&kept))
    }

    fn condition(&self, look: &Look, seen: &Seen) -> Vec<String> {
        let (Look::Int(e) | Look::Byte(e) | Look::Float(e) | Look::Pointer(e) | Look::Text(e)) = look;
        match seen {
            Seen::Int(v) => vec![format!("(long long)({e}) == {}", text::integer(*v))],
            Seen::Float(v) => float_condition(e, v),
            Seen::Null => vec![format!("{e} == 0")],
            // Comparisons of pointers leave more open, and take longer.
            Seen::At(at, offset) => {
                vec![format!("{e} != 0"), format!("(char *)({e}) - {} == {offset}", self.places[*at].base)]
            }
            Seen::Elsewhere => vec![format!("{e} != 0")],
            Seen::Text(characters) => {
                let one = |(k, c): (usize, &i64)| format!("((const char *)({e}))[{k}] == {c}");
                characters.iter().enumerate().map(one).collect()
            }
        }
    }
}

fn float_condition(e: &str, value: &str) -> Vec<String> {
    match value {
        "nan" => vec![format!("{e} != {e}")],
        "inf" => vec![format!("{e} == __builtin_inf()")],
        "-inf" => vec![format!("{e} == -__builtin_inf()")],
        "0x0p+0" => vec![format!("{e} == 0"), format!("!__builtin_signbit({e})")],
        "-0x0p+0" => vec![format!("{e} == 0"), format!("__builtin_signbit({e})")],
        number => vec![format!("{e} == {number}")],
    }
}

/// Which executions reach the error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    /// Those in which everything is as it was seen.
    Same,
    /// The others.
    Other,
}
