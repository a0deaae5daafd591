//! Proofs for pushdown threads and any number of rounds: context-unbounded analysis. A visible state is the shared state with
//! the symbol on top of each stack. If `rounds` rounds show all that the envelope has, there is nothing else. If one
//! more round brings no new visible state, and every visible state that a pop might produce is there already, nothing new
//! ever comes. Sound; the verdict is unknown if `rounds` or `tall` is too small, and for some systems it always is. Liu
//! and Wahl, CUBA: interprocedural context-unbounded analysis of concurrent programs.
//!
//! Three differences. (1) Rounds in place of contexts. (2) The paper's generators have any symbol of the thread come up
//! when another one is popped; here it is one that can be under it in the control flow (`Under`, lib/visible.fp).
//! (3) The envelope, from which we take what a pop might produce, is compared as a whole first: that needs no round more.
//!
//! Why: let c -> c' be the first step of a run to a visible state that is not reached within `rounds`. Some d that is
//! reached within them has the visible state of c. If the step is no pop, d can make it too, in one round more, and what it
//! leads to would be new. A pop leads into Popping, all of which is reached.
use pushdown;
use "lib/spans.fp";
use "lib/visible.fp";

// The first threads are followed from the front, the others from the back. They meet in the middle: that all threads
// together take a to b has many more tuples than what each half does.
const middle = (n + 1) / 2;

// Threads 1 to t take a to b in k rounds, and end with v on top of their stacks. Round j begins with a[j-1].
mu Front[t in 1..n, k in 1..last](a: Shared[0..k-1], b: Shared[1..k], v: Symbol[1..t]) =
    first: t = 1 & initial(a[0]) & Some[1, k]([a[0]] ++ a[1..], v[1], b)
  | more:  t > 1 & exists m. Front[t-1, k](a, m, v[..t-1]) & Some[t, k](m, v[t], b);

// Threads t to n do.
mu Back[t in 1..n, k in 1..last](a, b: Shared[1..k], v: Symbol[t..n]) =
    last: t = n & Some[n, k](a, v[n], b)
  | more: t < n & exists m. Some[t, k](a, v[t], m) & Back[t+1, k](m, b, v[t+1..]);

// The rounds fit together: each begins as the one before has ended.
mu Visible[k in 1..last](s: Shared, v: Symbol[1..n]) =
    one:  n = 1 & exists a. Front[n, k](a, a[1..] ++ [s], v)
  | more: n > 1
          & exists a, m. Front[middle, k](a, m, v[..middle])
                         & Back[middle+1, k](m, a[1..] ++ [s], v[middle+1..]);

query Hit =
    some k in 1..rounds: exists i, s, v. Visible[k](s, v) & target(i, s)
                                         & each t in 1..n: target_top[t](i, v[t]);

// What may keep the proof: the envelope has it.
query Missing(s: Shared, v: Symbol[1..n]) = Envelope(s, v) & !Visible[rounds](s, v);

query All(s: Shared, v: Symbol[1..n]) = Visible[rounds](s, v);

// A pop might produce something that was not seen, or one more round does.
let Unseen = exists s, v. Popping(s, v) & !Visible[rounds](s, v);
let New = exists s, v. Visible[last](s, v) & !Visible[rounds](s, v);

verdict unsafe if Hit;
verdict safe "{rounds} rounds reach every visible state, and none is a target" if !exists s, v.
    Missing(s, v);
verdict safe "{rounds} rounds reach every visible state, and none is a target" if !Unseen & !New;
verdict unknown "more than {rounds} rounds may be needed, or more than {tall} symbols of each stack: see Missing";

hint symbolic Pc;
