//! The list of all passes, in the order in which they run. Every command runs it, up to the stage that it shows, so that
//! all see one program.
//!
//! Each pass keeps the executions of the program, but for what its sentence says. Behind each that has changed the program the
//! rules of C-- are checked, in every build. That a pass stands behind those that give what it [needs](Pass::needs) is a test
//! on this list.

use crate::checks::{self, Describe, Place};
use crate::indirect_calls::{self};
use crate::threads::{self, Bounds, Faults};
use crate::unit::Unit;
use crate::{
    address_comparisons, alignments, allocator_copies, argument_strings, block_members, constants,
    integer_addresses, mutex_kinds, objects_as_bytes, padding, rounding, slice, string_literals,
};
use alias::AliasOracle;
use base::Diagnostic;
use ir::visit;
use ir::{Base, CheckKind, Expr, Lvalue, Program, VarId, VarKind};
use std::collections::BTreeSet;
use std::sync::Arc;

mod notes;
mod settings;

pub use notes::{Notes, Reduction, Refused};
pub use settings::{Settings, Source};

/// How far a program has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Sequential, with all of its checks: what `slam cmm` shows and `slam run` executes.
    Checked,
    /// Own allocators have a copy for each call: what `slam points-to` shows.
    Copied,
    /// The program whose executions count: counterexamples are replayed on it.
    Whole,
    /// Without what cannot matter to a check: what is abstracted.
    Reduced,
}

/// What passes establish for those behind them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Property {
    /// No operation is one on threads.
    Sequential,
    /// Comparisons of addresses that C leaves open are choices.
    OpenComparisons,
    /// Every check is in the program.
    Checked,
    /// Calls are direct.
    DirectCalls,
    /// No call is marked for rules.
    Unmarked,
}

