//! The arguments, and what `--help` says about them.

use super::{certify::Certify, interrupt, limits, watchdog, words::WordArguments};
use crate::model::ProgramOptions;
use crate::model::options::{self, Inline};
use crate::run::deepen::Deepening;
use calculus::bdd::{self, Reorder};
use calculus::diagnostic::Diagnostic;
use calculus::solve::{Settings, Strategy};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  fpsolve prog.bp                     look for an error or a proof by several algorithms
  fpsolve game.fp                     solve a file and print its verdict and queries
  fpsolve summaries prog.bp           can a sequential program reach an error?
  fpsolve graph.fp --facts data       read data/edge.facts for `input edge(…);`
  fpsolve rounds.fp --set rounds=3    set `param rounds`
  fpsolve adequacy prog.bp --deepen rounds=1..
                                      raise `rounds` until there is a proof or an error
  fpsolve deep.fp --timeout 30s --memory 4GiB --stats
  fpsolve interleaving prog.bp --certificate out.json
  fpsolve certify interleaving prog.bp out.json
                                      keep a proof of `safe`, and check it without solving
  fpsolve lazy_cba prog.bp --trace    print a run of the program to the error
  fpsolve ltl_threads prog.bp --ltl 'G (want -> F worker@IN)'
                                      does every run satisfy a formula?
  fpsolve graph.fp --explain 'Reach(3)'
                                      show why a tuple is there; with '!Reach(3)' why not
  fpsolve interleaving prog.bp --report out.html
                                      look at the run and where its time went in a browser
  fpsolve repl interleaving prog.bp   ask about what is reachable, at a prompt
  fpsolve test examples               run the expectations (`//@ Hit: true`) in all files
  fpsolve model prog.bp --dot         draw a program's control flow
  fpsolve check *.fp                  find mistakes without solving
  fpsolve fmt *.fp                    put files into the house style
  fpsolve prog.c --harness out.c      check a C program; write one that shows the error when it runs
  fpsolve translate prog.c -o prog.bp look at the steps of a C program
  fpsolve sequentialize conc.bp --contexts 2 -o seq.bp
                                      make a sequential program of a concurrent one
  fpsolve batch adequacy --deepen rounds=1..4 --programs drivers --timeout 30s --out results.csv
                                      run an algorithm on many programs
  fpsolve export summaries prog.bp --to smt2 | z3 -in
                                      ask another solver

Exit codes:
  0    safe, bounded, or no verdict
  1    unsafe; of `test`: a case failed; of `fmt --check`: a file would change;
       of `certify`: refused; of `replay`: not a run
  2    a mistake in the usage or the input
  3    unknown: a limit was reached, or the file says so
  101  an internal error: a bug in fpsolve, please report it
  130  interrupted twice (the first Ctrl-C ends the run with the verdict unknown)";

/// What `--version` says: also which CUDD this is built on.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (CUDD 3.0.0)");

/// Solves systems of fixed-point equations over finite relations
#[derive(Debug, Parser)]
#[command(name = "fpsolve", version = VERSION, after_help = EXAMPLES, arg_required_else_help = true)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
#[command(override_usage = "fpsolve [OPTIONS] FILE [MODEL]
       fpsolve COMMAND …")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub run: Run,
}

