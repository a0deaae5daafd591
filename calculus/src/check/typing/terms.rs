//! Terms with their sorts.

use super::super::findings::{Checked, Reported};
use super::super::instantiate::{OpenKind, OpenTerm, OpenVar};
use super::super::tree::{RelId, Term, TermKind, VarId};
use super::super::words::{missing_text, values_help, with_env};
use super::infer::{field, is_open, offered_field};
use super::{BehindDot, ExpectedSort, Typing};
use crate::diagnostic::{Diagnostic, nearest};
use crate::sort::{Sort, SortId, Sorts, Value};
use crate::span::Span;
use crate::syntax::ast::Ident;
use crate::texts::quoted;

impl Typing<'_> {
    pub fn part(&mut self, term: &OpenTerm, expected: Option<&ExpectedSort>) -> Checked<Term> {
        Ok(match &term.kind {
            OpenKind::Var(var) => self.var(*var)?,
            OpenKind::Bool(value) => Term { kind: TermKind::Const(Value::Bool(*value)), sort: Sorts::BOOL },
            OpenKind::Enum(sort, position) => {
                Term { kind: TermKind::Const(Value::Name(*position)), sort: *sort }
            }
            OpenKind::Int(value) => self.int(term, *value, expected)?,
            OpenKind::Text(text) => self.text(term, text, expected)?,
            OpenKind::Field(base, name) => {
                let base = self.term(base, None)?;
                if field(self.sorts, base.sort, &name.name).is_none()
                    && let Some((relation, sort)) =
                        offered_field(self.sorts, self.relations, base.sort, &name.name)
                {
                    // Without a model, what the place wants.
                    let sort = match expected {
                        Some(expected) if is_open(self.sorts, sort) => expected.sort,
                        None if is_open(self.sorts, sort) => Sorts::BOOL,
                        _ => sort,
                    };
                    return Ok(self.given_by(relation, base, name, sort));
                }
                let (at, sort) = self.field_of(base.sort, name)?;
                Term { kind: TermKind::Field(Box::new(base), at), sort }
            }
            OpenKind::Index(base, at) => {
                let (element, position, base) = self.element(term, base, *at, None)?;
                Term { kind: TermKind::Element(Box::new(base), position), sort: element }
            }
            OpenKind::Slice(base, from, to) => self.slice(term, base, *from, *to)?,
            OpenKind::Update(base, at, value) => {
                let vector = base.span;
                let (element, position, base) = self.element(term, base, *at, expected)?;
                let origin = Some((vector, format!("its elements have sort {}", self.sorts.show(element))));
                let value = self.term(value, Some(&ExpectedSort { sort: element, origin }))?;
                let sort = base.sort;
                Term { kind: TermKind::With(Box::new(base), vec![(position, value)]), sort }
            }
            OpenKind::With(base, fields) => {
                let base = self.term(base, expected)?;
                let sort = base.sort;
                let fields = self.fields(sort, fields)?;
                Term { kind: TermKind::With(Box::new(base), fields), sort }
            }
            OpenKind::Record(sort, fields) => self.record(term.span, *sort, fields)?,
            OpenKind::Vector(parts) => self.vector(term.span, parts, expected)?,
            OpenKind::Concat(left, right) => self.concat(left, right, expected)?,
            OpenKind::Arithmetic(..) => self.number(term, expected)?,
        })
    }

    /// The sort and the position of an element of a vector, and the vector.
    fn element(
        &mut self,
        term: &OpenTerm,
        vector: &OpenTerm,
        at: i64,
        expected: Option<&ExpectedSort>,
    ) -> Checked<(SortId, usize, Term)> {
        let base = self.term(vector, expected)?;
        let (element, lo, hi) = self.vector_of(base.sort, vector.span)?;
        if at < lo || hi < at {
            return Err(self.no_element(term, vector, &format!("the index {at}"), (lo, hi)));
        }
        Ok((element, (at - lo) as usize, base))
    }

    fn slice(
        &mut self,
        term: &OpenTerm,
        vector: &OpenTerm,
        from: Option<i64>,
        to: Option<i64>,
    ) -> Checked<Term> {
        let base = self.term(vector, None)?;
        let (element, lo, hi) = self.vector_of(base.sort, vector.span)?;
        let (from, to) = (from.unwrap_or(lo), to.unwrap_or(hi));
        if from < lo || to > hi || to < from.saturating_sub(1) {
            return Err(self.no_element(term, vector, &format!("the slice {from}..{to}"), (lo, hi)));
        }
        let sort = self.sorts.intern(Sort::Vector { element, lo: from, hi: to });
        let (first, length) = ((from - lo) as usize, (to - from + 1) as usize);
        Ok(Term { kind: TermKind::Slice(Box::new(base), first, length), sort })
    }

    fn var(&mut self, var: VarId) -> Checked<Term> {
        let declared = &self.vars[var.0 as usize];
        match declared.sort {
            Some(sort) => Ok(Term { kind: TermKind::Var(var), sort }),
            None => Err(self.findings.add(
                Diagnostic::error("fp::open_sort", format!("the sort of `{}` is not known", declared.name))
                    .label(declared.span, "nothing determines its sort")
                    .help(format!("write its sort: `{}: T`", declared.name)),
            )),
        }
    }

    fn int(&mut self, term: &OpenTerm, value: i64, expected: Option<&ExpectedSort>) -> Checked<Term> {
        let (span, env) = (term.span, &term.env);
        let Some(expected) = expected else {
            return Err(self.findings.add(
                Diagnostic::error("fp::open_sort", "the sort of this number is not known")
                    .label(span, "nothing determines its range")
                    .help("compare it with a variable, or use it as an argument"),
            ));
        };
        let shown = self.sorts.show(expected.sort);
        let mut diagnostic = match self.sorts.get(expected.sort) {
            Sort::Range { lo, hi, .. } if *lo <= value && value <= *hi => {
                return Ok(Term { kind: TermKind::Const(Value::Int(value)), sort: expected.sort });
            }
            Sort::Range { lo, hi, .. } => {
                Diagnostic::error("fp::out_of_range", format!("{value} is not in {shown}"))
                    .label(span, with_env(format!("this is {value}"), env))
                    .help(format!("its values are {lo}..{hi}"))
            }
            _ => Diagnostic::error("fp::sort_mismatch", format!("{value} is not a value of sort {shown}"))
                .label(span, with_env(format!("a number, where {shown} is needed"), env))
                .help(values_help(self.sorts, expected.sort)),
        };
        if let Some((place, text)) = &expected.origin {
            diagnostic = diagnostic.label(*place, text.clone());
        }
        Err(self.findings.add(diagnostic))
    }

    /// A text is a value of the symbol sort of its place, whether or not an input brings it.
    fn text(&mut self, term: &OpenTerm, text: &str, expected: Option<&ExpectedSort>) -> Checked<Term> {
        let Some(expected) = expected else {
            return Err(self.findings.add(
                Diagnostic::error("fp::open_sort", "the sort of this text is not known")
                    .label(term.span, "nothing determines its symbol sort")
                    .help("compare it with a variable, or use it as an argument"),
            ));
        };
        let shown = self.sorts.show(expected.sort);
        let help = match self.sorts.get(expected.sort) {
            Sort::Symbol { .. } => match self.sorts.text_value(expected.sort, text) {
                Some(value) => return Ok(Term { kind: TermKind::Const(value), sort: expected.sort }),
                None => return Err(self.missing_text(term, text, expected.sort)),
            },
            Sort::Enum { values, .. } if values.iter().any(|value| &**value == text) => {
                format!("the values of {shown} are names, without quotes: `{text}`")
            }
            _ => format!(
                "only sorts that are declared with `symbol` have texts; {}",
                values_help(self.sorts, expected.sort)
            ),
        };
        let title = format!("{} is not a value of sort {shown}", quoted(text));
        let label = with_env(format!("a text, where {shown} is needed"), &term.env);
        let mut diagnostic = Diagnostic::error("fp::sort_mismatch", title).label(term.span, label).help(help);
        if let Some((place, text)) = &expected.origin {
            diagnostic = diagnostic.label(*place, text.clone());
        }
        Err(self.findings.add(diagnostic))
    }

    /// A text that a model's sort does not have.
    fn missing_text(&mut self, term: &OpenTerm, text: &str, sort: SortId) -> Reported {
        let title = format!("the model has no {} {}", self.sorts.show(sort), quoted(text));
        let help = missing_text(self.sorts, sort, text);
        let diagnostic = Diagnostic::error("fp::unknown_name", title).label(term.span, "not in the model");
        self.findings.add(diagnostic.help(help))
    }

    /// What a relation of the model gives a value: a new variable, which the formula around the term binds.
    fn given_by(&mut self, relation: RelId, owner: Term, name: &Ident, sort: SortId) -> Term {
        let var = VarId((self.vars.len() + self.added.len()) as u32);
        let origin = Some(name.span);
        self.added.push(OpenVar { name: name.name.clone(), span: name.span, sort: Some(sort), origin });
        self.behind_dots.push(BehindDot { var, relation, owner, span: name.span });
        Term { kind: TermKind::Var(var), sort }
    }

    pub fn field_of(&mut self, record: SortId, name: &Ident) -> Checked<(usize, SortId)> {
        if let Some(found) = field(self.sorts, record, &name.name) {
            return Ok(found);
        }
        let shown = self.sorts.show(record);
        let offered = self.model.map_or_else(Vec::new, |model| model.show.names_behind(&shown));
        if !offered.is_empty() {
            let near = nearest(&name.name, offered.iter().map(String::as_str));
            let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
            let has = offered.join(", ");
            let title = format!("a value of sort {shown} has no `{}` in this model", name.name);
            let diagnostic =
                Diagnostic::error("fp::unknown_name", title).label(name.span, "no such field or variable");
            return Err(self.findings.add(diagnostic.help(format!("{near}it has: {has}"))));
        }
        let Sort::Record { fields, .. } = self.sorts.get(record) else {
            return Err(self.findings.add(
                Diagnostic::error("fp::not_a_record", format!("values of sort {shown} have no fields"))
                    .label(name.span, format!("there is no `{}` in {shown}", name.name))
                    .help(match self.sorts.get(record) {
                        Sort::Vector { .. } => "its elements may have fields: `v[i].f`",
                        _ => "only records have fields",
                    }),
            ));
        };
        let help = match nearest(&name.name, fields.iter().map(|(field, _)| &**field)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let fields = fields.iter().map(|(field, _)| field.to_string()).collect::<Vec<_>>();
                format!("its fields are: {}", fields.join(", "))
            }
        };
        Err(self.findings.add(
            Diagnostic::error("fp::unknown_name", format!("the record {shown} has no field `{}`", name.name))
                .label(name.span, "no such field")
                .help(help),
        ))
    }

    pub fn vector_of(&mut self, sort: SortId, span: Span) -> Checked<(SortId, i64, i64)> {
        if let Sort::Vector { element, lo, hi } = self.sorts.get(sort) {
            return Ok((*element, *lo, *hi));
        }
        let shown = self.sorts.show(sort);
        Err(self.findings.add(
            Diagnostic::error("fp::not_a_vector", format!("a value of sort {shown} is not a vector"))
                .label(span, format!("this has sort {shown}"))
                .help("only vectors have indices, slices and `++`; `[x]` is a vector of one element"),
        ))
    }

    /// An index or a slice outside a vector: the use, and the vector it is used on.
    fn no_element(&mut self, term: &OpenTerm, base: &OpenTerm, what: &str, (lo, hi): (i64, i64)) -> Reported {
        let (place, vector) = match &base.kind {
            OpenKind::Var(var) => {
                let declared = &self.vars[var.0 as usize];
                (declared.span, format!("`{}`", declared.name))
            }
            _ => (base.span, "this".to_string()),
        };
        self.findings.add(
            Diagnostic::error("fp::index_range", format!("{what} is not inside {lo}..{hi}"))
                .label(term.span, with_env(what.to_string(), &term.env))
                .label(place, format!("{vector} has the indices {lo}..{hi}"))
                .help(if term.env.is_empty() {
                    "a vector has the indices of its sort, both ends included"
                } else {
                    "exclude this case with a static condition before it, such as `i > 1 & …`"
                }),
        )
    }
}
