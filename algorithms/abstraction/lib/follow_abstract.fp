//! Whether the abstraction by predicates still has a run that is given: follow.fp, blurred where seats_abstract.fp and
//! interleaving_abstract.fp blur.
use program;
use route;
use "../../lib/init.fp";
use "../../lib/blur.fp" with seats = route.seats;

sort Mark = 0..route.length;

let Blurs(q: State, s: Shared) =
    left: pause(q, s)
  | loop: loop_head(q.pc);

// After i steps the threads are in q.
mu After(i: Mark, q: State[1..seats], s: Shared) =
    start: i = 0 & Init(s) & each t in 1..seats: sits[t](q[t])
  | exact: some t in 1..seats: Next[t](i, q, s) & !Blurs(q[t], s)
  | blur:  Blur[Open](i, q, s);

// Thread t made the i-th step.
mu Next[t in 1..seats](i: Mark, q: State[1..seats], s: Shared) =
    step:   exists e, p, r. e + 1 = i & After(e, q[t := p], r) & step(p, r, q[t], s)
                            & goes[t](i, p.pc, q[t].pc)
  | make:   program.spawns = 1
            & some l in 1..seats: l != t & makes[l](i)
                                  & exists e, p, r, y. e + 1 = i & After(e, q[t := p][l := y], r)
                                                       & spawn(p, r, q[t], s, q[l])
                                                       & goes[t](i, p.pc, q[t].pc)
  | unseen: program.spawns = 1 & (each l in 1..seats: !makes[l](i))
            & exists e, p, r, n. e + 1 = i & After(e, q[t := p], r) & spawn(p, r, q[t], s, n)
                                 & goes[t](i, p.pc, q[t].pc);

let Open(i: Mark, q: State[1..seats], s: Shared) = some t in 1..seats: Next[t](i, q, s) & Blurs(q[t], s);

query Possible = exists q, s. After(route.length, q, s);
hint keyed Mark;
hint symbolic Pc;
