//! The harness: a C file that defines the functions from which the program draws its inputs, and starts it.

use super::{Drawn, Plan, Sign};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The exit code of a program that ran into the error.
pub(super) const REACHED: i32 = 107;
/// The exit code of one that asked for more than there is: it went another way.
pub(super) const EXHAUSTED: i32 = 108;
/// The exit code of one in which an assumption does not hold.
pub(super) const ASSUMPTION: i32 = 109;

/// The names that the harness uses besides those of the program.
#[derive(Clone, Debug)]
pub(super) struct Names {
    /// What they begin with.
    pub prefix: String,
    /// Whether another file (`guard`) has the function that reports that the error is reached.
    pub guarded: bool,
    /// Functions of the C library that the guard needs for itself: the program's own have other names.
    pub taken: Vec<String>,
}

impl Names {
    /// The function that reports that the error is reached.
    pub(super) fn reached(&self) -> String {
        format!("{}reached", self.prefix)
    }

    /// What the program's own `main` is called.
    pub(super) fn main(&self) -> String {
        self.of("main")
    }

    /// What a function of the program is called that cannot have its own name.
    pub(super) fn of(&self, function: &str) -> String {
        format!("{}program_{function}", self.prefix)
    }

    fn function(&self, name: &str) -> String {
        if self.taken.iter().any(|taken| taken == name) { self.of(name) } else { name.to_owned() }
    }
}

/// The whole file, for a user who builds it.
pub(crate) fn by_hand(plan: &Plan) -> String {
    text(plan, &Names { prefix: "slam_".into(), guarded: false, taken: vec![] })
}

/// The whole file.
pub(super) fn text(plan: &Plan, names: &Names) -> String {
    let mut out = head(plan, names);
    let mut functions: BTreeMap<&str, Vec<&Drawn>> = BTreeMap::new();
    for drawn in &plan.results {
        functions.entry(&drawn.name).or_default().push(drawn);
    }
    for (name, values) in &functions {
        results(&mut out, &names.function(name), values);
    }
    for object in &plan.objects {
        let _ = writeln!(out, "{} {} = {};", object.ty, object.name, value(object));
    }
    signs(&mut out, plan, names, &functions);
    allocations(&mut out, &plan.failures);
    start(&mut out, plan, names);
    out
}

fn head(plan: &Plan, names: &Names) -> String {
    let mut out = format!(
        "/* Repeats an error natively: {}, at {}.\n\
         \x20  The process ends with {REACHED} when it is reached, {EXHAUSTED} when more inputs are asked for than were\n\
         \x20  recorded, {ASSUMPTION} when an assumption does not hold. `slam replay` builds and runs this; by hand:\n\
         \x20    cc -w -O0 -g -fno-builtin -c -o program.o PROGRAM.c\n\
         \x20    objcopy --redefine-sym main={}{} program.o\n\
         \x20    cc -w -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--unresolved-symbols=ignore-all HARNESS.c program.o -lm\n",
        comment(&plan.message),
        comment(&plan.place),
        names.main(),
        weakened(&plan.sign).iter().map(|f| format!(" --weaken-symbol={f}")).collect::<String>(),
    );
    if plan.caller.is_some() {
        out.push_str("   PROGRAM.c is the file that `slam harness` prints for the function of --entry.\n");
    }
    for missing in &plan.missing {
        let _ = writeln!(out, "   Not supplied: {}.", comment(missing));
    }
    out.push_str("*/\n");
    out.push_str("extern void _exit(int);\nextern void exit(int);\n");
    let reached = names.reached();
    let _ = match names.guarded {
        true => writeln!(out, "void {reached}(void);"),
        false => writeln!(out, "void {reached}(void) {{ _exit({REACHED}); }}"),
    };
    out.push_str(
        "void *__real_malloc(__SIZE_TYPE__);\nvoid *__real_calloc(__SIZE_TYPE__, __SIZE_TYPE__);\nvoid *__real_realloc(void *, __SIZE_TYPE__);\n\n",
    );
    out
}

/// A text that can stand in a comment.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Functions of the program that the harness takes over.
pub(super) fn weakened(sign: &Sign) -> Vec<&str> {
    let mut out = vec!["reach_error", "__VERIFIER_error"];
    if let Sign::Call(name) = sign
        && !out.contains(&name.as_str())
    {
        out.push(name);
    }
    out
}

/// A value as a C expression.
fn value(drawn: &Drawn) -> String {
    if let Some(size) = drawn.value.strip_prefix("new ") {
        return format!("__real_calloc(1, {size})");
    }
    match (drawn.ty.as_str(), drawn.value.parse::<i128>()) {
        ("void *", _) => format!("(void *){}ULL", drawn.value.trim_start_matches('-')),
        // The smallest number of 64 bits has no literal.
        (ty, Ok(v)) if v < 0 => format!("({ty})(-{}LL - 1)", -(v + 1)),
        (ty, Ok(v)) => format!("({ty}){v}ULL"),
        _ => drawn.value.clone(),
    }
}

