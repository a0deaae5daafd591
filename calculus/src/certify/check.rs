//! Checking certificates: each equation is evaluated once for each bound, and compared.

use super::equation::Equations;
use super::needs::{NeededComponent, Side, needs};
use super::{Certificate, Proof, names};
use crate::bdd::{self, Bdd, Manager, Stop};
use crate::check::tree::{System, VerdictKind};
use crate::diagnostic::Diagnostic;
use crate::show;
use crate::space::decode;

/// Why a certificate is not accepted.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// It does not prove what it claims, or it is none for this file and model.
    Wrong(Box<Diagnostic>),
    /// A limit was reached before everything was checked.
    Stop(Stop),
}

impl From<Stop> for Refusal {
    fn from(stop: Stop) -> Self {
        Refusal::Stop(stop)
    }
}

impl From<Diagnostic> for Refusal {
    fn from(diagnostic: Diagnostic) -> Self {
        Refusal::Wrong(Box::new(diagnostic))
    }
}

const CODE: &str = "fp::certificate";

/// Something that does not fit, whatever the sets are.
fn unfit(title: impl Into<String>) -> Diagnostic {
    Diagnostic::error(CODE, title).help(
        "a certificate is checked with the file, the model and the options that it was made with; if they are \
         the same, it is damaged: make a new one with --certificate",
    )
}

/// Whether a certificate proves that its verdict, which must be `safe`, is the answer of the system.
pub fn check(
    system: &System,
    certificate: &Certificate,
    settings: bdd::ManagerSettings,
) -> Result<(), Refusal> {
    let number = certificate.verdict;
    let verdict = system.verdicts.get(number).ok_or_else(|| {
        unfit(format!("the certificate is for verdict number {number}, which the file does not have"))
    })?;
    if verdict.kind != VerdictKind::Safe {
        let title = "the certificate is for a verdict that is not `safe`";
        return Err(unfit(title).label(verdict.span, "it is for this one").into());
    }
    if let Some(always) = system.verdicts[..number].iter().find(|one| one.condition.is_none()) {
        let title = "the verdict of the certificate is never the answer";
        return Err(unfit(title).label(always.span, "this verdict before it always holds").into());
    }
    let needs = needs(system, number);
    let equations = Equations::new(system, &needs, Manager::new(settings)?)?;
    let functions = read(&equations, certificate)?;
    let mut checker = BoundChecker { equations, functions };
    let mut bounds = certificate.bounds.iter();
    for part in &needs {
        for &side in &part.sides {
            if part.blocks.is_empty() {
                checker.evaluate(part, side)?;
                continue;
            }
            let expected = names(&checker.equations, part);
            let title = &expected[0][0].title;
            let wanted = format!("the {} bound of `{title}`", side.word());
            let bound = bounds.next().ok_or_else(|| unfit(format!("{wanted} is missing")))?;
            if bound.side != side || bound.blocks != expected {
                return Err(unfit(format!("{wanted} is not in its place, or has other columns")).into());
            }
            checker.proof(part, 0, side, &bound.proof)?;
        }
    }
    if bounds.len() > 0 {
        return Err(
            unfit(format!("there are {} bounds that the verdict does not depend on", bounds.len())).into()
        );
    }
    for (at, one) in system.verdicts[..=number].iter().enumerate() {
        let Some(condition) = one.condition.map(|relation| relation.0 as usize) else { continue };
        if at < number && !checker.equations.get(condition, Side::Upper).is_zero() {
            let title = "the bounds of the certificate do not exclude another verdict";
            return Err(Diagnostic::error(CODE, title).label(one.span, "its condition may hold").into());
        }
        if at == number && checker.equations.get(condition, Side::Lower).is_zero() {
            let title = "the bounds of the certificate do not make its verdict hold";
            return Err(Diagnostic::error(CODE, title).label(one.span, "its condition may not hold").into());
        }
    }
    Ok(())
}

