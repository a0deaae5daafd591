//! How mistakes speak of names, definitions and sorts.

use super::declare::{Declarations, FamilySource, GlobalKind};
use super::statics::Env;
use crate::diagnostic::{Diagnostic, nearest};
use crate::sort::{Sort, SortId, Sorts};
use crate::syntax::ast::Ident;
use crate::texts::quoted;
use std::rc::Rc;

/// How many values of a model are listed.
const MOST_LISTED: usize = 20;

/// `no columns`, `1 column`, `2 columns`
pub(super) fn count(count: usize, one: &str, many: &str) -> String {
    match count {
        0 => format!("no {many}"),
        1 => format!("1 {one}"),
        _ => format!("{count} {many}"),
    }
}

pub(super) fn kind_words(kind: &GlobalKind) -> &'static str {
    match kind {
        GlobalKind::Param { .. } => "a parameter",
        GlobalKind::Const(_) => "a constant",
        GlobalKind::Sort(_) => "a sort",
        GlobalKind::EnumValue { .. } => "a value of an enum",
        GlobalKind::Relation(_) => "a relation",
        GlobalKind::Vocabulary => "the vocabulary of the model",
        GlobalKind::Module => "a file behind a name",
    }
}

/// What a name in a formula can be, if it is not that of a relation with its arguments.
pub(super) const VARIABLE: &str = "variable or value";

/// Words that other languages have, and what to write instead of them.
fn of_other_languages(what: &str, name: &str) -> Option<&'static str> {
    Some(match name {
        "not" => "negation is written `!`",
        "and" => "conjunction is written `&`",
        "or" => "disjunction is written `|`",
        "True" | "TRUE" if what == VARIABLE => "write `true`",
        "False" | "FALSE" if what == VARIABLE => "write `false`",
        "count" | "sum" | "card" if what == "relation" => {
            "formulas do not count; a query with columns prints how many tuples it has, and \
             `exists x, y. x != y & …` says that there are at least two"
        }
        "_" => "give the column a variable: `exists y. R(x, y)`",
        "int" | "Int" | "nat" | "integer" if what == "sort" => "write a range, such as `0..7`",
        "string" | "String" if what == "sort" => {
            "declare a sort of texts: `symbol Name;`, or define the values: `enum Name { A, B }`"
        }
        _ => return None,
    })
}

/// A name that stands for nothing. `offered`: it is that of the model. `symbols`: there are sorts of texts, so that it may
/// be a text without its quotes.
pub(super) fn unknown(what: &str, name: &Ident, known: &[&str], offered: bool, symbols: bool) -> Diagnostic {
    let near = nearest(&name.name, known.iter().copied());
    let label = match what {
        "verdict" | "hint" => format!("no such {what}"),
        "parameter, constant or index" => "nothing static has this name".to_string(),
        _ => "not defined".to_string(),
    };
    let help = if let Some(near) = near {
        format!("did you mean `{near}`?")
    } else if offered {
        format!("the model offers it: add `use {};`", name.name)
    } else if let Some(ours) = of_other_languages(what, &name.name) {
        ours.to_string()
    } else if symbols && what == "value" {
        format!("a text of a symbol sort is written in quotes: `\"{}\"`", name.name)
    } else if what == "value" {
        "facts consist of numbers, true, false, names of enums, texts, and records and vectors of them"
            .to_string()
    } else if what == "parameter or constant" {
        "define it with `param` or `const`".to_string()
    } else if what == "verdict" {
        format!("a verdict is unsafe, safe, bounded or unknown: `verdict unsafe if {};`", name.name)
    } else if symbols && what == VARIABLE {
        let name = &name.name;
        format!("bind it: `exists {name}. …`, or quote it: `\"{name}\"` is a text of a symbol sort")
    } else if what == VARIABLE {
        format!("bind it: `exists {}. …`, or make it a column", name.name)
    } else if !known.is_empty() && known.len() <= 8 {
        format!("known here: {}", known.join(", "))
    } else {
        match what {
            "relation" => "define it with `rel`, `input`, `let`, `mu` or `nu`",
            "sort" => "define it with `enum`, `range`, `symbol`, `record` or `sort`",
            "vocabulary" => "facts of a model need its vocabulary: `use program;`",
            _ => "define it with `param` or `const`",
        }
        .to_string()
    };
    let title = format!("there is no {what} `{}`", name.name);
    Diagnostic::error("fp::unknown_name", title).label(name.span, label).help(help)
}

