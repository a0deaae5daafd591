//! Groups of variables and the order of all of them.
//!
//! Every variable belongs to one group. A group is a block of adjacent levels, in an order of its own that
//! reordering leaves alone; group sifting (Panda and Somenzi, 1995) moves whole groups. CUDD wants a tree of
//! groups by level for that. Keeping such a tree up to date while variables are added is delicate, so there is
//! none except during a reordering: a hook plants it from our list before, and another fells it afterwards.
//!
//! CUDD judges a block by its edge variables. It sifts the blocks with the largest *bottom* level first, and stops
//! moving one down or up where the variables that share a function with its bottom or *top* variable promise no
//! gain beyond. A block whose edge happens to be unused would be sifted late or hardly at all. Hence the first
//! variable of a group is its bottom, to be the one most used; and during a reordering one function of all edge
//! variables is kept, so that they share it with each other. (Not of all variables: CUDD swaps levels that share
//! nothing at no cost, and unused variables inside of blocks ought to keep that.)

use super::core::ManagerCore;
use super::ffi::{self, DdManager, DdNode};
use super::manager::DEFAULT_BUDGET;
use super::{Manager, Stop, Var};
use crate::phase::{self, Entered};
use ffi::Cudd_ReorderingType::CUDD_REORDER_GROUP_SIFT;
use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;

/// When the order of variables changes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Reorder {
    /// Never by itself.
    Off,
    /// When the diagrams have grown large, and again when they have grown much since.
    #[default]
    Auto,
    /// After every few new nodes. For tests: tiny systems see many reorderings.
    Always,
}

/// Below so many live nodes `Reorder::Auto` does nothing: sifting would take longer than it saves.
const FIRST_REORDERING: u64 = 100_000;
/// With `Reorder::Always`: new nodes from one reordering to the next within an operation, at first. CUDD starts
/// the operation over after a reordering, so this number is doubled each time or there might be no end.
const FIRST_STEP: u64 = 1;
/// With `Reorder::Always` and few nodes: swaps of levels in one reordering, which need not find a good order, only another
/// one. With more nodes, as many swaps as there are nodes.
const FEWEST_SWAPS: u64 = 200;
/// With fewer live nodes CUDD refuses to reorder, and then takes its own refusal for a failure.
const FEWEST_NODES: u64 = 16;

/// Reorderings may cost this part of what operations do: a run loses no more where the order is good already, as it mostly
/// is, and long runs are helped soon where it is bad.
const SHARE: u64 = 5;
/// The part after a reordering that gained something: then there may be more to gain.
const SHARE_WITH_GAIN: u64 = 2;
/// With so many live nodes, made by so few looks into the cache each, the order is bad and there is no time to earn a
/// reordering: each of the next operations may double the nodes. It may cost the allowance then, about a second; but not
/// again once it gained nothing.
const MANY: u64 = 200_000;
const EXPLOSIVE: u64 = 5;
const ALLOWANCE: u64 = 12_000_000;
/// Before the first swap CUDD finds out which variables share a function. It walks through the list of all variables once
/// for each function and once more for each of its variables. So many steps of these walks take as long as a look into
/// the cache.
const STEPS_PER_LOOK: u64 = 64;
/// Swapping two levels takes as long as so many looks even if they have no nodes: the slots of both are visited.
const EMPTY_SWAP: u64 = 4;
/// So many functions stand for all, to tell how many variables they have.
const SAMPLES: usize = 16;
/// A reordering has a bit for each pair of variables. They may take this part of the memory.
const PAIRS_SHARE: u64 = 8;
/// However little was worked, so many times the nodes that call for a reordering start one: a single operation can
/// make them, and nothing else stops it.
const EMERGENCY: u64 = 128;
/// Swaps of levels in one reordering if nothing else bounds them, as CUDD has it.
const MOST_SWAPS: u64 = 2_000_000;

