//! Explanations against the oracle: every tuple has a derivation that holds step by step, and every other tuple has
//! none; what is said to fail for it does fail.

mod strategy;
mod universal;
mod world;

use crate::effort;
use crate::oracle::TooLarge;
use calculus::bdd::Reorder;
use calculus::check::tree::{RelId, System};
use calculus::check::{self, FactsFile, Options};
use calculus::elaborate::core::{Arg, Core};
use calculus::elaborate::elaborate;
use calculus::solve::{
    Attempt, Derivation, DerivationNode, Explanation, Goal, Pattern, Reason, Settings, explain, text_order,
};
use calculus::sort::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use world::{Ranks, World, holds, pattern, tuple};

/// How much was confirmed.
#[derive(Debug, Default)]
pub struct Confirmed {
    pub present: usize,
    pub absent: usize,
    /// Tuples that any of several answers.
    pub open: usize,
    pub steps: usize,
    pub facts: usize,
    pub negated: usize,
    /// Cases of a `forall`.
    pub cases: usize,
    /// Tuples for which a strategy was played, and those that it comes back to.
    pub played: usize,
    pub returns: usize,
    pub assumed: usize,
    /// Of least height.
    pub ranked: usize,
    pub highest: usize,
    /// Clauses that do not derive a tuple.
    pub attempts: usize,
    /// Those with tuples for which the conditions do not hold.
    pub conditions: usize,
    pub too_large: usize,
}

/// Explains tuples of all relations, at most `most` that are there and as many that are not of each.
pub fn confirm(
    system: &System,
    (reorder, most, steps): (Reorder, usize, u64),
    confirmed: &mut Confirmed,
) -> Result<(), String> {
    let (core, _) = elaborate(system);
    let all = World::new(system, &core, steps).and_then(|mut world| {
        let mut ranks = Ranks::new();
        for part in world.parts.clone() {
            ranks.extend(world.ranks(&part)?.unwrap_or_default());
        }
        Ok((world, ranks))
    });
    let Ok((mut world, ranks)) = all else {
        confirmed.too_large += 1;
        return Ok(());
    };
    // Constant reordering is slow: then a dozen relations must do.
    let every = if reorder == Reorder::Always { system.relations.len().div_ceil(12).max(1) } else { 1 };
    for at in core.relations.ids().take(system.relations.len()).step_by(every) {
        let relation = &core.relations[at];
        let there = some(world.tables[at].iter().cloned(), most);
        let domains =
            relation.columns.iter().map(|column| core.sorts.values(column.sort)).collect::<Vec<_>>();
        let not_there = domains.iter().try_fold(vec![Vec::new()], |all: Vec<Vec<Value>>, domain| {
            let longer = |tuple: &Vec<Value>| {
                let tuple = tuple.clone();
                domain.iter().map(move |value| [tuple.as_slice(), std::slice::from_ref(value)].concat())
            };
            (all.len() * domain.len() < 10_000).then(|| all.iter().flat_map(longer).collect())
        });
        let not_there =
            not_there.unwrap_or_default().into_iter().filter(|tuple| !world.tables[at].contains(tuple));
        let not_there = some(not_there, most);
        let open = there.iter().chain(&not_there).take(2).flat_map(|tuple| {
            let any = |keep: fn(usize) -> bool| {
                let column = |(column, value): (usize, &Value)| keep(column).then(|| value.clone());
                tuple.iter().enumerate().map(column).collect::<Vec<_>>()
            };
            [any(|_| false), any(|column| column % 2 == 0), any(|column| column % 2 == 1)]
        });
        let open = open.collect::<BTreeSet<_>>();
        let known = |tuple: Vec<Value>| tuple.into_iter().map(Some).collect::<Vec<_>>();
        for wanted in there.into_iter().chain(not_there).map(known).chain(open) {
            let settings = Settings { reorder, ..Settings::default() };
            let columns =
                wanted.iter().map(|value| value.clone().map_or(Pattern::Any, Pattern::Is)).collect();
            let goal = Goal::Tuple { relation: at, pattern: columns };
            let told = match explain(&core, &settings, &goal) {
                Explanation::Present(derivation) => {
                    Derived { world: &world, ranks: &ranks, derivation: &derivation }
                        .check(at, &wanted, confirmed)
                }
                Explanation::Absent(attempts)
                    if !world.tables[at].iter().any(|tuple| fits(tuple, &wanted)) =>
                {
                    confirmed.absent += 1;
                    match is_absent(&mut world, at, &wanted, &attempts, confirmed) {
                        Err(Failure::TooLarge) => {
                            confirmed.too_large += 1;
                            return Ok(());
                        }
                        Err(Failure::Wrong(what)) => Err(format!("{what} in {attempts:#?}")),
                        Ok(()) => Ok(()),
                    }
                }
                Explanation::Absent(_) => Err("it is there".into()),
                Explanation::TooMany => Err("that is said of strategies".into()),
                Explanation::Stopped(stop) => Err(format!("stopped: {stop}")),
            };
            told.map_err(|what| format!("{}{wanted:?}: {what}", relation.title))?;
        }
        if world.tables[at].len() <= 200 && reorder != Reorder::Always {
            let told = strategy::confirm(&world, &ranks, at, confirmed);
            told.map_err(|what| format!("the strategy of {}: {what}", relation.title))?;
        }
    }
    Ok(())
}

