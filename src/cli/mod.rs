//! The command line: arguments in, text and an exit code out. The only place that prints or exits.

mod algorithm;
mod arguments;
mod batch;
mod certify;
mod check;
mod explain;
mod export;
mod fault;
mod format;
mod interrupt;
mod limits;
mod list;
mod model;
mod new;
mod output;
mod progress;
mod replay;
mod sequentialize;
mod shell;
mod show;
mod solve;
mod test;
mod watch;
mod watchdog;

use crate::report::json;
use arguments::{Arguments, COMMANDS, Command};
use calculus::diagnostic::{Diagnostic, Rejection};
use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::process::ExitCode;

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
    std::panic::set_hook(Box::new(output::internal_error));
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
    match arguments.command {
        None => solve::solve(&arguments.run),
        Some(Command::Model(model)) => model::model(&model),
        Some(Command::Certify(arguments)) => certify::certify(&arguments),
        Some(Command::Check(check)) => check::check(&check),
        Some(Command::Fmt(format)) => format::format(&format),
        Some(Command::Test(test)) => test::test(&test),
        Some(Command::List) => list::list(),
        Some(Command::Replay(arguments)) => replay::replay(&arguments),
        Some(Command::Sequentialize(arguments)) => sequentialize::sequentialize(&arguments),
        Some(Command::Export(arguments)) => export::export(&arguments),
        Some(Command::New(arguments)) => new::new(&arguments),
        Some(Command::Watch(arguments)) => watch::watch(&arguments),
        Some(Command::Completions(arguments)) => shell::completions(&arguments),
        Some(Command::Man(arguments)) => shell::man(&arguments),
        Some(Command::Batch(arguments)) => batch::batch(&arguments),
    }
}

/// Help and version are asked for; everything else is a mistake, told as JSON if that was asked for.
fn usage(error: &clap::Error) -> Exit {
    if !error.use_stderr() {
        output::print(&error.render().to_string());
        return Exit::Success;
    }
    let arguments = std::env::args().collect::<Vec<_>>();
    // The parser takes a word too many for a command.
    let surplus = match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::ArgumentConflict, Some(ContextValue::String(word))) => Some(surplus(word)),
        _ => None,
    };
    let wants_json = arguments.iter().any(|word| word == "--format=json")
        || arguments.windows(2).any(|words| words == ["--format", "json"]);
    if wants_json {
        let text = error.render().to_string();
        let title = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_string();
        let other = || Diagnostic::error("fp::usage", title).help("fpsolve --help explains the arguments");
        output::print(&json::rejection(&Rejection::from(surplus.unwrap_or_else(other))));
    } else if let Some(mistake) = surplus {
        output::reject(&mistake.into(), false);
    } else {
        // Failing to write to the standard error cannot be told to anyone.
        let _ = error.print();
    }
    Exit::Mistake
}

/// A word behind the file and its model.
fn surplus(word: &str) -> Diagnostic {
    let (title, help) = match COMMANDS.contains(&word) {
        true => {
            (format!("the command `{word}` stands behind its arguments"), format!("say `fpsolve {word} …`"))
        }
        false => (
            format!("`{word}` is one argument too many"),
            "a run has a file and a model: `fpsolve FILE [MODEL]`; `fpsolve batch` runs many programs".into(),
        ),
    };
    Diagnostic::error("fp::usage", title).help(help)
}
