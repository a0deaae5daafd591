//! Which locals matter at a location: those that some path reads before it writes them.

use super::*;

/// A set of locals of one flow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Locals(Vec<u64>);

impl Locals {
    pub fn none(n: usize) -> Locals {
        Locals(vec![0; n.div_ceil(64)])
    }

    pub fn contains(&self, local: u32) -> bool {
        self.0[local as usize / 64] >> (local % 64) & 1 == 1
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.0).flat_map(|(at, word)| bits(*word).map(move |bit| at * 64 + bit))
    }

    /// Those that are not in the other set.
    pub fn without(&self, other: &Locals) -> Locals {
        Locals(self.0.iter().zip(&other.0).map(|(mine, theirs)| mine & !theirs).collect())
    }

    pub fn insert(&mut self, local: u32) {
        self.0[local as usize / 64] |= 1 << (local % 64);
    }

    fn remove(&mut self, local: u32) {
        self.0[local as usize / 64] &= !(1 << (local % 64));
    }

    /// Whether anything was added.
    pub fn add(&mut self, other: &Locals) -> bool {
        let mut added = false;
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            added |= *theirs & !*mine != 0;
            *mine |= theirs;
        }
        added
    }
}

/// Where a set of each local is given: puts each into the sets of its members. Works on squares of 64 by 64 bits.
pub fn make_symmetric(sets: &mut [Locals]) {
    for low in 0..sets.len().div_ceil(64) {
        for high in 0..=low {
            let (mut one, mut other) = (square(sets, low, high), square(sets, high, low));
            (one, other) = (transposed(other), transposed(one));
            for (at, (one, other)) in one.into_iter().zip(other).enumerate() {
                if let Some(set) = sets.get_mut(low * 64 + at) {
                    set.0[high] |= one;
                }
                if let Some(set) = sets.get_mut(high * 64 + at) {
                    set.0[low] |= other;
                }
            }
        }
    }
}

/// The words at a position of 64 sets.
fn square(sets: &[Locals], first: usize, word: usize) -> [u64; 64] {
    std::array::from_fn(|at| sets.get(first * 64 + at).map_or(0, |set| set.0[word]))
}

/// Rows become columns: halves of halves are exchanged.
fn transposed(mut rows: [u64; 64]) -> [u64; 64] {
    let (mut half, mut mask) = (32, 0x0000_0000_ffff_ffff_u64);
    while half > 0 {
        for at in (0..64).filter(|at| at & half == 0) {
            let exchanged = (rows[at] >> half ^ rows[at + half]) & mask;
            rows[at] ^= exchanged << half;
            rows[at + half] ^= exchanged;
        }
        half /= 2;
        mask ^= mask << half;
    }
    rows
}

/// The positions of the ones.
fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(bit)
    })
}

/// Live locals per location, as the least solution of
/// `live(q) = union over edges q -> r of reads(edge) + (live(r) - writes(edge))`, with the results live at the exit.
/// An edge that creates a thread reads what `created` says, and what is live where the thread begins if it copies locals.
pub fn live_locals<'f, C>(flow: &'f Flow<C>, created: impl Fn(&'f C) -> CreationEffect<'f>) -> Vec<Locals> {
    let mut live = vec![Locals::none(flow.locals.len()); flow.locations.len()];
    for result in &flow.results {
        if let Var::Local(result) = result {
            live[flow.exit.index()].insert(*result);
        }
    }
    let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); flow.locations.len()];
    for (index, edge) in flow.edges.iter().enumerate() {
        incoming[edge.to.index()].push(index);
        if let Some(begin) = begin(edge, &created) {
            incoming[begin.index()].push(index);
        }
    }
    // Edges are in reverse postorder: from the last to the first, all that is behind an edge is known but for loops.
    let mut stale = vec![true; flow.edges.len()];
    while stale.contains(&true) {
        for (index, edge) in flow.edges.iter().enumerate().rev() {
            if !std::mem::replace(&mut stale[index], false) {
                continue;
            }
            let mut before = live[edge.to.index()].clone();
            transfer(edge, &created, &mut before);
            if let Some(begin) = begin(edge, &created) {
                before.add(&live[begin.index()]);
            }
            if live[edge.from.index()].add(&before) {
                incoming[edge.from.index()].iter().for_each(|&index| stale[index] = true);
            }
        }
    }
    // What others change or look at matters until the thread ends, and so does what it depends on.
    let mut pinned = Locals::none(flow.locals.len());
    for others in flow.edges.iter().filter_map(Edge::others) {
        for var in others.theirs().chain(others.of_the_running()) {
            if let Var::Local(local) = var {
                pinned.insert(local);
            }
        }
    }
    for (_, live) in (0..).map(Loc).zip(&mut live).filter(|(loc, _)| flow.takes_part(*loc)) {
        live.add(&pinned);
    }
    live
}

