//! Boolean programs as a model: the front end for `.bp` and `.nbp`.

mod atoms;
mod destination;
mod drawing;
mod replay;
mod standing;
pub mod verify;
mod weakest;
mod words;
mod write;

use super::ltl::{Atom, Meaning};
use super::moves::Moves;
use super::options::{FormulaText, Inline, Options};
use super::program::cfg::inline::inline;
use super::program::cfg::unreached::warn_about_targets;
use super::program::cfg::{Cfg, Target};
use super::program::encode::{Layout, encode, of_any_program};
use super::program::{self, Program};
use super::route::{Offered, Route};
use super::schema::{self, CLASS, OWN, PC, RunEvent, SHARED, STATE, pushdown};
use super::sequentialize::sequentialize;
use super::stacks::{self, Translation};
use super::trace::{NotReplayed, Trace, Verified};
use super::{Description, ErrorKind, ErrorPlace, FrontEnd, Model, ProcedureSize, ProgramOptions, Sequential};
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::phase;
use calculus::sort::Value;
use calculus::span::{Sources, Span};
use calculus::vocabulary::{BitExpr, Vocabulary};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use weakest::Ran;

pub const FRONT_END: FrontEnd = FrontEnd {
    endings: &["bp", "nbp"],
    what: "a Boolean program",
    beside: &[],
    read: |name, text, options| Ok(Box::new(program(name, text, options)?)),
    sequential: Some(sequential),
    first_width: None,
    harness: None,
    translate: None,
};

/// A Boolean program with its graphs and its encoding.
pub struct BooleanProgram {
    pub vocabulary: Vocabulary,
    pub program: Program,
    pub cfg: Rc<Cfg>,
    /// Which bits of the vocabulary's values are which variables.
    pub layout: Rc<Layout>,
    pub sources: Sources,
    pub warnings: Vec<Diagnostic>,
    /// The dialect was not given but recognised.
    pub detected: bool,
    pub formula: Option<FormulaText>,
    /// What it was made of: `a Boolean program`
    pub kind: &'static str,
    /// Why values can leave their words, by the line.
    pub left_words: BTreeMap<usize, String>,
    /// Places of assertions that the text does not have.
    pub added: BTreeSet<Span>,
    /// How it was made of something else, in sentences.
    pub notes: Vec<String>,
    /// Where everything is in its pushdown system, once somebody asked.
    translation: OnceCell<Option<Translation>>,
}

/// The model that a program's text describes; or its mistakes, with the text they are in.
pub fn program(name: &str, text: &str, options: &ProgramOptions) -> Result<BooleanProgram, Rejection> {
    let loaded = program::load(name, text, &options.reading)?;
    of(program::predicate::given(loaded, &options.reading.predicates)?, options)
}

/// The model of a resolved program.
pub fn of(loaded: program::Loaded, options: &ProgramOptions) -> Result<BooleanProgram, Rejection> {
    let program::Loaded { program, sources, mut warnings } = loaded;
    let building = phase::enter("building the control flow");
    // Threads that others move are made at once: a thread that sleeps cannot be told from one that is not there.
    let broadcasts = program.broadcasts();
    let (cfg, unreachable) = match options.spawns && options.reading.copies.is_none() || broadcasts {
        true => Cfg::build_spawning(&program),
        false => Cfg::build(&program),
    };
    warnings.extend(unreachable);
    warnings.extend(warn_about_targets(&program, &cfg, &warnings));
    drop(building);
    let inlining = phase::enter("inlining calls");
    let (cfg, report) = inline(&cfg, if broadcasts { Inline::Always } else { options.inline });
    drop(inlining);
    if options.inline != Inline::Sparing
        && let Some((caller, callee)) = report.too_large.first()
    {
        let calls = report.too_large.len();
        warnings.push(
            Diagnostic::warning(
                "bp::not_inlined",
                format!("{calls} calls are left, the first from `{caller}` to `{callee}`"),
            )
            .help(format!("inlining them would make more than {} edges", report.limit)),
        );
    }
    if broadcasts && cfg.facts().calls > 0 {
        let title =
            "a program whose threads change variables of others must not have calls that cannot be inlined";
        let problem = Diagnostic::error("bp::passive_variable", title);
        let problem = problem.help("make the recursive procedures loops, or the program smaller");
        return Err(Rejection { sources, diagnostics: vec![problem] });
    }
    let cfg = Rc::new(cfg);
    let _encoding = phase::enter("encoding the program");
    let (vocabulary, layout) =
        match encode(&program, &cfg, options.simplify, options.outlines, &options.named) {
            Ok(encoded) => encoded,
            Err(mistake) => return Err(Rejection { sources, diagnostics: vec![mistake] }),
        };
    let detected = options.reading.dialect.is_none();
    let formula = options.formula.clone();
    Ok(BooleanProgram {
        vocabulary,
        program,
        cfg,
        layout,
        sources,
        warnings,
        detected,
        formula,
        kind: FRONT_END.what,
        left_words: BTreeMap::new(),
        added: BTreeSet::new(),
        notes: Vec::new(),
        translation: OnceCell::new(),
    })
}

