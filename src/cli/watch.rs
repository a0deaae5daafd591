//! `fpsolve watch FILE [MODEL]`: the run again, whenever one of its files is saved.

use super::arguments::{COMMANDS, Run};
use super::output::{complain, print, reject};
use super::{Exit, algorithm};
use crate::run::files::{self, Files};
use calculus::check;
use calculus::diagnostic::Diagnostic;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

#[derive(Debug, clap::Args)]
pub struct Watch {
    #[command(flatten)]
    pub run: Run,
    /// End after so many runs
    #[arg(long, hide = true)]
    pub runs: Option<usize>,
}

const POLL: Duration = Duration::from_millis(150);

/// When each file was last changed; nothing for one that is not there.
type ChangeTimes = BTreeMap<PathBuf, Option<SystemTime>>;

pub fn watch(arguments: &Watch) -> Exit {
    let name = arguments.run.file.as_deref().unwrap_or_default();
    if name == "-" {
        let mistake =
            Diagnostic::error("fp::usage", "the standard input cannot be watched").help("name a file");
        return reject(&mistake.into(), false);
    }
    if let Err(mistake) = algorithm::find(name, arguments.run.model.as_deref()) {
        return reject(&mistake.into(), false);
    }
    let Ok(command) = std::env::current_exe() else { return Exit::Internal };
    let words = words(std::env::args_os());
    let mut runs = 0;
    loop {
        let before = times(&arguments.run);
        // The run is a process of its own: whatever becomes of it, the watch goes on.
        if let Err(error) = Command::new(&command).args(&words).status() {
            complain(&format!("fpsolve: cannot start a run: {error}\n"));
        }
        runs += 1;
        if arguments.runs == Some(runs) {
            return Exit::Success;
        }
        complain("--- waiting for a change; Ctrl-C ends\n");
        let changed = loop {
            std::thread::sleep(POLL);
            let now = times(&arguments.run);
            if let Some((path, _)) = now.iter().find(|(path, time)| before.get(*path) != Some(*time)) {
                break path.clone();
            }
        };
        // Whoever saves may not have written everything yet.
        std::thread::sleep(POLL);
        print(&format!("--- {} changed\n", changed.display()));
    }
}

/// The arguments of the run: those of the watch without what is its own.
fn words(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut out = Vec::new();
    let mut rest = arguments.skip(1).skip_while(|word| word != "watch").skip(1);
    while let Some(word) = rest.next() {
        if word == "--runs" {
            rest.next();
        } else {
            out.push(word);
        }
    }
    out
}

/// The file with all that it uses, the model, and the facts.
fn times(run: &Run) -> ChangeTimes {
    let mut paths = Vec::new();
    let name = run.file.clone().unwrap_or_default();
    if let Ok(source) = files::find(&name, &COMMANDS) {
        let files = Files::default();
        let (program, _) = check::load(&source.name, &source.text, &|user, path| files.used(user, path));
        paths.extend(program.sources.iter().map(|source| PathBuf::from(&source.name)));
    }
    paths.push(name.into());
    paths.extend(run.model.as_ref().map(PathBuf::from));
    if let Some(entries) = run.input.facts.as_ref().and_then(|folder| std::fs::read_dir(folder).ok()) {
        paths.extend(entries.flatten().map(|entry| entry.path()));
    }
    let changed = |path: &PathBuf| std::fs::metadata(path).and_then(|data| data.modified()).ok();
    paths.into_iter().map(|path| (path.clone(), changed(&path))).collect()
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn the_words_of_the_run_are_those_behind_watch() {
        let given = ["fpsolve", "watch", "a.fp", "--runs", "2", "--set", "x=1"].map(Into::into);
        assert_eq!(words(given.into_iter()), ["a.fp", "--set", "x=1"]);
    }
}
