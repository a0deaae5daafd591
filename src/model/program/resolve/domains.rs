//! Ranges and enumerations of a file: what is declared, and the names of enumerations, which are constants everywhere.
//!
//! Enumerations with the same names in the same order are one, wherever they stand. A name belongs to one enumeration,
//! and is no variable.

use std::collections::HashMap;
use std::sync::Arc;

use super::program::*;
use super::scope::{Declared, check_name, twice};
use crate::model::program::ast::{self, Declaration, DomainForm, FirstValue, Name};
use calculus::diagnostic::Diagnostic;

/// A range has at most so many values: runs are also executed value by value.
const MOST_VALUES: u64 = 1 << 16;

/// The enumerations of a file.
pub struct Domains<'a> {
    /// Each name with its enumeration, its number there, and where it stands first.
    names: HashMap<&'a str, EnumeratedName<'a>>,
}

pub struct EnumeratedName<'a> {
    pub domain: Domain,
    pub number: i64,
    pub first: &'a Name,
}

impl<'a> Domains<'a> {
    /// Reports what is wrong with the ranges, enumerations and first values of a file.
    pub fn new(file: &'a ast::File, problems: &mut Vec<Diagnostic>) -> Domains<'a> {
        let mut domains = Domains { names: HashMap::new() };
        let results = file.procedures.iter().flat_map(|procedure| procedure.results.iter().flatten());
        let written = declarations(file).filter_map(|declared| declared.domain.as_ref()).chain(results);
        let mut written = written.collect::<Vec<_>>();
        written.sort_by_key(|domain| domain.span.start);
        // Several names can be declared with one domain.
        written.dedup_by_key(|domain| domain.span.start);
        for domain in written {
            match &domain.form {
                DomainForm::Range { low, high, .. } => check_range(*low, *high, domain, problems),
                DomainForm::Names(names) => domains.enumeration(names, domain, problems),
            }
        }
        for declared in declarations(file) {
            domains.refuse_clash(&declared.name, problems);
            domains.check_first_value(declared, problems);
        }
        domains
    }

    fn enumeration(&mut self, names: &'a [Name], written: &ast::Domain, problems: &mut Vec<Diagnostic>) {
        let domain = self.domain(Some(written));
        let mut seen: HashMap<&str, &Name> = HashMap::new();
        for (number, name) in (0..).zip(names) {
            check_name(name, problems);
            if let Some(first) = seen.insert(&name.text, name) {
                problems.push(twice("name", first, name));
            } else if let Some(other) = self.names.get(name.text.as_str()) {
                if other.domain != domain {
                    let title = format!("`{}` is a name of two enumerations", name.text);
                    problems.push(
                        Diagnostic::error("bp::name_clash", title)
                            .label(other.first.span, format!("one of {}", other.domain))
                            .label(name.span, format!("one of {domain}"))
                            .help("rename one of them; enumerations with the same names in the same order are one"),
                    );
                }
            } else {
                let domain = domain.clone();
                self.names.insert(&name.text, EnumeratedName { domain, number, first: name });
            }
        }
    }

    fn refuse_clash(&self, variable: &Name, problems: &mut Vec<Diagnostic>) {
        if let Some(name) = self.names.get(variable.text.as_str()) {
            let title = format!("`{}` is a variable and a name of an enumeration", variable.text);
            problems.push(
                Diagnostic::error("bp::name_clash", title)
                    .label(variable.span, "the variable")
                    .label(name.first.span, format!("one of {}, a constant in the whole file", name.domain))
                    .help("rename one of them"),
            );
        }
    }

    fn check_first_value(&self, declared: &Declaration, problems: &mut Vec<Diagnostic>) {
        let (Some(first), domain) = (&declared.initial, self.domain(declared.domain.as_ref())) else {
            return;
        };
        if self.first_value(&domain, first).is_some() {
            return;
        }
        let name = &declared.name.text;
        problems.push(match (&domain, first.text.parse::<i64>()) {
            (Domain::Bool, _) => no_constant(&first.text, first.span),
            (Domain::Range { .. }, Ok(value)) => {
                outside(value.into(), first.span, name, &declared.name, &domain)
            }
            _ => {
                let title = format!("`{}` is no value of `{name}`", first.text);
                Diagnostic::error("bp::type", title)
                    .label(first.span, "the first value")
                    .label(declared.name.span, format!("`{name}` is {}", domain.words()))
            }
        });
    }

    fn first_value(&self, domain: &Domain, first: &FirstValue) -> Option<i64> {
        match (domain, first.text.as_str()) {
            (Domain::Bool, "0" | "F") => Some(0),
            (Domain::Bool, "1" | "T") => Some(1),
            (Domain::Bool, _) => None,
            (Domain::Range { .. }, text) => domain.stored(text.parse().ok()?),
            (Domain::Names(names), text) => names.iter().position(|name| name == text).map(|at| at as i64),
        }
    }

    /// A name of an enumeration.
    pub fn name(&self, text: &str) -> Option<&EnumeratedName<'a>> {
        self.names.get(text)
    }