/// At most so many, from all over.
fn some<T>(all: impl Iterator<Item = T>, most: usize) -> Vec<T> {
    let all = all.collect::<Vec<_>>();
    let apart = all.len().div_ceil(most.max(1)).max(1);
    all.into_iter().step_by(apart).collect()
}

fn fits(tuple: &[Value], wanted: &[Option<Value>]) -> bool {
    tuple.iter().zip(wanted).all(|(value, wanted)| wanted.as_ref().is_none_or(|wanted| wanted == value))
}

struct Derived<'a> {
    world: &'a World<'a>,
    ranks: &'a Ranks,
    derivation: &'a Derivation,
}

impl Derived<'_> {
    fn check(&self, at: RelId, wanted: &[Option<Value>], confirmed: &mut Confirmed) -> Result<(), String> {
        let nodes = &self.derivation.nodes;
        let assumed = |node: &DerivationNode| matches!(node.reason, Reason::Assumed);
        let first = &nodes[0];
        if first.relation != at || !fits(&first.tuple, wanted) {
            return Err(format!("another tuple is explained: {first:?}"));
        }
        if assumed(first) {
            return Err("the tuple that is asked for is not explained".into());
        }
        confirmed.present += 1;
        if wanted.contains(&None) {
            confirmed.open += 1;
        }
        let distinct = nodes.iter().map(|node| (node.relation, &node.tuple, assumed(node)));
        let distinct = distinct.collect::<BTreeSet<_>>();
        if distinct.len() < nodes.len() {
            return Err(format!("a tuple is explained twice: {nodes:#?}"));
        }
        for node in nodes {
            self.step(node, confirmed).map_err(|what| format!("{what}: {node:?} in {nodes:#?}"))?;
        }
        let mut heights = BTreeMap::new();
        self.height(0, &mut heights, &mut Vec::new())?;
        if heights.len() < nodes.len() {
            return Err(format!("some tuples do not belong to it: {nodes:#?}"));
        }
        for (number, height) in heights {
            let node = &nodes[number];
            let Some(ranks) = self.ranks.get(&node.relation) else { continue };
            confirmed.ranked += 1;
            confirmed.highest = confirmed.highest.max(height);
            if ranks[&node.tuple] != height {
                return Err(format!(
                    "the height of {node:?} is {height}, the least is {}",
                    ranks[&node.tuple]
                ));
            }
        }
        // Any of several tuples: a first one.
        let least = self
            .ranks
            .get(&at)
            .map(|ranks| ranks.iter().filter(|(tuple, _)| fits(tuple, wanted)).map(|(_, rank)| *rank).min());
        if least.is_some_and(|least| least != Some(self.ranks[&at][&first.tuple])) {
            return Err(format!("{first:?} is not a first one"));
        }
        Ok(())
    }

    /// A tuple follows from its premises.
    fn step(&self, node: &DerivationNode, confirmed: &mut Confirmed) -> Result<(), String> {
        let core: &Core = self.world.core;
        if !self.world.tables[node.relation].contains(&node.tuple) {
            return Err("it is not there".into());
        }
        let defined = core.is_defined(node.relation);
        let (number, values, premises, universal) = match &node.reason {
            Reason::Fact if !defined => {
                confirmed.facts += 1;
                return Ok(());
            }
            Reason::Fact => return Err("it is no fact".into()),
            Reason::Assumed if self.world.is_greatest(node.relation) => {
                confirmed.assumed += 1;
                return Ok(());
            }
            Reason::Assumed => return Err("it must not be assumed".into()),
            Reason::Rule { number, values, premises, universal } => (*number, values, premises, universal),
        };
        confirmed.steps += 1;
        let rule = core.rules(node.relation).get(number).ok_or("no such rule")?;
        if values.len() != rule.vars.len() || premises.len() != rule.atoms.len() {
            return Err("it has another number of variables or atoms".into());
        }
        let values = values.iter().cloned().map(Some).collect::<Vec<_>>();
        let head = pattern(&rule.head, &values);
        if head != node.tuple.iter().cloned().map(Some).collect::<Vec<_>>() {
            return Err("the head is another tuple".into());
        }
        if !rule.constraints.iter().all(|constraint| holds(&core.sorts, constraint, &values)) {
            return Err("a condition does not hold".into());
        }
        for (atom, premise) in rule.atoms.iter().zip(premises) {
            let (relation, tuple) = (atom.relation, tuple(atom, &values));
            let fits = match premise.map(|premise| &self.derivation.nodes[premise]) {
                None => atom.negative && !self.world.tables[relation].contains(&tuple),
                Some(premise) => !atom.negative && premise.relation == relation && premise.tuple == tuple,
            };
            confirmed.negated += usize::from(atom.negative);
            if !fits {
                return Err(format!("`{}{tuple:?}` is not a premise", core.relations[relation].title));
            }
        }
        for universal in universal {
            let nodes = &self.derivation.nodes;
            confirmed.cases += universal::confirm(self.world, nodes, (rule, &values), universal)?;
        }
        Ok(())
    }

    /// The height of a tuple inside its component.
    fn height(
        &self,
        number: usize,
        known: &mut BTreeMap<usize, usize>,
        path: &mut Vec<usize>,
    ) -> Result<usize, String> {
        if let Some(height) = known.get(&number) {
            return Ok(*height);
        }
        let node = &self.derivation.nodes[number];
        if path.contains(&number) {
            return Err(format!("{node:?} rests on itself"));
        }
        path.push(number);
        let mut height = 0;
        if let Reason::Rule { premises, universal, .. } = &node.reason {
            let part = self.world.part(node.relation);
            let cases = universal.iter().flat_map(|universal| &universal.cases);
            for premise in premises.iter().flatten().copied().chain(cases.map(|case| case.premise)) {
                let below = self.height(premise, known, path)?;
                if part.contains(&self.derivation.nodes[premise].relation) {
                    height = height.max(below);
                }
            }
        }
        path.pop();
        known.insert(number, height + 1);
        Ok(height + 1)
    }
}

