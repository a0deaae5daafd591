//! Runs a bundled algorithm on a program's text, under a treatment.

use calculus::bdd::Reorder;
use calculus::check::{self, tree::VerdictKind};
use calculus::elaborate::elaborate;
use calculus::solve::{Ending, Settings, Strategy, solve as solve_system};
use fpsolve::model::program::cfg::Cfg;
use fpsolve::model::program::cfg::inline::{Inline, inline};
use fpsolve::model::program::encode::encode;
use fpsolve::model::program::{Options, load};
use std::path::Path;
use std::rc::Rc;

/// Choices that must not change an answer.
#[derive(Clone, Debug)]
pub struct Treatment {
    pub inline: Inline,
    pub simplify: bool,
    pub symbolic: bool,
    pub frames: bool,
    pub naive: bool,
    pub reorder: bool,
    pub early_stop: bool,
}

impl Default for Treatment {
    fn default() -> Self {
        Treatment {
            inline: Inline::Auto,
            simplify: true,
            symbolic: false,
            frames: true,
            naive: false,
            reorder: false,
            early_stop: true,
        }
    }
}

/// Whether the algorithm finds the program unsafe.
pub fn solve(algorithm: &str, program: &str, treatment: &Treatment) -> bool {
    solve_with(algorithm, program, &Options::default(), treatment)
}

pub fn solve_with(algorithm: &str, program: &str, options: &Options, treatment: &Treatment) -> bool {
    let loaded =
        load("program.bp", program, options).unwrap_or_else(|problems| panic!("{problems}\n{program}"));
    let (cfg, _) = inline(&Cfg::build(&loaded.program).0, treatment.inline);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("algorithms");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).map_err(|error| error.to_string());
    let loader = |_: &str, path: &str| read(path).map(|text| (path.to_string(), text));
    let text = read(&format!("{algorithm}.fp")).expect("a bundled algorithm");
    let (mut files, mistakes) = check::load(algorithm, &text, &loader);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let keyed = if treatment.symbolic { vec![("Pc".to_string(), false)] } else { Vec::new() };
    let model = Some(encode(&Rc::new(cfg), treatment.simplify));
    let checked = check::check(&mut files, &check::Options { model, keyed, ..Default::default() });
    let (system, _) = checked.unwrap_or_else(|mistakes| panic!("{algorithm}: {mistakes:#?}"));
    assert!(system.refusals.is_empty(), "{:?}", system.refusals);
    let (core, _) = elaborate(&system);
    let mut settings = Settings {
        strategy: if treatment.naive { Strategy::Naive } else { Strategy::SemiNaive },
        reorder: if treatment.reorder { Reorder::Always } else { Reorder::Off },
        frames: treatment.frames,
        early_stop: treatment.early_stop,
        list: 5,
        ..Settings::default()
    };
    match solve_system(&system, &core, &mut settings).ending {
        Ending::Verdict { kind: VerdictKind::Unsafe, .. } => true,
        Ending::Verdict { kind: VerdictKind::Safe, .. } => false,
        other => panic!("{algorithm} ends with {other:?}"),
    }
}