/// The sequential program that decides a concurrent one for a number of contexts per thread.
fn sequential(name: &str, text: &str, options: &Options, contexts: usize) -> Result<Sequential, Rejection> {
    let program::Loaded { program, sources, warnings } = program::load(name, text, options)?;
    let _writing = phase::enter("writing the sequential program");
    match sequentialize(&program, contexts) {
        Ok(text) => Ok(Sequential { text, sources, warnings }),
        Err(refusal) => Err(Rejection { sources, diagnostics: vec![refusal] }),
    }
}

/// A small program that offers everything a file can ask for, to check files without a model.
pub fn specimen(named: &BTreeSet<String>) -> Vocabulary {
    let text = "decl s; thread one begin skip; end thread two* begin skip; end";
    match program("specimen.bp", text, &ProgramOptions::default()) {
        // A file that is checked alone may name variables, labels and procedures of any program.
        Ok(mut model) => {
            model
                .vocabulary
                .symbols
                .iter_mut()
                .for_each(|symbol| symbol.complete = symbol.name == CLASS.name);
            let behind = |name: &String| [SHARED.name, STATE].map(|sort| of_any_program(sort, name));
            model.vocabulary.relations.extend(named.iter().flat_map(behind));
            model.vocabulary
        }
        Err(rejection) => panic!("the specimen has mistakes: {rejection}"),
    }
}

impl BooleanProgram {
    /// The error at a control location.
    fn error(&self, pc: u64) -> Option<ErrorPlace> {
        let cfg = &self.cfg;
        let (flow, loc) = self.layout.location(pc);
        let location = &cfg.flow(flow).locations[loc.index()];
        let kind = match location.target? {
            Target::FailedAssert if self.added.contains(&location.span) => ErrorKind::FailedCheck,
            Target::FailedAssert => ErrorKind::FailedAssert,
            Target::OutOfRange => ErrorKind::OutOfRange,
            Target::OutOfWidth => ErrorKind::OutOfWidth,
            Target::Label => ErrorKind::Label,
        };
        let before = &cfg.source.text[..location.span.start as usize];
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        let frame = cfg.flow(flow).frames.get(location.frame as usize);
        let procedure = cfg.flow(frame.map_or(flow, |frame| frame.procedure)).name.clone();
        Some(ErrorPlace { line: cfg.line(location.span), column, kind, procedure })
    }

    /// Positions with the threads at them.
    fn threads(&self) -> Vec<(usize, String)> {
        let singles = (1..).zip(&self.cfg.singles).map(|(at, role)| (at, role.name.clone()));
        let mut threads = singles.collect::<Vec<_>>();
        if !self.cfg.replicated.is_empty() {
            let names = self.cfg.replicated.iter().map(|role| format!("{}*", role.name)).collect::<Vec<_>>();
            threads.push((self.cfg.singles.len() + 1, names.join(", ")));
        }
        threads
    }
}

