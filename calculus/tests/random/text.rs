//! Drafts as text, with as few parentheses as the precedences allow or with all of them.

use super::draft::{Declared, Definition, Draft, Formula, Index, Item, Sort, SortItem, Term};
use std::fmt::Write;

impl Draft {
    pub fn text(&self) -> String {
        self.write(false)
    }

    /// The same file with every operand in parentheses.
    pub fn parenthesized(&self) -> String {
        self.write(true)
    }

    fn write(&self, all: bool) -> String {
        let writer = Writer { all };
        let mut out = String::new();
        for sort in &self.sorts {
            let (name, keyed) = (&sort.name, if sort.keyed { "keyed " } else { "" });
            let line = match &sort.declared {
                Declared::Enum(values) => format!("{keyed}enum {name} {{ {} }}", values.join(", ")),
                Declared::Range(lo, hi) => format!("{keyed}range {name} = {lo}..{hi};"),
                Declared::Symbol => format!("{keyed}symbol {name};"),
                Declared::Record(fields) => format!("record {name} {{ {} }}", columns(fields)),
            };
            writeln!(out, "{line}").unwrap();
        }
        for item in &self.items {
            writeln!(out, "{}", writer.item(item)).unwrap();
        }
        for SortItem { name, .. } in &self.sorts {
            let alias = alias(name);
            if out.contains(&alias) {
                writeln!(out, "sort {alias} = {name};").unwrap();
            }
        }
        out
    }
}

fn index(index: &Index) -> String {
    match (&index.var, index.plus) {
        (None, number) => number.to_string(),
        (Some(var), 0) => var.clone(),
        (Some(var), plus) if plus > 0 => format!("{var}+{plus}"),
        (Some(var), minus) => format!("{var}-{}", -minus),
    }
}

pub fn sort(sort_: &Sort) -> String {
    match sort_ {
        Sort::Bool => "bool".into(),
        Sort::Named(name) => name.clone(),
        Sort::Range(lo, hi) => format!("{lo}..{hi}"),
        Sort::Vector(element, lo, hi) => match **element {
            Sort::Range(..) => format!("({})[{}..{}]", sort(element), index(lo), index(hi)),
            _ => format!("{}[{}..{}]", sort(element), index(lo), index(hi)),
        },
    }
}

/// Another name for a declared sort, which every third column uses.
fn alias(name: &str) -> String {
    format!("Alias{name}")
}

fn columns(columns: &[(String, Sort)]) -> String {
    let column = |(at, (name, of)): (usize, &(String, Sort))| match of {
        Sort::Named(of) if at % 3 == 1 => format!("{name}: {}", alias(of)),
        _ => format!("{name}: {}", sort(of)),
    };
    columns.iter().enumerate().map(column).collect::<Vec<_>>().join(", ")
}

/// How tightly the place of a formula binds.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Place {
    Free,
    Iff,
    /// Left of `->`.
    Implies,
    Or,
    And,
    Tight,
}

struct Writer {
    all: bool,
}

impl Writer {
    fn item(&self, item: &Item) -> String {
        match item {
            Item::Facts { name, columns: of, rows } => {
                let rows = rows.iter().map(|row| match row.as_slice() {
                    [single] if !self.all => single.clone(),
                    row => format!("({})", row.join(", ")),
                });
                format!("rel {name}({}) = {{ {} }};", columns(of), rows.collect::<Vec<_>>().join(", "))
            }
            Item::Input { name, columns: of } => format!("input {name}({});", columns(of)),
            Item::Definition(definition) => self.definition(definition),
            Item::Verdict { kind, condition: None } => format!("verdict {kind};"),
            Item::Verdict { kind, condition: Some(condition) } => {
                format!("verdict {kind} \"because\" if {};", self.formula(condition, Place::Free, true))
            }
            Item::Hint { keyed, sort } => {
                format!("hint {} {sort};", if *keyed { "keyed" } else { "symbolic" })
            }
        }
    }

    fn definition(&self, definition: &Definition) -> String {
        let mut out = format!("{} {}", definition.kind, definition.name);
        if let Some((name, lo, hi)) = &definition.index {
            write!(out, "[{name} in {lo}..{hi}]").unwrap();
        }
        if !definition.columns.is_empty() {
            write!(out, "({})", columns(&definition.columns)).unwrap();
        }
        out.push_str(" =");
        for (at, (label, body)) in definition.clauses.iter().enumerate() {
            let next = definition.clauses.get(at + 1);
            out.push_str(if at == 0 { "\n    " } else { "\n  | " });
            if let Some(label) = label {
                write!(out, "{label}: ").unwrap();
            }
            // A label ends the clause before it; without one, an open scope would go on.
            let last = next.is_none_or(|(label, _)| label.is_some());
            let place = if definition.clauses.len() == 1 { Place::Free } else { Place::And };
            out.push_str(&self.formula(body, place, last));
        }
        out + ";"
    }

