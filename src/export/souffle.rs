//! Datalog with stratified negation, as Soufflé reads it. A column of texts is a symbol, and every other one a number: 0
//! and 1 for Booleans and bits, positions for names. Soufflé lists all tuples, so the sorts must be small.
//!
//! Relations begin with a small letter and variables with a capital one: without its declarations, with `not ` for `!` and `\`
//! for `%`, the text is a program for clingo as well.

use super::clauses::{Clauses, Condition, decided};
use super::complement::number;
use super::names::{ColumnShape, Variables, Written, predicates, shape};
use crate::run::CheckedFile;
use calculus::check::number::{Arithmetic, Bounds, Number};
use calculus::check::tree::Comparison;
use calculus::diagnostic::Diagnostic;
use calculus::elaborate::core::{Arg, Operand, Summand};
use calculus::sort::{Sort, SortId, Sorts, Value};
use calculus::texts::quoted;
use std::collections::BTreeSet;

/// How many values a scalar sort may have.
const SMALL: u64 = 4096;
/// Where its values must lie: Soufflé counts in 32 bits and tells no overflow, so sums must stay far from their ends.
const FAR: i64 = 1 << 30;
/// How many clauses one clause may become where its conditions have alternatives.
const ALTERNATIVES: usize = 4096;

const RESERVED: [&str; 22] = [
    "number", "symbol", "unsigned", "float", "count", "sum", "min", "max", "mean", "range", "true", "false",
    "nil", "as", "cat", "ord", "strlen", "substr", "contains", "match", "not", "autoinc",
];

pub fn text(
    checked: &CheckedFile,
    file: &str,
    clauses: &Clauses,
    roots: &[(String, usize)],
) -> Result<String, Diagnostic> {
    let sorts = &checked.system.sorts;
    let columns = clauses.predicates.iter().flat_map(|predicate| &predicate.columns);
    let used = columns.chain(clauses.clauses.iter().flat_map(|clause| &clause.vars));
    let used = used.copied().collect::<BTreeSet<_>>();
    used.iter().try_for_each(|sort| small(sorts, *sort))?;
    let domains = used.iter().map(|sort| Domain::of(sorts, *sort)).collect::<BTreeSet<_>>();
    let domain_names = domains.iter().map(|domain| domain.name(sorts)).collect::<Vec<_>>();
    let reserved = RESERVED.into_iter().chain(domain_names.iter().map(String::as_str)).collect::<Vec<_>>();
    let names = predicates(clauses, small_letter, &reserved);
    let mut out = format!("// {file}\n");
    for (name, value) in &checked.system.params {
        out += &format!("// {name} = {value}\n");
    }
    out += "\n";
    for (name, predicate) in names.iter().zip(&clauses.predicates) {
        let kinds = predicate.columns.iter().flat_map(|sort| match shape(sorts, *sort) {
            ColumnShape::Bits(bits) => vec!["number"; usize::from(bits)],
            ColumnShape::Bool | ColumnShape::Number(..) => vec![Domain::of(sorts, *sort).kind()],
        });
        let columns = kinds.enumerate().map(|(at, kind)| format!("c{at}: {kind}")).collect::<Vec<_>>();
        let comment =
            if *name == predicate.title { String::new() } else { format!(" // {}", predicate.title) };
        out += &format!(".decl {name}({}){comment}\n", columns.join(", "));
    }
    for (domain, name) in domains.iter().zip(&domain_names) {
        out += &format!(".decl {name}(value: {})\n", domain.kind());
        let facts = domain.values(sorts).into_iter().map(|value| format!("{name}({value})."));
        out += &facts.collect::<Vec<_>>().join(" ");
        out += "\n";
    }
    out += "\n";
    for (_, root) in roots {
        out += &format!(".output {}\n", names[*root]);
    }
    out += "\n";
    for clause in &clauses.clauses {
        out += &SouffleWriter { of: Written { sorts, names: &names, clauses, clause } }.clause()?;
    }
    Ok(out)
}

