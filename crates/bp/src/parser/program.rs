//! Programs, threads, procedures and declarations.

use super::{Parser, Res, error};
use crate::ast::{Proc, Program, Remarks, Stmt, StmtKind, Thread, preorder};
use crate::expr::Expr;
use crate::lexer::Tok;
use crate::name::{Ident, Loc};
use crate::words::Word;
use base::Diagnostic;

/// Variables that are declared together, and the statement that gives some of them their initial values.
struct Declared {
    vars: Vec<Ident>,
    remarks: Remarks,
    initial: Option<Stmt>,
}

/// The items at the outermost level of a text, or of a piece of it that begins and ends there.
#[derive(Default)]
pub(super) struct Items {
    pub(super) program: Program,
    /// Assignments of the initial values of globals.
    pub(super) initial: Vec<Stmt>,
}

impl Items {
    /// The program that the text is.
    pub(super) fn complete(self) -> Program {
        let Items { mut program, initial } = self;
        program.init.splice(0..0, initial);
        // The comments above the first thing that is printed are the header.
        if program.globals.is_empty()
            && program.init.is_empty()
            && let Some(first) = program.procs.first_mut()
        {
            program.header.append(&mut first.above);
        }
        // Initial values, and threads, may stand anywhere between procedures, but not where they are printed.
        if !program.init.is_empty() || !program.threads.is_empty() {
            program.renumber();
        }
        program
    }
}