/// What a manager knows about its order, apart from the order itself.
pub(super) struct Ordering {
    policy: Reorder,
    groups: RefCell<Groups>,
    /// The phase of the reordering that is going on.
    reordering: RefCell<Option<Entered>>,
    live_before: Cell<u64>,
    /// What reorderings may have cost so far.
    spent: Cell<u64>,
    /// What operations had done at the last one.
    work_before: Cell<u64>,
    /// The last one gained something.
    gained: Cell<bool>,
    /// The one that is going on was allowed, not earned.
    allowed: Cell<bool>,
    /// What was allowed gained nothing.
    allowance_lost: Cell<bool>,
    /// What is done now is not reordered.
    suspended: Cell<bool>,
    /// With `Reorder::Auto`: the live nodes from which another reordering is worth considering.
    wanted: Cell<u64>,
    /// How many variables a function has in the mean, as far as was counted.
    support: Cell<u64>,
    /// What operations must have done before they are counted again.
    counted_again_at: Cell<u64>,
    step: Cell<u64>,
    /// During a reordering of blocks, the function of their edge variables, referenced; else null.
    glue: Cell<*mut DdNode>,
}

#[derive(Default)]
struct Groups {
    members: Vec<Vec<Var>>,
    /// The size of the largest group.
    widest: usize,
    /// The group of each variable.
    of: Vec<usize>,
}

impl Ordering {
    pub(super) fn new(policy: Reorder) -> Ordering {
        Ordering {
            policy,
            groups: RefCell::default(),
            reordering: RefCell::default(),
            live_before: Cell::new(0),
            spent: Cell::new(0),
            work_before: Cell::new(0),
            gained: Cell::new(false),
            allowed: Cell::new(false),
            allowance_lost: Cell::new(false),
            suspended: Cell::new(false),
            wanted: Cell::new(FIRST_REORDERING),
            support: Cell::new(0),
            counted_again_at: Cell::new(0),
            step: Cell::new(FIRST_STEP),
            glue: Cell::new(ptr::null_mut()),
        }
    }

    pub(super) fn is_reordering(&self) -> bool {
        self.reordering.borrow().is_some()
    }
}

impl ManagerCore {
    pub(super) fn install_ordering(&self) {
        use ffi::Cudd_HookType::{CUDD_POST_REORDERING_HOOK, CUDD_PRE_REORDERING_HOOK};
        // SAFETY: the manager is valid, and the hooks are meant for it.
        unsafe {
            ffi::Cudd_AddHook(self.dd(), before_reordering, CUDD_PRE_REORDERING_HOOK);
            ffi::Cudd_AddHook(self.dd(), after_reordering, CUDD_POST_REORDERING_HOOK);
        }
        self.reorder_at(self.emergency());
        // Enabling also frees a queue of nodes to dereference later, which only C code uses.
        // SAFETY: the manager is valid.
        unsafe { ffi::Cudd_AutodynEnable(self.dd(), CUDD_REORDER_GROUP_SIFT) };
        if self.ordering.policy == Reorder::Off {
            // SAFETY: the manager is valid.
            unsafe { ffi::Cudd_AutodynDisable(self.dd()) };
        }
    }

    /// Puts things in order after a failure: CUDD switches automatic reordering off when it gives one up.
    pub(super) fn resume_reordering(&self) {
        self.fell_groups();
        if self.ordering.policy != Reorder::Off {
            // SAFETY: the manager is valid.
            unsafe { ffi::Cudd_AutodynEnable(self.dd(), CUDD_REORDER_GROUP_SIFT) };
        }
    }

    /// What the next reordering may cost: a part of all operations since the last one (looks into the cache, each
    /// about as long as swapping a node). All is counted, nothing is timed: equal runs reorder equally.
    fn budget(&self, live: u64) -> u64 {
        let earned = self.earned();
        if self.explodes(live) { earned.max(ALLOWANCE) } else { earned }
    }

