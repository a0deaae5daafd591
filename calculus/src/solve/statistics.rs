//! What solving took, per relation and per clause.

use crate::bdd;
use num_bigint::BigUint;
use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub struct Statistics {
    pub relations: Vec<RelationStats>,
    pub bdd: Option<bdd::Stats>,
    pub time: Duration,
}

#[derive(Clone, Debug)]
pub struct RelationStats {
    pub title: String,
    /// How often new rows were taken up (or, evaluated naively, how often the equation was evaluated).
    pub rounds: u64,
    pub rows: usize,
    pub tuples: BigUint,
    /// BDD nodes of all rows together, shared ones counted once.
    pub nodes: usize,
    pub time: Duration,
    /// All of its tuples are known.
    pub complete: bool,
    /// It was solved by a run before this one.
    pub kept: bool,
    pub clauses: Vec<ClauseStats>,
}

#[derive(Clone, Debug, Default)]
pub struct ClauseStats {
    pub name: String,
    /// How often the clause was evaluated.
    pub rounds: u64,
    /// How often it brought a row something new.
    pub rows: u64,
    /// How many tuples were new when it brought them; counted only when asked for.
    pub tuples: BigUint,
    /// The largest BDD that it brought.
    pub nodes: usize,
    pub time: Duration,
}
