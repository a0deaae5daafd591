//! Mangled programs, traces and certificates through the other commands: each ends with an answer or a diagnostic.
//! What the commands do is called here in this process, so that a panic or a hang shows.

mod mangling;

use calculus::bdd::Limits;
use calculus::diagnostic::Rejection;
use fpsolve::explain::{self, Traced};
use fpsolve::export::{Language, export};
use fpsolve::model::boolean::{BooleanProgram, program};
use fpsolve::model::trace::{Trace, Verified};
use fpsolve::model::{Model, ProgramOptions};
use fpsolve::report::json;
use fpsolve::report::model::{About, json as model_json, text as model_text};
use fpsolve::run::certificate::{CertificateFile, CertifiedSubject, Failure, certify};
use fpsolve::run::{AboutModel, Request, Settings, check, files, run, sizes};
use mangling::{Random, mutate, samples};
use std::time::Duration;

/// Nothing here takes long; a run that does is cut.
fn patient() -> Settings {
    let limits = Limits { timeout: Some(Duration::from_secs(5)), ..Limits::default() };
    Settings { limits, ..Settings::default() }
}

fn read(text: &str) -> Result<BooleanProgram, Rejection> {
    program("program.bp", text, &ProgramOptions::default())
}

fn request(algorithm: &str, model: &BooleanProgram) -> Request {
    let about = AboutModel {
        name: "program.bp".into(),
        sources: model.sources.clone(),
        warnings: Vec::new(),
        reading: Duration::ZERO,
        words: None,
    };
    let file = files::find(algorithm, &[]).expect("a bundled algorithm");
    Request { model: Some(model.vocabulary.clone()), about: Some(about), ..Request::new(file) }
}

/// A rejection says something.
fn explained(rejection: &Rejection, text: &str) {
    assert!(rejection.diagnostics.iter().all(|mistake| !mistake.title.is_empty()), "{text}");
    assert!(!rejection.diagnostics.is_empty(), "{text}");
}

#[test]
fn mangled_programs_are_shown_and_exported_or_explained() {
    let (samples, mut random) = (samples(), Random(0x51ed_270b_9f3c_4d17));
    let (mut shown, mut exported, mut refused) = (0, 0, 0);
    for round in 0..1_500 {
        let text = mutate(&samples[round % samples.len()], &mut random);
        let model = match read(&text) {
            Ok(model) => model,
            Err(rejection) => {
                explained(&rejection, &text);
                refused += 1;
                continue;
            }
        };
        assert!(model.drawing().starts_with("digraph"), "{text}");
        shown += 1;
        // Counting and checking take longer.
        if shown % 4 != 0 {
            continue;
        }
        if let Ok(sizes) = sizes::sizes(&model.vocabulary, patient().limits) {
            let about = About { name: "program.bp", sizes, description: model.description(), model: &model };
            assert!(!model_text(&about, 80).is_empty(), "{text}");
            serde_json::from_str::<serde_json::Value>(&model_json(&about)).expect("one object");
        }
        let algorithm = ["summaries", "interleaving", "linear_interfaces"][shown / 4 % 3];
        match check(&request(algorithm, &model)) {
            Err(rejection) => explained(&rejection, &text),
            Ok(checked) => {
                for language in [Language::Smt, Language::Souffle] {
                    match export(&checked, "mangled", language, None) {
                        Ok(out) => exported += usize::from(!out.is_empty()),
                        Err(refusal) => assert!(!refusal.title.is_empty(), "{text}"),
                    }
                }
            }
        }
    }
    println!("{shown} are shown, {exported} exports, {refused} refused");
    assert!(shown > 150 && exported > 20 && refused > 150, "{shown} {exported} {refused}");
}

#[test]
fn mangled_traces_are_verified_or_explained() {
    let text = "decl x := F, y;\ninit begin y := F; end\nvoid p(a) begin x := a; end\nthread one begin\n\
                decl m;\np(m);\natomic_begin;\ny := x;\natomic_end;\nend\nthread two begin\nassert(!y);\nend\n";
    let model = read(text).unwrap_or_else(|rejection| panic!("{rejection}"));
    let request = request("interleaving", &model);
    let outcome = run(&request, &patient()).unwrap_or_else(|rejection| panic!("{rejection}"));
    let traced = explain::trace(&request, &patient(), &model, &outcome).expect("it was checked before");
    let Some(Traced::Trace(trace)) = traced else { panic!("{traced:?}") };
    let whole = json::pretty(&trace.to_json());
    let mut random = Random(0x2f6b_88d1_0c3e_a5f9);
    let (mut unread, mut runs, mut others) = (0, 0, 0);
    for round in 0..6_000 {
        // In turn the trace and the program are mangled.
        let (told, model) = match round % 3 {
            0 => (whole.clone(), read(&mutate(text, &mut random))),
            _ => (mutate(&whole, &mut random), read(text)),
        };
        let Ok(model) = model else { continue };
        match Trace::from_json(&told) {
            Err(why) => {
                assert!(!why.is_empty());
                unread += 1;
            }
            Ok(trace) => match model.verify(&trace) {
                Verified::Run => runs += 1,
                Verified::NoRun(mismatch) => {
                    assert!(!mismatch.what.is_empty());
                    others += 1;
                }
                Verified::Undecided(number) => panic!("step {number} of a short trace"),
            },
        }
    }
    println!("{unread} unread, {runs} runs, {others} no runs");
    assert!(unread > 500 && others > 100, "{unread} {runs} {others}");
}

#[test]
fn mangled_certificates_are_checked_or_explained() {
    let text = "decl x, y;\ninit begin x, y := F, F; end\nthread one begin\natomic_begin;\nx := !x;\ny := x;\n\
                atomic_end;\nend\nthread two begin\nassert(x = y);\nend\n";
    let model = read(text).unwrap_or_else(|rejection| panic!("{rejection}"));
    let request = Request { certificate: true, ..request("interleaving", &model) };
    let outcome = run(&request, &patient()).unwrap_or_else(|rejection| panic!("{rejection}"));
    let certificate = outcome.certificate.as_ref().expect("it is safe").as_ref().expect("no limit").clone();
    let whole = CertificateFile { subject: CertifiedSubject::of_outcome(&outcome), certificate }.text();
    let mut random = Random(0x77aa_13bc_6e02_d94f);
    let (mut certified, mut refused) = (0, 0);
    for _ in 0..1_500 {
        let mangled = mutate(&whole, &mut random);
        match certify(&mangled, &request, Some(&model.sources), &patient()) {
            Ok(_) => certified += 1,
            Err(Failure::Refused(rejection) | Failure::Mistake(rejection)) => {
                explained(&rejection, &mangled);
                refused += 1;
            }
            Err(Failure::Stopped(stop)) => panic!("{stop}"),
        }
    }
    println!("{certified} certified, {refused} refused");
    assert!(refused > 1_000, "{certified} certified, {refused} refused");
    // The same certificate for other programs proves nothing about them.
    for _ in 0..300 {
        let mangled = mutate(text, &mut random);
        let Ok(model) = read(&mangled) else { continue };
        let other = Request { certificate: true, ..self::request("interleaving", &model) };
        let proved = certify(&whole, &other, Some(&model.sources), &patient()).is_ok();
        assert!(!proved || mangled == text, "{mangled}");
    }
}
