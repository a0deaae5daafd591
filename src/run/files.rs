//! Finding files: the one to run, those it uses, and its facts.

use crate::bundled;
use crate::model::options::FormulaText;
use crate::model::{FrontEnd, Model, ProgramOptions, registry};
use calculus::check::FactsFile;
use calculus::diagnostic::{Diagnostic, Rejection, nearest};
use calculus::phase;
use calculus::span::Source;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::{fs, str};

/// The file that a command line means: `-` is the standard input, a file that exists comes before a bundled
/// algorithm. `commands` are words that the user may have meant as commands.
pub fn find(name: &str, commands: &[&str]) -> Result<Source, Diagnostic> {
    let _reading = phase::enter("reading the file");
    if name == "-" {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes).map_err(|error| reason(&error));
        let text = read.and_then(|_| decode(bytes));
        return match text {
            Ok(text) => Ok(Source::new("<stdin>", text)),
            Err(why) => Err(unreadable("cannot read the standard input", &why)),
        };
    }
    let path = Path::new(name);
    if path.is_dir() {
        return Err(Diagnostic::error("fp::unreadable_file", format!("`{name}` is a folder"))
            .help(format!("name a file in it, or run all its expectations: fpsolve test {name}")));
    }
    if path.exists() {
        return match read(path) {
            Ok(text) => Ok(Source::new(name, text)),
            Err(why) => Err(unreadable(&format!("cannot read `{name}`"), &why)),
        };
    }
    match bundled::named(name) {
        Ok(Some(algorithm)) => Ok(Source::new(algorithm.title(), algorithm.text)),
        Ok(None) => Err(unknown(name, commands)),
        Err(several) => Err(Diagnostic::error(
            "fp::unreadable_file",
            format!("several bundled algorithms are called `{name}`"),
        )
        .help(format!("name one with its folder: {}", several.join(", ")))),
    }
}

/// The algorithm that an expectation in a program names: a bundled one, or one beside the program.
pub fn algorithm(name: &str, folder: &Path) -> Result<Source, Diagnostic> {
    let beside = folder.join(format!("{name}.fp"));
    match bundled::named(name) {
        _ if beside.is_file() => find(&beside.to_string_lossy(), &[]),
        Ok(Some(algorithm)) => Ok(Source::new(algorithm.title(), algorithm.text)),
        _ => Err(unknown(name, &[])),
    }
}

fn unreadable(title: &str, why: &str) -> Diagnostic {
    Diagnostic::error("fp::unreadable_file", format!("{title}: {why}"))
}

fn unknown(name: &str, commands: &[&str]) -> Diagnostic {
    let title = format!("there is no file and no bundled algorithm `{name}`");
    let here = siblings(Path::new(name), name, &["fp"]);
    let names = bundled::runnable().map(|algorithm| algorithm.name()).collect::<Vec<_>>();
    let known = here.iter().map(String::as_str).chain(names.iter().copied()).chain(commands.iter().copied());
    let help = match nearest(name, known) {
        Some(near) if commands.contains(&near) => format!("did you mean the command `fpsolve {near}`?"),
        Some(near) => format!("did you mean `{near}`?"),
        None => "`fpsolve list` shows the bundled algorithms".into(),
    };
    Diagnostic::error("fp::unreadable_file", title).help(help)
}

/// Whether a file's name says that it is a model.
pub fn is_model(name: &str) -> bool {
    registry::front_end(name).is_some()
}

/// The text of a model, and what reads it.
pub fn model_text(path: &str) -> Result<(String, &'static FrontEnd), Diagnostic> {
    let _reading = phase::enter("reading the program");
    let unreadable = |why: &str| {
        let near = siblings(Path::new(path), path, &registry::endings().collect::<Vec<_>>());
        let near = nearest(path, near.iter().map(String::as_str)).filter(|_| !Path::new(path).exists());
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => registry::in_words(),
        };
        let title = format!("cannot read the model `{path}`: {why}");
        Diagnostic::error("fp::unreadable_model", title).help(help)
    };
    if Path::new(path).is_dir() {
        let many =
            format!("name a program in it; for all of them: fpsolve batch ALGORITHM --programs {path}");
        return Err(unreadable("this is a folder").help(many));
    }
    let Some(front_end) = registry::front_end(path) else {
        return Err(unreadable("no kind of model has this ending"));
    };
    Ok((read(Path::new(path)).map_err(|why| unreadable(&why))?, front_end))
}

