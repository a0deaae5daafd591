//! The manager: its settings, constants, variables and statistics.

use super::core::{ManagerCore, silence_out_of_memory};
use super::order::Ordering;
use super::{Bdd, Cube, Limits, Reorder, Stop, StopReason, Var, ffi};
use std::ffi::{c_int, c_uint};
use std::ptr::NonNull;
use std::rc::Rc;
use std::time::Duration;

/// How a manager works and when it gives up.
#[derive(Clone, Default, Debug)]
pub struct ManagerSettings {
    /// When the order of the variables is improved.
    pub reorder: Reorder,
    /// When to give up.
    pub limits: Limits,
}

/// The owner of a family of diagrams. Clones share it; it ends with the last clone or [`Bdd`].
#[derive(Clone)]
pub struct Manager {
    pub(super) core: Rc<ManagerCore>,
}

/// Sizes and times of a manager.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Stats {
    /// How many there are.
    pub variables: usize,
    /// Nodes in use, including the constants and one per variable.
    pub live_nodes: u64,
    /// The largest number of live nodes seen; looked at now and then, so a short peak may be missed.
    pub peak_nodes: u64,
    /// Memory of tables, cache and nodes.
    pub memory_bytes: u64,
    /// How often the order was improved.
    pub reorderings: u64,
    /// What that took.
    pub reordering_time: Duration,
    /// How often dead nodes were removed.
    pub garbage_collections: u64,
    /// What that took.
    pub garbage_collection_time: Duration,
    /// How many results the cache has room for.
    pub cache_entries: u64,
    /// How often a result was looked for there.
    pub cache_lookups: u64,
    /// How often it was there.
    pub cache_hits: u64,
}

/// Initial slots of a variable's part of the unique table; doubles on demand. Small, because there may be
/// thousands of variables of which most have few nodes.
const INITIAL_SLOTS: c_uint = 64;
/// Initial entries of the cache (32 bytes each); doubles while more than a third of the look-ups hit.
const INITIAL_CACHE: c_uint = 1 << 14;
/// Both with `Reorder::Always`: a swap of two levels visits all slots of both, and each reordering clears the cache, so it
/// is never full.
const SLOTS_TO_SWAP: c_uint = 8;
const CACHE_BETWEEN_REORDERINGS: c_uint = 1 << 8;
/// What tables are sized for if there is no memory limit.
pub(super) const DEFAULT_BUDGET: u64 = 8 << 30;
/// The most that CUDD is told to plan with. Beyond nine tenths of it, garbage is collected as soon as it is a
/// twentieth of the nodes. A larger plan costs time at the start: CUDD sets aside a queue in proportion.
const LARGEST_PLAN: u64 = 1 << 30;
/// The cache takes at most this part of the memory, and never more than 2^24 entries, 512 MiB: a larger one misses
/// the processor's caches on each look-up and has to be swept at each garbage collection.
const CACHE_SHARE: u64 = 8;
const LARGEST_CACHE: u64 = 1 << 24;
/// Up to so many slots the unique table grows rather than have its garbage collected. Beyond, garbage is collected
/// once a quarter of what the table holds is dead; a solver that runs for long discards most of what it makes,
/// and CUDD's default, a fifth of the memory, would let that pile up until nothing is near anything else.
const LARGEST_LOOSE_TABLE: u64 = 1 << 20;
const ENTRY_BYTES: u64 = 32;

impl Manager {
    /// A manager without variables, if the system has memory for its tables.
    pub fn new(settings: ManagerSettings) -> Result<Manager, Stop> {
        silence_out_of_memory();
        let budget = settings.limits.memory.unwrap_or(DEFAULT_BUDGET);
        let cache = (budget / CACHE_SHARE / ENTRY_BYTES).min(LARGEST_CACHE);
        let loose = (budget / 5 / ENTRY_BYTES).min(LARGEST_LOOSE_TABLE);
        let small = |number: u64| c_uint::try_from(number).expect("bounded above");
        let plan = usize::try_from(budget.min(LARGEST_PLAN)).expect("bounded above");
        let (slots, entries) = match settings.reorder {
            Reorder::Off | Reorder::Auto => (INITIAL_SLOTS, INITIAL_CACHE),
            Reorder::Always => (SLOTS_TO_SWAP, CACHE_BETWEEN_REORDERINGS),
        };
        // SAFETY: no preconditions.
        let dd = unsafe { ffi::Cudd_Init(0, 0, slots, entries, plan) };
        let Some(dd) = NonNull::new(dd) else { return Err(Stop::here(StopReason::Memory { limit: None })) };
        // SAFETY: the manager is valid; both only store the number.
        unsafe {
            ffi::Cudd_SetMaxCacheHard(dd.as_ptr(), small(cache));
            ffi::Cudd_SetLooseUpTo(dd.as_ptr(), small(loose));
        }
        // SAFETY: the manager is fresh, and handed over.
        let core = unsafe { ManagerCore::adopt(dd, settings.limits, Ordering::new(settings.reorder)) };
        Ok(Manager { core })
    }

