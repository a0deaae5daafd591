//! The Boolean operations.

use super::ffi::{self, DdManager, DdNode};
use super::{Bdd, Cube, Renaming, Stop, Var};

type BinaryFunction = unsafe extern "C" fn(*mut DdManager, *mut DdNode, *mut DdNode) -> *mut DdNode;
type Ternary = unsafe extern "C" fn(*mut DdManager, *mut DdNode, *mut DdNode, *mut DdNode) -> *mut DdNode;

impl Bdd {
    /// ¬self. Costs nothing.
    #[must_use]
    pub fn not(&self) -> Bdd {
        // SAFETY: the complement of a node of this manager is one, too, and shares its reference count.
        unsafe { Bdd::from_node(&self.core, ffi::complement_if(self.node(), true)) }
    }

    /// self ∧ other
    pub fn and(&self, other: &Bdd) -> Result<Bdd, Stop> {
        self.binary(other, ffi::Cudd_bddAnd)
    }

    /// self ∨ other
    pub fn or(&self, other: &Bdd) -> Result<Bdd, Stop> {
        self.binary(other, ffi::Cudd_bddOr)
    }

    /// self ≠ other
    pub fn xor(&self, other: &Bdd) -> Result<Bdd, Stop> {
        self.binary(other, ffi::Cudd_bddXor)
    }

    /// self = other
    pub fn iff(&self, other: &Bdd) -> Result<Bdd, Stop> {
        self.binary(other, ffi::Cudd_bddXnor)
    }

    /// self → other
    pub fn implies(&self, other: &Bdd) -> Result<Bdd, Stop> {
        Ok(self.and_not(other)?.not())
    }

    /// self ∧ ¬other
    pub fn and_not(&self, other: &Bdd) -> Result<Bdd, Stop> {
        self.and(&other.not())
    }

    /// `yes` where self is true, `no` elsewhere.
    pub fn ite(&self, yes: &Bdd, no: &Bdd) -> Result<Bdd, Stop> {
        self.ternary(yes, no, ffi::Cudd_bddIte)
    }

    /// ∃ vars. self
    pub fn exists(&self, vars: &Cube) -> Result<Bdd, Stop> {
        if vars.is_empty() {
            Ok(self.clone())
        } else {
            self.binary(&vars.product, ffi::Cudd_bddExistAbstract)
        }
    }

    /// ∀ vars. self
    pub fn forall(&self, vars: &Cube) -> Result<Bdd, Stop> {
        if vars.is_empty() { Ok(self.clone()) } else { self.binary(&vars.product, ffi::Cudd_bddUnivAbstract) }
    }

    /// ∃ vars. self ∧ other, without the conjunction in full.
    pub fn and_exists(&self, other: &Bdd, vars: &Cube) -> Result<Bdd, Stop> {
        if vars.is_empty() {
            self.and(other)
        } else {
            self.ternary(other, &vars.product, ffi::Cudd_bddAndAbstract)
        }
    }

    /// Replaces variables, all at the same time. The identity is free.
    pub fn rename(&self, renaming: &Renaming) -> Result<Bdd, Stop> {
        if renaming.is_identity() || self.is_constant() {
            return Ok(self.clone());
        }
        self.core.enter()?;
        let node = renaming.with_table(self.core.variable_count(), |table| {
            // SAFETY: manager and node are valid, and the table leads each variable of the manager to one of it.
            unsafe { ffi::Cudd_bddPermute(self.core.dd(), self.node(), table.as_mut_ptr()) }
        });
        // SAFETY: CUDD just returned the node.
        unsafe { self.core.leave(node) }
    }

    /// Replaces a variable by a function.
    pub fn compose(&self, var: Var, by: &Bdd) -> Result<Bdd, Stop> {
        by.expect_manager(&self.core);
        self.core.expect_known(var);
        self.core.enter()?;
        // SAFETY: manager, nodes and variable are valid and belong together.
        let node = unsafe { ffi::Cudd_bddCompose(self.core.dd(), self.node(), by.node(), var.index()) };
        // SAFETY: CUDD just returned the node.
        unsafe { self.core.leave(node) }
    }

    /// What is left of the function where the variable has the value.
    pub fn cofactor(&self, var: Var, value: bool) -> Result<Bdd, Stop> {
        self.binary(&self.manager().literal(var, value), ffi::Cudd_Cofactor)
    }

    /// A function that agrees with self wherever `care` holds, and is no larger than self; hopefully smaller.
    pub fn simplify_with(&self, care: &Bdd) -> Result<Bdd, Stop> {
        self.binary(care, ffi::Cudd_bddRestrict)
    }

    /// A function between self and `upper`, which must include self; no larger than either, hopefully smaller.
    pub fn between(&self, upper: &Bdd) -> Result<Bdd, Stop> {
        self.binary(upper, ffi::Cudd_bddSqueeze)
    }

    /// self ⊆ other
    pub fn is_subset(&self, other: &Bdd) -> Result<bool, Stop> {
        Ok(!self.intersects(&other.not())?)
    }

    /// self ∩ other ≠ ∅
    pub fn intersects(&self, other: &Bdd) -> Result<bool, Stop> {
        // CUDD's test for inclusion cannot be stopped. This makes one witness, hence few nodes, and can.
        Ok(!self.binary(other, ffi::Cudd_bddIntersect)?.is_zero())
    }

    fn binary(&self, other: &Bdd, operation: BinaryFunction) -> Result<Bdd, Stop> {
        other.expect_manager(&self.core);
        self.core.enter()?;
        // SAFETY: manager and nodes are valid and belong together; `operation` is one of CUDD's on two BDDs.
        let node = unsafe { operation(self.core.dd(), self.node(), other.node()) };
        // SAFETY: CUDD just returned the node.
        unsafe { self.core.leave(node) }
    }

    fn ternary(&self, second: &Bdd, third: &Bdd, operation: Ternary) -> Result<Bdd, Stop> {
        second.expect_manager(&self.core);
        third.expect_manager(&self.core);
        self.core.enter()?;
        // SAFETY: manager and nodes are valid and belong together; `operation` is one of CUDD's on three BDDs.
        let node = unsafe { operation(self.core.dd(), self.node(), second.node(), third.node()) };
        // SAFETY: CUDD just returned the node.
        unsafe { self.core.leave(node) }
    }
}