/// Reads a model.
pub fn model(path: &str, options: &ProgramOptions) -> Result<Box<dyn Model>, Rejection> {
    let (text, front_end) = model_text(path)?;
    read_model(front_end, path, &text, options)
}

/// The text of a formula: where the name of a file stands in its place, `always.ltl`, that of the file.
fn formula(given: &FormulaText) -> Result<FormulaText, Diagnostic> {
    let name = given.text.trim();
    if !name.ends_with(".ltl") {
        return Ok(given.clone());
    }
    match read_data(Path::new(name)) {
        Ok(text) => Ok(FormulaText { name: name.into(), text }),
        Err(why) => Err(unreadable(&format!("cannot read the formula `{name}`"), &why)),
    }
}

/// Reads the text of a model, with the files beside it that belong to it.
pub fn read_model(
    front_end: &FrontEnd,
    path: &str,
    text: &str,
    options: &ProgramOptions,
) -> Result<Box<dyn Model>, Rejection> {
    let mut options = options.clone();
    if let Some(formula) = &mut options.formula {
        *formula = self::formula(formula)?;
    }
    for ending in front_end.beside {
        let beside = Path::new(path).with_extension(ending);
        if beside.is_file() {
            let name = beside.to_string_lossy().into_owned();
            let text = read(&beside).map_err(|why| unreadable(&format!("cannot read `{name}`"), &why))?;
            options.reading.beside.push(Source::new(name, text));
        }
    }
    (front_end.read)(path, text, &options)
}

/// The files with some endings in the folder of a path, spelled as the user spelled the path.
fn siblings(path: &Path, spelled: &str, endings: &[&str]) -> Vec<String> {
    let parent = path.parent().unwrap_or(Path::new(""));
    let folder = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| has_ending(&entry.path(), endings)).map(|entry| entry.file_name());
    let parent = Path::new(spelled).parent().unwrap_or(Path::new(""));
    let mut names = files.map(|file| parent.join(file).to_string_lossy().into_owned()).collect::<Vec<_>>();
    names.sort();
    names
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known)) && path.is_file()
}

/// All files that paths mean, of folders those with one of the endings everywhere below them, in the order of
/// their names.
pub fn walk(paths: &[String], endings: &[&str]) -> Result<Vec<String>, Diagnostic> {
    let mut files = Vec::new();
    for name in paths {
        let path = Path::new(name);
        if path.is_dir() {
            let mut found = Vec::new();
            below(path, endings, &mut found)
                .map_err(|error| unreadable(&format!("cannot read the folder `{name}`"), &reason(&error)))?;
            found.sort();
            if found.is_empty() {
                return Err(Diagnostic::error(
                    "fp::unreadable_file",
                    format!("there are no .{} files in `{name}`", endings.join(", .")),
                ));
            }
            for path in found {
                files.push(spelled(&path)?);
            }
        } else {
            files.push(name.clone());
        }
    }
    Ok(files)
}

/// The name of a file that was found: names are text, since they stand in commands and in results.
pub fn spelled(path: &Path) -> Result<String, Diagnostic> {
    path.to_str().map(String::from).ok_or_else(|| {
        let title = format!("the name of `{}` is not UTF-8 text", path.display());
        Diagnostic::error("fp::unreadable_file", title).help("give the file or its folder another name")
    })
}

fn below(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Links to folders are not followed: they may lead in circles.
        if entry.file_type()?.is_dir() {
            below(&entry.path(), endings, found)?;
        } else if has_ending(&entry.path(), endings) {
            found.push(entry.path());
        }
    }
    Ok(())
}

/// The files of one run. A file that is reached by two spellings of its path has the name it was reached by first.
#[derive(Default)]
pub struct Files {
    names: RefCell<BTreeMap<PathBuf, String>>,
}

impl Files {
    /// The name that a file is spoken of by.
    pub fn remember(&self, name: &str) -> String {
        match fs::canonicalize(name) {
            Ok(path) => self.names.borrow_mut().entry(path).or_insert_with(|| name.into()).clone(),
            Err(_) => name.into(),
        }
    }

