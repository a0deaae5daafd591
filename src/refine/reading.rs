//! A model with predicates, and what files say about it.

use super::{Question, Sought, location};
use crate::bundled;
use crate::explain;
use crate::model::Model;
use crate::model::route::Route;
use crate::model::schema::{CLASSES, ColumnKind, PC, TARGET_CLASS};
use crate::run::{Outcome, Request, Settings, behind_dots, files, handles_calls, offered, run};
use calculus::diagnostic::{Diagnostic, Rejection};
use calculus::sort::Value;
use calculus::span::Source;
use calculus::vocabulary::Vocabulary;

/// Which steps of a run can be made, with all values.
const FOLLOW: &str = "abstraction/lib/follow.fp";
/// Whether the abstraction has a run.
const FOLLOW_ABSTRACT: &str = "abstraction/lib/follow_abstract.fp";

pub struct Reading<'a> {
    question: &'a Question<'a>,
    pub model: Box<dyn Model>,
}

impl<'a> Reading<'a> {
    pub fn new(question: &'a Question<'a>) -> Result<Reading<'a>, Rejection> {
        Reading::with(question, &[])
    }

    /// With more predicates than there are.
    pub fn with(question: &'a Question<'a>, more: &[String]) -> Result<Reading<'a>, Rejection> {
        let options = question.options.for_file(handles_calls(&question.search));
        let mut options = options.naming(behind_dots(&question.search));
        options.outlines = true;
        options.reading.predicates.extend_from_slice(more);
        if question.sought == Sought::Errors {
            // Else a run of the program that leaves a word would be an answer.
            options.reading.words.left_out.get_or_insert_with(|| "values that leave their words".into());
        }
        let Question { front_end, program, text, .. } = question;
        Ok(Reading { question, model: files::read_model(front_end, program, text, &options)? })
    }

    /// Whether calls are left that are not inlined.
    pub fn has_calls(&self) -> bool {
        self.model.vocabulary().facts.iter().any(|(fact, value)| fact == "calls" && *value > 0)
    }

    /// Asks for an error of the abstraction.
    pub fn search(&self) -> Result<Outcome, Rejection> {
        run(&self.request()?, &self.question.settings)
    }

    fn request(&self) -> Result<Request, Rejection> {
        let file = self.question.search.clone();
        let mut model = offered(&*self.model, &file)?;
        if self.question.sought == Sought::LeftWords {
            count_left_words(&mut model);
        }
        let params = self.question.params.clone();
        Ok(Request { params, model: Some(model), ..Request::new(file) })
    }

    /// The control flow of the run to an error of the abstraction.
    pub fn route(&self, outcome: &Outcome) -> Result<Option<Route>, Rejection> {
        let moves = explain::moves_to(&self.request()?, &self.question.settings, &*self.model, outcome)?;
        let is_error = |at: u64| self.model.error_at(PC.name, &location(at)).is_some();
        Ok(moves.and_then(|moves| Route::of(&moves, is_error)))
    }

    fn follow(&self, path: &str, route: &Route) -> Result<Outcome, Rejection> {
        let Some(algorithm) = bundled::at(path) else {
            let title = format!("the file `{path}` is missing in this build");
            return Err(Diagnostic::error("fp::unreadable_file", title).into());
        };
        let mut vocabulary = self.model.vocabulary().clone();
        route.add_to(&mut vocabulary);
        let file = Source::new(algorithm.title(), algorithm.text);
        let settings = Settings { list: usize::MAX, ..self.question.settings.clone() };
        run(&Request { model: Some(vocabulary), ..Request::new(file) }, &settings)
    }

    /// How many steps of a run can be made, with all values.
    pub fn followed(&self, route: &Route) -> Result<Option<usize>, Rejection> {
        let outcome = self.follow(FOLLOW, route)?;
        let answers = outcome.queries();
        let Some((_, tuples)) = answers.into_iter().next().and_then(|query| query.answer) else {
            return Ok(None);
        };
        let steps = tuples.iter().filter_map(|tuple| match tuple.first() {
            Some(Value::Int(steps)) => usize::try_from(*steps).ok(),
            _ => None,
        });
        Ok(steps.max())
    }

    /// Whether the abstraction has a run. Nothing if a limit was reached.
    pub fn still_has(&self, route: &Route) -> Result<Option<bool>, Rejection> {
        let outcome = self.follow(FOLLOW_ABSTRACT, route)?;
        let answer = outcome.queries().into_iter().next().and_then(|query| query.answer);
        Ok(answer.map(|(_, tuples)| !tuples.is_empty()))
    }

    /// The last step of a run in words.
    pub fn words(&self, route: &Route) -> Option<String> {
        let step = route.steps.last()?;
        let show = |at: u64| self.model.vocabulary().show.show(PC.name, &location(at));
        Some(format!("thread {} from {} to {}", step.thread + 1, show(step.from)?, show(step.to)?))
    }
}

/// Files tell values that leave their words from other errors by the class of the target: it has none now.
fn count_left_words(vocabulary: &mut Vocabulary) {
    let class = CLASSES.iter().position(|class| *class == "width").expect("it is a class");
    let leaf = (TARGET_CLASS.value("c", ColumnKind::Class), Value::Name(class as u64));
    for relation in vocabulary.relations.iter_mut().filter(|relation| relation.name == TARGET_CLASS.name) {
        for rows in &mut relation.instances {
            *rows = rows.iter().filter(|row| !row.fixed.contains(&leaf)).cloned().collect();
        }
    }
}
