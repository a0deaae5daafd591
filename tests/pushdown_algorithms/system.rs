//! Random pushdown systems, as data for the oracles and as the texts that the front end reads.

use std::fmt::Write;

/// xorshift
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// A stack symbol; 0 is the bottom, which a file writes `-`.
pub type Symbol = usize;
pub const BOTTOM: Symbol = 0;

/// (s, a) becomes s' with a word in place of a: nothing, one symbol, or two, the top first. The word of a rule for
/// the bottom ends with the bottom.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    pub from: usize,
    pub top: Symbol,
    pub to: usize,
    pub word: Vec<Symbol>,
}

#[derive(Clone, Debug)]
pub struct System {
    pub shared: usize,
    pub threads: Vec<Vec<Rule>>,
    pub start: usize,
    /// Tops first, each with the bottom at its end.
    pub stacks: Vec<Vec<Symbol>>,
    /// The shared state and the tops; nothing is any top.
    pub target: (usize, Vec<Option<Symbol>>),
}

/// How a symbol is written.
pub fn shown(symbol: Symbol) -> String {
    if symbol == BOTTOM { "-".into() } else { symbol.to_string() }
}

impl System {
    pub fn random(random: &mut Random, threads: usize) -> System {
        let (shared, symbols) = (1 + random.below(4), 1 + random.below(4));
        let rules = |random: &mut Random| {
            let count = random.below(2 * shared + 2 * symbols + 1);
            let mut rules = (0..count).map(|_| rule(random, shared, symbols)).collect::<Vec<_>>();
            rules.sort();
            rules.dedup();
            rules
        };
        let threads = (0..threads).map(|_| rules(random)).collect::<Vec<_>>();
        let stack = |random: &mut Random| {
            let height = if random.one_in(6) { 2 + random.below(2) } else { usize::from(!random.one_in(8)) };
            let mut stack = (0..height).map(|_| 1 + random.below(symbols)).collect::<Vec<_>>();
            stack.push(BOTTOM);
            stack
        };
        let stacks = threads.iter().map(|_| stack(random)).collect::<Vec<_>>();
        let tops = threads.iter().map(|_| (!random.one_in(3)).then(|| random.below(symbols + 1))).collect();
        let (start, hit) = (random.below(shared), random.below(shared));
        System { shared, threads, start, stacks, target: (hit, tops) }
    }

    /// The text of the `.pds` file.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n", self.shared);
        for rules in &self.threads {
            out.push_str("PDA 1 9\n");
            for rule in rules {
                let word = match rule.word[..] {
                    [] => "-".into(),
                    [top, BOTTOM] if rule.top == BOTTOM => shown(top),
                    _ => rule.word.iter().map(|symbol| shown(*symbol)).collect::<Vec<_>>().join(" "),
                };
                writeln!(out, "{} {} -> {} {word}", rule.from, shown(rule.top), rule.to).unwrap();
            }
        }
        out
    }

    /// `0|1.2,-`
    pub fn initial(&self) -> String {
        let stack = |stack: &Vec<Symbol>| match &stack[..stack.len() - 1] {
            [] => "-".into(),
            symbols => symbols.iter().map(|symbol| shown(*symbol)).collect::<Vec<_>>().join("."),
        };
        format!("{}|{}", self.start, self.stacks.iter().map(stack).collect::<Vec<_>>().join(","))
    }

    /// `0|1,*`
    pub fn wanted(&self) -> String {
        let tops = self.target.1.iter().map(|top| top.map_or("*".into(), shown)).collect::<Vec<_>>();
        format!("{}|{}", self.target.0, tops.join(","))
    }

    pub fn is_target(&self, shared: usize, tops: &[Symbol]) -> bool {
        let fits = |(wanted, top): (&Option<Symbol>, &Symbol)| wanted.is_none_or(|wanted| wanted == *top);
        shared == self.target.0 && self.target.1.iter().zip(tops).all(fits)
    }

    /// For messages.
    pub fn told(&self) -> String {
        format!("{}initial {} target {}\n", self.text(), self.initial(), self.wanted())
    }
}

fn rule(random: &mut Random, shared: usize, symbols: usize) -> Rule {
    let (from, to) = (random.below(shared), random.below(shared));
    let symbol = |random: &mut Random| 1 + random.below(symbols);
    if random.one_in(12) {
        return Rule { from, top: BOTTOM, to, word: vec![symbol(random), BOTTOM] };
    }
    let top = symbol(random);
    let word = (0..random.below(3)).map(|_| symbol(random)).collect();
    Rule { from, top, to, word }
}
