//! Random C-- programs about NULL: pointers that other pointers lead to, in variables and members, set by callees,
//! cleared and copied in blocks, tested, and dereferenced.

use testing::programs::calls::Dice;

const DECLARATIONS: &str = "entry main; struct pair { int *a; int *b; };
    global int x; global int y; global int *g; global int *h; global struct pair s; global struct pair t;
    global int **gp; extern int *outside(int **);\n";

/// The names in scope of a procedure.
struct Words {
    pointers: &'static [&'static str],
    handles: &'static [&'static str],
    start: &'static [&'static str],
}

const MAIN: Words = Words {
    pointers: &[
        "p", "p", "q", "q", "r", "g", "h", "*pp", "*pp", "s.a", "s.b", "t.a", "u.a", "u.b", "sp->a", "sp->b",
    ],
    handles: &["&p", "&p", "&q", "&r", "&g", "&s.a", "&u.b", "&sp->a", "pp", "gp"],
    start: &["p = &x;", "q = NULL;", "r = &y;", "pp = &p;", "sp = &u;", "gp = &g;", "n = 0;"],
};

const F: Words = Words {
    pointers: &["p", "a", "a", "g", "h", "*c", "*c", "*d", "*pp", "s.a", "t.b", "sp->a", "sp->b"],
    handles: &["&p", "&a", "&g", "&t.b", "c", "d", "pp", "gp"],
    start: &["p = &x;", "pp = c;", "sp = &s;", "ret__ = a;", "n = 1;"],
};

fn one<'a>(dice: &mut Dice, of: &[&'a str]) -> &'a str {
    of[dice.below(of.len())]
}

impl Words {
    fn value(&self, dice: &mut Dice) -> String {
        match dice.below(8) {
            0 | 1 => "NULL".into(),
            2 => "&x".into(),
            3 => format!("{} + n", one(dice, self.pointers)),
            4 => format!("(int *)(long){}", one(dice, self.pointers)),
            _ => one(dice, self.pointers).into(),
        }
    }

    fn condition(&self, dice: &mut Dice) -> String {
        let (l, r) = (one(dice, self.pointers), one(dice, self.pointers));
        match dice.below(5) {
            0 => format!("{l} == {r}"),
            1 => format!("{l} != NULL && {r} != NULL"),
            2 => format!("{l} == NULL || *{l} == 1"),
            _ => format!("{l} == NULL"),
        }
    }

    fn operation(&self, dice: &mut Dice) -> String {
        let pointer = one(dice, self.pointers);
        match dice.below(22) {
            0..6 => format!("{pointer} = {};", self.value(dice)),
            6 => format!("pp = {};", one(dice, self.handles)),
            7 => format!("sp = {};", one(dice, &["&s", "&t", "sp"])),
            8..10 => {
                let (value, handle) = (self.value(dice), one(dice, self.handles));
                format!("{pointer} = f({value}, {handle}, {});", one(dice, self.handles))
            }
            10 => one(dice, &["memset(&s, 0, 16L);", "memset(sp, 0, 16L);", "memset(pp, 0, 8L);"]).into(),
            11 => {
                one(dice, &["memmove(&t, &s, 16L);", "memmove(sp, &t, 16L);", "memmove(&s, sp, 8L);"]).into()
            }
            12 => format!("{pointer} = alloc(8{});", one(dice, &["", ", may_fail"])),
            13 => {
                one(dice, &["havoc(g, input \"in\");", "n = 1;", "n = 0;", "havoc(n, input \"in\");"]).into()
            }
            14 => format!("{pointer} = outside({});", one(dice, self.handles)),
            _ => format!("x = *{pointer};"),
        }
    }

    /// A chain of locations, with branches between them and tests in front of dereferences.
    fn body(&self, dice: &mut Dice, len: usize) -> String {
        let first = self.start.len();
        let end = first + len;
        let mut text = format!("entry L0; exit L{end};\n");
        for (l, statement) in self.start.iter().enumerate() {
            text += &format!("L{l}: {statement} goto L{};\n", l + 1);
        }
        for l in first..end {
            let next = l + 1;
            let line = match dice.below(4) {
                0 => {
                    let (c, other) = (self.condition(dice), l + 1 + dice.below(end - l));
                    format!("true: assume({c}); goto L{next}; false: assume(!({c})); goto L{other};")
                }
                1 => format!("skip; goto L{next}; {} goto L{next};", self.operation(dice)),
                _ => format!("{} goto L{next};", self.operation(dice)),
            };
            text += &format!("L{l}: {line}\n");
        }
        text + &format!("L{end}: }}\n")
    }
}

/// The text of a program.
pub(crate) fn random_program(dice: &mut Dice) -> String {
    let locals = "local int n; local int *p; local int **pp; local struct pair *sp;";
    let f = F.body(dice, 6);
    let main = MAIN.body(dice, 14);
    format!(
        "{DECLARATIONS} proc int *f(int *a, int **c, int **d) {{ {locals} return int *ret__; {f}
         proc void main(void) {{ {locals} local int *q; local int *r; local struct pair u; {main}"
    )
}
