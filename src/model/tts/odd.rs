//! What is odd about a thread transition system that has no mistakes.

use super::system::{Kind, System, Transition};
use calculus::diagnostic::Diagnostic;
use std::collections::{BTreeMap, BTreeSet};

pub fn warnings(system: &System) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let idle = system.transitions.iter().filter(|transition| transition.does_nothing()).collect::<Vec<_>>();
    if let [first, ..] = idle[..] {
        let title = match idle.len() {
            1 => "1 transition does nothing".to_string(),
            count => format!("{count} transitions do nothing"),
        };
        out.push(
            Diagnostic::warning("tts::self_loop", title)
                .label(first.span, "this leads back to where it begins")
                .help(
                    "SATABS writes such transitions where a thread is blocked; they count as no transition",
                ),
        );
    }
    repeated(system, &mut out);
    unreached(system, &mut out);
    out
}

/// Transitions that stand there twice.
fn repeated(system: &System, out: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<_, &Transition> = BTreeMap::new();
    let (mut count, mut first) = (0, None);
    for transition in &system.transitions {
        let (number, transfers) = match &transition.kind {
            Kind::Step => (0, &[][..]),
            Kind::Spawn => (1, &[][..]),
            Kind::All => (2, &[][..]),
            Kind::Broadcast(transfers) => (3, &transfers[..]),
        };
        if let Some(before) =
            seen.insert((transition.shared, transition.local, number, transfers), transition)
        {
            count += 1;
            first.get_or_insert((before.span, transition.span));
        }
    }
    if let Some((before, again)) = first {
        let title = match count {
            1 => "1 transition is repeated".to_string(),
            count => format!("{count} transitions are repeated"),
        };
        let warning = Diagnostic::warning("tts::repeated", title).label(again, "again");
        out.push(warning.label(before, "the same before").help("nothing is changed by that: leave them out"));
    }
}

/// Targets that no transition leads to.
fn unreached(system: &System, out: &mut Vec<Diagnostic>) {
    let initial = &system.initial;
    let mut shared = BTreeSet::from([initial.shared]);
    let mut locals = initial.bounded.iter().chain(&initial.unbounded).copied().collect::<BTreeSet<_>>();
    for transition in &system.transitions {
        shared.insert(transition.shared.1);
        locals.insert(transition.local.1);
        if let Kind::Broadcast(transfers) = &transition.kind {
            locals.extend(transfers.iter().map(|(_, to)| *to));
        }
    }
    for target in &system.targets {
        let never = match target.threads.iter().find(|local| !locals.contains(local)) {
            Some(local) => format!("local state {local}"),
            None if !shared.contains(&target.shared) => format!("shared state {}", target.shared),
            None => continue,
        };
        let warning = Diagnostic::warning("tts::idle_target", "nothing leads to this target");
        out.push(
            warning.label(target.span, format!("no run begins in {never}, and no transition leads there")),
        );
    }
}
