//! What a model offers, as text and as JSON.

use super::json::pretty;
use super::table::{Align, table};
use super::units::short;
use crate::model::Model;
use crate::model::schema::{OWN, SHARED};
use calculus::solve::RelationStats;
use calculus::sort::Width;
use serde_json::{Value as Json, json};

/// A model with what is said about it.
pub struct About<'a> {
    pub name: &'a str,
    /// The dialect was not given but recognised.
    pub detected: bool,
    pub sizes: Vec<RelationStats>,
    pub model: &'a Model,
}

impl About<'_> {
    /// Positions with the threads at them.
    fn threads(&self) -> Vec<(String, String)> {
        let cfg = &self.model.cfg;
        let singles = (1..).zip(&cfg.singles).map(|(at, role)| (at.to_string(), role.name.clone()));
        let mut threads = singles.collect::<Vec<_>>();
        if !cfg.replicated.is_empty() {
            let names = cfg.replicated.iter().map(|role| format!("{}*", role.name)).collect::<Vec<_>>();
            threads.push(((cfg.singles.len() + 1).to_string(), names.join(", ")));
        }
        threads
    }

    /// The variables whose values a sort holds, if they are the same everywhere.
    fn variables(&self, sort: &str) -> Vec<String> {
        let cfg = &self.model.cfg;
        let variables =
            [(&SHARED, &cfg.shared), (&OWN, &cfg.own)].into_iter().filter(|(of, _)| of.name == sort);
        variables.flat_map(|(_, variables)| variables).map(|variable| variable.name.clone()).collect()
    }
}

pub fn text(about: &About, width: usize) -> String {
    let (model, cfg) = (about.model, &about.model.cfg);
    let detected = if about.detected { " (detected)" } else { "" };
    let mut out = format!("{}: a Boolean program, dialect {}{detected}\n\n", about.name, cfg.dialect);

    let needed = cfg.needed();
    let mut rows = vec![["procedure", "locations", "edges", "locals"].map(String::from).to_vec()];
    for id in &needed {
        let flow = cfg.flow(*id);
        let counts = [flow.locations.len(), flow.edges.len(), flow.locals.len()];
        rows.push([flow.name.clone()].into_iter().chain(counts.map(|count| count.to_string())).collect());
    }
    out += &table(&rows, &[Align::Left, Align::Right, Align::Right, Align::Right], 0, width);

    let mut rows = vec![["position", "thread"].map(String::from).to_vec()];
    rows.extend(about.threads().into_iter().map(|(at, name)| vec![at, name]));
    out += &format!("\n{}", table(&rows, &[Align::Right, Align::Left], 0, width));

    let mut rows = vec![["sort", "size", "variables"].map(String::from).to_vec()];
    for sort in &model.vocabulary.sorts {
        let size = match sort.width {
            Width::Bits(1) => "1 bit".into(),
            Width::Bits(bits) => format!("{bits} bits"),
            Width::Values(values) if sort.keyed => format!("{values} keys"),
            Width::Values(values) => format!("{values} values"),
        };
        rows.push(vec![sort.name.clone(), size, about.variables(&sort.name).join(" ")]);
    }
    out += &format!("\n{}", table(&rows, &[Align::Left, Align::Right, Align::Left], 0, width));

    let mut rows = vec![["fact", "value"].map(String::from).to_vec()];
    for (name, value) in &model.vocabulary.facts {
        rows.push(vec![format!("{}.{name}", model.vocabulary.name), value.to_string()]);
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

pub fn json(about: &About) -> String {
    let (model, cfg) = (about.model, &about.model.cfg);
    let sorts = model.vocabulary.sorts.iter().map(|sort| {
        let (bits, values) = match sort.width {
            Width::Bits(bits) => (Some(bits), None),
            Width::Values(values) => (None, Some(values)),
        };
        let variables = about.variables(&sort.name);
        json!({ "name": sort.name, "bits": bits, "values": values, "keyed": sort.keyed, "variables": variables })
    });
    let procedures = cfg.needed().into_iter().map(|id| {
        let flow = cfg.flow(id);
        json!({
            "name": flow.name,
            "locations": flow.locations.len(),
            "edges": flow.edges.len(),
            "locals": flow.locals.iter().map(|local| &local.name).collect::<Vec<_>>(),
        })
    });
    let threads = about
        .threads()
        .into_iter()
        .map(|(at, name)| json!({ "position": at.parse::<u64>().ok(), "name": name }));
    let facts = model.vocabulary.facts.iter().map(|(name, value)| (name.clone(), Json::from(*value)));
    let relations = about.sizes.iter().map(|relation| {
        json!({
            "name": relation.title,
            "rows": relation.rows,
            "tuples": relation.tuples.to_string(),
            "nodes": relation.nodes,
        })
    });
    let warnings = model.warnings.iter().map(|warning| super::json::diagnostic(&model.sources, warning));
    pretty(&json!({
        "schema": super::json::SCHEMA,
        "model": about.name,
        "dialect": cfg.dialect.to_string(),
        "detected": about.detected,
        "procedures": procedures.collect::<Vec<_>>(),
        "threads": threads.collect::<Vec<_>>(),
        "sorts": sorts.collect::<Vec<_>>(),
        "facts": Json::Object(facts.collect()),
        "relations": relations.collect::<Vec<_>>(),
        "warnings": warnings.collect::<Vec<_>>(),
    }))
}
