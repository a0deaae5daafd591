//! All that a fixed number of threads can do, with every relation of the vocabulary: at most `seats` of them at a time.
//! A thread that is made may take no seat: then it is never scheduled.
use program;
use "lib/init.fp";

param seats in 1.. = 3;
const n = program.threads;
const singles = program.singles;

// Threads sit in the seats with `on`, and t can be running.
mu Reach[t in 1..seats](on: bool[1..seats], q: State[1..seats], s: Shared) =
    start:  Init(s) & on[t] = true
          & (each i in 1..seats: i > singles | on[i] = true & start[i](q[i]) by i)
          & (each i in 1..seats: i <= singles | on[i] = false
                                | program.replicated = 1 & on[i] = true & start[n](q[i]) by i)
  | switch: on[t] = true & some o in 1..seats: o != t & Reach[o](on, q, s) & yield(q[o], s)
  | step:   exists p, r. Reach[t](on, q[t := p], r) & step(p, r, q[t], s) by t
  | spawn:  some j in 1..seats: j != t & on[j] = true
          & exists p, r, e. Reach[t](on[j := false], q[t := p][j := e], r) & spawn(p, r, q[t], s, q[j]) by t
  | unseen: exists p, r, e. Reach[t](on, q[t := p], r) & spawn(p, r, q[t], s, e) by t
  | cast:   exists p, r. Reach[t](on, p, r) & broadcast(p[t], r, q[t], s) by t
          & each i in 1..seats: i = t | on[i] = false | passive(p[t], r, q[t], s, p[i], q[i]) by i
  | sweep:  exists p, r. Reach[t](on, p, r) & yield(p[t], r) & (exists x, y. move_all(r, s, x, y))
          & each i in 1..seats: on[i] = false | move_all(r, s, p[i], q[i]) by i;

// The threads of a target sit in different seats.
let Covered(on: bool[1..seats], q: State[1..seats]) =
    two:   program.cover = 2 & some a in 1..seats, b in 1..seats: a != b & on[a] = true & on[b] = true
         & cover[1](q[a]) & cover[2](q[b])
  | three: program.cover = 3 & some a in 1..seats, b in 1..seats, c in 1..seats: a != b & a != c & b != c & on[a] = true
         & on[b] = true & on[c] = true & cover[1](q[a]) & cover[2](q[b]) & cover[3](q[c]);

query Hit =
    one:     some t in 1..seats: exists on, q, s. Reach[t](on, q, s) & on[t] = true & target(q[t])
  | init:    InitFails
  | several: some t in 1..seats: exists on, q, s. Reach[t](on, q, s) & Covered(on, q) & cover_shared(s);
query Reachable(s: Shared) = some t in 1..seats: exists on, q. Reach[t](on, q, s);

verdict unsafe if Hit;
verdict bounded;
hint symbolic Pc;
