//! The options that say what is taken away from a program before it is abstracted.

use super::options::DECIDED;
use crate::options::{Choice, choice};
use alias::AliasMode;
use cfront::ExternPolicy;
use clap::Args;
use passes::{Blocks, Settings, UnknownCallees};

/// What is found out about the program, and what is taken away, before it is abstracted.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = DECIDED)]
pub struct Preparation {
    /// Points-to analysis to use
    #[arg(long, value_name = "HOW", default_value = "das", value_parser = choice(ALIASES), hide_short_help = true)]
    pub alias: AliasMode,
    /// Keep procedures and statements that cannot influence a check
    #[arg(long, hide_short_help = true)]
    pub no_slice: bool,
    /// Do not replace variables by constants or copies that they are known to hold
    #[arg(long, hide_short_help = true)]
    pub no_propagate: bool,
    /// Whether objects accessed at several types are modelled as bytes
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = choice(BYTES), hide_short_help = true)]
    pub bytes: Bytes,
}

/// When objects that are accessed at several types are taken as their bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Bytes {
    /// Where there is no answer otherwise; not by the tools that make one step of the loop.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// What is abstracted as one.
pub const BLOCKS: [Choice<Blocks>; 3] = [
    ("statement", "Each statement", Blocks::Statement),
    ("basic", "Statements without branches, joins, calls and checks between them", Blocks::Basic),
    ("loops", "Everything between loops and calls, branches and checks included", Blocks::Loops),
];

/// When objects are bytes.
pub const BYTES: [Choice<Bytes>; 3] = [
    ("auto", "Where their contents matter to an error that is not confirmed", Bytes::Auto),
    ("on", "Always", Bytes::On),
    ("off", "Never", Bytes::Off),
];

/// Points-to analyses, from coarse to fine.
pub const ALIASES: [Choice<AliasMode>; 3] = [
    ("none", "Everything whose address is taken may alias", AliasMode::None),
    ("das", "One-level flow: directional at the top level of pointers, unification below", AliasMode::Das),
    ("andersen", "Directional at all levels (slower)", AliasMode::Andersen),
];

impl Preparation {
    /// What the options say, where this is assumed of undefined functions.
    pub fn settings(&self, policy: ExternPolicy) -> Settings {
        Settings {
            alias: self.alias,
            slice: !self.no_slice,
            propagate: !self.no_propagate,
            bytes: self.bytes == Bytes::On,
            unknown_callees: match policy {
                ExternPolicy::Havoc | ExternPolicy::HavocAll => UnknownCallees::AnyWrites,
                ExternPolicy::Pure => UnknownCallees::AnyPure,
                ExternPolicy::Error => UnknownCallees::Refused,
            },
            ..Settings::default()
        }
    }
}
