//! How large the relations of a model are: a file that asks for each of them is solved.

use super::{Request, Settings, run};
use calculus::bdd::{Limits, Reorder, Stop};
use calculus::solve::RelationStats;
use calculus::span::Source;
use calculus::vocabulary::Vocabulary;

/// Rows, tuples and nodes of each relation of a model, families with each of their instances.
pub fn sizes(vocabulary: &Vocabulary, limits: Limits) -> Result<Vec<RelationStats>, Stop> {
    let mut text = format!("use {};\n", vocabulary.name);
    for (number, relation) in vocabulary.relations.iter().enumerate() {
        let names = relation.columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        // Whether there is a tuple: a query for all of them would make diagrams of what the model leaves alone.
        let any = if names.is_empty() { String::new() } else { format!("exists {names}. ") };
        let indices = match relation.index {
            None => vec![String::new()],
            Some((first, last)) => (first..=last).map(|index| format!("[{index}]")).collect(),
        };
        for (at, index) in indices.iter().enumerate() {
            text += &format!("query Q{number}_{at} = {any}{}{index}({names});\n", relation.name);
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
            Ok(relations.into_iter().filter(|relation| relation.clauses.is_empty()).collect())
        }
        Err(rejection) => {
            panic!("the model's own relations are refused: {:?}\n{text}", rejection.diagnostics)
        }
    }
}
