//! Certificates as files: what they are of (texts, parameters, model), and the bounds that prove it, as JSON.
//!
//! docs/certificates.md describes the format. Whatever a file says, nothing here trusts it.

use super::outcome::left_out;
use super::{CheckedFile, Outcome, Request, Settings, check};
use calculus::bdd::{self, Stop};
use calculus::certify::{self, Bound, Certificate, Lane, Proof, Refusal, RelationName, Side, Stage};
use calculus::check::tree::{Body, System};
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::phase;
use calculus::span::Sources;
use calculus::vocabulary::Vocabulary;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// Why nothing is certified.
#[derive(Debug)]
pub enum Failure {
    /// The file, the facts or the model have mistakes.
    Mistake(Rejection),
    /// The certificate is none, or it is of something else, or it proves nothing.
    Refused(Rejection),
    /// A limit was reached before everything was checked.
    Stopped(Stop),
}

/// What a certificate was found to prove.
#[derive(Debug)]
pub struct Certified {
    pub document: CertificateFile,
    /// The message of the verdict, with the predicates that the proof speaks of.
    pub message: Option<String>,
}

/// Checks the text of a certificate against a file and what it is about. `model` has the texts of the model.
pub fn certify(
    text: &str,
    request: &Request,
    model: Option<&Sources>,
    settings: &Settings,
) -> Result<Certified, Failure> {
    let refused = |diagnostic: Diagnostic| Failure::Refused(diagnostic.into());
    let reading = phase::enter("reading the certificate");
    let document = CertificateFile::parse(text).map_err(refused)?;
    drop(reading);
    let mut request = request.clone();
    document.settle(&mut request).map_err(refused)?;
    let checked = check(&request).map_err(Failure::Mistake)?;
    if let Some(left_out) = left_out(&checked.system).next() {
        let title = format!("the model leaves out runs of the program ({left_out}): it cannot prove it safe");
        return Err(refused(Diagnostic::error("fp::certificate", title)));
    }
    CertifiedSubject::of_checked(&checked, model).expect(&document.subject).map_err(refused)?;
    let _certifying = phase::enter_polling("checking the certificate");
    let settings = bdd::ManagerSettings { reorder: settings.reorder, limits: settings.limits.clone() };
    certify::check(&checked.system, &document.certificate, settings).map_err(|refusal| match refusal {
        Refusal::Stop(stop) => Failure::Stopped(stop),
        Refusal::Wrong(diagnostic) => {
            Failure::Refused(Rejection { sources: checked.sources.clone(), diagnostics: vec![*diagnostic] })
        }
    })?;
    let message = checked.system.verdicts[document.certificate.verdict].message.clone();
    let message = match document.subject.predicates.join("; ") {
        predicates if predicates.is_empty() => message,
        predicates => Some(message.map_or(String::new(), |message| message + ": ") + &predicates),
    };
    Ok(Certified { document, message })
}

/// The version of the format.
const VERSION: u64 = 1;

/// What a certificate is of. Its verdict is always `safe`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertifiedSubject {
    /// All parameters of the file.
    pub params: BTreeMap<String, i64>,
    /// The file, those it uses, facts, and the program; names without folders, and the SHA-256 of the texts.
    pub texts: Vec<(String, String)>,
    /// The SHA-256 of what the model offers; options change that, too.
    pub model: Option<String>,
    /// The predicates that the proof speaks of, for people.
    pub predicates: Vec<String>,
}

/// A certificate file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFile {
    pub subject: CertifiedSubject,
    pub certificate: Certificate,
}

impl CertifiedSubject {
    /// Of a run's outcome.
    pub fn of_outcome(outcome: &Outcome) -> CertifiedSubject {
        let model = outcome.model.as_ref().map(|model| &model.sources);
        CertifiedSubject {
            params: outcome.system.params.clone(),
            texts: texts(&outcome.sources, model),
            model: outcome.system.vocabulary.as_ref().map(offered),
            predicates: predicates(&outcome.system),
        }
    }

    /// Of a file that is about to be compared with a certificate.
    fn of_checked(checked: &CheckedFile, model: Option<&Sources>) -> CertifiedSubject {
        CertifiedSubject {
            params: checked.system.params.clone(),
            texts: texts(&checked.sources, model),
            model: checked.system.vocabulary.as_ref().map(offered),
            predicates: predicates(&checked.system),
        }
    }

