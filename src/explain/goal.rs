//! Reads what is to be explained: `R(t, …)` or `!R(t, …)`, with values as they are printed and `_` for any value.

use calculus::check::tree::{RelId, System};
use calculus::diagnostic::{Diagnostic, nearest};
use calculus::show;
use calculus::solve::Pattern;
use calculus::sort::{Sort, SortId, Value, Width};
use calculus::texts::{self, split_outside};

/// What is to be explained.
#[derive(Clone, Debug)]
pub struct Question {
    /// As it was asked, without `!`.
    pub text: String,
    /// Why it is not there.
    pub negated: bool,
    pub relation: RelId,
    /// For each scalar column.
    pub pattern: Vec<Pattern>,
}

/// Reads what a strategy is for: a relation, or its tuples like one, as in a question.
pub fn parse_strategy(system: &System, text: &str) -> Result<Question, Diagnostic> {
    let whole = system.relations.iter().find(|relation| squeezed(&relation.title()) == squeezed(text));
    let asked = match whole.filter(|relation| !relation.columns.is_empty()) {
        Some(relation) => format!("{}({})", relation.title(), vec!["_"; relation.columns.len()].join(", ")),
        None => text.to_string(),
    };
    let question = parse(system, &asked).map_err(|mut mistake| {
        mistake.title = mistake.title.replacen("--explain", "--strategy-of", 1);
        mistake
    })?;
    if question.negated {
        let title = "--strategy-of: a strategy is for tuples that are there";
        return Err(Diagnostic::error("fp::explain", title).help("leave out the `!`"));
    }
    Ok(Question { text: text.trim().to_string(), ..question })
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Reads a question about a system.
pub fn parse(system: &System, text: &str) -> Result<Question, Diagnostic> {
    let (negated, rest) = match text.trim().strip_prefix('!') {
        Some(rest) => (true, rest.trim()),
        None => (false, text.trim()),
    };
    let (title, columns) = match rest.split_once('(') {
        Some((title, columns)) => {
            let columns =
                columns.trim().strip_suffix(')').ok_or_else(|| mistake("the last `)` is missing"))?;
            (title.trim(), parts(columns))
        }
        None => (rest, Vec::new()),
    };
    let found = system.relations.iter().position(|relation| squeezed(&relation.title()) == squeezed(title));
    let Some(at) = found else {
        let titles = system.relations.iter().map(|relation| relation.title()).collect::<Vec<_>>();
        if title.is_empty() {
            return Err(mistake("no relation is named").help("write `R(1, _)`, or `!R(1, 2)`"));
        }
        let near = nearest(title, titles.iter().map(String::as_str));
        let family = titles.iter().find(|known| known.starts_with(&format!("{title}[")));
        let help = match near.or(family.map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                format!("relations are {}", titles.iter().take(8).cloned().collect::<Vec<_>>().join(", "))
            }
        };
        return Err(mistake(&format!("there is no relation `{title}`")).help(help));
    };
    let relation = &system.relations[at];
    if columns.len() != relation.columns.len() {
        let wanted =
            relation.columns.iter().map(|column| column.name.to_string()).collect::<Vec<_>>().join(", ");
        return Err(mistake(&format!(
            "`{title}` has {} {}, not {}",
            relation.columns.len(),
            if relation.columns.len() == 1 { "column" } else { "columns" },
            columns.len()
        ))
        .help(format!("write `{title}({wanted})` with values, or with `_` for any value")));
    }
    let mut pattern = Vec::new();
    for (column, text) in relation.columns.iter().zip(columns) {
        let read = value(system, column.sort, text.trim()).ok_or_else(|| {
            mistake(&format!(
                "`{}` is not a value of `{}`, whose sort is {}",
                text.trim(),
                column.name,
                system.sorts.show(column.sort)
            ))
            .help("write values as they are printed; `_` stands for any value")
        })?;
        pattern.extend(read);
    }
    Ok(Question { text: rest.to_string(), negated, relation: RelId(at as u32), pattern })
}

fn mistake(title: &str) -> Diagnostic {
    Diagnostic::error("fp::explain", format!("--explain: {title}"))
}

/// What stands between commas outside of brackets and quotes.
fn parts(text: &str) -> Vec<&str> {
    split_outside(text, ',')
}