    fn earned(&self) -> u64 {
        let share = if self.ordering.gained.get() { SHARE_WITH_GAIN } else { SHARE };
        (self.work() / share).saturating_sub(self.ordering.spent.get())
    }

    fn explodes(&self, live: u64) -> bool {
        let work = self.work() - self.ordering.work_before.get();
        live >= MANY && work < EXPLOSIVE * live && !self.ordering.allowance_lost.get()
    }

    /// What operations have done so far: looks into the cache.
    fn work(&self) -> u64 {
        // SAFETY: the manager is valid; this only reads a counter.
        unsafe { ffi::Cudd_ReadCacheLookUps(self.dd()) as u64 }
    }

    /// What sifting one block costs, which cannot be interrupted: each of its w levels is taken past all others, down
    /// and up, w·V swaps that touch twice a V-th of the nodes; blocks that are sifted have more than their share.
    fn block_cost(&self, live: u64) -> u64 {
        let widest = self.ordering.groups.borrow().widest as u64;
        widest * (8 * live + 2 * EMPTY_SWAP * self.variable_count() as u64)
    }

    /// What CUDD does before the first swap, which cannot be interrupted either: for n functions of s variables each, of V
    /// in all, it makes n·s·V steps, and 2·V·V for the variables themselves and the function of the edge variables. With
    /// hundreds of variables that is nothing. With tens of thousands, or with thousands in each of thousands of functions, it
    /// can be more than all the work so far. The functions are no more than the handles.
    fn setup_cost(&self) -> u64 {
        let variables = self.variable_count() as u64;
        let handles = self.held.borrow().count() as u64;
        let walks = handles.saturating_mul(1 + self.ordering.support.get()).saturating_add(2 * variables);
        walks.saturating_mul(variables) / STEPS_PER_LOOK
    }

    /// Counts the variables of some functions.
    fn sample_supports(&self) {
        let sample = self.held.borrow().sample(SAMPLES);
        // SAFETY: manager and nodes are valid: a handle holds each of them.
        let sizes = sample.iter().map(|node| unsafe { ffi::Cudd_SupportSize(self.dd(), node.as_ptr()) });
        // Without memory for the count it is negative; then as many as there are.
        let sizes = sizes.map(|size| u64::try_from(size).unwrap_or(self.variable_count() as u64));
        self.ordering.support.set(sizes.sum::<u64>().div_ceil(sample.len().max(1) as u64));
    }

    /// Whether all that another reordering does at least was earned. The variables of functions are counted only if
    /// nothing else speaks against it, and then not again until about as much was worked as counting takes.
    fn is_reordering_due(&self) -> bool {
        let (live, ordering) = (self.live_nodes(), &self.ordering);
        let affordable = |setup: u64| setup.saturating_add(self.block_cost(live)) <= self.budget(live);
        if live < ordering.wanted.get() || self.work() < ordering.counted_again_at.get() || !self.pairs_fit()
        {
            return false;
        }
        ordering.support.set(0);
        if !affordable(self.setup_cost()) {
            return false;
        }
        self.sample_supports();
        ordering.counted_again_at.set(self.work() + live);
        affordable(self.setup_cost())
    }

    /// The nodes at which CUDD reorders in the middle of an operation, whatever it costs. An operation that makes as many
    /// nodes as looks are needed before the first swap has done as much work itself.
    fn emergency(&self) -> u64 {
        self.ordering.wanted.get().saturating_mul(EMERGENCY).max(self.setup_cost())
    }

    /// Whether there is memory for the pairs of variables.
    fn pairs_fit(&self) -> bool {
        let variables = self.variable_count() as u64;
        variables * variables / 16 <= self.limits.memory.unwrap_or(DEFAULT_BUDGET) / PAIRS_SHARE
    }

