"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("main");
const SVG = "http://www.w3.org/2000/svg";

// An element with attributes and children; a child that is no element is text.
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== null));
  return element;
}

function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const sections = [];
function section(id, title, ...children) {
  sections.push([id, title]);
  const element = make("section", { id }, make("h2", {}, title), ...children);
  main.append(element);
  return element;
}

function seconds(time) {
  if (time < 0.00995) return (time * 1e3).toFixed(1) + " ms";
  if (time < 0.9995) return (time * 1e3).toFixed(0) + " ms";
  return time.toFixed(2) + " s";
}
const percent = share => share.toFixed(1) + " %";
const grouped = number => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009");
const number = text => make("td", { class: "number" }, text === null ? "" : grouped(text));

// Keeps an element visible inside its own pane, without moving the page.
function reveal(element, pane) {
  const top = element.offsetTop, head = 34;
  if (top - head < pane.scrollTop) pane.scrollTop = top - head - pane.clientHeight / 4;
  const bottom = top + element.offsetHeight;
  if (bottom > pane.scrollTop + pane.clientHeight) pane.scrollTop = bottom - pane.clientHeight * 0.6;
  // A cell that is out of sight to a side.
  const cell = element.querySelector("td:not(:first-child):not(:empty)");
  if (!cell) return;
  if (cell.offsetLeft < pane.scrollLeft) pane.scrollLeft = cell.offsetLeft - 40;
  const right = cell.offsetLeft + cell.offsetWidth;
  if (right > pane.scrollLeft + pane.clientWidth) pane.scrollLeft = right - pane.clientWidth;
}

// How a trace ends: at an error, in a state, or by going on where a part of it began.
function ending(trace) {
  const last = trace.steps[trace.steps.length - 1];
  if (trace.error && last && last.line === trace.error.line) return { words: "and it fails", lines: [] };
  if (trace.error) return { words: `then line ${trace.error.line}: ${trace.error.text}`, lines: [] };
  const stands = trace.end.threads.map(thread => {
    const top = thread.frames[thread.frames.length - 1];
    return `${thread.name}: ${top ? `line ${top.line}: ${top.text}` : thread.status}; ${thread.moves}`;
  });
  const met = (trace.repeat ? trace.repeat.met : []).map(met => `${met.condition} (${met.clause}) is met with step ${met.step}`);
  const words = trace.repeat ? `then again from step ${trace.repeat.from + 1}` : "the end";
  return { words, lines: [words, ...stands, ...met] };
}

