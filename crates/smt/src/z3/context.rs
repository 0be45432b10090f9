//! The one module that calls Z3's C interface.
//!
//! Invariants that make the calls sound, kept by this module and its siblings, which are private:
//! every [`Ast`], [`ZSort`] and [`Decl`] is used only with the [`Context`] that made it, and that
//! context holds a reference to it until [`Context::release_terms`] or its own end; a context is
//! used by one thread at a time, which `&mut` ensures, except for interruption, which Z3 allows
//! from any thread while the context is alive.
//!
//! Z3 reports failures (out of memory, mostly) by null pointers and an error code. The first one
//! is kept in [`Context::failure`]; results after it mean nothing, and the prover then answers
//! `Unknown`.
#![allow(unsafe_code, reason = "foreign functions; the module's head says why the calls are sound")]

mod float;
mod solver;

use std::ffi::{CStr, CString};

use z3_sys::{
    AstKind, DeclKind, ErrorCode, Z3_ast, Z3_context, Z3_dec_ref, Z3_del_config, Z3_del_context,
    Z3_func_decl, Z3_func_decl_to_ast, Z3_get_app_arg, Z3_get_app_decl, Z3_get_app_num_args, Z3_get_ast_kind,
    Z3_get_error_code, Z3_get_error_msg, Z3_get_full_version, Z3_inc_ref, Z3_interrupt, Z3_mk_app,
    Z3_mk_array_sort, Z3_mk_bool_sort, Z3_mk_bv_sort, Z3_mk_config, Z3_mk_context_rc, Z3_mk_func_decl,
    Z3_mk_int_sort, Z3_mk_int64, Z3_mk_numeral, Z3_mk_params, Z3_mk_solver, Z3_mk_solver_for_logic,
    Z3_mk_string_symbol, Z3_mk_true, Z3_mk_unsigned_int64, Z3_params_dec_ref, Z3_params_inc_ref,
    Z3_params_set_bool, Z3_params_set_uint, Z3_set_error_handler, Z3_solver, Z3_solver_dec_ref,
    Z3_solver_inc_ref, Z3_solver_set_params, Z3_sort, Z3_sort_to_ast, Z3_string, Z3_symbol, Z3_to_app,
};

/// A Z3 term that its context holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Ast(pub(super) Z3_ast);

/// A Z3 sort that its context holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ZSort(pub(super) Z3_sort);

/// A Z3 function symbol (or constant) that its context holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Decl(pub(super) Z3_func_decl);

pub(super) type Unary = unsafe extern "C" fn(Z3_context, Z3_ast) -> Option<Z3_ast>;
pub(super) type Binary = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast) -> Option<Z3_ast>;
pub(super) type SignedBinary = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, bool) -> Option<Z3_ast>;
pub(super) type Ternary = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_ast) -> Option<Z3_ast>;
pub(super) type Variadic = unsafe extern "C" fn(Z3_context, u32, *const Z3_ast) -> Option<Z3_ast>;
pub(super) type Indexed = unsafe extern "C" fn(Z3_context, u32, Z3_ast) -> Option<Z3_ast>;

/// The kinds of Z3's symbols that are distinguished.
const KINDS: [DeclKind; 19] = [
    DeclKind::True,
    DeclKind::False,
    DeclKind::And,
    DeclKind::Or,
    DeclKind::Not,
    DeclKind::Implies,
    DeclKind::Eq,
    DeclKind::Iff,
    DeclKind::Ite,
    DeclKind::Le,
    DeclKind::Ge,
    DeclKind::Lt,
    DeclKind::Gt,
    DeclKind::Add,
    DeclKind::Sub,
    DeclKind::Uminus,
    DeclKind::Mul,
    DeclKind::Idiv,
    DeclKind::Mod,
];

unsafe extern "C" {
    /// The number of a symbol's kind. The type that `z3-sys` gives it is made for one version of the library: another one
    /// returns numbers that are none of its values.
    #[link_name = "Z3_get_decl_kind"]
    fn decl_kind(context: Z3_context, decl: Z3_func_decl) -> u32;
}

/// What a check found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Sat,
    Unsat,
    Unknown,
}

/// A Z3 context with its one solver.
pub(super) struct Context {
    pub(super) raw: Z3_context,
    pub(super) solver: Z3_solver,
    /// Terms held until [`Context::release_terms`].
    terms: Vec<Z3_ast>,
    truth: Ast,
    bool_sort: ZSort,
    int_sort: ZSort,
    failure: Option<String>,
}

