//! A session: questions about a file and its model, one after another. What a question needs is solved once, and kept.
//!
//! A question is a file of its own that uses the file: `use "game.fp";`, the definitions that were made since, and a query.
//! The solver takes over every relation whose definition has not changed, so a question costs what is new in it.

use super::files::quoted_path;
use super::{CheckedFile, Outcome, Request, Settings, Way, check, solve};
use calculus::check::is_unbound;
use calculus::check::tree::{Body, Column, Formula, Relation, System, VarId};
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::elaborate;
use calculus::index::Id;
use calculus::solve::{Kept, RelationStats};
use calculus::span::{FileId, Source, Sources, Span};
use calculus::syntax;
use calculus::syntax::ast::{Item, ItemKind};
use calculus::vocabulary::Vocabulary;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

/// The name of a formula that is asked: one that nobody means by mistake.
const QUESTION: &str = "asked_at_the_prompt";

/// What a text that was typed is called.
pub const PROMPT: &str = "<prompt>";

pub struct Session {
    /// The file itself, with the parameters and the model.
    request: Request,
    /// The items that were typed since, with the names that they define.
    declared: Vec<(Option<Rc<str>>, String)>,
    kept: Kept,
}

/// A relation of the file, as far as the session knows it.
pub struct Known {
    pub title: String,
    pub columns: Vec<(String, String)>,
    /// It is given, not defined.
    pub is_given: bool,
    /// How many tuples it has, once it is solved.
    pub tuples: Option<String>,
}

/// A text that is asked, in the file that is made of it.
struct Question {
    text: String,
    /// Where what was typed stands in it.
    typed: (usize, usize),
    /// The variables that are bound for it, each with the place of the binder and that of the variable in what was typed.
    columns: Vec<(String, [usize; 2], usize)>,
}

impl Session {
    pub fn new(request: Request) -> Session {
        Session { request, declared: Vec::new(), kept: Kept::default() }
    }

    /// The file that all questions are asked of, without a question.
    pub fn request(&self) -> Request {
        self.asking(self.before())
    }

    pub fn file(&self) -> &Source {
        &self.request.file
    }

    pub fn vocabulary(&self) -> Option<&Vocabulary> {
        self.request.model.as_ref()
    }

    /// Gives the session another model, or the same one read in another way.
    pub fn replace_model(&mut self, model: Vocabulary) {
        self.request.model = Some(model);
    }

    /// What stands before a question.
    fn before(&self) -> String {
        let mut text = format!("use {};\n", quoted_path(&self.request.file.name));
        for (_, item) in &self.declared {
            text.push_str(item);
            text.push('\n');
        }
        text
    }

    fn asking(&self, text: String) -> Request {
        let file = &self.request.file.name;
        let name = match file.strip_prefix(crate::bundled::PREFIX) {
            Some(_) => format!("{}{PROMPT}", crate::bundled::PREFIX),
            None => Path::new(file).with_file_name(PROMPT).to_string_lossy().into_owned(),
        };
        Request { file: Source::new(name, text), certificate: false, ..self.request.clone() }
    }

    /// The file's own verdict and queries.
    pub fn run(&mut self, settings: &Settings) -> Result<Outcome, Rejection> {
        let begin = Instant::now();
        let checked = check(&self.request)?;
        let solved = solve(&self.request, checked, settings, Some(&mut self.kept));
        Ok(solved.outcome(&self.request, settings, Way { begin, ..Way::new() }))
    }

    /// Sets a parameter of the file. What does not depend on it stays solved.
    pub fn set(&mut self, name: &str, value: i64) -> Result<(), Rejection> {
        let before = self.request.params.insert(name.into(), value);
        let checked = check(&self.request()).map(drop);
        if checked.is_err() {
            match before {
                Some(before) => self.request.params.insert(name.into(), before),
                None => self.request.params.remove(name),
            };
        }
        checked
    }

    /// The parameters with their values.
    pub fn params(&self) -> Result<Vec<(String, i64)>, Rejection> {
        Ok(check(&self.request())?.system.params.into_iter().collect())
    }

