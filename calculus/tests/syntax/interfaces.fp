//! Equations of linear interfaces and of lazy context-bounded analysis, for the shapes they have.
use program;
param rounds in 1.. = 4;
param depth in 0..rounds * 2 = 1_000;
const n = program.singles;
keyed enum Phase { Before, During, After, }
keyed range Position = 1..n + 1;

// a thread at position p, over its first i rounds
mu TLI[p in 1..n+1, i in 1..rounds](q: State, u, v: Shared[1..i]) =
    start: i = 1 & start[p](q) & u[1] = v[1]
           & (p = 1 & Init(u[1]) | some p' in 1..n+1: min(p' + 1, n + 1) = p & exists q', w. TLI[p', 1](q', w, u) & yield(q', u[1]))
  // the thread is entered again
  | again: i > 1 & u[i] = v[i] & TLI[p,i-1](q, u[..i-1], v[..i-1]) & yield(q, v[i-1])
           & exists w. RLI[p,i-1](v[..i-1], w) & (p = 1 & Init(u[1]) & Wrap(u, w) | WRLI[p,i](u, w)) // wrapped
  | run:   exists q', s. TLI[p,i](q', u, v[i := s]) & step(q', s, q, v[i]);

mu H[t in 1..n, k in 1..rounds](g0: Shared[1..k], e: State, ge: Shared[1..k], q: State, g: Shared[1..k]) =
    R2: some j in 1..k: exists p, h, c, x, gx. H[t,j](g0[..j], e, ge[..j], p, h) & call(p, h[j], c) & ge[j+1..] = g0[j+1..]
          & (exists b. H[t,k](b, c, h ++ g0[j+1..], x, gx) & exit(x)) & ret(p, x, gx[k], q, g[k]) & g[..k-1] = gx[..k-1];

nu Win(g: Game) = forall h: Game. move(g, h) -> Win(h) & !(h.who = Eve) | h = { g with who = Adam, fresh = !g.fresh };
let Start(g: Game) = g = Game { who = Eve, fresh = true } <-> exists k: 0..rounds. Round(k) & k + 1 > -2 * (3 - 1) % 2;
rel one(x: Player) = { Eve, Adam };
rel unit() = { () };
rel none(x: 0..3) = { };
query Open(x, y: 0..7, b: bool[1..3][0..1]) = | edge(x, y) | (exists z. edge(x, z)) | b[1] = [true, false];
