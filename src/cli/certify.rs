//! `fpsolve certify FILE [MODEL] CERT`: does a certificate prove that the file's verdict is safe?
//! And `--certificate OUT`: writing one.

use super::arguments::{COMMANDS, Input, Programs, ReorderName};
use super::output::{diagnose, print, reject};
use super::solve::params;
use super::{Exit, interrupt, limits, watchdog};
use crate::run::certificate::{Document, Subject};
use crate::run::{Facts, Outcome, Rejection, Request, Solving, check, files, handles_calls};
use calculus::bdd::{self, Stop};
use calculus::certify::{self, Proof, Refusal};
use calculus::diagnostic::{Diagnostic, Sources};
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct Certify {
    /// The .fp file or bundled algorithm, its model if it has one, and the certificate
    #[arg(value_names = ["FILE", "[MODEL]", "CERT"], required = true, num_args = 2..=3)]
    pub paths: Vec<String>,
    #[command(flatten)]
    pub input: Input,
    /// Give up after this time: 500ms, 30s, 5m, 1h
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    pub timeout: Option<Duration>,
    /// Give up when the process has this much memory: 512MiB, 4GiB
    #[arg(long, value_name = "SIZE", value_parser = limits::size)]
    pub memory: Option<u64>,
    /// Give up when this many BDD nodes are alive
    #[arg(long, value_name = "N")]
    pub max_nodes: Option<u64>,
    /// When to look for a better order of the BDD variables
    #[arg(long, value_enum, default_value_t = ReorderName::Auto)]
    pub reorder: ReorderName,
    #[command(flatten)]
    pub program: Programs,
}

/// Why nothing is certified.
enum Failure {
    /// The file or the model has mistakes, or the command line.
    Mistake(Rejection),
    Refused(Rejection),
    Stopped(Stop),
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        Failure::Mistake(rejection)
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Mistake(diagnostic.into())
    }
}

pub fn certify(arguments: &Certify) -> Exit {
    match certified(arguments) {
        Ok(text) => {
            print(&text);
            Exit::Success
        }
        Err(Failure::Mistake(rejection)) => reject(&rejection, false),
        Err(Failure::Refused(rejection)) => {
            reject(&rejection, false);
            print("refused: the certificate does not prove that the verdict is safe\n");
            Exit::Unsafe
        }
        Err(Failure::Stopped(stop)) => {
            print(&format!("unknown: the certificate is not checked to the end ({stop})\n"));
            Exit::Unknown
        }
    }
}

fn certified(arguments: &Certify) -> Result<String, Failure> {
    let begin = Instant::now();
    let (name, model, path) = match arguments.paths.as_slice() {
        [file, certificate] => (file, None, certificate),
        [file, model, certificate] => (file, Some(model), certificate),
        _ => unreachable!("two or three, says the command line"),
    };
    let solving = Solving {
        reorder: arguments.reorder.into(),
        timeout: arguments.timeout,
        memory: arguments.memory,
        max_nodes: arguments.max_nodes,
        interrupt: interrupt::install(),
        ..Solving::default()
    };
    let _watchdog = watchdog::watch(&solving, name, false);
    let text = files::read(Path::new(path)).map_err(|why| {
        Diagnostic::error("fp::unreadable_file", format!("cannot read the certificate `{path}`: {why}"))
            .help("`fpsolve FILE MODEL --certificate OUT.json` writes one if the verdict is safe")
    })?;
    let refused = |diagnostic: Diagnostic| Failure::Refused(diagnostic.into());
    let document = Document::parse(&text).map_err(refused)?;
    let file = files::find(name, &COMMANDS)?;
    let options = arguments.program.options().for_file(handles_calls(&file));
    let model = model.map(|path| files::model(path, &options)).transpose()?;
    let mut request = Request {
        params: params(&arguments.input)?,
        facts: arguments.input.facts.clone().map_or(Facts::None, Facts::Folder),
        model: model.as_ref().map(|model| model.vocabulary.clone()),
        ..Request::new(file)
    };
    document.settle(&mut request)?;
    let checked = check(&request)?;
    let subject = Subject::of_checked(&checked, model.as_ref().map(|model| &model.sources));
    subject.expect(&document.subject).map_err(refused)?;
    let settings = bdd::Settings { reorder: solving.reorder, limits: solving.limits(begin) };
    certify::check(&checked.system, &document.certificate, settings).map_err(|refusal| match refusal {
        Refusal::Stop(stop) => Failure::Stopped(stop),
        Refusal::Wrong(diagnostic) => {
            Failure::Refused(Rejection { sources: checked.sources.clone(), diagnostics: vec![*diagnostic] })
        }
    })?;
    let message = &checked.system.verdicts[document.certificate.verdict].message;
    let message = message.as_ref().map_or(String::new(), |message| format!(" ({message})"));
    Ok(format!("certified: safe{message}\n\n{}", sizes(&document)))
}

/// How large the certificate is, in a line.
fn sizes(document: &Document) -> String {
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
            let title = format!("no certificate is written: {stop} while it was made");
            let help = "the verdict stands; a certificate can take longer than the verdict: raise the limit";
            diagnose(&Sources::default(), &[Diagnostic::error("fp::no_certificate", title).help(help)]);
            Some(Exit::Unknown)
        }
        Some(Ok(certificate)) => {
            let subject = Subject::of_outcome(outcome);
            let text = Document { subject, certificate: certificate.clone() }.text();
            let error = fs::write(path, text).err()?;
            let title = format!("cannot write `{}`: {}", path.display(), files::reason(&error));
            Some(reject(&Diagnostic::error("fp::unwritable_file", title).into(), false))
        }
    }
}

/// The file and its model must not be lost, however the paths are spelled.
pub fn refuse_overwriting(inputs: &[Option<&str>], output: Option<&PathBuf>) -> Result<(), Diagnostic> {
    let Some(output) = output else { return Ok(()) };
    let written = fs::canonicalize(output).ok();
    for input in inputs.iter().flatten() {
        if written.is_some() && fs::canonicalize(input).ok() == written {
            let title = format!("`{input}` would be overwritten by a certificate");
            return Err(Diagnostic::error("fp::unwritable_file", title)
                .help("name another file behind --certificate"));
        }
    }
    Ok(())
}
