//! What the names of a predicate mean, and whether its operators fit them.

use super::parse::{Node, Operator, Tree};
use super::{Mention, Predicate, PredicateText, spoken};
use crate::model::program::resolve::program::{Domain, Expr, Interval, Op, Program, Var, Variable};
use calculus::diagnostic::Diagnostic;
use calculus::span::Span;

/// What a part is, with its operations.
struct Part {
    kind: Kind,
    code: Vec<Op>,
    span: Span,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Truth,
    Number(Interval),
    /// A variable of an enumeration.
    Name(Domain),
    /// A name that is no variable: it has to be one of an enumeration.
    Constant(String),
}

impl Kind {
    fn words(&self) -> String {
        match self {
            Kind::Truth => "a truth value".into(),
            Kind::Number(interval) => interval.words(),
            Kind::Name(domain) => domain.words(),
            Kind::Constant(name) => format!("the name `{name}`"),
        }
    }
}

pub fn resolve(program: &Program, text: &PredicateText, tree: &Tree) -> Result<Predicate, Diagnostic> {
    let mut typing = Typing { program, names: Vec::new() };
    let whole = typing.part(tree)?;
    let whole = typing.truth(whole)?;
    if typing.names.is_empty() {
        return Err(Diagnostic::error("predicate::type", "the predicate mentions no variable")
            .label(tree.span, "always the same")
            .help("a predicate is a condition over variables of the program"));
    }
    if typing.names.iter().all(|mention| mention.other) {
        return Err(Diagnostic::error("predicate::type", "the predicate is about another thread alone")
            .label(tree.span, "no variable of the thread itself, and none that all threads see")
            .help("leave out `other.`: every thread is the thread itself for one of its own predicates"));
    }
    Ok(Predicate {
        text: text.text.trim().to_string(),
        names: typing.names,
        code: Expr { code: whole.code, span: tree.span },
    })
}

struct Typing<'a> {
    program: &'a Program,
    names: Vec<Mention>,
}

impl<'a> Typing<'a> {
    fn part(&mut self, tree: &Tree) -> Result<Part, Diagnostic> {
        let part = |kind: Kind, code: Vec<Op>| Ok(Part { kind, code, span: tree.span });
        match &tree.node {
            Node::Constant(value) => part(Kind::Truth, vec![Op::Constant(*value)]),
            Node::Number(value) => {
                part(Kind::Number(Interval::only((*value).into())), vec![Op::Number(*value)])
            }
            Node::Name { name, other } => self.name(name, *other, tree.span),
            Node::Not(inner) => {
                let inner = self.part(inner)?;
                let mut code = self.truth(inner)?.code;
                code.push(Op::Not);
                part(Kind::Truth, code)
            }
            Node::Negative(inner) => {
                let inner = self.part(inner)?;
                let (interval, mut code) = self.number(inner)?;
                code.push(Op::Negate);
                part(Kind::Number(Interval::only(0).minus(interval)), code)
            }
            Node::Binary(operator, left, right) => {
                let (left, right) = (self.part(left)?, self.part(right)?);
                self.binary(*operator, left, right, tree.span)
            }
        }
    }