// Safety: a Z3 context has no ties to the thread that made it; it only must not be used by two
// threads at a time, and every method that uses it takes `&mut self`.
unsafe impl Send for Context {}

/// A context to interrupt; valid while the context is alive.
pub(crate) struct InterruptHandle(Z3_context);

// Safety: `Z3_interrupt` is the one function that Z3 allows from other threads.
unsafe impl Send for InterruptHandle {}

impl InterruptHandle {
    /// Asks the check under way to end. The caller ensures that the context is alive.
    pub(crate) fn interrupt(&self) {
        // Safety: see `interrupt::Running`, which only holds handles of live contexts.
        unsafe { Z3_interrupt(self.0) };
    }
}

impl Context {
    /// A fresh context and solver. Parameters that this solver does not know are ignored by Z3.
    ///
    /// # Panics
    /// If Z3 does not know the logic.
    pub(super) fn new(logic: Option<&str>, numbers: &[(&str, u32)], flags: &[(&str, bool)]) -> Self {
        super::quiet::close_error_stream();
        // Safety: the calls follow the protocol of the C interface; objects get references before
        // the next call.
        unsafe {
            let config = Z3_mk_config().expect("Z3 makes a configuration");
            let raw = Z3_mk_context_rc(config).expect("Z3 makes a context");
            Z3_del_config(config);
            Z3_set_error_handler(raw, None);
            let solver = match logic {
                None => Z3_mk_solver(raw),
                Some(name) => Z3_mk_solver_for_logic(raw, symbol(raw, name)),
            };
            let solver = solver.unwrap_or_else(|| panic!("Z3 has a solver for logic {logic:?}"));
            Z3_solver_inc_ref(raw, solver);
            let params = Z3_mk_params(raw).expect("Z3 makes parameters");
            Z3_params_inc_ref(raw, params);
            for (name, value) in numbers {
                Z3_params_set_uint(raw, params, symbol(raw, name), *value);
            }
            // Signals are for the program, not for the check that happens to run.
            for (name, value) in flags.iter().chain(&[("ctrl_c", false)]) {
                Z3_params_set_bool(raw, params, symbol(raw, name), *value);
            }
            Z3_solver_set_params(raw, solver, params);
            Z3_params_dec_ref(raw, params);
            let truth = Z3_mk_true(raw).expect("Z3 makes the literal true");
            Z3_inc_ref(raw, truth);
            let mut sorts = [Z3_mk_bool_sort(raw), Z3_mk_int_sort(raw)].map(|sort| {
                let sort = sort.expect("Z3 makes the basic sorts");
                let ast = Z3_sort_to_ast(raw, sort).expect("a sort is an ast");
                Z3_inc_ref(raw, ast);
                ZSort(sort)
            });
            let [bool_sort, int_sort] = &mut sorts;
            Context {
                raw,
                solver,
                terms: Vec::new(),
                truth: Ast(truth),
                bool_sort: *bool_sort,
                int_sort: *int_sort,
                failure: None,
            }
        }
    }

    /// What went wrong first, if anything did.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// How many terms are held.
    pub(super) fn held_terms(&self) -> usize {
        self.terms.len()
    }

    /// Gives up the references to all terms but those made by [`Context::constant`].
    pub(super) fn release_terms(&mut self) {
        for term in self.terms.drain(..) {
            // Safety: the reference was taken when the term entered the list.
            unsafe { Z3_dec_ref(self.raw, term) };
        }
    }

    pub(super) fn interrupt_handle(&self) -> InterruptHandle {
        InterruptHandle(self.raw)
    }

    fn note_failure(&mut self) {
        if self.failure.is_none() {
            // Safety: the message is copied before the next call.
            let message = unsafe {
                let code = Z3_get_error_code(self.raw);
                text(Z3_get_error_msg(self.raw, code))
            };
            self.failure = Some(format!("the prover failed: {message}"));
        }
    }

    pub(super) fn check_error(&mut self) {
        // Safety: reads the state of a live context.
        if unsafe { Z3_get_error_code(self.raw) } != ErrorCode::Ok {
            self.note_failure();
        }
    }

