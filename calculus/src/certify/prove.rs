//! Making certificates: stages by plain iteration; one set is taken from what the solver found, if it found it.

use super::equation::Equations;
use super::needs::{NeededComponent, Side, needs};
use super::{Bound, Certificate, Proof, Stage, names};
use crate::bdd::{self, Bdd, Manager, Stop, Stored, Var};
use crate::check::tree::System;
use crate::relation::StoredRelation;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The certificate of a verdict that was found to hold. `solved` has what is known of the relations, by their positions
/// in the system, or is empty. What the solver did not look at is anything, if that is enough; otherwise the prover iterates.
pub fn prove(
    system: &System,
    verdict: usize,
    solved: &[Option<Rc<StoredRelation>>],
    settings: bdd::ManagerSettings,
) -> Result<Certificate, Stop> {
    if !solved.is_empty()
        && let Some(certificate) = attempt(system, verdict, solved, settings.clone(), true)?
    {
        return Ok(certificate);
    }
    let certificate = attempt(system, verdict, solved, settings, false)?;
    Ok(certificate.expect("one with computed bounds is made in any case"))
}

/// A certificate with the weakest bounds of what is not solved, if these decide the verdict; or with computed ones.
fn attempt(
    system: &System,
    verdict: usize,
    solved: &[Option<Rc<StoredRelation>>],
    settings: bdd::ManagerSettings,
    leaves_open: bool,
) -> Result<Option<Certificate>, Stop> {
    let needs = needs(system, verdict);
    let equations = Equations::new(system, &needs, Manager::new(settings)?)?;
    let mut prover = Prover { equations, solved, leaves_open };
    let mut proofs = Vec::new();
    for part in &needs {
        for &side in &part.sides {
            let proof = prover.prove(part, 0, side)?;
            proofs.extend(proof.map(|proof| (part, side, proof)));
        }
    }
    let equations = prover.equations;
    if leaves_open && !decides(&equations, verdict) {
        return Ok(None);
    }
    let mut functions = Vec::new();
    for (.., proof) in &proofs {
        proof.map(&mut |value| functions.push(value.clone()));
    }
    let stored = Stored::new(&functions);
    let order = equations.manager().order();
    let levels = order.into_iter().enumerate().map(|(level, var)| (var, level));
    let levels = levels.collect::<FxHashMap<Var, usize>>();
    let mut numbers = stored.functions.iter().copied();
    let mut bounds = Vec::new();
    for (part, side, proof) in &proofs {
        let proof = proof.map(&mut |_| numbers.next().expect("a number for each function"));
        bounds.push(Bound { blocks: names(&equations, part), side: *side, proof });
    }
    Ok(Some(Certificate {
        verdict,
        lanes: equations.layout.lanes.clone(),
        order: equations.layout.order(),
        nodes: stored.nodes.iter().map(|(var, low, high)| (levels[var], *low, *high)).collect(),
        bounds,
    }))
}

/// Whether the bounds exclude the verdicts before this one and make it hold.
fn decides(equations: &Equations, verdict: usize) -> bool {
    let conditions = equations.system.verdicts[..=verdict].iter().enumerate();
    conditions.filter_map(|(at, one)| Some((at, one.condition?.0 as usize))).all(|(at, condition)| {
        match at < verdict {
            true => equations.get(condition, Side::Upper).is_zero(),
            false => !equations.get(condition, Side::Lower).is_zero(),
        }
    })
}

struct Prover<'a> {
    equations: Equations<'a>,
    solved: &'a [Option<Rc<StoredRelation>>],
    /// What is not solved gets the weakest bounds.
    leaves_open: bool,
}

impl Prover<'_> {
    /// Proves a bound of a component from the block at `depth` on; nothing is to be proved of a formula.
    fn prove(
        &mut self,
        part: &NeededComponent,
        depth: usize,
        side: Side,
    ) -> Result<Option<Proof<Bdd>>, Stop> {
        let Some(block) = part.blocks.get(depth) else {
            for &at in &part.plain {
                let value = self.equations.evaluate(at, side)?;
                self.equations.set(at, side, value);
            }
            return Ok(None);
        };
        let one_set = block.least == (side == Side::Upper);
        let mut values = Vec::new();
        for &at in &block.members {
            values.push(match block.least {
                true => self.equations.manager().zero(),
                false => self.equations.everything(at)?,
            });
        }
        if self.leaves_open && !self.is_solved(part) {
            return self.weakest(part, depth, side);
        }
        if one_set
            && part.blocks.len() == 1
            && let Some(solution) = self.solution(&block.members)?
        {
            values = solution;
        }
        let mut stages = Vec::new();
        loop {
            for (&at, value) in block.members.iter().zip(&values) {
                self.equations.set(at, side, value.clone());
            }
            let inner = self.prove(part, depth + 1, side)?;
            let next = block.members.iter().map(|&at| self.equations.evaluate(at, side));
            let next = next.collect::<Result<Vec<_>, _>>()?;
            let done = next == values;
            if one_set {
                stages.clear();
            }
            stages.push(Stage { values, inner });
            if done {
                return Ok(Some(Proof { stages }));
            }
            values = next;
        }
    }

    /// The weakest bound: everything from above, nothing from below.
    fn weakest(
        &mut self,
        part: &NeededComponent,
        depth: usize,
        side: Side,
    ) -> Result<Option<Proof<Bdd>>, Stop> {
        let mut values = Vec::new();
        for &at in &part.blocks[depth].members {
            values.push(match side {
                Side::Upper => self.equations.everything(at)?,
                Side::Lower => self.equations.manager().zero(),
            });
        }
        for (&at, value) in part.blocks[depth].members.iter().zip(&values) {
            self.equations.set(at, side, value.clone());
        }
        let inner = self.prove(part, depth + 1, side)?;
        Ok(Some(Proof { stages: vec![Stage { values, inner }] }))
    }

    /// Whether the solver looked at a component to the end.
    fn is_solved(&self, part: &NeededComponent) -> bool {
        let mut members = part.blocks.iter().flat_map(|block| &block.members);
        members.all(|&at| self.solved.get(at).is_some_and(Option::is_some))
    }

    /// What the solver found for these relations, if it found all of them.
    fn solution(&self, members: &[usize]) -> Result<Option<Vec<Bdd>>, Stop> {
        let mut out = Vec::new();
        for &at in members {
            let Some(solution) = self.solved.get(at).and_then(Option::as_deref) else { return Ok(None) };
            let scalars =
                &self.equations.layout.leaves[at].as_ref().expect("only what is needed is evaluated").scalars;
            let places = self.equations.layout.column_places(at).iter().zip(scalars);
            let sorts = &self.equations.system.sorts;
            let bits = places.filter(|(_, scalar)| !sorts.is_keyed(scalar.sort));
            let bits = bits.flat_map(|(place, _)| self.equations.layout.space.place_vars(*place).to_vec());
            let to = solution.vars.iter().copied().zip(bits).collect::<FxHashMap<Var, Var>>();
            let rows = solution.rows.restore(self.equations.manager(), |var| to[&var])?;
            out.push(self.equations.in_bits(at, solution.keys.iter().cloned().zip(rows))?);
        }
        Ok(Some(out))
    }
}
