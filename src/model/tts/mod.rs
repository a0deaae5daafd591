//! Thread transition systems as a model: the front end for `.tts`, with `.prop` and `.init` beside it.
//!
//! | file | what it decides |
//! |---|---|
//! | `read`, `notation` | what the texts say, and what is wrong with them |
//! | `odd` | what is odd about them |
//! | `system` | what a system is, and its steps one by one |
//! | `layout`, `encode` | the vocabulary `program`, and how its values print |
//! | `replay`, `run` | runs: executed by the steps of `system`, and written down |
//! | `drawing` | a picture |

mod drawing;
mod encode;
mod layout;
mod notation;
mod odd;
mod read;
mod replay;
mod run;
pub mod system;

use super::moves::Moves;
use super::options::ProgramOptions;
use super::schema::{self, RunEvent};
use super::trace::{NotReplayed, Trace, Verified};
use super::{Description, FrontEnd, Model, ProcedureSize};
use calculus::diagnostic::{Diagnostic, Rejection, limited};
use calculus::phase;
use calculus::sort::Value;
use calculus::span::{FileId, Source, Sources};
use calculus::vocabulary::Vocabulary;
use layout::Layout;
use std::rc::Rc;
use system::System;

pub const FRONT_END: FrontEnd = FrontEnd {
    endings: &["tts"],
    what: "a thread transition system",
    beside: &["prop", "init"],
    read: |name, text, options| Ok(Box::new(system(name, text, options)?)),
    sequential: None,
    first_width: None,
    harness: None,
    translate: None,
};

/// A thread transition system with its encoding.
pub struct ThreadSystem {
    pub system: System,
    layout: Rc<Layout>,
    vocabulary: Vocabulary,
    sources: Sources,
    warnings: Vec<Diagnostic>,
}

/// The model that a file describes, with those beside it; or its mistakes, with the texts they are in.
pub fn system(name: &str, text: &str, options: &ProgramOptions) -> Result<ThreadSystem, Rejection> {
    if !Source::fits(text) {
        let title = format!("`{name}` has 4 GiB or more");
        return Err(Diagnostic::error("tts::syntax", title).help("split the system").into());
    }
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let parsing = phase::enter("parsing the thread transition system");
    let mut mistakes = Vec::new();
    let read = read(file, options, &mut sources, &mut mistakes);
    drop(parsing);
    let (Some(system), true) = (read, mistakes.is_empty()) else {
        return Err(Rejection { sources, diagnostics: limited(mistakes) });
    };
    let warnings = odd::warnings(&system);
    let _encoding = phase::enter("encoding the thread transition system");
    let layout = Rc::new(Layout::new(&system));
    let vocabulary = encode::encode(&system, &layout, sources.get(file));
    Ok(ThreadSystem { system, layout, vocabulary, sources, warnings })
}

/// Reads the transitions, and where runs begin and must not end, from the command line or from the files beside.
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
    let asked = options.target_texts("prop", sources);
    let text = |file: FileId| sources.get(file).text.clone();
    let initial = match initial {
        Some(file) => notation::initial(file, &text(file), &rules, mistakes),
        None => {
            mistakes.push(Diagnostic::error("tts::no_initial", "the file does not say where runs begin").help(
                "say it with --initial, or in a file with the ending .init beside it: '0|0' is one thread in local \
                 state 0, '0/0' any number of them; systems that SATABS wrote begin with '0|0'",
            ));
            None
        }
    };
    let targets = asked.into_iter().flat_map(|file| notation::targets(file, &text(file), &rules, mistakes));
    let targets = targets.collect::<Vec<_>>();
    let mut several = targets.iter().filter(|target| target.threads.len() > 1);
    if let (Some(first), Some(second)) = (several.next(), several.next()) {
        mistakes.push(
            Diagnostic::error("tts::several_targets", "two targets are about several threads each")
                .label(second.span, "the second")
                .label(first.span, "the first")
                .help("ask for one of them with --target, then for the other"),
        );
    }
    let read::Rules { shared, locals, transitions } = rules;
    Some(System { shared: shared.0, locals: locals.0, transitions, initial: initial?, targets })
}

impl Model for ThreadSystem {
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
        let System { locals, transitions, initial, .. } = &self.system;
        let singles = (1..).zip(&initial.bounded).map(|(at, local)| (at, format!("at {local}")));
        let mut threads = singles.collect::<Vec<_>>();
        if !initial.unbounded.is_empty() {
            let any = initial.unbounded.iter().map(|local| format!("any number at {local}"));
            threads.push((initial.bounded.len() + 1, any.collect::<Vec<_>>().join(", ")));
        }
        let name = "thread".to_string();
        let procedure =
            ProcedureSize { name, locations: *locals as usize, edges: transitions.len(), locals: Vec::new() };
        Description {
            notes: Vec::new(),
            kind: FRONT_END.what,
            dialect: "tts".into(),
            detected: false,
            procedures: vec![procedure],
            threads,
            variables: Vec::new(),
            rules: Vec::new(),
        }
    }

    fn drawing(&self) -> String {
        drawing::transitions(&self.system)
    }

    fn event<'a>(&self, relation: &str, indices: &[i64], tuple: &'a [Value]) -> Option<RunEvent<'a>> {
        schema::event(relation, indices, tuple)
    }

    fn replay(&self, moves: &Moves) -> Result<Trace, NotReplayed> {
        Ok(replay::replay(&self.system, &self.layout, &self.sources, moves)?)
    }

    fn verify(&self, trace: &Trace) -> Verified {
        replay::verify(&self.system, &self.sources, trace)
    }
}
