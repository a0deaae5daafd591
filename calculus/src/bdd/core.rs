//! One CUDD manager: how an operation starts and ends, and what CUDD calls back in between.
//!
//! CUDD reports failure by a null result and an error code. It calls back for three things: whether to give up,
//! around garbage collections, and around reorderings (see `order`). The callbacks find their [`ManagerCore`] through a
//! pointer that stays valid as long as the manager, because both live and die together.

use super::ffi::{self, DdManager, DdNode};
use super::held::Held;
use super::limits::{Limits, MEMORY_INTERVAL, Stop, resident_bytes};
use super::order::Ordering;
use super::{Bdd, Var};
use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_int, c_void};
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::OnceLock;
use std::time::Instant;

/// Operations between two looks at the limits. CUDD asks by itself only in the course of long operations; a
/// loop of short ones has to end as well.
const OPERATIONS_PER_CHECK: u32 = 64;

/// Bytes of a manager from which on its memory is given back to the system at its end.
const WORTH_GIVING_BACK: u64 = 16 << 20;

pub(super) struct ManagerCore {
    dd: NonNull<DdManager>,
    pub(super) limits: Limits,
    pub(super) ordering: Ordering,
    /// Why the running operation is being given up. Once set it stays until the operation has returned, since
    /// CUDD asks again on its way out and has to get the same answer.
    stop: RefCell<Option<Stop>>,
    /// Whether limits are disregarded: while variables are created, CUDD cannot be stopped safely.
    limits_off: Cell<bool>,
    operations: Cell<u32>,
    pub(super) held: RefCell<Held>,
    peak: Cell<u64>,
    memory: MemoryWatch,
}

/// CUDD keeps below `ceiling` by collecting garbage first, and fails only when that does not help.
struct MemoryWatch {
    next_look: Cell<Option<Instant>>,
    ceiling: Cell<u64>,
    nodes_before_collection: Cell<u64>,
    /// At the ceiling, and collecting garbage yields next to nothing: going on would mean to collect forever.
    exhausted: Cell<bool>,
}

impl ManagerCore {
    /// Takes over the manager and installs the callbacks.
    ///
    /// # Safety
    /// `dd` must be a manager fresh from `Cudd_Init` that nobody else uses.
    pub(super) unsafe fn adopt(
        dd: NonNull<DdManager>,
        limits: Limits,
        ordering: Ordering,
    ) -> Rc<ManagerCore> {
        let ceiling = limits.memory.unwrap_or(u64::MAX);
        let core = Rc::new(ManagerCore {
            dd,
            limits,
            ordering,
            stop: RefCell::default(),
            limits_off: Cell::new(false),
            operations: Cell::new(0),
            held: RefCell::default(),
            peak: Cell::new(0),
            memory: MemoryWatch {
                next_look: Cell::new(None),
                ceiling: Cell::new(ceiling),
                nodes_before_collection: Cell::new(0),
                exhausted: Cell::new(false),
            },
        });
        let argument = Rc::as_ptr(&core).cast_mut().cast::<c_void>();
        // SAFETY: the manager is valid; `argument` outlives it, since `ManagerCore::drop` ends the manager; the silent
        // handler takes what CUDD passes.
        unsafe {
            ffi::Cudd_RegisterTerminationCallback(dd.as_ptr(), asked_to_stop, argument);
            ffi::Cudd_RegisterOutOfMemoryCallback(dd.as_ptr(), ffi::Cudd_OutOfMemSilent);
            ffi::Cudd_SetApplicationHook(dd.as_ptr(), argument);
            if let Some(nowhere) = nowhere() {
                ffi::Cudd_SetStderr(dd.as_ptr(), nowhere);
                ffi::Cudd_SetStdout(dd.as_ptr(), nowhere);
            }
            use ffi::Cudd_HookType::{CUDD_POST_GC_HOOK, CUDD_PRE_GC_HOOK};
            ffi::Cudd_AddHook(dd.as_ptr(), before_collection, CUDD_PRE_GC_HOOK);
            ffi::Cudd_AddHook(dd.as_ptr(), after_collection, CUDD_POST_GC_HOOK);
        }
        core.install_ordering();
        core
    }

    pub(super) fn dd(&self) -> *mut DdManager {
        self.dd.as_ptr()
    }

