//! The C functions this layer calls, as CUDD 3.0.0 declares them.
//!
//! `cudd-sys` declares C's `void` results as the *type* `c_void`, whose values Rust takes to be 0 or 1, while C
//! leaves the register as it is: calling such a declaration is undefined behaviour. Hence functions without a
//! result are declared here, as are the few that `cudd-sys` lacks; all others come from there. No C struct is
//! looked into, so any build of CUDD 3.0.0 has the right layout.

use std::ffi::{c_char, c_int, c_uint, c_void};

pub use cudd_sys::cudd::{
    Cudd_AddHook, Cudd_CheckKeys, Cudd_Cofactor, Cudd_DagSize, Cudd_DebugCheck, Cudd_E, Cudd_ErrorType,
    Cudd_HookType, Cudd_IndicesToCube, Cudd_Init, Cudd_IsConstant, Cudd_MakeTreeNode, Cudd_NodeReadIndex,
    Cudd_ReadCacheHits, Cudd_ReadCacheLookUps, Cudd_ReadCacheSlots, Cudd_ReadDead, Cudd_ReadErrorCode,
    Cudd_ReadGarbageCollectionTime, Cudd_ReadGarbageCollections, Cudd_ReadInvPerm, Cudd_ReadKeys,
    Cudd_ReadMemoryInUse, Cudd_ReadOne, Cudd_ReadPeakLiveNodeCount, Cudd_ReadPerm, Cudd_ReadReorderingTime,
    Cudd_ReadReorderings, Cudd_ReadSize, Cudd_ReduceHeap, Cudd_ReorderingType, Cudd_SetMaxMemory,
    Cudd_SharingSize, Cudd_ShuffleHeap, Cudd_SupportIndices, Cudd_SupportSize, Cudd_T, Cudd_bddAnd,
    Cudd_bddAndAbstract, Cudd_bddCompose, Cudd_bddExistAbstract, Cudd_bddIntersect, Cudd_bddIte,
    Cudd_bddIthVar, Cudd_bddNewVarAtLevel, Cudd_bddOr, Cudd_bddPermute, Cudd_bddRestrict, Cudd_bddSqueeze,
    Cudd_bddUnivAbstract, Cudd_bddXnor, Cudd_bddXor,
};
pub use cudd_sys::mtr::MTR_FIXED;
pub use cudd_sys::{DdManager, DdNode};

/// Called with the argument given at registration; any result but 0 ends the running operation.
pub type TerminationCallback = unsafe extern "C" fn(*const c_void) -> c_int;
/// Called with the number of bytes that could not be had.
pub type OutOfMemoryCallback = unsafe extern "C" fn(usize);

/// C's `FILE`, never looked into.
#[repr(C)]
pub struct CFile {
    _opaque: [u8; 0],
}

unsafe extern "C" {
    /// What CUDD does when memory cannot be had, for all managers. As delivered, it prints and exits.
    pub static mut MMoutOfMemory: OutOfMemoryCallback;

    pub fn Cudd_Quit(dd: *mut DdManager);
    pub fn Cudd_Ref(node: *mut DdNode);
    pub fn Cudd_IterDerefBdd(dd: *mut DdManager, node: *mut DdNode);
    pub fn Cudd_FreeTree(dd: *mut DdManager);
    pub fn Cudd_ClearErrorCode(dd: *mut DdManager);
    pub fn Cudd_AutodynEnable(dd: *mut DdManager, method: Cudd_ReorderingType);
    pub fn Cudd_AutodynDisable(dd: *mut DdManager);
    pub fn Cudd_SetNextReordering(dd: *mut DdManager, nodes: c_uint);
    pub fn Cudd_SetSiftMaxSwap(dd: *mut DdManager, swaps: c_int);
    pub fn Cudd_SetMaxCacheHard(dd: *mut DdManager, entries: c_uint);
    pub fn Cudd_SetLooseUpTo(dd: *mut DdManager, slots: c_uint);
    pub fn Cudd_SetStderr(dd: *mut DdManager, file: *mut CFile);
    pub fn Cudd_SetStdout(dd: *mut DdManager, file: *mut CFile);
    pub fn Cudd_SetApplicationHook(dd: *mut DdManager, value: *mut c_void);
    pub fn Cudd_ReadApplicationHook(dd: *mut DdManager) -> *mut c_void;
    pub fn Cudd_RegisterTerminationCallback(
        dd: *mut DdManager,
        callback: TerminationCallback,
        argument: *mut c_void,
    );
    pub fn Cudd_RegisterOutOfMemoryCallback(
        dd: *mut DdManager,
        callback: OutOfMemoryCallback,
    ) -> Option<OutOfMemoryCallback>;
    pub fn Cudd_OutOfMemSilent(bytes: usize);

    pub fn fopen(path: *const c_char, mode: *const c_char) -> *mut CFile;
    pub fn free(memory: *mut c_void);
}

/// Bytes of a page of memory.
pub fn page_size() -> u64 {
    #[cfg(unix)]
    {
        unsafe extern "C" {
            safe fn getpagesize() -> c_int;
        }
        u64::try_from(getpagesize()).unwrap_or(4096)
    }
    #[cfg(not(unix))]
    4096
}

/// Has the allocator give free memory back to the system, where it can be told to.
pub fn give_memory_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            safe fn malloc_trim(keep: usize) -> c_int;
        }
        malloc_trim(0);
    }
}

/// The node without the complement mark of the edge that leads to it.
pub fn regular(node: *mut DdNode) -> *mut DdNode {
    node.map_addr(|address| address & !1)
}

/// Whether the edge negates the node it leads to.
pub fn is_complement(node: *mut DdNode) -> bool {
    node.addr() & 1 == 1
}

/// The edge, negated if `negate`.
pub fn complement_if(node: *mut DdNode, negate: bool) -> *mut DdNode {
    node.map_addr(|address| address ^ usize::from(negate))
}
