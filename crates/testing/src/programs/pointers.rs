//! Random C-- programs with pointers of all kinds. A program is read off a tape of bytes, so that a shorter tape
//! is a smaller program; every tape gives a well-formed one.

use std::fmt::Write;

const DECLARATIONS: &str = "model LP64; entry main;
struct list { int v; struct list *next; int *p; };
struct pair { int tag; struct list a; int arr[3]; struct list *q; };
union both { int i; int *p; long n; };
union one { int i; char c; };
struct tagged { int tag; union both b; int after; };
struct named { char name[4]; char t; int k; };
struct three { int a; int b; int c; };
struct mixed { int h[2]; int c; struct list *l; };
struct deep { int before; int in[3]; int after; struct three th[2]; };
struct head { int n; int a[]; };
struct old { int n; int a[1]; };
global int mx[2][2]; global struct named nm; global struct three tr; global struct deep dp; global struct mixed ml;
global int x; global int y; global int arr[4]; global struct list s; global struct list t;
global struct pair pr; global union both u; global union one w; global struct tagged tg; global int *gp; global int **pp; global char buf[24];
global int (*fp)(struct list *, int *);
extern int *outside(struct list *, int *);
";

/// Integer locations that the procedures of the programs can name.
pub const INTS: &[&str] = &[
    "x",
    "y",
    "i",
    "j",
    "arr[i & 3]",
    "arr[1]",
    "arr[2]",
    "s.v",
    "t.v",
    "*p",
    "*q",
    "p[1]",
    "l->v",
    "l->next->v",
    "pr.tag",
    "pr.a.v",
    "pr.arr[j & 1]",
    "pr.arr[2]",
    "**pp",
    "tg.tag",
    "tg.b.i",
    "tg.after",
    "u.i",
    "w.i",
    "*l->p",
    "f",
    "m->a.v",
    "m->tag",
    "m->q->v",
    "mx[i & 1][j & 1]",
    "mx[0][1]",
    "mx[1][0]",
    "dp.before",
    "dp.in[j & 1]",
    "dp.in[2]",
    "dp.after",
    "dp.th[i & 1].b",
    "dp.th[1].a",
    "tr.b",
    "tr.c",
    "nm.k",
    "ml.h[1]",
    "ml.c",
    "o->h[1]",
    "o->h[j & 1]",
    "o->c",
    "w3->b",
    "w3->c",
    "d->in[j & 1]",
    "d->in[1]",
    "d->after",
    "d->th[i & 1].c",
    "hd->n",
    "hd->a[1]",
    "hd->a[j & 3]",
    "od->a[j & 1]",
    "p[2]",
    "p[3]",
    "p[j]",
    "p[-1]",
];
/// Pointers to integers.
pub const INT_PTRS: &[&str] =
    &["p", "q", "gp", "*pp", "s.p", "t.p", "l->p", "pr.a.p", "tg.b.p", "u.p", "l->next->p", "h"];
/// Pointers to list cells.
pub const LISTS: &[&str] = &["l", "k", "s.next", "t.next", "l->next", "pr.q", "pr.a.next", "m->q"];

