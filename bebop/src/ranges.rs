//! Live ranges and what procedures modify, for other engines that work on the same graphs [BR-SPIN00 §3.3].

use crate::facts::Facts;
use crate::live::Live;
use bp::{Cfg, ProcId, VarId, VertexId};

/// Where the values of variables can still matter.
pub struct Ranges {
    facts: Facts,
    live: Live,
}

impl Ranges {
    /// The ranges of a program's variables. A global that a procedure does not change counts as kept by its caller: it
    /// is live inside no longer than it is read there, and not at the exit. What is `observed` is live everywhere,
    /// and so is what it is computed from where that is done.
    pub fn new(cfg: &Cfg, observed: impl Fn(VarId) -> bool) -> Ranges {
        let mut facts = Facts::new(cfg, true);
        for proc in cfg.procs.ids() {
            // These are taken as live throughout.
            facts.procs[proc].kept = cfg.scope(proc).filter(|v| observed(*v)).collect();
        }
        let live = Live::new(cfg, &facts, true);
        Ranges { facts, live }
    }

    /// Whether the value that the variable, which is in scope, has at the vertex can matter later.
    pub fn is_live(&self, cfg: &Cfg, vertex: VertexId, var: VarId) -> bool {
        self.live.contains(cfg, &self.facts, vertex, var)
    }

    /// Whether the procedure, or one that it calls, may change the global.
    pub fn modifies(&self, proc: ProcId, global: VarId) -> bool {
        self.facts.modifies(proc, global)
    }
}
