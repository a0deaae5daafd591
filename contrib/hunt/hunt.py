#!/usr/bin/env python3
"""Random programs, an explicit interpreter written from the documentation alone, and fpsolve's answers beside it.

    hunt.py FPSOLVE --runs 2000 --seed 1

Every program is explored state by state here; then fpsolve runs on it with algorithms, bounds and treatments chosen at
random. A `safe` or `bounded` that the interpreter contradicts, an `unsafe` that it contradicts, a trace that `replay`
refuses, a certificate that `certify` refuses and any internal error are kept in the folder `found`.
"""
import argparse, collections, itertools, json, os, random, signal, subprocess, time

LIMIT = 12000


# ---------------------------------------------------------------- programs
class Proc:
    def __init__(self, name, params, locals_, results, code, own=()):
        self.name, self.params, self.locals, self.results = name, params, locals_, results
        self.code, self.own = code, own


class Program:
    """globals: [(name, initial or None)]; threads: [(proc, number or '*')]; init: proc or None"""
    def __init__(self):
        self.globals, self.procs, self.threads, self.init = [], {}, [], None
        self.creates = False


# expressions: ('c', bool) ('v', name) ('n', name) new value ('*',) ('!', e) (op, a, b)
def show(e):
    k = e[0]
    if k == 'c': return 'T' if e[1] else 'F'
    if k == 'v': return e[1]
    if k == 'n': return "'" + e[1]
    if k == '*': return '*'
    if k == '!': return '!(' + show(e[1]) + ')'
    if k == 'schoose': return 'schoose[%s, %s]' % (show(e[1]), show(e[2]))
    return '((%s) %s (%s))' % (show(e[1]), k, show(e[2]))


def values(e, old, new=None):
    k = e[0]
    if k == 'c': return {e[1]}
    if k == 'v': return {old[e[1]]}
    if k == 'n': return {(new or old)[e[1]]}
    if k == '*': return {False, True}
    a = values(e[1], old, new)
    if k == '!': return {not x for x in a}
    b = values(e[2], old, new)
    out = set()
    for x in a:
        for y in b:
            if k == '&': out.add(x and y)
            elif k == '|': out.add(x or y)
            elif k == '^' or k == '!=': out.add(x != y)
            elif k == '=': out.add(x == y)
            elif k == '=>': out.add((not x) or y)
            elif k == 'schoose':
                if x: out.add(True)
                elif y: out.add(False)
                else: out |= {False, True}
            else: raise ValueError(k)
    return out


