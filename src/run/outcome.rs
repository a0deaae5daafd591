//! What a run brought: its conclusion, and the answers to its queries in the file's own sorts.

use calculus::bdd::Stop;
use calculus::certify::Certificate;
use calculus::check::tree::{Column, System, VerdictKind};
use calculus::diagnostic::Diagnostic;
use calculus::show;
use calculus::solve::{Answer, Ending, Statistics};
use calculus::sort::{SortId, Value};
use calculus::span::Sources;
use calculus::vocabulary::Approximation;
use std::time::Duration;

/// The result of a run that was not rejected.
#[derive(Debug)]
pub struct Outcome {
    /// The name of the file.
    pub file: String,
    pub model: Option<AboutModel>,
    pub sources: Sources,
    pub system: System,
    pub warnings: Vec<Diagnostic>,
    pub answer: Answer,
    /// What proves the verdict, if it is safe and this was asked for; or why that could not be made.
    pub certificate: Option<Result<Certificate, Stop>>,
    /// The steps that led here, if a parameter was deepened.
    pub steps: Vec<StepOutcome>,
    /// What the steps before the last one took.
    pub before: Vec<Statistics>,
    pub laps: OtherTimes,
    /// What each clause brought was counted.
    pub counted: bool,
    /// How many tuples of a query are shown. More of them may be known.
    pub listed: usize,
    /// From reading the file to the last answer.
    pub time: Duration,
}

/// What a run does besides solving, over all steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct OtherTimes {
    /// Reading the model and making its relations.
    pub reading: Duration,
    /// Reading and checking the file and its facts, and making rules of it.
    pub checking: Duration,
    pub certifying: Duration,
}

/// One step of deepening a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepOutcome {
    pub param: String,
    pub value: i64,
    pub conclusion: Conclusion,
    /// Relations that were solved in this step, and that were taken over from the one before.
    pub solved: usize,
    pub kept: usize,
}

/// The model of a run, as far as reports speak of it.
#[derive(Clone, Debug)]
pub struct AboutModel {
    pub name: String,
    pub sources: Sources,
    pub warnings: Vec<Diagnostic>,
    /// How long it took to read it and to make its relations.
    pub reading: Duration,
    /// The words that its numbers are.
    pub words: Option<WordsAnswer>,
}

/// What an answer says about the width of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordsAnswer {
    pub bits: u32,
    /// Whether no value leaves them; nothing if that was not found out.
    pub enough: Option<bool>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// A verdict of the file, with the file's message.
    Verdict(VerdictKind, Option<String>),
    /// A limit was reached.
    Stopped(Stop),
    /// The file has verdicts, and none holds.
    NoneHolds,
    /// The file has no verdicts.
    NoVerdicts,
}

/// The answer to one query.
#[derive(Debug)]
pub struct QueryResult<'a> {
    pub name: &'a str,
    pub columns: &'a [Column],
    /// How many tuples there are and the first of them, a value for each column. Nothing if the run ended before.
    pub answer: Option<(String, Vec<Vec<Value>>)>,
    /// There may be more tuples: the run ended when the verdict was clear.
    pub partial: bool,
}

impl Conclusion {
    /// How an answer ends.
    pub fn of(system: &System, answer: &Answer) -> Conclusion {
        match &answer.ending {
            Ending::Verdict { number, kind, .. } => {
                let message = system.verdicts[*number].message.clone();
                let approximations = approximations(system);
                let weaker = weakened(*kind, approximations);
                if weaker == *kind {
                    return Conclusion::Verdict(*kind, message);
                }
                let why = approximations.iter().filter_map(|approximation| match (kind, approximation) {
                    (VerdictKind::Safe, Approximation::Fewer(why)) => Some(why.clone()),
                    (VerdictKind::Unsafe, Approximation::More(why)) => {
                        Some(format!("the error may depend on {why}"))
                    }
                    _ => None,
                });
                let message = message.into_iter().chain(why).collect::<Vec<_>>().join("; ");
                Conclusion::Verdict(weaker, Some(message))
            }
            Ending::NoVerdictHolds => Conclusion::NoneHolds,
            Ending::NoVerdicts => Conclusion::NoVerdicts,
            Ending::Stopped(stop) => Conclusion::Stopped(stop.clone()),
        }
    }

    /// The limit that was reached.
    pub fn stop(&self) -> Option<&Stop> {
        match self {
            Conclusion::Stopped(stop) => Some(stop),
            _ => None,
        }
    }

    /// The verdict in a word, as files and expectations spell it.
    pub fn word(&self) -> Option<&'static str> {
        match self {
            Conclusion::Verdict(kind, _) => Some(word(*kind)),
            Conclusion::Stopped(_) => Some("unknown"),
            Conclusion::NoneHolds => Some("none"),
            Conclusion::NoVerdicts => None,
        }
    }

    /// The file's message.
    pub fn message(&self) -> Option<&str> {
        match self {
            Conclusion::Verdict(_, message) => message.as_deref(),
            _ => None,
        }
    }

    /// The file's message, or why there is none.
    pub fn why(&self) -> Option<String> {
        self.message().map(String::from).or(self.reason())
    }

    /// Why there is no verdict of the file.
    pub fn reason(&self) -> Option<String> {
        match self {
            Conclusion::Stopped(stop) => Some(stop.to_string()),
            Conclusion::NoneHolds => Some("no condition of a verdict holds".into()),
            _ => None,
        }
    }
}

