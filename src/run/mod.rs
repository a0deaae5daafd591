//! One run: a file, a model and settings give a verdict, answers and statistics.
//!
//! Nothing here prints. A user's mistakes come back as a [`Rejection`]: the diagnostics, with the sources they
//! speak of.

pub mod certificate;
pub mod deepen;
pub mod errors;
pub mod examine;
pub mod expectation;
pub mod files;
mod outcome;
pub mod session;
pub mod sizes;

pub use outcome::{AboutModel, Conclusion, OtherTimes, Outcome, QueryResult, StepOutcome, WordsAnswer};

use crate::model::Model;
use crate::model::options::Handles;
use crate::model::route::{self, Route};
use crate::model::schema::{
    self, CALL, COVER, FORGETS, MENTIONED, OUTLINE, READS, SPAWN, TARGET, WRITES, pushdown, unheeded,
};
use crate::model::{ltl, registry};
use calculus::bdd::{self, Stop};
use calculus::certify::{self, Certificate};
use calculus::check::tree::{Body, Relation, System, VerdictKind, occurrences};
use calculus::check::{self, FactsFile, FactsLoader, LoadedFiles, Options, WishedOrder};
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::elaborate::{self, core::Core};
use calculus::index::Id;
use calculus::phase;
pub use calculus::solve::Settings;
use calculus::solve::{self, Answer, Ending, Kept, Statistics};
use calculus::span::{Source, Sources, Span};
use calculus::vocabulary::Vocabulary;
use files::Files;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// What is to be run.
#[derive(Clone)]
pub struct Request {
    pub file: Source,
    /// `--set NAME=INT`
    pub params: BTreeMap<String, i64>,
    pub facts: Facts,
    pub model: Option<Vocabulary>,
    /// What the model was read from.
    pub about: Option<AboutModel>,
    /// Sorts to keep as keys, or not.
    pub keyed: Vec<(String, bool)>,
    /// The order of BDD variables, if it is given: names as in `hint order`.
    pub order: WishedOrder,
    /// Make a certificate if the verdict is safe.
    pub certificate: bool,
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
            about: None,
            certificate: false,
            keyed: Vec::new(),
            order: WishedOrder::default(),
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
    /// From `NAME.facts` or `NAME.csv` in this folder.
    Folder(PathBuf),
}

/// A file without mistakes.
pub struct CheckedFile {
    pub sources: Sources,
    pub system: System,
    pub core: Core,
    pub warnings: Vec<Diagnostic>,
}

/// Whether a file has rules for calls, or is about stacks, whether it has rules for steps that make threads, and whether it
/// looks at accesses. Rules for calls of files that it uses do not count: they may be about something else.
pub fn handles_calls(file: &Source) -> Handles {
    let _checking = phase::enter("checking the file");
    let (program, _) = load(file);
    let rules = |name: &str| program.files.last().is_some_and(|file| check::mentions_relation(file, name));
    let stacks = check::vocabularies(&program).iter().any(|(name, _)| **name == *pushdown::NAME);
    let spawns = program.files.iter().any(|file| check::mentions_relation(file, SPAWN.name));
    let looks_at = |name: &str| program.files.iter().any(|file| check::mentions_relation(file, name));
    let accesses = [READS, WRITES, FORGETS].iter().any(|relation| looks_at(relation.name));
    let outlines = looks_at(OUTLINE.name) || looks_at(MENTIONED.name);
    Handles { calls: rules(CALL.name) || stacks, spawns, accesses, outlines }
}

/// The names that stand behind dots in a file and in those that it uses, and may be variables of a program. What stands in
/// comments and quotes is among them, which does no harm.
pub fn behind_dots(file: &Source) -> BTreeSet<String> {
    let (program, _) = load(file);
    let texts = program.sources.iter().map(|source| &source.text);
    let names = texts.flat_map(|text| {
        let behind = text.split('.').skip(1);
        behind.map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>())
    });
    names.filter(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_')).collect()
}