    /// Takes a reference to a new term. After a failure the term is `true`; it is not used then.
    pub(super) fn hold(&mut self, term: Option<Z3_ast>) -> Ast {
        let Some(term) = term else {
            self.note_failure();
            return self.truth;
        };
        // Safety: the term was just made by this context.
        unsafe { Z3_inc_ref(self.raw, term) };
        self.terms.push(term);
        Ast(term)
    }

    /// Holds the term that the function makes.
    fn made(&mut self, make: impl FnOnce(Z3_context) -> Option<Z3_ast>) -> Ast {
        let term = make(self.raw);
        self.hold(term)
    }

    pub(super) fn truth(&self) -> Ast {
        self.truth
    }

    pub(super) fn bool_sort(&self) -> ZSort {
        self.bool_sort
    }

    pub(super) fn int_sort(&self) -> ZSort {
        self.int_sort
    }

    pub(super) fn unary(&mut self, make: Unary, a: Ast) -> Ast {
        // Safety: the argument is held by this context.
        self.made(|raw| unsafe { make(raw, a.0) })
    }

    pub(super) fn binary(&mut self, make: Binary, a: Ast, b: Ast) -> Ast {
        // Safety: the arguments are held by this context.
        self.made(|raw| unsafe { make(raw, a.0, b.0) })
    }

    pub(super) fn signed_binary(&mut self, make: SignedBinary, a: Ast, b: Ast) -> Ast {
        // Safety: the arguments are held by this context.
        self.made(|raw| unsafe { make(raw, a.0, b.0, true) })
    }

    pub(super) fn ternary(&mut self, make: Ternary, a: Ast, b: Ast, c: Ast) -> Ast {
        // Safety: the arguments are held by this context.
        self.made(|raw| unsafe { make(raw, a.0, b.0, c.0) })
    }

    pub(super) fn variadic(&mut self, make: Variadic, args: &[Ast]) -> Ast {
        let args: Vec<Z3_ast> = args.iter().map(|arg| arg.0).collect();
        // Safety: the arguments are held by this context, and the length is theirs.
        self.made(|raw| unsafe { make(raw, length(&args), args.as_ptr()) })
    }

    pub(super) fn indexed(&mut self, make: Indexed, index: u32, a: Ast) -> Ast {
        // Safety: the argument is held by this context.
        self.made(|raw| unsafe { make(raw, index, a.0) })
    }

    pub(super) fn extract(&mut self, high: u32, low: u32, a: Ast) -> Ast {
        // Safety: the argument is held by this context.
        self.made(|raw| unsafe { z3_sys::Z3_mk_extract(raw, high, low, a.0) })
    }

    pub(super) fn const_array(&mut self, index: ZSort, element: Ast) -> Ast {
        // Safety: the arguments are held by this context.
        self.made(|raw| unsafe { z3_sys::Z3_mk_const_array(raw, index.0, element.0) })
    }

    pub(super) fn application(&mut self, decl: Decl, args: &[Ast]) -> Ast {
        let args: Vec<Z3_ast> = args.iter().map(|arg| arg.0).collect();
        // Safety: the arguments are held by this context, and the length is theirs.
        self.made(|raw| unsafe { Z3_mk_app(raw, decl.0, length(&args), args.as_ptr()) })
    }

    /// A constant as a term, held for as long as the context lives.
    pub(super) fn constant(&mut self, decl: Decl) -> Ast {
        let constant = self.application(decl, &[]);
        // Safety: the term was just made by this context.
        unsafe { Z3_inc_ref(self.raw, constant.0) };
        constant
    }

    pub(super) fn integer(&mut self, value: i128) -> Ast {
        let sort = self.int_sort;
        match i64::try_from(value) {
            // Safety: the sort is held by this context.
            Ok(small) => self.made(|raw| unsafe { Z3_mk_int64(raw, small, sort.0) }),
            Err(_) => self.numeral(&value.to_string(), sort),
        }
    }

    pub(super) fn bits(&mut self, value: u128, sort: ZSort) -> Ast {
        match u64::try_from(value) {
            // Safety: the sort is held by this context.
            Ok(small) => self.made(|raw| unsafe { Z3_mk_unsigned_int64(raw, small, sort.0) }),
            Err(_) => self.numeral(&value.to_string(), sort),
        }
    }

    fn numeral(&mut self, digits: &str, sort: ZSort) -> Ast {
        let digits = c_string(digits);
        // Safety: the string lives during the call; the sort is held by this context.
        self.made(|raw| unsafe { Z3_mk_numeral(raw, digits.as_ptr(), sort.0) })
    }

