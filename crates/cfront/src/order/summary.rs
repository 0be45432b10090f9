//! What calls may read and write: facts about each function by the names in its body, joined over the call graph.
//!
//! Names are not resolved exactly: one that a function declares for itself counts for the object of that name outside
//! as well, which only makes the sets larger.

use super::touch::{Named, Root, Touch};
use crate::cond::changes;
use crate::cx::Cx;
use crate::models::Primitive;
use crate::scope::{Entity, FnId};
use crate::special::Special;
use crate::ty::Ty;
use base::Id;
use lang_c::ast;
use lang_c::span::{Node, Span as NodeSpan};
use lang_c::visit::{self, Visit};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of functions.
#[derive(Debug, Default)]
pub(crate) struct Summaries {
    own: FxHashMap<FnId, Facts>,
    whole: FxHashMap<FnId, Touch>,
    /// Names whose address is taken anywhere.
    addressed: Option<FxHashSet<String>>,
    pointed: Option<Pointed>,
}

/// The functions that a pointer may lead to: those that are named other than in calls.
#[derive(Clone, Debug, Default)]
struct Pointed {
    defined: Vec<FnId>,
    /// Functions of other programs as well.
    unknown: bool,
}

/// What a function does itself, and whom it calls.
#[derive(Clone, Debug, Default)]
struct Facts {
    touch: Touch,
    calls: Vec<FnId>,
    /// It calls through pointers.
    indirect: bool,
}

