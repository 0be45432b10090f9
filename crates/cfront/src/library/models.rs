//! Library models written in C (`models/*.c`): which of their files a program needs, and when a call of an
//! undefined function is a call of a model. Their table is docs/guide/library.md.
//!
//! Invariant: a model takes the place of a function only if the program does not define it and declares it with the
//! types that it has in C; otherwise the function stays undefined. The names that have a
//! meaning inside the model files alone are in `primitives`.

use crate::error::{Res, type_error};
use crate::library::environment::{self, asks_for_other_names};
use crate::library::formats::made_text::{self, makes_text};
use crate::library::threads;
use crate::lower::context::{Context, Emitter, Symbols};
use crate::lower::expr::{Ast, Ev, Val, deref};
use crate::lower::scope::{FnId, Function};
use crate::syntax::parse::{self, Parsed};
use crate::text::input::Text;
use crate::text::lex::{self, TokenKind};
use crate::text::lines::LineTable;
use crate::text::repair;
use crate::types::table::Types;
use crate::types::ty::{FuncTy, IntTy, QTy, Ty};
use base::{Id, SourceMap, Span};
use indexmap::IndexMap;
use ir::{BinOp, Expr, Op, ProcId, VarId};
use lang_c::ast;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Prefix of the names of model files in spans.
pub const MODELS: &str = "<models>/";

/// The model files whose functions access only memory of their own, or that of their contracts
/// (`contracts.rs`), so that calls are checked.
const COVERED: [&str; 3] = [ARGUMENTS_FILE, ENVIRONMENT_FILE, "<models>/input.c"];

/// The model file that makes the strings which `main` is given.
const ARGUMENTS_FILE: &str = "<models>/arguments.c";

/// The model file that makes the strings of the environment.
const ENVIRONMENT_FILE: &str = "<models>/environment.c";

/// The files left out where nothing changes the rounding mode, and where something may.
const MODES: &str = "fenv.c";
const NEAREST: &str = "nearest.c";

/// The model files. A definition that others may use begins in the first column of a line that ends with `{`.
pub(crate) const FILES: [(&str, &str); 22] = [
    ("arguments.c", include_str!("../../models/arguments.c")),
    ("bits.c", include_str!("../../models/bits.c")),
    ("ctype.c", include_str!("../../models/ctype.c")),
    ("environment.c", include_str!("../../models/environment.c")),
    ("extensions.c", include_str!("../../models/extensions.c")),
    ("files.c", include_str!("../../models/files.c")),
    (MODES, include_str!("../../models/fenv.c")),
    ("input.c", include_str!("../../models/input.c")),
    ("locales.c", include_str!("../../models/locales.c")),
    (threads::ALONE, include_str!("../../models/locks.c")),
    ("math.c", include_str!("../../models/math.c")),
    ("math_ranges.c", include_str!("../../models/math_ranges.c")),
    ("memory.c", include_str!("../../models/memory.c")),
    (threads::KINDS, include_str!("../../models/mutex_kinds.c")),
    (threads::MUTEXES, include_str!("../../models/mutexes.c")),
    (NEAREST, include_str!("../../models/nearest.c")),
    ("stdlib.c", include_str!("../../models/stdlib.c")),
    ("string.c", include_str!("../../models/string.c")),
    ("system.c", include_str!("../../models/system.c")),
    (threads::THREADS, include_str!("../../models/threads.c")),
    (threads::SELF, include_str!("../../models/threads_self.c")),
    ("time.c", include_str!("../../models/time.c")),
];

/// Functions whose type the compiler knows without a declaration, among those that return no `int`.
const BUILTINS: [&str; 19] = [
    "realloc", "stpcpy", "strcat", "strchr", "strcpy", "strcspn", "strdup", "strlen", "strncat", "strncpy",
    "strndup", "strpbrk", "strrchr", "strspn", "strstr", "memchr", "index", "rindex", "mempcpy",
];