/// The vocabulary that a file, or one that it uses, asks a model for; the one that the model is known for if the file asks
/// for none, or has mistakes. A mistake if the model does not offer it. A file that says `use ltl;` gets the formula, too.
pub fn offered(model: &dyn Model, file: &Source) -> Result<Vocabulary, Rejection> {
    let (program, mistakes) = load(file);
    let mut asked = check::vocabularies(&program);
    let formula = asked.iter().position(|(name, _)| **name == *ltl::NAME).map(|at| asked.remove(at).1);
    if !mistakes.is_empty() {
        return Ok(model.vocabulary().clone());
    }
    if let Some((_, span)) = asked.iter().find(|(name, _)| **name == *route::NAME) {
        let problem = Diagnostic::error("fp::vocabulary", "there is no run to follow")
            .label(*span, "a run is given to this file only while predicates are looked for")
            .help("`fpsolve abstract PROGRAM` does that");
        return Err(Rejection { sources: program.sources, diagnostics: vec![problem] });
    }
    if let Some(given) = model.formula()
        && formula.is_none()
    {
        let title = format!("a formula is given, and `{}` checks none", file.name);
        let help =
            "`ltl` does for a sequential system, `ltl_threads` for threads; a file of yours with `use ltl;`";
        return Err(Diagnostic::error("fp::usage", title).help(format!("{}: {help}", given.name)).into());
    }
    let vocabulary = asked_for(model, &program, &asked)?;
    match formula {
        None => Ok(vocabulary),
        Some(span) => with_formula(model, vocabulary).unwrap_or_else(|| {
            let title = format!("a formula cannot be about this model: it has no chapter `{}`", ltl::NAME);
            let problem = Diagnostic::error("fp::vocabulary", title).label(span, "not offered");
            Err(Rejection { sources: program.sources, diagnostics: vec![problem] })
        }),
    }
}

/// The only one of the vocabularies that files ask for.
fn asked_for(
    model: &dyn Model,
    program: &LoadedFiles,
    asked: &[(Rc<str>, Span)],
) -> Result<Vocabulary, Rejection> {
    let main = model.vocabulary();
    let Some((first, span)) = asked.first() else {
        return Ok(main.clone());
    };
    let reject =
        |mistake: Diagnostic| Rejection { sources: program.sources.clone(), diagnostics: vec![mistake] };
    if let Some((second, other)) = asked.iter().find(|(name, _)| name != first) {
        let title = format!("a file has one vocabulary, not both `{first}` and `{second}`");
        return Err(reject(
            Diagnostic::error("fp::vocabulary", title)
                .label(*other, "another vocabulary")
                .label(*span, "the first one")
                .help("keep one of them"),
        ));
    }
    if *main.name == **first {
        return Ok(main.clone());
    }
    match model.other(first) {
        Some(Ok(vocabulary)) => Ok(vocabulary),
        Some(Err(mistake)) => Err(reject(mistake.label(*span, "asked for here"))),
        None => {
            let names = [main.name.as_str()].into_iter().chain(model.others().iter().copied());
            let names = names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
            Err(reject(
                Diagnostic::error("fp::vocabulary", format!("the model does not offer `{first}`"))
                    .label(*span, "not offered")
                    .help(format!("this model offers {names}")),
            ))
        }
    }
}

/// The vocabulary with the formula of a model. Nothing if formulas are not about such models.
fn with_formula(model: &dyn Model, mut vocabulary: Vocabulary) -> Option<Result<Vocabulary, Rejection>> {
    let _translating = phase::enter("translating the formula");
    let places = ltl::Places::of(&vocabulary, model.silent(&vocabulary))?;
    let foreign = |atom: &ltl::Atom| {
        let title = "formulas are not about such models";
        Diagnostic::error("ltl::unknown_atom", title).label(atom.span, "has no meaning")
    };
    let meaning = |atom: &ltl::Atom| model.atom(atom).unwrap_or_else(|| Err(foreign(atom)));
    let checked = match model.formula().map(|text| ltl::check(text, &meaning)).transpose() {
        Ok(checked) => checked,
        Err(rejection) => return Some(Err(rejection)),
    };
    ltl::add(&mut vocabulary, &places, checked.as_ref());
    Some(Ok(vocabulary))
}

/// A vocabulary to check a file with, since no model is given.
pub fn specimen(file: &Source) -> Vocabulary {
    let (program, _) = load(file);
    let asked = check::vocabularies(&program);
    let is_chapter = |name: &&str| [ltl::NAME, route::NAME].contains(name);
    let first = asked.iter().map(|(name, _)| &**name).find(|name| !is_chapter(name));
    let mut vocabulary = registry::specimen(first.unwrap_or(schema::NAME), &behind_dots(file));
    if asked.iter().any(|(name, _)| **name == *route::NAME) {
        Route::specimen().add_to(&mut vocabulary);
    } else if let Some(places) = ltl::Places::of(&vocabulary, None) {
        ltl::add(&mut vocabulary, &places, None);
    }
    vocabulary
}

/// A file with all that it uses.
fn load(file: &Source) -> (LoadedFiles, Vec<Diagnostic>) {
    let _checking = phase::enter("checking the file");
    let files = Files::default();
    files.remember(&file.name);
    check::load(&file.name, &file.text, &|user: &str, path: &str| files.used(user, path))
}

