//! Explanations: derivations in the words of the file, and the runs of a program that they stand for.
//!
//! | file | what it does |
//! |---|---|
//! | `goal` | reads what is to be explained |
//! | `moves` | a derivation as moves of threads, as the file's marks say |

use crate::model::Model;
use crate::model::trace::Trace;
use crate::run::{CheckedFile, Outcome, Request, Settings, check};
use calculus::bdd::Stop;
use calculus::check::tree::VerdictKind;
use calculus::diagnostic::Rejection;
use calculus::phase;
use calculus::solve::{self, Effort, Ending, Explanation, Goal, Statistics, Strategy};

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

/// The run behind an `unsafe` verdict; nothing for other verdicts.
pub fn trace(
    request: &Request,
    settings: &Settings,
    model: &dyn Model,
    outcome: &Outcome,
) -> Result<Option<Traced>, Rejection> {
    let Ending::Verdict { number, kind: VerdictKind::Unsafe, .. } = outcome.answer.ending else {
        return Ok(None);
    };
    // The same file again, with the parameters at which the verdict was found.
    let checked = check(&Request { params: outcome.system.params.clone(), ..request.clone() })?;
    let CheckedFile { system, core, .. } = &checked;
    let Some(condition) = system.verdicts[number].condition else {
        return Ok(Some(Traced::None("this verdict holds without a condition".into())));
    };
    let run = system.traces.first().map_or(condition, |trace| trace.relation);
    let settings = Settings { strategy: Strategy::SemiNaive, ..settings.clone() };
    let found = Some(effort(&outcome.answer.statistics));
    let derivation = match solve::explain(core, &settings, &Goal::Run { condition, run, found }) {
        Explanation::Present(derivation) => derivation,
        Explanation::Absent(_) => {
            let name = &system.relations[run.0 as usize].name;
            let why = format!(
                "`trace {name}` does not hold although the verdict is unsafe: one of the two is wrong"
            );
            return Ok(Some(Traced::None(why)));
        }
        Explanation::Stopped(stop) => return Ok(Some(Traced::None(stopped(stop)))),
    };
    Ok(Some(match moves::moves(model, system, core, &derivation) {
        Err(moves::NoRun::NoMoves) => {
            Traced::None("its derivation mentions no thread that starts: `start[t](q)`".into())
        }
        Err(moves::NoRun::TooLong) => Traced::None(format!("it has more than {} steps", moves::LONGEST)),
        Err(moves::NoRun::NotStarted(by)) => {
            let who = by.map_or("a thread".into(), |by| format!("the thread at position {by}"));
            Traced::None(format!("{who} moves before it starts: put `start` before its moves, or say `by`"))
        }
        Ok(moves) => {
            let _executing = phase::enter_part("executing the trace", true);
            match model.replay(&moves) {
                Ok(trace) => Traced::Trace(trace),
                Err(mismatch) => Traced::Wrong(format!("move {}: {}", mismatch.number, mismatch.what)),
            }
        }
    }))
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

/// Explains a tuple of the system that a request describes.
pub fn explain(request: &Request, settings: &Settings, text: &str) -> Result<Explained, Rejection> {
    let checked = check(request)?;
    let question = goal::parse(&checked.system, text)?;
    let goal = Goal::Tuple { relation: question.relation, pattern: question.pattern.clone() };
    let settings = Settings { strategy: Strategy::SemiNaive, ..settings.clone() };
    let explanation = solve::explain(&checked.core, &settings, &goal);
    Ok(Explained { checked, question, explanation })
}
