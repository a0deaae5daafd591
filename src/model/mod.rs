//! Models: what a file other than the algorithm offers to it.

pub mod interpret;
pub mod program;
pub mod schema;
pub mod sequentialize;

use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::phase;
use calculus::span::Sources;
use calculus::vocabulary::Vocabulary;
use program::Program;
use program::cfg::Cfg;
use program::cfg::inline::{Inline, inline};
use program::encode::{Layout, encode};
use std::rc::Rc;

/// How a Boolean program is read and encoded.
#[derive(Clone, Debug)]
pub struct ProgramOptions {
    pub reading: program::Options,
    pub inline: Inline,
    /// Leave out dead locals.
    pub simplify: bool,
}

impl ProgramOptions {
    /// The same for a file with or without rules for calls: such a file does not need them inlined.
    pub fn for_file(&self, handles_calls: bool) -> ProgramOptions {
        let inline = match self.inline {
            Inline::Auto if handles_calls => Inline::Sparing,
            inline => inline,
        };
        ProgramOptions { inline, ..self.clone() }
    }
}

impl Default for ProgramOptions {
    fn default() -> Self {
        ProgramOptions { reading: program::Options::default(), inline: Inline::default(), simplify: true }
    }
}

/// A model, and what is odd about its text.
pub struct Model {
    pub vocabulary: Vocabulary,
    pub program: Program,
    pub cfg: Rc<Cfg>,
    /// Which bits of the vocabulary's values are which variables.
    pub layout: Rc<Layout>,
    pub sources: Sources,
    pub warnings: Vec<Diagnostic>,
}

/// The model that a program's text describes; or its mistakes, with the text they are in.
pub fn program(name: &str, text: &str, options: &ProgramOptions) -> Result<Model, Rejection> {
    let program::Loaded { program, sources, mut warnings } = program::load(name, text, &options.reading)?;
    let building = phase::enter("building the control flow");
    let (cfg, unreachable) = Cfg::build(&program);
    drop(building);
    warnings.extend(unreachable);
    let inlining = phase::enter("inlining calls");
    let (cfg, report) = inline(&cfg, options.inline);
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
    let cfg = Rc::new(cfg);
    let _encoding = phase::enter("encoding the program");
    let (vocabulary, layout) = encode(&cfg, options.simplify);
    Ok(Model { vocabulary, program, cfg, layout, sources, warnings })
}

/// A sequential program, and what is odd about the one that it was made of.
#[derive(Debug)]
pub struct Sequential {
    pub text: String,
    pub sources: Sources,
    pub warnings: Vec<Diagnostic>,
}

/// The sequential program that decides a concurrent one for a number of contexts per thread.
pub fn sequential(
    name: &str,
    text: &str,
    options: &program::Options,
    contexts: usize,
) -> Result<Sequential, Rejection> {
    let program::Loaded { program, sources, warnings } = program::load(name, text, options)?;
    let _writing = phase::enter("writing the sequential program");
    match sequentialize::sequentialize(&program, contexts) {
        Ok(text) => Ok(Sequential { text, sources, warnings }),
        Err(refusal) => Err(Rejection { sources, diagnostics: vec![refusal] }),
    }
}

/// A small program that offers everything a file can ask for, to check files without a model.
pub fn specimen() -> Vocabulary {
    let text = "decl s; thread one begin skip; end thread two* begin skip; end";
    match program("specimen.bp", text, &ProgramOptions::default()) {
        Ok(model) => model.vocabulary,
        Err(rejection) => panic!("the specimen has mistakes: {rejection}"),
    }
}
