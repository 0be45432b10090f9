//! Functions of a harness that make objects: those of recursive types, and strings.

use super::text::{Body, DEPTH, Writer};
use crate::error::Res;
use crate::types::ty::{IntTy, Ty};
use base::{Id, Span};
use ir::RecordId;
use std::collections::BTreeSet;

impl Writer<'_, '_> {
    /// Whether objects of this type, behind a pointer, are made by a function of their own.
    pub(super) fn by_maker(&self, record: RecordId) -> bool {
        self.body.open.len() >= DEPTH || self.reaches_itself(record)
    }

    /// Whether pointers lead from the record to others of its type.
    fn reaches_itself(&self, record: RecordId) -> bool {
        let (mut seen, mut work) = (BTreeSet::new(), vec![record]);
        while let Some(r) = work.pop() {
            let members = self.types.members[r.index()].iter();
            for mut ty in members.map(|m| &m.ty.ty) {
                while let Ty::Ptr(to) | Ty::Array(to, _) = ty {
                    ty = &to.ty;
                }
                let Ty::Record(next) = ty else { continue };
                if *next == record {
                    return true;
                }
                if seen.insert(*next) {
                    work.push(*next);
                }
            }
        }
        false
    }

    /// The function that makes NULL or an object of the record; `None` when the file has no name for it.
    pub(super) fn record_maker(&mut self, record: RecordId, span: Span) -> Res<Option<String>> {
        let Some(of) = self.symbols.record_name(self.types, self.file, record) else {
            return Ok(None);
        };
        let word: String = of.chars().map(|c| if c == ' ' { '_' } else { c }).collect();
        let name = format!("{}_{word}", self.prefix);
        if self.makers.contains_key(&name) {
            return Ok(Some(name));
        }
        self.makers.insert(name.clone(), String::new());
        let inner = Body { outlived: true, ..Body::default() };
        let outer = std::mem::replace(&mut self.body, inner);
        let object = self.fresh("object");
        self.declare(&format!("{of} *{object}"));
        let choice = self.choice();
        self.line(&format!("if ({choice})"));
        self.line("  return 0;");
        self.line(&format!("{object} = __builtin_malloc(sizeof *{object});"));
        self.line(&format!("if (!{object}) __builtin_abort();"));
        let result = self.fill(&format!("(*{object})"), &Ty::Record(record).into(), span);
        self.line(&format!("return {object};"));
        let body = self.close();
        self.body = outer;
        result?;
        self.makers.insert(name.clone(), format!("static {of} *{name}(void) {{\n{body}}}\n"));
        Ok(Some(name))
    }

    /// The function that makes NULL or a string of any length.
    pub(super) fn string_maker(&mut self) -> String {
        let name = format!("{}_string", self.prefix);
        if !self.makers.contains_key(&name) {
            let size = self.input(&Ty::Int(IntTy::long(self.symbols.settings.model).with_sign(false)));
            let (choice, size) = (self.choice(), size.unwrap_or_default());
            let character = self.input(&Ty::Int(IntTy::CHAR)).unwrap_or_default();
            let text = format!(
                "static char *{name}(void) {{
  char *text;
  __typeof__(sizeof(0)) length, i;
  if ({choice})
    return 0;
  length = {size};
  if (length > (__typeof__(sizeof(0)))-1 / 4)
    length = 0;
  text = __builtin_malloc(length + 1);
  if (!text) __builtin_abort();
  for (i = 0; i < length; i++) {{
    text[i] = {character};
    if (!text[i])
      text[i] = ' ';
  }}
  text[length] = 0;
  return text;
}}
"
            );
            self.makers.insert(name.clone(), text);
        }
        name
    }
}