fn small(sorts: &Sorts, sort: SortId) -> Result<(), Diagnostic> {
    // Its texts stand in the rows of the file as well.
    if let Sort::Symbol { .. } = sorts.get(sort) {
        return Ok(());
    }
    let values = match sorts.scalar_size(sort) {
        Some(size) => (size <= SMALL).then_some(()).ok_or(size.to_string()),
        None => (sorts.bits(sort) <= SMALL.ilog2()).then_some(()).ok_or(format!("2^{}", sorts.bits(sort))),
    };
    values.map_err(|values| {
        let title = format!("`{}` has {values} values, and Datalog lists them", sorts.show(sort));
        Diagnostic::error("fp::not_exportable", title)
            .help(format!("at most {SMALL} are exported; `--to smt2` has no such limit"))
    })?;
    let (lo, hi) = bounds(shape(sorts, sort));
    if lo < -FAR || hi > FAR {
        let title = format!("`{}` has numbers beyond 32 bits, and Soufflé has no others", sorts.show(sort));
        return Err(Diagnostic::error("fp::not_exportable", title)
            .help("numbers from -2^30 to 2^30 are exported; `--to smt2` has no such limit"));
    }
    Ok(())
}

fn small_letter(name: String) -> String {
    let mut letters = name.chars();
    match letters.next() {
        Some(first) if first.is_ascii_alphabetic() => {
            first.to_ascii_lowercase().to_string() + letters.as_str()
        }
        _ => format!("r{name}"),
    }
}

fn bounds(shape: ColumnShape) -> (i64, i64) {
    match shape {
        ColumnShape::Bool | ColumnShape::Bits(_) => (0, 1),
        ColumnShape::Number(lo, hi) => (lo, hi),
    }
}

/// The values that a column may have, as a relation: it binds what no atom binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Domain {
    Numbers(i64, i64),
    Texts(SortId),
}

impl Domain {
    fn of(sorts: &Sorts, sort: SortId) -> Domain {
        match sorts.get(sort) {
            Sort::Symbol { .. } => Domain::Texts(sort),
            _ => {
                let (lo, hi) = bounds(shape(sorts, sort));
                Domain::Numbers(lo, hi)
            }
        }
    }

    fn name(self, sorts: &Sorts) -> String {
        match self {
            Domain::Numbers(lo, hi) => format!("from_{lo}_to_{hi}").replace('-', "minus_"),
            Domain::Texts(sort) => format!("texts_of_{}", sorts.show(sort)).replace('\'', "_prime"),
        }
    }

    /// As Soufflé calls it.
    fn kind(self) -> &'static str {
        match self {
            Domain::Numbers(..) => "number",
            Domain::Texts(_) => "symbol",
        }
    }

    fn values(self, sorts: &Sorts) -> Vec<String> {
        match self {
            Domain::Numbers(lo, hi) => (lo..=hi).map(|value| value.to_string()).collect(),
            Domain::Texts(sort) => sorts.texts(sort).iter().map(quoted).collect(),
        }
    }
}

/// A disjunction of conjunctions.
type Alternatives = Vec<Vec<String>>;

/// The conditions of a case, and the terms of some operands then.
type OperandCase<const N: usize> = (Vec<String>, [Vec<String>; N]);

struct SouffleWriter<'a> {
    of: Written<'a>,
}

