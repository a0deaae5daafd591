//! A thread that moves tokens between registers: as many statements and registers as wanted, all of them reachable, no
//! calls, and sets of states that stay moderate because the number of tokens never changes between two blocks.

use super::Text;
use crate::random::Random;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub statements: usize,
    pub registers: usize,
    pub tokens: usize,
}

/// Registers in one statement are neighbours: no further apart than this.
const WINDOW: usize = 5;
/// How many moves a block makes.
const MOVES: usize = 4;

/// With `copies`, any number of threads do so.
pub fn program(size: &Size, seed: u64, copies: bool) -> String {
    let mut random = Random::new(seed);
    let mut text = Text::default();
    let names = (0..size.registers).map(|at| format!("r{at}")).collect::<Vec<_>>();
    // They do not begin in a row.
    let value = |at: usize| if at.is_multiple_of(2) && at / 2 < size.tokens { "T" } else { "F" };
    let values = (0..size.registers).map(value).collect::<Vec<_>>();
    text.line(&format!("decl {};", names.join(", ")));
    text.line("");
    text.open("init begin");
    text.simple(&format!("{} := {}", names.join(", "), values.join(", ")));
    text.close("end");
    text.line("");
    text.open(if copies { "thread mover* begin" } else { "thread mover begin" });
    text.line("decl held;");
    text.head("while (T) do");
    text.head("if (*) then");
    // There are not so many tokens.
    text.simple(&format!("assert(!({}))", names[..=size.tokens].join(" & ")));
    while text.statements < size.statements {
        text.arm("elsif (*) then");
        // Two threads in the middle of a move could make one token of two, or two of one.
        text.simple(if copies { "atomic_begin" } else { "skip" });
        for _ in 0..MOVES {
            step(&mut text, &mut random, size.registers);
        }
        text.simple(if copies { "atomic_end" } else { "skip" });
    }
    text.close("fi");
    text.close("od");
    text.close("end");
    text.out
}

fn step(text: &mut Text, random: &mut Random, registers: usize) {
    let first = random.below(registers - WINDOW + 1);
    let (a, b) = (first + random.below(WINDOW), first + random.below(WINDOW));
    if a == b {
        return text.simple("skip");
    }
    match random.below(4) {
        0 => text.simple(&format!("r{a}, r{b} := r{b}, r{a}")),
        1 => {
            text.head(&format!("if (r{a} & !r{b}) then"));
            text.simple(&format!("r{a} := F"));
            text.simple(&format!("r{b} := T"));
            text.close("fi");
        }
        2 => {
            text.simple(&format!("held := r{a} & !r{b}"));
            text.head("if (held) then");
            text.simple(&format!("r{a}, r{b} := F, T"));
            text.close("fi");
        }
        _ => {
            text.simple(&format!("held := r{a}"));
            text.simple(&format!("r{a} := r{b}"));
            text.simple(&format!("r{b} := held"));
        }
    }
}
