//! How to solve a system, and what comes out.

use super::explicit::{Explicit, ExplicitRelations};
use super::kept::Kept;
use super::solver::Solver;
use super::statistics::Statistics;
use super::tuples::Tuples;
use crate::bdd::{Limits, Reorder, Stop};
use crate::check::tree::{System, VerdictKind};
use crate::elaborate::core::Core;
use crate::phase;
use crate::plan::written_order;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// Which tuples a round evaluates rules on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// On those that were new in the round before, joined with all.
    #[default]
    SemiNaive,
    /// On all of them, always.
    Naive,
}

/// How to solve. None of it changes an answer; limits may keep it from being found.
#[derive(Clone)]
pub struct Settings {
    /// Which tuples a round evaluates rules on.
    pub strategy: Strategy,
    /// Stop as soon as a verdict is clear.
    pub early_stop: bool,
    /// Keep what an edge of a model leaves alone as equalities, not in BDDs.
    pub frames: bool,
    /// Go on from what is known of inner fixed points when the outer ones change.
    pub recycle: bool,
    /// When components are solved on tuples instead of diagrams.
    pub explicit: Explicit,
    /// When the order of BDD variables is improved.
    pub reorder: Reorder,
    /// When to give up.
    pub limits: Limits,
    /// Count the tuples each clause brings, and the time it takes; costs time.
    pub clauses: bool,
    /// Count the tuples and nodes of all relations at the end; costs time.
    pub sizes: bool,
    /// Sample how the relations grow.
    pub samples: bool,
    /// Tell the order of BDD variables at the end.
    pub order: bool,
    /// How many tuples of an open query to list.
    pub list: usize,
    /// Is told what is being done.
    pub progress: Option<Tell>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            strategy: Strategy::SemiNaive,
            early_stop: true,
            frames: true,
            recycle: true,
            explicit: Explicit::Auto,
            reorder: Reorder::Auto,
            limits: Limits::default(),
            clauses: false,
            sizes: true,
            samples: false,
            order: false,
            list: 20,
            progress: None,
        }
    }
}

/// Takes note of what is being done.
pub type Tell = Rc<dyn Fn(&Progress)>;

/// What is being done right now.
#[derive(Clone, Debug)]
pub struct Progress {
    /// The relation that is being solved.
    pub relation: Arc<str>,
    /// The clause that is being evaluated.
    pub clause: Option<Arc<str>>,
    /// The number of its component, from 1.
    pub component: usize,
    /// How many components there are.
    pub components: usize,
    /// The number of the round.
    pub round: u64,
    /// How many rows the relation has.
    pub rows: usize,
    /// How many BDD nodes are alive.
    pub nodes: u64,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Answer {
    /// How the run ended.
    pub ending: Ending,
    /// One for each query of the system.
    pub queries: Vec<QueryAnswer>,
    /// What it took.
    pub statistics: Statistics,
    /// The order of BDD variables at the end, as the items of `hint order`, if it is to be told.
    pub order: Option<Vec<String>>,
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The position of the verdict that holds; `early` if it was seen before everything was solved.
    Verdict {
        /// The position among the verdicts.
        number: usize,
        /// What it says.
        kind: VerdictKind,
        /// Not everything was solved.
        early: bool,
    },
    /// The file has verdicts, and none holds.
    NoVerdictHolds,
    /// The file has no verdicts.
    NoVerdicts,
    /// A limit was reached before the answer.
    Stopped(Stop),
}

/// The answer to one query.
#[derive(Clone, Debug)]
pub struct QueryAnswer {
    /// The position of the query.
    pub query: usize,
    /// Nothing if the run ended before the query was solved.
    pub tuples: Option<Tuples>,
    /// The verdict was clear before: these are the tuples that what is known so far gives, and there may be more.
    pub partial: bool,
}

/// Solves a system: decides its verdicts in order, and answers its queries.
pub fn solve<'a>(system: &System, core: &'a Core, settings: &'a Settings) -> Answer {
    solve_with(system, core, settings, None)
}

/// Solves a system after others that share definitions with it: what those solved is not solved again.
pub fn solve_on<'a>(system: &System, core: &'a Core, settings: &'a Settings, kept: &mut Kept) -> Answer {
    solve_with(system, core, settings, Some(kept))
}

fn solve_with<'a>(
    system: &System,
    core: &'a Core,
    settings: &'a Settings,
    mut kept: Option<&mut Kept>,
) -> Answer {
    let begin = Instant::now();
    let (mut solver, parts) = match Solver::new(core, settings, None) {
        Ok(ready) => ready,
        Err(stop) => {
            let queries = (0..system.queries.len())
                .map(|query| QueryAnswer { query, tuples: None, partial: false })
                .collect();
            return Answer {
                ending: Ending::Stopped(stop),
                queries,
                statistics: Statistics::default(),
                order: None,
            };
        }
    };
    if settings.explicit != Explicit::Never && settings.strategy == Strategy::SemiNaive {
        solver.explicit = Some(ExplicitRelations::new(core));
    }
    let brought = kept.as_mut().map_or(Ok(()), |kept| kept.bring(&mut solver));
    // What could not be brought is still kept as it is.
    let kept = kept.filter(|_| brought.is_ok());
    let ending = brought.and_then(|()| solver.run(system, &parts)).unwrap_or_else(Ending::Stopped);
    let ran = Instant::now();
    // What is evaluated for the queries only now counts for their clauses.
    let evaluated = solver.observer.evaluation_time();
    let listing = phase::enter_polling("listing tuples");
    let (ending, queries) = solver.answer_queries(system, ending);
    drop(listing);
    let counted = Instant::now();
    let evaluated = solver.observer.evaluation_time() - evaluated;
    solver.observer.phases.listing += (counted - ran).saturating_sub(evaluated);
    let time = begin.elapsed();
    let _counting = phase::enter_polling("counting tuples");
    let mut statistics = solver.collect_statistics(system, time);
    statistics.phases.counting += counted.elapsed();
    statistics.time = begin.elapsed();
    let order =
        settings.order.then(|| written_order(system, core, &solver.planner.placement, &solver.space.order()));
    if let Some(kept) = kept {
        solver.make_rows();
        kept.remember(&solver);
    }
    Answer { ending, queries, statistics, order }
}