    /// `last`: nothing follows that the scope of a quantifier would take in.
    fn formula(&self, formula: &Formula, place: Place, last: bool) -> String {
        let (needs, text) = match formula {
            Formula::Const(value) => return value.to_string(),
            Formula::Static(left, op, right) => {
                (Place::Tight, format!("{} {op} {}", index(left), index(right)))
            }
            Formula::Holds(held) => return term(held, true),
            Formula::Compare(op, left, right) => {
                (Place::Tight, format!("{} {op} {}", term(left, false), term(right, false)))
            }
            Formula::Atom(name, at, args) => {
                let at = at.as_ref().map_or(String::new(), |at| format!("[{}]", index(at)));
                let args = args.iter().map(|arg| term(arg, false)).collect::<Vec<_>>();
                return if args.is_empty() && at.is_empty() {
                    name.clone()
                } else {
                    format!("{name}{at}({})", args.join(", "))
                };
            }
            Formula::Not(inner) => {
                return match **inner {
                    Formula::Atom(..) | Formula::Not(_) => {
                        format!("!{}", self.formula(inner, Place::Free, true))
                    }
                    _ => format!("!({})", self.formula(inner, Place::Free, true)),
                };
            }
            // Inside parentheses of its own a formula is last again; decided below.
            _ => {
                let bare = self.all || place > level(formula) || (open(formula) && !last);
                let text = self.compound(formula, last || bare);
                return if bare { format!("({text})") } else { text };
            }
        };
        if self.all && place != Place::Free || place > needs { format!("({text})") } else { text }
    }

    fn compound(&self, formula: &Formula, last: bool) -> String {
        match formula {
            Formula::And(parts) => self.chain(parts, " & ", Place::Tight, last),
            Formula::Or(parts) => self.chain(parts, " | ", Place::And, last),
            Formula::Implies(left, right) => format!(
                "{} -> {}",
                self.formula(left, Place::Or, false),
                self.formula(right, Place::Implies, last)
            ),
            Formula::Iff(left, right) => format!(
                "{} <-> {}",
                self.formula(left, Place::Implies, false),
                self.formula(right, Place::Implies, last)
            ),
            Formula::Quantified(all, bound, inner) => {
                let bound = bound.iter().map(|(name, of)| match of {
                    Some(of) => format!("{name}: {}", sort(of)),
                    None => name.clone(),
                });
                let word = if *all { "forall" } else { "exists" };
                let bound = bound.collect::<Vec<_>>().join(", ");
                format!("{word} {bound}. {}", self.formula(inner, Place::Free, true))
            }
            Formula::Unrolled(each, name, lo, hi, inner) => {
                let word = if *each { "each" } else { "some" };
                let inner = self.formula(inner, Place::Free, true);
                format!("{word} {name} in {}..{}: {inner}", index(lo), index(hi))
            }
            _ => unreachable!("written by its caller"),
        }
    }

    fn chain(&self, parts: &[Formula], sign: &str, place: Place, last: bool) -> String {
        let parts = parts.iter().enumerate().map(|(at, part)| {
            let last = last && at + 1 == parts.len();
            self.formula(part, place, last)
        });
        parts.collect::<Vec<_>>().join(sign)
    }
}

/// The loosest place where a compound formula stands without parentheses.
fn level(formula: &Formula) -> Place {
    match formula {
        Formula::Iff(..) => Place::Iff,
        Formula::Implies(..) => Place::Implies,
        Formula::Or(_) => Place::Or,
        Formula::And(_) => Place::And,
        // They take in all that follows, and may themselves follow any operator.
        _ => Place::Tight,
    }
}

/// Whether a formula's scope goes on to the right.
fn open(formula: &Formula) -> bool {
    matches!(formula, Formula::Quantified(..) | Formula::Unrolled(..))
}

/// `tight`: the term is an operand of a postfix, or a formula by itself.
fn term(of: &Term, tight: bool) -> String {
    let list = |terms: &[Term]| terms.iter().map(|part| term(part, false)).collect::<Vec<_>>().join(", ");
    let settings = |fields: &[(String, Term)]| {
        let fields = fields.iter().map(|(name, value)| format!("{name} = {}", term(value, false)));
        fields.collect::<Vec<_>>().join(", ")
    };
    match of {
        Term::Var(name) => name.clone(),
        Term::Const(text) => text.clone(),
        Term::Static(number) if tight => format!("({})", index(number)),
        Term::Static(number) => index(number),
        Term::Field(base, field) => format!("{}.{field}", term(base, true)),
        Term::Element(base, at) => format!("{}[{}]", term(base, true), index(at)),
        Term::Slice(base, lo, hi) => {
            let end = |end: &Option<Index>| end.as_ref().map_or(String::new(), index);
            format!("{}[{}..{}]", term(base, true), end(lo), end(hi))
        }
        Term::Concat(left, right) => {
            let text = format!("{} ++ {}", term(left, false), term(right, true));
            if tight { format!("({text})") } else { text }
        }
        Term::Update(base, at, value) => {
            format!("{}[{} := {}]", term(base, true), index(at), term(value, false))
        }
        Term::With(base, fields) => format!("{{ {} with {} }}", term(base, false), settings(fields)),
        Term::Record(name, fields) => format!("{name} {{ {} }}", settings(fields)),
        Term::Vector(parts) => format!("[{}]", list(parts)),
        Term::Arithmetic(op @ ("min" | "max"), left, right) => {
            format!("{op}({}, {})", term(left, false), term(right, false))
        }
        Term::Arithmetic(op, left, right) => {
            let text = format!("{} {op} {}", term(left, true), term(right, true));
            if tight { format!("({text})") } else { text }
        }
    }
}
