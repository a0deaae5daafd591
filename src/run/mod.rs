//! One run: a file, a model and settings give a verdict, answers and statistics.
//!
//! Nothing here prints. A user's mistakes come back as a [`Rejection`]: the diagnostics, with the sources they
//! speak of.

pub mod certificate;
pub mod deepen;
pub mod examine;
pub mod expectation;
pub mod files;
mod outcome;
pub mod sizes;

pub use outcome::{AboutModel, Conclusion, Laps, Outcome, QueryResult, StepOutcome};

use crate::model::schema::CALL;
use calculus::bdd::{self, Limits, Reorder};
use calculus::certify;
use calculus::check::tree::{System, VerdictKind};
use calculus::check::{self, FactsLoader, Options, Program};
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::elaborate::{self, core::Core};
use calculus::solve::{self, Ending, Kept, Progress, Strategy};
use calculus::span::{Source, Sources};
use calculus::vocabulary::Vocabulary;
use files::Files;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What is to be run.
#[derive(Clone)]
pub struct Request {
    pub file: Source,
    /// `--set NAME=INT`
    pub params: BTreeMap<String, i64>,
    pub facts: Facts,
    pub model: Option<Vocabulary>,
    /// Sorts to keep as keys, or not.
    pub keyed: Vec<(String, bool)>,
    /// The model is only there to check the file: what the file requires of it does not matter.
    pub specimen: bool,
}

impl Request {
    /// The file as it is, without settings.
    pub fn new(file: Source) -> Request {
        Request {
            file,
            params: BTreeMap::new(),
            facts: Facts::None,
            model: None,
            keyed: Vec::new(),
            specimen: false,
        }
    }
}

/// Where the rows of inputs come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Facts {
    /// Nowhere: an input is a mistake.
    #[default]
    None,
    /// Nowhere: inputs are empty, for checking a file alone.
    Empty,
    /// From `NAME.facts` in this folder.
    Folder(PathBuf),
}

/// How to solve. Nothing here changes an answer; limits may keep it from being found.
#[derive(Clone, Debug)]
pub struct Solving {
    pub strategy: Strategy,
    pub early_stop: bool,
    /// Keep what an edge of a model leaves alone as equalities.
    pub frames: bool,
    pub reorder: Reorder,
    /// Counts from the beginning of the run.
    pub timeout: Option<Duration>,
    pub memory: Option<u64>,
    pub max_nodes: Option<u64>,
    pub interrupt: Arc<AtomicBool>,
    /// Count what each clause brings, and measure it.
    pub clauses: bool,
    /// Count the tuples and nodes of all relations.
    pub sizes: bool,
    /// Sample how the relations grow.
    pub samples: bool,
    /// How many tuples of an open query to list.
    pub list: usize,
    /// Make a certificate if the verdict is safe.
    pub certificate: bool,
}

impl Default for Solving {
    fn default() -> Self {
        Solving {
            strategy: Strategy::SemiNaive,
            early_stop: true,
            frames: true,
            reorder: Reorder::Auto,
            timeout: None,
            memory: None,
            max_nodes: None,
            interrupt: Arc::default(),
            clauses: false,
            sizes: true,
            samples: false,
            list: 20,
            certificate: false,
        }
    }
}

impl Solving {
    /// The limits of a run that began then.
    pub fn limits(&self, begin: Instant) -> Limits {
        Limits {
            deadline: self.timeout.and_then(|timeout| begin.checked_add(timeout)),
            memory: self.memory,
            max_nodes: self.max_nodes,
            interrupt: self.interrupt.clone(),
        }
    }
}

/// A file without mistakes.
pub struct Checked {
    pub sources: Sources,
    pub system: System,
    pub core: Core,
    pub warnings: Vec<Diagnostic>,
}

/// Whether a file has rules for calls. Those of files it uses do not count: they may be about something else.
pub fn handles_calls(file: &Source) -> bool {
    let (program, _) = check::load(&file.name, &file.text, &|_, _| Err(String::new()));
    program.files.last().is_some_and(|file| check::mentions_relation(file, CALL.name))
}