    /// A bit-vector sort, held for as long as the context lives.
    pub(super) fn bits_sort(&mut self, width: u32) -> ZSort {
        // Safety: the context is alive.
        let sort = unsafe { Z3_mk_bv_sort(self.raw, width) };
        self.keep_sort(sort)
    }

    /// An array sort, held for as long as the context lives.
    pub(super) fn array_sort(&mut self, index: ZSort, element: ZSort) -> ZSort {
        // Safety: the sorts are held by this context.
        let sort = unsafe { Z3_mk_array_sort(self.raw, index.0, element.0) };
        self.keep_sort(sort)
    }

    fn keep_sort(&mut self, sort: Option<Z3_sort>) -> ZSort {
        let Some(sort) = sort else {
            self.note_failure();
            return self.bool_sort;
        };
        // Safety: the sort was just made by this context.
        unsafe {
            if let Some(ast) = Z3_sort_to_ast(self.raw, sort) {
                Z3_inc_ref(self.raw, ast);
            }
        }
        ZSort(sort)
    }

    /// A function symbol or constant, held for as long as the context lives; `None` on failure.
    pub(super) fn declare(&mut self, name: &str, domain: &[ZSort], range: ZSort) -> Option<Decl> {
        let domain: Vec<Z3_sort> = domain.iter().map(|sort| sort.0).collect();
        // Safety: the sorts are held by this context, the length is theirs, and the new symbol
        // gets a reference before the next call.
        let decl = unsafe {
            let name = symbol(self.raw, name);
            let count = u32::try_from(domain.len()).expect("functions have few arguments");
            let decl = Z3_mk_func_decl(self.raw, name, count, domain.as_ptr(), range.0);
            if let Some(ast) = decl.and_then(|decl| Z3_func_decl_to_ast(self.raw, decl)) {
                Z3_inc_ref(self.raw, ast);
            }
            decl
        };
        if decl.is_none() {
            self.note_failure();
        }
        decl.map(Decl)
    }

    /// Which of [`KINDS`] a symbol is.
    pub(super) fn kind(&self, decl: Decl) -> Option<DeclKind> {
        // Safety: the caller holds a term with this symbol.
        let number = unsafe { decl_kind(self.raw, decl.0) };
        KINDS.into_iter().find(|kind| *kind as u32 == number)
    }

    /// The symbol and the arguments of a term; `None` if it is not an application.
    pub(super) fn parts(&self, term: Z3_ast) -> Option<(Decl, Vec<Z3_ast>)> {
        // Safety: the caller holds the term, which holds its parts.
        unsafe {
            if Z3_get_ast_kind(self.raw, term) != AstKind::App {
                return None;
            }
            let app = Z3_to_app(self.raw, term)?;
            let decl = Z3_get_app_decl(self.raw, app)?;
            let args: Option<Vec<Z3_ast>> =
                (0..Z3_get_app_num_args(self.raw, app)).map(|i| Z3_get_app_arg(self.raw, app, i)).collect();
            Some((Decl(decl), args?))
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.release_terms();
        // Safety: nothing uses the context after this; it frees what it still holds.
        unsafe {
            Z3_solver_dec_ref(self.raw, self.solver);
            Z3_del_context(self.raw);
        }
    }
}

/// The version of the linked library.
pub(crate) fn full_version() -> String {
    // Safety: the string is static.
    unsafe { text(Z3_get_full_version()) }
}

fn length(args: &[Z3_ast]) -> u32 {
    u32::try_from(args.len()).expect("a term has fewer than 2^32 arguments")
}

/// A C string; the byte 0, which C strings cannot have, is written out.
pub(super) fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\\0")).expect("the zeros have been replaced")
}

/// # Safety
/// The context must be alive.
unsafe fn symbol(raw: Z3_context, name: &str) -> Z3_symbol {
    let name = c_string(name);
    // Safety: the string lives during the call, which copies it.
    unsafe { Z3_mk_string_symbol(raw, name.as_ptr()) }.expect("Z3 makes symbols")
}

/// # Safety
/// The string must be null or end with a zero and live during the call.
pub(super) unsafe fn text(string: Z3_string) -> String {
    if string.is_null() {
        return String::new();
    }
    // Safety: the caller vouches for the string.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}
