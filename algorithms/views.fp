//! Proofs and errors for any number of threads and any schedule: views. A view is a choice of k of the threads, with
//! their states and the shared state. The views of all reachable states are over-approximated: a thread runs among k + 1
//! threads of which each k are a view, and when it is left, each k of them are a view again. If no view and no such run
//! meets a target, the program is safe. If k + 1 threads alone meet one (lib/seats.fp), it is unsafe. If there are no others,
//! what they do is all. Otherwise k is too small.
//! Abdulla, Haziza and Holik, All for the price of few (parameterized verification through view abstraction).
//!
//! For threads that step, make threads and move all others without being blocked by them, some k always settles it. More
//! threads can do more, so what fewer threads reach is reached for good. By Dickson's lemma the sets that are not
//! reachable have finitely many least elements; once k is as large as these, the views are exactly those of reachable
//! states. Passive moves that can block are treated soundly, and then there may be no such k: see lib/monotone_closure.fp.
//!
//! A thread is running until it comes to a `Stop`. So an atomic section counts as one step, and k does not grow with it.
//! What each k of k + 1 threads say about all of them is the expensive part; `Meet` has it once for all seats.
//! `View[l]` is the view of all seats but seat l. The views of different seats are the same up to the names of the seats.
//! Each is stored in the places of its own seats, because renaming costs more than storing (see lib/seats.fp).
use program;
use "lib/seats.fp" with m = k + 1;

param k in 1.. = 2;

// The threads on all seats but l can be in w, all of them where they can be left.
mu View[l in 1..m](w: Seat[1..k], s: Shared) =
    start: Init(s)
           & exists v: Seat[1..m]. v[..l-1] ++ v[l+1..] = w & (each i in 1..m: i = l | Begin[i](v[i]))
                                   & each i in 1..m, j in 1..i-1:
                                       i = l | j = l | Apart[i, j](v[i].who, v[j].who)
  | left:  some j in 1..m: exists v: Seat[1..m]. v[..l-1] ++ v[l+1..] = w & Run[j](v, s)
                                                 & Stop[j](v[j].at, s)
  | all:   program.broadcasts = 1
           & exists u, r. View[l](u, r) & (exists p, q. move_all(r, s, p, q))
                          & each i in 1..k: u[i].who = w[i].who
                                            & (u[i].who = 0 | move_all(r, s, u[i].at, w[i].at));

// m threads that may be together: each k of them are a view.
mu Meet(v: Seat[1..m], s: Shared) =
    (each l in 1..m: View[l](v[..l-1] ++ v[l+1..], s))
    & each i in 1..m, j in 1..i-1: Apart[i, j](v[i].who, v[j].who);

// What a thread does on its own, up to where others notice it, is one step (`Far`). It has one relation for each seat, as all
// relations about threads here. Loops are left open, so this is a walk through the text and no search.
let Ends[j in 1..m](q: State, s: Shared) =
    stop:  Stop[j](q, s)
  | error: target(q)
  | loop:  loop_head(q.pc)
  | makes: exists p, r, n. spawn(q, s, p, r, n)
  | moves: exists p, r. broadcast(q, s, p, r);

// Where a thread may be while others were running.
let Waits[j in 1..m](p: State) =
    left:  exists s. Stop[j](p, s)
  | start: some t in 1..program.threads: start[t](p)
  | maker: exists q, r, s, n. spawn(q, r, p, s, n)
  | made:  exists q, r, o, s. spawn(q, r, o, s, p)
  | moved: program.broadcasts = 1;

mu Walk[j in 1..m](p: State, r: Shared, q: State, s: Shared) =
    first: step(p, r, q, s) & (Waits[j](p) | Ends[j](p, r))
  | next:  exists o, t. Walk[j](p, r, o, t) & !Ends[j](o, t) & step(o, t, q, s);
let Far[j in 1..m](p: State, r: Shared, q: State, s: Shared) = Walk[j](p, r, q, s) & Ends[j](q, s);

// The thread on seat j can go on. Where it stopped, its threads meet again, so this need not be said twice.
let Acts[j in 1..m](v: Seat[1..m], s: Shared) =
    begin: Meet(v, s) & v[j].who > 0
  | on:    Run[j](v, s) & !Stop[j](v[j].at, s);

// The thread on seat j has moved, the others stand. A thread that is made takes an empty seat, or is not among these.
mu Run[j in 1..m](v: Seat[1..m], s: Shared) =
    step:      exists p, r. Acts[j](v[j := { v[j] with at = p }], r) & Far[j](p, r, v[j].at, s)
  | spawn:     program.spawns = 1
               & some l in 1..m: l != j & v[l].who = many
                                 & exists p, r, y. Acts[j](v[j := { v[j] with at = p }][l := y], r)
                                                   & y.who = 0 & spawn(p, r, v[j].at, s, v[l].at)
  | unseen:    program.spawns = 1
               & exists p, r, n. Acts[j](v[j := { v[j] with at = p }], r) & spawn(p, r, v[j].at, s, n)
  | broadcast: program.broadcasts = 1
               & exists u, r. Acts[j](u, r) & broadcast(u[j].at, r, v[j].at, s) & u[j].who = v[j].who
                              & each i in 1..m: i = j
                                                | Moved[i](u[i].who, v[i].who)
                                                  & (u[i].who = 0
                                                     | passive(u[j].at, r, v[j].at, s, u[i].at, v[i].at));

// A target over more than k threads: each k neighbours of them are a view, with one shared state.
query Seen =
    stands: exists w, s. View[m](w, s) & target(w[1].at) & w[1].who > 0
  | runs:   some j in 1..m: exists v, s. Run[j](v, s) & target(v[j].at)
  | cover:  exists s. cover_shared(s)
                      & each o in 1..max(1, program.cover): exists w.
                                                                View[m](w, s)
                                                                & each i in 1..min(k, program.cover):
                                                                    w[i].who > 0
                                                                    & cover[(o + i - 2)%max(1, program.cover)+1](w[i].at)
  | init:   InitFails;

verdict unsafe "with at most {m} threads" if Hit;
verdict safe "all {program.singles} threads together" if program.replicated = 0 & program.spawns = 0
                                                         & m >= program.singles & !Hit;
verdict safe "views of k = {k} threads, for any number of threads" if !Seen;
verdict unknown "views of k = {k} threads are too small for a proof, and {m} threads alone have no error: try more";
hint symbolic Pc;
