//! Draws a call: an argument for each placeholder, the objects that it needs, and the world around it.
//!
//! | placeholder | is |
//! |---|---|
//! | `s` `s?` | a string in an array with other bytes behind it, or a literal; or NULL |
//! | `m` | bytes; `o` an array that is written; `cat` one with a short string in it |
//! | `n` `room` | a number of bytes that all arrays before it have; `N` any number of bytes |
//! | `c` `cc` | a character as an `int`; one that functions of `<ctype.h>` take |
//! | `i` `l` `u` `d` `f` | a number of the type; `small` one from -3 to 40, `I` an `int` that has a positive counterpart |
//! | `num` `fnum` | the text of an integer, of a floating-point number; `base` a base; `end` the address of a pointer, or NULL |
//! | `&i` `&l` `&d` `&f` `&u` | the address of an object of this type, with a value |
//! | `print` `scan` `sscan` | a format with its arguments; `sscan` begins with the string |
//! | `in` `out` | a stream to read, to write |
//! | `name` `path` `h` | a name in the environment, a path, a block of memory (or NULL with `h?`) |
//! | `array` `key` `order` | elements, an element, a comparison of elements |
//! | `t` `tm` `zt` | the address of a number of seconds, of a date; a number of seconds |

use super::table::Entry;
use super::{Call, Input, Look, Place, World, numbers, text};
use std::fmt::Write as _;
use testing::Dice;

/// The size of arrays that are written.
const ROOM: usize = 24;

/// Characters that meet often.
const LETTERS: &[u8] = b"abABa b,c1\xe9";

struct Draw<'d> {
    dice: &'d mut Dice,
    count: usize,
    setup: String,
    places: Vec<Place>,
    looks: Vec<Look>,
    /// The least size of the arrays so far.
    room: usize,
    strings: Vec<Vec<u8>>,
    input: Input,
    text: Vec<u8>,
    /// The elements of the array that was drawn.
    elements: usize,
}

/// Directives of `scanf`, what their arguments are, and texts.
const SCANS: &[(&str, &str, &[&str])] = &[
    ("%d", "&i", &["12", " -7", "0x1", "99", "x"]),
    ("%d%n", "&i &i", &["12", " 7", "123", "-"]),
    ("%2d", "&i", &["123", "-45", "7"]),
    ("%1d", "&i", &["12", "7"]),
    ("%i", "&i", &["0x1f", "010", "9", "0x"]),
    ("%x", "&u", &["ff", "0x1F", "g"]),
    ("%u", "&u", &["12", "-1", "4000000000"]),
    ("%o", "&u", &["17", "8"]),
    ("%ld", "&l", &["123456789012", "-1", "a"]),
    ("%hd", "&h", &["12", "70000"]),
    ("%hhd", "&sc", &["12", "300"]),
    ("%c", "o", &["a", " ", "1"]),
    ("%3c", "o", &["abc", "a b", "ab"]),
    ("%s", "o", &["abc", " ab", "a"]),
    ("%2s", "o", &["abcd", "a"]),
    ("%[ab]", "o", &["abba", "aac", "c"]),
    ("%2[^,]", "o", &["ab", "abc", ","]),
    ("%n", "&i", &["", ""]),
    ("%*d", "", &["12", "x"]),
    ("%*s%n", "&i", &["ab", " a"]),
    ("%f", "&f", &["1.5", "-2e1", "x", "1e"]),
    ("%lf", "&d", &["1.5", "-2e1", ".5", "nan"]),
    ("%3lf", "&d", &["1.5", "-2e1", "12345"]),
    (",", "", &[",", ",", "x", ""]),
    (" ", "", &[" ", "", "\n"]),
    ("ab", "", &["ab", "ab", "ac", "a"]),
    ("%%", "", &["%", " %"]),
];

/// What calls may name that the program defines itself.
const HELPERS: [(&str, &str); 6] = [
    (
        "order_with",
        "static int order_with(const void *p, const void *q, void *with) {\n  int a = *(const int *)p, b = *(const int *)q;\n  return a < b ? -1 : a > b;\n}\n",
    ),
    (
        "order",
        "static int order(const void *p, const void *q) {\n  int a = *(const int *)p, b = *(const int *)q;\n  return a < b ? -1 : a > b;\n}\n",
    ),
    ("wild", "static int wild(const void *p, const void *q) {\n  return 1;\n}\n"),
    (
        "counting",
        "static int calls;\nstatic int counting(const void *p, const void *q) {\n  int a = *(const int *)p, b = *(const int *)q;\n  calls++;\n  return a < b ? -1 : a > b;\n}\n",
    ),
    ("count", "static int calls;\nstatic void count(void) {\n  calls++;\n}\n"),
    ("handler", "static void handler(void) {\n}\n"),
];

