//! The steps in which each rule is evaluated: once from nothing, and in a component of least fixed points once for each
//! atom whose new rows it follows. A relation that shrinks while others grow is evaluated as a whole; what it lost is
//! followed like new rows are.

use super::core::RuleWords;
use calculus::check::tree::System;
use calculus::elaborate::core::{Core, RuleKind};
use calculus::plan::{StepKind, plan_rule};
use calculus::solve::shrinking;
use std::fmt::Write;

pub fn plan(system: &System, core: &Core) -> String {
    let mut out = String::new();
    for part in &core.components() {
        let least = part.iter().all(|&at| core.kind(at) != Some(RuleKind::Nu));
        let shrinking = if least { shrinking(core, part) } else { part.clone() };
        for &at in part {
            let grows = !shrinking.contains(&at);
            for rule in core.rules(at) {
                let clause = core.clause_name(at, rule);
                let words = RuleWords::new(system, core, at, rule);
                let _ = writeln!(out, "{clause}: {} :- {}", words.head(at), words.body());
                let inside = |atom: &usize| grows && part.contains(&rule.atoms[*atom].relation);
                let seeds = (0..rule.atoms.len()).filter(inside).map(Some);
                for seed in [None].into_iter().chain(seeds) {
                    let _ = writeln!(out, "  {}", title(core, seed.map(|seed| &rule.atoms[seed])));
                    for (number, step) in plan_rule(&core.sorts, rule, seed, &[]).iter().enumerate() {
                        let what = match &step.kind {
                            StepKind::Atom(atom) if Some(*atom) == seed && rule.atoms[*atom].negative => {
                                let lost = words.atom(&rule.atoms[*atom]);
                                format!("take the lost rows of {}", lost.trim_start_matches("not "))
                            }
                            StepKind::Atom(atom) if rule.atoms[*atom].negative => {
                                format!(
                                    "remove {}",
                                    words.atom(&rule.atoms[*atom]).trim_start_matches("not ")
                                )
                            }
                            StepKind::Atom(atom) if Some(*atom) == seed => {
                                format!("take the new rows of {}", words.atom(&rule.atoms[*atom]))
                            }
                            StepKind::Atom(atom) => format!("join {}", words.atom(&rule.atoms[*atom])),
                            StepKind::Constraint(at) => {
                                format!("keep where {}", words.constraint(&rule.constraints[*at]))
                            }
                            StepKind::Domain(var) => format!("let {} be anything", words.var(*var)),
                            StepKind::Compute { constraint, var } => {
                                let from = words.constraint(&rule.constraints[*constraint]);
                                format!("compute {} from {from}", words.var(*var))
                            }
                        };
                        let forget = step.forget.iter().map(|var| words.var(*var)).collect::<Vec<_>>();
                        let forget = match forget.as_slice() {
                            [] => String::new(),
                            names => format!("; forget {}", names.join(", ")),
                        };
                        let _ = writeln!(out, "    {} {what}{forget}", number + 1);
                    }
                }
            }
        }
    }
    out
}

fn title(core: &Core, seed: Option<&calculus::elaborate::core::Atom>) -> String {
    match seed {
        None => "from nothing:".into(),
        Some(atom) => format!("following {}:", core.relations[atom.relation].title),
    }
}