    /// What `use "path"` means in the file `user`: relative to that file, else a bundled file.
    pub fn used(&self, user: &str, path: &str) -> Result<(String, String), String> {
        let inside = user.strip_prefix(bundled::PREFIX);
        if let Some(user) = inside
            && let Some(algorithm) = join(user, path).and_then(|path| bundled::at(&path))
        {
            return Ok((algorithm.title(), algorithm.text.into()));
        }
        let beside = Path::new(user).parent().unwrap_or(Path::new("")).join(path);
        if inside.is_none() && beside.is_file() {
            let name = self.remember(&beside.to_string_lossy());
            return Ok((name, read(&beside)?));
        }
        if let Some(algorithm) = join("", path).and_then(|path| bundled::at(&path)) {
            return Ok((algorithm.title(), algorithm.text.into()));
        }
        if inside.is_none() && beside.is_dir() {
            return Err("this is a folder".into());
        }
        let here = if inside.is_none() { siblings(&beside, path, &["fp"]) } else { Vec::new() };
        let known = bundled::ALGORITHMS.iter().map(|algorithm| algorithm.path);
        let near = nearest(path, here.iter().map(String::as_str).chain(known));
        Err(near.map_or("there is no such file".into(), |near| format!("no such file; did you mean {near}?")))
    }
}

/// A file's name as another one of its folder would use it: `use "game.fp";`
pub fn quoted_path(name: &str) -> String {
    let path = match name.strip_prefix(bundled::PREFIX) {
        Some(path) => path.into(),
        None => Path::new(name).file_name().unwrap_or_default().to_string_lossy(),
    };
    calculus::texts::quoted(&path)
}

/// A path relative to the file `base`, with slashes, without dots. Nothing if it leaves the folder of all files.
fn join(base: &str, path: &str) -> Option<String> {
    let mut parts = base.split('/').collect::<Vec<_>>();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The file with the rows of an input: `NAME.facts`, or `NAME.csv` if there is no such file.
pub fn facts(folder: &Path, name: &str) -> Result<FactsFile, String> {
    let (tabs, csv) = (folder.join(format!("{name}.facts")), folder.join(format!("{name}.csv")));
    let path = match (tabs.exists(), csv.exists()) {
        (true, true) => {
            return Err(format!("there are both {} and {}", tabs.to_string_lossy(), csv.to_string_lossy()));
        }
        (false, true) => csv,
        (_, false) => tabs,
    };
    let name = path.to_string_lossy().into_owned();
    match read_data(&path) {
        Ok(text) => Ok(FactsFile::named(name, text)),
        Err(why) => Err(format!("{name}: {why}")),
    }
}

pub fn expect_folder(folder: &Path) -> Result<(), Diagnostic> {
    if folder.is_dir() {
        return Ok(());
    }
    let title = format!("there is no folder `{}` with facts", folder.display());
    Err(Diagnostic::error("fp::no_facts", title)
        .help("--facts names the folder that has a file NAME.facts or NAME.csv for each input NAME"))
}

/// The text of a file, or why it cannot be had.
pub fn read(path: &Path) -> Result<String, String> {
    decode(fs::read(path).map_err(|error| reason(&error))?)
}

/// The same for data, which other programs may have written: a byte-order mark is none of it.
pub fn read_data(path: &Path) -> Result<String, String> {
    let text = read(path)?;
    Ok(text.strip_prefix('\u{feff}').map(String::from).unwrap_or(text))
}

fn decode(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = good.iter().filter(|&&byte| byte == b'\n').count() + 1;
        format!("it is not UTF-8 text (line {line})")
    })
}

/// Why something went wrong, in a few words.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::IsADirectory => "this is a folder".into(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn paths_are_joined_without_dots() {
        assert_eq!(join("rounds/linear.fp", "../lib/init.fp").unwrap(), "lib/init.fp");
        assert_eq!(join("linear.fp", "./lib/init.fp").unwrap(), "lib/init.fp");
        assert_eq!(join("rounds/linear.fp", "step.fp").unwrap(), "rounds/step.fp");
        assert_eq!(join("linear.fp", "../../etc/passwd"), None);
    }
}
