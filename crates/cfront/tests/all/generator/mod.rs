//! A generator of small C programs whose behaviour is defined, given that signed arithmetic wraps: integers of all
//! widths, bit-fields, unions, structs by value, arrays, pointers, switch, loops, calls. No expression has two side
//! effects without a sequence point between them; divisors, shift amounts and indices are masked.

#![allow(unreachable_pub, reason = "test files are crates of their own")]

use std::fmt::Write;

const INTS: [&str; 10] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "_Bool",
];

const CONSTANTS: [&str; 16] = [
    "0",
    "1",
    "-1",
    "2",
    "7u",
    "300",
    "0x80000000",
    "5000000000ll",
    "'x'",
    "-128",
    "65535",
    "0xffffffffffffffffull",
    "(-2147483647 - 1)",
    "0x7fffffff",
    "-32768l",
    "1ul",
];

/// One generated program: a set of functions and objects whose names end in its number.
pub struct Generator {
    state: u64,
    number: u32,
    /// Scalar places that can be read and written, in the function that is being written.
    places: Vec<String>,
    /// Names of loop counters so far.
    counters: u32,
    labels: u32,
    /// Functions written so far that can be called: `int f(struct s, long, int *)`.
    functions: u32,
}

impl Generator {
    /// The text of the program's objects and functions; `unsigned long long programN(void)` runs it.
    pub fn program(number: u32, seed: u64) -> String {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(u64::from(number) * 0x1234_5677);
        let mut g = Generator { state, number, places: vec![], counters: 0, labels: 0, functions: 0 };
        g.write()
    }

