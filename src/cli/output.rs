//! Printing. A reader that went away (`| head`) is no mistake.

use super::Exit;
use crate::report::diagnostics::{Medium, diagnostics};
use crate::report::{WIDTH, json};
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::span::Sources;
use calculus::visible::visible;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::panic::PanicHookInfo;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Held while something is written, so that nobody ends the process in the middle of it. True once the command prints
/// its answer: then it is not given up any more.
static CONCLUDED: Mutex<bool> = Mutex::new(false);

/// Does what must not be left half done, and what must not be done once the command is given up.
pub fn whole<T>(write: impl FnOnce() -> T) -> T {
    let _concluded = CONCLUDED.lock().unwrap_or_else(PoisonError::into_inner);
    write()
}

/// To be called before the answer of a command is printed.
pub fn conclude() {
    *CONCLUDED.lock().unwrap_or_else(PoisonError::into_inner) = true;
}

/// Says that the command is given up and ends the process, unless the answer is being printed.
pub fn give_up(text: &str, exit: Exit) {
    let concluded = CONCLUDED.lock().unwrap_or_else(PoisonError::into_inner);
    if !*concluded {
        super::progress::erase();
        write_out(&visible(text));
        std::process::exit(exit as i32);
    }
}

/// Prints answers. Whatever the input has in its names and texts, the terminal is not to obey it.
pub fn print(text: &str) {
    whole(|| write_out(&visible(text)));
}

/// Prints a text of which every byte counts: a file for another program.
pub fn print_file(text: &str) {
    whole(|| write_out(text));
}

fn write_out(text: &str) {
    let mut out = io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush())
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        complain(&format!("fpsolve: cannot write the output: {error}\n"));
        std::process::exit(Exit::Mistake as i32);
    }
}

/// Prints to the standard error; that it fails can be told to nobody.
pub fn complain(text: &str) {
    let mut out = io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints warnings or mistakes.
pub fn diagnose(sources: &Sources, list: &[Diagnostic]) {
    let medium = if io::stderr().is_terminal() { Medium::Terminal } else { Medium::Plain };
    complain(&diagnostics(sources, list, medium));
}

/// Prints why nothing was done.
pub fn reject(rejection: &Rejection, as_json: bool) -> Exit {
    conclude();
    if as_json {
        print(&json::rejection(rejection));
    } else {
        diagnose(&rejection.sources, &rejection.diagnostics);
    }
    Exit::Mistake
}

/// Refuses to write over the file or its model, however the paths are spelled. And nobody should wait for an answer that
/// cannot be written. `what` is written, and `option` names where to.
pub fn refuse_output(
    inputs: &[Option<&str>],
    output: Option<&PathBuf>,
    what: &str,
    option: &str,
) -> Result<(), Diagnostic> {
    let Some(output) = output else { return Ok(()) };
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let title = format!("cannot write `{}`: there is no folder `{}`", output.display(), folder.display());
        return Err(Diagnostic::error("fp::unwritable_file", title));
    }
    if output.is_dir() {
        let title = format!("cannot write `{}`: this is a folder", output.display());
        return Err(Diagnostic::error("fp::unwritable_file", title)
            .help(format!("name a file in it behind {option}")));
    }
    let written = fs::canonicalize(output).ok();
    for input in inputs.iter().flatten() {
        if written.is_some() && fs::canonicalize(input).ok() == written {
            let title = format!("`{input}` would be overwritten by {what}");
            return Err(Diagnostic::error("fp::unwritable_file", title)
                .help(format!("name another file behind {option}")));
        }
    }
    Ok(())
}

/// How wide answers may be.
pub fn width() -> usize {
    let width = io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
    width.map_or(WIDTH, |(width, _)| usize::from(width.0).max(40))
}

/// What a panic prints.
pub fn internal_error(info: &PanicHookInfo) {
    let payload = info.payload();
    let message = payload.downcast_ref::<&str>().copied();
    let message = message.or(payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    let message = visible(message);
    let place =
        info.location().map_or(String::new(), |place| format!(" ({}:{})", place.file(), place.line()));
    super::progress::erase();
    if let Some(document) = super::refusal()
        && let Ok(concluded) = CONCLUDED.try_lock()
        && !*concluded
    {
        let mistake = Diagnostic::error("fp::internal", format!("internal error: {message}{place}"))
            .help("this is a bug in fpsolve: please report it, with the file and the command");
        write_out(&document(&mistake.into(), Exit::Internal));
    }
    complain(&format!(
        "internal error: {message}{place}\nThis is a bug in fpsolve {}: please report it, with the file and the \
         command.\n",
        env!("CARGO_PKG_VERSION")
    ));
}