    pub fn all_names(&self) -> impl Iterator<Item = &'a str> {
        self.names.keys().copied()
    }

    pub fn domain(&self, written: Option<&ast::Domain>) -> Domain {
        match written.map(|domain| &domain.form) {
            None => Domain::Bool,
            // What was refused is small, so that the rest can be checked.
            Some(DomainForm::Range { low, high, wraps }) => {
                Domain::Range { low: *low, high: (*high).max(*low), wraps: *wraps }
            }
            Some(DomainForm::Names(names)) => {
                Domain::Names(names.iter().map(|name| name.text.clone()).collect::<Arc<[String]>>())
            }
        }
    }

    pub fn declared<'d>(
        &self,
        declarations: impl IntoIterator<Item = &'d Declaration>,
    ) -> impl Iterator<Item = Declared<'d>> {
        let declared = |declared: &'d Declaration| Declared {
            name: &declared.name,
            domain: self.domain(declared.domain.as_ref()),
        };
        declarations.into_iter().map(declared)
    }

    pub fn variable(&self, declaration: &Declaration) -> Variable {
        let domain = self.domain(declaration.domain.as_ref());
        let initial = declaration.initial.as_ref().and_then(|first| self.first_value(&domain, first));
        let Name { text, span } = &declaration.name;
        Variable { name: text.clone(), span: *span, domain, initial }
    }
}

/// All variables of a file.
fn declarations(file: &ast::File) -> impl Iterator<Item = &Declaration> {
    let own = file.threads.iter().flat_map(|thread| &thread.own);
    let locals = file.procedures.iter().flat_map(|p| p.parameters.iter().chain(&p.locals));
    file.shared.iter().chain(own).chain(locals)
}

fn check_range(low: i64, high: i64, written: &ast::Domain, problems: &mut Vec<Diagnostic>) {
    if low > high {
        problems.push(
            Diagnostic::error("bp::range", format!("the range {low}..{high} has no values"))
                .label(written.span, "its first number is the larger one")
                .help(format!("write the smaller number first: `{high}..{low}`")),
        );
    } else if high.abs_diff(low) >= MOST_VALUES {
        problems.push(
            Diagnostic::error("bp::range", format!("the range {low}..{high} has too many values"))
                .label(written.span, format!("at most {MOST_VALUES}"))
                .help("a few values mostly show what many would: a smaller range, or `mod`"),
        );
    }
}

/// A constant that a variable cannot have.
pub fn outside(
    value: i128,
    span: calculus::span::Span,
    name: &str,
    declared: &Name,
    domain: &Domain,
) -> Diagnostic {
    Diagnostic::error("bp::outside_range", format!("{value} is outside the range of `{name}`"))
        .label(span, format!("the number {value}"))
        .label(declared.span, format!("`{name}` is {}", domain.words()))
        .help(format!("make the range larger; with `{domain} mod` numbers outside of it would wrap around"))
}

/// What stands where a truth value is needed and is none.
pub fn no_constant(text: &str, span: calculus::span::Span) -> Diagnostic {
    Diagnostic::error("bp::constant", format!("`{text}` is not a constant"))
        .label(span, "neither 0, 1, F nor T")
        .help("a variable without a type is Boolean: 0 and F are false, 1 and T are true, * is either; numbers need a range, `decl n: 0..3;`")
}