impl Cx<'_> {
    /// What a call of the function by this name may do; its arguments are not part of it.
    pub(super) fn touch_of_call(&mut self, name: &str, f: Option<FnId>) -> Touch {
        match self.callee(name, f) {
            Callee::Known(touch) => touch,
            Callee::Defined(f) => self.touch_of_function(f),
        }
    }

    /// What a call through a pointer may do.
    pub(super) fn touch_of_pointer(&mut self) -> Touch {
        let pointed = self.pointed();
        let mut touch = if pointed.unknown { Touch::anything() } else { Touch::default() };
        for f in pointed.defined {
            let called = self.touch_of_function(f);
            touch.join(&called);
        }
        touch
    }

    /// The functions that pointers may lead to.
    fn pointed(&mut self) -> Pointed {
        if let Some(known) = &self.order.summaries.pointed {
            return known.clone();
        }
        let mut pointed = Pointed::default();
        for (file, parsed) in self.parsed.iter().enumerate() {
            let mut names = Mentions::default();
            names.visit_translation_unit(&parsed.unit);
            let function = |name: &String| match self.scopes.files[file].names.get(name) {
                Some(Entity::Function(f)) => Some(*f),
                _ => self.extern_functions.get(name).copied(),
            };
            for f in names.values.iter().filter_map(function) {
                match self.model(&self.functions[f].name, Some(f)).unwrap_or(f) {
                    f if self.functions[f].def.is_some() => pointed.defined.push(f),
                    _ => pointed.unknown = true,
                }
            }
            // What is not the program's may give out pointers to functions that are not either.
            pointed.unknown |= names.called.iter().any(|name| {
                let f = function(name);
                let undefined = matches!(self.callee(name, f), Callee::Known(touch) if touch.is_anything());
                undefined && f.is_none_or(|f| !self.functions[f].ty.ret.ty.is_arithmetic())
            });
        }
        pointed.defined.sort_unstable();
        pointed.defined.dedup();
        self.order.summaries.pointed = Some(pointed.clone());
        pointed
    }

    /// A call of the function that a name stands for in the current file.
    fn callee(&self, name: &str, f: Option<FnId>) -> Callee {
        if name.starts_with("__ctype_") && name.ends_with("_loc") {
            return Callee::Known(Touch::default());
        }
        if let Some(special) = self.special(name, f) {
            return Callee::Known(self.touch_of_special(&special, name));
        }
        match self.model(name, f).or(f) {
            Some(f) if self.functions[f].def.is_some() => Callee::Defined(f),
            Some(f) if self.functions[f].noreturn => Callee::Known(Touch::anything()),
            _ => Callee::Known(Touch { stops: false, ..Touch::anything() }),
        }
    }

    fn touch_of_special(&self, special: &Special, name: &str) -> Touch {
        let nothing = Touch::default();
        match special {
            Special::Error | Special::AssertFailed(_) => Touch { fails: true, stops: true, ..nothing },
            Special::Assert => Touch { fails: true, ..nothing },
            Special::Assume | Special::Stop => Touch { stops: true, ..nothing },
            Special::Exit | Special::QuickExit | Special::Refused(_) => Touch::anything(),
            Special::Input(_) | Special::Alloc(_) => Touch { fails: self.checks_operations(), ..nothing },
            Special::Free | Special::MemSet | Special::MemCopy => {
                Touch { fails: self.checks_operations(), ..Touch::memory() }
            }
            Special::Quiet(_) => {
                let mut touch = Touch::memory();
                touch.writes = if self.uses_errno { touch.writes } else { nothing.writes };
                touch
            }
            Special::Builtin if name.ends_with("_overflow") => Touch::memory(),
            Special::Builtin if matches!(name, "__builtin_unreachable" | "__builtin_trap") => {
                Touch { stops: true, ..nothing }
            }
            Special::Builtin | Special::Errno => nothing,
            Special::Primitive(p) => match p {
                Primitive::Environment => Touch::anything(),
                Primitive::Unmodelled => Touch { fails: true, stops: true, ..nothing },
                Primitive::Inspect(_) | Primitive::Arbitrary | Primitive::Input => nothing,
            },
        }
    }

    /// Whether operations, and not only assertions, are checked.
    pub(super) fn checks_operations(&self) -> bool {
        !self.opts.only_reach()
    }

    fn touch_of_function(&mut self, f: FnId) -> Touch {
        if let Some(known) = self.order.summaries.whole.get(&f) {
            return known.clone();
        }
        let mut touch = Touch::default();
        let mut seen = FxHashSet::default();
        let mut todo = vec![f];
        while let Some(g) = todo.pop() {
            if !seen.insert(g) {
                continue;
            }
            let facts = self.facts(g);
            touch.join(&facts.touch);
            // Recursion may go on for ever.
            touch.stops |= self.calls_itself(g);
            todo.extend(facts.calls);
            if facts.indirect {
                let pointed = self.pointed();
                touch.join(&if pointed.unknown { Touch::anything() } else { Touch::default() });
                touch.stops = true;
                todo.extend(pointed.defined);
            }
        }
        touch.fails |= self.checks_operations();
        self.order.summaries.whole.insert(f, touch.clone());
        touch
    }

    fn calls_itself(&mut self, f: FnId) -> bool {
        let mut seen = FxHashSet::default();
        let mut todo = self.facts(f).calls;
        while let Some(g) = todo.pop() {
            if g == f {
                return true;
            }
            if seen.insert(g) {
                todo.extend(self.facts(g).calls);
            }
        }
        false
    }

    fn facts(&mut self, f: FnId) -> Facts {
        if let Some(known) = self.order.summaries.own.get(&f) {
            return known.clone();
        }
        let function = self.functions[f].clone();
        let Some(def) = function.def else { return Facts { touch: Touch::anything(), ..Facts::default() } };
        // Names in the body are those of its own file.
        let file = std::mem::replace(&mut self.scopes.file, function.file);
        self.find_addressed();
        let mut declared = Declared::default();
        declared.visit_function_definition(&def.node, &def.span);
        let mut reader =
            Reader { cx: self, declared: &declared, inside: Some(&function.name), facts: Facts::default() };
        reader.visit_statement(&def.node.statement.node, &def.node.statement.span);
        let facts = reader.facts;
        self.scopes.file = file;
        self.order.summaries.own.insert(f, facts.clone());
        facts
    }

    /// What a block inside of an expression may do.
    pub(super) fn touch_of_block(&mut self, block: &Node<ast::Statement>) -> Touch {
        self.find_addressed();
        let mut declared = Declared::default();
        declared.visit_statement(&block.node, &block.span);
        let mut reader = Reader { cx: self, declared: &declared, inside: None, facts: Facts::default() };
        reader.visit_statement(&block.node, &block.span);
        let Facts { mut touch, calls, indirect } = reader.facts;
        if indirect {
            let called = self.touch_of_pointer();
            touch.join(&called);
        }
        for f in calls {
            let called = self.touch_of_function(f);
            touch.join(&called);
        }
        touch.fails |= self.checks_operations();
        touch
    }

    /// Finds the names whose address is taken in any file.
    pub(super) fn find_addressed(&mut self) {
        if self.order.summaries.addressed.is_some() {
            return;
        }
        let mut names = FxHashSet::default();
        for parsed in self.parsed {
            names.extend(crate::expr::addressed_in(&parsed.unit));
        }
        self.order.summaries.addressed = Some(names);
    }

    /// Whether pointers may lead to the object.
    pub(super) fn is_open(&self, name: &str, ty: &Ty) -> bool {
        let addressed = self.order.summaries.addressed.as_ref();
        self.has_array(ty) || addressed.is_none_or(|names| names.contains(name))
    }

    /// Whether the object is an array or has one, whose address an expression takes without `&`.
    pub(super) fn has_array(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Array(..) | Ty::Vla(..) => true,
            Ty::Record(r) => self.members[r.index()].iter().any(|m| self.has_array(&m.ty.ty)),
            _ => false,
        }
    }
}

