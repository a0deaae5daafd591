//! What solving took, per relation and per clause.

use super::samples::Samples;
use crate::bdd;
use crate::span::Span;
use num_bigint::BigUint;
use std::time::Duration;

/// A number of tuples.
pub type Count = BigUint;

/// What a run took.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Of each relation of the file that was solved, or begun.
    pub relations: Vec<RelationStats>,
    /// Relations that were evaluated along with others, to see a verdict early, and never for themselves.
    pub watched: Vec<RelationStats>,
    /// Of the BDD manager, if there was one.
    pub bdd: Option<bdd::Stats>,
    /// From beginning to end.
    pub time: Duration,
    /// Parts of that time that belong to no relation.
    pub phases: Phases,
}

/// Times of what belongs to no relation.
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

/// What one relation took.
#[derive(Clone, Debug, Default)]
pub struct RelationStats {
    /// Its name with its indices.
    pub title: String,
    /// Where it is defined.
    pub span: Span,
    /// How often new rows were taken up (or, evaluated naively, how often the equation was evaluated).
    pub rounds: u64,
    /// How many rows it has.
    pub rows: usize,
    /// How many tuples it has.
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
    /// Of each of its clauses.
    pub clauses: Vec<ClauseStats>,
}

/// What one clause took.
#[derive(Clone, Debug, Default)]
pub struct ClauseStats {
    /// Its label, or its number.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// How often the clause was evaluated.
    pub rounds: u64,
    /// How often it brought a row something new.
    pub rows: u64,
    /// How many tuples were new when it brought them; counted only when asked for.
    pub tuples: Count,
    /// The largest BDD that it brought.
    pub nodes: usize,
    /// Evaluating it.
    pub time: Duration,
}
