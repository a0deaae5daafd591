//! Linear temporal logic: does every run of a system satisfy a formula? The formula comes as an automaton
//! for its negation, in facts: a Büchi automaton that reads the letter of each state of a run, and accepts
//! the runs that violate the formula. Here it is G (asks → F served): the automaton guesses the request
//! that is never served, and waits for ever.
//!
//! The system and the automaton run together. A run violates the formula if accepting places are met on it
//! again and again, which is CTL on the pairs: `Again` of lib/ctl.fp, νZ μY.

param states in 1.. = 6;  // of the system, numbered from 0
param places in 1.. = 2;  // of the automaton, numbered from 0

range Node = 0..states-1;
range Place = 0..places-1;
enum Letter { Idle, Asks, Served }
record Pair { x: Node, a: Place }

input first(x: Node);
input edge(x, y: Node);
input letter(x: Node, l: Letter);
input begins(a: Place);
input reads(a: Place, l: Letter, a': Place);
input accepts(a: Place);

// The automaton reads the letter of the state that is left.
let Step(p, q: Pair) = edge(p.x, q.x) & exists l. letter(p.x, l) & reads(p.a, l, q.a);

use "lib/ctl.fp" as pairs with State = Pair, step = Step;
use "lib/closure.fp";

let Start(p: Pair) = first(p.x) & begins(p.a);
let Any(p: Pair) = p = p;
let Accepting(p: Pair) = accepts(p.a);

query Violated = exists p. Start(p) & pairs.Again[Any, Accepting](p);
// The states on runs that violate the formula.
query Where(x: Node) = exists p. p.x = x & From[Start, Step](p) & pairs.Again[Any, Accepting](p);

//@ facts=facts/ltl Violated: true
//@ facts=facts/ltl Where: 6 tuples
//@ facts=facts/ltl_served Violated: false