    /// Solves a formula. Variables that nothing binds are the columns of the answer.
    pub fn ask(&mut self, formula: &str, settings: &Settings) -> Result<Outcome, Rejection> {
        let mut columns: Vec<(usize, String)> = Vec::new();
        loop {
            let question = self.formula(formula, &columns);
            let request = self.asking(question.text.clone());
            match check(&request) {
                Ok(checked) => {
                    let checked = question.opened(checked, &request)?;
                    return Ok(self.answer(&request, &question, checked, settings, 1));
                }
                Err(Rejection { sources, diagnostics }) => {
                    let prompt = &request.file.name;
                    let found = diagnostics.iter().filter_map(|one| question.column(one, &sources, prompt));
                    columns.extend(found);
                    columns.sort();
                    // What else is wrong is told without them.
                    let is_column = |one: &Diagnostic| question.column(one, &sources, prompt).is_some();
                    let mistakes = diagnostics.iter().filter(|one| !is_column(one)).cloned();
                    let mistakes = mistakes.collect::<Vec<_>>();
                    if !mistakes.is_empty() {
                        return Err(question.told(Rejection { diagnostics: mistakes, sources }, prompt));
                    }
                }
            }
        }
    }

    fn formula(&self, formula: &str, columns: &[(usize, String)]) -> Question {
        let mut text = self.before();
        let mut name = QUESTION.to_string();
        while text.contains(&name) || formula.contains(&name) {
            name.push('\'');
        }
        text += &format!("query {name} =");
        let mut bound = Vec::new();
        for (number, (mention, column)) in columns.iter().enumerate() {
            text += if number == 0 { " exists " } else { ", " };
            bound.push((column.clone(), [text.len(), text.len() + column.len()], *mention));
            text += column;
        }
        text += if columns.is_empty() { " (\n" } else { ". (\n" };
        let typed = (text.len(), text.len() + formula.len());
        text += formula;
        text += "\n);\n";
        Question { text, typed, columns: bound }
    }

    /// Adds definitions. A new one of a known name takes the place of the one that was typed before. The queries among them
    /// are answered.
    pub fn declare(&mut self, typed: &str, settings: &Settings) -> Result<Outcome, Rejection> {
        let items = items(typed);
        let names = items.iter().filter_map(|item| name(&item.kind)).collect::<Vec<_>>();
        let mut next = self.declared.clone();
        next.retain(|(known, _)| known.as_ref().is_none_or(|known| !names.contains(&known)));
        let before = std::mem::replace(&mut self.declared, next);
        let mut text = self.before();
        let start = text.len();
        text.push_str(typed);
        let question = Question { typed: (start, text.len()), text, columns: Vec::new() };
        let request = self.asking(question.text.clone());
        let mut checked = match check(&request) {
            Ok(checked) => checked,
            Err(rejection) => {
                self.declared = before;
                return Err(question.told(rejection, &request.file.name));
            }
        };
        let queries = |item: &Item| match &item.kind {
            ItemKind::Query { name, .. } => Some(name.name.clone()),
            _ => None,
        };
        let asked = items.iter().filter_map(queries).collect::<Vec<_>>();
        for item in &items {
            let text = &typed[item.span.start as usize..item.span.end as usize];
            self.declared.push((name(&item.kind).cloned(), text.to_string()));
        }
        checked.system.queries.retain(|query| asked.contains(&query.name));
        let count = checked.system.queries.len();
        Ok(self.answer(&request, &question, checked, settings, count))
    }

    /// Solves the last queries of a file, and nothing else that it asks for.
    fn answer(
        &mut self,
        request: &Request,
        question: &Question,
        mut checked: CheckedFile,
        settings: &Settings,
        queries: usize,
    ) -> Outcome {
        let begin = Instant::now();
        checked.system.verdicts.clear();
        let count = checked.system.queries.len();
        checked.system.queries.drain(..count - queries);
        let (prompt, sources) = (request.file.name.clone(), checked.sources.clone());
        let warnings = std::mem::take(&mut checked.warnings);
        // Warnings about the file itself are those of a run.
        let new = warnings.into_iter().filter(|warning| question.is_about(warning, &sources, &prompt));
        let told = question.told(Rejection { diagnostics: new.collect(), sources }, &prompt);
        let solved = solve(request, checked, settings, Some(&mut self.kept));
        let outcome = solved.outcome(request, settings, Way { begin, ..Way::new() });
        Outcome { sources: told.sources, warnings: told.diagnostics, ..outcome }
    }