class Gen:
    def __init__(self, r):
        self.r = r

    def expr(self, vars_, depth=2, nondet=True):
        r = self.r
        if depth == 0 or r.random() < .35:
            x = r.random()
            if nondet and x < .15: return ('*',)
            if x < .3 or not vars_: return ('c', r.random() < .5)
            return ('v', r.choice(vars_))
        k = r.choice(['!', '&', '|', '^', '=', '!=', '=>', 'schoose'])
        if k == '!': return ('!', self.expr(vars_, depth - 1, nondet))
        return (k, self.expr(vars_, depth - 1, nondet), self.expr(vars_, depth - 1, nondet))

    def body(self, ctx, n, depth):
        return [s for _ in range(n) for s in self.stmt(ctx, depth)]

    def stmt(self, ctx, depth):
        r, vs = self.r, ctx['vars']
        x = r.random()
        if depth > 0 and x < .18:
            alt = self.body(ctx, r.randint(1, 2), depth - 1) if r.random() < .5 else None
            return [('if', self.expr(vs), self.body(ctx, r.randint(1, 2), depth - 1), alt)]
        if depth > 0 and x < .25:
            return [('while', self.expr(vs), self.body(ctx, r.randint(1, 2), depth - 1))]
        if depth > 0 and x < .36 and not ctx['atomic'] and ctx.get('atomics', True):
            inner = dict(ctx, atomic=not ctx.get('nest'))
            return [('abegin',)] + self.body(inner, r.randint(1, 3), depth - 1) + [('aend',)]
        if x < .62:
            n = r.choice([1, 1, 2])
            n = min(n, len(vs))
            targets = r.sample(vs, n)
            con = None
            if r.random() < .08:
                con = (r.choice(['=', '|', '!=']), ('n', r.choice(targets)), ('v', r.choice(vs)))
            return [('assign', targets, [self.expr(vs, 1) for _ in targets], con)]
        if x < .72: return [('assume', self.expr(vs, 1))]
        if x < .82: return [('assert', ('|', self.expr(vs, 2, False), self.expr(vs, 1)))]
        if x < .86 and ctx['calls']:
            name = r.choice(ctx['calls'])
            p = ctx['sigs'][name]
            tg = r.sample(vs, p[1]) if p[1] and p[1] <= len(vs) and r.random() < .7 else []
            return [('call', name, [self.expr(vs, 1) for _ in range(p[0])], tg)]
        if x < .90 and ctx.get('starts'):
            if ctx.get('labels') and r.random() < .5:
                return [('start_goto', r.choice(ctx['labels']))]
            name = r.choice(ctx['starts'])
            return [('start', name, [self.expr(vs, 1) for _ in range(ctx['sigs'][name][0])])]
        if x < .93 and ctx['locals'] : return [('dead', [r.choice(ctx['locals'])])]
        if x < .95 and ctx.get('labels') and not ctx['atomic']: return [('goto', r.sample(ctx['labels'], r.randint(1, len(ctx['labels']))))]
        if x < .96 and ctx.get('end_thread') and not ctx['atomic']: return [('end_thread',)]
        return [('skip',)]

    def placed(self, ctx, n, depth):
        """A body with its labels, each somewhere at the top."""
        out = self.body(ctx, n, depth)
        for l in ctx.get('labels', []):
            # never inside an atomic section: put labels at positions outside of begin/end pairs
            spots, level = [], 0
            for i, s in enumerate(out):
                if level == 0: spots.append(i)
                level += {'abegin': 1, 'aend': -1}.get(s[0], 0)
            spots.append(len(out))
            out.insert(self.r.choice(spots), ('label', l))
        return out

    def program(self, kind):
        r, p = self.r, Program()
        p.kind = kind
        for g in ['a', 'b', 'c'][:r.randint(1, 3)]:
            p.globals.append((g, r.choice([None, False, True, False])))
        gs = [g for g, _ in p.globals]
        names, sigs = [], {}
        recursive = kind == 'seq' and r.random() < .5
        count = r.choice([0, 1, 2]) if kind != 'seq' else r.choice([1, 2, 3])
        sigs['w'] = (r.randint(0, 1), 0)
        for i in range(count):
            names.append('p%d' % i)
            sigs['p%d' % i] = (r.randint(0, 1), r.randint(0, 1))
        for i, nm in enumerate(names):
            params = ['x%d' % k for k in range(sigs[nm][0])]
            locs = ['y'][:r.randint(0, 1)]
            vs = gs + params + locs
            ctx = dict(vars=vs, calls=names if recursive else names[:i], sigs=sigs, atomic=False, locals=locs,
                       atomics=kind != 'seq')
            if kind == 'create' and r.random() < .3: ctx['starts'] = ['w']
            code = self.placed(ctx, r.randint(1, 2), 1)
            if sigs[nm][1]: code.append(('return', [self.expr(vs, 1)]))
            p.procs[nm] = Proc(nm, params, locs, sigs[nm][1], code)
        if kind == 'create':
            params = ['x'][:sigs['w'][0]]
            ctx = dict(vars=gs + params, calls=names, sigs=sigs, atomic=False, locals=[], end_thread=True)
            if r.random() < .2: ctx['starts'] = ['w']
            p.procs['w'] = Proc('w', params, [], 0, self.placed(ctx, r.randint(1, 3), 1))
            p.creates = True
        def thread(name, size, extra):
            locs = ['m'][:r.randint(0, 1)]
            ctx = dict(vars=gs + locs, calls=names, sigs=sigs, atomic=False, locals=locs, end_thread=kind == 'create', nest=r.random() < .15)
            ctx.update(extra)
            return Proc(name, [], locs, 0, self.placed(ctx, size, 2))
        if kind != 'seq' and r.random() < (.35 if kind != 'create' else .25):
            ctx = {'labels': []}
            if kind == 'create' and r.random() < .5: ctx['starts'] = ['w']
            ctx['starts'] = None
            q = thread('init', r.randint(1, 2), ctx)
            q.code = [s for s in q.code if s[0] not in ('end_thread',)]
            strip_end(q.code)
            p.procs['init'] = q
            p.init = 'init'
        if kind == 'seq':
            q = thread('main', r.randint(2, 5), {'labels': ['L0'][:r.randint(0, 1)], 'atomics': False})
            p.procs['main'] = q
            p.threads = [('main', 1)]
        elif kind == 'create' and p.init is None:
            q = thread('main', r.randint(2, 5), {'labels': ['L0', 'L1'][:r.randint(0, 2)], 'starts': ['w']})
            if not any(s[0] in ('start', 'start_goto') for s in walk(q.code)):
                q.code.insert(0, ('start', 'w', [('*',)] * sigs['w'][0]))
            p.procs['main'] = q
            p.threads = [('main', 1)]
        else:
            n = r.randint(1, 2) if kind == 'create' else r.randint(2, 3) if kind == 'conc' else r.randint(0, 1)
            for i in range(n):
                extra = {'labels': ['L0'][:r.randint(0, 1)]}
                if kind == 'create': extra['starts'] = ['w']
                p.procs['t%d' % i] = thread('t%d' % i, r.randint(1, 4), extra)
                p.threads.append(('t%d' % i, 1))
            if kind == 'param':
                p.procs['u'] = thread('u', r.randint(2, 4), {'labels': ['L0'][:r.randint(0, 1)]})
                p.threads.append(('u', '*'))
        p.creates = any(s[0] in ('start', 'start_goto') for q in p.procs.values() for s in walk(q.code))
        return p


