//! Certificates against the oracle: a claim has a certificate that checks exactly if it is true.
//!
//! For each query of a file there are two claims, that it is empty and that it is not; the oracle knows which one
//! is true. The true one's certificate must be accepted. The false one has no certificate: whatever the prover
//! makes of it, tampered with or not, must be refused. A true one's certificate that was tampered with may still
//! be one; it must be refused if a set that it ends with is no bound any more. That is decided here,
//! tuple by tuple, by comparing with the sets before, where those are the exact solutions: what the solver did not need may
//! have weaker bounds.

use crate::chance::Random;
use crate::oracle::Answers;
use crate::treatments::{Keys, checked};
use calculus::bdd::{self, Reorder};
use calculus::certify::{Certificate, Proof, Refusal, Side, Stage, check, prove};
use calculus::check::tree::{RelId, System, Verdict, VerdictKind};
use calculus::elaborate::elaborate;
use calculus::solve::{Kept, Settings, solve_on};

/// How many certificates were judged.
#[derive(Debug, Default)]
pub struct Judged {
    pub true_claims: usize,
    pub false_claims: usize,
    /// Tampered with: of false claims, and of true ones that are no bounds any more.
    pub forged: usize,
    pub broken: usize,
    /// Of true claims, not known to be broken: how many were accepted and refused.
    pub still_accepted: usize,
    pub still_refused: usize,
    /// With more stages than one, and with proofs inside stages.
    pub staged: usize,
    pub nested: usize,
}

/// Looks at all claims about a file.
pub fn judge(system: &System, answers: &Answers, seed: u64, judged: &mut Judged) -> Result<(), String> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for (query, tuples) in system.queries.iter().zip(&answers.queries) {
        let empty = [
            verdict(VerdictKind::Unsafe, Some(query.relation), system),
            verdict(VerdictKind::Safe, None, system),
        ];
        let inhabited = [verdict(VerdictKind::Safe, Some(query.relation), system)];
        let claims = [
            ("is empty", empty.to_vec(), tuples.is_empty()),
            ("has tuples", inhabited.to_vec(), !tuples.is_empty()),
        ];
        for (claim, verdicts, is_true) in claims {
            let system = System { verdicts, ..system.clone() };
            one(&system, is_true, &mut random, judged)
                .map_err(|why| format!("{} {claim}: {why}", query.name))?;
        }
    }
    Ok(())
}

fn verdict(kind: VerdictKind, condition: Option<RelId>, system: &System) -> Verdict {
    Verdict { kind, message: None, condition, span: system.queries[0].span }
}

fn one(system: &System, is_true: bool, random: &mut Random, judged: &mut Judged) -> Result<(), String> {
    let (core, _) = elaborate(system);
    let mut kept = Kept::default();
    // Without the solver's solution the prover finds its own.
    if random.below(3) > 0 {
        let reorder = if random.below(8) == 0 { Reorder::Always } else { Reorder::Off };
        solve_on(system, &core, &Settings { reorder, ..Settings::default() }, &mut kept);
    }
    let number = system.verdicts.len() - 1;
    let reorder = if random.below(8) == 0 { Reorder::Always } else { Reorder::Off };
    let settings = || bdd::ManagerSettings { reorder, ..bdd::ManagerSettings::default() };
    let certificate = prove(system, number, kept.solutions(), settings()).expect("no limit");
    if certificate != prove(system, number, kept.solutions(), settings()).expect("no limit") {
        return Err("two certificates of one verdict differ".into());
    }
    let accepted = |certificate: &Certificate| match check(system, certificate, settings()) {
        Ok(()) => true,
        Err(Refusal::Wrong(_)) => false,
        Err(Refusal::Stop(stop)) => panic!("{stop}, and there is no limit"),
    };
    *(if is_true { &mut judged.true_claims } else { &mut judged.false_claims }) += 1;
    judged.staged += usize::from(certificate.bounds.iter().any(|bound| bound.proof.stages.len() > 1));
    judged.nested += usize::from(certificate.bounds.iter().any(|bound| bound.blocks.len() > 1));
    if accepted(&certificate) != is_true {
        return Err(format!("the claim is {is_true}, its certificate is not treated so: {certificate:?}"));
    }
    let is_exact = certificate == prove(system, number, &[], settings()).expect("no limit");
    let is_broken = |other: &Certificate| is_broken(&certificate, other).filter(|_| is_exact);
    for _ in 0..4 {
        let mut other = certificate.clone();
        for _ in 0..1 + random.below(2) {
            tamper(&mut other, random);
        }
        if other == certificate {
            continue;
        }
        let accepted = accepted(&other);
        let count = match (is_true, is_broken(&other)) {
            (false, _) => &mut judged.forged,
            (true, Some(true)) => &mut judged.broken,
            (true, _) if accepted => &mut judged.still_accepted,
            (true, _) => &mut judged.still_refused,
        };
        *count += 1;
        if accepted && !is_true {
            return Err(format!("a false claim has a certificate: {other:?}"));
        }
        if accepted && is_broken(&other) == Some(true) {
            return Err(format!("a wrong bound is accepted: {other:?}, made of {certificate:?}"));
        }
    }
    Ok(())
}

