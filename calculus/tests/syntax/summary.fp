mu Summary(e: State, se: Shared, q: State, s: Shared) =
    start:  start[1](q) & Init(s) & e = q & se = s
  | step:   exists p, r. Summary(e, se, p, r) & step(p, r, q, s)
  | enter:  e = q & se = s & exists d, sd, p. Summary(d, sd, p, s) & call(p, s, q)
  | return: exists p, r, c, x, sx. Summary(e, se, p, r) & call(p, r, c) & Summary(c, r, x, sx)
                                   & ret(p, x, sx, q, s);