/// The patterns of a value's scalar leaves.
fn value(system: &System, sort: SortId, text: &str) -> Option<Vec<Pattern>> {
    let sorts = &system.sorts;
    if text == "_" {
        return Some(vec![Pattern::Any; sorts.leaf_count(sort)]);
    }
    let one = |value: Value| Some(vec![Pattern::Is(value)]);
    match sorts.get(sort) {
        Sort::Bool => match text {
            "true" | "1" => one(Value::Bool(true)),
            "false" | "0" => one(Value::Bool(false)),
            _ => None,
        },
        Sort::Range { lo, hi, .. } => text
            .parse()
            .ok()
            .filter(|value| lo <= value && value <= hi)
            .and_then(|value| one(Value::Int(value))),
        Sort::Enum { values, .. } => {
            let position = values.iter().position(|value| &**value == text)?;
            one(Value::Name(position as u64))
        }
        Sort::Symbol { .. } => one(Value::Name(sorts.texts(sort).number(&texts::meant(text)?)?)),
        Sort::Vector { element, lo, hi } => {
            let inner = text.strip_prefix('[')?.strip_suffix(']')?;
            let elements = parts(inner);
            (elements.len() as i64 == hi - lo + 1).then_some(())?;
            let read = elements.into_iter().map(|part| value(system, *element, part.trim()));
            Some(read.collect::<Option<Vec<_>>>()?.concat())
        }
        Sort::Record { fields, .. } => match text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            Some(inner) => {
                let given = parts(inner).into_iter().map(|part| part.split_once('='));
                let given = given.collect::<Option<Vec<_>>>()?;
                let read = fields.iter().map(|(name, sort)| {
                    let part = given.iter().find(|(field, _)| field.trim() == &**name);
                    value(system, *sort, part.map_or("_", |(_, part)| part.trim()))
                });
                Some(read.collect::<Option<Vec<_>>>()?.concat())
            }
            None => in_words(system, sort, text),
        },
        Sort::Opaque { .. } => in_words(system, sort, text),
    }
}

/// A value of the model in the model's words: `driver:14 mine=1`. The words `name=0` and `name=1` are bits, and those
/// that are not there may be anything; the other words are the number of a place.
fn in_words(system: &System, sort: SortId, text: &str) -> Option<Vec<Pattern>> {
    let leaves = system.sorts.leaves(sort);
    let (bits, place): (Vec<&str>, Vec<&str>) = text.split_whitespace().partition(|word| word.contains('='));
    let place = place.join(" ");
    let zero = |leaf: &SortId| match system.sorts.get(*leaf) {
        Sort::Opaque { width: Width::Bits(width), .. } => Value::Bits(vec![false; *width as usize]),
        Sort::Bool => Value::Bool(false),
        Sort::Range { lo, .. } => Value::Int(*lo),
        _ => Value::Name(0),
    };
    let mut values = leaves.iter().map(zero).collect::<Vec<_>>();
    let shown = |values: &[Value]| {
        let whole = system.sorts.assemble(sort, &mut values.iter().cloned());
        show::value(&system.sorts, system.vocabulary.as_ref(), sort, &whole)
    };
    let words = |text: &str| -> Vec<String> {
        text.split_whitespace().filter(|word| word.contains('=')).map(String::from).collect()
    };
    let named = |text: &str| -> String {
        let words = text.split_whitespace().filter(|word| !word.contains('=') && *word != "-");
        words.collect::<Vec<_>>().join(" ")
    };
    let mut pattern = vec![Pattern::Any; leaves.len()];
    let numbered = leaves
        .iter()
        .position(|leaf| matches!(system.sorts.get(*leaf), Sort::Opaque { width: Width::Values(_), .. }));
    // Where there is no place, `-` says that there are no variables either.
    let place = if place == "-" && numbered.is_none() { String::new() } else { place };
    match numbered {
        Some(at) if !place.is_empty() => {
            let size = system.sorts.scalar_size(leaves[at])?;
            let number = (0..size).find(|number| {
                values[at] = Value::Name(*number);
                let shown = shown(&values);
                shown == place || named(&shown) == place
            })?;
            pattern[at] = Pattern::Is(Value::Name(number));
        }
        _ if !place.is_empty() => return None,
        _ => {}
    }
    let mut unread = bits;
    let base = words(&shown(&values));
    for at in 0..leaves.len() {
        let Value::Bits(all) = values[at].clone() else { continue };
        let mut wanted = vec![None; all.len()];
        for bit in 0..all.len() {
            let mut one = all.clone();
            one[bit] = true;
            values[at] = Value::Bits(one);
            let shown = words(&shown(&values));
            let Some(word) = shown.iter().zip(&base).find(|(with, without)| with != without) else {
                continue;
            };
            let name = word.0.split('=').next().unwrap_or_default();
            if let Some(position) = unread.iter().position(|word| word.split('=').next() == Some(name)) {
                wanted[bit] = Some(unread.remove(position).ends_with("=1"));
            }
        }
        values[at] = Value::Bits(all);
        if wanted.iter().any(Option::is_some) {
            pattern[at] = Pattern::Bits(wanted);
        }
    }
    unread.is_empty().then_some(pattern)
}
