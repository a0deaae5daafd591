//! What solving took, per relation and per clause.

use super::samples::Samples;
use crate::bdd;
use crate::span::Span;
use num_bigint::BigUint;
use std::time::Duration;

/// A number of tuples.
pub type Count = BigUint;

#[derive(Clone, Debug, Default)]
pub struct Statistics {
    pub relations: Vec<RelationStats>,
    /// Relations that were evaluated along with others, to see a verdict early, and never for themselves.
    pub watched: Vec<RelationStats>,
    pub bdd: Option<bdd::Stats>,
    pub time: Duration,
    /// Parts of that time that belong to no relation.
    pub phases: Phases,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Phases {
    /// Components and places of columns.
    pub planning: Duration,
    /// The BDD manager with its tables and variables.
    pub preparing: Duration,
    /// Counting for these statistics.
    pub counting: Duration,
    /// The tuples of queries.
    pub listing: Duration,
}

#[derive(Clone, Debug, Default)]
pub struct RelationStats {
    pub title: String,
    pub span: Span,
    /// How often new rows were taken up (or, evaluated naively, how often the equation was evaluated).
    pub rounds: u64,
    pub rows: usize,
    pub tuples: Count,
    /// BDD nodes of all rows together, shared ones counted once.
    pub nodes: usize,
    /// Its size after some rounds; taken only when asked for.
    pub samples: Samples,
    /// Evaluating its clauses, or loading what is given.
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
    pub span: Span,
    /// How often the clause was evaluated.
    pub rounds: u64,
    /// How often it brought a row something new.
    pub rows: u64,
    /// How many tuples were new when it brought them; counted only when asked for.
    pub tuples: Count,
    /// The largest BDD that it brought.
    pub nodes: usize,
    pub time: Duration,
}