    /// The relations that the file and what it uses define, and those that were typed.
    pub fn known(&mut self, settings: &Settings) -> Result<Vec<Known>, Rejection> {
        let request = self.request();
        let mut checked = check(&request)?;
        checked.system.verdicts.clear();
        checked.system.queries.clear();
        let settings = Settings { sizes: true, ..settings.clone() };
        // Nothing is asked: what is kept is counted.
        let solved = solve(&request, checked, &settings, Some(&mut self.kept));
        let statistics = &solved.answer.statistics.relations;
        let relations = solved.checked.system.relations.iter();
        let own = relations.filter(|relation| !matches!(relation.body, Body::Model(_)));
        Ok(own.map(|relation| known(relation, &solved.checked.system, statistics)).collect())
    }

    /// The text of a definition.
    pub fn definition(&self, wanted: &str) -> Result<Option<String>, Rejection> {
        let checked = check(&self.request())?;
        for source in checked.sources.iter() {
            let items = items(&source.text);
            let found = items.iter().find(|item| name(&item.kind).is_some_and(|name| **name == *wanted));
            if let Some(item) = found {
                return Ok(Some(source.text[item.span.start as usize..item.span.end as usize].to_string()));
            }
        }
        Ok(None)
    }

    /// The names that can be completed: of relations, parameters, and values of enumerations.
    pub fn names(&self) -> Vec<String> {
        let Ok(CheckedFile { system, .. }) = check(&self.request()) else { return Vec::new() };
        let mut names = system.relations.iter().map(|relation| relation.name.to_string()).collect::<Vec<_>>();
        names.extend(system.params.keys().cloned());
        for sort in system.sorts.ids() {
            if let calculus::sort::Sort::Enum { values, .. } = system.sorts.get(sort) {
                names.extend(values.iter().map(|value| value.to_string()));
            }
        }
        names.sort();
        names.dedup();
        names
    }
}

fn known(relation: &Relation, system: &System, statistics: &[RelationStats]) -> Known {
    let title = relation.title();
    let solved = statistics.iter().find(|stats| *stats.title == *title && stats.complete);
    let is_given = matches!(relation.body, Body::Facts(_));
    let tuples = match &relation.body {
        Body::Facts(rows) => Some(rows.len().to_string()),
        _ => solved.map(|stats| stats.tuples.to_string()),
    };
    let columns = relation.columns.iter();
    let columns = columns.map(|column| (column.name.to_string(), system.sorts.show(column.sort)));
    Known { columns: columns.collect(), is_given, tuples, title }
}

/// The items of a text; none if it cannot be parsed.
fn items(text: &str) -> Vec<Item> {
    syntax::parse(FileId::default(), text).map_or_else(|_| Vec::new(), |file| file.items)
}

/// The name that an item defines.
fn name(item: &ItemKind) -> Option<&Rc<str>> {
    match item {
        ItemKind::Definition(definition) => Some(&definition.name.name),
        ItemKind::Param { name, .. }
        | ItemKind::Const { name, .. }
        | ItemKind::Enum { name, .. }
        | ItemKind::Range { name, .. }
        | ItemKind::Symbol { name, .. }
        | ItemKind::Record { name, .. }
        | ItemKind::Alias { name, .. }
        | ItemKind::OpenSort { name }
        | ItemKind::OpenRelation { name, .. }
        | ItemKind::Facts { name, .. }
        | ItemKind::Input { name, .. }
        | ItemKind::Query { name, .. }
        | ItemKind::Trace { name, .. } => Some(&name.name),
        ItemKind::UseVocabulary { .. }
        | ItemKind::UseFile { .. }
        | ItemKind::Require { .. }
        | ItemKind::Verdict { .. }
        | ItemKind::Hint { .. } => None,
    }
}

impl Question {
    /// The column that a mistake asks for: a variable that nothing binds, and its first place in what was typed.
    fn column(&self, mistake: &Diagnostic, sources: &Sources, prompt: &str) -> Option<(usize, String)> {
        let (span, _) = mistake.labels.first().filter(|_| is_unbound(mistake))?;
        let (start, end) = (span.start as usize, span.end as usize);
        let here = sources.get(span.file).name == prompt && start >= self.typed.0;
        let name = self.text.get(start..end).filter(|_| here)?;
        // A name alone is no formula about it.
        let alone = name == self.text[self.typed.0..self.typed.1].trim();
        let is_column = !alone && !is_slip(name, mistake.help.as_deref());
        is_column.then(|| (start - self.typed.0, name.to_string()))
    }