/// What a call by name means.
enum Callee {
    Known(Touch),
    Defined(FnId),
}

/// Names in a file: those that are called, and those that are used otherwise.
#[derive(Default)]
struct Mentions {
    called: FxHashSet<String>,
    values: FxHashSet<String>,
}

impl<'ast> Visit<'ast> for Mentions {
    fn visit_expression(&mut self, e: &'ast ast::Expression, span: &'ast NodeSpan) {
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
struct Declared {
    automatic: FxHashSet<String>,
    /// Arrays among them, with the number of their dimensions.
    arrays: FxHashMap<String, usize>,
    fixed: FxHashSet<String>,
    linked: FxHashSet<String>,
}

impl<'ast> Visit<'ast> for Declared {
    fn visit_declaration(&mut self, d: &'ast ast::Declaration, span: &'ast NodeSpan) {
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

    fn visit_parameter_declaration(&mut self, p: &'ast ast::ParameterDeclaration, _: &'ast NodeSpan) {
        self.automatic.extend(p.declarator.as_ref().and_then(declared_name).map(str::to_owned));
    }
}

/// The name that a declarator declares.
fn declared_name(d: &Node<ast::Declarator>) -> Option<&str> {
    let mut d = d;
    loop {
        match &d.node.kind.node {
            ast::DeclaratorKind::Identifier(id) => return Some(&id.node.name),
            ast::DeclaratorKind::Declarator(inner) => d = inner,
            ast::DeclaratorKind::Abstract => return None,
        }
    }
}

/// Reads what a body does.
struct Reader<'c, 'a, 'd> {
    cx: &'c Cx<'a>,
    declared: &'d Declared,
    /// The function; `None` when its own variables are in scope.
    inside: Option<&'d str>,
    facts: Facts,
}

impl Reader<'_, '_, '_> {
    /// The objects outside of the body that a name may stand for.
    fn roots(&self, name: &str) -> Vec<Root> {
        let entity = match self.inside {
            None => self.cx.scopes.lookup(name),
            Some(_) => self.cx.scopes.files[self.cx.scopes.file].names.get(name),
        };
        let mut out = vec![];
        if let Some(entity) = entity {
            out.extend(self.cx.root_of_entity(name, entity));
        }
        let linked = self.declared.linked.contains(name);
        if let Some(o) = self.cx.extern_objects.get(name).copied().filter(|_| linked) {
            let open = self.cx.is_open(name, &self.cx.objects[o].ty.ty);
            out.push(Root { named: Named::Object(o), open });
        }
        if let Some(function) = self.inside.filter(|_| self.declared.fixed.contains(name)) {
            out.push(Root { named: Named::Static(function.into(), name.into()), open: true });
        }
        out
    }

    /// Whether the location lies in an object with a name.
    fn owner<'e>(&self, e: &'e ast::Expression) -> Option<&'e str> {
        let (mut e, mut depth) = (e, 0);
        loop {
            match e {
                ast::Expression::Identifier(id) => {
                    let name = id.node.name.as_str();
                    return (depth <= self.dimensions(name)).then_some(name);
                }
                ast::Expression::Member(m)
                    if depth == 0 && m.node.operator.node == ast::MemberOperator::Direct =>
                {
                    e = &m.node.expression.node;
                }
                ast::Expression::BinaryOperator(b) if b.node.operator.node == ast::BinaryOperator::Index => {
                    (e, depth) = (&b.node.lhs.node, depth + 1);
                }
                _ => return None,
            }
        }
    }

    /// How many indices lead from an array to its elements.
    fn dimensions(&self, name: &str) -> usize {
        let mut least = self.declared.arrays.get(name).copied();
        let own = self.declared.automatic.contains(name) || self.declared.fixed.contains(name);
        if own && least.is_none() {
            return 0;
        }
        if let Some(entity) = self.cx.scopes.files[self.cx.scopes.file].names.get(name)
            && let Entity::Object(o) = entity
        {
            let outer = dimensions(&self.cx.objects[*o].ty.ty);
            least = Some(least.map_or(outer, |n| n.min(outer)));
        }
        least.unwrap_or(0)
    }

    fn place(&mut self, e: &ast::Expression, writes: bool) {
        let touch = &mut Touch::default();
        let set = if writes { &mut touch.writes } else { &mut touch.reads };
        match self.owner(e) {
            Some(name) => self.roots(name).into_iter().for_each(|r| set.add(r)),
            None => set.add_place(None),
        }
        self.facts.touch.join(touch);
    }

    fn call(&mut self, c: &ast::CallExpression) {
        let ast::Expression::Identifier(id) = &c.callee.node else {
            self.facts.indirect = true;
            return;
        };
        let name = id.node.name.as_str();
        let own = self.declared.automatic.contains(name) || self.declared.fixed.contains(name);
        let entity = match self.inside {
            None => self.cx.scopes.lookup(name),
            Some(_) => self.cx.scopes.files[self.cx.scopes.file].names.get(name),
        };
        let f = match entity {
            Some(Entity::Function(f)) => Some(*f),
            Some(_) => {
                self.facts.indirect = true;
                return;
            }
            None => self.cx.extern_functions.get(name).copied(),
        };
        self.facts.indirect |= own;
        if own && f.is_none() {
            return;
        }
        match self.cx.callee(name, f) {
            Callee::Known(touch) => self.facts.touch.join(&touch),
            Callee::Defined(f) => self.facts.calls.push(f),
        }
    }
}

