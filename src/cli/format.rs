//! `fpsolve fmt [--check] FILE…`: the house style.

use super::arguments::Format;
use super::output::{print, print_file, reject};
use super::{Exit, algorithm};
use crate::run::files;
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::span::{Source, Sources};
use calculus::syntax;

pub fn format(arguments: &Format) -> Exit {
    let names = match files::walk(&arguments.files, &["fp"]) {
        Ok(names) => names,
        Err(mistake) => return reject(&mistake.into(), false),
    };
    let (mut changes, mut mistakes) = (false, false);
    for name in names {
        match format_file(&name, arguments.check) {
            Ok(changed) => changes |= changed,
            Err(rejection) => {
                reject(&rejection, false);
                mistakes = true;
            }
        }
    }
    match (mistakes, changes && arguments.check) {
        (true, _) => Exit::Mistake,
        (false, true) => Exit::Unsafe,
        (false, false) => Exit::Success,
    }
}

/// Whether the file is, or would be, changed.
fn format_file(name: &str, check_only: bool) -> Result<bool, Rejection> {
    let source = algorithm::find_alone(name)?;
    if source.name != name && name != "-" {
        let title = format!("the bundled algorithm `{name}` cannot be formatted");
        return Err(Diagnostic::error("fp::unreadable_file", title).help("name a file").into());
    }
    let formatted = formatted(&source)?;
    let changed = *formatted != *source.text;
    if name == "-" && !check_only {
        print_file(&formatted);
    } else if changed {
        if !check_only {
            std::fs::write(name, &formatted).map_err(|error| {
                let title = format!("cannot write `{name}`: {}", files::reason(&error));
                Diagnostic::error("fp::unwritable_file", title)
            })?;
        }
        let what = if check_only { "would change" } else { "formatted" };
        print(&format!("{what}: {}\n", source.name));
    }
    Ok(changed)
}

fn formatted(source: &Source) -> Result<String, Rejection> {
    let mut sources = Sources::default();
    let id = sources.add(source.name.clone(), source.text.clone());
    let file = match syntax::parse(id, &source.text) {
        Ok(file) => file,
        Err(diagnostics) => return Err(Rejection { sources, diagnostics }),
    };
    let text = syntax::print(&file, &source.text);
    // A formatter must not change what a file says: better no file than another one.
    let again = syntax::parse(id, &text);
    assert!(
        again.is_ok_and(|again| syntax::same(&file, &again)),
        "formatting {} would change it",
        source.name
    );
    Ok(text)
}
