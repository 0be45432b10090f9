//! Random pairs: small programs that call functions about objects, and rules about these functions.
//!
//! Invariant: values from outside are only compared with 0 and 1, so that the inputs of [`DOMAIN`] have all outcomes.

use testing::Dice;

/// The inputs that are tried: one of each kind that the comparisons tell apart.
pub(super) const DOMAIN: [i128; 4] = [0, 1, 2, -1];

/// A program and a rule.
pub(super) struct Pair {
    pub(super) program: String,
    pub(super) rule: String,
}

/// What is called: name, has an object, has a number, has a result.
const FUNCTIONS: [(&str, bool, bool, bool); 6] = [
    ("take", true, false, false),
    ("give", true, false, false),
    ("attempt", true, false, true),
    ("tell", false, true, false),
    ("ask", false, false, true),
    ("wrap", true, true, true),
];

/// What the program has in front of `main`.
const HEAD: &str = "\
void take(int *o);
void give(int *o);
int attempt(int *o);
void tell(int n);
int ask(void);
int wrap(int *o, int n);
int __VERIFIER_nondet_int(void);
void *malloc(unsigned long size);
int a, b;
int r;
";

/// The function that the program defines itself.
const WRAP: &str = "\
int wrap(int *o, int n) {
    if (n > 0)
        take(o);
    tell(n);
    return n == 1;
}
";

impl Pair {
    pub(super) fn new(seed: u64) -> Pair {
        let mut dice = Dice::new(seed.wrapping_mul(0x9E37_79B9).wrapping_add(17));
        let program = Program { dice: &mut dice, out: format!("{HEAD}{WRAP}"), inputs: 0 }.text();
        let rule = Rule { dice: &mut dice, out: String::new(), watched: vec![] }.text();
        Pair { program, rule }
    }
}

struct Program<'d> {
    dice: &'d mut Dice,
    out: String,
    /// How often something from outside is asked for, loops counted twice.
    inputs: usize,
}

impl Program<'_> {
    fn text(mut self) -> String {
        self.out.push_str(
            "int main(void) {\n    int c, i, *p = &a, *h = malloc(4);\n    void (*f)(int *) = take;\n",
        );
        let n = 3 + self.dice.below(6);
        for _ in 0..n {
            self.statement(1, 1);
        }
        self.out.push_str("    return 0;\n}\n");
        self.out
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.out.push_str(&"    ".repeat(depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn object(&mut self) -> &'static str {
        self.dice.word(&["&a", "&b", "p", "h"])
    }

    fn statement(&mut self, depth: usize, times: usize) {
        match self.dice.below(12) {
            0 | 1 if depth < 3 && self.inputs + times < 5 => {
                self.inputs += times;
                self.line(depth, "c = __VERIFIER_nondet_int();");
                let condition = self.dice.word(&["c == 0", "c == 1", "c > 0", "c < 0", "c != 1"]);
                self.line(depth, &format!("if ({condition}) {{"));
                self.statement(depth + 1, times);
                self.line(depth, "} else {");
                self.statement(depth + 1, times);
                self.line(depth, "}");
            }
            2 if depth < 2 => {
                self.line(depth, "for (i = 0; i < 2; i++) {");
                self.statement(depth + 1, 2 * times);
                self.statement(depth + 1, 2 * times);
                self.line(depth, "}");
            }
            3 => {
                let to = self.dice.word(&[
                    "p = &a;",
                    "p = &b;",
                    "p = h;",
                    "h = malloc(4);",
                    "f = give;",
                    "f = take;",
                ]);
                self.line(depth, to);
            }
            4 => {
                let object = self.object();
                self.line(depth, &format!("f({object});"));
            }
            5 if depth < 3 => {
                let object = self.object();
                self.line(depth, &format!("if ({object} == &b)"));
                self.line(depth + 1, "give(&b);");
            }
            _ => self.call(depth, times),
        }
    }

    fn call(&mut self, depth: usize, times: usize) {
        let (name, object, number, result) = *self.dice.of(&FUNCTIONS);
        if result && name != "wrap" {
            if self.inputs + times > 5 {
                return self.line(depth, "take(&b);");
            }
            self.inputs += times;
        }
        let mut arguments = vec![];
        if object {
            arguments.push(self.object());
        }
        if number {
            arguments.push(self.dice.word(&["0", "1", "2"]));
        }
        let to = if result { "r = " } else { "" };
        self.line(depth, &format!("{to}{name}({});", arguments.join(", ")));
        if result && self.dice.one_in(2) {
            let condition = self.dice.word(&["r", "!r", "r == 1", "r > 1", "r < 0"]);
            let object = self.object();
            self.line(depth, &format!("if ({condition})"));
            self.line(depth + 1, &format!("give({object});"));
        }
    }
}

struct Rule<'d> {
    dice: &'d mut Dice,
    out: String,
    watched: Vec<&'static str>,
}

