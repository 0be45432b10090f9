//! Functions that a program registers for others to call: those named in the initialiser of a structure of
//! pointers, and those whose address, or whose structure's address, is an argument of an undefined function.

use crate::lower::context::Symbols;
use crate::syntax::declarators::declared_name;
use lang_c::ast;
use lang_c::visit::{self, Visit};
use std::collections::{BTreeMap, BTreeSet};

/// The word for everything that undefined functions get.
pub(super) const REGISTERED: &str = "callbacks";

/// The names that occur in an expression or initialiser, in order.
#[derive(Default)]
struct Names(Vec<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_expression(&mut self, e: &'ast ast::Expression, span: &'ast lang_c::span::Span) {
        match e {
            ast::Expression::Identifier(id) => self.0.push(id.node.name.clone()),
            // Operands of `sizeof` are not passed on.
            ast::Expression::SizeOfVal(_) | ast::Expression::SizeOfTy(_) => {}
            _ => visit::visit_expression(self, e, span),
        }
    }
}

/// The names in the arguments of calls by name, with the function that is called.
#[derive(Default)]
struct Arguments(Vec<(String, Vec<String>)>);

impl<'ast> Visit<'ast> for Arguments {
    fn visit_call_expression(&mut self, c: &'ast ast::CallExpression, span: &'ast lang_c::span::Span) {
        if let ast::Expression::Identifier(id) = &c.callee.node {
            let mut names = Names::default();
            c.arguments.iter().for_each(|a| names.visit_expression(&a.node, &a.span));
            self.0.push((id.node.name.clone(), names.0));
        }
        visit::visit_call_expression(self, c, span);
    }
}

impl Symbols<'_> {
    /// The functions that the name denotes in an environment, in the order in which they are met: a function
    /// itself, those of a structure, or all that undefined functions get; none if the name denotes nothing.
    pub(super) fn registered(&self, name: &str) -> Vec<String> {
        let own = |name: &str| self.defined_function(name).is_some();
        if own(name) {
            return vec![name.to_owned()];
        }
        let initialisers = self.initialisers();
        let mut open: Vec<String> = vec![name.to_owned()];
        if name == REGISTERED && !initialisers.contains_key(name) {
            let given = self.given_away().into_iter().filter(|(callee, _)| !own(callee));
            open = given.flat_map(|(_, names)| names).collect();
        }
        let (mut found, mut met) = (vec![], BTreeSet::new());
        open.reverse();
        while let Some(next) = open.pop() {
            if !met.insert(next.clone()) {
                continue;
            }
            if own(&next) {
                found.push(next);
            } else if let Some(names) = initialisers.get(&next) {
                open.extend(names.iter().rev().cloned());
            }
        }
        found
    }

    /// The names in the initialisers of the program's global variables.
    fn initialisers(&self) -> BTreeMap<String, Vec<String>> {
        let mut out = BTreeMap::new();
        for declaration in self.parsed[..self.stubs_from].iter().flat_map(|file| &file.unit.0) {
            let ast::ExternalDeclaration::Declaration(d) = &declaration.node else { continue };
            for declared in &d.node.declarators {
                if let Some(initialiser) = &declared.node.initializer {
                    let mut names = Names::default();
                    names.visit_initializer(&initialiser.node, &initialiser.span);
                    out.insert(
                        declared_name(&declared.node.declarator).unwrap_or_default().to_owned(),
                        names.0,
                    );
                }
            }
        }
        out
    }

    /// The calls in the program's functions, with the names in their arguments.
    fn given_away(&self) -> Vec<(String, Vec<String>)> {
        let mut calls = Arguments::default();
        for declaration in self.parsed[..self.stubs_from].iter().flat_map(|file| &file.unit.0) {
            if let ast::ExternalDeclaration::FunctionDefinition(f) = &declaration.node {
                calls.visit_function_definition(&f.node, &f.span);
            }
        }
        calls.0
    }
}
