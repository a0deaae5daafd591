//! Computing with ranges: sums, products, quotients and remainders, the smaller and the greater of two.

range N = -3..4;
keyed range K = 0..5;
rel few(x: N) = { -3, 0, 2, 4 };

mu Steps(k: K, x: N) =
    start: k = 0 & x = -3
  | step:  exists j, y. exists odd: 0..1. Steps(j, y) & k = (j + 1) % 4 & odd = j % 2 & x = y + odd;

query Sum(x, y, z: N) = z = x + y;
query Less(x, y: N, k: K) = x - y * 2 < 2 - y & k = k * 3 % 4;
query Halves(x: N, h: -2..2) = h = x / 2 & x % -3 = 1 | h = x / -2 & few(-x);
query Atoms(x, y: N) = few(min(x, y) + 1) & !few(max(x, y) - 2 * x);
query Keys(k, l: K) = l = (k + 4) % 6 | exists m: K. m = l / 2 & k = m + l;
query All(k: K, x: N) = Steps(k, x);
query Mixed(k: K, i: 0..3, x: N) = x = i - 1 & few(x + i + 1) & k = i + i;
query Low(x, y: N) = min(x, y) < -1 & !(max(x, y * 2) >= 2) | x / 3 = -1;
query None(x: N) = x / 3 = 2;

//@ Sum: 48 tuples
//@ Less: 42 tuples
//@ Halves: 6 tuples
//@ Atoms: 13 tuples
//@ Keys: 10 tuples
//@ All: 16 tuples
//@ Mixed: 3 tuples
//@ Low: 28 tuples
//@ None: 0 tuples
