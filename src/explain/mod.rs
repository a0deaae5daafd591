//! Explanations: derivations in the words of the file, and the runs of a program that they stand for.
//!
//! | file | what it does |
//! |---|---|
//! | `goal` | reads what is to be explained |
//! | `moves` | a derivation as moves of threads, as the file's marks say |

use crate::model::Model;
use crate::model::moves::Moves;
use crate::model::trace::{NotReplayed, Trace};
use crate::run::{CheckedFile, Outcome, Request, Settings, check};
use calculus::bdd::Stop;
use calculus::check::tree::{RelId, System, VerdictKind};
use calculus::diagnostic::Rejection;
use calculus::phase;
use calculus::solve::{self, Derivation, Effort, Ending, Explanation, Goal, Statistics, Strategy};

pub mod goal;
pub mod moves;

/// What became of a trace that was asked for.
#[derive(Clone, Debug)]
pub enum Traced {
    Trace(Trace),
    /// There is none, and why.
    None(String),
    /// The solver and the interpreter disagree: one of them is wrong.
    Wrong(String),
}

/// What the trace of a file is about: the run behind an `unsafe` verdict. In a file that has no such verdict, a `trace` is
/// about whatever the file answers.
fn reason(system: &System, ending: &Ending) -> Option<Result<(RelId, RelId), &'static str>> {
    let run = system.traces.first().map(|trace| trace.relation);
    match *ending {
        Ending::Verdict { number, kind: VerdictKind::Unsafe, .. } => {
            Some(match system.verdicts[number].condition {
                Some(condition) => Ok((condition, run.unwrap_or(condition))),
                None => Err("this verdict holds without a condition"),
            })
        }
        Ending::Stopped(_) => None,
        _ if system.verdicts.iter().any(|verdict| verdict.kind == VerdictKind::Unsafe) => None,
        _ => run.map(|run| Ok((run, run))),
    }
}

/// The run behind an answer; nothing for an answer that has none.
pub fn trace(
    request: &Request,
    settings: &Settings,
    model: &dyn Model,
    outcome: &Outcome,
) -> Result<Option<Traced>, Rejection> {
    if reason(&outcome.system, &outcome.answer.ending).is_none() {
        return Ok(None);
    }
    // The same file again, with the parameters at which the verdict was found.
    let checked = check(&Request { params: outcome.system.params.clone(), ..request.clone() })?;
    let (condition, run) = match reason(&checked.system, &outcome.answer.ending) {
        None => return Ok(None),
        Some(Err(why)) => return Ok(Some(Traced::None(why.into()))),
        Some(Ok(reason)) => reason,
    };
    let CheckedFile { system, core, .. } = &checked;
    let settings = Settings { strategy: Strategy::SemiNaive, ..settings.clone() };
    let is_unsafe = matches!(outcome.answer.ending, Ending::Verdict { kind: VerdictKind::Unsafe, .. });
    let found = is_unsafe.then(|| effort(&outcome.answer.statistics));
    let goal = Goal::Run { condition, run, found };
    Ok(Some(match solve::explain(core, &settings, &goal) {
        Explanation::Present(derivation) => executed(model, &checked, &derivation),
        Explanation::Absent(_) => {
            let name = &system.relations[run.0 as usize].name;
            let although = "although the verdict is unsafe: one of the two is wrong";
            Traced::None(match is_unsafe {
                true => format!("`trace {name}` does not hold {although}"),
                false => format!("`trace {name}` does not hold"),
            })
        }
        Explanation::TooMany => unreachable!("that is said of strategies only"),
        Explanation::Stopped(stop) => Traced::None(stopped(stop)),
    }))
}

