"use strict";
// Colours equations and Boolean programs with the TextMate grammars of editors/vscode, which grammars.js has as they are. Of
// what TextMate knows, this reads what these grammars need: `match` and `begin` with captures, `end`, `include`.

function ruleSet(grammar) {
  const compile = (text) => new RegExp(text, "gd");
  const rules = (patterns) =>
    (patterns ?? []).flatMap((rule) => {
      if (rule.include) return rules(grammar.repository[rule.include.slice(1)].patterns);
      if (rule.match) return [{ ...rule, regex: compile(rule.match) }];
      return [{ ...rule, regex: compile(rule.begin), end: compile(rule.end), inner: rules(rule.patterns) }];
    });
  return rules(grammar.patterns);
}

function found(regex, line, from) {
  regex.lastIndex = from;
  return regex.exec(line);
}

// The tokens of a line, each with its scopes, and the rules that are still open at its end.
function lineTokens(top, line, open) {
  const tokens = [];
  const put = (from, to, scopes) => {
    if (from < to) tokens.push({ from, to, scopes: scopes.filter(Boolean) });
  };
  let at = 0;
  for (;;) {
    const state = open.at(-1);
    const around = open.map((rule) => rule.name);
    const ends = state ? [{ rule: state, match: found(state.end, line, at), closes: true }] : [];
    const all = (state ? state.inner : top).map((rule) => ({ rule, match: found(rule.regex, line, at) }));
    const hits = [...ends, ...all].filter(({ match, closes }) => match && (match[0] !== "" || closes));
    if (hits.length === 0) {
      put(at, line.length, around);
      return { tokens, open };
    }
    const { rule, match, closes } = hits.reduce((best, one) => (one.match.index < best.match.index ? one : best));
    const [from, to] = match.indices[0];
    put(at, from, around);
    if (closes) open = open.slice(0, -1);
    else if (rule.end) open = [...open, rule];
    const scopes = closes ? around : [...around, rule.name];
    let done = from;
    const captures = closes ? {} : rule.end ? rule.beginCaptures : rule.captures;
    for (const [number, capture] of Object.entries(captures ?? {})) {
      const place = match.indices[number];
      if (!place) continue;
      put(done, place[0], scopes);
      put(place[0], place[1], [...scopes, capture.name]);
      done = place[1];
    }
    put(done, to, scopes);
    at = to;
  }
}

// The tokens of a text, line by line.
function textTokens(grammar, text) {
  const top = ruleSet(grammar);
  let open = [];
  return text.split("\n").map((line) => {
    const seen = lineTokens(top, line, open);
    open = seen.open;
    return { line, tokens: seen.tokens };
  });
}

// What the themes of mdBook have colours for.
const classes = [
  ["comment", "hljs-comment"],
  ["string", "hljs-string"],
  ["constant.numeric", "hljs-number"],
  ["constant", "hljs-literal"],
  ["entity.name.function", "hljs-title"],
  ["entity.name.type", "hljs-type"],
  ["entity.name.label", "hljs-symbol"],
  ["keyword.operator", ""],
  ["keyword", "hljs-keyword"],
  ["storage", "hljs-keyword"],
];

function coloured({ line, tokens }) {
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  return tokens
    .map(({ from, to, scopes }) => {
      const scope = scopes.at(-1) ?? "";
      const colour = classes.find(([name]) => scope === name || scope.startsWith(`${name}.`))?.[1];
      const text = escaped(line.slice(from, to));
      return colour ? `<span class="${colour}">${text}</span>` : text;
    })
    .join("");
}

if (typeof module !== "undefined") module.exports = { textTokens };
else
  for (const [name, grammar] of Object.entries(grammars))
    for (const block of document.querySelectorAll(`code.language-${name}`)) {
      block.innerHTML = textTokens(grammar, block.textContent).map(coloured).join("\n");
      block.classList.add("hljs");
    }
