//! Batches: many programs, each with each algorithm, every run in a process of its own.
//!
//! A run that crashes or is killed takes nothing with it but its own row. A row says what a run answered, or in a
//! word why it did not.

pub mod child;
pub mod csv;
mod lock;
pub mod plan;
pub mod results;
pub mod summary;

/// What a run answered, or why it did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Label {
    Unsafe,
    Safe,
    Bounded,
    /// The file says so: its conditions decide nothing.
    Unknown,
    /// The file has no verdict that holds.
    None,
    Timeout,
    Memory,
    Nodes,
    /// Ended from outside, by a signal that nobody can catch.
    Killed,
    /// A mistake in the program, or a program that is not for the algorithm.
    Refused,
    Crash,
}

impl Label {
    pub const ALL: [Label; 11] = [
        Label::Unsafe,
        Label::Safe,
        Label::Bounded,
        Label::Unknown,
        Label::None,
        Label::Timeout,
        Label::Memory,
        Label::Nodes,
        Label::Killed,
        Label::Refused,
        Label::Crash,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Label::Unsafe => "unsafe",
            Label::Safe => "safe",
            Label::Bounded => "bounded",
            Label::Unknown => "unknown",
            Label::None => "none",
            Label::Timeout => "timeout",
            Label::Memory => "memory",
            Label::Nodes => "nodes",
            Label::Killed => "killed",
            Label::Refused => "refused",
            Label::Crash => "crash",
        }
    }

    pub fn read(word: &str) -> Option<Label> {
        Label::ALL.into_iter().find(|label| label.word() == word)
    }

    /// The run came to its end.
    pub fn is_answer(self) -> bool {
        matches!(self, Label::Unsafe | Label::Safe | Label::Bounded | Label::Unknown | Label::None)
    }

    pub fn is_out_of_resources(self) -> bool {
        matches!(self, Label::Timeout | Label::Memory | Label::Nodes | Label::Killed)
    }
}

/// What makes two runs the same. Limits are no part of it: they change no answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowKey {
    pub program: String,
    /// With its settings: `adequacy:rounds=1..4`.
    pub algorithm: String,
    /// The other options that the runs were given.
    pub options: String,
}

/// One run of an algorithm on a program.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchRow {
    pub key: RowKey,
    pub label: Label,
    /// The values that the parameters had in the end.
    pub params: String,
    /// The message of the verdict, or the reason why there is none.
    pub detail: String,
    pub measured: Option<Measured>,
}

/// What differs from one run to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    pub seconds: f64,
    /// The largest resident memory that was seen; nothing where the system does not tell.
    pub memory_mib: Option<u64>,
}
