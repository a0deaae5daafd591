//! The command line: arguments in, text and an exit code out. The only place that prints or exits.

mod algorithm;
mod arguments;
mod batch;
mod certify;
mod check;
mod explain;
mod export;
#[cfg(feature = "faults")]
mod fault;
mod format;
mod harness;
mod interrupt;
mod limits;
mod list;
mod lsp;
mod model;
mod new;
mod out;
mod output;
mod program;
mod progress;
mod refine;
mod repl;
mod replay;
mod sequentialize;
mod shell;
mod show;
mod solve;
mod test;
mod translate;
mod watch;
mod watchdog;
mod words;

use crate::report::{json, sarif, stopped};
use arguments::{Arguments, COMMANDS, Command};
use calculus::bdd::{Limits, Stop};
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::phase;
use calculus::visible::visible;
use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::borrow::Cow;
use std::process::ExitCode;
use std::sync::Arc;

/// How the process ends; `--help` documents the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Safe, bounded, no verdict, or nothing to complain of.
    Success = 0,
    /// Unsafe, or an expectation failed, or a file is not formatted.
    Unsafe = 1,
    /// A mistake in usage or input.
    Mistake = 2,
    /// Unknown: a limit was reached, or the file says so.
    Unknown = 3,
    /// A bug in fpsolve.
    Internal = 101,
}

/// Walks over trees recurse, and so does CUDD over diagrams: as deep as there are variables. Only what is used
/// of the stack takes memory.
const STACK: usize = 256 << 20;

/// The whole command.
pub fn main() -> ExitCode {
    watchdog::begin();
    std::panic::set_hook(Box::new(output::internal_error));
    #[cfg(feature = "faults")]
    fault::prepare();
    let worker = std::thread::Builder::new().name("fpsolve".into()).stack_size(STACK).spawn(command);
    let exit = match worker {
        Ok(worker) => worker.join().unwrap_or(Exit::Internal),
        Err(_) => std::panic::catch_unwind(command).unwrap_or(Exit::Internal),
    };
    ExitCode::from(exit as u8)
}

fn command() -> Exit {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    let arguments = Arc::new(arguments);
    let told = arguments.clone();
    let watchdog =
        limits_of(&arguments).map(|limits| watchdog::watch(limits, move |stop| given_up(&told, stop)));
    let _working = phase::enter_polling("");
    let Some(command) = &arguments.command else {
        if arguments.run.end_with_stdin {
            watchdog::end_with_stdin();
        }
        return solve::solve(&arguments.run);
    };
    match command {
        Command::Abstract(arguments) => refine::abstracted(arguments),
        Command::Model(arguments) => model::model(arguments),
        Command::Certify(arguments) => certify::certify(arguments),
        Command::Check(arguments) => check::check(arguments),
        Command::Fmt(arguments) => format::format(arguments),
        Command::Test(arguments) => test::test(arguments, watchdog.as_ref()),
        Command::List => list::list(),
        Command::Replay(arguments) => replay::replay(arguments),
        Command::Sequentialize(arguments) => sequentialize::sequentialize(arguments),
        Command::Translate(arguments) => translate::translate(arguments),
        Command::Export(arguments) => export::export(arguments),
        Command::New(arguments) => new::new(arguments),
        Command::Watch(arguments) => watch::watch(arguments),
        Command::Repl(arguments) => repl::repl(arguments),
        Command::Lsp => lsp::lsp(),
        Command::Completions(arguments) => shell::completions(arguments),
        Command::Man(arguments) => shell::man(arguments),
        Command::Batch(arguments) => batch::batch(arguments),
    }
}

/// The limits of a command as a whole. Those of a batch are for each of its runs, which are processes of their own; those of
/// a prompt are for each question.
fn limits_of(arguments: &Arguments) -> Option<Limits> {
    Some(match &arguments.command {
        None => arguments.run.solving.limits.limits(),
        Some(Command::Abstract(arguments)) => arguments.solving.limits.limits(),
        Some(Command::Model(arguments)) => arguments.limits.limits(),
        Some(Command::Certify(arguments)) => arguments.limits.limits(),
        Some(Command::Test(arguments)) => arguments.solving.limits.limits(),
        Some(Command::Check(arguments)) => arguments.resources.limits(),
        Some(Command::Replay(arguments)) => arguments.resources.limits(),
        Some(Command::Sequentialize(arguments)) => arguments.resources.limits(),
        Some(Command::Translate(arguments)) => arguments.resources.limits(),
        Some(Command::Export(arguments)) => arguments.resources.limits(),
        Some(
            Command::Batch(_)
            | Command::Fmt(_)
            | Command::List
            | Command::New(_)
            | Command::Watch(_)
            | Command::Repl(_)
            | Command::Lsp
            | Command::Completions(_)
            | Command::Man(_),
        ) => return None,
    })
}