    /// Refuses a certificate that was made of something else.
    fn expect(&self, certified: &CertifiedSubject) -> Result<(), Diagnostic> {
        let other = |title: String, help: &str| Err(refused(title).help(help));
        let (ours, theirs) = (&self.texts, &certified.texts);
        if ours.len() != theirs.len() {
            let title =
                format!("the certificate was made with {} files, and here are {}", theirs.len(), ours.len());
            return other(title, "name the file, the model and the facts that it was made with");
        }
        for ((name, digest), (certified, expected)) in ours.iter().zip(theirs) {
            if digest != expected {
                let title = match name == certified {
                    true => format!("the certificate was made with another text of `{name}`"),
                    false => format!("the certificate was made with `{certified}`, not with `{name}`"),
                };
                return other(
                    title,
                    "name the file that it was made with, or make a new one with --certificate",
                );
            }
        }
        if self.params != certified.params {
            let title = format!("the parameters are {:?}, and the certificate has others", self.params);
            return other(title, "the certificate has values for all parameters of the file, and no others");
        }
        if self.model != certified.model {
            let title = "the certificate was made with other options for the same program".to_string();
            return other(title, "read the program with the options that the certificate was made with");
        }
        if self.predicates != certified.predicates {
            let title = "the predicates that the certificate names are not those of its proof".to_string();
            return other(title, "make a new one with --certificate");
        }
        Ok(())
    }
}

fn refused(title: impl Into<String>) -> Diagnostic {
    Diagnostic::error("fp::certificate", title)
}

/// The predicates that a system speaks of, in the words of who gave them.
fn predicates(system: &System) -> Vec<String> {
    let Some(vocabulary) = &system.vocabulary else { return Vec::new() };
    let given = system.relations.iter().filter(|relation| matches!(relation.body, Body::Model(_)));
    given.filter_map(|relation| vocabulary.show.told(&relation.name, &relation.numbers())).collect()
}

fn texts(sources: &Sources, model: Option<&Sources>) -> Vec<(String, String)> {
    let all = [Some(sources), model];
    let files = all.into_iter().flatten().flat_map(Sources::iter);
    files
        .map(|source| {
            let short = source.name.rsplit(['/', '\\']).next().unwrap_or_default().to_string();
            (short, hex(Sha256::new_with_prefix(source.text.as_bytes())))
        })
        .collect()
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().fold(String::new(), |mut out, byte| {
        write!(out, "{byte:02x}").expect("a string takes everything");
        out
    })
}

/// The digest of what a model offers.
fn offered(vocabulary: &Vocabulary) -> String {
    struct Sink(Sha256);
    impl fmt::Write for Sink {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.update(text.as_bytes());
            Ok(())
        }
    }
    let mut sink = Sink(Sha256::new());
    let Vocabulary { name, sorts, symbols, records, facts, relations, .. } = vocabulary;
    write!(sink, "{name} {sorts:?} {symbols:?} {records:?} {facts:?} {relations:?}")
        .expect("a digest takes everything");
    hex(sink.0)
}

impl CertificateFile {
    /// The text of the file, the same for the same certificate.
    pub fn text(&self) -> String {
        let CertificateFile { subject, certificate } = self;
        let mut out = String::from("{\n");
        let mut line = |key: &str, value: Value| {
            writeln!(out, "\"{key}\": {value},").expect("a string takes everything")
        };
        line("certificate", json!(VERSION));
        line("verdict", json!(certificate.verdict));
        line("params", json!(subject.params));
        line("texts", json!(subject.texts));
        line("model", json!(subject.model));
        if !subject.predicates.is_empty() {
            line("predicates", json!(subject.predicates));
        }
        let lanes = certificate.lanes.iter().map(|Lane { sort, bits, copies }| json!([sort, bits, copies]));
        line("lanes", lanes.collect());
        line("order", json!(certificate.order));
        rows(&mut out, "nodes", certificate.nodes.iter().map(|node| json!(node)));
        out.push_str(",\n");
        rows(&mut out, "bounds", certificate.bounds.iter().map(bound));
        out.push_str("\n}\n");
        out
    }

    /// Reads a file.
    pub fn parse(text: &str) -> Result<CertificateFile, Diagnostic> {
        let value = serde_json::from_str::<Value>(text).map_err(|error| {
            refused(format!("the certificate is not JSON: {error}")).help("make a new one with --certificate")
        })?;
        Self::read(&value).map_err(|why| {
            refused(format!("the certificate is malformed: {why}")).help("make a new one with --certificate")
        })
    }

