//! The solver of a context: assertions in frames, questions, cores.

use super::{Ast, Context, Status, length, text};
use crate::interrupt::Interrupt;
use crate::prover::{INTERRUPTED, RESOURCE_LIMIT};
use z3_sys::{
    Z3_L_FALSE, Z3_L_TRUE, Z3_ast, Z3_ast_vector_dec_ref, Z3_ast_vector_get, Z3_ast_vector_inc_ref,
    Z3_ast_vector_size, Z3_solver_assert, Z3_solver_check_assumptions, Z3_solver_get_reason_unknown,
    Z3_solver_get_statistics, Z3_solver_get_unsat_core, Z3_solver_pop, Z3_solver_push, Z3_stats_dec_ref,
    Z3_stats_get_key, Z3_stats_get_uint_value, Z3_stats_inc_ref, Z3_stats_is_uint, Z3_stats_size,
};

impl Context {
    pub(in crate::z3) fn push(&mut self) {
        // Safety: the solver belongs to this context.
        unsafe { Z3_solver_push(self.raw, self.solver) };
        self.check_error();
    }

    pub(in crate::z3) fn pop(&mut self) {
        // Safety: the solver belongs to this context; the caller has pushed.
        unsafe { Z3_solver_pop(self.raw, self.solver, 1) };
        self.check_error();
    }

    pub(in crate::z3) fn assert(&mut self, fact: Ast) {
        // Safety: the solver and the term belong to this context.
        unsafe { Z3_solver_assert(self.raw, self.solver, fact.0) };
        self.check_error();
    }

    pub(in crate::z3) fn check(&mut self, assumptions: &[Ast]) -> Status {
        let assumptions: Vec<Z3_ast> = assumptions.iter().map(|term| term.0).collect();
        // Safety: the solver and the terms belong to this context; the length is theirs.
        let answer = unsafe {
            Z3_solver_check_assumptions(self.raw, self.solver, length(&assumptions), assumptions.as_ptr())
        };
        match answer {
            Z3_L_TRUE => Status::Sat,
            Z3_L_FALSE => Status::Unsat,
            _ => Status::Unknown,
        }
    }

    /// What the solver has spent so far, in Z3's resource units.
    pub(in crate::z3) fn spent(&self) -> u64 {
        // Safety: the statistics get a reference while they are read; the indices are below their size, and a value is read
        // as what Z3 says it is.
        unsafe {
            let Some(statistics) = Z3_solver_get_statistics(self.raw, self.solver) else { return 0 };
            Z3_stats_inc_ref(self.raw, statistics);
            let is_count = |i: &u32| {
                Z3_stats_is_uint(self.raw, statistics, *i)
                    && text(Z3_stats_get_key(self.raw, statistics, *i)) == "rlimit count"
            };
            let count = (0..Z3_stats_size(self.raw, statistics)).find(is_count);
            let spent = count.map_or(0, |i| Z3_stats_get_uint_value(self.raw, statistics, i));
            Z3_stats_dec_ref(self.raw, statistics);
            u64::from(spent)
        }
    }

    /// Why the last check found nothing.
    pub(in crate::z3) fn why_unknown(&mut self, interrupt: &Interrupt) -> String {
        // Safety: the solver belongs to this context; the message is copied before the next call.
        let reason = unsafe { text(Z3_solver_get_reason_unknown(self.raw, self.solver)) };
        if interrupt.is_set() {
            INTERRUPTED.to_owned()
        } else if ["resource", "canceled"].iter().any(|word| reason.contains(word)) {
            // Without an interruption only the resource limit cancels a check.
            RESOURCE_LIMIT.to_owned()
        } else {
            reason
        }
    }

    /// The assumptions in the core of the last check. The terms are those given to it, so they
    /// are held already.
    pub(in crate::z3) fn core(&mut self) -> Vec<Ast> {
        // Safety: the vector gets a reference while it is read.
        unsafe {
            let Some(vector) = Z3_solver_get_unsat_core(self.raw, self.solver) else {
                self.note_failure();
                return Vec::new();
            };
            Z3_ast_vector_inc_ref(self.raw, vector);
            let size = Z3_ast_vector_size(self.raw, vector);
            let core = (0..size).filter_map(|i| Z3_ast_vector_get(self.raw, vector, i).map(Ast)).collect();
            Z3_ast_vector_dec_ref(self.raw, vector);
            core
        }
    }
}
