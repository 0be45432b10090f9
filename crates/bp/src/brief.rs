//! Abridged programs for readers: without the statements that do nothing.

use crate::{Expr, Program, Stmt, StmtKind};

/// The program without `skip` and `assume(1)`, where no label stands before them. A list of statements that would be
/// empty keeps its last one.
pub fn brief(program: &Program) -> Program {
    let mut out = program.clone();
    let mut lists: Vec<&mut Vec<Stmt>> = out.procs.iter_mut().map(|p| &mut p.body).collect();
    while let Some(list) = lists.pop() {
        if let Some(last) = list.len().checked_sub(1)
            && list.iter().all(is_idle)
        {
            list.drain(..last);
        } else {
            list.retain(|stmt| !is_idle(stmt));
        }
        for stmt in list {
            match &mut stmt.kind {
                StmtKind::If { arms, otherwise } => {
                    lists.extend(arms.iter_mut().map(|(_, stmts)| stmts));
                    lists.push(otherwise);
                }
                StmtKind::While { body, .. } | StmtKind::Atomic(body) => lists.push(body),
                _ => {}
            }
        }
    }
    out
}

/// Whether the statement does nothing, and nothing leads to it by its name.
fn is_idle(stmt: &Stmt) -> bool {
    let idle = match &stmt.kind {
        StmtKind::Skip => true,
        StmtKind::Assume { cond, constrain } => *cond == Expr::one() && constrain.is_none(),
        _ => false,
    };
    idle && stmt.labels.is_empty() && stmt.notes.above.is_empty()
}

#[cfg(test)]
mod tests {
    use crate::{Dialect, parse};
    use base::{FileId, Id};

    /// Statements with an effect and targets of jumps stay; no list of statements becomes empty.
    #[test]
    fn idle_statements_go() {
        let text = "decl g;\nvoid main() begin\n  skip;\n  L: skip;\n  if (*) then\n    assume(1);\n    skip;\n  \
            else\n    skip;\n    g := 1;\n  fi\n  assume(g);\n  goto L;\nend\n";
        let (program, _) =
            parse(text, FileId::from_index(0), Dialect::Strict).expect("the text is a program");
        expect_test::expect![[r#"
            decl g;

            void main() begin
              L: skip;
              if (*) then
                skip;
              else
                g := 1;
              fi
              assume(g);
              goto L;
            end
        "#]]
        .assert_eq(&crate::print(&super::brief(&program)));
    }
}