    /// The function that is false everywhere: the empty set.
    pub fn zero(&self) -> Bdd {
        self.one().not()
    }

    /// The function that is true everywhere: all assignments.
    pub fn one(&self) -> Bdd {
        // SAFETY: the manager is valid, and the node is its own.
        unsafe { Bdd::from_node(&self.core, ffi::Cudd_ReadOne(self.core.dd())) }
    }

    /// The function that is true where the variable is.
    pub fn var(&self, var: Var) -> Bdd {
        self.core.expect_known(var);
        // SAFETY: the manager is valid and has the variable, so CUDD returns the node it has for it.
        unsafe { Bdd::from_node(&self.core, ffi::Cudd_bddIthVar(self.core.dd(), var.index())) }
    }

    /// The constant function.
    pub fn constant(&self, value: bool) -> Bdd {
        if value { self.one() } else { self.zero() }
    }

    /// The variable or its negation.
    pub fn literal(&self, var: Var, value: bool) -> Bdd {
        if value { self.var(var) } else { self.var(var).not() }
    }

    /// The conjunction of the variables, for quantification. Repetitions do not matter.
    pub fn cube(&self, vars: &[Var]) -> Result<Cube, Stop> {
        let mut sorted: Vec<Var> = vars.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        sorted.iter().for_each(|&var| self.core.expect_known(var));
        // CUDD conjoins from the last to the first: bottom up, each step adds one node on top.
        let mut indices: Vec<c_int> = sorted.iter().map(|var| var.index()).collect();
        indices.sort_unstable_by_key(|&index| self.core.level(Var::from_index(index)));
        let length = Var::from_index(indices.len()).index();
        self.core.enter()?;
        // SAFETY: the manager is valid and has the variables.
        let node = unsafe { ffi::Cudd_IndicesToCube(self.core.dd(), indices.as_mut_ptr(), length) };
        // SAFETY: CUDD just returned the node.
        let product = unsafe { self.core.leave(node)? };
        Ok(Cube { vars: sorted, product })
    }

    /// Whether work may go on; for loops that do other work than operations of this manager.
    pub fn check(&self) -> Result<(), Stop> {
        self.core.check()
    }

    /// Nodes of all these functions together, each counted once; the constant is one of them.
    pub fn shared_node_count<'a>(&self, functions: impl IntoIterator<Item = &'a Bdd>) -> usize {
        let mut nodes: Vec<_> = functions
            .into_iter()
            .map(|function| {
                function.expect_manager(&self.core);
                function.node()
            })
            .collect();
        let length = Var::from_index(nodes.len()).index();
        // SAFETY: the nodes belong to this manager, and handles hold them.
        let size = unsafe { ffi::Cudd_SharingSize(nodes.as_mut_ptr(), length) };
        usize::try_from(size).expect("a size is not negative")
    }

    /// How many variables there are.
    pub fn variable_count(&self) -> usize {
        self.core.variable_count()
    }

    /// Has CUDD examine its own tables; for tests. Slow.
    #[doc(hidden)]
    pub fn is_consistent(&self) -> bool {
        // SAFETY: the manager is valid; no operation is running.
        unsafe { ffi::Cudd_DebugCheck(self.core.dd()) == 0 && ffi::Cudd_CheckKeys(self.core.dd()) == 0 }
    }

    /// Sizes and times up to now.
    pub fn stats(&self) -> Stats {
        let dd = self.core.dd();
        let milliseconds = |time: std::ffi::c_long| Duration::from_millis(u64::try_from(time).unwrap_or(0));
        // SAFETY: the manager is valid; these only read counters.
        unsafe {
            Stats {
                variables: self.core.variable_count(),
                live_nodes: self.core.live_nodes(),
                peak_nodes: self.core.peak_nodes(),
                memory_bytes: self.core.memory_in_use(),
                reorderings: self.reorderings(),
                reordering_time: milliseconds(ffi::Cudd_ReadReorderingTime(dd)),
                garbage_collections: u64::try_from(ffi::Cudd_ReadGarbageCollections(dd)).unwrap_or(0),
                garbage_collection_time: milliseconds(ffi::Cudd_ReadGarbageCollectionTime(dd)),
                cache_entries: u64::from(ffi::Cudd_ReadCacheSlots(dd)),
                cache_lookups: ffi::Cudd_ReadCacheLookUps(dd) as u64,
                cache_hits: ffi::Cudd_ReadCacheHits(dd) as u64,
            }
        }
    }
}

impl std::fmt::Debug for Manager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Manager").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
