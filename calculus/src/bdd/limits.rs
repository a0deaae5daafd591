//! When to stop: deadline, memory, live nodes, interruption.
//!
//! CUDD asks a termination callback now and then: every few thousand steps of an operation, whenever it needs
//! another block of nodes, and between the variables of a reordering. The answer is worked out here.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The limits of one manager. The default has none.
#[derive(Clone, Default, Debug)]
pub struct Limits {
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Bytes the whole process may have resident (where that can be read; else what CUDD itself has in use).
    pub memory: Option<u64>,
    /// Nodes that may be alive; dead ones that garbage collection has not yet taken do not count.
    pub max_nodes: Option<u64>,
    /// Set from elsewhere (a signal handler, another thread) to have the work given up.
    pub interrupt: Arc<AtomicBool>,
}

/// Why an operation was given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The deadline has passed.
    Timeout,
    /// The memory limit is reached; without a limit: the system has no more memory to give.
    Memory { limit: Option<u64> },
    /// More nodes are alive than allowed.
    Nodes { limit: u64 },
    /// The interrupt flag was set.
    Interrupted,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MIB: u64 = 1 << 20;
        match self {
            Stop::Timeout => f.write_str("out of time"),
            Stop::Memory { limit: None } => f.write_str("out of memory"),
            Stop::Memory { limit: Some(bytes) } if bytes % MIB == 0 => {
                write!(f, "memory limit of {} MiB reached", bytes / MIB)
            }
            Stop::Memory { limit: Some(bytes) } => write!(f, "memory limit of {bytes} bytes reached"),
            Stop::Nodes { limit } => write!(f, "limit of {limit} live nodes reached"),
            Stop::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Stop {}

impl Limits {
    /// The limits that need no look at the diagrams.
    pub(super) fn check_outside(&self) -> Result<(), Stop> {
        if self.interrupt.load(Ordering::Relaxed) {
            Err(Stop::Interrupted)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Err(Stop::Timeout)
        } else {
            Ok(())
        }
    }

    pub(super) fn check_nodes(&self, live: u64) -> Result<(), Stop> {
        match self.max_nodes {
            Some(limit) if live > limit => Err(Stop::Nodes { limit }),
            _ => Ok(()),
        }
    }

    pub(super) fn out_of_memory(&self) -> Stop {
        Stop::Memory { limit: self.memory }
    }
}

/// Reading the resident size costs a system call or three, so it is done at intervals: often enough that a
/// computation cannot allocate much in between, seldom enough not to show in profiles.
pub(super) const MEMORY_INTERVAL: Duration = Duration::from_millis(2);

/// Bytes of this process in main memory, where the system tells.
pub(super) fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * super::ffi::page_size())
}
