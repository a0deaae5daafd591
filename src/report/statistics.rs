//! What solving took, as a table of relations and their clauses.

use super::table::{Align, table};
use super::units::{bytes, duration, short};
use crate::run::Outcome;

/// The table that `--stats` asks for.
pub fn statistics(outcome: &Outcome, width: usize) -> String {
    let statistics = &outcome.answer.statistics;
    let head = ["relation", "rounds", "rows", "tuples", "nodes", "time"];
    let mut rows = vec![head.map(String::from).to_vec()];
    let mut incomplete = false;
    for relation in &statistics.relations {
        incomplete |= !relation.complete;
        let mark = match (relation.complete, relation.kept) {
            (false, _) => " *",
            (true, true) => " (kept)",
            (true, false) => "",
        };
        rows.push(vec![
            format!("{}{mark}", relation.title),
            relation.rounds.to_string(),
            relation.rows.to_string(),
            short(&relation.tuples.to_string()),
            relation.nodes.to_string(),
            duration(relation.time),
        ]);
        // One clause without a name says nothing that the relation does not.
        if relation.kept || relation.clauses.len() == 1 && relation.clauses[0].name == "1" {
            continue;
        }
        // A clause that a static condition prunes in this instance was never evaluated.
        for clause in relation.clauses.iter().filter(|clause| clause.rounds > 0) {
            let counted = |shown: String| if outcome.counted { shown } else { String::new() };
            rows.push(vec![
                format!("  {}", clause.name),
                clause.rounds.to_string(),
                clause.rows.to_string(),
                counted(short(&clause.tuples.to_string())),
                counted(clause.nodes.to_string()),
                duration(clause.time),
            ]);
        }
    }
    let align = [Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right];
    let mut text = table(&rows, &align, 0, width);
    if incomplete {
        text.push_str("* incomplete: the run ended before all of it was known\n");
    }
    text.push('\n');
    if let Some(bdd) = &statistics.bdd {
        let mut reorderings = format!("{} reorderings", bdd.reorderings);
        if bdd.reorderings == 1 {
            reorderings = "1 reordering".into();
        }
        if bdd.reorderings > 0 {
            reorderings.push_str(&format!(" in {}", duration(bdd.reordering_time)));
        }
        let (peak, memory) = (bdd.peak_nodes, bytes(bdd.memory_bytes));
        text.push_str(&format!(
            "{} BDD variables, {peak} nodes at the peak, {memory}, {reorderings}\n",
            bdd.variables
        ));
    }
    text.push_str(&format!("solved in {}, {} in all\n", duration(statistics.time), duration(outcome.time)));
    text
}
