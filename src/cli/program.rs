//! `fpsolve PROGRAM`: a program alone is given to a portfolio of algorithms.

use super::arguments::{Document, Run};
use super::batch::options;
use super::output::{conclude, diagnose, print, refuse_output, reject, width};
use super::refine::Refining;
use super::words::Widths;
use super::{Exit, certify, harness, interrupt, watchdog};
use crate::batch::Label;
use crate::batch::plan::BatchAlgorithm;
use crate::model::Model;
use crate::portfolio::answer::{self, PortfolioReport, label, read_trace};
use crate::portfolio::plan::{BUNDLED, BUNDLED_NAME, Plan, Planned, Shape};
use crate::portfolio::race::{Race, race};
use crate::portfolio::{Cut, Goal, Raced};
use crate::report::{json, sarif};
use crate::run::files;
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::phase;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is asked of a program alone.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "A program alone (fpsolve PROGRAM)")]
pub struct Alone {
    /// Look only for errors, or only for proofs
    #[arg(long, value_enum)]
    pub goal: Option<GoalName>,
    /// Also run these algorithms on the program: deadlock, race, coverage
    #[arg(long, value_name = "ALGO,…", value_delimiter = ',')]
    pub also: Vec<String>,
    /// Another plan than the bundled one: which algorithms run for which shape of program
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
    /// Run the algorithms one after another: which one answers does not depend on how fast they are
    #[arg(long)]
    pub deterministic: bool,
    /// How many algorithms run at once; one per processor by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Print only the first line of the answer
    #[arg(long, short)]
    pub quiet: bool,
    /// Exit with 3 if the verdict is `bounded`; with an algorithm too
    #[arg(long)]
    pub strict: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GoalName {
    Bug,
    Proof,
}

impl From<GoalName> for Goal {
    fn from(name: GoalName) -> Goal {
        match name {
            GoalName::Bug => Goal::Bug,
            GoalName::Proof => Goal::Proof,
        }
    }
}

/// Checks the program that the arguments name alone; nothing if they name something else.
pub fn check(arguments: &Run) -> Option<Exit> {
    let name = arguments.file.as_deref().unwrap_or_default();
    let alone = arguments.model.is_none() && files::is_model(name) && Path::new(name).is_file();
    let told = match alone {
        true => checked(arguments, name),
        false => Err(option_of_portfolio(&arguments.alone)?),
    };
    Some(told.unwrap_or_else(|rejection| match arguments.document() {
        Document::Sarif => {
            conclude();
            print(&sarif::rejection(&rejection, Exit::Mistake as u8));
            Exit::Mistake
        }
        document => reject(&rejection, document != Document::Text),
    }))
}

/// The mistake to give an algorithm what is for a program alone.
fn option_of_portfolio(alone: &Alone) -> Option<Rejection> {
    let (option, _) = options_of_portfolio(alone).into_iter().find(|(_, given)| *given)?;
    let title = format!("`--{option}` is for a program alone, not for one algorithm");
    Some(Diagnostic::error("fp::usage", title).help("name only the program: fpsolve PROGRAM").into())
}

/// The options that only a program alone has, and which of them are given.
fn options_of_portfolio(alone: &Alone) -> [(&'static str, bool); 6] {
    [
        ("goal", alone.goal.is_some()),
        ("also", !alone.also.is_empty()),
        ("plan", alone.plan.is_some()),
        ("deterministic", alone.deterministic),
        ("jobs", alone.jobs.is_some()),
        ("quiet", alone.quiet),
    ]
}

/// The mistake to ask a portfolio for what only one algorithm has.
fn option_of_algorithm(arguments: &Run, name: &str) -> Option<Diagnostic> {
    let (option, _) = options_of_algorithm(arguments).into_iter().find(|(_, given)| *given)?;
    let title = format!("`--{option}` is about one algorithm, and none is named");
    let help = format!("name one before the program: fpsolve ALGORITHM {name}; `fpsolve list` shows them");
    Some(Diagnostic::error("fp::usage", title).help(help))
}

/// The options that only an algorithm has, and which of them are given.
fn options_of_algorithm(arguments: &Run) -> [(&'static str, bool); 15] {
    [
        ("set", !arguments.input.set.is_empty()),
        ("facts", arguments.input.facts.is_some()),
        ("deepen", arguments.deepen.is_some()),
        ("refine", arguments.refining.refine.is_some()),
        ("rounds", arguments.refining.rounds != Refining::ROUNDS),
        ("stats", arguments.stats),
        ("profile", arguments.profile.is_some()),
        ("explain", !arguments.explain.is_empty()),
        ("strategy-of", !arguments.strategy_of.is_empty()),
        ("show", arguments.show.is_some()),
        ("dot", arguments.dot.is_some()),
        ("all", arguments.all),
        ("out", arguments.out.is_some()),
        ("save-order", arguments.save_order.is_some()),
        ("ltl", arguments.program.ltl.is_some()),
    ]
}

fn checked(arguments: &Run, name: &str) -> Result<Exit, Rejection> {
    if let Some(mistake) = option_of_algorithm(arguments, name).or_else(|| arguments.two_documents()) {
        return Err(mistake.into());
    }
    refuse_output(&[Some(name)], arguments.certificate.as_ref(), "a certificate", "--certificate")?;
    refuse_output(&[Some(name)], arguments.report.as_ref(), "a report", "--report")?;
    harness::check(arguments, Some(name))?;
    let plan = plan(arguments)?;
    let also = others(arguments)?;
    let widths = arguments.program.words.widths(name);
    let model = files::model(name, &arguments.program.options_for(name))?;
    if arguments.document() == Document::Text && !arguments.alone.quiet {
        diagnose(model.sources(), model.warnings());
    }
    let goal = arguments.alone.goal.map(Goal::from);
    let (shape, members) = members(&plan, &*model, name, goal)?;
    let mut options = options(&arguments.solving, &arguments.program);
    let errors = model.errors();
    drop(model);
    let raced = match widths {
        None => Runner::new(arguments, name, &options)?.race(&members)?,
        Some(widths) => within_widths(arguments, name, &mut options, widths, &members)?,
    };
    let runner = Runner::new(arguments, name, &options)?;
    let also = also.into_iter().map(|(name, member)| Ok((name, runner.race(&[member])?)));
    let also = also.collect::<Result<Vec<_>, Rejection>>()?;
    let timeout = arguments.solving.limits.resources.timeout;
    let report = PortfolioReport {
        program: name,
        shape: &shape.name,
        proves: shape.proves.as_deref(),
        advice: shape.advice.as_deref(),
        inlined: widths.is_some(),
        goal,
        errors,
        raced,
        also,
        options: &options,
        timeout,
    };
    contradiction(&report.raced);
    let exit = exit(&report, arguments.alone.strict);
    let written = runner.write(&report.raced)?;
    let ended = report.raced.answer().map(|(_, ended)| ended);
    let trace = ended.filter(|ended| ended.label == Label::Unsafe).and_then(read_trace);
    let bits = ended.and_then(|ended| ended.answer.as_ref()?["words"]["bits"].as_u64());
    let harness = harness::write(arguments, name, bits.map(|bits| bits as u32), trace.as_ref())?;
    conclude();
    match arguments.document() {
        Document::Text => {
            print(&report.text(arguments.alone.quiet, arguments.trace.is_some(), width()));
            print(&written);
        }
        Document::Sarif => print(&answer::sarif(&report, exit as u8)),
        Document::Trace => match report.raced.answer().and_then(|(_, ended)| read_trace(ended)) {
            Some(trace) => print(&json::pretty(&trace.to_json())),
            None => print(&json::pretty(&report.json())),
        },
        Document::Run | Document::Profile => print(&json::pretty(&report.json())),
    }
    harness.tell(arguments.document());
    Ok(exit)
}

/// Races with words of growing width, until they are enough or there is an error. The options are those of the last race.
fn within_widths(
    arguments: &Run,
    name: &str,
    options: &mut Vec<String>,
    mut widths: Widths,
    members: &[Planned],
) -> Result<Raced, Rejection> {
    let mut before: Option<(Vec<String>, Raced)> = None;
    loop {
        let mut these = options.clone();
        these.push(format!("--width={}", widths.first));
        let raced = Runner::new(arguments, name, &these).and_then(|runner| runner.race(members));
        let raced = match raced {
            Ok(raced) => raced,
            // Numbers of this width are too large to compute with.
            Err(rejection) => return before.map(|before| last(before, options, None)).ok_or(rejection),
        };
        let larger = raced.answer().is_some_and(|(_, ended)| ended.needs_larger_words());
        match (widths.next(), before) {
            (Some(next), _) if larger && raced.cut.is_none() => {
                widths = next;
                before = Some((these, raced));
            }
            // What fewer bits have shown stands.
            (_, Some(before)) if raced.cut == Some(Cut::Time) && label(&raced) == Label::Unknown => {
                return Ok(last(before, options, raced.cut));
            }
            _ => {
                *options = these;
                return Ok(raced);
            }
        }
    }
}

/// The race of a width before that of now, which came to nothing.
fn last((these, raced): (Vec<String>, Raced), options: &mut Vec<String>, cut: Option<Cut>) -> Raced {
    *options = these;
    Raced { cut, ..raced }
}

/// The shape that a plan has for a program, and the algorithms that it runs for a goal.
pub fn members<'p>(
    plan: &'p Plan,
    model: &dyn Model,
    name: &str,
    goal: Option<Goal>,
) -> Result<(&'p Shape, Vec<Planned>), Rejection> {
    let vocabulary = model.vocabulary();
    let facts = vocabulary.facts.iter().map(|(fact, value)| (format!("{}.{fact}", vocabulary.name), *value));
    let facts = facts.collect::<Vec<_>>();
    let Some(shape) = plan.shape(&facts) else {
        let title = format!("no shape of the plan fits to `{name}`");
        let help = format!("`fpsolve model {name}` lists its facts, which shapes are about");
        return Err(Diagnostic::error("fp::plan", title).help(help).into());
    };
    Ok((shape, shape.for_goal(goal, &facts)))
}

/// The plan that was named, or the bundled one.
pub fn plan(arguments: &Run) -> Result<Plan, Rejection> {
    let Some(path) = &arguments.alone.plan else { return Plan::parse(BUNDLED_NAME, BUNDLED) };
    let text = files::read(path).map_err(|why| {
        Diagnostic::error("fp::unreadable_file", format!("cannot read the plan `{}`: {why}", path.display()))
    })?;
    Plan::parse(&path.to_string_lossy(), &text)
}

/// The algorithms that are run besides. Each is looked for before anything runs.
fn others(arguments: &Run) -> Result<Vec<(String, Planned)>, Rejection> {
    let mut out = Vec::new();
    for name in &arguments.alone.also {
        let algorithm = BatchAlgorithm::parse(name).map_err(|why| Diagnostic::error("fp::usage", why))?;
        files::find(&algorithm.file, &[])?;
        out.push((algorithm.name(), Planned::of(algorithm)));
    }
    Ok(out)
}

/// How the members of the portfolio are run.
struct Runner<'a> {
    arguments: &'a Run,
    name: &'a str,
    options: &'a [String],
    command: PathBuf,
}

impl<'a> Runner<'a> {
    fn new(arguments: &'a Run, name: &'a str, options: &'a [String]) -> Result<Runner<'a>, Rejection> {
        let command = std::env::current_exe().map_err(|error| {
            Diagnostic::error("fp::unreadable_file", format!("cannot find the command itself: {error}"))
        })?;
        Ok(Runner { arguments, name, options, command })
    }

    fn race(&self, members: &[Planned]) -> Result<Raced, Rejection> {
        let _running = phase::enter_polling("running the algorithms of the plan");
        let alone = &self.arguments.alone;
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = if alone.deterministic { 1 } else { alone.jobs.map_or(processors, usize::from) };
        let limits = &self.arguments.solving.limits.resources;
        // Those that are held back keep their memory.
        let together = if alone.deterministic { 1 } else { members.len().max(1) as u64 };
        let settings = Race {
            command: &self.command,
            program: self.name,
            options: self.options,
            jobs,
            begin: watchdog::begin(),
            timeout: limits.timeout,
            memory: limits.memory.map(|memory| memory / together),
            in_order: alone.deterministic,
            interrupt: &interrupt::install(),
        };
        race(&settings, members).map_err(|error| {
            Diagnostic::error("fp::usage", format!("cannot start an algorithm: {error}")).into()
        })
    }

    /// Makes the certificate and the report that were asked for, by running the algorithm that answered once more.
    fn write(&self, raced: &Raced) -> Result<String, Rejection> {
        let arguments = self.arguments;
        let Some((algorithm, ended)) = raced.answer() else { return Ok(String::new()) };
        let certificate = arguments.certificate.as_ref().filter(|_| ended.label == Label::Safe);
        let wanted = [("--certificate", certificate), ("--report", arguments.report.as_ref())];
        let wanted =
            wanted.into_iter().filter_map(|(option, path)| Some((option, path?))).collect::<Vec<_>>();
        if wanted.is_empty() {
            return Ok(String::new());
        }
        let mut command = Command::new(&self.command);
        let params = ended.answer.as_ref().and_then(|answer| answer["params"].as_object());
        let params = params.into_iter().flatten().map(|(name, value)| format!("--set={name}={value}"));
        command.args(params).args(self.options);
        for (option, path) in &wanted {
            command.arg(option).arg(path);
        }
        command.args(["--format=json", "--", &algorithm.file, self.name]);
        let done = command
            .output()
            .map_err(|error| Diagnostic::error("fp::usage", format!("cannot start an algorithm: {error}")))?;
        if let Some((_, path)) = wanted.iter().find(|(_, path)| !path.is_file()) {
            let why = String::from_utf8_lossy(&done.stderr).lines().next().unwrap_or_default().to_string();
            let title = format!("`{}` was not written: {why}", path.display());
            return Err(Diagnostic::error("fp::unwritable_file", title).into());
        }
        let told = wanted.iter().map(|(option, path)| match *option {
            "--certificate" => {
                let check = certify::command(&algorithm.file, Some(self.name), path, &arguments.program);
                format!("to check the proof: {check}\n")
            }
            _ => format!("the report is in {}\n", path.display()),
        });
        Ok(told.collect())
    }
}

/// Two answers that cannot both be true are a bug, and neither is an answer.
fn contradiction(raced: &Raced) {
    let by = |wanted: Label| {
        let is = |ended: &&crate::batch::child::Ended| ended.label == wanted;
        raced.members.iter().find(|member| member.ended.as_ref().filter(is).is_some())
    };
    let (Some(safe), Some(unsafe_)) = (by(Label::Safe), by(Label::Unsafe)) else { return };
    let (safe, unsafe_) = (safe.algorithm.name(), unsafe_.algorithm.name());
    panic!("{safe} says safe and {unsafe_} says unsafe, which cannot both be");
}

fn exit(report: &PortfolioReport, strict: bool) -> Exit {
    let labels =
        std::iter::once(label(&report.raced)).chain(report.also.iter().map(|(_, raced)| label(raced)));
    let labels = labels.collect::<Vec<_>>();
    let is_open = |label: &Label| match label {
        Label::Safe | Label::None => false,
        Label::Bounded => strict,
        _ => true,
    };
    if labels.contains(&Label::Unsafe) {
        Exit::Unsafe
    } else if labels.iter().any(is_open) {
        Exit::Unknown
    } else {
        Exit::Success
    }
}

#[cfg(test)]
mod tests {
    use super::super::arguments::{Arguments, Programs, Solving};
    use super::*;
    use clap::{Command, Parser};
    use std::collections::BTreeSet;

