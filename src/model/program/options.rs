//! What the command line may say about a Boolean program.

use super::dialect::Dialect;

/// Roles, targets and dialect; the default leaves everything to the file.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The procedure that runs once, before the threads.
    pub init: Option<String>,
    /// The procedures that are single threads, instead of those the dialect names.
    pub thread: Vec<String>,
    /// The procedures of which any number of copies run.
    pub replicate: Vec<String>,
    /// Labels (`L` or `procedure:L`) whose reaching is a target, besides failing assertions and ERROR labels.
    pub target: Vec<String>,
    /// The dialect; detected from the file when absent.
    pub dialect: Option<Dialect>,
    /// How many copies of a thread each `start_thread` can start; any number when absent.
    pub copies: Option<u32>,
}