def strip_end(code):
    for s in code:
        for part in s:
            if isinstance(part, list) and part and isinstance(part[0], tuple):
                part[:] = [t if t[0] != 'end_thread' else ('skip',) for t in part]
                strip_end(part)


def walk(code):
    for s in code:
        yield s
        if s[0] == 'if':
            yield from walk(s[2])
            yield from walk(s[3] or [])
        if s[0] == 'while': yield from walk(s[2])


def text_of(code, ind=2):
    out, pad, label = [], ' ' * ind, ''
    for s in code:
        k = s[0]
        if k == 'label':
            label += s[1] + ': '
            continue
        def put(t):
            nonlocal label
            out.append(pad + label + t)
            label = ''
        if k == 'skip': put('skip;')
        elif k == 'abegin': put('atomic_begin;')
        elif k == 'aend': put('atomic_end;')
        elif k == 'end_thread': put('end_thread;')
        elif k == 'assume': put('assume(%s);' % show(s[1]))
        elif k == 'assert': put('assert(%s);' % show(s[1]))
        elif k == 'goto': put('goto %s;' % ', '.join(s[1]))
        elif k == 'dead': put('dead %s;' % ', '.join(s[1]))
        elif k == 'start_goto': put('start_thread goto %s;' % s[1])
        elif k == 'start': put('start_thread %s(%s);' % (s[1], ', '.join(map(show, s[2]))))
        elif k == 'return': put('return %s;' % ', '.join(map(show, s[1])))
        elif k == 'assign':
            con = ' constrain %s' % show(s[3]) if s[3] else ''
            put('%s := %s%s;' % (', '.join(s[1]), ', '.join(map(show, s[2])), con))
        elif k == 'call':
            lhs = ', '.join(s[3]) + ' := ' if s[3] else ''
            put('%s%s(%s);' % (lhs, s[1], ', '.join(map(show, s[2]))))
        elif k == 'if':
            put('if (%s) then' % show(s[1]))
            out.extend(text_of(s[2], ind + 2))
            if s[3] is not None:
                out.append(pad + 'else')
                out.extend(text_of(s[3], ind + 2))
            out.append(pad + 'fi')
        elif k == 'while':
            put('while (%s) do' % show(s[1]))
            out.extend(text_of(s[2], ind + 2))
            out.append(pad + 'od')
    if label: out.append(pad + label + 'skip;')
    return out


