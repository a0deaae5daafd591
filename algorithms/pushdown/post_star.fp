//! The heads that a pushdown system with one stack can reach, forwards: post*. A head is the shared state with the
//! symbol on top of the stack. Sound and complete: the verdict is safe or unsafe. Schwoon, Model-checking pushdown
//! systems, section 3.1. The paper adds a node for each head to which a rule pushes; here a node is a level of the
//! stack, [e, r]: it was entered with e on top in r. The levels of the initial stack are nodes, too: [e, r], where e
//! is the name of the level and the run began in r.
use pushdown;

require pushdown.threads = 1 "{pushdown.threads} threads: use cuba_depth.fp, or cba.fp within some rounds";

// The edge s -a-> [e, r]: some run is in s, and a is on top of a level that was entered with e in r.
mu Top(s: Shared, a, e: Symbol, r: Shared) =
    start:     initial(s) & start[1](a, e) & r = s
  | overwrite: exists s', b. Top(s', b, e, r) & overwrite[1](s', b, s, a) by 1
  | push:      e = a & r = s
               & exists d, q, s', b, c. outside Top(s', b, d, q) & outside push[1](s', b, s, a, c) by 1
  | pop:       exists d, q, c, s', y. Under(d, q, c, e, r) & within Gone(s', y, d, q)
                                      & merge[1](s', y, c, s, a) by 1
  | rest:      exists d, c, s', y. Gone(s', y, d, r) & rest[1](d, c, e) & merge[1](s', y, c, s, a) by 1;

// The edge s -ε-> [e, r]: the level has been popped, in s, and hands y down.
mu Gone(s: Shared, y: Result, e: Symbol, r: Shared) =
    exists s', b. Top(s', b, e, r) & pop[1](s', b, s, y) by 1;

// The edge [e, r] -c-> [d, q]: c is under the level [e, r], and belongs to the level [d, q].
mu Under(e: Symbol, r: Shared, c, d: Symbol, q: Shared) =
    exists s', b. Top(s', b, d, q) & push[1](s', b, r, e, c) by 1;

query Visible(s: Shared, a: Symbol) = exists e, r. Top(s, a, e, r);
query Hit = exists i, s, a. Visible(s, a) & target(i, s) & target_top[1](i, a);

verdict unsafe if Hit;
verdict safe;