/// The names that the files of the program use.
#[derive(Debug, Default)]
pub(crate) struct Used {
    /// All identifiers.
    names: FxHashSet<String>,
    /// Those that are values, where declarations of the C library do not stand, and how often each is in the file that
    /// has it most.
    values: FxHashMap<String, u32>,
    /// Variables of the environment are read by names other than literals.
    pub(crate) asks_for_other_names: bool,
}

impl Used {
    /// Adds the names of a text.
    pub(crate) fn add(&mut self, text: &str) {
        let (mut depth, mut before) = (0u32, "");
        let mut values: IndexMap<&str, u32, FxBuildHasher> = IndexMap::default();
        let tokens = lex::lex(text).tokens;
        for (n, token) in tokens.iter().enumerate() {
            let word = token.text(text);
            // An initialiser may name it as well.
            let value = depth > 0 || matches!(before, "=" | "&" | "," | "(" | "?" | ":");
            before = word;
            match (token.kind, word) {
                (TokenKind::Punct, "{") => depth += 1,
                (TokenKind::Punct, "}") => depth = depth.saturating_sub(1),
                (TokenKind::Ident, _) => {
                    if value {
                        self.asks_for_other_names |= asks_for_other_names(text, word, &tokens[n + 1..]);
                        let times = values.entry(word).or_default();
                        *times = times.saturating_add(1);
                    }
                    if !self.names.contains(word) {
                        self.names.insert(word.to_owned());
                    }
                }
                _ => {}
            }
        }
        for (word, times) in values {
            match self.values.get_mut(word) {
                Some(most) => *most = times.max(*most),
                None => _ = self.values.insert(word.to_owned(), times),
            }
        }
    }

    /// Whether function bodies or initialisers mention the name.
    pub(crate) fn in_bodies(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// How often they, and the bodies of enumerations, mention the name in one file.
    pub(crate) fn times(&self, name: &str) -> u32 {
        self.values.get(name).copied().unwrap_or(0)
    }
}

/// Parses the model files that define something of what is used, and what these use.
pub(crate) fn parse(used: &mut Used, map: &mut SourceMap) -> Res<Vec<Parsed>> {
    let mut wanted = [false; FILES.len()];
    if used.names.contains("main") {
        used.names.insert(crate::lower::entry_arguments::ARGUMENTS.to_owned());
    }
    if used.names.iter().any(|name| name.ends_with("scanf")) {
        used.names.insert("slam_input_string".to_owned());
    }
    if used.names.iter().any(|name| crate::library::builtin::bit_count(name).is_some()) {
        used.names.insert("slam_ffs".to_owned());
    }
    if used.names.iter().any(|name| makes_text(name).is_some()) {
        used.names.extend(made_text::MODELS.map(str::to_owned));
    }
    let mut left_out = vec![if used.in_bodies("fesetround") { NEAREST } else { MODES }];
    left_out.extend(threads::left_out(used));
    loop {
        let new: Vec<usize> = (0..FILES.len())
            .filter(|n| !left_out.contains(&FILES[*n].0))
            .filter(|n| !wanted[*n] && defined(FILES[*n].1).any(|name| used.names.contains(name)))
            .collect();
        if new.is_empty() {
            break;
        }
        for n in new {
            wanted[n] = true;
            used.add(FILES[n].1);
        }
    }
    let mut parsed = vec![];
    for (n, (name, text)) in FILES.iter().enumerate() {
        if wanted[n] {
            let file = map.add(format!("{MODELS}{name}"), Some(Arc::from(*text)));
            let lines = LineTable::physical(text, file);
            let text = Text { file, text: (*text).to_owned(), lines };
            let repaired = repair::repair(&text)?;
            parsed.push(parse::parse(text, repaired)?);
        }
    }
    Ok(parsed)
}

/// The names of the functions that a model file defines for others.
pub(crate) fn defined(text: &str) -> impl Iterator<Item = &str> {
    let heads = text.lines().filter(|l| {
        l.ends_with('{') && l.starts_with(|c: char| c.is_ascii_alphabetic()) && !l.starts_with("static ")
    });
    heads.filter_map(|l| {
        let before = &l[..l.find('(')?];
        before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()
    })
}

impl Symbols<'_> {
    /// Whether the file with this number is a model.
    pub(crate) fn is_model(&self, file: usize) -> bool {
        file >= self.models_from
    }