enum Failure {
    TooLarge,
    Wrong(String),
}

impl From<TooLarge> for Failure {
    fn from(_: TooLarge) -> Self {
        Failure::TooLarge
    }
}

/// Every clause fails where it is said to fail.
fn is_absent(
    world: &mut World,
    at: RelId,
    wanted: &[Option<Value>],
    attempts: &[Attempt],
    confirmed: &mut Confirmed,
) -> Result<(), Failure> {
    let wrong = |what: String| Err(Failure::Wrong(what));
    let rules = world.core.rules(at);
    if attempts.iter().map(|attempt| attempt.rule).ne(0..rules.len()) {
        return wrong("not every rule is tried".into());
    }
    for (attempt, rule) in attempts.iter().zip(rules) {
        confirmed.attempts += 1;
        let mut head = vec![None; rule.vars.len()];
        let mut possible = true;
        for (arg, value) in rule.head.iter().zip(wanted) {
            let Some(value) = value else { continue };
            match arg {
                Arg::Const(own) => possible &= own == value,
                Arg::Var(var) => possible &= head[*var].get_or_insert(value.clone()) == value,
            }
        }
        let order = text_order(rule);
        let Some(fails) = attempt.fails else {
            if attempt.conditions || possible && world.is_solvable(rule, &[], head)? {
                return wrong(format!("the conditions hold: {attempt:?}"));
            }
            continue;
        };
        let place = order.iter().position(|&atom| atom == fails).expect("an atom of the rule");
        if !possible || world.is_solvable(rule, &order[..=place], head.clone())? {
            return wrong(format!("it does not fail there: {attempt:?}"));
        }
        for (var, value) in head.iter().enumerate() {
            if value.is_some() && attempt.values[var] != *value {
                return wrong(format!("the head has other values: {attempt:?}"));
            }
        }
        if !world.is_solvable(rule, &order[..place], attempt.values.clone())? {
            return wrong(format!("it fails before: {attempt:?}"));
        }
        let atom = &rule.atoms[fails];
        let (below, said) = (atom.relation, pattern(&atom.args, &attempt.values));
        let there = world.tables[below].iter().any(|tuple| fits(tuple, &said));
        if there != (atom.negative || attempt.conditions) {
            return wrong(format!(
                "{}{said:?} is there or not: {attempt:?}",
                world.core.relations[below].title
            ));
        }
        confirmed.conditions += usize::from(attempt.conditions);
        if let Some((relation, attempts)) = &attempt.below {
            if *relation != below || atom.negative {
                return wrong(format!("another relation is explained: {attempt:?}"));
            }
            is_absent(world, below, &said, attempts, confirmed)?;
        }
    }
    Ok(())
}

