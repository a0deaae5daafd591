//! Certificates of safe verdicts check; what was tampered with does not.
//!
//! Not every change breaks a certificate: a larger set may bound a relation as well. So a change counts as
//! tampering here only if it must be refused: the text is damaged, or it is of something else, or a tuple is
//! missing in an upper bound or too much in a lower one. The last two are known to be wrong because the sets of an
//! untouched certificate are the exact solutions.

#[path = "../calculus/tests/chance/mod.rs"]
mod chance;

use calculus::bdd::Limits;
use calculus::certify::{Certificate, Side};
use calculus::span::Sources;
use chance::Random;
use fpsolve::model::ProgramOptions;
use fpsolve::model::boolean::program;
use fpsolve::run::certificate::{CertificateFile, Certified, CertifiedSubject, Failure, certify};
use fpsolve::run::{AboutModel, Outcome, Request, Settings, files, handles_calls, run};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// A file, parameters, and a program in the folder of examples.
type Case = (&'static str, &'static [(&'static str, i64)], Option<&'static str>);

const CASES: [Case; 14] = [
    ("tests/fixtures/ring.fp", &[], None),
    ("interleaving", &[], Some("concurrent/peterson")),
    ("interleaving", &[], Some("concurrent/dekker")),
    ("interleaving", &[], Some("concurrent/producer_consumer")),
    ("reachability", &[], Some("programs/gray_pointer")),
    ("summaries", &[], Some("programs/double_buffer")),
    ("summaries", &[], Some("programs/xml_tags")),
    ("summaries", &[], Some("programs/power_policy")),
    ("summaries_eager", &[], Some("programs/delay_doubling")),
    ("summaries_eager", &[], Some("programs/red_black_tree")),
    ("adequacy", &[("rounds", 2)], Some("parameterized/bluetooth_repaired")),
    ("adequacy", &[("rounds", 2)], Some("parameterized/tas_lock")),
    ("adequacy", &[("rounds", 1)], Some("parameterized/broadcast")),
    ("adequacy", &[("rounds", 3)], Some("parameterized/handshake")),
];

/// What a certificate is made of and checked against.
struct Given {
    request: Request,
    model: Option<Sources>,
}

fn given((file, params, example): Case) -> Given {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let local = root.join(file);
    let name = if local.is_file() { local.to_string_lossy().into_owned() } else { file.to_string() };
    let file = files::find(&name, &[]).expect("a file of the project");
    let mut request = Request {
        params: params.iter().map(|(name, value)| (name.to_string(), *value)).collect(),
        ..Request::new(file)
    };
    let model = example.map(|example| {
        let text = std::fs::read_to_string(root.join(format!("examples/{example}.bp"))).expect("an example");
        let options = ProgramOptions::default().for_file(handles_calls(&request.file));
        let Ok(model) = program("program.bp", &text, &options) else { panic!("{example} has mistakes") };
        request.model = Some(model.vocabulary);
        request.about = Some(AboutModel {
            name: "program.bp".into(),
            sources: model.sources.clone(),
            warnings: Vec::new(),
            reading: Duration::ZERO,
            words: None,
        });
        model.sources
    });
    Given { request, model }
}

impl Given {
    fn solved(&self, request: &Request, solving: &Settings) -> Outcome {
        run(request, solving).unwrap_or_else(|rejection| panic!("{rejection:?}"))
    }

    fn document(&self, request: &Request, solving: &Settings) -> CertificateFile {
        let outcome = self.solved(request, solving);
        assert_eq!(outcome.conclusion().word(), Some("safe"));
        let certificate = outcome.certificate.as_ref().expect("asked for").as_ref().expect("no limit");
        CertificateFile { subject: CertifiedSubject::of_outcome(&outcome), certificate: certificate.clone() }
    }

    fn text(&self) -> String {
        self.document(&certifying(&self.request), &Settings::default()).text()
    }

    /// Parameters are those of the certificate.
    fn certify(&self, text: &str) -> Result<Certified, Failure> {
        let request = Request { params: BTreeMap::new(), ..self.request.clone() };
        certify(text, &request, self.model.as_ref(), &Settings::default())
    }
}

/// The same with a certificate.
fn certifying(request: &Request) -> Request {
    Request { certificate: true, ..request.clone() }
}

#[test]
fn certificates_of_safe_programs_check() {
    for case in CASES {
        let given = given(case);
        let text = given.text();
        assert_eq!(CertificateFile::parse(&text).expect("a certificate").text(), text, "{case:?}");
        if let Err(failure) = given.certify(&text) {
            panic!("{case:?}: {failure:?}");
        }
    }
}

/// However the solver worked, the certificate has the same bytes; keys are the solver's own affair.
#[test]
fn the_way_of_solving_does_not_change_a_certificate() {
    for case in [CASES[0], CASES[1], CASES[5], CASES[11]] {
        let given = given(case);
        let text = given.text();
        assert_eq!(given.text(), text, "{case:?}");
        for symbolic in [false, true] {
            let pc = if case.2.is_some() { vec![("Pc".to_string(), !symbolic)] } else { Vec::new() };
            let request = Request { keyed: pc, ..certifying(&given.request) };
            let solving = Settings { frames: symbolic, early_stop: symbolic, ..Settings::default() };
            assert_eq!(given.document(&request, &solving).text(), text, "{case:?} symbolic: {symbolic}");
        }
    }
}

#[test]
fn only_safe_verdicts_have_certificates() {
    let given = given(("interleaving", &[], Some("concurrent/peterson_bug")));
    assert!(given.solved(&certifying(&given.request), &Settings::default()).certificate.is_none());
    let given = self::given(CASES[1]);
    assert!(given.solved(&given.request, &Settings::default()).certificate.is_none(), "nobody asked");
}

#[test]
fn limits_hold_while_certificates_are_made_and_checked() {
    let given = given(CASES[10]);
    let text = given.text();
    for limits in [
        Limits { max_nodes: Some(300), ..Limits::default() },
        Limits { timeout: Some(Duration::ZERO), ..Limits::default() },
    ] {
        let limited = Settings { limits, ..Settings::default() };
        let result = certify(&text, &given.request, given.model.as_ref(), &limited);
        assert!(matches!(result, Err(Failure::Stopped(_))), "{result:?}");
    }
    let interrupted = Settings::default();
    interrupted.limits.interrupt.store(true, std::sync::atomic::Ordering::SeqCst);
    let result = certify(&text, &given.request, given.model.as_ref(), &interrupted);
    assert!(matches!(result, Err(Failure::Stopped(_))), "{result:?}");
}

#[test]
fn certificates_are_of_one_program_and_one_file() {
    let (peterson, dekker) = (given(CASES[1]), given(CASES[2]));
    assert!(matches!(dekker.certify(&peterson.text()), Err(Failure::Refused(_))));
    let other = given(("reachability", &[], Some("programs/gray_pointer")));
    assert!(matches!(other.certify(&peterson.text()), Err(Failure::Refused(_) | Failure::Mistake(_))));
    // A parameter that is set besides must be that of the certificate.
    let lock = given(CASES[11]);
    let text = lock.text();
    let set = |value| Request { params: BTreeMap::from([("rounds".into(), value)]), ..lock.request.clone() };
    assert!(certify(&text, &set(2), lock.model.as_ref(), &Settings::default()).is_ok());
    let result = certify(&text, &set(3), lock.model.as_ref(), &Settings::default());
    assert!(matches!(result, Err(Failure::Refused(_))), "{result:?}");
}

/// What binds a certificate to its texts is only there for a clear answer: with the names and digests of a program
/// with an error in it, the certificate of the repaired one is still refused.
#[test]
fn a_forged_subject_proves_nothing() {
    for (file, params, repaired, broken) in [
        ("interleaving", &[][..], "concurrent/peterson", "concurrent/peterson_bug"),
        ("interleaving", &[], "concurrent/dekker", "concurrent/dekker_bug"),
        ("interleaving", &[], "concurrent/producer_consumer", "concurrent/producer_consumer_bug"),
        ("adequacy", &[("rounds", 2)], "parameterized/tas_lock", "parameterized/tas_lock_split"),
    ] {
        let (good, bad) = (given((file, params, Some(repaired))), given((file, params, Some(broken))));
        let subject =
            CertifiedSubject::of_outcome(&bad.solved(&certifying(&bad.request), &Settings::default()));
        let forged =
            CertificateFile { subject, ..CertificateFile::parse(&good.text()).expect("a certificate") };
        match bad.certify(&forged.text()) {
            Err(Failure::Refused(rejection)) => println!("{broken}: {}", rejection.diagnostics[0].title),
            other => panic!("{broken}: {other:?}"),
        }
    }
}

#[test]
fn two_hundred_tampered_certificates_are_refused() {
    let mut refused = 0;
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for (case, seed) in [CASES[0], CASES[1], CASES[5], CASES[11]].into_iter().zip(1..) {
        let given = given(case);
        let text = given.text();
        let document = CertificateFile::parse(&text).expect("a certificate");
        let mut random = Random(seed);
        for (kind, tampered) in tampered(&text, &document, &mut random) {
            assert_ne!(tampered, text, "{kind}");
            match given.certify(&tampered) {
                Err(Failure::Refused(rejection) | Failure::Mistake(rejection)) => {
                    assert!(!rejection.diagnostics.is_empty(), "{kind}: refused without a word");
                }
                other => panic!("{case:?}, {kind}: {other:?}\n{tampered}"),
            }
            refused += 1;
            *kinds.entry(kind).or_default() += 1;
        }
    }
    println!("{kinds:#?}");
    assert!(refused >= 200, "only {refused}");
    assert!(kinds["a tuple too few"] >= 20 && kinds["a tuple too many"] >= 20, "{kinds:?}");
}

fn tampered(text: &str, document: &CertificateFile, random: &mut Random) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    for part in 0..10 {
        let end = text.trim_end().len() * part / 10 + random.below(5);
        out.push(("cut off", text[..end.min(text.len() - 3)].to_string()));
    }
    for (number, (_, digest)) in document.subject.texts.iter().enumerate() {
        let mut other = document.clone();
        let at = random.below(digest.len());
        let digit = if digest[at..].starts_with('0') { "1" } else { "0" };
        other.subject.texts[number].1.replace_range(at..at + 1, digit);
        out.push(("another text", other.text()));
    }
    let mut subjects = vec![document.clone(); 4];
    subjects[0].subject.texts.pop();
    subjects[1].subject.model = Some("0".repeat(64));
    subjects[2].subject.params.insert("rounds".into(), i64::MAX);
    subjects[3].subject.params.insert("rounds".into(), 3);
    out.extend(subjects.iter().map(|other| ("another subject", other.text())));
    out.extend(malformed(text, document, random).into_iter().map(|other| ("malformed", other)));
    out.extend(rearranged(document).into_iter().map(|other| ("rearranged", other.text())));
    for _ in 0..15 {
        out.extend(change(document, Side::Upper, random).map(|other| ("a tuple too few", other.text())));
        out.extend(change(document, Side::Lower, random).map(|other| ("a tuple too many", other.text())));
    }
    out
}

/// Changes of single values of the JSON.
fn malformed(text: &str, document: &CertificateFile, random: &mut Random) -> Vec<String> {
    let value: Value = serde_json::from_str(text).expect("JSON");
    let mut out = Vec::new();
    let mut with = |path: &str, new: Value| {
        let mut value = value.clone();
        *value.pointer_mut(path).unwrap_or_else(|| panic!("there is no {path}")) = new;
        out.push(value.to_string());
    };
    let nodes = document.certificate.nodes.len();
    for (part, child) in [(1, 0), (2, 0), (1, 1), (2, 7)] {
        // A node that leads to itself or to one behind it.
        let node = random.below(nodes);
        with(&format!("/nodes/{node}/{part}"), json!(node + 2 + child));
    }
    for new in [json!(u64::MAX), json!(-1), json!(0.5), json!("2"), json!(null), json!([]), json!(1u64 << 62)]
    {
        let (node, part) = (random.below(nodes), random.below(3));
        with(&format!("/nodes/{node}/{part}"), new.clone());
        with("/bounds/0/stages/0/values/0", new);
    }
    for key in ["certificate", "verdict", "texts", "lanes", "order", "nodes", "bounds", "params", "model"] {
        with(&format!("/{key}"), json!(17));
        let mut value = value.clone();
        value.as_object_mut().expect("an object").shift_remove(key);
        with("", value);
    }
    with("/nodes/0", json!([0, 0]));
    with("/nodes/0", json!([0, 1, 1]));
    with("/order/0", json!([0, 1]));
    with("/order/0", json!([u64::MAX, 0]));
    with("/lanes/0/2", json!(1_000_000));
    with("/bounds/0/side", json!("both"));
    with("/bounds/0/stages", json!([]));
    with("/bounds/0/blocks", json!([]));
    with("/bounds/0/stages/0", json!({ "values": [0], "stages": [] }));
    with("/verdict", json!(0));
    with("", json!("safe"));
    out.push(format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)));
    out.push(String::new());
    out
}

