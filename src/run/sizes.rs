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
        let columns = relation.columns.iter().map(|(name, sort)| format!("{name}: {sort}"));
        let columns = columns.collect::<Vec<_>>().join(", ");
        let names = relation.columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        let indices = match relation.index {
            None => vec![String::new()],
            Some((first, last)) => (first..=last).map(|index| format!("[{index}]")).collect(),
        };
        for (at, index) in indices.iter().enumerate() {
            text += &format!("query Q{number}_{at}({columns}) = {}{index}({names});\n", relation.name);
        }
    }
    let file = Source::new("sizes.fp", text.as_str());
    let request = Request { model: Some(vocabulary.clone()), ..Request::new(file) };
    let settings = Settings { list: 0, frames: false, reorder: Reorder::Off, limits, ..Settings::default() };
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