/// Functions with variable arguments that hand these on: the name, the parameters, what is passed.
const VARIADIC: [(&str, &str, &str); 9] = [
    ("law_vasprintf", "char **to, const char *format", "to, format"),
    ("law_vsnprintf", "char *to, size_t n, const char *format", "to, n, format"),
    ("law_vsprintf", "char *to, const char *format", "to, format"),
    ("law_vprintf", "const char *format", "format"),
    ("law_vfprintf", "FILE *to, const char *format", "to, format"),
    ("law_vdprintf", "int to, const char *format", "to, format"),
    ("law_vscanf", "const char *format", "format"),
    ("law_vfscanf", "FILE *from, const char *format", "from, format"),
    ("law_vsscanf", "const char *from, const char *format", "from, format"),
];

/// The definitions of what these statements name.
fn helpers(statements: &str) -> Vec<String> {
    let words: Vec<&str> = statements.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let named = HELPERS.iter().filter(|(name, _)| words.contains(name));
    let mut all: Vec<String> = named.map(|(_, text)| (*text).to_owned()).collect();
    for (name, parameters, passed) in VARIADIC.iter().filter(|(name, _, _)| words.contains(name)) {
        let function = name.trim_start_matches("law_");
        all.push(format!(
            "static int {name}({parameters}, ...) {{\n  va_list list;\n  va_start(list, format);\n  int r = {function}({passed}, list);\n  va_end(list);\n  return r;\n}}\n"
        ));
    }
    all
}

/// Draws a call of this entry.
pub fn draw(entry: &Entry, dice: &mut Dice) -> Call {
    let (input, text) = (any_input(dice), some_text(dice));
    let mut draw = Draw {
        dice,
        count: 0,
        setup: String::new(),
        places: vec![],
        looks: vec![],
        room: ROOM,
        strings: vec![],
        input,
        text,
        elements: 0,
    };
    let statements = draw.expanded(&entry.statements);
    let mut looks: Vec<Look> = vec![Look::Int("law_errno".to_owned())];
    for (kind, e) in &entry.looks {
        let e = draw.expanded(e);
        looks.push(match kind.as_str() {
            "int" => Look::Int(e),
            "byte" => Look::Byte(e),
            "float" => Look::Float(e),
            "pointer" => Look::Pointer(e),
            "text" => Look::Text(e),
            other => panic!("{other} cannot be looked at"),
        });
    }
    looks.append(&mut draw.looks);
    let mut setup = draw.setup;
    setup.push_str("  errno = 0;\n");
    let mut headers = entry.headers.clone();
    headers.push("errno.h".to_owned());
    let world = World {
        input: draw.input,
        text: draw.text,
        zone: draw.dice.word(&["UTC", "CET-1CEST,M3.5.0,M10.5.0/3", "XYZ12", "<+0545>-5:45", "NZST-12NZDT"]),
        output_is_full: draw.dice.one_in(4),
        failing: if draw.dice.one_in(6) { 1 + draw.dice.below(2) } else { 0 },
    };
    Call {
        name: entry.name.clone(),
        headers,
        globals: helpers(&statements),
        setup,
        statements: format!("  {}\n", statements.trim()),
        looks,
        places: draw.places,
        world,
    }
}

/// What may stand in a file or come from standard input.
fn some_text(dice: &mut Dice) -> Vec<u8> {
    let length = if dice.one_in(3) { dice.below(40) } else { dice.below(9) };
    (0..length).map(|_| *dice.of(b"ab 1\n,x-\0\xff")).collect()
}

fn any_input(dice: &mut Dice) -> Input {
    match dice.below(8) {
        0 => Input::Folder,
        1 => Input::Text(vec![]),
        2..=4 => Input::Stuck(some_text(dice)),
        _ => Input::Text(some_text(dice)),
    }
}

