//! A program on its way through the passes, with the alias oracle of its current version.

use alias::{AliasMode, AliasOracle};
use ir::Program;
use std::sync::Arc;

/// A program and, once somebody has asked for it, its alias oracle. A change of the program drops the oracle, so that
/// points-to sets are computed once for each version of the program, in the mode that was asked for.
pub struct Unit {
    program: Program,
    mode: AliasMode,
    oracle: Option<Arc<AliasOracle>>,
    /// The oracle is that of an earlier version, whose points-to sets contain those of this one.
    is_wider: bool,
    /// How many times the program has changed.
    version: usize,
    /// How many times points-to sets were computed.
    computed: usize,
}

impl Unit {
    /// A program about which nothing is known yet.
    pub fn new(program: Program, mode: AliasMode) -> Unit {
        Unit { program, mode, oracle: None, is_wider: false, version: 0, computed: 0 }
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// How many times the program has changed so far.
    pub fn version(&self) -> usize {
        self.version
    }

    /// How many times points-to sets were computed so far.
    pub fn computed(&self) -> usize {
        self.computed
    }

    /// The oracle of the program.
    pub fn oracle(&mut self) -> Arc<AliasOracle> {
        if self.is_wider {
            (self.oracle, self.is_wider) = (None, false);
        }
        self.sound_oracle()
    }

    /// The oracle of the program, or of an earlier version whose points-to sets contain those of this one.
    pub fn sound_oracle(&mut self) -> Arc<AliasOracle> {
        if let Some(oracle) = &self.oracle {
            return oracle.clone();
        }
        self.computed += 1;
        let oracle = Arc::new(AliasOracle::new(&self.program, self.mode));
        self.oracle = Some(oracle.clone());
        oracle
    }

    /// Changes the program; the edit says whether it has.
    pub fn edit(&mut self, edit: impl FnOnce(&mut Program) -> bool) {
        if edit(&mut self.program) {
            self.changed();
        }
    }

    /// Another program takes the place of this one.
    pub fn set(&mut self, program: Program) {
        if program != self.program {
            self.program = program;
            self.changed();
        }
    }

    fn changed(&mut self) {
        (self.oracle, self.is_wider) = (None, false);
        self.version += 1;
    }

    /// Another program takes the place of this one, which points nowhere where this one does not: operations were taken
    /// away, or assumptions added.
    pub fn restrict(&mut self, program: Program) {
        if program != self.program {
            self.program = program;
            self.is_wider |= self.oracle.is_some();
            self.version += 1;
        }
    }

    /// The program alone.
    pub fn into_program(self) -> Program {
        self.program
    }

    /// The program with its oracle.
    pub fn finish(mut self) -> (Program, Arc<AliasOracle>) {
        let oracle = self.oracle();
        (self.program, oracle)
    }
}
