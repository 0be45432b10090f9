//! Structs, unions and enumerations: tags, members, completion, sharing between files.

use crate::error::{Res, type_error, unsupported};
use crate::lower::context::{Context, Emitter, Symbols};
use crate::lower::declarations::specifiers::{Attrs, Declared};
use crate::lower::scope::{Entity, Tag};
use crate::text::repair::ENUM_BASE;
use crate::types::layout::{MemberSpec, RecordAttrs};
use crate::types::table::Types;
use crate::types::ty::{IntTy, Ty};
use base::{Id, Span};
use ir::RecordId;
use lang_c::ast;
use lang_c::span::Node;

impl Context<'_> {
    pub(crate) fn struct_type(
        &mut self,
        s: &Node<ast::StructType>,
        alone: bool,
        own: &Attrs,
    ) -> Res<RecordId> {
        let is_union = s.node.kind.node == ast::StructKind::Union;
        let span = self.symbols.span(s);
        let tag = s.node.identifier.as_ref().map(|i| i.node.name.as_str());
        let Some(declarations) = &s.node.declarations else {
            let Some(tag) = tag else {
                return type_error(span, "a tag or a body is missing here");
            };
            let key = self.symbols.key(s);
            return self.types.tag_reference(
                &mut self.symbols,
                &self.emitter,
                (tag, is_union),
                alone,
                key,
                span,
            );
        };
        let (record, again) = self.types.record_to_define(&mut self.symbols, &self.emitter, s)?;
        if let Some((attribute, at)) = &own.refused {
            return unsupported(*at, format!("the attribute `{attribute}` is not supported"));
        }
        let mut specs = vec![];
        for declaration in declarations {
            match &declaration.node {
                ast::StructDeclaration::Field(f) => self.struct_field(f, &mut specs)?,
                ast::StructDeclaration::StaticAssert(a) => self.static_assert(a)?,
            }
        }
        self.types.define_record(&mut self.symbols, &self.emitter, (s, own), (record, again), specs)
    }

    fn struct_field(&mut self, f: &Node<ast::StructField>, out: &mut Vec<MemberSpec>) -> Res<()> {
        let specs = self.qualifiers(&f.node.specifiers)?;
        let attrs = &specs.attrs;
        if f.node.declarators.is_empty() {
            // An unnamed struct or union lends its members to the outer one; a mere tag declares nothing.
            if let Ty::Record(r) = specs.ty.ty
                && self.types.records[r].complete
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
            let span = self.symbols.span(d);
            let declared = match &d.node.declarator {
                Some(declarator) => self.declarator(specs.ty.clone(), declarator, false)?,
                None => Declared { name: String::new(), span, ty: specs.ty.clone(), attrs: Attrs::default() },
            };
            let mut ty = declared.ty;
            self.types.attributed(self.symbols.scopes.file, &mut ty, attrs, span)?;
            let bits = match &d.node.bit_width {
                None => None,
                Some(e) => {
                    let width = self.const_u64(e)?;
                    let most = ty.ty.as_int().map_or(0, |i| u64::from(i.bits));
                    if width > most || (width == 0 && !declared.name.is_empty()) {
                        return type_error(span, "the width of the bit-field does not fit its type");
                    }
                    Some(width as u16)
                }
            };
            if ty.ty.is_variable() {
                return unsupported(span, "variable length arrays in structs are not supported");
            }
            if matches!(ty.ty, Ty::Func(_)) {
                return type_error(span, "a member cannot be a function");
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
        let span = self.symbols.span(e);
        let tag = e.node.identifier.as_ref().map(|i| i.node.name.as_str());
        if e.node.enumerators.is_empty() {
            let Some(tag) = tag else {
                return type_error(span, "a tag or a body is missing here");
            };
            return self.symbols.enum_reference(tag, span);
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
            let ty = [IntTy::INT, IntTy::UINT, IntTy::long(self.settings.model), IntTy::LLONG]
                .into_iter()
                .find(|t| t.lower().min() <= next && next <= t.lower().max())
                .unwrap_or(IntTy::LLONG.with_sign(false));
            let name = enumerator.node.identifier.node.name.clone();
            self.symbols.scopes.innermost().names.insert(name, Entity::EnumConst(next, ty));
            (least, most) = (least.min(next), most.max(next));
            next += 1;
        }
        let long = IntTy::long(self.settings.model);
        let candidates = [
            IntTy::UINT,
            IntTy::INT,
            long.with_sign(false),
            long,
            IntTy::LLONG.with_sign(false),
            IntTy::LLONG,
        ];
        let ty = candidates.into_iter().find(|t| t.lower().min() <= least && most <= t.lower().max());
        let Some(ty) = ty else { return type_error(span, "the enumeration's values fit no type") };
        if let Some(tag) = tag {
            self.symbols.define_enum(tag, ty, span)?;
        }
        Ok(ty)
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
            return type_error(span, "the type of an enumeration is an integer type");
        };
        let mut next = 0i128;
        for enumerator in &e.node.enumerators[1..] {
            if let Some(value) = &enumerator.node.expression {
                next = self.const_int(value)?;
            }
            if next < ty.lower().min() || next > ty.lower().max() {
                let at = self.symbols.span(enumerator);
                return type_error(at, "the value does not fit the type of the enumeration");
            }
            let name = enumerator.node.identifier.node.name.clone();
            self.symbols.scopes.innermost().names.insert(name, Entity::EnumConst(next, ty));
            next += 1;
        }
        if let Some(tag) = &e.node.identifier {
            self.symbols.scopes.innermost().tags.insert(tag.node.name.clone(), Tag::Enum(Some(ty)));
        }
        Ok(ty)
    }
}