    fn below(&mut self, n: u64) -> u64 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % n
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(from.len() as u64) as usize]
    }

    fn write(&mut self) -> String {
        let n = self.number;
        let mut out = self.types();
        let (a, b) = (self.pick(&INTS), self.pick(&INTS));
        let (c, d) = (self.pick(&CONSTANTS), self.pick(&CONSTANTS));
        _ = writeln!(out, "static {a} ga{n} = ({a}) {c}; static {b} gb{n}[4] = {{ [1] = ({b}) {d}, 3 }};");
        _ = writeln!(
            out,
            "static struct s{n} gs{n} = {{ .m1 = 1, .m0 = 2 }}, gt{n}[2]; static union u{n} gu{n};"
        );
        _ = writeln!(out, "static int gi{n} = 5, *gp{n} = &gi{n}, **gq{n} = &gp{n};");
        for _ in 0..2 {
            out.push_str(&self.function());
        }
        out.push_str(&self.structured());
        self.body(&mut out);
        out
    }

    /// A struct and a union; the struct always has `m0` (a plain integer), `m1`, and an array `m2`.
    fn types(&mut self) -> String {
        let n = self.number;
        let mut out = format!("struct s{n} {{ {} m0;", self.pick(&INTS[..9]));
        for (member, ty) in [("m1", "int"), ("b1", "unsigned"), ("b2", "signed char"), ("b3", "long long")] {
            let widest = match ty {
                "signed char" => 8,
                "long long" => 40,
                _ => 31,
            };
            let zero = if self.below(8) == 0 { format!("{ty} : 0; ") } else { String::new() };
            _ = write!(out, " {zero}{ty} {member} : {};", 2 + self.below(widest - 1));
        }
        let attribute = self.pick(&["", " __attribute__((packed))", " __attribute__((aligned(16)))"]);
        _ = writeln!(
            out,
            " {} m2[3]; struct {{ {} x; {} y; }} in; }}{attribute};",
            self.pick(&INTS[..9]),
            self.pick(&INTS),
            self.pick(&INTS)
        );
        _ = writeln!(
            out,
            "union u{n} {{ unsigned long long all; unsigned char bytes[8]; struct {{ short lo, low; int mid : 20; \
             unsigned hi : 12; }} parts; {} one; }};",
            self.pick(&INTS[..9])
        );
        out
    }

    /// Places that every function sees.
    fn globals(&self) -> Vec<String> {
        let n = self.number;
        let mut places = vec![format!("ga{n}"), format!("gi{n}"), format!("(*gp{n})"), format!("(**gq{n})")];
        for member in ["m0", "m1", "b1", "b2", "b3", "in.x", "in.y", "m2[1]"] {
            places.push(format!("gs{n}.{member}"));
        }
        places.push(format!("gu{n}.all"));
        places.push(format!("gu{n}.one"));
        places.push(format!("gu{n}.parts.lo"));
        places.push(format!("gu{n}.parts.mid"));
        places
    }

    fn place(&mut self) -> String {
        let at = self.below(self.places.len() as u64) as usize;
        self.places[at].clone()
    }

    /// An expression without side effects.
    fn expr(&mut self, depth: u32) -> String {
        if depth == 0 || self.below(7) == 0 {
            return match self.below(5) {
                0 => self.pick(&CONSTANTS).to_owned(),
                1 => self.indexed(),
                _ => self.place(),
            };
        }
        let (l, r) = (self.expr(depth - 1), self.expr(depth - 1));
        match self.below(18) {
            0..=2 => format!("({l} {} {r})", self.pick(&["+", "-", "*"])),
            3 => format!("({l} / (({r} & 7) + 1))"),
            4 => format!("({l} % (({r} & 15) + 3))"),
            5 => format!("({l} << ({r} & 7))"),
            6 => format!("({l} >> ({r} & 15))"),
            7 => format!("({l} {} {r})", self.pick(&["&", "|", "^"])),
            8 | 9 => format!("({l} {} {r})", self.pick(&["<", "<=", ">", ">=", "==", "!="])),
            10 => format!("({l} {} {r})", self.pick(&["&&", "||"])),
            11 => format!("({l} ? {r} : {})", self.expr(depth - 1)),
            12 | 13 => format!("(({}) {l})", self.pick(&INTS)),
            14 => format!("({}{l})", self.pick(&["- ", "~", "!", "+"])),
            15 => format!("({l}, {r})"),
            16 => format!("(long) sizeof({l} {} {r})", self.pick(&["+", "<<", "&&"])),
            _ => format!("({{ {} inner = {l}; inner + {r}; }})", self.pick(&INTS)),
        }
    }

    fn indexed(&mut self) -> String {
        let (n, index) = (self.number, self.expr(1));
        match self.below(4) {
            0 => format!("gb{n}[{index} & 3]"),
            1 => format!("gu{n}.bytes[{index} & 7]"),
            2 => format!("gt{n}[{index} & 1].m1"),
            _ => format!("*(gb{n} + ({index} & 3))"),
        }
    }

    fn statements(&mut self, count: u64, depth: u32) -> String {
        (0..count).map(|_| self.statement(depth)).collect::<Vec<_>>().join(" ")
    }

    fn statement(&mut self, depth: u32) -> String {
        let (n, e, place) = (self.number, self.expr(3), self.place());
        match self.below(if depth == 0 { 11 } else { 18 }) {
            0 | 1 => format!("{place} = {e};"),
            2 => {
                let op = self.pick(&["+=", "-=", "*=", "&=", "|=", "^="]);
                format!("{place} {op} {e};")
            }
            3 => format!("{place} {} ({e} & 7);", self.pick(&["<<=", ">>="])),
            4 => format!("{place} {} (({e} & 7) + 1);", self.pick(&["/=", "%="])),
            5 => match self.below(2) {
                0 => format!("{place}{};", self.pick(&["++", "--"])),
                _ => format!("v = {}{place};", self.pick(&["++", "--"])),
            },
            6 => format!("v = (w += {e}, {place} = {}, w);", self.expr(2)),
            7 => format!("v = {e} ? (w ^= {}) : (w -= {});", self.expr(2), self.expr(2)),
            8 => self.aggregate(),
            9 => self.pointer(),
            10 => self.call(),
            11 => format!(
                "if ({e}) {{ {} }} else {{ {} }}",
                self.statements(1, depth - 1),
                self.statements(1, depth - 1)
            ),
            12 => format!("v = {e} && (w++, {place} = {}, w & 1);", self.expr(1)),
            13 | 14 => self.repeated(depth),
            15 | 16 => self.switched(depth),
            _ => {
                self.labels += 1;
                let label = format!("out{n}_{}", self.labels);
                let skipped = self.statements(2, depth - 1);
                format!("{{ if ({e}) goto {label}; {skipped} {label}: ; }}")
            }
        }
    }

    fn aggregate(&mut self) -> String {
        let (n, e) = (self.number, self.expr(2));
        match self.below(8) {
            0 => format!("gs{n} = gt{n}[{e} & 1];"),
            1 => format!("gt{n}[{e} & 1] = gs{n};"),
            2 => format!("gs{n} = (struct s{n}) {{ .b1 = {e}, .in = {{ .y = {} }} }};", self.expr(1)),
            3 => format!("gu{n} = (union u{n}) {{ .parts = {{ {e}, 3 }} }};"),
            4 => format!("gu{n}.bytes[{e} & 7] = {};", self.expr(1)),
            5 => format!("gb{n}[{e} & 3] += {};", self.expr(1)),
            6 => format!("__builtin_memcpy(&gu{n}.all, &gs{n}, sizeof gs{n}.m0);"),
            _ => format!(
                "{{ struct s{n} t = gt{n}[0]; gt{n}[0] = gt{n}[1]; gt{n}[1] = t; t.m2[{e} & 1]--; w += t.m2[1]; }}"
            ),
        }
    }

    fn pointer(&mut self) -> String {
        let (n, e) = (self.number, self.expr(2));
        match self.below(5) {
            0 => format!("gp{n} = &gi{n};"),
            1 => format!("gp{n} = &gl{n}[{e} & 3];"),
            2 => format!("*gq{n} = gl{n} + 1; gp{n}[{e} & 1] += 3; w += gp{n} - gl{n};"),
            3 => {
                format!("gp{n} = (int *) (unsigned long) &gl{n}[2]; w += *--gp{n}; w += gp{n} == gl{n} + 1;")
            }
            _ => format!("{{ int *p = gl{n}; while (p < gl{n} + 4) *p++ ^= {e}; w += *(p - 1); }}"),
        }
    }

    fn call(&mut self) -> String {
        let (n, e, f) = (self.number, self.expr(2), self.below(u64::from(self.functions.max(1))));
        match (self.functions, self.below(3)) {
            (0, _) => format!("w += {e};"),
            (2, 0) => format!("gs{n} = h{n}(gt{n}[{e} & 1], {});", self.expr(1)),
            (2, 1) => format!(
                "{{ int (*f)(struct s{n}, long, int *) = {e} ? f{n}_0 : f{n}_1; v = f(gs{n}, w, &gi{n}); }}"
            ),
            _ => format!("v = f{n}_{f}(gs{n}, {e}, gl{n} + ({} & 3));", self.expr(1)),
        }
    }

    fn repeated(&mut self, depth: u32) -> String {
        self.counters += 1;
        let (k, times, e) = (format!("k{}", self.counters), self.below(5), self.expr(2));
        let (first, second) = (self.statements(1, depth - 1), self.statements(1, depth - 1));
        match self.below(3) {
            0 => format!(
                "for (int {k} = 0; {k} < {times}; {k}++) {{ {first} if ({e}) continue; {second} w += {k}; }}"
            ),
            1 => format!("{{ int {k} = {times}; while ({k}-- > 0) {{ {first} if ({e}) break; {second} }} }}"),
            _ => format!(
                "{{ int {k} = 3; do {{ {first} if ({k} == 2) continue; {second} }} while (--{k} > 0); }}"
            ),
        }
    }

    fn switched(&mut self, depth: u32) -> String {
        let e = self.expr(2);
        let mut part = || self.statements(1, depth - 1);
        let (a, b, c) = (part(), part(), part());
        match self.below(3) {
            0 => format!("switch ({e} & 3) {{ case 0: {a} case 1: {b} break; default: {c} }}"),
            1 => format!("switch ((char) {e}) {{ default: {a} break; case 0 ... 60: {b} case -1: {c} }}"),
            _ => format!(
                "switch ({e}) {{ case 5000000000: {a} break; case 1: w++; default: {b} case -2: {c} }}"
            ),
        }
    }

    fn function(&mut self) -> String {
        let (n, f) = (self.number, self.functions);
        self.places = self.globals();
        for own in ["s.m0", "s.b1", "s.b3", "s.in.x", "v", "w", "(*q)", "l"] {
            self.places.push(own.to_owned());
        }
        let forward =
            if f == 0 { format!("static int gl{n}[4] = {{ 9, 8, 7, -6 }};\n") } else { String::new() };
        let body = self.statements(3, 1);
        self.functions += 1;
        format!(
            "{forward}static int f{n}_{f}(struct s{n} s, long l, int *q) {{ int v = 1; unsigned w = 2; {body} \
             return v + w + s.b2 + l; }}\n"
        )
    }

    /// A function that takes and returns a struct.
    fn structured(&mut self) -> String {
        let n = self.number;
        let e = self.expr(2).replace("(*q)", "v");
        format!(
            "static struct s{n} h{n}(struct s{n} s, short l) {{ int v = 3; unsigned w = l; s.m0 += {e}; \
             if (l > 3) return gs{n}; s.m2[l & 1] = v; return s; }}\n"
        )
    }

    fn body(&mut self, out: &mut String) {
        let n = self.number;
        self.places = self.globals();
        let locals = ["v", "w", "x", "y", "z"];
        _ = write!(out, "static unsigned long long program{n}(void) {{ int v = {n}; unsigned w = 1;");
        for name in ["x", "y", "z"] {
            let ty = self.pick(&INTS);
            _ = write!(out, " {ty} {name} = ({ty}) {};", self.pick(&CONSTANTS));
        }
        self.places.extend(locals.map(str::to_owned));
        _ = writeln!(out, " unsigned long long hash = 0;");
        for _ in 0..9 {
            _ = writeln!(out, "  {}", self.statement(2));
        }
        let mut places = self.places.clone();
        places.extend((0..4).flat_map(|i| [format!("gb{n}[{i}]"), format!("gl{n}[{i}]")]));
        places.extend(["m0", "m1", "b1", "b2", "b3", "m2[0]", "m2[2]"].map(|m| format!("gt{n}[1].{m}")));
        for place in places {
            _ = writeln!(out, "  hash = hash * 31 + (unsigned long long) {place};");
        }
        _ = writeln!(out, "  return hash;\n}}");
    }
}
