//! Random threads as programs in C, with POSIX threads: each access to shared memory is a statement of its own,
//! in the order of the explorer.

use super::Ending;
use super::explorer::LARGEST;
use super::model::{Condition, LOCKS, Place, Pointer, Statement, Value};
use std::fmt::Write;

struct Text {
    out: String,
    temps: usize,
}

impl Text {
    fn line(&mut self, line: &str) {
        _ = writeln!(self.out, "  {line}");
    }

    /// A new temporary with a value that is read or computed.
    fn temp(&mut self, ty: &str, value: &str) -> String {
        self.temps += 1;
        let name = format!("v{}", self.temps);
        self.line(&format!("{ty}{name} = {value};"));
        name
    }

    /// The pointer's value; an execution in which it leads nowhere ends there.
    fn followed(&mut self, pointer: Pointer) -> String {
        match pointer {
            Pointer::Own => pointer.name().into(),
            Pointer::Shared => self.temp("int *", pointer.name()),
        }
    }

    /// The place, once pointers were read.
    fn cell(&mut self, place: Place) -> String {
        match place {
            Place::X => "x".into(),
            Place::Y => "y".into(),
            Place::R => "r".into(),
            Place::Element(n) => format!("a[{n}]"),
            Place::Counted => "a[k]".into(),
            Place::At(pointer) => format!("*{}", self.followed(pointer)),
        }
    }

    /// Accesses the place; one behind a pointer only if it leads somewhere.
    fn guard(&mut self, cell: &str) {
        if let Some(pointer) = cell.strip_prefix('*') {
            self.line(&format!("__VERIFIER_assume({pointer} != 0);"));
        }
    }

    fn read(&mut self, place: Place) -> String {
        let cell = self.cell(place);
        if cell == "r" {
            return cell;
        }
        self.guard(&cell);
        self.temp("int ", &cell)
    }

    fn operand(&mut self, value: &Value) -> String {
        match value {
            Value::Number(n) => n.to_string(),
            Value::Of(place) => self.read(*place),
            Value::Sum(a, b) => {
                let (a, b) = (self.read(*a), self.read(*b));
                format!("{a} + {b}")
            }
        }
    }

    fn condition(&mut self, c: &Condition) -> String {
        let sign = if c.is_equal() { "==" } else { "!=" };
        match c {
            Condition::Numbers { left, right, .. } => {
                let left = self.read(*left);
                let right = self.operand(right);
                format!("{left} {sign} {right}")
            }
            Condition::Leads { to, .. } => {
                let to = self.cell(*to);
                format!("q {sign} &{to}")
            }
        }
    }

    fn add(&mut self, statements: &[Statement]) {
        for s in statements {
            self.line("{");
            self.statement(s);
            self.line("}");
        }
    }

    fn statement(&mut self, s: &Statement) {
        match s {
            Statement::Set(place, value) => {
                let cell = self.cell(*place);
                let value = self.operand(value);
                let value = self.temp("int ", &value);
                self.line(&format!("__VERIFIER_assume({value} <= {LARGEST});"));
                self.guard(&cell);
                self.line(&format!("{cell} = {value};"));
            }
            Statement::Point(pointer, place) => {
                let to = self.cell(*place);
                self.line(&format!("{} = &{to};", pointer.name()));
            }
            Statement::Copy(to) => self.line(&format!("{} = {};", to.name(), to.other().name())),
            Statement::If(c, body) => {
                let c = self.condition(c);
                self.line(&format!("if ({c}) {{"));
                self.add(body);
                self.line("}");
            }
            Statement::While(c) => {
                self.line("for (;;) {");
                let c = self.condition(c);
                self.line(&format!("if (!({c})) break; }}"));
            }
            Statement::Twice(body) => {
                self.line("for (k = 0; k < 2; k++) {");
                self.add(body);
                self.line("}");
                self.line("k = 0;");
            }
            Statement::Atomic(body) => {
                self.line("__VERIFIER_atomic_begin();");
                self.add(body);
                self.line("__VERIFIER_atomic_end();");
            }
            Statement::Wait(c) => {
                self.line("__VERIFIER_atomic_begin();");
                let c = self.condition(c);
                self.line(&format!("__VERIFIER_assume({c});"));
                self.line("__VERIFIER_atomic_end();");
            }
            Statement::Check(c) => {
                let c = self.condition(c);
                self.line(&format!("if (!({c})) reach_error();"));
            }
            Statement::Acquire(lock) => self.line(&format!("pthread_mutex_lock(&{});", LOCKS[*lock])),
            Statement::Release(lock) => self.line(&format!("pthread_mutex_unlock(&{});", LOCKS[*lock])),
        }
    }
}

/// The program. An execution in which a wait is begun too early ends there: another one begins it later.
pub fn text(threads: &[Vec<Statement>], ending: &Ending) -> String {
    let mut out = String::from(
        "#include <pthread.h>\nextern void reach_error(void);\nextern void __VERIFIER_assume(int);\n\
         extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
         static int x, y, a[2];\nstatic int *p;\nstatic pthread_mutex_t m, n;\n",
    );
    for (t, statements) in threads.iter().enumerate() {
        let mut text = Text { out: String::new(), temps: 0 };
        text.add(statements);
        _ = writeln!(
            out,
            "static void *t{t}(void *arg) {{\n  int r = 0, k = 0;\n  int *q = 0;\n{}  return 0;\n}}",
            text.out
        );
    }
    out.push_str("int main(void) {\n  int r = 0, k = 0;\n  int *q = 0;\n");
    for t in 0..threads.len() {
        _ = writeln!(out, "  pthread_t id{t};\n  pthread_create(&id{t}, 0, t{t}, 0);");
    }
    if let Ending::Joins(behind) = ending {
        let mut text = Text { out: String::new(), temps: 0 };
        for (t, statements) in behind.iter().enumerate() {
            text.line(&format!("pthread_join(id{t}, 0);"));
            text.add(statements);
        }
        text.line("pthread_exit(0);");
        out.push_str(&text.out);
    }
    out.push_str("  return 0;\n}\n");
    out
}