    /// Makes columns of the variables that are bound around the formula.
    fn opened(&self, mut checked: CheckedFile, request: &Request) -> Result<CheckedFile, Rejection> {
        let Some(query) = checked.system.queries.last().filter(|_| !self.columns.is_empty()) else {
            return Ok(checked);
        };
        let relation = &mut checked.system.relations[query.relation.index()];
        let Body::Defined { vars, clauses, .. } = &mut relation.body else { return Ok(checked) };
        let count = self.columns.len();
        let is_outer = |bound: &[VarId]| bound.iter().map(|var| var.0 as usize).eq(0..count);
        let body = std::mem::replace(&mut clauses[0].body, Formula::Const(false));
        clauses[0].body = match body {
            Formula::Exists(bound, body) if is_outer(&bound) => *body,
            Formula::Const(false) => Formula::Const(false),
            // What is static decided the formula, and no value of the variable is looked at.
            _ => {
                let names = self.columns.iter().map(|(name, ..)| format!("`{name}`")).collect::<Vec<_>>();
                let title = format!("the sort of {} is not known", names.join(" or "));
                let mistake = Diagnostic::error("fp::open_sort", title).help(SAY_SORTS);
                return Err(mistake.into());
            }
        };
        let columns = vars[..count].iter();
        let columns =
            columns.map(|var| Column { name: var.name.clone(), sort: var.sort, span: Some(var.span) });
        relation.columns = columns.collect();
        let (core, contradictions) = elaborate::elaborate(&checked.system);
        let mut warnings = checked.warnings;
        warnings.retain(|warning| !self.is_about(warning, &checked.sources, &request.file.name));
        warnings.extend(contradictions);
        Ok(CheckedFile { core, warnings, ..checked })
    }

    fn is_about(&self, found: &Diagnostic, sources: &Sources, prompt: &str) -> bool {
        let first = found.labels.first().map(|(span, _)| *span);
        first.is_some_and(|span| {
            sources.get(span.file).name == prompt && span.end as usize > self.typed.0 - self.header()
        })
    }

    /// How long the line before the formula is, which nobody typed.
    fn header(&self) -> usize {
        let before = self.text[..self.typed.0].trim_end_matches('\n');
        match self.text[..self.typed.0].ends_with("(\n") {
            true => self.typed.0 - before.rfind('\n').map_or(0, |at| at + 1),
            false => 0,
        }
    }

    /// Mistakes with places in what was typed, as far as they are there.
    fn told(&self, rejection: Rejection, prompt: &str) -> Rejection {
        let mut sources = Sources::default();
        for source in rejection.sources.iter() {
            let name = if source.name == prompt { PROMPT } else { &source.name };
            sources.add(name, source.text.clone());
        }
        let (begin, end) = self.typed;
        let typed = sources.add(PROMPT, &self.text[begin..end]);
        let place = |span: Span| {
            let (start, stop) = (span.start as usize, span.end as usize);
            if rejection.sources.get(span.file).name != prompt || stop + self.header() <= begin {
                return span;
            }
            let binder = self.columns.iter().find(|(_, [from, to], _)| (*from, *to) == (start, stop));
            match binder {
                Some((name, _, mention)) => Span::new(typed, *mention, mention + name.len()),
                None => Span::new(typed, start.clamp(begin, end) - begin, stop.clamp(begin, end) - begin),
            }
        };
        let mistakes = rejection.diagnostics.into_iter().map(|mut mistake| {
            if mistake.code == "fp::open_sort" && !self.columns.is_empty() {
                mistake.help = Some(SAY_SORTS.into());
            }
            // Where few names are known, help lists them.
            if let Some(help) = &mut mistake.help {
                *help = help.replace(&format!(", {QUESTION}"), "").replace(&format!("{QUESTION}, "), "");
            }
            mistake.labels.iter_mut().for_each(|(span, _)| *span = place(*span));
            mistake
        });
        let diagnostics = mistakes.collect();
        Rejection { sources, diagnostics }
    }
}

/// Short names are variables. A longer one that is near to a known one is more likely a slip; a variable is often called as
/// its sort, but for the capitals.
fn is_slip(name: &str, help: Option<&str>) -> bool {
    let near = help.and_then(|help| help.strip_prefix("did you mean `")?.strip_suffix("`?"));
    name.chars().count() > 2 && near.is_some_and(|near| near.to_lowercase() != name.to_lowercase())
}

const SAY_SORTS: &str = "say the sorts of the columns: `query Q(x: SORT) = …;`";
