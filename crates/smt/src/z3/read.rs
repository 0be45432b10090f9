//! Reads Z3's models into plain data.
//!
//! Array values are chains of `store` on a constant array, or name a function table. Anything else
//! (Z3 has lambda terms too) is read as "has a value that cannot be written down".
#![allow(unsafe_code, reason = "foreign functions; the head of context.rs says why the calls are sound")]

use std::collections::BTreeMap;

use z3_sys::{
    Z3_L_FALSE, Z3_L_TRUE, Z3_ast, Z3_context, Z3_func_decl, Z3_func_entry_dec_ref, Z3_func_entry_get_arg,
    Z3_func_entry_get_num_args, Z3_func_entry_get_value, Z3_func_entry_inc_ref, Z3_func_interp,
    Z3_func_interp_dec_ref, Z3_func_interp_get_else, Z3_func_interp_get_entry,
    Z3_func_interp_get_num_entries, Z3_func_interp_inc_ref, Z3_get_as_array_func_decl, Z3_get_bool_value,
    Z3_get_decl_name, Z3_get_numeral_int64, Z3_get_numeral_string, Z3_get_numeral_uint64,
    Z3_get_symbol_string, Z3_is_as_array, Z3_is_numeral_ast, Z3_model, Z3_model_dec_ref,
    Z3_model_get_const_decl, Z3_model_get_const_interp, Z3_model_get_func_decl, Z3_model_get_func_interp,
    Z3_model_get_num_consts, Z3_model_get_num_funcs, Z3_model_inc_ref, Z3_solver_get_model,
};

use super::context::{Context, Decl, text};
use crate::model::FunctionValue;
use crate::sort::{ArraySort, Sort};
use crate::value::{ArrayValue, Value};

/// The model of a solver's last check; holds a reference to it.
pub(super) struct ZModel<'a> {
    context: &'a mut Context,
    model: Z3_model,
}

impl Drop for ZModel<'_> {
    fn drop(&mut self) {
        // Safety: the reference was taken in `ZModel::of`, or by the caller of `ZModel::held`.
        unsafe { Z3_model_dec_ref(self.context.raw, self.model) };
    }
}