/// The words that name commands.
pub const COMMANDS: [&str; 18] = [
    "abstract",
    "model",
    "sequentialize",
    "translate",
    "replay",
    "certify",
    "check",
    "fmt",
    "test",
    "list",
    "batch",
    "export",
    "new",
    "watch",
    "repl",
    "completions",
    "man",
    "lsp",
];

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show what a Boolean program offers to a file: sorts, facts and relations
    Model(ModelArguments),
    /// Check a certificate: does it prove that the file's verdict is safe?
    ///
    /// `fpsolve FILE MODEL --certificate CERT` writes it. The certificate sets the parameters. Each equation is
    /// evaluated once for each bound in the certificate; nothing is solved.
    Certify(Certify),
    /// Find the mistakes in files without solving them
    Check(Check),
    /// Put files into the house style
    Fmt(Format),
    /// Run files and compare with the expectations in them
    Test(Test),
    /// List the bundled algorithms
    List,
    /// Turn a concurrent program into a sequential one, for a number of contexts per thread
    ///
    /// The result is a Boolean program with a main and without threads. It can reach its label ERROR if and only if the
    /// program can reach an error when each thread has K contexts, in round-robin order. The number of threads must be
    /// fixed: programs with replicated threads or with start_thread are refused.
    Sequentialize(super::sequentialize::Sequentialize),
    /// Write a C program as a Boolean program with ranges, with words of --width bits
    ///
    /// A value that does not fit into its word is out of range there, which is an error. So choose a width that is
    /// enough: the one that `fpsolve PROG.c` ends with.
    Translate(super::translate::Translate),
    /// Prove a program whose numbers have many values, by predicates that are found in runs of the abstraction
    ///
    /// The plan says which algorithms do it. Each round takes the predicates that show why the program does not have a run.
    Abstract(Box<Run>),
    /// Execute a trace that `--trace json` wrote: is it a run of the program?
    Replay(super::replay::Replay),
    /// Run algorithms on many programs, every run in a process of its own, and sum up the verdicts
    ///
    /// A run that crashes or runs out of memory affects only its own row of the output. The exit code is 1 if a program
    /// is unsafe, else 3 if a row has no answer or the answer unknown, else 0.
    Batch(super::batch::Batch),
    /// Write the elaborated system for other solvers: Horn clauses in SMT-LIB, or Datalog
    ///
    /// smt2: `unsat` means that the goal holds, unless the first lines say the opposite. Negation of what is computed
    /// is not Horn and is refused, except where it can be unfolded.
    /// souffle: scalar sorts other than symbols may have at most 4096 values, from -2^30 to 2^30; negation is stratified.
    Export(super::export::Export),
    /// Write a template for a file of equations
    New(super::new::New),
    /// Run, and run again whenever a file is saved
    Watch(Box<super::watch::Watch>),
    /// Ask questions about a file, one after another; what is solved is kept
    ///
    /// A formula is answered with its tuples: the variables that nothing binds are the columns. `help` at the prompt names
    /// the other words. Questions may also come from the standard input, one to a line.
    Repl(Box<super::repl::Repl>),
    /// Serve an editor over the standard input and output, with the language server protocol
    Lsp,
    /// Print the completions for a shell
    Completions(super::shell::Completions),
    /// Print the manual page
    Man(super::shell::Man),
}

