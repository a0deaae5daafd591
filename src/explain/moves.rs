//! From a derivation to the moves of a run.
//!
//! A derivation is read from left to right in the order of the text. `start[t](q)` is a thread at position t that
//! begins; `step`, `call` and `ret` are its moves. The marks of the file say what belongs to the run (see the reference:
//! `given`, `within`, `outside`), who moves (`by`) and in which round (`at`).

use crate::model::Model;
use crate::model::moves::{Move, Moves, Part};
use crate::model::schema::RunEvent;
use calculus::check::tree::{Mark, System};
use calculus::elaborate::core::Core;
use calculus::index::Id;
use calculus::solve::{Derivation, Reason, text_order};
use calculus::syntax::ast::Follow;

/// A run that is longer is not written down.
pub const LONGEST: usize = 200_000;

/// Why a derivation is no run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoRun {
    /// Nothing in it is a move or a thread that starts.
    NoMoves,
    TooLong,
    /// A thread moves that was not started: its position.
    NotStarted(Option<i64>),
}

/// The moves of a derivation. In a run with rounds they are sorted by round, by position and by when their threads
/// started.
pub fn moves(
    model: &dyn Model,
    system: &System,
    core: &Core,
    derivation: &Derivation,
) -> Result<Moves, NoRun> {
    let mut out = Moves::default();
    let mut work = vec![(0, false, Mark::default())];
    while let Some((number, inside, mark)) = work.pop() {
        let node = &derivation.nodes[number];
        if out.moves.len() > LONGEST {
            return Err(NoRun::TooLong);
        }
        let Reason::Rule { number: rule, premises, .. } = &node.reason else {
            if let Some(relation) = system.relations.get(node.relation.index()) {
                add(&mut out, model.event(&relation.name, &relation.numbers(), &node.tuple), mark)?;
            }
            continue;
        };
        let rule = &core.rules(node.relation)[*rule];
        for at in text_order(rule).into_iter().rev() {
            let (Some(premise), mark) = (premises[at], rule.atoms[at].site.mark) else { continue };
            match mark.follow {
                Some(Follow::Given) => {}
                Some(Follow::Outside) if inside => {}
                Some(Follow::Within) => work.push((premise, true, mark)),
                _ => work.push((premise, inside, mark)),
            }
        }
    }
    if out.parts.is_empty() {
        return Err(NoRun::NoMoves);
    }
    if out.moves.iter().any(|made| made.round.is_some()) {
        let parts = &out.parts;
        out.moves.sort_by_key(|made| (made.round, parts[made.part].position, made.part));
    }
    Ok(out)
}

/// A fact or a row of the model: a thread that starts, a move, or nothing of the kind.
fn add(moves: &mut Moves, event: Option<RunEvent>, mark: Mark) -> Result<(), NoRun> {
    match event {
        None => {}
        Some(RunEvent::Begin { position }) => moves.parts.push(Part { position }),
        Some(RunEvent::Move { state, before, after }) => {
            let mover = |part: &Part| mark.by.is_none_or(|by| part.position == by);
            let part = moves.parts.iter().rposition(mover).ok_or(NoRun::NotStarted(mark.by))?;
            moves.moves.push(Move {
                part,
                round: mark.at,
                state: state.into_iter().cloned().collect(),
                shared: after.to_vec(),
                before: before.to_vec(),
            });
        }
    }
    Ok(())
}