impl Model for BooleanProgram {
    fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    fn others(&self) -> &'static [&'static str] {
        &[pushdown::NAME]
    }

    fn other(&self, name: &str) -> Option<Result<Vocabulary, Diagnostic>> {
        (name == pushdown::NAME).then(|| stacks::pushdown(&self.vocabulary))
    }

    fn sources(&self) -> &Sources {
        &self.sources
    }

    fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    fn description(&self) -> Description {
        let cfg = &self.cfg;
        let name = |variable: &program::Variable| match &variable.domain {
            program::Domain::Bool => variable.name.clone(),
            domain => format!("{}: {domain}", variable.name),
        };
        let names = |variables: &[program::Variable]| variables.iter().map(name).collect();
        let procedures = cfg.needed().into_iter().map(|id| {
            let flow = cfg.flow(id);
            ProcedureSize {
                name: flow.name.clone(),
                locations: flow.locations.len(),
                edges: flow.edges.len(),
                locals: names(&flow.locals),
            }
        });
        Description {
            kind: self.kind,
            // Programs that were made of something else have no dialect.
            dialect: if self.kind == FRONT_END.what { cfg.dialect.to_string() } else { String::new() },
            detected: self.detected,
            notes: self.notes.clone(),
            procedures: procedures.collect(),
            threads: self.threads(),
            variables: vec![(SHARED.name, names(&cfg.shared)), (OWN.name, names(&cfg.own))],
            ..Description::default()
        }
    }

    fn drawing(&self) -> String {
        drawing::control_flow(&self.cfg)
    }

    fn own_variables(&self) -> Vec<String> {
        self.program.own.iter().map(|own| own.name.clone()).collect()
    }

    fn left_word(&self, line: usize) -> Option<String> {
        self.left_words.get(&line).cloned()
    }

    fn errors(&self) -> Vec<ErrorPlace> {
        let errors = (0..u64::from(self.layout.locations)).filter_map(|pc| self.error(pc));
        // Words that are too small are no error of the program. A procedure that is inlined has its places once for each call.
        let errors = errors.filter(|error| error.kind != ErrorKind::OutOfWidth).collect::<BTreeSet<_>>();
        errors.into_iter().collect()
    }

    fn error_at(&self, sort: &str, value: &Value) -> Option<ErrorPlace> {
        match value {
            Value::Name(pc) if sort == PC.name => self.error(*pc),
            _ => None,
        }
    }

    fn event<'a>(&self, relation: &str, indices: &[i64], tuple: &'a [Value]) -> Option<RunEvent<'a>> {
        schema::event(relation, indices, tuple)
    }

    fn formula(&self) -> Option<&FormulaText> {
        self.formula.as_ref()
    }

    fn atom(&self, atom: &Atom) -> Option<Meaning> {
        Some(self.meaning(atom))
    }

    /// As a pushdown system, a program executes its `init` block first.
    fn silent(&self, vocabulary: &Vocabulary) -> Option<BitExpr> {
        let plan = self.translation.get_or_init(|| Translation::new(&self.vocabulary).ok());
        // The control state is the first column of `ltl_letter`.
        plan.as_ref().filter(|_| vocabulary.name == pushdown::NAME)?.before_threads(0)
    }

    fn other_event(
        &self,
        vocabulary: &str,
        relation: &str,
        indices: &[i64],
        tuple: &[Value],
    ) -> Option<RunEvent<'static>> {
        let plan = self.translation.get_or_init(|| Translation::new(&self.vocabulary).ok());
        plan.as_ref().filter(|_| vocabulary == pushdown::NAME)?.event(relation, indices, tuple)
    }

    fn predicates_against(&self, route: &Route) -> Vec<Offered> {
        Ran { program: &self.program, cfg: &self.cfg, layout: &self.layout }.predicates_against(route)
    }

    fn replay(&self, moves: &Moves) -> Result<Trace, NotReplayed> {
        replay::replay(self, moves)
    }

    fn verify(&self, trace: &Trace) -> Verified {
        verify::verify(&self.program, trace)
    }
}