#[derive(Clone, Debug, Args)]
pub struct Run {
    /// The .fp file to solve, the name of a bundled algorithm (see `fpsolve list`), or - for stdin; or a program alone,
    /// which is given to several algorithms
    #[arg(required = true)]
    pub file: Option<String>,
    /// The model that the file is about: a Boolean program (.bp), a C program (.c, .i), a pushdown system (.pds) or a
    /// thread transition system (.tts)
    pub model: Option<String>,
    #[command(flatten)]
    pub input: Input,
    /// Raise a parameter until the verdict is unsafe or safe: rounds=1..4, or rounds=1.. without an end
    #[arg(long, value_name = "NAME=A..B", value_parser = Deepening::parse)]
    pub deepen: Option<Deepening>,
    /// How to print the answers; sarif is for code hosts and editors
    #[arg(long, value_enum, default_value_t = RunFormat::Text)]
    pub format: RunFormat,
    /// Also print the cost of each relation and clause
    #[arg(long)]
    pub stats: bool,
    /// Print where the time went, by relation and clause, as text or as json
    #[arg(long, value_enum, value_name = "FORMAT", num_args = 0..=1, default_missing_value = "text")]
    pub profile: Option<OutputFormat>,
    /// Print the run of the program behind the answer, as text or as json: to an error, or to where the `trace` of
    /// the file leads, such as a deadlock or a part that repeats forever
    #[arg(long, value_enum, value_name = "FORMAT", num_args = 0..=1, default_missing_value = "text")]
    pub trace: Option<OutputFormat>,
    /// Explain why a tuple is in a relation, or with ! why it is not: 'Reach(3, _)', '!Reach(3, 4)'
    #[arg(long, value_name = "TUPLE")]
    pub explain: Vec<String>,
    /// Print a strategy: for each tuple of a relation, the choices that its clauses make, and what they answer to
    /// whatever happens then: 'Win', 'Win(3)'
    #[arg(long, value_name = "RELATION")]
    pub strategy_of: Vec<String>,
    /// If the verdict is safe, write a proof of it; `fpsolve certify` checks it without solving
    #[arg(long, value_name = "OUT.json")]
    pub certificate: Option<PathBuf>,
    /// Write a page for browsers: the verdict, the trace to step through, plots, the profile, the equations
    #[arg(long, value_name = "OUT.html")]
    pub report: Option<PathBuf>,
    /// Write the order of BDD variables at the end of the run, as `--order` reads it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["show", "dot"])]
    pub save_order: Option<PathBuf>,
    /// If there is a run to an error, write the C program with a scheduler that makes its threads run like that: compiled,
    /// it fails
    #[arg(long, value_name = "OUT.c", help_heading = "C programs (MODEL.c)")]
    pub harness: Option<PathBuf>,
    /// Print an intermediate stage instead of solving: the syntax tree, the rules, how they are evaluated, the order
    /// of BDD variables, or the components
    #[arg(long, value_enum, value_name = "STAGE", conflicts_with = "dot")]
    pub show: Option<ShownStage>,
    /// Draw the components as a graph for Graphviz, and do not solve
    #[arg(long, value_enum, value_name = "WHAT")]
    pub dot: Option<Drawing>,
    /// List all tuples of queries with columns, not only the first 20
    #[arg(long)]
    pub all: bool,
    /// Write the complete answer of each query with columns to DIR/NAME.facts; implies --no-early-stop
    #[arg(long, value_name = "DIR", conflicts_with_all = ["show", "dot"])]
    pub out: Option<PathBuf>,
    /// The form of these files: facts has tabs between the columns, csv has commas, quotes and a header
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = OutFormat::Facts, requires = "out")]
    pub out_format: OutFormat,
    #[command(flatten)]
    pub solving: Solving,
    #[command(flatten)]
    pub program: Programs,
    #[command(flatten)]
    pub refining: super::refine::Refining,
    #[command(flatten)]
    pub alone: super::program::Alone,
    /// End the process when the standard input is closed: no run outlives its batch
    #[arg(long, hide = true)]
    pub end_with_stdin: bool,
}

