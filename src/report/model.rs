//! What a model offers, as text and as JSON.

use super::json::pretty;
use super::table::{Align, table};
use super::units::short;
use crate::model::{Description, Model, ThreadRules};
use calculus::solve::RelationStats;
use calculus::sort::Width;
use calculus::texts::shown;
use serde_json::{Value as Json, json};

/// A model with what is said about it.
pub struct About<'a> {
    pub name: &'a str,
    pub sizes: Vec<RelationStats>,
    pub description: Description,
    pub model: &'a dyn Model,
}

impl About<'_> {
    /// The variables whose values a sort holds, if they are the same everywhere.
    fn variables(&self, sort: &str) -> &[String] {
        let held = self.description.variables.iter().find(|(of, _)| *of == sort);
        held.map_or(&[], |(_, variables)| variables)
    }
}

pub fn text(about: &About, width: usize) -> String {
    let (vocabulary, description) = (about.model.vocabulary(), &about.description);
    let detected = if description.detected { " (detected)" } else { "" };
    let Description { kind, dialect, .. } = description;
    let dialect = if dialect.is_empty() { String::new() } else { format!(", dialect {dialect}{detected}") };
    let mut out = format!("{}: {kind}{dialect}\n\n", about.name);
    description.notes.iter().for_each(|note| out += &format!("{note}\n"));
    if !description.notes.is_empty() {
        out.push('\n');
    }
    match description.rules.is_empty() {
        true => out += &procedures(description, width),
        false => out += &rules(description, width),
    }

    let mut rows = vec![["sort", "size", "variables"].map(String::from).to_vec()];
    for sort in &vocabulary.sorts {
        let size = match sort.width {
            Width::Bits(1) => "1 bit".into(),
            Width::Bits(bits) => format!("{bits} bits"),
            Width::Values(values) if sort.keyed => format!("{values} keys"),
            Width::Values(values) => format!("{values} values"),
        };
        rows.push(vec![sort.name.clone(), size, about.variables(&sort.name).join(" ")]);
    }
    out += &format!("\n{}", table(&rows, &[Align::Left, Align::Right, Align::Left], 0, width));

    let mut rows = vec![["texts", "size", "values"].map(String::from).to_vec()];
    for symbol in &vocabulary.symbols {
        let size = format!("{} {}", symbol.texts.len(), if symbol.keyed { "keys" } else { "values" });
        rows.push(vec![
            symbol.name.clone(),
            size,
            symbol.texts.iter().map(|text| shown(text)).collect::<Vec<_>>().join(" "),
        ]);
    }
    if rows.len() > 1 {
        out += &format!("\n{}", table(&rows, &[Align::Left, Align::Right, Align::Left], 0, width));
    }

    let mut rows = vec![["fact", "value"].map(String::from).to_vec()];
    for (name, value) in &vocabulary.facts {
        rows.push(vec![format!("{}.{name}", vocabulary.name), value.to_string()]);
    }
    out += &format!("\n{}", table(&rows, &[Align::Left, Align::Right], 0, width));

    let mut rows = vec![["relation", "rows", "tuples", "nodes"].map(String::from).to_vec()];
    for relation in &about.sizes {
        rows.push(vec![
            relation.title.clone(),
            relation.rows.to_string(),
            short(&relation.tuples.to_string()),
            relation.nodes.to_string(),
        ]);
    }
    out + &format!("\n{}", table(&rows, &[Align::Left, Align::Right, Align::Right, Align::Right], 0, width))
}

fn procedures(description: &Description, width: usize) -> String {
    let mut rows = vec![["procedure", "locations", "edges", "locals"].map(String::from).to_vec()];
    for procedure in &description.procedures {
        let counts = [procedure.locations, procedure.edges, procedure.locals.len()];
        rows.push(
            [procedure.name.clone()].into_iter().chain(counts.map(|count| count.to_string())).collect(),
        );
    }
    let out = table(&rows, &[Align::Left, Align::Right, Align::Right, Align::Right], 0, width);

    let mut rows = vec![["position", "thread"].map(String::from).to_vec()];
    rows.extend(description.threads.iter().map(|(at, name)| vec![at.to_string(), name.clone()]));
    out + &format!("\n{}", table(&rows, &[Align::Right, Align::Left], 0, width))
}

/// The threads of a pushdown system, with their rules by what these do to the stack.
fn rules(description: &Description, width: usize) -> String {
    let head = ["thread", "symbols", "rules", "overwrite", "push", "pop"];
    let mut rows = vec![head.map(String::from).to_vec()];
    for thread in &description.rules {
        let ThreadRules { position, symbols, overwrite, push, pop } = *thread;
        let numbers = [position, symbols, overwrite + push + pop, overwrite, push, pop];
        rows.push(numbers.map(|number| number.to_string()).to_vec());
    }
    table(&rows, &[Align::Right; 6], 0, width)
}

pub fn json(about: &About) -> String {
    let (model, vocabulary, description) = (about.model, about.model.vocabulary(), &about.description);
    let sorts = vocabulary.sorts.iter().map(|sort| {
        let (bits, values) = match sort.width {
            Width::Bits(bits) => (Some(bits), None),
            Width::Values(values) => (None, Some(values)),
        };
        let variables = about.variables(&sort.name);
        json!({ "name": sort.name, "bits": bits, "values": values, "keyed": sort.keyed, "variables": variables })
    });
    let symbols = vocabulary
        .symbols
        .iter()
        .map(|symbol| json!({ "name": symbol.name, "keyed": symbol.keyed, "texts": symbol.texts }));
    let procedures = description.procedures.iter().map(|procedure| {
        json!({
            "name": procedure.name,
            "locations": procedure.locations,
            "edges": procedure.edges,
            "locals": procedure.locals,
        })
    });
    let threads = description.threads.iter().map(|(at, name)| json!({ "position": at, "name": name }));
    let rules = description.rules.iter().map(|thread| {
        json!({
            "position": thread.position,
            "symbols": thread.symbols,
            "overwrite": thread.overwrite,
            "push": thread.push,
            "pop": thread.pop,
        })
    });
    let facts = vocabulary.facts.iter().map(|(name, value)| (name.clone(), Json::from(*value)));
    let relations = about.sizes.iter().map(|relation| {
        json!({
            "name": relation.title,
            "rows": relation.rows,
            "tuples": relation.tuples.to_string(),
            "nodes": relation.nodes,
        })
    });
    let warnings = model.warnings().iter().map(|warning| super::json::diagnostic(model.sources(), warning));
    pretty(&json!({
        "schema": super::json::SCHEMA,
        "model": about.name,
        "dialect": description.dialect,
        "detected": description.detected,
        "notes": description.notes,
        "procedures": procedures.collect::<Vec<_>>(),
        "threads": threads.collect::<Vec<_>>(),
        "rules": rules.collect::<Vec<_>>(),
        "sorts": sorts.collect::<Vec<_>>(),
        "symbols": symbols.collect::<Vec<_>>(),
        "facts": Json::Object(facts.collect()),
        "relations": relations.collect::<Vec<_>>(),
        "warnings": warnings.collect::<Vec<_>>(),
    }))
}
