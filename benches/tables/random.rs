//! Random numbers that are the same on every machine and in every version: the programs of a table can be
//! generated again years later.

/// Marsaglia's xorshift on 64 bits, with a multiplication at the end (xorshift64*).
pub struct Random {
    state: u64,
}

impl Random {
    /// Neighbouring seeds give sequences that have nothing in common: the seed is scrambled first (splitmix64).
    pub fn new(seed: u64) -> Random {
        let mut state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // The one state that xorshift never leaves is 0.
        Random { state: (state ^ (state >> 31)).max(1) }
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32
    }

    /// A number from 0 to `below` - 1.
    pub fn below(&mut self, below: usize) -> usize {
        assert!(below > 0, "there is nothing to choose from");
        self.next() as usize % below
    }

    /// A number from `first` to `last`.
    pub fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