impl Draw<'_> {
    /// The text with arguments in the place of the placeholders.
    fn expanded(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('<') {
            out.push_str(before);
            let word =
                after.split_once('>').filter(|(word, _)| !word.is_empty() && !word.contains([' ', '=', '(']));
            match word {
                Some((word, after)) => {
                    let argument = self.argument(word);
                    out.push_str(&argument);
                    rest = after;
                }
                None => {
                    out.push('<');
                    rest = after;
                }
            }
        }
        out + rest
    }

    fn fresh(&mut self) -> String {
        self.count += 1;
        format!("x{}", self.count)
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.setup, "  {line}");
    }

    /// An array of these bytes, which is observed.
    fn array(&mut self, name: &str, bytes: &[u8]) {
        self.line(&format!("char {name}[{}] = {};", bytes.len(), text::bytes(bytes)));
        self.place(name, bytes.len());
        for k in 0..bytes.len() {
            self.looks.push(Look::Byte(format!("{name}[{k}]")));
        }
    }

    fn place(&mut self, name: &str, size: usize) {
        self.places.push(Place { base: format!("(char *){name}"), size });
    }

    fn letters(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| *self.dice.of(LETTERS)).collect()
    }

    /// A string, often one like those before.
    fn some_string(&mut self) -> Vec<u8> {
        let mut string = if !self.strings.is_empty() && self.dice.one_in(2) {
            let other = self.dice.below(self.strings.len());
            let other = self.strings[other].clone();
            let from = self.dice.below(other.len() + 1);
            let to = from + self.dice.below(other.len() + 1 - from);
            if self.dice.one_in(2) { other } else { other[from..to].to_vec() }
        } else {
            let length = self.dice.below(8);
            self.letters(length)
        };
        if !string.is_empty() && self.dice.one_in(4) {
            let at = self.dice.below(string.len());
            string[at] = *self.dice.of(LETTERS);
        }
        self.strings.push(string.clone());
        string
    }

    /// The string as an argument.
    fn string(&mut self, name: &str, string: &[u8]) -> String {
        if self.dice.one_in(4) {
            let literal = text::literal(string);
            self.line(&format!("const char *{name} = {literal};"));
            self.place(name, string.len() + 1);
            return name.to_owned();
        }
        let mut bytes = string.to_vec();
        bytes.push(0);
        let more = self.dice.below(4);
        bytes.extend(self.letters(more));
        self.array(name, &bytes);
        name.to_owned()
    }

    /// The argument for a placeholder `KIND` or `KIND:NAME`.
    fn argument(&mut self, word: &str) -> String {
        let (kind, name) = match word.split_once(':') {
            Some((kind, name)) => (kind, name.to_owned()),
            None => (word, self.fresh()),
        };
        if let Some(kind) = kind.strip_suffix('?') {
            if self.dice.one_in(4) {
                return "0".to_owned();
            }
            return self.argument(&format!("{kind}:{name}"));
        }
        let value =
            self.number(kind).or_else(|| self.buffer(kind, &name)).or_else(|| self.object(kind, &name));
        value
            .or_else(|| self.outside(kind, &name))
            .unwrap_or_else(|| panic!("no argument is of the kind {kind}"))
    }

    /// Numbers.
    fn number(&mut self, kind: &str) -> Option<String> {
        let dice = &mut *self.dice;
        Some(match kind {
            "i" => numbers::int(dice),
            "I" => match numbers::int(dice) {
                least if least.starts_with('(') => "-2147483647".to_owned(),
                other => other,
            },
            "l" => numbers::long(dice),
            "u" => format!("{}u", dice.bits() as u32 >> dice.below(32)),
            "ul" => format!("{}ul", dice.bits() >> dice.below(64)),
            "d" => numbers::double(dice),
            "f" => numbers::float(dice),
            "small" => dice.within(-3, 40).to_string(),
            "ss" => dice.within(-3, 3).to_string(),
            // A constant.
            n if n.starts_with(|c: char| c.is_ascii_digit()) && n != "1or2" => n.to_owned(),
            "1or2" => dice.within(1, 2).to_string(),
            "ld" => format!("{}.5L", dice.within(-20, 20)),
            "whence" => dice.of(&["SEEK_SET", "SEEK_CUR", "SEEK_END", "77"]).to_string(),
            "buffering" => dice.of(&["_IOFBF", "_IOLBF", "_IONBF", "77"]).to_string(),
            "kind" => dice
                .word(&[
                    "PTHREAD_MUTEX_NORMAL",
                    "PTHREAD_MUTEX_RECURSIVE",
                    "PTHREAD_MUTEX_ERRORCHECK",
                    "PTHREAD_MUTEX_ADAPTIVE_NP",
                ])
                .to_owned(),
            "c" => match dice.below(6) {
                0 => dice.of(&[0, -1, 256 + 97, 255, 233, -23, 1000]).to_string(),
                _ => dice.of(LETTERS).to_string(),
            },
            "cc" => dice.within(-1, 255).to_string(),
            "base" => dice.of(&[10, 10, 0, 16, 8, 2, 36, 1, 37, -1, 7]).to_string(),
            "errno" => dice.of(&[0, 1, 2, 12, 22, 34, 133, 134, -1, 9999]).to_string(),
            "signal" => dice.of(&[0, 1, 2, 9, 11, 64, -1, 100]).to_string(),
            "mode" => dice.of(&[0, 0x400, 0x800, 0xc00]).to_string(),
            "n" | "room" => match dice.below(4) {
                0 => self.room.to_string(),
                1 => "0".to_owned(),
                _ => dice.below(self.room + 1).to_string(),
            },
            "N" => match dice.below(6) {
                0 => "(unsigned long)-1".to_owned(),
                1 => "0".to_owned(),
                _ => dice.below(12).to_string(),
            },
            "bytes" => dice
                .of(&["0", "1", "5", "8", "16", "100", "5000", "-1ul", "-1ul / 2", "1ul << 62"])
                .to_string(),
            "few" => dice.of(&["0", "1", "2", "3", "10", "1ul << 33", "-1ul"]).to_string(),
            "alignment" => dice.of(&["8", "16", "64", "256", "4096", "3", "0", "4", "24"]).to_string(),
            "zt" => self.seconds(),
            "elements" => self.elements.to_string(),
            _ => return None,
        })
    }

    fn seconds(&mut self) -> String {
        match self.dice.below(4) {
            0 => numbers::long(self.dice),
            1 => self.dice.within(-3_000_000_000, 6_000_000_000).to_string() + "L",
            2 => self
                .dice
                .of(&["0L", "-1L", "951782399L", "951782400L", "67768036191676799L", "-67768040609740800L"])
                .to_string(),
            _ => self.dice.within(0, 2_000_000_000).to_string(),
        }
    }

    /// Strings and arrays of bytes.
    fn buffer(&mut self, kind: &str, name: &str) -> Option<String> {
        Some(match kind {
            "s" => {
                let string = self.some_string();
                self.string(name, &string)
            }
            // One that is changed.
            "ws" => {
                let mut bytes = self.some_string();
                bytes.push(0);
                self.array(name, &bytes);
                name.to_owned()
            }
            "num" => {
                let string = numbers::integer_text(self.dice);
                self.string(name, &string)
            }
            "fnum" => {
                let string = numbers::float_text(self.dice);
                self.string(name, &string)
            }
            "m" => {
                let length = 1 + self.dice.below(9);
                let mut bytes = self.letters(length);
                if let Some(before) = self.strings.last().filter(|_| self.dice.one_in(2)) {
                    let common = before.len().min(length);
                    bytes[..common].copy_from_slice(&before[..common]);
                }
                if self.dice.one_in(3) {
                    bytes[self.dice.below(length)] = 0;
                }
                self.strings.push(bytes.clone());
                self.room = self.room.min(length);
                self.array(name, &bytes);
                name.to_owned()
            }
            "o" | "cat" => {
                let mut bytes = if self.dice.one_in(2) { vec![b'q'; ROOM] } else { self.letters(ROOM) };
                if kind == "cat" || self.dice.one_in(2) {
                    bytes[self.dice.below(8)] = 0;
                }
                self.array(name, &bytes);
                name.to_owned()
            }
            "wide" => {
                self.array(name, &[b'q'; 16]);
                // The text may be long; only its beginning is observed.
                self.setup = self.setup.replace(&format!("char {name}[16]"), &format!("char {name}[2000]"));
                name.to_owned()
            }
            "h" => {
                let size = 1 + self.dice.below(40);
                let content = self.letters(size);
                self.line(&format!("char *{name} = malloc({size});"));
                self.line(&format!("if (!{name}) return 0;"));
                for (k, c) in content.iter().enumerate().take(6) {
                    self.line(&format!("{name}[{k}] = {};", *c as i8));
                }
                self.line(&format!("char *{name}_base = {name};"));
                self.place(&format!("{name}_base"), size);
                name.to_owned()
            }
            _ => return None,
        })
    }

    /// Objects of other types.
    fn object(&mut self, kind: &str, name: &str) -> Option<String> {
        if let Some(of) = kind.strip_prefix('&') {
            let (ty, value) = match of {
                "i" => ("int", numbers::int(self.dice)),
                "l" => ("long", numbers::long(self.dice)),
                "u" => ("unsigned", self.dice.below(100).to_string()),
                "d" => ("double", numbers::double(self.dice)),
                "f" => ("float", numbers::float(self.dice)),
                "sc" => ("signed char", self.dice.within(-128, 127).to_string()),
                "h" => ("short", self.dice.within(-300, 300).to_string()),
                _ => return None,
            };
            self.line(&format!("{ty} {name} = {value};"));
            let look = if matches!(of, "d" | "f") { Look::Float } else { Look::Int };
            self.looks.push(look(name.to_owned()));
            return Some(format!("&{name}"));
        }
        Some(match kind {
            "end" => {
                self.line(&format!("char *{name} = 0;"));
                self.looks.push(Look::Pointer(name.to_owned()));
                format!("&{name}")
            }
            "array" => {
                self.elements = self.dice.below(5);
                let size = self.elements.max(1);
                let list: Vec<String> = (0..size).map(|_| self.dice.within(-3, 3).to_string()).collect();
                self.line(&format!("int {name}[{size}] = {{{}}};", list.join(", ")));
                self.place(name, 4 * size);
                for k in 0..size {
                    self.looks.push(Look::Int(format!("{name}[{k}]")));
                }
                name.to_owned()
            }
            "sorted" => {
                self.elements = self.dice.below(5);
                let size = self.elements.max(1);
                let mut list: Vec<i64> = (0..size).map(|_| self.dice.within(-3, 3)).collect();
                list.sort_unstable();
                let list: Vec<String> = list.iter().map(ToString::to_string).collect();
                self.line(&format!("int {name}[{size}] = {{{}}};", list.join(", ")));
                self.place(name, 4 * size);
                name.to_owned()
            }
            "order" | "handler" => kind.to_owned(),
            "t" => {
                let seconds = self.seconds();
                self.line(&format!("time_t {name} = {seconds};"));
                format!("&{name}")
            }
            "tm" => self.date(name),
            "print" => self.print(name),
            "scan" => {
                let (format, text) = self.scan();
                self.input = Input::Text(text);
                format
            }
            "finput" => {
                let (format, text) = self.scan();
                if self.dice.one_in(2) {
                    self.input = Input::Text(text);
                    return Some(format!("stdin, {format}"));
                }
                self.text = text;
                let stream = self.stream(name, "\"text\", \"r\"");
                format!("{stream}, {format}")
            }
            "sscan" => {
                let (format, text) = self.scan();
                let text: Vec<u8> = text.into_iter().take_while(|c| *c != 0).collect();
                format!("{}, {format}", self.string(name, &text))
            }
            _ => return None,
        })
    }

    fn date(&mut self, name: &str) -> String {
        let dice = &mut *self.dice;
        let values = if dice.one_in(2) {
            let (year, month) = (dice.within(-70, 300), dice.within(0, 11));
            [
                dice.within(0, 59),
                dice.within(0, 59),
                dice.within(0, 23),
                dice.within(1, 31),
                month,
                year,
                0,
                0,
                0,
            ]
        } else {
            let mut one = || dice.within(-100, 1000);
            [one(), one(), one(), one(), one(), one(), 1, 1, -1]
        };
        let list: Vec<String> = values.iter().map(ToString::to_string).collect();
        self.line(&format!("struct tm {name} = {{{}}};", list.join(", ")));
        for member in ["sec", "min", "hour", "mday", "mon", "year", "wday", "yday", "isdst"] {
            self.looks.push(Look::Int(format!("{name}.tm_{member}")));
        }
        format!("&{name}")
    }

    /// A format of `printf`, and its arguments.
    fn print(&mut self, name: &str) -> String {
        const INTS: [&str; 13] =
            ["%d", "%5d", "%-5d", "%05d", "%+d", "% d", "%x", "%#x", "%X", "%o", "%u", "%.3d", "%i"];
        const DOUBLES: [&str; 9] = ["%f", "%.1f", "%e", "%g", "%a", "%8.2f", "%.0f", "%+g", "%-9.1e"];
        const STRINGS: [&str; 5] = ["%s", "%.2s", "%5s", "%-5s", "%.0s"];
        let (mut format, mut arguments) = (String::new(), String::new());
        for k in 0..=self.dice.below(3) {
            format += self.dice.word(&["", "", "a", ", ", "100%%", "\\n", "x=", " "]);
            match self.dice.below(9) {
                0..=2 => {
                    format += self.dice.word(&INTS);
                    let _ = write!(arguments, ", {}", numbers::int(self.dice));
                }
                3 => {
                    format += self.dice.word(&["%ld", "%lld", "%lu", "%lx", "%20ld"]);
                    let _ = write!(arguments, ", {}", numbers::long(self.dice));
                }
                4 => {
                    format += self.dice.word(&["%hhd", "%hd", "%hu", "%hhu"]);
                    let _ = write!(arguments, ", {}", numbers::int(self.dice));
                }
                5 => {
                    format += "%c";
                    let _ = write!(arguments, ", {}", self.dice.of(LETTERS));
                }
                6 => {
                    format += self.dice.word(&DOUBLES);
                    let _ = write!(arguments, ", {}.{}", self.dice.within(-999, 999), self.dice.below(100));
                }
                7 => {
                    format += self.dice.word(&STRINGS);
                    let string = self.some_string();
                    let string = self.string(&format!("{name}_{k}"), &string);
                    let _ = write!(arguments, ", {string}");
                }
                _ => {
                    format += "%*d";
                    let _ = write!(arguments, ", {}, {}", self.dice.within(-6, 6), numbers::int(self.dice));
                }
            }
        }
        format!("\"{format}\"{arguments}")
    }

    /// A format of `scanf` with its arguments, and a text that often fits.
    fn scan(&mut self) -> (String, Vec<u8>) {
        let (mut format, mut arguments, mut input) = (String::new(), String::new(), vec![]);
        for _ in 0..=self.dice.below(3) {
            let (directive, kind, texts) = *self.dice.of(SCANS);
            format += directive;
            for kind in kind.split_whitespace() {
                let argument = self.argument(kind);
                let _ = write!(arguments, ", {argument}");
            }
            input.extend(self.dice.word(texts).bytes());
        }
        if self.dice.one_in(8) {
            input.truncate(self.dice.below(input.len() + 1));
        }
        if self.dice.one_in(8) {
            input.clear();
        }
        (format!("\"{format}\"{arguments}"), input)
    }

    /// Streams, files, names.
    fn outside(&mut self, kind: &str, name: &str) -> Option<String> {
        Some(match kind {
            "in" => match self.dice.below(5) {
                0 | 1 => "stdin".to_owned(),
                2 => self.stream(name, "\"text\", \"r\""),
                3 => self.stream(name, "\"folder\", \"r\""),
                _ => {
                    let stream = self.stream(name, "\"text\", \"r\"");
                    if self.dice.one_in(3) {
                        self.line(&format!("close(fileno({stream}));"));
                    }
                    stream
                }
            },
            "out" => match self.dice.below(5) {
                0 | 1 => "stdout".to_owned(),
                2 => self.stream(name, "\"written\", \"w\""),
                3 => {
                    let stream = self.stream(name, "\"/dev/full\", \"w\"");
                    self.line(&format!("setvbuf({stream}, 0, _IONBF, 0);"));
                    stream
                }
                _ => self.stream(name, "\"text\", \"r\""),
            },
            "update" => self.stream(name, "\"text\", \"r+\""),
            "name" => format!("\"{}\"", self.dice.word(&["HOME", "TZ", "EMPTY", "LAW_MISSING", ""])),
            "path" => format!(
                "\"{}\"",
                self.dice.word(&["text", "empty", "folder", "missing", "", "missing/x", "text/x"])
            ),
            "open" => format!("\"{}\"", self.dice.word(&["r", "w", "a", "r+", "rb", "q", ""])),
            "locale" => format!("\"{}\"", self.dice.word(&["C", "POSIX", "C.utf8", "", "xx_XX", "C.UTF-8"])),
            "fd" => self.dice.word(&["0", "1", "-1", "99"]).to_owned(),
            _ => return None,
        })
    }

    /// A stream that is open.
    fn stream(&mut self, name: &str, arguments: &str) -> String {
        self.line(&format!("FILE *{name} = fopen({arguments});"));
        self.line(&format!("if (!{name}) return 0;"));
        name.to_owned()
    }
}