/// Reads the file with all it uses and checks it, for the given parameters, facts and model.
pub fn check(request: &Request) -> Result<CheckedFile, Rejection> {
    let _checking = phase::enter("checking the file");
    let (program, mistakes) = load(&request.file);
    if !mistakes.is_empty() {
        return Err(Rejection { sources: program.sources, diagnostics: mistakes });
    }
    match &request.facts {
        Facts::None => check_with(request, program, None),
        Facts::Empty => {
            check_with(request, program, Some(&|name| Ok(FactsFile::named(format!("{name}.facts"), ""))))
        }
        Facts::Folder(folder) => {
            files::expect_folder(folder)?;
            check_with(request, program, Some(&|name| files::facts(folder, name)))
        }
    }
}

fn check_with(
    request: &Request,
    mut program: LoadedFiles,
    facts: Option<FactsLoader>,
) -> Result<CheckedFile, Rejection> {
    let options = Options {
        params: request.params.clone(),
        model: request.model.clone(),
        facts,
        keyed: request.keyed.clone(),
        order: request.order.clone(),
    };
    let checked = check::check(&mut program, &options);
    let sources = program.sources;
    match checked {
        Err(diagnostics) => Err(Rejection { sources, diagnostics }),
        Ok((system, _)) if !system.refusals.is_empty() && !request.specimen => {
            let diagnostics = system.refusals.iter().map(|refusal| {
                let refused = Diagnostic::error("fp::refused", refusal.message.clone())
                    .label(refusal.span, "this is required, and it does not hold");
                match &request.about {
                    Some(model) => {
                        refused.help(format!("`fpsolve {}` chooses algorithms that fit", model.name))
                    }
                    None => refused,
                }
            });
            Err(Rejection { sources, diagnostics: diagnostics.collect() })
        }
        Ok((system, mut warnings)) => {
            let unheeded = unheeded_steps(&system);
            if !unheeded.is_empty() {
                return Err(Rejection { sources, diagnostics: unheeded });
            }
            let _elaborating = phase::enter("making rules of the equations");
            let (core, contradictions) = elaborate::elaborate(&system);
            warnings.extend(contradictions);
            Ok(CheckedFile { sources, system, core, warnings })
        }
    }
}

/// What the model does and the file has no equations for: its answers would be wrong.
fn unheeded_steps(system: &System) -> Vec<Diagnostic> {
    let Some(model) = system.vocabulary.as_ref().filter(|model| model.name == schema::NAME) else {
        return Vec::new();
    };
    let used = system.relations.iter().flat_map(occurrences);
    let used = used.map(|used| used.relation).collect::<BTreeSet<_>>();
    let used = used.into_iter().map(|relation| &system.relations[relation.index()]);
    let used = used.filter(|relation| matches!(relation.body, Body::Model(_)));
    let used = used.map(|relation| &*relation.name).collect::<BTreeSet<_>>();
    let told = unheeded(model, |name| used.contains(name)).into_iter();
    told.map(|unheeded| Diagnostic::error("fp::refused", unheeded.title).help(unheeded.help)).collect()
}

/// Checks and solves.
pub fn run(request: &Request, settings: &Settings) -> Result<Outcome, Rejection> {
    let begin = Instant::now();
    let checked = check(request)?;
    let checking = begin.elapsed();
    let solved = solve(request, checked, settings, None);
    Ok(solved.outcome(request, settings, Way { begin, checking, ..Way::new() }))
}

/// What solving one file brought.
struct Solved {
    checked: CheckedFile,
    answer: Answer,
    certificate: Option<Result<Certificate, Stop>>,
    certifying: Duration,
}

/// The way to the last file that was solved.
struct Way {
    begin: Instant,
    checking: Duration,
    certifying: Duration,
    steps: Vec<StepOutcome>,
    before: Vec<Statistics>,
}

impl Way {
    fn new() -> Way {
        let (checking, certifying) = (Duration::ZERO, Duration::ZERO);
        Way { begin: Instant::now(), checking, certifying, steps: Vec::new(), before: Vec::new() }
    }
}

/// Solves a file without mistakes.
fn solve(request: &Request, checked: CheckedFile, settings: &Settings, kept: Option<&mut Kept>) -> Solved {
    let mut own = Kept::default();
    let mut kept = kept.or(request.certificate.then_some(&mut own));
    let CheckedFile { system, core, .. } = &checked;
    let answer = match &mut kept {
        None => solve::solve(system, core, settings),
        Some(kept) => solve::solve_on(system, core, settings, kept),
    };
    let solved = Instant::now();
    let certificate = match (&answer.ending, kept) {
        (Ending::Verdict { number, kind: VerdictKind::Safe, .. }, Some(kept))
            if request.certificate && outcome::left_out(system).next().is_none() =>
        {
            let _certifying = phase::enter_polling("making the certificate");
            let settings =
                bdd::ManagerSettings { reorder: settings.reorder, limits: settings.limits.clone() };
            Some(certify::prove(system, *number, kept.solutions(), settings))
        }
        _ => None,
    };
    Solved { checked, answer, certificate, certifying: solved.elapsed() }
}

