//! Names in the text of a function: functions that are called, labels, jumps back.

use lang_c::ast;
use lang_c::span::Node;
use lang_c::visit::{self, Visit};
use rustc_hash::FxHashMap;

/// Names that are called, and whether there is a label `ERROR`.
#[derive(Default)]
pub(super) struct CalledNames {
    pub(super) called: Vec<String>,
    pub(super) error_label: bool,
}

impl<'ast> Visit<'ast> for CalledNames {
    fn visit_call_expression(&mut self, c: &'ast ast::CallExpression, span: &'ast lang_c::span::Span) {
        if let ast::Expression::Identifier(id) = &c.callee.node {
            self.called.push(id.node.name.clone());
        }
        visit::visit_call_expression(self, c, span);
    }

    fn visit_label(&mut self, label: &'ast ast::Label, span: &'ast lang_c::span::Span) {
        self.error_label |= matches!(label, ast::Label::Identifier(id) if id.node.name == "ERROR");
        visit::visit_label(self, label, span);
    }
}

/// The places of a function's labels.
pub(super) fn label_places(def: &Node<ast::FunctionDefinition>) -> FxHashMap<String, usize> {
    #[derive(Default)]
    struct Places(FxHashMap<String, usize>);
    impl<'ast> Visit<'ast> for Places {
        fn visit_labeled_statement(
            &mut self,
            l: &'ast ast::LabeledStatement,
            span: &'ast lang_c::span::Span,
        ) {
            if let ast::Label::Identifier(id) = &l.label.node {
                self.0.insert(id.node.name.clone(), l.label.span.start);
            }
            visit::visit_labeled_statement(self, l, span);
        }
    }
    let mut places = Places::default();
    places.visit_statement(&def.node.statement.node, &def.node.statement.span);
    places.0
}

/// From the label to the `goto`, for each `goto` that stands behind its label.
pub(super) fn backward_gotos(def: &Node<ast::FunctionDefinition>) -> Vec<(usize, usize)> {
    #[derive(Default)]
    struct Jumps<'t> {
        labels: Vec<(&'t str, usize)>,
        gotos: Vec<(&'t str, usize)>,
    }
    impl<'ast> Visit<'ast> for Jumps<'ast> {
        fn visit_statement(&mut self, s: &'ast ast::Statement, span: &'ast lang_c::span::Span) {
            match s {
                ast::Statement::Goto(id) => self.gotos.push((&id.node.name, span.end)),
                ast::Statement::Labeled(l) => {
                    if let ast::Label::Identifier(id) = &l.node.label.node {
                        self.labels.push((&id.node.name, span.start));
                    }
                }
                _ => {}
            }
            visit::visit_statement(self, s, span);
        }
    }
    let mut jumps = Jumps::default();
    jumps.visit_statement(&def.node.statement.node, &def.node.statement.span);
    let mut out = vec![];
    for (name, goto) in &jumps.gotos {
        out.extend(jumps.labels.iter().filter(|(n, at)| n == name && at < goto).map(|(_, at)| (*at, *goto)));
    }
    out
}