/// Picks by successive bytes of a tape.
struct Tape<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Tape<'_> {
    fn pick(&mut self, n: usize) -> usize {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(byte) % n
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.pick(of.len())]
    }

    fn int(&mut self) -> String {
        match self.pick(6) {
            0 => "1".into(),
            1 => format!("{} + 1", self.one(INTS)),
            2 => "(int)n".into(),
            3 => format!("{} == {}", self.one(INT_PTRS), self.one(INT_PTRS)),
            _ => self.one(INTS).into(),
        }
    }

    fn int_ptr(&mut self) -> String {
        match self.pick(15) {
            12 => self
                .one(&["&mx[0][0]", "&mx[1][0]", "&dp.in[0]", "&dp.in[j & 1]", "&dp.th[0].b", "&ml.h[0]"])
                .into(),
            13 => self
                .one(&["(int *)&tr", "(int *)&dp", "(int *)o", "(int *)hd", "(int *)&ml", "(int *)c"])
                .into(),
            14 => format!("{} + {}", self.one(&["p", "q"]), self.one(&["2", "j", "3", "-1"])),
            0 => format!("&{}", self.one(INTS)),
            1 => format!("&{}", self.one(&["x", "y", "arr[0]", "s.v", "pr.arr[1]", "l->v"])),
            2 => "(int *)c".into(),
            3 => self
                .one(&["(int *)z", "(int *)((char *)&tg.b.i + 8L)", "&tg.b.i", "(int *)((char *)pp - 8L)"])
                .into(),
            4 => self
                .one(&[
                    "(int *)n",
                    "(int *)(n - 4L)",
                    "(int *)((long)p + 4L)",
                    "(int *)((long)j * 4L + (long)q)",
                ])
                .into(),
            5 => format!("{} + {}", self.one(INT_PTRS), self.one(&["1", "j", "-1"])),
            6 => format!("(int *){}", self.one(LISTS)),
            _ => self.one(INT_PTRS).into(),
        }
    }

    fn list(&mut self) -> String {
        match self.pick(12) {
            0 => "&s".into(),
            1 => "&t".into(),
            2 => "&pr.a".into(),
            3 => "(struct list *)z".into(),
            4 => "(struct list *)((char *)pp - 16L)".into(),
            5 => format!("(struct list *){}", self.one(&["c", "q", "m"])),
            6 => "&m->a".into(),
            _ => self.one(LISTS).into(),
        }
    }

    fn char_ptr(&mut self) -> String {
        match self.pick(9) {
            6 => self.one(&["c + 1L", "c + n", "c + 4L", "c - 4L"]).into(),
            7 => self
                .one(&["(char *)&nm", "&nm.name[0]", "&nm.name[i & 3]", "(char *)&dp", "(char *)&tr"])
                .into(),
            8 => {
                self.one(&["(char *)&ml", "(char *)o", "(char *)p", "(char *)&mx[0][0]", "(char *)hd"]).into()
            }
            0 => "c + 8L".into(),
            1 => "c - 8L".into(),
            2 => "&buf[0]".into(),
            3 => format!("(char *){}", self.one(LISTS)),
            4 => format!("(char *){}", self.one(INT_PTRS)),
            _ => "(char *)pp - 8L".into(),
        }
    }

    fn pointer(&mut self) -> String {
        match self.pick(7) {
            5 => self.one(&["&dp", "&tr", "&nm", "&ml", "&dp.th", "&dp.in[1]", "&nm.t"]).into(),
            6 => self.one(&["o", "w3", "d", "hd", "c", "p"]).into(),
            0 => self.one(LISTS).into(),
            1 => "c".into(),
            2 => "m".into(),
            3 => self.one(&["&u", "&buf", "&pr", "pp", "&tg", "&tg.b"]).into(),
            _ => self.one(INT_PTRS).into(),
        }
    }

    fn operation(&mut self) -> String {
        match self.pick(30) {
            26 => self.layouts(),
            27 => self.layouts(),
            28 => self.bytes(),
            29 => format!("{} = {};", self.one(&["p", "q"]), self.int_ptr()),
            0..=5 => format!("{} = {};", self.one(INTS), self.int()),
            6..=9 => format!("{} = {};", self.one(INT_PTRS), self.int_ptr()),
            10..=13 => format!("{} = {};", self.one(LISTS), self.list()),
            14 => {
                format!(
                    "pp = {};",
                    self.one(&["&p", "&gp", "&s.p", "&l->p", "pp + 1", "(int **)z", "&u.p", "&tg.b.p"])
                )
            }
            15 => format!("c = {};", self.char_ptr()),
            16 => format!("z = (void *){};", self.pointer()),
            17 => self
                .one(&[
                    "n = (long)p;",
                    "n = (long)c;",
                    "n = n + 4L;",
                    "n = n - 8L;",
                    "n = (long)k + (long)i * 8L;",
                    "n = u.n;",
                    "u.n = n;",
                    "tg.b.n = n;",
                    "n = tg.b.n;",
                    "n = 3L;",
                ])
                .into(),
            18 => {
                self.one(&["*c = 'a';", "i = (int)*c;", "w.i = 1;", "i = (int)w.c;", "*c = *(c + 1);"]).into()
            }
            19 => format!(
                "m = {};",
                self.one(&["&pr", "(struct pair *)((char *)l - 8L)", "(struct pair *)z", "m"])
            ),
            20 => {
                let size = self.one(&["24L", "64L", "8L", "n"]);
                match self.pick(4) {
                    0 => format!("l = alloc({size});"),
                    1 => format!("p = alloc({size});"),
                    2 => format!("z = alloc({size}, zeroed);"),
                    _ => format!("l->next = alloc({size});"),
                }
            }
            21 => {
                let (to, from) = (self.pointer(), self.pointer());
                format!("memmove({to}, {from}, {});", self.one(&["4L", "8L", "24L", "n"]))
            }
            22 => format!("memset({}, 0, {});", self.pointer(), self.one(&["4L", "8L", "24L"])),
            23 => format!(
                "{} = {}({}, {});",
                self.one(INT_PTRS),
                self.one(&["rec", "rec", "outside"]),
                self.list(),
                self.int_ptr()
            ),
            24 => match self.pick(3) {
                0 => format!("{} = (*fp)({}, {});", self.one(INTS), self.list(), self.int_ptr()),
                1 => "fp = &other;".into(),
                _ => "fp = &third;".into(),
            },
            _ => match self.pick(3) {
                0 => format!("havoc({}, input \"in\");", self.one(&["i", "j", "*p", "l->v"])),
                1 => "havoc(gp, input \"in\");".into(),
                _ => format!("assume({} != {});", self.one(INTS), self.one(INTS)),
            },
        }
    }

    /// Structures seen as others, and walked by element.
    fn layouts(&mut self) -> String {
        self.one(&[
            "o = (struct mixed *)&tr;",
            "o = (struct mixed *)p;",
            "o = (struct mixed *)&dp;",
            "o = &ml;",
            "w3 = (struct three *)o;",
            "w3 = &dp.th[0];",
            "w3 = &dp.th[j & 1];",
            "w3 = w3 + 1;",
            "w3 = w3 + j;",
            "w3 = &tr;",
            "d = &dp;",
            "d = (struct deep *)((char *)p - 4L);",
            "hd = alloc(24L);",
            "hd = (struct head *)p;",
            "hd = (struct head *)&dp;",
            "od = alloc(24L);",
            "od = (struct old *)hd;",
            "memmove(w3, &tr, 12L);",
            "n = 8L;",
        ])
        .into()
    }

    /// Bytes of structures.
    fn bytes(&mut self) -> String {
        self.one(&[
            "nm.t = 'b';",
            "nm.name[i & 3] = 'c';",
            "*c = nm.t;",
            "c[1] = 'd';",
            "c[4] = 'e';",
            "c[n] = 'f';",
            "i = (int)nm.name[2];",
            "memset(c, 0, 4L);",
            "memmove(c, &nm, n);",
            "memmove(&dp.th[1], &dp.th[0], 12L);",
        ])
        .into()
    }

    fn body(&mut self, out: &mut String, prologue: &[&str], len: usize) {
        let start = prologue.len();
        let end = start + len;
        writeln!(out, "entry L0; exit L{end};").unwrap();
        for (k, op) in prologue.iter().enumerate() {
            writeln!(out, "L{k}:\n {op} goto L{};", k + 1).unwrap();
        }
        for k in start..end {
            let op = self.operation();
            writeln!(out, "L{k}:\n {op} goto L{};", k + 1).unwrap();
            if self.pick(4) == 3 {
                let to = start + self.pick(len + 1);
                writeln!(out, " skip; goto L{to};").unwrap();
            }
        }
        writeln!(out, "L{end}:\n}}").unwrap();
    }
}

