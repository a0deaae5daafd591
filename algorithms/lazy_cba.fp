//! Context-bounded analysis of single threads, with recursive procedures, for `contexts` execution contexts
//! per thread in round-robin order: the shared states in which a context begins are computed lazily, only
//! those that some run produces. Finds every error within the bound; never a wrong one. Lal and Reps,
//! Reducing concurrent analysis under a context bound to sequential analysis, figure 5, for any number of
//! threads.
//!
//! Two repairs. (1) In the paper's rule R2' a summary is tied to the shared states of its call only. The callee
//! may then go on in a later context that the other threads make possible for *another* history of the caller.
//! Here a summary carries `g0`, the states in which the thread's contexts began, and is used for that history
//! only. (2) A summary does not say in which context its call was made, and a call in context 1 looks like one in
//! context 2 before which nothing was written: with the threads
//!     left:  if (*) then set(); else assume(x); set(); assert(y); fi      (set: y := T)
//!     right: y := F; x := T;
//! the second call, made in context 2, could use the run of the first, which wrote in context 1, and `assert(y)`
//! failed where it holds. Here a summary knows the context of its call. Nothing is lost by either: the callee
//! was entered (R7') and resumed (R8) under the same history and in that context.
//!
//! One addition. The states in which a thread's contexts began and ended are its history. It is kept to be put together
//! with the histories of the others, and in the last round nobody is asked again. So threads without calls
//! execute their last contexts one after the other (`Final`), and what is handed on is only what the threads behind need: the
//! beginnings of all rounds, and what was left in each round before the last. The last thread needs neither (`Last`).
use program;
use "lib/init.fp";

require program.replicated = 0 "a replicated thread has any number of copies: use linear_interfaces.fp";

param contexts in 1.. = 2;
const n = program.threads;

// So many contexts are analysed with histories: all but the last one, where there are no calls and others to hand over to.
const kept = contexts - (1 - min(program.calls, 1)) * min(contexts - 1, 1) * min(n - 1, 1);

// Thread t is in its k-th context. Its contexts began with g0. The current procedure was entered in context j, in
// e with ge; now the thread is in q, and g has what it left in each context so far. The paper's H.
mu Path[t in 1..n, k in 1..contexts, j in 1..k](g0: Shared[1..k], e: State, ge: Shared[1..j], q: State, g: Shared[1..k]) =
    R10:   t = 1 & k = 1 & outside Init(g[1]) & outside start[1](q) & e = q & ge = g & g0 = g
  | R12:   t > 1 & k = 1 & outside start[t](q) & (exists a. given Left[t - 1, 1](a, g)) & e = q & ge = g & g0 = g
  | R1':   exists p, r. Path[t, k, j](g0, e, ge, p, g[k := r]) & step(p, r, q, g[k]) by t at k
  | R7':   j = k & e = q & ge = g & some i in 1..k:
               exists d, gd, p. outside Path[t, k, i](g0, d, gd, p, g) & outside call(p, g[k], q) by t at k
  | R2':   some i in j..k: exists p, h, c, x, gx. Path[t, i, j](g0[..i], e, ge, p, h) & call(p, h[i], c) by t at i
               & within Summary[t, k, i](g0, c, h, x, gx) & ret(p, x, gx[k], q, g[k]) by t at k & g[..k - 1] = gx[..k - 1]
  | R8:    k > j & Path[t, k - 1, j](g0[..k - 1], e, ge, q, g[..k - 1]) & pause(q, g[k - 1])
               & given Next[t, k](g0, g[..k - 1]) & g[k] = g0[k];

// A procedure entered in context j, in e with ge, can leave in context k, in x with gx.
mu Summary[t in 1..n, k in 1..contexts, j in 1..k](g0: Shared[1..k], e: State, ge: Shared[1..j], x: State, gx: Shared[1..k]) =
    R3':   Path[t, k, j](g0, e, ge, x, gx) & exit(x);

// What thread t does to the shared state in its first k contexts. The paper's E.
let Effect[t in 1..n, k in 1..contexts](g0, g: Shared[1..k]) =
    R11:   some j in 1..k: exists e, ge, q. Path[t, k, j](g0, e, ge, q, g) & pause(q, g[k]);