def text(p):
    out = []
    for g, v in p.globals:
        out.append('decl %s%s;' % (g, '' if v is None else ' := ' + ('T' if v else 'F')))
    for name, q in p.procs.items():
        star = dict(p.threads).get(name)
        decl = ['  decl %s;' % ', '.join(q.locals)] if q.locals else []
        if name == p.init: head = 'init begin'
        elif star is not None and name != 'main': head = 'thread %s%s begin' % (name, '*' if star == '*' else '')
        else: head = '%s %s(%s) begin' % ('bool' if q.results else 'void', name, ', '.join(q.params))
        out += [head] + decl + text_of(q.code) + ['end']
    return '\n'.join(out) + '\n'


# ---------------------------------------------------------------- the interpreter
def flatten(code):
    out, labels = [], {}
    def go(code):
        for s in code:
            k = s[0]
            if k == 'label': labels[s[1]] = len(out)
            elif k == 'if':
                at = len(out); out.append(None)
                go(s[2])
                if s[3] is None: out[at] = ('branch', s[1], at + 1, len(out))
                else:
                    jump = len(out); out.append(None)
                    out[at] = ('branch', s[1], at + 1, len(out))
                    go(s[3])
                    out[jump] = ('jump', [len(out)])
            elif k == 'while':
                at = len(out); out.append(None)
                go(s[2])
                out.append(('jump', [at]))
                out[at] = ('branch', s[1], at + 1, len(out))
            else: out.append(s)
    go(code)
    out.append(('end',))
    res = []
    for s in out:
        if s[0] == 'goto': s = ('jump', [labels[l] for l in s[1]])
        elif s[0] == 'start_goto': s = ('start_goto', labels[s[1]])
        res.append(s)
    return res