// The trace: threads side by side, time downwards. Moment 0 is the beginning, moment n is behind step n.
function trace(trace, source) {
  const shown = value => value === null ? "*" : String(value);
  const moments = valuations(trace);
  const last = trace.steps.length;
  let now = 0;

  const head = make("tr", {}, make("th", {}, "step"), ...trace.threads.map(thread => make("th", {}, thread.name)));
  const begin = make("tr", { onclick: () => go(0) }, make("td", {}, "0"),
    make("td", { colspan: trace.threads.length }, "the beginning"));
  const rows = [begin];
  trace.steps.forEach((step, at) => {
    const before = trace.steps[at - 1];
    const cells = trace.threads.map((_, thread) => {
      if (thread !== step.thread) return make("td");
      const statement = make("span", { class: "statement", style: `--depth: ${step.depth}` }, step.text);
      step.changes.forEach(change =>
        statement.append(" ", make("span", { class: "change" }, `${change.variable}=${shown(change.value)}`)));
      return make("td", { class: "code" }, statement);
    });
    const round = step.round !== null && (!before || before.round !== step.round);
    if (round) cells[step.thread].prepend(make("span", { class: "round-name hint" }, `round ${step.round}`));
    const again = trace.repeat && trace.repeat.from === at;
    if (again) cells[step.thread].prepend(make("span", { class: "round-name hint" }, "then forever"));
    const switched = !before || again || before.thread !== step.thread;
    // Where there is no room for a column per thread, the first step of a thread names it.
    if (switched) cells[step.thread].prepend(make("span", { class: "thread" }, trace.threads[step.thread].name));
    rows.push(make("tr", { class: switched ? "round" : null, onclick: () => go(at + 1) },
      make("td", {}, String(at + 1)), ...cells));
  });
  const finish = ending(trace);
  const wrong = trace.error ? trace.threads.map((_, thread) => make("td", { class: "code error" },
    thread === trace.error.thread ? trace.error.text : ""))
    : [make("td", { class: "code", colspan: Math.max(1, trace.threads.length) }, ...finish.lines.map(line => make("div", {}, line)))];
  rows.push(make("tr", { onclick: () => go(last) }, make("td", {}, ""), ...wrong));
  const run = make("div", { class: "scroll run", tabindex: 0, "aria-label": "steps" },
    make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));

  const lines = source ? source.text.split("\n").map((text, at) =>
    make("div", { class: "line" }, make("span", { class: "at" }, String(at + 1)), make("span", {}, text))) : [];
  const listing = make("div", { class: "scroll program" }, make("div", { class: "listing code" }, ...lines));
  const values = make("div", { class: "scroll values" });
  const slider = make("input", { type: "range", min: 0, max: last, value: 0, "aria-label": "step",
    oninput: () => go(Number(slider.value)) });
  const told = make("output", { id: "told", "aria-live": "polite" });
  const button = (label, title, to) => make("button", { type: "button", title, onclick: () => go(to()) }, label);
  const buttons = [
    button("|◀", "to the beginning (Home)", () => 0), button("◀", "back (←)", () => now - 1),
    button("▶", "on (→)", () => now + 1), button("▶|", "to the end (End)", () => last),
  ];

  function go(to) {
    now = Math.max(0, Math.min(last, to));
    slider.value = now;
    rows.forEach((row, at) => {
      const current = at === now || (now === last && at === last + 1);
      row.classList.toggle("now", current);
      row.classList.toggle("later", at > now && !current);
      if (current) row.setAttribute("aria-current", "step"); else row.removeAttribute("aria-current");
    });
    const step = trace.steps[now - 1];
    const line = step ? step.line : null;
    lines.forEach((element, at) => element.classList.toggle("now", at + 1 === line));
    if (line && lines[line - 1]) reveal(lines[line - 1], listing);
    reveal(rows[now], run);
    const name = step && trace.threads[step.thread].name;
    const who = step && (name === step.procedure ? name : `${name} in ${step.procedure}`);
    const where = step ? `${who}, line ${step.line}: ${step.text}` : "the beginning";
    told.textContent = `step ${now} of ${last}: ${where}` + (now === last ? ` — ${finish.words}` : "");
    buttons[0].disabled = buttons[1].disabled = now === 0;
    buttons[2].disabled = buttons[3].disabled = now === last;
    tabulate(values, moments, now, trace.threads, shown);
  }

  const whole = section("trace", "Trace",
    make("div", { class: "stepper" }, ...buttons, slider, told),
    make("div", { class: "trace" }, run, make("div", { class: "side" },
      source ? make("h3", {}, source.name) : null, source ? listing : null, make("h3", {}, "Variables"), values)),
    make("p", { class: "hint" }, "← and → (or k and j) step; Home and End when the steps have the focus; or click on a step."));
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target === slider) return;
    const inside = whole.contains(event.target);
    const to = { ArrowRight: now + 1, j: now + 1, ArrowLeft: now - 1, k: now - 1 }[event.key]
      ?? (inside ? { Home: 0, End: last, ArrowDown: now + 1, ArrowUp: now - 1 }[event.key] : undefined);
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  });
  // What goes wrong is at the end.
  go(last);
}

