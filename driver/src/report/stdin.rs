//! The text on standard input with which the library's functions return the values that the execution drew for them.
//!
//! It is put together from the inputs in their order. Where no text has that effect, or none is found,
//! the inputs are listed one by one.

use cfront::Scanned;
use interp::{InputRecord, Value};
use ir::{HavocKind, Program, Type, VarKind};
use std::collections::BTreeSet;
use verify::Task;

/// Functions that open other streams: then nobody knows which one is read.
const OPENS: [&str; 6] = ["fopen", "fdopen", "freopen", "popen", "tmpfile", "fmemopen"];

/// A text, and the inputs that it stands for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Stdin {
    /// The bytes.
    pub text: Vec<u8>,
    /// The numbers of the inputs.
    pub inputs: BTreeSet<usize>,
}

/// What was written last, as something may follow that would be taken for a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum After {
    Anything,
    Number,
    Word,
}

/// Nothing has this effect, or nothing that is known here.
struct Impossible;

type Step = Result<(), Impossible>;

/// What the library took from standard input.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Taken<'a> {
    /// `getchar`: a character, or none.
    Character(i128),
    /// The length that `fgets` is given.
    LineLength(i128),
    /// A character of a line.
    LineCharacter(u8),
    /// How many conversions `scanf` makes, of these directives.
    Conversions(i128, &'a [Scanned]),
    /// A number that it stores, or a character.
    Stored(Value),
    /// The beginning of a word that it stores.
    Word,
    /// A character of that word.
    WordCharacter(u8),
    /// What some other function took.
    Unknown,
}

/// The text that standard input holds in the execution with these inputs.
pub(crate) fn stdin(task: &Task, records: &[InputRecord]) -> Option<Stdin> {
    if OPENS.iter().any(|name| task.whole.find_proc(name).is_some()) {
        return None;
    }
    let mut out = Stdin::default();
    let mut taken = vec![];
    for (n, record) in records.iter().enumerate() {
        if let Some(what) = of(task, record) {
            out.inputs.insert(n);
            taken.push(what);
        }
    }
    out.text = text(&taken)?;
    (!taken.is_empty()).then_some(out)
}

/// What the input is, if a function of the library read it.
fn of<'t>(task: &'t Task, record: &InputRecord) -> Option<Taken<'t>> {
    let program = &task.whole;
    let HavocKind::Extern(name) = &record.kind else { return None };
    let proc = &program.procs[record.proc];
    let edge = &proc.edges[record.edge];
    let number = if let Value::Int(v) = record.value { v } else { 0 };
    let character = is_character(program, record);
    if proc.is_model() {
        return Some(match (proc.name.as_str(), character) {
            ("getchar", _) => Taken::Character(number),
            ("fgets", false) => Taken::LineLength(number),
            ("fgets", true) => Taken::LineCharacter(number as u8),
            ("slam_input_string", false) => Taken::Word,
            ("slam_input_string", true) => Taken::WordCharacter(number as u8),
            (function, _) if READS.contains(&function) || READS.contains(&&**name) => Taken::Unknown,
            _ => return None,
        });
    }
    let directives = task.words.scans.get(&edge.span)?;
    let var = edge.op.destination().and_then(ir::Lvalue::as_var);
    let counts = var.is_some_and(|v| matches!(program.vars[v].kind, VarKind::Temp(_)));
    Some(if counts { Taken::Conversions(number, directives) } else { Taken::Stored(record.value) })
}

/// Functions with models that read from standard input in other ways.
const READS: [&str; 7] = ["gets", "read", "fread", "getline", "getdelim", "pread", "at_most"];

fn is_character(program: &Program, record: &InputRecord) -> bool {
    let op = &program.procs[record.proc].edges[record.edge].op;
    op.destination().is_some_and(|lv| matches!(&lv.ty, Type::Int(t) if t.bits == 8))
}

/// The text that has been written so far, and what is expected next.
struct Writer<'a> {
    text: Vec<u8>,
    after: After,
    /// Nothing more can be read.
    ended: bool,
    /// The length limit of the line that is being read, and how many of its characters have been read.
    line: Option<(i128, i128)>,
    /// The directives of `scanf` that follow, and how many conversions are still made.
    scan: Option<(&'a [Scanned], i128)>,
    /// Characters that the conversion still stores.
    characters: u64,
    /// The format takes blanks here.
    blank: bool,
}