/// The functions of the nodes. The diagrams must be ordered and reduced, so that there is nothing to hide in them.
fn read(equations: &Equations, certificate: &Certificate) -> Result<Vec<Bdd>, Refusal> {
    let layout = &equations.layout;
    if certificate.lanes != layout.lanes {
        return Err(unfit("the columns of the certificate have other sorts than those of the file").into());
    }
    let (mut given, mut expected) = (certificate.order.clone(), layout.order());
    given.sort_unstable();
    expected.sort_unstable();
    if given != expected {
        return Err(unfit("the order of the certificate does not have every bit once").into());
    }
    layout.set_order(&certificate.order)?;
    let manager = equations.manager();
    let vars = manager.order();
    let mut functions = vec![manager.zero(), manager.one()];
    let mut seen = rustc_hash::FxHashSet::default();
    let level = |number: usize| match number {
        0 | 1 => usize::MAX,
        node => certificate.nodes[node - 2].0,
    };
    for (number, &(at, low, high)) in certificate.nodes.iter().enumerate() {
        let wrong = |why: &str| unfit(format!("node {} of the certificate {why}", number + 2));
        let var = *vars.get(at).ok_or_else(|| wrong("has a level that does not exist"))?;
        if low >= functions.len() || high >= functions.len() {
            return Err(wrong("has a child that is not listed before it").into());
        }
        if at >= level(low) || at >= level(high) {
            return Err(wrong("has a child above it in the order").into());
        }
        if low == high || !seen.insert((at, low, high)) {
            return Err(wrong("is superfluous").into());
        }
        functions.push(manager.var(var).ite(&functions[high], &functions[low])?);
    }
    Ok(functions)
}

struct BoundChecker<'a> {
    equations: Equations<'a>,
    /// By their numbers in the certificate.
    functions: Vec<Bdd>,
}