// What threads 1 to t do together, and threads t to n.
mu Left[t in 1..n, k in 1..contexts](a, b: Shared[1..k]) =
    first: t = 1 & Effect[1, k](a, b)
  | more:  t > 1 & exists m. Left[t - 1, k](a, m) & Effect[t, k](m, b);
mu Right[t in 1..n, k in 1..contexts](b, f: Shared[1..k]) =
    last:  t = n & Effect[n, k](b, f)
  | more:  t < n & exists m. Effect[t, k](b, m) & Right[t + 1, k](m, f);

// Thread t, whose contexts began with g0 and left g before the last of them, may be entered again with g0[k]:
// the threads before it hand g0 over, those behind it take g to the beginnings of the next round. The paper's
// R8 and R9 for two threads, and its `check`.
let Next[t in 1..n, k in 2..contexts](g0: Shared[1..k], g: Shared[1..k - 1]) =
    exists a, f. (t = 1 & a = g0 | t > 1 & Left[t - 1, k](a, g0))
               & (t = n & f = g | t < n & Right[t + 1, k - 1](g, f)) & each j in 1..k - 1: a[j + 1] = f[j];

// The last round. The round after the j-th began with a[j]; thread t left b[j] in its j-th context. Now it is in q with s.
mu Final[t in 1..n - 1](a: Shared[1..kept], q: State, b: Shared[1..kept], s: Shared) =
    first: t = 1 & exists g, e, ge. Path[1, kept, 1](g, e, ge, q, b) & pause(q, b[kept]) & given Right[2, kept](b, a)
               & (each j in 1..kept - 1: g[j + 1] = a[j]) & s = a[kept]
  | later: t > 1 & exists m, e, ge. Handed[t - 1](a, m, s) & Path[t, kept, 1](m, e, ge, q, b) & pause(q, b[kept])
               & given Right[t + 1, kept](b, a)
  | R1':   exists p, r. Final[t](a, p, b, r) & step(p, r, q, s) by t at contexts;
let Handed[t in 1..n - 1](a, b: Shared[1..kept], s: Shared) = exists q. Final[t](a, q, b, s) & pause(q, s);
mu Last(q: State, s: Shared) =
    later: n > 1 & exists a, m, e, ge. Handed[n - 1](a, m, s) & Path[n, kept, 1](m, e, ge, q, a) & pause(q, a[kept])
  | R1':   exists p, r. Last(p, r) & step(p, r, q, s) by n at contexts;

query Hit = (some t in 1..n, k in 1..kept, j in 1..k: exists g0, e, ge, q, g. Path[t, k, j](g0, e, ge, q, g) & target(q))
          | kept < contexts & (some t in 1..n - 1: exists a, q, b, s. Final[t](a, q, b, s) & target(q))
          | kept < contexts & (exists q, s. Last(q, s) & target(q))
          | InitFails;

// The shared states in which all contexts can have ended (theorem 2): the last thread is entered only where the others fit.
query Reachable(s: Shared) =
    histories: kept = contexts & some j in 1..contexts: exists g0, e, ge, q, g.
                   Path[n, contexts, j](g0, e, ge, q, g) & pause(q, s) & g[contexts] = s
  | last:      kept < contexts & exists q. Last(q, s) & pause(q, s);

// A run to the error: the threads before t and behind it, as far as they were needed, and thread t.
trace Run = (some t in 1..n, k in 1..kept, j in 1..k: exists g0, e, ge, q, g.
               (k = 1 & (t = 1 | exists a. Left[t - 1, 1](a, g0)) | k > 1 & Next[t, k](g0, g[..k - 1]))
             & Path[t, k, j](g0, e, ge, q, g) & target(q))
          | kept < contexts & (some t in 1..n - 1: exists a, q, b, s.
               Final[t](a, q, b, s) & target(q) & Right[t + 1, kept](b, a))
          | kept < contexts & (exists q, s. Last(q, s) & target(q))
          | InitFails;

verdict unsafe if Hit;
verdict bounded "no error with contexts = {contexts}";