impl Types {
    /// The record that a body defines, and whether it has been defined before.
    fn record_to_define(
        &mut self,
        symbols: &mut Symbols<'_>,
        emitter: &Emitter<'_>,
        s: &Node<ast::StructType>,
    ) -> Res<(RecordId, bool)> {
        let is_union = s.node.kind.node == ast::StructKind::Union;
        let span = symbols.span(s);
        let tag = s.node.identifier.as_ref().map(|i| i.node.name.as_str());
        // An expression that is examined twice (parameters, operands whose type is needed first) defines its
        // types once.
        let place = symbols.key(s);
        let same = self.record_places.get(&place).copied();
        if let (Some(record), Some(tag)) = (same, tag) {
            symbols.scopes.innermost().tags.insert(tag.to_owned(), Tag::Record(record));
        }
        let known = tag.and_then(|t| symbols.scopes.innermost().tags.get(t).copied());
        let record = match known.or(same.map(Tag::Record)) {
            Some(Tag::Record(r)) if self.records[r].is_union == is_union => r,
            Some(_) => return type_error(span, "the tag is of another kind"),
            None => self.new_tag(symbols, emitter, tag, is_union, span),
        };
        let again = self.records[record].complete;
        if again && same.is_none() && self.record_files[record.index()] == Some(symbols.scopes.file) {
            return type_error(span, format!("`{}` is defined twice", tag.unwrap_or("the record")));
        }
        Ok((record, again))
    }

    /// Gives a record its members; where it has some already, they must be the same.
    fn define_record(
        &mut self,
        symbols: &mut Symbols<'_>,
        emitter: &Emitter<'_>,
        (s, own): (&Node<ast::StructType>, &Attrs),
        (record, again): (RecordId, bool),
        specs: Vec<MemberSpec>,
    ) -> Res<RecordId> {
        let is_union = s.node.kind.node == ast::StructKind::Union;
        let span = symbols.span(s);
        let tag = s.node.identifier.as_ref().map(|i| i.node.name.as_str());
        let place = symbols.key(s);
        let source = &symbols.parsed[symbols.scopes.file];
        let pack = source.repaired.pack_at(source.repaired.old_start(s.span.start));
        let attrs = RecordAttrs { packed: own.packed, align: own.align, pack };
        let aligned = |s: &&MemberSpec| attrs.packed || pack.is_some() || s.packed || s.align.is_some();
        symbols.aligned_names.extend(specs.iter().filter(aligned).map(|s| s.name.clone()));
        let layout = match self.lay_out(is_union, specs, attrs) {
            Ok(layout) => layout,
            Err(message) => return type_error(span, message),
        };
        if again {
            let def = &self.records[record];
            if def.fields != layout.fields || def.size != layout.size {
                // Each file has a type of its own then: the declarations are resolved again.
                self.clash = tag.map(|tag| (symbols.scopes.file, tag_key(tag, is_union)));
                let message = "the struct or union is defined differently in another file";
                return unsupported(span, message);
            }
            self.record_files[record.index()] = Some(symbols.scopes.file);
        } else {
            let twin = format!("{is_union} {} {} {:?}", layout.size, layout.align, layout.fields);
            self.complete(symbols.scopes.file, record, layout);
            if tag.is_none() && symbols.scopes.at_file_scope() && emitter.dry == 0 {
                return Ok(self.shared_untagged(symbols, record, twin, place));
            }
        }
        self.record_places.insert(place, record);
        Ok(record)
    }

