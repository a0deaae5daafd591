//! Pushdown systems as a model: the front end for `.pds` and `.cpds`, with `.init` and `.spec` beside them.
//!
//! | file | what it decides |
//! |---|---|
//! | `read`, `configuration` | what the texts say, and what is wrong with them |
//! | `odd` | what is odd about them |
//! | `atoms` | what formulas say of it |
//! | `encode`, `show`, `drawing` | the vocabulary `pushdown`, how its values print, and a picture of the rules |
//! | `interpret`, `replay`, `verify` | explicit execution: of one rule, of the solver's moves, of a stored trace |

mod atoms;
mod configuration;
mod drawing;
mod encode;
pub mod interpret;
mod odd;
mod read;
mod replay;
mod show;
pub mod system;
mod verify;

use super::about::ThreadRules;
use super::ltl::{Atom, Meaning};
use super::moves::Moves;
use super::options::{FormulaText, ProgramOptions};
use super::schema::RunEvent;
use super::trace::{NotReplayed, Trace, Verified};
use super::{Description, FrontEnd, Model};
use calculus::diagnostic::{Diagnostic, Rejection, limited};
use calculus::phase;
use calculus::sort::Value;
use calculus::span::{FileId, Source, Sources};
use calculus::vocabulary::Vocabulary;
use encode::Layout;
use std::rc::Rc;
use system::{Right, System, Top};

pub const FRONT_END: FrontEnd = FrontEnd {
    endings: &["pds", "cpds"],
    what: "a pushdown system",
    beside: &["init", "spec"],
    read: |name, text, options| Ok(Box::new(system(name, text, options)?)),
    sequential: None,
    first_width: None,
    harness: None,
    translate: None,
};

/// A pushdown system with its encoding.
pub struct PushdownSystem {
    pub system: System,
    vocabulary: Vocabulary,
    layout: Rc<Layout>,
    sources: Sources,
    warnings: Vec<Diagnostic>,
    formula: Option<FormulaText>,
}

/// The model that a file describes, with those beside it; or its mistakes, with the texts they are in.
pub fn system(name: &str, text: &str, options: &ProgramOptions) -> Result<PushdownSystem, Rejection> {
    let mut sources = Sources::default();
    if !Source::fits(text) {
        let title = format!("`{name}` has 4 GiB or more");
        return Err(Diagnostic::error("pds::syntax", title).help("split the system").into());
    }
    let file = sources.add(name, text);
    let parsing = phase::enter("parsing the pushdown system");
    let mut mistakes = Vec::new();
    let read = read(file, options, &mut sources, &mut mistakes);
    drop(parsing);
    let (Some(system), true) = (read, mistakes.is_empty()) else {
        return Err(Rejection { sources, diagnostics: limited(mistakes) });
    };
    let warnings = limited(odd::warnings(&system));
    let _encoding = phase::enter("encoding the pushdown system");
    let layout = Rc::new(Layout::new(&system));
    let vocabulary = encode::encode(&system, &layout, &sources);
    let formula = options.formula.clone();
    Ok(PushdownSystem { system, vocabulary, layout, sources, warnings, formula })
}

/// Reads the rules, and the configurations from the command line or from the files beside.
fn read(
    file: FileId,
    options: &ProgramOptions,
    sources: &mut Sources,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<System> {
    let text = sources.get(file).text.clone();
    let rules = read::rules(file, &text, mistakes)?;
    let options = &options.reading;
    let initial = options.initial_text("init", sources);
    let targets = options.target_texts("spec", sources);
    let text = |file: FileId| sources.get(file).text.clone();
    let initial = match initial {
        Some(file) => configuration::initial(file, &text(file), &rules, mistakes),
        None => {
            let example = vec!["0"; rules.threads.len().max(1)].join(",");
            mistakes.push(
                Diagnostic::error("pds::no_initial", "the file does not say where runs begin").help(format!(
                    "write the configuration into a file with the ending .init beside it, or on the command line: --initial \
                     '0|{example}'"
                )),
            );
            None
        }
    };
    let targets =
        targets.into_iter().flat_map(|file| configuration::targets(file, &text(file), &rules, mistakes));
    let targets = targets.collect();
    let (initial, initial_span) = initial?;
    Some(System { shared: rules.shared.0, threads: rules.threads, initial, initial_span, targets })
}

/// A small system that offers everything a file can ask for, to check files without a model.
pub fn specimen() -> Vocabulary {
    let mut options = ProgramOptions::default();
    options.reading.initial = Some("0|1,1".into());
    options.reading.target = vec!["1|2,*".into()];
    let text = "2\nPDA 1 2\n0 1 -> 1 2 1\n1 2 -> 0 -\n0 1 -> 0 2\nPDA 1 1\n1 1 -> 0 1\n";
    match system("specimen.pds", text, &options) {
        Ok(model) => model.vocabulary,
        Err(rejection) => panic!("the specimen has mistakes: {rejection}"),
    }
}

impl Model for PushdownSystem {
    fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    fn sources(&self) -> &Sources {
        &self.sources
    }

    fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    fn description(&self) -> Description {
        let rules = (1..).zip(&self.system.threads).map(|(position, thread)| {
            let count =
                |kind: fn(&system::Rule) -> bool| thread.rules.iter().filter(|rule| kind(rule)).count();
            ThreadRules {
                position,
                symbols: self.system.symbols(position - 1).len(),
                overwrite: count(|rule| matches!(rule.right, Right::Overwrite(_)) && rule.top != Top::Bottom),
                push: count(|rule| matches!(rule.right, Right::Push(..)) || rule.top == Top::Bottom),
                pop: count(|rule| rule.right == Right::Pop),
            }
        });
        Description { kind: FRONT_END.what, rules: rules.collect(), ..Description::default() }
    }

    fn drawing(&self) -> String {
        drawing::heads(&self.system)
    }

    fn event<'a>(&self, relation: &str, indices: &[i64], tuple: &'a [Value]) -> Option<RunEvent<'a>> {
        replay::event(relation, indices, tuple)
    }

    fn formula(&self) -> Option<&FormulaText> {
        self.formula.as_ref()
    }

    fn atom(&self, atom: &Atom) -> Option<Meaning> {
        Some(self.meaning(atom))
    }

    fn replay(&self, moves: &Moves) -> Result<Trace, NotReplayed> {
        Ok(replay::replay(self, moves)?)
    }

    fn verify(&self, trace: &Trace) -> Verified {
        verify::verify(self, trace)
    }
}