/// A pass from C-- to C--.
pub struct Pass {
    /// Its name.
    pub name: &'static str,
    /// Why it is there.
    pub why: &'static str,
    /// The stage that it belongs to.
    pub stage: Stage,
    /// What earlier passes must have established.
    pub needs: &'static [Property],
    /// What it establishes.
    pub gives: &'static [Property],
    run: fn(&mut Pipeline<'_>) -> Result<(), Refused>,
}

use Property::{Checked, DirectCalls, OpenComparisons, Sequential, Unmarked};

/// All passes, in order.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "rounding modes",
        why: "Programs that set the rounding mode compute with each mode by operators of one meaning.",
        stage: Stage::Checked,
        needs: &[],
        gives: &[],
        run: |p| {
            let Some(mode) = p.source.rounding_mode else { return Ok(()) };
            p.replace(|program| rounding::in_mode(program, mode));
            Ok(())
        },
    },
    Pass {
        name: "mutex kinds",
        why: "Initialisers of mutexes give them the numbers by which the models of locks know their kinds.",
        stage: Stage::Checked,
        needs: &[],
        gives: &[],
        run: |p| p.mutex_kinds(),
    },
    Pass {
        name: "threads",
        why: "The interleavings of the threads become the paths of a sequential program.",
        stage: Stage::Checked,
        needs: &[],
        gives: &[Sequential],
        run: |p| p.threads(),
    },
    Pass {
        name: "ends of blocks",
        why: "Lives of locals that end where nobody can notice need no operation.",
        stage: Stage::Checked,
        needs: &[Sequential],
        gives: &[],
        run: |p| {
            let mortal = address_comparisons::blocks::mortal(p.program());
            if !mortal.is_empty() {
                let oracle = p.unit.sound_oracle();
                p.restrict(|program| address_comparisons::blocks::keep_noticed(program, &oracle, &mortal));
            }
            Ok(())
        },
    },
    Pass {
        name: "resized blocks",
        why: "Blocks that are resized move where the program cannot tell, so that sizes of blocks do not change.",
        stage: Stage::Checked,
        needs: &[Sequential],
        gives: &[],
        run: |p| {
            let resizing = address_comparisons::moves::resizing(p.program());
            if !resizing.is_empty() {
                let oracle = p.unit.sound_oracle();
                p.restrict(|program| address_comparisons::moves::move_unnoticed(program, &oracle, &resizing));
            }
            Ok(())
        },
    },
    Pass {
        name: "address comparisons",
        why: "Comparisons of addresses that C leaves open may have either result.",
        stage: Stage::Checked,
        needs: &[Sequential],
        gives: &[OpenComparisons],
        run: |p| {
            let order = p.settings.wants(CheckKind::Order);
            if address_comparisons::has_comparisons(p.program()) {
                let oracle = p.unit.sound_oracle();
                p.replace(|program| address_comparisons::open_comparisons(&program, &oracle, order));
            }
            Ok(())
        },
    },
    Pass {
        name: "padding",
        why: "Padding of objects with static storage is zero, where the program may read it.",
        stage: Stage::Checked,
        needs: &[Sequential],
        gives: &[],
        run: |p| {
            let padded = padding::padded(p.program(), &p.source.statics);
            if !padded.is_empty() {
                let oracle = p.unit.sound_oracle();
                p.edit(|program| padding::zero_padding(program, &oracle, padded));
            }
            Ok(())
        },
    },
    Pass {
        name: "checks",
        why: "A check stands in front of each operation that may go wrong.",
        stage: Stage::Checked,
        needs: &[Sequential, OpenComparisons],
        gives: &[Checked],
        run: |p| p.checks(),
    },
    Pass {
        name: "argument strings",
        why: "Proofs know that the list of `main` holds strings up to its NULL.",
        stage: Stage::Checked,
        needs: &[Checked],
        gives: &[],
        run: |p| {
            if let Some(known) = p.arguments.take() {
                p.edit(|program| known.say(program));
            }
            Ok(())
        },
    },
    Pass {
        name: "alignments",
        why: "Proofs know the alignment of allocated objects, where the program computes with addresses.",
        stage: Stage::Checked,
        needs: &[Checked],
        gives: &[],
        run: |p| {
            p.replace(alignments::tell_alignments);
            Ok(())
        },
    },
    Pass {
        name: "allocator copies",
        why: "Calls of the program's own allocators have an allocation site each, so that objects have one type.",
        stage: Stage::Copied,
        needs: &[Sequential, Checked],
        gives: &[],
        run: |p| {
            p.notes.copies = allocator_copies::copy_allocators(&mut p.unit);
            Ok(())
        },
    },
    Pass {
        name: "integer addresses",
        why: "Addresses that are computed in integers become pointer arithmetic, which points-to sets follow exactly.",
        stage: Stage::Whole,
        needs: &[Sequential, Checked],
        gives: &[],
        run: |p| {
            integer_addresses::as_pointers(&mut p.unit);
            Ok(())
        },
    },
    Pass {
        name: "objects as bytes",
        why: "Objects that are accessed at several types become arrays of bytes.",
        stage: Stage::Whole,
        needs: &[Sequential, Checked],
        gives: &[],
        run: |p| {
            if p.settings.bytes {
                let oracle = p.unit.oracle();
                if let Some(lowered) = objects_as_bytes::objects_as_bytes(p.program(), &oracle) {
                    p.unit.set(lowered);
                }
            }
            Ok(())
        },
    },
    Pass {
        name: "block members",
        why: "Proofs know the members that small block operations write.",
        stage: Stage::Whole,
        needs: &[Sequential, Checked],
        gives: &[],
        run: |p| {
            let oracle = p.unit.oracle();
            p.unit.edit(|program| block_members::spell_out_members(program, &oracle));
            Ok(())
        },
    },
    Pass {
        name: "string literals",
        why: "Proofs know the bytes of short string literals.",
        stage: Stage::Whole,
        needs: &[Sequential, Checked],
        gives: &[],
        run: |p| {
            let oracle = p.unit.oracle();
            p.restrict(|program| string_literals::spell_out_literals(program, &oracle));
            Ok(())
        },
    },
    Pass {
        name: "indirect calls",
        why: "Calls through pointers become branches over direct calls.",
        stage: Stage::Whole,
        needs: &[Sequential, Checked],
        gives: &[DirectCalls],
        run: |p| p.indirect_calls(),
    },
    Pass {
        name: "rules",
        why: "The states of rules run along with the program, and each violation is a check.",
        stage: Stage::Whole,
        needs: &[Sequential, Checked, DirectCalls],
        gives: &[Unmarked],
        run: |p| {
            let Some(product) = p.rules.take() else { return Ok(()) };
            let program = product(p.program().clone()).map_err(Refused::Rules)?;
            p.unit.set(program);
            Ok(())
        },
    },
    Pass {
        name: "slice",
        why: "What cannot matter to any check goes.",
        stage: Stage::Reduced,
        needs: &[Sequential, Checked, DirectCalls, Unmarked],
        gives: &[],
        run: |p| p.slice(),
    },
    Pass {
        name: "constants and copies",
        why: "Reads of variables that hold a constant or a copy become that.",
        stage: Stage::Reduced,
        needs: &[Sequential, Checked, DirectCalls, Unmarked],
        gives: &[],
        run: |p| p.constants(),
    },
    Pass {
        name: "second slice",
        why: "Variables that nothing reads any more go.",
        stage: Stage::Reduced,
        needs: &[Sequential, Checked, DirectCalls, Unmarked],
        gives: &[],
        run: |p| match p.notes.reduction.constants + p.notes.reduction.copies {
            0 => Ok(()),
            _ => p.slice(),
        },
    },
];

