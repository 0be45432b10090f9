//! Declaration specifiers and declarators: from lang-c's unresolved lists to types.

use crate::error::{Res, type_error, unsupported};
use crate::lower::context::{Context, Settings, Symbols};
use crate::lower::scope::Entity;
use crate::types::table::Types;
use crate::types::ty::{IntTy, QTy, Rank, Ty};
use base::Span;
use ir::DataModel;
use lang_c::ast;
use lang_c::span::Node;

/// Storage classes that matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Storage {
    #[default]
    None,
    Typedef,
    Extern,
    Static,
}

/// The priority of constructors and destructors that name none: the greatest.
pub(crate) const NO_PRIORITY: u64 = 65535;

/// The attributes of a declaration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attrs {
    pub(crate) packed: bool,
    pub(crate) align: Option<u64>,
    mode: Option<String>,
    /// The size of a vector.
    vector: Option<u64>,
    /// The name of an attribute that is refused where it matters, with its place.
    pub(crate) refused: Option<(String, Span)>,
    /// The function runs before the entry, in the order of these numbers.
    pub(crate) constructor: Option<u64>,
    /// The function runs when the program ends, in the opposite order.
    pub(crate) destructor: Option<u64>,
    /// The function does not return.
    pub(crate) noreturn: bool,
    /// It may be defined in another file, or nowhere.
    pub(crate) weak: bool,
    /// Each thread has its own.
    pub(crate) apart: bool,
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
    Noreturn,
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

