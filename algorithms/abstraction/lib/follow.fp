//! How far threads can follow a run that is given: with all values of all variables, and no other steps. A run of an abstraction
//! that cannot be followed to its end is none of the program, and the first step that cannot be made shows why.
use program;
use route;
use "../../lib/init.fp";

const seats = route.seats;
sort Moment = 0..route.length;

// After i steps the threads are in q.
mu After(i: Moment, q: State[1..seats], s: Shared) =
    start:  i = 0 & Init(s) & each t in 1..seats: sits[t](q[t])
  | step:   some t in 1..seats: exists e, p, r. e + 1 = i & After(e, q[t := p], r) & step(p, r, q[t], s)
                                                & goes[t](i, p.pc, q[t].pc)
  | make:   program.spawns = 1
            & some t in 1..seats, l in 1..seats: l != t & makes[l](i)
                                                 & exists e, p, r, y.
                                                     e + 1 = i & After(e, q[t := p][l := y], r)
                                                     & spawn(p, r, q[t], s, q[l])
                                                     & goes[t](i, p.pc, q[t].pc)
  | unseen: program.spawns = 1 & (each l in 1..seats: !makes[l](i))
            & some t in 1..seats: exists e, p, r, n. e + 1 = i & After(e, q[t := p], r)
                                                     & spawn(p, r, q[t], s, n) & goes[t](i, p.pc, q[t].pc);

query Possible(i: Moment) = exists q, s. After(i, q, s);
hint keyed Moment;