const LOCALS: &str =
    "local int i; local int j; local int *p; local int *q; local struct list *l; local struct list *k;
local struct pair *m; local char *c; local void *z; local long n;
local struct mixed *o; local struct three *w3; local struct deep *d; local struct head *hd; local struct old *od;";

/// A random program: `main`, a recursive procedure and one that only pointers call.
pub fn generate(bytes: &[u8]) -> String {
    let mut tape = Tape { bytes, at: 0 };
    let mut out = DECLARATIONS.to_string();
    for (head, result, len) in [("int *rec", "ret__ = p;", 6), ("int other", "ret__ = 0;", 4)] {
        let ret = if head.contains('*') { "int *ret__" } else { "int ret__" };
        writeln!(out, "proc {head}(struct list *f0, int *h) {{ return {ret}; local int f;\n{LOCALS}")
            .unwrap();
        let start = [
            "l = f0;",
            "p = h;",
            "q = h;",
            "k = l;",
            "m = &pr;",
            "o = &ml;",
            "w3 = &tr;",
            "d = &dp;",
            result,
        ];
        tape.body(&mut out, &start, len);
    }
    out.push_str("proc int third(struct list *f0, int *h) { return int ret__; entry L0; exit L2;\n");
    out.push_str("L0: f0->v = *h; goto L1;\nL1: ret__ = 3; goto L2;\nL2: }\n");
    writeln!(out, "proc void main() {{ local int f; local int *h;\n{LOCALS}").unwrap();
    let prologue = [
        "p = &x;",
        "q = &arr[0];",
        "l = &s;",
        "k = &t;",
        "s.next = &t;",
        "t.next = &s;",
        "s.p = &y;",
        "t.p = &arr[1];",
        "gp = &y;",
        "pp = &gp;",
        "m = &pr;",
        "c = &buf[8];",
        "pr.q = &s;",
        "u.p = &x;",
        "h = &i;",
        "pr.a.next = &t;",
        "pr.a.p = p;",
        "fp = &other;",
        "o = &ml;",
        "w3 = &tr;",
        "d = &dp;",
        "hd = alloc(24L);",
        "od = alloc(24L);",
        "ml.l = &s;",
    ];
    tape.body(&mut out, &prologue, 14);
    out.push_str("check c0 reach in main \"m\";\n");
    // The check is put on some edge of main, behind the prologue.
    let at = format!("L{}:\n", prologue.len() + 7);
    let main = out.rfind("proc void main").unwrap();
    let hit = main + out[main..].find(&at).unwrap() + at.len();
    out.insert_str(hit, &format!(" check(c0, {} != 1); goto L{};\n", tape.one(INTS), prologue.len() + 8));
    out
}
