//! Runs a bundled algorithm on a program's text, under a treatment.

#![allow(dead_code, reason = "each test binary uses some of it")]

pub mod effects;
#[path = "../../calculus/tests/effort/mod.rs"]
pub mod effort;

use calculus::bdd::Reorder;
use calculus::diagnostic::Rejection;
use calculus::solve::Strategy;
use calculus::span::Source;
use fpsolve::model::boolean::program;
use fpsolve::model::interpret::{Exploration, ExplorationLimits, Machine, Reachability};
use fpsolve::model::program::cfg::inline::Inline;
use fpsolve::model::program::{Options, load};
use fpsolve::model::registry::front_end;
use fpsolve::model::{Model, ProgramOptions};
use fpsolve::run::{Outcome, Request, Settings, behind_dots, files, offered, run as run_request};

/// Choices that must not change an answer.
#[derive(Clone, Debug)]
pub struct Treatment {
    pub inline: Inline,
    pub simplify: bool,
    pub symbolic: bool,
    pub frames: bool,
    pub naive: bool,
    pub reorder: bool,
    pub early_stop: bool,
}

impl Default for Treatment {
    fn default() -> Self {
        Treatment {
            inline: Inline::Auto,
            simplify: true,
            symbolic: false,
            frames: true,
            naive: false,
            reorder: false,
            early_stop: true,
        }
    }
}

impl Treatment {
    /// One of many combinations.
    pub fn number(number: usize) -> Treatment {
        Treatment {
            inline: [Inline::Auto, Inline::Always, Inline::Never][number % 3],
            simplify: number.is_multiple_of(2),
            symbolic: number % 5 == 1,
            frames: number % 4 != 1,
            naive: number % 7 == 3,
            // Reordering all the time is slow.
            reorder: number % 61 == 5,
            early_stop: number % 3 != 1,
        }
    }
}

/// Whether the algorithm finds the program unsafe.
pub fn solve(algorithm: &str, program: &str, treatment: &Treatment) -> bool {
    verdict(algorithm, &[], program, treatment) == "unsafe"
}

/// The verdict, in a word.
pub fn verdict(algorithm: &str, params: &[(&str, i64)], text: &str, treatment: &Treatment) -> &'static str {
    let outcome = run(algorithm, params, text, treatment);
    let outcome = outcome.unwrap_or_else(|rejection| panic!("{algorithm}: {rejection:#?}\n{text}"));
    outcome.conclusion().word().expect("an algorithm with verdicts")
}

pub fn run(
    algorithm: &str,
    params: &[(&str, i64)],
    text: &str,
    treatment: &Treatment,
) -> Result<Outcome, Rejection> {
    run_file(files::find(algorithm, &[])?, params, text, treatment)
}

/// The same for any algorithm.
pub fn run_file(
    file: Source,
    params: &[(&str, i64)],
    text: &str,
    treatment: &Treatment,
) -> Result<Outcome, Rejection> {
    let (request, solving) = request(file, params, text, treatment)?;
    run_request(&request, &solving)
}

/// What is to be run, and how.
pub fn request(
    file: Source,
    params: &[(&str, i64)],
    text: &str,
    treatment: &Treatment,
) -> Result<(Request, Settings), Rejection> {
    let options = ProgramOptions {
        inline: treatment.inline,
        simplify: treatment.simplify,
        named: behind_dots(&file),
        ..ProgramOptions::default()
    };
    let model = program("program.bp", text, &options)?;
    prepared(file, params, &model, treatment)
}

/// The same for a model of any kind, with the files beside it.
pub fn request_for(
    file: Source,
    params: &[(&str, i64)],
    model: &Source,
    treatment: &Treatment,
) -> Result<(Request, Settings), Rejection> {
    let options = ProgramOptions {
        inline: treatment.inline,
        simplify: treatment.simplify,
        named: behind_dots(&file),
        ..ProgramOptions::default()
    };
    let front_end = front_end(&model.name).expect("a model");
    let model = files::read_model(front_end, &model.name, &model.text, &options)?;
    prepared(file, params, &*model, treatment)
}

fn prepared(
    file: Source,
    params: &[(&str, i64)],
    model: &dyn Model,
    treatment: &Treatment,
) -> Result<(Request, Settings), Rejection> {
    let request = Request {
        params: params.iter().map(|(name, value)| (name.to_string(), *value)).collect(),
        model: Some(offered(model, &file)?),
        keyed: if treatment.symbolic { vec![("Pc".to_string(), false)] } else { Vec::new() },
        ..Request::new(file)
    };
    let solving = Settings {
        strategy: if treatment.naive { Strategy::Naive } else { Strategy::SemiNaive },
        reorder: if treatment.reorder { Reorder::Always } else { Reorder::Off },
        frames: treatment.frames,
        early_stop: treatment.early_stop,
        list: usize::MAX,
        ..Settings::default()
    };
    Ok((request, solving))
}

/// What the explicit interpreter finds within some rounds, or without a bound; nothing if a limit was hit.
pub fn interpreted(
    text: &str,
    copies: usize,
    rounds: Option<usize>,
    limits: ExplorationLimits,
) -> Option<bool> {
    interpreted_with(&Options::default(), text, copies, rounds, limits)
}

/// The same for a program that is read with options.
pub fn interpreted_with(
    options: &Options,
    text: &str,
    copies: usize,
    rounds: Option<usize>,
    limits: ExplorationLimits,
) -> Option<bool> {
    let loaded = load("program.bp", text, options).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let machine = Machine::new(&loaded.program, copies);
    answer(match rounds {
        Some(rounds) => machine.explore_rounds(rounds, limits).verdict(),
        None => machine.explore(limits).verdict(),
    })
}

/// What the explicit interpreter finds within up to `most` rounds, to be asked for each number of them.
pub fn explored_rounds(text: &str, copies: usize, most: usize, limits: ExplorationLimits) -> Exploration {
    let loaded = load("program.bp", text, &Options::default());
    let loaded = loaded.unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    Machine::new(&loaded.program, copies).explore_rounds(most, limits)
}

/// Nothing if a limit was hit.
pub fn answer(found: Reachability) -> Option<bool> {
    match found {
        Reachability::Reached => Some(true),
        Reachability::NotReached => Some(false),
        Reachability::Limit => None,
    }
}
