//! Declaration specifiers and declarators: from lang-c's unresolved lists to types.

use crate::cx::Cx;
use crate::layout::{MemberSpec, RecordAttrs};
use crate::options::Res;
use crate::scope::{Entity, Tag};
use crate::ty::{FuncTy, IntTy, QTy, Rank, Ty};
use base::{Id, Span};
use cmm::{RecordDef, RecordId};
use lang_c::ast;
use lang_c::span::Node;
use std::rc::Rc;

/// Storage classes that matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Storage {
    #[default]
    None,
    Typedef,
    Extern,
    Static,
}

/// What attributes say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attrs {
    pub(crate) packed: bool,
    pub(crate) align: Option<u64>,
    mode: Option<String>,
    vector: bool,
    /// The name of an attribute that is refused where it matters, with its place.
    pub(crate) refused: Option<(String, Span)>,
    pub(crate) constructor: Option<Span>,
}

/// Resolved specifiers.
#[derive(Clone, Debug)]
pub(crate) struct Specs {
    pub(crate) storage: Storage,
    pub(crate) ty: QTy,
    pub(crate) attrs: Attrs,
    /// `__auto_type`: the type comes from the initialiser.
    pub(crate) auto: bool,
}

/// A resolved declarator.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) ty: QTy,
    pub(crate) attrs: Attrs,
}