/// A text that gives all of this.
fn text(taken: &[Taken<'_>]) -> Option<Vec<u8>> {
    let mut writer = Writer {
        text: vec![],
        after: After::Anything,
        ended: false,
        line: None,
        scan: None,
        characters: 0,
        blank: false,
    };
    for what in taken {
        writer.take(*what).ok()?;
    }
    Some(writer.text)
}

impl<'a> Writer<'a> {
    fn take(&mut self, what: Taken<'a>) -> Step {
        if !matches!(what, Taken::LineCharacter(_))
            && let Some((length, read)) = self.line.take()
        {
            // A line without an end that was not cut off ends with the input.
            self.ended |= read >= length && self.text.last() != Some(&b'\n');
        }
        match what {
            Taken::Character(c) if (0..=255).contains(&c) => self.byte(c as u8),
            Taken::Character(_) => {
                self.ended = true;
                Ok(())
            }
            Taken::LineLength(n) if n <= 0 => {
                self.ended = true;
                Ok(())
            }
            Taken::LineLength(n) => {
                self.line = Some((n, 0));
                self.more()
            }
            Taken::LineCharacter(c) => {
                let (_, read) = self.line.as_mut().ok_or(Impossible)?;
                *read += 1;
                self.byte(c)
            }
            Taken::Conversions(made, directives) => self.begin(made, directives),
            Taken::Stored(value) => self.stored(value),
            Taken::Word => {
                let Some(Scanned::Word) = self.directive()? else { return Err(Impossible) };
                self.separate();
                self.more()?;
                self.converted();
                self.after = After::Word;
                Ok(())
            }
            Taken::WordCharacter(c) => {
                let blank = c == 0 || c == b' ' || (9..=13).contains(&c);
                self.text.push(if blank { b'x' } else { c });
                Ok(())
            }
            Taken::Unknown => Err(Impossible),
        }
    }

    fn more(&self) -> Step {
        if self.ended { Err(Impossible) } else { Ok(()) }
    }

    /// A character that is read as such.
    fn byte(&mut self, c: u8) -> Step {
        self.more()?;
        let joins = match self.after {
            After::Anything => false,
            After::Number => c.is_ascii_alphanumeric() || c == b'.',
            After::Word => !(c == b' ' || (9..=13).contains(&c)),
        };
        if joins {
            return Err(Impossible);
        }
        self.text.push(c);
        self.after = After::Anything;
        Ok(())
    }

    /// What follows is skipped to.
    fn separate(&mut self) {
        if self.text.last().is_some_and(|b| !b.is_ascii_whitespace()) {
            self.text.push(b' ');
        }
        self.after = After::Anything;
    }

    fn begin(&mut self, made: i128, directives: &'a [Scanned]) -> Step {
        (self.scan, self.blank, self.characters) = (None, false, 0);
        if made < 0 {
            self.ended = true;
            return Ok(());
        }
        self.more()?;
        if made > 0 {
            self.scan = Some((directives, made));
            return Ok(());
        }
        // The input goes on with something else, and keeps it.
        match directives.iter().find(|d| **d != Scanned::Blank) {
            Some(Scanned::Number(_)) => {
                self.separate();
                self.text.push(b'x');
            }
            Some(Scanned::Byte(b)) => self.text.push(if *b == b'x' { b'y' } else { b'x' }),
            _ => return Err(Impossible),
        }
        self.ended = true;
        Ok(())
    }

    /// The next directive that takes a stored input; what stands before it is written.
    fn directive(&mut self) -> Result<Option<Scanned>, Impossible> {
        while let Some((directives, made)) = self.scan {
            let Some((first, rest)) = directives.split_first() else { return Ok(None) };
            match first {
                Scanned::Blank => (self.after, self.blank) = (After::Anything, true),
                Scanned::Byte(b) => {
                    self.blank = false;
                    self.byte(*b)?;
                }
                Scanned::Number(_) | Scanned::Characters(_) | Scanned::Word | Scanned::Nothing => {
                    return Ok(Some(*first));
                }
                Scanned::Other => return Err(Impossible),
            }
            if *first == Scanned::Blank && self.text.last().is_some_and(|b| !b.is_ascii_whitespace()) {
                self.text.push(b' ');
            }
            self.scan = Some((rest, made));
        }
        Ok(None)
    }

    /// The conversion at work is made.
    fn converted(&mut self) {
        if let Some((directives, made)) = self.scan.take() {
            let rest = &directives[1..];
            self.blank = false;
            let left = made - 1;
            let more = |d: &Scanned| matches!(d, Scanned::Number(_) | Scanned::Characters(_) | Scanned::Word);
            if left > 0 {
                self.scan = Some((rest, left));
            } else if rest.iter().any(more) {
                // The next conversion finds nothing.
                self.ended = true;
            }
        }
    }

    fn stored(&mut self, value: Value) -> Step {
        match self.directive()? {
            Some(Scanned::Nothing) => {
                if let Some((directives, made)) = self.scan {
                    self.scan = Some((&directives[1..], made));
                }
                Ok(())
            }
            Some(Scanned::Number(base)) => {
                self.separate();
                self.more()?;
                let number = match (value, base) {
                    (Value::Int(v), 8) => format!("{v:o}"),
                    (Value::Int(v), 16) => format!("{v:x}"),
                    (Value::Int(v), _) => v.to_string(),
                    (Value::Float(v), _) if v.is_finite() => format!("{v:?}"),
                    _ => return Err(Impossible),
                };
                self.text.extend(number.bytes());
                self.after = After::Number;
                self.converted();
                Ok(())
            }
            Some(Scanned::Characters(n)) => {
                let Value::Int(c) = value else { return Err(Impossible) };
                let c = c as u8;
                if self.characters == 0 {
                    self.characters = n;
                }
                // A blank in the format would take it.
                if std::mem::take(&mut self.blank) && c.is_ascii_whitespace() {
                    return Err(Impossible);
                }
                self.byte(c)?;
                self.characters -= 1;
                if self.characters == 0 {
                    self.converted();
                }
                Ok(())
            }
            _ => Err(Impossible),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Scanned::{Blank, Byte, Characters, Number, Word};

    fn given(taken: &[Taken<'_>]) -> Option<String> {
        text(taken).map(|bytes| String::from_utf8(bytes).expect("the tests have ASCII only"))
    }

    fn int(v: i128) -> Taken<'static> {
        Taken::Stored(Value::Int(v))
    }

    #[test]
    fn characters_follow_each_other_up_to_the_end() {
        let character = Taken::Character;
        assert_eq!(given(&[character(104), character(105), character(-1)]), Some("hi".into()));
        assert_eq!(given(&[character(-1), character(104)]), None);
        assert_eq!(given(&[character(-1), character(-1)]), Some(String::new()));
    }

    #[test]
    fn lines_end_with_a_line_break_the_input_or_the_room() {
        let line = |n: i128, text: &'static str| {
            let characters = text.bytes().map(Taken::LineCharacter);
            std::iter::once(Taken::LineLength(n)).chain(characters).collect::<Vec<_>>()
        };
        let two = |a, b| given(&[line(9, a), line(9, b)].concat());
        assert_eq!(two("one\n", "two\n"), Some("one\ntwo\n".into()));
        // Cut off by the room: `k` was larger than what was read.
        assert_eq!(two("one", "two"), Some("onetwo".into()));
        assert_eq!(given(&[line(3, "one"), line(3, "two")].concat()), None);
        assert_eq!(given(&[line(3, "one"), line(0, "")].concat()), Some("one".into()));
    }

    #[test]
    fn conversions_are_separated_where_they_have_to_be() {
        let format = [Number(10), Blank, Characters(1), Blank, Number(10)];
        let all = [Taken::Conversions(3, &format), int(7), int(43), int(-2)];
        assert_eq!(given(&all), Some("7 + -2".into()));
        let again = [&all[..], &[Taken::Conversions(-1, &format)]].concat();
        assert_eq!(given(&again), Some("7 + -2".into()));
        let pairs = [Number(10), Number(16)];
        assert_eq!(given(&[Taken::Conversions(2, &pairs), int(1), int(255)]), Some("1 ff".into()));
        let list = [Number(10), Byte(b','), Number(10)];
        assert_eq!(given(&[Taken::Conversions(2, &list), int(1), int(2)]), Some("1, 2".into()));
        let word = [Taken::Conversions(1, &[Word]), Taken::Word, Taken::WordCharacter(97)];
        assert_eq!(given(&word), Some("a".into()));
    }

    #[test]
    fn conversions_that_fail_end_what_can_be_read() {
        let one = [Number(10)];
        let fails = [Taken::Conversions(1, &one), int(4), Taken::Conversions(0, &one)];
        assert_eq!(given(&fails), Some("4 x".into()));
        assert_eq!(given(&[&fails[..], &[Taken::Character(5)]].concat()), None);
        let two = [Number(10), Number(10)];
        let half = [Taken::Conversions(1, &two), int(4), Taken::Conversions(-1, &two)];
        assert_eq!(given(&half), Some("4".into()));
    }

    #[test]
    fn what_would_be_taken_for_a_part_of_a_number_is_impossible() {
        let joined = [Number(10), Characters(1)];
        assert_eq!(given(&[Taken::Conversions(2, &joined), int(4), int(53)]), None);
        assert_eq!(given(&[Taken::Conversions(2, &joined), int(4), int(59)]), Some("4;".into()));
        let blank = [Blank, Characters(1)];
        assert_eq!(given(&[Taken::Conversions(1, &blank), int(32)]), None);
        assert_eq!(given(&[Taken::Unknown]), None);
    }
}
