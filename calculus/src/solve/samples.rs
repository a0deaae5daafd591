//! How a relation grew: its size at some of its rounds. The samples are few, however many rounds there are.

/// When there are so many samples, every second one is dropped, and from then on every second one is not taken: a
/// relation of r rounds is measured O(log r) times this often.
const MOST: usize = 128;

/// The size of a relation when it had been through so many rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// How many rounds.
    pub round: u64,
    /// How many rows it had then.
    pub rows: usize,
    /// BDD nodes of all rows together, shared ones counted once.
    pub nodes: usize,
}

/// Some sizes of one relation, in the order of the rounds.
#[derive(Clone, Debug)]
pub struct Samples {
    taken: Vec<Sample>,
    stride: u64,
}

impl Default for Samples {
    fn default() -> Self {
        Samples { taken: Vec::new(), stride: 1 }
    }
}

impl Samples {
    /// In the order of rounds.
    pub fn taken(&self) -> &[Sample] {
        &self.taken
    }

    /// The largest number of nodes that was seen.
    pub fn peak(&self) -> usize {
        self.taken.iter().map(|sample| sample.nodes).max().unwrap_or(0)
    }

    /// Whether a sample is to be taken after so many rounds.
    pub(super) fn wants(&self, round: u64) -> bool {
        round.is_multiple_of(self.stride)
    }

    pub(super) fn take(&mut self, sample: Sample) {
        self.taken.push(sample);
        if self.taken.len() == MOST {
            self.stride *= 2;
            let stride = self.stride;
            self.taken.retain(|sample| sample.round.is_multiple_of(stride));
        }
    }

    /// The size at the end counts whatever its round is.
    pub(super) fn end(&mut self, sample: Sample) {
        self.taken.pop_if(|last| last.round == sample.round);
        self.taken.push(sample);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(rounds: u64) -> (Samples, usize) {
        let (mut samples, mut measured) = (Samples::default(), 0);
        for round in 0..rounds {
            if samples.wants(round) {
                samples.take(Sample { round, rows: round as usize, nodes: 1 });
                measured += 1;
            }
        }
        samples.end(Sample { round: rounds, rows: rounds as usize, nodes: 1 });
        (samples, measured)
    }

    #[test]
    fn samples_are_few_and_evenly_spaced() {
        let (samples, measured) = grown(1_000_000);
        let rounds = samples.taken().iter().map(|sample| sample.round).collect::<Vec<_>>();
        assert!((MOST / 2..=MOST).contains(&rounds.len()), "{rounds:?}");
        assert_eq!(rounds[0], 0);
        assert_eq!(rounds.last(), Some(&1_000_000));
        let steps = rounds.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>();
        assert!(steps[..steps.len() - 1].iter().all(|step| *step == steps[0]), "{steps:?}");
        assert!(measured < 20 * MOST, "{measured}");
    }

    #[test]
    fn a_few_rounds_are_all_sampled() {
        let (samples, _) = grown(5);
        assert_eq!(samples.taken().len(), 6);
    }
}
