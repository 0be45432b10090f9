//! Statements and block declarations.

use crate::cfg::Switch;
use crate::cx::Cx;
use crate::decl::{Declared, Storage};
use crate::expr::{Ast, Place};
use crate::options::Res;
use crate::scope::{Entity, Object, Scope};
use crate::special::Special;
use crate::ty::{IntTy, QTy, Ty};
use base::{Id, Pos, Span};
use cmm::{BinOp, Callee, EdgeKind, Expr, HavocKind, LocId, Lvalue, Op, Origin, Type};
use lang_c::ast;
use lang_c::span::Node;

/// A statement of the source.
type Stmt = Node<ast::Statement>;

impl Cx<'_> {
    /// Lowers a statement.
    pub(crate) fn stmt(&mut self, s: &Stmt) -> Res<()> {
        use ast::Statement as S;
        match &s.node {
            S::Labeled(l) => self.labeled(&l.node),
            S::Compound(items) => self.in_scope(s, |cx| items.iter().try_for_each(|i| cx.block_item(i))),
            S::Expression(e) => e.as_ref().map_or(Ok(()), |e| self.or_unmodelled(|cx| cx.discard(e))),
            S::If(i) => self.if_statement(&i.node),
            S::Switch(w) => self.switch(&w.node, s),
            S::While(w) => self.while_loop(&w.node, s),
            S::DoWhile(d) => self.do_loop(&d.node, s),
            S::For(f) => self.in_scope(s, |cx| cx.for_loop(&f.node, s)),
            S::Goto(label) => {
                let span = self.span(s);
                let target = self.fun.label(&label.node.name, span).loc;
                self.leave_for(&label.node.name);
                self.fun.goto(target, span);
                Ok(())
            }
            S::Continue => self.jump(self.fun.continues.last().copied(), "continue", s),
            S::Break => self.jump(self.fun.breaks.last().copied(), "break", s),
            S::Return(e) => self.or_unmodelled(|cx| cx.return_statement(e.as_deref(), s)),
            S::Asm(a) => self.or_unmodelled(|cx| cx.asm(&a.node, s)),
        }
    }

    fn in_scope(&mut self, s: &Stmt, f: impl FnOnce(&mut Self) -> Res<()>) -> Res<()> {
        let outer = self.scopes.blocks.len();
        self.scopes.blocks.push(Scope { range: Some((s.span.start, s.span.end)), ..Scope::default() });
        let result = f(self);
        self.leave(outer);
        self.scopes.blocks.pop();
        result
    }

    /// The blocks above this number of open ones are left: the lives of their variables end.
    fn leave(&mut self, outer: usize) {
        let mut ends = vec![];
        for scope in self.scopes.blocks.iter().skip(outer).rev() {
            let Some((start, end)) = scope.range.filter(|_| !scope.mortal.is_empty()) else { continue };
            let span = self.at(lang_c::span::Span::span(start, end));
            ends.extend(scope.mortal.iter().map(|v| (*v, span)));
        }
        for (v, span) in ends {
            let ty = self.vars[v.index()].ty.clone();
            self.internal(Op::Free(Expr::AddrOf(Box::new(Lvalue::var(v, ty)))), span);
        }
    }

    /// A `goto` leaves the blocks in which its label does not stand.
    fn leave_for(&mut self, label: &str) {
        let Some(at) = self.fun.label_places.get(label).copied() else { return };
        let stays = |scope: &Scope| scope.range.is_none_or(|(start, end)| start <= at && at < end);
        let outer = self.scopes.blocks.iter().take_while(|scope| stays(scope)).count();
        self.leave(outer);
    }

    /// Lowers a declaration or statement of a block.
    pub(crate) fn block_item(&mut self, item: &Node<ast::BlockItem>) -> Res<()> {
        match &item.node {
            ast::BlockItem::Declaration(d) => self.local_declaration(d),
            ast::BlockItem::StaticAssert(a) => self.static_assert(a),
            ast::BlockItem::Statement(s) => self.stmt(s),
        }
    }

    fn jump(&mut self, target: Option<(LocId, usize)>, word: &str, s: &Stmt) -> Res<()> {
        let span = self.span(s);
        match target {
            Some((target, outer)) => {
                self.leave(outer);
                self.fun.goto(target, span);
                Ok(())
            }
            None => self.type_error(span, format!("`{word}` stands in no loop")),
        }
    }

    fn if_statement(&mut self, i: &ast::IfStatement) -> Res<()> {
        let (yes, no) = (self.fun.new_loc(), self.fun.new_loc());
        let span = self.span(&i.condition);
        self.test(&i.condition, yes, no)?;
        self.fun.cur = yes;
        self.stmt(&i.then_statement)?;
        let Some(other) = &i.else_statement else {
            self.fun.enter(no, span);
            return Ok(());
        };
        let join = self.fun.new_loc();
        self.fun.goto(join, span);
        self.fun.cur = no;
        self.stmt(other)?;
        self.fun.enter(join, span);
        Ok(())
    }

    /// Branches on the condition of a statement.
    fn test(&mut self, e: &Ast, yes: LocId, no: LocId) -> Res<()> {
        self.or_unmodelled(|cx| cx.condition(e, yes, no))
    }

    /// The span of the keyword that a loop starts with.
    fn keyword(&self, s: &Stmt, word: &str) -> Span {
        let span = self.span(s);
        let end = Pos { line: span.start.line, col: span.start.col + word.len() as u32 };
        Span { end, ..span }
    }

    /// Lowers the body of a loop with its `break` and `continue`.
    fn body(&mut self, s: &Stmt, after: LocId, next: LocId) -> Res<()> {
        let outer = self.scopes.blocks.len();
        self.fun.breaks.push((after, outer));
        self.fun.continues.push((next, outer));
        self.fun.repeats += 1;
        let result = self.stmt(s);
        self.fun.repeats -= 1;
        self.fun.breaks.pop();
        self.fun.continues.pop();
        result
    }

    fn while_loop(&mut self, w: &ast::WhileStatement, s: &Stmt) -> Res<()> {
        let keyword = self.keyword(s, "while");
        let (head, body, after) = (self.fun.new_loc(), self.fun.new_loc(), self.fun.new_loc());
        self.fun.mark_loop_head(head, keyword);
        self.fun.enter(head, keyword);
        self.fun.repeats += 1;
        let condition = self.test(&w.expression, body, after);
        self.fun.repeats -= 1;
        condition?;
        self.fun.cur = body;
        self.body(&w.statement, after, head)?;
        self.fun.goto(head, keyword);
        self.fun.cur = after;
        Ok(())
    }

    fn do_loop(&mut self, d: &ast::DoWhileStatement, s: &Stmt) -> Res<()> {
        let keyword = self.keyword(s, "do");
        let (head, next, after) = (self.fun.new_loc(), self.fun.new_loc(), self.fun.new_loc());
        // `do … while (0)` is a block that `break` can leave.
        let once = self.try_const_condition(&d.expression)? == Some(0);
        if !once {
            self.fun.mark_loop_head(head, keyword);
        }
        self.fun.enter(head, keyword);
        self.body(&d.statement, after, next)?;
        self.fun.enter(next, keyword);
        self.fun.repeats += u32::from(!once);
        let condition = self.test(&d.expression, head, after);
        self.fun.repeats -= u32::from(!once);
        condition?;
        self.fun.cur = after;
        Ok(())
    }

    fn for_loop(&mut self, f: &ast::ForStatement, s: &Stmt) -> Res<()> {
        let keyword = self.keyword(s, "for");
        match &f.initializer.node {
            ast::ForInitializer::Empty => {}
            ast::ForInitializer::Expression(e) => self.or_unmodelled(|cx| cx.discard(e))?,
            ast::ForInitializer::Declaration(d) => self.local_declaration(d)?,
            ast::ForInitializer::StaticAssert(a) => self.static_assert(a)?,
        }
        let (head, body) = (self.fun.new_loc(), self.fun.new_loc());
        let (next, after) = (self.fun.new_loc(), self.fun.new_loc());
        self.fun.mark_loop_head(head, keyword);
        self.fun.enter(head, keyword);
        self.fun.repeats += 1;
        let condition = match &f.condition {
            Some(e) => self.test(e, body, after),
            None => {
                self.fun.goto(body, keyword);
                Ok(())
            }
        };
        self.fun.repeats -= 1;
        condition?;
        self.fun.cur = body;
        self.body(&f.statement, after, next)?;
        self.fun.enter(next, keyword);
        if let Some(step) = &f.step {
            self.or_unmodelled(|cx| cx.discard(step))?;
        }
        self.fun.goto(head, keyword);
        self.fun.cur = after;
        Ok(())
    }

    fn labeled(&mut self, l: &ast::LabeledStatement) -> Res<()> {
        let span = self.span(&l.label);
        match &l.label.node {
            ast::Label::Identifier(id) => {
                let name = id.node.name.as_str();
                let label = self.fun.label(name, span);
                let (loc, again) = (label.loc, label.defined);
                label.defined = true;
                if again {
                    return self.type_error(span, format!("the label `{name}` is defined twice"));
                }
                self.fun.set_label(loc, name, span);
                self.fun.enter(loc, span);
                if name == "ERROR" && !self.starts_with_error(&l.statement) {
                    self.check(Expr::int(0), "label ERROR is reached".into(), span);
                    self.end_path(span);
                }
            }
            ast::Label::Case(e) => {
                let value = self.const_int(e)?;
                self.case(value, value, span)?;
            }
            ast::Label::CaseRange(r) => {
                let (low, high) = (self.const_int(&r.node.low)?, self.const_int(&r.node.high)?);
                self.case(low, high, span)?;
            }
            ast::Label::Default => {
                let loc = self.fun.new_loc();
                let again = match self.fun.switches.last_mut() {
                    Some(switch) => switch.default.replace((loc, span)).is_some(),
                    None => return self.type_error(span, "`default` stands in no `switch`"),
                };
                if again {
                    return self.type_error(span, "the `switch` has two `default` labels");
                }
                self.fun.enter(loc, span);
            }
        }
        self.stmt(&l.statement)
    }

    /// Whether the statement begins with a call that is itself the check.
    fn starts_with_error(&self, s: &Stmt) -> bool {
        match &s.node {
            ast::Statement::Compound(items) => match items.first().map(|i| &i.node) {
                Some(ast::BlockItem::Statement(s)) => self.starts_with_error(s),
                _ => false,
            },
            ast::Statement::Labeled(l) => self.starts_with_error(&l.node.statement),
            ast::Statement::Expression(Some(e)) => match &e.node {
                ast::Expression::Call(c) => self.named_callee(&c.node).is_some_and(|(name, f)| {
                    matches!(self.special(name, f), Some(Special::Error | Special::AssertFailed(_)))
                }),
                _ => false,
            },
            _ => false,
        }
    }

    fn case(&mut self, low: i128, high: i128, span: Span) -> Res<()> {
        let loc = self.fun.new_loc();
        let Some(switch) = self.fun.switches.last_mut() else {
            return self.type_error(span, "`case` stands in no `switch`");
        };
        let ty = switch.ty.expect("an open switch knows its type").lower();
        let (low, high) = (ty.wrap(low), ty.wrap(high));
        let overlap = switch.cases.iter().any(|c| low <= c.1 && c.0 <= high);
        switch.cases.push((low, high, loc, span));
        if overlap {
            return self.type_error(span, "two `case` labels have the same value");
        }
        self.fun.enter(loc, span);
        Ok(())
    }

    fn switch(&mut self, w: &ast::SwitchStatement, s: &Stmt) -> Res<()> {
        let span = self.span(&w.expression);
        let v = self.value(&w.expression)?;
        let v = self.promote(v);
        let Ty::Int(ty) = v.ty else {
            return self.type_error(span, "`switch` needs an integer");
        };
        let e = match v.e {
            e @ (Expr::Load(_) | Expr::Const(..)) => e,
            Expr::Cast(inner, t) if matches!(*inner, Expr::Load(_)) => Expr::Cast(inner, t),
            e => self.spill(e, span),
        };
        let head = self.fun.cur;
        let after = self.fun.new_loc();
        self.fun.switches.push(Switch { ty: Some(ty), ..Switch::default() });
        self.fun.breaks.push((after, self.scopes.blocks.len()));
        self.fun.cur = self.fun.new_loc();
        let result = self.stmt(&w.statement);
        self.fun.breaks.pop();
        let switch = self.fun.switches.pop().expect("it was pushed above");
        result?;
        let whole = self.span(s);
        self.fun.goto(after, whole);
        self.dispatch(head, &e, ty, &switch, after, span);
        self.fun.cur = after;
        Ok(())
    }

    /// The edges from the head of a `switch`: one for each label, and a chain of negations to the default.
    fn dispatch(&mut self, head: LocId, e: &Expr, ty: IntTy, switch: &Switch, after: LocId, span: Span) {
        let wrap = self.opts.signed_wrap;
        let constant = |v: i128| Expr::Const(v, Type::Int(ty.lower()));
        let compare = |op, v| crate::consts::binary(op, e.clone(), constant(v), Type::INT, wrap);
        let test = |low: i128, high: i128, [same, least, most, both]: [BinOp; 4]| {
            if low == high {
                return compare(same, low);
            }
            crate::consts::binary(both, compare(least, low), compare(most, high), Type::INT, wrap)
        };
        for (low, high, loc, at) in &switch.cases {
            let condition = test(*low, *high, [BinOp::Eq, BinOp::Ge, BinOp::Le, BinOp::And]);
            if condition != Expr::truth(false) {
                self.fun.edge(head, *loc, Op::Assume(condition), *at, EdgeKind::Branch { taken: true });
            }
        }
        self.fun.cur = head;
        let mut last = None;
        for (low, high, _, _) in &switch.cases {
            let condition = test(*low, *high, [BinOp::Ne, BinOp::Lt, BinOp::Gt, BinOp::Or]);
            if let Some(previous) = last.replace(condition) {
                self.internal(Op::Assume(previous), span);
            }
        }
        let (target, at, taken) = match switch.default {
            Some((loc, at)) => (loc, at, true),
            None => (after, span, false),
        };
        match last {
            Some(condition) => {
                let from = self.fun.cur;
                self.fun.edge(from, target, Op::Assume(condition), at, EdgeKind::Branch { taken });
            }
            None => self.fun.goto(target, at),
        }
    }

    fn return_statement(&mut self, e: Option<&Ast>, s: &Stmt) -> Res<()> {
        let span = self.span(s);
        let ret_ty = self.fun.ret_ty.clone();
        match (e, &ret_ty) {
            (None, _) => {}
            (Some(e), Ty::Void) => self.discard(e)?,
            (Some(e), _) => {
                let lv = match (self.fun.ret, self.fun.ret_ptr) {
                    (Some(v), _) => Lvalue::var(v, ret_ty.lower()),
                    (None, Some(p)) => Lvalue::deref(Expr::var(p, ret_ty.lower().ptr_to())),
                    (None, None) => {
                        return self.type_error(span, "`return` with a value is not possible here");
                    }
                };
                let place = Place { lv, ty: ret_ty.into(), bit_field: false };
                self.assign_to(place, e, span, false)?;
            }
        }
        let exit = self.fun.exit;
        self.fun.goto(exit, span);
        Ok(())
    }

    fn asm(&mut self, a: &ast::AsmStatement, s: &Stmt) -> Res<()> {
        let span = self.span(s);
        let empty = |parts: &[String]| parts.iter().all(|p| p.trim_matches('"').trim().is_empty());
        match a {
            ast::AsmStatement::GnuBasic(text) => {
                if !empty(&text.node) {
                    self.asm_writes(vec![], span);
                    self.warn(span, "`asm` without operands is taken to write nothing but what has escaped");
                }
                Ok(())
            }
            ast::AsmStatement::GnuExtended(x) => {
                let clobbers = x.clobbers.iter().any(|c| c.node.iter().any(|p| p == "\"memory\""));
                let trivial = empty(&x.template.node);
                let mut pointers = vec![];
                for operand in &x.inputs {
                    pointers.extend(self.asm_operand(operand)?);
                }
                let mut outputs = vec![];
                for operand in &x.outputs {
                    let place = self.place(&operand.node.variable_name)?;
                    let indirect = matches!(place.lv.base, cmm::Base::Deref(_));
                    if !place.ty.ty.is_scalar() {
                        return self.unsupported(span, "the operands of this `asm` are not supported");
                    }
                    let value = place.lv.clone().load();
                    pointers.extend(place.ty.ty.pointee().is_some().then_some(value));
                    pointers.extend(indirect.then(|| place.lv.clone().addr()));
                    outputs.push(place);
                }
                if clobbers && !trivial {
                    self.asm_writes(pointers, span);
                }
                for place in outputs {
                    let kind = HavocKind::Unmodelled("asm".into());
                    self.statement(Op::Havoc(place.lv, kind), span);
                }
                if !trivial {
                    self.warn(
                        span,
                        "`asm` makes its outputs and the memory it names arbitrary, nothing else",
                    );
                }
                Ok(())
            }
        }
    }

    /// An input of `asm`: the pointer that it is, or to the memory operand.
    fn asm_operand(&mut self, operand: &Node<ast::GnuAsmOperand>) -> Res<Option<Expr>> {
        let memory = operand.node.constraints.node.iter().any(|c| c.contains(['m', 'o', 'V', 'X', 'g']));
        let e = &operand.node.variable_name;
        if memory && let crate::expr::Ev::Place(p) = self.eval(e)? {
            return Ok((!p.bit_field).then(|| p.lv.addr()));
        }
        let v = self.value(e)?;
        Ok(v.ty.pointee().is_some().then_some(v.e))
    }

    /// `asm` may write what its pointers reach, and everything else that an undefined function may write.
    fn asm_writes(&mut self, pointers: Vec<Expr>, span: Span) {
        let callee = Callee::Direct(self.outside("asm", Origin::Foreign, span));
        self.statement(Op::Call { dest: None, callee, args: pointers }, span);
    }

    fn local_declaration(&mut self, d: &Node<ast::Declaration>) -> Res<()> {
        let mut specs = self.specifiers(&d.node.specifiers, d.node.declarators.is_empty())?;
        for init in &d.node.declarators {
            let span = self.span(init);
            if specs.auto {
                specs.ty = self.auto_type(init)?;
            }
            let mut declared = self.declarator(specs.ty.clone(), &init.node.declarator, false)?;
            self.specs_with_mode(&specs, &mut declared)?;
            self.refuse_attributes(&specs.attrs, &declared)?;
            if let Some((attribute, at)) = specs.attrs.refused.as_ref().or(declared.attrs.refused.as_ref()) {
                let nested = matches!(declared.ty.ty, Ty::Func(_));
                return self.refuse_use(attribute, if nested { declared.span } else { *at });
            }
            declared.attrs.align = declared.attrs.align.max(specs.attrs.align);
            self.local(specs.storage, declared, init, span)?;
        }
        Ok(())
    }

    /// Declares a variable length array: a fresh object for each run of the declaration, and a local pointer to
    /// it.
    fn variable_length_array(&mut self, name: String, ty: QTy, span: Span, name_span: Span) -> Res<()> {
        let bytes = self.size_expr(&ty.ty, span)?;
        let pointer = ty.ty.lower().ptr_to();
        let local = self.names.local(&name, &mut self.fun.used_names);
        let kind = cmm::VarKind::Local(self.fun.proc);
        let var = self.new_var(local, pointer.clone(), kind, name_span);
        let dest = Lvalue::var(var, pointer);
        self.internal(Op::Alloc { dest, size: bytes, zeroed: false, may_fail: false }, span);
        self.scopes.innermost().names.insert(name, Entity::Variable(var, ty));
        Ok(())
    }

    fn auto_type(&mut self, init: &Node<ast::InitDeclarator>) -> Res<QTy> {
        let span = self.span(init);
        match init.node.initializer.as_ref().map(|i| &i.node) {
            Some(ast::Initializer::Expression(e)) => {
                let e: &Ast = e;
                Ok(match self.type_of_expr(e)?.ty {
                    ty if ty.is_variable() => {
                        return self.unsupported(span, "`__auto_type` for an array of variable length");
                    }
                    Ty::Array(elem, _) => Ty::Ptr(elem).into(),
                    f @ Ty::Func(_) => Ty::ptr_to(f).into(),
                    Ty::Void => return self.type_error(span, "the initialiser has no value"),
                    Ty::Int(i) if i.bits < 32 && !matches!(i.bits, 1 | 8 | 16) => {
                        Ty::Int(i.promoted()).into()
                    }
                    ty => ty.into(),
                })
            }
            _ => self.type_error(span, "`__auto_type` needs an initialiser"),
        }
    }

    fn local(
        &mut self,
        storage: Storage,
        declared: Declared,
        init: &Node<ast::InitDeclarator>,
        span: Span,
    ) -> Res<()> {
        let Declared { name, ty, span: name_span, attrs } = declared;
        if attrs.align.is_some() && storage != Storage::Typedef {
            self.aligned_names.insert(name.clone());
        }
        if matches!(ty.ty, Ty::Vla(..)) && storage != Storage::Typedef {
            if storage != Storage::None {
                return self.type_error(name_span, "the length of the array is not constant");
            }
            if init.node.initializer.is_some() {
                let message = "initialisers of variable length arrays are not supported";
                return self.unsupported(name_span, message);
            }
            return self.variable_length_array(name, ty, span, name_span);
        }
        if storage == Storage::Typedef {
            let ty = QTy { align: attrs.align.or(ty.align), ..ty };
            self.scopes.innermost().names.insert(name, Entity::Typedef(ty));
            return Ok(());
        }
        if let Ty::Func(f) = &ty.ty {
            let id = self.declare_function(&name, f.clone(), false, name_span)?;
            self.scopes.innermost().names.insert(name, Entity::Function(id));
            return Ok(());
        }
        if storage == Storage::Extern {
            let id = self.declare_object(&name, ty, false, false, name_span)?;
            self.scopes.innermost().names.insert(name, Entity::Object(id));
            return Ok(());
        }
        let ty = match &init.node.initializer {
            Some(i) => self.completed_by(ty, i)?,
            None => ty,
        };
        self.size_of(&ty.ty, name_span)?;
        if ty.ty == Ty::Void {
            return self.type_error(name_span, format!("`{name}` cannot have the type void"));
        }
        if storage == Storage::Static {
            return self.static_local(name, ty, init, span);
        }
        let var = self.new_local(&name, &ty.ty, name_span);
        let pointed = self.fun.addressed.contains(&name) || self.has_array(&ty.ty);
        let innermost = self.scopes.innermost();
        if pointed && innermost.range.is_some() && self.dry == 0 {
            innermost.mortal.push(var);
        }
        let place = Place { lv: Lvalue::var(var, ty.ty.lower()), ty: ty.clone(), bit_field: false };
        self.scopes.innermost().names.insert(name, Entity::Local(var, ty));
        match &init.node.initializer {
            Some(i) => self.or_unmodelled(|cx| cx.initialise(&place, i, span)),
            None => {
                let at = init.span.start;
                let again = self.fun.repeats > 0 || self.fun.repeated.iter().any(|r| r.0 <= at && at <= r.1);
                self.havoc_object(&place, again, name_span)
            }
        }
    }

    /// A static local: a global that is initialised once, before the program starts.
    fn static_local(
        &mut self,
        name: String,
        ty: QTy,
        init: &Node<ast::InitDeclarator>,
        span: Span,
    ) -> Res<()> {
        let wish = format!("{}__{name}", self.fun.name);
        let lowered = ty.ty.lower();
        let var = self.anonymous_global(&wish, lowered.clone(), span);
        let id = self.objects.len();
        self.objects.push(Object {
            name: name.clone(),
            ty: ty.clone(),
            file: self.scopes.file,
            span,
            defined: true,
            init: None,
            var: Some(var),
            refused: None,
        });
        self.scopes.innermost().names.insert(name, Entity::Object(id));
        if self.dry > 0 {
            return Ok(());
        }
        let place = Place { lv: Lvalue::var(var, lowered), ty, bit_field: false };
        self.static_init(id, &place, init.node.initializer.as_ref(), span)
    }
}
