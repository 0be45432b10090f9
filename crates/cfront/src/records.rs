//! Structs, unions and enumerations: tags, members, completion, sharing between files.

use crate::cx::Cx;
use crate::decl::{Attrs, Declared};
use crate::layout::{MemberSpec, RecordAttrs};
use crate::mend::ENUM_BASE;
use crate::options::Res;
use crate::scope::{Entity, Tag};
use crate::ty::{IntTy, Ty};
use base::{Id, Span};
use ir::{RecordDef, RecordId};
use lang_c::ast;
use lang_c::span::Node;
use std::rc::Rc;

impl Cx<'_> {
    pub(crate) fn new_record(&mut self, name: &str, is_union: bool) -> RecordId {
        let unique = if name.is_empty() {
            self.anonymous_records += 1;
            self.names.records.fresh(&format!("anon__{}", self.anonymous_records), |_| false)
        } else {
            self.names.records.fresh(name, |_| false)
        };
        self.members.push(vec![]);
        self.record_files.push(None);
        self.records.push(RecordDef::new(unique, is_union))
    }

    pub(crate) fn complete(&mut self, record: RecordId, layout: crate::layout::Layout) {
        let def = &mut self.records[record];
        def.fields = layout.fields;
        def.size = layout.size;
        def.align = layout.align;
        def.complete = true;
        self.members[record.index()] = layout.members;
        self.record_files[record.index()] = Some(self.scopes.file);
    }

    /// The type of `va_list`: an array of one record on x86-64, a pointer on i386.
    pub(crate) fn va_list(&mut self) -> Ty {
        if self.model == ir::DataModel::Ilp32 {
            return Ty::ptr_to(Ty::Int(IntTy::CHAR));
        }
        let record = match self.va_tag {
            Some(record) => record,
            None => {
                let record = self.new_record("__va_list_tag", false);
                let member = |name: &str, ty: Ty| MemberSpec {
                    name: name.into(),
                    ty: ty.into(),
                    bits: None,
                    align: None,
                    packed: false,
                };
                let specs = vec![
                    member("gp_offset", Ty::Int(IntTy::UINT)),
                    member("fp_offset", Ty::Int(IntTy::UINT)),
                    member("overflow_arg_area", Ty::void_ptr()),
                    member("reg_save_area", Ty::void_ptr()),
                ];
                let layout = self.lay_out(false, specs, RecordAttrs::default());
                self.complete(record, layout.expect("the members are scalars"));
                self.va_tag = Some(record);
                record
            }
        };
        Ty::Array(Rc::new(Ty::Record(record).into()), Some(1))
    }

    pub(crate) fn struct_type(
        &mut self,
        s: &Node<ast::StructType>,
        alone: bool,
        own: &Attrs,
    ) -> Res<RecordId> {
        let is_union = s.node.kind.node == ast::StructKind::Union;
        let span = self.span(s);
        let tag = s.node.identifier.as_ref().map(|i| i.node.name.as_str());
        let Some(declarations) = &s.node.declarations else {
            let Some(tag) = tag else {
                return self.type_error(span, "a tag or a body is missing here");
            };
            return self.tag_reference(tag, is_union, alone, self.key(s), span);
        };
        // An expression that is examined twice (parameters, operands whose type is needed first) defines its
        // types once.
        let place = self.key(s);
        let same = self.record_places.get(&place).copied();
        if let (Some(record), Some(tag)) = (same, tag) {
            self.scopes.innermost().tags.insert(tag.to_owned(), Tag::Record(record));
        }
        let known = tag.and_then(|t| self.scopes.innermost().tags.get(t).copied());
        let record = match known.or(same.map(Tag::Record)) {
            Some(Tag::Record(r)) if self.records[r].is_union == is_union => r,
            Some(_) => return self.type_error(span, "the tag is of another kind"),
            None => self.new_tag(tag, is_union, span),
        };
        let again = self.records[record].complete;
        if again && same.is_none() && self.record_files[record.index()] == Some(self.scopes.file) {
            return self.type_error(span, format!("`{}` is defined twice", tag.unwrap_or("the record")));
        }
        if let Some((attribute, at)) = &own.refused {
            return self.unsupported(*at, format!("the attribute `{attribute}` is not supported"));
        }
        let mut specs = vec![];
        for declaration in declarations {
            match &declaration.node {
                ast::StructDeclaration::Field(f) => self.struct_field(f, &mut specs)?,
                ast::StructDeclaration::StaticAssert(a) => self.static_assert(a)?,
            }
        }
        let source = &self.parsed[self.scopes.file];
        let pack = source.mended.pack_at(source.mended.old_start(s.span.start));
        let attrs = RecordAttrs { packed: own.packed, align: own.align, pack };
        let aligned = |s: &&MemberSpec| attrs.packed || pack.is_some() || s.packed || s.align.is_some();
        self.aligned_names.extend(specs.iter().filter(aligned).map(|s| s.name.clone()));
        let layout = match self.lay_out(is_union, specs, attrs) {
            Ok(layout) => layout,
            Err(message) => return self.type_error(span, message),
        };
        if again {
            let def = &self.records[record];
            if def.fields != layout.fields || def.size != layout.size {
                // Each file has a type of its own then: the declarations are resolved again.
                self.clash = tag.map(|tag| (self.scopes.file, tag_key(tag, is_union)));
                let message = "the struct or union is defined differently in another file";
                return self.unsupported(span, message);
            }
            self.record_files[record.index()] = Some(self.scopes.file);
        } else {
            let twin = format!("{is_union} {} {} {:?}", layout.size, layout.align, layout.fields);
            self.complete(record, layout);
            if tag.is_none() && self.scopes.at_file_scope() && self.dry == 0 {
                return Ok(self.shared_untagged(record, twin, place));
            }
        }
        self.record_places.insert(place, record);
        Ok(record)
    }

    /// The record that a tag without a body names. A tag that is resolved twice (parameters) names the same
    /// record each time.
    fn tag_reference(
        &mut self,
        tag: &str,
        is_union: bool,
        alone: bool,
        place: crate::cx::Key,
        span: Span,
    ) -> Res<RecordId> {
        if let Some(record) = self.record_places.get(&place).copied() {
            if self.scopes.lookup_tag(tag).is_none() {
                self.scopes.innermost().tags.insert(tag.to_owned(), Tag::Record(record));
            }
            return Ok(record);
        }
        let known =
            if alone { self.scopes.innermost().tags.get(tag).copied() } else { self.scopes.lookup_tag(tag) };
        let record = match known {
            Some(Tag::Record(r)) if self.records[r].is_union == is_union => r,
            Some(_) => return self.type_error(span, format!("`{tag}` is another kind of tag here")),
            None => self.new_tag(Some(tag), is_union, span),
        };
        self.record_places.insert(place, record);
        Ok(record)
    }

    /// Records without a tag in different files are one type when their members are the same.
    fn shared_untagged(&mut self, record: RecordId, twin: String, place: crate::cx::Key) -> RecordId {
        let file = self.scopes.file;
        let known = self.untagged.entry(twin).or_insert((file, record));
        let record = if known.0 == file { record } else { known.1 };
        self.record_places.insert(place, record);
        record
    }

    /// Declares a tag in the innermost scope. At file scope the files share their records.
    fn new_tag(&mut self, tag: Option<&str>, is_union: bool, span: Span) -> RecordId {
        let key = match tag {
            Some(tag) => self.variant(tag_key(tag, is_union)),
            // One line with macros may define several.
            None => {
                let n = self.untagged_places.entry((self.scopes.file, span)).or_insert(0);
                *n += u32::from(self.dry == 0);
                format!("{span:?} {n}")
            }
        };
        let share = self.scopes.at_file_scope() && self.dry == 0;
        let shared = self.shared_records.get(&key).copied().filter(|_| share);
        let record = shared.unwrap_or_else(|| self.new_record(tag.unwrap_or(""), is_union));
        if share {
            self.shared_records.insert(key, record);
        }
        if let Some(tag) = tag {
            self.scopes.innermost().tags.insert(tag.to_owned(), Tag::Record(record));
        }
        record
    }

    /// The key with the number of the tag's meaning in this file.
    fn variant(&self, key: String) -> String {
        let known = (self.scopes.file, key);
        match self.variants.get(&known) {
            Some(n) => format!("{} {n}", known.1),
            None => known.1,
        }
    }

    fn struct_field(&mut self, f: &Node<ast::StructField>, out: &mut Vec<MemberSpec>) -> Res<()> {
        let specs = self.qualifiers(&f.node.specifiers)?;
        let attrs = &specs.attrs;
        if f.node.declarators.is_empty() {
            // An unnamed struct or union lends its members to the outer one; a mere tag declares nothing.
            if let Ty::Record(r) = specs.ty.ty
                && self.records[r].complete
            {
                let spec = MemberSpec {
                    name: String::new(),
                    ty: specs.ty.clone(),
                    bits: None,
                    align: attrs.align,
                    packed: attrs.packed,
                };
                out.push(spec);
            }
            return Ok(());
        }
        for d in &f.node.declarators {
            let span = self.span(d);
            let declared = match &d.node.declarator {
                Some(declarator) => self.declarator(specs.ty.clone(), declarator, false)?,
                None => Declared { name: String::new(), span, ty: specs.ty.clone(), attrs: Attrs::default() },
            };
            let mut ty = declared.ty;
            self.attributed(&mut ty, attrs, span)?;
            let bits = match &d.node.bit_width {
                None => None,
                Some(e) => {
                    let width = self.const_u64(e)?;
                    let most = ty.ty.as_int().map_or(0, |i| u64::from(i.bits));
                    if width > most || (width == 0 && !declared.name.is_empty()) {
                        return self.type_error(span, "the width of the bit-field does not fit its type");
                    }
                    Some(width as u16)
                }
            };
            if ty.ty.is_variable() {
                return self.unsupported(span, "variable length arrays in structs are not supported");
            }
            if matches!(ty.ty, Ty::Func(_)) {
                return self.type_error(span, "a member cannot be a function");
            }
            out.push(MemberSpec {
                name: declared.name,
                ty,
                bits,
                align: attrs.align.max(declared.attrs.align),
                packed: attrs.packed || declared.attrs.packed,
            });
        }
        Ok(())
    }

    pub(crate) fn enum_type(&mut self, e: &Node<ast::EnumType>) -> Res<IntTy> {
        let span = self.span(e);
        let tag = e.node.identifier.as_ref().map(|i| i.node.name.as_str());
        if e.node.enumerators.is_empty() {
            let Some(tag) = tag else {
                return self.type_error(span, "a tag or a body is missing here");
            };
            return match self.scopes.lookup_tag(tag) {
                Some(Tag::Enum(Some(ty))) => Ok(ty),
                Some(Tag::Enum(None)) => Ok(IntTy::UINT),
                Some(Tag::Record(_)) => self.type_error(span, format!("`{tag}` is another kind of tag here")),
                None => {
                    // gcc allows it ahead of the definition; what it will be is `unsigned int` unless some
                    // constant is negative, so nothing is remembered for sure.
                    self.scopes.innermost().tags.insert(tag.to_owned(), Tag::Enum(None));
                    Ok(IntTy::UINT)
                }
            };
        }
        if let Some(base) = e.node.enumerators.first().filter(|n| n.node.identifier.node.name == ENUM_BASE) {
            return self.enum_with_base(e, base, span);
        }
        let mut next = 0i128;
        let (mut least, mut most) = (0i128, 0i128);
        for enumerator in &e.node.enumerators {
            if let Some(value) = &enumerator.node.expression {
                next = self.const_int(value)?;
            }
            let ty = [IntTy::INT, IntTy::UINT, IntTy::long(self.model), IntTy::LLONG]
                .into_iter()
                .find(|t| t.lower().min() <= next && next <= t.lower().max())
                .unwrap_or(IntTy::LLONG.with_sign(false));
            let name = enumerator.node.identifier.node.name.clone();
            self.scopes.innermost().names.insert(name, Entity::EnumConst(next, ty));
            (least, most) = (least.min(next), most.max(next));
            next += 1;
        }
        let long = IntTy::long(self.model);
        let candidates = [
            IntTy::UINT,
            IntTy::INT,
            long.with_sign(false),
            long,
            IntTy::LLONG.with_sign(false),
            IntTy::LLONG,
        ];
        let ty = candidates.into_iter().find(|t| t.lower().min() <= least && most <= t.lower().max());
        let Some(ty) = ty else { return self.type_error(span, "the enumeration's values fit no type") };
        if let Some(tag) = tag {
            if matches!(self.scopes.innermost().tags.get(tag), Some(Tag::Enum(None))) && ty != IntTy::UINT {
                let message = format!("`enum {tag}` was used before its definition, with another type");
                return self.unsupported(span, message);
            }
            self.scopes.innermost().tags.insert(tag.to_owned(), Tag::Enum(Some(ty)));
        }
        Ok(ty)
    }

    /// The value of an enumerator that is visible here.
    pub(crate) fn enum_constant(&self, name: &str) -> Option<i128> {
        match self.scopes.lookup(name) {
            Some(Entity::EnumConst(value, _)) => Some(*value),
            _ => None,
        }
    }

    /// An enumeration with a fixed underlying type, which the first enumerator's value has.
    fn enum_with_base(
        &mut self,
        e: &Node<ast::EnumType>,
        base: &Node<ast::Enumerator>,
        span: Span,
    ) -> Res<IntTy> {
        let value = base.node.expression.as_ref().expect("the token pass wrote a value");
        let Ty::Int(ty) = self.type_of_expr(value)?.ty else {
            return self.type_error(span, "the type of an enumeration is an integer type");
        };
        let mut next = 0i128;
        for enumerator in &e.node.enumerators[1..] {
            if let Some(value) = &enumerator.node.expression {
                next = self.const_int(value)?;
            }
            if next < ty.lower().min() || next > ty.lower().max() {
                let at = self.span(enumerator);
                return self.type_error(at, "the value does not fit the type of the enumeration");
            }
            let name = enumerator.node.identifier.node.name.clone();
            self.scopes.innermost().names.insert(name, Entity::EnumConst(next, ty));
            next += 1;
        }
        if let Some(tag) = &e.node.identifier {
            self.scopes.innermost().tags.insert(tag.node.name.clone(), Tag::Enum(Some(ty)));
        }
        Ok(ty)
    }
}

/// The key of a tag in [`Cx::shared_records`].
fn tag_key(tag: &str, is_union: bool) -> String {
    format!("{} {tag}", if is_union { "union" } else { "struct" })
}