class Machine:
    def __init__(self, p, copies):
        self.p, self.copies = p, copies
        self.g = [g for g, _ in p.globals]
        self.flat = {n: flatten(q.code) for n, q in p.procs.items()}
        self.vars = {n: q.params + q.locals for n, q in p.procs.items()}

    # frame: (proc, pc, locals, targets)   thread: (frames, depth)   state: (shared, threads, phase)
    def entries(self, name, args):
        q = self.p.procs[name]
        for vals in itertools.product([False, True], repeat=len(q.locals)):
            yield (name, 0, tuple(args) + vals, ())

    def initial(self):
        free = [[v] if v is not None else [False, True] for _, v in self.p.globals]
        for sh in itertools.product(*free):
            if self.p.init:
                for f in self.entries(self.p.init, ()):
                    yield (sh, (((f,), 0),), True)
            else: yield from self.begun(sh, ())

    def begun(self, sh, created):
        roles = []
        for name, n in self.p.threads:
            roles += [name] * (self.copies if n == '*' else n)
        for fs in itertools.product(*[list(self.entries(n, ())) for n in roles]):
            yield (sh, tuple(((f,), 0) for f in fs) + created, False)

    def env(self, sh, frame):
        e = dict(zip(self.g, sh))
        e.update(zip(self.vars[frame[0]], frame[2]))
        return e

    def store(self, sh, frame, new):
        sh2 = tuple(new.get('g:' + n, v) for n, v in zip(self.g, sh))
        loc = tuple(new.get('l:' + n, v) for n, v in zip(self.vars[frame[0]], frame[2]))
        return sh2, loc

    def key(self, frame, name):
        return ('l:' if name in self.vars[frame[0]] else 'g:') + name

    def steps(self, state, t):
        """successors of thread t: list of states, or 'error' among them"""
        sh, threads, initing = state
        frames, depth = threads[t]
        if not frames: return []
        f = frames[-1]
        name, pc, loc, tg = f
        s = self.flat[name][pc]
        env = self.env(sh, f)
        out = []
        def to(sh2, fr, d=depth, born=()):
            ths = threads[:t] + ((fr, d),) + threads[t + 1:] + born
            out.append((sh2, ths, initing))
        def at(pc2, sh2=sh, loc2=loc, d=depth, born=()):
            to(sh2, frames[:-1] + ((name, pc2, loc2, tg),), d, born)
        k = s[0]
        if k in ('skip',): at(pc + 1)
        elif k == 'jump':
            for x in s[1]: at(x)
        elif k == 'branch':
            v = values(s[1], env)
            if True in v: at(s[2])
            if False in v: at(s[3])
        elif k == 'assume':
            if True in values(s[1], env): at(pc + 1)
        elif k == 'assert':
            v = values(s[1], env)
            if False in v: out.append('error')
            if True in v: at(pc + 1)
        elif k == 'assign':
            for vals in itertools.product(*[sorted(values(e, env)) for e in s[2]]):
                new = dict(env); new.update(zip(s[1], vals))
                if s[3] and True not in values(s[3], env, new): continue
                sh2, loc2 = self.store(sh, f, {self.key(f, n): v for n, v in zip(s[1], vals)})
                at(pc + 1, sh2, loc2)
        elif k == 'dead':
            for vals in itertools.product([False, True], repeat=len(s[1])):
                sh2, loc2 = self.store(sh, f, {self.key(f, n): v for n, v in zip(s[1], vals)})
                at(pc + 1, sh2, loc2)
        elif k == 'abegin': at(pc + 1, d=depth + 1)
        elif k == 'aend': at(pc + 1, d=max(0, depth - 1))
        elif k == 'end_thread': to(sh, ())
        elif k in ('call', 'start'):
            for vals in itertools.product(*[sorted(values(e, env)) for e in s[2]]):
                for e in self.entries(s[1], vals):
                    if k == 'call':
                        to(sh, frames[:-1] + ((name, pc + 1, loc, tg), e[:3] + (tuple(s[3]),)))
                    else: at(pc + 1, born=(((e,), 0),))
        elif k == 'start_goto':
            at(pc + 1, born=((((name, s[1], loc, ()),), 0),))
        elif k in ('return', 'end'):
            n = self.p.procs[name].results
            outs = [sorted(values(e, env)) for e in s[1]] if k == 'return' else [[False, True]] * n
            if len(frames) == 1:
                if initing and t == 0:
                    for st in self.begun(sh, threads[1:]): out.append(st)
                else: to(sh, ())
            else:
                caller = frames[-2]
                for vals in itertools.product(*outs):
                    upd = {self.key(caller, x): v for x, v in zip(tg, vals)}
                    sh2, loc2 = self.store(sh, caller, upd)
                    to(sh2, frames[:-2] + ((caller[0], caller[1], loc2, caller[3]),))
        else: raise ValueError(s)
        return out

    def free(self, limit_threads=5, stack=5):
        """(error reachable, complete) under any schedule"""
        seen = set(self.initial()); work = collections.deque(seen); complete = True
        while work:
            st = work.popleft()
            sh, threads, initing = st
            if initing: who = [0]
            else:
                held = [i for i, (f, d) in enumerate(threads) if d > 0]
                who = held or range(len(threads))
            for t in who:
                for n in self.steps(st, t):
                    if n == 'error': return True, True
                    if len(n[1]) > limit_threads + len(self.p.threads) or any(len(f) > stack for f, _ in n[1]):
                        complete = False; continue
                    n = (n[0], self.sort(n), n[2])
                    if n not in seen:
                        if len(seen) > LIMIT: return False, False
                        seen.add(n); work.append(n)
        return False, complete

    def sort(self, n):
        # threads have no identity: any schedule treats them alike
        if n[2]: return n[1][:1] + tuple(sorted(n[1][1:]))
        return tuple(sorted(x for x in n[1] if x[0] or x[1] > 0))

    def rounds(self, k, stack=5):
        """within k rounds, round robin over the positions; fixed threads only"""
        seen = set(); work = collections.deque()
        for st in self.initial():
            x = (st, 0, 1); seen.add(x); work.append(x)
        complete = True
        while work:
            st, cur, rnd = work.popleft()
            nxt = []
            if st[2]: nxt = [(n, 0, 1) for n in self.steps(st, 0)]
            elif st[1]:
                nxt = [(n, cur, rnd) for n in self.steps(st, cur)]
                if st[1][cur][1] == 0:
                    c, r = (cur + 1, rnd) if cur + 1 < len(st[1]) else (0, rnd + 1)
                    if r <= k: nxt.append((st, c, r))
            for x in nxt:
                if x[0] == 'error': return True, True
                if any(len(f) > stack for f, _ in x[0][1]): complete = False; continue
                if x not in seen:
                    if len(seen) > LIMIT: return False, False
                    seen.add(x); work.append(x)
        return False, complete