/// The program with rules, made from the program without.
pub type Product<'a> = Box<dyn FnOnce(Program) -> Result<Program, Vec<Diagnostic>> + 'a>;

/// A program on its way through [`PASSES`].
pub struct Pipeline<'a> {
    unit: Unit,
    /// What is asked of the passes.
    pub settings: Settings,
    /// What the front end knows of the source.
    pub source: Source<'a>,
    /// Adds the rules, if there are any.
    pub rules: Option<Product<'a>>,
    /// Variables of which no read is replaced, since predicates name them.
    pub named: BTreeSet<VarId>,
    /// What was found out so far.
    pub notes: Notes,
    arguments: Option<argument_strings::Known>,
    /// How many passes have run.
    done: usize,
    /// The version of the program that was last found to keep the rules of C--.
    well_formed: Option<usize>,
}

impl<'a> Pipeline<'a> {
    /// A program of the front end, before the first pass.
    pub fn new(program: Program, settings: Settings, source: Source<'a>) -> Pipeline<'a> {
        Pipeline::from(program, settings, source, 0)
    }

    /// A program that has reached this stage.
    pub fn at(stage: Stage, program: Program, settings: Settings) -> Pipeline<'a> {
        let done = PASSES.iter().take_while(|pass| pass.stage <= stage).count();
        Pipeline::from(program, settings, Source::default(), done)
    }