/// A file of the examples with parameters and facts.
fn example(file: &str, text: &str, settings: &[&str]) -> System {
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/calculus");
    let (mut program, mistakes) = check::load(file, text, &crate::bundled::library);
    assert!(mistakes.is_empty(), "{file}: {mistakes:?}");
    let (mut params, mut facts) = (BTreeMap::new(), "none");
    for setting in settings {
        match setting.split_once('=').expect("a setting") {
            ("facts", folder) => facts = folder,
            (name, value) => {
                params.insert(name.to_string(), value.parse().expect("a number"));
            }
        }
    }
    let read = |name: &str| {
        let folder = base.join(facts);
        let file = [format!("{name}.facts"), format!("{name}.csv")]
            .into_iter()
            .find(|file| folder.join(file).exists());
        let file = file.ok_or("no such file")?;
        let text = std::fs::read_to_string(folder.join(&file)).map_err(|e| e.to_string())?;
        Ok(FactsFile::named(file, text))
    };
    let options = Options { params, facts: Some(&read), ..Default::default() };
    check::check(&mut program, &options).expect(file).0
}

#[test]
fn tuples_of_the_examples_are_explained() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/calculus");
    let mut confirmed = Confirmed::default();
    let mut systems = 0;
    let (most, largest) = if effort::is_fast() { (3, 100_000) } else { (10, 1_000_000) };
    for entry in std::fs::read_dir(base).expect("the examples stand beside the crate") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_none_or(|extension| extension != "fp") {
            continue;
        }
        let file = path.file_name().expect("a file").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("a text");
        let settings = text.lines().filter_map(|line| line.trim().strip_prefix("//@"));
        let settings = settings.map(|line| line.split_whitespace().filter(|word| word.contains('=')));
        for settings in settings.map(Iterator::collect::<Vec<_>>).collect::<BTreeSet<_>>() {
            systems += 1;
            let system = example(&file, &text, &settings);
            let told = confirm(&system, (Reorder::Off, most, largest), &mut confirmed);
            told.unwrap_or_else(|what| panic!("{file} {settings:?}: {what}"));
        }
    }
    println!("{systems} {confirmed:#?}");
    // About half of the examples are too large for explicit sets.
    assert!(effort::is_fast() || confirmed.too_large <= systems * 2 / 3, "{systems} {confirmed:#?}");
    let (present, absent) = if effort::is_fast() { (60, 30) } else { (400, 200) };
    assert!(confirmed.present > present && confirmed.absent > absent, "{confirmed:#?}");
}
