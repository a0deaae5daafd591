//! The elaborated system for other solvers: constrained Horn clauses in SMT-LIB, and Datalog for Soufflé.
//!
//! Both have least fixed points only. What else the calculus has is brought into that form where it can be:
//!
//! - `!R(x)` for a given relation R (facts, or of the model) is a condition on x.
//! - `forall` over few values is unfolded, so that it may stand in a recursion.
//! - The complement of a greatest fixed point is a least one.
//! - Datalog has the negation of what was computed before. Horn clauses do not, so there it is refused.
//! - Least and greatest fixed points in one recursion are refused.

mod clauses;
mod complement;
mod names;
mod smt;
mod souffle;

use crate::run::CheckedFile;
use calculus::check::tree::RelId;
use calculus::diagnostic::{Diagnostic, nearest};
use clauses::{ClauseBuilder, Clauses, Fragment};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Smt,
    Souffle,
}

/// The system in another language, for one of its queries or for all that the language can answer at once.
pub fn export(
    checked: &CheckedFile,
    file: &str,
    language: Language,
    query: Option<&str>,
) -> Result<String, Diagnostic> {
    match language {
        Language::Smt => horn(checked, file, goal(checked, query)?),
        Language::Souffle => {
            let goals = match query {
                Some(_) => vec![goal(checked, query)?],
                None => all(checked),
            };
            if goals.is_empty() {
                return Err(nothing_asked());
            }
            let mut builder = ClauseBuilder::new(&checked.system, &checked.core, Fragment::Stratified);
            let mut roots = Vec::new();
            for goal in &goals {
                roots.push((goal.name.clone(), builder.root(goal.relation, true)?));
            }
            souffle::text(checked, file, &builder.finish()?, &roots)
        }
    }
}

/// What is asked: whether this relation has a tuple.
#[derive(Clone, Debug)]
struct ExportGoal {
    name: String,
    relation: RelId,
}

fn goal(checked: &CheckedFile, query: Option<&str>) -> Result<ExportGoal, Diagnostic> {
    let goals = all(checked);
    match query {
        None => goals.into_iter().next().ok_or_else(nothing_asked),
        Some(name) => {
            let names = goals.iter().map(|goal| goal.name.as_str()).collect::<Vec<_>>();
            let help = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if names.is_empty() => "it has none".into(),
                None => format!("it has {}", names.join(", ")),
            };
            goals.into_iter().find(|goal| goal.name == name).ok_or_else(|| {
                Diagnostic::error("fp::usage", format!("the file has no query `{name}`")).help(help)
            })
        }
    }
}

fn nothing_asked() -> Diagnostic {
    Diagnostic::error("fp::usage", "the file asks nothing that could be exported")
        .help("give it a query or a verdict with a condition")
}

/// The conditions of verdicts that are no queries, then the queries; what the first verdict asks comes first.
fn all(checked: &CheckedFile) -> Vec<ExportGoal> {
    let system = &checked.system;
    let name = |relation: RelId| {
        let query = system.queries.iter().find(|query| query.relation == relation);
        query.map_or_else(|| system.relations[relation.0 as usize].title(), |query| query.name.to_string())
    };
    let conditions = system.verdicts.iter().filter_map(|verdict| verdict.condition);
    let mut goals: Vec<ExportGoal> = Vec::new();
    for relation in conditions.chain(system.queries.iter().map(|query| query.relation)) {
        if !goals.iter().any(|goal| goal.relation == relation) {
            goals.push(ExportGoal { name: name(relation), relation });
        }
    }
    goals
}

/// Horn clauses for the goal, or, if only that can be said by Horn clauses, for its negation.
fn horn(checked: &CheckedFile, file: &str, goal: ExportGoal) -> Result<String, Diagnostic> {
    let build = |positive: bool| -> Result<(Clauses, usize), Diagnostic> {
        let mut builder = ClauseBuilder::new(&checked.system, &checked.core, Fragment::Horn);
        let root = builder.root(goal.relation, positive)?;
        Ok((builder.finish()?, root))
    };
    let closed = checked.core.relations[goal.relation].columns.is_empty();
    match build(true) {
        Ok((clauses, root)) => Ok(smt::text(checked, file, &goal.name, &clauses, root, true)),
        Err(refusal) if closed => match build(false) {
            Ok((clauses, root)) => Ok(smt::text(checked, file, &goal.name, &clauses, root, false)),
            Err(_) => Err(refusal),
        },
        Err(refusal) => Err(refusal),
    }
}
