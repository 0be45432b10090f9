//! Names in the text of a function: functions that are called, labels, jumps back.

use super::declarators::declared_name;
use lang_c::ast;
use lang_c::span::Node;
use lang_c::visit::{self, Visit};
use rustc_hash::{FxHashMap, FxHashSet};

/// Names that are called, and whether there is a label `ERROR`.
#[derive(Default)]
pub(crate) struct CalledNames {
    pub(crate) called: Vec<String>,
    pub(crate) error_label: bool,
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
pub(crate) fn label_places(def: &Node<ast::FunctionDefinition>) -> FxHashMap<String, usize> {
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
pub(crate) fn backward_gotos(def: &Node<ast::FunctionDefinition>) -> Vec<(usize, usize)> {
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

/// Names whose address is taken, found by walking over a part of the tree.
struct Addressed(FxHashSet<String>);

impl<'ast> Visit<'ast> for Addressed {
    fn visit_unary_operator_expression(
        &mut self,
        u: &'ast ast::UnaryOperatorExpression,
        span: &'ast lang_c::span::Span,
    ) {
        if u.operator.node == ast::UnaryOperator::Address {
            let mut e = &u.operand;
            loop {
                match &e.node {
                    ast::Expression::Identifier(id) => {
                        self.0.insert(id.node.name.clone());
                        break;
                    }
                    ast::Expression::Member(m) => e = &m.node.expression,
                    ast::Expression::BinaryOperator(b)
                        if b.node.operator.node == ast::BinaryOperator::Index =>
                    {
                        e = &b.node.lhs;
                    }
                    _ => break,
                }
            }
        }
        visit::visit_unary_operator_expression(self, u, span);
    }
}

/// Names whose address is taken somewhere in a function.
pub(crate) fn addressed_names(body: &lang_c::span::Node<ast::Statement>) -> FxHashSet<String> {
    let mut names = Addressed(FxHashSet::default());
    names.visit_statement(&body.node, &body.span);
    names.0
}

/// Names whose address is taken somewhere in a file.
pub(crate) fn addressed_in(unit: &ast::TranslationUnit) -> FxHashSet<String> {
    let mut names = Addressed(FxHashSet::default());
    names.visit_translation_unit(unit);
    names.0
}

/// Names in a file: those that are called, and those that are used otherwise.
#[derive(Default)]
pub(crate) struct Mentions {
    pub(crate) called: FxHashSet<String>,
    pub(crate) values: FxHashSet<String>,
}

impl<'ast> Visit<'ast> for Mentions {
    fn visit_expression(&mut self, e: &'ast ast::Expression, span: &'ast lang_c::span::Span) {
        match e {
            ast::Expression::Call(c) => {
                match &c.node.callee.node {
                    ast::Expression::Identifier(id) => {
                        self.called.insert(id.node.name.clone());
                    }
                    _ => self.visit_expression(&c.node.callee.node, &c.node.callee.span),
                }
                c.node.arguments.iter().for_each(|a| self.visit_expression(&a.node, &a.span));
            }
            ast::Expression::Identifier(id) => {
                self.values.insert(id.node.name.clone());
            }
            _ => visit::visit_expression(self, e, span),
        }
    }
}

/// Names that a function declares.
#[derive(Default)]
pub(crate) struct Declared {
    pub(crate) automatic: FxHashSet<String>,
    /// Arrays among them, with the number of their dimensions.
    pub(crate) arrays: FxHashMap<String, usize>,
    pub(crate) fixed: FxHashSet<String>,
    pub(crate) linked: FxHashSet<String>,
}

impl<'ast> Visit<'ast> for Declared {
    fn visit_declaration(&mut self, d: &'ast ast::Declaration, span: &'ast lang_c::span::Span) {
        use ast::StorageClassSpecifier as S;
        let class = d.specifiers.iter().find_map(|s| match &s.node {
            ast::DeclarationSpecifier::StorageClass(c) => Some(&c.node),
            _ => None,
        });
        for init in &d.declarators {
            let Some(name) = declared_name(&init.node.declarator) else { continue };
            match class {
                Some(S::Static) => self.fixed.insert(name.into()),
                Some(S::Extern) => self.linked.insert(name.into()),
                _ => self.automatic.insert(name.into()),
            };
            let derived = &init.node.declarator.node.derived;
            let flat = matches!(init.node.declarator.node.kind.node, ast::DeclaratorKind::Identifier(_));
            if flat && derived.iter().all(|d| matches!(d.node, ast::DerivedDeclarator::Array(_))) {
                self.arrays.insert(name.into(), derived.len());
            }
        }
        visit::visit_declaration(self, d, span);
    }

    fn visit_parameter_declaration(
        &mut self,
        p: &'ast ast::ParameterDeclaration,
        _: &'ast lang_c::span::Span,
    ) {
        self.automatic.extend(p.declarator.as_ref().and_then(declared_name).map(str::to_owned));
    }
}