    /// The record that a tag without a body names. A tag that is resolved twice (parameters) names the same
    /// record each time.
    fn tag_reference(
        &mut self,
        symbols: &mut Symbols<'_>,
        emitter: &Emitter<'_>,
        (tag, is_union): (&str, bool),
        alone: bool,
        place: crate::types::table::Key,
        span: Span,
    ) -> Res<RecordId> {
        if let Some(record) = self.record_places.get(&place).copied() {
            if symbols.scopes.lookup_tag(tag).is_none() {
                symbols.scopes.innermost().tags.insert(tag.to_owned(), Tag::Record(record));
            }
            return Ok(record);
        }
        let known = if alone {
            symbols.scopes.innermost().tags.get(tag).copied()
        } else {
            symbols.scopes.lookup_tag(tag)
        };
        let record = match known {
            Some(Tag::Record(r)) if self.records[r].is_union == is_union => r,
            Some(_) => return type_error(span, format!("`{tag}` is another kind of tag here")),
            None => self.new_tag(symbols, emitter, Some(tag), is_union, span),
        };
        self.record_places.insert(place, record);
        Ok(record)
    }

    /// Records without a tag in different files are one type when their members are the same.
    fn shared_untagged(
        &mut self,
        symbols: &Symbols<'_>,
        record: RecordId,
        twin: String,
        place: crate::types::table::Key,
    ) -> RecordId {
        let file = symbols.scopes.file;
        let known = self.untagged.entry(twin).or_insert((file, record));
        let record = if known.0 == file { record } else { known.1 };
        self.record_places.insert(place, record);
        record
    }

    /// Declares a tag in the innermost scope. At file scope the files share their records.
    fn new_tag(
        &mut self,
        symbols: &mut Symbols<'_>,
        emitter: &Emitter<'_>,
        tag: Option<&str>,
        is_union: bool,
        span: Span,
    ) -> RecordId {
        let key = match tag {
            Some(tag) => symbols.variant(self, tag_key(tag, is_union)),
            // One line with macros may define several.
            None => {
                let n = self.untagged_places.entry((symbols.scopes.file, span)).or_insert(0);
                *n += u32::from(emitter.dry == 0);
                format!("{span:?} {n}")
            }
        };
        let share = symbols.scopes.at_file_scope() && emitter.dry == 0;
        let shared = self.shared_records.get(&key).copied().filter(|_| share);
        let record = shared.unwrap_or_else(|| self.new_record(tag.unwrap_or(""), is_union));
        if share {
            self.shared_records.insert(key, record);
        }
        if let Some(tag) = tag {
            symbols.scopes.innermost().tags.insert(tag.to_owned(), Tag::Record(record));
        }
        record
    }
}

impl Symbols<'_> {
    /// The type of an enumeration that is named by its tag alone.
    fn enum_reference(&mut self, tag: &str, span: Span) -> Res<IntTy> {
        match self.scopes.lookup_tag(tag) {
            Some(Tag::Enum(Some(ty))) => Ok(ty),
            Some(Tag::Enum(None)) => Ok(IntTy::UINT),
            Some(Tag::Record(_)) => type_error(span, format!("`{tag}` is another kind of tag here")),
            None => {
                // gcc allows it ahead of the definition; what it will be is `unsigned int` unless some
                // constant is negative, so nothing is remembered for sure.
                self.scopes.innermost().tags.insert(tag.to_owned(), Tag::Enum(None));
                Ok(IntTy::UINT)
            }
        }
    }

    /// Gives the tag of an enumeration its type.
    fn define_enum(&mut self, tag: &str, ty: IntTy, span: Span) -> Res<()> {
        if matches!(self.scopes.innermost().tags.get(tag), Some(Tag::Enum(None))) && ty != IntTy::UINT {
            let message = format!("`enum {tag}` was used before its definition, with another type");
            return unsupported(span, message);
        }
        self.scopes.innermost().tags.insert(tag.to_owned(), Tag::Enum(Some(ty)));
        Ok(())
    }

    /// The key with the number of the tag's meaning in this file.
    fn variant(&self, types: &Types, key: String) -> String {
        let known = (self.scopes.file, key);
        match types.variants.get(&known) {
            Some(n) => format!("{} {n}", known.1),
            None => known.1,
        }
    }

    /// The value of an enumerator that is visible here.
    pub(crate) fn enum_constant(&self, name: &str) -> Option<i128> {
        match self.scopes.lookup(name) {
            Some(Entity::EnumConst(value, _)) => Some(*value),
            _ => None,
        }
    }
}

/// The key of a tag in [`Types::shared_records`].
fn tag_key(tag: &str, is_union: bool) -> String {
    format!("{} {tag}", if is_union { "union" } else { "struct" })
}