// The variables at each moment: name, owner and value, and whether the step before changed it. A procedure's locals are
// known from where they are first set, and gone when it returns.
function valuations(trace) {
  const shared = new Map(trace.begin.map(start => [start.variable, start.value]));
  const own = trace.threads.map(() => new Map());
  const locals = trace.threads.map(() => []);
  const moments = [snapshot([])];
  for (const step of trace.steps) {
    const frames = locals[step.thread];
    frames.length = Math.min(frames.length, step.depth + 1);
    while (frames.length <= step.depth) frames.push({ procedure: "", values: new Map() });
    if (frames[step.depth].procedure !== step.procedure) {
      frames[step.depth] = { procedure: step.procedure, values: new Map() };
    }
    const changed = [];
    for (const change of step.changes) {
      const values = shared.has(change.variable) ? shared
        : trace.own.includes(change.variable) ? own[step.thread] : frames[step.depth].values;
      values.set(change.variable, change.value);
      changed.push([values, change.variable]);
    }
    moments.push(snapshot(changed));
  }
  return moments;

  function snapshot(changed) {
    const list = (values, thread, where) => [...values].map(([name, value]) => ({ name, value, thread, where,
      changed: changed.some(([in_, variable]) => in_ === values && variable === name) }));
    const others = trace.threads.flatMap((_, thread) => [...list(own[thread], thread, "own"),
      ...locals[thread].flatMap(frame => list(frame.values, thread, frame.procedure))]);
    return [...list(shared, null, "shared"), ...others];
  }
}

// A thread may have the name of the procedure that it runs.
function owner(thread, where) {
  return thread === where ? thread : `${thread}, ${where}`;
}

function tabulate(pane, moments, now, threads, shown) {
  const rows = moments[now].map(entry => make("tr", {},
    make("td", { class: "code" }, entry.name),
    make("td", { class: "code" + (entry.changed ? " changed" : "") },
      shown(entry.value) + (entry.changed ? " ← changed" : "")),
    make("td", { class: "hint" }, entry.thread === null ? "shared" : owner(threads[entry.thread].name, entry.where))));
  pane.replaceChildren(make("table", {},
    make("thead", {}, make("tr", {}, ...["variable", "value", "of"].map(text => make("th", {}, text)))),
    make("tbody", {}, ...rows)));
  const first = pane.querySelector(".changed");
  if (first) reveal(first.parentElement, pane);
}