impl Solved {
    fn outcome(self, request: &Request, settings: &Settings, way: Way) -> Outcome {
        let Solved { checked, answer, certificate, certifying } = self;
        let CheckedFile { sources, system, mut warnings, .. } = checked;
        warnings.extend(unused_model(&system, request));
        warnings.extend(nothing_checked(&system, request, &answer.ending));
        let reading = request.about.as_ref().map_or(Duration::ZERO, |model| model.reading);
        Outcome {
            file: request.file.name.clone(),
            model: request.about.clone(),
            sources,
            system,
            warnings,
            answer,
            certificate,
            steps: way.steps,
            before: way.before,
            laps: OtherTimes { reading, checking: way.checking, certifying: way.certifying + certifying },
            counted: settings.clauses,
            listed: settings.list,
            time: way.begin.elapsed(),
        }
    }
}

/// The relations that the verdicts rest on without a negation, counted through definitions: what they are about. One about
/// something else than errors needs no assertion. An `unsafe` one that only leaves targets out is about something else.
fn rested_on(system: &System) -> impl Iterator<Item = &Relation> {
    let signs = |kind| if kind == VerdictKind::Unsafe { &[true][..] } else { &[true, false] };
    let conditions = system.verdicts.iter().filter_map(|verdict| Some((verdict.kind, verdict.condition?)));
    let conditions = conditions.flat_map(|(kind, at)| signs(kind).iter().map(move |sign| (at, *sign)));
    let mut asked = conditions.collect::<BTreeSet<_>>();
    let mut work = asked.iter().copied().collect::<Vec<_>>();
    while let Some((relation, sign)) = work.pop() {
        let used = occurrences(&system.relations[relation.index()]).into_iter();
        let used = used.map(|used| (used.relation, used.positive == sign));
        work.extend(used.filter(|used| asked.insert(*used)));
    }
    let asked = asked.into_iter().filter(|(_, sign)| *sign);
    asked.map(|(relation, _)| &system.relations[relation.index()])
}

/// Whether the verdicts are about the errors of a model: its failing assertions and targets.
pub fn is_about_errors(system: &System) -> bool {
    let is_target =
        |relation: &Relation| matches!(relation.body, Body::Model(_)) && *relation.name == *TARGET.name;
    rested_on(system).any(is_target)
}

/// A verdict about no error at all is worth a word.
fn nothing_checked(system: &System, request: &Request, ending: &Ending) -> Option<Diagnostic> {
    let model = request.about.as_ref()?;
    let Ending::Verdict { kind: VerdictKind::Safe | VerdictKind::Bounded, .. } = ending else { return None };
    let nothing = |relation: &Relation| match &relation.body {
        Body::Model(rows) => *relation.name == *TARGET.name && rows.is_empty(),
        _ => false,
    };
    if system.relations.iter().any(|relation| *relation.name == *COVER.name) {
        return None;
    }
    let has_ending = |ending: &str| {
        registry::front_end(&model.name).is_some_and(|front_end| front_end.endings.contains(&ending))
    };
    let warning = if has_ending("pds") {
        Diagnostic::warning("pds::no_target", format!("nothing was checked: `{}` has no target", model.name))
            .help("write targets into a file with the ending .spec beside it, or on the command line: --target 's|a,*,-'")
    } else {
        let title =
            format!("nothing was checked: no run of `{}` reaches an assertion or a target", model.name);
        Diagnostic::warning("fp::nothing_checked", title)
            .help("write `assert(…);`, or name labels that must not be reached with --target")
    };
    rested_on(system).any(nothing).then_some(warning)
}

/// An answer about nothing is worth a word.
fn unused_model(system: &System, request: &Request) -> Option<Diagnostic> {
    let model = request.about.as_ref()?;
    let used = system.relations.iter().any(|relation| matches!(relation.body, Body::Model(_)));
    let title = format!("the answers are not about `{}`: the file does not use it", model.name);
    let name = request.model.as_ref().map_or(schema::NAME, |vocabulary| &vocabulary.name);
    let warning = Diagnostic::warning("fp::unused_model", title)
        .help(format!("`use {name};` makes its relations known"));
    (!used).then_some(warning)
}
