//! Paths into locations: `.field`, `[i]`, and the names for members of unnamed records.

use super::super::members::find_member;
use super::{CONDITIONAL, Printer};
use crate::expr::{Access, Expr};
use crate::types::RecordId;
use std::fmt::Write;

impl Printer<'_> {
    pub(super) fn path(&mut self, mut path: &[Access]) {
        while let Some((access, rest)) = path.split_first() {
            path = rest;
            match access {
                Access::Field(record, n) => {
                    self.out.push('.');
                    let skipped = self.field(*record, *n, rest);
                    path = &rest[skipped..];
                }
                Access::Index(i) => self.index(i),
            }
        }
    }

    pub(super) fn index(&mut self, i: &Expr) {
        self.out.push('[');
        self.expr(i, CONDITIONAL);
        self.out.push(']');
    }

    /// Appends the member's name. Unnamed members are left out, as in C, when the name of the member inside
    /// leads through them; returns how many steps of `rest` the name covers. Otherwise `$n`.
    pub(super) fn field(&mut self, record: RecordId, n: u32, rest: &[Access]) -> usize {
        let program = self.program;
        let mut steps = vec![(record, n)];
        while let Some((r, i)) = steps.last().copied() {
            let Some(field) = program.records[r].fields.get(i as usize) else { break };
            if !field.name.is_empty() {
                if find_member(program, record, &field.name).as_deref() == Some(&steps) {
                    self.out.push_str(&field.name);
                    return steps.len() - 1;
                }
                break;
            }
            match rest.get(steps.len() - 1) {
                Some(Access::Field(r, i)) => steps.push((*r, *i)),
                _ => break,
            }
        }
        _ = write!(self.out, "${n}");
        0
    }
}