/// How many indices lead from an array to elements that are none.
fn dimensions(ty: &Ty) -> usize {
    let (mut ty, mut n) = (ty, 0);
    while let Ty::Array(elem, _) = ty {
        (ty, n) = (&elem.ty, n + 1);
    }
    n
}

impl<'ast> Visit<'ast> for Reader<'_, '_, '_> {
    fn visit_expression(&mut self, e: &'ast ast::Expression, span: &'ast NodeSpan) {
        use ast::{BinaryOperator as B, Expression as E, UnaryOperator as U};
        match e {
            E::SizeOfTy(_) | E::SizeOfVal(_) | E::AlignOf(_) | E::OffsetOf(_) => return,
            E::Identifier(_) | E::Member(_) => self.place(e, false),
            E::Call(c) => self.call(&c.node),
            E::UnaryOperator(u) => match u.node.operator.node {
                U::PreIncrement | U::PreDecrement | U::PostIncrement | U::PostDecrement => {
                    self.place(&u.node.operand.node, true);
                }
                U::Indirection => self.place(e, false),
                _ => {}
            },
            E::BinaryOperator(b) if changes(&b.node.operator.node) => self.place(&b.node.lhs.node, true),
            E::BinaryOperator(b) if b.node.operator.node == B::Index => self.place(e, false),
            E::VaArg(_) => self.facts.touch.join(&Touch::memory()),
            _ => {}
        }
        visit::visit_expression(self, e, span);
    }

    fn visit_statement(&mut self, s: &'ast ast::Statement, span: &'ast NodeSpan) {
        use ast::Statement as S;
        match s {
            S::While(_) | S::DoWhile(_) | S::For(_) | S::Goto(_) => self.facts.touch.stops = true,
            S::Asm(_) => self.facts.touch.join(&Touch::anything()),
            S::Labeled(l) => {
                let error =
                    matches!(&l.node.label.node, ast::Label::Identifier(id) if id.node.name == "ERROR");
                self.facts.touch.fails |= error;
                self.facts.touch.stops |= error;
            }
            _ => {}
        }
        visit::visit_statement(self, s, span);
    }
}