/// Bounds in other places, of other relations, from the other side.
fn rearranged(document: &CertificateFile) -> Vec<CertificateFile> {
    let mut out = Vec::new();
    let mut with = |change: &dyn Fn(&mut Certificate)| {
        let mut other = document.clone();
        change(&mut other.certificate);
        if other != *document {
            out.push(other);
        }
    };
    for at in 0..document.certificate.bounds.len() {
        with(&|certificate| drop(certificate.bounds.remove(at)));
        with(&|certificate| certificate.bounds.push(certificate.bounds[at].clone()));
        with(&|certificate| certificate.bounds[at].side = certificate.bounds[at].side.other());
        with(&|certificate| certificate.bounds[at].blocks[0][0].title.push('_'));
        with(&|certificate| certificate.bounds[at].blocks[0][0].columns.push((0, 0)));
        with(&|certificate| {
            let next = (at + 1) % certificate.bounds.len();
            certificate.bounds.swap(at, next);
        });
        with(&|certificate| certificate.bounds[at].proof.stages.clear());
        with(&|certificate| {
            let stage = &mut certificate.bounds[at].proof.stages[0];
            stage.values.push(0);
        });
    }
    out
}

/// Drops a tuple of an upper bound, or adds one to a lower bound: of the last stage, which has the exact solution.
fn change(document: &CertificateFile, side: Side, random: &mut Random) -> Option<CertificateFile> {
    let mut other = document.clone();
    let certificate = &mut other.certificate;
    let of_side = (0..certificate.bounds.len()).filter(|&at| certificate.bounds[at].side == side);
    let of_side = of_side.collect::<Vec<_>>();
    if of_side.is_empty() {
        return None;
    }
    let bound = of_side[random.below(of_side.len())];
    let member = random.below(certificate.bounds[bound].blocks[0].len());
    let columns = certificate.bounds[bound].blocks[0][member].columns.clone();
    let bits = columns
        .iter()
        .flat_map(|&(lane, copy)| (0..certificate.lanes[lane].bits).map(move |bit| (lane, bit, copy)));
    let mut levels = bits.map(|bit| level(certificate, bit)).collect::<Vec<_>>();
    levels.sort_unstable();
    let root = *certificate.bounds[bound].proof.stages.last()?.values.get(member)?;
    // On to a tuple that is there, or that is not.
    let avoided = usize::from(side == Side::Lower);
    if root == avoided {
        return None;
    }
    let mut tuple = Vec::new();
    let mut number = root;
    for &at in &levels {
        let (low, high) = children(certificate, number, at);
        let value = if low == avoided || high == avoided { low == avoided } else { random.below(2) == 1 };
        tuple.push((at, value));
        number = if value { high } else { low };
    }
    let changed = set(certificate, root, &tuple, side == Side::Lower);
    certificate.bounds[bound].proof.stages.last_mut()?.values[member] = changed;
    Some(other)
}

fn level(certificate: &Certificate, (lane, bit, copy): (usize, usize, usize)) -> usize {
    let groups = certificate.order.iter().take_while(|group| **group != (lane, bit));
    let above = groups.map(|&(lane, _)| certificate.lanes[lane].copies).sum::<usize>();
    above + certificate.lanes[lane].copies - 1 - copy
}

fn children(certificate: &Certificate, number: usize, at: usize) -> (usize, usize) {
    match number.checked_sub(2).map(|node| certificate.nodes[node]) {
        Some((level, low, high)) if level == at => (low, high),
        _ => (number, number),
    }
}

/// The set with this tuple, or without it.
fn set(certificate: &mut Certificate, number: usize, tuple: &[(usize, bool)], to: bool) -> usize {
    let Some((&(at, value), rest)) = tuple.split_first() else { return usize::from(to) };
    let (mut low, mut high) = children(certificate, number, at);
    let side = if value { &mut high } else { &mut low };
    *side = set(certificate, *side, rest, to);
    if low == high {
        return low;
    }
    let node = (at, low, high);
    let known = certificate.nodes.iter().position(|other| *other == node);
    known.unwrap_or_else(|| {
        certificate.nodes.push(node);
        certificate.nodes.len() - 1
    }) + 2
}