impl Context<'_> {
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
                D::Function(f) if f.node == ast::FunctionSpecifier::Noreturn => Part::Noreturn,
                D::Function(_) => Part::Other,
            })
            .collect();
        self.parts(&parts, alone, self.symbols.span_of_first(list))
    }

    pub(crate) fn qualifiers(&mut self, list: &[Node<ast::SpecifierQualifier>]) -> Res<Specs> {
        use ast::SpecifierQualifier as S;
        let parts: Vec<Part<'_>> = list
            .iter()
            .map(|s| match &s.node {
                S::TypeSpecifier(t) => Part::Type(t),
                S::TypeQualifier(q) => Part::Qualifier(&q.node),
                S::Extension(e) => Part::Extension(e),
            })
            .collect();
        self.parts(&parts, false, self.symbols.span_of_first(list))
    }

    fn parts(&mut self, parts: &[Part<'_>], alone: bool, span: Span) -> Res<Specs> {
        let mut specs =
            Specs { storage: Storage::None, ty: Ty::INT.into(), attrs: Attrs::default(), auto: false };
        let mut words = Words::default();
        let mut whole: Option<QTy> = None;
        let (mut volatile, mut konst, mut atomic) = (false, false, false);
        let mut record_attrs: Option<(usize, &Node<ast::StructType>)> = None;
        for (n, part) in parts.iter().enumerate() {
            match part {
                Part::Storage(ast::StorageClassSpecifier::Typedef) => specs.storage = Storage::Typedef,
                Part::Storage(ast::StorageClassSpecifier::Extern) => specs.storage = Storage::Extern,
                Part::Storage(ast::StorageClassSpecifier::Static) => specs.storage = Storage::Static,
                Part::Storage(ast::StorageClassSpecifier::ThreadLocal) => specs.attrs.apart = true,
                Part::Storage(_) | Part::Other => {}
                Part::Noreturn => specs.attrs.noreturn = true,
                Part::Qualifier(q) => match q {
                    ast::TypeQualifier::Volatile => volatile = true,
                    ast::TypeQualifier::Const => konst = true,
                    ast::TypeQualifier::Atomic => atomic = true,
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
                            self.types.align_of(&ty.ty)
                        }
                        ast::AlignmentSpecifier::Constant(e) => self.const_u64(e)?,
                    };
                    specs.attrs.align = specs.attrs.align.max(alignment(align, span)?);
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
            None => self.types.arithmetic(self.symbols.scopes.file, &words, span)?.into(),
        };
        ty.volatile |= volatile;
        ty.konst |= konst;
        specs.ty = if atomic { self.types.atomic(self.settings, ty, span)? } else { ty };
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
            T::Atomic(name) => {
                let ty = self.type_name(&name.node)?;
                return Ok(Some(self.types.atomic(self.settings, ty, self.symbols.span(t))?));
            }
            T::Enum(e) => {
                let ty = Ty::Int(self.enum_type(e)?);
                return Ok(Some(QTy {
                    enumeration: self.emitter.enumeration(&self.symbols, &e.node),
                    ..ty.into()
                }));
            }
            T::TypedefName(id) => return Ok(Some(self.types.typedef_name(&self.symbols, id)?)),
            T::TypeOf(of) => return Ok(Some(self.type_of(of)?)),
            T::TS18661Float(f) => {
                let ty = crate::types::constants::ts18661_float(f);
                return Ok(Some(ty.unwrap_or(Ty::Refused("decimal floating-point numbers")).into()));
            }
            T::Struct(_) => unreachable!("the caller handles structs"),
        }
        Ok(None)
    }

    fn type_of(&mut self, of: &Node<ast::TypeOf>) -> Res<QTy> {
        match &of.node {
            ast::TypeOf::Type(name) => self.type_name(&name.node),
            ast::TypeOf::Expression(e) => {
                if let ast::Expression::Identifier(id) = &e.node
                    && let Some(Entity::Typedef(ty)) = self.symbols.scopes.lookup(&id.node.name)
                {
                    return Ok(ty.clone());
                }
                let ty = self.type_of_expr(e)?;
                if ty.ty.is_variable() { self.type_of_evaluated(e) } else { Ok(ty) }
            }
        }
    }

    pub(crate) fn attributes(&mut self, list: &[Node<ast::Extension>], out: &mut Attrs) -> Res<()> {
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
                    let span = self.symbols.span(&attribute.name);
                    out.align = out.align.max(alignment(align, span)?);
                }
                "mode" => {
                    if let Some(ast::Expression::Identifier(id)) =
                        attribute.arguments.first().map(|a| &a.node)
                    {
                        out.mode = Some(id.node.name.trim_matches('_').to_owned());
                    }
                }
                "noreturn" => out.noreturn = true,
                "weak" => out.weak = true,
                "vector_size" => {
                    if let Some(size) = attribute.arguments.first() {
                        out.vector = Some(self.const_u64(size)?);
                    }
                }
                "constructor" | "destructor" => {
                    let priority = match attribute.arguments.first() {
                        Some(e) => self.const_u64(e)?,
                        None => NO_PRIORITY,
                    };
                    let which =
                        if name == "constructor" { &mut out.constructor } else { &mut out.destructor };
                    *which = Some(priority);
                }
                "cleanup"
                | "alias"
                | "ifunc"
                | "weakref"
                | "scalar_storage_order"
                | "ms_struct"
                | "cfront_nested" => {
                    out.refused = Some((name.to_owned(), self.symbols.span(&attribute.name)));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Types {
    /// The atomic type. Types of more than four bytes have alignments of their own where pointers have 32 bits,
    /// and accesses to types other than scalars are not one step; a structure of one byte is a flag, that only
    /// the builtins access.
    fn atomic(&self, settings: Settings<'_>, ty: QTy, span: Span) -> Res<QTy> {
        let small = match &ty.ty {
            Ty::Int(i) => i.bits <= 32,
            Ty::Record(_) => self.size_of(&ty.ty, span).is_ok_and(|size| size == 1),
            ty => matches!(ty, Ty::Ptr(_)),
        };
        Ok(match settings.options.data_model {
            _ if small => QTy { atomic: true, ..ty },
            _ if settings.uses.threads && !ty.ty.is_scalar() => Ty::Refused("atomic structures").into(),
            DataModel::Ilp32 => Ty::Refused("atomic objects of more than four bytes with ILP32").into(),
            DataModel::Lp64 => QTy { atomic: true, ..ty },
        })
    }

    fn typedef_name(&mut self, symbols: &Symbols<'_>, id: &Node<ast::Identifier>) -> Res<QTy> {
        let name = id.node.name.as_str();
        let int128 = IntTy { rank: Rank::Int128, bits: 128, signed: true };
        match name {
            "__int128_t" => return Ok(Ty::Int(int128).into()),
            "__uint128_t" => return Ok(Ty::Int(int128.with_sign(false)).into()),
            "__float128" => return Ok(Ty::Float(128).into()),
            "__builtin_va_list" => return Ok(self.va_list(symbols.scopes.file).into()),
            _ => {}
        }
        match symbols.scopes.lookup(name) {
            Some(Entity::Typedef(ty)) => Ok(ty.clone()),
            _ => {
                let span = symbols.span(id);
                unsupported(span, format!("cannot tell whether `{name}` is a type or a variable here"))
            }
        }
    }

    fn arithmetic(&mut self, file: usize, w: &Words, span: Span) -> Res<Ty> {
        if w.complex > 0 {
            let bare = w.char_ + w.short + w.int + w.signed + w.unsigned + w.float == 0;
            let double = u32::from(bare && w.double == 0) + w.double;
            let part = self.arithmetic(file, &Words { complex: 0, double, ..*w }, span)?;
            return Ok(self.complex_type(file, &part));
        }
        let long = IntTy::long(self.model);
        if w.float + w.double > 0 {
            let ok = w.char_ + w.short + w.int + w.signed + w.unsigned == 0 && w.float + w.double == 1;
            return match (w.float, w.long) {
                (1, 0) if ok => Ok(Ty::Float(32)),
                (0, 0) if ok => Ok(Ty::Float(64)),
                (0, 1) if ok => Ok(Ty::Float(80)),
                _ => type_error(span, "these type specifiers do not go together"),
            };
        }
        let kinds = u32::from(w.char_ > 0) + u32::from(w.short > 0) + u32::from(w.long > 0);
        if kinds > 1 || w.long > 2 || w.int > 1 || w.signed + w.unsigned > 1 || (w.char_ > 0 && w.int > 0) {
            return type_error(span, "these type specifiers do not go together");
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

    /// Applies the attributes that change a type.
    pub(crate) fn attributed(&mut self, file: usize, ty: &mut QTy, attrs: &Attrs, span: Span) -> Res<()> {
        if let Some(bytes) = attrs.vector {
            ty.ty = match &ty.ty {
                elem if elem.is_arithmetic() => self.vector_type(file, &elem.clone(), bytes, span)?,
                _ => Ty::Refused("vector types"),
            };
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
            _ => return unsupported(span, format!("mode `{mode}` is not supported")),
        });
        Ok(())
    }
}

/// The alignment of an attribute; 0 is none.
fn alignment(align: u64, span: Span) -> Res<Option<u64>> {
    match align {
        0 => Ok(None),
        n if n.is_power_of_two() && n <= 1 << 28 => Ok(Some(n)),
        _ => type_error(span, "the alignment is no power of two, or too large"),
    }
}