pub fn word(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Unsafe => "unsafe",
        VerdictKind::Safe => "safe",
        VerdictKind::Bounded => "bounded",
        VerdictKind::Unknown => "unknown",
    }
}

/// What is left of a verdict about a model that differs from what it was made of. Fewer runs: no error is no proof. More
/// runs: an error may be one of the model alone. What was not claimed is not weakened.
pub fn weakened(kind: VerdictKind, approximations: &[Approximation]) -> VerdictKind {
    let fewer = approximations.iter().any(|approximation| matches!(approximation, Approximation::Fewer(_)));
    let more = approximations.iter().any(|approximation| matches!(approximation, Approximation::More(_)));
    match (kind, fewer, more) {
        (VerdictKind::Safe, true, _) => VerdictKind::Bounded,
        (VerdictKind::Unsafe, _, true) => VerdictKind::Unknown,
        (
            VerdictKind::Safe | VerdictKind::Unsafe | VerdictKind::Bounded | VerdictKind::Unknown,
            false | true,
            false | true,
        ) => kind,
    }
}

fn approximations(system: &System) -> &[Approximation] {
    system.vocabulary.as_ref().map_or(&[], |model| &model.approximations)
}

/// The runs that the model of a file leaves out, in words.
pub fn left_out(system: &System) -> impl Iterator<Item = &str> {
    approximations(system).iter().filter_map(|approximation| match approximation {
        Approximation::Fewer(why) => Some(why.as_str()),
        Approximation::More(_) => None,
    })
}

impl Outcome {
    pub fn conclusion(&self) -> Conclusion {
        Conclusion::of(&self.system, &self.answer)
    }

    /// The queries in the order of the file, with the tuples that are shown.
    pub fn queries(&self) -> Vec<QueryResult<'_>> {
        self.queries_up_to(self.listed)
    }

    /// The same with all tuples that are known.
    pub fn complete_queries(&self) -> Vec<QueryResult<'_>> {
        self.queries_up_to(usize::MAX)
    }

    fn queries_up_to(&self, listed: usize) -> Vec<QueryResult<'_>> {
        let answers = self.answer.queries.iter().map(|answer| {
            let query = &self.system.queries[answer.query];
            let columns = self.system.relations[query.relation.0 as usize].columns.as_slice();
            let partial = answer.partial;
            let answer = answer.tuples.as_ref().map(|tuples| {
                let rows = tuples.rows.iter().take(listed).map(|row| self.assemble(columns, row));
                (tuples.count.to_string(), rows.collect())
            });
            QueryResult { name: &query.name, columns, answer, partial }
        });
        answers.collect()
    }

    /// The values of columns from their scalar leaves.
    fn assemble(&self, columns: &[Column], row: &[Value]) -> Vec<Value> {
        let mut leaves = row.iter().cloned();
        columns.iter().map(|column| self.system.sorts.assemble(column.sort, &mut leaves)).collect()
    }

    /// A value in the words of the file or the model.
    pub fn show(&self, sort: SortId, value: &Value) -> String {
        show::value(&self.system.sorts, self.system.vocabulary.as_ref(), sort, value)
    }
}

impl QueryResult<'_> {
    pub fn is_closed(&self) -> bool {
        self.columns.is_empty()
    }

    /// The answer in a word, as expectations spell it: `true`, `3 tuples`.
    pub fn word(&self) -> Option<String> {
        let (count, _) = self.answer.as_ref()?;
        Some(match (self.is_closed(), count.as_str()) {
            (false, "1") if self.partial => "at least 1 tuple".into(),
            (false, count) if self.partial => format!("at least {count} tuples"),
            (true, count) => (count != "0").to_string(),
            (false, "1") => "1 tuple".into(),
            (false, count) => format!("{count} tuples"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approximations_weaken_what_they_make_doubtful() {
        use VerdictKind::{Bounded, Safe, Unknown, Unsafe};
        let fewer = || Approximation::Fewer("fewer".into());
        let more = || Approximation::More("more".into());
        let none: [Approximation; 0] = [];
        let table = [
            (&none[..], [Unsafe, Safe, Bounded, Unknown]),
            (&[fewer()], [Unsafe, Bounded, Bounded, Unknown]),
            (&[more()], [Unknown, Safe, Bounded, Unknown]),
            (&[fewer(), more()], [Unknown, Bounded, Bounded, Unknown]),
            (&[more(), fewer(), more()], [Unknown, Bounded, Bounded, Unknown]),
        ];
        for (approximations, expected) in table {
            let weaker = [Unsafe, Safe, Bounded, Unknown].map(|kind| weakened(kind, approximations));
            assert_eq!(weaker, expected, "{approximations:?}");
        }
    }
}
