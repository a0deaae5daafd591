//! How large the relations of a model are: a file that asks for each of them is solved.

use super::{Request, Settings, run};
use calculus::bdd::{Limits, Reorder, Stop};
use calculus::solve::RelationStats;
use calculus::span::Source;
use calculus::vocabulary::Vocabulary;

/// A relation, and an empty one defined with it. A query that rests on a relation given without tuples would be answered
/// without loading anything; that this one is empty is not known before. Models offer none of these names.
const SOMETHING: &str = "some_tuple";
const NOTHING: &str = "no_tuple";

/// Rows, tuples and nodes of each relation of a model, families with each of their instances.
pub fn sizes(vocabulary: &Vocabulary, limits: Limits) -> Result<Vec<RelationStats>, Stop> {
    // A query for the tuples themselves, or whether there are any, would make diagrams of what the model leaves alone.
    // Joined with nothing, a relation is loaded and counted, and no more. It is negated because it may have no tuples.
    let mut text = format!(
        "use {};\nrel {SOMETHING}(n_: bool) = {{ true }};\nlet {NOTHING}(n_: bool) = {SOMETHING}(n_) & n_ = false;\n",
        vocabulary.name
    );
    for (number, relation) in vocabulary.relations.iter().enumerate() {
        let names = relation.columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        let all = if names.is_empty() { String::new() } else { format!(", {names}") };
        let indices = match relation.index {
            None => vec![String::new()],
            Some((first, last)) => (first..=last).map(|index| format!("[{index}]")).collect(),
        };
        for (at, index) in indices.iter().enumerate() {
            let asked = format!("{}{index}({names})", relation.name);
            text += &format!("query Q{number}_{at} = exists n_{all}. {NOTHING}(n_) & !{asked};\n");
        }
    }
    let file = Source::new("sizes.fp", text.as_str());
    let request = Request { model: Some(vocabulary.clone()), ..Request::new(file) };
    let settings = Settings { list: 0, reorder: Reorder::Off, limits, ..Settings::default() };
    match run(&request, &settings) {
        Ok(outcome) => {
            if let Some(stop) = outcome.conclusion().stop() {
                return Err(stop.clone());
            }
            let relations = outcome.answer.statistics.relations;
            let offered =
                |relation: &RelationStats| relation.clauses.is_empty() && relation.title != SOMETHING;
            Ok(relations.into_iter().filter(offered).collect())
        }
        Err(rejection) => {
            panic!("the model's own relations are refused: {:?}\n{text}", rejection.diagnostics)
        }
    }
}