impl SouffleWriter<'_> {
    fn clause(&self) -> Result<String, Diagnostic> {
        let clause = self.of.clause;
        let variables = Variables::new(self.of.sorts, clause, 'X');
        let atom = |predicate: usize, args: &[Arg]| {
            let terms = self.of.terms(&variables, predicate, args, constant);
            format!("{}({})", self.of.names[predicate], terms.join(", "))
        };
        let head = atom(clause.head, &clause.args);
        clause.conditions.iter().try_for_each(|condition| self.fits(condition))?;
        let conditions = Condition::And(clause.conditions.clone());
        let Some(alternatives) = self.alternatives(&variables, &conditions, true) else {
            let title =
                format!("the conditions of a clause of {head} have too many alternatives for Datalog");
            return Err(
                Diagnostic::error("fp::not_exportable", title).help("`--to smt2` takes them as they are")
            );
        };
        let positive = clause.atoms.iter().filter(|literal| !literal.negative);
        let bound = positive.flat_map(|literal| &literal.args).cloned().collect::<Vec<_>>();
        let literals = clause.atoms.iter().map(|literal| {
            let sign = if literal.negative { "!" } else { "" };
            format!("{sign}{}", atom(literal.predicate, &literal.args))
        });
        let literals = literals.collect::<Vec<_>>();
        let note = if clause.note.is_empty() { String::new() } else { format!("// {}\n", clause.note) };
        let mut out = String::new();
        for alternative in alternatives {
            let mut body = self.domains(&variables, &bound, &head, &literals, &alternative);
            body.extend(literals.iter().cloned().chain(alternative));
            let body = if body.is_empty() { String::new() } else { format!(" :- {}", body.join(", ")) };
            out += &format!("{note}{head}{body}.\n");
        }
        Ok(out)
    }

    /// Whether the numbers that are computed in a condition have 32 bits.
    fn fits(&self, condition: &Condition) -> Result<(), Diagnostic> {
        let fits = |operand: &Operand| match self.is_small(&operand.number) {
            true => Ok(()),
            false => Err(Diagnostic::error(
                "fp::not_exportable",
                "a clause computes numbers beyond 32 bits, and Soufflé has no others",
            )
            .help("`--to smt2` has no such limit")),
        };
        match condition {
            Condition::Const(_) | Condition::Bit(..) => Ok(()),
            Condition::Defined(operand) => fits(operand),
            // What is decided beforehand is not computed.
            Condition::Compare(op, left, right) => match decided(self.of.sorts, *op, left, right) {
                Some(_) => Ok(()),
                None => fits(left).and_then(|()| fits(right)),
            },
            Condition::Not(inner) => self.fits(inner),
            Condition::And(parts) | Condition::Or(parts) => parts.iter().try_for_each(|part| self.fits(part)),
            Condition::Xor(left, right) => self.fits(left).and_then(|()| self.fits(right)),
        }
    }

    fn is_small(&self, number: &Number<Summand>) -> bool {
        let parts = match number {
            Number::Of(_) => return true,
            Number::Static(value) => return i32::try_from(*value).is_ok(),
            Number::Apply(_, parts) => parts,
        };
        let bounds = number.bounds(&|part| part.bounds(self.of.sorts));
        let small = |(lo, hi): Bounds| i32::try_from(lo).is_ok() && i32::try_from(hi).is_ok();
        bounds.is_some_and(small) && parts.iter().all(|part| self.is_small(part))
    }

    /// The domains of the variables that are mentioned and that no atom binds.
    fn domains(
        &self,
        variables: &Variables,
        bound: &[Arg],
        head: &str,
        literals: &[String],
        alternative: &[String],
    ) -> Vec<String> {
        let texts = literals.iter().chain(alternative).map(String::as_str).chain([head]);
        let words = texts.flat_map(|text| text.split([' ', '(', ')', ',', '!'])).collect::<BTreeSet<_>>();
        let mut seen = BTreeSet::new();
        let mut out = Vec::new();
        let vars = || self.of.clause.vars.iter().enumerate();
        // Bits that are equal to bound ones are bound.
        for (var, sort) in vars().filter(|(var, _)| bound.contains(&Arg::Var(*var))) {
            seen.extend(variables.names(var, *sort));
        }
        for (var, sort) in vars() {
            let domain = Domain::of(self.of.sorts, *sort).name(self.of.sorts);
            for name in variables.names(var, *sort) {
                if words.contains(name.as_str()) && seen.insert(name.clone()) {
                    out.push(format!("{domain}({name})"));
                }
            }
        }
        out
    }

    /// Nothing if there are too many.
    fn alternatives(
        &self,
        variables: &Variables,
        condition: &Condition,
        positive: bool,
    ) -> Option<Alternatives> {
        let of = |part: &Condition, positive: bool| self.alternatives(variables, part, positive);
        let constant = |value: bool| if value { vec![Vec::new()] } else { Vec::new() };
        match condition {
            Condition::Const(value) => Some(constant(*value == positive)),
            Condition::Not(inner) => of(inner, !positive),
            Condition::And(parts) | Condition::Or(parts) => {
                let parts = parts.iter().map(|part| of(part, positive)).collect::<Option<Vec<_>>>()?;
                if matches!(condition, Condition::And(_)) == positive { every(parts) } else { any(parts) }
            }
            Condition::Xor(left, right) => {
                let one = every(vec![of(left, true)?, of(right, !positive)?])?;
                let other = every(vec![of(left, false)?, of(right, positive)?])?;
                any(vec![one, other])
            }
            Condition::Bit(arg, sort, bit) => {
                let term = self.bit(variables, arg, *sort, *bit);
                Some(match term.as_str() {
                    "0" | "1" => constant((term == "1") == positive),
                    _ => vec![vec![format!("{term} = {}", u8::from(positive))]],
                })
            }
            Condition::Defined(operand) => {
                let cases = self.cases(variables, [operand]).into_iter();
                let cases = cases
                    .map(|(case, [terms])| every(vec![vec![case], self.defined(operand, &terms, positive)]))
                    .collect::<Option<Vec<_>>>()?;
                any(cases)
            }
            Condition::Compare(op, left, right) => {
                if let Some(value) = decided(self.of.sorts, *op, left, right) {
                    return Some(constant(value == positive));
                }
                let mut cases = Vec::new();
                for (case, [left_terms, right_terms]) in self.cases(variables, [left, right]) {
                    let mut parts = Vec::new();
                    for (operand, terms) in [(left, &left_terms), (right, &right_terms)] {
                        parts.push(self.defined(operand, terms, positive));
                    }
                    let pairs = left_terms.iter().zip(&right_terms);
                    parts.extend(pairs.map(|(left, right)| vec![vec![compared(*op, left, right, positive)]]));
                    let part = if positive { every(parts) } else { any(parts) }?;
                    cases.push(every(vec![vec![case], part])?);
                }
                any(cases)
            }
        }
    }

    fn bit(&self, variables: &Variables, arg: &Arg, sort: SortId, bit: u16) -> String {
        let mut terms = variables.terms(arg, sort, constant);
        match shape(self.of.sorts, sort) {
            ColumnShape::Bits(_) => terms.swap_remove(usize::from(bit)),
            ColumnShape::Bool => terms.swap_remove(0),
            ColumnShape::Number(lo, _) => {
                let weight = 1i64 << (self.of.sorts.bits(sort) - 1 - u32::from(bit));
                format!("(({} - ({lo})) / {weight} % 2)", terms[0])
            }
        }
    }

    /// The terms of operands. `min` and `max` are cases of which exactly one applies: its conditions, and the terms then.
    fn cases<const N: usize>(&self, variables: &Variables, operands: [&Operand; N]) -> Vec<OperandCase<N>> {
        let mut out: Vec<OperandCase<N>> = vec![(Vec::new(), std::array::from_fn(|_| Vec::new()))];
        for (at, operand) in operands.into_iter().enumerate() {
            let own = match operand.as_arg() {
                Some(arg) => vec![(Vec::new(), variables.terms(arg, operand.sort, constant))],
                None => {
                    let numbers = self.numbers(variables, &operand.number).into_iter();
                    numbers.map(|(case, text, _)| (case, vec![bare(text)])).collect::<Vec<_>>()
                }
            };
            let with = |(before, terms): &OperandCase<N>, (case, text): &(Vec<String>, Vec<String>)| {
                let mut terms = terms.clone();
                terms[at].clone_from(text);
                (joined(before, case), terms)
            };
            let with = &with;
            out = out.iter().flat_map(|one| own.iter().map(move |other| with(one, other))).collect();
        }
        out
    }

    /// The cases of a number: conditions, the text, and between which numbers it lies.
    fn numbers(&self, variables: &Variables, number: &Number<Summand>) -> Vec<(Vec<String>, String, Bounds)> {
        let bounds = number.bounds(&|part| part.bounds(self.of.sorts));
        let bounds = bounds.expect("the checker refuses numbers that are too large");
        let (op, parts) = match number {
            Number::Of(part) => {
                let text = variables.terms(&part.arg, part.sort, constant).swap_remove(0);
                return vec![(Vec::new(), text, bounds)];
            }
            Number::Static(value) => return vec![(Vec::new(), value.to_string(), bounds)],
            Number::Apply(op, parts) => (op, parts),
        };
        let mut out = Vec::new();
        for (one, a, from) in self.numbers(variables, &parts[0]) {
            for (other, b, by) in self.numbers(variables, &parts[1]) {
                let case = joined(&one, &other);
                let with = |condition: String| joined(&case, &[condition]);
                match op {
                    Arithmetic::Add if by.0 == by.1 && by.0 < 0 => {
                        out.push((case, format!("({a} - {})", by.0.unsigned_abs()), bounds))
                    }
                    Arithmetic::Add | Arithmetic::Sub | Arithmetic::Mul => {
                        out.push((case, format!("({a} {} {b})", op.symbol()), bounds))
                    }
                    Arithmetic::Div | Arithmetic::Rem => {
                        out.push((case, divided(*op, &a, from.0, by.0), bounds))
                    }
                    Arithmetic::Min | Arithmetic::Max => {
                        let (first, second) = if *op == Arithmetic::Min { (&a, &b) } else { (&b, &a) };
                        out.push((with(format!("{a} <= {b}")), first.clone(), bounds));
                        out.push((with(format!("{a} > {b}")), second.clone(), bounds));
                    }
                }
            }
        }
        out
    }

    /// Whether an operand, written as these terms, has a value.
    fn defined(&self, operand: &Operand, terms: &[String], positive: bool) -> Alternatives {
        let (ColumnShape::Number(lo, hi), [term]) = (shape(self.of.sorts, operand.sort), terms) else {
            return if positive { vec![Vec::new()] } else { Vec::new() };
        };
        match (operand.is_defined(self.of.sorts), positive) {
            (Some(value), _) if value == positive => vec![Vec::new()],
            (Some(_), _) => Vec::new(),
            (None, true) => vec![vec![format!("{term} >= {lo}"), format!("{term} <= {hi}")]],
            (None, false) => vec![vec![format!("{term} < {lo}")], vec![format!("{term} > {hi}")]],
        }
    }
}