    /// Whether the file with this number holds stubs of the user's.
    pub(crate) fn is_stub(&self, file: usize) -> bool {
        (self.stubs_from..self.models_from).contains(&file)
    }

    /// The model that takes the place of an undefined function; `f` is `None` when nothing declares it.
    pub(crate) fn model(&self, types: &Types, name: &str, f: Option<FnId>) -> Option<FnId> {
        let builtin = name.strip_prefix("__builtin_");
        if !self.settings.uses.environment.has_model(name) {
            return None;
        }
        let model = *self.models.get(builtin.unwrap_or(name))?;
        if builtin.is_some() {
            return Some(model);
        }
        let declared = f.map(|f| &self.functions[f]);
        if declared.is_some_and(|d| d.def.is_some()) {
            return None;
        }
        let ty = &self.functions[model].ty;
        let fits = match declared {
            Some(d) if !d.implicit => types.fits(&d.ty, ty),
            _ => ty.ret.ty == Ty::INT || BUILTINS.contains(&name),
        };
        fits.then_some(model)
    }

    /// The model of a function that is not declared, and whose result is not an `int`: it has its usual effect,
    /// and the caller takes as result what it finds where an `int` would be.
    pub(crate) fn undeclared_model(&self, types: &Types, name: &str, f: Option<FnId>) -> Option<FnId> {
        let undeclared = f.is_none_or(|f| self.functions[f].implicit && self.functions[f].def.is_none());
        let model =
            self.models.get(name).filter(|_| undeclared && self.settings.uses.environment.has_model(name))?;
        (self.model(types, name, f).is_none()).then_some(*model)
    }

    /// Whether the place is in the harness.
    pub(crate) fn in_harness(&self, span: Span) -> bool {
        self.parsed.iter().any(|p| p.harness == Some(span.file))
    }

    /// The procedures of the harness, and those of model files whose functions access only the memory of their
    /// contracts.
    pub(crate) fn covered(&self) -> BTreeSet<ProcId> {
        let named =
            |file: usize| COVERED.contains(&self.sources.file(self.parsed[file].source.file).name.as_str());
        let model = |f: &Function<'_>| self.is_model(f.file) && f.def.is_some() && named(f.file);
        let of = |f: &&Function<'_>| model(f) || self.in_harness(f.span);
        self.functions.iter().filter(of).filter_map(|f| f.proc).collect()
    }

    /// The variable that holds the mode of rounding, where the program may change it.
    pub(crate) fn rounding_mode(&self) -> Option<VarId> {
        let own =
            |o: &&crate::lower::scope::Object<'_>| o.name == "slam_rounding_mode" && self.is_model(o.file);
        let sets = |f: &Function<'_>| f.name == "fesetround" && self.is_model(f.file) && f.proc.is_some();
        self.functions.iter().any(sets).then(|| self.objects.iter().find(own)?.var).flatten()
    }

    /// The procedures that make a string which `main` is given, or one of the environment, and nothing else: it ends
    /// with the NUL in its last byte.
    pub(crate) fn makers_of_strings(&self) -> BTreeSet<ProcId> {
        let file = |f: &Function<'_>| self.sources.file(self.parsed[f.file].source.file).name.as_str();
        let makes = |f: &&Function<'_>| {
            let maker = [("argument", ARGUMENTS_FILE), (environment::VALUE, ENVIRONMENT_FILE)];
            self.is_model(f.file) && maker.contains(&(f.name.as_str(), file(f)))
        };
        self.functions.iter().filter(makes).filter_map(|f| f.proc).collect()
    }

    /// The function whose address a name stands for.
    pub(crate) fn pointed_function(&self, types: &Types, f: FnId) -> FnId {
        let function = &self.functions[f];
        match self.model(types, &function.name, Some(f)) {
            Some(model) if self.functions[model].ty.lower() == function.ty.lower() => model,
            _ => f,
        }
    }
}

