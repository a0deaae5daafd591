//! A fragment of CTL over a small Kripke structure: two processes that take turns in a critical section.
//!
//! EF, AG and EG are families over the numbered formulas they are applied to, so each operator is written
//! once. EF is a least fixed point (there is a way to it), AG and EG are greatest ones (on all ways, on
//! some way, it holds for ever). Formulas nest: the formula `open` is EF of `inside`, and AG of `open` says
//! that P can always come to enter later.

enum Phase { Rest, Try, Inside }
enum Process { P, Q }
record State { p, q: Phase, turn: Process }

rel start(s: State) = { State { p = Rest, q = Rest, turn = P } };

let Step(s, t: State) =
    try_p:   s.p = Rest & t = { s with p = Try }
  | enter_p: s.p = Try & (s.q = Rest | s.turn = P) & t = { s with p = Inside, turn = P }
  | leave_p: s.p = Inside & t = { s with p = Rest, turn = Q }
  | try_q:   s.q = Rest & t = { s with q = Try }
  | enter_q: s.q = Try & (s.p = Rest | s.turn = Q) & t = { s with q = Inside, turn = Q }
  | leave_q: s.q = Inside & t = { s with q = Rest, turn = P };

mu Reach(s: State) =
    start: start(s)
  | step:  exists r. Reach(r) & Step(r, s);

// The formulas, by number.
const exclusive = 1;
const inside = 2;
const open = 3;
const waiting = 4;
const outside = 5;

let Holds[f in 1..5](s: State) =
    exclusive: f = exclusive & !(s.p = Inside & s.q = Inside)
  | inside:    f = inside & s.p = Inside
  | open:      f = open & EF[inside](s)
  | waiting:   f = waiting & s.p = Try
  | outside:   f = outside & s.p != Inside;

mu EF[f in 1..5](s: State) =
    now:   Holds[f](s)
  | later: exists t. Step(s, t) & EF[f](t);
nu AG[f in 1..5](s: State) = Holds[f](s) & forall t. Step(s, t) -> AG[f](t);
nu EG[f in 1..5](s: State) = Holds[f](s) & exists t. Step(s, t) & EG[f](t);

query States(s: State) = Reach(s);
query Exclusive = forall s. start(s) -> AG[exclusive](s);
query AlwaysOpen = forall s. start(s) -> AG[open](s);
// Nobody waits for ever, but P may stay outside for ever without waiting.
query Starves(s: State) = Reach(s) & EG[waiting](s);
query StaysOutside(s: State) = Reach(s) & EG[outside](s);

//@ States: 12 tuples
//@ Exclusive: true
//@ AlwaysOpen: true
//@ Starves: 0 tuples
//@ StaysOutside: 5 tuples