    fn binary(&self, operator: Operator, left: Part, right: Part, span: Span) -> Result<Part, Diagnostic> {
        let numbers = matches!((&left.kind, &right.kind), (Kind::Number(_), Kind::Number(_)));
        let joined = |kind: Kind, mut code: Vec<Op>, other: Vec<Op>, op: Op| {
            code.extend(other);
            code.push(op);
            Ok(Part { kind, code, span })
        };
        let op = match operator {
            Operator::Or | Operator::And => {
                let (left, right) = (self.truth(left)?, self.truth(right)?);
                let op = if operator == Operator::Or { Op::Or } else { Op::And };
                return joined(Kind::Truth, left.code, right.code, op);
            }
            Operator::BitAnd if numbers => return self.masked(left, right, span),
            Operator::BitAnd => {
                let (left, right) = (self.truth(left)?, self.truth(right)?);
                return joined(Kind::Truth, left.code, right.code, Op::And);
            }
            Operator::Equal | Operator::Differ => {
                let op = if operator == Operator::Equal { Op::Equal } else { Op::Differ };
                let (left, right) = self.alike(left, right)?;
                return joined(Kind::Truth, left.code, right.code, op);
            }
            Operator::Less => Op::Less,
            Operator::AtMost => Op::AtMost,
            Operator::Greater => Op::Greater,
            Operator::AtLeast => Op::AtLeast,
            Operator::Plus => Op::Plus,
            Operator::Minus => Op::Minus,
            Operator::Times => Op::Times,
            Operator::Modulo => Op::Modulo,
        };
        let spans = (left.span, right.span);
        let ((one, left), (other, right)) = (self.number(left)?, self.number(right)?);
        let known = |interval: Interval| interval.low == interval.high;
        let interval = match op {
            Op::Plus => one.plus(other),
            Op::Minus => one.minus(other),
            Op::Times if known(one) || known(other) => one.times(other),
            Op::Times => {
                let title = "a product of two variables is too large for decision diagrams";
                return Err(Diagnostic::error("predicate::product", title)
                    .label(spans.0, one.words())
                    .label(spans.1, other.words())
                    .help("one factor of a product is a constant"));
            }
            Op::Modulo if known(other) && other.low > 0 => one.modulo(other.low),
            Op::Modulo => {
                let title = "the right side of `%` is a constant greater than 0";
                return Err(Diagnostic::error("predicate::product", title).label(spans.1, other.words()));
            }
            _ => return joined(Kind::Truth, left, right, op),
        };
        if !interval.fits() {
            return Err(Diagnostic::error("predicate::type", "the numbers here can become too large")
                .label(span, interval.words()));
        }
        joined(Kind::Number(interval), left, right, op)
    }

    /// `x & 7`, which is `x % 8`.
    fn masked(&self, left: Part, right: Part, span: Span) -> Result<Part, Diagnostic> {
        let known = |part: &Part| match part.kind {
            Kind::Number(Interval { low, high }) if low == high => Some(low),
            _ => None,
        };
        let (word, mask) = if known(&left).is_some() { (right, left) } else { (left, right) };
        let size = known(&mask).map(|mask| mask + 1).filter(|size| size.count_ones() == 1 && *size > 0);
        let Some(size) = size else {
            let title = "`&` of numbers takes a mask such as 1, 3, 7 or 255";
            return Err(Diagnostic::error("predicate::product", title)
                .label(mask.span, mask.kind.words())
                .help("single bits can be written with `%` and `<`, as in `x % 8 >= 4`"));
        };
        let (interval, mut code) = self.number(word)?;
        code.extend([Op::Number(size as i64), Op::Modulo]);
        Ok(Part { kind: Kind::Number(interval.modulo(size)), code, span })
    }

    /// Both sides of `==`, as values of one kind.
    fn alike(&self, left: Part, right: Part) -> Result<(Part, Part), Diagnostic> {
        let literal = |part: &Part| matches!(part.code.as_slice(), [Op::Number(0 | 1)]);
        let (one, other) = (left.kind.clone(), right.kind.clone());
        match (&one, &other) {
            (Kind::Truth, Kind::Truth) | (Kind::Number(_), Kind::Number(_)) => Ok((left, right)),
            (Kind::Truth, Kind::Number(_)) if literal(&right) => Ok((left, self.truth(right)?)),
            (Kind::Number(_), Kind::Truth) if literal(&left) => Ok((self.truth(left)?, right)),
            (Kind::Name(one), Kind::Name(other)) if one == other => Ok((left, right)),
            (Kind::Name(domain), Kind::Constant(name)) => {
                let right = self.constant(domain, name, right.span)?;
                Ok((left, right))
            }
            (Kind::Constant(name), Kind::Name(domain)) => {
                let left = self.constant(domain, name, left.span)?;
                Ok((left, right))
            }
            (Kind::Constant(name), _) => Err(self.unknown(name, left.span)),
            (_, Kind::Constant(name)) => Err(self.unknown(name, right.span)),
            _ => Err(Diagnostic::error("predicate::type", "these cannot be compared")
                .label(left.span, one.words())
                .label(right.span, other.words())),
        }
    }