/// The moves behind a verdict, whether or not they are a run of the model. Nothing if it has no condition, no moves, or a limit
/// was reached.
pub fn moves_to(
    request: &Request,
    settings: &Settings,
    model: &dyn Model,
    outcome: &Outcome,
) -> Result<Option<Moves>, Rejection> {
    let Ending::Verdict { number, .. } = outcome.answer.ending else { return Ok(None) };
    let checked = check(request)?;
    let Some(relation) = checked.system.verdicts[number].condition else { return Ok(None) };
    let settings = Settings { strategy: Strategy::SemiNaive, ..settings.clone() };
    // Blurred sets have many tuples, and looking for the lowest derivation may take long.
    let found = Some(Effort { rows: 0, tuples: Default::default() });
    let goal = Goal::Run { condition: relation, run: relation, found };
    match solve::explain(&checked.core, &settings, &goal) {
        Explanation::Present(derivation) => {
            Ok(moves::moves(model, &checked.system, &checked.core, &derivation).ok())
        }
        _ => Ok(None),
    }
}

/// The run of a derivation, executed by the model.
fn executed(model: &dyn Model, checked: &CheckedFile, derivation: &Derivation) -> Traced {
    match moves::moves(model, &checked.system, &checked.core, derivation) {
        Err(moves::NoRun::NoMoves) => {
            Traced::None("its derivation mentions no thread that starts: `start[t](q)`".into())
        }
        Err(moves::NoRun::TooLong) => Traced::None(format!("it has more than {} steps", moves::LONGEST)),
        Err(moves::NoRun::NotStarted(by)) => {
            let who = by.map_or("a thread".into(), |by| format!("the thread at position {by}"));
            Traced::None(format!("{who} moves before it starts: put `start` before its moves, or say `by`"))
        }
        Err(moves::NoRun::Alternating(name)) => Traced::None(format!(
            "its derivation comes back to the least fixed point `{name}`, which has a greatest one inside: that \
             is not followed"
        )),
        Err(moves::NoRun::RoundsForever) => {
            Traced::None("a part with rounds repeats forever: leave out `at` in it".into())
        }
        Ok(moves) => {
            let _executing = phase::enter_part("executing the trace", true);
            match model.replay(&moves) {
                Ok(trace) => Traced::Trace(trace),
                Err(NotReplayed::Unknown(why)) => Traced::None(why),
                Err(NotReplayed::Wrong(mismatch)) => {
                    Traced::Wrong(format!("move {}: {}", mismatch.number, mismatch.what))
                }
            }
        }
    }
}

/// What it took to find a verdict.
fn effort(statistics: &Statistics) -> Effort {
    let defined = || statistics.relations.iter().filter(|relation| !relation.clauses.is_empty());
    let rows = defined().map(|relation| relation.rounds).sum();
    Effort { rows, tuples: defined().map(|relation| &relation.tuples).sum() }
}

fn stopped(stop: Stop) -> String {
    format!("the explanation was given up: {stop}")
}

/// The answer to `--explain`.
pub struct Explained {
    pub checked: CheckedFile,
    pub question: goal::Question,
    pub explanation: Explanation,
}

/// A strategy for the tuples of a relation of the system that a request describes.
pub fn strategy(request: &Request, settings: &Settings, text: &str) -> Result<Explained, Rejection> {
    let checked = check(request)?;
    let question = goal::parse_strategy(&checked.system, text)?;
    let goal = Goal::Strategy { relation: question.relation, pattern: question.pattern.clone() };
    let settings = Settings { strategy: Strategy::SemiNaive, ..settings.clone() };
    let explanation = solve::explain(&checked.core, &settings, &goal);
    Ok(Explained { checked, question, explanation })
}

/// Explains a tuple of the system that a request describes.
pub fn explain(request: &Request, settings: &Settings, text: &str) -> Result<Explained, Rejection> {
    let checked = check(request)?;
    let question = goal::parse(&checked.system, text)?;
    let goal = Goal::Tuple { relation: question.relation, pattern: question.pattern.clone() };
    let settings = Settings { strategy: Strategy::SemiNaive, ..settings.clone() };
    let explanation = solve::explain(&checked.core, &settings, &goal);
    Ok(Explained { checked, question, explanation })
}