// Rows and nodes over rounds, each against its own maximum.
function plot(relation) {
  const width = 280, height = 110, left = 4, right = 4, top = 16, bottom = 16;
  const points = relation.samples;
  const end = points[points.length - 1][0] || 1;
  const x = round => left + (width - left - right) * round / end;
  const picture = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
  picture.append(draw("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }));
  ["rows", "nodes"].forEach((kind, at) => {
    const most = Math.max(1, ...points.map(point => point[at + 1]));
    const y = value => height - bottom - (height - top - bottom) * value / most;
    const path = points.map(point => `${x(point[0]).toFixed(1)},${y(point[at + 1]).toFixed(1)}`).join(" ");
    picture.append(draw("polyline", { class: `curve ${kind}`, points: path }));
    const label = draw("text", { class: kind, y: 11, x: at ? width - right : left, "text-anchor": at ? "end" : "start" });
    label.textContent = `${grouped(most)} ${most === 1 ? kind.slice(0, -1) : kind}`;
    picture.append(label);
  });
  const label = draw("text", { x: width - right, y: height - 3, "text-anchor": "end" });
  label.textContent = `${grouped(end)} round${end === 1 ? "" : "s"}`;
  const reading = draw("text", { x: left, y: height - 3 });
  picture.append(label, reading);
  picture.addEventListener("mousemove", event => {
    const box = picture.getBoundingClientRect();
    const round = (event.clientX - box.left) / box.width * end;
    const near = points.reduce((best, point) => Math.abs(point[0] - round) < Math.abs(best[0] - round) ? point : best);
    reading.textContent = `after ${near[0]}: ${grouped(near[1])} rows, ${grouped(near[2])} nodes`;
    label.style.visibility = "hidden";
  });
  picture.addEventListener("mouseleave", () => { reading.textContent = ""; label.style.visibility = ""; });
  picture.setAttribute("aria-label", `rows and nodes of ${relation.name} over its rounds`);
  return make("div", { class: "plot" }, make("h3", {}, relation.name), picture);
}

function growth(relations) {
  const growing = relations.filter(relation => relation.samples.length > 2);
  if (!growing.length) return;
  growing.sort((a, b) => b.seconds - a.seconds);
  const some = 12;
  const rest = make("div", { class: "plots" });
  const more = make("details", {}, make("summary", {}, `${growing.length - some} more`), rest);
  more.addEventListener("toggle", () => {
    if (!rest.childElementCount) rest.append(...growing.slice(some).map(plot));
  });
  section("growth", "Growth of the relations",
    make("p", { class: "hint" }, "Rows (blue) and BDD nodes (orange) after each round, each scaled to its own maximum, the costliest relation first."),
    make("div", { class: "plots" }, ...growing.slice(0, some).map(plot)), growing.length > some ? more : null);
}

function profile(profile) {
  const rows = [];
  const most = Math.max(0.1, ...profile.entries.map(entry => entry.percent));
  const row = (entry, kind) => {
    const line = entry.line === null ? "" : make("a", { href: `#${anchor(entry.file, entry.line)}`, onclick: open },
      `${entry.file.split(/[/:]/).pop()}:${entry.line}`);
    return make("tr", { class: kind }, make("td", {}, entry.name),
      make("td", { class: "number" }, percent(entry.percent)), make("td", { class: "number" }, seconds(entry.seconds)),
      make("td", {}, make("span", { class: "bar", style: `--part: ${(entry.percent / most).toFixed(3)}` })),
      number(entry.rounds), number(entry.new_tuples), number(entry.peak_nodes), make("td", {}, line));
  };
  const open = event => {
    const target = document.getElementById(event.target.getAttribute("href").slice(1));
    if (target) target.closest("details").open = true;
  };
  const quiet = profile.entries.filter(entry => entry.percent === 0);
  for (const entry of profile.entries) {
    const group = [row(entry, "whole")];
    if (entry.parts.length !== 1 || entry.parts[0].name !== "1") {
      group.push(...entry.parts.map(part => row(part, "part")));
    }
    if (quiet.length > 1 && entry.percent === 0) group.forEach(row => { row.hidden = true; });
    rows.push(...group);
  }
  const more = make("button", { type: "button", onclick: () => { rows.forEach(row => { row.hidden = false; }); more.remove(); } },
    `${quiet.length} more without a share`);
  const heads = ["relation or work", "share", "time", "", "rounds", "new tuples", "peak nodes", "line"];
  const head = heads.map((text, at) => make("th", at > 0 && at < 7 ? { class: "number" } : {}, text));
  section("profile", "Profile", make("p", {}, `${seconds(profile.seconds)} in all`),
    make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows))),
    quiet.length > 1 ? make("p", {}, more) : null);
}