/// Euclidean division where `/` and `%` cut towards 0: a multiple of the divisor keeps what is divided from being negative.
fn divided(op: Arithmetic, term: &str, least: i128, by: i128) -> String {
    let size = by.abs();
    let blocks = (-least).max(0).div_euclid(size) + i128::from((-least).max(0).rem_euclid(size) != 0);
    let moved = if blocks == 0 { term.to_string() } else { format!("({term} + {})", blocks * size) };
    match op {
        Arithmetic::Rem => format!("({moved} % {size})"),
        _ if by < 0 => format!("({blocks} - {moved} / {size})"),
        _ if blocks == 0 => format!("({moved} / {size})"),
        _ => format!("({moved} / {size} - {blocks})"),
    }
}

/// Without the parentheses around it: what is computed always has some.
fn bare(text: String) -> String {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    inner.map_or(text.clone(), str::to_string)
}

fn joined(left: &[String], right: &[String]) -> Vec<String> {
    left.iter().chain(right).cloned().collect()
}

fn compared(op: Comparison, left: &str, right: &str, positive: bool) -> String {
    let sign = match (op, positive) {
        (Comparison::Eq, true) => "=",
        (Comparison::Eq, false) => "!=",
        (Comparison::Lt, true) => "<",
        (Comparison::Lt, false) => ">=",
        (Comparison::Le, true) => "<=",
        (Comparison::Le, false) => ">",
    };
    format!("{left} {sign} {right}")
}

/// All parts together.
fn every(parts: Vec<Alternatives>) -> Option<Alternatives> {
    let mut out: Alternatives = vec![Vec::new()];
    for part in parts {
        if out.len().saturating_mul(part.len()) > ALTERNATIVES {
            return None;
        }
        let with = |left: &Vec<String>, right: &Vec<String>| {
            let mut both = left.clone();
            both.extend(right.iter().filter(|literal| !left.contains(literal)).cloned());
            both
        };
        out = out.iter().flat_map(|left| part.iter().map(move |right| with(left, right))).collect();
    }
    Some(out)
}

fn any(parts: Vec<Alternatives>) -> Option<Alternatives> {
    let out = parts.into_iter().flatten().collect::<Vec<_>>();
    (out.len() <= ALTERNATIVES).then_some(out)
}

fn constant(sorts: &Sorts, sort: SortId, value: &Value) -> String {
    match (sorts.get(sort), value) {
        (Sort::Symbol { .. }, Value::Name(at)) => quoted(sorts.texts(sort).get(*at).unwrap_or_default()),
        _ => number(value).to_string(),
    }
}
