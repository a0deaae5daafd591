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
mu After[i in 0..route.length](q: State[1..seats], s: Shared) =
    start: i = 0 & Init(s) & each t in 1..seats: sits[t](q[t])
  | exact: i > 0 & some t in 1..seats: Next[i, t](q, s) & !Blurs(q[t], s)
  | blur:  i > 0
           & exists x. Blur[{ (x, v, r) | x = i & some t in 1..seats: Next[i, t](v, r) & Blurs(v[t], r) }](x, q, s);

// Thread t made the i-th step.
mu Next[i in 1..route.length, t in 1..seats](q: State[1..seats], s: Shared) =
    step:   exists p, r. After[i-1](q[t := p], r) & step(p, r, q[t], s) & goes[(i - 1)*seats+t](p.pc, q[t].pc)
  | make:   program.spawns = 1
            & some l in 1..seats: makes[(i - 1)*seats+l]()
                                  & exists p, r, y. After[i-1](q[t := p][l := y], r) & spawn(p, r, q[t], s, q[l])
                                                    & goes[(i - 1)*seats+t](p.pc, q[t].pc)
  | unseen: program.spawns = 1 & (each l in 1..seats: !makes[(i - 1)*seats+l]())
            & exists p, r, n. After[i-1](q[t := p], r) & spawn(p, r, q[t], s, n)
                              & goes[(i - 1)*seats+t](p.pc, q[t].pc);

query Possible = exists q, s. After[route.length](q, s);
hint symbolic Pc;