/// One specifier of either of lang-c's two kinds.
enum Part<'p> {
    Type(&'p Node<ast::TypeSpecifier>),
    Qualifier(&'p ast::TypeQualifier),
    Extension(&'p [Node<ast::Extension>]),
    Storage(&'p ast::StorageClassSpecifier),
    Align(&'p Node<ast::AlignmentSpecifier>),
    Other,
}

/// How often each word of an arithmetic type occurs.
#[derive(Default)]
struct Words {
    char_: u32,
    short: u32,
    int: u32,
    long: u32,
    float: u32,
    double: u32,
    signed: u32,
    unsigned: u32,
    complex: u32,
}

impl Cx<'_> {
    pub(crate) fn specifiers(&mut self, list: &[Node<ast::DeclarationSpecifier>], alone: bool) -> Res<Specs> {
        use ast::DeclarationSpecifier as D;
        let parts: Vec<Part<'_>> = list
            .iter()
            .map(|s| match &s.node {
                D::StorageClass(c) => Part::Storage(&c.node),
                D::TypeSpecifier(t) => Part::Type(t),
                D::TypeQualifier(q) => Part::Qualifier(&q.node),
                D::Extension(e) => Part::Extension(e),
                D::Alignment(a) => Part::Align(a),
                D::Function(_) => Part::Other,
            })
            .collect();
        let span = list.first().map_or_else(|| self.at(lang_c::span::Span::none()), |s| self.span(s));
        self.parts(&parts, alone, span)
    }

    fn qualifiers(&mut self, list: &[Node<ast::SpecifierQualifier>]) -> Res<Specs> {
        use ast::SpecifierQualifier as S;
        let parts: Vec<Part<'_>> = list
            .iter()
            .map(|s| match &s.node {
                S::TypeSpecifier(t) => Part::Type(t),
                S::TypeQualifier(q) => Part::Qualifier(&q.node),
                S::Extension(e) => Part::Extension(e),
            })
            .collect();
        let span = list.first().map_or_else(|| self.at(lang_c::span::Span::none()), |s| self.span(s));
        self.parts(&parts, false, span)
    }

    fn parts(&mut self, parts: &[Part<'_>], alone: bool, span: Span) -> Res<Specs> {
        let mut specs =
            Specs { storage: Storage::None, ty: Ty::INT.into(), attrs: Attrs::default(), auto: false };
        let mut words = Words::default();
        let mut whole: Option<QTy> = None;
        let (mut volatile, mut konst) = (false, false);
        let mut record_attrs: Option<(usize, &Node<ast::StructType>)> = None;
        for (n, part) in parts.iter().enumerate() {
            match part {
                Part::Storage(ast::StorageClassSpecifier::Typedef) => specs.storage = Storage::Typedef,
                Part::Storage(ast::StorageClassSpecifier::Extern) => specs.storage = Storage::Extern,
                Part::Storage(ast::StorageClassSpecifier::Static) => specs.storage = Storage::Static,
                Part::Storage(_) | Part::Other => {}
                Part::Qualifier(q) => match q {
                    ast::TypeQualifier::Volatile => volatile = true,
                    ast::TypeQualifier::Const => konst = true,
                    _ => {}
                },
                Part::Extension(list) => {
                    let own = record_attrs.is_some_and(|(at, _)| at + 1 == n);
                    if !own {
                        self.attributes(list, &mut specs.attrs)?;
                    }
                }
                Part::Align(a) => {
                    let align = match &a.node {
                        ast::AlignmentSpecifier::Type(t) => {
                            let ty = self.type_name(&t.node)?;
                            self.align_of(&ty.ty)
                        }
                        ast::AlignmentSpecifier::Constant(e) => self.const_u64(e)?,
                    };
                    specs.attrs.align = specs.attrs.align.max(Some(align).filter(|a| *a > 0));
                }
                Part::Type(t) => match &t.node {
                    ast::TypeSpecifier::Struct(s) => {
                        let mut own = Attrs::default();
                        if let Some(Part::Extension(list)) = parts.get(n + 1)
                            && s.node.declarations.is_some()
                        {
                            self.attributes(list, &mut own)?;
                            record_attrs = Some((n, s));
                        }
                        whole = Some(Ty::Record(self.struct_type(s, alone, &own)?).into());
                    }
                    ast::TypeSpecifier::TypedefName(id) if id.node.name == "__auto_type" => {
                        specs.auto = true;
                        whole = Some(Ty::INT.into());
                    }
                    _ => {
                        if let Some(ty) = self.type_word(t, &mut words)? {
                            whole = Some(ty);
                        }
                    }
                },
            }
        }
        let mut ty = match whole {
            Some(ty) => ty,
            None => self.arithmetic(&words, span)?.into(),
        };
        ty.volatile |= volatile;
        ty.konst |= konst;
        specs.ty = ty;
        Ok(specs)
    }

    /// A type that one specifier gives whole, or one more word of an arithmetic type.
    fn type_word(&mut self, t: &Node<ast::TypeSpecifier>, words: &mut Words) -> Res<Option<QTy>> {
        use ast::TypeSpecifier as T;
        match &t.node {
            T::Void => return Ok(Some(Ty::Void.into())),
            T::Bool => return Ok(Some(Ty::Int(IntTy::BOOL).into())),
            T::Char => words.char_ += 1,
            T::Short => words.short += 1,
            T::Int => words.int += 1,
            T::Long => words.long += 1,
            T::Float => words.float += 1,
            T::Double => words.double += 1,
            T::Signed => words.signed += 1,
            T::Unsigned => words.unsigned += 1,
            T::Complex => words.complex += 1,
            T::Atomic(name) => return Ok(Some(self.type_name(&name.node)?)),
            T::Enum(e) => return Ok(Some(Ty::Int(self.enum_type(e)?).into())),
            T::TypedefName(id) => return Ok(Some(self.typedef_name(id)?)),
            T::TypeOf(of) => return Ok(Some(self.type_of(of)?)),
            T::TS18661Float(f) => {
                use ast::TS18661FloatFormat as F;
                let bits = match (&f.format, f.width) {
                    (F::BinaryInterchange, 16) => 16,
                    (F::BinaryInterchange, 32) => 32,
                    (F::BinaryInterchange, 64) | (F::BinaryExtended, 32) => 64,
                    (F::BinaryInterchange, 128) => 128,
                    (F::BinaryExtended, 64) => 80,
                    _ => return Ok(Some(Ty::Refused("decimal floating-point numbers").into())),
                };
                return Ok(Some(Ty::Float(bits).into()));
            }
            T::Struct(_) => unreachable!("the caller handles structs"),
        }
        Ok(None)
    }

    fn typedef_name(&mut self, id: &Node<ast::Identifier>) -> Res<QTy> {
        let name = id.node.name.as_str();
        let int128 = IntTy { rank: Rank::Int128, bits: 128, signed: true };
        match name {
            "__int128_t" => return Ok(Ty::Int(int128).into()),
            "__uint128_t" => return Ok(Ty::Int(int128.with_sign(false)).into()),
            "__float128" => return Ok(Ty::Float(128).into()),
            "__builtin_va_list" => return Ok(self.va_list().into()),
            _ => {}
        }
        match self.scopes.lookup(name) {
            Some(Entity::Typedef(ty)) => Ok(ty.clone()),
            _ => {
                let span = self.span(id);
                self.unsupported(span, format!("cannot tell whether `{name}` is a type or a variable here"))
            }
        }
    }

    /// The type of `va_list`: an array of one record on x86-64, a pointer on i386.
    fn va_list(&mut self) -> Ty {
        if self.model == cmm::DataModel::Ilp32 {
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

    fn type_of(&mut self, of: &Node<ast::TypeOf>) -> Res<QTy> {
        match &of.node {
            ast::TypeOf::Type(name) => self.type_name(&name.node),
            ast::TypeOf::Expression(e) => {
                if let ast::Expression::Identifier(id) = &e.node
                    && let Some(Entity::Typedef(ty)) = self.scopes.lookup(&id.node.name)
                {
                    return Ok(ty.clone());
                }
                self.type_of_expr(e)
            }
        }
    }

    fn arithmetic(&self, w: &Words, span: Span) -> Res<Ty> {
        if w.complex > 0 {
            return Ok(Ty::Refused("complex numbers"));
        }
        let long = IntTy::long(self.model);
        if w.float + w.double > 0 {
            let ok = w.char_ + w.short + w.int + w.signed + w.unsigned == 0 && w.float + w.double == 1;
            return match (w.float, w.long) {
                (1, 0) if ok => Ok(Ty::Float(32)),
                (0, 0) if ok => Ok(Ty::Float(64)),
                (0, 1) if ok => Ok(Ty::Float(80)),
                _ => self.type_error(span, "these type specifiers do not go together"),
            };
        }
        let kinds = u32::from(w.char_ > 0) + u32::from(w.short > 0) + u32::from(w.long > 0);
        if kinds > 1 || w.long > 2 || w.int > 1 || w.signed + w.unsigned > 1 || (w.char_ > 0 && w.int > 0) {
            return self.type_error(span, "these type specifiers do not go together");
        }
        let signed = w.unsigned == 0;
        let ty = if w.char_ > 0 {
            if w.signed + w.unsigned == 0 { IntTy::CHAR } else { IntTy::UCHAR.with_sign(signed) }
        } else if w.short > 0 {
            IntTy { rank: Rank::Short, bits: 16, signed }
        } else {
            [IntTy::INT, long, IntTy::LLONG][w.long as usize].with_sign(signed)
        };
        Ok(Ty::Int(ty))
    }

    fn attributes(&mut self, list: &[Node<ast::Extension>], out: &mut Attrs) -> Res<()> {
        for extension in list {
            let ast::Extension::Attribute(attribute) = &extension.node else { continue };
            let name = attribute.name.node.trim_matches('_');
            match name {
                "packed" => out.packed = true,
                "aligned" => {
                    let align = match attribute.arguments.first() {
                        Some(e) => self.const_u64(e)?,
                        None => 16,
                    };
                    out.align = out.align.max(Some(align));
                }
                "mode" => {
                    if let Some(ast::Expression::Identifier(id)) =
                        attribute.arguments.first().map(|a| &a.node)
                    {
                        out.mode = Some(id.node.name.trim_matches('_').to_owned());
                    }
                }
                "vector_size" => out.vector = true,
                "constructor" | "destructor" => out.constructor = Some(self.span(&attribute.name)),
                "cleanup" | "alias" | "ifunc" | "weakref" | "scalar_storage_order" | "ms_struct" => {
                    out.refused = Some((name.to_owned(), self.span(&attribute.name)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Applies the attributes that change a type.
    fn attributed(&self, ty: &mut QTy, attrs: &Attrs, span: Span) -> Res<()> {
        if attrs.vector {
            ty.ty = Ty::Refused("vector types");
        }
        let Some(mode) = &attrs.mode else { return Ok(()) };
        let Some(int) = ty.ty.as_int() else { return Ok(()) };
        let long = IntTy::long(self.model);
        ty.ty = Ty::Int(match mode.as_str() {
            "QI" | "byte" => IntTy::UCHAR.with_sign(int.signed),
            "HI" => IntTy { rank: Rank::Short, bits: 16, signed: int.signed },
            "SI" => IntTy::INT.with_sign(int.signed),
            "DI" if long.bits == 64 => long.with_sign(int.signed),
            "DI" => IntTy::LLONG.with_sign(int.signed),
            "TI" => IntTy { rank: Rank::Int128, bits: 128, signed: int.signed },
            "word" | "pointer" => long.with_sign(int.signed),
            _ => return self.unsupported(span, format!("mode `{mode}` is not supported")),
        });
        Ok(())
    }

    pub(crate) fn new_record(&mut self, name: &str, is_union: bool) -> RecordId {
        let taken = |n: &str| self.records.iter().any(|r| r.name == n);
        let mut unique = name.to_owned();
        let mut n = 1;
        while taken(&unique) || unique.is_empty() {
            n += 1;
            unique = if name.is_empty() { format!("anon__{}", n - 1) } else { format!("{name}__{n}") };
        }
        self.members.push(vec![]);
        self.record_files.push(None);
        self.records.push(RecordDef {
            name: unique,
            is_union,
            fields: vec![],
            size: 0,
            align: 1,
            complete: false,
        })
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

    fn struct_type(&mut self, s: &Node<ast::StructType>, alone: bool, own: &Attrs) -> Res<RecordId> {
        let is_union = s.node.kind.node == ast::StructKind::Union;
        let span = self.span(s);
        let tag = s.node.identifier.as_ref().map(|i| i.node.name.as_str());
        let Some(declarations) = &s.node.declarations else {
            let tag = tag.expect("the grammar wants a tag or a body");
            let known = if alone {
                self.scopes.innermost().tags.get(tag).copied()
            } else {
                self.scopes.lookup_tag(tag)
            };
            return match known {
                Some(Tag::Record(r)) if self.records[r].is_union == is_union => Ok(r),
                Some(_) => self.type_error(span, format!("`{tag}` is another kind of tag here")),
                None => Ok(self.new_tag(Some(tag), is_union, span)),
            };
        };
        let known = tag.and_then(|t| self.scopes.innermost().tags.get(t).copied());
        let record = match known {
            Some(Tag::Record(r)) if self.records[r].is_union == is_union => r,
            Some(_) => return self.type_error(span, "the tag is of another kind"),
            None => self.new_tag(tag, is_union, span),
        };
        let again = self.records[record].complete;
        if again && self.record_files[record.index()] == Some(self.scopes.file) {
            return self.type_error(span, format!("`{}` is defined twice", tag.unwrap_or("the record")));
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
        let layout = match self.lay_out(is_union, specs, attrs) {
            Ok(layout) => layout,
            Err(message) => return self.type_error(span, message),
        };
        if again {
            let def = &self.records[record];
            if def.fields != layout.fields || def.size != layout.size {
                let message = "the struct or union is defined differently in another file";
                return self.unsupported(span, message);
            }
            self.record_files[record.index()] = Some(self.scopes.file);
        } else {
            self.complete(record, layout);
        }
        Ok(record)
    }

    /// Declares a tag in the innermost scope. At file scope the files share their records.
    fn new_tag(&mut self, tag: Option<&str>, is_union: bool, span: Span) -> RecordId {
        let key = match tag {
            Some(tag) => format!("{} {tag}", if is_union { "union" } else { "struct" }),
            None => format!("{span:?}"),
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

    fn enum_type(&mut self, e: &Node<ast::EnumType>) -> Res<IntTy> {
        let span = self.span(e);
        let tag = e.node.identifier.as_ref().map(|i| i.node.name.as_str());
        if e.node.enumerators.is_empty() {
            let tag = tag.expect("the grammar wants a tag or a body");
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

    pub(crate) fn type_name(&mut self, name: &ast::TypeName) -> Res<QTy> {
        let specs = self.qualifiers(&name.specifiers)?;
        let mut ty = match &name.declarator {
            Some(d) => self.declarator(specs.ty, d, false)?.ty,
            None => specs.ty,
        };
        let span =
            name.specifiers.first().map_or_else(|| self.at(lang_c::span::Span::none()), |s| self.span(s));
        self.attributed(&mut ty, &specs.attrs, span)?;
        Ok(ty)
    }

    /// Applies a declarator to the type of its specifiers. `param`: an outermost array is a pointer.
    pub(crate) fn declarator(&mut self, base: QTy, d: &Node<ast::Declarator>, param: bool) -> Res<Declared> {
        let span = self.span(d);
        let mut attrs = Attrs::default();
        let mut ty = base;
        let wrapped = matches!(d.node.kind.node, ast::DeclaratorKind::Declarator(_));
        for part in &d.node.derived {
            if let ast::DerivedDeclarator::Pointer(qualifiers) = &part.node {
                ty = Ty::ptr_to(ty).into();
                for q in qualifiers {
                    match &q.node {
                        ast::PointerQualifier::TypeQualifier(q) => match q.node {
                            ast::TypeQualifier::Volatile => ty.volatile = true,
                            ast::TypeQualifier::Const => ty.konst = true,
                            _ => {}
                        },
                        ast::PointerQualifier::Extension(list) => self.attributes(list, &mut attrs)?,
                    }
                }
            }
        }
        let suffixes: Vec<_> =
            d.node.derived.iter().filter(|p| !matches!(p.node, ast::DerivedDeclarator::Pointer(_))).collect();
        for (n, part) in suffixes.iter().enumerate().rev() {
            let outermost = n == 0 && !wrapped;
            ty = self.suffix(ty, part, param && outermost, span)?;
        }
        // An attribute like `mode` changes the type before an inner declarator wraps it.
        self.attributes(&d.node.extensions, &mut attrs)?;
        self.attributed(&mut ty, &attrs, span)?;
        match &d.node.kind.node {
            ast::DeclaratorKind::Abstract => Ok(Declared { name: String::new(), span, ty, attrs }),
            ast::DeclaratorKind::Identifier(id) => {
                Ok(Declared { name: id.node.name.clone(), span: self.span(id), ty, attrs })
            }
            ast::DeclaratorKind::Declarator(inner) => {
                let mut declared = self.declarator(ty, inner, param)?;
                declared.attrs.packed |= attrs.packed;
                declared.attrs.align = declared.attrs.align.max(attrs.align);
                declared.attrs.refused = declared.attrs.refused.or(attrs.refused);
                declared.attrs.constructor = declared.attrs.constructor.or(attrs.constructor);
                Ok(declared)
            }
        }
    }

    fn suffix(&mut self, ty: QTy, part: &Node<ast::DerivedDeclarator>, param: bool, span: Span) -> Res<QTy> {
        match &part.node {
            ast::DerivedDeclarator::Array(a) => {
                if matches!(ty.ty, Ty::Func(_) | Ty::Void) {
                    return self.type_error(span, "an array of such elements is not possible");
                }
                if param {
                    return Ok(Ty::ptr_to(ty).into());
                }
                let length = match &a.node.size {
                    ast::ArraySize::Unknown => None,
                    ast::ArraySize::VariableUnknown => {
                        return self.unsupported(span, "variable length arrays are not supported");
                    }
                    ast::ArraySize::VariableExpression(e) | ast::ArraySize::StaticExpression(e) => {
                        let Some(n) = self.try_const_int(e)? else {
                            return self.unsupported(span, "variable length arrays are not supported");
                        };
                        let Ok(n) = u64::try_from(n) else {
                            return self.type_error(span, "the length of the array is negative");
                        };
                        Some(n)
                    }
                };
                Ok(Ty::Array(Rc::new(ty), length).into())
            }
            ast::DerivedDeclarator::Function(f) => {
                if matches!(ty.ty, Ty::Func(_) | Ty::Array(..)) {
                    return self.type_error(span, "a function cannot return such a value");
                }
                let (params, void) = self.parameters(&f.node.parameters)?;
                let variadic = f.node.ellipsis == ast::Ellipsis::Some;
                let proto = void || !f.node.parameters.is_empty();
                Ok(Ty::Func(Rc::new(FuncTy { ret: ty, params, variadic, proto })).into())
            }
            ast::DerivedDeclarator::KRFunction(_) => {
                Ok(Ty::Func(Rc::new(FuncTy { ret: ty, params: vec![], variadic: false, proto: false }))
                    .into())
            }
            _ => self.unsupported(span, "this kind of declarator is not supported"),
        }
    }

    /// Types of parameters after adjustment; and whether the list is `(void)`.
    fn parameters(&mut self, list: &[Node<ast::ParameterDeclaration>]) -> Res<(Vec<QTy>, bool)> {
        // Tags and names in a parameter list have a scope of their own.
        self.scopes.blocks.push(crate::scope::Scope::default());
        let mut out = vec![];
        let mut failed = None;
        for p in list {
            match self.parameter(&p.node) {
                Ok(declared) => out.push(declared.ty),
                Err(stop) => {
                    failed = Some(stop);
                    break;
                }
            }
        }
        self.scopes.blocks.pop();
        if let Some(stop) = failed {
            return Err(stop);
        }
        if out.len() == 1 && out[0].ty == Ty::Void {
            return Ok((vec![], true));
        }
        Ok((out, false))
    }

    /// One parameter, adjusted: arrays and functions are pointers.
    pub(crate) fn parameter(&mut self, p: &ast::ParameterDeclaration) -> Res<Declared> {
        let specs = self.specifiers(&p.specifiers, false)?;
        let span = p.specifiers.first().map_or_else(|| self.at(lang_c::span::Span::none()), |s| self.span(s));
        let mut declared = match &p.declarator {
            Some(d) => self.declarator(specs.ty, d, true)?,
            None => Declared { name: String::new(), span, ty: specs.ty, attrs: Attrs::default() },
        };
        declared.ty = match declared.ty.ty {
            Ty::Array(elem, _) => Ty::Ptr(elem).into(),
            f @ Ty::Func(_) => Ty::ptr_to(f).into(),
            _ => declared.ty,
        };
        self.attributed(&mut declared.ty, &specs.attrs, span)?;
        Ok(declared)
    }

    /// Specifiers with the attributes that change their type applied.
    pub(crate) fn specs_with_mode(&self, specs: &Specs, declared: &mut Declared) -> Res<()> {
        let span = declared.span;
        self.attributed(&mut declared.ty, &specs.attrs, span)
    }

    pub(crate) fn static_assert(&mut self, a: &Node<ast::StaticAssert>) -> Res<()> {
        if self.const_int(&a.node.expression)? == 0 {
            let span = self.span(a);
            return self.type_error(span, "the static assertion fails");
        }
        Ok(())
    }
}
