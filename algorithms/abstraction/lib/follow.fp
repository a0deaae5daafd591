//! How far threads can follow a run that is given: with all values of all variables, and no other steps. A run of an abstraction
//! that cannot be followed to its end is none of the program, and the first step that cannot be made shows why.
use program;
use route;
use "../../lib/init.fp";

const seats = route.seats;

// After i steps the threads are in q.
mu After[i in 0..route.length](q: State[1..seats], s: Shared) =
    start:  i = 0 & Init(s) & each t in 1..seats: sits[t](q[t])
  | step:   i > 0
            & some t in 1..seats: exists p, r. After[i-1](q[t := p], r) & step(p, r, q[t], s)
                                               & goes[(i - 1)*seats+t](p.pc, q[t].pc)
  | make:   i > 0 & program.spawns = 1
            & some t in 1..seats, l in 1..seats: makes[(i - 1)*seats+l]()
                                                 & exists p, r, y. After[i-1](q[t := p][l := y], r)
                                                                   & spawn(p, r, q[t], s, q[l])
                                                                   & goes[(i - 1)*seats+t](p.pc, q[t].pc)
  | unseen: i > 0 & program.spawns = 1 & (each l in 1..seats: !makes[(i - 1)*seats+l]())
            & some t in 1..seats: exists p, r, n. After[i-1](q[t := p], r) & spawn(p, r, q[t], s, n)
                                                  & goes[(i - 1)*seats+t](p.pc, q[t].pc);

query Possible(i: 0..route.length) = some j in 0..route.length: i = j & exists q, s. After[j](q, s);