# ---------------------------------------------------------------- fpsolve
def run(cmd, timeout=60):
    r = subprocess.run(cmd, capture_output=True, text=True, timeout=timeout)
    return r.returncode, r.stdout, r.stderr


def treatments(r, kind):
    out = []
    if r.random() < .4: out += ['--inline', r.choice(['never', 'auto', 'always'])]
    if r.random() < .2: out += ['--no-simplify']
    if r.random() < .2: out += ['--no-frames']
    if r.random() < .2: out += ['--strategy', 'naive']
    if r.random() < .2: out += ['--symbolic', 'Pc']
    if r.random() < .3: out += ['--reorder', r.choice(['off', 'always'])]
    if r.random() < .2: out += ['--no-early-stop']
    return out


def plans(r, kind):
    """(algorithm, arguments, what the answer speaks of)"""
    k = r.randint(1, 3)
    if kind == 'seq':
        return [r.choice([('summaries', [], 'all'), ('summaries_eager', [], 'all'), ('reachability', [], 'all'),
                          ('interleaving', [], 'all'), ('lazy_cba', ['--set', 'contexts=1'], 'all')]) for _ in range(2)]
    fixed = [('interleaving', [], 'all'), ('lazy_cba', ['--set', 'contexts=%d' % k], ('rounds', k)),
             ('eager_cba', ['--set', 'contexts=%d' % k], ('rounds', k)), ('product_cba', ['--set', 'contexts=%d' % k], ('contexts', k)),
             ('k_induction', ['--deepen', 'k=1..3'], 'all'), ('monotonic', ['--set', 'sets=%d' % r.randint(0, 1)], 'all')]
    many = [('linear_interfaces', ['--set', 'rounds=%d' % min(k, 2)], ('rounds', min(k, 2))),
            ('linear_interfaces_calls', ['--set', 'rounds=%d' % min(k, 2)], ('rounds', min(k, 2))),
            ('adequacy', ['--deepen', 'rounds=1..2'], 'all')]
    if kind == 'conc': return [r.choice(fixed + many) for _ in range(3)]
    if kind == 'param': return [r.choice(many) for _ in range(3)]
    c = r.randint(0, 3)
    out = [r.choice(many + [(a, x + ['--copies', str(c)], w) for a, x, w in fixed + many]) for _ in range(3)]
    return out