/// Reads the file with all it uses and checks it, for the given parameters, facts and model.
pub fn check(request: &Request) -> Result<Checked, Rejection> {
    let files = Files::default();
    files.remember(&request.file.name);
    let loader = |user: &str, path: &str| files.used(user, path);
    let (program, mistakes) = check::load(&request.file.name, &request.file.text, &loader);
    if !mistakes.is_empty() {
        return Err(Rejection { sources: program.sources, diagnostics: mistakes });
    }
    match &request.facts {
        Facts::None => check_with(request, program, None),
        Facts::Empty => {
            check_with(request, program, Some(&|name| Ok((format!("{name}.facts"), String::new()))))
        }
        Facts::Folder(folder) => {
            files::expect_folder(folder)?;
            check_with(request, program, Some(&|name| files::facts(folder, name)))
        }
    }
}

fn check_with(
    request: &Request,
    mut program: Program,
    facts: Option<FactsLoader>,
) -> Result<Checked, Rejection> {
    let options = Options {
        params: request.params.clone(),
        model: request.model.clone(),
        facts,
        keyed: request.keyed.clone(),
    };
    let checked = check::check(&mut program, &options);
    let sources = program.sources;
    match checked {
        Err(diagnostics) => Err(Rejection { sources, diagnostics }),
        Ok((system, _)) if !system.refusals.is_empty() && !request.specimen => {
            let diagnostics = system.refusals.iter().map(|refusal| {
                Diagnostic::error("fp::refused", refusal.message.clone())
                    .label(refusal.span, "required here, and it does not hold")
            });
            Err(Rejection { sources, diagnostics: diagnostics.collect() })
        }
        Ok((system, mut warnings)) => {
            let (core, hopeless) = elaborate::elaborate(&system);
            warnings.extend(hopeless);
            Ok(Checked { sources, system, core, warnings })
        }
    }
}

/// Checks and solves.
pub fn run(
    request: &Request,
    solving: &Solving,
    progress: Option<&mut dyn FnMut(&Progress)>,
) -> Result<Outcome, Rejection> {
    let begin = Instant::now();
    let checked = check(request)?;
    let checking = begin.elapsed();
    let outcome = solve(request, checked, solving, begin, progress, None);
    Ok(Outcome { laps: Laps { checking, ..outcome.laps }, ..outcome })
}

/// Solves a file without mistakes. Limits count from `begin`.
fn solve(
    request: &Request,
    checked: Checked,
    solving: &Solving,
    begin: Instant,
    progress: Option<&mut dyn FnMut(&Progress)>,
    kept: Option<&mut Kept>,
) -> Outcome {
    let Checked { sources, system, core, warnings } = checked;
    // A closure of its own lives as short as the core does.
    let mut forward = progress.map(|tell| move |now: &Progress| tell(now));
    let mut settings = settings(solving, begin);
    settings.progress = forward.as_mut().map(|tell| tell as &mut dyn FnMut(&Progress));
    let mut own = Kept::default();
    let mut kept = kept.or(solving.certificate.then_some(&mut own));
    let answer = match &mut kept {
        None => solve::solve(&system, &core, &mut settings),
        Some(kept) => solve::solve_on(&system, &core, &mut settings, kept),
    };
    let solved = Instant::now();
    let certificate = match (&answer.ending, kept) {
        (Ending::Verdict { number, kind: VerdictKind::Safe, .. }, Some(kept)) if solving.certificate => {
            let settings = bdd::Settings { reorder: solving.reorder, limits: solving.limits(begin) };
            Some(certify::prove(&system, *number, kept.solutions(), settings))
        }
        _ => None,
    };
    let laps = Laps { certifying: solved.elapsed(), ..Laps::default() };
    Outcome {
        file: request.file.name.clone(),
        model: None,
        sources,
        system,
        warnings,
        answer,
        certificate,
        steps: Vec::new(),
        before: Vec::new(),
        laps,
        timeout: solving.timeout,
        counted: solving.clauses,
        time: begin.elapsed(),
    }
}

/// The solver's settings. Limits count from `begin`.
pub fn settings<'a>(solving: &Solving, begin: Instant) -> solve::Settings<'a> {
    solve::Settings {
        strategy: solving.strategy,
        early_stop: solving.early_stop,
        frames: solving.frames,
        reorder: solving.reorder,
        limits: solving.limits(begin),
        clauses: solving.clauses,
        sizes: solving.sizes,
        samples: solving.samples,
        list: solving.list,
        progress: None,
    }
}