/// Whether a mistake is that a name in the place of a variable stands for nothing. Its first label is the name.
pub fn is_unbound(mistake: &Diagnostic) -> bool {
    mistake.code == "fp::unknown_name" && mistake.title.starts_with(&format!("there is no {VARIABLE} "))
}

impl Declarations<'_> {
    /// How a relation is written where it is used: `edge(x, y)`, `TLI[p, i](q, u, v)`, `Hit`.
    pub fn usage(&self, family: usize) -> String {
        let family = &self.families[family];
        let names = |names: Vec<Rc<str>>| names.join(", ");
        let (indices, columns): (Vec<Rc<str>>, Vec<Rc<str>>) = match family.source {
            FamilySource::Facts { columns, .. } | FamilySource::Input { columns } => {
                (Vec::new(), columns.iter().map(|column| column.name.name.clone()).collect())
            }
            FamilySource::Defined { indices, columns, .. } => (
                indices.iter().map(|index| index.name().name.clone()).collect(),
                columns.iter().map(|column| column.name.name.clone()).collect(),
            ),
            FamilySource::Offered(at) => {
                let offered = self.model.map(|model| &model.relations[at]);
                let columns = offered.into_iter().flat_map(|relation| &relation.columns);
                let indices = vec!["i".into(); family.index_count];
                (indices, columns.map(|(name, _)| name.as_str().into()).collect())
            }
        };
        match (indices.is_empty(), columns.is_empty()) {
            (true, true) => family.name.to_string(),
            (true, false) => format!("{}({})", family.name, names(columns)),
            (false, _) => format!("{}[{}]({})", family.name, names(indices), names(columns)),
        }
    }
}

/// What the values of a sort are, for someone who wrote one of another sort.
pub(super) fn values_help(sorts: &Sorts, sort: SortId) -> String {
    let shown = sorts.show(sort);
    match sorts.get(sort) {
        Sort::Bool => "its values are true and false; join formulas with `<->`".to_string(),
        Sort::Range { lo, hi, .. } => format!("its values are the numbers {lo}..{hi}"),
        Sort::Enum { values, .. } if values.len() <= 8 => {
            format!("the values of {shown} are: {}", values.join(", "))
        }
        Sort::Enum { values, .. } => {
            format!("the values of {shown} are: {}, …", values[..8].join(", "))
        }
        Sort::Record { fields, .. } => {
            let fields = fields.iter().map(|(name, _)| format!("{name} = …")).collect::<Vec<_>>();
            format!("a value of it is written `{shown} {{ {} }}`", fields.join(", "))
        }
        Sort::Vector { .. } => "a vector is written `[x, y]`, and joined from others with `++`".to_string(),
        Sort::Symbol { .. } if sorts.has_complete_texts(sort) => texts_of_model(sorts, sort),
        Sort::Symbol { .. } => format!("the values of {shown} are texts, in quotes: `\"Main.x\"`"),
        Sort::Opaque { .. } => format!("values of {shown} come from the relations of the model"),
    }
}

/// The texts that a model brought for a symbol sort.
fn texts_of_model(sorts: &Sorts, sort: SortId) -> String {
    let (shown, texts) = (sorts.show(sort), sorts.texts(sort));
    if texts.is_empty() {
        return format!("the model has no {shown}");
    }
    let listed = texts.iter().take(MOST_LISTED).map(quoted).collect::<Vec<_>>().join(", ");
    let rest = texts.len().saturating_sub(MOST_LISTED);
    let more = if rest == 0 { String::new() } else { format!(", and {rest} more") };
    format!("the values of {shown} in the model are: {listed}{more}")
}

/// A text that a model does not have: what is near to it, and what there is.
pub(super) fn missing_text(sorts: &Sorts, sort: SortId, text: &str) -> String {
    let all = texts_of_model(sorts, sort);
    match nearest(text, sorts.texts(sort).iter()) {
        Some(near) => format!("did you mean {}? {all}", quoted(near)),
        None => all,
    }
}

/// What holds of an instance only: `text (for i = 1, j = 2)`
pub(super) fn with_env(text: String, env: &Env) -> String {
    if env.is_empty() {
        return text;
    }
    let values = env.iter().map(|(name, value)| format!("{name} = {}", value.index())).collect::<Vec<_>>();
    format!("{text} (for {})", values.join(", "))
}
