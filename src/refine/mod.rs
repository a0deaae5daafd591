//! Refinement: the predicates that a proof needs are found by looking at runs that only the abstraction has.
//!
//! A round asks a file for an error of the abstraction, and for the run to it. The control flow of the run is followed with
//! real values (`algorithms/abstraction/lib/follow.fp`). Where that cannot be done, the front end says which predicates may
//! show it: weakest preconditions of the guard that does not hold. Of these a round takes as few as are enough to take the run
//! from the abstraction too (`follow_abstract.fp`).
//!
//! | file | what it does |
//! |---|---|
//! | `mod.rs` | the rounds |
//! | `reading.rs` | a model with other predicates, and what files say about it |

mod reading;

use crate::model::route::{Offered, Route};
use crate::model::{FrontEnd, ProgramOptions};
use crate::run::Settings;
use calculus::check::tree::VerdictKind;
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::solve::Ending;
use calculus::sort::Value;
use calculus::span::Source;
use reading::Reading;
use std::collections::BTreeMap;

/// What predicates are to be found for.
#[derive(Clone)]
pub struct Question<'a> {
    /// The file whose abstract errors are looked at.
    pub search: Source,
    pub params: BTreeMap<String, i64>,
    /// The program: its name, its text, and what reads it. The options have the predicates that there are.
    pub program: &'a str,
    pub text: String,
    pub front_end: &'static FrontEnd,
    pub options: ProgramOptions,
    pub settings: Settings,
    /// How many rounds there are at most.
    pub rounds: usize,
    pub sought: Sought,
}

/// What counts as an error of the abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// What the file says.
    Errors,
    /// Also that a value leaves its word. To be asked where there is no other error.
    LeftWords,
}

/// What a round did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    pub sought: Sought,
    /// Steps of the run of the abstraction.
    pub steps: usize,
    /// The first of them that cannot be made, counted from 1, in words: who, where, what.
    pub impossible: Option<(usize, String)>,
    /// The predicates that it gave.
    pub found: Vec<String>,
    /// The run up to the step that cannot be made.
    pub route: Route,
}

/// Why there are no more rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The abstraction has no error that is none of the program, as far as the file looks.
    NoError,
    /// It has one that can be followed to its end: it is one of the program, of so many steps.
    Real(usize),
    /// There is one, and no predicate is known that takes it away.
    NoPredicates,
    /// The predicates are enough for what they are wanted for.
    Enough,
    /// There were as many rounds as there may be.
    Rounds,
    /// A limit was reached, or there is no run to look at.
    Stopped,
}

/// Adds predicates to those in the options until the abstraction has no error that the program does not have.
pub fn refine(question: &mut Question, tell: &mut dyn FnMut(&Round)) -> Result<End, Rejection> {
    refine_until(question, tell, &mut |_| Ok(false))
}

/// As [`refine`]; before each search it is asked whether the predicates are enough already, because that may be known sooner.
pub fn refine_until(
    question: &mut Question,
    tell: &mut dyn FnMut(&Round),
    is_enough: &mut dyn FnMut(&Question) -> Result<bool, Rejection>,
) -> Result<End, Rejection> {
    let mut round = 0;
    loop {
        if is_enough(question)? {
            return Ok(End::Enough);
        }
        let reading = Reading::new(question)?;
        if reading.has_calls() {
            return Err(with_calls().into());
        }
        let outcome = reading.search()?;
        match outcome.answer.ending {
            Ending::Verdict { kind: VerdictKind::Unknown, .. } => {}
            Ending::Stopped(_) => return Ok(End::Stopped),
            _ => return Ok(End::NoError),
        }
        if round == question.rounds {
            return Ok(End::Rounds);
        }
        round += 1;
        let Some(route) = reading.route(&outcome)? else { return Ok(End::Stopped) };
        let Some(followed) = reading.followed(&route)? else { return Ok(End::Stopped) };
        if followed >= route.steps.len() {
            return Ok(End::Real(route.steps.len()));
        }
        let impossible = route.first(followed + 1);
        let offered = reading.model.predicates_against(&impossible);
        let chosen = chosen(question, &impossible, offered)?;
        let place = reading.words(&impossible);
        tell(&Round {
            sought: question.sought,
            steps: route.steps.len(),
            impossible: place.map(|words| (followed + 1, words)),
            found: chosen.clone(),
            route: impossible,
        });
        if chosen.is_empty() {
            return Ok(End::NoPredicates);
        }
        question.options.reading.predicates.extend(chosen);
    }
}

/// Whether another file comes to an answer with the predicates of a question: it finds no error that may be one of the
/// abstraction alone.
pub fn settles(
    question: &Question,
    file: &Source,
    params: &BTreeMap<String, i64>,
) -> Result<bool, Rejection> {
    let with = Question { search: file.clone(), params: params.clone(), ..question.clone() };
    let ending = Reading::new(&with)?.search()?.answer.ending;
    Ok(matches!(ending, Ending::Verdict { kind, .. } if kind != VerdictKind::Unknown))
}

/// Whether the abstraction by the predicates of a question has a run. Nothing if a limit was reached.
pub fn still_has(question: &Question, route: &Route) -> Result<Option<bool>, Rejection> {
    Reading::new(question)?.still_has(route)
}

/// As few of the predicates as are enough to take a run from the abstraction; none if all of them are not enough.
fn chosen(question: &Question, route: &Route, mut offered: Vec<Offered>) -> Result<Vec<String>, Rejection> {
    let takes_away = |predicates: &[Offered]| -> Result<bool, Rejection> {
        let texts = predicates.iter().map(|predicate| predicate.text.clone()).collect::<Vec<_>>();
        Ok(Reading::with(question, &texts)?.still_has(route)? == Some(false))
    };
    // The most promising ones come first: so many of them as are enough, and of these only those that are needed. Special
    // ones come last, however near they are: `s + 1 < t` helps against one run, and the next one needs `s + 2 < t`.
    offered.sort_by_key(|predicate| predicate.special);
    let mut enough = Vec::new();
    let mut is_enough = false;
    for predicate in offered {
        enough.push(predicate);
        if takes_away(&enough)? {
            is_enough = true;
            break;
        }
    }
    if !is_enough {
        return Ok(Vec::new());
    }
    // Special ones first, and of equal ones those that are farther from the step that cannot be made.
    let mut tried = (0..enough.len()).rev().collect::<Vec<_>>();
    tried.sort_by_key(|at| std::cmp::Reverse(enough[*at].special));
    let mut needed = vec![true; enough.len()];
    for at in tried {
        needed[at] = false;
        let rest = enough.iter().zip(&needed).filter(|(_, needed)| **needed).map(|(one, _)| one.clone());
        needed[at] = !takes_away(&rest.collect::<Vec<_>>())?;
    }
    Ok(enough.into_iter().zip(needed).filter(|(_, needed)| *needed).map(|(one, _)| one.text).collect())
}

/// Why predicates are not looked for.
pub fn with_calls() -> Diagnostic {
    let title = "predicates are not looked for in programs with calls";
    let help = "a run is followed with one state for each thread (abstraction/lib/follow.fp), and a thread that has called a procedure \
                has one for each call that is open, as weakest preconditions have variables of each: give the predicates with \
                --predicate to summaries_abstract, or --inline always if nothing is recursive";
    Diagnostic::error("fp::refine_calls", title).help(help)
}

/// The number of a location.
fn location(number: u64) -> Value {
    Value::Name(number)
}
