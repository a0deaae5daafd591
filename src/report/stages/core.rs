//! The rules of the core, in the names of the file.

use super::count;
use calculus::check::number::{Arithmetic, Number};
use calculus::check::tree::{Body, Comparison, RelId, System};
use calculus::elaborate::core::{Arg, Atom, Constraint, Core, CoreBody, Operand, Rule, RuleKind, Summand};
use calculus::index::Id;
use calculus::show;
use calculus::sort::{SortId, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A line for each rule: `head :- atoms, conditions`.
pub fn core(system: &System, core: &Core) -> String {
    let mut out = String::new();
    for (at, relation) in core.relations.entries() {
        let columns = relation.columns.iter().map(|column| core.sorts.show(column.sort)).collect::<Vec<_>>();
        let kind = match &relation.body {
            CoreBody::Facts(rows) => count(rows.len(), "fact"),
            CoreBody::Model(rows) => format!("{} of the model", count(rows.len(), "row")),
            CoreBody::Rules { kind, .. } if core.is_auxiliary(at) => {
                let whose = &core.relations[relation.owner].title;
                format!("{}, a part of {whose}", word(*kind))
            }
            CoreBody::Rules { kind, .. } => word(*kind).to_string(),
        };
        let _ = writeln!(out, "{}({}): {kind}", relation.title, columns.join(", "));
        for rule in core.rules(at) {
            let clause = core.clause_name(at, rule);
            let words = RuleWords::new(system, core, at, rule);
            let _ = writeln!(out, "  {clause}: {} :- {}", words.head(at), words.body());
        }
    }
    out
}

fn word(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Inline => "let",
        RuleKind::Mu => "mu",
        RuleKind::Nu => "nu",
    }
}

/// How the parts of a rule are spelled.
pub struct RuleWords<'a> {
    system: &'a System,
    core: &'a Core,
    rule: &'a Rule,
    /// Of each variable.
    names: Vec<String>,
}

impl<'a> RuleWords<'a> {
    /// A variable is called as in the file; if several are called the same, all but the first get a number.
    pub fn new(system: &'a System, core: &'a Core, at: RelId, rule: &'a Rule) -> RuleWords<'a> {
        let mut names = vec![String::new(); rule.vars.len()];
        let mut used: BTreeMap<String, usize> = BTreeMap::new();
        let owner = core.relations[at].owner.index();
        let mut leaves = 0..;
        if let Some(Body::Defined { vars, .. }) = system.relations.get(owner).map(|relation| &relation.body) {
            for var in vars {
                for name in system.sorts.leaf_names(&var.name, var.sort) {
                    let occurs = leaves.next().and_then(|leaf| rule.leaves.get(leaf));
                    let Some(Arg::Var(leaf)) = occurs else { continue };
                    if names.get(*leaf).is_none_or(|name| !name.is_empty()) {
                        continue;
                    }
                    let before = used.entry(name.clone()).or_default();
                    *before += 1;
                    names[*leaf] = if *before == 1 { name } else { format!("{name}'{before}") };
                }
            }
        }
        for (number, name) in names.iter_mut().enumerate().filter(|(_, name)| name.is_empty()) {
            *name = format!("_{number}");
        }
        RuleWords { system, core, rule, names }
    }

    pub fn var(&self, var: usize) -> &str {
        &self.names[var]
    }

    pub fn head(&self, at: RelId) -> String {
        let relation = &self.core.relations[at];
        let args =
            self.rule.head.iter().zip(&relation.columns).map(|(arg, column)| self.arg(arg, column.sort));
        format!("{}({})", relation.title, args.collect::<Vec<_>>().join(", "))
    }

    pub fn body(&self) -> String {
        let atoms = self.rule.atoms.iter().map(|atom| self.atom(atom));
        let conditions = self.rule.constraints.iter().map(|constraint| self.constraint(constraint));
        let parts = atoms.chain(conditions).collect::<Vec<_>>();
        if parts.is_empty() { "true".into() } else { parts.join(", ") }
    }

    pub fn atom(&self, atom: &Atom) -> String {
        let not = if atom.negative { "not " } else { "" };
        let args = atom.args.iter().zip(atom.sorts.iter()).map(|(arg, sort)| self.arg(arg, *sort));
        let title = &self.core.relations[atom.relation].title;
        format!("{not}{title}({})", args.collect::<Vec<_>>().join(", "))
    }

    pub fn constraint(&self, constraint: &Constraint) -> String {
        let list = |parts: &[Constraint], sign: &str| {
            let parts = parts.iter().map(|part| self.constraint(part)).collect::<Vec<_>>();
            format!("({})", parts.join(sign))
        };
        match constraint {
            Constraint::Const(value) => value.to_string(),
            Constraint::Compare(comparison, left, right) => {
                let sign = match comparison {
                    Comparison::Eq => "=",
                    Comparison::Lt => "<",
                    Comparison::Le => "<=",
                };
                format!("{} {sign} {}", self.operand(left), self.operand(right))
            }
            Constraint::Defined(operand) => format!("{} has a value", self.operand(operand)),
            Constraint::Not(inner) => format!("!({})", self.constraint(inner)),
            Constraint::And(parts) => list(parts, " & "),
            Constraint::Or(parts) => list(parts, " | "),
        }
    }

    fn operand(&self, operand: &Operand) -> String {
        self.number(&operand.number, 0)
    }

    /// A number that is an operand of something that binds as tightly as this: 1 is a sum, 2 a product.
    fn number(&self, number: &Number<Summand>, tight: u8) -> String {
        let (op, parts) = match number {
            Number::Of(part) => return self.arg(&part.arg, part.sort),
            Number::Static(value) => return value.to_string(),
            Number::Apply(op, parts) => (*op, parts),
        };
        let own = match op {
            Arithmetic::Add | Arithmetic::Sub => 1,
            Arithmetic::Mul | Arithmetic::Div | Arithmetic::Rem => 2,
            Arithmetic::Min | Arithmetic::Max => {
                let [a, b] = [&parts[0], &parts[1]].map(|part| self.number(part, 0));
                return format!("{}({a}, {b})", op.symbol());
            }
        };
        let left = self.number(&parts[0], own);
        let text = match (op, &parts[1]) {
            (Arithmetic::Add, Number::Static(value)) if *value < 0 => {
                format!("{left} - {}", value.unsigned_abs())
            }
            (op, right) => format!("{left} {} {}", op.symbol(), self.number(right, own + 1)),
        };
        if own < tight { format!("({text})") } else { text }
    }

    fn arg(&self, arg: &Arg, sort: SortId) -> String {
        match arg {
            Arg::Var(var) => self.names[*var].clone(),
            Arg::Const(value) => self.value(sort, value),
        }
    }

    fn value(&self, sort: SortId, value: &Value) -> String {
        show::value(&self.core.sorts, self.system.vocabulary.as_ref(), sort, value)
    }
}
