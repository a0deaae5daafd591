//! When to stop: deadline, memory, live nodes, interruption.
//!
//! CUDD asks a termination callback now and then: every few thousand steps of an operation, whenever it needs
//! another block of nodes, and between the variables of a reordering. The answer is worked out here.

use crate::phase::{self, Phase};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The limits of a run. The default has none.
#[derive(Clone, Debug)]
pub struct Limits {
    /// When the run began.
    pub begin: Instant,
    /// How long it may take from then on.
    pub timeout: Option<Duration>,
    /// Bytes the whole process may have resident (where that can be read; else what CUDD itself has in use).
    pub memory: Option<u64>,
    /// Nodes that may be alive; dead ones that garbage collection has not yet taken do not count.
    pub max_nodes: Option<u64>,
    /// Set from elsewhere (a signal handler, another thread) to have the work given up.
    pub interrupt: Arc<AtomicBool>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            begin: Instant::now(),
            timeout: None,
            memory: None,
            max_nodes: None,
            interrupt: Arc::default(),
        }
    }
}

/// Why work was given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// The time is over; without a limit: someone else's patience is.
    Time {
        /// The limit that was set.
        limit: Option<Duration>,
    },
    /// The memory limit is reached; without a limit: the system has no more memory to give.
    Memory {
        /// The limit that was set, in bytes.
        limit: Option<u64>,
    },
    /// More nodes are alive than allowed.
    Nodes {
        /// The limit that was set.
        limit: u64,
    },
    /// The interrupt flag was set.
    Interrupted,
}

impl StopReason {
    /// In one word, for programs: `time`, `memory`, `nodes`, `interrupt`.
    pub fn word(self) -> &'static str {
        match self {
            StopReason::Time { .. } => "time",
            StopReason::Memory { .. } => "memory",
            StopReason::Nodes { .. } => "nodes",
            StopReason::Interrupted => "interrupt",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MIB: u64 = 1 << 20;
        match self {
            StopReason::Time { limit: None } => f.write_str("out of time"),
            StopReason::Time { limit: Some(time) } => {
                write!(f, "time limit of {} s reached", time.as_micros() as f64 / 1e6)
            }
            StopReason::Memory { limit: None } => f.write_str("out of memory"),
            StopReason::Memory { limit: Some(bytes) } if bytes % MIB == 0 => {
                write!(f, "memory limit of {} MiB reached", bytes / MIB)
            }
            StopReason::Memory { limit: Some(bytes) } => write!(f, "memory limit of {bytes} bytes reached"),
            StopReason::Nodes { limit } => write!(f, "limit of {limit} live nodes reached"),
            StopReason::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// That work was given up: why, and what was being done.
// In a box, since every operation on diagrams may return one and hardly any does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stop(Box<(StopReason, Phase)>);

impl Stop {
    /// A stop in the phase of this thread.
    pub fn here(reason: StopReason) -> Stop {
        Stop::new(reason, phase::now())
    }

    /// A stop in a phase.
    pub fn new(reason: StopReason, phase: Phase) -> Stop {
        Stop(Box::new((reason, phase)))
    }

    /// Why the work was given up.
    pub fn reason(&self) -> StopReason {
        self.0.0
    }

    /// What was being done.
    pub fn phase(&self) -> &Phase {
        &self.0.1
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.phase().doing {
            "" => self.reason().fmt(f),
            _ => write!(f, "{} while {}", self.reason(), self.phase()),
        }
    }
}

impl std::error::Error for Stop {}

impl Limits {
    /// The same limits for a run that begins now.
    pub fn from_now(&self) -> Limits {
        Limits { begin: Instant::now(), ..self.clone() }
    }

    /// The limits that need no look at the diagrams nor at the memory.
    pub fn passed(&self) -> Option<StopReason> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Some(StopReason::Interrupted);
        }
        let limit = self.timeout.filter(|limit| self.begin.elapsed() >= *limit)?;
        Some(StopReason::Time { limit: Some(limit) })
    }

    /// All limits but that on nodes; reads how much memory the process has.
    pub fn passed_with_memory(&self) -> Option<StopReason> {
        let large = || self.memory.filter(|limit| resident_bytes().is_some_and(|bytes| bytes > *limit));
        self.passed().or_else(|| large().map(|limit| StopReason::Memory { limit: Some(limit) }))
    }

    pub(super) fn check_outside(&self) -> Result<(), Stop> {
        self.passed().map_or(Ok(()), |reason| Err(Stop::here(reason)))
    }

    pub(super) fn check_nodes(&self, live: u64) -> Result<(), Stop> {
        match self.max_nodes {
            Some(limit) if live > limit => Err(Stop::here(StopReason::Nodes { limit })),
            _ => Ok(()),
        }
    }

    pub(super) fn out_of_memory(&self) -> Stop {
        Stop::here(StopReason::Memory { limit: self.memory })
    }
}

/// Reading the resident size costs a system call or three, so it is done at intervals: often enough that a
/// computation cannot allocate much in between, seldom enough not to show in profiles.
pub(super) const MEMORY_INTERVAL: Duration = Duration::from_millis(2);

/// Bytes of this process in main memory, where the system tells.
pub fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * super::ffi::page_size())
}