impl Context<'_> {
    /// `strcpy` of a short literal: its characters are assigned one by one.
    pub(crate) fn copied_literal(
        &mut self,
        name: &str,
        c: &ast::CallExpression,
        span: Span,
    ) -> Res<Option<Ev>> {
        let ("strcpy" | "__builtin_strcpy", [to, from]) = (name, &c.arguments[..]) else { return Ok(None) };
        let Some(units) = literal_units(from).filter(|units| units.len() <= LONGEST_COPY) else {
            return Ok(None);
        };
        let to = self.value(to)?;
        let Some(pointee) = to.ty.pointee().filter(|t| t.ty == Ty::Int(IntTy::CHAR)).cloned() else {
            return type_error(span, "`strcpy` needs a pointer to characters");
        };
        let start = self.emitter.spill(to.e, span);
        self.emitter.write_text(&start, &pointee, units, span);
        Ok(Some(Ev::Val(Val { e: start, ty: to.ty })))
    }
}

impl Emitter<'_> {
    /// Writes characters and a zero behind a pointer.
    fn write_text(&mut self, start: &Expr, pointee: &QTy, units: Vec<u32>, span: Span) {
        for (n, unit) in units.into_iter().chain([0]).enumerate() {
            let at = Expr::binary(BinOp::PtrAdd, start.clone(), Expr::int(n as i128));
            let place = deref(at, pointee.clone());
            let value = IntTy::CHAR.lower().wrap(i128::from(unit));
            self.statement(Op::Assign(place.lv, Expr::Const(value, Ty::Int(IntTy::CHAR).lower())), span);
        }
    }
}

/// Longest literal whose copy is spelt out.
const LONGEST_COPY: usize = 64;

/// The characters of a string literal up to its end.
pub(crate) fn literal_units(e: &Ast) -> Option<Vec<u32>> {
    let ast::Expression::StringLiteral(s) = &e.node else { return None };
    let mut units = vec![];
    for part in &s.node {
        units.extend(crate::types::constants::literal(part).ok()?.0);
    }
    let end = units.iter().position(|u| *u == 0).unwrap_or(units.len());
    units.truncate(end);
    Some(units)
}

/// The result of a call of a modelled function with literals, where C fixes it.
pub(crate) fn folded(name: &str, c: &ast::CallExpression) -> Option<i128> {
    let text = |n: usize| literal_units(c.arguments.get(n)?);
    let lower = |units: Vec<u32>| -> Vec<u32> {
        units.into_iter().map(|u| if (65..=90).contains(&u) { u + 32 } else { u }).collect()
    };
    match name.strip_prefix("__builtin_").unwrap_or(name) {
        "strlen" => Some(text(0)?.len() as i128),
        // For different texts only the sign is known.
        "strcmp" => (text(0)? == text(1)?).then_some(0),
        "strcasecmp" => (lower(text(0)?) == lower(text(1)?)).then_some(0),
        "atoi" => {
            let text: String = text(0)?.into_iter().filter_map(char::from_u32).collect();
            text.parse::<i32>().ok().map(i128::from)
        }
        _ => None,
    }
}

impl Types {
    /// Whether a declaration has the types of a model, up to what pointers point to, tags and qualifiers.
    fn fits(&self, declared: &FuncTy, model: &FuncTy) -> bool {
        let params = !declared.proto
            || declared.params.len() == model.params.len()
                && declared.variadic == model.variadic
                && declared.params.iter().zip(&model.params).all(|(a, b)| self.is_like(&a.ty, &b.ty));
        params && self.is_like(&declared.ret.ty, &model.ret.ty)
    }

    fn is_like(&self, a: &Ty, b: &Ty) -> bool {
        match (a, b) {
            (Ty::Ptr(_), Ty::Ptr(_)) => true,
            (Ty::Int(a), Ty::Int(b)) => (a.bits, a.signed) == (b.bits, b.signed),
            (Ty::Record(a), Ty::Record(b)) => {
                let [a, b] = [a, b].map(|r| &self.members[r.index()]);
                a.len() == b.len()
                    && a.iter().zip(b).all(|(m, n)| m.name == n.name && self.is_like(&m.ty.ty, &n.ty.ty))
            }
            (a, b) => a == b,
        }
    }
}
