//! From boolean programs to relations: the templates of \[LMP09 §4\], over program counters and the values of variables.
//!
//! A state is a program counter, the values of a procedure's variables (`Local`: procedures share the bits), those of a
//! thread's own globals (`Own`) and those of the shared globals (`Global`). Bits that no variable of the procedure has
//! may have any value. Every procedure begins at a program counter of its own, before its first statement: there only
//! globals and formals matter, and the step from it gives the locals any values. At the exit only globals and the
//! returned values matter.

mod flow;
mod layout;
mod plan;
mod relations;
mod world;

pub use bp::System;
pub use layout::{Place, Slot};
pub use world::World;

use crate::prelude::{Class, Input, Model, Part, Prelude, Range, Structure};
use bdd::Engine;
use bp::{VarId, VertexId};
use layout::Layout;
use plan::Plan;

/// The classes of a model, in the order of its prelude.
pub(crate) const PC: usize = 0;
pub(crate) const LOCAL: usize = 1;
pub(crate) const OWN: usize = 2;
pub(crate) const GLOBAL: usize = 3;

/// What is asked, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The vertices asked for, each with the number of its code.
    pub goals: Vec<(usize, VertexId)>,
    /// Whether the goal is moved to the procedure that starts, which is where the simple algorithm looks for it.
    pub moved: bool,
    /// The bound on context switches, for concurrent programs.
    pub switches: u32,
}

impl Question {
    /// The same about other vertices of the first code.
    pub fn about(&self, goals: &[VertexId]) -> Question {
        Question { goals: goals.iter().map(|goal| (0, *goal)).collect(), ..*self }
    }
}

/// The relations of a system.
pub struct Translation<'s> {
    pub(crate) system: &'s System,
    pub(crate) question: Question,
    pub(crate) layout: Layout,
    plan: Plan,
}

impl<'s> Translation<'s> {
    /// Translates a system as it is: a program counter for each vertex, and the values of all variables in scope.
    pub fn new(system: &'s System, question: Question) -> Translation<'s> {
        let plan = Plan::whole(system);
        Translation::by_plan(system, question, plan)
    }

    /// Translates what matters for reaching the goals: runs between program counters at which nothing has to stop are
    /// one step, and variables whose values do not matter any more may have any value.
    pub fn compact(system: &'s System, question: Question) -> Translation<'s> {
        let plan = Plan::compact(system, &question, false);
        Translation::by_plan(system, question, plan)
    }

    /// The same for a [`World`], in which a call does not keep the caller's globals: they matter everywhere.
    pub fn compact_for_world(system: &'s System, question: Question) -> Translation<'s> {
        let plan = Plan::compact(system, &question, true);
        Translation::by_plan(system, question, plan)
    }

    fn by_plan(system: &'s System, question: Question, plan: Plan) -> Translation<'s> {
        let layout = Layout::new(system, &question, &plan);
        Translation { system, question, layout, plan }
    }

    /// Where the value of a variable stands.
    pub fn slot(&self, code: usize, var: VarId) -> Slot {
        self.layout.slot(code, var)
    }

    /// The shared globals with their values in a `Global` of these bits.
    pub fn shared(&self, bits: &[bool]) -> Vec<(bp::Name, bool)> {
        let cfg = &self.system.codes[0].cfg;
        let value = |v: &VarId| (cfg.vars[*v].name.clone(), bits[self.layout.slot(0, *v).bit]);
        cfg.globals[..self.system.shared].iter().map(value).collect()
    }

    /// A `Global` in which the shared variables have these values, bit by bit, and these threads were started, each with the
    /// values that it got; no other thread.
    pub(crate) fn global(&self, values: &[bool], started: &[(usize, Vec<bool>)]) -> Vec<bool> {
        let mut out = vec![false; self.layout.bits[GLOBAL - 1]];
        for (i, var) in self.system.codes[0].cfg.globals[..self.system.shared].iter().enumerate() {
            out[self.layout.slot(0, *var).bit] = values[i];
        }
        for (thread, values) in started {
            let slots = self.layout.starts[*thread].as_ref().expect("the thread can be started");
            out[slots.started.bit] = true;
            for (i, (_, slot)) in slots.values.iter().enumerate() {
                out[slot.bit] = values[i];
            }
        }
        out
    }

    /// The program counter of a vertex; 0 for one that a compact translation leaves out.
    pub fn pc(&self, code: usize, vertex: VertexId) -> u32 {
        self.layout.vertex(code, vertex)
    }

    /// What a program counter stands for.
    pub fn place(&self, pc: u32) -> Option<Place> {
        self.layout.place(pc)
    }
}

const SEQUENTIAL: [(&str, &[&str]); 14] = [
    ("ProgramInt", &["State", "State"]),
    ("IntoCall", &["State", "State"]),
    ("IntoCall1", &["State", "PC", "Local", "Global"]),
    ("Entry", &["PC"]),
    ("Exit", &["PC"]),
    ("Across", &["PC", "PC"]),
    ("Return", &["State", "State", "State"]),
    ("ReturnA", &["State", "PC", "State"]),
    ("ReturnB", &["State", "State", "PC", "State"]),
    ("Target", &["PC"]),
    ("Init", &["PC"]),
    ("Begin", &["Thread", "PC"]),
    ("Started", &["Thread", "State"]),
    ("Atomic", &["State"]),
];

impl Model for Translation<'_> {
    fn prelude(&self) -> Prelude {
        let layout = &self.layout;
        let class = |name, bits| Class { name, bits };
        let mut prelude = Prelude {
            classes: vec![
                class("PC", layout.pc_bits),
                class("Local", layout.bits[0]),
                class("Own", layout.bits[1]),
                class("Global", layout.bits[2]),
            ],
            structures: vec![Structure {
                name: "State",
                fields: vec![("pc", "PC"), ("Local", "Local"), ("Own", "Own"), ("Global", "Global")],
            }],
            order: layout.order.clone(),
            flow: (!self.system.concurrent).then(|| flow::flow(self)),
            ..Prelude::default()
        };
        if self.system.concurrent {
            prelude.constants.push(("K", self.question.switches));
            let threads = self.system.threads.len() as u32;
            prelude.ranges.push(Range { name: "Thread", low: 1, high: threads.max(1) });
            prelude.ranges.push(Range { name: "Context", low: 0, high: self.question.switches });
        }
        for (name, params) in SEQUENTIAL {
            let concurrent = matches!(name, "Begin" | "Started" | "Atomic");
            let params = match name {
                "Init" if self.system.concurrent => vec!["Thread", "PC"],
                _ => params.to_vec(),
            };
            if self.system.concurrent || !concurrent {
                prelude.inputs.push(Input { name, params });
            }
        }
        prelude
    }

    fn relation<E: Engine>(&self, engine: &mut E, relation: usize, parts: &[Part]) -> E::Bdd {
        relations::build(self, engine, SEQUENTIAL[relation].0, parts)
    }
}