    fn longs(augment: fn(Command) -> Command) -> BTreeSet<String> {
        let command = augment(Command::new("fpsolve"));
        command.get_arguments().filter_map(|option| option.get_long()).map(str::to_string).collect()
    }

    /// Whoever adds an option has to say whether a program alone has it.
    #[test]
    fn every_option_is_for_an_algorithm_or_for_a_program_alone_or_for_both() {
        let parsed = Arguments::try_parse_from(["fpsolve", "prog.bp"]).expect("a program alone");
        let names = |options: &[(&str, bool)]| {
            assert!(options.iter().all(|(_, given)| !given), "nothing is given");
            options.iter().map(|(option, _)| option.to_string()).collect::<BTreeSet<_>>()
        };
        let algorithm = names(&options_of_algorithm(&parsed.run));
        let portfolio = names(&options_of_portfolio(&parsed.run.alone));
        // `out-format` comes with `out` only.
        let both =
            ["format", "trace", "certificate", "report", "harness", "strict", "out-format", "end-with-stdin"];
        let both = both.map(str::to_string).into_iter().chain(longs(Solving::augment_args));
        let mut all = both.chain(longs(Programs::augment_args)).collect::<BTreeSet<_>>();
        all.extend(algorithm);
        all.extend(portfolio.iter().cloned());
        assert_eq!(all, longs(Run::augment_args));
        let alone = longs(Alone::augment_args);
        assert_eq!(portfolio, alone.into_iter().filter(|option| option != "strict").collect());
    }
}
