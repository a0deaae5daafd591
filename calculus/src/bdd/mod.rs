//! Safe handles over CUDD.
