//! Random C-- programs with globals, pointers, arrays and recursive calls, and random predicates over them.

/// A source of random numbers.
pub struct Dice(u64);

impl Dice {
    /// Numbers that the seed alone decides.
    pub fn new(seed: u64) -> Dice {
        Dice(seed | 1)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// The names in scope of a procedure.
struct Words {
    ints: &'static [&'static str],
    pointers: &'static [&'static str],
    addresses: &'static [&'static str],
    /// The expressions that `old` may be applied to.
    entry_ints: &'static [&'static str],
    entry_pointers: &'static [&'static str],
    /// The first statements, so that most pointers point somewhere.
    start: &'static [&'static str],
    /// How many of 16 statements are calls.
    calls: usize,
}

/// Frequent words stand several times.
const F: Words = Words {
    ints: &[
        "a", "a", "x", "x", "x", "g", "g", "*q", "*q", "*p", "*gp", "arr[i]", "arr[0]", "ga[1]", "s.v",
        "sp->v", "i",
    ],
    pointers: &["p", "q", "gp", "p", "s.n"],
    addresses: &["&x", "&x", "&g", "&a", "&arr[1]", "&ga[i]", "&s.v", "&ga[0]", "NULL"],
    entry_ints: &["a", "a", "g", "g", "h", "*q", "*q", "*gp", "ga[1]"],
    entry_pointers: &["q", "q", "gp"],
    start: &["p = &x;", "i = 0;", "sp = &s;", "s.n = &y;", "x = a;"],
    calls: 2,
};

const K: Words = Words {
    ints: &["b", "g", "h", "*q", "*q", "z", "z", "ga[1]", "*gp"],
    pointers: &["q", "gp"],
    addresses: &["&z", "&g", "&b", "&ga[1]", "NULL", "&h"],
    entry_ints: &["b", "g", "*q", "*q"],
    entry_pointers: &["q", "q", "gp"],
    start: &["z = 1;"],
    calls: 1,
};

const START: Words = Words {
    ints: &["u", "u", "v", "v", "g", "h", "*w", "ga[0]"],
    pointers: &["w", "gp"],
    addresses: &["&u", "&u", "&g", "&ga[0]", "&v"],
    entry_ints: &["g"],
    entry_pointers: &["gp"],
    start: &["gp = &g;", "w = &u;", "u = 1;", "v = 0;", "g = 0;"],
    calls: 6,
};

impl Words {
    fn int(&self, dice: &mut Dice) -> String {
        match dice.below(6) {
            0 => (dice.below(4) as i32 - 1).to_string(),
            1 => format!("{} + {}", dice.of(self.ints), dice.of(self.ints)),
            2 => format!("{} + 1", dice.of(self.ints)),
            3 => format!("{} - 1", dice.of(self.ints)),
            _ => dice.of(self.ints).to_owned(),
        }
    }

