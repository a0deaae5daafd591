//! `fpsolve repl FILE [MODEL]`: questions at a prompt, or from the standard input, one to a line.

mod lines;
mod question;

use super::arguments::{Input, Programs, Solving};
use super::output::{complain, diagnose, print, reject, width};
use super::progress::ProgressLine;
use super::{Exit, algorithm, explain as explaining, interrupt, solve};
use crate::explain;
use crate::model::{Model, ProgramOptions};
use crate::report::table::{Align, table};
use crate::report::text;
use crate::run::session::{Known, Session};
use crate::run::{AboutModel, Facts, Outcome, Request, Settings, behind_dots, files, handles_calls, offered};
use calculus::bdd::Limits;
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::solve as solving;
use calculus::span::Source;
use calculus::vocabulary::Approximation;
use lines::{Line, Lines};
use question::{HELP, Question};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// What is asked about.
#[derive(Debug, clap::Args)]
pub struct Repl {
    /// The .fp file, or the name of a bundled algorithm
    pub file: String,
    /// The model that the file is about
    pub model: Option<String>,
    #[command(flatten)]
    pub input: Input,
    #[command(flatten)]
    pub solving: Solving,
    #[command(flatten)]
    pub program: Programs,
}

/// How many tuples are listed without `all`.
const LISTED: usize = 20;
/// What lists the others.
const MORE: &str = "`all` in front";

pub fn repl(arguments: &Repl) -> Exit {
    match Prompt::new(arguments) {
        Ok(mut prompt) => prompt.talk(),
        Err(rejection) => reject(&rejection, false),
    }
}

struct Prompt<'a> {
    arguments: &'a Repl,
    session: Session,
    model: Option<ReadModel>,
    /// The worst that became of a question.
    worst: Exit,
}

/// A model, and how it was read.
struct ReadModel {
    model: Box<dyn Model>,
    options: ProgramOptions,
    /// All words of its text: a variable is one of them.
    words: BTreeSet<String>,
}

