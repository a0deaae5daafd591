//! Complements: `!R(x)` where R is defined by rules is that every rule fails for x, whatever its other variables are.
//! They are unfolded, so they must have few values:
//!
//! ```text
//! R(x) :- A(x, y), !B(y)      gives      not R(x) :- D1(x), D2(x), …      for each value of y,
//!                                        D1(x) :- not A(x, 1)      and      D1(x) :- B(1)
//! ```

use super::clauses::{BodyPart, ClauseBuilder, Condition, ExportClause, Literal, condition, refusal};
use calculus::check::tree::{Comparison, RelId};
use calculus::diagnostic::Diagnostic;
use calculus::elaborate::core::{Arg, Atom, Constraint, Operand, Rule};
use calculus::sort::{SortId, Value};

/// How many instances of universal quantifiers a system may have in all.
const UNFOLDED: usize = 10_000;

impl ClauseBuilder<'_> {
    /// Defines the complement of a relation.
    pub(super) fn complement(&mut self, at: RelId, head: usize, rules: &[Rule]) -> Result<(), Diagnostic> {
        let columns = self.out.predicates[head].columns.clone();
        let args = (0..columns.len()).map(Arg::Var).collect::<Vec<_>>();
        let mut all = ExportClause { head, args, vars: columns, ..ExportClause::default() };
        for rule in rules {
            for instance in self.instances(at, rule)? {
                self.failure(at, rule, &instance, &mut all)?;
            }
        }
        self.out.clauses.push(all);
        Ok(())
    }

    /// What the variables of a rule stand for: a column, or each of their values.
    fn instances(&mut self, at: RelId, rule: &Rule) -> Result<Vec<Vec<Arg>>, Diagnostic> {
        let sorts = &self.core.sorts;
        let mut fixed = vec![None; rule.vars.len()];
        for (column, arg) in rule.head.iter().enumerate() {
            if let Arg::Var(var) = arg {
                fixed[*var].get_or_insert(Arg::Var(column));
            }
        }
        let open = rule.vars.iter().zip(&fixed).filter(|(_, fixed)| fixed.is_none());
        let sizes = open.map(|(var, _)| match sorts.scalar_size(var.sort) {
            Some(size) => u128::from(size),
            None => 1u128.checked_shl(sorts.bits(var.sort)).unwrap_or(u128::MAX),
        });
        let count = sizes.fold(1, u128::saturating_mul);
        if count.saturating_add(self.unfolded as u128) > UNFOLDED as u128 {
            let relation = &self.core.relations[at];
            let title = format!(
                "a negated or universal part of `{}` has {count} instances: too many to unfold",
                relation.title
            );
            return Err(refusal(title, relation.clauses[rule.clause].1)
                .help(format!("at most {UNFOLDED} instances are unfolded; a smaller model may do")));
        }
        let mut instances = vec![Vec::new()];
        for (var, fixed) in rule.vars.iter().zip(fixed) {
            let values = match fixed {
                Some(arg) => vec![arg],
                None => sorts.values(var.sort).into_iter().map(Arg::Const).collect::<Vec<Arg>>(),
            };
            let with = |instance: &Vec<Arg>, value: &Arg| instance.iter().chain([value]).cloned().collect();
            instances = instances
                .iter()
                .flat_map(|instance| values.iter().map(move |value| with(instance, value)))
                .collect();
        }
        self.unfolded += instances.len();
        Ok(instances)
    }

    /// Adds to the body that an instance of a rule fails.
    fn failure(
        &mut self,
        at: RelId,
        rule: &Rule,
        instance: &[Arg],
        all: &mut ExportClause,
    ) -> Result<(), Diagnostic> {
        let sorts = &self.core.sorts;
        let replaced = |arg: &Arg| match arg {
            Arg::Var(var) => instance[*var].clone(),
            Arg::Const(_) => arg.clone(),
        };
        // The columns are those of the head.
        let heads = rule.head.iter().enumerate().filter_map(|(column, arg)| {
            let operand = |arg: Arg| Operand::plain(arg, all.vars[column]);
            let value = replaced(arg);
            let other = value != Arg::Var(column);
            other.then(|| Constraint::Compare(Comparison::Eq, operand(Arg::Var(column)), operand(value)))
        });
        let mut reasons = Vec::new();
        for constraint in heads.chain(rule.constraints.iter().map(|constraint| constraint.map(&replaced))) {
            match constraint.fold(sorts) {
                Constraint::Const(true) => {}
                // It always fails.
                Constraint::Const(false) => return Ok(()),
                constraint => reasons.push(Condition::Not(Box::new(condition(&constraint)))),
            }
        }
        let mut literals = Vec::new();
        for atom in &rule.atoms {
            let args = atom.args.iter().map(replaced).collect();
            let atom = Atom { args, ..atom.clone() };
            match self.piece(at, rule.clause, &atom, false)? {
                BodyPart::Literal(literal) => literals.push(literal),
                BodyPart::Condition(condition) => reasons.push(condition),
            }
        }
        let reason = Condition::Or(reasons);
        match literals.len() {
            0 => all.conditions.push(reason),
            1 if matches!(&reason, Condition::Or(none) if none.is_empty()) => all.atoms.extend(literals),
            _ => {
                let literal = self.one_of(all, rule.clause, at, literals, reason);
                all.atoms.push(literal);
            }
        }
        Ok(())
    }

    /// A predicate over the same columns that holds if one of these does.
    fn one_of(
        &mut self,
        all: &ExportClause,
        clause: usize,
        at: RelId,
        literals: Vec<Literal>,
        reason: Condition,
    ) -> Literal {
        let note = self.core.relations[at].clauses[clause].0.to_string();
        let title = format!("fails {} {note}", self.core.relations[at].title);
        let columns: Vec<SortId> = all.vars.clone();
        let predicate = self.predicate(title, columns.clone());
        let shape = ExportClause {
            note,
            head: predicate,
            args: all.args.clone(),
            vars: columns,
            ..ExportClause::default()
        };
        for literal in literals {
            self.out.clauses.push(ExportClause { atoms: vec![literal], ..shape.clone() });
        }
        self.out.clauses.push(ExportClause { conditions: vec![reason], ..shape });
        Literal { predicate, args: all.args.clone(), negative: false }
    }
}

/// The number that stands for a scalar value in languages with numbers.
pub(super) fn number(value: &Value) -> i64 {
    match value {
        Value::Bool(value) => i64::from(*value),
        Value::Int(value) => *value,
        Value::Name(number) => *number as i64,
        Value::Bits(_) | Value::Record(_) | Value::Vector(_) => unreachable!("no scalar number"),
    }
}
