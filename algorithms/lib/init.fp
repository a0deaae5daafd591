//! The shared states in which the threads of a program begin: what the `init` block leaves, or, without one,
//! the values that the declarations give.
use program;

// Summaries of the `init` block, as in summaries.fp.
mu Before(e: State, se: Shared, q: State, s: Shared) =
    begin:  start[0](q) & initial(s) & e = q & se = s
  | step:   exists p, r. Before(e, se, p, r) & step(p, r, q, s)
  | enter:  e = q & se = s & exists d, sd, p. Before(d, sd, p, s) & call(p, s, q)
  | return: exists p, r, c, x, sx. Before(e, se, p, r) & call(p, r, c) & Before(c, r, x, sx) & exit(x)
                                   & ret(p, x, sx, q, s);

let Init(s: Shared) =
    declared: program.init = 0 & initial(s)
  | left:     program.init = 1 & exists e, se, q. start[0](e) & Before(e, se, q, s) & exit(q);

// A target inside the `init` block.
let InitFails() = exists e, se, q, s. Before(e, se, q, s) & target(q);