    /// The core of a manager, for its callbacks.
    ///
    /// # Safety
    /// `dd` must be the manager of a living core; the result must not be kept.
    pub(super) unsafe fn of<'a>(dd: *mut DdManager) -> &'a ManagerCore {
        // SAFETY: `adopt` stored this pointer, and the core lives.
        unsafe { &*ffi::Cudd_ReadApplicationHook(dd).cast::<ManagerCore>() }
    }

    /// Nodes in use, including the constants and one node per variable.
    pub(super) fn live_nodes(&self) -> u64 {
        // SAFETY: the manager is valid; both only read a counter.
        let (keys, dead) = unsafe { (ffi::Cudd_ReadKeys(self.dd()), ffi::Cudd_ReadDead(self.dd())) };
        u64::from(keys.saturating_sub(dead))
    }

    pub(super) fn peak_nodes(&self) -> u64 {
        // SAFETY: the manager is valid.
        let seen_by_cudd = unsafe { ffi::Cudd_ReadPeakLiveNodeCount(self.dd()) };
        self.peak.get().max(u64::try_from(seen_by_cudd).unwrap_or(0))
    }

    pub(super) fn memory_in_use(&self) -> u64 {
        // SAFETY: the manager is valid.
        unsafe { ffi::Cudd_ReadMemoryInUse(self.dd()) as u64 }
    }

    pub(super) fn variable_count(&self) -> usize {
        // SAFETY: the manager is valid.
        usize::try_from(unsafe { ffi::Cudd_ReadSize(self.dd()) }).expect("a size is not negative")
    }

    pub(super) fn expect_known(&self, var: Var) {
        let known = self.variable_count();
        assert!((var.0 as usize) < known, "{var:?} is not a variable of this manager, which has {known}");
    }

    /// Compares the state of affairs with the limits.
    pub(super) fn check(&self) -> Result<(), Stop> {
        self.limits.check_outside()?;
        let live = self.live_nodes();
        self.peak.set(self.peak.get().max(live));
        self.limits.check_nodes(live)?;
        self.check_memory()
    }

    fn check_memory(&self) -> Result<(), Stop> {
        let Some(limit) = self.limits.memory else { return Ok(()) };
        if self.memory.exhausted.get() {
            return Err(self.limits.out_of_memory());
        }
        let now = Instant::now();
        if self.memory.next_look.get().is_some_and(|next| now < next) {
            return Ok(());
        }
        self.memory.next_look.set(Some(now + MEMORY_INTERVAL));
        let in_use = self.memory_in_use();
        let resident = resident_bytes().unwrap_or(in_use);
        if resident > limit {
            return Err(self.limits.out_of_memory());
        }
        // What CUDD once took it never gives back, so it has to collect its garbage before the limit is hit.
        let elsewhere = resident.saturating_sub(in_use);
        self.set_ceiling(limit.saturating_sub(elsewhere).saturating_sub(limit / 16));
        Ok(())
    }

    fn set_ceiling(&self, bytes: u64) {
        self.memory.ceiling.set(bytes);
        // SAFETY: the manager is valid; this only stores the number.
        unsafe { ffi::Cudd_SetMaxMemory(self.dd(), usize::try_from(bytes).unwrap_or(usize::MAX)) };
    }

    /// Every operation starts here.
    pub(super) fn enter(&self) -> Result<(), Stop> {
        self.stop.replace(None);
        self.memory.exhausted.set(false);
        let count = self.operations.get().wrapping_add(1);
        self.operations.set(count);
        if count.is_multiple_of(OPERATIONS_PER_CHECK) {
            self.check()?;
        }
        self.expect_reordering();
        Ok(())
    }

    /// Every operation that yields a function ends here, with the node that CUDD returned.
    ///
    /// # Safety
    /// `node` must be null or a node of this manager, just returned by CUDD.
    pub(super) unsafe fn leave(self: &Rc<Self>, node: *mut DdNode) -> Result<Bdd, Stop> {
        if node.is_null() {
            return Err(self.failure());
        }
        // SAFETY: as promised by the caller.
        let result = unsafe { Bdd::from_node(self, node) };
        self.finish()?;
        self.limits.check_nodes(self.live_nodes())?;
        Ok(result)
    }

    /// Ends an operation that CUDD reports to have succeeded.
    pub(super) fn finish(&self) -> Result<(), Stop> {
        if self.stop.borrow().is_some() { Err(self.failure()) } else { Ok(()) }
    }

