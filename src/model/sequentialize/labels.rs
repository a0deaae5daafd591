//! Labels: those that jumps lead to, and one for each loop. The others are not needed, and a label like ERROR means an
//! error wherever it stands.

use std::collections::{HashMap, HashSet};

use crate::model::program::{Block, Form, Procedure, StatementId};

/// The label of each statement that needs one; and whether a jump leads to a statement or into it.
pub fn labels(procedure: &Procedure) -> (HashMap<StatementId, String>, Vec<bool>) {
    let statements = &procedure.statements;
    let mut entered = vec![false; statements.len()];
    for statement in statements {
        if let Form::Goto(places) = &statement.form {
            places.iter().for_each(|place| entered[place.0 as usize] = true);
        }
    }
    let mut taken: HashSet<String> = statements.iter().flat_map(|s| &s.labels).cloned().collect();
    let mut labels = HashMap::new();
    let mut chosen = HashSet::new();
    for (index, statement) in statements.iter().enumerate() {
        let of_loop = matches!(statement.form, Form::While { .. });
        if !entered[index] && !of_loop {
            continue;
        }
        let label = match statement.labels.first().filter(|_| entered[index]) {
            Some(label) if plain(label) && chosen.insert(label.clone()) => label.clone(),
            Some(label) => free(&mut taken, &format!("L_{label}")),
            None => free(&mut taken, &format!("loop_{}", labels.len() + 1)),
        };
        labels.insert(StatementId(index as u32), label);
    }
    // Statements are numbered before what is nested in them.
    for index in (0..statements.len()).rev() {
        let inside = |block: &Block| block.iter().any(|id| entered[id.0 as usize]);
        entered[index] |= match &statements[index].form {
            Form::If { then, otherwise, .. } => inside(then) || inside(otherwise),
            Form::While { body, .. } => inside(body),
            _ => false,
        };
    }
    (labels, entered)
}

/// Whether a label means nothing but a place in every dialect.
fn plain(label: &str) -> bool {
    let numeric = label.starts_with(|c: char| c.is_ascii_digit());
    let known = ["ERROR", "error", "SLIC_ERROR", "endinit"].contains(&label);
    !numeric && !known && !label.starts_with("ASYNC_")
}

fn free(taken: &mut HashSet<String>, wanted: &str) -> String {
    let mut label = wanted.to_string();
    while !taken.insert(label.clone()) {
        label.push_str("_x");
    }
    label
}