/// Changes a node, or a set, or the stages of a bound.
fn tamper(certificate: &mut Certificate, random: &mut Random) {
    let count = certificate.nodes.len();
    if certificate.bounds.is_empty() || count == 0 {
        certificate.nodes.push((random.below(3), random.below(3), random.below(3)));
        return;
    }
    let numbers = [0, 1, 2 + random.below(count)];
    let bound = random.below(certificate.bounds.len());
    match random.below(5) {
        0 | 1 => {
            let node = random.below(count);
            let (_, low, high) = &mut certificate.nodes[node];
            *(if random.below(2) == 0 { low } else { high }) = match random.below(3) {
                2 => random.below(node + 2),
                constant => constant,
            };
        }
        2 => {
            let mut values = Vec::new();
            collect(&mut certificate.bounds[bound].proof, &mut values);
            let value = random.below(values.len());
            *values[value] = numbers[random.below(3)];
        }
        3 => {
            let stages = &mut certificate.bounds[bound].proof.stages;
            let stage = random.below(stages.len());
            if stages.len() > 1 && random.below(2) == 0 {
                stages.remove(stage);
            } else {
                stages.insert(stage, stages[stage].clone());
            }
        }
        _ => {
            let other = random.below(certificate.bounds.len());
            let proof = certificate.bounds[other].proof.clone();
            certificate.bounds[bound].proof = proof;
        }
    }
}

fn collect<'a>(proof: &'a mut Proof<usize>, out: &mut Vec<&'a mut usize>) {
    for stage in &mut proof.stages {
        out.extend(&mut stage.values);
        if let Some(inner) = &mut stage.inner {
            collect(inner, out);
        }
    }
}

/// Whether a set that the other certificate ends with is no bound of the exact one; nothing if they cannot be
/// compared, or there are too many tuples.
fn is_broken(exact: &Certificate, other: &Certificate) -> Option<bool> {
    let mut broken = false;
    for (bound, changed) in exact.bounds.iter().zip(&other.bounds) {
        let (mut ours, mut theirs) = (Some(&bound.proof), Some(&changed.proof));
        for block in &bound.blocks {
            let (own, others) = (ours?.stages.last()?, theirs?.stages.last()?);
            if others.values.len() != block.len() {
                return None;
            }
            for ((name, &own), &changed) in block.iter().zip(&own.values).zip(&others.values) {
                let bits = name
                    .columns
                    .iter()
                    .flat_map(|&(lane, copy)| (0..exact.lanes[lane].bits).map(move |bit| (lane, bit, copy)));
                let levels = bits.map(|bit| level(exact, bit)).collect::<Vec<_>>();
                if levels.len() > 10 {
                    return None;
                }
                for pattern in 0..1usize << levels.len() {
                    let value = |at: usize| {
                        levels
                            .iter()
                            .position(|&level| level == at)
                            .is_some_and(|bit| pattern >> bit & 1 == 1)
                    };
                    let (here, there) = (holds(exact, own, &value)?, holds(other, changed, &value)?);
                    broken |= match bound.side {
                        Side::Upper => here && !there,
                        Side::Lower => there && !here,
                    };
                }
            }
            (ours, theirs) = (own.inner.as_ref(), others.inner.as_ref());
        }
    }
    Some(broken)
}

/// The level of a bit: groups from the top, the last copy first.
fn level(certificate: &Certificate, (lane, bit, copy): (usize, usize, usize)) -> usize {
    let groups = certificate.order.iter().take_while(|group| **group != (lane, bit));
    let above = groups.map(|&(lane, _)| certificate.lanes[lane].copies).sum::<usize>();
    above + certificate.lanes[lane].copies - 1 - copy
}