    fn from(program: Program, settings: Settings, source: Source<'a>, done: usize) -> Pipeline<'a> {
        let unit = Unit::new(program, settings.alias);
        let (notes, named) = (Notes::default(), BTreeSet::new());
        Pipeline {
            unit,
            settings,
            source,
            rules: None,
            named,
            notes,
            arguments: None,
            done,
            well_formed: None,
        }
    }

    /// Runs the passes up to a stage.
    ///
    /// # Errors
    /// The first pass that cannot do its work.
    pub fn run(&mut self, to: Stage) -> Result<(), Refused> {
        while let Some(pass) = PASSES.get(self.done).filter(|pass| pass.stage <= to) {
            (pass.run)(self)?;
            self.done += 1;
            let version = Some(self.unit.version());
            if self.well_formed != version {
                well_formed(self.program(), pass.name);
                self.well_formed = version;
            }
        }
        Ok(())
    }

    /// The program as it is now.
    pub fn program(&self) -> &Program {
        self.unit.program()
    }

    /// Its oracle.
    pub fn oracle(&mut self) -> Arc<AliasOracle> {
        self.unit.oracle()
    }

    /// How many times points-to sets were computed so far.
    pub fn computed(&self) -> usize {
        self.unit.computed()
    }

    /// The program, its oracle, and what was found out.
    pub fn finish(self) -> (Program, Arc<AliasOracle>, Notes) {
        let (program, oracle) = self.unit.finish();
        (program, oracle, self.notes)
    }

    /// The program alone, and what was found out.
    pub fn into_program(self) -> (Program, Notes) {
        (self.unit.into_program(), self.notes)
    }

    /// [`Pipeline::replace`], by a change in place.
    fn edit(&mut self, edit: impl FnOnce(&mut Program)) {
        self.replace(|mut program| {
            edit(&mut program);
            program
        });
    }

    /// Takes operations away or adds assumptions, nothing else: the points-to sets that were computed stay sound.
    fn restrict(&mut self, edit: impl FnOnce(&mut Program)) {
        let mut program = self.unit.program().clone();
        edit(&mut program);
        self.unit.restrict(program);
    }

    /// Makes another program, of which the points-to sets are not known.
    fn replace(&mut self, change: impl FnOnce(Program) -> Program) {
        let changed = change(self.unit.program().clone());
        self.unit.set(changed);
    }

    fn mutex_kinds(&mut self) -> Result<(), Refused> {
        if self.source.mutex_kinds || threads::has_threads(self.program()) {
            let mut program = self.program().clone();
            mutex_kinds::set_kinds(&mut program, self.source.mutex_kinds).map_err(|span| {
                Refused::Unsupported(span, "this initialiser of a mutex is not supported".into())
            })?;
            self.unit.set(program);
        }
        Ok(())
    }

    fn threads(&mut self) -> Result<(), Refused> {
        if threads::has_threads(self.program()) {
            let entry = self.program().procs[self.program().entry].span;
            let settings = &self.settings;
            if settings.marked {
                let message = "rules are not supported in programs with threads".into();
                return Err(Refused::Unsupported(entry, message));
            }
            if let Some(kind) = settings.checks.iter().find(|kind| !threads::CHECKS.contains(kind)) {
                let message = format!("--check {} is not supported in programs with threads", kind.name());
                return Err(Refused::Unsupported(entry, message));
            }
            let any = settings.any_threads && settings.only_reach();
            let bounds = Bounds { threads: settings.threads, any, ..Bounds::default() };
            let [race, deadlock] = [CheckKind::Race, CheckKind::Deadlock].map(|kind| settings.wants(kind));
            let faults = Faults { race, deadlock };
            let product =
                threads::interleaved(self.program(), &self.source.per_thread, bounds, faults, settings.alias)
                    .map_err(|refused| Refused::Unsupported(refused.span, refused.message))?;
            self.notes.had_threads = true;
            self.notes.more_threads = product.more && self.settings.only_reach();
            self.unit.set(product.program);
        }
        self.notes.own_variables = self.program().vars.len();
        Ok(())
    }

    fn checks(&mut self) -> Result<(), Refused> {
        let bounds = self.settings.wants(CheckKind::Bounds);
        self.arguments = argument_strings::Known::of(self.program(), bounds);
        if self.settings.only_reach() {
            checks::with_sizes(&mut self.unit);
            return Ok(());
        }
        if !self.settings.wants(CheckKind::Reach) {
            let reach = self.program().checks.iter().filter(|c| c.kind == CheckKind::Reach);
            self.notes.not_checked = reach.cloned().collect();
        }
        let (describe, place): (&Describe<'_>, &Place<'_>) =
            (self.source.describe.unwrap_or(&|_, _| None), self.source.place.unwrap_or(&|_, _| None));
        let wanted = checks::Wanted {
            kinds: &self.settings.checks,
            leaks_at: self.settings.leaks_at,
            covered: &self.source.covered,
            strings: &self.source.strings,
            describe,
            place,
        };
        checks::instrument(&mut self.unit, &wanted);
        Ok(())
    }

    fn indirect_calls(&mut self) -> Result<(), Refused> {
        let oracle = self.unit.sound_oracle();
        let resolved = indirect_calls::resolve_with(self.program(), &oracle, self.settings.unknown_callees)
            .map_err(Refused::Callee)?;
        self.notes.unknown_callees = resolved.unknown;
        self.unit.set(resolved.program);
        Ok(())
    }

    fn slice(&mut self) -> Result<(), Refused> {
        if self.settings.slice {
            let oracle = self.unit.oracle();
            let slice = slice::slice(self.program(), &oracle);
            let reduction = &mut self.notes.reduction;
            reduction.procedures = slice.unreachable.len();
            reduction.statements += slice.skipped;
            self.unit.restrict(slice.program);
        }
        Ok(())
    }

    fn constants(&mut self) -> Result<(), Refused> {
        if self.settings.propagate {
            let oracle = self.unit.sound_oracle();
            let propagated = constants::propagate(self.program(), &oracle, &self.named);
            let reduction = &mut self.notes.reduction;
            (reduction.constants, reduction.copies) = (propagated.constants, propagated.copies);
            self.unit.set(propagated.program);
        }
        Ok(())
    }
}

/// The globals that some operation mentions.
fn globals_used(program: &Program) -> BTreeSet<VarId> {
    let mut used = BTreeSet::new();
    let mut add = |lv: &Lvalue| {
        if let Base::Var(v) = lv.base
            && program.vars[v].kind == VarKind::Global
        {
            used.insert(v);
        }
    };
    for edge in program.procs.iter().flat_map(|p| p.edges.iter()) {
        edge.op.destination().into_iter().for_each(&mut add);
        visit::nodes(&edge.op, &mut |node| {
            if let Expr::Load(lv) | Expr::AddrOf(lv) = node {
                add(lv);
            }
        });
    }
    used
}

/// Panics unless the program keeps the rules of C--.
fn well_formed(program: &Program, pass: &str) {
    let violations = ir::check::check(program);
    assert!(
        violations.is_empty(),
        "behind the pass `{pass}`, the rules of C-- are broken: {}",
        violations.join("; ")
    );
}