    fn constant(&self, domain: &Domain, name: &str, span: Span) -> Result<Part, Diagnostic> {
        let Domain::Names(names) = domain else { unreachable!("only enumerations have names") };
        match names.iter().position(|known| known == name) {
            Some(at) => {
                Ok(Part { kind: Kind::Name(domain.clone()), code: vec![Op::Number(at as i64)], span })
            }
            None => Err(self.unknown(name, span)),
        }
    }

    fn truth(&self, part: Part) -> Result<Part, Diagnostic> {
        let Part { kind, mut code, span } = part;
        match kind {
            Kind::Truth => {}
            Kind::Number(_) => match code.as_slice() {
                [Op::Number(value)] => code = vec![Op::Constant(*value != 0)],
                _ => code.extend([Op::Number(0), Op::Differ]),
            },
            Kind::Name(_) => {
                let problem = Diagnostic::error("predicate::type", "this is no condition");
                return Err(problem.label(span, kind.words()).help("compare it with `==`"));
            }
            Kind::Constant(name) => return Err(self.unknown(&name, span)),
        }
        Ok(Part { kind: Kind::Truth, code, span })
    }

    fn number(&self, part: Part) -> Result<(Interval, Vec<Op>), Diagnostic> {
        match part.kind {
            Kind::Number(interval) => Ok((interval, part.code)),
            Kind::Constant(name) => Err(self.unknown(&name, part.span)),
            kind => Err(Diagnostic::error("predicate::type", "a number is needed here")
                .label(part.span, kind.words())),
        }
    }

    fn name(&mut self, name: &str, other: bool, span: Span) -> Result<Part, Diagnostic> {
        let mut found = self.variables().filter(|variable| spoken(&variable.name) == name);
        let Some(first) = found.next() else {
            return match other {
                true => Err(self.unknown(name, span)),
                false => Ok(Part { kind: Kind::Constant(name.into()), code: Vec::new(), span }),
            };
        };
        let mut kind = kind_of(&first.domain);
        for variable in found {
            kind = match (kind, kind_of(&variable.domain)) {
                (Kind::Number(one), Kind::Number(other)) => {
                    Kind::Number(Interval { low: one.low.min(other.low), high: one.high.max(other.high) })
                }
                (one, other) if one == other => one,
                (one, other) => {
                    let title =
                        format!("several variables are called `{name}`, and they are of several kinds");
                    return Err(Diagnostic::error("predicate::type", title)
                        .label(span, format!("{}, or {}", one.words(), other.words()))
                        .help("give one of them another name"));
                }
            };
        }
        // What all threads see is the same for another one.
        let other = other && !self.program.shared.iter().any(|variable| variable.name == name);
        let mention = Mention { name: name.into(), other };
        let at = self.names.iter().position(|known| *known == mention).unwrap_or_else(|| {
            self.names.push(mention);
            self.names.len() - 1
        });
        Ok(Part { kind, code: vec![Op::Old(Var::Shared(at as u32))], span })
    }

    fn variables(&self) -> impl Iterator<Item = &'a Variable> {
        let program = self.program;
        let locals = program.procedures.iter().flat_map(|procedure| &procedure.locals);
        program.shared.iter().chain(&program.own).chain(locals)
    }

    fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        let title = format!("no variable is called `{name}`");
        let names = self.variables().map(|variable| spoken(&variable.name));
        let names = names.filter(|name| !name.starts_with(|first: char| first.is_ascii_digit()));
        let enumerations = self.variables().filter_map(|variable| match &variable.domain {
            Domain::Names(names) => Some(names.iter().map(String::as_str)),
            _ => None,
        });
        Diagnostic::error("predicate::unknown_name", title).label(span, "not known").suggest(
            name,
            names.chain(enumerations.flatten()),
            "`fpsolve model` lists the variables of a program",
        )
    }
}

fn kind_of(domain: &Domain) -> Kind {
    match domain {
        Domain::Bool => Kind::Truth,
        Domain::Range { .. } => Kind::Number(domain.interval()),
        Domain::Names(_) => Kind::Name(domain.clone()),
    }
}