/// Whether a tuple is in a set; nothing if the nodes lead nowhere.
fn holds(certificate: &Certificate, mut number: usize, value: &impl Fn(usize) -> bool) -> Option<bool> {
    for _ in 0..=certificate.nodes.len() {
        if number < 2 {
            return Some(number == 1);
        }
        let (level, low, high) = *certificate.nodes.get(number - 2)?;
        number = if value(level) { high } else { low };
    }
    None
}

/// A file whose last verdict is safe, and the certificate that the prover makes for it.
fn certificate_of(text: &str) -> (System, Certificate) {
    let system = checked(text, None, Keys::AsWritten).unwrap_or_else(|why| panic!("{}", why.0));
    let number = system.verdicts.len() - 1;
    let certificate = prove(&system, number, &[], bdd::ManagerSettings::default()).expect("no limit");
    (system, certificate)
}

fn accepts(system: &System, certificate: &Certificate) -> bool {
    check(system, certificate, bdd::ManagerSettings::default()).is_ok()
}

/// The only stages of the only bound.
fn values(certificate: &Certificate) -> Vec<usize> {
    let [bound] = certificate.bounds.as_slice() else { panic!("one bound: {certificate:?}") };
    bound.proof.stages.iter().map(|stage| stage.values[0]).collect()
}

fn with_values(certificate: &Certificate, values: &[usize]) -> Certificate {
    let mut out = certificate.clone();
    let stage = &out.bounds[0].proof.stages[0];
    out.bounds[0].proof.stages =
        values.iter().map(|&value| Stage { values: vec![value], ..stage.clone() }).collect();
    out
}

/// Everything solves `X(x) = X(x) | x = 0` as well, but it is not the least solution.
#[test]
fn another_solution_than_the_least_is_no_lower_bound() {
    let claim = "range N = 0..1; mu X(x: N) = X(x) | x = 0; verdict safe if X(";
    let (system, certificate) = certificate_of(&format!("{claim}0);"));
    assert_eq!(values(&certificate), [0, 2]);
    assert!(accepts(&system, &certificate));
    let (system, certificate) = certificate_of(&format!("{claim}1);"));
    for forged in [vec![1], vec![0, 1], vec![0, 2, 1], vec![0, 2, 2, 1], vec![1, 1], vec![]] {
        assert!(!accepts(&system, &with_values(&certificate, &forged)), "{forged:?}");
    }
}

/// Nothing solves `X(x) = X(x) & x = 0` as well, but it is not the greatest solution.
#[test]
fn another_solution_than_the_greatest_is_no_upper_bound() {
    let claim = "range N = 0..1; nu X(x: N) = X(x) & x = 0; verdict safe if !X(";
    let (system, certificate) = certificate_of(&format!("{claim}1);"));
    assert_eq!(values(&certificate), [1, 2]);
    assert!(accepts(&system, &certificate));
    let (system, certificate) = certificate_of(&format!("{claim}0);"));
    for forged in [vec![0], vec![1, 0], vec![1, 2, 0], vec![1, 2, 2, 0], vec![0, 0], vec![]] {
        assert!(!accepts(&system, &with_values(&certificate, &forged)), "{forged:?}");
    }
}

/// A certificate need not have the solution: any set that excludes the error and that no step leaves will do.
#[test]
fn a_larger_set_that_no_step_leaves_is_accepted() {
    let text = "range N = 0..3; rel step(x, y: N) = { (0, 1), (1, 0), (2, 2), (2, 0) };
                mu Reach(x: N) = x = 0 | exists y. Reach(y) & step(y, x);
                verdict unsafe if Reach(3); verdict safe;";
    let (system, mut certificate) = certificate_of(text);
    let [reach] = values(&certificate)[..] else { panic!("one set") };
    // The bits of x from the top: 0 and 1 have the first one false; everything but 3 has not both.
    let (first, second) = (certificate.nodes[reach - 2].0, certificate.nodes[reach - 2].0 + 1);
    assert_eq!(certificate.nodes, [(first, 1, 0)]);
    let copies = certificate.lanes[0].copies;
    certificate.nodes = vec![(second + copies - 1, 1, 0), (first, 1, 2)];
    assert!(accepts(&system, &with_values(&certificate, &[3])));
    // With 3 in it, or without 1, it is none.
    assert!(!accepts(&system, &with_values(&certificate, &[1])));
    assert!(!accepts(&system, &with_values(&certificate, &[2])));
    assert!(!accepts(&system, &with_values(&certificate, &[3, 3])), "one set is enough");
}