/// What a command says that a limit ends before it can say anything else.
fn given_up(arguments: &Arguments, stop: &Stop) -> String {
    let undone = match &arguments.command {
        None => return solve::given_up(&arguments.run, stop),
        Some(Command::Abstract(arguments)) => return solve::given_up(arguments, stop),
        Some(Command::Model(arguments)) => return model::given_up(arguments, stop),
        Some(Command::Certify(_)) => certify::UNDONE,
        Some(Command::Test(_)) => "not all expectations are compared",
        Some(Command::Check(_)) => "not all files are checked",
        Some(Command::Replay(_)) => "the trace is not executed to the end",
        Some(_) => "nothing is written",
    };
    stopped::text(undone, stop)
}

/// Help and version are asked for; everything else is a mistake, told as JSON if that was asked for.
fn usage(error: &clap::Error) -> Exit {
    if !error.use_stderr() {
        output::print(&error.render().to_string());
        return Exit::Success;
    }
    // The parser takes a word too many for a command.
    let surplus = match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::ArgumentConflict, Some(ContextValue::String(word))) => Some(surplus(word)),
        (ErrorKind::UnknownArgument, _) => match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(option)) => parameter_as_option(option),
            _ => None,
        },
        _ => None,
    };
    if let Some(document) = refusal() {
        let text = error.render().to_string();
        let title = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_string();
        let other = || Diagnostic::error("fp::usage", title).help("fpsolve --help explains the arguments");
        output::print(&document(&surplus.unwrap_or_else(other).into(), Exit::Mistake));
    } else if let Some(mistake) = surplus {
        output::reject(&mistake.into(), false);
    } else {
        let plain = error.render().to_string();
        match visible(&plain) {
            // Failing to write to the standard error cannot be told to anyone.
            Cow::Borrowed(_) => drop(error.print()),
            Cow::Owned(shown) => output::complain(&shown),
        }
    }
    Exit::Mistake
}

/// The arguments as texts, also those that are none.
fn words() -> Vec<String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// How a mistake is told where one document was asked for, though the arguments may not be understood: JSON or SARIF.
fn refusal() -> Option<fn(&Rejection, Exit) -> String> {
    let words = words();
    let asked = |option: &str, format: &str| {
        words.contains(&format!("{option}={format}")) || words.windows(2).any(|pair| pair == [option, format])
    };
    if asked("--format", "sarif") {
        return Some(|rejection, exit| sarif::rejection(rejection, exit as u8));
    }
    let json = ["--format", "--trace", "--profile"].iter().any(|option| asked(option, "json"));
    json.then_some(|rejection, _| json::rejection(rejection))
}

/// `--contexts 3`: an option that does not exist, with a number.
fn parameter_as_option(option: &str) -> Option<Diagnostic> {
    let words = words();
    let (option, value) = match option.split_once('=') {
        Some(parts) => parts,
        None => {
            let at = words.iter().position(|word| word.split('=').next() == Some(option))?;
            let value = words[at].split_once('=').map(|(_, value)| value);
            (option, value.or(words.get(at + 1).map(String::as_str))?)
        }
    };
    let name = option.strip_prefix("--")?;
    value.parse::<i64>().ok()?;
    let title = format!("there is no option `{option}`");
    Some(
        Diagnostic::error("fp::usage", title)
            .help(format!("a parameter of the file is set with `--set {name}={value}`")),
    )
}

/// `--set contexts 3`: a setting with a space in the place of its `=`.
fn split_setting(word: &str) -> Option<Diagnostic> {
    let words = words();
    let found = words.windows(3).find(|three| {
        ["--set", "--deepen"].contains(&three[0].as_str()) && !three[1].contains('=') && three[2] == word
    })?;
    let [option, name, _] = found else { return None };
    let title = format!("`{option} {name} {word}` has a space where `=` is needed");
    Some(Diagnostic::error("fp::usage", title).help(format!("write `{option} {name}={word}`")))
}

/// A word after the file and its model.
fn surplus(word: &str) -> Diagnostic {
    if let Some(mistake) = split_setting(word) {
        return mistake;
    }
    let (title, help) = match COMMANDS.contains(&word) {
        true => {
            (format!("the command `{word}` comes after its arguments"), format!("write `fpsolve {word} …`"))
        }
        false => (
            format!("`{word}` is one argument too many"),
            "a run has a file and a model: `fpsolve FILE [MODEL]`; `fpsolve batch` runs many programs".into(),
        ),
    };
    Diagnostic::error("fp::usage", title).help(help)
}
