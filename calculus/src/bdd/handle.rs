//! Handles: reference counting, identity and shape of a function.

use super::core::ManagerCore;
use super::ffi::{self, DdNode};
use super::{Manager, Var};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ptr::NonNull;
use std::rc::Rc;

/// A Boolean function of the variables of its manager; equivalently, the set of assignments it is true of.
pub struct Bdd {
    /// A node of `core`'s manager, possibly complemented, of which this handle holds one reference.
    node: NonNull<DdNode>,
    /// Its place among all handles.
    place: u32,
    pub(super) core: Rc<ManagerCore>,
}

impl Bdd {
    /// A handle for a node.
    ///
    /// # Safety
    /// `node` must be a node of this manager: referenced by something, or just returned by CUDD.
    pub(super) unsafe fn from_node(core: &Rc<ManagerCore>, node: *mut DdNode) -> Bdd {
        // SAFETY: as promised by the caller.
        unsafe { ffi::Cudd_Ref(node) };
        let node = NonNull::new(node).expect("the caller has seen that CUDD did not fail");
        Bdd { node, place: core.held.borrow_mut().add(node), core: Rc::clone(core) }
    }

    pub(super) fn node(&self) -> *mut DdNode {
        self.node.as_ptr()
    }

    /// Operands of different managers must not meet: CUDD would mix up their nodes.
    pub(super) fn expect_manager(&self, core: &Rc<ManagerCore>) {
        assert!(Rc::ptr_eq(&self.core, core), "a BDD was used with the manager of another");
    }

    /// The manager this function belongs to.
    pub fn manager(&self) -> Manager {
        Manager { core: Rc::clone(&self.core) }
    }

    /// Whether it is true everywhere.
    pub fn is_one(&self) -> bool {
        self.is_constant() && !ffi::is_complement(self.node())
    }

    /// Whether it is false everywhere.
    pub fn is_zero(&self) -> bool {
        self.is_constant() && ffi::is_complement(self.node())
    }

    /// Whether it is one of both.
    pub fn is_constant(&self) -> bool {
        // SAFETY: the node is valid.
        unsafe { ffi::Cudd_IsConstant(self.node()) != 0 }
    }

    /// Equal exactly for equal functions of one manager, and stable while the function has a handle.
    pub fn node_id(&self) -> usize {
        self.node().addr()
    }

    /// The topmost variable the function depends on, and what is left of it where that is false and true.
    /// Nothing for constants. The variable depends on the current order.
    pub fn children(&self) -> Option<(Var, Bdd, Bdd)> {
        if self.is_constant() {
            return None;
        }
        let complement = ffi::is_complement(self.node());
        // SAFETY: the node is valid and not constant, so it has a variable and two children that it references.
        unsafe {
            let node = ffi::regular(self.node());
            let low = ffi::complement_if(ffi::Cudd_E(node), complement);
            let high = ffi::complement_if(ffi::Cudd_T(node), complement);
            let var = Var::from_index(ffi::Cudd_NodeReadIndex(node));
            Some((var, Bdd::from_node(&self.core, low), Bdd::from_node(&self.core, high)))
        }
    }

    /// The value under an assignment.
    pub fn eval(&self, assignment: impl Fn(Var) -> bool) -> bool {
        let mut rest = self.clone();
        while let Some((var, low, high)) = rest.children() {
            rest = if assignment(var) { high } else { low };
        }
        rest.is_one()
    }

    /// Nodes of the diagram, including the constant.
    pub fn node_count(&self) -> usize {
        // SAFETY: the node is valid.
        usize::try_from(unsafe { ffi::Cudd_DagSize(self.node()) }).expect("a size is not negative")
    }

    /// The variables the function depends on, in order of creation.
    pub fn support(&self) -> Vec<Var> {
        let mut indices = std::ptr::null_mut();
        // SAFETY: manager and node are valid. CUDD allocates the array.
        let length = unsafe { ffi::Cudd_SupportIndices(self.core.dd(), self.node(), &mut indices) };
        let length = usize::try_from(length).expect("there is memory for the list of variables");
        if indices.is_null() {
            return Vec::new();
        }
        // SAFETY: CUDD filled `length` places of the array, which nobody else has.
        unsafe {
            let vars =
                std::slice::from_raw_parts(indices, length).iter().map(|&i| Var::from_index(i)).collect();
            ffi::free(indices.cast());
            vars
        }
    }

    /// Panics if the function depends on a variable that is not among `vars`.
    pub(super) fn expect_support_in(&self, vars: &[Var], what: &str) {
        let mut given = vec![false; self.core.variable_count()];
        for &var in vars {
            self.core.expect_known(var);
            assert!(!std::mem::replace(&mut given[var.0 as usize], true), "{what}: {var:?} is given twice");
        }
        for var in self.support() {
            assert!(given[var.0 as usize], "{what}: the function depends on {var:?}, which is not given");
        }
    }
}

impl Clone for Bdd {
    fn clone(&self) -> Bdd {
        // SAFETY: the node is valid and belongs to this manager.
        unsafe { Bdd::from_node(&self.core, self.node()) }
    }
}

impl Drop for Bdd {
    fn drop(&mut self) {
        self.core.held.borrow_mut().remove(self.place);
        // SAFETY: this handle holds a reference to the node, and the manager is still alive.
        unsafe { ffi::Cudd_IterDerefBdd(self.core.dd(), self.node()) }
    }
}

impl PartialEq for Bdd {
    fn eq(&self, other: &Bdd) -> bool {
        self.node == other.node
    }
}

impl Eq for Bdd {}

impl Hash for Bdd {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.node.hash(state);
    }
}

impl fmt::Debug for Bdd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bdd({:#x}, {} nodes)", self.node_id(), self.node_count())
    }
}
