//! Random pushdown systems, and their explicit exploration with bounded stacks, written apart from the front end.

use std::collections::BTreeSet;

/// A generator of numbers: the same seed gives the same system.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

/// `s a -> s' w`; an empty a is the empty stack.
pub type Rule = (u32, Option<u32>, u32, Vec<u32>);

/// A control state and a top for each stack.
pub type Target = (Option<u32>, Vec<Option<Option<u32>>>);

#[derive(Clone, Debug)]
pub struct Random {
    pub states: u32,
    pub threads: Vec<Vec<Rule>>,
    pub initial: (u32, Vec<Vec<u32>>),
    /// The control state and the tops; nothing is `*`, and an empty top is the empty stack.
    pub targets: Vec<Target>,
}

impl Random {
    pub fn new(seed: u64, most_threads: u64) -> Random {
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
        let states = 1 + numbers.below(4) as u32;
        let symbols = 1 + numbers.below(4) as u32;
        // Numbers are names: they need not be neighbours.
        let names = (0..symbols).map(|symbol| symbol * (1 + numbers.below(3) as u32) + 3 * symbol);
        let names = names.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>();
        let symbol = |numbers: &mut Numbers| names[numbers.below(names.len() as u64) as usize];
        let state = |numbers: &mut Numbers| numbers.below(states.into()) as u32;
        let threads = (0..1 + numbers.below(most_threads)).map(|_| {
            let rules = (0..1 + numbers.below(8)).map(|_| {
                let (from, to) = (state(&mut numbers), state(&mut numbers));
                if numbers.below(8) == 0 {
                    return (from, None, to, vec![symbol(&mut numbers)]);
                }
                let word = (0..[0, 1, 1, 2, 2][numbers.below(5) as usize]).map(|_| symbol(&mut numbers));
                let word = word.collect();
                (from, Some(symbol(&mut numbers)), to, word)
            });
            rules.collect::<Vec<_>>()
        });
        let threads = threads.collect::<Vec<_>>();
        let stacks = threads.iter().map(|_| {
            let height = numbers.below(4);
            (0..height).map(|_| symbol(&mut numbers)).collect()
        });
        let stacks = stacks.collect::<Vec<Vec<u32>>>();
        let initial = (state(&mut numbers), stacks);
        let targets = (0..1 + numbers.below(2)).map(|_| {
            let shared = (numbers.below(5) > 0).then(|| state(&mut numbers));
            let tops = threads.iter().map(|_| match numbers.below(4) {
                0 => None,
                1 => Some(None),
                _ => Some(Some(symbol(&mut numbers))),
            });
            (shared, tops.collect())
        });
        let targets = targets.collect();
        Random { states, threads, initial, targets }
    }

    /// The rules, the initial configuration and the targets as files.
    pub fn texts(&self) -> (String, String, String) {
        let mut rules = format!("{}\n", self.states);
        for thread in &self.threads {
            rules += "PDA 0 20\n";
            for (from, top, to, word) in thread {
                let top = top.map_or("-".into(), |top| top.to_string());
                let word = if word.is_empty() { "-".into() } else { joined(word, " ") };
                rules += &format!("{from} {top} -> {to} {word}\n");
            }
        }
        let stacks = self.initial.1.iter().map(|stack| word(stack)).collect::<Vec<_>>().join(",");
        let targets = self.targets.iter().map(|(shared, tops)| {
            let tops = tops.iter().map(|top| match top {
                None => "*".into(),
                Some(None) => "-".into(),
                Some(Some(top)) => top.to_string(),
            });
            let shared = shared.map_or("*".into(), |shared| shared.to_string());
            format!("{shared}|{}\n", tops.collect::<Vec<_>>().join(","))
        });
        (rules, format!("{}|{stacks}", self.initial.0), targets.collect())
    }

    fn steps(&self, thread: usize, (shared, stacks): &Configuration) -> Vec<Configuration> {
        let applies = self.threads[thread]
            .iter()
            .filter(|(from, top, ..)| from == shared && top.as_ref() == stacks[thread].first());
        let after = applies.map(|(_, top, to, word)| {
            let mut stacks = stacks.clone();
            let rest = &stacks[thread][usize::from(top.is_some())..];
            stacks[thread] = word.iter().chain(rest).copied().collect();
            (*to, stacks)
        });
        after.collect()
    }

    /// All configurations with at most `depth` symbols on each stack, and whether one of them leads to a larger one.
    pub fn explored(&self, depth: usize) -> (BTreeSet<Configuration>, bool) {
        let fits = |at: &Configuration| at.1.iter().all(|stack| stack.len() <= depth);
        let (mut seen, mut deeper) = (BTreeSet::new(), !fits(&self.initial));
        let mut work = vec![self.initial.clone()];
        work.retain(fits);
        while let Some(at) = work.pop() {
            if !seen.insert(at.clone()) {
                continue;
            }
            for after in (0..self.threads.len()).flat_map(|thread| self.steps(thread, &at)) {
                deeper |= !fits(&after);
                work.extend(Some(after).filter(fits));
            }
        }
        (seen, deeper)
    }

    /// The configurations within some rounds, with at most `depth` symbols on each stack.
    pub fn in_rounds(&self, rounds: usize, depth: usize) -> BTreeSet<Configuration> {
        let mut now = BTreeSet::from([self.initial.clone()]);
        for _ in 0..rounds {
            for thread in 0..self.threads.len() {
                let mut work = now.iter().cloned().collect::<Vec<_>>();
                while let Some(at) = work.pop() {
                    for after in self.steps(thread, &at) {
                        if after.1[thread].len() <= depth && now.insert(after.clone()) {
                            work.push(after);
                        }
                    }
                }
            }
        }
        now
    }

    pub fn is_target(&self, (shared, stacks): &Configuration) -> bool {
        self.targets.iter().any(|(wanted, tops)| {
            let top = |(wanted, stack): (&Option<Option<u32>>, &Vec<u32>)| {
                wanted.is_none_or(|wanted| wanted.as_ref() == stack.first())
            };
            wanted.is_none_or(|wanted| wanted == *shared) && tops.iter().zip(stacks).all(top)
        })
    }
}

/// A control state and the stacks, their tops first.
pub type Configuration = (u32, Vec<Vec<u32>>);

pub fn joined(symbols: &[u32], between: &str) -> String {
    symbols.iter().map(u32::to_string).collect::<Vec<_>>().join(between)
}

pub fn word(stack: &[u32]) -> String {
    if stack.is_empty() { "-".into() } else { joined(stack, ".") }
}