impl<'a> ZModel<'a> {
    /// The model of the last check, which must have answered "sat"; `None` on failure.
    pub(super) fn of(context: &'a mut Context) -> Option<ZModel<'a>> {
        // Safety: the solver belongs to the context; the model gets a reference at once.
        let model = unsafe {
            let model = Z3_solver_get_model(context.raw, context.solver)?;
            Z3_model_inc_ref(context.raw, model);
            model
        };
        Some(ZModel { context, model })
    }

    /// A model with a reference, which is this one's from now on.
    pub(super) fn held(context: &'a mut Context, model: Z3_model) -> ZModel<'a> {
        ZModel { context, model }
    }

    /// The constants that have a value.
    pub(super) fn constants(&self) -> Vec<Decl> {
        self.symbols(Z3_model_get_num_consts, Z3_model_get_const_decl)
    }

    /// The functions that have a table.
    pub(super) fn functions(&self) -> Vec<Decl> {
        self.symbols(Z3_model_get_num_funcs, Z3_model_get_func_decl)
    }

    fn symbols(
        &self,
        count: unsafe extern "C" fn(Z3_context, Z3_model) -> u32,
        get: unsafe extern "C" fn(Z3_context, Z3_model, u32) -> Option<Z3_func_decl>,
    ) -> Vec<Decl> {
        let raw = self.context.raw;
        // Safety: the model is alive; the symbols are alive as long as it is.
        unsafe { (0..count(raw, self.model)).filter_map(|i| get(raw, self.model, i)).map(Decl).collect() }
    }

    /// The value of a constant of the given sort.
    pub(super) fn constant(&mut self, decl: Decl, sort: &Sort) -> Option<Value> {
        // Safety: the model and the symbol are alive, and the model holds the value.
        let value = unsafe { Z3_model_get_const_interp(self.context.raw, self.model, decl.0) }?;
        self.value(value, sort)
    }

    /// The table of a function.
    pub(super) fn function(&mut self, decl: Decl, domain: &[Sort], range: &Sort) -> Option<FunctionValue> {
        self.table(decl.0, domain, range)
    }

    fn table(&mut self, decl: Z3_func_decl, domain: &[Sort], range: &Sort) -> Option<FunctionValue> {
        let raw = self.context.raw;
        // Safety: the model and the symbol are alive; the table gets a reference while it is read.
        unsafe {
            let table = Z3_model_get_func_interp(raw, self.model, decl)?;
            Z3_func_interp_inc_ref(raw, table);
            let result = self.read_table(table, domain, range);
            Z3_func_interp_dec_ref(raw, table);
            result
        }
    }

    /// # Safety
    /// The table must be alive during the call.
    unsafe fn read_table(
        &mut self,
        table: Z3_func_interp,
        domain: &[Sort],
        range: &Sort,
    ) -> Option<FunctionValue> {
        let raw = self.context.raw;
        let mut entries = BTreeMap::new();
        // Safety: the table holds its entries and default; entries get a reference while read.
        unsafe {
            for i in 0..Z3_func_interp_get_num_entries(raw, table) {
                let entry = Z3_func_interp_get_entry(raw, table, i)?;
                Z3_func_entry_inc_ref(raw, entry);
                let count = Z3_func_entry_get_num_args(raw, entry);
                let args: Option<Vec<Value>> = (0..count)
                    .zip(domain)
                    .map(|(k, sort)| self.value(Z3_func_entry_get_arg(raw, entry, k)?, sort))
                    .collect();
                let result = Z3_func_entry_get_value(raw, entry).and_then(|value| self.value(value, range));
                Z3_func_entry_dec_ref(raw, entry);
                entries.insert(args?, result?);
            }
            let default = Z3_func_interp_get_else(raw, table)?;
            let default = self.value(default, range)?;
            Some(FunctionValue { entries, default })
        }
    }

    fn value(&mut self, ast: Z3_ast, sort: &Sort) -> Option<Value> {
        match sort {
            Sort::Bool => self.truth(ast).map(Value::Bool),
            Sort::Int => self.integer(ast).map(Value::Int),
            Sort::BitVec(width) => Some(Value::BitVec { width: *width, value: self.bits(ast)? }),
            Sort::Array(array) => self.array(ast, sort, array).map(Value::Array),
        }
    }

    fn truth(&mut self, ast: Z3_ast) -> Option<bool> {
        // Safety: the model holds the term.
        match unsafe { Z3_get_bool_value(self.context.raw, ast) } {
            Z3_L_TRUE => Some(true),
            Z3_L_FALSE => Some(false),
            _ => None,
        }
    }

    fn integer(&mut self, ast: Z3_ast) -> Option<i128> {
        let mut small = 0i64;
        // Safety: the model holds the term; the number is written to a live variable.
        if unsafe { Z3_get_numeral_int64(self.context.raw, ast, &raw mut small) } {
            return Some(small.into());
        }
        self.digits(ast)?.parse().ok()
    }

    fn bits(&mut self, ast: Z3_ast) -> Option<u128> {
        let mut small = 0u64;
        // Safety: as for integers.
        if unsafe { Z3_get_numeral_uint64(self.context.raw, ast, &raw mut small) } {
            return Some(small.into());
        }
        self.digits(ast)?.parse().ok()
    }

    fn digits(&mut self, ast: Z3_ast) -> Option<String> {
        // Safety: the model holds the term; the text is copied before the next call.
        unsafe {
            Z3_is_numeral_ast(self.context.raw, ast)
                .then(|| text(Z3_get_numeral_string(self.context.raw, ast)))
        }
    }

    fn array(&mut self, mut ast: Z3_ast, whole: &Sort, sort: &ArraySort) -> Option<ArrayValue> {
        let mut entries = BTreeMap::new();
        let default = loop {
            // Safety: the model holds the term.
            if unsafe { Z3_is_as_array(self.context.raw, ast) } {
                let decl = unsafe { Z3_get_as_array_func_decl(self.context.raw, ast) }?;
                let table = self.table(decl, std::slice::from_ref(&sort.index), &sort.element)?;
                for (mut args, element) in table.entries {
                    entries.entry(args.pop()?).or_insert(element);
                }
                break table.default;
            }
            let (name, args) = self.application(ast)?;
            match (name.as_str(), args.as_slice()) {
                ("store", [rest, index, element]) => {
                    let index = self.value(*index, &sort.index)?;
                    let element = self.value(*element, &sort.element)?;
                    // The outermost write to an index is the one that counts.
                    entries.entry(index).or_insert(element);
                    ast = *rest;
                }
                ("const", [element]) => break self.value(*element, &sort.element)?,
                _ => return None,
            }
        };
        entries.retain(|_, element| *element != default);
        Some(ArrayValue { sort: whole.clone(), entries, default: Box::new(default) })
    }

    /// The symbol's name and the arguments of a term; `None` if it is not an application.
    fn application(&mut self, ast: Z3_ast) -> Option<(String, Vec<Z3_ast>)> {
        let (decl, args) = self.context.parts(ast)?;
        // Safety: the model holds the symbol; the name is copied.
        let name = unsafe {
            let name = Z3_get_decl_name(self.context.raw, decl.0)?;
            text(Z3_get_symbol_string(self.context.raw, name))
        };
        Some((name, args))
    }
}
