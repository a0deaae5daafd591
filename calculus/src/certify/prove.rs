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
/// in the system; where it has nothing, the prover iterates.
pub fn prove(
    system: &System,
    verdict: usize,
    solved: &[Option<Rc<StoredRelation>>],
    settings: bdd::ManagerSettings,
) -> Result<Certificate, Stop> {
    let needs = needs(system, verdict);
    let equations = Equations::new(system, &needs, Manager::new(settings)?)?;
    let mut prover = Prover { equations, solved };
    let mut proofs = Vec::new();
    for part in &needs {
        for &side in &part.sides {
            let proof = prover.prove(part, 0, side)?;
            proofs.extend(proof.map(|proof| (part, side, proof)));
        }
    }
    let equations = prover.equations;
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
    Ok(Certificate {
        verdict,
        lanes: equations.layout.lanes.clone(),
        order: equations.layout.order(),
        nodes: stored.nodes.iter().map(|(var, low, high)| (levels[var], *low, *high)).collect(),
        bounds,
    })
}

struct Prover<'a> {
    equations: Equations<'a>,
    solved: &'a [Option<Rc<StoredRelation>>],
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
