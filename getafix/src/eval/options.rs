//! Options of an evaluation, and its statistics.

use bp::Loc;
use std::fmt;

/// How to evaluate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// At most this many rounds of one computation of one relation.
    pub max_rounds: u64,
    /// Whether to end as soon as the query holds of an intermediate value, where that is allowed.
    pub early: bool,
    /// Whether to keep what each round added to the relation that the query mentions.
    pub rings: bool,
    /// Nodes made in the first turn of each of two ways to find a value, where they alternate.
    pub first_turn: u64,
    /// At most this many nodes are made.
    pub most_nodes: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_rounds: 1_000_000,
            early: true,
            rings: false,
            first_turn: 20_000_000,
            most_nodes: u64::MAX,
        }
    }
}

/// Why there is no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The engine was stopped.
    Interrupted,
    /// The engine has no room for more nodes.
    Exhausted,
    /// The values of this relation's equation come back without staying the same.
    Cycles {
        /// The relation.
        relation: String,
        /// Where it is declared.
        loc: Loc,
        /// The round in which an earlier value came back.
        round: u64,
    },
    /// The limit of nodes.
    Nodes,
    /// The limit of rounds.
    Rounds {
        /// The relation.
        relation: String,
        /// Where it is declared.
        loc: Loc,
        /// The limit.
        limit: u64,
    },
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Interrupted => f.write_str("interrupted"),
            Stop::Exhausted => f.write_str("no room for more nodes of decision diagrams"),
            Stop::Nodes => f.write_str("more nodes of decision diagrams than wanted"),
            Stop::Cycles { relation, round, .. } => {
                write!(f, "`{relation}` never stays the same: in round {round} an earlier value came back")
            }
            Stop::Rounds { relation, limit, .. } => {
                write!(f, "`{relation}` does not stay the same within {limit} rounds")
            }
        }
    }
}

/// Figures about an evaluation.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Stats {
    /// Rounds of all relations, one inside another counted by itself.
    pub rounds: u64,
    /// Rounds of the relation that the query mentions.
    pub top_rounds: u64,
    /// Nodes of its value.
    pub nodes: usize,
    /// Tuples in its value.
    pub tuples: f64,
    /// Diagram variables.
    pub variables: usize,
    /// Nodes of all results together.
    pub nodes_made: u64,
}

impl Stats {
    /// The figures of two evaluations one after the other.
    pub fn and(self, other: &Stats) -> Stats {
        Stats {
            rounds: self.rounds + other.rounds,
            top_rounds: self.top_rounds + other.top_rounds,
            nodes: self.nodes.max(other.nodes),
            tuples: self.tuples.max(other.tuples),
            variables: self.variables.max(other.variables),
            nodes_made: self.nodes_made + other.nodes_made,
        }
    }
}
