//! Visible states, the shared state with the symbol on top of each stack: an envelope of those that any run reaches, and
//! those of them that a pop produces. Only the `tall` topmost symbols of each stack are kept. Below them there may be what the
//! control flow of the thread allows. More of them make the envelope smaller, and dearer.
use pushdown;

param tall in 1.. = 2;

// c can be right under a in the stack of thread t, whatever the shared states are.
mu Under[t in 1..pushdown.threads](a, c: Symbol) =
    start:     exists e, d. start[t](a, e) & rest[t](e, c, d)
  | rest:      exists d, e, e'. rest[t](d, a, e) & rest[t](e, c, e')
  | above:     exists s, b, r. push[t](s, b, r, a, c)
  | below:     exists s, b, r, d. push[t](s, b, r, d, a) & Under[t](b, c)
  | overwrite: exists s, b, r. overwrite[t](s, b, r, a) & Under[t](b, c)
  | merge:     exists s, y, b, r. merge[t](s, y, b, r, a) & Under[t](b, c);

// c is under a, or both are below the bottom.
let Follows[t in 1..pushdown.threads](a, c: Symbol) = Under[t](a, c) | empty(a) & empty(c);

// The stacks can begin with w, their tops first.
mu Tall(s: Shared, w: Symbol[1..tall][1..pushdown.threads]) =
    start:     initial(s) & each t in 1..pushdown.threads: Topmost[t](w[t])
  | overwrite: some t in 1..pushdown.threads: exists r, b. Tall(r, w[t := w[t][1 := b]])
                                                           & overwrite[t](r, b, s, w[t][1])
  | push:      some t in 1..pushdown.threads: exists r, u, c.
                                                  Tall(r, w[t := u]) & push[t](r, u[1], s, w[t][1], c)
                                                  & (tall = 1
                                                     | c = w[t][2] & each i in 3..tall: w[t][i] = u[i-1])
  | pop:       PopTall(s, w);
mu PopTall(s: Shared, w: Symbol[1..tall][1..pushdown.threads]) =
    some t in 1..pushdown.threads: exists r, q, y, u, c. Tall(r, w[t := u]) & pop[t](r, u[1], q, y)
                                                         & merge[t](q, y, c, s, w[t][1])
                                                         & (tall = 1 & Follows[t](u[1], c)
                                                            | tall > 1 & c = u[2]
                                                              & Follows[t](u[tall], w[t][tall])
                                                              & each i in 2..tall-1: w[t][i] = u[i+1]);
let Topmost[t in 1..pushdown.threads](u: Symbol[1..tall]) =
    exists e: Symbol[1..tall]. start[t](u[1], e[1])
                               & each i in 1..tall-1: rest[t](e[i], u[i+1], e[i+1])
                                                      | empty(u[i]) & empty(u[i+1]) & e[i+1] = e[i];

let Envelope(s: Shared, v: Symbol[1..pushdown.threads]) =
    exists w. Tall(s, w) & each t in 1..pushdown.threads: v[t] = w[t][1];
let Popping(s: Shared, v: Symbol[1..pushdown.threads]) =
    exists w. PopTall(s, w) & each t in 1..pushdown.threads: v[t] = w[t][1];