def main():
    a = argparse.ArgumentParser()
    a.add_argument('fpsolve'); a.add_argument('--runs', type=int, default=1000); a.add_argument('--seed', type=int, default=1)
    a.add_argument('--kinds', default='seq,conc,param,create'); a.add_argument('--found', default='found')
    o = a.parse_args()
    r = random.Random(o.seed)
    os.makedirs(o.found, exist_ok=True)
    count, kinds = collections.Counter(), o.kinds.split(',')
    begin = time.time()
    work = os.path.join(o.found, 'work%d' % o.seed); os.makedirs(work, exist_ok=True)
    runs = number = 0
    bad = 0
    def keep(why, src, cmd, detail):
        nonlocal bad
        bad += 1
        base = os.path.join(o.found, '%d_%d' % (o.seed, number))
        open(base + '.bp', 'w').write(src)
        with open(base + '.txt', 'a') as f: f.write('%s\n%s\n%s\n' % (why, ' '.join(cmd), detail[:3000]))
        print('FOUND', why, base, ' '.join(cmd), flush=True)
    stop = []
    signal.signal(signal.SIGTERM, lambda *_: stop.append(1))
    while runs < o.runs and not stop:
        number += 1
        kind = r.choice(kinds)
        p = Gen(r).program(kind)
        src = text(p)
        path = os.path.join(work, 'p.bp')
        open(path, 'w').write(src)
        fixed = all(n != '*' for _, n in p.threads)
        dynamic = p.creates
        free = []
        for c in ([0] if fixed else [1, 2, 3]):
            e, done = Machine(p, c).free()
            free.append((e, done))
            if e or not done: break
        error = any(e for e, _ in free)
        exact = fixed and free[-1][1]
        for alg, args, about in plans(r, kind):
            runs += 1
            cmd = [o.fpsolve, alg, path, '--format', 'json', '--timeout', '10s'] + args + treatments(r, kind)
            try: code, out, err = run(cmd)
            except subprocess.TimeoutExpired:
                keep('hang', src, cmd, ''); continue
            count[alg, 'runs'] += 1
            if code == 2:
                count[alg, 'refused'] += 1
                expected = ('fp::refused', 'bp::deep_sections')
                if not any(code in out + err for code in expected): keep('mistake', src, cmd, out + err)
                continue
            if code not in (0, 1, 3): keep('crash %d' % code, src, cmd, out + err); continue
            try: verdict = json.loads(out)['verdict']
            except Exception: keep('no json', src, cmd, out + err); continue
            if isinstance(verdict, dict): verdict = verdict.get('kind')
            count[alg, verdict] += 1
            if verdict == 'safe' and error: keep('WRONG safe', src, cmd, out)
            if verdict == 'unsafe' and exact and not error: keep('WRONG unsafe', src, cmd, out)
            if verdict == 'bounded' and about == 'all' and error and not dynamic: keep('WRONG bounded', src, cmd, out)
            if verdict == 'bounded' and about != 'all' and error and not dynamic and about[0] == 'rounds':
                for c in ([0] if fixed else [1, 2]):
                    e, done = Machine(p, c).rounds(about[1])
                    if e: keep('WRONG bounded', src, cmd, out); break
            if verdict == 'unsafe' and about != 'all' and about[0] == 'rounds' and fixed and not dynamic and alg in ('lazy_cba', 'eager_cba'):
                e, done = Machine(p, 0).rounds(about[1])
                if done and not e: keep('WRONG unsafe in rounds', src, cmd, out)
            if verdict == 'unsafe' and r.random() < .5:
                tr = os.path.join(work, 't.json')
                code, out, err = run(cmd[:3] + ['--trace', 'json'] + cmd[5:])
                open(tr, 'w').write(out)
                known = [x for x in ('--copies',) if x in cmd]
                rep = [o.fpsolve, 'replay', path, tr] + ([ '--copies', cmd[cmd.index('--copies') + 1]] if known else [])
                code, out, err = run(rep)
                count['replay', code] += 1
                if code == 2 and 'given up' in err: count['replay', 'given up'] += 1
                elif code != 0: keep('replay refuses', src, cmd, out + err)
            if verdict == 'safe' and r.random() < .2 and '--deepen' not in cmd:
                ce = os.path.join(work, 'c.json')
                run(cmd + ['--certificate', ce])
                if os.path.exists(ce):
                    cc = [o.fpsolve, 'certify', alg, path, ce]
                    for opt in ('--set', '--copies', '--inline'):
                        if opt in cmd: cc += [opt, cmd[cmd.index(opt) + 1]]
                    if '--no-simplify' in cmd: cc.append('--no-simplify')
                    code, out, err = run(cc)
                    count['certify', code] += 1
                    if code != 0: keep('certify refuses', src, cc, out + err)
                    os.remove(ce)
    print('%d programs, %d runs, %d found, %.0f s' % (number, runs, bad, time.time() - begin))
    for k in sorted(count, key=str): print('  %-24s %-10s %d' % (k[0], k[1], count[k]))


if __name__ == '__main__':
    main()