    /// Bounds the coming reordering. CUDD sifts the largest blocks first and stops after the given number of swaps.
    fn bound_reordering(&self) {
        let live = self.live_nodes().max(1);
        self.ordering.live_before.set(live);
        let swaps = match self.ordering.policy {
            Reorder::Off => return,
            Reorder::Always => live.max(FEWEST_SWAPS),
            Reorder::Auto => self.swaps_to_spend(live),
        };
        let swaps = swaps.clamp(1, MOST_SWAPS) as c_int;
        // SAFETY: the manager is valid; this only stores the number.
        unsafe { ffi::Cudd_SetSiftMaxSwap(self.dd(), swaps) };
    }

    /// The swaps that the work done so far pays for. They count as spent.
    fn swaps_to_spend(&self, live: u64) -> u64 {
        let (budget, variables) = (self.budget(live), self.variable_count() as u64);
        let left = budget.saturating_sub(self.setup_cost());
        self.ordering.allowed.set(budget > self.earned());
        self.ordering.spent.set(self.ordering.spent.get() + budget);
        self.ordering.work_before.set(self.work());
        left.saturating_mul(variables) / (2 * live + EMPTY_SWAP * variables)
    }

    /// Called at the start of each operation.
    pub(super) fn expect_reordering(&self) {
        match self.ordering.policy {
            Reorder::Off => {}
            Reorder::Always => {
                self.ordering.step.set(FIRST_STEP);
                self.reorder_at(self.live_nodes() + FIRST_STEP);
            }
            Reorder::Auto if self.ordering.suspended.get() => self.reorder_at(u64::MAX),
            Reorder::Auto => {
                let due = self.is_reordering_due();
                self.reorder_at(if due { self.live_nodes() } else { self.emergency() });
            }
        }
    }

    fn reorder_at(&self, nodes: u64) {
        let nodes = nodes.max(FEWEST_NODES);
        // SAFETY: the manager is valid; this only stores the number.
        unsafe { ffi::Cudd_SetNextReordering(self.dd(), c_uint::try_from(nodes).unwrap_or(c_uint::MAX)) }
    }

    /// The place of a variable in the order, counted from the top.
    pub(super) fn level(&self, var: Var) -> c_int {
        // SAFETY: the manager is valid; CUDD checks the index.
        unsafe { ffi::Cudd_ReadPerm(self.dd(), var.index()) }
    }

    /// The top and bottom level among the variables.
    fn levels_of(&self, vars: &[Var]) -> (c_int, c_int) {
        let levels = || vars.iter().map(|&var| self.level(var));
        (
            levels().min().expect("a group is made with a variable"),
            levels().max().expect("a group is made with a variable"),
        )
    }

    fn order(&self) -> impl Iterator<Item = Var> {
        let levels = 0..Var::from_index(self.variable_count()).index();
        // SAFETY: the manager is valid, and these are its levels.
        levels.map(|level| Var::from_index(unsafe { ffi::Cudd_ReadInvPerm(self.dd(), level) }))
    }

    /// Plants the tree of groups; false when memory is short.
    fn plant_groups(&self) -> bool {
        let groups = self.ordering.groups.borrow();
        let mut blocks: Vec<(c_int, Var, usize)> = groups
            .members
            .iter()
            .filter_map(|members| {
                let top = members.iter().copied().min_by_key(|&var| self.level(var))?;
                Some((self.level(top), top, members.len()))
            })
            .collect();
        // From the bottom up, each block goes to the front of the list of siblings without a search.
        blocks.sort_unstable_by_key(|&(level, ..)| std::cmp::Reverse(level));
        // SAFETY: the manager is valid.
        unsafe { ffi::Cudd_FreeTree(self.dd()) };
        blocks.into_iter().all(|(_, top, width)| {
            let width = c_uint::try_from(width).expect("a group has fewer variables than a manager");
            // SAFETY: the manager is valid, and the variables of the block exist.
            !unsafe { ffi::Cudd_MakeTreeNode(self.dd(), top.0, width, ffi::MTR_FIXED) }.is_null()
        })
    }

