//! `fpsolve certify FILE [MODEL] CERT`: does a certificate prove that the file's verdict is safe?
//! And `--certificate OUT`: writing one.

use super::arguments::{Input, LimitArguments, Programs, ReorderName};
use super::batch::model_options;
use super::output::{conclude, diagnose, print, reject, whole};
use super::solve::params;
use super::{Exit, algorithm};
use crate::report::{shell_word, stopped};
use crate::run::certificate::{self, CertificateFile, Certified, CertifiedSubject, Failure};
use crate::run::{Facts, Outcome, Request, Settings, behind_dots, files, handles_calls, offered};
use calculus::certify::Proof;
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::phase;
use calculus::span::Sources;
use clap::Args;
use std::fs;
use std::path::Path;

#[derive(Debug, Args)]
pub struct Certify {
    /// The .fp file or bundled algorithm, its model if it has one, and the certificate
    #[arg(value_names = ["FILE", "[MODEL]", "CERT"], required = true, num_args = 2..=3)]
    pub paths: Vec<String>,
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub limits: LimitArguments,
    /// When to look for a better order of the BDD variables
    #[arg(long, value_enum, default_value_t = ReorderName::Auto)]
    pub reorder: ReorderName,
    #[command(flatten)]
    pub program: Programs,
}

/// What is not done if a limit is reached.
pub const UNDONE: &str = "the certificate is not checked to the end";

pub fn certify(arguments: &Certify) -> Exit {
    let certified = certified(arguments);
    conclude();
    match certified {
        Ok(Ok(certified)) => {
            let message = certified.message.map_or(String::new(), |message| format!(" ({message})"));
            let (parameters, sizes) = (parameters(&certified.document), sizes(&certified.document));
            print(&format!("certified: safe{message}\n\n{parameters}{sizes}"));
            Exit::Success
        }
        Err(rejection) | Ok(Err(Failure::Mistake(rejection))) => reject(&rejection, false),
        Ok(Err(Failure::Refused(rejection))) => {
            reject(&rejection, false);
            print("refused: the certificate does not prove that the verdict is safe\n");
            Exit::Unsafe
        }
        Ok(Err(Failure::Stopped(stop))) => {
            print(&stopped::text(UNDONE, &stop));
            Exit::Unknown
        }
    }
}

fn certified(arguments: &Certify) -> Result<Result<Certified, Failure>, Rejection> {
    let (name, model, path) = match arguments.paths.as_slice() {
        [_, program] if files::is_model(program) => {
            let title = format!("no certificate is named after the program `{program}`");
            return Err(Diagnostic::error("fp::usage", title)
                .help("`fpsolve FILE MODEL --certificate OUT.json` writes one if the verdict is safe")
                .into());
        }
        [file, certificate] => (file, None, certificate),
        [file, model, certificate] => (file, Some(model), certificate),
        _ => unreachable!("two or three, says the command line"),
    };
    let limits = arguments.limits.limits();
    let settings = Settings { reorder: arguments.reorder.into(), limits, ..Settings::default() };
    let reading = phase::enter("reading the certificate");
    let text = files::read_data(Path::new(path)).map_err(|why| {
        Diagnostic::error("fp::unreadable_file", format!("cannot read the certificate `{path}`: {why}"))
            .help("`fpsolve FILE MODEL --certificate OUT.json` writes one if the verdict is safe")
    })?;
    drop(reading);
    let file = algorithm::find(name, model.map(String::as_str))?;
    let options = arguments.program.options().for_file(handles_calls(&file)).naming(behind_dots(&file));
    let model = model.map(|path| files::model(path, &options)).transpose()?;
    let request = Request {
        params: params(&arguments.input)?,
        facts: arguments.input.facts.clone().map_or(Facts::None, Facts::Folder),
        model: model.as_ref().map(|model| offered(&**model, &file)).transpose()?,
        ..Request::new(file)
    };
    Ok(certificate::certify(&text, &request, model.as_ref().map(|model| model.sources()), &settings))
}

/// The parameters that the certificate is for, in a line.
fn parameters(document: &CertificateFile) -> String {
    let params = document.subject.params.iter().map(|(name, value)| format!("{name} = {value}"));
    let params = params.collect::<Vec<_>>().join(", ");
    if params.is_empty() { params } else { format!("parameters: {params}\n") }
}

/// How large the certificate is, in a line.
fn sizes(document: &CertificateFile) -> String {
    fn stages(proof: &Proof<usize>) -> usize {
        let inner = proof.stages.iter().filter_map(|stage| stage.inner.as_ref()).map(stages);
        proof.stages.len() + inner.sum::<usize>()
    }
    let certificate = &document.certificate;
    let stages = certificate.bounds.iter().map(|bound| stages(&bound.proof)).sum::<usize>();
    let count = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let (bounds, nodes) = (certificate.bounds.len(), certificate.nodes.len());
    format!("{}, {}, {}\n", count(bounds, "bound"), count(stages, "stage"), count(nodes, "node"))
}

/// The command that checks the certificate of a run.
pub fn command(file: &str, model: Option<&str>, path: &Path, program: &Programs) -> String {
    let words = [Some("fpsolve certify".to_string()), Some(shell_word(file)), model.map(shell_word)];
    let words = words.into_iter().flatten().chain([shell_word(&path.to_string_lossy())]);
    words.chain(model_options(program).iter().map(|option| shell_word(option))).collect::<Vec<_>>().join(" ")
}

/// Writes the certificate of a run, if its verdict is safe. How the process ends if it cannot be written.
pub fn write(path: &Path, outcome: &Outcome) -> Option<Exit> {
    match &outcome.certificate {
        None => {
            let word = outcome.conclusion().word().unwrap_or("none");
            let title = format!("no certificate is written: the verdict is {word}, not safe");
            diagnose(&Sources::default(), &[Diagnostic::warning("fp::no_certificate", title)]);
            None
        }
        Some(Err(stop)) => {
            let title = format!("no certificate is written: {stop}");
            let help = "the verdict is right all the same; a certificate can take longer than the verdict: raise the limit";
            diagnose(&Sources::default(), &[Diagnostic::error("fp::no_certificate", title).help(help)]);
            Some(Exit::Unknown)
        }
        Some(Ok(certificate)) => {
            let subject = CertifiedSubject::of_outcome(outcome);
            let text = CertificateFile { subject, certificate: certificate.clone() }.text();
            let error = whole(|| fs::write(path, text)).err()?;
            let title = format!("cannot write `{}`: {}", path.display(), files::reason(&error));
            Some(reject(&Diagnostic::error("fp::unwritable_file", title).into(), false))
        }
    }
}
