//! Small programs that are safe or not by construction, and what makes each the other.

/// A program, and what is the case.
pub(super) struct Victim {
    /// The program.
    pub text: &'static str,
    /// The options of the run whose result is changed.
    pub options: &'static [&'static str],
    /// What stands in it, and what takes its place to make it safe where it is not, or the other way round.
    pub change: (&'static str, &'static str),
    /// Whether no execution fails a check.
    pub safe: bool,
}

pub(super) const VICTIMS: [Victim; 8] = [
    Victim {
        text: "extern void reach_error(void); extern int nondet(void);\nint lock;\n\
            void acquire(void) {\n  if (lock) reach_error();\n  lock = 1;\n}\n\
            void release(void) {\n  if (!lock) reach_error();\n  lock = 0;\n}\n\
            int main(void) {\n  int work;\n  do {\n    acquire();\n    work = nondet();\n    if (work) release();\n  \
            } while (work);\n  release();\n  return 0;\n}\n",
        options: &[],
        change: ("  release();\n  return", "  acquire();\n  return"),
        safe: true,
    },
    Victim {
        text: "extern void reach_error(void); extern int nondet(void);\n\
            int main(void) {\n  int x = nondet(), y = x;\n  int *p = &x;\n  while (nondet()) {\n    \
            if (*p < 100) {\n      x = x + 1;\n      y = y + 1;\n    }\n  }\n  if (x != y) reach_error();\n  return 0;\n}\n",
        options: &["--tune", "alias=andersen"],
        change: ("y = y + 1", "y = y + 2"),
        safe: true,
    },
    Victim {
        text: "extern void reach_error(void); extern unsigned nondet(void);\n\
            unsigned half(unsigned n) { return n >> 1; }\n\
            int main(void) {\n  unsigned n = nondet();\n  if (n & 1) n = n - 1;\n  \
            if ((n & 1) == 1) reach_error();\n  n = half(n);\n  return 0;\n}\n",
        options: &["--tune", "integers=bits"],
        change: ("n - 1;", "n - 2;"),
        safe: true,
    },
    Victim {
        text: "extern void reach_error(void);\n\
            int main(void) {\n  int i, s = 0;\n  for (i = 0; i < 9; i++) s += i * i;\n  \
            if (s != 204) reach_error();\n  return 0;\n}\n",
        options: &["--tune", "max-iterations=1", "--check", "overflow"],
        change: ("s != 204", "s == 204"),
        safe: true,
    },
    Victim {
        text: "extern int nondet(void);\nint g;\n\
            int main(void) {\n  int x = nondet();\n  if (x > 0) g = 100 / x;\n  return g;\n}\n",
        options: &["--check", "only:div0"],
        change: ("x > 0", "x >= 0"),
        safe: true,
    },
    Victim {
        text: "extern void reach_error(void); extern int nondet(void);\n\
            int main(void) {\n  int a = nondet(), b = nondet();\n  if (a > 10 && b == a + 1)\n    reach_error();\n  \
            return 0;\n}\n",
        options: &[],
        change: ("a > 10 && b == a + 1", "a > 10 && b == a && b < 5"),
        safe: false,
    },
    Victim {
        text: "#include <stdlib.h>\n\
            int main(void) {\n  int *p = malloc(sizeof *p);\n  if (!p)\n    p = malloc(sizeof *p);\n  \
            *p = 1;\n  free(p);\n  return 0;\n}\n",
        options: &["--check", "null"],
        change: ("p = malloc(sizeof *p);\n  *p", "return 1;\n  *p"),
        safe: false,
    },
    Victim {
        text: "extern int nondet(void);\n\
            int main(void) {\n  int n = nondet();\n  switch (n) {\n  case 7:\n    goto ERROR;\n  default:\n    break;\n  \
            }\n  return 0;\nERROR:\n  return 1;\n}\n",
        options: &[],
        change: ("goto ERROR", "break"),
        safe: false,
    },
];
