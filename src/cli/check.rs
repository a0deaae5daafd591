//! `fpsolve check FILE…`: mistakes and warnings, without solving.

use super::arguments::Check;
use super::output::{conclude, diagnose, print, reject};
use super::solve::params;
use super::{Exit, algorithm};
use crate::run::{Facts, Request, check as check_file, files, specimen};
use calculus::diagnostic::{Diagnostic, Rejection, Severity};
use calculus::span::Source;
use std::collections::BTreeMap;

pub fn check(arguments: &Check) -> Exit {
    let mut exit = Exit::Success;
    let (names, params) = match files::walk(&arguments.files, &["fp"])
        .and_then(|names| Ok((names, params(&arguments.input)?)))
    {
        Ok(found) => found,
        Err(mistake) => return reject(&mistake.into(), false),
    };
    for name in names {
        let shown = if name == "-" { "<stdin>" } else { &name };
        // Without a folder of facts the inputs are empty: the file alone is looked at.
        let facts = arguments.input.facts.clone().map_or(Facts::Empty, Facts::Folder);
        let checked = algorithm::find_alone(&name)
            .map_err(Rejection::from)
            .and_then(|file| check_file(&request(file, params.clone(), facts)));
        match checked {
            Ok(checked) => {
                diagnose(&checked.sources, &checked.warnings);
                print(&format!("{shown}: {}\n", summary(&checked.warnings)));
            }
            Err(rejection) => {
                exit = Exit::Mistake;
                diagnose(&rejection.sources, &rejection.diagnostics);
                print(&format!("{shown}: {}\n", summary(&rejection.diagnostics)));
            }
        }
    }
    conclude();
    exit
}

/// The file against a specimen of a model, since no model is given.
fn request(file: Source, params: BTreeMap<String, i64>, facts: Facts) -> Request {
    Request { params, facts, model: Some(specimen(&file)), specimen: true, ..Request::new(file) }
}

fn summary(diagnostics: &[Diagnostic]) -> String {
    let count = |severity: Severity| diagnostics.iter().filter(|d| d.severity == severity).count();
    let number = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    match (count(Severity::Error), count(Severity::Warning)) {
        (0, 0) => "ok".into(),
        (0, warnings) => format!("ok, {}", number(warnings, "warning")),
        (errors, 0) => number(errors, "mistake"),
        (errors, warnings) => format!("{}, {}", number(errors, "mistake"), number(warnings, "warning")),
    }
}
