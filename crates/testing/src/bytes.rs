//! Random C programs about objects that are accessed at several types: unions, bit-fields, `char *` into
//! numbers and records, blocks that are copied and set, numbers read from buffers, addresses as numbers. They
//! have no undefined behaviour, whatever `in` is, for a little-endian machine and a compiler run with
//! `-fno-strict-aliasing`.

use crate::Dice;
use std::fmt::Write;

const DECLARATIONS: &str = "\
#include <string.h>
union U { int i; unsigned u; short s[2]; unsigned char b[4]; struct { unsigned f : 5, g : 11, h : 16; } p; };
struct S { int i; short s; unsigned char t[2]; long l; };
union F { float f; unsigned u; unsigned char b[4]; };
union U u, v;
struct S s, t;
union F f;
unsigned x, y;
long l;
unsigned char buf[24];

static void mix(unsigned char *p, int n, unsigned k) {
    for (int i = 0; i < n; i++)
        p[i] = (unsigned char)(p[i] * 3u + k);
}
static unsigned word(const void *p) {
    return *(const unsigned *)p;
}
";

/// The objects, with their sizes.
const OBJECTS: [(&str, usize); 8] =
    [("u", 4), ("v", 4), ("s", 16), ("t", 16), ("x", 4), ("y", 4), ("l", 8), ("buf", 24)];

/// A program with this seed.
pub struct Bytes {
    dice: Dice,
    body: String,
    asked: String,
}

impl Bytes {
    /// Statements about the objects.
    pub fn new(seed: u64) -> Bytes {
        let mut this = Bytes { dice: Dice::new(seed), body: String::new(), asked: String::new() };
        for _ in 0..this.dice.within(3, 9) {
            this.statement(1);
        }
        this.asked = this.value();
        this
    }

    /// The program that prints all bytes in the end; `in` is 5.
    pub fn printing(&self) -> String {
        let mut out =
            format!("#include <stdio.h>\n{DECLARATIONS}\nstatic void show(const void *p, int n) {{\n");
        out.push_str(
            "    for (int i = 0; i < n; i++)\n        printf(\"%02x\", ((const unsigned char *)p)[i]);\n",
        );
        out.push_str("    printf(\"\\n\");\n}\n\nint main(void) {\n    unsigned in = 5;\n");
        out.push_str(&self.body);
        for (name, size) in OBJECTS {
            let _ = writeln!(out, "    show(&{name}, {size});");
        }
        out.push_str("    show(&f, 4);\n    return 0;\n}\n");
        out
    }