/// What an edge that creates a thread does to locals.
pub enum CreationEffect<'f> {
    /// It reads these; a thread that begins in the middle of its creator's procedure gets all that matters there.
    Start { arguments: &'f [Expr], begin: Option<Loc> },
    /// A thread that wakes up gets all its locals from its creator, or begins at an entry.
    Wake,
}

fn begin<'f, C>(edge: &'f Edge<C>, created: &impl Fn(&'f C) -> CreationEffect<'f>) -> Option<Loc> {
    match &edge.action {
        Action::Create(creation) => match created(creation) {
            CreationEffect::Start { begin, .. } => begin,
            CreationEffect::Wake => None,
        },
        Action::Assign { .. } | Action::Call { .. } => None,
    }
}

fn transfer<'f, C>(edge: &'f Edge<C>, created: &impl Fn(&'f C) -> CreationEffect<'f>, live: &mut Locals) {
    let mut reads: Vec<&Expr> = vec![&edge.guard];
    match &edge.action {
        Action::Assign { values, constraint, .. } => {
            for (var, value) in values {
                if let Var::Local(local) = var {
                    live.remove(*local);
                }
                if let AssignedValue::Is(value) = value {
                    reads.push(value);
                }
            }
            reads.extend(constraint);
            // A new value that was not assigned is the old one.
            let assigned = |var: Var| values.iter().any(|(assigned, _)| *assigned == var);
            for op in constraint.iter().flat_map(|constraint| &constraint.code) {
                if let Op::New(var @ Var::Local(local)) = op
                    && !assigned(*var)
                {
                    live.insert(*local);
                }
            }
        }
        Action::Call { arguments, targets, .. } => {
            for target in targets {
                if let Some(Var::Local(local)) = target {
                    live.remove(*local);
                }
            }
            reads.extend(arguments);
        }
        Action::Create(creation) => match created(creation) {
            CreationEffect::Start { arguments, .. } => reads.extend(arguments),
            CreationEffect::Wake => live.0.fill(0),
        },
    }
    for op in reads.into_iter().flat_map(|expression| &expression.code) {
        if let Op::Old(Var::Local(local)) = op {
            live.insert(*local);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_become_symmetric() {
        for count in [0usize, 1, 63, 64, 65, 200] {
            let mut sets = vec![Locals::none(count); count];
            let pairs = (0..count).flat_map(|a| [(a, (a * 7 + 3) % count), (a, a * a % count)]);
            let pairs = pairs.collect::<Vec<_>>();
            pairs.iter().for_each(|(a, b)| sets[*a].insert(*b as u32));
            make_symmetric(&mut sets);
            for (a, set) in sets.iter().enumerate() {
                let expected = (0..count).filter(|b| pairs.contains(&(a, *b)) || pairs.contains(&(*b, a)));
                assert!(set.iter().map(|b| b as usize).eq(expected), "{a} of {count}");
            }
        }
    }
}