    fn pointer(&self, dice: &mut Dice) -> &'static str {
        if dice.below(2) == 0 { dice.of(self.addresses) } else { dice.of(self.pointers) }
    }

    fn condition(&self, dice: &mut Dice) -> String {
        if dice.below(4) == 0 {
            let op = dice.of(&["==", "!="]);
            return format!("{} {op} {}", dice.of(self.pointers), self.pointer(dice));
        }
        let op = dice.of(&["==", "!=", "<", "<="]);
        format!("{} {op} {}", self.int(dice), self.int(dice))
    }

    fn statement(&self, dice: &mut Dice) -> String {
        if dice.below(16) < self.calls {
            return match dice.below(3) {
                0 => format!("k({}, {});", self.pointer(dice), self.int(dice)),
                _ => format!("{} = f({}, {});", dice.of(self.ints), self.int(dice), self.pointer(dice)),
            };
        }
        match dice.below(13) {
            0..6 => format!("{} = {};", dice.of(self.ints), self.int(dice)),
            6..9 => format!("{} = {};", dice.of(self.pointers), self.pointer(dice)),
            9 => format!("havoc({}, uninit);", dice.of(self.ints)),
            10 => {
                format!("{} = alloc(8{});", dice.of(self.pointers), dice.of(&["", ", zeroed", ", may_fail"]))
            }
            11 => "memset(&ga, 0, 8);".to_owned(),
            _ => format!("check(c0, {});", self.condition(dice)),
        }
    }

    /// A chain of locations with branches between them.
    fn body(&self, dice: &mut Dice, last: &str) -> String {
        let first = self.start.len();
        let n = first + 3 + dice.below(4);
        let mut text = format!("entry L0; exit L{};\n", n + 1);
        for l in 0..n {
            if l < first {
                text += &format!("L{l}: {} goto L{};\n", self.start[l], l + 1);
            } else if dice.below(5) == 0 {
                let c = self.condition(dice);
                let other = first + dice.below(n + 1 - first);
                text += &format!(
                    "L{l}: true: assume({c}); goto L{}; false: assume(!({c})); goto L{other};\n",
                    l + 1
                );
            } else {
                text += &format!("L{l}: {} goto L{};\n", self.statement(dice), l + 1);
            }
        }
        text + &format!("L{n}: {last} goto L{};\nL{}: }}\n", n + 1, n + 1)
    }

    fn predicate(&self, dice: &mut Dice) -> String {
        match dice.below(5) {
            0 => return self.condition(dice),
            1 => return format!("{} == {}", dice.of(self.ints), dice.below(3) as i32 - 1),
            2 => return format!("{} == {}", dice.of(self.ints), dice.of(self.ints)),
            _ => {}
        }
        match dice.below(6) {
            0 => format!("{} == old({})", dice.of(self.pointers), dice.of(self.entry_pointers)),
            1 => format!("*old({}) == {}", dice.of(self.entry_pointers), self.int(dice)),
            2 => format!(
                "*old({}) == (mathint) old({}) + 1",
                dice.of(self.entry_pointers),
                dice.of(self.entry_ints)
            ),
            3 => format!("{} == (mathint) old({}) + 1", dice.of(self.ints), dice.of(self.entry_ints)),
            4 => format!("{} < old({})", dice.of(self.ints), dice.of(self.entry_ints)),
            _ => format!("{} == old({})", dice.of(self.ints), dice.of(self.entry_ints)),
        }
    }
}

/// The text of a program.
pub fn random_program(dice: &mut Dice) -> String {
    let result = format!("ret__ = {};", dice.of(&["a + 1", "a", "x", "*q", "g", "*q + 1", "*p"]));
    format!(
        "entry start__; struct pair {{ int v; int *n; }};
         global int g; global int h; global int *gp; global int ga[2]; check c0 reach in f \"c\";
         proc int f(int a, int *q) {{ local int x; local int y; local int *p; local int arr[2]; local int i;
           local struct pair s; local struct pair *sp; return int ret__;
           {}
         proc void k(int *q, int b) {{ local int z; {}
         proc void start__(void) {{ local int u; local int v; local int *w; {}",
        F.body(dice, &result),
        K.body(dice, "skip;"),
        START.body(dice, "skip;")
    )
}

/// A condition over what the procedure of this name can see.
pub fn random_condition(dice: &mut Dice, proc: &str) -> String {
    let words = match proc {
        "f" => &F,
        "k" => &K,
        _ => &START,
    };
    words.condition(dice)
}

/// Predicates of all scopes.
pub fn random_predicates(dice: &mut Dice) -> Vec<String> {
    let mut out = vec![];
    for (name, words, most) in [("f", &F, 4), ("k", &K, 3), ("start__", &START, 3)] {
        for _ in 0..dice.below(most + 1) {
            out.push(format!("{name}: {}", words.predicate(dice)));
        }
    }
    if dice.below(2) == 0 {
        out.push(format!(
            "f: ret__ {} {}",
            dice.of(&["==", "<"]),
            dice.of(&["old(a)", "1", "g", "old(*q)", "*old(q)"])
        ));
    }
    for _ in 0..dice.below(3) {
        out.push(
            dice.of(&["g == 0", "g < h", "*gp == 1", "gp == &g", "ga[1] == 0", "g == h", "gp == NULL"])
                .to_owned(),
        );
    }
    out
}
