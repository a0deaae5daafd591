//! Some threads of a program, each on a seat of its own, and what m of them really do together. A seat has a single
//! thread, known by its position, or one of those of which there may be many: a copy of a replicated thread, or a
//! thread that another one made. Nobody else is there, or nobody else moves.
//!
//! A seat may be empty, whatever state it has then: there may be fewer than m threads, and a thread that is made takes
//! an empty seat. Where a program has copies, makes no threads and moves none together, idle copies fill all seats. A single
//! thread that is not there cannot block anybody; so where threads can block others, all of them have a seat.
//!
//! Every relation here is a family by seat, though all seats are alike. What belongs to different seats never meets in one
//! relation, so the states of a seat get places of their own in the decision diagrams. This is what makes them small.
use program;
use "init.fp";
use "monotone_closure.fp";

require program.recursive = 0 "the program is recursive: use linear_interfaces_calls.fp";
require program.calls = 0 | program.recursive = 1 "{program.calls} calls are left: inline them with --inline always, or use linear_interfaces_calls.fp";

param m in 1.. = 2;
const many = program.singles + 1;

range Who = 0..many;  // 0: nobody
record Seat { who: Who, at: State }

// The thread on seat i can begin in x; two seats do not have the same single thread.
let Begin[i in 1..m](x: Seat) =
    empty:  (program.replicated = 0 | program.spawns = 1 | program.broadcasts = 1) & x.who = 0
  | single: some t in 1..program.singles: x.who = t & start[t](x.at) by i
  | copy:   program.replicated = 1 & x.who = many & start[program.threads](x.at) by i;
let Apart[i in 1..m, j in 1..m](a, b: Who) = a != b | a = 0 | a = many;

// The thread on seat i can be left. A step that nobody notices need not be interleaved, unless threads move each other or it
// matters where several of them are.
let Stop[i in 1..m](q: State, s: Shared) =
    pause: program.broadcasts = 0 & program.cover = 0 & pause(q, s)
  | yield: (program.broadcasts = 1 | program.cover > 0) & yield(q, s);

// The threads can be in v while the one on seat j is running. A thread that is made may be one that never moves: then it
// needs no seat, unless it must move with the others.
mu Reach[j in 1..m](v: Seat[1..m], s: Shared) =
    start:     Init(s) & v[j].who > 0 & (each i in 1..m: Begin[i](v[i]))
               & (each i in 1..m, l in 1..i-1: Apart[i, l](v[i].who, v[l].who))
               & (program.broadcasts = 0
                  | Monotone
                  | each t in 1..program.singles: some i in 1..m: v[i].who = t)
  | switch:    v[j].who > 0 & some o in 1..m: o != j & Reach[o](v, s) & Stop[o](v[o].at, s)
  | step:      exists p, r. Reach[j](v[j := { v[j] with at = p }], r) & step(p, r, v[j].at, s) by j
  | spawn:     program.spawns = 1
               & some l in 1..m: l != j & v[l].who = many
                                 & exists p, r, y. Reach[j](v[j := { v[j] with at = p }][l := y], r)
                                                   & y.who = 0 & spawn(p, r, v[j].at, s, v[l].at) by j
  | unseen:    program.spawns = 1 & program.broadcasts = 0
               & exists p, r, n. Reach[j](v[j := { v[j] with at = p }], r) & spawn(p, r, v[j].at, s, n) by j
  | broadcast: program.broadcasts = 1
               & exists u, r. Reach[j](u, r) & broadcast(u[j].at, r, v[j].at, s) by j & u[j].who = v[j].who
                              & each i in 1..m: i = j
                                                | Moved[i](u[i].who, v[i].who)
                                                  & (u[i].who = 0
                                                     | passive(u[j].at, r, v[j].at, s, u[i].at, v[i].at) by i)
  | all:       program.broadcasts = 1
               & exists u, r. Reach[j](u, r) & Stop[j](u[j].at, r) & (exists p, q. move_all(r, s, p, q))
                              & each i in 1..m: Moved[i](u[i].who, v[i].who)
                                                & (u[i].who = 0 | move_all(r, s, u[i].at, v[i].at) by i);
let Moved[i in 1..m](a, b: Who) = a = b;

query Hit =
    target: some j in 1..m: exists v, s. Reach[j](v, s) & target(v[j].at)
  | cover:  some j in 1..m: exists v, s. Reach[j](v, s) & cover_shared(s) & m >= program.cover
                                         & each i in 1..program.cover: v[i].who > 0 & cover[i](v[i].at)
  | init:   InitFails;