// The dependency components in layers: a component is below those it rests on, and one that rests on nothing is right
// above the first that needs it. Within a layer, nodes stand near the mean of what they rest on.
function components(parts) {
  const layer = parts.map(() => 0);
  parts.forEach((part, at) => part.rests_on.forEach(on => { layer[at] = Math.max(layer[at], layer[on.component] + 1); }));
  const users = parts.map(() => []);
  parts.forEach((part, at) => part.rests_on.forEach(on => users[on.component].push(at)));
  parts.forEach((part, at) => {
    if (!part.rests_on.length && users[at].length) layer[at] = Math.min(...users[at].map(user => layer[user])) - 1;
  });
  const layers = [];
  parts.forEach((_, at) => { (layers[layer[at]] ||= []).push(at); });
  const wide = parts.map(part => Math.max(...part.shown.map(text => text.length)) * 7.6 + 18);
  const high = parts.map(part => part.shown.length * 16 + 10);
  const x = [], y = [], gap = 18;
  let below = 12;
  const middle = layers.reduce((most, members) =>
    Math.max(most, members.reduce((sum, at) => sum + wide[at] + gap, 0)), 0) / 2;
  for (const members of layers) {
    const mean = at => {
      const near = parts[at].rests_on.map(on => on.component);
      return near.length ? near.reduce((sum, other) => sum + x[other], 0) / near.length : middle;
    };
    const wish = new Map(members.map(at => [at, mean(at)]));
    members.sort((a, b) => wish.get(a) - wish.get(b) || a - b);
    let right = -Infinity;
    members.forEach(at => {
      x[at] = Math.max(wish.get(at), right + gap + wide[at] / 2);
      right = x[at] + wide[at] / 2;
    });
    // What made room went to the right: the layer goes back by as much in the mean.
    const shift = members.reduce((sum, at) => sum + wish.get(at) - x[at], 0) / members.length;
    members.forEach(at => { x[at] += shift; y[at] = below; });
    below += Math.max(...members.map(at => high[at])) + 46;
  }
  const left = Math.min(...parts.map((_, at) => x[at] - wide[at] / 2)) - gap;
  parts.forEach((_, at) => { x[at] -= left; });
  const total = Math.max(...parts.map((_, at) => x[at] + wide[at] / 2)) + gap;
  const picture = draw("svg", { width: total, height: below, viewBox: `0 0 ${total} ${below}` });
  const edges = [], nodes = [];
  parts.forEach((part, at) => part.rests_on.forEach(on => {
    const from = on.component, y1 = y[from] + high[from], y2 = y[at];
    const bend = Math.max(20, (y2 - y1) / 2);
    edges.push([at, from, draw("path", { class: on.negative ? "not" : parts[from].kind === "given" ? "data" : "on",
      d: `M${x[from]},${y1} C${x[from]},${y1 + bend} ${x[at]},${y2 - bend} ${x[at]},${y2}` })]);
  }));
  parts.forEach((part, at) => {
    const node = draw("g", { class: `${part.kind} ${part.recursive ? "recursive" : ""}` },
      draw("rect", { x: x[at] - wide[at] / 2, y: y[at], width: wide[at], height: high[at], rx: 5 }));
    part.shown.forEach((text, line) => {
      const label = draw("text", { x: x[at], y: y[at] + 17 + 16 * line, "text-anchor": "middle" });
      label.textContent = text;
      node.append(label);
    });
    const title = draw("title");
    title.textContent = part.members.join(", ");
    node.append(title);
    node.addEventListener("mouseenter", () => {
      const near = new Set([at]);
      edges.forEach(([to, from, path]) => {
        const touches = to === at || from === at;
        path.classList.toggle("dim", !touches);
        if (touches) near.add(to).add(from);
      });
      nodes.forEach((other, number) => other.classList.toggle("dim", !near.has(number)));
    });
    nodes.push(node);
  });
  const clear = () => [...nodes, ...edges.map(edge => edge[2])].forEach(element => element.classList.remove("dim"));
  picture.addEventListener("mouseleave", clear);
  picture.append(...edges.map(edge => edge[2]), ...nodes);
  section("components", "Components",
    make("p", { class: "hint" }, "What is solved together, in order from top to bottom: a component depends on those that lines come from. Recursive ones have a blue frame, given relations a dashed one; red lines are negations. Point at one to see what it touches."),
    make("div", { class: "scroll graph" }, picture));
}

function anchor(file, line) {
  return `at-${data.files.findIndex(known => known.name === file)}-${line}`;
}

