//! The oracle: backward search for whether a target can be covered by any number of threads.
//!
//! A set of configurations that is closed under more threads is kept as its least elements: a shared state and a multiset
//! of local states. Beginning with the target, what can step into the set in one transition is added until nothing new
//! comes, which always happens. (Abdulla, Čerāns, Jonsson, Tsay: General decidability theorems for infinite-state systems.)

use fpsolve::model::tts::system::{Kind, System, Target, Transition};

/// A shared state, and local states in order.
type Least = (u32, Vec<u32>);

/// More elements than these are given up.
const MOST: usize = 20_000;

/// Whether the target can be covered; nothing if there are too many elements.
pub fn coverable(system: &System, target: &Target) -> Option<bool> {
    let mut found: Vec<Least> = vec![(target.shared, target.threads.clone())];
    let mut next = 0;
    while next < found.len() {
        let element = found[next].clone();
        next += 1;
        if begins(system, &element) {
            return Some(true);
        }
        for transition in &system.transitions {
            for before in predecessors(transition, &element) {
                if !found.iter().any(|smaller| covers(&before, smaller)) {
                    found.push(before);
                }
            }
        }
        if found.len() > MOST {
            return None;
        }
    }
    Some(false)
}

/// Whether a configuration has all that another one has.
fn covers(large: &Least, small: &Least) -> bool {
    large.0 == small.0 && without(&large.1, &small.1).is_some()
}

/// A multiset less another one, if that is in it.
fn without(large: &[u32], small: &[u32]) -> Option<Vec<u32>> {
    let mut rest = large.to_vec();
    for wanted in small {
        let at = rest.iter().position(|local| local == wanted)?;
        rest.remove(at);
    }
    Some(rest)
}

fn begins(system: &System, (shared, threads): &Least) -> bool {
    let initial = &system.initial;
    let single =
        threads.iter().filter(|local| !initial.unbounded.contains(local)).copied().collect::<Vec<_>>();
    *shared == initial.shared && without(&initial.bounded, &single).is_some()
}

fn predecessors(transition: &Transition, (shared, threads): &Least) -> Vec<Least> {
    let ((s, s2), (l, l2)) = (transition.shared, transition.local);
    if s2 != *shared {
        return Vec::new();
    }
    let with = |mut threads: Vec<u32>, more: &[u32]| {
        threads.extend(more);
        threads.sort_unstable();
        (s, threads)
    };
    match &transition.kind {
        Kind::Spawn => {
            let mut out = vec![with(threads.clone(), &[l])];
            out.extend(without(threads, &[l2]).map(|rest| with(rest, &[l])));
            // The creator may be one of those that are wanted, and stays where it is.
            out.extend(without(threads, &[l]).map(|rest| with(rest, &[l])));
            out.extend(without(threads, &[l, l2]).map(|rest| with(rest, &[l])));
            out
        }
        Kind::All => origins(transition, threads).into_iter().map(|threads| with(threads, &[])).collect(),
        Kind::Step | Kind::Broadcast(_) => {
            let mut others = vec![threads.clone()];
            others.extend(without(threads, &[l2]));
            let before = others.iter().flat_map(|others| origins(transition, others));
            before.map(|others| with(others, &[l])).collect()
        }
    }
}

/// Where threads that are moved can have been.
fn origins(transition: &Transition, threads: &[u32]) -> Vec<Vec<u32>> {
    let mut out = vec![Vec::new()];
    for local in threads {
        let moved: Vec<(u32, u32)> = match &transition.kind {
            Kind::Step | Kind::Spawn => Vec::new(),
            Kind::All => vec![transition.local],
            Kind::Broadcast(transfers) => transfers.clone(),
        };
        let stays = moved.iter().all(|(from, _)| from != local).then_some(*local);
        let mut from = moved.iter().filter(|(_, to)| to == local).map(|(from, _)| *from).collect::<Vec<_>>();
        from.extend(stays);
        from.sort_unstable();
        from.dedup();
        let longer = |threads: &Vec<u32>| {
            let longer = from.iter().map(|from| [&threads[..], &[*from]].concat());
            longer.collect::<Vec<_>>()
        };
        out = out.iter().flat_map(longer).collect();
    }
    out
}