/// What an event knows.
#[derive(Clone, Copy)]
struct Known {
    object: bool,
    /// The number of the argument that is a number.
    number: Option<usize>,
    result: bool,
}

impl Rule<'_> {
    fn text(mut self) -> String {
        let initial = self.dice.below(2);
        self.out = format!(
            "state {{\n    enum {{ none, one, two }};\n    int s = {initial};\n    bool b = 0;\n}}\n"
        );
        if !self.dice.one_in(3) {
            let with_object = FUNCTIONS.iter().filter(|f| f.1).map(|f| f.0);
            let watched: Vec<&str> = with_object.filter(|_| !self.dice.one_in(3)).collect();
            self.watched = watched;
        }
        if !self.watched.is_empty() {
            let list: Vec<String> = self.watched.iter().map(|f| format!("{f}($1)")).collect();
            self.out.push_str(&format!("watch {};\n", list.join(", ")));
        }
        for (name, object, number, result) in FUNCTIONS {
            let must = self.watched.contains(&name);
            if must || self.dice.one_in(2) {
                let number = number.then_some(if object { 2 } else { 1 });
                // The objects that are followed are distinguished by the watch alone.
                let object = object && !must && !self.watched.is_empty();
                self.handler(&format!("{name}.entry"), Known { object, number, result: false });
                if self.dice.one_in(2) {
                    self.handler(&format!("{name}.exit"), Known { object, number, result });
                }
            }
        }
        let nothing = Known { object: false, number: None, result: false };
        if self.dice.one_in(4) {
            self.handler("program.start", nothing);
        }
        if self.dice.one_in(2) {
            self.handler("program.end", nothing);
        }
        self.out
    }

    fn handler(&mut self, event: &str, known: Known) {
        let guard = match self.dice.one_in(5) {
            true => format!(" when ({})", self.condition(known, 1)),
            false => String::new(),
        };
        self.out.push_str(&format!("{event}{guard} {{\n"));
        for _ in 0..1 + self.dice.below(2) {
            self.statement(known, 1);
        }
        self.out.push_str("}\n");
    }

    fn statement(&mut self, known: Known, depth: usize) {
        let indent = "    ".repeat(depth);
        match self.dice.below(8) {
            0..3 if depth < 3 => {
                let condition = match self.dice.one_in(8) {
                    true => "*".to_owned(),
                    false => self.condition(known, 2),
                };
                self.out.push_str(&format!("{indent}if ({condition}) {{\n"));
                self.statement(known, depth + 1);
                if self.dice.one_in(2) {
                    self.out.push_str(&format!("{indent}}} else {{\n"));
                    self.statement(known, depth + 1);
                }
                self.out.push_str(&format!("{indent}}}\n"));
            }
            3 | 6 if depth > 1 => self.out.push_str(&format!("{indent}abort \"broken\";\n")),
            4 if depth > 1 && self.dice.one_in(3) => self.out.push_str(&format!("{indent}halt;\n")),
            5 => {
                let value = self.dice.word(&["1", "0", "!b", "s == one"]);
                self.out.push_str(&format!("{indent}b = {value};\n"));
            }
            _ => {
                let change = self.dice.word(&["s = none", "s = one", "s = two", "s++", "s = s - b"]);
                self.out.push_str(&format!("{indent}{change};\n"));
            }
        }
    }

    fn condition(&mut self, known: Known, depth: usize) -> String {
        if depth > 0 && self.dice.one_in(4) {
            let op = self.dice.word(&["&&", "||"]);
            return format!("({} {op} {})", self.condition(known, depth - 1), self.condition(known, 0));
        }
        match self.dice.below(5) {
            0 if known.object => self.dice.word(&["$1 == watched", "watched != $1"]).to_owned(),
            1 | 2 if known.result => self
                .dice
                .word(&["$return", "!$return", "$return == 1", "$return > 1", "$return < 0"])
                .to_owned(),
            3 if let Some(n) = known.number => {
                let test = self.dice.word(&["== 0", "> 1", "!= 1"]);
                format!("${n} {test}")
            }
            4 => self.dice.word(&["b", "!b"]).to_owned(),
            _ => self.dice.word(&["s == none", "s == one", "s >= two", "s != one"]).to_owned(),
        }
    }
}