function equations(files, profile) {
  const costs = new Map();
  for (const entry of profile.entries) {
    for (const part of entry.parts.filter(part => part.line !== null)) {
      const key = anchor(part.file, part.line);
      const cost = costs.get(key) || { percent: 0, seconds: 0, rounds: 0 };
      cost.percent += part.percent; cost.seconds += part.seconds; cost.rounds += part.rounds;
      costs.set(key, cost);
    }
  }
  const most = Math.max(0.1, ...[...costs.values()].map(cost => cost.percent));
  const listings = files.map(file => {
    const lines = file.text.replace(/\n$/, "").split("\n").map((text, at) => {
      const cost = costs.get(anchor(file.name, at + 1));
      const cell = make("span", { class: "cost" });
      if (cost) {
        cell.append(make("i", { style: `--part: ${(cost.percent / most).toFixed(3)}` }),
          make("span", { class: "time" }, `${seconds(cost.seconds)}  `), make("span", {}, percent(cost.percent)));
        cell.title = `evaluated ${grouped(cost.rounds)} times`;
      }
      return make("div", { class: "line", id: anchor(file.name, at + 1) }, cell, make("span", { class: "at" }, String(at + 1)),
        make("span", {}, text));
    });
    return make("details", { open: file.name === data.file }, make("summary", {}, file.name),
      make("div", { class: "scroll" }, make("div", { class: "listing code costs" }, ...lines)));
  });
  section("equations", "Equations and their cost",
    make("p", { class: "hint" }, "Time and share of each clause, all instances of a family together."), ...listings);
}

// The tuples of an open query, folded where there are many.
function tuples(query) {
  const heads = query.columns.map(name => make("th", {}, name));
  const rows = query.rows.map(row => make("tr", {}, ...row.map(value => make("td", { class: "code" }, value))));
  const table = make("div", { class: "scroll tuples" },
    make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)));
  const title = query.all ? `Tuples of ${query.name}` : `Tuples of ${query.name}, the first ${rows.length} (--all lists all)`;
  return make("details", { open: rows.length <= 8 }, make("summary", {}, title), table);
}

// What was proved, about which places, and how to check it.
function proof(proof) {
  const places = proof.places.map(place => make("tr", {}, number(place.line), make("td", {}, place.procedure),
    make("td", { class: "code" }, place.text), make("td", { class: "holds" }, "holds")));
  const head = ["line", "procedure", "statement", ""].map((text, at) => make("th", at ? {} : { class: "number" }, text));
  const count = places.length === 1 ? "No run violates this assertion or label:"
    : `No run violates these ${places.length} assertions and labels:`;
  section("proof", "Proof",
    places.length ? make("p", {}, count) : null,
    places.length ? make("div", { class: "scroll tuples" }, make("table", {}, make("thead", {}, make("tr", {}, ...head)),
      make("tbody", {}, ...places))) : null,
    ...proof.checks.map(([words, command]) => make("p", {}, `${words} `, make("code", { class: "command" }, command))));
}

function answers() {
  const rows = pairs => pairs.map(([key, value]) => make("tr", {}, make("td", {}, key), make("td", { class: "code" }, value)));
  const whole = pairs => make("div", { class: "scroll pairs" }, make("table", {}, make("tbody", {}, ...rows(pairs))));
  if (data.queries.length) {
    section("answers", "Answers", whole(data.queries.map(query => [query.name, query.answer])),
      ...data.queries.filter(query => query.rows.length && query.columns.length).map(tuples));
  }
  return () => section("settings", "Settings", whole(data.settings));
}

// What one opens the page for comes first: the run to the error, or what was proved.
if (data.trace) trace(data.trace, data.program);
else if (data.no_trace) section("trace", "Trace", make("p", {}, `There is no trace: ${data.no_trace}.`));
if (data.proof) proof(data.proof);
const settings = answers();
growth(data.relations);
profile(data.profile);
if (data.components.length) components(data.components);
equations(data.files, data.profile);
settings();
document.querySelector("header").append(make("nav", {},
  ...sections.map(([id, title]) => make("a", { href: `#${id}` }, title))));