    /// Makes all edge variables of blocks occur in one function; false when memory is short.
    fn glue_blocks(&self) -> bool {
        let groups = self.ordering.groups.borrow();
        if groups.members.iter().all(|members| members.len() < 2) {
            return true;
        }
        let edge = |var: &Var| {
            let members = &groups.members[groups.of[var.0 as usize]];
            let (top, bottom) = self.levels_of(members);
            [top, bottom].contains(&self.level(*var))
        };
        let mut indices: Vec<c_int> = self.order().filter(edge).map(Var::index).collect();
        let length = Var::from_index(indices.len()).index();
        // This may run in the middle of an operation that made a node too many. CUDD is about to collect garbage
        // and to start that operation over, so it is prepared for anything but another reordering.
        self.reorder_at(u64::MAX);
        self.without_limits(|| {
            // SAFETY: the manager is valid, and these are its variables.
            let glue = unsafe { ffi::Cudd_IndicesToCube(self.dd(), indices.as_mut_ptr(), length) };
            if !glue.is_null() {
                // SAFETY: CUDD just returned the node.
                unsafe { ffi::Cudd_Ref(glue) };
            }
            self.ordering.glue.set(glue);
            !glue.is_null()
        })
    }

    /// Undoes `plant_groups` and `glue_blocks`.
    fn fell_groups(&self) {
        self.ordering.reordering.take();
        // SAFETY: the manager is valid.
        unsafe { ffi::Cudd_FreeTree(self.dd()) };
        let glue = self.ordering.glue.replace(ptr::null_mut());
        if !glue.is_null() {
            // SAFETY: `glue_blocks` took a reference to this node.
            unsafe { ffi::Cudd_IterDerefBdd(self.dd(), glue) };
        }
    }

    fn after_reordering(&self) {
        self.fell_groups();
        let live = self.live_nodes();
        match self.ordering.policy {
            Reorder::Always => {
                let step = self.ordering.step.get() * 2;
                self.ordering.step.set(step);
                self.reorder_at(live + step);
            }
            // If little was gained, the order is about as good as sifting gets it: try much later.
            Reorder::Auto | Reorder::Off => {
                let gained = live * 5 < self.ordering.live_before.get() * 4;
                self.ordering.gained.set(gained);
                if self.ordering.allowed.replace(false) && !gained {
                    self.ordering.allowance_lost.set(true);
                }
                let wanted = (live * if gained { 2 } else { 4 }).max(FIRST_REORDERING);
                self.ordering.wanted.set(wanted);
                self.ordering.counted_again_at.set(0);
                self.reorder_at(self.emergency());
            }
        }
    }
}

extern "C" fn before_reordering(dd: *mut DdManager, _: *const c_char, _: *mut c_void) -> c_int {
    // SAFETY: only called by the manager of a living core.
    let core = unsafe { ManagerCore::of(dd) };
    core.ordering.reordering.replace(Some(phase::enter_part("reordering the BDD variables", true)));
    core.bound_reordering();
    c_int::from(core.plant_groups() && core.glue_blocks())
}

extern "C" fn after_reordering(dd: *mut DdManager, _: *const c_char, _: *mut c_void) -> c_int {
    // SAFETY: only called by the manager of a living core.
    unsafe { ManagerCore::of(dd) }.after_reordering();
    1
}

impl Manager {
    /// Adds a group of `width` variables at the bottom of the order. The first of them is the lowest in the group,
    /// and should be the one that will occur most.
    pub fn new_group(&self, width: usize) -> Result<Vec<Var>, Stop> {
        self.core.enter()?;
        let bottom = Var::from_index(self.core.variable_count()).index();
        let group = {
            let mut groups = self.core.ordering.groups.borrow_mut();
            groups.members.push(Vec::new());
            groups.members.len() - 1
        };
        (0..width).map(|_| self.add_variable(group, bottom)).collect()
    }