    /// Ends an operation that CUDD gave up; makes the manager ready for others and tells the reason.
    pub(super) fn failure(&self) -> Stop {
        // SAFETY: the manager is valid.
        let code = unsafe { ffi::Cudd_ReadErrorCode(self.dd()) };
        // SAFETY: the manager is valid.
        unsafe { ffi::Cudd_ClearErrorCode(self.dd()) };
        self.resume_reordering();
        use ffi::Cudd_ErrorType as Code;
        match (self.stop.take(), code) {
            (Some(stop), _) => stop,
            (None, Code::CUDD_INVALID_ARG) => panic!("CUDD was given an invalid argument"),
            (None, Code::CUDD_INTERNAL_ERROR) => panic!("CUDD reports an internal error"),
            (None, _) => self.limits.out_of_memory(),
        }
    }

    /// Runs `work` with all limits off, for steps that must not end halfway.
    pub(super) fn without_limits<T>(&self, work: impl FnOnce() -> T) -> T {
        let ceiling = self.memory.ceiling.get();
        self.limits_off.set(true);
        self.set_ceiling(u64::MAX);
        let result = work();
        self.set_ceiling(ceiling);
        self.limits_off.set(false);
        result
    }
}

impl Drop for ManagerCore {
    fn drop(&mut self) {
        let large = self.memory_in_use() > WORTH_GIVING_BACK;
        // SAFETY: the last handle is gone, so no node is used any more; the callbacks are not called again.
        unsafe { ffi::Cudd_Quit(self.dd()) };
        // Otherwise it would stay resident, and be held against the next manager.
        if large {
            ffi::give_memory_back();
        }
    }
}

/// CUDD asks whether to give up the running operation.
unsafe extern "C" fn asked_to_stop(argument: *const c_void) -> c_int {
    // SAFETY: `adopt` registered the core as the argument, and the core lives as long as the manager.
    let core = unsafe { &*argument.cast::<ManagerCore>() };
    if core.limits_off.get() {
        return 0;
    }
    let stop = core.stop.take().or_else(|| core.check().err());
    let stopped = stop.is_some();
    core.stop.replace(stop);
    c_int::from(stopped)
}

extern "C" fn before_collection(dd: *mut DdManager, _: *const c_char, _: *mut c_void) -> c_int {
    // SAFETY: only called by the manager of a living core.
    let core = unsafe { ManagerCore::of(dd) };
    // SAFETY: the manager is valid.
    core.memory.nodes_before_collection.set(u64::from(unsafe { ffi::Cudd_ReadKeys(dd) }));
    1
}

extern "C" fn after_collection(dd: *mut DdManager, _: *const c_char, _: *mut c_void) -> c_int {
    // SAFETY: only called by the manager of a living core.
    let core = unsafe { ManagerCore::of(dd) };
    // SAFETY: the manager is valid.
    let after = u64::from(unsafe { ffi::Cudd_ReadKeys(dd) });
    let before = core.memory.nodes_before_collection.get();
    let at_ceiling = core.memory_in_use() >= core.memory.ceiling.get();
    // A collection that prepares a reordering proves nothing: the reordering may shrink the diagrams.
    if at_ceiling && !core.ordering.is_reordering() && before.saturating_sub(after) < before / 8 {
        core.memory.exhausted.set(true);
    }
    1
}

/// Makes running out of memory a silent failure, for all managers. To be called before the first one is made.
pub(super) fn silence_out_of_memory() {
    static DONE: OnceLock<()> = OnceLock::new();
    // SAFETY: happens once, before any manager exists whose operations could read the variable. Managers that
    // save and restore it later on do so between equal values.
    DONE.get_or_init(|| unsafe { ffi::MMoutOfMemory = ffi::Cudd_OutOfMemSilent });
}

/// A C stream that swallows what CUDD would print.
fn nowhere() -> Option<*mut ffi::CFile> {
    static ADDRESS: OnceLock<usize> = OnceLock::new();
    let address = *ADDRESS.get_or_init(|| {
        // SAFETY: both arguments are C strings. The stream is never closed.
        let file = unsafe { ffi::fopen(c"/dev/null".as_ptr(), c"w".as_ptr()) };
        file.expose_provenance()
    });
    (address != 0).then(|| std::ptr::with_exposed_provenance_mut(address))
}