impl<'a> Prompt<'a> {
    fn new(arguments: &'a Repl) -> Result<Prompt<'a>, Rejection> {
        if arguments.file == "-" {
            let mistake = Diagnostic::error("fp::usage", "the standard input is for questions");
            return Err(mistake.help("name a file").into());
        }
        let begin = Instant::now();
        let file = algorithm::find(&arguments.file, arguments.model.as_deref())?;
        let model = arguments.model.as_deref().map(|path| read(arguments, path, &file)).transpose()?;
        let about = arguments.model.clone().zip(model.as_ref()).map(|(name, ReadModel { model, .. })| {
            diagnose(model.sources(), model.warnings());
            let (sources, warnings) = (model.sources().clone(), model.warnings().to_vec());
            AboutModel { name, sources, warnings, reading: begin.elapsed(), words: None }
        });
        let vocabulary = model.as_ref().map(|read| offered(&*read.model, &file)).transpose()?;
        let request = Request {
            params: solve::params(&arguments.input)?,
            facts: arguments.input.facts.clone().map_or(Facts::None, Facts::Folder),
            model: vocabulary,
            about,
            keyed: arguments.solving.keyed(),
            order: solve::order(&arguments.solving)?,
            ..Request::new(file)
        };
        let session = Session::new(request);
        // Mistakes of the file are told before anything can be asked.
        let params = session.params().map_err(|told| algorithm::without_model(&arguments.file, told))?;
        let prompt = Prompt { arguments, session, model, worst: Exit::Success };
        prompt.greet(&params);
        Ok(prompt)
    }

    /// What weakens answers is said once, before them.
    fn greet(&self, params: &[(String, i64)]) {
        if lines::is_terminal() {
            let of = self.arguments.model.as_ref().map_or(String::new(), |model| format!(" on {model}"));
            let set = params.iter().map(|(name, value)| format!(", {name} = {value}")).collect::<String>();
            print(&format!("{}{of}{set}. Ask a formula, or `help`.\n", self.arguments.file));
        }
        let vocabulary = self.session.vocabulary();
        for approximation in vocabulary.map_or(&[][..], |vocabulary| &vocabulary.approximations) {
            complain(&match approximation {
                Approximation::Fewer(why) => format!("the model is not complete: {why}\n"),
                Approximation::More(why) => format!("the model may have more runs than the program: {why}\n"),
            });
        }
    }

    fn talk(&mut self) -> Exit {
        let mut lines = match Lines::open() {
            Ok(lines) => lines,
            Err(why) => {
                let mistake = Diagnostic::error("fp::usage", format!("cannot read questions: {why}"));
                return reject(&mistake.into(), false);
            }
        };
        lines.complete(self.session.names());
        let mut typed = String::new();
        loop {
            match lines.next(typed.is_empty()) {
                Line::End if typed.trim().is_empty() => break,
                Line::Dropped => {
                    typed.clear();
                    continue;
                }
                // An empty line ends a question that seems to go on.
                Line::Text(line) if line.trim().is_empty() && typed.is_empty() => continue,
                Line::Text(line) if !line.trim().is_empty() => {
                    typed.push_str(&line);
                    if question::goes_on(&typed) {
                        typed.push('\n');
                        continue;
                    }
                }
                Line::Text(_) | Line::End => {}
            }
            let question = Question::read(&std::mem::take(&mut typed));
            if matches!(question, Question::Quit) {
                break;
            }
            let limits = self.begin();
            if let Err(rejection) = self.answer(&question, limits) {
                self.note(Exit::Mistake);
                diagnose(&rejection.sources, &rejection.diagnostics);
            }
            lines.complete(self.session.names());
        }
        // Whoever sits at the prompt has seen what went wrong.
        if lines::is_terminal() { Exit::Success } else { self.worst }
    }

    fn note(&mut self, exit: Exit) {
        if self.worst != Exit::Mistake {
            self.worst = exit;
        }
    }

    /// Each question has the limits for itself, and what interrupted another one is over.
    fn begin(&self) -> Limits {
        interrupt::install().store(false, Ordering::SeqCst);
        self.arguments.solving.limits.limits().from_now()
    }

    fn settings(&self, limits: Limits, all: bool) -> Settings {
        let line = ProgressLine::on_terminal();
        let progress =
            line.map(|line| Rc::new(move |now: &solving::Progress| line.tell(now)) as Rc<dyn Fn(&_)>);
        Settings {
            limits,
            progress,
            sizes: false,
            list: if all { usize::MAX } else { LISTED },
            ..self.arguments.solving.settings()
        }
    }

    fn answer(&mut self, question: &Question, limits: Limits) -> Result<(), Rejection> {
        let settings = |prompt: &Prompt, all| prompt.settings(limits.clone(), all);
        match question {
            Question::Nothing | Question::Quit => {}
            Question::Help => print(HELP),
            Question::Formula { text, all } => {
                self.name_variables(text)?;
                let outcome = self.session.ask(text, &settings(self, *all))?;
                diagnose(&outcome.sources, &outcome.warnings);
                self.tell(&outcome, |outcome| {
                    let queries = outcome.queries();
                    queries.iter().map(|query| text::nameless(outcome, query, width(), MORE)).collect()
                });
            }
            Question::Items(text) => {
                self.name_variables(text)?;
                let outcome = self.session.declare(text, &settings(self, false))?;
                diagnose(&outcome.sources, &outcome.warnings);
                self.tell(&outcome, |outcome| text::text(outcome, width(), MORE));
            }
            Question::Run { all } => {
                let outcome = self.session.run(&settings(self, *all))?;
                diagnose(&outcome.sources, &outcome.warnings);
                self.tell(&outcome, |outcome| text::text(outcome, width(), MORE));
            }
            Question::Why { tuple, all } => self.why(tuple, *all, &settings(self, *all))?,
            Question::Set(setting) => self.set(setting.as_ref())?,
            Question::Show(None) => {
                let known = self.session.known(&settings(self, false))?;
                print(&listed(&known));
            }
            Question::Show(Some(name)) => self.show(name)?,
            Question::Unclear(mistake) => return Err(mistake.clone().into()),
        }
        Ok(())
    }

    fn tell(&mut self, outcome: &Outcome, words: impl Fn(&Outcome) -> String) {
        if outcome.conclusion().stop().is_some() {
            self.note(Exit::Unknown);
        }
        print(&words(outcome));
    }

    fn why(&mut self, tuple: &str, all: bool, settings: &Settings) -> Result<(), Rejection> {
        let told = explain::explain(&self.session.request(), settings, tuple);
        let explained = told.map_err(|mut rejection| {
            for mistake in &mut rejection.diagnostics {
                mistake.title = mistake.title.replacen("--explain", "why", 1);
            }
            rejection
        })?;
        if let solving::Explanation::Stopped(_) = explained.explanation {
            self.note(Exit::Unknown);
        }
        print(&explaining::explanation(&explained, all, MORE));
        Ok(())
    }

    fn set(&mut self, setting: Option<&(String, i64)>) -> Result<(), Rejection> {
        if let Some((name, value)) = setting {
            return self.session.set(name, *value);
        }
        let params = self.session.params()?;
        print(&params.iter().map(|(name, value)| format!("{name} = {value}\n")).collect::<String>());
        if params.is_empty() {
            print("no parameters\n");
        }
        Ok(())
    }

    fn show(&mut self, name: &str) -> Result<(), Rejection> {
        match self.session.definition(name)? {
            Some(text) => print(&format!("{text}\n")),
            None => {
                let names = self.session.names();
                let title = format!("no text defines `{name}`");
                let mistake = Diagnostic::error("fp::unknown_name", title);
                let offered = "what the model offers has no text; `fpsolve model` shows it".to_string();
                let known = names.iter().any(|known| known == name);
                return Err(match known {
                    true => mistake.help(offered),
                    false => mistake.suggest(name, names.iter().map(String::as_str), "`show` lists all"),
                }
                .into());
            }
        }
        Ok(())
    }

    /// Variables of the program that are named behind dots for the first time: the model must keep them.
    fn name_variables(&mut self, text: &str) -> Result<(), Rejection> {
        let Some(read) = &mut self.model else { return Ok(()) };
        let names = behind_dots(&Source::new(crate::run::session::PROMPT, text));
        let new = names.iter().filter(|name| read.words.contains(*name));
        let named = read.options.named.iter().chain(new).cloned().collect::<BTreeSet<_>>();
        let path = self.arguments.model.as_deref().filter(|_| named != read.options.named);
        if let Some(path) = path {
            read.options.named = named;
            read.model = files::model(path, &read.options)?;
            self.session.replace_model(offered(&*read.model, self.session.file())?);
        }
        Ok(())
    }
}

fn read(arguments: &Repl, path: &str, file: &Source) -> Result<ReadModel, Rejection> {
    let options = arguments.program.options_for(path);
    let options = options.for_file(handles_calls(file)).naming(behind_dots(file));
    let (text, _) = files::model_text(path)?;
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(String::from).collect();
    Ok(ReadModel { model: files::model(path, &options)?, options, words })
}

fn listed(known: &[Known]) -> String {
    let row = |known: &Known| {
        let columns = known.columns.iter().map(|(name, sort)| format!("{name}: {sort}"));
        let columns = columns.collect::<Vec<_>>().join(", ");
        let columns = if known.columns.is_empty() { String::new() } else { format!("({columns})") };
        let state = match (&known.tuples, known.columns.is_empty()) {
            (None, _) => "not solved yet".to_string(),
            (Some(count), true) => (count != "0").to_string(),
            (Some(count), false) if count == "1" => "1 tuple".to_string(),
            (Some(count), false) => format!("{count} tuples"),
        };
        let given = if known.is_given { "given, " } else { "" };
        vec![format!("{}{columns}", known.title), format!("{given}{state}")]
    };
    table(&known.iter().map(row).collect::<Vec<_>>(), &[Align::Left, Align::Left], 0, width())
}