    /// Adds variables to the group of `member`, above those it has.
    pub fn extend_group(&self, member: Var, more: usize) -> Result<Vec<Var>, Stop> {
        self.core.enter()?;
        let (top, _) = self.core.levels_of(&self.group_of(member));
        let group = self.core.ordering.groups.borrow().of[member.0 as usize];
        (0..more).map(|_| self.add_variable(group, top)).collect()
    }

    /// Adds one variable at a level, moving down what is there.
    fn add_variable(&self, group: usize, level: c_int) -> Result<Var, Stop> {
        let var = Var::from_index(self.core.variable_count());
        // SAFETY: the manager is valid; the level is one of its levels or the next; and there is no tree of groups
        // for CUDD to adjust.
        let node = self.core.without_limits(|| unsafe { ffi::Cudd_bddNewVarAtLevel(self.core.dd(), level) });
        if node.is_null() {
            return Err(self.core.failure());
        }
        let mut groups = self.core.ordering.groups.borrow_mut();
        groups.of.push(group);
        groups.members[group].push(var);
        groups.widest = groups.widest.max(groups.members[group].len());
        Ok(var)
    }

    /// The variables of the group of `member`, in order of creation.
    pub fn group_of(&self, member: Var) -> Vec<Var> {
        self.core.expect_known(member);
        let groups = self.core.ordering.groups.borrow();
        groups.members[groups.of[member.0 as usize]].clone()
    }

    /// All variables, from the top of the order to the bottom.
    pub fn order(&self) -> Vec<Var> {
        self.core.order().collect()
    }

    /// Rearranges all variables, given from top to bottom; groups must stay together. Limits are not looked at
    /// on the way, and a bad order can be large, so do this before the diagrams are.
    pub fn set_order(&self, order: &[Var]) -> Result<(), Stop> {
        self.expect_order(order);
        self.core.enter()?;
        let mut indices: Vec<c_int> = order.iter().map(|var| var.index()).collect();
        // SAFETY: the manager is valid, and `expect_order` saw each of its variables once.
        let done = unsafe { ffi::Cudd_ShuffleHeap(self.core.dd(), indices.as_mut_ptr()) };
        if done == 0 { Err(self.core.failure()) } else { self.core.finish() }
    }

    fn expect_order(&self, order: &[Var]) {
        let groups = self.core.ordering.groups.borrow();
        let mut seen = vec![false; self.core.variable_count()];
        let mut left_in_group = 0;
        let mut group = usize::MAX;
        for &var in order {
            self.core.expect_known(var);
            assert!(!std::mem::replace(&mut seen[var.0 as usize], true), "{var:?} occurs twice in the order");
            if left_in_group == 0 {
                group = groups.of[var.0 as usize];
                left_in_group = groups.members[group].len();
            }
            assert!(
                groups.of[var.0 as usize] == group,
                "the order separates {var:?} from its group or cuts another"
            );
            left_in_group -= 1;
        }
        assert!(seen.iter().all(|&seen| seen), "the order leaves out variables");
    }

    /// Does something without reorderings by themselves: while facts are loaded there is nothing yet to judge an order by.
    pub fn without_reordering<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = self.core.ordering.suspended.replace(true);
        let result = work();
        self.core.ordering.suspended.set(before);
        result
    }

    /// Reorders now, whatever the policy.
    pub fn reorder_now(&self) -> Result<(), Stop> {
        self.core.enter()?;
        // SAFETY: the manager is valid.
        let done = unsafe { ffi::Cudd_ReduceHeap(self.core.dd(), CUDD_REORDER_GROUP_SIFT, 0) };
        if done == 0 { Err(self.core.failure()) } else { self.core.finish() }
    }

    /// How often variables were reordered so far.
    pub fn reorderings(&self) -> u64 {
        // SAFETY: the manager is valid.
        u64::from(unsafe { ffi::Cudd_ReadReorderings(self.core.dd()) })
    }
}