    /// The program that tests a condition about one of its bytes, for an `in` from 0 to 7. The prologue defines
    /// `input()`, and `asked` is a statement about `byte`.
    pub fn asking(&self, prologue: &str, asked: &str) -> String {
        format!(
            "{prologue}{DECLARATIONS}\nint main(void) {{\n    unsigned in = input() & 7;\n{}    unsigned byte = ({}) & 0xff;\n    \
             {asked}\n    return 0;\n}}\n",
            self.body, self.asked
        )
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.body, "{}{text}", "    ".repeat(depth));
    }

    /// A number without sign.
    fn value(&mut self) -> String {
        match self.dice.below(15) {
            0 => "(unsigned)u.i".into(),
            1 => "v.u".into(),
            2 => format!("(unsigned)u.s[{}]", self.dice.below(2)),
            3 => format!("(unsigned)v.b[{}]", self.dice.below(4)),
            4 => ["(unsigned)u.p.f", "(unsigned)u.p.g", "(unsigned)v.p.h"][self.dice.below(3)].into(),
            5 => ["(unsigned)s.i", "(unsigned)t.s", "(unsigned)s.l", "(unsigned)t.t[1]"][self.dice.below(4)]
                .into(),
            6 => ["x", "y", "(unsigned)l"][self.dice.below(3)].into(),
            7 => format!("(unsigned)buf[{}]", self.dice.below(24)),
            8 => format!("word(buf + {})", 4 * self.dice.below(6)),
            9 => format!("(unsigned)((const unsigned char *)&l)[{}]", self.dice.below(8)),
            10 => "in".into(),
            11 => {
                let (a, b) = (self.value(), self.value());
                format!("({a} {} {b})", self.dice.word(&["+", "-", "^", "&", "|", "*"]))
            }
            12 => "(f.u >> 3)".into(),
            13 => {
                let (a, b) = (self.dice.below(24), self.dice.below(24));
                format!("(unsigned)((unsigned long)&buf[{a}] - (unsigned long)&buf[{b}])")
            }
            _ => format!("{}u", self.dice.below(300)),
        }
    }

    fn statement(&mut self, depth: usize) {
        let value = self.value();
        match self.dice.below(19) {
            0 => self.line(depth, &format!("u.u = {value};")),
            1 => {
                let at = self.dice.below(2);
                self.line(depth, &format!("v.s[{at}] = (short)({value} & 0x7fff);"));
            }
            2 => self.line(depth, &format!("u.b[in & 3] = (unsigned char){value};")),
            3 => {
                let (object, field) = (self.dice.word(&["u", "v"]), self.dice.word(&["f", "g", "h"]));
                self.line(depth, &format!("{object}.p.{field} = {value};"));
            }
            4 => self.line(depth, &format!("s.i = (int)({value} & 0xffffff);")),
            5 => self.line(depth, &format!("t.t[in & 1] = (unsigned char){value};")),
            6 => self.line(depth, &format!("l = (long)((unsigned long){value} * 77777u);")),
            7 => {
                let ((to, a), (from, b)) = (*self.dice.of(&OBJECTS), *self.dice.of(&OBJECTS));
                if to != from {
                    let n = 1 + self.dice.below(a.min(b));
                    self.line(depth, &format!("memcpy(&{to}, &{from}, {n});"));
                }
            }
            8 => {
                let (to, size) = *self.dice.of(&OBJECTS);
                let n = 1 + self.dice.below(size);
                self.line(depth, &format!("memset(&{to}, (int)({value} & 0xff), {n});"));
            }
            9 => {
                let pair = self.dice.word(&["u = v;", "v = u;", "s = t;", "t = s;"]);
                self.line(depth, pair);
            }
            10 => {
                let (to, size) = *self.dice.of(&OBJECTS);
                let n = 1 + self.dice.below(size);
                self.line(depth, &format!("mix((unsigned char *)&{to}, {n}, {value});"));
            }
            11 => {
                let at = 4 * self.dice.below(6);
                self.line(depth, &format!("*(unsigned *)(buf + {at}) = {value};"));
            }
            12 => self.line(depth, &format!("((short *)&l)[in & 3] = (short)({value} & 0xfff);")),
            // Never a NaN.
            13 => self.line(depth, &format!("f.f = (float)({value} & 0xffff) / 8.0f;")),
            14 => self.line(depth, &format!("f.b[in & 1] = (unsigned char){value};")),
            15 => {
                let (object, size) = *self.dice.of(&OBJECTS);
                let (at, back) = (self.dice.below(size), self.dice.below(30));
                let number = format!("(unsigned long)&{object} + {} - {back}", at + back);
                self.line(depth, &format!("*(unsigned char *)({number}) = (unsigned char){value};"));
            }
            16 => {
                self.line(depth, &format!("*(unsigned *)(((unsigned long)&x | (in & 1)) & ~3ul) = {value};"))
            }
            17 => self.line(
                depth,
                &format!(
                    "*(unsigned *)(((unsigned long)&x ^ (unsigned long)&y) ^ (unsigned long)&x) = {value};"
                ),
            ),
            _ if depth < 3 => {
                self.line(depth, &format!("if (({value} & 3) == 1) {{"));
                self.statement(depth + 1);
                self.line(depth, "} else {");
                self.statement(depth + 1);
                self.line(depth, "}");
            }
            _ => self.line(depth, &format!("x = {value};")),
        }
    }
}