/// How a Boolean program is read.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Boolean programs (MODEL.bp)")]
pub struct Programs {
    /// The procedure that runs once, before the threads
    #[arg(long, value_name = "PROC")]
    pub init: Option<String>,
    /// A procedure that is a single thread
    #[arg(long, value_name = "PROC")]
    pub thread: Vec<String>,
    /// A procedure of which any number of copies run
    #[arg(long, value_name = "PROC")]
    pub replicate: Vec<String>,
    /// A label that counts as an error, besides failing assertions and error labels; of a pushdown system: `s|a,*,-`; of
    /// a thread transition system: `s|l1,l2`
    #[arg(long, value_name = "LABEL")]
    pub target: Vec<String>,
    /// Where runs begin, in place of the .init file; of a pushdown system: `s|a.b,-`; of a thread transition system:
    /// `s|l1,l2/l3`
    #[arg(long, value_name = "STATE")]
    pub initial: Option<String>,
    /// The dialect of the program; detected from the file by default
    #[arg(long, value_enum)]
    pub dialect: Option<DialectName>,
    /// How many copies of a thread each start_thread can start; any number by default
    #[arg(long, value_name = "N")]
    pub copies: Option<u32>,
    /// Which calls to replace by the procedure's body
    #[arg(long, value_enum, default_value_t = InlineName::Auto)]
    pub inline: InlineName,
    /// The formula that runs are checked for, of linear temporal logic, or a file with it, FILE.ltl: 'G (lock -> F unlock)'
    #[arg(long, value_name = "FORMULA", help_heading = "Linear temporal logic (ltl, ltl_threads)")]
    pub ltl: Option<String>,
    /// Keep local variables that are not read any more
    #[arg(long)]
    pub no_simplify: bool,
    #[command(flatten)]
    pub words: WordArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DialectName {
    Bebop,
    Satabs,
    Getafix,
    Fpsolve,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InlineName {
    Never,
    Auto,
    Always,
}

impl Programs {
    /// The options for a program, with the first of the widths that are tried for it.
    pub fn options_for(&self, program: &str) -> ProgramOptions {
        let mut options = self.options();
        if let Some(widths) = self.words.widths(program) {
            options.reading.words.width = widths.first;
        }
        options
    }

    pub fn options(&self) -> ProgramOptions {
        ProgramOptions {
            reading: options::Options {
                init: self.init.clone(),
                thread: self.thread.clone(),
                replicate: self.replicate.clone(),
                target: self.target.clone(),
                dialect: self.dialect.map(|name| match name {
                    DialectName::Bebop => options::Dialect::Bebop,
                    DialectName::Satabs => options::Dialect::Satabs,
                    DialectName::Getafix => options::Dialect::Getafix,
                    DialectName::Fpsolve => options::Dialect::Fpsolve,
                }),
                copies: self.copies,
                initial: self.initial.clone(),
                beside: Vec::new(),
                words: self.words.words(),
                predicates: self.words.predicate.clone(),
            },
            inline: match self.inline {
                InlineName::Never => Inline::Never,
                InlineName::Auto => Inline::Auto,
                InlineName::Always => Inline::Always,
            },
            simplify: !self.no_simplify,
            spawns: false,
            accesses: false,
            outlines: false,
            named: Default::default(),
            formula: self.ltl.clone().map(|text| options::FormulaText { name: "--ltl".into(), text }),
        }
    }
}

/// What a file is checked against.
#[derive(Clone, Debug, Args)]
pub struct Input {
    /// Set a parameter of the file
    #[arg(long, value_name = "NAME=INT", value_parser = setting)]
    pub set: Vec<(String, i64)>,
    /// The folder with a file NAME.facts or NAME.csv for each input
    #[arg(long, value_name = "DIR")]
    pub facts: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Solving (changes no answer)")]
pub struct Solving {
    /// How recursive definitions are evaluated
    #[arg(long, value_enum, default_value_t = StrategyName::SemiNaive)]
    pub strategy: StrategyName,
    /// Solve all queries even if the verdict is clear earlier
    #[arg(long)]
    pub no_early_stop: bool,
    /// Encode in BDDs also the variables that a statement does not change
    #[arg(long)]
    pub no_frames: bool,
    /// When to look for a better order of the BDD variables
    #[arg(long, value_enum, default_value_t = ReorderName::Auto)]
    pub reorder: ReorderName,
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Keep columns of this sort as explicit keys
    #[arg(long, value_name = "SORT")]
    pub keyed: Vec<String>,
    /// Keep columns of this sort as bits of BDDs
    #[arg(long, value_name = "SORT")]
    pub symbolic: Vec<String>,
    /// Begin with this order of BDD variables: names as in `hint order`
    #[arg(long, value_name = "FILE")]
    pub order: Option<PathBuf>,
}

/// When to give up, for all commands.
#[derive(Clone, Debug, Args)]
pub struct Resources {
    /// Give up after this time: 500ms, 30s, 5m, 1h
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    pub timeout: Option<Duration>,
    /// Give up when the process uses this much memory: 512MiB, 4GiB
    #[arg(long, value_name = "SIZE", value_parser = limits::size)]
    pub memory: Option<u64>,
}

impl Resources {
    /// These limits, from the start of the process on; and what gives up when the user interrupts.
    pub fn limits(&self) -> bdd::Limits {
        bdd::Limits {
            begin: watchdog::begin(),
            timeout: self.timeout,
            memory: self.memory,
            max_nodes: None,
            interrupt: interrupt::install(),
        }
    }
}

/// When to give up, for commands that solve.
#[derive(Clone, Debug, Args)]
pub struct LimitArguments {
    #[command(flatten)]
    pub resources: Resources,
    /// Give up when this many BDD nodes are alive
    #[arg(long, value_name = "N")]
    pub max_nodes: Option<u64>,
}

impl LimitArguments {
    pub fn limits(&self) -> bdd::Limits {
        bdd::Limits { max_nodes: self.max_nodes, ..self.resources.limits() }
    }
}

#[derive(Clone, Debug, Args)]
pub struct ModelArguments {
    /// The Boolean program, MODEL.bp
    pub model: String,
    /// How to print it
    #[arg(long, value_enum, default_value_t = OutputFormat::Text)]
    pub format: OutputFormat,
    /// Draw the control flow instead, as a graph for Graphviz
    #[arg(long, conflicts_with = "format")]
    pub dot: bool,
    #[command(flatten)]
    pub limits: LimitArguments,
    #[command(flatten)]
    pub program: Programs,
}

#[derive(Clone, Debug, Args)]
pub struct Check {
    /// .fp files, folders, names of bundled algorithms, or - for the standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub resources: Resources,
}

#[derive(Clone, Debug, Args)]
pub struct Format {
    /// .fp files or folders, or - to format the standard input to the standard output
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// Change nothing; name the files that would change and exit with 1 if there are any
    #[arg(long)]
    pub check: bool,
}

#[derive(Clone, Debug, Args)]
pub struct Test {
    /// .fp files and Boolean programs, or folders with such files
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<String>,
    #[command(flatten)]
    pub solving: Solving,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RunFormat {
    Text,
    Json,
    // A doc comment here would stretch the whole help.
    Sarif,
}

/// What is printed on the standard output: words for people, or one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Document {
    Text,
    /// The object of the run.
    Run,
    Sarif,
    /// The trace; the object of the run if there is none.
    Trace,
    Profile,
}

impl Run {
    pub fn document(&self) -> Document {
        match (self.format, self.trace, self.profile) {
            (RunFormat::Json, ..) => Document::Run,
            (RunFormat::Sarif, ..) => Document::Sarif,
            (RunFormat::Text, Some(OutputFormat::Json), _) => Document::Trace,
            (RunFormat::Text, _, Some(OutputFormat::Json)) => Document::Profile,
            (RunFormat::Text, ..) => Document::Text,
        }
    }

    /// The mistake to ask for two things of which each is all that would be printed.
    pub fn two_documents(&self) -> Option<Diagnostic> {
        let trace = self.trace.filter(|format| *format == OutputFormat::Json).map(|_| "--trace json");
        let profile = self.profile.filter(|format| *format == OutputFormat::Json).map(|_| "--profile json");
        let shown = self.show.map(|_| "--show").or(self.dot.map(|_| "--dot"));
        let asked = match self.format {
            RunFormat::Text => [trace, profile, shown],
            // The object of a run has the trace and the profile in it.
            RunFormat::Json => [Some("--format json"), None, shown],
            RunFormat::Sarif => [Some("--format sarif"), trace.or(profile), shown],
        };
        let [first, second, ..] = asked.into_iter().flatten().collect::<Vec<_>>()[..] else { return None };
        let title = format!("`{first}` and `{second}` each print one whole document");
        Some(Diagnostic::error("fp::usage", title).help("ask for one of them"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    Text,
    Json,
}

/// How answers are written to files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutFormat {
    Facts,
    Csv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShownStage {
    Ast,
    Core,
    Plan,
    Order,
    Components,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Drawing {
    Components,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StrategyName {
    SemiNaive,
    Naive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReorderName {
    Auto,
    Off,
    Always,
}

impl From<StrategyName> for Strategy {
    fn from(name: StrategyName) -> Self {
        match name {
            StrategyName::SemiNaive => Strategy::SemiNaive,
            StrategyName::Naive => Strategy::Naive,
        }
    }
}

impl From<ReorderName> for Reorder {
    fn from(name: ReorderName) -> Self {
        match name {
            ReorderName::Auto => Reorder::Auto,
            ReorderName::Off => Reorder::Off,
            ReorderName::Always => Reorder::Always,
        }
    }
}

pub fn setting(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| {
        format!("write NAME=INT, for example {}=3", if text.is_empty() { "rounds" } else { text })
    })?;
    let value = value.trim().parse().map_err(|_| format!("`{value}` is not an integer"))?;
    Ok((name.trim().into(), value))
}

impl Solving {
    /// The sorts to keep as keys, or not.
    pub fn keyed(&self) -> Vec<(String, bool)> {
        let keyed = self.keyed.iter().map(|sort| (sort.clone(), true));
        keyed.chain(self.symbolic.iter().map(|sort| (sort.clone(), false))).collect()
    }

    pub fn settings(&self) -> Settings {
        Settings {
            strategy: self.strategy.into(),
            early_stop: !self.no_early_stop,
            frames: !self.no_frames,
            reorder: self.reorder.into(),
            limits: self.limits.limits(),
            ..Settings::default()
        }
    }
}