/// A function that returns these values, one after the other.
fn results(out: &mut String, name: &str, values: &[&Drawn]) {
    let ty = &values[0].ty;
    let _ = writeln!(out, "{ty} {name}() {{\n  static int slam_next;\n  switch (slam_next++) {{");
    for (i, drawn) in values.iter().enumerate() {
        let _ = writeln!(out, "  case {i}: return {};", value(drawn));
    }
    let _ = writeln!(out, "  default: _exit({EXHAUSTED}); return 0;\n  }}\n}}\n");
}

/// What notices the error, and assumptions.
fn signs(out: &mut String, plan: &Plan, names: &Names, functions: &BTreeMap<&str, Vec<&Drawn>>) {
    let mut called: Vec<&str> = vec![];
    let reached = names.reached();
    let is_call = matches!(plan.sign, Sign::Call(_));
    if is_call {
        called.extend(weakened(&plan.sign));
    }
    if plan.sign == Sign::Assertion || is_call {
        called.extend(["__assert_fail", "__assert_perror_fail", "__assert", "_assert"]);
    }
    for name in called.into_iter().filter(|name| !functions.contains_key(name)) {
        let _ = writeln!(out, "void {name}() {{ {reached}(); }}");
    }
    let weak = "__attribute__((weak)) void";
    for name in ["assert", "__VERIFIER_assert", "__CPROVER_assert"] {
        let _ = writeln!(out, "{weak} {name}(int condition) {{ if (!condition) {reached}(); }}");
    }
    for name in ["__VERIFIER_assume", "__CPROVER_assume", "assume_abort_if_not"] {
        let _ = writeln!(out, "{weak} {name}(int condition) {{ if (!condition) _exit({ASSUMPTION}); }}");
    }
    for name in ["__VERIFIER_atomic_begin", "__VERIFIER_atomic_end"] {
        let _ = writeln!(out, "{weak} {name}(void) {{}}");
    }
    out.push('\n');
}

/// Allocations fail as they did, and memory is zero, as memory that nobody wrote was.
fn allocations(out: &mut String, failures: &[bool]) {
    let failing: Vec<String> =
        failures.iter().enumerate().filter(|(_, f)| **f).map(|(i, _)| format!("  case {i}:\n")).collect();
    out.push_str("static int slam_fails(void) {\n  static int slam_next;\n  switch (slam_next++) {\n");
    if !failing.is_empty() {
        let _ = writeln!(out, "{}    return 1;", failing.concat());
    }
    out.push_str("  default: return 0;\n  }\n}\n\n");
    out.push_str(
        "void *__wrap_malloc(__SIZE_TYPE__ size) { return slam_fails() ? 0 : __real_calloc(1, size); }\n\
         void *__wrap_calloc(__SIZE_TYPE__ n, __SIZE_TYPE__ size) \
         { return slam_fails() ? 0 : __real_calloc(n, size); }\n\
         void *__wrap_realloc(void *p, __SIZE_TYPE__ size)\n{\n  \
         if (!p)\n    return __wrap_malloc(size);\n  \
         return size && slam_fails() ? 0 : __real_realloc(p, size);\n}\n\n",
    );
}

fn start(out: &mut String, plan: &Plan, names: &Names) {
    let entry = if plan.entry == "main" { names.main() } else { names.function(&plan.entry) };
    let mut types: Vec<&str> = plan.arguments.iter().map(|a| a.ty.as_str()).collect();
    let mut values: Vec<String> = plan.arguments.iter().map(value).collect();
    for list in lists(out, plan) {
        types.push("char **");
        values.push(list);
    }
    let types = types.join(", ");
    let _ = writeln!(out, "int {entry}({types});");
    let _ = writeln!(out, "int main(void) {{ exit({entry}({}) & 63); }}", values.join(", "));
}

/// The lists of strings that `main` gets; each string is an object of its own, as long as it is.
fn lists(out: &mut String, plan: &Plan) -> Vec<String> {
    let count = plan.arguments.first().and_then(|a| a.value.parse::<usize>().ok()).unwrap_or(0);
    let (arguments, environment) = plan.strings.split_at(count.min(plan.strings.len()));
    let mut names = vec![];
    for (name, strings) in [("slam_arguments", arguments), ("slam_environment", environment)] {
        if names.len() == usize::from(plan.lists) {
            break;
        }
        for (i, string) in strings.iter().enumerate() {
            let bytes: Vec<String> = string.chars().map(|c| format!("(char){}", u32::from(c))).collect();
            let bytes = if bytes.is_empty() { "0".to_owned() } else { format!("{}, 0", bytes.join(", ")) };
            let _ = writeln!(out, "static char {name}_{i}[] = {{ {bytes} }};");
        }
        let each: String = (0..strings.len()).map(|i| format!("{name}_{i}, ")).collect();
        let _ = writeln!(out, "static char *{name}[] = {{ {each}0 }};");
        names.push(name.to_owned());
    }
    names
}
