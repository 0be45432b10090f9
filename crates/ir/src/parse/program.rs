//! Declarations. Three passes: the names of records, all declarations, the bodies; so names may be used before
//! they are declared.

use super::body;
use super::cursor::{Cursor, Names, Parsed, Slots};
use super::lexer::Token;
use super::types::{Declared, TypeNames};
use crate::check;
use crate::program::{Check, CheckId, CheckKind, Origin, Proc, ProcId, Program, Var, VarId, VarKind};
use crate::types::{DataModel, Field, RecordDef, RecordId, Type};
use base::{Diagnostic, Id, IndexVec, Span};

struct Reader<'a> {
    c: Cursor<'a>,
    names: Names,
    model: DataModel,
    signed_wrap: bool,
    entry: Option<(String, Span)>,
    records: IndexVec<RecordId, RecordDef>,
    vars: Slots<VarId, Var>,
    globals: Vec<VarId>,
    procs: IndexVec<ProcId, Proc>,
    checks: Slots<CheckId, (Check, String)>,
    /// For each procedure with a body: the token behind its local declarations.
    bodies: Vec<(ProcId, usize)>,
}

pub(super) fn program(tokens: &[(Token, Span)]) -> Parsed<Program> {
    let mut reader = Reader {
        c: Cursor::new(tokens),
        names: Names::default(),
        model: DataModel::Lp64,
        signed_wrap: false,
        entry: None,
        records: IndexVec::new(),
        vars: Slots::new(tokens.len()),
        globals: vec![],
        procs: IndexVec::new(),
        checks: Slots::new(tokens.len()),
        bodies: vec![],
    };
    reader.record_names()?;
    while *reader.c.peek() != Token::End {
        reader.declaration()?;
    }
    reader.finish()
}