    fn read(value: &Value) -> Result<CertificateFile, String> {
        if number(field(value, "certificate")?)? != VERSION as usize {
            return Err(format!("its version is not {VERSION}"));
        }
        let params = field(value, "params")?.as_object().ok_or("`params` is not an object")?;
        let params = params.iter().map(|(name, value)| {
            Ok((name.clone(), value.as_i64().ok_or_else(|| format!("`{name}` is not an integer"))?))
        });
        let model = match field(value, "model")? {
            Value::Null => None,
            digest => Some(string(digest)?),
        };
        let texts = each(field(value, "texts")?, |pair| {
            let [name, digest] = tuple(pair)?;
            Ok((string(name)?, string(digest)?))
        })?;
        let predicates = value.get("predicates").map(|texts| each(texts, string)).transpose()?;
        let params = params.collect::<Result<_, String>>()?;
        let subject = CertifiedSubject { params, texts, model, predicates: predicates.unwrap_or_default() };
        let certificate = Certificate {
            verdict: number(field(value, "verdict")?)?,
            lanes: each(field(value, "lanes")?, |lane| {
                let [sort, bits, copies] = tuple(lane)?;
                Ok(Lane { sort: string(sort)?, bits: number(bits)?, copies: number(copies)? })
            })?,
            order: each(field(value, "order")?, pair)?,
            nodes: each(field(value, "nodes")?, |node| {
                let [level, low, high] = tuple(node)?;
                Ok((number(level)?, number(low)?, number(high)?))
            })?,
            bounds: each(field(value, "bounds")?, read_bound)?,
        };
        Ok(CertificateFile { subject, certificate })
    }

    /// The request with the parameters of the certificate. What is set besides must be the same.
    fn settle(&self, request: &mut Request) -> Result<(), Diagnostic> {
        for (name, value) in &request.params {
            match self.subject.params.get(name) {
                Some(certified) if certified == value => {}
                certified => {
                    let certified = certified.map_or("not at all".to_string(), |value| format!("to {value}"));
                    let title = format!("`{name}` is set to {value}, in the certificate {certified}");
                    return Err(refused(title).help("leave out --set: the certificate has the values"));
                }
            }
        }
        request.params = self.subject.params.clone();
        Ok(())
    }
}

/// A list with one element per line.
fn rows(out: &mut String, key: &str, values: impl Iterator<Item = Value>) {
    write!(out, "\"{key}\": [").expect("a string takes everything");
    for (number, value) in values.enumerate() {
        write!(out, "{}\n{value}", if number == 0 { "" } else { "," }).expect("a string takes everything");
    }
    out.push(']');
}

fn bound(bound: &Bound) -> Value {
    let name = |name: &RelationName| json!([name.title, name.columns]);
    let blocks = bound.blocks.iter().map(|block| block.iter().map(name).collect::<Value>());
    json!({ "side": bound.side.word(), "blocks": blocks.collect::<Value>(), "stages": stages(&bound.proof) })
}

fn stages(proof: &Proof<usize>) -> Value {
    let stages = proof.stages.iter().map(|stage| match &stage.inner {
        None => json!({ "values": stage.values }),
        Some(inner) => json!({ "values": stage.values, "stages": stages(inner) }),
    });
    stages.collect()
}

fn read_bound(value: &Value) -> Result<Bound, String> {
    let side = match string(field(value, "side")?)?.as_str() {
        "upper" => Side::Upper,
        "lower" => Side::Lower,
        other => return Err(format!("a bound is `upper` or `lower`, not `{other}`")),
    };
    let name = |value: &Value| {
        let [title, columns] = tuple(value)?;
        Ok(RelationName { title: string(title)?, columns: each(columns, pair)? })
    };
    let blocks = each(field(value, "blocks")?, |block| each(block, name))?;
    Ok(Bound { blocks, side, proof: read_stages(field(value, "stages")?)? })
}

fn read_stages(value: &Value) -> Result<Proof<usize>, String> {
    let stages = each(value, |stage| {
        let inner = stage.get("stages").map(read_stages).transpose()?;
        Ok(Stage { values: each(field(stage, "values")?, number)?, inner })
    })?;
    Ok(Proof { stages })
}

fn field<'a>(value: &'a Value, name: &str) -> Result<&'a Value, String> {
    value.get(name).ok_or_else(|| format!("`{name}` is missing"))
}

fn each<T>(value: &Value, read: impl Fn(&Value) -> Result<T, String>) -> Result<Vec<T>, String> {
    value.as_array().ok_or_else(|| format!("{} is not a list", short(value)))?.iter().map(read).collect()
}

fn tuple<const N: usize>(value: &Value) -> Result<[&Value; N], String> {
    let parts = value.as_array().map(|parts| parts.iter().collect::<Vec<_>>());
    let parts = parts.and_then(|parts| parts.try_into().ok());
    parts.ok_or_else(|| format!("{} is not a list of {N}", short(value)))
}

fn pair(value: &Value) -> Result<(usize, usize), String> {
    let [first, second] = tuple(value)?;
    Ok((number(first)?, number(second)?))
}

fn number(value: &Value) -> Result<usize, String> {
    let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| format!("{} is not a number that is allowed here", short(value)))
}

fn string(value: &Value) -> Result<String, String> {
    value.as_str().map(str::to_string).ok_or_else(|| format!("{} is not a text", short(value)))
}

/// The beginning of a value.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}
