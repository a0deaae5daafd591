//! Random thread transition systems.

use super::chance::Random;

/// What may occur in a system.
#[derive(Clone, Copy, Debug)]
pub struct Forms {
    pub spawns: bool,
    pub broadcasts: bool,
    /// `s l ~> s' l'`
    pub sweeps: bool,
    /// Any number of threads at some local states.
    pub unbounded: bool,
    /// How many threads a target may have.
    pub cover: usize,
}

impl Forms {
    pub const ALL: Forms = Forms { spawns: true, broadcasts: true, sweeps: true, unbounded: true, cover: 3 };
    /// Only threads that make steps, a fixed number of them, and targets of one.
    pub const PLAIN: Forms =
        Forms { spawns: false, broadcasts: false, sweeps: false, unbounded: false, cover: 1 };
}

/// A file, where its runs begin and what must not be reached.
#[derive(Clone, Debug)]
pub struct Sample {
    pub text: String,
    pub initial: String,
    pub target: String,
}

pub fn sample(random: &mut Random, forms: Forms) -> Sample {
    let (shared, locals) = (1 + random.below(4), 2 + random.below(4));
    let mut text = format!("{shared} {locals}\n");
    for _ in 0..2 + random.below(9) {
        let kind = random.below(10);
        let arrow = match kind {
            0 | 1 if forms.spawns => "+>",
            2 if forms.sweeps => "~>",
            _ => "->",
        };
        let (s, s2) = (random.below(shared), random.below(shared));
        let (l, l2) = (random.below(locals), random.below(locals));
        text += &format!("{s} {l} {arrow} {s2} {l2}");
        if arrow == "->" && forms.broadcasts && kind > 6 {
            for _ in 0..1 + random.below(3) {
                text += &format!(" {} ~> {}", random.below(locals), random.below(locals));
            }
        }
        text += "\n";
        // The same step with other transfers, and the same shared states with other threads.
        if forms.broadcasts && kind == 9 {
            text += &format!("{s} {l} -> {s2} {l2} {} ~> {}\n", random.below(locals), random.below(locals));
        }
        if forms.sweeps && kind == 2 {
            text += &format!("{s} {} ~> {s2} {}\n", random.below(locals), random.below(locals));
        }
    }
    let list = |random: &mut Random, most: usize| {
        let places = (0..most).map(|_| random.below(locals).to_string());
        places.collect::<Vec<_>>().join(",")
    };
    let begin = random.below(shared);
    let initial = match random.below(3) {
        0 if forms.unbounded => format!("{begin}/{}", list(random, 1)),
        1 if forms.unbounded => format!("{begin}|{}/{}", list(random, 1), list(random, 1)),
        _ => {
            let most = 1 + random.below(2);
            format!("{begin}|{}", list(random, most))
        }
    };
    let threads = if forms.cover == 1 { random.below(2) } else { random.below(forms.cover + 1) };
    let target = format!("{}|{}", random.below(shared), list(random, threads));
    Sample { text, initial, target }
}