impl BoundChecker<'_> {
    fn evaluate(&mut self, part: &NeededComponent, side: Side) -> Result<(), Stop> {
        for &at in &part.plain {
            let value = self.equations.evaluate(at, side)?;
            self.equations.set(at, side, value);
        }
        Ok(())
    }

    /// Checks the proof of a bound, from the block at `depth` on; the bounds are known then.
    fn proof(
        &mut self,
        part: &NeededComponent,
        depth: usize,
        side: Side,
        proof: &Proof<usize>,
    ) -> Result<(), Refusal> {
        let block = &part.blocks[depth];
        let one_set = block.least == (side == Side::Upper);
        let title = |at: usize| self.equations.system.relations[at].title();
        if proof.stages.is_empty() || one_set && proof.stages.len() > 1 {
            let many = if one_set { "one stage" } else { "at least one stage" };
            let title = title(block.members[0]);
            return Err(unfit(format!("the {} bound of `{title}` must have {many}", side.word())).into());
        }
        // What the equations give for the stage before; before the first one: nothing for `mu`, everything for `nu`.
        let mut before = Vec::new();
        for &at in &block.members {
            before.push(match block.least {
                true => self.equations.manager().zero(),
                false => self.equations.everything(at)?,
            });
        }
        for (number, stage) in proof.stages.iter().enumerate() {
            let values = self.values(&block.members, side, &stage.values)?;
            if !one_set {
                self.compare(&block.members, side, &values, &before, number)?;
            }
            for (&at, value) in block.members.iter().zip(&values) {
                self.equations.set(at, side, value.clone());
            }
            match (&stage.inner, depth + 1 < part.blocks.len()) {
                (Some(inner), true) => self.proof(part, depth + 1, side, inner)?,
                (None, false) => self.evaluate(part, side)?,
                (inner, _) => {
                    let what = if inner.is_some() { "superfluous" } else { "missing" };
                    let title = self.equations.system.relations[block.members[0]].title();
                    return Err(unfit(format!("a proof inside a stage of `{title}` is {what}")).into());
                }
            }
            // The last of several stages has nothing behind it.
            if one_set || number + 1 < proof.stages.len() {
                let next = block.members.iter().map(|&at| self.equations.evaluate(at, side));
                before = next.collect::<Result<Vec<_>, _>>()?;
            }
            if one_set {
                self.compare(&block.members, side, &values, &before, number)?;
            }
        }
        Ok(())
    }

    /// The sets of a stage.
    fn values(&self, members: &[usize], side: Side, numbers: &[usize]) -> Result<Vec<Bdd>, Refusal> {
        let title = |at: usize| self.equations.system.relations[at].title();
        if numbers.len() != members.len() {
            let (title, side) = (title(members[0]), side.word());
            let title = format!("a stage of the {side} bound of `{title}` has not one set for each relation");
            return Err(unfit(title).into());
        }
        let mut out = Vec::new();
        for (&at, &number) in members.iter().zip(numbers) {
            let function = self.functions.get(number).ok_or_else(|| {
                unfit(format!("a set of `{}` is node {number}, and there is none", title(at)))
            })?;
            let bits = self.equations.bits(at);
            if function.support().iter().any(|bit| !bits.contains(bit)) {
                let title = format!("a set of `{}` depends on more than its columns", title(at));
                return Err(unfit(title).into());
            }
            if !function.is_subset(&self.equations.everything(at)?)? {
                let title =
                    format!("a set of `{}` has a tuple that is not of the sorts of its columns", title(at));
                return Err(unfit(title).into());
            }
            out.push(function.clone());
        }
        Ok(out)
    }

    /// An upper bound has all that the equations give, a lower bound nothing else.
    fn compare(
        &self,
        members: &[usize],
        side: Side,
        values: &[Bdd],
        given: &[Bdd],
        stage: usize,
    ) -> Result<(), Refusal> {
        for ((&at, value), given) in members.iter().zip(values).zip(given) {
            let wrong = match side {
                Side::Upper => given.and_not(value)?,
                Side::Lower => value.and_not(given)?,
            };
            if wrong.is_zero() {
                continue;
            }
            let relation = &self.equations.system.relations[at];
            let (title, side_word) = (relation.title(), side.word());
            let label = match side {
                Side::Upper => "this gives a tuple that the bound leaves out",
                Side::Lower => "this does not give a tuple that the bound has",
            };
            let mut diagnostic = Diagnostic::error(
                CODE,
                format!("the certificate's {side_word} bound of `{title}` is wrong (stage {stage})"),
            )
            .label(relation.span, label);
            if let Some(tuple) = self.example(at, &wrong)? {
                diagnostic = diagnostic.help(format!("the tuple is ({tuple})"));
            }
            return Err(diagnostic.into());
        }
        Ok(())
    }

    /// A tuple of a set, in the words of the file.
    fn example(&self, at: usize, set: &Bdd) -> Result<Option<String>, Stop> {
        let (system, layout) = (self.equations.system, &self.equations.layout);
        let Some(assignment) = set.assignments(&self.equations.bits(at)).next().transpose()? else {
            return Ok(None);
        };
        let mut rest = assignment.as_slice();
        let mut leaves = Vec::new();
        for scalar in &layout.leaves[at].as_ref().expect("only what is needed is evaluated").scalars
            [..layout.columns[at]]
        {
            let (own, others) = rest.split_at(system.sorts.bits(scalar.sort) as usize);
            leaves.push(decode(&system.sorts, scalar.sort, own));
            rest = others;
        }
        let mut leaves = leaves.into_iter();
        let columns = system.relations[at].columns.iter().map(|column| {
            let value = system.sorts.assemble(column.sort, &mut leaves);
            let value = show::value(&system.sorts, system.vocabulary.as_ref(), column.sort, &value);
            format!("{} = {value}", column.name)
        });
        Ok(Some(columns.collect::<Vec<_>>().join(", ")))
    }
}