impl Parser<'_> {
    pub(super) fn program(&mut self) -> Res<Program> {
        let items = self.items()?;
        if items.program.procs.is_empty() && items.program.threads.is_empty() {
            return Err(self.unexpected("a procedure"));
        }
        Ok(items.complete())
    }

    /// Everything up to the end of the text.
    pub(super) fn items(&mut self) -> Res<Items> {
        let mut program = Program { header: std::mem::take(&mut self.lexer.header), ..Program::default() };
        let mut initial: Vec<Stmt> = vec![];
        loop {
            match (self.now().word, self.second().word) {
                (Word::Decl, _) => {
                    let declared = self.decl()?;
                    program.globals.extend(declared.vars);
                    program.remarks.extend(declared.remarks);
                    initial.extend(declared.initial);
                }
                (Word::Init, Word::Begin) => {
                    if !program.init.is_empty() {
                        return Err(error(self.span(), "there is a second `init`"));
                    }
                    self.advance();
                    self.advance();
                    program.init = self.stmts()?;
                    self.expect_word(Word::End)?;
                }
                (Word::Thread, _) if matches!(self.peek_second(), Tok::Word(_)) => {
                    let thread = self.thread()?;
                    program.threads.push(thread);
                }
                _ => match self.peek() {
                    Tok::End => break,
                    Tok::Mark(";") => self.advance(),
                    _ => program.procs.push(self.proc()?),
                },
            }
        }
        program.footer = self.comments_above();
        Ok(Items { program, initial })
    }

    fn thread(&mut self) -> Res<Thread> {
        self.advance();
        let name = self.ident("the name of a thread")?;
        let mut thread = Thread { name, globals: vec![], remarks: vec![], procs: vec![] };
        loop {
            if self.take_mark(";") {
                continue;
            }
            if self.at_word(Word::Decl) {
                let declared = self.decl()?;
                if let Some(initial) = declared.initial {
                    let message = "variables of a thread have no initial values; its `main` can set them";
                    return Err(error(initial.loc.0, message));
                }
                thread.globals.extend(declared.vars);
                thread.remarks.extend(declared.remarks);
            } else if self.at_word(Word::End) && !thread.procs.is_empty() {
                self.advance();
                return Ok(thread);
            } else {
                thread.procs.push(self.proc()?);
            }
        }
    }

    /// `decl a, b := 1, c;`: an initial value makes an assignment.
    fn decl(&mut self) -> Res<Declared> {
        let start = self.span();
        self.advance();
        let (mut vars, mut remarks): (Vec<Ident>, Remarks) = (vec![], vec![]);
        let (mut targets, mut values) = (vec![], vec![]);
        loop {
            vars.push(self.ident("a variable")?);
            self.remark(&vars, &mut remarks);
            if self.take_mark(":=") {
                let span = self.span();
                let value = self.expr()?;
                let mut constant = true;
                value.for_each_var(&mut |_, _| constant = false);
                if !constant {
                    return Err(error(span, "an initial value cannot mention variables"));
                }
                // Variables start with any value anyway.
                if value != Expr::Star {
                    targets.extend(vars.last().cloned());
                    values.push(value);
                }
                self.remark(&vars, &mut remarks);
            }
            if !self.take_mark(",") {
                break;
            }
            self.remark(&vars, &mut remarks);
        }
        self.expect_mark(";")?;
        let loc = Loc(Some(start.to(self.last_span())));
        self.remark(&vars, &mut remarks);
        let initial = (!targets.is_empty()).then(|| {
            let kind = StmtKind::Assign { targets, values, constrain: None };
            Stmt { loc, ..self.ids.stmt(kind) }
        });
        Ok(Declared { vars, remarks, initial })
    }

    fn proc(&mut self) -> Res<Proc> {
        let above = self.comments_above();
        self.dfs();
        let returns = self.result_type()?;
        let mut proc = Proc { above, ..Proc::new(self.ident("a procedure or `decl`")?) };
        self.expect_mark("(")?;
        if !self.at_mark(")") {
            proc.formals = self.idents("a formal parameter")?;
        }
        self.expect_mark(")")?;
        self.enforce(&mut proc)?;
        self.dfs();
        self.expect_word(Word::Begin)?;
        (proc.comment, proc.origin) = self.trailing_comment();
        let mut initial: Vec<Stmt> = vec![];
        loop {
            if self.at_word(Word::Decl) {
                let declared = self.decl()?;
                proc.locals.extend(declared.vars);
                proc.remarks.extend(declared.remarks);
                initial.extend(declared.initial);
            } else if self.at_word(Word::Enforce) {
                self.enforce(&mut proc)?;
            } else {
                break;
            }
        }
        proc.body = self.stmts()?;
        proc.body.splice(0..0, initial);
        self.expect_word(Word::End)?;
        proc.returns = returns.unwrap_or_else(|| most_returned(&proc.body));
        Ok(proc)
    }

    /// The number of results that the header states, if it states one.
    fn result_type(&mut self) -> Res<Option<usize>> {
        if self.take_word(Word::Void) {
            return Ok(Some(0));
        }
        if !self.take_word(Word::Bool) {
            return Ok(None);
        }
        if !self.take_mark("<") {
            return Ok(Some(1));
        }
        let count = match self.peek() {
            Tok::Number(n) => n.parse::<usize>().ok().filter(|n| *n <= 1_000_000),
            _ => None,
        };
        let Some(count) = count else { return Err(self.unexpected("a number of results")) };
        self.advance();
        self.expect_mark(">")?;
        Ok(Some(count))
    }

    fn enforce(&mut self, proc: &mut Proc) -> Res<()> {
        while self.take_word(Word::Enforce) {
            let e = self.expr()?;
            self.take_mark(";");
            proc.enforce = Some(match proc.enforce.take() {
                None => e,
                Some(before) => Expr::and([before, e]),
            });
        }
        Ok(())
    }

    pub(super) fn dfs(&mut self) {
        if self.at_word(Word::Dfs) && self.peek_second() != Tok::Mark("(") {
            self.warnings.push(Diagnostic::warning(self.span(), "`dfs` is ignored"));
            self.advance();
        }
    }
}

/// The largest number of values that a `return` in the body gives.
fn most_returned(body: &[Stmt]) -> usize {
    let given = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Return(values) => values.len(),
        _ => 0,
    };
    preorder(body).map(given).max().unwrap_or(0)
}
