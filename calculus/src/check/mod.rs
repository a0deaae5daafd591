//! From syntax trees to the checked system: names, statics, sorts, positivity.
//!
//! Everything a reader can get wrong is found here, before anything is solved. The passes go on after a
//! mistake, so that all of them are reported together. Families are instantiated here and not later, because
//! the sorts of an instance depend on its indices (`Shared[1..i]`).
//!
//! The passes, each with what it finds:
//!
//! | pass | finds |
//! |---|---|
//! | `load`, `modules`, `qualify` | the files that are used, what they are given, and full names |
//! | `declare` | what each name stands for |
//! | `names` | whether every name and every number of arguments holds, in all of the text |
//! | `constants` | the values of parameters and constants; `statics` evaluates with them |
//! | `sorts`, `hints` | the declared sorts, and which of them are keys |
//! | `signatures` | the instances of relations with their columns |
//! | `fillings` | whether what used files are given has the right columns |
//! | `bodies` | facts and clauses: `instantiate` unrolls, `typing` infers and checks sorts |
//! | `verdicts` | queries, verdicts, requirements |
//! | `order` | which fixed points are inside which |
//! | `variable_order` | what hints say about the order of diagrams |
//! | `positivity` | recursion through negation |
//! | `unneeded`, `vacuous` | what nobody asks for; what says nothing |
//! | `empty` | what sorts without values decide |

mod arguments;
mod bodies;
mod constants;
mod declare;
mod empty;
mod facts;
mod fillings;
mod findings;
mod hints;
mod instantiate;
mod load;
mod messages;
mod modules;
mod names;
pub mod number;
mod order;
mod positivity;
mod qualify;
mod signatures;
mod sorts;
mod statics;
pub mod tree;
mod typing;
mod unneeded;
mod vacuous;
mod values;
mod variable_order;
mod verdicts;
mod words;

pub use facts::{FactsFile, FactsForm, FactsLoader};
pub use load::{LoadedFiles, Loader, load, vocabularies};
pub use names::mentions_relation;
pub use words::is_unbound;

use crate::diagnostic::Diagnostic;
use crate::vocabulary::Vocabulary;
use bodies::Bodies;
use declare::GlobalKind;
use findings::Findings;
use statics::Statics;
use std::collections::BTreeMap;
use tree::System;
pub use variable_order::WishedOrder;
use verdicts::Verdicts;

/// What a file is checked against.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// `--set NAME=INT`
    pub params: BTreeMap<String, i64>,
    /// What `use NAME;` can name.
    pub model: Option<Vocabulary>,
    /// Finds the rows of an `input`.
    pub facts: Option<FactsLoader<'a>>,
    /// Sorts to keep as keys, or not, whatever the file says.
    pub keyed: Vec<(String, bool)>,
    /// The order of the diagrams' variables, if it is given: what hints for it say does not count then.
    pub order: WishedOrder,
}

/// A checked system with its warnings, or the mistakes.
pub fn check(
    program: &mut LoadedFiles,
    options: &Options,
) -> Result<(System, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut findings = Findings::default();
    let system = run(program, options, &mut findings);
    match findings.mistakes() {
        0 => Ok((system, findings.into_diagnostics())),
        _ => Err(findings.into_diagnostics()),
    }
}

/// All passes. The system is worth something only if none of them reports a mistake.
fn run(program: &mut LoadedFiles, options: &Options, findings: &mut Findings) -> System {
    let LoadedFiles { sources, files, filled, about, given } = program;
    let files = &files[..];
    let items = || files.iter().flat_map(|file| file.items.iter());
    let declarations = declare::declare(items(), filled, options.model.as_ref(), findings);
    constants::only_parameters_are_set(&declarations, &options.params, given, findings);
    let names_hold = names::check_names(items(), &declarations, findings);
    let constants = constants::constants(&declarations, &options.params, findings);
    let statics = Statics { declarations: &declarations, constants: &constants };
    let mut table = sorts::declared_sorts(statics, findings);
    let mut signatures = signatures::signatures(statics, &mut table, findings);
    fillings::check_fillings(filled, statics, &signatures, &mut table, findings);
    hints::apply_hints(items(), &options.keyed, statics, &mut table, findings);
    let (mut queries, mut traces) = verdicts::queries(items(), &declarations, &signatures);

    let mut pass = Bodies { statics, signatures: &mut signatures, table: &mut table, findings, parts: 0 };
    if names_hold {
        pass.all(options.facts, sources);
    }
    let Verdicts { mut verdicts, refusals } = verdicts::verdicts(items(), names_hold, &mut pass, sources);
    pass.pending();
    order::nest(&mut signatures, &declarations, about);
    let mut relations = signatures.relations;

    // A used file is a library: its queries are relations like others, its verdicts are not about this file.
    if let Some(main) = files.last() {
        queries.retain(|query| query.span.file == main.id);
        // Its runs are runs of this file, unless this file says what its own are.
        traces.sort_by_key(|trace| trace.span.file != main.id);
        verdicts.retain(|verdict| verdict.span.file == main.id);
    }
    if findings.mistakes() == 0 {
        positivity::check_positivity(&relations, findings);
        unneeded::warn_unneeded(files, &declarations, &queries, &verdicts, findings);
    }
    if findings.mistakes() == 0 {
        vacuous::warn_vacuous(&declarations, findings);
    }
    empty::settle_symbols(&mut relations, &mut table.sorts);
    let order =
        variable_order::order(items(), &options.order, &declarations, &relations, &table.sorts, findings);
    let params = declarations.names(|kind| matches!(kind, GlobalKind::Param { .. }));
    let params = params
        .filter(|name| !given.contains(*name))
        .filter_map(|name| Some((name.to_string(), constants.get(name)?.ok()?)));
    System {
        params: params.collect(),
        sorts: table.sorts,
        relations,
        queries,
        traces,
        verdicts,
        vocabulary: options.model.clone(),
        refusals,
        order,
    }
}