impl Reader<'_> {
    /// Reads a type with a declarator.
    fn declared(&mut self) -> Parsed<Declared> {
        let types = TypeNames { names: &self.names, model: self.model };
        types.declaration(&mut self.c)
    }

    fn record_names(&mut self) -> Parsed<()> {
        let mut depth = 0u32;
        for window in self.c.tokens.windows(3) {
            match &window[0].0 {
                Token::Mark("{") => depth += 1,
                Token::Mark("}") => depth = depth.saturating_sub(1),
                Token::Word(w) if depth == 0 && (w == "struct" || w == "union") => {
                    let (Token::Word(name), Token::Mark("{" | ";")) = (&window[1].0, &window[2].0) else {
                        continue;
                    };
                    let id = self.records.push(RecordDef::new(name.clone(), w == "union"));
                    if self.names.records.insert(name.clone(), id).is_some() {
                        return Err(Diagnostic::error(
                            window[1].1,
                            format!("record '{name}' is declared twice"),
                        )
                        .into());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn declaration(&mut self) -> Parsed<()> {
        match self.c.word("a declaration")? {
            "model" => {
                self.model = match self.c.word("LP64 or ILP32")? {
                    "LP64" => DataModel::Lp64,
                    "ILP32" => DataModel::Ilp32,
                    _ => return self.c.error("the models are LP64 and ILP32"),
                };
                self.c.expect(";")
            }
            "signed_wrap" => {
                self.signed_wrap = true;
                self.c.expect(";")
            }
            "entry" => {
                let span = self.c.span();
                self.entry = Some((self.c.word("the name of a procedure")?.to_owned(), span));
                self.c.expect(";")
            }
            "struct" | "union" => self.record(),
            "global" => {
                let v = self.variable(VarKind::Global)?;
                self.globals.push(v);
                Ok(())
            }
            "check" => self.check(),
            "extern" => self.proc(false, None),
            "proc" => self.proc(true, None),
            word @ ("library" | "foreign" | "thread") => {
                let has_body = self.c.accept_word("proc");
                if !has_body && !self.c.accept_word("extern") {
                    return self.c.error("expected 'proc' or 'extern'");
                }
                self.proc(has_body, Some(word))
            }
            other => self.c.error(format!("'{other}' begins no declaration")),
        }
    }

    fn record(&mut self) -> Parsed<()> {
        let name = self.c.word("the name of a record")?;
        let Some(&id) = self.names.records.get(name) else { return self.c.error("expected '{' or ';'") };
        if self.c.accept(";") {
            return Ok(());
        }
        self.c.expect("{")?;
        let is_union = self.records[id].is_union;
        let (mut fields, mut end, mut align) = (vec![], 0u64, 1u64);
        while !self.c.accept("}") {
            let declared = self.declared()?;
            let (size, field_align) = self.layout(&declared.ty);
            align = align.max(field_align);
            let mut field = Field {
                name: declared.name.map(|n| n.0).unwrap_or_default(),
                ty: declared.ty,
                offset: if is_union { 0 } else { end.next_multiple_of(field_align) },
                bit_offset: None,
            };
            if self.c.accept("@") {
                field.offset = self.c.number("an offset")?;
                if self.c.accept(":") {
                    field.bit_offset = Some(self.c.number("a bit number")? as u16);
                }
            }
            self.c.expect(";")?;
            end = end.max(field.offset.saturating_add(size));
            fields.push(field);
        }
        let mut size = end.next_multiple_of(align);
        if self.c.accept_word("size") {
            size = self.c.number("a size")?;
            if !self.c.accept_word("align") {
                return self.c.error("expected 'align'");
            }
            align = self.c.number("an alignment")?;
        }
        let elsewhere = self.c.accept_word("elsewhere");
        let record = &mut self.records[id];
        (record.fields, record.size, record.align, record.complete) = (fields, size, align, true);
        record.elsewhere = elsewhere;
        self.c.expect(";")
    }

    /// Size and alignment for members without a written offset; records count once they are complete.
    fn layout(&self, ty: &Type) -> (u64, u64) {
        let size = ty.size(&self.records, self.model).unwrap_or(0);
        let align = match ty {
            Type::Array(elem, _) => self.layout(elem).1,
            Type::Record(r) => self.records[*r].align,
            _ => size.clamp(1, 16).next_power_of_two(),
        };
        (size, align.max(1))
    }

    fn variable(&mut self, kind: VarKind) -> Parsed<VarId> {
        let declared = self.declared()?;
        let Some((name, span)) = declared.name else { return self.c.error("expected a name") };
        let id = if self.c.accept("#") { Some(self.c.number("a number")? as usize) } else { None };
        let mut data = None;
        if self.c.accept("=") {
            data = Some(self.c.text("the bytes of the variable")?.into());
        }
        let align = if self.c.accept_word("align") { self.c.number("an alignment")? } else { 0 };
        let constant = if self.c.accept_word("const") { Some(self.constant()?.into()) } else { None };
        self.c.expect(";")?;
        self.add_var(id, Var { name, ty: declared.ty, kind, span, data, align, constant })
    }

    /// The ranges of bytes that do not change.
    fn constant(&mut self) -> Parsed<Vec<(u64, u64)>> {
        let mut ranges = vec![];
        loop {
            self.c.expect("@")?;
            let start = self.c.number("the first byte that does not change")?;
            if !self.c.accept_word("to") {
                return self.c.error("expected 'to'");
            }
            self.c.expect("@")?;
            ranges.push((start, self.c.number("the byte behind the last that does not change")?));
            if !self.c.accept(",") {
                return Ok(ranges);
            }
        }
    }

    fn add_var(&mut self, id: Option<usize>, var: Var) -> Parsed<VarId> {
        let key = (var.proc(), var.name.clone());
        let span = var.span;
        let Some(v) = self.vars.put(id.map(VarId::from_index), var) else {
            return Err(
                Diagnostic::error(span, "the number of the variable is already taken or too large").into()
            );
        };
        match self.names.vars.insert(key, v) {
            None => Ok(v),
            Some(_) => Err(Diagnostic::error(span, "the variable is declared twice").into()),
        }
    }

    fn check(&mut self) -> Parsed<()> {
        let span = self.c.span();
        let id: CheckId = self.c.id("c", "a check such as c0")?;
        let kind = self.c.word("the kind of the check")?;
        let Some(kind) = CheckKind::ALL.into_iter().find(|k| k.name() == kind) else {
            return self.c.error(format!("'{kind}' is no kind of check"));
        };
        let rule = match kind {
            CheckKind::Rule => Some(String::from_utf8_lossy(self.c.text("the name of the rule")?).into()),
            _ => None,
        };
        if !self.c.accept_word("in") {
            return self.c.error("expected 'in'");
        }
        let proc = self.c.word("the name of a procedure")?.to_owned();
        let message = String::from_utf8_lossy(self.c.text("the message")?).into_owned();
        self.c.expect(";")?;
        let check = Check { kind, span, message, proc: ProcId::from_index(0), rule };
        match self.checks.put(Some(id), (check, proc)) {
            Some(_) => Ok(()),
            None => Err(Diagnostic::error(
                span,
                format!("check {id} is declared twice or its number is too large"),
            )
            .into()),
        }
    }

    fn proc(&mut self, has_body: bool, origin: Option<&str>) -> Parsed<()> {
        let declared = self.declared()?;
        let (Some((name, span)), Type::Func(ty)) = (declared.name, declared.ty) else {
            return self.c.error("expected a function declarator");
        };
        let origin = match origin {
            None => Origin::Program,
            Some(word) => Origin::said(word, &name).ok_or_else(|| {
                Diagnostic::error(span, format!("there is no operation on threads called '{name}'"))
            })?,
        };
        let id = self.procs.next_id();
        if self.names.procs.insert(name.clone(), id).is_some() {
            return Err(Diagnostic::error(span, format!("procedure '{name}' is declared twice")).into());
        }
        let mut formals = vec![];
        for param in declared.params {
            let Some((name, span)) = param.name else { continue };
            let var = Var {
                name,
                ty: param.ty,
                kind: VarKind::Formal(id),
                span,
                data: None,
                align: 0,
                constant: None,
            };
            formals.push(self.add_var(param.id, var)?);
        }
        if has_body && formals.len() != ty.params.len() {
            return Err(Diagnostic::error(span, "a procedure with a body names its parameters").into());
        }
        self.procs.push(Proc { formals, origin, ..Proc::new(name, ty, has_body, span) });
        if has_body || self.c.is("{") { self.locals(id) } else { self.c.expect(";") }
    }

    fn locals(&mut self, id: ProcId) -> Parsed<()> {
        self.c.expect("{")?;
        loop {
            let kind = match self.c.peek() {
                Token::Word(w) if w == "local" => VarKind::Local(id),
                Token::Word(w) if w == "temp" => VarKind::Temp(id),
                Token::Word(w) if w == "return" => VarKind::Return(id),
                _ => break,
            };
            self.c.next();
            let v = self.variable(kind)?;
            self.procs[id].locals.push(v);
            if kind == VarKind::Return(id) {
                self.procs[id].ret = Some(v);
            }
        }
        if !self.procs[id].has_body {
            return self.c.expect("}");
        }
        self.bodies.push((id, self.c.at));
        while !self.c.accept("}") {
            if *self.c.next() == Token::End {
                return self.c.error("expected '}'");
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Parsed<Program> {
        if let Some(r) = check::self_containing(&self.records) {
            return self.c.error(format!("record '{}' contains itself", self.records[r].name));
        }
        let end = self.c.span();
        let gap = |what: String| Diagnostic::error(end, format!("{what} is not declared"));
        let entry = match self.entry {
            Some((name, span)) => match self.names.procs.get(&name) {
                Some(p) => *p,
                None => {
                    return Err(Diagnostic::error(span, format!("no procedure is called '{name}'")).into());
                }
            },
            None => ProcId::from_index(0),
        };
        let mut checks = IndexVec::new();
        for (mut check, proc) in self.checks.finish().map_err(|c: CheckId| gap(c.to_string()))?.into_vec() {
            let Some(p) = self.names.procs.get(&proc) else {
                return Err(Diagnostic::error(check.span, format!("no procedure is called '{proc}'")).into());
            };
            check.proc = *p;
            checks.push(check);
        }
        let mut program = Program {
            model: self.model,
            records: self.records,
            vars: self.vars.finish().map_err(|v| gap(format!("variable {v}")))?,
            globals: self.globals,
            procs: self.procs,
            checks,
            entry,
            signed_wrap: self.signed_wrap,
            turns: crate::program::Turns::default(),
        };
        for (id, at) in self.bodies {
            self.c.at = at;
            let graph = body::graph(&mut self.c, &program, &self.names, id)?;
            let proc = &mut program.procs[id];
            (proc.locations, proc.edges) = (graph.locations, graph.edges);
            (proc.entry, proc.exit) = (graph.entry, graph.exit);
        }
        Ok(program)
    }
}
